// SPDX-License-Identifier: MIT
// Bodies that are hulls of points: those of a mesh in a file, and polyhedra whose corners are
// numbers. What follows from the points is computed here, and stands in the scenario as numbers.
#include "bodies/body_writer.h"
#include "bodies/mesh_file.h"
#include "convex/hull.h"

#include <math.h>
#include <string.h>

// files have numbers of single precision, or of six digits; what a person writes is meant exactly
static const double FILE_TOLERANCE = 1e-6, WRITTEN_TOLERANCE = 1e-10;

static const char *write_number(carom_texts *texts, double value) {
  if (value == 0.0) return "0";
  return carom_say(texts, value < 0.0 ? "(%.17g)" : "%.17g", value);
}

// Volume, and the tensor of inertia for a mass of one. Products that rounding leaves are none.
static void fill_moments(carom_body_writer *w, const carom_body *body, const carom_hull *hull,
                         carom_body_filling *filling) {
  static const int order[3] = {5, 4, 3}; // yz, xz, xy
  carom_texts *texts = &w->texts;
  double whole = hull->inertia[0] + hull->inertia[1] + hull->inertia[2];
  filling->size =
      carom_body_derived(w, carom_body_named(w, body, "volume"), write_number(texts, hull->volume));
  for (int k = 0; k < 3; k++) {
    double product = hull->inertia[order[k]];
    filling->inertia.c[k] = write_number(texts, hull->inertia[k] / hull->volume);
    filling->products.c[k] =
        fabs(product) <= 1e-13 * whole ? NULL : write_number(texts, product / hull->volume);
  }
}

static void join_corners(carom_body *body, int a, int b) {
  body->corners[a].joined |= (uint64_t)1 << b;
  body->corners[b].joined |= (uint64_t)1 << a;
}

// corners of a hull, counted from a mass centre that need not be its own
static void take_corners(carom_body_writer *w, carom_body *body, const carom_hull *hull,
                         const double centre[3]) {
  if (!carom_body_make_corners(w, body, hull->corner_count)) return;
  for (int k = 0; k < hull->corner_count; k++)
    for (int i = 0; i < 3; i++)
      body->corners[k].local.c[i] = write_number(&w->texts, hull->corners[k][i] - centre[i]);
  for (int k = 0; k < hull->edge_count; k++)
    join_corners(body, hull->edges[k][0], hull->edges[k][1]);
}

// ---- files

static carom_status read_scale(const carom_body_writer *w, const carom_body *body, double *scale) {
  const carom_yaml *given = carom_yaml_get(body->map, "scale");
  *scale = 1.0;
  if (!given || (carom_body_literal(given, scale) && *scale > 0.0 && isfinite(*scale)))
    return CAROM_OK;
  return carom_body_fail(w, given, "bodies.%s.scale is a plain number above 0", body->name);
}

// 0: all of them
static carom_status read_most(const carom_body_writer *w, const carom_body *body, int *most) {
  const carom_yaml *given = carom_yaml_get(body->map, "corners");
  double count;
  *most = 0;
  if (!given) return CAROM_OK;
  if (!carom_body_literal(given, &count) || !(count >= 4.0 && count <= CAROM_BODY_MOST_CORNERS) ||
      count != floor(count))
    return carom_body_fail(w, given, "bodies.%s.corners is a whole number from 4 to %d", body->name,
                           CAROM_BODY_MOST_CORNERS);
  *most = (int)count;
  return CAROM_OK;
}

static carom_status read_mesh(carom_body_writer *w, const carom_body *body, const carom_yaml *value,
                              carom_mesh *mesh) {
  const char *path, *bytes;
  size_t length;
  double scale;
  if (value->kind != CAROM_YAML_SCALAR || !value->text[0])
    return carom_body_fail(w, value, "bodies.%s.hull is the name of a file .stl or .obj",
                           body->name);
  carom_status status = read_scale(w, body, &scale);
  if (status == CAROM_OK)
    status = carom_document_open_bytes(w->document, value->text, value->place, CAROM_MESH_LARGEST,
                                       &path, &bytes, &length, w->error);
  if (status == CAROM_OK)
    status = carom_mesh_read(w->texts.arena, path, bytes, length, mesh, w->error);
  for (int k = 0; status == CAROM_OK && k < mesh->count; k++)
    for (int i = 0; i < 3; i++)
      mesh->points[k][i] *= scale;
  return status;
}

carom_status carom_body_read_hull(carom_body_writer *w, carom_body *body, const carom_yaml *value,
                                  carom_body_filling *filling) {
  carom_mesh mesh;
  carom_hull hull, fewer;
  int most;
  if (!w->space)
    return carom_body_fail(w, value, "a hull is a shape in space; in the plane there is polygon");
  carom_status status = read_most(w, body, &most);
  if (status == CAROM_OK) status = read_mesh(w, body, value, &mesh);
  if (status == CAROM_OK)
    status = carom_hull_make(w->texts.arena, mesh.count, (const double(*)[3])mesh.points,
                             FILE_TOLERANCE, 0, value->place, &hull, w->error);
  if (status != CAROM_OK) return status;
  fill_moments(w, body, &hull, filling);
  fewer = hull;
  if (most && most < hull.corner_count)
    status = carom_hull_make(w->texts.arena, hull.corner_count, (const double(*)[3])hull.corners,
                             FILE_TOLERANCE, most, value->place, &fewer, w->error);
  if (status != CAROM_OK) return status;
  if (fewer.corner_count > CAROM_BODY_MOST_CORNERS)
    return carom_body_fail(w, value,
                           "the hull of '%s' has %d corners, and a body touches with at most %d: "
                           "`corners: 32` takes those that lie farthest out",
                           value->text, fewer.corner_count, CAROM_BODY_MOST_CORNERS);
  take_corners(w, body, &fewer, hull.centre);
  return CAROM_OK;
}

// ---- polyhedra

// the corners as numbers; false: some are expressions
static bool read_numbers(const carom_yaml *list, double (*points)[3]) {
  for (int k = 0; k < list->count; k++)
    for (int i = 0; i < 3; i++)
      if (!carom_body_literal(list->values[k]->values[i], &points[k][i]) || !isfinite(points[k][i]))
        return false;
  return true;
}

static int find_point(const double (*points)[3], int count, const double wanted[3]) {
  for (int k = 0; k < count; k++)
    if (points[k][0] == wanted[0] && points[k][1] == wanted[1] && points[k][2] == wanted[2])
      return k;
  return 0; // not reached: corners of a hull are points of it
}

carom_status carom_body_fill_polyhedron(carom_body_writer *w, carom_body *body,
                                        const carom_yaml *value, carom_body_filling *filling) {
  double points[CAROM_BODY_MOST_CORNERS][3];
  carom_hull hull;
  carom_error flat = {0};
  bool wanted = body->moves && !carom_yaml_get(body->map, "inertia");
  if (!w->space || w->texts.failed || !read_numbers(value, points)) return CAROM_OK;
  carom_status status =
      carom_hull_make(w->texts.arena, value->count, (const double(*)[3])points, WRITTEN_TOLERANCE,
                      0, value->place, &hull, wanted ? w->error : &flat);
  if (status != CAROM_OK) return wanted || status == CAROM_ERR_MEMORY ? status : CAROM_OK;
  for (int k = 0; k < hull.edge_count; k++)
    join_corners(
        body, find_point((const double(*)[3])points, value->count, hull.corners[hull.edges[k][0]]),
        find_point((const double(*)[3])points, value->count, hull.corners[hull.edges[k][1]]));
  if (!wanted) return CAROM_OK;
  fill_moments(w, body, &hull, filling);
  carom_text_vector centre =
      carom_vector(write_number(&w->texts, hull.centre[0]), write_number(&w->texts, hull.centre[1]),
                   write_number(&w->texts, hull.centre[2]));
  for (int k = 0; k < body->corner_count; k++)
    body->corners[k].local = carom_vector_difference(&w->texts, body->corners[k].local, centre);
  return CAROM_OK;
}
