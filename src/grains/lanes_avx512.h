// SPDX-License-Identifier: MIT
/// Eight lanes with the instructions of AVX-512. Included by lanes.h in files compiled for them.
#ifndef CAROM_GRAINS_LANES_AVX512_H
#define CAROM_GRAINS_LANES_AVX512_H

#include "base/wide.h"

#include <immintrin.h>

typedef __m512d carom_vec;
typedef __mmask8 carom_mask;

CAROM_INLINE carom_vec v_all(double x) { return _mm512_set1_pd(x); }
CAROM_INLINE carom_mask v_more(carom_vec a, carom_vec b) {
  return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ);
}
CAROM_INLINE carom_mask v_less(carom_vec a, carom_vec b) {
  return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
}
CAROM_INLINE carom_mask v_most(carom_vec a, carom_vec b) {
  return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ);
}
CAROM_INLINE carom_mask m_not(carom_mask m) { return _knot_mask8(m); }
CAROM_INLINE carom_mask m_and(carom_mask a, carom_mask b) { return _kand_mask8(a, b); }
CAROM_INLINE carom_mask m_or(carom_mask a, carom_mask b) { return _kor_mask8(a, b); }
CAROM_INLINE bool m_any(carom_mask m) { return m != 0; }
CAROM_INLINE bool m_lane(carom_mask m, int l) { return ((m >> l) & 1) != 0; }
CAROM_INLINE carom_mask m_first(int count) { return (carom_mask)((1u << count) - 1u); }

CAROM_INLINE carom_vec v_if(carom_mask mask, carom_vec yes, carom_vec no) {
  return _mm512_mask_blend_pd(mask, no, yes);
}
CAROM_INLINE carom_vec v_abs(carom_vec x) { return _mm512_abs_pd(x); }
CAROM_INLINE carom_vec v_max(carom_vec a, carom_vec b) { return _mm512_max_pd(a, b); }
CAROM_INLINE carom_vec v_min(carom_vec a, carom_vec b) { return _mm512_min_pd(a, b); }
CAROM_INLINE carom_vec v_sqrt(carom_vec x) { return _mm512_sqrt_pd(x); }
CAROM_INLINE carom_vec v_gather(const double *from, const int *at) {
  return (carom_vec){from[at[0]], from[at[1]], from[at[2]], from[at[3]],
                     from[at[4]], from[at[5]], from[at[6]], from[at[7]]};
}
CAROM_INLINE carom_vec v_widen(const float *from) { return _mm512_cvtps_pd(_mm256_loadu_ps(from)); }

// quarters 0 and 2, or 1 and 3, of two vectors in turn
CAROM_INLINE carom_vec even_quarters(carom_vec a, carom_vec b) {
  return _mm512_permutex2var_pd(a, _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0), b);
}
CAROM_INLINE carom_vec odd_quarters(carom_vec a, carom_vec b) {
  return _mm512_permutex2var_pd(a, _mm512_set_epi64(15, 14, 7, 6, 11, 10, 3, 2), b);
}

CAROM_INLINE carom_vec two_rows(const double *low, const double *high) {
  return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(low)), _mm256_loadu_pd(high), 1);
}

CAROM_INLINE void v_from_rows(const double *const row[CAROM_WIDTH], carom_vec out[4]) {
  carom_vec a = two_rows(row[0], row[4]), b = two_rows(row[1], row[5]);
  carom_vec c = two_rows(row[2], row[6]), d = two_rows(row[3], row[7]);
  carom_vec ab = _mm512_unpacklo_pd(a, b), cd = _mm512_unpacklo_pd(c, d);
  out[0] = even_quarters(ab, cd);
  out[2] = odd_quarters(ab, cd);
  ab = _mm512_unpackhi_pd(a, b), cd = _mm512_unpackhi_pd(c, d);
  out[1] = even_quarters(ab, cd);
  out[3] = odd_quarters(ab, cd);
}

typedef carom_v4 carom_row;
CAROM_INLINE void row_store(double *to, carom_row row) { v4_store(to, row); }

CAROM_INLINE void v_to_rows(const carom_vec in[4], carom_row rows[CAROM_WIDTH]) {
  carom_vec a = _mm512_unpacklo_pd(in[0], in[1]), b = _mm512_unpacklo_pd(in[2], in[3]);
  carom_vec c = _mm512_unpackhi_pd(in[0], in[1]), d = _mm512_unpackhi_pd(in[2], in[3]);
  carom_vec pairs[4] = {even_quarters(a, b), even_quarters(c, d), odd_quarters(a, b),
                        odd_quarters(c, d)};
  for (int l = 0; l < 4; l++) {
    rows[l] = (carom_row)_mm512_castpd512_pd256(pairs[l]);
    rows[4 + l] = (carom_row)_mm512_extractf64x4_pd(pairs[l], 1);
  }
}

typedef __m512d carom_push;

// lanes 2m (from 0) or 2m + 1 (from 1) of x, y, z, 0 as quarters m and the one beside it
CAROM_INLINE void v_to_pushes(const carom_vec f[3], const carom_vec q[3],
                              carom_push out[CAROM_WIDTH]) {
  for (int odd = 0; odd < 2; odd++) {
    carom_vec fxy = odd ? _mm512_unpackhi_pd(f[0], f[1]) : _mm512_unpacklo_pd(f[0], f[1]);
    carom_vec qxy = odd ? _mm512_unpackhi_pd(q[0], q[1]) : _mm512_unpacklo_pd(q[0], q[1]);
    carom_vec fz =
        odd ? _mm512_maskz_permute_pd(0x55, f[2], 0xff) : _mm512_maskz_mov_pd(0x55, f[2]);
    carom_vec qz =
        odd ? _mm512_maskz_permute_pd(0x55, q[2], 0xff) : _mm512_maskz_mov_pd(0x55, q[2]);
    carom_vec f02 = _mm512_shuffle_f64x2(fxy, fz, 0x88), f13 = _mm512_shuffle_f64x2(fxy, fz, 0xdd);
    carom_vec q02 = _mm512_shuffle_f64x2(qxy, qz, 0x88), q13 = _mm512_shuffle_f64x2(qxy, qz, 0xdd);
    out[odd] = _mm512_shuffle_f64x2(f02, q02, 0x88);
    out[4 + odd] = _mm512_shuffle_f64x2(f02, q02, 0xdd);
    out[2 + odd] = _mm512_shuffle_f64x2(f13, q13, 0x88);
    out[6 + odd] = _mm512_shuffle_f64x2(f13, q13, 0xdd);
  }
}
CAROM_INLINE void carom_push_put(double to[8], const carom_push *push) {
  _mm512_storeu_pd(to, *push);
}
CAROM_INLINE void carom_push_add(double to[8], const carom_push *push) {
  _mm512_storeu_pd(to, _mm512_loadu_pd(to) + *push);
}

#endif
