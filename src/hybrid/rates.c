// SPDX-License-Identifier: MIT
/// The right-hand side between events: free motion, and the forces of bilateral constraints.
#include "hybrid/hybrid.h"

#include "base/linear.h"
#include "symbolic/parse.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DRIVE, FORCE, DAMPER, FRICTION, POWERS };

// forces that hold the constraints alone: G lambda = -b
static void constraint_forces(carom_hybrid *it) {
  const carom_rows *rows = &it->work.rows;
  int held = it->model->constraints, stride = it->model->dynamics->rows;
  assert(held <= stride);
  double *lambda = it->contact.lambda;
  memset(lambda, 0, (size_t)stride * sizeof *lambda);
  for (int k = 0; k < held; k++)
    lambda[k] = -rows->free_rate[k];
  (void)carom_hybrid_solve_rows(it, rows->delassus, held, NULL, lambda);
}

// u' += M^-1 W^T lambda; moving rows do work, sliding ones take it
static void add_row_forces(carom_hybrid *it, carom_rates *rates) {
  const carom_dynamics *dynamics = it->model->dynamics;
  const carom_rows *rows = &it->work.rows;
  int n = dynamics->n;
  for (int k = 0; k < dynamics->rows; k++) {
    double force = it->contact.lambda[k];
    if (force == 0.0) continue;
    for (int i = 0; i < n; i++)
      rates->acceleration[i] += rows->response[k * n + i] * force;
    rates->power[DRIVE] -= force * rows->offset[k];
  }
  for (int j = 0; j < it->contact.closed; j++) {
    int k = it->contact.which[j], tangent = it->model->contacts.tangent[k];
    int cross = it->model->contacts.cross[k];
    // a sticking contact does not move: its rounding is not friction's work
    if (tangent >= 0 && it->memory[k].mode != CAROM_CONTACT_STICK)
      rates->power[FRICTION] -= it->contact.lambda[tangent] * rows->velocity[tangent];
    if (cross >= 0 && it->memory[k].mode != CAROM_CONTACT_STICK)
      rates->power[FRICTION] -= it->contact.lambda[cross] * rows->velocity[cross];
  }
}

// with forces along rows, or of a model given by functions
static carom_status rates_with_rows(carom_hybrid *it, double t, const double *y, double *dydt) {
  const carom_dynamics *dynamics = it->model->dynamics;
  int nq = dynamics->nq;
  memcpy(dydt, y + nq, (size_t)nq * sizeof *y);
  carom_rates rates = {.acceleration = dydt + nq, .equation = dydt + nq + dynamics->n};
  carom_status status;
  if (it->model->constraints + it->contact.closed > 0) {
    status = carom_dynamics_rows(dynamics, &it->work, t, y, &rates);
    if (status == CAROM_OK && it->contact.closed > 0)
      (void)carom_hybrid_forces(it, t, y, false);
    else if (status == CAROM_OK)
      constraint_forces(it);
    if (status == CAROM_OK) add_row_forces(it, &rates);
  } else {
    status = carom_dynamics_free(dynamics, &it->work, t, y, &rates);
  }
  double *quadrature = dydt + dynamics->size;
  for (int k = 0; k < POWERS; k++)
    if (dynamics->has_power[k]) *quadrature++ = rates.power[k];
  return status;
}

// kept out of the function below, whose way in and out would be as long as its work
#if defined(__GNUC__)
#define APART __attribute__((noinline))
#else
#define APART
#endif

// free flight without machine code, and everything else
APART static carom_status slower_rates(carom_hybrid *it, double t, const double *y, double *dydt) {
  const carom_dynamics *dynamics = it->model->dynamics;
  if (dynamics->evaluator->flow && it->model->constraints + it->contact.closed == 0)
    return dynamics->evaluator->flow(dynamics, &it->work, t, y, dydt);
  return rates_with_rows(it, t, y, dydt);
}

carom_status carom_hybrid_rhs(void *ctx, double t, const double *y, double *dydt) {
  carom_hybrid *it = ctx;
  carom_program_code *code = it->model->dynamics->programs.flow_code;
  if (it->phases.surfaces.count > 0) return carom_surfaces_rates(it, t, y, dydt);
  if (it->contact.closed == 1 && carom_lone_rates(it, t, y, dydt)) return CAROM_OK;
  if (!code || it->model->constraints + it->contact.closed > 0) return slower_rates(it, t, y, dydt);
  it->work.flow_registers[0] = t;
  return code(it->work.flow_registers, y, dydt) == 0.0 ? CAROM_OK : CAROM_ERR_NONFINITE;
}

carom_status carom_hybrid_series(void *ctx, double t, const double *y, double *c) {
  carom_hybrid *it = ctx;
  if (it->contact.closed > 0) return carom_lone_series(it, t, y, c + it->size);
  return carom_phase_series_evaluate(&it->model->free_series, &it->phases.free, it, t, y,
                                     c + it->size);
}

// "x = 0.5, x' = -2, ..." of the first few components
static void describe_state(const carom_hybrid *it, const double *y, char *text, size_t room) {
  size_t used = 0;
  int size = it->model->dynamics->size, shown = size < 8 ? size : 8;
  for (int i = 0; i < shown && used < room; i++) {
    int wrote = snprintf(text + used, room - used, "%s%s = %.10g", i ? ", " : "",
                         it->model->columns[i], y[i]);
    if (wrote > 0) used += (size_t)wrote;
  }
  if (shown < size && used < room) (void)snprintf(text + used, room - used, ", ...");
}

// The expression without a value at (t, y) or, where all have one still, just ahead on the way.
static const char *find_culprit(carom_hybrid *it, double t, const double *y) {
  const carom_dynamics *dynamics = it->model->dynamics;
  carom_arena *arena = it->simulation->arena;
  const char *culprit = carom_dynamics_blame(dynamics, &it->work, arena, t, y);
  double *ahead = it->room.scratch;
  if (culprit || carom_hybrid_rhs(it, t, y, it->rate) != CAROM_OK) return culprit;
  for (int round = 0; round < 25 && !culprit; round++) {
    double dt = ldexp(1e-16 * (1.0 + fabs(t)), 2 * round);
    for (int i = 0; i < dynamics->size; i++)
      ahead[i] = y[i] + dt * it->rate[i];
    culprit = carom_dynamics_blame(dynamics, &it->work, arena, t + dt, ahead);
  }
  return culprit;
}

carom_status carom_hybrid_no_value(carom_hybrid *it, const carom_watched *watched, double t,
                                   const double *y, carom_error *error) {
  char state[400];
  int size = it->model->dynamics->size;
  describe_state(it, y, state, sizeof state);
  if (!watched->rule) {
    (void)carom_fail(error, CAROM_ERR_NONFINITE, "at t = %.15g: %s has no value (%s)", t,
                     watched->name, state);
    carom_fail_moving(error, t, size, y, watched->name);
    return CAROM_ERR_NONFINITE;
  }
  const carom_quantity *when = &watched->rule->trigger.when;
  const char *text =
      carom_node_text(it->simulation->arena, it->model->scenario->graph, when->node, 200);
  (void)carom_fail_at(error, CAROM_ERR_NONFINITE, when->place,
                      "at t = %.15g: %s of %s has no value (%s)", t, text ? text : "the expression",
                      watched->name, state);
  carom_fail_moving(error, t, size, y, text ? text : "");
  return CAROM_ERR_NONFINITE;
}

// The motion has no finite rate at (t, y): names the expression where one is found.
static void explain_nonfinite(carom_hybrid *it, double t, const double *y, const char *state,
                              carom_error *error) {
  const char *culprit = find_culprit(it, t, y);
  if (culprit)
    (void)carom_fail(error, CAROM_ERR_NONFINITE, "at t = %.15g: %s is not finite (%s)", t, culprit,
                     state);
  else if (it->phases.surfaces.count > 0)
    (void)carom_fail(error, CAROM_ERR_NONFINITE,
                     "at t = %.15g the motion is held on the jump of %s where both branches carry "
                     "it the same way, so that no combination of them stays (%s)",
                     t, it->model->watched[it->phases.surfaces.which[0]].name, state);
  else
    (void)carom_fail(error, CAROM_ERR_NONFINITE,
                     "near t = %.15g: the motion leaves the finite numbers (%s)", t, state);
  carom_fail_moving(error, t, it->model->dynamics->size, y, culprit ? culprit : "");
}

carom_status carom_hybrid_explain(carom_hybrid *it, carom_status status, double t, const double *y,
                                  carom_error *error) {
  char state[400];
  describe_state(it, y, state, sizeof state);
  if (status == CAROM_ERR_NONFINITE) {
    explain_nonfinite(it, t, y, state, error);
    return status;
  }
  char reason[CAROM_ERROR_TEXT];
  (void)snprintf(reason, sizeof reason, "%s",
                 error && error->text[0] ? error->text : carom_status_text(status));
  (void)carom_fail(error, status, "at t = %.15g: %s (%s)", t, reason, state);
  carom_fail_moving(error, t, it->model->dynamics->size, y, "");
  return status;
}
