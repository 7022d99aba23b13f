// SPDX-License-Identifier: MIT
/// Lyapunov exponents: how fast neighbouring motions part or meet, in every direction.
#ifndef CAROM_LYAPUNOV_H
#define CAROM_LYAPUNOV_H

#include "carom/sweep.h"
#include "carom/tangent.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Start from carom_lyapunov_options_default(). Everything is borrowed during the call.
typedef struct carom_lyapunov_options {
  const carom_model *model;
  int value_count; // set before the run
  const carom_value *values;
  double transient; // time thrown away first; < 0: a tenth of the scenario's run
  double time;      // averaged over; <= 0: the rest of the scenario's run
  double
      interval; // between two orthonormalisations; <= 0: a four-thousandth of `time` or of the run
  const char *journal; // file of finished stretches; NULL: none
  bool resume;         // go on with what the journal has
  carom_watcher watcher;
  size_t size; // set by the default function; proves that it was used
} carom_lyapunov_options;
CAROM_API carom_lyapunov_options carom_lyapunov_options_default(void);

/// Exponents that were found.
typedef struct carom_lyapunov carom_lyapunov;

/// The spectrum, largest exponent first. Directions that constraints and contacts forbid all the
/// time are left out; directions that stick or plastic impacts extinguish have exponent -infinity
/// and are counted, not listed. For a driven system the exponent 0 of its phase is left out too.
/// Arrays belong to it.
typedef struct carom_lyapunov_view {
  int count; // finite exponents
  const double *exponents;
  const double *errors; // standard error of each, from the means of stretches
  int stretches;        // equal parts of the time averaged over
  const double *course; // how they have settled: for every stretch, `count` numbers: the averages
                        // from the start to its end
  int extinguished;     // exponents -infinity
  double sum;           // of the finite ones
  double dimension;     // Kaplan and Yorke; NaN where it has no meaning
  double time;          // averaged over
  carom_tangent_notes notes;
} carom_lyapunov_view;

/// CAROM_OK, or CAROM_STOP_USER when it was stopped: the averages so far are there
/// (none where nothing was averaged yet: then the time is 0). The caller destroys the result.
/// CAROM_ERR_UNSUPPORTED where the engine has no tangent dynamics and cannot start anywhere either.
CAROM_API carom_status carom_lyapunov_run(const carom_lyapunov_options *options,
                                          carom_lyapunov **result, carom_error *error);
CAROM_API void carom_lyapunov_destroy(carom_lyapunov *result); // NULL is legal
CAROM_API const carom_lyapunov_view *carom_lyapunov_look(const carom_lyapunov *result);

#ifdef __cplusplus
}
#endif
#endif
