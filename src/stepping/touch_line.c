// SPDX-License-Identifier: MIT
// Capsules, among each other and at polygons and boxes: ends as balls, corners and the other's ends
// beside them, and in space their sides across edges and other sides (as bodies/body_line.c has
// it). Where lines lie along each other these are the ends of their overlap.
#include "base/vector.h"
#include "stepping/world.h"

#include <string.h>

static const double PARALLEL = 1e-12; // of the square of a sine: no place is nearest

enum { OTHER_END = 8, CROSSING = 32, MARK = 1 << 20 };

/// A line from its middle: half its length along a unit vector.
typedef struct line {
  double middle[3], along[3], half;
} line;

static line line_of(const carom_solid *capsule) {
  const double *from = capsule->at[0], *to = capsule->at[1];
  line l;
  carom_v3_difference(to, from, l.along);
  double length = carom_v3_length(l.along);
  l.half = 0.5 * length;
  carom_v3_scale(1.0 / length, l.along);
  for (int c = 0; c < 3; c++)
    l.middle[c] = 0.5 * (from[c] + to[c]);
  return l;
}

// where a point lies along the line
static double place_along(const line *l, const double p[3]) {
  double from[3];
  carom_v3_difference(p, l->middle, from);
  return carom_v3_dot(from, l->along);
}

static bool is_beside(const line *l, const double p[3]) {
  return fabs(place_along(l, p)) <= l->half;
}

static void point_of(const line *l, double s, double p[3]) {
  memcpy(p, l->middle, sizeof l->middle);
  carom_v3_add(s, l->along, p);
}

// the side of a capsule at a point of `b` beside it, about which that has a radius
static void touch_beside(carom_world *world, int law, int a, int b, const line *l, uint32_t feature,
                         const double p[3], double radius) {
  double nearest[3];
  if (!is_beside(l, p)) return;
  point_of(l, place_along(l, p), nearest);
  carom_touch_balls(world, law, a, b, feature, nearest, world->solids[a].shape.radius, p, radius);
}

// Lines that cross within both: s = w.(v x q)/D, t = w.(u x q)/D with w = u x v, D = w.w and q from
// the second middle to the first
static void touch_crossing(carom_world *world, int law, int a, int b, const line lines[2],
                           uint32_t feature, double radius) {
  const double *u = lines[0].along, *v = lines[1].along;
  double w[3], q[3], t[3], pa[3], pb[3];
  carom_v3_cross(u, v, w);
  double square = carom_v3_dot(w, w);
  if (square <= PARALLEL) return;
  carom_v3_difference(lines[0].middle, lines[1].middle, q);
  carom_v3_cross(v, q, t);
  double first = carom_v3_dot(w, t) / square;
  carom_v3_cross(u, q, t);
  double second = carom_v3_dot(w, t) / square;
  if (!(fabs(first) < lines[0].half && fabs(second) < lines[1].half)) return;
  point_of(&lines[0], first, pa);
  point_of(&lines[1], second, pb);
  carom_touch_balls(world, law, a, b, feature, pa, world->solids[a].shape.radius, pb, radius);
}

// each place once: ends of `a` count beside `b` and where two ends meet, those of `b` beside `a`
static void touch_capsules(carom_world *world, int law, int a, int b) {
  const carom_solid *one = &world->solids[a], *two = &world->solids[b];
  const line lines[2] = {line_of(one), line_of(two)};
  double nearest[3];
  for (int k = 0; k < 2; k++) {
    double s = place_along(&lines[1], one->at[k]);
    bool end = fabs(s) > lines[1].half;
    if (end && is_beside(&lines[0], two->at[s > 0.0])) continue;
    carom_nearest_on_segment(one->at[k], two->at[0], two->at[1], nearest);
    carom_touch_balls(world, law, a, b, (uint32_t)k, one->at[k], one->shape.radius, nearest,
                      two->shape.radius);
  }
  for (int k = 0; k < 2; k++)
    touch_beside(world, law, a, b, &lines[0], OTHER_END + (uint32_t)k, two->at[k],
                 two->shape.radius);
  if (world->set.space) touch_crossing(world, law, a, b, lines, CROSSING, two->shape.radius);
}

// edge k of twelve of a box: along one axis, at one of four corners of the other two
static line edge_of(const carom_solid *box, int k) {
  const double *half = box->shape.corners[box->shape.corner_count - 1];
  double local[3] = {0.0, 0.0, 0.0};
  line l;
  int axis = k / 4;
  for (int i = 0; i < 2; i++) {
    int other = (axis + 1 + i) % 3;
    local[other] = k >> i & 1 ? half[other] : -half[other];
  }
  carom_m3_times(box->turn, local, l.middle);
  carom_v3_add(1.0, box->place, l.middle);
  for (int c = 0; c < 3; c++)
    l.along[c] = box->turn[3 * c + axis];
  l.half = half[axis];
  return l;
}

void carom_touch_line_at_hull(carom_world *world, int law, int a, int b) {
  const carom_solid *hull = &world->solids[b];
  line lines[2] = {line_of(&world->solids[a])};
  for (int k = 0; k < hull->shape.corner_count; k++)
    touch_beside(world, law, a, b, &lines[0], OTHER_END + (uint32_t)k, hull->at[k], 0.0);
  for (int k = 0; world->set.space && k < 12; k++) {
    lines[1] = edge_of(hull, k);
    touch_crossing(world, law, a, b, lines, MARK + (uint32_t)k, 0.0);
  }
}

void carom_touch_lines(carom_world *world, int law, int a, int b) {
  touch_capsules(world, law, a, b);
}
