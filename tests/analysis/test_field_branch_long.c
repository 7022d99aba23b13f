// SPDX-License-Identifier: MIT
// Branches of bodies in fields, whose turns are differenced: against the equations of a flat block
// written by hand, and where there is nothing to follow.
#include "branch_help.h"

// A block of edge 1 m on a shaken floor, flat. With d the distance and N the force of the floor
//   y'' = N/m - g,  N = m g (d/d0)^-5 - alpha (y' - s'),  d = y - 1/2 - s,  s = A sin(2 pi f t),
// and a small turn of it follows I th'' = (N/2 - 5 m g (d/d0)^-5/(12 d)) th - alpha th'/12.
static const double MASS = 1000.0, REST = 0.02, G = 9.81, ALPHA = 4e3, AMPLITUDE = 0.0005;
static const char *SHAKEN =
    "engine: field\nparameters: {f: 7, d0: 0.02}\nbody: {square: 1, density: 1000}\n"
    "supports: {floor: {normal: [0, 1], shift: [0, \"0.0005*sin(2*pi*f*t)\"]}}\n"
    "fields: {repulsion: {exponent: 5, rest: d0, faces: [bottom]}, "
    "damping: {exponent: 0, coefficient: 4e3, faces: [bottom]}}\n"
    "start: {position: [0, 0.52]}\nrun: {until: 4, rtol: 1e-10, period: 1/f}\n";

/// y, y', then two solutions (th, th') and two small differences of (y, y').
enum { NUMBERS = 10, STEPS = 400 };

static void rates(double t, double f, const double *z, double *rate) {
  double w = 2.0 * PI * f, d = z[0] - 0.5 - AMPLITUDE * sin(w * t);
  double repulsion = MASS * G * pow(d / REST, -5.0);
  double N = repulsion - ALPHA * (z[1] - AMPLITUDE * w * cos(w * t)), I = MASS / 6.0;
  rate[1] = N / MASS - G;
  rate[3] = ((0.5 * N - 5.0 * repulsion / (12.0 * d)) * z[2] - ALPHA * z[3] / 12.0) / I;
  rate[5] = ((0.5 * N - 5.0 * repulsion / (12.0 * d)) * z[4] - ALPHA * z[5] / 12.0) / I;
  rate[7] = (-5.0 * repulsion / d * z[6] - ALPHA * z[7]) / MASS;
  rate[9] = (-5.0 * repulsion / d * z[8] - ALPHA * z[9]) / MASS;
  for (int k = 0; k < NUMBERS; k += 2)
    rate[k] = z[k + 1];
}

// one period by the classical method of Runge and Kutta
static void go_round(double f, const double *x, double *z) {
  static const double parts[] = {0.0, 0.5, 0.5, 1.0}, weights[] = {1.0, 2.0, 2.0, 1.0};
  const double start[NUMBERS] = {x[0], x[1], 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0};
  double h = 1.0 / (f * STEPS);
  memcpy(z, start, sizeof start);
  for (int k = 0; k < STEPS; k++) {
    double rate[NUMBERS] = {0}, at[NUMBERS], sum[NUMBERS] = {0};
    for (int stage = 0; stage < 4; stage++) {
      for (int i = 0; i < NUMBERS; i++)
        at[i] = z[i] + parts[stage] * h * rate[i];
      rates((k + parts[stage]) * h, f, at, rate);
      for (int i = 0; i < NUMBERS; i++)
        sum[i] += weights[stage] * h / 6.0 * rate[i];
    }
    for (int i = 0; i < NUMBERS; i++)
      z[i] += sum[i];
  }
}

// the periodic motion near x by Newton's method; returns det(M + 1) of the turning
static double flip_value(double f, double *x) {
  double z[NUMBERS];
  for (int round = 0; round < 8; round++) {
    go_round(f, x, z);
    double a = z[6] - 1.0, b = z[8], c = z[7], d = z[9] - 1.0, F = z[0] - x[0], E = z[1] - x[1];
    x[0] -= (d * F - b * E) / (a * d - b * c);
    x[1] -= (a * E - c * F) / (a * d - b * c);
  }
  return (z[2] + 1.0) * (z[5] + 1.0) - z[4] * z[3];
}

// where it is zero, by secants
static double flip_near(double f, const double *state) {
  double x[2] = {state[1], state[4]}, last = f + 1e-4, before = flip_value(last, x);
  for (int round = 0; round < 5; round++) {
    double value = flip_value(f, x), next = f - value * (f - last) / (value - before);
    last = f;
    before = value;
    f = next;
    if (fabs(f - last) < 1e-12) break;
  }
  return f;
}

// The branch turns sharply where y' at the start of the turn is largest and least, for y hardly
// moves beside its size: there a place that is no solution was taken for one, and the branch went
// back or was lost.
static void test_shaken(void **unused) {
  (void)unused;
  carom_continuation *result =
      branches_of(motion_parse(SHAKEN), carom_continuation_options_default(), "f", 5.0, 9.0);
  int special = 0;
  for (long k = 0; k < carom_continuation_points(result); k++)
    special += carom_continuation_point_at(result, k)->label != CAROM_LABEL_NONE;
  assert_int_equal(special, 6); // start, two folds, two flips, end
  CHECK_SAME(labelled(result, CAROM_LABEL_END, 0, 0)->value, 9.0);
  for (int n = 0; n < 2; n++) {
    const carom_continuation_point *flip = labelled(result, CAROM_LABEL_FLIP, 0, n),
                                   *fold = labelled(result, CAROM_LABEL_FOLD, 0, n);
    CHECK_NEAR(flip->value, flip_near(flip->value, flip->state), 3e-8);
    double x[2] = {fold->state[1], fold->state[4]}, z[NUMBERS];
    go_round(fold->value, x, z);
    CHECK_NEAR(z[0], x[0], 1e-9);                                     // the turn closes
    CHECK_NEAR((z[6] - 1.0) * (z[9] - 1.0) - z[8] * z[7], 0.0, 1e-6); // and is a fold
  }
  carom_continuation_destroy(result);
}

// A block that bounces without losses has a motion for every energy. Each turn with damping, even
// with a little, loses some: the branch ends, and goes neither on nor back to other energies.
static void test_losses(void **unused) {
  (void)unused;
  carom_continuation *result =
      branches_of(motion_load("field_block", (carom_setting[]){{"run.until", "0.6"}, {NULL, NULL}}),
                  carom_continuation_options_default(), "alpha_d", 0.0, 10.0);
  long last = carom_continuation_points(result) - 1;
  for (long k = 1; k <= last; k++) {
    const carom_continuation_point *p = carom_continuation_point_at(result, k);
    assert_int_equal(p->label, k < last ? CAROM_LABEL_NONE : CAROM_LABEL_LOST);
    assert_true(p->value >= carom_continuation_point_at(result, k - 1)->value);
    assert_true(p->value < 0.1); // a turn loses 1.4e-5 of its energy by then
    assert_int_equal(strstr(p->why, "the energy that a motion with losses") != NULL, k == last);
  }
  carom_continuation_destroy(result);
}

// Without losses multipliers lie on the circle all along, up to the error of differences: nothing
// crosses it. The smaller the motion, the nearer its period is to 2 pi sqrt(d0/(nu g)), from above.
// Rest, which comes back after any time, is no periodic motion.
static void test_family(void **unused) {
  (void)unused;
  carom_continuation *result = branches_of(
      motion_load("field_block",
                  (carom_setting[]){{"run.until", "0.6"}, {"v0", "0.002"}, {NULL, NULL}}),
      carom_continuation_options_default(), "d0", 0.02, 0.0206);
  for (long k = 1; k + 1 < carom_continuation_points(result); k++) {
    const carom_continuation_point *p = carom_continuation_point_at(result, k);
    assert_int_equal(p->label, CAROM_LABEL_NONE);
    assert_true(p->period > 2.0 * PI * sqrt(p->value / (5.0 * G)) * (1.0 - 1e-6));
  }
  CHECK_SAME(labelled(result, CAROM_LABEL_END, 0, 0)->value, 0.0206);
  carom_continuation_destroy(result);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_shaken), cmocka_unit_test(test_losses),
                                     cmocka_unit_test(test_family)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
