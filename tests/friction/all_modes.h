// SPDX-License-Identifier: MIT
/// All solutions of a small planar problem by trying all modes, in extended precision; shares
/// nothing with the solver.
#ifndef CAROM_TESTS_ALL_MODES_H
#define CAROM_TESTS_ALL_MODES_H

#include "friction_help.h"

enum { MOST = 5, ROWS = 2 * MOST };

// Gauss with full row exchange; false when singular
static inline bool solve_plain(int n, long double (*A)[ROWS + 1]) {
  for (int k = 0; k < n; k++) {
    int top = k;
    for (int i = k + 1; i < n; i++)
      if (fabsl(A[i][k]) > fabsl(A[top][k])) top = i;
    if (fabsl(A[top][k]) < 1e-12L) return false;
    for (int j = 0; j <= n; j++) {
      long double x = A[k][j];
      A[k][j] = A[top][j];
      A[top][j] = x;
    }
    for (int i = 0; i < n; i++) {
      if (i == k) continue;
      long double f = A[i][k] / A[k][k];
      for (int j = k; j <= n; j++)
        A[i][j] -= f * A[k][j];
    }
  }
  for (int k = 0; k < n; k++)
    A[k][n] /= A[k][k];
  return true;
}

// modes 0 open, 1 stick, 2 slip to plus, 3 slip to minus: two equations a contact
static inline bool solve_modes(const posed *p, const int *mode, double *r) {
  long double A[ROWS][ROWS + 1];
  int rows = 2 * p->n;
  for (int i = 0; i < p->n; i++) {
    for (int j = 0; j <= rows; j++)
      A[2 * i][j] = A[2 * i + 1][j] = 0;
    for (int a = 0; a < 2; a++) {
      bool by_velocity = mode[i] == 1 || (mode[i] > 1 && a == 0);
      for (int j = 0; j < rows && by_velocity; j++)
        A[2 * i + a][j] = p->W[(2 * i + a) * rows + j];
      if (by_velocity)
        A[2 * i + a][rows] = -p->q[2 * i + a];
      else
        A[2 * i + a][2 * i + a] = 1;
    }
    if (mode[i] > 1) A[2 * i + 1][2 * i] = (mode[i] == 2 ? 1 : -1) * (long double)p->mu[i];
  }
  if (!solve_plain(rows, A)) return false;
  for (int k = 0; k < rows; k++)
    r[k] = (double)A[k][rows];
  return true;
}

// all solutions of a problem in general position; returns their number
static inline int enumerate(const posed *p, double (*all)[ROWS]) {
  int count = 0, rows = 2 * p->n, codes = 1 << (2 * p->n);
  for (int code = 0; code < codes; code++) {
    int mode[MOST];
    double r[ROWS];
    for (int i = 0; i < p->n; i++)
      mode[i] = (code >> (2 * i)) & 3;
    if (!solve_modes(p, mode, r) || residual_of(p, r) > 1e-9) continue;
    bool known = false;
    for (int k = 0; k < count && !known; k++) {
      double apart = 0.0;
      for (int e = 0; e < rows; e++)
        apart = fmax(apart, fabs(all[k][e] - r[e]));
      known = apart < 1e-6;
    }
    if (known || count == 64) continue;
    memcpy(all[count++], r, sizeof r);
  }
  return count;
}

#endif
