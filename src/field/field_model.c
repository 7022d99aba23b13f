// SPDX-License-Identifier: MIT
// From a checked scenario to programs and names of columns.
#include "field/field.h"

#include "symbolic/kink.h"

#include <stdio.h>
#include <string.h>

typedef struct preparation {
  carom_arena *arena;
  const carom_scenario *scenario;
  const carom_field_description *field;
  carom_field_model *model;
  carom_error *error;
} preparation;

static carom_node *take_nodes(preparation *it, int count) {
  return carom_arena_array(it->arena, (size_t)count, sizeof(carom_node));
}

// parameters and the mass centre, which is known once they are
static int append_parameters(const preparation *it, carom_node *inputs, int at) {
  for (int k = 0; k < it->scenario->parameter_count; k++)
    inputs[at++] = it->scenario->parameters[k].symbol;
  for (int k = 0; k < 3; k++)
    inputs[at++] = it->field->centre[k];
  return at;
}

static carom_node or_zero(preparation *it, carom_node node) {
  return node ? node : carom_node_constant(it->scenario->graph, 0.0);
}

// normal, place and velocity of every support, then the mass factor and its rate
static carom_status compile_drive(preparation *it) {
  const carom_field_description *f = it->field;
  carom_graph *graph = it->scenario->graph;
  int count = 0, used = 1;
  carom_node *outputs = take_nodes(it, 9 * f->support_count + 2);
  carom_node *inputs = take_nodes(it, 4 + it->scenario->parameter_count);
  if (!outputs || !inputs) return carom_fail_memory(it->error);
  inputs[0] = it->scenario->time;
  used = append_parameters(it, inputs, used);
  for (int s = 0; s < f->support_count; s++) {
    const carom_field_support *support = &f->supports[s];
    for (int k = 0; k < 3; k++)
      outputs[count++] = support->normal[k];
    for (int k = 0; k < 3; k++)
      outputs[count++] = carom_add(graph, support->point[k], or_zero(it, support->shift[k]));
    for (int k = 0; k < 3; k++)
      outputs[count++] = or_zero(it, support->shift_rate[k]);
  }
  carom_node factor = f->mass_factor ? f->mass_factor : carom_node_constant(graph, 1.0);
  outputs[count++] = factor;
  outputs[count++] = carom_node_derivative(graph, factor, it->scenario->time);
  for (int k = 0; k < count; k++)
    if (!outputs[k]) return carom_fail_memory(it->error);
  return carom_program_compile(it->arena, graph, used, inputs, count, outputs, &it->model->drive,
                               it->error);
}

// The switching functions of a law's kinks (abs, min, max, if) as outputs. Those that hang on other
// kinks are left out: the quadrature finds them by itself.
static carom_status append_kinks(preparation *it, const carom_field_law *law, carom_node **outputs,
                                 int *count, int *room, carom_field_kinks *kinks) {
  const unsigned modes = 1u << CAROM_SYMBOL_MODE;
  carom_kink_list list = {0};
  kinks->first = *count;
  const carom_node of[2] = {law->normal, law->tangential};
  for (int k = 0; k < 2; k++)
    if (of[k] && !carom_kink_remove(it->scenario->graph, it->arena, of[k], &list))
      return carom_fail_memory(it->error);
  for (int k = 0; k < list.count && kinks->count < CAROM_INTEGRAND_KINKS; k++) {
    carom_node argument = list.items[k].argument;
    if (carom_node_depends_kind(it->scenario->graph, argument, modes)) continue;
    if (!carom_arena_grow(it->arena, (void **)outputs, *count, room, sizeof **outputs))
      return carom_fail_memory(it->error);
    (*outputs)[(*count)++] = argument;
    kinks->count++;
  }
  return CAROM_OK;
}

// over t, d, vn, vt, parameters, centre: normal and tangential of every law, then their kinks
static carom_status compile_own(preparation *it) {
  const carom_field_description *f = it->field;
  int room = 2 * f->law_count + 1, count = 0, law = 0;
  carom_node *outputs = take_nodes(it, room);
  carom_node *inputs = take_nodes(it, 7 + it->scenario->parameter_count);
  carom_field_kinks *kinks = carom_arena_array(it->arena, (size_t)f->law_count, sizeof *kinks);
  if (!outputs || !inputs || !kinks) return carom_fail_memory(it->error);
  for (int k = 0; k < f->law_count; k++) {
    if (f->laws[k].kind != CAROM_FIELD_OWN) continue;
    outputs[count++] = or_zero(it, f->laws[k].normal);
    outputs[count++] = or_zero(it, f->laws[k].tangential);
  }
  it->model->own_count = count / 2;
  it->model->own_kinks = kinks;
  if (count == 0) return CAROM_OK;
  carom_status status = CAROM_OK;
  for (int k = 0; k < f->law_count && !status; k++)
    if (f->laws[k].kind == CAROM_FIELD_OWN)
      status = append_kinks(it, &f->laws[k], &outputs, &count, &room, &kinks[law++]);
  if (status) return status;
  inputs[0] = it->scenario->time;
  inputs[1] = f->own.distance;
  inputs[2] = f->own.normal_speed;
  inputs[3] = f->own.slip_speed;
  int used = append_parameters(it, inputs, 4);
  return carom_program_compile(it->arena, it->scenario->graph, used, inputs, count, outputs,
                               &it->model->own, it->error);
}

static int append_rules(preparation *it, const carom_event_rule *rules, int count, bool conditions,
                        carom_node *outputs, int at) {
  for (int k = 0; k < count; k++) {
    carom_node condition = rules[k].condition;
    if (!condition) condition = carom_node_constant(it->scenario->graph, 1.0);
    outputs[at++] = conditions ? condition : rules[k].trigger.when.node;
  }
  return at;
}

// does one of these outputs use an acceleration?
static bool any_accelerates(const carom_scenario *s, const carom_node *outputs, int from, int to) {
  bool any = false;
  for (int k = from; k < to; k++)
    for (int i = 0; i < s->coordinate_count; i++)
      any = any || carom_node_depends(s->graph, outputs[k], s->coordinates[i].acceleration);
  return any;
}

static carom_status compile_seen(preparation *it) {
  const carom_scenario *s = it->scenario;
  carom_field_model *model = it->model;
  model->watched_count = s->rules.section_count + s->rules.stop_count + s->rules.event_count;
  int room = s->definitions.count + 2 * model->watched_count + s->measure.reducer_count + 1;
  for (int k = 0; k < s->rules.event_count; k++)
    room += s->rules.events[k].assignment_count;
  carom_node *outputs = take_nodes(it, room);
  carom_node *inputs = take_nodes(it, 4 + model->size + s->parameter_count + model->n);
  if (!outputs || !inputs) return carom_fail_memory(it->error);
  int used = 1, count = 0;
  inputs[0] = s->time;
  for (int k = 0; k < model->n; k++)
    inputs[used++] = s->coordinates[k].symbol;
  for (int k = 0; k < model->n; k++)
    inputs[used++] = s->coordinates[k].rate;
  for (int k = 0; k < model->m; k++)
    inputs[used++] = s->states[k].symbol;
  used = append_parameters(it, inputs, used);
  for (int k = 0; k < model->n; k++)
    inputs[used++] = s->coordinates[k].acceleration;
  for (int k = 0; k < s->definitions.count; k++)
    outputs[count++] = s->definitions.items[k].node;
  model->triggers = count;
  count = append_rules(it, s->rules.sections, s->rules.section_count, false, outputs, count);
  count = append_rules(it, s->rules.stops, s->rules.stop_count, false, outputs, count);
  count = append_rules(it, s->rules.events, s->rules.event_count, false, outputs, count);
  model->conditions = count;
  count = append_rules(it, s->rules.sections, s->rules.section_count, true, outputs, count);
  count = append_rules(it, s->rules.stops, s->rules.stop_count, true, outputs, count);
  count = append_rules(it, s->rules.events, s->rules.event_count, true, outputs, count);
  model->followed = count;
  for (int k = 0; k < s->measure.reducer_count; k++)
    outputs[count++] = or_zero(it, s->measure.reducers[k].value);
  model->assignments = count;
  for (int k = 0; k < s->rules.event_count; k++)
    for (int j = 0; j < s->rules.events[k].assignment_count; j++)
      outputs[count++] = s->rules.events[k].assignments[j].value;
  model->forces_shown = any_accelerates(s, outputs, 0, model->triggers);
  model->forces_seen = any_accelerates(s, outputs, model->triggers, count);
  model->input_count = used;
  return carom_program_compile(it->arena, s->graph, used, inputs, count, outputs, &model->seen,
                               it->error);
}

static carom_status name_columns(preparation *it) {
  const carom_scenario *s = it->scenario;
  carom_field_model *model = it->model;
  int at = 0;
  model->columns = carom_arena_array(it->arena, (size_t)(model->size + s->definitions.count + 2),
                                     sizeof *model->columns);
  if (!model->columns) return carom_fail_memory(it->error);
  for (int k = 0; k < model->n; k++)
    model->columns[at++] = s->coordinates[k].name;
  for (int k = 0; k < model->n; k++)
    model->columns[at++] = carom_node_as_symbol(s->graph, s->coordinates[k].rate)->name;
  for (int k = 0; k < model->m; k++)
    model->columns[at++] = s->states[k].name;
  for (int k = 0; k < s->definitions.count; k++)
    model->columns[at++] = s->definitions.items[k].name;
  model->columns[at++] = "kinetic";
  model->columns[at++] = "potential";
  model->column_count = at;
  return CAROM_OK;
}

// ---- the energy ledger

static bool supports_move(const carom_field_description *f, unsigned supports) {
  for (int s = 0; s < f->support_count; s++)
    if ((supports >> s & 1u) && f->supports[s].shift[0]) return true;
  return false;
}

// integrals only for what is neither stored nor still
static void place_integrals(preparation *it) {
  const carom_field_description *f = it->field;
  carom_field_integrals *to = &it->model->integrals;
  for (int k = 0; k < f->law_count; k++) {
    const carom_field_law *law = &f->laws[k];
    bool stores = law->kind == CAROM_FIELD_REPULSION || law->kind == CAROM_FIELD_ADHESION;
    bool printed = f->soft && !law->conservative;
    to->taken[k] = !stores || printed ? to->count++ : -1;
    to->driven[k] = supports_move(f, law->supports) ? to->count++ : -1;
  }
  to->viscous = f->soft ? to->count++ : -1;
  to->mass = f->mass_factor ? to->count++ : -1;
}

static carom_status name_works(preparation *it) {
  const carom_field_description *f = it->field;
  carom_field_model *model = it->model;
  model->works = carom_arena_array(it->arena, (size_t)f->law_count + 4, sizeof *model->works);
  if (!model->works) return carom_fail_memory(it->error);
  model->works[model->work_count++] = "work_gravity";
  for (int k = 0; k < f->law_count; k++) {
    size_t room = strlen(f->laws[k].name) + sizeof "work.";
    char *name = carom_arena_take(it->arena, room);
    if (!name) return carom_fail_memory(it->error);
    (void)snprintf(name, room, "work.%s", f->laws[k].name);
    for (char *c = name; *c; c++)
      if (*c == '/') *c = '_'; // a name in a recording has no parts
    model->works[model->work_count++] = name;
  }
  if (f->soft) model->works[model->work_count++] = "work_elasticity";
  if (f->soft) model->works[model->work_count++] = "work_viscosity";
  if (f->mass_factor) model->works[model->work_count++] = "work_mass";
  return CAROM_OK;
}

carom_status carom_field_prepare(carom_model *model, carom_error *error) {
  carom_field_model *made = carom_arena_take(model->arena, sizeof *made);
  if (!made) return carom_fail_memory(error);
  const carom_scenario *s = model->scenario;
  made->scenario = s;
  made->field = s->described.field;
  made->dimension = s->described.field->space ? 3 : 2;
  made->n = s->coordinate_count;
  made->m = s->state_count;
  made->size = 2 * made->n + made->m;
  preparation it = {model->arena, s, s->described.field, made, error};
  carom_status status = compile_drive(&it);
  if (!status) status = compile_own(&it);
  if (!status) status = compile_seen(&it);
  if (!status) status = name_columns(&it);
  if (!status) status = name_works(&it);
  place_integrals(&it);
  if (!status) model->prepared = made;
  return status;
}
