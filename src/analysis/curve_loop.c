// SPDX-License-Identifier: MIT
/// Curves of homoclinic motions in two parameters. A saddle of a system without drive has one
/// direction in which motions leave it. The one that does so is followed until it comes back to a
/// ball round the saddle and leaves that again, on one side or the other, the later the nearer it
/// has come to coming back for ever. So
///
///   g = +-exp(-rate (time in the ball))
///
/// is zero where the motion is homoclinic, and changes there like the parameters (Shilnikov's map).
/// It is the real motion that is followed, so impacts and rules may lie on its way.
#include "analysis/curve.h"
#include "base/eigen.h"
#include "base/elementary.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = CAROM_ORBIT_STATES, ROUNDS = 20, LOOKS = 2000, LOCATE_ROUNDS = 80, WIDER = 12 };
static const double DIFFERENCE = 1e-5; // of the sizes of states: for slopes of rates
static const double SETTLED = 1e-12;   // of the same: a step of Newton's method that is the last
static const double SEED = 1e-7;       // of the loop: where it is begun from the saddle
static const double BALL = 0.2;        // the same: the ball's radius
static const double LOOK = 0.05;       // over the rate out: between two looks at the motion
static const double LATEST = 3.0;      // times that the loop lasts: to its coming back
static const double STAY = 60.0;       // the same: longer stays beside the saddle are for ever
static const double PLACED = 1e-12;    // of the ranges
static const double JUMP = 1e-6;       // g, which changes like the parameters, where it has no zero
static const double APART = 1e-9;      // of the ranges: first looks to both sides
static const double ASIDE = 0.01;      // of a step: the same
static const double NEARBY = 0.01;     // of the ranges: from the cycle to the loop
static const double SMALLEST = 1e-4;   // step, of the ranges

/// A homoclinic motion in the plane of two parameters.
typedef struct loop {
  const carom_atlas_options *options;
  carom_orbit_map map;
  int n;               // states
  double range[2];     // of the parameters
  double saddle[MOST]; // of the last look
  double out[MOST], across[MOST];
  double rate_out, rate_in;
  double side;           // on which the motion leaves
  double size, lasts;    // of the cycle beside it, then of the loop: distance from the saddle, time
  double farthest, took; // the same of the last look
  double place[2];       // the parameters, of the last point
  double looked;         // what turns are begun with for those of the last look
  char why[CAROM_ERROR_TEXT];
} loop;

static void say_why(loop *it, const char *why) {
  (void)snprintf(it->why, sizeof it->why, "%s", why);
}

static carom_status refuse_loop(loop *it, const char *why) {
  say_why(it, why);
  return CAROM_ERR_NO_CONVERGENCE;
}

static void put_at(loop *it, const double *place) {
  carom_turn_plane *plane = &it->map.maker.plane;
  plane->value = place[0];
  plane->other = place[1];
  plane->along = plane->beside = 0.0;
  it->looked = plane->also ? 0.0 : place[0]; // how far along the line, or the parameter itself
}

static carom_status begin_at(loop *it, const double *x) {
  return carom_orbit_begin(&it->map, x, it->looked, NULL);
}

static carom_status rates_at(loop *it, const double *x, double *rates) {
  carom_status status = begin_at(it, x);
  if (status != CAROM_OK) return status;
  const double *all = it->map.maker.engine->turns.rates(it->map.maker.simulation);
  for (int k = 0; k < it->n; k++)
    rates[k] = all[it->map.which[k]];
  return CAROM_OK;
}

static carom_status slopes_at(loop *it, const double *x, double *J) {
  double beside[MOST + 1], up[MOST] = {0.0}, down[MOST] = {0.0};
  memcpy(beside, x, (size_t)it->n * sizeof *x);
  beside[it->n] = 0.0;
  for (int j = 0; j < it->n; j++) {
    double h = DIFFERENCE * it->map.units.scale[j];
    beside[j] = x[j] + h;
    carom_status status = rates_at(it, beside, up);
    beside[j] = x[j] - h;
    if (status == CAROM_OK) status = rates_at(it, beside, down);
    if (status != CAROM_OK) return status;
    beside[j] = x[j];
    for (int i = 0; i < it->n; i++)
      J[i * it->n + j] = (up[i] - down[i]) / (2.0 * h);
  }
  return CAROM_OK;
}

// Newton's method from the last saddle; J becomes its slopes
static carom_status find_saddle(loop *it, double *J) {
  double A[MOST * MOST], step[MOST], x[MOST + 1] = {0};
  memcpy(x, it->saddle, (size_t)it->n * sizeof *x);
  for (int round = 0; round < ROUNDS; round++) {
    double largest = 0.0;
    carom_status status = slopes_at(it, x, J);
    if (status == CAROM_OK) status = rates_at(it, x, step);
    if (status != CAROM_OK) return status;
    memcpy(A, J, (size_t)(it->n * it->n) * sizeof *A);
    if (carom_branch_solve(it->n, A, step, 0.0, NULL) < it->n) break;
    for (int k = 0; k < it->n; k++) {
      x[k] -= step[k];
      largest = fmax(largest, fabs(step[k]) / it->map.units.scale[k]);
    }
    memcpy(it->saddle, x, (size_t)it->n * sizeof *x);
    if (largest <= SETTLED) return CAROM_OK;
    if (!isfinite(largest)) break;
  }
  return refuse_loop(it, "its saddle is not found");
}

// the vector that J (or its transpose) stretches by the rate
static void find_vector(int n, const double *J, bool transposed, double rate, double *vector) {
  double A[MOST * MOST], shift = rate * (1.0 + 1e-8);
  for (int k = 0; k < n; k++)
    vector[k] = 1.0 + 0.1 * k;
  for (int round = 0; round < 3; round++) {
    double square = 0.0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        A[i * n + j] = J[transposed ? j * n + i : i * n + j] - (i == j ? shift : 0.0);
    (void)carom_branch_solve(n, A, vector, 0.0, NULL);
    for (int k = 0; k < n; k++)
      square += vector[k] * vector[k];
    for (int k = 0; k < n; k++)
      vector[k] /= sqrt(square);
  }
}

// the one way out of the saddle, and what tells how far a state lies along it
static carom_status find_ways(loop *it, const double *J) {
  double re[MOST], im[MOST], product = 0.0, turned = 0.0, before[MOST];
  double *work = calloc((size_t)carom_eigen_workspace(it->n) + 1, sizeof *work);
  if (!work) return CAROM_ERR_MEMORY;
  bool found = carom_eigenvalues(it->n, J, work, re, im);
  free(work);
  if (!found || !(re[0] > 0.0) || im[0] != 0.0 || it->n < 2 || !(re[1] < 0.0))
    return refuse_loop(it, "its saddle has not just one direction in which motions leave it");
  it->rate_out = re[0];
  it->rate_in = -re[1];
  memcpy(before, it->out, sizeof before);
  find_vector(it->n, J, false, re[0], it->out);
  find_vector(it->n, J, true, re[0], it->across);
  for (int k = 0; k < it->n; k++)
    turned += before[k] * it->out[k];
  for (int k = 0; k < it->n; k++) {
    if (turned < 0.0) it->out[k] = -it->out[k];
    product += it->out[k] * it->across[k];
  }
  for (int k = 0; k < it->n; k++)
    it->across[k] /= product;
  return CAROM_OK;
}

// how far the present state is from the saddle, and how far along the way out
static double distance_now(const loop *it, double *along) {
  const double *y = carom_simulation_state(it->map.maker.simulation, NULL);
  double square = 0.0;
  *along = 0.0;
  for (int k = 0; k < it->n; k++) {
    double away = y[it->map.which[k]] - it->saddle[k];
    square += away * away;
    *along += it->across[k] * away;
  }
  return sqrt(square);
}

/// Where a look at the motion finds it.
typedef struct look {
  double t, distance, along;
} look;

// the next look, a little later
static carom_status look_on(loop *it, look *at) {
  carom_simulation *simulation = it->map.maker.simulation;
  double t = at->t + LOOK / it->rate_out;
  carom_status status = it->map.maker.engine->advance(simulation, t, false, NULL);
  at->t = t;
  at->distance = distance_now(it, &at->along);
  it->farthest = fmax(it->farthest, at->distance);
  return status == CAROM_OK ? CAROM_OK : refuse_loop(it, "its motion ends");
}

// Until the ball is left (or entered), not after `until`; *when: between two looks.
static carom_status cross_ball(loop *it, bool enters, double until, look *at, double *when) {
  double radius = BALL * it->size;
  for (;;) {
    look last = *at;
    carom_status status = look_on(it, at);
    if (status != CAROM_OK) return status;
    *when = at->t;
    if ((at->distance < radius) == enters && (last.distance < radius) != enters)
      *when = last.t + (at->t - last.t) * (radius - last.distance) / (at->distance - last.distance);
    if ((at->distance < radius) == enters) return CAROM_OK;
    if (at->t > until)
      return refuse_loop(it, "the motion that leaves its saddle does not come back");
  }
}

// g at these parameters
static carom_status find_split(loop *it, const double *place, double *g) {
  double J[MOST * MOST], x[MOST + 1] = {0}, entered, left;
  put_at(it, place);
  it->map.turns_made++;
  carom_status status = find_saddle(it, J);
  if (status == CAROM_OK) status = find_ways(it, J);
  for (int k = 0; k < it->n; k++)
    x[k] = it->saddle[k] + it->side * SEED * it->size * it->out[k];
  if (status == CAROM_OK) status = begin_at(it, x);
  if (status != CAROM_OK) return status;
  look at = {.t = carom_simulation_time(it->map.maker.simulation)};
  double stay = STAY / it->rate_out, began = at.t;
  it->farthest = 0.0;
  at.distance = distance_now(it, &at.along);
  status = cross_ball(it, false, at.t + stay, &at, &left);
  if (status == CAROM_OK) status = cross_ball(it, true, at.t + LATEST * it->lasts, &at, &entered);
  if (status != CAROM_OK) return status;
  double farthest = it->farthest;
  it->took = entered - began;
  status = cross_ball(it, false, at.t + stay, &at, &left);
  it->farthest = farthest;
  *g = status == CAROM_OK ? copysign(carom_exp(-it->rate_out * (left - entered)), at.along) : 0.0;
  return status == CAROM_ERR_NO_CONVERGENCE && at.t > entered + stay ? CAROM_OK : status;
}

static void move_along(const loop *it, const double *from, const double *way, double s,
                       double *to) {
  for (int k = 0; k < 2; k++)
    to[k] = from[k] + s * way[k] * it->range[k];
}

// the zero of g on the line from `from` along `way`, first looked for `aside` away on both sides
static carom_status find_loop(loop *it, const double *from, const double *way, double aside,
                              double most, double *to) {
  double a = 0.0, b = 0.0, ga = 0.0, gb, at[2];
  carom_status status = find_split(it, from, &ga);
  gb = ga;
  for (int k = 0; k < WIDER && status == CAROM_OK && (ga > 0.0) == (gb > 0.0) && gb != 0.0; k++) {
    if (aside > most) return refuse_loop(it, "no homoclinic motion is found further on");
    for (int side = 0; side < 2 && (ga > 0.0) == (gb > 0.0); side++) {
      double g;
      b = side ? -aside : aside;
      move_along(it, from, way, b, at);
      status = find_split(it, at, &g);
      if (status == CAROM_ERR_MEMORY) return status;
      if (status == CAROM_OK) gb = g;
      status = CAROM_OK; // what does not come back there may do so nearer, or on the other side
    }
    aside *= 4.0;
  }
  if (status != CAROM_OK) return status;
  if ((ga > 0.0) == (gb > 0.0) && gb != 0.0)
    return refuse_loop(it, "no homoclinic motion is found further on");
  int kept = 0;
  for (int k = 0; k < LOCATE_ROUNDS && fabs(b - a) > PLACED && ga != 0.0 && gb != 0.0; k++) {
    double c = (a * gb - b * ga) / (gb - ga), g;
    if (!(c > fmin(a, b) && c < fmax(a, b))) c = 0.5 * (a + b);
    move_along(it, from, way, c, at);
    status = find_split(it, at, &g);
    if (status != CAROM_OK) return status;
    bool takes_b = (g > 0.0) == (gb > 0.0);
    if (takes_b && kept == 1) ga *= 0.5;
    if (!takes_b && kept == -1) gb *= 0.5;
    kept = takes_b ? 1 : -1;
    if (takes_b) b = c, gb = g;
    if (!takes_b) a = c, ga = g;
  }
  // a graze on the way: what passes and what strikes comes back on different sides
  if (fmin(fabs(ga), fabs(gb)) > JUMP)
    return refuse_loop(it, "its way back jumps from one side of the saddle to the other");
  move_along(it, from, way, fabs(ga) < fabs(gb) ? a : b, to);
  return CAROM_OK;
}

static bool lies_inside(const loop *it, const double *place) {
  const carom_atlas_options *o = it->options;
  return place[0] >= fmin(o->branch.from, o->branch.to) &&
         place[0] <= fmax(o->branch.from, o->branch.to) && place[1] >= o->low &&
         place[1] <= o->high;
}

static carom_status record_place(loop *it, carom_corner corner, int number, const char *word,
                                 carom_atlas *atlas, carom_error *error) {
  const carom_atlas_point point = {.curve = number,
                                   .kind = CAROM_LABEL_HOMOCLINIC,
                                   .name = carom_branch_label_text(CAROM_LABEL_HOMOCLINIC),
                                   .corner = corner,
                                   .value = it->place[0],
                                   .also = it->place[1],
                                   .period = INFINITY,
                                   .re = NAN,
                                   .im = NAN,
                                   .coefficient = it->rate_out - it->rate_in,
                                   .coefficient_error = NAN};
  return carom_atlas_record(atlas, &point, word, corner == CAROM_CORNER_END ? it->why : "", error);
}

// where the line to `next`, which lies outside, meets the end of a range
static carom_status end_at_bound(loop *it, const double *next, double *to) {
  const carom_atlas_options *o = it->options;
  const double low[2] = {fmin(o->branch.from, o->branch.to), o->low},
               high[2] = {fmax(o->branch.from, o->branch.to), o->high};
  double part = 1.0, guess[2], way[2] = {0.0, 0.0};
  int bound = 0;
  for (int k = 0; k < 2; k++) {
    double end = next[k] > high[k] ? high[k] : low[k];
    if (next[k] >= low[k] && next[k] <= high[k]) continue;
    double here = (end - it->place[k]) / (next[k] - it->place[k]);
    if (here < part) bound = k;
    part = fmin(part, here);
  }
  for (int k = 0; k < 2; k++)
    guess[k] = it->place[k] + part * (next[k] - it->place[k]);
  guess[bound] = next[bound] > high[bound] ? high[bound] : low[bound];
  way[1 - bound] = 1.0;
  return find_loop(it, guess, way, 0.1 * ASIDE, 0.5, to);
}

// the curve from the last point on, which it has come to along `way`
static carom_status follow_loops(loop *it, double *way, int number, const char *word,
                                 carom_atlas *atlas, carom_error *error) {
  const carom_continuation_options *o = &it->options->branch;
  double step = o->first;
  for (long k = 0; k < it->options->most;) {
    double guess[2], next[2], aside[2] = {-way[1], way[0]};
    if (o->watcher.stopped && o->watcher.stopped(o->watcher.ctx)) return CAROM_STOP_USER;
    move_along(it, it->place, way, step, guess);
    double most = k == 0 ? 4.0 * step : step; // at first the way is only guessed
    carom_status status = find_loop(it, guess, aside, ASIDE * step, most, next);
    if (status == CAROM_ERR_MEMORY) return carom_fail_memory(error);
    if (status != CAROM_OK) {
      step *= 0.5;
      if (step < SMALLEST) return record_place(it, CAROM_CORNER_END, number, word, atlas, error);
      continue;
    }
    bool inside = lies_inside(it, next);
    if (!inside && end_at_bound(it, next, next) != CAROM_OK)
      return record_place(it, CAROM_CORNER_END, number, word, atlas, error);
    double length = 0.0;
    for (int i = 0; i < 2; i++) {
      way[i] = (next[i] - it->place[i]) / it->range[i];
      length += way[i] * way[i];
      it->place[i] = next[i];
    }
    for (int i = 0; i < 2; i++)
      way[i] /= sqrt(length);
    it->size = it->farthest;
    it->lasts = it->took;
    status = record_place(it, inside ? CAROM_CORNER_NONE : CAROM_CORNER_BOUND, number, word, atlas,
                          error);
    if (status != CAROM_OK || !inside) return status;
    step = fmin(1.5 * step, o->largest);
    k++;
  }
  say_why(it, "it is long enough");
  return record_place(it, CAROM_CORNER_END, number, word, atlas, error);
}

// the slowest place of the cycle, near which the saddle lies, and on which side it is left
static carom_status look_at_cycle(loop *it, const double *x) {
  double slowest = INFINITY, J[MOST * MOST], along, rate;
  const carom_engine *engine = it->map.maker.engine;
  carom_simulation *simulation = it->map.maker.simulation;
  carom_status status = begin_at(it, x);
  double began = status == CAROM_OK ? carom_simulation_time(simulation) : 0.0, when = began;
  for (int k = 0; k < LOOKS && status == CAROM_OK; k++) {
    status = engine->advance(simulation, began + it->lasts * k / LOOKS, false, NULL);
    const double *rates = engine->turns.rates(simulation);
    const double *y = carom_simulation_state(simulation, NULL);
    rate = 0.0;
    for (int i = 0; i < it->n; i++)
      rate = fmax(rate, fabs(rates[it->map.which[i]]) / it->map.units.scale[i]);
    if (!(rate < slowest)) continue;
    slowest = rate;
    when = began + it->lasts * k / LOOKS;
    for (int i = 0; i < it->n; i++)
      it->saddle[i] = y[it->map.which[i]];
  }
  if (status == CAROM_OK) status = find_saddle(it, J);
  if (status == CAROM_OK) status = find_ways(it, J);
  if (status == CAROM_OK) status = begin_at(it, x);
  for (int k = 0; k <= LOOKS && status == CAROM_OK; k++) { // the whole cycle
    status = engine->advance(simulation, began + it->lasts * k / LOOKS, false, NULL);
    it->size = fmax(it->size, distance_now(it, &along));
  }
  if (status == CAROM_OK) status = begin_at(it, x);
  if (status == CAROM_OK && when > began) status = engine->advance(simulation, when, false, NULL);
  look at = {.t = when};
  at.distance = distance_now(it, &at.along);
  if (status == CAROM_OK && !(at.distance < BALL * it->size))
    return refuse_loop(it, "its cycle does not come near a saddle");
  if (status == CAROM_OK) status = cross_ball(it, false, when + STAY / it->rate_out, &at, &rate);
  it->side = copysign(1.0, at.along);
  return status;
}

// the loop that is nearest to a cycle along the first parameter, whose turns `map` makes
static carom_status begin_loop(loop *it, const carom_orbit_map *map, const carom_turn_maker *maker,
                               const carom_branch_point *cycle, const double *place) {
  const double along[2] = {1.0, 0.0};
  it->map = *map;
  carom_orbit_make_with(&it->map, maker);
  carom_orbit_count_turns(&it->map, 0);
  it->n = map->count;
  it->lasts = cycle->x[it->n];
  it->map.kind.rest = true; // places at rest may be begun from
  put_at(it, place);
  carom_status status = map->begin.closed == 0 ? look_at_cycle(it, cycle->x)
                                               : refuse_loop(it, "contacts are closed on its way");
  return status == CAROM_OK ? find_loop(it, place, along, APART, NEARBY, it->place) : status;
}

bool carom_loop_near(carom_orbit_map *map, const carom_branch_point *cycle, double range,
                     double *value, double *rate) {
  const double place[2] = {cycle->p, 0.0};
  loop *it = carom_orbit_has_period(map) ? calloc(1, sizeof *it) : NULL;
  if (!it) return false;
  it->range[0] = range;
  bool found = begin_loop(it, map, &map->maker, cycle, place) == CAROM_OK;
  *value = it->place[0];
  *rate = fmin(it->rate_in, it->rate_out);
  map->turns_made += it->map.turns_made;
  free(it);
  return found;
}

carom_status carom_loops_follow(const carom_atlas_options *o, const carom_curve_start *start,
                                double also, carom_simulation *simulation, int number,
                                carom_atlas *atlas, char *why, carom_error *error) {
  loop *it = calloc(1, sizeof *it);
  if (!it) return carom_fail_memory(error);
  const carom_turn_maker maker = {.simulation = simulation,
                                  .engine = start->at.map.maker.engine,
                                  .parameter = o->branch.parameter,
                                  .plane.also = o->also};
  double way[2] = {0.0, 1.0}, place[2] = {start->at.at.p, also};
  const char *word = start->at.map.derived.word;
  long began = atlas->count;
  it->options = o;
  it->range[0] = fabs(o->branch.to - o->branch.from);
  it->range[1] = o->high - o->low;
  carom_status status = begin_loop(it, &start->at.map, &maker, &start->at.at, place);
  if (status == CAROM_OK) {
    loop first = *it;
    status = follow_loops(it, way, number, word, atlas, error);
    carom_atlas_reverse(atlas, began);
    long made = it->map.turns_made;
    *it = first;
    it->map.turns_made = made;
    way[0] = 0.0;
    way[1] = -1.0;
    if (status == CAROM_OK)
      status = record_place(it, CAROM_CORNER_START, number, word, atlas, error);
    if (status == CAROM_OK) status = follow_loops(it, way, number, word, atlas, error);
  }
  atlas->turns += it->map.turns_made;
  (void)snprintf(why, CAROM_ERROR_TEXT, "%s", it->why);
  free(it);
  return status;
}
