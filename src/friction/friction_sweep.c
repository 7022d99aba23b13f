// SPDX-License-Identifier: MIT
#include "friction/friction_internal.h"

#include <assert.h>

// v of contact i without its own share
static inline void velocity_by_others(const friction_problem *p, int d, int i, const double *r,
                                      double *b) {
  assert(i >= 0 && i < p->n && d == p->d);
  double sum[FRICTION_MOST] = {0.0, 0.0, 0.0};
  for (int k = p->start[i]; k < p->start[i + 1]; k++) {
    if (k == p->diagonal[i]) continue;
    const double *A = p->block + (size_t)k * (size_t)(d * d), *x = r + p->column[k] * d;
    for (int a = 0; a < d; a++)
      for (int c = 0; c < d; c++)
        sum[a] += A[a * d + c] * x[c];
  }
  for (int a = 0; a < d; a++)
    b[a] = p->q[i * d + a] + sum[a];
}

void friction_sweep(const friction_problem *p, int count, double *r) {
  int d = p->d;
  for (int turn = 0; turn < count; turn++)
    for (int i = 0; i < p->n; i++) {
      double b[FRICTION_MOST];
      if (d == 2)
        velocity_by_others(p, 2, i, r, b);
      else
        velocity_by_others(p, 3, i, r, b);
      friction_local(d, p->block + (size_t)p->diagonal[i] * (size_t)(d * d), b, p->mu[i],
                     p->floor[i], r + i * d);
    }
}
