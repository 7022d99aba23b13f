// SPDX-License-Identifier: MIT
// Two convex bodies with flat faces in space touch at the corners of where their faces overlap, or
// where edges cross: at no more places than both faces have corners. So a pair has that many
// contacts, each a slot (convex/slot.h): gap and slip are written once, with numbers that stand for
// the features that touch. Which these are is found out while the bodies move (hybrid/solids.c).
#include "bodies/body_writer.h"
#include "convex/polytope.h"
#include "convex/slot.h"

#include <stdlib.h>
#include <string.h>

bool carom_body_has_faces(const carom_body *body) {
  static const char *const shapes[] = {"box", "polyhedron", "hull"};
  for (size_t k = 0; body->shape_name && k < sizeof shapes / sizeof *shapes; k++)
    if (strcmp(body->shape_name, shapes[k]) == 0) return true;
  return false;
}

// ---- how many slots

// the corners as numbers; false: some are expressions
static bool read_corners(const carom_body *body, double (*points)[3]) {
  for (int k = 0; k < body->corner_count; k++)
    for (int i = 0; i < 3; i++) {
      const char *text = body->corners[k].local.c[i];
      bool bracket = text[0] == '(';
      char *end;
      points[k][i] = strtod(text + bracket, &end);
      if (end == text + bracket || *end != (bracket ? ')' : '\0')) return false;
    }
  return true;
}

// most corners of a face
static carom_status widest_face(carom_body_writer *w, const carom_body *body, int *most) {
  double points[CAROM_BODY_MOST_CORNERS][3];
  carom_polytope shape;
  *most = carom_body_is_box(body) ? 4 : CAROM_SLOT_MOST / 2;
  if (carom_body_is_box(body) || !read_corners(body, points)) return CAROM_OK;
  carom_status status =
      carom_polytope_make(w->texts.arena, body->corner_count, (const double(*)[3])points,
                          body->place, &shape, w->error);
  if (status == CAROM_OK) *most = carom_polytope_widest_face(&shape);
  return status;
}

// ---- the shapes of the pair

static carom_yaml *write_list(carom_body_writer *w, int count, const char *const *texts) {
  carom_yaml *items[9];
  for (int k = 0; k < count; k++)
    if (!(items[k] = carom_yaml_scalar(w->texts.arena, texts[k], w->place))) return NULL;
  return carom_yaml_list(w->texts.arena, w->place, count, items);
}

static carom_yaml *write_corners(carom_body_writer *w, const carom_body *body) {
  carom_yaml *items[CAROM_BODY_MOST_CORNERS];
  for (int k = 0; k < body->corner_count; k++)
    if (!(items[k] = write_list(w, 3, body->corners[k].local.c))) return NULL;
  return carom_yaml_list(w->texts.arena, w->place, body->corner_count, items);
}

// where the body is, how it is turned (by rows), its corners; written once. Returns its key.
static const char *put_shape(carom_body_writer *w, const carom_body *body) {
  const char *key = carom_say(&w->texts, "%s%s%s", body->owner ? body->owner->name : "",
                              body->owner ? "." : "", body->label);
  carom_yaml *solids = carom_body_section(w, "solids"), *shapes = carom_yaml_get(solids, "shapes");
  if (!shapes) {
    shapes = carom_yaml_map(w->texts.arena, w->place);
    carom_body_put(w, solids, "shapes", shapes);
  }
  if (!shapes || carom_yaml_get(shapes, key)) return key;
  const char *turn[9];
  for (int k = 0; k < 9; k++)
    turn[k] = body->turn.axis[k % 3].c[k / 3];
  carom_yaml *made = carom_yaml_map(w->texts.arena, w->place);
  carom_body_put(w, made, "at", write_list(w, 3, body->at.c));
  carom_body_put(w, made, "turn", write_list(w, 9, turn));
  carom_body_put(w, made, "corners", write_corners(w, body));
  carom_body_put(w, shapes, key, made);
  return key;
}

carom_yaml *carom_slots_begin(carom_body_writer *w, const carom_body *a, const carom_body *b) {
  carom_yaml *solids = carom_body_section(w, "solids"), *pairs = carom_yaml_get(solids, "pairs");
  if (!pairs) {
    pairs = carom_yaml_map(w->texts.arena, w->place);
    carom_body_put(w, solids, "pairs", pairs);
  }
  carom_yaml *made = carom_yaml_map(w->texts.arena, w->place);
  carom_body_put_text(w, made, "first", put_shape(w, a));
  carom_body_put_text(w, made, "second", put_shape(w, b));
  carom_body_put(w, made, "contacts", carom_yaml_map(w->texts.arena, w->place));
  if (pairs) carom_body_put(w, pairs, carom_say(&w->texts, "p%d", pairs->count + 1), made);
  return carom_yaml_get(made, "contacts");
}

carom_status carom_slots_count(carom_body_writer *w, const carom_body *a, const carom_body *b,
                               int *count) {
  int first, second;
  carom_status status = widest_face(w, a, &first);
  if (status == CAROM_OK) status = widest_face(w, b, &second);
  if (status == CAROM_OK)
    *count = first + second < CAROM_SLOT_MOST ? first + second : CAROM_SLOT_MOST;
  return status;
}

// ---- a slot

/// What its expressions are made of.
typedef struct slot {
  carom_body_writer *w;
  const char *name;
} slot;

static const char *number_of(const slot *s, carom_slot_number which) {
  return carom_say(&s->w->texts, "%s.%s", s->name, carom_slot_name((int)which));
}

static carom_text_vector vector_of(const slot *s, carom_slot_number first) {
  return carom_vector(number_of(s, first), number_of(s, first + 1), number_of(s, first + 2));
}

static carom_text_vector mix_vectors(carom_texts *texts, const char *share, carom_text_vector p,
                                     carom_text_vector q) {
  const char *rest = carom_say(texts, "(1 - %s)", share);
  return carom_vector_sum(texts, carom_vector_times(texts, share, p),
                          carom_vector_times(texts, rest, q));
}

// how far it is to an edge or to the end of one; `by_a`: 1 where the body is the first one
static const char *room_left(const slot *s, carom_slot_number direction, const char *by_a,
                             const carom_text_vector seen[2]) {
  carom_texts *texts = &s->w->texts;
  carom_text_vector q = mix_vectors(texts, by_a, seen[0], seen[1]);
  return carom_say(texts, "%s - (%s)", number_of(s, direction + 3),
                   carom_vector_dot(texts, vector_of(s, direction), q));
}

carom_slot carom_slot_write(carom_body_writer *w, const char *name, const carom_body *a,
                            const carom_body *b) {
  carom_texts *texts = &w->texts;
  const slot s = {w, name};
#define SHORT(vector) carom_body_short_vector(w, vector)
  carom_text_vector from = SHORT(carom_vector_difference(texts, b->at, a->at));
  carom_text_vector own = SHORT(carom_turn_out(texts, &a->turn, vector_of(&s, CAROM_SLOT_a1))),
                    far = SHORT(carom_vector_sum(
                        texts, from,
                        carom_turn_out(texts, &b->turn, vector_of(&s, CAROM_SLOT_b1))));
  carom_text_vector u = SHORT(carom_turn_out(texts, &a->turn, vector_of(&s, CAROM_SLOT_u1))),
                    v = SHORT(carom_turn_out(texts, &b->turn, vector_of(&s, CAROM_SLOT_w1)));
  const char *edge = number_of(&s, CAROM_SLOT_edge), *corner = number_of(&s, CAROM_SLOT_corner);
  const char *c = carom_body_short(w, carom_vector_dot(texts, u, v));
  const char *flat = carom_say(texts, "(1 - %s^2)", edge);
  // sin^2 between edges, 1 of others: 1 - c^2 would be rounding where edges are nearly parallel
  carom_text_vector across = SHORT(carom_vector_cross(texts, u, v));
  const char *sine2 = carom_body_short(
      w, carom_say(texts, "(%s + %s)", carom_vector_dot(texts, across, across), flat));
  const char *crossed = carom_body_short(w, carom_say(texts, "%s/sqrt(%s)", edge, sine2));
  carom_text_vector n =
      SHORT(carom_vector_sum(texts, carom_vector_times(texts, flat, carom_vector_sum(texts, u, v)),
                             carom_vector_times(texts, crossed, across)));
  carom_text_vector d = SHORT(carom_vector_difference(texts, far, own));
  const char *du = carom_vector_dot(texts, d, u), *dv = carom_vector_dot(texts, d, v);
  const char *along = carom_body_short(w, carom_say(texts, "(%s - %s*%s)/%s", du, c, dv, sine2));
  carom_slot is = {.touching = {.normal = n}};
  is.touching.gap =
      carom_say(texts, "%s - %s", number_of(&s, CAROM_SLOT_off), carom_vector_dot(texts, n, d));
  is.touching.arms[0] = SHORT(mix_vectors(
      texts, corner, far, carom_vector_sum(texts, own, carom_vector_times(texts, along, u))));
  is.touching.arms[1] = SHORT(carom_vector_difference(texts, is.touching.arms[0], from));
  const char *by_a = carom_say(texts, "(%s + %s^2)", corner, edge);
  carom_text_vector r = vector_of(&s, CAROM_SLOT_r1);
  is.tangents[0] = SHORT(mix_vectors(texts, by_a, carom_turn_out(texts, &a->turn, r),
                                     carom_turn_out(texts, &b->turn, r)));
  is.tangents[1] = SHORT(carom_vector_cross(texts, n, is.tangents[0]));
  const carom_text_vector seen[2] = {SHORT(carom_turn_in(texts, &a->turn, is.touching.arms[0])),
                                     SHORT(carom_turn_in(texts, &b->turn, is.touching.arms[1]))};
  is.within[0] = room_left(&s, CAROM_SLOT_k1, by_a, seen);
  is.within[1] = carom_say(texts, "(%s)*(%s - " CAROM_SLOT_PARALLEL ")",
                           room_left(&s, CAROM_SLOT_m1, corner, seen), sine2);
#undef SHORT
  return is;
}
