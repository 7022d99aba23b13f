// SPDX-License-Identifier: MIT
// A cylinder and a box in space. The cylinder touches a face of the box as it touches a plane: with
// the lowest point of a rim, and lying flat with points of it (body_rim.c), where these are over
// the face. Its side touches corners and edges as that of a capsule does (body_line.c), and corners
// touch its flat ends.
//
// Of the faces the one counts that the cylinder is farthest above: in touch with a face it is
// beyond no other one. Which side of the box that is changes well inside of it, and not where they
// are centred: no motion stays where that is decided.
//
// Overlap that none of these places has noticed is seen by the deepest of some points of each edge,
// which is never deeper than the bodies are.
#include "bodies/body_writer.h"

#include <string.h>

enum { RIMS = 2, CORNERS = 8, EDGES = 12 };

// any number but 0: where the nearer side of a body changes, in half sizes
static const char *const ASIDE = "(-0.31)";
// of half an edge: what a rim can touch. The last bit is the corner's: edges that stand on a flat
// end would always be where this is decided.
static const char *const WITHIN = "0.999";
static const char *const DEEP = "0.001";          // of the radius
static const char *const ON_EDGE = "1.000000001"; // what is on the edge of a face is on the face

// sine^2 of the angle up to which a side lies along an edge: nothing between that and rounding is
// to be told apart by bounds, where cylinders stand or roll
static const char *const ALONG = "1e-4";

static const char *const ACROSS = "0.04"; // cosine^2 between the axis and an edge across a rim

/// A face of a box: its normal and the way to it from the centre, in the box.
typedef struct box_face {
  carom_text_vector normal;
  const char *height;
} box_face;

static const char *const *half_sizes(const carom_body *box) { return box->corners[7].local.c; }

static const char *nearer_side(carom_body_writer *w, const char *x, const char *half) {
  return carom_body_short(w, carom_say(&w->texts, "if(%s > %s*%s, 1, -1)", x, ASIDE, half));
}

// How far the cylinder is above the face across axis k, on this side, less 5e-7 of its size at
// most: roots that are smooth where an axis is square to another one.
static const char *height_above(carom_body_writer *w, const carom_body *can,
                                const carom_lines *seen, const carom_body *box, int k,
                                const char *side) {
  const char *const *c = seen->from.c, *const *u = seen->along[0].c;
  int i = (k + 1) % 3, j = (k + 2) % 3;
  return carom_body_short(
      w, carom_say(&w->texts,
                   "(%s*%s - %s - %s*sqrt((%s)^2 + 1e-6) - %s*sqrt((%s)^2 + (%s)^2 + 1e-6))", side,
                   c[k], half_sizes(box)[k], can->size[1], u[k], can->size[0], u[i], u[j]));
}

// Heights that are equal by symmetry are below 0: factors that are not equal tell them apart.
static box_face face_below(carom_body_writer *w, const carom_body *can, const carom_lines *seen,
                           const carom_body *box) {
  carom_texts *texts = &w->texts;
  const char *side[3], *above[3];
  for (int k = 0; k < 3; k++) {
    side[k] = nearer_side(w, seen->from.c[k], half_sizes(box)[k]);
    above[k] = height_above(w, can, seen, box, k, side[k]);
  }
  const char *first = carom_say(texts, "%s > 1.17*%s", above[0], above[1]);
  const char *more =
      carom_body_short(w, carom_say(texts, "if(%s, %s, 1.17*%s)", first, above[0], above[1]));
  const char *third = carom_say(texts, "1.31*%s > %s", above[2], more);
  box_face is = {
      .normal = carom_vector(carom_say(texts, "if(%s, 0, if(%s, %s, 0))", third, first, side[0]),
                             carom_say(texts, "if(%s, 0, if(%s, 0, %s))", third, first, side[1]),
                             carom_say(texts, "if(%s, %s, 0)", third, side[2]))};
  is.normal = carom_body_short_vector(w, is.normal);
  is.height = "0";
  for (int k = 0; k < 3; k++)
    is.height = carom_sum(
        texts, is.height,
        carom_product(texts, half_sizes(box)[k], carom_say(texts, "(%s)^2", is.normal.c[k])));
  is.height = carom_body_short(w, is.height);
  return is;
}

static carom_body plane_of_face(carom_body_writer *w, const box_face *face, const carom_body *box) {
  carom_texts *texts = &w->texts;
  carom_text_vector up =
      carom_turn_out(texts, &box->turn, carom_vector_times(texts, face->height, face->normal));
  return (carom_body){.name = box->name,
                      .label = box->label,
                      .at = carom_body_short_vector(w, carom_vector_sum(texts, box->at, up)),
                      .turn = box->turn,
                      .shape = CAROM_SHAPE_PLANE,
                      .normal = face->normal};
}

// A place on the plane of a face, `over` from the centre of the box and seen from it, is there
// while it is over the face.
static void put_on_face(carom_body_writer *w, const carom_body *box, const carom_body *plane,
                        const box_face *face, const char *radius, carom_text_vector over,
                        carom_touching *is) {
  carom_texts *texts = &w->texts;
  carom_text_vector up = carom_vector_difference(texts, plane->at, box->at);
  is->arms[1] = carom_body_short_vector(w, carom_vector_sum(texts, is->arms[1], up));
  is->gap = carom_body_short(w, is->gap);
  // far below a face it is beside the box
  is->when = carom_say(texts, "%s and %s > -%s*%s", is->when, is->gap, DEEP, radius);
  for (int k = 0; k < 3; k++) {
    const char *along =
        carom_body_short(w, carom_say(texts, "(%s)*(1 - (%s)^2)", over.c[k], face->normal.c[k]));
    const char *half = half_sizes(box)[k];
    is->when = carom_say(texts, "%s and %s < %s*%s and %s > -%s*%s", is->when, along, ON_EDGE, half,
                         along, ON_EDGE, half);
  }
}

// The lowest point of a rim, seen from the box. Upright its direction is any: hypot_slope stays
// within -1 and 1 there, so that bounds tell where the rim is.
static carom_text_vector see_lowest(carom_body_writer *w, const carom_body *can,
                                    const carom_lines *seen, int rim, const carom_body *box,
                                    const box_face *face) {
  carom_texts *texts = &w->texts;
  const char *n[2], *h = rim ? carom_difference(texts, "0", can->size[1]) : can->size[1];
  carom_text_vector axis[2],
      point = carom_vector_sum(texts, seen->from, carom_vector_times(texts, h, seen->along[0]));
  for (int k = 0; k < 2; k++) {
    axis[k] = carom_body_short_vector(w, carom_turn_in(texts, &box->turn, can->turn.axis[k]));
    n[k] = carom_body_short(w, carom_vector_dot(texts, face->normal, axis[k]));
  }
  for (int k = 0; k < 2; k++) {
    const char *slope = carom_say(texts, "(%s*hypot_slope(%s + 1e-150, %s + 1e-150))", can->size[0],
                                  n[k], n[1 - k]);
    point = carom_vector_difference(texts, point, carom_vector_times(texts, slope, axis[k]));
  }
  return point;
}

// the same of a point that is known; what it is above the face does not count
static carom_text_vector see_arm(carom_body_writer *w, const carom_body *box,
                                 const carom_touching *is) {
  return carom_turn_in(&w->texts, &box->turn, is->arms[1]);
}

// the middle of its side, as that of a capsule
static carom_body side_of(carom_body_writer *w, const carom_body *can, carom_corner ends[2]) {
  carom_body line = *can;
  for (int k = 0; k < 2; k++) {
    ends[k] = (carom_corner){.radius = can->size[0]};
    ends[k].local =
        carom_vector("0", "0", k ? can->size[1] : carom_difference(&w->texts, "0", can->size[1]));
  }
  line.shape = CAROM_SHAPE_ROUND;
  line.corner_count = 2;
  line.corners = ends;
  return line;
}

// A corner of the box at the nearer flat end, or at the side: at the one it is farther out of.
static void corner_at_can(carom_body_writer *w, const carom_body *can, const carom_body *box,
                          const carom_corner *corner, carom_touching places[2]) {
  carom_texts *texts = &w->texts;
  const char *R = can->size[0], *h = can->size[1];
  carom_text_vector out =
      carom_body_short_vector(w, carom_turn_out(texts, &box->turn, corner->local));
  carom_text_vector from = carom_vector_difference(texts, box->at, can->at);
  from = carom_body_short_vector(w, carom_vector_sum(texts, from, out));
  carom_text_vector own = carom_body_short_vector(w, carom_turn_in(texts, &can->turn, from));
  const char *side = nearer_side(w, own.c[2], h);
  const char *radius =
      carom_body_short(w, carom_say(texts, "sqrt((%s)^2 + (%s)^2 + 1e-300)", own.c[0], own.c[1]));
  const char *end = carom_body_short(w, carom_say(texts, "(%s*%s - %s)", side, own.c[2], h));
  const char *aside = carom_body_short(w, carom_say(texts, "(%s - %s)", radius, R));
  carom_text_vector across =
      carom_turn_out(texts, &can->turn,
                     carom_vector(carom_quotient(texts, own.c[0], radius),
                                  carom_quotient(texts, own.c[1], radius), "0"));
  places[0] = (carom_touching){
      .gap = end,
      .normal = carom_vector_times(texts, carom_say(texts, "(-%s)", side), can->turn.axis[2]),
      .when = carom_say(texts, "%s > %s", end, aside)};
  places[1] = (carom_touching){
      .gap = aside,
      .normal = carom_body_short_vector(w, carom_vector_times(texts, "(-1)", across)),
      .side = can->turn.axis[2],
      .when = carom_say(texts, "not (%s > %s)", end, aside)};
  for (int k = 0; k < 2; k++) {
    places[k].arms[0] = from;
    places[k].arms[1] = out;
  }
}

// ---- a rim and an edge

/// The edge along an axis of the box that is on the side of a rim's middle, seen from the box.
typedef struct rim_edge {
  const carom_body *can, *box;
  const carom_lines *seen;
  int axis;
  const char *side[2];           // 1 or -1, along the other two axes
  const char *end;               // 1 or -1: which rim
  const char *cosine;            // c = u.v, u along the cylinder, v along the edge
  const char *across;            // a condition: the edge goes through the plane of the rim
  carom_text_vector rim, middle; // those of both
} rim_edge;

static rim_edge choose_edge(carom_body_writer *w, const carom_body *can, const carom_body *box,
                            const carom_lines *seen, int rim, int axis) {
  carom_texts *texts = &w->texts;
  rim_edge is = {can, box, seen, axis, .cosine = seen->along[0].c[axis]};
  const char *h = rim ? carom_difference(texts, "0", can->size[1]) : can->size[1];
  carom_text_vector up = carom_vector_times(texts, h, seen->along[0]);
  is.rim = carom_body_short_vector(w, carom_vector_sum(texts, seen->from, up));
  is.middle = carom_vector("0", "0", "0");
  for (int k = 0; k < 2; k++) {
    int other = (axis + 1 + k) % 3;
    is.side[k] = nearer_side(w, is.rim.c[other], half_sizes(box)[other]);
    const char *at = carom_product(texts, is.side[k], half_sizes(box)[other]);
    is.middle = carom_vector_with(is.middle, other, at);
  }
  is.across = carom_body_short(w, carom_say(texts, "(%s)^2 > %s", is.cosine, ACROSS));
  return is;
}

// An edge goes through the plane of the rim at x = r + rho e, r being the middle of the rim: inside
// of the rim it is in the cylinder. With b = e.v a shift d of the cylinder changes rho by
// (b/c u - e).d, so that
//
//   gap = (rho - R) |c|/sqrt(c^2 + b^2),   n = (b c u - c^2 e)/(|c| sqrt(c^2 + b^2)).
static carom_touching rim_across_edge(carom_body_writer *w, const rim_edge *it) {
  carom_texts *texts = &w->texts;
  carom_text_vector u = it->seen->along[0];
  const char *c = carom_body_short(w, carom_say(texts, "if(%s, %s, 1)", it->across, it->cosine));
  carom_text_vector off = carom_vector_difference(texts, it->rim, it->middle);
  off = carom_body_short_vector(w, off);
  const char *met = carom_body_short(w, carom_quotient(texts, carom_vector_dot(texts, off, u), c));
  carom_text_vector x = carom_vector_with(it->middle, it->axis, met);
  carom_text_vector from = carom_body_short_vector(w, carom_vector_difference(texts, x, it->rim));
  const char *rho = carom_body_short(
      w, carom_say(texts, "sqrt(%s + 1e-300)", carom_vector_dot(texts, from, from)));
  carom_text_vector e = carom_body_short_vector(w, carom_vector_over(texts, from, rho));
  const char *b = e.c[it->axis];
  const char *both =
      carom_body_short(w, carom_say(texts, "(abs(%s)*sqrt((%s)^2 + (%s)^2))", c, c, b));
  carom_text_vector n = carom_vector_difference(
      texts, carom_vector_times(texts, carom_say(texts, "(%s*%s/%s)", b, c, both), u),
      carom_vector_times(texts, carom_say(texts, "((%s)^2/%s)", c, both), e));
  n = carom_body_short_vector(w, n);
  carom_touching is = {0};
  is.gap = carom_say(texts, "(%s - %s)*(%s)^2/%s", rho, it->can->size[0], c, both);
  const carom_text_turn *turn = &it->box->turn;
  carom_text_vector arm = carom_vector_difference(texts, x, it->seen->from);
  is.normal = carom_body_short_vector(w, carom_turn_out(texts, turn, n));
  is.arms[0] = carom_body_short_vector(w, carom_turn_out(texts, turn, arm));
  is.arms[1] = carom_body_short_vector(w, carom_turn_out(texts, turn, x));
  // on the edge, and beside both of its faces: where it rolls over the edge one of them comes to
  // its end as this begins. Where the edge is not across nothing is to be decided.
  const char *along =
      carom_body_short(w, carom_say(texts, "if(%s, %s, 0)", it->across, x.c[it->axis]));
  const char *half = half_sizes(it->box)[it->axis];
  is.when = carom_say(texts, "%s and %s < %s*%s and %s > -%s*%s", it->across, along, WITHIN, half,
                      along, WITHIN, half);
  for (int k = 0; k < 2; k++)
    is.when = carom_say(texts, "%s and if(%s, %s*%s, 1) > 0", is.when, it->across, it->side[k],
                        n.c[(it->axis + 1 + k) % 3]);
  return is;
}

int carom_can_on_box(carom_body_writer *w, const carom_body *can, const carom_body *box,
                     carom_touching places[CAROM_CAN_BOX_TOUCH]) {
  carom_corner ends[2];
  carom_body line = side_of(w, can, ends);
  carom_lines seen = carom_see_line(w, &line, box);
  seen.least = ALONG;
  box_face face = face_below(w, can, &seen, box);
  carom_body plane = plane_of_face(w, &face, box);
  int count = 0;
  for (int k = 0; k < RIMS; k++) {
    places[count] = carom_rim_lowest(w, can, k, &plane);
    put_on_face(w, box, &plane, &face, can->size[0], see_lowest(w, can, &seen, k, box, &face),
                &places[count]);
    count++;
  }
  for (int k = 0; k < 3 * RIMS; k++) {
    rim_edge edge = choose_edge(w, can, box, &seen, k / 3, k % 3);
    places[count++] = rim_across_edge(w, &edge);
  }
  for (int k = 0; k < CORNERS; k++, count += 2)
    corner_at_can(w, can, box, &box->corners[k], &places[count]);
  for (int k = 0; k < EDGES; k++)
    places[count++] = carom_side_at_edge(w, &line, box, &seen, k);
  return count;
}

void carom_can_rests_on_box(carom_body_writer *w, const carom_body *can, int rim,
                            const carom_body *box, const char *way,
                            carom_touching places[CAROM_RIM_RESTS]) {
  carom_corner ends[2];
  carom_body line = side_of(w, can, ends);
  carom_lines seen = carom_see_line(w, &line, box);
  box_face face = face_below(w, can, &seen, box);
  carom_body plane = plane_of_face(w, &face, box);
  carom_rim_rests(w, can, rim, &plane, way, places);
  for (int k = 0; k < CAROM_RIM_RESTS; k++)
    put_on_face(w, box, &plane, &face, can->size[0], see_arm(w, box, &places[k]), &places[k]);
}

// ---- for the certificate

// how deep a point of an edge is in the cylinder, where it is `t` from the middle of the edge
static const char *depth_at(carom_body_writer *w, const carom_body *can, const carom_lines *edge,
                            const char *t) {
  carom_texts *texts = &w->texts;
  carom_text_vector from =
      carom_vector_difference(texts, carom_vector_times(texts, t, edge->along[1]), edge->from);
  from = carom_body_short_vector(w, from);
  const char *z = carom_body_short(w, carom_vector_dot(texts, from, edge->along[0]));
  carom_text_vector across =
      carom_vector_difference(texts, from, carom_vector_times(texts, z, edge->along[0]));
  return carom_say(texts, "min(%s - abs(%s), %s - %s)", can->size[1], z, can->size[0],
                   carom_vector_length(texts, carom_body_short_vector(w, across)));
}

// Of an edge these points: the one nearest to the axis, the one nearest to the middle plane, and
// three between them.
static const char *depth_of_edge(carom_body_writer *w, const carom_body *can,
                                 const carom_lines *edge) {
  carom_texts *texts = &w->texts;
  static const char *const shares[] = {"0.25", "0.5", "0.75"};
  const char *c = carom_body_short(w, carom_vector_dot(texts, edge->along[0], edge->along[1]));
  const char *z = carom_body_short(w, carom_vector_dot(texts, edge->from, edge->along[0]));
  const char *x = carom_body_short(w, carom_vector_dot(texts, edge->from, edge->along[1]));
  const char *half = edge->half[1];
  const char *axis =
      carom_body_short(w, carom_say(texts, "max(-%s, min(%s, (%s - %s*%s)/max(1e-12, 1 - (%s)^2)))",
                                    half, half, x, c, z, c));
  const char *middle = carom_body_short(
      w, carom_say(texts, "max(-%s, min(%s, %s*%s/max(1e-12, (%s)^2)))", half, half, z, c, c));
  const char *most =
      carom_say(texts, "max(%s, %s", depth_at(w, can, edge, axis), depth_at(w, can, edge, middle));
  for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
    const char *t =
        carom_body_short(w, carom_say(texts, "(%s + %s*(%s - %s))", axis, shares[k], middle, axis));
    most = carom_say(texts, "%s, %s", most, depth_at(w, can, edge, t));
  }
  return carom_body_short(w, carom_say(texts, "%s)", most));
}

const char *carom_can_box_apart(carom_body_writer *w, const carom_body *can,
                                const carom_body *box) {
  carom_corner ends[2];
  carom_body line = side_of(w, can, ends);
  carom_lines seen = carom_see_line(w, &line, box);
  const char *most = "";
  for (int k = 0; k < EDGES; k++) {
    carom_lines edge = carom_line_and_edge(w, &seen, box, k);
    most = carom_say(&w->texts, "%s%s%s", most, k ? ", " : "", depth_of_edge(w, can, &edge));
  }
  return carom_say(&w->texts, "-max(%s)", most);
}
