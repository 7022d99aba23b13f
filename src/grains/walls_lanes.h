// SPDX-License-Identifier: MIT
/// Contacts of the rods of a chunk with one wall, several at a time, and strikes: what a rod does
/// from the first touch of any end to the last release.
#ifndef CAROM_GRAINS_WALLS_LANES_H
#define CAROM_GRAINS_WALLS_LANES_H

#include "base/whole.h"
#include "grains/touch_lanes.h"

// point of the axis that touches, depth, normal and arm
typedef struct wall_spots {
  carom_vec depth, radius, mass;
  carom_space n, arm;
} wall_spots;

// where on the axis: an end, or the point nearest to the cylinder's axis
CAROM_INLINE carom_vec find_point(const carom_bed_wall *wall, const carom_block *block,
                                  carom_space e, carom_space u, carom_vec half) {
  if (wall->kind == CAROM_WALL_OUTSIDE) {
    carom_vec flat = u.x * u.x + u.y * u.y, one = v_all(1.0);
    carom_mask lies = v_more(flat, v_all(CAROM_PARALLEL));
    carom_vec s = -(e.x * u.x + e.y * u.y) / v_if(lies, flat, one);
    return v_clamp(v_if(lies, s, v_all(0.0)), -half, half);
  }
  double side[CAROM_WIDTH];
  for (int l = 0; l < CAROM_WIDTH; l++)
    side[l] = block->b[l] == CAROM_END_LOWER ? -1.0 : 1.0;
  return v_load(side) * half;
}

CAROM_INLINE wall_spots look_at_wall(const carom_bed *bed, const carom_bed_wall *wall,
                                     const carom_block *block, carom_space x, carom_space u) {
  wall_spots out;
  bool plane = wall->kind == CAROM_WALL_PLANE;
  double side = wall->kind == CAROM_WALL_INSIDE ? -1.0 : 1.0;
  carom_vec zero = v_all(0.0), one = v_all(1.0);
  carom_sizes size = carom_sizes_of(bed, block->a);
  carom_space e = {x.x - v_all(wall->centre[0]), x.y - v_all(wall->centre[1]), x.z};
  carom_vec s = find_point(wall, block, e, u, size.half);
  out.radius = size.radius;
  out.mass = v_all(1.0) / size.im;
  if (plane) {
    double shift = wall->driven ? bed->wall.z : 0.0;
    out.n = (carom_space){v_all(wall->normal[0]), v_all(wall->normal[1]), v_all(wall->normal[2])};
    carom_vec height = s_dot(out.n, s_plus(x, s, u)) - out.n.z * v_all(shift);
    out.depth = out.radius - (height - v_all(wall->at));
  } else {
    carom_vec px = e.x + s * u.x, py = e.y + s * u.y, around = v_sqrt(px * px + py * py);
    carom_vec scale = v_all(side) / v_if(v_more(around, zero), around, one);
    out.n = (carom_space){px * scale, py * scale, zero};
    out.depth = out.radius - v_all(side) * (around - v_all(wall->at));
  }
  carom_vec in = v_all(wall->law.centres ? 0.0 : 1.0) * (out.radius - out.depth);
  out.arm = s_plus(s_times(s, u), -in, out.n);
  return out;
}

// ---- strikes

// v_x, v_z and w_y of rod i
static inline void add_motion(const carom_bed *bed, int i, double sums[3]) {
  const double *seen = bed->seen[i];
  sums[0] += seen[6];
  sums[1] += seen[8];
  sums[2] += seen[10];
}

static inline void end_flight(const carom_bed *bed, carom_strike_sums *sums, int i) {
  uint32_t steps = (uint32_t)bed->counts.steps - bed->striking.released[i];
  double flight = steps * bed->settings->step, period = bed->settings->period;
  sums->flight += flight;
  sums->flights++;
  if (!(period > 0.0)) return;
  sums->lengths[carom_whole(2.0 * flight / period, 0, CAROM_BED_FLIGHTS - 1)]++;
}

static inline void begin_strike(carom_bed *bed, carom_strike_sums *sums, int i) {
  if (bed->striking.touching[i]++ > 0) return;
  add_motion(bed, i, sums->before);
  sums->plate += bed->wall.rate;
  sums->begun++;
  if (bed->striking.released[i] > 0) end_flight(bed, sums, i);
  if (bed->settings->period > 0.0) {
    double phase = carom_bed_time(bed) / bed->settings->period;
    phase -= floor(phase);
    long bin = carom_whole(phase * CAROM_BED_PHASES, 0, CAROM_BED_PHASES);
    sums->phases[bin < CAROM_BED_PHASES ? bin : 0]++;
  }
}

static inline void end_strike(carom_bed *bed, carom_strike_sums *sums, int i) {
  if (bed->striking.touching[i] == 0 || --bed->striking.touching[i] > 0) return;
  add_motion(bed, i, sums->after);
  sums->count++;
  bed->striking.released[i] = (uint32_t)bed->counts.steps;
}

// by address: functions compiled for different machines pass vectors in different places
static inline void note_strikes(carom_bed *bed, const carom_block *b, const carom_vec *root,
                                const carom_mask *touches, carom_bed_sums *sums) {
  for (int l = 0; l < b->count; l++) {
    bool was = (*root)[l] > 0.0, is = m_lane(*touches, l);
    if (is == was) continue;
    sums->struck = true;
    if (is) begin_strike(bed, &sums->strikes, b->a[l]);
    if (was) end_strike(bed, &sums->strikes, b->a[l]);
  }
}

// ---- forces

static inline void find_wall_trouble(const carom_bed *bed, int which, const carom_block *b,
                                     const carom_vec *depths, carom_bed_sums *sums) {
  double depth[CAROM_WIDTH];
  v_store(depth, *depths);
  for (int l = 0; l < b->count; l++) {
    bool apart = depth[l] < CAROM_THROUGH * carom_bed_kind_of(bed, b->a[l])->radius;
    if (!apart) carom_note_trouble(sums, bed->order.id[b->a[l]], -1 - which, depth[l]);
  }
}

CAROM_INLINE carom_laws laws_of_wall(const carom_bed *bed, const carom_bed_wall *wall,
                                     const carom_block *b) {
  int which[CAROM_WIDTH];
  for (int l = 0; l < CAROM_WIDTH; l++)
    which[l] = bed->kind[b->a[l]];
  return carom_laws_each(wall->laws, which);
}

static inline int carom_lanes_press_wall(carom_bed *bed, carom_bed_chunk *chunk, int which,
                                         int *opened) {
  const carom_bed_wall *wall = &bed->settings->walls[which];
  carom_touch_list *list = &chunk->lists[1 + which];
  carom_laws law = carom_laws_same(wall->laws ? &wall->laws[0] : &wall->law);
  const carom_vec zero = v_all(0.0), rate = v_all(wall->driven ? bed->wall.rate : 0.0);
  const int count = list->hot_count;
  carom_tally tally = carom_tally_start();
  int open = 0;
  double in = 0.0, out = 0.0;
  carom_share_step(bed, &in, &out);
  for (int first = 0; first < count; first += CAROM_WIDTH) {
    carom_block block;
    carom_touch_hot *hot = list->hot + first;
    carom_block_fill(bed, hot, count - first, false, &block);
    carom_rods a = carom_rods_place(block.row_a);
    wall_spots at = look_at_wall(bed, wall, &block, a.x, a.u);
    carom_contacts k;
    k.depth = at.depth;
    k.mass = at.mass;
    k.n = at.n;
    carom_mask touches = m_not(v_most(k.depth, zero));
    if (wall->laws) law = laws_of_wall(bed, wall, &block);
    k.v = carom_velocity(block.row_a, a.vx, a.vy, at.arm);
    k.v.z = k.v.z - rate;
    carom_past_load(hot, &block, &k);
    carom_vec before = k.root;
    if (wall->strikes) note_strikes(bed, &block, &before, &touches, &chunk->sums);
    carom_laws_act(&law, in, out, &k);
    carom_past_store(hot, &block, &k, touches);
    carom_mask used = carom_used(&block, touches);
    if (m_any(m_not(touches))) {
      carom_wake_store(list, &block, at.depth, bed->reach.way, bed->wall.way);
      open = carom_note_opened(&block, &touches, opened, open);
    }
    carom_tally_add(&tally, &k, used, first);
    carom_tally_lift(&tally, &k, used, first);
    if (m_any(m_not(v_less(k.depth, v_all(CAROM_THROUGH) * at.radius))))
      find_wall_trouble(bed, which, &block, &at.depth, &chunk->sums);
    carom_push push[CAROM_WIDTH];
    carom_space force = s_if(touches, k.force);
    carom_pushes(force, s_cross(at.arm, force), push);
    for (int l = 0; l < block.count; l++)
      carom_push_add(chunk->push[block.a[l] - chunk->first], &push[l]);
  }
  carom_tally_put(&tally, &chunk->sums);
  chunk->sums.work_drive += carom_sum(&tally.lift) * rate[0];
  chunk->sums.contacts += count - open;
  return open;
}

#endif
