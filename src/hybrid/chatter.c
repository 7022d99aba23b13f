// SPDX-License-Identifier: MIT
/// Bounces that pile up: which rule closes a contact, and when.
///
/// By the rule `accumulation` a contact closes as soon as its flights form a geometric series, that
/// is when two forecasts of the accumulation time t* agree. The bounces that are left out press, on
/// average, like a lasting contact less the momentum of the last rebound; moreover gap and gap rate
/// are zero at t*, so that impulse and first moment of impulse of both agree up to t*. The motion
/// from here to t* in lasting contact, with the rebound taken away, therefore arrives at t* in the
/// state of the accumulation: exactly where accelerations are constant.
#include "hybrid/hybrid.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// of the time left: how well two forecasts must agree. What is left out changes the state that the
// bounces lead to by a high power of the time left: for periodic motions, which are run again and
// again, fewer bounces are exact enough (1e-9 of the dimer's drift).
// That they agree may be chance, where bounces never end: the time left must be short, too.
static const double SERIES = 1e-6, SERIES_OF_PILES = 1e-3, SHORT_OF_PILES = 0.1;
static const double APART = 1e-12; // part of their own answers by which rows of strangers answer
enum { IDLE_HOPS = 200 };          // hops below the resolution that no longer shrink: at rest
// A collapse: speeds shrink from impact to impact by more than rounding, so often in a row. Between
// a floor and what is moved flights shrink and speeds do not.
static const double SLOWER = 1.0 - 1e-12;
// Forces change no more than this part of the speed at an impact while a contact flies that others
// have sent back.
static const double FORCED = 0.1; // Chosen
// Speeds that shrink by the same ratio, but for this, will always do so.
static const double STEADY = 1e-9; // Chosen
enum { FADED = 2 };

static bool rows_answer(const carom_hybrid *it, int r, int s) {
  int rows = it->model->dynamics->rows;
  const double *G = it->work.rows.delassus;
  double own = G[r * (rows + 1)] * G[s * (rows + 1)], mixed = G[r * rows + s];
  return mixed * mixed > APART * APART * own;
}

// does a contact answer to impulses along a row?
static bool contact_answers(const carom_hybrid *it, int k, int row) {
  assert(k >= 0 && k < it->model->contacts.count);
  const carom_contact_set *set = &it->model->contacts;
  return rows_answer(it, set->normal[k], row) ||
         (set->tangent[k] >= 0 && rows_answer(it, set->tangent[k], row)) ||
         (set->cross[k] >= 0 && rows_answer(it, set->cross[k], row));
}

// Does the impact of one change velocities of the other? Through a constraint it may.
static bool contacts_linked(const carom_hybrid *it, int k, int other) {
  assert(other >= 0 && other < it->model->contacts.count);
  const carom_contact_set *set = &it->model->contacts;
  if (contact_answers(it, k, set->normal[other])) return true;
  if (set->tangent[other] >= 0 && contact_answers(it, k, set->tangent[other])) return true;
  if (set->cross[other] >= 0 && contact_answers(it, k, set->cross[other])) return true;
  bool one = false, two = false;
  for (int r = 0; r < it->model->constraints; r++) {
    one = one || contact_answers(it, k, r);
    two = two || contact_answers(it, other, r);
  }
  return one && two;
}

// no time that could be told from none
static bool is_instant(const carom_hybrid *it, double flight) {
  return flight <= carom_hybrid_apart(it);
}

// has another one struck since contact k did, or with it, that changes its velocity?
static bool is_sent_back(const carom_hybrid *it, int k) {
  assert(k >= 0 && k < it->model->contacts.count);
  for (int j = 0; j < it->model->contacts.count; j++)
    if (j != k && (it->instant.landed[j] || it->memory[j].strike > it->memory[k].strike) &&
        contacts_linked(it, k, j))
      return true;
  return false;
}

// In a collapse contacts are sent back by each other's blows, not by forces, at speeds that shrink.
// A closed one, which is pressed, does not fly.
static void note_fading(carom_hybrid *it, int k, double flight) {
  assert(k >= 0 && k < it->model->contacts.count);
  carom_contact_memory *memory = &it->memory[k];
  memory->sent_back = false;
  if (carom_contact_is_closed(memory->mode)) return;
  int normal = it->model->contacts.normal[k];
  double speed = fabs(it->instant.striking.approach[normal]), ratio = speed / memory->approach;
  bool forced = !(flight * fabs(it->work.rows.free_rate[normal]) <= FORCED * speed);
  memory->sent_back = !forced && is_sent_back(it, k);
  memory->fading = memory->sent_back && ratio < SLOWER ? memory->fading + 1 : 0;
  if (memory->fading == 0) memory->fastest = speed;
  memory->steady = fabs(ratio - memory->slowing) <= STEADY;
  memory->slowing = ratio;
  memory->approach = speed;
}

// Several contacts can throw each other up for ever, by hops far below what can be told from zero:
// how long has this one not come lower?
static void note_hop(carom_hybrid *it, int k, double flight) {
  assert(k >= 0 && k < it->model->contacts.count);
  carom_contact_memory *memory = &it->memory[k];
  double speed = fabs(it->instant.striking.approach[it->model->contacts.normal[k]]);
  bool resolved = !(speed * flight <= it->tolerance.gap[k]);
  if (resolved || flight < 0.9 * memory->least) {
    memory->least = flight;
    memory->idle = 0;
  } else {
    memory->idle++;
  }
}

// Flights that shorten are one run of chatter. Several contacts chatter in turns and now and then a
// flight is longer than the one before: then the longest so far is forgotten little by little, so
// that hops that are small for good become a measure of their own.
void carom_chatter_note_flight(carom_hybrid *it, int k) {
  assert(k >= 0 && k < it->model->contacts.count);
  const double kept = 0.9;
  carom_contact_memory *memory = &it->memory[k];
  double t = it->now.t, flight = t - memory->last_impact;
  note_fading(it, k, flight);
  memory->last_impact = t;
  if (memory->sent_back && is_instant(it, flight)) return; // others have sent it back
  note_hop(it, k, flight);
  if (!(flight <= memory->flight)) memory->longest = fmax(flight, kept * memory->longest);
  double q = memory->shrink = flight / memory->flight;
  memory->flight = flight;
  memory->forecast_before = memory->forecast;
  memory->forecast = q < 1.0 ? t + flight * q / (1.0 - q) : NAN;
}

// has it struck at the same three instants?
static bool strikes_with(const carom_contact_memory *a, const carom_contact_memory *b) {
  return a->last_impact == b->last_impact && a->flight == b->flight && a->shrink == b->shrink;
}

// Has a contact a series of its own, that others do not disturb during its last two flights? Others
// that strike may strike with it each time (a closed one that is pressed, a body that falls flat),
// or belong to a motion that it has no link with. Contacts that strike in turns (a rocking block)
// have no series of their own.
static bool has_series(const carom_hybrid *it, const carom_contact_memory *memory) {
  double since = memory->last_impact - memory->flight * (1.0 + 1.0 / memory->shrink);
  int k = (int)(memory - it->memory);
  for (int j = 0; j < it->model->contacts.count; j++) {
    const carom_contact_memory *other = &it->memory[j];
    if (j == k || !(other->last_impact >= since) || strikes_with(memory, other)) continue;
    if (contacts_linked(it, k, j)) return false;
  }
  return true;
}

static bool forms_series(const carom_hybrid *it, const carom_contact_memory *memory) {
  if (it->run.chatter != CAROM_CHATTER_ACCUMULATION || memory->last_impact != it->now.t)
    return false;
  double left = memory->forecast - it->now.t;
  double series = it->run.piles ? SERIES_OF_PILES : SERIES;
  if (it->run.piles && !(left <= SHORT_OF_PILES * memory->longest)) return false;
  return fabs(memory->forecast - memory->forecast_before) <= series * left &&
         has_series(it, memory);
}

static bool has_shortened(const carom_hybrid *it, const carom_contact_memory *memory) {
  return memory->flight <= sqrt(it->run.chatter_value) * memory->longest;
}

// The contact may have landed just now or, when another one landed, be thrown off again soon after
// its own landing (a rocking block). That another one lands soon after may be chance: bounces that
// pile up have shortened before.
static bool bounces_fade(const carom_hybrid *it, const carom_contact_memory *memory,
                         double spacing) {
  double ratio = it->run.chatter_value;
  if (memory->sent_back) return false; // at a speed that does not shrink with its flight
  return spacing <= ratio * memory->longest && has_shortened(it, memory);
}

// Linked contacts that strike in turns, with flights and speeds that both shrink by constant
// ratios, end at rest on each other (an inelastic collapse: McNamara and Young, Phys. Fluids A 4,
// 1992). Their gaps sink below what can be told from zero, and their flights below any time, long
// before their speeds have faded. That it will never end is known once speeds shrink by a ratio
// that no longer changes; or they have faded, or hops are so low that they strike at one instant,
// where the law of a joint impact would throw them apart. The impulses of the blows left out are
// those that take all the rebounds away. What is seen apart is no part of it: a ball fades between
// two walls, too.
static bool fades_in_turns(const carom_hybrid *it, int k) {
  assert(k >= 0 && k < it->model->contacts.count);
  const carom_contact_memory *memory = &it->memory[k];
  if (!(it->work.rows.position[it->model->contacts.normal[k]] <= it->tolerance.gap[k]))
    return false;
  bool faint = memory->approach <= it->run.chatter_value * memory->fastest;
  bool joint = memory->strike == it->now.strikes && has_shortened(it, memory);
  return memory->fading >= FADED && (joint || faint || (memory->low && memory->steady));
}

bool carom_chatter_collapses(const carom_hybrid *it, int k) {
  assert(k >= 0 && k < it->model->contacts.count);
  const carom_contact_memory *memory = &it->memory[k];
  if (it->run.chatter == CAROM_CHATTER_SPEED || it->run.chatter == CAROM_CHATTER_TIME) return false;
  if (!fades_in_turns(it, k)) return false;
  for (int j = 0; j < it->model->contacts.count; j++) {
    const carom_contact_memory *other = &it->memory[j];
    bool in_turns = other->strike != memory->strike || other->flight != memory->flight;
    if (in_turns && fades_in_turns(it, j) && contacts_linked(it, k, j)) return true;
  }
  return false;
}

bool carom_chatter_closes(const carom_hybrid *it, const carom_contact_memory *memory,
                          double rebound) {
  double since = it->now.t - memory->last_impact;
  double spacing = since > 0.0 ? since : memory->flight;
  if (it->run.chatter == CAROM_CHATTER_SPEED) return rebound < it->run.chatter_value;
  if (it->run.chatter == CAROM_CHATTER_TIME) return spacing < it->run.chatter_value;
  return bounces_fade(it, memory, spacing) || memory->idle > IDLE_HOPS || forms_series(it, memory);
}

void carom_chatter_close(carom_hybrid *it, carom_contact_memory *memory) {
  memory->pile = isnan(memory->forecast) ? memory->last_impact : memory->forecast;
  memory->fading = 0; // its collapse is over
  if (!forms_series(it, memory)) return;
  memory->settles = memory->pile;
  it->now.stage.settling = true;
}

double carom_chatter_next(const carom_hybrid *it) {
  double next = INFINITY;
  for (int k = 0; k < it->model->contacts.count && it->now.stage.settling; k++)
    if (it->memory[k].settles < next) next = it->memory[k].settles;
  return next;
}

bool carom_chatter_settle(carom_hybrid *it) {
  bool asked = false;
  it->now.stage.settling = false;
  for (int k = 0; k < it->model->contacts.count; k++) {
    carom_contact_memory *memory = &it->memory[k];
    if (memory->settles > it->now.t) it->now.stage.settling = true;
    if (!(memory->settles <= it->now.t)) continue;
    if (!asked) carom_hybrid_count_instant(it);
    carom_state_take(it, it->stepper.y);
    memcpy(it->before, it->y, (size_t)it->size * sizeof *it->y);
    asked |= carom_hybrid_announce(it, CAROM_EVENT_CLOSE, it->model->contacts.contacts[k].name,
                                   carom_contact_slip_sign(memory->mode), memory->settles);
    memory->settles = NAN;
  }
  return asked;
}
