// SPDX-License-Identifier: MIT
// First pass: every name is declared before any expression is read, so that definitions may be used
// in any order. Second pass: definitions and observables are read after what they use; a circle is
// found on the way.
#include "scenario/load.h"
#include "symbolic/lexer.h"
#include "symbolic/number.h"
#include "symbolic/parse.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_NAME = CAROM_NAME_ROOM - 1 };

const char *carom_binding_words(carom_binding_kind kind) {
  switch (kind) {
  case CAROM_BINDING_PARAMETER: return "a parameter";
  case CAROM_BINDING_TIME: return "the time";
  case CAROM_BINDING_COORDINATE: return "a coordinate";
  case CAROM_BINDING_SPEED: return "a speed";
  case CAROM_BINDING_STATE: return "a state";
  case CAROM_BINDING_DEFINITION: return "a definition";
  case CAROM_BINDING_OBSERVABLE: return "an observable";
  }
  return "a name";
}

static uint32_t hash_of(const char *name) {
  uint32_t h = 2166136261u; // FNV-1a
  for (; *name; name++)
    h = (h ^ (unsigned char)*name) * 16777619u;
  return h;
}

// the slot of a name, or the free slot where it would go
static int *slot_of(const carom_loader *loader, const char *name) {
  uint32_t mask = (uint32_t)loader->slot_count - 1, k = hash_of(name) & mask;
  while (loader->slots[k] && strcmp(loader->bindings[loader->slots[k] - 1].name, name) != 0)
    k = (k + 1) & mask;
  return &loader->slots[k];
}

carom_binding *carom_loader_find(const carom_loader *loader, const char *name) {
  int found = loader->slot_count ? *slot_of(loader, name) : 0;
  return found ? &loader->bindings[found - 1] : NULL;
}

int carom_loader_names(const carom_loader *loader, const char **names, int room) {
  int count = 0;
  for (int k = 0; k < loader->binding_count && count < room; k++) {
    const carom_binding *b = &loader->bindings[k];
    bool observable = b->kind == CAROM_BINDING_OBSERVABLE;
    if (observable && (!loader->rules || !loader->rules->reducers)) continue;
    if (loader->rules && loader->rules->earlier && b->kind != CAROM_BINDING_PARAMETER) continue;
    names[count++] = b->name;
  }
  const carom_rules *rules = loader->rules;
  if (rules && rules->contact && count < room) names[count++] = "slip";
  if (rules && rules->contact && rules->normal && count < room) names[count++] = "normal";
  return count;
}

carom_status carom_loader_check_name(carom_loader *loader, const char *name, carom_place place,
                                     const char *what) {
  // the expression reader's own idea of a name; those with a dot are made of the names of bodies
  size_t length = carom_name_length(name);
  bool good = length > 0 && !name[length] && (loader->document->written || !strchr(name, '.'));
  if (good && strlen(name) <= LONGEST_NAME) return CAROM_OK;
  return carom_fail_at(loader->error, CAROM_ERR_INPUT, place,
                       "'%.80s' cannot be the name of %s: a name has letters, digits and _, does "
                       "not begin with a digit, and has at most %d characters",
                       name, what, LONGEST_NAME);
}

static carom_status check_free(carom_loader *loader, const char *name, carom_place place,
                               carom_binding_kind kind) {
  const char *what = carom_binding_words(kind);
  carom_status status = carom_loader_check_name(loader, name, place, what);
  if (status) return status;
  if (carom_parse_reserved(name))
    return carom_fail_at(
        loader->error, CAROM_ERR_INPUT, place,
        "'%s' has a meaning of its own in expressions and cannot be the name of %s", name, what);
  bool of_contacts = strcmp(name, "slip") == 0 || strcmp(name, "normal") == 0;
  if (of_contacts && kind != CAROM_BINDING_OBSERVABLE)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, place,
                         "'%s' means the %s of a contact in its laws and cannot be the name of %s",
                         name, name[0] == 's' ? "sliding speed" : "normal force", what);
  const carom_binding *twin = carom_loader_find(loader, name);
  if (!twin) return CAROM_OK;
  if (twin->kind == CAROM_BINDING_TIME)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, place,
                         "'t' is the time and cannot be the name of %s", what);
  return carom_fail_at(loader->error, CAROM_ERR_INPUT, place,
                       "the name '%s' is taken: it is %s in line %d of %s", name,
                       carom_binding_words(twin->kind), twin->place.line, twin->place.file);
}

static carom_status grow_slots(carom_loader *loader) {
  if (2 * (loader->binding_count + 1) <= loader->slot_count) return CAROM_OK;
  int wider = loader->slot_count ? 2 * loader->slot_count : 64;
  loader->slots = carom_arena_array(loader->arena, (size_t)wider, sizeof *loader->slots);
  if (!loader->slots) return carom_fail_memory(loader->error);
  loader->slot_count = wider;
  for (int k = 0; k < loader->binding_count; k++)
    *slot_of(loader, loader->bindings[k].name) = k + 1;
  return CAROM_OK;
}

carom_status carom_loader_declare(carom_loader *loader, carom_binding binding) {
  carom_status status = grow_slots(loader);
  if (status) return status;
  if (!carom_arena_grow(loader->arena, (void **)&loader->bindings, loader->binding_count,
                        &loader->binding_capacity, sizeof *loader->bindings))
    return carom_fail_memory(loader->error);
  int *slot = slot_of(loader, binding.name);
  loader->bindings[loader->binding_count++] = binding;
  *slot = loader->binding_count;
  return CAROM_OK;
}

// a symbol named after another one: theta'
static carom_node derived_symbol(carom_loader *loader, const char *name, const char *ending,
                                 carom_symbol_kind kind) {
  char text[LONGEST_NAME + 4];
  (void)snprintf(text, sizeof text, "%s%s", name, ending);
  return carom_node_symbol(loader->graph, text, kind);
}

static carom_node declare_symbols(carom_loader *loader, carom_binding_kind kind, int index,
                                  const char *name, carom_place place) {
  carom_scenario *s = loader->scenario;
  if (kind == CAROM_BINDING_PARAMETER) {
    carom_parameter *p = &s->parameters[index];
    p->symbol = carom_node_symbol(loader->graph, name, CAROM_SYMBOL_PARAMETER);
    p->value = (carom_quantity){name, 0, place};
    return p->symbol;
  }
  if (kind == CAROM_BINDING_COORDINATE) {
    carom_coordinate *q = &s->coordinates[index];
    q->name = name;
    q->place = place;
    q->symbol = carom_node_symbol(loader->graph, name, CAROM_SYMBOL_COORDINATE);
    q->rate = derived_symbol(loader, name, "'", CAROM_SYMBOL_RATE);
    q->acceleration = derived_symbol(loader, name, "''", CAROM_SYMBOL_ACCELERATION);
    return q->symbol;
  }
  if (kind == CAROM_BINDING_SPEED) {
    carom_coordinate *u = &s->coordinates[index];
    u->name = name;
    u->place = place;
    u->rate = carom_node_symbol(loader->graph, name, CAROM_SYMBOL_RATE);
    u->acceleration = derived_symbol(loader, name, "'", CAROM_SYMBOL_ACCELERATION);
    return u->rate;
  }
  if (kind == CAROM_BINDING_STATE) {
    carom_state *z = &s->states[index];
    z->name = name;
    z->place = place;
    z->symbol = carom_node_symbol(loader->graph, name, CAROM_SYMBOL_STATE);
    z->rate = derived_symbol(loader, name, "'", CAROM_SYMBOL_STATE_RATE);
    return z->symbol;
  }
  carom_quantity *list =
      kind == CAROM_BINDING_DEFINITION ? s->definitions.items : s->measure.observables;
  list[index] = (carom_quantity){name, 0, place};
  return 0;
}

carom_status carom_loader_grow_parameters(carom_loader *loader, int more) {
  carom_scenario *s = loader->scenario;
  size_t room = (size_t)(s->parameter_count + more);
  carom_parameter *all = carom_arena_array(loader->arena, room, sizeof *all);
  if (!all) return carom_fail_memory(loader->error);
  if (s->parameter_count > 0) memcpy(all, s->parameters, (size_t)s->parameter_count * sizeof *all);
  s->parameters = all;
  return CAROM_OK;
}

carom_status carom_loader_add_parameter(carom_loader *loader, const char *name, carom_place place) {
  carom_scenario *s = loader->scenario;
  carom_status status = check_free(loader, name, place, CAROM_BINDING_PARAMETER);
  if (status) return status;
  int index = s->parameter_count;
  carom_node node = declare_symbols(loader, CAROM_BINDING_PARAMETER, index, name, place);
  s->parameters[index].value.node = carom_node_constant(loader->graph, 0.0);
  if (!node || !s->parameters[index].value.node) return carom_loader_graph_failed(loader, place);
  s->parameter_count++;
  loader->parameters_visible = s->parameter_count;
  return carom_loader_declare(
      loader, (carom_binding){name, CAROM_BINDING_PARAMETER, index, node, false, NULL, place});
}

// entry k of a section; `count`: things of this kind so far
static carom_status declare_entry(carom_loader *loader, const carom_yaml *map, int k,
                                  carom_binding_kind kind, int *count) {
  const char *name = map->keys[k];
  carom_place place = map->key_places[k];
  carom_status status = check_free(loader, name, place, kind);
  if (status) return status;
  int index = (*count)++;
  carom_node node = declare_symbols(loader, kind, index, name, place);
  bool later = kind == CAROM_BINDING_DEFINITION || kind == CAROM_BINDING_OBSERVABLE;
  if (!later && !node) return carom_loader_graph_failed(loader, place);
  carom_binding binding = {name, kind, index, node, false, map->values[k], place};
  return carom_loader_declare(loader, binding);
}

static carom_status declare_section(carom_loader *loader, const char *key, carom_binding_kind kind,
                                    int *count) {
  const carom_yaml *map = carom_yaml_get(loader->document->root, key);
  carom_status status = CAROM_OK;
  for (int k = 0; !status && map && k < map->count; k++)
    status = declare_entry(loader, map, k, kind, count);
  return status;
}

// A coordinate whose rate is given is a state, before those of the scenario; speeds are rates
// without a coordinate.
static carom_status declare_coordinates(carom_loader *loader) {
  carom_scenario *s = loader->scenario;
  const carom_yaml *root = loader->document->root, *map = carom_yaml_get(root, "coordinates");
  const carom_yaml *given = carom_yaml_get(root, "rates");
  carom_status status = CAROM_OK;
  for (int k = 0; !status && map && k < map->count; k++) {
    bool own = !given || carom_yaml_find(given, map->keys[k]) < 0;
    status = own ? declare_entry(loader, map, k, CAROM_BINDING_COORDINATE, &s->coordinate_count)
                 : declare_entry(loader, map, k, CAROM_BINDING_STATE, &s->state_count);
  }
  s->kinematics.coordinates = s->state_count;
  int rates = s->coordinate_count;
  if (!status) status = declare_section(loader, "speeds", CAROM_BINDING_SPEED, &rates);
  s->kinematics.speeds = rates - s->coordinate_count;
  return status;
}

// room for the entries of both sections
static carom_status make_room(carom_loader *loader, const char *key, int most, const char *other,
                              int most_others, size_t size, void **array) {
  const carom_yaml *root = loader->document->root, *map = carom_yaml_get(root, other);
  carom_status status =
      carom_loader_room(loader, carom_yaml_get(root, key), most, key, size, array);
  if (status || !map) return status;
  int more = map->count, count = carom_yaml_get(root, key) ? carom_yaml_get(root, key)->count : 0;
  if (more > most_others)
    return carom_fail_at(loader->error, CAROM_ERR_LIMIT, map->place,
                         "%s has %d entries; at most %d are possible", other, more, most_others);
  *array = carom_arena_array(loader->arena, (size_t)(count + more), size);
  return *array ? CAROM_OK : carom_fail_memory(loader->error);
}

carom_status carom_load_names(carom_loader *loader) {
  carom_scenario *s = loader->scenario;
  const carom_yaml *root = loader->document->root;
  carom_status status = CAROM_OK;
#define ROOM(key, most, field)                                                                     \
  if (!status)                                                                                     \
    status = carom_loader_room(loader, carom_yaml_get(root, key), most, key, sizeof *s->field,     \
                               (void **)&s->field);
  int most = carom_scenario_most(s, CAROM_SCENARIO_MAX_NAMES);
  int coordinates = carom_scenario_most(s, CAROM_SCENARIO_MAX_COORDINATES);
  ROOM("parameters", most, parameters)
  ROOM("observe", CAROM_SCENARIO_MAX_NAMES, measure.observables)
#undef ROOM
  if (!status)
    status = make_room(loader, "define", most, "aside", CAROM_SCENARIO_MAX_ASIDE,
                       sizeof *s->definitions.items, (void **)&s->definitions.items);
  if (!status)
    status = make_room(loader, "coordinates", coordinates, "speeds", coordinates,
                       sizeof *s->coordinates, (void **)&s->coordinates);
  if (!status)
    status = make_room(loader, "states", coordinates, "rates", coordinates, sizeof *s->states,
                       (void **)&s->states);
  if (status) return status;

  s->time = carom_node_symbol(loader->graph, "t", CAROM_SYMBOL_TIME);
  if (!s->time) return carom_loader_graph_failed(loader, (carom_place){0});
  status = carom_loader_declare(
      loader, (carom_binding){"t", CAROM_BINDING_TIME, 0, s->time, false, NULL, {0}});
  if (!status)
    status = declare_section(loader, "parameters", CAROM_BINDING_PARAMETER, &s->parameter_count);
  if (!status) status = declare_coordinates(loader);
  if (!status) status = declare_section(loader, "states", CAROM_BINDING_STATE, &s->state_count);
  if (!status)
    status = declare_section(loader, "define", CAROM_BINDING_DEFINITION, &s->definitions.count);
  int aside = s->definitions.count; // those behind are not recorded
  if (!status) status = declare_section(loader, "aside", CAROM_BINDING_DEFINITION, &aside);
  if (!status)
    status =
        declare_section(loader, "observe", CAROM_BINDING_OBSERVABLE, &s->measure.observable_count);
  if (!status && strcmp(s->engine, "field") == 0) status = carom_load_field_names(loader);
  if (!status && strcmp(s->engine, "grains") == 0) status = carom_load_grains_names(loader);
  return status;
}

// The next identifier of a written expression; false at its end. Numbers (1e5) and texts in quotes
// are passed over, and so is the first argument of count and at, which names no quantity.
static bool next_identifier(const char **rest, char name[LONGEST_NAME + 1]) {
  const char *p = *rest;
  bool skip = false;
  while (*p) {
    size_t length = carom_number_length(p);
    if (*p == '"') {
      p++;
      length = strcspn(p, "\"");
      p += length + (p[length] == '"');
      continue;
    }
    if (length > 0) {
      p += length;
      continue;
    }
    if ((length = carom_name_length(p)) == 0) {
      p++;
      continue;
    }
    const char *start = p;
    p += length;
    bool call = p[strspn(p, " \t\n")] == '(';
    if (!skip && !call && length <= LONGEST_NAME) {
      memcpy(name, start, length);
      name[length] = 0;
      *rest = p;
      return true;
    }
    skip = call && ((length == 5 && memcmp(start, "count", 5) == 0) ||
                    (length == 2 && memcmp(start, "at", 2) == 0));
  }
  *rest = p;
  return false;
}

typedef struct carom_frame {
  carom_binding *binding;
  const char *rest; // what of its text is still to be looked through
} frame;

static carom_status fail_cycle(carom_loader *loader, const frame *stack, int depth,
                               const carom_binding *again) {
  int first = depth - 1;
  while (first > 0 && stack[first].binding != again)
    first--;
  char text[512];
  size_t used = 0;
  for (int k = first; k < depth && used < sizeof text; k++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s -> ", stack[k].binding->name);
  return carom_fail_at(loader->error, CAROM_ERR_INPUT, again->place,
                       "%s is defined by itself: %s%s", again->name, text, again->name);
}

static carom_status read_definition(carom_loader *loader, carom_binding *b) {
  bool observable = b->kind == CAROM_BINDING_OBSERVABLE;
  const carom_rules rules = {
      .what = carom_loader_path(loader, observable ? "observe.%s" : "define.%s", b->name),
      .kinds = CAROM_KINDS_SEEN | (observable ? CAROM_KIND(REDUCER) : 0),
      .reducers = observable,
      .forces = observable,
      .keeps_rates = !observable};
  carom_node node = 0;
  carom_status status = carom_load_expression(loader, b->source, &rules, &node);
  if (status) return status;
  carom_quantity *list =
      observable ? loader->scenario->measure.observables : loader->scenario->definitions.items;
  b->node = list[b->index].node = node;
  list[b->index].place = b->source->place;
  return CAROM_OK;
}

// depth first with a stack of our own: a chain of thousands of definitions must not use up the
// program's
static carom_status read_from(carom_loader *loader, carom_binding *start, frame *stack, int room) {
  int depth = 0;
  stack[depth++] = (frame){start, start->source->text};
  start->open = true;
  while (depth) {
    frame *top = &stack[depth - 1];
    char name[LONGEST_NAME + 1];
    if (!next_identifier(&top->rest, name)) {
      carom_status status = read_definition(loader, top->binding);
      if (status) return status;
      top->binding->open = false;
      depth--;
      continue;
    }
    carom_binding *needed = carom_loader_find(loader, name);
    bool of_kind = needed && needed->kind == start->kind;
    if (!of_kind || needed->node) continue;
    if (needed->open) return fail_cycle(loader, stack, depth, needed);
    if (depth >= room) return carom_fail_memory(loader->error);
    needed->open = true;
    stack[depth++] = (frame){needed, needed->source->text};
  }
  return CAROM_OK;
}

// as deep as there are names; one for all texts, since a crowd of bodies has very many of them
static frame *stack_of(carom_loader *loader) {
  carom_loader_stack *reading = &loader->reading;
  int room = loader->binding_count;
  if (!reading->frames || reading->room < room) {
    reading->frames = carom_arena_array(loader->arena, (size_t)room, sizeof *reading->frames);
    reading->room = reading->frames ? room : 0;
  }
  return reading->frames;
}

carom_status carom_load_definitions(carom_loader *loader, carom_binding_kind kind) {
  int room = loader->binding_count;
  frame *stack = stack_of(loader);
  if (!stack) return carom_fail_memory(loader->error);
  for (int k = 0; k < loader->binding_count; k++) {
    carom_binding *b = &loader->bindings[k];
    if (b->kind != kind || b->node) continue;
    carom_status status = read_from(loader, b, stack, room);
    if (status) return status;
  }
  return CAROM_OK;
}

carom_status carom_load_needed(carom_loader *loader, const carom_yaml *source) {
  int room = loader->binding_count;
  frame *stack = stack_of(loader);
  const char *rest = source->text;
  char name[LONGEST_NAME + 1];
  carom_status status = stack ? CAROM_OK : carom_fail_memory(loader->error);
  while (!status && next_identifier(&rest, name)) {
    carom_binding *b = carom_loader_find(loader, name);
    if (b && b->kind == CAROM_BINDING_DEFINITION && !b->node)
      status = read_from(loader, b, stack, room);
  }
  return status;
}
