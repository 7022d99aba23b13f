// SPDX-License-Identifier: MIT
/// A line of progress on standard error for runs that take longer than a second, and the wish to
/// stop that Ctrl-C expresses.
#ifndef CAROM_CLI_PROGRESS_H
#define CAROM_CLI_PROGRESS_H

#include "base/platform.h"
#include "carom/bifurcation.h"

#include <stdbool.h>

typedef struct carom_progress {
  bool wanted, shown;
  double t_start, t_end; // of the run
  double began, updated; // on carom_clock
} carom_progress;

/// `wanted` false: never prints.
carom_progress carom_progress_begin(bool wanted, double t_start, double t_end);
/// Tells that the run has reached time t; cheap enough to be called at every sample.
void carom_progress_update(carom_progress *progress, double t);
/// For many runs: `done` of `total` points, about `left` seconds to go (negative: unknown).
void carom_progress_points(carom_progress *progress, long done, long total, double left);
/// A point of a diagram is known: a page draws it, the command line waits for all.
void carom_progress_found(void *ctx, const carom_bifurcation_point *point);
/// Removes the line.
void carom_progress_end(carom_progress *progress);

/// From now on the first Ctrl-C (or SIGTERM) asks the run to stop, a second one ends the program.
void carom_interrupt_catch(void);
/// Where the computation has not ended 0.15 s later (or some steps, where those take longer), the
/// program ends with exit 1.
bool carom_interrupted(void);
/// The same, asked by the main thread at every step of a run; who asks is about to end.
bool carom_interrupt_look(void);
/// The computation has ended: what is left, such as writing its results, may take its time.
void carom_interrupt_heard(void);

#endif
