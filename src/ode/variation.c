// SPDX-License-Identifier: MIT
#include "ode/variation.h"

#include "ode/dop853_kernel.h"

#include <assert.h>
#include <string.h>

enum { STAGES = 12 };

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

carom_status carom_variation_step(const carom_stepper *s, int size, int columns,
                                  carom_slope_matrix slopes, void *ctx, double *phi, double *room) {
  assert(size > 0 && columns > 0);
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
    multiply_matrix(size, columns, A, X, k + (size_t)(j - 1) * stride);
  }
  form_end(block, stride, s->h, phi, k, end);
  memcpy(phi, end, stride * sizeof *phi);
  return CAROM_OK;
}
