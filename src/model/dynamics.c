// SPDX-License-Identifier: MIT
#include "model/dynamics.h"

#include "model/evaluator_programs.h"

#include <assert.h>
#include <string.h>

// appends nodes to a list of program outputs
static carom_node *append_nodes(carom_node *at, int count, const carom_node *nodes) {
  memcpy(at, nodes, (size_t)count * sizeof *nodes);
  return at + count;
}

static carom_node *append_rates(carom_node *at, const carom_mechanics *mechanics) {
  at = append_nodes(at, mechanics->n, mechanics->acceleration);
  at = append_nodes(at, mechanics->m, mechanics->equation);
  *at++ = mechanics->power.drive;
  *at++ = mechanics->power.force;
  *at++ = mechanics->power.damper;
  return at;
}

// rates, then what carom_rows holds, array by array: one evaluation fills them all
static carom_node *append_rows(carom_node *at, const carom_mechanics *mechanics,
                               carom_node nothing) {
  int rows = mechanics->row_count;
  for (int k = 0; k < rows; k++) {
    const carom_row *row = &mechanics->rows[k];
    at[k] = row->position ? row->position : nothing;
    at[rows + k] = row->velocity;
    at[2 * rows + k] = row->offset;
    at[3 * rows + k] = row->free_rate;
  }
  at += 4 * rows;
  for (int k = 0; k < rows; k++)
    at = append_nodes(at, mechanics->n, mechanics->rows[k].response);
  return append_nodes(at, rows * rows, mechanics->delassus);
}

static carom_status compile_outputs(carom_arena *arena, carom_dynamics *it,
                                    const carom_node *outputs, const carom_node *end,
                                    carom_program **program, carom_error *error) {
  return carom_program_compile(arena, it->graph, it->input_count, it->inputs, (int)(end - outputs),
                               outputs, program, error);
}

// conservative: nothing depends on time, and no drive, force or damper does work
static bool is_conservative(const carom_dynamics *it) {
  const carom_mechanics *mechanics = it->mechanics;
  if (it->n == 0 || it->has_power[0] || it->has_power[1] || it->has_power[2] || it->has_power[3])
    return false;
  double value;
  return carom_node_is_constant(it->graph, mechanics->drive_store, &value);
}

// the flow: rates in the order of the state, then the powers that can be non-zero
static carom_status compile_flow(carom_arena *arena, carom_dynamics *it, carom_node nothing,
                                 carom_error *error) {
  const carom_mechanics *mechanics = it->mechanics;
  size_t most = (size_t)(it->size + 8);
  carom_node *rates = carom_arena_array(arena, most, sizeof *rates);
  carom_node *outputs = carom_arena_array(arena, most, sizeof *outputs);
  if (!rates || !outputs) return carom_fail_memory(error);
  carom_node *end = append_nodes(outputs, it->nq, mechanics->u);
  const carom_node *powers = append_rates(rates, mechanics) - 3;
  end = append_nodes(end, it->n + it->m, rates);
  for (int k = 0; k < 4; k++)
    if (it->has_power[k]) *end++ = k < 3 ? powers[k] : nothing;
  assert(end - outputs <= (ptrdiff_t)most);
  carom_status status = compile_outputs(arena, it, outputs, end, &it->programs.flow, error);
  if (status != CAROM_OK) return status;
  it->programs.flow_code = carom_program_native(it->programs.flow);
  it->flow = outputs;
  it->flow_count = (int)(end - outputs);
  return CAROM_OK;
}

// how turned coordinates move with the speeds, and what that keeps
static carom_status compile_turning(carom_arena *arena, carom_dynamics *it, carom_error *error) {
  const carom_mechanics *m = it->mechanics;
  size_t most = (size_t)(it->turned * it->n + it->invariants * (1 + it->turned));
  carom_node *outputs = carom_arena_array(arena, most, sizeof *outputs), *at = outputs;
  if (!outputs) return carom_fail_memory(error);
  for (int i = 0; i < it->turned; i++)
    for (int k = 0; k < it->n; k++)
      *at++ = carom_node_derivative(it->graph, m->equation[i], m->u[k]);
  for (int j = 0; j < it->invariants; j++) {
    *at++ = m->invariants.nodes[j];
    for (int i = 0; i < it->turned; i++)
      *at++ = carom_node_derivative(it->graph, m->invariants.nodes[j], m->z[i]);
  }
  assert(at == outputs + most);
  return compile_outputs(arena, it, outputs, at, &it->programs.turning, error);
}

static carom_status list_inputs(carom_arena *arena, carom_dynamics *it,
                                const carom_node *parameters, carom_error *error) {
  const carom_mechanics *mechanics = it->mechanics;
  it->input_count = 1 + it->size + it->modes + it->parameters;
  it->inputs = carom_arena_array(arena, (size_t)it->input_count, sizeof(carom_node));
  if (!it->inputs) return carom_fail_memory(error);
  carom_node *at = it->inputs;
  *at++ = mechanics->time;
  at = append_nodes(at, it->nq, mechanics->q);
  at = append_nodes(at, it->n, mechanics->u);
  at = append_nodes(at, it->m, mechanics->z);
  for (int k = 0; k < it->modes; k++)
    *at++ = mechanics->kinks.items[k].mode;
  assert(at + it->parameters == it->inputs + it->input_count);
  append_nodes(at, it->parameters, parameters);
  return CAROM_OK;
}

carom_status carom_dynamics_compile(carom_arena *arena, carom_graph *graph,
                                    const carom_mechanics *mechanics, int parameter_count,
                                    const carom_node *parameters, carom_dynamics **dynamics,
                                    carom_error *error) {
  carom_dynamics *it = carom_arena_take(arena, sizeof *it);
  if (!it) return carom_fail_memory(error);
  *it = (carom_dynamics){.n = mechanics->n,
                         .nq = mechanics->nq,
                         .m = mechanics->m,
                         .turned = mechanics->turned,
                         .invariants = mechanics->invariants.count,
                         .rows = mechanics->row_count,
                         .modes = mechanics->kinks.count,
                         .parameters = parameter_count,
                         .size = mechanics->nq + mechanics->n + mechanics->m,
                         .mechanics = mechanics,
                         .graph = graph,
                         .evaluator = &carom_program_evaluator,
                         .has_energy = mechanics->n > 0};
  carom_status status = list_inputs(arena, it, parameters, error);
  if (status != CAROM_OK) return status;

  assert(it->nq <= it->n && it->turned <= it->m);
  size_t most = (size_t)(it->size + 8) + (size_t)it->rows * (size_t)(4 + it->n + it->rows);
  carom_node *outputs = carom_arena_array(arena, most, sizeof *outputs);
  if (!outputs) return carom_fail_memory(error);
  carom_node nothing = carom_node_constant(graph, 0.0);

  carom_node *end = append_rates(outputs, mechanics);
  for (int k = 0; k < 3; k++)
    it->has_power[k] = end[k - 3] != nothing;
  // moving rows do work; velocity-level rows that are not constraints are the tangents of friction
  double offset;
  for (int k = 0; k < it->rows; k++)
    if (!carom_node_is_constant(graph, mechanics->rows[k].offset, &offset) || offset != 0.0)
      it->has_power[0] = true;
  it->has_power[3] = mechanics->friction;
  it->conservative = is_conservative(it);
  status = compile_outputs(arena, it, outputs, end, &it->programs.free, error);
  if (status == CAROM_OK) status = compile_flow(arena, it, nothing, error);
  if (status == CAROM_OK && it->rows > 0)
    status = compile_outputs(arena, it, outputs, append_rows(end, mechanics, nothing),
                             &it->programs.row, error);
  if (status != CAROM_OK) return status;

  outputs[CAROM_OUTPUT_KINETIC] = mechanics->kinetic;
  outputs[CAROM_OUTPUT_POTENTIAL] = mechanics->potential;
  outputs[CAROM_OUTPUT_STORE] = mechanics->drive_store;
  end = outputs + CAROM_OUTPUT_SLOPE;
  carom_node energy = carom_add(graph, mechanics->kinetic, mechanics->potential);
  for (int i = 0; i < it->nq; i++)
    *end++ = carom_node_derivative(graph, energy, mechanics->q[i]);
  for (int i = 0; i < it->n; i++)
    *end++ = carom_node_derivative(graph, energy, mechanics->u[i]);
  status = compile_outputs(arena, it, outputs, end, &it->programs.energy, error);
  if (status == CAROM_OK && it->turned > 0) status = compile_turning(arena, it, error);
  *dynamics = it;
  return status;
}

static carom_interval *intervals_for(carom_arena *arena, const carom_program *program) {
  size_t count = program ? (size_t)carom_program_registers(program) : 0;
  return carom_arena_array(arena, count + 1, sizeof(carom_interval));
}

static double *registers_for(carom_arena *arena, const carom_program *program) {
  size_t count = program ? (size_t)carom_program_registers(program) : 0;
  return carom_arena_array(arena, count + 1, sizeof(double));
}

carom_status carom_dynamics_work_init(carom_dynamics_work *work, carom_arena *arena,
                                      const carom_dynamics *dynamics, carom_error *error) {
  size_t n = (size_t)dynamics->n, rows = (size_t)dynamics->rows, number = sizeof(double);
  size_t values = n + (size_t)dynamics->m + CAROM_OWN_POWERS + rows * (4 + n + rows);
  long failures = carom_arena_failures(arena);
  *work = (carom_dynamics_work){
      .free_registers = registers_for(arena, dynamics->programs.free),
      .row_registers = registers_for(arena, dynamics->programs.row),
      .row_bounds = intervals_for(arena, dynamics->programs.row),
      .energy_registers = registers_for(arena, dynamics->programs.energy),
      .flow_registers = registers_for(arena, dynamics->programs.flow),
      .turning_registers = registers_for(arena, dynamics->programs.turning),
      .parameters = carom_arena_array(arena, (size_t)dynamics->parameters, number),
      .modes = carom_arena_array(arena, (size_t)dynamics->modes, number),
      .row_values = carom_arena_array(arena, values, number),
      .rows_at = carom_arena_array(arena, (size_t)dynamics->size + 1, number),
      .mass = carom_arena_array(arena, n * n, number),
      .jacobian = carom_arena_array(arena, rows * n, number),
      .solution = carom_arena_array(arena, n, number),
      .scratch = carom_arena_array(arena, n * n, number),
      .order = carom_arena_array(arena, n, sizeof(int))};
  if (carom_arena_failures(arena) != failures) return carom_fail_memory(error);
  double *at = work->row_values + n + dynamics->m + CAROM_OWN_POWERS;
  work->rows = (carom_rows){.position = at,
                            .velocity = at + rows,
                            .offset = at + 2 * rows,
                            .free_rate = at + 3 * rows,
                            .response = at + 4 * rows,
                            .delassus = at + (4 + n) * rows};
  return CAROM_OK;
}

static void configure_program(const carom_dynamics *dynamics, const carom_program *program,
                              double *registers, const double *parameters, const double *modes) {
  if (!program) return;
  double *at = registers + 1 + dynamics->size;
  memcpy(at, modes, (size_t)dynamics->modes * sizeof *modes);
  memcpy(at + dynamics->modes, parameters, (size_t)dynamics->parameters * sizeof *parameters);
  carom_program_setup(program, registers);
}

void carom_dynamics_configure(const carom_dynamics *dynamics, carom_dynamics_work *work,
                              const double *parameters, const double *modes) {
  memmove(work->parameters, parameters, (size_t)dynamics->parameters * sizeof *parameters);
  memmove(work->modes, modes, (size_t)dynamics->modes * sizeof *modes);
  configure_program(dynamics, dynamics->programs.free, work->free_registers, parameters, modes);
  configure_program(dynamics, dynamics->programs.row, work->row_registers, parameters, modes);
  work->rows_known = false;
  configure_program(dynamics, dynamics->programs.energy, work->energy_registers, parameters, modes);
  configure_program(dynamics, dynamics->programs.flow, work->flow_registers, parameters, modes);
  configure_program(dynamics, dynamics->programs.turning, work->turning_registers, parameters,
                    modes);
}
