// SPDX-License-Identifier: MIT
/// Which digits of a run hold: the same scenario again with tighter tolerances.
#ifndef CAROM_CONVERGE_H
#define CAROM_CONVERGE_H

#include "carom/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Start from carom_converge_options_default(). Everything is borrowed during the call.
typedef struct carom_converge_options {
  const char *file; // the scenario, and what is set in it
  int setting_count;
  const carom_setting *settings;
  int tighter;   // how many reruns; each divides the tolerances by factor
  double factor; // 100
  double parted; // from this distance on, relative to the range of motion, trajectories have parted
  size_t size;   // set by the default function; proves that it was used
} carom_converge_options;
CAROM_API carom_converge_options carom_converge_options_default(void);

/// One run of the series; the first is the scenario as it is.
typedef struct carom_converge_level {
  double rtol;
  carom_certificate certificate;
  const char *word;
} carom_converge_level;

/// A number of the first run beside that of the tightest.
typedef struct carom_converge_value {
  const char *name;
  double value, tightest;
  double digits; // decimal digits that agree, relative to `scale`; infinite when all do
  double scale;  // of an observable its size, of a coordinate its range over the run
} carom_converge_value;

/// A comparison that was made.
typedef struct carom_converge carom_converge;

/// The whole comparison. Arrays and texts belong to it.
typedef struct carom_converge_view {
  int runs;
  const carom_converge_level *run;
  int observables, finals;
  const carom_converge_value *observable, *final;
  bool same_word;
  bool same_events;     // the sequence of events, by kind, name and direction
  double events_differ; // time of the first that differs; NaN
  bool sensitive;       // trajectories of the last two runs part before the end
  double parted_at;     // when; NaN
  double rate;          // of growth of their distance until then, 1/time; NaN: none
  double distance;      // largest distance reached, relative to the range of motion
} carom_converge_view;

/// Loads the scenario, runs it, and again with tighter tolerances. A run that fails is an error.
/// The caller destroys the result.
CAROM_API carom_status carom_converge_run(const carom_converge_options *options,
                                          carom_converge **result, carom_error *error);
CAROM_API void carom_converge_destroy(carom_converge *result); // NULL is legal
CAROM_API const carom_converge_view *carom_converge_look(const carom_converge *result);

#ifdef __cplusplus
}
#endif
#endif
