// SPDX-License-Identifier: MIT
// Faces of a hull are triangles: those in one plane are put together, and the edges between the
// others go around what is left.
#include "convex/polytope.h"

#include "base/vector.h"
#include "convex/hull.h"

#include <math.h>
#include <string.h>

static const double FLAT = 1e-9; // of the size: corners in one plane, and behind it

/// A hull on its way to faces with any number of corners.
typedef struct joining {
  const carom_hull *hull;
  int *face;   // which face a triangle is part of
  int *corner; // number of a hull's corner among those given
  int faces;
} joining;

static bool is_edge(const carom_hull *hull, int a, int b) {
  for (int k = 0; k < hull->edge_count; k++) {
    const int *e = hull->edges[k];
    if ((e[0] == a && e[1] == b) || (e[0] == b && e[1] == a)) return true;
  }
  return false;
}

// the triangle that has the corners a and b in this order; -1: there is none
static int triangle_with(const carom_hull *hull, int a, int b) {
  for (int k = 0; k < hull->face_count; k++)
    for (int i = 0; i < 3; i++)
      if (hull->faces[k][i] == a && hull->faces[k][(i + 1) % 3] == b) return k;
  return -1;
}

// spreads the number of a face over the triangles in its plane
static void spread_face(joining *it, int triangle, int number) {
  it->face[triangle] = number;
  for (bool more = true; more;) {
    more = false;
    for (int k = 0; k < it->hull->face_count; k++) {
      if (it->face[k] != number) continue;
      for (int i = 0; i < 3; i++) {
        int a = it->hull->faces[k][i], b = it->hull->faces[k][(i + 1) % 3];
        int other = is_edge(it->hull, a, b) ? -1 : triangle_with(it->hull, b, a);
        if (other < 0 || it->face[other] >= 0) continue;
        it->face[other] = number;
        more = true;
      }
    }
  }
}

// the corner that follows `from` around a face
static int next_around(const joining *it, int face, int from) {
  for (int k = 0; k < it->hull->face_count; k++)
    for (int i = 0; i < 3 && it->face[k] == face; i++) {
      int a = it->hull->faces[k][i], b = it->hull->faces[k][(i + 1) % 3];
      if (a == from && is_edge(it->hull, a, b)) return b;
    }
  return -1;
}

static int first_around(const joining *it, int face) {
  for (int k = 0; k < it->hull->face_count; k++)
    for (int i = 0; i < 3 && it->face[k] == face; i++) {
      int a = it->hull->faces[k][i], b = it->hull->faces[k][(i + 1) % 3];
      if (is_edge(it->hull, a, b)) return a;
    }
  return -1;
}

static void list_loops(const joining *it, carom_polytope *shape) {
  int at = 0, most = 2 * it->hull->edge_count;
  for (int f = 0; f < it->faces; f++) {
    int start = first_around(it, f), corner = start;
    shape->first[f] = at;
    do {
      shape->loop[at++] = it->corner[corner];
      corner = next_around(it, f, corner);
    } while (corner >= 0 && corner != start && at < most);
  }
  shape->first[it->faces] = at;
}

static void list_edges(const joining *it, carom_polytope *shape) {
  const carom_hull *hull = it->hull;
  for (int k = 0; k < hull->edge_count; k++) {
    int a = hull->edges[k][0], b = hull->edges[k][1];
    int left = triangle_with(hull, a, b), right = triangle_with(hull, b, a);
    shape->edges[k][0] = it->corner[a];
    shape->edges[k][1] = it->corner[b];
    shape->sides[k][0] = left >= 0 ? it->face[left] : 0;
    shape->sides[k][1] = right >= 0 ? it->face[right] : 0;
  }
}

static int find_corner(int count, const double (*corners)[3], const double wanted[3]) {
  for (int k = 0; k < count; k++)
    if (memcmp(corners[k], wanted, sizeof corners[k]) == 0) return k;
  return 0; // not reached: corners of a hull are points of it
}

static bool take_room(carom_arena *arena, carom_polytope *shape) {
  size_t corners = (size_t)shape->corner_count, faces = (size_t)shape->face_count,
         edges = (size_t)shape->edge_count;
  long failures = carom_arena_failures(arena);
  shape->corners = carom_arena_array(arena, corners, sizeof *shape->corners);
  shape->loop = carom_arena_array(arena, 2 * edges, sizeof *shape->loop);
  shape->first = carom_arena_array(arena, faces + 1, sizeof *shape->first);
  shape->normals = carom_arena_array(arena, faces, sizeof *shape->normals);
  shape->offsets = carom_arena_array(arena, faces, sizeof *shape->offsets);
  shape->edges = carom_arena_array(arena, edges, sizeof *shape->edges);
  shape->sides = carom_arena_array(arena, edges, sizeof *shape->sides);
  shape->along = carom_arena_array(arena, edges, sizeof *shape->along);
  shape->lengths = carom_arena_array(arena, edges, sizeof *shape->lengths);
  return carom_arena_failures(arena) == failures;
}

carom_status carom_polytope_make(carom_arena *arena, int count, const double (*corners)[3],
                                 carom_place place, carom_polytope *shape, carom_error *error) {
  carom_hull hull;
  carom_status status = carom_hull_make(arena, count, corners, FLAT, 0, place, &hull, error);
  if (status != CAROM_OK) return status;
  joining it = {.hull = &hull,
                .face = carom_arena_array(arena, (size_t)hull.face_count, sizeof *it.face),
                .corner = carom_arena_array(arena, (size_t)hull.corner_count, sizeof *it.corner)};
  if (!it.face || !it.corner) return carom_fail_memory(error);
  for (int k = 0; k < hull.corner_count; k++)
    it.corner[k] = find_corner(count, corners, hull.corners[k]);
  for (int k = 0; k < hull.face_count; k++)
    it.face[k] = -1;
  for (int k = 0; k < hull.face_count; k++)
    if (it.face[k] < 0) spread_face(&it, k, it.faces++);
  *shape = (carom_polytope){
      .corner_count = count, .face_count = it.faces, .edge_count = hull.edge_count};
  if (!take_room(arena, shape)) return carom_fail_memory(error);
  memcpy(shape->corners, corners, (size_t)count * sizeof *corners);
  list_loops(&it, shape);
  list_edges(&it, shape);
  if (carom_polytope_measure(shape)) return CAROM_OK;
  return carom_fail_at(error, CAROM_ERR_INPUT, place, "the corners do not make a convex body");
}

// the normal of a face with many corners (Newell), and its mean distance
static bool measure_face(carom_polytope *shape, int f) {
  double *n = shape->normals[f];
  int first = shape->first[f], count = shape->first[f + 1] - first;
  memset(n, 0, 3 * sizeof *n);
  for (int k = 0; k < count; k++) {
    const double *a = shape->corners[shape->loop[first + k]],
                 *b = shape->corners[shape->loop[first + (k + 1) % count]];
    for (int i = 0; i < 3; i++) {
      int j = (i + 1) % 3, l = (i + 2) % 3;
      n[i] += (a[j] - b[j]) * (a[l] + b[l]);
    }
  }
  double length = carom_v3_length(n), sum = 0.0;
  if (!(length > 0.0)) return false;
  for (int k = 0; k < 3; k++)
    n[k] /= length;
  for (int k = 0; k < count; k++)
    sum += carom_v3_dot(n, shape->corners[shape->loop[first + k]]);
  shape->offsets[f] = sum / count;
  return true;
}

static bool measure_edge(carom_polytope *shape, int e) {
  double *u = shape->along[e];
  carom_v3_difference(shape->corners[shape->edges[e][1]], shape->corners[shape->edges[e][0]], u);
  shape->lengths[e] = carom_v3_length(u);
  for (int k = 0; k < 3; k++)
    u[k] /= shape->lengths[e];
  return shape->lengths[e] > 0.0;
}

bool carom_polytope_measure(carom_polytope *shape) {
  bool good = true;
  shape->reach = 0.0;
  shape->width = HUGE_VAL;
  for (int k = 0; k < shape->corner_count; k++)
    shape->reach = fmax(shape->reach, carom_v3_length(shape->corners[k]));
  for (int f = 0; f < shape->face_count && good; f++) {
    double deepest = 0.0;
    good = measure_face(shape, f);
    for (int k = 0; k < shape->corner_count && good; k++) {
      double height = carom_v3_dot(shape->normals[f], shape->corners[k]) - shape->offsets[f];
      good = height <= 16.0 * FLAT * shape->reach;
      deepest = fmin(deepest, height);
    }
    shape->width = fmin(shape->width, -deepest);
  }
  for (int e = 0; e < shape->edge_count && good; e++)
    good = measure_edge(shape, e);
  return good && shape->width > 0.0;
}

bool carom_polytope_copy(carom_polytope *copy, carom_arena *arena, const carom_polytope *shape) {
  *copy = *shape;
  size_t corners = (size_t)shape->corner_count, faces = (size_t)shape->face_count,
         edges = (size_t)shape->edge_count;
  copy->corners = carom_arena_array(arena, corners, sizeof *copy->corners);
  copy->normals = carom_arena_array(arena, faces, sizeof *copy->normals);
  copy->offsets = carom_arena_array(arena, faces, sizeof *copy->offsets);
  copy->along = carom_arena_array(arena, edges, sizeof *copy->along);
  copy->lengths = carom_arena_array(arena, edges, sizeof *copy->lengths);
  return copy->corners && copy->normals && copy->offsets && copy->along && copy->lengths;
}

int carom_polytope_widest_face(const carom_polytope *shape) {
  int most = 0;
  for (int f = 0; f < shape->face_count; f++) {
    int count = shape->first[f + 1] - shape->first[f];
    most = count > most ? count : most;
  }
  return most;
}

bool carom_posed_init(carom_posed *posed, carom_arena *arena, const carom_polytope *shape) {
  *posed = (carom_posed){.shape = shape};
  posed->corners = carom_arena_array(arena, (size_t)shape->corner_count, sizeof *posed->corners);
  posed->normals = carom_arena_array(arena, (size_t)shape->face_count, sizeof *posed->normals);
  posed->along = carom_arena_array(arena, (size_t)shape->edge_count, sizeof *posed->along);
  return posed->corners && posed->normals && posed->along;
}

void carom_posed_put(carom_posed *posed, const double place[3], const double turn[9]) {
  const carom_polytope *shape = posed->shape;
  memcpy(posed->place, place, sizeof posed->place);
  memcpy(posed->turn, turn, sizeof posed->turn);
  for (int k = 0; k < shape->corner_count; k++) {
    carom_m3_times(turn, shape->corners[k], posed->corners[k]);
    carom_v3_add(1.0, place, posed->corners[k]);
  }
  for (int k = 0; k < shape->face_count; k++)
    carom_m3_times(turn, shape->normals[k], posed->normals[k]);
  for (int k = 0; k < shape->edge_count; k++)
    carom_m3_times(turn, shape->along[k], posed->along[k]);
}
