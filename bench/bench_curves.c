// SPDX-License-Identifier: MIT
// What a point of a curve in two parameters costs beside a point of a branch: CPU time, turns, and
// their ratio, which may be 3; beside it, where it is installed, AUTO-07p with 50 mesh intervals on
// the smooth system, in the same run. AUTO's times are those of its own program, start-up included.
#define _POSIX_C_SOURCE 200809L
#include "carom/atlas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REPEATS = 3, MOST_SETTINGS = 6 };

typedef struct task {
  const char *name, *scenario;
  carom_setting settings[MOST_SETTINGS];
  const char *parameter;
  double from, to;
  const char *also;
  double low, high;
} task;

// the first is the system of bench/auto
static const task TASKS[] = {
    {"Duffing oscillator, folds",
     "duffing",
     {{"energy.potential", "x^2/2 + x^4/4"},
      {"damping", "0.2"},
      {"drive", "0.3"},
      {"omega", "2"},
      {"x", "0"}},
     "omega",
     2.0,
     1.0,
     "drive",
     0.1,
     1.0},
    {"ball on a table, flip", "ball_on_table", {{NULL, NULL}}, "Gamma", 0.7, 1.3, "e", 0.5, 0.95},
    {"ball on a table, fold", "ball_on_table", {{NULL, NULL}}, "Gamma", 0.7, 0.2, "e", 0.5, 0.95},
};

/// Points, turns and seconds.
typedef struct cost {
  long points, turns;
  double seconds;
} cost;

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void leave_with(const char *name, const carom_error *error) {
  fprintf(stderr, "%s: %s\n", name, error->text);
  exit(1);
}

static carom_model *load(const task *it) {
  char path[500];
  int count = 0;
  carom_error error = {0};
  carom_model *model = NULL;
  while (count < MOST_SETTINGS && it->settings[count].path)
    count++;
  (void)snprintf(path, sizeof path, "%s/scenarios/%s.yaml", CAROM_SOURCE_DIR, it->scenario);
  if (carom_model_load(path, count, it->settings, &model, &error) != CAROM_OK)
    leave_with(it->name, &error);
  return model;
}

// the branch alone
static cost follow_branch(const task *it, const carom_atlas_options *options) {
  carom_continuation *result = NULL;
  carom_error error = {0};
  double began = cpu_seconds();
  if (carom_continuation_run(&options->branch, &result, &error) != CAROM_OK)
    leave_with(it->name, &error);
  cost found = {carom_continuation_points(result), carom_continuation_turns(result),
                cpu_seconds() - began};
  carom_continuation_destroy(result);
  return found;
}

// its curves, without the branch, which was measured
static cost follow_curves(const task *it, const carom_atlas_options *options, double branch) {
  carom_atlas *atlas = NULL;
  carom_error error = {0};
  double began = cpu_seconds();
  if (carom_atlas_run(options, &atlas, &error) != CAROM_OK) leave_with(it->name, &error);
  cost found = {carom_atlas_points(atlas), carom_atlas_turns(atlas),
                cpu_seconds() - began - branch};
  carom_atlas_destroy(atlas);
  return found;
}

static void print_line(const char *name, const cost *branch, const cost *curves) {
  double one = branch->seconds / (double)branch->points,
         other = curves->seconds / (double)curves->points;
  printf("%-30s %6ld %8.3f %6.1f %6ld %8.3f %6.1f %7.1f\n", name, branch->points, 1e3 * one,
         (double)branch->turns / (double)branch->points, curves->points, 1e3 * other,
         (double)curves->turns / (double)curves->points, other / one);
}

static void measure_auto(void) {
  char line[400];
  FILE *pipe =
      popen("command -v auto-07p >/dev/null || exit 0; d=$(mktemp -d) && cp " CAROM_SOURCE_DIR
            "/bench/auto/* \"$d\" && cd \"$d\" && auto-07p duffing.auto 2>/dev/null | "
            "grep '^bench'; rm -rf \"$d\"",
            "r");
  if (!pipe) return;
  if (fgets(line, sizeof line, pipe)) {
    cost branch = {0}, curve = {0};
    double folds[2];
    if (sscanf(line, "bench %ld %lf %ld %lf %lf %lf", &branch.points, &branch.seconds,
               &curve.points, &curve.seconds, &folds[0], &folds[1]) == 6) {
      print_line("AUTO-07p, the first of these", &branch, &curve);
      printf("its folds: %.10f, %.10f\n", folds[0], folds[1]);
    }
  } else {
    printf("AUTO-07p is not installed: nothing stands beside these\n");
  }
  (void)pclose(pipe);
}

int main(void) {
  printf("%-30s %6s %8s %6s %6s %8s %6s %7s\n", "curve", "branch", "ms", "turns", "curve", "ms",
         "turns", "ratio");
  for (size_t k = 0; k < sizeof TASKS / sizeof *TASKS; k++) {
    const task *it = &TASKS[k];
    carom_model *model = load(it);
    carom_atlas_options options = carom_atlas_options_default();
    options.branch.model = model;
    options.branch.parameter = it->parameter;
    options.branch.from = it->from;
    options.branch.to = it->to;
    options.also = it->also;
    options.low = it->low;
    options.high = it->high;
    cost branch = {.seconds = INFINITY}, curves = {.seconds = INFINITY};
    for (int r = 0; r < REPEATS; r++) {
      cost one = follow_branch(it, &options);
      if (one.seconds < branch.seconds) branch = one;
      cost other = follow_curves(it, &options, one.seconds);
      if (other.seconds < curves.seconds) curves = other;
    }
    print_line(it->name, &branch, &curves);
    carom_model_destroy(model);
  }
  measure_auto();
  return 0;
}
