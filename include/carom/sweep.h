// SPDX-License-Identifier: MIT
/// Many runs of one model: over grids of parameters, start values or entries of the scenario, over
/// random points, over listed points. Runs are shared over threads; every point equals its single
/// run to the last bit.
#ifndef CAROM_SWEEP_H
#define CAROM_SWEEP_H

#include "carom/simulation.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The values one quantity takes.
typedef struct carom_axis {
  char *name; // a parameter, a start value ("x", "x'") or a path in the scenario ("run.rtol")
  int count;
  double *values;
} carom_axis;

/// Reads "mu=0.3:0.7:401" (evenly spaced, ends included), "k=1:1e6:7:log" (evenly in the
/// logarithm), "e=0,0.5,0.8" (a list) or "e=0.5" (one value). Values between the ends of a range
/// are rounded to 15 significant digits. The caller destroys the axis.
CAROM_API carom_status carom_axis_parse(const char *text, carom_axis *axis, carom_error *error);
CAROM_API void carom_axis_destroy(carom_axis *axis);

/// How a long computation is watched and stopped.
typedef struct carom_watcher {
  void *ctx;
  bool (*stopped)(void *ctx); // true: stop soon; asked from any thread; NULL: never
  /// Called now and then by the calling thread; `left` in seconds, negative while unknown.
  void (*progress)(void *ctx, long done, long total, double left);
} carom_watcher;

/// Start from carom_sweep_options_default(). Everything is borrowed during the call.
typedef struct carom_sweep_options {
  const carom_model *model;
  const char *file;  // how the model was loaded; needed only for axes that are entries of the
  int setting_count; // scenario, for which a model is made per point
  const carom_setting *settings;
  int axis_count;
  const carom_axis *axes; // the last one varies fastest
  long random; // > 0: so many random points, uniform between the first and last values of the axes
  uint64_t seed;
  long point_count; // > 0: these points, axis_count numbers each, instead of the grid
  const double *points;
  int observable_count; // 0: all observables of the model
  const char *const *observables;
  int threads;      // 0: as many as the machine has
  const char *card; // the program for NVIDIA's cards, by which one moves the motions: docs/gpu.md;
                    // the bits are the same. NULL: none does
  const char *card_cache; // a folder where machine code for cards is kept; NULL: nothing is
  const char *journal;    // file of finished points; NULL: no name, it vanishes with the sweep
  bool resume;            // go on with what the journal has
  int part, parts;        // do only points with index % parts == part; parts 0: all
  bool ranks; // under mpirun (Open MPI): share the points with the other processes; once
              // in the life of a process
  carom_watcher watcher;
  size_t size; // set by the default function; proves that it was used
} carom_sweep_options;
CAROM_API carom_sweep_options carom_sweep_options_default(void);

typedef struct carom_sweep carom_sweep;

/// One point. Pointers are valid until the next row is read.
typedef struct carom_sweep_row {
  long index;
  bool present;              // false: not computed (stopped, or of another part)
  const double *at;          // one value per axis
  const double *values;      // observables; NaN where not measured or the run failed
  carom_status status;       // of the run: < 0 it failed
  const char *failure;       // why; ""
  const char *word, *regime; // "" where there is none
  bool passed;               // its certificate
  double residual, t_end;    // of the energy, relative; where the run ended
  long steps, events, impacts;
} carom_sweep_row;

/// Runs all points. CAROM_OK, or CAROM_STOP_USER when it was stopped: *sweep holds what was done in
/// both cases. A run that fails is a row that says so, not an error of the sweep. CAROM_ERR_INPUT:
/// the journal belongs to another computation. The caller closes the sweep.
CAROM_API carom_status carom_sweep_run(const carom_sweep_options *options, carom_sweep **sweep,
                                       carom_error *error);

/// Which of the processes of an mpirun this one is; 0: the first, or one alone. Where work is
/// shared (`ranks` of options) the first has the results, the others at least those of their own
/// share.
CAROM_API int carom_process_rank(void);

/// Puts the journals of parts together. Points found in none are not present.
CAROM_API carom_status carom_sweep_merge(int count, const char *const *journals,
                                         carom_sweep **sweep, carom_error *error);

/// What a card did of a run.
typedef struct carom_card_report {
  char card[160];  // for people; "": none took part
  char fault[256]; // "": it did not fail; else why, and what it had not brought back was moved here
  long moved;      // motions
  long given_back; // motions that it did not bring to their ends, and that were moved here
} carom_card_report;
CAROM_API const carom_card_report *carom_sweep_card(const carom_sweep *sweep);

/// NVIDIA's cards of this machine, for people, or why there are none.
CAROM_API void carom_cards_describe(char *text, size_t room);

CAROM_API void carom_sweep_destroy(carom_sweep *sweep); // NULL is legal; a named journal stays

CAROM_API long carom_sweep_count(const carom_sweep *sweep);
CAROM_API long carom_sweep_done(const carom_sweep *sweep);
CAROM_API int carom_sweep_axes(const carom_sweep *sweep);
CAROM_API const char *carom_sweep_axis(const carom_sweep *sweep, int k);
/// How many values axis k has; 0 where the points are not a grid.
CAROM_API int carom_sweep_axis_count(const carom_sweep *sweep, int k);
CAROM_API int carom_sweep_observables(const carom_sweep *sweep);
CAROM_API const char *carom_sweep_observable(const carom_sweep *sweep, int k);
CAROM_API const char *carom_sweep_title(const carom_sweep *sweep);
CAROM_API const char *carom_sweep_scenario(const carom_sweep *sweep);
CAROM_API carom_status carom_sweep_read(carom_sweep *sweep, long index, carom_sweep_row *row,
                                        carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
