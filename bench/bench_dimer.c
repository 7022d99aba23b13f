// SPDX-License-Identifier: MIT
// The bouncing dimer in drift mode (Ar = 3.9): what a cycle of the plate costs, whether that
// depends on how long the run is, and what an event of each kind costs: the CPU time, steps and
// evaluations of the call that runs from the event before to it.
#define _POSIX_C_SOURCE 200809L
#include "event_costs.h"

#include <math.h>

enum { REPEATS = 5 };
static const double FREQUENCY = 25.0; // of the plate in the scenario
static const double PROTOTYPE = 0.43; // ms a cycle: the program this one is to leave behind
static const double ALLOWED = 0.08;   // ms a cycle

static carom_simulation *start(carom_model **model) {
  static const carom_setting settings[] = {
      {"run.until", "1e9"}, {"run.sample", "1e9"}, {"run.rtol", "1e-10"}, {"measure.after", "1e8"}};
  return start_scenario("dimer", 4, settings, 50.0 / FREQUENCY, model);
}

static double best_run(carom_simulation *simulation, int cycles, carom_certificate *counts) {
  double best = INFINITY;
  for (int k = 0; k < REPEATS; k++)
    best = fmin(best, whole_run(simulation, cycles / FREQUENCY, counts));
  return best / cycles;
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
           (double)counts.counts.instants / n, (double)counts.counts.steps / n,
           (double)counts.counts.rejected / n, (double)counts.counts.evaluations / n);
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
