// SPDX-License-Identifier: MIT
#include "spread/journal.h"

#include "base/error.h"
#include "base/platform.h"
#include "base/text.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char MAGIC[8] = {'c', 'a', 'r', 'o', 'm', 'j', '0', '2'};
enum { MOST_BYTES = 1 << 28 };        // of one record or head
static const double SYNC_EVERY = 2.0; // [s]: what a power cut may cost

/// In front of every record.
typedef struct record_head {
  uint64_t index, size, checksum;
} record_head;

/// At the beginning of the file.
typedef struct file_head {
  char magic[8];
  uint64_t identity, count, head_size, checksum; // of these three and the task's head
} file_head;

struct carom_journal {
  carom_file *file;
  bool writable;
  char *path; // NULL: nameless
  carom_journal_task task;
  void *head;
  int64_t *place; // of each index: offset of its record, 0: none
  int64_t end;
  long filled;
  double synced; // on the clock
  carom_monitor *monitor;
  char *block; // one record as it is written
  size_t block_room;
};

static uint64_t record_checksum(const record_head *head, const void *bytes) {
  uint64_t hash = carom_hash(0, &head->index, sizeof head->index);
  hash = carom_hash(hash, &head->size, sizeof head->size);
  return carom_hash(hash, bytes, (size_t)head->size);
}

static const char *name_of(const carom_journal *it) { return it->path ? it->path : "the journal"; }

static carom_status io_failed(const carom_journal *it, const char *what, carom_error *error) {
  return carom_fail(error, CAROM_ERR_IO, "cannot %s %s: %s", what, name_of(it),
                    errno ? strerror(errno) : "the file ends too early");
}

static bool grow_bytes(void **bytes, size_t *room, size_t size) {
  if (size <= *room) return true;
  size_t wanted = size + size / 2 + 64;
  void *grown = realloc(*bytes, wanted);
  if (!grown) return false;
  *bytes = grown;
  *room = wanted;
  return true;
}

static void note_place(carom_journal *it, long index, int64_t offset) {
  assert(index >= 0 && index < it->task.count && offset > 0);
  if (it->place[index] == 0) it->filled++;
  it->place[index] = offset;
}

// ---- opening ----

static carom_status take_task(carom_journal *it, const carom_journal_task *task,
                              carom_error *error) {
  it->task = *task;
  it->head = malloc(task->head_size ? task->head_size : 1);
  it->place = calloc(task->count > 0 ? (size_t)task->count : 1, sizeof *it->place);
  if (!it->head || !it->place) return carom_fail_memory(error);
  if (task->head && task->head_size) memcpy(it->head, task->head, task->head_size);
  it->task.head = it->head;
  return CAROM_OK;
}

static uint64_t head_checksum(const file_head *head, const void *bytes) {
  uint64_t hash = carom_hash(0, &head->identity, sizeof head->identity);
  hash = carom_hash(hash, &head->count, sizeof head->count);
  hash = carom_hash(hash, &head->head_size, sizeof head->head_size);
  return carom_hash(hash, bytes, (size_t)head->head_size);
}

static file_head own_head(const carom_journal *it) {
  file_head head = {.identity = it->task.identity,
                    .count = (uint64_t)it->task.count,
                    .head_size = it->task.head_size};
  head.checksum = head_checksum(&head, it->head);
  memcpy(head.magic, MAGIC, sizeof MAGIC);
  return head;
}

static carom_status write_head(carom_journal *it, carom_error *error) {
  file_head head = own_head(it);
  it->end = (int64_t)(sizeof head + it->task.head_size);
  if (!carom_file_cut(it->file, 0) || !carom_file_put(it->file, &head, sizeof head, 0) ||
      !carom_file_put(it->file, it->head, it->task.head_size, sizeof head))
    return io_failed(it, "write", error);
  return CAROM_OK;
}

// the records that are whole; the first torn one ends the journal
static carom_status scan_records(carom_journal *it, carom_error *error) {
  int64_t whole = carom_file_size(it->file);
  if (whole < 0) return io_failed(it, "read", error);
  void *bytes = NULL;
  size_t room = 0;
  carom_status status = CAROM_OK;
  for (;;) {
    record_head head;
    if (!carom_file_get(it->file, &head, sizeof head, it->end)) break;
    int64_t after = it->end + (int64_t)sizeof head;
    if (head.size > MOST_BYTES || head.index >= (uint64_t)it->task.count ||
        (int64_t)head.size > whole - after)
      break;
    if (!grow_bytes(&bytes, &room, (size_t)head.size)) {
      status = carom_fail_memory(error);
      break;
    }
    if (!carom_file_get(it->file, bytes, (size_t)head.size, after)) break;
    if (record_checksum(&head, bytes) != head.checksum) break;
    note_place(it, (long)head.index, it->end);
    it->end = after + (int64_t)head.size;
  }
  free(bytes);
  if (status == CAROM_OK && it->writable && whole > it->end && !carom_file_cut(it->file, it->end))
    status = io_failed(it, "write", error);
  return status;
}

// the task written at the beginning; false when it is no journal
static bool read_task(carom_journal *it, file_head *head, void **bytes) {
  *bytes = NULL;
  if (!carom_file_get(it->file, head, sizeof *head, 0)) return false;
  if (memcmp(head->magic, MAGIC, sizeof MAGIC) != 0 || head->head_size > MOST_BYTES ||
      head->count > (uint64_t)1 << 40)
    return false;
  *bytes = malloc(head->head_size ? (size_t)head->head_size : 1);
  return *bytes && carom_file_get(it->file, *bytes, (size_t)head->head_size, sizeof *head) &&
         head_checksum(head, *bytes) == head->checksum;
}

static void release_journal(carom_journal *it) {
  carom_file_close(it->file);
  carom_monitor_destroy(it->monitor);
  free(it->path);
  free(it->head);
  free(it->place);
  free(it->block);
  free(it);
}

static carom_journal *new_journal(const char *path) {
  carom_journal *it = calloc(1, sizeof *it);
  if (!it) return NULL;
  it->path = path ? carom_text_copy(path) : NULL;
  it->monitor = carom_monitor_create();
  it->synced = carom_clock();
  if (it->monitor && (!path || it->path)) return it;
  release_journal(it);
  return NULL;
}

static bool all_zero(const char *bytes, size_t size) {
  for (size_t k = 0; k < size; k++)
    if (bytes[k] != 0) return false;
  return true;
}

// Is this a journal of the same task that was torn while its beginning was written? Then it ends
// within its own head, or a part of the head never reached the disk.
static bool is_torn(const carom_journal *it) {
  file_head own = own_head(it), found;
  int64_t whole = carom_file_size(it->file);
  if (whole < 0) return false;
  size_t size = (uint64_t)whole < sizeof found ? (size_t)whole : sizeof found;
  if (!carom_file_get(it->file, &found, size, 0)) return false;
  return memcmp(&found, &own, size) == 0 || all_zero((const char *)&found, size);
}

// nothing has been kept yet: the caller is told by an error that is none
static carom_status begin_anew(carom_journal *it, carom_error *error) {
  carom_status status = write_head(it, error);
  if (status == CAROM_OK && error) {
    *error = (carom_error){.status = CAROM_OK};
    (void)snprintf(error->text, sizeof error->text,
                   "%.300s was torn at its beginning and holds nothing: all is computed anew",
                   name_of(it));
  }
  return status;
}

static carom_status take_up(carom_journal *it, const carom_journal_task *task, bool resume,
                            carom_error *error) {
  it->writable = true;
  it->file = it->path ? carom_file_open(it->path) : carom_file_nameless();
  if (!it->file) return io_failed(it, "write", error);
  carom_status status = take_task(it, task, error);
  if (status != CAROM_OK) return status;
  if (!resume || carom_file_size(it->file) <= 0) return write_head(it, error);
  file_head head;
  void *bytes;
  bool whole = read_task(it, &head, &bytes);
  free(bytes);
  if (!whole && is_torn(it)) return begin_anew(it, error);
  if (!whole || head.identity != task->identity || head.count != (uint64_t)task->count)
    return carom_fail(error, CAROM_ERR_INPUT,
                      "%s belongs to another computation: remove it, or leave out the resumption",
                      name_of(it));
  it->end = (int64_t)(sizeof head + head.head_size);
  return scan_records(it, error);
}

carom_status carom_journal_open(const char *path, const carom_journal_task *task, bool resume,
                                carom_journal **journal, carom_error *error) {
  *journal = NULL;
  carom_journal *it = new_journal(path);
  if (!it) return carom_fail_memory(error);
  carom_status status = take_up(it, task, resume, error);
  if (status != CAROM_OK) {
    release_journal(it);
    return status;
  }
  *journal = it;
  return CAROM_OK;
}

static carom_status look_into(carom_journal *it, carom_error *error) {
  it->file = carom_file_read_only(it->path);
  if (!it->file) return io_failed(it, "read", error);
  file_head head;
  void *bytes;
  if (!read_task(it, &head, &bytes)) {
    free(bytes);
    return carom_fail(error, CAROM_ERR_INPUT, "%s is no journal of a computation", it->path);
  }
  carom_journal_task task = {.identity = head.identity,
                             .count = (long)head.count,
                             .head = bytes,
                             .head_size = (size_t)head.head_size};
  carom_status status = take_task(it, &task, error);
  free(bytes);
  it->end = (int64_t)(sizeof head + head.head_size);
  return status == CAROM_OK ? scan_records(it, error) : status;
}

carom_status carom_journal_read_only(const char *path, carom_journal **journal,
                                     carom_error *error) {
  *journal = NULL;
  carom_journal *it = new_journal(path);
  if (!it) return carom_fail_memory(error);
  carom_status status = look_into(it, error);
  if (status != CAROM_OK) {
    release_journal(it);
    return status;
  }
  *journal = it;
  return CAROM_OK;
}

carom_status carom_journal_close(carom_journal *journal, carom_error *error) {
  if (!journal) return CAROM_OK;
  carom_status status = CAROM_OK;
  errno = 0;
  if (journal->writable && journal->path && !carom_file_sync(journal->file))
    status = io_failed(journal, "write", error);
  release_journal(journal);
  return status;
}

// ---- use ----

carom_journal_task carom_journal_about(const carom_journal *journal) { return journal->task; }

static carom_status append_record(carom_journal *it, long index, const void *bytes, size_t size,
                                  carom_error *error) {
  record_head head = {.index = (uint64_t)index, .size = size};
  head.checksum = record_checksum(&head, bytes);
  size_t whole = sizeof head + size;
  void *block = it->block;
  if (!grow_bytes(&block, &it->block_room, whole)) return carom_fail_memory(error);
  it->block = block;
  memcpy(it->block, &head, sizeof head);
  if (size > 0) memcpy(it->block + sizeof head, bytes, size);
  if (!carom_file_put(it->file, it->block, whole, it->end)) return io_failed(it, "write", error);
  note_place(it, index, it->end);
  it->end += (int64_t)whole;
  double now = carom_clock();
  if (it->path && now - it->synced >= SYNC_EVERY) {
    it->synced = now;
    if (!carom_file_sync(it->file)) return io_failed(it, "write", error);
  }
  return CAROM_OK;
}

carom_status carom_journal_append(carom_journal *journal, long index, const void *bytes,
                                  size_t size, carom_error *error) {
  if (!journal->writable || index < 0 || index >= journal->task.count || size > MOST_BYTES)
    return carom_fail(error, CAROM_ERR_ARGUMENT, "record %ld does not fit into %s", index,
                      name_of(journal));
  carom_monitor_lock(journal->monitor);
  carom_status status = append_record(journal, index, bytes, size, error);
  carom_monitor_unlock(journal->monitor);
  return status;
}

static int64_t place_of(carom_journal *journal, long index) {
  if (index < 0 || index >= journal->task.count) return 0;
  carom_monitor_lock(journal->monitor);
  int64_t place = journal->place[index];
  carom_monitor_unlock(journal->monitor);
  return place;
}

bool carom_journal_has(carom_journal *journal, long index) { return place_of(journal, index) != 0; }

long carom_journal_filled(carom_journal *journal) {
  carom_monitor_lock(journal->monitor);
  long filled = journal->filled;
  carom_monitor_unlock(journal->monitor);
  return filled;
}

carom_status carom_journal_fetch(carom_journal *journal, long index, void **bytes, size_t *room,
                                 long *size, carom_error *error) {
  int64_t place = place_of(journal, index);
  *size = -1;
  if (place == 0) return CAROM_OK;
  record_head head;
  if (!carom_file_get(journal->file, &head, sizeof head, place))
    return io_failed(journal, "read", error);
  if (!grow_bytes(bytes, room, (size_t)head.size)) return carom_fail_memory(error);
  if (!carom_file_get(journal->file, *bytes, (size_t)head.size, place + (int64_t)sizeof head))
    return io_failed(journal, "read", error);
  *size = (long)head.size;
  return CAROM_OK;
}

carom_status carom_journal_merge(carom_journal *into, carom_journal *from, carom_error *error) {
  if (into->task.identity != from->task.identity || into->task.count != from->task.count)
    return carom_fail(error, CAROM_ERR_INPUT, "%s and %s belong to different computations",
                      name_of(into), name_of(from));
  void *bytes = NULL;
  size_t room = 0;
  long size = 0;
  carom_status status = CAROM_OK;
  for (long index = 0; index < from->task.count && status == CAROM_OK; index++) {
    if (carom_journal_has(into, index)) continue;
    status = carom_journal_fetch(from, index, &bytes, &room, &size, error);
    if (status == CAROM_OK && size >= 0)
      status = carom_journal_append(into, index, bytes, (size_t)size, error);
  }
  free(bytes);
  return status;
}
