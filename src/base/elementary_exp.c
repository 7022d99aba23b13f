// SPDX-License-Identifier: MIT
// Exponential, logarithm, power and cube root.
#include "base/elementary.h"
#include "base/elementary_kernel.h"

// ---- exp ---------------------------------------------------------------------------------------

// beyond these bounds the result is infinity or zero; NaN passes
CAROM_KERNEL double clamp_exponent(double x) {
  x = x > 710.0 ? 710.0 : x;
  return x < -746.0 ? -746.0 : x;
}

CAROM_KERNEL double exp_of(double x) { return exp_value(exp_kernel(clamp_exponent(x), 0.0)); }

CAROM_FUNCTION_OF_KERNEL(carom_exp, exp_of)

// ---- log ---------------------------------------------------------------------------------------

// x = 2^k m with sqrt(1/2) <= m < sqrt(2), for x > 0
typedef struct binary_parts {
  double k, m;
} binary_parts;

#define SQRT_HALF_BITS 0x3fe6a09e667f3bcdu
#define ONE_BITS 0x3ff0000000000000u
#define MANTISSA_BITS 0x000fffffffffffffu

CAROM_KERNEL binary_parts split_binary(double x) {
  // subnormal numbers are brought into the normal range first
  bool is_small = x < 0x1p-1022;
  double scaled = is_small ? x * 0x1p54 : x;
  double shift = is_small ? -1023.0 - 54.0 : -1023.0;

  // counting exponents from sqrt(1/2) instead of 1 centres the mantissa
  uint64_t bits = bits_of(scaled) + (ONE_BITS - SQRT_HALF_BITS);
  double exponent = double_of((bits >> 52) | bits_of(0x1p52)) - 0x1p52;
  return (binary_parts){exponent + shift, double_of((bits & MANTISSA_BITS) + SQRT_HALF_BITS)};
}

// (log((1+s)/(1-s)) - 2s) / s^3, z = s^2, |s| <= 0.1716, to 2^-62 after multiplication by s^3
CAROM_KERNEL double log_tail(double z) {
  double z2 = z * z, z4 = z2 * z2;
  double a = 0x1.5555555555555p-1 + z * 0x1.9999999999a39p-2;
  double b = 0x1.2492492476a1ap-2 + z * 0x1.c71c7201a55d7p-3;
  double c = 0x1.745cf8e4bba1bp-3 + z * 0x1.3b1c3c1c81c8fp-3;
  double d = 0x1.0fbde0f4ad17bp-3 + z * 0x1.0c0aff044a970p-3;
  return (a + z2 * b) + z4 * (c + z2 * d);
}

// log(0) = -inf, log(negative) is NaN, infinity and NaN stay
CAROM_KERNEL double log_special(double x, double value) {
  value = x < INFINITY ? value : x;
  value = x == 0.0 ? -INFINITY : value;
  return x < 0.0 ? (double)NAN : value;
}

// log(1+f) = f - f^2/2 + s (f^2/2 + s^2 tail), s = f/(2+f)
CAROM_KERNEL double log_of(double x) {
  binary_parts p = split_binary(x);
  double f = p.m - 1.0;
  double s = f / (2.0 + f);
  double z = s * s;
  pair half = half_square(f);
  pair main = sum_ordered(f, -half.hi);
  double correction = s * ((half.hi + half.lo) + z * log_tail(z));

  // k log 2 is larger than |log m| or zero
  pair sum = sum_ordered(p.k * CAROM_LN2_HI, main.hi);
  double low = (main.lo - half.lo) + (correction + p.k * CAROM_LN2_LO);
  return log_special(x, sum.hi + (sum.lo + low));
}

CAROM_FUNCTION_OF_KERNEL(carom_log, log_of)

// ---- pow ---------------------------------------------------------------------------------------

// (log((1+s)/(1-s)) - 2s - 2/3 s^3 - 2/5 s^5) / s^7, z = s^2, to 2^-72 of the logarithm
CAROM_KERNEL double log_far_tail(double z) {
  double z2 = z * z, z4 = z2 * z2;
  double a = 0x1.2492492492492p-2 + z * 0x1.c71c71c71c71ap-3;
  double b = 0x1.745d1745d1f5ep-3 + z * 0x1.3b13b13a63b13p-3;
  double c = 0x1.11111188bd5c6p-3 + z * 0x1.e1e1869976042p-4;
  double d = 0x1.af3cd208171ecp-4 + z * 0x1.8373836f665bcp-4;
  return (a + z2 * b) + z4 * ((c + z2 * d) + z4 * 0x1.92ea848d005e3p-4);
}

// log(x), x > 0 finite, as a pair good to about 2^-68: s + s z (2/3 + z (2/5 + z tail))
CAROM_KERNEL pair log_pair(double x) {
  const pair two_thirds = {0x1.5555555555555p-1, 0x1.5555555555555p-55};
  const pair two_fifths = {0x1.999999999999ap-2, -0x1.999999999999ap-56};
  binary_parts p = split_binary(x);
  pair s = quotient_pair((pair){p.m - 1.0, 0.0}, sum_exact(p.m, 1.0));
  pair z = product_pair(s, s);

  // the series, leading terms as pairs
  pair a = sum_ordered(two_fifths.hi, z.hi * log_far_tail(z.hi));
  a.lo += two_fifths.lo;
  pair b = product_pair(z, a);
  pair c = sum_ordered(two_thirds.hi, b.hi);
  c.lo += b.lo + two_thirds.lo;
  pair d = product_pair(s, product_pair(z, c));

  // k log 2 + 2 s + d
  pair e = sum_ordered(2.0 * s.hi, d.hi);
  pair sum = sum_ordered(p.k * CAROM_LN2_HI, e.hi);
  double low = (e.lo + (2.0 * s.lo + d.lo)) + p.k * CAROM_LN2_LO;
  return sum_ordered(sum.hi, sum.lo + low);
}

// |x|^y for finite x other than 0 and finite y
CAROM_KERNEL double pow_magnitude(double x, double y) {
  pair l = log_pair(magnitude(x));

  // larger exponents overflow or underflow all the same: |log x| > 2^-54 unless x is 1
  y = y > 0x1p66 ? 0x1p66 : y;
  y = y < -0x1p66 ? -0x1p66 : y;
  pair t = product_exact(y, l.hi);
  t.lo += y * l.lo;
  double clamped = clamp_exponent(t.hi);
  return exp_value(exp_kernel(clamped, clamped == t.hi ? t.lo : 0.0));
}

// all doubles from 2^53 on are even integers
static bool is_odd_integer(double y) {
  return fabs(y) < 0x1p53 && floor(y) == y && ((int64_t)y & 1) != 0;
}

static bool is_plain_power(double x, double y) {
  return x > 0.0 && x < INFINITY && fabs(y) < INFINITY;
}

// the cases of C17 F.10.4.4 that a kernel does not cover; `value` is |x|^y where that is one
static double pow_special(double x, double y, double value) {
  if (y == 0.0 || x == 1.0) return 1.0;
  if (isnan(x) || isnan(y)) return x + y;
  double sign = signbit(x) && is_odd_integer(y) ? -1.0 : 1.0;
  if (x == 0.0 || isinf(x)) return sign * ((x == 0.0) == (y > 0.0) ? 0.0 : INFINITY);
  if (isinf(y)) {
    if (x == -1.0) return 1.0;
    return (fabs(x) > 1.0) == (y > 0.0) ? INFINITY : 0.0;
  }
  if (x < 0.0 && floor(y) != y) return (double)NAN;
  return sign * value;
}

double carom_pow(double x, double y) {
  double value = pow_magnitude(x, y);
  return settle(is_plain_power(x, y) ? value : pow_special(x, y, value));
}

// ---- cbrt --------------------------------------------------------------------------------------

// m^(1/3) on 1 <= m <= 2 to 2^-16
CAROM_KERNEL double cbrt_start(double m) {
  double m2 = m * m;
  double a = 0x1.04bc2bde493b9p-1 + m * 0x1.6c697f83452edp-1;
  double b = -0x1.2d024eeecb9cbp-2 + m * 0x1.544aaec5e4624p-4;
  return (a + m2 * b) - m2 * m2 * 0x1.4b077fcd0882bp-7;
}

// one step of Halley (2^-16 to 2^-47), then one of Newton with an exact residual
CAROM_KERNEL double cbrt_refined(double m, double start) {
  double cube = start * start * start;
  double y = start * ((cube + 2.0 * m) / (2.0 * cube + m));
  pair square = product_exact(y, y);
  pair third = product_exact(square.hi, y);
  double residual = ((m - third.hi) - third.lo) - square.lo * y;
  return y + residual / (3.0 * square.hi);
}

// |x| = 2^(3 q + j) m with 1 <= m < 2 and j in 0, 1, 2
CAROM_KERNEL double cbrt_of(double x) {
  double a = magnitude(x);
  bool is_small = a < 0x1p-1022;
  double scaled = is_small ? a * 0x1p54 : a;
  uint64_t bits = bits_of(scaled);
  double exponent = (double_of((bits >> 52) | bits_of(0x1p52)) - 0x1p52) - 1023.0;
  double q = ((exponent - 1.0) * 0x1.5555555555555p-2 + CAROM_ROUNDER) - CAROM_ROUNDER;
  double j = exponent - 3.0 * q;
  double m = double_of((bits & MANTISSA_BITS) | ONE_BITS);

  // the factor 2^j and its cube root
  double factor = j > 1.5 ? 4.0 : (j > 0.5 ? 2.0 : 1.0);
  double root = j > 1.5 ? 0x1.965fea53d6e3dp+0 : (j > 0.5 ? 0x1.428a2f98d728bp+0 : 1.0);
  double y = cbrt_refined(m * factor, cbrt_start(m) * root);
  double value = flip_sign(y * two_to(is_small ? q - 18.0 : q), x);

  // zeros, infinities and NaN are their own roots
  return a > 0.0 && a < INFINITY ? value : x;
}

CAROM_FUNCTION_OF_KERNEL(carom_cbrt, cbrt_of)
