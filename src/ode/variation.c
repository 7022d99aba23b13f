// SPDX-License-Identifier: MIT
#include "ode/variation.h"

#include "ode/dop853_kernel.h"
#include "ode/stepper_parts.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { STAGES = CAROM_VARIATION_STAGES, MANY_PARTS = 300, STAGE_OF_PARTS = 100, MOST_PARTS = 1500 };
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
  carom_part_seen seen;         // of one neighbour: is told of A at all stages; else NULL
  void *ctx;
  int entries, moving; // of A; rows of phi that have one: what is left of it stays
} part;

size_t carom_variation_room(const carom_stepper *stepper, int size, int columns) {
  size_t block = (size_t)size * (size_t)columns, n = (size_t)stepper->n;
  return (STAGES + 3) * block + (STAGES * (size_t)size + 1) * (size_t)size + (STAGES + 3) * n;
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

// out = A x with the entries of A that are not zero
static void multiply_entries(const part *it, const double *A, const double *x, double *out) {
  const carom_variation_task *task = it->task;
  if (task->count == 0) {
    multiply_matrix(it->size, 1, A, x, out);
    return;
  }
  memset(out, 0, (size_t)it->moving * sizeof *out);
  for (int e = 0; e < task->count; e++)
    out[task->row[e]] += A[e] * x[task->column[e]];
}

// the slopes of stage j, whose argument is it->X
static carom_status find_slopes(const part *it, int j, double t) {
  const carom_variation_task *task = it->task;
  double *out = it->k + (j - 1) * it->block;
  double *A = it->A + (it->seen ? (j - 1) * it->entries : 0);
  carom_slope_matrix find = it->seen && task->count > 0 ? task->entries : task->slopes;
  carom_status status = find(task->ctx, t, it->at, A);
  if (status != CAROM_OK) return status;
  if (it->seen)
    multiply_entries(it, A, it->X, out);
  else
    multiply_matrix(it->size, it->columns, A, it->X, out);
  return CAROM_OK;
}

// The matrix over [t, t + h] from `phi` to it->end; the motion with the stages of the stepper, or,
// given room for slopes, with its own to it->y1.
static carom_status one_part(const part *it, double t, double h, const double *y, double *own,
                             const double *phi) {
  const carom_stepper *s = it->stepper;
  size_t stride = own ? (size_t)s->n : s->stride, block = (size_t)it->block;
  int moving = it->moving * it->columns;
  memcpy(it->X, phi, block * sizeof *phi);
  for (int j = 1; j <= STAGES; j++) {
    double at = t + (j == 1 ? 0.0 : CAROM_DOP853_NODE[j]) * h;
    form_stage(j, s->n, stride, h, y, own ? own : s->slopes, it->at);
    carom_status status =
        own ? s->rhs(s->ctx, at, it->at, own + (size_t)(j - 1) * stride) : CAROM_OK;
    form_stage(j, moving, block, h, phi, it->k, it->X);
    if (status == CAROM_OK) status = find_slopes(it, j, at);
    if (status != CAROM_OK) return status;
  }
  form_end(moving, block, h, phi, it->k, it->end);
  if (own) form_end(s->n, stride, h, y, own, it->y1);
  return CAROM_OK;
}

// The error of a column in units of `may` of its size; NaN where something is not finite.
static double column_error(const part *it, double h, double may, int j) {
  const double *error5 = it->X, *error3 = it->other, *end = it->end;
  double size = 1.0, worst5 = 0.0, worst3 = 0.0, sum = 0.0;
  for (int i = 0; i < it->moving; i++) {
    int at = i * it->columns + j;
    double ratio = (it->seen ? 1.0 : it->weight[j]) / it->weight[i];
    size = fmax(size, ratio * fabs(end[at]));
    worst5 = fmax(worst5, ratio * fabs(error5[at]));
    worst3 = fmax(worst3, ratio * fabs(error3[at]));
    sum += fabs(end[at]) + fabs(error5[at]) + fabs(error3[at]);
  }
  double both = worst5 * worst5 + 0.01 * worst3 * worst3;
  if (!isfinite(sum) || !isfinite(both)) return (double)NAN;
  return both > 1e-290 ? h * worst5 * worst5 / (sqrt(both) * size * may) : 0.0;
}

// of A at a stage, in units of weights; there is noise where A is not known entry by entry
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
  form_errors(it->moving * it->columns, (size_t)it->block, it->k, it->X, it->other);
  for (int j = 0; j < it->columns && !isnan(worst); j++) {
    double error = column_error(it, h, may, j);
    worst = error > worst || isnan(error) ? error : worst;
  }
  return worst;
}

// `phi` is at the end of the part
static carom_status take_part(const part *it, double h, double *phi) {
  const carom_variation_part told = {.stages = true,
                                     .count = it->entries,
                                     .row = it->task->row,
                                     .column = it->task->column,
                                     .c = it->A,
                                     .unit = h,
                                     .taken = 1.0};
  memcpy(phi, it->end, (size_t)(it->moving * it->columns) * sizeof *phi);
  return !it->seen || it->seen(it->ctx, &told) ? CAROM_OK : CAROM_ERR_MEMORY;
}

// how much longer the next part may be than one with this error
static double find_change(double error) {
  double change = isnan(error) ? SHRINK : SAFETY / sqrt(sqrt(sqrt(error + 1e-300)));
  return fmin(GROW, fmax(SHRINK, change));
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
    if (error <= 1.0 || least) {
      memcpy(y, it->y1, (size_t)s->n * sizeof *y);
      status = take_part(it, h, phi);
      if (status != CAROM_OK) return status;
      t = last ? end : t + h;
    }
    h *= find_change(error);
  }
  return CAROM_OK;
}

// over the tried step; `it` knows of which columns, and who is told
static carom_status whole_step(part *it, double *phi, double *room) {
  const carom_stepper *s = it->stepper;
  int size = it->size, block = it->block = it->size * it->columns;
  it->may = fmax(s->options.rtol, ROUNDING);
  it->k = room;
  it->X = it->k + STAGES * block;
  it->other = it->X + block;
  it->end = it->other + block;
  it->A = it->end + block;
  it->weight = it->A + STAGES * size * size;
  it->at = it->weight + size;
  it->y1 = it->at + s->n;
  for (int i = 0; i < size; i++) {
    double *most = &it->task->sizes[i];
    *most = fmax(*most, fmax(fabs(s->y[i]), fabs(s->y1[i])));
    it->weight[i] = carom_stepper_weight(s, i, *most) + 1e-300;
    if (it->seen) phi[i] = it->weight[i];
  }
  carom_status status = one_part(it, s->t, s->h, s->y, NULL, phi);
  if (status != CAROM_OK && status != CAROM_ERR_NONFINITE) return status;
  double error = status == CAROM_OK ? part_error(it, s->h) : (double)NAN;
  if (error <= 1.0) return take_part(it, s->h, phi);
  return in_parts(it, (it->seen ? find_change(error) : SHRINK) * s->h, phi);
}

carom_status carom_variation_step(const carom_stepper *s, int size, int columns,
                                  const carom_variation_task *task, double *phi, double *room) {
  assert(size > 0 && columns > 0 && columns <= size);
  part it = {.stepper = s, .task = task, .size = size, .columns = columns, .moving = size};
  return whole_step(&it, phi, room);
}

carom_status carom_variation_step_seen(const carom_stepper *s, int size,
                                       const carom_variation_task *task, double *column,
                                       double *room, carom_part_seen seen, void *ctx) {
  part it = {.stepper = s, .task = task, .size = size, .columns = 1, .seen = seen, .ctx = ctx};
  it.entries = task->count > 0 ? task->count : size * size;
  it.moving = task->count > 0 ? task->row[task->count - 1] + 1 : size;
  return whole_step(&it, column, room);
}

// With arguments Y_i = y + h sum_j a_ij k_j of the stages k_i = A_i Y_i and the end y + h sum_j b_j
// k_j, rows y_i = d (row Phi)/d Y_i are, from the last stage on, y_j = h (b_j row + sum_i a_ij y_i)
// A_j; what is wanted is row + sum y_j.
void carom_variation_pull_stages(const carom_variation_part *over, int size, double *row,
                                 double *room) {
  double *back = room, *sum = room + STAGES * size; // rows of the stages; h (...) of one
  int moving = over->count > 0 ? over->row[over->count - 1] + 1 : 0;
  for (int j = STAGES; j >= 1; j--) {
    double *to = back + (j - 1) * size;
    for (int i = 0; i < moving; i++)
      sum[i] = CAROM_DOP853_WEIGHT[j] * row[i];
    for (int later = j + 1; later <= STAGES; later++) {
      const double a = CAROM_DOP853_STAGE[later][j], *from = back + (later - 1) * size;
      for (int i = 0; a != 0.0 && i < moving; i++)
        sum[i] += a * from[i];
    }
    memset(to, 0, (size_t)size * sizeof *to);
    for (int e = 0; e < over->count; e++)
      to[over->column[e]] += over->unit * sum[over->row[e]] * over->c[(j - 1) * over->count + e];
  }
  for (int j = 0; j < STAGES; j++)
    for (int i = 0; i < size; i++)
      row[i] += back[j * size + i];
}
