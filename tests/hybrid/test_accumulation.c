// SPDX-License-Identifier: MIT
// Contacts that close where their bounces accumulate, beside others that bounce, rest or land with
// them.
#include "motion.h"

static event_log run(const char *text, const char *rule, motion *m) {
  static event_log log;
  carom_model *model = NULL;
  carom_error error = {0};
  const carom_setting chatter = {"run.chatter", rule};
  MUST(carom_model_parse(text, NULL, 1, &chatter, &model, &error), error);
  *m = motion_of(model);
  log.count = 0;
  carom_observer observer = {.ctx = &log, .event = log_event};
  carom_simulation_observe(m->simulation, &observer);
  motion_run(m);
  return log;
}

static int count_of(const event_log *log, carom_event_kind kind) {
  int count = 0;
  for (int k = 0; k < log->count; k++)
    count += log->list[k].kind == kind;
  return count;
}

// two balls that have nothing to do with each other, by two laws: each comes to rest at its own
// sqrt(2 h/g) (1 + e)/(1 - e), after as few bounces as alone
static void strangers(void **state) {
  (void)state;
  motion m;
  event_log log = run("coordinates: {y: 1, z: 0.7}\n"
                      "energy: {kinetic: \"(y'^2 + 2*z'^2)/2\", potential: 9.81*(y + 2*z)}\n"
                      "contacts:\n"
                      "  a: {gap: y, impact: {law: newton, e: 0.8}}\n"
                      "  b: {gap: z, impact: {law: energetic, e: 0.7}}\n"
                      "run: {until: 6}\n",
                      "accumulation", &m);
  assert_int_equal(count_of(&log, CAROM_EVENT_IMPACT), 8);
  double at[2] = {sqrt(2.0 / 9.81) * 1.8 / 0.2, sqrt(1.4 / 9.81) * 1.7 / 0.3};
  for (int k = 0; k < log.count; k++)
    if (log.list[k].kind == CAROM_EVENT_CLOSE)
      CHECK_NEAR(log.list[k].t, at[log.list[k].name[0] == 'b'], 1e-12);
  assert_int_equal(count_of(&log, CAROM_EVENT_CLOSE), 2);
  motion_end(&m);
}

// a bar with one end on the floor: its other end bounces and presses it each time
static void beside_closed(void **state) {
  (void)state;
  static const char text[] =
      "coordinates: {x: {start: 0, rate: 0.1}, y: 0.5*sin(0.3), th: 0.3}\n"
      "energy: {kinetic: \"(x'^2 + y'^2)/2 + th'^2/24\", potential: 9.81*y}\n"
      "contacts:\n"
      "  a: {gap: y - sin(th)/2, slip: \"x' + th'*sin(th)/2\", friction: 0.1,\n"
      "      impact: {law: newton, e: 0.5}}\n"
      "  b: {gap: y + sin(th)/2, slip: \"x' - th'*sin(th)/2\", friction: 0.1,\n"
      "      impact: {law: newton, e: 0.5}}\n"
      "run: {until: 0.8}\n";
  motion few, many;
  event_log log = run(text, "accumulation", &few);
  assert_true(count_of(&log, CAROM_EVENT_IMPACT) < 20);
  assert_int_equal(log.list[log.count - 1].kind, CAROM_EVENT_CLOSE);
  log = run(text, "ratio", &many);
  assert_true(count_of(&log, CAROM_EVENT_IMPACT) > 30);
  CHECK_NEAR(value_of(&few, "x"), value_of(&many, "x"), 1e-9);
  CHECK_NEAR(value_of(&few, "th"), 0.0, 1e-12);
  motion_end(&few);
  motion_end(&many);
}

// a plate falls flat on three feet and slides: 2 - mu (v + g t)
static void together(void **state) {
  (void)state;
  motion m;
  event_log log = run("coordinates: {x: {start: 0, rate: 2}, y: 0.35, th: 0}\n"
                      "energy: {kinetic: \"(x'^2 + y'^2 + th'^2)/2\", potential: 9.81*y}\n"
                      "contacts:\n"
                      "  a: {gap: y - 0.5*sin(th) - 0.15, slip: \"x' + 0.15*th'\", friction: 0.3,\n"
                      "      impact: {law: newton, e: 0.5}}\n"
                      "  b: {gap: y - 0.15, slip: \"x' + 0.15*th'\", friction: 0.3,\n"
                      "      impact: {law: newton, e: 0.5}}\n"
                      "  c: {gap: y + 0.5*sin(th) - 0.15, slip: \"x' + 0.15*th'\", friction: 0.3,\n"
                      "      impact: {law: newton, e: 0.5}}\n"
                      "run: {until: 0.65}\n",
                      "accumulation", &m);
  double fall = sqrt(0.4 / 9.81);
  assert_int_equal(count_of(&log, CAROM_EVENT_IMPACT), 12);
  CHECK_NEAR(value_of(&m, "x'"), 2.0 - 0.3 * 9.81 * 0.65, 1e-12);
  for (int k = 0; k < log.count; k++)
    if (log.list[k].kind == CAROM_EVENT_CLOSE) CHECK_NEAR(log.list[k].t, 3.0 * fall, 1e-9);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(strangers),
      cmocka_unit_test(beside_closed),
      cmocka_unit_test(together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
