// SPDX-License-Identifier: MIT
// What a point of a branch of periodic motions costs, with impacts and without, including the
// location of special points: CPU time, whole turns, and the ratio to AUTO-07p on smooth systems of
// three or four states with 50 mesh intervals. AUTO's figures (2.4 ms a point for orbits of the
// Lorenz system, 5.5 ms for the forced Duffing oscillator) were measured once, on one quiet core of
// a machine like ours; they are not run again here.
#define _POSIX_C_SOURCE 200809L
#include "carom/continuation.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REPEATS = 3, MOST_SETTINGS = 6, MOST_POINTS = 2000 };
static const double AUTO_LORENZ = 2.4e-3, AUTO_DUFFING = 5.5e-3; // s per point

typedef struct task {
  const char *name, *scenario;
  carom_setting settings[MOST_SETTINGS];
  const char *parameter;
  double from, to;
  int switches, turns;
  double largest;
} task;

static const task TASKS[] = {
    {"ball on a table", "ball_on_table", {{"run.period", "1/f"}}, "Gamma", 0.5, 1.05, 0, 1, 0.01},
    {"the same with three flips",
     "ball_on_table",
     {{"run.period", "1/f"}},
     "Gamma",
     0.5,
     1.5,
     3,
     1,
     0.05},
    {"wiper: flight, impact, stick, slip",
     "frictional_impact_oscillator",
     {{"mu", "0.45"}},
     "mu",
     0.45,
     0.6,
     0,
     0,
     0.02},
    {"dimer: ten impacts a turn", "dimer", {{"run.period", "1/f"}}, "Gamma", 0.9, 0.91, 0, 1, 0.1},
    {"Duffing oscillator, no impacts",
     "duffing",
     {{"run.period", "period"}, {"drive", "0.2"}},
     "omega",
     1.0,
     1.6,
     0,
     1,
     0.02},
};

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static carom_model *load(const task *it) {
  char path[500];
  int count = 0;
  carom_error error = {0};
  carom_model *model = NULL;
  while (count < MOST_SETTINGS && it->settings[count].path)
    count++;
  (void)snprintf(path, sizeof path, "%s/scenarios/%s.yaml", CAROM_SOURCE_DIR, it->scenario);
  if (carom_model_load(path, count, it->settings, &model, &error) == CAROM_OK) return model;
  fprintf(stderr, "%s\n", error.text);
  exit(1);
}

// follows the branch for `most` points at most
static double follow(const task *it, const carom_model *model, int most, long *points,
                     long *turns) {
  carom_continuation_options options = carom_continuation_options_default();
  carom_continuation *result = NULL;
  carom_error error = {0};
  options.model = model;
  options.parameter = it->parameter;
  options.from = it->from;
  options.to = it->to;
  options.most = most;
  options.switches = it->switches;
  options.orbit.turns = it->turns;
  options.largest = it->largest;
  options.first = it->largest < options.first ? it->largest : options.first;
  double began = cpu_seconds();
  if (carom_continuation_run(&options, &result, &error) != CAROM_OK) {
    fprintf(stderr, "%s: %s\n", it->name, error.text);
    exit(1);
  }
  double seconds = cpu_seconds() - began;
  *points = carom_continuation_points(result);
  *turns = carom_continuation_turns(result);
  carom_continuation_destroy(result);
  return seconds;
}

int main(void) {
  printf("%-36s %7s %7s %10s %9s %9s\n", "branch", "points", "turns", "ms/point", "Lorenz/",
         "Duffing/");
  for (size_t k = 0; k < sizeof TASKS / sizeof *TASKS; k++) {
    const task *it = &TASKS[k];
    carom_model *model = load(it);
    double best = 1e300, start = 1e300;
    long points = 0, turns = 0, one, search;
    for (int r = 0; r < REPEATS; r++) {
      double all = follow(it, model, MOST_POINTS, &points, &turns);
      // the search for the first motion is not part of a point: a branch of that point alone
      double first = follow(it, model, 1, &one, &search);
      if (all < best) best = all;
      if (first < start) start = first;
    }
    double each = (best - start) / (double)(points - one);
    printf("%-36s %7ld %7ld %10.3f %9.2f %9.2f\n", it->name, points - one, turns - search,
           1e3 * each, AUTO_LORENZ / each, AUTO_DUFFING / each);
    carom_model_destroy(model);
  }
  return 0;
}
