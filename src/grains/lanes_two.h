// SPDX-License-Identifier: MIT
/// Two lanes, for machines whose registers hold no more: compilers split wider vectors into single
/// numbers there. Included by lanes.h.
#ifndef CAROM_GRAINS_LANES_TWO_H
#define CAROM_GRAINS_LANES_TWO_H

#include "base/wide.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif
#include <math.h>

typedef double carom_vec __attribute__((vector_size(16)));
typedef int64_t carom_mask __attribute__((vector_size(16)));

#include "grains/lanes_plain.h"

CAROM_INLINE carom_vec v_all(double x) { return (carom_vec){x, x}; }
CAROM_INLINE bool m_any(carom_mask m) { return (m[0] | m[1]) != 0; }
/// The first `count` lanes.
CAROM_INLINE carom_mask m_first(int count) { return (carom_mask){-(count > 0), -(count > 1)}; }

CAROM_INLINE carom_vec v_abs(carom_vec x) {
  return (carom_vec)((carom_mask)x & (carom_mask){INT64_MAX, INT64_MAX});
}
CAROM_INLINE carom_vec v_sqrt(carom_vec x) {
#if defined(__SSE2__)
  return (carom_vec)_mm_sqrt_pd((__m128d)x);
#else
  return (carom_vec){sqrt(x[0]), sqrt(x[1])};
#endif
}
CAROM_INLINE carom_vec v_gather(const double *from, const int *at) {
  return (carom_vec){from[at[0]], from[at[1]]};
}
CAROM_INLINE carom_vec v_widen(const float *from) { return (carom_vec){from[0], from[1]}; }

/// A row of four numbers, in halves.
typedef struct carom_row {
  carom_vec low, high;
} carom_row;
CAROM_INLINE carom_vec two_from(const double *from) {
  carom_vec out;
  memcpy(&out, from, sizeof out);
  return out;
}
CAROM_INLINE void two_to(double *to, carom_vec v) { memcpy(to, &v, sizeof v); }
CAROM_INLINE carom_vec firsts(carom_vec a, carom_vec b) { return (carom_vec){a[0], b[0]}; }
CAROM_INLINE carom_vec seconds(carom_vec a, carom_vec b) { return (carom_vec){a[1], b[1]}; }

/// Four numbers of each lane, from where `row` points, become four vectors.
CAROM_INLINE void v_from_rows(const double *const row[CAROM_WIDTH], carom_vec out[4]) {
  for (int half = 0; half < 2; half++) {
    carom_vec a = two_from(row[0] + 2 * half), b = two_from(row[1] + 2 * half);
    out[2 * half] = firsts(a, b);
    out[2 * half + 1] = seconds(a, b);
  }
}
/// And back.
CAROM_INLINE void v_to_rows(const carom_vec in[4], carom_row rows[CAROM_WIDTH]) {
  rows[0] = (carom_row){firsts(in[0], in[1]), firsts(in[2], in[3])};
  rows[1] = (carom_row){seconds(in[0], in[1]), seconds(in[2], in[3])};
}
CAROM_INLINE void row_store(double *to, carom_row row) {
  two_to(to, row.low);
  two_to(to + 2, row.high);
}

/// Force and torque, each with a zero, of one lane.
typedef struct carom_push {
  carom_row force, torque;
} carom_push;

CAROM_INLINE void v_to_pushes(const carom_vec force[3], const carom_vec torque[3],
                              carom_push out[CAROM_WIDTH]) {
  const carom_vec zero = v_all(0.0), f[4] = {force[0], force[1], force[2], zero};
  const carom_vec q[4] = {torque[0], torque[1], torque[2], zero};
  carom_row rows[2][CAROM_WIDTH];
  v_to_rows(f, rows[0]);
  v_to_rows(q, rows[1]);
  for (int l = 0; l < CAROM_WIDTH; l++)
    out[l] = (carom_push){rows[0][l], rows[1][l]};
}
CAROM_INLINE void carom_push_put(double to[8], const carom_push *push) {
  row_store(to, push->force);
  row_store(to + 4, push->torque);
}
CAROM_INLINE void carom_push_add(double to[8], const carom_push *push) {
  two_to(to, two_from(to) + push->force.low);
  two_to(to + 2, two_from(to + 2) + push->force.high);
  two_to(to + 4, two_from(to + 4) + push->torque.low);
  two_to(to + 6, two_from(to + 6) + push->torque.high);
}

#endif
