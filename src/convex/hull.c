// SPDX-License-Identifier: MIT
// Quickhull (Barber, Dobkin and Huhdanpaa, The quickhull algorithm for convex hulls, 1996): the
// point that is farthest outside of any face becomes a corner, the faces it sees are replaced by a
// cone from it to their horizon. Faces are triangles; those in one plane are put together at the
// end, and what is then no corner is left out.
#include "convex/hull.h"

#include "base/vector.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NOBODY = -1, RETRIES = 3, COARSER = 8 };

typedef struct face {
  int at[3];     // counter-clockwise seen from outside
  int beside[3]; // the face across the edge from at[k] to at[k + 1]
  double normal[3], offset;
  int first, farthest; // of the points that are outside of it and of no face before
  double distance;     // of the farthest
  bool alive;
} face;

typedef struct horizon_edge {
  int from, to, beyond; // the face behind it, which stays
} horizon_edge;

/// A hull while it is made.
typedef struct maker {
  carom_arena *arena;
  const double (*points)[3];
  int count;
  double near; // a distance that is none
  int *next;   // the next point outside of the same face
  face *faces;
  int face_count, face_capacity;
  int alive; // faces in use
  int *seen; // faces that the new corner sees, and a stack for finding them
  int seen_count, seen_capacity;
  horizon_edge *edges;
  int edge_count, edge_capacity;
  int *made_from; // the new face whose edge begins at this point; NOBODY
  int *now;       // new numbers of faces
  int now_room;
} maker;

typedef enum outcome { DONE, FLAT_LINE, FLAT_PLANE, ONE_PLACE, TANGLED, NO_MEMORY } outcome;

static double height_above(const maker *m, const face *f, int point) {
  return carom_v3_dot(f->normal, m->points[point]) - f->offset;
}

// ---- faces

// the plane through three points, its offset such that their mean lies in it
static void set_plane(const maker *m, face *f) {
  const double *a = m->points[f->at[0]], *b = m->points[f->at[1]], *c = m->points[f->at[2]];
  double ab[3], ac[3], mean[3];
  carom_v3_difference(b, a, ab);
  carom_v3_difference(c, a, ac);
  carom_v3_cross(ab, ac, f->normal);
  double size = carom_v3_length(f->normal);
  for (int k = 0; k < 3; k++) {
    f->normal[k] = size > 0.0 ? f->normal[k] / size : 0.0;
    mean[k] = (a[k] + b[k] + c[k]) / 3.0;
  }
  f->offset = carom_v3_dot(f->normal, mean);
}

static int add_face(maker *m, int a, int b, int c) {
  if (!carom_arena_grow(m->arena, (void **)&m->faces, m->face_count, &m->face_capacity,
                        sizeof *m->faces))
    return NOBODY;
  face *f = &m->faces[m->face_count];
  *f = (face){.at = {a, b, c},
              .beside = {NOBODY, NOBODY, NOBODY},
              .first = NOBODY,
              .farthest = NOBODY,
              .alive = true};
  set_plane(m, f);
  m->alive++;
  return m->face_count++;
}

static void put_outside(maker *m, face *f, int point, double distance) {
  m->next[point] = f->first;
  f->first = point;
  if (f->farthest != NOBODY && distance <= f->distance) return;
  f->farthest = point;
  f->distance = distance;
}

// gives a point to the face from `first` on that it is farthest outside of
static void place_point(maker *m, int first, int point) {
  int best = NOBODY;
  double distance = m->near;
  for (int k = first; k < m->face_count; k++) {
    double d = height_above(m, &m->faces[k], point);
    if (!(d > distance)) continue;
    distance = d;
    best = k;
  }
  if (best != NOBODY) put_outside(m, &m->faces[best], point, distance);
}

// ---- the first four corners

static int farthest_from_point(const maker *m, int a, double *distance) {
  int best = a;
  *distance = 0.0;
  for (int k = 0; k < m->count; k++) {
    double d[3];
    carom_v3_difference(m->points[k], m->points[a], d);
    if (carom_v3_length(d) <= *distance) continue;
    *distance = carom_v3_length(d);
    best = k;
  }
  return best;
}

static int farthest_from_line(const maker *m, int a, int b, double *distance) {
  double along[3], d[3], across[3];
  int best = a;
  carom_v3_difference(m->points[b], m->points[a], along);
  double size = carom_v3_length(along);
  *distance = 0.0;
  for (int k = 0; k < m->count; k++) {
    carom_v3_difference(m->points[k], m->points[a], d);
    carom_v3_cross(along, d, across);
    if (carom_v3_length(across) / size <= *distance) continue;
    *distance = carom_v3_length(across) / size;
    best = k;
  }
  return best;
}

static int farthest_from_plane(const maker *m, const face *f, double *distance) {
  int best = f->at[0];
  *distance = 0.0;
  for (int k = 0; k < m->count; k++) {
    double d = fabs(height_above(m, f, k));
    if (d <= *distance) continue;
    *distance = d;
    best = k;
  }
  return best;
}

static void join_tetrahedron(maker *m) {
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 3; k++)
      for (int j = 0; j < 4; j++)
        for (int l = 0; l < 3; l++)
          if (m->faces[j].at[l] == m->faces[i].at[(k + 1) % 3] &&
              m->faces[j].at[(l + 1) % 3] == m->faces[i].at[k])
            m->faces[i].beside[k] = j;
}

static outcome begin_hull(maker *m) {
  double size, width, height;
  int far = farthest_from_point(m, 0, &size), a = farthest_from_point(m, far, &size);
  if (!(size > 0.0)) return ONE_PLACE;
  m->near *= size;
  int b = far, c = farthest_from_line(m, a, b, &width);
  if (width <= m->near) return FLAT_LINE;
  face base = {.at = {a, b, c}};
  set_plane(m, &base);
  int d = farthest_from_plane(m, &base, &height);
  if (height <= m->near) return FLAT_PLANE;
  if (height_above(m, &base, d) > 0.0) { // the fourth corner is below
    int swap = b;
    b = c;
    c = swap;
  }
  int made[4] = {add_face(m, a, b, c), add_face(m, b, a, d), add_face(m, c, b, d),
                 add_face(m, a, c, d)};
  for (int k = 0; k < 4; k++)
    if (made[k] == NOBODY) return NO_MEMORY;
  join_tetrahedron(m);
  for (int k = 0; k < m->count; k++)
    if (k != a && k != b && k != c && k != d) place_point(m, 0, k);
  return DONE;
}

// ---- one more corner

static bool push_seen(maker *m, int f) {
  if (!carom_arena_grow(m->arena, (void **)&m->seen, m->seen_count, &m->seen_capacity,
                        sizeof *m->seen))
    return false;
  m->seen[m->seen_count++] = f;
  m->faces[f].alive = false;
  m->alive--;
  return true;
}

static bool push_edge(maker *m, horizon_edge edge) {
  if (!carom_arena_grow(m->arena, (void **)&m->edges, m->edge_count, &m->edge_capacity,
                        sizeof *m->edges))
    return false;
  m->edges[m->edge_count++] = edge;
  return true;
}

// the faces that a point sees, from one of them on, and the edges around them
static bool look_around(maker *m, int start, int point) {
  m->seen_count = m->edge_count = 0;
  if (!push_seen(m, start)) return false;
  for (int k = 0; k < m->seen_count; k++)
    for (int i = 0; i < 3; i++) {
      int beyond = m->faces[m->seen[k]].beside[i];
      if (m->faces[beyond].alive && height_above(m, &m->faces[beyond], point) > m->near &&
          !push_seen(m, beyond))
        return false;
    }
  for (int k = 0; k < m->seen_count; k++)
    for (int i = 0; i < 3; i++) {
      const face *f = &m->faces[m->seen[k]];
      if (m->faces[f->beside[i]].alive &&
          !push_edge(m, (horizon_edge){f->at[i], f->at[(i + 1) % 3], f->beside[i]}))
        return false;
    }
  return true;
}

// The cone over the horizon, which must go round once: a corner on it twice is a sign that rounding
// has taken over.
static outcome build_cone(maker *m, int point) {
  int first = m->face_count;
  outcome is = DONE;
  for (int k = 0; k < m->edge_count && is == DONE; k++) {
    horizon_edge edge = m->edges[k];
    int made = add_face(m, edge.from, edge.to, point);
    if (made == NOBODY) return NO_MEMORY;
    if (m->made_from[edge.from] != NOBODY) is = TANGLED;
    m->made_from[edge.from] = made;
    m->faces[made].beside[0] = edge.beyond;
    for (int i = 0; i < 3; i++)
      if (m->faces[edge.beyond].at[i] == edge.to) m->faces[edge.beyond].beside[i] = made;
  }
  for (int k = first; k < m->face_count && is == DONE; k++) {
    int after = m->made_from[m->faces[k].at[1]];
    if (after == NOBODY) return TANGLED;
    m->faces[k].beside[1] = after;
    m->faces[after].beside[2] = k;
  }
  for (int k = 0; k < m->edge_count; k++)
    m->made_from[m->edges[k].from] = NOBODY;
  return is;
}

static outcome add_corner(maker *m, int from) {
  int point = m->faces[from].farthest, first = m->face_count;
  if (!look_around(m, from, point)) return NO_MEMORY;
  outcome is = build_cone(m, point);
  if (is != DONE) return is;
  for (int k = 0; k < m->seen_count; k++)
    for (int p = m->faces[m->seen[k]].first; p != NOBODY;) {
      int next = m->next[p];
      if (p != point) place_point(m, first, p);
      p = next;
    }
  return DONE;
}

static int farthest_face(const maker *m) {
  int best = NOBODY;
  for (int k = 0; k < m->face_count; k++) {
    const face *f = &m->faces[k];
    if (f->alive && f->farthest != NOBODY &&
        (best == NOBODY || f->distance > m->faces[best].distance))
      best = k;
  }
  return best;
}

// faces that are gone make room, so that looking for the farthest point stays quick
static bool close_ranks(maker *m) {
  int kept = 0;
  if (m->face_count < 2 * m->alive + 64) return true;
  if (m->now_room < m->face_count) {
    m->now_room = 2 * m->face_count;
    m->now = carom_arena_array(m->arena, (size_t)m->now_room, sizeof *m->now);
    if (!m->now) return false;
  }
  for (int k = 0; k < m->face_count; k++)
    m->now[k] = m->faces[k].alive ? kept++ : NOBODY;
  for (int k = 0; k < m->face_count; k++) {
    face f = m->faces[k];
    if (!f.alive) continue;
    for (int i = 0; i < 3; i++)
      f.beside[i] = m->now[f.beside[i]];
    m->faces[m->now[k]] = f;
  }
  m->face_count = kept;
  return true;
}

// ---- corners and faces of what has been made

// are two neighbours in one plane?
static bool is_even(const maker *m, const face *f, const face *g) {
  for (int k = 0; k < 3; k++)
    if (fabs(height_above(m, f, g->at[k])) > 2.0 * m->near ||
        fabs(height_above(m, g, f->at[k])) > 2.0 * m->near)
      return false;
  return carom_v3_dot(f->normal, g->normal) > 0.0;
}

// the number of the plane of each face; false: out of memory
static bool number_planes(maker *m, int *plane) {
  int *stack = carom_arena_array(m->arena, (size_t)m->face_count + 1, sizeof *stack), planes = 0;
  if (!stack) return false;
  for (int k = 0; k < m->face_count; k++)
    plane[k] = NOBODY;
  for (int k = 0; k < m->face_count; k++) {
    if (!m->faces[k].alive || plane[k] != NOBODY) continue;
    int waiting = 0;
    plane[k] = planes++;
    for (stack[waiting++] = k; waiting > 0;) {
      int f = stack[--waiting];
      for (int i = 0; i < 3; i++) {
        int g = m->faces[f].beside[i];
        if (plane[g] != NOBODY || !is_even(m, &m->faces[f], &m->faces[g])) continue;
        plane[g] = plane[k];
        stack[waiting++] = g;
      }
    }
  }
  return true;
}

// corners have at least three planes: a walk around a point from one face to the next counts
static int planes_around(const maker *m, const int *plane, int f, int point) {
  int changes = 0, at = f;
  do {
    int i = 0;
    while (m->faces[at].at[i] != point)
      i++;
    int beside = m->faces[at].beside[i];
    if (plane[beside] != plane[at]) changes++;
    at = beside;
  } while (at != f);
  return changes;
}

// marks the points that are corners; returns how many
static int mark_corners(const maker *m, const int *plane, int *number) {
  int corners = 0;
  for (int k = 0; k < m->count; k++)
    number[k] = NOBODY;
  for (int f = 0; f < m->face_count; f++)
    for (int i = 0; m->faces[f].alive && i < 3; i++) {
      int point = m->faces[f].at[i];
      if (number[point] != NOBODY || planes_around(m, plane, f, point) < 3) continue;
      number[point] = 1;
    }
  for (int k = 0; k < m->count; k++)
    if (number[k] != NOBODY) number[k] = corners++;
  return corners;
}

// ---- the whole

static outcome run_points(maker *m, int most) {
  m->next = carom_arena_array(m->arena, (size_t)m->count, sizeof *m->next);
  m->made_from = carom_arena_array(m->arena, (size_t)m->count, sizeof *m->made_from);
  if (!m->next || !m->made_from) return NO_MEMORY;
  for (int k = 0; k < m->count; k++)
    m->made_from[k] = NOBODY;
  outcome is = begin_hull(m);
  for (int corners = 4; is == DONE && corners < most; corners++) {
    if (!close_ranks(m)) return NO_MEMORY;
    int from = farthest_face(m);
    if (from == NOBODY) break;
    is = add_corner(m, from);
  }
  return is;
}

// How far the farthest point is outside of any face; of very many points some are asked, evenly.
static double farthest_out(const maker *m, int count, const double (*points)[3]) {
  const double most_asked = 1e8;
  int stride = 1 + (int)((double)count * m->alive / most_asked);
  double far = 0.0;
  for (int f = 0; f < m->face_count; f++)
    for (int k = 0; m->faces[f].alive && k < count; k += stride) {
      double d = carom_v3_dot(m->faces[f].normal, points[k]) - m->faces[f].offset;
      far = d > far ? d : far;
    }
  return far;
}

static int by_place(const void *a, const void *b) {
  const double *p = a, *q = b;
  for (int k = 0; k < 3; k++)
    if (p[k] != q[k]) return p[k] < q[k] ? -1 : 1;
  return 0;
}

// Tetrahedra over the triangles, from the first corner: for a, b, c seen from there the integral of
// x_i x_j is det/120 (s_i s_j + a_i a_j + b_i b_j + c_i c_j), with s = a + b + c.
static void fill_moments(carom_hull *hull) {
  double volume = 0.0, first[3] = {0}, second[3][3] = {{0}};
  const double *origin = hull->corners[0];
  for (int f = 0; f < hull->face_count; f++) {
    double p[4][3], normal[3];
    for (int k = 0; k < 3; k++)
      carom_v3_difference(hull->corners[hull->faces[f][k]], origin, p[k]);
    carom_v3_cross(p[1], p[2], normal);
    double det = carom_v3_dot(p[0], normal);
    for (int i = 0; i < 3; i++)
      p[3][i] = p[0][i] + p[1][i] + p[2][i];
    volume += det / 6.0;
    for (int i = 0; i < 3; i++) {
      first[i] += det / 24.0 * p[3][i];
      for (int j = 0; j < 3; j++)
        for (int k = 0; k < 4; k++)
          second[i][j] += det / 120.0 * (p[k][i] * p[k][j]);
    }
  }
  hull->volume = volume;
  for (int i = 0; i < 3; i++) {
    first[i] /= volume;
    hull->centre[i] = origin[i] + first[i];
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      second[i][j] -= volume * first[i] * first[j];
  for (int i = 0; i < 3; i++)
    hull->inertia[i] = second[(i + 1) % 3][(i + 1) % 3] + second[(i + 2) % 3][(i + 2) % 3];
  hull->inertia[3] = -second[0][1];
  hull->inertia[4] = -second[0][2];
  hull->inertia[5] = -second[1][2];
}

// the corners of a hull that has been made
static double (*take_corners(maker *m, int *count))[3] {
  int *plane = carom_arena_array(m->arena, (size_t)m->face_count, sizeof *plane);
  int *number = carom_arena_array(m->arena, (size_t)m->count, sizeof *number);
  if (!plane || !number || !number_planes(m, plane)) return NULL;
  *count = mark_corners(m, plane, number);
  double(*corners)[3] = carom_arena_array(m->arena, (size_t)*count + 1, sizeof *corners);
  for (int k = 0; corners && k < m->count; k++)
    if (number[k] != NOBODY) memcpy(corners[number[k]], m->points[k], sizeof *corners);
  return corners;
}

static outcome take_faces(maker *m, carom_hull *hull) {
  int *plane = carom_arena_array(m->arena, (size_t)m->face_count, sizeof *plane);
  hull->faces = carom_arena_array(m->arena, (size_t)m->alive, sizeof *hull->faces);
  hull->edges = carom_arena_array(m->arena, (size_t)m->alive * 3 / 2 + 1, sizeof *hull->edges);
  if (!plane || !hull->faces || !hull->edges || !number_planes(m, plane)) return NO_MEMORY;
  for (int f = 0; f < m->face_count; f++) {
    const face *is = &m->faces[f];
    if (!is->alive) continue;
    memcpy(hull->faces[hull->face_count++], is->at, sizeof *hull->faces);
    for (int i = 0; i < 3; i++) {
      int a = is->at[i], b = is->at[(i + 1) % 3];
      if (a > b || plane[is->beside[i]] == plane[f]) continue;
      memcpy(hull->edges[hull->edge_count++], (int[2]){a, b}, sizeof *hull->edges);
    }
  }
  return DONE;
}

// Twice: of all points, and of those that have turned out to be corners, whose faces have no
// others on them. What is outside by more than the tolerances allow shows a tangle.
static outcome make_hull(maker *m, int most, double tolerance, carom_hull *hull) {
  int all = m->count;
  const double(*points)[3] = m->points;
  m->near = tolerance;
  outcome is = run_points(m, most ? most : CAROM_HULL_MOST + 1);
  if (is != DONE) return is;
  int count = 0;
  double near = m->near, (*corners)[3] = take_corners(m, &count);
  if (!corners) return NO_MEMORY;
  int outside = farthest_face(m); // where it was to end with fewer corners
  maker again = {.arena = m->arena, .points = (const double(*)[3])corners, .count = count};
  again.near = tolerance / 64.0;
  if (count < 4) return TANGLED;
  is = run_points(&again, count);
  if (is != DONE) return is == NO_MEMORY ? is : TANGLED;
  *hull = (carom_hull){.corner_count = count,
                       .corners = corners,
                       .left = outside == NOBODY ? 0.0 : m->faces[outside].distance};
  if (farthest_out(&again, all, points) > hull->left + 4.0 * near) return TANGLED;
  is = take_faces(&again, hull);
  // each has three edges, shared by two: Euler's formula for triangles
  if (is == DONE && hull->face_count != 2 * count - 4) is = TANGLED;
  if (is == DONE) fill_moments(hull);
  return is == DONE && !(hull->volume > 0.0) ? TANGLED : is;
}

// finite, sorted, each place once
static int sort_out(int count, double (*sorted)[3]) {
  int kept = 0;
  qsort(sorted, (size_t)count, sizeof *sorted, by_place);
  for (int k = 0; k < count; k++)
    if (kept == 0 || by_place(sorted[kept - 1], sorted[k]) != 0)
      memmove(sorted[kept++], sorted[k], sizeof *sorted);
  return kept;
}

carom_status carom_hull_make(carom_arena *arena, int count, const double (*points)[3],
                             double tolerance, int most, carom_place place, carom_hull *hull,
                             carom_error *error) {
  static const char *const flat[] = {[ONE_PLACE] = "lie at one place",
                                     [FLAT_LINE] = "lie on one line",
                                     [FLAT_PLANE] = "lie in one plane"};
  assert(tolerance > 0.0 && (most == 0 || most > 3));
  double(*sorted)[3] = carom_arena_array(arena, (size_t)count + 1, sizeof *sorted);
  if (!sorted) return carom_fail_memory(error);
  for (int k = 0; k < count; k++)
    for (int i = 0; i < 3; i++) {
      sorted[k][i] = points[k][i] + 0.0; // one zero, without a sign
      if (!isfinite(points[k][i]))
        return carom_fail_at(error, CAROM_ERR_INPUT, place, "point %d of %d is not finite", k + 1,
                             count);
    }
  count = count > 0 ? sort_out(count, sorted) : 0;
  outcome is = count < 1 ? ONE_PLACE : TANGLED;
  for (int k = 0; k <= RETRIES && is == TANGLED; k++) {
    maker m = {.arena = arena, .points = (const double(*)[3])sorted, .count = count};
    is = make_hull(&m, most, tolerance, hull);
    tolerance *= COARSER;
  }
  if (is == NO_MEMORY) return carom_fail_memory(error);
  if (is == TANGLED)
    return carom_fail_at(error, CAROM_ERR_INPUT, place,
                         "the hull of these %d points cannot be made: rounding hides what is "
                         "inside and what is outside",
                         count);
  if (is != DONE)
    return carom_fail_at(error, CAROM_ERR_INPUT, place, "the %d points %s: they have no volume",
                         count, flat[is]);
  if (!most && hull->corner_count > CAROM_HULL_MOST)
    return carom_fail_at(error, CAROM_ERR_LIMIT, place, "more than %d points are corners",
                         CAROM_HULL_MOST);
  return CAROM_OK;
}
