// SPDX-License-Identifier: MIT
// Analyses of bodies in fields, which have no tangent dynamics: turns and neighbours are
// differenced.
#include "hybrid/motion.h"

#include "carom/bifurcation.h"
#include "carom/continuation.h"
#include "carom/lyapunov.h"
#include "carom/orbit.h"
#include "results.h"

static carom_orbit_view find(const motion *m, carom_orbit_options options) {
  carom_orbit_view orbit;
  carom_error error = {0};
  options.model = m->model;
  MUST(find_orbit(&options, &orbit, &error), error);
  return orbit;
}

// A block that bounces on its bottom face without losses: every height has its motion. One period
// is known from elsewhere, another from the times at which a run comes to its top.
static void test_periods(void **unused) {
  (void)unused;
  motion m = motion_load("field_block", (carom_setting[]){{"v0", "0.02"}, {NULL, NULL}});
  carom_orbit_view orbit = find(&m, carom_orbit_options_default());
  CHECK_NEAR(orbit.period, 0.16719, 5e-6);
  assert_false(orbit.exact);
  motion_end(&m);
  m = motion_load("field_block", (carom_setting[]){{"v0", "0.005"}, {NULL, NULL}});
  orbit = find(&m, carom_orbit_options_default());
  motion_run(&m);
  CHECK_NEAR(orbit.period, value_of(&m, "period"), 2e-6);
  motion_end(&m);
}

// Damping -a v on all four faces takes 4a/m from y and, by the moments of the faces, 4a/m from
// theta: with a = 500 all four directions shrink as exp(-t), whatever the floor does; x and x'
// stay.
static const char SHAKEN[] =
    "engine: field\nparameters: {A: 0.0005, f: 6, a: 500}\nbody: {square: 1, density: 1000}\n"
    "supports:\n  floor: {normal: [0, 1], shift: [\"0\", \"A*sin(2*pi*f*t)\"]}\n"
    "fields:\n  repulsion: {exponent: 5, rest: 0.02, faces: [bottom]}\n"
    "  damping: {exponent: 0, coefficient: a}\n"
    "start: {position: [0, 0.521], angle: 0.0005}\nsections:\n  top: {when: y', direction: "
    "falling}\n"
    "run: {until: 10, rtol: 1e-10, period: 1/f}\nmeasure: {after: 9}\n";

static void test_multipliers(void **unused) {
  (void)unused;
  motion m = motion_parse(SHAKEN);
  carom_orbit_options options = carom_orbit_options_default();
  carom_orbit_view orbit = find(&m, options);
  carom_error error = {0};
  CHECK_NEAR(orbit.period, 1.0 / 6.0, 1e-15);
  assert_int_equal(orbit.floquet.count, 5); // x is free; that of x' is 1
  CHECK_NEAR(orbit.floquet.re[0], 1.0, 1e-6);
  for (int k = 1; k < 5; k++)
    CHECK_NEAR(hypot(orbit.floquet.re[k], orbit.floquet.im[k]), exp(-1.0 / 6.0), 2e-5);
  // turns are differenced: what hardly moves, the angle and its rate, is measured by what does
  assert_false(orbit.exact);
  CHECK_SAME(orbit.sizes[0], 0.0);
  CHECK_RELATIVE(orbit.sizes[2], 0.1 * orbit.sizes[4], 1e-12);
  CHECK_RELATIVE(orbit.sizes[5], 0.1 * orbit.sizes[4], 1e-12);
  // the branch that leads to another amplitude ends on the motion found there
  carom_continuation_options branch = carom_continuation_options_default();
  carom_continuation *result = NULL;
  branch.model = m.model;
  branch.parameter = "A";
  branch.from = 0.0005;
  branch.to = 0.0008;
  MUST(carom_continuation_run(&branch, &result, &error), error);
  const carom_continuation_point *end =
      carom_continuation_point_at(result, carom_continuation_points(result) - 1);
  CHECK_NEAR(end->value, 0.0008, 0.0);
  const carom_value there = {"A", 0.0008};
  options.value_count = 1;
  options.values = &there;
  carom_orbit_view far = find(&m, options);
  assert_true(fabs(far.state[1] - orbit.state[1]) > 1e-6);
  // both begin their turns half-way between tops, at slightly different times
  CHECK_NEAR(end->state[1], far.state[1], 1e-5);
  carom_continuation_destroy(result);
  motion_end(&m);
}

static void test_exponents(void **unused) {
  (void)unused;
  motion m = motion_parse(SHAKEN);
  carom_lyapunov_options options = carom_lyapunov_options_default();
  carom_lyapunov_view result;
  carom_error error = {0};
  options.model = m.model;
  options.time = 20.0;
  options.interval = 0.05;
  MUST(find_exponents(&options, &result, &error), error);
  assert_int_equal(result.count, 6);
  CHECK_NEAR(result.sum, -4.0, 1e-4);
  // x moves on by x' t, so that the two zeros are met as slowly as ln(t)/t
  for (int k = 0; k < 2; k++)
    CHECK_NEAR(result.exponents[k], 0.0, 0.2);
  for (int k = 2; k < 6; k++)
    CHECK_NEAR(result.exponents[k], -1.0, 0.3);
  motion_end(&m);
}

// a motion that is carried on is the one that goes on; the next run lasts as long as the first
static void test_carried_on(void **unused) {
  (void)unused;
  motion whole = motion_parse(SHAKEN), parts = motion_parse(SHAKEN);
  carom_error error = {0};
  int size;
  motion_advance(&whole, 2.0);
  motion_advance(&parts, 1.3);
  MUST(carom_simulation_change(parts.simulation, NULL, 0.0, &error), error);
  CHECK_NEAR(carom_simulation_until(parts.simulation), 11.3, 1e-12);
  motion_advance(&parts, 2.0);
  const double *a = carom_simulation_state(whole.simulation, &size),
               *b = carom_simulation_state(parts.simulation, &size);
  for (int k = 0; k < size; k++)
    CHECK_NEAR(a[k], b[k], 1e-9);
  // reset returns to where it was changed, saved states too
  MUST(carom_simulation_reset(parts.simulation, &error), error);
  CHECK_NEAR(carom_simulation_time(parts.simulation), 1.3, 0.0);
  MUST(carom_simulation_change(parts.simulation, "a", 600.0, &error), error);
  CHECK_NEAR(value_of(&parts, "a"), 600.0, 0.0);
  CHECK_NEAR(carom_simulation_time(parts.simulation), 1.3, 0.0);
  assert_int_equal(carom_simulation_change(parts.simulation, "b", 1.0, &error), CAROM_ERR_ARGUMENT);
  motion_end(&whole);
  motion_end(&parts);
}

static void test_refusal(void **unused) {
  (void)unused;
  motion m = motion_load("field_soft_cylinder", NULL);
  carom_orbit_options options = carom_orbit_options_default();
  carom_orbit_view orbit;
  carom_error error = {0};
  options.model = m.model;
  options.after = 0.0;
  options.period = 0.1;
  assert_int_equal(find_orbit(&options, &orbit, &error), CAROM_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "soft or in space"));
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_periods),   cmocka_unit_test(test_multipliers),
      cmocka_unit_test(test_exponents), cmocka_unit_test(test_carried_on),
      cmocka_unit_test(test_refusal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
