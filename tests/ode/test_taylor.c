// SPDX-License-Identifier: MIT
// Steps by Taylor series, on motions whose coefficients are known: a swing, a throw, a motion that
// leaves the domain of its series.
#include "check.h"

#include "base/arena.h"
#include "base/random.h"
#include "ode/stepper.h"

#include <string.h>

enum { DEGREE = CAROM_SERIES_DEGREE };

// x'' = -x and an integral of x
static carom_status swing(void *ctx, double t, const double *y, double *f) {
  (void)ctx, (void)t;
  f[0] = y[1], f[1] = -y[0], f[2] = y[0];
  return CAROM_OK;
}

static carom_status swing_series(void *ctx, double t, const double *y, double *c) {
  (void)ctx, (void)t;
  double x[DEGREE + 2] = {y[0], y[1]};
  for (int k = 0; k + 2 <= DEGREE + 1; k++)
    x[k + 2] = -x[k] / ((k + 1) * (k + 2));
  for (int k = 1; k <= DEGREE; k++) {
    c[3 * k] = x[k];
    c[3 * k + 1] = (k + 1) * x[k + 1];
    c[3 * k + 2] = x[k - 1] / k;
  }
  return CAROM_OK;
}

static carom_stepper stepper_of(carom_arena *arena, int n, carom_rhs rhs, int degree,
                                carom_series series, double tolerance) {
  carom_stepper s;
  carom_error error = {0};
  carom_stepper_options options = carom_stepper_options_default();
  options.rtol = options.atol = tolerance;
  assert_int_equal(carom_stepper_init(&s, arena, n, rhs, NULL, &options, &error), CAROM_OK);
  assert_int_equal(carom_stepper_series(&s, arena, degree, 0, series, &error), CAROM_OK);
  return s;
}

// cos t over many turns; every step is by series, and there are fewer than by Runge-Kutta
static void follows_a_swing(void **state) {
  (void)state;
  carom_arena *arena = carom_arena_create(NULL);
  carom_error error = {0};
  long steps[2];
  for (int k = 0; k < 2; k++) {
    carom_stepper s = stepper_of(arena, 3, swing, DEGREE, swing_series, 1e-11);
    const double y[] = {1.0, 0.0, 0.0};
    assert_int_equal(carom_stepper_start(&s, 0.0, y, 0.0, &error), CAROM_OK);
    s.expansion.off = k == 1;
    while (s.t < 100.0) {
      assert_int_equal(carom_stepper_try(&s, 100.0, &error), CAROM_OK);
      CHECK(s.expansion.used == (k == 0));
      carom_stepper_commit(&s);
    }
    CHECK_SAME(s.t, 100.0);
    CHECK_NEAR(s.y[0], cos(100.0), 1e-9);
    CHECK_NEAR(s.y[2], sin(100.0), 1e-9);
    steps[k] = s.counts.steps;
  }
  print_message("%ld steps by series, %ld by Runge-Kutta\n", steps[0], steps[1]);
  CHECK(3 * steps[0] < steps[1]);
  carom_arena_destroy(arena);
}

// What is integrated beside the states under error control has the same values, and samples of a
// component are those that are asked for one by one.
static void beside_and_sampled(void **state) {
  (void)state;
  enum { SAMPLES = 32 };
  carom_arena *arena = carom_arena_create(NULL);
  carom_error error = {0};
  for (int by_series = 0; by_series < 2; by_series++) {
    carom_stepper s = stepper_of(arena, 3, swing, DEGREE, swing_series, 1e-10);
    s.options.controlled = 2;
    s.expansion.off = !by_series;
    const double y[] = {1.0, 0.3, 0.0};
    assert_int_equal(carom_stepper_start(&s, 0.0, y, 0.4, &error), CAROM_OK);
    assert_int_equal(carom_stepper_try(&s, 10.0, &error), CAROM_OK);
    assert_int_equal(carom_stepper_dense(&s, &error), CAROM_OK);
    CHECK(s.expansion.used == by_series);
    double largest = 0.0;
    for (int k = 0; k < SAMPLES; k++) {
      double theta = (double)k / SAMPLES, t = theta * s.h, at[3], rate[3], g[3];
      carom_dense_eval(&s, theta, at, rate, NULL);
      CHECK_NEAR(at[2], sin(t) + 0.3 * (1.0 - cos(t)), 1e-9);
      CHECK_NEAR(rate[2], cos(t) + 0.3 * sin(t), 1e-8);
      carom_dense_component(&s, 1, theta, g);
      largest = fmax(largest, fabs(g[0]));
    }
    CHECK(carom_dense_within(&s, 1, SAMPLES, largest));
    CHECK(!carom_dense_within(&s, 1, SAMPLES, 0.999 * largest));
    CHECK(!carom_dense_within(&s, 1, SAMPLES, NAN));
  }
  carom_arena_destroy(arena);
}

// the dense output is the motion at every point of a step, and its ranges hold
static void dense_output_and_ranges(void **state) {
  (void)state;
  carom_arena *arena = carom_arena_create(NULL);
  carom_error error = {0};
  carom_stepper s = stepper_of(arena, 3, swing, DEGREE, swing_series, 1e-12);
  const double y[] = {cos(0.4), -sin(0.4), 0.0};
  assert_int_equal(carom_stepper_start(&s, 0.4, y, 2.0, &error), CAROM_OK);
  assert_int_equal(carom_stepper_try(&s, 10.0, &error), CAROM_OK);
  assert_int_equal(carom_stepper_dense(&s, &error), CAROM_OK);
  CHECK(s.h > 0.5);
  double values[3], slopes[3], curvatures[3], one[3];
  for (int k = 0; k <= 20; k++) {
    double theta = k / 20.0, t = s.t + theta * s.h;
    carom_dense_eval(&s, theta, values, slopes, curvatures);
    CHECK_NEAR(values[0], cos(t), 1e-12);
    CHECK_NEAR(slopes[0], -sin(t), 1e-11);
    CHECK_NEAR(curvatures[0], -cos(t), 1e-10);
    carom_dense_component(&s, 1, theta, one);
    CHECK_NEAR(one[0], -sin(t), 1e-12);
    CHECK_NEAR(one[1], -cos(t), 1e-11);
    CHECK_NEAR(one[2], sin(t), 1e-10);
  }
  for (int a = 0; a < 10; a++)
    for (int b = a + 1; b <= 10; b++) {
      carom_interval range[3], whole;
      carom_dense_bound(&s, 0, a / 10.0, b / 10.0, &range[0], &range[1], &range[2]);
      carom_dense_bound(&s, 0, a / 10.0, b / 10.0, &whole, NULL, NULL);
      for (int k = 0; k <= 50; k++) {
        carom_dense_component(&s, 0, a / 10.0 + (b - a) * k / 500.0, one);
        CHECK(whole.lo <= one[0] && one[0] <= whole.hi);
        for (int j = 0; j < 3; j++)
          CHECK(range[j].lo <= one[j] && one[j] <= range[j].hi);
      }
      // and are not much wider than the function goes
      CHECK(range[0].hi - range[0].lo < 0.05 + 1.5 * s.h * (b - a) / 10.0);
    }
  carom_arena_destroy(arena);
}

// a shorter end is on the same polynomial
static void ends_anywhere(void **state) {
  (void)state;
  carom_arena *arena = carom_arena_create(NULL);
  carom_error error = {0};
  carom_stepper s = stepper_of(arena, 3, swing, DEGREE, swing_series, 1e-12);
  const double y[] = {1.0, 0.0, 0.0};
  assert_int_equal(carom_stepper_start(&s, 0.0, y, 2.0, &error), CAROM_OK);
  assert_int_equal(carom_stepper_try(&s, 10.0, &error), CAROM_OK);
  double h = 0.37 * s.h;
  assert_int_equal(carom_stepper_shorten(&s, h, &error), CAROM_OK);
  CHECK_NEAR(s.y1[0], cos(h), 1e-15);
  CHECK_SAME(s.f1[1], -s.y1[0]);
  assert_int_equal(carom_stepper_dense(&s, &error), CAROM_OK);
  double end[3];
  carom_dense_component(&s, 0, 1.0, end);
  CHECK_NEAR(end[0], s.y1[0], 1e-15);
  carom_arena_destroy(arena);
}

// free fall
static carom_status fall(void *ctx, double t, const double *y, double *f) {
  (void)ctx, (void)t;
  f[0] = y[1], f[1] = -9.81;
  return CAROM_OK;
}

static carom_status fall_series(void *ctx, double t, const double *y, double *c) {
  (void)ctx, (void)t;
  c[2] = y[1], c[3] = -9.81;
  c[4] = -0.5 * 9.81, c[5] = 0.0;
  return CAROM_OK;
}

// a polynomial has no error: only the growth from the first guess and the end limit its steps
static void polynomial_in_few_steps(void **state) {
  (void)state;
  carom_arena *arena = carom_arena_create(NULL);
  carom_error error = {0};
  carom_stepper s = stepper_of(arena, 2, fall, 2, fall_series, 1e-12);
  const double y[] = {3.0, 5.0};
  assert_int_equal(carom_stepper_start(&s, 0.0, y, 1.0, &error), CAROM_OK);
  assert_int_equal(carom_stepper_try(&s, 8.0, &error), CAROM_OK);
  CHECK_SAME(s.t1, 8.0);
  CHECK_NEAR(s.y1[0], 3.0 + 5.0 * 8.0 - 0.5 * 9.81 * 64.0, 1e-12);
  carom_interval height;
  assert_int_equal(carom_stepper_dense(&s, &error), CAROM_OK);
  carom_dense_bound(&s, 0, 0.0, 1.0, &height, NULL, NULL);
  CHECK_NEAR(height.hi, 3.0 + 25.0 / (2.0 * 9.81), 1e-11); // the top of the throw
  CHECK_NEAR(height.lo, s.y1[0], 1e-11);
  carom_arena_destroy(arena);
}

// y' = -sqrt(y) reaches 0 at t = 2: the series ends there, and so does the right-hand side
static carom_status drain(void *ctx, double t, const double *y, double *f) {
  (void)ctx, (void)t;
  f[0] = -sqrt(y[0]);
  return isfinite(f[0]) ? CAROM_OK : CAROM_ERR_NONFINITE;
}

static carom_status drain_series(void *ctx, double t, const double *y, double *c) {
  (void)ctx, (void)t;
  if (!(y[0] > 0.0)) return CAROM_ERR_NONFINITE;
  c[1] = -sqrt(y[0]), c[2] = 0.25;
  for (int k = 3; k <= DEGREE; k++)
    c[k] = 0.0;
  return CAROM_OK;
}

// the series is a parabola that turns up again where the motion has ended: the equation tells
static void checked_by_the_equation(void **state) {
  (void)state;
  carom_arena *arena = carom_arena_create(NULL);
  carom_error error = {0};
  carom_stepper s = stepper_of(arena, 1, drain, 2, drain_series, 1e-10);
  const double y[] = {1.0};
  assert_int_equal(carom_stepper_start(&s, 0.0, y, 1.0, &error), CAROM_OK);
  assert_int_equal(carom_stepper_try(&s, 3.0, &error), CAROM_OK);
  CHECK(s.t1 < 2.0 && s.counts.rejected > 0);
  CHECK_NEAR(s.y1[0], (1.0 - 0.5 * s.t1) * (1.0 - 0.5 * s.t1), 1e-14);
  carom_arena_destroy(arena);
}

// where there is no series the step is made without
static void goes_on_without(void **state) {
  (void)state;
  carom_arena *arena = carom_arena_create(NULL);
  carom_error error = {0};
  carom_stepper s = stepper_of(arena, 1, drain, 2, drain_series, 1e-10);
  const double y[] = {0.0};
  assert_int_equal(carom_stepper_start(&s, 0.0, y, 0.1, &error), CAROM_OK);
  assert_int_equal(carom_stepper_try(&s, 1.0, &error), CAROM_OK);
  CHECK(!s.expansion.used);
  CHECK_SAME(s.y1[0], 0.0);
  carom_arena_destroy(arena);
}

// enclosures of polynomials by themselves, of all degrees, hold at every point and are not idle
static void ranges_of_polynomials(void **state) {
  (void)state;
  uint64_t drawn = 0;
  for (int round = 0; round < 200; round++) {
    int degree = 4 + round % 13;
    double c[DEGREE + 1], shrink = 0.2 + 0.7 * carom_random_uniform(7, 0, drawn++), size = 1.0;
    for (int j = 0; j <= degree; j++, size *= shrink)
      c[j] = size * (2.0 * carom_random_uniform(7, 0, drawn++) - 1.0);
    double a = 0.9 * carom_random_uniform(7, 0, drawn++),
           b = a + (1.0 - a) * carom_random_uniform(7, 0, drawn++), g[3];
    const double none[3] = {0.0, 0.0, 0.0}, some[3] = {0.1, 0.2, 0.3};
    carom_interval range[3], wider[3], whole = carom_polynomial_range(degree, c, 0.0);
    carom_polynomial_bound(degree, c, a, b, none, range);
    carom_polynomial_bound(degree, c, a, b, some, wider);
    for (int k = 0; k <= 40; k++) {
      carom_polynomial_value(degree, c, a + (b - a) * k / 40.0, g);
      for (int j = 0; j < 3; j++) {
        CHECK(range[j].lo <= g[j] && g[j] <= range[j].hi);
        CHECK_NEAR(range[j].lo - wider[j].lo, some[j], 1e-13);
        CHECK_NEAR(wider[j].hi - range[j].hi, some[j], 1e-13);
      }
      carom_polynomial_value(degree, c, k / 40.0, g);
      CHECK(whole.lo <= g[0] && g[0] <= whole.hi);
    }
    // over a short interval they are as narrow as the slope allows
    carom_polynomial_bound(degree, c, a, a + 1e-6, none, range);
    CHECK(range[0].hi - range[0].lo < 1e-4);
  }
}

// Of one power alone the value and both derivatives are greatest where the interval ends:
// enclosures reach just there, over the whole step and over parts of it.
static void ranges_of_single_powers(void **state) {
  (void)state;
  const double none[3] = {0.0, 0.0, 0.0};
  for (int power = 2; power <= DEGREE; power++)
    for (int part = 0; part < 3; part++) {
      double c[DEGREE + 1] = {0.0}, b = part == 0 ? 1.0 : 0.9, a = part == 2 ? 0.8 : 0.0, g[3];
      carom_interval range[3];
      c[power] = 1.0;
      carom_polynomial_bound(DEGREE, c, a, b, none, range);
      carom_polynomial_value(DEGREE, c, b, g);
      for (int j = 0; j < 3; j++) {
        CHECK(range[j].lo <= g[j] * (1.0 + 1e-15) && g[j] <= range[j].hi * (1.0 + 1e-15));
        if (part < 2 && power > 4) CHECK(range[j].hi <= 2.5 * g[j]);
      }
    }
}

// an error that is none of values ends the step, and is told
static carom_status swing_for_a_while(void *ctx, double t, const double *y, double *f) {
  return t > 2.0 ? CAROM_ERR_LIMIT : swing(ctx, t, y, f);
}

static void tells_what_failed(void **state) {
  (void)state;
  carom_arena *arena = carom_arena_create(NULL);
  carom_error error = {0};
  const double y[] = {1.0, 0.0, 0.0};
  carom_stepper s = stepper_of(arena, 3, swing_for_a_while, DEGREE, swing_series, 1e-11);
  assert_int_equal(carom_stepper_start(&s, 0.0, y, 0.0, &error), CAROM_OK);
  carom_status status;
  while (!(status = carom_stepper_try(&s, 100.0, &error)))
    carom_stepper_commit(&s);
  assert_int_equal(status, CAROM_ERR_LIMIT);
  CHECK(s.t > 0.0 && s.t <= 2.0);
  assert_non_null(strstr(error.text, "failed just after t = "));
  CHECK_NEAR(s.y[0], cos(s.t), 1e-10);
  carom_arena_destroy(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tells_what_failed),       cmocka_unit_test(follows_a_swing),
      cmocka_unit_test(dense_output_and_ranges), cmocka_unit_test(ends_anywhere),
      cmocka_unit_test(polynomial_in_few_steps), cmocka_unit_test(checked_by_the_equation),
      cmocka_unit_test(goes_on_without),         cmocka_unit_test(ranges_of_polynomials),
      cmocka_unit_test(beside_and_sampled),      cmocka_unit_test(ranges_of_single_powers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
