// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
/// Every verdict from a small study; mistakes of study files with their places.
#include "hybrid/motion.h"

#include "carom/study.h"
#include "study/verdict.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static carom_study *open_study(const char *name) {
  char path[400];
  carom_study *study = NULL;
  carom_error error = {0};
  (void)snprintf(path, sizeof path, "%s/%s", CAROM_SOURCE_DIR, name);
  MUST(carom_study_open(path, &study, &error), error);
  return study;
}

// the ids say what is expected of them
static carom_verdict expected_verdict(const char *id) {
  if (strncmp(id, "fail", 4) == 0) return CAROM_VERDICT_FAIL;
  if (strncmp(id, "open", 4) == 0) return CAROM_VERDICT_OPEN;
  return strncmp(id, "explained", 9) == 0 ? CAROM_VERDICT_EXPLAINED : CAROM_VERDICT_MATCH;
}

static void test_verdicts(void **state) {
  (void)state;
  carom_study *study = open_study("tests/study/verdicts.yaml");
  int seen[CAROM_VERDICTS] = {0};
  for (int k = 0; k < carom_study_count(study); k++) {
    const carom_study_line *line = carom_study_line_at(study, k);
    carom_study_result result;
    carom_error error = {0};
    MUST(carom_study_compute(study, k, true, &result, &error), error);
    seen[result.verdict]++;
    if (result.verdict != expected_verdict(line->id))
      fail_msg("line %s: %s (%s)", line->id, carom_verdict_text(result.verdict), result.trouble);
    if (strcmp(line->id, "fail-name") == 0) CHECK(strstr(result.trouble, "hight") != NULL);
    CHECK(line->only_full == (strcmp(line->id, "only-full") == 0));
  }
  for (int v = 0; v < CAROM_VERDICTS; v++)
    CHECK(seen[v] > 0);
  CHECK(carom_study_line_at(study, -1) == NULL);
  CHECK(carom_study_line_at(study, carom_study_count(study)) == NULL);
  carom_study_destroy(study);
}

// the tolerance is inclusive, and a number never agrees with NaN
static void test_agreement(void **state) {
  (void)state;
  carom_answer claim = {.given = true, .number = 1.0}, answer = {.given = true, .number = 1.25};
  CHECK(carom_answers_agree(&claim, &answer, 0.25));
  CHECK(!carom_answers_agree(&claim, &answer, 0.2499999));
  answer.number = NAN;
  CHECK(!carom_answers_agree(&claim, &answer, 1e300));
  answer.given = false;
  answer.number = 1.0;
  CHECK(!carom_answers_agree(&claim, &answer, 1.0));
}

/// Lines as they come in.
typedef struct basket {
  const carom_study *study;
  int next, known;
  atomic_int patience; // how often it may be asked before it wants to stop
} basket;

static bool second_is_known(void *ctx, int k, carom_study_result *result) {
  basket *it = ctx;
  if (k != 1) return false;
  it->known++;
  *result = (carom_study_result){.evaluations = 77};
  return true;
}

static void check_line(void *ctx, int k, const carom_study_result *result, double seconds) {
  basket *it = ctx;
  carom_study_result alone;
  carom_error error = {0};
  assert_int_equal(k, it->next++);
  CHECK(seconds >= 0.0);
  if (k == 1) {
    assert_int_equal(result->evaluations, 77);
    return;
  }
  MUST(carom_study_compute(it->study, k, true, &alone, &error), error);
  assert_int_equal(result->verdict, alone.verdict);
  assert_int_equal(result->evaluations, alone.evaluations);
  CHECK_SAME(result->carom.number, alone.carom.number);
  assert_string_equal(result->carom.text, alone.carom.text);
}

static bool has_enough(void *ctx) { return atomic_fetch_sub(&((basket *)ctx)->patience, 1) <= 0; }

// several lines at a time: the same results in the same order; what is known is not computed
static void test_all_lines(void **state) {
  (void)state;
  carom_study *study = open_study("tests/study/verdicts.yaml");
  carom_study_options options = carom_study_options_default();
  int count = carom_study_count(study);
  options.full = true;
  options.take = check_line;
  options.known = second_is_known;
  for (options.abreast = 0; options.abreast < 6; options.abreast += 2) {
    basket it = {.study = study};
    options.ctx = &it;
    assert_int_equal(carom_study_compute_all(study, &options, NULL), CAROM_OK);
    assert_int_equal(it.next, count);
    assert_int_equal(it.known, 1);
  }
  // stopped on the way: the first lines, and not all
  basket few = {.study = study, .patience = 4};
  options.ctx = &few;
  options.abreast = 1;
  options.stopped = has_enough;
  assert_int_equal(carom_study_compute_all(study, &options, NULL), CAROM_STOP_USER);
  CHECK(few.next >= 2 && few.next <= 5); // four at most were begun, and one is known
  options.size = 0;
  assert_int_equal(carom_study_compute_all(study, &options, NULL), CAROM_ERR_ARGUMENT);
  carom_study_destroy(study);
}

// the published studies can at least be read
static void test_published(void **state) {
  (void)state;
  carom_study *study = open_study("studies/fio.yaml");
  CHECK(carom_study_count(study) > 25);
  CHECK(carom_study_title(study)[0] && carom_study_paper(study)[0]);
  carom_study_destroy(study);
}

static void refuses(const char *text, int line, const char *part) {
  char path[] = "/tmp/carom_study_XXXXXX";
  int file = mkstemp(path);
  CHECK(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
  (void)close(file);
  carom_study *study = NULL;
  carom_error error = {0};
  carom_status status = carom_study_open(path, &study, &error);
  (void)unlink(path);
  CHECK(study == NULL);
  assert_int_equal(status, CAROM_ERR_INPUT);
  if (error.line != line || !strstr(error.text, part))
    fail_msg("line %d '%s', expected line %d '%s'", error.line, error.text, line, part);
}

static void test_mistakes(void **state) {
  (void)state;
  refuses("title: x\nlines: []\n", 2, "needs a list");
  refuses("title: x\nlinse: []\n", 2, "did you mean 'lines'");
  refuses("title: x\nscenario: a.yaml\nlines:\n  - {id: a, paper: p, what: w, expected: 1}\n", 4,
          "nothing to compute");
  refuses("title: x\nscenario: a.yaml\nlines:\n"
          "  - {id: a, paper: p, what: w, expected: 1, observable: x, word: y}\n",
          4, "one thing");
  refuses("title: x\nlines:\n  - {id: a, paper: p, what: w, expected: 1, observable: x}\n", 3,
          "scenario");
  refuses("title: x\nscenario: a.yaml\nlines:\n  - {id: a, paper: p, what: w, observable: x}\n", 4,
          "one of 'expected'");
  refuses("title: x\nscenario: a.yaml\nlines:\n"
          "  - {id: a, paper: p, what: w, observable: x, above: 1}\n",
          4, "means over runs");
  refuses("title: x\nscenario: a.yaml\nlines:\n"
          "  - {id: a, paper: p, what: w, excess: {of: x, with: {y: 1}}, above: 1}\n",
          4, "'over' is missing");
  refuses("title: x\nscenario: a.yaml\nlines:\n"
          "  - {id: a, paper: p, what: w, observable: x, expected: 1, explained: so}\n",
          4, "needs 'converged'");
  refuses("title: x\nscenario: a.yaml\nlines:\n"
          "  - {id: a, paper: p, what: w, observable: x, expected: 1, tolerance: small}\n",
          4, "must be a number");
  refuses("title: x\nscenario: a.yaml\nlines:\n"
          "  - {id: a, paper: p, what: w, observable: x, expected: 1}\n"
          "  - {id: a, paper: p, what: w, observable: x, expected: 1}\n",
          5, "two lines");
  refuses(
      "title: x\nscenario: a.yaml\nlines:\n"
      "  - {id: a, paper: p, what: w, expected: 1, locate: {over: m, from: 1, to: 2, whn: x}}\n",
      4, "did you mean 'when'");
  refuses(
      "title: x\nscenario: a.yaml\nlines:\n"
      "  - {id: a, paper: p, what: w, expected: 1, locate: {over: m, from: 1, to: 2, when: x}}\n",
      4, "OBSERVABLE = VALUE");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_verdicts),  cmocka_unit_test(test_agreement),
      cmocka_unit_test(test_all_lines), cmocka_unit_test(test_published),
      cmocka_unit_test(test_mistakes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
