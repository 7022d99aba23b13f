// SPDX-License-Identifier: MIT
/// A model given by C functions, on equal footing with a scenario file.
///
///   M(t,q) u' = h(t,q,u,z) + W^T lambda,   q' = u,   z' = f(t,q,u,z)
///
/// Leave out what the system does not have: a plain first-order system gives only `equation`.
#ifndef CAROM_FUNCTIONS_H
#define CAROM_FUNCTIONS_H

#include "carom/status.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The state handed to the functions: n coordinates, their rates, m first-order states, and the
/// parameters in the order of their names.
typedef struct carom_point {
  double t;
  const double *q, *u, *z, *parameters;
} carom_point;

/// One bilateral constraint at a point. Position-level: `value` and its rate; velocity-level:
/// `value` is NaN.
///   rate of the value: velocity = jacobian . u + offset,   its rate: jacobian . u' + drift
typedef struct carom_function_row {
  double value, offset, drift;
  double *jacobian; // n numbers, to be filled
} carom_function_row;

/// Things of one sort that functions speak of, by their names.
typedef struct carom_function_list {
  int count;
  const char *const *names;
} carom_function_list;

/// The run that functions describe.
typedef struct carom_function_run {
  double until, sample; // end of the run and sampling interval [time units]; sample 0: none
  double rtol, atol;    // 0: defaults
} carom_function_run;

/// All callbacks return CAROM_OK or an error code, which ends the run; NaN and infinity in a result
/// are found by the caller. They must be pure functions of their arguments and `ctx`.
typedef struct carom_functions {
  const char *title;
  carom_function_list coordinates, states, parameters, constraints, events, observables;
  const double *start, *start_rate, *state_start, *parameter_values; // NULL: zeros
  carom_function_run run;
  void *ctx;
  carom_status (*mass)(void *ctx, const carom_point *at, double *M);        // n x n, row-major
  carom_status (*force)(void *ctx, const carom_point *at, double *h);       // n
  carom_status (*equation)(void *ctx, const carom_point *at, double *rate); // m
  carom_status (*constraint)(void *ctx, const carom_point *at, int k, carom_function_row *row);
  carom_status (*event)(void *ctx, const carom_point *at, double *values); // an event is a zero
  /// The reset at event k: writes the new q, u, z (given as copies of the old). NULL: only logged.
  carom_status (*reset)(void *ctx, const carom_point *at, int k, double *q, double *u, double *z);
  carom_status (*observable)(void *ctx, const carom_point *at, double *values);
  carom_status (*energy)(void *ctx, const carom_point *at, double *kinetic, double *potential);
  /// Power of forces not in the potential [W], for the energy ledger. NULL: none.
  carom_status (*power)(void *ctx, const carom_point *at, double *force_power,
                        double *damper_power);
  size_t size; // set by carom_functions_default(); proves that it was used
} carom_functions;

CAROM_API carom_functions carom_functions_default(void);

#ifdef __cplusplus
}
#endif
#endif
