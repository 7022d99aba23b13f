// SPDX-License-Identifier: MIT
/// What a leg breaks on its way: gaps of open contacts, forces and slips of closed ones, branches
/// and events. They are looked at on the dense output of its steps; the lowest value of each is
/// refined. At the ends of a leg some are zero by the word itself, which is no fault.
#include "hybrid/leg.h"

#include "base/golden.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LOOKS = 24, GOLDEN_ROUNDS = 34 };
static const double PART_OF_LARGEST = 1e-6; // force: less is nothing to divide by
static const double NEAR = 1e-9;            // of the leg's time: an end of it
static const double AT_ENDS = 1e-7;         // of the largest value: zero there
static const double RESOLVED = 1e8;         // one part in so many is told from zero

/// The looks at a leg so far.
typedef struct looking {
  const carom_leg *leg;
  double t0, t1;
  bool begun;
  int looks;
} looking;

static int margin_count(const carom_hybrid *it) {
  return 2 * it->model->contacts.count + it->model->watched_count;
}

// two margins of a closed contact: its normal force, and its friction or its slip
static void of_closed(const carom_hybrid *it, const carom_leg *leg, int k, double *out) {
  assert(k >= 0 && k < it->model->contacts.count);
  const carom_contact_set *set = &it->model->contacts;
  int tangent = set->tangent[k], slip = carom_contact_slip_sign(carom_leg_mode(leg, k));
  double normal = it->contact.lambda[set->normal[k]];
  out[0] = normal;
  out[1] = NAN;
  if (tangent < 0 || set->user_law[k]) return;
  if (slip != 0) out[1] = slip * it->work.rows.velocity[tangent];
  if (carom_leg_mode(leg, k) == CAROM_CONTACT_STICK)
    out[1] = it->contact.now[k].stick * normal - fabs(it->contact.lambda[tangent]);
}

// arguments of branches have their sign; those of events are looked at as they are
static double of_function(carom_hybrid *it, const carom_leg *leg, int k, double t,
                          const double *y) {
  assert(k >= 0 && k < it->model->watched_count);
  const carom_watched *watched = &it->model->watched[k];
  bool is_event = watched->kind == CAROM_WATCH_EVENT && !watched->rule->condition;
  if (carom_hybrid_ignores(it, k)) return NAN;
  if ((watched->kind != CAROM_WATCH_SWITCH && !is_event) || watched->function.rough) return NAN;
  double value = carom_watch_at(&watched->function, &it->watching.work[k], t, y);
  if (is_event) return value;
  return leg->branches >> watched->index & 1u ? value : -value;
}

// all margins at a point of the tried step; NaN: there is none
static carom_status margins_at(carom_hybrid *it, const carom_leg *leg, double theta, double *out) {
  const carom_stepper *stepper = &it->clients.leg->stepper;
  double t = stepper->t + theta * stepper->h, *y = it->clients.leg->point;
  int contacts = it->model->contacts.count;
  carom_dense_eval(stepper, theta, y, NULL, NULL);
  carom_status status = carom_hybrid_evaluate_rows(it, t, y);
  if (status != CAROM_OK) return status;
  if (it->contact.closed > 0) (void)carom_hybrid_forces(it, t, y, false);
  for (int k = 0; k < contacts; k++) {
    int normal = it->model->contacts.normal[k];
    out[2 * k] = carom_contact_is_loaded(&it->model->contacts, k) ? it->work.rows.free_rate[normal]
                                                                  : it->work.rows.position[normal];
    out[2 * k + 1] = NAN;
    if (carom_contact_is_closed(carom_leg_mode(leg, k))) of_closed(it, leg, k, out + 2 * k);
  }
  for (int k = 0; k < it->model->watched_count; k++)
    out[2 * contacts + k] = of_function(it, leg, k, t, y);
  return CAROM_OK;
}

/// A margin along the step.
typedef struct sought {
  carom_hybrid *it;
  const carom_leg *leg;
  int margin;
} sought;

static double value_below(void *ctx, double theta) {
  const sought *what = ctx;
  double *out = what->it->clients.leg->refined;
  return margins_at(what->it, what->leg, theta, out) == CAROM_OK ? -out[what->margin] : NAN;
}

// the least value of one margin between two points of the step
static double refine_least(carom_hybrid *it, const carom_leg *leg, int margin, double a, double b) {
  sought what = {it, leg, margin};
  return -carom_golden_top(value_below, &what, a, b, GOLDEN_ROUNDS).value;
}

static bool is_event(const carom_hybrid *it, int margin) {
  int k = margin - 2 * it->model->contacts.count;
  return k >= 0 && it->model->watched[k].kind == CAROM_WATCH_EVENT;
}

// an event comes where its function passes zero in its direction
static bool event_comes(const carom_hybrid *it, int margin, double a, double b) {
  carom_direction direction = it->model->watched[margin - 2 * it->model->contacts.count].direction;
  return (a < 0.0 && b > 0.0 && direction != CAROM_FALLING) ||
         (a > 0.0 && b < 0.0 && direction != CAROM_RISING);
}

static bool near_end(const looking *at, const carom_hybrid *it, double theta) {
  const carom_stepper *stepper = &it->clients.leg->stepper;
  double t = stepper->t + theta * stepper->h, near = NEAR * (at->t1 - at->t0);
  return t - at->t0 <= near || at->t1 - t <= near;
}

// The value before now, of the margin m, is a lowest one: it is refined on the tried step, of which
// it is look number j
static void note_lowest(const looking *at, carom_hybrid *it, int m, int j) {
  double *low = &it->clients.leg->low[m], value = it->clients.leg->previous[m];
  double a = fmax(j - 1, 0) / LOOKS, b = fmin(j + 1, LOOKS) / LOOKS;
  if (near_end(at, it, (double)j / LOOKS)) return;
  if (value < 0.1 * it->clients.leg->high[m])
    value = fmin(value, refine_least(it, at->leg, m, a, b));
  *low = fmin(*low, value);
}

// A margin that still falls at the end of a step may have turned before: the next step does not see
// that far back.
static void note_last(const looking *at, carom_hybrid *it, int m, double before, double now) {
  if (!(now <= before && now < 0.1 * it->clients.leg->high[m]) || near_end(at, it, 1.0)) return;
  it->clients.leg->low[m] =
      fmin(it->clients.leg->low[m], refine_least(it, at->leg, m, (LOOKS - 1.0) / LOOKS, 1.0));
}

// one look at all margins: number j of the tried step
static carom_status look_once(looking *at, carom_hybrid *it, int j, bool end) {
  carom_leg_work *work = it->clients.leg;
  int count = margin_count(it);
  double *now = work->looked, *before = work->previous, *first = before + count;
  carom_status status = margins_at(it, at->leg, (double)j / LOOKS, now);
  if (status != CAROM_OK) return status;
  for (int m = 0; m < count; m++) {
    work->high[m] = fmax(work->high[m], fabs(now[m]));
    if (!at->begun || isnan(now[m])) continue;
    bool inner = at->looks > 1 && !end;
    if (is_event(it, m)) {
      if (inner && event_comes(it, m, before[m], now[m])) work->low[m] = -INFINITY;
    } else if (inner && before[m] < first[m] && before[m] <= now[m]) {
      note_lowest(at, it, m, j - 1);
    } else if (inner && j == LOOKS) {
      note_last(at, it, m, before[m], now[m]);
    }
  }
  memcpy(first, before, (size_t)count * sizeof *now);
  memcpy(before, now, (size_t)count * sizeof *now);
  if (!at->begun) memcpy(work->edge, now, (size_t)count * sizeof *now);
  at->begun = true;
  at->looks++;
  return CAROM_OK;
}

// the lowest values of all margins on the tried step
static carom_status look_at_margins(void *ctx, carom_hybrid *it, bool last) {
  looking *at = ctx;
  carom_status status = CAROM_OK;
  for (int j = at->begun ? 1 : 0; j <= LOOKS && status == CAROM_OK; j++)
    status = look_once(at, it, j, last && j == LOOKS);
  return status;
}

static carom_leg_fault fault_of(const carom_hybrid *it, const carom_leg *leg, int margin) {
  int contacts = it->model->contacts.count;
  assert(0 <= margin && margin < margin_count(it));
  if (margin >= 2 * contacts) return is_event(it, margin) ? CAROM_FAULT_RULE : CAROM_FAULT_SWITCH;
  carom_contact_mode mode = carom_leg_mode(leg, margin / 2);
  if (margin % 2 == 0) return carom_contact_is_closed(mode) ? CAROM_FAULT_FORCE : CAROM_FAULT_GAP;
  return mode == CAROM_CONTACT_STICK ? CAROM_FAULT_CONE : CAROM_FAULT_SLIP;
}

// does the margin end where the watched function is zero?
static bool is_of(const carom_hybrid *it, int function, int margin) {
  assert(function >= 0 && function < it->model->watched_count);
  const carom_watched *watched = &it->model->watched[function];
  bool of_contact = watched->kind == CAROM_WATCH_GAP || watched->kind == CAROM_WATCH_SLIP;
  return of_contact ? margin / 2 == watched->index
                    : margin == 2 * it->model->contacts.count + function;
}

// Is a margin zero at the start of a leg, where contacts open and begin to slip, or at its end by
// what ends it?
static bool zero_by_word(const carom_hybrid *it, const carom_leg *leg, int margin, bool at_end) {
  carom_leg_fault kind = fault_of(it, leg, margin);
  if (!at_end) return kind != CAROM_FAULT_FORCE && kind != CAROM_FAULT_CONE;
  if (leg->event == CAROM_LEG_END) return false;
  if (leg->event == CAROM_LEG_FORCE) return margin / 2 == leg->function;
  bool zero = is_of(it, leg->function, margin);
  for (int k = 0; k < it->model->watched_count && k < 64 && !zero; k++)
    zero = (leg->linked >> k & 1u) && is_of(it, k, margin);
  return zero;
}

static double lowest_margin(const carom_hybrid *it, const carom_leg *leg, int margin, double unit) {
  double low = it->clients.leg->low[margin];
  for (int side = 0; side < 2 && !is_event(it, margin); side++) {
    double value = side ? it->clients.leg->previous[margin] : it->clients.leg->edge[margin];
    bool zero = zero_by_word(it, leg, margin, side) && fabs(value) <= AT_ENDS * unit;
    if (!zero) low = fmin(low, value);
  }
  return low;
}

// how far the integrator can tell a gap or a slip from zero
static double margin_resolution(carom_hybrid *it, carom_watch_kind kind, int contact, double t,
                                const double *y) {
  const double *weight = carom_sides_weigh(it, y);
  for (int k = 0; k < it->model->watched_count; k++)
    if (it->model->watched[k].kind == kind && it->model->watched[k].index == contact)
      return it->run.event_tolerance * carom_watch_spread(&it->model->watched[k].function,
                                                          &it->watching.work[k], t, y, weight);
  return 0.0;
}

// What a margin is measured by: its largest value, unless that is nothing among forces, or cannot
// be told from zero well enough: hops that die out are as low as that
static double measure_margin(carom_hybrid *it, const carom_leg *leg, int margin, double t,
                             const double *y) {
  const double *high = it->clients.leg->high;
  carom_leg_fault kind = fault_of(it, leg, margin);
  double largest = high[margin];
  if (kind == CAROM_FAULT_GAP)
    largest = fmax(largest, RESOLVED * margin_resolution(it, CAROM_WATCH_GAP, margin / 2, t, y));
  if (kind == CAROM_FAULT_SLIP)
    largest = fmax(largest, RESOLVED * margin_resolution(it, CAROM_WATCH_SLIP, margin / 2, t, y));
  if (kind != CAROM_FAULT_FORCE && kind != CAROM_FAULT_CONE) return largest;
  for (int k = 0; k < it->model->contacts.count; k++)
    if (fault_of(it, leg, 2 * k) == CAROM_FAULT_FORCE)
      largest = fmax(largest, PART_OF_LARGEST * high[2 * k]);
  return largest;
}

static carom_status check_leg(carom_simulation *simulation, const carom_leg *leg, double t0,
                              double t1, const double *y, carom_leg_margin *worst,
                              carom_leg_margin *watched, carom_error *error) {
  carom_hybrid *it = simulation->state;
  *worst = (carom_leg_margin){.value = INFINITY};
  carom_status status = carom_leg_room(it, error);
  if (status != CAROM_OK) return status;
  int count = margin_count(it), contacts = it->model->contacts.count;
  double *whole = it->clients.leg->start;
  looking at = {.leg = leg, .t0 = t0, .t1 = t1};
  for (int m = 0; m < count; m++) {
    it->clients.leg->low[m] = INFINITY;
    it->clients.leg->high[m] = 0.0;
  }
  memset(whole, 0, (size_t)it->size * sizeof *whole);
  memcpy(whole, y, (size_t)it->model->dynamics->size * sizeof *y);
  carom_leg_take(it, leg);
  status = carom_leg_flow(it, t0, t1, whole, NULL, count > 0 ? look_at_margins : NULL, &at, error);
  for (int m = 0; m < count && status == CAROM_OK; m++) {
    double unit = measure_margin(it, leg, m, t1, whole), low = lowest_margin(it, leg, m, unit);
    double value = low == -INFINITY ? -1.0 : unit > 0.0 ? low / unit : INFINITY;
    carom_leg_margin found = {.kind = fault_of(it, leg, m),
                              .which = m < 2 * contacts ? m / 2 : m - 2 * contacts,
                              .value = value,
                              .amount = low,
                              .at_start = low == it->clients.leg->edge[m]};
    if (watched && watched->kind == found.kind && watched->which == found.which)
      *watched = found;
    else if (value < worst->value)
      *worst = found;
  }
  return status;
}

// --- in words

static const char *name_in(const carom_hybrid_model *model, const carom_leg_margin *margin) {
  bool function = margin->kind == CAROM_FAULT_SWITCH || margin->kind == CAROM_FAULT_RULE;
  return function ? model->watched[margin->which].name
                  : model->contacts.contacts[margin->which].name;
}

static const char *end_text(carom_leg_event event) {
  static const char *const texts[CAROM_LEG_EVENTS] = {"its end",
                                                      "the change of a branch",
                                                      "the end of its slip",
                                                      "the end of its forces' laws",
                                                      "its event",
                                                      "its impact"};
  return texts[event];
}

static void describe_margin(const carom_simulation *simulation, const carom_leg *leg,
                            const carom_leg_margin *margin, char *text, size_t room) {
  const carom_hybrid *it = simulation->state;
  const carom_hybrid_model *model = it->model;
  const char *names[CAROM_WORD_CONTACTS];
  char phase[200];
  for (int k = 0; k < model->contacts.count; k++)
    names[k] = model->contacts.contacts[k].name;
  (void)carom_word_text(1, &leg->modes, model->contacts.count, names, phase, sizeof phase);
  int number = margin->leg + 1;
  double amount = margin->amount;
  switch (margin->kind) {
  case CAROM_FAULT_NONE: (void)snprintf(text, room, "%s", ""); break;
  case CAROM_FAULT_DURATION:
    (void)snprintf(text, room, "phase %d (%s) would last %.3g", number, phase, amount);
    break;
  case CAROM_FAULT_APPROACH:
    (void)snprintf(text, room, "phase %d (%s) comes to %s from the wrong side", number, phase,
                   end_text(leg->event));
    break;
  case CAROM_FAULT_GAP:
    (void)snprintf(text, room, "%s penetrates by %.3g in phase %d (%s)", name_in(model, margin),
                   -amount, number, phase);
    break;
  case CAROM_FAULT_FORCE:
    (void)snprintf(text, room, "%s is pulled with %.3g in phase %d (%s)", name_in(model, margin),
                   -amount, number, phase);
    break;
  case CAROM_FAULT_CONE:
    (void)snprintf(text, room, "%s sticks with %.3g too much friction in phase %d (%s)",
                   name_in(model, margin), -amount, number, phase);
    break;
  case CAROM_FAULT_SLIP:
    (void)snprintf(text, room, "%s slips the other way with %.3g in phase %d (%s)",
                   name_in(model, margin), -amount, number, phase);
    break;
  case CAROM_FAULT_SWITCH:
    (void)snprintf(text, room, "%s has the other sign in phase %d (%s)", name_in(model, margin),
                   number, phase);
    break;
  case CAROM_FAULT_RULE:
    (void)snprintf(text, room, "event %s would come in phase %d (%s)", name_in(model, margin),
                   number, phase);
    break;
  case CAROM_FAULT_OUTCOME:
    (void)snprintf(text, room, "%s would come out of the impact after phase %d (%s) otherwise",
                   name_in(model, margin), number, phase);
    break;
  case CAROM_FAULT_OPENING:
    (void)snprintf(text, room, "%s would not move off at the end of phase %d (%s)",
                   name_in(model, margin), number, phase);
    break;
  case CAROM_FAULT_REVERSAL:
    (void)snprintf(text, room, "%s would stick at the end of phase %d (%s)", name_in(model, margin),
                   number, phase);
    break;
  case CAROM_FAULT_MISFIT:
    (void)snprintf(text, room, "the impact after phase %d (%s) does not end in what follows",
                   number, phase);
    break;
  }
}

const carom_fixed_word carom_hybrid_fixed_word = {.note = carom_leg_note,
                                                  .noted = carom_leg_noted,
                                                  .closes = carom_leg_closes,
                                                  .enter = carom_leg_enter,
                                                  .run = carom_leg_go,
                                                  .check = check_leg,
                                                  .tell = describe_margin};
