// SPDX-License-Identifier: MIT
// Means over runs: a fall whose height is set by the axis has a mean and an error known in advance.
#include "carom/study.h"
#include "check.h"

static void test_mean_and_error(void **state) {
  (void)state;
  carom_study *study = NULL;
  carom_error error = {0};
  if (carom_study_open(CAROM_SOURCE_DIR "/tests/study/mean.yaml", &study, &error))
    print_error("%s\n", error.text);
  assert_non_null(study);
  carom_study_result result;
  assert_int_equal(carom_study_compute(study, 0, false, &result, &error), CAROM_OK);
  // values 1 and 3: mean 2, standard deviation sqrt(2), error 1
  CHECK_NEAR(result.carom.number, 2, 1e-8);
  CHECK_NEAR(result.spread, 1, 1e-8);
  assert_int_equal(result.evaluations, 2);
  assert_int_equal(result.verdict, CAROM_VERDICT_MATCH);
  // values 1, 2, 3, 4: mean 5/2, variance 5/3, error sqrt(5/12)
  assert_int_equal(carom_study_compute(study, 0, true, &result, &error), CAROM_OK);
  CHECK_NEAR(result.carom.number, 2.5, 1e-8);
  CHECK_NEAR(result.spread, sqrt(5.0 / 12), 1e-8);
  assert_int_equal(result.verdict, CAROM_VERDICT_FAIL);
  carom_study_destroy(study);
}

// the tolerance is three standard errors of the difference: of the value and of the mean
static void test_tolerance_follows_from_errors(void **state) {
  (void)state;
  carom_study *study = NULL;
  carom_error error = {0};
  carom_study_result result;
  assert_int_equal(carom_study_open(CAROM_SOURCE_DIR "/tests/study/mean.yaml", &study, &error),
                   CAROM_OK);
  assert_int_equal(carom_study_compute(study, 1, false, &result, &error), CAROM_OK);
  CHECK_NEAR(result.tolerance, 3 * 1.25, 1e-7); // errors 3/4 and 1
  assert_int_equal(result.verdict, CAROM_VERDICT_MATCH);
  assert_int_equal(carom_study_compute(study, 1, true, &result, &error), CAROM_OK);
  CHECK_NEAR(result.tolerance, 3 * sqrt(9.0 / 16 + 5.0 / 12), 1e-7);
  assert_int_equal(result.verdict, CAROM_VERDICT_MATCH);
  // 2 +- 1 beside 4 +- 2: one minus their ratio, whose relative errors of one half each add up
  assert_int_equal(carom_study_compute(study, 2, false, &result, &error), CAROM_OK);
  assert_int_equal(result.verdict, CAROM_VERDICT_MATCH);
  CHECK_NEAR(result.spread, 0.5 * sqrt(0.5), 1e-7);
  carom_study_destroy(study);
}

// a bound that is to be exceeded holds only by three standard errors of the mean
static void test_beyond_doubt(void **state) {
  (void)state;
  carom_study *study = NULL;
  carom_error error = {0};
  carom_study_result result;
  assert_int_equal(carom_study_open(CAROM_SOURCE_DIR "/tests/study/mean.yaml", &study, &error),
                   CAROM_OK);
  assert_int_equal(carom_study_compute(study, 3, false, &result, &error), CAROM_OK);
  CHECK_NEAR(result.carom.number, 2, 1e-7);
  CHECK_NEAR(result.spread, sqrt(5.0), 1e-7);
  assert_int_equal(result.verdict, CAROM_VERDICT_FAIL);
  assert_int_equal(carom_study_compute(study, 4, false, &result, &error), CAROM_OK);
  CHECK_NEAR(result.tolerance, 3, 1e-6);
  assert_int_equal(result.verdict, CAROM_VERDICT_MATCH);
  assert_int_equal(carom_study_compute(study, 4, true, &result, &error), CAROM_OK);
  CHECK_NEAR(result.tolerance, 9, 1e-6);
  assert_int_equal(result.verdict, CAROM_VERDICT_FAIL);
  carom_study_destroy(study);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_mean_and_error),
                                     cmocka_unit_test(test_beyond_doubt),
                                     cmocka_unit_test(test_tolerance_follows_from_errors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
