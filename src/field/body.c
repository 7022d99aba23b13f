// SPDX-License-Identifier: MIT
// Making bodies: corners, pieces, faces and their names.
#include "field/body.h"

#include "base/elementary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_round(carom_body_shape shape) {
  return shape == CAROM_BODY_DISC || shape == CAROM_BODY_CYLINDER || shape == CAROM_BODY_SPHERE;
}

static bool is_plane(carom_body_shape shape) {
  return shape == CAROM_BODY_DISC || shape == CAROM_BODY_POLYGON;
}

carom_status carom_body_init(carom_body *body, carom_arena *arena, carom_body_shape shape,
                             int vertices, carom_error *error) {
  int pieces = is_round(shape) ? 0 : is_plane(shape) ? vertices : 2 * vertices;
  *body = (carom_body){.shape = shape,
                       .dimension = is_plane(shape) ? 2 : 3,
                       .vertex_room = vertices,
                       .piece_room = pieces};
  body->vertex = carom_arena_array(arena, (size_t)vertices, sizeof *body->vertex);
  body->piece = carom_arena_array(arena, (size_t)pieces, sizeof *body->piece);
  return body->vertex && body->piece ? CAROM_OK : carom_fail_memory(error);
}

// ---- polygons

static double turn_at(const double *a, const double *b, const double *c) {
  return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
}

// counter-clockwise and convex; side k runs from corner k to the next
static bool make_sides(carom_body *body) {
  int n = body->vertex_count;
  if (n < 3) return false;
  double sum = 0.0, around = 0.0;
  for (int k = 0; k < n; k++) {
    const double *a = body->vertex[k], *b = body->vertex[(k + 1) % n];
    const double *c = body->vertex[(k + 2) % n];
    double t = turn_at(a, b, c),
           length = sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]));
    if (!(t > 0.0) || !(length > 0.0)) return false;
    around += carom_atan2(t, (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]));
    body->piece[k] = (carom_piece){.corner = {k, (k + 1) % n, 0},
                                   .face = k,
                                   .size = length,
                                   .normal = {(b[1] - a[1]) / length, (a[0] - b[0]) / length, 0.0}};
    sum += length;
  }
  body->piece_count = body->face_count = n;
  body->area = sum;
  return around < 7.0; // once around, no star
}

static void reverse_vertices(carom_body *body) {
  for (int i = 0, j = body->vertex_count - 1; i < j; i++, j--)
    for (int k = 0; k < 3; k++) {
      double kept = body->vertex[i][k];
      body->vertex[i][k] = body->vertex[j][k];
      body->vertex[j][k] = kept;
    }
}

// ---- round bodies

static void make_round(carom_body *body) {
  const double pi = 3.14159265358979323846;
  double r = body->radius, l = body->length;
  if (body->shape == CAROM_BODY_DISC) {
    body->area = 2.0 * pi * r;
    body->face_count = 1;
  } else if (body->shape == CAROM_BODY_SPHERE) {
    body->area = 4.0 * pi * r * r;
    body->face_count = 1;
  } else {
    body->area = 2.0 * pi * r * (l + r);
    body->face_count = 3;
  }
}

// ---- all

static carom_status check_body(const carom_body *body, carom_error *error) {
  if (!(body->volume > 0.0) || !isfinite(body->volume))
    return carom_fail(error, CAROM_ERR_INPUT, "the body has no volume");
  if (!(body->mass > 0.0) || !isfinite(body->mass))
    return carom_fail(error, CAROM_ERR_INPUT, "the mass of the body is %g; it must be positive",
                      body->mass);
  return CAROM_OK;
}

carom_status carom_body_make(carom_body *body, const carom_body_numbers *numbers,
                             carom_error *error) {
  if (numbers->vertex_count > body->vertex_room)
    return carom_fail(error, CAROM_ERR_ARGUMENT, "more corners than there is room for");
  body->vertex_count = numbers->vertex_count;
  for (int v = 0; v < body->vertex_count; v++)
    for (int k = 0; k < 3; k++)
      body->vertex[v][k] = numbers->vertices[v][k];
  body->radius = numbers->radius;
  body->length = numbers->length;
  if (is_round(body->shape)) {
    bool good = body->radius > 0.0 && (body->shape != CAROM_BODY_CYLINDER || body->length > 0.0);
    if (!good)
      return carom_fail(error, CAROM_ERR_INPUT, "the body's radius or length is not positive");
    make_round(body);
  } else if (body->shape == CAROM_BODY_POLYGON) {
    bool good = make_sides(body);
    if (!good) reverse_vertices(body);
    if (!good && !make_sides(body))
      return carom_fail(error, CAROM_ERR_INPUT,
                        "the corners do not make a convex polygon in order");
  } else if (!carom_body_hull(body)) {
    return carom_fail(error, CAROM_ERR_INPUT,
                      "the corners do not make a convex polyhedron: they lie in a plane, or one of "
                      "them is not a corner");
  }
  carom_body_weigh(body, numbers);
  carom_status status = check_body(body, error);
  if (status) return status;
  // from here on places are measured from the mass centre
  for (int v = 0; v < body->vertex_count; v++)
    for (int k = 0; k < 3; k++)
      body->vertex[v][k] -= body->centre[k];
  for (int k = 0; k < 3; k++)
    body->middle[k] = -body->centre[k];
  return CAROM_OK;
}

// the face whose normal points along an axis
static int face_along(const carom_body *body, int axis, double sign) {
  for (int p = 0; p < body->piece_count; p++)
    if (sign * body->piece[p].normal[axis] > 0.999999) return body->piece[p].face;
  return -1;
}

int carom_body_face(const carom_body *body, const char *name) {
  static const struct {
    const char *name;
    int axis2, axis3;
    double sign;
  } sides[] = {{"bottom", 1, 2, -1.0}, {"top", 1, 2, 1.0},     {"left", 0, 0, -1.0},
               {"right", 0, 0, 1.0},   {"front", -1, 1, -1.0}, {"back", -1, 1, 1.0}};
  static const char *const round[] = {"side", "bottom", "top"};
  if (is_round(body->shape)) {
    for (int k = 0; k < body->face_count && k < 3; k++)
      if (strcmp(name, round[k]) == 0) return k;
    return -1;
  }
  for (size_t k = 0; k < sizeof sides / sizeof *sides; k++) {
    int axis = body->dimension == 2 ? sides[k].axis2 : sides[k].axis3;
    if (strcmp(name, sides[k].name) == 0)
      return axis < 0 ? -1 : face_along(body, axis, sides[k].sign);
  }
  char *end = NULL;
  long number = strtol(name, &end, 10);
  return end != name && !*end && number >= 1 && number <= body->face_count ? (int)number - 1 : -1;
}
