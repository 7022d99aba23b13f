// SPDX-License-Identifier: MIT
// Equilibria at which a contact opens, closes or begins to slip: branches go on in the other mode,
// forwards and backwards, and the place is a curve in two parameters, against closed forms.
#include "check.h"

#include "hybrid/motion.h"

#include "carom/atlas.h"
#include "carom/model.h"

#include <string.h>

// A mass on a hardening (k > 0) or softening (k < 0) spring above a floor at -d. On the floor it
// stays while p <= -(k d + 0.4 d^3), where it lifts off.
static const char above_floor[] =
    "title: Above a floor\n"
    "parameters: {p: -1, k: 2, d: 0.3}\n"
    "coordinates: {x: 0}\n"
    "energy: {kinetic: \"x'^2/2\", potential: k*x^2/2 - p*x + 0.1*x^4, dissipation: \"0.1*x'^2\"}\n"
    "contacts:\n"
    "  floor: {gap: x + d, impact: 0.3}\n"
    "run: {until: 60}\n";

static const char on_slope[] = "title: Block on a slope\n"
                               "parameters: {theta: 0.1, mu: 0.5}\n"
                               "coordinates: {x: 0}\n"
                               "energy: {kinetic: \"x'^2/2\", potential: -10*sin(theta)*x}\n"
                               "contacts:\n"
                               "  slide: {normal: 10*cos(theta), slip: x', friction: mu}\n"
                               "run: {until: 2}\n";

static carom_model *model_of(const char *text, int count, const carom_setting *settings) {
  carom_model *model = NULL;
  carom_error error = {0};
  MUST(carom_model_parse(text, "test.yaml", count, settings, &model, &error), error);
  return model;
}

static carom_continuation_options branch_of(const carom_model *model, const char *parameter,
                                            double from, double to) {
  carom_continuation_options options = carom_continuation_options_default();
  options.model = model;
  options.parameter = parameter;
  options.from = from;
  options.to = to;
  options.equilibrium = true;
  return options;
}

static double lifts_off(double k, double d) { return -(k * d + 0.4 * d * d * d); }

// From one bound to the other, through the place where the contact changes. `folds`: both modes
// have an equilibrium at the same side of it.
static void check_branch(double k, double from, double to, const char *first, const char *last,
                         bool folds) {
  char stiffness[30], force[30];
  (void)snprintf(stiffness, sizeof stiffness, "%g", k);
  (void)snprintf(force, sizeof force, "%g", from);
  const carom_setting settings[] = {{"k", stiffness}, {"p", force}};
  carom_model *model = model_of(above_floor, 2, settings);
  carom_continuation_options options = branch_of(model, "p", from, to);
  options.mode = first;
  carom_continuation *found = NULL;
  carom_error error = {0};
  MUST(carom_continuation_run(&options, &found, &error), error);
  int changes = 0, turns = 0;
  for (long i = 0; i < carom_continuation_points(found); i++) {
    const carom_continuation_point *p = carom_continuation_point_at(found, i);
    turns += p->label == CAROM_LABEL_FOLD;
    if (p->label != CAROM_LABEL_WORD) continue;
    CHECK_NEAR(p->value, lifts_off(k, 0.3), 1e-9);
    changes++;
  }
  const carom_continuation_point *end =
      carom_continuation_point_at(found, carom_continuation_points(found) - 1);
  assert_string_equal(carom_continuation_point_at(found, 0)->word, first);
  assert_string_equal(end->word, last);
  assert_int_equal(end->label, CAROM_LABEL_END);
  assert_int_equal(changes, 1);
  assert_int_equal(turns, folds);
  CHECK_NEAR(end->value, folds ? from : to, 1e-12);
  carom_continuation_destroy(found);
  carom_model_destroy(model);
}

static void test_goes_on(void **unused) {
  (void)unused;
  check_branch(2.0, -1.0, 1.0, "C", "F", false);
  check_branch(2.0, 1.0, -1.0, "F", "C", false);
  // the unstable one above the floor exists where the rest on the floor does
  check_branch(-1.0, -0.5, 1.0, "C", "F", true);
}

static void check_curve(const char *scenario, carom_continuation_options branch, const char *also,
                        double low, double high, const char *name, double (*known)(double)) {
  carom_model *model = model_of(scenario, 0, NULL);
  carom_atlas_options options = carom_atlas_options_default();
  carom_atlas *atlas = NULL;
  carom_error error = {0};
  options.branch = branch;
  options.branch.model = model;
  options.also = also;
  options.low = low;
  options.high = high;
  MUST(carom_atlas_run(&options, &atlas, &error), error);
  long count = carom_atlas_points(atlas);
  assert_true(count > 5);
  for (long k = 0; k < count; k++) {
    const carom_atlas_point *p = carom_atlas_point_at(atlas, k);
    assert_string_equal(p->name, name);
    CHECK_NEAR(p->value, known(p->also), 1e-8);
  }
  assert_int_equal(carom_atlas_point_at(atlas, 0)->corner, CAROM_CORNER_BOUND);
  assert_int_equal(carom_atlas_point_at(atlas, count - 1)->corner, CAROM_CORNER_BOUND);
  carom_atlas_destroy(atlas);
  carom_model_destroy(model);
}

static double by_stiffness(double k) { return lifts_off(k, 0.3); }
static double by_height(double d) { return lifts_off(2.0, d); }
static double by_friction(double mu) { return atan(mu); }

static void test_curves(void **unused) {
  (void)unused;
  check_curve(above_floor, branch_of(NULL, "p", -1, 1), "k", 1.0, 3.0, "lift-off", by_stiffness);
  check_curve(above_floor, branch_of(NULL, "p", -1, 1), "d", -0.4, 0.4, "lift-off", by_height);
  check_curve(above_floor, branch_of(NULL, "p", -0.5, -1), "k", 1.0, 3.0, "touch", by_stiffness);
  check_curve(on_slope, branch_of(NULL, "theta", 0.1, 1.0), "mu", 0.2, 1.0, "slip", by_friction);
}

// a block that begins to slide down has no other equilibrium: one reason, and no more
static void test_slides_away(void **unused) {
  (void)unused;
  carom_model *model = model_of(on_slope, 0, NULL);
  carom_continuation_options options = branch_of(model, "theta", 0.1, 1.0);
  carom_continuation *found = NULL;
  carom_error error = {0};
  MUST(carom_continuation_run(&options, &found, &error), error);
  const carom_continuation_point *end =
      carom_continuation_point_at(found, carom_continuation_points(found) - 1);
  assert_int_equal(end->label, CAROM_LABEL_LOST);
  CHECK_NEAR(end->value, atan(0.5), 1e-9);
  assert_non_null(strstr(end->why, "no equilibrium"));
  carom_continuation_destroy(found);
  carom_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_goes_on),
      cmocka_unit_test(test_curves),
      cmocka_unit_test(test_slides_away),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
