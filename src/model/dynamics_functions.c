// SPDX-License-Identifier: MIT
#include "model/dynamics_functions.h"

#include "base/linear.h"

#include <math.h>
#include <string.h>

carom_functions carom_functions_default(void) {
  return (carom_functions){.run.until = 1.0, .size = sizeof(carom_functions)};
}

carom_status carom_dynamics_from_functions(carom_arena *arena, const carom_functions *functions,
                                           carom_dynamics **dynamics, carom_error *error) {
  carom_status made =
      carom_check_options(functions->size, sizeof *functions, "carom_functions", error);
  if (made != CAROM_OK) return made;
  int n = functions->coordinates.count, m = functions->states.count;
  if (n < 0 || m < 0 || n + m == 0)
    return carom_fail(error, CAROM_ERR_ARGUMENT, "a model needs coordinates or states");
  if (n > 0 && (!functions->mass || !functions->force))
    return carom_fail(error, CAROM_ERR_ARGUMENT, "coordinates need the functions mass and force");
  if (m > 0 && !functions->equation)
    return carom_fail(error, CAROM_ERR_ARGUMENT, "states need the function equation");
  if (functions->constraints.count > 0 && !functions->constraint)
    return carom_fail(error, CAROM_ERR_ARGUMENT, "constraints need the function constraint");
  carom_dynamics *it = carom_arena_take(arena, sizeof *it);
  if (!it) return carom_fail_memory(error);
  *it = (carom_dynamics){.n = n,
                         .nq = n,
                         .m = m,
                         .rows = functions->constraints.count,
                         .parameters = functions->parameters.count,
                         .size = 2 * n + m,
                         .has_energy = functions->energy != NULL,
                         .functions = functions,
                         .evaluator = &carom_function_evaluator};
  it->has_power[1] = it->has_power[2] = functions->power != NULL;
  it->has_power[0] = functions->constraints.count > 0;
  *dynamics = it;
  return CAROM_OK;
}

carom_point carom_functions_point(const carom_dynamics *dynamics, const carom_dynamics_work *work,
                                  double t, const double *y) {
  return (carom_point){t, y, y + dynamics->n, y + 2 * dynamics->n, work->parameters};
}

static bool all_finite(int count, const double *values) {
  double spoiled = 0.0;
  for (int k = 0; k < count; k++)
    spoiled += values[k] * 0.0;
  return spoiled == 0.0;
}

// x = M^-1 b with the mass matrix just evaluated; false when it is singular
static bool solve_mass(const carom_dynamics *dynamics, carom_dynamics_work *work, const double *b,
                       double *x) {
  int n = dynamics->n;
  memcpy(work->scratch, work->mass, (size_t)(n * n) * sizeof(double));
  memmove(x, b, (size_t)n * sizeof *b);
  return carom_solve_general(n, work->scratch, x, work->order);
}

static carom_status evaluate_free(const carom_dynamics *dynamics, carom_dynamics_work *work,
                                  double t, const double *y, carom_rates *rates) {
  const carom_functions *f = dynamics->functions;
  carom_point at = carom_functions_point(dynamics, work, t, y);
  carom_status status = CAROM_OK;
  rates->power[0] = rates->power[1] = rates->power[2] = rates->power[3] = 0.0;
  if (dynamics->n > 0) {
    status = f->mass(f->ctx, &at, work->mass);
    if (status == CAROM_OK) status = f->force(f->ctx, &at, rates->acceleration);
    if (status != CAROM_OK) return status;
    if (!all_finite(dynamics->n, rates->acceleration) ||
        !solve_mass(dynamics, work, rates->acceleration, rates->acceleration))
      return CAROM_ERR_NONFINITE;
  }
  if (dynamics->m > 0) status = f->equation(f->ctx, &at, rates->equation);
  if (status == CAROM_OK && f->power)
    status = f->power(f->ctx, &at, &rates->power[1], &rates->power[2]);
  if (status != CAROM_OK) return status;
  bool finite = all_finite(dynamics->n, rates->acceleration) &&
                all_finite(dynamics->m, rates->equation) && all_finite(3, rates->power);
  return finite ? CAROM_OK : CAROM_ERR_NONFINITE;
}

static carom_status evaluate_rows(const carom_dynamics *dynamics, carom_dynamics_work *work,
                                  double t, const double *y, carom_rates *rates) {
  const carom_functions *f = dynamics->functions;
  int n = dynamics->n, rows = dynamics->rows;
  carom_status status = evaluate_free(dynamics, work, t, y, rates);
  if (status != CAROM_OK) return status;
  carom_point at = carom_functions_point(dynamics, work, t, y);
  carom_rows *out = &work->rows;
  for (int k = 0; k < rows; k++) {
    carom_function_row row = {.jacobian = work->jacobian + k * n};
    status = f->constraint(f->ctx, &at, k, &row);
    if (status != CAROM_OK) return status;
    out->position[k] = row.value;
    out->offset[k] = row.offset;
    out->velocity[k] = carom_dot(n, row.jacobian, at.u) + row.offset;
    out->free_rate[k] = carom_dot(n, row.jacobian, rates->acceleration) + row.drift;
    if (!all_finite(n, row.jacobian) ||
        !solve_mass(dynamics, work, row.jacobian, out->response + k * n))
      return CAROM_ERR_NONFINITE;
  }
  for (int k = 0; k < rows; k++)
    for (int j = 0; j < rows; j++)
      out->delassus[k * rows + j] = carom_dot(n, work->jacobian + k * n, out->response + j * n);
  bool finite = all_finite(rows, out->velocity) && all_finite(rows, out->free_rate);
  return finite ? CAROM_OK : CAROM_ERR_NONFINITE;
}

static carom_status evaluate_energy(const carom_dynamics *dynamics, carom_dynamics_work *work,
                                    double t, const double *y, carom_energy *energy) {
  const carom_functions *f = dynamics->functions;
  carom_point at = carom_functions_point(dynamics, work, t, y);
  carom_status status = f->energy(f->ctx, &at, &energy->kinetic, &energy->potential);
  if (status != CAROM_OK) return status;
  return isfinite(energy->kinetic + energy->potential) ? CAROM_OK : CAROM_ERR_NONFINITE;
}

const carom_evaluator carom_function_evaluator = {
    .free = evaluate_free, .rows = evaluate_rows, .energy = evaluate_energy};
