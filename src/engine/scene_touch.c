// SPDX-License-Identifier: MIT
/// Where a contact force acts in the picture, and which way. A scenario names a gap, not a place.
/// But the force of a contact does work on its gap: if it pushes with F at a point P of one shape
/// against a point Q of another, then dgap/dq = (dP/dq - dQ/dq)^T F / lambda. So those pairs of
/// shapes are asked that touch, and the pair is taken whose work is that of the gap. Shapes that do
/// not touch anything in the picture (a floor that is not drawn) are asked alone.
#include "base/elementary.h"
#include "engine/scene_parts.h"

#include <math.h>
#include <string.h>

static const double STEP = 1e-6;        // of a difference along a coordinate
static const double NEAR = 2e-3;        // of the picture: shapes so near touch
static const double TIE = 1e-9;         // of the picture: distances that are the same
static const double SAME_WORK = 1e-4;   // of dgap/dq: how far the work of a force may be off
static const double LEAST_WORK = 1e-12; // of the motion of the points: less is rounding
static const double SMALLEST = 1e-300;  // keeps quotients finite

/// A point of the picture: (1 - s) of one corner and s of another, by their numbers in the scene.
/// A level has only a height: its point is the one below the body's.
typedef struct spot {
  int part, a, b;
  double s, radius;
  bool level;
} spot;

/// A force of unit size on `body`, held against `other` (part -1: nothing that is drawn).
typedef struct push {
  spot body, other;
  double normal[2]; // of the body, away from the other
  double factor;    // force / lambda
  double distance;  // of the shapes
} push;

static int count_coordinates(const carom_scene *scene) {
  return scene->simulation->model->scenario->coordinate_count;
}

// ---- points and how they move ----

static void place_spot(const double *numbers, const spot *at, double x, double out[2]) {
  if (at->level) {
    out[0] = x, out[1] = numbers[at->a];
    return;
  }
  for (int c = 0; c < 2; c++)
    out[c] = (1.0 - at->s) * numbers[at->a + c] + at->s * numbers[at->b + c];
}

// d(numbers)/dq, a row for each coordinate, by differences: exact enough for arrows
static void differentiate_numbers(carom_scene *scene, double t, const double *values) {
  int size = scene->shape_numbers, n = count_coordinates(scene);
  double *moved = scene->touch_values, *slope = scene->touch_slopes, *back = slope + n * size;
  memcpy(moved, values, (size_t)scene->state_size * sizeof *moved);
  for (int i = 0; i < n; i++, slope += size) {
    double step = STEP * fmax(1.0, fabs(values[i]));
    moved[i] = values[i] - step;
    carom_scene_shapes_at(scene, t, moved, back);
    moved[i] = values[i] + step;
    carom_scene_shapes_at(scene, t, moved, slope);
    moved[i] = values[i];
    for (int k = 0; k < size; k++)
      slope[k] = (slope[k] - back[k]) / (2.0 * step);
  }
}

// how body and other move when coordinate i moves
static void move_coordinate(const carom_scene *scene, const push *it, int i, double body[2],
                            double other[2]) {
  const double *slope = scene->touch_slopes + i * scene->shape_numbers;
  other[0] = other[1] = 0.0;
  place_spot(slope, &it->body, 0.0, body);
  if (it->other.part >= 0) place_spot(slope, &it->other, 0.0, other);
}

// the work of a force along `way` on the body and against the other, per unit of each coordinate
static double work_along(const carom_scene *scene, const push *it, const double way[2], int i) {
  double body[2], other[2];
  move_coordinate(scene, it, i, body, other);
  return (body[0] - other[0]) * way[0] + (body[1] - other[1]) * way[1];
}

// the factor by which work along `way` comes nearest to that of a row; its relative error
static double fit_push(const carom_scene *scene, const push *it, const double way[2],
                       const double *row, double *error) {
  double mixed = 0.0, own = 0.0, wanted = 0.0, all = 0.0;
  for (int i = 0; i < count_coordinates(scene); i++) {
    double body[2], other[2], work = work_along(scene, it, way, i);
    move_coordinate(scene, it, i, body, other);
    mixed += work * row[i], own += work * work, wanted += row[i] * row[i];
    for (int c = 0; c < 2; c++)
      all += body[c] * body[c] + other[c] * other[c];
  }
  *error = 1.0;
  if (own <= LEAST_WORK * all) return 0.0; // only rounding moves them apart
  double factor = mixed / own;
  *error = sqrt(fmax(0.0, wanted - factor * mixed) / fmax(wanted, SMALLEST));
  return factor;
}

// ---- pairs that touch ----

// keeps a push that does the work of the gap, if it is the nearest so far
static void offer_push(const carom_scene *scene, push *it, const double *row, push *best) {
  double error, far = fabs(it->distance), tie = TIE * scene->touch_extent;
  if (!(far <= best->distance + tie)) return; // most pairs of many bodies are far apart
  it->factor = fit_push(scene, it, it->normal, row, &error);
  // the normal of an edge may be on either side
  if (it->factor < 0.0 && !it->other.level && it->body.radius == 0.0) {
    it->factor = -it->factor;
    it->normal[0] = -it->normal[0], it->normal[1] = -it->normal[1];
  }
  if (error > SAME_WORK || !(it->factor > 0.0)) return;
  if (best->factor > 0.0 && it->body.part == best->body.part && fabs(far - best->distance) <= tie) {
    // two corners as near as each other: in their middle
    best->body.b = it->body.a;
    best->body.s = 0.5;
  } else if (far < best->distance) {
    *best = *it;
    best->distance = far;
  }
}

static void offer_level(const carom_scene *scene, push *it, const double *row, push *best) {
  double body[2], floor[2];
  place_spot(scene->numbers, &it->body, 0.0, body);
  place_spot(scene->numbers, &it->other, body[0], floor);
  it->normal[0] = 0.0, it->normal[1] = 1.0;
  it->distance = body[1] - floor[1] - it->body.radius;
  offer_push(scene, it, row, best);
}

// a point or a circle against a point, a circle or the nearest place of an edge
static void offer_round(const carom_scene *scene, push *it, const double *row, push *best) {
  const double *numbers = scene->numbers;
  double body[2], ends[2][2], edge[2];
  place_spot(numbers, &it->body, 0.0, body);
  for (int c = 0; c < 2; c++) {
    ends[0][c] = numbers[it->other.a + c], ends[1][c] = numbers[it->other.b + c];
    edge[c] = ends[1][c] - ends[0][c];
  }
  double length = edge[0] * edge[0] + edge[1] * edge[1];
  double along = (body[0] - ends[0][0]) * edge[0] + (body[1] - ends[0][1]) * edge[1];
  it->other.s = length > 0.0 ? fmin(1.0, fmax(0.0, along / length)) : 0.0;
  double foot[2];
  place_spot(numbers, &it->other, 0.0, foot);
  double way[2] = {body[0] - foot[0], body[1] - foot[1]};
  double least = fmax(fabs(way[0]), fabs(way[1])) - it->body.radius - it->other.radius;
  if (least > best->distance + TIE * scene->touch_extent) return; // far: no need to know how far
  double far = carom_hypot(way[0], way[1]);
  it->distance = far - it->body.radius - it->other.radius;
  if (far <= NEAR * scene->touch_extent && length > 0.0) { // on the edge: its own normal
    way[0] = -edge[1], way[1] = edge[0];
    far = sqrt(length);
  }
  it->normal[0] = way[0] / fmax(far, SMALLEST), it->normal[1] = way[1] / fmax(far, SMALLEST);
  offer_push(scene, it, row, best);
}

// somewhere along an edge that lies on a level: where the work is that of the gap
static void offer_edge(const carom_scene *scene, push *it, const double *row, push *best) {
  static const double up[2] = {0.0, 1.0};
  double aa = 0.0, ab = 0.0, bb = 0.0, a_row = 0.0, b_row = 0.0;
  push end = *it;
  end.body.s = 1.0;
  it->body.s = 0.0;
  // row = c (a + s b): least squares for c and c s
  for (int i = 0; i < count_coordinates(scene); i++) {
    double a = work_along(scene, it, up, i), b = work_along(scene, &end, up, i) - a;
    aa += a * a, ab += a * b, bb += b * b;
    a_row += a * row[i], b_row += b * row[i];
  }
  double det = aa * bb - ab * ab;
  if (!(det > LEAST_WORK * aa * bb)) return;
  double c = (a_row * bb - b_row * ab) / det;
  it->body.s = (b_row * aa - a_row * ab) / det / c;
  if (c > 0.0 && it->body.s >= 0.0 && it->body.s <= 1.0) offer_level(scene, it, row, best);
}

/// Calls `visit` for every point (edges false) or edge of the parts of the scene.
typedef void (*visitor)(const carom_scene *scene, const spot *seen, void *ctx);

static void visit_parts(const carom_scene *scene, bool edges, visitor visit, void *ctx) {
  for (int p = 0; p < scene->part_count; p++) {
    const carom_part *part = &scene->parts[p];
    if (part->kind > CAROM_PART_POLYGON) continue;
    bool round = part->kind == CAROM_PART_CIRCLE;
    int corners = round ? 1 : part->count / 2;
    int sides = part->kind == CAROM_PART_SEGMENT ? 1 : corners;
    for (int k = 0; k < (edges ? sides : corners); k++) {
      int next = edges ? (k + 1) % corners : k;
      spot seen = {.part = p, .a = part->first + 2 * k, .b = part->first + 2 * next};
      if (round) seen.radius = scene->numbers[part->first + 2];
      if (!edges || !round) visit(scene, &seen, ctx);
    }
  }
}

/// A search: the row of the gap, the best push so far, the one that is being tried.
typedef struct search {
  const double *row;
  push best, now;
} search;

static void against_body(const carom_scene *scene, const spot *other, void *ctx) {
  search *it = ctx;
  if (other->part == it->now.body.part) return;
  it->now.other = *other;
  offer_round(scene, &it->now, it->row, &it->best);
}

static void against_levels(const carom_scene *scene, search *it, bool edge) {
  for (int p = 0; p < scene->part_count; p++) {
    if (scene->parts[p].kind != CAROM_PART_LEVEL) continue;
    it->now.other = (spot){.part = p, .a = scene->parts[p].first, .level = true};
    if (edge)
      offer_edge(scene, &it->now, it->row, &it->best);
    else
      offer_level(scene, &it->now, it->row, &it->best);
  }
}

static void try_point(const carom_scene *scene, const spot *body, void *ctx) {
  search *it = ctx;
  it->now.body = *body;
  against_levels(scene, it, false);
  visit_parts(scene, true, against_body, it);
  if (body->radius > 0.0) visit_parts(scene, false, against_body, it);
}

static void try_edge(const carom_scene *scene, const spot *body, void *ctx) {
  search *it = ctx;
  it->now.body = *body;
  against_levels(scene, it, true);
}

// ---- points alone ----

// the force at a point whose work is that of the gap, of all the smallest
static void try_alone(const carom_scene *scene, const spot *body, void *ctx) {
  search *it = ctx;
  push alone = {.body = *body, .other = {.part = -1}};
  double xx = 0.0, xy = 0.0, yy = 0.0, x = 0.0, y = 0.0;
  for (int i = 0; i < count_coordinates(scene); i++) {
    double moves[2];
    place_spot(scene->touch_slopes + i * scene->shape_numbers, body, 0.0, moves);
    xx += moves[0] * moves[0], xy += moves[0] * moves[1], yy += moves[1] * moves[1];
    x += moves[0] * it->row[i], y += moves[1] * it->row[i];
  }
  double little = 1e-9 * (xx + yy); // a point that moves along a line: the force along that line
  xx += little, yy += little;
  double det = xx * yy - xy * xy;
  if (!(det > 0.0)) return;
  double force[2] = {(x * yy - y * xy) / det, (y * xx - x * xy) / det}, size, error;
  size = carom_hypot(force[0], force[1]);
  if (!(size > 0.0)) return;
  alone.normal[0] = force[0] / size, alone.normal[1] = force[1] / size;
  alone.factor = fit_push(scene, &alone, alone.normal, it->row, &error);
  if (error > SAME_WORK) return;
  // of several the one that reaches farthest against its force
  double at[2];
  place_spot(scene->numbers, body, 0.0, at);
  alone.distance = at[0] * alone.normal[0] + at[1] * alone.normal[1] - body->radius;
  if (alone.distance < it->best.distance) it->best = alone;
}

// ---- the result ----

static void measure_extent(const carom_scene *scene, const spot *seen, void *ctx) {
  double *box = ctx, at[2];
  place_spot(scene->numbers, seen, 0.0, at);
  for (int c = 0; c < 2; c++) {
    box[c] = fmin(box[c], at[c] - seen->radius);
    box[2 + c] = fmax(box[2 + c], at[c] + seen->radius);
  }
}

static void tell_push(const carom_scene *scene, const push *it, const double *tangent,
                      carom_contact_view *view) {
  const double along[2] = {it->normal[1], -it->normal[0]};
  double place_of_body[2], error = 0.0, rubs = 0.0;
  place_spot(scene->numbers, &it->body, 0.0, place_of_body);
  if (tangent) {
    // the turning of a circle is not seen in the picture: then friction is as long as the normal
    rubs = fit_push(scene, it, along, tangent, &error);
    if (error > SAME_WORK) rubs = copysign(it->factor, rubs);
  }
  for (int c = 0; c < 2; c++) {
    view->at[c] = place_of_body[c] - it->body.radius * it->normal[c];
    view->force[c] = view->normal * it->factor * it->normal[c] + view->tangential * rubs * along[c];
  }
}

void carom_scene_touch_begin(carom_scene *scene, double t, const double *values) {
  double box[4] = {INFINITY, INFINITY, -INFINITY, -INFINITY};
  if (!scene->shapes) return;
  differentiate_numbers(scene, t, values);
  visit_parts(scene, false, measure_extent, box);
  scene->touch_extent = fmax(box[2] - box[0], box[3] - box[1]);
}

void carom_scene_touch(const carom_scene *scene, const double *normal, const double *tangent,
                       carom_contact_view *view) {
  if (!scene->shapes) return;
  search it = {.row = normal, .best = {.distance = NEAR * scene->touch_extent}};
  visit_parts(scene, false, try_point, &it);
  if (it.best.factor == 0.0) visit_parts(scene, true, try_edge, &it);
  if (it.best.factor == 0.0) {
    it.best.distance = INFINITY;
    visit_parts(scene, false, try_alone, &it);
  }
  if (it.best.factor > 0.0) tell_push(scene, &it.best, tangent, view);
}
