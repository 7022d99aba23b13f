// SPDX-License-Identifier: MIT
// The acceptance list of events: none is missed, none is invented, and odd ones end in a clear
// outcome, never a hang.
#include "motion.h"

static event_log events;

// a ball thrown up at unit speed under unit gravity: top 1/2 at t = 1; steps are as long as they
// can be, for the motion is a polynomial
#define THROWN                                                                                     \
  "coordinates: {y: {start: 0, rate: 1}}\n"                                                        \
  "energy: {kinetic: y'^2/2, potential: y}\n"
// a point at unit speed
#define GLIDING                                                                                    \
  "coordinates: {x: {start: 0, rate: 1}}\n"                                                        \
  "energy: {kinetic: x'^2/2}\n"

// runs the text to its end with a log of its events
static motion play(const char *text, carom_status expected) {
  motion m = motion_parse(text);
  motion_log(&m, &events);
  carom_status status = motion_run(&m);
  assert_int_equal(status, expected);
  return m;
}

static double time_of(carom_event_kind kind, const char *name, int k) {
  return find_logged(&events, kind, name, k)->t;
}

// --- roots in long steps ---

static void two_roots_in_one_step(void **state) {
  (void)state;
  motion m = play(THROWN "sections: {level: y - 0.4999}\nrun: {until: 2}\n", CAROM_OK);
  double apart = sqrt(2.0 * 1e-4);
  assert_int_equal(events.count, 2);
  CHECK_NEAR(events.list[0].t, 1.0 - apart, 1e-11);
  CHECK_NEAR(events.list[1].t, 1.0 + apart, 1e-11);
  assert_int_equal(events.list[0].direction, 1);
  assert_int_equal(events.list[1].direction, -1);
  motion_end(&m);
}

static void many_roots_in_one_step(void **state) {
  (void)state;
  motion m = play(GLIDING "sections: {wave: sin(50*x)}\nrun: {until: 20}\n", CAROM_OK);
  assert_int_equal(count_logged(&events, CAROM_EVENT_SECTION, "wave"), (int)floor(1000.0 / PI));
  for (int k = 0; k < events.count; k++)
    CHECK_NEAR(events.list[k].t, PI * (k + 1) / 50.0, 1e-10);
  motion_end(&m);
}

// one direction alone, and a window too short to be seen by any sampling
static void short_dip_is_found(void **state) {
  (void)state;
  motion m = play(GLIDING "sections:\n"
                          "  dip: {when: (x - 7.123)^2 - 1e-8, direction: falling}\n"
                          "run: {until: 20}\n",
                  CAROM_OK);
  assert_int_equal(events.count, 1);
  CHECK_NEAR(events.list[0].t, 7.123 - 1e-4, 1e-9);
  motion_end(&m);
}

// --- touching without crossing ---

static void touching_dip_is_a_graze(void **state) {
  (void)state;
  motion m = play(THROWN "sections: {top: y - 0.5}\nrun: {until: 2}\n", CAROM_OK);
  assert_int_equal(events.count, 1);
  assert_int_equal(events.list[0].kind, CAROM_EVENT_GRAZE);
  CHECK_NEAR(events.list[0].t, 1.0, 1e-5); // a maximum is known to the root of what its value is
  assert_int_equal((int)certificate_of(&m).counts.grazes, 1);
  motion_end(&m);

  // from above, again and again, and nothing after a graze is taken for a crossing
  m = play(GLIDING "sections: {touch: 1 - cos(x)}\nrun: {until: 40}\n", CAROM_OK);
  assert_int_equal(count_logged(&events, CAROM_EVENT_SECTION, NULL), 0);
  assert_int_equal(count_logged(&events, CAROM_EVENT_GRAZE, "touch"), 6);
  for (int k = 0; k < 6; k++)
    CHECK_NEAR(time_of(CAROM_EVENT_GRAZE, "touch", k), 2.0 * PI * (k + 1), 1e-4);
  motion_end(&m);
}

static void near_misses_are_not_events(void **state) {
  (void)state;
  motion m = play(THROWN "sections: {over: y - 0.5 - 1e-7}\nrun: {until: 2}\n", CAROM_OK);
  assert_int_equal(events.count, 0);
  motion_end(&m);
  m = play(THROWN "sections: {under: y - 0.5 + 1e-7}\nrun: {until: 2}\n", CAROM_OK);
  assert_int_equal(count_logged(&events, CAROM_EVENT_SECTION, "under"), 2);
  CHECK_NEAR(events.list[1].t - events.list[0].t, 2.0 * sqrt(2e-7), 1e-9);
  motion_end(&m);
}

// --- several at once ---

static void simultaneous_roots_are_one_instant(void **state) {
  (void)state;
  motion m = play(THROWN "sections: {a: y - 0.25, b: 3 - 12*y, c: y^2 - 0.0625}\n"
                         "run: {until: 2}\n",
                  CAROM_OK);
  assert_int_equal(events.count, 6);
  for (int k = 0; k < 6; k += 3) {
    double t = 1.0 + (k ? 1.0 : -1.0) * sqrt(0.5);
    for (int j = k; j < k + 3; j++) {
      assert_int_equal((int)events.list[j].instant, (int)events.list[k].instant);
      CHECK_SAME(events.list[j].t, events.list[k].t);
      CHECK_NEAR(events.list[j].t, t, 1e-12);
    }
  }
  assert_int_equal((int)certificate_of(&m).counts.instants, 2);
  motion_end(&m);
}

// one rule sees the state before it, so that it can swap values; rules of one instant come one
// after the other as they are listed, and none is lost
static void rules_of_one_instant_come_in_turn(void **state) {
  (void)state;
  motion m =
      play("states: {a: {start: 1, rate: 0}, b: {start: 2, rate: 0}, c: {start: 0, rate: 1}}\n"
           "events:\n"
           "  first: {when: c - 1, do: {a: b}}\n"
           "  second: {when: 2*c - 2, do: {b: a}}\n"
           "run: {until: 2}\n",
           CAROM_OK);
  assert_int_equal(events.count, 2);
  CHECK_SAME(value_of(&m, "a"), 2.0);
  CHECK_SAME(value_of(&m, "b"), 2.0);
  motion_end(&m);
  m = play("states: {a: {start: 1, rate: 0}, b: {start: 2, rate: 0}, c: {start: 0, rate: 1}}\n"
           "events:\n"
           "  swap: {when: c - 1, do: {a: b, b: a}}\n"
           "  twice: {when: 3*c - 3, do: {b: b + 1}}\n"
           "  more: {when: c^3 - 1, do: {b: b + 1}}\n"
           "run: {until: 2}\n",
           CAROM_OK);
  assert_int_equal(events.count, 3);
  CHECK_SAME(value_of(&m, "a"), 2.0);
  CHECK_SAME(value_of(&m, "b"), 3.0);
  motion_end(&m);
}

// two functions that agree but for the integrator's error: each is found once, whatever their order
static void twins_are_both_found(void **state) {
  (void)state;
  motion m = play("coordinates: {x: 1, y: 1}\n"
                  "energy: {kinetic: (x'^2 + y'^2/4)/2, potential: 1 - cos(x) + 1/4*(1 - cos(y))}\n"
                  "sections:\n"
                  "  x_up: {when: x, direction: rising}\n"
                  "  y_up: {when: sin(y), direction: rising}\n"
                  "  both: {when: x + y, direction: falling}\n"
                  "run: {until: 300}\n",
                  CAROM_OK);
  double period = 4.0 * elliptic_k(sin(0.5));
  int expected = (int)floor(300.0 / period + 0.25);
  assert_int_equal(count_logged(&events, CAROM_EVENT_SECTION, "x_up"), expected);
  assert_int_equal(count_logged(&events, CAROM_EVENT_SECTION, "y_up"), expected);
  assert_int_equal(count_logged(&events, CAROM_EVENT_SECTION, "both"),
                   (int)floor(300.0 / period + 0.75));
  motion_end(&m);
}

// --- functions that stay at zero ---

static void zero_for_ever_is_told_once(void **state) {
  (void)state;
  const char *const zeros[] = {"x'", "sin(2*y) - 2*sin(y)*cos(y)", "(x - 1)*y'"};
  for (int k = 0; k < 3; k++) {
    char text[300];
    (void)snprintf(text, sizeof text,
                   "coordinates: {x: 1, y: {start: 0, rate: 1}}\n"
                   "energy: {kinetic: (x'^2 + y'^2)/2}\n"
                   "sections: {nothing: \"%s\"}\n"
                   "run: {until: 1000}\n",
                   zeros[k]);
    motion m = play(text, CAROM_OK);
    assert_int_equal(count_logged(&events, CAROM_EVENT_SECTION, NULL), 0);
    assert_int_equal(count_logged(&events, CAROM_EVENT_FLAT, "nothing"), 1);
    CHECK(certificate_of(&m).counts.steps < 1000);
    motion_end(&m);
  }
}

// zero for a while, then away: it is watched again
static void flat_function_wakes_up(void **state) {
  (void)state;
  motion m = play(GLIDING "define: {late: 'max(x - 1, 0)'}\n"
                          "sections: {up: late - 0.5, base: late}\n"
                          "run: {until: 3}\n",
                  CAROM_OK);
  assert_int_equal(count_logged(&events, CAROM_EVENT_SECTION, "up"), 1);
  CHECK_NEAR(time_of(CAROM_EVENT_SECTION, "up", 0), 1.5, 1e-11);
  CHECK_NEAR(time_of(CAROM_EVENT_SWITCH, NULL, 0), 1.0, 1e-11);
  CHECK(count_logged(&events, CAROM_EVENT_FLAT, "base") <= 1);
  motion_end(&m);
}

// Flat for a minute, then z = -s (s - 1/2) (s - 1) over one step, zero again at its end.
static void flat_at_both_ends_of_a_step(void **state) {
  (void)state;
  motion m = play("define: {s: t - 60}\n"
                  "states: {z: {start: 0, rate: 'if(s > 0, -1/2 + 3*s - 3*s^2, 0)'}}\n"
                  "sections: {level: z}\nrun: {until: 61}\n",
                  CAROM_OK);
  assert_int_equal(count_logged(&events, CAROM_EVENT_FLAT, "level"), 1);
  assert_int_equal(count_logged(&events, CAROM_EVENT_SECTION, "level"), 2);
  CHECK_NEAR(time_of(CAROM_EVENT_SECTION, "level", 0), 60.5, 1e-10);
  CHECK_NEAR(time_of(CAROM_EVENT_SECTION, "level", 1), 61.0, 1e-10);
  motion_end(&m);
}

// A function that takes many parts of a step to bound, its last factor being 1/100 in truth: from
// the zero at 5, where its event comes, it goes to another one, and is not taken to be flat.
static void hard_to_bound_is_not_flat(void **state) {
  (void)state;
  motion m = play("states: {z: {start: 0, rate: 1}, n: {start: 0, rate: 0}}\n"
                  "define: {one_percent: 0.01 + sin(2000*z) - 2*sin(1000*z)*cos(1000*z)}\n"
                  "events: {level: {when: (z - 5)*(7 - z)*one_percent, do: {n: n + 1}}}\n"
                  "run: {until: 20}\n",
                  CAROM_OK);
  assert_int_equal(events.count, 2);
  CHECK_NEAR(time_of(CAROM_EVENT_USER, "level", 0), 5.0, 1e-10);
  CHECK_NEAR(time_of(CAROM_EVENT_USER, "level", 1), 7.0, 1e-10);
  motion_end(&m);
}

// --- at the start ---

static void event_at_the_start(void **state) {
  (void)state;
  // zero at the start and on its way: the motion has to come back before it counts
  motion m = play(THROWN "sections: {ground: y, low: y < 0.1}\nrun: {until: 3}\n", CAROM_OK);
  assert_int_equal(count_logged(&events, CAROM_EVENT_SECTION, "ground"), 1);
  CHECK_NEAR(time_of(CAROM_EVENT_SECTION, "ground", 0), 2.0, 1e-11);
  // a comparison that holds at the start has not become true
  assert_int_equal(count_logged(&events, CAROM_EVENT_SECTION, "low"), 1);
  CHECK_NEAR(time_of(CAROM_EVENT_SECTION, "low", 0), 1.0 + sqrt(0.8), 1e-11);
  motion_end(&m);

  // at rest on a maximum of the function: it leaves without an event
  m = play("coordinates: {y: 1}\nenergy: {kinetic: y'^2/2, potential: y}\n"
           "sections: {shelf: y - 1}\nrun: {until: 3}\n",
           CAROM_OK);
  assert_int_equal(count_logged(&events, CAROM_EVENT_SECTION, "shelf"), 0);
  motion_end(&m);

  // at the very end
  m = play(THROWN "sections: {end: y}\nrun: {until: 2}\n", CAROM_OK);
  assert_int_equal(count_logged(&events, CAROM_EVENT_SECTION, "end"), 1);
  CHECK_NEAR(events.list[0].t, 2.0, 1e-11);
  motion_end(&m);
}

// --- kinks ---

// the force of abs(x) is a constant towards zero: switches at sqrt(2 x0) (1 + 2 k)
static void kink_of_abs(void **state) {
  (void)state;
  motion m = play("coordinates: {x: 0.7}\nenergy: {kinetic: x'^2/2, potential: abs(x)}\n"
                  "run: {until: 100}\n",
                  CAROM_OK);
  double quarter = sqrt(1.4);
  int expected = (int)floor(0.5 * (100.0 / quarter + 1.0));
  assert_int_equal(count_logged(&events, CAROM_EVENT_SWITCH, NULL), expected);
  assert_int_equal((int)certificate_of(&m).counts.switches, expected);
  for (int k = 0; k < expected; k++)
    CHECK_NEAR(time_of(CAROM_EVENT_SWITCH, NULL, k), quarter * (1 + 2 * k), 1e-10 * (1 + k));
  // a step across a kink would cost orders; with events the motion is exact: x = x0 - s^2/2
  double late = 100.0 - 2.0 * quarter * (expected - 1) - quarter;
  double sign = expected % 2 ? -1.0 : 1.0;
  CHECK_NEAR(value_of(&m, "x"), sign * (quarter * late - 0.5 * late * late), 1e-9);
  motion_end(&m);
}

// every kind of kink at x = 1 or where two functions meet, passed by x = t
static void every_kink_is_located(void **state) {
  (void)state;
  static const struct {
    const char *force;
    double t;
  } cases[] = {{"sign(x - 1)", 1.0},          {"max(x, 1)", 1.0},          {"min(x, t^2)", 1.0},
               {"if(x > 1, 1, 0)", 1.0},      {"if(x <= 1, x, x^2)", 1.0}, {"abs(x - 1)", 1.0},
               {"max(sin(x), 0.5)", PI / 6.0}};
  for (int k = 0; k < 7; k++) {
    char text[400];
    (void)snprintf(text, sizeof text,
                   "coordinates: {x: {start: 0, rate: 1}, v: 0}\n"
                   "energy: {kinetic: (x'^2 + v'^2)/2}\n"
                   "forces: {v: '%s'}\nrun: {until: 1.5}\n",
                   cases[k].force);
    motion m = play(text, CAROM_OK);
    assert_int_equal(count_logged(&events, CAROM_EVENT_SWITCH, NULL), 1);
    CHECK_NEAR(events.list[0].t, cases[k].t, 1e-11);
    motion_end(&m);
  }
}

// --- rules ---

// a ball with a rule instead of a contact: speeds fall by e, the ledger books what the rule took
static void rule_bounces_a_ball(void **state) {
  (void)state;
  motion m = play("parameters: {e: 0.9, g: 10}\n"
                  "coordinates: {y: 1}\nenergy: {kinetic: y'^2/2, potential: g*y}\n"
                  "events: {bounce: {when: y < 0, do: {y': -e*y'}}}\n"
                  "run: {until: 4}\n",
                  CAROM_OK);
  double t = sqrt(0.2), speed = sqrt(20.0);
  int bounces = 0;
  for (; t < 4.0; bounces++) {
    CHECK_NEAR(time_of(CAROM_EVENT_USER, "bounce", bounces), t, 1e-11);
    speed *= 0.9;
    t += 2.0 * speed / 10.0;
  }
  assert_int_equal(events.count, bounces);
  carom_certificate c = certificate_of(&m);
  CHECK(c.passed);
  CHECK_NEAR(c.energy.work_events, -10.0 * (1.0 - pow(0.9, 2.0 * bounces)), 1e-10);
  motion_end(&m);
}

static void conditions_are_asked(void **state) {
  (void)state;
  motion m = play("coordinates: {x: {start: 1, rate: 0}}\n"
                  "energy: {kinetic: x'^2/2, potential: x^2/2}\n"
                  "sections:\n"
                  "  right: {when: x', if: x > 0}\n"
                  "  left: {when: x', if: x < 0}\n"
                  "  early: {when: x, if: t < 4}\n"
                  "run: {until: 20}\n",
                  CAROM_OK);
  assert_int_equal(count_logged(&events, CAROM_EVENT_SECTION, "right"), 3); // 2 pi, 4 pi, 6 pi
  assert_int_equal(count_logged(&events, CAROM_EVENT_SECTION, "left"), 3);
  assert_int_equal(count_logged(&events, CAROM_EVENT_SECTION, "early"), 1);
  motion_end(&m);
}

static void stops_end_the_run(void **state) {
  (void)state;
  motion m = play(THROWN "stop: {low: {when: y - 0.25, direction: falling}}\nrun: {until: 9}\n",
                  CAROM_STOP_EVENT);
  double t = 1.0 + sqrt(0.5);
  CHECK_NEAR(carom_simulation_time(m.simulation), t, 1e-11);
  CHECK_NEAR(value_of(&m, "y"), 0.25, 1e-11);
  // the run is over: asking for more changes nothing, a reset makes it new
  assert_int_equal(motion_advance(&m, 9.0), CAROM_STOP_EVENT);
  CHECK_NEAR(carom_simulation_time(m.simulation), t, 1e-11);
  assert_int_equal(motion_run(&m), CAROM_STOP_EVENT);
  motion_end(&m);

  m = play(THROWN "stop:\n  deep: {when: y < -1}\n  never: {when: y, if: y' > 0}\n"
                  "run: {until: 9}\n",
           CAROM_STOP_EVENT);
  assert_int_equal(count_logged(&events, CAROM_EVENT_STOP, "deep"), 1);
  assert_int_equal(count_logged(&events, CAROM_EVENT_STOP, "never"), 0);
  CHECK_NEAR(carom_simulation_time(m.simulation), 1.0 + sqrt(3.0), 1e-11);
  motion_end(&m);
}

// a rule that halves the speed at every bounce comes to an end that no rule can pass: it is told
static void zeno_rule_stops_at_its_accumulation(void **state) {
  (void)state;
  motion m = play("coordinates: {y: 1}\nenergy: {kinetic: y'^2/2, potential: 9.81*y}\n"
                  "events: {hit: {when: y < 0, do: {y': -0.5*y'}}}\n"
                  "run: {until: 50}\n",
                  CAROM_STOP_ACCUMULATION);
  CHECK_NEAR(carom_simulation_time(m.simulation), 3.0 * sqrt(2.0 / 9.81), 1e-6);
  // some fifty hops until a flight is lost in the rounding of time, and the instants at which time
  // stands still that it takes to tell
  CHECK(events.count > 20 && events.count < 300);
  motion_end(&m);
}

// functions so fast that they cannot be followed to the end: counted, or refused with the reason
static void fast_functions_are_no_accumulation(void **state) {
  (void)state;
  motion m = motion_parse(GLIDING "sections: {s: sin(1e12*t)}\nrun: {until: 1e-8}\n"
                                  "observe: {n: count(s)}\n");
  assert_int_equal(motion_run(&m), CAROM_OK);
  CHECK_SAME(value_of(&m, "n"), 3183.0);
  motion_end(&m);
  const struct {
    const char *rate, *end, *reason;
  } cases[] = {{"1e12", "2", "s comes every 3.14159e-12"},
               {"1e12", "100", "s comes every 3.14159e-12"},
               {"1e14", "3", "s crosses zero too often to be followed"},
               {"1e18", "3", "s crosses zero too often to be followed"}};
  for (int k = 0; k < 4; k++) {
    char text[300];
    carom_error error = {0};
    (void)snprintf(text, sizeof text, GLIDING "sections: {s: sin(%s*t)}\nrun: {until: %s}\n",
                   cases[k].rate, cases[k].end);
    m = motion_parse(text);
    assert_int_equal(carom_simulation_run(m.simulation, &error), CAROM_ERR_LIMIT);
    assert_non_null(strstr(error.text, cases[k].reason));
    motion_end(&m);
  }
}

// what has come already counts against run.max_events as well: refused as soon as that is known
static void even_rules_count_what_has_come(void **state) {
  (void)state;
  const struct {
    const char *end;
    bool refused;
  } cases[] = {{"10.4", true}, {"9.4", false}};
  for (int k = 0; k < 2; k++) {
    char text[300];
    carom_error error = {0};
    (void)snprintf(text, sizeof text,
                   GLIDING "events: {s: {when: sin(1e4*t), do: {x: x}}}\n"
                           "run: {until: %s, max_events: 31000}\n",
                   cases[k].end);
    motion m = motion_parse(text);
    carom_status status = carom_simulation_run(m.simulation, &error);
    assert_int_equal(status, cases[k].refused ? CAROM_ERR_LIMIT : CAROM_OK);
    if (cases[k].refused) {
      assert_non_null(strstr(error.text, "s comes every"));
      // known after ten thousand of them, not at the thirty-first
      CHECK(carom_simulation_time(m.simulation) < 4.0);
    }
    motion_end(&m);
  }
}

// a state without an equation stays until an event sets it: x'' = gear - 2, gear 1, then 2
static void held_state(void **state) {
  (void)state;
  static const char TEXT[] = "coordinates: {x: {start: 0, rate: 1}}\n"
                             "states: {gear: 1}\n"
                             "energy: {kinetic: \"x'^2/2\"}\n"
                             "forces: {x: gear - 2}\n"
                             "events:\n  shift: {when: t - 1, do: {gear: gear + 1}}\n"
                             "run: {until: 3}\n";
  const carom_setting higher = {"gear", "2"};
  for (int settings = 0; settings < 2; settings++) {
    carom_model *model = NULL;
    carom_error error = {0};
    MUST(carom_model_parse(TEXT, NULL, settings, &higher, &model, &error), error);
    motion m = motion_of(model);
    motion_run(&m);
    CHECK_NEAR(value_of(&m, "x'"), settings ? 3.0 : 0.0, 1e-12);
    CHECK_SAME(value_of(&m, "gear"), settings ? 3.0 : 2.0);
    motion_end(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(even_rules_count_what_has_come),
      cmocka_unit_test(held_state),
      cmocka_unit_test(fast_functions_are_no_accumulation),
      cmocka_unit_test(two_roots_in_one_step),
      cmocka_unit_test(many_roots_in_one_step),
      cmocka_unit_test(short_dip_is_found),
      cmocka_unit_test(touching_dip_is_a_graze),
      cmocka_unit_test(near_misses_are_not_events),
      cmocka_unit_test(simultaneous_roots_are_one_instant),
      cmocka_unit_test(rules_of_one_instant_come_in_turn),
      cmocka_unit_test(twins_are_both_found),
      cmocka_unit_test(zero_for_ever_is_told_once),
      cmocka_unit_test(flat_function_wakes_up),
      cmocka_unit_test(flat_at_both_ends_of_a_step),
      cmocka_unit_test(hard_to_bound_is_not_flat),
      cmocka_unit_test(event_at_the_start),
      cmocka_unit_test(kink_of_abs),
      cmocka_unit_test(every_kink_is_located),
      cmocka_unit_test(rule_bounces_a_ball),
      cmocka_unit_test(conditions_are_asked),
      cmocka_unit_test(stops_end_the_run),
      cmocka_unit_test(zeno_rule_stops_at_its_accumulation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
