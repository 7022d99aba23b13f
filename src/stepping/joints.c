// SPDX-License-Identifier: MIT
// Joints: rows of velocities that vanish over the step, and positions brought back onto them.
#include "base/vector.h"
#include "stepping/world.h"

#include <string.h>

// ---- points and turns of the bodies

static void into_body(const carom_solid *s, const double point[3], double local[3]) {
  double from[3];
  carom_v3_difference(point, s->place, from);
  carom_m3_transposed(s->turn, from, local);
}

// columns of both turns tell how one is turned against the other: turn_b^T turn_a
static void turned_against(const carom_solid *a, const carom_solid *b, double m[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double sum = 0.0;
      for (int c = 0; c < 3; c++)
        sum += b->turn[3 * c + i] * a->turn[3 * c + j];
      m[3 * i + j] = sum;
    }
}

// ---- rows

static carom_row *next_row(carom_world *world, const carom_bond *bond) {
  carom_row *row = &world->rows[world->row_count++];
  double p = row->p; // of the step before
  memset(row, 0, sizeof *row);
  row->a = bond->a, row->b = bond->b, row->p = p;
  row->echo = 1.0;
  return row;
}

// the distance of two points of the bodies along a direction
static void add_along(carom_world *world, const carom_bond *bond, const double direction[3],
                      const double arm_a[3], const double arm_b[3], double error) {
  carom_row *row = next_row(world, bond);
  memcpy(row->lin, direction, sizeof row->lin);
  carom_v3_cross(arm_a, direction, row->turn_a);
  carom_v3_cross(arm_b, direction, row->turn_b);
  row->error = error;
}

// turning about an axis
static void add_about(carom_world *world, const carom_bond *bond, const double axis[3],
                      double error) {
  carom_row *row = next_row(world, bond);
  memcpy(row->turn_a, axis, sizeof row->turn_a);
  memcpy(row->turn_b, axis, sizeof row->turn_b);
  row->error = error;
}

// how far a has turned from where it belongs, as a vector in space: the skew part of
// turn_a (turn_b turned)^T, exact to second order, as far as positions are concerned
static void turned_off(const carom_bond *bond, const carom_solid *a, const carom_solid *b,
                       double off[3]) {
  double wanted[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double sum = 0.0;
      for (int c = 0; c < 3; c++)
        sum += b->turn[3 * i + c] * bond->turned[3 * c + j];
      wanted[3 * i + j] = sum;
    }
  memset(off, 0, 3 * sizeof *off);
  for (int c = 0; c < 3; c++) {
    double is[3] = {a->turn[c], a->turn[3 + c], a->turn[6 + c]}, more[3];
    const double should[3] = {wanted[c], wanted[3 + c], wanted[6 + c]};
    carom_v3_cross(should, is, more);
    carom_v3_add(0.5, more, off);
  }
}

typedef struct bond_ends {
  double arm_a[3], arm_b[3], point_a[3], off[3]; // off: from the point of b to that of a
} bond_ends;

static bond_ends ends_of(const carom_world *world, const carom_bond *bond) {
  const carom_solid *a = &world->solids[bond->a], *b = &world->solids[bond->b];
  bond_ends it = {0};
  double point_b[3];
  carom_m3_times(a->turn, bond->point_a, it.arm_a);
  carom_m3_times(b->turn, bond->point_b, it.arm_b);
  for (int c = 0; c < 3; c++) {
    it.point_a[c] = a->place[c] + it.arm_a[c];
    point_b[c] = b->place[c] + it.arm_b[c];
  }
  carom_v3_difference(it.point_a, point_b, it.off);
  return it;
}

static void add_point(carom_world *world, const carom_bond *bond, const bond_ends *it) {
  for (int c = 0; c < (world->set.space ? 3 : 2); c++) {
    double direction[3] = {c == 0, c == 1, c == 2};
    add_along(world, bond, direction, it->arm_a, it->arm_b, it->off[c]);
  }
}

static void add_turn(carom_world *world, const carom_bond *bond) {
  double off[3];
  turned_off(bond, &world->solids[bond->a], &world->solids[bond->b], off);
  for (int c = world->set.space ? 0 : 2; c < 3; c++) {
    double axis[3] = {c == 0, c == 1, c == 2};
    add_about(world, bond, axis, off[c]);
  }
}

// the axes of both bodies stay parallel
static void add_axis(carom_world *world, const carom_bond *bond) {
  double one[3], two[3], t[3], s[3], off[3];
  carom_m3_times(world->solids[bond->a].turn, bond->axis_a, one);
  carom_m3_times(world->solids[bond->b].turn, bond->axis_b, two);
  carom_v3_tangents(two, t, s);
  carom_v3_cross(two, one, off);
  add_about(world, bond, t, carom_v3_dot(off, t));
  add_about(world, bond, s, carom_v3_dot(off, s));
}

// the point of the first body stays in the plane of the second
static void add_plane(carom_world *world, const carom_bond *bond, const bond_ends *it) {
  const carom_solid *b = &world->solids[bond->b];
  double axis[3], arm[3];
  carom_m3_times(b->turn, bond->axis_b, axis);
  carom_v3_difference(it->point_a, b->place, arm);
  add_along(world, bond, axis, it->arm_a, arm, carom_v3_dot(it->off, axis));
}

// arms p of the first body and q of the second stay square: (p.q)' = (wa - wb).(p x q)
static void add_cross(carom_world *world, const carom_bond *bond) {
  double one[3], two[3], about[3];
  carom_m3_times(world->solids[bond->a].turn, bond->axis_a, one);
  carom_m3_times(world->solids[bond->b].turn, bond->axis_b, two);
  carom_v3_cross(one, two, about);
  add_about(world, bond, about, carom_v3_dot(one, two));
}

// the point of the first body stays on the axis of the second
static void add_track(carom_world *world, const carom_bond *bond, const bond_ends *it) {
  const carom_solid *b = &world->solids[bond->b];
  double axis[3], square[2][3], arm[3];
  carom_m3_times(b->turn, bond->axis_b, axis);
  carom_v3_difference(it->point_a, b->place, arm);
  if (world->set.space) {
    carom_v3_tangents(axis, square[0], square[1]);
  } else {
    square[0][0] = -axis[1], square[0][1] = axis[0], square[0][2] = 0.0;
  }
  for (int k = 0; k < (world->set.space ? 2 : 1); k++)
    add_along(world, bond, square[k], it->arm_a, arm, carom_v3_dot(it->off, square[k]));
}

static void add_distance(carom_world *world, const carom_bond *bond, const bond_ends *it) {
  double direction[3], far = carom_v3_length(it->off);
  memcpy(direction, it->off, sizeof direction);
  if (far > 0.0) carom_v3_scale(1.0 / far, direction);
  add_along(world, bond, direction, it->arm_a, it->arm_b, far - bond->length);
}

// The rule of the midpoint for a spring of length l in the middle of the step, as velocities of now
// foretell it: p = -h k (l + h (u' - u)/4 - length) - h c (u + u')/2
static void soften_row(carom_world *world, double stretch, double stiffness, double damping) {
  carom_row *row = &world->rows[world->row_count - 1];
  double h = world->set.step, slope = 0.25 * h * h * stiffness + 0.5 * h * damping;
  if (slope <= 0.0) {
    world->row_count--;
    return;
  }
  row->soft = 1.0 / slope;
  row->echo = (0.5 * h * damping - 0.25 * h * h * stiffness) / slope;
  row->aim = h * stiffness * stretch / slope;
  row->damping = h * damping;
}

// A spring without a length of its own pulls along every axis by itself, so that nothing happens
// where its ends meet; its damper acts along the line between them.
static void add_spring(carom_world *world, const carom_bond *bond, const bond_ends *it) {
  double far = carom_v3_length(it->off), along = bond->length > 0.0 ? bond->stiffness : 0.0;
  for (int c = 0; c < (world->set.space ? 3 : 2) && bond->length <= 0.0; c++) {
    double direction[3] = {c == 0, c == 1, c == 2};
    add_along(world, bond, direction, it->arm_a, it->arm_b, 0.0);
    soften_row(world, it->off[c], bond->stiffness, 0.0);
  }
  add_distance(world, bond, it);
  world->rows[world->row_count - 1].error = 0.0;
  soften_row(world, far - bond->length, along, bond->damping);
}

void carom_bonds_rows(carom_world *world) {
  world->row_count = 0;
  for (int k = 0; k < world->bond_count; k++) {
    const carom_bond *bond = &world->bonds[k];
    bond_ends it = ends_of(world, bond);
    switch (bond->kind) {
    case CAROM_STEPPING_WELD:
      add_turn(world, bond);
      add_point(world, bond, &it);
      break;
    case CAROM_STEPPING_SLIDER:
      add_turn(world, bond);
      add_track(world, bond, &it);
      break;
    case CAROM_STEPPING_HINGE:
      add_axis(world, bond);
      add_point(world, bond, &it);
      break;
    case CAROM_STEPPING_PLANAR:
      add_axis(world, bond);
      add_plane(world, bond, &it);
      break;
    case CAROM_STEPPING_UNIVERSAL:
      add_cross(world, bond);
      add_point(world, bond, &it);
      break;
    case CAROM_STEPPING_DISTANCE: add_distance(world, bond, &it); break;
    case CAROM_STEPPING_SPRING: add_spring(world, bond, &it); break;
    case CAROM_STEPPING_BALL: add_point(world, bond, &it); break;
    }
  }
  for (int k = 0; k < world->row_count; k++) {
    carom_row *row = &world->rows[k];
    const carom_solid *a = &world->solids[row->a], *b = &world->solids[row->b];
    carom_m3_times(a->spread, row->turn_a, row->spread_a);
    carom_m3_times(b->spread, row->turn_b, row->spread_b);
    row->weight = (a->light + b->light) * carom_v3_dot(row->lin, row->lin) +
                  carom_v3_dot(row->spread_a, row->turn_a) +
                  carom_v3_dot(row->spread_b, row->turn_b);
  }
}

// ---- positions

// the largest error of a row, in metres or radians
static double largest_error(const carom_world *world) {
  double most = 0.0;
  for (int k = 0; k < world->row_count; k++)
    most = fmax(most, fabs(world->rows[k].error));
  return most;
}

// displacements v0, w0 that take the errors away to first order, by sweeps over the rows
static void correct_errors(carom_world *world) {
  const int sweeps = 50;
  for (int k = 0; k < world->count; k++) {
    carom_solid *s = &world->solids[k];
    memset(s->v0, 0, sizeof s->v0);
    memset(s->w0, 0, sizeof s->w0);
  }
  for (int sweep = 0; sweep < sweeps; sweep++)
    for (int k = 0; k < world->row_count; k++) {
      const carom_row *row = &world->rows[k];
      carom_solid *a = &world->solids[row->a], *b = &world->solids[row->b];
      if (row->weight <= 0.0 || row->soft > 0.0) continue;
      double off = row->error + carom_v3_dot(row->lin, a->v0) - carom_v3_dot(row->lin, b->v0) +
                   carom_v3_dot(row->turn_a, a->w0) - carom_v3_dot(row->turn_b, b->w0);
      double p = -off / row->weight;
      carom_v3_add(p * a->light, row->lin, a->v0);
      carom_v3_add(-p * b->light, row->lin, b->v0);
      carom_v3_add(p, row->spread_a, a->w0);
      carom_v3_add(-p, row->spread_b, b->w0);
    }
  for (int k = 0; k < world->count; k++) {
    carom_solid *s = &world->solids[k];
    double turn[3];
    if (!s->moves) continue;
    carom_m3_transposed(s->turn, s->w0, turn);
    carom_solid_move(s, world->set.space, 1.0, s->v0, turn);
  }
}

static void measure_springs(carom_world *world) {
  for (int k = 0; k < world->bond_count; k++) {
    carom_bond *bond = &world->bonds[k];
    if (bond->kind != CAROM_STEPPING_SPRING) continue;
    bond_ends it = ends_of(world, bond);
    bond->stretched = carom_v3_length(it.off);
  }
}

void carom_bonds_measure(carom_world *world) {
  for (int k = 0; k < world->count; k++)
    carom_solid_pose(&world->solids[k], world->set.space, 0.0);
  measure_springs(world);
}

double carom_bonds_potential(const carom_world *world) {
  double sum = 0.0;
  for (int k = 0; k < world->bond_count; k++) {
    const carom_bond *bond = &world->bonds[k];
    double stretch = bond->stretched - bond->length;
    if (bond->kind == CAROM_STEPPING_SPRING) sum += 0.5 * bond->stiffness * stretch * stretch;
  }
  return sum;
}

// bonds come with points and axes in space, which become those of the bodies
void carom_bonds_begin(carom_world *world) {
  world->row_count = 0;
  for (int k = 0; k < world->bond_count; k++) {
    carom_bond *bond = &world->bonds[k];
    const carom_solid *a = &world->solids[bond->a], *b = &world->solids[bond->b];
    double length = carom_v3_length(bond->axis_a), other = carom_v3_length(bond->axis_b);
    if (length > 0.0) carom_v3_scale(1.0 / length, bond->axis_a);
    if (other > 0.0) carom_v3_scale(1.0 / other, bond->axis_b); // of a cross: an arm of its own
    carom_m3_transposed(b->turn, other > 0.0 ? bond->axis_b : bond->axis_a, bond->axis_b);
    carom_m3_transposed(a->turn, bond->axis_a, bond->axis_a);
    into_body(a, bond->point_a, bond->point_a);
    into_body(b, bond->point_b, bond->point_b);
    turned_against(a, b, bond->turned);
  }
  measure_springs(world);
}

// Rows are linear in displacements but for squares of them, and errors are squares of the step: a
// few rounds bring them to rounding.
void carom_bonds_project(carom_world *world) {
  const int most_rounds = 5;
  const double enough = 1e-13;
  if (world->bond_count == 0) return;
  for (int round = 0;; round++) {
    for (int k = 0; k < world->count; k++)
      carom_solid_pose(&world->solids[k], world->set.space, 0.0);
    carom_bonds_rows(world);
    double error = largest_error(world);
    if (round == most_rounds || error <= enough) {
      world->ledger.joint_error = fmax(world->ledger.joint_error, error);
      measure_springs(world);
      return;
    }
    correct_errors(world);
  }
}
