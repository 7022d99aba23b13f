// SPDX-License-Identifier: MIT
/// Where a search for a periodic motion begins: after the motion has settled, in the middle of a
/// phase in which contacts leave it as free as possible.
#include "analysis/orbit_map.h"
#include "analysis/watch_over.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
  MOST_TURNS = 32,
  LOOKS = 4000,
  MOST_PHASES = 512,
  PARTS = 64,
  MOST_DIVISOR = 200,
  MOST_PARTS = 400
};
static const double SAME = 1e-6, LEFT = 1e-2; // the same for a motion that was found: back, away
static const double NEAR = 1e-3;              // of the size of the motion: it has come back
// of the largest state: the size of one that is next to nothing; where turns are differenced, so
// much that their rounding is nothing beside it
static const double DIGITS = 1e-4; // of a value: what moves by less has few digits to tell it by
static const double SMALLEST = 1e-6, SMALLEST_DIFFERENCED = 0.1;

// a copy of the motion that nobody asks for what it observes
static carom_status send_scout(const carom_orbit_map *map, carom_simulation **scout,
                               carom_error *error) {
  carom_status status = carom_simulation_clone(map->maker.simulation, scout, error);
  if (status == CAROM_OK && map->maker.engine->turns.unobserved)
    map->maker.engine->turns.unobserved(*scout);
  return status;
}

// the state without what may drift
static double *state_without_drift(const carom_orbit_map *map, double *y) {
  int size;
  memcpy(y, carom_simulation_state(map->maker.simulation, &size), (size_t)map->size * sizeof *y);
  carom_shifts_reduce(&map->shifts, y);
  return y;
}

static double *rates_now(const carom_orbit_map *map, const carom_simulation *of, double *rate) {
  memcpy(rate, map->maker.engine->turns.rates(of), (size_t)map->size * sizeof *rate);
  carom_shifts_reduce(&map->shifts, rate);
  return rate;
}

static carom_status refuse_end(const carom_orbit_map *map, carom_error *error) {
  return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                    "the run stops at t = %.6g: a motion that ends is not periodic",
                    carom_simulation_time(map->maker.simulation));
}

static carom_status go_on(carom_orbit_map *map, double t, carom_error *error) {
  if (map->maker.watcher.stopped && map->maker.watcher.stopped(map->maker.watcher.ctx))
    return CAROM_STOP_USER;
  carom_status status = map->maker.engine->advance(map->maker.simulation, t, false, error);
  if (status == CAROM_OK || status == CAROM_STOP_USER) return status;
  return status > 0 ? refuse_end(map, error) : status;
}

// the way of component i, without whole turns of an angle
static double way_of(const carom_orbit_map *map, int i, const double *y, const double *from) {
  assert(i >= 0 && i < map->size);
  double way = y[i] - from[i];
  return way - carom_shifts_whole(&map->shifts, i, way);
}

// how far y is from where the search began, in units of the motion's size
static double distance_from_start(const carom_orbit_map *map, const double *y, const double *from) {
  double most = 0.0;
  for (int k = 0; k < map->count; k++)
    most = fmax(most, fabs(way_of(map, map->which[k], y, from)) / map->units.scale[k]);
  return most;
}

// Sizes of the states along a piece of the motion, which is left where it began: how far they go to
// and fro, wherever that is
static carom_status measure_sizes(carom_orbit_map *map, double time, carom_error *error) {
  carom_simulation *kept = map->maker.simulation, *scout = NULL;
  double from[CAROM_ORBIT_STATES], y[CAROM_ORBIT_STATES], largest = 0.0;
  double low[CAROM_ORBIT_STATES] = {0}, high[CAROM_ORBIT_STATES] = {0}, size[CAROM_ORBIT_STATES];
  carom_status status = send_scout(map, &scout, error);
  double begin = carom_simulation_time(kept);
  state_without_drift(map, from);
  map->maker.simulation = scout;
  for (int part = 1; part <= PARTS && status == CAROM_OK; part++) {
    status = go_on(map, begin + time * part / PARTS, error);
    if (status == CAROM_OK) state_without_drift(map, y);
    for (int k = 0; k < map->count && status == CAROM_OK; k++) {
      double way = way_of(map, map->which[k], y, from);
      low[k] = fmin(low[k], way);
      high[k] = fmax(high[k], way);
    }
  }
  map->maker.simulation = kept;
  carom_simulation_destroy(scout);
  for (int k = 0; k < map->count; k++) {
    double value = from[map->which[k]];
    value -= carom_shifts_whole(&map->shifts, map->which[k], value);
    size[k] = fmax(0.5 * (high[k] - low[k]), DIGITS * fabs(value));
    largest = fmax(largest, size[k]);
  }
  double least = map->maker.engine->tangent.begin ? SMALLEST : SMALLEST_DIFFERENCED;
  for (int k = 0; k < map->count; k++) {
    map->units.scale[k] = fmax(size[k], fmax(least * largest, 1e-300));
    map->units.weight[k] = 1.0 / map->units.scale[k];
  }
  return status;
}

// --- driven systems: after how many periods of the drive does the state come back?

static carom_status count_turns(carom_orbit_map *map, double drive, carom_error *error) {
  double from[CAROM_ORBIT_STATES], y[CAROM_ORBIT_STATES], best = INFINITY;
  carom_simulation *kept = map->maker.simulation, *scout = NULL;
  double begin = carom_simulation_time(kept);
  carom_status status = send_scout(map, &scout, error);
  map->maker.simulation = scout;
  if (status == CAROM_OK) state_without_drift(map, from);
  for (int n = 1; n <= MOST_TURNS && status == CAROM_OK; n++) {
    status = go_on(map, begin + n * drive, error);
    if (status != CAROM_OK) break;
    double away = distance_from_start(map, state_without_drift(map, y), from);
    if (away < 0.1 * best) {
      best = away;
      map->begin.turns = n;
    }
    if (best < NEAR) break;
  }
  map->maker.simulation = kept;
  carom_simulation_destroy(scout);
  return status;
}

// --- autonomous systems: the first return to the hyperplane across the motion

static double across_now(const carom_orbit_map *map, const double *y, const double *from,
                         const double *rate) {
  double sum = 0.0;
  for (int k = 0; k < map->count; k++) {
    int i = map->which[k];
    sum += rate[i] * way_of(map, i, y, from) / (map->units.scale[k] * map->units.scale[k]);
  }
  return sum;
}

// the return within the last step of the looking, which ended at `side` of the hyperplane: how long
// before its end, and how far the state was from the start by then
static double look_back(const carom_orbit_map *map, double dt, double before, double side,
                        double *y, const double *from, double *away) {
  double back = dt * side / (side - before), rate[CAROM_ORBIT_STATES];
  rates_now(map, map->maker.simulation, rate);
  for (int i = 0; i < map->size; i++)
    y[i] -= back * rate[i];
  *away = distance_from_start(map, y, from);
  return back;
}

static carom_status refuse_rest(const carom_orbit_map *map, carom_error *error) {
  return carom_fail(
      error, CAROM_ERR_NO_CONVERGENCE,
      "at t = %.6g the motion has come to rest, and a periodic motion is looked for; "
      "rest positions are those of carom equilibrium and carom continue --equilibrium",
      carom_simulation_time(map->maker.simulation));
}

static carom_status find_period(carom_orbit_map *map, double longest, double *period,
                                carom_error *error) {
  double from[CAROM_ORBIT_STATES], rate[CAROM_ORBIT_STATES], y[CAROM_ORBIT_STATES];
  carom_simulation *kept = map->maker.simulation, *scout = NULL;
  double begin = carom_simulation_time(kept), dt = longest / LOOKS, best = INFINITY;
  carom_status status = send_scout(map, &scout, error);
  if (status != CAROM_OK) return status;
  map->maker.simulation = scout;
  state_without_drift(map, from);
  rates_now(map, kept, rate);
  double before = 0.0, farthest = 0.0;
  *period = 0.0;
  for (int k = 1; k <= LOOKS && status == CAROM_OK; k++) {
    double t = begin + k * dt;
    status = go_on(map, t, error);
    if (status != CAROM_OK) break;
    double side = across_now(map, state_without_drift(map, y), from, rate), last = before, away;
    before = side;
    farthest = fmax(farthest, distance_from_start(map, y, from));
    if (!(last < 0.0 && side >= 0.0)) continue;
    double back = look_back(map, dt, last, side, y, from, &away);
    if (!(away < 0.1 * best)) continue;
    best = away;
    *period = t - back - begin;
    if (best < NEAR) break;
  }
  map->maker.simulation = kept;
  carom_simulation_destroy(scout);
  if (status == CAROM_OK && farthest < NEAR) return refuse_rest(map, error);
  if (status == CAROM_OK && !(*period > 0.0))
    return carom_fail(error, CAROM_ERR_NO_CONVERGENCE,
                      "the motion does not come back within %.6g; let it settle longer, or give a "
                      "period",
                      longest);
  return status;
}

// What was found may be several turns: the shortest part of it after which the motion is back
static carom_status divide_period(carom_orbit_map *map, double *period, carom_error *error) {
  double from[CAROM_ORBIT_STATES], y[CAROM_ORBIT_STATES], whole = *period;
  carom_simulation *kept = map->maker.simulation, *scout = NULL;
  double begin = carom_simulation_time(kept);
  carom_status status = send_scout(map, &scout, error);
  if (status != CAROM_OK) return status;
  map->maker.simulation = scout;
  state_without_drift(map, from);
  for (int n = MOST_DIVISOR; n > 1 && status == CAROM_OK; n--) {
    status = go_on(map, begin + whole / n, error);
    if (status != CAROM_OK || !(distance_from_start(map, state_without_drift(map, y), from) < NEAR))
      continue;
    *period = whole / n;
    break;
  }
  map->maker.simulation = kept;
  carom_simulation_destroy(scout);
  return status;
}

// A motion that was found may still come back sooner: it closes exactly, so that what is near is
// the same. The start must have been left meanwhile.
carom_status carom_orbit_parts(carom_orbit_map *map, const double *x, double p, int *parts,
                               carom_error *error) {
  double from[CAROM_ORBIT_STATES], y[CAROM_ORBIT_STATES], farthest = 0.0;
  int most = map->kind.autonomous ? MOST_PARTS : map->begin.turns;
  bool fixed = map->fixed_word.held;
  *parts = 1;
  map->fixed_word.held = false;
  carom_status status = carom_orbit_begin(map, x, p, error);
  map->fixed_word.held = fixed;
  if (status != CAROM_OK) return status;
  double begin = carom_simulation_time(map->maker.simulation), period = map->found.period;
  state_without_drift(map, from);
  for (int n = most; n > 1 && status == CAROM_OK; n--) {
    if (!map->kind.autonomous && map->begin.turns % n != 0) continue;
    status = go_on(map, begin + period / n, error);
    if (status != CAROM_OK) break;
    double away = distance_from_start(map, state_without_drift(map, y), from);
    if (away < SAME && (!map->kind.autonomous || farthest > LEFT)) {
      *parts = n;
      break;
    }
    farthest = fmax(farthest, away);
  }
  return status;
}

void carom_orbit_shorten(carom_orbit_map *map, double *x, int parts) {
  assert(parts > 0);
  map->fixed_word.held = false;
  if (!map->kind.autonomous) {
    map->begin.turns /= parts;
    return;
  }
  x[map->count] /= parts;
  map->units.scale[map->count] /= parts;
}

// --- the place where a turn begins

// Goes through one turn and notes, between events, the longest time with fewest directions held.
// Phases that last less than a part of the period are taken where there are no others.
static carom_status find_place(carom_orbit_map *map, double period, double least_part, double *wait,
                               carom_error *error) {
  carom_simulation *kept = map->maker.simulation, *scout = NULL;
  double begin = carom_simulation_time(kept), last = begin, end = begin + 2.0 * period;
  int least = 1 << 20;
  double longest = 0.0;
  bool brief = true; // no phase that lasts has been found yet
  carom_status status = send_scout(map, &scout, error);
  if (status != CAROM_OK) return status;
  *wait = 0.0;
  for (int k = 0; k < MOST_PHASES && last < end && status >= 0; k++) {
    int held = map->maker.engine->turns.held(scout);
    status = map->maker.engine->advance(scout, end, true, error);
    double t = carom_simulation_time(scout);
    // what is cut off by the beginning is seen whole one turn later
    bool short_one = t - last < least_part * period;
    bool better = held < least || (held == least && t - last > longest * (1.0 + 1e-6));
    if (short_one != brief) better = brief;
    if (status >= 0 && better && t > last) {
      brief = short_one;
      least = held;
      longest = t - last;
      *wait = last + 0.5 * longest - begin;
    }
    last = t;
  }
  carom_simulation_destroy(scout);
  return status < 0 ? status : CAROM_OK;
}

// Bodies that drift together are brought back to where the free coordinate is zero: only their
// distances have a size
static void anchor_here(carom_orbit_map *map, double *x) {
  int size;
  memcpy(map->begin.base, carom_simulation_state(map->maker.simulation, &size),
         (size_t)map->size * sizeof *map->begin.base);
  for (int s = 0; s < map->shifts.count; s++)
    if (map->shifts.common[s]) (void)carom_shifts_take(&map->shifts, s, map->begin.base);
  rates_now(map, map->maker.simulation, map->derived.first_rate);
  for (int i = 0; i < map->size; i++)
    map->begin.base[i] -= carom_shifts_whole(&map->shifts, i, map->begin.base[i]);
  for (int k = 0; k < map->count; k++)
    x[k] = map->begin.base[map->which[k]];
  carom_orbit_anchor(map, x);
  map->begin.closed = map->maker.engine->turns.closed(map->maker.simulation);
}

carom_status carom_orbit_recentre(carom_orbit_map *map, double *x, double p, carom_error *error) {
  double wait;
  carom_status status = carom_orbit_map_turn(map, x, p, false, error);
  double period = map->found.period;
  if (status == CAROM_OK) status = find_place(map, period, 2.0 * CAROM_ORBIT_BRIEF, &wait, error);
  if (status == CAROM_OK)
    status = go_on(map, carom_simulation_time(map->maker.simulation) + wait, error);
  if (status != CAROM_OK) return status;
  if (!map->kind.autonomous) {
    double phase = map->begin.phase + wait * map->begin.turns / period;
    map->begin.phase = phase - floor(phase);
  }
  anchor_here(map, x);
  return CAROM_OK;
}

static carom_status start_driven(carom_orbit_map *map, const carom_orbit_options *options,
                                 double *x, carom_error *error) {
  double drive, wait;
  carom_status status = carom_orbit_drive(map->maker.simulation, &drive, error);
  if (status == CAROM_OK) status = measure_sizes(map, drive, error);
  map->begin.turns = options->turns;
  if (status == CAROM_OK && map->begin.turns <= 0) status = count_turns(map, drive, error);
  if (status == CAROM_OK) status = find_place(map, map->begin.turns * drive, 0.0, &wait, error);
  if (status == CAROM_OK)
    status = go_on(map, carom_simulation_time(map->maker.simulation) + wait, error);
  if (status != CAROM_OK) return status;
  double t = carom_simulation_time(map->maker.simulation) / drive;
  map->begin.phase = t - floor(t);
  anchor_here(map, x);
  return CAROM_OK;
}

// to the middle of the next phase that lasts
static carom_status enter_phase(carom_orbit_map *map, double longest, carom_error *error) {
  carom_simulation *scout = NULL;
  carom_status status = send_scout(map, &scout, error);
  if (status != CAROM_OK) return status;
  double last = carom_simulation_time(scout), end = last + longest, middle = last;
  for (int k = 0; k < MOST_PHASES && last < end && status >= 0; k++) {
    status = map->maker.engine->advance(scout, end, true, error);
    double t = carom_simulation_time(scout);
    middle = 0.5 * (last + t);
    if (k > 0 && t > last) break;
    last = t;
  }
  carom_simulation_destroy(scout);
  return status < 0 ? status : go_on(map, middle, error);
}

// A motion that begins where it jumps, such as at the instant of a rule that sets back a clock,
// does not come back there: its phases come back to their middles
static carom_status find_return(carom_orbit_map *map, double longest, double *period,
                                carom_error *error) {
  carom_status status = find_period(map, longest, period, error);
  if (status != CAROM_ERR_NO_CONVERGENCE) return status;
  status = enter_phase(map, longest, error);
  return status == CAROM_OK ? find_period(map, longest, period, error) : status;
}

static carom_status start_free(carom_orbit_map *map, const carom_orbit_options *options, double *x,
                               carom_error *error) {
  double longest = carom_simulation_until(map->maker.simulation), period = options->period, wait;
  double begin = carom_simulation_time(map->maker.simulation);
  if (longest > begin) longest -= begin;
  carom_status status = measure_sizes(map, period > 0.0 ? period : 0.2 * longest, error);
  if (status == CAROM_OK && !(period > 0.0)) status = find_return(map, longest, &period, error);
  begin = carom_simulation_time(map->maker.simulation);
  if (status == CAROM_OK && !(options->period > 0.0)) status = divide_period(map, &period, error);
  if (status == CAROM_OK) status = find_place(map, period, 0.0, &wait, error);
  if (status == CAROM_OK) status = go_on(map, begin + wait, error);
  if (status != CAROM_OK) return status;
  anchor_here(map, x);
  x[map->count] = period;
  map->units.scale[map->count] = period;
  map->units.weight[map->count] = 1.0;
  return CAROM_OK;
}

carom_status carom_orbit_start(carom_orbit_map *map, const carom_orbit_options *options, double *x,
                               carom_error *error) {
  double after =
      options->after >= 0.0 ? options->after : carom_simulation_until(map->maker.simulation);
  carom_status status = CAROM_OK;
  if (after > carom_simulation_time(map->maker.simulation))
    status = carom_watch_advance(&map->maker.watcher, map->maker.simulation, after, error);
  if (status == CAROM_STOP_EVENT) status = refuse_end(map, error);
  if (status != CAROM_OK) return status;
  return map->kind.autonomous ? start_free(map, options, x, error)
                              : start_driven(map, options, x, error);
}
