// SPDX-License-Identifier: MIT
// How far two convex bodies are apart along the best of their normals. A pair of edges counts where
// the normals of the faces beside them, drawn on a sphere, make arcs that cross: only then the
// plane along both edges has one body on each side (Gauss maps; Gregorius, The separating axis test
// between convex polyhedra, 2013).
#include "base/vector.h"
#include "convex/meeting.h"

#include <math.h>
#include <string.h>

static const double PARALLEL = 1e-6; // sines of edges whose plane is not looked for
static const double OTHER = 0.99;    // cosines of normals that are others
static const double SLACK = 1e-9;    // of the size: edges must tell that much more than faces

// the distance of the nearest corner from the plane of face f of `body`
static double before_face(const carom_posed *body, int f, const carom_posed *other) {
  const double *n = body->normals[f];
  double least = HUGE_VAL;
  for (int k = 0; k < other->shape->corner_count; k++)
    least = fmin(least, carom_v3_dot(n, other->corners[k]));
  return least - carom_v3_dot(n, body->place) - body->shape->offsets[f];
}

static void part_by_faces(const carom_posed *a, const carom_posed *b, carom_parting *best) {
  for (int f = 0; f < b->shape->face_count; f++) {
    double gap = before_face(b, f, a);
    if (!(gap > best->gap)) continue;
    *best = (carom_parting){gap, {0}, -1, f, -1, -1};
    memcpy(best->normal, b->normals[f], sizeof best->normal);
  }
  for (int f = 0; f < a->shape->face_count; f++) {
    double gap = before_face(a, f, b);
    if (!(gap > best->gap + SLACK * a->shape->width)) continue;
    *best = (carom_parting){gap, {0}, f, -1, -1, -1};
    carom_v3_add(-1.0, a->normals[f], best->normal);
  }
}

// do the arcs of edge i of a and of edge j of b, turned around, cross?
static bool arcs_cross(const carom_posed *a, int i, const carom_posed *b, int j) {
  const double *p = a->normals[a->shape->sides[i][0]], *q = a->normals[a->shape->sides[i][1]];
  const double *r = b->normals[b->shape->sides[j][0]], *s = b->normals[b->shape->sides[j][1]];
  const double *u = a->along[i], *w = b->along[j]; // q x p and s x r, up to positive factors
  double ru = -carom_v3_dot(r, u), su = -carom_v3_dot(s, u);
  double pw = carom_v3_dot(p, w), qw = carom_v3_dot(q, w);
  return ru * su < 0.0 && pw * qw < 0.0 && ru * qw > 0.0;
}

// the unit normal of the plane along both edges, into a; false: they are parallel, and a face tells
// the same
static bool edge_normal(const carom_posed *a, int i, const carom_posed *b, int j, double n[3]) {
  carom_v3_cross(a->along[i], b->along[j], n);
  double length = carom_v3_length(n);
  double out = carom_v3_dot(n, a->normals[a->shape->sides[i][0]]) +
               carom_v3_dot(n, a->normals[a->shape->sides[i][1]]);
  if (!(length > PARALLEL)) return false;
  carom_v3_scale((out > 0.0 ? -1.0 : 1.0) / length, n);
  return true;
}

static double between_edges(const carom_posed *a, int i, const carom_posed *b, int j,
                            const double n[3]) {
  double d[3];
  carom_v3_difference(a->corners[a->shape->edges[i][0]], b->corners[b->shape->edges[j][0]], d);
  return carom_v3_dot(n, d);
}

static void part_by_edges(const carom_posed *a, const carom_posed *b, carom_parting *best,
                          double *most) {
  double slack = SLACK * fmin(a->shape->width, b->shape->width);
  for (int i = 0; i < a->shape->edge_count; i++)
    for (int j = 0; j < b->shape->edge_count; j++) {
      double n[3];
      if (!arcs_cross(a, i, b, j) || !edge_normal(a, i, b, j, n)) continue;
      double gap = between_edges(a, i, b, j, n);
      *most = fmax(*most, gap);
      if (!(gap > best->gap + slack)) continue;
      *best = (carom_parting){gap, {n[0], n[1], n[2]}, -1, -1, i, j};
    }
}

double carom_part_otherwise(const carom_posed *a, const carom_posed *b, const double normal[3]) {
  double most = -HUGE_VAL;
  for (int f = 0; f < a->shape->face_count; f++)
    if (-carom_v3_dot(a->normals[f], normal) < OTHER) most = fmax(most, before_face(a, f, b));
  for (int f = 0; f < b->shape->face_count; f++)
    if (carom_v3_dot(b->normals[f], normal) < OTHER) most = fmax(most, before_face(b, f, a));
  for (int i = 0; i < a->shape->edge_count; i++)
    for (int j = 0; j < b->shape->edge_count; j++) {
      double n[3];
      if (!arcs_cross(a, i, b, j) || !edge_normal(a, i, b, j, n)) continue;
      if (carom_v3_dot(n, normal) < OTHER) most = fmax(most, between_edges(a, i, b, j, n));
    }
  return most;
}

// the face that looks most along n, of those beside an edge where one tells
static int face_along(const carom_posed *body, const double n[3], int edge) {
  int best = 0;
  double most = -HUGE_VAL;
  for (int f = 0; f < body->shape->face_count; f++) {
    double along = carom_v3_dot(body->normals[f], n);
    if (edge >= 0 && f != body->shape->sides[edge][0] && f != body->shape->sides[edge][1]) continue;
    if (along > most) most = along, best = f;
  }
  return best;
}

carom_parting carom_part_bodies(const carom_posed *a, const carom_posed *b) {
  carom_parting best = {.gap = -HUGE_VAL};
  part_by_faces(a, b, &best);
  double most = best.gap;
  part_by_edges(a, b, &best, &most);
  best.gap = fmax(best.gap, most);
  const double down[3] = {-best.normal[0], -best.normal[1], -best.normal[2]};
  if (best.face_a < 0) best.face_a = face_along(a, down, best.edge_a);
  if (best.face_b < 0) best.face_b = face_along(b, best.normal, best.edge_b);
  return best;
}
