// SPDX-License-Identifier: MIT
// Flat round faces on planes: cans and coins that stand, slide, spin, topple, fall flat and are
// hit, beside the same in the plane, where a box stands for the can seen from its side, and closed
// forms.
#include "motion.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

static motion motion_printed(const char *format, ...) {
  char text[2000];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return motion_parse(text);
}

// A can (radius 0.03, height h) and its side view, with the same numbers in front of the rest. In
// space everything happens in the upright plane through d = (sin b, -cos b); its x is against d.
static const double DIRECTIONS[] = {0.0, 0.4, 2.5};
enum { DIRECTION_COUNT = 3 };

static motion can_in_space(double b, double h, const char *body, const char *rest) {
  return motion_printed("parameters: {h: %.17g, b: %.17g, dx: -sin(b), dy: cos(b), F: 3}\n"
                        "gravity: 9.81\n"
                        "bodies:\n"
                        "  can: {cylinder: [0.03, h], mass: 0.4, %s}\n"
                        "  floor: {plane: [0, 0, 1]}\n"
                        "%s"
                        "observe: {along: last(can.x*dx + can.y*dy),\n"
                        "          across: last(can.x*dy - can.y*dx)}\n",
                        h, b, body, rest);
}

static motion can_in_plane(double h, const char *body, const char *rest) {
  return motion_printed("parameters: {h: %.17g, F: 3}\n"
                        "gravity: 9.81\n"
                        "bodies:\n"
                        "  can: {box: [0.06, h], mass: 0.4, inertia: 0.4*(0.03^2/4 + h^2/12), %s}\n"
                        "  floor: {plane: [0, 1]}\n"
                        "%s",
                        h, body, rest);
}

// moves both and compares them; ends them
static void compare_views(motion *space, motion *plane, double t, double tolerance) {
  motion_advance(space, t);
  motion_advance(plane, t);
  CHECK_NEAR(value_of(space, "can.z"), value_of(plane, "can.y"), tolerance);
  CHECK_NEAR(value_of(space, "along"), value_of(plane, "can.x"), tolerance);
  CHECK_NEAR(value_of(space, "across"), 0.0, tolerance);
  CHECK_NEAR(value_of(space, "can.z'"), value_of(plane, "can.y'"), 100.0 * tolerance);
  CHECK(certificate_of(space).passed);
  motion_end(space);
  motion_end(plane);
}

// pushed ever harder it tips where F t h/2 = m g R, whichever way, and falls over
static void can_topples(void **state) {
  (void)state;
  for (int k = 0; k < DIRECTION_COUNT; k++) {
    motion space =
        can_in_space(DIRECTIONS[k], 0.1,
                     "at: [0, 0, h/2], forces: {push: {force: [F*t*dx, F*t*dy, 0], at: [0, 0, 0]}}",
                     "contacts: {c: {between: [can, floor], friction: 0.9, impact: 0}}\n"
                     "run: {until: 0.95, rtol: 1e-12}\n");
    motion plane = can_in_plane(0.1, "at: [0, h/2], forces: {push: {force: [F*t, 0], at: [0, 0]}}",
                                "contacts: {c: {between: [can, floor], friction: 0.9, impact: 0}}\n"
                                "run: {until: 0.95, rtol: 1e-12}\n");
    double tips = 0.4 * 9.81 * 0.03 / (3.0 * 0.05);
    motion_advance(&space, tips - 1e-9);
    CHECK_NEAR(value_of(&space, "can.z"), 0.05, 1e-14);
    motion_advance(&space, tips + 1e-3); // F' t^3/6 of torque over the inertia about the edge
    double inertia = 0.4 * (0.03 * 0.03 / 4.0 + 0.01 / 12.0) + 0.4 * (0.0009 + 0.0025);
    CHECK_NEAR(value_of(&space, "can.z'") / (0.03 * 3.0 * 0.05 * 1e-6 / 2.0 / inertia), 1.0, 1e-3);
    compare_views(&space, &plane, 0.95, 2e-7);
  }
}

// sliding on: v^2/(2 mu g), upright while mu h/2 < R, over the edge beyond it
static void can_slides(void **state) {
  (void)state;
  static const double heights[] = {0.04, 0.119, 0.14};
  for (int k = 0; k < DIRECTION_COUNT; k++) {
    const char *run = "contacts: {c: {between: [can, floor], friction: 0.5, impact: 0}}\n"
                      "run: {until: 0.3, rtol: 1e-12}\n";
    motion space =
        can_in_space(DIRECTIONS[k], heights[k], "at: [0, 0, h/2], velocity: [dx, dy, 0]", run);
    motion plane = can_in_plane(heights[k], "at: [0, h/2], velocity: [1, 0]", run);
    if (k < 2) {
      motion_advance(&space, 0.25);
      CHECK_NEAR(value_of(&space, "along"), 1.0 / 9.81, 1e-12);
    }
    compare_views(&space, &plane, 0.3, k < 2 ? 1e-12 : 1e-7);
  }
}

// Spinning on the spot: friction acts at the rim, J w' = -mu m g R. With the load off the centre
// (the can is slowed down by its floor) the points of the rim change places, and neither the way it
// goes nor the spin do.
static void can_spins(void **state) {
  (void)state;
  motion m = can_in_space(0.0, 0.04, "at: [0, 0, h/2], spin: [0, 0, 20]",
                          "contacts: {c: {between: [can, floor], friction: 0.3, impact: 0}}\n"
                          "run: {until: 0.2}\n");
  motion_advance(&m, 0.05);
  CHECK_NEAR(value_of(&m, "can.w3"), 20.0 - 0.05 * 2.0 * 0.3 * 9.81 / 0.03, 1e-11);
  motion_advance(&m, 0.2);
  CHECK_NEAR(value_of(&m, "can.w3"), 0.0, 1e-14);
  motion_end(&m);
  m = can_in_space(0.3, 0.1,
                   "at: [0, 0, h/2], spin: [0, 0, 7], forces: {push: {force: [1.9, 0, 0], at: [0, "
                   "0, 0]}, turn: {force: [0, 0, 0]}}",
                   "contacts: {c: {between: [can, floor], impact: 0}}\nrun: {until: 1}\n");
  motion_advance(&m, 1.0); // without friction: |c| = 0 wherever it is pushed
  CHECK_NEAR(value_of(&m, "can.x"), 1.9 / 0.4 / 2.0, 1e-9);
  CHECK_NEAR(value_of(&m, "can.w3"), 7.0, 1e-12);
  CHECK_NEAR(value_of(&m, "can.z"), 0.05, 1e-12);
  motion_end(&m);
  // a torque that goes round with 0.8 of what tips it, three turns while the can stands
  m = can_in_space(0.0, 0.1,
                   "at: [0, 0, h/2], forces: {round: {torque: [0.8*0.11772*cos(19*t), "
                   "0.8*0.11772*sin(19*t), 0]}}",
                   "contacts: {c: {between: [can, floor], friction: 0.5, impact: 0}}\n"
                   "run: {until: 1}\n");
  motion_advance(&m, 1.0);
  CHECK_NEAR(value_of(&m, "can.z"), 0.05, 1e-13);
  CHECK_NEAR(value_of(&m, "can.e0"), 1.0, 1e-13);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// tilted, let go, it falls on its face: it lies, rebounds, or rocks on over the other edge
static void can_falls_flat(void **state) {
  (void)state;
  static const char *const laws[] = {"0", "0.4", "{law: poisson, e: 0.4}"};
  for (int k = 0; k < 3; k++)
    for (int tall = 0; tall < 2; tall++) {
      char run[300];
      (void)snprintf(run, sizeof run,
                     "contacts: {c: {between: [can, floor], friction: 0.8, impact: %s}}\n"
                     "run: {until: 0.5, rtol: 1e-12}\n",
                     laws[k]);
      double h = tall ? 0.15 : 0.04, b = DIRECTIONS[k];
      motion space = can_in_space(b, h,
                                  "at: [0, 0, h/2*cos(0.3) + 0.03*sin(0.3)],\n"
                                  "  turn: {axis: [cos(b), sin(b), 0], angle: 0.3}",
                                  run);
      motion plane = can_in_plane(h, "at: [0, h/2*cos(0.3) + 0.03*sin(0.3)], turn: 0.3", run);
      compare_views(&space, &plane, tall ? 0.35 : 0.2, 1e-6);
    }
}

// a ball strikes it high: it tips over the point of the rim that is opposite
static void can_is_hit(void **state) {
  (void)state;
  for (int k = 0; k < DIRECTION_COUNT; k++) {
    const char *run = "contacts:\n"
                      "  c: {between: [can, floor], friction: 0.6, impact: 0}\n"
                      "  hit: {between: [ball, can], friction: 0.3, impact: 0.3}\n"
                      "run: {until: 0.1, rtol: 1e-12}\n";
    motion space = can_in_space(DIRECTIONS[k], 0.1,
                                "at: [0, 0, h/2]}\n"
                                "  ball: {sphere: 0.01, mass: 0.1, at: [-0.06*dx, -0.06*dy, 0.08],"
                                " velocity: [3*dx, 3*dy, 0]",
                                run);
    motion plane = can_in_plane(0.1,
                                "at: [0, h/2]}\n"
                                "  ball: {disc: 0.01, mass: 0.1, inertia: 0.4*0.1*0.01^2,"
                                " at: [-0.06, 0.08], velocity: [3, 0]",
                                run);
    compare_views(&space, &plane, 0.1, 1e-7);
  }
}

// thrown it bounces, rolls, wobbles and lies down, at rest
static void coin_lies_down(void **state) {
  (void)state;
  motion m = motion_parse(
      "gravity: 9.81\n"
      "bodies:\n"
      "  floor: {plane: [0, 0, 1]}\n"
      "  coin: {coin: 0.0125, mass: 0.006, at: [0, 0, 0.03], turn: {axis: [1, 0.2, 0], angle: "
      "1.2},\n"
      "         velocity: [0.1, 0.2, 0], spin: [3, 1, 10]}\n"
      "contacts: {c: {between: [coin, floor], friction: 0.3, rolling: 0.003, impact: 0.3}}\n"
      "run: {until: 3, rtol: 1e-8}\n"
      "observe: {up: last(1 - 2*(coin.e1^2 + coin.e2^2))}\n");
  motion_advance(&m, 3.0);
  CHECK_NEAR(value_of(&m, "coin.z"), 0.0, 1e-12);
  CHECK_NEAR(fabs(value_of(&m, "up")), 1.0, 1e-12);
  CHECK_NEAR(value_of(&m, "coin.x'"), 0.0, 1e-12);
  CHECK_NEAR(value_of(&m, "coin.w3"), 0.0, 1e-12);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// how far the point of contact of a coin goes round, less sqrt(5) pi, until it is highest again
static double turn_beyond(double spin) {
  motion m = motion_printed(
      "parameters: {spin: %.17g}\n"
      "gravity: 9.81\n"
      "bodies:\n"
      "  floor: {plane: [0, 0, 1]}\n"
      "  coin: {coin: 0.1, mass: 1, at: [0, 0, 0.1*sin(1)], velocity: [-spin*0.1*cos(1), 0, 0],\n"
      "         turn: {axis: [1, 0, 0], angle: 1}, spin: [0, 0, spin]}\n"
      "contacts: {c: {between: [coin, floor], friction: 50}}\n"
      "define: {nx: 2*(coin.e1*coin.e3 + coin.e0*coin.e2), ny: 2*(coin.e2*coin.e3 - "
      "coin.e0*coin.e1)}\n"
      "run: {until: 1, rtol: 1e-7}\n"
      "stop: {rises: {when: coin.vz, direction: falling}}\n"
      "observe: {turned: \"last(atan2(ny, nx) + pi/2 - (sqrt(5)*pi - 2*pi))\", low: min(coin.z)}\n",
      spin);
  motion_advance(&m, 1.0);
  CHECK(certificate_of(&m).passed);
  CHECK(value_of(&m, "low") > 0.0);
  double turned = value_of(&m, "turned");
  motion_end(&m);
  return turned;
}

// A coin that is let go leaning, with hardly any spin, rolls through a position that is nearly
// flat, and rises again where its point of contact has gone round by sqrt(5) pi, in the limit of no
// spin (Cushman and Duistermaat 2006; Srinivasan and Ruina 2008).
static void coin_rolls_through(void **state) {
  (void)state;
  double far = turn_beyond(0.02), near = turn_beyond(0.01);
  CHECK_NEAR(far / near, 2.0, 0.2);
  CHECK_NEAR(2.0 * near - far, 0.0, 2e-3);
}

// on a slope it stands up to tan = 2 R/h, and tips over from there
static void can_on_slope(void **state) {
  (void)state;
  static const double slopes[] = {0.46, 0.47, 0.6};
  const char *run = "contacts: {c: {between: [can, slope], friction: 2, impact: 0}}\n"
                    "run: {until: 0.3, rtol: 1e-12}\n";
  for (int k = 0; k < 3; k++) {
    char body[300];
    (void)snprintf(body, sizeof body,
                   "at: [-h/2*dx*sin(%g), -h/2*dy*sin(%g), h/2*cos(%g)],\n"
                   "        turn: {axis: [cos(b), sin(b), 0], angle: %g}}\n"
                   "  slope: {plane: [0, 0, 1], turn: {axis: [cos(b), sin(b), 0], angle: %g}",
                   slopes[k], slopes[k], slopes[k], slopes[k], slopes[k]);
    motion space = can_in_space(DIRECTIONS[k], 0.12, body, run);
    (void)snprintf(body, sizeof body,
                   "at: [-h/2*sin(%g), h/2*cos(%g)], turn: %g}\n"
                   "  slope: {plane: [0, 1], turn: %g",
                   slopes[k], slopes[k], slopes[k], slopes[k]);
    motion plane = can_in_plane(0.12, body, run);
    if (k == 0) { // atan(0.5) is 0.4636
      motion_advance(&space, 0.3);
      CHECK_NEAR(value_of(&space, "can.z"), 0.06 * cos(0.46), 1e-13);
    }
    compare_views(&space, &plane, 0.3, 1e-7);
  }
}

// saved while it slides on points that have changed places, and gone on with: the same bits
static void saved_and_restored(void **state) {
  (void)state;
  double x[2];
  for (int k = 0; k < 2; k++) {
    motion m = can_in_space(0.4, 0.1, "at: [0, 0, h/2], velocity: [1, 0.3, 0], spin: [0, 0, 30]",
                            "contacts: {c: {between: [can, floor], friction: 0.5, impact: 0}}\n"
                            "run: {until: 0.15}\n");
    motion_advance(&m, 0.05);
    if (k == 1) {
      size_t size = 0;
      carom_error error = {0};
      MUST(carom_simulation_save(m.simulation, NULL, &size, &error), error);
      char *buffer = malloc(size);
      CHECK(buffer != NULL);
      MUST(carom_simulation_save(m.simulation, buffer, &size, &error), error);
      motion_advance(&m, 0.12);
      MUST(carom_simulation_restore(m.simulation, buffer, size, &error), error);
      free(buffer);
    }
    motion_advance(&m, 0.15);
    x[k] = value_of(&m, "can.x");
    CHECK(certificate_of(&m).passed);
    motion_end(&m);
  }
  CHECK(x[0] == x[1]);
}

// listed the other way round, on a slope written by its normal, on a turned plane: the same
static void planes_differ(void **state) {
  (void)state;
  static const char *const floors[] = {"{plane: [0, 0, 1]}",
                                       "{plane: [1, 0, 0], turn: {axis: [0, 1, 0], angle: -pi/2}}"};
  double x[3];
  for (int k = 0; k < 3; k++) {
    motion m = motion_printed("gravity: [3, 0, -9.81]\n"
                              "bodies:\n"
                              "  floor: %s\n"
                              "  can: {cylinder: [0.03, 0.04], mass: 0.4, at: [0, 0, 0.02]}\n"
                              "contacts: {c: {between: %s, friction: 0.2, impact: 0}}\n"
                              "run: {until: 1}\n",
                              floors[k % 2], k < 2 ? "[can, floor]" : "[floor, can]");
    motion_advance(&m, 1.0);
    x[k] = value_of(&m, "can.x");
    CHECK_NEAR(value_of(&m, "can.z"), 0.02, 1e-12);
    motion_end(&m);
  }
  for (int k = 0; k < 3; k++)
    CHECK_NEAR(x[k], 0.5 * (3.0 - 0.2 * 9.81), 1e-10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(can_topples),    cmocka_unit_test(can_slides),
      cmocka_unit_test(can_on_slope),   cmocka_unit_test(can_spins),
      cmocka_unit_test(can_falls_flat), cmocka_unit_test(can_is_hit),
      cmocka_unit_test(coin_lies_down), cmocka_unit_test(coin_rolls_through),
      cmocka_unit_test(planes_differ),  cmocka_unit_test(saved_and_restored),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
