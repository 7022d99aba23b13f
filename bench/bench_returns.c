// SPDX-License-Identifier: MIT
// Returns to a section per second and core, exact events, beside CVODE with root finding: the
// relief valve and the frictional impact oscillator. The programs take turns and the best round of
// each counts, in processor time, for what else a machine does only adds. Errors are those of the
// first returns against a run at 1e-13. CVODE is measured at the tolerance of Carom, and at the one
// where it is no less exact.
#define _POSIX_C_SOURCE 200809L
#include "cvode_oscillator.h"
#include "cvode_valve.h"

#include "carom/bifurcation.h"

#include <cvode/cvode.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SKIP = 200, KEEP = 32, RETURNS = SKIP + KEEP, ROUNDS = 7, MOST_VALUES = 8, SEEN = 16 };
static const char *const FINEST = "1e-13";

static double cpu_seconds(void) {
  struct timespec now = {0};
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void must(carom_status status, const carom_error *error) {
  if (status >= 0) return;
  fprintf(stderr, "bench_returns: %s\n", error->text);
  exit(1);
}

/// One system on both sides.
typedef struct contest {
  const char *title, *file, *over;
  int states;
  long (*cvode)(SUNContext context, cvode_way way, double value, double tolerance, long wanted,
                double *points);
  int compared; // how many returns: chaos parts motions later
} contest;

/// States at the first returns, for every value.
typedef struct section_points {
  double at[MOST_VALUES][SEEN * LOOP_STATES];
} section_points;

// ---- Carom ----

// observables are not followed: CVODE has none
static carom_model *load(const contest *it, const char *tolerance) {
  const carom_setting settings[] = {{"run.until", "1e5"},
                                    {"measure.after", "9e4"},
                                    {"run.rtol", tolerance},
                                    {"run.atol", tolerance}};
  carom_error error = {0};
  carom_model *model = NULL;
  must(carom_model_load(it->file, 4, settings, &model, &error), &error);
  return model;
}

static double diagram_time(const carom_model *model, const carom_axis *axis) {
  carom_error error = {0};
  carom_bifurcation *diagram = NULL;
  carom_bifurcation_options options = carom_bifurcation_options_default();
  options.model = model;
  options.axis = axis;
  options.fresh = true;
  options.skip = SKIP;
  options.keep = KEEP;
  options.threads = 1;
  double began = cpu_seconds();
  must(carom_bifurcation_run(&options, &diagram, &error), &error);
  double spent = cpu_seconds() - began;
  carom_bifurcation_destroy(diagram);
  return spent;
}

static double one_by_one_time(const carom_model *model, const carom_axis *axis) {
  double spent = 0.0;
  for (int k = 0; k < axis->count; k++)
    spent += diagram_time(
        model, &(carom_axis){.name = axis->name, .count = 1, .values = axis->values + k});
  return spent;
}

typedef struct recording {
  double *to;
  int size, left;
} recording;

static int note_return(void *ctx, const carom_event *event) {
  recording *it = ctx;
  if (event->kind != CAROM_EVENT_SECTION) return 0;
  memcpy(it->to, event->after, (size_t)it->size * sizeof *it->to);
  it->to += it->size;
  return --it->left == 0;
}

static void carom_points(const contest *it, const carom_axis *axis, const char *tolerance,
                         section_points *points) {
  carom_error error = {0};
  carom_model *model = load(it, tolerance);
  carom_simulation *simulation = NULL;
  must(carom_simulation_create(model, &simulation, &error), &error);
  for (int k = 0; k < axis->count; k++) {
    recording seen = {points->at[k], it->states, it->compared};
    must(carom_simulation_set(simulation, axis->name, axis->values[k], &error), &error);
    carom_simulation_observe(simulation, &(carom_observer){.ctx = &seen, .event = note_return});
    must(carom_simulation_run(simulation, &error), &error);
  }
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

// ---- CVODE ----

static long cvode_valve(SUNContext context, cvode_way way, double value, double tolerance,
                        long wanted, double *points) {
  cvode_system system = valve_system(&value);
  return cvode_loop(context, &system, way, tolerance, wanted, points);
}

static long cvode_oscillator(SUNContext context, cvode_way way, double value, double tolerance,
                             long wanted, double *points) {
  wiper w;
  cvode_system system = wiper_system(&w, value);
  return cvode_loop(context, &system, way, tolerance, wanted, points);
}

static void cvode_points(const contest *it, SUNContext context, const carom_axis *axis,
                         cvode_way way, double tolerance, section_points *points) {
  for (int k = 0; k < axis->count; k++)
    (void)it->cvode(context, way, axis->values[k], tolerance, it->compared, points->at[k]);
}

static double cvode_time(const contest *it, SUNContext context, const carom_axis *axis,
                         cvode_way way, double tolerance) {
  double began = cpu_seconds();
  long returns = 0;
  for (int k = 0; k < axis->count; k++)
    returns += it->cvode(context, way, axis->values[k], tolerance, RETURNS, NULL);
  return returns == (long)axis->count * RETURNS ? cpu_seconds() - began : INFINITY;
}

// ---- the two side by side ----

// the largest difference of the compared returns
static double difference(const contest *it, int values, const section_points *a,
                         const section_points *b) {
  double most = 0.0;
  for (int k = 0; k < values; k++)
    for (int j = 0; j < it->compared * it->states; j++)
      most = fmax(most, fabs(a->at[k][j] - b->at[k][j]) / (1.0 + fabs(b->at[k][j])));
  return most;
}

/// What CVODE is asked for: a tolerance for each of its ways, and what comes of them.
typedef struct wish {
  const char *when;
  double tolerance[LOOP_WAYS], error[LOOP_WAYS];
  double best[LOOP_WAYS]; // of the rounds, seconds
} wish;

static int fastest(const wish *w) {
  int way = 0;
  for (int k = 1; k < LOOP_WAYS; k++)
    if (w->best[k] < w->best[way]) way = k;
  return way;
}

static void try_cvode(const contest *it, SUNContext context, const carom_axis *axis, int round,
                      wish *w) {
  for (int way = 0; way < LOOP_WAYS; way++) {
    // a way that is far behind need not be tried again
    if (round > 0 && w->best[way] > 1.2 * w->best[fastest(w)]) continue;
    double spent = cvode_time(it, context, axis, (cvode_way)way, w->tolerance[way]);
    w->best[way] = round == 0 ? spent : fmin(w->best[way], spent);
  }
}

static void print_cvode(const wish *w, double returns, double together, double alone) {
  int way = fastest(w);
  printf("  CVODE, %s: %s\n", w->when, LOOP_WAY_NAMES[way]);
  printf(
      "    tolerance %.0e, error %.1e       %8.0f returns/s, Carom is faster by %.1f (one by one "
      "%.1f)\n",
      w->tolerance[way], w->error[way], returns / w->best[way], w->best[way] / together,
      w->best[way] / alone);
}

// the widest tolerance at which CVODE is no less exact than Carom, or the finest there is
static double as_exact(const contest *it, SUNContext context, const carom_axis *axis, cvode_way way,
                       double wanted, const section_points *truth, double *error) {
  section_points points;
  for (int halvings = 0;; halvings += 2) {
    double tolerance = ldexp(1e-10, -halvings);
    cvode_points(it, context, axis, way, tolerance, &points);
    *error = difference(it, axis->count, &points, truth);
    if (*error <= wanted || tolerance < 1e-13) return tolerance;
  }
}

static void run(const contest *it, SUNContext context) {
  static section_points truth, points;
  carom_error failure = {0};
  carom_axis axis;
  must(carom_axis_parse(it->over, &axis, &failure), &failure);
  carom_model *model = load(it, "1e-10");
  wish same = {.when = "the same tolerance"},
       fine = {.when = "no less exact, or as far as it goes"};
  double together = INFINITY, alone = INFINITY, returns = (double)axis.count * RETURNS;
  carom_points(it, &axis, FINEST, &truth);
  carom_points(it, &axis, "1e-10", &points);
  double error = difference(it, axis.count, &points, &truth);
  cvode_points(it, context, &axis, LOOP_ADAMS, 1e-13, &points);
  double check = difference(it, axis.count, &points, &truth);
  for (int k = 0; k < LOOP_WAYS; k++) {
    cvode_way way = (cvode_way)k;
    same.tolerance[k] = 1e-10;
    cvode_points(it, context, &axis, way, same.tolerance[k], &points);
    same.error[k] = difference(it, axis.count, &points, &truth);
    fine.tolerance[k] = as_exact(it, context, &axis, way, error, &truth, &fine.error[k]);
  }
  for (int round = 0; round < ROUNDS; round++) {
    together = fmin(together, diagram_time(model, &axis));
    try_cvode(it, context, &axis, round, &same);
    alone = fmin(alone, one_by_one_time(model, &axis));
    try_cvode(it, context, &axis, round, &fine);
  }
  printf("%s, %s: %d returns each, one core, best of %d rounds\n", it->title, it->over, RETURNS,
         ROUNDS);
  printf(
      "  errors of the first %d returns against Carom at %s; CVODE at 1e-13 differs from that by "
      "%.1e\n",
      it->compared, FINEST, check);
  printf("  Carom, tolerance 1e-10, error %.1e %8.0f returns/s side by side, %.0f one by one\n",
         error, returns / together, returns / alone);
  print_cvode(&same, returns, together, alone);
  print_cvode(&fine, returns, together, alone);
  carom_axis_destroy(&axis);
  carom_model_destroy(model);
}

int main(void) {
  static const contest CONTESTS[] = {
      {"relief valve", CAROM_SOURCE_DIR "/scenarios/relief_valve.yaml", "q=1:7:7", 3, cvode_valve,
       6},
      {"frictional impact oscillator",
       CAROM_SOURCE_DIR "/scenarios/frictional_impact_oscillator.yaml", "mu=0.46:0.6:8", 4,
       cvode_oscillator, SEEN}};
  SUNContext context;
  if (SUNContext_Create(NULL, &context) != 0) return 1;
  for (int k = 0; k < 2; k++)
    run(&CONTESTS[k], context);
  (void)SUNContext_Free(&context);
  return 0;
}
