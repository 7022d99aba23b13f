// SPDX-License-Identifier: MIT
/// What cannot be told from zero, though it is not: forces of contacts that need none, speeds that
/// are nothing but rounding. Rows are enclosed over the box of states that y stands for.
#include "hybrid/hybrid.h"

#include "base/linear.h"

#include <assert.h>
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

// Is there friction that needs no normal force of the contact's own: a law of the user's, a given
// load? What else is closed may have to answer it.
static bool is_dragged(const carom_hybrid *it) {
  const carom_contact_set *set = &it->model->contacts;
  for (int j = 0; j < it->contact.closed; j++) {
    int k = it->contact.which[j];
    bool slips = carom_contact_slip_sign(it->memory[k].mode) != 0;
    if (set->user_law[k] || (slips && carom_contact_is_loaded(set, k))) return true;
  }
  return false;
}

// Left to themselves, by the rows last looked at, the contacts would not part within the step by
// what can be told from zero: most steps are done with here, without looking at anything again.
static bool hardly_moves(const carom_hybrid *it, double h) {
  const carom_contact_evaluation *contact = &it->contact;
  if (is_dragged(it)) return false;
  for (int j = 0; j < contact->closed; j++) {
    int k = contact->which[j];
    double rate = it->work.rows.free_rate[it->model->contacts.normal[k]];
    if (!(fabs(rate) * h * h <= it->tolerance.gap[k])) return false;
  }
  return true;
}

static bool may_stay(const carom_hybrid *it, int row) {
  return carom_interval_has_zero(
      carom_dynamics_row_bound(it->model->dynamics, &it->work, true, row));
}

// does a constraint act on what is closed?
static bool bears_on_contacts(const carom_hybrid *it, int constraint) {
  const carom_contact_set *set = &it->model->contacts;
  int rows = it->model->dynamics->rows;
  const double *effect = it->work.rows.delassus + (size_t)constraint * (size_t)rows;
  for (int j = 0; j < it->contact.closed; j++) {
    int k = it->contact.which[j];
    if (effect[set->normal[k]] != 0.0) return true;
    if (set->tangent[k] >= 0 && effect[set->tangent[k]] != 0.0) return true;
    if (set->cross[k] >= 0 && effect[set->cross[k]] != 0.0) return true;
  }
  return false;
}

// Is this so of every row of closed contacts, and of constraints that act on them? Where a
// constraint needs a force they may need one, too.
static bool all_rows(const carom_hybrid *it, bool (*is_so)(const carom_hybrid *it, int row)) {
  const carom_contact_set *set = &it->model->contacts;
  for (int row = 0; row < it->model->constraints; row++)
    if (!is_so(it, row) && bears_on_contacts(it, row)) return false;
  for (int j = 0; j < it->contact.closed; j++) {
    int k = it->contact.which[j];
    if (!is_so(it, set->normal[k])) return false;
    if (set->tangent[k] >= 0 && !is_so(it, set->tangent[k])) return false;
    if (set->cross[k] >= 0 && !is_so(it, set->cross[k])) return false;
  }
  return true;
}

// forces that hold the constraints alone, by the rows last looked at: G lambda = -b
static const double *hold_constraints(carom_hybrid *it) {
  const carom_rows *rows = &it->work.rows;
  int held = it->model->constraints;
  double *lambda = it->room.impulse;
  for (int c = 0; c < held; c++)
    lambda[c] = -rows->free_rate[c];
  (void)carom_hybrid_solve_rows(it, rows->delassus, held, NULL, lambda);
  return lambda;
}

// What the constraints leave of the free rate of a row, b + G lambda: is it none that could be told
// from zero? The parts of G are known to `relative` of sqrt(G_rr G_cc), which none exceeds.
static bool is_held_still(const carom_hybrid *it, int row, const double *lambda, double relative,
                          double *rate) {
  const carom_rows *rows = &it->work.rows;
  int stride = it->model->dynamics->rows;
  const double *G = rows->delassus;
  carom_interval bound = carom_dynamics_row_bound(it->model->dynamics, &it->work, true, row);
  double own = rows->free_rate[row], known = fmax(bound.hi - own, own - bound.lo);
  *rate = own;
  for (int c = 0; c < it->model->constraints; c++) {
    *rate += G[(size_t)row * (size_t)stride + (size_t)c] * lambda[c];
    known += relative * fabs(lambda[c]) *
             sqrt(G[(size_t)row * (size_t)(stride + 1)] * G[(size_t)c * (size_t)(stride + 1)]);
  }
  return fabs(*rate) <= known;
}

// Bodies that joints carry side by side, as pendula in touch: do the constraints alone keep what is
// closed together? Rows are bounded already; within `h` nothing may part that can be told from
// zero.
static bool constraints_suffice(carom_hybrid *it, double t, const double *y, double relative,
                                double h) {
  const carom_contact_set *set = &it->model->contacts;
  double rate, aside;
  if (it->model->constraints == 0 || is_dragged(it) ||
      carom_hybrid_evaluate_rows(it, t, y) != CAROM_OK)
    return false;
  const double *lambda = hold_constraints(it);
  for (int j = 0; j < it->contact.closed; j++) {
    int k = it->contact.which[j];
    if (!is_held_still(it, set->normal[k], lambda, relative, &rate) ||
        !(fabs(rate) * h * h <= it->tolerance.gap[k]))
      return false;
    if (set->tangent[k] >= 0 && !is_held_still(it, set->tangent[k], lambda, relative, &aside))
      return false;
    if (set->cross[k] >= 0 && !is_held_still(it, set->cross[k], lambda, relative, &aside))
      return false;
  }
  return true;
}

// inside a step a state is known to the tolerance of its events
static bool needs_no_force(carom_hybrid *it, double t, const double *y, double h) {
  double absolute = it->run.event_tolerance * it->run.atol,
         relative = it->run.event_tolerance * it->run.rtol;
  bool gentle = hardly_moves(it, h);
  if (!gentle && it->model->constraints == 0) return false;
  if (!bound_rows(it, t, y, absolute, relative)) return false;
  return (gentle && all_rows(it, may_stay)) || constraints_suffice(it, t, y, relative, h);
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

static bool is_rounding(const carom_hybrid *it, int row) {
  return fabs(it->work.rows.free_rate[row]) <= ROUNDING * it->room.impulse[row];
}

// Seen from a frame that moves, accelerations cancel but for the rounding of the scenario's own
// numbers, which no box of states knows of.
static bool terms_cancel(carom_hybrid *it) {
  return sum_terms(it, it->now.t, it->stepper.y, it->room.impulse) && all_rows(it, is_rounding);
}

// At its end it has been brought onto what is closed, and rounding is left; numbers below
// atol / rtol, which count as nothing to the integrator, are the rounding of others.
bool carom_hybrid_forces_are_rounding(carom_hybrid *it) {
  double least = it->run.atol / it->run.rtol;
  bool gentle = hardly_moves(it, it->now.h);
  if (!gentle && it->model->constraints == 0) return false;
  if (!bound_rows(it, it->now.t, it->stepper.y, ROUNDING * least, ROUNDING)) return false;
  if (gentle && (all_rows(it, may_stay) || terms_cancel(it))) return true;
  return constraints_suffice(it, it->now.t, it->stepper.y, ROUNDING, it->now.h);
}

// speeds that can be told from zero are no rounding: most are done with here
bool carom_hybrid_speed_is_rounding(carom_hybrid *it, int k) {
  assert(k >= 0 && k < it->model->contacts.count);
  int normal = it->model->contacts.normal[k];
  if (!(fabs(it->work.rows.velocity[normal]) <= it->tolerance.speed[k])) return false;
  return bound_rows(it, it->now.t, it->y, 0.0, ROUNDING) &&
         carom_interval_has_zero(
             carom_dynamics_row_bound(it->model->dynamics, &it->work, false, normal));
}
