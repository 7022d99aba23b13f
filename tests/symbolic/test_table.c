// SPDX-License-Identifier: MIT
#include "check.h"
#include "symbolic/table.h"

// points of a steep step with one flat piece; slopes chosen by hand within the monotone range
static const double xs[6] = {-1.0, -0.25, 0.5, 0.75, 2.0, 4.0};
static const double ys[6] = {0.1, 0.3, 2.0, 2.0, 1.0, -3.0};
static const double slopes[6] = {0.2, 0.5, 0.0, 0.0, -1.1, -2.5};
static const carom_table sample = {"sample", 6, xs, ys, slopes};

static void test_exact_at_points(void **state) {
  (void)state;
  for (int k = 0; k < 6; k++) {
    CHECK_SAME(carom_table_value(&sample, xs[k]), ys[k]);
    CHECK_SAME(carom_table_slope(&sample, xs[k]), slopes[k]);
  }
}

static void test_clamped_outside(void **state) {
  (void)state;
  CHECK_SAME(carom_table_value(&sample, -1.5), 0.1);
  CHECK_SAME(carom_table_value(&sample, INFINITY), -3.0);
  CHECK_SAME(carom_table_slope(&sample, -1.0 - 1e-12), 0.0);
  CHECK_SAME(carom_table_slope(&sample, 4.5), 0.0);
  CHECK_SAME(carom_table_curve(&sample, 4.5), 0.0);
  CHECK_SAME(carom_table_value(&sample, (double)NAN), (double)NAN);
  static const carom_table one = {"one", 1, xs, ys, slopes};
  CHECK_SAME(carom_table_value(&one, 7.0), 0.1);
  CHECK_SAME(carom_table_slope(&one, -1.0), 0.0);
}

// a cubic is its own interpolant when values and slopes come from it
static void test_reproduces_cubic(void **state) {
  (void)state;
  double y[6], m[6];
  for (int k = 0; k < 6; k++) {
    double x = xs[k];
    y[k] = 1.0 - 2.0 * x + 0.5 * x * x * x;
    m[k] = -2.0 + 1.5 * x * x;
  }
  carom_table cubic = {"cubic", 6, xs, y, m};
  for (int k = 0; k < 289; k++) {
    double x = -1.0 + 0.0173 * k;
    CHECK_NEAR(carom_table_value(&cubic, x), 1.0 - 2.0 * x + 0.5 * x * x * x, 2e-14);
    CHECK_NEAR(carom_table_slope(&cubic, x), -2.0 + 1.5 * x * x, 2e-13);
    CHECK_NEAR(carom_table_curve(&cubic, x), 3.0 * x, 2e-12);
  }
}

static void check_box(carom_interval box, double value, double x) {
  if (carom_interval_has(box, value)) return;
  print_error("at %.17g: %.17g is outside [%.17g, %.17g]\n", x, value, box.lo, box.hi);
  fail();
}

static void test_bounds(void **state) {
  (void)state;
  for (int i = 0; i < 68; i++) {
    for (int j = 0; j < 9; j++) {
      double lo = -1.7 + 0.0931 * i, width = 0.01 * (pow(2.0, j) - 1.0);
      carom_interval x = {lo, lo + width};
      carom_interval value = carom_table_value_bounds(&sample, x);
      carom_interval slope = carom_table_slope_bounds(&sample, x);
      carom_interval curve = carom_table_curve_bounds(&sample, x);
      for (int k = 0; k <= 40; k++) {
        double at = fmin(lo + width * k / 40.0, x.hi);
        check_box(value, carom_table_value(&sample, at), at);
        check_box(slope, carom_table_slope(&sample, at), at);
        check_box(curve, carom_table_curve(&sample, at), at);
      }
      // monotone pieces: the bounds never leave the range of the points, but for rounding
      CHECK(value.lo > -3.0 - 1e-12 && value.hi < 2.0 + 1e-12);
      if (width == 0.0) CHECK(carom_interval_width(value) < 1e-12);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exact_at_points),
      cmocka_unit_test(test_clamped_outside),
      cmocka_unit_test(test_reproduces_cubic),
      cmocka_unit_test(test_bounds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
