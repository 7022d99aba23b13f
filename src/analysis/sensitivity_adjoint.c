// SPDX-License-Identifier: MIT
/// The adjoint: the slopes of each output are brought back from the end of the run to its start,
/// along what the run has kept. One sweep for each output, whatever the number of inputs.
#include "analysis/sensitivity_parts.h"

#include <math.h>
#include <string.h>

// outputs must be functions of the state at the end
static carom_status check_outputs(const carom_sensitivity_options *o, const carom_lifted *l,
                                  carom_error *error) {
  for (int k = 0; k < o->of_count; k++)
    for (int r = 0; r < l->reducer_count; r++)
      if (carom_lifted_uses(l, k, r))
        return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                          "the adjoint is of outputs at the end of the run, and '%s' looks at more "
                          "of it: leave the adjoint out",
                          o->of[k]);
  if (o->time_count > 0 || o->second || o->sides)
    return carom_fail(error, CAROM_ERR_ARGUMENT,
                      "the adjoint tells slopes at the end alone: no course, no second "
                      "derivatives, no sides");
  return CAROM_OK;
}

// the function of the stop that ends the run
static int note_stop(void *ctx, const carom_event *event) {
  carom_sensitivity *it = ctx;
  if (event->kind != CAROM_EVENT_STOP) return 0;
  it->halt.met = true;
  it->halt.of = carom_lifted_trigger(it->lifted, true, event->name);
  return 0;
}

// The time of a stop h moves by -h_y dy/(h_t + h_y y'), and what passes meanwhile with it: then the
// row is that of neighbours at their own times.
static carom_status stop_later(carom_sensitivity *it, double passing, double *row,
                               carom_error *error) {
  carom_lifted *l = it->lifted;
  const double *rates = l->model->engine->turns.rates(it->simulation);
  double approach = it->halt.of ? carom_lifted_evaluate(l, it->halt.of->time) : 0.0;
  for (int i = 0; i < l->size && it->halt.of; i++)
    approach += carom_lifted_evaluate(l, it->halt.of->slope[i]) * rates[i];
  if (approach == 0.0)
    return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                      "the run was stopped at t = %.15g, a time that has no derivative",
                      carom_simulation_time(it->simulation));
  for (int i = 0; i < l->size; i++)
    row[i] -= passing / approach * carom_lifted_evaluate(l, it->halt.of->slope[i]);
  return CAROM_OK;
}

// one output at the end, and its total derivatives
static carom_status pull_output(carom_sensitivity *it, int output, double *row, double *value,
                                double *slopes, carom_error *error) {
  carom_lifted *l = it->lifted;
  const carom_lifted_function *f = &l->outputs[output];
  const double *rates = l->model->engine->turns.rates(it->simulation);
  carom_status status = CAROM_OK;
  *value = carom_lifted_evaluate(l, f->value);
  double passing = carom_lifted_evaluate(l, f->time);
  for (int i = 0; i < l->size; i++) {
    row[i] = carom_lifted_evaluate(l, f->slope[i]);
    passing += row[i] * rates[i];
  }
  if (it->halt.met) status = stop_later(it, passing, row, error);
  if (status == CAROM_OK) status = l->model->engine->tangent.pull(it->simulation, row, error);
  for (int j = 0; j < l->by_count; j++) {
    slopes[j] = it->halt.met ? 0.0 : passing * l->until.slope[j];
    for (int i = 0; i < l->size; i++)
      slopes[j] += row[i] * l->directions[i * l->by_count + j];
  }
  return status;
}

carom_status carom_sensitivity_pull(const carom_sensitivity_options *o, carom_sensitivity *it,
                                    carom_error *error) {
  carom_lifted *l = it->lifted;
  size_t of = (size_t)o->of_count, by = (size_t)o->by_count;
  double *values = carom_sensitivity_numbers(it, of);
  double *slopes = carom_sensitivity_numbers(it, of * by);
  double *row = carom_sensitivity_numbers(it, (size_t)l->size);
  carom_sensitivity_side *sides = carom_arena_array(it->arena, by, sizeof *sides);
  if (!values || !slopes || !row || !sides) return carom_fail_memory(error);
  carom_status status = check_outputs(o, l, error);
  const carom_observer observer = {.ctx = it, .event = note_stop};
  carom_simulation_observe(it->simulation, &observer);
  if (status == CAROM_OK) status = l->model->engine->tangent.record(it->simulation, error);
  if (status == CAROM_OK) status = carom_simulation_advance(it->simulation, l->until.at, error);
  if (status < 0) return status;
  if (status > 0 && !it->halt.met)
    return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                      "the run was stopped at t = %.15g, a time that has no derivative",
                      carom_simulation_time(it->simulation));
  status = CAROM_OK;
  carom_lifted_place(l, carom_simulation_time(it->simulation),
                     carom_simulation_state(it->simulation, NULL));
  for (int k = 0; k < o->of_count && status == CAROM_OK; k++)
    status = pull_output(it, k, row, &values[k], slopes + (size_t)k * by, error);
  it->view = (carom_sensitivity_view){.of_count = o->of_count,
                                      .by_count = o->by_count,
                                      .values = values,
                                      .slopes = slopes,
                                      .t_end = carom_simulation_time(it->simulation),
                                      .sides = sides,
                                      .notes = carom_tangent_met(it->simulation)};
  it->view.notes.piecewise += it->edge.begins;
  return status;
}
