// SPDX-License-Identifier: MIT
/// An append-only file of finished pieces of work. Each record carries its index, length and
/// checksum and is written by one call, so that after a crash at most the last one is torn; it is
/// cut off when the journal is opened again. Records are found by index, whatever the order in
/// which they were finished. Numbers are stored in the byte order of the machine.
#ifndef CAROM_SPREAD_JOURNAL_H
#define CAROM_SPREAD_JOURNAL_H

#include "base/hash.h"
#include "carom/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct carom_journal carom_journal;

/// What a journal is about; two journals with equal tasks belong together.
typedef struct carom_journal_task {
  uint64_t identity; // of everything the results depend on; carom_hash helps
  long count;        // indices run from 0 to count - 1
  const void *head;  // any bytes that a reader needs, such as names of columns; may be NULL
  size_t head_size;
} carom_journal_task;

/// Opens a journal for writing. `path` NULL: a file without a name that vanishes with the journal.
/// `resume` false: an old file is replaced; true: its records are kept if it has the same task,
/// CAROM_ERR_INPUT if it has not; a missing file is a new one, and so is one that was torn inside
/// its head, which `error` then tells with CAROM_OK. A link is not followed. The caller closes it.
carom_status carom_journal_open(const char *path, const carom_journal_task *task, bool resume,
                                carom_journal **journal, carom_error *error);

/// Opens a finished or abandoned journal for reading, whatever its task.
carom_status carom_journal_read_only(const char *path, carom_journal **journal, carom_error *error);

/// Writes everything to the disk and closes. NULL is legal.
carom_status carom_journal_close(carom_journal *journal, carom_error *error);

/// The task of the journal; `head` belongs to the journal.
carom_journal_task carom_journal_about(const carom_journal *journal);

/// Safe to call from several threads. A second record of one index replaces the first.
carom_status carom_journal_append(carom_journal *journal, long index, const void *bytes,
                                  size_t size, carom_error *error);
bool carom_journal_has(carom_journal *journal, long index);
/// How many different indices there are.
long carom_journal_filled(carom_journal *journal);

/// Reads the record of an index into *bytes, which is grown by realloc where it has to be (start
/// with NULL and room 0; the caller frees it). *size is -1 where there is no record.
carom_status carom_journal_fetch(carom_journal *journal, long index, void **bytes, size_t *room,
                                 long *size, carom_error *error);

/// Copies every record of `from` that `into` does not have. Both must have the same task.
carom_status carom_journal_merge(carom_journal *into, carom_journal *from, carom_error *error);

#endif
