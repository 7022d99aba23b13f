// SPDX-License-Identifier: MIT
// The length of a vector of the plane, without overflow on the way.
#include "base/elementary.h"

#include <math.h>

// a^2 = square + rest, exactly (Dekker 1971)
static double square_of(double a, double *rest) {
  double wide = 134217729.0 * a, high = wide - (wide - a), low = a - high, square = a * a;
  *rest = ((high * high - square) + 2.0 * high * low) + low * low;
  return square;
}

// Both are scaled by the same power of two, which is exact where it matters. One step of Newton's
// from the root of the rounded sum, with all digits of the squares, leaves little more than the
// last rounding (Borges 2020).
double carom_hypot(double x, double y) {
  double a = fabs(x), b = fabs(y);
  if (isinf(a) || isinf(b)) return INFINITY; // also beside what is not a number
  if (isnan(a) || isnan(b)) return a + b;
  double large = a > b ? a : b, small = a > b ? b : a;
  int scale = 0;
  if (large == 0.0 || small == 0.0) return large;
  (void)frexp(large, &scale);
  large = ldexp(large, -scale);
  small = ldexp(small, -scale);
  double rests[3], a2 = square_of(large, &rests[0]), b2 = square_of(small, &rests[1]);
  double root = sqrt(a2 + b2), whole = square_of(root, &rests[2]);
  double over = ((whole - a2) - b2) + ((rests[2] - rests[0]) - rests[1]);
  return ldexp(root - over / (2.0 * root), scale);
}

double carom_hypot_slope(double x, double y) {
  double length = carom_hypot(x, y);
  return length > 0.0 ? x / length : length;
}
