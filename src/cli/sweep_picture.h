// SPDX-License-Identifier: MIT
/// Pictures of sweeps: curves over one axis, colours over two, charts of named regions.
#ifndef CAROM_CLI_SWEEP_PICTURE_H
#define CAROM_CLI_SWEEP_PICTURE_H

#include "carom/sweep.h"

/// Observables over one axis (up to four, one above the other), or the first one over two axes.
carom_status carom_sweep_draw(const char *file, carom_sweep *sweep, carom_error *error);

/// Regions of the plane: `kind[index]` is the number of the region of each point of a grid of two
/// axes, negative where there is none; `names` are the regions'.
carom_status carom_chart_draw(const char *file, carom_sweep *sweep, const int *kind, int count,
                              char *const *names, carom_error *error);

#endif
