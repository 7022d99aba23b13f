// SPDX-License-Identifier: MIT
#include "analysis/watch_over.h"

#include "base/platform.h"

enum { THOUSAND = 1000 }; // pieces of a run that is watched

void carom_watch_tell(const carom_watcher *watcher, double began, long before, long done,
                      long total) {
  if (!watcher->progress) return;
  double spent = carom_clock() - began;
  double left = done > before ? spent * (double)(total - done) / (double)(done - before) : -1.0;
  watcher->progress(watcher->ctx, done, total, left);
}

carom_spread_options carom_watcher_spread(const carom_watcher *watcher, int threads) {
  return (carom_spread_options){.threads = threads,
                                .ctx = watcher->ctx,
                                .stopped = watcher->stopped,
                                .progress = watcher->progress};
}

/// A run that is watched.
typedef struct listener {
  const carom_watcher *watcher;
  double began, from, to; // on the clock; times of the run
} listener;

static bool wants_to_stop(const carom_watcher *watcher) {
  return watcher->stopped && watcher->stopped(watcher->ctx);
}

static int asks_watcher(void *ctx) { return wants_to_stop(ctx); }

void carom_watcher_heed(const carom_watcher *watcher, carom_simulation *simulation) {
  carom_simulation_heed(simulation, watcher->stopped ? asks_watcher : NULL, (void *)watcher);
}

static int at_event(void *ctx, const carom_event *event) {
  const listener *it = ctx;
  (void)event;
  return wants_to_stop(it->watcher);
}

static int at_sample(void *ctx, const carom_simulation *simulation, double t, int count,
                     const double *values) {
  const listener *it = ctx;
  (void)simulation, (void)count, (void)values;
  long done = (long)(THOUSAND * (t - it->from) / (it->to - it->from));
  carom_watch_tell(it->watcher, it->began, 0, done, THOUSAND);
  return wants_to_stop(it->watcher);
}

carom_status carom_watch_advance(const carom_watcher *watcher, carom_simulation *simulation,
                                 double t, carom_error *error) {
  listener it = {watcher, carom_clock(), carom_simulation_time(simulation), t};
  carom_observer observer = {.ctx = &it, .event = at_event, .sample = at_sample};
  if (watcher->stopped || watcher->progress) carom_simulation_observe(simulation, &observer);
  carom_status status = carom_simulation_advance(simulation, t, error);
  carom_simulation_observe(simulation, NULL);
  return status;
}
