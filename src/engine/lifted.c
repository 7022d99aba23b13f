// SPDX-License-Identifier: MIT
#include "engine/lifted.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const unsigned UNKNOWN =
    1u << CAROM_SYMBOL_ACCELERATION | 1u << CAROM_SYMBOL_STATE_RATE | 1u << CAROM_SYMBOL_OTHER;

enum { START_ROUNDS = 16 };
static const double START_STEP = 1e-3, LEAST_SIZE = 0.1, SHRINK = 0.125; // of an input
static const double ROUNDING = 1e-14;          // of a start that constraints make
static const double GOOD = 1e-12, NEAR = 1e-3; // of a slope

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

static carom_node find_output(const carom_scenario *s, const char *name) {
  for (int k = 0; k < s->measure.observable_count; k++)
    if (strcmp(s->measure.observables[k].name, name) == 0) return s->measure.observables[k].node;
  for (int k = 0; k < s->definitions.count; k++)
    if (strcmp(s->definitions.items[k].name, name) == 0) return s->definitions.items[k].node;
  return state_symbol(s, name);
}

static bool is_extreme(const carom_reducer *r) {
  return r->kind == CAROM_REDUCE_MAX || r->kind == CAROM_REDUCE_MIN;
}

// extremes that outputs ask for are looked for by sections
static carom_status watch_peaks(carom_scenario *s, int of_count, const char *const *of,
                                carom_error *error) {
  for (int k = 0; k < s->measure.reducer_count; k++) {
    const carom_reducer *r = &s->measure.reducers[k];
    bool asked = false;
    for (int o = 0; o < of_count && is_extreme(r); o++) {
      carom_node node = find_output(s, of[o]);
      asked = asked || (node && carom_node_depends(s->graph, node, r->symbol));
    }
    if (!asked || carom_node_depends_kind(s->graph, r->value, UNKNOWN)) continue;
    carom_status status = carom_scenario_watch_peak(s, k, error);
    if (status != CAROM_OK) return status;
  }
  return CAROM_OK;
}

static carom_status load_lifted(const carom_model *model, int by_count, const char *const *by,
                                int of_count, const char *const *of, carom_lifted *it,
                                carom_error *error) {
  const carom_scenario *original = model->scenario;
  if (!original || strcmp(original->engine, carom_hybrid_engine.name) != 0)
    return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                      "derivatives by inputs need a scenario of the engine 'hybrid'");
  if (original->run.compliant && original->contact_count > 0)
    return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                      "derivatives by inputs are of rigid contacts: the dashpots of run.compliant "
                      "are found anew at each touch; leave it out");
  char *text = carom_document_text(it->arena, original->document);
  const char **names = carom_arena_array(it->arena, (size_t)by_count + 1, sizeof *names);
  if (!text || !names) return carom_fail_memory(error);
  int count = 0;
  for (int k = 0; k < by_count; k++)
    if (is_parameter(original, by[k])) names[count++] = by[k];
  carom_arena *arena = carom_arena_create(NULL);
  carom_model *made = arena ? carom_arena_take(arena, sizeof *made) : NULL;
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
  if (status == CAROM_OK) status = watch_peaks(made->scenario, of_count, of, error);
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

static carom_status differentiate_value(carom_lifted *it, carom_node value,
                                        const carom_node *states, bool reducers,
                                        carom_lifted_function *f, carom_error *error) {
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
    if (r->value && carom_node_depends_kind(s->graph, r->value, UNKNOWN))
      return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                        "'%s' asks for accelerations or contact forces: their derivatives are not "
                        "computed",
                        name);
  }
  return differentiate_value(it, node, states, true, f, error);
}

// functions whose zeros are sections and stops
static carom_status make_triggers(carom_lifted *it, int count, const carom_event_rule *rules,
                                  const carom_node *states, carom_lifted_function **made,
                                  carom_error *error) {
  carom_status status = CAROM_OK;
  *made = carom_arena_array(it->arena, (size_t)count + 1, sizeof **made);
  if (!*made) return carom_fail_memory(error);
  for (int k = 0; k < count && status == CAROM_OK; k++) {
    carom_node when = rules[k].trigger.when.node;
    if (!carom_node_depends_kind(it->model->scenario->graph, when, UNKNOWN))
      status = differentiate_value(it, when, states, false, &(*made)[k], error);
  }
  return status;
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
      status = differentiate_value(it, s->measure.reducers[k].value, states, false,
                                   &it->reducers[k], error);
  for (int k = 0; k < of_count && status == CAROM_OK; k++)
    status = make_output(it, of[k], states, &it->outputs[k], error);
  const carom_rule_lists *r = &s->rules;
  if (status == CAROM_OK)
    status = make_triggers(it, r->section_count, r->sections, states, &it->sections, error);
  if (status == CAROM_OK)
    status = make_triggers(it, r->stop_count, r->stops, states, &it->stops, error);
  return status;
}

static carom_status make_lifted(const carom_model *model, int by_count, const char *const *by,
                                int of_count, const char *const *of, carom_lifted *it,
                                carom_error *error) {
  carom_node *states;
  carom_status status = load_lifted(model, by_count, by, of_count, of, it, error);
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
  carom_status status = make_lifted(model, by_count, by, of_count, of, it, error);
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
    carom_node symbol = s->parameters[k].symbol;
    carom_node free = carom_scenario_written_out(s, node, symbol);
    return carom_lifted_evaluate(it, carom_node_derivative(s->graph, free, symbol));
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

static const carom_lifted_function *find_rule(const char *name, int count,
                                              const carom_event_rule *rules,
                                              const carom_lifted_function *functions) {
  for (int k = 0; k < count; k++)
    if (strcmp(rules[k].name, name) == 0) return functions[k].value ? &functions[k] : NULL;
  return NULL;
}

const carom_lifted_function *carom_lifted_trigger(const carom_lifted *it, bool stop,
                                                  const char *name) {
  const carom_rule_lists *r = &it->model->scenario->rules;
  return stop ? find_rule(name, r->stop_count, r->stops, it->stops)
              : find_rule(name, r->section_count, r->sections, it->sections);
}

const char *carom_lifted_target(const carom_lifted *it, int k) {
  return it->model->scenario->measure.reducers[k].target;
}

bool carom_lifted_uses(const carom_lifted *it, int output, int k) {
  const carom_scenario *s = it->model->scenario;
  return carom_node_depends(s->graph, it->outputs[output].value, s->measure.reducers[k].symbol);
}

// ---- a start that is made consistent

/// Start values that constraints and closed contacts make from those that are written.
typedef struct beginning {
  carom_simulation *simulation;
  int value_count;
  carom_value *values; // the last one is moved
  long impacts;        // that the start begins with
} beginning;

static long impacts_of(carom_simulation *simulation) {
  carom_certificate met;
  return carom_simulation_certificate(simulation, &met, NULL) == CAROM_OK ? met.counts.impacts : -1;
}

static bool begin_moved(const beginning *b, double value, int size, double *y) {
  b->values[b->value_count].value = value;
  if (carom_simulation_set_all(b->simulation, b->value_count + 1, b->values, NULL) != CAROM_OK ||
      impacts_of(b->simulation) != b->impacts)
    return false;
  memcpy(y, carom_simulation_state(b->simulation, NULL), (size_t)size * sizeof *y);
  return true;
}

// central differences of order 4; false: there are no neighbours on both sides
static bool difference_starts(const beginning *b, double at, double step, int size, double *y,
                              double *slope) {
  static const double weight[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
  static const int place[4] = {-2, -1, 1, 2};
  memset(slope, 0, (size_t)size * sizeof *slope);
  for (int p = 0; p < 4; p++) {
    if (!begin_moved(b, at + place[p] * step, size, y)) return false;
    for (int i = 0; i < size; i++)
      slope[i] += weight[p] * y[i] / step;
  }
  return true;
}

// The unit of an input is not known: steps shrink, and of each component that estimate is kept
// which differs least from the one before, of those that do not differ much. Where all do it is the
// rounding of constraints that are solved. `work` has room for four vectors.
static bool start_slope(const beginning *b, double at, int size, double *work, double *slope) {
  double *y = work, *last = work + size, *next = last + size, *error = next + size;
  double step = START_STEP * fmax(fabs(at), LEAST_SIZE);
  bool known = false, found = false, settled = false;
  memset(slope, 0, (size_t)size * sizeof *slope);
  for (int i = 0; i < size; i++)
    error[i] = INFINITY;
  for (int round = 0; round < START_ROUNDS && !settled; round++) {
    bool made = difference_starts(b, at, step, size, y, next);
    if (!made && b->impacts > 0) return false; // the nearest strike within tolerances alone
    settled = made && known;
    found = found || settled;
    for (int i = 0; i < size && made && known; i++) {
      double rounding = ROUNDING * fabs(y[i]) / step, large = fabs(next[i]);
      double change = fmax(fabs(next[i] - last[i]), rounding);
      settled = settled && change <= fmax(GOOD * large, rounding);
      if (!(change < error[i] && change <= fmax(NEAR * large, rounding))) continue;
      error[i] = change;
      slope[i] = next[i];
    }
    known = made;
    step *= SHRINK;
    memcpy(last, next, (size_t)size * sizeof *last);
  }
  return found;
}

double carom_lifted_written(const carom_lifted *it, const char *name, int count,
                            const carom_value *values) {
  const carom_scenario *s = it->model->scenario;
  for (int k = 0; k < count; k++)
    if (strcmp(values[k].name, name) == 0) return values[k].value;
  for (int k = 0; k < s->parameter_count; k++)
    if (strcmp(s->parameters[k].value.name, name) == 0)
      return carom_lifted_evaluate(it, s->parameters[k].symbol);
  return carom_lifted_evaluate(it, state_start(s, state_symbol(s, name)));
}

// how the start moves with one input, of a simulation that nothing else was done to
static carom_status begin_direction(carom_lifted *it, beginning *b, int j, const char *by,
                                    double *work, carom_error *error) {
  double at = carom_lifted_written(it, by, b->value_count, b->values);
  b->values[b->value_count] = (carom_value){by, 0.0};
  carom_status status = carom_simulation_create(it->model, &b->simulation, error);
  if (status != CAROM_OK) return status;
  status = carom_simulation_set_all(b->simulation, b->value_count, b->values, error);
  double *slope = work + 4 * it->size;
  bool found = status == CAROM_OK && start_slope(b, at, it->size, work, slope);
  for (int i = 0; i < it->size && found; i++)
    it->directions[i * it->by_count + j] = slope[i];
  if (status == CAROM_OK && !found && b->impacts > 0)
    status = carom_fail(error, CAROM_ERR_UNSUPPORTED,
                        "a contact strikes at the start: runs with another '%s' may not, so that "
                        "there is no derivative",
                        by);
  carom_simulation_destroy(b->simulation);
  return status;
}

carom_status carom_lifted_begin(carom_lifted *it, carom_simulation *simulation, int by_count,
                                const char *const *by, int value_count, const carom_value *values,
                                carom_error *error) {
  beginning b = {.value_count = value_count, .impacts = impacts_of(simulation)};
  carom_status status = CAROM_OK;
  if (b.impacts == 0 && it->model->engine->turns.held(simulation) == 0) return CAROM_OK;
  b.values = carom_arena_array(it->arena, (size_t)value_count + 1, sizeof *b.values);
  double *work = carom_arena_array(it->arena, 5 * (size_t)it->size + 1, sizeof *work);
  if (!b.values || !work) return carom_fail_memory(error);
  if (value_count > 0) memcpy(b.values, values, (size_t)value_count * sizeof *values);
  for (int j = 0; j < by_count && status == CAROM_OK; j++)
    status = begin_direction(it, &b, j, by[j], work, error);
  return status;
}
