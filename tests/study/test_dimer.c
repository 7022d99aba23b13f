// SPDX-License-Identifier: MIT
/// The bouncing dimer: speeds, cycles and names of its motions, whatever closes the staying tip.
#include "hybrid/motion.h"

static double drift_of(const char *chatter, const char *mu_impact, const char *Ar) {
  carom_setting settings[] = {{"run.chatter", chatter}, {"mu_impact", mu_impact}, {"Ar", Ar},
                              {"settle", "40"},         {"cycles", "10"},         {NULL, NULL}};
  motion m = motion_load("dimer", settings);
  assert_int_equal(motion_run(&m), CAROM_OK);
  CHECK(certificate_of(&m).passed);
  double drift = value_of(&m, "drift");
  motion_end(&m);
  return drift;
}

// with one friction for impacts and contact, closing a tip early changes nothing: bounces that are
// left out would have pressed and rubbed as the contact does
static void closing_keeps_the_drift(void **state) {
  (void)state;
  const char *ratios[] = {"3.9", "4.7", "5.7"};
  for (int k = 0; k < 3; k++) {
    double early = drift_of("{speed: rest*A*2*pi*f}", "0.12", ratios[k]);
    double late = drift_of("{speed: 1e-6}", "0.12", ratios[k]);
    CHECK_NEAR(early, late, 2e-3 * fabs(late));
  }
}

// speeds known from another program, in mm/s, to half a percent
static void drift_speeds(void **state) {
  (void)state;
  CHECK_NEAR(1e3 * drift_of("{speed: rest*A*2*pi*f}", "0.12", "3.9"), 3.192, 0.016);
  CHECK_NEAR(1e3 * drift_of("{speed: rest*A*2*pi*f}", "0.08", "3.9"), 8.471, 0.042);
  CHECK_NEAR(1e3 * drift_of("{speed: 1e-6}", "0.08", "3.9"), 8.512, 0.042);
  CHECK_NEAR(1e3 * drift_of("{speed: rest*A*2*pi*f}", "0.08", "5.7"), -6.716, 0.034);
}

static const char *regime_of(motion *m) {
  const char *name = NULL;
  carom_error error = {0};
  MUST(carom_simulation_regime(m->simulation, &name, &error), error);
  return name ? name : "";
}

// the mirrored start moves as in a mirror and has the mirrored name
static void mirror_images(void **state) {
  (void)state;
  carom_setting straight[] = {{"settle", "40"}, {"cycles", "10"}, {NULL, NULL}};
  carom_setting mirrored[] = {{"theta0", "-5*pi/180"},
                              {"coordinates.y", "r + h0 - l/2*sin(theta0)"},
                              {"settle", "40"},
                              {"cycles", "10"},
                              {NULL, NULL}};
  motion a = motion_load("dimer", straight), b = motion_load("dimer", mirrored);
  assert_int_equal(motion_run(&a), CAROM_OK);
  assert_int_equal(motion_run(&b), CAROM_OK);
  assert_string_equal(regime_of(&a), "drift+");
  assert_string_equal(regime_of(&b), "drift+ mirrored");
  CHECK_NEAR(value_of(&a, "drift"), -value_of(&b, "drift"), 1e-9);
  motion_end(&a);
  motion_end(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(closing_keeps_the_drift),
                                     cmocka_unit_test(drift_speeds),
                                     cmocka_unit_test(mirror_images)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
