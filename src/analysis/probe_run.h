// SPDX-License-Identifier: MIT
/// One run at one value of a parameter, and what can be asked of it afterwards.
#ifndef CAROM_ANALYSIS_PROBE_RUN_H
#define CAROM_ANALYSIS_PROBE_RUN_H

#include "analysis/location.h"

/// A private simulation that is run at value after value.
typedef struct carom_probe_run {
  const carom_locate_options *options;
  carom_simulation *simulation;
  double x, solved;      // of the last run: its parameter and the solved one
  double kept_x[2];      // the last two runs kept, newest first: the next search for the solved
  double kept_solved[2]; // parameter starts on the line through them
  int kept_count;
  int runs;
  bool passed;                  // certificate of the last run
  char text[CAROM_LOCATE_TEXT]; // what options->motion said of it
} carom_probe_run;

/// `options` must outlive the probe. Destroy it also after an error.
carom_status carom_probe_run_create(carom_probe_run *probe, const carom_simulation *simulation,
                                    const carom_locate_options *options, carom_error *error);
void carom_probe_run_destroy(carom_probe_run *probe);

/// Runs at parameter value x, from the kept state if there is one, after solving for a periodic
/// motion where that was asked for.
carom_status carom_probe_run_at(carom_probe_run *probe, double x, carom_error *error);
/// Later runs start where, and when, this one ended.
void carom_probe_keep(carom_probe_run *probe);

/// Of the last run. An observable that was not measured is an error.
carom_status carom_probe_observable(carom_probe_run *probe, const char *name, double *value,
                                    carom_error *error);
carom_status carom_probe_word(carom_probe_run *probe, char *text, size_t room, carom_error *error);
carom_status carom_probe_regime(carom_probe_run *probe, char *text, size_t room,
                                carom_error *error);

/// The largest real part of complex eigenvalues of the equilibrium in `mode` (NULL: of the first
/// admissible one that has some) at parameter value x.
carom_status carom_probe_hopf(carom_probe_run *probe, double x, const char *mode, double *value,
                              carom_error *error);

#endif
