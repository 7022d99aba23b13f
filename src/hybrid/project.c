// SPDX-License-Identifier: MIT
/// After every step the state returns to where it belongs: onto the constraints, and for
/// conservative systems to its energy. Corrections are of the size of the step's error.
#include "hybrid/hybrid.h"

#include "base/linear.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { ASSEMBLY_LIMIT = 60, SETTLE_LIMIT = 3 };
static const double ROUNDING = 4.5e-16;
// a larger relative correction is not the integrator's error: absolutely, and in tolerances
static const double LARGEST_HOLD = 1e-6, LARGEST_HOLD_TOLERANCES = 1e3;

// the change `target` of positions or rates along the held rows that lets `value` vanish to first
// order is added
static void correct_held(carom_hybrid *it, const bool *held, const double *value, double *target) {
  const carom_dynamics *dynamics = it->model->dynamics;
  const carom_rows *rows = &it->work.rows;
  int n = dynamics->n, count = 0, *list = it->room.order + dynamics->rows;
  for (int k = 0; k < dynamics->rows; k++)
    if (held[k] && !isnan(value[k])) list[count++] = k; // NaN: a velocity-level row has no position
  assert(count <= dynamics->rows);
  double *impulse = it->room.impulse;
  for (int i = 0; i < count; i++)
    impulse[i] = -value[list[i]];
  (void)carom_hybrid_solve_rows(it, rows->delassus, count, list, impulse);
  for (int k = 0; k < count; k++)
    for (int i = 0; i < n; i++)
      target[i] += rows->response[list[k] * n + i] * impulse[k];
}

static double largest_held(int count, const bool *held, const double *values) {
  double most = 0.0;
  for (int k = 0; k < count; k++)
    if (held[k] && fabs(values[k]) > most) most = fabs(values[k]); // NaN is passed over
  return most;
}

static bool anything_held(const carom_hybrid *it) {
  return it->model->constraints + it->contact.closed > 0;
}

// Positions are moved as by speeds: q by those that are its rates, turned coordinates by G of all.
static carom_status move_positions(carom_hybrid *it, double t, double *y, const double *by) {
  const carom_dynamics *d = it->model->dynamics;
  double *z = y + d->nq + d->n, *G = it->room.turning;
  carom_status status = carom_dynamics_turning(d, &it->work, t, y, G, NULL);
  for (int i = 0; i < d->nq; i++)
    y[i] += by[i];
  for (int i = 0; i < d->turned && status == CAROM_OK; i++)
    z[i] += carom_dot(d->n, G + i * d->n, by);
  return status;
}

// one step of Newton's method towards the held rows
static carom_status correct_positions(carom_hybrid *it, double t, double *y) {
  const carom_dynamics *d = it->model->dynamics;
  const double *off = it->work.rows.position;
  const bool *held = it->contact.held_position;
  if (d->turned == 0 && d->n == d->nq) {
    correct_held(it, held, off, y);
    return CAROM_OK;
  }
  double *by = it->room.scratch;
  memset(by, 0, (size_t)d->n * sizeof *by);
  correct_held(it, held, off, by);
  return move_positions(it, t, y, by);
}

// What rates of coordinates keep is kept: along the slope of each invariant back to zero.
static carom_status hold_invariants(carom_hybrid *it, double t, double *y, int limit,
                                    double *error) {
  const carom_dynamics *d = it->model->dynamics;
  double *z = y + d->nq + d->n, *values = it->room.turning;
  *error = 0.0;
  for (int round = 0; round <= limit; round++) {
    carom_status status = carom_dynamics_turning(d, &it->work, t, y, NULL, values);
    if (status != CAROM_OK) return status;
    *error = 0.0;
    for (int k = 0; k < d->invariants; k++) {
      const double *slope = values + k * (1 + d->turned) + 1;
      double off = slope[-1], square = carom_dot(d->turned, slope, slope);
      *error = fmax(*error, fabs(off));
      for (int i = 0; i < d->turned && round < limit && square > 0.0; i++)
        z[i] -= off / square * slope[i];
    }
    if (*error <= ROUNDING) break;
  }
  return CAROM_OK;
}

// Newton's method until the error stops falling; writes the error that remains
static carom_status project_positions(carom_hybrid *it, double t, double *y, int limit,
                                      double *error) {
  const bool *held = it->contact.held_position;
  double last = INFINITY;
  for (int round = 0;; round++) {
    carom_status status = carom_hybrid_evaluate_rows(it, t, y);
    if (status != CAROM_OK) return status;
    *error = largest_held(it->model->dynamics->rows, held, it->work.rows.position);
    if (round == limit || *error == 0.0 || (*error >= 0.25 * last && *error < 1e-10))
      return CAROM_OK;
    status = correct_positions(it, t, y);
    if (status != CAROM_OK) return status;
    last = *error;
  }
}

carom_status carom_hybrid_reach(carom_hybrid *it, double t, double *y) {
  double error;
  return project_positions(it, t, y, ASSEMBLY_LIMIT, &error);
}

// the same of velocities, too
static carom_status onto_constraints(carom_hybrid *it, double t, double *y, int limit,
                                     double *error, double *rate_error) {
  const carom_dynamics *dynamics = it->model->dynamics;
  carom_status status = project_positions(it, t, y, limit, error);
  if (status != CAROM_OK) return status;
  const bool *held = it->contact.held_velocity;
  correct_held(it, held, it->work.rows.velocity, y + dynamics->nq);
  status = carom_hybrid_evaluate_rows(it, t, y);
  *rate_error = largest_held(dynamics->rows, held, it->work.rows.velocity);
  return status;
}

bool carom_hybrid_forbids(const carom_hybrid *it) {
  return anything_held(it) || it->model->dynamics->invariants > 0;
}

carom_status carom_hybrid_assemble(carom_hybrid *it, double t, double *y, carom_error *error) {
  double gap = 0.0, rate = 0.0, left = 0.0;
  carom_status status = CAROM_OK;
  if (it->model->dynamics->invariants > 0)
    status = hold_invariants(it, t, y, ASSEMBLY_LIMIT, &left);
  if (status == CAROM_OK && anything_held(it))
    status = onto_constraints(it, t, y, ASSEMBLY_LIMIT, &gap, &rate);
  if (status != CAROM_OK) return carom_hybrid_explain(it, status, t, y, error);
  double size = 1.0 + carom_norm_max(it->model->dynamics->size, y);
  if (gap > 1e-9 * size || rate > 1e-9 * size || left > 1e-9 * size)
    return it->now.stage.started
               ? carom_fail(error, CAROM_ERR_NO_CONVERGENCE,
                            "at t = %.15g what touches cannot be held together (error left: %.3g)",
                            t, fmax(left, fmax(gap, rate)))
               : carom_fail(error, CAROM_ERR_NO_CONVERGENCE,
                            "the start values cannot be brought onto the constraints (error left: "
                            "%.3g); start nearer to a position where the parts fit together",
                            fmax(left, fmax(gap, rate)));
  return CAROM_OK;
}

// returns to the reference energy along the direction that is cheapest in the integrator's norm
static carom_status hold_energy(carom_hybrid *it, double t, double *y, bool *changed) {
  const carom_dynamics *dynamics = it->model->dynamics;
  int nq = dynamics->nq, n = dynamics->n;
  carom_energy energy;
  carom_status status = carom_dynamics_energy(dynamics, &it->work, t, y, &energy);
  if (status != CAROM_OK) return status;
  double excess = energy.kinetic + energy.potential - it->now.books.energy_reference;
  double scale = fabs(energy.kinetic) + fabs(energy.potential);
  double largest_hold = fmax(LARGEST_HOLD, LARGEST_HOLD_TOLERANCES * it->run.rtol);
  it->now.books.energy_scale = fmax(it->now.books.energy_scale, fabs(energy.kinetic));
  if (fabs(excess) <= ROUNDING * scale || fabs(excess) > largest_hold * scale) return CAROM_OK;
  if (anything_held(it)) {
    // scaling the rates keeps them tangent to constraints at rest
    if (energy.kinetic <= 1e3 * fabs(excess)) return CAROM_OK;
    double factor = sqrt(1.0 - excess / energy.kinetic);
    for (int i = 0; i < n; i++)
      y[nq + i] *= factor;
  } else {
    double *slope = it->room.scratch, norm = 0.0;
    status = carom_dynamics_energy_slope(dynamics, &it->work, t, y, slope);
    if (status != CAROM_OK) return status;
    const double *weight = carom_sides_weigh(it, y);
    for (int i = 0; i < nq + n; i++)
      norm += weight[i] * weight[i] * slope[i] * slope[i];
    // at an equilibrium no small change of the state changes the energy
    if (!(norm * 1e6 > excess * excess)) return CAROM_OK;
    for (int i = 0; i < nq + n; i++)
      y[i] -= excess / norm * (weight[i] * weight[i] * slope[i]);
  }
  it->now.certificate.energy.corrected += fabs(excess);
  *changed = true;
  return CAROM_OK;
}

carom_status carom_hybrid_settle(carom_hybrid *it, double t, double *y, bool *changed,
                                 carom_error *error) {
  carom_status status = CAROM_OK;
  if (it->model->dynamics->invariants > 0) {
    double left = 0.0;
    status = hold_invariants(it, t, y, SETTLE_LIMIT, &left);
    *changed = true;
  }
  if (status == CAROM_OK && anything_held(it)) {
    double gap = 0.0, rate = 0.0;
    status = onto_constraints(it, t, y, SETTLE_LIMIT, &gap, &rate);
    carom_certificate *c = &it->now.certificate;
    c->worst.constraint_error = fmax(c->worst.constraint_error, gap);
    c->worst.constraint_rate_error = fmax(c->worst.constraint_rate_error, rate);
    *changed = true;
  }
  if (status == CAROM_OK && it->phases.surfaces.count > 0) {
    status = carom_surfaces_settle(it, t, y);
    *changed = true;
  }
  if (status == CAROM_OK && it->run.hold_energy) status = hold_energy(it, t, y, changed);
  return status == CAROM_OK ? status : carom_hybrid_explain(it, status, t, y, error);
}
