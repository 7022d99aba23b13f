// SPDX-License-Identifier: MIT
/// Pictures of numbers over a grid: curves over one axis, colours over two.
#ifndef CAROM_CLI_GRID_PICTURE_H
#define CAROM_CLI_GRID_PICTURE_H

#include "carom/status.h"

#include <stdbool.h>

/// Numbers over a grid of one or two axes, the last axis fastest.
typedef struct carom_grid {
  const char *title;
  int axes, values;
  const char *const *axis_names, *const *value_names;
  double level; // drawn as a line across the first curve; NaN: none
  long count;
  void *ctx;
  /// Axes and values of a point; *present false: it has none.
  carom_status (*row)(void *ctx, long index, double *numbers, bool *present, carom_error *error);
} carom_grid;
/// The values over one axis (up to four, one above the other), or the first one over two axes.
carom_status carom_grid_draw(const char *file, const carom_grid *grid, carom_error *error);

#endif
