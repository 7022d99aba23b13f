// SPDX-License-Identifier: MIT
// Contacts of pairs of bodies: corners and balls on planes and in cups, balls among each other.
#include "base/vector.h"
#include "stepping/world.h"

#include <string.h>

// Gaps below this part of a body's size are closed: rounding of a body that was placed in touch. A
// contact that bore something in the step before stays closed up to the larger part: laws hold to
// run.residual, so that what lies at rest drifts by a hair, and each contact that opens by it would
// throw its load upon the others.
static const double CLOSED = 1e-9, CLINGS = 1e-6;

static bool make_room(carom_world *world) {
  if (carom_arena_grow(world->arena, (void **)&world->touches, world->touch_count,
                       &world->touch_room, sizeof *world->touches))
    return true;
  return carom_world_no_memory(world);
}

static double pair_size(const carom_world *world, int a, int b) {
  double ra = world->solids[a].shape.reach, rb = world->solids[b].shape.reach;
  return rb > 0.0 && (rb < ra || ra == 0.0) ? rb : ra;
}

bool carom_touch_clings(const carom_world *world, const carom_touch *t) {
  return t->gap > CLOSED * pair_size(world, t->a, t->b);
}

void carom_touch_add(carom_world *world, int law, int a, int b, uint32_t feature,
                     const double point[3], const double normal[3], double gap) {
  if (gap > CLINGS * pair_size(world, a, b) || !make_room(world)) return;
  carom_touch *t = &world->touches[world->touch_count++];
  memset(t, 0, sizeof *t);
  t->a = a, t->b = b, t->law = law, t->feature = feature, t->gap = gap;
  memcpy(t->axes[0], normal, sizeof t->axes[0]);
  if (world->set.space)
    carom_v3_tangents(normal, t->axes[1], t->axes[2]);
  else
    t->axes[1][0] = -normal[1], t->axes[1][1] = normal[0];
  carom_v3_difference(point, world->solids[a].place, t->arm_a);
  carom_v3_difference(point, world->solids[b].place, t->arm_b);
  if (-gap > world->deep) world->deep = -gap, world->overlap[0] = a, world->overlap[1] = b;
}

// Each rim of `a` on a plane: its lowest point, and five more around it of which those that touch
// count where a face lies flat.
static void touch_rims(carom_world *world, int law, int a, int b) {
  const double half = 0.8660254037844386; // sin 60 degrees
  static const double turns[6][2] = {{1, 0}, {0.5, 1}, {-0.5, 1}, {-1, 0}, {-0.5, -1}, {0.5, -1}};
  const carom_solid *one = &world->solids[a], *plane = &world->solids[b];
  double normal[3], axis[3], out[3], side[3], from[3];
  carom_m3_times(plane->turn, plane->shape.normal, normal);
  for (int c = 0; c < 3; c++)
    axis[c] = one->turn[3 * c + 2], out[c] = -normal[c];
  carom_v3_add(carom_v3_dot(normal, axis), axis, out);
  double tilt = carom_v3_length(out);
  for (int c = 0; c < 3; c++)
    out[c] = tilt > 1e-9 ? out[c] / tilt : one->turn[3 * c];
  carom_v3_cross(axis, out, side);
  for (int k = 0; k < one->shape.corner_count; k++)
    for (int j = 0; j < 6; j++) {
      double point[3];
      memcpy(point, one->at[k], sizeof point);
      carom_v3_add(turns[j][0] * one->shape.radius, out, point);
      carom_v3_add(turns[j][1] * half * one->shape.radius, side, point);
      carom_v3_difference(point, plane->place, from);
      double gap = carom_v3_dot(normal, from);
      carom_v3_add(-0.5 * gap, normal, point);
      carom_touch_add(world, law, a, b, (uint32_t)(6 * k + j), point, normal, gap);
    }
}

// every corner of `a`, with its radius, on a plane
static void touch_plane(carom_world *world, int law, int a, int b) {
  const carom_solid *one = &world->solids[a], *plane = &world->solids[b];
  double normal[3], from[3], point[3];
  if (one->shape.kind == CAROM_SOLID_RIM) {
    touch_rims(world, law, a, b);
    return;
  }
  carom_m3_times(plane->turn, plane->shape.normal, normal);
  for (int k = 0; k < one->shape.corner_count; k++) {
    carom_v3_difference(one->at[k], plane->place, from);
    double gap = carom_v3_dot(normal, from) - one->shape.radius;
    memcpy(point, one->at[k], sizeof point);
    carom_v3_add(-one->shape.radius - 0.5 * gap, normal, point);
    carom_touch_add(world, law, a, b, (uint32_t)k, point, normal, gap);
  }
}

// every corner of `a`, with its radius, inside a cup
static void touch_cup(carom_world *world, int law, int a, int b) {
  const carom_solid *one = &world->solids[a], *cup = &world->solids[b];
  double out[3], point[3];
  for (int k = 0; k < one->shape.corner_count; k++) {
    carom_v3_difference(one->at[k], cup->place, out);
    double far = carom_v3_length(out), gap = cup->shape.radius - one->shape.radius - far;
    if (far == 0.0) continue;
    carom_v3_scale(-1.0 / far, out);
    memcpy(point, one->at[k], sizeof point);
    carom_v3_add(-one->shape.radius - 0.5 * gap, out, point);
    carom_touch_add(world, law, a, b, (uint32_t)k, point, out, gap);
  }
}

void carom_touch_balls(carom_world *world, int law, int a, int b, uint32_t feature,
                       const double ca[3], double ra, const double cb[3], double rb) {
  double normal[3], point[3];
  carom_v3_difference(ca, cb, normal);
  double far = carom_v3_length(normal), gap = far - ra - rb;
  if (far == 0.0) return; // no direction is better than another one
  carom_v3_scale(1.0 / far, normal);
  memcpy(point, cb, sizeof point);
  carom_v3_add(rb + 0.5 * gap, normal, point);
  carom_touch_add(world, law, a, b, feature, point, normal, gap);
}

void carom_nearest_on_segment(const double p[3], const double a[3], const double b[3],
                              double nearest[3]) {
  double along[3], from[3];
  carom_v3_difference(b, a, along);
  carom_v3_difference(p, a, from);
  double square = carom_v3_dot(along, along);
  double s = square > 0.0 ? carom_v3_dot(from, along) / square : 0.0;
  s = s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s;
  memcpy(nearest, a, 3 * sizeof *nearest);
  carom_v3_add(s, along, nearest);
}

// balls and capsules
static void touch_round(carom_world *world, int law, int a, int b) {
  const carom_solid *one = &world->solids[a], *two = &world->solids[b];
  double pa[3], pb[3];
  int last_a = one->shape.corner_count - 1, last_b = two->shape.corner_count - 1;
  if (last_a > 0 && last_b > 0) {
    carom_touch_lines(world, law, a, b);
    return;
  }
  memcpy(pa, one->at[0], sizeof pa);
  memcpy(pb, two->at[0], sizeof pb);
  if (last_a > 0) carom_nearest_on_segment(pb, one->at[0], one->at[last_a], pa);
  if (last_b > 0) carom_nearest_on_segment(pa, two->at[0], two->at[last_b], pb);
  carom_touch_balls(world, law, a, b, 0, pa, one->shape.radius, pb, two->shape.radius);
}

void carom_touch_pair(carom_world *world, int law, int a, int b) {
  carom_solid_kind ka = world->solids[a].shape.kind, kb = world->solids[b].shape.kind;
  if (kb == CAROM_SOLID_PLANE)
    touch_plane(world, law, a, b);
  else if (ka == CAROM_SOLID_PLANE)
    touch_plane(world, law, b, a);
  else if (kb == CAROM_SOLID_CUP)
    touch_cup(world, law, a, b);
  else if (ka == CAROM_SOLID_CUP)
    touch_cup(world, law, b, a);
  else if (ka == CAROM_SOLID_ROUND && kb == CAROM_SOLID_ROUND)
    touch_round(world, law, a, b);
  else if (world->set.space)
    carom_touch_in_space(world, law, a, b);
  else
    carom_touch_in_plane(world, law, a, b);
}
