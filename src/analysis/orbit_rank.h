// SPDX-License-Identifier: MIT
/// How many multipliers are exactly 0, and those too small to be read off the derivative of a turn.
#ifndef CAROM_ANALYSIS_ORBIT_RANK_H
#define CAROM_ANALYSIS_ORBIT_RANK_H

#include "analysis/orbit_map.h"

/// Follows directions through a turn from x, orthonormalised again and again: a direction is lost
/// at an instant (stick, a plastic impact, a rule that assigns) or only shrinks. Multipliers of the
/// orbit, which are sorted, that the former extinguishes become 0; of the others those that are
/// less than the rounding of the matrix become what directions shrink by in a turn. Where the
/// motion cannot be followed nothing changes.
void carom_orbit_tell_extinguished(carom_orbit_map *map, const double *x, carom_orbit_data *orbit);

#endif
