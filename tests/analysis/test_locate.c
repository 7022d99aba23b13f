// SPDX-License-Identifier: MIT
/// Critical values with a closed form: the angle of repose, a fold with and without following, a
/// Hopf point, a root of an observable, a motion that is solved for.
#include "hybrid/motion.h"

#include "carom/locate.h"
#include "results.h"

// a block on a slope in the slope's own axes: it stays while mu > tan(alpha)
static const char BLOCK[] = "parameters: {mu: 0.5, alpha: 0.35, g: 9.81}\n"
                            "coordinates: {x: 0, y: 0}\n"
                            "energy:\n"
                            "  kinetic: (x'^2 + y'^2)/2\n"
                            "  potential: g*(y*cos(alpha) - x*sin(alpha))\n"
                            "contacts: {foot: {gap: y, slip: x', friction: mu}}\n"
                            "run: {until: 1}\n";

// z' = p + z - z^3 has its fold at p = 2/(3 sqrt 3), seen only by a run that comes along the branch
static const char FOLD[] = "parameters: {p: 0}\n"
                           "states: {z: {start: 0.2, rate: p + z - z^3}}\n"
                           "run: {until: 3000, sample: 100}\n"
                           "observe: {end: last(z)}\n"
                           "regimes: {low: last(z) < 0, high: last(z) > 0}\n";

static const char VAN_DER_POL[] = "parameters: {p: 0}\n"
                                  "states:\n"
                                  "  x: {start: 0.3, rate: y}\n"
                                  "  y: {start: 0.1, rate: (p - x^2)*y - x}\n"
                                  "run: {until: 1}\n";

// z = a exp(-k) at the end; closed where that is 1
static const char DECAY[] = "parameters: {k: 0.1, a: 2}\n"
                            "states: {z: {start: a, rate: -k*z}}\n"
                            "run: {until: 1, rtol: 1e-13}\n"
                            "observe: {end: last(z), off: last(z) - 1, size: a + 0*last(z)}\n";

static carom_locate_options over(const char *parameter, double from, double to) {
  carom_locate_options options = carom_locate_options_default();
  options.parameter = parameter;
  options.from = from;
  options.to = to;
  return options;
}

static carom_location_view find(const char *text, const carom_locate_options *options) {
  motion m = motion_parse(text);
  carom_error error = {0};
  carom_location_view found;
  MUST(find_location(m.simulation, options, &found, &error), error);
  motion_end(&m);
  return found;
}

static void test_repose(void **state) {
  (void)state;
  carom_locate_options options = over("mu", 0.1, 1.0);
  options.tolerance = 1e-11;
  carom_location_view found = find(BLOCK, &options);
  CHECK_NEAR(found.value, tan(0.35), 1e-9); // forces within rounding of the cone count as inside
  assert_string_equal(found.near_text, "+");
  CHECK(strcmp(found.far_text, "+") != 0);
  CHECK(found.near < found.far && found.far - found.near <= 1e-11);
  CHECK(found.evaluations < 50);
}

static void test_fold_followed(void **state) {
  (void)state;
  carom_locate_options options = over("p", -0.5, 1.0);
  options.what = CAROM_LOCATE_REGIME;
  options.tolerance = 1e-5;
  // afresh, runs start at z = 0.2 and divide where that is the unstable equilibrium
  carom_location_view fresh = find(FOLD, &options);
  CHECK_NEAR(fresh.value, 0.2 * 0.2 * 0.2 - 0.2, 1e-5);
  options.follow = true;
  carom_location_view followed = find(FOLD, &options);
  CHECK_NEAR(followed.value, 2.0 / (3.0 * sqrt(3.0)), 2e-5);
  assert_string_equal(followed.near_text, "low");
  // and back on the other branch
  options.from = 1.0;
  options.to = -0.5;
  CHECK_NEAR(find(FOLD, &options).value, -2.0 / (3.0 * sqrt(3.0)), 2e-5);
}

// x'' = p + x - x^3 with little damping: a long jump of p throws the motion over the hill, though
// its branch goes on to the fold. The end that was lost is looked at again from next to it.
static const char LIGHT[] = "parameters: {p: 0}\n"
                            "coordinates: {x: -1}\n"
                            "energy: {kinetic: x'^2/2, potential: x^4/4 - x^2/2 - p*x, "
                            "dissipation: 0.05*x'^2}\n"
                            "run: {until: 400, sample: 10}\n"
                            "regimes: {low: last(x) < 0, high: last(x) > 0}\n";

static void test_jump_too_long(void **state) {
  (void)state;
  carom_locate_options options = over("p", -0.2, 0.8);
  options.what = CAROM_LOCATE_REGIME;
  options.tolerance = 1e-3;
  options.follow = true;
  carom_location_view found = find(LIGHT, &options);
  CHECK_NEAR(found.value, 2.0 / (3.0 * sqrt(3.0)), 2e-3);
  CHECK(found.near < found.far && found.far - found.near <= 1e-3);
  // to a place on the branch, which the first jump misses, there is nothing to be found
  options.to = 0.34;
  motion m = motion_parse(LIGHT);
  carom_error error = {0};
  assert_int_equal(find_location(m.simulation, &options, &found, &error), CAROM_ERR_INPUT);
  assert_non_null(strstr(error.text, "the motion is still the same at 0.34"));
  options.follow = false;
  MUST(find_location(m.simulation, &options, &found, &error), error);
  motion_end(&m);
}

static void test_hopf(void **state) {
  (void)state;
  carom_locate_options options = over("p", -1.0, 0.7);
  options.what = CAROM_LOCATE_HOPF;
  options.tolerance = 1e-12;
  CHECK_NEAR(find(VAN_DER_POL, &options).value, 0.0, 1e-12);
}

static void test_observable(void **state) {
  (void)state;
  carom_locate_options options = over("k", 0.0, 5.0);
  options.what = CAROM_LOCATE_OBSERVABLE;
  options.observable = "end";
  options.value = 0.5;
  options.tolerance = 1e-12;
  carom_location_view found = find(DECAY, &options);
  CHECK_NEAR(found.value, log(4.0), 1e-11);
  CHECK(found.evaluations < 20); // far fewer than bisection takes
}

// the near end stays on the side it began on, also where the other one is a zero that was met
static void test_zero_met(void **state) {
  (void)state;
  static const char STILL[] = "parameters: {p: 0}\nstates: {z: {start: p, rate: 0*z}}\n"
                              "run: {until: 1}\nobserve: {end: last(z)}\n";
  const double ends[][2] = {{-1.0, 1.0}, {1.0, -1.0}, {-1.0, 0.0}, {0.0, 1.0}};
  for (int k = 0; k < 4; k++) {
    carom_locate_options options = over("p", ends[k][0], ends[k][1]);
    options.what = CAROM_LOCATE_OBSERVABLE;
    options.observable = "end";
    carom_location_view found = find(STILL, &options);
    CHECK_SAME(found.value, 0.0);
    CHECK_SAME(found.near, ends[k][0]);
    CHECK_SAME(found.near_value, ends[k][0]);
    CHECK_SAME(found.far, k < 3 ? 0.0 : 1.0);
    CHECK_SAME(found.far_value, k < 3 ? 0.0 : 1.0);
  }
}

static void test_solved(void **state) {
  (void)state;
  carom_locate_options options = over("k", 0.1, 3.0);
  options.what = CAROM_LOCATE_OBSERVABLE;
  options.observable = "size";
  options.value = 3.0; // a = exp(k)
  options.follow = true;
  options.solve = "a";
  options.closure = "off";
  options.tolerance = 1e-11;
  CHECK_NEAR(find(DECAY, &options).value, log(3.0), 1e-10);
}

// a run that fails has no value, not the one that is sought
static void test_no_value(void **state) {
  (void)state;
  static const char GONE[] = "parameters: {p: 1}\nstates: {z: {start: p, rate: sqrt(p^2 - 0.3)}}\n"
                             "run: {until: 1}\nobserve: {end: last(z)}\n";
  carom_locate_options options = over("p", -4.0, 4.0);
  options.what = CAROM_LOCATE_OBSERVABLE;
  options.observable = "end";
  motion m = motion_parse(GONE);
  carom_error error = {0};
  carom_location_view found;
  assert_int_equal(find_location(m.simulation, &options, &found, &error), CAROM_ERR_NONFINITE);
  motion_end(&m);
}

// A closure that does not vanish but comes near: to a billionth it counts as rounding
static void test_nearly_solved(void **state) {
  (void)state;
  const double left[] = {0.7e-9, 1.5e-9};
  for (int k = 0; k < 2; k++) {
    char text[400];
    (void)snprintf(text, sizeof text,
                   "parameters: {k: 0.1, a: 1.2}\nstates: {z: {start: a, rate: -k*z}}\n"
                   "run: {until: 1, rtol: 1e-13}\n"
                   "observe: {off: 'max(abs(last(z) - 1), %g)', size: a + 0*last(z)}\n",
                   left[k]);
    carom_locate_options options = over("k", 0.1, 0.3);
    options.what = CAROM_LOCATE_OBSERVABLE;
    options.observable = "size";
    options.value = 1.2;
    options.solve = "a";
    options.closure = "off";
    options.tolerance = 1e-10;
    motion m = motion_parse(text);
    carom_error error = {0};
    carom_location_view found;
    carom_status status = find_location(m.simulation, &options, &found, &error);
    assert_int_equal(status, k == 0 ? CAROM_OK : CAROM_ERR_NO_CONVERGENCE);
    if (k == 0) CHECK_NEAR(found.value, log(1.2), 1e-8);
    motion_end(&m);
  }
}

static void refuses(const char *text, const carom_locate_options *options, carom_status status) {
  motion m = motion_parse(text);
  carom_error error = {0};
  carom_location_view found;
  assert_int_equal(find_location(m.simulation, options, &found, &error), status);
  CHECK(error.text[0] != '\0');
  motion_end(&m);
}

static void test_refusals(void **state) {
  (void)state;
  carom_locate_options options = over("mu", 0.5, 1.0);
  refuses(BLOCK, &options, CAROM_ERR_INPUT); // it stays at both ends
  options = over("nu", 0.1, 1.0);
  refuses(BLOCK, &options, CAROM_ERR_ARGUMENT);
  options = over("mu", 0.1, 1.0);
  options.most = 5;
  refuses(BLOCK, &options, CAROM_ERR_LIMIT);
  options = over("k", 0.0, 5.0);
  options.what = CAROM_LOCATE_OBSERVABLE;
  refuses(DECAY, &options, CAROM_ERR_ARGUMENT); // no observable named
  options.observable = "end";
  options.value = 7.0;
  refuses(DECAY, &options, CAROM_ERR_INPUT); // never reached
  options = over("mu", 0.1, 1.0);
  options.size = 0;
  refuses(BLOCK, &options, CAROM_ERR_ARGUMENT);
}

// the caller's simulation is not touched
static void test_leaves_simulation(void **state) {
  (void)state;
  motion m = motion_parse(DECAY);
  carom_error error = {0};
  carom_location_view found;
  MUST(carom_simulation_advance(m.simulation, 0.5, &error), error);
  double before = carom_simulation_state(m.simulation, NULL)[0];
  carom_locate_options options = over("k", 0.0, 5.0);
  options.what = CAROM_LOCATE_OBSERVABLE;
  options.observable = "end";
  options.value = 0.5;
  MUST(find_location(m.simulation, &options, &found, &error), error);
  CHECK_SAME(carom_simulation_time(m.simulation), 0.5);
  CHECK_SAME(carom_simulation_state(m.simulation, NULL)[0], before);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_repose),
      cmocka_unit_test(test_fold_followed),
      cmocka_unit_test(test_hopf),
      cmocka_unit_test(test_observable),
      cmocka_unit_test(test_jump_too_long),
      cmocka_unit_test(test_zero_met),
      cmocka_unit_test(test_no_value),
      cmocka_unit_test(test_solved),
      cmocka_unit_test(test_nearly_solved),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_leaves_simulation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
