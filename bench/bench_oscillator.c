// SPDX-License-Identifier: MIT
// The frictional impact oscillator at mu = 0.5: what a period costs, and what an event of each kind
// costs: the CPU time, steps and evaluations of the call that runs from the event before to it.
#define _POSIX_C_SOURCE 200809L
#include "carom/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { KINDS = CAROM_EVENT_NON_UNIQUE + 1, PERIODS = 2000, REPEATS = 5 };

typedef struct cost {
  double seconds;
  long count, steps, evaluations;
} cost;

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(carom_status status, const carom_error *error) {
  if (status >= 0) return;
  fprintf(stderr, "%s\n", error->text);
  exit(1);
}

static int note_kind(void *ctx, const carom_event *event) {
  *(carom_event_kind *)ctx = event->kind; // of several at one instant the last: what comes of it
  return 0;
}

static carom_simulation *start(carom_model **model) {
  static const carom_setting settings[] = {
      {"mu", "0.5"}, {"run.until", "1e9"}, {"run.sample", "1e9"}, {"measure.after", "1e8"}};
  carom_simulation *simulation;
  carom_error error = {0};
  const char *path = CAROM_SOURCE_DIR "/scenarios/frictional_impact_oscillator.yaml";
  must(carom_model_load(path, 4, settings, model, &error), &error);
  must(carom_simulation_create(*model, &simulation, &error), &error);
  must(carom_simulation_advance(simulation, 50.0, &error), &error); // onto the cycle
  return simulation;
}

// one pass over many periods in one call: seconds, and the certificate's counts
static double whole_run(carom_simulation *simulation, double period, carom_certificate *counts) {
  carom_error error = {0};
  carom_certificate before, after;
  must(carom_simulation_certificate(simulation, &before, &error), &error);
  double t = carom_simulation_time(simulation), began = cpu_seconds();
  must(carom_simulation_advance(simulation, t + PERIODS * period, &error), &error);
  double seconds = cpu_seconds() - began;
  must(carom_simulation_certificate(simulation, &after, &error), &error);
  *counts = after;
  counts->steps -= before.steps;
  counts->evaluations -= before.evaluations;
  counts->instants -= before.instants;
  counts->rejected -= before.rejected;
  return seconds;
}

// from event to event, sorted by what happened
static void by_kind(carom_simulation *simulation, long instants, cost costs[KINDS]) {
  carom_event_kind kind = CAROM_EVENT_USER;
  carom_observer observer = {.ctx = &kind, .event = note_kind};
  carom_error error = {0};
  carom_certificate before, after;
  carom_simulation_observe(simulation, &observer);
  must(carom_simulation_certificate(simulation, &before, &error), &error);
  for (long k = 0; k < instants; k++) {
    double t = carom_simulation_time(simulation), began = cpu_seconds();
    must(carom_simulation_next(simulation, t + 100.0, &error), &error);
    double seconds = cpu_seconds() - began;
    must(carom_simulation_certificate(simulation, &after, &error), &error);
    cost *c = &costs[kind];
    c->count++;
    c->seconds += seconds;
    c->steps += after.steps - before.steps;
    c->evaluations += after.evaluations - before.evaluations;
    before = after;
  }
  carom_simulation_observe(simulation, NULL);
}

// the mean time between crossings of the scenario's section
static double measure_period(carom_simulation *simulation) {
  carom_event_kind kind;
  carom_observer observer = {.ctx = &kind, .event = note_kind};
  carom_error error = {0};
  double first = NAN, last = NAN;
  int crossings = -1;
  carom_simulation_observe(simulation, &observer);
  while (crossings < 100) {
    must(carom_simulation_next(simulation, carom_simulation_time(simulation) + 100.0, &error),
         &error);
    if (kind != CAROM_EVENT_SECTION) continue;
    last = carom_simulation_time(simulation);
    if (++crossings == 0) first = last;
  }
  carom_simulation_observe(simulation, NULL);
  return (last - first) / crossings;
}

int main(void) {
  carom_model *model;
  carom_simulation *simulation = start(&model);
  double period = measure_period(simulation), best = INFINITY;
  carom_certificate counts = {0};
  for (int k = 0; k < REPEATS; k++)
    best = fmin(best, whole_run(simulation, period, &counts));
  double steps = (double)counts.steps, evaluations = (double)counts.evaluations;
  printf("period %.9f, %.2f events, %.2f steps (%.2f refused), %.1f evaluations per period\n",
         period, (double)counts.instants / PERIODS, steps / PERIODS,
         (double)counts.rejected / PERIODS, evaluations / PERIODS);
  printf("%.2f us per period, %.0f ns per step, %.0f ns per evaluation, all included; %.1f "
         "evaluations per step\n",
         1e6 * best / PERIODS, 1e9 * best / steps, 1e9 * best / evaluations, evaluations / steps);

  cost costs[KINDS] = {0};
  by_kind(simulation, 10000, costs);
  printf("\n%-12s %8s %12s %10s %12s   (from the event before, by single calls)\n", "event",
         "count", "us", "steps", "evaluations");
  for (int k = 0; k < KINDS; k++) {
    const cost *c = &costs[k];
    double n = (double)c->count;
    if (c->count > 0)
      printf("%-12s %8ld %12.2f %10.2f %12.1f\n", carom_event_kind_text((carom_event_kind)k),
             c->count, 1e6 * c->seconds / n, (double)c->steps / n, (double)c->evaluations / n);
  }
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
  return 0;
}
