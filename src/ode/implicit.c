// SPDX-License-Identifier: MIT
#include "ode/implicit.h"

#include "base/eigen.h"
#include "base/elementary.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STAGES = CAROM_IMPLICIT_STAGES, NEWTON_LIMIT = 8 };
// a Jacobian by differences costs as many evaluations as several Newton iterations: it is kept
// while these converge faster than this
static const double LAZY = 0.03;

// Radau IIA, s = 3 (Hairer and Wanner II, table IV.5.6), with r = sqrt(6)
#define R6 2.44948974278317809820
static const double NODE[STAGES] = {(4.0 - R6) / 10.0, (4.0 + R6) / 10.0, 1.0};
static const double A[STAGES][STAGES] = {
    {(88.0 - 7.0 * R6) / 360.0, (296.0 - 169.0 * R6) / 1800.0, (-2.0 + 3.0 * R6) / 225.0},
    {(296.0 + 169.0 * R6) / 1800.0, (88.0 + 7.0 * R6) / 360.0, (-2.0 - 3.0 * R6) / 225.0},
    {(16.0 - R6) / 36.0, (16.0 + R6) / 36.0, 1.0 / 9.0}};
// the error estimate: (GAMMA/h - J) err = f(y) + sum_i ERROR[i] z_i / h, GAMMA the real eigenvalue
// of A^-1 (Hairer and Wanner II, (IV.8.19))
static const double GAMMA = 3.63783425274449573220;
static const double ERROR[STAGES] = {-(13.0 + 7.0 * R6) / 3.0, (-13.0 + 7.0 * R6) / 3.0,
                                     -1.0 / 3.0};

// ---- LU

static bool factor(int n, double *M, int *pivot) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(M[i * n + k]) > fabs(M[best * n + k])) best = i;
    pivot[k] = best;
    if (best != k)
      for (int j = 0; j < n; j++) {
        double kept = M[k * n + j];
        M[k * n + j] = M[best * n + j];
        M[best * n + j] = kept;
      }
    double p = M[k * n + k];
    if (p == 0.0 || !isfinite(p)) return false;
    for (int i = k + 1; i < n; i++) {
      double l = M[i * n + k] / p;
      M[i * n + k] = l;
      if (l != 0.0)
        for (int j = k + 1; j < n; j++)
          M[i * n + j] -= l * M[k * n + j];
    }
  }
  return true;
}

static void solve(int n, const double *M, const int *pivot, double *b) {
  for (int k = 0; k < n; k++) {
    double kept = b[k];
    b[k] = b[pivot[k]];
    b[pivot[k]] = kept;
  }
  for (int i = 1; i < n; i++)
    for (int j = 0; j < i; j++)
      b[i] -= M[i * n + j] * b[j];
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++)
      b[i] -= M[i * n + j] * b[j];
    b[i] /= M[i * n + i];
  }
}

// ---- room and start

carom_status carom_implicit_init(carom_implicit *it, carom_arena *arena, int n, carom_rhs rhs,
                                 void *ctx, const carom_stepper_options *options,
                                 carom_error *error) {
  int active = options->controlled > 0 ? options->controlled : n, wide = STAGES * active;
  *it = (carom_implicit){.n = n, .active = active, .rhs = rhs, .ctx = ctx, .options = *options};
  size_t states = (size_t)n, square = (size_t)active * (size_t)active;
  int eigen = carom_eigen_workspace(active) + 2 * active + active * active;
  double *room = carom_arena_array(arena, 12 * states, sizeof *room);
  it->jacobian = carom_arena_array(arena, square, sizeof(double));
  it->small = carom_arena_array(arena, square, sizeof(double));
  it->big = carom_arena_array(arena, STAGES * STAGES * square, sizeof(double));
  it->change = carom_arena_array(arena, (size_t)wide, sizeof(double));
  it->work = carom_arena_array(arena, (size_t)eigen, sizeof(double));
  it->big_pivot = carom_arena_array(arena, (size_t)wide, sizeof(int));
  it->small_pivot = carom_arena_array(arena, (size_t)active, sizeof(int));
  if (!room || !it->jacobian || !it->small || !it->big || !it->change || !it->work ||
      !it->big_pivot || !it->small_pivot)
    return carom_fail_memory(error);
  double **rows[] = {&it->y,        &it->f,        &it->y1,       &it->f1,
                     &it->stage[0], &it->stage[1], &it->stage[2], &it->slope[0],
                     &it->slope[1], &it->slope[2], &it->trial};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++, room += n)
    *rows[k] = room;
  return CAROM_OK;
}

static carom_status evaluate(carom_implicit *it, double t, const double *y, double *dydt) {
  it->evaluations++;
  carom_status status = it->rhs(it->ctx, t, y, dydt);
  for (int i = 0; !status && i < it->n; i++)
    if (!isfinite(dydt[i])) status = CAROM_ERR_NONFINITE;
  return status;
}

carom_status carom_implicit_start(carom_implicit *it, double t, const double *y, double h,
                                  carom_error *error) {
  it->t = it->t1 = t;
  it->h = 0.0;
  // The estimate is of order 3, the step of order 5: measured with the tolerance itself it would
  // ask for far more than is wanted (Hairer and Wanner's own program takes 0.1 rtol^(2/3) as well).
  it->slack = 0.1 * carom_pow(it->options.rtol, -1.0 / 3.0);
  it->fresh = false;
  it->factored_h = it->previous_h = 0.0;
  it->h_next = h > 0.0 ? h : 1e-6;
  return carom_implicit_amend(it, y, error);
}

carom_status carom_implicit_amend(carom_implicit *it, const double *y, carom_error *error) {
  if (y != it->y) memmove(it->y, y, (size_t)it->n * sizeof *y);
  carom_status status = evaluate(it, it->t, it->y, it->f);
  if (status)
    return carom_fail(error, status, "the right-hand side at t = %.17g: %s", it->t,
                      carom_status_text(status));
  return CAROM_OK;
}

// ---- the Jacobian

static double weight(const carom_implicit *it, int i, double size) {
  double scale = it->options.scale ? it->options.scale[i] : 1.0;
  return it->slack * (it->options.atol * scale + it->options.rtol * size);
}

// forward differences; backwards where there is no value ahead
static carom_status differentiate(carom_implicit *it, double t, const double *y, const double *f) {
  int n = it->active;
  double *moved = it->trial, *slope = it->slope[0];
  memcpy(moved, y, (size_t)it->n * sizeof *y);
  for (int j = 0; j < n; j++) {
    double step = 1.5e-8 * fmax(fabs(y[j]), 1e-2);
    carom_status status = CAROM_OK;
    for (int attempt = 0; attempt < 3; attempt++) {
      moved[j] = y[j] + (attempt == 0 ? step : attempt == 1 ? -step : 0.01 * step);
      status = evaluate(it, t, moved, slope);
      if (!status) break;
    }
    if (status) return status;
    double taken = moved[j] - y[j];
    for (int i = 0; i < n; i++)
      it->jacobian[i * n + j] = (slope[i] - f[i]) / taken;
    moved[j] = y[j];
  }
  it->jacobians++;
  double *re = it->work, *im = re + n, *work = im + n;
  it->stiffness = it->decay = 0.0;
  if (!carom_eigenvalues(n, it->jacobian, work, re, im)) it->stiffness = NAN;
  for (int i = 0; i < n; i++) {
    double size = sqrt(re[i] * re[i] + im[i] * im[i]);
    it->stiffness = fmax(it->stiffness, size);
    if (-re[i] > 0.02 * size) it->decay = fmax(it->decay, size);
  }
  return CAROM_OK;
}

double carom_implicit_stiffness(carom_implicit *it, double t, const double *y, const double *f) {
  it->fresh = false;
  it->previous_h = 0.0;
  return differentiate(it, t, y, f) == CAROM_OK ? it->stiffness : (double)NAN;
}

static bool factorise(carom_implicit *it, double h) {
  int n = it->active, wide = STAGES * n;
  for (int a = 0; a < STAGES; a++)
    for (int b = 0; b < STAGES; b++)
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
          it->big[(a * n + i) * wide + b * n + j] =
              (a == b && i == j ? 1.0 : 0.0) - h * A[a][b] * it->jacobian[i * n + j];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      it->small[i * n + j] = (i == j ? GAMMA / h : 0.0) - it->jacobian[i * n + j];
  it->factored_h = h;
  return factor(wide, it->big, it->big_pivot) && factor(n, it->small, it->small_pivot);
}

// ---- a step

// Lagrange polynomials of the nodes 0, c_1, c_2, c_3; those of the stages
static void basis(double theta, double value[STAGES], double slope[STAGES]) {
  for (int i = 0; i < STAGES; i++) {
    int j = (i + 1) % STAGES, k = (i + 2) % STAGES;
    double down = NODE[i] * (NODE[i] - NODE[j]) * (NODE[i] - NODE[k]);
    double a = theta - NODE[j], b = theta - NODE[k];
    value[i] = theta * a * b / down;
    slope[i] = (a * b + theta * (a + b)) / down;
  }
}

// the polynomial of the step before, continued, is the first guess
static void guess(carom_implicit *it, double h) {
  double L[STAGES][STAGES], unused[STAGES];
  double ratio = it->previous_h > 0.0 ? h / it->previous_h : 0.0;
  for (int a = 0; a < STAGES; a++)
    basis(1.0 + NODE[a] * ratio, L[a], unused);
  for (int i = 0; i < it->n; i++) {
    double z[STAGES] = {it->stage[0][i], it->stage[1][i], it->stage[2][i]};
    for (int a = 0; a < STAGES; a++)
      it->stage[a][i] = ratio > 0.0 && ratio < 3.0
                            ? L[a][0] * z[0] + L[a][1] * z[1] + L[a][2] * z[2] - z[2]
                            : 0.0;
  }
}

static carom_status evaluate_stages(carom_implicit *it, double h) {
  for (int a = 0; a < STAGES; a++) {
    for (int i = 0; i < it->n; i++)
      it->trial[i] = it->y[i] + it->stage[a][i];
    carom_status status = evaluate(it, it->t + NODE[a] * h, it->trial, it->slope[a]);
    if (status) return status;
  }
  return CAROM_OK;
}

static double change_norm(const carom_implicit *it) {
  double sum = 0.0;
  for (int a = 0; a < STAGES; a++)
    for (int i = 0; i < it->active; i++) {
      double q = it->change[a * it->active + i] / weight(it, i, fabs(it->y[i]));
      sum += q * q;
    }
  return sqrt(sum / (STAGES * it->active));
}

// Simplified Newton iteration; true when it converged.
static bool newton(carom_implicit *it, double h, carom_status *status) {
  int n = it->active;
  double before = 0.0, rtol = it->slack * it->options.rtol;
  double goal = fmax(10.0 * DBL_EPSILON / rtol, fmin(0.03, sqrt(rtol)));
  it->contraction = 0.5;
  for (int round = 0; round < NEWTON_LIMIT; round++) {
    if ((*status = evaluate_stages(it, h))) return false;
    for (int a = 0; a < STAGES; a++)
      for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int b = 0; b < STAGES; b++)
          sum += A[a][b] * it->slope[b][i];
        it->change[a * n + i] = h * sum - it->stage[a][i];
      }
    solve(STAGES * n, it->big, it->big_pivot, it->change);
    double size = change_norm(it);
    if (!isfinite(size)) return false;
    for (int a = 0; a < STAGES; a++)
      for (int i = 0; i < n; i++)
        it->stage[a][i] += it->change[a * n + i];
    if (round > 0) it->contraction = size / fmax(before, DBL_MIN);
    // the first change may be small by chance beside what the second puts right
    if (it->contraction >= (round == 1 ? 20.0 : 0.99)) return false;
    double ahead = it->contraction < 0.99 ? it->contraction / (1.0 - it->contraction) * size : size;
    if ((ahead <= goal && it->contraction < 0.99) || size == 0.0) return true;
    before = size;
  }
  return false;
}

static double error_norm(const carom_implicit *it, const double *e) {
  double sum = 0.0;
  for (int i = 0; i < it->active; i++) {
    double q = e[i] / weight(it, i, fmax(fabs(it->y[i]), fabs(it->y1[i])));
    sum += q * q;
  }
  return sqrt(sum / it->active);
}

// the error of the step in units of the tolerance; a second look where the first is too large
static double step_error(carom_implicit *it, double h, bool again) {
  int n = it->active;
  double *e = it->change, *moved = it->trial, *slope = it->f1;
  for (int i = 0; i < n; i++) {
    moved[i] =
        (ERROR[0] * it->stage[0][i] + ERROR[1] * it->stage[1][i] + ERROR[2] * it->stage[2][i]) / h;
    e[i] = moved[i] + it->f[i];
  }
  solve(n, it->small, it->small_pivot, e);
  double size = error_norm(it, e);
  if (size < 1.0 || !again) return size;
  double own[64];
  if (n > 64) return size;
  memcpy(own, moved, (size_t)n * sizeof *own);
  memcpy(moved, it->y, (size_t)it->n * sizeof *moved);
  for (int i = 0; i < n; i++)
    moved[i] += e[i];
  if (evaluate(it, it->t, moved, slope)) return size;
  for (int i = 0; i < n; i++)
    e[i] = own[i] + slope[i];
  solve(n, it->small, it->small_pivot, e);
  return error_norm(it, e);
}

// The same of the integrals beside, which nothing in the motion would miss: a kink in what they sum
// up is found by them alone.
static double beside_error(const carom_implicit *it, double h) {
  double worst = 0.0;
  for (int i = it->active; i < it->n && it->beside > 0.0; i++) {
    double sum = h * it->f[i];
    for (int a = 0; a < STAGES; a++)
      sum += ERROR[a] * it->stage[a][i];
    worst = fmax(worst, fabs(sum) / (GAMMA * it->beside));
  }
  return worst;
}

// the end of the step: the last stage, and the integrals beside by the same quadrature
static carom_status finish(carom_implicit *it, double h) {
  carom_status status = it->active < it->n ? evaluate_stages(it, h) : CAROM_OK;
  if (status) return status;
  for (int i = it->active; i < it->n; i++)
    for (int a = 0; a < STAGES; a++)
      it->stage[a][i] =
          h * (A[a][0] * it->slope[0][i] + A[a][1] * it->slope[1][i] + A[a][2] * it->slope[2][i]);
  for (int i = 0; i < it->n; i++)
    it->y1[i] = it->y[i] + it->stage[2][i];
  return CAROM_OK;
}

// f at the end of the step; where `finish` has looked at the stages, the last of them is that
static carom_status end_slope(carom_implicit *it) {
  if (it->active == it->n) return evaluate(it, it->t1, it->y1, it->f1);
  memcpy(it->f1, it->slope[STAGES - 1], (size_t)it->n * sizeof *it->f1);
  return CAROM_OK;
}

// the same polynomial over a part of the step
static void guess_part(carom_implicit *it, double ratio) {
  double L[STAGES][STAGES], unused[STAGES];
  for (int a = 0; a < STAGES; a++)
    basis(NODE[a] * ratio, L[a], unused);
  for (int i = 0; i < it->n; i++) {
    double z[STAGES] = {it->stage[0][i], it->stage[1][i], it->stage[2][i]};
    for (int a = 0; a < STAGES; a++)
      it->stage[a][i] = L[a][0] * z[0] + L[a][1] * z[1] + L[a][2] * z[2];
  }
}

// `part`: the stages are those of a longer step just tried, of which this is that part; 0: not so
static carom_status attempt(carom_implicit *it, double h, double part, bool *converged) {
  *converged = false;
  carom_status status = CAROM_OK;
  if (!it->fresh && (it->factored_h == 0.0 || it->contraction > LAZY)) {
    status = differentiate(it, it->t, it->y, it->f);
    it->fresh = true;
    it->factored_h = 0.0;
  }
  if (status) return status;
  // times are rounded, so lengths that should be equal are so only nearly
  bool same = fabs(it->factored_h - h) <= 1e-6 * h;
  if (!same && !factorise(it, h)) return CAROM_ERR_SINGULAR;
  if (part > 0.0)
    guess_part(it, part);
  else
    guess(it, h);
  it->previous_h = 0.0; // the stages are overwritten
  *converged = newton(it, h, &status);
  if (*converged) status = finish(it, h);
  if (status == CAROM_ERR_NONFINITE) *converged = false, status = CAROM_OK;
  return status;
}

carom_status carom_implicit_try(carom_implicit *it, double t_end, carom_error *error) {
  double wanted = it->h_next;
  if (it->options.h_max > 0.0) wanted = fmin(wanted, it->options.h_max);
  bool refused = false;
  for (;;) {
    it->t1 = it->t + 1.01 * wanted >= t_end ? t_end : it->t + wanted;
    double h = it->t1 - it->t;
    bool converged = false;
    if (!(h > 0.0) || it->t + 0.1 * h == it->t)
      return carom_fail(error, CAROM_ERR_STEP,
                        "at t = %.17g the tolerance asks for a step of %.3g, too small to move on",
                        it->t, h);
    carom_status status = attempt(it, h, 0.0, &converged);
    if (status && status != CAROM_ERR_SINGULAR)
      return carom_fail(error, status, "the right-hand side failed just after t = %.17g", it->t);
    if (!converged) {
      // an old Jacobian is renewed before the step is blamed
      it->rejected++;
      bool renew = !it->fresh;
      it->contraction = 1.0;
      it->factored_h = 0.0;
      wanted = renew ? h : 0.35 * h;
      continue;
    }
    double e = fmax(step_error(it, h, refused || it->steps == 0), beside_error(it, h));
    double change = fmin(8.0, fmax(0.2, 0.85 / sqrt(sqrt(fmax(e, 1e-12)))));
    if (e <= 1.0 && end_slope(it) == CAROM_OK) {
      // a step that would hardly change keeps its factors
      bool keep = change >= 0.95 && change <= 1.3;
      bool cut = it->t1 == t_end && h < 0.99 * wanted;
      it->h_next = cut ? fmax(wanted, h * change) : keep ? h : h * change;
      if (refused && it->h_next > h) it->h_next = h;
      it->h = h;
      it->steps++;
      return CAROM_OK;
    }
    it->rejected++;
    refused = true;
    wanted = h * fmin(0.8, e <= 1.0 ? 0.3 : change);
  }
}

carom_status carom_implicit_shorten(carom_implicit *it, double h, carom_error *error) {
  // at a smaller length the same step converges better still; the error control has spoken
  bool converged = false;
  it->t1 = it->t + h;
  if (!it->fresh) it->contraction = 1.0; // a new Jacobian, to be safe
  it->factored_h = 0.0;
  carom_status status = attempt(it, h, h / it->h, &converged);
  // from rest, where the guess went astray
  if (!status && !converged) status = attempt(it, h, 0.0, &converged);
  if (!status && !converged) status = CAROM_ERR_NO_CONVERGENCE;
  if (!status) status = end_slope(it);
  it->h = h;
  if (!status) return CAROM_OK;
  return carom_fail(error, status, "a shorter step from t = %.17g over %.17g: %s", it->t, h,
                    carom_status_text(status));
}

void carom_implicit_commit(carom_implicit *it) {
  size_t size = (size_t)it->n * sizeof *it->y;
  memcpy(it->y, it->y1, size);
  memcpy(it->f, it->f1, size);
  it->t = it->t1;
  it->previous_h = it->h;
  it->fresh = false;
}

void carom_implicit_dense(const carom_implicit *it, double theta, double *y, double *dy) {
  double L[STAGES], slope[STAGES];
  basis(theta, L, slope);
  for (int i = 0; i < it->n; i++) {
    const double z[STAGES] = {it->stage[0][i], it->stage[1][i], it->stage[2][i]};
    y[i] = it->y[i] + L[0] * z[0] + L[1] * z[1] + L[2] * z[2];
    if (dy) dy[i] = (slope[0] * z[0] + slope[1] * z[1] + slope[2] * z[2]) / it->h;
  }
}
