// SPDX-License-Identifier: MIT
// What is only looked at leaves every bit of a motion as it is: sections and stops are met beside
// the steps, and a run that is stopped at one goes on as if it had not been.
#include "motion.h"

#include <stdlib.h>

// pieces of a motion by Runge-Kutta or by series, with impacts, friction, branches and events
static const char SWINGING[] =
    "coordinates: {a: 0.5, b: {start: 0, rate: 0.3}}\n"
    "energy:\n"
    "  kinetic: (a'^2 + b'^2 + a'*b'*cos(a - b))/2\n"
    "  potential: -2*cos(a) - cos(b) + abs(b)/4\n"
    "  dissipation: 0.05*(a'^2 + b'^2)\n"
    "forces: {a: 1.4*cos(0.7*t)}\n"
    "events: {limit: {when: b > 1, do: {b': -0.8*b'}}}\n"
    "run: {until: 20, sample: 0.25}\n"
    "observe: {average: mean(a*b'), wide: max(abs(b)), n: count(limit)}\n";
static const char BOUNCING[] =
    "coordinates: {a: {start: 0.3, rate: 1}, b: 0.4}\n"
    "energy: {kinetic: (a'^2 + b'^2)/2, potential: 9.81*b}\n"
    "contacts: {table: {gap: b - 0.1*sin(3*t), slip: a', friction: 0.2, impact: {law: poisson, e: "
    "0.7}}}\n"
    "run: {until: 8, sample: 0.1}\n"
    "observe: {average: mean(a*b), wide: max(b), n: count(table), push: max(table.normal)}\n";

// functions that are crossed often, several in a step, at the instants of events, by kinks and
// jumps
static const char LOOKED_AT[] = "sections:\n"
                                "  first: a - 0.31\n"
                                "  beat: sin(7.3*t)\n"
                                "  fast: sin(311*t)\n"
                                "  kink: abs(a - 0.35) - 0.02\n"
                                "  jump: sign(sin(5*t)) + 0.5\n"
                                "  speed: b'\n"
                                "  lucky: {when: cos(11.3*t), if: a > 0.3}\n"
                                "  edge: b - 1\n"
                                "  floor: b - 0.1*sin(3*t)\n"
                                "  stairs: floor(3*b) - 0.5\n"
                                "  saw: mod(t, 0.37) - 0.2\n"
                                "  even: if(mod(floor(4*t), 2) < 1, a, -a) - 0.3\n"
                                "  both: min(mod(t, 0.1), mod(a, 0.25)) - 0.017\n"
                                "stop: {far: abs(a) - 1e3, never: {when: sin(t), if: a > 1e3}}\n";

static event_log events;

static motion make(const char *text, const char *more) {
  char whole[4000];
  (void)snprintf(whole, sizeof whole, "%s%s", text, more);
  return motion_parse(whole);
}

static void same_motion(const motion *m, const motion *other) {
  int size = 0;
  const double *y = carom_simulation_state(m->simulation, &size);
  const double *z = carom_simulation_state(other->simulation, NULL);
  assert_memory_equal(y, z, (size_t)size * sizeof *y);
  CHECK_SAME(carom_simulation_time(m->simulation), carom_simulation_time(other->simulation));
  static const char *const names[] = {"average", "wide", "n"};
  for (int k = 0; k < 3; k++)
    CHECK_SAME(value_of(m, names[k]), value_of(other, names[k]));
  carom_certificate c = certificate_of(m), d = certificate_of(other);
  assert_int_equal((int)c.counts.steps, (int)d.counts.steps);
  assert_int_equal((int)c.counts.impacts, (int)d.counts.impacts);
  CHECK_SAME(c.energy.residual, d.energy.residual);
  CHECK_SAME(c.worst.penetration, d.worst.penetration);
  CHECK_SAME(c.worst.cone_violation, d.worst.cone_violation);
}

static const char *const SYSTEMS[] = {SWINGING, BOUNCING};

static void sections_change_no_bit(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    motion plain = make(SYSTEMS[k], ""), looked = make(SYSTEMS[k], LOOKED_AT);
    motion_log(&looked, &events);
    motion_run(&plain);
    motion_run(&looked);
    CHECK(count_logged(&events, CAROM_EVENT_SECTION, "fast") > 700);
    // none is lost, by whatever kinks and jumps it comes
    double until = k == 0 ? 20.0 : 8.0;
    assert_int_equal(count_logged(&events, CAROM_EVENT_SECTION, "jump"), (int)(5.0 * until / PI));
    CHECK(count_logged(&events, CAROM_EVENT_SECTION, "kink") > 0);
    same_motion(&plain, &looked);
    motion_end(&plain);
    motion_end(&looked);
  }
}

// what is told of one section does not depend on the others
static void sections_do_not_see_each_other(void **state) {
  (void)state;
  static event_log alone;
  for (int k = 0; k < 2; k++) {
    motion one = make(SYSTEMS[k], "sections: {speed: b', beat: sin(7.3*t)}\n");
    motion all = make(SYSTEMS[k], LOOKED_AT);
    motion_log(&one, &alone);
    motion_log(&all, &events);
    motion_run(&one);
    motion_run(&all);
    static const char *const names[] = {"speed", "beat"};
    for (int j = 0; j < 2; j++) {
      int count = count_logged(&alone, CAROM_EVENT_SECTION, names[j]);
      CHECK(count > 5);
      assert_int_equal(count, count_logged(&events, CAROM_EVENT_SECTION, names[j]));
      for (int i = 0; i < count; i++)
        CHECK_SAME(find_logged(&alone, CAROM_EVENT_SECTION, names[j], i)->t,
                   find_logged(&events, CAROM_EVENT_SECTION, names[j], i)->t);
    }
    motion_end(&one);
    motion_end(&all);
  }
}

// events and samples of a motion in the order in which they are told
enum { TOLD_ROOM = 20000 };
typedef struct told {
  int count;
  double t[TOLD_ROOM];
  bool stops;
} told;
static told straight, stopped;

static int tell_event(void *ctx, const carom_event *event) {
  told *it = ctx;
  if (it->count < TOLD_ROOM) it->t[it->count++] = event->t;
  return it->stops;
}

static int tell_sample(void *ctx, const carom_simulation *simulation, double t, int count,
                       const double *values) {
  told *it = ctx;
  (void)simulation, (void)count, (void)values;
  if (it->count < TOLD_ROOM) it->t[it->count++] = t;
  return 0;
}

static void observe(const motion *m, told *it, bool stops) {
  it->count = 0;
  it->stops = stops;
  carom_observer observer = {.ctx = it, .event = tell_event, .sample = tell_sample};
  carom_simulation_observe(m->simulation, &observer);
}

// `how` 0: by an observer; 1: by the next event; 2, 3: the same, from a state saved at every stop
static void go_on(motion *m, int how, double until) {
  for (carom_status status = CAROM_STOP_USER; status != CAROM_OK;) {
    carom_error error = {0};
    status = how % 2 ? carom_simulation_next(m->simulation, until, &error)
                     : carom_simulation_advance(m->simulation, until, &error);
    MUST(status, error);
    double t = carom_simulation_time(m->simulation);
    // events come as long as the state is that of the last of them
    if (status != CAROM_OK) CHECK_SAME(t, stopped.t[stopped.count - 1]);
    if (how < 2) continue;
    size_t size = 0;
    MUST(carom_simulation_save(m->simulation, NULL, &size, &error), error);
    char *buffer = malloc(size);
    assert_non_null(buffer);
    MUST(carom_simulation_save(m->simulation, buffer, &size, &error), error);
    MUST(carom_simulation_reset(m->simulation, &error), error);
    MUST(carom_simulation_restore(m->simulation, buffer, size, &error), error);
    free(buffer);
    CHECK_SAME(carom_simulation_time(m->simulation), t);
  }
}

static void stops_change_no_bit(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    double until = k == 0 ? 20.0 : 8.0;
    motion m = make(SYSTEMS[k], LOOKED_AT);
    observe(&m, &straight, false);
    motion_advance(&m, until);
    for (int how = 0; how < 4; how++) {
      motion other = make(SYSTEMS[k], LOOKED_AT);
      observe(&other, &stopped, how % 2 == 0);
      go_on(&other, how, until);
      same_motion(&m, &other);
      // all is told once, in the same order
      assert_int_equal(straight.count, stopped.count);
      assert_memory_equal(straight.t, stopped.t, (size_t)straight.count * sizeof *straight.t);
      motion_end(&other);
    }
    for (int j = 1; j < straight.count; j++)
      CHECK(straight.t[j] >= straight.t[j - 1] - 1e-12);
    motion_end(&m);
  }
}

// a state at a section is as exact as one at the end of a run
static void sections_are_true_steps(void **state) {
  (void)state;
  motion m = make(SWINGING, "sections: {beat: cos(t)}\n");
  observe(&m, &stopped, false);
  carom_error error = {0};
  double until = 1.5 * PI;
  while (carom_simulation_time(m.simulation) < until - 1e-6)
    MUST(carom_simulation_next(m.simulation, until + 1.0, &error), error);
  CHECK_NEAR(carom_simulation_time(m.simulation), until, 1e-14);
  motion other = make(SWINGING, "");
  motion_advance(&other, until);
  int size = 0;
  const double *y = carom_simulation_state(m.simulation, &size);
  const double *z = carom_simulation_state(other.simulation, NULL);
  for (int i = 0; i < size; i++)
    CHECK_NEAR(y[i], z[i], 1e-9);
  CHECK_NEAR(value_of(&m, "average"), value_of(&other, "average"), 1e-9);
  motion_end(&m);
  motion_end(&other);
}

// an advance that ends within the step in which the run was stopped, and one that begins there anew
static void stopped_runs_can_be_changed(void **state) {
  (void)state;
  motion m = make(SWINGING, "sections: {beat: sin(7*t)}\n");
  carom_error error = {0};
  assert_int_equal(carom_simulation_next(m.simulation, 20.0, &error), CAROM_STOP_EVENT);
  double t = carom_simulation_time(m.simulation);
  CHECK_NEAR(t, PI / 7.0, 1e-14);
  motion_advance(&m, t);
  CHECK_SAME(carom_simulation_time(m.simulation), t);
  motion_advance(&m, t + 1e-9);
  CHECK_SAME(carom_simulation_time(m.simulation), t + 1e-9);
  assert_int_equal(carom_simulation_next(m.simulation, 20.0, &error), CAROM_STOP_EVENT);
  CHECK_NEAR(carom_simulation_time(m.simulation), 2.0 * PI / 7.0, 1e-14);
  double a = value_of(&m, "a");
  MUST(carom_simulation_change(m.simulation, NULL, 0.0, &error), error);
  CHECK_SAME(value_of(&m, "a"), a);
  assert_int_equal(carom_simulation_next(m.simulation, 20.0, &error), CAROM_STOP_EVENT);
  assert_int_equal(carom_simulation_next(m.simulation, 20.0, &error), CAROM_STOP_EVENT);
  CHECK_NEAR(carom_simulation_time(m.simulation), 3.0 * PI / 7.0, 1e-14); // behind an event
  motion_end(&m);
}

// A section with a kink comes at the instant of an event, and with the jump of its own branch.
static void a_section_may_meet_an_event(void **state) {
  (void)state;
  motion m = motion_parse("coordinates: {x: {start: 0, rate: 1}}\n"
                          "energy: {kinetic: \"x'^2/2\"}\n"
                          "run: {until: 5.8}\n"
                          "sections: {s: {when: \"if(t<3,t-1.5,t-4)\"}}\n"
                          "events: {kick: {when: t-1.5, direction: rising, do: {x': x'+1}}}\n");
  motion_log(&m, &events);
  (void)motion_run(&m);
  assert_int_equal(count_logged(&events, CAROM_EVENT_USER, "kick"), 1);
  assert_int_equal(count_logged(&events, CAROM_EVENT_SECTION, "s"), 3); // 1.5, the jump at 3, 4
  CHECK_NEAR(value_of(&m, "x"), 1.5 + 2.0 * 4.3, 1e-12);
  motion_end(&m);
  // a branch of its own is crossed a rounding before the event
  m = motion_parse("coordinates: {x: {start: 0, rate: 0}}\n"
                   "energy: {kinetic: \"x'^2/2\"}\n"
                   "run: {until: 0.5}\n"
                   "sections: {s: \"sign(t/0.1 - 3)\"}\n"
                   "events: {kick: {when: t - 0.3, do: {x': 1}}}\n");
  motion_log(&m, &events);
  (void)motion_run(&m);
  assert_int_equal(count_logged(&events, CAROM_EVENT_USER, "kick"), 1);
  assert_int_equal(count_logged(&events, CAROM_EVENT_SECTION, "s"), 1);
  motion_end(&m);
}

// The sign of rounding at a switch that is just crossed decides nothing: an event of the same
// instant comes once.
static void an_event_at_a_switch_comes_once(void **state) {
  (void)state;
  motion m = motion_parse("states: {n: {start: 0, rate: 0}, w: {start: 0, rate: 1}}\n"
                          "events: {saw: {when: \"mod(t, 0.3) - 0.1\", do: {n: n + 1}},\n"
                          "  turn: {when: \"sign(sin(3*t)) + 0.1\", do: {w: w + 1}}}\n"
                          "run: {until: 10}\n");
  motion_log(&m, &events);
  (void)motion_run(&m);
  assert_int_equal(count_logged(&events, CAROM_EVENT_USER, "saw"), 67); // 33 teeth, 34 risings
  assert_int_equal(count_logged(&events, CAROM_EVENT_USER, "turn"), 9); // 30 / pi
  motion_end(&m);
}

// An arm that slides has come to rest: the rate whose sign the section asks for is rounding along
// the step, and has another sign behind each crossing than along it.
static void rest_is_passed(void **unused) {
  (void)unused;
  static const char *const ways[] = {"rising", "falling", "both"};
  for (int k = 0; k < 3; k++) {
    motion m = motion_load(
        "frictional_impact_oscillator",
        (carom_setting[]){
            {"mu", "0"}, {"run.until", "30"}, {"sections.turn.direction", ways[k]}, {NULL, NULL}});
    carom_error error = {0};
    MUST(carom_simulation_run(m.simulation, &error), error);
    CHECK_NEAR(carom_simulation_time(m.simulation), 30.0, 1e-12);
    motion_end(&m);
  }
}

// What reads an acceleration sees what the same force written out sees: it jumps at impacts and at
// branches, as a velocity does, and as often as there are bounces (more than two hundred of them).
static void accelerations_jump(void **unused) {
  (void)unused;
  static const char *const functions[] = {
      "min(%s, y')", "max(%s, y' + 1)", "%s + y'",           "(%s)*y'",
      "%s",          "abs(%s) - 0.9",   "if(%s > y', x, y')"};
  static const char *const forces[] = {"0", "if(y' > 0, 1, -1)", "abs(y')"};
  for (int k = 0; k < 7 * 3; k++) {
    char text[800], read[64], written[96], force[64];
    const char *function = functions[k % 7];
    (void)snprintf(force, sizeof force, "(%s - 10*x)", forces[k / 7]);
    const char *hole = strstr(function, "%s");
    int before = (int)(hole - function);
    (void)snprintf(read, sizeof read, "%.*sx''%s", before, function, hole + 2);
    (void)snprintf(written, sizeof written, "%.*s%s%s", before, function, force, hole + 2);
    (void)snprintf(text, sizeof text,
                   "coordinates: {x: 0.5865, y: {start: 0, rate: 1.7}}\n"
                   "energy: {kinetic: (x'^2 + y'^2)/2, potential: 10*x^2/2 + 9.81*y}\n"
                   "forces: {x: \"%s\"}\ncontacts: {floor: {gap: y, impact: 0.95}}\n"
                   "sections: {read: \"%s\", written: \"%s\"}\nrun: {until: 6.93153}\n",
                   forces[k / 7], read, written);
    motion m = motion_parse(text);
    carom_error error = {0};
    motion_log(&m, &events);
    MUST(carom_simulation_run(m.simulation, &error), error);
    int bounces = count_logged(&events, CAROM_EVENT_IMPACT, "floor");
    int count = count_logged(&events, CAROM_EVENT_SECTION, "read");
    CHECK(bounces > 200 && count > 5);
    assert_int_equal(count, count_logged(&events, CAROM_EVENT_SECTION, "written"));
    for (int j = 0; j < count; j++)
      CHECK_NEAR(find_logged(&events, CAROM_EVENT_SECTION, "read", j)->t,
                 find_logged(&events, CAROM_EVENT_SECTION, "written", j)->t, 1e-7);
    motion_end(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sections_change_no_bit),
      cmocka_unit_test(sections_do_not_see_each_other),
      cmocka_unit_test(stops_change_no_bit),
      cmocka_unit_test(sections_are_true_steps),
      cmocka_unit_test(stopped_runs_can_be_changed),
      cmocka_unit_test(a_section_may_meet_an_event),
      cmocka_unit_test(an_event_at_a_switch_comes_once),
      cmocka_unit_test(rest_is_passed),
      cmocka_unit_test(accelerations_jump),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
