// SPDX-License-Identifier: MIT
// The frictional impact oscillator at mu = 0.5: what a period costs, and what an event of each kind
// costs: the CPU time, steps and evaluations of the call that runs from the event before to it.
#define _POSIX_C_SOURCE 200809L
#include "event_costs.h"

#include <math.h>

enum { PERIODS = 2000, REPEATS = 5 };

static carom_simulation *start(carom_model **model) {
  static const carom_setting settings[] = {
      {"mu", "0.5"}, {"run.until", "1e9"}, {"run.sample", "1e9"}, {"measure.after", "1e8"}};
  return start_scenario("frictional_impact_oscillator", 4, settings, 50.0, model);
}

// the mean time between crossings of the scenario's section
static double measure_period(carom_simulation *simulation) {
  seen now = {0};
  carom_observer observer = {.ctx = &now, .event = note_kind};
  carom_error error = {0};
  double first = NAN, last = NAN;
  int crossings = -1;
  carom_simulation_observe(simulation, &observer);
  while (crossings < 100) {
    now = (seen){0};
    must(carom_simulation_next(simulation, carom_simulation_time(simulation) + 100.0, &error),
         &error);
    if (now.row != CAROM_EVENT_SECTION) continue;
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
    best = fmin(best, whole_run(simulation, PERIODS * period, &counts));
  double steps = (double)counts.counts.steps, evaluations = (double)counts.counts.evaluations;
  printf("period %.9f, %.2f events, %.2f steps (%.2f refused), %.1f evaluations per period\n",
         period, (double)counts.counts.instants / PERIODS, steps / PERIODS,
         (double)counts.counts.rejected / PERIODS, evaluations / PERIODS);
  printf("%.2f us per period, %.0f ns per step, %.0f ns per evaluation, all included; %.1f "
         "evaluations per step\n",
         1e6 * best / PERIODS, 1e9 * best / steps, 1e9 * best / evaluations, evaluations / steps);

  cost costs[ROWS] = {0};
  by_kind(simulation, 10000, costs);
  print_costs(costs);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
  return 0;
}
