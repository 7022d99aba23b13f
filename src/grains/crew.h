// SPDX-License-Identifier: MIT
/// Threads that share the pieces of one step after the other. They live as long as one call that
/// advances a bed. A crew that is NULL is the calling thread alone.
#ifndef CAROM_GRAINS_CREW_H
#define CAROM_GRAINS_CREW_H

#include <stdbool.h>

typedef struct carom_crew carom_crew;

/// Does piece `piece`; `worker` counts from 0, the calling thread.
typedef void (*carom_crew_work)(void *ctx, int worker, int piece);

/// `threads` threads, the calling one included; fewer where the system gives no more. NULL for
/// one, or when out of memory: the work is done all the same.
carom_crew *carom_crew_begin(int threads);
void carom_crew_end(carom_crew *crew);

/// Does pieces 0..count-1, in any order, by any of the threads, and returns when all are done.
void carom_crew_share(carom_crew *crew, int count, carom_crew_work work, void *ctx);

/// Around what only one thread may do at a time.
void carom_crew_lock(carom_crew *crew);
void carom_crew_unlock(carom_crew *crew);

#endif
