// SPDX-License-Identifier: MIT
/// Models: a scenario or C functions, prepared by an engine.
#include "base/text.h"
#include "engine/engine.h"

#include <stdlib.h>
#include <string.h>

static const carom_engine *const ENGINES[] = {
    &carom_hybrid_engine,
#ifdef CAROM_ROOM_FIELD // a part of the house may be built without it
    &carom_field_engine,
#endif
#ifdef CAROM_ROOM_STEPPING
    &carom_stepping_engine,
#endif
#ifdef CAROM_ROOM_GRAINS
    &carom_grains_engine,
#endif
};

static const carom_engine *find_engine(const char *name) {
  for (size_t k = 0; k < sizeof ENGINES / sizeof *ENGINES; k++)
    if (strcmp(ENGINES[k]->name, name) == 0) return ENGINES[k];
  return NULL;
}

static carom_status prepare_model(carom_model *made, carom_model **model, carom_error *error) {
  const char *name = made->scenario ? made->scenario->engine : carom_hybrid_engine.name;
  made->engine = find_engine(name);
  carom_status status =
      made->engine ? made->engine->prepare(made, error)
                   : carom_fail(error, CAROM_ERR_INPUT, "this build has no engine '%s'", name);
  if (status != CAROM_OK) {
    carom_model_destroy(made);
    return status;
  }
  *model = made;
  return CAROM_OK;
}

static carom_model *new_model(const carom_allocator *allocator) {
  carom_arena *arena = carom_arena_create(allocator);
  carom_model *model = arena ? carom_arena_take(arena, sizeof *model) : NULL;
  if (model)
    model->arena = arena;
  else
    carom_arena_destroy(arena);
  return model;
}

carom_status carom_model_load_with(const carom_allocator *allocator, const char *path,
                                   const char *text, int setting_count,
                                   const carom_setting *settings, carom_model **model,
                                   carom_error *error) {
  *model = NULL;
  carom_model *made = new_model(allocator);
  if (!made) return carom_fail_memory(error);
  carom_status status =
      carom_scenario_read(path, text, setting_count, settings, allocator, &made->scenario, error);
  if (status != CAROM_OK) {
    carom_model_destroy(made);
    return status;
  }
  return prepare_model(made, model, error);
}

carom_status carom_model_load(const char *path, int setting_count, const carom_setting *settings,
                              carom_model **model, carom_error *error) {
  return carom_model_load_with(NULL, path, NULL, setting_count, settings, model, error);
}

carom_status carom_model_parse(const char *text, const char *name, int setting_count,
                               const carom_setting *settings, carom_model **model,
                               carom_error *error) {
  return carom_model_load_with(NULL, name, text, setting_count, settings, model, error);
}

carom_status carom_model_from_functions(const carom_functions *functions, carom_model **model,
                                        carom_error *error) {
  *model = NULL;
  carom_model *made = new_model(NULL);
  if (!made) return carom_fail_memory(error);
  made->functions = functions;
  return prepare_model(made, model, error);
}

void carom_model_destroy(carom_model *model) {
  if (!model) return;
  carom_scenario_free(model->scenario);
  carom_arena_destroy(model->arena);
}

const char *carom_model_title(const carom_model *model) {
  const char *title = model->scenario ? model->scenario->title : model->functions->title;
  return title ? title : "";
}

const char *carom_model_engine(const carom_model *model) { return model->engine->name; }

static int count_functions(const carom_functions *f, carom_item item, const char *const **names) {
  switch (item) {
  case CAROM_PARAMETERS: *names = f->parameters.names; return f->parameters.count;
  case CAROM_COORDINATES: *names = f->coordinates.names; return f->coordinates.count;
  case CAROM_STATES: *names = f->states.names; return f->states.count;
  case CAROM_DEFINITIONS: *names = f->observables.names; return f->observables.count;
  case CAROM_CONSTRAINTS: *names = f->constraints.names; return f->constraints.count;
  case CAROM_EVENTS: *names = f->events.names; return f->events.count;
  default: *names = NULL; return 0;
  }
}

int carom_model_count(const carom_model *model, carom_item item) {
  const carom_scenario *s = model->scenario;
  const char *const *names;
  if (!s) return count_functions(model->functions, item, &names);
  switch (item) {
  case CAROM_PARAMETERS: return carom_scenario_settable(s);
  case CAROM_COORDINATES: return s->coordinate_count;
  case CAROM_STATES: return s->state_count;
  case CAROM_DEFINITIONS: return s->definitions.count;
  case CAROM_CONSTRAINTS: return s->constraint_count;
  case CAROM_CONTACTS: return s->contact_count;
  case CAROM_EVENTS: return s->rules.event_count;
  case CAROM_SECTIONS: return s->rules.section_count;
  case CAROM_STOPS: return s->rules.stop_count;
  case CAROM_OBSERVABLES: return s->measure.observable_count;
  case CAROM_REGIMES: return s->measure.regime_count;
  case CAROM_SHAPES: return s->drawing.made ? 0 : s->drawing.count;
  case CAROM_SPEEDS: return s->kinematics.speeds;
  }
  return 0;
}

bool carom_model_unit(const carom_model *model, carom_item item, int k, char *text, size_t room) {
  const carom_scenario *s = model->scenario;
  if (room > 0) text[0] = 0;
  if (!s || room == 0 || k < 0 || k >= carom_model_count(model, item)) return false;
  carom_node node = 0;
  switch (item) {
  case CAROM_PARAMETERS: node = s->parameters[k].symbol; break;
  case CAROM_COORDINATES: node = s->coordinates[k].symbol; break;
  case CAROM_STATES: node = s->states[k].symbol; break;
  case CAROM_SPEEDS: node = s->coordinates[s->coordinate_count + k].rate; break;
  case CAROM_DEFINITIONS: node = s->definitions.items[k].node; break;
  case CAROM_OBSERVABLES: node = s->measure.observables[k].node; break;
  default: break;
  }
  return carom_scenario_unit(s, node, text, room);
}

const char *carom_model_name(const carom_model *model, carom_item item, int k) {
  const carom_scenario *s = model->scenario;
  if (k < 0 || k >= carom_model_count(model, item)) return NULL;
  if (!s) {
    const char *const *names;
    (void)count_functions(model->functions, item, &names);
    return names[k];
  }
  switch (item) {
  case CAROM_PARAMETERS: return s->parameters[k].value.name;
  case CAROM_COORDINATES: return s->coordinates[k].name;
  case CAROM_STATES: return s->states[k].name;
  case CAROM_DEFINITIONS: return s->definitions.items[k].name;
  case CAROM_CONSTRAINTS: return s->constraints[k].value.name;
  case CAROM_CONTACTS: return s->contacts[k].name;
  case CAROM_EVENTS: return s->rules.events[k].name;
  case CAROM_SECTIONS: return s->rules.sections[k].name;
  case CAROM_STOPS: return s->rules.stops[k].name;
  case CAROM_OBSERVABLES: return s->measure.observables[k].name;
  case CAROM_REGIMES: return s->measure.regimes[k].name;
  case CAROM_SHAPES: return s->drawing.shapes[k].label ? s->drawing.shapes[k].label : "";
  case CAROM_SPEEDS: return s->coordinates[s->coordinate_count + k].name;
  }
  return NULL;
}

bool carom_model_is_rate(const carom_model *model, int k) {
  int first = carom_model_count(model, CAROM_COORDINATES);
  return k >= first && k < 2 * first + carom_model_count(model, CAROM_SPEEDS);
}

bool carom_model_cyclic(const carom_model *model, int k) {
  return model->engine->facts.cyclic && model->engine->facts.cyclic(model, k);
}

int carom_model_shifts(const carom_model *model, int most, double *weights) {
  return model->engine->facts.shifts ? model->engine->facts.shifts(model, most, weights) : 0;
}

bool carom_model_angle(const carom_model *model, int k) {
  return model->engine->facts.angle && model->engine->facts.angle(model, k);
}

bool carom_model_conservative(const carom_model *model) {
  return model->engine->facts.conservative && model->engine->facts.conservative(model);
}

int carom_model_lanes(const carom_model *model) {
  return model->engine->together.worth ? model->engine->together.worth(model) : 1;
}

void carom_text_destroy(char *text) { free(text); }

const char *carom_model_file(const carom_model *model, int k) {
  const carom_document *document = model->scenario ? model->scenario->document : NULL;
  return document && k >= 0 && k < document->source_count ? document->sources[k] : NULL;
}

char *carom_model_scenario_text(const carom_model *model) {
  if (!model->scenario) return NULL;
  carom_arena *arena = carom_arena_create(NULL);
  char *text = arena ? carom_document_text(arena, model->scenario->document) : NULL;
  char *copy = carom_text_copy(text);
  carom_arena_destroy(arena);
  return copy;
}

carom_status carom_model_derive(const carom_model *model, carom_notation notation, char **text,
                                carom_error *error) {
  if (!model->engine->facts.derive || !model->scenario)
    return carom_fail(error, CAROM_ERR_UNSUPPORTED, "this model has no equations to print");
  return model->engine->facts.derive(model, notation, text, error);
}
