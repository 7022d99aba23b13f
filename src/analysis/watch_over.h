// SPDX-License-Identifier: MIT
/// What long computations share: telling how far they are, hearing that they are to stop.
#ifndef CAROM_ANALYSIS_WATCH_OVER_H
#define CAROM_ANALYSIS_WATCH_OVER_H

#include "carom/sweep.h"
#include "spread/spread.h"

/// Tells that `done` of `total` equal pieces are done, of which the first `before` were there when
/// the computation began, at time `began` of carom_clock.
void carom_watch_tell(const carom_watcher *watcher, double began, long before, long done,
                      long total);

/// How work is spread whose progress is watched; the parts are the caller's to add.
carom_spread_options carom_watcher_spread(const carom_watcher *watcher, int threads);

/// Lets a simulation ask the watcher, who outlives it, at every step whether it is to stop. Only
/// for computations that keep nothing of an advance that ended with CAROM_STOP_USER.
void carom_watcher_heed(const carom_watcher *watcher, carom_simulation *simulation);

/// Advances to time t, telling at samples how far it is and, when the watcher wants to stop, ending
/// with CAROM_STOP_USER (asked at events and samples). Nobody observes the simulation afterwards.
carom_status carom_watch_advance(const carom_watcher *watcher, carom_simulation *simulation,
                                 double t, carom_error *error);

#endif
