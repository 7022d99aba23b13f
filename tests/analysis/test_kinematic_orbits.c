// SPDX-License-Identifier: MIT
// Periodic motions and exponents of a body with quaternions: the length of the quaternion is no
// direction of the motion, and volume shrinks as damping tells (Liouville).
#include "hybrid/motion.h"

#include "carom/lyapunov.h"
#include "carom/orbit.h"
#include "results.h"

// a damped body in a field that holds its attitude, driven about two of its axes
static const char DRIVEN[] =
    "title: driven body\n"
    "parameters: {g: 9.81, I1: 1.1, I3: 0.1, c: 0.2, tilt: 2.5, M: 1}\n"
    "coordinates: {e0: cos(tilt/2), e1: sin(tilt/2), e2: 0, e3: 0}\n"
    "speeds: {wx: 0.1, wy: 0.2, wz: 0.3}\n"
    "rates:\n"
    "  e0: -(e1*wx + e2*wy + e3*wz)/2\n"
    "  e1: (e0*wx + e2*wz - e3*wy)/2\n"
    "  e2: (e0*wy + e3*wx - e1*wz)/2\n"
    "  e3: (e0*wz + e1*wy - e2*wx)/2\n"
    "invariants: {length: e0^2 + e1^2 + e2^2 + e3^2 - 1}\n"
    "energy:\n"
    "  kinetic: I1/2*(wx^2 + wy^2) + I3/2*wz^2\n"
    "  potential: g*(e0^2 - e1^2 - e2^2 + e3^2) + 2*(e0^2 + e1^2 - e2^2 - e3^2)\n"
    "  dissipation: c/2*(wx^2 + wy^2 + wz^2)\n"
    "forces: {wx: M*cos(2*t), wy: M*sin(2*t)}\n"
    "run: {until: 200}\n";
static const double DAMPING = 0.2 * (2.0 / 1.1 + 1.0 / 0.1);

static void multipliers_of_a_body(void **state) {
  (void)state;
  motion m = motion_parse(DRIVEN);
  carom_orbit_options options = carom_orbit_options_default();
  carom_orbit_view orbit;
  carom_error error = {0};
  options.model = m.model;
  MUST(find_orbit(&options, &orbit, &error), error);
  CHECK_NEAR(orbit.period, PI, 1e-12);
  assert_int_equal(orbit.kind, CAROM_ORBIT_STABLE);
  assert_int_equal(orbit.floquet.count, 6);
  double re = 1.0, im = 0.0;
  for (int k = 0; k < 6; k++) {
    double a = orbit.floquet.re[k], b = orbit.floquet.im[k], was = re;
    re = re * a - im * b;
    im = was * b + im * a;
  }
  CHECK_RELATIVE(re, exp(-DAMPING * PI), 1e-8);
  motion_end(&m);
}

static void exponents_of_a_body(void **state) {
  (void)state;
  motion m = motion_parse(DRIVEN);
  carom_lyapunov_options options = carom_lyapunov_options_default();
  carom_lyapunov *found = NULL;
  carom_error error = {0};
  options.model = m.model;
  MUST(carom_lyapunov_run(&options, &found, &error), error);
  const carom_lyapunov_view *view = carom_lyapunov_look(found);
  double sum = 0.0;
  assert_int_equal(view->count, 6);
  for (int k = 0; k < 6; k++)
    sum += view->exponents[k];
  CHECK_NEAR(sum, -DAMPING, 1e-8);
  carom_lyapunov_destroy(found);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(multipliers_of_a_body),
                                     cmocka_unit_test(exponents_of_a_body)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
