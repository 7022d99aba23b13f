// SPDX-License-Identifier: MIT
// Homoclinic motions: where branches of cycles end on them, and their curves in two parameters.
#include "branch_help.h"

#include "carom/atlas.h"

// A curve of homoclinic motions from the branch of cycles at the values of the text.
static carom_atlas *atlas_with(int count, const carom_value *values, const char *text, double from,
                               double to, double low, double high) {
  carom_atlas_options options = carom_atlas_options_default();
  carom_atlas *atlas = NULL;
  carom_error error = {0};
  motion m = motion_parse(text);
  options.branch.model = m.model;
  options.branch.value_count = count;
  options.branch.values = values;
  options.branch.parameter = "p";
  options.branch.from = from;
  options.branch.to = to;
  options.also = "r";
  options.low = low;
  options.high = high;
  MUST(carom_atlas_run(&options, &atlas, &error), error);
  motion_end(&m);
  return atlas;
}

static carom_atlas *atlas_of(const char *text, double from, double to, double low, double high) {
  return atlas_with(0, NULL, text, from, to, low, high);
}

// each point where the closed form has it; both ends at those of a range
static void check_loops(carom_atlas *atlas, double (*known)(double also)) {
  long loops = 0, bounds = 0;
  for (long k = 0; k < carom_atlas_points(atlas); k++) {
    const carom_atlas_point *at = carom_atlas_point_at(atlas, k);
    if (at->kind != CAROM_LABEL_HOMOCLINIC) continue;
    CHECK_NEAR(at->value, known(at->also), 1e-9);
    bounds += at->corner == CAROM_CORNER_BOUND;
    loops++;
  }
  assert_true(loops > 20);
  assert_int_equal(bounds, 2);
  carom_atlas_destroy(atlas);
}

// On the slope p a rimless wheel with half an angle r between its spokes has nothing left of its
// speed when it comes over a spoke: cos(2 r)^2 of its energy stays at each step.
static double left_over(double r, double slope) {
  double stays = pow(cos(2.0 * r), 2);
  return stays * (cos(slope - r) - cos(slope + r)) / (1.0 - stays) - 1.0 + cos(slope - r);
}

static double slope_of(double r) {
  double low = 0.001, high = 0.3;
  for (int round = 0; round < 60; round++) {
    double middle = 0.5 * (low + high);
    if (left_over(r, middle) > 0.0)
      high = middle;
    else
      low = middle;
  }
  return low;
}

// with a blow at every step
static void test_wheel(void **unused) {
  (void)unused;
  check_loops(atlas_of("parameters: {r: 0.3, p: 0.15}\nstates:\n  th: {start: -0.1, rate: w}\n"
                       "  w: {start: 0.6, rate: sin(th)}\nevents:\n"
                       "  step: {when: th - (p + r), do: {th: p - r, w: w*cos(2*r)}}\n"
                       "run: {until: 100}\n",
                       0.15, 0.001, 0.2, 0.45),
              slope_of);
}

// The level H = p - r^2 attracts; that of the saddle in the origin, 0, is a loop.
#define LEVELS                                                                                     \
  "parameters: {p: -0.1, r: 0.1}\n"                                                                \
  "define: {H: y^2/2 - x^2/2 + x^3/3, D: (H - p + r^2)/2}\n"                                       \
  "states:\n  x: {start: 1.3, rate: y - D*(x^2 - x)}\n  y: {start: 0.1, rate: x - x^2 - D*y}\n"    \
  "run: {until: 100}\n"

static double level_of(double r) { return r * r; }

static void test_levels(void **unused) {
  (void)unused;
  check_loops(atlas_of(LEVELS, -0.1, 0.3, -0.5, 0.5), level_of);
}

// what is set before holds for branches and curves, which begin at the value of r that is set
static double level_of_values(double r) { return r * r - 0.05; }

static void test_values(void **unused) {
  (void)unused;
  const carom_value values[] = {{"c", 0.05}, {"r", 0.2}};
  carom_atlas *atlas = atlas_with(
      2, values,
      "parameters: {p: -0.1, r: 0.1, c: 0}\n"
      "define: {H: y^2/2 - x^2/2 + x^3/3, D: (H - p - c + r^2)/2}\n"
      "states:\n  x: {start: 1.3, rate: y - D*(x^2 - x)}\n  y: {start: 0.1, rate: x - x^2 - D*y}\n"
      "run: {until: 100}\n",
      -0.1, 0.3, -0.5, 0.5);
  int starts = 0;
  for (long k = 0; k < carom_atlas_points(atlas); k++) {
    const carom_atlas_point *at = carom_atlas_point_at(atlas, k);
    if (at->corner != CAROM_CORNER_START || at->kind != CAROM_LABEL_HOMOCLINIC) continue;
    CHECK_NEAR(at->also, 0.2, 1e-12);
    starts++;
  }
  assert_int_equal(starts, 1);
  check_loops(atlas, level_of_values);
}

// What comes past x = 1.5 + (0.3 - r)/5 is thrown out; the loop, which turns at x = 1.5, ends at
// r = 0.3, although motions on both sides of the graze come back on different sides of the saddle.
static void test_graze(void **unused) {
  (void)unused;
  carom_atlas *atlas =
      atlas_of(LEVELS "events: {kick: {when: x - (1.5 + 0.2*(0.3 - r)), do: {y: y - 0.3}}}\n", -0.1,
               0.3, -0.5, 0.5);
  double last = 0.0;
  long ends = 0;
  for (long k = 0; k < carom_atlas_points(atlas); k++) {
    const carom_atlas_point *at = carom_atlas_point_at(atlas, k);
    if (at->kind != CAROM_LABEL_HOMOCLINIC) continue;
    CHECK_NEAR(at->value, level_of(at->also), 1e-9);
    last = fmax(last, at->also);
    ends += at->corner == CAROM_CORNER_END;
  }
  CHECK_NEAR(last, 0.3, 1e-3);
  assert_int_equal(ends, 1);
  carom_atlas_destroy(atlas);
}

// the branch ends on it, where motions outside run off to infinity in no time
static void test_branch_ends(void **unused) {
  (void)unused;
  carom_continuation *result =
      branches_of(motion_parse(LEVELS), carom_continuation_options_default(), "p", -0.1, 0.3);
  const carom_continuation_point *end =
      carom_continuation_point_at(result, carom_continuation_points(result) - 1);
  assert_int_equal(end->label, CAROM_LABEL_HOMOCLINIC);
  CHECK_NEAR(end->value, 0.01, 1e-9);
  carom_continuation_destroy(result);
}

// x' = y, y' = p + r y + x^2 + x y: unstable cycles end on a loop with p/r^2 = -49/25 as r goes to
// 0, next to the Bogdanov-Takens point (Kuznetsov, 8.4)
static void test_takens(void **unused) {
  (void)unused;
  carom_atlas_options options = carom_atlas_options_default();
  carom_atlas *atlas = NULL;
  carom_error error = {0};
  motion m = motion_parse("parameters: {p: -0.5, r: 0.4}\nstates:\n  x: {start: -0.7, rate: y}\n"
                          "  y: {start: 0, rate: p + r*y + x^2 + x*y}\nrun: {until: 10}\n");
  double least = 1.0, ratio = 0.0;
  options.branch.model = m.model;
  options.branch.parameter = "p";
  options.branch.from = -0.5;
  options.branch.to = 0.1;
  options.branch.equilibrium = true;
  options.branch.switches = 1;
  options.also = "r";
  options.low = 0.02;
  options.high = 0.5;
  MUST(carom_atlas_run(&options, &atlas, &error), error);
  for (long k = 0; k < carom_atlas_points(atlas); k++) {
    const carom_atlas_point *at = carom_atlas_point_at(atlas, k);
    if (at->kind != CAROM_LABEL_HOMOCLINIC || at->also > least) continue;
    assert_true(at->coefficient > 0.0); // the cycles repel
    least = at->also;
    ratio = at->value / (least * least);
  }
  assert_true(least < 0.1);
  CHECK_NEAR(ratio, -49.0 / 25.0, 0.3 * least); // to first order in r
  carom_atlas_destroy(atlas);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wheel),       cmocka_unit_test(test_levels),
      cmocka_unit_test(test_values),      cmocka_unit_test(test_graze),
      cmocka_unit_test(test_branch_ends), cmocka_unit_test(test_takens),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
