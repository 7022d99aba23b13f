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
  // a point costs about three times one of a branch, which takes eight turns
  CHECK((double)carom_atlas_turns(atlas) < 27.0 * (double)carom_atlas_points(atlas));
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

// --- what the coefficients of normal forms say

// r' = p r + (r - 0.2) r^3 - ...: the first Lyapunov coefficient, for an eigenvector of length 1,
// is 2 (r - 0.2)
static void test_bautin(void **unused) {
  (void)unused;
  carom_model *model =
      model_of("title: Bautin\n"
               "parameters: {p: -1, r: -0.5}\n"
               "states:\n"
               "  x: {start: 0.1, rate: p*x - y + (r - 0.2)*x*(x^2 + y^2) - x*(x^2 + y^2)^2}\n"
               "  y: {start: 0, rate: x + p*y + (r - 0.2)*y*(x^2 + y^2) - y*(x^2 + y^2)^2}\n"
               "run: {until: 10}\n");
  carom_atlas *atlas = atlas_of(model, (plane){"p", -1, 1, "r", -1, 1}, true);
  for (long k = 0; k < carom_atlas_points(atlas); k++) {
    const carom_atlas_point *p = carom_atlas_point_at(atlas, k);
    CHECK_NEAR(p->coefficient, 2.0 * (p->also - 0.2), fmax(p->coefficient_error, 1e-8));
    assert_true(p->coefficient_error < 1e-4);
  }
  const carom_atlas_point *found = corner(atlas, CAROM_LABEL_HOPF, CAROM_CORNER_BAUTIN);
  CHECK_NEAR(found->value, 0.0, 1e-8);
  CHECK_NEAR(found->also, 0.2, 1e-8);
  carom_atlas_destroy(atlas);
  carom_model_destroy(model);
}

// beside it the cycles that are born fold: p + (r - 0.2) s - s^2 has a double root s > 0
static double bautin_fold(double r) { return -(r - 0.2) * (r - 0.2) / 4.0; }

// that curve begins at the Bautin point, which alone tells of it: the branches of the scenario, at
// r = -0.5, have no fold
static void test_from_bautin(void **unused) {
  (void)unused;
  carom_model *model = model_of("title: Bautin\n"
                                "parameters: {p: -1, r: -0.5}\n"
                                "define: {s: x^2 + y^2}\n"
                                "states:\n"
                                "  x: {start: 0.1, rate: (p + (r - 0.2)*s - s^2)*x - y}\n"
                                "  y: {start: 0, rate: (p + (r - 0.2)*s - s^2)*y + x}\n"
                                "run: {until: 10}\n");
  carom_atlas_options options = carom_atlas_options_default();
  carom_atlas *atlas = NULL;
  carom_error error = {0};
  options.branch.model = model;
  options.branch.parameter = "p";
  options.branch.from = -1.0;
  options.branch.to = 1.0;
  options.branch.equilibrium = true;
  options.also = "r";
  options.low = -1.0;
  options.high = 1.0;
  options.from_corners = true;
  MUST(carom_atlas_run(&options, &atlas, &error), error);
  assert_true(check_curve(atlas, CAROM_LABEL_FOLD, bautin_fold, 0.25, 1.0) > 10);
  int curves = 0;
  for (long k = 0; k < carom_atlas_points(atlas); k++)
    if (carom_atlas_point_at(atlas, k)->corner == CAROM_CORNER_START) curves++;
  assert_int_equal(curves, 2);
  carom_atlas_destroy(atlas);
  carom_model_destroy(model);
}

// x' = -2 y + x^2 + r x y, y' = 2 x + x y + 0.3 y^3: quadratic terms count too (Guckenheimer and
// Holmes 1983, 3.4.11): the coefficient is (1.8 + r)/16
static void test_bautin_by_squares(void **unused) {
  (void)unused;
  carom_model *model = model_of("title: Bautin\n"
                                "parameters: {p: -1, r: -0.5}\n"
                                "states:\n"
                                "  x: {start: 0, rate: p*x - 2*y + x^2 + r*x*y}\n"
                                "  y: {start: 0, rate: 2*x + p*y + x*y + 0.3*y^3}\n"
                                "run: {until: 10}\n");
  carom_atlas *atlas = atlas_of(model, (plane){"p", -1, 1, "r", -3, 3}, true);
  for (long k = 0; k < carom_atlas_points(atlas); k++) {
    const carom_atlas_point *p = carom_atlas_point_at(atlas, k);
    CHECK_NEAR(p->coefficient, (1.8 + p->also) / 16.0, 1e-8);
  }
  CHECK_NEAR(corner(atlas, CAROM_LABEL_HOPF, CAROM_CORNER_BAUTIN)->also, -1.8, 1e-8);
  carom_atlas_destroy(atlas);
  carom_model_destroy(model);
}

// x' = p + x^2 + y^2 + z^2, (y + i z)' = (r + x + i)(y + i z): folds on p = 0, Hopf points at
// x = -r with p = -r^2, whose coefficient is 1/r; both meet at (0, 0)
static void test_fold_hopf(void **unused) {
  (void)unused;
  carom_model *model = model_of("title: Fold-Hopf\n"
                                "parameters: {p: -1, r: 0.3}\n"
                                "states:\n"
                                "  x: {start: -1, rate: p + x^2 + y^2 + z^2}\n"
                                "  y: {start: 0, rate: (r + x)*y - z}\n"
                                "  z: {start: 0, rate: y + (r + x)*z}\n"
                                "run: {until: 10}\n");
  carom_atlas *atlas = atlas_of(model, (plane){"p", -1, 0.5, "r", -1, 1}, true);
  assert_true(check_curve(atlas, CAROM_LABEL_HOPF, takens_hopf, -1.0, 1.0) > 10);
  const carom_atlas_point *fold = corner(atlas, CAROM_LABEL_FOLD, CAROM_CORNER_FOLD_HOPF),
                          *hopf = corner(atlas, CAROM_LABEL_HOPF, CAROM_CORNER_FOLD_HOPF),
                          *start = corner(atlas, CAROM_LABEL_HOPF, CAROM_CORNER_START);
  CHECK_NEAR(fold->value, 0.0, 1e-8);
  CHECK_NEAR(fold->also, 0.0, 1e-8);
  CHECK_NEAR(hopf->value, 0.0, 1e-8);
  CHECK_NEAR(hopf->also, 0.0, 1e-8);
  CHECK_NEAR(start->coefficient, 1.0 / 0.3, 1e-8);
  carom_atlas_destroy(atlas);
  carom_model_destroy(model);
}

// once a period x - 1 goes to -p (x - 1) + r (x - 1)^2 + c (x - 1)^3: the coefficient is c + r^2
static void test_general_flip(void **unused) {
  (void)unused;
  carom_model *model = model_of("title: A map with a flip\n"
                                "parameters: {p: 0.5, r: 0.2, c: -0.25}\n"
                                "states:\n"
                                "  u: {start: -1, rate: cos(2*pi*t) - u}\n"
                                "  x: {start: 0, rate: 1}\n"
                                "events:\n"
                                "  tick: {when: sin(2*pi*t), direction: rising,\n"
                                "         do: {x: '0 - p*(x - 1) + r*(x - 1)^2 + c*(x - 1)^3'}}\n"
                                "run: {until: 20.5}\n");
  carom_atlas *atlas = atlas_of(model, (plane){"p", 0.5, 1.5, "r", -1, 1}, false);
  int count = 0;
  for (long k = 0; k < carom_atlas_points(atlas); k++) {
    const carom_atlas_point *p = carom_atlas_point_at(atlas, k);
    assert_int_equal(p->kind, CAROM_LABEL_FLIP);
    CHECK_NEAR(p->coefficient, p->also * p->also - 0.25, 1e-7);
    if (p->corner != CAROM_CORNER_GENERAL_FLIP) continue;
    CHECK_NEAR(fabs(p->also), 0.5, 1e-8);
    count++;
  }
  assert_int_equal(count, 2);
  carom_atlas_destroy(atlas);
  carom_model_destroy(model);
}

// the same with a rotation: z goes to p exp(i) z (1 + (r - 0.3) |z|^2)
static void test_chenciner(void **unused) {
  (void)unused;
  carom_model *model = model_of("title: A map with a torus\n"
                                "parameters: {p: 0.5, r: 0.1}\n"
                                "define: {s: 1 + (r - 0.3)*((x - 1)^2 + y^2)}\n"
                                "states:\n"
                                "  u: {start: -1, rate: cos(2*pi*t) - u}\n"
                                "  x: {start: 0, rate: 1}\n"
                                "  y: {start: 0, rate: 0}\n"
                                "events:\n"
                                "  tick: {when: sin(2*pi*t), direction: rising,\n"
                                "         do: {x: 'p*s*(cos(1)*(x - 1) - sin(1)*y)',\n"
                                "              y: 'p*s*(sin(1)*(x - 1) + cos(1)*y)'}}\n"
                                "run: {until: 20.5}\n");
  carom_atlas *atlas = atlas_of(model, (plane){"p", 0.5, 1.5, "r", -1, 1}, false);
  const carom_atlas_point *found = corner(atlas, CAROM_LABEL_TORUS, CAROM_CORNER_CHENCINER);
  CHECK_NEAR(found->value, 1.0, 1e-8);
  CHECK_NEAR(found->also, 0.3, 1e-8);
  CHECK_NEAR(corner(atlas, CAROM_LABEL_TORUS, CAROM_CORNER_START)->coefficient, -0.4, 1e-5);
  carom_atlas_destroy(atlas);
  carom_model_destroy(model);
}

// --- ends of words

// The motion without stops ends where the spring's force at the turning point is that of friction:
// k x0 beta^2 = mu N with Den Hartog's amplitude x0 (1931), so P = mu N |1 - beta^2| sqrt(U^2 +
// 1/beta^4). From the side without stick and from that with it.
static double stick_begins(double beta) {
  double U = sin(PI / beta) / (beta * (1.0 + cos(PI / beta)));
  return 2.0 * fabs(1.0 - beta * beta) * sqrt(U * U + 1.0 / (beta * beta * beta * beta));
}

static void check_stick_boundary(const char *start, double from, double to) {
  const carom_setting force = {"P", start};
  carom_model *model = scenario("den_hartog.yaml", 1, &force);
  carom_atlas *atlas = atlas_of(model, (plane){"P", from, to, "omega", 0.55, 0.85}, false);
  int count = 0;
  for (long k = 0; k < carom_atlas_points(atlas); k++) {
    const carom_atlas_point *p = carom_atlas_point_at(atlas, k);
    if (strcmp(p->name, "crossing-sliding") == 0) {
      CHECK_NEAR(p->value, stick_begins(p->also), 1e-8 * stick_begins(p->also));
      count++;
    } else { // P = mu N: below it nothing moves, and a rest anywhere has no curve, which is told
      CHECK_NEAR(p->value, 2.0, 1e-8);
      assert_true(p->corner != CAROM_CORNER_END || p->why[0] != 0);
    }
  }
  assert_true(count > 8);
  carom_atlas_destroy(atlas);
  carom_model_destroy(model);
}

static void test_den_hartog(void **unused) {
  (void)unused;
  check_stick_boundary("10", 10.0, 2.0);
  check_stick_boundary("3", 3.0, 5.0);
}

// two stops: the oscillation comes to both where both gaps are its amplitude. The flip of the
// motion with one impact meets the graze of the other stop in one place, from either curve.
static void test_two_stops(void **unused) {
  (void)unused;
  carom_model *model =
      model_of("title: Two stops\n"
               "parameters: {omega: 3, G: 0.3, H: 0.5}\n"
               "coordinates: {x: 0}\n"
               "energy: {kinetic: \"x'^2/2\", potential: x^2/2, dissipation: \"0.025*x'^2\"}\n"
               "forces: {x: cos(omega*t)}\n"
               "contacts:\n"
               "  right: {gap: G - x, impact: 0.8}\n"
               "  left: {gap: H + x, impact: 0.8}\n"
               "run: {until: 300*2*pi/omega, period: 2*pi/omega}\n");
  carom_atlas *atlas = atlas_of(model, (plane){"omega", 3, 2, "G", 0.12, 1}, false);
  const carom_atlas_point *flip = corner(atlas, CAROM_LABEL_FLIP, CAROM_CORNER_GRAZE_FLIP),
                          *graze = corner(atlas, CAROM_LABEL_GRAZE, CAROM_CORNER_GRAZE_FLIP);
  CHECK_NEAR(flip->value, graze->value, 1e-8);
  CHECK_NEAR(flip->also, graze->also, 1e-8);
  carom_atlas_destroy(atlas);
  atlas = atlas_of(model, (plane){"omega", 3, 1.5, "G", 0.12, 1}, false);
  bool found = false;
  for (long k = 0; k < carom_atlas_points(atlas); k++) {
    const carom_atlas_point *p = carom_atlas_point_at(atlas, k);
    if (p->corner != CAROM_CORNER_DOUBLE_GRAZE || strcmp(p->word, "F") != 0) continue;
    CHECK_NEAR(p->also, 0.5, 1e-8);
    CHECK_NEAR(gap_of(p->value), 0.5, 1e-8);
    found = true;
  }
  assert_true(found);
  carom_atlas_destroy(atlas);
  carom_model_destroy(model);
}

// Of the oscillator on a belt two curves end where they meet: the impact that ends in stick and not
// in slip, and the phase of stick that lasts no time
static void test_belt(void **unused) {
  (void)unused;
  carom_model *model = scenario("frictional_impact_oscillator.yaml", 0, NULL);
  carom_atlas *atlas = atlas_of(model, (plane){"mu", 0.42, 0.37, "v", -1.5, -0.9}, false);
  const carom_atlas_point *meet[2] = {NULL, NULL};
  for (long k = 0; k < carom_atlas_points(atlas); k++) {
    const carom_atlas_point *p = carom_atlas_point_at(atlas, k);
    if (p->corner != CAROM_CORNER_WORD) continue;
    if (strcmp(p->name, "impact-law") == 0) meet[0] = p;
    if (strcmp(p->name, "grazing-sliding") == 0) meet[1] = p;
  }
  assert_non_null(meet[0]);
  assert_non_null(meet[1]);
  CHECK_NEAR(meet[0]->value, meet[1]->value, 1e-6);
  CHECK_NEAR(meet[0]->also, meet[1]->also, 1e-5);
  carom_atlas_destroy(atlas);
  carom_model_destroy(model);
}

static const carom_atlas_point *first_of(const carom_atlas *atlas, const char *name) {
  for (long k = 0; k < carom_atlas_points(atlas); k++)
    if (strcmp(carom_atlas_point_at(atlas, k)->name, name) == 0)
      return carom_atlas_point_at(atlas, k);
  print_error("no %s\n", name);
  _fail(__FILE__, __LINE__);
  return NULL;
}

// A second spring beyond a gap, from both sides: that which never meets it, and that which bends
// it. The amplitude without it is the gap.
static void test_second_spring(void **unused) {
  (void)unused;
  carom_model *model = model_of("title: Bilinear oscillator\n"
                                "parameters: {g: 0.35, K: 5, omega: 2}\n"
                                "coordinates: {x: 0}\n"
                                "energy: {kinetic: \"x'^2/2\", dissipation: \"0.025*x'^2\",\n"
                                "         potential: \"x^2/2 + K*max(x - g, 0)^2/2\"}\n"
                                "forces: {x: cos(omega*t)}\n"
                                "run: {until: 200*2*pi/omega, period: 2*pi/omega}\n");
  for (int side = 0; side < 2; side++) {
    plane over = {"g", side ? 0.32 : 0.35, side ? 0.35 : 0.32, "omega", 1.9, 2.2};
    carom_atlas *atlas = atlas_of(model, over, false);
    int count = 0;
    for (long k = 0; k < carom_atlas_points(atlas); k++, count++) {
      const carom_atlas_point *p = carom_atlas_point_at(atlas, k);
      assert_string_equal(p->name, "switch");
      CHECK_NEAR(p->value, gap_of(p->also), 1e-8);
    }
    assert_true(count > 3);
    assert_int_equal(carom_atlas_point_at(atlas, 0)->corner, CAROM_CORNER_BOUND);
    carom_atlas_destroy(atlas);
  }
  carom_model_destroy(model);
}

// A block on a belt whose slip comes to nothing once a turn: the curve is the same from the motion
// that sticks for a moment and from the cycle, born at a Hopf point, that never does. That point is
// where friction falls as fast as the dashpot grows: 0.3/a exp(-v/a) = 0.05.
static double belt_hopf(double a) { return a * log(6.0 / a); }

static void test_slip_grazes(void **unused) {
  (void)unused;
  static const char text[] = "title: Belt\n"
                             "parameters: {v: 1.9, a: 0.4}\n"
                             "coordinates: {x: 0}\n"
                             "energy: {kinetic: \"x'^2/2\", potential: x^2/2,\n"
                             "         dissipation: \"0.025*x'^2\"}\n"
                             "contacts:\n"
                             "  belt: {normal: 1, slip: x' - v,\n"
                             "         friction: 0.5 + 0.3*exp(-abs(slip)/a)}\n"
                             "run: {until: 200}\n";
  carom_model *model = model_of(text);
  carom_atlas_options options = carom_atlas_options_default();
  carom_error error = {0};
  carom_atlas *slips = NULL;
  options.branch.model = model;
  options.branch.parameter = "v";
  options.branch.from = 2.0;
  options.branch.to = 0.2;
  options.branch.equilibrium = true;
  options.branch.switches = 1;
  options.also = "a";
  options.low = 0.35;
  options.high = 0.45;
  MUST(carom_atlas_run(&options, &slips, &error), error);
  assert_true(check_curve(slips, CAROM_LABEL_HOPF, belt_hopf, 0.35, 0.45) > 2);
  carom_atlas *sticks = atlas_of(model, (plane){"v", 0.6, 1.99, "a", 0.35, 0.45}, false);
  const carom_atlas_point *a = first_of(slips, "grazing-sliding"),
                          *b = first_of(sticks, "grazing-sliding");
  assert_string_equal(a->word, "-");
  assert_string_equal(b->word, "K -");
  // at the bounds of a, where both go to
  int met = 0;
  for (long j = 0; j < carom_atlas_points(slips); j++)
    for (long k = 0; k < carom_atlas_points(sticks); k++) {
      a = carom_atlas_point_at(slips, j);
      b = carom_atlas_point_at(sticks, k);
      if (strcmp(a->name, b->name) != 0 || fabs(a->also - b->also) > 1e-9) continue;
      CHECK_NEAR(a->value, b->value, 1e-8);
      met++;
    }
  assert_true(met >= 2);
  carom_atlas_destroy(sticks);
  carom_atlas_destroy(slips);
  carom_model_destroy(model);
}

// The flip of the motion with one impact ends on the graze where half a turn of the free swing is a
// half-period of the drive, and an impact changes nothing after a turn: omega = 2 sqrt(1 - c^2/4).
// Beside it the multipliers have no bounds.
static void test_flip_ends_on_graze(void **unused) {
  (void)unused;
  const carom_setting gap = {"G", "0.2"};
  carom_model *model = scenario("impact_oscillator.yaml", 1, &gap);
  for (int side = 0; side < 2; side++) {
    plane over = {"omega", side ? 2.6 : 1.95, side ? 1.95 : 2.6, "G", 0.1, 0.4};
    carom_atlas *atlas = atlas_of(model, over, false);
    const carom_atlas_point *p = corner(atlas, CAROM_LABEL_FLIP, CAROM_CORNER_GRAZE_FLIP);
    CHECK_NEAR(p->value, 2.0 * sqrt(1.0 - 0.25 * 0.05 * 0.05), 1e-8);
    CHECK_NEAR(p->also, gap_of(p->value), 1e-8);
    carom_atlas_destroy(atlas);
  }
  carom_model_destroy(model);
}

// --- one impact a period before a stop: fold and flip by 2x2 algebra

/// A linear flight of one period, and what an impact before a stop at G makes of it.
typedef struct flight {
  double E[4], R, omega, T;
} flight;

static flight flight_of(double omega) {
  double c = 0.05, w = sqrt(1.0 - 0.25 * c * c), T = 2.0 * PI / omega;
  double decay = exp(-0.5 * c * T), s = sin(w * T) / w, k = cos(w * T);
  flight it = {.omega = omega, .T = T, .R = gap_of(omega)};
  it.E[0] = decay * (k + 0.5 * c * s);
  it.E[1] = decay * s;
  it.E[2] = -decay * s;
  it.E[3] = decay * (k - 0.5 * c * s);
  return it;
}

// 1 + tr + det of the turn: zero at a flip. The impact is where the oscillation without a stop is
// at a with speed b; u = G - a solves (G - u)^2 + (b/omega)^2 = R^2 with b proportional to u.
static double flip_of(double omega, double G, int root) {
  flight it = flight_of(omega);
  double e = 0.8, c = 0.05, k0 = (1.0 - it.E[0]) / it.E[1], kT = it.E[2] + it.E[3] * k0;
  double hit = (kT - k0) / (1.0 + e), beta = (hit - kT) / omega;
  double A = 1.0 + beta * beta, C = G * G - it.R * it.R, D = G * G - A * C;
  double u = (G + (root ? 1.0 : -1.0) * sqrt(D)) / A, v = hit * u, a = G - u, b = beta * omega * u;
  double force = -omega * omega * a + c * b + a;
  double before = force - c * v - G, after = force + c * e * v - G;
  double S = (e * before + after) / v; // the impact: x to -e x, x' to -e x' + S x
  double trace = -e * it.E[0] + S * it.E[1] - e * it.E[3];
  return 1.0 + trace + e * e * exp(-c * it.T);
}

static double clearance_of_flip(double omega, double near) {
  for (int root = 0; root < 2; root++) {
    double G = near, h = 1e-7;
    for (int k = 0; k < 20; k++) {
      double f = flip_of(omega, G, root);
      G -= f * 2.0 * h / (flip_of(omega, G + h, root) - flip_of(omega, G - h, root));
    }
    if (fabs(G - near) < 1e-3) return G;
  }
  return NAN;
}

static void test_stop(void **unused) {
  (void)unused;
  carom_model *model = scenario("impact_oscillator.yaml", 0, NULL);
  carom_atlas *atlas = atlas_of(model, (plane){"omega", 2.4, 3.2, "G", -0.5, 0.15}, false);
  int count = 0;
  for (long k = 0; k < carom_atlas_points(atlas); k++) {
    const carom_atlas_point *p = carom_atlas_point_at(atlas, k);
    if (p->kind != CAROM_LABEL_FLIP) continue;
    CHECK_NEAR(p->also, clearance_of_flip(p->value, p->also), 1e-8);
    count++;
  }
  assert_true(count > 10);
  carom_atlas_destroy(atlas);
  carom_model_destroy(model);
}

// the fold of that motion: both roots for u are one
static double clearance_of_fold(double omega) {
  flight it = flight_of(omega);
  double k0 = (1.0 - it.E[0]) / it.E[1], kT = it.E[2] + it.E[3] * k0;
  double beta = ((kT - k0) / 1.8 - kT) / omega;
  return it.R * sqrt(1.0 + 1.0 / (beta * beta));
}

// Above omega = 2 the motion with one impact ends in a graze, below in a fold: that curve begins
// where the flip ends on the graze, and branches at G = 0.2 do not meet it.
static void test_from_graze(void **unused) {
  (void)unused;
  const carom_setting clearance = {"G", "0.2"};
  carom_model *model = scenario("impact_oscillator.yaml", 1, &clearance);
  carom_atlas_options options = carom_atlas_options_default();
  carom_atlas *atlas = NULL;
  carom_error error = {0};
  options.branch.model = model;
  options.branch.parameter = "omega";
  options.branch.from = 2.6;
  options.branch.to = 1.9;
  options.also = "G";
  options.low = 0.1;
  options.high = 0.4;
  options.from_corners = true;
  MUST(carom_atlas_run(&options, &atlas, &error), error);
  int folds = 0;
  for (long k = 0; k < carom_atlas_points(atlas); k++) {
    const carom_atlas_point *p = carom_atlas_point_at(atlas, k);
    if (p->kind != CAROM_LABEL_FOLD || strcmp(p->word, "F I") != 0) continue;
    CHECK_NEAR(p->also, clearance_of_fold(p->value), 1e-8);
    folds++;
  }
  assert_true(folds > 10);
  const carom_atlas_point *end = corner(atlas, CAROM_LABEL_FOLD, CAROM_CORNER_GRAZE_FOLD);
  CHECK_NEAR(end->value, 2.0 * sqrt(1.0 - 0.25 * 0.05 * 0.05), 1e-7);
  carom_atlas_destroy(atlas);
  carom_model_destroy(model);
}

// The relief valve of Licsko, Champneys and Hos (2009), open at rest: y sqrt(y + d) = q, and
// Routh's criterion for l^3 + (k + a) l^2 + (1 + k a) l + a + c with a = b y/(2 s), c = b s, s =
// sqrt(y + d)
static double valve_damping(double q) {
  double y = 1.0, d = 10.0, b = 20.0;
  for (int round = 0; round < 50; round++) {
    double s = sqrt(y + d);
    y -= (y * s - q) / (s + 0.5 * y / s);
  }
  double s = sqrt(y + d), a = 0.5 * b * y / s, c = b * s;
  // (k + a)(1 + k a) = a + c: a k^2 + (1 + a^2) k - c = 0
  return (sqrt((1.0 + a * a) * (1.0 + a * a) + 4.0 * a * c) - 1.0 - a * a) / (2.0 * a);
}

static void test_valve(void **unused) {
  (void)unused;
  const carom_setting flow = {"q", "10"};
  carom_model *model = scenario("relief_valve.yaml", 1, &flow);
  carom_atlas *atlas = atlas_of(model, (plane){"q", 10, 5, "k", 1, 2}, true);
  int count = 0;
  for (long k = 0; k < carom_atlas_points(atlas); k++) {
    const carom_atlas_point *p = carom_atlas_point_at(atlas, k);
    if (p->kind != CAROM_LABEL_HOPF) continue;
    CHECK_NEAR(p->also, valve_damping(p->value), 1e-8);
    count++;
  }
  assert_true(count > 10);
  carom_atlas_destroy(atlas);
  carom_model_destroy(model);
}

// --- what is refused

// x' = (p - r) x - x^3 has a pitchfork at p = r, which has no curve: that is told, with the place
static void test_crossing_is_told(void **unused) {
  (void)unused;
  carom_model *model = model_of("title: Pitchfork\n"
                                "parameters: {p: -1, r: 0.2}\n"
                                "states:\n"
                                "  x: {start: 0, rate: (p - r)*x - x^3}\n"
                                "run: {until: 10}\n");
  carom_atlas *atlas = atlas_of(model, (plane){"p", -1, 1, "r", -0.5, 0.5}, true);
  assert_int_equal(carom_atlas_points(atlas), 1);
  const carom_atlas_point *p = carom_atlas_point_at(atlas, 0);
  assert_int_equal(p->kind, CAROM_LABEL_CROSSING);
  CHECK_NEAR(p->value, 0.2, 1e-8);
  CHECK_NEAR(p->also, 0.2, 0.0);
  assert_non_null(strstr(p->why, "symmetry"));
  carom_atlas_destroy(atlas);
  carom_model_destroy(model);
}

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
      cmocka_unit_test(test_lorenz),
      cmocka_unit_test(test_cusp),
      cmocka_unit_test(test_takens),
      cmocka_unit_test(test_two_pairs),
      cmocka_unit_test(test_ball),
      cmocka_unit_test(test_graze),
      cmocka_unit_test(test_bautin),
      cmocka_unit_test(test_bautin_by_squares),
      cmocka_unit_test(test_from_bautin),
      cmocka_unit_test(test_fold_hopf),
      cmocka_unit_test(test_general_flip),
      cmocka_unit_test(test_chenciner),
      cmocka_unit_test(test_den_hartog),
      cmocka_unit_test(test_two_stops),
      cmocka_unit_test(test_belt),
      cmocka_unit_test(test_second_spring),
      cmocka_unit_test(test_slip_grazes),
      cmocka_unit_test(test_flip_ends_on_graze),
      cmocka_unit_test(test_stop),
      cmocka_unit_test(test_from_graze),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_valve),
      cmocka_unit_test(test_crossing_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
