// SPDX-License-Identifier: MIT
/// Pairs of rods, several at a time: how far apart they are, and what contacts do.
#ifndef CAROM_GRAINS_PAIRS_LANES_H
#define CAROM_GRAINS_PAIRS_LANES_H

#include "grains/touch_lanes.h"

CAROM_INLINE carom_vec nearest_image(carom_vec d, double period) {
  carom_vec half = v_all(0.5 * period), whole = v_all(period);
  d = v_if(v_more(d, half), d - whole, d);
  return v_if(v_less(d, -half), d + whole, d);
}

// sizes and masses of pairs
typedef struct sizes {
  carom_vec half_a, half_b, radius_a, radius_b;
} sizes;

CAROM_INLINE sizes sizes_of_pairs(const carom_bed *bed, const carom_block *block) {
  carom_sizes a = carom_sizes_of(bed, block->a), b = carom_sizes_of(bed, block->b);
  return (sizes){a.half, b.half, a.radius, b.radius};
}

CAROM_INLINE carom_vec mass_of_pairs(const carom_bed *bed, const carom_block *block) {
  carom_sizes a = carom_sizes_of(bed, block->a), b = carom_sizes_of(bed, block->b);
  return v_all(1.0) / (a.im + b.im);
}

// nearest points of the axes and what is between them
typedef struct nearest {
  carom_vec s, t;
  carom_space gap;
} nearest;

CAROM_INLINE nearest find_nearest(const carom_bed *bed, const carom_rods *a, const carom_rods *b,
                                  const sizes *size) {
  const double *period = bed->settings->periodic;
  nearest out;
  carom_space r = s_sub(a->x, b->x);
  if (period[0] > 0.0) r.x = nearest_image(r.x, period[0]);
  if (period[1] > 0.0) r.y = nearest_image(r.y, period[1]);
  if (period[2] > 0.0) r.z = nearest_image(r.z, period[2]);
  s_segment_nearest(r, a->u, size->half_a, b->u, size->half_b, &out.s, &out.t);
  out.gap = s_plus(s_plus(r, out.s, a->u), -out.t, b->u);
  return out;
}

// pairs that did not touch in the last step: those that still do not go to sleep over their gap
static inline void carom_lanes_test_pairs(const carom_bed *bed, carom_touch_list *list,
                                          const int *awake, int count) {
  for (int first = 0; first < count; first += CAROM_WIDTH) {
    carom_block block;
    carom_block_pick(bed, list, awake + first, count - first, &block);
    carom_rods a = carom_rods_place(block.row_a), b = carom_rods_place(block.row_b);
    sizes size = sizes_of_pairs(bed, &block);
    nearest near = find_nearest(bed, &a, &b, &size);
    carom_vec distance = v_sqrt(s_dot(near.gap, near.gap));
    carom_wake_store(list, &block, size.radius_a + size.radius_b - distance, bed->reach.way,
                     bed->reach.way);
  }
}

CAROM_INLINE carom_laws laws_of_pairs(const carom_bed *bed, const carom_block *b) {
  const carom_bed_settings *set = bed->settings;
  int which[CAROM_WIDTH];
  for (int l = 0; l < CAROM_WIDTH; l++)
    which[l] = bed->kind[b->a[l]] * set->species_count + bed->kind[b->b[l]];
  return carom_laws_each(set->laws, which);
}

// by address: functions compiled for different machines pass vectors in different places
static inline void find_pair_trouble(const carom_bed *bed, const carom_block *b,
                                     const carom_vec *depths, carom_bed_sums *sums) {
  double depth[CAROM_WIDTH];
  v_store(depth, *depths);
  for (int l = 0; l < b->count; l++) {
    double ra = carom_bed_kind_of(bed, b->a[l])->radius;
    double rb = carom_bed_kind_of(bed, b->b[l])->radius, thin = ra < rb ? ra : rb;
    bool apart = depth[l] < CAROM_THROUGH * thin; // false also for what is not a number
    if (!apart) carom_note_trouble(sums, bed->order.id[b->a[l]], bed->order.id[b->b[l]], depth[l]);
  }
}

// Contacts go through stages, a batch at a time. Each is short enough that the processor works at
// several blocks at once: in one long loop it would wait for quotients and roots.
enum { BATCH = 8 };
typedef struct staged {
  carom_block block;
  nearest near;
  carom_space u_a, u_b, n, v, arm_a, arm_b;
  carom_vec vx_a, vy_a, vx_b, vy_b, depth;
  carom_mask touches;
  carom_space force; // on a; none where nothing touches
} staged;

// the nearest points
CAROM_INLINE void stage_place(const carom_bed *bed, staged *it) {
  carom_rods a = carom_rods_place(it->block.row_a), b = carom_rods_place(it->block.row_b);
  sizes size = sizes_of_pairs(bed, &it->block);
  nearest near = find_nearest(bed, &a, &b, &size);
  it->near.s = near.s, it->near.t = near.t;
  s_put(&it->near.gap, near.gap);
  s_put(&it->u_a, a.u);
  s_put(&it->u_b, b.u);
  it->vx_a = a.vx, it->vy_a = a.vy, it->vx_b = b.vx, it->vy_b = b.vy;
}

// overlap, normal, arms and the velocity at the contact
CAROM_INLINE void stage_motion(const carom_bed *bed, carom_vec at_point, staged *it) {
  const carom_vec zero = v_all(0.0), one = v_all(1.0);
  sizes size = sizes_of_pairs(bed, &it->block);
  carom_space gap = s_at(&it->near.gap);
  carom_vec distance = v_sqrt(s_dot(gap, gap));
  carom_vec depth = size.radius_a + size.radius_b - distance, half_depth = v_all(0.5) * depth;
  carom_space n = s_times(one / v_if(v_more(distance, zero), distance, one), gap);
  carom_space arm_a = s_times(it->near.s, s_at(&it->u_a));
  carom_space arm_b = s_times(it->near.t, s_at(&it->u_b));
  arm_a = s_plus(arm_a, at_point * (half_depth - size.radius_a), n);
  arm_b = s_plus(arm_b, at_point * (size.radius_b - half_depth), n);
  carom_space v_a = carom_velocity(it->block.row_a, it->vx_a, it->vy_a, arm_a);
  carom_space v_b = carom_velocity(it->block.row_b, it->vx_b, it->vy_b, arm_b);
  s_put(&it->v, s_sub(v_a, v_b));
  s_put(&it->n, n);
  s_put(&it->arm_a, arm_a);
  s_put(&it->arm_b, arm_b);
  it->depth = depth;
  it->touches = m_not(v_most(depth, zero));
}

// the second rods of contacts from `own` on are in other chunks: what they get goes to the mail
CAROM_INLINE void stage_push(carom_bed_chunk *chunk, int first, const staged *it) {
  carom_push on_a[CAROM_WIDTH], on_b[CAROM_WIDTH];
  carom_space force = s_at(&it->force);
  carom_pushes(force, s_cross(s_at(&it->arm_a), force), on_a);
  carom_pushes(s_minus(force), s_minus(s_cross(s_at(&it->arm_b), force)), on_b);
  for (int l = 0; l < it->block.count; l++) {
    int mail = first + l - chunk->mail.own;
    carom_push_add(chunk->push[it->block.a[l] - chunk->first], &on_a[l]);
    if (mail < 0) {
      carom_push_add(chunk->push[it->block.b[l] - chunk->first], &on_b[l]);
    } else {
      chunk->mail.to[mail] = it->block.b[l];
      carom_push_put(chunk->mail.push[mail], &on_b[l]);
    }
  }
}

// Forces of all contacts of a chunk. Puts those that have opened into `opened` and returns their
// number.
static inline int carom_lanes_press_pairs(carom_bed *bed, carom_bed_chunk *chunk, int *opened) {
  const carom_bed_settings *set = bed->settings;
  carom_touch_list *list = &chunk->lists[0];
  carom_laws law = carom_laws_same(set->laws ? &set->laws[0] : &set->law);
  const carom_vec at_point = v_all(law.form->centres ? 0.0 : 1.0);
  const carom_vec through = v_all(CAROM_THROUGH * chunk->thin);
  const carom_vec mass = v_all(1.0 / (bed->kinds[0].im + bed->kinds[0].im));
  const int count = list->hot_count;
  carom_tally tally = carom_tally_start();
  staged batch[BATCH];
  int open = 0;
  double in = 0.0, out = 0.0;
  carom_share_step(bed, &in, &out);
  for (int begin = 0; begin < count; begin += BATCH * CAROM_WIDTH) {
    int blocks = (count - begin + CAROM_WIDTH - 1) / CAROM_WIDTH;
    blocks = blocks < BATCH ? blocks : BATCH;
    for (int j = 0; j < blocks; j++) {
      int first = begin + j * CAROM_WIDTH;
      carom_block_fill(bed, list->hot + first, count - first, true, &batch[j].block);
    }
    for (int j = 0; j < blocks; j++)
      stage_place(bed, &batch[j]);
    for (int j = 0; j < blocks; j++)
      stage_motion(bed, at_point, &batch[j]);
    for (int j = 0; j < blocks; j++) {
      staged *it = &batch[j];
      carom_touch_hot *hot = list->hot + begin + j * CAROM_WIDTH;
      carom_contacts k;
      k.depth = it->depth;
      k.mass = mass;
      k.n = s_at(&it->n);
      k.v = s_at(&it->v);
      if (set->species_count > 1) k.mass = mass_of_pairs(bed, &it->block);
      if (set->laws) law = laws_of_pairs(bed, &it->block);
      carom_past_load(hot, &it->block, &k);
      carom_laws_act(&law, in, out, &k);
      carom_past_store(hot, &it->block, &k, it->touches);
      carom_tally_add(&tally, &k, carom_used(&it->block, it->touches), j * CAROM_WIDTH);
      s_put(&it->force, s_if(it->touches, k.force));
      if (m_any(m_not(m_and(v_less(it->depth, through), it->touches)))) {
        carom_wake_store(list, &it->block, it->depth, bed->reach.way, bed->reach.way);
        open = carom_note_opened(&it->block, &it->touches, opened, open);
        find_pair_trouble(bed, &it->block, &it->depth, &chunk->sums);
      }
    }
    for (int j = 0; j < blocks; j++)
      stage_push(chunk, begin + j * CAROM_WIDTH, &batch[j]);
  }
  carom_tally_put(&tally, &chunk->sums);
  chunk->sums.contacts += count - open;
  return open;
}

#endif
