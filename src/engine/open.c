// SPDX-License-Identifier: MIT
/// Numbers of a scenario that are no parameters, made parameters: a model is read anew, with them
/// among its parameters.
#include "engine/engine.h"

#include <string.h>

const char *carom_model_input(const carom_model *model, const char *name) {
  const carom_scenario *s = model->scenario;
  for (int k = 0; s && name && k < s->document->opened.count; k++)
    if (strcmp(s->document->opened.names[k], name) == 0) return s->document->opened.parameters[k];
  return name;
}

static bool has_item(const carom_model *model, carom_item item, const char *name) {
  for (int k = 0; k < carom_model_count(model, item); k++)
    if (strcmp(carom_model_name(model, item, k), name) == 0) return true;
  return false;
}

// parameters, start values, and what was opened already
static bool is_input(const carom_model *model, const char *name) {
  const carom_scenario *s = model->scenario;
  if (carom_model_input(model, name) != name) return true;
  for (int k = 0; k < carom_scenario_rates(s); k++) {
    const carom_coordinate *q = &s->coordinates[k];
    if (q->symbol && strcmp(q->name, name) == 0) return true;
    if (strcmp(carom_node_as_symbol(s->graph, q->rate)->name, name) == 0) return true;
  }
  return has_item(model, CAROM_PARAMETERS, name) || has_item(model, CAROM_STATES, name);
}

static carom_status fail_input(const char *name, const carom_error *why, carom_error *error) {
  return carom_fail(error, CAROM_ERR_ARGUMENT,
                    "'%s' is no parameter, no start value (a coordinate x, its rate x', a state) "
                    "and no number that --set takes: %s",
                    name, why->text);
}

// what the model before had opened is called as it was there
static bool keep_names(const carom_model *before, const carom_model *made) {
  const carom_opened_list *old = &before->scenario->document->opened;
  carom_document *document = made->scenario->document;
  carom_opened_list *now = &document->opened;
  size_t room = (size_t)(old->count + now->count) + 1;
  const char **names = carom_arena_array(document->arena, room, sizeof *names);
  const char **parameters = carom_arena_array(document->arena, room, sizeof *parameters);
  if (!names || !parameters) return false;
  for (int k = 0; k < old->count + now->count; k++) {
    bool old_one = k < old->count;
    const char *name = old_one ? old->names[k] : now->names[k - old->count];
    const char *parameter = old_one ? old->parameters[k] : now->parameters[k - old->count];
    names[k] = carom_arena_text(document->arena, name, strlen(name));
    parameters[k] = carom_arena_text(document->arena, parameter, strlen(parameter));
    if (!names[k] || !parameters[k]) return false;
  }
  *now = (carom_opened_list){old->count + now->count, names, parameters};
  return true;
}

// the model read anew; one name more each time, so that the one that cannot be opened is told
static carom_status open_names(const carom_model *model, int count, const char *const *names,
                               carom_arena *arena, carom_model **opened, carom_error *error) {
  const carom_document *document = model->scenario->document;
  carom_setting *settings = carom_arena_array(arena, (size_t)count + 1, sizeof *settings);
  char *text = carom_document_text(arena, document);
  if (!settings || !text) return carom_fail_memory(error);
  int found = 0;
  for (int k = 0; k < count; k++) {
    carom_error why = {0};
    if (is_input(*opened ? *opened : model, names[k])) continue;
    carom_model_destroy(*opened);
    settings[found++] = (carom_setting){names[k], NULL};
    carom_status status = carom_model_load_with(NULL, document->root->place.file, text, found,
                                                settings, opened, &why);
    if (status == CAROM_ERR_MEMORY) return carom_fail_memory(error);
    if (status != CAROM_OK) return fail_input(names[k], &why, error);
  }
  return !*opened || keep_names(model, *opened) ? CAROM_OK : carom_fail_memory(error);
}

carom_status carom_model_open(const carom_model *model, int count, const char *const *names,
                              carom_model **opened, carom_error *error) {
  bool known = true;
  *opened = NULL;
  for (int k = 0; k < count && model->scenario; k++)
    known = known && is_input(model, names[k]);
  if (known) return CAROM_OK;
  carom_arena *arena = carom_arena_create(NULL);
  carom_status status =
      arena ? open_names(model, count, names, arena, opened, error) : carom_fail_memory(error);
  carom_arena_destroy(arena);
  if (status == CAROM_OK) return status;
  carom_model_destroy(*opened);
  *opened = NULL;
  return status;
}
