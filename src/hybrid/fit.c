// SPDX-License-Identifier: MIT
/// Does a start fit its constraints? What is written stays as it is written: a start that breaks a
/// constraint is refused, unless the scenario asks for it to be brought there (run.assemble). Rates
/// that are not written follow from the constraints, with as little kinetic energy as they can
/// have.
#include "hybrid/hybrid.h"

#include "base/linear.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double FITS = 1e-9; // of the state: a constraint that holds

size_t carom_fit_room(const carom_hybrid_model *model) {
  size_t n = (size_t)model->dynamics->n, rows = (size_t)model->constraints;
  return rows == 0 ? 0 : 2 * rows * n + n * n + rows * rows + rows + n;
}

// p = dT/du is linear in u, so that column j is p(e_j) - p(0)
carom_status carom_hybrid_mass(carom_hybrid *it, double *M) {
  const carom_dynamics *d = it->model->dynamics;
  int n = d->n, first = d->nq;
  double *y = it->room.scratch, *slope = it->room.scratch + it->size;
  memcpy(y, it->y, (size_t)d->size * sizeof *y);
  memset(y + first, 0, (size_t)n * sizeof *y);
  carom_status status = carom_dynamics_energy_slope(d, &it->work, it->now.t, y, slope);
  for (int k = 0; k < n * n; k++)
    M[k] = -slope[first + k % n];
  for (int j = 0; j < n && status == CAROM_OK; j++) {
    y[first + j] = 1.0;
    status = carom_dynamics_energy_slope(d, &it->work, it->now.t, y, slope);
    y[first + j] = 0.0;
    for (int i = 0; i < n; i++)
      M[j * n + i] += slope[first + i];
  }
  return status;
}

static bool is_written(const carom_hybrid *it, int i) {
  const carom_scenario *s = it->model->scenario;
  if (!isnan(it->settings.start_given[it->model->dynamics->nq + i])) return true;
  return s ? s->coordinates[i].rate_written : it->model->functions->start_rate != NULL;
}

// the first constraint that does not hold, or -1; `position`: it, or its rate?
static int first_broken(const carom_hybrid *it, bool *position, double *amount) {
  double allowed = FITS * (1.0 + carom_norm_max(it->model->dynamics->size, it->y));
  const carom_rows *rows = &it->work.rows;
  for (int pass = 0; pass < 2; pass++)
    for (int r = 0; r < it->model->constraints; r++) {
      *position = pass == 0;
      *amount = pass == 0 ? rows->position[r] : rows->velocity[r];
      if (fabs(*amount) > allowed) return r; // NaN: one at velocity level has no position
    }
  return -1;
}

// Refuses a state that breaks an invariant of the rates: motion keeps it as it is.
static carom_status check_invariants(carom_hybrid *it, carom_error *error) {
  const carom_dynamics *d = it->model->dynamics;
  double *values = it->room.turning;
  if (d->invariants == 0) return CAROM_OK;
  carom_status status = carom_dynamics_turning(d, &it->work, it->now.t, it->y, NULL, values);
  if (status != CAROM_OK) return carom_hybrid_explain(it, status, it->now.t, it->y, error);
  for (int k = 0; k < d->invariants; k++) {
    double off = values[k * (1 + d->turned)];
    const carom_quantity *broken = &it->model->scenario->kinematics.invariants[k];
    if (fabs(off) <= FITS * (1.0 + carom_norm_max(d->size, it->y))) continue;
    if (!it->now.stage.started)
      return carom_fail_at(error, CAROM_ERR_INPUT, broken->place,
                           "the start breaks invariants.%s: it is off by %.6g; give start values "
                           "that fit, or have them brought there by run.assemble: yes",
                           broken->name, off);
    return carom_fail_at(error, CAROM_ERR_INPUT, broken->place,
                         "at t = %.15g %s%s breaks invariants.%s: it is off by %.6g", it->now.t,
                         it->instant.changed_by ? "event " : "",
                         it->instant.changed_by ? it->instant.changed_by : "a jump with time",
                         broken->name, off);
  }
  return CAROM_OK;
}

static carom_status fail_broken(const carom_hybrid *it, int r, bool position, double amount,
                                carom_error *error) {
  const carom_scenario *s = it->model->scenario;
  carom_place place = s ? s->constraints[r].value.place : (carom_place){0};
  const char *name = s ? s->constraints[r].value.name : "";
  const char *what = position ? "it is" : "its rate is";
  if (!it->now.stage.started)
    return carom_fail_at(error, CAROM_ERR_INPUT, place,
                         "the start breaks constraint %s: %s off by %.6g; give %s that fit, or "
                         "have them brought there by run.assemble: yes",
                         name, what, amount, position ? "start values" : "start rates");
  return carom_fail_at(
      error, CAROM_ERR_INPUT, place, "at t = %.15g %s%s breaks constraint %s: %s off by %.6g",
      it->now.t, it->instant.changed_by ? "event " : "",
      it->instant.changed_by ? it->instant.changed_by : "a jump with time", name, what, amount);
}

carom_status carom_hybrid_check_constraints(carom_hybrid *it, carom_error *error) {
  carom_status status = check_invariants(it, error);
  if (status != CAROM_OK || it->model->constraints == 0) return status;
  status = carom_hybrid_evaluate_rows(it, it->now.t, it->y);
  if (status != CAROM_OK) return carom_hybrid_explain(it, status, it->now.t, it->y, error);
  bool position;
  double amount;
  int r = first_broken(it, &position, &amount);
  return r < 0 ? CAROM_OK : fail_broken(it, r, position, amount, error);
}

// what rates do to the constraints, of those that are free: [constraints][free]
static carom_status find_jacobian(carom_hybrid *it, int count, const int *list, double *W) {
  int n = it->model->dynamics->n, rows = it->model->constraints;
  double *v = it->fitting.numbers + carom_fit_room(it->model) - rows - n;
  double *y = it->room.scratch + it->size;
  memcpy(v, it->work.rows.velocity, (size_t)rows * sizeof *v);
  memcpy(y, it->y, (size_t)it->size * sizeof *y);
  for (int j = 0; j < count; j++) {
    double *rate = &y[it->model->dynamics->nq + list[j]], kept = *rate;
    *rate += 1.0;
    carom_status status = carom_hybrid_evaluate_rows(it, it->now.t, y);
    *rate = kept;
    if (status != CAROM_OK) return status;
    for (int r = 0; r < rows; r++)
      W[r * count + j] = it->work.rows.velocity[r] - v[r];
  }
  return carom_hybrid_evaluate_rows(it, it->now.t, it->y);
}

// du = M^-1 W' (W M^-1 W')^-1 (-v) over the free rates
static void follow_rows(carom_hybrid *it, int count, const int *list, const double *W) {
  int n = it->model->dynamics->n, rows = it->model->constraints;
  double *B = it->fitting.numbers + rows * n, *A = B + rows * n, *G = A + n * n,
         *v = G + rows * rows;
  const double *M = it->work.mass;
  for (int r = 0; r < rows; r++) { // B = M^-1 W', one row of W after the other
    memcpy(B + r * count, W + r * count, (size_t)count * sizeof *B);
    for (int k = 0; k < count * count; k++)
      A[k] = M[list[k / count] * n + list[k % count]];
    (void)carom_solve_semidefinite(count, A, B + r * count, 0.0, it->fitting.order);
  }
  for (int k = 0; k < rows * rows; k++) {
    G[k] = 0.0;
    for (int j = 0; j < count; j++)
      G[k] += W[k / rows * count + j] * B[k % rows * count + j];
  }
  for (int r = 0; r < rows; r++)
    v[r] = -it->work.rows.velocity[r];
  (void)carom_solve_semidefinite(rows, G, v, CAROM_DEPENDENT_ROW, it->fitting.order);
  for (int r = 0; r < rows; r++)
    for (int j = 0; j < count; j++)
      it->y[it->model->dynamics->nq + list[j]] += B[r * count + j] * v[r];
}

carom_status carom_hybrid_fit_start(carom_hybrid *it, carom_error *error) {
  const carom_scenario *s = it->model->scenario;
  bool assembles = s && s->run.assemble && strcmp(s->run.assemble, "yes") == 0;
  bool goes_on = !isnan(it->settings.start_given[it->model->dynamics->size]);
  carom_status status = assembles || goes_on ? CAROM_OK : check_invariants(it, error);
  if (status != CAROM_OK || it->model->constraints == 0 || assembles || goes_on) return status;
  status = carom_hybrid_evaluate_rows(it, it->now.t, it->y);
  if (status != CAROM_OK) return carom_hybrid_explain(it, status, it->now.t, it->y, error);
  bool position;
  double amount;
  int broken = first_broken(it, &position, &amount), count = 0, n = it->model->dynamics->n;
  int *list = it->fitting.order + n + it->model->constraints;
  for (int i = 0; i < n; i++)
    if (!is_written(it, i)) list[count++] = i;
  assert(count <= n);
  if (broken >= 0 && !position && count > 0 && carom_hybrid_mass(it, it->work.mass) == CAROM_OK) {
    status = find_jacobian(it, count, list, it->fitting.numbers);
    if (status == CAROM_OK) follow_rows(it, count, list, it->fitting.numbers);
    if (status != CAROM_OK) return carom_hybrid_explain(it, status, it->now.t, it->y, error);
  }
  return carom_hybrid_check_constraints(it, error);
}
