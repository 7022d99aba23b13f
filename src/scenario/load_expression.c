// SPDX-License-Identifier: MIT
// One expression: what its names mean, what a prime does, which functions beyond the elementary
// ones exist, and whether it depends only on what it may depend on.
#include "scenario/load.h"
#include "scenario/units.h"
#include "symbolic/lexer.h"
#include "symbolic/operation.h"
#include "symbolic/parse.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DEEPEST_CALL = 20, LONGEST_PATH = 256 };

const char *carom_loader_path(carom_loader *loader, const char *format, ...) {
  char text[LONGEST_PATH];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const char *kept = carom_arena_text(loader->arena, text, strlen(text));
  return kept ? kept : "";
}

const carom_yaml *carom_loader_get(const carom_yaml *map, const char *key) {
  const carom_yaml *value = carom_yaml_get(map, key);
  bool empty = value && value->kind == CAROM_YAML_SCALAR && !value->text[0];
  return empty ? NULL : value;
}

carom_status carom_loader_room(carom_loader *loader, const carom_yaml *map, int most,
                               const char *what, size_t size, void **array) {
  int count = map ? map->count : 0;
  if (map && count > most)
    return carom_fail_at(loader->error, CAROM_ERR_LIMIT, map->place,
                         "%s has %d entries; at most %d are possible", what, count, most);
  *array = carom_arena_array(loader->arena, (size_t)count, size);
  return *array ? CAROM_OK : carom_fail_memory(loader->error);
}

carom_status carom_loader_graph_failed(carom_loader *loader, carom_place place) {
  carom_status status = carom_graph_status(loader->graph);
  if (status == CAROM_ERR_MEMORY || status == CAROM_OK) return carom_fail_memory(loader->error);
  return carom_fail_at(loader->error, status, place,
                       "the scenario's expressions are too large: more than %d parts",
                       CAROM_GRAPH_MAX_NODES);
}

// The parser sees each text as line 1 of its own; this finds the place in the file.
carom_place carom_loader_place(const carom_loader *loader, carom_place place) {
  return carom_yaml_place(loader->scalar, place.column > 0 ? (size_t)place.column - 1 : 0);
}

// ---- names

static const char *what_is_allowed(const carom_rules *rules) {
  if (rules->earlier) return "the parameters above it";
  if (rules->kinds == CAROM_KINDS_FIXED) return "parameters";
  if (rules->reducers) return "observables, reducers and parameters";
  if (!(rules->kinds & CAROM_KIND(TIME)))
    return rules->kinds & CAROM_KIND(RATE) ? "parameters, coordinates and speeds"
                                           : "parameters and coordinates with given rates";
  return "parameters, time, coordinates and states";
}

static bool is_allowed(const carom_loader *loader, const carom_binding *b) {
  const carom_rules *rules = loader->rules;
  switch (b->kind) {
  case CAROM_BINDING_PARAMETER: return !rules->earlier || b->index < loader->parameters_visible;
  case CAROM_BINDING_TIME: return (rules->kinds & CAROM_KIND(TIME)) != 0;
  case CAROM_BINDING_COORDINATE: return (rules->kinds & CAROM_KIND(COORDINATE)) != 0;
  case CAROM_BINDING_SPEED: return (rules->kinds & CAROM_KIND(RATE)) != 0;
  case CAROM_BINDING_STATE: return (rules->kinds & CAROM_KIND(STATE)) != 0;
  case CAROM_BINDING_DEFINITION: return !rules->earlier;
  case CAROM_BINDING_OBSERVABLE: return rules->reducers;
  }
  return false;
}

// the contact that a name like left.gap speaks of, once the contacts are known, or NULL
static const carom_contact *contact_of(const carom_loader *loader, const char *name,
                                       const char *dot) {
  for (int k = 0; dot && k < loader->scenario->contact_count; k++) {
    const carom_contact *contact = &loader->scenario->contacts[k];
    size_t length = strlen(contact->name);
    if (length == (size_t)(dot - name) && memcmp(contact->name, name, length) == 0) return contact;
  }
  return NULL;
}

// In space left.tangential1 and left.tangential2 are the components of friction and left.tangential
// is its size; in the plane there is one of them.
static carom_node tangential_force(const carom_loader *loader, const carom_contact *contact,
                                   const char *dot) {
  if (!contact->space.force || strcmp(dot, ".tangential1") == 0) return contact->tangential_force;
  carom_node second = carom_mul(loader->graph, contact->across, contact->space.force);
  if (strcmp(dot, ".tangential2") == 0) return second;
  return carom_node_make(loader->graph, CAROM_OP_HYPOT, contact->tangential_force, second, 0);
}

// left.normal and left.tangential: known of the motion, so they can only be observed
static carom_node lookup_force(const carom_loader *loader, const carom_contact *contact,
                               const char *name, carom_place place, carom_error *error) {
  bool normal = strcmp(strchr(name, '.'), ".normal") == 0;
  if (strcmp(loader->scenario->engine, "hybrid") != 0)
    carom_fail_at(error, CAROM_ERR_INPUT, place,
                  "'%s' would be the force of a contact; the engine %s has no contacts by name",
                  name, loader->scenario->engine);
  else if (contact && !loader->rules->forces)
    carom_fail_at(error, CAROM_ERR_INPUT, place,
                  "'%s' is a contact force; it can be used in observe and inside reducers, not "
                  "in %s",
                  name, loader->rules->what);
  else if (contact && !normal && !contact->slip.node)
    carom_fail_at(error, CAROM_ERR_INPUT, place,
                  "contacts.%s has no slip, and so no tangential force", contact->name);
  else if (contact)
    return normal ? contact->normal_force : tangential_force(loader, contact, strchr(name, '.'));
  return 0;
}

// left.fx, left.fy, left.fz: the force of a contact between bodies on the first of them, along an
// axis of space. The bodies have told the directions (left.n.x, left.t1.x, left.t2.x).
static carom_node force_along(const carom_loader *loader, const carom_contact *contact, char axis,
                              carom_place place, carom_error *error) {
  enum { LONGEST = 256 };
  static const char *const directions[] = {"n", "t1", "t2"};
  char text[LONGEST];
  (void)snprintf(text, sizeof text, "%s.normal", contact->name);
  carom_node forces[] = {lookup_force(loader, contact, text, place, error),
                         contact->tangential_force, 0};
  if (!forces[0]) return 0;
  if (contact->space.force)
    forces[2] = carom_mul(loader->graph, contact->across, contact->space.force);
  carom_node sum = carom_node_constant(loader->graph, 0.0);
  for (int k = 0; k < 3; k++) {
    (void)snprintf(text, sizeof text, "%s.%s.%c", contact->name, directions[k], axis);
    const carom_binding *direction = carom_loader_find(loader, text);
    if (!direction || !forces[k]) continue;
    sum = carom_add(loader->graph, sum, carom_mul(loader->graph, forces[k], direction->node));
  }
  return sum;
}

// does the name end as a component of a force does, and is it one of bodies?
static bool is_force_along(const carom_loader *loader, const carom_contact *contact,
                           const char *dot) {
  char text[256];
  if (!contact || dot[1] != 'f' || !dot[2] || !strchr("xyz", dot[2]) || dot[3]) return false;
  (void)snprintf(text, sizeof text, "%s.n.%c", contact->name, dot[2]);
  return carom_loader_find(loader, text) != NULL;
}

// left.friction: the power that friction takes while the contact lasts, -force.slip
static carom_node friction_power(const carom_loader *loader, const carom_contact *contact,
                                 const char *name, carom_place place, carom_error *error) {
  carom_node first = lookup_force(loader, contact, name, place, error);
  if (!first) return 0;
  carom_graph *graph = loader->graph;
  carom_node power = carom_mul(graph, contact->tangential_force, contact->slip.node);
  if (contact->space.force) {
    carom_node second = carom_mul(graph, contact->across, contact->space.force);
    power = carom_add(graph, power, carom_mul(graph, second, contact->space.slip.node));
  }
  return carom_neg(graph, power);
}

static bool is_of_contact(const char *dot) {
  return strcmp(dot, ".gap") == 0 || strcmp(dot, ".friction") == 0 || strcmp(dot, ".slip") == 0 ||
         strcmp(dot, ".normal") == 0 || strcmp(dot, ".tangential") == 0;
}

// flor.normal: there is no contact 'flor'
static void fail_contact(const carom_loader *loader, const char *name, const char *dot,
                         carom_place place, carom_error *error) {
  enum { LONGEST = 80, MOST = 64 };
  const carom_scenario *s = loader->scenario;
  const char *names[MOST];
  char wanted[LONGEST];
  int count = s->contact_count < MOST ? s->contact_count : MOST;
  (void)snprintf(wanted, sizeof wanted, "%.*s", (int)(dot - name), name);
  for (int k = 0; k < count; k++)
    names[k] = s->contacts[k].name;
  if (carom_yaml_get(carom_yaml_get(loader->document->root, "contacts"), wanted)) {
    carom_fail_at(error, CAROM_ERR_INPUT, place,
                  "the contact '%s' stands below; a contact can only use those above it", wanted);
    return;
  }
  const char *nearest = carom_nearest_name(wanted, names, count);
  carom_fail_at(error, CAROM_ERR_INPUT, place, "there is no contact '%s'%s%s%s", wanted,
                nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

// is what stands before the dot a constraint?
static bool is_constraint(const carom_loader *loader, const char *name, const char *dot) {
  const carom_yaml *all = carom_yaml_get(loader->document->root, "constraints");
  size_t length = (size_t)(dot - name);
  for (int k = 0; all && k < all->count; k++)
    if (strncmp(all->keys[k], name, length) == 0 && !all->keys[k][length]) return true;
  return false;
}

// ball.speed, of a body (ball.x is known), and near to no name
static bool is_of_body(const carom_loader *loader, const char *name, const char *dot) {
  enum { MOST = 512 };
  const char *names[MOST];
  char place[LONGEST_PATH];
  (void)snprintf(place, sizeof place, "%.*s.x", (int)(dot - name), name);
  return carom_loader_find(loader, place) &&
         !carom_nearest_name(name, names, carom_loader_names(loader, names, MOST));
}

// left.gap, left.slip, left.normal, left.tangential, left.friction
static carom_node lookup_contact(const carom_loader *loader, const char *name, carom_place place,
                                 carom_error *error) {
  const char *dot = strchr(name, '.');
  if (!dot && carom_yaml_get(carom_yaml_get(loader->document->root, "contacts"), name))
    carom_fail_at(error, CAROM_ERR_INPUT, place,
                  "'%s' is a contact; expressions use %s.gap, %s.slip, its forces or count(%s)",
                  name, name, name, name);
  if (!dot || loader->rules->kinds == CAROM_KINDS_FIXED) return 0;
  const carom_contact *contact = contact_of(loader, name, dot);
  bool any = carom_yaml_get(loader->document->root, "contacts") != NULL;
  if (!contact && any && is_of_contact(dot)) {
    fail_contact(loader, name, dot, place, error);
    return 0;
  }
  if (!contact && is_of_body(loader, name, dot)) {
    carom_fail_at(error, CAROM_ERR_INPUT, place,
                  "unknown name '%s'; of a body there are .x, .turn, .vx (velocity), .wz (spin), "
                  ".px (momentum), .lz, .kinetic, .potential and its points",
                  name);
    return 0;
  }
  if (!contact && strcmp(dot, ".force") == 0 && is_constraint(loader, name, dot)) {
    carom_fail_at(error, CAROM_ERR_INPUT, place,
                  "no expression knows the force of a constraint; what lets go at a given force "
                  "is a contact with friction: {normal: FORCE, slip: x', friction: 1}");
    return 0;
  }
  bool space = contact && contact->space.slip.node;
  if (strcmp(dot, ".normal") == 0 || strcmp(dot, ".tangential") == 0 ||
      (space && (strcmp(dot, ".tangential1") == 0 || strcmp(dot, ".tangential2") == 0)))
    return lookup_force(loader, contact, name, place, error);
  if (contact && strcmp(dot, ".friction") == 0)
    return friction_power(loader, contact, name, place, error);
  if (is_force_along(loader, contact, dot))
    return force_along(loader, contact, dot[2], place, error);
  if (contact && strcmp(dot, ".gap") == 0) return contact->gap.node;
  if (contact && strcmp(dot, ".slip") == 0)
    return space ? contact->space.speed : contact->slip.node;
  if (space && strcmp(dot, ".slip1") == 0) return contact->slip.node;
  if (space && strcmp(dot, ".slip2") == 0) return contact->space.slip.node;
  if (contact)
    carom_fail_at(error, CAROM_ERR_INPUT, place,
                  "of a contact there are %s.gap, %s.slip, %s.normal, %s.tangential and "
                  "%s.friction%s, no '%s'",
                  contact->name, contact->name, contact->name, contact->name, contact->name,
                  space ? " (and slip1, slip2, tangential1, tangential2)" : "", name);
  return 0;
}

static carom_node look_up_name(void *ctx, const char *name, carom_place place, carom_error *error) {
  const carom_loader *loader = ctx;
  const carom_rules *rules = loader->rules;
  if (rules->contact && strcmp(name, "slip") == 0) return rules->contact->slip_speed;
  if (rules->contact && rules->normal && strcmp(name, "normal") == 0)
    return rules->contact->normal_force;
  if (rules->field && strcmp(name, "d") == 0) return rules->field->own.distance;
  if (rules->field && strcmp(name, "vn") == 0) return rules->field->own.normal_speed;
  if (rules->field && strcmp(name, "vt") == 0) return rules->field->own.slip_speed;
  const carom_binding *b = carom_loader_find(loader, name);
  if (!b) return lookup_contact(loader, name, place, error);
  if (is_allowed(loader, b)) {
    if (b->node) return b->node;
    carom_fail_at(error, CAROM_ERR_INPUT, place, "'%s' is used before it is known", name);
    return 0;
  }
  if (b->kind == CAROM_BINDING_PARAMETER && b->index == loader->parameters_visible)
    carom_fail_at(error, CAROM_ERR_INPUT, place, "the parameter '%s' is defined by itself", name);
  else if (b->kind == CAROM_BINDING_PARAMETER)
    carom_fail_at(error, CAROM_ERR_INPUT, place,
                  "the parameter '%s' stands below, in line %d; a parameter can only use those "
                  "above it",
                  name, b->place.line);
  else
    carom_fail_at(error, CAROM_ERR_INPUT, place, "'%s' is %s; %s can only use %s%s%s", name,
                  carom_binding_words(b->kind), rules->what, what_is_allowed(rules),
                  rules->hint ? "; " : "", rules->hint ? rules->hint : "");
  return 0;
}

static int list_names(void *ctx, const char **list, int room) {
  return carom_loader_names(ctx, list, room);
}

// ---- numbers with a unit

// Degrees and percent are only other ways to write a number, and seconds stand behind every time:
// they say nothing of other units.
static void note_unit(carom_loader *loader, carom_dimension d) {
  if (!carom_dimension_same(d, carom_unit("")) && !carom_dimension_same(d, carom_unit("s")))
    loader->units_written = true;
}

static bool is_quantity(void *ctx, const char *name) {
  const carom_loader *loader = ctx;
  const carom_rules *rules = loader->rules;
  bool own = (rules->contact && strcmp(name, "slip") == 0) ||
             (rules->field && (strcmp(name, "d") == 0 || strcmp(name, "vn") == 0));
  return own || carom_loader_find(loader, name);
}

static carom_node measured_number(void *ctx, const char *text, carom_place place, size_t *length,
                                  carom_error *error) {
  carom_loader *loader = ctx;
  carom_unit_text found;
  carom_unit_found answer = carom_units_find(text, is_quantity, ctx, &found);
  if (answer == CAROM_UNIT_DOUBTFUL)
    carom_fail_at(
        error, CAROM_ERR_INPUT, place,
        "'%.*s' could mean the unit, or a product with the '%.*s' of this scenario: write * for "
        "the product, or make the number with the unit a parameter",
        (int)found.length, text, (int)(found.length - found.name), text + found.name);
  if (answer != CAROM_UNIT_FOUND) return 0;
  double value = 0.0;
  int unit = carom_dimension_code(found.dimension);
  carom_parse_scope plain = {.graph = loader->graph};
  carom_node number = carom_parse(&plain, found.converted, place, error);
  if (!number || unit < 0 || !carom_node_is_constant(loader->graph, number, &value)) return 0;
  *length = found.length;
  if (carom_dimension_same(found.dimension, carom_unit(""))) return number;
  note_unit(loader, found.dimension);
  return carom_node_measured(loader->graph, value, unit);
}

// ---- time derivative

// the symbol that stands for the rate of change of a symbol; 0: constant in time
static carom_node rate_symbol(const carom_loader *loader, const carom_symbol *symbol) {
  const carom_scenario *s = loader->scenario;
  switch (symbol->kind) {
  case CAROM_SYMBOL_COORDINATE: return s->coordinates[symbol->index].rate;
  case CAROM_SYMBOL_RATE: return s->coordinates[symbol->index].acceleration;
  case CAROM_SYMBOL_STATE: return s->states[symbol->index].rate;
  default: return 0;
  }
}

// the node with the rates of the states from `first` on to `end` replaced
static carom_node replace_until(carom_loader *loader, carom_node node, int first, int end) {
  if (first >= end || !carom_node_depends_kind(loader->graph, node, CAROM_KIND(STATE_RATE)))
    return node;
  size_t count = (size_t)(end - first);
  const carom_state *states = loader->scenario->states + first;
  carom_node *from = carom_arena_array(loader->arena, count, sizeof *from);
  carom_node *to = carom_arena_array(loader->arena, count, sizeof *to);
  if (!from || !to) return 0;
  for (size_t k = 0; k < count; k++) {
    from[k] = states[k].rate;
    to[k] = states[k].equation;
  }
  return carom_node_substitute(loader->graph, node, (int)count, from, to);
}

carom_node carom_loader_replace_rates(carom_loader *loader, carom_node node, int first) {
  return replace_until(loader, node, first, loader->equations_known);
}

// d/dt through coordinates, rates, states and time; 0 with `error` set where there is none
static carom_node prime_node(void *ctx, carom_node node, carom_place place, carom_error *error) {
  carom_loader *loader = ctx;
  carom_graph *graph = loader->graph;
  // coordinates with given rates have second derivatives
  int given = loader->scenario->kinematics.coordinates;
  if (given > 0 && loader->equations_known >= given) node = replace_until(loader, node, 0, given);
  if (!node) return 0;
  unsigned beyond =
      CAROM_KIND(ACCELERATION) | CAROM_KIND(STATE_RATE) | CAROM_KIND(REDUCER) | CAROM_KIND(OTHER);
  if (carom_node_depends_kind(graph, node, beyond)) {
    bool third = carom_node_depends_kind(graph, node, CAROM_KIND(ACCELERATION));
    bool state = carom_node_depends_kind(graph, node, CAROM_KIND(STATE_RATE));
    carom_fail_at(error, CAROM_ERR_INPUT, place,
                  third ? "a third time derivative is not available"
                  : state
                      ? "the second time derivative of a state is not available"
                      : "this has no time derivative: it is not a quantity that moves by itself");
    return 0;
  }
  carom_node sum = carom_node_derivative(graph, node, loader->scenario->time);
  for (int k = 0; k < carom_graph_symbol_count(graph); k++) {
    const carom_symbol *symbol = carom_graph_symbol(graph, k);
    carom_node rate = rate_symbol(loader, symbol);
    if (!rate || !carom_node_depends(graph, node, symbol->node)) continue;
    carom_node slope = carom_node_derivative(graph, node, symbol->node);
    sum = carom_add(graph, sum, carom_mul(graph, slope, rate));
  }
  // the graph remembers why a node could not be made, and the parser reports it
  if (!sum && carom_graph_status(graph) == CAROM_OK) carom_fail_memory(error);
  return sum;
}

// ---- functions beyond the elementary ones

static carom_parse_scope scope_of(carom_loader *loader);

carom_node carom_load_argument(carom_loader *loader, const char *text, carom_place place,
                               carom_error *error) {
  carom_parse_scope scope = scope_of(loader);
  return carom_parse(&scope, text, place, error);
}

// the text between the quotes of "plate.csv", or NULL
static const char *unquote_text(carom_loader *loader, const char *text) {
  size_t length = strlen(text);
  if (length < 3 || text[0] != '"' || text[length - 1] != '"') return NULL;
  return carom_arena_text(loader->arena, text + 1, length - 2);
}

static carom_node call_table(carom_loader *loader, int count, const char *const *arguments,
                             const carom_place *places, carom_place place, carom_error *error) {
  if (count != 2) {
    carom_fail_at(error, CAROM_ERR_INPUT, place,
                  "table takes 2 arguments, %d given: table(\"file.csv\", x)", count);
    return 0;
  }
  const char *name = unquote_text(loader, arguments[0]);
  if (!name) {
    carom_fail_at(error, CAROM_ERR_INPUT, places[0],
                  "the name of a table's file is written in double quotes: table(\"file.csv\", x)");
    return 0;
  }
  carom_node x = carom_load_argument(loader, arguments[1], places[1], error);
  if (!x) return 0;
  return carom_load_table(loader, name, carom_loader_place(loader, places[0]), x, error);
}

static carom_node call_function(void *ctx, const char *name, int count,
                                const char *const *arguments, const carom_place *places,
                                carom_place place, carom_error *error) {
  carom_loader *loader = ctx;
  // each call parses its arguments anew, so the parser's own limit on nesting does not see it
  if (loader->call_depth >= DEEPEST_CALL) {
    carom_fail_at(error, CAROM_ERR_LIMIT, place, "calls nested deeper than %d levels",
                  DEEPEST_CALL);
    return 0;
  }
  loader->call_depth++;
  carom_node node = strcmp(name, "table") == 0
                        ? call_table(loader, count, arguments, places, place, error)
                        : carom_load_reducer(loader, name, count, arguments, places, place, error);
  loader->call_depth--;
  return node;
}

static carom_parse_scope scope_of(carom_loader *loader) {
  return (carom_parse_scope){loader->graph, loader,     look_up_name,   prime_node,
                             call_function, list_names, measured_number};
}

// ---- what it depends on

// which member of a family it was
static void add_note(carom_error *error, const carom_yaml *scalar) {
  if (!scalar->note || !scalar->note[0]) return;
  size_t used = strlen(error->text);
  (void)snprintf(error->text + used, sizeof error->text - used, " (with %s)", scalar->note);
}

static const char *describe_symbol(carom_loader *loader, const carom_symbol *symbol) {
  static const char *const words[] = {
      [CAROM_SYMBOL_PARAMETER] = "the parameter ",       [CAROM_SYMBOL_TIME] = "the time ",
      [CAROM_SYMBOL_COORDINATE] = "the coordinate ",     [CAROM_SYMBOL_RATE] = "the rate ",
      [CAROM_SYMBOL_ACCELERATION] = "the acceleration ", [CAROM_SYMBOL_STATE] = "the state ",
      [CAROM_SYMBOL_STATE_RATE] = "the rate ",           [CAROM_SYMBOL_REDUCER] = "the reducer ",
  };
  const char *word =
      (size_t)symbol->kind < sizeof words / sizeof *words ? words[symbol->kind] : NULL;
  return carom_loader_path(loader, "%s%s", word ? word : "", symbol->name);
}

static carom_status check_kinds(carom_loader *loader, carom_node node, const carom_yaml *scalar,
                                const carom_rules *rules) {
  unsigned allowed = rules->kinds | (rules->contact || rules->forces ? CAROM_KIND(OTHER) : 0);
  if (!carom_node_depends_kind(loader->graph, node, ~allowed)) return CAROM_OK;
  for (int k = 0; k < carom_graph_symbol_count(loader->graph); k++) {
    const carom_symbol *symbol = carom_graph_symbol(loader->graph, k);
    if ((1u << symbol->kind) & allowed) continue;
    if (!carom_node_depends(loader->graph, node, symbol->node)) continue;
    carom_fail_at(loader->error, CAROM_ERR_INPUT, carom_yaml_place(scalar, 0),
                  "%s cannot depend on %s%s%s", rules->what, describe_symbol(loader, symbol),
                  rules->hint ? "; " : "", rules->hint ? rules->hint : "");
    add_note(loader->error, scalar);
    return CAROM_ERR_INPUT;
  }
  return CAROM_OK;
}

bool carom_loader_moves(const carom_loader *loader, carom_node node) {
  const carom_scenario *s = loader->scenario;
  bool moves =
      carom_node_depends_kind(loader->graph, node, CAROM_KIND(RATE) | CAROM_KIND(COORDINATE));
  for (int k = 0; k < s->kinematics.coordinates && !moves; k++)
    moves = carom_node_depends(loader->graph, node, s->states[k].symbol);
  return moves;
}

void carom_loader_know_equations(carom_loader *loader, int count) {
  loader->equations_known = count;
}

// ---- reading

// a value that is a number with a unit becomes its value in SI
static carom_status convert_unit(carom_loader *loader, char **text, carom_unit_doubt *doubt) {
  char converted[LONGEST_PATH];
  carom_dimension dimension;
  if (!carom_units_read(*text, &dimension, converted, sizeof converted, doubt)) return CAROM_OK;
  note_unit(loader, dimension);
  *text = carom_arena_text(loader->arena, converted, strlen(converted));
  return *text ? CAROM_OK : carom_fail_memory(loader->error);
}

// `length` characters from `start` of a scalar's text, on one line
static carom_status read_part(carom_loader *loader, const carom_yaml *scalar, size_t start,
                              size_t length, carom_node *node) {
  char *text = carom_arena_text(loader->arena, scalar->text + start, length);
  if (!text) return carom_fail_memory(loader->error);
  for (char *p = text; *p; p++)
    if (*p == '\n' || *p == '\r') *p = ' ';
  carom_unit_doubt doubt = {.at = 0};
  if (start == 0 && !scalar->text[length]) {
    carom_status status = convert_unit(loader, &text, &doubt);
    if (status) return status;
  }
  // the parser counts columns in characters
  int column = 1;
  for (size_t k = 0; k < start; k++)
    column += ((unsigned char)scalar->text[k] & 0xC0) != 0x80;

  loader->scalar = scalar;
  loader->placed = false;
  loader->call_depth = 0;
  *loader->error = (carom_error){0};
  carom_place place = {scalar->place.file, 1, column};
  *node = carom_load_argument(loader, text, place, loader->error);
  int most = carom_scenario_most(loader->scenario, CAROM_SCENARIO_MAX_NODES);
  if (*node && carom_graph_count(loader->graph) > most)
    return carom_fail_at(
        loader->error, CAROM_ERR_LIMIT, scalar->place,
        "here the scenario's expressions exceed %d parts; time derivatives of long "
        "products grow fast",
        most);
  if (*node) return CAROM_OK;
  carom_error *error = loader->error;
  if (error->status == CAROM_OK) return carom_loader_graph_failed(loader, scalar->place);
  // a number and what is nearly a unit are told as that, not as an expression that is wrong
  if (error->status == CAROM_ERR_INPUT && doubt.at > 0) {
    const char *name = scalar->text + doubt.at;
    return carom_fail_at(error, CAROM_ERR_INPUT, carom_yaml_place(scalar, doubt.at),
                         "unknown unit '%.*s'; did you mean '%s'?", (int)carom_name_length(name),
                         name, doubt.meant);
  }
  if (!loader->placed && error->line > 0) {
    place.column = error->column;
    place = carom_loader_place(loader, place);
    error->line = place.line;
    error->column = place.column;
  }
  if (error->status == CAROM_ERR_INPUT) add_note(error, scalar);
  return error->status;
}

static carom_status finish_scalar(carom_loader *loader, const carom_yaml *scalar,
                                  const carom_rules *rules, carom_node *node) {
  // gap: y >= 0 would be a gap of 1 or 0
  if (rules->measured && carom_op_has(carom_node_op(loader->graph, *node), CAROM_TRUTH))
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, carom_yaml_place(scalar, 0),
                         "%s is a condition, true or false; a quantity belongs here: y, not "
                         "y >= 0 (in a constraint a = b)",
                         rules->what);
  int first = rules->keeps_rates ? loader->scenario->kinematics.coordinates : 0;
  *node = carom_loader_replace_rates(loader, *node, first);
  if (!*node) return carom_loader_graph_failed(loader, scalar->place);
  return check_kinds(loader, *node, scalar, rules);
}

carom_status carom_load_expression(carom_loader *loader, const carom_yaml *scalar,
                                   const carom_rules *rules, carom_node *node) {
  loader->rules = rules;
  carom_status status = read_part(loader, scalar, 0, strlen(scalar->text), node);
  return status ? status : finish_scalar(loader, scalar, rules, node);
}

// the position of a single = outside of parentheses and quotes, or the length of the text
static size_t find_equals(const char *text) {
  int depth = 0;
  bool quoted = false;
  size_t k = 0;
  for (; text[k]; k++) {
    if (text[k] == '"') quoted = !quoted;
    if (quoted) continue;
    if (text[k] == '(') depth++;
    if (text[k] == ')') depth--;
    if (text[k] != '=' || depth) continue;
    if (text[k + 1] == '=')
      k++;
    else if (k == 0 || !strchr("<>!", text[k - 1]))
      break;
  }
  return k;
}

carom_status carom_load_equation(carom_loader *loader, const carom_yaml *scalar,
                                 const carom_rules *rules, carom_node *node, bool *equation) {
  size_t length = strlen(scalar->text), equals = find_equals(scalar->text);
  *equation = equals < length;
  if (!*equation) return carom_load_expression(loader, scalar, rules, node);
  carom_node left = 0, right = 0;
  loader->rules = rules;
  carom_status status = read_part(loader, scalar, 0, equals, &left);
  if (!status) status = read_part(loader, scalar, equals + 1, length - equals - 1, &right);
  if (status) return status;
  *node = carom_sub(loader->graph, left, right);
  if (!*node) return carom_loader_graph_failed(loader, scalar->place);
  return finish_scalar(loader, scalar, rules, node);
}

// ---- linearity

// Values that hit no special point: irrational steps of a fixed sequence, so that a check repeats.
static void spread_values(double *values, int count, int round) {
  for (int k = 0; k < count; k++) {
    double x = (k + 1) * 0.6180339887498949 + (round + 1) * 0.7548776662466927;
    values[k] = 0.25 + (x - floor(x));
  }
}

enum { ROUNDS = 4 };

// values of all symbols for every round, one behind the other; made anew where symbols were added
static bool spread_symbols(carom_loader *loader) {
  int count = carom_graph_symbol_count(loader->graph);
  if (count <= loader->spread_count) return true;
  int room = 2 * count;
  loader->spread = carom_arena_array(loader->arena, (size_t)(ROUNDS * room), sizeof(double));
  if (!loader->spread) return false;
  for (int round = 0; round < ROUNDS; round++)
    spread_values(loader->spread + (size_t)(round * room), room, round);
  loader->spread_count = room;
  return true;
}

double carom_loader_value(carom_loader *loader, carom_node node, const double *values) {
  carom_error error = {0};
  double value = carom_node_evaluate(loader->graph, node, values, &error);
  if (error.status == CAROM_ERR_MEMORY) loader->out_of_memory = true;
  return value;
}

bool carom_loader_vanishes(carom_loader *loader, carom_node node, carom_node scale) {
  double value = 1.0;
  if (carom_node_is_constant(loader->graph, node, &value)) return value == 0.0;
  if (!spread_symbols(loader)) return true;
  for (int round = 0; round < ROUNDS; round++) {
    const double *values = loader->spread + (size_t)(round * loader->spread_count);
    value = carom_loader_value(loader, node, values);
    double size = carom_loader_value(loader, scale, values);
    if (isfinite(value) && isfinite(size) && fabs(value) > 1e-11 * fabs(size)) return false;
  }
  return true;
}

bool carom_loader_linear(carom_loader *loader, carom_node node) {
  const carom_scenario *s = loader->scenario;
  int n = carom_scenario_rates(s);
  for (int i = 0; i < n; i++) {
    if (!carom_node_depends(loader->graph, node, s->coordinates[i].rate)) continue;
    carom_node slope = carom_node_derivative(loader->graph, node, s->coordinates[i].rate);
    if (!carom_node_depends_kind(loader->graph, slope, CAROM_KIND(RATE))) continue;
    for (int j = i; j < n; j++) {
      if (!carom_node_depends(loader->graph, slope, s->coordinates[j].rate)) continue;
      carom_node second = carom_node_derivative(loader->graph, slope, s->coordinates[j].rate);
      if (!carom_loader_vanishes(loader, second, node)) return false;
    }
  }
  return true;
}
