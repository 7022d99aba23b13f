// SPDX-License-Identifier: MIT
// Functions that jump at integers, and what tells on which side of a jump an argument is.
#include "base/elementary.h"

#include <float.h>
#include <math.h>

double carom_floor(double x) { return floor(x); }

double carom_mod(double x, double y) {
  double rest = fmod(x, y); // exact, with the sign of x
  if (rest == 0.0) return copysign(0.0, y);
  return (rest < 0.0) != (y < 0.0) ? rest + y : rest;
}

double carom_parity(double x) {
  const double pi = 3.14159265358979323846;
  // from -1 to 1, exactly: the distance from the nearest even integer
  double rest = x - 2.0 * floor(0.5 * x + 0.5), far = fabs(rest);
  if (far == 0.0) return DBL_MIN;
  if (far == 1.0) return -DBL_MIN;
  return copysign(carom_sin(pi * (far <= 0.5 ? far : 1.0 - far)), rest);
}

double carom_held(double x, double side) {
  return side > 0.0 ? 2.0 * floor(0.5 * (x + 0.5)) : 2.0 * floor(0.5 * (x - 0.5)) + 1.0;
}

double carom_fraction(double x, double side) { return x - carom_held(x, side); }
