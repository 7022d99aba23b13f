// SPDX-License-Identifier: MIT
/// All lines of a study, several at a time: threads compute, the calling thread takes what is
/// finished in the order of lines.
#define _POSIX_C_SOURCE 200809L
#include "base/error.h"
#include "study/study.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { COOKIE = 0x57d1 };

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
  pthread_mutex_t lock;
  pthread_cond_t finished;
  job *jobs;
  int count, next, working;
  bool halted; // stopped, or a line of the study is wrong
} workshop;

carom_study_options carom_study_options_default(void) {
  return (carom_study_options){.cookie = COOKIE};
}

static double seconds(void) {
  struct timespec now = {0};
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *work(void *argument) {
  workshop *it = argument;
  (void)pthread_mutex_lock(&it->lock);
  for (;;) {
    while (it->next < it->count && !it->jobs[it->next].wanted)
      it->next++;
    if (it->pace.stopped && it->pace.stopped(it->pace.ctx)) it->halted = true;
    if (it->halted || it->next == it->count) break;
    int k = it->next++;
    job *mine = &it->jobs[k];
    (void)pthread_mutex_unlock(&it->lock);
    double began = seconds();
    mine->status = carom_study_compute_line(it->study, k, &it->pace, &mine->result, &mine->error);
    mine->seconds = seconds() - began;
    (void)pthread_mutex_lock(&it->lock);
    mine->done = true;
    it->halted = it->halted || mine->status != CAROM_OK;
    (void)pthread_cond_signal(&it->finished);
  }
  it->working--;
  (void)pthread_cond_signal(&it->finished);
  (void)pthread_mutex_unlock(&it->lock);
  return NULL;
}

// until line k is finished; false: it will not be
static bool wait_for(workshop *it, int k) {
  (void)pthread_mutex_lock(&it->lock);
  while (!it->jobs[k].done && it->working > 0)
    (void)pthread_cond_wait(&it->finished, &it->lock);
  bool done = it->jobs[k].done;
  (void)pthread_mutex_unlock(&it->lock);
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
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  long most = options->abreast > 0 ? options->abreast
              : processors > 8     ? processors / 4
              : processors > 1     ? 2
                                   : 1;
  return most < wanted ? (int)most : wanted;
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

static carom_status share(workshop *it, const carom_study_options *options, carom_error *error) {
  int threads = lines_abreast(options, list_jobs(it, options)), started = 0;
  pthread_t *ids = calloc((size_t)threads + 1, sizeof *ids);
  if (!ids) return carom_fail_memory(error);
  (void)pthread_mutex_init(&it->lock, NULL);
  (void)pthread_cond_init(&it->finished, NULL);
  it->working = threads;
  while (started < threads && pthread_create(&ids[started], NULL, work, it) == 0)
    started++;
  (void)pthread_mutex_lock(&it->lock);
  it->working -= threads - started; // fewer are enough
  (void)pthread_mutex_unlock(&it->lock);
  carom_status status = started == 0 && threads > 0
                            ? carom_fail(error, CAROM_ERR_LIMIT, "no thread could be started")
                            : take_lines(it, options, error);
  for (int k = 0; k < started; k++)
    (void)pthread_join(ids[k], NULL);
  (void)pthread_cond_destroy(&it->finished);
  (void)pthread_mutex_destroy(&it->lock);
  free(ids);
  return status;
}

carom_status carom_study_compute_all(const carom_study *study, const carom_study_options *options,
                                     carom_error *error) {
  if (options->cookie != COOKIE || !options->take)
    return carom_fail(error, CAROM_ERR_ARGUMENT,
                      "options must come from carom_study_options_default and say who takes lines");
  workshop it = {.study = study,
                 .pace = {options->full, options->stopped, options->ctx},
                 .count = study->count};
  it.jobs = calloc((size_t)study->count + 1, sizeof *it.jobs);
  if (!it.jobs) return carom_fail_memory(error);
  carom_status status = share(&it, options, error);
  free(it.jobs);
  return status;
}
