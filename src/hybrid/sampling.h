// SPDX-License-Identifier: MIT
/// Samples of a motion: at the times of a grid, or where the motion asks for them.
#ifndef CAROM_HYBRID_SAMPLING_H
#define CAROM_HYBRID_SAMPLING_H

#include "carom/simulation.h"

struct carom_hybrid;

/// Which samples were handed out, and whether the state as it is has been seen.
typedef struct carom_sampled {
  long next;   // number of the next one of the grid
  double last; // the time of the last one; NaN: there was none
  bool owed;   // the state before an instant was handed out: that behind it has to follow
  bool jumped; // an instant has changed the state, and reducers have seen no step since
} carom_sampled;

/// Columns of samples where the motion asks for them.
typedef struct carom_sampler {
  double *low, *high; // what each column has reached so far
  double *from, *to;  // columns at the ends of a stretch
} carom_sampler;

void carom_hybrid_fill_sample(struct carom_hybrid *it, double t, const double *y);
/// None was handed out yet, and nothing is known of what columns reach.
void carom_sampling_reset(struct carom_hybrid *it);
/// An observer that comes late gets the samples that are still ahead.
void carom_sampling_begin(struct carom_hybrid *it);
/// Samples that lie in the tried step up to theta_end; true when the observer wants to stop.
/// `instant`: one comes there, and carom_sampling_before will be called with the state it meets.
bool carom_sampling_along(struct carom_hybrid *it, double theta_end, bool instant,
                          carom_error *error, carom_status *status);
/// The state that an instant meets; true when the observer wants to stop.
bool carom_sampling_before(struct carom_hybrid *it);
/// The state in which the run has ended, where an instant or the start ended it; once.
void carom_sampling_end(struct carom_hybrid *it);

#endif
