// SPDX-License-Identifier: MIT
// Motions whose periods, multipliers and branches are known in closed form: maps made of rules,
// relays, a ball in a shaken box, a parametric drive.
#include "branch_help.h"

#include "carom/atlas.h"
#include "carom/orbit.h"
#include "results.h"

#include <string.h>

// Henon's map once per unit of time; a state that relaxes beside it, by exp(-1) a turn
#define HENON(b, until)                                                                            \
  "parameters: {a: 0.1, b: " b "}\n"                                                               \
  "states: {x: 0.5, y: 0.1, c: {start: 0, rate: 1}, z: {start: 0, rate: -z}}\n"                    \
  "events: {tick: {when: 'c - 1', do: {x: 1 - a*x^2 + y, y: b*x, c: 0, z: z + 1}}}\n"              \
  "run: {until: " until "}\n"

static carom_orbit_view find(const char *text) {
  motion m = motion_parse(text);
  carom_orbit_options options = carom_orbit_options_default();
  carom_orbit_view orbit;
  carom_error error = {0};
  options.model = m.model;
  MUST(find_orbit(&options, &orbit, &error), error);
  motion_end(&m);
  return orbit;
}

static double product(const carom_orbit_view *orbit) {
  double re = 1.0, im = 0.0;
  for (int k = 0; k < orbit->floquet.count; k++) {
    double a = orbit->floquet.re[k], b = orbit->floquet.im[k], last = re;
    re = re * a - im * b;
    im = last * b + im * a;
  }
  return re;
}

// --- maps

// The run ends at the instant of a rule, where the state jumps, or elsewhere: the same motion. The
// fixed point is x = (-(1 - b) + sqrt((1 - b)^2 + 4 a))/(2 a); (-2 a x, 1; b, 0) has the
// determinant -b.
static void test_henon(void **unused) {
  (void)unused;
  const char *texts[] = {HENON("0.3", "40"), HENON("0.3", "40.3"), HENON("0.3", "41")};
  for (int k = 0; k < 3; k++) {
    carom_orbit_view orbit = find(texts[k]);
    double x = (-0.7 + sqrt(0.49 + 0.4)) / 0.2, half = -0.1 * x, root = sqrt(half * half + 0.3);
    assert_int_equal(orbit.floquet.count, 3);
    CHECK_NEAR(orbit.period, 1.0, 1e-12);
    CHECK_NEAR(orbit.floquet.re[0], half - root, 1e-10);
    CHECK_NEAR(orbit.floquet.re[1], half + root, 1e-10);
    CHECK_NEAR(orbit.floquet.re[2], exp(-1.0), 1e-10);
  }
}

// On b = -1 the fixed point's multipliers lie on the unit circle, with the sum -2 a x, x = 1/3
// where a = 3 (1:2), 2/5 where a = 5/4 (1:3), 1/2 where a = 0 (1:4), 1 where a = -1 (1:1). The map
// keeps areas there: the coefficient of the normal form is zero all along, and no Chenciner point
// is one.
static void test_resonances(void **unused) {
  (void)unused;
  motion m = motion_parse(HENON("-0.9", "60"));
  carom_atlas_options options = carom_atlas_options_default();
  carom_atlas *atlas = NULL;
  carom_error error = {0};
  options.branch.model = m.model;
  options.branch.parameter = "b";
  options.branch.from = -0.9;
  options.branch.to = -1.1;
  options.also = "a";
  options.low = -0.3;
  options.high = 3.1;
  MUST(carom_atlas_run(&options, &atlas, &error), error);
  const struct {
    carom_corner corner;
    double a;
  } known[] = {{CAROM_CORNER_BOUND, -0.3},
               {CAROM_CORNER_ONE_FOUR, 0.0},
               {CAROM_CORNER_START, 0.1},
               {CAROM_CORNER_ONE_THREE, 1.25},
               {CAROM_CORNER_ONE_TWO, 3.0}};
  int met = 0;
  for (long k = 0; k < carom_atlas_points(atlas); k++) {
    const carom_atlas_point *p = carom_atlas_point_at(atlas, k);
    CHECK_NEAR(p->value, -1.0, 1e-8);
    if (p->corner == CAROM_CORNER_NONE) continue;
    assert_true(met < 5);
    assert_int_equal(p->corner, known[met].corner);
    CHECK_NEAR(p->also, known[met++].a, 1e-8);
  }
  assert_int_equal(met, 5);
  carom_atlas_destroy(atlas);
  motion_end(&m);
}

// --- drives and relays

// Rest under a parametric drive keeps areas, x'' + (a - 2 q cos 2 t) x = 0; flips lie where a is
// Mathieu's a_1(q) (Abramowitz and Stegun 1964, 20.2.25)
static void test_mathieu(void **unused) {
  (void)unused;
  const char *text = "parameters: {a: 1.5, q: 0.5}\ncoordinates: {x: 0}\n"
                     "energy: {kinetic: x'^2/2, potential: (a - 2*q*cos(2*t))*x^2/2}\n"
                     "run: {until: 10}\n";
  carom_orbit_view orbit = find(text);
  CHECK_NEAR(product(&orbit), 1.0, 1e-9);
  carom_continuation *result =
      branches_of(motion_parse(text), carom_continuation_options_default(), "a", 1.3, 1.6);
  double q = 0.5, a1 = 1 + q - q * q / 8 - pow(q, 3) / 64 - pow(q, 4) / 1536 +
                       11 * pow(q, 5) / 36864 + 49 * pow(q, 6) / 589824 + 55 * pow(q, 7) / 9437184 -
                       83 * pow(q, 8) / 35389440;
  CHECK_NEAR(labelled(result, CAROM_LABEL_FLIP, 0, 0)->value, a1, 1e-8);
  carom_continuation_destroy(result);
}

// x' = u - x, u turns at x = h and -h: T = 2 ln((1 + h)/(1 - h)), and what is fed by u beside it
// has the multiplier exp(-2 T)
static void test_relay(void **unused) {
  (void)unused;
  carom_orbit_view orbit = find("parameters: {h: 0.3}\nstates:\n"
                                "  x: {start: 0, rate: u - x}\n  y: {start: 0, rate: u - 2*y}\n"
                                "  u: 1\n"
                                "events:\n  up: {when: x - h, if: u > 0, do: {u: -1}}\n"
                                "  down: {when: x + h, if: u < 0, do: {u: 1}}\n"
                                "run: {until: 40}\n");
  double T = 2.0 * log(1.3 / 0.7);
  CHECK_NEAR(orbit.period, T, 1e-11);
  CHECK_NEAR(orbit.floquet.re[0], exp(-2.0 * T), 1e-10);
}

// --- what is kept without anybody telling

// Lotka and Volterra's x' = x (1 - y), y' = y (a - x) keeps x - a ln x + y - ln y: motions of all
// sizes close, and the branch along a is one of many that has no folds.
static void test_kept(void **unused) {
  (void)unused;
  const char *text = "parameters: {a: 1}\nstates:\n  x: {start: 1.5, rate: x*(1 - y)}\n"
                     "  y: {start: 1, rate: y*(x - a)}\nrun: {until: 60}\n";
  carom_orbit_view orbit = find(text);
  assert_int_equal(orbit.floquet.count, 1);
  CHECK_NEAR(orbit.floquet.re[0], 1.0, 1e-8);
  CHECK_NEAR(orbit.floquet.im[0], 0.0, 0.0); // what is left of a pair is real
  carom_continuation *result =
      branches_of(motion_parse(text), carom_continuation_options_default(), "a", 1.0, 1.1);
  for (long k = 0; k < carom_continuation_points(result); k++) {
    const carom_continuation_point *p = carom_continuation_point_at(result, k);
    assert_true(p->label == CAROM_LABEL_NONE || p->label == CAROM_LABEL_START ||
                p->label == CAROM_LABEL_END);
  }
  CHECK_NEAR(labelled(result, CAROM_LABEL_END, 0, 0)->value, 1.1, 0.0);
  carom_continuation_destroy(result);
}

// --- motions that take for ever

// what is left of the speed that takes a rimless wheel over its spoke, as it is always when it
// rolls steadily down a slope: eta^2 = cos(2 alpha)^2 of the energy stays at each step
static double left_over(double alpha, double slope) {
  double eta2 = pow(cos(2.0 * alpha), 2);
  return eta2 * (cos(slope - alpha) - cos(slope + alpha)) / (1.0 - eta2) - 1.0 + cos(slope - alpha);
}

// On gentler slopes it rolls ever slower over its spoke, and not at all where nothing is left over:
// the motion then leaves the upright spoke, a saddle, and comes back to it
static void test_rolls_no_more(void **unused) {
  (void)unused;
  const double alphas[] = {0.3926990816987241, 0.3};
  for (int k = 0; k < 2; k++) {
    char text[512];
    double low = 0.001, high = 0.15;
    (void)snprintf(text, sizeof text,
                   "parameters: {al: %.17g, ga: 0.15}\nstates:\n  th: {start: -0.1, rate: w}\n"
                   "  w: {start: 0.6, rate: sin(th)}\nevents:\n"
                   "  step: {when: th - (ga + al), do: {th: ga - al, w: w*cos(2*al)}}\n"
                   "run: {until: 100}\n",
                   alphas[k]);
    for (int round = 0; round < 60; round++) {
      double middle = 0.5 * (low + high);
      if (left_over(alphas[k], middle) > 0.0)
        high = middle;
      else
        low = middle;
    }
    carom_continuation *result =
        branches_of(motion_parse(text), carom_continuation_options_default(), "ga", 0.15, 0.001);
    const carom_continuation_point *end = labelled(result, CAROM_LABEL_HOMOCLINIC, 0, 0);
    CHECK_NEAR(end->value, low, 1e-10);
    assert_ptr_equal(end,
                     carom_continuation_point_at(result, carom_continuation_points(result) - 1));
    carom_continuation_destroy(result);
  }
}

// --- a ball in a shaken box

// One impact at each wall a period: with V the speed between them and k = (1 - e)/(1 + e),
// (V pi/2 - d/2)^2 + k^2 V^2 = A^2 (d = 2). Its motion parts from its mirror image, that one
// doubles its period, and the doubled motion meets, at the graze where the single one gets an
// impact more, that single motion twice round: there it ends.
static void test_box(void **unused) {
  (void)unused;
  const char *text =
      "parameters: {A: 0.5, d: 2, e: 0.6}\ncoordinates: {x: {start: 0.9, rate: -1}}\n"
      "define: {b: A*sin(t)}\nenergy: {kinetic: x'^2/2}\ncontacts:\n"
      "  r: {gap: b + d/2 - x, impact: {law: newton, e: e}}\n"
      "  l: {gap: x - b + d/2, impact: {law: newton, e: e}}\nrun: {until: 300}\n";
  carom_orbit_view orbit = find(text);
  CHECK_NEAR(product(&orbit), pow(0.6, 4), 1e-9); // exp(0) e^2 at each impact
  assert_int_equal(orbit.mirrored.image, CAROM_IMAGE_SELF);
  carom_continuation_options options = carom_continuation_options_default();
  carom_continuation *down = branches_of(motion_parse(text), options, "A", 0.5, 0.1);
  double k = 0.25, V = 0.5 * PI / (0.25 * PI * PI + k * k), gap = 0.5 * V * PI - 1.0;
  CHECK_NEAR(labelled(down, CAROM_LABEL_FOLD, 0, 0)->value, sqrt(gap * gap + k * k * V * V), 1e-9);
  carom_continuation_destroy(down);
  options.switches = 2;
  carom_continuation *up = branches_of(motion_parse(text), options, "A", 0.5, 1.5);
  double graze = labelled(up, CAROM_LABEL_GRAZE, 1, 0)->value;
  const carom_continuation_point *last = labelled(up, CAROM_LABEL_LOST, 2, 0);
  CHECK_NEAR(last->value, graze, 1e-9);
  assert_string_equal(last->why, "it meets a motion of a shorter period, several times round");
  for (long i = 0; i < carom_continuation_points(up); i++) {
    const carom_continuation_point *p = carom_continuation_point_at(up, i);
    if (p->branch == 2) assert_true(p->value < graze + 1e-9);
  }
  carom_continuation_destroy(up);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_henon),   cmocka_unit_test(test_resonances),
      cmocka_unit_test(test_mathieu), cmocka_unit_test(test_relay),
      cmocka_unit_test(test_kept),    cmocka_unit_test(test_rolls_no_more),
      cmocka_unit_test(test_box)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
