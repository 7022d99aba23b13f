// SPDX-License-Identifier: MIT
// A body that meets a support where no field keeps it off goes through: which face, and why.
#include "field/field.h"

#include "base/elementary.h"
#include "field/matrix3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// the body has come this near, in parts of its size and of what it moves in a second
static const double MET = 1e-6;

/// The support that is nearest, and the body as it sees it.
typedef struct meeting {
  int support;
  double least, slope[3]; // slope: of the distance, along the body's own axes
  double speed;           // of places of the body towards it, at most
} meeting;

static meeting find_nearest(carom_field *it) {
  meeting found = {.support = -1, .least = HUGE_VAL};
  carom_support_now supports[CAROM_FIELD_MAX_SUPPORTS];
  double factor[2];
  carom_pose pose;
  carom_field_pose(it, it->y, &pose);
  carom_field_supports(it, it->now.t, supports, factor);
  for (int s = 0; s < it->model->field->support_count; s++) {
    const carom_support_now *now = &supports[s];
    carom_sight sight = {.offset = carom_v3_dot(now->normal, pose.place) - now->height,
                         .distance = it->distances};
    carom_m3_transposed(pose.F, now->normal, sight.slope);
    (void)carom_body_look(&it->body, &sight);
    if (!(sight.least < found.least)) continue;
    found.support = s;
    found.least = sight.least;
    memcpy(found.slope, sight.slope, sizeof found.slope);
    double turning[3], size = carom_cbrt(it->body.volume);
    carom_m3_transposed(pose.G, now->normal, turning);
    found.speed =
        fabs(carom_v3_dot(now->normal, pose.velocity) - carom_v3_dot(now->normal, now->velocity)) +
        size * sqrt(carom_v3_dot(turning, turning));
  }
  return found;
}

// ---- faces

// does something push this face away from the support?
static bool is_kept_off(const carom_field *it, int face, int support) {
  const carom_field_numbers *p = &it->numbers;
  for (int k = 0; k < p->term_count; k++) {
    const carom_field_term *term = &p->terms[k];
    if (term->kind == CAROM_TERM_NORMAL && term->coefficient > 0.0 &&
        term->faces >> (face & 63) & 1u && term->supports >> support & 1u)
      return true;
  }
  for (int k = 0; k < p->own_count; k++)
    if (p->own[k].normal >= 0 && p->own[k].faces >> (face & 63) & 1u &&
        p->own[k].supports >> support & 1u)
      return true;
  return false;
}

// how much a face looks at the support, or -1 where the nearest place is not on it
static double measure_facing(const carom_field *it, const carom_piece *piece, const meeting *met) {
  const carom_body *body = &it->body;
  double least = HUGE_VAL, own = HUGE_VAL;
  for (int v = 0; v < body->vertex_count; v++)
    least = fmin(least, carom_v3_dot(met->slope, body->vertex[v]));
  for (int k = 0; k < body->dimension; k++)
    own = fmin(own, carom_v3_dot(met->slope, body->vertex[piece->corner[k]]));
  bool touches = own - least <= MET * carom_cbrt(body->volume);
  return touches ? -carom_v3_dot(piece->normal, met->slope) : -1.0;
}

// the face that meets the support, one that nothing keeps off first
static int find_face(const carom_field *it, const meeting *met) {
  const carom_body *body = &it->body;
  double most = -HUGE_VAL, flat[3] = {0.0, met->slope[2], -met->slope[2]};
  int face = 0, count = body->vertex_count > 0 ? body->piece_count : body->face_count;
  flat[0] = sqrt(met->slope[0] * met->slope[0] + met->slope[1] * met->slope[1]);
  for (int k = 0; k < count; k++) {
    int own = body->vertex_count > 0 ? body->piece[k].face : k;
    double looks = body->vertex_count > 0 ? measure_facing(it, &body->piece[k], met) : flat[k % 3];
    if (looks > 1e-9 && !is_kept_off(it, own, met->support)) looks += 10.0;
    if (looks > most) most = looks, face = own;
  }
  return face;
}

static void name_face(const carom_body *body, int face, char *text, size_t room) {
  static const char *const names[] = {"bottom", "top", "left", "right", "front", "back", "side"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (carom_body_face(body, names[k]) == face) {
      (void)snprintf(text, room, "its face '%s'", names[k]);
      return;
    }
  (void)snprintf(text, room, "its face %d", face + 1);
}

carom_status carom_field_explain_through(carom_field *it, carom_status status, carom_error *error) {
  meeting met = find_nearest(it);
  double near = MET * (carom_cbrt(it->body.volume) + met.speed);
  if (met.support < 0 || !(met.least < near)) return status;
  int face = find_face(it, &met);
  const char *support = it->model->field->supports[met.support].name;
  char which[48];
  name_face(&it->body, face, which, sizeof which);
  if (is_kept_off(it, face, met.support))
    return carom_fail(error, status,
                      "at t = %.9g the body goes through the support '%.40s' with %s: the fields "
                      "that act there are too weak to keep it off",
                      it->now.t, support, which);
  return carom_fail(error, status,
                    "at t = %.9g the body goes through the support '%.40s' with %s, which no field "
                    "keeps off: a repulsion has to act on that face too",
                    it->now.t, support, which);
}
