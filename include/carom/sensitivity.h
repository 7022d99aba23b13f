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
  bool
      sides; // what else neighbours do is followed as well: grazes and orders, by runs of their own
  bool adjoint; // slopes are brought back from the end: for many inputs and few outputs, which are
                // functions of the state at the end of the run; events are not told
  size_t adjoint_memory; // bytes that it may keep of the run: a longer one is made again, part by
                         // part from its end; 0: 256 MiB
  bool second;           // second derivatives too, by runs beside this one
  size_t size;           // set by the default function; proves that it was used
} carom_sensitivity_options;
CAROM_API carom_sensitivity_options carom_sensitivity_options_default(void);

/// An event of the run and the derivative of its time.
typedef struct carom_sensitivity_event {
  carom_event_kind kind;
  const char *name;
  double t;
  const double *slopes; // by every input; NaN where the time has no derivative
} carom_sensitivity_event;

/// What the derivative by an input is where contacts strike at one instant.
typedef enum carom_sensitivity_side {
  CAROM_SENSITIVITY_SMOOTH,  // that of all neighbours
  CAROM_SENSITIVITY_ORDERED, // of those that meet the contacts in one order
  CAROM_SENSITIVITY_JUMPS // there is none: the outcome depends on the order; slopes behind it are
                          // NaN
} carom_sensitivity_side;

/// Contacts that strike at one instant and are met in this order.
typedef struct carom_sensitivity_order {
  const char *names;    // "a, b"
  const double *slopes; // [of_count][by_count]
} carom_sensitivity_order;

/// A gap that touched zero. Where an input changes by dx with the sign of `strikes` the contact
/// strikes, and outputs change by coefficient sqrt(|dx|) + O(dx); by the slopes on the other side.
typedef struct carom_sensitivity_graze {
  const char *name;
  double t;
  const double *strikes;      // +1, -1; 0: the gap does not depend on the input
  const double *coefficients; // [of_count][by_count]
} carom_sensitivity_graze;

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
  const carom_sensitivity_side *sides;   // of each input
  int order_count;                       // with `sides`; 0: contacts are met in one order only
  const carom_sensitivity_order *orders; // the first one has the slopes told above
  int graze_count;                       // with `sides`: grazes whose coefficients are known
  const carom_sensitivity_graze *grazes;
  const double *second;        // [of_count][by_count][by_count]; NULL: not asked for
  const double *second_errors; // of these
  carom_tangent_notes notes;   // grazes: no derivative; piecewise: it holds on one side only
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
