// SPDX-License-Identifier: MIT
// Masses of shapes, and their sums: Steiner's theorem.
#include "bodies/mesh_file.h"
#include "convex/hull.h"
#include "robot/robot_read.h"

#include <string.h>

static const double PI = 3.14159265358979323846;
static const double FILE_TOLERANCE = 1e-6; // as where scenarios read hulls

// m (c^2 1 - c c)
static void add_away(double inertia[6], double mass, const double c[3]) {
  double square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
  for (int k = 0; k < 3; k++)
    inertia[k] += mass * (square - c[k] * c[k]);
  inertia[3] -= mass * c[0] * c[1];
  inertia[4] -= mass * c[0] * c[2];
  inertia[5] -= mass * c[1] * c[2];
}

void carom_robot_add_mass(carom_robot_mass *a, const carom_robot_mass *b) {
  carom_robot_mass sum = {.mass = a->mass + b->mass};
  if (!(sum.mass > 0.0)) return;
  const carom_robot_mass *both[] = {a, b};
  for (int k = 0; k < 3; k++)
    sum.centre[k] = a->mass == 0.0   ? b->centre[k]
                    : b->mass == 0.0 ? a->centre[k]
                                     : (a->mass * a->centre[k] + b->mass * b->centre[k]) / sum.mass;
  for (int n = 0; n < 2; n++) {
    double away[3];
    for (int k = 0; k < 6; k++)
      sum.inertia[k] += both[n]->inertia[k];
    for (int k = 0; k < 3; k++)
      away[k] = both[n]->centre[k] - sum.centre[k];
    add_away(sum.inertia, both[n]->mass, away);
  }
  *a = sum;
}

carom_robot_mass carom_robot_place_mass(const carom_frame *frame, const carom_robot_mass *mass) {
  carom_robot_mass placed = {.mass = mass->mass};
  carom_frame_point(frame, mass->centre, placed.centre);
  carom_turn_tensor(frame->turn, mass->inertia, placed.inertia);
  return placed;
}

// ---- hulls

static bool has_ending(const char *name, const char *ending) {
  size_t a = strlen(name), b = strlen(ending);
  for (size_t k = 0; a >= b && k < b; k++)
    if ((name[a - b + k] | 0x20) != ending[k] && name[a - b + k] != ending[k]) return false;
  return a >= b;
}

carom_status carom_robot_read_hull(carom_robot *robot, carom_robot_shape *shape, const char *name,
                                   double scale, bool *found) {
  const char *bytes;
  size_t length;
  carom_mesh mesh;
  carom_hull hull;
  carom_frame centre = carom_frame_none;
  bool known = has_ending(name, ".stl") || has_ending(name, ".obj");
  *found = known && robot->files &&
           robot->files->open(robot->files->ctx, robot->arena, name, &shape->file, &bytes, &length);
  if (!*found) {
    carom_robot_note(robot, shape->place, "mesh %s: %s", name,
                     known ? "there is no such file" : "meshes are read from .stl and .obj");
    return CAROM_OK;
  }
  carom_status status =
      carom_mesh_read(robot->arena, shape->file, bytes, length, &mesh, robot->error);
  for (int k = 0; status == CAROM_OK && k < mesh.count; k++)
    for (int i = 0; i < 3; i++)
      mesh.points[k][i] *= scale;
  if (status == CAROM_OK)
    status = carom_hull_make(robot->arena, mesh.count, (const double(*)[3])mesh.points,
                             FILE_TOLERANCE, 0, shape->place, &hull, robot->error);
  if (status != CAROM_OK) return status;
  shape->kind = CAROM_ROBOT_HULL;
  shape->scale = scale;
  shape->size[0] = hull.volume;
  memcpy(shape->spread, hull.inertia, sizeof shape->spread);
  memcpy(centre.at, hull.centre, sizeof centre.at);
  shape->frame = carom_frame_product(&shape->frame, &centre);
  return CAROM_OK;
}

// ---- shapes of even density

static void fill_round(double radius, double length, bool ends, double *volume, double inertia[6]) {
  double r2 = radius * radius, tube = PI * r2 * length;
  double ball = ends ? 4.0 / 3.0 * PI * r2 * radius : 0.0;
  *volume = tube + ball;
  inertia[2] = tube * r2 / 2.0 + ball * 0.4 * r2;
  // half balls: their mass centres are 3 r/8 from the flat side
  inertia[0] = inertia[1] = tube * (3.0 * r2 + length * length) / 12.0 +
                            ball * (0.4 * r2 + length * length / 4.0 + 3.0 * length * radius / 8.0);
}

// volume and, for a density of one, inertia about its own axes
static void fill_inertia(const carom_robot_shape *shape, double *volume, double inertia[6]) {
  const double *s = shape->size;
  bool box = shape->kind == CAROM_ROBOT_BOX;
  memset(inertia, 0, 6 * sizeof *inertia);
  *volume = 0.0;
  switch (shape->kind) {
  case CAROM_ROBOT_SPHERE: fill_round(s[0], 0.0, true, volume, inertia); break;
  case CAROM_ROBOT_CAPSULE: fill_round(s[1], s[0], true, volume, inertia); break;
  case CAROM_ROBOT_CYLINDER: fill_round(s[0], s[1], false, volume, inertia); break;
  case CAROM_ROBOT_BOX:
  case CAROM_ROBOT_ELLIPSOID:
    *volume = s[0] * s[1] * s[2] * (box ? 1.0 : 4.0 / 3.0 * PI);
    for (int k = 0; k < 3; k++) {
      const double p = s[(k + 1) % 3], q = s[(k + 2) % 3];
      inertia[k] = *volume * (p * p + q * q) / (box ? 12.0 : 5.0);
    }
    break;
  case CAROM_ROBOT_HULL:
    *volume = s[0];
    memcpy(inertia, shape->spread, sizeof shape->spread);
    break;
  case CAROM_ROBOT_PLANE: break;
  }
}

void carom_robot_weigh(carom_robot_link *link) {
  for (int k = 0; k < link->shape_count; k++) {
    const carom_robot_shape *shape = &link->shapes[k];
    carom_robot_mass own = {0};
    double volume;
    fill_inertia(shape, &volume, own.inertia);
    if (!(volume > 0.0)) continue;
    own.mass = shape->mass >= 0.0 ? shape->mass : shape->density * volume;
    for (int i = 0; i < 6; i++)
      own.inertia[i] *= own.mass / volume;
    own = carom_robot_place_mass(&shape->frame, &own);
    carom_robot_add_mass(&link->mass, &own);
  }
}
