// SPDX-License-Identifier: MIT
/// Which digits of a run hold: the same scenario again with tighter tolerances.
#ifndef CAROM_CONVERGE_H
#define CAROM_CONVERGE_H

#include "carom/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CAROM_CONVERGE_MOST = 4, CAROM_CONVERGE_WORD = 512 };

/// Start from carom_converge_options_default().
typedef struct carom_converge_options {
  int tighter;   // how many reruns, 1 to CAROM_CONVERGE_MOST; each divides the tolerances by factor
  double factor; // 100
  double parted; // from this distance on, relative to the range of motion, trajectories have parted
  size_t size;   // set by the default function; proves that it was used
} carom_converge_options;
CAROM_API carom_converge_options carom_converge_options_default(void);

/// One run of the series; the first is the scenario as it is.
typedef struct carom_converge_run {
  double rtol;
  carom_certificate certificate;
  char word[CAROM_CONVERGE_WORD];
} carom_converge_run;

/// A number of the first run beside that of the tightest.
typedef struct carom_converge_value {
  const char *name; // belongs to the report
  double value, tightest;
  double digits; // decimal digits that agree, relative to `scale`; infinite when all do
  double scale;  // of an observable its size, of a coordinate its range over the run
} carom_converge_value;

/// The whole comparison. Plain data but for its arrays; release it.
typedef struct carom_converge_report {
  int runs;
  carom_converge_run run[CAROM_CONVERGE_MOST + 1];
  int observables, finals;
  carom_converge_value *observable, *final;
  bool same_word;
  bool same_events;     // the sequence of events, by kind, name and direction
  double events_differ; // time of the first that differs; NaN
  bool sensitive;       // trajectories of the last two runs part before the end
  double parted_at;     // when; NaN
  double rate;          // of growth of their distance until then, 1/time; NaN: none
  double distance;      // largest distance reached, relative to the range of motion
  void *memory;
} carom_converge_report;

/// Loads `path` with the settings, runs it, and again with tighter tolerances. The caller releases
/// the report, also after an error. A run that fails is an error.
CAROM_API carom_status carom_converge(const char *path, int setting_count,
                                      const carom_setting *settings,
                                      const carom_converge_options *options,
                                      carom_converge_report *report, carom_error *error);
CAROM_API void carom_converge_release(carom_converge_report *report);

#ifdef __cplusplus
}
#endif
#endif
