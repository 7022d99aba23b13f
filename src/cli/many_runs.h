// SPDX-License-Identifier: MIT
/// What the commands that make many runs share: axes, threads, parts, resumption, progress, tables.
#ifndef CAROM_CLI_MANY_RUNS_H
#define CAROM_CLI_MANY_RUNS_H

#include "card_place.h"
#include "carom/digest.h"
#include "carom/survey.h"
#include "carom/sweep.h"
#include "carom/table.h"
#include "progress.h"
#include "report.h"

enum { CAROM_MOST_AXES = 16, CAROM_MOST_OBSERVED = 64 };

#define CAROM_OPTION_OVER_ELSE(otherwise)                                                          \
  {                                                                                                \
    "over", "NAME=RANGE", "", otherwise,                                                           \
        "what to vary: FROM:TO:COUNT, FROM:TO:COUNT:log or V1,V2,...; may be given repeatedly",    \
        NULL                                                                                       \
  }
#define CAROM_OPTION_OVER CAROM_OPTION_OVER_ELSE("")
#define CAROM_OPTION_OVER_OR_NOT CAROM_OPTION_OVER_ELSE("the scenario as it is")
#define CAROM_OPTION_THREADS                                                                       \
  { "threads", "N", "", "all processors", "how many runs at a time", NULL }
#define CAROM_OPTION_GPU                                                                           \
  {                                                                                                \
    "gpu", NULL, "", "processors alone",                                                           \
        "let an NVIDIA card move the motions: the same bits (see docs/gpu.md)", NULL               \
  }
#define CAROM_OPTION_PART                                                                          \
  {                                                                                                \
    "part", "K/N", "", "all points",                                                               \
        "do only the K-th of N parts; the same command with --resume joins them", NULL             \
  }
#define CAROM_OPTION_RESUME                                                                        \
  { "resume", NULL, "", "", "go on where the same command was stopped", NULL }
#define CAROM_OPTION_OUT                                                                           \
  { "out", "FILE", "", "not recorded", "write the results to an HDF5 file", NULL }
#define CAROM_OPTION_TABLE                                                                         \
  { "csv", "FILE", "", "no table", "write the results as a table", NULL }
#define CAROM_OPTION_PICTURE                                                                       \
  {                                                                                                \
    "picture", "FILE", "", "none",                                                                 \
        "draw the results as carom plot does: NAME.svg, NAME.pdf or NAME.png", NULL                \
  }

/// The last options of a command whose results are written and drawn, and of one of many runs.
#define CAROM_OPTIONS_OF_RESULTS                                                                   \
  CAROM_OPTION_RESUME, CAROM_OPTION_OUT, CAROM_OPTION_TABLE, CAROM_OPTION_PICTURE,                 \
      CAROM_OPTION_SET, CAROM_OPTION_QUIET, CAROM_OPTION_JSON
#define CAROM_OPTIONS_OF_MANY_RUNS CAROM_OPTION_THREADS, CAROM_OPTION_PART, CAROM_OPTIONS_OF_RESULTS

/// How long a turn of a periodic motion is, where it is sought.
#define CAROM_OPTIONS_OF_TURNS                                                                     \
  {"period",                                                                                       \
   "EXPRESSION",                                                                                   \
   "of the scenario",                                                                              \
   "found from the drive",                                                                         \
   "of the drive: after how long it repeats itself",                                               \
   "run.period"},                                                                                  \
      {"turns", "N", "periods of the drive", "found from the motion", "how many make one turn",    \
       NULL},                                                                                      \
  {                                                                                                \
    "near", "TIME", "of the scenario", "found from the motion",                                    \
        "the period of a system without drive, roughly", NULL                                      \
  }

/// A command line of many runs, with the model loaded.
typedef struct carom_many_runs {
  const carom_call *call;
  carom_model *model;
  carom_axis axes[CAROM_MOST_AXES];
  int axis_count;
  char *observed; // the text of --observe, cut at its commas
  const char *names[CAROM_MOST_OBSERVED];
  int name_count;
  int threads, part, parts;
  carom_card_files card; // see --gpu
  char *journal;         // NULL: none
  carom_progress progress;
  carom_watcher watcher;
} carom_many_runs;

/// Options of a sweep as the command line has them.
carom_sweep_options carom_many_runs_sweep(const carom_many_runs *it);

/// The parts of a survey that the command line has.
void carom_many_runs_survey(const carom_many_runs *it, carom_survey_kind kind,
                            carom_survey_options *options);

/// How many points are done, and how many of these failed.
void carom_many_runs_tally(carom_survey *survey, long *done, long *failed);

/// A command of many runs: what it computes, and what becomes of the result.
typedef struct carom_many_work {
  int least_axes, most_axes;
  bool partly; // a stopped computation is handed over as far as it got; else Ctrl-C is reported
  /// Why this cannot be done in parts or by several processes; NULL: it can. The entry itself may
  /// be NULL: it always can.
  const char *(*alone)(const carom_many_runs *it);
  carom_status (*compute)(carom_many_runs *it, void **result, carom_error *error);
  /// Writes, draws and prints; `ended` is CAROM_OK or, with `partly`, CAROM_STOP_USER. Returns the
  /// exit code.
  int (*hand_over)(const carom_many_runs *it, void *result, carom_status ended, carom_error *error);
  void (*release)(void *result);
} carom_many_work;

/// Runs the command: options, progress, Ctrl-C, failures; the journal goes when all is done.
int carom_many_runs_do(const carom_call *call, const carom_many_work *work);

/// False, with the reason, where mpirun has started several processes: of a command that is not
/// shared by them each would do the same and write the same files.
bool carom_call_alone(const carom_call *call, const char *why, carom_error *error);

/// The exit code of a computation handed over as far as it got; says how to go on where it was
/// interrupted.
int carom_many_runs_exit(const carom_many_runs *it, bool interrupted);

/// Results that become tables.
typedef struct carom_written {
  const char *kind, *outcome;   // "sweep"; "complete"
  const carom_model *model;     // what they are of; NULL: as the next two say
  const char *title, *scenario; // of the model
  const void *ctx;
  carom_status (*fill)(const void *ctx, carom_tables *tables, carom_error *error);
} carom_written;
/// Writes them to --out (or to a file for --picture alone) and --csv; where none of them is asked
/// for, nothing.
carom_status carom_call_write(const carom_call *call, const carom_written *results,
                              carom_error *error);

/// Reads a count option: a whole number from `least` to `most`; `fallback` where it is not given.
bool carom_call_count(const carom_call *call, const char *name, long least, long most,
                      long fallback, long *value, carom_error *error);
/// Reads a positive number; `fallback` where it is not given.
bool carom_call_positive(const carom_call *call, const char *name, double fallback, double *value,
                         carom_error *error);

/// Which of so many states of a model may drift, alone or together with others: the caller frees
/// it; NULL: out of memory.
bool *carom_find_drifts(const carom_model *model, int states);

/// The state that --observe names, a coordinate, rate or other; left alone where it is not given.
carom_status carom_call_state(const carom_call *call, const carom_simulation *simulation,
                              int *state, carom_error *error);
/// The journal of what is finished lies beside the results: FILE.journal, or FILE.part-2-of-8. NULL
/// where there are no files of results; --resume without them is wrong. The caller frees it.
bool carom_call_journal(const carom_call *call, int part, int parts, char **journal,
                        carom_error *error);

/// Writes a sweep to --out and --csv of the command line and draws --picture, where they are given.
carom_status carom_sweep_write(const carom_call *call, carom_sweep *sweep, const char *kind,
                               carom_error *error);
/// The rows as a table on standard output.
void carom_sweep_print(carom_sweep *sweep);

/// What a sweep amounts to.
typedef struct carom_sweep_summary {
  long points, done, failed, not_passed;
  carom_digest digest; // of values on the axes and observables, in the order of the points
} carom_sweep_summary;
carom_status carom_sweep_summarize(carom_sweep *sweep, carom_sweep_summary *summary,
                                   carom_error *error);
/// The exit code of a sweep that is done; says so where certificates did not pass.
int carom_sweep_exit(const carom_sweep_summary *summary);
/// The summary, axes and (where there are not too many) rows as entries of an open JSON object.
void carom_sweep_json(carom_json *json, carom_sweep *sweep, const carom_sweep_summary *summary);

#endif
