// SPDX-License-Identifier: MIT
#include "ode/implicit.h"

#include "base/eigen.h"
#include "base/elementary.h"
#include "ode/implicit_factor.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STAGES = CAROM_IMPLICIT_STAGES, NEWTON_LIMIT = 8 };
// a Jacobian by differences costs as many evaluations as several Newton iterations: it is kept
// while these converge faster than this
static const double LAZY = 0.03;
static const double BESIDE_OFF = 0.03; // of what an integral beside may be off in a step

// Radau IIA, s = 3 (Hairer and Wanner II, table IV.5.6), with r = sqrt(6)
#define R6 2.44948974278317809820
static const double NODE[STAGES] = {(4.0 - R6) / 10.0, (4.0 + R6) / 10.0, 1.0};
static const double A[STAGES][STAGES] = {
    {(88.0 - 7.0 * R6) / 360.0, (296.0 - 169.0 * R6) / 1800.0, (-2.0 + 3.0 * R6) / 225.0},
    {(296.0 + 169.0 * R6) / 1800.0, (88.0 + 7.0 * R6) / 360.0, (-2.0 - 3.0 * R6) / 225.0},
    {(16.0 - R6) / 36.0, (16.0 + R6) / 36.0, 1.0 / 9.0}};
// A^-1 = T diag(GAMMA, (ALPHA, BETA; -BETA, ALPHA)) T^-1: with the stages mixed by T^-1 the Newton
// system falls apart into a real and a complex one (Hairer and Wanner II, IV.8)
static const double INVERSE[STAGES][STAGES] = {
    {3.224744871391589049099, 1.167840084690405494924, -0.2531972647421808261859},
    {-3.567840084690405494924, 0.7752551286084109509014, 1.053197264742180826186},
    {5.531972647421808261859, -7.531972647421808261859, 5.0}};
static const double T[STAGES][STAGES] = {
    {0.09443876248897524148749, -0.141255295020954208428, 0.03002919410514742449186},
    {0.2502131229653333113765, 0.204129352293799931996, -0.3829421127572619377954},
    {1.0, 1.0, 0.0}};
static const double T_INVERSE[STAGES][STAGES] = {
    {4.178718591551904727346, 0.3276828207610623870825, 0.5233764454994495480399},
    {-4.178718591551904727346, -0.3276828207610623870825, 0.4766235545005504519601},
    {0.5028726349457868759512, -2.571926949855605429187, 0.5960392048282249249688}};
static const double ALPHA = 2.681082873627752133896, BETA = 3.050430199247410569426;
// the error estimate: (GAMMA/h - J) err = f(y) + sum_i ERROR[i] z_i / h, GAMMA the real eigenvalue
// of A^-1 (Hairer and Wanner II, (IV.8.19))
static const double GAMMA = 3.63783425274449573220;
static const double ERROR[STAGES] = {-(13.0 + 7.0 * R6) / 3.0, (-13.0 + 7.0 * R6) / 3.0,
                                     -1.0 / 3.0};

// ---- room and start

carom_status carom_implicit_init(carom_implicit *it, carom_arena *arena, int n, carom_rhs rhs,
                                 void *ctx, const carom_stepper_options *options,
                                 carom_error *error) {
  int active = options->controlled > 0 ? options->controlled : n;
  *it = (carom_implicit){.n = n, .active = active, .rhs = rhs, .ctx = ctx, .options = *options};
  size_t states = (size_t)n, square = (size_t)active * (size_t)active;
  int eigen = carom_eigen_workspace(active) + 2 * active + active * active;
  double **rows[] = {&it->y,         &it->f,         &it->y1,        &it->f1,       &it->stage[0],
                     &it->stage[1],  &it->stage[2],  &it->slope[0],  &it->slope[1], &it->slope[2],
                     &it->change[0], &it->change[1], &it->change[2], &it->trial};
  size_t row_count = sizeof rows / sizeof *rows;
  double *room = carom_arena_array(arena, row_count * states, sizeof *room);
  it->jacobian = carom_arena_array(arena, states * (size_t)active, sizeof(double));
  it->real = carom_arena_array(arena, square, sizeof(double));
  it->complex_re = carom_arena_array(arena, square, sizeof(double));
  it->complex_im = carom_arena_array(arena, square, sizeof(double));
  it->work = carom_arena_array(arena, (size_t)eigen, sizeof(double));
  it->real_pivot = carom_arena_array(arena, (size_t)active, sizeof(int));
  it->complex_pivot = carom_arena_array(arena, (size_t)active, sizeof(int));
  if (!room || !it->jacobian || !it->real || !it->complex_re || !it->complex_im || !it->work ||
      !it->real_pivot || !it->complex_pivot)
    return carom_fail_memory(error);
  for (size_t k = 0; k < row_count; k++, room += n)
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
  it->contraction = 1.0;
  it->ahead = 1.0;
  it->beside_off = HUGE_VAL;
  it->h_next = h > 0.0 ? h : 1e-6;
  if (y != it->y) memmove(it->y, y, (size_t)it->n * sizeof *y);
  carom_status status = evaluate(it, t, it->y, it->f);
  it->exact = true;
  if (status)
    return carom_fail(error, status, "the right-hand side at t = %.17g: %s", t,
                      carom_status_text(status));
  return CAROM_OK;
}

void carom_implicit_amend(carom_implicit *it, const double *y) {
  int n = it->active;
  double *moved = it->trial;
  for (int i = 0; i < n; i++)
    moved[i] = y[i] - it->y[i];
  for (int i = 0; i < it->n; i++)
    for (int j = 0; j < n; j++)
      it->f[i] += it->jacobian[i * n + j] * moved[j];
  it->exact = false;
  memcpy(it->y, y, (size_t)it->n * sizeof *y);
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
    for (int i = 0; i < it->n; i++)
      it->jacobian[i * n + j] = (slope[i] - f[i]) / taken;
    moved[j] = y[j];
  }
  it->jacobians++;
  it->eigen_known = false;
  return CAROM_OK;
}

void carom_implicit_spectrum(carom_implicit *it) {
  int n = it->active;
  double *re = it->work, *im = re + n, *work = im + n;
  if (it->eigen_known) return;
  it->eigen_known = true;
  it->stiffness = it->decay = 0.0;
  if (!carom_eigenvalues(n, it->jacobian, work, re, im)) it->stiffness = NAN;
  for (int i = 0; i < n; i++) {
    double size = sqrt(re[i] * re[i] + im[i] * im[i]);
    it->stiffness = fmax(it->stiffness, size);
    if (-re[i] > 0.02 * size) it->decay = fmax(it->decay, size);
  }
}

double carom_implicit_stiffness(carom_implicit *it, double t, const double *y, const double *f) {
  it->fresh = false;
  it->previous_h = 0.0;
  if (differentiate(it, t, y, f) != CAROM_OK) return (double)NAN;
  carom_implicit_spectrum(it);
  return it->stiffness;
}

// GAMMA/h - J and (ALPHA + i BETA)/h - J
static bool factorise(carom_implicit *it, double h) {
  int n = it->active;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double entry = -it->jacobian[i * n + j], one = i == j ? 1.0 : 0.0;
      it->real[i * n + j] = one * GAMMA / h + entry;
      it->complex_re[i * n + j] = one * ALPHA / h + entry;
      it->complex_im[i * n + j] = one * BETA / h;
    }
  it->factored_h = h;
  return carom_factor_real(n, it->real, it->real_pivot) &&
         carom_factor_complex(n, it->complex_re, it->complex_im, it->complex_pivot);
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
      double q = it->change[a][i] / weight(it, i, fabs(it->y[i]));
      sum += q * q;
    }
  return sqrt(sum / (STAGES * it->active));
}

// One change of the stages z towards A^-1 z = h f: with w = T^-1 z, the real part w_0 and the
// complex one w_1 - i w_2 solve systems of their own.
static void newton_change(carom_implicit *it, double h) {
  int n = it->active;
  double **w = it->change;
  for (int i = 0; i < n; i++) {
    double off[STAGES];
    for (int a = 0; a < STAGES; a++)
      off[a] =
          it->slope[a][i] - (INVERSE[a][0] * it->stage[0][i] + INVERSE[a][1] * it->stage[1][i] +
                             INVERSE[a][2] * it->stage[2][i]) /
                                h;
    for (int a = 0; a < STAGES; a++)
      w[a][i] = T_INVERSE[a][0] * off[0] + T_INVERSE[a][1] * off[1] + T_INVERSE[a][2] * off[2];
    w[2][i] = -w[2][i];
  }
  carom_solve_real(n, it->real, it->real_pivot, w[0]);
  carom_solve_complex(n, it->complex_re, it->complex_im, it->complex_pivot, w[1], w[2]);
  for (int i = 0; i < n; i++) {
    double mixed[STAGES] = {w[0][i], w[1][i], -w[2][i]};
    for (int a = 0; a < STAGES; a++)
      w[a][i] = T[a][0] * mixed[0] + T[a][1] * mixed[1] + T[a][2] * mixed[2];
  }
}

// Simplified Newton iteration; true when it converged. How well it did in the step before is
// remembered, so that one change may be enough.
static bool newton(carom_implicit *it, double h, carom_status *status) {
  double before = 0.0, rtol = it->slack * it->options.rtol;
  double goal = fmax(10.0 * DBL_EPSILON / rtol, fmin(0.03, sqrt(rtol)));
  it->ahead = carom_pow(fmax(it->ahead, DBL_EPSILON), 0.8);
  for (int round = 0; round < NEWTON_LIMIT; round++) {
    if ((*status = evaluate_stages(it, h))) return false;
    newton_change(it, h);
    double size = change_norm(it);
    if (!isfinite(size)) return false;
    for (int a = 0; a < STAGES; a++)
      for (int i = 0; i < it->active; i++)
        it->stage[a][i] += it->change[a][i];
    if (round > 0) {
      it->contraction = size / fmax(before, DBL_MIN);
      // the first change may be small by chance beside what the second puts right
      if (it->contraction >= (round == 1 ? 20.0 : 0.99)) return false;
      it->ahead = it->contraction < 0.99 ? it->contraction / (1.0 - it->contraction) : 1e3;
    }
    it->last_change = size;
    if (it->ahead * size <= goal || size == 0.0) return true;
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

// The same of the integrals beside, which nothing in the motion would miss: a kink in what they sum
// up is found by them alone. The state is looked at where it should be, moved by its error e: what
// dies at once would else count for the whole step.
static double beside_error(const carom_implicit *it, double h, const double *e) {
  double worst = 0.0;
  for (int i = it->active; i < it->n && it->beside > 0.0; i++) {
    double slope = it->f[i], sum = 0.0;
    for (int j = 0; j < it->active; j++)
      slope += it->jacobian[i * it->active + j] * e[j];
    for (int a = 0; a < STAGES; a++)
      sum += ERROR[a] * it->stage[a][i];
    worst = fmax(worst, fabs(sum + h * slope) / (GAMMA * it->beside));
  }
  return worst;
}

// the error of the step in units of the tolerance; a second look where the first is too large
static double step_error(carom_implicit *it, double h, bool again) {
  int n = it->active;
  double *e = it->change[0], *own = it->change[1], *moved = it->trial, *slope = it->slope[0];
  for (int i = 0; i < n; i++) {
    own[i] =
        (ERROR[0] * it->stage[0][i] + ERROR[1] * it->stage[1][i] + ERROR[2] * it->stage[2][i]) / h;
    e[i] = own[i] + it->f[i];
  }
  carom_solve_real(n, it->real, it->real_pivot, e);
  double size = error_norm(it, e), beside = beside_error(it, h, e);
  if (size < 1.0 || !again) return fmax(size, beside);
  memcpy(moved, it->y, (size_t)it->n * sizeof *moved);
  for (int i = 0; i < n; i++)
    moved[i] += e[i];
  if (evaluate(it, it->t, moved, slope)) return size;
  for (int i = 0; i < n; i++)
    e[i] = own[i] + slope[i];
  carom_solve_real(n, it->real, it->real_pivot, e);
  return fmax(error_norm(it, e), beside);
}

// Newton's last change moved the stages after they were looked at. The slopes of the integrals
// beside follow by the Jacobian where that is known to be exact enough; else they are looked at
// again, which tells how exact it would have been.
static carom_status slopes_beside(carom_implicit *it, double h) {
  int n = it->active;
  if (n == it->n) return CAROM_OK;
  bool known = it->beside_off * it->last_change < BESIDE_OFF * it->beside;
  double off = 0.0;
  for (int a = 0; a < STAGES; a++)
    for (int i = n; i < it->n; i++) {
      double change = 0.0;
      for (int j = 0; j < n; j++)
        change += it->jacobian[i * n + j] * it->change[a][j];
      it->change[a][i] = it->slope[a][i] += change;
      off = fmax(off, 0.01 * fabs(change)); // a Jacobian is never more exact than that for long
    }
  it->beside_off *= 1.5; // what was found long ago counts less
  if (known) return CAROM_OK;
  carom_status status = evaluate_stages(it, h);
  for (int a = 0; a < STAGES && !status; a++)
    for (int i = n; i < it->n; i++)
      off = fmax(off, fabs(it->slope[a][i] - it->change[a][i]));
  it->beside_off = h * off / fmax(it->last_change, DBL_MIN);
  return status;
}

// The end of the step. Its slope is that of the collocation polynomial: no evaluation is spent on
// it, a new Jacobian asks for its own.
static carom_status finish(carom_implicit *it, double h) {
  carom_status status = slopes_beside(it, h);
  if (status) return status;
  for (int i = it->active; i < it->n; i++)
    for (int a = 0; a < STAGES; a++)
      it->stage[a][i] =
          h * (A[a][0] * it->slope[0][i] + A[a][1] * it->slope[1][i] + A[a][2] * it->slope[2][i]);
  for (int i = 0; i < it->n; i++) {
    it->y1[i] = it->y[i] + it->stage[2][i];
    it->f1[i] = (INVERSE[2][0] * it->stage[0][i] + INVERSE[2][1] * it->stage[1][i] +
                 INVERSE[2][2] * it->stage[2][i]) /
                h;
  }
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
    if (!it->exact) status = evaluate(it, it->t, it->y, it->f);
    it->exact = true;
    if (!status) status = differentiate(it, it->t, it->y, it->f);
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
  double longer = 0.0; // a step just refused, whose stages are a good guess of a part of it
  for (;;) {
    it->t1 = it->t + 1.01 * wanted >= t_end ? t_end : it->t + wanted;
    double h = it->t1 - it->t;
    bool converged = false;
    if (!(h > 0.0) || it->t + 0.1 * h == it->t)
      return carom_fail(error, CAROM_ERR_STEP,
                        "at t = %.17g the tolerance asks for a step of %.3g, too small to move on",
                        it->t, h);
    carom_status status = attempt(it, h, longer > h ? h / longer : 0.0, &converged);
    longer = 0.0;
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
    double e = step_error(it, h, refused || it->steps == 0);
    double change = fmin(8.0, fmax(0.2, 0.85 / sqrt(sqrt(fmax(e, 1e-12)))));
    if (e <= 1.0) {
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
    longer = h;
    wanted = h * fmin(0.8, change);
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
  it->fresh = it->exact = false;
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
