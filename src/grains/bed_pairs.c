// SPDX-License-Identifier: MIT
// Contacts between the rods of a chunk and other rods, four at a time.
//
// A candidate whose bodies are a gap apart sleeps until the travel of all bodies together could
// have closed the gap, so most steps look at little more than the contacts themselves.
#include "base/error.h"
#include "grains/crew.h"
#include "grains/touch_lanes.h"

CAROM_INLINE carom_v4 nearest_image(carom_v4 d, double period) {
  carom_v4 half = v4_all(0.5 * period), whole = v4_all(period);
  d = v4_if((carom_m4)(d > half), d - whole, d);
  return v4_if((carom_m4)(d < -half), d + whole, d);
}

// sizes and masses of four pairs
typedef struct sizes {
  carom_v4 half_a, half_b, radius_a, radius_b, mass;
} sizes;

// rods of one kind need no looking up
CAROM_INLINE sizes look_up(const carom_bed *bed, const carom_block *b) {
  if (bed->settings->species_count == 1) {
    const carom_bed_kind *kind = &bed->kinds[0];
    carom_v4 half = v4_all(kind->half), radius = v4_all(kind->radius);
    return (sizes){half, half, radius, radius, v4_all(0.5 / kind->im)};
  }
  return (sizes){carom_pick4(bed->half, b->a), carom_pick4(bed->half, b->b),
                 carom_pick4(bed->radius, b->a), carom_pick4(bed->radius, b->b),
                 v4_all(1.0) / (carom_pick4(bed->im, b->a) + carom_pick4(bed->im, b->b))};
}

// nearest points of the axes and what is between them
typedef struct nearest {
  carom_v4 s, t, distance;
  carom_space4 gap;
} nearest;

CAROM_INLINE nearest find_nearest(const carom_bed *bed, const carom_rod4 *a, const carom_rod4 *b,
                                  const sizes *size) {
  const double *period = bed->settings->periodic;
  nearest out;
  carom_space4 r = s4_sub(a->x, b->x);
  if (period[0] > 0.0) r.x = nearest_image(r.x, period[0]);
  if (period[1] > 0.0) r.y = nearest_image(r.y, period[1]);
  if (period[2] > 0.0) r.z = nearest_image(r.z, period[2]);
  s4_segment_nearest(r, a->u, size->half_a, b->u, size->half_b, &out.s, &out.t);
  out.gap = s4_plus(s4_plus(r, out.s, a->u), -out.t, b->u);
  out.distance = v4_sqrt(s4_dot(out.gap, out.gap));
  return out;
}

// pairs that did not touch in the last step: those that still do not go to sleep over their gap
CAROM_CLONES static void test_pairs(const carom_bed *bed, carom_touch_list *list, const int *awake,
                                    int count) {
  const carom_v4 travel = v4_all(bed->travel), zero = v4_all(0.0);
  for (int first = 0; first < count; first += CAROM_LANES) {
    carom_block block = carom_block_fill(list, awake + first, count - first);
    carom_rod4 a = carom_rod4_place(bed, block.a), b = carom_rod4_place(bed, block.b);
    sizes size = look_up(bed, &block);
    nearest near = find_nearest(bed, &a, &b, &size);
    carom_v4 depth = size.radius_a + size.radius_b - near.distance;
    carom_v4 wake = v4_if((carom_m4)(depth <= zero), travel - depth, zero);
    for (int l = 0; l < block.count; l++)
      list->wake[block.at[l]] = wake[l];
  }
}

CAROM_INLINE carom_law4 find_laws(const carom_bed *bed, const carom_block *b) {
  const carom_bed_settings *set = bed->settings;
  int which[CAROM_LANES];
  for (int l = 0; l < CAROM_LANES; l++)
    which[l] = bed->kind[b->a[l]] * set->species_count + bed->kind[b->b[l]];
  return carom_law4_each(set->laws, which);
}

static void find_trouble(const carom_bed *bed, const carom_block *b, const carom_contact4 *k,
                         carom_bed_sums *sums) {
  for (int l = 0; l < b->count; l++) {
    double ra = bed->radius[b->a[l]], rb = bed->radius[b->b[l]], thin = ra < rb ? ra : rb;
    bool apart = k->depth[l] < CAROM_THROUGH * thin; // false also for what is not a number
    if (!apart) carom_note_trouble(sums, bed->id[b->a[l]], bed->id[b->b[l]], k->depth[l]);
  }
}

// forces of the contacts awake[0..count); those from `own` on go to the mail with their second rod
CAROM_CLONES static void press_pairs(carom_bed *bed, carom_bed_chunk *chunk, int own, int count) {
  const carom_bed_settings *set = bed->settings;
  carom_touch_list *list = &chunk->lists[0];
  carom_law4 law = carom_law4_same(set->laws ? &set->laws[0] : &set->law);
  const carom_v4 zero = v4_all(0.0), one = v4_all(1.0);
  const carom_v4 at_point = v4_all(law.form->centres ? 0.0 : 1.0);
  carom_tally4 tally = {zero, zero, zero};
  double in = 0.0, out = 0.0;
  carom_share_step(bed, &in, &out);
  for (int first = 0; first < count; first += CAROM_LANES) {
    carom_block block = carom_block_fill(list, chunk->awake + first, count - first);
    carom_rod4 a = carom_rod4_motion(bed, block.a), b = carom_rod4_motion(bed, block.b);
    sizes size = look_up(bed, &block);
    if (set->laws) law = find_laws(bed, &block);

    // depth, normal and arms
    nearest near = find_nearest(bed, &a, &b, &size);
    carom_contact4 k;
    k.depth = size.radius_a + size.radius_b - near.distance;
    k.mass = size.mass;
    carom_m4 touches = ~(carom_m4)(k.depth <= zero);
    k.n = s4_times(one / v4_if((carom_m4)(near.distance > zero), near.distance, one), near.gap);
    carom_v4 half_depth = v4_all(0.5) * k.depth;
    carom_space4 arm_a =
        s4_plus(s4_times(near.s, a.u), at_point * (half_depth - size.radius_a), k.n);
    carom_space4 arm_b =
        s4_plus(s4_times(near.t, b.u), at_point * (size.radius_b - half_depth), k.n);

    k.v = s4_sub(carom_rod4_velocity(&a, arm_a), carom_rod4_velocity(&b, arm_b));
    carom_past_load(list, &block, &k);
    carom_law4_act(&law, in, out, &k);
    carom_past_store(list, &block, &k, touches, bed->travel);
    carom_m4 used = carom_used4(&block, touches);
    carom_tally4_add(&tally, &k, used);
    carom_v4 thin = v4_min(size.radius_a, size.radius_b);
    if (carom_any4(~(carom_m4)(k.depth < v4_all(CAROM_THROUGH) * thin)))
      find_trouble(bed, &block, &k, &chunk->sums);

    // what it does to both
    carom_v4 force[4], turn_a[4], turn_b[4];
    carom_push_rows(k.force, touches, force);
    carom_push_rows(s4_cross(arm_a, k.force), touches, turn_a);
    carom_push_rows(s4_cross(arm_b, k.force), touches, turn_b);
    for (int l = 0; l < block.count; l++) {
      carom_push_add(bed->push[block.a[l]], force[l], turn_a[l]);
      if (first + l < own) {
        carom_push_add(bed->push[block.b[l]], -force[l], -turn_b[l]);
      } else {
        double *mail = chunk->mail[first + l - own];
        chunk->mail_to[first + l - own] = block.b[l];
        v4_store(mail, -force[l]);
        v4_store(mail + 4, -turn_b[l]);
      }
      chunk->sums.contacts += touches[l] != 0;
    }
  }
  carom_tally4_put(&tally, &chunk->sums);
}

static bool make_mail_room(carom_bed *bed, carom_bed_chunk *chunk, int room) {
  if (room <= chunk->mail_room) return true;
  carom_crew_lock(bed->crew);
  chunk->mail_room = 2 * room + 16;
  chunk->mail = carom_arena_array(bed->arena, (size_t)chunk->mail_room, sizeof *chunk->mail);
  chunk->mail_to = carom_arena_array(bed->arena, (size_t)chunk->mail_room, sizeof *chunk->mail_to);
  carom_crew_unlock(bed->crew);
  if (chunk->mail && chunk->mail_to) return true;
  chunk->mail_room = 0;
  return false;
}

void carom_bed_touch_pairs(carom_bed *bed, carom_bed_chunk *chunk) {
  carom_touch_list *list = &chunk->lists[0];
  int tests = carom_touch_list_pick(list, 0.0, bed->travel, chunk->awake);
  test_pairs(bed, list, chunk->awake, tests);
  int count = carom_touch_list_pick(list, -2.0, 0.0, chunk->awake);

  // which part of the mail is whose
  int own = 0, at = 0;
  int edge = chunk->leg_count > 0 ? chunk->legs[0].from : list->count;
  while (own < count && chunk->awake[own] < edge)
    own++;
  at = own;
  for (int k = 0; k < chunk->leg_count; k++) {
    int end = k + 1 < chunk->leg_count ? chunk->legs[k + 1].from : list->count;
    chunk->legs[k].mail = at - own;
    while (at < count && chunk->awake[at] < end)
      at++;
    chunk->legs[k].mail_end = at - own;
  }
  chunk->sums.tests += tests + count;
  if (make_mail_room(bed, chunk, count - own))
    press_pairs(bed, chunk, own, count);
  else
    chunk->sums.no_memory = true;
}
