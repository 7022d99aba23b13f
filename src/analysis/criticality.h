// SPDX-License-Identifier: MIT
/// What comes out of a flip, a torus or a Hopf point: the coefficient of its normal form.
#ifndef CAROM_ANALYSIS_CRITICALITY_H
#define CAROM_ANALYSIS_CRITICALITY_H

#include "analysis/orbit_map.h"
#include "carom/continuation.h"

/// A coefficient and how far it may be off; NaN: not known.
typedef struct carom_criticality {
  double value, error;
} carom_criticality;

/// Of the motion of this word at x and the parameter 0 (of a line in two), whose critical
/// multiplier is re + i im. Flip: positive where the motion of twice the period is attracting (as
/// far as other multipliers let it). Torus and Hopf: negative where the torus or the cycle is; of a
/// Hopf point it is the first Lyapunov coefficient. Turns are made by the motion itself: it is not
/// known where the word does not go on all around it.
carom_status carom_criticality_find(carom_orbit_map *map, const char *word, const double *x,
                                    carom_branch_label kind, double re, double im,
                                    carom_criticality *found);

#endif
