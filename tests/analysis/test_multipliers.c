// SPDX-License-Identifier: MIT
// Multipliers and ends of words where slip begins, ends and turns round: against differences of
// whole runs and against each other.
#include "branch_help.h"
#include "results.h"

#include "analysis/orbit_map.h"

#include <stdlib.h>

static carom_orbit_view *orbit_of(const char *text, int count, const carom_setting *settings,
                                  bool free_word) {
  carom_model *model = NULL;
  carom_error error = {0};
  carom_orbit_view *orbit = malloc(sizeof *orbit);
  carom_orbit_options options = carom_orbit_options_default();
  assert_non_null(orbit);
  MUST(carom_model_parse(text, NULL, count, settings, &model, &error), error);
  options.model = model;
  options.free_word = free_word;
  MUST(find_orbit(&options, orbit, &error), error);
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
      carom_orbit_view *orbit = orbit_of(BLOCKS, 1, &setting, free_word);
      CHECK_NEAR(orbit->floquet.re[0], -0.739058, 1e-6);
      CHECK_NEAR(orbit->floquet.im[0], 0.0, 0.0);
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
    carom_orbit_view *orbit = orbit_of(DRY, 1, &setting, false);
    assert_true(orbit->fixed_word.held && !orbit->fixed_word.virtual_motion);
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

// --- families: motions that keep their energy

// a runner on a spring for a leg (after Schwind 1998); rules keep the energy too
static const char RUNNER[] =
    "parameters: {m: 80, k: 20000, L: 1, g: 9.81, alpha: 68 deg}\n"
    "coordinates: {x: {start: 0, rate: 5}, y: {start: 1.0, rate: 0}}\n"
    "states: {stance: {start: 0, rate: 0}}\n"
    "define: {leg: sqrt(x^2 + y^2)}\n"
    "energy: {kinetic: m/2*(x'^2 + y'^2), potential: m*g*y + stance*k/2*(leg - L)^2}\n"
    "events:\n"
    "  touchdown: {when: y - L*sin(alpha), direction: falling, if: stance < 0.5, "
    "do: {stance: 1, x: -L*cos(alpha)}}\n"
    "  liftoff: {when: leg - L, direction: rising, if: stance > 0.5, do: {stance: 0}}\n"
    "run: {until: 10}\n";

static double energy_of_runner(const carom_orbit_view *orbit) {
  const double *y = orbit->state;
  double spring = sqrt(y[0] * y[0] + y[1] * y[1]) - 1.0;
  return 40.0 * (y[2] * y[2] + y[3] * y[3]) + 80.0 * 9.81 * y[1] + y[4] * 10000.0 * spring * spring;
}

static void test_energy_of_a_family(void **unused) {
  (void)unused;
  static const char *const ends[] = {"1", "3", "10"}; // where the search begins
  double period = 0.0;
  for (int k = 0; k < 3; k++)
    for (int free_word = 0; free_word < 2; free_word++) {
      carom_setting setting = {"run.until", ends[k]};
      carom_orbit_view *orbit = orbit_of(RUNNER, 1, &setting, free_word);
      CHECK_NEAR(energy_of_runner(orbit), 1784.8, 1e-7);
      if (period > 0.0) CHECK_NEAR(orbit->period, period, 1e-9);
      period = orbit->period;
      assert_int_equal(orbit->kind, CAROM_ORBIT_MARGINAL);
      CHECK_NEAR(orbit->floquet.re[0], 1.0, 1e-4);
      assert_int_equal(orbit->floquet.extinguished,
                       2); // the foot's place and the phase are assigned
      free(orbit);
    }
}

// all multipliers of the two-body problem are 1, and depend on each other; the year is that of the
// energy at the start
static void test_two_bodies(void **unused) {
  (void)unused;
  for (int free_word = 0; free_word < 2; free_word++) {
    carom_orbit_view *orbit =
        orbit_of("coordinates: {x: 0.5, y: {start: 0, rate: 1.5}}\n"
                 "energy: {kinetic: (x'^2 + y'^2)/2, potential: -1/sqrt(x^2 + y^2)}\n"
                 "run: {until: 30}\n",
                 0, NULL, free_word);
    assert_int_equal(orbit->kind, CAROM_ORBIT_MARGINAL);
    double energy = 0.5 * 1.5 * 1.5 - 1.0 / 0.5;
    CHECK_NEAR(orbit->period, 2.0 * PI * pow(-2.0 * energy, -1.5), 1e-8);
    free(orbit);
  }
}

// a motion of a family can be unstable all the same
static void test_unstable_family(void **unused) {
  (void)unused;
  carom_orbit_view *orbit =
      orbit_of("coordinates: {x: 0.4, y: 0}\n"
               "energy: {kinetic: (x'^2 + y'^2)/2, potential: x^2/2 - y^2/200}\n"
               "run: {until: 20}\n",
               0, NULL, false);
  assert_int_equal(orbit->kind, CAROM_ORBIT_UNSTABLE);
  CHECK_NEAR(orbit->floquet.re[0], exp(2.0 * PI * 0.1), 1e-6);
  free(orbit);
}

// --- small is not zero

// Liouville: the multiplier is exp of the integral of mu (1 - x^2) over a turn
static void test_small_multiplier(void **unused) {
  (void)unused;
  carom_orbit_view *orbit = orbit_of("states: {x: {start: 2, rate: v}, "
                                     "v: {start: 0, rate: 8*(1 - x^2)*v - x}, "
                                     "s: {start: 0, rate: 8*(1 - x^2) - s}}\n"
                                     "run: {until: 100, rtol: 1e-12}\n",
                                     0, NULL, false);
  assert_int_equal(orbit->floquet.extinguished, 0);
  assert_int_equal(orbit->floquet.count, 2);
  // 2.2461025357e-89 by quadrature along the motion; the state s has its own, exp(-T)
  CHECK_RELATIVE(orbit->floquet.re[0], exp(-orbit->period), 1e-6);
  CHECK_RELATIVE(orbit->floquet.re[1], 2.2461025357e-89, 1e-6);
  free(orbit);
}

// x'' + 12 x' + 40 x: both multipliers are exp(-6 pi), far below one, impacts or none
static void test_small_pair(void **unused) {
  (void)unused;
  carom_orbit_view *orbit =
      orbit_of("coordinates: {x: 0.1}\n"
               "energy: {kinetic: x'^2/2, potential: 20*x^2, dissipation: 6*x'^2}\n"
               "forces: {x: 20*cos(2*t)}\ncontacts: {a: {gap: 5 - x, impact: 0.8}}\n"
               "run: {until: 60}\n",
               0, NULL, false);
  assert_int_equal(orbit->floquet.extinguished, 0);
  assert_int_equal(orbit->floquet.count, 2);
  CHECK_RELATIVE(orbit->floquet.re[0], exp(-6.0 * PI), 1e-6);
  CHECK_RELATIVE(orbit->floquet.re[1], exp(-6.0 * PI), 1e-6);
  free(orbit);
}

// A multiplier on the unit circle, as well as it is known, decides nothing.
static void test_kinds(void **unused) {
  (void)unused;
  static const struct {
    double re, im;
    carom_orbit_kind kind;
  } told[] = {{0.6, 0.7, CAROM_ORBIT_STABLE},          {-1.1, 0.0, CAROM_ORBIT_UNSTABLE},
              {0.6, 0.8, CAROM_ORBIT_MARGINAL},        {-1.0, 0.0, CAROM_ORBIT_MARGINAL},
              {1.0 - 5e-7, 0.0, CAROM_ORBIT_MARGINAL}, {1.0 + 5e-7, 0.0, CAROM_ORBIT_MARGINAL},
              {1.0 - 2e-6, 0.0, CAROM_ORBIT_STABLE},   {1.0 + 2e-6, 0.0, CAROM_ORBIT_UNSTABLE}};
  carom_orbit_data *orbit = calloc(1, sizeof *orbit);
  assert_non_null(orbit);
  assert_int_equal(carom_orbit_judge(orbit, 1e-6), CAROM_ORBIT_STABLE); // nothing that could grow
  orbit->is.floquet.count = 1;
  for (size_t k = 0; k < sizeof told / sizeof *told; k++) {
    orbit->re[0] = told[k].re;
    orbit->im[0] = told[k].im;
    assert_int_equal(carom_orbit_judge(orbit, 1e-6), told[k].kind);
  }
  free(orbit);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_falling_friction),
      cmocka_unit_test(test_rest_for_an_instant),
      cmocka_unit_test(test_onset_of_stick),
      cmocka_unit_test(test_energy_of_a_family),
      cmocka_unit_test(test_two_bodies),
      cmocka_unit_test(test_unstable_family),
      cmocka_unit_test(test_small_multiplier),
      cmocka_unit_test(test_small_pair),
      cmocka_unit_test(test_kinds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
