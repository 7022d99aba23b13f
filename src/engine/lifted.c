// SPDX-License-Identifier: MIT
#include "engine/lifted.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const unsigned UNKNOWN =
    1u << CAROM_SYMBOL_ACCELERATION | 1u << CAROM_SYMBOL_STATE_RATE | 1u << CAROM_SYMBOL_OTHER;

static bool is_parameter(const carom_scenario *s, const char *name) {
  for (int k = 0; k < s->parameter_count; k++)
    if (strcmp(s->parameters[k].value.name, name) == 0) return true;
  return false;
}

// the symbol of a component of the state, by its name; 0: there is none
static carom_node state_symbol(const carom_scenario *s, const char *name) {
  for (int k = 0; k < carom_scenario_rates(s); k++) {
    const carom_coordinate *q = &s->coordinates[k];
    if (q->symbol && strcmp(q->name, name) == 0) return q->symbol;
    if (strcmp(carom_node_as_symbol(s->graph, q->rate)->name, name) == 0) return q->rate;
  }
  for (int k = 0; k < s->state_count; k++)
    if (strcmp(s->states[k].name, name) == 0) return s->states[k].symbol;
  return 0;
}

// its start value, as an expression of parameters
static carom_node state_start(const carom_scenario *s, carom_node symbol) {
  for (int k = 0; k < carom_scenario_rates(s); k++) {
    if (s->coordinates[k].symbol == symbol) return s->coordinates[k].start;
    if (s->coordinates[k].rate == symbol) return s->coordinates[k].start_rate;
  }
  for (int k = 0; k < s->state_count; k++)
    if (s->states[k].symbol == symbol) return s->states[k].start;
  return 0;
}

static carom_status load(const carom_model *model, int by_count, const char *const *by,
                         carom_lifted *it, carom_error *error) {
  const carom_scenario *original = model->scenario;
  if (!original || strcmp(original->engine, carom_hybrid_engine.name) != 0)
    return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                      "derivatives by inputs need a scenario of the engine 'hybrid'");
  char *text = carom_document_text(it->arena, original->document);
  const char **names = carom_arena_array(it->arena, (size_t)by_count + 1, sizeof *names);
  carom_model *made = carom_arena_take(it->arena, sizeof *made);
  if (!text || !names || !made) return carom_fail_memory(error);
  int count = 0;
  for (int k = 0; k < by_count; k++)
    if (is_parameter(original, by[k])) names[count++] = by[k];
  carom_arena *arena = carom_arena_create(NULL);
  made = arena ? carom_arena_take(arena, sizeof *made) : NULL;
  if (!made) {
    carom_arena_destroy(arena);
    return carom_fail_memory(error);
  }
  made->arena = arena;
  made->engine = &carom_hybrid_engine;
  it->model = made;
  carom_status status = carom_scenario_read(original->document->root->place.file, text, 0, NULL,
                                            NULL, &made->scenario, error);
  if (status == CAROM_OK) status = carom_scenario_lift(made->scenario, count, names, error);
  return status == CAROM_OK ? made->engine->prepare(made, error) : status;
}

// where the components of the state are among the symbols, as the engine orders them
static carom_status find_components(carom_lifted *it, carom_node **nodes, carom_error *error) {
  const carom_scenario *s = it->model->scenario;
  carom_simulation *simulation;
  carom_status status = carom_simulation_create(it->model, &simulation, error);
  if (status != CAROM_OK) return status;
  (void)carom_simulation_state(simulation, &it->size);
  it->symbol = carom_arena_array(it->arena, (size_t)it->size + 1, sizeof *it->symbol);
  *nodes = carom_arena_array(it->arena, (size_t)it->size + 1, sizeof **nodes);
  if (!it->symbol || !*nodes) status = carom_fail_memory(error);
  for (int i = 0; i < it->size && status == CAROM_OK; i++) {
    (*nodes)[i] = state_symbol(s, carom_simulation_column(simulation, i));
    it->symbol[i] = (*nodes)[i] ? carom_scenario_symbol_index(s, (*nodes)[i]) : -1;
  }
  carom_simulation_destroy(simulation);
  return status;
}

static carom_status differentiate(carom_lifted *it, carom_node value, const carom_node *states,
                                  bool reducers, carom_lifted_function *f, carom_error *error) {
  carom_scenario *s = it->model->scenario;
  *f = (carom_lifted_function){.value = value};
  f->slope = carom_arena_array(it->arena, (size_t)it->size + 1, sizeof *f->slope);
  if (reducers)
    f->reducer = carom_arena_array(it->arena, (size_t)it->reducer_count + 1, sizeof *f->reducer);
  if (!f->slope || (reducers && !f->reducer)) return carom_fail_memory(error);
  f->time = carom_node_derivative(s->graph, value, s->time);
  for (int i = 0; i < it->size; i++)
    if (states[i]) f->slope[i] = carom_node_derivative(s->graph, value, states[i]);
  for (int k = 0; k < it->reducer_count && reducers; k++)
    f->reducer[k] = carom_node_derivative(s->graph, value, s->measure.reducers[k].symbol);
  return carom_graph_status(s->graph) == CAROM_OK ? CAROM_OK : carom_fail_memory(error);
}

static carom_node find_output(const carom_scenario *s, const char *name) {
  for (int k = 0; k < s->measure.observable_count; k++)
    if (strcmp(s->measure.observables[k].name, name) == 0) return s->measure.observables[k].node;
  for (int k = 0; k < s->definitions.count; k++)
    if (strcmp(s->definitions.items[k].name, name) == 0) return s->definitions.items[k].node;
  return state_symbol(s, name);
}

static carom_status make_output(carom_lifted *it, const char *name, const carom_node *states,
                                carom_lifted_function *f, carom_error *error) {
  const carom_scenario *s = it->model->scenario;
  carom_node node = find_output(s, name);
  if (!node)
    return carom_fail(error, CAROM_ERR_ARGUMENT,
                      "'%s' is no observable, definition, coordinate, rate or state", name);
  if (carom_node_depends_kind(s->graph, node, UNKNOWN))
    return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                      "'%s' asks for accelerations or contact forces: their derivatives are not "
                      "computed",
                      name);
  for (int k = 0; k < it->reducer_count; k++) {
    const carom_reducer *r = &s->measure.reducers[k];
    if (!carom_node_depends(s->graph, node, r->symbol)) continue;
    bool extreme = r->kind == CAROM_REDUCE_MAX || r->kind == CAROM_REDUCE_MIN;
    if (extreme || r->kind == CAROM_REDUCE_AT)
      return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                        "'%s' uses max, min or at: derivatives are computed of mean, mean_rate, "
                        "last and count, and of what things are at the end",
                        name);
    if (r->value && carom_node_depends_kind(s->graph, r->value, UNKNOWN))
      return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                        "'%s' asks for accelerations or contact forces: their derivatives are not "
                        "computed",
                        name);
  }
  return differentiate(it, node, states, true, f, error);
}

static carom_status make_functions(carom_lifted *it, int of_count, const char *const *of,
                                   const carom_node *states, carom_error *error) {
  const carom_scenario *s = it->model->scenario;
  it->of_count = of_count;
  it->reducer_count = s->measure.reducer_count;
  it->outputs = carom_arena_array(it->arena, (size_t)of_count + 1, sizeof *it->outputs);
  it->reducers = carom_arena_array(it->arena, (size_t)it->reducer_count + 1, sizeof *it->reducers);
  if (!it->outputs || !it->reducers) return carom_fail_memory(error);
  carom_status status = CAROM_OK;
  for (int k = 0; k < it->reducer_count && status == CAROM_OK; k++)
    if (s->measure.reducers[k].value)
      status =
          differentiate(it, s->measure.reducers[k].value, states, false, &it->reducers[k], error);
  for (int k = 0; k < of_count && status == CAROM_OK; k++)
    status = make_output(it, of[k], states, &it->outputs[k], error);
  return status;
}

static carom_status make(const carom_model *model, int by_count, const char *const *by,
                         int of_count, const char *const *of, carom_lifted *it,
                         carom_error *error) {
  carom_node *states;
  carom_status status = load(model, by_count, by, it, error);
  if (status == CAROM_OK) status = find_components(it, &states, error);
  if (status != CAROM_OK) return status;
  const carom_scenario *s = it->model->scenario;
  for (int k = 0; k < by_count; k++)
    if (!is_parameter(s, by[k]) && !state_symbol(s, by[k]))
      return carom_fail(error, CAROM_ERR_ARGUMENT,
                        "'%s' is no parameter and no start value (a coordinate x, its rate x', a "
                        "state)",
                        by[k]);
  long failures = carom_arena_failures(it->arena);
  size_t inputs = (size_t)by_count + 1, number = sizeof(double);
  it->by_count = by_count;
  it->directions = carom_arena_array(it->arena, ((size_t)it->size + 1) * inputs, number);
  it->until.slope = carom_arena_array(it->arena, inputs, number);
  it->from.slope = carom_arena_array(it->arena, inputs, number);
  it->over.slope = carom_arena_array(it->arena, inputs, number);
  status = make_functions(it, of_count, of, states, error);
  // the graph does not grow from here on but by derivatives: it has all its symbols
  size_t symbols = (size_t)carom_graph_symbol_count(s->graph);
  it->values = carom_arena_array(it->arena, symbols + 1, number);
  if (carom_arena_failures(it->arena) != failures) return carom_fail_memory(error);
  return status;
}

carom_status carom_lifted_create(const carom_model *model, int by_count, const char *const *by,
                                 int of_count, const char *const *of, carom_lifted **lifted,
                                 carom_error *error) {
  carom_arena *arena = carom_arena_create(NULL);
  carom_lifted *it = arena ? carom_arena_take(arena, sizeof *it) : NULL;
  *lifted = NULL;
  if (!it) {
    carom_arena_destroy(arena);
    return carom_fail_memory(error);
  }
  it->arena = arena;
  carom_status status = make(model, by_count, by, of_count, of, it, error);
  if (status != CAROM_OK)
    carom_lifted_destroy(it);
  else
    *lifted = it;
  return status;
}

void carom_lifted_destroy(carom_lifted *lifted) {
  if (!lifted) return;
  carom_model_destroy(lifted->model);
  carom_arena_destroy(lifted->arena);
}

double carom_lifted_evaluate(const carom_lifted *lifted, carom_node node) {
  return node ? carom_node_evaluate(lifted->model->scenario->graph, node, lifted->values, NULL)
              : 0.0;
}

// ---- the start

// d node / d input, of an expression of parameters
static double slope_by(carom_lifted *it, carom_node node, const char *by) {
  carom_scenario *s = it->model->scenario;
  for (int k = 0; k < s->parameter_count && node; k++) {
    if (strcmp(s->parameters[k].value.name, by) != 0) continue;
    carom_node free = carom_scenario_written_out(s, node);
    return carom_lifted_evaluate(it,
                                 carom_node_derivative(s->graph, free, s->parameters[k].symbol));
  }
  return 0.0;
}

static bool is_given(const char *name, int count, const carom_value *values) {
  for (int k = 0; k < count; k++)
    if (strcmp(values[k].name, name) == 0) return true;
  return false;
}

static void start_directions(carom_lifted *it, int j, const char *by, int count,
                             const carom_value *values) {
  const carom_scenario *s = it->model->scenario;
  for (int i = 0; i < it->size; i++) {
    double *entry = &it->directions[i * it->by_count + j];
    *entry = 0.0;
    if (it->symbol[i] < 0) continue;
    const carom_symbol *symbol = carom_graph_symbol(s->graph, it->symbol[i]);
    if (strcmp(symbol->name, by) == 0)
      *entry = 1.0;
    else if (!is_given(symbol->name, count, values) && is_parameter(s, by))
      *entry = slope_by(it, state_start(s, symbol->node), by);
  }
}

static void start_time(carom_lifted *it, carom_node node, double otherwise, int by_count,
                       const char *const *by, carom_lifted_time *time) {
  time->at = node ? carom_lifted_evaluate(it, node) : otherwise;
  for (int j = 0; j < by_count; j++)
    time->slope[j] = node ? slope_by(it, node, by[j]) : 0.0;
}

// A parameter that is computed from others and was set by hand no longer depends on them.
static carom_status set_values(carom_lifted *it, int count, const carom_value *values,
                               carom_error *error) {
  carom_scenario *s = it->model->scenario;
  double *given = carom_arena_array(it->arena, (size_t)s->parameter_count + 1, sizeof *given);
  if (!given) return carom_fail_memory(error);
  for (int k = 0; k < s->parameter_count; k++) {
    double number;
    given[k] = NAN;
    for (int j = 0; j < count; j++) {
      if (strcmp(values[j].name, s->parameters[k].value.name) != 0) continue;
      given[k] = values[j].value;
      if (!carom_node_is_constant(s->graph, s->parameters[k].value.node, &number))
        return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                          "'%s' is computed from other parameters: set it in the scenario instead",
                          values[j].name);
    }
  }
  return carom_scenario_values(s, given, it->values, error);
}

carom_status carom_lifted_start(carom_lifted *it, int by_count, const char *const *by,
                                int value_count, const carom_value *values, carom_error *error) {
  const carom_scenario *s = it->model->scenario;
  carom_status status = set_values(it, value_count, values, error);
  if (status != CAROM_OK) return status;
  for (int j = 0; j < by_count; j++) {
    start_directions(it, j, by[j], value_count, values);
    if (s->run.start && slope_by(it, s->run.start, by[j]) != 0.0)
      return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                        "run.start depends on '%s': derivatives by it are not computed", by[j]);
  }
  double start = s->run.start ? carom_lifted_evaluate(it, s->run.start) : 0.0;
  start_time(it, s->run.until, start, by_count, by, &it->until);
  start_time(it, s->measure.after.node, start, by_count, by, &it->from);
  start_time(it, s->measure.over.node, (double)NAN, by_count, by, &it->over);
  return carom_graph_status(s->graph) == CAROM_OK ? CAROM_OK : carom_fail_memory(error);
}

// ---- along the motion

void carom_lifted_place(carom_lifted *it, double t, const double *y) {
  it->values[carom_scenario_symbol_index(it->model->scenario, it->model->scenario->time)] = t;
  for (int i = 0; i < it->size; i++)
    if (it->symbol[i] >= 0) it->values[it->symbol[i]] = y[i];
}

carom_reduction carom_lifted_reduction(const carom_lifted *it, int k, int *component) {
  const carom_scenario *s = it->model->scenario;
  char name[24];
  (void)snprintf(name, sizeof name, "mean~%d", k);
  *component = -1;
  for (int i = 0; i < it->size; i++)
    if (it->symbol[i] >= 0 && strcmp(carom_graph_symbol(s->graph, it->symbol[i])->name, name) == 0)
      *component = i;
  return s->measure.reducers[k].kind;
}

void carom_lifted_reduced(carom_lifted *it, int k, double value) {
  const carom_scenario *s = it->model->scenario;
  it->values[carom_scenario_symbol_index(s, s->measure.reducers[k].symbol)] = value;
}
