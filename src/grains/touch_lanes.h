// SPDX-License-Identifier: MIT
/// Several contacts at once: what pairs and walls share. Rows of rods and of histories are read by
/// lanes and turned into columns.
#ifndef CAROM_GRAINS_TOUCH_LANES_H
#define CAROM_GRAINS_TOUCH_LANES_H

#include "grains/bed.h"
#include "grains/law_lanes.h"

// overlap at which a pair counts as having gone through each other, in parts of the thinner radius
static const double CAROM_THROUGH = 0.5;

/// One candidate a lane; the last one is repeated where there are fewer. Rows of `seen` of the
/// first rod, and of the second where there is one.
typedef struct carom_block {
  int count, at[CAROM_WIDTH], a[CAROM_WIDTH], b[CAROM_WIDTH];
  const double *row_a[CAROM_WIDTH], *row_b[CAROM_WIDTH];
} carom_block;

CAROM_INLINE void carom_block_lane(const carom_bed *bed, carom_block *out, int l, int at, int a,
                                   int b, bool pair) {
  out->at[l] = at;
  out->a[l] = a;
  out->b[l] = b;
  out->row_a[l] = bed->seen[a];
  out->row_b[l] = bed->seen[pair ? b : a];
}

/// Pairs `some` of a list, of which `left` are left.
CAROM_INLINE void carom_block_pick(const carom_bed *bed, const carom_touch_list *list,
                                   const int *some, int left, carom_block *out) {
  out->count = left < CAROM_WIDTH ? left : CAROM_WIDTH;
  for (int l = 0; l < CAROM_WIDTH; l++) {
    int at = some[l < out->count ? l : out->count - 1];
    carom_block_lane(bed, out, l, at, list->each[at].a, list->each[at].b, true);
  }
}

/// Those that are hot, of which `left` are left.
CAROM_INLINE void carom_block_fill(const carom_bed *bed, const carom_touch_hot *hot, int left,
                                   bool pairs, carom_block *out) {
  out->count = left < CAROM_WIDTH ? left : CAROM_WIDTH;
  for (int l = 0; l < CAROM_WIDTH; l++) {
    const carom_touch_hot *it = &hot[l < out->count ? l : out->count - 1];
    carom_block_lane(bed, out, l, it->at, it->a, it->b, pairs);
  }
}

/// One rod a lane; of its velocity x and y.
typedef struct carom_rods {
  carom_space x, u;
  carom_vec vx, vy;
} carom_rods;

CAROM_INLINE void carom_rows(const double *const row[CAROM_WIDTH], int column, carom_vec out[4]) {
  const double *from[CAROM_WIDTH];
  for (int l = 0; l < CAROM_WIDTH; l++)
    from[l] = row[l] + column;
  v_from_rows(from, out);
}

/// Places and axes, and what of velocities lies beside them.
CAROM_INLINE carom_rods carom_rods_place(const double *const row[CAROM_WIDTH]) {
  carom_vec p[4], q[4];
  carom_rows(row, 0, p);
  carom_rows(row, 4, q);
  return (carom_rods){{p[0], p[1], p[2]}, {p[3], q[0], q[1]}, q[2], q[3]};
}

/// Velocity at the arm, where two components of the centre's are known.
CAROM_INLINE carom_space carom_velocity(const double *const row[CAROM_WIDTH], carom_vec vx,
                                        carom_vec vy, carom_space arm) {
  carom_vec r[4];
  carom_rows(row, 8, r);
  carom_space v = {vx, vy, r[0]}, w = {r[1], r[2], r[3]};
  return s_add(v, s_cross(w, arm));
}

/// Sizes of rods; rods of one kind need no looking up.
typedef struct carom_sizes {
  carom_vec half, radius, im;
} carom_sizes;

CAROM_INLINE carom_sizes carom_sizes_of(const carom_bed *bed, const int who[CAROM_WIDTH]) {
  const carom_bed_kind *one = &bed->kinds[0];
  if (bed->settings->species_count == 1)
    return (carom_sizes){v_all(one->half), v_all(one->radius), v_all(one->im)};
  double half[CAROM_WIDTH], radius[CAROM_WIDTH], im[CAROM_WIDTH];
  for (int l = 0; l < CAROM_WIDTH; l++) {
    const carom_bed_kind *kind = carom_bed_kind_of(bed, who[l]);
    half[l] = kind->half, radius[l] = kind->radius, im[l] = kind->im;
  }
  return (carom_sizes){v_load(half), v_load(radius), v_load(im)};
}

CAROM_INLINE void carom_past_load(const carom_touch_hot *hot, const carom_block *b,
                                  carom_contacts *k) {
  const double *row[CAROM_WIDTH];
  carom_vec past[4];
  for (int l = 0; l < CAROM_WIDTH; l++)
    row[l] = hot[l < b->count ? l : b->count - 1].past;
  v_from_rows(row, past);
  k->s = (carom_space){past[0], past[1], past[2]};
  k->root = v_abs(past[3]);
  k->slides = v_less(past[3], v_all(0.0));
}

/// Contacts keep their history; the others forget.
CAROM_INLINE void carom_past_store(carom_touch_hot *hot, const carom_block *b,
                                   const carom_contacts *k, carom_mask touches) {
  carom_vec zero = v_all(0.0), root = v_if(k->slides, -k->root, k->root);
  carom_row rows[CAROM_WIDTH];
  carom_vec past[4] = {v_if(touches, k->s.x, zero), v_if(touches, k->s.y, zero),
                       v_if(touches, k->s.z, zero), v_if(touches, root, zero)};
  v_to_rows(past, rows);
  for (int l = 0; l < b->count; l++)
    row_store(hot[l].past, rows[l]);
}

/// Contacts stay awake, the others sleep over their gap.
CAROM_INLINE void carom_wake_store(carom_touch_list *list, const carom_block *b, carom_vec depths,
                                   const double *way_a, const double *way_b) {
  double depth[CAROM_WIDTH];
  v_store(depth, depths);
  for (int l = 0; l < b->count; l++) {
    double gone = way_a[b->a[l]] + way_b[b->b[l]];
    list->each[b->at[l]].wake = depth[l] <= 0.0 ? carom_touch_wake(gone - depth[l]) : 0.0F;
  }
}

static inline int carom_note_opened(const carom_block *b, const carom_mask *touches, int *opened,
                                    int count) {
  for (int l = 0; l < b->count; l++)
    if (!m_lane(*touches, l)) opened[count++] = b->at[l];
  return count;
}

/// Only the lanes in use.
CAROM_INLINE carom_mask carom_used(const carom_block *b, carom_mask mask) {
  return m_and(mask, m_first(b->count));
}

/// How much of the step springs follow the seen velocities before and after the force.
CAROM_INLINE void carom_share_step(const carom_bed *bed, double *in, double *out) {
  double h = bed->settings->step;
  *in = bed->condition.begun ? (bed->settings->leapfrog ? h : 0.5 * h) : 0.0;
  *out = bed->settings->leapfrog ? 0.0 : 0.5 * h;
}

/// What contacts add up: contact k into the sum k modulo eight, so that the width of lanes does not
/// change the order.
enum { CAROM_SUMS = 8, CAROM_SETS = CAROM_SUMS / CAROM_WIDTH };
typedef struct carom_sums {
  carom_vec part[CAROM_SETS];
} carom_sums;
typedef struct carom_tally {
  carom_sums lost, taken, lift; // lift: force on rods along z
  carom_vec deepest;
} carom_tally;

CAROM_INLINE carom_tally carom_tally_start(void) {
  carom_tally out;
  for (int k = 0; k < CAROM_SETS; k++)
    out.lost.part[k] = out.taken.part[k] = out.lift.part[k] = v_all(0.0);
  out.deepest = v_all(0.0);
  return out;
}

CAROM_INLINE void carom_tally_add(carom_tally *sums, const carom_contacts *k, carom_mask used,
                                  int first) {
  carom_vec zero = v_all(0.0);
  int set = first / CAROM_WIDTH % CAROM_SETS;
  sums->lost.part[set] += v_if(used, k->lost, zero);
  sums->taken.part[set] += v_if(used, k->taken, zero);
  sums->deepest = v_max(sums->deepest, v_if(used, k->depth, zero));
}

CAROM_INLINE void carom_tally_lift(carom_tally *sums, const carom_contacts *k, carom_mask used,
                                   int first) {
  sums->lift.part[first / CAROM_WIDTH % CAROM_SETS] += v_if(used, k->force.z, v_all(0.0));
}

CAROM_INLINE double carom_sum(const carom_sums *sums) {
  double s[CAROM_SUMS];
  memcpy(s, sums, sizeof s);
  return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

CAROM_INLINE void carom_tally_put(const carom_tally *from, carom_bed_sums *to) {
  to->lost_normal += carom_sum(&from->lost);
  to->taken_tangent += carom_sum(&from->taken);
  for (int l = 0; l < CAROM_WIDTH; l++)
    to->deepest = from->deepest[l] > to->deepest ? from->deepest[l] : to->deepest;
}

static inline void carom_note_trouble(carom_bed_sums *sums, int a, int b, double depth) {
  if (sums->trouble.yes) return;
  sums->trouble = (carom_bed_trouble){.yes = true, .a = a, .b = b, .depth = depth};
}

#endif
