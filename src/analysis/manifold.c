// SPDX-License-Identifier: MIT
/// Saddles in a box, and their branches, shared over threads: each search and each branch is a
/// piece that is known by its number.
#include "analysis/manifold_parts.h"
#include "base/platform.h"
#include "base/pool.h"
#include "engine/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SADDLES = 200, BRANCHES = 4 };
static const double SAME = 1e-6; // place of two saddles, of the box

struct carom_manifold {
  int saddle_count, branch_count;
  carom_saddle *saddles;
  carom_manifold_branch *branches;
};

carom_manifold_options carom_manifold_options_default(void) {
  return (carom_manifold_options){.turns = 1,
                                  .guesses = 9,
                                  .points = 2000,
                                  .step = 0.01,
                                  .size = sizeof(carom_manifold_options)};
}

void carom_manifold_destroy(carom_manifold *it) {
  if (!it) return;
  for (int k = 0; k < it->branch_count; k++)
    free((double *)it->branches[k].points);
  free(it->branches);
  free(it->saddles);
  free(it);
}

int carom_manifold_saddles(const carom_manifold *it) { return it->saddle_count; }
const carom_saddle *carom_manifold_saddle(const carom_manifold *it, int k) {
  return &it->saddles[k];
}
int carom_manifold_branches(const carom_manifold *it) { return it->branch_count; }
const carom_manifold_branch *carom_manifold_branch_at(const carom_manifold *it, int k) {
  return &it->branches[k];
}

/// The work and who does it.
typedef struct drawing {
  const carom_manifold_options *options;
  carom_pool *pool;
  int threads;
  carom_box_map *maps; // of each thread
  carom_box_saddle *found;
  bool *is_found;
  int saddle_count;
  carom_box_curve *curves; // BRANCHES of each saddle
  bool *kept;              // false: out of memory
} drawing;

static carom_status begin_maps(drawing *it, carom_error *error) {
  it->threads = it->options->threads > 0 ? it->options->threads : carom_processors();
  it->maps = calloc((size_t)it->threads, sizeof *it->maps);
  carom_status status = it->maps ? CAROM_OK : carom_fail_memory(error);
  for (int k = 0; k < it->threads && status == CAROM_OK; k++)
    status = carom_box_map_begin(it->options, &it->maps[k], error);
  if (status == CAROM_OK && it->threads > 1) it->pool = carom_pool_begin(it->threads - 1);
  return status;
}

static void seek_saddle(void *ctx, int worker, int piece) {
  drawing *it = ctx;
  int guesses = it->options->guesses;
  if (carom_box_asked(&it->maps[worker])) return;
  int column = piece / guesses, row = piece % guesses;
  carom_place_in_box from = {(column + 0.5) / guesses, (row + 0.5) / guesses};
  it->is_found[piece] = carom_box_saddle_find(&it->maps[worker], from, &it->found[piece]);
}

static int compare_saddles(const void *one, const void *other) {
  const carom_box_saddle *a = one, *b = other;
  if (fabs(a->at.x - b->at.x) > SAME) return a->at.x < b->at.x ? -1 : 1;
  return a->at.y < b->at.y ? -1 : a->at.y > b->at.y;
}

// each saddle once, in the order of the searches, then by place
static void gather_saddles(drawing *it, int pieces) {
  int count = 0;
  for (int k = 0; k < pieces; k++) {
    bool known = !it->is_found[k];
    for (int j = 0; j < count && !known; j++)
      known = fabs(it->found[j].at.x - it->found[k].at.x) < SAME &&
              fabs(it->found[j].at.y - it->found[k].at.y) < SAME;
    if (!known && count < MOST_SADDLES) it->found[count++] = it->found[k];
  }
  it->saddle_count = count;
  qsort(it->found, (size_t)count, sizeof *it->found, compare_saddles);
}

static void draw_branch(void *ctx, int worker, int piece) {
  drawing *it = ctx;
  const carom_box_saddle *saddle = &it->found[piece / BRANCHES];
  carom_box_map *map = &it->maps[worker];
  double period = map->period;
  int side = piece % 2 == 0 ? 1 : -1;
  map->period = saddle->period;
  it->kept[piece] = piece % BRANCHES < 2
                        ? carom_box_stable(map, saddle, side, &it->curves[piece])
                        : carom_box_unstable(map, saddle, side, &it->curves[piece]);
  map->period = period;
}

// in the coordinates of the scenario; the numbers are those of the curve from now on
static void tell_branch(const carom_box_map *map, carom_box_curve *curve, int piece,
                        carom_manifold_branch *to) {
  double *numbers = (double *)curve->points;
  *to = (carom_manifold_branch){.saddle = piece / BRANCHES,
                                .stable = piece % BRANCHES < 2,
                                .side = piece % 2 == 0 ? 1 : -1,
                                .count = curve->count,
                                .points = numbers,
                                .end = curve->end};
  for (long k = 0; k < curve->count; k++) {
    carom_place_in_box u = curve->points[k];
    numbers[2 * k] = map->low[0] + u.x * map->width[0];
    numbers[2 * k + 1] = map->low[1] + u.y * map->width[1];
  }
  curve->points = NULL;
}

static carom_status tell_all(drawing *it, carom_manifold *made, carom_error *error) {
  const carom_box_map *map = &it->maps[0];
  int pieces = it->saddle_count * BRANCHES;
  made->saddles = calloc((size_t)it->saddle_count + 1, sizeof *made->saddles);
  made->branches = calloc((size_t)pieces + 1, sizeof *made->branches);
  if (!made->saddles || !made->branches) return carom_fail_memory(error);
  for (int k = 0; k < pieces; k++)
    if (!it->kept[k]) return carom_fail_memory(error);
  for (int k = 0; k < it->saddle_count; k++) {
    const carom_box_saddle *s = &it->found[k];
    made->saddles[k] = (carom_saddle){
        .at = {map->low[0] + s->at.x * map->width[0], map->low[1] + s->at.y * map->width[1]},
        .unstable = s->unstable,
        .stable = s->stable,
        .period = s->period};
  }
  made->saddle_count = it->saddle_count;
  for (int k = 0; k < pieces; k++)
    tell_branch(map, &it->curves[k], k, &made->branches[made->branch_count++]);
  return CAROM_OK;
}

static carom_status draw_all(drawing *it, carom_manifold *made, carom_error *error) {
  int searches = it->options->guesses * it->options->guesses;
  carom_status status = begin_maps(it, error);
  it->found = calloc((size_t)searches, sizeof *it->found);
  it->is_found = calloc((size_t)searches, sizeof *it->is_found);
  if (status == CAROM_OK && (!it->found || !it->is_found)) status = carom_fail_memory(error);
  if (status != CAROM_OK) return status;
  carom_pool_share(it->pool, searches, seek_saddle, it);
  gather_saddles(it, searches);
  int pieces = it->saddle_count * BRANCHES;
  it->curves = calloc((size_t)pieces + 1, sizeof *it->curves);
  it->kept = calloc((size_t)pieces + 1, sizeof *it->kept);
  if (!it->curves || !it->kept) return carom_fail_memory(error);
  carom_pool_share(it->pool, pieces, draw_branch, it);
  if (carom_box_asked(&it->maps[0])) return CAROM_STOP_USER;
  return tell_all(it, made, error);
}

static void end_drawing(drawing *it) {
  carom_pool_end(it->pool);
  for (int k = 0; it->maps && k < it->threads; k++)
    carom_box_map_end(&it->maps[k]);
  for (int k = 0; it->curves && k < it->saddle_count * BRANCHES; k++)
    free(it->curves[k].points);
  free(it->maps);
  free(it->found);
  free(it->is_found);
  free(it->curves);
  free(it->kept);
}

carom_status carom_manifold_run(const carom_manifold_options *options, carom_manifold **manifold,
                                carom_error *error) {
  drawing it = {.options = options};
  *manifold = NULL;
  carom_status status =
      carom_check_options(options->size, sizeof *options, "carom_manifold_options", error);
  if (status != CAROM_OK) return status;
  if (!options->model || !options->axes || options->turns < 1 || options->guesses < 1 ||
      options->guesses > 1000 || options->points < 2 || !(options->step > 0.0))
    return carom_fail(error, CAROM_ERR_ARGUMENT,
                      "manifolds need a model, two axes, at least one turn, one guess, two points "
                      "and a step above 0");
  carom_manifold *made = calloc(1, sizeof *made);
  if (!made) return carom_fail_memory(error);
  status = draw_all(&it, made, error);
  end_drawing(&it);
  if (status == CAROM_OK)
    *manifold = made;
  else
    carom_manifold_destroy(made);
  return status;
}
