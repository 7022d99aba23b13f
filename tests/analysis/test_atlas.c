// SPDX-License-Identifier: MIT
// Curves in two parameters against closed forms: of equilibria (Lorenz's Hopf curve, the normal
// forms of cusp and Bogdanov-Takens, two Hopf curves that cross) and of motions with impacts (the
// ball on a table, the oscillator before a stop).
#include "check.h"

#include "hybrid/motion.h"

#include "carom/atlas.h"
#include "carom/model.h"

#include <string.h>

/// A range of two parameters.
typedef struct plane {
  const char *parameter;
  double from, to;
  const char *also;
  double low, high;
} plane;

static carom_atlas *atlas_of(const carom_model *model, plane over, bool equilibrium) {
  carom_atlas_options options = carom_atlas_options_default();
  carom_atlas *atlas = NULL;
  carom_error error = {0};
  options.branch.model = model;
  options.branch.parameter = over.parameter;
  options.branch.from = over.from;
  options.branch.to = over.to;
  options.branch.equilibrium = equilibrium;
  options.also = over.also;
  options.low = over.low;
  options.high = over.high;
  MUST(carom_atlas_run(&options, &atlas, &error), error);
  return atlas;
}

static carom_model *model_of(const char *text) {
  carom_model *model = NULL;
  carom_error error = {0};
  MUST(carom_model_parse(text, "test.yaml", 0, NULL, &model, &error), error);
  return model;
}

static carom_model *scenario(const char *name, int count, const carom_setting *settings) {
  carom_model *model = NULL;
  carom_error error = {0};
  char path[500];
  (void)snprintf(path, sizeof path, "%s/scenarios/%s", CAROM_SOURCE_DIR, name);
  MUST(carom_model_load(path, count, settings, &model, &error), error);
  return model;
}

// how many points there are of a kind; each has the value that the closed form has there, to 8
// digits
static int check_curve(const carom_atlas *atlas, carom_branch_label kind,
                       double (*known)(double also), double least, double most) {
  int count = 0;
  for (long k = 0; k < carom_atlas_points(atlas); k++) {
    const carom_atlas_point *p = carom_atlas_point_at(atlas, k);
    if (p->kind != kind || p->also < least || p->also > most) continue;
    CHECK_NEAR(p->value, known(p->also), 1e-8 * fmax(1.0, fabs(known(p->also))));
    count++;
  }
  return count;
}

static const carom_atlas_point *corner(const carom_atlas *atlas, carom_branch_label kind,
                                       carom_corner which) {
  for (long k = 0; k < carom_atlas_points(atlas); k++) {
    const carom_atlas_point *p = carom_atlas_point_at(atlas, k);
    if (p->kind == kind && p->corner == which) return p;
  }
  print_error("no corner %s\n", carom_corner_text(which));
  _fail(__FILE__, __LINE__);
  return NULL;
}

// --- equilibria

static double lorenz_hopf(double sigma) {
  double beta = 8.0 / 3.0;
  return sigma * (sigma + beta + 3.0) / (sigma - beta - 1.0);
}

static void test_lorenz(void **unused) {
  (void)unused;
  carom_model *model = scenario("lorenz.yaml", 0, NULL);
  carom_atlas *atlas = atlas_of(model, (plane){"rho", 20, 30, "sigma", 8, 14}, true);
  assert_true(check_curve(atlas, CAROM_LABEL_HOPF, lorenz_hopf, 8.0, 14.0) > 10);
  // it goes from bound to bound
  const carom_atlas_point *first = carom_atlas_point_at(atlas, 0),
                          *last = carom_atlas_point_at(atlas, carom_atlas_points(atlas) - 1);
  assert_int_equal(first->corner, CAROM_CORNER_BOUND);
  assert_int_equal(last->corner, CAROM_CORNER_BOUND);
  CHECK_NEAR(fmin(first->also, last->also), 8.0, 1e-9);
  CHECK_NEAR(fmax(first->also, last->also), 14.0, 1e-9);
  carom_atlas_destroy(atlas);
  // from another place, in another range: the same curve
  atlas = atlas_of(model, (plane){"rho", 22, 26, "sigma", 9, 13}, true);
  assert_true(check_curve(atlas, CAROM_LABEL_HOPF, lorenz_hopf, 8.0, 14.0) > 10);
  carom_atlas_destroy(atlas);
  carom_model_destroy(model);
}

// x' = p + r x - x^3: folds at p^2 = 4 r^3 / 27
static void test_cusp(void **unused) {
  (void)unused;
  carom_model *model = model_of("title: Cusp\n"
                                "parameters: {p: -1, r: 1}\n"
                                "states:\n"
                                "  x: {start: -1.3, rate: p + r*x - x^3}\n"
                                "run: {until: 10}\n");
  carom_atlas *atlas = atlas_of(model, (plane){"p", -1, 1, "r", -1, 2}, true);
  int count = 0;
  for (long k = 0; k < carom_atlas_points(atlas); k++, count++) {
    const carom_atlas_point *p = carom_atlas_point_at(atlas, k);
    assert_int_equal(p->kind, CAROM_LABEL_FOLD);
    assert_int_equal(p->curve, 0); // both folds of the branch lie on one curve
    CHECK_NEAR(p->value * p->value, 4.0 * p->also * p->also * p->also / 27.0, 1e-8);
  }
  assert_true(count > 20);
  const carom_atlas_point *cusp = corner(atlas, CAROM_LABEL_FOLD, CAROM_CORNER_CUSP);
  CHECK_NEAR(cusp->value, 0.0, 1e-8);
  CHECK_NEAR(cusp->also, 0.0, 1e-8);
  carom_atlas_destroy(atlas);
  carom_model_destroy(model);
}

// x' = y, y' = p + r y + x^2 + x y (Guckenheimer and Holmes 1983): folds on p = 0; at
// x = -sqrt(-p), y = 0 the trace is r - sqrt(-p) and the determinant 2 sqrt(-p): Hopf on p = -r^2
static double takens_hopf(double r) { return -r * r; }

static void test_takens(void **unused) {
  (void)unused;
  carom_model *model = model_of("title: Bogdanov-Takens\n"
                                "parameters: {p: -1, r: 0.5}\n"
                                "states:\n"
                                "  x: {start: -1, rate: y}\n"
                                "  y: {start: 0, rate: p + r*y + x^2 + x*y}\n"
                                "run: {until: 10}\n");
  carom_atlas *atlas = atlas_of(model, (plane){"p", -1, 0.5, "r", -1, 1}, true);
  assert_true(check_curve(atlas, CAROM_LABEL_HOPF, takens_hopf, -1.0, 1.0) > 5);
  const carom_atlas_point *fold = corner(atlas, CAROM_LABEL_FOLD, CAROM_CORNER_TAKENS),
                          *hopf = corner(atlas, CAROM_LABEL_HOPF, CAROM_CORNER_TAKENS);
  CHECK_NEAR(fold->value, 0.0, 1e-8);
  CHECK_NEAR(fold->also, 0.0, 1e-8);
  CHECK_NEAR(hopf->value, 0.0, 1e-8);
  CHECK_NEAR(hopf->also, 0.0, 1e-8);
  carom_atlas_destroy(atlas);
  carom_model_destroy(model);
}

// two pairs with real parts p and r - p - 0.1, which are both zero at p = 0, r = 0.1
static void test_two_pairs(void **unused) {
  (void)unused;
  carom_model *model = model_of("title: Two pairs\n"
                                "parameters: {p: -1, r: 0.3}\n"
                                "states:\n"
                                "  a: {start: 0, rate: p*a - b}\n"
                                "  b: {start: 0, rate: a + p*b}\n"
                                "  c: {start: 0, rate: (r - p - 0.1)*c - 2*d}\n"
                                "  d: {start: 0, rate: 2*c + (r - p - 0.1)*d}\n"
                                "run: {until: 10}\n");
  carom_atlas *atlas = atlas_of(model, (plane){"p", -1, 1, "r", -1, 1}, true);
  const carom_atlas_point *both = corner(atlas, CAROM_LABEL_HOPF, CAROM_CORNER_HOPF_HOPF);
  CHECK_NEAR(both->value, 0.0, 1e-8);
  CHECK_NEAR(both->also, 0.1, 1e-8);
  carom_atlas_destroy(atlas);
  carom_model_destroy(model);
}

// --- motions with impacts

// of one impact a period (Holmes 1982; Luo and Han 1996)
static double ball_fold(double e) { return PI * (1.0 - e) / (1.0 + e); }

static double ball_flip(double e) {
  double root = 2.0 * (1.0 + e * e) / ((1.0 + e) * (1.0 + e));
  return sqrt(ball_fold(e) * ball_fold(e) + root * root);
}

static void test_ball(void **unused) {
  (void)unused;
  carom_model *model = scenario("ball_on_table.yaml", 0, NULL);
  carom_atlas *atlas = atlas_of(model, (plane){"Gamma", 0.7, 1.3, "e", 0.5, 0.95}, false);
  assert_true(check_curve(atlas, CAROM_LABEL_FLIP, ball_flip, 0.5, 0.95) > 15);
  carom_atlas_destroy(atlas);
  atlas = atlas_of(model, (plane){"Gamma", 0.7, 0.2, "e", 0.5, 0.95}, false);
  assert_true(check_curve(atlas, CAROM_LABEL_FOLD, ball_fold, 0.5, 0.95) > 15);
  carom_atlas_destroy(atlas);
  carom_model_destroy(model);
}

// where the oscillation without a stop just comes to it: its amplitude is the gap
static double gap_of(double omega) {
  double c = 0.05, detuning = 1.0 - omega * omega;
  return 1.0 / sqrt(detuning * detuning + c * c * omega * omega);
}

static void test_graze(void **unused) {
  (void)unused;
  const carom_setting gap = {"G", "0.3"};
  carom_model *model = scenario("impact_oscillator.yaml", 1, &gap);
  carom_atlas *atlas = atlas_of(model, (plane){"omega", 3, 2.08, "G", 0.1, 1}, false);
  int count = 0;
  for (long k = 0; k < carom_atlas_points(atlas); k++) {
    const carom_atlas_point *p = carom_atlas_point_at(atlas, k);
    if (p->kind != CAROM_LABEL_GRAZE) continue;
    CHECK_NEAR(p->also, gap_of(p->value), 1e-8);
    count++;
  }
  assert_true(count > 10);
  carom_atlas_destroy(atlas);
  carom_model_destroy(model);
}

// --- what is refused

static void test_refused(void **unused) {
  (void)unused;
  carom_model *model = scenario("lorenz.yaml", 0, NULL);
  carom_atlas_options options = carom_atlas_options_default();
  carom_atlas *atlas = NULL;
  carom_error error = {0};
  options.branch.model = model;
  options.branch.parameter = "rho";
  options.branch.from = 20;
  options.branch.to = 30;
  options.branch.equilibrium = true;
  options.also = "sigma";
  options.low = 11;
  options.high = 14;
  assert_int_equal(carom_atlas_run(&options, &atlas, &error), CAROM_ERR_INPUT);
  assert_non_null(strstr(error.text, "sigma"));
  options.low = 8;
  options.also = "rho";
  assert_int_equal(carom_atlas_run(&options, &atlas, &error), CAROM_ERR_INPUT);
  options.also = "nothing";
  assert_true(carom_atlas_run(&options, &atlas, &error) < 0);
  assert_null(atlas);
  carom_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lorenz),    cmocka_unit_test(test_cusp), cmocka_unit_test(test_takens),
      cmocka_unit_test(test_two_pairs), cmocka_unit_test(test_ball), cmocka_unit_test(test_graze),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
