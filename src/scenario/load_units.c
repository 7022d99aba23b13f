// SPDX-License-Identifier: MIT
// Where units are written, what follows from them: the dimension of every node of the graph, in
// order, and again until symbols that stand for others (parameters made of parameters) have theirs.
// Sums of different units and energies that are none are mistakes; what has no unit is left alone.
#include "scenario/load.h"
#include "scenario/units.h"
#include "symbolic/parse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ROUNDS = 50, LONGEST_SHOWN = 60 };

typedef struct sizing {
  carom_loader *loader;
  carom_graph *graph;
  carom_node count;            // of nodes
  carom_dimension *dimensions; // of nodes; those of symbols are set from outside
  carom_node *culprits;        // the node at fault in or below a node, 0: none
} sizing;

static const carom_dimension ANY = {.kind = CAROM_UNIT_ANY};

static bool is_known(carom_dimension d) { return d.kind == CAROM_UNIT_KNOWN; }

static bool is_pure(carom_dimension d) { return !is_known(d) || carom_dimension_same(d, ANY); }

// of a written value: its own unit, else that of its node
static carom_dimension of_value(const sizing *it, const carom_yaml *value, carom_node node) {
  carom_dimension own = ANY;
  char text[256];
  carom_unit_doubt doubt;
  if (value && value->kind == CAROM_YAML_SCALAR && !value->quoted &&
      carom_units_read(value->text, &own, text, sizeof text, &doubt))
    return own;
  return node > 0 && node <= it->count ? it->dimensions[node] : ANY;
}

// ---- one node

// both sides of a sum; false: they differ
static bool join_dimensions(carom_dimension a, carom_dimension b, carom_dimension *sum) {
  *sum = is_known(a) ? a : is_known(b) ? b : a.kind == CAROM_UNIT_ANY ? a : b;
  return !is_known(a) || !is_known(b) || carom_dimension_same(a, b);
}

static carom_dimension power_of(carom_dimension base, double exponent) {
  if (!is_known(base)) return base;
  for (int k = 0; k < CAROM_DIMENSIONS; k++) {
    double wanted = base.exponents[k] * exponent;
    if (wanted != floor(wanted) || fabs(wanted) > 1000.0) return ANY;
    base.exponents[k] = (short)wanted;
  }
  return base;
}

static carom_dimension of_power(const sizing *it, carom_dimension base, carom_node exponent,
                                bool *good) {
  double value = 0.0;
  if (carom_node_is_constant(it->graph, exponent, &value)) return power_of(base, value);
  *good = is_pure(it->dimensions[exponent]);
  return is_pure(base) && is_known(base) ? base : ANY;
}

static carom_dimension of_constant(const carom_graph *g, carom_node node) {
  int code = carom_node_measure(g, node);
  if (code < 0) return (carom_dimension){.kind = CAROM_UNIT_NUMBER};
  return carom_dimension_of_code(code);
}

static carom_dimension of_operation(const sizing *it, carom_node node, bool *good) {
  carom_graph *g = it->graph;
  carom_op op = carom_node_op(g, node);
  carom_dimension d[3] = {ANY, ANY, ANY}, sum = ANY, pure = carom_unit("");
  for (int k = 0; k < 3; k++)
    if (carom_node_operand(g, node, k)) d[k] = it->dimensions[carom_node_operand(g, node, k)];
  switch (op) {
  case CAROM_OP_CONST: return of_constant(g, node);
  case CAROM_OP_SYMBOL: return it->dimensions[node];
  case CAROM_OP_ADD:
  case CAROM_OP_SUB:
  case CAROM_OP_MIN:
  case CAROM_OP_MAX:
  case CAROM_OP_MOD:
  case CAROM_OP_HYPOT: *good = join_dimensions(d[0], d[1], &sum); return sum;
  case CAROM_OP_LT:
  case CAROM_OP_LE:
  case CAROM_OP_GT:
  case CAROM_OP_GE:
  case CAROM_OP_EQ:
  case CAROM_OP_NE:
  case CAROM_OP_ATAN2: *good = join_dimensions(d[0], d[1], &sum); return pure;
  case CAROM_OP_IF: *good = join_dimensions(d[1], d[2], &sum); return sum;
  case CAROM_OP_NEG:
  case CAROM_OP_ABS: return d[0];
  case CAROM_OP_MUL: return carom_dimension_times(d[0], d[1], 1);
  case CAROM_OP_DIV: return carom_dimension_times(d[0], d[1], -1);
  case CAROM_OP_POW: return of_power(it, d[0], carom_node_operand(g, node, 1), good);
  case CAROM_OP_SQRT: return power_of(d[0], 0.5);
  case CAROM_OP_CBRT: return power_of(d[0], 1.0 / 3.0);
  case CAROM_OP_SIGN: return pure;
  case CAROM_OP_EXP:
  case CAROM_OP_LOG:
  case CAROM_OP_SIN:
  case CAROM_OP_COS:
  case CAROM_OP_TAN:
  case CAROM_OP_ASIN:
  case CAROM_OP_ACOS:
  case CAROM_OP_ATAN:
  case CAROM_OP_SINH:
  case CAROM_OP_COSH:
  case CAROM_OP_TANH:
  case CAROM_OP_FLOOR: *good = is_pure(d[0]); return pure;
  default: return ANY;
  }
}

static void size_nodes(sizing *it) {
  for (carom_node node = 1; node <= it->count; node++) {
    bool good = true;
    it->dimensions[node] = of_operation(it, node, &good);
    carom_node culprit = good ? 0 : node;
    for (int k = 0; k < 3 && !culprit; k++) {
      carom_node operand = carom_node_operand(it->graph, node, k);
      if (operand) culprit = it->culprits[operand];
    }
    it->culprits[node] = culprit;
  }
}

// ---- symbols

static void set_dimension(sizing *it, carom_node symbol, carom_dimension dimension, bool *changed) {
  if (!symbol || !is_known(dimension)) return;
  *changed = *changed || !is_known(it->dimensions[symbol]);
  it->dimensions[symbol] = dimension;
}

static carom_dimension per_time(carom_dimension d) {
  return is_known(d) ? carom_dimension_times(d, carom_unit("s"), -1) : d;
}

static const carom_yaml *find_entry(const sizing *it, const char *section, const char *name) {
  return carom_yaml_get(carom_yaml_get(it->loader->document->root, section), name);
}

// what is written of a state: coordinates whose rates are given stand among the coordinates
static const carom_yaml *start_of(const sizing *it, const carom_state *z) {
  const carom_yaml *value = find_entry(it, "states", z->name);
  if (!value) value = find_entry(it, "coordinates", z->name);
  bool whole = value && value->kind == CAROM_YAML_MAP;
  return whole ? carom_loader_get(value, "start") : value;
}

static void size_coordinate(sizing *it, int k, bool *changed) {
  const carom_coordinate *q = &it->loader->scenario->coordinates[k];
  if (!q->symbol) {
    carom_dimension speed = of_value(it, find_entry(it, "speeds", q->name), q->start_rate);
    set_dimension(it, q->rate, speed, changed);
    set_dimension(it, q->acceleration, per_time(speed), changed);
    return;
  }
  const carom_yaml *value = find_entry(it, "coordinates", q->name);
  bool whole = value && value->kind == CAROM_YAML_MAP;
  carom_dimension own = of_value(it, whole ? carom_loader_get(value, "start") : value, q->start);
  carom_dimension rate =
      of_value(it, whole ? carom_loader_get(value, "rate") : NULL, q->start_rate);
  if (!is_known(own) && is_known(rate)) own = carom_dimension_times(rate, carom_unit("s"), 1);
  set_dimension(it, q->symbol, own, changed);
  set_dimension(it, q->rate, per_time(own), changed);
  set_dimension(it, q->acceleration, per_time(per_time(own)), changed);
}

static void size_contact(sizing *it, const carom_contact *c, bool *changed) {
  carom_dimension gap = c->load.node ? carom_unit("m") : of_value(it, NULL, c->gap.node);
  carom_dimension slip = c->slip.node ? of_value(it, NULL, c->slip.node) : ANY;
  carom_dimension normal = is_known(gap) ? carom_dimension_times(carom_unit("J"), gap, -1) : ANY;
  carom_dimension grip = is_known(slip) ? carom_dimension_times(carom_unit("W"), slip, -1) : ANY;
  set_dimension(it, c->normal_force, normal, changed);
  set_dimension(it, c->slip_speed, slip, changed);
  set_dimension(it, c->tangential_force, grip, changed);
}

static carom_dimension of_reducer(const sizing *it, const carom_reducer *r) {
  if (r->kind == CAROM_REDUCE_COUNT) return carom_unit("");
  carom_dimension value = of_value(it, NULL, r->value);
  return r->kind == CAROM_REDUCE_MEAN_RATE ? per_time(value) : value;
}

static bool size_symbols(sizing *it) {
  const carom_scenario *s = it->loader->scenario;
  bool changed = false;
  const carom_yaml *map = carom_yaml_get(it->loader->document->root, "parameters");
  set_dimension(it, s->time, carom_unit("s"), &changed);
  for (int k = 0; k < s->parameter_count; k++) {
    const carom_parameter *p = &s->parameters[k];
    const carom_yaml *written = map && k < map->count ? map->values[k] : NULL;
    set_dimension(it, p->symbol, of_value(it, written, p->value.node), &changed);
  }
  for (int k = 0; k < carom_scenario_rates(s); k++)
    size_coordinate(it, k, &changed);
  for (int k = 0; k < s->state_count; k++) {
    const carom_state *z = &s->states[k];
    carom_dimension own = of_value(it, start_of(it, z), z->start);
    set_dimension(it, z->symbol, own, &changed);
    set_dimension(it, z->rate, per_time(own), &changed);
  }
  for (int k = 0; k < s->contact_count; k++)
    size_contact(it, &s->contacts[k], &changed);
  for (int k = 0; k < s->measure.reducer_count; k++)
    set_dimension(it, s->measure.reducers[k].symbol, of_reducer(it, &s->measure.reducers[k]),
                  &changed);
  return changed;
}

// ---- mistakes

static const char *dimension_text(const sizing *it, carom_node node,
                                  char text[CAROM_UNIT_ROOM + 80]) {
  char unit[CAROM_UNIT_ROOM];
  const char *written = carom_node_text(it->loader->arena, it->graph, node, LONGEST_SHOWN);
  carom_units_write(it->dimensions[node], unit, sizeof unit);
  (void)snprintf(text, CAROM_UNIT_ROOM + 80, "%.80s (%s)", written ? written : "",
                 unit[0] ? unit : "a pure number");
  return text;
}

static carom_status fail_units(const sizing *it, const char *what, carom_place place,
                               carom_node culprit) {
  carom_op op = carom_node_op(it->graph, culprit);
  int first = op == CAROM_OP_IF ? 1 : 0;
  char a[CAROM_UNIT_ROOM + 80], b[CAROM_UNIT_ROOM + 80];
  dimension_text(it, carom_node_operand(it->graph, culprit, first), a);
  if (carom_op_arity(op) == 1)
    return carom_fail_at(it->loader->error, CAROM_ERR_INPUT, place,
                         "units in %s: %s of %s; it takes a pure number: multiply by a parameter "
                         "that has the other unit (w: 1 rad/s)",
                         what, carom_op_name(op), a);
  if (op == CAROM_OP_POW)
    return carom_fail_at(it->loader->error, CAROM_ERR_INPUT, place,
                         "units in %s: an exponent must be a pure number", what);
  dimension_text(it, carom_node_operand(it->graph, culprit, first + 1), b);
  return carom_fail_at(it->loader->error, CAROM_ERR_INPUT, place,
                       "units in %s: %s and %s cannot be added or compared", what, a, b);
}

// an expression whose unit must be the expected one, where both are known (ANY: no expectation)
static carom_status check_unit(const sizing *it, const char *what, carom_place place,
                               const carom_yaml *value, carom_node node, carom_dimension expected) {
  if (!node || node > it->count) return CAROM_OK;
  if (it->culprits[node]) return fail_units(it, what, place, it->culprits[node]);
  carom_dimension found = of_value(it, value, node);
  if (!is_known(expected) || !is_known(found) || carom_dimension_same(found, expected))
    return CAROM_OK;
  char is[CAROM_UNIT_ROOM], wanted[CAROM_UNIT_ROOM];
  carom_units_write(found, is, sizeof is);
  carom_units_write(expected, wanted, sizeof wanted);
  return carom_fail_at(
      it->loader->error, CAROM_ERR_INPUT, place,
      "units: %s is in %s; expected is %s. A number in a product has no unit: make "
      "it a parameter with one",
      what, is[0] ? is : "pure numbers", wanted[0] ? wanted : "a pure number");
}

static carom_status check_quantity(const sizing *it, const char *what, const carom_quantity *q,
                                   const char *unit) {
  return check_unit(it, what, q->place, NULL, q->node, unit ? carom_unit(unit) : ANY);
}

static carom_status check_motion(const sizing *it) {
  carom_loader *loader = it->loader;
  const carom_scenario *s = loader->scenario;
  carom_status status = check_quantity(it, "energy.kinetic", &s->energies.kinetic, "J");
  if (!status) status = check_quantity(it, "energy.potential", &s->energies.potential, "J");
  if (!status) status = check_quantity(it, "energy.dissipation", &s->energies.dissipation, "W");
  for (int k = 0; !status && k < s->coordinate_count; k++) {
    const carom_coordinate *q = &s->coordinates[k];
    const carom_yaml *value = find_entry(it, "coordinates", q->name);
    const carom_yaml *rate =
        value && value->kind == CAROM_YAML_MAP ? carom_loader_get(value, "rate") : NULL;
    carom_dimension own = it->dimensions[q->symbol];
    carom_dimension force = is_known(own) ? carom_dimension_times(carom_unit("J"), own, -1) : ANY;
    const char *what = carom_loader_path(loader, "the rate of %s", q->name);
    status =
        check_unit(it, what, rate ? rate->place : q->place, rate, q->start_rate, per_time(own));
    const char *acting = carom_loader_path(loader, "forces.%s", q->name);
    const carom_yaml *written =
        carom_yaml_get(carom_yaml_get(loader->document->root, "forces"), q->name);
    if (!status)
      status =
          check_unit(it, acting, written ? written->place : q->place, written, q->force, force);
  }
  for (int k = 0; !status && k < s->state_count; k++) {
    const carom_state *z = &s->states[k];
    const char *what = carom_loader_path(loader, "the rate of %s", z->name);
    status = check_unit(it, what, z->place, NULL, z->equation, per_time(it->dimensions[z->symbol]));
  }
  return status;
}

static carom_status check_contacts(const sizing *it) {
  const carom_scenario *s = it->loader->scenario;
  carom_status status = CAROM_OK;
  for (int k = 0; !status && k < s->contact_count; k++) {
    const carom_contact *c = &s->contacts[k];
    status = check_quantity(it, c->gap.name, &c->gap, NULL);
    if (!status) status = check_quantity(it, c->load.name, &c->load, "N");
    if (!status) status = check_quantity(it, c->slip.name, &c->slip, NULL);
    const carom_node numbers[] = {c->stick, c->slide, c->restitution};
    for (int j = 0; !status && j < 3; j++)
      status =
          check_unit(it, carom_loader_path(it->loader, "a coefficient of contacts.%s", c->name),
                     c->place, NULL, numbers[j], carom_unit(""));
  }
  for (int k = 0; !status && k < s->constraint_count; k++)
    status = check_quantity(it, s->constraints[k].value.name, &s->constraints[k].value, NULL);
  return status;
}

static carom_status check_rules(const sizing *it, const char *section,
                                const carom_event_rule *rules, int count) {
  carom_status status = CAROM_OK;
  for (int k = 0; !status && k < count; k++) {
    const carom_event_rule *r = &rules[k];
    const char *what = carom_loader_path(it->loader, "%s.%s", section, r->name ? r->name : "if");
    status = check_unit(it, what, r->place, NULL, r->trigger.when.node, ANY);
    if (!status) status = check_unit(it, what, r->place, NULL, r->condition, ANY);
    const carom_yaml *written =
        r->assignment_count ? carom_loader_get(find_entry(it, section, r->name), "do") : NULL;
    for (int j = 0; !status && j < r->assignment_count; j++) {
      const carom_assignment *a = &r->assignments[j];
      status = check_unit(it, carom_loader_path(it->loader, "%s.do.%s", what, written->keys[j]),
                          a->place, written->values[j], a->value, it->dimensions[a->symbol]);
    }
  }
  return status;
}

// conditions: of events, of what exists while they hold, and of regimes
static carom_status check_conditions(const sizing *it) {
  const carom_scenario *s = it->loader->scenario;
  const carom_rule_lists *lists = &s->rules;
  carom_status status = check_rules(it, "events", lists->events, lists->event_count);
  if (!status) status = check_rules(it, "sections", lists->sections, lists->section_count);
  if (!status) status = check_rules(it, "stop", lists->stops, lists->stop_count);
  for (int k = 0; !status && k < s->contact_count; k++)
    status = check_unit(it, carom_loader_path(it->loader, "contacts.%s.when", s->contacts[k].name),
                        s->contacts[k].place, NULL, s->contacts[k].presence.when, ANY);
  for (int k = 0; !status && k < s->constraint_count; k++)
    status = check_unit(it, carom_loader_path(it->loader, "%s.when", s->constraints[k].value.name),
                        s->constraints[k].value.place, NULL, s->constraints[k].presence.when, ANY);
  for (int k = 0; !status && k < s->measure.regime_count; k++)
    status = check_unit(it, carom_loader_path(it->loader, "regimes.%s", s->measure.regimes[k].name),
                        s->measure.regimes[k].place, NULL, s->measure.regimes[k].condition, ANY);
  return status;
}

static carom_status check_run(const sizing *it) {
  const carom_run_settings *run = &it->loader->scenario->run;
  const carom_yaml *map = carom_yaml_get(it->loader->document->root, "run");
  const struct {
    const char *key;
    carom_node node;
  } times[] = {{"until", run->until},
               {"start", run->start},
               {"sample", run->sample},
               {"h_max", run->h_max},
               {"period", run->period}};
  carom_status status = CAROM_OK;
  for (size_t k = 0; !status && k < sizeof times / sizeof *times; k++) {
    const carom_yaml *value = carom_loader_get(map, times[k].key);
    if (value)
      status = check_unit(it, carom_loader_path(it->loader, "run.%s", times[k].key), value->place,
                          value, times[k].node, carom_unit("s"));
  }
  return status;
}

static carom_status check_all(const sizing *it) {
  const carom_scenario *s = it->loader->scenario;
  carom_status status = CAROM_OK;
  for (int k = 0; !status && k < s->parameter_count; k++)
    status = check_quantity(it, s->parameters[k].value.name, &s->parameters[k].value, NULL);
  for (int k = 0; !status && k < s->definitions.count; k++)
    status = check_quantity(it, s->definitions.items[k].name, &s->definitions.items[k], NULL);
  if (!status) status = check_motion(it);
  if (!status) status = check_contacts(it);
  if (!status) status = check_conditions(it);
  if (!status) status = check_run(it);
  for (int k = 0; !status && k < s->measure.observable_count; k++)
    status = check_quantity(it, s->measure.observables[k].name, &s->measure.observables[k], NULL);
  return status;
}

carom_status carom_load_units(carom_loader *loader) {
  carom_scenario *s = loader->scenario;
  if (!loader->units_written || s->described.field || s->described.grains) return CAROM_OK;
  sizing it = {.loader = loader,
               .graph = loader->graph,
               .count = (carom_node)carom_graph_count(loader->graph)};
  size_t room = (size_t)it.count + 1;
  it.dimensions = carom_arena_array(loader->arena, room, sizeof *it.dimensions);
  it.culprits = carom_arena_array(loader->arena, room, sizeof *it.culprits);
  if (!it.dimensions || !it.culprits) return carom_fail_memory(loader->error);
  for (int round = 0; round < MOST_ROUNDS; round++) {
    bool changed = size_symbols(&it);
    size_nodes(&it);
    if (!changed) break;
  }
  s->measure.units = (carom_node_units){it.dimensions, it.count};
  return check_all(&it);
}

bool carom_scenario_unit(const carom_scenario *s, carom_node node, char *text, size_t room) {
  text[0] = 0;
  const carom_node_units *units = &s->measure.units;
  if (!units->dimensions || node < 1 || node > units->count) return false;
  carom_units_write(units->dimensions[node], text, room);
  return text[0] != 0;
}
