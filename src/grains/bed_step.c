// SPDX-License-Identifier: MIT
// One step: half a kick, a drift, new forces, half a kick. A rod is a symmetric top: with the axis
// u, the angular velocity w = p + s u (p across, s along the axis) and torque q,
//   u' = p x u,   p' = (q - (q.u) u)/I + (J s/I) u x p,   s' = (q.u)/J,
// so p turns about u while u turns about p. Each turn is a rational rotation, exact in length.
#include "base/error.h"
#include "grains/bed.h"
#include "grains/crew.h"
#include "grains/lanes.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

void carom_bed_place_walls(carom_bed *bed) {
  const carom_bed_settings *set = bed->settings;
  bed->wall_z = bed->wall_rate = 0.0;
  if (set->drive) set->drive(set->drive_ctx, carom_bed_time(bed), &bed->wall_z, &bed->wall_rate);
}

// ---- four rods at a time

// change of w by the torque q over h
CAROM_INLINE carom_space4 turn_kick(carom_space4 w, carom_space4 u, carom_space4 q, carom_v4 h,
                                    carom_v4 ii, carom_v4 ia) {
  return s4_plus(s4_plus(w, h * ii, q), h * s4_dot(q, u) * (ia - ii), u);
}

// the part of w across the axis turns about it over h
CAROM_INLINE carom_space4 precess(carom_space4 w, carom_space4 u, carom_v4 h, carom_v4 gyro) {
  carom_v4 one = v4_all(1.0), two = v4_all(2.0);
  carom_v4 s = s4_dot(w, u), a = v4_all(0.5) * h * gyro * s, scale = one / (one + a * a);
  carom_space4 p = s4_plus(w, -s, u);
  p = s4_times(scale, s4_plus(s4_times(one - a * a, p), two * a, s4_cross(u, p)));
  return s4_plus(p, s, u);
}

typedef struct kind4 {
  carom_v4 half, im, ii, ia, gyro;
} kind4;

CAROM_INLINE kind4 one_kind(const carom_bed_kind *k) {
  return (kind4){v4_all(k->half), v4_all(k->im), v4_all(k->ii), v4_all(k->ia), v4_all(k->gyro)};
}

CAROM_INLINE kind4 look_up(const carom_bed *bed, int i) {
  kind4 out = one_kind(&bed->kinds[0]);
  for (int l = 0; l < CAROM_LANES; l++) {
    const carom_bed_kind *k = &bed->kinds[bed->kind[i + l]];
    out.half[l] = k->half, out.im[l] = k->im, out.ii[l] = k->ii;
    out.ia[l] = k->ia, out.gyro[l] = k->gyro;
  }
  return out;
}

CAROM_INLINE void read_push(const carom_bed *bed, int i, carom_space4 *f, carom_space4 *q) {
  carom_v4 a[4], b[4];
  for (int l = 0; l < CAROM_LANES; l++) {
    a[l] = v4_load(bed->push[i + l]);
    b[l] = v4_load(bed->push[i + l] + 4);
  }
  v4_transpose(a);
  v4_transpose(b);
  *f = (carom_space4){a[0], a[1], a[2]};
  *q = (carom_space4){b[0], b[1], b[2]};
}

CAROM_INLINE void show(carom_bed *bed, int i, carom_space4 x, carom_space4 u, carom_space4 v,
                       carom_space4 w) {
  carom_v4 a[4] = {x.x, x.y, x.z, u.x}, b[4] = {u.y, u.z, v.x, v.y}, c[4] = {v.z, w.x, w.y, w.z};
  v4_transpose(a);
  v4_transpose(b);
  v4_transpose(c);
  for (int l = 0; l < CAROM_LANES; l++) {
    v4_store(bed->seen[i + l], a[l]);
    v4_store(bed->seen[i + l] + 4, b[l]);
    v4_store(bed->seen[i + l] + 8, c[l]);
  }
}

void carom_bed_show_motion(carom_bed *bed) {
  for (int i = 0; i < bed->n; i += CAROM_LANES)
    show(bed, i, s4_load(bed->x, i), s4_load(bed->u, i), s4_load(bed->v, i), s4_load(bed->w, i));
}

// first half: v and w over half a step, x and u over a whole one
CAROM_CLONES static void first_half(carom_bed *bed, carom_bed_chunk *chunk) {
  const bool same = bed->settings->species_count == 1;
  const double step = bed->settings->step;
  const carom_v4 h = v4_all(step), hh = v4_all(0.5 * step), one = v4_all(1.0);
  const carom_v4 ahead = v4_all(bed->settings->leapfrog ? 0.0 : 0.5 * step);
  carom_v4 speed = v4_all(0.0), swing = speed, all = speed;
  kind4 k = one_kind(&bed->kinds[0]);
  for (int i = chunk->first; i < chunk->end; i += CAROM_LANES) {
    carom_space4 u = s4_load(bed->u, i), f, q;
    read_push(bed, i, &f, &q);
    if (!same) k = look_up(bed, i);
    carom_space4 v = s4_plus(s4_load(bed->v, i), hh * k.im, f);
    carom_space4 w = precess(turn_kick(s4_load(bed->w, i), u, q, hh, k.ii, k.ia), u, hh, k.gyro);
    carom_space4 x = s4_plus(s4_load(bed->x, i), h, v);

    // u turns about p; lengths and right angles are put right to rounding
    carom_v4 s = s4_dot(w, u);
    carom_space4 p = s4_plus(w, -s, u);
    carom_v4 p2 = s4_dot(p, p), b = v4_all(0.25) * h * h * p2;
    u = s4_times(one / (one + b), s4_plus(s4_times(one - b, u), h, s4_cross(p, u)));
    u = s4_times(v4_all(1.5) - v4_all(0.5) * s4_dot(u, u), u);
    p = s4_plus(p, -s4_dot(p, u), u);
    w = s4_plus(p, s, u);
    s4_store(bed->x, i, x);
    s4_store(bed->u, i, u);
    s4_store(bed->v, i, v);
    s4_store(bed->w, i, w);
    show(bed, i, x, u, s4_plus(v, ahead * k.im, f), turn_kick(w, u, q, ahead, k.ii, k.ia));
    carom_v4 v2 = s4_dot(v, v), w2 = p2 * k.half * k.half;
    speed = v4_max(v2, speed);
    swing = v4_max(w2, swing);
    all += v2 + w2;
  }
  // a sum keeps what is not a number, which the greatest would pass over
  double sum = (all[0] + all[1]) + (all[2] + all[3]);
  chunk->fastest[0] = chunk->fastest[1] = isnan(sum) ? HUGE_VAL : 0.0;
  for (int l = 0; l < CAROM_LANES; l++) {
    chunk->fastest[0] = fmax(chunk->fastest[0], speed[l]);
    chunk->fastest[1] = fmax(chunk->fastest[1], swing[l]);
  }
}

CAROM_CLONES static void second_half(carom_bed *bed, const carom_bed_chunk *chunk) {
  const bool same = bed->settings->species_count == 1;
  const carom_v4 hh = v4_all(0.5 * bed->settings->step);
  kind4 k = one_kind(&bed->kinds[0]);
  for (int i = chunk->first; i < chunk->end; i += CAROM_LANES) {
    carom_space4 u = s4_load(bed->u, i), f, q;
    read_push(bed, i, &f, &q);
    if (!same) k = look_up(bed, i);
    s4_store(bed->v, i, s4_plus(s4_load(bed->v, i), hh * k.im, f));
    carom_space4 w = precess(s4_load(bed->w, i), u, hh, k.gyro);
    s4_store(bed->w, i, turn_kick(w, u, q, hh, k.ii, k.ia));
  }
}

// what no two bodies can have come nearer by in this step
static void add_travel(carom_bed *bed, const double fastest[2], double z_before) {
  const double h = bed->settings->step, safe = 1.0 + 1e-9;
  bed->fastest = sqrt(fastest[0]) + sqrt(fastest[1]);
  double wall = fabs(bed->wall_z - z_before), rod = bed->fastest * h;
  bed->travel += safe * (rod + (wall <= rod ? rod : wall));
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
        bool mine = list->a[j] == i || (k == 0 && list->b[j] == i);
        if (!mine || !(list->past[j][3] > deepest)) continue;
        deepest = list->past[j][3];
        partner = k > 0 ? -k : bed->id[list->a[j] == i ? list->b[j] : list->a[j]];
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
  first_half(bed, &bed->chunks[piece]);
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
  second_half(bed, &bed->chunks[piece]);
}

// the end of one step and the begin of the next
static void turn_piece(void *ctx, int worker, int piece) {
  end_piece(ctx, worker, piece);
  begin_piece(ctx, worker, piece);
}

static carom_status between_halves(carom_bed *bed, carom_error *error) {
  double fastest[2] = {0.0, 0.0}, z = bed->wall_z;
  for (int k = 0; k < bed->chunk_count; k++)
    for (int c = 0; c < 2; c++)
      fastest[c] = bed->chunks[k].fastest[c] <= fastest[c] ? fastest[c] : bed->chunks[k].fastest[c];
  bed->steps++;
  carom_bed_place_walls(bed);
  add_travel(bed, fastest, z);
  bool slow = bed->fastest * bed->settings->step < bed->chunks[0].thin && isfinite(bed->travel);
  if (!slow) return fail_fast(bed, error);
  if (bed->travel - bed->built > bed->skin && !carom_bed_search_neighbours(bed))
    return carom_fail_memory(error);
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
