// SPDX-License-Identifier: MIT
/// All lines of a study, several at a time: threads compute, the calling thread takes what is
/// finished in the order of lines.
#include "base/error.h"
#include "base/platform.h"
#include "base/pool.h"
#include "study/study.h"

#include <assert.h>
#include <stdlib.h>

/// A line on its way.
typedef struct job {
  bool wanted, done;
  double seconds;
  carom_status status;
  carom_study_result result;
  carom_error error;
} job;

/// What the threads share; `next`, `halted` and the ends of jobs are behind the lock.
typedef struct workshop {
  const carom_study *study;
  carom_study_pace pace;
  carom_pool *pool;
  job *jobs;
  int count, next;
  bool halted; // stopped, or a line of the study is wrong
} workshop;

carom_study_options carom_study_options_default(void) {
  return (carom_study_options){.size = sizeof(carom_study_options)};
}

// the next line nobody has; -1: none is left, or work is to stop
static int next_line(workshop *it) {
  while (it->next < it->count && !it->jobs[it->next].wanted)
    it->next++;
  if (it->pace.stopped && it->pace.stopped(it->pace.ctx)) it->halted = true;
  return it->halted || it->next == it->count ? -1 : it->next++;
}

static void compute_lines(void *ctx, int worker, int piece) {
  (void)worker, (void)piece;
  workshop *it = ctx;
  carom_pool_lock(it->pool);
  for (int k; (k = next_line(it)) >= 0;) {
    assert(k < it->count && it->jobs[k].wanted && !it->jobs[k].done);
    job *mine = &it->jobs[k];
    carom_pool_unlock(it->pool);
    double began = carom_clock();
    mine->status = carom_study_compute_line(it->study, k, &it->pace, &mine->result, &mine->error);
    mine->seconds = carom_clock() - began;
    carom_pool_lock(it->pool);
    mine->done = true;
    it->halted = it->halted || mine->status != CAROM_OK;
    carom_pool_tell(it->pool);
  }
  carom_pool_unlock(it->pool);
}

// until line k is finished; false: it will not be
static bool wait_for(workshop *it, int k) {
  carom_pool_lock(it->pool);
  while (!it->jobs[k].done && carom_pool_wait(it->pool, -1.0)) {
  }
  bool done = it->jobs[k].done;
  carom_pool_unlock(it->pool);
  return done;
}

static carom_status take_lines(workshop *it, const carom_study_options *options,
                               carom_error *error) {
  for (int k = 0; k < it->count; k++) {
    job *line = &it->jobs[k];
    bool left_out = it->study->entries[k].line.only_full && !options->full;
    if (line->wanted && !wait_for(it, k)) return CAROM_STOP_USER;
    if (line->status != CAROM_OK) {
      if (error) *error = line->error;
      return line->status;
    }
    options->take(options->ctx, k, left_out ? NULL : &line->result, line->seconds);
  }
  return CAROM_OK;
}

// Means over runs use all processors, other lines one: some lines at a time keep all of them busy.
static int lines_abreast(const carom_study_options *options, int wanted) {
  int processors = carom_processors();
  int most = options->abreast > 0 ? options->abreast
             : processors > 8     ? processors / 4
             : processors > 1     ? 2
                                  : 1;
  return most < wanted ? most : wanted;
}

static int list_jobs(workshop *it, const carom_study_options *options) {
  int wanted = 0;
  for (int k = 0; k < it->count; k++) {
    if (it->study->entries[k].line.only_full && !options->full) continue;
    bool known = options->known && options->known(options->ctx, k, &it->jobs[k].result);
    it->jobs[k].wanted = !known;
    wanted += !known;
  }
  return wanted;
}

carom_status carom_study_compute_all(const carom_study *study, const carom_study_options *options,
                                     carom_error *error) {
  carom_status status =
      carom_check_options(options->size, sizeof *options, "carom_study_options", error);
  if (status != CAROM_OK) return status;
  if (!options->take) return carom_fail(error, CAROM_ERR_ARGUMENT, "nobody takes the lines");
  workshop it = {.study = study,
                 .pace = {options->full, options->stopped, options->ctx},
                 .count = study->count};
  it.jobs = calloc((size_t)study->count + 1, sizeof *it.jobs);
  if (!it.jobs) return carom_fail_memory(error);
  int threads = lines_abreast(options, list_jobs(&it, options));
  it.pool = carom_pool_begin(threads);
  carom_pool_start(it.pool, threads, compute_lines, &it);
  status = take_lines(&it, options, error);
  carom_pool_end(it.pool);
  free(it.jobs);
  return status;
}
