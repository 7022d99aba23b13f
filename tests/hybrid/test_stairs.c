// SPDX-License-Identifier: MIT
// Jumps of floor, mod and step are switches: steps end at them, and motions that they drive have
// closed forms to the last digits.
#include "motion.h"

// a free mass pushed by a force, to t
static motion pushed(const char *force, const char *start, double t) {
  char text[600];
  (void)snprintf(text, sizeof text,
                 "parameters: {T: 0.7}\ncoordinates: {x: {%s}}\nenergy: {kinetic: \"x'^2/2\"}\n"
                 "forces: {x: \"%s\"}\nrun: {until: 1000, rtol: 1e-13, atol: 1e-13}\n",
                 start, force);
  motion m = motion_parse(text);
  motion_advance(&m, t);
  return m;
}

static void check_end(motion *m, double x, double v, long switches) {
  CHECK_RELATIVE(value_of(m, "x"), x, 1e-13);
  CHECK_RELATIVE(value_of(m, "x'"), v, 1e-13);
  carom_certificate c = certificate_of(m);
  CHECK(c.passed);
  assert_int_equal((int)c.counts.switches, (int)switches);
  motion_end(m);
}

// x'' = floor(t): after n + s the speed is n (n-1)/2 + n s
static void staircase(void **state) {
  (void)state;
  static const double ends[] = {0.5, 1.0, 1.25, 5.5, 9.0, 40.125};
  for (int k = 0; k < 6; k++) {
    double n = floor(ends[k]), s = ends[k] - n;
    motion m = pushed("floor(t)", "start: 0, rate: 0", ends[k]);
    check_end(&m, n * (n - 1) * (2 * n - 1) / 12 + n * (n - 1) / 2 * s + n * s * s / 2,
              n * (n - 1) / 2 + n * s, (long)n);
  }
}

// many stairs within what would be one step: a = floor(50 t)/50
static void fine_stairs(void **state) {
  (void)state;
  double n = 100.0, h = 1.0 / 50.0;
  motion m = pushed("floor(50*t)/50", "start: 0, rate: 0", 2.0);
  check_end(&m, h * h * h * n * (n - 1) * (2 * n - 1) / 12, h * h * n * (n - 1) / 2, 100);
}

// x'' = mod(t, T): the speed grows by T^2/2 with every tooth
static void sawtooth(void **state) {
  (void)state;
  static const double ends[] = {0.35, 1.0, 5.5, 20.0};
  for (int k = 0; k < 4; k++) {
    double T = 0.7, n = floor(ends[k] / T), s = ends[k] - n * T;
    double x = T * T * T * (n * (n - 1) / 4 + n / 6) + n * T * T / 2 * s + s * s * s / 6;
    motion m = pushed("mod(t, T)", "start: 0, rate: 0", ends[k]);
    check_end(&m, x, n * T * T / 2 + s * s / 2, (long)n);
    // a negative divisor: mod(t, -T) = mod(t, T) - T but where both vanish; at the start the side
    // is taken that the motion leaves to
    m = pushed("mod(t, -T)", "start: 0, rate: 0", ends[k]);
    check_end(&m, x - T * ends[k] * ends[k] / 2, n * T * T / 2 + s * s / 2 - T * ends[k], (long)n);
  }
}

// x'' + x = floor(t): every stair starts a swing of its own, 1 - cos(t - n)
static void shaken_spring(void **state) {
  (void)state;
  motion m = pushed("floor(t) - x", "start: 0, rate: 0", 7.75);
  double x = 0.0, v = 0.0;
  for (int n = 1; n <= 7; n++) {
    x += 1.0 - cos(7.75 - n);
    v += sin(7.75 - n);
  }
  CHECK_NEAR(value_of(&m, "x"), x, 1e-12);
  CHECK_NEAR(value_of(&m, "x'"), v, 1e-12);
  assert_int_equal((int)certificate_of(&m).counts.switches, 7);
  motion_end(&m);
}

// stairs in space, left and right of a jump, and through it: x'' = floor(x) from x = 3
static void stairs_in_space(void **state) {
  (void)state;
  // down: x'' = 2, back at 3 after t = 1, then x'' = 3
  motion m = pushed("floor(x)", "start: 3, rate: -1", 0.5);
  CHECK_NEAR(value_of(&m, "x"), 2.75, 1e-13);
  motion_advance(&m, 1.5);
  CHECK_NEAR(value_of(&m, "x"), 3.875, 1e-12);
  CHECK_NEAR(value_of(&m, "x'"), 2.5, 1e-12);
  motion_end(&m);
  // up, and from rest
  m = pushed("floor(x)", "start: 3, rate: 1", 0.25);
  CHECK_NEAR(value_of(&m, "x"), 3.34375, 1e-13);
  motion_end(&m);
  m = pushed("floor(x)", "start: 3, rate: 0", 0.5);
  CHECK_NEAR(value_of(&m, "x"), 3.375, 1e-13);
  motion_end(&m);
  m = pushed("-floor(x)", "start: 3, rate: 0", 0.5); // x'' = -2 at once: 3 has no motion of its own
  CHECK_NEAR(value_of(&m, "x"), 2.75, 1e-13);
  motion_end(&m);
}

// a counter rests on integers: there the piece to the right counts, as floor itself says
static void counter(void **state) {
  (void)state;
  for (int start = -3; start <= 3; start++) {
    char text[400];
    (void)snprintf(text, sizeof text,
                   "coordinates: {x: {start: 0, rate: 0}}\nstates: {n: {start: %d, rate: 0}}\n"
                   "energy: {kinetic: \"x'^2/2\"}\nforces: {x: floor(n)}\n"
                   "events: {tick: {when: t - 1, do: {n: n + 1}}}\nrun: {until: 10}\n",
                   start);
    motion m = motion_parse(text);
    motion_advance(&m, 2.0);
    CHECK_NEAR(value_of(&m, "x'"), 2.0 * start + 1.0, 1e-13);
    CHECK_NEAR(value_of(&m, "x"), 0.5 * start + start + 0.5 * (start + 1), 1e-12);
    motion_end(&m);
  }
}

// step(t - 1): nothing before, a constant push behind
static void one_step(void **state) {
  (void)state;
  motion m = pushed("step(t - 1)", "start: 1, rate: 0", 3.5);
  check_end(&m, 1.0 + 2.5 * 2.5 / 2.0, 2.5, 1);
}

// a force along the line to the origin, through the origin: hypot has no direction there, and none
// is asked for
static void through_the_origin(void **state) {
  (void)state;
  motion m = motion_parse("coordinates: {x: {start: 0, rate: 1}, y: {start: 0, rate: 0}}\n"
                          "energy: {kinetic: \"(x'^2 + y'^2)/2\", potential: \"hypot(x, y)^2/2\"}\n"
                          "run: {until: 10, rtol: 1e-13, atol: 1e-13}\n");
  motion_advance(&m, 2.0);
  CHECK_NEAR(value_of(&m, "x"), sin(2.0), 1e-12);
  CHECK_NEAR(value_of(&m, "y"), 0.0, 1e-15);
  motion_end(&m);
}

// A branch whose argument jumps with another branch is taken at that instant, whatever it is a
// branch of: speeds after 2 under forces of unit mass.
static void stairs_in_branches(void **state) {
  (void)state;
  static const struct {
    const char *force;
    double speed;
  } all[] = {{"step(mod(t, 0.5) - 0.25)", 1.0},
             {"sign(mod(t, 0.5) - 0.25)", 0.0},
             {"if(mod(t, 0.5) < 0.25, 1, -1)", 0.0},
             {"abs(mod(t, 0.5) - 0.2)", 0.26},
             {"max(mod(t, 0.5), 0.2)", 0.58},
             {"sign(t - 1.5 + sign(t - 1))", 0.0},
             {"mod(floor(4*t), 2)", 1.0},
             {"floor(floor(4*t)/2)", 3.0},
             // comparisons of integers as they are, also where these are equal
             {"if(floor(t - 1) < 0, 1, 0)", 1.0},
             {"if(floor(t) <= 0, 1, 0)", 1.0},
             {"if(floor(t) >= 1, 1, 0)", 1.0},
             {"if(floor(2*t) > 1, 1, 0)", 1.0},
             {"if(floor(2*t) == 1, 1, 0)", 0.5},
             {"if(mod(floor(2*t), 2) < 1, 1, 0)", 1.0},
             {"if(mod(floor(2*t), 2) > 0, 1, 0)", 1.0},
             {"sign(floor(t))", 1.0},
             {"sign(floor(2*t) - 1)", 0.5},
             {"step(floor(t) - 1)", 1.0},
             // a strict comparison of what rests on zero does not hold
             {"if(x > 0, 1, 0)", 0.0},
             {"if(x < 0, 1, 0)", 0.0},
             {"if(x >= 0, 1, 0)", 2.0}};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    motion m = pushed(all[k].force, "start: 0, rate: 0", 2.0);
    CHECK_NEAR(value_of(&m, "x'"), all[k].speed, 1e-13);
    motion_end(&m);
  }
}

static void sections_of_stairs(void **state) {
  (void)state;
  static const struct {
    const char *section;
    double until;
    int count;
  } all[] = {{"step(mod(t, 0.5) - 0.25) - 0.5", 1.99, 7},
             {"floor(sin(5*t + 0.1)) + 0.5", 3.0, 4},
             {"floor(3*sin(5*t + 0.1)) - 0.5", 3.0, 5},
             {"floor(-t) + 0.5", 2.5, 0},
             {"mod(-t, 0.3) - 0.12", 2.0, 13},
             {"mod(floor(4*t), 2) - 0.5", 2.1, 8},
             {"floor(floor(4*t)/2) - 0.5", 2.1, 1},
             {"sign(t - 1.5 + sign(t - 1))", 3.0, 1},
             {"min(mod(t, 0.1), mod(t, 0.25)) - 0.017", 0.99, 23},
             {"if(floor(3*(0.7*t - 0.7)) < 0, -1, 1)", 1.9, 1},
             {"abs(mod(sin(3*t + 0.37), 0.25)) - 0.117", 1.93, 27},
             {"floor(3*min(sin(3*t), floor(2*t))) - 0.5", 1.9, 2},
             // touched, not crossed
             {"abs(t - 0.5)", 1.0, 0},
             {"max(t - 0.5, 0.5 - t)", 1.0, 0},
             {"hypot(t - 0.5, x)", 1.0, 0},
             {"sign(abs(sin(3*t + 3))) - 0.1", 2.0, 0},
             {"floor(abs(sin(3*t))) - 0.5", 1.5, 0},
             {"t - 0.5 - 2*step(t - 0.5)", 1.0, 0},
             {"t - 0.5 + 2*step(t - 0.5)", 1.0, 1},
             // of roots, behind the place where what is under them vanishes
             {"1 - hypot(t - 2.5, x)", 40.0, 2},
             {"1 - ((t - 2.5)^2 + x^2)^1.5", 40.0, 2},
             {"1 - sqrt((t - 5)^2 + x^2)", 40.0, 2},
             // jumps that undo each other are none, whichever of them the motion knows
             {"sign(t - 0.5)*sign(2*t - 1)", 1.0, 0},
             {"sign(2*t - 1)*sign(3*t - 1.5)*sign(t - 0.5)", 1.0, 1},
             {"sign(sign(t - 0.5) - 0.3)", 1.0, 1},
             {"floor(2*t)*sign(t - 0.5) - 0.5", 1.0, 1}};
  for (size_t k = 0; k < 2 * (sizeof all / sizeof *all); k++) {
    char text[400];
    (void)snprintf(text, sizeof text,
                   "coordinates: {z: {start: 0, rate: 0}, x: {start: 0, rate: 0}}\n"
                   "energy: {kinetic: \"(z'^2 + x'^2)/2\"}\nforces: {z: %s}\n"
                   "sections: {s: \"%s\"}\nrun: {until: %g}\n",
                   k % 2 == 0 ? "0" : "sign(t - 0.5)", all[k / 2].section, all[k / 2].until);
    static event_log events;
    motion m = motion_parse(text);
    motion_log(&m, &events);
    motion_run(&m);
    assert_int_equal(count_logged(&events, CAROM_EVENT_SECTION, "s"), all[k / 2].count);
    motion_end(&m);
  }
}

// Two branches are crossed at one instant, and the first one carries the argument of the second
// away from zero as it turns: that has the side its new value says, whichever way it was going.
static void carried_away(void **state) {
  (void)state;
  static const struct {
    const char *rate;
    double y; // at t = 2.5
  } cases[] = {{"if(if(x > 1, x - 3, x - 1) > 0, 10, 1)", 2.5},
               {"if(if(x > 1, 3 - x, x - 1) > 0, 10, 1)", 16.0},
               {"if(if(x > 1, x - 3, 1 - x) > 0, 10, 1)", 11.5},
               {"if(if(x > 1, 3 - x, 1 - x) > 0, 10, 1)", 25.0}};
  for (int k = 0; k < 4; k++) {
    char text[300];
    (void)snprintf(text, sizeof text,
                   "states: {x: {start: 0, rate: 1}, y: {start: 0, rate: \"%s\"}}\n"
                   "run: {until: 2.5}\n",
                   cases[k].rate);
    motion m = motion_parse(text);
    motion_run(&m);
    CHECK_NEAR(value_of(&m, "y"), cases[k].y, 1e-12);
    motion_end(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(staircase),          cmocka_unit_test(fine_stairs),
      cmocka_unit_test(sawtooth),           cmocka_unit_test(shaken_spring),
      cmocka_unit_test(stairs_in_space),    cmocka_unit_test(counter),
      cmocka_unit_test(one_step),           cmocka_unit_test(through_the_origin),
      cmocka_unit_test(stairs_in_branches), cmocka_unit_test(sections_of_stairs),
      cmocka_unit_test(carried_away),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
