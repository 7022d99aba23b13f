// SPDX-License-Identifier: MIT
/// A second program for affine bodies that shares nothing with the engine: small matrices of any
/// dimension, the motion of an incompressible body from one linear system for F'' and its pressure,
/// and CVODE to integrate. For tests.
#ifndef CAROM_TESTS_FIELD_PLAIN_AFFINE_H
#define CAROM_TESTS_FIELD_PLAIN_AFFINE_H

#include "plain_integrate.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { PLAIN_MOST = 3, PLAIN_SYSTEM = PLAIN_MOST * PLAIN_MOST + 1 };

typedef struct plain_matrix {
  double at[PLAIN_MOST][PLAIN_MOST];
} plain_matrix;

/// d^-n.
static inline double plain_power(double d, int n) {
  double u = 1.0 / d, product = 1.0;
  for (int k = 0; k < n; k++)
    product *= u;
  return product;
}

/// Gauss elimination with pivots; b becomes the solution of A x = b.
static inline void plain_solve(int n, double A[PLAIN_SYSTEM][PLAIN_SYSTEM], double *b) {
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[i][k]) > fabs(A[pivot][k])) pivot = i;
    for (int j = 0; j < n; j++) {
      double kept = A[k][j];
      A[k][j] = A[pivot][j], A[pivot][j] = kept;
    }
    double kept = b[k];
    b[k] = b[pivot], b[pivot] = kept;
    for (int i = 0; i < n; i++) {
      double part = A[i][k] / A[k][k];
      for (int j = k; i != k && j < n; j++)
        A[i][j] -= part * A[k][j];
      if (i != k) b[i] -= part * b[k];
    }
  }
  for (int k = 0; k < n; k++)
    b[k] /= A[k][k];
}

/// The derivatives of det F by its entries.
static inline plain_matrix plain_cofactor(int d, const plain_matrix *F) {
  plain_matrix C;
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) {
      int i1 = (i + 1) % d, i2 = (i + 2) % d, j1 = (j + 1) % d, j2 = (j + 2) % d;
      C.at[i][j] = d == 2 ? ((i + j) % 2 ? -1.0 : 1.0) * F->at[i1][j1]
                          : F->at[i1][j1] * F->at[i2][j2] - F->at[i1][j2] * F->at[i2][j1];
    }
  return C;
}

static inline plain_matrix plain_inverse(int d, const plain_matrix *F) {
  plain_matrix C = plain_cofactor(d, F), inverse;
  double det = 0.0;
  for (int j = 0; j < d; j++)
    det += F->at[0][j] * C.at[0][j];
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++)
      inverse.at[i][j] = C.at[j][i] / det;
  return inverse;
}

static inline plain_matrix plain_product(int d, const plain_matrix *A, const plain_matrix *B,
                                         bool transposed) {
  plain_matrix P = {{{0.0}}};
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++)
      for (int k = 0; k < d; k++)
        P.at[i][j] += A->at[i][k] * (transposed ? B->at[j][k] : B->at[k][j]);
  return P;
}

/// What a soft body is made of; J is its Euler tensor.
typedef struct plain_material {
  double c10, c01, viscosity, volume;
  plain_matrix J;
} plain_material;

/// F'' from  F'' J = M - vol S + lambda C,  C : F'' = -C' : F',  C = d det/dF.
static inline plain_matrix plain_soft_rates(int d, const plain_material *m, const plain_matrix *F,
                                            const plain_matrix *G, const plain_matrix *M) {
  plain_matrix inverse = plain_inverse(d, F), C = plain_cofactor(d, F), sum, T, both, faster;
  plain_matrix L = plain_product(d, G, &inverse, false), B = plain_product(d, F, F, true);
  plain_matrix B_inverse = plain_inverse(d, &B);
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) {
      T.at[i][j] = 2.0 * m->c10 * B.at[i][j] - 2.0 * m->c01 * B_inverse.at[i][j] +
                   0.5 * m->viscosity * (L.at[i][j] + L.at[j][i]);
      sum.at[i][j] = F->at[i][j] + G->at[i][j];
    }
  plain_matrix S = plain_product(d, &T, &inverse, true);
  // C is linear (plane) or quadratic (space) in F: its rate by polarisation
  both = plain_cofactor(d, &sum), faster = plain_cofactor(d, G);
  double A[PLAIN_SYSTEM][PLAIN_SYSTEM] = {{0.0}}, b[PLAIN_SYSTEM] = {0.0};
  int last = d * d;
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) {
      double rate = d == 2 ? faster.at[i][j] : both.at[i][j] - C.at[i][j] - faster.at[i][j];
      for (int k = 0; k < d; k++)
        A[d * i + j][d * i + k] = m->J.at[k][j];
      A[d * i + j][last] = -C.at[i][j];
      A[last][d * i + j] = C.at[i][j];
      b[d * i + j] = M->at[i][j] - m->volume * S.at[i][j];
      b[last] -= rate * G->at[i][j];
    }
  plain_solve(last + 1, A, b);
  for (int i = 0; i < last; i++)
    sum.at[i / d][i % d] = b[i];
  return sum;
}

#endif
