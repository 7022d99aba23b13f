// SPDX-License-Identifier: MIT
// Sticking to a ceiling and coming off it, against an integration of the one equation of a flat
// throw and against the greatest pull of the bond, both written down here.
#include "field_motion_help.h"

static const double G = 9.81, RHO = 1000.0, REST = 0.002, STRENGTH = 40.0;

// int d^-n over the boundary of the unit square that faces the ceiling at the distance d
static double boundary(double d, int n) {
  double near = pow(d, -n), far = pow(d + 1.0, -n);
  return near + far + 2.0 * (near * d - far * (d + 1.0)) / (n - 1);
}

// the force of bond and repulsion, away from the ceiling, in units of the weight
static double push(double d) {
  double bond = boundary(d, 3) * pow(REST, 3) - boundary(d, 6) * pow(REST, 6);
  return boundary(d, 8) / boundary(REST, 8) - STRENGTH * bond;
}

static double acceleration(double d, double v) {
  return G * (1.0 + push(d)) - boundary(d, 2) * v / RHO;
}

// the classical Runge-Kutta method with a small fixed step; the distance after a second
static double thrown_flat(double gap, double speed) {
  double d = gap, v = -speed, h = 2e-6;
  for (int k = 0; k < 500000 && d < 0.1; k++) {
    double a1 = acceleration(d, v), v2 = v + 0.5 * h * a1;
    double a2 = acceleration(d + 0.5 * h * v, v2), v3 = v + 0.5 * h * a2;
    double a3 = acceleration(d + 0.5 * h * v2, v3), v4 = v + h * a3;
    double a4 = acceleration(d + h * v3, v4);
    d += h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4);
    v += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
  }
  return d;
}

static double last_distance(const char *speed, const char *tilt) {
  char path[512];
  const carom_setting settings[] = {{"speed", speed}, {"tilt", tilt}, {"run.until", "1"}};
  (void)snprintf(path, sizeof path, "%s/scenarios/field_ceiling.yaml", CAROM_SOURCE_DIR);
  motion it = motion_make(path, NULL, 3, settings);
  motion_run(&it, 1.0);
  double d = motion_get(&it, "d");
  motion_end(&it);
  return d;
}

// flat throws stick between 0.188 and 1.465 m/s: slower they fall, faster they bounce off
static void flat_throws(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double speed;
    bool sticks;
  } throws[] = {{"0.186", 0.186, false}, {"0.19", 0.19, true}, {"0.5", 0.5, true},
                {"1.0", 1.0, true},      {"1.46", 1.46, true}, {"1.47", 1.47, false}};
  for (size_t k = 0; k < sizeof throws / sizeof *throws; k++) {
    double own = last_distance(throws[k].text, "0"), other = thrown_flat(0.01, throws[k].speed);
    CHECK((own < 3.0 * REST) == throws[k].sticks);
    CHECK((other < 3.0 * REST) == throws[k].sticks);
    if (throws[k].sticks) CHECK_NEAR(own, other, 1e-9);
  }
}

// tilted ones between narrower bounds
static void tilted_throws(void **state) {
  (void)state;
  CHECK(last_distance("0.2", "0.015") > 3.0 * REST);
  CHECK(last_distance("0.5", "0.015") < 3.0 * REST);
  CHECK(last_distance("1.0", "0.015") > 3.0 * REST);
}

static double greatest_pull(void) {
  double most = 0.0;
  for (int k = 0; k < 20000; k++)
    most = fmax(most, -push(REST * (1.2 + 1e-5 * k)));
  return most;
}

// A mass that grows slowly comes off where its weight passes the greatest pull. Momentum is not
// carried by what is added, m(t) p'' = force: a body that falls freely does not notice.
static void growing_mass(void **state) {
  (void)state;
  char path[512];
  const carom_setting settings[] = {{"growth", "0.1"}, {"run.until", "100"}};
  (void)snprintf(path, sizeof path, "%s/scenarios/field_ceiling.yaml", CAROM_SOURCE_DIR);
  motion it = motion_make(path, NULL, 2, settings);
  motion_run(&it, 100.0);
  double released = motion_get(&it, "released"), pull = greatest_pull();
  CHECK_NEAR(pull, 9.8867, 1e-4);
  CHECK(released > pull && released < pull + 0.03);
  CHECK(motion_certificate(&it).passed);
  motion_end(&it);

  motion fall = motion_text("engine: field\nbody: {square: 1, mass_factor: 1 + 3*t}\n"
                            "start: {position: [0, 50], velocity: [2, 0], rate: 1}\n"
                            "run: {until: 1, rtol: 1e-11}\n");
  motion_run(&fall, 1.0);
  CHECK_NEAR(motion_get(&fall, "y"), 50.0 - 0.5 * G, 1e-10);
  CHECK_NEAR(motion_get(&fall, "x"), 2.0, 1e-10);
  CHECK_NEAR(motion_get(&fall, "theta"), 1.0, 1e-10);
  motion_end(&fall);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(flat_throws), cmocka_unit_test(tilted_throws),
                                     cmocka_unit_test(growing_mass)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
