// SPDX-License-Identifier: MIT
// Two convex polygons in the plane touch at one point, or along a segment of two faces: at most at
// two places, the ends of where the faces overlap. So a pair has two contacts, and their gaps are
// those of the two faces that look at each other.
//
// With face a of the first body from a0 to a1 and face b of the second from b0 to b1, both
// counter-clockwise, a0 meets b1 at one end and a1 meets b0 at the other. p leads from b's corner
// to a's, n is the normal of b, m that of a, both outwards. The corner that lies further in over
// the other face is the one that can touch it,
//
//   gap = n.p (corner of a at face b)   or   -m.p (corner of b at face a).
//
// Both are equal where p is across the sum of the directions of the faces, so that this is where
// one takes over from the other, without a jump: a face that slides over an edge stays one contact.
// Corners that lie on the lines of each other's sides (flush boxes) do not ask for those sides at
// all: they do not look at each other.
//
// Of the pairs of faces that look at each other the one counts that is farthest apart. Two faces of
// bodies that do not overlap never have an end in front and one behind each other while they are
// opposite each other: else their segments would cross. The sum of both gaps thus tells the pair
// that is in touch (of boxes, where each face looks at one other), and so does the distance from
// the line of a face to the nearest corner (of polygons; Gottschalk, Lin, Manocha 1996).
//
// Numbers of faces, odd or even, say which of the two contacts an end is: a polygon with an even
// number of corners that rolls over one of them stays in the same contact.
#include "bodies/body_writer.h"

#include <string.h>

static const char ROUNDING[] = "1e-10"; // of lengths

/// Two faces that look at each other. Vectors are in the body they belong to and, between events,
/// constant.
typedef struct faces {
  const char *apart;            // how far: the largest counts
  carom_text_vector a[2], b[2]; // their ends
  carom_text_vector along[2];   // their directions
  const char *odd;              // which contact the end of a[0] and b[1] is: "1" or "0"
} faces;

/// Both bodies seen from the second one.
typedef struct view {
  const carom_body *a, *b;
  carom_text_vector apart, axis; // from b to a; the first axis of a
} view;

/// An end of where two faces overlap.
typedef struct end {
  const char *by_a; // a condition: the corner of a touches the face of b
  const char *gap;
  carom_text_vector normal; // from b to a, seen from b
} end;

static carom_text_vector seen_in_space(carom_body_writer *w, const view *v, carom_text_vector own) {
  carom_texts *texts = &w->texts;
  const char *c = v->axis.c[0], *s = v->axis.c[1], *x = own.c[0], *y = own.c[1];
  return carom_vector(
      carom_difference(texts, carom_product(texts, c, x), carom_product(texts, s, y)),
      carom_sum(texts, carom_product(texts, s, x), carom_product(texts, c, y)), "0");
}

static carom_text_vector turn_left(carom_body_writer *w, carom_text_vector t) {
  return carom_vector(t.c[1], carom_difference(&w->texts, "0", t.c[0]), "0");
}

static const char *either_text(carom_body_writer *w, const char *condition, const char *yes,
                               const char *no) {
  if (strcmp(yes, no) == 0) return yes;
  return carom_say(&w->texts, "if(%s, %s, %s)", condition, yes, no);
}

static carom_text_vector either_vector(carom_body_writer *w, const char *condition,
                                       carom_text_vector yes, carom_text_vector no) {
  const char *c[3];
  for (int k = 0; k < 3; k++)
    c[k] = carom_body_short(w, either_text(w, condition, yes.c[k], no.c[k]));
  return carom_vector(c[0], c[1], c[2]);
}

static faces either_faces(carom_body_writer *w, const char *condition, const faces *yes,
                          const faces *no) {
  faces is = {.apart = carom_body_short(w, either_text(w, condition, yes->apart, no->apart)),
              .odd = carom_body_short(w, either_text(w, condition, yes->odd, no->odd))};
  for (int k = 0; k < 2; k++) {
    is.a[k] = either_vector(w, condition, yes->a[k], no->a[k]);
    is.b[k] = either_vector(w, condition, yes->b[k], no->b[k]);
    is.along[k] = either_vector(w, condition, yes->along[k], no->along[k]);
  }
  return is;
}

static faces farther_faces(carom_body_writer *w, const faces *p, const faces *q) {
  const char *condition = carom_say(&w->texts, "%s > %s", p->apart, q->apart);
  return either_faces(w, condition, p, q);
}

static end end_of(carom_body_writer *w, const view *v, const faces *f, int k) {
  carom_texts *texts = &w->texts;
  carom_text_vector t = seen_in_space(w, v, f->along[0]), n = turn_left(w, f->along[1]);
  carom_text_vector p = carom_vector_difference(
      texts, carom_vector_sum(texts, v->apart, seen_in_space(w, v, f->a[k])), f->b[1 - k]);
  p = carom_body_short_vector(w, p);
  const char *along = carom_vector_dot(texts, p, carom_vector_difference(texts, t, f->along[1]));
  end is = {.by_a = carom_say(texts, "%s %s 0", carom_body_short(w, along), k == 0 ? ">" : "<")};
  is.normal = either_vector(w, is.by_a, n, carom_vector_times(texts, "(-1)", turn_left(w, t)));
  is.gap = carom_vector_dot(texts, is.normal, p);
  return is;
}

// ---- polygons

static carom_text_vector direction_of(carom_body_writer *w, const carom_body *body, int k) {
  static const char *const box[4][2] = {{"1", "0"}, {"0", "1"}, {"(-1)", "0"}, {"0", "(-1)"}};
  carom_texts *texts = &w->texts;
  int n = body->corner_count;
  if (carom_body_is_box(body)) return carom_vector(box[k][0], box[k][1], "0");
  carom_text_vector edge =
      carom_vector_difference(texts, body->corners[(k + 1) % n].local, body->corners[k].local);
  const char *length = carom_body_derived(w, carom_say(texts, "%s.edge%d", body->name, k + 1),
                                          carom_vector_length(texts, edge));
  const char *c[2];
  for (int i = 0; i < 2; i++)
    c[i] = carom_body_derived(w, carom_say(texts, "%s.edge%d.%c", body->name, k + 1, "xy"[i]),
                              carom_say(texts, "%s/%s", edge.c[i], length));
  return carom_vector(c[0], c[1], "0");
}

// puts corner k and the face behind it into the place of one of the two bodies
static void put_face(carom_body_writer *w, faces *f, bool first, const carom_body *body, int k) {
  carom_text_vector *ends = first ? f->a : f->b;
  int n = body->corner_count;
  ends[0] = body->corners[k].local;
  ends[1] = body->corners[(k + 1) % n].local;
  f->along[!first] = direction_of(w, body, k);
}

static faces faces_of(carom_body_writer *w, const view *v, int i, int j) {
  faces f = {.apart = "0", .odd = (i + j) % 2 ? "1" : "0"};
  put_face(w, &f, true, v->a, i);
  put_face(w, &f, false, v->b, j);
  return f;
}

/// A corner of one body before a face of the other, and the two faces that meet there.
typedef struct before {
  const char *distance; // from the line of the face
  const char *looks;    // a condition: the face behind the corner looks at it, not the one before
  faces behind, ahead;
} before;

static before corner_before(carom_body_writer *w, const view *v, bool of_a, int face, int corner) {
  carom_texts *texts = &w->texts;
  int n = of_a ? v->b->corner_count : v->a->corner_count, last = (corner + n - 1) % n;
  before is = {.ahead = of_a ? faces_of(w, v, face, corner) : faces_of(w, v, corner, face),
               .behind = of_a ? faces_of(w, v, face, last) : faces_of(w, v, last, face)};
  const faces *f = &is.ahead;
  carom_text_vector t = seen_in_space(w, v, f->along[0]);
  carom_text_vector p = carom_vector_difference(
      texts, carom_vector_sum(texts, v->apart, seen_in_space(w, v, f->a[0])), f->b[0]);
  carom_text_vector n_out =
      of_a ? carom_vector_times(texts, "(-1)", turn_left(w, t)) : turn_left(w, f->along[1]);
  is.distance = carom_body_short(w, carom_vector_dot(texts, n_out, p));
  const char *turned = carom_vector_dot(texts, t, f->along[1]);
  t = seen_in_space(w, v, is.behind.along[0]);
  is.looks = carom_say(texts, "%s < %s", carom_body_short(w, turned),
                       carom_body_short(w, carom_vector_dot(texts, t, is.behind.along[1])));
  return is;
}

static faces at_corner(carom_body_writer *w, const view *v, bool of_a, int face, int corner) {
  before is = corner_before(w, v, of_a, face, corner);
  faces f = either_faces(w, is.looks, &is.ahead, &is.behind);
  f.apart = is.distance;
  return f;
}

// the nearest corner before a face of a polygon, with the face there that looks at it
static faces before_face(carom_body_writer *w, const view *v, bool of_a, int face) {
  int n = of_a ? v->b->corner_count : v->a->corner_count;
  faces best = at_corner(w, v, of_a, face, 0);
  for (int corner = 1; corner < n; corner++) {
    faces next = at_corner(w, v, of_a, face, corner);
    const char *nearer = carom_say(&w->texts, "%s < %s", next.apart, best.apart);
    best = either_faces(w, nearer, &next, &best);
  }
  return best;
}

static faces farthest_of_polygons(carom_body_writer *w, const view *v) {
  faces best = before_face(w, v, true, 0);
  for (int k = 1; k < v->a->corner_count + v->b->corner_count; k++) {
    bool of_a = k < v->a->corner_count;
    faces next = before_face(w, v, of_a, of_a ? k : k - v->a->corner_count);
    best = farther_faces(w, &next, &best);
  }
  return best;
}

// ---- boxes

// Face j of box b and face j + 2 - k of box a look at each other, a being turned by k right angles
// and up to half of one.
static faces before_box(carom_body_writer *w, const view *v, int j, const char *turns[2]) {
  faces f[4];
  for (int k = 0; k < 4; k++)
    f[k] = faces_of(w, v, (j + 6 - k) % 4, j);
  faces near = either_faces(w, turns[1], &f[0], &f[3]),
        far = either_faces(w, turns[1], &f[1], &f[2]);
  near = either_faces(w, turns[0], &near, &far);
  end ends[2] = {end_of(w, v, &near, 0), end_of(w, v, &near, 1)};
  near.apart = carom_body_short(w, carom_sum(&w->texts, ends[0].gap, ends[1].gap));
  return near;
}

static faces farthest_of_boxes(carom_body_writer *w, const view *v) {
  const char *c = carom_body_short(w, v->axis.c[0]), *s = carom_body_short(w, v->axis.c[1]);
  const char *turns[2] = {carom_say(&w->texts, "%s > %s", c, s),
                          carom_say(&w->texts, "%s + %s > 0", c, s)};
  faces f[4];
  for (int j = 0; j < 4; j++)
    f[j] = before_box(w, v, j, turns);
  faces upright = farther_faces(w, &f[0], &f[2]), level = farther_faces(w, &f[1], &f[3]);
  return farther_faces(w, &upright, &level);
}

// ---- both

// Faces touch where they are opposite each other. A corner that slides off the end of a face comes
// to the other one's corner: there the contact has ended, as both bodies part along the face, and
// it ends a rounding (of the length of the faces) before the corners meet, so that none of the two
// faces is struck. Where faces are not opposite each other the gap is how far the middles are
// apart.
static const char *gap_while_opposite(carom_body_writer *w, const view *v, const faces *f,
                                      const char *gap) {
  carom_texts *texts = &w->texts;
  carom_text_vector t =
      carom_vector_difference(texts, seen_in_space(w, v, f->along[0]), f->along[1]);
  const char *over[2];
  for (int k = 0; k < 2; k++) {
    carom_text_vector p = carom_vector_difference(
        texts, carom_vector_sum(texts, v->apart, seen_in_space(w, v, f->a[k])), f->b[k]);
    over[k] = carom_body_short(w, carom_vector_dot(texts, t, p));
  }
  const char *far = carom_body_short(w, carom_vector_length(texts, v->apart));
  return carom_say(texts, "if(%s + %s*%s < 0 and %s + %s*%s > 0, %s, %s)", over[0], ROUNDING,
                   over[1], over[1], ROUNDING, over[0], gap, far);
}

void carom_polygons_touch(carom_body_writer *w, const carom_body *a, const carom_body *b,
                          carom_touching places[2]) {
  carom_texts *texts = &w->texts;
  carom_text_vector from = carom_vector_difference(texts, a->at, b->at);
  view v = {.a = a,
            .b = b,
            .apart = carom_body_short_vector(w, carom_turn_in(texts, &b->turn, from)),
            .axis = carom_body_short_vector(w, carom_turn_in(texts, &b->turn, a->turn.axis[0]))};
  bool boxes = carom_body_is_box(a) && carom_body_is_box(b);
  faces f = boxes ? farthest_of_boxes(w, &v) : farthest_of_polygons(w, &v);
  carom_touching ends[2];
  for (int k = 0; k < 2; k++) {
    end is = end_of(w, &v, &f, k);
    carom_text_vector own = carom_turn_out(texts, &a->turn, f.a[k]),
                      other = carom_turn_out(texts, &b->turn, f.b[1 - k]);
    ends[k].gap = gap_while_opposite(w, &v, &f, is.gap);
    ends[k].normal = carom_turn_out(texts, &b->turn, is.normal);
    ends[k].arms[0] = either_vector(w, is.by_a, own, carom_vector_difference(texts, other, from));
    ends[k].arms[1] = carom_vector_sum(texts, ends[k].arms[0], from);
  }
  const char *odd = carom_say(texts, "%s > 0.5", f.odd);
  for (int k = 0; k < 2; k++) {
    const carom_touching *is = &ends[k], *no = &ends[1 - k];
    places[k].gap = either_text(w, odd, no->gap, is->gap);
    places[k].normal = either_vector(w, odd, no->normal, is->normal);
    for (int i = 0; i < 2; i++)
      places[k].arms[i] = either_vector(w, odd, no->arms[i], is->arms[i]);
  }
}

// ---- for the certificate

// the place of a corner, from the first body's centre
static carom_text_vector corner_at(carom_body_writer *w, const carom_body *body, int k,
                                   carom_text_vector from) {
  carom_texts *texts = &w->texts;
  carom_text_vector own = carom_turn_out(texts, &body->turn, body->corners[k].local);
  return carom_body_short_vector(w, carom_vector_sum(texts, own, from));
}

// the least distance of the corners of `other` from the line of one face
static const char *before_line(carom_body_writer *w, const carom_body *body, int face,
                               carom_text_vector begin, int count,
                               const carom_text_vector *others) {
  carom_texts *texts = &w->texts;
  carom_text_vector n =
      carom_turn_out(texts, &body->turn, turn_left(w, direction_of(w, body, face)));
  n = carom_body_short_vector(w, n);
  const char *least = "";
  for (int k = 0; k < count; k++) {
    const char *distance =
        carom_vector_dot(texts, n, carom_vector_difference(texts, others[k], begin));
    least = k ? carom_say(texts, "%s, %s", least, distance) : distance;
  }
  return carom_body_short(w, carom_say(texts, "min(%s)", least));
}

// Two convex polygons overlap where each face of both has a corner of the other behind its line: an
// expression that knows nothing of which faces look at each other.
const char *carom_polygons_apart(carom_body_writer *w, const carom_body *a, const carom_body *b) {
  carom_texts *texts = &w->texts;
  const carom_body *bodies[2] = {a, b};
  carom_text_vector at[2][CAROM_BODY_MOST_CORNERS];
  const carom_text_vector from[2] = {carom_vector("0", "0", "0"),
                                     carom_vector_difference(texts, b->at, a->at)};
  const char *most = NULL;
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < bodies[i]->corner_count; k++)
      at[i][k] = corner_at(w, bodies[i], k, from[i]);
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < bodies[i]->corner_count; k++) {
      const char *far =
          before_line(w, bodies[i], k, at[i][k], bodies[1 - i]->corner_count, at[1 - i]);
      most = most ? carom_say(texts, "%s, %s", most, far) : far;
    }
  return carom_say(texts, "max(%s)", most);
}
