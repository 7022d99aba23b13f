// SPDX-License-Identifier: MIT
/// Every line of the study of bodies in surface fields holds.
#include "check.h"

#include "carom/study.h"

static void every_line(void **state) {
  (void)state;
  carom_study *study = NULL;
  carom_error error = {0};
  int explained = 0;
  assert_int_equal(carom_study_open(CAROM_SOURCE_DIR "/studies/field.yaml", &study, &error), 0);
  for (int k = 0; k < carom_study_count(study); k++) {
    const carom_study_line *line = carom_study_line_at(study, k);
    carom_study_result result;
    assert_int_equal(carom_study_compute(study, k, false, &result, &error), 0);
    bool holds = result.verdict == CAROM_VERDICT_MATCH || result.verdict == CAROM_VERDICT_EXPLAINED;
    if (!holds)
      fail_msg("%s: %s, carom %.12g %s", line->id, carom_verdict_text(result.verdict),
               result.carom.number, result.trouble);
    if (!result.passed) fail_msg("%s: a deciding run did not pass its certificate", line->id);
    explained += result.verdict == CAROM_VERDICT_EXPLAINED;
  }
  // the rotations of figure 14 and the rebound of figure 19
  assert_int_equal(explained, 2);
  carom_study_destroy(study);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_line)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
