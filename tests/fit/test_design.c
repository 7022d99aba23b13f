// SPDX-License-Identifier: MIT
// Where to measure next, where the answer is known: a fall y = h - g t^2/2.
#include "measured.h"

#include "carom/design.h"

#include <string.h>

static const double TIMES[] = {0.0, 0.1, 0.2, 0.3, 0.4};
static const carom_fit_range FREE[] = {{"g", 9.0, 11.0}, {"h", 0.9, 1.1}};
static const carom_value OF[] = {{"y", 0.01}};

static carom_design_options ask_for(const motion *m, const char *goal, int picks) {
  carom_design_options o = carom_design_options_default();
  o.model = m->model;
  o.free_count = 2;
  o.free = FREE;
  o.of_count = 1;
  o.of = OF;
  o.time_count = 5;
  o.times = TIMES;
  o.goal = goal;
  o.picks = picks;
  return o;
}

// information of bounds and of measurements at times, inverted by hand
static void known_errors(int count, const double *t, double *errors) {
  double a = 12.0 / 4.0, b = 0.0, d = 12.0 / 0.04, w = 1.0 / (0.01 * 0.01);
  for (int k = 0; k < count; k++) {
    double s = -t[k] * t[k] / 2.0;
    a += w * s * s;
    b += w * s;
    d += w;
  }
  errors[0] = sqrt(d / (a * d - b * b));
  errors[1] = sqrt(a / (a * d - b * b));
}

static void test_fall(void **unused) {
  (void)unused;
  motion m = motion_load("bouncing_ball", NULL);
  carom_design_options o = ask_for(&m, "g", 2);
  carom_design *design;
  carom_error error = {0};
  double chosen[2], known[2];
  MUST(carom_design_run(&o, &design, &error), error);
  const carom_design_view *v = carom_design_look(design);
  CHECK_NEAR(v->before[0], 2.0 / sqrt(12.0), 1e-12);
  CHECK_NEAR(v->before[1], 0.2 / sqrt(12.0), 1e-12);
  assert_int_equal(v->picks[0].time, 4); // late, where g has done most
  assert_int_equal(v->picks[1].time, 0); // then at the start: that knows h
  for (int k = 0; k < 2; k++) {
    chosen[k] = TIMES[v->picks[k].time];
    known_errors(k + 1, chosen, known);
    for (int j = 0; j < 2; j++)
      CHECK_NEAR(v->picks[k].errors[j] / known[j], 1.0, 1e-9);
  }
  // what the first one leaves is the least of what all would leave
  for (int t = 0; t < 5; t++) {
    known_errors(1, &TIMES[t], known);
    CHECK_NEAR(v->gain[t], known[0] / v->before[0], 1e-9);
    assert_true(v->gain[t] >= v->gain[4]);
  }
  carom_design_destroy(design);
  motion_end(&m);
}

// Without a goal the volume counts; what was measured already says no more.
static void test_volume(void **unused) {
  (void)unused;
  motion m = motion_load("bouncing_ball", NULL);
  const int done[] = {4, 0};
  carom_design_options o = ask_for(&m, NULL, 1);
  carom_design *design;
  carom_error error = {0};
  double known[2];
  o.done_count = 2;
  o.done = done;
  MUST(carom_design_run(&o, &design, &error), error);
  const carom_design_view *v = carom_design_look(design);
  const double times[] = {0.4, 0.0};
  known_errors(2, times, known);
  CHECK_NEAR(v->before[0] / known[0], 1.0, 1e-9);
  CHECK_NEAR(v->before[1] / known[1], 1.0, 1e-9);
  for (int t = 0; t < 5; t++)
    assert_true(v->gain[t] > 0.5 && v->gain[t] < 1.0);
  carom_design_destroy(design);
  o.goal = "e";
  assert_int_equal(carom_design_run(&o, &design, &error), CAROM_ERR_ARGUMENT);
  assert_non_null(strstr(error.text, "'e' is to be known best"));
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_fall), cmocka_unit_test(test_volume)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
