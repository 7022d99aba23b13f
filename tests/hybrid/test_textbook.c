// SPDX-License-Identifier: MIT
// Bodies against what textbooks of mechanics have in closed form.
#include "motion.h"

// A block slides down a wedge that is free to move on a smooth floor: the wedge is driven back with
// the acceleration m g sin a cos a/(M + m sin^2 a), and the mass centre of both stays.
static void movable_wedge(void **state) {
  (void)state;
  motion m = motion_parse(
      "parameters: {al: 0.5, h: 2*tan(al), px: 0.8, py: h - px*tan(al)}\n"
      "gravity: 9.81\n"
      "bodies:\n"
      "  floor: {plane: [0, 1]}\n"
      "  w: {polygon: [[0, 0], [2, 0], [0, h]], mass: 3, at: [2/3, h/3]}\n"
      "  b: {box: [0.3, 0.2], mass: 1, at: [px + 0.1*sin(al), py + 0.1*cos(al)], turn: -al}\n"
      "contacts: {f: {between: [w, floor]}, c: {between: [b, w]}}\n"
      "run: {until: 0.4}\n");
  assert_int_equal(motion_run(&m), CAROM_OK);
  CHECK(certificate_of(&m).passed);
  double s = sin(0.5), c = cos(0.5), way = 9.81 * s * c / (3.0 + s * s) * 0.08;
  CHECK_NEAR(value_of(&m, "w.x"), 2.0 / 3.0 - way, 1e-10);
  CHECK_NEAR(value_of(&m, "b.x"), 0.8 + 0.1 * s + 3.0 * way, 1e-10);
  CHECK_NEAR(value_of(&m, "b.turn"), -0.5, 1e-10);
  motion_end(&m);
}

// A planetary gear with a fixed ring of twice the radius of its sun: the sun turns three times as
// fast as the carrier, the planets as fast as the sun the other way round.
static void planetary_gear(void **state) {
  (void)state;
  motion m = motion_parse("bodies:\n"
                          "  base: {box: [0.1, 0.1], mass: 1, fixed: yes}\n"
                          "  ring: {disc: 2, mass: 1, fixed: yes}\n"
                          "  sun: {disc: 1, mass: 1, inertia: 0.3}\n"
                          "  carrier: {disc: 0.2, mass: 1, inertia: 0.4}\n"
                          "  planet: {disc: 0.5, mass: 0.8, inertia: 0.05, at: [1.5, 0]}\n"
                          "joints:\n"
                          "  drive: {between: [sun, base], hinge: [0, 0], motor: {torque: 1}}\n"
                          "  out: {between: [carrier, base], hinge: [0, 0]}\n"
                          "  a: {between: [sun, carrier], hinge: [0, 0]}\n"
                          "  b: {between: [ring, carrier], hinge: [0, 0]}\n"
                          "  c: {between: [planet, carrier], hinge: [1.5, 0]}\n"
                          "  inner: {gear: -2, of: [c, a]}\n"
                          "  outer: {gear: 4, of: [c, b]}\n"
                          "run: {until: 2}\n");
  assert_int_equal(motion_run(&m), CAROM_OK);
  CHECK(certificate_of(&m).passed);
  double turned = 0.5 * 4.0 * 3.0 / (0.3 * 9.0 + 0.4 + 0.8 * 1.5 * 1.5 + 0.05 * 9.0);
  CHECK_NEAR(value_of(&m, "carrier.turn"), turned, 1e-9);
  CHECK_NEAR(value_of(&m, "sun.turn"), 3.0 * turned, 1e-9);
  CHECK_NEAR(value_of(&m, "planet.turn"), -3.0 * turned, 1e-9);
  motion_end(&m);
}

// A top that is let go with its axis at rest, tilted by th, dips to the tilt whose cosine u solves
// b (1 - u^2) = a^2 (cos th - u), with a = I3 w/I1 and b = 2 m g l/I1, and rises to th again.
static void top_let_go(void **state) {
  (void)state;
  motion m =
      motion_parse("parameters: {th: 0.7, w: 60, l: 0.5}\n"
                   "gravity: 9.81\n"
                   "bodies:\n"
                   "  base: {box: [0.1, 0.1, 0.1], mass: 1, fixed: yes}\n"
                   "  top: {cylinder: [0.3, 0.1], mass: 1, at: [l*sin(th), 0, l*cos(th)],\n"
                   "        turn: {axis: [0, 1, 0], angle: th}, spin: [w*sin(th), 0, w*cos(th)]}\n"
                   "joints: {tip: {between: [top, base], ball: [0, 0, 0]}}\n"
                   "run: {until: 3}\n"
                   "observe: {lowest: min(top.z), highest: max(top.z)}\n");
  assert_int_equal(motion_run(&m), CAROM_OK);
  CHECK(certificate_of(&m).passed);
  double I3 = 0.045, I1 = (3.0 * 0.09 + 0.01) / 12.0 + 0.25, u0 = cos(0.7);
  double a2 = I3 * 60.0 / I1 * (I3 * 60.0 / I1), b = 9.81 / I1;
  double u = (a2 - sqrt(a2 * a2 - 4.0 * b * (a2 * u0 - b))) / (2.0 * b);
  CHECK_NEAR(value_of(&m, "lowest"), 0.5 * u, 1e-9);
  CHECK_NEAR(value_of(&m, "highest"), 0.5 * u0, 1e-9);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(movable_wedge),
                                     cmocka_unit_test(planetary_gear),
                                     cmocka_unit_test(top_let_go)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
