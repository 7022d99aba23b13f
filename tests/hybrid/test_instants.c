// SPDX-License-Identifier: MIT
// What an instant does to a state: events reset it, surfaces jump, impacts turn it round. Contacts
// answer to every change, conditions that become true by a jump are noticed, the ledger knows what
// events gave and took. Answers by hand.
#include "motion.h"

static event_log events;

static motion play(const char *text, carom_status expected) {
  motion m = motion_parse(text);
  motion_log(&m, &events);
  assert_int_equal(motion_run(&m), expected);
  return m;
}

static void refuse(const char *text, const char *reason) {
  carom_model *model = NULL;
  carom_simulation *simulation = NULL;
  carom_error error = {0};
  carom_status status = carom_model_parse(text, NULL, 0, NULL, &model, &error);
  if (status == CAROM_OK) status = carom_simulation_create(model, &simulation, &error);
  if (status == CAROM_OK) status = carom_simulation_run(simulation, &error);
  if (status >= 0 || !strstr(error.text, reason)) print_error("'%s'\n", error.text);
  CHECK(status < 0 && strstr(error.text, reason) != NULL);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

// a block on a floor with friction 1/2, restitution 1/2 and gravity 10; `rate`: of x at the start
#define BLOCK(rate)                                                                                \
  "coordinates: {x: {start: 0, rate: " rate "}, y: 0}\n"                                           \
  "energy: {kinetic: (x'^2 + y'^2)/2, potential: 10*y}\n"                                          \
  "contacts: {floor: {gap: y, slip: x', friction: 0.5, impact: 0.5}}\n"

static void is_sound(motion *m, double by_events) {
  carom_certificate c = certificate_of(m);
  CHECK(c.passed);
  CHECK_NEAR(c.energy.work_events, by_events, 1e-10);
  motion_end(m);
}

// --- contacts answer to events ---

static void lifted_bodies_fall(void **state) {
  (void)state;
  const double landing = 1.0 + sqrt(0.1); // from 1/2
  motion m =
      play(BLOCK("0") "events: {lift: {when: t - 1, do: {y: 0.5}}}\nrun: {until: 1.3}\n", CAROM_OK);
  CHECK_NEAR(value_of(&m, "y"), 0.5 - 5.0 * 0.09, 1e-12);
  is_sound(&m, 5.0);
  m = play(BLOCK("10") "events: {lift: {when: t - 1, do: {y: 0.5}}}\nrun: {until: 1.35}\n",
           CAROM_OK);
  CHECK_NEAR(find_logged(&events, CAROM_EVENT_IMPACT, "floor", 0)->t, landing, 1e-10);
  CHECK_NEAR(value_of(&m, "x'"), 5.0 - 0.5 * 1.5 * sqrt(10.0), 1e-10); // slid, flew, struck
  is_sound(&m, 5.0);
}

static void speeds_from_events_count(void **state) {
  (void)state;
  motion m = play(BLOCK("0") "events: {kick: {when: t - 1, do: {\"y'\": 2}}}\nrun: {until: 1.3}\n",
                  CAROM_OK);
  CHECK_NEAR(value_of(&m, "y"), 0.15, 1e-12); // off the floor
  is_sound(&m, 2.0);
  m = play(BLOCK("0") "events: {kick: {when: t - 1, do: {\"y'\": -2}}}\nrun: {until: 1.1}\n",
           CAROM_OK);
  CHECK_NEAR(find_logged(&events, CAROM_EVENT_IMPACT, "floor", 0)->value, 3.0, 1e-12);
  CHECK_NEAR(value_of(&m, "y"), 0.05, 1e-12); // into the floor: an impact
  is_sound(&m, 2.0);
  m = play(BLOCK("0") "events: {kick: {when: t - 1, do: {\"x'\": 2}}}\nrun: {until: 1.3}\n",
           CAROM_OK);
  CHECK_NEAR(value_of(&m, "x"), 0.6 - 2.5 * 0.09, 1e-12); // out of stick
  is_sound(&m, 2.0);
  m = play(BLOCK("10") "events: {turn: {when: t - 1, do: {\"x'\": -1}}}\nrun: {until: 1.1}\n",
           CAROM_OK);
  find_logged(&events, CAROM_EVENT_REVERSE, "floor", 0);
  CHECK_NEAR(value_of(&m, "x'"), -0.5, 1e-12);
  is_sound(&m, 0.5 - 12.5);
  m = play(BLOCK("10") "events: {halt: {when: t - 1, do: {\"x'\": 0}}}\nrun: {until: 2}\n",
           CAROM_OK);
  find_logged(&events, CAROM_EVENT_STICK, "floor", 0);
  CHECK_NEAR(value_of(&m, "x"), 7.5, 1e-12);
  is_sound(&m, -12.5);
}

// set down at rest, and into the floor
static void bodies_are_set_down(void **state) {
  (void)state;
  motion m = play(BLOCK("0") "events:\n"
                             "  lift: {when: t - 1, do: {y: 0.5}}\n"
                             "  down: {when: t - 1.1, do: {y: 0, \"y'\": 0}}\n"
                             "run: {until: 2}\n",
                  CAROM_OK);
  assert_int_equal(count_logged(&events, CAROM_EVENT_IMPACT, NULL), 0);
  CHECK_SAME(value_of(&m, "y"), 0.0);
  is_sound(&m, 0.0);
  refuse(BLOCK("0") "events: {push: {when: t - 1, do: {y: -0.25}}}\nrun: {until: 2}\n",
         "at t = 1 event push leaves contact floor with a gap of -0.25");
}

// Two feet in one coordinate each; at every step the one that came down becomes the one that
// stands, by names alone.
static void feet_change_their_names(void **state) {
  (void)state;
  motion m = play("coordinates: {stand: 0, swing: 0.2}\n"
                  "states: {n: {start: 0, rate: 0}}\n"
                  "energy: {kinetic: (stand'^2 + swing'^2)/2, potential: 10*(stand + swing)}\n"
                  "contacts:\n"
                  "  one: {gap: stand, impact: 0}\n"
                  "  two: {gap: swing, impact: 0}\n"
                  "events: {step: {when: swing < 1e-12, do: {stand: 0, \"stand'\": 0, swing: 0.2,\n"
                  "         \"swing'\": 0, n: n + 1}}}\n"
                  "run: {until: 1.1}\n",
                  CAROM_OK);
  CHECK_SAME(value_of(&m, "n"), 5.0); // every 0.2 s
  CHECK_NEAR(value_of(&m, "swing"), 0.15, 1e-9);
  CHECK(certificate_of(&m).passed && certificate_of(&m).counts.impacts == 0);
  motion_end(&m);
}

// --- surfaces that jump ---

static void floors_move(void **state) {
  (void)state;
#define FLOOR(height)                                                                              \
  "coordinates: {y: 0}\n"                                                                          \
  "states: {h: {start: 0, rate: 0}}\n"                                                             \
  "energy: {kinetic: y'^2/2, potential: 10*y}\n"                                                   \
  "contacts: {floor: {gap: \"y - " height "\", impact: 0.5}}\n"
  motion m =
      play(FLOOR("h") "events: {drop: {when: t - 1, do: {h: -5}}}\nrun: {until: 1.5}\n", CAROM_OK);
  CHECK_NEAR(value_of(&m, "y"), -1.25, 1e-12);
  is_sound(&m, 0.0);
  m = play(FLOOR("if(t > 1, -5, 0)") "run: {until: 1.5}\n", CAROM_OK);
  CHECK_NEAR(value_of(&m, "y"), -1.25, 1e-12);
  is_sound(&m, 0.0);
  m = play(FLOOR("if(t > 1, t - 1, 0)") "run: {until: 1.05}\n", CAROM_OK);
  CHECK_NEAR(find_logged(&events, CAROM_EVENT_IMPACT, "floor", 0)->value, 1.5, 1e-12);
  CHECK_NEAR(value_of(&m, "y"), 1.5 * 0.05 - 5.0 * 0.0025, 1e-12);
  is_sound(&m, 0.0);
  refuse(FLOOR("h") "events: {rise: {when: t - 1, do: {h: 0.1}}}\nrun: {until: 2}\n",
         "event rise leaves contact floor with a gap of -0.1");
  refuse(FLOOR("if(t > 1, 0.1, 0)") "run: {until: 2}\n", "the gap of contact floor jumps to -0.1");
}

#define PULLED(force, belt)                                                                        \
  "coordinates: {x: 0, y: 0}\n"                                                                    \
  "states: {v: {start: 0, rate: 0}}\n"                                                             \
  "energy: {kinetic: (x'^2 + y'^2)/2, potential: 10*y}\n"                                          \
  "forces: {x: \"" force "\"}\n"                                                                   \
  "contacts: {floor: {gap: y, slip: \"x' - " belt "\", friction: 0.5}}\n"

// a force that jumps beyond what friction bears; belts that start at once
static void stick_ends_by_a_jump(void **state) {
  (void)state;
  motion m = play(PULLED("if(t > 1, 7, 0)", "0") "run: {until: 2}\n", CAROM_OK);
  CHECK_NEAR(value_of(&m, "x"), 1.0, 1e-12);
  is_sound(&m, 0.0);
  m = play(PULLED("0", "if(t > 1, 2, 0)") "run: {until: 1.2}\n", CAROM_OK);
  CHECK_NEAR(value_of(&m, "x'"), 1.0, 1e-12);
  is_sound(&m, 0.0);
  m = play(PULLED("0", "v") "events: {on: {when: t - 1, do: {v: 2}}}\nrun: {until: 1.2}\n",
           CAROM_OK);
  CHECK_NEAR(value_of(&m, "x'"), 1.0, 1e-12);
  is_sound(&m, 0.0);
}

// a spring that gets stiffer at once: a drive's work
static void energies_switch_with_time(void **state) {
  (void)state;
  motion m = play("coordinates: {x: 1}\n"
                  "energy: {kinetic: x'^2/2, potential: \"if(t > 1, 3, 1)*x^2/2\"}\n"
                  "run: {until: 5}\n",
                  CAROM_OK);
  CHECK_NEAR(certificate_of(&m).energy.work_drives, cos(1.0) * cos(1.0), 1e-9);
  is_sound(&m, 0.0);
}

static int note_energies(void *ctx, const carom_event *event) {
  carom_event_energy *both = ctx;
  if (event->kind != CAROM_EVENT_USER) return 0;
  both[0] = event->energy_before;
  both[1] = event->energy_after;
  return 0;
}

// energies are told in the branches of the state they belong to
static void energies_of_events_are_told(void **state) {
  (void)state;
  carom_event_energy both[2] = {{0}};
  motion m = motion_parse("coordinates: {x: 1}\n"
                          "energy: {kinetic: x'^2/2, potential: 2*abs(x)}\n"
                          "events: {over: {when: t - 0.5, do: {x: -2}}}\nrun: {until: 0.6}\n");
  carom_simulation_observe(
      m.simulation, &(carom_observer){.ctx = both, .event = note_energies, .energies = true});
  assert_int_equal(motion_run(&m), CAROM_OK);
  CHECK_NEAR(both[0].potential, 1.5, 1e-12);
  CHECK_NEAR(both[1].potential, 4.0, 1e-12);
  is_sound(&m, 2.5);
}

// --- conditions that become true by a jump ---

#define TICKING                                                                                    \
  "states: {x: {start: 0, rate: 1}, n: {start: 0, rate: 0}}\n"                                     \
  "events: {tick: {when: sin(pi*x), do: {n: n + 1}}}\n"

static void jumps_make_conditions_true(void **state) {
  (void)state;
  const struct {
    const char *text;
    double end;
  } stops[] = {{TICKING "stop: {s: n >= 3}\nrun: {until: 9}\n", 3.0},
               {TICKING "stop: {s: n > 3}\nrun: {until: 9}\n", 4.0},
               {TICKING "stop: {s: n - 3}\nrun: {until: 9}\n", 3.0},
               {TICKING "stop: {s: 2.5 < n}\nrun: {until: 9}\n", 3.0},
               {TICKING "stop: {s: {when: 3.5 - n, direction: falling}}\nrun: {until: 9}\n", 4.0}};
  for (size_t k = 0; k < sizeof stops / sizeof *stops; k++) {
    motion m = play(stops[k].text, CAROM_STOP_EVENT);
    CHECK_NEAR(carom_simulation_time(m.simulation), stops[k].end, 1e-12);
    motion_end(&m);
  }
  // by an impact: 4 m/s down, 2 m/s up
  motion m = play("coordinates: {y: 0.8}\n"
                  "energy: {kinetic: y'^2/2, potential: 10*y}\n"
                  "contacts: {floor: {gap: y, impact: 0.5}}\n"
                  "sections: {turns: y'}\n"
                  "stop: {up: y' > 1}\n"
                  "run: {until: 10}\n",
                  CAROM_STOP_EVENT);
  CHECK_NEAR(carom_simulation_time(m.simulation), 0.4, 1e-12);
  CHECK_NEAR(value_of(&m, "y'"), 2.0, 1e-12);
  assert_int_equal(count_logged(&events, CAROM_EVENT_SECTION, "turns"), 1);
  motion_end(&m);
}

// a section passed by a reset, an event set off by another one, and that by a third
static void events_set_off_others(void **state) {
  (void)state;
  motion m =
      play("states: {x: {start: 0, rate: 1}, a: {start: 0, rate: 0}, b: {start: 0, rate: 0}}\n"
           "sections: {half: x - 0.5}\n"
           "events:\n"
           "  last: {when: b > 0, do: {b: b + 10}}\n"
           "  saw: {when: x > 1, do: {x: 0, a: a + 1}}\n"
           "  second: {when: a >= 2, do: {b: 1}}\n"
           "run: {until: 2.25}\n",
           CAROM_OK);
  assert_int_equal(count_logged(&events, CAROM_EVENT_SECTION, "half"), 4); // up, back, up, back
  CHECK_SAME(value_of(&m, "b"), 11.0);
  CHECK_NEAR(find_logged(&events, CAROM_EVENT_USER, "last", 0)->t, 2.0, 1e-12);
  motion_end(&m);
  // a crossing both ways is not set off by its own way back
  m = play("states: {x: {start: 0, rate: 1}, n: {start: 0, rate: 0}}\n"
           "events: {wrap: {when: x - 1, do: {x: x - 1, n: n + 1}}}\n"
           "run: {until: 5.5}\n",
           CAROM_OK);
  CHECK_SAME(value_of(&m, "n"), 5.0);
  CHECK_NEAR(value_of(&m, "x"), 0.5, 1e-12);
  motion_end(&m);
  refuse("states: {x: {start: 0, rate: 1}, a: {start: 0, rate: 0}}\n"
         "events:\n"
         "  go: {when: x > 1, do: {a: 1}}\n"
         "  up: {when: a > 0, do: {a: -1}}\n"
         "  down: {when: a < 0, do: {a: 1}}\n"
         "run: {until: 2}\n",
         "at t = 1 events set each other off without end");
}

// the function is put just before zero again and again, by less than its tolerance at last
static void small_resets_are_not_lost(void **state) {
  (void)state;
  const double steps[] = {1e-6, 1e-8, 1e-10, 1e-11, 1e-12};
  for (int k = 0; k < 5; k++) {
    char text[400];
    (void)snprintf(text, sizeof text,
                   "states: {x: {start: 1, rate: -1}}\n"
                   "events: {a: {when: x < 0, do: {x: %.17g}}}\n"
                   "run: {until: 1 + 20.5*%.17g}\n",
                   steps[k], steps[k]);
    motion m = play(text, CAROM_OK);
    assert_int_equal(count_logged(&events, CAROM_EVENT_USER, "a"), 21);
    CHECK(value_of(&m, "x") >= -1e-15);
    motion_end(&m);
  }
}

// --- starts ---

static void stops_hold_from_the_start(void **state) {
  (void)state;
  motion m = play("states: {x: {start: 2, rate: 1}}\nstop: {far: x > 1}\nrun: {until: 5}\n",
                  CAROM_STOP_EVENT);
  CHECK_SAME(carom_simulation_time(m.simulation), 0.0);
  find_logged(&events, CAROM_EVENT_STOP, "far", 0);
  motion_end(&m);
  // where zero is left at once, to that side
  m = play("states: {x: {start: 0, rate: 1}}\nstop: {s: x > 0}\nrun: {until: 5}\n",
           CAROM_STOP_EVENT);
  CHECK_SAME(carom_simulation_time(m.simulation), 0.0);
  motion_end(&m);
  m = play("coordinates: {y: {start: 0, rate: 1}}\nenergy: {kinetic: y'^2/2, potential: y}\n"
           "stop: {s: y <= 0}\nrun: {until: 5}\n",
           CAROM_STOP_EVENT);
  CHECK_NEAR(carom_simulation_time(m.simulation), 2.0, 1e-11);
  motion_end(&m);
  // a rule that is a floor, met at the start
  m = play("coordinates: {y: {start: 0, rate: -1}}\nenergy: {kinetic: y'^2/2, potential: y}\n"
           "events: {bounce: {when: y < 0, do: {\"y'\": -y'}}}\nrun: {until: 1}\n",
           CAROM_OK);
  CHECK_NEAR(value_of(&m, "y"), 0.5, 1e-12);
  motion_end(&m);
}

// an impact at the start is an instant like others, told once to whoever listens
static void impacts_at_the_start_count(void **state) {
  (void)state;
  motion m = play("coordinates: {y: {start: 0, rate: -2}}\n"
                  "energy: {kinetic: y'^2/2, potential: 10*y}\n"
                  "contacts: {floor: {gap: y, impact: 0.5}}\n"
                  "run: {until: 0.05}\n"
                  "observe: {n: count(floor)}\n",
                  CAROM_OK);
  assert_int_equal(count_logged(&events, CAROM_EVENT_IMPACT, "floor"), 1);
  CHECK_SAME(events.list[0].t, 0.0);
  assert_int_equal((int)events.list[0].instant, 0);
  carom_certificate c = certificate_of(&m);
  CHECK(c.passed && c.counts.impacts == 1 && c.counts.instants == 1 && c.counts.events == 1);
  CHECK_SAME(value_of(&m, "n"), 1.0);
  CHECK_NEAR(value_of(&m, "y'"), 0.5, 1e-12);
  motion_end(&m);
}

// A state that events alone change may be asked for its value: it was taken for one that moves,
// which equals nothing. A gear n = 1 drives a body; the floor below it drops at n = 2.
static void counters_are_compared(void **state) {
  (void)state;
  motion m = play("coordinates: {x: 0, y: 0}\n"
                  "states: {n: 0, k: {start: 0, rate: 0}}\n"
                  "energy: {kinetic: (x'^2 + y'^2)/2, potential: 10*y}\n"
                  "forces: {x: \"if(n == 1, 3, 0) + if(k, 5, 0) + if(n != 1 and n > 1, 1, 0)\"}\n"
                  "contacts: {floor: {gap: \"y + if(n == 2 or n == 3, 0.2, 0)\", impact: 0}}\n"
                  "events: {shift: {when: sin(pi*t), do: {n: n + 1}}}\n"
                  "run: {until: 3.5}\n"
                  "observe: {first: \"mean(if(n == 1, 1, 0))\", low: min(y)}\n"
                  "stop: {raised: n == 3}\n",
                  CAROM_STOP_EVENT);
  CHECK_NEAR(value_of(&m, "t"), 3.0, 1e-12);
  CHECK_NEAR(value_of(&m, "x'"), 4.0, 1e-11);
  CHECK_NEAR(value_of(&m, "first"), 1.0 / 3.0, 1e-12);
  CHECK_NEAR(value_of(&m, "low"), -0.2, 1e-12);
  is_sound(&m, 0.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lifted_bodies_fall),
      cmocka_unit_test(speeds_from_events_count),
      cmocka_unit_test(bodies_are_set_down),
      cmocka_unit_test(feet_change_their_names),
      cmocka_unit_test(floors_move),
      cmocka_unit_test(stick_ends_by_a_jump),
      cmocka_unit_test(energies_switch_with_time),
      cmocka_unit_test(energies_of_events_are_told),
      cmocka_unit_test(jumps_make_conditions_true),
      cmocka_unit_test(events_set_off_others),
      cmocka_unit_test(small_resets_are_not_lost),
      cmocka_unit_test(stops_hold_from_the_start),
      cmocka_unit_test(impacts_at_the_start_count),
      cmocka_unit_test(counters_are_compared),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
