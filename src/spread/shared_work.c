// SPDX-License-Identifier: MIT
#include "spread/shared_work.h"

#include "base/error.h"
#include "base/platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUFFIX_ROOM = 32, NAME_ROOM = 512 };
static const char RANK[] = ".rank-", PART[] = ".part-", JOURNAL[] = ".journal";

static bool has_several(const carom_shared_work *it) {
  return it->ranks && carom_ranks_count(it->ranks) > 1;
}

// FILE, or FILE.rank-K where there are several processes, to be freed; NULL for a nameless journal
// or without memory
static char *own_file(const carom_shared_work *it) {
  size_t room = it->file ? strlen(it->file) + SUFFIX_ROOM : 0;
  char *name = it->file ? malloc(room) : NULL;
  if (!name) return NULL;
  if (has_several(it))
    (void)snprintf(name, room, "%s%s%d", it->file, RANK, carom_ranks_rank(it->ranks));
  else
    (void)snprintf(name, room, "%s", it->file);
  return name;
}

// ---- files beside the journal ----

typedef carom_status (*visit)(void *ctx, const char *file, carom_error *error);

static bool begins_with(const char *text, const char *start, size_t length, const char *then) {
  return strncmp(text, start, length) == 0 && strncmp(text + length, then, strlen(then)) == 0;
}

// is it a journal of a process (FILE.rank-K), or of a part (STEM.part-K-of-N of STEM.journal)?
static bool is_of(const char *name, const char *base, bool parts) {
  size_t length = strlen(base), suffix = sizeof JOURNAL - 1;
  if (begins_with(name, base, length, RANK)) return true;
  bool has_stem = length > suffix && strcmp(base + length - suffix, JOURNAL) == 0;
  return parts && has_stem && begins_with(name, base, length - suffix, PART);
}

/// The files beside a journal, looked at one after the other.
typedef struct beside {
  const char *base; // name of the journal in its folder
  bool parts;
  char *path;    // of the entry, in room for NAME_ROOM characters behind the folder
  size_t folder; // length of the folder in it
  visit look;
  void *ctx;
  carom_status status;
  carom_error *error;
} beside;

static bool visit_entry(void *ctx, const char *name) {
  beside *it = ctx;
  if (!is_of(name, it->base, it->parts)) return true;
  (void)snprintf(it->path + it->folder, NAME_ROOM, "%s", name);
  it->status = it->look(it->ctx, it->path, it->error);
  return it->status == CAROM_OK;
}

static carom_status visit_beside(const char *file, bool parts, visit look, void *ctx,
                                 carom_error *error) {
  const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
  beside it = {.base = base, .parts = parts, .look = look, .ctx = ctx, .error = error};
  it.folder = (size_t)(base - file);
  it.path = malloc(it.folder + NAME_ROOM);
  char *folder = calloc(it.folder + 2, 1);
  if (it.path && folder) {
    memcpy(it.path, file, it.folder);
    memcpy(folder, it.folder > 0 ? file : ".", it.folder > 0 ? it.folder : 1);
    carom_folder_visit(folder, visit_entry, &it);
  } else {
    it.status = carom_fail_memory(error);
  }
  free(folder);
  free(it.path);
  return it.status;
}

/// Where records go.
typedef struct taking {
  const char *own;
  carom_journal *journal;
} taking;

// what one other journal has, if it is there and of the same task
static carom_status take_over(void *ctx, const char *file, carom_error *error) {
  const taking *it = ctx;
  carom_journal *other = NULL;
  if (strcmp(file, it->own) == 0 || !carom_path_readable(file) ||
      carom_journal_read_only(file, &other, NULL) != CAROM_OK)
    return CAROM_OK;
  carom_journal_task mine = carom_journal_about(it->journal), its = carom_journal_about(other);
  carom_status status = CAROM_OK;
  if (mine.identity == its.identity && mine.count == its.count)
    status = carom_journal_merge(it->journal, other, error);
  (void)carom_journal_close(other, NULL);
  return status;
}

static carom_status forget_one(void *ctx, const char *file, carom_error *error) {
  (void)ctx, (void)error;
  (void)carom_path_remove(file);
  return CAROM_OK;
}

static void forget_ranks(const char *file) {
  (void)visit_beside(file, false, forget_one, NULL, NULL);
}

// ---- all together ----

// the first process has all pieces now, under the name that one process alone gives its journal
static carom_status tidy_journal(const carom_shared_work *it, carom_error *error) {
  if (!it->file || carom_ranks_rank(it->ranks) > 0) return CAROM_OK;
  char *own = own_file(it);
  bool renamed = own && carom_path_rename(own, it->file);
  free(own);
  if (!renamed) return carom_fail(error, CAROM_ERR_IO, "cannot rename %s.rank-0", it->file);
  forget_ranks(it->file);
  return CAROM_OK;
}

carom_status carom_shared_agree(const carom_shared_work *it, carom_status status,
                                carom_error *error) {
  if (!has_several(it)) return status;
  carom_status worst = carom_ranks_agree(it->ranks, status);
  if (worst < 0 && status >= 0)
    return carom_fail(error, worst, "another process failed: %s", carom_status_text(worst));
  return status < 0 ? status : worst;
}

carom_status carom_shared_open(const carom_shared_work *it, const carom_journal_task *task,
                               carom_journal **journal, carom_error *error) {
  char *own = own_file(it);
  carom_status status = it->file && !own ? carom_fail_memory(error) : CAROM_OK;
  if (status == CAROM_OK) status = carom_journal_open(own, task, it->resume, journal, error);
  if (status == CAROM_OK && own && it->resume) {
    taking into = {own, *journal};
    status = take_over(&into, it->file, error);
    if (status == CAROM_OK) status = visit_beside(it->file, true, take_over, &into, error);
  }
  free(own);
  return carom_shared_agree(it, status, error);
}

static carom_status run_alone(const carom_shared_work *it, const carom_spread_work *work,
                              const carom_spread_options *options, carom_journal *journal,
                              carom_error *error) {
  carom_status status = carom_spread_run(work, journal, options, error);
  // one process may finish what several have begun
  bool whole = status == CAROM_OK && options->parts <= 1;
  if (whole && it->resume && it->file) forget_ranks(it->file);
  return status;
}

carom_status carom_shared_run(const carom_shared_work *it, const carom_spread_work *work,
                              const carom_spread_options *options, carom_journal *journal,
                              carom_error *error) {
  if (!has_several(it)) return run_alone(it, work, options, journal, error);
  if (options->parts > 1)
    return carom_fail(error, CAROM_ERR_INPUT, "parts are not shared once more by mpirun");
  carom_spread_options mine = *options;
  mine.part = carom_ranks_rank(it->ranks);
  mine.parts = carom_ranks_count(it->ranks);
  if (mine.part > 0) mine.progress = NULL;
  if (mine.threads == 0) {
    int free_ones = carom_processors() / carom_ranks_here(it->ranks);
    mine.threads = free_ones > 1 ? free_ones : 1;
  }
  carom_status worst = carom_shared_agree(it, carom_spread_run(work, journal, &mine, error), error);
  if (worst < 0) return worst;
  carom_status status = carom_ranks_collect(it->ranks, journal, it->everyone, error);
  if (status == CAROM_OK) status = tidy_journal(it, error);
  status = carom_shared_agree(it, status, error);
  return status < 0 ? status : worst;
}
