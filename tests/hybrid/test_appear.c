// SPDX-License-Identifier: MIT
// Contacts and constraints that exist while a condition holds: gates, clutches, latches, against
// closed forms.
#include "motion.h"

#include "hybrid/tangent.h"

static event_log events;

// a ball rests on a gate, falls when it opens, and bounces below it
static void gate_opens(void **state) {
  (void)state;
  motion m = motion_parse("coordinates: {y: 0}\n"
                          "energy: {kinetic: y'^2/2, potential: 10*y}\n"
                          "contacts:\n"
                          "  gate: {gap: y, when: t < 1}\n"
                          "  floor: {gap: y + 5, impact: 0.5}\n"
                          "run: {until: 2.5}\n");
  motion_log(&m, &events);
  motion_run(&m);
  CHECK_NEAR(find_logged(&events, CAROM_EVENT_OPEN, "gate", 0)->t, 1.0, 1e-14);
  CHECK_NEAR(find_logged(&events, CAROM_EVENT_IMPACT, "floor", 0)->t, 2.0, 1e-12);
  CHECK_NEAR(value_of(&m, "y"), -5.0 + 5.0 * 0.5 - 5.0 * 0.25, 1e-12);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// a gate that is open while the ball passes, and closes above it: nothing happens
static void gate_passed(void **state) {
  (void)state;
  motion m = motion_parse("coordinates: {y: 1}\n"
                          "energy: {kinetic: y'^2/2, potential: 10*y}\n"
                          "contacts: {gate: {gap: y, when: y > 0.5 or t > 2}}\n"
                          "run: {until: 1.5}\n");
  motion_run(&m);
  CHECK_NEAR(value_of(&m, "y"), 1.0 - 5.0 * 1.5 * 1.5, 1e-12);
  CHECK(certificate_of(&m).counts.impacts == 0);
  // at t = 2 it would appear 19 below the gate
  carom_error error = {0};
  carom_status status = carom_simulation_advance(m.simulation, 2.5, &error);
  assert_int_equal(status, CAROM_ERR_INPUT);
  CHECK(strstr(error.text, "at t = 2 contact gate appears with a gap of -19") != NULL);
  motion_end(&m);
}

// a plate swings in under the ball at the instant at which it passes: they collide
static void appears_in_touch(void **state) {
  (void)state;
  motion m = motion_parse("coordinates: {y: 5}\nstates: {closed: {rate: 0}}\n"
                          "energy: {kinetic: y'^2/2, potential: 10*y}\n"
                          "contacts: {plate: {gap: y, when: closed > 0.5, impact: 0.6}}\n"
                          "events: {pass: {when: y < 0, do: {closed: 1}}}\n"
                          "run: {until: 1.2}\n");
  motion_log(&m, &events);
  motion_run(&m);
  CHECK_NEAR(find_logged(&events, CAROM_EVENT_IMPACT, "plate", 0)->t, 1.0, 1e-12);
  CHECK_NEAR(value_of(&m, "y"), 6.0 * 0.2 - 5.0 * 0.04, 1e-9);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// Two flywheels are joined while a clutch is closed: momentum stays, what slips is lost.
static void clutch(void **state) {
  (void)state;
  const double I1 = 2.0, I2 = 3.0, w = 10.5, joined = I1 * w / (I1 + I2);
  motion m = motion_parse("coordinates: {a: {rate: 10}, b: 0}\n"
                          "energy: {kinetic: 2*a'^2/2 + 3*b'^2/2}\n"
                          "forces: {a: 1}\n"
                          "constraints: {clutch: {hold: a' = b', when: t > 1 and t < 2}}\n"
                          "run: {until: 3}\n");
  motion_log(&m, &events);
  motion_advance(&m, 1.5);
  CHECK_NEAR(value_of(&m, "a'"), joined + 0.5 / (I1 + I2), 1e-12);
  CHECK_NEAR(value_of(&m, "b'"), joined + 0.5 / (I1 + I2), 1e-12);
  motion_run(&m);
  CHECK_NEAR(value_of(&m, "a'"), joined + 1.0 / (I1 + I2) + 1.0 / I1, 1e-12);
  CHECK_NEAR(value_of(&m, "b'"), joined + 1.0 / (I1 + I2), 1e-12);
  const logged *told = find_logged(&events, CAROM_EVENT_IMPACT, "clutch", 0);
  CHECK_NEAR(told->t, 1.0, 1e-14);
  CHECK_NEAR(fabs(told->value), I2 * joined, 1e-12);
  carom_certificate c = certificate_of(&m);
  CHECK_NEAR(c.energy.lost_impacts, 0.5 * I1 * w * w - 0.5 * (I1 + I2) * joined * joined, 1e-10);
  CHECK(c.passed);
  motion_end(&m);
}

// a latch catches a swing at x = 1/2 and lets it go again
static void latch(void **state) {
  (void)state;
  motion m = motion_parse("coordinates: {x: -1}\nstates: {locked: {rate: 0}}\n"
                          "energy: {kinetic: x'^2/2, potential: 2*x^2}\n"
                          "constraints: {latch: {hold: x = 0.5, when: locked > 0.5}}\n"
                          "events:\n"
                          "  catch: {when: x > 0.5, do: {locked: 1}}\n"
                          "  release: {when: t > 3, do: {locked: 0}}\n"
                          "run: {until: 4}\n");
  double caught = acos(-0.5) / 2.0; // x = -cos(2 t)
  motion_log(&m, &events);
  motion_advance(&m, 2.5);
  CHECK_NEAR(find_logged(&events, CAROM_EVENT_IMPACT, "latch", 0)->t, caught, 1e-9);
  CHECK_NEAR(value_of(&m, "x"), 0.5, 1e-12);
  CHECK_NEAR(value_of(&m, "x'"), 0.0, 1e-12);
  motion_run(&m);
  CHECK_NEAR(value_of(&m, "x"), 0.5 * cos(2.0), 1e-9);
  carom_certificate c = certificate_of(&m);
  CHECK_NEAR(c.energy.lost_impacts, 2.0 - 2.0 * 0.25, 1e-9);
  CHECK(c.passed);
  motion_end(&m);
}

// A bar of two coupled blocks: the lower one rests on the ground, the clutch takes it along
// upwards; the ground gives no impulse, as it cannot pull. Downwards it does.
static void ground_answers(void **state) {
  (void)state;
  const double speeds[] = {3.0, -3.0}, after[] = {1.5, 0.0};
  for (int k = 0; k < 2; k++) {
    motion m = motion_parse("parameters: {v: 3}\n"
                            "coordinates: {a: {rate: v}, y: {start: 0, rate: 0}}\n"
                            "energy: {kinetic: a'^2/2 + y'^2/2, potential: y}\n"
                            "contacts: {ground: {gap: y}}\n"
                            "constraints: {hook: {hold: a' = y', when: t > 1}}\n"
                            "run: {until: 1.25}\n");
    set_value(&m, "v", speeds[k]);
    motion_run(&m);
    CHECK_NEAR(value_of(&m, "y'"), k == 0 ? after[k] - 0.5 * 0.25 : after[k], 1e-12);
    CHECK_NEAR(value_of(&m, "a'"), value_of(&m, "y'"), 1e-12);
    CHECK(certificate_of(&m).passed);
    motion_end(&m);
  }
}

// the one push there is
static const logged *find_push(const char *name) {
  assert_int_equal(count_logged(&events, CAROM_EVENT_PUSH, name), 1);
  int k = 0;
  while (events.list[k].kind != CAROM_EVENT_PUSH)
    k++;
  return &events.list[k];
}

// a stop that appears inside a body is an error, or pushes it out: the work is told
static void push(void **state) {
  (void)state;
  motion m = motion_parse("coordinates: {y: 1}\n"
                          "energy: {kinetic: y'^2/2, potential: 10*y}\n"
                          "contacts: {table: {gap: y, when: t > 0.6, appear: push}}\n"
                          "run: {until: 2}\n");
  motion_log(&m, &events);
  motion_run(&m);
  CHECK_NEAR(value_of(&m, "y"), 0.0, 1e-12);
  const logged *pushed = find_push("table");
  CHECK_NEAR(pushed->t, 0.6, 1e-12);
  CHECK_NEAR(pushed->value, 1.0 - 5.0 * 0.36, 1e-10);
  carom_certificate c = certificate_of(&m);
  CHECK_NEAR(c.energy.work_events, 10.0 * (5.0 * 0.36 - 1.0), 1e-10);
  CHECK_NEAR(c.energy.lost_impacts, 0.5 * 36.0, 1e-10);
  CHECK(c.passed);
  motion_end(&m);

  m = motion_parse(
      "coordinates: {a: 0, b: 1}\nenergy: {kinetic: a'^2/2 + b'^2}\n"
      "constraints: {rod: {hold: b - a, when: t > 1, appear: push}}\nrun: {until: 2}\n");
  motion_log(&m, &events);
  motion_run(&m);
  CHECK_NEAR(find_push("rod")->value, 1.0, 1e-12);
  CHECK_NEAR(value_of(&m, "a"), 2.0 / 3.0, 1e-12); // the mean by masses 1 and 2
  CHECK_NEAR(value_of(&m, "b"), 2.0 / 3.0, 1e-12);
  motion_end(&m);

  m = motion_parse("coordinates: {a: 0, b: 1}\nenergy: {kinetic: a'^2/2 + b'^2}\n"
                   "constraints: {rod: {hold: b - a, when: t > 1}}\nrun: {until: 2}\n");
  carom_error error = {0};
  assert_int_equal(carom_simulation_run(m.simulation, &error), CAROM_ERR_INPUT);
  CHECK(strstr(error.text, "at t = 1 constraint rod appears where it is off by 1") != NULL);
  motion_end(&m);
}

// how the end depends on the start, through a clutch that closes where a wheel stands, and a latch
static void neighbours(void **state) {
  (void)state;
  motion m = motion_parse("coordinates: {a: {rate: 2}, b: {start: 0.2, rate: 0.1}}\n"
                          "states: {locked: {rate: 0}}\n"
                          "energy: {kinetic: (2 + cos(a))*a'^2/2 + 3*b'^2/2, potential: b^2}\n"
                          "constraints: {clutch: {hold: a' = b', when: a > 1 and locked < 0.5}}\n"
                          "events: {free: {when: b > 0.9, do: {locked: 1}}}\n"
                          "run: {until: 2.5, rtol: 1e-12, atol: 1e-12}\n");
  const char *const names[] = {"a", "b", "a'", "b'"};
  const double start[] = {0.0, 0.2, 2.0, 0.1}, step = 1e-5;
  double matrix[25], end[2][4];
  int size = 5;
  carom_error error = {0};
  motion_log(&m, &events);
  MUST(carom_tangent_begin(m.simulation, &error), error);
  motion_advance(&m, 2.5);
  memcpy(matrix, carom_tangent_matrix(m.simulation, &size), sizeof matrix);
  carom_tangent_end(m.simulation);
  assert_int_equal(count_logged(&events, CAROM_EVENT_IMPACT, "clutch"), 1);
  assert_int_equal(count_logged(&events, CAROM_EVENT_USER, "free"), 1);
  for (int j = 0; j < 4; j++) {
    for (int side = 0; side < 2; side++) {
      for (int i = 0; i < 4; i++)
        set_value(&m, names[i], start[i] + (i == j ? (2 * side - 1) * step : 0.0));
      motion_advance(&m, 2.5);
      for (int i = 0; i < 4; i++)
        end[side][i] = value_of(&m, names[i]);
    }
    for (int i = 0; i < 4; i++)
      CHECK_NEAR(matrix[size * i + j], (end[1][i] - end[0][i]) / (2.0 * step), 1e-6);
  }
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gate_opens),
      cmocka_unit_test(gate_passed),
      cmocka_unit_test(appears_in_touch),
      cmocka_unit_test(clutch),
      cmocka_unit_test(latch),
      cmocka_unit_test(ground_answers),
      cmocka_unit_test(push),
      cmocka_unit_test(neighbours),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
