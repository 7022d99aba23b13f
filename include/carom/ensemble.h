// SPDX-License-Identifier: MIT
/// Many runs of which no row is kept: shares, averages, extremes and histograms are made while they
/// go, so that any number of runs needs the same memory and disk. Every run is that of a sweep.
#ifndef CAROM_ENSEMBLE_H
#define CAROM_ENSEMBLE_H

#include "carom/sweep.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Start from carom_ensemble_options_default(). Everything is borrowed during the call.
typedef struct carom_ensemble_options {
  carom_sweep_options sweep; // which runs; its journal is one of blocks of runs
  int histogram_count;
  const carom_axis *histograms; // observables of the sweep; the values are edges, and increase
  size_t size;                  // set by the default function; proves that it was used
} carom_ensemble_options;
CAROM_API carom_ensemble_options carom_ensemble_options_default(void);

typedef struct carom_ensemble carom_ensemble;

/// CAROM_OK, or CAROM_STOP_USER when it was stopped: *ensemble holds what was done in both cases.
/// The caller destroys it.
CAROM_API carom_status carom_ensemble_run(const carom_ensemble_options *options,
                                          carom_ensemble **ensemble, carom_error *error);
CAROM_API void carom_ensemble_destroy(carom_ensemble *ensemble); // NULL is legal

typedef struct carom_ensemble_motions {
  long points, done; // runs that were asked for, and those that were made
  long failed, first_failed;
  const char *failure; // of the first; ""
  long not_passed;     // certificates
  double residual;     // the largest, relative; NaN: there is none
  long residual_at;    // index of that run
} carom_ensemble_motions;
CAROM_API carom_ensemble_motions carom_ensemble_count(const carom_ensemble *ensemble);

/// Runs of one regime, or of one word where there are no regimes, with the 95 % interval of their
/// share of those that did not fail (Wilson 1927), which holds for random points. At most 256 kinds
/// are told apart: what comes later is counted as "(others)", words of more than 120 letters as
/// "(long)".
typedef struct carom_ensemble_kind {
  const char *name;
  long count;
  double share, low, high;
} carom_ensemble_kind;
CAROM_API int carom_ensemble_kinds(const carom_ensemble *ensemble);
CAROM_API carom_ensemble_kind carom_ensemble_kind_at(const carom_ensemble *ensemble, int k);

/// An observable over all runs that have it.
typedef struct carom_ensemble_observable {
  const char *name;
  long count, missing; // runs that have it, and those that have not (NaN)
  double mean, deviation, least, most;
  long least_at, most_at; // indices of these runs
} carom_ensemble_observable;
CAROM_API int carom_ensemble_observables(const carom_ensemble *ensemble);
CAROM_API carom_ensemble_observable carom_ensemble_observable_at(const carom_ensemble *ensemble,
                                                                 int k);

/// Values from edges[k] (included) to edges[k + 1], the last one included, are counted in
/// counts[k].
typedef struct carom_ensemble_histogram {
  const char *name;
  int bins;
  const double *edges; // bins + 1
  const long *counts;
  long below, above;
} carom_ensemble_histogram;
CAROM_API int carom_ensemble_histograms(const carom_ensemble *ensemble);
CAROM_API carom_ensemble_histogram carom_ensemble_histogram_at(const carom_ensemble *ensemble,
                                                               int k);
CAROM_API const carom_card_report *carom_ensemble_card(const carom_ensemble *ensemble);
/// The axes of run `index`: where an extreme was found.
CAROM_API void carom_ensemble_point(const carom_ensemble *ensemble, long index, double *at);

#ifdef __cplusplus
}
#endif
#endif
