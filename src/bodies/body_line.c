// SPDX-License-Identifier: MIT
// Capsules in space: lines with a radius. Where two lines, or a line and an edge, pass across each
// other there is a place for their insides, and one for every end beside the other line. Each of
// them is the distance between a point of one body and a point of the other, never less than what
// is between the bodies, and where they are nearest one of them is that. Lines that lie along each
// other touch with the ends of their overlap, which are ends of one of them beside the other.
//
// With q from the middle of the second line to that of the first, directions u and v, w = u x v and
// D = w.w the lines are nearest at s u and t v,
//
//   s = w.(v x q)/D,   t = w.(u x q)/D,   distance |q.w|/sqrt(D),
//
// which are products without differences of large numbers (Lumelsky 1985 has the same with them).
// The place is there while s and t are within the lines and they are not parallel: D > 1e-12. Up to
// there the ends are as near as the lines, but for D h^2/(2 d), where d is the distance of the
// lines and h half their length. What is nearest passes from the inside to an end without a jump of
// distance or normal: one place ends where the other one begins.
#include "bodies/body_writer.h"

#include <string.h>

static const char *const PARALLEL = "1e-12"; // D: an angle of 1e-6

/// What their directions make.
typedef struct across {
  carom_text_vector w;
  const char *square; // D
  const char *least;  // D of lines that count as parallel
  const char *skew;   // q.w
  const char *way[2]; // s D, t D
} across;

static across cross_lines(carom_body_writer *w, const carom_lines *l) {
  carom_texts *texts = &w->texts;
  across is = {.w = carom_body_short_vector(w, carom_vector_cross(texts, l->along[0], l->along[1])),
               .least = l->least ? l->least : PARALLEL};
  is.square = carom_body_short(w, carom_vector_dot(texts, is.w, is.w));
  is.skew = carom_body_short(w, carom_vector_dot(texts, is.w, l->from));
  for (int k = 0; k < 2; k++)
    is.way[k] = carom_body_short(
        w, carom_vector_dot(texts, is.w, carom_vector_cross(texts, l->along[1 - k], l->from)));
  return is;
}

// Are the nearest points within both lines? `square` is D, or the least that does not count as
// parallel: between rounding errors of parallel lines nothing would be decided.
static const char *within_lines(carom_body_writer *w, const carom_lines *l, const across *c,
                                const char *square) {
  carom_texts *texts = &w->texts;
  const char *text = carom_say(texts, "%s > %s", c->square, c->least);
  for (int k = 0; k < 2; k++)
    text = carom_say(texts, "%s and %s < %s*%s and %s > -%s*%s", text, c->way[k], l->half[k],
                     square, c->way[k], l->half[k], square);
  return text;
}

// The sides of two lines across each other; arms from the middle of each. Where the place is not
// there its numbers are finite, and rest: two lines that lie on one floor are at no distance, where
// a root has no derivative but for 1e-300.
static carom_touching sides_touch(carom_body_writer *w, const carom_lines *l,
                                  const char *radius[2]) {
  carom_texts *texts = &w->texts;
  across c = cross_lines(w, l);
  const char *square = carom_body_short(
      w, carom_say(texts, "if(%s > %s, %s, %s)", c.square, c.least, c.square, c.least));
  const char *length = carom_body_short(w, carom_root(texts, square));
  const char *both = carom_sum(texts, radius[0], radius[1]);
  const char *skew =
      carom_body_short(w, carom_say(texts, "sqrt((%s)^2 + 1e-300*(%s)^2)", c.skew, both));
  carom_touching is = {.when = within_lines(w, l, &c, square), .side = l->along[0]};
  is.gap = carom_say(texts, "(if(%s, %s/%s, 2*%s) - %s)", is.when, skew, length, both, both);
  const char *unit = carom_say(texts, "if(%s, %s/(%s*%s), 0)", is.when, c.skew, skew, length);
  is.normal = carom_body_short_vector(w, carom_vector_times(texts, carom_body_short(w, unit), c.w));
  for (int k = 0; k < 2; k++) {
    const char *s = carom_body_short(w, carom_quotient(texts, c.way[k], square));
    carom_text_vector foot = carom_vector_times(texts, s, l->along[k]),
                      out = carom_vector_times(texts, radius[k], is.normal);
    is.arms[k] =
        k == 0 ? carom_vector_difference(texts, foot, out) : carom_vector_sum(texts, foot, out);
  }
  return is;
}

static carom_touching seen_from_other(carom_body_writer *w, carom_touching is) {
  carom_text_vector arm = is.arms[0];
  is.normal = carom_vector_times(&w->texts, "(-1)", is.normal);
  is.arms[0] = is.arms[1];
  is.arms[1] = arm;
  return is;
}

static const char *half_of(const carom_body *line) { return line->corners[1].local.c[2]; }
static const char *radius_of(const carom_body *line) { return line->corners[1].radius; }

static carom_lines lines_of(carom_body_writer *w, const carom_body *a, const carom_body *b) {
  return (carom_lines){
      .from = carom_body_short_vector(w, carom_vector_difference(&w->texts, a->at, b->at)),
      .along = {carom_body_short_vector(w, a->turn.axis[2]),
                carom_body_short_vector(w, b->turn.axis[2])},
      .half = {half_of(a), half_of(b)}};
}

void carom_lines_touch(carom_body_writer *w, const carom_body *a, const carom_body *b,
                       carom_touching places[CAROM_LINES_TOUCH]) {
  carom_lines l = lines_of(w, a, b);
  const char *radius[2] = {radius_of(a), radius_of(b)};
  carom_ends_touch(w, a, b, places);
  for (int k = 2; k < 4; k++)
    places[k] = seen_from_other(w, places[k]);
  places[4] = sides_touch(w, &l, radius);
}

// ---- a line and a box

// edge k of twelve: along one axis, at one of four corners of the other two
carom_lines carom_line_and_edge(carom_body_writer *w, const carom_lines *seen,
                                const carom_body *box, int k) {
  carom_texts *texts = &w->texts;
  static const char *const unit[3][3] = {{"1", "0", "0"}, {"0", "1", "0"}, {"0", "0", "1"}};
  const char *const *half = box->corners[7].local.c;
  const char *c[3];
  int axis = k / 4;
  c[axis] = "0";
  for (int i = 0; i < 2; i++) {
    int other = (axis + 1 + i) % 3;
    c[other] = k >> i & 1 ? half[other] : carom_say(texts, "(-%s)", half[other]);
  }
  carom_text_vector middle = carom_vector(c[0], c[1], c[2]);
  return (carom_lines){
      .from = carom_body_short_vector(w, carom_vector_difference(texts, seen->from, middle)),
      .along = {seen->along[0], carom_vector(unit[axis][0], unit[axis][1], unit[axis][2])},
      .half = {seen->half[0], half[axis]},
      .least = seen->least};
}

// the line seen from the box
carom_lines carom_see_line(carom_body_writer *w, const carom_body *a, const carom_body *box) {
  carom_texts *texts = &w->texts;
  carom_text_vector from = carom_vector_difference(texts, a->at, box->at);
  return (carom_lines){
      .from = carom_body_short_vector(w, carom_turn_in(texts, &box->turn, from)),
      .along = {carom_body_short_vector(w, carom_turn_in(texts, &box->turn, a->turn.axis[2]))},
      .half = {half_of(a)}};
}

carom_touching carom_side_at_edge(carom_body_writer *w, const carom_body *a, const carom_body *box,
                                  const carom_lines *seen, int k) {
  carom_texts *texts = &w->texts;
  const char *radius[2] = {radius_of(a), "0"};
  carom_lines l = carom_line_and_edge(w, seen, box, k);
  carom_text_vector middle = carom_vector_difference(texts, seen->from, l.from);
  carom_touching is = sides_touch(w, &l, radius);
  is.arms[1] = carom_vector_sum(texts, middle, is.arms[1]);
  is.normal = carom_turn_out(texts, &box->turn, is.normal);
  is.side = a->turn.axis[2];
  for (int i = 0; i < 2; i++)
    is.arms[i] = carom_turn_out(texts, &box->turn, is.arms[i]);
  return is;
}

void carom_line_touches_box(carom_body_writer *w, const carom_body *a, const carom_body *b,
                            carom_touching places[CAROM_LINE_BOX_TOUCH]) {
  carom_lines seen = carom_see_line(w, a, b);
  for (int k = 0; k < 2; k++)
    places[k] = carom_near_box(w, a, &a->corners[k], b);
  for (int k = 0; k < 8; k++)
    places[2 + k] = seen_from_other(w, carom_beside_segment(w, b, &b->corners[k], a));
  for (int k = 0; k < 12; k++)
    places[10 + k] = carom_side_at_edge(w, a, b, &seen, k);
}

// ---- for the certificate

static const char *clamp_text(carom_body_writer *w, const char *x, const char *half) {
  return carom_body_short(w, carom_say(&w->texts, "max(-%s, min(%s, %s))", half, half, x));
}

// The distance of the lines where s is the place on the first: the nearest place t of the second
// one to it, and the nearest one of the first to that. Never less than the distance of the lines.
static const char *distance_from(carom_body_writer *w, const carom_lines *l, const char *s) {
  carom_texts *texts = &w->texts;
  carom_text_vector foot =
      carom_vector_sum(texts, l->from, carom_vector_times(texts, s, l->along[0]));
  const char *t = clamp_text(w, carom_vector_dot(texts, l->along[1], foot), l->half[1]);
  carom_text_vector back =
      carom_vector_difference(texts, carom_vector_times(texts, t, l->along[1]), l->from);
  s = clamp_text(w, carom_vector_dot(texts, l->along[0], back), l->half[0]);
  carom_text_vector away =
      carom_vector_difference(texts, carom_vector_times(texts, s, l->along[0]), back);
  return carom_body_short(w, carom_vector_length(texts, away));
}

// The distance of two lines: from both ends of the first, and from where they are nearest without
// ends (Ericson, Real-Time Collision Detection, 2005, 5.1.9)
static const char *distance_of(carom_body_writer *w, const carom_lines *l) {
  carom_texts *texts = &w->texts;
  const char *dot[3] = {carom_body_short(w, carom_vector_dot(texts, l->along[0], l->along[1])),
                        carom_body_short(w, carom_vector_dot(texts, l->along[0], l->from)),
                        carom_body_short(w, carom_vector_dot(texts, l->along[1], l->from))};
  const char *s =
      carom_say(texts, "(%s*%s - %s)/max(1e-300, 1 - (%s)^2)", dot[0], dot[2], dot[1], dot[0]);
  const char *ends[2] = {carom_say(texts, "(-%s)", l->half[0]), l->half[0]};
  return carom_body_short(w, carom_say(texts, "min(%s, %s, %s)", distance_from(w, l, ends[0]),
                                       distance_from(w, l, ends[1]),
                                       distance_from(w, l, clamp_text(w, s, l->half[0]))));
}

const char *carom_lines_apart(carom_body_writer *w, const carom_body *a, const carom_body *b) {
  carom_lines l = lines_of(w, a, b);
  return carom_say(&w->texts, "%s - (%s + %s)", distance_of(w, &l), radius_of(a), radius_of(b));
}

// how far a line passes a box along the best of six axes: below 0 it goes through
static const char *passes_box(carom_body_writer *w, const carom_lines *seen,
                              const carom_body *box) {
  carom_texts *texts = &w->texts;
  const char *most = "", *const *half = box->corners[7].local.c;
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    const char *const *u = seen->along[0].c, *const *p = seen->from.c;
    most = carom_say(texts, "%s%sabs(%s) - %s - %s*abs(%s)", most, k ? ", " : "", p[k], half[k],
                     seen->half[0], u[k]);
    most = carom_say(texts, "%s, abs(%s*%s - %s*%s) - %s*abs(%s) - %s*abs(%s)", most, p[i], u[j],
                     p[j], u[i], half[i], u[j], half[j], u[i]);
  }
  return carom_body_short(w, carom_say(texts, "max(%s)", most));
}

const char *carom_line_box_apart(carom_body_writer *w, const carom_body *a, const carom_body *b) {
  carom_texts *texts = &w->texts;
  carom_lines seen = carom_see_line(w, a, b);
  const char *least = "";
  for (int k = 0; k < 2; k++) // an end over a face; edges say the rest
    least = carom_say(texts, "%s%s%s + %s", least, k ? ", " : "",
                      carom_near_box(w, a, &a->corners[k], b).gap, radius_of(a));
  for (int k = 0; k < 12; k++) {
    carom_lines l = carom_line_and_edge(w, &seen, b, k);
    least = carom_say(texts, "%s, %s", least, distance_of(w, &l));
  }
  const char *passes = passes_box(w, &seen, b);
  return carom_say(texts, "if(%s < 0, %s, min(%s)) - %s", passes, passes, least, radius_of(a));
}
