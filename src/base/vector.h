// SPDX-License-Identifier: MIT
/// Vectors of three numbers and 3x3 matrices by rows.
#ifndef CAROM_BASE_VECTOR_H
#define CAROM_BASE_VECTOR_H

#include <math.h>

static inline double carom_v3_dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static inline void carom_v3_cross(const double a[3], const double b[3], double c[3]) {
  double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
  c[0] = x, c[1] = y;
}
static inline void carom_v3_difference(const double a[3], const double b[3], double c[3]) {
  for (int k = 0; k < 3; k++)
    c[k] = a[k] - b[k];
}
/// to += s a
static inline void carom_v3_add(double s, const double a[3], double to[3]) {
  for (int k = 0; k < 3; k++)
    to[k] += s * a[k];
}
static inline double carom_v3_length(const double a[3]) { return sqrt(carom_v3_dot(a, a)); }
static inline void carom_v3_scale(double s, double a[3]) {
  for (int k = 0; k < 3; k++)
    a[k] *= s;
}
/// R a, and its transpose times a
static inline void carom_m3_times(const double r[9], const double a[3], double to[3]) {
  double x = carom_v3_dot(r, a), y = carom_v3_dot(r + 3, a), z = carom_v3_dot(r + 6, a);
  to[0] = x, to[1] = y, to[2] = z;
}
static inline void carom_m3_transposed(const double r[9], const double a[3], double to[3]) {
  double x = r[0] * a[0] + r[3] * a[1] + r[6] * a[2], y = r[1] * a[0] + r[4] * a[1] + r[7] * a[2];
  double z = r[2] * a[0] + r[5] * a[1] + r[8] * a[2];
  to[0] = x, to[1] = y, to[2] = z;
}
/// Two unit vectors square to a unit vector and to each other: n = t x s.
static inline void carom_v3_tangents(const double n[3], double t[3], double s[3]) {
  int k = fabs(n[0]) < fabs(n[1]) ? 0 : 1;
  if (fabs(n[2]) < fabs(n[k])) k = 2;
  double e[3] = {k == 0, k == 1, k == 2};
  carom_v3_cross(e, n, s);
  carom_v3_scale(1.0 / carom_v3_length(s), s);
  carom_v3_cross(s, n, t);
}

#endif
