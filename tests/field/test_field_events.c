// SPDX-License-Identifier: MIT
// Sections, stops and events of bodies: none is missed in a long step, all of an instant are told,
// events change the motion and the ledger knows it.
#include "field_motion_help.h"

#include <string.h>

// a tossed square, far above its floor
#define TOSS                                                                                       \
  "engine: field\nbody: {square: 1}\n"                                                             \
  "start: {position: [0, 100], velocity: [2, 10], rate: 1}\nrun: {until: 3, rtol: 1e-10}\n"

static const double PI = 3.14159265358979323846;

// steps of a free flight are long: a fast function crosses zero many times in one
static void none_is_missed(void **state) {
  (void)state;
  motion it =
      motion_text(TOSS "sections:\n  tick: {when: sin(120*t), direction: rising}\n"
                       "  dip: {when: (t - 1)^2 - 1e-8}\n"
                       "observe: {ticks: count(tick), dips: count(dip), last: 'at(dip, t)'}\n");
  motion_run(&it, 3.0);
  CHECK_SAME(motion_get(&it, "ticks"), floor(3.0 * 120.0 / (2.0 * PI)));
  // two crossings 0.2 ms apart
  CHECK_SAME(motion_get(&it, "dips"), 2.0);
  CHECK_NEAR(motion_get(&it, "last"), 1.0001, 1e-9);
  motion_end(&it);
}

// rules that fire at the same instant are all told
static void one_instant(void **state) {
  (void)state;
  motion it = motion_text(TOSS "sections:\n  top: {when: \"y'\", direction: falling}\n"
                               "  same: {when: \"2*y'\", direction: falling}\n"
                               "  mirror: {when: \"-y'\", direction: rising}\n"
                               "  other: {when: \"y'\", direction: rising}\n"
                               "observe: {a: count(top), b: count(same), c: count(mirror), "
                               "e: count(other), when: 'at(top, t)'}\n");
  motion_run(&it, 3.0);
  CHECK_SAME(motion_get(&it, "a"), 1.0);
  CHECK_SAME(motion_get(&it, "b"), 1.0);
  CHECK_SAME(motion_get(&it, "c"), 1.0);
  CHECK_SAME(motion_get(&it, "e"), 0.0);
  CHECK_NEAR(motion_get(&it, "when"), 10.0 / 9.81, 1e-9);
  CHECK(motion_certificate(&it).counts.events == 3 && motion_certificate(&it).counts.instants == 1);
  motion_end(&it);
}

static void stops(void **state) {
  (void)state;
  motion it = motion_text(TOSS "stop: {turned: {when: theta > 0.5, if: t > 0}}\n");
  carom_error error = {0};
  CHECK(carom_simulation_run(it.simulation, &error) == CAROM_STOP_EVENT);
  CHECK_NEAR(carom_simulation_time(it.simulation), 0.5, 1e-9);
  motion_end(&it);
}

// conditions that become true by an event, events of one instant in turn, a stop from the start
static void jumps_are_noticed(void **state) {
  (void)state;
  motion it = motion_text(TOSS "events:\n"
                               "  a: {when: theta > 0.25, do: {theta: 0, \"x'\": \"x' + 1\"}}\n"
                               "  b: {when: 2*theta > 0.5, do: {\"x'\": \"x' + 1\"}}\n"
                               "sections: {seven: \"x' - 7\"}\n"
                               "stop: {enough: \"x' > 7.5\"}\n"
                               "observe: {k: count(seven), n: count(a)}\n");
  carom_error error = {0};
  CHECK(carom_simulation_run(it.simulation, &error) == CAROM_STOP_EVENT);
  CHECK_NEAR(carom_simulation_time(it.simulation), 0.75, 1e-9);
  CHECK_NEAR(motion_get(&it, "x'"), 8.0, 1e-12);
  CHECK_SAME(motion_get(&it, "k"), 1.0);
  CHECK_SAME(motion_get(&it, "n"), 3.0);
  motion_end(&it);
  it = motion_text(TOSS "stop: {low: y < 1000}\n");
  CHECK(carom_simulation_run(it.simulation, &error) == CAROM_STOP_EVENT);
  CHECK_SAME(carom_simulation_time(it.simulation), 0.0);
  motion_end(&it);
}

// a trampoline without a floor: y' = -y'/2 at y = 99, against the sum of the arcs
static void bounces(void **state) {
  (void)state;
  motion it = motion_text(
      "engine: field\nbody: {square: 1}\nstart: {position: [0, 100]}\n"
      "events: {bounce: {when: y - 99, direction: falling, do: {\"y'\": \"-0.5*y'\", "
      "theta: theta + 1}}}\n"
      "run: {until: 1, rtol: 1e-11}\nobserve: {bounces: count(bounce), first: 'at(bounce, t)'}\n");
  motion_run(&it, 1.0);
  double fall = sqrt(2.0 / 9.81), speed = 9.81 * fall;
  CHECK_SAME(motion_get(&it, "bounces"), 2.0);
  double second = fall + speed / 9.81, left = 1.0 - second;
  CHECK_NEAR(motion_get(&it, "first"), second, 1e-9);
  CHECK_NEAR(motion_get(&it, "y"), 99.0 + 0.25 * speed * left - 0.5 * 9.81 * left * left, 1e-8);
  CHECK_SAME(motion_get(&it, "theta"), 2.0);
  carom_certificate c = motion_certificate(&it);
  double lost = 0.5 * 1000.0 * speed * speed * (0.75 + 0.25 * 0.75);
  CHECK_RELATIVE(c.energy.work_events, -lost, 1e-8);
  CHECK(fabs(c.energy.residual_relative) < 1e-9);
  motion_end(&it);
}

// a body at rest crosses nothing, though rounding makes its velocity waver
static void rest_is_silent(void **state) {
  (void)state;
  motion it = motion_text("engine: field\nbody: {square: 1}\nfields:\n  repulsion: {rest: 0.02}\n"
                          "  damping: {exponent: 2, coefficient: 10}\n"
                          "start: {gap: balance}\nsections: {turn: \"y'\"}\n"
                          "run: {until: 5, rtol: 1e-8}\nobserve: {turns: count(turn)}\n");
  motion_run(&it, 5.0);
  CHECK_SAME(motion_get(&it, "turns"), 0.0);
  motion_end(&it);
}

// a motion has the name of the first condition that holds
static void named_motions(void **state) {
  (void)state;
  motion it = motion_text(TOSS "observe: {high: max(y), way: last(x)}\n"
                               "regimes:\n  low: {when: high < 101}\n  far: {when: way > 5}\n"
                               "  other: {when: way > 1}\n");
  carom_error error = {0};
  const char *name = NULL;
  motion_run(&it, 1.0);
  CHECK(!carom_simulation_regime(it.simulation, &name, &error) && strcmp(name, "other") == 0);
  motion_run(&it, 3.0);
  CHECK(!carom_simulation_regime(it.simulation, &name, &error) && strcmp(name, "far") == 0);
  motion_end(&it);
}

// an event may not put the body into the floor
static void no_jump_into_the_floor(void **state) {
  (void)state;
  motion it = motion_text("engine: field\nbody: {square: 1}\nfields: {repulsion: {rest: 0.02}}\n"
                          "start: {gap: 1}\nevents: {dive: {when: t - 0.1, do: {y: 0.1}}}\n"
                          "run: {until: 1}\n");
  carom_error error = {0};
  CHECK(carom_simulation_advance(it.simulation, 1.0, &error) == CAROM_ERR_NONFINITE);
  CHECK(strstr(error.text, "above its supports") != NULL);
  motion_end(&it);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(none_is_missed),
      cmocka_unit_test(one_instant),
      cmocka_unit_test(jumps_are_noticed),
      cmocka_unit_test(stops),
      cmocka_unit_test(bounces),
      cmocka_unit_test(rest_is_silent),
      cmocka_unit_test(no_jump_into_the_floor),
      cmocka_unit_test(named_motions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
