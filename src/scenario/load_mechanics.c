// SPDX-License-Identifier: MIT
// Parameters, coordinates, states, energies, forces and constraints.
#include "scenario/load.h"

#include <string.h>

carom_status carom_load_parameters(carom_loader *loader) {
  carom_scenario *s = loader->scenario;
  const carom_yaml *map = carom_yaml_get(loader->document->root, "parameters");
  for (int k = 0; k < s->parameter_count; k++) {
    const carom_rules rules = {
        .kinds = CAROM_KINDS_FIXED,
        .earlier = true,
        .what = carom_loader_path(loader, "parameters.%s", s->parameters[k].value.name)};
    loader->parameters_visible = k;
    carom_quantity *value = &s->parameters[k].value;
    value->place = map->values[k]->place;
    carom_status status = carom_load_expression(loader, map->values[k], &rules, &value->node);
    if (status) return status;
  }
  return CAROM_OK;
}

carom_status carom_load_start(carom_loader *loader, const carom_yaml *value, const char *what,
                              carom_node *node) {
  *node = carom_node_constant(loader->graph, 0.0);
  if (!value) return *node ? CAROM_OK : carom_loader_graph_failed(loader, (carom_place){0});
  const carom_rules rules = {.what = what, .kinds = CAROM_KINDS_FIXED};
  return carom_load_expression(loader, value, &rules, node);
}

static carom_status load_coordinates(carom_loader *loader) {
  carom_scenario *s = loader->scenario;
  const carom_yaml *map = carom_yaml_get(loader->document->root, "coordinates");
  for (int k = 0; map && k < map->count; k++) {
    const char *name = map->keys[k];
    const carom_binding *b = carom_loader_find(loader, name);
    const carom_yaml *value = map->values[k];
    bool whole = value->kind == CAROM_YAML_MAP, own = b->kind == CAROM_BINDING_COORDINATE;
    const carom_yaml *rate = whole ? carom_loader_get(value, "rate") : NULL;
    carom_coordinate *q = own ? &s->coordinates[b->index] : NULL;
    carom_status status = carom_load_start(loader, whole ? carom_loader_get(value, "start") : value,
                                           carom_loader_path(loader, "coordinates.%s.start", name),
                                           own ? &q->start : &s->states[b->index].start);
    if (!status && !own && rate)
      return carom_fail_at(
          loader->error, CAROM_ERR_INPUT, rate->place,
          "the rate of %s follows from rates.%s; give the start of the speeds in it", name, name);
    if (!status && own) {
      q->rate_written = rate != NULL;
      status = carom_load_start(
          loader, rate, carom_loader_path(loader, "coordinates.%s.rate", name), &q->start_rate);
    }
    if (status) return status;
  }
  return CAROM_OK;
}

// does an event assign it a value?
static bool is_assigned(const carom_loader *loader, const char *name) {
  const carom_yaml *events = carom_yaml_get(loader->document->root, "events");
  for (int k = 0; events && k < events->count; k++) {
    const carom_yaml *event = events->values[k];
    const carom_yaml *todo = event->kind == CAROM_YAML_MAP ? carom_loader_get(event, "do") : NULL;
    if (todo && todo->kind == CAROM_YAML_MAP && carom_yaml_find(todo, name) >= 0) return true;
  }
  return false;
}

static carom_status load_equation(carom_loader *loader, carom_state *z, const carom_yaml *value) {
  if (value->kind != CAROM_YAML_MAP) value = NULL; // its start alone
  const carom_yaml *rate = carom_loader_get(value, "rate");
  const carom_yaml *equation = carom_loader_get(value, "equation");
  if (rate && equation)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, equation->place,
                         "states.%s has both 'rate' and 'equation'; they mean the same", z->name);
  if (!rate) rate = equation;
  if (!rate && is_assigned(loader, z->name)) {
    z->equation = carom_node_constant(loader->graph, 0.0);
    return z->equation ? CAROM_OK : carom_loader_graph_failed(loader, z->place);
  }
  if (!rate)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, z->place,
                         "states.%s needs its equation: %s: {start: ..., rate: ...}, or an event "
                         "that sets it",
                         z->name, z->name);
  const carom_rules rules = {.kinds = CAROM_KINDS_MOTION & ~CAROM_KIND(STATE_RATE),
                             .hint = "write out what it stands for",
                             .what = carom_loader_path(loader, "states.%s.rate", z->name)};
  return carom_load_expression(loader, rate, &rules, &z->equation);
}

static carom_status load_states(carom_loader *loader) {
  carom_scenario *s = loader->scenario;
  const carom_yaml *map = carom_yaml_get(loader->document->root, "states");
  int first = s->kinematics.coordinates;
  for (int k = first; k < s->state_count; k++) {
    carom_state *z = &s->states[k];
    const carom_yaml *value = map->values[k - first];
    carom_status status = carom_load_start(
        loader, value->kind == CAROM_YAML_MAP ? carom_loader_get(value, "start") : value,
        carom_loader_path(loader, "states.%s.start", z->name), &z->start);
    if (!status) status = load_equation(loader, z, value);
    if (status) return status;
    double rate;
    if (carom_node_is_constant(loader->graph, z->equation, &rate) && rate == 0.0)
      carom_symbol_keep(loader->graph, z->symbol);
  }
  carom_loader_know_equations(loader, s->state_count);
  return CAROM_OK;
}

static carom_status load_energy(carom_loader *loader, const char *name, carom_quantity *energy,
                                unsigned kinds, const char *hint) {
  const carom_yaml *section = carom_yaml_get(loader->document->root, "energy");
  const carom_yaml *value = carom_loader_get(section, name);
  if (!value) return CAROM_OK;
  bool kinetic = energy == &loader->scenario->energies.kinetic;
  const carom_rules rules = {.kinds = kinds,
                             .hint = hint,
                             .keeps_rates = kinetic,
                             .measured = true,
                             .what = carom_loader_path(loader, "energy.%s", name)};
  energy->name = name;
  energy->place = value->place;
  return carom_load_expression(loader, value, &rules, &energy->node);
}

static carom_status load_energies(carom_loader *loader) {
  carom_scenario *s = loader->scenario;
  unsigned motion = CAROM_KINDS_MOTION & ~CAROM_KIND(STATE_RATE);
  carom_status status =
      load_energy(loader, "kinetic", &s->energies.kinetic, CAROM_KINDS_MOTION,
                  "a kinetic energy is made of coordinates, rates, states and time");
  if (!status)
    status = load_energy(loader, "potential", &s->energies.potential, CAROM_KINDS_POSITION,
                         "what depends on rates belongs into forces or energy.dissipation");
  if (!status)
    status = load_energy(loader, "dissipation", &s->energies.dissipation, motion,
                         "a dissipation function is made of coordinates, rates, states and time");
  return status;
}

// where the force on a coordinate or speed of this name is kept, or NULL
static carom_node *find_force(const carom_loader *loader, const char *name) {
  carom_scenario *s = loader->scenario;
  const carom_binding *b = carom_loader_find(loader, name);
  if (b && (b->kind == CAROM_BINDING_COORDINATE || b->kind == CAROM_BINDING_SPEED))
    return &s->coordinates[b->index].force;
  bool given = b && b->kind == CAROM_BINDING_STATE && b->index < s->kinematics.coordinates;
  return given ? &s->states[b->index].force : NULL;
}

carom_status carom_load_no_coordinate(carom_loader *loader, const char *section, const char *name,
                                      const char *purpose, carom_place place) {
  const carom_yaml *map = carom_yaml_get(loader->document->root, "coordinates");
  const carom_yaml *states = carom_yaml_get(loader->document->root, "states");
  if (states && carom_yaml_get(states, name))
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, place,
                         "%s: '%.80s' is a state, and its equation stands with it: states: {%.80s: "
                         "{start: ..., rate: ...}}",
                         section, name, name);
  const char *nearest = map ? carom_nearest_name(name, map->keys, map->count) : NULL;
  if (nearest)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, place,
                         "%s: there is no coordinate '%.80s'; did you mean '%s'?", section, name,
                         nearest);
  return carom_fail_at(loader->error, CAROM_ERR_INPUT, place,
                       "%s: there is no coordinate '%.80s'%s", section, name, purpose);
}

static carom_status load_forces(carom_loader *loader) {
  const carom_yaml *map = carom_yaml_get(loader->document->root, "forces");
  for (int k = 0; map && k < map->count; k++) {
    carom_node *force = find_force(loader, map->keys[k]);
    if (!force)
      return carom_load_no_coordinate(loader, "forces", map->keys[k], " for this force to act on",
                                      map->key_places[k]);
    const carom_rules rules = {.kinds = CAROM_KINDS_MOTION & ~CAROM_KIND(STATE_RATE),
                               .hint = "a force is made of coordinates, rates, states and time",
                               .what = carom_loader_path(loader, "forces.%s", map->keys[k])};
    carom_status status = carom_load_expression(loader, map->values[k], &rules, force);
    if (status) return status;
  }
  return CAROM_OK;
}

// a constraint restrains a motion, and where it speaks of rates it is linear in them
static carom_status check_constraint(carom_loader *loader, carom_constraint *c) {
  carom_place place = c->value.place;
  c->velocity_level = carom_node_depends_kind(loader->graph, c->value.node, CAROM_KIND(RATE));
  if (!carom_loader_moves(loader, c->value.node))
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, place,
                         "constraints.%s depends on no coordinate, so it restrains nothing",
                         c->value.name);
  if (c->velocity_level && !carom_loader_linear(loader, c->value.node))
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, place,
                         "constraints.%s must be linear in the rates", c->value.name);
  return CAROM_OK;
}

static carom_status load_constraint(carom_loader *loader, carom_constraint *c,
                                    const carom_yaml *value) {
  const carom_yaml *hold = value->kind == CAROM_YAML_MAP ? carom_loader_get(value, "hold") : value;
  const char *what = carom_loader_path(loader, "constraints.%s", c->value.name);
  const carom_rules rules = {.what =
                                 hold == value ? what : carom_loader_path(loader, "%s.hold", what),
                             .kinds = CAROM_KINDS_MOTION & ~CAROM_KIND(STATE_RATE),
                             .measured = true,
                             .hint = "a constraint is made of coordinates, rates, states and time"};
  c->value.place = hold->place;
  bool equation = false;
  carom_status status = carom_load_equation(loader, hold, &rules, &c->value.node, &equation);
  if (!status) status = check_constraint(loader, c);
  if (!status && hold != value) status = carom_load_presence(loader, value, what, &c->presence);
  return status;
}

static carom_status load_constraints(carom_loader *loader) {
  carom_scenario *s = loader->scenario;
  const carom_yaml *map = carom_yaml_get(loader->document->root, "constraints");
  carom_status status =
      carom_loader_room(loader, map, CAROM_SCENARIO_MAX_COORDINATES, "constraints",
                        sizeof *s->constraints, (void **)&s->constraints);
  for (int k = 0; !status && map && k < map->count; k++) {
    carom_constraint *c = &s->constraints[s->constraint_count];
    c->value = (carom_quantity){map->keys[k], 0, map->values[k]->place};
    status = carom_loader_check_name(loader, map->keys[k], map->key_places[k], "a constraint");
    if (!status) status = load_constraint(loader, c, map->values[k]);
    s->constraint_count++;
  }
  return status;
}

carom_status carom_load_mechanics(carom_loader *loader) {
  carom_status status = load_coordinates(loader);
  if (!status) status = carom_load_speeds(loader);
  if (!status) status = load_states(loader);
  // bodies, whose equations are known
  if (!status && loader->scenario->described.stepping) return load_forces(loader);
  if (!status) status = carom_load_invariants(loader);
  if (!status) status = load_energies(loader);
  if (!status) status = load_forces(loader);
  if (!status) status = load_constraints(loader);
  return status;
}
