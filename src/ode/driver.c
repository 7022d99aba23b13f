// SPDX-License-Identifier: MIT
/// Integrations of C functions with events: the stepper and the root search put together.
#include "carom/ode.h"

#include "base/arena.h"
#include "base/error.h"
#include "ode/root.h"
#include "ode/stepper.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { CACHE = 32 };
static const double TIE = 1e-13; // roots this near (of a step) are one event

struct carom_ode {
  carom_arena *arena;
  carom_stepper stepper;
  carom_ode_options options;
  bool placed, stale; // a state was set; f at the state is not up to date
  double h_keep;      // the step size to go on with
  // events
  int count;
  carom_ode_event_functions functions;
  carom_root_watch *watch;
  carom_root *roots;
  carom_ode_event *events;
  int event_count;
  double *residual; // |g| left over at the last event of each function
  double *g1, *g;
  // values of all functions at places of the present step, asked for in the same order by each
  double cache_theta[CACHE];
  double *cache_g;
  int cached, cache_guess;
  double *y;
  long event_evaluations, event_total;
};

carom_ode_options carom_ode_options_default(void) {
  return (carom_ode_options){
      .rtol = 1e-10, .atol = 1e-12, .max_steps = 100000000, .size = sizeof(carom_ode_options)};
}

// --- making and configuring ---

static carom_status fill_options(carom_ode *ode, const carom_ode_options *options,
                                 carom_error *error) {
  ode->options = options ? *options : carom_ode_options_default();
  carom_status status =
      carom_check_options(ode->options.size, sizeof ode->options, "carom_ode_options", error);
  if (status != CAROM_OK) return status;
  if (!(ode->options.event_tolerance >= 0.0) || ode->options.max_steps < 1)
    return carom_fail(error, CAROM_ERR_ARGUMENT,
                      "event_tolerance must not be negative, max_steps must be positive");
  return CAROM_OK;
}

carom_status carom_ode_create(carom_ode **out, int n, carom_ode_rhs rhs, void *ctx,
                              const carom_ode_options *options, carom_error *error) {
  *out = NULL;
  if (!rhs) return carom_fail(error, CAROM_ERR_ARGUMENT, "no right-hand side given");
  carom_arena *arena = carom_arena_create(options ? options->allocator : NULL);
  if (!arena) return carom_fail_memory(error);
  carom_status status = CAROM_ERR_MEMORY;
  carom_ode *ode = carom_arena_take(arena, sizeof *ode);
  if (ode) {
    ode->arena = arena;
    status = fill_options(ode, options, error);
  }
  if (!ode || status) goto failed;

  const carom_ode_options *o = &ode->options;
  carom_stepper_options step = {.rtol = o->rtol,
                                .atol = o->atol,
                                .scale = o->scale,
                                .h_max = o->h_max,
                                .h_start = o->h_start};
  status = carom_stepper_init(&ode->stepper, arena, n, rhs, ctx, &step, error);
  if (status) goto failed;
  ode->y = carom_arena_array(arena, (size_t)n, sizeof *ode->y);
  if (ode->y) {
    *out = ode;
    return CAROM_OK;
  }
  status = CAROM_ERR_MEMORY;
failed:
  carom_arena_destroy(arena);
  return status == CAROM_ERR_MEMORY ? carom_fail_memory(error) : status;
}

void carom_ode_destroy(carom_ode *ode) {
  if (ode) carom_arena_destroy(ode->arena);
}

carom_status carom_ode_watch(carom_ode *ode, int count, carom_ode_event_functions events,
                             const int *directions, carom_error *error) {
  if (count < 1 || !events || ode->count)
    return carom_fail(error, CAROM_ERR_ARGUMENT,
                      "event functions are given once, at least one of them");
  size_t n = (size_t)count;
  carom_arena *arena = ode->arena;
  ode->watch = carom_arena_array(arena, n, sizeof *ode->watch);
  ode->roots = carom_arena_array(arena, n, sizeof *ode->roots);
  ode->events = carom_arena_array(arena, n, sizeof *ode->events);
  ode->residual = carom_arena_array(arena, n, sizeof *ode->residual);
  double *room = carom_arena_array(arena, n, (2 + CACHE) * sizeof *room);
  if (!ode->watch || !ode->roots || !ode->events || !ode->residual || !room)
    return carom_fail_memory(error);
  ode->g1 = room;
  ode->g = room + n;
  ode->cache_g = room + 2 * n;
  for (int k = 0; k < count; k++) {
    int d = directions ? directions[k] : 0;
    ode->watch[k].direction = d > 0 ? CAROM_RISING : d < 0 ? CAROM_FALLING : CAROM_ANY;
    ode->watch[k].active = true;
    ode->watch[k].skip_grazing = !ode->options.stop_at_grazing;
  }
  ode->functions = events;
  ode->count = count;
  return CAROM_OK;
}

static void evaluate_events(carom_ode *ode, double t, const double *y, double *g) {
  ode->event_evaluations++;
  ode->functions(ode->stepper.ctx, t, y, g);
}

carom_status carom_ode_set(carom_ode *ode, double t, const double *y, carom_error *error) {
  carom_status status = carom_stepper_start(&ode->stepper, t, y, 0.0, error);
  if (status) return status;
  ode->placed = true;
  ode->stale = false;
  ode->event_count = 0;
  for (int k = 0; k < ode->count; k++)
    ode->residual[k] = 0.0;
  return CAROM_OK;
}

carom_status carom_ode_reset(carom_ode *ode, const double *y, carom_error *error) {
  if (!ode->placed) return carom_fail(error, CAROM_ERR_ARGUMENT, "no state was set yet");
  if (y != ode->stepper.y) memmove(ode->stepper.y, y, (size_t)ode->stepper.n * sizeof *y);
  ode->h_keep = ode->stepper.h_next;
  ode->stale = true;
  return CAROM_OK;
}

// --- looking for events along a step ---

static double *cache_row(carom_ode *ode, int slot) {
  return ode->cache_g + (size_t)slot * (size_t)ode->count;
}

// all functions at theta of the step; the search asks for the same places function by function
static const double *values_at(carom_ode *ode, double theta) {
  for (int i = ode->cache_guess, tried = 0; tried < ode->cached; tried++, i++) {
    if (i >= ode->cached) i = 0;
    if (ode->cache_theta[i] != theta) continue;
    ode->cache_guess = i + 1;
    return cache_row(ode, i);
  }
  const carom_stepper *s = &ode->stepper;
  double *row = ode->cached < CACHE ? cache_row(ode, ode->cached) : ode->g;
  carom_dense_eval(s, theta, ode->y, NULL, NULL);
  evaluate_events(ode, s->t + theta * s->h, ode->y, row);
  if (ode->cached < CACHE) {
    ode->cache_theta[ode->cached++] = theta;
    ode->cache_guess = ode->cached;
  }
  return row;
}

static void function_value(void *ctx, int k, double theta, double g[3]) {
  g[0] = values_at(ctx, theta)[k];
  g[1] = g[2] = NAN;
}

// the ends of the step are known without the dense output
static void fill_ends(carom_ode *ode) {
  const carom_stepper *s = &ode->stepper;
  evaluate_events(ode, s->t, s->y, cache_row(ode, 0));
  evaluate_events(ode, s->t1, s->y1, cache_row(ode, 1));
  ode->cache_theta[0] = 0.0;
  ode->cache_theta[1] = 1.0;
  ode->cached = 2;
  ode->cache_guess = 0;
  const double few_roundings = 16.0 * DBL_EPSILON;
  for (int k = 0; k < ode->count; k++) {
    double size = fmax(fabs(cache_row(ode, 0)[k]), fabs(cache_row(ode, 1)[k]));
    double tolerance = ode->options.event_tolerance;
    if (!(tolerance > 0.0)) tolerance = few_roundings * size;
    ode->watch[k].tolerance = fmax(tolerance, 4.0 * ode->residual[k]);
  }
}

static int find_events(carom_ode *ode) {
  carom_root_functions functions = {.ctx = ode, .count = ode->count, .value = function_value};
  fill_ends(ode);
  return carom_root_first(&functions, ode->watch, TIE, ode->count, ode->roots);
}

// --- ending a step at an event ---

// dg/dt along the flow at the end of the step, by a small step backwards
static double event_rate(carom_ode *ode, int k, double g_end) {
  const carom_stepper *s = &ode->stepper;
  double back = 1e-5 * s->h;
  for (int i = 0; i < s->n; i++)
    ode->y[i] = s->y1[i] - back * s->f1[i];
  evaluate_events(ode, s->t1 - back, ode->y, ode->g);
  return (g_end - ode->g[k]) / back;
}

// The true step ends where the dense output had the root: they differ by the local error. Newton's
// method along the flow brings g to rounding.
static carom_status settle_on_root(carom_ode *ode, const carom_root *root, carom_error *error) {
  carom_stepper *s = &ode->stepper;
  int k = root->function;
  evaluate_events(ode, s->t1, s->y1, ode->g1);
  if (root->kind != CAROM_ROOT_CROSSING) return CAROM_OK;
  double rate = event_rate(ode, k, ode->g1[k]);
  for (int i = 0; i < 3; i++) {
    double before = ode->g1[k], dt = -before / rate;
    if (!(fabs(dt) <= 1e-2 * s->h) || s->t1 + dt == s->t1) break;
    carom_status status = carom_stepper_nudge(s, dt, error);
    if (status) return status;
    evaluate_events(ode, s->t1, s->y1, ode->g1);
    if (!(fabs(ode->g1[k]) < 0.5 * fabs(before))) break;
  }
  return CAROM_OK;
}

static void note_events(carom_ode *ode, int count) {
  assert(count >= 0);
  for (int k = 0; k < ode->count; k++)
    ode->residual[k] = 0.0;
  ode->event_count = count;
  ode->event_total += count;
  for (int i = 0; i < count; i++) {
    const carom_root *r = &ode->roots[i];
    carom_ode_event_kind kind = r->kind == CAROM_ROOT_CROSSING  ? CAROM_ODE_CROSSING
                                : r->kind == CAROM_ROOT_GRAZING ? CAROM_ODE_GRAZING
                                                                : CAROM_ODE_FLAT;
    ode->events[i] = (carom_ode_event){r->function, r->direction, kind};
    ode->residual[r->function] = fabs(ode->g1[r->function]);
  }
}

// the step cut at theta; true in `stays` when that is no step at all
static carom_status cut_step(carom_ode *ode, double theta, bool *stays, carom_error *error) {
  carom_stepper *s = &ode->stepper;
  double h = theta * s->h;
  *stays = s->t + h == s->t;
  return theta < 1.0 && !*stays ? carom_stepper_shorten(s, h, error) : CAROM_OK;
}

static carom_status stop_at_events(carom_ode *ode, int count, carom_error *error) {
  carom_stepper *s = &ode->stepper;
  const carom_root *last = &ode->roots[count - 1];
  bool stays;
  carom_status status = cut_step(ode, last->theta, &stays, error);
  if (!status && !stays) status = settle_on_root(ode, last, error);
  if (status) return status;
  if (stays) evaluate_events(ode, s->t, s->y, ode->g1);
  note_events(ode, count);
  if (!stays) carom_stepper_commit(s);
  ode->h_keep = s->h_next;
  return CAROM_STOP_EVENT;
}

// Nothing was decided beyond the root's theta: the step ends there, and the next goes on.
static carom_status end_undecided(carom_ode *ode, const carom_root *root, carom_error *error) {
  carom_stepper *s = &ode->stepper;
  double end = s->t + root->theta * s->h;
  bool stays;
  if (root->theta < 1e-6)
    return carom_fail(error, CAROM_ERR_LIMIT,
                      "event function %d changes too fast to be searched just after t = %.17g",
                      root->function, s->t);
  s->h_next = fmin(s->h_next, 2.0 * (end - s->t));
  carom_status status = cut_step(ode, root->theta, &stays, error);
  if (!status) carom_stepper_commit(s);
  return status;
}

// One step with its events: CAROM_OK, CAROM_STOP_EVENT or an error.
static carom_status advance_step(carom_ode *ode, double t_end, carom_error *error) {
  carom_stepper *s = &ode->stepper;
  carom_status status = carom_stepper_try(s, t_end, error);
  if (status || !ode->count) {
    if (!status) carom_stepper_commit(s);
    return status;
  }
  status = carom_stepper_dense(s, error);
  if (status) return status;
  int found = find_events(ode);
  if (!found) {
    // a function served before is free again once it has left what rounding had left of it
    for (int k = 0; k < ode->count; k++)
      if (fabs(cache_row(ode, 1)[k]) > 4.0 * ode->residual[k]) ode->residual[k] = 0.0;
    carom_stepper_commit(s);
    return CAROM_OK;
  }
  const carom_root *first = &ode->roots[0];
  if (first->kind == CAROM_ROOT_NONFINITE)
    return carom_fail(error, CAROM_ERR_NONFINITE,
                      "event function %d has no finite value at t = %.17g", first->function,
                      s->t + first->theta * s->h);
  if (first->kind == CAROM_ROOT_UNDECIDED) return end_undecided(ode, first, error);
  return stop_at_events(ode, found, error);
}

carom_status carom_ode_advance(carom_ode *ode, double t_end, carom_error *error) {
  carom_stepper *s = &ode->stepper;
  if (!ode->placed) return carom_fail(error, CAROM_ERR_ARGUMENT, "no state was set yet");
  if (!(t_end >= s->t) || !isfinite(t_end))
    return carom_fail(error, CAROM_ERR_ARGUMENT, "cannot advance from t = %.17g to %.17g", s->t,
                      t_end);
  ode->event_count = 0;
  for (long step = 0; s->t < t_end; step++) {
    if (step == ode->options.max_steps)
      return carom_fail(error, CAROM_ERR_LIMIT, "%ld steps were not enough to reach t = %.17g",
                        step, t_end);
    if (ode->stale) {
      carom_status started = carom_stepper_start(s, s->t, s->y, ode->h_keep, error);
      if (started) return started;
      ode->stale = false;
    }
    carom_status status = advance_step(ode, t_end, error);
    if (status) return status;
  }
  return CAROM_OK;
}

double carom_ode_time(const carom_ode *ode) { return ode->stepper.t; }
const double *carom_ode_state(const carom_ode *ode) { return ode->stepper.y; }

const carom_ode_event *carom_ode_events(const carom_ode *ode, int *count) {
  *count = ode->event_count;
  return ode->events;
}

carom_ode_statistics carom_ode_statistics_read(const carom_ode *ode) {
  const carom_stepper *s = &ode->stepper;
  return (carom_ode_statistics){s->counts.steps, s->counts.rejected, s->counts.evaluations,
                                ode->event_evaluations, ode->event_total};
}

carom_status carom_ode_solve(int n, carom_ode_rhs rhs, void *ctx, double t, double *y, double t_end,
                             const carom_ode_options *options, carom_error *error) {
  carom_ode *ode;
  carom_status status = carom_ode_create(&ode, n, rhs, ctx, options, error);
  if (status || !ode) return status;
  status = carom_ode_set(ode, t, y, error);
  if (!status) status = carom_ode_advance(ode, t_end, error);
  if (!status) memcpy(y, carom_ode_state(ode), (size_t)n * sizeof *y);
  carom_ode_destroy(ode);
  return status;
}
