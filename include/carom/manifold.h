// SPDX-License-Identifier: MIT
/// Saddles of a section, and their stable and unstable manifolds: of a driven system the motion
/// looked at once a period of its drive, of one without drive its equilibria. The stable manifold
/// of a saddle is where the starts lie that lead to it, and so the boundary of basins.
#ifndef CAROM_MANIFOLD_H
#define CAROM_MANIFOLD_H

#include "carom/sweep.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Start from carom_manifold_options_default(). Everything is borrowed during the call.
typedef struct carom_manifold_options {
  const carom_model *model; // whose state is two numbers
  int value_count;          // set before the runs
  const carom_value *values;
  const carom_axis *axes; // two: start values, which are the state, from their first to their last
  int turns;              // periods of the drive in one turn
  int guesses;            // saddles are sought from a grid of so many by so many starts
  long points;            // at most so many on a branch
  double step;            // the longest from point to point, of the box
  int threads;            // 0: as many as the machine has
  carom_watcher watcher;
  size_t size; // set by the default function; proves that it was used
} carom_manifold_options;
CAROM_API carom_manifold_options carom_manifold_options_default(void);

typedef struct carom_saddle {
  double at[2];            // along the axes
  double unstable, stable; // multipliers of a turn
  double period;           // how long it lasts
} carom_saddle;

/// One of the four branches of a saddle. Points lie in order, from the saddle on; NaN parts those
/// that belong to different pieces.
typedef struct carom_manifold_branch {
  int saddle;
  bool stable;
  int side; // 1 or -1: along the eigenvector or against it
  long count;
  const double *points; // two numbers each
  const char *end;      // why it ends, in words
} carom_manifold_branch;

typedef struct carom_manifold carom_manifold;

/// CAROM_OK, or CAROM_STOP_USER when it was stopped; then there is none. Saddles are sorted by
/// place. The caller destroys the manifold.
CAROM_API carom_status carom_manifold_run(const carom_manifold_options *options,
                                          carom_manifold **manifold, carom_error *error);
CAROM_API void carom_manifold_destroy(carom_manifold *manifold); // NULL is legal
CAROM_API int carom_manifold_saddles(const carom_manifold *manifold);
CAROM_API const carom_saddle *carom_manifold_saddle(const carom_manifold *manifold, int k);
CAROM_API int carom_manifold_branches(const carom_manifold *manifold);
CAROM_API const carom_manifold_branch *carom_manifold_branch_at(const carom_manifold *manifold,
                                                                int k);

#ifdef __cplusplus
}
#endif
#endif
