// SPDX-License-Identifier: MIT
// Periodic motions with contacts in space: multipliers, exponents and branches of a block on a
// table that moves in a circle, by closed form; a motion along a line against the plane.
#include "branch_help.h"
#include "results.h"

// With velocities in the plane as complex numbers, v' = -mu g (v - V)/|v - V| and V = U e^(iwt)
// have the solution v = c e^(iwt), |c| = mu g/w, at right angles to its slip, whose speed is r with
// r^2 = U^2 - |c|^2. In the turning frame a small deviation obeys
//   along' = w across,  across' = -w along - (mu g/r) across.
static const char CIRCLE[] =
    "title: block on a table that moves in a circle\n"
    "parameters: {g: 9.81, mu: 0.3, A: 0.1, w: 8}\n"
    "coordinates: {x: {start: 0, rate: 0.1}, y: {start: 0, rate: 0.3}, z: 0}\n"
    "energy: {kinetic: (x'^2 + y'^2 + z'^2)/2, potential: g*z}\n"
    "contacts:\n"
    "  floor:\n"
    "    gap: z\n"
    "    slip: [x' + A*w*sin(w*t), y' - A*w*cos(w*t)]\n"
    "    friction: mu\n"
    "run: {until: 40*2*pi/w, rtol: 1e-11}\n";

static double relaxation(double mu) {
  double c = mu * 9.81 / 8.0;
  return mu * 9.81 / sqrt(0.8 * 0.8 - c * c);
}

// e^(lambda T) with lambda^2 + c lambda + w^2 = 0
static void multiplier_of(double mu, double *re, double *im) {
  double c = relaxation(mu), T = 2.0 * PI / 8.0, turn = 64.0 - 0.25 * c * c;
  *re = exp(-0.5 * c * T) * (turn > 0.0 ? cos(sqrt(turn) * T) : exp(sqrt(-turn) * T));
  *im = turn > 0.0 ? fabs(exp(-0.5 * c * T) * sin(sqrt(turn) * T)) : 0.0;
}

static void test_circle(void **unused) {
  (void)unused;
  motion m = motion_parse(CIRCLE);
  carom_orbit_options options = carom_orbit_options_default();
  carom_orbit_view orbit;
  carom_error error = {0};
  double re, im;
  options.model = m.model;
  MUST(find_orbit(&options, &orbit, &error), error);
  multiplier_of(0.3, &re, &im);
  assert_true(orbit.exact);
  assert_string_equal(orbit.word, "S");
  CHECK_NEAR(hypot(orbit.state[3], orbit.state[4]), 0.3 * 9.81 / 8.0, 1e-10);
  CHECK_NEAR(orbit.floquet.re[0], re, 1e-9);
  CHECK_NEAR(fabs(orbit.floquet.im[0]), im, 1e-9);
  motion_end(&m);
}

// the exponents of a periodic motion are the logarithms of its multipliers over its period
static void test_exponents(void **unused) {
  (void)unused;
  motion m = motion_parse(CIRCLE);
  carom_lyapunov_options options = carom_lyapunov_options_default();
  carom_lyapunov_view r;
  carom_error error = {0};
  options.model = m.model;
  options.transient = 20.0;
  options.time = 200.0;
  MUST(find_exponents(&options, &r, &error), error);
  assert_int_equal(r.count, 4);
  CHECK_NEAR(r.exponents[0], 0.0, 0.02);
  CHECK_NEAR(r.exponents[1], 0.0, 0.02);
  CHECK_NEAR(r.exponents[2], -0.5 * relaxation(0.3), 0.02);
  CHECK_NEAR(r.sum, -relaxation(0.3), 1e-7);
  motion_end(&m);
}

static void test_branch(void **unused) {
  (void)unused;
  carom_continuation *result =
      branches_of(motion_parse(CIRCLE), carom_continuation_options_default(), "mu", 0.3, 0.6);
  long count = carom_continuation_points(result);
  assert_true(count > 5);
  for (long k = 0; k < count; k++) {
    const carom_continuation_point *p = carom_continuation_point_at(result, k);
    double re, im;
    multiplier_of(p->value, &re, &im);
    CHECK_NEAR(p->re, re, 1e-7);
    CHECK_NEAR(fabs(p->im), im, 1e-6);
  }
  carom_continuation_destroy(result);
}

// two blocks on a belt stick and slip along it as in the plane, though they may go sideways too
#define BLOCKS(ONE, TWO)                                                                           \
  "parameters: {k1: 1, k12: 1.2, v: 0.295, g: 1, fs: 1, b: 1.3, gam: 3}\n"                         \
  "coordinates: {x1: 0.5, x2: 0.7, y1: 0, y2: 0, s1: 0, s2: 0}\n"                                  \
  "energy:\n"                                                                                      \
  "  kinetic: (x1'^2 + x2'^2 + y1'^2 + y2'^2 + s1'^2 + s2'^2)/2\n"                                 \
  "  potential: k1/2*(x1^2 + x2^2 + s1^2 + s2^2) + k12/2*(x1 - x2)^2 + g*y1 + g*b*y2\n"            \
  "  dissipation: 0.1*(s1'^2 + s2'^2)\n"                                                           \
  "contacts:\n"                                                                                    \
  "  one: {gap: y1, slip: " ONE                                                                    \
  ", friction: &law {slip: fs/(1 + gam*abs(slip)), stick: 1.1*fs}}\n"                              \
  "  two: {gap: y2, slip: " TWO ", friction: *law}\n"                                              \
  "run: {until: 100, rtol: 1e-10}\n"

static void test_as_in_the_plane(void **unused) {
  (void)unused;
  static const char *const TEXT[] = {BLOCKS("x1' - v", "x2' - v"),
                                     BLOCKS("[x1' - v, s1']", "[s2', x2' - v]")};
  carom_orbit_view orbit[2];
  double nearest = INFINITY;
  for (int space = 0; space < 2; space++) {
    motion m = motion_parse(TEXT[space]);
    carom_orbit_options options = carom_orbit_options_default();
    carom_error error = {0};
    options.model = m.model;
    options.free_word = true;
    MUST(find_orbit(&options, &orbit[space], &error), error);
    motion_end(&m);
  }
  // the largest of those that have nothing to do with going sideways is real
  int planar = 0;
  while (orbit[0].floquet.im[planar] != 0.0)
    planar++;
  assert_true(fabs(orbit[0].floquet.re[planar]) > 0.1);
  for (int k = 0; k < orbit[1].floquet.count; k++)
    nearest = fmin(nearest, hypot(orbit[1].floquet.re[k] - orbit[0].floquet.re[planar],
                                  orbit[1].floquet.im[k]));
  CHECK_NEAR(nearest, 0.0, 1e-7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_circle),
      cmocka_unit_test(test_exponents),
      cmocka_unit_test(test_branch),
      cmocka_unit_test(test_as_in_the_plane),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
