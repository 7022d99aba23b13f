// SPDX-License-Identifier: MIT
// Cylinders and boxes in space: cans on a table beside cans on a floor, a roller that falls off the
// end of a table beside a disc in the plane, a plank on rollers that stick out beside it, a box on
// a can.
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

// on a table and on a floor, with the same numbers
static void compare_grounds(const char *can, const char *contact, double t) {
  static const char *const grounds[] = {"plane: [0, 0, 1]",
                                        "box: [3, 2.6, 0.2], at: [0.02, 0.01, -0.1], fixed: yes"};
  static const char *const names[] = {"can.x", "can.y", "can.z", "can.e1", "can.e2"};
  motion runs[2];
  for (int k = 0; k < 2; k++) {
    runs[k] = motion_printed("gravity: 9.81\n"
                             "bodies: {ground: {%s}, can: {cylinder: %s}}\n"
                             "contacts: {touch: {between: [can, ground], %s}}\n"
                             "run: {until: 1}\n",
                             grounds[k], can, contact);
    motion_advance(&runs[k], t);
    CHECK(certificate_of(&runs[k]).passed);
  }
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    CHECK_NEAR(value_of(&runs[0], names[k]), value_of(&runs[1], names[k]), 1e-10);
  for (int k = 0; k < 2; k++)
    motion_end(&runs[k]);
}

static void a_can_on_a_table_moves_as_on_the_floor(void **state) {
  (void)state;
  // thrown, it strikes with both rims
  compare_grounds("[0.1, 0.3], mass: 1, at: [0, 0, 0.4], spin: [1, 2, 3],\n"
                  "  turn: {axis: [1, 0.5, 0.2], angle: 0.7}",
                  "friction: 0.3, impact: {law: poisson, e: 0.4}", 0.3);
}

// The roller's axis is along the end of the table, over which it turns until it loses touch.
static void a_roller_falls_off_a_table_as_a_disc_does(void **state) {
  (void)state;
  motion space = motion_parse(
      "gravity: 9.81\n"
      "bodies:\n"
      "  table: {box: [1, 1, 0.2], fixed: yes, at: [0, 0, -0.1]}\n"
      "  roller: {cylinder: [0.1, 0.3], mass: 1, at: [0.49, 0, 0.1], velocity: [0.2, 0, 0],\n"
      "    spin: [0, 2, 0], turn: {axis: [1, 0, 0], angle: pi/2}}\n"
      "contacts: {touch: {between: [roller, table], friction: 0.6}}\n"
      "run: {until: 1}\n");
  motion plane =
      motion_parse("gravity: 9.81\n"
                   "bodies:\n"
                   "  table: {box: [1, 0.2], fixed: yes, at: [0, -0.1]}\n"
                   "  roller: {disc: 0.1, mass: 1, at: [0.49, 0.1], velocity: [0.2, 0], spin: -2}\n"
                   "contacts: {touch: {between: [roller, table], friction: 0.6}}\n"
                   "run: {until: 1}\n");
  motion_advance(&space, 0.5);
  motion_advance(&plane, 0.5);
  CHECK(value_of(&plane, "roller.y") < -0.05);
  CHECK_NEAR(value_of(&space, "roller.x"), value_of(&plane, "roller.x"), 1e-9);
  CHECK_NEAR(value_of(&space, "roller.z"), value_of(&plane, "roller.y"), 1e-9);
  CHECK_NEAR(value_of(&space, "roller.y"), 0.0, 1e-10);
  CHECK(certificate_of(&space).passed);
  motion_end(&space);
  motion_end(&plane);
}

// its corners are over the can's end, where it slides
static void a_box_slides_on_a_can(void **state) {
  (void)state;
  motion is = motion_parse(
      "gravity: 9.81\n"
      "bodies:\n"
      "  can: {cylinder: [0.3, 0.4], at: [0, 0, 0.2], fixed: yes}\n"
      "  box: {box: [0.1, 0.1, 0.1], mass: 1, at: [-0.1, 0.03, 0.45], velocity: [0.6, 0, 0]}\n"
      "contacts: {touch: {between: [box, can], friction: 0.2}}\n"
      "run: {until: 1}\n");
  motion_advance(&is, 0.1);
  CHECK_NEAR(value_of(&is, "box.x"), -0.1 + 0.06 - 0.5 * 0.2 * 9.81 * 0.01, 1e-12);
  CHECK_NEAR(value_of(&is, "box.z"), 0.45, 1e-12);
  CHECK(certificate_of(&is).passed);
  motion_end(&is);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_can_on_a_table_moves_as_on_the_floor),
      cmocka_unit_test(a_roller_falls_off_a_table_as_a_disc_does),
      cmocka_unit_test(a_box_slides_on_a_can),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
