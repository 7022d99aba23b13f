// SPDX-License-Identifier: MIT
/// The bouncing dimer beside a program written by hand for this one body (dimer_by_hand.h): speeds,
/// tilts, impacts and stick a cycle, motions, and where backward drift ends.
#include "dimer_by_hand.h"
#include "hybrid/motion.h"

#include <stdio.h>

typedef struct text {
  char value[64];
} text;

static text number(double value) {
  text t;
  snprintf(t.value, sizeof t.value, "%.17g", value);
  return t;
}

// what both programs have to say
typedef struct opinion {
  double drift, tilt_max, tilt_min, left, right;
} opinion;

static opinion by_hand(const hand_dimer *d) {
  hand_outcome o = hand_run(d);
  return (opinion){o.drift, o.tilt_max, o.tilt_min, o.left, o.right + o.both};
}

static opinion by_carom(const hand_dimer *d, const char *scenario) {
  const double degree = 3.14159265358979323846 / 180.0;
  text Ar = number(d->aspect), f = number(d->f), e = number(d->e), gamma = number(d->gamma),
       stick = number(d->stick), slide = number(d->slide), impact = number(d->impact_slide),
       rest = number(d->rest), h0 = number(d->h0), theta0 = number(d->theta0),
       settle = number(d->settle), cycles = number(d->cycles);
  carom_setting settings[] = {{"Ar", Ar.value},
                              {"f", f.value},
                              {"e", e.value},
                              {"Gamma", gamma.value},
                              {"rest", rest.value},
                              {"h0", h0.value},
                              {"theta0", theta0.value},
                              {"settle", settle.value},
                              {"cycles", cycles.value},
                              {"mu_stick", stick.value},
                              {"mu_slip", slide.value},
                              {"mu_impact", impact.value},
                              {NULL, NULL}};
  motion m = motion_load(scenario, settings);
  assert_int_equal(motion_run(&m), CAROM_OK);
  opinion o = {value_of(&m, "drift"), degree * value_of(&m, "tilt_max"),
               degree * value_of(&m, "tilt_min"), value_of(&m, "left_impacts"),
               value_of(&m, "right_impacts")};
  motion_end(&m);
  return o;
}

static void compare(const hand_dimer *d, const char *scenario, double relative) {
  opinion hand = by_hand(d), carom = by_carom(d, scenario);
  double scale = fabs(hand.tilt_max) + fabs(hand.tilt_min);
  CHECK_NEAR(carom.drift, hand.drift, relative * fabs(hand.drift) + 1e-9);
  CHECK_NEAR(carom.tilt_max, hand.tilt_max, relative * scale);
  CHECK_NEAR(carom.tilt_min, hand.tilt_min, relative * scale);
  CHECK_NEAR(carom.right, hand.right, 1.5 / d->cycles);
}

static hand_dimer dimer(double aspect, double f, double impact_slide) {
  hand_dimer d = hand_dimer_default(aspect, f, impact_slide);
  d.rest = 1e-3;
  d.fine = 2000;
  return d;
}

// drift both ways, at three frequencies, with stick and without; just beyond the end of backward
// drift (5.105 at 75 Hz) the tip sticks in contact and in every impact
static void drift_speeds(void **state) {
  (void)state;
  const double cases[][3] = {{2.5, 25, 0.08}, {2.9, 25, 0.08}, {3.1, 25, 0.08},  {3.9, 25, 0.12},
                             {3.9, 25, 0.08}, {4.7, 25, 0.12}, {4.7, 75, 0.12},  {5.1, 50, 0.08},
                             {5.7, 25, 0.12}, {6.1, 25, 0.08}, {5.105, 75, 0.08}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    hand_dimer d = dimer(cases[k][0], cases[k][1], cases[k][2]);
    compare(&d, "dimer", 1e-3);
  }
}

// other motions: jump, flutter
static void motions(void **state) {
  (void)state;
  hand_dimer d = dimer(3.9, 50, 0.08);
  d.settle = 150;
  d.h0 = 1.5e-3;
  d.theta0 = 0.05;
  compare(&d, "dimer", 1e-4);
  d.e = 0.8;
  d.h0 = 4.65e-3;
  d.theta0 = 3.5 * 3.14159265358979323846 / 180.0;
  compare(&d, "dimer", 1e-4);
}

// The closing of a tip by dropping its rebound, without the friction of the impulse that takes it
// away, is what other values at Ar = 4.7 and 6.1 came from.
static void closing_by_dropping(void **state) {
  (void)state;
  const double cases[][4] = {
      {4.7, 25, 0.12, 0.188}, {4.7, 75, 0.12, 0.314}, {6.1, 25, 0.08, -1.008}};
  for (int k = 0; k < 3; k++) {
    hand_dimer d = hand_dimer_default(cases[k][0], cases[k][1], cases[k][2]);
    d.fine = 2000;
    d.closing = HAND_DROPS;
    CHECK_NEAR(hand_run(&d).scaled, cases[k][3], 7e-4);
    d.closing = HAND_STRIKES;
    CHECK(fabs(hand_run(&d).scaled - cases[k][3]) > 4e-3);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(drift_speeds), cmocka_unit_test(motions),
                                     cmocka_unit_test(closing_by_dropping)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
