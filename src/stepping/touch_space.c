// SPDX-License-Identifier: MIT
// Boxes in space: the axis that separates most of the fifteen of two boxes (Gottschalk, Lin and
// Manocha 1996). Where it is the normal of a face, the other's face is cut to it; where two edges
// cross, they touch in one point. A ball meets the nearest point of a box.
#include "base/vector.h"
#include "stepping/world.h"

#include <string.h>

// half edges of a box: its corners come in the order of their signs
static const double *half_edges(const carom_solid *box) {
  return box->shape.corners[box->shape.corner_count - 1];
}

static void axis_of(const carom_solid *box, int k, double axis[3]) {
  for (int c = 0; c < 3; c++)
    axis[c] = box->turn[3 * c + k];
}

// ---- a ball on a box

// the nearest face from inside
static void leave_by_face(const double local[3], const double h[3], double normal[3],
                          double *deep) {
  *deep = HUGE_VAL;
  for (int c = 0; c < 3; c++) {
    double left = h[c] - fabs(local[c]);
    if (left >= *deep) continue;
    *deep = left;
    memset(normal, 0, 3 * sizeof *normal);
    normal[c] = local[c] < 0.0 ? -1.0 : 1.0;
  }
}

// a ball, or end k of a capsule
static void touch_ball(carom_world *world, int law, int a, int b, int k) {
  const carom_solid *ball = &world->solids[a], *box = &world->solids[b];
  const double *h = half_edges(box), radius = ball->shape.radius;
  double from[3], local[3], nearest[3];
  carom_v3_difference(ball->at[k], box->place, from);
  carom_m3_transposed(box->turn, from, local);
  bool inside = true;
  for (int c = 0; c < 3; c++) {
    nearest[c] = local[c] < -h[c] ? -h[c] : local[c] > h[c] ? h[c] : local[c];
    inside = inside && nearest[c] == local[c];
  }
  if (!inside) {
    carom_m3_times(box->turn, nearest, nearest);
    carom_v3_add(1.0, box->place, nearest);
    carom_touch_balls(world, law, a, b, (uint32_t)k, ball->at[k], radius, nearest, 0.0);
    return;
  }
  double normal[3], deep;
  leave_by_face(local, h, normal, &deep);
  carom_v3_add(deep, normal, nearest);
  carom_m3_times(box->turn, normal, normal);
  carom_m3_times(box->turn, nearest, nearest);
  carom_v3_add(1.0, box->place, nearest);
  carom_touch_add(world, law, a, b, (uint32_t)k, nearest, normal, -deep - radius);
}

// ---- box on box

typedef struct two_boxes {
  const carom_solid *one, *two;
  double between[3]; // from one to two
} two_boxes;

typedef struct parting {
  double gap, normal[3]; // from one to two
  int i, j;              // axes of the boxes; -1: of the other alone
} parting;

static double reach_along(const carom_solid *box, const double n[3]) {
  double sum = 0.0, axis[3];
  for (int k = 0; k < 3; k++) {
    axis_of(box, k, axis);
    sum += half_edges(box)[k] * fabs(carom_v3_dot(axis, n));
  }
  return sum;
}

// how far the boxes are apart along n, which is turned from one to two
static parting parting_along(const two_boxes *p, const double n[3], int i, int j) {
  parting out = {.i = i, .j = j};
  double far = carom_v3_dot(p->between, n);
  memcpy(out.normal, n, sizeof out.normal);
  if (far < 0.0) carom_v3_scale(-1.0, out.normal);
  out.gap = fabs(far) - reach_along(p->one, n) - reach_along(p->two, n);
  return out;
}

// of axes that are as good the one that comes first; faces come before edges
static void keep_better(parting *best, const parting *tried, double slack) {
  if (tried->gap > best->gap + slack) *best = *tried;
}

static parting part_boxes(const two_boxes *p) {
  double slack = 1e-6 * fmin(p->one->shape.reach, p->two->shape.reach);
  parting best = {.gap = -HUGE_VAL};
  double axis[3], other[3], n[3];
  for (int k = 0; k < 6; k++) {
    axis_of(k < 3 ? p->one : p->two, k % 3, axis);
    parting tried = parting_along(p, axis, k < 3 ? k : -1, k < 3 ? -1 : k - 3);
    keep_better(&best, &tried, k ? slack : 0.0);
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      axis_of(p->one, i, axis);
      axis_of(p->two, j, other);
      carom_v3_cross(axis, other, n);
      double length = carom_v3_length(n);
      if (length < 1e-6) continue; // parallel: a face tells the same
      carom_v3_scale(1.0 / length, n);
      parting tried = parting_along(p, n, i, j);
      keep_better(&best, &tried, slack);
    }
  return best;
}

enum { MOST_POINTS = 16 };

typedef struct outline {
  int count;
  double points[MOST_POINTS][3];
  uint32_t marks[MOST_POINTS];
} outline;

// the face of a box that looks most along n
static void face_along(const carom_solid *box, const double n[3], outline *face) {
  static const double signs[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  double axes[3][3], most = -1.0;
  int best = 0;
  for (int k = 0; k < 3; k++) {
    axis_of(box, k, axes[k]);
    double s = fabs(carom_v3_dot(axes[k], n));
    if (s > most) most = s, best = k;
  }
  double side = carom_v3_dot(axes[best], n) < 0.0 ? -1.0 : 1.0;
  int i = (best + 1) % 3, j = (best + 2) % 3;
  face->count = 4;
  for (int k = 0; k < 4; k++) {
    double *at = face->points[k];
    memcpy(at, box->place, 3 * sizeof *at);
    carom_v3_add(side * half_edges(box)[best], axes[best], at);
    carom_v3_add(signs[k][0] * half_edges(box)[i], axes[i], at);
    carom_v3_add(signs[k][1] * half_edges(box)[j], axes[j], at);
    face->marks[k] = (uint32_t)k;
  }
}

// what of the outline lies where dot(n, p) <= most (Sutherland and Hodgman 1974)
static void cut_outline(outline *face, const double n[3], double most, uint32_t mark) {
  outline left = {.count = 0};
  for (int k = 0; k < face->count; k++) {
    int next = (k + 1) % face->count;
    const double *p = face->points[k], *q = face->points[next];
    double sp = carom_v3_dot(n, p) - most, sq = carom_v3_dot(n, q) - most;
    if (sp <= 0.0 && left.count < MOST_POINTS) {
      memcpy(left.points[left.count], p, sizeof left.points[0]);
      left.marks[left.count++] = face->marks[k];
    }
    if ((sp <= 0.0) == (sq <= 0.0) || left.count >= MOST_POINTS) continue;
    for (int c = 0; c < 3; c++)
      left.points[left.count][c] = p[c] + sp / (sp - sq) * (q[c] - p[c]);
    left.marks[left.count++] = mark + (sp <= 0.0 ? 0u : 1u);
  }
  *face = left;
}

// points of `other` over a face of `holder`, whose outward normal n is
static void touch_face(carom_world *world, int law, int holder, int other, int k,
                       const double n[3]) {
  const carom_solid *h = &world->solids[holder], *o = &world->solids[other];
  const double down[3] = {-n[0], -n[1], -n[2]};
  double slack = CAROM_TOUCH_FLUSH * fmin(h->shape.reach, o->shape.reach);
  outline face;
  face_along(o, down, &face);
  for (int side = 0; side < 4; side++) {
    double axis[3];
    int c = (k + 1 + side / 2) % 3;
    axis_of(h, c, axis);
    if (side % 2) carom_v3_scale(-1.0, axis);
    cut_outline(&face, axis, carom_v3_dot(axis, h->place) + half_edges(h)[c] + slack,
                8u + 2u * (uint32_t)side);
  }
  double level = carom_v3_dot(n, h->place) + half_edges(h)[k];
  for (int p = 0; p < face.count; p++) {
    double gap = carom_v3_dot(n, face.points[p]) - level;
    carom_v3_add(-0.5 * gap, n, face.points[p]);
    uint32_t feature = ((uint32_t)(holder < other) << 16) | ((uint32_t)k << 8) | face.marks[p];
    carom_touch_add(world, law, other, holder, feature, face.points[p], n, gap);
  }
}

// the middle of the edge of a box along its axis k that lies farthest along n
static void edge_along(const carom_solid *box, int k, const double n[3], double middle[3]) {
  memcpy(middle, box->place, 3 * sizeof *middle);
  for (int j = 0; j < 3; j++) {
    double axis[3];
    if (j == k) continue;
    axis_of(box, j, axis);
    double side = carom_v3_dot(axis, n) < 0.0 ? -1.0 : 1.0;
    carom_v3_add(side * half_edges(box)[j], axis, middle);
  }
}

static void touch_edges(carom_world *world, int law, int a, int b, const parting *p) {
  const carom_solid *one = &world->solids[a], *two = &world->solids[b];
  double pa[3], pb[3], ua[3], ub[3], d[3], up[3];
  const double down[3] = {-p->normal[0], -p->normal[1], -p->normal[2]};
  edge_along(one, p->i, p->normal, pa);
  edge_along(two, p->j, down, pb);
  axis_of(one, p->i, ua);
  axis_of(two, p->j, ub);
  // nearest points of the two lines
  carom_v3_difference(pb, pa, d);
  double c = carom_v3_dot(ua, ub), square = 1.0 - c * c;
  double s = (carom_v3_dot(d, ua) - c * carom_v3_dot(d, ub)) / square;
  double t = (c * carom_v3_dot(d, ua) - carom_v3_dot(d, ub)) / square;
  carom_v3_add(s, ua, pa);
  carom_v3_add(t, ub, pb);
  for (int k = 0; k < 3; k++)
    up[k] = 0.5 * (pa[k] + pb[k]);
  uint32_t feature = (2u << 16) | ((uint32_t)p->i << 8) | (uint32_t)p->j;
  carom_touch_add(world, law, b, a, feature, up, p->normal, p->gap);
}

static void touch_boxes(carom_world *world, int law, int a, int b) {
  two_boxes pair = {.one = &world->solids[a], .two = &world->solids[b]};
  carom_v3_difference(pair.two->place, pair.one->place, pair.between);
  parting p = part_boxes(&pair);
  const double back[3] = {-p.normal[0], -p.normal[1], -p.normal[2]};
  if (p.gap > 1e-3 * fmin(pair.one->shape.reach, pair.two->shape.reach)) return;
  if (p.i >= 0 && p.j >= 0)
    touch_edges(world, law, a, b, &p);
  else if (p.i >= 0)
    touch_face(world, law, a, b, p.i, p.normal);
  else
    touch_face(world, law, b, a, p.j, back);
}

static void touch_round(carom_world *world, int law, int a, int b) {
  int ends = world->solids[a].shape.corner_count;
  for (int k = 0; k < ends; k++)
    touch_ball(world, law, a, b, k);
  if (ends > 1) carom_touch_line_at_hull(world, law, a, b);
}

void carom_touch_in_space(carom_world *world, int law, int a, int b) {
  if (world->solids[a].shape.kind == CAROM_SOLID_ROUND)
    touch_round(world, law, a, b);
  else if (world->solids[b].shape.kind == CAROM_SOLID_ROUND)
    touch_round(world, law, b, a);
  else
    touch_boxes(world, law, a, b);
}
