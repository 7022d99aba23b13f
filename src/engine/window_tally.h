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

/// Takes the value where the run stands, which no step has seen: at its start, and where an instant
/// has changed the state. It is the last of what is measured, and may be the most or the least of
/// it.
void carom_tally_add(carom_tally *tally, carom_reduction kind, double value);

/// Whether the kind knows what to do with such a value.
bool carom_tally_takes(const carom_tally *tally, carom_reduction kind);

/// The value so far; NaN where nothing of the window has been seen.
double carom_tally_value(const carom_tally *tally, carom_reduction kind);

#endif
