// SPDX-License-Identifier: MIT
/// Simulations: the public functions, each one entry of the engine's table.
#include "engine/engine.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

carom_status carom_simulation_create(const carom_model *model, carom_simulation **simulation,
                                     carom_error *error) {
  *simulation = NULL;
  carom_arena *arena = carom_arena_create(carom_arena_allocator(model->arena));
  carom_simulation *made = arena ? carom_arena_take(arena, sizeof *made) : NULL;
  if (!made) {
    carom_arena_destroy(arena);
    return carom_fail_memory(error);
  }
  made->arena = arena;
  made->model = model;
  carom_status status = model->engine->create(made, error);
  if (status != CAROM_OK) {
    carom_simulation_destroy(made);
    return status;
  }
  *simulation = made;
  return CAROM_OK;
}

void carom_simulation_destroy(carom_simulation *simulation) {
  if (!simulation) return;
  if (simulation->model->engine->destroy) simulation->model->engine->destroy(simulation);
  carom_arena_destroy(simulation->arena);
}

// saves to a buffer of the simulation's own allocator; the caller releases it
static carom_status save_to_buffer(const carom_simulation *simulation, void **buffer, size_t *size,
                                   carom_error *error) {
  const carom_allocator *allocator = carom_arena_allocator(simulation->arena);
  carom_status status = carom_simulation_save(simulation, NULL, size, error);
  if (status != CAROM_OK) return status;
  *buffer = allocator->resize(allocator->ctx, NULL, *size);
  if (!*buffer) return carom_fail_memory(error);
  return carom_simulation_save(simulation, *buffer, size, error);
}

static void release_simulation(const carom_simulation *simulation, void *buffer) {
  const carom_allocator *allocator = carom_arena_allocator(simulation->arena);
  if (buffer) allocator->release(allocator->ctx, buffer);
}

carom_status carom_simulation_clone(const carom_simulation *simulation, carom_simulation **copy,
                                    carom_error *error) {
  void *buffer = NULL;
  size_t size = 0;
  *copy = NULL;
  carom_status status = save_to_buffer(simulation, &buffer, &size, error);
  if (status == CAROM_OK) status = carom_simulation_create(simulation->model, copy, error);
  if (status == CAROM_OK && *copy) status = carom_simulation_restore(*copy, buffer, size, error);
  release_simulation(simulation, buffer);
  if (status != CAROM_OK) {
    carom_simulation_destroy(*copy);
    *copy = NULL;
  }
  return status;
}

// the number of members of a family is the model's, not the simulation's
static carom_status check_changeable(const carom_simulation *simulation, const char *name,
                                     carom_error *error) {
  const carom_scenario *scenario = simulation->model->scenario;
  if (!scenario || !name || !carom_scenario_counts_by(scenario, name)) return CAROM_OK;
  return carom_fail(error, CAROM_ERR_ARGUMENT,
                    "the parameter '%s' says how many members a family has: it can be set when "
                    "the scenario is read (--set %s=...) and swept over, but not change later",
                    name, name);
}

carom_status carom_simulation_set(carom_simulation *simulation, const char *name, double value,
                                  carom_error *error) {
  const carom_value one = {name, value};
  return carom_simulation_set_all(simulation, 1, &one, error);
}

carom_status carom_simulation_set_all(carom_simulation *simulation, int count,
                                      const carom_value *values, carom_error *error) {
  const carom_engine *engine = simulation->model->engine;
  for (int k = 0; k < count; k++) {
    const char *name = carom_model_input(simulation->model, values[k].name);
    carom_status status = check_changeable(simulation, name, error);
    if (!status) status = engine->set(simulation, name, values[k].value, error);
    if (status != CAROM_OK) return status;
  }
  return engine->reset(simulation, error);
}

carom_status carom_simulation_change(carom_simulation *simulation, const char *name, double value,
                                     carom_error *error) {
  const carom_engine *engine = simulation->model->engine;
  if (!engine->change)
    return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                      "the engine '%s' cannot change a parameter in mid-motion", engine->name);
  void *before = NULL;
  size_t size = 0;
  carom_status status = check_changeable(simulation, name, error);
  if (status == CAROM_OK) status = save_to_buffer(simulation, &before, &size, error);
  if (status == CAROM_OK) status = engine->change(simulation, name, value, error);
  if (status < 0 && before) (void)carom_simulation_restore(simulation, before, size, NULL);
  release_simulation(simulation, before);
  return status;
}

carom_status carom_simulation_reset(carom_simulation *simulation, carom_error *error) {
  return simulation->model->engine->reset(simulation, error);
}

void carom_simulation_heed(carom_simulation *simulation, int (*stop)(void *ctx), void *ctx) {
  simulation->stop = stop;
  simulation->stop_ctx = ctx;
}

int carom_stop_flag(void *ctx) { return atomic_load((atomic_int *)ctx); }

void carom_simulation_observe(carom_simulation *simulation, const carom_observer *observer) {
  simulation->observer = observer ? *observer : (carom_observer){0};
}

// saves to the simulation's own room, which is made once: calls after the first take no memory
static carom_status save_before(carom_simulation *simulation, size_t *size, carom_error *error) {
  carom_status status = carom_simulation_save(simulation, NULL, size, error);
  if (status != CAROM_OK) return status;
  if (*size > simulation->before_size) {
    simulation->before = carom_arena_take(simulation->arena, *size);
    simulation->before_size = simulation->before ? *size : 0;
    if (!simulation->before) return carom_fail_memory(error);
  }
  return carom_simulation_save(simulation, simulation->before, size, error);
}

// an error that does not say where in the motion it happened: where the engine stands
static void place_error(const carom_simulation *simulation, carom_error *error) {
  if (!error || error->moving) return;
  int size = 0;
  const double *state = carom_simulation_state(simulation, &size);
  carom_fail_moving(error, carom_simulation_time(simulation), size, state, "");
}

// on an error the state goes back to what it was before the call
static void go_back(carom_simulation *simulation, size_t size, carom_error *error) {
  place_error(simulation, error);
  (void)carom_simulation_restore(simulation, simulation->before, size, NULL);
}

static carom_status advance_simulation(carom_simulation *simulation, double t_end, bool to_event,
                                       carom_error *error) {
  size_t size = 0;
  carom_status status = save_before(simulation, &size, error);
  if (status != CAROM_OK) return status;
  status = simulation->model->engine->advance(simulation, t_end, to_event, error);
  if (status < 0) go_back(simulation, size, error);
  return status;
}

carom_status carom_simulation_advance(carom_simulation *simulation, double t_end,
                                      carom_error *error) {
  return advance_simulation(simulation, t_end, false, error);
}

// one model, and times that lie ahead: an engine may then advance all of them side by side
static bool belong_together(carom_simulation *const *simulations, int count, const double *t_end) {
  for (int k = 0; k < count; k++)
    if (simulations[k]->model != simulations[0]->model || !isfinite(t_end[k]) ||
        t_end[k] < carom_simulation_time(simulations[k]))
      return false;
  return count > 1 && simulations[0]->model->engine->together.advance;
}

void carom_simulations_advance(carom_simulation *const *simulations, int count, const double *t_end,
                               carom_status *statuses, carom_error *errors) {
  bool together = belong_together(simulations, count, t_end);
  size_t size = 0;
  for (int k = 0; k < count && together; k++)
    together = save_before(simulations[k], &size, &errors[k]) == CAROM_OK;
  for (int k = 0; k < count && !together; k++)
    statuses[k] = carom_simulation_advance(simulations[k], t_end[k], &errors[k]);
  if (!together) return;
  simulations[0]->model->engine->together.advance(simulations, count, t_end, statuses, errors);
  for (int k = 0; k < count; k++)
    if (statuses[k] < 0) go_back(simulations[k], size, &errors[k]);
}

carom_status carom_simulation_next(carom_simulation *simulation, double t_end, carom_error *error) {
  return advance_simulation(simulation, t_end, true, error);
}

carom_status carom_simulation_run(carom_simulation *simulation, carom_error *error) {
  carom_status status = carom_simulation_reset(simulation, error);
  if (status != CAROM_OK) return status;
  return carom_simulation_advance(simulation, carom_simulation_until(simulation), error);
}

double carom_simulation_time(const carom_simulation *simulation) {
  return simulation->model->engine->read.time(simulation);
}

double carom_simulation_until(const carom_simulation *simulation) {
  return simulation->model->engine->read.until(simulation);
}

void carom_simulation_describe(const carom_simulation *simulation, char *text, size_t room) {
  const carom_engine *engine = simulation->model->engine;
  if (room > 0) text[0] = 0;
  if (engine->read.describe && room > 0) engine->read.describe(simulation, text, room);
}

double carom_simulation_measured_from(const carom_simulation *simulation) {
  return simulation->model->engine->read.measured_from(simulation);
}

carom_status carom_simulation_measures(const carom_simulation *simulation, carom_error *error) {
  const carom_scenario *scenario = simulation->model->scenario;
  double from = carom_simulation_measured_from(simulation);
  double until = carom_simulation_until(simulation);
  if (from < until || !scenario) return CAROM_OK;
  return carom_fail_at(error, CAROM_ERR_INPUT, scenario->measure.after.place,
                       "measuring would begin at %g, but the run ends at run.until = %g; "
                       "measure.after can be set too",
                       from, until);
}

const carom_model *carom_simulation_model(const carom_simulation *simulation) {
  return simulation->model;
}

const double *carom_simulation_state(const carom_simulation *simulation, int *size) {
  return simulation->model->engine->read.state(simulation, size);
}

carom_status carom_simulation_get(carom_simulation *simulation, const char *name, double *value,
                                  carom_error *error) {
  return simulation->model->engine->read.value(simulation, name, value, error);
}

int carom_simulation_columns(const carom_simulation *simulation) {
  return simulation->model->engine->read.columns(simulation);
}

const char *carom_simulation_column(const carom_simulation *simulation, int k) {
  return simulation->model->engine->read.column(simulation, k);
}

bool carom_simulation_body(const carom_simulation *simulation, int k, carom_body_motion *body) {
  const carom_engine *engine = simulation->model->engine;
  return engine->read.body && engine->read.body(simulation, k, body);
}

carom_status carom_simulation_save(const carom_simulation *simulation, void *buffer, size_t *size,
                                   carom_error *error) {
  return simulation->model->engine->save(simulation, buffer, size, error);
}

carom_status carom_simulation_restore(carom_simulation *simulation, const void *buffer, size_t size,
                                      carom_error *error) {
  return simulation->model->engine->restore(simulation, buffer, size, error);
}

carom_status carom_simulation_certificate(carom_simulation *simulation,
                                          carom_certificate *certificate, carom_error *error) {
  return simulation->model->engine->read.certificate(simulation, certificate, error);
}

carom_status carom_simulation_word(carom_simulation *simulation, char *text, size_t room,
                                   carom_error *error) {
  if (!simulation->model->engine->read.word)
    return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                      "the engine '%s' has no words: name the motions under `regimes`, or look at "
                      "an observable (carom locate --when regime, --when NAME=VALUE)",
                      simulation->model->engine->name);
  return simulation->model->engine->read.word(simulation, text, room, error);
}

carom_status carom_simulation_regime(carom_simulation *simulation, const char **name,
                                     carom_error *error) {
  *name = NULL;
  if (!simulation->model->engine->read.regime) return CAROM_OK;
  return simulation->model->engine->read.regime(simulation, name, error);
}

struct carom_mirrors {
  int count;
  carom_mirror views[CAROM_MOST_MIRRORS];
  carom_reflection found[CAROM_MOST_MIRRORS];
};

carom_status carom_mirrors_find(const carom_simulation *simulation, carom_mirrors **mirrors,
                                carom_error *error) {
  const carom_engine *engine = simulation->model->engine;
  carom_mirrors *it = *mirrors = calloc(1, sizeof *it);
  if (!it) return carom_fail_memory(error);
  carom_status status = engine->turns.mirrors
                            ? engine->turns.mirrors(simulation, it->found, &it->count, error)
                            : CAROM_OK;
  int states = 0;
  (void)carom_simulation_state(simulation, &states);
  for (int k = 0; k < it->count; k++) {
    const carom_reflection *r = &it->found[k];
    it->views[k] = (carom_mirror){.states = states,
                                  .contacts = carom_model_count(simulation->model, CAROM_CONTACTS),
                                  .sign = r->sign,
                                  .from = r->from,
                                  .contact = r->contact,
                                  .later = r->later,
                                  .text = r->text};
  }
  if (status == CAROM_OK) return CAROM_OK;
  carom_mirrors_destroy(it);
  *mirrors = NULL;
  return status;
}

void carom_mirrors_destroy(carom_mirrors *mirrors) { free(mirrors); }

int carom_mirrors_count(const carom_mirrors *mirrors) { return mirrors->count; }

const carom_mirror *carom_mirrors_at(const carom_mirrors *mirrors, int k) {
  return k >= 0 && k < mirrors->count ? &mirrors->views[k] : NULL;
}
