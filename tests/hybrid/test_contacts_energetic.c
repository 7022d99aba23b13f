// SPDX-License-Identifier: MIT
// Impacts by the energetic law inside a run: chains, stiffness, friction by a user's law.
#include "motion.h"

static const char CHAIN[] =
    "title: Three balls in a row\n"
    "parameters: {m: 1, stiff: 1}\n"
    "coordinates:\n"
    "  x1: {start: -0.2, rate: 1}\n"
    "  x2: 1\n"
    "  x3: 2\n"
    "energy: {kinetic: \"m/2*(x1'^2 + x2'^2 + x3'^2)\", potential: 0}\n"
    "contacts:\n"
    "  a: {gap: x2 - x1 - 1, impact: {law: energetic, e: 1}}\n"
    "  b: {gap: x3 - x2 - 1, impact: {law: energetic, e: 1, stiffness: stiff}}\n"
    "run: {until: 1}\n";

// the resting contact takes part, and stiffness tells how the impulse is shared
static void chain(void **state) {
  (void)state;
  motion m = motion_parse(CHAIN);
  assert_int_equal(motion_advance(&m, 1.0), CAROM_OK);
  CHECK_NEAR(value_of(&m, "x1'"), -0.0709523536518, 1e-11);
  CHECK_NEAR(value_of(&m, "x2'"), 0.0764030390715, 1e-11);
  CHECK_NEAR(value_of(&m, "x3'"), 0.9945493145804, 1e-11);
  motion_end(&m);
}

// a sliding block hits the ground with a friction force of its own: along the motion
static void user_law(void **state) {
  (void)state;
  motion m = motion_parse("title: A block thrown on a belt\n"
                          "coordinates: {x: {start: 0, rate: 1}, y: {start: 0.5, rate: -2}}\n"
                          "energy: {kinetic: \"(x'^2 + y'^2)/2\", potential: 0}\n"
                          "contacts:\n"
                          "  ground: {gap: y, slip: \"x'\", tangential: 0.3*normal,\n"
                          "           impact: {law: energetic, e: 0.5}}\n"
                          "run: {until: 0.5}\n");
  assert_int_equal(motion_advance(&m, 0.5), CAROM_OK);
  CHECK_NEAR(value_of(&m, "y'"), 1.0, 1e-9);
  CHECK_NEAR(value_of(&m, "x'"), 1.0 + 0.3 * 3.0, 1e-9);
  motion_end(&m);
}

// three balls, contact by contact: masses 1, 2, 1/2 and e = 0.8, in closed form
static void sequential(void **state) {
  (void)state;
  motion m = motion_parse("title: Three balls, one impact after the other\n"
                          "coordinates:\n"
                          "  x1: {start: -0.2, rate: 1}\n"
                          "  x2: 1\n"
                          "  x3: 2\n"
                          "energy: {kinetic: \"(x1'^2 + 2*x2'^2 + x3'^2/2)/2\", potential: 0}\n"
                          "contacts:\n"
                          "  a: {gap: x2 - x1 - 1, impact: {law: energetic, e: 0.8}}\n"
                          "  b: {gap: x3 - x2 - 1,\n"
                          "      impact: {law: energetic, e: 0.8, sequential: yes}}\n"
                          "run: {until: 0.3}\n");
  double p = 1.8 * 2.0 / 3.0, u1 = 1.0 - p, u2 = p / 2.0, q = 1.8 * u2 * 0.4;
  assert_int_equal(motion_advance(&m, 0.3), CAROM_OK);
  CHECK_NEAR(value_of(&m, "x1'"), u1, 1e-13);
  CHECK_NEAR(value_of(&m, "x2'"), u2 - q / 2.0, 1e-13);
  CHECK_NEAR(value_of(&m, "x3'"), q / 0.5, 1e-13);
  motion_end(&m);
}

// a rod falls on its end: the rules by their definitions; with friction they differ
static double rebound(const char *rule) {
  char text[1024];
  (void)snprintf(text, sizeof text,
                 "title: A rod falls on its end\n"
                 "parameters: {a: 0.9}\n"
                 "coordinates:\n"
                 "  x: {start: 0, rate: 0.4}\n"
                 "  y: {start: sin(a) + 0.1, rate: -1}\n"
                 "  theta: a\n"
                 "energy: {kinetic: \"(x'^2 + y'^2 + theta'^2/3)/2\", potential: 0}\n"
                 "define: {tip_x: x - cos(theta), tip_y: y - sin(theta)}\n"
                 "contacts:\n"
                 "  tip: {gap: tip_y, slip: \"tip_x'\", friction: 0.4,\n"
                 "        impact: {law: energetic, e: 0.5, stop: %s}}\n"
                 "run: {until: 0.10001}\n",
                 rule);
  motion m = motion_parse(text);
  assert_int_equal(motion_advance(&m, 0.10001), CAROM_OK);
  double result = value_of(&m, "y'") - cos(value_of(&m, "theta")) * value_of(&m, "theta'");
  motion_end(&m);
  return result;
}

static void stop_rules(void **state) {
  (void)state;
  CHECK_NEAR(rebound("kinematic"), 0.5, 1e-4);
  CHECK(fabs(rebound("kinetic") - rebound("energetic")) > 1e-2);
  CHECK(fabs(rebound("kinetic") - 0.5) > 1e-2);
}

// three balls, the middle one and the last held together once compressed: they go on as one
static const char HELD[] =
    "title: Three balls, the last two of clay\n"
    "coordinates:\n"
    "  x1: {start: -0.2, rate: 1}\n"
    "  x2: 1\n"
    "  x3: 2\n"
    "energy: {kinetic: \"(x1'^2 + x2'^2 + x3'^2)/2\", potential: 0}\n"
    "contacts:\n"
    "  a: {gap: x2 - x1 - 1, impact: {law: energetic, e: 1}}\n"
    "  b: {gap: x3 - x2 - 1, impact: {law: energetic, stiffness: 20, hold: yes}}\n"
    "run: {until: 0.3}\n";

static void hold(void **state) {
  (void)state;
  motion m = motion_parse(HELD);
  assert_int_equal(motion_advance(&m, 0.3), CAROM_OK);
  CHECK_NEAR(value_of(&m, "x2'"), value_of(&m, "x3'"), 1e-11);
  motion_end(&m);
}

// rules for one contact alone are refused where several strike, and so is a wedge that locks
static void told(void **state) {
  (void)state;
  motion m = motion_parse("title: Two rules at once\n"
                          "coordinates:\n"
                          "  x1: {start: -0.2, rate: 1}\n"
                          "  x2: 1\n"
                          "  x3: 2\n"
                          "energy: {kinetic: \"(x1'^2 + x2'^2 + x3'^2)/2\", potential: 0}\n"
                          "contacts:\n"
                          "  a: {gap: x2 - x1 - 1, impact: {law: energetic, stop: kinetic}}\n"
                          "  b: {gap: x3 - x2 - 1, impact: {law: energetic}}\n"
                          "run: {until: 0.3}\n");
  carom_error error = {0};
  assert_int_equal(carom_simulation_advance(m.simulation, 0.3, &error), CAROM_ERR_ARGUMENT);
  CHECK(strstr(error.text, "for one alone") != NULL);
  motion_end(&m);
  m = motion_parse("title: A mass in a narrow rough wedge\n"
                   "parameters: {c: cos(0.2), s: sin(0.2)}\n"
                   "coordinates: {x: 0, y: {start: 0.1, rate: -1}}\n"
                   "energy: {kinetic: \"(x'^2 + y'^2)/2\", potential: 0}\n"
                   "contacts:\n"
                   "  left: {gap: c*x + s*y, slip: \"-s*x' + c*y'\", friction: 0.5,\n"
                   "         impact: {law: energetic, e: 0.6}}\n"
                   "  right: {gap: -c*x + s*y, slip: \"-s*x' - c*y'\", friction: 0.5,\n"
                   "          impact: {law: energetic, e: 0.6, stiffness: 1.7}}\n"
                   "run: {until: 0.3}\n");
  assert_int_equal(carom_simulation_advance(m.simulation, 0.3, &error), CAROM_ERR_NO_CONVERGENCE);
  CHECK(strstr(error.text, "never ends") != NULL);
  motion_end(&m);
}

// A disc on its edge, 6 mm thick: after the impact of a ball all points of the edge move slowly.
// The slowest closes by the rule of speed; closing the others with it would stop the disc's
// turning.
static void slow_edges(void **state) {
  (void)state;
  const struct {
    const char *name;
    double turning; // after the impact, before anything closes
  } cases[] = {{"disc_ball_case2", -0.678200}, {"disc_ball_case8", 0.935688}};
  for (int k = 0; k < 2; k++) {
    motion m = motion_load(cases[k].name, NULL);
    assert_int_equal(motion_advance(&m, 1e-12), CAROM_OK);
    CHECK_RELATIVE(value_of(&m, "theta'"), cases[k].turning, 0.15);
    motion_end(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(chain),      cmocka_unit_test(user_law),
                                     cmocka_unit_test(sequential), cmocka_unit_test(stop_rules),
                                     cmocka_unit_test(hold),       cmocka_unit_test(told),
                                     cmocka_unit_test(slow_edges)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
