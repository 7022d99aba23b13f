// SPDX-License-Identifier: MIT
// Every file of the fuzzing corpus is read: good_* must load, bad_* must be refused, the rest may
// do either; whatever is refused comes with a text.
#include "check.h"
#include "scenario/scenario.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#define CORPUS CAROM_SOURCE_DIR "/tests/fuzz/scenario"

enum { LARGEST_INPUT = 1 << 20 };

static char *read_text(const char *name) {
  char path[1024];
  (void)snprintf(path, sizeof path, CORPUS "/%s", name);
  FILE *file = fopen(path, "rb");
  char *text = calloc(1, LARGEST_INPUT + 1);
  assert_non_null(file);
  assert_non_null(text);
  (void)fread(text, 1, LARGEST_INPUT, file);
  (void)fclose(file);
  return text;
}

static void check_one(const char *name) {
  char *text = read_text(name);
  carom_error error = {0};
  carom_scenario *s = NULL;
  carom_status status = carom_scenario_read(NULL, text, 0, NULL, NULL, &s, &error);
  bool good = strncmp(name, "good_", 5) == 0, bad = strncmp(name, "bad_", 4) == 0;
  if (good && status) fail_msg("%s: %d:%d %s", name, error.line, error.column, error.text);
  if (bad && !status) fail_msg("%s was accepted", name);
  if (status) CHECK(status < 0 && !s && error.status == status && error.text[0]);
  carom_scenario_free(s);
  free(text);
}

static void test_corpus(void **state) {
  (void)state;
  DIR *folder = opendir(CORPUS);
  assert_non_null(folder);
  int count = 0;
  for (struct dirent *entry; (entry = readdir(folder));) {
    if (entry->d_name[0] == '.') continue;
    check_one(entry->d_name);
    count++;
  }
  (void)closedir(folder);
  CHECK(count > 60);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_corpus)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
