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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(chain), cmocka_unit_test(user_law)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
