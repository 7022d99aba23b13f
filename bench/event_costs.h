// SPDX-License-Identifier: MIT
/// What the benchmarks of whole motions share: CPU time, runs of a span of time with their counts,
/// and what an event of each kind costs: the CPU time, steps and evaluations of the call that runs
/// from the event before to it.
#ifndef CAROM_BENCH_EVENT_COSTS_H
#define CAROM_BENCH_EVENT_COSTS_H

#include "carom/simulation.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { KINDS = CAROM_EVENT_SLIDE + 1, DOUBLE_IMPACT = KINDS, ROWS };

typedef struct cost {
  double seconds;
  long count, steps, evaluations;
} cost;

static inline double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void must(carom_status status, const carom_error *error) {
  if (status >= 0) return;
  fprintf(stderr, "%s\n", error->text);
  exit(1);
}

/// A simulation of a scenario of the folder scenarios/ that has come onto its cycle by t =
/// `settled`.
static inline carom_simulation *start_scenario(const char *name, int count,
                                               const carom_setting *settings, double settled,
                                               carom_model **model) {
  carom_simulation *simulation;
  carom_error error = {0};
  char path[400];
  (void)snprintf(path, sizeof path, "%s/scenarios/%s.yaml", CAROM_SOURCE_DIR, name);
  must(carom_model_load(path, count, settings, model, &error), &error);
  must(carom_simulation_create(*model, &simulation, &error), &error);
  must(carom_simulation_advance(simulation, settled, &error), &error);
  return simulation;
}

/// A span of time in one call: seconds, and the certificate's counts.
static inline double whole_run(carom_simulation *simulation, double span,
                               carom_certificate *counts) {
  carom_error error = {0};
  carom_certificate before, after;
  must(carom_simulation_certificate(simulation, &before, &error), &error);
  double t = carom_simulation_time(simulation), began = cpu_seconds();
  must(carom_simulation_advance(simulation, t + span, &error), &error);
  double seconds = cpu_seconds() - began;
  must(carom_simulation_certificate(simulation, &after, &error), &error);
  *counts = after;
  counts->counts.steps -= before.counts.steps;
  counts->counts.evaluations -= before.counts.evaluations;
  counts->counts.instants -= before.counts.instants;
  counts->counts.rejected -= before.counts.rejected;
  return seconds;
}

/// Of several events at one instant the last: what comes of it; but two tips that strike are one
/// thing.
typedef struct seen {
  int row, impacts;
} seen;

static inline int note_kind(void *ctx, const carom_event *event) {
  seen *it = ctx;
  it->impacts += event->kind == CAROM_EVENT_IMPACT;
  it->row = it->impacts > 1 ? DOUBLE_IMPACT : (int)event->kind;
  return 0;
}

/// From event to event, sorted by what happened.
static inline void by_kind(carom_simulation *simulation, long instants, cost costs[ROWS]) {
  seen now = {0};
  carom_observer observer = {.ctx = &now, .event = note_kind};
  carom_error error = {0};
  carom_certificate before, after;
  carom_simulation_observe(simulation, &observer);
  must(carom_simulation_certificate(simulation, &before, &error), &error);
  for (long k = 0; k < instants; k++) {
    now = (seen){0};
    double t = carom_simulation_time(simulation), began = cpu_seconds();
    must(carom_simulation_next(simulation, t + 100.0, &error), &error);
    double seconds = cpu_seconds() - began;
    must(carom_simulation_certificate(simulation, &after, &error), &error);
    cost *c = &costs[now.row];
    c->count++;
    c->seconds += seconds;
    c->steps += after.counts.steps - before.counts.steps;
    c->evaluations += after.counts.evaluations - before.counts.evaluations;
    before = after;
  }
  carom_simulation_observe(simulation, NULL);
}

static inline void print_costs(const cost costs[ROWS]) {
  printf("\n%-14s %8s %10s %8s %12s   (from the event before, by single calls)\n", "event", "count",
         "us", "steps", "evaluations");
  for (int k = 0; k < ROWS; k++) {
    const cost *c = &costs[k];
    double n = (double)c->count;
    if (c->count > 0)
      printf("%-14s %8ld %10.2f %8.2f %12.1f\n",
             k == DOUBLE_IMPACT ? "double impact" : carom_event_kind_text((carom_event_kind)k),
             c->count, 1e6 * c->seconds / n, (double)c->steps / n, (double)c->evaluations / n);
  }
}

#endif
