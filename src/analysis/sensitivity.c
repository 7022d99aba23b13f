// SPDX-License-Identifier: MIT
/// One run with tangent dynamics. With x the inputs, y0(x) the start and Phi the derivative of the
/// motion by its start, dy/dx = Phi dy0/dx at a given time; at a time T(x) that moves with the
/// inputs dy/dx + y' dT/dx. Inputs that are parameters are components of the state themselves.
#include "carom/sensitivity.h"
#include "engine/lifted.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// State and total derivatives at a time.
typedef struct snapshot {
  double t;
  double *y, *slope; // [size], [size][by]
  double *late;      // how the time moves, [by]
} snapshot;

struct carom_sensitivity {
  carom_sensitivity_view view;
  carom_arena *arena; // of numbers and names that are handed out
  carom_lifted *lifted;
  carom_simulation *simulation;
  snapshot first, last, end; // of the measured part, and of the run
  snapshot seen;             // at one of the times asked for
  const double *times;
  int time_count, passed;
  double *course, *course_slopes;
  double *reduced; // slopes of reducers, [by]
  long room;
  carom_sensitivity_event *events;
  bool short_of_memory;
};

carom_sensitivity_options carom_sensitivity_options_default(void) {
  return (carom_sensitivity_options){.size = sizeof(carom_sensitivity_options)};
}

void carom_sensitivity_destroy(carom_sensitivity *result) {
  if (!result) return;
  carom_simulation_destroy(result->simulation);
  carom_lifted_destroy(result->lifted);
  free(result->events);
  carom_arena *arena = result->arena;
  carom_arena_destroy(arena);
  free(result);
}

const carom_sensitivity_view *carom_sensitivity_look(const carom_sensitivity *result) {
  return &result->view;
}

static double *numbers(carom_sensitivity *it, size_t count) {
  return carom_arena_array(it->arena, count + 1, sizeof(double));
}

// ---- events

static bool more_events(carom_sensitivity *it) {
  if (it->view.event_count < it->room) return true;
  long room = it->room > 0 ? 2 * it->room : 64;
  void *grown = realloc(it->events, (size_t)room * sizeof *it->events);
  if (!grown) return false;
  it->events = grown;
  it->room = room;
  return true;
}

static int note_event(void *ctx, const carom_event *event) {
  carom_sensitivity *it = ctx;
  const carom_lifted *l = it->lifted;
  int by = l->by_count;
  double *slopes = numbers(it, (size_t)by);
  if (!slopes || !more_events(it)) {
    it->short_of_memory = true;
    return 1;
  }
  const double *late = carom_tangent_late(it->simulation);
  for (int j = 0; j < by; j++) {
    double sum = 0.0;
    for (int i = 0; i < l->size && late; i++)
      sum += late[i] * l->directions[i * by + j];
    slopes[j] = late ? sum : (double)NAN;
  }
  it->events[it->view.event_count++] =
      (carom_sensitivity_event){event->kind, event->name, event->t, slopes};
  return 0;
}

// ---- the run

static carom_status make_snapshot(carom_sensitivity *it, snapshot *at, carom_error *error) {
  size_t size = (size_t)it->lifted->size, by = (size_t)it->lifted->by_count;
  at->y = numbers(it, size);
  at->slope = numbers(it, size * by);
  at->late = numbers(it, by);
  return at->y && at->slope && at->late ? CAROM_OK : carom_fail_memory(error);
}

static void take_snapshot(carom_sensitivity *it, snapshot *at) {
  const carom_lifted *l = it->lifted;
  int size = 0, by = l->by_count;
  const double *matrix = carom_tangent_matrix(it->simulation, &size);
  const double *rates = l->model->engine->turns.rates(it->simulation);
  assert(size == l->size && matrix);
  at->t = carom_simulation_time(it->simulation);
  memcpy(at->y, carom_simulation_state(it->simulation, NULL), (size_t)size * sizeof *at->y);
  for (int i = 0; i < size; i++)
    for (int j = 0; j < by; j++) {
      double sum = rates[i] * at->late[j];
      for (int k = 0; k < size; k++)
        sum += matrix[i * size + k] * l->directions[k * by + j];
      at->slope[i * by + j] = sum;
    }
}

// a function of the state at a snapshot, and its total derivatives
static double at_snapshot(carom_sensitivity *it, const carom_lifted_function *f, const snapshot *at,
                          double *slopes) {
  carom_lifted *l = it->lifted;
  carom_lifted_place(l, at->t, at->y);
  double time = carom_lifted_evaluate(l, f->time);
  for (int j = 0; j < l->by_count; j++)
    slopes[j] = time * at->late[j];
  for (int i = 0; i < l->size; i++) {
    double slope = carom_lifted_evaluate(l, f->slope[i]);
    for (int j = 0; j < l->by_count && slope != 0.0; j++)
      slopes[j] += slope * at->slope[i * l->by_count + j];
  }
  return carom_lifted_evaluate(l, f->value);
}

static carom_status advance(carom_sensitivity *it, double t, carom_error *error) {
  carom_status status = CAROM_OK;
  if (t > carom_simulation_time(it->simulation))
    status = carom_simulation_advance(it->simulation, t, error);
  if (it->short_of_memory) return carom_fail_memory(error);
  if (status > 0)
    return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                      "the run was stopped at t = %.15g, before its end: derivatives of what it is "
                      "there are not computed",
                      carom_simulation_time(it->simulation));
  return status;
}

// the times asked for that come up to t
static carom_status pass_times(carom_sensitivity *it, double t, carom_error *error) {
  const carom_lifted *l = it->lifted;
  for (; it->passed < it->time_count && it->times[it->passed] <= t; it->passed++) {
    double *values = it->course + it->passed * l->of_count;
    double *slopes = it->course_slopes + it->passed * l->of_count * l->by_count;
    carom_status status = advance(it, it->times[it->passed], error);
    if (status != CAROM_OK) return status;
    take_snapshot(it, &it->seen);
    for (int o = 0; o < l->of_count; o++)
      values[o] = at_snapshot(it, &l->outputs[o], &it->seen, slopes + o * l->by_count);
  }
  return CAROM_OK;
}

static carom_status go_to(carom_sensitivity *it, double t, snapshot *at, carom_error *error) {
  carom_status status = pass_times(it, t, error);
  if (status == CAROM_OK) status = advance(it, t, error);
  if (status == CAROM_OK) take_snapshot(it, at);
  return status;
}

// the measured part, and how its ends move with the inputs
static carom_status follow(carom_sensitivity *it, carom_error *error) {
  const carom_lifted *l = it->lifted;
  double until = l->until.at, from = l->from.at, to = from + l->over.at;
  bool whole = isnan(l->over.at) || to >= until;
  for (int j = 0; j < l->by_count; j++) {
    it->first.late[j] = l->from.slope[j];
    it->end.late[j] = l->until.slope[j];
    it->last.late[j] = whole ? l->until.slope[j] : l->from.slope[j] + l->over.slope[j];
  }
  if (from > until) return carom_fail(error, CAROM_ERR_INPUT, "the run ends before it is measured");
  carom_status status = go_to(it, from, &it->first, error);
  if (status == CAROM_OK) status = go_to(it, whole ? until : to, &it->last, error);
  if (status == CAROM_OK) status = go_to(it, until, &it->end, error);
  return status == CAROM_OK ? pass_times(it, INFINITY, error) : status;
}

// ---- outputs

// (b - a) / duration
static double per_time(const carom_sensitivity *it, double a, double b, const double *a_slopes,
                       double *slopes) {
  double lasts = it->last.t - it->first.t, mean = (b - a) / lasts;
  for (int j = 0; j < it->lifted->by_count; j++)
    slopes[j] = (slopes[j] - a_slopes[j] - mean * (it->last.late[j] - it->first.late[j])) / lasts;
  return mean;
}

static double reduce(carom_sensitivity *it, int k, double *slopes, double *other) {
  const carom_lifted *l = it->lifted;
  int component, by = l->by_count;
  memset(slopes, 0, (size_t)by * sizeof *slopes);
  switch (carom_lifted_reduction(l, k, &component)) {
  case CAROM_REDUCE_MEAN:
    if (component < 0) return (double)NAN;
    memcpy(slopes, it->last.slope + component * by, (size_t)by * sizeof *slopes);
    return per_time(it, it->first.y[component], it->last.y[component],
                    it->first.slope + component * by, slopes);
  case CAROM_REDUCE_LAST: return at_snapshot(it, &l->reducers[k], &it->last, slopes);
  case CAROM_REDUCE_MEAN_RATE: {
    double a = at_snapshot(it, &l->reducers[k], &it->first, other);
    double b = at_snapshot(it, &l->reducers[k], &it->last, slopes);
    return per_time(it, a, b, other, slopes);
  }
  default: return (double)NAN; // counts are put in by the motion; others are refused
  }
}

static void fill_outputs(carom_sensitivity *it, double *values, double *slopes, double *other) {
  carom_lifted *l = it->lifted;
  int by = l->by_count;
  for (int k = 0; k < l->reducer_count; k++)
    carom_lifted_reduced(l, k, reduce(it, k, it->reduced + k * by, other));
  for (int o = 0; o < l->of_count; o++) {
    const carom_lifted_function *f = &l->outputs[o];
    values[o] = at_snapshot(it, f, &it->end, slopes + o * by);
    for (int k = 0; k < l->reducer_count; k++) {
      double slope = carom_lifted_evaluate(l, f->reducer[k]);
      for (int j = 0; j < by && slope != 0.0; j++)
        slopes[o * by + j] += slope * it->reduced[k * by + j];
    }
  }
}

static carom_status compute(const carom_sensitivity_options *o, carom_sensitivity *it,
                            carom_error *error) {
  carom_status status =
      carom_lifted_create(o->model, o->by_count, o->by, o->of_count, o->of, &it->lifted, error);
  if (status == CAROM_OK)
    status = carom_lifted_start(it->lifted, o->by_count, o->by, o->value_count, o->values, error);
  if (status == CAROM_OK)
    status = carom_simulation_create(it->lifted->model, &it->simulation, error);
  if (status == CAROM_OK)
    status = carom_simulation_set_all(it->simulation, o->value_count, o->values, error);
  carom_certificate met;
  if (status == CAROM_OK) status = carom_simulation_certificate(it->simulation, &met, error);
  if (status != CAROM_OK) return status;
  if (met.counts.impacts > 0)
    return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                      "a contact strikes at the start: neighbouring runs may not, so that there is "
                      "no derivative");
  status = carom_tangent_begin(it->simulation, error);
  if (status == CAROM_OK) status = make_snapshot(it, &it->first, error);
  if (status == CAROM_OK) status = make_snapshot(it, &it->last, error);
  if (status == CAROM_OK) status = make_snapshot(it, &it->end, error);
  if (status == CAROM_OK) status = make_snapshot(it, &it->seen, error);
  if (status != CAROM_OK) return status;
  size_t by = (size_t)o->by_count, of = (size_t)o->of_count;
  double *values = numbers(it, of), *slopes = numbers(it, of * by), *other = numbers(it, by);
  size_t seen = (size_t)o->time_count * of;
  it->reduced = numbers(it, (size_t)it->lifted->reducer_count * by);
  it->course = numbers(it, seen);
  it->course_slopes = numbers(it, seen * by);
  it->times = o->times;
  it->time_count = o->time_count;
  if (!values || !slopes || !other || !it->reduced || !it->course || !it->course_slopes)
    return carom_fail_memory(error);
  for (int k = 0; k < it->lifted->reducer_count; k++)
    carom_lifted_reduced(it->lifted, k, (double)NAN);
  const carom_observer observer = {.ctx = it, .event = note_event};
  carom_simulation_observe(it->simulation, &observer);
  status = follow(it, error);
  if (status != CAROM_OK) return status;
  fill_outputs(it, values, slopes, other);
  for (int k = 0; k < o->of_count; k++) // what a count is, the motion knows
    if (isnan(values[k])) (void)carom_simulation_get(it->simulation, o->of[k], &values[k], NULL);
  it->view = (carom_sensitivity_view){.of_count = o->of_count,
                                      .by_count = o->by_count,
                                      .values = values,
                                      .slopes = slopes,
                                      .time_count = o->time_count,
                                      .course = it->course,
                                      .course_slopes = it->course_slopes,
                                      .event_count = it->view.event_count,
                                      .events = it->events,
                                      .t_end = it->end.t,
                                      .notes = carom_tangent_met(it->simulation)};
  return CAROM_OK;
}

carom_status carom_sensitivity_run(const carom_sensitivity_options *options,
                                   carom_sensitivity **result, carom_error *error) {
  *result = NULL;
  if (options->size != sizeof *options || !options->model || options->by_count < 1)
    return carom_fail(error, CAROM_ERR_ARGUMENT,
                      "start from carom_sensitivity_options_default(), with a model and inputs");
  carom_sensitivity *it = calloc(1, sizeof *it);
  if (!it || !(it->arena = carom_arena_create(NULL))) {
    free(it);
    return carom_fail_memory(error);
  }
  carom_status status = compute(options, it, error);
  if (status == CAROM_OK)
    *result = it;
  else
    carom_sensitivity_destroy(it);
  return status;
}
