// SPDX-License-Identifier: MIT
// The flat round face of a coin or cylinder on a plane. With n the normal of the plane, seen from
// the body (n1, n2, n3), tilt = sqrt(n1^2 + n2^2) is the sine of the angle between face and plane.
// Tilted, a face touches with the lowest point of its rim,
//
//   R (-n1, -n2)/tilt,   n.c + h n3 - R tilt,
//
// h being the height of the rim in the body. Where it lies flat that is any point. Then it rests on
// three points of the rim, evenly spaced, whose loads and friction follow from equilibrium alone:
// the least that holds a face, and as good as the whole rim while the load stays between them.
// Which three they are is a direction in the body that stays the same between events
// (hybrid/patch.c moves it, so that the load may go to the very edge).
#include "bodies/body_writer.h"

#include <string.h>

// Sine of the angle below which a face counts as flat: a thousand times what a run with common
// tolerances resolves of a turn. Tuned on runs with an rtol of 1e-7 to 1e-12.
static const char *const FLAT = "1e-6";

/// A rim seen from the plane it is over.
typedef struct rim_view {
  carom_text_vector normal, from; // from: the centre of the body, from a point of the plane
  const char *n[3], *tilt;        // the normal seen from the body
} rim_view;

static rim_view view_rim(carom_body_writer *w, const carom_body *body, const carom_body *plane) {
  carom_texts *texts = &w->texts;
  rim_view v = {.normal = carom_turn_out(texts, &plane->turn, plane->normal)};
  v.from = carom_vector_difference(texts, body->at, plane->at);
  for (int k = 0; k < 3; k++)
    v.n[k] = carom_body_short(w, carom_vector_dot(texts, v.normal, body->turn.axis[k]));
  v.tilt = carom_body_short(w, carom_say(texts, "sqrt((%s)^2 + (%s)^2 + 1e-300)", v.n[0], v.n[1]));
  return v;
}

int carom_rim_count(const carom_body *body) { return strcmp(body->size[1], "0") == 0 ? 1 : 2; }

static const char *height_of(carom_body_writer *w, const carom_body *body, int rim) {
  return rim ? carom_difference(&w->texts, "0", body->size[1]) : body->size[1];
}

// a point of the rim; `depth`: how far it is below its centre
static carom_touching touch_at(carom_body_writer *w, const carom_body *body, const rim_view *v,
                               carom_text_vector point, const char *depth) {
  carom_texts *texts = &w->texts;
  carom_touching is = {.normal = v->normal};
  is.arms[0] = carom_turn_out(texts, &body->turn, point);
  is.arms[1] = carom_vector_sum(texts, v->from, is.arms[0]);
  is.gap = carom_difference(texts,
                            carom_sum(texts, carom_vector_dot(texts, v->normal, v->from),
                                      carom_product(texts, point.c[2], v->n[2])),
                            depth);
  return is;
}

carom_touching carom_rim_lowest(carom_body_writer *w, const carom_body *body, int rim,
                                const carom_body *plane) {
  carom_texts *texts = &w->texts;
  rim_view v = view_rim(w, body, plane);
  const char *R = body->size[0];
  carom_text_vector point =
      carom_vector(carom_say(texts, "(-%s*%s/%s)", R, v.n[0], v.tilt),
                   carom_say(texts, "(-%s*%s/%s)", R, v.n[1], v.tilt), height_of(w, body, rim));
  carom_touching is = touch_at(w, body, &v, point, carom_product(texts, R, v.tilt));
  is.when = carom_say(texts, "%s > %s", v.tilt, FLAT);
  return is;
}

void carom_rim_rests(carom_body_writer *w, const carom_body *body, int rim, const carom_body *plane,
                     const char *way, carom_touching places[CAROM_RIM_RESTS]) {
  carom_texts *texts = &w->texts;
  // cosine and sine of 0, 120 and 240 degrees
  static const char *const turn[CAROM_RIM_RESTS][2] = {
      {"1", "0"}, {"(-0.5)", "0.86602540378443865"}, {"(-0.5)", "(-0.86602540378443865)"}};
  rim_view v = view_rim(w, body, plane);
  const char *R = body->size[0];
  for (int k = 0; k < CAROM_RIM_RESTS; k++) {
    const char *c = turn[k][0], *s = turn[k][1];
    carom_text_vector point =
        carom_vector(carom_say(texts, "(%s*(%s*%s.way1 - %s*%s.way2))", R, c, way, s, way),
                     carom_say(texts, "(%s*(%s*%s.way1 + %s*%s.way2))", R, s, way, c, way),
                     height_of(w, body, rim));
    const char *depth =
        carom_say(texts, "(-(%s*%s + %s*%s))", point.c[0], v.n[0], point.c[1], v.n[1]);
    places[k] = touch_at(w, body, &v, point, depth);
    places[k].when = carom_say(texts, "not (%s > %s)", v.tilt, FLAT);
  }
}

const char *carom_rim_apart(carom_body_writer *w, const carom_body *body, const carom_body *plane) {
  carom_texts *texts = &w->texts;
  rim_view v = view_rim(w, body, plane);
  return carom_say(texts, "%s - %s*abs(%s) - %s*max(0, %s - %s)",
                   carom_vector_dot(texts, v.normal, v.from), body->size[1], v.n[2], body->size[0],
                   v.tilt, FLAT);
}

void carom_rim_note(carom_body_writer *w, const char *const names[CAROM_RIM_RESTS]) {
  carom_yaml *solids = carom_body_section(w, "solids"),
             *patches = carom_yaml_get(solids, "patches");
  if (!patches) {
    patches = carom_yaml_map(w->texts.arena, w->place);
    carom_body_put(w, solids, "patches", patches);
  }
  carom_yaml *items[CAROM_RIM_RESTS];
  for (int k = 0; k < CAROM_RIM_RESTS; k++)
    if (!(items[k] = carom_yaml_scalar(w->texts.arena, names[k], w->place))) w->texts.failed = true;
  if (patches && !w->texts.failed)
    carom_body_put(w, patches, names[0],
                   carom_yaml_list(w->texts.arena, w->place, CAROM_RIM_RESTS, items));
}
