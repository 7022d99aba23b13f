// SPDX-License-Identifier: MIT
/// Periodic motions with their word held fixed. Unknowns are the state at the start of the turn,
/// the period of a motion without drive, and the times of all events; equations are that the turn
/// closes and that each event's function is zero at its time. Nothing ends a phase but its time, so
/// that no square root comes in at a graze, phases may come to last less than no time, and
/// inequalities may be broken: such motions are virtual.
#include "analysis/orbit_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LONGEST = 3.0; // periods: Newton's method has lost its way in a longer phase
static const double MISFIT = 1e-6;
static const double VANISHING = 1e-5; // of the period: a phase so short
static const double BROKEN = 1e-8;    // of the largest on the way

static bool has_period(const carom_orbit_map *map) { return map->autonomous && !map->rest; }
static int first_time(const carom_orbit_map *map) { return map->count + has_period(map); }

/// Room of one evaluation.
typedef struct legs_work {
  int size, columns; // of the state, of all unknowns
  double *D;         // d state / d unknowns, on the way [size][columns]
  double *product;   // the same, being made
  double *H;         // d event functions / d unknowns [events][columns]
  carom_leg_run run;
  double y[CAROM_ORBIT_STATES];
} legs_work;

static legs_work *make_work(const carom_orbit_map *map) {
  size_t size = (size_t)map->size, columns = (size_t)(first_time(map) + map->events);
  size_t numbers = 2 * size * columns + (size_t)map->events * columns + 2 * size * size + 6 * size;
  legs_work *made = calloc(1, sizeof *made + numbers * sizeof(double));
  if (!made) return NULL;
  double *at = (double *)(made + 1);
  made->size = map->size;
  made->columns = (int)columns;
  made->D = at;
  made->product = made->D + size * columns;
  made->H = made->product + size * columns;
  made->run.flow = made->H + (size_t)map->events * columns;
  made->run.jump = made->run.flow + size * size;
  made->run.first = made->run.jump + size * size;
  made->run.last = made->run.first + size;
  made->run.before = made->run.last + size;
  made->run.slope = made->run.before + size;
  made->run.after = made->run.slope + size;
  made->run.moving = made->run.after + size;
  return made;
}

// D = M D
static void carry(legs_work *work, const double *M) {
  int size = work->size, columns = work->columns;
  memset(work->product, 0, (size_t)(size * columns) * sizeof *work->product);
  for (int i = 0; i < size; i++)
    for (int k = 0; k < size; k++) {
      double factor = M[i * size + k];
      for (int j = 0; j < columns && factor != 0.0; j++)
        work->product[i * columns + j] += factor * work->D[k * columns + j];
    }
  double *kept = work->D;
  work->D = work->product;
  work->product = kept;
}

static void add_to_column(legs_work *work, int column, double factor, const double *v) {
  for (int i = 0; i < work->size; i++)
    work->D[i * work->columns + column] += factor * v[i];
}

// from the start of a leg to just before its end
static void carry_flow(const carom_orbit_map *map, legs_work *work, int leg) {
  int time = first_time(map) + leg;
  if (leg > 0) add_to_column(work, time - 1, -1.0, work->run.first);
  carry(work, work->run.flow);
  if (leg < map->events)
    add_to_column(work, time, 1.0, work->run.last);
  else if (has_period(map))
    add_to_column(work, map->count, 1.0, work->run.last);
}

// over the event, whose function is one of the equations
static void carry_jump(carom_orbit_map *map, legs_work *work, int leg) {
  int time = first_time(map) + leg;
  const carom_leg_run *run = &work->run;
  double approach = run->time, possible = fabs(run->time);
  for (int j = 0; j < work->columns; j++) {
    double sum = j == time ? run->time : 0.0;
    for (int i = 0; i < work->size; i++)
      sum += run->slope[i] * work->D[i * work->columns + j];
    work->H[leg * work->columns + j] = sum;
  }
  for (int i = 0; i < work->size; i++) {
    approach += run->slope[i] * run->last[i];
    possible += fabs(run->slope[i] * run->last[i]);
  }
  map->approach[leg] = possible > 0.0 ? map->legs[leg].direction * approach / possible : 0.0;
  map->misfit[leg] = run->misfit;
  map->outcome[leg] = run->outcome;
  carry(work, run->jump);
  add_to_column(work, time, 1.0, run->moving);
}

static double time_of(const carom_orbit_map *map, const double *x, int event) {
  return event < 0              ? map->start
         : event == map->events ? map->start + map->period
                                : map->start + x[first_time(map) + event];
}

// one leg after the other; the state at the end is in work->run.before
static carom_status go_round(carom_orbit_map *map, const double *x, legs_work *work,
                             carom_error *error) {
  const carom_fixed_word *word = map->engine->fixed_word;
  carom_status status = CAROM_OK;
  for (int k = 0; k <= map->events && status == CAROM_OK; k++) {
    double t0 = time_of(map, x, k - 1), t1 = time_of(map, x, k);
    if (!(fabs(t1 - t0) <= LONGEST * map->period))
      return carom_fail(error, CAROM_ERR_NO_CONVERGENCE, "a phase would last %g", t1 - t0);
    if (map->watcher.stopped && map->watcher.stopped(map->watcher.ctx)) return CAROM_STOP_USER;
    bool over = k == map->events;
    status = word->run(map->simulation, &map->legs[k], over ? NULL : &map->legs[k + 1], t0, t1,
                       work->y, &work->run, error);
    if (status != CAROM_OK) return status;
    if (k == 0) memcpy(map->first_rate, work->run.first, (size_t)map->size * sizeof(double));
    if (work->run.derivatives) carry_flow(map, work, k);
    if (over) break;
    map->event_value[k] = work->run.value;
    if (work->run.derivatives) carry_jump(map, work, k);
    memcpy(work->y, work->run.after, (size_t)map->size * sizeof *work->y);
  }
  carom_shifts_reduce(&map->shifts, map->first_rate);
  return status;
}

// the start of the turn, and how it depends on the unknowns
static carom_status enter(carom_orbit_map *map, const double *x, legs_work *work,
                          carom_error *error) {
  const carom_fixed_word *word = map->engine->fixed_word;
  memcpy(work->y, map->base, (size_t)map->size * sizeof *work->y);
  for (int k = 0; k < map->count; k++)
    work->y[map->which[k]] = x[k];
  bool derivatives = work->run.derivatives;
  carom_status status = word->enter(map->simulation, &map->legs[0], map->start, work->y,
                                    derivatives ? work->run.jump : NULL, &map->held, error);
  if (status != CAROM_OK || !derivatives) return status;
  for (int k = 0; k < map->count; k++)
    work->D[map->which[k] * work->columns + k] = 1.0;
  carry(work, work->run.jump);
  return CAROM_OK;
}

// the derivative of the turn by its start alone, all events coming at their own times
static void condense(carom_orbit_map *map, const legs_work *work, const double *ends) {
  int count = map->count, columns = work->columns, base = first_time(map);
  double late[CAROM_MOST_LEGS];
  for (int j = 0; j < count; j++) {
    for (int k = 0; k < map->events; k++) {
      const double *row = work->H + k * columns;
      double sum = row[j], own = row[base + k];
      for (int l = 0; l < k; l++)
        sum += row[base + l] * late[l];
      late[k] = -sum / (own != 0.0 ? own : 1e-300);
    }
    for (int i = 0; i < count; i++) {
      double sum = ends[i * columns + j];
      for (int k = 0; k < map->events; k++)
        sum += ends[i * columns + base + k] * late[k];
      map->matrix[i * count + j] = sum;
    }
  }
}

// derivatives of what must close, by all unknowns
static void reduce_ends(const carom_orbit_map *map, const legs_work *work, double *ends) {
  for (int j = 0; j < work->columns; j++) {
    double column[CAROM_ORBIT_STATES];
    for (int i = 0; i < map->size; i++)
      column[i] = work->D[i * work->columns + j];
    carom_shifts_reduce(&map->shifts, column);
    for (int i = 0; i < map->count; i++)
      ends[i * work->columns + j] = column[map->which[i]];
  }
}

// equations in the order of the unknowns: closing, the phase condition, events
static void write_matrix(const carom_orbit_map *map, const legs_work *work, const double *ends,
                         double *J) {
  int n = work->columns, base = first_time(map);
  memset(J, 0, (size_t)(n * n) * sizeof *J);
  memcpy(J, ends, (size_t)(map->count * n) * sizeof *J);
  for (int i = 0; i < map->count; i++)
    J[i * n + i] -= 1.0;
  for (int j = 0; j < map->count && has_period(map); j++)
    J[map->count * n + j] = map->across[j];
  memcpy(J + base * n, work->H, (size_t)(map->events * n) * sizeof *J);
}

static void write_residual(const carom_orbit_map *map, const double *x, double *F) {
  for (int i = 0; i < map->count; i++)
    F[i] = map->end[map->which[i]] - x[i];
  if (has_period(map)) {
    F[map->count] = 0.0;
    for (int i = 0; i < map->count; i++)
      F[map->count] += map->across[i] * (x[i] - map->anchor[i]);
  }
  memcpy(F + first_time(map), map->event_value, (size_t)map->events * sizeof *F);
}

carom_status carom_orbit_legs_turn(carom_orbit_map *map, const double *x, double p,
                                   bool derivatives, double *F, double *J, carom_error *error) {
  carom_status status = carom_orbit_set_turn(map, x, p, error);
  if (status != CAROM_OK) return status;
  legs_work *work = make_work(map);
  size_t ends_size = work ? (size_t)(map->count * work->columns) : 0;
  double *ends = malloc((ends_size + 1) * sizeof *ends);
  if (!work || !ends) status = carom_fail_memory(error);
  if (status == CAROM_OK) {
    work->run.derivatives = derivatives;
    status = enter(map, x, work, error);
  }
  if (status == CAROM_OK) status = go_round(map, x, work, error);
  if (status == CAROM_OK) {
    map->turns_made++;
    carom_orbit_take_end(map, work->run.before, work->run.last);
    map->margin = 0.5;
    if (F) write_residual(map, x, F);
  }
  if (status == CAROM_OK && derivatives) {
    reduce_ends(map, work, ends);
    condense(map, work, ends);
    if (J) write_matrix(map, work, ends, J);
  }
  free(ends);
  free(work);
  return status;
}

// --- a word to hold fixed

// events are measured by how far their functions move when the states move by their sizes
carom_status carom_orbit_weigh_events(carom_orbit_map *map, const double *x, double p,
                                      carom_error *error) {
  int n = first_time(map) + map->events, base = first_time(map);
  double *J = malloc((size_t)(n * n) * sizeof *J), F[CAROM_BRANCH_MOST];
  if (!J) return carom_fail_memory(error);
  carom_status status = carom_orbit_legs_turn(map, x, p, true, F, J, error);
  for (int k = 0; k < map->events && status == CAROM_OK; k++) {
    double size = 0.0;
    map->scale[base + k] = map->period;
    for (int j = 0; j < n; j++)
      size += fabs(J[(base + k) * n + j]) * map->scale[j];
    map->weight[base + k] = size > 0.0 ? 1.0 / size : 1.0;
  }
  free(J);
  return status;
}

carom_status carom_orbit_fix_word(carom_orbit_map *map, double *x, double p, carom_error *error) {
  const carom_fixed_word *word = map->engine->fixed_word;
  double times[CAROM_MOST_LEGS];
  if (map->fixed) return CAROM_OK;
  if (!word)
    return carom_fail(error, CAROM_ERR_UNSUPPORTED, "the engine '%s' cannot hold a word fixed",
                      map->engine->name);
  map->noting = true;
  carom_status status = carom_orbit_map_turn(map, x, p, false, error);
  map->noting = false;
  if (status == CAROM_OK)
    status = word->noted(map->simulation, &map->events, map->legs, times, error);
  if (status != CAROM_OK) return status;
  int base = first_time(map);
  if (base + map->events > CAROM_BRANCH_MOST)
    return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                      "the word cannot be held fixed: it has too many phases");
  if (map->legs[0].modes != map->legs[map->events].modes ||
      map->legs[0].branches != map->legs[map->events].branches)
    return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                      "the word cannot be held fixed: the turn ends in another phase than it "
                      "began in");
  for (int k = 0; k < map->events; k++) {
    x[base + k] = times[k] - map->start;
    map->scale[base + k] = map->period;
  }
  map->fixed = true;
  status = carom_orbit_weigh_events(map, x, p, error);
  if (status != CAROM_OK) map->fixed = false;
  return status;
}

// --- what a motion of the fixed word breaks

// the state where each leg starts
static carom_status find_starts(carom_orbit_map *map, const double *x, double *starts,
                                carom_error *error) {
  const carom_fixed_word *word = map->engine->fixed_word;
  legs_work *work = make_work(map);
  if (!work) return carom_fail_memory(error);
  size_t size = (size_t)map->size;
  carom_status status = enter(map, x, work, error);
  memcpy(starts, work->y, size * sizeof *starts);
  for (int k = 0; k < map->events && status == CAROM_OK; k++) {
    status = word->run(map->simulation, &map->legs[k], &map->legs[k + 1], time_of(map, x, k - 1),
                       time_of(map, x, k), starts + (size_t)k * size, &work->run, error);
    memcpy(starts + ((size_t)k + 1) * size, work->run.after, size * sizeof *starts);
  }
  free(work);
  return status;
}

bool carom_orbit_broken(const carom_leg_margin *margin) { return margin->value < -BROKEN; }

static void take_worse(carom_leg_margin *worst, carom_leg_margin other) {
  if (other.value < worst->value) *worst = other;
}

// Durations, and how events are met. The leg in which a turn begins is also the one it ends in.
static carom_leg_margin check_times(const carom_orbit_map *map, const double *x) {
  carom_leg_margin worst = {.value = INFINITY};
  for (int k = 0; k < map->events; k++) {
    double lasts = time_of(map, x, k) - time_of(map, x, k - 1);
    if (k == 0) lasts += map->start + map->period - time_of(map, x, map->events - 1);
    take_worse(&worst, (carom_leg_margin){CAROM_FAULT_DURATION, k, 0, lasts / map->period, lasts});
  }
  // what else is broken may follow from that
  for (int k = 0; k < map->events && !carom_orbit_broken(&worst); k++) {
    take_worse(&worst,
               (carom_leg_margin){CAROM_FAULT_APPROACH, k, 0, map->approach[k], map->approach[k]});
    if (map->misfit[k] > MISFIT)
      take_worse(&worst,
                 (carom_leg_margin){CAROM_FAULT_MISFIT, k, 0, -map->misfit[k], -map->misfit[k]});
  }
  return worst;
}

carom_status carom_orbit_legs_check(carom_orbit_map *map, const double *x, double p,
                                    carom_leg_margin *worst, carom_error *error) {
  const carom_fixed_word *word = map->engine->fixed_word;
  size_t size = (size_t)map->size;
  double *starts = malloc(((size_t)map->events + 1) * size * sizeof *starts);
  if (!starts) return carom_fail_memory(error);
  carom_status status = carom_orbit_set_turn(map, x, p, error);
  if (status == CAROM_OK) status = find_starts(map, x, starts, error);
  *worst = check_times(map, x);
  bool whole = worst->kind != CAROM_FAULT_DURATION || worst->value > 0.0;
  // the first leg is looked at where it is whole: from the last event to the first one
  for (int k = map->events > 0 ? 1 : 0; k <= map->events && status == CAROM_OK && whole; k++) {
    carom_leg_margin found;
    double t0 = time_of(map, x, k - 1), t1 = time_of(map, x, k);
    if (k == map->events && k > 0) t1 = time_of(map, x, 0) + map->period;
    if (t1 - t0 < VANISHING * map->period) continue; // its inequalities end together with it
    int leg = k == map->events ? 0 : k;
    status = word->check(map->simulation, &map->legs[leg], t0, t1, starts + (size_t)k * size,
                         &found, error);
    found.leg = leg;
    take_worse(worst, found);
  }
  free(starts);
  return status;
}

// --- the motion of a fixed word in time

carom_status carom_orbit_legs_trace(carom_orbit_map *map, const double *x, double p, int count,
                                    double *times, double *states, carom_error *error) {
  const carom_fixed_word *word = map->engine->fixed_word;
  size_t size = (size_t)map->size;
  double *starts = malloc(((size_t)map->events + 1) * size * sizeof *starts);
  legs_work *work = make_work(map);
  carom_status status = starts && work ? CAROM_OK : carom_fail_memory(error);
  if (status == CAROM_OK) status = carom_orbit_set_turn(map, x, p, error);
  if (status == CAROM_OK) status = find_starts(map, x, starts, error);
  for (int j = 0, k = 0; j < count && status == CAROM_OK; j++) {
    times[j] = map->start + map->period * j / (count > 1 ? count - 1 : 1);
    bool same = j > 0; // leg as that of the instant before, from which it goes on
    while (k < map->events && times[j] > time_of(map, x, k)) {
      k++;
      same = false;
    }
    carom_leg leg = map->legs[k];
    leg.event = CAROM_LEG_END;
    status = word->run(map->simulation, &leg, NULL, same ? times[j - 1] : time_of(map, x, k - 1),
                       times[j], same ? states + (size_t)(j - 1) * size : starts + (size_t)k * size,
                       &work->run, error);
    memcpy(states + (size_t)j * size, work->run.before, size * sizeof *states);
  }
  free(starts);
  free(work);
  return status;
}

carom_status carom_orbit_legs_top(carom_orbit_map *map, const double *x, double p, int looks,
                                  double *top, carom_error *error) {
  int count = looks + 1, size = map->size;
  double *times = malloc((size_t)(count * (size + 1)) * sizeof *times), period = map->period;
  if (!times) return carom_fail_memory(error);
  const double *states = times + count;
  carom_status status = carom_orbit_legs_trace(map, x, p, count, times, times + count, error);
  for (int i = 0; i < size && status == CAROM_OK; i++) {
    top[i] = states[i];
    for (int j = 1; j < count; j++)
      top[i] = fmax(top[i], states[j * size + i]);
  }
  map->period = period;
  free(times);
  return status;
}
