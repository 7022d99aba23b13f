// SPDX-License-Identifier: MIT
// Solids: where they are in the middle of a step, how they move on, their energy.
#include "stepping/world.h"
#include "base/elementary.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

// ---- turns

// e times the turn by the vector `by` in the body
static void turn_on(double e[4], const double by[3]) {
  double angle = carom_v3_length(by);
  if (angle == 0.0) return;
  double c = carom_cos(0.5 * angle), s = carom_sin(0.5 * angle) / angle;
  double d[4] = {c, s * by[0], s * by[1], s * by[2]}, f[4];
  f[0] = e[0] * d[0] - e[1] * d[1] - e[2] * d[2] - e[3] * d[3];
  f[1] = e[0] * d[1] + e[1] * d[0] + e[2] * d[3] - e[3] * d[2];
  f[2] = e[0] * d[2] - e[1] * d[3] + e[2] * d[0] + e[3] * d[1];
  f[3] = e[0] * d[3] + e[1] * d[2] - e[2] * d[1] + e[3] * d[0];
  double length = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2] + f[3] * f[3]);
  for (int k = 0; k < 4; k++)
    e[k] = f[k] / length;
}

static void matrix_of(const double e[4], double r[9]) {
  double a = e[0], b = e[1], c = e[2], d = e[3];
  r[0] = a * a + b * b - c * c - d * d;
  r[4] = a * a - b * b + c * c - d * d;
  r[8] = a * a - b * b - c * c + d * d;
  r[1] = 2.0 * (b * c - a * d), r[3] = 2.0 * (b * c + a * d);
  r[2] = 2.0 * (b * d + a * c), r[6] = 2.0 * (b * d - a * c);
  r[5] = 2.0 * (c * d - a * b), r[7] = 2.0 * (c * d + a * b);
}

static void matrix_in_plane(double angle, double r[9]) {
  double c = carom_cos(angle), s = carom_sin(angle);
  const double turned[9] = {c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0};
  memcpy(r, turned, sizeof turned);
}

// R I^-1 R^T
static void spread_of(carom_solid *solid, bool space) {
  memset(solid->spread, 0, sizeof solid->spread);
  if (!space) {
    solid->spread[8] = 1.0 / solid->inertia[2];
    return;
  }
  const double *r = solid->turn;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        solid->spread[3 * i + j] += r[3 * i + k] / solid->inertia[k] * r[3 * j + k];
}

// ---- poses

// corners and the box around them, at `place` and `turn`
static void place_corners(carom_solid *solid) {
  const carom_solid_shape *shape = &solid->shape;
  for (int c = 0; c < 3; c++)
    solid->low[c] = solid->high[c] = solid->place[c];
  for (int k = 0; k < shape->corner_count; k++) {
    double *at = solid->at[k];
    carom_m3_times(solid->turn, shape->corners[k], at);
    carom_v3_add(1.0, solid->place, at);
    for (int c = 0; c < 3; c++) {
      solid->low[c] = fmin(solid->low[c], at[c] - shape->radius);
      solid->high[c] = fmax(solid->high[c], at[c] + shape->radius);
    }
  }
}

void carom_solid_turned(const carom_solid *solid, double h, double e[4]) {
  double by[3] = {h * solid->spin[0], h * solid->spin[1], h * solid->spin[2]};
  memcpy(e, solid->e, sizeof solid->e);
  turn_on(e, by);
}

void carom_solid_pose(carom_solid *solid, bool space, double h) {
  if (solid->moves) {
    for (int c = 0; c < 3; c++)
      solid->place[c] = solid->x[c] + h * solid->v[c];
    double e[4];
    if (space) carom_solid_turned(solid, h, e);
    if (space)
      matrix_of(e, solid->turn);
    else
      matrix_in_plane(solid->angle + h * solid->spin[2], solid->turn);
    if (solid->asleep)
      memset(solid->spread, 0, sizeof solid->spread);
    else
      spread_of(solid, space);
    solid->light = solid->asleep ? 0.0 : 1.0 / solid->mass;
  }
  place_corners(solid);
}

void carom_solid_move(carom_solid *solid, bool space, double h, const double v[3],
                      const double spin[3]) {
  double by[3] = {h * spin[0], h * spin[1], h * spin[2]};
  carom_v3_add(h, v, solid->x);
  if (space)
    turn_on(solid->e, by);
  else
    solid->angle += by[2];
}

// ---- energies

double carom_world_kinetic(const carom_world *world) {
  double sum = 0.0;
  for (int k = 0; k < world->count; k++) {
    const carom_solid *s = &world->solids[k];
    if (!s->moves) continue;
    double turning = 0.0;
    for (int c = 0; c < 3; c++)
      turning += s->inertia[c] * s->spin[c] * s->spin[c];
    sum += 0.5 * s->mass * carom_v3_dot(s->v, s->v) + 0.5 * turning;
  }
  return sum;
}

double carom_world_potential(const carom_world *world) {
  double sum = carom_bonds_potential(world);
  for (int k = 0; k < world->count; k++) {
    const carom_solid *s = &world->solids[k];
    if (s->moves) sum -= s->mass * carom_v3_dot(world->set.gravity, s->x);
  }
  return sum;
}

// ---- the start

// how far the shape reaches from the centre, and its smallest half thickness
static void measure_shape(carom_solid_shape *shape, bool space) {
  double reach = 0.0;
  for (int k = 0; k < shape->corner_count; k++)
    reach = fmax(reach, carom_v3_length(shape->corners[k]));
  shape->reach = reach + shape->radius;
  shape->thin = shape->radius;
  if (shape->kind != CAROM_SOLID_HULL) return;
  // of a box its shortest half edge; of a polygon the distance of its nearest edge
  shape->thin = reach;
  if (space) {
    for (int c = 0; c < 3; c++)
      shape->thin = fmin(shape->thin, fabs(shape->corners[0][c]));
    return;
  }
  for (int k = 0; k < shape->corner_count; k++) {
    const double *a = shape->corners[k], *b = shape->corners[(k + 1) % shape->corner_count];
    double dx = b[0] - a[0], dy = b[1] - a[1], length = sqrt(dx * dx + dy * dy);
    shape->thin = fmin(shape->thin, (dy * a[0] - dx * a[1]) / length);
  }
}

// A body that touches nothing turns as one of its radius of gyration: speeds of turning count by
// reach where it is told whether a step is solved.
static void measure_inertia(carom_solid *s) {
  if (!s->moves || s->shape.reach > 0.0) return;
  s->shape.reach = sqrt(fmax(s->inertia[0], fmax(s->inertia[1], s->inertia[2])) / s->mass);
}

bool carom_world_no_memory(carom_world *world) {
  world->out_of_memory = true;
  return false;
}

bool carom_world_begin(carom_world *world) {
  for (int k = 0; k < world->count; k++) {
    carom_solid *s = &world->solids[k];
    measure_shape(&s->shape, world->set.space);
    measure_inertia(s);
    carom_solid_pose(s, world->set.space, 0.0);
  }
  world->overlap[0] = world->overlap[1] = -1;
  world->touch_room = world->old_room = 64;
  world->touches = carom_arena_array(world->arena, 64, sizeof *world->touches);
  world->old = carom_arena_array(world->arena, 64, sizeof *world->old);
  int rows = 6 * world->bond_count;
  world->rows = carom_arena_array(world->arena, (size_t)rows, sizeof *world->rows);
  world->nap.parent = carom_arena_array(world->arena, (size_t)world->count, sizeof(int));
  world->nap.held = carom_arena_array(world->arena, (size_t)world->count, sizeof(bool));
  world->acceleration = carom_accelerate_create(world->arena);
  if (!world->touches || !world->old || !world->acceleration || !world->rows ||
      !world->nap.parent || !world->nap.held || !carom_grid_create(world) ||
      !carom_whole_create(world))
    return false;
  carom_bonds_begin(world);
  return true;
}

bool carom_world_expect(carom_world *world, int touches) {
  while (world->touch_room < touches)
    if (!carom_arena_grow(world->arena, (void **)&world->touches, world->touch_room,
                          &world->touch_room, sizeof *world->touches))
      return false;
  world->touch_count = touches;
  return true;
}
