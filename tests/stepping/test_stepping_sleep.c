// SPDX-License-Identifier: MIT
// Bodies that sleep: they stand still, wake when they are touched, forced or moved, at once, and
// the certificate says what was stopped.
#include "hybrid/motion.h"
#include "stepping/stepping.h"

#include <math.h>
#include <stdlib.h>

static carom_world *world_of(const motion *m) {
  return ((carom_stepping *)m->simulation->state)->world;
}

static int sleepers(const motion *m) {
  const carom_world *world = world_of(m);
  int count = 0;
  for (int k = 0; k < world->count; k++)
    count += world->solids[k].asleep != 0;
  return count;
}

#define TOWERS                                                                                     \
  "gravity: 9.81\n"                                                                                \
  "bodies:\n"                                                                                      \
  "  floor: {plane: [0, 0, 1]}\n"                                                                  \
  "  box[i=1..4]: {box: [0.2, 0.2, 0.2], mass: 1, at: [0, 0, 0.2*i - 0.1]}\n"                      \
  "  far: {box: [0.2, 0.2, 0.2], mass: 1, at: [3, 0, 0.1]}\n"                                      \
  "  ball: {sphere: 0.1, mass: 1, at: [-1.1, 0, 0.3], velocity: [1, 0, 4.905]}\n"                  \
  "contacts: {all: {between: all, friction: 0.6, impact: 0}}\n"                                    \
  "run: {until: 3, method: stepping, step: 1e-3, sleep: "

// A ball flies for 0.9 s until it meets a tower that sleeps: all four boxes wake in the step in
// which it arrives, the box aside does not, and the motion is that of a tower that never slept.
static void touch_wakes(void **state) {
  (void)state;
  motion slept = motion_parse(TOWERS "1e-5}\n"), awake = motion_parse(TOWERS "0}\n");
  const carom_world *world = world_of(&slept);
  motion_advance(&slept, 0.04);
  CHECK(sleepers(&slept) == 0);
  motion_advance(&slept, 0.8);
  CHECK(sleepers(&slept) == 5);
  CHECK(world->touch_count == 0); // sleepers are not looked for
  CHECK(world->ledger.sleep.woken == 0);
  for (int k = 801; world->ledger.sleep.woken == 0 && k < 1200; k++)
    motion_advance(&slept, 1e-3 * k);
  CHECK(world->ledger.sleep.woken == 4);
  CHECK(sleepers(&slept) == 1);
  CHECK_NEAR(carom_simulation_time(slept.simulation), 0.9, 2e-3);
  double until = carom_simulation_time(slept.simulation) + 0.1;
  motion_advance(&slept, until);
  motion_advance(&awake, until);
  CHECK(sleepers(&awake) == 0 && world_of(&awake)->ledger.sleep.slept == 0);
  CHECK(fabs(value_of(&awake, "box4.x'")) + fabs(value_of(&awake, "box3.x'")) > 0.05);
  static const char *const seen[] = {"ball.x", "ball.z", "box4.x", "box4.z", "box3.x", "box1.x"};
  for (size_t k = 0; k < sizeof seen / sizeof *seen; k++)
    CHECK_NEAR(value_of(&slept, seen[k]), value_of(&awake, seen[k]), 1e-6);
  motion_advance(&slept, 3.0);
  CHECK(certificate_of(&slept).passed);
  CHECK(world->ledger.sleep.stopped >= 0.0 && world->ledger.sleep.stopped < 1e-9);
  motion_end(&slept);
  motion_end(&awake);
}

// A force that sets in at t = 1, and a floor that moves from then on, wake at once: the box slides
// with F/m - mu g, and goes up with its floor.
static void force_and_floor_wake(void **state) {
  (void)state;
  motion m = motion_parse("gravity: 9.81\n"
                          "bodies:\n"
                          "  floor: {plane: [0, 1]}\n"
                          "  box: {box: [0.4, 0.2], mass: 2, at: [0, 0.1],\n"
                          "        forces: {push: {force: [\"if(t > 1, 12, 0)\", 0]}}}\n"
                          "contacts: {c: {between: [box, floor], friction: 0.3, impact: 0}}\n"
                          "run: {until: 2, method: stepping, step: 1e-3, sleep: 1e-5}\n");
  motion_advance(&m, 1.0);
  CHECK(sleepers(&m) == 1);
  motion_advance(&m, 2.0);
  CHECK_NEAR(value_of(&m, "box.x'"), 12.0 / 2.0 - 0.3 * 9.81, 1e-2);
  motion_end(&m);
  m = motion_parse("gravity: 9.81\n"
                   "bodies:\n"
                   "  floor: {box: [2, 0.1], at: [0, -0.05],\n"
                   "          moved: {y: \"if(t > 1, 0.2*(1 - cos(t - 1)), 0)\"}}\n"
                   "  box: {box: [0.4, 0.2], mass: 2, at: [0, 0.1]}\n"
                   "contacts: {c: {between: [box, floor], friction: 0.3, impact: 0}}\n"
                   "run: {until: 2, method: stepping, step: 1e-3, sleep: 1e-5}\n");
  motion_advance(&m, 1.0);
  CHECK(sleepers(&m) == 1);
  motion_advance(&m, 2.0);
  CHECK_NEAR(value_of(&m, "box.y"), 0.1 + 0.2 * (1.0 - cos(1.0)), 1e-3);
  motion_end(&m);
}

// what only turns round in flight, and what drifts freely, does not sleep
static void slow_is_not_at_rest(void **state) {
  (void)state;
  motion m = motion_parse("bodies: {a: {disc: 0.1, mass: 1, velocity: [1e-6, 0]}}\n"
                          "run: {until: 1, method: stepping, step: 1e-3, sleep: 1e-3}\n");
  motion_advance(&m, 1.0);
  CHECK(sleepers(&m) == 0);
  CHECK_RELATIVE(value_of(&m, "a.x"), 1e-6, 1e-9);
  motion_end(&m);
  m = motion_parse("gravity: 9.81\n"
                   "bodies: {floor: {plane: [0, 1]}, a: {disc: 0.1, mass: 1, at: [0, 0.4]}}\n"
                   "contacts: {c: {between: all, impact: 1}}\n"
                   "run: {until: 5, method: stepping, step: 1e-3, sleep: 1e-2}\n");
  motion_advance(&m, 5.0);
  CHECK(world_of(&m)->ledger.sleep.slept == 0);
  motion_end(&m);
}

// a state that is saved while bodies sleep goes on with the same bits
static void sleep_is_saved(void **state) {
  (void)state;
  motion m = motion_parse(TOWERS "1e-5}\n");
  carom_simulation *copy = NULL;
  carom_error error = {0};
  motion_advance(&m, 0.5);
  CHECK(sleepers(&m) == 5);
  MUST(carom_simulation_clone(m.simulation, &copy, &error), error);
  MUST(carom_simulation_advance(copy, 1.5, &error), error);
  motion_advance(&m, 1.5);
  int size = 0;
  const double *y = carom_simulation_state(m.simulation, &size);
  const double *z = carom_simulation_state(copy, &size);
  for (int k = 0; k < size; k++)
    CHECK_SAME(y[k], z[k]);
  CHECK(world_of(&m)->ledger.sleep.woken == 4);
  CHECK(((carom_stepping *)copy->state)->world->ledger.sleep.woken == 4);
  carom_simulation_destroy(copy);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(touch_wakes),
      cmocka_unit_test(force_and_floor_wake),
      cmocka_unit_test(slow_is_not_at_rest),
      cmocka_unit_test(sleep_is_saved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
