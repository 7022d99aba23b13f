// SPDX-License-Identifier: MIT
// Saddles and their manifolds against closed forms, and against where whole runs lead.
#include "hybrid/motion.h"

#include "carom/manifold.h"

#include <math.h>
#include <string.h>

/// What was drawn of a scenario in a box.
typedef struct drawn {
  motion m;
  carom_axis axes[2];
  carom_manifold *manifold;
} drawn;

static carom_manifold_options options_of(const drawn *it, int threads) {
  carom_manifold_options options = carom_manifold_options_default();
  options.model = it->m.model;
  options.axes = it->axes;
  options.threads = threads;
  options.guesses = 5;
  return options;
}

static drawn draw(motion m, const char *across, const char *up) {
  drawn it = {.m = m};
  carom_error error = {0};
  MUST(carom_axis_parse(across, &it.axes[0], &error), error);
  MUST(carom_axis_parse(up, &it.axes[1], &error), error);
  carom_manifold_options options = options_of(&it, 1);
  MUST(carom_manifold_run(&options, &it.manifold, &error), error);
  return it;
}

static void done(drawn *it) {
  carom_manifold_destroy(it->manifold);
  carom_axis_destroy(&it->axes[0]);
  carom_axis_destroy(&it->axes[1]);
  motion_end(&it->m);
}

// Twice as far along u = x - y^2/2, half as far along y, once a time unit. So u = 0 is the stable
// manifold of the origin, y = 0 the unstable one.
static const char SHEARED[] = "title: a sheared saddle\n"
                              "states: {x: {start: 0, equation: 0}, y: {start: 0, equation: 0}}\n"
                              "events:\n"
                              "  turn: {when: cos(pi*t), do: {x: 2*x - y^2 + y^2/8, y: y/2}}\n"
                              "run: {until: 10, period: 1}\n";

static void test_sheared(void **unused) {
  (void)unused;
  drawn it = draw(motion_parse(SHEARED), "x=-1:1:2", "y=-1:1:2");
  assert_int_equal(carom_manifold_saddles(it.manifold), 1);
  const carom_saddle *saddle = carom_manifold_saddle(it.manifold, 0);
  CHECK_NEAR(saddle->at[0], 0.0, 1e-12);
  CHECK_NEAR(saddle->at[1], 0.0, 1e-12);
  CHECK_NEAR(saddle->unstable, 2.0, 1e-12);
  CHECK_NEAR(saddle->stable, 0.5, 1e-12);
  CHECK_NEAR(saddle->period, 1.0, 1e-12);
  assert_int_equal(carom_manifold_branches(it.manifold), 4);
  for (int b = 0; b < 4; b++) {
    const carom_manifold_branch *branch = carom_manifold_branch_at(it.manifold, b);
    double far = 0.0;
    for (long k = 0; k < branch->count; k++) {
      double x = branch->points[2 * k], y = branch->points[2 * k + 1];
      CHECK_NEAR(branch->stable ? x : y, branch->stable ? y * y / 2.0 : 0.0, 1e-9);
      far = fmax(far, fmax(fabs(x), fabs(y)));
    }
    assert_true(far > 1.0 && branch->count > 50);
    assert_string_equal(branch->end, "leaves the box");
  }
  // one guess, in the middle, is enough
  carom_manifold_options options = options_of(&it, 1);
  carom_manifold *once;
  carom_error error = {0};
  options.guesses = 1;
  MUST(carom_manifold_run(&options, &once, &error), error);
  assert_int_equal(carom_manifold_saddles(once), 1);
  carom_manifold_destroy(once);
  done(&it);
}

// x'' = x between walls at -1 and 1, which throw back e of the speed. Between impacts x'^2 - x^2 is
// kept: on the stable manifold it is 0, before one impact 1/e^2 - 1, before the next
// (1 + that)/e^2 - 1; on the unstable one 0, then e^2 - 1, and so on.
static void test_walls(void **unused) {
  (void)unused;
  double e = 0.8;
  drawn it = draw(motion_parse("title: a hill between walls\n"
                               "coordinates: {x: 0.1}\n"
                               "energy: {kinetic: x'^2/2, potential: -x^2/2}\n"
                               "contacts:\n"
                               "  right: {gap: 1 - x, impact: {law: newton, e: 0.8}}\n"
                               "  left: {gap: x + 1, impact: {law: newton, e: 0.8}}\n"
                               "run: {until: 30}\n"),
                  "x=-1:1:2", "x'=-2:2:2");
  assert_int_equal(carom_manifold_saddles(it.manifold), 1);
  for (int b = 0; b < 4; b++) {
    const carom_manifold_branch *branch = carom_manifold_branch_at(it.manifold, b);
    double known = 0.0;
    int pieces = 1;
    for (long k = 0; k < branch->count && pieces < 5; k++) {
      double x = branch->points[2 * k], v = branch->points[2 * k + 1];
      if (isnan(x)) {
        known = branch->stable ? (1.0 + known) / (e * e) - 1.0 : (1.0 + known) * e * e - 1.0;
        pieces++;
        continue;
      }
      CHECK_NEAR(v * v - x * x, known, 1e-9);
    }
    assert_int_equal(pieces, 5);
  }
  done(&it);
}

static const char WELLS[] = "title: two wells\n"
                            "parameters: {c: 0}\n"
                            "coordinates: {x: 1.2}\n"
                            "energy: {kinetic: x'^2/2, potential: x^4/4 - x^2/2, dissipation: "
                            "c*x'^2/2}\n"
                            "run: {until: 60}\n";

// Without losses both manifolds are the loops x'^2 = x^2 - x^4/2.
static void test_loops(void **unused) {
  (void)unused;
  drawn it = draw(motion_parse(WELLS), "x=-2:2:2", "x'=-1:1:2");
  assert_int_equal(carom_manifold_saddles(it.manifold), 1);
  for (int b = 0; b < 4; b++) {
    const carom_manifold_branch *branch = carom_manifold_branch_at(it.manifold, b);
    double far = 0.0;
    long count = branch->stable ? branch->count : branch->count / 2; // then it comes round again
    for (long k = 0; k < count; k++) {
      double x = branch->points[2 * k], v = branch->points[2 * k + 1];
      CHECK_NEAR(v * v, x * x - x * x * x * x / 2.0, 1e-7);
      far = fmax(far, fabs(x));
    }
    CHECK_NEAR(far, sqrt(2.0), 1e-3);
    if (branch->stable) assert_string_equal(branch->end, "comes back to its saddle");
  }
  done(&it);
}

// where a start leads: 1 the right well, -1 the left one
static double leads_to(const drawn *it, double x, double v) {
  carom_simulation *s;
  carom_error error = {0};
  const carom_value start[] = {{"x", x}, {"x'", v}};
  MUST(carom_simulation_create(it->m.model, &s, &error), error);
  MUST(carom_simulation_set_all(s, 2, start, &error), error);
  MUST(carom_simulation_advance(s, 60.0, &error), error);
  double end = carom_simulation_state(s, NULL)[0];
  carom_simulation_destroy(s);
  return end > 0.0 ? 1.0 : -1.0;
}

// With losses the stable manifold parts the wells: starts beside it lead to different ones.
static void test_parts_wells(void **unused) {
  (void)unused;
  motion m = motion_parse(WELLS);
  motion_end(&m);
  const carom_setting losses[] = {{"c", "0.25"}};
  carom_error error = {0};
  m = (motion){0};
  MUST(carom_model_parse(WELLS, "wells", 1, losses, &m.model, &error), error);
  drawn it = draw(m, "x=-2:2:2", "x'=-2:2:2");
  int asked = 0;
  for (int b = 0; b < 4; b++) {
    const carom_manifold_branch *branch = carom_manifold_branch_at(it.manifold, b);
    for (long k = 20; k + 1 < branch->count && branch->stable; k += 40) {
      const double *p = branch->points + 2 * k;
      double tx = p[2] - p[0], tv = p[3] - p[1], size = sqrt(tx * tx + tv * tv) / 1e-5;
      assert_true(leads_to(&it, p[0] - tv / size, p[1] + tx / size) !=
                  leads_to(&it, p[0] + tv / size, p[1] - tx / size));
      asked++;
    }
  }
  assert_true(asked > 20);
  done(&it);
}

// the same bits by any number of threads
static void test_threads(void **unused) {
  (void)unused;
  drawn it = draw(motion_parse(SHEARED), "x=-1:1:2", "y=-1:1:2");
  carom_manifold_options options = options_of(&it, 3);
  carom_manifold *other;
  carom_error error = {0};
  MUST(carom_manifold_run(&options, &other, &error), error);
  for (int b = 0; b < 4; b++) {
    const carom_manifold_branch *one = carom_manifold_branch_at(it.manifold, b);
    const carom_manifold_branch *two = carom_manifold_branch_at(other, b);
    assert_int_equal(one->count, two->count);
    assert_memory_equal(one->points, two->points, 2 * (size_t)one->count * sizeof(double));
  }
  carom_manifold_destroy(other);
  done(&it);
}

static void test_refused(void **unused) {
  (void)unused;
  drawn it = {.m = motion_load("double_pendulum", NULL)};
  carom_error error = {0};
  MUST(carom_axis_parse("a=-1:1:2", &it.axes[0], &error), error);
  MUST(carom_axis_parse("b=-1:1:2", &it.axes[1], &error), error);
  carom_manifold_options options = options_of(&it, 1);
  assert_int_equal(carom_manifold_run(&options, &it.manifold, &error), CAROM_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "two numbers"));
  assert_null(it.manifold);
  done(&it);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sheared), cmocka_unit_test(test_walls),
      cmocka_unit_test(test_loops),   cmocka_unit_test(test_parts_wells),
      cmocka_unit_test(test_threads), cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
