// SPDX-License-Identifier: MIT
/// Lyapunov exponents: how fast neighbouring motions part or meet, in every direction.
#ifndef CAROM_LYAPUNOV_H
#define CAROM_LYAPUNOV_H

#include "carom/sweep.h"
#include "carom/tangent.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CAROM_MOST_EXPONENTS = 64, CAROM_LYAPUNOV_STRETCHES = 20 };

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

/// The spectrum, largest exponent first. Directions that constraints and contacts forbid all the
/// time are left out; directions that stick or plastic impacts extinguish have exponent -infinity
/// and are counted, not listed. For a driven system the exponent 0 of its phase is left out too.
typedef struct carom_lyapunov {
  int count; // finite exponents
  double exponents[CAROM_MOST_EXPONENTS];
  double errors[CAROM_MOST_EXPONENTS]; // standard error of each, from the means of 20 stretches
  // how they have settled: of each the average from the start to the end of every stretch
  double course[CAROM_LYAPUNOV_STRETCHES][CAROM_MOST_EXPONENTS];
  int extinguished; // exponents -infinity
  double sum;       // of the finite ones
  double dimension; // Kaplan and Yorke; NaN where it has no meaning
  double time;      // averaged over
  carom_tangent_notes notes;
} carom_lyapunov;

/// CAROM_OK, or CAROM_STOP_USER when it was stopped: the averages so far are there.
/// CAROM_ERR_UNSUPPORTED where the engine has no tangent dynamics and cannot start anywhere either.
CAROM_API carom_status carom_lyapunov_run(const carom_lyapunov_options *options,
                                          carom_lyapunov *result, carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
