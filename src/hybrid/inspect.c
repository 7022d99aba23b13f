// SPDX-License-Identifier: MIT
/// Are the laws of contact kept where a step ends? Looked at with the values at hand: open gaps,
/// and the forces of the last evaluation, or those of a contact by itself. Open gaps are looked at
/// somewhere inside the step, too, unless the search has proved that they stay open.
#include "hybrid/hybrid.h"

#include <math.h>
#include <string.h>

static const double ROUNDING = 1e-12; // of the largest force: a violation that rounding explains
static const double TIME_ROUNDING = 2.3e-16;
static const double GOLDEN = 0.6180339887498949; // multiples of it spread evenly modulo 1

// the deepest gap of the open contacts, absolutely and in units of what can be told from zero
static void inspect_gaps(carom_hybrid *it, double t, const double *y) {
  for (int w = 0; w < it->model->watched_count; w++) {
    const carom_watched *watched = &it->model->watched[w];
    if (watched->kind != CAROM_WATCH_GAP) continue;
    if (carom_contact_is_closed(it->contact.memory[watched->index].mode)) continue;
    double depth = -carom_watch_at(&watched->function, &it->watch_work[w], t, y);
    double tolerance = it->gap_tolerance[watched->index];
    it->now.certificate.penetration = fmax(it->now.certificate.penetration, depth);
    if (depth <= tolerance) continue;
    // late in a long run a fast gap is known only as well as the time
    double rate = carom_watch_rate(&watched->function, &it->watch_work[w], t, y, it->stepper.f);
    tolerance += TIME_ROUNDING * fabs(rate * t);
    it->now.deepest = fmax(it->now.deepest, depth / tolerance);
  }
}

// has the search for landings proved that the gap stays open over the tried step?
static bool stays_open(const carom_hybrid *it, int w) {
  const carom_watch_work *work = &it->watch_work[w];
  return work->lowest_at == it->stepper.evaluations && work->lowest > 0.0;
}

void carom_hybrid_inspect_within(carom_hybrid *it, double theta_end) {
  bool doubtful = false;
  for (int w = 0; w < it->model->watched_count && !doubtful; w++) {
    const carom_watched *watched = &it->model->watched[w];
    doubtful = watched->kind == CAROM_WATCH_GAP && !stays_open(it, w) &&
               !carom_contact_is_closed(it->contact.memory[watched->index].mode);
  }
  if (!doubtful) return;
  // one look a step, each elsewhere
  double turn = GOLDEN * (double)(it->now.certificate.steps + 1);
  double theta = theta_end * (turn - floor(turn));
  carom_dense_eval(&it->stepper, theta, it->scratch, NULL, NULL);
  inspect_gaps(it, it->stepper.t + theta * it->stepper.h, it->scratch);
}

// the size of forces here: the largest one, or what it takes to hold a row against the free motion
static double largest_force(const carom_hybrid *it) {
  double largest = 0.0;
  const carom_rows *rows = &it->work.rows;
  int count = it->model->dynamics->rows;
  for (int r = 0; r < count; r++) {
    double inertia = rows->delassus[r * (count + 1)];
    largest = fmax(largest, fabs(it->contact.lambda[r]));
    if (inertia > 0.0) largest = fmax(largest, fabs(rows->free_rate[r]) / inertia);
  }
  return largest;
}

// What the accelerations of rows are differences of, as forces: seen from a frame that moves,
// forces may be zero but for the rounding of these. A row's velocity is W u + offset: with u a unit
// vector it tells an element of W.
static double cancelled_force(carom_hybrid *it, double t, const double *y) {
  const carom_dynamics *d = it->model->dynamics;
  const carom_rows *rows = &it->work.rows;
  double *state = it->looking.state, *rate = it->looking.rate, *acceleration = it->scratch;
  double *sum = it->contact.shifted, largest = 0.0; // [rows]; free between evaluations
  carom_rates rates = {.acceleration = rate + d->n, .equation = rate + 2 * d->n};
  carom_looking_begin(&it->looking, it);
  memcpy(state, y, (size_t)it->size * sizeof *state);
  bool known = carom_dynamics_rows(d, &it->work, t, y, &rates) == CAROM_OK;
  memcpy(acceleration, rates.acceleration, (size_t)d->n * sizeof *acceleration);
  memset(sum, 0, (size_t)d->rows * sizeof *sum);
  memset(state + d->n, 0, (size_t)d->n * sizeof *state);
  for (int i = 0; i < d->n && known; i++) {
    state[d->n + i] = 1.0;
    known = carom_dynamics_rows(d, &it->work, t, state, &rates) == CAROM_OK;
    state[d->n + i] = 0.0;
    for (int r = 0; r < d->rows && known; r++)
      sum[r] += fabs((rows->velocity[r] - rows->offset[r]) * acceleration[i]);
  }
  for (int r = 0; r < d->rows && known; r++) {
    double inertia = rows->delassus[r * (d->rows + 1)];
    if (inertia > 0.0) largest = fmax(largest, sum[r] / inertia);
  }
  carom_looking_end(&it->looking, it);
  return largest;
}

// how far forces pull and friction is outside its cone, as parts of `largest`
static void measure_violations(const carom_hybrid *it, double largest, double *pull,
                               double *excess) {
  const carom_contact_set *set = &it->model->contacts;
  const carom_contact_state *state = &it->contact;
  *pull = *excess = 0.0;
  for (int j = 0; j < state->closed; j++) {
    int k = state->which[j], tangent = set->tangent[k];
    double normal = state->lambda[set->normal[k]];
    *pull = fmax(*pull, -normal / largest);
    if (tangent < 0 || set->user_law[k]) continue;
    bool sticks = state->memory[k].mode == CAROM_CONTACT_STICK;
    double mu = sticks ? state->now[k].stick : state->now[k].slide;
    double outside = fabs(state->lambda[tangent]) - mu * normal;
    // friction that drives the slip is as wrong as friction outside its cone
    double power = state->lambda[tangent] * it->work.rows.velocity[tangent];
    if (!sticks && power > fabs(state->lambda[tangent]) * it->slip_tolerance[k])
      outside = fabs(state->lambda[tangent]);
    *excess = fmax(*excess, outside / largest);
  }
}

// normal forces push, friction stays in its cone
static void inspect_forces(carom_hybrid *it, double t, const double *y) {
  carom_certificate *c = &it->now.certificate;
  double largest = largest_force(it), pull, excess;
  it->now.violated = false;
  if (!(largest > 0.0)) return;
  measure_violations(it, largest, &pull, &excess);
  if (fmax(pull, excess) > ROUNDING) {
    largest = fmax(largest, cancelled_force(it, t, y));
    measure_violations(it, largest, &pull, &excess);
  }
  c->complementarity = fmax(c->complementarity, pull);
  c->cone_violation = fmax(c->cone_violation, excess);
  it->now.violated = fmax(pull, excess) > ROUNDING;
}

void carom_hybrid_inspect(carom_hybrid *it, double t, const double *y) {
  if (it->model->contacts.count == 0) return;
  inspect_gaps(it, t, y);
  it->now.violated = false;
  if (it->contact.closed == 0) return;
  carom_lone_forces(it, t, y);
  if (!carom_hybrid_forces_are_rounding(it)) inspect_forces(it, t, y);
}
