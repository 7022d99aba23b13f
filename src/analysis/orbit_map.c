// SPDX-License-Identifier: MIT
#include "analysis/orbit_map.h"

#include "base/eigen.h"
#include "base/elementary.h"
#include "base/hash.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = CAROM_ORBIT_STATES };
// Where there is no tangent dynamics, turns are differenced, by a part of the size of a state. What
// is less than NOISE is rounding then.
static const double DIFFERENCE = 1e-4, NOISE = 1e-6;
static const double TWICE = 2.0; // room for what is off by the same
static const double ON_CIRCLE = 1e-7, EXTINGUISHED = 1e-8;
static const double SHORTEST = 1e-3;         // of the period where a search or a branch began
enum { FEW_STEPS = 2000, MANY_TIMES = 100 }; // a turn may take, beside the longest one before
static const double LONGEST = 100.0; // the same: a step that leads so far has lost its motion
static const double FAMILY = 1e-7;   // without losses every energy has its own motion
static const double AT_REST = 1e-5;  // way of a turn, in units of the motion's size

carom_status carom_orbit_map_init(carom_orbit_map *map, carom_simulation *simulation,
                                  carom_error *error) {
  *map = (carom_orbit_map){.maker.simulation = simulation, .begin.turns = 1};
  map->maker.engine = simulation->model->engine;
  if (!map->maker.engine->turns.place || !map->maker.engine->turns.rates)
    return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                      "the engine '%s' cannot start a motion at a given state, so that periodic "
                      "motions cannot be sought",
                      map->maker.engine->name);
  (void)carom_simulation_state(simulation, &map->size);
  if (map->size > MOST)
    return carom_fail(error, CAROM_ERR_LIMIT, "periodic motions of at most %d states are sought",
                      (int)MOST);
  map->shifts = carom_shifts_of(simulation->model);
  for (int i = 0; i < map->size; i++)
    if (!carom_shifts_free(&map->shifts, i)) map->which[map->count++] = i;
  map->kind.autonomous =
      map->maker.engine->turns.autonomous && map->maker.engine->turns.autonomous(simulation);
  if (map->maker.engine->turns.unobserved) map->maker.engine->turns.unobserved(simulation);
  return map->maker.engine->turns.pile ? map->maker.engine->turns.pile(simulation, error)
                                       : CAROM_OK;
}

carom_status carom_orbit_drive(const carom_simulation *simulation, double *period,
                               carom_error *error) {
  const carom_engine_turns *turns = &simulation->model->engine->turns;
  *period = turns->period ? turns->period(simulation) : 0.0;
  if (!(*period > 0.0))
    return carom_fail(error, CAROM_ERR_INPUT,
                      "the system depends on time, and not through sines and cosines of one "
                      "common period: say after how long its drive repeats itself (run.period)");
  return turns->repeats ? turns->repeats(simulation, error) : CAROM_OK;
}

void carom_orbit_make_with(carom_orbit_map *map, const carom_turn_maker *maker) {
  map->maker = *maker;
}

void carom_orbit_count_turns(carom_orbit_map *map, long made) { map->turns_made = made; }

carom_status carom_orbit_set_turn(carom_orbit_map *map, const double *x, double p,
                                  carom_error *error) {
  carom_status status = CAROM_OK;
  memcpy(map->found.began, x, (size_t)map->count * sizeof *x);
  const carom_turn_plane *plane = &map->maker.plane;
  double value = plane->also ? plane->value + p * plane->along : p;
  // the old state may not fit the new parameter: what counts is whether the new one does
  if (plane->also)
    status = carom_simulation_set(map->maker.simulation, plane->also,
                                  plane->other + p * plane->beside, error);
  if (status == CAROM_ERR_ARGUMENT) return status;
  if (map->maker.parameter)
    status = carom_simulation_set(map->maker.simulation, map->maker.parameter, value, error);
  if (status == CAROM_ERR_ARGUMENT) return status;
  if (map->kind.rest) {
    // the time over which an equilibrium must stay is the map's own
  } else if (!map->kind.autonomous) {
    double drive;
    status = carom_orbit_drive(map->maker.simulation, &drive, error);
    if (status != CAROM_OK) return status;
    map->begin.time = map->begin.phase * drive;
    map->found.period = map->begin.turns * drive;
  } else {
    map->found.period = x[map->count];
  }
  // an autonomous system is back after no time, whatever it does: that is no turn
  double least = SHORTEST * map->units.scale[map->count],
         most = LONGEST * map->units.scale[map->count];
  bool turns = map->found.period > 0.0 && (map->kind.rest || !map->kind.autonomous ||
                                           (map->found.period > least && map->found.period < most));
  if (!turns)
    return carom_fail(error, CAROM_ERR_NO_CONVERGENCE, "the period has become %g",
                      map->found.period);
  return CAROM_OK;
}

// how far the motion goes in a turn, at the rates it begins with, in units of its size
static double measure_way(const carom_orbit_map *map) {
  double square = 0.0;
  for (int k = 0; k < map->count; k++) {
    double way = map->derived.first_rate[map->which[k]] * map->found.period / map->units.scale[k];
    square += way * way;
  }
  return sqrt(square);
}

// an equilibrium comes back after any time
static carom_status refuse_rest(carom_error *error) {
  return carom_fail(error, CAROM_ERR_NO_CONVERGENCE,
                    "the motion has come to rest: an equilibrium has no period");
}

// sets the parameter and begins the turn at x
carom_status carom_orbit_begin(carom_orbit_map *map, const double *x, double p,
                               carom_error *error) {
  double y[MOST];
  memcpy(y, map->begin.base, (size_t)map->size * sizeof *y);
  for (int k = 0; k < map->count; k++)
    y[map->which[k]] = x[k];
  carom_status status = carom_orbit_set_turn(map, x, p, error);
  if (status != CAROM_OK) return status;
  status = map->maker.engine->turns.place(map->maker.simulation, map->begin.time, y,
                                          map->begin.closed, error);
  if (status == CAROM_OK) {
    memcpy(map->derived.first_rate, map->maker.engine->turns.rates(map->maker.simulation),
           (size_t)map->size * sizeof *map->derived.first_rate);
    carom_shifts_reduce(&map->shifts, map->derived.first_rate);
    if (carom_orbit_has_period(map) && measure_way(map) < AT_REST) return refuse_rest(error);
  }
  return status;
}

// where the start lies between the last event before it and the first one after it
static void find_margin(carom_orbit_map *map, double first, double last) {
  double end = map->begin.time + map->found.period, before = end - last,
         after = first - map->begin.time;
  bool events = first < end;
  map->found.margin = events ? fmin(after, before) / (after + before) : 0.5;
  map->found.lasts = events ? (after + before) / map->found.period : 1.0;
}

// several events may come at one instant; a run that has stopped stays wherever it is sent
static bool has_stopped(carom_orbit_map *map) {
  double now = carom_simulation_time(map->maker.simulation);
  return map->maker.engine->advance(map->maker.simulation, now, false, NULL) == CAROM_STOP_EVENT;
}

static carom_status refuse_stop(double t, carom_error *error) {
  return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                    "the turn is stopped by the scenario at t = %.6g: a motion that ends is not "
                    "periodic",
                    t);
}

/// A turn that may take so many steps: one that runs off to infinity takes ever shorter ones.
typedef struct step_limit {
  long steps, most; // most 0: no limit
  int (*stop)(void *ctx);
  void *ctx;
} step_limit;

static int count_step(void *ctx) {
  step_limit *limit = ctx;
  limit->steps++;
  return (limit->stop && limit->stop(limit->ctx)) ||
         (limit->most > 0 && limit->steps > limit->most);
}

// to the end of the turn, looking at every event how many directions are left
static carom_status go_to_end(carom_orbit_map *map, carom_error *error) {
  double end = map->begin.time + map->found.period, first = INFINITY, last = end,
         t = map->begin.time;
  map->found.held = map->found.most_held = map->maker.engine->turns.held(map->maker.simulation);
  while (t < end) {
    double before = t;
    carom_status status = map->maker.engine->advance(map->maker.simulation, end, true, error);
    int held = map->maker.engine->turns.held(map->maker.simulation);
    if (held > map->found.most_held) map->found.most_held = held;
    t = carom_simulation_time(map->maker.simulation);
    if (status != CAROM_OK && status != CAROM_STOP_EVENT) return status;
    bool here = status == CAROM_STOP_EVENT && t == before;
    if (here && has_stopped(map)) return refuse_stop(t, error);
    if (status == CAROM_STOP_EVENT && !here) last = t;
    if (status == CAROM_STOP_EVENT && !here) first = fmin(first, last);
    if (map->maker.watcher.stopped && map->maker.watcher.stopped(map->maker.watcher.ctx))
      return CAROM_STOP_USER;
  }
  find_margin(map, first, last);
  return CAROM_OK;
}

static carom_status go_round(carom_orbit_map *map, carom_error *error) {
  carom_simulation *simulation = map->maker.simulation;
  step_limit limit = {.most = map->steps > 0 ? FEW_STEPS + MANY_TIMES * map->steps : 0,
                      .stop = simulation->stop,
                      .ctx = simulation->stop_ctx};
  simulation->stop = count_step;
  simulation->stop_ctx = &limit;
  carom_status status = go_to_end(map, error);
  simulation->stop = limit.stop;
  simulation->stop_ctx = limit.ctx;
  if (status == CAROM_STOP_USER && limit.most > 0 && limit.steps > limit.most)
    return carom_fail(error, CAROM_ERR_NO_CONVERGENCE,
                      "the motion is in ever shorter steps at t = %.15g: it runs off",
                      carom_simulation_time(simulation));
  if (status == CAROM_OK && limit.steps > map->steps) map->steps = limit.steps;
  return status;
}

// what the last turn with derivatives was like
static void remember_turn(carom_orbit_map *map) {
  memcpy(map->derived.drift, map->found.drift, sizeof map->derived.drift);
  memcpy(map->derived.whole, map->found.whole, sizeof map->derived.whole);
  memcpy(map->derived.word, map->found.word, sizeof map->derived.word);
  map->derived.period = map->found.period;
}

bool carom_orbit_has_period(const carom_orbit_map *map) {
  return map->kind.autonomous && !map->kind.rest;
}

void carom_orbit_pin(const carom_orbit_map *map, double *y, double *drift) {
  const carom_shifts *shifts = &map->shifts;
  for (int s = 0; s < shifts->count; s++)
    drift[s] += carom_shifts_take(shifts, s, y) - map->begin.base[shifts->freed[s]];
  for (int s = 0; s < shifts->count; s++)
    for (int k = 0; k < shifts->coordinates; k++)
      y[k] += map->begin.base[shifts->freed[s]] * shifts->weight[s][k];
}

void carom_orbit_take_end(carom_orbit_map *map, const double *y, const double *rate) {
  size_t size = (size_t)map->size * sizeof(double);
  memcpy(map->found.end, y, size);
  memcpy(map->found.rate, rate, size);
  carom_shifts_reduce(&map->shifts, map->found.rate);
  carom_orbit_pin(map, map->found.end, map->found.drift);
  for (int k = 0; k < map->count; k++) {
    int i = map->which[k];
    map->found.whole[i] =
        carom_shifts_whole(&map->shifts, i, map->found.end[i] - map->found.began[k]);
    map->found.end[i] -= map->found.whole[i];
  }
}

static void measure_residual(carom_orbit_map *map, const double *x) {
  map->found.residual = 0.0;
  for (int k = 0; k < map->count; k++) {
    double part = fabs(map->units.weight[k] * (map->found.end[map->which[k]] - x[k]));
    if (!(part <= map->found.residual)) map->found.residual = part; // keeps a NaN
  }
}

// One leg as a number: what it is, what ends it, and how.
static uint64_t hash_leg(const carom_leg *leg) {
  const uint64_t parts[] = {leg->modes,
                            leg->branches,
                            (uint64_t)leg->event,
                            (uint64_t)leg->function,
                            (uint64_t)leg->condition,
                            (uint64_t)leg->direction,
                            leg->struck,
                            (uint64_t)leg->rebounds,
                            leg->compressed,
                            leg->outcome};
  return carom_hash(0, parts, sizeof parts);
}

// The sum over all legs does not know where the turn begins. Equal ones that follow each other
// count once: bounces that pile up are as many as were computed, and the word knows the others.
static void note_course(carom_orbit_map *map) {
  carom_leg *legs = malloc(CAROM_MOST_LEGS * sizeof *legs);
  const double *times;
  double *states;
  int events;
  map->derived.course = 0;
  map->derived.course_told = false;
  if (legs && map->maker.engine->turns.fixed_word->noted(map->maker.simulation, &events, legs,
                                                         &times, &states, NULL) == CAROM_OK) {
    map->derived.course = 1;
    map->derived.course_told = true;
    bool slow = false; // an impact that could not be told from none
    uint64_t last = events > 0 ? hash_leg(&legs[events - 1]) : 0;
    for (int k = 0; k < events; k++) {
      uint64_t now = hash_leg(&legs[k]);
      if (now != last || events == 1) map->derived.course += now;
      last = now;
      if (legs[k].struck && !legs[k].holds_outcome) map->derived.course_told = false;
      if (legs[k].event == CAROM_LEG_LANDING && !legs[k].struck) slow = true;
    }
    if (slow) {
      map->derived.course = 0;
      map->derived.course_told = false;
    }
  }
  free(legs);
}

static carom_status make_turn(carom_orbit_map *map, const double *x, double p, bool tangent,
                              carom_error *error) {
  carom_status status = carom_orbit_begin(map, x, p, error);
  if (status == CAROM_OK && tangent) status = carom_tangent_begin(map->maker.simulation, error);
  bool note = map->fixed_word.noting || (tangent && map->maker.engine->turns.fixed_word);
  if (status == CAROM_OK && note)
    status = map->maker.engine->turns.fixed_word->note(map->maker.simulation, error);
  if (status == CAROM_OK) status = go_round(map, error);
  if (status != CAROM_OK) return status;
  map->turns_made++;
  memset(map->found.drift, 0, sizeof map->found.drift);
  carom_orbit_take_end(map, carom_simulation_state(map->maker.simulation, &map->size),
                       map->maker.engine->turns.rates(map->maker.simulation));
  measure_residual(map, x);
  status = map->maker.engine->turns.word(map->maker.simulation, map->found.word,
                                         sizeof map->found.word, error);
  carom_orbit_word_shorten(map->found.word);
  return status;
}

// columns by differences of whole turns, of order 4: with turns as exact as runs are, steps can be
// long and errors small
static carom_status difference_turns(carom_orbit_map *map, const double *x, double p,
                                     carom_error *error) {
  int count = map->count;
  static const double places[] = {-2.0, -1.0, 1.0, 2.0}, weights[] = {1.0, -8.0, 8.0, -1.0};
  double moved[CAROM_DENSE_MOST], slope[MOST];
  carom_status status = CAROM_OK;
  memcpy(moved, x, (size_t)(count + carom_orbit_has_period(map)) * sizeof *moved);
  for (int j = 0; j < count && status == CAROM_OK; j++) {
    double h = DIFFERENCE * map->units.scale[j];
    memset(slope, 0, sizeof slope);
    for (int k = 0; k < 4 && status == CAROM_OK; k++) {
      moved[j] = x[j] + places[k] * h;
      status = make_turn(map, moved, p, false, error);
      for (int i = 0; i < count; i++)
        slope[i] += weights[k] * map->found.end[map->which[i]] / (12.0 * h);
    }
    moved[j] = x[j];
    for (int i = 0; i < count && status == CAROM_OK; i++)
      map->found.matrix[i * count + j] = slope[i];
  }
  if (status == CAROM_OK) status = make_turn(map, x, p, false, error);
  if (status == CAROM_OK) remember_turn(map);
  return status;
}

carom_status carom_orbit_map_turn(carom_orbit_map *map, const double *x, double p, bool derivatives,
                                  carom_error *error) {
  if (map->fixed_word.held) {
    carom_status status = carom_orbit_legs_turn(map, x, p, derivatives, NULL, NULL, error);
    if (status == CAROM_OK && derivatives) remember_turn(map);
    return status;
  }
  bool tangent = derivatives && map->maker.engine->tangent.begin;
  if (derivatives && !tangent) return difference_turns(map, x, p, error);
  carom_status status = make_turn(map, x, p, tangent, error);
  if (status != CAROM_OK || !tangent) {
    carom_tangent_end(map->maker.simulation);
    return status;
  }
  int size = map->size, count = map->count;
  const double *whole = carom_tangent_matrix(map->maker.simulation, &size);
  for (int j = 0; j < count; j++) {
    double column[MOST];
    for (int i = 0; i < size; i++)
      column[i] = whole[i * size + map->which[j]];
    carom_shifts_reduce(&map->shifts, column);
    for (int i = 0; i < count; i++)
      map->found.matrix[i * count + j] = column[map->which[i]];
  }
  map->found.notes = carom_tangent_met(map->maker.simulation);
  carom_tangent_end(map->maker.simulation);
  if (map->maker.engine->turns.fixed_word && !map->fixed_word.noting) note_course(map);
  remember_turn(map);
  return CAROM_OK;
}

/// Largest values so far.
typedef struct tops {
  int size;
  double *top;
} tops;

// velocities are largest just before or just after an impact
static int look_at_event(void *ctx, const carom_event *event) {
  const tops *it = ctx;
  for (int i = 0; i < it->size && i < event->size; i++)
    it->top[i] = fmax(it->top[i], fmax(event->before[i], event->after[i]));
  return 0;
}

// the largest values on a turn of a map that nobody goes on with
static carom_status look_round(carom_orbit_map *map, const double *x, double p, int looks,
                               double *top, carom_error *error) {
  assert(looks > 0);
  if (map->fixed_word.held) return carom_orbit_legs_top(map, x, p, looks, top, error);
  carom_status status = carom_orbit_begin(map, x, p, error);
  tops found = {map->size, top};
  carom_observer observer = {.ctx = &found, .event = look_at_event};
  if (map->kind.rest) looks = 0;
  if (status == CAROM_OK) carom_simulation_observe(map->maker.simulation, &observer);
  for (int k = 0; k <= looks && status >= 0; k++) {
    const double *y = carom_simulation_state(map->maker.simulation, &map->size);
    for (int i = 0; i < map->size; i++)
      top[i] = k == 0 ? y[i] : fmax(top[i], y[i]);
    if (k < looks)
      status = map->maker.engine->advance(map->maker.simulation,
                                          map->begin.time + map->found.period * (k + 1) / looks,
                                          false, error);
  }
  return status < 0 ? status : CAROM_OK;
}

// What is looked at may not change what is found: both the map and its simulation are copies.
carom_status carom_orbit_top(const carom_orbit_map *map, const double *x, double p, int looks,
                             double *top, carom_error *error) {
  carom_orbit_map *copy = malloc(sizeof *copy);
  if (!copy) return carom_fail_memory(error);
  *copy = *map;
  copy->maker.simulation = NULL;
  carom_status status =
      carom_simulation_clone(map->maker.simulation, &copy->maker.simulation, error);
  if (status == CAROM_OK && copy->maker.engine->turns.unobserved)
    copy->maker.engine->turns.unobserved(copy->maker.simulation);
  if (status == CAROM_OK) status = look_round(copy, x, p, looks, top, error);
  carom_simulation_destroy(copy->maker.simulation);
  free(copy);
  return status;
}

void carom_orbit_come_to(const carom_orbit_map *map, double *x) {
  for (int k = 0; k < map->count; k++)
    x[k] = map->found.end[map->which[k]];
}

void carom_orbit_anchor(carom_orbit_map *map, const double *x) {
  double square = 0.0;
  for (int k = 0; k < map->count; k++) {
    double rate = map->derived.first_rate[map->which[k]];
    map->begin.anchor[k] = x[k];
    map->begin.across[k] = rate / (map->units.scale[k] * map->units.scale[k]);
    square += map->begin.across[k] * rate;
  }
  for (int k = 0; k < map->count && square > 0.0; k++)
    map->begin.across[k] /= sqrt(square);
}

// F = end - x, and across . (x - anchor) for autonomous systems
static carom_status turn_residual(void *ctx, const double *x, double p, double *F, double *J,
                                  carom_error *error) {
  carom_orbit_map *map = ctx;
  int count = map->count, n = count + carom_orbit_has_period(map);
  if (map->fixed_word.held) {
    carom_status status = carom_orbit_legs_turn(map, x, p, J != NULL, F, J, error);
    if (status == CAROM_OK && J) remember_turn(map);
    return status;
  }
  carom_status status = carom_orbit_map_turn(map, x, p, J != NULL, error);
  if (status != CAROM_OK) return status;
  for (int i = 0; i < count; i++)
    F[i] = map->found.end[map->which[i]] - x[i];
  if (carom_orbit_has_period(map)) {
    F[count] = 0.0;
    for (int i = 0; i < count; i++)
      F[count] += map->begin.across[i] * (x[i] - map->begin.anchor[i]);
  }
  if (!J) return CAROM_OK;
  memset(J, 0, (size_t)(n * n) * sizeof *J);
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < count; j++)
      J[i * n + j] = map->found.matrix[i * count + j] - (i == j);
    if (!carom_orbit_has_period(map)) continue;
    J[i * n + count] = map->found.rate[map->which[i]];
    J[count * n + i] = map->begin.across[i];
  }
  return CAROM_OK;
}

static int count_unknowns(const carom_orbit_map *map) {
  carom_ring ring = carom_orbit_ring(map);
  return map->fixed_word.held ? carom_ring_count(&ring) : map->count + carom_orbit_has_period(map);
}

carom_branch_problem carom_orbit_problem(carom_orbit_map *map) {
  return (carom_branch_problem){
      .count = count_unknowns(map),
      .is_ring = map->fixed_word.held,
      .ring = carom_orbit_ring(map),
      .ctx = map,
      .residual = turn_residual,
      .scale = map->units.scale,
      .scale_p = 1.0,
      .weight = map->units.weight,
      .drop = !map->maker.engine->tangent.begin                                          ? NOISE
              : map->kind.many || carom_model_conservative(map->maker.simulation->model) ? FAMILY
                                                                                         : 0.0};
}

// --- multipliers

static double multiplier_modulus(const carom_orbit_data *orbit, int k) {
  assert(k >= 0 && k < orbit->is.floquet.count);
  return carom_hypot(orbit->re[k], orbit->im[k]);
}

static void swap_multipliers(carom_orbit_data *orbit, int a, int b) {
  assert(a >= 0 && b >= 0 && a < orbit->is.floquet.count && b < orbit->is.floquet.count);
  double re = orbit->re[a], im = orbit->im[a];
  orbit->re[a] = orbit->re[b];
  orbit->im[a] = orbit->im[b];
  orbit->re[b] = re;
  orbit->im[b] = im;
}

static void sort_by_modulus(carom_orbit_data *orbit) {
  for (int k = 1; k < orbit->is.floquet.count; k++)
    for (int j = k;
         j > 0 &&
         (multiplier_modulus(orbit, j) > multiplier_modulus(orbit, j - 1) * (1.0 + 1e-12) ||
          (multiplier_modulus(orbit, j) > multiplier_modulus(orbit, j - 1) * (1.0 - 1e-12) &&
           orbit->im[j] > orbit->im[j - 1]));
         j--)
      swap_multipliers(orbit, j, j - 1);
}

// the multiplier along the motion itself is the one nearest to 1
static void take_trivial(carom_orbit_data *orbit) {
  int nearest = 0;
  for (int k = 1; k < orbit->is.floquet.count; k++)
    if (carom_hypot(orbit->re[k] - 1.0, orbit->im[k]) <
        carom_hypot(orbit->re[nearest] - 1.0, orbit->im[nearest]))
      nearest = k;
  double re = orbit->re[nearest], im = orbit->im[nearest];
  orbit->is.floquet.along = re;
  for (int k = nearest; k + 1 < orbit->is.floquet.count; k++)
    swap_multipliers(orbit, k, k + 1);
  orbit->is.floquet.count--;
  // where rounding has made a pair of it and another one, that is what their product leaves
  for (int k = 0; k < orbit->is.floquet.count && im != 0.0; k++)
    if (orbit->re[k] == re && orbit->im[k] == -im) {
      orbit->re[k] = re * re + im * im;
      orbit->im[k] = 0.0;
      break;
    }
}

void carom_orbit_take_multipliers(carom_orbit_data *orbit, const carom_orbit_data *from) {
  orbit->is.kind = from->is.kind;
  orbit->is.floquet.count = from->is.floquet.count;
  memcpy(orbit->re, from->re, sizeof orbit->re);
  memcpy(orbit->im, from->im, sizeof orbit->im);
}

void carom_orbit_take_turn(carom_orbit_data *orbit, double period, const double *state) {
  orbit->is.period = period;
  memcpy(orbit->state, state, sizeof orbit->state);
}

carom_orbit_kind carom_orbit_judge(const carom_orbit_data *orbit, double circle) {
  if (orbit->is.floquet.count == 0) return CAROM_ORBIT_STABLE;
  double largest = multiplier_modulus(orbit, 0);
  return largest > 1.0 + circle   ? CAROM_ORBIT_UNSTABLE
         : largest < 1.0 - circle ? CAROM_ORBIT_STABLE
                                  : CAROM_ORBIT_MARGINAL;
}

double carom_orbit_largest_entry(const carom_orbit_map *map) {
  double most = 0.0;
  for (int i = 0; i < map->count; i++)
    for (int j = 0; j < map->count; j++)
      most = fmax(most, fabs(map->found.matrix[i * map->count + j]) * map->units.scale[j] /
                            map->units.scale[i]);
  return most;
}

carom_status carom_orbit_multipliers(carom_orbit_map *map, carom_orbit_data *orbit,
                                     carom_error *error) {
  int count = map->count;
  double *work = malloc((size_t)carom_eigen_workspace(count) * sizeof *work);
  if (!work) return carom_fail_memory(error);
  bool found = carom_eigenvalues(count, map->found.matrix, work, orbit->re, orbit->im);
  free(work);
  if (!found)
    return carom_fail(error, CAROM_ERR_NO_CONVERGENCE, "the multipliers did not converge");
  orbit->is.floquet.count = count;
  sort_by_modulus(orbit);
  // forbidden directions give zeros, which are the last ones
  orbit->is.floquet.count -= map->found.held < count ? map->found.held : count;
  orbit->is.floquet.along = 1.0;
  if (carom_orbit_has_period(map) && orbit->is.floquet.count > 0) take_trivial(orbit);
  // what is nothing beside the matrix it was read off: see carom_orbit_tell_extinguished
  double floor = EXTINGUISHED * fmin(1.0, carom_orbit_largest_entry(map));
  orbit->is.floquet.extinguished = 0;
  for (int k = 0; k < orbit->is.floquet.count; k++)
    if (multiplier_modulus(orbit, k) <= floor) {
      orbit->re[k] = orbit->im[k] = 0.0;
      orbit->is.floquet.extinguished++;
    }
  // a double multiplier is known to the root of what its matrix is known to
  double circle = map->maker.engine->tangent.begin ? ON_CIRCLE : sqrt(NOISE);
  // the multiplier along the motion is 1: what it is off by, another one next to it is off by too
  orbit->is.kind =
      carom_orbit_judge(orbit, fmax(circle, TWICE * fabs(orbit->is.floquet.along - 1.0)));
  return CAROM_OK;
}

static void describe_events(const carom_orbit_map *map, const double *x, carom_orbit_data *orbit) {
  carom_ring ring = carom_orbit_ring(map);
  orbit->is.fixed_word.events = map->fixed_word.events;
  memcpy(orbit->legs, map->fixed_word.legs,
         ((size_t)map->fixed_word.events + 1) * sizeof *orbit->legs);
  for (int k = 0; k < map->fixed_word.events; k++) {
    double *state = orbit->event_state + (size_t)k * (size_t)map->size;
    const double *own = x + carom_ring_time(&ring, k);
    orbit->event_time[k] = own[0];
    memcpy(state, map->begin.base, (size_t)map->size * sizeof *state);
    for (int i = 0; i < map->count; i++)
      state[map->which[i]] = own[1 + i];
  }
}

void carom_orbit_describe(const carom_orbit_map *map, const double *x, carom_orbit_data *orbit) {
  orbit->is.autonomous = map->kind.autonomous;
  orbit->is.start = map->begin.time;
  orbit->is.period = map->kind.rest ? 0.0 : map->derived.period;
  orbit->is.turns = map->kind.autonomous ? 0 : map->begin.turns;
  orbit->is.size = map->size;
  memcpy(orbit->state, map->begin.base, sizeof orbit->state);
  memset(orbit->shift, 0, sizeof orbit->shift);
  for (int k = 0; k < map->count; k++)
    orbit->state[map->which[k]] = x[k];
  for (int s = 0; s < map->shifts.count; s++)
    for (int k = 0; k < map->shifts.coordinates; k++)
      orbit->shift[k] += map->derived.drift[s] * map->shifts.weight[s][k];
  for (int k = 0; k < map->size; k++)
    orbit->shift[k] += map->derived.whole[k];
  memcpy(orbit->word, map->derived.word, sizeof orbit->word);
  orbit->is.exact = map->maker.engine->tangent.begin != NULL;
  orbit->is.notes = map->found.notes;
  orbit->is.fixed_word.held = map->fixed_word.held;
  orbit->is.fixed_word.unknowns = count_unknowns(map);
  orbit->is.fixed_word.events = 0;
  if (map->fixed_word.held) describe_events(map, x, orbit);
  for (int k = 0; k < map->count; k++)
    orbit->sizes[map->which[k]] = map->units.scale[k];
  orbit->is.closed_at_start = map->begin.closed;
}
