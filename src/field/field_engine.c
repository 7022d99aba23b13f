// SPDX-License-Identifier: MIT
// The engine's entries: room, settings by name, save and restore.
#include "engine/names.h"
#include "engine/saved.h"
#include "field/field_scene.h"

#include <math.h>
#include <string.h>

static carom_field *field_of(const carom_simulation *simulation) { return simulation->state; }

static double *take_numbers(carom_arena *arena, int count) {
  return carom_arena_array(arena, (size_t)count, sizeof(double));
}

static int count_registers(const carom_program *program) {
  return program ? carom_program_registers(program) : 0;
}

static bool make_memory(carom_field *it, carom_arena *arena) {
  const carom_field_description *f = it->model->field;
  size_t groups = 2 * (size_t)f->law_count; // a law has at most two terms
  it->memory = carom_arena_array(arena, (size_t)f->support_count, sizeof *it->memory);
  bool whole = it->memory;
  for (int s = 0; whole && s < f->support_count; s++) {
    carom_field_memory *m = &it->memory[s];
    m->moments = carom_arena_array(arena, groups, sizeof *m->moments);
    m->directions = carom_arena_array(arena, groups, sizeof *m->directions);
    whole = m->moments && m->directions;
  }
  return whole;
}

static carom_status make_room(carom_field *it, carom_arena *arena, carom_error *error) {
  const carom_field_model *model = it->model;
  const carom_scenario *s = model->scenario;
  long failures = carom_arena_failures(arena);
  it->size = model->size + model->integrals.count;
  it->y = take_numbers(arena, it->size);
  it->rate = take_numbers(arena, it->size);
  it->scratch = take_numbers(arena, it->size);
  it->after = take_numbers(arena, it->size);
  it->watching.beside.y = take_numbers(arena, it->size);
  size_t watched = (size_t)model->watched_count;
  it->watching.watch = carom_arena_array(arena, watched, sizeof *it->watching.watch);
  it->watching.root_watch = carom_arena_array(arena, watched, sizeof *it->watching.root_watch);
  it->watching.roots = carom_arena_array(arena, watched, sizeof *it->watching.roots);
  it->tallies = carom_arena_array(arena, (size_t)s->measure.reducer_count, sizeof *it->tallies);
  (void)carom_settings_room(&it->settings, arena, s->parameter_count, model->size + 1,
                            carom_graph_symbol_count(s->graph));
  it->registers.drive = take_numbers(arena, count_registers(model->drive));
  it->registers.own = take_numbers(arena, count_registers(model->own));
  it->registers.seen = take_numbers(arena, count_registers(model->seen));
  it->sample_values = take_numbers(arena, model->column_count);
  it->distances = take_numbers(arena, model->field->corner_count);
  it->corners = carom_arena_array(arena, (size_t)model->field->corner_count, sizeof *it->corners);
  bool whole = make_memory(it, arena) && carom_arena_failures(arena) == failures;
  return whole ? CAROM_OK : carom_fail_memory(error);
}

carom_status carom_field_start_run(carom_field *it, carom_error *error) {
  carom_field_energy energy = {0};
  memset(&it->now, 0, sizeof it->now);
  memset(it->tallies, 0, (size_t)it->model->scenario->measure.reducer_count * sizeof *it->tallies);
  carom_status status = carom_field_configure(it, error);
  if (status == CAROM_OK) status = carom_field_begin(it, error);
  if (status == CAROM_OK) status = carom_field_check_shape(it, error);
  if (status == CAROM_OK) status = carom_field_check_start(it, error);
  if (status != CAROM_OK) return status;
  it->now.t = it->numbers.start;
  if (carom_field_energy_at(it, it->now.t, it->y, &energy) != CAROM_OK)
    return carom_fail_at(error, CAROM_ERR_INPUT, it->model->field->start.place,
                         "at the start the forces of the fields are not finite");
  it->now.certificate.energy.kinetic_start = energy.kinetic;
  it->now.certificate.energy.potential_start = energy.potential;
  it->now.start = energy;
  it->now.energy_scale = energy.kinetic;
  const char *method = it->model->scenario->run.method;
  status = carom_field_restart(it, 0.0, error);
  carom_field_note_counts(it);
  it->now.h = it->steppers.plain.h_next;
  it->now.implicit = method && method[0] == 'i';
  if (status == CAROM_OK) carom_field_watch_start(it);
  return status;
}

// a motion that goes on from a saved state takes the steps it would have taken
static bool make_kept_room(carom_field *it, carom_arena *arena) {
  int plain = carom_stepper_remember(&it->steppers.plain, NULL);
  int implicit = carom_implicit_remember(&it->steppers.stiff, NULL);
  it->kept.count = plain + implicit;
  it->kept.numbers = take_numbers(arena, it->kept.count);
  return it->kept.numbers;
}

static carom_status make_steppers(carom_field *it, carom_field_steppers *steppers,
                                  const carom_stepper_options *options, carom_error *error) {
  carom_arena *arena = it->simulation->arena;
  carom_status status =
      carom_stepper_init(&steppers->plain, arena, it->size, carom_field_rhs, it, options, error);
  if (status != CAROM_OK) return status;
  return carom_implicit_init(&steppers->stiff, arena, it->size, carom_field_rhs, it, options,
                             error);
}

static carom_status field_create(carom_simulation *simulation, carom_error *error) {
  carom_arena *arena = simulation->arena;
  carom_field *it = carom_arena_take(arena, sizeof *it);
  if (!it) return carom_fail_memory(error);
  it->model = simulation->model->prepared;
  it->simulation = simulation;
  simulation->state = it;
  carom_stepper_options options = carom_stepper_options_default();
  options.controlled = it->model->size;
  carom_status status = make_room(it, arena, error);
  bool looks_inside =
      it->model->watched_count > 0 || it->model->scenario->measure.reducer_count > 0;
  if (status == CAROM_OK && looks_inside)
    status = make_steppers(it, &it->watching.beside.steppers, &options, error);
  if (status == CAROM_OK)
    status = carom_body_init(&it->body, arena, it->model->field->shape,
                             it->model->field->corner_count, error);
  if (status == CAROM_OK) status = make_steppers(it, &it->steppers, &options, error);
  if (status == CAROM_OK && !make_kept_room(it, arena)) status = carom_fail_memory(error);
  if (status != CAROM_OK) return status;
  return carom_field_start_run(it, error);
}

// ---- names

static carom_status field_set(carom_simulation *simulation, const char *name, double value,
                              carom_error *error) {
  carom_field *it = field_of(simulation);
  return carom_settings_give(&it->settings, simulation, it->model->size, it->model->columns, name,
                             value, error);
}

static carom_status field_reset(carom_simulation *simulation, carom_error *error) {
  return carom_field_start_run(field_of(simulation), error);
}

static carom_status field_get(carom_simulation *simulation, const char *name, double *value,
                              carom_error *error) {
  carom_field *it = field_of(simulation);
  const carom_scenario *s = it->model->scenario;
  int parameter = carom_scenario_parameter(it->model->scenario, name),
      column = carom_column_named(it->model->column_count, it->model->columns, name);
  if (strcmp(name, "t") == 0) {
    *value = it->now.t;
    return CAROM_OK;
  }
  if (parameter >= 0) {
    *value = it->settings.parameters[parameter];
    return CAROM_OK;
  }
  for (int k = 0; k < s->measure.observable_count; k++)
    if (strcmp(s->measure.observables[k].name, name) == 0)
      return carom_field_observable(it, k, value, error);
  if (column >= 0) {
    carom_field_fill_sample(it, it->now.t, it->y);
    *value = it->sample_values[column];
    return CAROM_OK;
  }
  for (int k = 0; k < it->model->n; k++) {
    const char *coordinate = s->coordinates[k].name;
    size_t stem = strlen(coordinate);
    if (strncmp(name, coordinate, stem) != 0 || strcmp(name + stem, "''") != 0) continue;
    *value = NAN;
    if (carom_field_rhs(it, it->now.t, it->y, it->rate) == CAROM_OK)
      *value = it->rate[it->model->n + k];
    return CAROM_OK;
  }
  return carom_unknown_name(simulation, name, error);
}

// ---- motion

static carom_status field_advance(carom_simulation *simulation, double t_end, bool to_event,
                                  carom_error *error) {
  carom_field *it = field_of(simulation);
  if (!isfinite(t_end) || t_end < it->now.t)
    return carom_fail(error, CAROM_ERR_ARGUMENT, "cannot advance from t = %.15g to %.15g",
                      it->now.t, t_end);
  return carom_field_advance(it, t_end, to_event, error);
}

static double field_time(const carom_simulation *simulation) { return field_of(simulation)->now.t; }
static double field_until(const carom_simulation *simulation) {
  return field_of(simulation)->numbers.until;
}

static double field_measured_from(const carom_simulation *simulation) {
  return field_of(simulation)->numbers.window_start;
}

static const double *field_state(const carom_simulation *simulation, int *size) {
  if (size) *size = field_of(simulation)->model->size;
  return field_of(simulation)->y;
}

static int field_columns(const carom_simulation *simulation) {
  return field_of(simulation)->model->column_count;
}

static const char *field_column(const carom_simulation *simulation, int k) {
  const carom_field_model *model = field_of(simulation)->model;
  return k >= 0 && k < model->column_count ? model->columns[k] : NULL;
}

static carom_status field_certificate(carom_simulation *simulation, carom_certificate *certificate,
                                      carom_error *error) {
  return carom_field_certificate(field_of(simulation), certificate, error);
}

static carom_status field_regime(carom_simulation *simulation, const char **name,
                                 carom_error *error) {
  return carom_field_regime(field_of(simulation), name, error);
}

// ---- save and restore

// the settings come first: they decide what the numbers are
enum { SETTINGS = 2, SAVED_PARTS = 7 };

static void list_parts(carom_field *it, carom_saved_part parts[SAVED_PARTS]) {
  const carom_scenario *s = it->model->scenario;
  const carom_saved_part all[SAVED_PARTS] = {
      {it->settings.given, (size_t)s->parameter_count * sizeof(double)},
      {it->settings.start_given, (size_t)(it->model->size + 1) * sizeof(double)},
      {&it->now, sizeof it->now},
      {it->y, (size_t)it->size * sizeof(double)},
      {it->watching.watch, (size_t)it->model->watched_count * sizeof *it->watching.watch},
      {it->tallies, (size_t)s->measure.reducer_count * sizeof *it->tallies},
      {it->kept.numbers, (size_t)it->kept.count * sizeof *it->kept.numbers}};
  memcpy(parts, all, sizeof all);
}

static void keep_stepper(carom_field *it) {
  memset(it->kept.numbers, 0, (size_t)it->kept.count * sizeof *it->kept.numbers);
  if (!it->now.going) return;
  int plain = carom_stepper_remember(&it->steppers.plain, it->kept.numbers);
  (void)carom_implicit_remember(&it->steppers.stiff, it->kept.numbers + plain);
}

static carom_status field_save(const carom_simulation *simulation, void *buffer, size_t *size,
                               carom_error *error) {
  carom_saved_part parts[SAVED_PARTS];
  list_parts(field_of(simulation), parts);
  if (buffer) keep_stepper(field_of(simulation));
  return carom_saved_write(SAVED_PARTS, parts, buffer, size, error);
}

static carom_status field_restore(carom_simulation *simulation, const void *buffer, size_t size,
                                  carom_error *error) {
  carom_field *it = field_of(simulation);
  carom_saved_part parts[SAVED_PARTS];
  list_parts(it, parts);
  carom_status status = carom_saved_check(SAVED_PARTS, parts, buffer, size, error);
  if (status != CAROM_OK) return status;
  carom_saved_read(parts, buffer, 0, SETTINGS);
  status = carom_field_configure(it, error);
  if (status != CAROM_OK) return status;
  carom_field_note_counts(it); // those of another motion
  carom_saved_read(parts, buffer, SETTINGS, SAVED_PARTS);
  carom_field_take_tolerances(it);
  if (!it->now.going) return CAROM_OK;
  int plain = carom_stepper_remember(&it->steppers.plain, NULL);
  carom_stepper_recall(&it->steppers.plain, it->now.t, it->y, it->kept.numbers);
  carom_implicit_recall(&it->steppers.stiff, it->now.t, it->y, it->kept.numbers + plain);
  return CAROM_OK;
}

bool carom_field_conservative(const carom_model *model) {
  const carom_field_model *prepared = model->prepared;
  const carom_field_description *f = prepared->field;
  double viscosity = 0.0;
  bool fixed = !f->mass_factor &&
               carom_node_is_constant(prepared->scenario->graph, f->material.viscosity, &viscosity);
  for (int s = 0; s < f->support_count; s++)
    fixed = fixed && !f->supports[s].shift[0];
  for (int k = 0; k < f->law_count; k++) {
    carom_law_kind kind = f->laws[k].kind;
    fixed = fixed && (kind == CAROM_FIELD_REPULSION || kind == CAROM_FIELD_ADHESION) &&
            (!f->soft || f->laws[k].conservative);
  }
  return fixed && viscosity == 0.0;
}

const carom_engine carom_field_engine = {.name = "field",
                                         .prepare = carom_field_prepare,
                                         .create = field_create,
                                         .set = field_set,
                                         .reset = field_reset,
                                         .advance = field_advance,
                                         .read.time = field_time,
                                         .read.until = field_until,
                                         .read.measured_from = field_measured_from,
                                         .read.state = field_state,
                                         .read.value = field_get,
                                         .read.columns = field_columns,
                                         .read.column = field_column,
                                         .save = field_save,
                                         .restore = field_restore,
                                         .read.certificate = field_certificate,
                                         .read.regime = field_regime,
                                         .change = carom_field_change,
                                         .turns.place = carom_field_place,
                                         .turns.rates = carom_field_rates,
                                         .turns.held = carom_field_held,
                                         .turns.closed = carom_field_closed,
                                         .turns.word = carom_field_turn,
                                         .turns.period = carom_field_period,
                                         .turns.autonomous = carom_field_autonomous,
                                         .facts.cyclic = carom_field_cyclic,
                                         .facts.shifts = carom_field_shifts,
                                         .facts.conservative = carom_field_conservative,
                                         .scene = carom_field_scene,
                                         .look = carom_field_show};
