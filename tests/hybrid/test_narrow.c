// SPDX-License-Identifier: MIT
// Forces narrower than a step, which error control steps over: energy tells the speed behind them,
// a quadrature the time that passing takes.
#include "motion.h"

#include <math.h>

typedef double (*well_shape)(double z);
static double gauss(double z) { return exp(-z * z); }
static double quartic(double z) { return exp(-z * z * z * z); }
static double sextic(double z) { return exp(-z * z * z * z * z * z); }
static double peak(double z) { return exp(-fabs(z)); }
static double lorentz(double z) { return 1.0 / (1.0 + z * z); }
static double plateau(double z) { return 0.5 * (tanh(z) - tanh(z - 3.0)); }

// int of 1/v - 1/v0 over [lo, hi] in z, v^2 = v0^2 - 2 D (shape(z) - shape(z0)): Simpson's rule
static double delay_over(double lo, double hi, double z0, double D, well_shape shape) {
  enum { PARTS = 400 };
  double step = (hi - lo) / PARTS, sum = 0.0;
  for (int k = 0; k <= PARTS; k++) {
    double weight = k == 0 || k == PARTS ? 1.0 : k % 2 ? 4.0 : 2.0;
    double rise = 2.0 * D * (shape(lo + k * step) - shape(z0));
    sum += weight * (1.0 / sqrt(1.0 - rise) - 1.0);
  }
  return step / 3.0 * sum;
}

// The time from 0 to 10 through V(x) = D shape((x - at)/w), with the speed 1 at 0: the parts that
// the rule is used on become longer with the distance from the well.
static double passage(double at, double D, double w, well_shape shape) {
  double z0 = -at / w, z1 = (10.0 - at) / w, delay = 0.0;
  for (double z = 0.0, next; z < z1; z = next) {
    next = fmin(z < 12.0 ? z + 1.0 : 1.2 * z, z1);
    delay += delay_over(z, next, z0, D, shape);
  }
  for (double z = 0.0, next; z > z0; z = next) {
    next = fmax(z > -12.0 ? z - 1.0 : 1.2 * z, z0);
    delay += delay_over(next, z, z0, D, shape);
  }
  return 10.0 + w * delay;
}

static void check_passage(const char *potential, double at, double D, double w, well_shape shape) {
  char text[600];
  (void)snprintf(text, sizeof text,
                 "parameters: {a: %.17g, w: %.17g, D: %.17g}\n"
                 "coordinates: {x: {start: 0, rate: 1}}\ndefine: {z: (x - a)/w}\n"
                 "energy: {kinetic: \"x'^2/2\", potential: \"%s\"}\nstop: {there: x >= 10}\n"
                 "run: {until: 30}\n",
                 at, w, D, potential);
  motion m = motion_parse(text);
  assert_int_equal(motion_run(&m), CAROM_STOP_EVENT);
  double rise = 2.0 * D * (shape((10.0 - at) / w) - shape(-at / w));
  CHECK_NEAR(value_of(&m, "x'"), sqrt(1.0 - rise), 1e-9);
  CHECK_NEAR(carom_simulation_time(m.simulation), passage(at, D, w, shape), 2e-9);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// Exponentials that are no numbers where a series begins among them: z^4 and z^6 are beyond 745
// soon. Where the well lies on its step is chance, so that several places are tried.
static void wells_and_bumps(void **state) {
  (void)state;
  static const struct {
    const char *potential;
    well_shape shape;
  } families[] = {{"D*exp(-z^2)", gauss},   {"D*exp(-z^4)", quartic},
                  {"D*exp(-z^6)", sextic},  {"D*exp(-abs(z))", peak},
                  {"D/(1 + z^2)", lorentz}, {"D/2*(tanh(z) - tanh(z - 3))", plateau}};
  static const double widths[] = {0.1, 0.02, 0.005, 1e-3, 3e-4, 1e-5};
  static const double places[] = {3.0, 6.2, 8.37}, depths[] = {-0.14, 0.25, -1.0};
  for (int f = 0; f < 6; f++)
    for (int k = 0; k < 6; k++)
      for (int j = 0; j < 9; j++)
        check_passage(families[f].potential, places[j / 3], depths[j % 3], widths[k],
                      families[f].shape);
}

// a blow of unit impulse at t = 3 on a body that flies, and on one that a floor carries
static void blows(void **state) {
  (void)state;
  static const char *const heads[] = {
      "coordinates: {x: {start: 0, rate: 1}}\nenergy: {kinetic: \"x'^2/2\"}\n",
      "coordinates: {x: {start: 0, rate: 1}, y: 0}\n"
      "energy: {kinetic: \"x'^2/2 + y'^2/2\", potential: 9.81*y}\ncontacts: {floor: {gap: y, "
      "impact: "
      "0}}\n"};
  static const char *const widths[] = {"0.1", "0.01", "1e-3", "1e-5"};
  char text[600];
  for (int k = 0; k < 8; k++) {
    (void)snprintf(text, sizeof text,
                   "parameters: {w: %s}\n%sforces: {x: exp(-((t - 3)/w)^2)/(w*sqrt(pi))}\n"
                   "run: {until: 10}\n",
                   widths[k / 2], heads[k % 2]);
    motion m = motion_parse(text);
    assert_int_equal(motion_run(&m), CAROM_OK);
    CHECK_NEAR(value_of(&m, "x'"), 2.0, 1e-9);
    CHECK_NEAR(value_of(&m, "x"), 17.0, 1e-8);
    CHECK(certificate_of(&m).passed);
    motion_end(&m);
  }
}

// Friction as narrow as that: a rough patch on the floor, and a brake that is pressed for a moment.
// A block that sets off with 2 stops where all its energy is used up; one with 4 has lost mu N t
// and 1.
static void rough_patches_and_brakes(void **state) {
  (void)state;
  static const double widths[] = {0.03, 0.01, 1e-3, 1e-5};
  char text[600];
  for (int k = 0; k < 4; k++) {
    double w = widths[k];
    (void)snprintf(text, sizeof text,
                   "parameters: {w: %g}\n"
                   "coordinates: {x: {start: 0, rate: 2}, y: 0, z: {start: 0, rate: 4}}\n"
                   "energy: {kinetic: \"(x'^2 + y'^2 + z'^2)/2\", potential: 10*y}\n"
                   "contacts:\n"
                   "  floor: {gap: y, slip: x', friction: \"0.1 + 0.9*exp(-((x - 0.5)/w)^2)\"}\n"
                   "  brake: {normal: \"1 + 10*exp(-((t - 3)/w)^2)/(w*sqrt(pi))\", slip: z', "
                   "friction: 0.1}\n"
                   "run: {until: 10}\n",
                   w);
    motion m = motion_parse(text);
    assert_int_equal(motion_run(&m), CAROM_OK);
    CHECK_NEAR(value_of(&m, "x"), 2.0 - 9.0 * w * sqrt(PI), 1e-8);
    CHECK_NEAR(value_of(&m, "z'"), 2.0, 1e-8);
    CHECK(certificate_of(&m).passed);
    motion_end(&m);
  }
}

// by how much a body with speed 1 is late behind a hill of height h and width w, g = 10
static double time_over_hill(double h, double w) {
  double sum = 0.0;
  int parts = 4000;
  for (int k = 0; k <= parts; k++) {
    double z = -8.0 + 16.0 * k / parts, y = h * exp(-z * z), slope = -2.0 * z * y / w;
    double late = sqrt((1.0 + slope * slope) / (1.0 - 20.0 * y)) - 1.0;
    sum += (k == 0 || k == parts ? 1.0 : k % 2 ? 4.0 : 2.0) * late;
  }
  return sum * 16.0 * w / parts / 3.0;
}

// A hill in a wire, and a lower one in a floor that the body keeps in touch with: the surface is no
// force, and was stepped over.
static void surfaces(void **state) {
  (void)state;
  static const double widths[] = {0.05, 0.01, 1e-3, 1e-4};
  char text[600];
  for (int k = 0; k < 8; k++) {
    bool wire = k % 2;
    double w = widths[k / 2], h = wire ? 0.25 * w : 0.4 * w * w;
    (void)snprintf(text, sizeof text,
                   "parameters: {w: %g, h: %g}\n"
                   "coordinates: {x: {start: 0, rate: 1}, y: 0}\n"
                   "energy: {kinetic: \"(x'^2 + y'^2)/2\", potential: 10*y}\n"
                   "%s\"y - h*exp(-((x - 2)/w)^2)\"%s\n"
                   "run: {until: 4}\nobserve: {top: max(y)}\n",
                   w, h,
                   wire ? "constraints: {wire: " : "contacts: {floor: {gap: ", wire ? "}" : "}}");
    motion m = motion_parse(text);
    assert_int_equal(motion_run(&m), CAROM_OK);
    CHECK_NEAR(value_of(&m, "x"), 4.0 - time_over_hill(h, w), 1e-9);
    CHECK_NEAR(value_of(&m, "top"), h, 1e-9 * h + 1e-13);
    CHECK(certificate_of(&m).passed);
    motion_end(&m);
  }
}

// x' = exp(-z^2)/(w sqrt(pi)), a state of first order that jumps by one
static void rate_of_a_state(void **state) {
  (void)state;
  motion m = motion_parse("parameters: {w: 1e-4}\nstates: {x: {start: 0, rate: exp(-((t - 4)/w)^2)"
                          "/(w*sqrt(pi))}}\nrun: {until: 9}\n");
  assert_int_equal(motion_run(&m), CAROM_OK);
  CHECK_NEAR(value_of(&m, "x"), 1.0, 1e-9);
  motion_end(&m);
}

// A blow given by points, two milliseconds long: each side of the peak is a cubic that is flat at
// both ends, whose mean is half the peak, so that the impulse is 1. The first step that meets it is
// one that was made shorter.
static void blow_by_points(void **state) {
  (void)state;
  carom_model *model = NULL;
  carom_error error = {0};
  MUST(carom_model_parse("coordinates: {x: {start: 0, rate: 1}}\n"
                         "energy: {kinetic: \"x'^2/2\"}\n"
                         "forces: {x: 'table(\"blow.csv\", t)'}\nrun: {until: 10}\n",
                         CAROM_SOURCE_DIR "/tests/hybrid/blow.yaml", 0, NULL, &model, &error),
       error);
  motion m = motion_of(model);
  assert_int_equal(motion_run(&m), CAROM_OK);
  CHECK_NEAR(value_of(&m, "x'"), 2.0, 1e-9);
  CHECK_NEAR(value_of(&m, "x"), 10.0 + 5.999, 1e-8);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wells_and_bumps), cmocka_unit_test(rough_patches_and_brakes),
      cmocka_unit_test(surfaces),        cmocka_unit_test(blows),
      cmocka_unit_test(rate_of_a_state), cmocka_unit_test(blow_by_points)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
