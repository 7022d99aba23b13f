// SPDX-License-Identifier: MIT
// The start: numbers of the description become a world of bodies.
#include "base/vector.h"
#include "stepping/stepping.h"

#include <math.h>
#include <string.h>

// what a start is read with; the first failure is kept
typedef struct reader {
  carom_stepping *it;
  carom_error *error;
  carom_status status;
} reader;

static double value_of(reader *r, carom_node node, double otherwise) {
  if (!node || r->status) return otherwise;
  carom_error failed = {0};
  double value =
      carom_node_evaluate(r->it->model->scenario->graph, node, r->it->settings.values, &failed);
  if (failed.status == CAROM_ERR_MEMORY) r->status = carom_fail_memory(r->error);
  return value;
}

static void vector_of(reader *r, const carom_node nodes[3], double v[3]) {
  for (int c = 0; c < 3; c++)
    v[c] = value_of(r, nodes[c], 0.0);
}

static void want_value(reader *r, bool good, carom_place place, const char *text, const char *name,
                       double value) {
  if (!good && !r->status)
    r->status = carom_fail_at(r->error, CAROM_ERR_INPUT, place, text, name, value);
}

// ---- numbers of the run

static void read_numbers(reader *r) {
  carom_stepping *it = r->it;
  const carom_scenario *s = it->model->scenario;
  carom_stepping_numbers *n = &it->numbers;
  n->start = value_of(r, s->run.start, 0.0);
  n->until = value_of(r, s->run.until, 0.0);
  n->sample = value_of(r, s->run.sample, (n->until - n->start) / 1000.0);
  n->window_start = value_of(r, s->measure.after.node, n->start);
  n->window_end =
      s->measure.over.node ? n->window_start + value_of(r, s->measure.over.node, 0.0) : HUGE_VAL;
}

static void read_settings(reader *r, carom_world *world) {
  const carom_stepping_description *d = r->it->model->bodies;
  carom_world_settings *set = &world->set;
  set->space = d->space;
  set->step = value_of(r, d->step, 0.0);
  vector_of(r, d->gravity, set->gravity);
  set->residual = value_of(r, d->residual, 1e-9);
  set->sleep = value_of(r, d->sleep, 0.0);
  want_value(r, set->sleep >= 0.0 && isfinite(set->sleep), d->step_place,
             "run.%s is %g; it must not be negative", "sleep", set->sleep);
  double sweeps = value_of(r, d->sweeps, 20000.0);
  want_value(r, set->step > 0.0 && isfinite(set->step), d->step_place,
             "run.%s is %g; it must be positive", "step", set->step);
  want_value(r, set->residual > 0.0 && set->residual < 1.0, d->step_place,
             "run.%s is %g; it must be between 0 and 1", "residual", set->residual);
  want_value(r, sweeps >= 1.0 && sweeps <= 1e9, d->step_place,
             "run.%s is %g; it must be at least 1 and at most 1e9", "sweeps", sweeps);
  set->sweeps = r->status ? 1 : (long)sweeps;
}

static void read_laws(reader *r, carom_world *world) {
  const carom_stepping_description *d = r->it->model->bodies;
  carom_world_law *laws = carom_arena_array(world->arena, (size_t)d->contact_count, sizeof *laws);
  if (!laws) {
    r->status = carom_fail_memory(r->error);
    return;
  }
  for (int k = 0; k < d->contact_count; k++) {
    const carom_stepping_contact *c = &d->contacts[k];
    laws[k] = (carom_world_law){c->first, c->second, value_of(r, c->friction, 0.0),
                                value_of(r, c->restitution, 0.0)};
    want_value(r, laws[k].friction >= 0.0 && isfinite(laws[k].friction), c->place,
               "contacts.%s.friction is %g; it must not be negative", c->name, laws[k].friction);
    want_value(r, laws[k].restitution >= 0.0 && laws[k].restitution <= 1.0, c->place,
               "contacts.%s.impact is %g; it must be between 0 and 1", c->name,
               laws[k].restitution);
  }
  world->set.laws = laws;
  world->set.law_count = d->contact_count;
}

// ---- bodies

static void read_shape(reader *r, carom_world *world, const carom_stepping_body *from,
                       carom_solid *solid) {
  carom_solid_shape *to = &solid->shape;
  to->kind = from->kind;
  to->corner_count = from->corner_count;
  to->corners = carom_arena_array(world->arena, (size_t)to->corner_count, sizeof *to->corners);
  solid->at = carom_arena_array(world->arena, (size_t)to->corner_count, sizeof *solid->at);
  if (!to->corners || !solid->at) {
    r->status = carom_fail_memory(r->error);
    return;
  }
  for (int k = 0; k < to->corner_count; k++)
    vector_of(r, from->corners[k], to->corners[k]);
  to->radius = value_of(r, from->radius, 0.0);
  vector_of(r, from->normal, to->normal);
}

// the state that the scenario, or somebody who set it, starts with
static double start_of(const carom_stepping *it, int k) {
  double own = it->settings.start_given[k];
  return isnan(own) ? it->settings.values[it->model->symbols[1 + k]] : own;
}

static void read_motion(const carom_stepping *it, const carom_stepping_body *from, carom_solid *s) {
  const carom_scenario *scenario = it->model->scenario;
  int rates = scenario->coordinate_count, states = rates + carom_scenario_rates(scenario);
  bool space = it->model->bodies->space;
  for (int c = 0; c < (space ? 3 : 2); c++) {
    s->x[c] = start_of(it, from->coordinate + c);
    s->v[c] = start_of(it, rates + from->coordinate + c);
  }
  s->e[0] = 1.0;
  if (!space) {
    s->angle = start_of(it, from->coordinate + 2);
    s->spin[2] = start_of(it, rates + from->coordinate + 2);
    return;
  }
  double square = 0.0;
  for (int c = 0; c < 4; c++) {
    s->e[c] = start_of(it, states + from->state + c);
    square += s->e[c] * s->e[c];
  }
  for (int c = 0; c < 4; c++)
    s->e[c] /= sqrt(square);
  for (int c = 0; c < 3; c++)
    s->spin[c] = start_of(it, rates + from->speed + c);
}

static void read_body(reader *r, carom_world *world, int k) {
  const carom_stepping_body *from = &r->it->model->bodies->bodies[k];
  carom_solid *s = &world->solids[k];
  s->moves = from->moves;
  read_shape(r, world, from, s);
  if (!s->moves || r->status) return;
  s->mass = value_of(r, from->mass, 0.0);
  vector_of(r, from->inertia, s->inertia);
  s->drag = value_of(r, from->drag, 0.0);
  want_value(r, s->drag >= 0.0 && isfinite(s->drag), from->place,
             "the drag of bodies.%s is %g; it must not be negative", from->name, s->drag);
  want_value(r, s->mass > 0.0 && isfinite(s->mass), from->place,
             "the mass of bodies.%s is %g; it must be positive", from->name, s->mass);
  for (int c = world->set.space ? 0 : 2; c < 3; c++)
    want_value(r, s->inertia[c] > 0.0 && isfinite(s->inertia[c]), from->place,
               "the inertia of bodies.%s is %g; it must be positive", from->name, s->inertia[c]);
  read_motion(r->it, from, s);
  for (int c = 0; c < 3; c++)
    want_value(r, isfinite(s->x[c]) && isfinite(s->v[c]) && isfinite(s->spin[c]), from->place,
               "bodies.%s does not start with finite numbers (%g)", from->name, s->x[c]);
}

static void drive_body(void *ctx, int body, double t, carom_pose *pose) {
  const carom_stepping *it = ctx;
  const carom_stepping_model *model = it->model;
  it->placed_registers[0] = t;
  carom_program_run(model->placed, it->placed_registers);
  double numbers[18];
  (void)carom_program_read(model->placed, it->placed_registers, model->placed_at[body], 18,
                           numbers);
  memcpy(pose->place, numbers, sizeof pose->place);
  memcpy(pose->turn, numbers + 3, sizeof pose->turn);
  memcpy(pose->v, numbers + 12, sizeof pose->v);
  memcpy(pose->w, numbers + 15, sizeof pose->w);
}

// ---- joints

static void read_joint(reader *r, const carom_stepping_joint *from, carom_bond *to) {
  *to = (carom_bond){.kind = from->kind, .a = from->bodies[0], .b = from->bodies[1]};
  vector_of(r, from->point, to->point_a);
  bool spans = from->kind == CAROM_STEPPING_DISTANCE || from->kind == CAROM_STEPPING_SPRING;
  vector_of(r, spans ? from->other : from->point, to->point_b);
  vector_of(r, from->axis, to->axis_a);
  bool crossed = from->kind == CAROM_STEPPING_UNIVERSAL;
  if (crossed) vector_of(r, from->other, to->axis_b);
  to->length = value_of(r, from->length, 0.0);
  to->stiffness = value_of(r, from->stiffness, 0.0);
  to->damping = value_of(r, from->damping, 0.0);
  want_value(r, to->stiffness >= 0.0 && isfinite(to->stiffness), from->place,
             "joints.%s.spring is %g; it must not be negative", from->name, to->stiffness);
  want_value(r, to->damping >= 0.0 && isfinite(to->damping), from->place,
             "joints.%s.damping is %g; it must not be negative", from->name, to->damping);
  want_value(r, to->length >= 0.0, from->place, "joints.%s.length is %g; it must not be negative",
             from->name, to->length);
  bool directed = crossed || from->kind == CAROM_STEPPING_HINGE ||
                  from->kind == CAROM_STEPPING_SLIDER || from->kind == CAROM_STEPPING_PLANAR;
  double length = carom_v3_length(to->axis_a), other = carom_v3_length(to->axis_b);
  want_value(r, !directed || length > 0.0, from->place, "the axis of joints.%s has length %g",
             from->name, length);
  want_value(r, !crossed || other > 0.0, from->place, "'across' of joints.%s has length %g",
             from->name, other);
}

static void read_joints(reader *r, carom_world *world) {
  const carom_stepping_description *d = r->it->model->bodies;
  world->bond_count = d->joint_count;
  world->bonds = carom_arena_array(world->arena, (size_t)d->joint_count, sizeof *world->bonds);
  if (!world->bonds) r->status = carom_fail_memory(r->error);
  for (int k = 0; !r->status && k < d->joint_count; k++)
    read_joint(r, &d->joints[k], &world->bonds[k]);
}

// a start that breaks a joint is refused
static void check_joints(reader *r, carom_world *world) {
  const carom_stepping_description *d = r->it->model->bodies;
  carom_bonds_rows(world);
  for (int k = 0; k < world->row_count; k++) {
    const carom_row *row = &world->rows[k];
    if (fabs(row->error) <= 1e-6 * (1.0 + fabs(row->error))) continue;
    for (int j = 0; j < d->joint_count; j++)
      if (d->joints[j].bodies[0] == row->a && d->joints[j].bodies[1] == row->b)
        want_value(r, false, d->joints[j].place, "the start breaks joints.%s by %g",
                   d->joints[j].name, row->error);
  }
}

// ---- the whole

static carom_world *new_world(reader *r, carom_arena *arena) {
  carom_stepping *it = r->it;
  carom_world *world = carom_arena_take(arena, sizeof *world);
  int count = it->model->bodies->body_count;
  if (world) world->solids = carom_arena_array(arena, (size_t)count, sizeof *world->solids);
  if (!world || !world->solids) {
    r->status = carom_fail_memory(r->error);
    return NULL;
  }
  world->arena = arena;
  world->count = count;
  world->start = it->numbers.start;
  world->outside = (carom_world_outside){.drive = drive_body,
                                         .push = it->model->pushed ? carom_stepping_push : NULL,
                                         .ctx = it,
                                         .driven = it->model->driven,
                                         .by_velocity = it->model->by_velocity};
  world->outside.forces = carom_arena_array(arena, (size_t)count, sizeof *world->outside.forces);
  if (!world->outside.forces) r->status = carom_fail_memory(r->error);
  read_settings(r, world);
  read_laws(r, world);
  for (int k = 0; !r->status && k < count; k++)
    read_body(r, world, k);
  if (!r->status) read_joints(r, world);
  return world;
}

// bodies that overlap from the beginning would be pushed apart by nobody
static void check_overlap(reader *r, carom_world *world) {
  const carom_stepping_description *d = r->it->model->bodies;
  carom_world_find(world);
  world->touch_count = world->old_count = 0;
  int a = world->overlap[0], b = world->overlap[1];
  double deep = world->deep;
  world->deep = 0.0;
  if (a < 0) return;
  double size = fmax(world->solids[a].moves ? world->solids[a].shape.reach : 0.0,
                     world->solids[b].moves ? world->solids[b].shape.reach : 0.0);
  if (deep > 1e-6 * size && !r->status)
    r->status = carom_fail_at(r->error, CAROM_ERR_INPUT, d->bodies[a].place,
                              "bodies.%s and bodies.%s overlap by %g at the start",
                              d->bodies[a].name, d->bodies[b].name, deep);
}

static void set_parameters(carom_stepping *it) {
  const carom_scenario *s = it->model->scenario;
  const int *symbols = it->model->symbols;
  for (int k = 0; k < s->parameter_count; k++) {
    double value = it->settings.values[symbols[1 + it->model->state_size + k]];
    it->placed_registers[1 + k] = value;
    if (it->model->pushed) it->pushed_registers[1 + it->model->state_size + k] = value;
    it->seen_registers[1 + it->model->state_size + k] = value;
  }
  carom_program_setup(it->model->placed, it->placed_registers);
  if (it->model->pushed) carom_program_setup(it->model->pushed, it->pushed_registers);
  carom_program_setup(it->model->seen, it->seen_registers);
}

carom_status carom_stepping_start(carom_stepping *it, carom_error *error) {
  const carom_scenario *s = it->model->scenario;
  reader r = {it, error, CAROM_OK};
  carom_status status = carom_settings_read(&it->settings, it->model->scenario, error);
  if (status) return status;
  carom_arena *arena = carom_arena_create(carom_arena_allocator(it->simulation->arena));
  if (!arena) return carom_fail_memory(error);
  set_parameters(it);
  read_numbers(&r);
  carom_world *world = new_world(&r, arena);
  if (!r.status) {
    carom_world_drive(world, world->start);
    if (!carom_world_begin(world)) r.status = carom_fail_memory(error);
  }
  if (!r.status) {
    carom_world_drive(world, world->start);
    check_joints(&r, world);
    check_overlap(&r, world);
  }
  if (r.status) {
    carom_arena_destroy(arena);
    return r.status;
  }
  carom_arena_destroy(it->arena);
  it->arena = arena;
  it->world = world;
  memset(it->tallies, 0, (size_t)s->measure.reducer_count * sizeof *it->tallies);
  it->now = (carom_stepping_now){.kinetic_start = carom_world_kinetic(world),
                                 .potential_start = carom_world_potential(world)};
  carom_stepping_look(it);
  return CAROM_OK;
}
