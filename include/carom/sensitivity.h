// SPDX-License-Identifier: MIT
/// Sensitivities: exact derivatives of what a run ends with by parameters, start values and laws,
/// through impacts, stick, slip, rules and the end of chatter.
#ifndef CAROM_SENSITIVITY_H
#define CAROM_SENSITIVITY_H

#include "carom/tangent.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Start from carom_sensitivity_options_default(). Everything is borrowed during the call.
typedef struct carom_sensitivity_options {
  const carom_model *model; // a scenario of the engine `hybrid`
  int value_count;          // set before the run
  const carom_value *values;
  int by_count; // parameters, start values ("x", "x'", a state)
  const char *const *by;
  int of_count; // observables, definitions, components of the state at the end of the run
  const char *const *of;
  int time_count; // outputs are told at these times as well, in rising order from the start on; the
                  // run goes on to the last of them
  const double *times;
  size_t size; // set by the default function; proves that it was used
} carom_sensitivity_options;
CAROM_API carom_sensitivity_options carom_sensitivity_options_default(void);

/// An event of the run and the derivative of its time.
typedef struct carom_sensitivity_event {
  carom_event_kind kind;
  const char *name;
  double t;
  const double *slopes; // by every input; NaN where the time has no derivative
} carom_sensitivity_event;

typedef struct carom_sensitivity carom_sensitivity;

/// Arrays belong to the result.
typedef struct carom_sensitivity_view {
  int of_count, by_count;
  const double *values; // of every output
  const double *slopes; // [of_count][by_count]
  int time_count;
  const double *course;        // outputs at the times asked for, [time_count][of_count]; of
                               // observables with reducers NaN
  const double *course_slopes; // [time_count][of_count][by_count]
  const double *course_rates;  // by time, [time_count][of_count]
  long event_count;
  const carom_sensitivity_event *events;
  double t_end;
  carom_tangent_notes notes; // grazes: no derivative; piecewise: it holds on one side only
} carom_sensitivity_view;

/// Runs the scenario once with derivatives. CAROM_ERR_ARGUMENT: an unknown name;
/// CAROM_ERR_UNSUPPORTED, with the reason: something has no derivative that can be computed. The
/// caller destroys the result.
CAROM_API carom_status carom_sensitivity_run(const carom_sensitivity_options *options,
                                             carom_sensitivity **result, carom_error *error);
CAROM_API void carom_sensitivity_destroy(carom_sensitivity *result); // NULL is legal
CAROM_API const carom_sensitivity_view *carom_sensitivity_look(const carom_sensitivity *result);

#ifdef __cplusplus
}
#endif
#endif
