// SPDX-License-Identifier: MIT
/// What the files of the sweep share.
#ifndef CAROM_ANALYSIS_SWEEP_INTERNAL_H
#define CAROM_ANALYSIS_SWEEP_INTERNAL_H

#include "carom/sweep.h"
#include "spread/spread.h"

/// A computation with its journal. Names and axes are copies kept in the journal's head.
struct carom_sweep {
  carom_journal *journal;
  int rank; // among the processes of an mpirun; 0: this one has the results
  int axis_count, observable_count;
  const char **axis_names, **observable_names;
  int *axis_counts;
  bool grid; // the points are all combinations of the axes' values
  const double **axis_values;
  const double *points; // listed points, or NULL
  long random;
  uint64_t seed;
  const char *title, *scenario;
  double *at, *values; // of the row read last
  void *bytes;
  size_t room;
};

/// Runs the points of this process. `base` is the name of the journals that a resumed sweep takes
/// records from: itself and those of ranks (NULL: none).
carom_status carom_sweep_run_here(const carom_sweep_options *options, const char *base,
                                  carom_sweep **sweep, carom_error *error);
/// Copies what FILE and FILE.rank-K have of the same task to `journal`, whose file is `own`.
carom_status carom_sweep_take_over(const char *base, const char *own, carom_journal *journal,
                                   carom_error *error);
/// Removes FILE.rank-K of all ranks.
void carom_sweep_forget_ranks(const char *base);

/// The head of a journal: everything needed to read its rows. False: out of memory.
bool carom_sweep_head(const carom_sweep_options *options, carom_parcel *head);
/// Fills the names and axes of a sweep from its journal's head.
carom_status carom_sweep_adopt(carom_sweep *sweep, carom_error *error);
/// Where point `index` lies.
void carom_sweep_point(const carom_sweep *sweep, long index, double *at);
/// How many points the options ask for; -1: too many.
long carom_sweep_points(const carom_sweep_options *options);
/// Writes what is worth keeping of a run that ended with `status`.
void carom_sweep_pack(carom_simulation *simulation, carom_status status, const carom_error *failure,
                      int count, const char *const *observables, carom_parcel *parcel);

#endif
