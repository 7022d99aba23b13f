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
  /// contact, rule or section, with the times of its impacts, firings or crossings, from the first
  /// one on. Lines that begin with # are passed over; `# set NAME=VALUE, ...` says what the motion
  /// of this file has.
  const char *const *files;
  int free_count; // parameters and start values to find, with bounds
  const carom_fit_range *free;
  int each_count; // those of which each file has its own; `t`: how late its clock is
  const carom_fit_range *each;
  int prior_count; // what is known of free inputs beforehand: value (low) and standard error (high)
  const carom_fit_range *priors;
  int error_count; // standard errors of columns: `value` of `name`
  const carom_value *errors;
  double huber;  // residuals beyond so many errors count linearly; 0: no outliers are expected
  int starts;    // how many places to start from: the scenario's, then random ones
  int sweep;     // 0, or of so many random places the best are started from
  int parts;     // the first 1/2^parts of the data is fitted first, then parts twice as long, up to
                 // all; 0: where all at once comes to no end or leaves more than errors explain
  bool profiles; // intervals of 95 % from profiles of the likelihood
  int samples;   // of the posterior by each walker; 0: none
  int walkers;   // even, at least twice as many as inputs; 0: four times as many
  int threads;   // of sweep and samples, 0: one for each processor; results do not depend on it
  unsigned long seed;
  size_t size; // set by the default function; proves that it was used
} carom_fit_options;
CAROM_API carom_fit_options carom_fit_options_default(void);

typedef struct carom_fit carom_fit;

/// Samples of the posterior: density exp(-cost) within the bounds.
typedef struct carom_fit_chain {
  int walkers, samples;                        // 0: not asked for
  const double *inputs;                        // [samples][walkers][free_count]
  const double *costs;                         // [samples][walkers]
  const double *mean, *deviation, *low, *high; // of each input; 95 % lie between low and high
  const double *time;                          // autocorrelation time of each input, in samples
  double accepted;                             // share of the moves
} carom_fit_chain;

/// Arrays belong to the result.
typedef struct carom_fit_view {
  int free_count;           // inputs: `free`, then `each` file by file
  const char *const *names; // of the inputs; NAME@2 is that of the second file
  const double *values;     // best
  const double *errors;     // standard errors; infinite where the data cannot tell
  const double *covariance; // [free_count][free_count]; NaN where an error is infinite
  bool scaled; // errors of some columns were not given: they are estimated from the residuals
  double cost; // half the sum of squares of residuals over errors (Huber's function of them)
  /// Errors were given, and more is left than they explain: the motion does not follow the data.
  /// What is left over the errors, in the mean (root of squares per degree of freedom).
  bool poor;
  double misfit;
  long data_count;
  int unknown_count;     // directions in the space of inputs that the data say nothing about
  const double *unknown; // [unknown_count][free_count], relative changes of the inputs, length 1
  int iterations;        // of the best start
  int converged;         // starts that came to an end
  int best;              // starts that came to the best cost
  // the data, in order, as the fit has them
  const double *times, *measured, *fitted, *residuals; // residuals over errors
  const int *file;                                     // of each datum, from 0
  const char *const *column;                           // of each datum
  // asked for by `profiles`: where the least sum of squares with the input held there is larger by
  // 1.96^2; the bound where it is not; NULL: not asked for
  const double *profile_low, *profile_high;
  carom_fit_chain chain;
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
