// SPDX-License-Identifier: MIT
/// Common shifts of a system and what is left of a state without them.
#ifndef CAROM_ANALYSIS_SHIFTS_H
#define CAROM_ANALYSIS_SHIFTS_H

#include "analysis/orbit_data.h"

enum { CAROM_MOST_SHIFTS = 16 };

/// Directions of shift, see carom_model_shifts. Of each one coordinate is free: the others are
/// measured from it, each in its proportion.
typedef struct carom_shifts {
  int count, coordinates;
  int freed[CAROM_MOST_SHIFTS];
  bool common[CAROM_MOST_SHIFTS]; // of several coordinates
  double weight[CAROM_MOST_SHIFTS][CAROM_ORBIT_STATES];
  bool angle[CAROM_ORBIT_STATES]; // see carom_model_angle
} carom_shifts;

/// None where there are too many coordinates.
carom_shifts carom_shifts_of(const carom_model *model);
/// Is coordinate k the free one of a shift?
bool carom_shifts_free(const carom_shifts *shifts, int k);
/// Takes shift `s` away from a state, or from rates of one (of the coordinates): the free
/// coordinate becomes 0. Returns how far that was.
double carom_shifts_take(const carom_shifts *shifts, int s, double *y);
/// How far an angle (component `i` of a state) has gone round when it has moved this way, in whole
/// turns; 0 for everything else.
double carom_shifts_whole(const carom_shifts *shifts, int i, double way);
/// Takes all of them away.
void carom_shifts_reduce(const carom_shifts *shifts, double *y);

#endif
