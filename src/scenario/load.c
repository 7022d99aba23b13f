// SPDX-License-Identifier: MIT
// A scenario from a file or a text: document, settings, table of keys, names, expressions, checks.
#include "scenario/load.h"
#include "bodies/bodies.h"
#include "scenario/schema.h"

#include <math.h>
#include <string.h>

static carom_status fail_engine(const carom_yaml *engine, carom_error *error) {
  const char *names[16];
  char known[256] = "";
  int count = 0;
  for (int k = 0; carom_schema_table(k) && count < 16; k++) {
    if (!carom_schema_table(k)->engine) continue;
    names[count++] = carom_schema_table(k)->engine;
    if (count > 1) strncat(known, ", ", sizeof known - strlen(known) - 1);
    strncat(known, names[count - 1], sizeof known - strlen(known) - 1);
  }
  const char *nearest = carom_nearest_name(engine->text, names, count);
  return carom_fail_at(error, CAROM_ERR_INPUT, engine->place,
                       "this build has no engine '%.80s'; it has: %s%s%s%s", engine->text, known,
                       nearest ? "; did you mean '" : "", nearest ? nearest : "",
                       nearest ? "'?" : "");
}

static carom_status choose_engine(const carom_document *document, const char **engine,
                                  carom_error *error) {
  const carom_yaml *value = carom_yaml_get(document->root, "engine");
  *engine = "hybrid";
  if (!value) return CAROM_OK;
  if (value->kind != CAROM_YAML_SCALAR || !value->text[0])
    return carom_fail_at(error, CAROM_ERR_INPUT, value->place, "engine: a name expected");
  if (!carom_schema_has_engine(value->text)) return fail_engine(value, error);
  *engine = value->text;
  return CAROM_OK;
}

// definitions were read before the equations of the states were known
static carom_status complete_definitions(carom_loader *loader) {
  carom_scenario *s = loader->scenario;
  for (int k = 0; k < s->definitions.count; k++) {
    carom_quantity *d = &s->definitions.items[k];
    d->node = carom_loader_replace_rates(loader, d->node, 0);
    if (!d->node) return carom_loader_graph_failed(loader, d->place);
  }
  return CAROM_OK;
}

static carom_status load_sections(carom_loader *loader) {
  carom_status status = carom_load_names(loader);
  if (!status) status = carom_load_parameters(loader);
  if (!status) status = carom_load_slot_numbers(loader);
  bool field = loader->scenario->described.field != NULL,
       grains = loader->scenario->described.grains != NULL;
  bool written = !field && !grains; // the equations of motion follow from what is written
  if (!status && field) status = carom_load_field(loader);
  if (!status && grains) status = carom_load_grains(loader);
  if (!status && written) status = carom_load_rates(loader);
  if (!status) status = carom_load_definitions(loader, CAROM_BINDING_DEFINITION);
  if (!status && written) status = carom_load_mechanics(loader);
  if (!status && loader->scenario->described.stepping) status = carom_load_stepping(loader);
  if (!status && written) status = carom_load_contacts(loader);
  if (!status && written) status = carom_load_convex(loader);
  if (!status && written) status = carom_load_shapes(loader);
  if (!status) status = carom_load_run(loader);
  if (!status) status = carom_load_rules(loader);
  if (!status) status = carom_load_observe(loader);
  if (!status) status = complete_definitions(loader);
  if (!status) status = carom_load_units(loader);
  if (!status) status = carom_load_checks(loader);
  return status;
}

// with run.method: stepping bodies stay what they are
static carom_status expand_bodies(carom_scenario *s, carom_error *error) {
  const carom_yaml *run = carom_yaml_get(s->document->root, "run");
  const carom_yaml *method = run ? carom_yaml_get(run, "method") : NULL;
  if (!method || strcmp(method->text, "stepping") != 0)
    return carom_bodies_expand(s->document, error);
  s->engine = "stepping";
  s->described.stepping = carom_arena_take(s->arena, sizeof *s->described.stepping);
  if (!s->described.stepping) return carom_fail_memory(error);
  s->described.stepping->outlines =
      carom_arena_take(s->arena, sizeof *s->described.stepping->outlines);
  if (!s->described.stepping->outlines) return carom_fail_memory(error);
  return carom_bodies_outline(s->document, s->described.stepping->outlines, error);
}

static carom_status read_document(carom_scenario *s, const char *path, const char *text,
                                  int setting_count, const carom_setting *settings,
                                  carom_error *error) {
  carom_status status = carom_document_read(s->arena, path, text, &s->document, error);
  if (!status) status = choose_engine(s->document, &s->engine, error);
  if (!status) status = carom_load_settings(s->document, s->engine, setting_count, settings, error);
  if (!status) status = carom_document_check_nulls(s->document, error);
  // a setting may have changed the engine itself
  if (!status) status = choose_engine(s->document, &s->engine, error);
  if (!status) status = carom_schema_check(s->arena, s->engine, s->document->root, error);
  if (!status && strcmp(s->engine, "hybrid") == 0) status = expand_bodies(s, error);
  if (status) return status;
  const carom_yaml *title = carom_yaml_get(s->document->root, "title");
  s->title = title ? title->text : NULL;
  return CAROM_OK;
}

carom_status carom_scenario_read(const char *path, const char *text, int setting_count,
                                 const carom_setting *settings, const carom_allocator *allocator,
                                 carom_scenario **scenario, carom_error *error) {
  carom_error own = {0};
  if (!error) error = &own;
  *scenario = NULL;
  carom_arena *arena = carom_arena_create(allocator);
  carom_scenario *s = arena ? carom_arena_take(arena, sizeof *s) : NULL;
  if (!s) {
    carom_arena_destroy(arena);
    return carom_fail_memory(error);
  }
  s->arena = arena;
  carom_status status = read_document(s, path, text, setting_count, settings, error);
  if (!status && !(s->graph = carom_graph_create(arena))) status = carom_fail_memory(error);
  if (!status) {
    carom_loader loader = {
        .arena = arena, .graph = s->graph, .scenario = s, .document = s->document, .error = error};
    status = load_sections(&loader);
    // a number that could not be computed is not the user's mistake
    if (status && loader.out_of_memory) status = carom_fail_memory(error);
  }
  if (status) {
    carom_arena_destroy(arena);
    return status;
  }
  *scenario = s;
  return CAROM_OK;
}

void carom_scenario_free(carom_scenario *scenario) {
  if (scenario) carom_arena_destroy(scenario->arena);
}

bool carom_scenario_counts_by(const carom_scenario *scenario, const char *name) {
  const carom_document *document = scenario->document;
  for (int k = 0; k < document->counting_count; k++)
    if (strcmp(document->counting[k], name) == 0) return true;
  return false;
}

int carom_scenario_symbol_index(const carom_scenario *scenario, carom_node symbol) {
  return carom_node_symbol_index(scenario->graph, symbol);
}

// ---- values

// evaluates `node` and puts it at the symbol; what is not finite is the user's mistake
static carom_status put_value(const carom_scenario *s, const char *what, const char *name,
                              carom_place place, carom_node symbol, carom_node node, double *values,
                              carom_error *error) {
  carom_error failed = {0};
  double value = carom_node_evaluate(s->graph, node, values, &failed);
  if (failed.status == CAROM_ERR_MEMORY) return carom_fail_memory(error);
  if (!isfinite(value))
    return carom_fail_at(error, CAROM_ERR_INPUT, place, "%s%s is %s", what, name,
                         isnan(value) ? "not a number" : "infinite");
  int index = carom_scenario_symbol_index(s, symbol);
  if (index >= 0) values[index] = value;
  return CAROM_OK;
}

static carom_status put_parameters(const carom_scenario *s, const double *given, double *values,
                                   carom_error *error) {
  for (int k = 0; k < s->parameter_count; k++) {
    const carom_parameter *p = &s->parameters[k];
    if (given && !isnan(given[k])) {
      values[carom_scenario_symbol_index(s, p->symbol)] = given[k];
      continue;
    }
    carom_status status = put_value(s, "parameters.", p->value.name, p->value.place, p->symbol,
                                    p->value.node, values, error);
    if (status) return status;
  }
  return CAROM_OK;
}

carom_status carom_scenario_values(const carom_scenario *scenario, const double *given,
                                   double *values, carom_error *error) {
  const carom_scenario *s = scenario;
  memset(values, 0, (size_t)carom_graph_symbol_count(s->graph) * sizeof *values);
  carom_status status = put_parameters(s, given, values, error);
  if (!status && s->run.start)
    status = put_value(s, "run.", "start", (carom_place){0}, s->time, s->run.start, values, error);
  for (int k = 0; !status && k < carom_scenario_rates(s); k++) {
    const carom_coordinate *q = &s->coordinates[k];
    if (q->symbol)
      status = put_value(s, "the start of the coordinate ", q->name, q->place, q->symbol, q->start,
                         values, error);
    if (!status)
      status = put_value(
          s, q->symbol ? "the rate at the start of the coordinate " : "the start of the speed ",
          q->name, q->place, q->rate, q->start_rate, values, error);
  }
  for (int k = 0; !status && k < s->state_count; k++) {
    const carom_state *z = &s->states[k];
    status = put_value(s, "the start of the state ", z->name, z->place, z->symbol, z->start, values,
                       error);
  }
  return status;
}
