// SPDX-License-Identifier: MIT
/// Quantities needed at points of a motion only: definitions at samples, conditions and assigned
/// values at events. They see true kinks (abs is abs), and accelerations.
#include "hybrid/hybrid.h"

#include <string.h>

static int count_assignments(const carom_scenario *scenario) {
  int count = 0;
  for (int k = 0; k < scenario->rules.event_count; k++)
    count += scenario->rules.events[k].assignment_count;
  return count;
}

// one condition per watched rule, 1 where none was given
static carom_node *append_conditions(carom_node *at, carom_node always, int count,
                                     const carom_event_rule *rules) {
  for (int k = 0; k < count; k++)
    *at++ = rules[k].condition ? rules[k].condition : always;
  return at;
}

carom_status carom_probe_compile(carom_probe *probe, carom_arena *arena,
                                 const carom_hybrid_model *model, carom_error *error) {
  const carom_scenario *s = model->scenario;
  const carom_dynamics *dynamics = model->dynamics;
  int inputs_room = dynamics->input_count + dynamics->n;
  int room = s->definitions.count + s->rules.event_count + s->rules.section_count +
             s->rules.stop_count + count_assignments(s);
  long failures = carom_arena_failures(arena);
  carom_node *inputs = carom_arena_array(arena, (size_t)inputs_room, sizeof *inputs);
  carom_node *outputs = carom_arena_array(arena, (size_t)room, sizeof *outputs), *at = outputs;
  if (carom_arena_failures(arena) != failures) return carom_fail_memory(error);
  memcpy(inputs, dynamics->inputs, (size_t)dynamics->input_count * sizeof *inputs);
  for (int i = 0; i < dynamics->n; i++)
    inputs[dynamics->input_count + i] = s->coordinates[i].acceleration;

  carom_node always = carom_node_constant(s->graph, 1.0);
  for (int k = 0; k < s->definitions.count; k++)
    *at++ = s->definitions.items[k].node;
  probe->conditions = (int)(at - outputs);
  at = append_conditions(at, always, s->rules.event_count, s->rules.events);
  at = append_conditions(at, always, s->rules.section_count, s->rules.sections);
  at = append_conditions(at, always, s->rules.stop_count, s->rules.stops);
  probe->assignments = (int)(at - outputs);
  for (int k = 0; k < s->rules.event_count; k++)
    for (int j = 0; j < s->rules.events[k].assignment_count; j++)
      *at++ = s->rules.events[k].assignments[j].value;
  probe->count = (int)(at - outputs);
  return carom_program_compile(arena, s->graph, inputs_room, inputs, probe->count, outputs,
                               &probe->program, error);
}

void carom_probe_run(carom_hybrid *it, double t, const double *y, const double *rate) {
  const carom_dynamics *dynamics = it->model->dynamics;
  double *at = it->observing.probe_registers;
  *at++ = t;
  memcpy(at, y, (size_t)dynamics->size * sizeof *y);
  at += dynamics->size + dynamics->modes + dynamics->parameters;
  memcpy(at, rate + dynamics->nq, (size_t)dynamics->n * sizeof *rate);
  carom_program_run(it->model->probe.program, it->observing.probe_registers);
}

double carom_probe_output(const carom_hybrid *it, int k) {
  return it->observing.probe_registers[carom_program_output(it->model->probe.program, k)];
}
