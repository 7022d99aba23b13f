// SPDX-License-Identifier: MIT
// Sweeps: axes, points that equal single runs, threads, parts, paths, failures, stops.
#define _XOPEN_SOURCE 700
#include "axis_help.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OSCILLATOR CAROM_SOURCE_DIR "/scenarios/frictional_impact_oscillator.yaml"

static void axes_are_read(void **state) {
  (void)state;
  carom_axis axis = axis_of("mu=0.3:0.7:401");
  assert_string_equal(axis.name, "mu");
  assert_int_equal(axis.count, 401);
  CHECK_SAME(axis.values[0], 0.3);
  CHECK_SAME(axis.values[400], 0.7);
  CHECK_NEAR(axis.values[200], 0.5, 1e-16);
  carom_axis_destroy(&axis);
  axis = axis_of("k=1e6:1:7:log");
  CHECK_SAME(axis.values[6], 1.0);
  CHECK_RELATIVE(axis.values[2], 1e4, 1e-14);
  carom_axis_destroy(&axis);
  // both ends are met exactly, with more digits than the values between them have
  axis = axis_of("mu=0.12345678901234567:0.98765432109876543:5");
  CHECK_SAME(axis.values[0], 0.12345678901234567);
  CHECK_SAME(axis.values[4], 0.98765432109876543);
  carom_axis_destroy(&axis);
  axis = axis_of("x'=-1,2.5,3e-3");
  assert_string_equal(axis.name, "x'");
  assert_int_equal(axis.count, 3);
  CHECK_SAME(axis.values[2], 3e-3);
  carom_axis_destroy(&axis);
  const char *const bad[] = {"mu",           "=1:2:3",       "mu=",           "mu=1:2",
                             "mu=1:2:0",     "mu=1:2:x",     "mu=1:2:2.5",    "mu=1,,2",
                             "mu=1:2:3:lag", "mu=0:2:3:log", "mu=-1:2:3:log", "mu=nan",
                             "mu=1:inf:2",   "mu=1:2:3:4"};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    carom_error error = {0};
    assert_int_equal(carom_axis_parse(bad[k], &axis, &error), CAROM_ERR_INPUT);
    CHECK(error.text[0]);
    assert_null(axis.values);
  }
}

// rows of two sweeps are the same to the last bit
static void compare(carom_sweep *a, carom_sweep *b) {
  assert_int_equal(carom_sweep_count(a), carom_sweep_count(b));
  for (long k = 0; k < carom_sweep_count(a); k++) {
    carom_sweep_row x, y;
    assert_int_equal(carom_sweep_read(a, k, &x, NULL), CAROM_OK);
    assert_int_equal(carom_sweep_read(b, k, &y, NULL), CAROM_OK);
    CHECK(x.present && y.present);
    assert_memory_equal(x.values, y.values, (size_t)carom_sweep_observables(a) * sizeof(double));
    assert_memory_equal(x.at, y.at, (size_t)carom_sweep_axes(a) * sizeof(double));
    assert_string_equal(x.word, y.word);
    CHECK_SAME(x.residual, y.residual);
    assert_int_equal(x.steps, y.steps);
  }
}

static const carom_setting SHORT[] = {{"run.until", "12"}, {"measure.after", "6"}};

static carom_sweep *must_run(const carom_sweep_options *options) {
  carom_sweep *sweep = NULL;
  carom_error error = {0};
  carom_status status = carom_sweep_run(options, &sweep, &error);
  if (status != CAROM_OK) print_error("%s\n", error.text);
  assert_int_equal(status, CAROM_OK);
  return sweep;
}

static void points_equal_single_runs(void **state) {
  (void)state;
  carom_model *model = load("frictional_impact_oscillator", 2, SHORT);
  carom_axis axes[] = {axis_of("mu=0.3:0.7:5"), axis_of("e=0,0.3"), axis_of("phi=0.5,0.45")};
  carom_sweep_options options = carom_sweep_options_default();
  options.model = model;
  options.axes = axes;
  options.axis_count = 3;
  options.threads = 1;
  carom_sweep *one = must_run(&options);
  options.threads = 3;
  carom_sweep *three = must_run(&options);
  compare(one, three);
  assert_int_equal(carom_sweep_count(one), 20);
  assert_string_equal(carom_sweep_observable(one, 1), "hop");
  // the last axis varies fastest
  for (long k = 0; k < 20; k += 3) {
    char mu[40], e[40], phi[40];
    carom_sweep_row row;
    assert_int_equal(carom_sweep_read(one, k, &row, NULL), CAROM_OK);
    CHECK_SAME(row.at[0], axes[0].values[k / 4]);
    CHECK_SAME(row.at[1], axes[1].values[k / 2 % 2]);
    CHECK_SAME(row.at[2], axes[2].values[k % 2]);
    (void)snprintf(mu, sizeof mu, "%.17g", row.at[0]);
    (void)snprintf(e, sizeof e, "%.17g", row.at[1]);
    (void)snprintf(phi, sizeof phi, "%.17g", row.at[2]);
    carom_setting settings[] = {SHORT[0], SHORT[1], {"mu", mu}, {"e", e}, {"phi", phi}};
    carom_model *single = load("frictional_impact_oscillator", 5, settings);
    carom_simulation *simulation = NULL;
    assert_int_equal(carom_simulation_create(single, &simulation, NULL), CAROM_OK);
    assert_int_equal(carom_simulation_run(simulation, NULL), CAROM_OK);
    for (int j = 0; j < carom_sweep_observables(one); j++) {
      double value = 0;
      assert_int_equal(
          carom_simulation_get(simulation, carom_sweep_observable(one, j), &value, NULL), CAROM_OK);
      CHECK_SAME(row.values[j], value);
    }
    char word[200];
    assert_int_equal(carom_simulation_word(simulation, word, sizeof word, NULL), CAROM_OK);
    assert_string_equal(row.word, word);
    carom_simulation_destroy(simulation);
    carom_model_destroy(single);
  }
  carom_sweep_destroy(one);
  carom_sweep_destroy(three);
  for (int k = 0; k < 3; k++)
    carom_axis_destroy(&axes[k]);
  carom_model_destroy(model);
}

// entries of the scenario that are no parameters, together with one that is
static void paths_make_models(void **state) {
  (void)state;
  carom_model *model = load("frictional_impact_oscillator", 2, SHORT);
  carom_axis axes[] = {axis_of("mu=0.4,0.5"), axis_of("run.until=8,12")};
  const char *const names[] = {"t", "phi"};
  carom_sweep_options options = carom_sweep_options_default();
  options.model = model;
  options.file = OSCILLATOR;
  options.setting_count = 2;
  options.settings = SHORT;
  options.axes = axes;
  options.axis_count = 2;
  options.observables = names;
  options.observable_count = 2;
  carom_sweep *both = must_run(&options);
  options.axis_count = 1;
  carom_sweep *first = must_run(&options);
  for (long k = 0; k < 4; k++) {
    carom_sweep_row row, other;
    assert_int_equal(carom_sweep_read(both, k, &row, NULL), CAROM_OK);
    CHECK_SAME(row.values[0], k % 2 ? 12.0 : 8.0);
    assert_int_equal(carom_sweep_read(first, k / 2, &other, NULL), CAROM_OK);
    if (k % 2) CHECK_SAME(row.values[1], other.values[1]);
  }
  carom_sweep_destroy(both);
  carom_sweep_destroy(first);
  // names nobody knows
  carom_error error = {0};
  carom_sweep *none = NULL;
  carom_axis_destroy(&axes[1]);
  axes[1] = axis_of("run.untill=8,12");
  options.axis_count = 2;
  CHECK(carom_sweep_run(&options, &none, &error) < 0);
  CHECK(strstr(error.text, "until"));
  options.axis_count = 1;
  const char *const wrong[] = {"hopp"};
  options.observables = wrong;
  options.observable_count = 1;
  assert_int_equal(carom_sweep_run(&options, &none, &error), CAROM_ERR_INPUT);
  assert_null(none);
  carom_axis_destroy(&axes[0]);
  carom_axis_destroy(&axes[1]);
  carom_model_destroy(model);
}

// 1/(x - c) at x = t: fails where c lies inside the run
static const char BREAKS[] = "parameters: {c: 5}\n"
                             "states: {x: {start: 0, rate: 1}, y: {start: 0, rate: 'log(c - x)'}}\n"
                             "run: {until: 2}\n";

static void failures_are_rows(void **state) {
  (void)state;
  carom_model *model = NULL;
  assert_int_equal(carom_model_parse(BREAKS, "breaks", 0, NULL, &model, NULL), CAROM_OK);
  carom_axis axis = axis_of("c=1,3");
  const char *const names[] = {"x"};
  carom_sweep_options options = carom_sweep_options_default();
  options.model = model;
  options.axes = &axis;
  options.axis_count = 1;
  options.observables = names;
  options.observable_count = 1;
  carom_sweep *sweep = must_run(&options);
  carom_sweep_row row;
  assert_int_equal(carom_sweep_read(sweep, 0, &row, NULL), CAROM_OK);
  CHECK(row.status < 0 && row.failure[0] && isnan(row.values[0]));
  assert_int_equal(carom_sweep_read(sweep, 1, &row, NULL), CAROM_OK);
  CHECK(row.status == CAROM_OK && !row.failure[0]);
  CHECK_NEAR(row.values[0], 2.0, 1e-12);
  assert_int_equal(carom_sweep_read(sweep, 2, &row, NULL), CAROM_ERR_ARGUMENT);
  carom_sweep_destroy(sweep);
  carom_axis_destroy(&axis);
  carom_model_destroy(model);
}

static atomic_long asked;
static bool stop_soon(void *ctx) {
  (void)ctx;
  return atomic_fetch_add(&asked, 1) > 400;
}

static void parts_and_stops(void **state) {
  (void)state;
  char folder[] = "/tmp/carom-sweep-XXXXXX", files[3][64];
  assert_non_null(mkdtemp(folder));
  carom_model *model = load("frictional_impact_oscillator", 2, SHORT);
  carom_axis axis = axis_of("mu=0.3:0.7:9");
  carom_sweep_options options = carom_sweep_options_default();
  options.model = model;
  options.axes = &axis;
  options.axis_count = 1;
  carom_sweep *whole = must_run(&options), *merged = NULL, *part = NULL;
  const char *paths[3];
  options.parts = 3;
  for (options.part = 0; options.part < 3; options.part++) {
    paths[options.part] = files[options.part];
    (void)snprintf(files[options.part], sizeof files[0], "%s/%d", folder, options.part);
    options.journal = files[options.part];
    part = must_run(&options);
    assert_int_equal(carom_sweep_done(part), 3);
    carom_sweep_destroy(part);
  }
  assert_int_equal(carom_sweep_merge(3, paths, &merged, NULL), CAROM_OK);
  compare(whole, merged);
  carom_sweep_destroy(merged);
  assert_int_equal(carom_sweep_merge(2, paths, &merged, NULL), CAROM_OK);
  assert_int_equal(carom_sweep_done(merged), 6);
  carom_sweep_destroy(merged);

  // parts that are none
  for (options.part = -1; options.part <= 3; options.part += 4)
    assert_int_equal(carom_sweep_run(&options, &part, NULL), CAROM_ERR_INPUT);
  assert_int_equal(carom_sweep_axis_count(whole, 0), 9);
  assert_int_equal(carom_sweep_axis_count(whole, 1), 0);
  assert_int_equal(carom_sweep_axis_count(whole, -1), 0);

  // stopped and resumed
  options.part = options.parts = 0;
  options.watcher.stopped = stop_soon;
  options.threads = 2;
  carom_status status = carom_sweep_run(&options, &part, NULL);
  assert_int_equal(status, CAROM_STOP_USER);
  long done = carom_sweep_done(part);
  CHECK(done < 9);
  carom_sweep_destroy(part);
  options.watcher.stopped = NULL;
  options.resume = true;
  part = must_run(&options);
  compare(whole, part);
  carom_sweep_destroy(part);
  // another computation does not go on with it
  carom_axis_destroy(&axis);
  axis = axis_of("mu=0.3:0.8:9");
  assert_int_equal(carom_sweep_run(&options, &part, NULL), CAROM_ERR_INPUT);
  for (int k = 0; k < 3; k++)
    (void)unlink(files[k]);
  (void)rmdir(folder);
  carom_sweep_destroy(whole);
  carom_axis_destroy(&axis);
  carom_model_destroy(model);
}

// Relief valves over their whole range of flow, several side by side: many thousand strikes, and no
// plug is ever below its seat by more than the last bit of the time, 6e-14 at 400, leads at 20
// units a unit of time.
static void no_valve_falls_through(void **state) {
  (void)state;
  const carom_setting settings[] = {
      {"run.until", "400"}, {"measure.after", "0"}, {"observe.lowest", "min(y1)"}};
  const char *const lowest[] = {"lowest"};
  carom_model *model = NULL;
  carom_error error = {0};
  assert_int_equal(carom_model_load(CAROM_SOURCE_DIR "/scenarios/relief_valve.yaml", 3, settings,
                                    &model, &error),
                   CAROM_OK);
  carom_axis axis;
  assert_int_equal(carom_axis_parse("q=0.2:10:64", &axis, &error), CAROM_OK);
  carom_sweep_options options = carom_sweep_options_default();
  options.model = model;
  options.axes = &axis;
  options.axis_count = 1;
  options.observables = lowest;
  options.observable_count = 1;
  options.threads = 2;
  carom_sweep *sweep = must_run(&options);
  long strikes = 0;
  for (long k = 0; k < 64; k++) {
    carom_sweep_row row;
    assert_int_equal(carom_sweep_read(sweep, k, &row, &error), CAROM_OK);
    CHECK(row.passed);
    CHECK_NEAR(fmin(row.values[0], 0.0), 0.0, 1.2e-12);
    strikes += row.impacts;
  }
  CHECK(strikes > 8000);
  carom_sweep_destroy(sweep);
  carom_axis_destroy(&axis);
  carom_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(axes_are_read),     cmocka_unit_test(points_equal_single_runs),
      cmocka_unit_test(paths_make_models), cmocka_unit_test(failures_are_rows),
      cmocka_unit_test(parts_and_stops),   cmocka_unit_test(no_valve_falls_through)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
