// SPDX-License-Identifier: MIT
// A parameter changed in mid-motion: the state goes on, everything measured begins anew.
#include "motion.h"

#include <stdlib.h>

// x'' = -k x: after a change at time s the solution is that of the new stiffness from x(s), x'(s)
static const char SPRING[] = "parameters: {k: 4}\n"
                             "coordinates: {x: 1}\n"
                             "energy: {kinetic: x'^2/2, potential: k/2*x^2}\n"
                             "run: {until: 5, sample: 0.5}\n"
                             "measure: {after: 2}\n"
                             "observe: {longest: max(x), speed: max(x')}\n";

static void state_goes_on(void **state) {
  (void)state;
  motion m = motion_parse(SPRING);
  carom_error error = {0};
  motion_advance(&m, 0.7);
  double x = cos(2 * 0.7), v = -2 * sin(2 * 0.7);
  MUST(carom_simulation_change(m.simulation, "k", 9.0, &error), error);
  CHECK_SAME(carom_simulation_time(m.simulation), 0.7);
  CHECK_NEAR(carom_simulation_until(m.simulation), 5.7, 1e-15);
  motion_advance(&m, 5.7);
  CHECK_NEAR(value_of(&m, "x"), x * cos(3 * 5.0) + v / 3 * sin(3 * 5.0), 1e-8);
  // the window begins 2 after the change and holds more than a period
  CHECK_NEAR(value_of(&m, "longest"), sqrt(x * x + v * v / 9), 1e-8);
  carom_certificate c = certificate_of(&m);
  CHECK_NEAR(c.t_start, 0.7, 0.0);
  CHECK_NEAR(c.energy.potential_start, 4.5 * x * x, 1e-9);
  CHECK(c.passed);
  // back to the change, not to the scenario's start
  MUST(carom_simulation_reset(m.simulation, &error), error);
  CHECK_SAME(carom_simulation_time(m.simulation), 0.7);
  CHECK_NEAR(value_of(&m, "x"), x, 1e-9);
  motion_end(&m);
}

static void nothing_changed_goes_on_as_before(void **state) {
  (void)state;
  motion m = motion_load("frictional_impact_oscillator", NULL);
  motion other = motion_load("frictional_impact_oscillator", NULL);
  carom_error error = {0};
  for (double t = 1.3; t < 9.0; t += 1.3) {
    motion_advance(&m, t);
    motion_advance(&other, t);
    MUST(carom_simulation_change(m.simulation, NULL, 0.0, &error), error);
  }
  motion_advance(&m, 10.0);
  motion_advance(&other, 10.0);
  int size;
  const double *y = carom_simulation_state(m.simulation, &size);
  const double *z = carom_simulation_state(other.simulation, NULL);
  for (int i = 0; i < size; i++)
    CHECK_NEAR(y[i], z[i], 1e-6);
  motion_end(&m);
  motion_end(&other);
}

// a block rests on a table; the table is put higher, lower, and the block stays a block
static const char TABLE[] = "parameters: {h: 0.5}\n"
                            "coordinates: {y: 0.5}\n"
                            "energy: {kinetic: y'^2/2, potential: 9.81*y}\n"
                            "contacts: {top: {gap: y - h, impact: {law: newton, e: 0}}}\n"
                            "run: {until: 1, sample: 0.1}\n";

static void closed_contacts(void **state) {
  (void)state;
  motion m = motion_parse(TABLE);
  carom_error error = {0};
  char word[64];
  motion_advance(&m, 0.5);
  // lifted with the table
  MUST(carom_simulation_change(m.simulation, "h", 0.6, &error), error);
  CHECK_NEAR(value_of(&m, "y"), 0.6, 1e-12);
  // the table leaves: free fall through 0.2 takes sqrt(2 0.2/g)
  MUST(carom_simulation_change(m.simulation, "h", 0.4, &error), error);
  CHECK_NEAR(value_of(&m, "y"), 0.6, 1e-12);
  motion_advance(&m, 0.6);
  CHECK_NEAR(value_of(&m, "y"), 0.6 - 0.5 * 9.81 * 0.01, 1e-12);
  // in flight the table cannot be put into the block, and nothing has changed then
  assert_int_equal(carom_simulation_change(m.simulation, "h", 0.7, &error), CAROM_ERR_INPUT);
  CHECK_SAME(value_of(&m, "h"), 0.4);
  CHECK_SAME(carom_simulation_time(m.simulation), 0.6);
  motion_advance(&m, 1.4);
  MUST(carom_simulation_word(m.simulation, word, sizeof word, &error), error);
  CHECK_NEAR(value_of(&m, "y"), 0.4, 1e-12);
  assert_int_equal(carom_simulation_change(m.simulation, "y", 0.7, &error), CAROM_ERR_ARGUMENT);
  assert_int_equal(carom_simulation_change(m.simulation, "h", NAN, &error), CAROM_ERR_ARGUMENT);
  motion_end(&m);
}

static void saved_and_restored(void **state) {
  (void)state;
  motion m = motion_load("frictional_impact_oscillator", NULL);
  motion copy = motion_load("frictional_impact_oscillator", NULL);
  carom_error error = {0};
  motion_advance(&m, 3.0);
  MUST(carom_simulation_change(m.simulation, "mu", 0.45, &error), error);
  motion_advance(&m, 4.0);
  size_t size = 0;
  MUST(carom_simulation_save(m.simulation, NULL, &size, &error), error);
  void *buffer = malloc(size);
  assert_non_null(buffer);
  MUST(carom_simulation_save(m.simulation, buffer, &size, &error), error);
  MUST(carom_simulation_restore(copy.simulation, buffer, size, &error), error);
  free(buffer);
  motion_advance(&m, 12.0);
  motion_advance(&copy, 12.0);
  CHECK_SAME(value_of(&m, "phi"), value_of(&copy, "phi"));
  CHECK_SAME(carom_simulation_until(m.simulation), carom_simulation_until(copy.simulation));
  MUST(carom_simulation_reset(copy.simulation, &error), error);
  CHECK_SAME(carom_simulation_time(copy.simulation), 3.0);
  motion_end(&m);
  motion_end(&copy);
}

// Where a changed parameter moves the surface, what rests on it is placed anew, which is nothing
// that happened: the ledger begins after it.
static void ledger_begins_after_placing(void **state) {
  (void)state;
  motion m = motion_parse(TABLE);
  carom_error error = {0};
  motion_advance(&m, 0.5);
  MUST(carom_simulation_change(m.simulation, "h", 0.6, &error), error);
  CHECK_NEAR(certificate_of(&m).energy.potential_start, 9.81 * 0.6, 1e-12);
  motion_advance(&m, 1.0);
  carom_certificate c = certificate_of(&m);
  CHECK(c.passed);
  CHECK_NEAR(c.energy.residual, 0.0, 1e-13);
  motion_end(&m);
  // a dimer with one tip on the plate becomes longer
  const carom_setting start[] = {{"Ar", "5.05"}, {"settle", "10"}, {"cycles", "2"}, {0}};
  m = motion_load("dimer", start);
  motion_run(&m);
  MUST(carom_simulation_change(m.simulation, "Ar", 5.3, &error), error);
  motion_run(&m);
  c = certificate_of(&m);
  CHECK(c.passed);
  CHECK_NEAR(c.energy.residual_relative, 0.0, 1e-10);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(state_goes_on), cmocka_unit_test(nothing_changed_goes_on_as_before),
      cmocka_unit_test(closed_contacts), cmocka_unit_test(ledger_begins_after_placing),
      cmocka_unit_test(saved_and_restored)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
