// SPDX-License-Identifier: MIT
/// The threads of a computation, and the one way in which work is shared over them: pieces that are
/// known by their number. What a piece computes may not depend on who does it or when, so results
/// are the same bits for any number of threads. A pool that is NULL is the calling thread alone.
#ifndef CAROM_BASE_POOL_H
#define CAROM_BASE_POOL_H

#include <stdbool.h>

typedef struct carom_pool carom_pool;

/// Does piece `piece`; `worker` counts from 0, the calling thread.
typedef void (*carom_pool_work)(void *ctx, int worker, int piece);

/// So many threads beside the calling one; fewer where the system gives no more. NULL for none, or
/// when out of memory: the work is done all the same.
carom_pool *carom_pool_begin(int others);
/// Waits for all threads and ends them. NULL is legal.
void carom_pool_end(carom_pool *pool);

/// Does pieces 0..count-1, in any order, by any of the threads and the calling one, and returns
/// when all are done. Cheap enough for pieces of microseconds.
void carom_pool_share(carom_pool *pool, int count, carom_pool_work work, void *ctx);

/// The same, but the calling thread takes no part, where there is another: it returns at once, and
/// looks at what the others do by carom_pool_wait until that says that all is done.
void carom_pool_start(carom_pool *pool, int count, carom_pool_work work, void *ctx);

/// Around what only one thread may do at a time, such as changing what pieces share.
void carom_pool_lock(carom_pool *pool);
void carom_pool_unlock(carom_pool *pool);
/// By whoever holds the lock: something has changed that the calling thread may wait for.
void carom_pool_tell(carom_pool *pool);
/// By the calling thread, which holds the lock: false when no thread is at work any more; else it
/// waits, without the lock, until one of them tells something or ends, or until `seconds` have
/// passed (negative: no limit).
bool carom_pool_wait(carom_pool *pool, double seconds);

#endif
