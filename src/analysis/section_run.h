// SPDX-License-Identifier: MIT
/// A run seen at the crossings of a section: the last ones are kept, and from them the period.
#ifndef CAROM_ANALYSIS_SECTION_RUN_H
#define CAROM_ANALYSIS_SECTION_RUN_H

#include "analysis/shifts.h"
#include "carom/sweep.h"
#include "device/thread_work.h"

enum { CAROM_SECTION_WORD = 4096, CAROM_SECTION_LANES = 4 };

/// What a run is looked at for; constant.
typedef struct carom_section_view {
  const carom_model *model;
  const char *section, *observable;
  int component; // of the state that the observable is; -1: a definition
  long skip;     // < 0: to the end of the run
  int keep;
  double period_tolerance;
  carom_shifts shifts; // what may drift
  carom_watcher watcher;
} carom_section_view;

/// A run and the last crossings it met, oldest first.
typedef struct carom_section_run {
  const carom_section_view *view;
  int size;                 // of the state
  double from;              // crossings before this time do not count
  long total;               // crossings met
  int count;                // kept
  double *states;           // of the crossings kept, `size` numbers each, in a ring
  double *values;           // of the observable there, in the same ring
  double *sorted;           // values, oldest first
  double last, before_last; // times of the last two crossings
  bool enough, interrupted, at_crossing;
  bool at_rest; // the motion has died away: then no crossing is kept
  int period;
  char word[CAROM_SECTION_WORD];
  const char *regime;
  bool passed;
} carom_section_run;

/// Finds section and observable (NULL: the first ones). CAROM_ERR_INPUT when there are none.
carom_status carom_section_view_init(carom_section_view *view, carom_simulation *simulation,
                                     carom_error *error);
carom_status carom_section_run_create(carom_section_run *run, const carom_section_view *view,
                                      const carom_simulation *simulation, carom_error *error);
void carom_section_run_destroy(carom_section_run *run);

/// Moves the simulation from its start. CAROM_STOP_USER when the watcher wants to stop.
carom_status carom_section_run_go(carom_section_run *run, carom_simulation *simulation,
                                  carom_error *error);
/// The same for up to CAROM_SECTION_LANES simulations side by side; those whose status is not
/// CAROM_OK before are left alone.
void carom_section_runs_go(int count, carom_section_run *const *runs,
                           carom_simulation *const *simulations, carom_status *statuses,
                           carom_error *errors);
/// A run that somebody else moves: stands at its start, where run->from says from when on crossings
/// count; and comes back, with what was noted of it (device/thread_work.h) and the status of its
/// advance.
carom_status carom_section_run_begin(carom_section_run *run, carom_simulation *simulation,
                                     carom_error *error);
carom_status carom_section_run_come_back(carom_section_run *run, carom_simulation *simulation,
                                         const double *noted, carom_status moved,
                                         carom_error *error);
/// What is to be noted; false: the section's name is too long, or its observable is a definition.
bool carom_section_view_noted(const carom_section_view *view, int size, carom_noted_kind *kind);
/// The motion in a few words: "F I K +, period 2".
void carom_section_run_text(const carom_section_run *run, char *text, size_t room);

#endif
