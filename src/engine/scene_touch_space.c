// SPDX-License-Identifier: MIT
/// The same in space: where a contact force acts, and which way (see scene_touch.c). Solids are
/// asked against planes and balls against balls; the pair is taken that touches and whose work is
/// that of the gap. The force in the plane of the contact is the one whose work is that of the
/// rows of friction, by least squares: what turns unseen does not enter.
#include "base/elementary.h"
#include "base/vector.h"
#include "engine/scene_parts.h"

#include <math.h>
#include <string.h>

static const double NEAR = 5e-3;       // of the picture: shapes so near touch
static const double SAME_WORK = 1e-3;  // of dgap/dq: how far the work of a force may be off
static const double SMALLEST = 1e-300; // keeps quotients finite

/// A point of a part: place + A x, with x in the part.
typedef struct spot {
  const carom_part *part;
  double x[3];
} spot;

typedef struct search {
  const carom_scene *scene;
  const carom_touching *given;
  double extent;
  spot body, other;
  // the best so far; distance: how near it is
  double distance, at[3], normal[3], factor;
  spot best_body, best_other;
} search;

// of numbers, or of how they change
static void place_spot(const double *numbers, const spot *s, double out[3]) {
  const double *n = numbers + s->part->first;
  bool turns = s->part->kind == CAROM_PART_BODY;
  for (int i = 0; i < 3; i++) {
    out[i] = n[i];
    if (turns) out[i] += carom_v3_dot(n + 3 + 3 * i, s->x);
    if (s->part->kind == CAROM_PART_ROD) out[i] += s->x[0] * n[3 + i];
  }
}

// how the points part when speed i moves
static void part_points(const search *it, const spot *body, const spot *other, int i,
                        double out[3]) {
  const double *slopes = it->given->slopes + i * it->scene->shape_numbers;
  double against[3];
  place_spot(slopes, body, out);
  place_spot(slopes, other, against);
  for (int c = 0; c < 3; c++)
    out[c] -= against[c];
}

// a force along `normal`: how much of it does the work of the gap; its relative error
static double fit_normal(const search *it, const double normal[3], double *error) {
  double mixed = 0.0, own = 0.0, wanted = 0.0;
  for (int i = 0; i < it->given->speeds; i++) {
    double way[3], row = it->given->normal_row[i];
    part_points(it, &it->body, &it->other, i, way);
    double work = carom_v3_dot(way, normal);
    mixed += work * row, own += work * work, wanted += row * row;
  }
  double factor = mixed / fmax(own, SMALLEST);
  *error = sqrt(fmax(0.0, wanted - factor * mixed) / fmax(wanted, SMALLEST));
  return factor;
}

static void offer_normal(search *it, double distance, const double at[3], const double normal[3]) {
  double error;
  if (!(fabs(distance) < it->distance)) return;
  double factor = fit_normal(it, normal, &error);
  if (error > SAME_WORK || !(factor > 0.0)) return;
  it->distance = fabs(distance);
  it->factor = factor;
  it->best_body = it->body, it->best_other = it->other;
  memcpy(it->at, at, sizeof it->at);
  memcpy(it->normal, normal, sizeof it->normal);
}

// ---- pairs ----

static void offer_plane(search *it) {
  const double *n = it->scene->numbers + it->other.part->first;
  double at[3], way[3];
  place_spot(it->scene->numbers, &it->body, at);
  for (int c = 0; c < 3; c++)
    way[c] = at[c] - n[c];
  offer_normal(it, carom_v3_dot(way, n + 3), at, n + 3);
}

// A^T d, the way to go in the part, as a vector of length 1
static void point_inwards(const double *A, const double d[3], double out[3]) {
  double size = 0.0;
  for (int j = 0; j < 3; j++) {
    out[j] = A[j] * d[0] + A[3 + j] * d[1] + A[6 + j] * d[2];
    size += out[j] * out[j];
  }
  for (int j = 0; j < 3; j++)
    out[j] /= fmax(sqrt(size), SMALLEST);
}

// the points of a solid that can touch a plane
static void solid_on_plane(search *it, carom_shape_kind kind) {
  const double *A = it->scene->numbers + it->body.part->first + 3;
  const double *n = it->scene->numbers + it->other.part->first + 3;
  const double down[3] = {-n[0], -n[1], -n[2]};
  double *x = it->body.x, across;
  point_inwards(A, down, x);
  if (kind == CAROM_SHAPE_BALL) offer_plane(it);
  if (kind == CAROM_SHAPE_DRUM) {
    across = carom_hypot(x[0], x[1]);
    x[0] /= fmax(across, SMALLEST), x[1] /= fmax(across, SMALLEST);
    for (int end = -1; end <= 1; end++) { // its ends, and the middle of a thin one
      x[2] = end;
      offer_plane(it);
    }
  }
  for (int k = 0; k < 8 && kind == CAROM_SHAPE_BOX; k++) {
    x[0] = k & 1 ? 1.0 : -1.0, x[1] = k & 2 ? 1.0 : -1.0, x[2] = k & 4 ? 1.0 : -1.0;
    offer_plane(it);
  }
}

static void line_on_plane(search *it) {
  for (int end = -1; end <= 1; end += 2) {
    it->body.x[0] = end;
    offer_plane(it);
  }
}

// spheres from outside, or one in a hollow one
static void ball_on_ball(search *it) {
  const double *a = it->scene->numbers + it->body.part->first,
               *b = it->scene->numbers + it->other.part->first;
  double way[3], at[3], against[3], normal[3], side = it->other.part->hollow ? -1.0 : 1.0;
  for (int c = 0; c < 3; c++)
    way[c] = side * (b[c] - a[c]);
  double far = carom_hypot(carom_hypot(way[0], way[1]), way[2]);
  if (!(far > 0.0)) return;
  const double back[3] = {-side * way[0], -side * way[1], -side * way[2]};
  point_inwards(a + 3, way, it->body.x);
  point_inwards(b + 3, back, it->other.x);
  place_spot(it->scene->numbers, &it->body, at);
  place_spot(it->scene->numbers, &it->other, against);
  for (int c = 0; c < 3; c++)
    normal[c] = -way[c] / far;
  for (int c = 0; c < 3; c++)
    against[c] = at[c] - against[c];
  offer_normal(it, carom_v3_dot(against, normal), at, normal);
}

static void try_pair(search *it, carom_shape_kind kind, carom_shape_kind other) {
  bool plane = it->other.part->kind == CAROM_PART_PLANE;
  if (plane && it->body.part->kind == CAROM_PART_BODY) solid_on_plane(it, kind);
  if (plane && it->body.part->kind == CAROM_PART_ROD) line_on_plane(it);
  if (kind == CAROM_SHAPE_BALL && other == CAROM_SHAPE_BALL) ball_on_ball(it);
}

// ---- the force ----

// along two ways across the normal, whose work comes nearest to that of friction
static void add_friction(const search *it, double force[3]) {
  const double *n = it->normal;
  int least = fabs(n[0]) < 0.6 ? 0 : 1;
  double u[3] = {0.0, 0.0, 0.0}, aa = 0.0, ab = 0.0, bb = 0.0, a_row = 0.0, b_row = 0.0;
  for (int c = 0; c < 3; c++)
    u[c] = (c == least) - n[least] * n[c];
  const double w[3] = {n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2],
                       n[0] * u[1] - n[1] * u[0]};
  for (int i = 0; i < it->given->speeds; i++) {
    double way[3], row = it->given->friction[i];
    part_points(it, &it->best_body, &it->best_other, i, way);
    double a = carom_v3_dot(way, u), b = carom_v3_dot(way, w);
    aa += a * a, ab += a * b, bb += b * b;
    a_row += a * row, b_row += b * row;
  }
  double det = aa * bb - ab * ab;
  if (!(det > 1e-12 * aa * bb)) return;
  for (int c = 0; c < 3; c++)
    force[c] += ((a_row * bb - b_row * ab) * u[c] + (b_row * aa - a_row * ab) * w[c]) / det;
}

static double extent_of(const carom_scene *scene) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int p = 0; p < scene->part_count; p++) {
    const carom_part *part = &scene->parts[p];
    const double *n = scene->numbers + part->first;
    if (part->kind != CAROM_PART_BODY && part->kind != CAROM_PART_ROD) continue;
    for (int c = 0; c < 3; c++) {
      double reach = part->kind == CAROM_PART_ROD
                         ? fabs(n[3 + c])
                         : sqrt(carom_v3_dot(n + 3 + 3 * c, n + 3 + 3 * c));
      low[c] = fmin(low[c], n[c] - reach), high[c] = fmax(high[c], n[c] + reach);
    }
  }
  return fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
}

void carom_scene_touch_space(const carom_scene *scene, const carom_touching *given,
                             double out[CAROM_FORCE_NUMBERS]) {
  const carom_scenario *s = scene->simulation->model->scenario;
  search it = {.scene = scene, .given = given, .extent = extent_of(scene)};
  it.distance = NEAR * it.extent;
  for (int k = 0; k < CAROM_FORCE_NUMBERS; k++)
    out[k] = NAN;
  for (int a = 0; a < s->drawing.count; a++)
    for (int b = 0; b < s->drawing.count; b++) {
      it.body = (spot){.part = &scene->parts[a]}, it.other = (spot){.part = &scene->parts[b]};
      if (a != b) try_pair(&it, s->drawing.shapes[a].kind, s->drawing.shapes[b].kind);
    }
  if (!(it.factor > 0.0)) return;
  for (int c = 0; c < 3; c++) {
    out[c] = it.at[c];
    out[3 + c] = given->force * it.factor * it.normal[c];
    out[6 + c] = it.normal[c];
  }
  add_friction(&it, out + 3);
  out[9] = given->coefficient;
}
