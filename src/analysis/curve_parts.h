// SPDX-License-Identifier: MIT
/// What the parts of a curve in two parameters share.
#ifndef CAROM_ANALYSIS_CURVE_PARTS_H
#define CAROM_ANALYSIS_CURVE_PARTS_H

#include "analysis/criticality.h"
#include "analysis/curve.h"

/// Tests of a place on a curve, in the order of their numbers.
enum {
  CAROM_MEETS_CURVATURE,
  CAROM_MEETS_ONE,
  CAROM_MEETS_MINUS_ONE,
  CAROM_MEETS_PAIR,
  CAROM_MEETS_SUM_TWO,
  CAROM_MEETS_SUM_MINUS_TWO,
  CAROM_MEETS_SUM_MINUS_ONE,
  CAROM_MEETS_COEFFICIENT,
  CAROM_MEETS_BROKEN,
  CAROM_CURVE_TESTS
};

/// A place on the surface, and where it is in the plane of the parameters.
typedef struct carom_spot {
  carom_station at;
  double value, other; // the parameters
  double along;        // of these, along the line of the branch from where it was looked from
  double g;
  carom_criticality critical; // as far as it was asked for
} carom_spot;

/// Which way the curve leaves a place.
typedef struct carom_heading {
  double a, tau;               // in the coordinates of the surface there
  double slope[2];             // of g by them
  double plane[2];             // in the plane, in parts of the ranges
  double x[CAROM_BRANCH_MOST]; // in the unknowns, in their sizes
} carom_heading;

/// How equations change along the line of the parameter, taken as known near a place.
typedef struct carom_line_slope {
  bool known;
  double of[CAROM_BRANCH_MOST];
} carom_line_slope;

/// One curve being followed.
typedef struct carom_curve {
  const carom_atlas_options *options;
  carom_follower follower;
  carom_orbit_map map;
  carom_continuation settled; // nothing is recorded; it says that a motion has been found
  carom_branch_label kind;
  const char *name;
  double range[2];  // of the parameters
  double across[2]; // the line of the branch in the plane, and that of the curve, in their ranges
  double line[2];
  double sum; // of the critical pair of multipliers
  carom_spot here, next, trial;
  carom_spot spare[2]; // the last two trials that were found
  carom_heading way, other_way;
  bool exact;        // the way was found by differences; else it goes on as the last steps went
  double step_made;  // how long the last step was; 0: there was none
  double learned[2]; // slopes of g after the last steps of Newton's method
  carom_line_slope by_line; // of the equations by the line, at `here`
  double tests[CAROM_CURVE_TESTS], next_tests[CAROM_CURVE_TESTS];
  char why[CAROM_ERROR_TEXT]; // it goes no further, where it does not
} carom_curve;

// curve.c
/// Is a pair of multipliers critical on curves of this kind?
bool carom_curve_of_pair(carom_branch_label kind);
/// The pair whose product is near 1 and whose sum is nearest to that of the last place. False:
/// none.
bool carom_curve_find_pair(const carom_orbit_data *orbit, double sum, double *product,
                           double *new_sum, int *first, int *second);
/// The slope of g along the branch at a place; at a fold that is its curvature.
carom_status carom_curve_slope_along(carom_curve *it, const carom_spot *at, double *slope);

// curve_tests.c
/// A number that changes its sign where two things happen at once; NaN: it has no say here.
carom_status carom_curve_test(carom_curve *it, const carom_spot *at, int test, double *value);
carom_corner carom_curve_corner(const carom_curve *it, int test, const carom_spot *at);
/// The coefficient of the normal form at a place of a curve that has one.
carom_status carom_curve_criticality(carom_curve *it, const carom_spot *at,
                                     carom_criticality *found);

#endif
