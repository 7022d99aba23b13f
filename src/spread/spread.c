// SPDX-License-Identifier: MIT
#include "spread/spread.h"

#include "base/error.h"
#include "base/platform.h"
#include "base/pool.h"

#include <assert.h>
#include <stdlib.h>

static const double LOOK_EVERY = 0.1; // [s]

/// What the threads share; everything that changes is behind the lock.
typedef struct sharing {
  const carom_spread_work *work;
  const carom_spread_options *options;
  carom_journal *journal;
  carom_pool *pool;
  long next, done, total; // next index to look at; pieces finished by this call; to be done
  long taken;             // pieces that threads have taken
  int threads;
  bool halted;         // stopped or failed
  carom_status status; // the first that was not OK
  carom_error error;
} sharing;

static bool belongs_to_part(const carom_spread_options *options, long index) {
  return options->parts <= 1 || index % options->parts == options->part;
}

static int lanes_of(const carom_spread_work *work) { return work->pieces ? work->lanes : 1; }

// How many pieces to take at once: no more than leave an equal share to every thread, unless that
// is too few to begin with.
static int share_size(const sharing *it) {
  int lanes = lanes_of(it->work), least = it->work->pieces ? it->work->least : 1;
  long fair = (it->total - it->taken) / it->threads;
  if (fair < least) fair = least;
  return fair < 1 ? 1 : fair < lanes ? (int)fair : lanes;
}

// the next indices nobody has; none when there are none or work is to stop
static int take_indices(sharing *it, long *indices) {
  bool stopped = it->options->stopped && it->options->stopped(it->options->ctx);
  long count = carom_journal_about(it->journal).count;
  int taken = 0;
  carom_pool_lock(it->pool);
  if (stopped && !it->halted) {
    it->halted = true;
    it->status = CAROM_STOP_USER;
  }
  int wanted = share_size(it);
  assert(wanted >= 1);
  while (!it->halted && taken < wanted && it->next < count) {
    long candidate = it->next++;
    if (belongs_to_part(it->options, candidate) && !carom_journal_has(it->journal, candidate))
      indices[taken++] = candidate;
  }
  it->taken += taken;
  carom_pool_unlock(it->pool);
  return taken;
}

static void finish_piece(sharing *it, carom_status status, const carom_error *error) {
  carom_pool_lock(it->pool);
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
  carom_pool_tell(it->pool);
  carom_pool_unlock(it->pool);
}

// the result of a piece to the journal
static carom_status keep_result(sharing *it, carom_status status, long index,
                                const carom_parcel *parcel, carom_error *error) {
  if (status == CAROM_OK && parcel->broken) status = carom_fail_memory(error);
  if (status == CAROM_OK)
    status = carom_journal_append(it->journal, index, parcel->bytes, parcel->size, error);
  finish_piece(it, status, error);
  return status;
}

static void do_some(const carom_spread_work *work, void *worker, int count, const long *indices,
                    carom_parcel *parcels, carom_status *statuses, carom_error *error) {
  if (count == 1)
    statuses[0] = work->piece(work->ctx, worker, indices[0], &parcels[0], error);
  else
    work->pieces(work->ctx, worker, count, indices, parcels, statuses, error);
}

/// Room for the pieces that are done side by side.
typedef struct side_by_side {
  int lanes;
  carom_parcel *parcels;
  carom_status *statuses;
  long *indices;
} side_by_side;

static bool make_room(side_by_side *it, int lanes) {
  it->lanes = lanes;
  it->parcels = calloc((size_t)lanes, sizeof *it->parcels);
  it->statuses = calloc((size_t)lanes, sizeof *it->statuses);
  it->indices = calloc((size_t)lanes, sizeof *it->indices);
  return it->parcels && it->statuses && it->indices;
}

static void release_room(side_by_side *it) {
  for (int k = 0; k < it->lanes && it->parcels; k++)
    free(it->parcels[k].bytes);
  free(it->parcels);
  free(it->statuses);
  free(it->indices);
}

static void do_pieces(sharing *it, side_by_side *room, void *worker, carom_error *error) {
  carom_status worst = CAROM_OK;
  int count;
  while (worst == CAROM_OK && (count = take_indices(it, room->indices)) > 0) {
    for (int k = 0; k < count; k++)
      room->parcels[k].size = 0, room->parcels[k].broken = false;
    do_some(it->work, worker, count, room->indices, room->parcels, room->statuses, error);
    for (int k = 0; k < count; k++) {
      carom_status status =
          keep_result(it, room->statuses[k], room->indices[k], &room->parcels[k], error);
      if (worst == CAROM_OK) worst = status;
    }
  }
}

// one thread's part: whatever is left when it comes
static void work_along(void *ctx, int thread, int piece) {
  (void)thread, (void)piece;
  sharing *it = ctx;
  void *worker = NULL;
  carom_error error = {0};
  side_by_side room = {0};
  carom_status status = make_room(&room, lanes_of(it->work)) ? CAROM_OK : carom_fail_memory(&error);
  if (status == CAROM_OK && it->work->begin)
    status = it->work->begin(it->work->ctx, &worker, &error);
  if (status == CAROM_OK)
    do_pieces(it, &room, worker, &error);
  else
    finish_piece(it, status, &error);
  release_room(&room);
  if (worker && it->work->end) it->work->end(it->work->ctx, worker);
}

static void tell_progress(const sharing *it, long done, double began) {
  if (!it->options->progress) return;
  double left =
      done > 0 ? (carom_clock() - began) * (double)(it->total - done) / (double)done : -1.0;
  it->options->progress(it->options->ctx, done, it->total, left);
}

// the calling thread waits and tells how far things are
static void watch_over(sharing *it, double began) {
  carom_pool_lock(it->pool);
  while (carom_pool_wait(it->pool, LOOK_EVERY)) {
    long done = it->done;
    carom_pool_unlock(it->pool);
    tell_progress(it, done, began);
    carom_pool_lock(it->pool);
  }
  carom_pool_unlock(it->pool);
}

static long count_left(carom_journal *journal, const carom_spread_options *options) {
  long left = 0, count = carom_journal_about(journal).count;
  for (long index = 0; index < count; index++)
    left += belongs_to_part(options, index) && !carom_journal_has(journal, index);
  return left;
}

static int thread_count(const carom_spread_options *options, long total) {
  int threads = options->threads > 0 ? options->threads : carom_processors();
  if (threads > CAROM_MOST_THREADS) threads = CAROM_MOST_THREADS;
  if (threads > total) threads = (int)total;
  return threads < 1 ? 1 : threads;
}

carom_status carom_spread_run(const carom_spread_work *work, carom_journal *journal,
                              const carom_spread_options *options, carom_error *error) {
  sharing it = {.work = work, .options = options, .journal = journal};
  it.total = count_left(journal, options);
  if (it.total == 0) return CAROM_OK;
  it.threads = thread_count(options, it.total);
  double began = carom_clock();
  it.pool = carom_pool_begin(it.threads);
  carom_pool_start(it.pool, it.threads, work_along, &it);
  watch_over(&it, began);
  carom_pool_end(it.pool);
  tell_progress(&it, it.done, began);
  if (it.status < 0 && error) *error = it.error;
  return it.status;
}
