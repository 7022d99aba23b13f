// SPDX-License-Identifier: MIT
/// What the parts of continuation share.
#ifndef CAROM_ANALYSIS_FOLLOWER_H
#define CAROM_ANALYSIS_FOLLOWER_H

#include "analysis/orbit_map.h"
#include "carom/continuation.h"

/// A place on a branch and what the motion is like there.
typedef struct carom_station {
  carom_branch_point at;
  carom_orbit orbit;
} carom_station;

/// A branch that is still to be followed: where it begins and which way it goes.
typedef struct carom_beginning {
  carom_orbit_map map;
  carom_branch_point at;
  int depth; // flips it has come through
} carom_beginning;

/// One branch being followed.
typedef struct carom_follower {
  const carom_continuation_options *options;
  carom_continuation *result;
  carom_orbit_map *map;
  carom_branch_problem problem;
  int branch, depth;
  bool ended;       // the periodic motion has shrunk to an equilibrium
  double kink;      // the parameter at the last kink
  bool turned;      // after the last kink the way led back, and the other one was taken
  int kinks;        // crossed without a long step between them
  int creeping;     // short steps that failed without a long one between them: near a jump
  double low, high; // of the parameter
  carom_station here, next, special;
  double slope[CAROM_BRANCH_MOST], slope_seen[CAROM_BRANCH_MOST]; // dF/dp at the last long step
  carom_error *error;
} carom_follower;

/// Which test function of a place is meant.
typedef enum carom_test {
  CAROM_TEST_FOLD,
  CAROM_TEST_FLIP,
  CAROM_TEST_TORUS,
  CAROM_TEST_ONE
} carom_test;

// continuation.c
/// Newton's method from `place` in the hyperplane across its tangent (NULL tangent: at a fixed
/// parameter), then the new tangent, multipliers and word.
carom_status carom_follower_settle(carom_follower *it, carom_station *place, bool fixed_parameter);
/// The place a step s along the tangent of `from`.
carom_status carom_follower_step(carom_follower *it, const carom_station *from, double s,
                                 carom_station *to);
/// Is b the same kind of motion as a: the same word, and no jump of the leading multiplier?
bool carom_station_kindred(const carom_station *a, const carom_station *b);
carom_status carom_follower_record(carom_follower *it, const carom_station *place,
                                   carom_branch_label label);
/// Keeps a branch to follow later.
carom_status carom_continuation_promise(carom_continuation *result,
                                        const carom_beginning *beginning, carom_error *error);

// continuation_tests.c
double carom_test_value(const carom_station *place, carom_test test);
/// Special points between `here` and `next`, which lies s further on, are located and recorded.
carom_status carom_follower_examine(carom_follower *it, double s);

// continuation_words.c
/// Between `here` and a step of s the word changes or the branch ends: the end of the present word
/// is located and recorded. *passed: `here` is on the other word's side and the branch goes on.
carom_status carom_follower_cross(carom_follower *it, double s, bool *passed);

#endif
