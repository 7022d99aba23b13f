// SPDX-License-Identifier: MIT
// Multipliers and ends of words where slip begins, ends and turns round: against differences of
// whole runs and against each other.
#include "branch_help.h"

#include <stdlib.h>

static carom_orbit *orbit_of(const char *text, int count, const carom_setting *settings,
                             bool free_word) {
  carom_model *model = NULL;
  carom_error error = {0};
  carom_orbit *orbit = malloc(sizeof *orbit);
  carom_orbit_options options = carom_orbit_options_default();
  assert_non_null(orbit);
  MUST(carom_model_parse(text, NULL, count, settings, &model, &error), error);
  options.model = model;
  options.free_word = free_word;
  MUST(carom_orbit_find(&options, orbit, &error), error);
  carom_model_destroy(model);
  return orbit;
}

// Two coupled blocks on a belt, with friction that falls with the speed of the slip: its slope
// counts from where slip begins, and to where it ends (after Galvanetto 1999). By differences of
// whole runs between two instants at which both blocks stick the multiplier is -0.739058.
static const char BLOCKS[] =
    "parameters: {k1: 1, k12: 1.2, v: 0.295, g: 1, fs: 1, b: 1.3, gam: 3}\n"
    "coordinates: {x1: 0.5, x2: 0.7, y1: 0, y2: 0}\n"
    "energy: {kinetic: (x1'^2 + x2'^2 + y1'^2 + y2'^2)/2, potential: k1/2*(x1^2 + x2^2) + "
    "k12/2*(x1 - x2)^2 + g*y1 + g*b*y2}\n"
    "contacts:\n"
    "  one: {gap: y1, slip: x1' - v, friction: {slip: fs/(1 + gam*abs(slip)), stick: fs}, "
    "impact: 0}\n"
    "  two: {gap: y2, slip: x2' - v, friction: {slip: fs/(1 + gam*abs(slip)), stick: fs}, "
    "impact: 0}\n"
    "run: {until: 300}\n";

static void test_falling_friction(void **unused) {
  (void)unused;
  for (int k = 0; k < 2; k++)
    for (int free_word = 0; free_word < 2; free_word++) {
      carom_setting setting = {"run.rtol", k ? "1e-11" : "1e-9"};
      carom_orbit *orbit = orbit_of(BLOCKS, 1, &setting, free_word);
      CHECK_NEAR(orbit->re[0], -0.739058, 1e-6);
      CHECK_NEAR(orbit->im[0], 0.0, 0.0);
      free(orbit);
    }
}

// Den Hartog's oscillator, x'' + x = cos(w t) - f sign(x'), with stick. Where slip ends everything
// is at rest for an instant: that alone makes no motion virtual.
static const char DRY[] = "parameters: {w: 0.7, f: 0.3}\n"
                          "coordinates: {x: 0, y: 0}\n"
                          "energy: {kinetic: x'^2/2 + y'^2/2, potential: x^2/2 + y}\n"
                          "forces: {x: cos(w*t)}\n"
                          "contacts: {floor: {gap: y, slip: x', friction: f, impact: 0}}\n"
                          "run: {until: 60*pi/w, rtol: 1e-12}\n";

static void test_rest_for_an_instant(void **unused) {
  (void)unused;
  static const char *const frictions[] = {"0.73", "0.8", "0.95"};
  for (int k = 0; k < 3; k++) {
    carom_setting setting = {"f", frictions[k]};
    carom_orbit *orbit = orbit_of(DRY, 1, &setting, false);
    assert_true(orbit->fixed && !orbit->virtual_motion);
    assert_string_equal(orbit->word, "K + K -");
    free(orbit);
  }
}

// Without stick half a period has a closed form (Den Hartog 1931). The body sticks from the
// friction on at which the force that turns it round is no larger than friction.
static double turning_force(double w, double f) {
  // x = a cos t + b sin t + f + C cos(w t + p), x(0) = A, x'(0) = 0, x(T/2) = -A, x'(T/2) = 0
  double half = PI / w, C = 1.0 / (1.0 - w * w), s = sin(half), c = cos(half);
  // x'(0) = b - C w sin p = 0; x'(half) = -a s + b c + C w sin p = 0; x(half) = -x(0) gives
  // a (1 + c) + b s + 2 f = 0
  double ratio = (1.0 + c) / s; // a = b ratio; b (ratio (1 + c) + s) = -2 f
  double b = -2.0 * f / (ratio * (1.0 + c) + s), a = b * ratio, sine = b / (C * w);
  double cosine = sqrt(1.0 - sine * sine), A = a + f + C * cosine;
  return cosine - A; // the drive less the spring, at the turn
}

static void test_onset_of_stick(void **unused) {
  (void)unused;
  double low = 0.5, high = 0.85;
  for (int k = 0; k < 60; k++) {
    double f = 0.5 * (low + high);
    *(fabs(turning_force(0.7, f)) > f ? &low : &high) = f;
  }
  CHECK_NEAR(low, 0.7220710, 1e-7); // by 40 digits
  static const double ends[2][2] = {{0.6, 0.8}, {0.8, 0.6}};
  for (int k = 0; k < 2; k++) {
    carom_continuation *result = branches_of(
        motion_parse(DRY), carom_continuation_options_default(), "f", ends[k][0], ends[k][1]);
    const carom_continuation_point *p = labelled(result, CAROM_LABEL_WORD, 0, 0);
    CHECK_NEAR(p->value, low, 1e-8);
    carom_continuation_destroy(result);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_falling_friction),
      cmocka_unit_test(test_rest_for_an_instant),
      cmocka_unit_test(test_onset_of_stick),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
