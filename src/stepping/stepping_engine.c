// SPDX-License-Identifier: MIT
// The engine's entries: room, settings by name, motion in whole steps, save and restore.
#include "base/whole.h"
#include "engine/names.h"
#include "engine/saved.h"
#include "stepping/stepping.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { SOLID_NUMBERS = 22, SETTINGS = 2, PARTS = 7 }; // of a saved state

static carom_stepping *stepping_of(const carom_simulation *simulation) { return simulation->state; }

static double *take_numbers(carom_arena *arena, int count) {
  return carom_arena_array(arena, (size_t)count, sizeof(double));
}

// of what pack() writes
static size_t packed_size(const carom_world *world) {
  return ((size_t)world->count * SOLID_NUMBERS + 6 * (size_t)world->bond_count) * sizeof(double);
}

static carom_status stepping_create(carom_simulation *simulation, carom_error *error) {
  carom_arena *arena = simulation->arena;
  carom_stepping *it = carom_arena_take(arena, sizeof *it);
  if (!it) return carom_fail_memory(error);
  const carom_stepping_model *model = it->model = simulation->model->prepared;
  const carom_scenario *s = model->scenario;
  it->simulation = simulation;
  simulation->state = it;
  bool named = carom_settings_room(&it->settings, arena, s->parameter_count, model->state_size,
                                   carom_graph_symbol_count(s->graph));
  it->placed_registers = take_numbers(arena, carom_program_registers(model->placed));
  it->pushed_registers =
      take_numbers(arena, model->pushed ? carom_program_registers(model->pushed) : 0);
  it->seen_registers = take_numbers(arena, carom_program_registers(model->seen));
  it->columns = take_numbers(arena, model->column_count);
  it->tallies = carom_arena_array(arena, (size_t)s->measure.reducer_count, sizeof *it->tallies);
  if (!named || !it->placed_registers || !it->pushed_registers || !it->seen_registers ||
      !it->columns || !it->tallies)
    return carom_fail_memory(error);
  carom_status status = carom_stepping_start(it, error);
  if (status) return status;
  it->packed = carom_arena_take(arena, packed_size(it->world));
  return it->packed ? CAROM_OK : carom_fail_memory(error);
}

static void stepping_destroy(carom_simulation *simulation) {
  if (simulation->state) carom_arena_destroy(stepping_of(simulation)->arena);
}

// ---- names

static carom_status stepping_set(carom_simulation *simulation, const char *name, double value,
                                 carom_error *error) {
  carom_stepping *it = stepping_of(simulation);
  return carom_settings_give(&it->settings, simulation, it->model->state_size, it->model->columns,
                             name, value, error);
}

static carom_status stepping_reset(carom_simulation *simulation, carom_error *error) {
  return carom_stepping_start(stepping_of(simulation), error);
}

static carom_status stepping_get(carom_simulation *simulation, const char *name, double *value,
                                 carom_error *error) {
  carom_stepping *it = stepping_of(simulation);
  const carom_stepping_model *model = it->model;
  const carom_scenario *s = model->scenario;
  int k = carom_scenario_parameter(s, name);
  if (k >= 0) {
    *value = it->settings.parameters[k];
    return CAROM_OK;
  }
  if (strcmp(name, "t") == 0) {
    *value = carom_world_time(it->world);
    return CAROM_OK;
  }
  for (k = 0; k < s->measure.observable_count; k++)
    if (strcmp(s->measure.observables[k].name, name) == 0)
      return carom_stepping_observable(it, k, value, error);
  k = carom_column_named(model->column_count, model->columns, name);
  if (k < 0) return carom_unknown_name(simulation, name, error);
  carom_stepping_look(it);
  *value = it->columns[k];
  return CAROM_OK;
}

// ---- motion

static long steps_until(const carom_stepping *it, double t) {
  double steps = ceil((t - it->numbers.start) / it->world->set.step - 1e-6);
  const long most = LONG_MAX / 8;
  return isnan(steps) ? most : carom_whole(steps, -most, most);
}

// a sample is due at the step nearest to its time
static bool is_sample(carom_stepping *it) {
  double t = carom_world_time(it->world), slack = 0.5 * it->world->set.step;
  double sample = fmax(it->numbers.sample, it->world->set.step);
  if (t < it->numbers.start + (double)it->now.next_sample * sample - slack) return false;
  while (it->numbers.start + (double)it->now.next_sample * sample <= t + slack)
    it->now.next_sample++;
  return true;
}

// looks at the world; true when the observer wants to stop
static bool look_at_world(carom_stepping *it) {
  const carom_observer *observer = &it->simulation->observer;
  bool reduces = it->model->scenario->measure.reducer_count > 0, due = is_sample(it);
  if (!reduces && !(due && observer->sample)) return false;
  carom_stepping_look(it);
  carom_stepping_reduce(it);
  return due && observer->sample &&
         observer->sample(observer->ctx, it->simulation, carom_world_time(it->world),
                          it->model->column_count, it->columns);
}

static bool is_finite(const carom_world *world) {
  for (int k = 0; k < world->count; k++) {
    const carom_solid *s = &world->solids[k];
    for (int c = 0; c < 3; c++)
      if (!isfinite(s->x[c]) || !isfinite(s->v[c]) || !isfinite(s->spin[c])) return false;
  }
  return true;
}

static carom_status stepping_advance(carom_simulation *simulation, double t_end, bool to_event,
                                     carom_error *error) {
  carom_stepping *it = stepping_of(simulation);
  carom_world *world = it->world;
  (void)to_event; // there are no events: contacts are found where steps end
  if (!isfinite(t_end) || t_end < carom_world_time(world) - world->set.step)
    return carom_fail(error, CAROM_ERR_ARGUMENT, "cannot advance from t = %.15g to %.15g",
                      carom_world_time(world), t_end);
  long last = steps_until(it, t_end);
  if (world->ledger.steps == 0 && it->now.next_sample == 0 && look_at_world(it))
    return CAROM_STOP_USER;
  while (world->ledger.steps < last) {
    if (carom_simulation_asked(simulation)) return CAROM_STOP_USER;
    carom_world_step(world);
    if (world->out_of_memory) return carom_fail_memory(error);
    if (!is_finite(world))
      return carom_fail(error, CAROM_ERR_NONFINITE, "the motion has become infinite at t = %.15g",
                        carom_world_time(world));
    if (look_at_world(it)) return CAROM_STOP_USER;
  }
  carom_stepping_look(it);
  return CAROM_OK;
}

static double stepping_time(const carom_simulation *simulation) {
  return carom_world_time(stepping_of(simulation)->world);
}
static double stepping_until(const carom_simulation *simulation) {
  return stepping_of(simulation)->numbers.until;
}
static double stepping_measured_from(const carom_simulation *simulation) {
  return stepping_of(simulation)->numbers.window_start;
}

static const double *stepping_state(const carom_simulation *simulation, int *size) {
  carom_stepping *it = stepping_of(simulation);
  if (size) *size = it->model->state_size;
  carom_stepping_look(it);
  return it->columns;
}

static int stepping_columns(const carom_simulation *simulation) {
  return stepping_of(simulation)->model->column_count;
}

static const char *stepping_column(const carom_simulation *simulation, int k) {
  const carom_stepping_model *model = stepping_of(simulation)->model;
  return k >= 0 && k < model->column_count ? model->columns[k] : NULL;
}

// ---- save and restore

// x, v, spin, angle, e, pushed, calm, asleep of each solid, then the impulses of joints
static void pack_world(const carom_world *world, double *at) {
  for (int k = 0; k < world->count; k++, at += SOLID_NUMBERS) {
    const carom_solid *s = &world->solids[k];
    memcpy(at, s->x, sizeof s->x);
    memcpy(at + 3, s->v, sizeof s->v);
    memcpy(at + 6, s->spin, sizeof s->spin);
    at[9] = s->angle;
    memcpy(at + 10, s->e, sizeof s->e);
    memcpy(at + 14, s->pushed, sizeof s->pushed);
    at[20] = s->calm, at[21] = s->asleep;
  }
  for (int k = 0; k < 6 * world->bond_count; k++)
    at[k] = world->rows[k].p;
}

static void unpack_world(carom_world *world, const double *at) {
  for (int k = 0; k < world->count; k++, at += SOLID_NUMBERS) {
    carom_solid *s = &world->solids[k];
    memcpy(s->x, at, sizeof s->x);
    memcpy(s->v, at + 3, sizeof s->v);
    memcpy(s->spin, at + 6, sizeof s->spin);
    s->angle = at[9];
    memcpy(s->e, at + 10, sizeof s->e);
    memcpy(s->pushed, at + 14, sizeof s->pushed);
    s->calm = (int)at[20], s->asleep = (int)at[21];
  }
  for (int k = 0; k < 6 * world->bond_count; k++)
    world->rows[k].p = at[k];
}

static void list_parts(const carom_stepping *it, int touches, carom_saved_part parts[PARTS]) {
  const carom_scenario *s = it->model->scenario;
  carom_world *world = it->world;
  size_t number = sizeof(double), reducers = (size_t)s->measure.reducer_count;
  const carom_saved_part all[PARTS] = {
      {it->settings.given, (size_t)s->parameter_count * number},
      {it->settings.start_given, (size_t)it->model->state_size * number},
      {(void *)&it->now, sizeof it->now},
      {it->tallies, reducers * sizeof *it->tallies},
      {&world->ledger, sizeof world->ledger},
      {it->packed, packed_size(world)},
      {world->touches, (size_t)touches * sizeof *world->touches}};
  memcpy(parts, all, sizeof all);
}

static carom_status stepping_save(const carom_simulation *simulation, void *buffer, size_t *size,
                                  carom_error *error) {
  const carom_stepping *it = stepping_of(simulation);
  carom_saved_part parts[PARTS];
  if (buffer) pack_world(it->world, it->packed);
  list_parts(it, it->world->touch_count, parts);
  return carom_saved_write(PARTS, parts, buffer, size, error);
}

// what the fixed parts leave of a saved state are contacts
static int saved_touches(const carom_stepping *it, size_t size) {
  carom_saved_part parts[PARTS];
  size_t fixed = sizeof(uint64_t);
  list_parts(it, 0, parts);
  for (int k = 0; k < PARTS; k++)
    fixed += parts[k].size;
  return size >= fixed ? (int)((size - fixed) / sizeof(carom_touch)) : 0;
}

static carom_status stepping_restore(carom_simulation *simulation, const void *buffer, size_t size,
                                     carom_error *error) {
  carom_stepping *it = stepping_of(simulation);
  carom_saved_part parts[PARTS];
  uint64_t mark = 0;
  if (size >= sizeof mark) memcpy(&mark, buffer, sizeof mark);
  if (mark > size) mark = 0;
  int touches = saved_touches(it, (size_t)mark);
  list_parts(it, touches, parts);
  carom_status status = carom_saved_check(PARTS, parts, buffer, size, error);
  if (status) return status;
  carom_saved_read(parts, buffer, 0, SETTINGS);
  status = carom_stepping_start(it, error); // of the parameters that were saved
  if (status) return status;
  if (!carom_world_expect(it->world, touches)) return carom_fail_memory(error);
  list_parts(it, touches, parts);
  carom_saved_read(parts, buffer, SETTINGS, PARTS);
  unpack_world(it->world, it->packed);
  if (it->world->outside.driven) carom_world_drive(it->world, carom_world_time(it->world));
  carom_bonds_measure(it->world);
  carom_stepping_look(it);
  return CAROM_OK;
}

const carom_engine carom_stepping_engine = {.name = "stepping",
                                            .stepped = true,
                                            .prepare = carom_stepping_prepare,
                                            .create = stepping_create,
                                            .destroy = stepping_destroy,
                                            .set = stepping_set,
                                            .reset = stepping_reset,
                                            .advance = stepping_advance,
                                            .save = stepping_save,
                                            .restore = stepping_restore,
                                            .read.time = stepping_time,
                                            .read.until = stepping_until,
                                            .read.describe = carom_stepping_describe,
                                            .read.measured_from = stepping_measured_from,
                                            .read.state = stepping_state,
                                            .read.value = stepping_get,
                                            .read.columns = stepping_columns,
                                            .read.column = stepping_column,
                                            .read.certificate = carom_stepping_certificate,
                                            .read.regime = carom_stepping_regime,
                                            .scene = carom_stepping_scene,
                                            .look = carom_stepping_show};
