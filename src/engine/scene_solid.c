// SPDX-License-Identifier: MIT
/// Balls, boxes and drums of half extents 1 as triangles; what a scene tells at an instant places
/// and stretches them.
#include "base/elementary.h"
#include "engine/scene_parts.h"

enum { AROUND = 32, BELTS = 16, ROUND_FACES = 9999, MOST = 1 + 3 * 600 + 4 * 1100 };
static const double TURN = 6.283185307179586477;

/// Fixed numbers of a body under construction.
typedef struct mesh {
  double *numbers;
  int count;
} mesh;

static void put_corner(mesh *m, double x, double y, double z) {
  m->numbers[m->count++] = x;
  m->numbers[m->count++] = y;
  m->numbers[m->count++] = z;
}

static void put_triangle(mesh *m, int a, int b, int c, int face) {
  const int numbers[4] = {a, b, c, face};
  for (int k = 0; k < 4; k++)
    m->numbers[m->count++] = numbers[k];
}

static void put_ring(mesh *m, double r, double z) {
  for (int k = 0; k < AROUND; k++)
    put_corner(m, r * carom_cos(TURN * k / AROUND), r * carom_sin(TURN * k / AROUND), z);
}

// a strip between two rings; two halves of different shade let an eye see it turn
static void put_belt(mesh *m, int low, int high) {
  for (int k = 0; k < AROUND; k++) {
    int next = (k + 1) % AROUND, face = ROUND_FACES + (k < AROUND / 2);
    put_triangle(m, low + k, low + next, high + next, face);
    put_triangle(m, low + k, high + next, high + k, face);
  }
}

static void make_ball(mesh *m) {
  int rings = BELTS - 1, top = 1 + rings * AROUND;
  m->numbers[m->count++] = 2 + rings * AROUND;
  put_corner(m, 0.0, 0.0, -1.0);
  for (int i = 1; i <= rings; i++)
    put_ring(m, carom_sin(0.5 * TURN * i / BELTS), -carom_cos(0.5 * TURN * i / BELTS));
  put_corner(m, 0.0, 0.0, 1.0);
  for (int i = 0; i + 1 < rings; i++)
    put_belt(m, 1 + i * AROUND, 1 + (i + 1) * AROUND);
  for (int k = 0; k < AROUND; k++) {
    int next = (k + 1) % AROUND, face = ROUND_FACES + (k < AROUND / 2);
    put_triangle(m, 0, 1 + next, 1 + k, face);
    put_triangle(m, top, top - AROUND + k, top - AROUND + next, face);
  }
}

static void make_drum(mesh *m) {
  m->numbers[m->count++] = 2 * AROUND;
  put_ring(m, 1.0, -1.0);
  put_ring(m, 1.0, 1.0);
  put_belt(m, 0, AROUND);
  for (int k = 1; k + 1 < AROUND; k++) {
    put_triangle(m, 0, k + 1, k, 0);
    put_triangle(m, AROUND, AROUND + k, AROUND + k + 1, 1);
  }
}

static void make_box(mesh *m) {
  m->numbers[m->count++] = 8;
  for (int k = 0; k < 8; k++)
    put_corner(m, k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0);
  for (int i = 0; i < 3; i++) { // across axis i, bits a and b go around it
    int a = 1 << ((i + 1) % 3), b = 1 << ((i + 2) % 3), far = 1 << i;
    put_triangle(m, 0, b, a | b, 2 * i);
    put_triangle(m, 0, a | b, a, 2 * i);
    put_triangle(m, far, far | a, far | a | b, 2 * i + 1);
    put_triangle(m, far, far | a | b, far | b, 2 * i + 1);
  }
}

carom_status carom_scene_add_solid(carom_scene *scene, const carom_shape *shape,
                                   carom_error *error) {
  mesh m = {.numbers = carom_arena_array(scene->arena, MOST, sizeof(double))};
  if (!m.numbers) return carom_fail_memory(error);
  if (shape->kind == CAROM_SHAPE_BALL)
    make_ball(&m);
  else if (shape->kind == CAROM_SHAPE_DRUM)
    make_drum(&m);
  else
    make_box(&m);
  return carom_scene_add(scene, CAROM_PART_BODY, shape->label, 12, m.count, m.numbers, error);
}
