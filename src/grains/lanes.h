// SPDX-License-Identifier: MIT
/// Lanes of doubles: contacts and rods are computed several at a time. A file that wants another
/// number of lanes than four defines CAROM_WIDTH before it includes this. Lanes do not mix, so a
/// lane has the bits it would have alone, whatever the width. A function that is not inlined takes
/// vectors by address: compiled for different machines it would expect them in different places.
#ifndef CAROM_GRAINS_LANES_H
#define CAROM_GRAINS_LANES_H

#include "grains/segment.h"

#include <math.h>

#ifndef CAROM_WIDTH
#define CAROM_WIDTH CAROM_LANES
#endif

#if CAROM_WIDTH == 8
#include "grains/lanes_avx512.h"
#elif CAROM_WIDTH == 2
#include "grains/lanes_two.h"
#else
#include "grains/lanes_four.h"
#endif

CAROM_INLINE carom_vec v_load(const double *from) {
  carom_vec out;
  memcpy(&out, from, sizeof out);
  return out;
}
CAROM_INLINE void v_store(double *to, carom_vec v) { memcpy(to, &v, sizeof v); }
CAROM_INLINE carom_vec v_clamp(carom_vec x, carom_vec lo, carom_vec hi) {
  return v_min(hi, v_max(lo, x));
}

/// Vectors of space.
typedef struct carom_space {
  carom_vec x, y, z;
} carom_space;

/// Component by component: compilers copy a whole one in pieces that are slow to read again.
CAROM_INLINE carom_space s_at(const carom_space *from) {
  return (carom_space){from->x, from->y, from->z};
}
CAROM_INLINE void s_put(carom_space *to, carom_space v) { to->x = v.x, to->y = v.y, to->z = v.z; }
CAROM_INLINE carom_space s_minus(carom_space a) { return (carom_space){-a.x, -a.y, -a.z}; }
CAROM_INLINE carom_space s_if(carom_mask mask, carom_space a) {
  carom_vec zero = v_all(0.0);
  return (carom_space){v_if(mask, a.x, zero), v_if(mask, a.y, zero), v_if(mask, a.z, zero)};
}
CAROM_INLINE carom_vec s_dot(carom_space a, carom_space b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
CAROM_INLINE carom_space s_cross(carom_space a, carom_space b) {
  return (carom_space){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
CAROM_INLINE carom_space s_add(carom_space a, carom_space b) {
  return (carom_space){a.x + b.x, a.y + b.y, a.z + b.z};
}
CAROM_INLINE carom_space s_sub(carom_space a, carom_space b) {
  return (carom_space){a.x - b.x, a.y - b.y, a.z - b.z};
}
CAROM_INLINE carom_space s_times(carom_vec k, carom_space a) {
  return (carom_space){k * a.x, k * a.y, k * a.z};
}
/// a + k b
CAROM_INLINE carom_space s_plus(carom_space a, carom_vec k, carom_space b) {
  return (carom_space){a.x + k * b.x, a.y + k * b.y, a.z + k * b.z};
}
/// Force and torque of every lane as rows of `push`.
CAROM_INLINE void carom_pushes(carom_space f, carom_space q, carom_push out[CAROM_WIDTH]) {
  carom_vec force[3] = {f.x, f.y, f.z}, torque[3] = {q.x, q.y, q.z};
  v_to_pushes(force, torque, out);
}
CAROM_INLINE carom_space s_load(double *const from[3], int i) {
  return (carom_space){v_load(from[0] + i), v_load(from[1] + i), v_load(from[2] + i)};
}
CAROM_INLINE void s_store(double *const to[3], int i, carom_space v) {
  v_store(to[0] + i, v.x), v_store(to[1] + i, v.y), v_store(to[2] + i, v.z);
}

/// The nearest points of pairs of segments, as carom_segment_nearest finds them.
CAROM_INLINE void s_segment_nearest(carom_space r, carom_space u, carom_vec a, carom_space w,
                                    carom_vec b, carom_vec *s_out, carom_vec *t_out) {
  carom_vec uw = s_dot(u, w), ru = s_dot(r, u), rw = s_dot(r, w);
  carom_space c = s_cross(u, w);
  carom_vec sine2 = s_dot(c, c);
  carom_mask crosses = v_more(sine2, v_all(CAROM_PARALLEL));
  carom_vec begin = -ru - b, end = -ru + b;
  begin = v_if(v_less(begin, -a), -a, begin);
  end = v_if(v_more(end, a), a, end);
  carom_vec middle = v_all(0.5) * (begin + end);
  carom_vec crossing = (uw * rw - ru) / v_if(crosses, sine2, v_all(1.0));
  carom_vec s = v_clamp(v_if(crosses, crossing, middle), -a, a);
  carom_vec t = v_clamp(rw + s * uw, -b, b);
  *s_out = v_clamp(t * uw - ru, -a, a);
  *t_out = t;
}

#endif
