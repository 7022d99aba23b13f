// SPDX-License-Identifier: MIT
// One step: half a kick, a drift, new forces, half a kick.
#include "base/elementary.h"
#include "base/error.h"
#include "base/pool.h"
#include "grains/bed_kernels.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void carom_bed_place_walls(carom_bed *bed) {
  const carom_bed_settings *set = bed->settings;
  bed->wall.z = bed->wall.rate = 0.0;
  if (set->drive) set->drive(set->drive_ctx, carom_bed_time(bed), &bed->wall.z, &bed->wall.rate);
}

void carom_bed_show_motion(carom_bed *bed) {
  for (int i = 0; i < bed->n; i++)
    for (int c = 0; c < 3; c++) {
      double *seen = bed->seen[i] + c;
      seen[0] = bed->x[c][i], seen[3] = bed->u[c][i], seen[6] = bed->v[c][i],
      seen[9] = bed->w[c][i];
    }
}

static void add_wall_way(carom_bed *bed, double z_before) {
  const double safe = 1.0 + 1e-9;
  bed->wall.step = safe * fabs(bed->wall.z - z_before);
  for (int end = 0; end < 3; end++)
    bed->wall.way[end] += bed->wall.step;
}

static const carom_grain_law *law_between(const carom_bed *bed, int i, int j) {
  const carom_bed_settings *set = bed->settings;
  if (j >= 0)
    return set->laws ? &set->laws[bed->kind[i] * set->species_count + bed->kind[j]] : &set->law;
  const carom_bed_wall *wall = &set->walls[-1 - j];
  return wall->laws ? &wall->laws[bed->kind[i]] : &wall->law;
}

static double rod_speed(const carom_bed *bed, int i) {
  double v2 = 0.0, w2 = 0.0;
  for (int c = 0; c < 3; c++) {
    v2 += bed->v[c][i] * bed->v[c][i];
    w2 += bed->w[c][i] * bed->w[c][i];
  }
  return sqrt(v2) + sqrt(w2) * carom_bed_kind_of(bed, i)->half;
}

// What is wrong, or would do: a drive that jumps; the step, where it is too long for a contact
// pressed in so far; else a stiffness that takes up what has been stored and is still moving within
// a tenth of the radius. Rods i and j, or rod i and wall -1 - j.
static void advise_on_step(const carom_bed *bed, int i, int j, char *text, size_t room) {
  const carom_grain_law *law = law_between(bed, i, j);
  const carom_bed_kind *a = carom_bed_kind_of(bed, i), *b = j < 0 ? a : carom_bed_kind_of(bed, j);
  double mass = 1.0 / (a->im + (j < 0 ? 0.0 : b->im)), depth = bed->condition.trouble.depth;
  double speed = rod_speed(bed, i) + (j < 0 ? fabs(bed->wall.rate) : rod_speed(bed, j));
  double felt = 1.0 / (1.0 / mass + a->half * a->half * a->ii); // at a cap, as it turns too
  double step = carom_grain_law_step(law, felt, depth), power = law->hertz ? 2.5 : 2.0;
  double within = 0.1 * fmin(a->radius, b->radius);
  double stored = law->kn * carom_pow(depth, power) / power;
  double stiff = (stored + 0.5 * mass * speed * speed) * power / carom_pow(within, power);
  if (j < 0 && bed->settings->walls[-1 - j].driven && bed->wall.step > within)
    (void)snprintf(text, room, "the drive moved it by %g in one step", bed->wall.step);
  else if (!isfinite(stiff))
    (void)snprintf(text, room, "a smaller step or stiffer contacts are needed");
  else if (bed->settings->step > 2.0 * step)
    (void)snprintf(text, room, "a step of %.2g would do", 0.5 * step);
  else
    (void)snprintf(text, room, "a stiffness of %.2g would stop them, it is %g", 1.05 * stiff,
                   law->kn);
}

static carom_status fail_through(const carom_bed *bed, carom_error *error) {
  const carom_bed_trouble *it = &bed->condition.trouble;
  double t = carom_bed_time(bed);
  char advice[120];
  advise_on_step(bed, bed->order.place[it->a], it->b < 0 ? it->b : bed->order.place[it->b], advice,
                 sizeof advice);
  if (it->b >= 0)
    return carom_fail(error, CAROM_ERR_STEP,
                      "t = %.9g: rods %d and %d went through each other (overlap %g); %s", t, it->a,
                      it->b, it->depth, advice);
  return carom_fail(error, CAROM_ERR_STEP,
                    "t = %.9g: rod %d went through the wall '%s' (overlap %g); %s", t, it->a,
                    bed->settings->walls[-1 - it->b].name, it->depth, advice);
}

// ---- rods that fly off

static int find_fastest(const carom_bed *bed) {
  int who = 0;
  double most = -1.0;
  for (int i = 0; i < bed->n; i++) {
    double speed = rod_speed(bed, i);
    if (speed <= most) continue; // what is not a number counts as fastest
    most = speed, who = i;
    if (isnan(speed)) break;
  }
  return who;
}

// the other body of the deepest contact of rod i: an id, -1 - a wall, or INT_MAX
static int find_partner(const carom_bed *bed, int i) {
  int partner = INT_MAX;
  double deepest = 0.0;
  for (int c = 0; c < bed->chunk_count; c++)
    for (int k = 0; k <= bed->settings->wall_count; k++) {
      const carom_touch_list *list = &bed->chunks[c].lists[k];
      for (int j = 0; j < list->hot_count; j++) {
        const carom_touch_hot *it = &list->hot[j];
        bool mine = it->a == i || (k == 0 && it->b == i);
        if (!mine || !(fabs(it->past[3]) > deepest)) continue;
        deepest = fabs(it->past[3]);
        partner = k > 0 ? -k : bed->order.id[it->a == i ? it->b : it->a];
      }
    }
  return partner;
}

// a rod that moves by its own radius in one step can jump through others unseen
static carom_status fail_fast(const carom_bed *bed, carom_error *error) {
  int i = find_fastest(bed), partner = find_partner(bed, i);
  double t = carom_bed_time(bed), way = bed->reach.fastest * bed->settings->step;
  if (!isfinite(bed->wall.z) || !isfinite(bed->wall.rate))
    return carom_fail(error, CAROM_ERR_NONFINITE, "t = %.9g: the drive is not finite", t);
  double radius = carom_bed_kind_of(bed, i)->radius;
  if (bed->wall.step > radius)
    return carom_fail(error, CAROM_ERR_STEP,
                      "t = %.9g: the drive moved its walls by %g in one step, with rods of radius "
                      "%g: rod %d moves by %g in a step",
                      t, bed->wall.step, radius, bed->order.id[i], way);
  if (partner == INT_MAX && isfinite(way))
    return carom_fail(error, CAROM_ERR_STEP,
                      "t = %.9g: rod %d moves by %g in a step, with a radius of %g; a step of %.2g "
                      "would do",
                      t, bed->order.id[i], way, radius, 0.2 * radius / bed->reach.fastest);
  if (partner == INT_MAX)
    return carom_fail(error, CAROM_ERR_STEP, "t = %.9g: rod %d moves by %g in a step", t,
                      bed->order.id[i], way);
  char other[64];
  if (partner >= 0)
    (void)snprintf(other, sizeof other, "rod %d", partner);
  else
    (void)snprintf(other, sizeof other, "the wall '%.40s'",
                   bed->settings->walls[-1 - partner].name);
  return carom_fail(error, CAROM_ERR_STEP,
                    "t = %.9g: rod %d is flung off by %s and moves by %g in a step, with a radius "
                    "of %g; a smaller step is needed",
                    t, bed->order.id[i], other, way, radius);
}

// ---- a step, shared by threads: one task, so that threads meet once

static void begin_piece(void *ctx, int worker, int piece) {
  carom_bed *bed = ctx;
  (void)worker;
  bed->kernels->first_half(bed, &bed->chunks[piece]);
}

typedef struct round_of_forces {
  carom_bed *bed;
  bool last; // rods stay at the end of the step; else they begin the next one
} round_of_forces;

// One of those that look at a chunk's rods and push them has done so; after the last of them the
// rods may move. Chunks look at themselves and at later ones, so a thread that goes through them in
// their order moves each at once, while it is in the cache.
static void let_go(const round_of_forces *it, carom_bed_chunk *chunk) {
  if (atomic_fetch_sub_explicit(&chunk->awaited, 1, memory_order_acq_rel) > 1) return;
  atomic_store_explicit(&chunk->awaited, 1 + chunk->sender_count, memory_order_relaxed);
  carom_bed_read_mail(it->bed, chunk);
  if (it->last)
    it->bed->kernels->second_half(it->bed, chunk);
  else
    it->bed->kernels->turn(it->bed, chunk);
}

// pushes that have to wait for others go where they are kept
static void keep_push(const carom_bed *bed, carom_bed_chunk *chunk) {
  double(*kept)[8] = bed->push + chunk->first;
  if (chunk->push == kept) return;
  memcpy(kept, chunk->push, (size_t)(chunk->end - chunk->first) * sizeof *kept);
  chunk->push = kept;
}

static void touch_piece(void *ctx, int worker, int piece) {
  const round_of_forces *it = ctx;
  carom_bed *bed = it->bed;
  carom_bed_chunk *chunk = &bed->chunks[piece];
  chunk->push = it->last || !bed->pads ? bed->push + chunk->first : bed->pads[worker];
  carom_bed_touch_chunk(bed, chunk);
  if (atomic_load_explicit(&chunk->awaited, memory_order_relaxed) > 1) keep_push(bed, chunk);
  let_go(it, chunk);
  for (int k = 0; k < chunk->leg_count; k++)
    let_go(it, &it->bed->chunks[chunk->legs[k].to]);
}

// after the drift: walls follow, and neighbours are looked for where they may have changed
static carom_status follow_drift(carom_bed *bed, carom_error *error) {
  double farthest = 0.0, z = bed->wall.z;
  bed->reach.fastest = 0.0;
  for (int k = 0; k < bed->chunk_count; k++) {
    bed->reach.fastest = fmax(bed->reach.fastest, bed->chunks[k].fastest);
    farthest = fmax(farthest, bed->chunks[k].farthest);
  }
  bed->counts.steps++;
  carom_bed_place_walls(bed);
  add_wall_way(bed, z);
  bool slow =
      bed->reach.fastest * bed->settings->step < bed->chunks[0].thin && isfinite(bed->wall.step);
  if (!slow) return fail_fast(bed, error);
  bool gone = farthest + fmax(farthest, bed->wall.way[0]) > bed->reach.skin;
  return gone && !carom_bed_search_neighbours(bed) ? carom_fail_memory(error) : CAROM_OK;
}

static carom_status touch_all(carom_bed *bed, bool last, carom_error *error) {
  round_of_forces it = {bed, last};
  carom_pool_share(bed->pool, bed->chunk_count, touch_piece, &it);
  carom_bed_collect_sums(bed);
  if (bed->condition.no_memory) return carom_fail_memory(error);
  return bed->condition.trouble.yes ? fail_through(bed, error) : CAROM_OK;
}

// A rod that has no velocity any more is told here: the next step, which would find it, may never
// come. What drifts has been looked at before, so places and axes are finite.
static carom_status check_end(carom_bed *bed, carom_error *error) {
  double lost = 0.0; // 0 times what is not finite is not a number, and stays so in a sum
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < bed->n; i++)
      lost += 0.0 * bed->v[c][i] + 0.0 * bed->w[c][i];
  if (lost == 0.0) return CAROM_OK;
  bed->reach.fastest = HUGE_VAL;
  return fail_fast(bed, error);
}

static carom_status many_steps(carom_bed *bed, long steps, carom_error *error) {
  carom_status status = CAROM_OK;
  if (steps > 0) carom_pool_share(bed->pool, bed->chunk_count, begin_piece, bed);
  for (long k = 0; k < steps && !status; k++) {
    status = follow_drift(bed, error);
    if (!status) status = touch_all(bed, k + 1 == steps, error);
  }
  if (!status) status = check_end(bed, error);
  return status;
}

carom_status carom_bed_advance(carom_bed *bed, long steps, carom_error *error) {
  if (!bed->condition.begun)
    return carom_fail(error, CAROM_ERR_ARGUMENT,
                      "the bed has not begun, or had no memory to go on");
  int threads = bed->settings->threads;
  threads = threads < bed->chunk_count ? threads : bed->chunk_count;
  bed->pool = carom_pool_begin(threads - 1);
  carom_status status = many_steps(bed, steps, error);
  carom_pool_end(bed->pool);
  bed->pool = NULL;
  bed->condition.begun = status != CAROM_ERR_MEMORY;
  return status;
}
