// SPDX-License-Identifier: MIT
// Arc functions: all are the angle of a point in the plane, whose coordinates are pairs of doubles.
#include "base/elementary.h"
#include "base/elementary_kernel.h"

#define PIO2_HI 0x1.921fb54442d18p+0
#define PIO2_LO 0x1.1a62633145c07p-54

// (atan(t) - t) / t^3, z = t^2, |t| <= 1/4, to 2^-59 after multiplication by z
CAROM_KERNEL double arctangent_tail(double z) {
  double z2 = z * z, z4 = z2 * z2;
  double a = -0x1.5555555555555p-2 + z * 0x1.9999999999816p-3;
  double b = -0x1.2492492469ec8p-3 + z * 0x1.c71c71933024bp-4;
  double c = -0x1.745d0681dd281p-4 + z * 0x1.3b10a453096d5p-4;
  double d = -0x1.10bd2a28b43fbp-4 + z * 0x1.d7441e68ba39cp-5;
  return (a + z2 * b) + z4 * ((c + z2 * d) - z4 * 0x1.5012240fdb9b5p-5);
}

// atan(c) for the centres 0, 1/2 and 1
CAROM_KERNEL pair arctangent_of_centre(double c) {
  pair at_half = {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56};
  pair at_one = {0.5 * PIO2_HI, 0.5 * PIO2_LO};
  double hi = c > 0.75 ? at_one.hi : at_half.hi, lo = c > 0.75 ? at_one.lo : at_half.lo;
  return (pair){c < 0.25 ? 0.0 : hi, c < 0.25 ? 0.0 : lo};
}

// the angle in [0, pi] of the point (x or -x, y), x, y >= 0 and not both zero:
//   atan(u) = atan(c) + atan((u - c) / (1 + c u)),  u the smaller coordinate over the larger
CAROM_KERNEL double angle_of(pair y, pair x, bool is_left) {
  bool is_steep = y.hi > x.hi;
  pair top = {is_steep ? x.hi : y.hi, is_steep ? x.lo : y.lo};
  pair bottom = {is_steep ? y.hi : x.hi, is_steep ? y.lo : x.lo};
  double c = 4.0 * top.hi < bottom.hi ? 0.0 : (4.0 * top.hi < 3.0 * bottom.hi ? 0.5 : 1.0);

  // products with c are exact
  pair over = sum_exact(top.hi, -(c * bottom.hi));
  pair under = sum_exact(bottom.hi, c * top.hi);
  over.lo += top.lo - c * bottom.lo;
  under.lo += bottom.lo + c * top.lo;
  pair t = quotient_pair(over, under);

  // the remainder of a tiny quotient underflows and would spoil the last bit
  t.lo = magnitude(t.hi) < 0x1p-900 ? 0.0 : t.lo;
  double z = t.hi * t.hi;
  double low = t.hi * z * arctangent_tail(z) + (t.lo - t.lo * z);

  // steep points measure from pi/2, left ones from pi
  double turn = is_steep ? 1.0 : (is_left ? 2.0 : 0.0);
  double sign = is_steep != is_left ? -1.0 : 1.0;
  pair centre = arctangent_of_centre(c);
  pair base = sum_exact(turn * PIO2_HI, sign * centre.hi);
  pair sum = sum_exact(base.hi, sign * t.hi);
  double rest = (base.lo + turn * PIO2_LO) + sign * (centre.lo + low);
  return sum.hi + (sum.lo + rest);
}

// ---- atan --------------------------------------------------------------------------------------

// beyond 2^60 the result does not change any more; NaN passes
CAROM_KERNEL double arctangent(double x) {
  double a = magnitude(x);
  a = a > 0x1p60 ? 0x1p60 : a;
  double value = angle_of((pair){a, 0.0}, (pair){1.0, 0.0}, false);
  return flip_sign(a < 0x1p-27 ? a : value, x);
}

CAROM_FUNCTION_OF_KERNEL(carom_atan, arctangent)

// ---- atan2 -------------------------------------------------------------------------------------

CAROM_KERNEL double arctangent2(double y, double x) {
  double a = magnitude(y), b = magnitude(x);
  double large = a > b ? a : b;

  // infinities are as large as each other and infinitely larger than anything else
  bool is_infinite = large == INFINITY;
  a = is_infinite ? (a == INFINITY ? 1.0 : 0.0) : a;
  b = is_infinite ? (b == INFINITY ? 1.0 : 0.0) : b;

  // keep the exact products in range
  double scale = large > 0x1p900 ? 0x1p-200 : (large < 0x1p-700 ? 0x1p500 : 1.0);
  a = is_infinite ? a : a * scale;
  b = large == 0.0 ? 1.0 : (is_infinite ? b : b * scale);
  double value = angle_of((pair){a, 0.0}, (pair){b, 0.0}, (bits_of(x) & CAROM_SIGN_BIT) != 0);
  value = flip_sign(value, y);
  return x == x && y == y ? value : (double)NAN;
}

double carom_atan2(double y, double x) { return arctangent2(y, x); }

// ---- asin and acos -----------------------------------------------------------------------------

// sqrt(1 - x^2) as a pair, |x| <= 1
CAROM_KERNEL pair other_leg(double x) {
  pair square = product_exact(x, x);
  pair rest = sum_ordered(1.0, -square.hi);
  rest = sum_ordered(rest.hi, rest.lo - square.lo);
  double root = sqrt(rest.hi);
  pair back = product_exact(root, root);
  double residual = ((rest.hi - back.hi) - back.lo) + rest.lo;
  return (pair){root, root > 0.0 ? residual / (2.0 * root) : 0.0};
}

CAROM_KERNEL double arcsine(double x) {
  double a = magnitude(x);
  double value = angle_of((pair){a, 0.0}, other_leg(a), false);
  value = flip_sign(a < 0x1p-27 ? a : value, x);
  return a <= 1.0 ? value : (double)NAN;
}

CAROM_KERNEL double arccosine(double x) {
  double a = magnitude(x);
  double value = angle_of(other_leg(a), (pair){a, 0.0}, x < 0.0);
  return a <= 1.0 ? value : (double)NAN;
}

CAROM_FUNCTION_OF_KERNEL(carom_asin, arcsine)
CAROM_FUNCTION_OF_KERNEL(carom_acos, arccosine)
