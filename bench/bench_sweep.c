// SPDX-License-Identifier: MIT
// Many runs: a sweep against a loop of single programs, two threads against one and against two
// programs at once, and returns of the relief valve to its section per second beside a program
// written by hand for it. (bench_returns compares with SUNDIALS.)
// usage: bench_sweep [CAROM]   (the program; without it the first part is left out)
#define _POSIX_C_SOURCE 200809L
#include "hand_valve.h"

#include "carom/bifurcation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OSCILLATOR CAROM_SOURCE_DIR "/scenarios/frictional_impact_oscillator.yaml"
#define VALVE CAROM_SOURCE_DIR "/scenarios/relief_valve.yaml"
enum { POINTS = 24, KEEP = 32 };
enum { VALVES = 64, TRANSIENT = 1024, ROUNDS = 3, THREAD_ROUNDS = 7 };

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
  carom_sweep_destroy(sweep);
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

static void bench_programs(const char *program) {
  carom_model *model = load(OSCILLATOR);
  times all = {INFINITY, INFINITY};
  for (int k = 0; k < ROUNDS; k++)
    keep_least(&all, sweep_time(model, "mu=0.3:0.7:24", 1));
  double single = program_time(program);
  printf("oscillator, %d runs as one sweep     %8.3f s\n", POINTS, all.wall);
  printf("the same as %d single programs       %8.3f s  sweep %.2f times as fast\n", POINTS, single,
         single / all.wall);
  carom_model_destroy(model);
}

// ---- threads ----

// The same sweep in two processes at once, which share nothing: what two cores of this machine
// give.
static double two_programs_time(const carom_model *model, const char *over) {
  double began = clock_of(CLOCK_MONOTONIC);
  (void)fflush(stdout);
  for (int k = 0; k < 2; k++) {
    pid_t child = fork();
    if (child < 0) return NAN;
    if (child > 0) continue;
    (void)sweep_time(model, over, 1);
    _exit(0);
  }
  while (wait(NULL) > 0)
    ;
  return clock_of(CLOCK_MONOTONIC) - began;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// in turns; the best of each, and the middle one of the efficiencies of single rounds
static void bench_threads(void) {
  const char *over = "mu=0.3:0.7:384";
  carom_model *model = load(OSCILLATOR);
  times one = {INFINITY, INFINITY}, two = one;
  double both = INFINITY, efficiency[THREAD_ROUNDS];
  (void)sweep_time(model, over, 2); // warms up
  for (int k = 0; k < THREAD_ROUNDS; k++) {
    times alone = sweep_time(model, over, 1), shared = sweep_time(model, over, 2);
    keep_least(&one, alone);
    keep_least(&two, shared);
    both = fmin(both, two_programs_time(model, over));
    efficiency[k] = alone.wall / (2.0 * shared.wall);
  }
  qsort(efficiency, THREAD_ROUNDS, sizeof *efficiency, ascending);
  printf("oscillator, 384 runs, one thread     %8.3f s  (%.3f s of processor), best of %d\n",
         one.wall, one.cpu, THREAD_ROUNDS);
  printf(
      "the same on two threads              %8.3f s  efficiency %.2f (best), %.2f (middle), %.2f "
      "(processor)\n",
      two.wall, one.wall / (2.0 * two.wall), efficiency[THREAD_ROUNDS / 2], one.cpu / two.cpu);
  printf("the same in two programs at once     %8.3f s  the machine's own %.2f, of which threads "
         "have %.2f\n",
         both, one.wall / both, both / (2.0 * two.wall));
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

int main(int count, char **words) {
  if (count > 1) bench_programs(words[1]);
  bench_threads();
  (void)fflush(stdout);
  bench_valves();
  return 0;
}
