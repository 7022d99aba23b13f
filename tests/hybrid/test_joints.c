// SPDX-License-Identifier: MIT
// What drives joints: limits, springs, dampers, motors, dry friction and gears, against one angle
// written by hand and closed forms.
#include "motion.h"

#include <math.h>

#define DRIVE                                                                                      \
  "stiffness: 30, rest: 0.4, damping: 0.3, limits: [-0.2, 0.45], impact: 0.5,\n"                   \
  "               friction: 0.1, motor: {torque: 2*sin(3*t)}}}\n"                                  \
  "run: {until: 3, rtol: 1e-11}\n"                                                                 \
  "observe: {gone: last(top.angle)}\n"

// a rod with everything on its hinge, in the plane and in space, and its angle by hand
static void hinge_with_everything(void **state) {
  (void)state;
  motion hand = motion_parse(
      "coordinates: {a: 0}\n"
      "energy: {kinetic: \"0.33*a'^2/2\", potential: -9.81*cos(a)/2 + 15*(a - 0.4)^2,\n"
      "         dissipation: \"0.3*a'^2/2\"}\n"
      "forces: {a: 2*sin(3*t)}\n"
      "contacts: {low: {gap: a + 0.2, impact: 0.5}, high: {gap: 0.45 - a, impact: 0.5},\n"
      "           dry: {normal: 0.1, slip: \"a'\", friction: 1}}\n"
      "run: {until: 3, rtol: 1e-11}\n");
  static const char *const bodies[] = {
      "bodies:\n"
      "  frame: {fixed: yes}\n"
      "  rod: {mass: 1, inertia: 0.08, at: [0, -0.5], turn: 0.7}\n"
      "gravity: 9.81\n"
      "joints: {top: {between: [rod, frame], hinge: [0, 0], " DRIVE,
      "bodies:\n"
      "  frame: {fixed: yes, at: [0, 0, 0]}\n"
      "  rod: {mass: 1, inertia: [0.1, 0.08, 0.1], at: [0, 0, -0.5]}\n"
      "gravity: 9.81\n"
      "joints: {top: {between: [rod, frame], hinge: [0, 0, 0], axis: [0, 2, 0], " DRIVE};
  motion_run(&hand);
  CHECK(certificate_of(&hand).counts.impacts >= 2);
  for (int k = 0; k < 2; k++) {
    motion m = motion_parse(bodies[k]);
    motion_run(&m);
    CHECK_NEAR(value_of(&m, "gone"), value_of(&hand, "a"), 1e-9);
    CHECK(certificate_of(&m).counts.impacts == certificate_of(&hand).counts.impacts);
    CHECK(certificate_of(&m).passed);
    motion_end(&m);
  }
  motion_end(&hand);
}

// Two free masses pushed apart by a slider's motor with F = 2: the way grows by F (1/m1 + 1/m2)
// t^2/2 up to the limit, at 0.75 after 1 s, and e = 0.5 halves the speed of parting, 1.5. Momentum
// and angular momentum stay.
static void slider_pushes(void **state) {
  (void)state;
  motion m = motion_parse("bodies:\n"
                          "  one: {box: [0.2, 0.2], mass: 2, at: [1, 1]}\n"
                          "  two: {box: [0.2, 0.2], mass: 4, at: [0, 1]}\n"
                          "joints: {rail: {between: [one, two], slider: [1, 1], axis: [3, 0],\n"
                          "                limits: [-1, 0.75], impact: 0.5, motor: {force: 2}}}\n"
                          "run: {until: 1.25}\n"
                          "observe: {gone: last(rail.slid), p: one.px + two.px,\n"
                          "          l: one.lz + two.lz}\n");
  motion_run(&m);
  CHECK_NEAR(value_of(&m, "gone"), 0.75 - 0.75 * 0.25 + 0.75 * 0.0625, 1e-11);
  CHECK_NEAR(value_of(&m, "p"), 0.0, 1e-12);
  CHECK_NEAR(value_of(&m, "l"), 0.0, 1e-12);
  motion_end(&m);
}

// A rate that is given goes on for many turns in space, on a table that turns beneath; the angle
// is that of the rod against the table.
static void motor_keeps_its_rate(void **state) {
  (void)state;
  motion m = motion_parse("bodies:\n"
                          "  table: {at: [0, 0, 0], moved: {turn: 2*t}}\n"
                          "  rotor: {mass: 1, inertia: [1, 1, 2], at: [0, 0, 0], spin: [0, 0, 9]}\n"
                          "joints: {axle: {between: [rotor, table], hinge: [0, 0, 0],\n"
                          "                axis: [0, 0, 1], motor: {rate: 7}}}\n"
                          "run: {until: 5}\n"
                          "observe: {gone: last(axle.angle), spin: rotor.wz}\n");
  motion_run(&m);
  CHECK_NEAR(value_of(&m, "gone"), 35.0, 1e-9);
  CHECK_NEAR(value_of(&m, "spin"), 9.0, 1e-10);
  motion_end(&m);
}

// two wheels of inertia J1, J2 with w1 = -2 w2 and a torque T on the second: w2' = T/(J2 + 4 J1)
static void gear_turns_the_other(void **state) {
  (void)state;
  static const char *const cases[] = {
      "bodies:\n"
      "  frame: {fixed: yes}\n"
      "  one: {mass: 1, inertia: 0.5}\n"
      "  two: {mass: 1, inertia: 3, at: [3, 0]}\n"
      "joints:\n"
      "  a: {between: [one, frame], hinge: [0, 0]}\n"
      "  b: {between: [two, frame], hinge: [3, 0], motor: {torque: 2.5}}\n",
      "bodies:\n"
      "  frame: {fixed: yes, at: [0, 0, 0]}\n"
      "  one: {mass: 1, inertia: [0.5, 1, 1]}\n"
      "  two: {mass: 1, inertia: [1, 1, 3], at: [3, 0, 0]}\n"
      "joints:\n"
      "  a: {between: [one, frame], hinge: [0, 0, 0], axis: [1, 0, 0]}\n"
      "  b: {between: [two, frame], hinge: [3, 0, 0], axis: [0, 0, 1], motor: {torque: 2.5}}\n"};
  for (int k = 0; k < 2; k++) {
    char text[900];
    (void)snprintf(text, sizeof text,
                   "%s  mesh: {gear: -2, of: [a, b]}\n"
                   "run: {until: 4}\n"
                   "observe: {first: last(a.angle), second: last(b.angle)}\n",
                   cases[k]);
    motion m = motion_parse(text);
    motion_run(&m);
    CHECK_NEAR(value_of(&m, "second"), 4.0, 1e-9);
    CHECK_NEAR(value_of(&m, "first"), -8.0, 1e-9);
    CHECK(certificate_of(&m).passed);
    motion_end(&m);
  }
}

// its numbers are set by the names that expressions have for them
// Three discs in touch that hang on rods, by angles and as bodies with joints: by Newton's law the
// second and the third go on together, at the same speed, and what they press each other with is
// rounding of the forces in their rods. Steps of 1e-8 s were made to find out where it ends.
static void discs_hang_in_touch(void **state) {
  (void)state;
  static const char *const laws[] = {"{law: newton, e: 1}", "{law: newton, e: 0.6}",
                                     "{law: poisson, e: 1}"};
  for (int k = 0; k < 3; k++) {
    char text[1200];
    (void)snprintf(text, sizeof text,
                   "coordinates: {p1: {start: 0, rate: 1}, p2: 0, p3: 0}\n"
                   "energy: {kinetic: \"(p1'^2 + p2'^2 + p3'^2)/2\",\n"
                   "         potential: -9.81*(cos(p1) + cos(p2) + cos(p3))}\n"
                   "contacts:\n"
                   "  ab: {gap: \"hypot(0.2 + sin(p2) - sin(p1), cos(p2) - cos(p1)) - 0.2\",\n"
                   "       impact: %s}\n"
                   "  bc: {gap: \"hypot(0.2 + sin(p3) - sin(p2), cos(p3) - cos(p2)) - 0.2\",\n"
                   "       impact: %s}\n"
                   "run: {until: 3}\n",
                   laws[k], laws[k]);
    motion hand = motion_parse(text);
    (void)snprintf(text, sizeof text,
                   "gravity: 9.81\n"
                   "bodies:\n"
                   "  roof: {plane: [0, -1], at: [0, 2]}\n"
                   "  a: {disc: 0.1, mass: 1, at: [-0.2, 1], velocity: [1, 0]}\n"
                   "  b: {disc: 0.1, mass: 1, at: [0, 1]}\n"
                   "  c: {disc: 0.1, mass: 1, at: [0.2, 1]}\n"
                   "joints:\n"
                   "  ra: {between: [a, roof], distance: 1, from: [-0.2, 1], to: [-0.2, 2]}\n"
                   "  rb: {between: [b, roof], distance: 1, from: [0, 1], to: [0, 2]}\n"
                   "  rc: {between: [c, roof], distance: 1, from: [0.2, 1], to: [0.2, 2]}\n"
                   "contacts: {hit: {between: all, impact: %s}}\nrun: {until: 3}\n",
                   laws[k]);
    motion m = motion_parse(text);
    motion_run(&hand);
    motion_run(&m);
    CHECK(certificate_of(&m).counts.impacts >= 6);
    CHECK(certificate_of(&m).counts.steps < 200);
    CHECK_NEAR(value_of(&m, "a.x"), sin(value_of(&hand, "p1")) - 0.2, 1e-10);
    CHECK_NEAR(value_of(&m, "b.x"), sin(value_of(&hand, "p2")), 1e-10);
    CHECK_NEAR(value_of(&m, "c.x"), sin(value_of(&hand, "p3")) + 0.2, 1e-10);
    motion_end(&hand);
    motion_end(&m);
  }
}

static void settings(void **state) {
  (void)state;
  static const carom_setting set[] = {
      {"rail.low", "-3"}, {"rail.high", "2"}, {"rail.stiffness", "4"}, {"rail.rest", "1"}};
  carom_error error = {0};
  carom_model *model = NULL;
  MUST(carom_model_parse("bodies: {a: {box: [1, 1], mass: 1}, f: {fixed: yes}}\n"
                         "joints: {rail: {between: [a, f], slider: [0, 0], axis: [1, 0],\n"
                         "                limits: [-1, 1], stiffness: 9}}\n"
                         "run: {until: 0.5}\n",
                         NULL, 4, set, &model, &error),
       error);
  motion m = motion_of(model);
  motion_run(&m);
  CHECK_NEAR(value_of(&m, "a.x"), 1.0 - cos(1.0), 1e-9);
  CHECK_NEAR(value_of(&m, "rail.high"), 2.0, 0.0);
  motion_end(&m);
}

static void mistakes(void **state) {
  (void)state;
  static const struct {
    const char *joint, *says;
  } cases[] = {
      {"hinge: [0, 0], limits: [1]", "needs a list of 2 numbers"},
      {"hinge: [0, 0], limits: [1, -1]", "leave nothing between them"},
      {"hinge: [0, 0], impact: 0.5", "no limits at which it could strike"},
      {"hinge: [0, 0], rest: 0.5", "has no stiffness"},
      {"hinge: [0, 0], motor: {force: 1}", "needs one of rate and torque"},
      {"hinge: [0, 0], motor: {rate: 1, torque: 1}", "needs one of rate and torque"},
      {"ball: [0, 0], limits: [0, 1]", "a ball, which has no 'limits'"},
      {"hinge: [0, 0]}, g: {gear: 2", "needs `of: [joint, joint]`"},
      {"hinge: [0, 0]}, g: {gear: 2, of: [h, k]", "there is no hinge or slider 'k'"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[300];
    carom_error error = {0};
    carom_model *model = NULL;
    (void)snprintf(text, sizeof text,
                   "bodies: {a: {box: [1, 1], mass: 1}, f: {fixed: yes}}\n"
                   "joints: {h: {between: [a, f], %s}}\nrun: {until: 1}\n",
                   cases[k].joint);
    CHECK(carom_model_parse(text, "joints.yaml", 0, NULL, &model, &error) == CAROM_ERR_INPUT);
    if (!strstr(error.text, cases[k].says)) print_error("%s: '%s'\n", cases[k].joint, error.text);
    CHECK(strstr(error.text, cases[k].says) != NULL);
    CHECK(error.line == 2);
    carom_model_destroy(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hinge_with_everything),
      cmocka_unit_test(slider_pushes),
      cmocka_unit_test(motor_keeps_its_rate),
      cmocka_unit_test(gear_turns_the_other),
      cmocka_unit_test(discs_hang_in_touch),
      cmocka_unit_test(settings),
      cmocka_unit_test(mistakes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
