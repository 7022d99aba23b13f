// SPDX-License-Identifier: MIT
/// One curve in two parameters.
#ifndef CAROM_ANALYSIS_CURVE_H
#define CAROM_ANALYSIS_CURVE_H

#include "analysis/follower.h"
#include "carom/atlas.h"

struct carom_atlas {
  carom_atlas_point *points;
  long count, room, turns;
  carom_continuation *branches;
  double began; // the second parameter of these
};

/// Follows the curve through a special point both ways and adds its points to the atlas; `number`:
/// of the curve. What cannot be followed is no error, and adds nothing.
carom_status carom_curve_follow(const carom_atlas_options *options, const carom_curve_start *start,
                                double also, int number, carom_atlas *atlas, carom_error *error);

#endif
