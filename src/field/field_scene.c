// SPDX-License-Identifier: MIT
// The body as corners and triangles (space) or as a polygon (plane), the supports as planes. Round
// bodies are drawn with as many corners as an eye asks for.
#include "field/field_scene.h"

#include "base/elementary.h"
#include "field/matrix3.h"

#include <string.h>

enum { AROUND = 48, BELTS = 24, ACROSS = 24, ROUND_FACES = 9999 };
static const double TURN = 6.283185307179586477;

/// Fixed numbers of a body under construction.
typedef struct mesh {
  carom_arena *arena;
  double *numbers;
  int count, room;
  bool full; // out of memory
} mesh;

static void put_number(mesh *m, double number) {
  m->full = m->full || !carom_arena_grow(m->arena, (void **)&m->numbers, m->count, &m->room,
                                         sizeof *m->numbers);
  if (!m->full) m->numbers[m->count++] = number;
}

static void put_corner(mesh *m, const double middle[3], double x, double y, double z) {
  put_number(m, middle[0] + x);
  put_number(m, middle[1] + y);
  put_number(m, middle[2] + z);
}

static void put_triangle(mesh *m, int a, int b, int c, int face) {
  put_number(m, a);
  put_number(m, b);
  put_number(m, c);
  put_number(m, face);
}

static void mesh_hull(mesh *m, const carom_body *body) {
  put_number(m, body->vertex_count);
  for (int v = 0; v < body->vertex_count; v++)
    put_corner(m, body->vertex[v], 0.0, 0.0, 0.0);
  for (int k = 0; k < body->piece_count; k++) {
    const carom_piece *p = &body->piece[k];
    put_triangle(m, p->corner[0], p->corner[1], p->corner[2], p->face);
  }
}

// two rings; face 0 and 1 the ends, every side strip a face of its own shade
static void mesh_cylinder(mesh *m, const carom_body *body) {
  put_number(m, 2 * ACROSS);
  for (int end = 0; end < 2; end++)
    for (int k = 0; k < ACROSS; k++)
      put_corner(m, body->middle, body->radius * carom_cos(TURN * k / ACROSS),
                 body->radius * carom_sin(TURN * k / ACROSS), (end - 0.5) * body->length);
  for (int k = 0; k < ACROSS; k++) {
    int next = (k + 1) % ACROSS;
    put_triangle(m, k, next, ACROSS + next, ROUND_FACES);
    put_triangle(m, k, ACROSS + next, ACROSS + k, ROUND_FACES);
  }
  for (int k = 1; k + 1 < ACROSS; k++) {
    put_triangle(m, 0, k + 1, k, 0);
    put_triangle(m, ACROSS, ACROSS + k, ACROSS + k + 1, 1);
  }
}

static void mesh_sphere(mesh *m, const carom_body *body) {
  int rings = BELTS / 2 - 1;
  put_number(m, 2 + rings * BELTS);
  put_corner(m, body->middle, 0.0, 0.0, -body->radius);
  for (int i = 1; i <= rings; i++) {
    double polar = TURN * i / BELTS, r = body->radius * carom_sin(polar);
    for (int k = 0; k < BELTS; k++)
      put_corner(m, body->middle, r * carom_cos(TURN * k / BELTS), r * carom_sin(TURN * k / BELTS),
                 -body->radius * carom_cos(polar));
  }
  put_corner(m, body->middle, 0.0, 0.0, body->radius);
  int top = 1 + rings * BELTS;
  for (int k = 0; k < BELTS; k++) {
    int next = (k + 1) % BELTS;
    // two halves of different shade let an eye see it roll
    int face = ROUND_FACES + (k < BELTS / 2);
    put_triangle(m, 0, 1 + next, 1 + k, face);
    put_triangle(m, top, top - BELTS + k, top - BELTS + next, face);
    for (int i = 0; i + 1 < rings; i++) {
      int low = 1 + i * BELTS, high = low + BELTS;
      put_triangle(m, low + k, low + next, high + next, face);
      put_triangle(m, low + k, high + next, high + k, face);
    }
  }
}

static carom_status add_body(carom_scene *scene, const carom_field *it, carom_error *error) {
  const carom_body *body = &it->body;
  if (body->shape == CAROM_BODY_DISC)
    return carom_scene_add(scene, CAROM_PART_POLYGON, "body", 2 * AROUND, 0, NULL, error);
  if (body->shape == CAROM_BODY_POLYGON)
    return carom_scene_add(scene, CAROM_PART_POLYGON, "body", 2 * body->vertex_count, 0, NULL,
                           error);
  mesh m = {.arena = scene->arena};
  if (body->shape == CAROM_BODY_POLYHEDRON)
    mesh_hull(&m, body);
  else if (body->shape == CAROM_BODY_CYLINDER)
    mesh_cylinder(&m, body);
  else
    mesh_sphere(&m, body);
  if (m.full) return carom_fail_memory(error);
  return carom_scene_add(scene, CAROM_PART_BODY, "body", 12, m.count, m.numbers, error);
}

carom_status carom_field_scene(carom_scene *scene, carom_error *error) {
  const carom_field *it = scene->simulation->state;
  const carom_field_description *field = it->model->field;
  scene->space = it->model->dimension == 3;
  carom_field_name_works(it, &scene->ledger);
  carom_status status = add_body(scene, it, error);
  for (int s = 0; s < field->support_count && status == CAROM_OK; s++)
    status = carom_scene_add(scene, CAROM_PART_PLANE, field->supports[s].name, 6, 0, NULL, error);
  return status;
}

// places p = p0 + F x of the outline
static void show_outline(const carom_body *body, const carom_pose *pose, int corners, double *out) {
  for (int k = 0; k < corners; k++) {
    double x[3] = {0.0, 0.0, 0.0}, moved[3];
    if (body->shape == CAROM_BODY_DISC) {
      x[0] = body->middle[0] + body->radius * carom_cos(TURN * k / AROUND);
      x[1] = body->middle[1] + body->radius * carom_sin(TURN * k / AROUND);
    } else {
      memcpy(x, body->vertex[k], sizeof x);
    }
    carom_m3_times(pose->F, x, moved);
    out[2 * k] = pose->place[0] + moved[0];
    out[2 * k + 1] = pose->place[1] + moved[1];
  }
}

carom_status carom_field_show(carom_scene *scene, double t, carom_error *error) {
  carom_field *it = scene->simulation->state;
  const double *y = it->sampled;
  double *at = scene->numbers + scene->shape_numbers, factor[2];
  carom_pose pose;
  carom_field_pose(it, y, &pose);
  const carom_part *part = scene->parts;
  while (part->first < scene->shape_numbers)
    part++;
  if (part->kind == CAROM_PART_POLYGON) {
    show_outline(&it->body, &pose, part->count / 2, at);
  } else {
    memcpy(at, pose.place, sizeof pose.place);
    memcpy(at + 3, pose.F, sizeof pose.F);
  }
  at += part->count;
  carom_support_now supports[CAROM_FIELD_MAX_SUPPORTS];
  carom_field_supports(it, t, supports, factor);
  for (int s = 0; s < it->model->field->support_count; s++, at += 6)
    for (int i = 0; i < 3; i++) {
      at[i] = supports[s].height * supports[s].normal[i];
      at[3 + i] = supports[s].normal[i];
    }
  return carom_field_ledger_at(it, t, y, &scene->ledger, error);
}
