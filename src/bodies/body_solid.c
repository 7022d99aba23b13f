// SPDX-License-Identifier: MIT
// What is drawn of a body in space: its shape where it is, turned as it is.
#include "bodies/body_writer.h"

#include <string.h>

static carom_yaml *list_of(carom_body_writer *w, int count, carom_yaml *const *items) {
  carom_yaml *list = carom_yaml_list(w->texts.arena, w->place, count, items);
  w->texts.failed = w->texts.failed || !list;
  return list;
}

static carom_yaml *vector_of(carom_body_writer *w, carom_text_vector v) {
  carom_yaml *items[3];
  for (int k = 0; k < 3; k++) {
    items[k] = carom_yaml_scalar(w->texts.arena, v.c[k], w->place);
    w->texts.failed = w->texts.failed || !items[k];
  }
  return list_of(w, 3, items);
}

static carom_text_vector place_of(carom_body_writer *w, const carom_body *body,
                                  carom_text_vector local) {
  return carom_vector_sum(&w->texts, body->at, carom_turn_out(&w->texts, &body->turn, local));
}

// a shape at a point of the body, turned with it
static carom_yaml *begin_shape(carom_body_writer *w, const carom_body *body, const char *kind,
                               carom_text_vector local) {
  carom_yaml *axes[3], *shape = carom_yaml_map(w->texts.arena, w->place);
  for (int k = 0; k < 3; k++)
    axes[k] = vector_of(w, body->turn.axis[k]);
  carom_body_put(w, shape, kind, vector_of(w, place_of(w, body, local)));
  carom_body_put(w, shape, "turn", list_of(w, 3, axes));
  return shape;
}

static void draw_ball(carom_body_writer *w, const carom_body *body, carom_text_vector local,
                      const char *radius, bool hollow) {
  carom_yaml *shape = begin_shape(w, body, "sphere", local);
  carom_body_put_text(w, shape, "radius", radius);
  if (hollow) carom_body_put_text(w, shape, "fill", "none");
  carom_body_add_shape(w, shape);
}

static void draw_line(carom_body_writer *w, const carom_body *body, carom_text_vector a,
                      carom_text_vector b) {
  carom_yaml *ends[2] = {vector_of(w, place_of(w, body, a)), vector_of(w, place_of(w, body, b))};
  carom_yaml *shape = carom_yaml_map(w->texts.arena, w->place);
  carom_body_put(w, shape, "segment", list_of(w, 2, ends));
  carom_body_add_shape(w, shape);
}

static void draw_sized(carom_body_writer *w, const carom_body *body, const char *kind,
                       carom_text_vector half) {
  const carom_text_vector centre = carom_vector("0", "0", "0");
  carom_yaml *shape = begin_shape(w, body, kind, centre);
  carom_body_put(w, shape, "size", vector_of(w, carom_vector_times(&w->texts, "2", half)));
  carom_body_add_shape(w, shape);
}

// corners of a box in the order of their signs; else round ends, and lines between corners
static void draw_corners(carom_body_writer *w, const carom_body *body) {
  int n = body->corner_count;
  if (carom_body_is_box(body)) {
    draw_sized(w, body, "box", body->corners[n - 1].local);
    return;
  }
  bool all = n > 0 && n <= 8 && !body->corners[0].joined;
  for (int k = 0; k < n; k++) {
    const carom_corner *corner = &body->corners[k];
    if (strcmp(corner->radius, "0") != 0) draw_ball(w, body, corner->local, corner->radius, false);
    for (int j = k + 1; j < n; j++)
      if (all || (corner->joined >> j & 1))
        draw_line(w, body, corner->local, body->corners[j].local);
  }
}

static void draw_drum(carom_body_writer *w, const carom_body *body) {
  const char *radius = body->size[0], *half = body->size[1];
  carom_yaml *shape = begin_shape(w, body, "cylinder", carom_vector("0", "0", "0"));
  carom_body_put_text(w, shape, "radius", radius);
  // a coin has no height, but is to be seen from its edge too
  carom_body_put_text(w, shape, "height",
                      strcmp(half, "0") == 0 ? carom_say(&w->texts, "%s/20", radius)
                                             : carom_product(&w->texts, "2", half));
  carom_body_add_shape(w, shape);
}

static void draw_plane(carom_body_writer *w, const carom_body *body) {
  carom_text_vector n = carom_turn_out(&w->texts, &body->turn, body->normal);
  carom_yaml *shape = carom_yaml_map(w->texts.arena, w->place);
  carom_body_put_text(w, shape, "plane",
                      carom_quotient(&w->texts, carom_vector_dot(&w->texts, n, body->at),
                                     carom_vector_length(&w->texts, n)));
  carom_body_put(w, shape, "normal", vector_of(w, n));
  carom_body_add_shape(w, shape);
}

void carom_body_draw_solid(carom_body_writer *w, const carom_body *body) {
  const carom_text_vector centre = carom_vector("0", "0", "0");
  switch (body->shape) {
  case CAROM_SHAPE_ROUND: draw_corners(w, body); break;
  case CAROM_SHAPE_RIM: draw_drum(w, body); break;
  case CAROM_SHAPE_CUP: draw_ball(w, body, centre, body->size[0], true); break;
  case CAROM_SHAPE_PLANE: draw_plane(w, body); break;
  case CAROM_SHAPE_ELLIPSOID:
    draw_sized(w, body, "ellipsoid", carom_vector(body->size[0], body->size[1], body->size[2]));
    break;
  case CAROM_SHAPE_TUBE: // it has no ends that could be drawn
  case CAROM_SHAPE_NONE: break;
  }
}
