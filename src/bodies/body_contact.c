// SPDX-License-Identifier: MIT
// Contacts between bodies: the gap from their shapes, and the velocity of one body's surface over
// the other's at the place of contact. With n the unit normal from the second body to the first and
// arms r from the centres to that place, the slip is what is across n of v1 + w1 x r1 - v2 - w2 x
// r2.
#include "bodies/body_writer.h"

#include <stdio.h>
#include <string.h>

static const char *negated(carom_texts *texts, const char *a) {
  return carom_difference(texts, "0", a);
}

// ---- places of contact

// The place of a body that is lowest over a plane with this normal, from the body's centre; `k`:
// which of its corners.
static carom_text_vector lowest_place(carom_body_writer *w, const carom_body *body, int k,
                                      carom_text_vector n) {
  carom_texts *texts = &w->texts;
  if (body->shape == CAROM_SHAPE_ROUND) {
    const carom_corner *corner = &body->corners[k];
    return carom_vector_difference(texts, carom_turn_out(texts, &body->turn, corner->local),
                                   carom_vector_times(texts, corner->radius, n));
  }
  // an ellipsoid: -A^2 n/|A n| with A the semi-axes, seen from the body
  carom_text_vector own = carom_turn_in(texts, &body->turn, n), scaled;
  for (int i = 0; i < 3; i++)
    scaled.c[i] = carom_product(texts, body->size[i], own.c[i]);
  const char *length = carom_vector_length(texts, scaled);
  for (int i = 0; i < 3; i++)
    scaled.c[i] = negated(texts, carom_product(texts, body->size[i], scaled.c[i]));
  return carom_turn_out(texts, &body->turn, carom_vector_over(texts, scaled, length));
}

static int lowest_count(const carom_body *body) {
  if (body->shape == CAROM_SHAPE_ROUND) return body->corner_count;
  return body->shape == CAROM_SHAPE_ELLIPSOID ? 1 : 0;
}

static carom_touching on_plane(carom_body_writer *w, const carom_body *a, int k,
                               const carom_body *plane) {
  carom_texts *texts = &w->texts;
  carom_touching is = {.normal = carom_turn_out(texts, &plane->turn, plane->normal)};
  is.arms[0] = lowest_place(w, a, k, is.normal);
  is.arms[1] =
      carom_vector_difference(texts, carom_vector_sum(texts, a->at, is.arms[0]), plane->at);
  is.gap = carom_vector_dot(texts, is.normal, is.arms[1]);
  return is;
}

// Inside a cup of radius R, at d from its centre, a ball of radius r has ((R - r)^2 - d^2)/(2 (R -
// r)) to go: the distance for a ball that is near, and smooth in the middle. In a tube d is from
// its axis.
static carom_touching in_cup(carom_body_writer *w, const carom_body *a, const carom_corner *corner,
                             const carom_body *cup) {
  carom_texts *texts = &w->texts;
  carom_text_vector arm = carom_turn_out(texts, &a->turn, corner->local);
  carom_text_vector d =
      carom_vector_difference(texts, carom_vector_sum(texts, a->at, arm), cup->at);
  carom_text_vector along = carom_vector("0", "0", "0"), axis = cup->turn.axis[2];
  if (cup->shape == CAROM_SHAPE_TUBE) {
    along = carom_vector_times(texts, carom_body_short(w, carom_vector_dot(texts, d, axis)), axis);
    d = carom_body_short_vector(w, carom_vector_difference(texts, d, along));
  }
  const char *room = carom_difference(texts, cup->size[0], corner->radius);
  carom_touching is = {
      .gap = carom_say(texts, "(%s^2 - %s)/(2*%s)", room, carom_vector_dot(texts, d, d), room)};
  carom_text_vector out = carom_vector_over(texts, d, room);
  is.normal = carom_vector_times(texts, "(-1)", out);
  is.arms[0] = carom_vector_sum(texts, arm, carom_vector_times(texts, corner->radius, out));
  is.arms[1] = carom_vector_sum(texts, along, carom_vector_times(texts, cup->size[0], out));
  return is;
}

static carom_touching between_balls(carom_body_writer *w, const carom_body *a,
                                    const carom_corner *p, const carom_body *b,
                                    const carom_corner *q) {
  carom_texts *texts = &w->texts;
  carom_text_vector r = carom_turn_out(texts, &a->turn, p->local),
                    s = carom_turn_out(texts, &b->turn, q->local);
  carom_text_vector d = carom_vector_difference(texts, carom_vector_sum(texts, a->at, r),
                                                carom_vector_sum(texts, b->at, s));
  const char *length = carom_vector_length(texts, d);
  carom_touching is = {.gap =
                           carom_difference(texts, length, carom_sum(texts, p->radius, q->radius)),
                       .normal = carom_vector_over(texts, d, length)};
  is.arms[0] = carom_vector_difference(texts, r, carom_vector_times(texts, p->radius, is.normal));
  is.arms[1] = carom_vector_sum(texts, s, carom_vector_times(texts, q->radius, is.normal));
  return is;
}

// ---- tangents

// Two unit vectors across a unit vector n (Duff et al., Building an orthonormal basis, revisited,
// 2017). They may change at any n.z between -1 and 1. Theirs is 0, where balls on a table meet:
// each rounding would be a switch. No common pose of bodies has -0.65.
static void tangents_of(carom_body_writer *w, carom_text_vector n, carom_text_vector t[2]) {
  carom_texts *texts = &w->texts;
  for (int k = 0; k < 3; k++) { // along an axis the other two axes will do
    bool along = strcmp(n.c[(k + 1) % 3], "0") == 0 && strcmp(n.c[(k + 2) % 3], "0") == 0;
    if (!along) continue;
    for (int j = 0; j < 2; j++)
      for (int i = 0; i < 3; i++)
        t[j].c[i] = i == (k + 1 + j) % 3 ? "1" : "0";
    return;
  }
  const char *sign = carom_say(texts, "if(%s >= -0.65, 1, -1)", n.c[2]);
  const char *a = carom_say(texts, "(-1/(%s + %s))", sign, n.c[2]);
  const char *b = carom_say(texts, "(%s*%s*%s)", n.c[0], n.c[1], a);
  t[0] =
      carom_vector(carom_say(texts, "(1 + %s*(%s)^2*%s)", sign, n.c[0], a),
                   carom_say(texts, "%s*%s", sign, b), carom_say(texts, "(-%s*%s)", sign, n.c[0]));
  t[1] = carom_vector(b, carom_say(texts, "(%s + (%s)^2*%s)", sign, n.c[1], a),
                      negated(texts, n.c[1]));
}

// those of a place of contact, one of which the shapes may tell
static void tangents_at(carom_body_writer *w, const carom_touching *is, carom_text_vector t[2]) {
  if (!is->side.c[0]) {
    tangents_of(w, is->normal, t);
    return;
  }
  t[0] = is->side;
  t[1] = carom_vector_cross(&w->texts, is->normal, t[0]);
}

static carom_yaml *write_scalar(carom_body_writer *w, const char *text) {
  return carom_yaml_scalar(w->texts.arena, text, w->place);
}

static carom_yaml *write_two(carom_body_writer *w, const char *first, const char *second) {
  carom_yaml *items[2] = {write_scalar(w, first), write_scalar(w, second)};
  return items[0] && items[1] ? carom_yaml_list(w->texts.arena, w->place, 2, items) : NULL;
}

// the components of a vector along two tangents
static carom_yaml *write_along(carom_body_writer *w, const carom_text_vector t[2],
                               carom_text_vector vector) {
  return write_two(w, carom_vector_dot(&w->texts, t[0], vector),
                   carom_vector_dot(&w->texts, t[1], vector));
}

static carom_yaml *along_tangents(carom_body_writer *w, const carom_touching *is,
                                  carom_text_vector vector) {
  carom_text_vector t[2];
  tangents_at(w, is, t);
  return write_along(w, t, vector);
}

// how the first body moves over the second one
static carom_text_vector speed_over(carom_body_writer *w, const carom_body *a, const carom_body *b,
                                    const carom_touching *is) {
  return carom_vector_difference(&w->texts, carom_body_speed_at(w, a, is->arms[0]),
                                 carom_body_speed_at(w, b, is->arms[1]));
}

static carom_yaml *slip_of(carom_body_writer *w, const carom_body *a, const carom_body *b,
                           const carom_touching *is) {
  carom_texts *texts = &w->texts;
  carom_text_vector over = speed_over(w, a, b, is);
  if (!w->space) {
    carom_text_vector along = carom_vector(is->normal.c[1], negated(texts, is->normal.c[0]), "0");
    return write_scalar(w, carom_vector_dot(texts, along, over));
  }
  return along_tangents(w, is, over);
}

// ---- entries

/// A contact of the document that says `between`, while it is written out.
typedef struct entry {
  const char *name;
  const carom_yaml *map; // its laws
  carom_yaml *contacts;
  bool many;          // more than one pair: names say which
  bool slips;         // the slip is wanted whatever the laws are
  const char *taken;  // a name that two contacts would have
  const char *exists; // a condition of the place that is being put; NULL: none
  bool pushes;        // where it is off by as little as counts as flat, bodies are pushed apart
  const char *part;   // of the bodies, in the names of places there; NULL: they have none
  carom_status failed;
} entry;

static bool is_resistance(const char *key) {
  return strcmp(key, "rolling") == 0 || strcmp(key, "pivoting") == 0;
}

// A resistance against the spin of one body over the other: a contact that is pressed as the one
// called `name` is.
static void put_resistance(carom_body_writer *w, entry *e, const char *name, const char *key,
                           carom_yaml *spin) {
  carom_yaml *law = carom_yaml_get(e->map, key);
  if (!law) return;
  carom_yaml *made = carom_yaml_map(w->texts.arena, w->place);
  carom_body_put_text(w, made, "normal", carom_say(&w->texts, "%s.normal", name));
  carom_body_put(w, made, "slip", spin);
  carom_body_put(w, made, "friction", law);
  name = carom_say(&w->texts, "%s_%s", name, key);
  if (carom_yaml_get(e->contacts, name)) e->taken = name;
  carom_body_put(w, e->contacts, name, made);
}

static bool entry_rubs(const entry *e) {
  return e->slips || carom_yaml_get(e->map, "friction") || carom_yaml_get(e->map, "tangential");
}

// a place of contact that is there at times, and only while the user's condition holds
static void put_presence(carom_body_writer *w, const entry *e, carom_yaml *made) {
  const carom_yaml *own = carom_yaml_get(e->map, "when");
  if (!e->exists) return;
  carom_body_put_text(w, made, "when",
                      own && own->kind == CAROM_YAML_SCALAR
                          ? carom_say(&w->texts, "(%s) and %s", own->text, e->exists)
                          : e->exists);
  if (e->pushes && !carom_yaml_get(e->map, "appear"))
    carom_body_put_text(w, made, "appear", "push");
}

// of the place of contact k of `count`
static const char *contact_name(carom_body_writer *w, const entry *e, const carom_body *a,
                                const carom_body *b, int k, int count) {
  const char *name =
      e->many ? carom_say(&w->texts, "%s_%s_%s", e->name, a->label, b->label) : e->name;
  if (e->part) return carom_say(&w->texts, "%s_%s%d", name, e->part, k + 1);
  return count > 1 ? carom_say(&w->texts, "%s%s%d", name, e->many ? "_" : "", k + 1) : name;
}

// laws are those of the entry; a contact without friction needs no slip. Returns its name
static const char *put_contact(carom_body_writer *w, entry *e, const carom_body *a,
                               const carom_body *b, int k, int count, const char *gap,
                               carom_yaml *slip) {
  carom_yaml *made = carom_yaml_map(w->texts.arena, w->place);
  carom_body_put(w, made, "gap", write_scalar(w, gap));
  if (entry_rubs(e)) carom_body_put(w, made, "slip", slip);
  put_presence(w, e, made);
  for (int j = 0; j < e->map->count; j++)
    if (strcmp(e->map->keys[j], "between") != 0 && !is_resistance(e->map->keys[j]) &&
        !carom_yaml_get(made, e->map->keys[j]))
      carom_body_put(w, made, e->map->keys[j], e->map->values[j]);
  const char *name = contact_name(w, e, a, b, k, count);
  if (carom_yaml_get(e->contacts, name)) e->taken = name;
  carom_body_put(w, e->contacts, name, made);
  return name;
}

// how one body turns over the other
static carom_text_vector spin_of(carom_body_writer *w, const carom_body *a, const carom_body *b) {
  return carom_vector_difference(&w->texts, a->spin, b->spin);
}

// Where somebody asks for the force along an axis of space, NAME.fx, the directions of its parts
// along that axis: NAME.n.x, NAME.t1.x, NAME.t2.x.
static void name_directions(carom_body_writer *w, const char *name, bool rubs,
                            const carom_touching *is) {
  carom_texts *texts = &w->texts;
  carom_text_vector t[2] = {carom_vector(is->normal.c[1], negated(texts, is->normal.c[0]), "0")};
  if (w->space) tangents_at(w, is, t);
  for (int k = 0; k < (w->space ? 3 : 2); k++) {
    char axis = "xyz"[k];
    if (!carom_body_is_mentioned(w->document->root, carom_say(texts, "%s.f%c", name, axis)))
      continue;
    carom_yaml *aside = carom_body_section(w, "aside");
    carom_body_put_text(w, aside, carom_say(texts, "%s.n.%c", name, axis), is->normal.c[k]);
    for (int j = 0; rubs && j < (w->space ? 2 : 1); j++)
      carom_body_put_text(w, aside, carom_say(texts, "%s.t%d.%c", name, j + 1, axis), t[j].c[k]);
  }
}

static const char *put_touching(carom_body_writer *w, entry *e, const carom_body *a,
                                const carom_body *b, int k, int count, carom_touching is) {
  carom_text_vector spin = spin_of(w, a, b);
  e->exists = is.when;
  const char *name = put_contact(w, e, a, b, k, count, is.gap, slip_of(w, a, b, &is));
  e->exists = NULL;
  name_directions(w, name, entry_rubs(e), &is);
  put_resistance(w, e, name, "rolling",
                 w->space ? along_tangents(w, &is, spin) : write_scalar(w, spin.c[2]));
  put_resistance(w, e, name, "pivoting",
                 write_scalar(w, carom_vector_dot(&w->texts, is.normal, spin)));
  return name;
}

// what the certificate is to look at beside this contact, while the user's condition holds
static void note_apart(carom_body_writer *w, const entry *e, const char *name, const char *apart) {
  const carom_yaml *own = carom_yaml_get(e->map, "when");
  if (own && own->kind == CAROM_YAML_SCALAR)
    apart = carom_say(&w->texts, "if(%s, %s, 1)", own->text, apart);
  carom_body_put_text(w, carom_yaml_get(e->contacts, name), "apart", apart);
}

// places of contact and, beside them, what the certificate is to look at
static void put_places(carom_body_writer *w, entry *e, const carom_body *a, const carom_body *b,
                       int count, const carom_touching *places, const char *apart) {
  for (int k = 0; k < count; k++) {
    const char *name = put_touching(w, e, a, b, k, count, places[k]);
    if (k == 0) note_apart(w, e, name, apart);
  }
}

static void put_polygon(carom_body_writer *w, entry *e, const carom_body *a, const carom_body *b,
                        int k, int count, const carom_corner *corner) {
  const char *gap, *slip;
  carom_polygon_gap(w, a, corner, b, &gap, &slip);
  const char *name = put_contact(w, e, a, b, k, count, gap, write_scalar(w, slip));
  put_resistance(w, e, name, "rolling", write_scalar(w, spin_of(w, a, b).c[2]));
}

static bool is_compliant(const carom_body_writer *w) {
  const carom_yaml *run = carom_yaml_get(w->document->root, "run");
  return run && carom_yaml_get(run, "compliant");
}

// two bodies with flat faces
static void put_slots(carom_body_writer *w, entry *e, const carom_body *a, const carom_body *b) {
  int count;
  carom_yaml *list = carom_slots_begin(w, a, b);
  e->failed = carom_slots_count(w, a, b, &count);
  for (int k = 0; e->failed == CAROM_OK && k < count; k++) {
    carom_slot slot = carom_slot_write(w, contact_name(w, e, a, b, k, count), a, b);
    carom_text_vector spin = spin_of(w, a, b);
    const char *name =
        put_contact(w, e, a, b, k, count, slot.touching.gap,
                    write_along(w, slot.tangents, speed_over(w, a, b, &slot.touching)));
    carom_body_put(w, carom_yaml_get(e->contacts, name), "within",
                   write_two(w, slot.within[0], slot.within[1]));
    carom_body_put_text(w, list, name, name);
    put_resistance(w, e, name, "rolling", write_along(w, slot.tangents, spin));
    put_resistance(w, e, name, "pivoting",
                   write_scalar(w, carom_vector_dot(&w->texts, slot.touching.normal, spin)));
  }
}

// The points on which a rim rests while it lies flat.
static void put_rests(carom_body_writer *w, entry *e, const carom_body *a, const carom_body *plane,
                      int rim) {
  carom_touching places[CAROM_RIM_RESTS];
  const char *names[CAROM_RIM_RESTS];
  e->part = "face";
  int first = rim * CAROM_RIM_RESTS, all = carom_rim_count(a) * CAROM_RIM_RESTS;
  const char *way = contact_name(w, e, a, plane, first, all);
  if (plane->shape == CAROM_SHAPE_PLANE)
    carom_rim_rests(w, a, rim, plane, way, places);
  else
    carom_can_rests_on_box(w, a, rim, plane, way, places);
  for (int k = 0; k < CAROM_RIM_RESTS; k++)
    names[k] = put_touching(w, e, a, plane, first + k, all, places[k]);
  e->part = NULL;
  carom_rim_note(w, names);
}

// A coin or cylinder on a plane: the lowest point of each rim, and where it rests when it lies
// flat. Springs in place of contacts know nothing of what comes and goes; neither does a joint.
static void put_rims(carom_body_writer *w, entry *e, const carom_body *a, const carom_body *plane) {
  int count = carom_rim_count(a);
  bool rests = !e->slips && !is_compliant(w);
  carom_touching places[2] = {{0}};
  for (int k = 0; k < count; k++) {
    places[k] = carom_rim_lowest(w, a, k, plane);
    if (!rests) places[k].when = NULL;
  }
  e->pushes = rests;
  put_places(w, e, a, plane, count, places, carom_rim_apart(w, a, plane));
  for (int k = 0; k < count && rests; k++)
    put_rests(w, e, a, plane, k);
  e->pushes = false;
}

// A cylinder on a box; without a height it has no flat ends that corners could be outside of.
static bool put_can(carom_body_writer *w, entry *e, const carom_body *a, const carom_body *b) {
  bool is_can = a->shape == CAROM_SHAPE_RIM && carom_rim_count(a) == 2;
  if (!w->space || !is_can || !carom_body_is_box(b) || e->slips || is_compliant(w)) return false;
  carom_touching places[CAROM_CAN_BOX_TOUCH];
  int count = carom_can_on_box(w, a, b, places);
  for (int k = 0; k < count; k++) {
    e->pushes = k < carom_rim_count(a); // the lowest points, which follow those that lie flat
    const char *name = put_touching(w, e, a, b, k, count, places[k]);
    if (k == 0) note_apart(w, e, name, carom_can_box_apart(w, a, b));
  }
  e->pushes = true;
  for (int k = 0; k < carom_rim_count(a); k++)
    put_rests(w, e, a, b, k);
  e->pushes = false;
  return true;
}

// a ball, or a corner that will touch only what has a radius
static bool is_ball(const carom_body *body) {
  return body->shape == CAROM_SHAPE_ROUND && body->corner_count == 1;
}

// the line between two ends
static bool is_line(const carom_body *body) {
  return body->shape == CAROM_SHAPE_ROUND && body->corner_count == 2;
}

static bool is_thin(const carom_body *body) { return strcmp(body->corners[0].radius, "0") == 0; }

// A line with a radius and a polygon in the plane: its ends at the polygon's edges, corners at its
// sides.
static void put_line_at_polygon(carom_body_writer *w, entry *e, const carom_body *a,
                                const carom_body *b) {
  int all = 2 + b->corner_count;
  for (int k = 0; k < 2; k++)
    put_polygon(w, e, a, b, k, all, &a->corners[k]);
  for (int k = 2; k < all; k++)
    put_touching(w, e, b, a, k, all, carom_beside_segment(w, b, &b->corners[k - 2], a));
}

// two lines in the plane: the ends of each at the other one; two ends that meet are one place
static void put_lines(carom_body_writer *w, entry *e, const carom_body *a, const carom_body *b) {
  carom_touching places[4];
  carom_ends_touch(w, a, b, places);
  for (int k = 0; k < 4; k++)
    put_touching(w, e, k < 2 ? a : b, k < 2 ? b : a, k, 4, places[k]);
}

static void put_lines_in_space(carom_body_writer *w, entry *e, const carom_body *a,
                               const carom_body *b) {
  carom_touching places[CAROM_LINES_TOUCH];
  carom_lines_touch(w, a, b, places);
  put_places(w, e, a, b, CAROM_LINES_TOUCH, places, carom_lines_apart(w, a, b));
}

static void put_line_at_box(carom_body_writer *w, entry *e, const carom_body *a,
                            const carom_body *b) {
  carom_touching places[CAROM_LINE_BOX_TOUCH];
  carom_line_touches_box(w, a, b, places);
  put_places(w, e, a, b, CAROM_LINE_BOX_TOUCH, places, carom_line_box_apart(w, a, b));
}

// what a ball can touch that is no ball
static bool put_ball(carom_body_writer *w, entry *e, const carom_body *a, const carom_body *b) {
  bool to_line = is_line(b) && !(is_thin(a) && is_thin(b));
  bool to_solid = w->space && !is_thin(a) && (carom_body_is_box(b) || b->shape == CAROM_SHAPE_RIM);
  if (to_line) put_touching(w, e, a, b, 0, 1, carom_near_segment(w, a, a->corners, b));
  if (to_solid)
    put_touching(w, e, a, b, 0, 1,
                 carom_body_is_box(b) ? carom_near_box(w, a, a->corners, b)
                                      : carom_near_cylinder(w, a, a->corners, b));
  return to_line || to_solid;
}

// what a line with a radius can touch; without one nothing but distances from a line would be left,
// which have no sign
static bool put_line(carom_body_writer *w, entry *e, const carom_body *a, const carom_body *b) {
  bool to_line = is_line(b), to_polygon = !w->space && b->polygon,
       to_box = w->space && carom_body_is_box(b);
  if (is_thin(a)) return false;
  if (to_line && w->space) put_lines_in_space(w, e, a, b);
  if (to_line && !w->space) put_lines(w, e, a, b);
  if (to_polygon) put_line_at_polygon(w, e, a, b);
  if (to_box) put_line_at_box(w, e, a, b);
  return to_line || to_polygon || to_box;
}

// the contacts of a pair, `a` being the one with corners; false: the shapes are not ones that can
// meet
static bool put_pair(carom_body_writer *w, entry *e, const carom_body *a, const carom_body *b) {
  int n = lowest_count(a);
  if (b->shape == CAROM_SHAPE_PLANE && a->shape == CAROM_SHAPE_RIM) {
    put_rims(w, e, a, b);
    return true;
  }
  if (b->shape == CAROM_SHAPE_PLANE && n > 0) {
    for (int k = 0; k < n; k++)
      put_touching(w, e, a, b, k, n, on_plane(w, a, k, b));
    return true;
  }
  if (put_can(w, e, a, b)) return true;
  if (a->shape != CAROM_SHAPE_ROUND) return false;
  if (b->shape == CAROM_SHAPE_CUP || b->shape == CAROM_SHAPE_TUBE) {
    for (int k = 0; k < n; k++)
      put_touching(w, e, a, b, k, n, in_cup(w, a, &a->corners[k], b));
    return true;
  }
  if (is_ball(a) && is_ball(b)) {
    put_touching(w, e, a, b, 0, 1, between_balls(w, a, a->corners, b, b->corners));
    return true;
  }
  if (a->hollow || b->hollow) return false;
  if (!w->space && a->polygon && b->polygon) {
    carom_touching places[2] = {{0}};
    carom_polygons_touch(w, a, b, places);
    put_places(w, e, a, b, 2, places, carom_polygons_apart(w, a, b));
    return true;
  }
  if (!w->space && b->polygon && is_ball(a)) {
    put_polygon(w, e, a, b, 0, 1, &a->corners[0]);
    return true;
  }
  if (w->space && carom_body_has_faces(a) && carom_body_has_faces(b)) {
    put_slots(w, e, a, b);
    return true;
  }
  if (is_ball(a)) return put_ball(w, e, a, b);
  return is_line(a) && put_line(w, e, a, b);
}

bool carom_body_only_place(carom_body_writer *w, const carom_body *a, const carom_body *b,
                           const char **gap, carom_yaml **slip) {
  const carom_yaml none = {.kind = CAROM_YAML_MAP};
  entry e = {.name = "only", .map = &none, .contacts = carom_yaml_map(w->texts.arena, w->place)};
  if (!e.contacts || a->part_count || b->part_count) return false;
  if (w->space && carom_body_has_faces(a) && carom_body_has_faces(b)) return false;
  e.slips = true;
  if (!put_pair(w, &e, a, b) && !put_pair(w, &e, b, a)) return false;
  if (e.contacts->count != 1) return false;
  const carom_yaml *made = e.contacts->values[0];
  *gap = carom_yaml_get(made, "gap")->text;
  *slip = carom_yaml_get(made, "slip");
  return *slip != NULL;
}

static const char *shape_key(const carom_body *body) {
  if (body->hollow) return "polygon that is not convex";
  return body->shape_name ? body->shape_name : "no shape";
}

static carom_status fail_taken(const carom_body_writer *w, const carom_yaml *at, const char *name) {
  return carom_body_fail(
      w, at, "two contacts are called '%s': places of contact are numbered; give one another name",
      name);
}

// is every point of the rim the lowest one at the start?
static bool is_flat(const carom_body *body, const carom_body *plane) {
  return body->shape == CAROM_SHAPE_RIM && plane->shape == CAROM_SHAPE_PLANE &&
         !carom_yaml_get(body->map, "turn") && !carom_yaml_get(plane->map, "turn") &&
         strcmp(plane->normal.c[0], "0") == 0 && strcmp(plane->normal.c[1], "0") == 0;
}

static carom_status write_pieces(carom_body_writer *w, entry *e, const carom_yaml *at,
                                 const carom_body *a, const carom_body *b) {
  if (is_compliant(w) && (is_flat(a, b) || is_flat(b, a)))
    return carom_body_fail(w, at,
                           "contacts.%s: no point of the rim of a %s that is quite flat over a "
                           "plane is the lowest, as compliant contacts ask for; turn it a "
                           "little, or let it rest on points of its rim: supports: 6",
                           e->name, shape_key(is_flat(a, b) ? a : b));
  bool put = put_pair(w, e, a, b) || put_pair(w, e, b, a);
  if (e->failed != CAROM_OK) return e->failed;
  if (e->taken) return fail_taken(w, at, e->taken);
  if (put) return CAROM_OK;
  return carom_body_fail(w, at,
                         "contacts.%s: no gap is known between '%s' (%s) and '%s' (%s); write one "
                         "by hand, or give one of them another shape",
                         e->name, a->name, shape_key(a), b->name, shape_key(b));
}

// a body of several shapes touches with each of them
static int piece_count(const carom_body *body) { return body->part_count ? body->part_count : 1; }

static const carom_body *piece_of(const carom_body *body, int k) {
  return body->part_count ? &body->parts[k] : body;
}

static carom_status write_pair(carom_body_writer *w, entry *e, const carom_yaml *at,
                               const carom_body *a, const carom_body *b, bool all) {
  if (a == b || (!a->moves && !b->moves)) {
    if (all) return CAROM_OK;
    return carom_body_fail(w, at, "contacts.%s: %s", e->name,
                           a == b ? "a body does not touch itself"
                                  : "neither of the two bodies moves");
  }
  bool many = e->many;
  e->many = many || a->part_count > 0 || b->part_count > 0;
  carom_status status = CAROM_OK;
  for (int i = 0; i < piece_count(a) && status == CAROM_OK; i++)
    for (int j = 0; j < piece_count(b) && status == CAROM_OK; j++)
      status = write_pieces(w, e, at, piece_of(a, i), piece_of(b, j));
  e->many = many;
  return status;
}

// ---- who touches whom

static bool is_all(const carom_yaml *value) {
  return value->kind == CAROM_YAML_SCALAR && strcmp(value->text, "all") == 0;
}

/// Bodies that are chosen, each once.
typedef struct choice {
  const carom_body **bodies;
  int count;
} choice;

static int find_body(const carom_body *const *bodies, int count, const carom_body *body) {
  for (int k = 0; k < count; k++)
    if (bodies[k] == body) return k;
  return count;
}

static void add_body(choice *c, const carom_body *body) {
  if (find_body(c->bodies, c->count, body) == c->count) c->bodies[c->count++] = body;
}

static carom_status fail_no_body(const carom_body_writer *w, const entry *e,
                                 const carom_yaml *name) {
  enum { MOST = 64 };
  const char *names[MOST], *text = name->kind == CAROM_YAML_SCALAR ? name->text : "[...]";
  int count = w->body_count < MOST ? w->body_count : MOST;
  for (int k = 0; k < count; k++)
    names[k] = w->bodies[k].name;
  const char *nearest = carom_nearest_name(text, names, count);
  if (nearest)
    return carom_body_fail(w, name, "contacts.%s: there is no body '%s'; did you mean '%s'?",
                           e->name, text, nearest);
  return carom_body_fail(w, name,
                         "contacts.%s: there is no body '%s', and none of this material; a "
                         "floor is a body with a `plane`",
                         e->name, text);
}

// a name is that of a body, or of the material of some
static carom_status choose_name(const carom_body_writer *w, const entry *e, const carom_yaml *name,
                                choice *c) {
  const char *text = name->kind == CAROM_YAML_SCALAR ? name->text : "[...]";
  const carom_body *body = carom_body_find(w, text);
  int made = 0;
  for (int k = 0; k < w->body_count; k++) {
    const carom_yaml *material = carom_yaml_get(w->bodies[k].map, "material");
    if (!material || strcmp(material->text, text) != 0) continue;
    made++;
    add_body(c, &w->bodies[k]);
  }
  if (body && made)
    return carom_body_fail(w, name, "contacts.%s: '%s' is a body and a material: rename one",
                           e->name, text);
  if (!body && !made) return fail_no_body(w, e, name);
  if (body) add_body(c, body);
  return CAROM_OK;
}

// The name of a material that no body has too: laws of a table, which may be for one body, or for
// none that moves.
static bool is_material(const carom_body_writer *w, const carom_yaml *value) {
  return value->kind == CAROM_YAML_SCALAR && !is_all(value) && !carom_body_find(w, value->text);
}

static bool is_table(const carom_body_writer *w, const carom_yaml *between) {
  return between->kind == CAROM_YAML_LIST && between->count == 2 &&
         is_material(w, between->values[0]) && is_material(w, between->values[1]);
}

// the bodies that a name, a list of names or `all` stands for
static carom_status choose_bodies(const carom_body_writer *w, const entry *e,
                                  const carom_yaml *value, choice *c) {
  c->count = 0;
  for (int k = 0; is_all(value) && k < w->body_count; k++)
    if (w->bodies[k].shape != CAROM_SHAPE_NONE || w->bodies[k].part_count)
      add_body(c, &w->bodies[k]);
  if (is_all(value)) return CAROM_OK;
  int names = value->kind == CAROM_YAML_LIST ? value->count : 1;
  carom_status status = CAROM_OK;
  for (int k = 0; k < names && status == CAROM_OK; k++)
    status = choose_name(w, e, value->kind == CAROM_YAML_LIST ? value->values[k] : value, c);
  return status;
}

static carom_status write_entry(carom_body_writer *w, entry *e, const carom_yaml *between) {
  size_t room = (size_t)w->body_count;
  choice first = {.bodies = carom_arena_array(w->texts.arena, room, sizeof *first.bodies)};
  choice second = {.bodies = carom_arena_array(w->texts.arena, room, sizeof *second.bodies)};
  if (!first.bodies || !second.bodies) return carom_fail_memory(w->error);
  bool everybody = is_all(between);
  if (!everybody && (between->kind != CAROM_YAML_LIST || between->count != 2))
    return carom_body_fail(
        w, between, "contacts.%s.between needs two bodies (or lists of bodies), or the word all",
        e->name);
  carom_status status = choose_bodies(w, e, everybody ? between : between->values[0], &first);
  if (status == CAROM_OK)
    status = choose_bodies(w, e, everybody ? between : between->values[1], &second);
  if (status != CAROM_OK) return status;
  e->many = everybody || first.count > 1 || second.count > 1;
  bool all = e->many || is_table(w, between);
  for (int i = 0; i < first.count; i++)
    for (int j = 0; j < second.count; j++) {
      int p = find_body(first.bodies, first.count, second.bodies[j]),
          q = find_body(second.bodies, second.count, first.bodies[i]);
      bool twice = q < second.count && (p < i || (p == i && q < j)); // it came the other way round
      if (twice) continue;
      status = write_pair(w, e, between, first.bodies[i], second.bodies[j], all);
      if (status != CAROM_OK) return status;
    }
  return CAROM_OK;
}

carom_status carom_body_write_contacts(carom_body_writer *w) {
  const carom_yaml *written = carom_yaml_get(w->document->root, "contacts");
  if (!written) return CAROM_OK;
  carom_yaml *contacts = carom_yaml_map(w->texts.arena, written->place);
  for (int k = 0; k < written->count; k++) {
    const carom_yaml *between = carom_yaml_get(written->values[k], "between");
    w->place = written->key_places[k];
    if (!between) {
      if (carom_yaml_get(contacts, written->keys[k]))
        return fail_taken(w, written->values[k], written->keys[k]);
      carom_body_put(w, contacts, written->keys[k], written->values[k]);
      continue;
    }
    for (int j = 0; j < 2; j++) {
      static const char *const own[] = {"gap", "slip"};
      const carom_yaml *value = carom_yaml_get(written->values[k], own[j]);
      if (value)
        return carom_body_fail(w, value,
                               "contacts.%s: its %s follows from the bodies it is between",
                               written->keys[k], own[j]);
    }
    const carom_yaml *pivoting = carom_yaml_get(written->values[k], "pivoting");
    if (pivoting && !w->space)
      return carom_body_fail(w, pivoting, "contacts.%s: in the plane nothing pivots",
                             written->keys[k]);
    entry e = {.name = written->keys[k], .map = written->values[k], .contacts = contacts};
    int before = contacts ? contacts->count : 0;
    carom_status status = write_entry(w, &e, between);
    if (status != CAROM_OK) return status;
    if (contacts && contacts->count == before && !is_all(between) && !is_table(w, between))
      return carom_body_fail(w, between, "contacts.%s: no two of these bodies can touch", e.name);
  }
  carom_body_put(w, w->root, "contacts", contacts);
  return CAROM_OK;
}
