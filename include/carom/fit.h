// SPDX-License-Identifier: MIT
/// Fits: parameters and start values from measured motions, by least squares on exact derivatives.
#ifndef CAROM_FIT_H
#define CAROM_FIT_H

#include "carom/sensitivity.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A name with two numbers: a free input with its bounds, a prior with its value and error.
typedef struct carom_fit_range {
  const char *name;
  double low, high;
} carom_fit_range;

/// Start from carom_fit_options_default(). Everything is borrowed during the call.
typedef struct carom_fit_options {
  const carom_model *model;
  int file_count;
  /// CSV with names in its first line. Samples: a column `t`, in rising order, then coordinates,
  /// rates, states, definitions, or observables without reducers. Clicks: one column, named after a
  /// contact or rule, with the times of its impacts or firings, from the first one on.
  const char *const *files;
  int free_count; // parameters and start values to find, with bounds
  const carom_fit_range *free;
  int prior_count; // what is known of free inputs beforehand: value (low) and standard error (high)
  const carom_fit_range *priors;
  int error_count; // standard errors of columns: `value` of `name`
  const carom_value *errors;
  double huber; // residuals beyond so many errors count linearly; 0: no outliers are expected
  int starts;   // how many places to start from: the scenario's, then random ones
  unsigned long seed;
  size_t size; // set by the default function; proves that it was used
} carom_fit_options;
CAROM_API carom_fit_options carom_fit_options_default(void);

typedef struct carom_fit carom_fit;

/// Arrays belong to the result.
typedef struct carom_fit_view {
  int free_count;
  const double *values;     // best, in the order of `free`
  const double *errors;     // standard errors; infinite where the data cannot tell
  const double *covariance; // [free_count][free_count]; NaN where an error is infinite
  bool scaled; // errors of some columns were not given: they are estimated from the residuals
  double cost; // half the sum of squares of residuals over errors (Huber's function of them)
  long data_count;
  int unknown_count;     // directions in the space of inputs that the data say nothing about
  const double *unknown; // [unknown_count][free_count], relative changes of the inputs, length 1
  int iterations;        // of the best start
  int converged;         // starts that came to an end
  int best;              // starts that came to the best cost
  // the data, in order, as the fit has them
  const double *times, *measured, *fitted, *residuals; // residuals over errors
} carom_fit_view;

/// CAROM_ERR_INPUT with file, line and column where data are wrong; CAROM_ERR_ARGUMENT for unknown
/// names; CAROM_ERR_NO_CONVERGENCE where no start came to an end. The caller destroys the result.
CAROM_API carom_status carom_fit_run(const carom_fit_options *options, carom_fit **result,
                                     carom_error *error);
CAROM_API void carom_fit_destroy(carom_fit *result); // NULL is legal
CAROM_API const carom_fit_view *carom_fit_look(const carom_fit *result);

#ifdef __cplusplus
}
#endif
#endif
