// SPDX-License-Identifier: MIT
// Periodic motions with relays: against the closed form, and, where they slide on a jump, against
// the same system with a contact that sticks.
#include "hybrid/motion.h"

#include "carom/orbit.h"
#include "results.h"

static carom_orbit_view find(const char *text) {
  motion m = motion_parse(text);
  carom_orbit_options options = carom_orbit_options_default();
  carom_orbit_view orbit;
  carom_error error = {0};
  options.model = m.model;
  MUST(find_orbit(&options, &orbit, &error), error);
  motion_end(&m);
  return orbit;
}

// y3 of 1/(s + 1)^3 behind a relay of u = 1 over half a period h, which begins at c + 1 where it
// must be 0: e = y - 1 decays as exp(-t) (a, b + a t, c + b t + a t^2/2), and e(h) + e(0) = -2
static double output_at_switch(double h) {
  double E = exp(-h), a = -2.0 / (1.0 + E), b = (-2.0 - a * h * E) / (1.0 + E);
  return (-2.0 - (b * h + 0.5 * a * h * h) * E) / (1.0 + E) + 1.0;
}

// the limit cycle of a relay without hysteresis (Astrom 1995)
static void relay_cycle(void **state) {
  (void)state;
  carom_orbit_view orbit = find("states:\n"
                                "  a: {start: 0.5, rate: -a - sign(c)}\n"
                                "  b: {start: 0.2, rate: a - b}\n"
                                "  c: {start: 0.1, rate: b - c}\n"
                                "run: {until: 60}\n");
  double lo = 1.0, hi = 3.0;
  CHECK(output_at_switch(lo) * output_at_switch(hi) < 0.0);
  for (int k = 0; k < 60; k++) {
    double middle = 0.5 * (lo + hi);
    *(output_at_switch(lo) * output_at_switch(middle) > 0.0 ? &lo : &hi) = middle;
  }
  assert_int_equal(orbit.kind, CAROM_ORBIT_STABLE);
  CHECK_NEAR(orbit.period, lo + hi, 1e-9);
}

// stick and slip by falling friction, of a sign and of a contact
static void stick_and_slip(void **state) {
  (void)state;
  static const char *const body = "coordinates: {x: {start: 0.3, rate: 0.1}}\n"
                                  "energy: {kinetic: x'^2/2, potential: x^2/2}\n"
                                  "run: {until: 150, rtol: 1e-11, atol: 1e-11}\n";
  char text[2][500];
  (void)snprintf(text[0], sizeof text[0],
                 "%sforces: {x: -0.3/(1 + abs(x' - 0.2))*sign(x' - 0.2) - 0.02*x'}\n", body);
  (void)snprintf(text[1], sizeof text[1],
                 "%sforces: {x: -0.02*x'}\n"
                 "contacts: {pad: {normal: 1, slip: x' - 0.2, friction: 0.3/(1 + abs(slip))}}\n",
                 body);
  carom_orbit_view jump = find(text[0]), pad = find(text[1]);
  assert_string_equal(pad.word, "K -");
  CHECK_NEAR(jump.period, pad.period, 1e-8);
  assert_int_equal(jump.kind, pad.kind);
  assert_int_equal(jump.floquet.count, pad.floquet.count);
  CHECK_NEAR(jump.floquet.re[0], pad.floquet.re[0], 1e-7);
}

// The same of a driven motion, which forgets one direction where it slides and keeps the other.
static void driven(void **state) {
  (void)state;
  static const char *const body = "coordinates: {x: 0.1}\n"
                                  "energy: {kinetic: x'^2/2, potential: x^2/2}\n"
                                  "run: {until: 100, rtol: 1e-11, atol: 1e-11}\n";
  char text[2][400];
  (void)snprintf(text[0], sizeof text[0], "%sforces: {x: 0.4*cos(0.7*t) - 0.3*sign(x')}\n", body);
  (void)snprintf(text[1], sizeof text[1],
                 "%sforces: {x: 0.4*cos(0.7*t)}\n"
                 "contacts: {pad: {normal: 0.3, slip: x', friction: 1}}\n",
                 body);
  carom_orbit_view jump = find(text[0]), pad = find(text[1]);
  assert_string_equal(pad.word, "K + K -");
  CHECK_NEAR(jump.period, 2.0 * PI / 0.7, 1e-12);
  CHECK_NEAR(jump.floquet.re[0], pad.floquet.re[0], 1e-9);
  assert_int_equal(jump.floquet.extinguished, pad.floquet.extinguished);
  CHECK(fabs(pad.floquet.re[0]) > 0.05 && pad.floquet.extinguished == 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(relay_cycle),
                                     cmocka_unit_test(stick_and_slip), cmocka_unit_test(driven)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
