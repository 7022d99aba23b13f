// SPDX-License-Identifier: MIT
// After how long a drive comes back: found, given, or not at all.
#include "hybrid/motion.h"

#include "carom/orbit.h"
#include "results.h"

static carom_status of_text(const char *text, carom_orbit_view *orbit, carom_error *error) {
  motion m = motion_parse(text);
  carom_orbit_options options = carom_orbit_options_default();
  options.model = m.model;
  carom_status status = find_orbit(&options, orbit, error);
  motion_end(&m);
  return status;
}

// a drive that never repeats itself: incommensurable parts, a sine of t^2, bare time
static void test_no_period(void **unused) {
  (void)unused;
  static const char *const forces[] = {"sin(t) + cos(sqrt(2)*t)", "sin(t^2)", "t*sin(t)"};
  for (int k = 0; k < 3; k++) {
    char text[400];
    carom_orbit_view orbit;
    carom_error error = {0};
    (void)snprintf(text, sizeof text,
                   "title: never\ncoordinates: {x: 0}\nenergy: {kinetic: x'^2/2, potential: "
                   "x^2/2, dissipation: x'^2}\nforces: {x: %s}\nrun: {until: 20}\n",
                   forces[k]);
    assert_int_equal(of_text(text, &orbit, &error), CAROM_ERR_INPUT);
    assert_non_null(strstr(error.text, "run.period"));
  }
}

// A period that was given is no word to be believed: x'' + x' + x = f(t) may close after some time
// after which f does not come back. A square and a modulus come back sooner than their angles
// do.
static void test_given_period(void **unused) {
  (void)unused;
  static const struct {
    const char *force, *period, *word; // what the message names; NULL: the period is one
  } cases[] = {
      {"sin(2*pi*t)", "0.7", "it does after 1 and"},
      {"sin(2*pi*t)", "1.000001", "it does after 1 and"},
      {"0.1*sin(2*pi*t) + 1000", "0.5", "it does after 1 and"},
      {"mod(t, 2)", "3", "it does after 2 and"},
      {"if(sin(pi*t) > 0, 1, 0)", "1", "it does after 2 and"},
      {"abs(sin(pi*t))", "1.5", "it does after"},
      {"sin(t^2)", "1", "not repeat itself after 1 (run.period)"},
      {"t", "1", "not repeat itself after 1 (run.period)"},
      {"cos(2*pi*t) + exp(-t)", "1", "not repeat itself after 1 (run.period)"},
      {"sin(2*pi*t)", "3", NULL},
      {"abs(sin(pi*t))", "1", NULL},
      {"sin(pi*t)^2", "1", NULL},
      {"mod(t, 2)", "4", NULL},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[400];
    carom_orbit_view orbit;
    carom_error error = {0};
    (void)snprintf(text, sizeof text,
                   "title: given\ncoordinates: {x: 0}\nenergy: {kinetic: x'^2/2, potential: "
                   "x^2/2, dissipation: x'^2/2}\nforces: {x: \"%s\"}\n"
                   "run: {until: 40, period: %s}\n",
                   cases[k].force, cases[k].period);
    carom_status status = of_text(text, &orbit, &error);
    if (!cases[k].word) {
      MUST(status, error);
      continue;
    }
    assert_int_equal(status, CAROM_ERR_INPUT);
    assert_non_null(strstr(error.text, cases[k].word));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_period),
      cmocka_unit_test(test_given_period),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
