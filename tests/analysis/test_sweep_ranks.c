// SPDX-License-Identifier: MIT
// Journals of several processes: what they hold is found by a resumed sweep and not computed again.
#define _XOPEN_SOURCE 700
#include "check.h"

#include "carom/sweep.h"
#include "spread/ranks.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SCENARIO CAROM_SOURCE_DIR "/scenarios/pendulum.yaml"
enum { POINTS = 12, PARTS = 3 };

typedef struct world {
  char folder[64], base[96];
  carom_model *model;
  carom_axis axis;
  long asked; // points that a sweep had to compute
} world;

static void note_progress(void *ctx, long done, long total, double left) {
  world *w = ctx;
  (void)done, (void)left;
  w->asked = total;
}

static carom_sweep_options options_of(world *w) {
  carom_sweep_options options = carom_sweep_options_default();
  options.model = w->model;
  options.axes = &w->axis;
  options.axis_count = 1;
  options.threads = 1;
  options.watcher = (carom_watcher){.ctx = w, .progress = note_progress};
  w->asked = 0;
  return options;
}

static void make_world(world *w) {
  carom_error error = {0};
  *w = (world){.folder = "/tmp/carom-ranks-XXXXXX"};
  assert_non_null(mkdtemp(w->folder));
  (void)snprintf(w->base, sizeof w->base, "%s/j", w->folder);
  const carom_setting settings[] = {{"run.until", "0.5"}};
  assert_int_equal(carom_model_load(SCENARIO, 1, settings, &w->model, &error), CAROM_OK);
  assert_int_equal(carom_axis_parse("g=9:10:12", &w->axis, &error), CAROM_OK);
}

static void end_world(world *w) {
  carom_axis_destroy(&w->axis);
  carom_model_destroy(w->model);
  (void)unlink(w->base);
  assert_int_equal(rmdir(w->folder), 0); // no journal of a rank is left
}

// what rank `part` of three would have finished, in its journal
static void leave_journal(world *w, int part) {
  char file[128];
  carom_sweep *sweep = NULL;
  carom_sweep_options options = options_of(w);
  (void)snprintf(file, sizeof file, "%s.rank-%d", w->base, part);
  options.journal = file;
  options.part = part;
  options.parts = PARTS;
  assert_int_equal(carom_sweep_run(&options, &sweep, NULL), CAROM_OK);
  assert_int_equal(w->asked, POINTS / PARTS);
  carom_sweep_destroy(sweep);
}

static void compare_with_single(world *w, carom_sweep *sweep) {
  carom_sweep_options options = options_of(w);
  carom_sweep *plain = NULL;
  assert_int_equal(carom_sweep_run(&options, &plain, NULL), CAROM_OK);
  for (long k = 0; k < POINTS; k++) {
    carom_sweep_row a, b;
    assert_int_equal(carom_sweep_read(sweep, k, &a, NULL), CAROM_OK);
    assert_int_equal(carom_sweep_read(plain, k, &b, NULL), CAROM_OK);
    CHECK(a.present && b.present);
    CHECK_SAME(a.at[0], b.at[0]);
    assert_int_equal(a.steps, b.steps);
    assert_int_equal(
        memcmp(a.values, b.values, (size_t)carom_sweep_observables(sweep) * sizeof(double)), 0);
  }
  carom_sweep_destroy(plain);
}

static void test_resumed_by_one(void **state) {
  (void)state;
  world w;
  make_world(&w);
  leave_journal(&w, 0);
  leave_journal(&w, 2);
  carom_sweep_options options = options_of(&w);
  carom_sweep *sweep = NULL;
  options.journal = w.base;
  options.resume = true;
  options.ranks = true; // alone here: rank 0 of 1
  assert_int_equal(carom_sweep_run(&options, &sweep, NULL), CAROM_OK);
  assert_int_equal(w.asked, POINTS / PARTS); // those of rank 1 alone
  assert_int_equal(carom_process_rank(), 0);
  compare_with_single(&w, sweep);
  carom_sweep_destroy(sweep);
  end_world(&w);
}

// a journal of another computation is left alone
static void test_foreign_journal(void **state) {
  (void)state;
  world w;
  make_world(&w);
  leave_journal(&w, 1);
  w.axis.values[3] = 9.5;
  carom_sweep_options options = options_of(&w);
  carom_sweep *sweep = NULL;
  options.journal = w.base;
  options.resume = options.ranks = true;
  assert_int_equal(carom_sweep_run(&options, &sweep, NULL), CAROM_OK);
  assert_int_equal(w.asked, POINTS);
  carom_sweep_destroy(sweep);
  end_world(&w);
}

static void test_alone(void **state) {
  (void)state;
  carom_ranks *ranks = NULL;
  assert_int_equal(carom_ranks_join(&ranks, NULL), CAROM_OK);
  assert_int_equal(carom_ranks_rank(ranks), 0);
  assert_int_equal(carom_ranks_count(ranks), 1);
  assert_int_equal(carom_ranks_here(ranks), 1);
  assert_int_equal(carom_ranks_agree(ranks, CAROM_STOP_USER), CAROM_STOP_USER);
  assert_int_equal(carom_ranks_agree(ranks, CAROM_ERR_IO), CAROM_ERR_IO);
  carom_ranks_leave(ranks);
  carom_ranks_leave(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_resumed_by_one),
      cmocka_unit_test(test_foreign_journal),
      cmocka_unit_test(test_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
