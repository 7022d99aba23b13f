// SPDX-License-Identifier: MIT
/// The derivative of a step with respect to its start: the variational equation Phi' = A(t) Phi. Of
/// a step by Runge-Kutta it is solved with the very stages of that step, so that the result is the
/// derivative of the numbers the stepper computes (at a fixed step size); where that is less exact
/// than the motion is asked to be (A may be less smooth than the motion: behind the contact of a
/// spring of Hertz it grows like a root) in shorter parts. Of a step by series it is solved by
/// series as well, whose error is controlled by itself.
#ifndef CAROM_ODE_VARIATION_H
#define CAROM_ODE_VARIATION_H

#include "ode/stepper.h"

/// A = df/dy at (t, y) for the first `size` states, row-major.
typedef carom_status (*carom_slope_matrix)(void *ctx, double t, const double *y, double *A);

typedef struct carom_variation_task {
  carom_slope_matrix slopes;
  void *ctx;
  double *sizes;              // the largest that each state has been, kept from step to step
  double noise;               // what A is off by, of its size: nothing more exact can be asked for
  int count;                  // entries of A that are not zero, where that is known; else 0
  const int *row, *column;    // row by row
  carom_slope_matrix entries; // these alone
} carom_variation_task;

/// Doubles of room that a step of the variational equation needs.
size_t carom_variation_room(const carom_stepper *stepper, int size, int columns);

/// Carries `phi` (size x columns, row-major) over the tried step of `stepper`, before its commit.
/// Only the first `size` states count; the others must not act back on them.
carom_status carom_variation_step(const carom_stepper *stepper, int size, int columns,
                                  const carom_variation_task *task, double *phi, double *room);

/// Parts of steps as they were taken: what brings derivatives back over them.
typedef struct carom_variation_part {
  bool stages;       // by Runge-Kutta: c has A at each of CAROM_VARIATION_STAGES in turn; else by
                     // series: the coefficients of each entry in turn
  int count, degree; // entries of A that are not zero; coefficients of each
  const int *row, *column; // NULL: all entries, row by row
  const double *c;
  double unit, taken; // of time: the part, or the unit of the series; how much of it was taken
} carom_variation_part;
enum { CAROM_VARIATION_STAGES = 12 };

/// Told of every part in turn; false: out of memory.
typedef bool (*carom_part_seen)(void *ctx, const carom_variation_part *part);

/// The same for one neighbour, which is off by the weight of each state and is led along in
/// `column`, with every part told to `seen`.
carom_status carom_variation_step_seen(const carom_stepper *stepper, int size,
                                       const carom_variation_task *task, double *column,
                                       double *room, carom_part_seen seen, void *ctx);

/// Where A has a Taylor series along the motion: its entries that are not zero, row by row.
typedef struct carom_slope_series {
  int count;
  const int *row, *column;
  int degree; // coefficients of an entry; those of higher powers are zero
  void *ctx;
  /// Coefficients at (t, y), `degree` of each entry in turn, from the power 0 on.
  carom_status (*coefficients)(void *ctx, double t, const double *y, double *c);
} carom_slope_series;

/// row = row Phi, with Phi over the part: the transpose of what was done forwards.
/// `room`: (CAROM_SERIES_DEGREE + 1) size numbers.
void carom_variation_pull(const carom_variation_part *over, int size, double *row, double *room);

size_t carom_variation_series_room(const carom_stepper *stepper, int size, int columns,
                                   int entries);

/// The same as carom_variation_step by the series of Phi itself, of order CAROM_SERIES_DEGREE, in
/// as many parts of the tried step (one by series) as it needs to be ten times as exact as the
/// motion is asked to be. Column j is the derivative by state j: there are `size` at most.
carom_status carom_variation_series(carom_stepper *stepper, int size, int columns,
                                    const carom_slope_series *slopes, double *phi, double *room);
/// The same, with every part told to `seen` (nullable).
carom_status carom_variation_series_seen(carom_stepper *stepper, int size, int columns,
                                         const carom_slope_series *slopes, double *phi,
                                         double *room, carom_part_seen seen, void *ctx);

#endif
