// SPDX-License-Identifier: MIT
// Forces: candidates that may touch are looked at in blocks, those that do push their bodies.
//
// A candidate whose bodies are a gap apart sleeps until the travel of all bodies together could
// have closed the gap, so most steps look at little more than the contacts themselves.
#include "grains/lanes.h"

#include <math.h>

// overlap at which a pair counts as having gone through each other, in parts of the thinner radius
static const double THROUGH = 0.5;

CAROM_INLINE double nearest_image(double d, double period) {
  double half = 0.5 * period;
  d = d > half ? d - period : d;
  return d < -half ? d + period : d;
}

// ---- geometry

// depth, normal, arms and relative velocity of rods a and b
CAROM_INLINE void look_at_pairs(const carom_bed *bed, carom_touch_block *k) {
  double r[3][CAROM_LANES], u[3][CAROM_LANES], w[3][CAROM_LANES], s[CAROM_LANES], t[CAROM_LANES],
      ha[CAROM_LANES], hb[CAROM_LANES], ra[CAROM_LANES], rb[CAROM_LANES];
  const carom_bed_settings *set = bed->settings;
  for (int c = 0; c < 3; c++) {
    const double *x = bed->x[c], *axis = bed->u[c];
    CAROM_EACH_LANE {
      r[c][l] = x[k->a[l]] - x[k->b[l]];
      u[c][l] = axis[k->a[l]];
      w[c][l] = axis[k->b[l]];
    }
    if (set->periodic[c] > 0.0) CAROM_EACH_LANE r[c][l] = nearest_image(r[c][l], set->periodic[c]);
  }
  // rods of one kind need no looking up
  if (set->species_count == 1) {
    CAROM_EACH_LANE {
      ha[l] = hb[l] = bed->half[0];
      ra[l] = rb[l] = bed->radius[0];
      k->mass[l] = 0.5 / bed->im[0];
    }
  } else {
    CAROM_EACH_LANE {
      ha[l] = bed->half[k->a[l]], hb[l] = bed->half[k->b[l]];
      ra[l] = bed->radius[k->a[l]], rb[l] = bed->radius[k->b[l]];
      k->mass[l] = 1.0 / (bed->im[k->a[l]] + bed->im[k->b[l]]);
    }
  }
  double at_point = set->law.centres ? 0.0 : 1.0;
  CAROM_EACH_LANE {
    carom_segment_nearest(r[0][l], r[1][l], r[2][l], u[0][l], u[1][l], u[2][l], ha[l], w[0][l],
                          w[1][l], w[2][l], hb[l], &s[l], &t[l]);
    double gap[3], sum = 0.0;
    for (int c = 0; c < 3; c++) {
      gap[c] = r[c][l] + s[l] * u[c][l] - t[l] * w[c][l];
      sum += gap[c] * gap[c];
    }
    double distance = sqrt(sum), scale = 1.0 / (distance > 0.0 ? distance : 1.0);
    double depth = ra[l] + rb[l] - distance;
    double in_a = at_point * (ra[l] - 0.5 * depth), in_b = at_point * (rb[l] - 0.5 * depth);
    k->depth[l] = depth;
    for (int c = 0; c < 3; c++) {
      double n = gap[c] * scale;
      k->n[c][l] = n;
      k->arm_a[c][l] = s[l] * u[c][l] - in_a * n;
      k->arm_b[c][l] = t[l] * w[c][l] + in_b * n;
    }
  }
}

// velocity of a at its arm: v + w x arm
CAROM_INLINE void add_velocity(const carom_bed *bed, const int *who, double sign,
                               double arm[3][CAROM_LANES], carom_touch_block *k) {
  double w[3][CAROM_LANES], v[3][CAROM_LANES];
  for (int c = 0; c < 3; c++)
    CAROM_EACH_LANE {
      w[c][l] = bed->sw[c][who[l]];
      v[c][l] = bed->sv[c][who[l]];
    }
  for (int c = 0; c < 3; c++) {
    int d = (c + 1) % 3, e = (c + 2) % 3;
    CAROM_EACH_LANE k->v[c][l] += sign * (v[c][l] + (w[d][l] * arm[e][l] - w[e][l] * arm[d][l]));
  }
}

CAROM_INLINE void clear_velocity(carom_touch_block *k, double rate) {
  CAROM_EACH_LANE k->v[0][l] = 0.0, k->v[1][l] = 0.0, k->v[2][l] = -rate;
}

// the touched point of the axis, and from it depth, normal and arm
CAROM_INLINE void look_at_wall(const carom_bed *bed, const carom_bed_wall *wall,
                               carom_touch_block *k) {
  double at_point = wall->law.centres ? 0.0 : 1.0;
  double shift = wall->driven ? bed->wall_z : 0.0;
  bool plane = wall->kind == CAROM_WALL_PLANE;
  double side = wall->kind == CAROM_WALL_INSIDE ? -1.0 : 1.0;
  CAROM_EACH_LANE {
    int i = k->a[l];
    double u[3] = {bed->u[0][i], bed->u[1][i], bed->u[2][i]}, half = bed->half[i];
    double x = bed->x[0][i], y = bed->x[1][i], z = bed->x[2][i], radius = bed->radius[i];
    double ex = x - wall->centre[0], ey = y - wall->centre[1];
    double near = carom_segment_axis(ex, ey, u[0], u[1], half);
    double s = k->b[l] == CAROM_END_UPPER ? half : k->b[l] == CAROM_END_LOWER ? -half : near;
    double px = ex + s * u[0], py = ey + s * u[1];
    double around = sqrt(px * px + py * py), scale = side / (around > 0.0 ? around : 1.0);
    double n[3] = {plane ? wall->normal[0] : px * scale, plane ? wall->normal[1] : py * scale,
                   plane ? wall->normal[2] : 0.0};
    double height = n[0] * (x + s * u[0]) + n[1] * (y + s * u[1]) + n[2] * (z + s * u[2]) -
                    n[2] * shift - wall->at;
    double depth = radius - (plane ? height : side * (around - wall->at));
    double in = at_point * (radius - depth);
    k->depth[l] = depth;
    k->mass[l] = 1.0 / bed->im[i];
    for (int c = 0; c < 3; c++) {
      k->n[c][l] = n[c];
      k->arm_a[c][l] = s * u[c] - in * n[c];
    }
  }
}

// torque of the force about the centre of the body it acts on
CAROM_INLINE void turn_by_force(double arm[3][CAROM_LANES], double force[3][CAROM_LANES],
                                double torque[3][CAROM_LANES]) {
  for (int c = 0; c < 3; c++) {
    int d = (c + 1) % 3, e = (c + 2) % 3;
    CAROM_EACH_LANE torque[c][l] = arm[d][l] * force[e][l] - arm[e][l] * force[d][l];
  }
}

// ---- histories

CAROM_INLINE void load_histories(const carom_touch_list *list, carom_touch_block *k) {
  for (int c = 0; c < 3; c++)
    CAROM_EACH_LANE k->s[c][l] = list->s[c][k->at[l]];
  CAROM_EACH_LANE {
    k->root[l] = list->root[k->at[l]];
    k->slides[l] = list->slides[k->at[l]] ? 1.0 : 0.0;
  }
}

// contacts keep their history and stay awake; the others forget and sleep over their gap
CAROM_INLINE void store_histories(carom_touch_list *list, const carom_touch_block *k,
                                  double travel) {
  for (int l = 0; l < k->count; l++) {
    int at = k->at[l];
    bool touches = k->depth[l] > 0.0;
    for (int c = 0; c < 3; c++)
      list->s[c][at] = touches ? k->s[c][l] : 0.0;
    list->root[at] = touches ? k->root[l] : 0.0;
    list->slides[at] = touches && k->slides[l] > 0.0;
    list->wake[at] = touches ? 0.0 : travel - k->depth[l];
  }
}

static bool any_touches(const carom_touch_block *k) {
  bool any = false;
  for (int l = 0; l < k->count; l++)
    any |= k->depth[l] > 0.0;
  return any;
}

// how much of the step springs follow the seen velocities before and after the force
CAROM_INLINE void share_step(const carom_bed *bed, double *in, double *out) {
  double h = bed->settings->step;
  *in = bed->begun ? (bed->settings->leapfrog ? h : 0.5 * h) : 0.0;
  *out = bed->settings->leapfrog ? 0.0 : 0.5 * h;
}

// pairs that did not touch in the last step: those that still do not go to sleep over their gap
CAROM_CLONES static void test_pairs(const carom_bed *bed, carom_touch_list *list,
                                    carom_touch_block *k) {
  look_at_pairs(bed, k);
  for (int l = 0; l < k->count; l++)
    list->wake[k->at[l]] = k->depth[l] <= 0.0 ? bed->travel - k->depth[l] : 0.0;
}

CAROM_CLONES static void compute_pairs(const carom_bed *bed, carom_touch_list *list,
                                       carom_touch_block *k) {
  double in = 0.0, out = 0.0;
  share_step(bed, &in, &out);
  look_at_pairs(bed, k);
  if (any_touches(k)) {
    clear_velocity(k, 0.0);
    add_velocity(bed, k->a, 1.0, k->arm_a, k);
    add_velocity(bed, k->b, -1.0, k->arm_b, k);
    load_histories(list, k);
    carom_law_lanes(&bed->settings->law, in, out, k);
    turn_by_force(k->arm_a, k->force, k->torque_a);
    turn_by_force(k->arm_b, k->force, k->torque_b);
  }
  store_histories(list, k, bed->travel);
}

CAROM_CLONES static void compute_wall(const carom_bed *bed, const carom_bed_wall *wall,
                                      carom_touch_list *list, carom_touch_block *k) {
  double in = 0.0, out = 0.0;
  share_step(bed, &in, &out);
  look_at_wall(bed, wall, k);
  load_histories(list, k);
  if (any_touches(k)) {
    clear_velocity(k, wall->driven ? bed->wall_rate : 0.0);
    add_velocity(bed, k->a, 1.0, k->arm_a, k);
    carom_law_lanes(&wall->law, in, out, k);
    turn_by_force(k->arm_a, k->force, k->torque_a);
  }
}

// ---- effect on bodies

// candidates are in the order of their first body: its share is summed before it is stored
typedef struct push_sum {
  int who; // -1: none yet
  double f[3], q[3];
} push_sum;

static void put_sum(carom_bed *bed, const push_sum *sum) {
  for (int c = 0; c < 3 && sum->who >= 0; c++) {
    bed->f[c][sum->who] += sum->f[c];
    bed->q[c][sum->who] += sum->q[c];
  }
}

CAROM_INLINE void push_first(carom_bed *bed, const carom_touch_block *k, int l, push_sum *sum) {
  if (sum->who != k->a[l]) {
    put_sum(bed, sum);
    *sum = (push_sum){.who = k->a[l]};
  }
  for (int c = 0; c < 3; c++) {
    sum->f[c] += k->force[c][l];
    sum->q[c] += k->torque_a[c][l];
  }
}

CAROM_INLINE void push_second(carom_bed *bed, const carom_touch_block *k, int l) {
  for (int c = 0; c < 3; c++) {
    bed->f[c][k->b[l]] -= k->force[c][l];
    bed->q[c][k->b[l]] -= k->torque_b[c][l];
  }
}

static void note_trouble(carom_bed *bed, int a, int b, double depth) {
  if (bed->trouble.yes) return;
  bed->trouble = (carom_bed_trouble){.yes = true, .a = a, .b = b, .depth = depth};
}

static void push_pairs(carom_bed *bed, const carom_touch_block *k, push_sum *sum) {
  double h = bed->settings->step;
  for (int l = 0; l < k->count; l++) {
    // a depth that is not a number must not pass
    if (k->depth[l] <= 0.0) continue;
    int a = k->a[l], b = k->b[l];
    double thin = bed->radius[a] < bed->radius[b] ? bed->radius[a] : bed->radius[b];
    if (!(k->depth[l] < THROUGH * thin)) note_trouble(bed, bed->id[a], bed->id[b], k->depth[l]);
    push_first(bed, k, l, sum);
    push_second(bed, k, l);
    bed->deepest = k->depth[l] > bed->deepest ? k->depth[l] : bed->deepest;
    bed->lost_normal += k->lost[l] * h;
    bed->taken_tangent += k->taken[l] * h;
    bed->contacts++;
  }
}

static void push_wall(carom_bed *bed, int which, const carom_touch_block *k, push_sum *sum) {
  const carom_bed_wall *wall = &bed->settings->walls[which];
  double h = bed->settings->step, rate = wall->driven ? bed->wall_rate : 0.0;
  for (int l = 0; l < k->count; l++) {
    if (k->depth[l] <= 0.0) continue;
    int a = k->a[l];
    if (!(k->depth[l] < THROUGH * bed->radius[a]))
      note_trouble(bed, bed->id[a], -1 - which, k->depth[l]);
    push_first(bed, k, l, sum);
    bed->deepest = k->depth[l] > bed->deepest ? k->depth[l] : bed->deepest;
    bed->lost_normal += k->lost[l] * h;
    bed->taken_tangent += k->taken[l] * h;
    bed->work_drive += k->force[2][l] * rate * h;
    bed->contacts++;
  }
}

// ---- strikes: from the first touch of any end to the last release

static void begin_strike(carom_bed *bed, int i) {
  int n = bed->n;
  double t = carom_bed_time(bed);
  if (bed->touching[i]++ > 0) return;
  bed->struck[i] = bed->sv[0][i];
  bed->struck[n + i] = bed->sv[2][i];
  bed->struck[2 * n + i] = bed->sw[1][i];
  carom_strike_sums *sums = &bed->strikes;
  sums->plate += bed->wall_rate;
  sums->begun++;
  if (bed->struck[4 * n + i] >= 0.0) {
    sums->flight += t - bed->struck[4 * n + i];
    sums->flights++;
  }
  bed->struck[3 * n + i] = t;
  if (bed->settings->period > 0.0) {
    double phase = t / bed->settings->period;
    phase -= floor(phase);
    int bin = (int)(phase * CAROM_BED_PHASES);
    sums->phases[bin < CAROM_BED_PHASES ? bin : 0]++;
  }
}

static void end_strike(carom_bed *bed, int i) {
  int n = bed->n;
  if (bed->touching[i] == 0 || --bed->touching[i] > 0) return;
  carom_strike_sums *sums = &bed->strikes;
  const double after[3] = {bed->sv[0][i], bed->sv[2][i], bed->sw[1][i]};
  for (int c = 0; c < 3; c++) {
    sums->before[c] += bed->struck[c * n + i];
    sums->after[c] += after[c];
  }
  sums->count++;
  bed->struck[4 * n + i] = carom_bed_time(bed);
}

static void note_strikes(carom_bed *bed, const carom_touch_list *list, const carom_touch_block *k) {
  for (int l = 0; l < k->count; l++) {
    bool was = list->root[k->at[l]] > 0.0, is = k->depth[l] > 0.0;
    if (is && !was) begin_strike(bed, k->a[l]);
    if (was && !is) end_strike(bed, k->a[l]);
  }
}

// ---- all candidates

// Numbers of the pairs that must be tested, and after that of those that touch: a contact has wake
// 0, a gap one above the travel at which it was measured.
static int collect_tests(const carom_touch_list *list, double travel, int *found) {
  int count = 0;
  for (int k = 0; k < list->count; k++) {
    found[count] = k;
    count += (list->wake[k] <= travel) & (list->wake[k] > 0.0);
  }
  return count;
}

// numbers of the candidates that may touch
static int collect_awake(const carom_touch_list *list, double travel, int *found) {
  int count = 0;
  for (int k = 0; k < list->count; k++) {
    found[count] = k;
    count += list->wake[k] <= travel;
  }
  return count;
}

static void fill_block(const carom_touch_list *list, const int *awake, int left,
                       carom_touch_block *k) {
  k->count = left < CAROM_LANES ? left : CAROM_LANES;
  CAROM_EACH_LANE {
    int at = awake[l < k->count ? l : k->count - 1];
    k->at[l] = at;
    k->a[l] = list->a[at];
    k->b[l] = list->b[at];
  }
}

static void pull_by_gravity(carom_bed *bed) {
  const double *g = bed->settings->gravity;
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < bed->n; i++) {
      bed->f[c][i] = g[c] / bed->im[i];
      bed->q[c][i] = 0.0;
    }
}

static void compute_list_of_pairs(carom_bed *bed) {
  carom_touch_block block;
  push_sum sum = {.who = -1};
  int tests = collect_tests(&bed->pairs, bed->travel, bed->list);
  for (int first = 0; first < tests; first += CAROM_LANES) {
    fill_block(&bed->pairs, bed->list + first, tests - first, &block);
    test_pairs(bed, &bed->pairs, &block);
  }
  int count = collect_awake(&bed->pairs, 0.0, bed->list);
  for (int first = 0; first < count; first += CAROM_LANES) {
    fill_block(&bed->pairs, bed->list + first, count - first, &block);
    compute_pairs(bed, &bed->pairs, &block);
    push_pairs(bed, &block, &sum);
  }
  put_sum(bed, &sum);
  bed->tests += tests + count;
}

static void compute_list_of_wall(carom_bed *bed, int which) {
  carom_touch_block block;
  const carom_bed_wall *wall = &bed->settings->walls[which];
  carom_touch_list *list = &bed->walls[which];
  push_sum sum = {.who = -1};
  int count = collect_awake(list, bed->travel, bed->list);
  for (int first = 0; first < count; first += CAROM_LANES) {
    fill_block(list, bed->list + first, count - first, &block);
    compute_wall(bed, wall, list, &block);
    if (wall->strikes) note_strikes(bed, list, &block);
    store_histories(list, &block, bed->travel);
    push_wall(bed, which, &block, &sum);
  }
  put_sum(bed, &sum);
  bed->tests += count;
}

void carom_bed_forces(carom_bed *bed) {
  bed->tests = bed->contacts = 0;
  pull_by_gravity(bed);
  compute_list_of_pairs(bed);
  for (int k = 0; k < bed->settings->wall_count; k++)
    compute_list_of_wall(bed, k);
}

// ---- single distances, for checks and for the search

double carom_bed_gap(const carom_bed *bed, int i, int j) {
  double r[3], s = 0.0, t = 0.0, sum = 0.0;
  for (int c = 0; c < 3; c++) {
    r[c] = bed->x[c][i] - bed->x[c][j];
    if (bed->settings->periodic[c] > 0.0) r[c] = nearest_image(r[c], bed->settings->periodic[c]);
  }
  carom_segment_nearest(r[0], r[1], r[2], bed->u[0][i], bed->u[1][i], bed->u[2][i], bed->half[i],
                        bed->u[0][j], bed->u[1][j], bed->u[2][j], bed->half[j], &s, &t);
  for (int c = 0; c < 3; c++) {
    double d = r[c] + s * bed->u[c][i] - t * bed->u[c][j];
    sum += d * d;
  }
  return sqrt(sum) - bed->radius[i] - bed->radius[j];
}

double carom_bed_wall_gap(const carom_bed *bed, int i, const carom_bed_wall *wall, int end) {
  carom_touch_block block;
  block.count = 1;
  CAROM_EACH_LANE block.a[l] = i, block.b[l] = end, block.at[l] = 0;
  look_at_wall(bed, wall, &block);
  return -block.depth[0];
}
