// SPDX-License-Identifier: MIT
// The engine's entries: room, settings by name, motion in whole steps, save and restore.
#include "base/whole.h"
#include "engine/names.h"
#include "engine/saved.h"
#include "grains/grains_scene.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static carom_grains *grains_of(const carom_simulation *simulation) { return simulation->state; }

static double *take_numbers(carom_arena *arena, int count) {
  return carom_arena_array(arena, (size_t)count, sizeof(double));
}

// ---- the start

static carom_status make_bed(carom_grains *it, carom_error *error) {
  carom_arena *arena = carom_arena_create(carom_arena_allocator(it->simulation->arena));
  carom_bed *bed = arena ? carom_bed_create(arena, &it->bed_settings) : NULL;
  if (!bed) {
    carom_arena_destroy(arena);
    return carom_fail_memory(error);
  }
  carom_arena_destroy(it->arena);
  it->arena = arena;
  it->bed = bed;
  return CAROM_OK;
}

// what is wrong with where rods are, at its place in the text
static carom_status begin_bed(carom_grains *it, carom_error *error) {
  carom_error found = {0};
  carom_status status = carom_bed_begin(it->bed, &found);
  if (!status) return CAROM_OK;
  if (status == CAROM_ERR_MEMORY) return carom_fail_memory(error);
  const carom_bed_trouble *who = &it->bed->condition.trouble;
  const carom_grains_start *start = &it->model->grains->start;
  carom_place place = who->yes ? carom_grains_rod_place(it, who->a) : start->place;
  if (start->table && who->yes && who->b >= 0)
    return carom_fail_at(error, status, place, "%s; rod %d is in line %d", found.text, who->b,
                         carom_grains_rod_place(it, who->b).line);
  return carom_fail_at(error, status, place, "%s", found.text);
}

static carom_status grains_start(carom_grains *it, carom_error *error) {
  carom_status status = carom_grains_configure(it, error);
  if (!status) status = make_bed(it, error);
  if (!status) status = carom_grains_place(it, error);
  if (!status) status = begin_bed(it, error);
  if (status) return status;
  memset(&it->now, 0, sizeof it->now);
  memset(it->tallies, 0, (size_t)it->model->scenario->measure.reducer_count * sizeof *it->tallies);
  carom_bed_energy e = carom_bed_energies(it->bed);
  it->now.kinetic_start = e.translation + e.rotation;
  it->now.potential_start = e.gravity + e.normal;
  carom_grains_look(it);
  return CAROM_OK;
}

static carom_status grains_create(carom_simulation *simulation, carom_error *error) {
  carom_arena *arena = simulation->arena;
  carom_grains *it = carom_arena_take(arena, sizeof *it);
  if (!it) return carom_fail_memory(error);
  it->model = simulation->model->prepared;
  it->simulation = simulation;
  simulation->state = it;
  const carom_scenario *s = it->model->scenario;
  int registers = it->model->drive ? carom_program_registers(it->model->drive) : 0;
  size_t kinds = CAROM_BED_MAX_SPECIES;
  it->pair_laws = carom_arena_array(arena, kinds * kinds, sizeof *it->pair_laws);
  it->wall_laws = carom_arena_array(arena, kinds * CAROM_BED_MAX_WALLS, sizeof *it->wall_laws);
  if (!it->pair_laws || !it->wall_laws) return carom_fail_memory(error);
  it->drive_registers = take_numbers(arena, registers);
  it->columns = take_numbers(arena, it->model->column_count);
  it->tallies = carom_arena_array(arena, (size_t)s->measure.reducer_count, sizeof *it->tallies);
  bool named = carom_settings_room(&it->settings, arena, s->parameter_count, 0,
                                   carom_graph_symbol_count(s->graph));
  if (!named || !it->drive_registers || !it->columns || !it->tallies)
    return carom_fail_memory(error);
  return grains_start(it, error);
}

static void grains_destroy(carom_simulation *simulation) {
  if (simulation->state) carom_arena_destroy(grains_of(simulation)->arena);
}

// ---- names

static carom_status grains_set(carom_simulation *simulation, const char *name, double value,
                               carom_error *error) {
  carom_grains *it = grains_of(simulation);
  return carom_settings_give(&it->settings, simulation, 0, NULL, name, value, error);
}

static carom_status grains_reset(carom_simulation *simulation, carom_error *error) {
  return grains_start(grains_of(simulation), error);
}

static carom_status grains_get(carom_simulation *simulation, const char *name, double *value,
                               carom_error *error) {
  carom_grains *it = grains_of(simulation);
  const carom_scenario *s = it->model->scenario;
  int parameter = carom_scenario_parameter(s, name);
  if (parameter >= 0) {
    *value = it->settings.parameters[parameter];
    return CAROM_OK;
  }
  if (strcmp(name, "t") == 0) {
    *value = carom_bed_time(it->bed);
    return CAROM_OK;
  }
  for (int k = 0; k < s->measure.observable_count; k++)
    if (strcmp(s->measure.observables[k].name, name) == 0)
      return carom_grains_observable(it, k, value, error);
  int column = carom_column_named(it->model->column_count, it->model->columns, name);
  if (column < 0) return carom_unknown_name(simulation, name, error);
  carom_grains_look(it);
  *value = it->columns[column];
  return CAROM_OK;
}

// ---- motion

// the step of look number k
static long look_step(const carom_grains *it, long k) {
  return (long)floor((double)k * it->numbers.look_apart + 0.5);
}

// the number of the last look that is not after a step
static long look_before(const carom_grains *it, long step) {
  long k = (long)floor((double)step / it->numbers.look_apart);
  return look_step(it, k + 1) <= step ? k + 1 : look_step(it, k) <= step ? k : k - 1;
}

// a sample is due at the look nearest to its time
static bool give_sample(carom_grains *it) {
  const carom_observer *observer = &it->simulation->observer;
  double t = carom_bed_time(it->bed), slack = 0.5 * it->bed_settings.step * it->numbers.look_apart;
  double due = it->numbers.start + (double)it->now.next_sample * it->numbers.sample;
  if (t < due - slack) return false;
  while (it->numbers.start + (double)it->now.next_sample * it->numbers.sample <= t + slack)
    it->now.next_sample++;
  return observer->sample &&
         observer->sample(observer->ctx, it->simulation, t, it->model->column_count, it->columns);
}

static long steps_until(const carom_grains *it, double t) {
  double steps = ceil((t - it->numbers.start) / it->bed_settings.step - 1e-6);
  const long most = LONG_MAX / 8;
  return isnan(steps) ? most : carom_whole(steps, -most, most);
}

// looks at the bed; true when the observer wants to stop. Results are taken at instants that belong
// to the run, not to where a caller happens to pause
static bool look_at_bed(carom_grains *it) {
  long steps = it->bed->counts.steps;
  carom_grains_look(it);
  bool own = steps == look_step(it, look_before(it, steps)) ||
             steps == steps_until(it, it->numbers.window_start) ||
             steps == steps_until(it, it->numbers.until);
  if (!own) return false;
  carom_grains_tally_look(it);
  return give_sample(it);
}

// In pieces, so that a wish to stop is heard soon: a step takes some microseconds for every rod.
static carom_status advance_to(carom_grains *it, long step, carom_error *error) {
  const long rod_steps = 20000; // of a piece
  long most = it->bed->n > 0 ? rod_steps / it->bed->n : rod_steps;
  if (most < 1) most = 1;
  while (it->bed->counts.steps < step) {
    if (carom_simulation_asked(it->simulation)) return CAROM_STOP_USER;
    long left = step - it->bed->counts.steps;
    carom_status status = carom_bed_advance(it->bed, left < most ? left : most, error);
    if (status) return status;
  }
  return CAROM_OK;
}

static carom_status grains_advance(carom_simulation *simulation, double t_end, bool to_event,
                                   carom_error *error) {
  carom_grains *it = grains_of(simulation);
  (void)to_event; // strikes are counted, not told one by one
  if (!isfinite(t_end) || t_end < carom_bed_time(it->bed) - it->bed_settings.step)
    return carom_fail(error, CAROM_ERR_ARGUMENT, "cannot advance from t = %.15g to %.15g",
                      carom_bed_time(it->bed), t_end);
  long last = steps_until(it, t_end);
  if (it->bed->counts.steps == 0 && look_at_bed(it)) return CAROM_STOP_USER;
  while (it->bed->counts.steps < last) {
    // to the next look, the begin of the window, or the end
    long next = look_step(it, look_before(it, it->bed->counts.steps) + 1);
    long window = steps_until(it, it->numbers.window_start);
    if (!it->now.measuring && window > it->bed->counts.steps && window < next) next = window;
    next = next < last ? next : last;
    carom_status status = advance_to(it, next, error);
    if (status) return status;
    if (look_at_bed(it)) return CAROM_STOP_USER;
  }
  return CAROM_OK;
}

static double grains_time(const carom_simulation *simulation) {
  return carom_bed_time(grains_of(simulation)->bed);
}
static double grains_until(const carom_simulation *simulation) {
  return grains_of(simulation)->numbers.until;
}

static double grains_measured_from(const carom_simulation *simulation) {
  return grains_of(simulation)->numbers.window_start;
}

static const double *grains_state(const carom_simulation *simulation, int *size) {
  carom_grains *it = grains_of(simulation);
  if (size) *size = it->model->scenario->state_count;
  carom_grains_look(it);
  return it->columns;
}

static int grains_columns(const carom_simulation *simulation) {
  return grains_of(simulation)->model->column_count;
}

static const char *grains_column(const carom_simulation *simulation, int k) {
  const carom_grains_model *model = grains_of(simulation)->model;
  return k >= 0 && k < model->column_count ? model->columns[k] : NULL;
}

static bool grains_body(const carom_simulation *simulation, int k, carom_body_motion *rod) {
  const carom_grains *it = grains_of(simulation);
  const carom_bed *bed = it->bed;
  if (k < 0 || k >= bed->n) return false;
  int i = bed->order.place[k];
  rod->kind = bed->kind[i];
  rod->name = it->model->grains->species[rod->kind].name;
  for (int c = 0; c < 3; c++) {
    rod->x[c] = carom_bed_in_period(bed, c, bed->x[c][i]);
    rod->u[c] = bed->u[c][i], rod->v[c] = bed->v[c][i], rod->w[c] = bed->w[c][i];
  }
  return true;
}

// ---- in words

typedef struct page {
  char *at;
  size_t left;
} page;

static void write_page(page *to, const char *format, ...) {
  va_list values;
  va_start(values, format);
  int length = vsnprintf(to->at, to->left, format, values);
  va_end(values);
  size_t used = length < 0 ? 0 : (size_t)length < to->left ? (size_t)length : to->left - 1;
  to->at += used;
  to->left -= used;
}

// restitution of two bodies, or with b < 0 of one and a wall, that meet head on
static double pair_restitution(const carom_grains *it, int a, int b) {
  const carom_bed_settings *set = &it->bed_settings;
  double ma = set->species[a].mass;
  if (b < 0) {
    const carom_bed_wall *wall = &set->walls[-1 - b];
    return carom_grain_law_impact(wall->laws ? &wall->laws[a] : &wall->law, ma, it->numbers.speed)
        .restitution;
  }
  double mb = set->species[b].mass;
  const carom_grain_law *law = set->laws ? &set->laws[a * set->species_count + b] : &set->law;
  return carom_grain_law_impact(law, ma * mb / (ma + mb), it->numbers.speed).restitution;
}

// of all kinds, with a wall or between each other: one number, or from the least to the largest
static void write_restitution(page *to, const carom_grains *it, const char *what, int wall) {
  double least = HUGE_VAL, most = 0.0;
  for (int a = 0; a < it->bed_settings.species_count; a++)
    for (int b = a; b < (wall < 0 ? a + 1 : it->bed_settings.species_count); b++) {
      double e = pair_restitution(it, a, wall < 0 ? wall : b);
      least = fmin(least, e), most = fmax(most, e);
    }
  write_page(to, "%s %.3f", what, least);
  if (most - least > 5e-4) write_page(to, " to %.3f", most);
}

// NOLINTNEXTLINE(readability-non-const-parameter): written through the page
static void grains_describe(const carom_simulation *simulation, char *text, size_t room) {
  const carom_grains *it = grains_of(simulation);
  const carom_bed_settings *set = &it->bed_settings;
  page to = {text, room};
  int each = set->plane ? 3 : set->no_spin ? 5 : 6;
  write_page(&to, "rods: %d of %d kind%s, %d freedoms each\n", it->bed->n, set->species_count,
             set->species_count == 1 ? "" : "s", each);
  write_page(&to, "step: %g, at most %.2g\n", set->step, carom_bed_largest_step(set));
  write_restitution(&to, it, "restitution: between rods", 0);
  for (int k = 0; k < set->wall_count; k++) {
    write_page(&to, ", ");
    write_restitution(&to, it, set->walls[k].name, -1 - k);
  }
  write_page(&to, " (head on at speed %g%s)\n", it->numbers.speed,
             set->species_count > 1 ? ", over the kinds" : "");
}

// ---- save and restore

static size_t head_size(const carom_grains *it) {
  const carom_scenario *s = it->model->scenario;
  return sizeof(uint64_t) + (size_t)s->parameter_count * sizeof(double) + sizeof it->now +
         (size_t)s->measure.reducer_count * sizeof *it->tallies;
}

static char *put_bytes(char *at, const void *data, size_t size) {
  if (size > 0) memcpy(at, data, size);
  return at + size;
}

static const char *fetch_bytes(const char *at, void *data, size_t size) {
  if (size > 0) memcpy(data, at, size);
  return at + size;
}

static carom_status grains_save(const carom_simulation *simulation, void *buffer, size_t *size,
                                carom_error *error) {
  const carom_grains *it = grains_of(simulation);
  const carom_scenario *s = it->model->scenario;
  size_t needed = head_size(it) + carom_bed_save(it->bed, NULL);
  if (buffer && *size < needed)
    return carom_fail(error, CAROM_ERR_ARGUMENT, "a saved state needs %zu bytes, %zu given", needed,
                      *size);
  *size = needed;
  if (!buffer) return CAROM_OK;
  uint64_t mark = needed;
  char *at = put_bytes(buffer, &mark, sizeof mark);
  at = put_bytes(at, it->settings.given, (size_t)s->parameter_count * sizeof(double));
  at = put_bytes(at, &it->now, sizeof it->now);
  at = put_bytes(at, it->tallies, (size_t)s->measure.reducer_count * sizeof *it->tallies);
  (void)carom_bed_save(it->bed, at);
  return CAROM_OK;
}

static carom_status grains_restore(carom_simulation *simulation, const void *buffer, size_t size,
                                   carom_error *error) {
  carom_grains *it = grains_of(simulation);
  const carom_scenario *s = it->model->scenario;
  uint64_t mark = 0;
  if (size >= sizeof mark) memcpy(&mark, buffer, sizeof mark);
  if (mark > size || mark < head_size(it))
    return carom_fail(error, CAROM_ERR_ARGUMENT, "this is not a saved state of the same model");
  const char *at = (const char *)buffer + sizeof mark;
  // the settings first: they decide how many rods there are
  at = fetch_bytes(at, it->settings.given, (size_t)s->parameter_count * sizeof(double));
  carom_status status = carom_grains_configure(it, error);
  if (!status) status = make_bed(it, error);
  if (status) return status;
  at = fetch_bytes(at, &it->now, sizeof it->now);
  at = fetch_bytes(at, it->tallies, (size_t)s->measure.reducer_count * sizeof *it->tallies);
  size_t left = (size_t)mark - (size_t)(at - (const char *)buffer);
  if (!carom_bed_restore(it->bed, at, left)) {
    status = make_bed(it, error);
    if (status) return status;
    return carom_fail(error, CAROM_ERR_ARGUMENT,
                      "this is not a saved state of the same model, or there is no memory for it");
  }
  carom_grains_look(it);
  return CAROM_OK;
}

const carom_engine carom_grains_engine = {.name = "grains",
                                          .stepped = true,
                                          .prepare = carom_grains_prepare,
                                          .create = grains_create,
                                          .destroy = grains_destroy,
                                          .set = grains_set,
                                          .reset = grains_reset,
                                          .advance = grains_advance,
                                          .read.time = grains_time,
                                          .read.until = grains_until,
                                          .read.describe = grains_describe,
                                          .read.measured_from = grains_measured_from,
                                          .read.state = grains_state,
                                          .read.value = grains_get,
                                          .read.columns = grains_columns,
                                          .read.column = grains_column,
                                          .read.body = grains_body,
                                          .save = grains_save,
                                          .restore = grains_restore,
                                          .read.certificate = carom_grains_certificate,
                                          .read.regime = carom_grains_regime,
                                          .scene = carom_grains_scene,
                                          .look = carom_grains_show};
