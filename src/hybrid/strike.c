// SPDX-License-Identifier: MIT
/// An impact: all touching contacts take part, the law gives new velocities, the ledger is kept.
#include "hybrid/hybrid.h"

#include <math.h>
#include <string.h>

static const double ROUNDING = 1e-13; // of the largest velocity in the impact: counts as zero

static carom_impact_law law_of(const carom_hybrid *it, int k) {
  return it->model->contacts.contacts[k].law == CAROM_LAW_POISSON ? CAROM_IMPACT_POISSON
                                                                  : CAROM_IMPACT_NEWTON;
}

static bool touches(const carom_hybrid *it, int k) {
  return it->contact.landed[k] || carom_contact_is_closed(it->contact.memory[k].mode);
}

// the touching contacts as an impact problem; the law is that of the first contact that struck
static carom_impact_problem set_up(carom_hybrid *it, int pushing) {
  const carom_contact_set *set = &it->model->contacts;
  carom_contact_state *state = &it->contact;
  carom_impact_problem problem = {.rows = it->model->dynamics->rows,
                                  .constraints = it->model->constraints,
                                  .normal = state->normal,
                                  .tangent = state->tangent,
                                  .G = it->work.rows.delassus,
                                  .before = it->work.rows.velocity,
                                  .e = state->restitution,
                                  .stick = state->stick,
                                  .slide = state->slide,
                                  .pushing = -1};
  int first = -1;
  state->closed = 0;
  for (int k = 0; k < set->count; k++) {
    if (!touches(it, k)) continue;
    int j = state->closed++;
    state->which[j] = k;
    state->normal[j] = set->normal[k];
    state->tangent[j] = set->tangent[k];
    state->stick[j] = state->now[k].impact_stick;
    state->slide[j] = state->now[k].impact_slide;
    state->restitution[j] = state->now[k].restitution;
    if (k == pushing) problem.pushing = j;
    if (first < 0 && (state->landed[k] || k == pushing)) first = k;
  }
  problem.contacts = state->closed;
  problem.law = law_of(it, first < 0 ? 0 : first);
  return problem;
}

// the energy an impact takes, relative to the moving surfaces, and the work these do
static void book(carom_hybrid *it, const carom_impact_result *result, double energy_change) {
  carom_certificate *c = &it->now.certificate;
  double surfaces = 0.0;
  for (int r = 0; r < it->model->dynamics->rows; r++)
    surfaces -= result->impulse[r] * it->work.rows.offset[r];
  c->lost_impacts -= result->energy;
  if (result->gain) c->impact_gain += result->energy;
  it->now.drive_jumps += surfaces;
  it->now.energy_reference += energy_change;
}

// flights that shorten are one run of chatter; a longer one starts a new run
static void note_flight(carom_contact_memory *memory, double t) {
  double flight = t - memory->last_impact;
  if (!(flight <= memory->flight)) memory->longest = flight;
  memory->flight = flight;
  memory->last_impact = t;
}

// is the rebound so small that the contact closes, by the rule in force?
static bool rule_closes(const carom_hybrid *it, const carom_contact_memory *memory,
                        double rebound) {
  const char *rule = it->run.chatter;
  if (strcmp(rule, "speed") == 0) return rebound < it->run.chatter_value;
  if (strcmp(rule, "time") == 0) return memory->flight < it->run.chatter_value;
  return memory->flight <= it->run.chatter_value * memory->longest; // ratio, accumulation
}

// Takes away a rebound that is to be closed. The bounces left out would have pressed less than a
// lasting contact by just this momentum, so friction is reduced with it: the closing is exact to
// first order in the rebound.
static void take_rebound(carom_hybrid *it, int k) {
  const carom_contact_set *set = &it->model->contacts;
  const carom_rows *rows = &it->work.rows;
  int n = it->model->dynamics->n, rows_count = it->model->dynamics->rows;
  int normal = set->normal[k], tangent = set->tangent[k];
  double slip = tangent >= 0 ? rows->velocity[tangent] : 0.0, ratio = 0.0;
  if (slip != 0.0) ratio = slip > 0.0 ? -it->contact.now[k].slide : it->contact.now[k].slide;
  double response = rows->delassus[normal * rows_count + normal];
  if (ratio != 0.0) response += ratio * rows->delassus[normal * rows_count + tangent];
  if (!(response > 0.0)) {
    response = rows->delassus[normal * rows_count + normal];
    ratio = 0.0;
  }
  double impulse = -rows->velocity[normal] / response;
  double *u = it->y + n;
  for (int i = 0; i < n; i++) {
    u[i] += rows->response[normal * n + i] * impulse;
    if (ratio != 0.0) u[i] += rows->response[tangent * n + i] * (ratio * impulse);
  }
  double relative = impulse * 0.5 * rows->velocity[normal];
  if (ratio != 0.0) relative += ratio * impulse * rows->velocity[tangent];
  it->now.certificate.lost_impacts -= relative;
  it->now.drive_jumps -= impulse * rows->offset[normal];
  if (ratio != 0.0) it->now.drive_jumps -= ratio * impulse * rows->offset[tangent];
}

static carom_status closings(carom_hybrid *it, double scale, carom_error *error) {
  carom_contact_state *state = &it->contact;
  for (int j = 0; j < state->closed; j++) {
    int k = state->which[j];
    double rebound = it->work.rows.velocity[it->model->contacts.normal[k]];
    if (carom_contact_is_closed(state->memory[k].mode) || rebound < 0.0) continue;
    if (!state->landed[k] || !rule_closes(it, &state->memory[k], rebound)) continue;
    if (rebound > ROUNDING * scale) {
      take_rebound(it, k);
      carom_status status = carom_hybrid_evaluate_rows(it, it->now.t, it->y);
      if (status != CAROM_OK) return carom_hybrid_explain(it, status, it->now.t, it->y, error);
    }
    it->now.certificate.closings++;
    state->memory[k].mode = CAROM_CONTACT_CLOSED; // its friction mode is chosen next
  }
  return CAROM_OK;
}

carom_status carom_hybrid_strike(carom_hybrid *it, int pushing, carom_error *error) {
  const carom_contact_set *set = &it->model->contacts;
  const carom_dynamics *dynamics = it->model->dynamics;
  carom_contact_state *state = &it->contact;
  carom_impact_problem problem = set_up(it, pushing);
  carom_impact_result result;
  carom_status status = carom_impact_solve(&problem, state->impact_work, &result);
  if (status != CAROM_OK)
    return carom_fail(error, status, "at t = %.15g the impact of %s has no outcome by its law",
                      it->now.t, set->contacts[state->closed > 0 ? state->which[0] : 0].name);

  carom_energy before, after;
  memcpy(it->before, it->y, (size_t)it->size * sizeof *it->y);
  status = carom_dynamics_energy(dynamics, &it->work, it->now.t, it->y, &before);
  for (int r = 0; r < dynamics->rows; r++)
    for (int i = 0; i < dynamics->n && result.impulse[r] != 0.0; i++)
      it->y[dynamics->n + i] += it->work.rows.response[r * dynamics->n + i] * result.impulse[r];
  if (status == CAROM_OK)
    status = carom_dynamics_energy(dynamics, &it->work, it->now.t, it->y, &after);
  if (status != CAROM_OK) return carom_hybrid_explain(it, status, it->now.t, it->y, error);
  book(it, &result, after.kinetic - before.kinetic);

  // what lasts: contacts without rebound keep the mode they came out with
  double scale = 0.0;
  for (int r = 0; r < dynamics->rows; r++)
    scale = fmax(scale, fmax(fabs(problem.before[r]), fabs(result.after[r])));
  carom_letter struck = 0;
  for (int j = 0; j < state->closed; j++) {
    int k = state->which[j];
    double impulse = result.impulse[set->normal[k]];
    bool rests = fabs(result.after[set->normal[k]]) <= ROUNDING * scale;
    if (impulse > 0.0) note_flight(&state->memory[k], it->now.t);
    bool settled = carom_contact_is_closed(result.modes[j]);
    state->memory[k].mode = !rests    ? CAROM_CONTACT_OPEN
                            : settled ? result.modes[j]
                                      : CAROM_CONTACT_CLOSED;
    if (impulse <= 0.0) continue;
    it->now.certificate.impacts++;
    if (k < CAROM_WORD_CONTACTS) struck |= (carom_letter)1 << (3 * k);
    if (carom_hybrid_announce(it, CAROM_EVENT_IMPACT, set->contacts[k].name, 0, impulse))
      it->now.asked = true;
  }
  if (struck) carom_hybrid_note_impact(it, struck);
  if (!result.unique) {
    it->now.certificate.non_unique++;
    it->now.asked |= carom_hybrid_announce(it, CAROM_EVENT_NON_UNIQUE, "impact", 0, 0.0);
  }
  status = carom_hybrid_evaluate_rows(it, it->now.t, it->y);
  if (status != CAROM_OK) return carom_hybrid_explain(it, status, it->now.t, it->y, error);
  return closings(it, scale, error);
}
