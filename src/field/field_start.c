// SPDX-License-Identifier: MIT
// The state at the start: posture, place, velocities.
#include "field/field.h"

#include "base/elementary.h"
#include "field/matrix3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// a deformation written with a few digits is brought to determinant 1; more than this is a mistake
static const double SAME_VOLUME = 1e-3;

static double number_of(const carom_field *it, carom_node node, double otherwise) {
  return node ? carom_node_evaluate(it->model->scenario->graph, node, it->settings.values, NULL)
              : otherwise;
}

static void vector_of(const carom_field *it, const carom_node nodes[3], double out[3]) {
  for (int k = 0; k < 3; k++)
    out[k] = number_of(it, nodes[k], 0.0);
}

// ---- quaternions

static void multiply_turns(const double *a, const double *b, double *c) {
  double turned[3];
  carom_v3_cross(a + 1, b + 1, turned);
  double w = a[0] * b[0] - carom_v3_dot(a + 1, b + 1);
  for (int k = 0; k < 3; k++)
    turned[k] += a[0] * b[1 + k] + b[0] * a[1 + k];
  c[0] = w;
  memcpy(c + 1, turned, sizeof turned);
}

static void turn_about(const double axis[3], double angle, double q[4]) {
  double length = sqrt(carom_v3_dot(axis, axis)), s, c;
  carom_sincos(0.5 * angle, &s, &c);
  q[0] = length > 0.0 ? c : 1.0;
  for (int k = 0; k < 3; k++)
    q[1 + k] = length > 0.0 ? s * axis[k] / length : 0.0;
}

// the shortest rotation that takes the direction a to -z
static void point_down(const double a[3], double q[4]) {
  const double z[3] = {0.0, 0.0, -1.0};
  double length = sqrt(carom_v3_dot(a, a)), axis[3];
  q[0] = 1.0, q[1] = q[2] = q[3] = 0.0;
  if (!(length > 0.0)) return;
  carom_v3_cross(a, z, axis);
  double cosine = carom_v3_dot(a, z) / length;
  if (cosine < -1.0 + 1e-14) { // upside down: about x
    q[0] = 0.0, q[1] = 1.0;
    return;
  }
  // (1 + cos, axis) is the half-way quaternion
  q[0] = 1.0 + cosine;
  for (int k = 0; k < 3; k++)
    q[1 + k] = axis[k] / length;
  double size = sqrt(q[0] * q[0] + carom_v3_dot(q + 1, q + 1));
  for (int k = 0; k < 4; k++)
    q[k] /= size;
}

static void down_direction(const carom_field *it, double down[3]) {
  const carom_field_start *start = &it->model->field->start;
  const carom_body *body = &it->body;
  down[0] = down[1] = 0.0;
  down[2] = -1.0;
  if (start->down_at[0]) {
    vector_of(it, start->down_at, down);
    for (int k = 0; k < 3; k++)
      down[k] -= body->centre[k];
  } else if (start->down != CAROM_POSTURE_FLAT && body->vertex_count > 0) {
    for (int k = 0; k < 3; k++)
      down[k] = start->down == CAROM_POSTURE_CORNER
                    ? body->vertex[0][k]
                    : 0.5 * (body->vertex[0][k] + body->vertex[1][k]);
  }
}

static void start_rotation(const carom_field *it, double q[4]) {
  const carom_field_start *start = &it->model->field->start;
  const double up[3] = {0.0, 0.0, 1.0};
  double down[3], axis[3] = {1.0, 0.0, 0.0}, turn[4], tilt[4];
  down_direction(it, down);
  point_down(down, q);
  turn_about(up, number_of(it, start->turn, 0.0), turn);
  multiply_turns(turn, q, q);
  if (start->tilt_axis[0]) vector_of(it, start->tilt_axis, axis);
  turn_about(axis, number_of(it, start->tilt, 0.0), tilt);
  multiply_turns(tilt, q, q);
}

// ---- place

static void shift_body(carom_field *it, double by, const double normal[3]) {
  for (int k = 0; k < it->model->dimension; k++)
    it->y[k] += by * normal[k];
}

// the least distance to the first support, also where it is negative
static double gap_of(carom_field *it, const carom_support_now *support) {
  carom_pose pose;
  carom_field_pose(it, it->y, &pose);
  carom_sight sight = {.offset = carom_v3_dot(support->normal, pose.place) - support->height,
                       .distance = it->distances};
  carom_m3_transposed(pose.F, support->normal, sight.slope);
  (void)carom_body_look(&it->body, &sight);
  return sight.least;
}

// force of the fields along the first support's normal, without velocities, less the weight
static double force_imbalance(carom_field *it, const carom_support_now *support) {
  carom_pose pose;
  carom_loads loads;
  carom_field_pose(it, it->y, &pose);
  memset(pose.velocity, 0, sizeof pose.velocity);
  memset(pose.G, 0, sizeof pose.G);
  if (carom_field_loads(it, it->numbers.start, &pose, false, &loads) != CAROM_OK) return HUGE_VAL;
  double pull =
      carom_v3_dot(support->normal, it->numbers.gravity) * it->body.mass * loads.factor[0];
  return carom_v3_dot(support->normal, loads.force) + pull;
}

// the gap at which the fields bear the weight: fields decay, so bisection in its logarithm
static carom_status find_balance(carom_field *it, const carom_support_now *support,
                                 carom_error *error) {
  double low = -30.0, high = 5.0;
  for (int round = 0; round < 200; round++) {
    double middle = 0.5 * (low + high);
    shift_body(it, carom_exp(middle) - gap_of(it, support), support->normal);
    if (middle <= low || middle >= high) break;
    if (force_imbalance(it, support) > 0.0)
      low = middle;
    else
      high = middle;
  }
  if (low > -29.9 && high < 4.9) return CAROM_OK;
  return carom_fail_at(
      error, CAROM_ERR_INPUT, it->model->field->start.place,
      "start: the fields bear the weight at no distance; give a gap or a position");
}

static carom_status place_body(carom_field *it, carom_error *error) {
  const carom_field_start *start = &it->model->field->start;
  carom_support_now supports[CAROM_FIELD_MAX_SUPPORTS];
  double factor[2], position[3];
  carom_field_supports(it, it->numbers.start, supports, factor);
  vector_of(it, start->position, position);
  memcpy(it->y, position, (size_t)it->model->dimension * sizeof *it->y);
  if (start->gap)
    shift_body(it, number_of(it, start->gap, 0.0) - gap_of(it, &supports[0]), supports[0].normal);
  else if (start->balance)
    return find_balance(it, &supports[0], error);
  return CAROM_OK;
}

// ---- is it clear of its supports?

/// Supports and how far the body is from each; not positive: it reaches behind.
typedef struct surroundings {
  int count, nearest;
  carom_support_now support[CAROM_FIELD_MAX_SUPPORTS];
  double gap[CAROM_FIELD_MAX_SUPPORTS];
} surroundings;

static surroundings look_around(carom_field *it) {
  surroundings s = {.count = it->model->field->support_count};
  double factor[2];
  carom_field_supports(it, it->numbers.start, s.support, factor);
  for (int k = 0; k < s.count; k++) {
    s.gap[k] = gap_of(it, &s.support[k]);
    if (!(s.gap[k] >= s.gap[s.nearest])) s.nearest = k;
  }
  return s;
}

// a distance at which the body may well be: that of a rest, or a hundredth of its size
static double fair_distance(const carom_field *it) {
  const carom_field_description *f = it->model->field;
  for (int k = 0; k < f->law_count; k++)
    if (f->laws[k].kind == CAROM_FIELD_REPULSION && f->laws[k].rest)
      return number_of(it, f->laws[k].rest, 0.0);
  return 0.01 * carom_cbrt(it->body.volume);
}

// Pushes the body out of every support in turn, along the first one where a gap to that is asked
// for. True when it is clear of all.
static bool find_room(carom_field *it, const surroundings *s, double place[3]) {
  enum { ROUNDS = 200 };
  bool slides = it->model->field->start.gap != 0;
  double moved[3] = {0.0, 0.0, 0.0}, margin = fair_distance(it);
  for (int round = 0; round < ROUNDS; round++) {
    bool clear = true;
    for (int k = 0; k < s->count; k++) {
      double push[3], missing = margin - s->gap[k] - carom_v3_dot(s->support[k].normal, moved);
      if ((slides && k == 0) || missing <= 1e-9 * margin) continue;
      memcpy(push, s->support[k].normal, sizeof push);
      double along = slides ? carom_v3_dot(push, s->support[0].normal) : 0.0;
      double length = 1.0 - along * along; // of what is left of the normal, squared
      if (length < 1e-6) return false;
      for (int i = 0; i < 3; i++)
        moved[i] += missing / length * (push[i] - along * s->support[0].normal[i]);
      clear = false;
    }
    for (int i = 0; i < 3; i++)
      place[i] = it->y[i] * (i < it->model->dimension) + moved[i];
    if (clear) return true;
  }
  return false;
}

static void write_place(const carom_field *it, const double place[3], size_t room, char *text) {
  if (it->model->dimension == 2)
    (void)snprintf(text, room, "[%.6g, %.6g]", place[0], place[1]);
  else
    (void)snprintf(text, room, "[%.6g, %.6g, %.6g]", place[0], place[1], place[2]);
}

// the name of a support and, where it was written down, its line
static void write_support(const carom_field_support *support, size_t room, char *text) {
  if (support->place.line > 0)
    (void)snprintf(text, room, "'%.40s' (line %d)", support->name, support->place.line);
  else
    (void)snprintf(text, room, "'%.40s'", support->name);
}

carom_status carom_field_check_start(carom_field *it, carom_error *error) {
  const carom_field_description *f = it->model->field;
  surroundings s = look_around(it);
  double place[3], gap = s.gap[s.nearest];
  char support[80], clear[120];
  if (s.count == 0 || gap > 0.0) return CAROM_OK;
  write_support(&f->supports[s.nearest], sizeof support, support);
  if (!isfinite(gap))
    return carom_fail_at(error, CAROM_ERR_INPUT, f->start.place,
                         "start: the place or posture of the body is not finite");
  if (s.nearest == 0 && f->start.gap)
    return carom_fail_at(error, CAROM_ERR_INPUT, f->start.place,
                         "start.gap is %.6g; a positive one, such as %.6g, keeps the body clear "
                         "of the support %s",
                         gap, fair_distance(it), support);
  if (!find_room(it, &s, place))
    return carom_fail_at(error, CAROM_ERR_INPUT, f->start.place,
                         "at the start the body reaches %.6g behind the support %s, and between "
                         "its supports there is no room for it%s",
                         -gap, support, f->start.gap ? " at this start.gap" : "");
  write_place(it, place, sizeof clear, clear);
  return carom_fail_at(error, CAROM_ERR_INPUT, f->start.place,
                       "at the start the body reaches %.6g behind the support %s; start.position: "
                       "%s would be clear of it",
                       -gap, support, clear);
}

// ---- deformation

static void write_matrix(int d, const double *F, double factor, size_t room, char *text) {
  size_t used = 0;
  for (int i = 0; i < d && used < room; i++)
    for (int j = 0; j < d && used < room; j++)
      used += (size_t)snprintf(text + used, room - used, "%s%.6g%s",
                               j > 0   ? ", "
                               : i > 0 ? ", ["
                                       : "[[",
                               factor * F[3 * i + j],
                               j + 1 < d   ? ""
                               : i + 1 < d ? "]"
                                           : "]]");
}

static double root_of(int d, double volume) { return d == 2 ? sqrt(volume) : carom_cbrt(volume); }

// U keeps the volume, and so does its rate: tr(F' F^-1) = 0
static carom_status check_deformation(const carom_field *it, const double *U, const double *rate,
                                      carom_error *error) {
  const carom_field_start *start = &it->model->field->start;
  int d = it->model->dimension;
  char text[256];
  double inverse[9] = {0.0}, L[9], det = carom_invert3(U, inverse);
  if (!(det > 0.0) || !isfinite(det))
    return carom_fail_at(
        error, CAROM_ERR_INPUT, start->deformation_place,
        "start.deformation has the determinant %.6g; a body that is neither "
        "flattened nor turned inside out has 1, as %s has",
        det, d == 2 ? "[[1.25, 0], [0, 0.8]]" : "[[1.25, 0, 0], [0, 0.8, 0], [0, 0, 1]]");
  if (fabs(det - 1.0) > SAME_VOLUME) {
    write_matrix(d, U, 1.0 / root_of(d, det), sizeof text, text);
    return carom_fail_at(error, CAROM_ERR_INPUT, start->deformation_place,
                         "start.deformation has the determinant %.6g, but a soft body keeps its "
                         "volume: %s has 1",
                         det, text);
  }
  double size = 0.0, trace = 0.0, squares = 0.0, kept[9];
  carom_multiply3(rate, inverse, L);
  for (int i = 0; i < 9; i++) {
    size += L[i] * L[i];
    squares += i / 3 < d && i % 3 < d ? inverse[i] * inverse[i] : 0.0;
  }
  for (int i = 0; i < d; i++)
    trace += L[4 * i];
  if (!isfinite(size))
    return carom_fail_at(error, CAROM_ERR_INPUT, start->rate_place,
                         "start.deformation_rate is not finite");
  if (fabs(trace) <= SAME_VOLUME * sqrt(size)) return CAROM_OK;
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++)
      kept[3 * i + j] = rate[3 * i + j] - trace / squares * inverse[3 * j + i];
  write_matrix(d, kept, 1.0, sizeof text, text);
  return carom_fail_at(error, CAROM_ERR_INPUT, start->rate_place,
                       "start.deformation_rate lets the volume grow at %.6g of itself per second, "
                       "but a soft body keeps it: %s does",
                       trace, text);
}

// Entries of F and F' that were set by name, one after the other: what they make together keeps the
// volume too.
static carom_status settle_deformation(carom_field *it, carom_error *error) {
  carom_pose pose;
  double inverse[9], L[9], left, trace = 0.0, size = 0.0;
  if (!it->model->field->soft) return CAROM_OK;
  carom_field_pose(it, it->y, &pose);
  double det = carom_invert3(pose.F, inverse);
  if (!(det > 0.0) || !isfinite(det))
    return carom_fail_at(error, CAROM_ERR_INPUT, it->model->field->start.place,
                         "at the start the deformation F has the determinant %.6g; it must be 1",
                         det);
  carom_multiply3(pose.G, inverse, L);
  for (int i = 0; i < 9; i++) {
    trace += i % 4 == 0 ? L[i] : 0.0;
    size += fabs(L[i]);
  }
  if (fabs(det - 1.0) > 1e-12 || fabs(trace) > 1e-12 * size)
    (void)carom_field_project(it, it->y, &left);
  return CAROM_OK;
}

static carom_status start_deformation(carom_field *it, carom_error *error) {
  const carom_field_start *start = &it->model->field->start;
  int d = it->model->dimension, n = it->model->n;
  double spin = number_of(it, d == 2 ? start->rate : start->spin, 0.0), left, s, c, q[4], R[9];
  carom_sincos(number_of(it, start->angle, 0.0), &s, &c);
  double plane[9] = {c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0}, omega[3] = {0.0, 0.0, 0.0};
  memcpy(R, plane, sizeof R);
  if (d == 3) {
    start_rotation(it, q);
    double x[9] = {1.0 - 2.0 * (q[2] * q[2] + q[3] * q[3]), 2.0 * (q[1] * q[2] - q[0] * q[3]),
                   2.0 * (q[1] * q[3] + q[0] * q[2]),       2.0 * (q[1] * q[2] + q[0] * q[3]),
                   1.0 - 2.0 * (q[1] * q[1] + q[3] * q[3]), 2.0 * (q[2] * q[3] - q[0] * q[1]),
                   2.0 * (q[1] * q[3] - q[0] * q[2]),       2.0 * (q[2] * q[3] + q[0] * q[1]),
                   1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2])};
    memcpy(R, x, sizeof R);
    vector_of(it, start->angular, omega);
  }
  omega[2] += spin;
  double U[9], rate[9], F[9];
  for (int i = 0; i < 9; i++) {
    U[i] = number_of(it, start->deformation[i], i % 4 == 0 ? 1.0 : 0.0);
    rate[i] = number_of(it, start->deformation_rate[i], 0.0);
  }
  carom_status status = check_deformation(it, U, rate, error);
  if (status) return status;
  carom_multiply3(R, U, F);
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) {
      double column[3] = {F[j], F[3 + j], F[6 + j]}, turned[3];
      carom_v3_cross(omega, column, turned);
      it->y[d + d * i + j] = F[3 * i + j];
      it->y[n + d + d * i + j] = turned[i] + rate[3 * i + j];
    }
  (void)carom_field_project(it, it->y, &left);
  return CAROM_OK;
}

static void start_rigid(carom_field *it) {
  const carom_field_start *start = &it->model->field->start;
  int n = it->model->n;
  if (it->model->dimension == 2) {
    it->y[2] = number_of(it, start->angle, 0.0);
    it->y[n + 2] = number_of(it, start->rate, 0.0);
    return;
  }
  double omega[3];
  vector_of(it, start->angular, omega);
  omega[2] += number_of(it, start->spin, 0.0);
  memcpy(it->y + n + 3, omega, sizeof omega);
  start_rotation(it, it->y + 2 * (size_t)n);
}

carom_status carom_field_begin(carom_field *it, carom_error *error) {
  const carom_field_start *start = &it->model->field->start;
  int n = it->model->n, d = it->model->dimension;
  double velocity[3];
  memset(it->y, 0, (size_t)it->size * sizeof *it->y);
  carom_status status = CAROM_OK;
  if (it->model->field->soft)
    status = start_deformation(it, error);
  else
    start_rigid(it);
  vector_of(it, start->velocity, velocity);
  memcpy(it->y + n, velocity, (size_t)d * sizeof *velocity);
  if (!status) status = place_body(it, error);
  if (status) return status;
  for (int i = 0; i < it->model->size; i++)
    if (!isnan(it->settings.start_given[i])) it->y[i] = it->settings.start_given[i];
  return settle_deformation(it, error);
}
