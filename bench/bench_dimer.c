// SPDX-License-Identifier: MIT
// The bouncing dimer in drift mode (Ar = 3.9): what a cycle of the plate costs, whether that
// depends on how long the run is, and what an event of each kind costs: the CPU time, steps and
// evaluations of the call that runs from the event before to it.
#define _POSIX_C_SOURCE 200809L
#include "carom/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KINDS = CAROM_EVENT_NON_UNIQUE + 1, REPEATS = 5, DOUBLE_IMPACT = KINDS, ROWS };
static const double FREQUENCY = 25.0; // of the plate in the scenario
static const double PROTOTYPE = 0.43; // ms a cycle: the program this one is to leave behind
static const double ALLOWED = 0.08;   // ms a cycle

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

// of several events at one instant the last: what comes of it; but two tips that strike are one
// thing
typedef struct seen {
  int row, impacts;
} seen;

static int note_kind(void *ctx, const carom_event *event) {
  seen *it = ctx;
  it->impacts += event->kind == CAROM_EVENT_IMPACT;
  it->row = it->impacts > 1 ? DOUBLE_IMPACT : (int)event->kind;
  return 0;
}

static carom_simulation *start(carom_model **model) {
  static const carom_setting settings[] = {
      {"run.until", "1e9"}, {"run.sample", "1e9"}, {"run.rtol", "1e-10"}, {"measure.after", "1e8"}};
  carom_simulation *simulation;
  carom_error error = {0};
  const char *path = CAROM_SOURCE_DIR "/scenarios/dimer.yaml";
  must(carom_model_load(path, 4, settings, model, &error), &error);
  must(carom_simulation_create(*model, &simulation, &error), &error);
  must(carom_simulation_advance(simulation, 50.0 / FREQUENCY, &error), &error); // onto the cycle
  return simulation;
}

// many cycles in one call: seconds, and the certificate's counts
static double whole_run(carom_simulation *simulation, int cycles, carom_certificate *counts) {
  carom_error error = {0};
  carom_certificate before, after;
  must(carom_simulation_certificate(simulation, &before, &error), &error);
  double t = carom_simulation_time(simulation), began = cpu_seconds();
  must(carom_simulation_advance(simulation, t + cycles / FREQUENCY, &error), &error);
  double seconds = cpu_seconds() - began;
  must(carom_simulation_certificate(simulation, &after, &error), &error);
  *counts = after;
  counts->steps -= before.steps;
  counts->evaluations -= before.evaluations;
  counts->instants -= before.instants;
  counts->rejected -= before.rejected;
  return seconds;
}

static double best_run(carom_simulation *simulation, int cycles, carom_certificate *counts) {
  double best = INFINITY;
  for (int k = 0; k < REPEATS; k++)
    best = fmin(best, whole_run(simulation, cycles, counts));
  return best / cycles;
}

// from event to event, sorted by what happened
static void by_kind(carom_simulation *simulation, long instants, cost costs[ROWS]) {
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
    c->steps += after.steps - before.steps;
    c->evaluations += after.evaluations - before.evaluations;
    before = after;
  }
  carom_simulation_observe(simulation, NULL);
}

static void print_costs(const cost costs[ROWS]) {
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

int main(void) {
  carom_model *model;
  carom_simulation *simulation = start(&model);
  carom_certificate counts = {0};
  const int lengths[] = {100, 1000, 4000};
  double cycle = INFINITY;
  printf("%8s %12s %10s %8s %10s %12s\n", "cycles", "ms a cycle", "instants", "steps", "refused",
         "evaluations");
  for (int k = 0; k < 3; k++) {
    double seconds = best_run(simulation, lengths[k], &counts), n = lengths[k];
    cycle = fmin(cycle, seconds);
    printf("%8d %12.4f %10.2f %8.2f %10.2f %12.1f\n", lengths[k], 1e3 * seconds,
           (double)counts.instants / n, (double)counts.steps / n, (double)counts.rejected / n,
           (double)counts.evaluations / n);
  }
  printf("%.1f times faster than the prototype's %.2f ms; allowed are %.2f ms: %.2f of it\n",
         PROTOTYPE / (1e3 * cycle), PROTOTYPE, ALLOWED, 1e3 * cycle / ALLOWED);
  cost costs[ROWS] = {0};
  by_kind(simulation, 10000, costs);
  print_costs(costs);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
  return 0;
}
