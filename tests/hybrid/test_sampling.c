// SPDX-License-Identifier: MIT
/// Samples that follow the motion: curves through them are those of the closed form, instants have
/// one on each side, and being looked at changes nothing.
#include "hybrid/motion.h"

#include <math.h>

enum { ROOM = 40000 };
typedef struct taken {
  int count, columns;
  double t[ROOM], y[ROOM], v[ROOM];
} taken;

static int on_sample(void *ctx, const carom_simulation *simulation, double t, int count,
                     const double *values) {
  taken *it = ctx;
  (void)simulation;
  assert_true(it->count < ROOM);
  it->t[it->count] = t;
  it->y[it->count] = values[0];
  it->v[it->count++] = values[1];
  it->columns = count;
  return 0;
}

static taken *take(const char *text) {
  static taken it;
  it = (taken){0};
  motion m = motion_parse(text), alone = motion_parse(text);
  carom_error error = {0};
  carom_observer observer = {.ctx = &it, .sample = on_sample};
  carom_simulation_observe(m.simulation, &observer);
  MUST(carom_simulation_run(m.simulation, &error), error);
  MUST(carom_simulation_run(alone.simulation, &error), error);
  // whoever looks does not disturb: the same bits
  int size, other;
  const double *seen = carom_simulation_state(m.simulation, &size);
  const double *unseen = carom_simulation_state(alone.simulation, &other);
  assert_int_equal(size, other);
  assert_memory_equal(seen, unseen, (size_t)size * sizeof *seen);
  motion_end(&m);
  motion_end(&alone);
  return &it;
}

// A ball falls from 1 under g = 2, e = 1/2: impacts at 1, 2, 2.5, ...; the n-th flight reaches
// 4^-n.
static double ball_height(double t) {
  if (t <= 1.0) return 1.0 - t * t;
  double from = 1.0, up = 1.0; // the flight's begin, and its speed
  while (t > from + up && up > 1e-9)
    from += up, up *= 0.5;
  double s = t - from;
  return t > from + up ? 0.0 : s * (up - s);
}

static void test_ball(void **state) {
  (void)state;
  taken *it = take("coordinates: {y: 1}\n"
                   "energy: {kinetic: y'^2/2, potential: 2*y}\n"
                   "contacts: {floor: {gap: y, impact: 0.5}}\n"
                   "run: {until: 4}\n");
  assert_true(it->count > 500 && it->count < 2000);
  CHECK_SAME(it->t[0], 0.0);
  CHECK_SAME(it->t[it->count - 1], 4.0);
  int pairs = 0;
  for (int k = 0; k + 1 < it->count; k++) {
    assert_true(it->t[k] <= it->t[k + 1]);
    // straight between two samples, but for a five-hundredth of the fall
    for (int part = 0; part <= 4; part++) {
      double share = 0.25 * part, t = it->t[k] + share * (it->t[k + 1] - it->t[k]);
      CHECK_NEAR(it->y[k] + share * (it->y[k + 1] - it->y[k]), ball_height(t), 1.0 / 500 + 1e-9);
    }
    if (it->t[k] < it->t[k + 1] || pairs == 12) continue;
    // an impact, as long as flights are not shorter than samples are apart: the same place, half of
    // the speed, at 3 - 2^(1-n)
    CHECK_NEAR(it->t[k], 3.0 - ldexp(1.0, 1 - pairs), 1e-9);
    CHECK_NEAR(it->v[k + 1], -0.5 * it->v[k], 1e-9);
    CHECK_NEAR(it->v[k], -ldexp(2.0, -pairs), 1e-9);
    pairs++;
  }
  assert_int_equal(pairs, 12);
}

// x' = 1, and at 1 it is put to 0: a saw
static void test_reset(void **state) {
  (void)state;
  taken *it = take("states: {x: {start: 0, rate: 1}, z: {start: 0, rate: 0}}\n"
                   "events: {back: {when: x - 1, do: {x: 0}}}\n"
                   "run: {until: 3.5}\n");
  int jumps = 0;
  for (int k = 0; k + 1 < it->count; k++) {
    if (it->t[k] < it->t[k + 1]) continue;
    CHECK_NEAR(it->t[k], 1.0 + jumps, 1e-9);
    CHECK_NEAR(it->y[k], 1.0, 1e-9);
    CHECK_SAME(it->y[k + 1], 0.0);
    jumps++;
  }
  assert_int_equal(jumps, 3);
}

// many turns: no more samples than a file should have; few: enough of them a turn
static void test_turns(void **state) {
  (void)state;
  const char *const text = "coordinates: {x: 1}\nenergy: {kinetic: x'^2/2, potential: x^2/2}\n"
                           "run: {until: %g*pi}\n";
  char few[200], many[200];
  (void)snprintf(few, sizeof few, text, 40.0);
  (void)snprintf(many, sizeof many, text, 4000.0);
  taken *it = take(few);
  assert_true(it->count > 20 * 32 && it->count < 20 * 128);
  for (int k = 0; k + 1 < it->count; k++)
    CHECK_NEAR(0.5 * (it->y[k] + it->y[k + 1]), cos(0.5 * (it->t[k] + it->t[k + 1])), 2.0 / 500);
  it = take(many);
  assert_true(it->count > 10000 && it->count <= 21000);
}

// a sine that only a definition knows
static void test_definition(void **state) {
  (void)state;
  taken *it = take("coordinates: {x: 0}\nenergy: {kinetic: x'^2/2}\n"
                   "define: {plate: sin(2*pi*40*t)}\nrun: {until: 10}\n");
  assert_true(it->count > 400 * 32);
}

// with a grid, the grid and nothing else
static void test_grid(void **state) {
  (void)state;
  taken *it = take("coordinates: {y: 1}\nenergy: {kinetic: y'^2/2, potential: 2*y}\n"
                   "contacts: {floor: {gap: y, impact: 0.5}}\nrun: {until: 4, sample: 0.03125}\n");
  assert_int_equal(it->count, 129);
  for (int k = 0; k < it->count; k++)
    CHECK_SAME(it->t[k], 0.03125 * k);
  // 7 * 100000.1 is more than 700000.7 by a rounding: the last sample is there all the same
  it = take("coordinates: {y: {start: 0, rate: 1}, z: {start: 0, rate: 2}}\n"
            "energy: {kinetic: (y'^2 + z'^2)/2}\nrun: {until: 700000.7, sample: 100000.1}\n");
  assert_int_equal(it->count, 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ball), cmocka_unit_test(test_reset), cmocka_unit_test(test_turns),
      cmocka_unit_test(test_definition), cmocka_unit_test(test_grid)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
