// SPDX-License-Identifier: MIT
/// Vectors and 3 x 3 matrices (row-major), inline.
#ifndef CAROM_FIELD_MATRIX3_H
#define CAROM_FIELD_MATRIX3_H

static inline double carom_dot3(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void carom_cross3(const double *a, const double *b, double *c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void carom_apply3(const double *A, const double *x, double *y) {
  for (int i = 0; i < 3; i++)
    y[i] = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
}

/// y = A^T x
static inline void carom_apply_transposed3(const double *A, const double *x, double *y) {
  for (int j = 0; j < 3; j++)
    y[j] = A[j] * x[0] + A[3 + j] * x[1] + A[6 + j] * x[2];
}

/// C = A B
static inline void carom_multiply3(const double *A, const double *B, double *C) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

/// C = A B^T
static inline void carom_multiply_transposed3(const double *A, const double *B, double *C) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      C[3 * i + j] = carom_dot3(A + 3 * i, B + 3 * j);
}

/// The matrix of cofactors, det A A^-T; returns det A.
static inline double carom_cofactor3(const double *A, double *C) {
  carom_cross3(A + 3, A + 6, C);
  carom_cross3(A + 6, A, C + 3);
  carom_cross3(A, A + 3, C + 6);
  return carom_dot3(A, C);
}

/// B = A^-1; returns det A (0: B is not filled).
static inline double carom_invert3(const double *A, double *B) {
  double C[9], det = carom_cofactor3(A, C);
  if (det == 0.0) return 0.0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      B[3 * i + j] = C[3 * j + i] / det;
  return det;
}

/// A symmetric matrix from xx, yy, zz, xy, xz, yz.
static inline void carom_symmetric3(const double *s, double *A) {
  A[0] = s[0], A[4] = s[1], A[8] = s[2];
  A[1] = A[3] = s[3];
  A[2] = A[6] = s[4];
  A[5] = A[7] = s[5];
}

#endif
