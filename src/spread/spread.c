// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "spread/spread.h"

#include "base/error.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MOST_THREADS = 1024 };
static const double LOOK_EVERY = 0.1; // [s]

/// What the threads share; everything that changes is behind the lock.
typedef struct sharing {
  const carom_spread_work *work;
  const carom_spread_options *options;
  carom_journal *journal;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  long next, done, total; // next index to look at; pieces finished by this call; to be done
  long taken;             // pieces that threads have taken
  int threads;
  int working;         // threads that have not ended
  bool halted;         // stopped or failed
  carom_status status; // the first that was not OK
  carom_error error;
} sharing;

int carom_spread_processors(void) {
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : count > MOST_THREADS ? MOST_THREADS : (int)count;
}

double carom_spread_clock(void) {
  struct timespec now = {0};
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool belongs(const carom_spread_options *options, long index) {
  return options->parts <= 1 || index % options->parts == options->part;
}

// How many pieces to take at once: no more than leave an equal share to every thread.
static int share(const sharing *it) {
  int lanes = it->work->pieces ? it->work->lanes : 1;
  long fair = (it->total - it->taken) / it->threads;
  return fair < 1 ? 1 : fair < lanes ? (int)fair : lanes;
}

// the next indices nobody has; none when there are none or work is to stop
static int take(sharing *it, long *indices) {
  bool stopped = it->options->stopped && it->options->stopped(it->options->ctx);
  long count = carom_journal_about(it->journal).count;
  int taken = 0;
  (void)pthread_mutex_lock(&it->lock);
  if (stopped && !it->halted) {
    it->halted = true;
    it->status = CAROM_STOP_USER;
  }
  int wanted = share(it);
  while (!it->halted && taken < wanted && it->next < count) {
    long candidate = it->next++;
    if (belongs(it->options, candidate) && !carom_journal_has(it->journal, candidate))
      indices[taken++] = candidate;
  }
  it->taken += taken;
  (void)pthread_mutex_unlock(&it->lock);
  return taken;
}

static void finish(sharing *it, carom_status status, const carom_error *error) {
  (void)pthread_mutex_lock(&it->lock);
  if (status == CAROM_OK) {
    it->done++;
  } else {
    // a mistake is worth more than the wish to stop
    if (it->status == CAROM_OK || (it->status > 0 && status < 0)) {
      it->status = status;
      it->error = *error;
    }
    it->halted = true;
  }
  (void)pthread_cond_signal(&it->changed);
  (void)pthread_mutex_unlock(&it->lock);
}

// the result of a piece to the journal
static carom_status keep(sharing *it, carom_status status, long index, const carom_parcel *parcel,
                         carom_error *error) {
  if (status == CAROM_OK && parcel->broken) status = carom_fail_memory(error);
  if (status == CAROM_OK)
    status = carom_journal_append(it->journal, index, parcel->bytes, parcel->size, error);
  finish(it, status, error);
  return status;
}

static void do_some(const carom_spread_work *work, void *worker, int count, const long *indices,
                    carom_parcel *parcels, carom_status *statuses, carom_error *error) {
  if (count == 1)
    statuses[0] = work->piece(work->ctx, worker, indices[0], &parcels[0], error);
  else
    work->pieces(work->ctx, worker, count, indices, parcels, statuses, error);
}

static void do_pieces(sharing *it, void *worker, carom_error *error) {
  carom_parcel parcels[CAROM_SPREAD_LANES] = {{0}};
  carom_status statuses[CAROM_SPREAD_LANES], worst = CAROM_OK;
  long indices[CAROM_SPREAD_LANES];
  int count;
  while (worst == CAROM_OK && (count = take(it, indices)) > 0) {
    for (int k = 0; k < count; k++)
      parcels[k].size = 0, parcels[k].broken = false;
    do_some(it->work, worker, count, indices, parcels, statuses, error);
    for (int k = 0; k < count; k++) {
      carom_status status = keep(it, statuses[k], indices[k], &parcels[k], error);
      if (worst == CAROM_OK) worst = status;
    }
  }
  for (int k = 0; k < CAROM_SPREAD_LANES; k++)
    free(parcels[k].bytes);
}

static void *work_thread(void *argument) {
  sharing *it = argument;
  void *worker = NULL;
  carom_error error = {0};
  carom_status status =
      it->work->begin ? it->work->begin(it->work->ctx, &worker, &error) : CAROM_OK;
  if (status == CAROM_OK)
    do_pieces(it, worker, &error);
  else
    finish(it, status, &error);
  if (worker && it->work->end) it->work->end(it->work->ctx, worker);
  (void)pthread_mutex_lock(&it->lock);
  it->working--;
  (void)pthread_cond_signal(&it->changed);
  (void)pthread_mutex_unlock(&it->lock);
  return NULL;
}

static void tell(const sharing *it, long done, double began) {
  if (!it->options->progress) return;
  double left =
      done > 0 ? (carom_spread_clock() - began) * (double)(it->total - done) / (double)done : -1.0;
  it->options->progress(it->options->ctx, done, it->total, left);
}

// the calling thread waits and tells how far things are
static void watch_over(sharing *it, double began) {
  (void)pthread_mutex_lock(&it->lock);
  while (it->working > 0) {
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(LOOK_EVERY * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    (void)pthread_cond_timedwait(&it->changed, &it->lock, &until);
    long done = it->done;
    (void)pthread_mutex_unlock(&it->lock);
    tell(it, done, began);
    (void)pthread_mutex_lock(&it->lock);
  }
  (void)pthread_mutex_unlock(&it->lock);
}

static long count_left(carom_journal *journal, const carom_spread_options *options) {
  long left = 0, count = carom_journal_about(journal).count;
  for (long index = 0; index < count; index++)
    left += belongs(options, index) && !carom_journal_has(journal, index);
  return left;
}

static int thread_count(const carom_spread_options *options, long total) {
  int threads = options->threads > 0 ? options->threads : carom_spread_processors();
  if (threads > MOST_THREADS) threads = MOST_THREADS;
  if (threads > total) threads = (int)total;
  return threads < 1 ? 1 : threads;
}

carom_status carom_spread_run(const carom_spread_work *work, carom_journal *journal,
                              const carom_spread_options *options, carom_error *error) {
  sharing it = {.work = work, .options = options, .journal = journal};
  it.total = count_left(journal, options);
  if (it.total == 0) return CAROM_OK;
  int threads = thread_count(options, it.total), started = 0;
  pthread_t *ids = calloc((size_t)threads, sizeof *ids);
  if (!ids) return carom_fail_memory(error);
  (void)pthread_mutex_init(&it.lock, NULL);
  (void)pthread_cond_init(&it.changed, NULL);
  double began = carom_spread_clock();
  it.working = it.threads = threads;
  while (started < threads && pthread_create(&ids[started], NULL, work_thread, &it) == 0)
    started++;
  (void)pthread_mutex_lock(&it.lock);
  it.working -= threads - started; // fewer threads than wanted are enough
  (void)pthread_mutex_unlock(&it.lock);
  watch_over(&it, began);
  for (int k = 0; k < started; k++)
    (void)pthread_join(ids[k], NULL);
  tell(&it, it.done, began);
  (void)pthread_cond_destroy(&it.changed);
  (void)pthread_mutex_destroy(&it.lock);
  free(ids);
  if (started == 0) return carom_fail(error, CAROM_ERR_LIMIT, "no thread could be started");
  if (it.status < 0 && error) *error = it.error;
  return it.status;
}
