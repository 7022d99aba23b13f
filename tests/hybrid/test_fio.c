// SPDX-License-Identifier: MIT
// The frictional impact oscillator: what single runs tell about its diagrams.
#include "motion.h"

// runs to a time long after the start-up and measures the last 20 s of it
static motion settled(const char *name, double until, const char *m1, const char *kphi) {
  char end[32], after[32];
  (void)snprintf(end, sizeof end, "%g", until);
  (void)snprintf(after, sizeof after, "%g", until - 20.0);
  carom_setting settings[] = {
      {"run.until", end}, {"measure.after", after}, {"m1", m1}, {"kphi", kphi}, {NULL, NULL}};
  return motion_load(name, settings);
}

static void expect_word(const motion *m, double mu, double e, const char *word) {
  char text[400];
  carom_error error = {0};
  set_value(m, "e", e);
  set_value(m, "mu", mu);
  motion_run(m);
  MUST(carom_simulation_word(m->simulation, text, sizeof text, &error), error);
  assert_string_equal(text, word);
  // into room for it and its end, and no less
  MUST(carom_simulation_word(m->simulation, text, strlen(word) + 1, &error), error);
  assert_int_equal(carom_simulation_word(m->simulation, text, strlen(word), &error),
                   CAROM_ERR_LIMIT);
  CHECK(certificate_of(m).passed);
}

// Set 1, e = 0, on both sides of the values where the motion changes: the equilibrium, then flight,
// slip, stick, slip from 0.389569 on, the impact ends in stick from 0.397909 on, flight straight
// from stick from 0.646809 on
static void words_along_friction(void **state) {
  (void)state;
  motion m = settled("frictional_impact_oscillator", 80.0, "0.1", "100");
  expect_word(&m, 0.3895, 0.0, "+");
  expect_word(&m, 0.3896, 0.0, "F I + K +");
  expect_word(&m, 0.3978, 0.0, "F I + K +");
  expect_word(&m, 0.3980, 0.0, "F I K +");
  expect_word(&m, 0.6466, 0.0, "F I K +");
  assert_int_equal(certificate_of(&m).counts.painleve, 0);
  // up to the very value where sliding meets the paradox, slip takes over for an instant
  expect_word(&m, 0.646807, 0.0, "F I K +");
  expect_word(&m, 0.646808, 0.0, "F I K +");
  expect_word(&m, 0.6470, 0.0, "F I K");
  CHECK(certificate_of(&m).counts.painleve > 100); // flight by the indeterminate case
  expect_word(&m, 0.8, 0.0, "F I K");
  motion_end(&m);
}

// with e = 0.2 one sticking impact per period, the same orbit for every friction
static void bounces_at_any_friction(void **state) {
  (void)state;
  motion m = settled("frictional_impact_oscillator", 80.0, "0.1", "100");
  expect_word(&m, 0.39, 0.2, "F I");
  double top = value_of(&m, "top"), hop = value_of(&m, "hop");
  for (double mu = 0.45; mu < 0.81; mu += 0.1) {
    expect_word(&m, mu, 0.2, "F I");
    CHECK_NEAR(value_of(&m, "top"), top, 1e-11);
    CHECK_NEAR(value_of(&m, "hop"), hop, 1e-11);
  }
  motion_end(&m);
}

// Set 2: slip, stick-slip from 0.360237 on, flight from 0.449854 on; restitution leads to chatter
// that closes, and to the same largest phi'
static void second_set(void **state) {
  (void)state;
  motion m = settled("frictional_impact_oscillator", 200.0, "0.4", "25");
  expect_word(&m, 0.3601, 0.0, "+");
  expect_word(&m, 0.3604, 0.0, "K +");
  expect_word(&m, 0.4498, 0.0, "K +");
  expect_word(&m, 0.4499, 0.0, "F I + K +");
  const double friction[] = {0.453, 0.5, 0.6};
  for (int k = 0; k < 3; k++) {
    expect_word(&m, friction[k], 0.0, "F I + K +");
    double top = value_of(&m, "top");
    set_value(&m, "e", 0.2);
    motion_run(&m);
    CHECK_NEAR(value_of(&m, "top"), top, 1e-10);
    carom_certificate c = certificate_of(&m);
    CHECK(c.passed && c.counts.closings > 100 && c.counts.impacts > 5 * c.counts.closings);
  }
  // at 0.453 it hops by 2e-5 m
  set_value(&m, "e", 0.0);
  set_value(&m, "mu", 0.453);
  motion_run(&m);
  CHECK_NEAR(value_of(&m, "hop"), 2.05e-5, 1e-7);
  motion_end(&m);
}

// the wiper hops at mu = 0.5, nine times per period and only while v < 0, and not at all at 0.3
static event_log events;
static void wiper(void **state) {
  (void)state;
  motion m = motion_load("wiper", NULL);
  motion_log(&m, &events);
  motion_run(&m);
  CHECK_SAME(value_of(&m, "impacts"), 36.0); // in four periods
  for (int k = 0; k < events.count; k++)
    if (events.list[k].kind == CAROM_EVENT_OPEN) CHECK(sin(PI / 2.0 * events.list[k].t) < 0.0);
  CHECK(certificate_of(&m).passed);
  set_value(&m, "mu", 0.3);
  motion_run(&m);
  CHECK_SAME(value_of(&m, "impacts"), 0.0);
  CHECK_NEAR(value_of(&m, "hop"), 0.0, 1e-11);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_along_friction),
      cmocka_unit_test(bounces_at_any_friction),
      cmocka_unit_test(second_set),
      cmocka_unit_test(wiper),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
