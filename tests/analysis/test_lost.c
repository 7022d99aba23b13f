// SPDX-License-Identifier: MIT
// Branches that come to an end within the range of their parameter: where that is, is known in
// closed form, and the last point says in words why there is no next one.
#include "branch_help.h"

// the branch has one point labelled as lost, its last, near the value; that one alone has a reason
static void check_lost(const char *scenario, bool equilibrium, double from, double to, double end,
                       double tolerance, const char *why) {
  carom_continuation_options options = carom_continuation_options_default();
  options.equilibrium = equilibrium;
  carom_continuation *result = branches_of(motion_parse(scenario), options, "p", from, to);
  long last = carom_continuation_points(result) - 1;
  for (long k = 0; k < last; k++) {
    const carom_continuation_point *point = carom_continuation_point_at(result, k);
    assert_int_equal(point->label, k == 0 ? CAROM_LABEL_START : CAROM_LABEL_NONE);
    assert_string_equal(point->why, "");
  }
  const carom_continuation_point *lost = carom_continuation_point_at(result, last);
  assert_int_equal(lost->label, CAROM_LABEL_LOST);
  CHECK_NEAR(lost->value, end, tolerance);
  if (!strstr(lost->why, why)) print_error("'%s' is not in '%s'\n", why, lost->why);
  assert_non_null(strstr(lost->why, why));
  carom_continuation_destroy(result);
}

// A driven oscillator on a hill's edge: what comes beyond x = 1 is pushed on for good. Its motion
// is as large as p/|1 - w^2 + 2 z w i|.
static void test_escape(void **unused) {
  (void)unused;
  check_lost("parameters: {p: 0.3}\n"
             "coordinates: {x: 0.1}\n"
             "energy: {kinetic: x'^2/2, potential: 'if(x < 1, x^2/2, 1/2 - 3*(x - 1))',\n"
             "         dissipation: 0.1*x'^2}\n"
             "forces: {x: p*cos(1.5*t)}\n"
             "run: {until: 400*pi/3, rtol: 1e-10}\n",
             false, 0.3, 2.0, sqrt(1.25 * 1.25 + 0.3 * 0.3), 1e-8,
             "Newton's method does not converge");
}

// Beyond p = 1 there is no force, so no motion and no equilibrium either. Both go on until then, in
// steps that become shorter and shorter.
static void test_no_force(void **unused) {
  (void)unused;
  const char *why = "it goes on in very short steps only";
  check_lost("parameters: {p: 0}\n"
             "coordinates: {x: 0.6}\n"
             "energy: {kinetic: x'^2/2, potential: x^2/2, dissipation: 0.1*x'^2}\n"
             "forces: {x: 1 + sqrt(1 - p)*cos(2*t)}\n"
             "run: {until: 100*pi, rtol: 1e-10}\n",
             false, 0.0, 2.0, 1.0, 1e-5, why);
  check_lost("parameters: {p: 0}\n"
             "coordinates: {x: 0.9}\n"
             "energy: {kinetic: x'^2/2, potential: x^2/2, dissipation: 0.1*x'^2}\n"
             "forces: {x: log(1 - p)}\n"
             "run: {until: 100}\n",
             true, 0.0, 2.0, 1.0, 1e-5, why);
}

// A block on a belt, held by a spring. With more damping its slip does not come up to the belt's
// speed v any more, and it comes to rest. Slip begins at x = mu_s - p v. It ends where x' = v; the
// last time it can is where x'' = 0 there, too: the root of that, of the damped cosine.
#define BELT(damping, speed)                                                                       \
  "parameters: {p: 0.05}\n"                                                                        \
  "coordinates: {x: 0, y: 0}\n"                                                                    \
  "energy: {kinetic: (x'^2 + y'^2)/2, potential: y + x^2/2, dissipation: " damping "/2*x'^2}\n"    \
  "contacts: {belt: {gap: y, slip: x' - " speed ", friction: {stick: 0.4, slip: 0.3}}}\n"          \
  "run: {until: 100, rtol: 1e-11, atol: 1e-12}\n"

static void test_stick_ends(void **unused) {
  (void)unused;
  check_lost(BELT("p", "0.05"), false, 0.05, 1.0, 0.290717628645, 1e-8,
             "Newton's method does not converge");
}

// The same with a faster belt. A turn with stick forgets everything, its multiplier is 0: it does
// not turn back in a fold, whatever differences next to its end say.
static void test_no_fold(void **unused) {
  (void)unused;
  check_lost(BELT("0.05", "p"), false, 0.05, 1.0, 0.166138781471, 1e-5, "");
}

// The same with less damping. Beyond the end there is nothing: all of it is told by the derivatives
// of stick on a belt whose speed is the parameter
static void test_nothing_beyond(void **unused) {
  (void)unused;
  carom_continuation *result = branches_of(motion_parse(BELT("0.03", "p")),
                                           carom_continuation_options_default(), "p", 0.05, 1.0);
  const carom_continuation_point *lost = labelled(result, CAROM_LABEL_LOST, 0, 0);
  CHECK_NEAR(lost->value, 0.220516123806, 1e-8);
  assert_non_null(strstr(lost->why, "Newton's method does not converge"));
  carom_continuation_destroy(result);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_escape),         cmocka_unit_test(test_no_force),
      cmocka_unit_test(test_stick_ends),     cmocka_unit_test(test_no_fold),
      cmocka_unit_test(test_nothing_beyond),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
