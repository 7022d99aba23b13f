// SPDX-License-Identifier: MIT
/// The processes of one mpirun. Open MPI is loaded when it has started this process and not
/// otherwise: a plain run knows nothing of it and pays nothing for it.
#ifndef CAROM_SPREAD_RANKS_H
#define CAROM_SPREAD_RANKS_H

#include "spread/journal.h"

/// All processes together; each has its rank. A process of its own is rank 0 of 1.
typedef struct carom_ranks carom_ranks;

/// Which of the processes of mpirun this is, without joining them; 0: the first, or one alone.
int carom_ranks_of_process(void);

/// Joins the others. CAROM_ERR_UNSUPPORTED when mpirun started this process but Open MPI cannot be
/// loaded. The caller leaves in any case; only one at a time may be joined in a process.
carom_status carom_ranks_join(carom_ranks **ranks, carom_error *error);
/// Waits for all to leave. NULL is legal.
void carom_ranks_leave(carom_ranks *it);

int carom_ranks_rank(const carom_ranks *it);
int carom_ranks_count(const carom_ranks *it);
/// How many of them run on this machine, and which of these this one is. NULL: it is alone.
int carom_ranks_here(const carom_ranks *it);
int carom_ranks_place(const carom_ranks *it);

/// Waits until all have come here and tells all of them the worst of their statuses: the lowest
/// error, else the highest early stop, else CAROM_OK.
carom_status carom_ranks_agree(carom_ranks *it, carom_status status);

/// Every rank gives its records to rank 0, which adds those it does not have and, where all are to
/// have them, gives all of them back. To be called by all. An error of one is not known to the
/// others: agree afterwards.
carom_status carom_ranks_collect(carom_ranks *it, carom_journal *journal, bool everyone,
                                 carom_error *error);

#endif
