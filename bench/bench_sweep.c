// SPDX-License-Identifier: MIT
// Many runs: a sweep against a loop of single programs, two threads against one, and returns to a
// section per second: relief valve against a program written by hand for it, relief valve and
// frictional impact oscillator against SUNDIALS with root finding.
// usage: bench_sweep [CAROM]   (the program; without it the first part is left out)
#define _POSIX_C_SOURCE 200809L
#include "cvode_oscillator.h"
#include "hand_valve.h"

#include "carom/bifurcation.h"

#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <time.h>

#define OSCILLATOR CAROM_SOURCE_DIR "/scenarios/frictional_impact_oscillator.yaml"
#define VALVE CAROM_SOURCE_DIR "/scenarios/relief_valve.yaml"
enum { POINTS = 24, SKIP = 200, KEEP = 32 };
enum { VALVES = 64, TRANSIENT = 1024, ROUNDS = 3 };

static double clock_of(clockid_t id) {
  struct timespec now = {0};
  (void)clock_gettime(id, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void check(carom_status status, const carom_error *error) {
  if (status >= 0) return;
  fprintf(stderr, "bench_sweep: %s\n", error->text);
  exit(1);
}

static carom_model *load(const char *file) {
  carom_error error = {0};
  carom_model *model = NULL;
  const carom_setting settings[] = {{"run.until", "20"}, {"measure.after", "10"}};
  bool oscillator = file[0] && strstr(file, "oscillator") != NULL;
  check(carom_model_load(file, oscillator ? 2 : 0, settings, &model, &error), &error);
  return model;
}

// ---- sweep against single programs ----

typedef struct times {
  double wall, cpu;
} times;

static times sweep_time(const carom_model *model, const char *over, int threads) {
  carom_error error = {0};
  carom_axis axis;
  carom_sweep *sweep = NULL;
  check(carom_axis_parse(over, &axis, &error), &error);
  carom_sweep_options options = carom_sweep_options_default();
  options.model = model;
  options.axes = &axis;
  options.axis_count = 1;
  options.threads = threads;
  double began = clock_of(CLOCK_MONOTONIC), work = clock_of(CLOCK_PROCESS_CPUTIME_ID);
  check(carom_sweep_run(&options, &sweep, &error), &error);
  times spent = {clock_of(CLOCK_MONOTONIC) - began, clock_of(CLOCK_PROCESS_CPUTIME_ID) - work};
  carom_sweep_close(sweep);
  carom_axis_destroy(&axis);
  return spent;
}

// the least of several rounds: what others do on the machine only adds
static void keep_least(times *least, times now) {
  least->wall = fmin(least->wall, now.wall);
  least->cpu = fmin(least->cpu, now.cpu);
}

static double program_time(const char *program) {
  double began = clock_of(CLOCK_MONOTONIC);
  for (int k = 0; k < POINTS; k++) {
    char command[1200];
    (void)snprintf(command, sizeof command,
                   "'%s' run %s --set mu=%.15g --set run.until=20 --set measure.after=10 --quiet",
                   program, OSCILLATOR, 0.3 + 0.4 * k / (POINTS - 1));
    // NOLINTNEXTLINE(cert-env33-c): the peer is the program itself, started as a user would
    if (system(command) != 0) return NAN;
  }
  return clock_of(CLOCK_MONOTONIC) - began;
}

static void bench_sweep(const char *program) {
  const char *few = "mu=0.3:0.7:24", *many = "mu=0.3:0.7:192";
  carom_model *model = load(OSCILLATOR);
  times all = {INFINITY, INFINITY}, one = all, two = all;
  for (int k = 0; k < ROUNDS; k++) {
    keep_least(&all, sweep_time(model, few, 1));
    keep_least(&one, sweep_time(model, many, 1));
    keep_least(&two, sweep_time(model, many, 2));
  }
  if (program) {
    double single = program_time(program);
    printf("oscillator, %d runs as one sweep     %8.3f s\n", POINTS, all.wall);
    printf("the same as %d single programs       %8.3f s  sweep %.2f times as fast\n", POINTS,
           single, single / all.wall);
  }
  printf("oscillator, 192 runs, one thread     %8.3f s  (%.3f s of processor)\n", one.wall,
         one.cpu);
  printf("the same on two threads              %8.3f s  efficiency %.2f (wall), %.2f (processor)\n",
         two.wall, one.wall / (2.0 * two.wall), one.cpu / two.cpu);
  carom_model_destroy(model);
}

// ---- returns to a section ----

// processor time of a fresh diagram on one thread
static double diagram_time(const carom_model *model, const carom_axis *axis, long skip) {
  carom_error error = {0};
  carom_bifurcation *diagram = NULL;
  carom_bifurcation_options options = carom_bifurcation_options_default();
  options.model = model;
  options.axis = axis;
  options.fresh = true;
  options.skip = skip;
  options.keep = KEEP;
  options.threads = 1;
  double began = clock_of(CLOCK_PROCESS_CPUTIME_ID);
  check(carom_bifurcation_run(&options, &diagram, &error), &error);
  double spent = clock_of(CLOCK_PROCESS_CPUTIME_ID) - began;
  carom_bifurcation_destroy(diagram);
  return spent;
}

static double carom_returns_per_second(const char *file, const char *over, int points) {
  carom_error error = {0};
  carom_model *model = NULL;
  check(carom_model_load(file, 0, NULL, &model, &error), &error);
  carom_axis axis;
  check(carom_axis_parse(over, &axis, &error), &error);
  double spent = diagram_time(model, &axis, SKIP);
  carom_axis_destroy(&axis);
  carom_model_destroy(model);
  return (double)points * (SKIP + KEEP) / spent;
}

// ---- valves against a program written by hand ----

static int count_top(void *ctx, const carom_event *event) {
  long *tops = ctx;
  return event->kind == CAROM_EVENT_SECTION && ++*tops == TRANSIENT + KEEP;
}

// valves that come to rest have fewer returns than are asked for
static long count_returns(const carom_model *model, const carom_axis *axis) {
  carom_error error = {0};
  carom_simulation *simulation = NULL;
  long all = 0;
  check(carom_simulation_create(model, &simulation, &error), &error);
  for (int k = 0; k < axis->count; k++) {
    long tops = 0;
    carom_observer observer = {.ctx = &tops, .event = count_top};
    check(carom_simulation_set(simulation, axis->name, axis->values[k], &error), &error);
    carom_simulation_observe(simulation, &observer);
    check(carom_simulation_run(simulation, &error), &error);
    all += tops;
  }
  carom_simulation_destroy(simulation);
  return all;
}

static double one_by_one_time(const carom_model *model, const carom_axis *axis) {
  double spent = 0.0;
  for (int k = 0; k < axis->count; k++) {
    const carom_axis one = {.name = axis->name, .count = 1, .values = axis->values + k};
    spent += diagram_time(model, &one, TRANSIENT);
  }
  return spent;
}

static double by_hand_time(const carom_axis *axis, hand_valve *valve) {
  double lifts[KEEP], began = clock_of(CLOCK_PROCESS_CPUTIME_ID);
  *valve = (hand_valve){.tolerance = 1e-10};
  for (int k = 0; k < axis->count; k++)
    (void)hand_valve_run(valve, axis->values[k], TRANSIENT + KEEP, KEEP, lifts);
  return clock_of(CLOCK_PROCESS_CPUTIME_ID) - began;
}

// in turns, since others may use the machine; the best of each
static void bench_valves(void) {
  carom_error error = {0};
  carom_model *model = load(VALVE);
  carom_axis axis;
  hand_valve valve;
  double lanes = INFINITY, single = INFINITY, hand = INFINITY;
  check(carom_axis_parse("q=0.2:10:64", &axis, &error), &error);
  long returns = count_returns(model, &axis);
  for (int k = 0; k < ROUNDS; k++) {
    lanes = fmin(lanes, diagram_time(model, &axis, TRANSIENT));
    single = fmin(single, one_by_one_time(model, &axis));
    hand = fmin(hand, by_hand_time(&axis, &valve));
  }
  double rate = (double)valve.returns / hand, side_by_side = (double)returns / lanes;
  printf("%d valves, q = 0.2 to 10, %d returns each, one core, tolerance 1e-10\n", VALVES,
         TRANSIENT + KEEP);
  printf("  written by hand, Dormand-Prince    %7.0f returns per second\n", rate);
  printf("  Carom, one by one                  %7.0f, ratio %.2f\n", (double)returns / single,
         (double)returns / single / rate);
  printf("  Carom, side by side                %7.0f, ratio %.2f\n", side_by_side,
         side_by_side / rate);
  carom_axis_destroy(&axis);
  carom_model_destroy(model);
}

static int valve_rates(realtype t, N_Vector y, N_Vector rate, void *ctx) {
  double q = *(const double *)ctx, *a = N_VGetArrayPointer(y), *f = N_VGetArrayPointer(rate);
  (void)t;
  f[0] = a[1];
  f[1] = -1.25 * a[1] - (a[0] + 10.0) + a[2];
  f[2] = 20.0 * (q - a[0] * sqrt(fmax(a[2], 0.0)));
  return 0;
}

static int valve_events(realtype t, N_Vector y, realtype *g, void *ctx) {
  (void)t;
  (void)ctx;
  g[0] = N_VGetArrayPointer(y)[0];
  g[1] = N_VGetArrayPointer(y)[1];
  return 0;
}

// returns of one valve, BDF or Adams with a dense solver
static long cvode_returns(SUNContext context, int method, double q, long wanted) {
  N_Vector y = N_VNew_Serial(3, context);
  double *a = N_VGetArrayPointer(y);
  a[0] = 0.2, a[1] = 0.0, a[2] = 0.0;
  SUNMatrix matrix = SUNDenseMatrix(3, 3, context);
  SUNLinearSolver solver = SUNLinSol_Dense(y, matrix, context);
  void *cvode = CVodeCreate(method, context);
  (void)CVodeInit(cvode, valve_rates, 0.0, y);
  (void)CVodeSStolerances(cvode, 1e-10, 1e-10);
  (void)CVodeSetUserData(cvode, &q);
  (void)CVodeSetLinearSolver(cvode, solver, matrix);
  (void)CVodeRootInit(cvode, 2, valve_events);
  (void)CVodeSetMaxNumSteps(cvode, 1000000);
  const int directions[] = {-1, -1};
  (void)CVodeSetRootDirection(cvode, (int *)directions);
  long returns = 0;
  double t = 0.0;
  while (returns < wanted && t < 1e5) {
    int found[2], flag = CVode(cvode, 1e6, y, &t, CV_NORMAL);
    if (flag != CV_ROOT_RETURN) break;
    (void)CVodeGetRootInfo(cvode, found);
    if (found[1]) returns++;
    if (found[0]) {
      a[0] = 0.0;
      a[1] = -0.8 * a[1];
      (void)CVodeReInit(cvode, t, y);
    }
  }
  CVodeFree(&cvode);
  (void)SUNLinSolFree(solver);
  SUNMatDestroy(matrix);
  N_VDestroy(y);
  return returns;
}

static long cvode_valves(SUNContext context, int method) {
  long returns = 0;
  for (int k = 1; k <= 7; k++)
    returns += cvode_returns(context, method, k, SKIP + KEEP);
  return returns;
}

static long cvode_wiper(SUNContext context, int method) {
  return wiper_run(context, method, 1e-10, SKIP + KEEP).turns;
}

// the faster of the two methods
static double cvode_returns_per_second(long (*run)(SUNContext, int)) {
  const int methods[] = {CV_BDF, CV_ADAMS};
  double best = 0.0;
  SUNContext context;
  if (SUNContext_Create(NULL, &context) != 0) return NAN;
  for (int k = 0; k < 2; k++) {
    double began = clock_of(CLOCK_PROCESS_CPUTIME_ID);
    long returns = run(context, methods[k]);
    best = fmax(best, (double)returns / (clock_of(CLOCK_PROCESS_CPUTIME_ID) - began));
  }
  (void)SUNContext_Free(&context);
  return best;
}

static void compare(const char *name, double ours, double theirs) {
  printf("%-38s %6.0f returns per second and core, tolerance 1e-10\n", name, ours);
  printf("%-38s %6.0f, ratio %.1f\n", "  CVODE with root finding, faster method", theirs,
         ours / theirs);
}

int main(int count, char **words) {
  bench_sweep(count > 1 ? words[1] : NULL);
  bench_valves();
  compare("relief valve", carom_returns_per_second(VALVE, "q=1:7:7", 7),
          cvode_returns_per_second(cvode_valves));
  compare("frictional impact oscillator", carom_returns_per_second(OSCILLATOR, "mu=0.5", 1),
          cvode_returns_per_second(cvode_wiper));
  return 0;
}
