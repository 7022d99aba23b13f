// SPDX-License-Identifier: MIT
// Units: conversions against factors written by hand, the same bits as numbers in SI where only the
// power of ten differs, dimensions and their mistakes.
#include "check.h"
#include "scenario/scenario.h"
#include "scenario/units.h"

#include <math.h>
#include <string.h>

static carom_scenario *read(const char *text) {
  carom_scenario *s = NULL;
  carom_error error = {0};
  carom_status status = carom_scenario_read(NULL, text, 0, NULL, NULL, &s, &error);
  if (status) fail_msg("%d:%d %s", error.line, error.column, error.text);
  return s;
}

static void expect_error(const char *text, int line, int column, const char *phrase) {
  carom_scenario *s = NULL;
  carom_error error = {0};
  carom_status status = carom_scenario_read(NULL, text, 0, NULL, NULL, &s, &error);
  carom_scenario_free(s);
  if (status && error.line == line && error.column == column && strstr(error.text, phrase)) return;
  fail_msg("found %d:%d '%s', expected %d:%d '%s'", error.line, error.column, error.text, line,
           column, phrase);
}

static double value_of(const char *written) {
  char text[256];
  (void)snprintf(text, sizeof text,
                 "parameters: {a: %s}\nstates: {z: {start: 1, rate: 0}}\nrun: {until: 1}\n",
                 written);
  carom_scenario *s = read(text);
  double values[8] = {0};
  assert_int_equal(carom_scenario_values(s, NULL, values, NULL), CAROM_OK);
  double value = values[carom_scenario_symbol_index(s, s->parameters[0].symbol)];
  carom_scenario_free(s);
  return value;
}

// decimal units are exact: the number is the one that would have been written in SI
static void test_decimal(void **state) {
  (void)state;
  const struct {
    const char *written;
    double value;
  } cases[] = {
      {"80 kg", 80.0},       {"2.5 mm", 2.5e-3},   {"-30 cm/s", -30e-2}, {"20 kN/m", 20e3},
      {"3 g", 3e-3},         {"1.7e-3 km", 1.7},   {"7 um^2", 7e-12},    {"3 mPa", 3e-3},
      {"2 MPa", 2e6},        {"1.3 bar", 1.3e5},   {"5 1/s", 5.0},       {"4 N*m", 4.0},
      {"6 kg m^2/s^2", 6.0}, {"0.1 N s/m", 0.1},   {"80kg", 80.0},       {"2 t", 2e3},
      {"3 percent", 3e-2},   {"9.81 m/s^2", 9.81}, {"12 J/kg/K", 12.0},  {"0.3 mm", 0.3e-3},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    if (value_of(cases[k].written) != cases[k].value)
      fail_msg("%s is %.17g, expected %.17g", cases[k].written, value_of(cases[k].written),
               cases[k].value);
}

static void test_others(void **state) {
  (void)state;
  const double pi = 3.14159265358979323846;
  CHECK_NEAR(value_of("600 rpm"), 20.0 * pi, 1e-13);
  CHECK_NEAR(value_of("1.5 rev"), 3.0 * pi, 1e-14);
  CHECK_NEAR(value_of("2 min"), 120.0, 0.0);
  CHECK_NEAR(value_of("36 km/h"), 10.0, 1e-14);
  CHECK_NEAR(value_of("90 deg/s"), pi / 2.0, 1e-15);
  CHECK(value_of("68 deg") == value_of("68*deg"));
  CHECK_NEAR(value_of("2 1/min"), 1.0 / 30.0, 1e-17);
}

static const char *unit_of(const char *name) {
  static char text[CAROM_UNIT_ROOM];
  carom_units_write(carom_unit(name), text, sizeof text);
  return text;
}

static void test_names(void **state) {
  (void)state;
  assert_string_equal(unit_of("kg m/s^2"), "N");
  assert_string_equal(unit_of("N m"), "J");
  assert_string_equal(unit_of("m/s"), "m/s");
  assert_string_equal(unit_of("rpm"), "1/s");
  assert_string_equal(unit_of("kg m^2"), "kg m^2");
  assert_string_equal(unit_of("kN/mm"), "N/m");
  assert_string_equal(unit_of("rad"), "");
}

#define HEAD                                                                                       \
  "parameters: {m: 80 kg, g: 9.81 m/s^2, k: 20 kN/m, e: 0.5, d: 3 mm}\n"                           \
  "coordinates: {y: 1 m, z: 0}\n"
#define REST "contacts: {floor: {gap: y, impact: e}}\nrun: {until: 1 s}\n"
#define ENERGY "energy: {kinetic: \"m/2*(y'^2 + z'^2)\", potential: m*g*y}\n"

static void test_dimensions(void **state) {
  (void)state;
  carom_scenario *s = read(HEAD "define: {v: y', w: z + y, q: sqrt(k/m), r: g*z}\n" ENERGY REST
                                "observe: {a: max(y), b: mean(v), c: max(floor.normal), n: "
                                "count(floor), f: mean_rate(y)}\n");
  char text[CAROM_UNIT_ROOM];
  const char *definitions[] = {"m/s", "m", "1/s", ""},
             *observables[] = {"m", "m/s", "N", "", "m/s"};
  for (int k = 0; k < 4; k++) {
    (void)carom_scenario_unit(s, s->definitions.items[k].node, text, sizeof text);
    assert_string_equal(text, definitions[k]);
  }
  for (int k = 0; k < 5; k++) {
    (void)carom_scenario_unit(s, s->measure.observables[k].node, text, sizeof text);
    assert_string_equal(text, observables[k]);
  }
  carom_scenario_free(s);
}

static void test_mistakes(void **state) {
  (void)state;
  expect_error(HEAD "energy: {kinetic: m/2*y'^2, potential: m*y}\n" REST, 3, 40, "expected is J");
  expect_error(HEAD "define: {a: y + m}\n" ENERGY REST, 3, 13, "m (kg) and y (m)");
  expect_error(HEAD "define: {a: sin(d)}\n" ENERGY REST, 3, 13, "sin of d (m)");
  expect_error(HEAD "define: {a: floor(d)}\n" ENERGY REST, 3, 13, "floor of d (m)");
  expect_error(HEAD "define: {a: \"mod(y, m)\"}\n" ENERGY REST, 3, 13, "cannot be added");
  expect_error(HEAD "define: {a: \"if(y > m, 1, 2)\"}\n" ENERGY REST, 3, 13, "cannot be added");
  expect_error(HEAD "forces: {y: k}\n" ENERGY REST, 3, 13, "forces.y is in N/m; expected is N");
  expect_error(HEAD ENERGY "contacts: {floor: {gap: y, impact: d}}\nrun: {until: 1}\n", 4, 12,
               "expected is a pure number");
  expect_error(HEAD ENERGY "run: {until: 1 m}\n", 4, 14, "run.until is in m; expected is s");
  expect_error("parameters: {a: 3 kgs}\nrun: {until: 1}\n", 1, 19, "did you mean 'kg'");
  expect_error(
      "parameters: {a: 3 m + 1, b: a + 2 s}\nstates: {x: {start: 1, rate: 0}}\nrun: {until: 1}\n",
      1, 29, "2 (s) and a (m)");
  expect_error("parameters: {a: 3 m^x}\nrun: {until: 1}\n", 1, 19, "expected an operator");
}

#define RULE HEAD ENERGY "run: {until: 1}\nevents:\n  a:\n    when: "

// numbers with units inside expressions are compared and added, and checked there
static void test_inside(void **state) {
  (void)state;
  carom_scenario_free(read(RULE
                           "y < -2.5 mm\n    if: t > 0.2 min and y' < 30 cm/s\n    do: {y': \"-y' "
                           "+ 3 km/h\"}\n"));
  carom_scenario_free(read(RULE "max(y, 3 mm) > d + 2 mm - 30 percent*d\n    do: {y: 5 mm}\n"));
  expect_error(RULE "t > 2 mm\n    do: {y: 0}\n", 6, 3, "t (s) cannot be added");
  expect_error(RULE "y > 2 mm\n    if: y' > -3 s\n    do: {y: 0}\n", 6, 3, "y' (m/s)");
  expect_error(RULE "y > 2 mm\n    do: {y: t}\n", 8, 13, "is in s; expected is m");
  // a new value that is one number and a unit
  expect_error(RULE "y > 2 mm\n    do: {y': 3 m}\n", 8, 14,
               "events.a.do.y' is in m; expected is m/s");
  expect_error(RULE "y > d*2 mm\n    do: {y: 0}\n", 7, 16, "not multiplied");
  expect_error(RULE "y > sin(2 mm)\n    do: {y: 0}\n", 7, 15, "not multiplied");
  expect_error(RULE "y > 2 m\n    do: {y: 0}\n", 7, 15, "or a product with the 'm'");
  expect_error(RULE "t > 2 s*m\n    do: {y: 0}\n", 7, 15, "or a product with the 'm'");
  expect_error(RULE "t > 2 mm + 3 s\n    do: {y: 0}\n", 7, 20, "units of both sides differ");
  // a unit that no product can be: m is a mass here, s and rad are no quantities
  carom_scenario_free(read(RULE "y' > 2 m/s\n    if: g > 2 m s^-2\n    do: {y: 0}\n"));
  expect_error(RULE "y' > 2 m/d\n    do: {y: 0}\n", 7, 16, "or a product with the 'm'");
  // the same bits as in SI
  double value = value_of("'max(2.5 mm, 1 mm) + 36 cm'");
  assert_memory_equal(&value, &(double){2.5e-3 + 36e-2}, sizeof value);
}

// where a unit is missing nothing is known, and nothing is said
static void test_silence(void **state) {
  (void)state;
  carom_scenario_free(read("parameters: {m: 80 kg, g: 9.81}\ncoordinates: {y: 1 m}\n"
                           "energy: {kinetic: m/2*y'^2, potential: m*g*y}\n"
                           "forces: {y: g*y}\n"
                           "run: {until: 1}\n"));
  carom_scenario_free(read("parameters: {tilt: 5 deg, share: 30 percent}\n"
                           "coordinates: {theta: tilt}\n"
                           "energy: {kinetic: \"theta'^2/2\"}\n"
                           "forces: {theta: share*cos(2*t) + t - theta}\n"
                           "run: {until: 1}\n"));
  // seconds alone are no wish to have units checked
  carom_scenario_free(read("states: {x: {start: 1, rate: sin(t)}}\nrun: {until: 2 s}\n"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_decimal),  cmocka_unit_test(test_others),
      cmocka_unit_test(test_names),    cmocka_unit_test(test_dimensions),
      cmocka_unit_test(test_mistakes), cmocka_unit_test(test_inside),
      cmocka_unit_test(test_silence),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
