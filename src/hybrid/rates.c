// SPDX-License-Identifier: MIT
/// The right-hand side between events: free motion, and the forces of bilateral constraints.
#include "hybrid/hybrid.h"

#include "base/linear.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DRIVE, FORCE, DAMPER };
static const double DEPENDENT_ROW = 1e-11; // relative pivot below which a constraint is redundant

// forces that hold the constraints: G lambda = -b; then u' += M^-1 W^T lambda
static void add_constraint_forces(carom_hybrid *it, carom_rates *rates) {
  const carom_dynamics *dynamics = it->model->dynamics;
  const carom_rows *rows = &it->work.rows;
  int n = dynamics->n, count = dynamics->rows;
  memcpy(it->square, rows->delassus, (size_t)(count * count) * sizeof(double));
  for (int k = 0; k < count; k++)
    it->impulse[k] = -rows->free_rate[k];
  carom_solve_semidefinite(count, it->square, it->impulse, DEPENDENT_ROW, it->order);
  for (int k = 0; k < count; k++) {
    double force = it->impulse[k];
    for (int i = 0; i < n; i++)
      rates->acceleration[i] += rows->response[k * n + i] * force;
    rates->power[DRIVE] -= force * rows->offset[k];
  }
}

carom_status carom_hybrid_rhs(void *ctx, double t, const double *y, double *dydt) {
  carom_hybrid *it = ctx;
  const carom_dynamics *dynamics = it->model->dynamics;
  int n = dynamics->n;
  memcpy(dydt, y + n, (size_t)n * sizeof *y);
  carom_rates rates = {.acceleration = dydt + n, .equation = dydt + 2 * n};
  carom_status status;
  if (dynamics->rows > 0) {
    status = carom_dynamics_rows(dynamics, &it->work, t, y, &rates);
    if (status == CAROM_OK) add_constraint_forces(it, &rates);
  } else {
    status = carom_dynamics_free(dynamics, &it->work, t, y, &rates);
  }
  double *quadrature = dydt + dynamics->size;
  for (int k = 0; k < 3; k++)
    if (dynamics->has_power[k]) *quadrature++ = rates.power[k];
  return status;
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

carom_status carom_hybrid_explain(carom_hybrid *it, carom_status status, double t, const double *y,
                                  carom_error *error) {
  char state[400];
  describe_state(it, y, state, sizeof state);
  if (status == CAROM_ERR_NONFINITE) {
    const char *culprit =
        carom_dynamics_blame(it->model->dynamics, &it->work, it->simulation->arena, t, y);
    if (culprit)
      return carom_fail(error, status, "at t = %.15g: %s is not finite (%s)", t, culprit, state);
    return carom_fail(error, status, "near t = %.15g: the motion leaves the finite numbers (%s)", t,
                      state);
  }
  char reason[CAROM_ERROR_TEXT / 2];
  (void)snprintf(reason, sizeof reason, "%s",
                 error && error->text[0] ? error->text : carom_status_text(status));
  return carom_fail(error, status, "at t = %.15g: %s (%s)", t, reason, state);
}
