// SPDX-License-Identifier: MIT
// Runs that cannot go on: an error that names time, state and expression, and the state as it was
// before the call.
#include "motion.h"

#define GLIDING                                                                                    \
  "coordinates: {x: {start: 0, rate: 1}}\n"                                                        \
  "energy: {kinetic: x'^2/2}\n"

// runs to the end, expects this status; the error's text must hold all the given parts
static void fails(const char *text, carom_status expected, const char *const *parts) {
  motion m = motion_parse(text);
  carom_error error = {0};
  carom_status status = carom_simulation_run(m.simulation, &error);
  if (status != expected) print_error("status %d: %s\n", (int)status, error.text);
  assert_int_equal(status, expected);
  assert_int_equal(error.status, expected);
  for (; *parts; parts++)
    if (!strstr(error.text, *parts)) {
      print_error("'%s' is not in: %s\n", *parts, error.text);
      fail();
    }
  // when, in which state and by which expression, apart from the text
  assert_true(error.moving && isfinite(error.t) && error.t > 0.0);
  assert_true(error.state_count >= 1 && error.state[0] != 0.0);
  if (expected == CAROM_ERR_NONFINITE) assert_true(error.expression[0] != '\0');

  // the state is the one before the call: the start
  CHECK_SAME(carom_simulation_time(m.simulation), 0.0);
  CHECK_SAME(value_of(&m, "x"), 0.0);
  motion_end(&m);
}

#define PARTS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void nan_in_a_force(void **state) {
  (void)state;
  fails(GLIDING "forces: {x: sqrt(1 - x)}\nrun: {until: 9}\n", CAROM_ERR_NONFINITE,
        PARTS("t = ", "sqrt", "x = "));
  fails("states: {x: {start: 0, rate: log(2 - t)}}\nrun: {until: 9}\n", CAROM_ERR_NONFINITE,
        PARTS("t = ", "log", "x = "));
}

static void nan_in_an_event(void **state) {
  (void)state;
  fails(GLIDING "sections: {edge: sqrt(1 - x) - 3}\nrun: {until: 9}\n", CAROM_ERR_NONFINITE,
        PARTS("t = 1", "edge", "sqrt(1 - x)", "x = 1", "x' = 1"));
  fails(GLIDING "events: {pole: {when: 1/(x - 1), do: {x: 0}}}\nrun: {until: 9}\n",
        CAROM_ERR_NONFINITE, PARTS("t = ", "pole", "x = "));
}

static void nan_in_an_assignment(void **state) {
  (void)state;
  fails(GLIDING "events: {jump: {when: x - 1, do: {x': log(x - 2)}}}\nrun: {until: 9}\n",
        CAROM_ERR_NONFINITE, PARTS("t = 1", "jump"));
}

// x'' = x^2 blows up in finite time: no hang, and the time is told
static void blow_up(void **state) {
  (void)state;
  fails("states: {x: {start: 0, rate: 1 + x^2}}\nrun: {until: 9}\n", CAROM_ERR_STEP,
        PARTS("t = 1.57", "x = "));
}

static void too_many_events(void **state) {
  (void)state;
  fails(GLIDING "sections: {wave: sin(100*x)}\nrun: {until: 100, max_events: 50}\n",
        CAROM_ERR_LIMIT, PARTS("50", "max_events"));
}

// both branches lead to the jump, which cannot be slid on while a contact is closed
static void held_on_a_jump(void **state) {
  (void)state;
  fails("coordinates: {x: {start: 0, rate: 1}, y: 0}\n"
        "energy: {kinetic: x'^2/2 + y'^2/2, potential: y}\ncontacts: {floor: {gap: y}}\n"
        "forces: {x: -0.3*sign(x')}\nrun: {until: 50}\n",
        CAROM_ERR_UNSUPPORTED, PARTS("t = 3.33", "sign", "friction"));
}

// after an error the simulation is still good for what comes before it
static void goes_on_after_an_error(void **state) {
  (void)state;
  motion m = motion_parse(GLIDING "forces: {x: 0*sqrt(2 - x)}\nrun: {until: 9}\n");
  carom_error error = {0};
  motion_advance(&m, 0.5);
  double x = value_of(&m, "x");
  assert_int_equal(carom_simulation_advance(m.simulation, 9.0, &error), CAROM_OK); // folded away
  motion_end(&m);

  m = motion_parse(GLIDING "forces: {x: 1e-9*sqrt(2 - x)}\nrun: {until: 9}\n");
  motion_advance(&m, 0.5);
  x = value_of(&m, "x");
  assert_int_equal(carom_simulation_advance(m.simulation, 9.0, &error), CAROM_ERR_NONFINITE);
  CHECK_SAME(carom_simulation_time(m.simulation), 0.5);
  CHECK_SAME(value_of(&m, "x"), x);
  assert_int_equal(motion_advance(&m, 1.5), CAROM_OK);
  CHECK_NEAR(value_of(&m, "x"), 1.5, 1e-8);
  motion_end(&m);
}

static void wrong_calls(void **state) {
  (void)state;
  motion m = motion_parse(GLIDING "run: {until: 9}\n");
  carom_error error = {0};
  double value = 0.0;
  motion_advance(&m, 1.0);
  assert_int_equal(carom_simulation_advance(m.simulation, 0.5, &error), CAROM_ERR_ARGUMENT);
  assert_int_equal(carom_simulation_advance(m.simulation, (double)NAN, &error), CAROM_ERR_ARGUMENT);
  assert_int_equal(carom_simulation_advance(m.simulation, (double)INFINITY, &error),
                   CAROM_ERR_ARGUMENT);
  assert_int_equal(carom_simulation_get(m.simulation, "xx", &value, &error), CAROM_ERR_ARGUMENT);
  assert_non_null(strstr(error.text, "'x'"));
  assert_int_equal(carom_simulation_set(m.simulation, "y", 1.0, &error), CAROM_ERR_ARGUMENT);
  assert_int_equal(carom_simulation_set(m.simulation, "x", (double)NAN, &error),
                   CAROM_ERR_ARGUMENT);
  CHECK_SAME(carom_simulation_time(m.simulation), 1.0);
  motion_end(&m);
}

// M = [m m; m 2] is positive for 0 < m < 2
static void mass_not_positive(void **state) {
  (void)state;
  motion m = motion_parse("parameters: {m: 1}\n"
                          "coordinates: {x: {start: 0, rate: 1}, y: 0}\n"
                          "energy: {kinetic: m/2*x'^2 + m*x'*y' + y'^2}\nrun: {until: 9}\n");
  carom_error error = {0};
  assert_int_equal(carom_simulation_set(m.simulation, "m", -1.0, &error), CAROM_ERR_INPUT);
  assert_non_null(strstr(error.text, "not positive for some motions of the coordinate 'x'"));
  assert_int_equal(carom_simulation_set(m.simulation, "m", 2.1, &error), CAROM_ERR_INPUT);
  assert_non_null(strstr(error.text, "coordinate 'y'"));
  assert_int_equal(error.line, 3);
  MUST(carom_simulation_set(m.simulation, "m", 1.9, &error), error);
  assert_int_equal(carom_simulation_change(m.simulation, "m", 3.0, &error), CAROM_ERR_INPUT);
  assert_int_equal(motion_advance(&m, 1.0), CAROM_OK);
  CHECK_NEAR(value_of(&m, "x"), 1.0, 1e-12);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nan_in_a_force),         cmocka_unit_test(nan_in_an_event),
      cmocka_unit_test(nan_in_an_assignment),   cmocka_unit_test(blow_up),
      cmocka_unit_test(too_many_events),        cmocka_unit_test(held_on_a_jump),
      cmocka_unit_test(goes_on_after_an_error), cmocka_unit_test(wrong_calls),
      cmocka_unit_test(mass_not_positive),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
