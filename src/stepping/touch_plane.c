// SPDX-License-Identifier: MIT
// Polygons in the plane: the edge that separates most, and what of the other's edge lies above it.
// A disc meets the nearest edge or corner.
#include "base/vector.h"
#include "stepping/world.h"

#include <string.h>

typedef struct edge {
  int k;
  double gap, normal[3];
} edge;

// the outward normal of edge k
static void normal_of(const carom_solid *solid, int k, double n[3]) {
  const double *a = solid->at[k], *b = solid->at[(k + 1) % solid->shape.corner_count];
  double dx = b[0] - a[0], dy = b[1] - a[1], length = sqrt(dx * dx + dy * dy);
  n[0] = dy / length, n[1] = -dx / length, n[2] = 0.0;
}

// the edge from which all of `count` points are farthest, or deepest below it the least
static edge separating_edge(const carom_solid *solid, int count, double (*const points)[3]) {
  edge best = {.gap = -HUGE_VAL};
  for (int k = 0; k < solid->shape.corner_count; k++) {
    double n[3], least = HUGE_VAL;
    normal_of(solid, k, n);
    for (int j = 0; j < count; j++) {
      double from[3];
      carom_v3_difference(points[j], solid->at[k], from);
      least = fmin(least, carom_v3_dot(n, from));
    }
    if (least <= best.gap) continue;
    best.k = k, best.gap = least;
    memcpy(best.normal, n, sizeof n);
  }
  return best;
}

// a disc `a`, or end k of a capsule, on a polygon `b`
static void touch_disc(carom_world *world, int law, int a, int b, int k) {
  const carom_solid *disc = &world->solids[a], *polygon = &world->solids[b];
  const double *c = disc->at[k], radius = disc->shape.radius;
  edge e = separating_edge(polygon, 1, disc->at + k);
  const double *from = polygon->at[e.k], *to = polygon->at[(e.k + 1) % polygon->shape.corner_count];
  double nearest[3];
  if (e.gap > 0.0) {
    carom_nearest_on_segment(c, from, to, nearest);
    carom_touch_balls(world, law, a, b, (uint32_t)k, c, radius, nearest, 0.0);
    return;
  }
  memcpy(nearest, c, sizeof nearest);
  carom_v3_add(-e.gap, e.normal, nearest);
  carom_touch_add(world, law, a, b, (uint32_t)k, nearest, e.normal, e.gap - radius);
}

// the edge of `solid` that looks most against n
static int facing_edge(const carom_solid *solid, const double n[3]) {
  int best = 0;
  double least = HUGE_VAL;
  for (int k = 0; k < solid->shape.corner_count; k++) {
    double m[3];
    normal_of(solid, k, m);
    double along = carom_v3_dot(m, n);
    if (along < least) least = along, best = k;
  }
  return best;
}

// cuts a segment where dot(along, p) < least; *feature tells which ends are cuts
static bool cut_segment(double ends[2][3], const double along[3], double least, uint32_t marks[2],
                        uint32_t mark) {
  double s0 = carom_v3_dot(along, ends[0]) - least, s1 = carom_v3_dot(along, ends[1]) - least;
  if (s0 < 0.0 && s1 < 0.0) return false;
  int out = s0 < 0.0 ? 0 : s1 < 0.0 ? 1 : -1;
  if (out < 0) return true;
  double share = out == 0 ? s0 / (s0 - s1) : s1 / (s1 - s0);
  for (int c = 0; c < 3; c++)
    ends[out][c] += share * (ends[1 - out][c] - ends[out][c]);
  marks[out] = mark;
  return true;
}

// the part of the edge of `other` that lies above edge e of `holder`
static void clip_edge(carom_world *world, int law, int holder, int other, const edge *e) {
  const carom_solid *h = &world->solids[holder], *o = &world->solids[other];
  int k = facing_edge(o, e->normal), n = o->shape.corner_count;
  const double *from = h->at[e->k], *to = h->at[(e->k + 1) % h->shape.corner_count];
  double ends[2][3], along[3] = {-e->normal[1], e->normal[0], 0.0};
  uint32_t marks[2] = {(uint32_t)k, (uint32_t)((k + 1) % n)};
  memcpy(ends[0], o->at[k], sizeof ends[0]);
  memcpy(ends[1], o->at[(k + 1) % n], sizeof ends[1]);
  const double back[3] = {-along[0], -along[1], 0.0};
  double slack = CAROM_TOUCH_FLUSH * fmin(h->shape.reach, o->shape.reach);
  if (!cut_segment(ends, along, carom_v3_dot(along, from) - slack, marks, 254)) return;
  if (!cut_segment(ends, back, carom_v3_dot(back, to) - slack, marks, 255)) return;
  for (int j = 0; j < 2; j++) {
    double away[3];
    carom_v3_difference(ends[j], from, away);
    double gap = carom_v3_dot(e->normal, away);
    carom_v3_add(-0.5 * gap, e->normal, ends[j]);
    uint32_t feature = ((uint32_t)(holder < other) << 16) | ((uint32_t)e->k << 8) | marks[j];
    carom_touch_add(world, law, other, holder, feature, ends[j], e->normal, gap);
  }
}

static void touch_polygons(carom_world *world, int law, int a, int b) {
  const carom_solid *one = &world->solids[a], *two = &world->solids[b];
  edge of_a = separating_edge(one, two->shape.corner_count, two->at);
  edge of_b = separating_edge(two, one->shape.corner_count, one->at);
  // of edges that are as good the first one's, whatever rounding says
  bool second = of_b.gap > of_a.gap + 1e-6 * fmin(one->shape.reach, two->shape.reach);
  if (second)
    clip_edge(world, law, b, a, &of_b);
  else
    clip_edge(world, law, a, b, &of_a);
}

static void touch_round(carom_world *world, int law, int a, int b) {
  int ends = world->solids[a].shape.corner_count;
  for (int k = 0; k < ends; k++)
    touch_disc(world, law, a, b, k);
  if (ends > 1) carom_touch_line_at_hull(world, law, a, b);
}

void carom_touch_in_plane(carom_world *world, int law, int a, int b) {
  bool round_a = world->solids[a].shape.kind == CAROM_SOLID_ROUND;
  if (round_a)
    touch_round(world, law, a, b);
  else if (world->solids[b].shape.kind == CAROM_SOLID_ROUND)
    touch_round(world, law, b, a);
  else
    touch_polygons(world, law, a, b);
}
