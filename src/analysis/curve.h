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

/// The same for homoclinic motions, from the cycle that comes near one (curve_loop.c), with a
/// simulation of the model. `why` [CAROM_ERROR_TEXT]: what cannot be followed.
carom_status carom_loops_follow(const carom_atlas_options *o, const carom_curve_start *start,
                                double also, carom_simulation *simulation, int number,
                                carom_atlas *atlas, char *why, carom_error *error);

/// Adds a point, with copies of the texts.
carom_status carom_atlas_record(carom_atlas *atlas, const carom_atlas_point *point,
                                const char *word, const char *why, carom_error *error);
/// Turns the order of the points from `first` on.
void carom_atlas_reverse(carom_atlas *atlas, long first);

#endif
