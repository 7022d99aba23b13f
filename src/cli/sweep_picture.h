// SPDX-License-Identifier: MIT
/// Pictures of sweeps: curves over one axis, colours over two, charts of named regions.
#ifndef CAROM_CLI_SWEEP_PICTURE_H
#define CAROM_CLI_SWEEP_PICTURE_H

#include "carom/sweep.h"

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

/// Observables over one axis (up to four, one above the other), or the first one over two axes.
carom_status carom_sweep_draw(const char *file, carom_sweep *sweep, carom_error *error);

/// Regions of the plane: `kind[i * rows + j]` is the number of the region at (x[i], y[j]), negative
/// where there is none; `names` are the regions'.
typedef struct carom_chart {
  const char *title, *x_label, *y_label;
  int columns, rows;
  const double *x, *y;
  const int *kind;
  int count;
  char *const *names;
} carom_chart;
carom_status carom_chart_draw(const char *file, const carom_chart *chart, carom_error *error);

#endif
