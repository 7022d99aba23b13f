// SPDX-License-Identifier: MIT
// Branches through changes of the word: what changes is found, what does not is passed, and the way
// back tells the same.
#include "branch_help.h"

#include "analysis/follower.h"

static const char STOP[] = "parameters: {z: 0.02, F: 1, w: 2.6, s: 0.6, r: 0.7}\n"
                           "coordinates: {x: 0.6}\n"
                           "energy: {kinetic: x'^2/2, potential: x^2/2, dissipation: z*x'^2}\n"
                           "forces: {x: F*cos(w*t)}\n"
                           "contacts: {stop: {gap: s - x, impact: {law: newton, e: r}}}\n"
                           "run: {until: 400*pi/w, rtol: 1e-12}\n";

// Frictional impact oscillator (Lancioni, Galvanetto, Lenci); its tip's height is a coordinate
#define WIPER(settings)                                                                            \
  "parameters: {m2: 1, l: 1, ky: 100, cy: 10, p0: pi/8, y0: 1, g: 10, v: -1, " settings "}\n"      \
  "coordinates: {p: 0.5, h: 0.05}\n"                                                               \
  "define: {x: l*sin(p), y: h + l*cos(p)}\n"                                                       \
  "energy:\n"                                                                                      \
  "  kinetic: m1/2*(x'^2 + h'^2) + m2/2*y'^2\n"                                                    \
  "  potential: m1*g*h + m2*g*y + ky/2*(y - y0)^2 + kphi/2*(p - p0)^2\n"                           \
  "  dissipation: cy/2*y'^2\n"                                                                     \
  "contacts: {tip: {gap: h, slip: x' - v, friction: mu, impact: {law: poisson, e: e}}}\n"          \
  "run: {until: 60, rtol: 1e-12}\n"

static const char VALVE[] =
    "parameters: {k: 1.25, d: 10, b: 20, r: 0.8, q: 3}\n"
    "coordinates: {y1: 0.2}\n"
    "states: {y3: {start: 0, rate: 'b*(q - y1*sqrt(y3))'}}\n"
    "energy: {kinetic: y1'^2/2, potential: (y1 + d)^2/2, dissipation: k/2*y1'^2}\n"
    "forces: {y1: y3}\n"
    "contacts: {seat: {gap: y1, impact: {law: newton, e: r}}}\n"
    "run: {until: 500, rtol: 1e-11, atol: 1e-11}\n";

static carom_continuation *follow(const char *scenario, const char *parameter, double from,
                                  double to) {
  return branches_of(motion_parse(scenario), carom_continuation_options_default(), parameter, from,
                     to);
}

static long count_of(const carom_continuation *result, carom_branch_label label) {
  long count = 0;
  for (long k = 0; k < carom_continuation_points(result); k++)
    count += carom_continuation_point_at(result, k)->label == label;
  return count;
}

// Multipliers that change fast are no change of the word: behind a graze an unstable motion turns
// round in a fold with a flip next to it, and goes on to the other graze
static void test_steep_multipliers(void **unused) {
  (void)unused;
  carom_continuation *result = follow(STOP, "w", 2.6, 2.0);
  assert_int_equal(count_of(result, CAROM_LABEL_WORD), 0);
  assert_int_equal(count_of(result, CAROM_LABEL_LOST), 0);
  CHECK_NEAR(labelled(result, CAROM_LABEL_GRAZE, 0, 0)->value, 2.08847361353, 1e-9);
  CHECK_NEAR(labelled(result, CAROM_LABEL_FOLD, 0, 1)->value, 2.09402172029, 1e-9);
  assert_string_equal(labelled(result, CAROM_LABEL_END, 0, 0)->word, "F I");
  carom_continuation_destroy(result);
}

// Compression turns from stick to slip: the word is the same, the multiplier is not
static void test_inside_impact(void **unused) {
  (void)unused;
  carom_continuation *result =
      follow(WIPER("m1: 0.1, kphi: 100, mu: 0.389, e: 0.2"), "mu", 0.389, 0.3882);
  const carom_continuation_point *change = labelled(result, CAROM_LABEL_WORD, 0, 0);
  CHECK_NEAR(change->value, 0.388397977, 1e-9);
  CHECK_NEAR(change->re, 0.5050038, 1e-6);
  CHECK_NEAR(change[1].re, 0.819, 1e-3);
  assert_string_equal(change[1].word, change->word);
  carom_continuation_destroy(result);
}

// The flight at which turns began shrinks to nothing; upwards it is where the force comes to zero
static void test_flight_vanishes(void **unused) {
  (void)unused;
  const char *set = WIPER("m1: 0.4, kphi: 25, mu: 0.46, e: 0");
  carom_continuation *down = follow(set, "mu", 0.46, 0.445), *up = follow(set, "mu", 0.445, 0.46);
  const carom_continuation_point *end = labelled(down, CAROM_LABEL_GRAZE, 0, 0);
  CHECK_NEAR(end->value, 0.44985377042, 1e-9);
  CHECK_NEAR(labelled(up, CAROM_LABEL_GRAZE, 0, 0)->value, end->value, 1e-10);
  assert_string_equal(labelled(down, CAROM_LABEL_END, 0, 0)->word, "K +");
  assert_string_equal(labelled(up, CAROM_LABEL_END, 0, 0)->word, "F I + K +");
  carom_continuation_destroy(down);
  carom_continuation_destroy(up);
}

// A graze from both sides, with multipliers without bounds at one of them
static void test_both_ways(void **unused) {
  (void)unused;
  carom_continuation *down = follow(VALVE, "q", 7.9, 5.5), *up = follow(VALVE, "q", 5.5, 7.9);
  CHECK_NEAR(labelled(down, CAROM_LABEL_GRAZE, 0, 0)->value,
             labelled(up, CAROM_LABEL_GRAZE, 0, 0)->value, 1e-9);
  CHECK_NEAR(labelled(down, CAROM_LABEL_FLIP, 0, 0)->value,
             labelled(up, CAROM_LABEL_FLIP, 0, 0)->value, 1e-9);
  CHECK_NEAR(labelled(down, CAROM_LABEL_END, 0, 0)->value, 5.5, 0.0);
  CHECK_NEAR(labelled(up, CAROM_LABEL_END, 0, 0)->value, 7.9, 0.0);
  carom_continuation_destroy(down);
  carom_continuation_destroy(up);
}

// A step changes multipliers by little: what is far above or below those of its ends is another
// motion. Which end is which does not count.
static void test_multiplier_between(void **unused) {
  (void)unused;
  const double ends[][2] = {{0.0, 0.0}, {0.5, 0.9}, {0.8, 1.9}, {1.7, 1.7}, {3.0, 20.0}};
  for (int k = 0; k < 5; k++)
    for (int turned = 0; turned < 2; turned++) {
      double a = ends[k][turned], b = ends[k][1 - turned], low = ends[k][0], high = ends[k][1];
      assert_true(carom_multiplier_between(a, b, low));
      assert_true(carom_multiplier_between(a, b, high));
      assert_true(carom_multiplier_between(a, b, 0.5 * (a + b)));
      assert_true(carom_multiplier_between(a, b, 0.9 * low));
      assert_true(carom_multiplier_between(a, b, high + 0.2));
      assert_false(carom_multiplier_between(a, b, high + low + 1.0));
      if (low > 1.0) assert_false(carom_multiplier_between(a, b, 0.2 * low));
    }
}

// derivatives at two places close together differ by a percent, those on both sides of a kink by
// more; what they are measured in does not count
static void test_slopes_differ(void **unused) {
  (void)unused;
  for (double unit = 1e-9; unit < 1e10; unit *= 1e6) {
    const double a[4] = {3.0 * unit, -4.0 * unit, 0.0, 0.0};
    double b[4] = {3.0 * unit, -4.0 * unit, 0.05 * unit, -0.05 * unit};
    assert_false(carom_slopes_differ(4, a, a));
    assert_false(carom_slopes_differ(4, a, b));
    b[2] = 0.5 * unit;
    assert_true(carom_slopes_differ(4, a, b));
    b[2] = -0.5 * unit;
    assert_true(carom_slopes_differ(4, a, b));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_steep_multipliers),  cmocka_unit_test(test_inside_impact),
      cmocka_unit_test(test_flight_vanishes),    cmocka_unit_test(test_both_ways),
      cmocka_unit_test(test_multiplier_between), cmocka_unit_test(test_slopes_differ),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
