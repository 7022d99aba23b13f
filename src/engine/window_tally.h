// SPDX-License-Identifier: MIT
/// What a reducer of an observable has seen of its window, in engines that integrate over steps.
#ifndef CAROM_ENGINE_WINDOW_TALLY_H
#define CAROM_ENGINE_WINDOW_TALLY_H

#include "scenario/scenario.h"

/// A reducer's progress; plain data, zeros at the beginning.
typedef struct carom_tally {
  double sum, extreme, first, last;
  double covered; // time integrated so far
  bool started;
  long count;
} carom_tally;

/// The value so far; NaN where nothing of the window has been seen.
double carom_tally_value(const carom_tally *tally, carom_reduction kind);

#endif
