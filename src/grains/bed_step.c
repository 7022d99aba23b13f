// SPDX-License-Identifier: MIT
// One step: half a kick, a drift, new forces, half a kick.
#include "base/error.h"
#include "grains/bed_kernels.h"
#include "grains/crew.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

void carom_bed_place_walls(carom_bed *bed) {
  const carom_bed_settings *set = bed->settings;
  bed->wall_z = bed->wall_rate = 0.0;
  if (set->drive) set->drive(set->drive_ctx, carom_bed_time(bed), &bed->wall_z, &bed->wall_rate);
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
  bed->wall_step = safe * fabs(bed->wall_z - z_before);
  for (int end = 0; end < 3; end++)
    bed->wall_way[end] += bed->wall_step;
}

static carom_status fail_through(const carom_bed *bed, carom_error *error) {
  const carom_bed_trouble *it = &bed->trouble;
  double t = carom_bed_time(bed);
  const char *advice = "; a smaller step or stiffer contacts are needed";
  if (it->b >= 0)
    return carom_fail(error, CAROM_ERR_STEP,
                      "t = %.9g: rods %d and %d went through each other (overlap %g)%s", t, it->a,
                      it->b, it->depth, advice);
  return carom_fail(error, CAROM_ERR_STEP,
                    "t = %.9g: rod %d went through the wall '%s' (overlap %g)%s", t, it->a,
                    bed->settings->walls[-1 - it->b].name, it->depth, advice);
}

// ---- rods that fly off

static int find_fastest(const carom_bed *bed) {
  int who = 0;
  double most = -1.0;
  for (int i = 0; i < bed->n; i++) {
    double v2 = 0.0, w2 = 0.0;
    for (int c = 0; c < 3; c++) {
      v2 += bed->v[c][i] * bed->v[c][i];
      w2 += bed->w[c][i] * bed->w[c][i];
    }
    double speed = sqrt(v2) + sqrt(w2) * carom_bed_kind_of(bed, i)->half;
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
      for (int j = 0; j < list->count; j++) {
        bool mine = list->each[j].a == i || (k == 0 && list->each[j].b == i);
        if (!mine || !(fabs(list->past[j][3]) > deepest)) continue;
        deepest = fabs(list->past[j][3]);
        partner = k > 0 ? -k : bed->id[list->each[j].a == i ? list->each[j].b : list->each[j].a];
      }
    }
  return partner;
}

// a rod that moves by its own radius in one step can jump through others unseen
static carom_status fail_fast(const carom_bed *bed, carom_error *error) {
  int i = find_fastest(bed), partner = find_partner(bed, i);
  double t = carom_bed_time(bed), way = bed->fastest * bed->settings->step;
  if (!isfinite(bed->wall_z) || !isfinite(bed->wall_rate))
    return carom_fail(error, CAROM_ERR_NONFINITE, "t = %.9g: the drive is not finite", t);
  if (partner == INT_MAX)
    return carom_fail(error, CAROM_ERR_STEP,
                      "t = %.9g: rod %d moves by %g in a step, with a radius of %g; a smaller step "
                      "is needed",
                      t, bed->id[i], way, carom_bed_kind_of(bed, i)->radius);
  char other[64];
  if (partner >= 0)
    (void)snprintf(other, sizeof other, "rod %d", partner);
  else
    (void)snprintf(other, sizeof other, "the wall '%.40s'",
                   bed->settings->walls[-1 - partner].name);
  return carom_fail(error, CAROM_ERR_STEP,
                    "t = %.9g: rod %d is flung off by %s and moves by %g in a step, with a radius "
                    "of %g; a smaller step is needed",
                    t, bed->id[i], other, way, carom_bed_kind_of(bed, i)->radius);
}

// ---- a step, shared by threads: two tasks, so that threads meet twice

static void begin_piece(void *ctx, int worker, int piece) {
  carom_bed *bed = ctx;
  (void)worker;
  bed->kernels->first_half(bed, &bed->chunks[piece]);
}

static void touch_piece(void *ctx, int worker, int piece) {
  carom_bed *bed = ctx;
  (void)worker;
  carom_bed_touch_chunk(bed, &bed->chunks[piece]);
}

static void end_piece(void *ctx, int worker, int piece) {
  carom_bed *bed = ctx;
  (void)worker;
  carom_bed_read_mail(bed, &bed->chunks[piece]);
  bed->kernels->second_half(bed, &bed->chunks[piece]);
}

// the end of one step and the begin of the next
static void turn_piece(void *ctx, int worker, int piece) {
  carom_bed *bed = ctx;
  (void)worker;
  carom_bed_read_mail(bed, &bed->chunks[piece]);
  bed->kernels->turn(bed, &bed->chunks[piece]);
}

static carom_status between_halves(carom_bed *bed, carom_error *error) {
  double farthest = 0.0, z = bed->wall_z;
  bed->fastest = 0.0;
  for (int k = 0; k < bed->chunk_count; k++) {
    bed->fastest = fmax(bed->fastest, bed->chunks[k].fastest);
    farthest = fmax(farthest, bed->chunks[k].farthest);
  }
  bed->steps++;
  carom_bed_place_walls(bed);
  add_wall_way(bed, z);
  bool slow = bed->fastest * bed->settings->step < bed->chunks[0].thin && isfinite(bed->wall_step);
  if (!slow) return fail_fast(bed, error);
  bool gone = farthest + fmax(farthest, bed->wall_way[0]) > bed->skin;
  if (gone && !carom_bed_search_neighbours(bed)) return carom_fail_memory(error);
  carom_crew_share(bed->crew, bed->chunk_count, touch_piece, bed);
  carom_bed_collect_sums(bed);
  return bed->no_memory ? carom_fail_memory(error) : CAROM_OK;
}

static carom_status many_steps(carom_bed *bed, long steps, carom_error *error) {
  carom_status status = CAROM_OK;
  if (steps > 0) carom_crew_share(bed->crew, bed->chunk_count, begin_piece, bed);
  for (long k = 0; k < steps && !status; k++) {
    status = between_halves(bed, error);
    bool last = k + 1 == steps || status || bed->trouble.yes;
    carom_crew_share(bed->crew, bed->chunk_count, last ? end_piece : turn_piece, bed);
    if (!status && bed->trouble.yes) status = fail_through(bed, error);
  }
  return status;
}

carom_status carom_bed_advance(carom_bed *bed, long steps, carom_error *error) {
  int threads = bed->settings->threads;
  threads = threads < bed->chunk_count ? threads : bed->chunk_count;
  bed->crew = carom_crew_begin(threads);
  carom_status status = many_steps(bed, steps, error);
  carom_crew_end(bed->crew);
  bed->crew = NULL;
  return status;
}
