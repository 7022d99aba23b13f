// SPDX-License-Identifier: MIT
// The variational equation over steps by series, against solutions in closed form: long steps, on
// which a motion at rest gives no hint of how fast its neighbours move, and slopes that depend on
// time.
#include "check.h"

#include "base/arena.h"
#include "ode/variation.h"

enum { DEGREE = CAROM_SERIES_DEGREE };

// x'' = -x for x = 0, which stays there: any step is exact
static carom_status rest(void *ctx, double t, const double *y, double *f) {
  (void)ctx, (void)t;
  f[0] = y[1], f[1] = -y[0];
  return CAROM_OK;
}

static carom_status rest_series(void *ctx, double t, const double *y, double *c) {
  (void)ctx, (void)t, (void)y;
  for (int k = 2; k < 2 * (DEGREE + 1); k++)
    c[k] = 0.0;
  return CAROM_OK;
}

static carom_status swing_slopes(void *ctx, double t, const double *y, double *c) {
  (void)t, (void)y;
  ++*(long *)ctx;
  c[0] = 1.0, c[1] = -1.0;
  return CAROM_OK;
}

// x' = -2 t x by x = 0: neighbours go as exp(-t^2)
static carom_status drag_slopes(void *ctx, double t, const double *y, double *c) {
  (void)ctx, (void)y;
  c[0] = 0.0, c[1] = 0.0;        // x' by the other state
  c[2] = -2.0 * t, c[3] = -2.0;  // x' by x
  c[4] = cos(t), c[5] = -sin(t); // the other one follows cos(t) x, to first order in time
  return CAROM_OK;
}

static carom_stepper stepper_of(carom_arena *arena, double t, double until) {
  carom_stepper s;
  carom_error error = {0};
  const double y[] = {0.0, 0.0};
  carom_stepper_options options = carom_stepper_options_default();
  assert_int_equal(carom_stepper_init(&s, arena, 2, rest, NULL, &options, &error), CAROM_OK);
  assert_int_equal(carom_stepper_series(&s, arena, DEGREE, 0, rest_series, &error), CAROM_OK);
  assert_int_equal(carom_stepper_start(&s, t, y, until - t, &error), CAROM_OK);
  assert_int_equal(carom_stepper_try(&s, until, &error), CAROM_OK);
  assert_true(s.expansion.used && s.t1 == until);
  return s;
}

static double *room_of(carom_arena *arena, const carom_stepper *s, int entries) {
  return carom_arena_array(arena, carom_variation_series_room(s, 2, 2, entries), sizeof(double));
}

// a step of eight turns; by the series of one step it would be off by (16 pi)^17/17!
static void long_step_has_many_parts(void **state) {
  (void)state;
  const int row[] = {0, 1}, column[] = {1, 0};
  const double t = 50.0;
  long looks = 0;
  carom_arena *arena = carom_arena_create(NULL);
  carom_stepper s = stepper_of(arena, 0.0, t);
  carom_slope_series slopes = {2, row, column, 1, &looks, swing_slopes};
  double phi[] = {1.0, 0.0, 0.0, 1.0}, *room = room_of(arena, &s, 2);
  assert_int_equal(carom_variation_series(&s, 2, 2, &slopes, phi, room), CAROM_OK);
  CHECK_NEAR(phi[0], cos(t), 2e-12);
  CHECK_NEAR(phi[1], sin(t), 2e-12);
  CHECK_NEAR(phi[2], -sin(t), 2e-12);
  CHECK_NEAR(phi[3], cos(t), 2e-12);
  CHECK(looks > 10 && looks < 100);
  carom_arena_destroy(arena);
}

static void slopes_may_depend_on_time(void **state) {
  (void)state;
  const int row[] = {0, 0, 1}, column[] = {1, 0, 0};
  carom_arena *arena = carom_arena_create(NULL);
  carom_stepper s = stepper_of(arena, 0.5, 2.0);
  carom_slope_series slopes = {3, row, column, 2, NULL, drag_slopes};
  double phi[] = {1.0, 0.0, 0.0, 1.0}, *room = room_of(arena, &s, 3);
  assert_int_equal(carom_variation_series(&s, 2, 2, &slopes, phi, room), CAROM_OK);
  CHECK_NEAR(phi[0], exp(0.25 - 4.0), 1e-12);
  CHECK_NEAR(phi[1], 0.0, 0.0);
  CHECK_NEAR(phi[3], 1.0, 0.0);
  carom_arena_destroy(arena);
}

// x'' = -x in the time 50 ln(t + r), a pole just before the step: over the whole of it the series
// is no number, and it reaches farther from part to part
static const double POLE = 1e-19, TURNS = 50.0;
static carom_status pole_slopes(void *ctx, double t, const double *y, double *c) {
  (void)ctx, (void)y;
  for (int j = 0; j < DEGREE; j++) {
    c[j] = j == 0 ? TURNS / (t + POLE) : -c[j - 1] / (t + POLE);
    c[DEGREE + j] = -c[j];
  }
  return CAROM_OK;
}

static void parts_begin_short(void **state) {
  (void)state;
  const int row[] = {0, 1}, column[] = {1, 0};
  const double angle = TURNS * log((1.0 + POLE) / POLE);
  carom_arena *arena = carom_arena_create(NULL);
  carom_stepper s = stepper_of(arena, 0.0, 1.0);
  carom_slope_series slopes = {2, row, column, DEGREE, NULL, pole_slopes};
  double phi[] = {1.0, 0.0, 0.0, 1.0}, *room = room_of(arena, &s, 2);
  assert_int_equal(carom_variation_series(&s, 2, 2, &slopes, phi, room), CAROM_OK);
  CHECK_NEAR(phi[0], cos(angle), 1e-8);
  CHECK_NEAR(phi[1], sin(angle), 1e-8);
  carom_arena_destroy(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(long_step_has_many_parts),
                                     cmocka_unit_test(slopes_may_depend_on_time),
                                     cmocka_unit_test(parts_begin_short)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
