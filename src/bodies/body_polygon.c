// SPDX-License-Identifier: MIT
// A corner of one body at the edges of a convex polygon, in the plane. Seen from the polygon, the
// edge that the corner is farthest in front of is the one it can touch: the gap is the largest of
// the distances from the edges' lines. A round corner beyond the end of that edge is nearest to the
// polygon's own corner there.
#include "bodies/body_writer.h"

#include <string.h>

/// A corner before one edge.
typedef struct before {
  const char *distance; // from the line of the edge
  const char *gap;      // to the edge, with its ends
  const char *slip;     // along it
} before;

/// What is seen from the polygon.
typedef struct view {
  carom_text_vector place, speed, spin; // of the corner's centre
  const char *radius;
} view;

static view look_from_corner(carom_body_writer *w, const carom_body *a, const carom_corner *corner,
                             const carom_body *b) {
  carom_texts *texts = &w->texts;
  carom_text_vector arm = carom_turn_out(texts, &a->turn, corner->local);
  carom_text_vector from =
      carom_vector_difference(texts, carom_vector_sum(texts, a->at, arm), b->at);
  carom_text_vector speed = carom_vector_difference(texts, carom_body_speed_at(w, a, arm),
                                                    carom_body_speed_at(w, b, from));
  return (view){.place = carom_turn_in(texts, &b->turn, from),
                .speed = carom_turn_in(texts, &b->turn, speed),
                .spin = carom_vector_difference(texts, a->spin, b->spin),
                .radius = corner->radius};
}

// the slip where the normal is n: along t = (n_y, -n_x), with the rim's own turn
static const char *slip_along(carom_body_writer *w, const view *v, carom_text_vector n) {
  carom_texts *texts = &w->texts;
  carom_text_vector t = carom_vector(n.c[1], carom_difference(texts, "0", n.c[0]), "0");
  return carom_sum(texts, carom_vector_dot(texts, t, v->speed),
                   carom_product(texts, v->radius, v->spin.c[2]));
}

static before at_corner(carom_body_writer *w, const view *v, carom_text_vector corner) {
  carom_texts *texts = &w->texts;
  carom_text_vector from = carom_vector_difference(texts, v->place, corner);
  const char *length = carom_vector_length(texts, from);
  return (before){.gap = carom_difference(texts, length, v->radius),
                  .slip = slip_along(w, v, carom_vector_over(texts, from, length))};
}

static before at_edge(carom_body_writer *w, const view *v, const carom_body *b, int k) {
  carom_texts *texts = &w->texts;
  carom_text_vector begin = b->corners[k].local, end = b->corners[(k + 1) % b->corner_count].local;
  carom_text_vector along = carom_vector_difference(texts, end, begin);
  const char *length = carom_body_derived(w, carom_say(texts, "%s.edge%d", b->name, k + 1),
                                          carom_vector_length(texts, along));
  carom_text_vector t = carom_vector_over(texts, along, length);
  carom_text_vector n = carom_vector(t.c[1], carom_difference(texts, "0", t.c[0]), "0");
  carom_text_vector from = carom_vector_difference(texts, v->place, begin);
  before is = {.distance = carom_vector_dot(texts, n, from)};
  is.gap = carom_difference(texts, is.distance, v->radius);
  is.slip = slip_along(w, v, n);
  if (strcmp(v->radius, "0") == 0) return is; // a sharp corner touches edges only
  const char *u = carom_vector_dot(texts, t, from);
  before ends[2] = {at_corner(w, v, begin), at_corner(w, v, end)};
  is.gap = carom_say(texts, "if(%s < 0, %s, if(%s > %s, %s, %s))", u, ends[0].gap, u, length,
                     ends[1].gap, is.gap);
  is.slip = carom_say(texts, "if(%s < 0, %s, if(%s > %s, %s, %s))", u, ends[0].slip, u, length,
                      ends[1].slip, is.slip);
  return is;
}

void carom_polygon_gap(carom_body_writer *w, const carom_body *a, const carom_corner *corner,
                       const carom_body *b, const char **gap, const char **slip) {
  carom_texts *texts = &w->texts;
  view v = look_from_corner(w, a, corner, b);
  before best = at_edge(w, &v, b, 0);
  for (int k = 1; k < b->corner_count; k++) {
    before next = at_edge(w, &v, b, k);
    best.gap =
        carom_say(texts, "if(%s > %s, %s, %s)", next.distance, best.distance, next.gap, best.gap);
    best.slip =
        carom_say(texts, "if(%s > %s, %s, %s)", next.distance, best.distance, next.slip, best.slip);
    best.distance = carom_say(texts, "max(%s, %s)", best.distance, next.distance);
  }
  *gap = best.gap;
  *slip = best.slip;
}
