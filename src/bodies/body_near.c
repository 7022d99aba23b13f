// SPDX-License-Identifier: MIT
// Distances of balls from other shapes. All of them are true distances
// between points of both bodies: none is ever less than what is between them, and where bodies
// touch one of them is zero. Where the nearest point passes from a face to an edge, or from a side
// to an end, distance and normal go on without a jump.
#include "bodies/body_writer.h"

#include <string.h>

// how far x is outside of -h ... h
static const char *text_outside(carom_texts *texts, const char *x, const char *h) {
  return carom_say(texts, "if(%s > %s, %s - %s, if(%s < -%s, %s + %s, 0))", x, h, x, h, x, h, x, h);
}

static const char *text_within(carom_texts *texts, const char *x, const char *h) {
  return carom_say(texts, "if(%s > %s, %s, if(%s < -%s, -%s, %s))", x, h, h, x, h, h, x);
}

/// A ball seen from the centre of another body.
typedef struct sight {
  carom_text_vector arm;  // in its own body
  carom_text_vector from; // from the centre of the other one
} sight;

static sight look_from_ball(carom_body_writer *w, const carom_body *a, const carom_corner *ball,
                            const carom_body *b) {
  carom_texts *texts = &w->texts;
  carom_text_vector arm = carom_turn_out(texts, &a->turn, ball->local);
  carom_text_vector from =
      carom_vector_difference(texts, carom_vector_sum(texts, a->at, arm), b->at);
  return (sight){carom_body_short_vector(w, arm), carom_body_short_vector(w, from)};
}

// the ball's centre is `away` from a point of the other body, about which that has a radius
static carom_touching touch_round(carom_body_writer *w, const sight *s, const carom_corner *ball,
                                  carom_text_vector away, const char *radius) {
  carom_texts *texts = &w->texts;
  away = carom_body_short_vector(w, away);
  const char *length = carom_body_short(w, carom_vector_length(texts, away));
  carom_touching is = {.gap =
                           carom_difference(texts, length, carom_sum(texts, ball->radius, radius)),
                       .normal = carom_vector_over(texts, away, length)};
  is.arms[0] =
      carom_vector_difference(texts, s->arm, carom_vector_times(texts, ball->radius, is.normal));
  is.arms[1] = carom_vector_sum(texts, carom_vector_difference(texts, s->from, away),
                                carom_vector_times(texts, radius, is.normal));
  return is;
}

carom_touching carom_near_segment(carom_body_writer *w, const carom_body *a,
                                  const carom_corner *ball, const carom_body *b) {
  carom_texts *texts = &w->texts;
  sight s = look_from_ball(w, a, ball, b);
  int along = w->space ? 2 : 0; // its axis
  const char *half = b->corners[1].local.c[along];
  const char *x = carom_body_short(w, carom_vector_dot(texts, b->turn.axis[along], s.from));
  carom_text_vector away = carom_vector_difference(
      texts, s.from, carom_vector_times(texts, text_within(texts, x, half), b->turn.axis[along]));
  return touch_round(w, &s, ball, away, b->corners[1].radius);
}

// where an end of one body lies along the line of another one, from its middle
static const char *place_along(carom_body_writer *w, const carom_body *a, const carom_corner *end,
                               const carom_body *b) {
  sight s = look_from_ball(w, a, end, b);
  return carom_vector_dot(&w->texts, b->turn.axis[w->space ? 2 : 0], s.from);
}

static const char *half_of(const carom_body_writer *w, const carom_body *line) {
  return line->corners[1].local.c[w->space ? 2 : 0];
}

static const char *is_beside(carom_body_writer *w, const char *x, const char *half) {
  return carom_say(&w->texts, "not (%s > %s) and not (%s < -%s)", x, half, x, half);
}

carom_touching carom_beside_segment(carom_body_writer *w, const carom_body *a,
                                    const carom_corner *end, const carom_body *b) {
  carom_touching is = carom_near_segment(w, a, end, b);
  is.side = b->turn.axis[w->space ? 2 : 0];
  is.when = is_beside(w, place_along(w, a, end, b), half_of(w, b));
  return is;
}

void carom_ends_touch(carom_body_writer *w, const carom_body *a, const carom_body *b,
                      carom_touching places[4]) {
  const char *half[2] = {half_of(w, a), half_of(w, b)}, *beside[2];
  for (int k = 0; k < 2; k++) {
    places[2 + k] = carom_beside_segment(w, b, &b->corners[k], a);
    beside[k] = is_beside(w, place_along(w, b, &b->corners[k], a), half[0]);
  }
  for (int k = 0; k < 2; k++) {
    const char *x = place_along(w, a, &a->corners[k], b);
    places[k] = carom_near_segment(w, a, &a->corners[k], b);
    places[k].when =
        carom_say(&w->texts, "(if(%s > %s, if(%s, 0, 1), if(%s < -%s, if(%s, 0, 1), 1)) > 0)", x,
                  half[1], beside[1], x, half[1], beside[0]);
  }
}

carom_touching carom_near_box(carom_body_writer *w, const carom_body *a, const carom_corner *ball,
                              const carom_body *b) {
  carom_texts *texts = &w->texts;
  sight s = look_from_ball(w, a, ball, b);
  carom_text_vector seen = carom_turn_in(texts, &b->turn, s.from);
  const char *over[3];
  for (int k = 0; k < 3; k++)
    over[k] = carom_body_short(
        w, text_outside(texts, carom_body_short(w, seen.c[k]), b->corners[7].local.c[k]));
  carom_text_vector own = carom_vector(over[0], over[1], over[2]);
  // the length is the same in the body, and shorter there
  carom_touching is = touch_round(w, &s, ball, carom_turn_out(texts, &b->turn, own), "0");
  is.gap = carom_difference(texts, carom_vector_length(texts, own), ball->radius);
  return is;
}

carom_touching carom_near_cylinder(carom_body_writer *w, const carom_body *a,
                                   const carom_corner *ball, const carom_body *b) {
  carom_texts *texts = &w->texts;
  sight s = look_from_ball(w, a, ball, b);
  carom_text_vector axis = b->turn.axis[2];
  const char *x = carom_body_short(w, carom_vector_dot(texts, axis, s.from));
  const char *over = strcmp(b->size[1], "0") == 0 ? x : text_outside(texts, x, b->size[1]);
  carom_text_vector across =
      carom_vector_difference(texts, s.from, carom_vector_times(texts, x, axis));
  const char *square = carom_body_short(w, carom_vector_dot(texts, across, across));
  // (1 - R/|across|) across, nothing over the ends
  const char *part =
      carom_say(texts, "if(%s > %s^2, 1 - %s/sqrt(%s), 0)", square, b->size[0], b->size[0], square);
  carom_text_vector away = carom_vector_sum(texts, carom_vector_times(texts, over, axis),
                                            carom_vector_times(texts, part, across));
  return touch_round(w, &s, ball, away, "0");
}
