// SPDX-License-Identifier: MIT
/// Every line of the study of the disc and the ball holds; the course of a motion as a text.
#include "hybrid/motion.h"

#include "carom/study.h"
#include "study/course.h"

static void test_every_line(void **state) {
  (void)state;
  carom_study *study = NULL;
  carom_error error = {0};
  MUST(carom_study_open(CAROM_SOURCE_DIR "/studies/discball.yaml", &study, &error), error);
  for (int k = 0; k < carom_study_count(study); k++) {
    const carom_study_line *line = carom_study_line_at(study, k);
    carom_study_result result;
    MUST(carom_study_compute(study, k, false, &result, &error), error);
    bool holds = result.verdict == CAROM_VERDICT_MATCH || result.verdict == CAROM_VERDICT_EXPLAINED;
    // what was published must come out as it was published, and needs no reason
    bool published = strncmp(line->id, "p-2", 3) == 0 || strncmp(line->id, "p-3", 3) == 0 ||
                     strncmp(line->id, "p-4", 3) == 0 || strncmp(line->id, "boundary", 8) == 0;
    if (!holds || (published && result.verdict != CAROM_VERDICT_MATCH))
      fail_msg("%s: %s, carom %.12g '%s' %s", line->id, carom_verdict_text(result.verdict),
               result.carom.number, result.carom.text, result.trouble);
    if (!result.passed) fail_msg("%s: a deciding run did not pass its certificate", line->id);
  }
  carom_study_destroy(study);
}

static void happen(carom_course *course, long instant, carom_event_kind kind, const char *name,
                   int direction) {
  carom_event event = {.kind = kind, .name = name, .instant = instant, .direction = direction};
  assert_int_equal(carom_course_event(course, &event), 0);
}

// two strike together, one bounces, it closes and slips, the other sticks with it, both leave
static void test_course(void **state) {
  (void)state;
  carom_course course;
  carom_course_begin(&course);
  happen(&course, 1, CAROM_EVENT_IMPACT, "b", 0);
  happen(&course, 1, CAROM_EVENT_IMPACT, "a", 0);
  for (long instant = 2; instant < 7; instant++)
    happen(&course, instant, CAROM_EVENT_IMPACT, "a", 0);
  happen(&course, 7, CAROM_EVENT_CLOSE, "a", -1);
  happen(&course, 8, CAROM_EVENT_SECTION, "not a contact", 1);
  happen(&course, 9, CAROM_EVENT_STICK, "a", 0);
  happen(&course, 9, CAROM_EVENT_CLOSE, "b", 0);
  happen(&course, 10, CAROM_EVENT_SLIP, "a", 1);
  happen(&course, 11, CAROM_EVENT_OPEN, "a", 0);
  happen(&course, 11, CAROM_EVENT_OPEN, "b", 0);
  happen(&course, 12, CAROM_EVENT_IMPACT, "a", 0);
  carom_course_end(&course);
  assert_string_equal(course.text, "I(a,b) I(a)* a:- a:K,b:K a:+,b:K I(a)");
  CHECK(!course.full);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_line),
                                     cmocka_unit_test(test_course)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
