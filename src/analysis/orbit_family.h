// SPDX-License-Identifier: MIT
/// Periodic motions of a given energy, where motions keep it.
#ifndef CAROM_ANALYSIS_ORBIT_FAMILY_H
#define CAROM_ANALYSIS_ORBIT_FAMILY_H

#include "analysis/orbit_map.h"

/// Does the motion near x keep its energy, which is written to *energy? Asked before a word is
/// fixed.
bool carom_orbit_family(carom_orbit_map *map, const double *x, double *energy);

/// carom_branch_correct for the member of the family that has this energy at its start.
carom_status carom_orbit_family_correct(carom_orbit_map *map, double energy,
                                        carom_branch_point *point, double tolerance, int most,
                                        carom_branch_effort *effort, carom_error *error);

/// How far multipliers that are 1 may come out beside it, of the periodic motion from x, which was
/// the last turn with derivatives.
double carom_orbit_family_doubt(carom_orbit_map *map, const double *x);

#endif
