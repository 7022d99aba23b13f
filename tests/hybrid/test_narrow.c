// SPDX-License-Identifier: MIT
// Forces narrower than a step, which error control steps over: energy tells the speed behind them,
// a quadrature the time that passing takes.
#include "motion.h"

#include <math.h>

typedef double (*well_shape)(double z);
static double gauss(double z) { return exp(-z * z); }
static double plateau(double z) { return 0.5 * (tanh(z) - tanh(z - 3.0)); }

// The time from 0 to 10 at the speed v, through V(x) = D shape((x - x0)/w): Simpson's rule where
// the shape is not zero.
static double passage(double v, double D, double w, well_shape shape) {
  enum { PARTS = 40000 };
  const double lo = -25.0, hi = 30.0, step = (hi - lo) / PARTS;
  double delay = 0.0;
  for (int k = 0; k <= PARTS; k++) {
    double weight = k == 0 || k == PARTS ? 1.0 : k % 2 ? 4.0 : 2.0;
    delay += weight * (1.0 / sqrt(v * v - 2.0 * D * shape(lo + k * step)) - 1.0 / v);
  }
  return 10.0 / v + w * step / 3.0 * delay;
}

static void check_passage(const char *potential, double D, double w, well_shape shape) {
  char text[600];
  (void)snprintf(text, sizeof text,
                 "parameters: {w: %.17g, D: %.17g}\ncoordinates: {x: {start: 0, rate: 1}}\n"
                 "energy: {kinetic: \"x'^2/2\", potential: \"%s\"}\nstop: {there: x >= 10}\n"
                 "run: {until: 30}\n",
                 w, D, potential);
  motion m = motion_parse(text);
  assert_int_equal(motion_run(&m), CAROM_STOP_EVENT);
  CHECK_NEAR(value_of(&m, "x'"), 1.0, 1e-9);
  CHECK_NEAR(carom_simulation_time(m.simulation), passage(1.0, D, w, shape), 1e-9);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

static void wells_and_bumps(void **state) {
  (void)state;
  static const double widths[] = {0.1, 0.02, 0.005, 3e-4, 1e-5};
  for (int k = 0; k < 5; k++) {
    double w = widths[k];
    check_passage("D*exp(-((x - 3)/w)^2)", -1.0, w, gauss);
    check_passage("D*exp(-((x - 3)/w)^2)", 0.25, w, gauss);
    check_passage("D/2*(tanh((x - 3)/w) - tanh((x - 3)/w - 3))", -0.4, w, plateau);
  }
}

// a blow of unit impulse at t = 3 on a body that flies, and on one that a floor carries
static void blows(void **state) {
  (void)state;
  static const char *const heads[] = {
      "coordinates: {x: {start: 0, rate: 1}}\nenergy: {kinetic: \"x'^2/2\"}\n",
      "coordinates: {x: {start: 0, rate: 1}, y: 0}\n"
      "energy: {kinetic: \"x'^2/2 + y'^2/2\", potential: 9.81*y}\ncontacts: {floor: {gap: y, "
      "impact: "
      "0}}\n"};
  static const char *const widths[] = {"0.1", "0.01", "1e-3", "1e-5"};
  char text[600];
  for (int k = 0; k < 8; k++) {
    (void)snprintf(text, sizeof text,
                   "parameters: {w: %s}\n%sforces: {x: exp(-((t - 3)/w)^2)/(w*sqrt(pi))}\n"
                   "run: {until: 10}\n",
                   widths[k / 2], heads[k % 2]);
    motion m = motion_parse(text);
    assert_int_equal(motion_run(&m), CAROM_OK);
    CHECK_NEAR(value_of(&m, "x'"), 2.0, 1e-9);
    CHECK_NEAR(value_of(&m, "x"), 17.0, 1e-8);
    CHECK(certificate_of(&m).passed);
    motion_end(&m);
  }
}

// x' = exp(-z^2)/(w sqrt(pi)), a state of first order that jumps by one
static void rate_of_a_state(void **state) {
  (void)state;
  motion m = motion_parse("parameters: {w: 1e-4}\nstates: {x: {start: 0, rate: exp(-((t - 4)/w)^2)"
                          "/(w*sqrt(pi))}}\nrun: {until: 9}\n");
  assert_int_equal(motion_run(&m), CAROM_OK);
  CHECK_NEAR(value_of(&m, "x"), 1.0, 1e-9);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(wells_and_bumps), cmocka_unit_test(blows),
                                     cmocka_unit_test(rate_of_a_state)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
