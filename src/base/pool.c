// SPDX-License-Identifier: MIT
#include "base/pool.h"

#include "base/platform.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { SPINS = 2000, YIELDS = 2000 };

typedef struct member {
  struct carom_pool *pool;
  int number;
  carom_thread *thread;
} member;

// The pieces of a task are shared out evenly, neighbours together, so that a thread finds in its
// cache what it worked at before. Who is done helps the others. One line of cache each.
typedef struct share {
  _Alignas(64) atomic_int next;
  int end;
} share;

struct carom_pool {
  int others; // threads beside the calling one
  member *members;
  share *shares;          // [others + 1]
  carom_monitor *monitor; // news of the pieces; those who waited long for a task sleep there too
  // a task: set while no one works, announced by its number
  carom_pool_work work;
  void *ctx;
  bool watched;        // the calling thread takes no part, but waits for news
  atomic_uint task;    // counts tasks
  atomic_int finished; // others who have seen the end of the task
  atomic_bool over;
};

static void do_pieces(carom_pool *pool, int worker) {
  int workers = pool->others + 1;
  assert(worker >= 0 && worker < workers);
  for (int k = 0; k < workers; k++) {
    share *from = &pool->shares[(worker + k) % workers];
    for (;;) {
      int piece = atomic_fetch_add_explicit(&from->next, 1, memory_order_relaxed);
      if (piece >= from->end) break;
      pool->work(pool->ctx, worker, piece);
    }
  }
}

// to all workers from number `first` on
static void share_out(carom_pool *pool, int first, int count) {
  int workers = pool->others + 1 - first;
  assert(workers > 0);
  for (int k = 0; k <= pool->others; k++) {
    long number = k < first ? 0 : k - first, after = k < first ? 0 : number + 1;
    atomic_store_explicit(&pool->shares[k].next, (int)((long)count * number / workers),
                          memory_order_relaxed);
    pool->shares[k].end = (int)((long)count * after / workers);
  }
}

static void pause_a_little(int turns) {
  if (turns < SPINS) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  } else {
    carom_thread_yield();
  }
}

// the next task is usually moments away; a thread that waits longer goes to sleep
static unsigned wait_for_task(carom_pool *pool, unsigned last) {
  unsigned task = last;
  for (int turns = 0; turns < SPINS + YIELDS; turns++) {
    task = atomic_load_explicit(&pool->task, memory_order_acquire);
    if (task != last) return task;
    pause_a_little(turns);
  }
  carom_monitor_lock(pool->monitor);
  while ((task = atomic_load_explicit(&pool->task, memory_order_acquire)) == last)
    carom_monitor_wait(pool->monitor, -1.0);
  carom_monitor_unlock(pool->monitor);
  return task;
}

static void finish_task(carom_pool *pool) {
  // once the calling thread has seen the last one finish, the task may change
  if (!pool->watched) {
    (void)atomic_fetch_add_explicit(&pool->finished, 1, memory_order_release);
    return;
  }
  carom_monitor_lock(pool->monitor);
  (void)atomic_fetch_add_explicit(&pool->finished, 1, memory_order_release);
  carom_monitor_tell(pool->monitor);
  carom_monitor_unlock(pool->monitor);
}

static void be_member(void *argument) {
  const member *me = argument;
  carom_pool *pool = me->pool;
  unsigned task = 0;
  for (;;) {
    task = wait_for_task(pool, task);
    if (atomic_load_explicit(&pool->over, memory_order_acquire)) return;
    do_pieces(pool, me->number);
    finish_task(pool);
  }
}

static void announce_work(carom_pool *pool) {
  carom_monitor_lock(pool->monitor);
  (void)atomic_fetch_add_explicit(&pool->task, 1, memory_order_release);
  carom_monitor_tell(pool->monitor);
  carom_monitor_unlock(pool->monitor);
}

static void release_pool(carom_pool *pool) {
  carom_monitor_destroy(pool->monitor);
  free(pool->members);
  free(pool->shares);
  free(pool);
}

carom_pool *carom_pool_begin(int others) {
  if (others < 1) return NULL;
  if (others > CAROM_MOST_THREADS) others = CAROM_MOST_THREADS;
  carom_pool *pool = calloc(1, sizeof *pool);
  if (!pool) return NULL;
  pool->members = calloc((size_t)others, sizeof *pool->members);
  pool->shares = aligned_alloc(_Alignof(share), ((size_t)others + 1) * sizeof *pool->shares);
  pool->monitor = carom_monitor_create();
  bool ready = pool->members && pool->shares && pool->monitor;
  while (ready && pool->others < others) {
    member *m = &pool->members[pool->others];
    *m = (member){.pool = pool, .number = pool->others + 1};
    m->thread = carom_thread_start(be_member, m);
    if (!m->thread) break;
    pool->others++; // nobody reads it before the first task
  }
  if (pool->others > 0) return pool;
  release_pool(pool);
  return NULL;
}

void carom_pool_end(carom_pool *pool) {
  if (!pool) return;
  atomic_store_explicit(&pool->over, true, memory_order_release);
  announce_work(pool);
  for (int k = 0; k < pool->others; k++)
    carom_thread_join(pool->members[k].thread);
  release_pool(pool);
}

static void begin_task(carom_pool *pool, int count, carom_pool_work work, void *ctx, bool watched) {
  pool->work = work;
  pool->ctx = ctx;
  pool->watched = watched;
  share_out(pool, watched ? 1 : 0, count);
  atomic_store_explicit(&pool->finished, 0, memory_order_relaxed);
  announce_work(pool);
}

static void do_alone(int count, carom_pool_work work, void *ctx) {
  for (int k = 0; k < count; k++)
    work(ctx, 0, k);
}

static bool all_finished(const carom_pool *pool) {
  return atomic_load_explicit(&pool->finished, memory_order_acquire) == pool->others;
}

void carom_pool_share(carom_pool *pool, int count, carom_pool_work work, void *ctx) {
  if (!pool || count <= 1) {
    do_alone(count, work, ctx);
    return;
  }
  begin_task(pool, count, work, ctx, false);
  do_pieces(pool, 0);
  for (int turns = 0; !all_finished(pool); turns++)
    pause_a_little(turns);
}

void carom_pool_start(carom_pool *pool, int count, carom_pool_work work, void *ctx) {
  if (pool)
    begin_task(pool, count, work, ctx, true);
  else
    do_alone(count, work, ctx);
}

void carom_pool_lock(carom_pool *pool) {
  if (pool) carom_monitor_lock(pool->monitor);
}

void carom_pool_unlock(carom_pool *pool) {
  if (pool) carom_monitor_unlock(pool->monitor);
}

void carom_pool_tell(carom_pool *pool) {
  if (pool) carom_monitor_tell(pool->monitor);
}

bool carom_pool_wait(carom_pool *pool, double seconds) {
  if (!pool || all_finished(pool)) return false;
  carom_monitor_wait(pool->monitor, seconds);
  return true;
}
