// SPDX-License-Identifier: MIT
/// Tangent dynamics: the public functions, each one entry of the engine's table.
#include "carom/orbit.h"
#include "engine/engine.h"

bool carom_tangent_supported(const carom_model *model) { return model->engine->tangent.begin; }

bool carom_fixed_word_supported(const carom_model *model) {
  return model->engine->turns.fixed_word;
}

carom_status carom_tangent_begin(carom_simulation *simulation, carom_error *error) {
  const carom_engine *engine = simulation->model->engine;
  if (!engine->tangent.begin)
    return carom_fail(error, CAROM_ERR_UNSUPPORTED, "the engine '%s' has no tangent dynamics",
                      engine->name);
  return engine->tangent.begin(simulation, error);
}

carom_status carom_tangent_order(carom_simulation *simulation, long order, carom_error *error) {
  const carom_engine *engine = simulation->model->engine;
  if (!engine->tangent.order)
    return carom_fail(error, CAROM_ERR_UNSUPPORTED, "the engine '%s' has no tangent dynamics",
                      engine->name);
  return engine->tangent.order(simulation, order, error);
}

void carom_tangent_end(carom_simulation *simulation) {
  const carom_engine *engine = simulation->model->engine;
  if (engine->tangent.end) engine->tangent.end(simulation);
}

double *carom_tangent_matrix(carom_simulation *simulation, int *size) {
  const carom_engine *engine = simulation->model->engine;
  return engine->tangent.matrix ? engine->tangent.matrix(simulation, size) : NULL;
}

const double *carom_tangent_late(const carom_simulation *simulation) {
  const carom_engine *engine = simulation->model->engine;
  return engine->tangent.late ? engine->tangent.late(simulation) : NULL;
}

carom_tangent_notes carom_tangent_met(const carom_simulation *simulation) {
  const carom_engine *engine = simulation->model->engine;
  return engine->tangent.met ? engine->tangent.met(simulation) : (carom_tangent_notes){0};
}
