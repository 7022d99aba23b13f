// SPDX-License-Identifier: MIT
// Velocities that are not rates of coordinates: speeds, rates q' = G(q) u, and what G keeps.
#include "scenario/load.h"

#include <math.h>

// a rate is a sum of speeds and rates of other coordinates, each with a factor
static carom_status check_homogeneous(carom_loader *loader, const carom_state *z,
                                      carom_place place) {
  const carom_scenario *s = loader->scenario;
  carom_graph *graph = loader->graph;
  carom_node sum = carom_node_constant(graph, 0.0), size = sum;
  for (int k = 0; k < carom_scenario_rates(s); k++) {
    carom_node rate = s->coordinates[k].rate;
    if (!carom_node_depends(graph, z->equation, rate)) continue;
    carom_node part = carom_mul(graph, carom_node_derivative(graph, z->equation, rate), rate);
    sum = carom_add(graph, sum, part);
    size = carom_add(graph, size, carom_node_make(graph, CAROM_OP_ABS, part, 0, 0));
  }
  carom_node rest = carom_sub(graph, z->equation, sum);
  if (!rest || !size) return carom_loader_graph_failed(loader, place);
  bool linear = carom_loader_linear(loader, z->equation);
  carom_node scale = carom_add(graph, size, carom_node_make(graph, CAROM_OP_ABS, rest, 0, 0));
  if (linear && carom_loader_vanishes(loader, rest, scale)) return CAROM_OK;
  return carom_fail_at(loader->error, CAROM_ERR_INPUT, place,
                       "rates.%s must be linear in speeds and rates, without a part that is free "
                       "of them; what moves by itself belongs into a constraint with rates",
                       z->name);
}

static carom_status load_rate(carom_loader *loader, const carom_yaml *map, int k) {
  carom_scenario *s = loader->scenario;
  const carom_binding *b = carom_loader_find(loader, map->keys[k]);
  if (!b || b->kind != CAROM_BINDING_STATE || b->index >= s->kinematics.coordinates)
    return carom_load_no_coordinate(loader, "rates", map->keys[k], "", map->key_places[k]);
  carom_state *z = &s->states[b->index];
  const carom_rules rules = {.what = carom_loader_path(loader, "rates.%s", z->name),
                             .kinds = CAROM_KINDS_FIXED | CAROM_KIND(COORDINATE) |
                                      CAROM_KIND(STATE) | CAROM_KIND(RATE),
                             .hint = "a rate is made of coordinates, parameters and speeds"};
  carom_status status = carom_load_needed(loader, map->values[k]);
  if (!status) status = carom_load_expression(loader, map->values[k], &rules, &z->equation);
  for (int j = s->kinematics.coordinates; !status && j < s->state_count; j++)
    if (carom_node_depends(loader->graph, z->equation, s->states[j].symbol))
      status = carom_fail_at(loader->error, CAROM_ERR_INPUT, map->values[k]->place,
                             "%s cannot depend on the state %s; %s", rules.what, s->states[j].name,
                             rules.hint);
  return status ? status : check_homogeneous(loader, z, map->values[k]->place);
}

carom_status carom_load_rates(carom_loader *loader) {
  carom_scenario *s = loader->scenario;
  const carom_yaml *map = carom_yaml_get(loader->document->root, "rates");
  carom_status status = CAROM_OK;
  for (int k = 0; !status && map && k < map->count; k++)
    status = load_rate(loader, map, k);
  if (!status) carom_loader_know_equations(loader, s->kinematics.coordinates);
  return status;
}

carom_status carom_load_speeds(carom_loader *loader) {
  carom_scenario *s = loader->scenario;
  const carom_yaml *map = carom_yaml_get(loader->document->root, "speeds");
  carom_status status = CAROM_OK;
  for (int k = 0; !status && k < s->kinematics.speeds; k++) {
    carom_coordinate *u = &s->coordinates[s->coordinate_count + k];
    bool given = carom_loader_get(map, u->name) != NULL;
    u->rate_written = given;
    status = carom_load_start(loader, given ? map->values[k] : NULL,
                              carom_loader_path(loader, "speeds.%s", u->name), &u->start_rate);
  }
  return status;
}

// the rate of an invariant is zero, whatever the speeds are
static carom_status check_kept(carom_loader *loader, const carom_quantity *value,
                               const char *what) {
  const carom_scenario *s = loader->scenario;
  carom_graph *graph = loader->graph;
  carom_node rate = carom_node_constant(graph, 0.0), size = rate;
  bool depends = false;
  for (int k = 0; k < s->kinematics.coordinates; k++) {
    depends = depends || carom_node_depends(graph, value->node, s->states[k].symbol);
    carom_node slope = carom_node_derivative(graph, value->node, s->states[k].symbol);
    carom_node part = carom_mul(graph, slope, s->states[k].equation);
    rate = carom_add(graph, rate, part);
    size = carom_add(graph, size, carom_node_make(graph, CAROM_OP_ABS, part, 0, 0));
  }
  if (!rate || !size) return carom_loader_graph_failed(loader, value->place);
  for (int k = s->kinematics.coordinates; k < s->state_count; k++)
    if (carom_node_depends(graph, value->node, s->states[k].symbol)) depends = false;
  if (!depends)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, value->place,
                         "%s must be made of coordinates that have entries in rates", what);
  if (carom_loader_vanishes(loader, rate, size)) return CAROM_OK;
  return carom_fail_at(
      loader->error, CAROM_ERR_INPUT, value->place,
      "%s is not kept: by rates it changes with the speeds; what must be forced to "
      "hold is a constraint",
      what);
}

carom_status carom_load_invariants(carom_loader *loader) {
  carom_kinematics *kinematics = &loader->scenario->kinematics;
  const carom_yaml *map = carom_yaml_get(loader->document->root, "invariants");
  carom_status status =
      carom_loader_room(loader, map, CAROM_SCENARIO_MAX_COORDINATES, "invariants",
                        sizeof *kinematics->invariants, (void **)&kinematics->invariants);
  for (int k = 0; !status && map && k < map->count; k++) {
    carom_quantity *value = &kinematics->invariants[kinematics->invariant_count++];
    *value = (carom_quantity){map->keys[k], 0, map->values[k]->place};
    const carom_rules rules = {
        .what = carom_loader_path(loader, "invariants.%s", value->name),
        .kinds = CAROM_KINDS_FIXED | CAROM_KIND(STATE),
        .hint =
            "an invariant is made of coordinates that have entries in rates, and of parameters"};
    bool equation = false;
    status = carom_loader_check_name(loader, map->keys[k], map->key_places[k], "an invariant");
    if (!status)
      status = carom_load_equation(loader, map->values[k], &rules, &value->node, &equation);
    if (!status) status = check_kept(loader, value, rules.what);
  }
  return status;
}
