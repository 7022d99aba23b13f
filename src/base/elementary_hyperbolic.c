// SPDX-License-Identifier: MIT
// Hyperbolic functions from exp(a) = 2^n B and exp(a) - 1 = 2^n A, a = |x|, with A and B pairs of
// doubles; the powers of two are kept apart, so nothing overflows before the result does.
#include "base/elementary.h"
#include "base/elementary_kernel.h"

// A = (1 - 2^-n) + rest, accurate also for small arguments, where n = 0
CAROM_KERNEL pair scaled_less_one(exponential e, double inverse_power) {
  pair whole = sum_ordered(1.0, -inverse_power);
  pair a = sum_exact(whole.hi, e.rest.hi);
  return sum_ordered(a.hi, a.lo + (whole.lo + e.rest.lo));
}

// B = 1 + rest
CAROM_KERNEL pair scaled(exponential e) {
  pair b = sum_ordered(1.0, e.rest.hi);
  return sum_ordered(b.hi, b.lo + e.rest.lo);
}

// exp of |x|, which overflows from 711 on even when halved; NaN passes
CAROM_KERNEL exponential exp_of_magnitude(double x) {
  double a = magnitude(x);
  return exp_kernel(a > 712.0 ? 712.0 : a, 0.0);
}

// 2^-n, as good as zero once n > 100
CAROM_KERNEL double inverse_power_of(exponential e) { return two_to(e.n > 100.0 ? -100.0 : -e.n); }

CAROM_KERNEL double keep_small(double x, double value) {
  return magnitude(x) < 0x1p-27 ? x : value;
}

// 2 sinh a = (e^a - 1) + (e^a - 1) / e^a = 2^n (A + 2^-n A/B)
CAROM_KERNEL double hyperbolic_sine(double x) {
  exponential e = exp_of_magnitude(x);
  double inverse = inverse_power_of(e);
  pair a = scaled_less_one(e, inverse);
  pair q = quotient_pair(a, scaled(e));
  pair sum = sum_ordered(a.hi, inverse * q.hi);
  double y = sum.hi + (sum.lo + (a.lo + inverse * q.lo));
  return keep_small(x, flip_sign(scale_by_power(y, e.n - 1.0), x));
}

// 2 cosh a = 2^n (B + 4^-n / B)
CAROM_KERNEL double hyperbolic_cosine(double x) {
  exponential e = exp_of_magnitude(x);
  double inverse = inverse_power_of(e);
  pair b = scaled(e);
  pair q = quotient_pair((pair){inverse * inverse, 0.0}, b);
  pair sum = sum_ordered(b.hi, q.hi);
  return scale_by_power(sum.hi + (sum.lo + (b.lo + q.lo)), e.n - 1.0);
}

// tanh a = (e^2a - 1) / (e^2a + 1) = A / (B + 2^-n) at 2a; from 20 on it rounds to 1
CAROM_KERNEL double hyperbolic_tangent(double x) {
  double a = magnitude(x);
  exponential e = exp_kernel(a > 22.0 ? 44.0 : 2.0 * a, 0.0);
  double inverse = inverse_power_of(e);
  pair b = scaled(e);
  pair bottom = sum_ordered(b.hi, inverse);
  pair q = quotient_pair(scaled_less_one(e, inverse), sum_ordered(bottom.hi, bottom.lo + b.lo));
  return keep_small(x, flip_sign(q.hi + q.lo, x));
}

CAROM_FUNCTION_OF_KERNEL(carom_sinh, hyperbolic_sine)
CAROM_FUNCTION_OF_KERNEL(carom_cosh, hyperbolic_cosine)
CAROM_FUNCTION_OF_KERNEL(carom_tanh, hyperbolic_tangent)
