// SPDX-License-Identifier: MIT
/// Where a branch of a system without drive ends on a motion that takes for ever: it leaves a
/// saddle and comes back to it (homoclinic). Next to it p = p_h + C exp(-lambda T), T being the
/// period and lambda the smaller one of the saddle's rates; of a saddle that meets a node T grows
/// like a power, which looks like a lambda of some 3/T.
#include "analysis/follower.h"

#include "base/elementary.h"

#include <math.h>

enum { LOOKS = 2000, BISECTIONS = 60 };
static const double APART = 0.1;   // of the period, between the points that are compared
static const double LONG = 12.0;   // lambda T, beyond what a power could look like
static const double STEADY = 0.05; // how well lambda must be the same of two sets of points
static const double REST = 1e-6;   // of the range: what is left to the end
static const double ALIKE = 2.0;   // a factor: what is left to the end by its law and by the loop
static const double SLOW = 0.05;   // lambda: the motion nearly rests beside the saddle

/// A point of the branch.
typedef struct place {
  double p, period;
} place;

// the last point of this branch, before number k, with a period that is shorter by a part of it
static bool find_shorter(const carom_follower *it, long *k, double period, place *found) {
  for (; *k >= 0; --*k) {
    const carom_continuation_point *at = carom_continuation_point_at(it->result, *k);
    if (at->branch != it->branch) return false;
    *found = (place){at->value, at->period};
    if (at->period < (1.0 - APART) * period) return true;
  }
  return false;
}

// lambda such that the ways of p between three points fit; 0: none does
static double find_rate(const place *a, const place *b, const place *c) {
  double ratio = (b->p - a->p) / (c->p - b->p), low = 0.0, high = 100.0 / (c->period - b->period);
  if (!(ratio > (b->period - a->period) / (c->period - b->period))) return 0.0;
  for (int k = 0; k < BISECTIONS; k++) {
    double rate = 0.5 * (low + high);
    double fits = (carom_exp(rate * (b->period - a->period)) - 1.0) /
                  (1.0 - carom_exp(-rate * (c->period - b->period)));
    if (fits < ratio)
      low = rate;
    else
      high = rate;
  }
  return 0.5 * (low + high);
}

// what is left of p by the last two points, of which `now` is the later one
static double find_left(const place *now, const place *before, double rate) {
  return (now->p - before->p) / (carom_exp(rate * (now->period - before->period)) - 1.0);
}

// the least of the largest rates of the states, in their sizes
static double slowest_rate(carom_follower *it, const carom_station *at) {
  carom_orbit_map *map = it->map;
  double rate = INFINITY;
  if (carom_orbit_begin(map, at->at.x, at->at.p, NULL) != CAROM_OK) return rate;
  double begin = carom_simulation_time(map->maker.simulation);
  for (int k = 1; k <= LOOKS; k++) {
    double most = 0.0;
    carom_status status = map->maker.engine->advance(
        map->maker.simulation, begin + at->orbit.is.period * k / LOOKS, false, NULL);
    if (status != CAROM_OK) return INFINITY;
    const double *rates = map->maker.engine->turns.rates(map->maker.simulation);
    for (int i = 0; i < map->count; i++)
      most = fmax(most, fabs(rates[map->which[i]]) / map->units.scale[i]);
    rate = fmin(rate, most);
  }
  return rate;
}

bool carom_follower_takes_ever(carom_follower *it, double *end) {
  place at[4] = {{it->next.at.p, it->next.orbit.is.period}};
  long k = carom_continuation_points(it->result) - 1;
  if (it->map->kind.rest || !carom_orbit_has_period(it->map)) return false;
  for (int i = 1; i < 4; i++)
    if (!find_shorter(it, &k, at[i - 1].period, &at[i])) return false;
  double rate = find_rate(&at[2], &at[1], &at[0]), before = find_rate(&at[3], &at[2], &at[1]);
  if (!(rate * at[0].period > LONG) || !(fabs(rate - before) < STEADY * rate)) return false;
  double left = find_left(&at[0], &at[1], rate);
  if (!(fabs(left) < REST * it->problem.scale_p) || !(slowest_rate(it, &it->next) < SLOW * rate))
    return false;
  *end = at[0].p + left;
  return true;
}

bool carom_follower_nears_loop(carom_follower *it, double *end) {
  place now = {it->here.at.p, it->here.orbit.is.period}, before;
  long k = carom_continuation_points(it->result) - 1;
  double rate;
  if (it->map->kind.rest || !carom_orbit_has_period(it->map)) return false;
  if (!find_shorter(it, &k, now.period, &before)) return false;
  if (!carom_loop_near(it->map, &it->here.at, it->problem.scale_p, end, &rate)) return false;
  double part = (*end - now.p) / find_left(&now, &before, rate);
  return part > 1.0 / ALIKE && part < ALIKE;
}
