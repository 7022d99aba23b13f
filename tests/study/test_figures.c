// SPDX-License-Identifier: MIT
// Every figure of every study begins with a scenario and settings that can be loaded: a figure must
// not get lost on the way to a gallery that takes minutes.
#include "hybrid/motion.h"

#include "carom/study.h"

#include <stdlib.h>

enum { MOST_SETTINGS = 40, LONGEST_TEXT = 400 };

typedef struct settings {
  carom_setting list[MOST_SETTINGS];
  char texts[MOST_SETTINGS][LONGEST_TEXT];
  int count;
} settings;

// "mu=0.4"
static void add_setting(settings *it, const char *text, size_t length) {
  assert_true(it->count < MOST_SETTINGS && length < LONGEST_TEXT);
  char *own = it->texts[it->count];
  (void)snprintf(own, LONGEST_TEXT, "%.*s", (int)length, text);
  char *equals = strchr(own, '=');
  assert_non_null(equals);
  *equals = '\0';
  it->list[it->count++] = (carom_setting){own, equals + 1};
}

static void take_words(settings *it, const carom_study_figure *figure, const char **scenario) {
  for (int k = 0; k < figure->make_count; k++) {
    const char *word = figure->make[k],
               *next = k + 1 < figure->make_count ? figure->make[k + 1] : "";
    size_t length = strlen(word);
    if (length > 5 && strcmp(word + length - 5, ".yaml") == 0) *scenario = word;
    if (strcmp(word, "--set") == 0) add_setting(it, next, strlen(next));
    if (strcmp(word, "--until") == 0) it->list[it->count++] = (carom_setting){"run.until", next};
  }
}

// the settings of the k-th run beside the common ones: "nu=3 d0=0.01"
static void take_varied(settings *it, const char *text) {
  while (*text) {
    size_t length = strcspn(text, " ");
    add_setting(it, text, length);
    text += length + (text[length] == ' ');
  }
}

static void check_figure(const carom_study *study, const carom_study_figure *figure, int run) {
  settings *it = calloc(1, sizeof *it);
  const char *scenario = NULL;
  assert_non_null(it);
  take_words(it, figure, &scenario);
  if (figure->vary_count > 0) take_varied(it, figure->vary[run]);
  if (scenario) { // figures of a closed form have none
    char path[1000], text[1500];
    carom_model *model = NULL;
    carom_error error = {0};
    (void)snprintf(path, sizeof path, "%s%s", carom_study_folder(study), scenario);
    if (carom_model_load(path, it->count, it->list, &model, &error) != CAROM_OK)
      fail_msg("figure %s: %s", figure->id, carom_error_format(&error, text, sizeof text));
    carom_model_destroy(model);
  }
  free(it);
}

static void test_every_figure_loads(void **state) {
  (void)state;
  static const char *const studies[] = {"fio", "discball", "dimer", "rods", "field"};
  for (int s = 0; s < 5; s++) {
    char path[400];
    carom_study *study = NULL;
    carom_error error = {0};
    (void)snprintf(path, sizeof path, "%s/studies/%s.yaml", CAROM_SOURCE_DIR, studies[s]);
    MUST(carom_study_open(path, &study, &error), error);
    CHECK(carom_study_figure_count(study) > 3);
    for (int k = 0; k < carom_study_figure_count(study); k++) {
      const carom_study_figure *figure = carom_study_figure_at(study, k);
      for (int run = 0; run < (figure->vary_count > 0 ? figure->vary_count : 1); run++)
        check_figure(study, figure, run);
    }
    carom_study_destroy(study);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_figure_loads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
