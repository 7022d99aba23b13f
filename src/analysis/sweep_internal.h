// SPDX-License-Identifier: MIT
/// What the files of the sweep share.
#ifndef CAROM_ANALYSIS_SWEEP_INTERNAL_H
#define CAROM_ANALYSIS_SWEEP_INTERNAL_H

#include "carom/sweep.h"
#include "spread/shared_work.h"

/// A computation with its journal. Names and axes are copies kept in the journal's head.
struct carom_sweep {
  carom_journal *journal;
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
  carom_card_report card;
};

/// See carom_sweep_run; `ranks` are the processes that share the points (NULL: this one alone), of
/// which `everyone` is to have all rows, not the first one alone.
carom_status carom_sweep_run_among(carom_ranks *ranks, bool everyone,
                                   const carom_sweep_options *options, carom_sweep **sweep,
                                   carom_error *error);

/// Rows of which none is kept: those of a block become one record.
typedef struct carom_sweep_blocks {
  long size;         // points of a block; the last may have fewer
  uint64_t identity; // of what becomes of them
  size_t state;      // bytes that a thread has for what it has seen
  void *ctx;         // read by all threads
  void (*begin)(void *ctx, void *state);
  void (*add)(void *ctx, void *state, const carom_sweep_row *row); // in the order of the points
  void (*pack)(void *ctx, const void *state, carom_parcel *parcel);
} carom_sweep_blocks;

/// The same, but the journal has a record for each block of points.
carom_status carom_sweep_run_blocks(carom_ranks *ranks, const carom_sweep_options *options,
                                    const carom_sweep_blocks *blocks, carom_sweep **sweep,
                                    carom_error *error);

/// The head of a journal: everything needed to read its rows. False: out of memory.
bool carom_sweep_head(const carom_sweep_options *options, carom_parcel *head);
/// Fills the names and axes of a sweep from its journal's head.
carom_status carom_sweep_adopt(carom_sweep *sweep, carom_error *error);
/// Where point `index` lies.
void carom_sweep_point(const carom_sweep *sweep, long index, double *at);
/// How many points the options ask for; -1: too many.
long carom_sweep_points(const carom_sweep_options *options);
/// What a packed run says; `values` and the texts of the row are those of `record`. False: it is
/// damaged.
bool carom_sweep_unpack(carom_unpack *record, int observables, double *values,
                        carom_sweep_row *row);
/// Writes what is worth keeping of a run that ended with `status`.
void carom_sweep_pack(carom_simulation *simulation, carom_status status, const carom_error *failure,
                      int count, const char *const *observables, carom_parcel *parcel);

#endif
