// SPDX-License-Identifier: MIT
/// Whole numbers from doubles that may be anything.
#ifndef CAROM_BASE_WHOLE_H
#define CAROM_BASE_WHOLE_H

#include <assert.h>

/// The whole part of x (towards zero), kept from `least` to `most`; `least` where x is not a
/// number. An index made in this way is always one, whatever went wrong before.
static inline long carom_whole(double x, long least, long most) {
  assert(least <= most);
  // the limits may round outwards as doubles, therefore not (x <= most)
  if (!(x > (double)least)) return least;
  return x < (double)most ? (long)x : most;
}

#endif
