// SPDX-License-Identifier: MIT
#include "analysis/branch.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = CAROM_BRANCH_MOST, DENSE = CAROM_DENSE_MOST, HALVINGS = 12, CHORDS = 8 };
static const double CLOSER = 0.5; // a chord must make the residual this much smaller
static const double DROP = 1e-13, SLOPE_STEP = 1e-6;
static const double NOTHING = 1e-2; // residuals this far below the tolerance are rounding
static const double ROUNDED = 20.0; // residuals this far above the tolerance may be rounding
// Equations that follow from the others (the energy of a motion without losses comes back by
// itself) have no pivot, and integrators leave this much of them at most. More is no solution.
static const double UNSOLVED = 1e-8;

static void swap_numbers(double *a, double *b) {
  double kept = *a;
  *a = *b;
  *b = kept;
}

static double find_pivot(int n, const double *A, int k, int *row, int *column) {
  assert(k >= 0 && k < n);
  double largest = 0.0;
  *row = *column = k;
  for (int i = k; i < n; i++)
    for (int j = k; j < n; j++)
      if (fabs(A[i * n + j]) > largest) {
        largest = fabs(A[i * n + j]);
        *row = i;
        *column = j;
      }
  return largest;
}

static void eliminate_column(int n, double *A, double *b, int k) {
  assert(k >= 0 && k < n);
  for (int i = k + 1; i < n; i++) {
    double factor = A[i * n + k] / A[k * n + k];
    if (factor == 0.0) continue;
    for (int j = k; j < n; j++)
      A[i * n + j] -= factor * A[k * n + j];
    b[i] -= factor * b[k];
  }
}

int carom_branch_solve(int n, double *A, double *b, double drop, double *left) {
  assert(n >= 0);
  int order[DENSE] = {0}, rank = 0;
  double first = 0.0, x[DENSE];
  for (int k = 0; k < n; k++)
    order[k] = k;
  for (int k = 0; k < n; k++, rank++) {
    int row, column;
    double pivot = find_pivot(n, A, k, &row, &column);
    if (k == 0) first = pivot;
    if (!(pivot > drop * first)) break;
    for (int j = 0; j < n; j++)
      swap_numbers(&A[k * n + j], &A[row * n + j]);
    swap_numbers(&b[k], &b[row]);
    for (int i = 0; i < n; i++)
      swap_numbers(&A[i * n + k], &A[i * n + column]);
    int kept = order[k];
    order[k] = order[column];
    order[column] = kept;
    eliminate_column(n, A, b, k);
  }
  if (left) *left = 0.0;
  for (int k = rank; k < n && left; k++)
    *left = fmax(*left, fabs(b[k]));
  memset(x, 0, sizeof x);
  for (int k = rank - 1; k >= 0; k--) {
    double sum = b[k];
    for (int j = k + 1; j < rank; j++)
      sum -= A[k * n + j] * x[j];
    x[k] = sum / A[k * n + k];
  }
  for (int k = 0; k < n; k++)
    b[order[k]] = x[k];
  return rank;
}

// --- the system with the parameter as an unknown

/// F, and its derivatives by the unknowns and by the parameter.
typedef struct linear_system {
  double F[MOST], by_p[MOST];
  double *J;
} linear_system;

static carom_status make_system(const carom_branch_problem *problem, linear_system *system,
                                carom_error *error) {
  size_t n = (size_t)problem->count;
  size_t numbers = problem->is_ring ? carom_ring_numbers(&problem->ring) : n * n;
  memset(system->by_p, 0, n * sizeof *system->by_p);
  system->J = malloc((numbers + 1) * sizeof *system->J);
  return system->J ? CAROM_OK : carom_fail_memory(error);
}

static carom_status slope_by_parameter(const carom_branch_problem *problem, const double *x,
                                       double p, double *slope, carom_error *error) {
  double plus[MOST], minus[MOST], h = SLOPE_STEP * fmax(fabs(p), problem->scale_p);
  carom_status status = problem->residual(problem->ctx, x, p + h, plus, NULL, error);
  if (status == CAROM_OK) status = problem->residual(problem->ctx, x, p - h, minus, NULL, error);
  for (int i = 0; i < problem->count && status == CAROM_OK; i++)
    slope[i] = (plus[i] - minus[i]) / (2.0 * h);
  return status;
}

static double weighted_norm(const carom_branch_problem *problem, const double *F) {
  double most = 0.0;
  for (int i = 0; i < problem->count; i++) {
    double part = fabs(F[i]) * problem->weight[i];
    if (!(part <= most)) most = part; // keeps a NaN
  }
  return most;
}

static void remember_slopes(const carom_branch_problem *problem, const carom_branch_point *point,
                            const double *J, const double *by_p) {
  carom_branch_slopes *seen = problem->seen;
  size_t n = (size_t)problem->count;
  seen->known = true;
  seen->p = point->p;
  memcpy(seen->x, point->x, n * sizeof *seen->x);
  memcpy(seen->J, J, n * n * sizeof *seen->J);
  memcpy(seen->by_p, by_p, n * sizeof *seen->by_p);
}

// in scaled unknowns and weighted equations, with room for one more: count + 1 numbers a row
static void scale_matrix(const carom_branch_problem *problem, const double *J, const double *by_p,
                         double *A) {
  int n = problem->count, m = n + 1;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      A[i * m + j] = problem->weight[i] * J[i * n + j] * problem->scale[j];
    A[i * m + n] = problem->weight[i] * by_p[i] * problem->scale_p;
  }
}

// F and J at the point, with the slope by the parameter where `along`
static carom_status set_up(const carom_branch_problem *problem, const carom_branch_point *point,
                           bool along, linear_system *system, carom_error *error) {
  size_t n = (size_t)problem->count;
  double *slope = system->by_p;
  carom_status status =
      problem->residual(problem->ctx, point->x, point->p, system->F, system->J, error);
  if (along && problem->slope)
    memcpy(slope, problem->slope, n * sizeof *slope);
  else if (status == CAROM_OK && along)
    status = slope_by_parameter(problem, point->x, point->p, slope, error);
  if (status != CAROM_OK) return status;
  if (along && problem->slope_seen) memcpy(problem->slope_seen, slope, n * sizeof *slope);
  if (along && problem->seen && !problem->slope && !problem->is_ring)
    remember_slopes(problem, point, system->J, slope);
  return CAROM_OK;
}

// the scaled equations with `last` as one more, whose right-hand side is the last; returns what is
// left of those that cannot be solved
static double solve_scaled(const carom_branch_problem *problem, const double *scaled,
                           const double *last, double *right) {
  int n = problem->count, m = n + 1;
  double A[DENSE * DENSE], left;
  memcpy(A, scaled, (size_t)(n * m) * sizeof *A);
  memcpy(A + n * m, last, (size_t)m * sizeof *A);
  (void)carom_branch_solve(m, A, right, fmax(problem->drop, DROP), &left);
  return left;
}

static carom_status solve_step(const carom_branch_problem *problem, const linear_system *system,
                               const double *last, double *right, double *left,
                               carom_error *error) {
  if (problem->is_ring) {
    carom_ring_system ring = {.ring = problem->ring,
                              .matrix = system->J,
                              .by_parameter = system->by_p,
                              .scale = problem->scale,
                              .weight = problem->weight,
                              .scale_parameter = problem->scale_p};
    return carom_ring_solve(&ring, last, fmax(problem->drop, DROP), right, left)
               ? CAROM_OK
               : carom_fail_memory(error);
  }
  double scaled[DENSE * DENSE];
  scale_matrix(problem, system->J, system->by_p, scaled);
  *left = solve_scaled(problem, scaled, last, right);
  return CAROM_OK;
}

// what the step must do: to make F zero, in the hyperplane across the direction
static void aim_step(const carom_branch_problem *problem, const double *F, double *right) {
  for (int i = 0; i < problem->count; i++)
    right[i] = -problem->weight[i] * F[i];
  right[problem->count] = 0.0;
}

// a direction in unknowns and parameter; NULL: the parameter alone
static const double *direction_or(const carom_branch_problem *problem, const double *direction,
                                  double *parameter) {
  if (direction) return direction;
  memset(parameter, 0, (size_t)problem->count * sizeof *parameter);
  parameter[problem->count] = 1.0;
  return parameter;
}

static void move_point(const carom_branch_problem *problem, const carom_branch_point *from,
                       const double *step, double factor, carom_branch_point *to) {
  for (int j = 0; j < problem->count; j++)
    to->x[j] = from->x[j] + factor * step[j] * problem->scale[j];
  to->p = from->p + factor * step[problem->count] * problem->scale_p;
}

static void place_at(const carom_branch_problem *problem, const carom_branch_point *from,
                     carom_branch_point *to) {
  memcpy(to->x, from->x, (size_t)problem->count * sizeof *to->x);
  to->p = from->p;
}

void carom_branch_go(const carom_branch_problem *problem, const carom_branch_point *from, double s,
                     carom_branch_point *to) {
  for (int k = 0; k < problem->count; k++)
    to->x[k] = from->x[k] + s * from->tangent[k] * problem->scale[k];
  to->p = from->p + s * from->tangent_p * problem->scale_p;
}

void carom_branch_between(const carom_branch_problem *problem, const carom_branch_point *a,
                          const carom_branch_point *b, double part, double p,
                          carom_branch_point *to) {
  for (int k = 0; k < problem->count; k++)
    to->x[k] = a->x[k] + part * (b->x[k] - a->x[k]);
  to->p = p;
}

void carom_branch_shift(const carom_branch_problem *problem, carom_branch_point *point, int which,
                        double amount) {
  assert(which >= 0 && which <= problem->count);
  bool is_parameter = which == problem->count;
  *(is_parameter ? &point->p : &point->x[which]) +=
      amount * (is_parameter ? problem->scale_p : problem->scale[which]);
}

void carom_branch_clip(const carom_branch_problem *problem, carom_branch_point *point) {
  size_t rest = (size_t)(CAROM_BRANCH_MOST - problem->count);
  memset(point->x + problem->count, 0, rest * sizeof *point->x);
  memset(point->tangent + problem->count, 0, rest * sizeof *point->tangent);
}

void carom_branch_make_unit(const carom_branch_problem *problem, carom_branch_point *point) {
  double square = point->tangent_p * point->tangent_p;
  for (int k = 0; k < problem->count; k++)
    square += point->tangent[k] * point->tangent[k];
  if (!(square > 0.0)) return;
  for (int k = 0; k < problem->count; k++)
    point->tangent[k] /= sqrt(square);
  point->tangent_p /= sqrt(square);
}

void carom_branch_face(const carom_branch_problem *problem, carom_branch_point *point,
                       double sign) {
  for (int k = 0; k < problem->count; k++)
    point->tangent[k] *= sign;
  point->tangent_p *= sign;
}

void carom_branch_aim(carom_branch_point *point, const carom_branch_point *along) {
  memcpy(point->tangent, along->tangent, sizeof point->tangent);
  point->tangent_p = along->tangent_p;
}

void carom_branch_head(carom_branch_point *point, double sign) {
  memset(point->tangent, 0, sizeof point->tangent);
  point->tangent_p = sign;
}

static double length_of(int n, const double *v) {
  double square = 0.0;
  for (int i = 0; i < n; i++)
    square += v[i] * v[i];
  return sqrt(square);
}

static bool may_look_at(const carom_branch_problem *problem, double p) {
  return problem->low == problem->high || (p >= problem->low && p <= problem->high);
}

// the longest of 1, 1/2, 1/4, ... that makes the residual smaller
static carom_status take_step(const carom_branch_problem *problem, carom_branch_point *point,
                              const double *step, double norm, double *next, carom_error *error) {
  carom_status status = CAROM_OK;
  carom_branch_point trial;
  double F[MOST];
  for (int k = 0; k < HALVINGS; k++) {
    move_point(problem, point, step, ldexp(1.0, -k), &trial);
    if (!may_look_at(problem, trial.p)) continue;
    status = problem->residual(problem->ctx, trial.x, trial.p, F, NULL, error);
    if (status == CAROM_STOP_USER) return status;
    *next = status == CAROM_OK ? weighted_norm(problem, F) : INFINITY;
    if (*next < norm) {
      place_at(problem, &trial, point);
      return CAROM_OK;
    }
  }
  return CAROM_ERR_NO_CONVERGENCE;
}

// A += F step^T / |step|^2: after a step that should have made F zero (Broyden 1965)
static void update_chord(const carom_branch_problem *problem, const double *F, const double *step,
                         double *A) {
  int n = problem->count, m = n + 1;
  double length = length_of(m, step);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      A[i * m + j] += problem->weight[i] * F[i] * step[j] / (length * length);
}

// Broyden's method from derivatives nearby; the point is left alone where it does not converge fast
static carom_status correct_by_chords(const carom_branch_problem *problem,
                                      carom_branch_point *point, const double *direction,
                                      double tolerance, carom_branch_effort *effort) {
  double step[DENSE], F[DENSE], A[DENSE * DENSE];
  carom_branch_point at, before;
  place_at(problem, point, &at);
  scale_matrix(problem, problem->near->J, problem->near->by_p, A);
  carom_status status = problem->residual(problem->ctx, at.x, at.p, F, NULL, NULL);
  for (int round = 0; round < CHORDS && status == CAROM_OK; round++) {
    double norm = weighted_norm(problem, F);
    aim_step(problem, F, step);
    double left = solve_scaled(problem, A, direction, step);
    double length = length_of(problem->count + 1, step);
    if (round == 0) effort->first = length;
    effort->rounds = 1 + (round + 1) / 2; // what they cost beside rounds of Newton's method
    effort->residual = norm;
    if (!isfinite(length)) break;
    place_at(problem, &at, &before);
    move_point(problem, &at, step, 1.0, &at);
    if (!may_look_at(problem, at.p)) break;
    bool done = length <= tolerance && left <= UNSOLVED;
    if (!done) status = problem->residual(problem->ctx, at.x, at.p, F, NULL, NULL);
    bool closer = status == CAROM_OK && weighted_norm(problem, F) < CLOSER * norm;
    // the integrator's own error has been reached
    bool rounded = status == CAROM_OK && !closer && norm <= ROUNDED * tolerance;
    if (done || rounded) {
      place_at(problem, done ? &at : &before, point);
      return CAROM_OK;
    }
    if (!closer) break;
    update_chord(problem, F, step, A);
  }
  return status == CAROM_STOP_USER ? status : CAROM_ERR_NO_CONVERGENCE;
}

// Whole steps for as long as each leaves much less than the one before; false: the point is where
// it was, and is to be gone on from with care.
static bool correct_near_by(const carom_branch_problem *problem, linear_system *system,
                            carom_branch_point *point, const double *direction, double tolerance,
                            int most, carom_branch_effort *effort) {
  double step[MOST + 1], x[MOST], p = point->p, last = INFINITY, left;
  size_t size = (size_t)problem->count * sizeof *x;
  memcpy(x, point->x, size);
  for (int round = 0; round < most; round++) {
    if (set_up(problem, point, true, system, NULL) != CAROM_OK) break;
    double norm = weighted_norm(problem, system->F);
    aim_step(problem, system->F, step);
    if (solve_step(problem, system, direction, step, &left, NULL) != CAROM_OK) break;
    double length = length_of(problem->count + 1, step);
    effort->rounds = round + 1;
    effort->residual = norm;
    if (round == 0) effort->first = length;
    bool done = length <= tolerance || (norm <= ROUNDED * tolerance && !(norm <= CLOSER * last));
    if (!isfinite(length) || (done && left > UNSOLVED)) break;
    if (done) return true;
    if (!(norm <= CLOSER * last)) break;
    last = norm;
    move_point(problem, point, step, 1.0, point);
    if (!may_look_at(problem, point->p)) break;
  }
  memcpy(point->x, x, size);
  point->p = p;
  return false;
}

static carom_status correct_point(const carom_branch_problem *problem, linear_system *system,
                                  carom_branch_point *point, const double *direction,
                                  double tolerance, int most, carom_branch_effort *effort,
                                  carom_error *error) {
  double step[MOST + 1], parameter[MOST + 1], left;
  const double *last = direction_or(problem, direction, parameter);
  for (int round = 0; round < most; round++) {
    carom_status status = set_up(problem, point, direction != NULL, system, error);
    if (status != CAROM_OK) return status;
    double norm = weighted_norm(problem, system->F), next = norm;
    aim_step(problem, system->F, step);
    status = solve_step(problem, system, last, step, &left, error);
    if (status != CAROM_OK) return status;
    double length = length_of(problem->count + 1, step);
    effort->rounds = round + 1;
    effort->residual = norm;
    if (round == 0) effort->first = length;
    if (!isfinite(length)) break;
    // the last step is taken without asking: the residual is rounding by then
    if (length <= tolerance && left > UNSOLVED)
      return carom_fail(error, CAROM_ERR_NO_CONVERGENCE,
                        "there is no solution near: %.3g is left of an equation that changes with "
                        "nothing, such as the energy that a motion with losses does not get back",
                        left);
    if (length <= tolerance) {
      move_point(problem, point, step, 1.0, point);
      return CAROM_OK;
    }
    status = take_step(problem, point, step, norm, &next, error);
    if (status == CAROM_STOP_USER) return status;
    // no step makes it smaller: the integrator's own error has been reached, or there is none
    if (status != CAROM_OK) {
      if (norm <= ROUNDED * tolerance) return CAROM_OK;
      break;
    }
  }
  // steps that rounding alone keeps from getting shorter
  if (effort->residual <= NOTHING * tolerance) return CAROM_OK;
  return carom_fail(error, CAROM_ERR_NO_CONVERGENCE,
                    "Newton's method does not converge (%.3g left after %d rounds)",
                    effort->residual, effort->rounds);
}

carom_status carom_branch_correct(const carom_branch_problem *problem, carom_branch_point *point,
                                  const double *direction, double tolerance, int most,
                                  carom_branch_effort *effort, carom_error *error) {
  linear_system system;
  *effort = (carom_branch_effort){0};
  if (direction && problem->near && problem->near->known && !problem->is_ring) {
    carom_status found = correct_by_chords(problem, point, direction, tolerance, effort);
    if (found == CAROM_OK || found == CAROM_STOP_USER) return found;
  }
  carom_status status = make_system(problem, &system, error);
  bool found = status == CAROM_OK && problem->near_by && direction &&
               correct_near_by(problem, &system, point, direction, tolerance, most, effort);
  if (status == CAROM_OK && !found)
    status = correct_point(problem, &system, point, direction, tolerance, most, effort, error);
  free(system.J);
  return status;
}

carom_status carom_branch_tangent(const carom_branch_problem *problem, carom_branch_point *point,
                                  carom_error *error) {
  int n = problem->count, m = n + 1;
  linear_system system;
  double v[MOST + 1] = {0}, old[MOST + 1], left;
  carom_status status = make_system(problem, &system, error);
  if (status == CAROM_OK) status = set_up(problem, point, true, &system, error);
  memcpy(old, point->tangent, (size_t)n * sizeof *old);
  old[n] = point->tangent_p;
  bool known = length_of(m, old) > 0.0;
  if (!known) old[n] = 1.0;
  v[n] = 1.0;
  if (status == CAROM_OK) status = solve_step(problem, &system, old, v, &left, error);
  free(system.J);
  if (status != CAROM_OK) return status;
  double length = length_of(m, v);
  if (!(length > 0.0))
    return carom_fail(error, CAROM_ERR_NO_CONVERGENCE, "the branch has no tangent here");
  for (int j = 0; j < n; j++)
    point->tangent[j] = v[j] / length;
  point->tangent_p = v[n] / length;
  return CAROM_OK;
}
