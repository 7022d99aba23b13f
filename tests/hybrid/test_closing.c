// SPDX-License-Identifier: MIT
// A slow rebound is taken away and the contact closes: the friction that goes with it, both ways
// along the floor, and whatever the unit of mass.
#include "motion.h"

static const double G = 10.0, H = 0.01, E = 0.4, MU = 0.3;

// where a ball of mass m comes to rest that is dropped from H with the speed s along the floor
static double rests_at(double s, double m) {
  char text[600];
  (void)snprintf(text, sizeof text,
                 "parameters: {m: %.17g, s: %.17g}\n"
                 "coordinates: {x: {start: 0, rate: s}, y: 0.01}\n"
                 "energy: {kinetic: m*(x'^2 + y'^2)/2, potential: 10*m*y}\n"
                 "contacts: {floor: {gap: y, slip: x', friction: 0.3, impact: 0.4}}\n"
                 "run: {until: 1, chatter: {speed: 0.2}}\n",
                 m, s);
  motion ball = motion_parse(text);
  assert_int_equal(motion_run(&ball), CAROM_OK);
  CHECK(certificate_of(&ball).passed);
  assert_int_equal(certificate_of(&ball).counts.impacts, 1);
  CHECK_NEAR(value_of(&ball, "x'"), 0.0, 1e-12);
  double x = value_of(&ball, "x");
  motion_end(&ball);
  return x;
}

// One impact at v, friction MU (1 + E) v; then the rebound E v goes, and with it MU E v of friction
// as long as that changes the slip by no more than half; then MU G slows down.
static void slips_after_closing(void **state) {
  (void)state;
  double fall = sqrt(2.0 * H / G), v = G * fall;
  int kept = 0;
  for (double s = 0.2; s < 0.6; s += 0.037) {
    double slip = s - MU * (1.0 + E) * v, back = MU * E * v;
    bool counts = back <= 0.5 * slip;
    if (slip <= 0.0) continue;
    if (counts) slip += back;
    kept += counts;
    double x = s * fall + slip * slip / (2.0 * MU * G);
    CHECK_NEAR(rests_at(s, 1.0), x, 1e-9);
    CHECK_SAME(rests_at(-s, 1.0), -rests_at(s, 1.0));
  }
  CHECK(kept > 3 && kept < 10); // both cases are among them
}

static void no_unit_of_mass(void **state) {
  (void)state;
  for (double s = 0.25; s < 0.5; s += 0.1) {
    double x = rests_at(s, 1.0);
    CHECK_SAME(rests_at(s, 1048576.0), x);
    CHECK_SAME(rests_at(s, 1.0 / 1048576.0), x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(slips_after_closing),
                                     cmocka_unit_test(no_unit_of_mass)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
