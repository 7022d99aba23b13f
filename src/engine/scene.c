// SPDX-License-Identifier: MIT
/// Scenes: the shapes of a scenario, computed from samples, and what the engine adds to them.
#include "carom/scene.h"
#include "engine/scene_parts.h"

#include <math.h>
#include <string.h>

const char *carom_part_kind_text(carom_part_kind kind) {
  static const char *const TEXTS[CAROM_PARTS] = {"circle", "segment", "polygon", "level",  "rod",
                                                 "body",   "plane",   "tube",    "spring", "damper",
                                                 "angle",  "bead",    "stop",    "force"};
  return kind >= 0 && kind < CAROM_PARTS ? TEXTS[kind] : "";
}

carom_status carom_scene_add(carom_scene *scene, carom_part_kind kind, const char *label, int count,
                             int fixed_count, const double *fixed, carom_error *error) {
  carom_part part = {.kind = kind,
                     .label = label ? label : "",
                     .first = scene->size,
                     .count = count,
                     .fixed_first = scene->fixed_count,
                     .fixed_length = fixed_count,
                     .color = ""};
  if (!carom_arena_grow(scene->arena, (void **)&scene->parts, scene->part_count, &scene->part_room,
                        sizeof *scene->parts))
    return carom_fail_memory(error);
  for (int k = 0; k < fixed_count; k++) {
    if (!carom_arena_grow(scene->arena, (void **)&scene->fixed, scene->fixed_count,
                          &scene->fixed_room, sizeof *scene->fixed))
      return carom_fail_memory(error);
    scene->fixed[scene->fixed_count++] = fixed[k];
  }
  scene->parts[scene->part_count++] = part;
  scene->size += count;
  return CAROM_OK;
}

// ---- shapes of a scenario

static int numbers_of(const carom_shape *shape) {
  if (shape->numbers) return shape->number_count;
  switch (shape->kind) {
  case CAROM_SHAPE_CIRCLE: return 3;
  case CAROM_SHAPE_PLANE:
  case CAROM_SHAPE_BEAD:
  case CAROM_SHAPE_STOP: return 1;
  case CAROM_SHAPE_ANGLE: return 5;
  default: return 2 * shape->count;
  }
}

static void append_shape(const carom_shape *shape, carom_node *at) {
  for (int k = 0; k < shape->number_count; k++)
    at[k] = shape->numbers[k];
  if (shape->numbers) return;
  switch (shape->kind) {
  case CAROM_SHAPE_PLANE: *at = shape->points[0][1]; return;
  case CAROM_SHAPE_BEAD:
  case CAROM_SHAPE_STOP: *at = shape->points[0][0]; return;
  default: break;
  }
  for (int k = 0; k < shape->count; k++) {
    *at++ = shape->points[k][0];
    *at++ = shape->points[k][1];
  }
  if (shape->kind == CAROM_SHAPE_CIRCLE || shape->kind == CAROM_SHAPE_ANGLE) *at++ = shape->radius;
  if (shape->kind == CAROM_SHAPE_ANGLE) at[0] = shape->from, at[1] = shape->to;
}

// t, q, q', z, parameters: the order of a sample's first columns, then what is constant
static int list_inputs(const carom_scenario *s, carom_node *inputs) {
  carom_node *at = inputs;
  *at++ = s->time;
  for (int k = 0; k < s->coordinate_count; k++)
    *at++ = s->coordinates[k].symbol;
  for (int k = 0; k < carom_scenario_rates(s); k++)
    *at++ = s->coordinates[k].rate;
  for (int k = 0; k < s->state_count; k++)
    *at++ = s->states[k].symbol;
  for (int k = 0; k < s->parameter_count; k++)
    *at++ = s->parameters[k].symbol;
  return (int)(at - inputs);
}

static carom_status add_shape(carom_scene *scene, const carom_shape *shape, carom_error *error) {
  static const carom_part_kind KINDS[] = {CAROM_PART_CIRCLE, CAROM_PART_SEGMENT, CAROM_PART_POLYGON,
                                          CAROM_PART_LEVEL,  CAROM_PART_SPRING,  CAROM_PART_DAMPER,
                                          CAROM_PART_ANGLE,  CAROM_PART_PLANE,   CAROM_PART_BEAD,
                                          CAROM_PART_STOP,   CAROM_PART_BODY,    CAROM_PART_BODY,
                                          CAROM_PART_BODY,   CAROM_PART_ROD,     CAROM_PART_PLANE};
  const double fixed[2] = {shape->row, shape->side};
  int fixed_count = shape->kind == CAROM_SHAPE_STOP ? 2 : shape->kind == CAROM_SHAPE_BEAD ? 1 : 0;
  const double line[2] = {1.0, 0.0}; // half of its axis, and thin
  carom_status status =
      KINDS[shape->kind] == CAROM_PART_BODY ? carom_scene_add_solid(scene, shape, error)
      : shape->kind == CAROM_SHAPE_LINE
          ? carom_scene_add(scene, CAROM_PART_ROD, shape->label, 6, 2, line, error)
          : carom_scene_add(scene, KINDS[shape->kind], shape->label, numbers_of(shape), fixed_count,
                            fixed, error);
  if (status != CAROM_OK) return status;
  carom_part *part = &scene->parts[scene->part_count - 1];
  if (shape->color) part->color = shape->color;
  part->hollow = shape->fill && strcmp(shape->fill, "none") == 0;
  return CAROM_OK;
}

static carom_status add_shapes(carom_scene *scene, const carom_scenario *s, carom_error *error) {
  carom_status status = CAROM_OK;
  for (int k = 0; k < s->drawing.count && status == CAROM_OK; k++)
    status = add_shape(scene, &s->drawing.shapes[k], error);
  scene->space = s->drawing.space;
  scene->shape_numbers = scene->size;
  return status;
}

static carom_status compile_shapes(carom_scene *scene, const carom_scenario *s,
                                   carom_error *error) {
  size_t room = (size_t)(1 + 2 * carom_scenario_rates(s) + s->state_count + s->parameter_count);
  carom_node *inputs = carom_arena_array(scene->arena, room, sizeof *inputs);
  carom_node *outputs = carom_arena_array(scene->arena, (size_t)scene->size, sizeof *outputs);
  if (!inputs || !outputs) return carom_fail_memory(error);
  int input_count = list_inputs(s, inputs);
  carom_node *at = outputs;
  for (int k = 0; k < s->drawing.count; at += numbers_of(&s->drawing.shapes[k++]))
    append_shape(&s->drawing.shapes[k], at);
  carom_status status = carom_program_compile(scene->arena, s->graph, input_count, inputs,
                                              scene->size, outputs, &scene->shapes, error);
  if (status != CAROM_OK) return status;
  scene->registers = carom_arena_array(scene->arena, (size_t)carom_program_registers(scene->shapes),
                                       sizeof *scene->registers);
  size_t shape_numbers = (size_t)scene->size;
  size_t n = s->contact_count > 0 ? (size_t)s->coordinate_count : 0; // slopes are for contacts
  scene->state_size = s->coordinate_count + carom_scenario_rates(s) + s->state_count;
  scene->touch_slopes = carom_arena_array(scene->arena, (n + 1) * shape_numbers, sizeof(double));
  scene->touch_values = carom_arena_array(scene->arena, (size_t)scene->state_size, sizeof(double));
  if (!scene->registers || !scene->touch_slopes || !scene->touch_values)
    return carom_fail_memory(error);
  // parameters are those of the simulation, which may have been set by name
  int first = input_count - s->parameter_count;
  for (int k = 0; k < s->parameter_count && status == CAROM_OK; k++)
    status = carom_simulation_get((carom_simulation *)scene->simulation,
                                  s->parameters[k].value.name, &scene->registers[first + k], error);
  if (status == CAROM_OK) carom_program_setup(scene->shapes, scene->registers);
  return status;
}

void carom_scene_shapes_at(carom_scene *scene, double t, const double *state, double *numbers) {
  scene->registers[0] = t;
  memcpy(scene->registers + 1, state, (size_t)scene->state_size * sizeof *state);
  carom_program_run(scene->shapes, scene->registers);
  for (int k = 0; k < scene->shape_numbers; k++)
    numbers[k] = scene->registers[carom_program_output(scene->shapes, k)];
}

static void look_at_shapes(carom_scene *scene, double t, int count, const double *values) {
  if (scene->shapes && count >= scene->state_size)
    carom_scene_shapes_at(scene, t, values, scene->numbers);
}

// ---- the public functions

static carom_status build_scene(carom_scene *scene, carom_error *error) {
  const carom_model *model = scene->simulation->model;
  const carom_scenario *s = model->scenario;
  carom_status status = CAROM_OK;
  if (s && s->drawing.count > 0 && !s->described.grains) {
    status = add_shapes(scene, s, error);
    if (status == CAROM_OK) status = compile_shapes(scene, s, error);
  }
  scene->contact_count = carom_model_count(model, CAROM_CONTACTS);
  scene->contacts =
      carom_arena_array(scene->arena, (size_t)scene->contact_count, sizeof *scene->contacts);
  if (!scene->contacts) return carom_fail_memory(error);
  for (int k = 0; k < scene->contact_count; k++)
    scene->contacts[k] = (carom_contact_view){'?', NAN, NAN, NAN, NAN, {NAN, NAN}, {NAN, NAN}};
  if (status == CAROM_OK && model->engine->scene) status = model->engine->scene(scene, error);
  scene->numbers = carom_arena_array(scene->arena, (size_t)scene->size, sizeof *scene->numbers);
  if (!scene->numbers) return carom_fail_memory(error);
  return status;
}

carom_status carom_scene_create(const carom_simulation *simulation, carom_scene **scene,
                                carom_error *error) {
  *scene = NULL;
  carom_arena *arena = carom_arena_create(carom_arena_allocator(simulation->arena));
  carom_scene *made = arena ? carom_arena_take(arena, sizeof *made) : NULL;
  if (!made) {
    carom_arena_destroy(arena);
    return carom_fail_memory(error);
  }
  made->arena = arena;
  made->simulation = simulation;
  carom_status status = build_scene(made, error);
  if (status == CAROM_OK)
    *scene = made;
  else
    carom_arena_destroy(arena);
  return status;
}

void carom_scene_destroy(carom_scene *scene) {
  if (scene) carom_arena_destroy(scene->arena);
}

carom_status carom_scene_look(carom_scene *scene, double t, int count, const double *values,
                              carom_error *error) {
  look_at_shapes(scene, t, count, values);
  const carom_engine *engine = scene->simulation->model->engine;
  return engine->look ? engine->look(scene, t, error) : CAROM_OK;
}

bool carom_scene_in_space(const carom_scene *scene) { return scene->space; }

bool carom_scene_is_made(const carom_scene *scene) {
  const carom_scenario *s = scene->simulation->model->scenario;
  return s && s->drawing.made;
}

int carom_scene_parts(const carom_scene *scene) { return scene->part_count; }

const carom_part *carom_scene_part(const carom_scene *scene, int k) {
  return k >= 0 && k < scene->part_count ? &scene->parts[k] : NULL;
}

const double *carom_scene_fixed(const carom_scene *scene, int *count) {
  *count = scene->fixed_count;
  return scene->fixed;
}

const double *carom_scene_numbers(const carom_scene *scene, int *count) {
  *count = scene->size;
  return scene->numbers;
}

const carom_contact_view *carom_scene_contacts(const carom_scene *scene, int *count) {
  *count = scene->contact_count;
  return scene->contacts;
}

const carom_certificate *carom_scene_ledger(const carom_scene *scene) { return &scene->ledger; }
