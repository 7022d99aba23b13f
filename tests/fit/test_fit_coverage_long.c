// SPDX-License-Identifier: MIT
// Intervals of 95 % hold the truth in 95 +- 3 % of 400 trials, whose seeds are 1 to 400.
#include "measured.h"

enum { TRIALS = 400 };

static void test_coverage(void **unused) {
  (void)unused;
  const carom_setting settings[] = {{"run.until", "1"}, {"e", "0.7"}, {0}};
  const carom_fit_range free[] = {{"e", 0.3, 0.99}, {"h", 0.1, 3.0}};
  const carom_value errors[] = {{"floor", 2e-3}};
  const double truth[] = {0.8, 1.0};
  motion m = motion_load("bouncing_ball", settings);
  int held[2] = {0, 0};
  for (int trial = 1; trial <= TRIALS; trial++) {
    measure_clicks("trial.csv", truth[0], truth[1], 9.81, 8, 2e-3, (uint64_t)trial);
    carom_fit *fit = fit_file(&m, "trial.csv", 2, free, errors, 1);
    const carom_fit_view *v = carom_fit_look(fit);
    for (int j = 0; j < 2; j++)
      held[j] += fabs(v->values[j] - truth[j]) <= 1.959963985 * v->errors[j];
    carom_fit_destroy(fit);
  }
  for (int j = 0; j < 2; j++) {
    print_message("%s: %d of %d\n", free[j].name, held[j], TRIALS);
    assert_in_range(held[j], 368, 392);
  }
  (void)remove("trial.csv");
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_coverage)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
