// SPDX-License-Identifier: MIT
// Dry friction whose normal force is given: against closed forms, and against the same system with
// a height and gravity that press as much.
#include "motion.h"

#include "hybrid/tangent.h"

static event_log events;

// Den Hartog 1931: x'' + x = cos(w t + phi) - F sign(x') without stops. From one turning point to
// the next, half a period T = pi/w later, x = V cos(w t + phi) + F + c1 cos t + c2 sin t must go
// from A to -A, both at rest: c1 = -F, c2 = -F tan(T/2), V w sin(phi) = c2, A = V cos(phi).
static void den_hartog(void **state) {
  (void)state;
  const double w = 0.7, F = 0.3, V = 1.0 / (1.0 - w * w), period = 2.0 * PI / w;
  double phi = asin(-F * tan(0.25 * period) / (V * w)), A = V * cos(phi);
  motion m = motion_parse("parameters: {F: 0.3, w: 0.7, phi: 0}\n"
                          "coordinates: {x: 0}\n"
                          "energy: {kinetic: x'^2/2, potential: x^2/2}\n"
                          "forces: {x: cos(w*t + phi)}\n"
                          "contacts: {pad: {normal: F, slip: x', friction: 1}}\n"
                          "run: {until: 100, rtol: 1e-12, atol: 1e-12}\n");
  set_value(&m, "phi", phi);
  set_value(&m, "x", A);
  motion_log(&m, &events);
  motion_advance(&m, 10.0 * period);
  for (int k = 0; k < 19; k++)
    CHECK_NEAR(find_logged(&events, CAROM_EVENT_REVERSE, "pad", k)->t, (k + 1) * 0.5 * period,
               1e-9);
  CHECK_NEAR(value_of(&m, "x"), A, 1e-9);
  CHECK_NEAR(value_of(&m, "x'"), 0.0, 1e-9);
  carom_certificate c = certificate_of(&m);
  CHECK(c.passed);
  CHECK_NEAR(c.energy.lost_friction, 10.0 * 4.0 * A * F,
             1e-8); // F over the way, four times A a turn
  motion_end(&m);
}

// every event and the end of a motion with mu_s > mu, mu of the slip, on a belt that swings
static void as_with_a_height(void **state) {
  (void)state;
  static event_log high;
  static const char *const laws = "friction: {stick: 0.4, slip: 0.3/(1 + abs(slip))}}}\n"
                                  "run: {until: 60, rtol: 1e-12, atol: 1e-12}\n";
  char text[2][700];
  (void)snprintf(text[0], sizeof text[0],
                 "coordinates: {x: 0, y: 0}\n"
                 "energy: {kinetic: 1.3*(x'^2 + y'^2)/2, potential: x^2 + 1.3*9.81*y}\n"
                 "contacts: {belt: {gap: y, slip: x' - 0.3 - 0.1*sin(0.7*t), %s",
                 laws);
  (void)snprintf(text[1], sizeof text[1],
                 "coordinates: {x: 0}\n"
                 "energy: {kinetic: 1.3*x'^2/2, potential: x^2}\n"
                 "contacts: {belt: {normal: 1.3*9.81, slip: x' - 0.3 - 0.1*sin(0.7*t), %s",
                 laws);
  motion with = motion_parse(text[0]), without = motion_parse(text[1]);
  motion_log(&with, &high);
  motion_log(&without, &events);
  motion_run(&with);
  motion_run(&without);
  CHECK(events.count > 8);
  assert_int_equal(events.count, high.count);
  for (int k = 0; k < events.count; k++) {
    assert_int_equal(events.list[k].kind, high.list[k].kind);
    CHECK_NEAR(events.list[k].t, high.list[k].t, 1e-9);
  }
  CHECK_NEAR(value_of(&without, "x"), value_of(&with, "x"), 1e-9);
  CHECK_NEAR(certificate_of(&without).energy.lost_friction,
             certificate_of(&with).energy.lost_friction, 1e-8);
  CHECK(certificate_of(&without).passed);
  motion_end(&with);
  motion_end(&without);
}

// A slides on B, which slides on the ground: until their speeds meet, then together until rest.
static void in_series(void **state) {
  (void)state;
  const double f1 = 2.0, f2 = 0.8, m1 = 1.5, m2 = 2.5, v = 3.0;
  motion m = motion_parse("coordinates: {a: {rate: 3}, b: 0}\n"
                          "energy: {kinetic: 1.5*a'^2/2 + 2.5*b'^2/2}\n"
                          "contacts:\n"
                          "  upper: {normal: 4, slip: a' - b', friction: 0.5}\n"
                          "  lower: {normal: 8, slip: b', friction: 0.1}\n"
                          "run: {until: 30}\n");
  motion_log(&m, &events);
  motion_run(&m);
  double meet = v / (f1 / m1 + (f1 - f2) / m2), common = (f1 - f2) / m2 * meet;
  double rest = meet + common * (m1 + m2) / f2;
  CHECK_NEAR(find_logged(&events, CAROM_EVENT_STICK, "upper", 0)->t, meet, 1e-9);
  CHECK_NEAR(find_logged(&events, CAROM_EVENT_STICK, "lower", 0)->t, rest, 1e-9);
  assert_int_equal(count_logged(&events, CAROM_EVENT_STICK, NULL), 2);
  double slid = v * meet - 0.5 * (f1 / m1 + (f1 - f2) / m2) * meet * meet;
  CHECK_NEAR(value_of(&m, "a") - value_of(&m, "b"), slid, 1e-9);
  CHECK_NEAR(value_of(&m, "a'"), 0.0, 1e-14);
  carom_certificate c = certificate_of(&m);
  CHECK_NEAR(c.energy.lost_friction, 0.5 * m1 * v * v, 1e-8);
  CHECK(c.passed);
  motion_end(&m);
}

// The load presses over every other half turn: each takes 2 mu from the speed, until it is used up.
static void check_pulses(const char *load, double taken) {
  char text[400];
  (void)snprintf(text, sizeof text,
                 "coordinates: {x: {rate: 2}}\nenergy: {kinetic: x'^2/2}\n"
                 "contacts: {pad: {normal: \"%s\", slip: x', friction: 0.3}}\nrun: {until: 19}\n",
                 load);
  motion m = motion_parse(text);
  motion_log(&m, &events);
  motion_advance(&m, 4.0);
  CHECK_NEAR(value_of(&m, "x'"), 2.0 - 0.3 * taken, 1e-9);
  motion_advance(&m, 10.0);
  CHECK_NEAR(value_of(&m, "x'"), 2.0 - 0.6 * taken, 1e-9);
  motion_run(&m);
  CHECK_NEAR(find_logged(&events, CAROM_EVENT_OPEN, "pad", 0)->t, PI, 1e-9);
  CHECK_NEAR(find_logged(&events, CAROM_EVENT_CLOSE, "pad", 1)->t, 2.0 * PI, 1e-9);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

static void load_that_vanishes(void **state) {
  (void)state;
  check_pulses("sin(t)", 2.0);
  check_pulses("max(0, sin(t))", 2.0);
  check_pulses("if(sin(t) > 0, 2/pi, 0)", 2.0);
  check_pulses("if(sin(t) > 0, 2/pi, -1)", 2.0);
  // held by stick against a spring until its load has fallen to what the spring asks for
  motion m = motion_parse("coordinates: {x: 1}\nenergy: {kinetic: x'^2/2, potential: x^2/2}\n"
                          "contacts: {pad: {normal: 10 - t, slip: x', friction: 0.2}}\n"
                          "run: {until: 12}\n");
  motion_log(&m, &events);
  motion_run(&m);
  CHECK_NEAR(find_logged(&events, CAROM_EVENT_SLIP, "pad", 0)->t, 5.0, 1e-9);
  CHECK_NEAR(find_logged(&events, CAROM_EVENT_OPEN, "pad", 0)->t, 10.0, 1e-9);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// x'' = -mu (1 + x'): at rest after log(1 + v)/mu
static void load_of_the_speed(void **state) {
  (void)state;
  motion m = motion_parse("coordinates: {x: {rate: 2}}\nenergy: {kinetic: x'^2/2}\n"
                          "contacts: {pad: {normal: 1 + x', slip: x', friction: 0.3}}\n"
                          "run: {until: 19}\n");
  motion_log(&m, &events);
  motion_run(&m);
  CHECK_NEAR(find_logged(&events, CAROM_EVENT_STICK, "pad", 0)->t, log(3.0) / 0.3, 1e-9);
  motion_end(&m);
}

// A ball strikes a block that its load holds: the load is no impulse, and the block is set off as a
// free one; friction stops it afterwards, and the impact alone has no part in that.
static void check_struck(const char *law) {
  char text[600];
  (void)snprintf(text, sizeof text,
                 "coordinates: {ball: {start: -1, rate: 2}, block: 0}\n"
                 "energy: {kinetic: ball'^2/2 + block'^2/2}\n"
                 "contacts:\n"
                 "  hit: {gap: block - ball, impact: {e: 0.5, law: %s}}\n"
                 "  pad: {normal: 1, slip: block', friction: 0.25}\n"
                 "run: {until: 0.6}\n",
                 law);
  motion m = motion_parse(text);
  motion_log(&m, &events);
  motion_run(&m);
  CHECK_NEAR(find_logged(&events, CAROM_EVENT_IMPACT, "hit", 0)->t, 0.5, 1e-12);
  CHECK_NEAR(value_of(&m, "ball'"), 0.5, 1e-12);
  CHECK_NEAR(value_of(&m, "block'"), 1.5 - 0.1 * 0.25, 1e-12);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

static void impacts_pass_it_by(void **state) {
  (void)state;
  check_struck("newton");
  check_struck("poisson");
  check_struck("energetic");
}

// how the state after some events depends on the start: by the tangent, and by differences
static void neighbours(void **state) {
  (void)state;
  motion m = motion_parse("coordinates: {x: {start: 0.4, rate: 1.5}}\n"
                          "energy: {kinetic: x'^2/2, potential: x^2/2}\n"
                          "forces: {x: 3*cos(0.7*t)}\n"
                          "contacts:\n"
                          "  pad: {normal: 1 + 0.5*x + 1.2*sin(t), slip: x',\n"
                          "        friction: {stick: 0.5, slip: 0.4}}\n"
                          "run: {until: 12, rtol: 1e-12, atol: 1e-12}\n");
  double end[3][2], matrix[4];
  int size = 2;
  carom_error error = {0};
  MUST(carom_tangent_begin(m.simulation, &error), error);
  motion_log(&m, &events);
  motion_advance(&m, 12.0);
  memcpy(matrix, carom_tangent_matrix(m.simulation, &size), sizeof matrix);
  carom_tangent_end(m.simulation);
  CHECK(count_logged(&events, CAROM_EVENT_OPEN, "pad") > 0);
  CHECK(count_logged(&events, CAROM_EVENT_STICK, "pad") == 0); // it would forget where it began
  CHECK(count_logged(&events, CAROM_EVENT_REVERSE, "pad") > 1);
  const double step = 1e-5;
  const char *const names[] = {"x", "x'"};
  for (int j = 0; j < 2; j++) {
    for (int side = 0; side < 2; side++) {
      set_value(&m, names[0], 0.4 + (j == 0 ? (2 * side - 1) * step : 0.0));
      set_value(&m, names[1], 1.5 + (j == 1 ? (2 * side - 1) * step : 0.0));
      motion_advance(&m, 12.0);
      end[side][0] = value_of(&m, "x");
      end[side][1] = value_of(&m, "x'");
    }
    for (int i = 0; i < 2; i++)
      CHECK_NEAR(matrix[2 * i + j], (end[1][i] - end[0][i]) / (2.0 * step), 2e-6);
  }
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(den_hartog),        cmocka_unit_test(as_with_a_height),
      cmocka_unit_test(in_series),         cmocka_unit_test(load_that_vanishes),
      cmocka_unit_test(load_of_the_speed), cmocka_unit_test(impacts_pass_it_by),
      cmocka_unit_test(neighbours),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
