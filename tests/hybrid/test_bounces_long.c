// SPDX-License-Identifier: MIT
// A million elastic bounces keep their energy.
#include "motion.h"

static void a_million_bounces(void **state) {
  (void)state;
  motion m = motion_parse("coordinates: {x: {start: 0, rate: 0.3}, y: 1}\n"
                          "energy: {kinetic: \"(x'^2 + y'^2)/2\", potential: 9.81*y}\n"
                          "contacts: {floor: {gap: y, impact: {law: newton, e: 1}}}\n"
                          "run: {until: 1e7, sample: 1e6}\n");
  double period = 2.0 * sqrt(2.0 / 9.81), energy = 9.81 + 0.045;
  motion_advance(&m, (1e6 + 0.5) * period);
  carom_certificate c = certificate_of(&m);
  CHECK(c.counts.impacts > 999998 && c.counts.impacts < 1000003);
  CHECK_RELATIVE(c.energy.kinetic + c.energy.potential, energy, 1e-9);
  CHECK(c.passed && c.counts.closings == 0);
  CHECK_RELATIVE(value_of(&m, "x'"), 0.3, 1e-9);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_million_bounces)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
