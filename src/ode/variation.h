// SPDX-License-Identifier: MIT
/// The derivative of a step with respect to its start: the variational equation Phi' = A(t) Phi
/// solved with the very stages of the step that was taken, so that the result is the derivative of
/// the numbers the stepper computes (at a fixed step size), not of another approximation.
#ifndef CAROM_ODE_VARIATION_H
#define CAROM_ODE_VARIATION_H

#include "ode/stepper.h"

/// A = df/dy at (t, y) for the first `size` states, row-major.
typedef carom_status (*carom_slope_matrix)(void *ctx, double t, const double *y, double *A);

/// Doubles of room that a step of the variational equation needs.
size_t carom_variation_room(const carom_stepper *stepper, int size, int columns);

/// Carries `phi` (size x columns, row-major) over the tried step of `stepper`, before its commit.
/// Only the first `size` states count; the others must not act back on them.
carom_status carom_variation_step(const carom_stepper *stepper, int size, int columns,
                                  carom_slope_matrix slopes, void *ctx, double *phi, double *room);

#endif
