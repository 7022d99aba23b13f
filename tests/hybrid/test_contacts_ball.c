// SPDX-License-Identifier: MIT
// Balls that bounce: accumulation of bounces, the vibrating table, restitution at any speed.
#include "motion.h"

static event_log events;

// t* = sqrt(2 h/g) (1 + e)/(1 - e); the close tells it, and the ball lies still afterwards
static void zeno_time(void **state) {
  (void)state;
  const double h = 1.0, g = 9.81, e[] = {0.2, 0.5, 0.8, 0.95};
  motion m = motion_load("bouncing_ball", NULL);
  for (int k = 0; k < 4; k++) {
    double pile = sqrt(2.0 * h / g) * (1.0 + e[k]) / (1.0 - e[k]);
    set_value(&m, "e", e[k]);
    motion_log(&m, &events);
    assert_int_equal(motion_advance(&m, pile + 1.0), CAROM_OK);
    const logged *close = find_logged(&events, CAROM_EVENT_CLOSE, "floor", 0);
    CHECK_NEAR(close->value, pile, 1e-9);
    CHECK(close->t < pile && close->t > pile * (1.0 - 1e-4));
    CHECK_SAME(value_of(&m, "y"), 0.0);
    CHECK_SAME(value_of(&m, "y'"), 0.0);
    // a contact that lasts is a state: nothing happens after it has closed
    CHECK(events.list[events.count - 1].kind == CAROM_EVENT_CLOSE);
    carom_certificate c = certificate_of(&m);
    CHECK(c.passed);
    assert_int_equal(c.counts.closings, 1);
    CHECK_NEAR(c.energy.lost_impacts, g * h, 1e-12);
  }
  motion_end(&m);
}

// the rules that close chatter by a speed or a time close at the first bounce below it
static void stated_rules(void **state) {
  (void)state;
  const double e = 0.8, v0 = sqrt(2.0 * 9.81);
  carom_setting by_speed[] = {{"run.chatter", "{speed: 0.01}"}, {NULL, NULL}};
  carom_setting by_time[] = {{"run.chatter", "{time: 0.01}"}, {NULL, NULL}};
  motion slow = motion_load("bouncing_ball", by_speed);
  motion_log(&slow, &events);
  motion_run(&slow);
  int bounces = count_logged(&events, CAROM_EVENT_IMPACT, "floor");
  assert_int_equal(bounces, (int)ceil(log(0.01 / v0) / log(e)));
  motion_end(&slow);
  motion brief = motion_load("bouncing_ball", by_time);
  motion_log(&brief, &events);
  motion_run(&brief);
  // the flight after bounce n lasts 2 v0 e^n / g and ends at bounce n + 1
  bounces = count_logged(&events, CAROM_EVENT_IMPACT, "floor");
  assert_int_equal(bounces, 1 + (int)ceil(log(0.01 * 9.81 / (2.0 * v0)) / log(e)));
  motion_end(&brief);
}

static const char *TABLE = "parameters: {g: 9.81, omega: 157.07963267948966, Gamma: 0.7, e: 0.8,\n"
                           "  A: Gamma*g/omega^2, phase: 0, v: 0.1}\n"
                           "coordinates: {y: {start: A*sin(phase), rate: v}}\n"
                           "energy: {kinetic: y'^2/2, potential: g*y}\n"
                           "contacts: {top: {gap: y - A*sin(omega*t + phase), impact: e}}\n"
                           "run: {until: 1, rtol: 1e-12}\n";
static const double OMEGA = 157.07963267948966, GRAVITY = 9.81;

// The computed accumulation: a few bounces tell the series; the contact closes at t* =
// sqrt(2h/g) (1+e)/(1-e), and friction has by then taken mu times all momentum the floor has given,
// mu (sqrt(2 g h) + g t*): as if every bounce had been followed.
static void computed_accumulation(void **state) {
  (void)state;
  const double g = 9.81, e = 0.8, mu = 0.1, v = 5.0;
  motion m =
      motion_parse("parameters: {g: 9.81, mu: 0.1, e: 0.8}\n"
                   "coordinates: {x: {start: 0, rate: 5}, y: {start: 1, rate: 0}}\n"
                   "energy: {kinetic: \"(x'^2 + y'^2)/2\", potential: g*y}\n"
                   "contacts:\n"
                   "  floor: {gap: y, slip: x', friction: mu, impact: {law: poisson, e: e}}\n"
                   "run: {until: 5, chatter: accumulation}\n");
  motion_log(&m, &events);
  motion_run(&m);
  double pile = sqrt(2.0 / g) * (1.0 + e) / (1.0 - e);
  const logged *close = find_logged(&events, CAROM_EVENT_CLOSE, "floor", 0);
  CHECK_NEAR(close->t, pile, 1e-11);
  CHECK_SAME(close->value, close->t);
  CHECK(count_logged(&events, CAROM_EVENT_IMPACT, "floor") <= 6);
  CHECK_NEAR(value_of(&m, "x'"), v - mu * g * 5.0, 1e-11);
  // the place by momentum and its first moment: x = v t - mu g t^2/2 + mu (momentum that fell
  // short) since y(t) = 0, the moment of all the floor's force about t is g t^2/2 - h
  CHECK_NEAR(value_of(&m, "x"), v * 5.0 - mu * (g * 12.5 - 1.0), 1e-10);
  carom_certificate c = certificate_of(&m);
  CHECK(c.passed && c.counts.closings == 1);
  motion_end(&m);
}

// The same where the table moves on meanwhile: against every bounce down to a ten-millionth of the
// first flight. The last, of 2e-9 s, is 5e-18 m high, at a height of 3e-4 m: digits for a tenth.
static void computed_accumulation_on_table(void **state) {
  (void)state;
  double t[2], y[2];
  long impacts[2];
  for (int k = 0; k < 2; k++) {
    carom_model *model = NULL;
    carom_error error = {0};
    const carom_setting settings[] = {
        {"e", "0.5"}, {"run.until", "0.06"}, {"run.chatter", k ? "accumulation" : "{ratio: 1e-7}"}};
    MUST(carom_model_parse(TABLE, NULL, 3, settings, &model, &error), error);
    motion m = motion_of(model);
    motion_log(&m, &events);
    motion_run(&m);
    t[k] = find_logged(&events, CAROM_EVENT_CLOSE, "top", 0)->value;
    y[k] = value_of(&m, "y");
    impacts[k] = certificate_of(&m).counts.impacts;
    CHECK(certificate_of(&m).passed);
    motion_end(&m);
  }
  print_message("closed after %ld bounces, by the series after %ld\n", impacts[0], impacts[1]);
  CHECK_NEAR(t[1], t[0], 4e-10);
  CHECK_NEAR(y[1], y[0], 1e-12);
  CHECK(impacts[1] < impacts[0]);
}

// from the velocity just after an impact at a phase to those of the next impact
static void return_map(const motion *m, double phase, double v, double *next_phase,
                       double *next_v) {
  carom_error error = {0};
  set_value(m, "phase", phase);
  set_value(m, "v", v);
  assert_int_equal(carom_simulation_next(m->simulation, 1.0, &error), CAROM_STOP_EVENT);
  *next_phase = phase + OMEGA * value_of(m, "t");
  *next_v = value_of(m, "y'");
}

// trace and determinant of the map's derivative by central differences
static void multipliers(const motion *m, double phase, double v, double *trace, double *det) {
  double d = 1e-5, j[2][2];
  for (int k = 0; k < 2; k++) {
    double dp = k == 0 ? d : 0.0, dv = k == 1 ? d * v : 0.0, p[2], w[2];
    return_map(m, phase + dp, v + dv, &p[1], &w[1]);
    return_map(m, phase - dp, v - dv, &p[0], &w[0]);
    double width = k == 0 ? 2.0 * d : 2.0 * d * v;
    j[0][k] = (p[1] - p[0]) / width;
    j[1][k] = (w[1] - w[0]) / width;
  }
  *trace = j[0][0] + j[1][1];
  *det = j[0][0] * j[1][1] - j[0][1] * j[1][0];
}

// once per period: A omega cos(phase) = (pi g/omega) (1 - e)/(1 + e), take-off with pi g/omega
// above the start; the map's determinant is e^2, its trace 1 + e^2 - (1 + e)^2 Gamma sin(phase)
static void period_one_orbit(void **state) {
  (void)state;
  motion m = motion_parse(TABLE);
  const double e = 0.8, ratio = PI * (1.0 - e) / (1.0 + e);
  const double gammas[] = {0.36, 0.5, 0.7, 1.0};
  for (int k = 0; k < 4; k++) {
    double gamma = gammas[k], phase = acos(ratio / gamma), v = PI * GRAVITY / OMEGA, p, w;
    set_value(&m, "Gamma", gamma);
    return_map(&m, phase, v, &p, &w);
    CHECK_NEAR(p, phase + 2.0 * PI, 1e-10);
    CHECK_NEAR(w, v, 1e-12);
    double trace, det;
    multipliers(&m, phase, v, &trace, &det);
    CHECK_NEAR(det, e * e, 1e-6);
    CHECK_NEAR(trace, 1.0 + e * e - (1.0 + e) * (1.0 + e) * gamma * sin(phase), 1e-5);
  }
  motion_end(&m);
}

// at its ends the motion's multiplier is +1 (it appears) and -1 (it doubles its period)
static void stability_limits(void **state) {
  (void)state;
  motion m = motion_parse(TABLE);
  const double e = 0.8, ratio = PI * (1.0 - e) / (1.0 + e);
  double bend = 2.0 * (1.0 + e * e) / ((1.0 + e) * (1.0 + e)), v = PI * GRAVITY / OMEGA;
  double doubling = sqrt(ratio * ratio + bend * bend), trace, det;
  CHECK_NEAR(doubling, 1.070836, 1e-6);
  set_value(&m, "Gamma", doubling);
  multipliers(&m, acos(ratio / doubling), v, &trace, &det);
  CHECK_NEAR(1.0 + trace + det, 0.0, 1e-5);
  set_value(&m, "Gamma", ratio * (1.0 + 1e-10));
  multipliers(&m, acos(1.0 / (1.0 + 1e-10)), v, &trace, &det);
  CHECK_NEAR(1.0 - trace + det, 0.0, 1e-3);
  motion_end(&m);
}

// the scenario finds the motion by itself
static void table_settles(void **state) {
  (void)state;
  motion m = motion_load("ball_on_table", NULL);
  motion_run(&m);
  CHECK_SAME(value_of(&m, "impacts"), 100.0);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// velocities around the last impact
typedef struct bounce {
  double before, after;
} bounce;

static int note_bounce(void *ctx, const carom_event *event) {
  bounce *b = ctx;
  if (event->kind != CAROM_EVENT_IMPACT) return 0;
  b->before = event->before[event->size / 2];
  b->after = event->after[event->size / 2];
  return 1;
}

// restitution holds for an approach with a micrometre per second as for one with a metre
static void restitution_at_any_speed(void **state) {
  (void)state;
  motion m = motion_parse("coordinates: {y: {start: 1e-9, rate: -1}}\n"
                          "energy: {kinetic: y'^2/2, potential: 9.81*y}\n"
                          "contacts: {floor: {gap: y, impact: 0.7}}\n"
                          "run: {until: 1}\n");
  for (double speed = 1.0; speed > 1e-7; speed /= 10.0) {
    bounce b = {0};
    carom_error error = {0};
    carom_observer observer = {.ctx = &b, .event = note_bounce};
    carom_simulation_observe(m.simulation, &observer);
    set_value(&m, "y'", -speed);
    assert_int_equal(carom_simulation_advance(m.simulation, 1.0, &error), CAROM_STOP_USER);
    CHECK(b.before <= -speed);
    CHECK_NEAR(b.after, -0.7 * b.before, -1e-15 * b.before);
  }
  motion_end(&m);
}

// three balls that land together are one instant, and bounce together ever after
static void three_at_once(void **state) {
  (void)state;
  motion m = motion_parse("coordinates: {a: 1, b: 1, c: 1}\n"
                          "energy: {kinetic: (a'^2 + 2*b'^2 + 3*c'^2)/2,\n"
                          "  potential: 9.81*(a + 2*b + 3*c)}\n"
                          "contacts:\n"
                          "  one: {gap: a, impact: 0.5}\n"
                          "  two: {gap: b, impact: 0.5}\n"
                          "  three: {gap: c, impact: 0.5}\n"
                          "run: {until: 1.4}\n");
  motion_log(&m, &events);
  motion_run(&m);
  int impacts = count_logged(&events, CAROM_EVENT_IMPACT, NULL);
  CHECK(impacts > 9 && impacts % 3 == 0);
  for (int k = 0; k < events.count; k += 3)
    for (int j = 1; j < 3; j++)
      assert_int_equal(events.list[k + j].instant, events.list[k].instant);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// The word covers a whole period of the response: one bounce per period of the table, two unequal
// ones where the period has doubled, and none where the motion is chaotic. Regimes are named by it,
// wherever in the period their words begin.
static void words_on_table(void **state) {
  (void)state;
  const struct {
    double Gamma;
    const char *word, *regime;
  } cases[] = {{0.7, "F I", "single"},
               {1.0, "F I", "single"},
               {1.15, "F I F I", "doubled"},
               {1.5, "", "other"}};
  const carom_setting regimes[] = {
      {"regimes", "{single: {word: F I}, doubled: {word: I F I F}, other: {when: height > 0}}"},
      {NULL, NULL}};
  motion m = motion_load("ball_on_table", regimes);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[400];
    carom_error error = {0};
    set_value(&m, "Gamma", cases[k].Gamma);
    motion_run(&m);
    MUST(carom_simulation_word(m.simulation, text, sizeof text, &error), error);
    assert_string_equal(text, cases[k].word);
    const char *regime = NULL;
    MUST(carom_simulation_regime(m.simulation, &regime, &error), error);
    assert_string_equal(regime, cases[k].regime);
  }
  motion_end(&m);
}

// A heavy-ended bar falls almost flat, e = 0: its left end lands, its right end 1e-8 s later, which
// throws the left one up. With 1/m + a^2/J = 5/4 and 1/m - a^2/J = 3/4 the ends have -v, -v; then
// 0, -2v/5; then 6v/25, 0. That they land so soon after each other is no pile of bounces.
static void thrown_up_at_once(void **state) {
  (void)state;
  motion m = motion_parse("coordinates: {y: 1, th: 4.4e-8}\n"
                          "define: {left: y - 0.5*sin(th), right: y + 0.5*sin(th)}\n"
                          "energy: {kinetic: (y'^2 + th'^2)/2, potential: 9.81*y}\n"
                          "contacts:\n  a: {gap: left, impact: 0}\n  b: {gap: right, impact: 0}\n"
                          "run: {until: 1, rtol: 1e-12}\n");
  double landing = sqrt(2.0 / 9.81), v = 9.81 * landing;
  (void)motion_advance(&m, landing + 1e-6);
  assert_int_equal(certificate_of(&m).counts.impacts, 2);
  CHECK_NEAR(value_of(&m, "y'") - 0.5 * value_of(&m, "th'"), 0.24 * v, 1e-4);
  CHECK_NEAR(value_of(&m, "y'") + 0.5 * value_of(&m, "th'"), 0.0, 1e-4);
  motion_end(&m);
}

// y = (t - 1)^2 + 1e-12 comes within every tolerance of the floor and never meets it: where a run
// ends on the way, early or late, decides nothing
static void end_of_a_run_near_a_graze(void **state) {
  (void)state;
  const double ends[] = {0.99, 0.9999, 0.99999, 0.999995, 0.9999995, 1.0000005, 1.00001, 1.01};
  motion m = motion_parse("coordinates: {y: {start: 1 + 1e-12, rate: -2}}\n"
                          "energy: {kinetic: y'^2/2, potential: -2*y}\n"
                          "contacts: {floor: {gap: y, impact: 0.5}}\nrun: {until: 2}\n");
  for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
    double t = ends[k];
    (void)motion_advance(&m, t);
    CHECK_NEAR(value_of(&m, "t"), t, 1e-15);
    CHECK_NEAR(value_of(&m, "y'"), 2.0 * (t - 1.0), 1e-14);
  }
  assert_int_equal(certificate_of(&m).counts.impacts, 0);
  motion_end(&m);
}

// Between a wall at -0.6 and the ring of radius 1, along its diameter: the distance from the middle
// turns round there, within a step, and its series does not know.
static void through_the_middle_of_a_ring(void **state) {
  (void)state;
  event_log log;
  motion m = motion_parse("coordinates: {x: {start: 0.1, rate: -1}, y: 0}\n"
                          "energy: {kinetic: \"(x'^2 + y'^2)/2\"}\n"
                          "contacts: {ring: {gap: \"1 - hypot(x, y)\", impact: 1},\n"
                          "           wall: {gap: x + 0.6, impact: 1}}\nrun: {until: 20}\n");
  motion_log(&m, &log);
  assert_int_equal(motion_run(&m), CAROM_OK);
  assert_int_equal(count_logged(&log, CAROM_EVENT_IMPACT, NULL), 13);
  for (int k = 0; k < 13; k++)
    CHECK_NEAR(find_logged(&log, CAROM_EVENT_IMPACT, NULL, k)->t, 0.7 + 1.6 * k, 1e-12);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(through_the_middle_of_a_ring),
      cmocka_unit_test(zeno_time),
      cmocka_unit_test(stated_rules),
      cmocka_unit_test(computed_accumulation),
      cmocka_unit_test(computed_accumulation_on_table),
      cmocka_unit_test(period_one_orbit),
      cmocka_unit_test(stability_limits),
      cmocka_unit_test(table_settles),
      cmocka_unit_test(restitution_at_any_speed),
      cmocka_unit_test(three_at_once),
      cmocka_unit_test(words_on_table),
      cmocka_unit_test(end_of_a_run_near_a_graze),
      cmocka_unit_test(thrown_up_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
