// SPDX-License-Identifier: MIT
/// Work shared by the processes of an mpirun: each does its part of the pieces and keeps its own
/// journal, FILE.rank-K; at the end the first has them all, in FILE. What a killed process had
/// finished is in its journal, and whoever resumes, with any number of processes, takes it from
/// there. So are parts that were done apart, by programs that knew nothing of each other.
#ifndef CAROM_SPREAD_SHARED_WORK_H
#define CAROM_SPREAD_SHARED_WORK_H

#include "spread/ranks.h"
#include "spread/spread.h"

typedef struct carom_shared_work {
  carom_ranks *ranks; // NULL: this process alone
  const char *file;   // of the journal; NULL: without a name
  bool resume;        // records of FILE, FILE.rank-* and, where FILE is STEM.journal, STEM.part-*
  bool everyone;      // in the end all processes have all records, not the first one alone
} carom_shared_work;

/// An error of one is an error of all. To be called by all.
carom_status carom_shared_agree(const carom_shared_work *it, carom_status status,
                                carom_error *error);

/// Opens the journal of this process. To be called by all; an error of one is an error of all.
carom_status carom_shared_open(const carom_shared_work *it, const carom_journal_task *task,
                               carom_journal **journal, carom_error *error);

/// Does all pieces, those of this process here; see carom_spread_run. To be called by all, which
/// get the worst of their statuses. Parts of `options` are not shared once more.
carom_status carom_shared_run(const carom_shared_work *it, const carom_spread_work *work,
                              const carom_spread_options *options, carom_journal *journal,
                              carom_error *error);

#endif
