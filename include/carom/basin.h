// SPDX-License-Identifier: MIT
/// Basins of attraction: which start leads to which motion. Attractors are told apart by regime,
/// word and observables, and numbered in the order in which the points of the first grid meet them,
/// so numbers do not depend on how the work was shared.
#ifndef CAROM_BASIN_H
#define CAROM_BASIN_H

#include "carom/sweep.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Start from carom_basin_options_default().
typedef struct carom_basin_options {
  carom_sweep_options sweep; // the starts: a grid, or random points in any number of dimensions
  double same; // observables that differ by less, relative to their size, are the same; their size
               // is at least a millionth of the largest that was met
  int refine;  // how often the grid (of two axes) is halved; only points at boundaries are run
  size_t size; // set by the default function; proves that it was used
} carom_basin_options;
CAROM_API carom_basin_options carom_basin_options_default(void);

/// A motion that was met, with the share of starts that lead to it. The interval is that of Wilson
/// (1927) for 95 %, as if the points were drawn at random.
typedef struct carom_attractor {
  const char *word, *regime;
  const double *values; // observables, at the first point that met it
  const double *at;     // where on the axes that point lies
  int mirror; // the attractor that is its mirror image (see mirror.h), itself where it is its own;
              // -1: the system has no reflection, or the image was met by no start
  long count;
  double fraction, low, high;
} carom_attractor;

typedef struct carom_basin carom_basin;

/// CAROM_OK, or CAROM_STOP_USER when it was stopped; then there is no basin, but the journal of the
/// sweep holds what was done. The caller destroys the basin.
CAROM_API carom_status carom_basin_run(const carom_basin_options *options, carom_basin **basin,
                                       carom_error *error);
CAROM_API void carom_basin_destroy(carom_basin *basin); // NULL is legal

CAROM_API int carom_basin_attractors(const carom_basin *basin);
CAROM_API const carom_attractor *carom_basin_attractor(const carom_basin *basin, int k);
CAROM_API long carom_basin_count(const carom_basin *basin); // points of the finest grid
CAROM_API long carom_basin_runs(const carom_basin *basin);  // how many of them were run
/// The finest grid; columns (first axis) and rows are 0 where the points are not a grid of two
/// axes.
CAROM_API int carom_basin_columns(const carom_basin *basin);
CAROM_API int carom_basin_rows(const carom_basin *basin);
CAROM_API const double *carom_basin_axis(const carom_basin *basin, int k);
/// The attractor of point `index` (column * rows + row): -1 where the run failed.
CAROM_API int carom_basin_at(const carom_basin *basin, long index);
/// Was it run, or does it lie inside a region?
CAROM_API bool carom_basin_was_run(const carom_basin *basin, long index);
/// The first grid with all that is known of its runs.
CAROM_API carom_sweep *carom_basin_sweep(const carom_basin *basin);

/// How hard it is to foretell where a start of a grid of two axes leads; NaN: not to be told.
typedef struct carom_basin_measures {
  double exponent, exponent_error; // uncertainty exponent, the slope of log f over log eps, from
                                   // eps of one step of the grid on; and its standard error
  double entropy;                  // mean over all boxes of 5 by 5 starts
  double boundary_entropy;         // over those of them that have several attractors
} carom_basin_measures;
CAROM_API carom_status carom_basin_measure(const carom_basin *basin, carom_basin_measures *found,
                                           carom_error *error);

/// Basins along a parameter. Start from carom_basin_course_options_default().
typedef struct carom_basin_course_options {
  carom_basin_options basin; // of the starts: a grid
  carom_axis along;          // the parameter, two values or more
  size_t size;               // set by the default function; proves that it was used
} carom_basin_course_options;
CAROM_API carom_basin_course_options carom_basin_course_options_default(void);

/// Between two values an attractor ends or begins.
typedef struct carom_tip {
  int attractor;   // under which number it is followed
  bool begins;     // else it ends
  double from, to; // the two values
  int other;       // to which most of its starts lead then, or led before; -1: to none
} carom_tip;

typedef struct carom_basin_course carom_basin_course;

/// CAROM_OK, or CAROM_STOP_USER when it was stopped; then there is none, but the journal holds what
/// was done. The caller destroys the course.
CAROM_API carom_status carom_basin_course_run(const carom_basin_course_options *options,
                                              carom_basin_course **course, carom_error *error);
CAROM_API void carom_basin_course_destroy(carom_basin_course *course);    // NULL is legal
CAROM_API int carom_basin_course_count(const carom_basin_course *course); // values
CAROM_API double carom_basin_course_value(const carom_basin_course *course, int k);
CAROM_API const carom_basin *carom_basin_course_basin(const carom_basin_course *course, int k);
CAROM_API carom_basin_measures carom_basin_course_measures(const carom_basin_course *course, int k);
/// Attractors that are followed, and which of them an attractor of value k is; -1: there is none.
CAROM_API int carom_basin_course_names(const carom_basin_course *course);
CAROM_API int carom_basin_course_name(const carom_basin_course *course, int k, int attractor);
CAROM_API int carom_basin_course_tips(const carom_basin_course *course);
CAROM_API const carom_tip *carom_basin_course_tip(const carom_basin_course *course, int k);
CAROM_API carom_sweep *carom_basin_course_sweep(const carom_basin_course *course);

#ifdef __cplusplus
}
#endif
#endif
