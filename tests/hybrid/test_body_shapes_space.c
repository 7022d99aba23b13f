// SPDX-License-Identifier: MIT
// Capsules in space, among each other and at boxes: closed forms of central and oblique hits, the
// same motions in the plane, lasting contact across and along each other, what is kept.
#include "motion.h"

#include <math.h>
#include <stdarg.h>

static motion motion_printed(const char *format, ...) {
  char text[3000];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return motion_parse(text);
}

// ---- hits

// Sides that cross: p (1/m + 1/M + s^2/J + t^2/K) = (1 + e) v, at s and t from both centres.
static void sides_hit(void **state) {
  (void)state;
  static const double places[][2] = {{0, 0}, {0.3, -0.2}, {-0.45, 0.4}};
  for (int k = 0; k < 3; k++) {
    double s = places[k][0], t = places[k][1], v = 2.0;
    motion m = motion_printed(
        "bodies:\n"
        "  a: {capsule: [1, 0.1], mass: 2, inertia: [0.3, 0.3, 0.01],\n"
        "      turn: {axis: [0, 1, 0], angle: pi/2}}\n"
        "  b: {capsule: [1, 0.05], mass: 1, inertia: [0.2, 0.2, 0.01], at: [%.17g, %.17g, 0.65],\n"
        "      turn: {axis: [1, 0, 0], angle: -pi/2}, velocity: [0, 0, -2]}\n"
        "contacts: {touch: {between: [a, b], impact: 0.5}}\n"
        "run: {until: 0.4}\n",
        s, -t);
    motion_advance(&m, 0.4); // it touches at 1/4
    double p = 1.5 * v / (0.5 + 1.0 + s * s / 0.3 + t * t / 0.2);
    CHECK_NEAR(value_of(&m, "a.z'"), -p / 2.0, 1e-12);
    CHECK_NEAR(value_of(&m, "b.z'"), -v + p, 1e-12);
    CHECK_NEAR(value_of(&m, "a.w1"), 0.0, 1e-12);
    CHECK_NEAR(fabs(value_of(&m, "a.w2")), fabs(p * s / 0.3), 1e-12);
    CHECK_NEAR(fabs(value_of(&m, "b.w1")), fabs(p * t / 0.2), 1e-12);
    CHECK(certificate_of(&m).passed);
    motion_end(&m);
  }
}

// an end strikes the side of a line that is fixed, from any direction: a ball that is thrown there
// has the same speed behind it where the impulse goes through the centre
static void end_hits_side(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    double a = 0.2 + 0.4 * k; // from above, from beside
    motion m = motion_printed(
        "bodies:\n"
        "  post: {capsule: [2, 0.1], fixed: yes}\n"
        "  b: {capsule: [1, 0.05], mass: 1, at: [%.17g, %.17g, 0.3],\n"
        "      turn: {axis: [%.17g, %.17g, 0], angle: pi/2}, velocity: [%.17g, %.17g, 0.7]}\n"
        "contacts: {touch: {between: all, impact: 0.8}}\n"
        "run: {until: 1}\n",
        1.65 * cos(a), 1.65 * sin(a), -sin(a), cos(a), -2.0 * cos(a), -2.0 * sin(a));
    motion_advance(&m, 0.9);
    CHECK_NEAR(value_of(&m, "b.x'"), 1.6 * cos(a), 1e-12);
    CHECK_NEAR(value_of(&m, "b.y'"), 1.6 * sin(a), 1e-12);
    CHECK_NEAR(value_of(&m, "b.z'"), 0.7, 1e-14);
    motion_end(&m);
  }
}

// Ends that meet end on are one place, in the plane and in space; both orders, all laws.
static void ends_meet_once(void **state) {
  (void)state;
  static const char *const orders[] = {"[a, b]", "[b, a]"};
  static const char *const laws[] = {"0.5", "{law: energetic, e: 0.5}", "{law: poisson, e: 0.5}"};
  for (int k = 0; k < 12; k++) {
    bool space = k >= 6;
    motion m = motion_printed(
        "bodies:\n"
        "  a: {capsule: [1, 0.1], mass: 2, at: [0, 0%s], %s}\n"
        "  b: {capsule: [1, 0.1], mass: 1, at: [1.7, 0%s], velocity: [-2, 0%s], %s}\n"
        "contacts: {touch: {between: %s, impact: %s, friction: 0.3}}\n"
        "run: {until: 1}\n",
        space ? ", 0" : "", space ? "turn: {axis: [0, 1, 0], angle: pi/2}" : "turn: 0",
        space ? ", 0" : "", space ? ", 0" : "",
        space ? "turn: {axis: [0, 1, 0], angle: pi/2}" : "turn: 0", orders[k % 2], laws[k % 6 / 2]);
    event_log events;
    motion_log(&m, &events);
    motion_advance(&m, 0.8);
    CHECK_NEAR(value_of(&m, "a.x'"), -1.0, 1e-12);
    CHECK_NEAR(value_of(&m, "b.x'"), 0.0, 1e-12);
    CHECK(certificate_of(&m).counts.impacts == 1);
    motion_end(&m);
  }
}

// ---- the same in the plane

// a capsule rolls across a table and off its edge, as a disc with its inertia does
static void rolls_off_table(void **state) {
  (void)state;
  motion plane = motion_parse("gravity: 9.81\n"
                              "bodies:\n"
                              "  table: {box: [2, 1], fixed: yes, at: [0, -0.5]}\n"
                              "  c: {disc: 0.1, mass: 1, inertia: 0.004, at: [0.5, 0.1],\n"
                              "      velocity: [1, 0], spin: 0}\n"
                              "contacts: {touch: {between: [c, table], friction: 0.3}}\n"
                              "run: {until: 1}\n");
  motion space = motion_parse(
      "gravity: 9.81\n"
      "bodies:\n"
      "  table: {box: [2, 2, 1], fixed: yes, at: [0, 0, -0.5]}\n"
      "  c: {capsule: [0.7, 0.1], mass: 1, inertia: [0.1, 0.1, 0.004], at: [0.5, 0.2, 0.1],\n"
      "      turn: {axis: [1, 0, 0], angle: pi/2}, velocity: [1, 0, 0]}\n"
      "contacts: {touch: {between: [c, table], friction: 0.3}}\n"
      "run: {until: 1}\n");
  motion_advance(&plane, 0.3);
  motion_advance(&space, 0.3);
  // it slid until it rolled: v = v0 m r^2/(m r^2 + J)
  CHECK_NEAR(value_of(&space, "c.x'"), 0.01 / 0.014, 1e-11);
  motion_advance(&plane, 1.0);
  motion_advance(&space, 1.0);
  CHECK(value_of(&plane, "c.y") < -0.1);
  CHECK_NEAR(value_of(&space, "c.x"), value_of(&plane, "c.x"), 1e-9);
  CHECK_NEAR(value_of(&space, "c.z"), value_of(&plane, "c.y"), 1e-9);
  CHECK_NEAR(value_of(&space, "c.y"), 0.2, 1e-12);
  CHECK(certificate_of(&space).passed);
  motion_end(&plane);
  motion_end(&space);
}

// a capsule tips over the edge of a table with its side there, as in the plane
static void tips_over_edge(void **state) {
  (void)state;
  static const char *const run = "contacts: {touch: {between: [rod, table], friction: 0.3}}\n"
                                 "run: {until: 0.8, rtol: 1e-12}\n";
  motion plane = motion_printed(
      "gravity: 9.81\n"
      "bodies:\n"
      "  table: {box: [2, 1], fixed: yes, at: [-1, -0.5]}\n"
      "  rod: {capsule: [1.4, 0.1], mass: 1, inertia: 0.2, at: [0.1, 0.1], velocity: [0.3, 0]}\n"
      "%s",
      run);
  motion space = motion_printed(
      "gravity: 9.81\n"
      "bodies:\n"
      "  table: {box: [2, 2, 1], fixed: yes, at: [-1, 0, -0.5]}\n"
      "  rod: {capsule: [1.4, 0.1], mass: 1, inertia: [0.2, 0.2, 0.01], at: [0.1, 0.3, 0.1],\n"
      "        velocity: [0.3, 0, 0], turn: {axis: [0, 1, 0], angle: pi/2}}\n"
      "%s",
      run);
  for (int k = 1; k <= 4; k++) {
    motion_advance(&plane, 0.2 * k);
    motion_advance(&space, 0.2 * k);
    CHECK_NEAR(value_of(&space, "rod.x"), value_of(&plane, "rod.x"), 1e-9);
    CHECK_NEAR(value_of(&space, "rod.z"), value_of(&plane, "rod.y"), 1e-9);
    CHECK_NEAR(value_of(&space, "rod.w2"), -value_of(&plane, "rod.turn'"), 1e-9);
  }
  CHECK(fabs(value_of(&plane, "rod.turn")) > 0.3);
  CHECK(certificate_of(&space).passed);
  motion_end(&plane);
  motion_end(&space);
}

// a capsule that lies across another one slides to its end and falls off the round of it, as a disc
// that slides off a capsule in the plane does: from side to end without a jump
static void slides_off_end(void **state) {
  (void)state;
  motion plane = motion_parse("gravity: 9.81\n"
                              "bodies:\n"
                              "  rail: {capsule: [1, 0.1], fixed: yes}\n"
                              "  c: {disc: 0.1, mass: 1, inertia: 1, at: [0.3, 0.2],\n"
                              "      velocity: [0.4, 0]}\n"
                              "contacts: {touch: {between: all}}\n"
                              "run: {until: 1, rtol: 1e-12}\n");
  static const char *const orders[] = {"[c, rail]", "[rail, c]"};
  motion_advance(&plane, 1.0);
  for (int k = 0; k < 2; k++) {
    motion space = motion_printed(
        "gravity: 9.81\n"
        "bodies:\n"
        "  rail: {capsule: [1, 0.1], fixed: yes, turn: {axis: [0, 1, 0], angle: pi/2}}\n"
        "  c: {capsule: [0.6, 0.1], mass: 1, inertia: [1, 1, 0.02], at: [0.3, 0, 0.2],\n"
        "      velocity: [0.4, 0, 0], turn: {axis: [1, 0, 0], angle: pi/2}}\n"
        "contacts: {touch: {between: %s}}\n"
        "run: {until: 1, rtol: 1e-12}\n",
        orders[k]);
    motion_advance(&space, 1.0);
    CHECK(value_of(&space, "c.z") < 0.0);
    CHECK_NEAR(value_of(&space, "c.x"), value_of(&plane, "c.x"), 1e-9);
    CHECK_NEAR(value_of(&space, "c.z"), value_of(&plane, "c.y"), 1e-9);
    CHECK(certificate_of(&space).passed);
    motion_end(&space);
  }
  motion_end(&plane);
}

// ---- lasting contact

// a capsule across two rails slides to rest after v^2/(2 mu g), and stays
static void rests_across(void **state) {
  (void)state;
  motion m = motion_parse(
      "gravity: 9.81\n"
      "bodies:\n"
      "  left: {capsule: [4, 0.1], fixed: yes, at: [-0.3, 0, 0], turn: {axis: [1, 0, 0], angle: "
      "pi/2}}\n"
      "  right: {capsule: [4, 0.1], fixed: yes, at: [0.3, 0, 0], turn: {axis: [1, 0, 0], angle: "
      "pi/2}}\n"
      "  c: {capsule: [1, 0.1], mass: 1, at: [0, 0, 0.2], turn: {axis: [0, 1, 0], angle: pi/2},\n"
      "      velocity: [0.9, 0, 0]}\n"
      "contacts: {touch: {between: all, friction: 0.4}}\n"
      "run: {until: 2}\n");
  motion_advance(&m, 2.0);
  double way = 0.9 * 0.9 / (2.0 * 0.4 * 9.81);
  CHECK_NEAR(value_of(&m, "c.x"), way, 1e-11);
  CHECK_NEAR(value_of(&m, "c.z"), 0.2, 1e-13);
  CHECK_NEAR(value_of(&m, "c.x'"), 0.0, 1e-13);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// logs along each other: three of them rest where friction of tan 15 degrees does (1/3 of the load
// of the lower ones); aligned and not
static void logs_rest(void **state) {
  (void)state;
  static const double offsets[] = {0.0, 1e-12, 0.2};
  for (int k = 0; k < 3; k++) {
    motion m = motion_printed(
        "gravity: 9.81\n"
        "bodies:\n"
        "  floor: {plane: [0, 0, 1]}\n"
        "  a: {capsule: [1, 0.1], mass: 1, at: [-0.1, 0, 0.1], turn: {axis: [1, 0, 0], angle: "
        "pi/2}}\n"
        "  b: {capsule: [1, 0.1], mass: 1, at: [0.1, 0, 0.1], turn: {axis: [1, 0, 0], angle: "
        "pi/2}}\n"
        "  c: {capsule: [1, 0.1], mass: 1, at: [0, %.17g, \"0.1 + 0.1*sqrt(3)\"],\n"
        "      turn: {axis: [1, 0, 0], angle: pi/2}}\n"
        "contacts: {touch: {between: all, friction: 0.4}}\n"
        "run: {until: 0.5}\n",
        offsets[k]);
    motion_advance(&m, 0.5);
    CHECK_NEAR(value_of(&m, "a.x"), -0.1, 1e-12);
    CHECK_NEAR(value_of(&m, "c.y"), offsets[k], 1e-12);
    CHECK_NEAR(value_of(&m, "c.z"), 0.1 + 0.1 * sqrt(3.0), 1e-12);
    CHECK(certificate_of(&m).passed);
    motion_end(&m);
  }
}

// ---- what is kept

static const char *const thrown = "bodies:\n"
                                  "  a: {%s, mass: 2, turn: {axis: [1, 2, 3], angle: 0.7},\n"
                                  "      spin: [0.3, -0.2, 0.1]}\n"
                                  "  b: {capsule: [0.9, 0.1], mass: 1, at: [2, 0.15, 0.1],\n"
                                  "      velocity: [-3, 0, 0], spin: [1, 2, 5], turn: {axis: [1, "
                                  "-1, 0.3], angle: 1.1}}\n"
                                  "contacts: {touch: {between: %s, %s}}\n"
                                  "run: {until: 1.5}\n"
                                  "observe: {px: a.px + b.px, lx: a.lx + b.lx, ly: a.ly + b.ly,\n"
                                  "          lz: a.lz + b.lz}\n";

static void momentum_stays(void **state) {
  (void)state;
  static const char *const kept[] = {"px", "lx", "ly", "lz"};
  static const char *const shapes[] = {"capsule: [0.8, 0.15]", "box: [0.4, 0.5, 0.6]"};
  static const char *const orders[] = {"[a, b]", "[b, a]"};
  static const char *const laws[] = {"friction: 0.4, impact: {law: energetic, e: 0.7}",
                                     "impact: 0.7"};
  for (int k = 0; k < 2; k++) {
    double spun[2] = {0};
    for (int order = 0; order < 2 - k; order++) {
      double before[4];
      motion m = motion_printed(thrown, shapes[k], orders[order], laws[k]);
      for (int i = 0; i < 4; i++)
        before[i] = value_of(&m, kept[i]);
      motion_advance(&m, 1.5);
      for (int i = 0; i < 4; i++)
        CHECK_NEAR(value_of(&m, kept[i]), before[i], 1e-11);
      CHECK(fabs(value_of(&m, "b.x'") + 3.0) > 0.1); // they met
      CHECK(certificate_of(&m).passed);
      spun[order] = value_of(&m, "b.w1");
      motion_end(&m);
    }
    if (k == 0) CHECK_NEAR(spun[0], spun[1], 1e-10);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sides_hit),      cmocka_unit_test(end_hits_side),
      cmocka_unit_test(ends_meet_once), cmocka_unit_test(rolls_off_table),
      cmocka_unit_test(tips_over_edge), cmocka_unit_test(slides_off_end),
      cmocka_unit_test(rests_across),   cmocka_unit_test(logs_rest),
      cmocka_unit_test(momentum_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
