// SPDX-License-Identifier: MIT
// Contacts of the rods of a chunk with one wall, four at a time, and strikes: what a rod does from
// the first touch of any end to the last release.
#include "grains/touch_lanes.h"

// point of the axis that touches, depth, normal and arm
typedef struct wall4 {
  carom_v4 depth, radius, mass;
  carom_space4 n, arm;
} wall4;

// where on the axis: an end, or the point nearest to the cylinder's axis
CAROM_INLINE carom_v4 find_point(const carom_bed_wall *wall, const carom_block *block,
                                 carom_space4 e, carom_space4 u, carom_v4 half) {
  if (wall->kind == CAROM_WALL_OUTSIDE) {
    carom_v4 flat = u.x * u.x + u.y * u.y, one = v4_all(1.0);
    carom_m4 lies = (carom_m4)(flat > v4_all(CAROM_PARALLEL));
    carom_v4 s = -(e.x * u.x + e.y * u.y) / v4_if(lies, flat, one);
    return v4_clamp(v4_if(lies, s, v4_all(0.0)), -half, half);
  }
  carom_v4 s = half;
  for (int l = 0; l < CAROM_LANES; l++)
    s[l] = block->b[l] == CAROM_END_LOWER ? -half[l] : half[l];
  return s;
}

CAROM_INLINE wall4 look_at_wall(const carom_bed *bed, const carom_bed_wall *wall,
                                const carom_block *block, carom_space4 x, carom_space4 u) {
  wall4 out;
  bool plane = wall->kind == CAROM_WALL_PLANE;
  double side = wall->kind == CAROM_WALL_INSIDE ? -1.0 : 1.0;
  carom_v4 zero = v4_all(0.0), one = v4_all(1.0);
  carom_size4 size = carom_size4_of(bed, block->a);
  carom_space4 e = {x.x - v4_all(wall->centre[0]), x.y - v4_all(wall->centre[1]), x.z};
  carom_v4 s = find_point(wall, block, e, u, size.half);
  out.radius = size.radius;
  out.mass = v4_all(1.0) / size.im;
  if (plane) {
    double shift = wall->driven ? bed->wall_z : 0.0;
    out.n =
        (carom_space4){v4_all(wall->normal[0]), v4_all(wall->normal[1]), v4_all(wall->normal[2])};
    carom_v4 height = s4_dot(out.n, s4_plus(x, s, u)) - out.n.z * v4_all(shift);
    out.depth = out.radius - (height - v4_all(wall->at));
  } else {
    carom_v4 px = e.x + s * u.x, py = e.y + s * u.y, around = v4_sqrt(px * px + py * py);
    carom_v4 scale = v4_all(side) / v4_if((carom_m4)(around > zero), around, one);
    out.n = (carom_space4){px * scale, py * scale, zero};
    out.depth = out.radius - v4_all(side) * (around - v4_all(wall->at));
  }
  carom_v4 in = v4_all(wall->law.centres ? 0.0 : 1.0) * (out.radius - out.depth);
  out.arm = s4_plus(s4_times(s, u), -in, out.n);
  return out;
}

// ---- strikes

// v_x, v_z and w_y of rod i
static void add_motion(const carom_bed *bed, int i, double sums[3]) {
  const double *seen = bed->seen[i];
  sums[0] += seen[6];
  sums[1] += seen[8];
  sums[2] += seen[10];
}

static void end_flight(const carom_bed *bed, carom_strike_sums *sums, int i) {
  uint32_t steps = (uint32_t)bed->steps - bed->released[i];
  double flight = steps * bed->settings->step, period = bed->settings->period;
  sums->flight += flight;
  sums->flights++;
  if (!(period > 0.0)) return;
  double halves = 2.0 * flight / period;
  sums->lengths[halves < CAROM_BED_FLIGHTS ? (int)halves : CAROM_BED_FLIGHTS - 1]++;
}

static void begin_strike(carom_bed *bed, carom_strike_sums *sums, int i) {
  if (bed->touching[i]++ > 0) return;
  add_motion(bed, i, sums->before);
  sums->plate += bed->wall_rate;
  sums->begun++;
  if (bed->released[i] > 0) end_flight(bed, sums, i);
  if (bed->settings->period > 0.0) {
    double phase = carom_bed_time(bed) / bed->settings->period;
    phase -= floor(phase);
    int bin = (int)(phase * CAROM_BED_PHASES);
    sums->phases[bin < CAROM_BED_PHASES ? bin : 0]++;
  }
}

static void end_strike(carom_bed *bed, carom_strike_sums *sums, int i) {
  if (bed->touching[i] == 0 || --bed->touching[i] > 0) return;
  add_motion(bed, i, sums->after);
  sums->count++;
  bed->released[i] = (uint32_t)bed->steps;
}

// by address: functions compiled for different machines pass vectors in different places
static void note_strikes(carom_bed *bed, const carom_block *b, const carom_v4 *root,
                         const carom_m4 *touches, carom_bed_sums *sums) {
  for (int l = 0; l < b->count; l++) {
    bool was = (*root)[l] > 0.0, is = (*touches)[l] != 0;
    if (is == was) continue;
    sums->struck = true;
    if (is) begin_strike(bed, &sums->strikes, b->a[l]);
    if (was) end_strike(bed, &sums->strikes, b->a[l]);
  }
}

// ---- forces

static void find_trouble(const carom_bed *bed, int which, const carom_block *b,
                         const carom_contact4 *k, carom_bed_sums *sums) {
  for (int l = 0; l < b->count; l++) {
    bool apart = k->depth[l] < CAROM_THROUGH * carom_bed_kind_of(bed, b->a[l])->radius;
    if (!apart) carom_note_trouble(sums, bed->id[b->a[l]], -1 - which, k->depth[l]);
  }
}

CAROM_INLINE carom_law4 find_laws(const carom_bed *bed, const carom_bed_wall *wall,
                                  const carom_block *b) {
  int which[CAROM_LANES];
  for (int l = 0; l < CAROM_LANES; l++)
    which[l] = bed->kind[b->a[l]];
  return carom_law4_each(wall->laws, which);
}

CAROM_CLONES static void press_wall(carom_bed *bed, carom_bed_chunk *chunk, int which, int count) {
  const carom_bed_wall *wall = &bed->settings->walls[which];
  carom_touch_list *list = &chunk->lists[1 + which];
  carom_law4 law = carom_law4_same(wall->laws ? &wall->laws[0] : &wall->law);
  const carom_v4 zero = v4_all(0.0), rate = v4_all(wall->driven ? bed->wall_rate : 0.0);
  carom_tally4 tally = {zero, zero, zero};
  carom_v4 lift = zero;
  double in = 0.0, out = 0.0;
  carom_share_step(bed, &in, &out);
  for (int first = 0; first < count; first += CAROM_LANES) {
    carom_block block = carom_block_fill(list, list->hot + first, count - first);
    carom_rod4 a = carom_rod4_motion(bed, block.a);
    wall4 at = look_at_wall(bed, wall, &block, a.x, a.u);
    carom_contact4 k = {.depth = at.depth, .mass = at.mass, .n = at.n};
    carom_m4 touches = ~(carom_m4)(k.depth <= zero);
    if (wall->laws) law = find_laws(bed, wall, &block);
    k.v = carom_rod4_velocity(&a, at.arm);
    k.v.z = k.v.z - rate;
    carom_past_load(list, &block, &k);
    if (wall->strikes) note_strikes(bed, &block, &k.root, &touches, &chunk->sums);
    carom_law4_act(&law, in, out, &k);
    carom_past_store(list, &block, &k, touches, bed->travel);
    carom_m4 used = carom_used4(&block, touches);
    list->stale |= carom_any4(~touches);
    carom_tally4_add(&tally, &k, used);
    lift += v4_if(used, k.force.z, zero);
    if (carom_any4(~(carom_m4)(k.depth < v4_all(CAROM_THROUGH) * at.radius)))
      find_trouble(bed, which, &block, &k, &chunk->sums);
    carom_v4 force[4], turn[4];
    carom_push_rows(k.force, touches, force);
    carom_push_rows(s4_cross(at.arm, k.force), touches, turn);
    for (int l = 0; l < block.count; l++) {
      carom_push_add(bed->push[block.a[l]], force[l], turn[l]);
      chunk->sums.contacts += touches[l] != 0;
    }
  }
  carom_tally4_put(&tally, &chunk->sums);
  chunk->sums.work_drive += carom_sum4(lift) * rate[0];
}

void carom_bed_touch_wall(carom_bed *bed, carom_bed_chunk *chunk, int which) {
  carom_touch_list *list = &chunk->lists[1 + which];
  carom_touch_list_heat(list, bed->travel);
  if (list->hot_count > 0) press_wall(bed, chunk, which, list->hot_count);
  chunk->sums.tests += list->hot_count;
}

double carom_bed_wall_gap(const carom_bed *bed, int i, const carom_bed_wall *wall, int end) {
  carom_block block = {1, {0}, {i, i, i, i}, {end, end, end, end}};
  carom_space4 x = {v4_all(bed->x[0][i]), v4_all(bed->x[1][i]), v4_all(bed->x[2][i])};
  carom_space4 u = {v4_all(bed->u[0][i]), v4_all(bed->u[1][i]), v4_all(bed->u[2][i])};
  return -look_at_wall(bed, wall, &block, x, u).depth[0];
}
