// SPDX-License-Identifier: MIT
// Where two faces that look at each other overlap is a polygon: its corners are corners of one face
// over the other, and crossings of their edges. These are the places at which convex bodies can
// touch; lasting contact of faces is at them.
#include "convex/meeting.h"

#include "base/vector.h"

#include <math.h>
#include <string.h>

static const double PARALLEL = 1e-7; // Chosen: sines of edges that cross nowhere
static const double CROSSES = 2e-4;  // that of a crossing that begins (CAROM_SLOT_PARALLEL: ends)
static const double REACH = 0.3;     // Chosen: of the smaller width: what is farther is left out
static const double REACH_OF_SINE = 10.0; // the same, of it times the sine between edges: where
                                          // edges turn past each other their crossing runs away
static const double DOUBT = 20.0;         // Chosen: of the gap: what is doubtful yet
static const double PASSES = 4.0; // Chosen: bands: bodies that overlap less, seen from aside, pass
static const double BEHIND =
    100.0; // Chosen: bands: bodies that do not overlap touch nowhere so deep

static int corner_of(const carom_polytope *shape, int face, int k) {
  int first = shape->first[face], count = shape->first[face + 1] - first;
  return shape->loop[first + (k + count) % count];
}

static int corners_of(const carom_polytope *shape, int face) {
  return shape->first[face + 1] - shape->first[face];
}

// how far inside a face a point is, seen along the face's normal
static double inside_face(const carom_posed *body, int face, const double point[3]) {
  double least = HUGE_VAL;
  for (int k = 0; k < corners_of(body->shape, face); k++) {
    const double *from = body->corners[corner_of(body->shape, face, k)];
    double along[3], in[3], d[3];
    carom_v3_difference(body->corners[corner_of(body->shape, face, k + 1)], from, along);
    carom_v3_cross(body->normals[face], along, in);
    carom_v3_difference(point, from, d);
    least = fmin(least, carom_v3_dot(in, d) / carom_v3_length(along));
  }
  return least;
}

static void see_corner(const carom_posed *owner, int face, const double corner[3],
                       carom_feature_look *look) {
  double d[3];
  memcpy(look->place, corner, sizeof look->place);
  memcpy(look->normal, owner->normals[face], sizeof look->normal);
  carom_v3_difference(corner, owner->corners[corner_of(owner->shape, face, 0)], d);
  look->gap = carom_v3_dot(look->normal, d);
  look->inside = inside_face(owner, face, corner);
}

// along both edges from their first corners to where the lines are nearest
static bool see_edges(const carom_posed *a, const carom_posed *b, const carom_parting *parting,
                      const carom_feature *feature, carom_feature_look *look) {
  const double *u = a->along[feature->a], *w = b->along[feature->b];
  const double *from = a->corners[a->shape->edges[feature->a][0]],
               *other = b->corners[b->shape->edges[feature->b][0]];
  double d[3], c = carom_v3_dot(u, w), *n = look->normal;
  carom_v3_cross(u, w, n);
  double sine = carom_v3_length(n);
  if (!(sine > PARALLEL)) return false;
  look->sine = sine;
  look->side = carom_v3_dot(n, parting->normal) < 0.0 ? -1.0 : 1.0;
  carom_v3_scale(look->side / sine, n);
  carom_v3_difference(other, from, d);
  double du = carom_v3_dot(d, u), dw = carom_v3_dot(d, w);
  double s = (du - c * dw) / (sine * sine), t = (c * du - dw) / (sine * sine);
  double left_a = a->shape->lengths[feature->a] - s, left_b = b->shape->lengths[feature->b] - t;
  memcpy(look->place, from, sizeof look->place);
  carom_v3_add(s, u, look->place);
  look->gap = -carom_v3_dot(n, d);
  look->inside = fmin(fmin(s, left_a), fmin(t, left_b));
  return true;
}

bool carom_feature_see(const carom_posed *a, const carom_posed *b, const carom_parting *parting,
                       const carom_feature *feature, carom_feature_look *look) {
  *look = (carom_feature_look){.side = 0.0, .sine = 1.0};
  if (feature->kind == CAROM_EDGE_ON_EDGE) return see_edges(a, b, parting, feature, look);
  if (feature->kind == CAROM_CORNER_ON_FACE) {
    see_corner(b, feature->b, a->corners[feature->a], look);
  } else {
    see_corner(a, feature->a, b->corners[feature->b], look);
    carom_v3_scale(-1.0, look->normal);
    carom_v3_add(look->gap, look->normal, look->place);
  }
  return true;
}

// how deep a body reaches beyond the other's part of the plane
static double reach_beyond(const carom_posed *a, const carom_posed *b,
                           const carom_feature_look *look) {
  const double *n = look->normal;
  double level = carom_v3_dot(n, look->place), lowest = HUGE_VAL, highest = -HUGE_VAL;
  for (int k = 0; k < a->shape->corner_count; k++)
    lowest = fmin(lowest, carom_v3_dot(n, a->corners[k]));
  for (int k = 0; k < b->shape->corner_count; k++)
    highest = fmax(highest, carom_v3_dot(n, b->corners[k]));
  return fmax(level - look->gap - lowest, highest - level);
}

bool carom_feature_counts(const carom_posed *a, const carom_posed *b,
                          const carom_feature_look *look, double band) {
  double gap = fmax(look->gap, 0.0);
  if (reach_beyond(a, b, look) > BEHIND * band + DOUBT * gap) return false;
  return gap > BEHIND * band || carom_part_otherwise(a, b, look->normal) < -PASSES * band;
}

/// The list while it is made.
typedef struct listing {
  const carom_posed *a, *b;
  const carom_parting *parting;
  double band, reach, width;
  int held_count;
  const carom_feature *held;
  int count, most;
  carom_feature *features;
  double *gaps;
} listing;

static bool is_held(const listing *it, const carom_feature *feature) {
  for (int k = 0; k < it->held_count; k++)
    if (carom_feature_same(&it->held[k], feature)) return true;
  return false;
}

// seen along the normal
static bool is_near_another(const listing *it, const carom_feature_look *look) {
  for (int k = 0; k < it->count; k++) {
    carom_feature_look other;
    double d[3];
    (void)carom_feature_see(it->a, it->b, it->parting, &it->features[k], &other);
    carom_v3_difference(look->place, other.place, d);
    carom_v3_add(-carom_v3_dot(d, it->parting->normal), it->parting->normal, d);
    if (carom_v3_length(d) <= 2.0 * it->band) return true;
  }
  return false;
}

// the nearest come first; of more than there is room for the farthest are left out
static void insert_feature(listing *it, const carom_feature *feature, double gap) {
  if (it->count == it->most && it->gaps[it->most - 1] <= gap) return;
  int at = it->count < it->most ? it->count++ : it->most - 1;
  for (; at > 0 && it->gaps[at - 1] > gap; at--) {
    it->features[at] = it->features[at - 1];
    it->gaps[at] = it->gaps[at - 1];
  }
  it->features[at] = *feature;
  it->gaps[at] = gap;
}

static void try_feature(listing *it, carom_feature_kind kind, int a, int b, bool held) {
  const carom_feature feature = {kind, a, b};
  carom_feature_look look;
  if (is_held(it, &feature) != held) return;
  if (!carom_feature_see(it->a, it->b, it->parting, &feature, &look)) return;
  if (!(look.inside >= (held ? -2.0 : -1.0) * it->band)) return;
  if (!(look.gap >= -BEHIND * it->band && look.gap <= it->reach)) return; // parts nothing, or far
  if (look.gap > (held ? 2.0 : 1.0) * REACH_OF_SINE * look.sine * it->width) return;
  if (!held && !(look.sine > CROSSES)) return;
  if (!held && !carom_feature_counts(it->a, it->b, &look, it->band)) return;
  if (!is_near_another(it, &look)) insert_feature(it, &feature, look.gap);
}

static bool goes_around(const carom_polytope *shape, int edge, int face) {
  return shape->sides[edge][0] == face || shape->sides[edge][1] == face;
}

static void try_edges(listing *it, bool held) {
  const carom_parting *p = it->parting;
  for (int i = 0; i < it->a->shape->edge_count; i++) {
    if (i != p->edge_a && !goes_around(it->a->shape, i, p->face_a)) continue;
    for (int j = 0; j < it->b->shape->edge_count; j++)
      if (j == p->edge_b || goes_around(it->b->shape, j, p->face_b))
        try_feature(it, CAROM_EDGE_ON_EDGE, i, j, held);
  }
}

static void try_all(listing *it, bool held) {
  const carom_parting *p = it->parting;
  for (int k = 0; k < corners_of(it->a->shape, p->face_a); k++)
    try_feature(it, CAROM_CORNER_ON_FACE, corner_of(it->a->shape, p->face_a, k), p->face_b, held);
  for (int k = 0; k < corners_of(it->b->shape, p->face_b); k++)
    try_feature(it, CAROM_FACE_ON_CORNER, p->face_a, corner_of(it->b->shape, p->face_b, k), held);
  try_edges(it, held);
}

int carom_meet_bodies(const carom_posed *a, const carom_posed *b, const carom_parting *parting,
                      double band, int held_count, const carom_feature *held, int most,
                      carom_feature *features, double *gaps) {
  listing it = {.a = a,
                .b = b,
                .parting = parting,
                .band = band,
                .width = fmin(a->shape->width, b->shape->width),
                .held_count = held_count,
                .held = held,
                .most = most,
                .features = features};
  it.gaps = gaps;
  it.reach = REACH * it.width;
  if (held_count > 0) try_all(&it, true);
  try_all(&it, false);
  return it.count;
}
