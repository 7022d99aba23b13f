// SPDX-License-Identifier: MIT
// Branches of abs, sign and if whose arguments an impact carries past zero.
#include "motion.h"

#define BALL                                                                                       \
  "parameters: {g: 9.81, vt: 3, e: 0.7, h: 2}\n"                                                   \
  "coordinates: {y: h}\n"                                                                          \
  "energy: {kinetic: y'^2/2, potential: g*y}\n"                                                    \
  "contacts: {floor: {gap: y, impact: e}}\n"

// Quadratic drag with the terminal speed vt. From the height h the ball arrives with
// v^2 = vt^2 (1 - exp(-2 g h/vt^2)); started upwards with v it reaches vt^2/(2 g) ln(1 + v^2/vt^2).
static void drag_turns_with_the_bounce(void **state) {
  (void)state;
  const double g = 9.81, vt = 3.0, e = 0.7, h = 2.0;
  motion m = motion_parse(BALL "forces: {y: -g/vt^2*abs(y')*y'}\n"
                               "sections: {top: {when: y', direction: falling}}\n"
                               "run: {until: 1.2, rtol: 1e-12}\n"
                               "observe: {apex: 'at(top, y)'}\n");
  assert_int_equal(motion_run(&m), CAROM_OK);
  double rebound = e * e * (1.0 - exp(-2.0 * g * h / (vt * vt)));
  CHECK_NEAR(value_of(&m, "apex"), vt * vt / (2.0 * g) * log1p(rebound), 1e-11);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// a ball without drag rises for v/g of the 2 v/g between two bounces
static void time_spent_rising(void **state) {
  (void)state;
  const double g = 9.81, e = 0.7, h = 2.0;
  motion m = motion_parse(BALL "run: {until: 3, rtol: 1e-12}\n"
                               "observe: {rising: 'mean(if(y'' > 0, 1, 0))'}\n");
  assert_int_equal(motion_run(&m), CAROM_OK);
  double at = sqrt(2.0 * h / g), v = e * g * at, risen = 0.0;
  while (at < 3.0) {
    risen += fmin(v / g, 3.0 - at);
    at += 2.0 * v / g;
    v *= e;
  }
  CHECK_NEAR(value_of(&m, "rising"), risen / 3.0, 1e-9);
  motion_end(&m);
}

// A ball bounces beside a block with quadratic drag, x' = 1/(1 + t/5): what the bounce does not
// carry past zero stays on its side.
static void others_keep_their_sides(void **state) {
  (void)state;
  motion m = motion_parse("coordinates: {x: {start: 0, rate: 1}, y: 0.2}\n"
                          "energy: {kinetic: \"(x'^2 + y'^2)/2\", potential: 9.81*y}\n"
                          "forces: {x: -0.2*abs(x')*x'}\n"
                          "contacts: {floor: {gap: y, impact: 0.9}}\n"
                          "run: {until: 2}\n");
  assert_int_equal(motion_run(&m), CAROM_OK);
  carom_certificate c = certificate_of(&m);
  CHECK(c.counts.impacts >= 4 && c.counts.switches == 0 && c.passed);
  CHECK_NEAR(value_of(&m, "x'"), 1.0 / 1.4, 1e-9);
  CHECK_NEAR(value_of(&m, "x"), 5.0 * log(1.4), 1e-9);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(drag_turns_with_the_bounce),
                                     cmocka_unit_test(time_spent_rising),
                                     cmocka_unit_test(others_keep_their_sides)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
