// SPDX-License-Identifier: MIT
#define _DEFAULT_SOURCE
#include "grains/crew.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { MOST = 256, SPINS = 2000, YIELDS = 2000 };

typedef struct member {
  struct carom_crew *crew;
  int number;
  pthread_t thread;
} member;

// The pieces of a task are shared out evenly, neighbours together, so that a thread finds in its
// cache what it worked at before. Who is done helps the others. One line of cache each.
typedef struct share {
  _Alignas(64) atomic_int next;
  int end;
} share;

struct carom_crew {
  int others; // threads beside the calling one
  member *members;
  share *shares; // [others + 1]
  pthread_mutex_t lock;
  // a task: set while no one works, announced by its number
  carom_crew_work work;
  void *ctx;
  atomic_uint task;    // counts tasks
  atomic_int finished; // others who have seen the end of the task
  atomic_bool over;
  pthread_mutex_t door; // those who waited long sleep here
  pthread_cond_t bell;
};

static void do_pieces(carom_crew *crew, int worker) {
  int workers = crew->others + 1;
  for (int k = 0; k < workers; k++) {
    share *from = &crew->shares[(worker + k) % workers];
    for (;;) {
      int piece = atomic_fetch_add_explicit(&from->next, 1, memory_order_relaxed);
      if (piece >= from->end) break;
      crew->work(crew->ctx, worker, piece);
    }
  }
}

static void share_out(carom_crew *crew, int count) {
  int workers = crew->others + 1;
  for (int k = 0; k < workers; k++) {
    int first = (int)((long)count * k / workers), end = (int)((long)count * (k + 1) / workers);
    atomic_store_explicit(&crew->shares[k].next, first, memory_order_relaxed);
    crew->shares[k].end = end;
  }
}

static void pause_a_little(int turns) {
  if (turns < SPINS) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  } else {
    (void)sched_yield();
  }
}

// the next task is usually moments away; a thread that waits longer goes to sleep
static unsigned wait_for_task(carom_crew *crew, unsigned last) {
  unsigned task = last;
  for (int turns = 0; turns < SPINS + YIELDS; turns++) {
    task = atomic_load_explicit(&crew->task, memory_order_acquire);
    if (task != last) return task;
    pause_a_little(turns);
  }
  (void)pthread_mutex_lock(&crew->door);
  while ((task = atomic_load_explicit(&crew->task, memory_order_acquire)) == last)
    (void)pthread_cond_wait(&crew->bell, &crew->door);
  (void)pthread_mutex_unlock(&crew->door);
  return task;
}

static void *be_member(void *argument) {
  member *me = argument;
  carom_crew *crew = me->crew;
  unsigned task = 0;
  for (;;) {
    task = wait_for_task(crew, task);
    if (atomic_load_explicit(&crew->over, memory_order_acquire)) return NULL;
    do_pieces(crew, me->number);
    (void)atomic_fetch_add_explicit(&crew->finished, 1, memory_order_release);
  }
}

static void announce(carom_crew *crew) {
  (void)pthread_mutex_lock(&crew->door);
  (void)atomic_fetch_add_explicit(&crew->task, 1, memory_order_release);
  (void)pthread_cond_broadcast(&crew->bell);
  (void)pthread_mutex_unlock(&crew->door);
}

carom_crew *carom_crew_begin(int threads) {
  if (threads <= 1) return NULL;
  if (threads > MOST) threads = MOST;
  carom_crew *crew = calloc(1, sizeof *crew);
  member *members = calloc((size_t)threads, sizeof *members);
  share *shares = aligned_alloc(_Alignof(share), (size_t)threads * sizeof *shares);
  if (!crew || !members || !shares) {
    free(crew);
    free(members);
    free(shares);
    return NULL;
  }
  crew->members = members;
  crew->shares = shares;
  (void)pthread_mutex_init(&crew->lock, NULL);
  (void)pthread_mutex_init(&crew->door, NULL);
  (void)pthread_cond_init(&crew->bell, NULL);
  for (int k = 1; k < threads; k++) {
    member *m = &members[crew->others];
    *m = (member){.crew = crew, .number = k};
    if (pthread_create(&m->thread, NULL, be_member, m) != 0) break;
    crew->others++;
  }
  return crew;
}

void carom_crew_end(carom_crew *crew) {
  if (!crew) return;
  atomic_store_explicit(&crew->over, true, memory_order_release);
  announce(crew);
  for (int k = 0; k < crew->others; k++)
    (void)pthread_join(crew->members[k].thread, NULL);
  (void)pthread_cond_destroy(&crew->bell);
  (void)pthread_mutex_destroy(&crew->door);
  (void)pthread_mutex_destroy(&crew->lock);
  free(crew->members);
  free(crew->shares);
  free(crew);
}

void carom_crew_share(carom_crew *crew, int count, carom_crew_work work, void *ctx) {
  if (!crew || crew->others == 0 || count <= 1) {
    for (int k = 0; k < count; k++)
      work(ctx, 0, k);
    return;
  }
  crew->work = work;
  crew->ctx = ctx;
  share_out(crew, count);
  atomic_store_explicit(&crew->finished, 0, memory_order_relaxed);
  announce(crew);
  do_pieces(crew, 0);
  for (int turns = 0; atomic_load_explicit(&crew->finished, memory_order_acquire) < crew->others;
       turns++)
    pause_a_little(turns);
}

void carom_crew_lock(carom_crew *crew) {
  if (crew) (void)pthread_mutex_lock(&crew->lock);
}

void carom_crew_unlock(carom_crew *crew) {
  if (crew) (void)pthread_mutex_unlock(&crew->lock);
}
