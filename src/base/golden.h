// SPDX-License-Identifier: MIT
/// Golden section (Kiefer 1953): the top of a function that has one between two points.
#ifndef CAROM_BASE_GOLDEN_H
#define CAROM_BASE_GOLDEN_H

#include <math.h>

/// A place and the value of a function there.
typedef struct carom_top {
  double at, value;
} carom_top;

static inline carom_top carom_higher(carom_top a, carom_top b) {
  return b.value > a.value || isnan(a.value) ? b : a;
}

/// The largest value met on the way; what is not a number is passed over.
static inline carom_top carom_golden_top(double (*value)(void *ctx, double x), void *ctx, double a,
                                         double b, int rounds) {
  const double golden = 0.61803398874989484820;
  double x = b - golden * (b - a), z = a + golden * (b - a);
  double at_x = value(ctx, x), at_z = value(ctx, z);
  carom_top most = carom_higher((carom_top){x, at_x}, (carom_top){z, at_z});
  for (int round = 0; round < rounds; round++) {
    if (at_x > at_z) {
      b = z, z = x, at_z = at_x;
      x = b - golden * (b - a);
      at_x = value(ctx, x);
    } else {
      a = x, x = z, at_x = at_z;
      z = a + golden * (b - a);
      at_z = value(ctx, z);
    }
    most = carom_higher(carom_higher(most, (carom_top){x, at_x}), (carom_top){z, at_z});
  }
  return most;
}

#endif
