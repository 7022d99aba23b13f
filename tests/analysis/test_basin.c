// SPDX-License-Identifier: MIT
// Basins: two wells with a symmetry that the result must keep, refinement against the full grid,
// random starts, intervals against their closed form.
#define _DEFAULT_SOURCE
#include "check.h"

#include "base/wide.h"
#include "carom/basin.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// a ball in two wells with friction: x -> -x is a symmetry
static const char WELLS[] = "parameters: {c: 0.4}\n"
                            "coordinates: {x: {start: 0.5, rate: 0}}\n"
                            "energy: {kinetic: x'^2/2, potential: x^4/4 - x^2/2, dissipation: "
                            "c/2*x'^2}\n"
                            "run: {until: 60, rtol: 1e-8}\n"
                            "measure: {after: 50}\n"
                            "observe: {where: mean(x)}\n"
                            "regimes: {left: {when: where < 0}, right: {when: where > 0}}\n";

static carom_model *wells(void) {
  carom_model *model = NULL;
  carom_error error = {0};
  if (carom_model_parse(WELLS, "wells", 0, NULL, &model, &error) != CAROM_OK)
    print_error("%s\n", error.text);
  assert_non_null(model);
  return model;
}

static carom_basin *must_run(const carom_basin_options *options) {
  carom_basin *basin = NULL;
  carom_error error = {0};
  carom_status status = carom_basin_run(options, &basin, &error);
  if (status != CAROM_OK) print_error("%s\n", error.text);
  assert_int_equal(status, CAROM_OK);
  return basin;
}

static void set_axes(carom_basin_options *options, const carom_model *model, carom_axis axes[2],
                     const char *x, const char *v) {
  *options = carom_basin_options_default();
  assert_int_equal(carom_axis_parse(x, &axes[0], NULL), CAROM_OK);
  assert_int_equal(carom_axis_parse(v, &axes[1], NULL), CAROM_OK);
  options->sweep.model = model;
  options->sweep.axes = axes;
  options->sweep.axis_count = 2;
}

static void symmetry_and_names(void **state) {
  (void)state;
  carom_model *model = wells();
  carom_axis axes[2];
  carom_basin_options options;
  set_axes(&options, model, axes, "x=-2:2:10", "x'=-2:2:10");
  carom_basin *basin = must_run(&options);
  assert_int_equal(carom_basin_attractors(basin), 2);
  // numbered in the order of the grid, named by the scenario's regimes
  assert_int_equal(carom_basin_at(basin, 0), 0);
  const carom_attractor *first = carom_basin_attractor(basin, 0),
                        *second = carom_basin_attractor(basin, 1);
  CHECK(strcmp(first->regime, second->regime) != 0);
  CHECK_NEAR(fabs(first->values[0]), 1.0, 1e-3);
  CHECK_NEAR(first->values[0], -second->values[0], 1e-5);
  // no start of the even grid is its own mirror image
  for (long k = 0; k < 100; k++)
    assert_int_equal(carom_basin_at(basin, k) + carom_basin_at(basin, 99 - k), 1);
  CHECK_SAME(first->fraction, 0.5);
  // each well is the mirror image of the other
  assert_int_equal(first->mirror, 1);
  assert_int_equal(second->mirror, 0);
  // Wilson's interval for 50 of 100 (Newcombe 1998 gives 0.4038 to 0.5962)
  CHECK_NEAR(first->low, 0.4038, 5e-5);
  CHECK_NEAR(first->high, 0.5962, 5e-5);
  carom_basin_destroy(basin);
  carom_axis_destroy(&axes[0]);
  carom_axis_destroy(&axes[1]);
  carom_model_destroy(model);
}

// an observable that is zero but for rounding on one attractor does not split it
static void zero_is_one_value(void **state) {
  (void)state;
  const carom_setting shifted[] = {{"observe.where", "mean(x + 1)"},
                                   {"regimes.left.when", "where < 1"},
                                   {"regimes.right.when", "where > 1"},
                                   {"run.until", "200"},
                                   {"measure.after", "190"}};
  carom_model *model = NULL;
  assert_int_equal(carom_model_parse(WELLS, "wells", 5, shifted, &model, NULL), CAROM_OK);
  carom_axis axes[2];
  carom_basin_options options;
  set_axes(&options, model, axes, "x=-2:2:6", "x'=-2:2:6");
  carom_basin *basin = must_run(&options);
  assert_int_equal(carom_basin_attractors(basin), 2);
  carom_basin_destroy(basin);
  carom_axis_destroy(&axes[0]);
  carom_axis_destroy(&axes[1]);
  carom_model_destroy(model);
}

static void refinement_finds_the_full_grid(void **state) {
  (void)state;
  carom_model *model = wells();
  carom_axis coarse[2], fine[2];
  carom_basin_options options, full;
  set_axes(&options, model, coarse, "x=-1.6:1.6:9", "x'=-1.2:1.2:9");
  set_axes(&full, model, fine, "x=-1.6:1.6:33", "x'=-1.2:1.2:33");
  options.refine = 2;
  options.sweep.threads = 2;
  carom_basin *refined = must_run(&options), *whole = must_run(&full);
  assert_int_equal(carom_basin_columns(refined), 33);
  assert_int_equal(carom_basin_count(refined), 33 * 33);
  CHECK(carom_basin_runs(refined) < carom_basin_runs(whole));
  long differ = 0;
  for (long k = 0; k < 33 * 33; k++)
    differ += carom_basin_at(refined, k) != carom_basin_at(whole, k);
  assert_int_equal(differ, 0);
  // its axes are those of the full grid, and it tells which points were run
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 33; i++)
      CHECK_NEAR(carom_basin_axis(refined, k)[i], carom_basin_axis(whole, k)[i], 1e-15);
  assert_null(carom_basin_axis(refined, -1));
  assert_null(carom_basin_axis(refined, 2));
  long ran = 0, all = 0;
  for (long k = -1; k <= 33 * 33; k++) {
    ran += carom_basin_was_run(refined, k);
    all += carom_basin_was_run(whole, k);
  }
  assert_int_equal(ran, carom_basin_runs(refined));
  assert_int_equal(all, 33 * 33);
  carom_basin_destroy(refined);
  carom_basin_destroy(whole);
  for (int k = 0; k < 2; k++) {
    carom_axis_destroy(&coarse[k]);
    carom_axis_destroy(&fine[k]);
  }
  carom_model_destroy(model);
}

// a grid that is written backwards has the same runs, and finds the same
static void refinement_has_no_side(void **state) {
  (void)state;
  static const char *const ways[][2] = {{"x=-1.6:1.8:9", "x'=-1.1:1.2:9"},
                                        {"x=1.8:-1.6:9", "x'=-1.1:1.2:9"},
                                        {"x=-1.6:1.8:9", "x'=1.2:-1.1:9"}};
  carom_model *model = wells();
  carom_basin *basins[3];
  for (int k = 0; k < 3; k++) {
    carom_axis axes[2];
    carom_basin_options options;
    set_axes(&options, model, axes, ways[k][0], ways[k][1]);
    options.refine = 1;
    basins[k] = must_run(&options);
    carom_axis_destroy(&axes[0]);
    carom_axis_destroy(&axes[1]);
  }
  CHECK(carom_basin_runs(basins[0]) < 17 * 17);
  for (int k = 1; k < 3; k++) {
    assert_int_equal(carom_basin_runs(basins[k]), carom_basin_runs(basins[0]));
    for (int i = 0; i < 17; i++)
      for (int j = 0; j < 17; j++) {
        int there = carom_basin_at(basins[0], i * 17 + j),
            here = carom_basin_at(basins[k], k == 1 ? (16 - i) * 17 + j : i * 17 + 16 - j);
        assert_string_equal(carom_basin_attractor(basins[k], here)->regime,
                            carom_basin_attractor(basins[0], there)->regime);
      }
  }
  for (int k = 0; k < 3; k++)
    carom_basin_destroy(basins[k]);
  carom_model_destroy(model);
}

/// How often it was asked whether to stop, when to, and the most runs that one grid had to do.
typedef struct interruption {
  long asked, limit, most;
} interruption;

static bool is_stopping(void *ctx) {
  interruption *it = ctx;
  return ++it->asked > it->limit && it->limit > 0;
}

static void note_progress(void *ctx, long done, long total, double left) {
  interruption *it = ctx;
  (void)done, (void)left;
  if (total > it->most) it->most = total;
}

// stopped in the finest grid: what was finished there is not run again, and nothing is left behind
static void refinement_goes_on(void **state) {
  (void)state;
  char folder[] = "/tmp/carom-basin-XXXXXX", file[64], level[80];
  assert_non_null(mkdtemp(folder));
  (void)snprintf(file, sizeof file, "%s/j", folder);
  (void)snprintf(level, sizeof level, "%s.level-2", file);
  carom_model *model = wells();
  carom_axis axes[2];
  carom_basin_options options;
  set_axes(&options, model, axes, "x=-1.6:1.6:9", "x'=-1.2:1.2:9");
  options.refine = 2;
  interruption whole_way = {0};
  options.sweep.threads = 1; // which makes the questions countable
  options.sweep.watcher =
      (carom_watcher){.ctx = &whole_way, .stopped = is_stopping, .progress = note_progress};
  carom_basin *whole = must_run(&options), *again = NULL;
  interruption early = {.limit = whole_way.asked * 7 / 10};
  options.sweep.journal = file;
  options.sweep.watcher =
      (carom_watcher){.ctx = &early, .stopped = is_stopping, .progress = note_progress};
  assert_int_equal(carom_basin_run(&options, &again, NULL), CAROM_STOP_USER);
  assert_int_equal(access(level, F_OK), 0);
  interruption rest = {0};
  options.sweep.resume = true;
  options.sweep.watcher = (carom_watcher){.ctx = &rest, .progress = note_progress};
  again = must_run(&options);
  CHECK(rest.most > 0 && rest.most < whole_way.most - 10);
  assert_int_equal(carom_basin_runs(again), carom_basin_runs(whole));
  for (long k = 0; k < carom_basin_count(whole); k++)
    assert_int_equal(carom_basin_at(again, k), carom_basin_at(whole, k));
  assert_int_not_equal(access(level, F_OK), 0);
  (void)unlink(file);
  assert_int_equal(rmdir(folder), 0);
  carom_basin_destroy(again);
  carom_basin_destroy(whole);
  for (int k = 0; k < 2; k++)
    carom_axis_destroy(&axes[k]);
  carom_model_destroy(model);
}

// in a tilted pair of wells there is no mirror
static void tilted(void **state) {
  (void)state;
  const carom_setting tilt[] = {{"energy.potential", "x^4/4 - x^2/2 + 0.01*x"}};
  carom_model *model = NULL;
  carom_axis axes[2];
  carom_basin_options options;
  assert_int_equal(carom_model_parse(WELLS, "wells", 1, tilt, &model, NULL), CAROM_OK);
  set_axes(&options, model, axes, "x=-2:2:4", "x'=-2:2:2");
  carom_basin *basin = must_run(&options);
  assert_int_equal(carom_basin_attractors(basin), 2);
  for (int k = 0; k < 2; k++)
    assert_int_equal(carom_basin_attractor(basin, k)->mirror, -1);
  carom_basin_destroy(basin);
  carom_axis_destroy(&axes[0]);
  carom_axis_destroy(&axes[1]);
  carom_model_destroy(model);
}

static void random_starts(void **state) {
  (void)state;
  carom_model *model = wells();
  carom_axis axes[2];
  carom_basin_options options;
  set_axes(&options, model, axes, "x=-2,2", "x'=-2,2");
  options.sweep.random = 400;
  options.sweep.seed = 7;
  options.sweep.threads = 2;
  carom_basin *basin = must_run(&options);
  options.sweep.threads = 1;
  carom_basin *again = must_run(&options);
  assert_int_equal(carom_basin_columns(basin), 0);
  assert_int_equal(carom_basin_count(basin), 400);
  for (long k = 0; k < 400; k++)
    assert_int_equal(carom_basin_at(basin, k), carom_basin_at(again, k));
  // by symmetry each has one half: 4 standard deviations of 400 draws are 0.1
  for (int k = 0; k < 2; k++)
    CHECK_NEAR(carom_basin_attractor(basin, k)->fraction, 0.5, 0.1);
  options.refine = 1;
  carom_basin *none = NULL;
  assert_int_equal(carom_basin_run(&options, &none, NULL), CAROM_ERR_INPUT);
  carom_basin_destroy(basin);
  carom_basin_destroy(again);
  carom_axis_destroy(&axes[0]);
  carom_axis_destroy(&axes[1]);
  carom_model_destroy(model);
}

// One thread takes four points at a time, as many threads as points take one each: motions side by
// side and alone, on a grid and from random starts, give the same bits.
static void lanes_change_nothing(void **state) {
  (void)state;
  const carom_setting settings[] = {{"run.until", "6"}, {"measure.after", "4"}};
  carom_model *model = NULL;
  assert_int_equal(carom_model_load(CAROM_SOURCE_DIR "/scenarios/frictional_impact_oscillator.yaml",
                                    2, settings, &model, NULL),
                   CAROM_OK);
  if (carom_machine_has_avx2()) CHECK(carom_model_lanes(model) > 1);
  carom_axis axes[2];
  carom_basin_options options;
  set_axes(&options, model, axes, "y=0.9:1.1:3", "phi=0.3:0.6:4");
  for (int round = 0; round < 2; round++) {
    options.sweep.random = round == 0 ? 0 : 12;
    options.sweep.threads = 1;
    carom_basin *together = must_run(&options);
    options.sweep.threads = 12;
    carom_basin *apart = must_run(&options);
    carom_sweep *a = carom_basin_sweep(together), *b = carom_basin_sweep(apart);
    assert_int_equal(carom_sweep_count(a), 12);
    for (long k = 0; k < 12; k++) {
      carom_sweep_row x, y;
      assert_int_equal(carom_sweep_read(a, k, &x, NULL), CAROM_OK);
      assert_int_equal(carom_sweep_read(b, k, &y, NULL), CAROM_OK);
      assert_memory_equal(x.values, y.values, (size_t)carom_sweep_observables(a) * sizeof(double));
      assert_string_equal(x.word, y.word);
      assert_int_equal(x.steps, y.steps);
      CHECK_SAME(x.residual, y.residual);
      assert_int_equal(carom_basin_at(together, k), carom_basin_at(apart, k));
    }
    carom_basin_destroy(together);
    carom_basin_destroy(apart);
  }
  carom_axis_destroy(&axes[0]);
  carom_axis_destroy(&axes[1]);
  carom_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(symmetry_and_names),
                                     cmocka_unit_test(zero_is_one_value),
                                     cmocka_unit_test(refinement_finds_the_full_grid),
                                     cmocka_unit_test(refinement_has_no_side),
                                     cmocka_unit_test(refinement_goes_on),
                                     cmocka_unit_test(tilted),
                                     cmocka_unit_test(random_starts),
                                     cmocka_unit_test(lanes_change_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
