// SPDX-License-Identifier: MIT
// Periodic motions and exponents at many points, and how long computations tell how far they are.
#define _XOPEN_SOURCE 700
#include "hybrid/motion.h"

#include "base/platform.h"
#include "carom/bifurcation.h"
#include "carom/continuation.h"
#include "carom/survey.h"
#include "results.h"

#include <stdlib.h>
#include <unistd.h>

// every point is the single search with its values set
static void test_orbits(void **unused) {
  (void)unused;
  motion m = motion_load("ball_on_table", NULL);
  carom_survey_options options = carom_survey_options_default();
  carom_axis axes[2];
  carom_survey *survey = NULL;
  carom_survey_row row;
  carom_error error = {0};
  MUST(carom_axis_parse("Gamma=0.8,1.1", &axes[0], &error), error);
  MUST(carom_axis_parse("e=0.8,0.7", &axes[1], &error), error);
  options.model = m.model;
  options.orbit.turns = 1;
  options.axis_count = 2;
  options.axes = axes;
  options.threads = 2;
  MUST(carom_survey_run(&options, &survey, &error), error);
  assert_int_equal(carom_survey_count(survey), 4);
  MUST(carom_survey_read(survey, 2, &row, &error), error);
  assert_true(row.present && row.orbit && !row.exponents);
  CHECK_NEAR(row.at[0], 1.1, 0.0);
  CHECK_NEAR(row.at[1], 0.8, 0.0);
  assert_int_equal(row.orbit->kind, CAROM_ORBIT_UNSTABLE);
  carom_orbit_view single;
  carom_orbit_options search = carom_orbit_options_default();
  search.model = m.model;
  search.turns = 1;
  search.value_count = 2;
  search.values = (carom_value[]){{"Gamma", 1.1}, {"e", 0.8}};
  MUST(find_orbit(&search, &single, &error), error);
  assert_memory_equal(single.floquet.re, row.orbit->floquet.re,
                      (size_t)single.floquet.count * sizeof *single.floquet.re);
  assert_memory_equal(single.state, row.orbit->state, (size_t)single.size * sizeof *single.state);
  carom_survey_destroy(survey);
  for (int k = 0; k < 2; k++)
    carom_axis_destroy(&axes[k]);
  motion_end(&m);
}

// a name that is none is an error of the question; a point without a periodic motion is a row
static void test_failures(void **unused) {
  (void)unused;
  motion m = motion_parse("title: falls\nparameters: {k: 1}\ncoordinates: {x: 0.5}\n"
                          "energy: {kinetic: x'^2/2, potential: -k*x^2/2}\nrun: {until: 20}\n");
  carom_survey_options options = carom_survey_options_default();
  carom_axis axis;
  carom_survey *survey = NULL;
  carom_survey_row row;
  carom_error error = {0};
  options.model = m.model;
  options.axis_count = 1;
  options.axes = &axis;
  MUST(carom_axis_parse("kk=1", &axis, &error), error);
  assert_int_equal(carom_survey_run(&options, &survey, &error), CAROM_ERR_INPUT);
  carom_axis_destroy(&axis);
  MUST(carom_axis_parse("k=1,-1", &axis, &error), error);
  MUST(carom_survey_run(&options, &survey, &error), error);
  MUST(carom_survey_read(survey, 0, &row, &error), error);
  assert_true(row.present && row.status < 0 && !row.orbit && row.failure[0]);
  MUST(carom_survey_read(survey, 1, &row, &error), error);
  assert_non_null(row.orbit);
  CHECK_NEAR(row.orbit->period, 2.0 * PI, 1e-9);
  carom_survey_destroy(survey);
  carom_axis_destroy(&axis);
  motion_end(&m);
}

// --- progress with the time left

typedef struct told {
  long calls, last, total;
  double left; // the last that was known
} told;

static void note_progress(void *ctx, long done, long total, double left) {
  told *it = ctx;
  it->calls++;
  it->last = done;
  it->total = total;
  if (left >= 0.0) it->left = left;
}

static carom_watcher watcher_of(told *it) {
  *it = (told){.left = -1.0};
  return (carom_watcher){.ctx = it, .progress = note_progress};
}

static void check_told(const told *it) {
  assert_true(it->calls > 1);
  assert_true(it->last > 0 && it->last <= it->total);
  assert_true(it->left >= 0.0 && it->left < 100.0);
}

static void test_progress(void **unused) {
  (void)unused;
  told seen;
  carom_error error = {0};
  motion m = motion_load("ball_on_table", NULL);
  carom_lyapunov_view exponents;
  carom_lyapunov_options average = carom_lyapunov_options_default();
  average.model = m.model;
  average.time = 1.0;
  average.watcher = watcher_of(&seen);
  MUST(find_exponents(&average, &exponents, &error), error);
  check_told(&seen);

  carom_orbit_view orbit;
  carom_orbit_options search = carom_orbit_options_default();
  search.model = m.model;
  search.watcher = watcher_of(&seen);
  MUST(find_orbit(&search, &orbit, &error), error);
  check_told(&seen);

  carom_continuation *branches = NULL;
  carom_continuation_options follow = carom_continuation_options_default();
  follow.model = m.model;
  follow.parameter = "Gamma";
  follow.from = 0.8;
  follow.to = 1.0;
  follow.watcher = watcher_of(&seen);
  MUST(carom_continuation_run(&follow, &branches, &error), error);
  check_told(&seen);
  carom_continuation_destroy(branches);

  carom_bifurcation *diagram = NULL;
  carom_axis axis;
  carom_bifurcation_options carry = carom_bifurcation_options_default();
  MUST(carom_axis_parse("Gamma=0.8:0.9:4", &axis, &error), error);
  carry.model = m.model;
  carry.axis = &axis;
  carry.section = "table_top";
  carry.watcher = watcher_of(&seen);
  MUST(carom_bifurcation_run(&carry, &diagram, &error), error);
  check_told(&seen);
  carom_bifurcation_destroy(diagram);
  carom_axis_destroy(&axis);
  motion_end(&m);
}

// --- the time left after a resumption

/// When a computation began, as what it says of the time left tells: the same at every call.
typedef struct estimates {
  long calls, most, resumed; // calls so far, after which it is to stop; done before
  double first, last;        // the beginnings that the first call and the last one tell
  double began, ended;       // on the clock
} estimates;

static void note_estimate(void *ctx, long done, long total, double left) {
  estimates *it = ctx;
  double clock = carom_clock();
  if (it->calls++ == 0) it->began = clock;
  it->ended = clock;
  if (left < 0.0 || done == total) return;
  double spent = left * (double)(done - it->resumed) / (double)(total - done);
  if (it->first == 0.0) it->first = clock - spent;
  it->last = clock - spent;
}

static bool stop_after(void *ctx) {
  const estimates *it = ctx;
  return it->most > 0 && it->calls >= it->most;
}

static bool stop_at_ask(void *ctx) { return --*(long *)ctx <= 0; }

// what was done before does not count as done fast
static void test_time_left(void **unused) {
  (void)unused;
  char folder[] = "/tmp/carom-left-XXXXXX", file[64];
  assert_non_null(mkdtemp(folder));
  (void)snprintf(file, sizeof file, "%s/j", folder);
  carom_error error = {0};
  motion m = motion_load("duffing", NULL);
  carom_lyapunov_view r;
  carom_lyapunov_options average = carom_lyapunov_options_default();
  average.model = m.model;
  average.transient = 0.0;
  average.time = 640.0;
  average.interval = 0.1; // 320 in each of 20 stretches
  average.journal = file;
  estimates before = {.most = 210}, after = {.resumed = 3200};
  average.watcher =
      (carom_watcher){.ctx = &before, .stopped = stop_after, .progress = note_estimate};
  assert_int_equal(find_exponents(&average, &r, &error), CAROM_STOP_USER);
  average.resume = true;
  // an average of other values does not go on with it
  const carom_value other = {"drive", 0.31};
  average.value_count = 1;
  average.values = &other;
  average.watcher = (carom_watcher){0};
  assert_int_equal(find_exponents(&average, &r, &error), CAROM_ERR_INPUT);
  average.value_count = 0;
  average.watcher = (carom_watcher){.ctx = &after, .progress = note_estimate};
  MUST(find_exponents(&average, &r, &error), error);
  assert_int_equal(after.calls, 200);
  CHECK_NEAR(after.last, after.first, 0.1 * (after.ended - after.began));
  (void)remove(file);
  (void)rmdir(folder);
  motion_end(&m);
}

// An average that is stopped is worth something where it is the only one; of many points only those
// that are finished are there
static void test_stopped_average(void **unused) {
  (void)unused;
  motion m = motion_load("duffing", NULL);
  carom_error error = {0};
  carom_axis axis;
  MUST(carom_axis_parse("drive=0.3,0.31", &axis, &error), error);
  for (int k = 0; k < 3; k++) {
    int axes = k == 2;
    long asks = k == 0 ? 1 : 1600; // at once, or on the way
    carom_survey_options options = carom_survey_options_default();
    carom_survey *survey = NULL;
    carom_survey_row row;
    options.kind = CAROM_SURVEY_EXPONENTS;
    options.model = m.model;
    options.axis_count = axes;
    options.axes = &axis;
    options.threads = 1;
    options.exponents.transient = 0.0;
    options.exponents.time = 640.0;
    options.exponents.interval = 0.1;
    options.watcher = (carom_watcher){.ctx = &asks, .stopped = stop_at_ask};
    assert_int_equal(carom_survey_run(&options, &survey, &error), CAROM_STOP_USER);
    MUST(carom_survey_read(survey, 0, &row, &error), error);
    assert_int_equal(row.present, k == 1);
    if (k == 1) CHECK(row.exponents->time > 0.0 && row.exponents->time < 640.0);
    carom_survey_destroy(survey);
  }
  carom_axis_destroy(&axis);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_orbits),          cmocka_unit_test(test_failures),
      cmocka_unit_test(test_progress),        cmocka_unit_test(test_time_left),
      cmocka_unit_test(test_stopped_average),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
