// SPDX-License-Identifier: MIT
/// Four lanes of doubles. Contacts and rods are computed four at a time; lanes do not mix, so a
/// lane has the bits it would have alone. A function that is not inlined takes them by address:
/// compiled for different machines it would expect them in different places.
#ifndef CAROM_GRAINS_LANES_H
#define CAROM_GRAINS_LANES_H

#include "base/elementary_kernel.h"
#include "grains/segment.h"

CAROM_INLINE carom_v4 v4_all(double x) { return (carom_v4){x, x, x, x}; }

CAROM_INLINE carom_v4 v4_if(carom_m4 mask, carom_v4 yes, carom_v4 no) {
  return (carom_v4)((mask & (carom_m4)yes) | (~mask & (carom_m4)no));
}
CAROM_INLINE bool carom_any4(carom_m4 mask) { return (mask[0] | mask[1] | mask[2] | mask[3]) != 0; }
/// What is not a number comes out of both as the second argument.
CAROM_INLINE carom_v4 v4_max(carom_v4 a, carom_v4 b) { return v4_if((carom_m4)(a > b), a, b); }
CAROM_INLINE carom_v4 v4_min(carom_v4 a, carom_v4 b) { return v4_if((carom_m4)(a < b), a, b); }
CAROM_INLINE carom_v4 v4_clamp(carom_v4 x, carom_v4 lo, carom_v4 hi) {
  carom_v4 y = v4_if((carom_m4)(x < lo), lo, x);
  return v4_if((carom_m4)(y > hi), hi, y);
}
CAROM_INLINE carom_v4 v4_sqrt(carom_v4 x) {
  carom_v4 out = x;
  for (int l = 0; l < CAROM_LANES; l++)
    out[l] = sqrt(x[l]);
  return out;
}

/// Rows become columns.
CAROM_INLINE void v4_transpose(carom_v4 r[4]) {
  carom_v4 a = __builtin_shufflevector(r[0], r[2], 0, 1, 4, 5);
  carom_v4 b = __builtin_shufflevector(r[1], r[3], 0, 1, 4, 5);
  carom_v4 c = __builtin_shufflevector(r[0], r[2], 2, 3, 6, 7);
  carom_v4 d = __builtin_shufflevector(r[1], r[3], 2, 3, 6, 7);
  r[0] = __builtin_shufflevector(a, b, 0, 4, 2, 6);
  r[1] = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  r[2] = __builtin_shufflevector(c, d, 0, 4, 2, 6);
  r[3] = __builtin_shufflevector(c, d, 1, 5, 3, 7);
}

/// Four vectors of space.
typedef struct carom_space4 {
  carom_v4 x, y, z;
} carom_space4;

CAROM_INLINE carom_v4 s4_dot(carom_space4 a, carom_space4 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
CAROM_INLINE carom_space4 s4_cross(carom_space4 a, carom_space4 b) {
  return (carom_space4){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
CAROM_INLINE carom_space4 s4_add(carom_space4 a, carom_space4 b) {
  return (carom_space4){a.x + b.x, a.y + b.y, a.z + b.z};
}
CAROM_INLINE carom_space4 s4_sub(carom_space4 a, carom_space4 b) {
  return (carom_space4){a.x - b.x, a.y - b.y, a.z - b.z};
}
CAROM_INLINE carom_space4 s4_times(carom_v4 k, carom_space4 a) {
  return (carom_space4){k * a.x, k * a.y, k * a.z};
}
/// a + k b
CAROM_INLINE carom_space4 s4_plus(carom_space4 a, carom_v4 k, carom_space4 b) {
  return (carom_space4){a.x + k * b.x, a.y + k * b.y, a.z + k * b.z};
}
CAROM_INLINE carom_space4 s4_load(double *const from[3], int i) {
  return (carom_space4){v4_load(from[0] + i), v4_load(from[1] + i), v4_load(from[2] + i)};
}
CAROM_INLINE void s4_store(double *const to[3], int i, carom_space4 v) {
  v4_store(to[0] + i, v.x), v4_store(to[1] + i, v.y), v4_store(to[2] + i, v.z);
}

/// The nearest points of four pairs of segments, as carom_segment_nearest finds them.
CAROM_INLINE void s4_segment_nearest(carom_space4 r, carom_space4 u, carom_v4 a, carom_space4 w,
                                     carom_v4 b, carom_v4 *s_out, carom_v4 *t_out) {
  carom_v4 uw = s4_dot(u, w), ru = s4_dot(r, u), rw = s4_dot(r, w);
  carom_space4 c = s4_cross(u, w);
  carom_v4 sine2 = s4_dot(c, c);
  carom_m4 crosses = (carom_m4)(sine2 > v4_all(CAROM_PARALLEL));
  carom_v4 begin = -ru - b, end = -ru + b;
  begin = v4_if((carom_m4)(begin < -a), -a, begin);
  end = v4_if((carom_m4)(end > a), a, end);
  carom_v4 middle = v4_all(0.5) * (begin + end);
  carom_v4 crossing = (uw * rw - ru) / v4_if(crosses, sine2, v4_all(1.0));
  carom_v4 s = v4_clamp(v4_if(crosses, crossing, middle), -a, a);
  carom_v4 t = v4_clamp(rw + s * uw, -b, b);
  *s_out = v4_clamp(t * uw - ru, -a, a);
  *t_out = t;
}

#endif
