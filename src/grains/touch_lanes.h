// SPDX-License-Identifier: MIT
/// Four contacts at once: what pairs and walls share. Rows of rods and of histories are read by
/// lanes and turned into columns.
#ifndef CAROM_GRAINS_TOUCH_LANES_H
#define CAROM_GRAINS_TOUCH_LANES_H

#include "grains/bed.h"
#include "grains/law_lanes.h"

// overlap at which a pair counts as having gone through each other, in parts of the thinner radius
static const double CAROM_THROUGH = 0.5;

/// Four candidates; the last one is repeated where there are fewer.
typedef struct carom_block {
  int count, at[CAROM_LANES], a[CAROM_LANES], b[CAROM_LANES];
} carom_block;

CAROM_INLINE carom_block carom_block_fill(const carom_touch_list *list, const int *awake,
                                          int left) {
  carom_block k;
  k.count = left < CAROM_LANES ? left : CAROM_LANES;
  for (int l = 0; l < CAROM_LANES; l++) {
    int at = awake[l < k.count ? l : k.count - 1];
    k.at[l] = at;
    k.a[l] = list->a[at];
    k.b[l] = list->b[at];
  }
  return k;
}

/// Four rods.
typedef struct carom_rod4 {
  carom_space4 x, u, v, w;
} carom_rod4;

CAROM_INLINE void carom_rows4(double (*rows)[12], const int who[4], int from, carom_v4 out[4]) {
  for (int l = 0; l < CAROM_LANES; l++)
    out[l] = v4_load(rows[who[l]] + from);
  v4_transpose(out);
}

/// Places and axes only.
CAROM_INLINE carom_rod4 carom_rod4_place(const carom_bed *bed, const int who[4]) {
  carom_v4 p[4], q[4];
  carom_rows4(bed->seen, who, 0, p);
  carom_rows4(bed->seen, who, 4, q);
  return (carom_rod4){.x = {p[0], p[1], p[2]}, .u = {p[3], q[0], q[1]}};
}

CAROM_INLINE carom_rod4 carom_rod4_motion(const carom_bed *bed, const int who[4]) {
  carom_v4 p[4], q[4], r[4];
  carom_rows4(bed->seen, who, 0, p);
  carom_rows4(bed->seen, who, 4, q);
  carom_rows4(bed->seen, who, 8, r);
  return (carom_rod4){
      {p[0], p[1], p[2]}, {p[3], q[0], q[1]}, {q[2], q[3], r[0]}, {r[1], r[2], r[3]}};
}

/// Velocity at the arm.
CAROM_INLINE carom_space4 carom_rod4_velocity(const carom_rod4 *rod, carom_space4 arm) {
  return s4_add(rod->v, s4_cross(rod->w, arm));
}

CAROM_INLINE carom_v4 carom_pick4(const double *values, const int who[4]) {
  return (carom_v4){values[who[0]], values[who[1]], values[who[2]], values[who[3]]};
}

/// Sizes of four rods; rods of one kind need no looking up.
typedef struct carom_size4 {
  carom_v4 half, radius, im;
} carom_size4;

CAROM_INLINE carom_size4 carom_size4_of(const carom_bed *bed, const int who[4]) {
  const carom_bed_kind *one = &bed->kinds[0];
  carom_size4 out = {v4_all(one->half), v4_all(one->radius), v4_all(one->im)};
  for (int l = 0; l < CAROM_LANES && bed->settings->species_count > 1; l++) {
    const carom_bed_kind *kind = carom_bed_kind_of(bed, who[l]);
    out.half[l] = kind->half, out.radius[l] = kind->radius, out.im[l] = kind->im;
  }
  return out;
}

CAROM_INLINE void carom_past_load(const carom_touch_list *list, const carom_block *b,
                                  carom_contact4 *k) {
  carom_v4 rows[4];
  for (int l = 0; l < CAROM_LANES; l++)
    rows[l] = v4_load(list->past[b->at[l]]);
  v4_transpose(rows);
  k->s = (carom_space4){rows[0], rows[1], rows[2]};
  k->root = rows[3];
  k->slides = (carom_m4)(carom_pick4(list->wake, b->at) < v4_all(0.0));
}

/// Contacts keep their history and stay awake; the others forget and sleep over their gap.
CAROM_INLINE void carom_past_store(carom_touch_list *list, const carom_block *b,
                                   const carom_contact4 *k, carom_m4 touches, double travel) {
  carom_v4 zero = v4_all(0.0);
  carom_v4 rows[4] = {v4_if(touches, k->s.x, zero), v4_if(touches, k->s.y, zero),
                      v4_if(touches, k->s.z, zero), v4_if(touches, k->root, zero)};
  carom_v4 slides = v4_if(k->slides, v4_all(-1.0), zero);
  carom_v4 wake = v4_if(touches, slides, v4_all(travel) - k->depth);
  v4_transpose(rows);
  for (int l = 0; l < b->count; l++) {
    v4_store(list->past[b->at[l]], rows[l]);
    list->wake[b->at[l]] = wake[l];
  }
}

CAROM_INLINE double carom_sum4(carom_v4 v) { return (v[0] + v[1]) + (v[2] + v[3]); }

/// Only the lanes in use.
CAROM_INLINE carom_m4 carom_used4(const carom_block *b, carom_m4 mask) {
  carom_m4 number = {0, 1, 2, 3}, count = {b->count, b->count, b->count, b->count};
  return mask & (carom_m4)(number < count);
}

/// Columns of vectors become rows to add to `push`.
CAROM_INLINE void carom_push_rows(carom_space4 v, carom_m4 touches, carom_v4 rows[4]) {
  carom_v4 zero = v4_all(0.0);
  rows[0] = v4_if(touches, v.x, zero);
  rows[1] = v4_if(touches, v.y, zero);
  rows[2] = v4_if(touches, v.z, zero);
  rows[3] = zero;
  v4_transpose(rows);
}

CAROM_INLINE void carom_push_add(double push[8], carom_v4 force, carom_v4 torque) {
  v4_store(push, v4_load(push) + force);
  v4_store(push + 4, v4_load(push + 4) + torque);
}

/// How much of the step springs follow the seen velocities before and after the force.
CAROM_INLINE void carom_share_step(const carom_bed *bed, double *in, double *out) {
  double h = bed->settings->step;
  *in = bed->begun ? (bed->settings->leapfrog ? h : 0.5 * h) : 0.0;
  *out = bed->settings->leapfrog ? 0.0 : 0.5 * h;
}

/// What contacts add up, by lanes.
typedef struct carom_tally4 {
  carom_v4 lost, taken, deepest;
} carom_tally4;

CAROM_INLINE void carom_tally4_add(carom_tally4 *sums, const carom_contact4 *k, carom_m4 used) {
  carom_v4 zero = v4_all(0.0);
  sums->lost += v4_if(used, k->lost, zero);
  sums->taken += v4_if(used, k->taken, zero);
  sums->deepest = v4_max(sums->deepest, v4_if(used, k->depth, zero));
}

CAROM_INLINE void carom_tally4_put(const carom_tally4 *from, carom_bed_sums *to) {
  to->lost_normal += carom_sum4(from->lost);
  to->taken_tangent += carom_sum4(from->taken);
  for (int l = 0; l < CAROM_LANES; l++)
    to->deepest = from->deepest[l] > to->deepest ? from->deepest[l] : to->deepest;
}

static inline void carom_note_trouble(carom_bed_sums *sums, int a, int b, double depth) {
  if (sums->trouble.yes) return;
  sums->trouble = (carom_bed_trouble){.yes = true, .a = a, .b = b, .depth = depth};
}

#endif
