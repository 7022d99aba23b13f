// SPDX-License-Identifier: MIT
// Radau IIA: its two orders, stiff problems against their limits, integrals beside.
#include "check.h"

#include "ode/implicit.h"

#include <string.h>

typedef struct system_of {
  carom_rhs rhs;
  int n, active;
  double y[4];
} system_of;

static long run(const system_of *s, double rtol, double t_end, double h_fixed, double *y) {
  carom_arena *arena = carom_arena_create(NULL);
  carom_implicit it;
  carom_error error = {0};
  carom_stepper_options options = carom_stepper_options_default();
  options.rtol = rtol;
  options.atol = rtol;
  options.controlled = s->active;
  options.h_max = h_fixed;
  CHECK(!carom_implicit_init(&it, arena, s->n, s->rhs, NULL, &options, &error));
  CHECK(!carom_implicit_start(&it, 0.0, s->y, h_fixed, &error));
  while (it.t < t_end) {
    if (carom_implicit_try(&it, t_end, &error)) print_error("%s\n", error.text);
    CHECK(it.t1 > it.t);
    double middle[4], ends[4];
    carom_implicit_dense(&it, 1.0, ends, NULL);
    carom_implicit_dense(&it, 0.5, middle, NULL);
    for (int i = 0; i < s->n; i++)
      CHECK_NEAR(ends[i], it.y1[i], 1e-13 * (1.0 + fabs(ends[i])));
    carom_implicit_commit(&it);
  }
  memcpy(y, it.y, (size_t)s->n * sizeof *y);
  long steps = it.steps;
  carom_arena_destroy(arena);
  return steps;
}

static carom_status oscillator(void *ctx, double t, const double *y, double *dydt) {
  (void)ctx, (void)t;
  dydt[0] = y[1];
  dydt[1] = -y[0];
  dydt[2] = y[1] * y[1]; // an integral beside
  return CAROM_OK;
}

// the error of two steps of fixed length, one half the other; both lengths must be taken
static double error_ratio(double rtol, double h, double *coarse) {
  system_of s = {oscillator, 3, 2, {1.0, 0.0, 0.0}};
  double errors[2], y[4];
  for (int k = 0; k < 2; k++, h *= 0.5) {
    CHECK(run(&s, rtol, 2.0, h, y) == lround(2.0 / h));
    errors[k] = fabs(y[0] - cos(2.0)) + fabs(y[1] + sin(2.0));
  }
  *coarse = errors[0];
  return errors[0] / errors[1];
}

static void orders(void **state) {
  (void)state;
  system_of s = {oscillator, 3, 2, {1.0, 0.0, 0.0}};
  double y[4], coarse, ratio = error_ratio(4e-6, 0.05, &coarse);
  if (!(ratio > 28.0 && ratio < 36.0)) print_error("order 5: %g, %g\n", coarse, ratio);
  CHECK(ratio > 28.0 && ratio < 36.0);
  ratio = error_ratio(1e-6, 1.0, &coarse);
  if (!(ratio > 450.0 && ratio < 570.0)) print_error("order 9: %g, %g\n", coarse, ratio);
  CHECK(ratio > 450.0 && ratio < 570.0);
  // an integral beside is as exact as the states it sums
  for (double rtol = 1e-7; rtol > 1e-11; rtol *= 1e-2) {
    (void)run(&s, rtol, 2.0, 0.025, y);
    CHECK_NEAR(y[2], 1.0 - sin(4.0) / 4.0, fmax(rtol, 1e-9));
  }
}

// Prothero and Robinson: y' = -k (y - cos t) - sin t stays on cos t, whatever k
static carom_status stiff(void *ctx, double t, const double *y, double *dydt) {
  (void)ctx;
  dydt[0] = -1e7 * (y[0] - cos(t)) - sin(t);
  return CAROM_OK;
}

static void stiff_relaxation(void **state) {
  (void)state;
  system_of s = {stiff, 1, 0, {2.0}};
  double y[4];
  long steps = run(&s, 1e-8, 5.0, 0.0, y);
  CHECK_NEAR(y[0], cos(5.0), 1e-6);
  CHECK(steps < 400);
}

// van der Pol at mu = 1e6 in its own time; value at t = 2 (Hairer and Wanner II, test set)
static carom_status van_der_pol(void *ctx, double t, const double *y, double *dydt) {
  (void)ctx, (void)t;
  dydt[0] = y[1];
  dydt[1] = ((1.0 - y[0] * y[0]) * y[1] - y[0]) / 1e-6;
  return CAROM_OK;
}

static void van_der_pol_stiff(void **state) {
  (void)state;
  system_of s = {van_der_pol, 2, 0, {2.0, -0.66}};
  double y[4];
  long steps = run(&s, 1e-8, 2.0, 0.0, y);
  CHECK_NEAR(y[0], 1.706167732170469, 2e-6);
  CHECK_NEAR(y[1], -0.8928097010248125, 2e-6);
  if (steps >= 4000) print_error("%ld steps\n", steps);
  CHECK(steps < 4000);
}

// a step over a part of the tried one ends where the motion is
static void shortened(void **state) {
  (void)state;
  carom_arena *arena = carom_arena_create(NULL);
  carom_implicit it;
  carom_error error = {0};
  carom_stepper_options options = {.rtol = 1e-9, .atol = 1e-9};
  const double start[1] = {1.0};
  CHECK(!carom_implicit_init(&it, arena, 1, stiff, NULL, &options, &error));
  CHECK(!carom_implicit_start(&it, 0.0, start, 0.1, &error));
  for (int k = 0; k < 5; k++) {
    CHECK(!carom_implicit_try(&it, 1.0, &error));
    double h = 0.3 * it.h;
    CHECK(!carom_implicit_shorten(&it, h, &error));
    CHECK_NEAR(it.t1, it.t + h, 0.0);
    CHECK_NEAR(it.y1[0], cos(it.t1), 1e-7);
    carom_implicit_commit(&it);
  }
  carom_arena_destroy(arena);
}

// what is remembered between two steps is all: another stepper that is given it goes on with the
// same bits, through steps of three stages and of five
static void step_on(carom_implicit *it, int steps) {
  for (int k = 0; k < steps; k++) {
    CHECK(!carom_implicit_try(it, 1e4, NULL));
    carom_implicit_commit(it);
  }
}

static carom_status van_der_pol_with_integral(void *ctx, double t, const double *y, double *dydt) {
  dydt[2] = y[0] * y[0];
  dydt[0] = y[1];
  dydt[1] = 30.0 * (1.0 - y[0] * y[0]) * y[1] - y[0];
  (void)ctx, (void)t;
  return CAROM_OK;
}

static void remembered(void **state) {
  (void)state;
  enum { ROOM = 200 };
  carom_arena *arena = carom_arena_create(NULL);
  carom_stepper_options options = {.rtol = 1e-8, .atol = 1e-8, .controlled = 2};
  const double y[3] = {2.0, 0.0, 0.0};
  carom_implicit one, other;
  CHECK(!carom_implicit_init(&one, arena, 3, van_der_pol_with_integral, NULL, &options, NULL));
  CHECK(!carom_implicit_start(&one, 0.0, y, 1e-3, NULL));
  for (int k = 0; k < 40; k++) {
    double numbers[ROOM], state_then[3];
    step_on(&one, 7);
    double t = one.t;
    memcpy(state_then, one.y, sizeof state_then);
    int count = carom_implicit_remember(&one, NULL);
    CHECK(count <= ROOM && carom_implicit_remember(&one, numbers) == count);
    CHECK(!carom_implicit_init(&other, arena, 3, van_der_pol_with_integral, NULL, &options, NULL));
    carom_implicit_recall(&other, t, state_then, numbers);
    step_on(&other, 5);
    step_on(&one, 5);
    CHECK_SAME(other.t, one.t);
    CHECK_SAME(other.h_next, one.h_next);
    for (int i = 0; i < 3; i++)
      CHECK_SAME(other.y[i], one.y[i]);
  }
  CHECK(one.t > 20.0);
  carom_arena_destroy(arena);
}

// ---- what the stepper knows of a linear system y' = A y, where all of it has a closed form

static const double SLOW[2][2] = {{-0.05, 0.2}, {-0.2, -0.05}}; // eigenvalues -0.05 +- 0.2 i

static carom_status slow_spiral(void *ctx, double t, const double *y, double *dydt) {
  (void)ctx, (void)t;
  for (int i = 0; i < 2; i++)
    dydt[i] = SLOW[i][0] * y[0] + SLOW[i][1] * y[1];
  dydt[2] = 3.0 * y[0] - 2.0 * y[1]; // an integral beside
  return CAROM_OK;
}

static carom_status slow_swing(void *ctx, double t, const double *y, double *dydt) {
  (void)ctx, (void)t;
  dydt[0] = 0.1 * y[1];
  dydt[1] = -0.1 * y[0];
  return CAROM_OK;
}

static carom_implicit made(carom_arena *arena, carom_rhs rhs, int n, int active, double rtol) {
  carom_implicit it;
  carom_stepper_options options = {.rtol = rtol, .atol = rtol, .controlled = active};
  CHECK(!carom_implicit_init(&it, arena, n, rhs, NULL, &options, NULL));
  return it;
}

static void spectrum(void **state) {
  (void)state;
  carom_arena *arena = carom_arena_create(NULL);
  const double y[3] = {1.0, 0.5, 0.0};
  double f[3];
  carom_implicit it = made(arena, slow_spiral, 3, 2, 1e-8);
  (void)slow_spiral(NULL, 0.0, y, f);
  CHECK_NEAR(carom_implicit_stiffness(&it, 0.0, y, f), sqrt(0.0425), 1e-7);
  CHECK_NEAR(it.decay, sqrt(0.0425), 1e-7);
  it = made(arena, slow_swing, 2, 2, 1e-8);
  (void)slow_swing(NULL, 0.0, y, f);
  CHECK_NEAR(carom_implicit_stiffness(&it, 0.0, y, f), 0.1, 1e-8);
  CHECK_SAME(it.decay, 0.0); // it swings for ever
  carom_arena_destroy(arena);
}

// one Jacobian serves as long as Newton converges well with it: here for ever
static void jacobian_kept(void **state) {
  (void)state;
  for (double rtol = 1e-5; rtol > 1e-10; rtol *= 1e-2) {
    carom_arena *arena = carom_arena_create(NULL);
    const double y[3] = {1.0, 0.5, 0.0};
    carom_implicit it = made(arena, slow_spiral, 3, 2, rtol);
    CHECK(!carom_implicit_start(&it, 0.0, y, 0.1, NULL));
    while (it.t < 100.0) {
      CHECK(!carom_implicit_try(&it, 100.0, NULL));
      carom_implicit_commit(&it);
    }
    CHECK_NEAR(it.y[0], exp(-5.0) * (cos(20.0) + 0.5 * sin(20.0)), 10.0 * rtol);
    CHECK(it.steps > 8);
    CHECK(it.jacobians == 1);
    carom_arena_destroy(arena);
  }
}

// A step over a part of the tried one takes up its stages, which are the solution already, with a
// new Jacobian where the old one was kept.
static void shortened_at_once(void **state) {
  (void)state;
  carom_arena *arena = carom_arena_create(NULL);
  const double y[3] = {1.0, 0.5, 0.0};
  carom_implicit it = made(arena, slow_spiral, 3, 2, 1e-7);
  CHECK(!carom_implicit_start(&it, 0.0, y, 1.0, NULL));
  for (int k = 0; k < 6; k++) {
    CHECK(!carom_implicit_try(&it, 1000.0, NULL));
    bool kept = !it.matrix.fresh;
    long jacobians = it.jacobians, evaluations = it.evaluations;
    CHECK(!carom_implicit_shorten(&it, 0.6 * it.h, NULL));
    assert_int_equal(it.jacobians - jacobians, kept);
    CHECK(it.evaluations - evaluations <= 13); // two rounds of five stages; f and two columns
    carom_implicit_commit(&it);
  }
  carom_arena_destroy(arena);
}

// the slope follows a state that is moved after a step, that of the integral beside as well
static void amended(void **state) {
  (void)state;
  carom_arena *arena = carom_arena_create(NULL);
  const double y[3] = {1.0, 0.5, 0.0}, moved[3] = {0.7, -0.4, 2.0};
  double f[3];
  carom_implicit it = made(arena, slow_spiral, 3, 2, 1e-10);
  CHECK(!carom_implicit_start(&it, 0.0, y, 0.1, NULL));
  CHECK(!carom_implicit_try(&it, 1.0, NULL));
  carom_implicit_commit(&it);
  carom_implicit_amend(&it, moved);
  (void)slow_spiral(NULL, it.t, moved, f);
  for (int i = 0; i < 3; i++) {
    CHECK_NEAR(it.f[i], f[i], 1e-6);
    CHECK_SAME(it.y[i], moved[i]);
  }
  carom_arena_destroy(arena);
}

// With a Jacobian that is wrong the iteration converges by a factor c, and c / (1 - c) of the last
// change is still ahead when it stops: that is what the step is off from the one that has the right
// Jacobian.
static carom_status decay_in_one(void *ctx, double t, const double *y, double *dydt) {
  (void)ctx, (void)t;
  dydt[0] = -y[0];
  return CAROM_OK;
}

static double end_of_step(carom_implicit *it, double jacobian) {
  const double y = 1.0, h = 1.0;
  CHECK(!carom_implicit_start(it, 0.0, &y, h, NULL));
  it->matrix.jacobian[0] = jacobian;
  it->matrix.fresh = true;
  CHECK(!carom_implicit_try(it, h, NULL));
  CHECK_SAME(it->h, h);
  return it->y1[0];
}

static void ahead(void **state) {
  (void)state;
  const double tolerance = 0.5;
  carom_arena *arena = carom_arena_create(NULL);
  carom_implicit it = made(arena, decay_in_one, 1, 0, tolerance);
  double right = end_of_step(&it, -1.0), wrong = end_of_step(&it, -5.0);
  double off = fabs(wrong - right) / (it.newton.slack * (tolerance + tolerance));
  CHECK_NEAR(it.newton.contraction, 4.0 / 8.7, 0.05); // |J - J'| / |gamma/h - J'|
  CHECK_NEAR(off / (it.newton.ahead * it.newton.last_change), 1.0, 0.5);
  carom_arena_destroy(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(orders),
                                     cmocka_unit_test(stiff_relaxation),
                                     cmocka_unit_test(van_der_pol_stiff),
                                     cmocka_unit_test(shortened),
                                     cmocka_unit_test(remembered),
                                     cmocka_unit_test(spectrum),
                                     cmocka_unit_test(jacobian_kept),
                                     cmocka_unit_test(amended),
                                     cmocka_unit_test(shortened_at_once),
                                     cmocka_unit_test(ahead)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
