// SPDX-License-Identifier: MIT
/// The adjoint: the slopes of each output are brought back from the end of the run to its start,
/// along what the run has kept. One sweep for each output, whatever the number of inputs. A run
/// that is too long to be kept is halted now and then, its state is saved there, and what was kept
/// is let go: from the last halt to the first, the part behind it is made again.
#include "analysis/sensitivity_parts.h"

#include <math.h>
#include <string.h>

static const size_t USUAL = (size_t)256 << 20; // bytes

/// A part of the run that is to be made again.
typedef struct saved_part {
  struct saved_part *before;
  void *begin; // the state it begins with
  size_t size;
  double end;
} saved_part;

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
  if (!it->halt.of || approach == 0.0)
    return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                      "the run was stopped at t = %.15g, a time that has no derivative",
                      carom_simulation_time(it->simulation));
  for (int i = 0; i < l->size; i++)
    row[i] -= passing / approach * carom_lifted_evaluate(l, it->halt.of->slope[i]);
  return CAROM_OK;
}

// an output at the end, and what its change is there: by states at the time of the end in `row`, by
// that time itself in `passing`
static carom_status begin_output(carom_sensitivity *it, int output, double *row, double *value,
                                 double *passing, carom_error *error) {
  carom_lifted *l = it->lifted;
  const carom_lifted_function *f = &l->outputs[output];
  const double *rates = l->model->engine->turns.rates(it->simulation);
  *value = carom_lifted_evaluate(l, f->value);
  *passing = carom_lifted_evaluate(l, f->time);
  for (int i = 0; i < l->size; i++) {
    row[i] = carom_lifted_evaluate(l, f->slope[i]);
    *passing += row[i] * rates[i];
  }
  return it->halt.met ? stop_later(it, *passing, row, error) : CAROM_OK;
}

// its total derivatives, with the row at the start
static void end_output(const carom_sensitivity *it, const double *row, double passing,
                       double *slopes) {
  const carom_lifted *l = it->lifted;
  for (int j = 0; j < l->by_count; j++) {
    slopes[j] = it->halt.met ? 0.0 : passing * l->until.slope[j];
    for (int i = 0; i < l->size; i++)
      slopes[j] += row[i] * l->directions[i * l->by_count + j];
  }
}

static carom_status pull_rows(const carom_sensitivity *it, const carom_simulation *over,
                              double *rows, carom_error *error) {
  const carom_lifted *l = it->lifted;
  carom_status status = CAROM_OK;
  for (int k = 0; k < l->of_count && status == CAROM_OK; k++)
    status = l->model->engine->tangent.pull(over, rows + k * l->size, error);
  return status;
}

// the state that the next part begins with
static saved_part *save_part(carom_sensitivity *it, saved_part *before, carom_error *error) {
  saved_part *made = carom_arena_take(it->arena, sizeof *made);
  size_t size = 0;
  carom_status status = carom_simulation_save(it->simulation, NULL, &size, error);
  void *begin = made && status == CAROM_OK ? carom_arena_take(it->arena, size) : NULL;
  if (!begin) {
    if (status == CAROM_OK) (void)carom_fail_memory(error);
    return NULL;
  }
  if (carom_simulation_save(it->simulation, begin, &size, error) != CAROM_OK) return NULL;
  *made = (saved_part){.before = before, .begin = begin, .size = size};
  return made;
}

// The whole run; of its last part all is kept, *parts are those before it, the last one first.
static carom_status run_in_parts(carom_sensitivity *it, size_t most, saved_part **parts,
                                 carom_error *error) {
  const carom_engine_tangent *tangent = &it->lifted->model->engine->tangent;
  carom_status status = CAROM_OK;
  *parts = NULL;
  for (;;) {
    saved_part *part = save_part(it, *parts, error);
    if (!part) return CAROM_ERR_MEMORY;
    status = tangent->record(it->simulation, most, error);
    if (status == CAROM_OK)
      status = carom_simulation_advance(it->simulation, it->lifted->until.at, error);
    part->end = carom_simulation_time(it->simulation);
    if (status != CAROM_OK || part->end >= it->lifted->until.at) return status;
    *parts = part;
  }
}

static carom_status pull_part(carom_sensitivity *it, carom_simulation *again,
                              const saved_part *part, double *rows, carom_error *error) {
  const carom_engine_tangent *tangent = &it->lifted->model->engine->tangent;
  tangent->end(again);
  carom_status status = carom_simulation_restore(again, part->begin, part->size, error);
  if (status == CAROM_OK) status = carom_tangent_begin(again, error);
  if (status == CAROM_OK) status = tangent->record(again, 0, error);
  if (status == CAROM_OK) status = carom_simulation_advance(again, part->end, error);
  return status == CAROM_OK ? pull_rows(it, again, rows, error) : status;
}

// rows over the parts before the last one, which are made again
static carom_status pull_parts(carom_sensitivity *it, const saved_part *parts, double *rows,
                               carom_error *error) {
  carom_simulation *again = NULL;
  if (!parts) return CAROM_OK;
  carom_status status =
      it->lifted->model->engine->tangent.record(it->simulation, 0, error); // let go
  if (status == CAROM_OK) status = carom_simulation_create(it->lifted->model, &again, error);
  for (; parts && status == CAROM_OK; parts = parts->before)
    status = pull_part(it, again, parts, rows, error);
  carom_simulation_destroy(again);
  return status;
}

carom_status carom_sensitivity_pull(const carom_sensitivity_options *o, carom_sensitivity *it,
                                    carom_error *error) {
  carom_lifted *l = it->lifted;
  size_t of = (size_t)o->of_count, by = (size_t)o->by_count;
  double *values = carom_sensitivity_numbers(it, of);
  double *passing = carom_sensitivity_numbers(it, of);
  double *slopes = carom_sensitivity_numbers(it, of * by);
  double *rows = carom_sensitivity_numbers(it, of * (size_t)l->size);
  carom_sensitivity_side *sides = carom_arena_array(it->arena, by, sizeof *sides);
  saved_part *parts = NULL;
  if (!values || !passing || !slopes || !rows || !sides) return carom_fail_memory(error);
  carom_status status = check_outputs(o, l, error);
  const carom_observer observer = {.ctx = it, .event = note_stop};
  carom_simulation_observe(it->simulation, &observer);
  if (status == CAROM_OK)
    status = run_in_parts(it, o->adjoint_memory > 0 ? o->adjoint_memory : USUAL, &parts, error);
  if (status < 0) return status;
  if (status > 0 && !it->halt.met)
    return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                      "the run was stopped at t = %.15g, a time that has no derivative",
                      carom_simulation_time(it->simulation));
  status = CAROM_OK;
  carom_lifted_place(l, carom_simulation_time(it->simulation),
                     carom_simulation_state(it->simulation, NULL));
  for (int k = 0; k < o->of_count && status == CAROM_OK; k++)
    status = begin_output(it, k, rows + k * l->size, &values[k], &passing[k], error);
  if (status == CAROM_OK) status = pull_rows(it, it->simulation, rows, error);
  if (status == CAROM_OK) status = pull_parts(it, parts, rows, error);
  for (int k = 0; k < o->of_count && status == CAROM_OK; k++)
    end_output(it, rows + k * l->size, passing[k], slopes + (size_t)k * by);
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
