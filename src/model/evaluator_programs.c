// SPDX-License-Identifier: MIT
#include "model/evaluator_programs.h"

#include "symbolic/parse.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { BLAME_TEXT = 400 };

static void run_program(const carom_dynamics *dynamics, const carom_program *program,
                        double *registers, double t, const double *y) {
  registers[0] = t;
  memcpy(registers + 1, y, (size_t)dynamics->size * sizeof *y);
  carom_program_run(program, registers);
}

static bool read_rates(const carom_dynamics *dynamics, const carom_program *program,
                       const double *registers, carom_rates *rates) {
  int n = dynamics->n, m = dynamics->m;
  // in a state vector the equations follow the accelerations
  bool together = rates->equation == rates->acceleration + n;
  bool finite =
      carom_program_read(program, registers, 0, together ? n + m : n, rates->acceleration);
  if (!together) finite &= carom_program_read(program, registers, n, m, rates->equation);
  finite &= carom_program_read(program, registers, n + m, 3, rates->power);
  rates->power[3] = 0.0;
  return finite;
}

static carom_status evaluate_flow(const carom_dynamics *dynamics, carom_dynamics_work *work,
                                  double t, const double *y, double *rate) {
  assert(dynamics->programs.flow);
  work->flow_registers[0] = t;
  bool finite = carom_program_evaluate(dynamics->programs.flow, work->flow_registers, y, rate);
  return finite ? CAROM_OK : CAROM_ERR_NONFINITE;
}

static carom_status evaluate_free(const carom_dynamics *dynamics, carom_dynamics_work *work,
                                  double t, const double *y, carom_rates *rates) {
  run_program(dynamics, dynamics->programs.free, work->free_registers, t, y);
  bool finite = read_rates(dynamics, dynamics->programs.free, work->free_registers, rates);
  return finite ? CAROM_OK : CAROM_ERR_NONFINITE;
}

// The row program at (t, y). At an event several questions are asked of one state.
static bool rows_at(const carom_dynamics *dynamics, carom_dynamics_work *work, double t,
                    const double *y) {
  size_t size = (size_t)dynamics->size, bytes = size * sizeof *y;
  if (work->rows_known && work->rows_at[size] == t && memcmp(work->rows_at, y, bytes) == 0)
    return true;
  work->row_registers[0] = work->rows_at[size] = t;
  memcpy(work->rows_at, y, bytes);
  work->rows_known =
      carom_program_evaluate(dynamics->programs.row, work->row_registers, y, work->row_values);
  return work->rows_known;
}

static void bound_rows(const carom_dynamics *dynamics, carom_dynamics_work *work, carom_interval t,
                       const carom_interval *y) {
  carom_interval *at = work->row_bounds;
  *at++ = t;
  for (int i = 0; i < dynamics->size; i++)
    *at++ = y[i];
  for (int k = 0; k < dynamics->modes; k++)
    *at++ = carom_interval_point(work->modes[k]);
  for (int k = 0; k < dynamics->parameters; k++)
    *at++ = carom_interval_point(work->parameters[k]);
  carom_program_setup_bounds(dynamics->programs.row, work->row_bounds);
  carom_program_run_bounds(dynamics->programs.row, work->row_bounds);
}

// velocities are the second array of those of carom_rows, free rates the fourth
static carom_interval row_bound(const carom_dynamics *dynamics, const carom_dynamics_work *work,
                                bool free_rate, int k) {
  int place = free_rate ? 3 : 1;
  int output = dynamics->n + dynamics->m + CAROM_OWN_POWERS + place * dynamics->rows + k;
  assert(k >= 0 && k < dynamics->rows);
  return work->row_bounds[carom_program_output(dynamics->programs.row, output)];
}

static carom_status evaluate_rows(const carom_dynamics *dynamics, carom_dynamics_work *work,
                                  double t, const double *y, carom_rates *rates) {
  if (!dynamics->programs.row) return evaluate_free(dynamics, work, t, y, rates);
  int n = dynamics->n, m = dynamics->m;
  double *values = work->row_values;
  bool finite = rows_at(dynamics, work, t, y);
  memcpy(rates->acceleration, values, (size_t)n * sizeof *values);
  memcpy(rates->equation, values + n, (size_t)m * sizeof *values);
  memcpy(rates->power, values + n + m, CAROM_OWN_POWERS * sizeof *values);
  rates->power[CAROM_OWN_POWERS] = 0.0;
  for (int k = 0; k < dynamics->rows; k++)
    if (!dynamics->mechanics->rows[k].position) work->rows.position[k] = NAN;
  return finite ? CAROM_OK : CAROM_ERR_NONFINITE;
}

static carom_status evaluate_energy(const carom_dynamics *dynamics, carom_dynamics_work *work,
                                    double t, const double *y, carom_energy *energy) {
  double values[CAROM_OUTPUT_SLOPE];
  run_program(dynamics, dynamics->programs.energy, work->energy_registers, t, y);
  bool finite = carom_program_read(dynamics->programs.energy, work->energy_registers, 0,
                                   CAROM_OUTPUT_SLOPE, values);
  *energy = (carom_energy){values[CAROM_OUTPUT_KINETIC], values[CAROM_OUTPUT_POTENTIAL],
                           values[CAROM_OUTPUT_STORE]};
  return finite ? CAROM_OK : CAROM_ERR_NONFINITE;
}

static carom_status evaluate_energy_slope(const carom_dynamics *dynamics, carom_dynamics_work *work,
                                          double t, const double *y, double *slope) {
  run_program(dynamics, dynamics->programs.energy, work->energy_registers, t, y);
  bool finite = carom_program_read(dynamics->programs.energy, work->energy_registers,
                                   CAROM_OUTPUT_SLOPE, dynamics->nq + dynamics->n, slope);
  return finite ? CAROM_OK : CAROM_ERR_NONFINITE;
}

static carom_status evaluate_turning(const carom_dynamics *dynamics, carom_dynamics_work *work,
                                     double t, const double *y, double *G, double *invariants) {
  const carom_program *program = dynamics->programs.turning;
  int slopes = dynamics->turned * dynamics->n,
      values = dynamics->invariants * (1 + dynamics->turned);
  bool finite = true;
  run_program(dynamics, program, work->turning_registers, t, y);
  if (G) finite = carom_program_read(program, work->turning_registers, 0, slopes, G);
  if (invariants)
    finite &= carom_program_read(program, work->turning_registers, slopes, values, invariants);
  return finite ? CAROM_OK : CAROM_ERR_NONFINITE;
}

static const char *find_culprit(const carom_dynamics *dynamics, carom_dynamics_work *work,
                                carom_arena *arena, double t, const double *y) {
  const carom_program *programs[] = {dynamics->programs.free, dynamics->programs.row,
                                     dynamics->programs.energy};
  double *registers[] = {work->free_registers, work->row_registers, work->energy_registers};
  for (int k = 0; k < 3; k++) {
    if (!programs[k]) continue;
    run_program(dynamics, programs[k], registers[k], t, y);
    carom_node culprit = carom_program_blame(programs[k], registers[k]);
    if (culprit) return carom_node_text(arena, dynamics->graph, culprit, BLAME_TEXT);
  }
  return NULL;
}

const carom_evaluator carom_program_evaluator = {.free = evaluate_free,
                                                 .rows = evaluate_rows,
                                                 .energy = evaluate_energy,
                                                 .energy_slope = evaluate_energy_slope,
                                                 .flow = evaluate_flow,
                                                 .turning = evaluate_turning,
                                                 .bound_rows = bound_rows,
                                                 .row_bound = row_bound,
                                                 .blame = find_culprit};
