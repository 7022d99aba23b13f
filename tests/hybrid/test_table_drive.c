// SPDX-License-Identifier: MIT
// A mass on a spring whose foot follows a table, against the analytic response.
#include "motion.h"

#include <complex.h>

typedef double complex number;

// x'' + 2 d x' + w^2 x = 0 from (x0, v0) after time t: value and rate
static void free_swing(double w, double d, double t, double *x, double *v) {
  double wd = sqrt(w * w - d * d);
  number root = -d + I * wd, amplitude = *x - I * (*v + d * *x) / wd;
  number z = amplitude * cexp(root * t);
  *x = creal(z);
  *v = creal(root * z);
}

static const double MASS = 2.0, STIFFNESS = 200.0, DAMPER = 1.0;

// The record is h/2 (1 - cos W t), W = 2 pi, for one second: forced part by the transfer function
// (w^2 + 2 i d W)/(w^2 - W^2 + 2 i d W), the rest swings freely.
static void bump_response(double t, double *x, double *v) {
  double w = sqrt(STIFFNESS / MASS), d = DAMPER / (2.0 * MASS), W = 2.0 * PI, h = 0.01;
  number transfer = (w * w + 2.0 * I * d * W) / (w * w - W * W + 2.0 * I * d * W);
  double inside = t < 1.0 ? t : 1.0;
  double x0 = -(h / 2.0 - h / 2.0 * creal(transfer)), v0 = h / 2.0 * creal(I * W * transfer);
  free_swing(w, d, inside, &x0, &v0);
  number phase = cexp(I * W * inside);
  *x = x0 + h / 2.0 - h / 2.0 * creal(transfer * phase);
  *v = v0 - h / 2.0 * creal(I * W * transfer * phase);
  if (t > 1.0) free_swing(w, d, t - 1.0, x, v);
}

static void record_of_a_bump(void **state) {
  (void)state;
  motion m = motion_load("spring_mass_table", NULL);
  for (double t = 0.25; t <= 10.0; t += 0.25) {
    double x, v;
    assert_int_equal(motion_advance(&m, t), CAROM_OK);
    bump_response(t, &x, &v);
    // a hundred lines per bump know it to about 1e-5 of its height
    CHECK_NEAR(value_of(&m, "x"), x, 1e-5 * 0.01);
    CHECK_NEAR(value_of(&m, "x'"), v, 2e-4 * 0.01);
  }
  // what the moving foot gave is in the damper or still swings
  carom_certificate c = certificate_of(&m);
  CHECK(c.passed);
  CHECK_NEAR(c.energy.work_drives, c.energy.lost_dampers + c.energy.kinetic + c.energy.potential,
             1e-6 * c.energy.lost_dampers);
  CHECK_NEAR(c.energy.kinetic + c.energy.potential, value_of(&m, "left_at_end"), 1e-12);
  motion_end(&m);
}

// a straight table is exact between its points; at its ends the foot's speed jumps
static void straight_record(void **state) {
  (void)state;
  carom_model *model = NULL;
  carom_error error = {0};
  MUST(carom_model_parse("parameters: {m: 2, k: 200, c: 1}\n"
                         "coordinates: {x: 0}\n"
                         "define: {foot: 'table(\"ramp.csv\", t)'}\n"
                         "energy:\n"
                         "  kinetic: m/2*x'^2\n"
                         "  potential: k/2*(x - foot)^2\n"
                         "  dissipation: c/2*(x' - foot')^2\n"
                         "run: {until: 4, rtol: 1e-11}\n",
                         CAROM_SOURCE_DIR "/tests/hybrid/straight.yaml", 0, NULL, &model, &error),
       error);
  motion m = motion_of(model);
  assert_int_equal(motion_run(&m), CAROM_OK);
  // relative to the ramp the mass starts at rest below it; relative to the stop it comes with what
  // is left
  double w = sqrt(STIFFNESS / MASS), d = DAMPER / (2.0 * MASS), speed = 0.01;
  double x = 0.0, v = -speed;
  free_swing(w, d, 1.0, &x, &v);
  v += speed;
  free_swing(w, d, 3.0, &x, &v);
  CHECK_NEAR(value_of(&m, "x"), 0.01 + x, 1e-9 * 0.01);
  CHECK_NEAR(value_of(&m, "x'"), v, 1e-8 * 0.01);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(record_of_a_bump),
      cmocka_unit_test(straight_record),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
