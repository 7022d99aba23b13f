// SPDX-License-Identifier: MIT
/// Four lanes, in terms that compilers translate for any machine. Included by lanes.h.
#ifndef CAROM_GRAINS_LANES_FOUR_H
#define CAROM_GRAINS_LANES_FOUR_H

#include "base/wide.h"

#include <math.h>

typedef carom_v4 carom_vec;
typedef carom_m4 carom_mask;

#include "grains/lanes_plain.h"

CAROM_INLINE carom_vec v_all(double x) { return (carom_vec){x, x, x, x}; }
CAROM_INLINE bool m_any(carom_mask m) { return (m[0] | m[1] | m[2] | m[3]) != 0; }
/// The first `count` lanes.
CAROM_INLINE carom_mask m_first(int count) {
  carom_mask number = {0, 1, 2, 3}, end = {count, count, count, count};
  return (carom_mask)(number < end);
}

CAROM_INLINE carom_vec v_abs(carom_vec x) { return v4_abs(x); }
CAROM_INLINE carom_vec v_sqrt(carom_vec x) {
  return (carom_vec){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])};
}
CAROM_INLINE carom_vec v_gather(const double *from, const int *at) {
  return (carom_vec){from[at[0]], from[at[1]], from[at[2]], from[at[3]]};
}
CAROM_INLINE carom_vec v_widen(const float *from) {
  return (carom_vec){from[0], from[1], from[2], from[3]};
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

/// A row of four numbers.
typedef carom_v4 carom_row;
CAROM_INLINE void row_store(double *to, carom_row row) { v4_store(to, row); }

/// Four numbers of each lane, from where `row` points, become four vectors.
CAROM_INLINE void v_from_rows(const double *const row[CAROM_WIDTH], carom_vec out[4]) {
  for (int l = 0; l < CAROM_WIDTH; l++)
    out[l] = v4_load(row[l]);
  v4_transpose(out);
}
/// And back.
CAROM_INLINE void v_to_rows(const carom_vec in[4], carom_row rows[CAROM_WIDTH]) {
  for (int c = 0; c < 4; c++)
    rows[c] = in[c];
  v4_transpose(rows);
}

/// Force and torque, each with a zero, of one lane.
typedef struct carom_push {
  carom_v4 force, torque;
} carom_push;

CAROM_INLINE void v_to_pushes(const carom_vec force[3], const carom_vec torque[3],
                              carom_push out[CAROM_WIDTH]) {
  carom_v4 zero = v_all(0.0), f[4] = {force[0], force[1], force[2], zero};
  carom_v4 q[4] = {torque[0], torque[1], torque[2], zero};
  v4_transpose(f);
  v4_transpose(q);
  for (int l = 0; l < CAROM_WIDTH; l++)
    out[l].force = f[l], out[l].torque = q[l];
}
CAROM_INLINE void carom_push_put(double to[8], const carom_push *push) {
  v4_store(to, push->force);
  v4_store(to + 4, push->torque);
}
CAROM_INLINE void carom_push_add(double to[8], const carom_push *push) {
  v4_store(to, v4_load(to) + push->force);
  v4_store(to + 4, v4_load(to + 4) + push->torque);
}

#endif
