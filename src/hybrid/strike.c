// SPDX-License-Identifier: MIT
/// An impact: all touching contacts take part, the law gives new velocities, the ledger is kept.
#include "hybrid/hybrid.h"

#include "base/elementary.h"

#include "hybrid/leg.h"
#include "hybrid/tangent.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FACE_TRIALS = 200 };
static const double ROUNDING = 1e-13; // of the largest velocity in the impact: counts as zero

// A given load is no impulse: friction by it leaves an impact as it is.
static bool takes_impulse(const carom_hybrid *it, int k) {
  assert(k >= 0 && k < it->model->contacts.count);
  if (carom_contact_is_loaded(&it->model->contacts, k)) return false;
  return it->instant.landed[k] || it->instant.touching[k] ||
         carom_contact_is_closed(it->memory[k].mode);
}

// Open contacts that are in touch though they move apart, however fast, take part: what others do
// may bring them together while the impact lasts. One that flies low is apart, however little.
static void find_touching(carom_hybrid *it) {
  const carom_contact_set *set = &it->model->contacts;
  for (int k = 0; k < set->count; k++)
    it->instant.touching[k] = !it->instant.landed[k] && !it->memory[k].low &&
                              !carom_contact_is_closed(it->memory[k].mode) &&
                              it->work.rows.position[set->normal[k]] <= it->tolerance.gap[k];
}

// The law of an impact is that of the first contact that struck; one without restitution follows
// the others, for e = 0 means the same by every law.
static carom_law leading_law(const carom_hybrid *it, int pushing) {
  const carom_contact_evaluation *contact = &it->contact;
  const carom_contact_set *set = &it->model->contacts;
  int first = -1, next = -1;
  for (int k = 0; k < set->count; k++) {
    if (first < 0 && (it->instant.landed[k] || k == pushing)) first = k;
    if (next < 0 && takes_impulse(it, k) && contact->now[k].restitution > 0.0) next = k;
  }
  if (first >= 0 && contact->now[first].restitution > 0.0) next = first;
  return set->contacts[next >= 0 ? next : first >= 0 ? first : 0].law;
}

// A march by the energetic law has no place for a contact of another law, nor has the other law for
// an energetic one. What moves apart is no part of it unless the impact presses it.
static bool is_foreign(const carom_hybrid *it, int k, carom_law law) {
  carom_law own = it->contact.now[k].restitution > 0.0 ? it->model->contacts.contacts[k].law : law;
  return (own == CAROM_LAW_ENERGETIC) != (law == CAROM_LAW_ENERGETIC);
}

// It is left out unless it strikes itself; whether the impact has pressed it is asked afterwards.
static bool is_left_out(const carom_hybrid *it, int k, carom_law law) {
  return takes_impulse(it, k) && !it->instant.landed[k] && is_foreign(it, k, law);
}

static carom_status refuse_mixture(const carom_hybrid *it, int k, carom_error *error) {
  assert(k >= 0 && k < it->model->contacts.count);
  const carom_contact *contact = &it->model->contacts.contacts[k];
  return carom_fail_at(error, CAROM_ERR_UNSUPPORTED, contact->impact_place,
                       "at t = %.15g contacts of the energetic law and of another one strike "
                       "together; give %s and the others the same law",
                       it->now.t, contact->name);
}

// Newton's and Poisson's laws may meet in one impact, each contact by its own; a march by the
// energetic law has no place for them.
static carom_status mix_laws(carom_hybrid *it, carom_law law, carom_impact_problem *problem,
                             carom_error *error) {
  const carom_contact_set *set = &it->model->contacts;
  carom_contact_evaluation *contact = &it->contact;
  problem->law = law == CAROM_LAW_POISSON ? CAROM_IMPACT_POISSON : CAROM_IMPACT_NEWTON;
  for (int j = 0; j < contact->closed; j++) {
    int k = contact->which[j];
    carom_law own = it->instant.striking.restitution[j] > 0.0 ? set->contacts[k].law : law;
    it->instant.striking.laws[j] =
        own == CAROM_LAW_POISSON ? CAROM_IMPACT_POISSON : CAROM_IMPACT_NEWTON;
    if (own == law) continue;
    if (is_foreign(it, k, law)) return refuse_mixture(it, k, error);
    problem->laws = it->instant.striking.laws;
  }
  return CAROM_OK;
}

// only Newton's law knows a tangential restitution, and only among its like
static carom_status refuse_give_back(const carom_hybrid *it, carom_law law, bool mixed,
                                     carom_error *error) {
  for (int j = 0; j < it->contact.closed; j++) {
    const carom_contact *contact = &it->model->contacts.contacts[it->contact.which[j]];
    if (it->instant.striking.give_back[j] == 0.0 || (law == CAROM_LAW_NEWTON && !mixed)) continue;
    return carom_fail_at(error, CAROM_ERR_UNSUPPORTED, contact->impact_place,
                         "at t = %.15g %s, which has a tangential restitution, strikes together "
                         "with a contact of another law; only Newton's knows it",
                         it->now.t, contact->name);
  }
  return CAROM_OK;
}

// the touching contacts as an impact problem
static carom_status set_up(carom_hybrid *it, int pushing, carom_impact_problem *problem,
                           carom_law *law, carom_error *error) {
  const carom_contact_set *set = &it->model->contacts;
  carom_contact_evaluation *contact = &it->contact;
  *problem = (carom_impact_problem){.rows = it->model->dynamics->rows,
                                    .constraints = it->model->constraints,
                                    .normal = contact->normal,
                                    .tangent = contact->tangent,
                                    .cross = set->spatial > 0 ? contact->cross : NULL,
                                    .G = it->work.rows.delassus,
                                    .before = it->instant.striking.approach,
                                    .e = it->instant.striking.restitution,
                                    .et = it->instant.striking.give_back,
                                    .stick = contact->stick,
                                    .slide = contact->slide,
                                    .pushing = -1};
  *law = leading_law(it, pushing);
  contact->closed = 0;
  for (int k = 0; k < set->count; k++) {
    if (!takes_impulse(it, k) || is_left_out(it, k, *law)) continue;
    int j = contact->closed++;
    const carom_coefficients *now = &contact->now[k];
    contact->which[j] = k;
    contact->normal[j] = set->normal[k];
    contact->tangent[j] = set->tangent[k];
    contact->cross[j] = set->cross[k];
    contact->slide[j] = now->impact_slide;
    // friction that grows with the slip may exceed that of stick
    contact->stick[j] = fmax(now->impact_stick, now->impact_slide);
    it->instant.striking.restitution[j] = now->restitution;
    it->instant.striking.give_back[j] = now->give_back;
    if (k == pushing) problem->pushing = j;
  }
  problem->contacts = contact->closed;
  carom_status status = mix_laws(it, *law, problem, error);
  return status ? status : refuse_give_back(it, *law, problem->laws != NULL, error);
}

// the energy an impact takes, relative to the moving surfaces, and the work these do
static void book_energy(carom_hybrid *it, const carom_impact_result *result, double energy_change) {
  double surfaces = 0.0;
  for (int r = 0; r < it->model->dynamics->rows; r++)
    surfaces -= result->impulse[r] * it->work.rows.offset[r];
  if (result->gain) it->now.certificate.energy.impact_gain += result->energy;
  carom_hybrid_book_impact(it, -result->energy, surfaces, energy_change);
  double rubbed = 0.0;
  for (int j = 0; j < it->contact.closed; j++)
    rubbed += result->rubbed[j];
  carom_hybrid_book_rubbing(it, rubbed);
}

// velocities of rows as the impact is to see them
static void note_approach(carom_hybrid *it) {
  memcpy(it->instant.striking.approach, it->work.rows.velocity,
         (size_t)it->model->dynamics->rows * sizeof *it->instant.striking.approach);
}

// rows and coefficients at another state
static carom_status look_from(carom_hybrid *it, double t, const double *y) {
  carom_status status = carom_hybrid_evaluate_rows(it, t, y);
  if (status != CAROM_OK) return status;
  carom_hybrid_coefficients(it, t, y);
  note_approach(it);
  return CAROM_OK;
}

// Does it slide to the end of its march, and has it begun forwards?
static bool slides_forwards(const carom_hybrid *it, const carom_impact_result *result, int tangent,
                            double rest) {
  return fabs(result->after[tangent]) > rest && it->instant.striking.approach[tangent] > rest;
}

// How every touching contact comes out, as one number. One that slides in the plane by a march has
// begun in either direction; friction that sticks, and friction in space, passes zero smoothly.
static uint64_t branch_of(const carom_hybrid *it, carom_law law,
                          const carom_impact_result *result) {
  const carom_contact_set *set = &it->model->contacts;
  uint64_t branch = 0;
  double fastest = 0.0;
  for (int r = 0; r < it->model->dynamics->rows; r++)
    fastest = fmax(fastest, fabs(it->instant.striking.approach[r]));
  for (int j = 0; j < it->contact.closed; j++) {
    int k = it->contact.which[j];
    bool struck = result->impulse[set->normal[k]] > 0.0;
    bool marches = law == CAROM_LAW_ENERGETIC && set->tangent[k] >= 0 && set->cross[k] < 0;
    bool forwards = marches && slides_forwards(it, result, set->tangent[k], ROUNDING * fastest);
    branch = branch * 64 + (uint64_t)result->modes[j] * 4 + forwards * 2u + struck;
  }
  return branch;
}

void carom_hybrid_note_residues(carom_hybrid *it) {
  const carom_contact_set *set = &it->model->contacts;
  const double *v = it->work.rows.velocity;
  for (int k = 0; k < set->count; k++) {
    int tangent = set->tangent[k], cross = set->cross[k];
    if (tangent < 0) continue;
    bool rests = !carom_contact_is_closed(it->memory[k].mode) &&
                 fabs(v[tangent]) <= it->tolerance.slip[k] &&
                 (cross < 0 || fabs(v[cross]) <= it->tolerance.slip[k]);
    it->instant.striking.residue[tangent] = rests ? v[tangent] : 0.0;
    if (cross >= 0) it->instant.striking.residue[cross] = rests ? v[cross] : 0.0;
  }
}

// What was closed before is in touch, and what sticks does not slip: rounding must not make it come
// in or move off, which would be another impact.
static void hold_closed(carom_hybrid *it) {
  const carom_contact_set *set = &it->model->contacts;
  const double *residue = it->instant.striking.residue;
  double *v = it->instant.striking.approach;
  for (int k = 0; k < set->count; k++) {
    carom_contact_mode mode = it->memory[k].mode;
    int tangent = set->tangent[k], cross = set->cross[k];
    bool sticks = mode == CAROM_CONTACT_STICK;
    if (carom_contact_is_closed(mode)) v[set->normal[k]] = 0.0;
    if (tangent < 0 || !takes_impulse(it, k)) continue;
    v[tangent] = sticks ? 0.0 : v[tangent] - residue[tangent];
    if (cross >= 0) v[cross] = sticks ? 0.0 : v[cross] - residue[cross];
  }
}

// where contacts move off as they land their approach is turned round; returns -1 then, or 1
static double turn_round(carom_hybrid *it) {
  const carom_contact_set *set = &it->model->contacts;
  double *v = it->instant.striking.approach, sign = 1.0;
  for (int k = 0; k < set->count; k++)
    if (it->instant.landed[k] && v[set->normal[k]] > 0.0) sign = -1.0;
  for (int k = 0; k < set->count && sign < 0.0; k++)
    if (it->instant.landed[k]) v[set->normal[k]] = -v[set->normal[k]];
  return sign;
}

// --- the outcome of an impact as part of a word

enum { OUTCOME_BITS = 4, MOST_OUTCOMES = 64 / OUTCOME_BITS };

static uint64_t pack_modes(int count, const carom_contact_mode *modes) {
  uint64_t packed = 0;
  for (int j = 0; j < count; j++)
    packed |= (uint64_t)modes[j] << (OUTCOME_BITS * j);
  return packed;
}

static void unpack_modes(int count, uint64_t packed, carom_contact_mode *modes) {
  for (int j = 0; j < count; j++)
    modes[j] = (carom_contact_mode)(packed >> (OUTCOME_BITS * j) & 15u);
}

void carom_hybrid_note_outcome(const carom_hybrid *it, const carom_impact_result *result,
                               carom_leg *leg) {
  int count = it->contact.closed;
  leg->holds_outcome = count <= MOST_OUTCOMES && !result->relaxed;
  if (!leg->holds_outcome) return;
  leg->compressed = pack_modes(count, result->compressed);
  leg->outcome = pack_modes(count, result->modes);
}

// impulses measure what is broken
static carom_leg_margin margin_of(const carom_hybrid *it, const carom_impact_result *result) {
  carom_leg_margin margin = {.kind = CAROM_FAULT_OUTCOME, .value = INFINITY};
  double largest = 0.0;
  for (int r = 0; r < it->model->dynamics->rows; r++)
    largest = fmax(largest, fabs(result->impulse[r]));
  if (result->margin.contact < 0 || !(largest > 0.0)) return margin;
  margin.which = it->contact.which[result->margin.contact];
  margin.amount = result->margin.value;
  margin.value = result->margin.value / largest;
  return margin;
}

// rows and coefficients are those of (t, y)
static carom_status see_strike(carom_hybrid *it, int pushing, double sign, double *y,
                               uint64_t *branch) {
  carom_law law;
  carom_impact_result result;
  carom_impact_problem problem;
  carom_status status = set_up(it, pushing, &problem, &law, NULL);
  if (status != CAROM_OK) return status;
  status = law == CAROM_LAW_ENERGETIC
               ? carom_hybrid_strike_energetic(it, &problem, &result, NULL)
               : carom_impact_solve(&problem, it->instant.striking.impact_work, &result);
  if (status != CAROM_OK) return status;
  *branch = branch_of(it, law, &result);
  for (int r = 0; r < it->model->dynamics->rows; r++)
    if (result.impulse[r] != 0.0) carom_hybrid_add_impulse(it, r, sign * result.impulse[r], y);
  return CAROM_OK;
}

carom_status carom_hybrid_strike_seen(carom_hybrid *it, int pushing, double t, double *y,
                                      uint64_t *branch) {
  carom_status status = look_from(it, t, y);
  if (status != CAROM_OK) return status;
  hold_closed(it);
  return see_strike(it, pushing, 1.0, y, branch);
}

// the impact comes out as it does in the word, whatever that breaks
static carom_status hold_strike(carom_hybrid *it, const carom_leg *leg, double sign, double *y,
                                carom_leg_margin *margin) {
  carom_law law;
  carom_impact_result result;
  carom_impact_problem problem;
  carom_contact_mode compressed[MOST_OUTCOMES], modes[MOST_OUTCOMES];
  carom_status status = set_up(it, -1, &problem, &law, NULL);
  if (status != CAROM_OK) return status;
  unpack_modes(problem.contacts, leg->compressed, compressed);
  unpack_modes(problem.contacts, leg->outcome, modes);
  problem.held_compressed = compressed;
  problem.held_modes = modes;
  status = carom_impact_solve(&problem, it->instant.striking.impact_work, &result);
  if (status != CAROM_OK) return status;
  *margin = margin_of(it, &result);
  for (int r = 0; r < it->model->dynamics->rows; r++)
    if (result.impulse[r] != 0.0) carom_hybrid_add_impulse(it, r, sign * result.impulse[r], y);
  return CAROM_OK;
}

carom_status carom_hybrid_strike_fixed(carom_hybrid *it, const carom_leg *leg, double t, double *y,
                                       uint64_t *branch, carom_leg_margin *margin) {
  carom_status status = look_from(it, t, y);
  if (status != CAROM_OK) return status;
  carom_hybrid_note_residues(it);
  hold_closed(it);
  double sign = turn_round(it);
  return leg->holds_outcome ? hold_strike(it, leg, sign, y, margin)
                            : see_strike(it, -1, sign, y, branch);
}

// the contacts that take part, "left, right, top", as many as there is room for
static const char *list_striking(const carom_hybrid *it, char *text, size_t room) {
  const carom_contact_evaluation *contact = &it->contact;
  size_t used = 0;
  text[0] = '\0';
  for (int j = 0; j < contact->closed && used < room; j++)
    used += (size_t)snprintf(text + used, room - used, "%s%s", j ? ", " : "",
                             it->model->contacts.contacts[contact->which[j]].name);
  return text;
}

static carom_status solve_law(carom_hybrid *it, const carom_impact_problem *problem, carom_law law,
                              carom_impact_result *result, carom_error *error) {
  if (law == CAROM_LAW_ENERGETIC) {
    hold_closed(it); // by the other laws friction depends on the slip after, not before
    return carom_hybrid_strike_energetic(it, problem, result, error);
  }
  carom_status status = carom_impact_solve(problem, it->instant.striking.impact_work, result);
  if (status != CAROM_OK) {
    char names[CAROM_ERROR_TEXT / 2];
    return carom_fail(error, status, "at t = %.15g the impact of %s has no outcome by its law",
                      it->now.t, list_striking(it, names, sizeof names));
  }
  carom_leg_comes_out(it, result);
  return CAROM_OK;
}

// a contact of another law that was left out must not have been pressed, nor moved off if closed
static carom_status check_left_out(const carom_hybrid *it, const carom_impact_result *result,
                                   carom_law law, double rest, carom_error *error) {
  for (int k = 0; k < it->model->contacts.count; k++) {
    double v = result->after[it->model->contacts.normal[k]];
    bool moves = v < -rest || (v > rest && !it->instant.touching[k]);
    if (is_left_out(it, k, law) && moves) return refuse_mixture(it, k, error);
  }
  return CAROM_OK;
}

// u+ = u- + M^-1 sum of w_r * impulse_r, and where the energy went
static carom_status push_velocities(carom_hybrid *it, const carom_impact_result *result,
                                    carom_error *error) {
  const carom_dynamics *dynamics = it->model->dynamics;
  carom_energy before, after;
  memcpy(it->before, it->y, (size_t)it->size * sizeof *it->y);
  carom_status status = carom_dynamics_energy(dynamics, &it->work, it->now.t, it->y, &before);
  for (int r = 0; r < dynamics->rows; r++)
    if (result->impulse[r] != 0.0) carom_hybrid_add_impulse(it, r, result->impulse[r], it->y);
  carom_hybrid_follow_jump(it);
  if (status == CAROM_OK)
    status = carom_dynamics_energy(dynamics, &it->work, it->now.t, it->y, &after);
  if (status != CAROM_OK) return carom_hybrid_explain(it, status, it->now.t, it->y, error);
  book_energy(it, result, after.kinetic - before.kinetic);
  return CAROM_OK;
}

// Would contact k, parting so fast, come to be seen apart by itself? Lower hops are touch.
bool carom_hybrid_flies_off(const carom_hybrid *it, int k, double speed) {
  assert(k >= 0 && k < it->model->contacts.count);
  double fall = fabs(it->work.rows.free_rate[it->model->contacts.normal[k]]);
  return speed > it->tolerance.speed[k] && speed * speed > 2.0 * fall * it->tolerance.gap[k];
}

// contacts without rebound keep the mode they came out with; those that were hit are told of
static void take_outcome(carom_hybrid *it, const carom_impact_result *result, double scale) {
  const carom_contact_set *set = &it->model->contacts;
  carom_contact_evaluation *contact = &it->contact;
  double strongest = 0.0;
  for (int r = 0; r < it->model->dynamics->rows; r++)
    strongest = fmax(strongest, fabs(result->impulse[r]));
  carom_letter struck = 0;
  it->now.strikes++;
  for (int k = 0; k < set->count; k++) // its slip has changed: the mode is chosen next
    if (carom_contact_is_loaded(set, k) && carom_contact_is_closed(it->memory[k].mode))
      it->memory[k].mode = CAROM_CONTACT_CLOSED;
  for (int j = 0; j < contact->closed; j++) // all of them by what was before this impact
    if (result->impulse[set->normal[contact->which[j]]] > ROUNDING * strongest)
      carom_chatter_note_flight(it, contact->which[j]);
  for (int j = 0; j < contact->closed; j++) {
    int k = contact->which[j];
    double impulse = result->impulse[set->normal[k]];
    bool rests = fabs(result->after[set->normal[k]]) <= ROUNDING * scale;
    bool struck_now = impulse > ROUNDING * strongest;
    if (struck_now) it->memory[k].strike = it->now.strikes;
    bool bounces_along =
        result->modes[j] == CAROM_CONTACT_STICK && it->instant.striking.give_back[j] != 0.0;
    bool settled = carom_contact_is_closed(result->modes[j]) && !bounces_along;
    it->memory[k].mode = !rests    ? CAROM_CONTACT_OPEN
                         : settled ? result->modes[j]
                                   : CAROM_CONTACT_CLOSED;
    it->memory[k].low = struck_now && carom_hybrid_flies_off(it, k, result->after[set->normal[k]]);
    if (set->cross[k] >= 0) carom_spatial_set_off(it, k, (const double[]){0.0, 0.0});
    if (!struck_now) continue;
    it->instant.touching[k] = false; // it was more than a bystander
    if (k < CAROM_WORD_CONTACTS) struck |= (carom_letter)1 << (3 * k);
    double friction = set->tangent[k] >= 0 ? result->impulse[set->tangent[k]] : 0.0;
    if (set->cross[k] >= 0) friction = carom_hypot(friction, result->impulse[set->cross[k]]);
    it->now.stage.asked |= carom_hybrid_announce_impact(it, set->contacts[k].name, impulse,
                                                        friction, result->rubbed[j]);
  }
  if (struck) carom_hybrid_note_impact(it, struck);
  if (result->unique) return;
  it->now.stage.asked |= carom_hybrid_announce(it, CAROM_EVENT_NON_UNIQUE, "impact", 0, 0.0);
}

// with what touches already known
static carom_status strike_touching(carom_hybrid *it, int pushing, carom_error *error) {
  carom_law law;
  carom_impact_problem problem;
  carom_impact_result result;
  carom_leg_strikes(it, pushing);
  carom_hybrid_note_residues(it);
  carom_status status = carom_tangent_strike(it, pushing, error);
  note_approach(it);
  if (status == CAROM_OK) status = set_up(it, pushing, &problem, &law, error);
  if (status == CAROM_OK) status = solve_law(it, &problem, law, &result, error);
  if (status != CAROM_OK) return status;
  double scale = 0.0; // the fastest row says what counts as rest
  for (int r = 0; r < problem.rows; r++)
    scale = fmax(scale, fmax(fabs(problem.before[r]), fabs(result.after[r])));
  status = check_left_out(it, &result, law, ROUNDING * scale, error);
  if (status == CAROM_OK) status = push_velocities(it, &result, error);
  if (status != CAROM_OK) return status;
  // slips that had just come to zero may have been set off again
  memset(it->instant.halted, 0, (size_t)it->model->contacts.count * sizeof(bool));
  it->now.stage.asked |= carom_hybrid_tell_phases(it, &problem, &result);
  take_outcome(it, &result, scale);
  status = carom_hybrid_evaluate_rows(it, it->now.t, it->y);
  if (status != CAROM_OK) return carom_hybrid_explain(it, status, it->now.t, it->y, error);
  carom_audit_impact(it, law, problem.laws != NULL, &result);
  return carom_hybrid_close_slow(it, ROUNDING * scale, error);
}

// points of flat faces arrive by the rows of their new places
static carom_status land_again(carom_hybrid *it, carom_error *error) {
  carom_status status = carom_hybrid_evaluate_rows(it, it->now.t, it->y);
  if (status != CAROM_OK) return carom_hybrid_explain(it, status, it->now.t, it->y, error);
  for (int k = 0; k < it->model->contacts.count; k++) {
    int normal = it->model->contacts.normal[k];
    if (!carom_patch_has(it, k)) continue;
    it->instant.landed[k] = it->work.rows.position[normal] <= it->tolerance.gap[k] &&
                            it->work.rows.velocity[normal] < -it->tolerance.speed[k];
  }
  find_touching(it);
  return CAROM_OK;
}

// Velocities after the impact, by its law, without any of it taking place; NULL: it has no outcome.
static const double *try_strike(carom_hybrid *it, int pushing, carom_impact_result *result) {
  carom_law law;
  carom_impact_problem problem;
  carom_status status = look_from(it, it->now.t, it->y);
  carom_hybrid_note_residues(it);
  if (status == CAROM_OK) status = set_up(it, pushing, &problem, &law, NULL);
  if (status != CAROM_OK) return NULL;
  if (law == CAROM_LAW_ENERGETIC) {
    hold_closed(it);
    status = carom_hybrid_strike_energetic(it, &problem, result, NULL);
  } else {
    status = carom_impact_solve(&problem, it->instant.striking.impact_work, result);
  }
  return status == CAROM_OK ? result->after : NULL;
}

// Flat round faces strike with the points that come down first, and leave over those that go down
// last: tried until no part of their rims goes through.
static carom_status place_faces(carom_hybrid *it, int pushing, carom_error *error) {
  bool moved;
  if (!carom_patch_touches(it)) return CAROM_OK;
  carom_status status = carom_patch_land(it, &moved, error);
  if (status == CAROM_OK && moved) status = land_again(it, error);
  for (int trial = 0; trial < FACE_TRIALS && status == CAROM_OK; trial++) {
    carom_impact_result result;
    const double *after = try_strike(it, pushing, &result);
    moved = false;
    if (after) status = carom_patch_pass(it, after, trial, &moved, error);
    if (!moved) return status == CAROM_OK ? look_from(it, it->now.t, it->y) : status;
  }
  return status != CAROM_OK ? status
                            : carom_fail(error, CAROM_ERR_NO_CONVERGENCE,
                                         "at t = %.15g the impact of a flat round face has no "
                                         "outcome that keeps all of its rim above the plane; with "
                                         "less friction, or supports: 6, it may have one",
                                         it->now.t);
}

carom_status carom_hybrid_strike(carom_hybrid *it, int pushing, carom_error *error) {
  find_touching(it);
  carom_status status = place_faces(it, pushing, error);
  if (status == CAROM_OK) status = strike_touching(it, pushing, error);
  bool moved = false;
  if (status == CAROM_OK) status = carom_patch_leave(it, &moved, error);
  if (status == CAROM_OK && moved) {
    status = carom_hybrid_evaluate_rows(it, it->now.t, it->y);
    if (status != CAROM_OK) status = carom_hybrid_explain(it, status, it->now.t, it->y, error);
  }
  memset(it->instant.touching, 0, (size_t)it->model->contacts.count * sizeof(bool));
  return status;
}
