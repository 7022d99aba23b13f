// SPDX-License-Identifier: MIT
#include "ode/variation.h"

#include "ode/dop853_kernel.h"
#include "ode/stepper_parts.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { STAGES = 12, MANY_PARTS = 300, STAGE_OF_PARTS = 100, MOST_PARTS = 1500 };
static const double SAFETY = 0.75, GROW = 3.0, SHRINK = 0.25;
static const double ROUNDING = 1e-15;

/// A part of a step at work.
typedef struct part {
  const carom_stepper *stepper;
  const carom_variation_task *task;
  int size, columns, block;
  double may;                   // the error that a part may have
  double *k, *X, *other, *end;  // slopes of phi, an argument and a second one, phi at the end
  double *A, *weight, *at, *y1; // `at`: the motion at a stage, y1: at the end
} part;

size_t carom_variation_room(const carom_stepper *stepper, int size, int columns) {
  size_t block = (size_t)size * (size_t)columns, n = (size_t)stepper->n;
  return (STAGES + 3) * block + (size_t)(size + 1) * (size_t)size + (STAGES + 3) * n;
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
static void multiply_matrix(int size, int columns, const double *A, const double *X, double *out) {
  memset(out, 0, (size_t)size * (size_t)columns * sizeof *out);
  for (int i = 0; i < size; i++)
    for (int k = 0; k < size; k++) {
      double a = A[i * size + k];
      if (a == 0.0) continue;
      for (int j = 0; j < columns; j++)
        out[i * columns + j] += a * X[k * columns + j];
    }
}

// The matrix over [t, t + h] from `phi` to it->end; the motion with the stages of the stepper, or,
// given room for slopes, with its own to it->y1.
static carom_status one_part(const part *it, double t, double h, const double *y, double *own,
                             const double *phi) {
  const carom_stepper *s = it->stepper;
  size_t stride = own ? (size_t)s->n : s->stride, block = (size_t)it->block;
  for (int j = 1; j <= STAGES; j++) {
    double at = t + (j == 1 ? 0.0 : CAROM_DOP853_NODE[j]) * h;
    size_t before = (size_t)(j - 1);
    form_stage(j, s->n, stride, h, y, own ? own : s->slopes, it->at);
    carom_status status = own ? s->rhs(s->ctx, at, it->at, own + before * stride) : CAROM_OK;
    if (status == CAROM_OK) status = it->task->slopes(it->task->ctx, at, it->at, it->A);
    if (status != CAROM_OK) return status;
    form_stage(j, it->block, block, h, phi, it->k, it->X);
    multiply_matrix(it->size, it->columns, it->A, it->X, it->k + before * block);
  }
  form_end(it->block, block, h, phi, it->k, it->end);
  if (own) form_end(s->n, stride, h, y, own, it->y1);
  return CAROM_OK;
}

// The error of a column in units of `may` of its size; NaN where something is not finite.
static double column_error(const part *it, double h, double may, int j) {
  const double *error5 = it->X, *error3 = it->other, *end = it->end;
  double size = 1.0, worst5 = 0.0, worst3 = 0.0, sum = 0.0;
  for (int i = 0; i < it->size; i++) {
    int at = i * it->columns + j;
    double ratio = it->weight[j] / it->weight[i];
    size = fmax(size, ratio * fabs(end[at]));
    worst5 = fmax(worst5, ratio * fabs(error5[at]));
    worst3 = fmax(worst3, ratio * fabs(error3[at]));
    sum += fabs(end[at]) + fabs(error5[at]) + fabs(error3[at]);
  }
  double both = worst5 * worst5 + 0.01 * worst3 * worst3;
  if (!isfinite(sum) || !isfinite(both)) return (double)NAN;
  return both > 1e-290 ? h * worst5 * worst5 / (sqrt(both) * size * may) : 0.0;
}

// of A at the last stage, in units of weights
static double largest_slope(const part *it) {
  double largest = 0.0;
  for (int i = 0; i < it->size; i++)
    for (int j = 0; j < it->size; j++)
      largest = fmax(largest, fabs(it->A[i * it->size + j]) * it->weight[j] / it->weight[i]);
  return largest;
}

static double part_error(const part *it, double h) {
  double worst = 0.0, may = it->may;
  if (it->task->noise > 0.0) may += it->task->noise * h * largest_slope(it);
  form_errors(it->block, (size_t)it->block, it->k, it->X, it->other);
  for (int j = 0; j < it->columns && !isnan(worst); j++) {
    double error = column_error(it, h, may, j);
    worst = error > worst || isnan(error) ? error : worst;
  }
  return worst;
}

// the same over the tried step in as many parts as it needs
static carom_status in_parts(part *it, double h, double *phi) {
  const carom_stepper *s = it->stepper;
  double t = s->t, end = s->t + s->h, *own = it->y1 + s->n, *y = own + STAGES * s->n;
  memcpy(y, s->y, (size_t)s->n * sizeof *y);
  for (int parts = 0; t < end; parts++) {
    if (parts == MOST_PARTS) return CAROM_ERR_NO_CONVERGENCE;
    // so many are asked for by rounding alone, as where a slip in space is about to end
    if (parts >= MANY_PARTS && parts % STAGE_OF_PARTS == 0) it->may *= 2.0;
    bool last = t + 1.01 * h >= end;
    if (last) h = end - t;
    carom_status status = one_part(it, t, h, y, own, phi);
    if (status != CAROM_OK && status != CAROM_ERR_NONFINITE) return status;
    double error = status == CAROM_OK ? part_error(it, h) : (double)NAN;
    bool least = t + 0.1 * h == t; // what is left is the rounding of time
    if (isnan(error) && least) return CAROM_ERR_NONFINITE;
    double change = isnan(error) ? SHRINK : SAFETY / sqrt(sqrt(sqrt(error + 1e-300)));
    if (error <= 1.0 || least) {
      memcpy(y, it->y1, (size_t)s->n * sizeof *y);
      memcpy(phi, it->end, (size_t)it->block * sizeof *phi);
      t = last ? end : t + h;
    }
    h *= fmin(GROW, fmax(SHRINK, change));
  }
  return CAROM_OK;
}

carom_status carom_variation_step(const carom_stepper *s, int size, int columns,
                                  const carom_variation_task *task, double *phi, double *room) {
  assert(size > 0 && columns > 0 && columns <= size);
  int block = size * columns;
  part it = {.stepper = s, .task = task, .size = size, .columns = columns, .block = block};
  it.may = fmax(s->options.rtol, ROUNDING);
  it.k = room;
  it.X = it.k + STAGES * block;
  it.other = it.X + block;
  it.end = it.other + block;
  it.A = it.end + block;
  it.weight = it.A + size * size;
  it.at = it.weight + size;
  it.y1 = it.at + s->n;
  for (int i = 0; i < size; i++) {
    task->sizes[i] = fmax(task->sizes[i], fmax(fabs(s->y[i]), fabs(s->y1[i])));
    it.weight[i] = carom_stepper_weight(s, i, task->sizes[i]) + 1e-300;
  }
  carom_status status = one_part(&it, s->t, s->h, s->y, NULL, phi);
  if (status != CAROM_OK && status != CAROM_ERR_NONFINITE) return status;
  if (status != CAROM_OK || !(part_error(&it, s->h) <= 1.0))
    return in_parts(&it, SHRINK * s->h, phi);
  memcpy(phi, it.end, (size_t)block * sizeof *phi);
  return CAROM_OK;
}
