// SPDX-License-Identifier: MIT
/// Parameters as constants of the motion, z' = 0, for derivatives by them.
#include "engine/lifted.h"

#include <stdio.h>
#include <string.h>

/// Symbols and what replaces them.
typedef struct exchange {
  carom_graph *graph;
  int count;
  carom_node *from, *to;
} exchange;

static void replace_node(const exchange *e, carom_node *node) {
  if (*node) *node = carom_node_substitute(e->graph, *node, e->count, e->from, e->to);
}

static void replace_rules(const exchange *e, int count, carom_event_rule *rules) {
  for (int k = 0; k < count; k++) {
    replace_node(e, &rules[k].trigger.when.node);
    replace_node(e, &rules[k].condition);
    for (int j = 0; j < rules[k].assignment_count; j++)
      replace_node(e, &rules[k].assignments[j].value);
  }
}

static void replace_contact(const exchange *e, carom_contact *c) {
  replace_node(e, &c->gap.node);
  replace_node(e, &c->apart);
  replace_node(e, &c->presence.when);
  replace_node(e, &c->load.node);
  replace_node(e, &c->slip.node);
  replace_node(e, &c->space.slip.node);
  replace_node(e, &c->space.speed);
  replace_node(e, &c->tangential.node);
#define X(name) replace_node(e, &c->name);
  CAROM_CONTACT_NUMBERS(X)
#undef X
}

// all that the motion and what is observed of it are made of
static void replace_all(const exchange *e, carom_scenario *s) {
  for (int k = 0; k < carom_scenario_rates(s); k++)
    replace_node(e, &s->coordinates[k].force);
  for (int k = 0; k < s->state_count; k++) {
    replace_node(e, &s->states[k].equation);
    replace_node(e, &s->states[k].force);
  }
  for (int k = 0; k < s->definitions.count; k++)
    replace_node(e, &s->definitions.items[k].node);
  for (int k = 0; k < s->kinematics.invariant_count; k++)
    replace_node(e, &s->kinematics.invariants[k].node);
  replace_node(e, &s->energies.kinetic.node);
  replace_node(e, &s->energies.potential.node);
  replace_node(e, &s->energies.dissipation.node);
  for (int k = 0; k < s->constraint_count; k++) {
    replace_node(e, &s->constraints[k].value.node);
    replace_node(e, &s->constraints[k].presence.when);
  }
  for (int k = 0; k < s->contact_count; k++)
    replace_contact(e, &s->contacts[k]);
  replace_rules(e, s->rules.section_count, s->rules.sections);
  replace_rules(e, s->rules.stop_count, s->rules.stops);
  replace_rules(e, s->rules.event_count, s->rules.events);
  for (int k = 0; k < s->measure.observable_count; k++)
    replace_node(e, &s->measure.observables[k].node);
  for (int k = 0; k < s->measure.reducer_count; k++)
    replace_node(e, &s->measure.reducers[k].value);
  for (int k = 0; k < s->measure.regime_count; k++)
    replace_node(e, &s->measure.regimes[k].condition);
}

static int find_parameter(const carom_scenario *s, const char *name) {
  for (int k = 0; k < s->parameter_count; k++)
    if (strcmp(s->parameters[k].value.name, name) == 0) return k;
  return -1;
}

// one more state behind the others; there is room for it
static carom_status add_state(carom_scenario *s, const char *name, carom_node start,
                              carom_node equation, carom_error *error) {
  size_t room = strlen(name) + 2;
  char *rate = carom_arena_take(s->arena, room);
  if (!rate) return carom_fail_memory(error);
  (void)snprintf(rate, room, "%s'", name);
  carom_state *z = &s->states[s->state_count];
  *z = (carom_state){.name = name, .start = start, .equation = equation};
  z->symbol = carom_node_symbol(s->graph, name, CAROM_SYMBOL_STATE);
  z->rate = carom_node_symbol(s->graph, rate, CAROM_SYMBOL_STATE_RATE);
  if (!z->symbol || !z->rate) return carom_fail_memory(error);
  s->state_count++;
  s->kinematics.lifted++;
  return CAROM_OK;
}

static carom_status lift_parameter(carom_scenario *s, const char *name, exchange *e,
                                   carom_error *error) {
  int k = find_parameter(s, name);
  if (k < 0)
    return carom_fail(error, CAROM_ERR_ARGUMENT, "'%s' is no parameter of the scenario", name);
  if (carom_scenario_counts_by(s, name))
    return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                      "'%s' says how many members a family has: nothing has a derivative by it",
                      name);
  size_t room = strlen(name) + 2;
  char *own = carom_arena_take(s->arena, room);
  if (!own) return carom_fail_memory(error);
  (void)snprintf(own, room, "%s~", name);
  carom_status status =
      add_state(s, own, s->parameters[k].symbol, carom_node_constant(s->graph, 0.0), error);
  if (status != CAROM_OK) return status;
  e->from[e->count] = s->parameters[k].symbol;
  e->to[e->count++] = s->states[s->state_count - 1].symbol;
  return CAROM_OK;
}

// parameters computed from lifted ones, in the order in which they are computed
static void write_out_dependent(carom_scenario *s, exchange *e) {
  int lifted = e->count;
  for (int k = 0; k < s->parameter_count; k++) {
    bool depends = false, is_lifted = false;
    for (int j = 0; j < e->count; j++) {
      is_lifted = is_lifted || (j < lifted && e->from[j] == s->parameters[k].symbol);
      depends = depends || carom_node_depends(s->graph, s->parameters[k].value.node, e->from[j]);
    }
    if (!depends || is_lifted) continue;
    e->to[e->count] =
        carom_node_substitute(s->graph, s->parameters[k].value.node, e->count, e->from, e->to);
    e->from[e->count++] = s->parameters[k].symbol;
  }
}

// what a quadrature can integrate: a function of time and state
static bool of_state(const carom_graph *graph, carom_node node) {
  unsigned others = 1u << CAROM_SYMBOL_ACCELERATION | 1u << CAROM_SYMBOL_STATE_RATE |
                    1u << CAROM_SYMBOL_OTHER | 1u << CAROM_SYMBOL_REDUCER;
  return !carom_node_depends_kind(graph, node, others);
}

static carom_status add_means(carom_scenario *s, carom_error *error) {
  for (int k = 0; k < s->measure.reducer_count; k++) {
    const carom_reducer *r = &s->measure.reducers[k];
    if (r->kind != CAROM_REDUCE_MEAN || !of_state(s->graph, r->value)) continue;
    char *name = carom_arena_take(s->arena, 24);
    if (!name) return carom_fail_memory(error);
    (void)snprintf(name, 24, "mean~%d", k);
    carom_status status = add_state(s, name, carom_node_constant(s->graph, 0.0), r->value, error);
    if (status != CAROM_OK) return status;
  }
  return CAROM_OK;
}

carom_status carom_scenario_lift(carom_scenario *s, int count, const char *const *names,
                                 carom_error *error) {
  int room = s->state_count + count + s->measure.reducer_count;
  carom_state *states = carom_arena_array(s->arena, (size_t)room + 1, sizeof *states);
  size_t most = (size_t)(count + s->parameter_count) + 1;
  exchange e = {.graph = s->graph,
                .from = carom_arena_array(s->arena, most, sizeof *e.from),
                .to = carom_arena_array(s->arena, most, sizeof *e.to)};
  if (!states || !e.from || !e.to) return carom_fail_memory(error);
  if (s->state_count > 0) memcpy(states, s->states, (size_t)s->state_count * sizeof *states);
  s->states = states;
  for (int k = 0; k < count; k++) {
    carom_status status = lift_parameter(s, names[k], &e, error);
    if (status != CAROM_OK) return status;
  }
  write_out_dependent(s, &e);
  replace_all(&e, s);
  carom_status status = add_means(s, error);
  if (status == CAROM_OK && carom_graph_status(s->graph) != CAROM_OK)
    status = carom_fail_memory(error);
  return status;
}

carom_status carom_scenario_lift_as(carom_scenario *s, const carom_scenario *original,
                                    carom_error *error) {
  int lifted = original->kinematics.lifted, count = 0;
  if (lifted == 0) return CAROM_OK;
  const char **names = carom_arena_array(s->arena, (size_t)lifted, sizeof *names);
  if (!names) return carom_fail_memory(error);
  for (int k = original->state_count - lifted; k < original->state_count; k++) {
    const char *own = original->states[k].name;
    char *name = carom_arena_take(s->arena, strlen(own) + 1);
    if (!name) return carom_fail_memory(error);
    memcpy(name, own, strlen(own));
    name[strlen(own) - 1] = 0; // without its mark
    if (own[strlen(own) - 1] == '~') names[count++] = name;
  }
  return carom_scenario_lift(s, count, names, error);
}

carom_node carom_scenario_written_out(carom_scenario *s, carom_node node, carom_node kept) {
  for (int k = s->parameter_count - 1; k >= 0; k--) {
    double number;
    if (s->parameters[k].symbol == kept) continue;
    if (carom_node_is_constant(s->graph, s->parameters[k].value.node, &number)) continue;
    node = carom_node_substitute(s->graph, node, 1, &s->parameters[k].symbol,
                                 &s->parameters[k].value.node);
  }
  return node;
}

// d node / d symbol times the symbol's rate, added to what is there
static carom_node add_change(carom_graph *g, carom_node sum, carom_node node, carom_node symbol,
                             carom_node rate) {
  if (!symbol || !rate || !carom_node_depends(g, node, symbol)) return sum;
  return carom_add(g, sum, carom_mul(g, carom_node_derivative(g, node, symbol), rate));
}

// the rate of an expression of time and state
static carom_node rate_of(carom_scenario *s, carom_node node) {
  carom_node sum = carom_node_derivative(s->graph, node, s->time);
  for (int k = 0; k < carom_scenario_rates(s); k++) {
    const carom_coordinate *q = &s->coordinates[k];
    sum = add_change(s->graph, sum, node, q->symbol, q->rate);
    sum = add_change(s->graph, sum, node, q->rate, q->acceleration);
  }
  for (int k = 0; k < s->state_count; k++) {
    const carom_state *z = &s->states[k];
    sum = add_change(s->graph, sum, node, z->symbol, z->equation ? z->equation : z->rate);
  }
  return sum;
}

carom_status carom_scenario_watch_peak(carom_scenario *s, int k, carom_error *error) {
  const carom_reducer *r = &s->measure.reducers[k];
  int count = s->rules.section_count;
  carom_event_rule *sections = carom_arena_array(s->arena, (size_t)count + 1, sizeof *sections);
  char *name = carom_arena_take(s->arena, 24);
  if (!sections || !name) return carom_fail_memory(error);
  if (count > 0) memcpy(sections, s->rules.sections, (size_t)count * sizeof *sections);
  (void)snprintf(name, 24, "peak~%d", k);
  carom_trigger when = {.when = {.name = name, .node = rate_of(s, r->value), .place = r->place},
                        .direction = r->kind == CAROM_REDUCE_MAX ? -1 : 1};
  sections[count] = (carom_event_rule){.name = name, .trigger = when, .place = r->place};
  s->rules.sections = sections;
  s->rules.section_count++;
  return carom_graph_status(s->graph) == CAROM_OK ? CAROM_OK : carom_fail_memory(error);
}
