// SPDX-License-Identifier: MIT
// What rates keep is kept for ever: a million steps of a tumbling body.
#include "motion.h"

static void stays_a_rotation(void **state) {
  (void)state;
  motion m = motion_load("tumbling_body", (const carom_setting[]){{"run.until", "5000"},
                                                                  {"run.h_max", "0.005"},
                                                                  {"run.sample", "1"},
                                                                  {"push", "1"},
                                                                  {NULL, NULL}});
  const char *const names[] = {"e0", "e1", "e2", "e3"};
  double worst = 0.0;
  for (double t = 50.0; t <= 5000.0; t += 50.0) {
    motion_advance(&m, t);
    double sum = -1.0;
    for (int k = 0; k < 4; k++)
      sum += value_of(&m, names[k]) * value_of(&m, names[k]);
    worst = fmax(worst, fabs(sum));
    CHECK_NEAR(value_of(&m, "Ly"), 10.0, 1e-9);
  }
  CHECK(certificate_of(&m).counts.steps >= 1000000);
  CHECK(worst < 1e-15);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(stays_a_rotation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
