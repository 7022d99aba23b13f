// SPDX-License-Identifier: MIT
// Rests and frequencies of small motions against closed forms and against published ones.
#include "field_motion_help.h"

#include <string.h>

static double frequency(motion *it, const char *coordinate, double step) {
  char acceleration[16];
  (void)snprintf(acceleration, sizeof acceleration, "%s''", coordinate);
  double at = motion_get(it, coordinate);
  return sqrt(-motion_slope(it, coordinate, at, step, acceleration));
}

// only the bottom face: omega_v^2 = nu g/d0, omega_r^2 = nu g/(2 d0) - 3 g/l
static void block(void **state) {
  (void)state;
  motion it = motion_text("engine: field\nbody: {square: 1, density: 1000}\nfields:\n"
                          "  repulsion: {exponent: 5, rest: 0.02, faces: [bottom]}\n"
                          "start: {position: [0, 0.52]}\nrun: {until: 1}\n");
  CHECK_NEAR(motion_get(&it, "y''"), 0.0, 1e-12 * 9.81);
  CHECK_NEAR(motion_get(&it, "d"), 0.02, 1e-16);
  CHECK_RELATIVE(frequency(&it, "y", 2e-5), 49.52272206, 1e-9);
  CHECK_RELATIVE(frequency(&it, "y", 2e-5), sqrt(5.0 * 9.81 / 0.02), 1e-9);
  CHECK_RELATIVE(frequency(&it, "theta", 1e-5), 34.59508636, 1e-9);
  CHECK_RELATIVE(frequency(&it, "theta", 1e-5), sqrt(5.0 * 9.81 / 0.04 - 3.0 * 9.81), 1e-9);
  motion_end(&it);
}

// exponents need not be whole
static void broken_exponent(void **state) {
  (void)state;
  static const char *const bodies[] = {"square: 1", "rectangle: [2, 1]"};
  for (int k = 0; k < 2; k++) {
    char text[256];
    (void)snprintf(text, sizeof text,
                   "engine: field\nbody: {%s}\nfields:\n"
                   "  repulsion: {exponent: 5.5, rest: 0.02, faces: [bottom]}\n"
                   "start: {position: [0, 0.52]}\nrun: {until: 1}\n",
                   bodies[k]);
    motion it = motion_text(text);
    CHECK_NEAR(motion_get(&it, "y''"), 0.0, 1e-11 * 9.81);
    CHECK_RELATIVE(frequency(&it, "y", 2e-5), sqrt(5.5 * 9.81 / 0.02), 1e-9);
    motion_end(&it);
  }
}

static void whole_boundary(void **state) {
  (void)state;
  motion plane = motion_text("engine: field\nbody: {square: 1}\nfields:\n"
                             "  repulsion: {exponent: 8, rest: 0.02}\n"
                             "start: {position: [0, 0.52]}\nrun: {until: 1}\n");
  CHECK_RELATIVE(frequency(&plane, "y", 2e-5), 62.6196, 2e-6);
  CHECK_RELATIVE(frequency(&plane, "theta", 1e-5), 44.1666, 2e-6);
  motion_end(&plane);
  motion space = motion_text("engine: field\nbody: {cube: 1}\nfields:\n"
                             "  repulsion: {exponent: 8, rest: 0.02}\n"
                             "start: {position: [0, 0, 0.52]}\nrun: {until: 1}\n");
  CHECK_NEAR(motion_get(&space, "z''"), 0.0, 1e-11);
  CHECK_RELATIVE(frequency(&space, "z", 2e-5), 62.5976, 2e-6);
  // a small rotation about x is the component q_x = angle/2
  double stiffness = -motion_slope(&space, "q_x", 0.0, 1e-5, "turn_x''") / 2.0;
  CHECK_RELATIVE(sqrt(stiffness), 44.1497, 2e-6);
  motion_end(&space);
  motion disc = motion_text("engine: field\nbody: {disc: 0.5}\nfields:\n"
                            "  repulsion: {exponent: 8, rest: 0.02}\n"
                            "start: {position: [0, 0.52]}\nrun: {until: 1}\n");
  CHECK_RELATIVE(frequency(&disc, "y", 2e-5), 60.6496, 2e-6);
  motion_end(&disc);
}

// the coefficient bears the weight in every posture, for every body
static void rests(void **state) {
  (void)state;
  static const char *const bodies[] = {
      "square: 1",     "disc: 0.5",   "polygon: [[0, 0], [2, 0], [1, 1]]", "cube: 1",
      "cylinder: 0.3", "sphere: 0.5", "prism: [[0, 0], [1, 0], [0, 1]]"};
  for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++) {
    char text[512];
    (void)snprintf(text, sizeof text,
                   "engine: field\nbody: {%s}\nfields: {repulsion: {exponent: 6, rest: 0.01}}\n"
                   "run: {until: 1}\n",
                   bodies[k]);
    motion it = motion_text(text);
    CHECK_RELATIVE(motion_get(&it, "d"), 0.01, 1e-13);
    CHECK_NEAR(motion_get(&it, k < 3 ? "y''" : "z''"), 0.0, 1e-11 * 9.81);
    motion_end(&it);
  }
  motion corner = motion_text(
      "engine: field\nbody: {cube: 1}\nfields: {repulsion: {rest: 0.01, posture: corner}}\n"
      "start: {down: corner}\nrun: {until: 1}\n");
  CHECK_RELATIVE(motion_get(&corner, "d"), 0.01, 1e-12);
  motion_end(&corner);
  motion edge = motion_text(
      "engine: field\nbody: {cube: 1}\nfields: {repulsion: {rest: 0.01, posture: edge}}\n"
      "start: {down: edge, gap: 0.01}\nrun: {until: 1}\n");
  CHECK_NEAR(motion_get(&edge, "z''"), 0.0, 1e-11 * 9.81);
  motion_end(&edge);
}

// A cube on its corner stands by its spin from 2 sqrt(kappa) on, where kappa = -stiffness against a
// lean; on a point that would be sqrt(12 sqrt(3) g/l) = 14.279.
static void sleeping_top(void **state) {
  (void)state;
  char path[512];
  (void)snprintf(path, sizeof path, "%s/scenarios/field_sleeping_top.yaml", CAROM_SOURCE_DIR);
  motion it = motion_make(path, NULL, 0, NULL);
  motion_set(&it, "spin", 0.0);
  double spread = 2.0 * sqrt(motion_slope(&it, "lean0", 0.0, 1e-4, "turn_x''"));
  motion_set(&it, "d0", 2e-5);
  double sharp = 2.0 * sqrt(motion_slope(&it, "lean0", 0.0, 1e-6, "turn_x''"));
  CHECK_RELATIVE(spread, 14.2776446, 1e-8);
  CHECK_RELATIVE(sharp, sqrt(12.0 * sqrt(3.0) * 9.81), 1e-5);
  motion_end(&it);
}

// an expression of one's own gives what the built-in law gives
static void own_law(void **state) {
  (void)state;
  static const char *const bodies[] = {"square: 1", "disc: 0.5", "cube: 1", "cylinder: 0.3",
                                       "sphere: 0.4"};
  for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++) {
    double value[2][3];
    for (int own = 0; own < 2; own++) {
      char text[640];
      (void)snprintf(
          text, sizeof text,
          "engine: field\nbody: {%s}\nfields:\n%s"
          "start: {position: [0, %s], velocity: [1, %s], %s}\nrun: {until: 1}\n",
          bodies[k],
          own ? "  all: {law: own, normal: '1e-3*d^-4 - 2*d^-2*vn', tangential: -3*d^-1}\n"
              : "  repulsion: {exponent: 4, coefficient: 1e-3}\n"
                "  damping: {exponent: 2, coefficient: 2}\n"
                "  friction: {exponent: 1, coefficient: 3}\n",
          k < 2 ? "0.8" : "0, 0.95", k < 2 ? "-0.5" : "0.3, -0.5",
          k < 2 ? "angle: 0.3, rate: 2" : "tilt: 0.4, angular: [1, -2, 3]");
      motion it = motion_text(text);
      value[own][0] = motion_get(&it, "x''");
      value[own][1] = motion_get(&it, k < 2 ? "y''" : "z''");
      value[own][2] = motion_get(&it, k < 2 ? "theta''" : "turn_y''");
      motion_end(&it);
    }
    for (int j = 0; j < 3; j++)
      CHECK_NEAR(value[1][j], value[0][j], 1e-9 * (1e-3 + fabs(value[0][j])));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(block), cmocka_unit_test(broken_exponent), cmocka_unit_test(whole_boundary),
      cmocka_unit_test(rests), cmocka_unit_test(sleeping_top),    cmocka_unit_test(own_law)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
