// SPDX-License-Identifier: MIT
// Any bytes as a journal: read for its records, taken up by a task, and joined to a sweep. What is
// accepted can be read to its end; never a crash, a leak or a hang.
#define _POSIX_C_SOURCE 200809L
#include "carom/sweep.h"
#include "in_file.h"
#include "spread/journal.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(carom_journal *journal) {
  void *bytes = NULL;
  size_t room = 0;
  long got = 0, count = carom_journal_about(journal).count;
  for (long k = 0; k < count && k < 1000; k++)
    (void)carom_journal_fetch(journal, k, &bytes, &room, &got, NULL);
  free(bytes);
}

static void take_up(const char *path) {
  carom_journal_task task = {.identity = 42, .count = 5, .head = "abc", .head_size = 4};
  carom_journal *journal = NULL;
  carom_error error = {0};
  if (carom_journal_open(path, &task, true, &journal, &error) != CAROM_OK) {
    if (journal || !error.text[0]) abort();
    return;
  }
  read_all(journal);
  if (carom_journal_append(journal, 1, "x", 1, NULL) != CAROM_OK) abort();
  (void)carom_journal_close(journal, NULL);
}

static void join(const char *path) {
  carom_sweep *sweep = NULL;
  carom_error error = {0};
  carom_sweep_row row;
  if (carom_sweep_merge(1, &path, &sweep, &error) != CAROM_OK) {
    if (sweep || !error.text[0]) abort();
    return;
  }
  for (long k = 0; k < carom_sweep_count(sweep) && k < 1000; k++)
    (void)carom_sweep_read(sweep, k, &row, NULL);
  carom_sweep_destroy(sweep);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  in_file file = {{0}, {0}};
  if (!in_file_put(&file, "journal", data, size)) return 0;
  carom_journal *journal = NULL;
  if (carom_journal_read_only(file.path, &journal, NULL) == CAROM_OK) read_all(journal);
  (void)carom_journal_close(journal, NULL);
  join(file.path);
  take_up(file.path);
  in_file_remove(&file);
  return 0;
}
