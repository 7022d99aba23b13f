// SPDX-License-Identifier: MIT
// Modes that hold only just at the instant they begin with: the first derivative of the margin that
// is not zero decides at that instant, not when the force has grown enough to be noticed.
#include "motion.h"

static void check_end(const char *text, double x, double opens) {
  event_log log;
  motion m = motion_parse(text);
  motion_log(&m, &log);
  assert_int_equal(motion_run(&m), CAROM_OK);
  CHECK_NEAR(value_of(&m, "x"), x, 1e-12);
  // contacts with friction that touch at the start are told to be closed
  assert_int_equal(log.count - count_logged(&log, CAROM_EVENT_CLOSE, NULL) > 0, opens >= 0.0);
  if (opens >= 0.0) CHECK_SAME(log.list[log.count - 1].t, opens);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// x'' = t^n from rest on the floor: x(1) = 1/((n+1)(n+2)), and the floor is left at 0
static void pull_grows_from_zero(void **state) {
  (void)state;
  char text[400];
  for (int n = 1; n <= 5; n++) {
    (void)snprintf(text, sizeof text,
                   "coordinates: {x: 0}\nenergy: {kinetic: \"x'^2/2\"}\nforces: {x: t^%d}\n"
                   "contacts: {floor: {gap: x, impact: 0}}\nrun: {until: 1}\n",
                   n);
    check_end(text, 1.0 / ((n + 1.0) * (n + 2.0)), 0.0);
  }
}

// the same force by a state of its own, and beside a body whose weight is all the force there is
static void pull_by_a_state(void **state) {
  (void)state;
  check_end("coordinates: {x: 0}\nstates: {y: {start: 0, rate: 1}}\nenergy: {kinetic: \"x'^2/2\"}\n"
            "forces: {x: y}\ncontacts: {floor: {gap: x, impact: 0}}\nrun: {until: 1}\n",
            1.0 / 6.0, 0.0);
  check_end("coordinates: {x: 0, z: 0}\nenergy: {kinetic: \"x'^2/2 + z'^2/2\", potential: 10*z}\n"
            "forces: {x: t}\ncontacts: {floor: {gap: x, impact: 0}, other: {gap: z, impact: 0}}\n"
            "run: {until: 1}\n",
            1.0 / 6.0, 0.0);
}

// a force that pushes up to 0.5 and jumps to zero there, from where it pulls
static void pull_after_a_branch(void **state) {
  (void)state;
  check_end("coordinates: {x: 0}\nenergy: {kinetic: \"x'^2/2\"}\nforces: {x: \"if(t < 0.5, -1, t - "
            "0.5)\"}\ncontacts: {floor: {gap: x, impact: 0}}\nrun: {until: 1}\n",
            0.125 / 6.0, 0.5);
}

// a push that grows from zero leaves the contact closed, as does no force at all
static void push_grows_from_zero(void **state) {
  (void)state;
  static const char *const forces[] = {"-t", "0", "-t^2", "1e-30*(x - x)"};
  char text[400];
  for (int k = 0; k < 4; k++) {
    (void)snprintf(text, sizeof text,
                   "coordinates: {x: 0}\nenergy: {kinetic: \"x'^2/2\"}\nforces: {x: %s}\n"
                   "contacts: {floor: {gap: x, impact: 0}}\nrun: {until: 1}\n",
                   forces[k]);
    check_end(text, 0.0, -1.0);
  }
}

// A block of weight 10 on mu = 0.5, drawn by the force that it can just bear: it slides from the
// start if that grows, or if the coefficient falls, either way; otherwise it sticks.
static void friction_at_its_limit(void **state) {
  (void)state;
  static const struct {
    const char *force, *friction;
    double x, slips;
  } cases[] = {{"5 + t", "0.5", 1.0 / 6.0, 0.0},
               {"-5 - t", "0.5", -1.0 / 6.0, 0.0},
               {"5 + t^2", "0.5", 1.0 / 12.0, 0.0},
               {"5 - t", "0.5", 0.0, -1.0},
               {"5", "0.5", 0.0, -1.0},
               {"5", "0.5 - 0.1*t", 1.0 / 6.0, 0.0},
               {"5", "0.5 - 0.1*t^2", 1.0 / 12.0, 0.0},
               {"5", "0.5 + 0.1*t", 0.0, -1.0},
               {"5 + t", "{stick: 0.5, slip: 0.25}", 1.25 + 1.0 / 6.0, 0.0}};
  char text[500];
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    (void)snprintf(text, sizeof text,
                   "coordinates: {x: 0, y: 0}\n"
                   "energy: {kinetic: \"x'^2/2 + y'^2/2\", potential: 10*y}\nforces: {x: %s}\n"
                   "contacts: {floor: {gap: y, slip: x', friction: %s, impact: 0}}\n"
                   "run: {until: 1}\n",
                   cases[k].force, cases[k].friction);
    check_end(text, cases[k].x, cases[k].slips);
  }
}

// a rod on two feet, lifted by its weight and t more: in the middle, or at one end, where the other
// foot stays: about it the moment 2 t moves the inertia 1/3 + 1
static void rod_on_two_feet(void **state) {
  (void)state;
  static const char *const lift[] = {"x: 10 + t", "x: 5 + t, a: 5 + t"};
  char text[500];
  for (int k = 0; k < 2; k++) {
    (void)snprintf(text, sizeof text,
                   "coordinates: {x: 0, a: 0}\n"
                   "energy: {kinetic: \"x'^2/2 + a'^2/6\", potential: 10*x}\nforces: {%s}\n"
                   "contacts: {l: {gap: x - a, impact: 0}, r: {gap: x + a, impact: 0}}\n"
                   "run: {until: 1}\n",
                   lift[k]);
    check_end(text, k == 0 ? 1.0 / 6.0 : 0.25, 0.0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pull_grows_from_zero),  cmocka_unit_test(pull_by_a_state),
      cmocka_unit_test(pull_after_a_branch),   cmocka_unit_test(push_grows_from_zero),
      cmocka_unit_test(friction_at_its_limit), cmocka_unit_test(rod_on_two_feet)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
