// SPDX-License-Identifier: MIT
/// A sweep shared by the processes of an mpirun: each does its part of the points and keeps its own
/// journal, FILE.rank-K; at the end rank 0 has them all. What a killed process had finished is in
/// its journal, and a resumed sweep, with any number of processes, takes it from there.
#define _POSIX_C_SOURCE 200809L
#include "analysis/sweep_internal.h"
#include "base/error.h"
#include "spread/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_RANK_FILES = 4096, SUFFIX_ROOM = 32 };

// FILE.rank-K, to be freed; NULL for a nameless journal or without memory
static char *rank_file(const char *base, int rank) {
  size_t room = base ? strlen(base) + SUFFIX_ROOM : 0;
  char *name = base ? malloc(room) : NULL;
  if (name) (void)snprintf(name, room, "%s.rank-%d", base, rank);
  return name;
}

// what one other journal has, if it is there and of the same task
static carom_status take_over(const char *file, carom_journal *journal, carom_error *error) {
  carom_journal *other = NULL;
  if (access(file, R_OK) != 0 || carom_journal_read_only(file, &other, NULL) != CAROM_OK)
    return CAROM_OK;
  carom_journal_task mine = carom_journal_about(journal), its = carom_journal_about(other);
  carom_status status = CAROM_OK;
  if (mine.identity == its.identity && mine.count == its.count)
    status = carom_journal_merge(journal, other, error);
  (void)carom_journal_close(other, NULL);
  return status;
}

carom_status carom_sweep_take_over(const char *base, const char *own, carom_journal *journal,
                                   carom_error *error) {
  carom_status status = strcmp(base, own) ? take_over(base, journal, error) : CAROM_OK;
  for (int k = 0; k < MOST_RANK_FILES && status == CAROM_OK; k++) {
    char *file = rank_file(base, k);
    if (!file) return carom_fail_memory(error);
    if (strcmp(file, own) != 0) status = take_over(file, journal, error);
    free(file);
  }
  return status;
}

void carom_sweep_forget_ranks(const char *base) {
  for (int k = 0; base && k < MOST_RANK_FILES; k++) {
    char *file = rank_file(base, k);
    if (file) (void)unlink(file);
    free(file);
  }
}

// rank 0 has all points now, under the name that a plain sweep gives its journal
static carom_status tidy(const char *base, int rank, char *own, carom_error *error) {
  if (!base || rank > 0) return CAROM_OK;
  if (rename(own, base) != 0)
    return carom_fail(error, CAROM_ERR_IO, "cannot rename %s to %s", own, base);
  carom_sweep_forget_ranks(base);
  return CAROM_OK;
}

static carom_status share(const carom_sweep_options *options, carom_ranks *ranks, char *own,
                          carom_sweep **sweep, carom_error *error) {
  int rank = carom_ranks_rank(ranks), here = carom_ranks_here(ranks);
  carom_sweep_options mine = *options;
  mine.part = rank;
  mine.parts = carom_ranks_count(ranks);
  mine.journal = own;
  if (rank > 0) mine.watcher.progress = NULL;
  if (mine.threads == 0) {
    int free_ones = carom_spread_processors() / here;
    mine.threads = free_ones > 1 ? free_ones : 1;
  }
  carom_status status = carom_sweep_run_here(&mine, options->journal, sweep, error);
  carom_status worst = carom_ranks_agree(ranks, status);
  if (worst < 0 && status >= 0)
    return carom_fail(error, worst, "another process failed: %s", carom_status_text(worst));
  if (worst < 0) return status;
  (*sweep)->rank = rank;
  status = carom_ranks_collect(ranks, (*sweep)->journal, error);
  if (status == CAROM_OK) status = tidy(options->journal, rank, own, error);
  carom_status after = carom_ranks_agree(ranks, status);
  return status < 0 ? status : after < 0 ? after : worst;
}

// one process may finish what several have begun
static carom_status run_alone(const carom_sweep_options *options, carom_sweep **sweep,
                              carom_error *error) {
  carom_status status = carom_sweep_run_here(options, options->journal, sweep, error);
  bool whole = status == CAROM_OK && options->parts <= 1;
  if (whole && options->resume) carom_sweep_forget_ranks(options->journal);
  return status;
}

carom_status carom_sweep_run(const carom_sweep_options *options, carom_sweep **sweep,
                             carom_error *error) {
  *sweep = NULL;
  if (!options->ranks) return carom_sweep_run_here(options, options->journal, sweep, error);
  carom_ranks *ranks = NULL;
  carom_status status = carom_ranks_join(&ranks, error);
  if (status != CAROM_OK || carom_ranks_count(ranks) == 1) {
    carom_ranks_leave(ranks);
    return status < 0 ? status : run_alone(options, sweep, error);
  }
  char *own = rank_file(options->journal, carom_ranks_rank(ranks));
  if (options->parts > 1)
    status =
        carom_fail(error, CAROM_ERR_INPUT, "parts of a sweep are not shared once more by mpirun");
  else if (options->journal && !own)
    status = carom_fail_memory(error);
  if (status == CAROM_OK) status = share(options, ranks, own, sweep, error);
  if (status < 0) {
    carom_sweep_close(*sweep);
    *sweep = NULL;
  }
  carom_ranks_leave(ranks);
  free(own);
  return status;
}

int carom_sweep_rank(const carom_sweep *sweep) { return sweep->rank; }
