// SPDX-License-Identifier: MIT
// Roots whose base a branch holds above zero: orifices, tanks, Hertz' springs; and jumps that pile
// up.
#include "motion.h"

#define PASSES(m)                                                                                  \
  do {                                                                                             \
    assert_int_equal(motion_run(&(m)), CAROM_OK);                                                  \
    CHECK(certificate_of(&(m)).passed);                                                            \
  } while (0)

// x'' = -sign(x) sqrt|x| from rest at 1 has the period 4 sqrt(3/4) 2/3 B(2/3, 1/2), as a force and
// by its potential
static void oscillator(void **state) {
  (void)state;
  static const char *const law[] = {"forces: {x: -sqrt(abs(x))*sign(x)}\n"
                                    "energy: {kinetic: x'^2/2}\n",
                                    "energy: {kinetic: x'^2/2, potential: 2/3*abs(x)^1.5}\n"};
  for (int k = 0; k < 2; k++) {
    char text[300];
    (void)snprintf(text, sizeof text, "coordinates: {x: 1}\n%srun: {until: 5.974673601777495}\n",
                   law[k]);
    motion m = motion_parse(text);
    PASSES(m);
    CHECK_NEAR(value_of(&m, "x"), 1.0, 1e-8);
    CHECK_NEAR(value_of(&m, "x'"), 0.0, 1e-8);
    CHECK(certificate_of(&m).counts.switches == 2);
    motion_end(&m);
  }
}

// Hertz' spring k (-y)^(3/2) throws a mass of 1 back with the speed v = 1 it came with, after
// 2 y_m/v 2/5 B(2/5, 1/2) with y_m = (5 v^2/(4 k))^(2/5)
static void spring_of_hertz(void **state) {
  (void)state;
  motion m = motion_parse("coordinates: {y: {start: 1, rate: -1}}\n"
                          "energy: {kinetic: y'^2/2, potential: 'if(y < 0, 400*(-y)^2.5, 0)'}\n"
                          "run: {until: 2}\n");
  PASSES(m);
  CHECK_NEAR(value_of(&m, "y"), 1.0 - 0.203046203684, 1e-9);
  CHECK_NEAR(value_of(&m, "y'"), 1.0, 1e-9);
  motion_end(&m);
}

// x' = -cbrt(x) is at rest from 3/2 x0^(2/3) on, x^(2/3) = x0^(2/3) - 2/3 t before: behind that the
// slope of the cube root has no bounds, and steps of 1e-8 were made for ever
static void cube_root(void **state) {
  (void)state;
  static const char *const rates[] = {"-cbrt(x)", "-sign(x)*cbrt(abs(x))"};
  for (int k = 0; k < 4; k++) {
    char text[200];
    double start = k % 2 ? -2.0 : 2.0;
    (void)snprintf(text, sizeof text, "states: {x: {start: %g, rate: \"%s\"}}\nrun: {until: 5}\n",
                   start, rates[k / 2]);
    motion m = motion_parse(text);
    motion_advance(&m, 2.0);
    CHECK_NEAR(value_of(&m, "x"), copysign(pow(pow(2.0, 2.0 / 3) - 4.0 / 3, 1.5), start), 1e-9);
    PASSES(m);
    CHECK_NEAR(value_of(&m, "x"), 0.0, 1e-12);
    CHECK(certificate_of(&m).counts.steps < 1000);
    motion_end(&m);
  }
}

// a tank runs empty, h = (1 - t/4)^2, and stays so; the orifice of a valve shuts at its pressure p0
static void tanks(void **state) {
  (void)state;
  motion m = motion_parse(
      "parameters: {p0: 1, rho: 2}\n"
      "states:\n"
      "  h: {start: 1, rate: '-0.5*sqrt(max(h, 0))'}\n"
      "  p: {start: 3, rate: '0.4*cos(t) - if(p > p0 and t > 0, sqrt(2*(p - p0)/rho), 0)'}\n"
      "sections: {half: h - 0.25, shut: 'p - p0'}\n"
      "run: {until: 12}\n"
      "observe: {half: 'at(half, t)', shuts: count(shut), lowest: min(p)}\n");
  PASSES(m);
  CHECK_NEAR(value_of(&m, "half"), 2.0, 1e-9);
  CHECK_NEAR(value_of(&m, "h"), 0.0, 1e-9);
  CHECK(value_of(&m, "shuts") >= 2.0 && value_of(&m, "lowest") < 1.0);
  motion_end(&m);
}

// acos of what min and max clamp: the angle falls from pi to 0 and stays, its integral is
// 3/2 pi; the second one starts on its bound, and has the integral of asin(exp(-t))
static void clamped_angle(void **state) {
  (void)state;
  motion m = motion_parse("states:\n"
                          "  a: {start: 0, rate: 'acos(max(-1, min(1, t - 1.5)))'}\n"
                          "  b: {start: 0, rate: 'asin(min(exp(-t), 1))'}\n"
                          "run: {until: 3, rtol: 1e-12}\n");
  PASSES(m);
  CHECK_NEAR(value_of(&m, "a"), 1.5 * PI, 1e-9);
  CHECK_NEAR(value_of(&m, "b"), 1.03899911609033, 1e-9);
  motion_end(&m);
}

// what no branch holds above zero stays an error where it is not
static void negative_bases(void **state) {
  (void)state;
  static const char *const rate[] = {"-0.5*sqrt(x)", "if(t > 1, sqrt(x - 2), 0)",
                                     "if(x > 0, sqrt(x - 2*t), 0)",
                                     "1 - 2*sqrt(if(t > 1, x - 4, 1))"};
  for (int k = 0; k < 4; k++) {
    char text[200];
    (void)snprintf(text, sizeof text, "states: {x: {start: 1, rate: \"%s\"}}\nrun: {until: 6}\n",
                   rate[k]);
    carom_model *model = NULL;
    carom_error error = {0};
    MUST(carom_model_parse(text, NULL, 0, NULL, &model, &error), error);
    carom_simulation *simulation = NULL;
    carom_status status = carom_simulation_create(model, &simulation, &error);
    if (status == CAROM_OK) status = carom_simulation_run(simulation, &error);
    if (status >= 0 || !strstr(error.text, "is not finite"))
      fail_msg("%s: %d, '%s'", rate[k], (int)status, error.text);
    carom_simulation_destroy(simulation);
    carom_model_destroy(model);
  }
}

// Twisting (Levant 1993), x'' = -3 sign(x) - sign(x'): halves of its turns are half as far as those
// before, and it rests after finite time.
static void twisting(void **state) {
  (void)state;
  motion m = motion_parse("coordinates: {x: 1}\n"
                          "energy: {kinetic: x'^2/2}\n"
                          "forces: {x: -3*sign(x) - sign(x')}\n"
                          "run: {until: 7}\n");
  double far = 1.0, rest = 0.0;
  for (int k = 0; k < 100; k++, far *= 0.5)
    rest += 2.0 * sqrt(far) * (0.5 + 0.25);
  motion_advance(&m, rest - 0.1);
  CHECK(fabs(value_of(&m, "x")) + fabs(value_of(&m, "x'")) > 1e-3);
  motion_advance(&m, rest + 1e-5);
  CHECK_NEAR(value_of(&m, "x"), 0.0, 1e-15);
  PASSES(m);
  CHECK_NEAR(value_of(&m, "x"), 0.0, 1e-15);
  CHECK_NEAR(value_of(&m, "x'"), 0.0, 1e-15);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(oscillator),    cmocka_unit_test(spring_of_hertz),
      cmocka_unit_test(cube_root),     cmocka_unit_test(tanks),
      cmocka_unit_test(clamped_angle), cmocka_unit_test(negative_bases),
      cmocka_unit_test(twisting)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
