// SPDX-License-Identifier: MIT
/// What cannot be told from zero, though it is not: forces of contacts that need none, speeds that
/// are nothing but rounding. Rows are enclosed over the box of states that y stands for.
#include "hybrid/hybrid.h"

#include <float.h>
#include <math.h>
#include <string.h>

// a step adds up to 16 slopes to each number
static const double ROUNDING = 17.0 * DBL_EPSILON;

// every number of the state is known to `absolute` and to `relative` of itself
static bool bound_rows(carom_hybrid *it, double t, const double *y, double absolute,
                       double relative) {
  double late = DBL_EPSILON * fabs(t);
  for (int i = 0; i < it->model->dynamics->size; i++) {
    double apart = absolute + relative * fabs(y[i]);
    it->room.box[i] = (carom_interval){y[i] - apart, y[i] + apart};
  }
  return carom_dynamics_bound_rows(it->model->dynamics, &it->work,
                                   (carom_interval){t - late, t + late}, it->room.box);
}

// Left to themselves, by the rows last looked at, the contacts would not part within the step by
// what can be told from zero: most steps are done with here, without looking at anything again.
static bool hardly_moves(const carom_hybrid *it, double h) {
  const carom_contact_evaluation *contact = &it->contact;
  for (int j = 0; j < contact->closed; j++) {
    int k = contact->which[j];
    double rate = it->work.rows.free_rate[it->model->contacts.normal[k]];
    if (!(fabs(rate) * h * h <= it->tolerance.gap[k])) return false;
  }
  return true;
}

static bool may_stay(const carom_hybrid *it, int row) {
  return carom_interval_has_zero(
      carom_dynamics_free_rate_bound(it->model->dynamics, &it->work, row));
}

static bool all_may_stay(const carom_hybrid *it) {
  const carom_contact_set *set = &it->model->contacts;
  for (int j = 0; j < it->contact.closed; j++) {
    int k = it->contact.which[j];
    if (!may_stay(it, set->normal[k])) return false;
    if (set->tangent[k] >= 0 && !may_stay(it, set->tangent[k])) return false;
    if (set->cross[k] >= 0 && !may_stay(it, set->cross[k])) return false;
  }
  return true;
}

// inside a step a state is known to the tolerance of its events
static bool needs_no_force(carom_hybrid *it, double t, const double *y, double h) {
  double tolerance = it->run.event_tolerance;
  return hardly_moves(it, h) &&
         bound_rows(it, t, y, tolerance * it->run.atol, tolerance * it->run.rtol) &&
         all_may_stay(it);
}

// Forces that are none at both ends of the step and in its middle are so all along.
bool carom_hybrid_needs_no_force_along(carom_hybrid *it) {
  const carom_stepper *s = &it->stepper;
  double *y = it->room.scratch + it->size;
  if (!needs_no_force(it, s->t, s->y, s->h)) return false;
  carom_dense_eval(s, 0.5, y, NULL, NULL);
  return needs_no_force(it, s->t + 0.5 * s->h, y, s->h) && needs_no_force(it, s->t1, s->y1, s->h);
}

// what the free rate of each row is the sum of, |W_i u_i'| over the coordinates: a row's velocity
// is W u + offset, with u a unit vector it tells an element of W
static bool sum_terms(carom_hybrid *it, double t, const double *y, double *sum) {
  const carom_dynamics *d = it->model->dynamics;
  const carom_rows *rows = &it->work.rows;
  double *state = it->room.scratch, *rate = state + d->size, *acceleration = rate + d->size;
  carom_rates rates = {.acceleration = rate, .equation = rate + d->n};
  bool known = carom_dynamics_rows(d, &it->work, t, y, &rates) == CAROM_OK;
  memcpy(state, y, (size_t)d->size * sizeof *state);
  memcpy(acceleration, rate, (size_t)d->n * sizeof *acceleration);
  memset(state + d->nq, 0, (size_t)d->n * sizeof *state);
  memset(sum, 0, (size_t)d->rows * sizeof *sum);
  for (int i = 0; i < d->n && known; i++) {
    state[d->nq + i] = 1.0;
    known = carom_dynamics_rows(d, &it->work, t, state, &rates) == CAROM_OK;
    state[d->nq + i] = 0.0;
    for (int r = 0; r < d->rows && known; r++)
      sum[r] += fabs((rows->velocity[r] - rows->offset[r]) * acceleration[i]);
  }
  return known && carom_hybrid_evaluate_rows(it, t, y) == CAROM_OK;
}

// Seen from a frame that moves, accelerations cancel but for the rounding of the scenario's own
// numbers, which no box of states knows of.
static bool terms_cancel(carom_hybrid *it) {
  const carom_contact_set *set = &it->model->contacts;
  const double *rate = it->work.rows.free_rate;
  double *sum = it->room.impulse;
  if (!sum_terms(it, it->now.t, it->stepper.y, sum)) return false;
  for (int j = 0; j < it->contact.closed; j++) {
    int k = it->contact.which[j], normal = set->normal[k], tangent = set->tangent[k];
    if (!(fabs(rate[normal]) <= ROUNDING * sum[normal])) return false;
    if (tangent >= 0 && !(fabs(rate[tangent]) <= ROUNDING * sum[tangent])) return false;
    int cross = set->cross[k];
    if (cross >= 0 && !(fabs(rate[cross]) <= ROUNDING * sum[cross])) return false;
  }
  return true;
}

// At its end it has been brought onto what is closed, and rounding is left; numbers below
// atol / rtol, which count as nothing to the integrator, are the rounding of others.
bool carom_hybrid_forces_are_rounding(carom_hybrid *it) {
  double least = it->run.atol / it->run.rtol;
  if (!hardly_moves(it, it->now.h)) return false;
  if (!bound_rows(it, it->now.t, it->stepper.y, ROUNDING * least, ROUNDING)) return false;
  return all_may_stay(it) || terms_cancel(it);
}

// speeds that can be told from zero are no rounding: most are done with here
bool carom_hybrid_speed_is_rounding(carom_hybrid *it, int k) {
  int normal = it->model->contacts.normal[k];
  if (!(fabs(it->work.rows.velocity[normal]) <= it->tolerance.speed[k])) return false;
  return bound_rows(it, it->now.t, it->y, 0.0, ROUNDING) &&
         carom_interval_has_zero(
             carom_dynamics_velocity_bound(it->model->dynamics, &it->work, normal));
}
