// SPDX-License-Identifier: MIT
#include "ode/variation.h"

#include "base/elementary.h"
#include "ode/dop853_kernel.h"
#include "ode/stepper_parts.h"

#include <math.h>
#include <string.h>

enum { STAGES = 12, ORDER = CAROM_SERIES_DEGREE, MOST_PARTS = 10000 };
// of a part of a step by series: error in units of rtol and rounding, and how far from it to stay
static const double EXACT = 1e-2, ROUNDING = 1e-15, SAFETY = 0.9, SHRINK = 0.125;

size_t carom_variation_room(const carom_stepper *stepper, int size, int columns) {
  size_t block = (size_t)size * (size_t)columns;
  return (STAGES + 2) * block + (size_t)size * (size_t)size + (size_t)stepper->n;
}

// the argument of stage j for n numbers whose slopes are `stride` apart
static void form_stage(int j, int n, size_t stride, double h, const double *y, const double *k,
                       double *out) {
  switch (j) {
  case 2: form_2(n, stride, h, y, k, out); break;
  case 3: form_3(n, stride, h, y, k, out); break;
  case 4: form_4(n, stride, h, y, k, out); break;
  case 5: form_5(n, stride, h, y, k, out); break;
  case 6: form_6(n, stride, h, y, k, out); break;
  case 7: form_7(n, stride, h, y, k, out); break;
  case 8: form_8(n, stride, h, y, k, out); break;
  case 9: form_9(n, stride, h, y, k, out); break;
  case 10: form_10(n, stride, h, y, k, out); break;
  case 11: form_11(n, stride, h, y, k, out); break;
  case 12: form_12(n, stride, h, y, k, out); break;
  default: memcpy(out, y, (size_t)n * sizeof *y); break;
  }
}

// out = A X for A of size x size and X of size x columns
static void multiply(int size, int columns, const double *A, const double *X, double *out) {
  memset(out, 0, (size_t)size * (size_t)columns * sizeof *out);
  for (int i = 0; i < size; i++)
    for (int k = 0; k < size; k++) {
      double a = A[i * size + k];
      if (a == 0.0) continue;
      for (int j = 0; j < columns; j++)
        out[i * columns + j] += a * X[k * columns + j];
    }
}

carom_status carom_variation_step(const carom_stepper *s, int size, int columns,
                                  carom_slope_matrix slopes, void *ctx, double *phi, double *room) {
  int block = size * columns;
  size_t stride = (size_t)block;
  double *k = room, *X = k + STAGES * stride, *end = X + stride, *A = end + stride;
  double *y = A + size * size;
  for (int j = 1; j <= STAGES; j++) {
    double c = j == 1 ? 0.0 : CAROM_DOP853_NODE[j];
    form_stage(j, s->n, s->stride, s->h, s->y, s->slopes, y);
    form_stage(j, block, stride, s->h, phi, k, X);
    carom_status status = slopes(ctx, s->t + c * s->h, y, A);
    if (status != CAROM_OK) return status;
    multiply(size, columns, A, X, k + (size_t)(j - 1) * stride);
  }
  form_end(block, stride, s->h, phi, k, end);
  memcpy(phi, end, stride * sizeof *phi);
  return CAROM_OK;
}

// ---- by series ----

size_t carom_variation_series_room(const carom_stepper *stepper, int size, int columns,
                                   int entries) {
  size_t block = (size_t)size * (size_t)columns;
  return (ORDER + 1) * (block + (size_t)entries) + (size_t)stepper->n + (size_t)size;
}

// how many coefficients of an entry are not zero, after scaling them to the unit h of time
static int scale_entry(int degree, double h, double *c) {
  int count = 0;
  double power = 1.0;
  for (int j = 0; j < degree; j++, power *= h) {
    c[j] *= power;
    if (c[j] != 0.0) count = j + 1;
  }
  return count;
}

// X_(k+1) = h / (k+1) sum_j A_j X_(k-j), where the A_j hold the powers of h already
static void expand(int size, int columns, const carom_slope_series *slopes, double h, double *c,
                   double *X) {
  size_t block = (size_t)size * (size_t)columns;
  memset(X + block, 0, ORDER * block * sizeof *X);
  for (int e = 0; e < slopes->count; e++) // a part of c behind the last entry keeps their lengths
    c[slopes->count * slopes->degree + e] = scale_entry(slopes->degree, h, c + e * slopes->degree);
  for (int k = 0; k < ORDER; k++) {
    double *next = X + (size_t)(k + 1) * block;
    for (int e = 0; e < slopes->count; e++) {
      const double *a = c + e * slopes->degree;
      int length = (int)c[slopes->count * slopes->degree + e];
      double *to = next + slopes->row[e] * columns;
      for (int j = 0; j < length && j <= k; j++) {
        const double *from = X + (size_t)(k - j) * block + slopes->column[e] * columns;
        for (int i = 0; i < columns; i++)
          to[i] += a[j] * from[i];
      }
    }
    for (size_t i = 0; i < block; i++)
      next[i] *= h / (k + 1);
  }
}

// The largest entry of a term, with states in units of their weights and columns in those of the
// states they began with; NaN where one is not finite.
static double size_of(int size, int columns, const double *weight, const double *X) {
  double most = 0.0;
  for (int i = 0; i < size; i++) {
    double per_weight = 1.0 / weight[i];
    for (int j = 0; j < columns; j++) {
      double part = fabs(X[i * columns + j]) * weight[j] * per_weight;
      if (!(part <= most)) most = part;
      if (isnan(part)) return part;
    }
  }
  return most;
}

// which part of the unit of time the series reaches; NaN: it is not finite
static double reach_of(int size, int columns, const double *weight, double rtol, const double *X) {
  size_t block = (size_t)size * (size_t)columns;
  double last = size_of(size, columns, weight, X + ORDER * block), most = 0.0;
  double before = size_of(size, columns, weight, X + (ORDER - 1) * block);
  for (int k = 0; k <= ORDER; k += 2)
    most = fmax(most, size_of(size, columns, weight, X + (size_t)k * block));
  if (!isfinite(last) || !isfinite(before) || !isfinite(most)) return NAN;
  double good = fmax(EXACT * rtol, ROUNDING) * most;
  double reach = last > good ? carom_pow(good / last, 1.0 / ORDER) : 1.0;
  return before > good ? fmin(reach, carom_pow(good / before, 1.0 / (ORDER - 1))) : reach;
}

// phi = sum of X_k part^k
static void add_up(int block, double part, const double *X, double *phi) {
  memcpy(phi, X + ORDER * block, (size_t)block * sizeof *phi);
  for (int k = ORDER - 1; k >= 0; k--)
    for (int i = 0; i < block; i++)
      phi[i] = phi[i] * part + X[k * block + i];
}

carom_status carom_variation_series(carom_stepper *s, int size, int columns,
                                    const carom_slope_series *slopes, double *phi, double *room) {
  int block = size * columns;
  double *X = room, *c = X + (ORDER + 1) * block, *y = c + (ORDER + 1) * slopes->count;
  double *weight = y + s->n, at = 0.0, length = 1.0; // in units of the step
  memcpy(y, s->y, (size_t)s->n * sizeof *y);
  for (int i = 0; i < size; i++)
    weight[i] = carom_stepper_weight(s, i, fmax(fabs(s->y[i]), fabs(s->y1[i]))) + 1e-300;
  for (int parts = 0; at < 1.0; parts++) {
    if (parts == MOST_PARTS) return CAROM_ERR_NO_CONVERGENCE;
    carom_status status = slopes->coefficients(slopes->ctx, s->t + at * s->h, y, c);
    if (status != CAROM_OK) return status;
    memcpy(X, phi, (size_t)block * sizeof *X);
    expand(size, columns, slopes, length * s->h, c, X);
    double reach = reach_of(size, columns, weight, s->options.rtol, X);
    if (isnan(reach)) {
      length *= SHRINK;
      continue;
    }
    double part = reach < 1.0 ? SAFETY * reach : 1.0;
    add_up(block, part, X, phi);
    // what is left is taken at once where it may be
    at = part == 1.0 && length >= 1.0 - at ? 1.0 : at + part * length;
    length = fmin(2.0 * part * length, 1.0 - at);
    if (at < 1.0) {
      status = carom_stepper_dense(s, NULL);
      if (status != CAROM_OK) return status;
      carom_dense_eval(s, at, y, NULL, NULL);
    }
  }
  return CAROM_OK;
}
