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

CAROM_INLINE sizes look_up(const carom_bed *bed, const carom_block *block) {
  carom_size4 a = carom_size4_of(bed, block->a), b = carom_size4_of(bed, block->b);
  return (sizes){a.half, b.half, a.radius, b.radius, v4_all(1.0) / (a.im + b.im)};
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
    carom_m4 apart = (carom_m4)(depth <= zero);
    carom_v4 wake = v4_if(apart, travel - depth, zero);
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
    double ra = carom_bed_kind_of(bed, b->a[l])->radius;
    double rb = carom_bed_kind_of(bed, b->b[l])->radius, thin = ra < rb ? ra : rb;
    bool apart = k->depth[l] < CAROM_THROUGH * thin; // false also for what is not a number
    if (!apart) carom_note_trouble(sums, bed->id[b->a[l]], bed->id[b->b[l]], k->depth[l]);
  }
}

// Contacts go through two loops: what they are, then what they do. Each loop is short enough that
// the processor works at several blocks at a time.
enum { BATCH = 8 };
typedef struct staged {
  carom_block block;
  carom_v4 depth, mass;
  carom_space4 n, v, arm_a, arm_b;
} staged;

CAROM_INLINE void stage(const carom_bed *bed, carom_v4 at_point, staged *out) {
  const carom_v4 zero = v4_all(0.0), one = v4_all(1.0);
  carom_rod4 a = carom_rod4_motion(bed, out->block.a), b = carom_rod4_motion(bed, out->block.b);
  sizes size = look_up(bed, &out->block);
  nearest near = find_nearest(bed, &a, &b, &size);
  carom_v4 depth = size.radius_a + size.radius_b - near.distance, half_depth = v4_all(0.5) * depth;
  carom_space4 n =
      s4_times(one / v4_if((carom_m4)(near.distance > zero), near.distance, one), near.gap);
  out->arm_a = s4_plus(s4_times(near.s, a.u), at_point * (half_depth - size.radius_a), n);
  out->arm_b = s4_plus(s4_times(near.t, b.u), at_point * (size.radius_b - half_depth), n);
  out->v = s4_sub(carom_rod4_velocity(&a, out->arm_a), carom_rod4_velocity(&b, out->arm_b));
  out->depth = depth;
  out->mass = size.mass;
  out->n = n;
}

// the second rods of contacts from `own` on are in other chunks: what they get goes to the mail
CAROM_INLINE void push_both(carom_bed *bed, carom_bed_chunk *chunk, int first, const staged *it,
                            carom_space4 pressed, carom_m4 touches) {
  carom_v4 force[4], turn_a[4], turn_b[4];
  carom_push_rows(pressed, touches, force);
  carom_push_rows(s4_cross(it->arm_a, pressed), touches, turn_a);
  carom_push_rows(s4_cross(it->arm_b, pressed), touches, turn_b);
  for (int l = 0; l < it->block.count; l++) {
    int mail = first + l - chunk->own;
    carom_push_add(bed->push[it->block.a[l]], force[l], turn_a[l]);
    if (mail < 0) {
      carom_push_add(bed->push[it->block.b[l]], -force[l], -turn_b[l]);
    } else {
      chunk->mail_to[mail] = it->block.b[l];
      v4_store(chunk->mail[mail], -force[l]);
      v4_store(chunk->mail[mail] + 4, -turn_b[l]);
    }
  }
}

static int note_opened(const carom_block *b, const carom_m4 *touches, int *opened, int count) {
  for (int l = 0; l < b->count; l++)
    if (!(*touches)[l]) opened[count++] = b->at[l];
  return count;
}

// Forces of all contacts of a chunk. Puts those that have opened into `opened` and returns their
// number.
CAROM_CLONES static int press_pairs(carom_bed *bed, carom_bed_chunk *chunk, int *opened) {
  const carom_bed_settings *set = bed->settings;
  carom_touch_list *list = &chunk->lists[0];
  carom_law4 law = carom_law4_same(set->laws ? &set->laws[0] : &set->law);
  const carom_v4 zero = v4_all(0.0), at_point = v4_all(law.form->centres ? 0.0 : 1.0);
  const carom_v4 through = v4_all(CAROM_THROUGH * chunk->thin);
  const int count = list->hot_count;
  carom_tally4 tally = {zero, zero, zero};
  staged batch[BATCH];
  int open = 0;
  double in = 0.0, out = 0.0;
  carom_share_step(bed, &in, &out);
  for (int begin = 0; begin < count; begin += BATCH * CAROM_LANES) {
    int blocks = (count - begin + CAROM_LANES - 1) / CAROM_LANES;
    blocks = blocks < BATCH ? blocks : BATCH;
    for (int j = 0; j < blocks; j++) {
      int first = begin + j * CAROM_LANES;
      batch[j].block = carom_block_fill(list, list->hot + first, count - first);
      stage(bed, at_point, &batch[j]);
    }
    for (int j = 0; j < blocks; j++) {
      const staged *it = &batch[j];
      carom_contact4 k = {.depth = it->depth, .mass = it->mass, .n = it->n, .v = it->v};
      carom_m4 touches = ~(carom_m4)(k.depth <= zero);
      if (set->laws) law = find_laws(bed, &it->block);
      carom_past_load(list, &it->block, &k);
      carom_law4_act(&law, in, out, &k);
      carom_past_store(list, &it->block, &k, touches, bed->travel);
      carom_tally4_add(&tally, &k, carom_used4(&it->block, touches));
      push_both(bed, chunk, begin + j * CAROM_LANES, it, k.force, touches);
      if (carom_any4(~(carom_m4)(k.depth < through) | ~touches)) {
        open = note_opened(&it->block, &touches, opened, open);
        find_trouble(bed, &it->block, &k, &chunk->sums);
      }
    }
  }
  carom_tally4_put(&tally, &chunk->sums);
  chunk->sums.contacts += count;
  return open;
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

// which part of the mail is whose
static void divide_mail(carom_bed_chunk *chunk) {
  const carom_touch_list *list = &chunk->lists[0];
  carom_bed_leg *legs = chunk->legs;
  const int count = chunk->leg_count;
  chunk->own = count > 0 ? carom_touch_list_rank(list, legs[0].from) : list->hot_count;
  for (int k = 0; k < count; k++) {
    int next = k + 1 < count ? legs[k + 1].from : list->count;
    legs[k].mail = k > 0 ? legs[k - 1].mail_end : 0;
    legs[k].mail_end = carom_touch_list_rank(list, next) - chunk->own;
  }
}

// Of the radius of the thinnest rod: the sleep of pairs that are kept at hand. Less, and the whole
// list is looked through more often; more, and there is more at hand to look through.
static const double AHEAD = 0.05;

void carom_bed_touch_pairs(carom_bed *bed, carom_bed_chunk *chunk) {
  carom_touch_list *list = &chunk->lists[0];
  int *some = chunk->awake;
  if (list->stale) {
    carom_touch_list_heat(list, 0.0);
    list->next_wake = 0.0; // who wakes soon is not known yet
  }
  int tests = carom_touch_list_rouse(list, bed->travel, AHEAD * chunk->thin, some);
  test_pairs(bed, list, some, tests);
  for (int k = 0; k < tests; k++)
    carom_touch_list_settle(list, some[k]);
  divide_mail(chunk);
  if (!make_mail_room(bed, chunk, list->hot_count - chunk->own)) {
    chunk->sums.no_memory = true;
    return;
  }
  chunk->sums.tests += tests + list->hot_count;
  int open = press_pairs(bed, chunk, some);
  for (int k = 0; k < open; k++)
    carom_touch_list_cool(list, some[k]);
}
