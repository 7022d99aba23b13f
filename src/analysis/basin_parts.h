// SPDX-License-Identifier: MIT
/// A basin, and how runs are sorted into attractors.
#ifndef CAROM_ANALYSIS_BASIN_PARTS_H
#define CAROM_ANALYSIS_BASIN_PARTS_H

#include "analysis/sweep_internal.h"
#include "carom/basin.h"

struct carom_basin {
  carom_ranks *ranks; // that share the runs; NULL: this process alone
  carom_sweep *sweep;
  bool borrowed; // of a course, whose basins are parts of one sweep
  long first;    // run of the sweep that is this basin's first one
  int observables;
  double *largest; // of each observable in the first grid
  carom_attractor *attractors;
  int attractor_count;
  // the present grid, or the listed points: columns and rows 0
  int columns, rows;
  double *axis[2];
  int *kind; // attractor of each point, -1: failed
  bool *ran;
  long count, runs;
};

/// The basin of `count` runs of a sweep, from `first` on: of the grid of the axes a and b, or of
/// one axis where b is NULL. The sweep stays the caller's, and must stay.
carom_status carom_basin_of_part(carom_sweep *sweep, long first, long count, const carom_axis *a,
                                 const carom_axis *b, double same, carom_basin **made,
                                 carom_error *error);

#endif
