// SPDX-License-Identifier: MIT
/// Grids of starts in studies.
#include "hybrid/motion.h"

#include "carom/study.h"

// so strongly damped that nothing crosses the hill: those with x > 0 end on the right
static void starts_are_counted(void **state) {
  (void)state;
  carom_study *study = NULL;
  carom_error error = {0};
  MUST(carom_study_open(CAROM_SOURCE_DIR "/tests/study/starts.yaml", &study, &error), error);
  const int evaluations[] = {16, 8};
  for (int k = 0; k < 2; k++) {
    carom_study_result result;
    MUST(carom_study_compute(study, k, false, &result, &error), error);
    if (result.verdict != CAROM_VERDICT_MATCH)
      fail_msg("%s: %g %s", carom_study_line_at(study, k)->id, result.carom.number, result.trouble);
    assert_int_equal(result.evaluations, evaluations[k]);
    CHECK(result.passed);
  }
  carom_study_destroy(study);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(starts_are_counted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
