// SPDX-License-Identifier: MIT
// The shapes of bodies, with the mass and inertia of a body of even density.
#include "bodies/body_writer.h"

#include "base/elementary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_CORNERS = CAROM_BODY_MOST_CORNERS };

// ---- corners

bool carom_body_make_corners(carom_body_writer *w, carom_body *body, int count) {
  body->shape = CAROM_SHAPE_ROUND;
  body->corner_count = count;
  body->corners = carom_arena_array(w->texts.arena, (size_t)count, sizeof *body->corners);
  w->texts.failed = w->texts.failed || !body->corners;
  for (int k = 0; body->corners && k < count; k++)
    body->corners[k] = (carom_corner){.local = carom_vector("0", "0", "0"), .radius = "0"};
  return body->corners != NULL;
}

static carom_status check_size(const carom_body_writer *w, const carom_body *body,
                               const carom_yaml *value) {
  double number;
  if (!carom_body_literal(value, &number) || number >= 0.0) return CAROM_OK;
  return carom_body_fail(w, value, "a length of bodies.%s is negative", body->name);
}

// the numbers of a list as parameters NAME.what.1, NAME.what.2 ...
static carom_status read_sizes(carom_body_writer *w, const carom_body *body, const char *what,
                               const carom_yaml *list, int count, const char *meaning,
                               const char *sizes[3]) {
  if (list->kind != CAROM_YAML_LIST || list->count != count)
    return carom_body_fail(w, list, "%s needs a list of %d numbers: %s", what, count, meaning);
  for (int k = 0; k < count; k++) {
    sizes[k] = carom_body_number(w, carom_say(&w->texts, "%s.%s%d", body->name, what, k + 1),
                                 list->values[k]);
    carom_status status = check_size(w, body, list->values[k]);
    if (status != CAROM_OK) return status;
  }
  return CAROM_OK;
}

static const char *half_of(carom_texts *texts, const char *size) {
  return carom_say(texts, "%s/2", size);
}

// of squares a^2 and b^2 times a factor
static const char *sum_of_squares(carom_texts *texts, const char *factor, const char *a,
                                  const char *b) {
  return carom_say(texts, "%s*(%s^2 + %s^2)", factor, a, b);
}

// ---- in the plane

static carom_status read_disc(carom_body_writer *w, carom_body *body, const carom_yaml *value,
                              carom_body_filling *filling) {
  carom_texts *texts = &w->texts;
  if (w->space)
    return carom_body_fail(
        w, value, "a disc is a shape in the plane; in space there are sphere, coin, cylinder");
  const char *r = carom_body_number(w, carom_body_named(w, body, "radius"), value);
  if (carom_body_make_corners(w, body, 1)) body->corners[0].radius = r;
  filling->size = carom_say(texts, "pi*%s^2", r);
  filling->inertia.c[2] = carom_say(texts, "%s^2/2", r);
  return CAROM_OK;
}

static carom_status read_box_in_plane(carom_body_writer *w, carom_body *body,
                                      const carom_yaml *value, carom_body_filling *filling) {
  carom_texts *texts = &w->texts;
  const char *s[3];
  carom_status status = read_sizes(w, body, "box", value, 2, "[width, height]", s);
  if (status != CAROM_OK || !carom_body_make_corners(w, body, 4)) return status;
  for (int k = 0; k < 4; k++) // counter-clockwise
    body->corners[k].local =
        carom_vector(carom_say(texts, "%s%s/2%s", k == 0 || k == 3 ? "(-" : "", s[0],
                               k == 0 || k == 3 ? ")" : ""),
                     carom_say(texts, "%s%s/2%s", k < 2 ? "(-" : "", s[1], k < 2 ? ")" : ""), "0");
  body->polygon = true;
  filling->size = carom_product(texts, s[0], s[1]);
  filling->inertia.c[2] = sum_of_squares(texts, "(1/12)", s[0], s[1]);
  return CAROM_OK;
}

// Green's formulas over the edges: area, mass centre, second moment about the origin
static void fill_polygon(carom_body_writer *w, carom_body *body, carom_body_filling *filling) {
  carom_texts *texts = &w->texts;
  const char *area = "0", *cx = "0", *cy = "0", *second = "0";
  int n = body->corner_count;
  for (int k = 0; k < n; k++) {
    const char **a = body->corners[k].local.c, **b = body->corners[(k + 1) % n].local.c;
    const char *cross = carom_say(texts, "(%s*%s - %s*%s)", a[0], b[1], b[0], a[1]);
    area = carom_sum(texts, area, cross);
    cx = carom_sum(texts, cx, carom_say(texts, "(%s + %s)*%s", a[0], b[0], cross));
    cy = carom_sum(texts, cy, carom_say(texts, "(%s + %s)*%s", a[1], b[1], cross));
    second = carom_sum(texts, second,
                       carom_say(texts, "(%s^2 + %s*%s + %s^2 + %s^2 + %s*%s + %s^2)*%s", a[0],
                                 a[0], b[0], b[0], a[1], a[1], b[1], b[1], cross));
  }
  filling->size =
      carom_body_derived(w, carom_body_named(w, body, "area"), carom_say(texts, "%s/2", area));
  const char *x = carom_body_derived(w, carom_body_named(w, body, "centre.x"),
                                     carom_say(texts, "%s/(6*%s)", cx, filling->size));
  const char *y = carom_body_derived(w, carom_body_named(w, body, "centre.y"),
                                     carom_say(texts, "%s/(6*%s)", cy, filling->size));
  filling->inertia.c[2] =
      carom_say(texts, "(%s/(12*%s) - %s^2 - %s^2)", second, filling->size, x, y);
  // corners are counted from the mass centre
  for (int k = 0; k < n; k++)
    body->corners[k].local =
        carom_vector_difference(texts, body->corners[k].local, carom_vector(x, y, "0"));
}

static carom_status read_corners(carom_body_writer *w, carom_body *body, const carom_yaml *list,
                                 int least) {
  if (list->kind != CAROM_YAML_LIST || list->count < least || list->count > MOST_CORNERS)
    return carom_body_fail(w, list, "a list of %d to %d corners is needed", least, MOST_CORNERS);
  if (!carom_body_make_corners(w, body, list->count)) return CAROM_OK;
  for (int k = 0; k < list->count; k++) {
    carom_status status = carom_body_vector(w, list->values[k],
                                            carom_say(&w->texts, "%s.corner%d", body->name, k + 1),
                                            &body->corners[k].local);
    if (status != CAROM_OK) return status;
  }
  return CAROM_OK;
}

// Which way a polygon goes round, where its corners are plain numbers. Clockwise its normals would
// point inwards.
static carom_status check_polygon(const carom_body_writer *w, carom_body *body,
                                  const carom_yaml *list) {
  double at[MOST_CORNERS][2], area = 0.0;
  int n = list->count;
  for (int k = 0; k < n; k++)
    for (int i = 0; i < 2; i++)
      if (!carom_body_literal(list->values[k]->values[i], &at[k][i])) return CAROM_OK;
  for (int k = 0; k < n; k++) {
    const double *a = at[k], *b = at[(k + 1) % n], *c = at[(k + 2) % n];
    double turn = (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
    double size = carom_hypot(b[0] - a[0], b[1] - a[1]) * carom_hypot(c[0] - b[0], c[1] - b[1]);
    body->hollow = body->hollow || turn < -1e-12 * size; // corners on an edge are rounded
    area += (b[0] - at[0][0]) * (c[1] - at[0][1]) - (b[1] - at[0][1]) * (c[0] - at[0][0]);
  }
  if (area > 0.0) return CAROM_OK;
  return carom_body_fail(w, list, "the corners of bodies.%s %s", body->name,
                         area < 0.0 ? "go round clockwise: write them the other way round"
                                    : "lie on one line");
}

static carom_status read_polygon(carom_body_writer *w, carom_body *body, const carom_yaml *value,
                                 carom_body_filling *filling) {
  if (w->space)
    return carom_body_fail(
        w, value, "a polygon is a shape in the plane; in space there are box and polyhedron");
  carom_status status = read_corners(w, body, value, 3);
  if (status == CAROM_OK) status = check_polygon(w, body, value);
  if (status != CAROM_OK || w->texts.failed) return status;
  body->polygon = true;
  fill_polygon(w, body, filling);
  return CAROM_OK;
}

// a line without a width, along the first axis
static carom_status read_segment(carom_body_writer *w, carom_body *body, const carom_yaml *value,
                                 carom_body_filling *filling) {
  carom_texts *texts = &w->texts;
  if (w->space)
    return carom_body_fail(w, value,
                           "a segment is a shape in the plane; in space there is capsule");
  const char *length = carom_body_number(w, carom_body_named(w, body, "length"), value);
  if (!carom_body_make_corners(w, body, 2)) return CAROM_OK;
  body->corners[0].local.c[0] = carom_say(texts, "(-%s/2)", length);
  body->corners[1].local.c[0] = half_of(texts, length);
  filling->size = length;
  filling->inertia.c[2] = carom_say(texts, "%s^2/12", length);
  return CAROM_OK;
}

// ---- in space

static carom_status read_sphere(carom_body_writer *w, carom_body *body, const carom_yaml *value,
                                carom_body_filling *filling) {
  if (!w->space)
    return carom_body_fail(w, value, "a sphere is a shape in space; in the plane there is disc");
  const char *r = carom_body_number(w, carom_body_named(w, body, "radius"), value);
  if (carom_body_make_corners(w, body, 1)) body->corners[0].radius = r;
  filling->size = carom_say(&w->texts, "(4/3)*pi*%s^3", r);
  const char *moment = carom_say(&w->texts, "(2/5)*%s^2", r);
  filling->inertia = carom_vector(moment, moment, moment);
  return CAROM_OK;
}

static carom_status read_box_in_space(carom_body_writer *w, carom_body *body,
                                      const carom_yaml *value, carom_body_filling *filling) {
  carom_texts *texts = &w->texts;
  const char *s[3];
  carom_status status = read_sizes(w, body, "box", value, 3, "[a, b, c] along its axes", s);
  if (status != CAROM_OK || !carom_body_make_corners(w, body, 8)) return status;
  for (int k = 0; k < 8; k++)
    for (int i = 0; i < 3; i++)
      body->corners[k].local.c[i] =
          (k >> i) & 1 ? half_of(texts, s[i]) : carom_say(texts, "(-%s/2)", s[i]);
  filling->size = carom_say(texts, "%s*%s*%s", s[0], s[1], s[2]);
  for (int i = 0; i < 3; i++)
    filling->inertia.c[i] = sum_of_squares(texts, "(1/12)", s[(i + 1) % 3], s[(i + 2) % 3]);
  return CAROM_OK;
}

static carom_status read_box(carom_body_writer *w, carom_body *body, const carom_yaml *value,
                             carom_body_filling *filling) {
  return w->space ? read_box_in_space(w, body, value, filling)
                  : read_box_in_plane(w, body, value, filling);
}

static carom_status read_polyhedron(carom_body_writer *w, carom_body *body, const carom_yaml *value,
                                    carom_body_filling *filling) {
  carom_status status = read_corners(w, body, value, 1);
  return status == CAROM_OK ? carom_body_fill_polyhedron(w, body, value, filling) : status;
}

// A flat round face that rests on points: that many on each rim, evenly spaced, instead of the rim
// itself, whose lowest point is not defined where it lies flat.
static carom_status read_supports(carom_body_writer *w, carom_body *body) {
  const carom_yaml *given = carom_yaml_get(body->map, "supports");
  double number;
  if (!given) return CAROM_OK;
  if (!carom_body_literal(given, &number) || number < 3.0 || number > MOST_CORNERS / 2.0 ||
      number != floor(number))
    return carom_body_fail(w, given, "bodies.%s.supports is a whole number from 3 to %d",
                           body->name, MOST_CORNERS / 2);
  int each = (int)number, rims = strcmp(body->size[1], "0") == 0 ? 1 : 2;
  if (!carom_body_make_corners(w, body, each * rims)) return CAROM_OK;
  for (int k = 0; k < each * rims; k++) {
    carom_texts *texts = &w->texts;
    const char *angle = carom_say(texts, "2*pi*%d/%d", k % each, each);
    body->corners[k].local =
        carom_vector(carom_body_derived(w, carom_say(texts, "%s.corner%d.x", body->name, k + 1),
                                        carom_say(texts, "%s*cos(%s)", body->size[0], angle)),
                     carom_body_derived(w, carom_say(texts, "%s.corner%d.y", body->name, k + 1),
                                        carom_say(texts, "%s*sin(%s)", body->size[0], angle)),
                     k < each ? carom_difference(texts, "0", body->size[1]) : body->size[1]);
  }
  return CAROM_OK;
}

static carom_status read_coin(carom_body_writer *w, carom_body *body, const carom_yaml *value,
                              carom_body_filling *filling) {
  if (!w->space) return carom_body_fail(w, value, "a coin is a shape in space");
  const char *r = carom_body_number(w, carom_body_named(w, body, "radius"), value);
  body->shape = CAROM_SHAPE_RIM;
  body->size[0] = r;
  body->size[1] = "0";
  filling->inertia =
      carom_vector(carom_say(&w->texts, "%s^2/4", r), carom_say(&w->texts, "%s^2/4", r),
                   carom_say(&w->texts, "%s^2/2", r));
  return read_supports(w, body);
}

static carom_status read_cylinder(carom_body_writer *w, carom_body *body, const carom_yaml *value,
                                  carom_body_filling *filling) {
  carom_texts *texts = &w->texts;
  const char *s[3];
  if (!w->space) return carom_body_fail(w, value, "a cylinder is a shape in space");
  carom_status status = read_sizes(w, body, "cylinder", value, 2, "[radius, height]", s);
  if (status != CAROM_OK) return status;
  body->shape = CAROM_SHAPE_RIM;
  body->size[0] = s[0];
  body->size[1] = half_of(texts, s[1]);
  filling->size = carom_say(texts, "pi*%s^2*%s", s[0], s[1]);
  const char *across = carom_say(texts, "(%s^2/4 + %s^2/12)", s[0], s[1]);
  filling->inertia = carom_vector(across, across, carom_say(texts, "%s^2/2", s[0]));
  return read_supports(w, body);
}

static carom_status read_ellipsoid(carom_body_writer *w, carom_body *body, const carom_yaml *value,
                                   carom_body_filling *filling) {
  carom_texts *texts = &w->texts;
  if (!w->space) return carom_body_fail(w, value, "an ellipsoid is a shape in space");
  carom_status status =
      read_sizes(w, body, "ellipsoid", value, 3, "the semi-axes [a, b, c]", body->size);
  if (status != CAROM_OK) return status;
  body->shape = CAROM_SHAPE_ELLIPSOID;
  filling->size =
      carom_say(texts, "(4/3)*pi*%s*%s*%s", body->size[0], body->size[1], body->size[2]);
  for (int i = 0; i < 3; i++)
    filling->inertia.c[i] =
        sum_of_squares(texts, "(1/5)", body->size[(i + 1) % 3], body->size[(i + 2) % 3]);
  return CAROM_OK;
}

// ---- in both

// two round ends, along the first axis in the plane and along the third one in space. It is a box
// or cylinder with two halves of a disc or ball (Steiner's theorem for each half).
static carom_status read_capsule(carom_body_writer *w, carom_body *body, const carom_yaml *value,
                                 carom_body_filling *filling) {
  carom_texts *texts = &w->texts;
  const char *s[3];
  carom_status status = read_sizes(w, body, "capsule", value, 2,
                                   "[length between the centres of its ends, radius]", s);
  if (status != CAROM_OK || !carom_body_make_corners(w, body, 2)) return status;
  for (int k = 0; k < 2; k++) {
    const char *end = k ? half_of(texts, s[0]) : carom_say(texts, "(-%s/2)", s[0]);
    body->corners[k] = (carom_corner){
        w->space ? carom_vector("0", "0", end) : carom_vector(end, "0", "0"), s[1], 0};
  }
  const char *L = s[0], *r = s[1];
  if (!w->space) {
    filling->size = carom_body_derived(w, carom_body_named(w, body, "area"),
                                       carom_say(texts, "2*%s*%s + pi*%s^2", L, r, r));
    filling->inertia.c[2] = carom_say(
        texts, "(2*%s*%s*(%s^2 + 4*%s^2)/12 + pi*%s^2*(%s^2/2 + %s^2/4 + 4*%s*%s/(3*pi)))/%s", L, r,
        L, r, r, r, L, L, r, filling->size);
    return CAROM_OK;
  }
  filling->size = carom_body_derived(w, carom_body_named(w, body, "volume"),
                                     carom_say(texts, "pi*%s^2*%s + (4/3)*pi*%s^3", r, L, r));
  const char *across = carom_say(
      texts, "(pi*%s^2*%s*(%s^2/4 + %s^2/12) + (4/3)*pi*%s^3*((2/5)*%s^2 + %s^2/4 + 3*%s*%s/8))/%s",
      r, L, r, L, r, r, L, L, r, filling->size);
  filling->inertia =
      carom_vector(across, across,
                   carom_say(texts, "(pi*%s^4*%s/2 + (8/15)*pi*%s^5)/%s", r, L, r, filling->size));
  return CAROM_OK;
}

// most floors and walls are written in numbers and lie along an axis: their equations stay short
static bool is_along_axis(const carom_yaml *list, carom_text_vector *normal) {
  int along = 0;
  *normal = carom_vector("0", "0", "0");
  for (int k = 0; k < list->count; k++) {
    double number;
    if (!carom_body_literal(list->values[k], &number)) return false;
    if (number == 0.0) continue;
    normal->c[k] = number > 0.0 ? "1" : "(-1)";
    along++;
  }
  return along == 1;
}

static carom_status read_plane(carom_body_writer *w, carom_body *body, const carom_yaml *value,
                               carom_body_filling *filling) {
  carom_text_vector along;
  (void)filling;
  carom_status status = carom_body_vector(w, value, carom_body_named(w, body, "normal"), &along);
  if (status != CAROM_OK) return status;
  if (carom_body_is_nothing(value))
    return carom_body_fail(w, value, "the normal of bodies.%s has no direction", body->name);
  body->shape = CAROM_SHAPE_PLANE;
  if (is_along_axis(value, &body->normal)) return CAROM_OK;
  const char *length = carom_body_derived(w, carom_body_named(w, body, "normal.length"),
                                          carom_vector_length(&w->texts, along));
  for (int k = 0; k < 3; k++)
    body->normal.c[k] =
        strcmp(along.c[k], "0") == 0
            ? "0"
            : carom_body_derived(w, carom_say(&w->texts, "%s.n%d", body->name, k + 1),
                                 carom_say(&w->texts, "%s/%s", along.c[k], length));
  return CAROM_OK;
}

static carom_status read_cup(carom_body_writer *w, carom_body *body, const carom_yaml *value,
                             carom_body_filling *filling) {
  (void)filling;
  body->shape = CAROM_SHAPE_CUP;
  body->size[0] = carom_body_number(w, carom_body_named(w, body, "radius"), value);
  return CAROM_OK;
}

static carom_status read_tube(carom_body_writer *w, carom_body *body, const carom_yaml *value,
                              carom_body_filling *filling) {
  if (!w->space)
    return carom_body_fail(w, value, "a tube is a shape in space; in the plane there is cup");
  carom_status status = read_cup(w, body, value, filling);
  body->shape = CAROM_SHAPE_TUBE;
  return status;
}

// ---- the one that is given

typedef carom_status (*shape_reader)(carom_body_writer *w, carom_body *body,
                                     const carom_yaml *value, carom_body_filling *filling);
static const struct {
  const char *key;
  shape_reader read;
} shapes[] = {{"disc", read_disc},
              {"box", read_box},
              {"polygon", read_polygon},
              {"capsule", read_capsule},
              {"segment", read_segment},
              {"sphere", read_sphere},
              {"coin", read_coin},
              {"cylinder", read_cylinder},
              {"ellipsoid", read_ellipsoid},
              {"polyhedron", read_polyhedron},
              {"hull", carom_body_read_hull},
              {"plane", read_plane},
              {"cup", read_cup},
              {"tube", read_tube}};

static carom_status read_one(carom_body_writer *w, carom_body *body, carom_body_filling *filling) {
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
    const carom_yaml *value = carom_yaml_get(body->map, shapes[k].key);
    if (!value) continue;
    if (body->shape_name)
      return carom_body_fail(w, value, "bodies.%s has two shapes, %s and %s", body->name,
                             body->shape_name, shapes[k].key);
    body->shape_name = shapes[k].key;
    carom_status status = check_size(w, body, value);
    if (status == CAROM_OK) status = shapes[k].read(w, body, value, filling);
    if (status != CAROM_OK) return status;
  }
  return CAROM_OK;
}

static carom_status read_mass(carom_body_writer *w, carom_body *body,
                              const carom_body_filling *filling) {
  const carom_yaml *mass = carom_yaml_get(body->map, "mass"),
                   *density = carom_yaml_get(body->map, "density");
  if (!mass && !density && body->owner) density = carom_yaml_get(body->owner->map, "density");
  if (mass && density)
    return carom_body_fail(w, density, "bodies.%s has a mass and a density: give one of them",
                           body->name);
  body->mass = carom_body_named(w, body, "mass");
  if (mass)
    (void)carom_body_number(w, body->mass, mass);
  else if (density && filling->size)
    (void)carom_body_derived(
        w, body->mass,
        carom_product(&w->texts,
                      carom_body_number(w, carom_body_named(w, body, "density"), density),
                      filling->size));
  else
    return carom_body_fail(w, body->map, "bodies.%s needs a mass%s, or fixed: yes", body->name,
                           filling->size ? " or a density" : "");
  return CAROM_OK;
}

static carom_status read_inertia(carom_body_writer *w, carom_body *body,
                                 const carom_body_filling *filling) {
  const carom_yaml *given = carom_yaml_get(body->map, "inertia");
  const char *s[3] = {"0", "0", "0"};
  bool whole = given && w->space && given->kind == CAROM_YAML_LIST && given->count == 6;
  if (whole) {
    static const int order[3] = {5, 4, 3}; // yz, xz, xy
    for (int k = 0; k < 3; k++) {
      s[k] = carom_body_number(w, carom_say(&w->texts, "%s.inertia%d", body->name, k + 1),
                               given->values[k]);
      body->products.c[k] = carom_body_number(
          w, carom_say(&w->texts, "%s.product%d", body->name, k + 1), given->values[order[k]]);
    }
  } else if (given && w->space) {
    carom_status status = read_sizes(w, body, "inertia", given, 3, "about its axes", s);
    if (status != CAROM_OK) return status;
  } else if (given) {
    if (given->kind != CAROM_YAML_SCALAR)
      return carom_body_fail(w, given, "inertia is one number in the plane");
    s[2] = carom_body_number(w, carom_body_named(w, body, "inertia"), given);
  } else if (!filling->inertia.c[2]) {
    return carom_body_fail(w, body->map,
                           "bodies.%s needs its inertia: nothing says how its mass is spread",
                           body->name);
  } else {
    for (int k = w->space ? 0 : 2; k < 3; k++)
      s[k] = carom_body_derived(w,
                                w->space ? carom_say(&w->texts, "%s.inertia%d", body->name, k + 1)
                                         : carom_body_named(w, body, "inertia"),
                                carom_product(&w->texts, body->mass, filling->inertia.c[k]));
    for (int k = 0; k < 3; k++)
      if (filling->products.c[k])
        body->products.c[k] =
            carom_body_derived(w, carom_say(&w->texts, "%s.product%d", body->name, k + 1),
                               carom_product(&w->texts, body->mass, filling->products.c[k]));
  }
  body->inertia = carom_vector(s[0], s[1], s[2]);
  return CAROM_OK;
}

carom_status carom_body_read_shape(carom_body_writer *w, carom_body *body) {
  carom_body_filling filling = {0};
  body->products = carom_vector("0", "0", "0");
  carom_status status = read_one(w, body, &filling);
  if (status == CAROM_OK && carom_yaml_get(body->map, "parts"))
    status = carom_body_read_parts(w, body);
  if (status != CAROM_OK || !body->moves || body->mass) return status;
  status = read_mass(w, body, &filling);
  return status == CAROM_OK ? read_inertia(w, body, &filling) : status;
}

bool carom_body_is_box(const carom_body *body) {
  return body->shape_name && strcmp(body->shape_name, "box") == 0;
}

// ---- pictures in the plane

static carom_yaml *list_of(carom_body_writer *w, int count, carom_yaml *const *items) {
  carom_yaml *list = carom_yaml_list(w->texts.arena, w->place, count, items);
  w->texts.failed = w->texts.failed || !list;
  return list;
}

static carom_yaml *place_of(carom_body_writer *w, const carom_body *body, carom_text_vector local) {
  carom_text_vector at =
      carom_vector_sum(&w->texts, body->at, carom_turn_out(&w->texts, &body->turn, local));
  carom_yaml *items[2] = {carom_yaml_scalar(w->texts.arena, at.c[0], w->place),
                          carom_yaml_scalar(w->texts.arena, at.c[1], w->place)};
  return list_of(w, 2, items);
}

void carom_body_add_shape(carom_body_writer *w, carom_yaml *shape) {
  carom_yaml *drawn = carom_yaml_get(w->root, "shapes");
  if (!drawn) {
    drawn = list_of(w, 0, NULL);
    carom_body_put(w, w->root, "shapes", drawn);
  }
  if (!drawn || !carom_yaml_append(w->texts.arena, drawn, shape)) w->texts.failed = true;
}

static void draw_line(carom_body_writer *w, const carom_body *body, carom_text_vector a,
                      carom_text_vector b) {
  carom_yaml *ends[2] = {place_of(w, body, a), place_of(w, body, b)};
  carom_yaml *shape = carom_yaml_map(w->texts.arena, w->place);
  carom_body_put(w, shape, "segment", list_of(w, 2, ends));
  carom_body_add_shape(w, shape);
}

static void draw_circle(carom_body_writer *w, const carom_body *body, carom_text_vector centre,
                        const char *radius) {
  carom_yaml *shape = carom_yaml_map(w->texts.arena, w->place);
  carom_body_put(w, shape, "circle", place_of(w, body, centre));
  carom_body_put_text(w, shape, "radius", radius);
  carom_body_add_shape(w, shape);
}

// sharp corners make one shape, which is filled
static bool draw_polygon(carom_body_writer *w, const carom_body *body) {
  if (!body->polygon) return false;
  for (int k = 0; k < body->corner_count; k++)
    if (strcmp(body->corners[k].radius, "0") != 0) return false;
  carom_yaml *corners = list_of(w, 0, NULL), *shape = carom_yaml_map(w->texts.arena, w->place);
  for (int k = 0; k < body->corner_count && corners; k++)
    if (!carom_yaml_append(w->texts.arena, corners, place_of(w, body, body->corners[k].local)))
      w->texts.failed = true;
  carom_body_put(w, shape, "polygon", corners);
  carom_body_add_shape(w, shape);
  return true;
}

static void draw_corners(carom_body_writer *w, const carom_body *body) {
  if (draw_polygon(w, body)) return;
  int n = body->corner_count;
  for (int k = 0; k < n; k++) {
    const carom_corner *corner = &body->corners[k];
    if (strcmp(corner->radius, "0") != 0) draw_circle(w, body, corner->local, corner->radius);
    if (body->polygon) draw_line(w, body, corner->local, body->corners[(k + 1) % n].local);
  }
  if (n == 2) draw_line(w, body, body->corners[0].local, body->corners[1].local);
  bool turns = body->moves || carom_yaml_get(body->map, "moved");
  if (n == 1 && turns) // a radius shows how
    draw_line(w, body, carom_vector("0", "0", "0"),
              carom_vector(body->corners[0].radius, "0", "0"));
}

// what is level and below is drawn as ground; how far other planes are to be seen nobody knows
static void draw_plane(carom_body_writer *w, const carom_body *body) {
  carom_text_vector up = carom_turn_out(&w->texts, &body->turn, body->normal);
  if (strcmp(up.c[0], "0") != 0 || strcmp(up.c[1], "1") != 0) return;
  carom_yaml *shape = carom_yaml_map(w->texts.arena, w->place);
  carom_body_put_text(w, shape, "plane", body->at.c[1]);
  carom_body_add_shape(w, shape);
}

void carom_body_draw(carom_body_writer *w, const carom_body *body) {
  w->place = body->place;
  if (w->space) {
    carom_body_draw_solid(w, body);
    return;
  }
  const carom_text_vector centre = carom_vector("0", "0", "0");
  switch (body->shape) {
  case CAROM_SHAPE_ROUND: draw_corners(w, body); break;
  case CAROM_SHAPE_CUP:
  case CAROM_SHAPE_TUBE:
  case CAROM_SHAPE_RIM:
  case CAROM_SHAPE_ELLIPSOID: draw_circle(w, body, centre, body->size[0]); break;
  case CAROM_SHAPE_PLANE: draw_plane(w, body); break;
  case CAROM_SHAPE_NONE: break;
  }
}
