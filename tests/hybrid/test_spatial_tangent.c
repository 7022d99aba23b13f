// SPDX-License-Identifier: MIT
// Derivatives of motions with contacts in space against differences of the flow map: slip that
// turns, ends, passes zero and sets off, stick, impacts by every law; planar motions have the
// matrix they have in the plane.
#include "flow_difference.h"

static void check(const motion *m, double t1, double step, double tolerance) {
  CHECK_NEAR(worst_error(m, 0.0, t1, step, 0.0), 0.0, tolerance);
}

static const char SLOPE[] = "title: block on a slope\n"
                            "parameters: {g: 9.81, slope: 0.3, mu: 0.5, mus: 0.5, vx: 1, vy: 1.5}\n"
                            "coordinates:\n"
                            "  x: {start: 0, rate: vx}\n"
                            "  y: {start: 0, rate: vy}\n"
                            "  z: 0\n"
                            "energy:\n"
                            "  kinetic: (x'^2 + y'^2 + z'^2)/2\n"
                            "  potential: g*(z*cos(slope) - x*sin(slope)) + x^2 + 2*y^2 + x*y\n"
                            "contacts:\n"
                            "  floor: {gap: z, slip: [x', y'], friction: {slip: mu, stick: mus}}\n"
                            "run: {until: 3, rtol: 1e-12, atol: 1e-13}\n";

// slip that turns, and comes to rest
static void slip(void **state) {
  (void)state;
  motion m = motion_parse(SLOPE);
  check(&m, 0.2, 1e-4, 1e-9);
  check(&m, 1.5, 1e-5, 1e-8);
  assert_true(worst_error(&m, 0.0, 0.2, 1e-4, 1e-3) > 1e-5);
  motion_end(&m);
}

static void near_miss(void **state) {
  (void)state;
  motion m = motion_parse(SLOPE);
  set_value(&m, "mu", 0.25);
  set_value(&m, "mus", 0.25);
  set_value(&m, "vx", -1.0);
  set_value(&m, "vy", 1e-2);
  check(&m, 0.5, 1e-6, 1e-7);
  motion_end(&m);
}

static const char SPIN_UP[] =
    "title: block on a table that spins up\n"
    "parameters: {g: 9.81, mu: 0.3, mus: 0.5, al: 1, r: 0.4}\n"
    "coordinates: {x: {start: r, rate: 0.3}, y: {start: 0, rate: 0.1}, z: 0}\n"
    "energy:\n"
    "  kinetic: (x'^2 + y'^2 + z'^2)/2\n"
    "  potential: g*z\n"
    "contacts:\n"
    "  floor:\n"
    "    gap: z\n"
    "    slip: [x' + al*t*y, y' - al*t*x]\n"
    "    friction: {stick: mus, slip: mu}\n"
    "run: {until: 6, rtol: 1e-11}\n";
// It slides, comes to rest, turns with the table and sets off. Before it rests the direction of its
// slip is far from its limit still: it goes there like |s|^0.16.
static void onset(void **state) {
  (void)state;
  motion m = motion_parse(SPIN_UP);
  check(&m, 0.15, 1e-5, 1e-9);
  check(&m, 3.4, 1e-5, 1e-7);
  check(&m, 3.7, 1e-5, 1e-7);
  set_value(&m, "mu", 0.5); // of stick: slip sets off with the rate 0
  check(&m, 3.7, 1e-5, 1e-6);
  motion_end(&m);
}

#define ROD(LAW)                                                                                   \
  "title: rod that falls\n"                                                                        \
  "parameters: {l: 0.5, g: 9.81, mu: 0.3, e: 0.5}\n"                                               \
  "coordinates:\n"                                                                                 \
  "  x: {start: 0, rate: 1}\n"                                                                     \
  "  y: {start: 0, rate: 0.5}\n"                                                                   \
  "  z: 1\n"                                                                                       \
  "  th: {start: 0.7, rate: 1}\n"                                                                  \
  "  psi: {start: 0.2, rate: 1.5}\n"                                                               \
  "energy:\n"                                                                                      \
  "  kinetic: (x'^2 + y'^2 + z'^2)/2 + l^2/6*(th'^2 + cos(th)^2*psi'^2)\n"                         \
  "  potential: g*z\n"                                                                             \
  "contacts:\n"                                                                                    \
  "  tip:\n"                                                                                       \
  "    gap: z - l*sin(th)\n"                                                                       \
  "    slip:\n"                                                                                    \
  "      - x' + l*sin(th)*cos(psi)*th' + l*cos(th)*sin(psi)*psi'\n"                                \
  "      - y' + l*sin(th)*sin(psi)*th' - l*cos(th)*cos(psi)*psi'\n"                                \
  "    friction: mu\n"                                                                             \
  "    impact: {law: " LAW ", e: e}\n"                                                             \
  "run: {until: 3, rtol: 1e-12}\n"

// slip that turns in impacts, and is stopped by them; it slides and sticks between
static void impacts(void **state) {
  (void)state;
  static const char *const TEXT[] = {ROD("newton"), ROD("poisson"), ROD("energetic")};
  for (int k = 0; k < 6; k++) {
    motion m = motion_parse(TEXT[k % 3]);
    if (k > 2) set_value(&m, "mu", 1.2);
    check(&m, 0.5, 1e-5, 1e-7);
    assert_true(certificate_of(&m).counts.impacts > 0);
    motion_end(&m);
  }
}

#define BALL(LAW, SLIP)                                                                            \
  "title: ball thrown with spin\n"                                                                 \
  "parameters: {R: 0.1, k: 0.4, g: 9.81, mu: 0.15, e: 0.6}\n"                                      \
  "coordinates:\n"                                                                                 \
  "  x: {start: 0, rate: 1}\n"                                                                     \
  "  z: 0.5\n"                                                                                     \
  "  b: {start: 0, rate: -25}\n"                                                                   \
  "  y: 0\n"                                                                                       \
  "  a: 0\n"                                                                                       \
  "energy:\n"                                                                                      \
  "  kinetic: (x'^2 + y'^2 + z'^2)/2 + k*R^2/2*(a'^2 + b'^2)\n"                                    \
  "  potential: g*z + x^2\n"                                                                       \
  "contacts:\n"                                                                                    \
  "  floor: {gap: z - R, slip: " SLIP ", friction: mu, impact: {law: " LAW ", e: e}}\n"            \
  "run: {until: 5, rtol: 1e-11}\n"

// a motion along a line has the matrix that it has in the plane
static void as_in_the_plane(void **state) {
  (void)state;
  static const char *const TEXT[][2] = {
      {BALL("newton", "x' - R*b'"), BALL("newton", "[x' - R*b', y' + R*a']")},
      {BALL("poisson", "x' - R*b'"), BALL("poisson", "[x' - R*b', y' + R*a']")},
      {BALL("energetic", "x' - R*b'"), BALL("energetic", "[y' + R*a', x' - R*b']")}};
  for (int k = 0; k < 3; k++) {
    double matrix[2][100];
    int size = 0;
    for (int space = 0; space < 2; space++) {
      carom_error error = {0};
      motion m = motion_parse(TEXT[k][space]);
      MUST(carom_tangent_begin(m.simulation, &error), error);
      motion_advance(&m, 4.0);
      memcpy(matrix[space], carom_tangent_matrix(m.simulation, &size), sizeof matrix[space]);
      assert_int_equal(size, 10);
      assert_true(certificate_of(&m).counts.impacts > 5);
      motion_end(&m);
    }
    // x, z, b and their rates
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++) {
        int row = i < 3 ? i : i + 2, column = j < 3 ? j : j + 2, at = row * size + column;
        CHECK_NEAR(matrix[1][at], matrix[0][at], 1e-9 * (1.0 + fabs(matrix[0][at])));
      }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slip),    cmocka_unit_test(near_miss),       cmocka_unit_test(onset),
      cmocka_unit_test(impacts), cmocka_unit_test(as_in_the_plane),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
