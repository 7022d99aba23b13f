// SPDX-License-Identifier: MIT
/// One run with tangent dynamics. With x the inputs, y0(x) the start and Phi the derivative of the
/// motion by its start, dy/dx = Phi dy0/dx at a given time; at a time T(x) that moves with the
/// inputs dy/dx + y' dT/dx. Inputs that are parameters are components of the state themselves.
#include "analysis/sensitivity_parts.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SAME = 1e-7;         // what a motion with other steps may differ by
static const double STATIONARY = 1e-6;   // of its parts: a rate that is zero as well as it is found
static const char *const PEAK = "peak~"; // sections at extremes, see engine/lifted.h

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

double *carom_sensitivity_numbers(carom_sensitivity *it, size_t count) {
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

// A = B directions, of matrices with as many columns as the state has components
static void along_inputs(const carom_sensitivity *it, int rows, const double *B, double *A) {
  const carom_lifted *l = it->lifted;
  int by = l->by_count;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < by; j++) {
      double sum = 0.0;
      for (int k = 0; k < l->size; k++)
        sum += B[i * l->size + k] * l->directions[k * by + j];
      A[i * by + j] = it->met.side[j] == CAROM_SENSITIVITY_JUMPS ? (double)NAN : sum;
    }
}

// a function of the state at a carom_snapshot, and its total derivatives
static double at_snapshot(carom_sensitivity *it, const carom_lifted_function *f,
                          const carom_snapshot *at, double *slopes) {
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

// how the zero of a function moves, from derivatives at the time itself: -(h_y dy)/(h_t + h_y y')
static void late_of(carom_sensitivity *it, const carom_lifted_function *f, const double *rates) {
  carom_lifted *l = it->lifted;
  carom_snapshot *at = &it->before;
  memset(at->late, 0, (size_t)l->by_count * sizeof *at->late);
  (void)at_snapshot(it, f, at, it->change);
  double passes = carom_lifted_evaluate(l, f->time);
  for (int i = 0; i < l->size; i++)
    passes += carom_lifted_evaluate(l, f->slope[i]) * rates[i];
  for (int j = 0; j < l->by_count; j++)
    at->late[j] = passes != 0.0 ? -it->change[j] / passes : (double)NAN;
}

static bool is_peak(const carom_event *event) {
  return strncmp(event->name, PEAK, strlen(PEAK)) == 0;
}

// State and total derivatives on both sides of the event; false: there are none. Peaks are where a
// rate vanishes, so that it does not matter by how much they come later.
static bool look_at_event(carom_sensitivity *it, const carom_event *event) {
  const carom_lifted *l = it->lifted;
  const carom_engine_tangent *tangent = &l->model->engine->tangent;
  const double *late = carom_tangent_late(it->simulation);
  const double *rates = tangent->rates_before(it->simulation);
  const double *jump = tangent->after(it->simulation);
  bool stop = event->kind == CAROM_EVENT_STOP, rule = stop || event->kind == CAROM_EVENT_SECTION;
  const carom_lifted_function *f = rule ? carom_lifted_trigger(l, stop, event->name) : NULL;
  carom_snapshot *a = &it->before, *b = &it->after;
  int by = l->by_count, size = 0;
  a->t = b->t = event->t;
  memcpy(a->y, event->before, (size_t)l->size * sizeof *a->y);
  memcpy(b->y, event->after, (size_t)l->size * sizeof *b->y);
  if (!rates || !jump) return false;
  along_inputs(it, l->size, carom_tangent_matrix(it->simulation, &size), a->slope);
  along_inputs(it, l->size, jump, b->slope);
  memset(a->late, 0, (size_t)by * sizeof *a->late);
  if (is_peak(event)) return true;
  if (rule && !f) return false;
  if (rule)
    late_of(it, f, rates);
  else if (late)
    along_inputs(it, 1, late, a->late);
  else
    return false;
  for (int i = 0; i < l->size; i++)
    for (int j = 0; j < by; j++)
      a->slope[i * by + j] += rates[i] * a->late[j];
  memcpy(b->late, a->late, (size_t)by * sizeof *b->late);
  return true;
}

// a candidate for an extreme
static void consider_extreme(carom_sensitivity *it, int k, double sign, const carom_snapshot *at) {
  const carom_lifted *l = it->lifted;
  double value = at_snapshot(it, &l->reducers[k], at, it->change);
  if (!isnan(it->noted[k]) && !(sign * value > sign * it->noted[k])) return;
  it->noted[k] = value;
  memcpy(it->reduced + k * l->by_count, it->change, (size_t)l->by_count * sizeof *it->change);
}

static double sign_of(carom_reduction kind) {
  return kind == CAROM_REDUCE_MAX ? 1.0 : kind == CAROM_REDUCE_MIN ? -1.0 : 0.0;
}

static bool is_counted(carom_event_kind kind) {
  return kind == CAROM_EVENT_USER || kind == CAROM_EVENT_SECTION || kind == CAROM_EVENT_STOP ||
         kind == CAROM_EVENT_IMPACT;
}

static bool is_single(carom_reduction kind) {
  return sign_of(kind) != 0.0 || kind == CAROM_REDUCE_AT || kind == CAROM_REDUCE_COUNT;
}

static bool is_measured(const carom_lifted *l, double t) {
  double end = l->from.at + l->over.at;
  return t >= l->from.at && t <= (isnan(end) ? (double)INFINITY : end);
}

static void count_event(carom_sensitivity *it, const carom_event *event) {
  const carom_lifted *l = it->lifted;
  for (int k = 0; k < l->reducer_count && is_counted(event->kind); k++) {
    int component;
    if (carom_lifted_reduction(l, k, &component) != CAROM_REDUCE_COUNT) continue;
    if (strcmp(carom_lifted_target(l, k), event->name) == 0) it->noted[k] += 1.0;
  }
}

// Is the expression stationary at this peak of its own? At a kink it is not.
static bool is_stationary(carom_sensitivity *it, int k, const carom_event *event) {
  carom_lifted *l = it->lifted;
  const double *rates = l->model->engine->tangent.rates_before(it->simulation);
  const carom_lifted_function *f = &l->reducers[k];
  if (strtol(event->name + strlen(PEAK), NULL, 10) != k) return false;
  carom_lifted_place(l, it->before.t, it->before.y);
  double rate = carom_lifted_evaluate(l, f->time), possible = fabs(rate);
  for (int i = 0; i < l->size; i++) {
    double part = carom_lifted_evaluate(l, f->slope[i]) * rates[i];
    rate += part;
    possible += fabs(part);
  }
  return fabs(rate) <= STATIONARY * fmax(possible, 1.0);
}

// what the event means for reducers that look at single instants
static void reduce_event(carom_sensitivity *it, const carom_event *event) {
  const carom_lifted *l = it->lifted;
  bool peak = is_peak(event), jumps = is_counted(event->kind) && event->kind != CAROM_EVENT_SECTION;
  for (int k = 0; k < l->reducer_count; k++) {
    int component;
    carom_reduction kind = carom_lifted_reduction(l, k, &component);
    double sign = sign_of(kind);
    if (sign != 0.0 && (jumps || (peak && is_stationary(it, k, event))))
      consider_extreme(it, k, sign, &it->before);
    if (sign != 0.0 && jumps) consider_extreme(it, k, sign, &it->after);
    if (kind != CAROM_REDUCE_AT || peak || !is_counted(event->kind)) continue;
    if (strcmp(carom_lifted_target(l, k), event->name) == 0)
      it->noted[k] = at_snapshot(it, &l->reducers[k], &it->before, it->reduced + k * l->by_count);
  }
}

// what an event at the very end of the run finds
static void keep_edge(carom_sensitivity *it, const carom_event *event) {
  int size = 0;
  if (it->edge.ends || event->kind == CAROM_EVENT_STOP || event->t < it->lifted->until.at) return;
  it->edge.ends = true;
  along_inputs(it, it->lifted->size, carom_tangent_matrix(it->simulation, &size), it->edge.slope);
}

// Does it change derivatives? Then they are those of neighbours that meet it before the end.
static bool is_one_sided(const carom_sensitivity *it) {
  int size = 0, by = it->lifted->by_count;
  double largest = 0.0, apart = 0.0, *now = it->before.slope;
  if (!it->edge.ends) return false;
  along_inputs(it, it->lifted->size, carom_tangent_matrix(it->simulation, &size), now);
  for (int k = 0; k < it->lifted->size * by; k++) {
    apart = fmax(apart, fabs(now[k] - it->edge.slope[k]));
    largest = fmax(largest, fabs(it->edge.slope[k]));
  }
  return apart > SAME * largest;
}

static int note_event(void *ctx, const carom_event *event) {
  carom_sensitivity *it = ctx;
  size_t by = (size_t)it->lifted->by_count;
  if (!carom_sensitivity_meet(it, event)) it->short_of_memory = true;
  bool known = look_at_event(it, event);
  if (is_measured(it->lifted, event->t)) {
    count_event(it, event);
    if (known) reduce_event(it, event);
  }
  if (is_peak(event)) return 0;
  double *slopes = carom_sensitivity_numbers(it, by);
  if (!slopes || !more_events(it)) {
    it->short_of_memory = true;
    return 1;
  }
  for (size_t j = 0; j < by; j++)
    slopes[j] = known ? it->before.late[j] : (double)NAN;
  if (!known) carom_sensitivity_own_time(it, event, slopes);
  keep_edge(it, event);
  if (event->kind == CAROM_EVENT_STOP) {
    it->halt.met = true;
    memcpy(it->halt.late, slopes, by * sizeof *slopes);
  }
  it->events[it->view.event_count++] =
      (carom_sensitivity_event){event->kind, event->name, event->t, slopes};
  return 0;
}

// ---- the run

static carom_status make_snapshot(carom_sensitivity *it, carom_snapshot *at, carom_error *error) {
  size_t size = (size_t)it->lifted->size, by = (size_t)it->lifted->by_count;
  at->y = carom_sensitivity_numbers(it, size);
  at->slope = carom_sensitivity_numbers(it, size * by);
  at->late = carom_sensitivity_numbers(it, by);
  return at->y && at->slope && at->late ? CAROM_OK : carom_fail_memory(error);
}

static void take_snapshot(carom_sensitivity *it, carom_snapshot *at) {
  const carom_lifted *l = it->lifted;
  int size = 0, by = l->by_count;
  const double *matrix = carom_tangent_matrix(it->simulation, &size);
  const double *rates = l->model->engine->turns.rates(it->simulation);
  assert(size == l->size && matrix);
  at->t = carom_simulation_time(it->simulation);
  memcpy(at->y, carom_simulation_state(it->simulation, NULL), (size_t)size * sizeof *at->y);
  along_inputs(it, size, matrix, at->slope);
  for (int i = 0; i < size; i++)
    for (int j = 0; j < by; j++)
      at->slope[i * by + j] += rates[i] * at->late[j];
}

static carom_status advance_to(carom_sensitivity *it, double t, carom_error *error) {
  carom_status status = CAROM_OK;
  if (t > carom_simulation_time(it->simulation))
    status = carom_simulation_advance(it->simulation, t, error);
  if (it->short_of_memory) return carom_fail_memory(error);
  if (status > 0 && !(it->halt.met && isfinite(it->halt.late[0])))
    return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                      "the run was stopped at t = %.15g, a time that has no derivative",
                      carom_simulation_time(it->simulation));
  return status > 0 ? CAROM_OK : status;
}

// of a function, at the place of the last carom_snapshot
static double rate_of(const carom_sensitivity *it, const carom_lifted_function *f) {
  const carom_lifted *l = it->lifted;
  const double *rates = l->model->engine->turns.rates(it->simulation);
  double rate = carom_lifted_evaluate(l, f->time);
  for (int i = 0; i < l->size; i++)
    rate += carom_lifted_evaluate(l, f->slope[i]) * rates[i];
  return rate;
}

// the times asked for that come up to t
static carom_status pass_times(carom_sensitivity *it, double t, carom_error *error) {
  const carom_lifted *l = it->lifted;
  for (; it->passed < it->time_count && it->times[it->passed] <= t; it->passed++) {
    double *values = it->course + it->passed * l->of_count;
    double *slopes = it->course_slopes + it->passed * l->of_count * l->by_count;
    carom_status status = it->halt.met ? CAROM_OK : advance_to(it, it->times[it->passed], error);
    if (status == CAROM_OK && it->halt.met)
      return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                        "the run was stopped at t = %.15g, before t = %.15g is reached",
                        carom_simulation_time(it->simulation), it->times[it->passed]);
    if (status != CAROM_OK) return status;
    take_snapshot(it, &it->seen);
    for (int o = 0; o < l->of_count; o++) {
      values[o] = at_snapshot(it, &l->outputs[o], &it->seen, slopes + o * l->by_count);
      it->course_rates[it->passed * l->of_count + o] = rate_of(it, &l->outputs[o]);
    }
  }
  return CAROM_OK;
}

static carom_status go_to(carom_sensitivity *it, double t, carom_snapshot *at, carom_error *error) {
  carom_status status = pass_times(it, t, error);
  if (status == CAROM_OK && !it->halt.met) status = advance_to(it, t, error);
  if (status != CAROM_OK) return status;
  if (it->halt.met)
    memcpy(at->late, it->halt.late, (size_t)it->lifted->by_count * sizeof *at->late);
  take_snapshot(it, at);
  return CAROM_OK;
}

// the measured part, and how its ends move with the inputs
static carom_status follow_measured(carom_sensitivity *it, carom_error *error) {
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
  if (status == CAROM_OK && it->halt.met)
    return carom_fail(error, CAROM_ERR_INPUT, "the run was stopped before it is measured");
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

static double reduce_observable(carom_sensitivity *it, int k, double *slopes, double *other) {
  const carom_lifted *l = it->lifted;
  int component, by = l->by_count;
  carom_reduction kind = carom_lifted_reduction(l, k, &component);
  if (sign_of(kind) != 0.0) {
    consider_extreme(it, k, sign_of(kind), &it->first);
    consider_extreme(it, k, sign_of(kind), &it->last);
  }
  if (is_single(kind)) return it->noted[k];
  memset(slopes, 0, (size_t)by * sizeof *slopes);
  switch (kind) {
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
  default: return (double)NAN;
  }
}

static void fill_outputs(carom_sensitivity *it, double *values, double *slopes, double *other) {
  carom_lifted *l = it->lifted;
  int by = l->by_count;
  for (int k = 0; k < l->reducer_count; k++)
    carom_lifted_reduced(l, k, reduce_observable(it, k, it->reduced + k * by, other));
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

// Values must be those that the run itself tells: an extreme at a kink of its expression, or an
// instant without derivatives, would otherwise pass for something else.
static carom_status check_reduced(carom_sensitivity *it, const carom_sensitivity_options *o,
                                  const double *values, const double *slopes, carom_error *error) {
  const carom_lifted *l = it->lifted;
  for (int k = 0; k < o->of_count; k++) {
    bool single = false, fine = true;
    double told = values[k];
    for (int r = 0; r < l->reducer_count; r++) {
      int component;
      single = single ||
               (is_single(carom_lifted_reduction(l, r, &component)) && carom_lifted_uses(l, k, r));
    }
    if (!single) continue;
    carom_status status = carom_simulation_get(it->simulation, o->of[k], &told, error);
    if (status != CAROM_OK) return status;
    for (int j = 0; j < l->by_count; j++)
      fine = fine &&
             (isfinite(slopes[k * l->by_count + j]) || it->met.side[j] == CAROM_SENSITIVITY_JUMPS);
    if (fine && fabs(told - values[k]) <= SAME * fmax(1.0, fabs(told))) continue;
    return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                      "'%s' is decided at a kink of its expression or at an instant without "
                      "derivatives: its derivatives are not computed",
                      o->of[k]);
  }
  return CAROM_OK;
}

// the lifted model and its simulation, at the start
static carom_status prepare_lifted(const carom_sensitivity_options *o, carom_sensitivity *it,
                                   carom_error *error) {
  carom_status status =
      carom_lifted_create(o->model, o->by_count, o->by, o->of_count, o->of, &it->lifted, error);
  if (status == CAROM_OK)
    status = carom_lifted_start(it->lifted, o->by_count, o->by, o->value_count, o->values, error);
  if (status == CAROM_OK)
    status = carom_simulation_create(it->lifted->model, &it->simulation, error);
  if (status == CAROM_OK)
    status = carom_simulation_set_all(it->simulation, o->value_count, o->values, error);
  if (status == CAROM_OK)
    status = carom_lifted_begin(it->lifted, it->simulation, o->by_count, o->by, o->value_count,
                                o->values, error);
  if (status == CAROM_OK && it->met.order > 0)
    status = carom_tangent_order(it->simulation, it->met.order, error);
  if (status == CAROM_OK) status = carom_tangent_begin(it->simulation, error);
  const carom_engine_tangent *tangent = &o->model->engine->tangent;
  if (status == CAROM_OK && tangent->on_edge)
    status = tangent->on_edge(it->simulation, o->by_count, it->lifted->directions, &it->edge.begins,
                              error);
  return status;
}

// before the graze whose kick is followed nothing changes
static void keep_still(carom_lifted *l) {
  size_t by = (size_t)l->by_count;
  memset(l->directions, 0, (size_t)l->size * by * sizeof *l->directions);
  memset(l->until.slope, 0, by * sizeof *l->until.slope);
  memset(l->from.slope, 0, by * sizeof *l->from.slope);
  memset(l->over.slope, 0, by * sizeof *l->over.slope);
}

static carom_status make_room(const carom_sensitivity_options *o, carom_sensitivity *it,
                              carom_error *error) {
  carom_snapshot *const all[] = {&it->first, &it->last,   &it->end,
                                 &it->seen,  &it->before, &it->after};
  carom_status status = CAROM_OK;
  for (size_t k = 0; k < sizeof all / sizeof *all && status == CAROM_OK; k++)
    status = make_snapshot(it, all[k], error);
  if (status != CAROM_OK) return status;
  long failures = carom_arena_failures(it->arena);
  size_t by = (size_t)o->by_count, seen = (size_t)o->time_count * (size_t)o->of_count;
  it->reduced = carom_sensitivity_numbers(it, (size_t)it->lifted->reducer_count * by);
  it->noted = carom_sensitivity_numbers(it, (size_t)it->lifted->reducer_count);
  it->change = carom_sensitivity_numbers(it, by);
  it->edge.slope = carom_sensitivity_numbers(it, (size_t)it->lifted->size * by);
  it->halt.late = carom_sensitivity_numbers(it, by);
  it->course = carom_sensitivity_numbers(it, seen);
  it->course_slopes = carom_sensitivity_numbers(it, seen * by);
  it->course_rates = carom_sensitivity_numbers(it, seen);
  it->met.side = carom_arena_array(it->arena, by, sizeof *it->met.side);
  it->met.t = (double)NAN;
  it->times = o->times;
  it->time_count = o->time_count;
  if (carom_arena_failures(it->arena) != failures) return carom_fail_memory(error);
  for (int k = 0; k < it->lifted->reducer_count; k++) {
    int component;
    bool counts = carom_lifted_reduction(it->lifted, k, &component) == CAROM_REDUCE_COUNT;
    carom_lifted_reduced(it->lifted, k, (double)NAN);
    it->noted[k] = counts ? 0.0 : (double)NAN;
  }
  return CAROM_OK;
}

carom_status carom_sensitivity_compute(const carom_sensitivity_options *o, carom_sensitivity *it,
                                       carom_error *error) {
  carom_status status = prepare_lifted(o, it, error);
  if (status == CAROM_OK && o->adjoint) return carom_sensitivity_pull(o, it, error);
  if (status == CAROM_OK) status = make_room(o, it, error);
  if (status != CAROM_OK) return status;
  if (it->met.aside >= 0) keep_still(it->lifted);
  size_t by = (size_t)o->by_count, of = (size_t)o->of_count;
  double *values = carom_sensitivity_numbers(it, of);
  double *slopes = carom_sensitivity_numbers(it, of * by);
  double *other = carom_sensitivity_numbers(it, by);
  if (!values || !slopes || !other) return carom_fail_memory(error);
  const carom_observer observer = {.ctx = it, .event = note_event};
  carom_simulation_observe(it->simulation, &observer);
  status = follow_measured(it, error);
  if (status != CAROM_OK) return status;
  fill_outputs(it, values, slopes, other);
  status = check_reduced(it, o, values, slopes, error);
  if (status != CAROM_OK) return status;
  it->view = (carom_sensitivity_view){.of_count = o->of_count,
                                      .by_count = o->by_count,
                                      .values = values,
                                      .slopes = slopes,
                                      .time_count = o->time_count,
                                      .course = it->course,
                                      .course_slopes = it->course_slopes,
                                      .course_rates = it->course_rates,
                                      .event_count = it->view.event_count,
                                      .events = it->events,
                                      .t_end = it->end.t,
                                      .sides = it->met.side,
                                      .notes = carom_tangent_met(it->simulation)};
  it->view.notes.piecewise += is_one_sided(it);
  it->view.notes.piecewise += it->edge.begins;
  return CAROM_OK;
}

carom_sensitivity *carom_sensitivity_create(void) {
  carom_sensitivity *made = calloc(1, sizeof *made);
  if (made && (made->arena = carom_arena_create(NULL))) {
    made->met.aside = -1;
    return made;
  }
  free(made);
  return NULL;
}

static carom_status run_opened(const carom_sensitivity_options *options, carom_sensitivity **result,
                               carom_error *error) {
  carom_sensitivity *it = carom_sensitivity_create();
  if (!it) return carom_fail_memory(error);
  carom_status status = carom_sensitivity_compute(options, it, error);
  if (status == CAROM_OK && options->sides)
    status = carom_sensitivity_follow_sides(options, it, error);
  if (status == CAROM_OK && options->second) status = carom_sensitivity_bend(options, it, error);
  if (status == CAROM_OK)
    *result = it;
  else
    carom_sensitivity_destroy(it);
  return status;
}

// inputs and values by the names that the model has for them
static carom_status name_inputs(carom_sensitivity_options *o, carom_arena *arena,
                                carom_model **opened, carom_error *error) {
  size_t inputs = (size_t)o->by_count, given = (size_t)o->value_count;
  const char **names = carom_arena_array(arena, inputs + given + 1, sizeof *names);
  carom_value *values = carom_arena_array(arena, given + 1, sizeof *values);
  if (!names || !values) return carom_fail_memory(error);
  for (int j = 0; j < o->by_count; j++)
    names[j] = o->by[j];
  for (int k = 0; k < o->value_count; k++)
    names[o->by_count + k] = o->values[k].name;
  carom_status status =
      carom_model_open(o->model, o->by_count + o->value_count, names, opened, error);
  if (status != CAROM_OK) return status;
  if (*opened) o->model = *opened;
  for (int j = 0; j < o->by_count; j++)
    names[j] = carom_model_input(o->model, names[j]);
  for (int k = 0; k < o->value_count; k++)
    values[k] = (carom_value){carom_model_input(o->model, o->values[k].name), o->values[k].value};
  o->by = names;
  o->values = values;
  return CAROM_OK;
}

carom_status carom_sensitivity_run(const carom_sensitivity_options *options,
                                   carom_sensitivity **result, carom_error *error) {
  *result = NULL;
  if (options->size != sizeof *options || !options->model || options->by_count < 1)
    return carom_fail(error, CAROM_ERR_ARGUMENT,
                      "start from carom_sensitivity_options_default(), with a model and inputs");
  carom_sensitivity_options named = *options;
  carom_model *opened = NULL;
  carom_arena *arena = carom_arena_create(NULL);
  carom_status status =
      arena ? name_inputs(&named, arena, &opened, error) : carom_fail_memory(error);
  if (status == CAROM_OK) status = run_opened(&named, result, error);
  carom_model_destroy(opened);
  carom_arena_destroy(arena);
  return status;
}
