// SPDX-License-Identifier: MIT
/// Reducers (mean, max, min, mean_rate, last) of engines whose steps are constant: they look at a
/// quantity every so often, and between two looks it is taken for a straight line.
#ifndef CAROM_ENGINE_LOOK_TALLY_H
#define CAROM_ENGINE_LOOK_TALLY_H

#include "scenario/scenario.h"

/// A reducer's progress; plain data, zeros before the first look.
typedef struct carom_look_tally {
  bool started;
  double sum, covered; // the integral, and the time it is over
  double extreme, first, last, t_last;
} carom_look_tally;

void carom_look_tally_add(carom_look_tally *tally, carom_reduction kind, double t, double value);
/// NaN where nothing has been looked at.
double carom_look_tally_value(const carom_look_tally *tally, carom_reduction kind);

#endif
