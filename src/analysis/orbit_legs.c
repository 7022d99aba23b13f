// SPDX-License-Identifier: MIT
/// Periodic motions with their word held fixed, by multiple shooting. Unknowns are the state at the
/// start of the turn, the period of a motion without drive, and of every event its time and the
/// state behind it; equations are that each leg ends where its event's function is zero and, past
/// the event, in the state that the next leg starts from, and that the last one ends where the turn
/// began. So no leg hears of an error of another, however fast neighbours part over a whole turn.
/// Nothing ends a phase but its time, so that no square root comes in at a graze, phases may come
/// to last less than no time, and inequalities may be broken: such motions are virtual.
#include "analysis/orbit_map.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TURN = 6.283185307179586;
static const double LONGEST = 3.0; // periods: Newton's method has lost its way in a longer phase
static const double MISFIT = 1e-6;
static const double LATER = 1e-6;     // of the period
static const double VANISHING = 1e-5; // of the period: a phase so short
static const double BROKEN = 1e-8;    // of the largest on the way
static const double BESIDE = 1e-4;    // what an end located to 1e-8 leaves of the event beside it
static const double TOGETHER = 1e-6;  // the same: what is zero with another one, but for rounding

carom_ring carom_orbit_ring(const carom_orbit_map *map) {
  return (carom_ring){map->fixed_word.events, map->count, carom_orbit_has_period(map)};
}

/// Room of one evaluation.
typedef struct legs_work {
  carom_leg_run run;
  double y[CAROM_ORBIT_STATES]; // where the leg starts
  double *entry, *moves;        // d y / d the state that the leg is given, and by its time
  double *columns;              // d end of the leg / d its unknowns, before its event and past it
} legs_work;

// of the rates, which lie behind the coordinates
static double fastest_rate(const carom_orbit_map *map) {
  const carom_model *model = map->maker.simulation->model;
  double most = 0.0;
  for (int k = 0; k < map->count; k++)
    if (carom_model_is_rate(model, map->which[k])) most = fmax(most, map->units.scale[k]);
  return most;
}

static legs_work *make_work(const carom_orbit_map *map) {
  size_t size = (size_t)map->size;
  size_t numbers = 3 * size * size + 7 * size + 2 * size * (size_t)(map->count + 2);
  legs_work *made = calloc(1, sizeof *made + numbers * sizeof(double));
  if (!made) return NULL;
  made->run.flow = (double *)(made + 1);
  made->run.jump = made->run.flow + size * size;
  made->entry = made->run.jump + size * size;
  made->run.first = made->entry + size * size;
  made->run.last = made->run.first + size;
  made->run.before = made->run.last + size;
  made->run.slope = made->run.before + size;
  made->run.after = made->run.slope + size;
  made->run.moving = made->run.after + size;
  made->moves = made->run.moving + size;
  made->columns = made->moves + size;
  made->run.speed = fastest_rate(map);
  return made;
}

static double time_of(const carom_orbit_map *map, const double *x, int event) {
  assert(event >= -1 && event <= map->fixed_word.events);
  carom_ring ring = carom_orbit_ring(map);
  return event < 0                         ? map->begin.time
         : event == map->fixed_word.events ? map->begin.time + map->found.period
                                           : map->begin.time + x[carom_ring_time(&ring, event)];
}

// the state in which leg k starts, on the contacts that are closed in it
static carom_status enter_leg(carom_orbit_map *map, const double *x, int k, double *y,
                              double *matrix, carom_error *error) {
  assert(k >= 0);
  carom_ring ring = carom_orbit_ring(map);
  const double *own = x + carom_ring_state(&ring, k - 1);
  int held;
  memcpy(y, map->begin.base, (size_t)map->size * sizeof *y);
  for (int i = 0; i < map->count; i++)
    y[map->which[i]] = own[i];
  return map->maker.engine->turns.fixed_word->enter(map->maker.simulation, &map->fixed_word.legs[k],
                                                    time_of(map, x, k - 1), y, matrix,
                                                    k == 0 ? &map->found.held : &held, error);
}

// how the start of a leg moves with its time, where contacts are closed that move by themselves: by
// a difference, for that costs no integration
static carom_status enter_later(carom_orbit_map *map, const double *x, int k, legs_work *work,
                                carom_error *error) {
  carom_ring ring = carom_orbit_ring(map);
  double sides[2][CAROM_ORBIT_STATES], h = LATER * map->found.period;
  const double *own = x + carom_ring_state(&ring, k - 1);
  memset(work->moves, 0, (size_t)map->size * sizeof *work->moves);
  carom_status status = CAROM_OK;
  for (int side = 0; side < 2 && k > 0 && status == CAROM_OK; side++) {
    int held;
    memcpy(sides[side], map->begin.base, (size_t)map->size * sizeof **sides);
    for (int i = 0; i < map->count; i++)
      sides[side][map->which[i]] = own[i];
    status = map->maker.engine->turns.fixed_word->enter(
        map->maker.simulation, &map->fixed_word.legs[k],
        time_of(map, x, k - 1) + (side == 0 ? -h : h), sides[side], NULL, &held, error);
  }
  for (int i = 0; i < map->size && k > 0 && status == CAROM_OK; i++)
    work->moves[i] = (sides[1][i] - sides[0][i]) / (2.0 * h);
  return status;
}

static carom_status run_leg(carom_orbit_map *map, const double *x, int k, legs_work *work,
                            carom_error *error) {
  assert(k >= 0 && k < CAROM_MOST_LEGS);
  const carom_fixed_word *word = map->maker.engine->turns.fixed_word;
  bool derivatives = work->run.derivatives, over = k == map->fixed_word.events;
  double t0 = time_of(map, x, k - 1), t1 = time_of(map, x, k);
  if (!(fabs(t1 - t0) <= LONGEST * map->found.period))
    return carom_fail(error, CAROM_ERR_NO_CONVERGENCE, "a phase would last %g", t1 - t0);
  if (map->maker.watcher.stopped && map->maker.watcher.stopped(map->maker.watcher.ctx))
    return CAROM_STOP_USER;
  carom_status status = enter_leg(map, x, k, work->y, derivatives ? work->entry : NULL, error);
  if (status == CAROM_OK && derivatives) status = enter_later(map, x, k, work, error);
  if (status != CAROM_OK) return status;
  return word->run(map->maker.simulation, &map->fixed_word.legs[k],
                   over ? NULL : &map->fixed_word.legs[k + 1], t0, t1, work->y, &work->run, error);
}

// out[rows x columns] = M[rows x size] in[size x columns]
static void multiply_matrix(int size, int columns, const double *M, const double *in, double *out) {
  assert(size > 0 && columns >= 0 && out != in);
  memset(out, 0, (size_t)(size * columns) * sizeof *out);
  for (int i = 0; i < size; i++)
    for (int k = 0; k < size; k++) {
      double factor = M[i * size + k];
      for (int j = 0; j < columns && factor != 0.0; j++)
        out[i * columns + j] += factor * in[k * columns + j];
    }
}

// d end of the leg, before its event / d (time and state at its start, time of its end)
static void slope_of_flow(const carom_orbit_map *map, int k, legs_work *work) {
  int size = map->size, columns = map->count + 2;
  double *start = work->columns + size * columns;
  for (int i = 0; i < size; i++) {
    start[i * columns] = k == 0 ? 0.0 : work->moves[i] - work->run.first[i];
    for (int j = 0; j < map->count; j++)
      start[i * columns + 1 + j] = work->entry[i * size + map->which[j]];
    start[i * columns + columns - 1] = 0.0;
  }
  multiply_matrix(size, columns, work->run.flow, start, work->columns);
  for (int i = 0; i < size; i++)
    work->columns[i * columns + columns - 1] = work->run.last[i];
}

// derivatives of a state become those of what must close
static void reduce_derivatives(const carom_orbit_map *map, const double *in, double *out) {
  int columns = map->count + 2;
  for (int j = 0; j < columns; j++) {
    double column[CAROM_ORBIT_STATES];
    for (int i = 0; i < map->size; i++)
      column[i] = in[i * columns + j];
    carom_shifts_reduce(&map->shifts, column);
    for (int i = 0; i < map->count; i++)
      out[i * columns + j] = column[map->which[i]];
  }
}

// How fast the event's function could change: the states by their sizes in the time in which the
// turn goes on by one radian. The rates at the event itself would not do: of a gap that is one
// coordinate the approach would be 1 up to the graze, and -1 beyond it.
static double possible_approach(const carom_orbit_map *map, const carom_leg_run *run) {
  double possible = fabs(run->time), radian = map->found.period / TURN;
  for (int k = 0; k < map->count; k++)
    possible += fabs(run->slope[map->which[k]]) * map->units.scale[k] / radian;
  return possible;
}

// how the event comes: its function's rate, relative to what it could be
static void note_event(carom_orbit_map *map, int k, const carom_leg_run *run) {
  assert(k >= 0 && k < CAROM_MOST_LEGS);
  double approach = run->time, possible = possible_approach(map, run);
  for (int i = 0; i < map->size; i++)
    approach += run->slope[i] * run->last[i];
  map->fixed_word.approach[k] =
      possible > 0.0 ? map->fixed_word.legs[k].direction * approach / possible : 0.0;
  map->fixed_word.misfit[k] = run->misfit;
  map->fixed_word.outcome[k] = run->outcome;
  map->fixed_word.at_event[k] = run->at_event;
  map->fixed_word.at_event[k].leg = k;
}

// a block of the ring: see carom_ring_leg
static void write_block(const carom_orbit_map *map, int k, legs_work *work, double *block) {
  assert(k >= 0 && k < CAROM_MOST_LEGS);
  int size = map->size, columns = map->count + 2;
  const carom_leg_run *run = &work->run;
  double *past = work->columns + size * columns;
  slope_of_flow(map, k, work);
  if (k == map->fixed_word.events) {
    reduce_derivatives(map, work->columns, block + columns);
    return;
  }
  memset(block, 0, (size_t)columns * sizeof *block);
  for (int i = 0; i < size; i++)
    for (int j = 0; j < columns; j++)
      block[j] += run->slope[i] * work->columns[i * columns + j];
  block[columns - 1] += run->time;
  multiply_matrix(size, columns, run->jump, work->columns, past);
  for (int i = 0; i < size; i++)
    past[i * columns + columns - 1] += run->moving[i];
  reduce_derivatives(map, past, block + columns);
}

// leg k has been run: what is left of its equations
static void take_leg(carom_orbit_map *map, const double *x, int k, legs_work *work, double *F) {
  carom_ring ring = carom_orbit_ring(map);
  int at = k == map->fixed_word.events ? 0 : carom_ring_state(&ring, k);
  double *end = k == map->fixed_word.events ? map->found.end : work->run.after;
  if (k == 0) memcpy(map->derived.first_rate, work->run.first, (size_t)map->size * sizeof(double));
  if (k == map->fixed_word.events) carom_orbit_take_end(map, work->run.before, work->run.last);
  if (k < map->fixed_word.events) carom_orbit_pin(map, end, map->found.drift);
  for (int i = 0; i < map->count; i++)
    F[at + i] = end[map->which[i]] - x[at + i];
  if (k < map->fixed_word.events) F[at - 1] = work->run.value;
  if (k < map->fixed_word.events && work->run.derivatives) note_event(map, k, &work->run);
}

static void write_phase(const carom_orbit_map *map, const double *x, double *F, double *J) {
  carom_ring ring = carom_orbit_ring(map);
  if (J) memcpy(carom_ring_phase(&ring, J), map->begin.across, (size_t)map->count * sizeof *J);
  if (!ring.period) return;
  F[map->count] = 0.0;
  for (int i = 0; i < map->count; i++)
    F[map->count] += map->begin.across[i] * (x[i] - map->begin.anchor[i]);
}

// one leg after the other, each from its own start
static carom_status go_round(carom_orbit_map *map, const double *x, legs_work *work, double *F,
                             double *J, carom_error *error) {
  carom_ring ring = carom_orbit_ring(map);
  carom_status status = CAROM_OK;
  memset(map->found.drift, 0, sizeof map->found.drift);
  for (int k = 0; k <= map->fixed_word.events && status == CAROM_OK; k++) {
    status = run_leg(map, x, k, work, error);
    if (status != CAROM_OK) return status;
    take_leg(map, x, k, work, F);
    if (J) write_block(map, k, work, carom_ring_leg(&ring, J, k));
  }
  carom_shifts_reduce(&map->shifts, map->derived.first_rate);
  write_phase(map, x, F, J);
  return status;
}

static void find_derivative(carom_orbit_map *map, const double *J) {
  carom_ring ring = carom_orbit_ring(map);
  bool known = carom_ring_turn(&ring, J, map->found.matrix);
  for (int k = 0; k < map->count * map->count && !known; k++)
    map->found.matrix[k] = NAN;
}

carom_status carom_orbit_legs_turn(carom_orbit_map *map, const double *x, double p,
                                   bool derivatives, double *F, double *J, carom_error *error) {
  carom_status status = carom_orbit_set_turn(map, x, p, error);
  if (status != CAROM_OK) return status;
  carom_ring ring = carom_orbit_ring(map);
  int count = carom_ring_count(&ring);
  double own[CAROM_BRANCH_MOST], *matrix = J;
  legs_work *work = make_work(map);
  if (derivatives && !J) matrix = malloc(carom_ring_numbers(&ring) * sizeof *matrix);
  if (!work || (derivatives && !matrix)) status = carom_fail_memory(error);
  if (!F) F = own;
  if (status == CAROM_OK) {
    work->run.derivatives = derivatives;
    status = go_round(map, x, work, F, derivatives ? matrix : NULL, error);
  }
  if (status == CAROM_OK) {
    map->turns_made++;
    map->found.margin = 0.5;
    map->found.residual = 0.0;
    for (int k = 0; k < count; k++)
      if (!(fabs(map->units.weight[k] * F[k]) <= map->found.residual))
        map->found.residual = fabs(map->units.weight[k] * F[k]);
    if (derivatives) find_derivative(map, matrix);
  }
  if (matrix != J) free(matrix);
  free(work);
  return status;
}

// --- a word to hold fixed

// Events are measured by how far their functions move when the states move by their sizes; all
// events together count as much as the start of the turn.
carom_status carom_orbit_weigh_events(carom_orbit_map *map, const double *x, double p,
                                      carom_error *error) {
  carom_ring ring = carom_orbit_ring(map);
  int m = map->count, columns = carom_ring_columns(&ring);
  double share = sqrt((double)map->fixed_word.events),
         *J = malloc(carom_ring_numbers(&ring) * sizeof *J);
  if (!J) return carom_fail_memory(error);
  for (int k = 0; k < map->fixed_word.events; k++) {
    int time = carom_ring_time(&ring, k);
    map->units.scale[time] = share * map->found.period;
    map->units.weight[time] = 1.0;
    for (int i = 0; i < m; i++) {
      assert(time + 1 + i < carom_ring_count(&ring));
      map->units.scale[time + 1 + i] = share * map->units.scale[i];
      map->units.weight[time + 1 + i] = map->units.weight[i];
    }
  }
  carom_status status = carom_orbit_legs_turn(map, x, p, true, NULL, J, error);
  for (int k = 0; k < map->fixed_word.events && status == CAROM_OK; k++) {
    const double *row = carom_ring_leg(&ring, J, k);
    double size = (fabs(row[0]) + fabs(row[columns - 1])) * map->found.period;
    for (int j = 0; j < m; j++)
      size += fabs(row[1 + j]) * map->units.scale[j];
    if (size > 0.0) map->units.weight[carom_ring_time(&ring, k)] = 1.0 / size;
  }
  free(J);
  return status;
}

static carom_status refuse_word(carom_error *error, const char *why) {
  return carom_fail(error, CAROM_ERR_UNSUPPORTED, "the word cannot be held fixed: %s", why);
}

// the events of the motion that was noted, among the unknowns
static void take_events(carom_orbit_map *map, const double *times, double *states, double *x) {
  carom_ring ring = carom_orbit_ring(map);
  double drift[CAROM_MOST_SHIFTS] = {0};
  for (int k = 0; k < map->fixed_word.events; k++) {
    double *y = states + (size_t)k * (size_t)map->size, *own = x + carom_ring_time(&ring, k);
    carom_orbit_pin(map, y, drift);
    own[0] = times[k] - map->begin.time;
    for (int i = 0; i < map->count; i++)
      own[1 + i] = y[map->which[i]];
  }
}

carom_status carom_orbit_fix_word(carom_orbit_map *map, double *x, double p, carom_error *error) {
  const carom_fixed_word *word = map->maker.engine->turns.fixed_word;
  const double *times;
  double *states;
  if (map->fixed_word.held) return CAROM_OK;
  if (!word)
    return carom_fail(error, CAROM_ERR_UNSUPPORTED, "the engine '%s' cannot hold a word fixed",
                      map->maker.engine->name);
  map->fixed_word.noting = true;
  carom_status status = carom_orbit_map_turn(map, x, p, false, error);
  map->fixed_word.noting = false;
  if (status == CAROM_OK)
    status = word->noted(map->maker.simulation, &map->fixed_word.events, map->fixed_word.legs,
                         &times, &states, error);
  if (status != CAROM_OK) return status;
  carom_ring ring = carom_orbit_ring(map);
  if (carom_ring_count(&ring) > CAROM_BRANCH_MOST ||
      map->fixed_word.events * map->size > CAROM_ORBIT_EVENT_STATES)
    return refuse_word(error, "it has too many phases");
  if (!word->closes(map->maker.simulation, &map->fixed_word.legs[0],
                    &map->fixed_word.legs[map->fixed_word.events]))
    return refuse_word(error, "the turn ends in another phase than it began in");
  take_events(map, times, states, x);
  map->fixed_word.held = true;
  status = carom_orbit_weigh_events(map, x, p, error);
  if (status != CAROM_OK) map->fixed_word.held = false;
  return status;
}

void carom_orbit_free_word(carom_orbit_map *map) { map->fixed_word.held = false; }

// --- what a motion of the fixed word breaks

bool carom_orbit_broken(const carom_leg_margin *margin) { return margin->value < -BROKEN; }

static bool same_margin(const carom_leg_margin *a, const carom_leg_margin *b) {
  return a->kind == b->kind && a->leg == b->leg && a->which == b->which;
}

// zero together with the watched one
static bool ends_together(const carom_turn_word *word, const carom_leg_margin *other) {
  for (int k = 0; k < word->together_count; k++)
    if (same_margin(&word->together[k], other)) return true;
  return false;
}

static void take_worse(carom_orbit_map *map, carom_leg_margin *worst, carom_leg_margin other) {
  carom_turn_word *word = &map->fixed_word;
  if (word->watched.kind != CAROM_FAULT_NONE && same_margin(&word->watched, &other))
    word->watched = other;
  else if (other.value < worst->value && !ends_together(word, &other))
    *worst = other;
}

// Durations, and how events are met. The leg in which a turn begins is also the one it ends in.
static carom_leg_margin check_times(carom_orbit_map *map, const double *x) {
  carom_leg_margin worst = {.value = INFINITY};
  for (int k = 0; k < map->fixed_word.events; k++) {
    double lasts = time_of(map, x, k) - time_of(map, x, k - 1);
    if (k == 0)
      lasts += map->begin.time + map->found.period - time_of(map, x, map->fixed_word.events - 1);
    take_worse(map, &worst,
               (carom_leg_margin){.kind = CAROM_FAULT_DURATION,
                                  .leg = k,
                                  .value = lasts / map->found.period,
                                  .amount = lasts});
  }
  // what else is broken may follow from that
  bool watching = map->fixed_word.watched.kind != CAROM_FAULT_NONE;
  for (int k = 0; k < map->fixed_word.events && (watching || !carom_orbit_broken(&worst)); k++) {
    take_worse(map, &worst,
               (carom_leg_margin){.kind = CAROM_FAULT_APPROACH,
                                  .leg = k,
                                  .value = map->fixed_word.approach[k],
                                  .amount = map->fixed_word.approach[k]});
    take_worse(map, &worst, map->fixed_word.at_event[k]);
    if (map->fixed_word.misfit[k] > MISFIT)
      take_worse(map, &worst,
                 (carom_leg_margin){.kind = CAROM_FAULT_MISFIT,
                                    .leg = k,
                                    .value = -map->fixed_word.misfit[k],
                                    .amount = -map->fixed_word.misfit[k]});
  }
  return worst;
}

carom_status carom_orbit_legs_check(carom_orbit_map *map, const double *x, double p,
                                    carom_leg_margin *worst, carom_error *error) {
  const carom_fixed_word *word = map->maker.engine->turns.fixed_word;
  carom_status status = carom_orbit_set_turn(map, x, p, error);
  carom_leg_margin *watched = &map->fixed_word.watched;
  watched->value = NAN;
  *worst = check_times(map, x);
  bool whole = worst->kind != CAROM_FAULT_DURATION || worst->value > 0.0;
  // the first leg is looked at where it is whole: from the last event to the first one
  for (int k = map->fixed_word.events > 0 ? 1 : 0;
       k <= map->fixed_word.events && status == CAROM_OK && whole; k++) {
    carom_leg_margin found, aside = *watched;
    double t0 = time_of(map, x, k - 1), t1 = time_of(map, x, k), y[CAROM_ORBIT_STATES];
    if (k == map->fixed_word.events && k > 0) t1 = time_of(map, x, 0) + map->found.period;
    if (t1 - t0 < VANISHING * map->found.period) continue; // its inequalities end together with it
    carom_leg leg = map->fixed_word.legs[k];
    int number = k == map->fixed_word.events ? 0 : k;
    if (k == map->fixed_word.events) {
      leg = map->fixed_word.legs[0];
      leg.branches = map->fixed_word.legs[k].branches; // mod and floor hold integers of this turn
    }
    status = enter_leg(map, x, k, y, NULL, error);
    if (status == CAROM_OK)
      status = word->check(map->maker.simulation, &leg, t0, t1, y, &found,
                           number == watched->leg ? &aside : NULL, error);
    if (status != CAROM_OK) break;
    found.leg = aside.leg = number;
    if (number == watched->leg) *watched = aside;
    take_worse(map, worst, found);
  }
  return status;
}

// Where a phase lasts no time or an event is met without speed, what begins and ends there is zero
// too, and in a motion that is its own mirror image, the image of all that.
carom_status carom_orbit_watch(carom_orbit_map *map, const carom_leg_margin *margin,
                               const double *x, double p, carom_error *error) {
  carom_turn_word *word = &map->fixed_word;
  carom_leg_margin worst = {0};
  carom_status status = CAROM_OK;
  word->watched = *margin;
  for (word->together_count = 0; word->together_count < CAROM_MOST_TOGETHER;) {
    status = carom_orbit_legs_check(map, x, p, &worst, error);
    int apart = abs(worst.leg - margin->leg);
    bool beside = apart <= 1 || apart + 1 >= word->events;
    if (status != CAROM_OK || !(fabs(worst.value) < (beside ? BESIDE : TOGETHER))) break;
    word->together[word->together_count++] = worst;
  }
  return status;
}

// --- the motion of a fixed word in time

// leg k up to time t, from the start or from an instant on the way; its end is in work->run.before
static carom_status look_at_leg(carom_orbit_map *map, int k, double t0, double t, const double *y,
                                legs_work *work, carom_error *error) {
  carom_leg leg = map->fixed_word.legs[k];
  leg.event = CAROM_LEG_END;
  return map->maker.engine->turns.fixed_word->run(map->maker.simulation, &leg, NULL, t0, t, y,
                                                  &work->run, error);
}

// the drift so far is told with the states
static void add_drift(const carom_orbit_map *map, const double *drift, double *y) {
  for (int s = 0; s < map->shifts.count; s++)
    for (int i = 0; i < map->shifts.coordinates; i++)
      y[i] += drift[s] * map->shifts.weight[s][i];
}

static carom_status trace_legs(carom_orbit_map *map, const double *x, int count, double *times,
                               double *states, legs_work *work, carom_error *error) {
  size_t size = (size_t)map->size;
  double drift[CAROM_MOST_SHIFTS] = {0};
  carom_status status = CAROM_OK;
  for (int k = 0, j = 0; k <= map->fixed_word.events && status == CAROM_OK; k++) {
    double t = time_of(map, x, k - 1), y[CAROM_ORBIT_STATES];
    status = enter_leg(map, x, k, y, NULL, error);
    for (; j < count && status == CAROM_OK; j++) {
      times[j] = map->begin.time + map->found.period * j / (count > 1 ? count - 1 : 1);
      if (k < map->fixed_word.events && times[j] > time_of(map, x, k)) break;
      status = look_at_leg(map, k, t, times[j], y, work, error);
      t = times[j];
      memcpy(y, work->run.before, size * sizeof *y);
      memcpy(states + (size_t)j * size, y, size * sizeof *y);
      add_drift(map, drift, states + (size_t)j * size);
    }
    if (k == map->fixed_word.events || status != CAROM_OK) break;
    status = run_leg(map, x, k, work, error);
    if (status == CAROM_OK) carom_orbit_pin(map, work->run.after, drift);
  }
  return status;
}

carom_status carom_orbit_legs_trace(carom_orbit_map *map, const double *x, double p, int count,
                                    double *times, double *states, carom_error *error) {
  legs_work *work = make_work(map);
  carom_status status = work ? CAROM_OK : carom_fail_memory(error);
  if (status == CAROM_OK) status = carom_orbit_set_turn(map, x, p, error);
  if (status == CAROM_OK) status = trace_legs(map, x, count, times, states, work, error);
  free(work);
  return status;
}

carom_status carom_orbit_legs_top(carom_orbit_map *map, const double *x, double p, int looks,
                                  double *top, carom_error *error) {
  int count = looks + 1, size = map->size;
  double *times = malloc((size_t)(count * (size + 1)) * sizeof *times), period = map->found.period;
  if (!times) return carom_fail_memory(error);
  const double *states = times + count;
  carom_status status = carom_orbit_legs_trace(map, x, p, count, times, times + count, error);
  for (int i = 0; i < size && status == CAROM_OK; i++) {
    top[i] = states[i];
    for (int j = 1; j < count; j++)
      top[i] = fmax(top[i], states[j * size + i]);
  }
  map->found.period = period;
  free(times);
  return status;
}
