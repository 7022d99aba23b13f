// SPDX-License-Identifier: MIT
/// The first branch and all that leave it: one after the other, or those that are known at one time
/// together.
#include "analysis/follower.h"
#include "analysis/watch_over.h"
#include "base/platform.h"

#include <math.h>
#include <stdlib.h>

// of the range of the parameter: one and the same crossing, found along two branches
static const double SAME_PLACE = 1e-8;

carom_continuation_options carom_continuation_options_default(void) {
  return (carom_continuation_options){.orbit = carom_orbit_options_default(),
                                      .most = 2000,
                                      .first = 0.01,
                                      .least = 1e-7,
                                      .largest = 0.05,
                                      .tolerance = 1e-12,
                                      .size = sizeof(carom_continuation_options)};
}

// --- one branch after the other, or those that are known at one time together

/// What all threads read.
typedef struct family {
  const carom_continuation_options *options;
  carom_journal *journal;
  carom_continuation *branches[CAROM_MOST_BRANCHES + 1]; // those followed so far
  const carom_beginning *beginnings[CAROM_MOST_BRANCHES + 1];
  int parents[CAROM_MOST_BRANCHES + 1]; // which branch each of them leaves
  int known, followed;                  // branches; 0 is the first
} family;

// a branch with a simulation of its own; `alone`: it tells how far it is
static carom_status follow_branch(const family *all, int branch, bool alone,
                                  carom_continuation *result, carom_error *error) {
  const carom_continuation_options *o = all->options;
  carom_follower *it = calloc(1, sizeof *it);
  carom_orbit_map *map = calloc(1, sizeof *map);
  carom_simulation *simulation = NULL;
  bool found = false, whole = false;
  carom_status status = it && map ? CAROM_OK : carom_fail_memory(error);
  if (status == CAROM_OK) status = carom_simulation_create(o->model, &simulation, error);
  if (status == CAROM_OK)
    status = carom_simulation_set_all(simulation, o->value_count, o->values, error);
  if (status == CAROM_OK) status = carom_simulation_set(simulation, o->parameter, o->from, error);
  if (status == CAROM_OK) status = carom_orbit_map_init(map, simulation, error);
  if (status == CAROM_OK) {
    map->maker.watcher = o->watcher;
    if (!alone) map->maker.watcher.progress = NULL;
    *it = (carom_follower){.options = o,
                           .result = result,
                           .map = map,
                           .keeping.journal = all->journal,
                           .branch = branch,
                           .keeping.began = carom_clock(),
                           .keeping.kept = carom_clock(),
                           .low = fmin(o->from, o->to),
                           .high = fmax(o->from, o->to),
                           .error = error};
    result->states = map->size;
    status = carom_follower_take_up(it, &found, &whole);
  }
  if (status == CAROM_OK && !whole)
    status = found         ? carom_follower_follow(it)
             : branch == 0 ? carom_follower_first(it)
                           : carom_follower_promised(it, all->beginnings[branch]);
  if (status >= 0 && !whole) {
    result->turns = map->turns_made;
    carom_status kept = carom_follower_keep(it, status == CAROM_OK);
    if (kept != CAROM_OK) status = kept;
  }
  if (it) carom_follower_forget(it);
  carom_simulation_destroy(simulation);
  free(map);
  free(it);
  return status;
}

static carom_status branch_piece(void *ctx, void *worker, long index, carom_parcel *parcel,
                                 carom_error *error) {
  const family *all = ctx;
  (void)worker, (void)parcel;
  int branch = all->followed + (int)index;
  return follow_branch(all, branch, false, all->branches[branch], error);
}

// the branches from `followed` to `known`, shared over threads
static carom_status follow_known(family *all, carom_error *error) {
  int count = all->known - all->followed;
  const carom_continuation_options *o = all->options;
  if (count == 1)
    return follow_branch(all, all->followed, true, all->branches[all->followed], error);
  carom_journal *pieces = NULL; // a nameless one, of which is done
  carom_journal_task task = {.count = count};
  carom_spread_work work = {.ctx = all, .piece = branch_piece};
  carom_spread_options options = carom_watcher_spread(&o->watcher, o->threads);
  carom_status status = carom_journal_open(NULL, &task, false, &pieces, error);
  if (status == CAROM_OK) status = carom_spread_run(&work, pieces, &options, error);
  (void)carom_journal_close(pieces, NULL);
  return status;
}

// does this branch meet another one here?
static bool crosses_at(const family *all, const carom_continuation *branch, double value) {
  double range = fabs(all->options->to - all->options->from);
  for (long k = 0; k < branch->count; k++)
    if (branch->points[k].label == CAROM_LABEL_CROSSING &&
        fabs(branch->points[k].value - value) < SAME_PLACE * range)
      return true;
  return false;
}

// Where a branch begins, from `parent`, has one of the first `count` been that is not the parent?
// Then it is that one: a branch that is closed meets the first one twice.
static bool has_been(const family *all, const carom_beginning *beginning, int parent, int count) {
  if (!beginning || !crosses_at(all, all->branches[parent], beginning->at.p)) return false;
  for (int b = 0; b < count; b++)
    if (b != parent && crosses_at(all, all->branches[b], beginning->at.p)) return true;
  return false;
}

static carom_status add_branch(family *all, const carom_beginning *beginning, int parent,
                               carom_error *error) {
  if (all->known > CAROM_MOST_BRANCHES || has_been(all, beginning, parent, all->followed))
    return CAROM_OK;
  all->branches[all->known] = calloc(1, sizeof *all->branches[0]);
  if (!all->branches[all->known]) return carom_fail_memory(error);
  all->parents[all->known] = parent;
  all->beginnings[all->known++] = beginning;
  return CAROM_OK;
}

// of those that were followed together some may be the same
static carom_status leave_out_repeated(family *all, int first, carom_error *error) {
  for (int b = first; b < all->followed; b++) {
    if (!has_been(all, all->beginnings[b], all->parents[b], b)) continue;
    carom_continuation_destroy(all->branches[b]);
    all->branches[b] = calloc(1, sizeof *all->branches[b]);
    if (!all->branches[b]) return carom_fail_memory(error);
  }
  return CAROM_OK;
}

static carom_status follow_all(family *all, carom_error *error) {
  carom_status status = add_branch(all, NULL, 0, error);
  while (status == CAROM_OK && all->followed < all->known) {
    int first = all->followed, last = all->known;
    status = follow_known(all, error);
    all->followed = last;
    if (status == CAROM_OK) status = leave_out_repeated(all, first, error);
    for (int b = first; b < last && status == CAROM_OK; b++)
      for (int k = 0; k < all->branches[b]->promises && status == CAROM_OK; k++)
        status = add_branch(all, all->branches[b]->promised[k], b, error);
  }
  return status;
}

// all points in one list, branch by branch
static carom_status join_branches(const family *all, carom_continuation *whole,
                                  carom_error *error) {
  int number = 0; // those that are left out have none
  for (int b = 0; b < all->known; b++) {
    carom_continuation *one = all->branches[b];
    if (b == 0) whole->states = one->states;
    whole->turns += one->turns;
    for (long k = 0; k < one->count; k++) {
      carom_status status = carom_continuation_grow(whole, error);
      if (status != CAROM_OK) return status;
      one->points[k].branch = number;
      whole->points[whole->count++] = one->points[k];
      one->points[k].state = NULL; // it belongs to the whole now
    }
    number += one->count > 0;
    for (int k = 0; k < one->specials; k++) {
      if (!carom_continuation_add_special(whole, one->special[k])) return carom_fail_memory(error);
      one->special[k] = NULL;
    }
  }
  return CAROM_OK;
}

static carom_status check_options(const carom_continuation_options *o, carom_error *error) {
  carom_status status =
      carom_check_options(o->size, sizeof *o, "carom_continuation_options", error);
  if (status != CAROM_OK) return status;
  if (!o->model || !o->parameter)
    return carom_fail(error, CAROM_ERR_ARGUMENT, "a branch needs a model and a parameter");
  if (!(o->from != o->to) || !isfinite(o->from) || !isfinite(o->to))
    return carom_fail(error, CAROM_ERR_INPUT, "a branch needs a range of its parameter");
  if (!(o->least > 0.0 && o->first >= o->least && o->largest >= o->first))
    return carom_fail(error, CAROM_ERR_ARGUMENT, "steps must grow: least, first, largest");
  return CAROM_OK;
}

carom_status carom_continuation_run(const carom_continuation_options *options,
                                    carom_continuation **result, carom_error *error) {
  *result = NULL;
  carom_status status = check_options(options, error);
  if (status != CAROM_OK) return status;
  family all = {.options = options};
  carom_continuation *made = calloc(1, sizeof *made);
  if (!made) return carom_fail_memory(error);
  status = carom_branches_open(options, &all.journal, error);
  if (status == CAROM_OK) status = follow_all(&all, error);
  if (status >= 0) {
    carom_status joined = join_branches(&all, made, error);
    if (joined != CAROM_OK) status = joined;
  }
  for (int b = 0; b < all.known; b++)
    carom_continuation_destroy(all.branches[b]);
  (void)carom_journal_close(all.journal, NULL);
  if (status < 0) {
    carom_continuation_destroy(made);
    return status;
  }
  *result = made;
  return status;
}
