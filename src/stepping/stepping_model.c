// SPDX-License-Identifier: MIT
// A scenario of bodies prepared for steps: programs for bodies that time moves, and for what is
// looked at.
#include "stepping/stepping.h"

#include <stdio.h>
#include <string.h>

enum { PLACED = 18 }; // place, turn, velocity, spin

static const char *rate_name(carom_arena *arena, const carom_coordinate *q) {
  if (!q->symbol) return q->name; // a speed of its own
  size_t length = strlen(q->name);
  char *text = carom_arena_take(arena, length + 2);
  if (text) (void)snprintf(text, length + 2, "%s'", q->name);
  return text;
}

static void list_columns(carom_arena *arena, carom_stepping_model *it) {
  const carom_scenario *s = it->scenario;
  int k = 0;
  for (int i = 0; i < s->coordinate_count; i++)
    it->columns[k++] = s->coordinates[i].name;
  for (int i = 0; i < carom_scenario_rates(s); i++)
    it->columns[k++] = rate_name(arena, &s->coordinates[i]);
  for (int i = 0; i < s->state_count; i++)
    it->columns[k++] = s->states[i].name;
  for (int i = 0; i < s->definitions.count; i++)
    it->columns[k++] = s->definitions.items[i].name;
  it->columns[k++] = "kinetic";
  it->columns[k] = "potential";
}

// t, q, q', z, parameters
static int list_inputs(const carom_scenario *s, carom_node *inputs) {
  carom_node *at = inputs;
  *at++ = s->time;
  for (int k = 0; k < s->coordinate_count; k++)
    *at++ = s->coordinates[k].symbol;
  for (int k = 0; k < carom_scenario_rates(s); k++)
    *at++ = s->coordinates[k].rate;
  for (int k = 0; k < s->state_count; k++)
    *at++ = s->states[k].symbol;
  for (int k = 0; k < s->parameter_count; k++)
    *at++ = s->parameters[k].symbol;
  return (int)(at - inputs);
}

static carom_status compile_placed(carom_arena *arena, carom_stepping_model *it, carom_node *inputs,
                                   carom_error *error) {
  const carom_scenario *s = it->scenario;
  const carom_stepping_description *d = it->bodies;
  carom_node *outputs = carom_arena_array(arena, (size_t)d->body_count * PLACED, sizeof *outputs);
  if (!outputs) return carom_fail_memory(error);
  int count = 0;
  for (int b = 0; b < d->body_count; b++) {
    const carom_stepping_body *body = &d->bodies[b];
    it->placed_at[b] = body->moves ? -1 : count;
    if (body->moves) continue;
    memcpy(outputs + count, body->at, sizeof body->at);
    memcpy(outputs + count + 3, body->turn, sizeof body->turn);
    memcpy(outputs + count + 12, body->velocity, sizeof body->velocity);
    memcpy(outputs + count + 15, body->spin, sizeof body->spin);
    for (int k = 0; k < PLACED; k++)
      if (carom_node_depends(s->graph, outputs[count + k], s->time)) it->driven = 1;
    count += PLACED;
  }
  inputs[0] = s->time;
  for (int k = 0; k < s->parameter_count; k++)
    inputs[1 + k] = s->parameters[k].symbol;
  return carom_program_compile(arena, s->graph, 1 + s->parameter_count, inputs, count, outputs,
                               &it->placed, error);
}

// forces along x, y, z and about the body's axes; in the plane along x, y and about the third
static const carom_node *forces_of(const carom_stepping_model *it, int b, int c) {
  const carom_stepping_body *body = &it->bodies->bodies[b];
  int first = c < 3 || !it->bodies->space ? body->coordinate : body->speed - 3;
  return &it->scenario->coordinates[first + c].force;
}

static carom_status compile_pushed(carom_arena *arena, carom_stepping_model *it, carom_node *inputs,
                                   carom_error *error) {
  const carom_scenario *s = it->scenario;
  const carom_stepping_description *d = it->bodies;
  int each = d->space ? 6 : 3, count = 0;
  carom_node *outputs = carom_arena_array(arena, (size_t)(d->body_count * each), sizeof *outputs);
  if (!outputs) return carom_fail_memory(error);
  for (int b = 0; b < d->body_count; b++) {
    bool any = false;
    for (int c = 0; d->bodies[b].moves && c < each; c++)
      any = any || *forces_of(it, b, c);
    it->pushed_at[b] = any ? count : -1;
    for (int c = 0; any && c < each; c++) {
      carom_node force = *forces_of(it, b, c);
      outputs[count++] = force ? force : carom_node_constant(s->graph, 0.0);
      if (carom_node_depends_kind(s->graph, force, 1u << CAROM_SYMBOL_RATE)) it->by_velocity = true;
    }
  }
  if (count == 0) return CAROM_OK;
  return carom_program_compile(arena, s->graph, list_inputs(s, inputs), inputs, count, outputs,
                               &it->pushed, error);
}

static carom_status compile_seen(carom_arena *arena, carom_stepping_model *it, carom_node *inputs,
                                 carom_error *error) {
  const carom_scenario *s = it->scenario;
  int count = 0, most = s->definitions.count + s->measure.reducer_count;
  carom_node *outputs = carom_arena_array(arena, (size_t)most, sizeof *outputs);
  if (!outputs) return carom_fail_memory(error);
  for (int k = 0; k < s->definitions.count; k++)
    outputs[count++] = s->definitions.items[k].node;
  for (int k = 0; k < s->measure.reducer_count; k++) {
    carom_node value = s->measure.reducers[k].value;
    outputs[count++] = value ? value : carom_node_constant(s->graph, 0.0);
  }
  int input_count = list_inputs(s, inputs);
  it->symbols = carom_arena_array(arena, (size_t)input_count, sizeof *it->symbols);
  if (!it->symbols) return carom_fail_memory(error);
  for (int k = 0; k < input_count; k++)
    it->symbols[k] = carom_scenario_symbol_index(s, inputs[k]);
  return carom_program_compile(arena, s->graph, input_count, inputs, count, outputs, &it->seen,
                               error);
}

carom_status carom_stepping_prepare(carom_model *model, carom_error *error) {
  carom_arena *arena = model->arena;
  const carom_scenario *s = model->scenario;
  carom_stepping_model *it = carom_arena_take(arena, sizeof *it);
  if (!it) return carom_fail_memory(error);
  it->scenario = s;
  it->bodies = s->described.stepping;
  it->state_size = s->coordinate_count + carom_scenario_rates(s) + s->state_count;
  it->column_count = it->state_size + s->definitions.count + 2;
  it->columns = carom_arena_array(arena, (size_t)it->column_count, sizeof *it->columns);
  it->placed_at = carom_arena_array(arena, (size_t)it->bodies->body_count, sizeof *it->placed_at);
  it->pushed_at = carom_arena_array(arena, (size_t)it->bodies->body_count, sizeof *it->pushed_at);
  size_t most = (size_t)(1 + it->state_size + s->parameter_count);
  carom_node *inputs = carom_arena_array(arena, most, sizeof *inputs);
  if (!it->columns || !it->placed_at || !it->pushed_at || !inputs) return carom_fail_memory(error);
  list_columns(arena, it);
  for (int k = 0; k < it->column_count; k++)
    if (!it->columns[k]) return carom_fail_memory(error);
  carom_status status = compile_placed(arena, it, inputs, error);
  if (!status) status = compile_pushed(arena, it, inputs, error);
  if (!status) status = compile_seen(arena, it, inputs, error);
  model->prepared = it;
  return status;
}
