// SPDX-License-Identifier: MIT
/// Design: where to measure next, to know an input, or all of them, best.
#ifndef CAROM_DESIGN_H
#define CAROM_DESIGN_H

#include "carom/fit.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Start from carom_design_options_default(). Everything is borrowed during the call.
typedef struct carom_design_options {
  const carom_model *model;
  int free_count; // inputs that are to be known, with bounds: before anything is measured they are
                  // as unsure as a number anywhere between these
  const carom_fit_range *free;
  int prior_count; // what is known of them beforehand: value (low) and standard error (high)
  const carom_fit_range *priors;
  int of_count; // what can be measured, with standard errors
  const carom_value *of;
  int time_count; // when, in rising order from the start on
  const double *times;
  int done_count; // times among these (by their number) at which all was measured already
  const int *done;
  const char *goal; // the input to be known best; NULL: all, by the volume of what is possible
  int picks;        // how many measurements are chosen, one after the other
  size_t size;      // set by the default function; proves that it was used
} carom_design_options;
CAROM_API carom_design_options carom_design_options_default(void);

/// A measurement that is chosen, and what is known once it is made.
typedef struct carom_design_pick {
  int time, of;         // which
  const double *errors; // standard errors of the inputs from then on
} carom_design_pick;

typedef struct carom_design carom_design;

/// Arrays belong to the result.
typedef struct carom_design_view {
  const double *before; // standard errors of the inputs as things are
  /// What one more measurement does, [time_count][of_count]: the goal's error divided by that
  /// before; without a goal the product of all errors of independent combinations, so divided.
  const double *gain;
  int pick_count;
  const carom_design_pick *picks;
} carom_design_view;

/// By derivatives at the scenario's values. The caller destroys the result.
CAROM_API carom_status carom_design_run(const carom_design_options *options, carom_design **result,
                                        carom_error *error);
CAROM_API void carom_design_destroy(carom_design *result); // NULL is legal
CAROM_API const carom_design_view *carom_design_look(const carom_design *result);

#ifdef __cplusplus
}
#endif
#endif
