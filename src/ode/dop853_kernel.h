// SPDX-License-Identifier: MIT
/// The sums of a step of the 8(5,3) pair, one loop over the states each: zero coefficients left
/// out, constants folded, so that a compiler turns every loop into straight vector code. Slope j
/// (k_j in the literature) of state i lies at k[(j - 1) * stride + i]. The order of the additions
/// is the order written here, whatever the compiler: results repeat bit for bit.
#ifndef CAROM_ODE_DOP853_KERNEL_H
#define CAROM_ODE_DOP853_KERNEL_H

#include "base/wide.h"
#include "ode/dop853_table.h"

#include <stddef.h>

// inlined always: the sums are compiled for the machine of the function that uses them
#if defined(__GNUC__)
#define CAROM_KERNEL static inline __attribute__((always_inline))
#else
#define CAROM_KERNEL static inline
#endif

#define K(j) k[(size_t)((j)-1) * stride + (size_t)i]
#define A(s, j) (CAROM_DOP853_STAGE[s][j] * K(j))
#define B(j) (CAROM_DOP853_WEIGHT[j] * K(j))
#define E5(j) (CAROM_DOP853_ERROR5[j] * K(j))
#define E3(j) (CAROM_DOP853_ORDER3[j] * K(j))
// four states at once
#define FOUR(j) v4_load(k + (size_t)((j)-1) * stride + (size_t)i)
#define D(r, j) (CAROM_DOP853_DENSE[(r)-4][j] * FOUR(j))

// the argument of stage s: out = y + h sum_j a_sj k_j
#define FORM(s, sum)                                                                               \
  CAROM_KERNEL void form_##s(int n, size_t stride, double h, const double *restrict y,             \
                             const double *restrict k, double *restrict out) {                     \
    for (int i = 0; i < n; i++)                                                                    \
      out[i] = y[i] + h * (sum);                                                                   \
  }

FORM(2, A(2, 1))
FORM(3, A(3, 1) + A(3, 2))
FORM(4, A(4, 1) + A(4, 3))
FORM(5, A(5, 1) + A(5, 3) + A(5, 4))
FORM(6, A(6, 1) + A(6, 4) + A(6, 5))
FORM(7, A(7, 1) + A(7, 4) + A(7, 5) + A(7, 6))
FORM(8, A(8, 1) + A(8, 4) + A(8, 5) + A(8, 6) + A(8, 7))
FORM(9, A(9, 1) + A(9, 4) + A(9, 5) + A(9, 6) + A(9, 7) + A(9, 8))
FORM(10, A(10, 1) + A(10, 4) + A(10, 5) + A(10, 6) + A(10, 7) + A(10, 8) + A(10, 9))
FORM(11, A(11, 1) + A(11, 4) + A(11, 5) + A(11, 6) + A(11, 7) + A(11, 8) + A(11, 9) + A(11, 10))
FORM(12, A(12, 1) + A(12, 4) + A(12, 5) + A(12, 6) + A(12, 7) + A(12, 8) + A(12, 9) + A(12, 10) +
             A(12, 11))
FORM(14, A(14, 1) + A(14, 7) + A(14, 8) + A(14, 9) + A(14, 10) + A(14, 11) + A(14, 12) + A(14, 13))
FORM(15, A(15, 1) + A(15, 6) + A(15, 7) + A(15, 8) + A(15, 11) + A(15, 12) + A(15, 13) + A(15, 14))
FORM(16, A(16, 1) + A(16, 6) + A(16, 7) + A(16, 8) + A(16, 9) + A(16, 13) + A(16, 14) + A(16, 15))

// the end of the step, y1 = y + h sum_j b_j k_j
FORM(end, B(1) + B(6) + B(7) + B(8) + B(9) + B(10) + B(11) + B(12))

// the two error estimates per unit of h, of order 5 and of order 3
CAROM_KERNEL void form_errors(int n, size_t stride, const double *restrict k,
                              double *restrict error5, double *restrict error3) {
  for (int i = 0; i < n; i++) {
    error5[i] = E5(1) + E5(6) + E5(7) + E5(8) + E5(9) + E5(10) + E5(11) + E5(12);
    error3[i] = B(1) + B(6) + B(7) + B(8) + B(9) + B(10) + B(11) + B(12) - E3(1) - E3(9) - E3(12);
  }
}

// One high coefficient of the dense output, r = 4 .. 7, per unit of h.
#define DENSE(r)                                                                                   \
  (D(r, 1) + D(r, 6) + D(r, 7) + D(r, 8) + D(r, 9) + D(r, 10) + D(r, 11) + D(r, 12) + D(r, 13) +   \
   D(r, 14) + D(r, 15) + D(r, 16))

// The dense output about the middle of the step. In the nested form of the literature
//   y(theta) = r0 + theta (r1 + (1-theta) (r2 + theta (r3 + (1-theta) (r4 + ...))))
// put theta = 1/2 + s; theta (1-theta) = 1/4 - s^2 = q leaves
//   y = (r0 + r1/2) + r1 s + q (A + B s) + q^2 (C + D s) + q^3 (E + F s)
// with A = r2 + r3/2, B = r3, C = r4 + r5/2, D = r5, E = r6 + r7/2, F = r7. States in fours: with
// so many rows to write compilers would not dare. Rows have room for them.
CAROM_KERNEL void form_dense(int n, size_t stride, double h, const double *restrict y,
                             const double *restrict y1, const double *restrict k,
                             double *restrict centre) {
  for (int i = 0; i < n; i += 4) {
    carom_v4 y0 = v4_load(y + i), r1 = v4_load(y1 + i) - y0;
    carom_v4 r2 = h * FOUR(1) - r1;
    carom_v4 r3 = r1 - h * FOUR(13) - r2;
    carom_v4 r4 = h * DENSE(4), r5 = h * DENSE(5), r6 = h * DENSE(6), r7 = h * DENSE(7);
    carom_v4 a = r2 + 0.5 * r3, c = r4 + 0.5 * r5, e = r6 + 0.5 * r7;
    double *out = centre + i;
    v4_store(out + 0 * stride, (y0 + 0.5 * r1) + (0.25 * a + (0.0625 * c + 0.015625 * e)));
    v4_store(out + 1 * stride, r1 + (0.25 * r3 + (0.0625 * r5 + 0.015625 * r7)));
    v4_store(out + 2 * stride, -a - (0.5 * c + 0.1875 * e));
    v4_store(out + 3 * stride, -r3 - (0.5 * r5 + 0.1875 * r7));
    v4_store(out + 4 * stride, c + 0.75 * e);
    v4_store(out + 5 * stride, r5 + 0.75 * r7);
    v4_store(out + 6 * stride, -e);
    v4_store(out + 7 * stride, -r7);
  }
}

#undef K
#undef A
#undef B
#undef E5
#undef E3
#undef D
#undef FOUR
#undef FORM
#undef DENSE

#endif
