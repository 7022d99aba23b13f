// SPDX-License-Identifier: MIT
/// Products and inverses of 3 x 3 matrices (row-major), inline.
#ifndef CAROM_FIELD_MATRIX3_H
#define CAROM_FIELD_MATRIX3_H

#include "base/vector.h"

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
      C[3 * i + j] = carom_v3_dot(A + 3 * i, B + 3 * j);
}

/// The matrix of cofactors, det A A^-T; returns det A.
static inline double carom_cofactor3(const double *A, double *C) {
  carom_v3_cross(A + 3, A + 6, C);
  carom_v3_cross(A + 6, A, C + 3);
  carom_v3_cross(A, A + 3, C + 6);
  return carom_v3_dot(A, C);
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
