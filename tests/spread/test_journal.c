// SPDX-License-Identifier: MIT
// Journals: what was finished is found again, after crashes too.
#define _XOPEN_SOURCE 700
#include "check.h"

#include "spread/journal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static int make_folder(void **state) {
  (void)state;
  (void)snprintf(folder, sizeof folder, "/tmp/carom-journal-XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
  (void)state;
  return rmdir(folder);
}

static const char *path_of(const char *name) {
  static char path[128];
  (void)snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static const carom_journal_task TASK = {.identity = 42, .count = 5, .head = "abc", .head_size = 4};

static carom_journal *must_open(const char *name, bool resume) {
  carom_journal *journal = NULL;
  carom_error error = {0};
  carom_status status = carom_journal_open(path_of(name), &TASK, resume, &journal, &error);
  if (status != CAROM_OK) print_error("%s\n", error.text);
  assert_int_equal(status, CAROM_OK);
  return journal;
}

static void put(carom_journal *journal, long index, const char *text) {
  assert_int_equal(carom_journal_append(journal, index, text, strlen(text), NULL), CAROM_OK);
}

// the text of a record; "-" where there is none
static const char *record(carom_journal *journal, long index) {
  static char text[64];
  void *bytes = NULL;
  size_t room = 0;
  long size = 0;
  assert_int_equal(carom_journal_fetch(journal, index, &bytes, &room, &size, NULL), CAROM_OK);
  (void)snprintf(text, sizeof text, "%.*s", size < 0 ? 1 : (int)size,
                 size < 0 ? "-" : (const char *)bytes);
  free(bytes);
  return text;
}

static void records_come_back(void **state) {
  (void)state;
  carom_journal *journal = must_open("a", false);
  put(journal, 3, "three");
  put(journal, 0, "zero");
  put(journal, 3, "three again");
  assert_string_equal(record(journal, 3), "three again");
  assert_string_equal(record(journal, 1), "-");
  assert_int_equal(carom_journal_filled(journal), 2);
  assert_int_equal(carom_journal_append(journal, 5, "x", 1, NULL), CAROM_ERR_ARGUMENT);
  assert_int_equal(carom_journal_close(journal, NULL), CAROM_OK);

  journal = must_open("a", true);
  assert_int_equal(carom_journal_filled(journal), 2);
  assert_string_equal(record(journal, 0), "zero");
  (void)carom_journal_close(journal, NULL);

  // another task does not take it up, but may replace it
  carom_journal_task other = TASK;
  other.identity = 43;
  assert_int_equal(carom_journal_open(path_of("a"), &other, true, &journal, NULL), CAROM_ERR_INPUT);
  assert_int_equal(carom_journal_open(path_of("a"), &other, false, &journal, NULL), CAROM_OK);
  assert_int_equal(carom_journal_filled(journal), 0);
  (void)carom_journal_close(journal, NULL);
  (void)unlink(path_of("a"));
}

static long size_of_file(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 ? (long)about.st_size : -1;
}

// cut inside its head, or with a head that never reached the disk, it begins anew and says so
static void torn_head_begins_anew(void **state) {
  (void)state;
  (void)carom_journal_close(must_open("whole", false), NULL);
  long whole = size_of_file(path_of("whole"));
  char command[300], source[128];
  (void)snprintf(source, sizeof source, "%s", path_of("whole"));
  for (long cut = 1; cut <= whole; cut++) {
    bool zeros = cut == whole;
    (void)snprintf(command, sizeof command, "head -c %ld %s > %s/torn", cut,
                   zeros ? "/dev/zero" : source, folder);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c): a test of its own files
    carom_journal *journal = NULL;
    carom_error remark = {0};
    assert_int_equal(carom_journal_open(path_of("torn"), &TASK, true, &journal, &remark), CAROM_OK);
    assert_non_null(strstr(remark.text, "computed anew"));
    put(journal, 1, "after");
    assert_int_equal(carom_journal_close(journal, NULL), CAROM_OK);
    journal = must_open("torn", true);
    assert_string_equal(record(journal, 1), "after");
    (void)carom_journal_close(journal, NULL);
  }
  // that of another task is left alone, torn or not
  carom_journal_task other = TASK;
  carom_journal *journal = NULL;
  other.identity = 43;
  (void)snprintf(command, sizeof command, "head -c 20 %s > %s/torn", source, folder);
  assert_int_equal(system(command), 0); // NOLINT(cert-env33-c): a test of its own files
  assert_int_equal(carom_journal_open(path_of("torn"), &other, true, &journal, NULL),
                   CAROM_ERR_INPUT);
  assert_int_equal(size_of_file(path_of("torn")), 20);
  (void)unlink(path_of("torn"));
  (void)unlink(path_of("whole"));
}

// wherever the file is cut, the records before the cut are kept and the journal goes on
static void torn_end_is_cut_off(void **state) {
  (void)state;
  carom_journal *journal = must_open("whole", false);
  put(journal, 4, "first");
  long first = size_of_file(path_of("whole"));
  put(journal, 2, "second");
  (void)carom_journal_close(journal, NULL);
  long whole = size_of_file(path_of("whole"));
  for (long cut = first; cut < whole; cut++) {
    char command[300], source[128];
    (void)snprintf(source, sizeof source, "%s", path_of("whole"));
    (void)snprintf(command, sizeof command, "head -c %ld %s > %s/torn", cut, source, folder);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c): a test of its own files
    journal = must_open("torn", true);
    assert_string_equal(record(journal, 4), "first");
    assert_string_equal(record(journal, 2), "-");
    put(journal, 1, "after");
    (void)carom_journal_close(journal, NULL);
    journal = must_open("torn", true);
    assert_int_equal(carom_journal_filled(journal), 2);
    assert_string_equal(record(journal, 1), "after");
    (void)carom_journal_close(journal, NULL);
  }
  // a changed byte is noticed
  FILE *file = fopen(path_of("whole"), "r+b");
  assert_non_null(file);
  assert_int_equal(fseek(file, -1, SEEK_END), 0);
  assert_int_equal(fputc('D', file), 'D');
  assert_int_equal(fclose(file), 0);
  journal = must_open("whole", true);
  assert_int_equal(carom_journal_filled(journal), 1);
  (void)carom_journal_close(journal, NULL);
  (void)unlink(path_of("torn"));
  (void)unlink(path_of("whole"));
}

static void journals_merge(void **state) {
  (void)state;
  carom_journal *a = must_open("a", false), *b = must_open("b", false), *c = NULL;
  put(a, 0, "a0");
  put(b, 1, "b1");
  put(b, 0, "b0");
  assert_int_equal(carom_journal_merge(a, b, NULL), CAROM_OK);
  assert_string_equal(record(a, 0), "a0");
  assert_string_equal(record(a, 1), "b1");
  (void)carom_journal_close(b, NULL);
  assert_int_equal(carom_journal_read_only(path_of("b"), &c, NULL), CAROM_OK);
  carom_journal_task about = carom_journal_about(c);
  assert_int_equal(about.count, 5);
  assert_string_equal(about.head, "abc");
  assert_string_equal(record(c, 0), "b0");
  assert_int_equal(carom_journal_append(c, 0, "x", 1, NULL), CAROM_ERR_ARGUMENT);
  (void)carom_journal_close(c, NULL);
  (void)carom_journal_close(a, NULL);
  assert_int_equal(carom_journal_read_only(path_of("none"), &c, NULL), CAROM_ERR_IO);
  FILE *file = fopen(path_of("b"), "wb");
  assert_non_null(file);
  (void)fputs("something else entirely, and long enough to hold a head", file);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(carom_journal_read_only(path_of("b"), &c, NULL), CAROM_ERR_INPUT);
  (void)unlink(path_of("a"));
  (void)unlink(path_of("b"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(records_come_back), cmocka_unit_test(torn_end_is_cut_off),
      cmocka_unit_test(torn_head_begins_anew), cmocka_unit_test(journals_merge)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
