// SPDX-License-Identifier: MIT
#include "ode/implicit.h"

#include "base/eigen.h"
#include "base/elementary.h"
#include "base/whole.h"
#include "ode/implicit_factor.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { NEWTON_LIMIT = 8 };
// a Jacobian by differences costs as many evaluations as several Newton iterations: it is kept
// while these converge faster than this
static const double LAZY = 0.03;
static const double BESIDE_OFF = 0.03; // of what an integral beside may be off in a step
// Five stages pay where many digits are wanted and Newton's iterations converge on their long
// steps. Where they do not, three are taken, and five are tried again later.
static const double FINE = 3e-6, CALM = 0.02;
enum { SETTLED = 8 };

// ---- room and start

carom_status carom_implicit_init(carom_implicit *it, carom_arena *arena, int n, carom_rhs rhs,
                                 void *ctx, const carom_stepper_options *options,
                                 carom_error *error) {
  int active = options->controlled > 0 ? options->controlled : n;
  *it = (carom_implicit){.n = n, .active = active, .rhs = rhs, .ctx = ctx, .options = *options};
  size_t states = (size_t)n, square = (size_t)active * (size_t)active;
  int eigen = carom_eigen_workspace(active) + 2 * active + active * active;
  double **rows[] = {&it->y, &it->f, &it->y1, &it->f1, &it->stages.trial};
  size_t row_count = sizeof rows / sizeof *rows;
  double *room =
      carom_arena_array(arena, (row_count + 3 * CAROM_RADAU_MOST) * states, sizeof *room);
  it->matrix.jacobian = carom_arena_array(arena, states * (size_t)active, sizeof(double));
  it->matrix.real = carom_arena_array(arena, square, sizeof(double));
  it->stages.work = carom_arena_array(arena, (size_t)eigen, sizeof(double));
  it->matrix.real_pivot = carom_arena_array(arena, (size_t)active, sizeof(int));
  bool whole =
      room && it->matrix.jacobian && it->matrix.real && it->stages.work && it->matrix.real_pivot;
  for (int p = 0; p < CAROM_RADAU_PAIRS; p++) {
    it->matrix.complex_re[p] = carom_arena_array(arena, square, sizeof(double));
    it->matrix.complex_im[p] = carom_arena_array(arena, square, sizeof(double));
    it->matrix.complex_pivot[p] = carom_arena_array(arena, (size_t)active, sizeof(int));
    whole = whole && it->matrix.complex_re[p] && it->matrix.complex_im[p] &&
            it->matrix.complex_pivot[p];
  }
  if (!whole) return carom_fail_memory(error);
  for (size_t k = 0; k < row_count; k++, room += n)
    *rows[k] = room;
  for (int a = 0; a < CAROM_RADAU_MOST; a++, room += (size_t)3 * states) {
    it->stages.stage[a] = room;
    it->stages.slope[a] = room + n;
    it->stages.change[a] = room + 2 * states;
  }
  it->table = carom_radau_table(3);
  return CAROM_OK;
}

static carom_status evaluate_rates(carom_implicit *it, double t, const double *y, double *dydt) {
  it->evaluations++;
  carom_status status = it->rhs(it->ctx, t, y, dydt);
  for (int i = 0; !status && i < it->n; i++)
    if (!isfinite(dydt[i])) status = CAROM_ERR_NONFINITE;
  return status;
}

// sum over the stages
static double sum_of(int s, const double *weights, double *const *of, int i) {
  double sum = 0.0;
  for (int a = 0; a < s; a++)
    sum += weights[a] * of[a][i];
  return sum;
}

// The estimate is of order s, the step of order 2s - 1: measured with the tolerance itself it would
// ask for far more than is wanted (Hairer and Wanner's own programs take 0.1 rtol^((s + 1)/(2 s))
// as well). The last step's polynomial goes on as one through the new nodes.
static void take_stages(carom_implicit *it, int s) {
  assert(s > 0);
  const carom_radau *before = it->table;
  double L[CAROM_RADAU_MOST][CAROM_RADAU_MOST], z[CAROM_RADAU_MOST];
  it->table = carom_radau_table(s);
  it->newton.slack = 0.1 * carom_pow(it->options.rtol, (1.0 - s) / (2.0 * s));
  it->matrix.factored_h = 0.0;
  for (int a = 0; a < s; a++)
    carom_radau_basis(before, it->table->node[a], L[a], NULL);
  for (int i = 0; it->stages.previous_h > 0.0 && i < it->n; i++) {
    for (int a = 0; a < s; a++)
      z[a] = sum_of(before->stages, L[a], it->stages.stage, i);
    for (int a = 0; a < s; a++)
      it->stages.stage[a][i] = z[a];
  }
}

carom_status carom_implicit_start(carom_implicit *it, double t, const double *y, double h,
                                  carom_error *error) {
  it->t = it->t1 = t;
  it->h = 0.0;
  it->stages.previous_h = 0.0;
  it->newton.calm = 0;
  it->newton.patience = SETTLED;
  take_stages(it, it->options.rtol < FINE ? 5 : 3);
  it->matrix.fresh = false;
  it->matrix.factored_h = 0.0;
  it->newton.contraction = 1.0;
  it->newton.ahead = 1.0;
  it->newton.beside_off = HUGE_VAL;
  it->h_next = h > 0.0 ? h : 1e-6;
  if (y != it->y) memmove(it->y, y, (size_t)it->n * sizeof *y);
  carom_status status = evaluate_rates(it, t, it->y, it->f);
  it->exact = true;
  if (status)
    return carom_fail(error, status, "the right-hand side at t = %.17g: %s", t,
                      carom_status_text(status));
  return CAROM_OK;
}

void carom_implicit_amend(carom_implicit *it, const double *y) {
  int n = it->active;
  double *moved = it->stages.trial;
  for (int i = 0; i < n; i++)
    moved[i] = y[i] - it->y[i];
  for (int i = 0; i < it->n; i++)
    for (int j = 0; j < n; j++)
      it->f[i] += it->matrix.jacobian[i * n + j] * moved[j];
  it->exact = false;
  memcpy(it->y, y, (size_t)it->n * sizeof *y);
}

// ---- the Jacobian

static double error_weight(const carom_implicit *it, int i, double size) {
  double scale = it->options.scale ? it->options.scale[i] : 1.0;
  return it->newton.slack * (it->options.atol * scale + it->options.rtol * size);
}

// forward differences; backwards where there is no value ahead
static carom_status difference_jacobian(carom_implicit *it, double t, const double *y,
                                        const double *f) {
  int n = it->active;
  double *moved = it->stages.trial, *slope = it->stages.slope[0];
  memcpy(moved, y, (size_t)it->n * sizeof *y);
  for (int j = 0; j < n; j++) {
    double step = 1.5e-8 * fmax(fabs(y[j]), 1e-2);
    carom_status status = CAROM_OK;
    for (int attempt = 0; attempt < 3; attempt++) {
      moved[j] = y[j] + (attempt == 0 ? step : attempt == 1 ? -step : 0.01 * step);
      status = evaluate_rates(it, t, moved, slope);
      if (!status) break;
    }
    if (status) return status;
    double taken = moved[j] - y[j];
    for (int i = 0; i < it->n; i++)
      it->matrix.jacobian[i * n + j] = (slope[i] - f[i]) / taken;
    moved[j] = y[j];
  }
  it->jacobians++;
  it->matrix.eigen_known = false;
  return CAROM_OK;
}

void carom_implicit_spectrum(carom_implicit *it) {
  int n = it->active;
  double *re = it->stages.work, *im = re + n, *work = im + n;
  if (it->matrix.eigen_known) return;
  it->matrix.eigen_known = true;
  it->stiffness = it->decay = 0.0;
  if (!carom_eigenvalues(n, it->matrix.jacobian, work, re, im)) it->stiffness = NAN;
  for (int i = 0; i < n; i++) {
    double size = sqrt(re[i] * re[i] + im[i] * im[i]);
    it->stiffness = fmax(it->stiffness, size);
    if (-re[i] > 0.02 * size) it->decay = fmax(it->decay, size);
  }
}

double carom_implicit_stiffness(carom_implicit *it, double t, const double *y, const double *f) {
  it->matrix.fresh = false;
  it->stages.previous_h = 0.0;
  if (difference_jacobian(it, t, y, f) != CAROM_OK) return (double)NAN;
  carom_implicit_spectrum(it);
  return it->stiffness;
}

// gamma/h - J and (alpha + i beta)/h - J
static bool factorise_stages(carom_implicit *it, double h) {
  const carom_radau *table = it->table;
  int n = it->active, pairs = (table->stages - 1) / 2;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double entry = -it->matrix.jacobian[i * n + j], one = i == j ? 1.0 : 0.0;
      it->matrix.real[i * n + j] = one * table->gamma / h + entry;
      for (int p = 0; p < pairs; p++) {
        it->matrix.complex_re[p][i * n + j] = one * table->alpha[p] / h + entry;
        it->matrix.complex_im[p][i * n + j] = one * table->beta[p] / h;
      }
    }
  it->matrix.factored_h = h;
  bool good = carom_factor_real(n, it->matrix.real, it->matrix.real_pivot);
  for (int p = 0; p < pairs && good; p++)
    good = carom_factor_complex(n, it->matrix.complex_re[p], it->matrix.complex_im[p],
                                it->matrix.complex_pivot[p]);
  return good;
}

// ---- a step

// The stages become the values of their polynomial at the nodes moved to `from` + node * ratio,
// less its value at `from`.
static void move_stages(carom_implicit *it, double from, double ratio) {
  int s = it->table->stages;
  double L[CAROM_RADAU_MOST][CAROM_RADAU_MOST], start[CAROM_RADAU_MOST], z[CAROM_RADAU_MOST];
  carom_radau_basis(it->table, from, start, NULL);
  for (int a = 0; a < s; a++) {
    carom_radau_basis(it->table, from + it->table->node[a] * ratio, L[a], NULL);
    for (int b = 0; b < s; b++)
      L[a][b] -= start[b];
  }
  for (int i = 0; i < it->n; i++) {
    for (int a = 0; a < s; a++)
      z[a] = sum_of(s, L[a], it->stages.stage, i);
    for (int a = 0; a < s; a++)
      it->stages.stage[a][i] = z[a];
  }
}

// the polynomial of the step before, continued, is the first guess
static void guess_stages(carom_implicit *it, double h) {
  double ratio = it->stages.previous_h > 0.0 ? h / it->stages.previous_h : 0.0;
  if (ratio > 0.0 && ratio < 3.0) {
    move_stages(it, 1.0, ratio);
    return;
  }
  for (int a = 0; a < it->table->stages; a++)
    memset(it->stages.stage[a], 0, (size_t)it->n * sizeof *it->stages.stage[a]);
}

static carom_status evaluate_stages(carom_implicit *it, double h) {
  for (int a = 0; a < it->table->stages; a++) {
    for (int i = 0; i < it->n; i++)
      it->stages.trial[i] = it->y[i] + it->stages.stage[a][i];
    carom_status status =
        evaluate_rates(it, it->t + it->table->node[a] * h, it->stages.trial, it->stages.slope[a]);
    if (status) return status;
  }
  return CAROM_OK;
}

static double change_norm(const carom_implicit *it) {
  double sum = 0.0;
  for (int a = 0; a < it->table->stages; a++)
    for (int i = 0; i < it->active; i++) {
      double q = it->stages.change[a][i] / error_weight(it, i, fabs(it->y[i]));
      sum += q * q;
    }
  return sqrt(sum / (it->table->stages * it->active));
}

// One change of the stages z towards A^-1 z = h f: with w = unmix z, the real part w_0 and the
// complex ones w_1 - i w_2, w_3 - i w_4 solve systems of their own.
static void newton_change(carom_implicit *it, double h) {
  const carom_radau *table = it->table;
  int n = it->active, s = table->stages;
  double **w = it->stages.change, part[CAROM_RADAU_MOST];
  for (int i = 0; i < n; i++) {
    for (int a = 0; a < s; a++)
      part[a] = it->stages.slope[a][i] - sum_of(s, table->inverse[a], it->stages.stage, i) / h;
    for (int a = 0; a < s; a++) {
      w[a][i] = 0.0;
      for (int b = 0; b < s; b++)
        w[a][i] += table->unmix[a][b] * part[b];
    }
    for (int a = 2; a < s; a += 2)
      w[a][i] = -w[a][i];
  }
  carom_solve_real(n, it->matrix.real, it->matrix.real_pivot, w[0]);
  for (int p = 0; 2 * p + 2 < s; p++) {
    assert(p < CAROM_RADAU_PAIRS);
    carom_solve_complex(n, it->matrix.complex_re[p], it->matrix.complex_im[p],
                        it->matrix.complex_pivot[p], w[2 * p + 1], w[2 * p + 2]);
  }
  for (int i = 0; i < n; i++) {
    for (int a = 0; a < s; a++)
      part[a] = a > 0 && a % 2 == 0 ? -w[a][i] : w[a][i];
    for (int a = 0; a < s; a++) {
      w[a][i] = 0.0;
      for (int b = 0; b < s; b++)
        w[a][i] += table->mix[a][b] * part[b];
    }
  }
}

// Simplified Newton iteration; true when it converged. How well it did in the step before is
// remembered, so that one change may be enough.
static bool iterate_newton(carom_implicit *it, double h, carom_status *status) {
  double before = 0.0, rtol = it->newton.slack * it->options.rtol;
  double goal = fmax(10.0 * DBL_EPSILON / rtol, fmin(0.03, sqrt(rtol)));
  it->newton.ahead = carom_pow(fmax(it->newton.ahead, DBL_EPSILON), 0.8);
  for (int round = 0; round < NEWTON_LIMIT; round++) {
    if ((*status = evaluate_stages(it, h))) return false;
    newton_change(it, h);
    double size = change_norm(it);
    if (!isfinite(size)) return false;
    for (int a = 0; a < it->table->stages; a++)
      for (int i = 0; i < it->active; i++)
        it->stages.stage[a][i] += it->stages.change[a][i];
    if (round > 0) {
      it->newton.contraction = size / fmax(before, DBL_MIN);
      // the first change may be small by chance beside what the second puts right
      if (it->newton.contraction >= (round == 1 ? 20.0 : 0.99)) return false;
      it->newton.ahead = it->newton.contraction < 0.99
                             ? it->newton.contraction / (1.0 - it->newton.contraction)
                             : 1e3;
    }
    it->newton.last_change = size;
    if (it->newton.ahead * size <= goal || size == 0.0) return true;
    before = size;
  }
  return false;
}

static double error_norm(const carom_implicit *it, const double *e) {
  double sum = 0.0;
  for (int i = 0; i < it->active; i++) {
    double q = e[i] / error_weight(it, i, fmax(fabs(it->y[i]), fabs(it->y1[i])));
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
    double slope = it->f[i], sum = sum_of(it->table->stages, it->table->error, it->stages.stage, i);
    for (int j = 0; j < it->active; j++)
      slope += it->matrix.jacobian[i * it->active + j] * e[j];
    worst = fmax(worst, fabs(sum + h * slope) / (it->table->gamma * it->beside));
  }
  return worst;
}

// the error of the step in units of the tolerance; a second look where the first is too large
static double step_error(carom_implicit *it, double h) {
  int n = it->active;
  double *e = it->stages.change[0], *own = it->stages.change[1], *moved = it->stages.trial,
         *slope = it->stages.slope[0];
  for (int i = 0; i < n; i++) {
    own[i] = sum_of(it->table->stages, it->table->error, it->stages.stage, i) / h;
    e[i] = own[i] + it->f[i];
  }
  carom_solve_real(n, it->matrix.real, it->matrix.real_pivot, e);
  double size = error_norm(it, e), beside = beside_error(it, h, e);
  if (size < 1.0) return fmax(size, beside);
  memcpy(moved, it->y, (size_t)it->n * sizeof *moved);
  for (int i = 0; i < n; i++)
    moved[i] += e[i];
  if (evaluate_rates(it, it->t, moved, slope)) return size;
  for (int i = 0; i < n; i++)
    e[i] = own[i] + slope[i];
  carom_solve_real(n, it->matrix.real, it->matrix.real_pivot, e);
  return fmax(error_norm(it, e), beside);
}

// Newton's last change moved the stages after they were looked at. The slopes of the integrals
// beside follow by the Jacobian where that is known to be exact enough; else they are looked at
// again, which tells how exact it would have been.
static carom_status slopes_beside(carom_implicit *it, double h) {
  int n = it->active;
  if (n == it->n) return CAROM_OK;
  bool known = it->newton.beside_off * it->newton.last_change < BESIDE_OFF * it->beside;
  double off = 0.0;
  for (int a = 0; a < it->table->stages; a++)
    for (int i = n; i < it->n; i++) {
      double change = 0.0;
      for (int j = 0; j < n; j++)
        change += it->matrix.jacobian[i * n + j] * it->stages.change[a][j];
      it->stages.change[a][i] = it->stages.slope[a][i] += change;
      off = fmax(off, 0.01 * fabs(change)); // a Jacobian is never more exact than that for long
    }
  it->newton.beside_off *= 1.5; // what was found long ago counts less
  if (known) return CAROM_OK;
  carom_status status = evaluate_stages(it, h);
  for (int a = 0; a < it->table->stages && !status; a++)
    for (int i = n; i < it->n; i++)
      off = fmax(off, fabs(it->stages.slope[a][i] - it->stages.change[a][i]));
  it->newton.beside_off = h * off / fmax(it->newton.last_change, DBL_MIN);
  return status;
}

// The end of the step. Its slope is that of the collocation polynomial: no evaluation is spent on
// it, a new Jacobian asks for its own.
static carom_status finish_step(carom_implicit *it, double h) {
  carom_status status = slopes_beside(it, h);
  if (status) return status;
  for (int i = it->active; i < it->n; i++)
    for (int a = 0; a < it->table->stages; a++)
      it->stages.stage[a][i] = h * sum_of(it->table->stages, it->table->a[a], it->stages.slope, i);
  int last = it->table->stages - 1;
  for (int i = 0; i < it->n; i++) {
    it->y1[i] = it->y[i] + it->stages.stage[last][i];
    it->f1[i] = sum_of(last + 1, it->table->inverse[last], it->stages.stage, i) / h;
  }
  return CAROM_OK;
}

// `part`: the stages are those of a longer step just tried, of which this is that part; 0: not so
static carom_status attempt_step(carom_implicit *it, double h, double part, bool *converged) {
  *converged = false;
  carom_status status = CAROM_OK;
  if (!it->matrix.fresh && (it->matrix.factored_h == 0.0 || it->newton.contraction > LAZY)) {
    if (!it->exact) status = evaluate_rates(it, it->t, it->y, it->f);
    it->exact = true;
    if (!status) status = difference_jacobian(it, it->t, it->y, it->f);
    it->matrix.fresh = true;
    it->matrix.factored_h = 0.0;
  }
  if (status) return status;
  // times are rounded, so lengths that should be equal are so only nearly
  bool same = fabs(it->matrix.factored_h - h) <= 1e-6 * h;
  if (!same && !factorise_stages(it, h)) return CAROM_ERR_SINGULAR;
  if (part > 0.0)
    move_stages(it, 0.0, part);
  else
    guess_stages(it, h);
  it->stages.previous_h = 0.0; // the stages are overwritten
  *converged = iterate_newton(it, h, &status);
  if (*converged) status = finish_step(it, h);
  if (status == CAROM_ERR_NONFINITE) *converged = false, status = CAROM_OK;
  return status;
}

// Newton's iterations do not converge even with a new Jacobian
static void lose_calm(carom_implicit *it) {
  it->newton.calm = 0;
  if (it->table->stages == 3) return;
  it->stages.previous_h = 0.0;
  it->newton.patience = it->newton.patience < 1000 ? 2 * it->newton.patience : it->newton.patience;
  take_stages(it, 3);
}

// after `commit`: back to five stages once three have converged well for a while
static void gain_calm(carom_implicit *it) {
  it->newton.calm = it->newton.contraction < CALM ? it->newton.calm + 1 : 0;
  if (it->table->stages == 5 || !(it->options.rtol < FINE) || it->newton.calm < it->newton.patience)
    return;
  it->newton.calm = 0;
  take_stages(it, 5);
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
    // what is left to t_end may be as short as it likes
    if (!(h > 0.0) || (it->t1 < t_end && it->t + 0.1 * h == it->t))
      return carom_fail(error, CAROM_ERR_STEP,
                        "at t = %.17g the tolerance asks for a step of %.3g, too small to move on",
                        it->t, h);
    carom_status status = attempt_step(it, h, longer > h ? h / longer : 0.0, &converged);
    longer = 0.0;
    if (status && status != CAROM_ERR_SINGULAR)
      return carom_fail(error, status, "the right-hand side failed just after t = %.17g", it->t);
    if (!converged) {
      // an old Jacobian is renewed before the step is blamed
      it->rejected++;
      bool renew = !it->matrix.fresh;
      refused = refused || !renew;
      if (!renew) lose_calm(it);
      it->newton.contraction = 1.0;
      it->matrix.factored_h = 0.0;
      wanted = renew ? h : 0.35 * h;
      continue;
    }
    double e = step_error(it, h);
    double change = 0.85 * carom_pow(fmax(e, 1e-12), -1.0 / (it->table->stages + 1));
    change = fmin(8.0, fmax(0.2, change));
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
  if (!it->matrix.fresh) it->newton.contraction = 1.0; // a new Jacobian, to be safe
  it->matrix.factored_h = 0.0;
  carom_status status = attempt_step(it, h, h / it->h, &converged);
  // from rest, where the guess went astray
  if (!status && !converged) status = attempt_step(it, h, 0.0, &converged);
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
  it->stages.previous_h = it->h;
  it->matrix.fresh = it->exact = false;
  gain_calm(it);
}

// ---- what goes on from step to step

enum { SCALARS = 13, WHOLES = 6 };

static void list_scalars(carom_implicit *it, double *list[SCALARS]) {
  double *const all[SCALARS] = {&it->h,
                                &it->h_next,
                                &it->stiffness,
                                &it->decay,
                                &it->matrix.factored_h,
                                &it->stages.previous_h,
                                &it->newton.slack,
                                &it->newton.contraction,
                                &it->newton.last_change,
                                &it->newton.ahead,
                                &it->newton.beside_off,
                                &it->beside,
                                &it->t1};
  memcpy(list, all, sizeof all);
}

int carom_implicit_remember(const carom_implicit *it, double *numbers) {
  int stages = CAROM_RADAU_MOST * it->n, slopes = it->n * it->active;
  int count = SCALARS + WHOLES + it->n + stages + slopes;
  double *list[SCALARS];
  if (!numbers) return count;
  list_scalars((carom_implicit *)it, list);
  for (int k = 0; k < SCALARS; k++)
    *numbers++ = *list[k];
  const int whole[WHOLES] = {it->matrix.fresh,       it->exact,
                             it->newton.calm,        it->newton.patience,
                             it->matrix.eigen_known, it->table->stages};
  for (int k = 0; k < WHOLES; k++)
    *numbers++ = whole[k];
  memcpy(numbers, it->f, (size_t)it->n * sizeof *numbers);
  numbers += it->n;
  for (int a = 0; a < CAROM_RADAU_MOST; a++, numbers += it->n)
    memcpy(numbers, it->stages.stage[a], (size_t)it->n * sizeof *numbers);
  memcpy(numbers, it->matrix.jacobian, (size_t)slopes * sizeof *numbers);
  return count;
}

void carom_implicit_recall(carom_implicit *it, double t, const double *y, const double *numbers) {
  double *list[SCALARS];
  list_scalars(it, list);
  for (int k = 0; k < SCALARS; k++)
    *list[k] = *numbers++;
  it->t = t;
  it->matrix.fresh = *numbers++ != 0.0;
  it->exact = *numbers++ != 0.0;
  it->newton.calm = (int)carom_whole(*numbers++, 0, 1000000);
  it->newton.patience = (int)carom_whole(*numbers++, 0, 1000000);
  it->matrix.eigen_known = *numbers++ != 0.0;
  it->table = carom_radau_table(*numbers++ == 5.0 ? 5 : 3);
  if (y != it->y) memmove(it->y, y, (size_t)it->n * sizeof *y);
  memcpy(it->f, numbers, (size_t)it->n * sizeof *numbers);
  numbers += it->n;
  for (int a = 0; a < CAROM_RADAU_MOST; a++, numbers += it->n)
    memcpy(it->stages.stage[a], numbers, (size_t)it->n * sizeof *numbers);
  memcpy(it->matrix.jacobian, numbers, (size_t)it->n * (size_t)it->active * sizeof *numbers);
  // the factors follow from the Jacobian
  if (it->matrix.factored_h > 0.0) (void)factorise_stages(it, it->matrix.factored_h);
}

void carom_implicit_dense(const carom_implicit *it, double theta, double *y, double *dy) {
  double L[CAROM_RADAU_MOST], slope[CAROM_RADAU_MOST];
  int s = it->table->stages;
  carom_radau_basis(it->table, theta, L, slope);
  for (int i = 0; i < it->n; i++) {
    y[i] = it->y[i] + sum_of(s, L, it->stages.stage, i);
    if (dy) dy[i] = sum_of(s, slope, it->stages.stage, i) / it->h;
  }
}
