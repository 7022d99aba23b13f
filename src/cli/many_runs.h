// SPDX-License-Identifier: MIT
/// What the commands that make many runs share: axes, threads, parts, resumption, progress, tables.
#ifndef CAROM_CLI_MANY_RUNS_H
#define CAROM_CLI_MANY_RUNS_H

#include "carom/sweep.h"
#include "carom/table.h"
#include "progress.h"
#include "report.h"

enum { CAROM_MOST_AXES = 16, CAROM_MOST_OBSERVED = 64 };

#define CAROM_OPTION_OVER                                                                          \
  {                                                                                                \
    "over", "NAME=RANGE", "", "",                                                                  \
        "what to vary: FROM:TO:COUNT, FROM:TO:COUNT:log or V1,V2,...; may be given repeatedly",    \
        NULL                                                                                       \
  }
#define CAROM_OPTION_THREADS                                                                       \
  { "threads", "N", "", "all processors", "how many runs at a time", NULL }
#define CAROM_OPTION_RESUME                                                                        \
  { "resume", NULL, "", "", "go on where the same command was stopped", NULL }
#define CAROM_OPTION_OUT                                                                           \
  { "out", "FILE", "", "not recorded", "write the results to an HDF5 file", NULL }
#define CAROM_OPTION_TABLE                                                                         \
  { "csv", "FILE", "", "no table", "write the results as a table", NULL }
#define CAROM_OPTION_PICTURE                                                                       \
  {                                                                                                \
    "picture", "FILE.png", "", "none",                                                             \
        "draw the results with gnuplot; the script stays beside the picture", NULL                 \
  }

/// A command line of many runs, with the model loaded. Begin with {0}; release it in any case.
typedef struct carom_many_runs {
  const carom_call *call;
  carom_model *model;
  carom_axis axes[CAROM_MOST_AXES];
  int axis_count;
  char *observed; // the text of --observe, cut at its commas
  const char *names[CAROM_MOST_OBSERVED];
  int name_count;
  int threads, part, parts;
  char *journal; // NULL: none
  carom_progress progress;
  carom_watcher watcher;
} carom_many_runs;

/// Reads --over, --observe, --threads, --part, --out, --csv and loads the model. On failure reports
/// and sets *exit_code.
bool carom_many_runs_begin(carom_many_runs *it, const carom_call *call, int least_axes,
                           int most_axes, int *exit_code);
void carom_many_runs_end(carom_many_runs *it);

/// Options of a sweep as the command line has them.
carom_sweep_options carom_many_runs_sweep(const carom_many_runs *it);

/// Progress and Ctrl-C from now on.
void carom_many_runs_watch(carom_many_runs *it);
void carom_many_runs_unwatch(carom_many_runs *it);

/// Reports a failed or stopped computation and returns the exit code; -1: it is complete.
int carom_many_runs_answer(const carom_many_runs *it, carom_status status,
                           const carom_error *error);

/// Reads a count option: a whole number from `least` to `most`; `fallback` where it is not given.
bool carom_call_count(const carom_call *call, const char *name, long least, long most,
                      long fallback, long *value, carom_error *error);
/// Reads a positive number; `fallback` where it is not given.
bool carom_call_positive(const carom_call *call, const char *name, double fallback, double *value,
                         carom_error *error);

/// Writes a sweep to --out and --csv of the command line, where they are given.
carom_status carom_sweep_write(const carom_call *call, carom_sweep *sweep, const char *kind,
                               carom_error *error);
/// The rows as a table on standard output.
void carom_sweep_print(carom_sweep *sweep);

/// What a sweep amounts to.
typedef struct carom_sweep_summary {
  long points, done, failed, not_passed;
} carom_sweep_summary;
carom_status carom_sweep_summarize(carom_sweep *sweep, carom_sweep_summary *summary,
                                   carom_error *error);
/// The summary, axes and (where there are not too many) rows as entries of an open JSON object.
void carom_sweep_json(carom_json *json, carom_sweep *sweep, const carom_sweep_summary *summary);

#endif
