// SPDX-License-Identifier: MIT
// The convex hull of a few corners: every plane through three of them that has all others on one
// side is a face; its corners, sorted by angle, make a fan of triangles.
#include "field/body.h"

#include "base/elementary.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

typedef struct facet {
  double normal[3];
  int count, corner[CAROM_BODY_MAX_CORNERS];
  double angle[CAROM_BODY_MAX_CORNERS];
} facet;

static double largest_extent(const carom_body *body) {
  double largest = 0.0, r[3];
  for (int v = 1; v < body->vertex_count; v++) {
    carom_v3_difference(body->vertex[v], body->vertex[0], r);
    largest = fmax(largest, sqrt(carom_v3_dot(r, r)));
  }
  return largest;
}

// The face through corners i < j < k with its outward normal; false when some corner lies on either
// side, or when a smaller triple has found the same face already.
static bool find_facet(const carom_body *body, double tolerance, int i, int j, int k, facet *f) {
  double a[3], b[3], r[3];
  carom_v3_difference(body->vertex[j], body->vertex[i], a);
  carom_v3_difference(body->vertex[k], body->vertex[i], b);
  carom_v3_cross(a, b, f->normal);
  double length = sqrt(carom_v3_dot(f->normal, f->normal)), above = 0.0, below = 0.0;
  if (!(length > tolerance * tolerance)) return false;
  for (int c = 0; c < 3; c++)
    f->normal[c] /= length;
  f->count = 0;
  for (int v = 0; v < body->vertex_count; v++) {
    carom_v3_difference(body->vertex[v], body->vertex[i], r);
    double height = carom_v3_dot(r, f->normal);
    if (fabs(height) <= tolerance) {
      int at = f->count;
      f->corner[f->count++] = v;
      bool earlier = (at == 0 && v != i) || (at == 1 && v != j);
      if (earlier) return false;
    } else {
      above = fmax(above, height);
      below = fmin(below, height);
    }
  }
  if (above > 0.0 && below < 0.0) return false;
  if (above == 0.0 && below == 0.0) return false;
  // three corners in a line as the first of a face: another triple will speak for it
  for (int c = 0; above > 0.0 && c < 3; c++)
    f->normal[c] = -f->normal[c];
  return true;
}

// already found through other corners of the same plane?
static bool is_known(const carom_body *body, const facet *f, double tolerance) {
  double r[3];
  for (int p = 0; p < body->piece_count; p++) {
    carom_v3_difference(body->vertex[body->piece[p].corner[0]], body->vertex[f->corner[0]], r);
    if (carom_v3_dot(body->piece[p].normal, f->normal) > 1.0 - 1e-9 &&
        fabs(carom_v3_dot(r, f->normal)) <= 4.0 * tolerance)
      return true;
  }
  return false;
}

static void sort_by_angle(const carom_body *body, facet *f) {
  double middle[3] = {0.0, 0.0, 0.0}, first[3], second[3], r[3];
  for (int c = 0; c < f->count; c++)
    for (int k = 0; k < 3; k++)
      middle[k] += body->vertex[f->corner[c]][k] / f->count;
  carom_v3_difference(body->vertex[f->corner[0]], middle, first);
  carom_v3_cross(f->normal, first, second);
  for (int c = 0; c < f->count; c++) {
    carom_v3_difference(body->vertex[f->corner[c]], middle, r);
    f->angle[c] = carom_atan2(carom_v3_dot(r, second), carom_v3_dot(r, first));
  }
  for (int c = 1; c < f->count; c++)
    for (int b = c; b > 0 && f->angle[b - 1] > f->angle[b]; b--) {
      double angle = f->angle[b];
      int corner = f->corner[b];
      f->angle[b] = f->angle[b - 1], f->corner[b] = f->corner[b - 1];
      f->angle[b - 1] = angle, f->corner[b - 1] = corner;
    }
}

static bool add_fan(carom_body *body, facet *f) {
  sort_by_angle(body, f);
  for (int c = 1; c + 1 < f->count; c++) {
    if (body->piece_count >= body->piece_room) return false;
    carom_piece *piece = &body->piece[body->piece_count++];
    double a[3], b[3], n[3];
    *piece = (carom_piece){.corner = {f->corner[0], f->corner[c], f->corner[c + 1]},
                           .face = body->face_count};
    carom_v3_difference(body->vertex[piece->corner[1]], body->vertex[piece->corner[0]], a);
    carom_v3_difference(body->vertex[piece->corner[2]], body->vertex[piece->corner[0]], b);
    carom_v3_cross(a, b, n);
    piece->size = 0.5 * sqrt(carom_v3_dot(n, n));
    memcpy(piece->normal, f->normal, sizeof piece->normal);
    body->area += piece->size;
  }
  body->face_count++;
  return true;
}

bool carom_body_hull(carom_body *body) {
  int n = body->vertex_count;
  bool used[CAROM_BODY_MAX_CORNERS] = {false};
  double tolerance = 1e-10 * largest_extent(body);
  body->piece_count = body->face_count = 0;
  body->area = 0.0;
  if (n < 4 || !(tolerance > 0.0)) return false;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      for (int k = j + 1; k < n; k++) {
        facet f;
        if (!find_facet(body, tolerance, i, j, k, &f) || is_known(body, &f, tolerance)) continue;
        for (int c = 0; c < f.count; c++)
          used[f.corner[c]] = true;
        if (!add_fan(body, &f)) return false;
      }
  for (int v = 0; v < n; v++)
    if (!used[v]) return false;
  return body->face_count >= 4;
}
