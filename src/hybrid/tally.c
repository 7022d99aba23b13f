// SPDX-License-Identifier: MIT
/// Reducers of observables: means by Gauss quadrature and extremes by branch and bound on the dense
/// output, so that they are as exact as the motion and do not depend on any sampling.
#include "hybrid/hybrid.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
  GAUSS = 5,
  HALVINGS = 4,
  MOST_HALVINGS = 20,
  SERIES_PARTS = 4,
  SPLIT_LIMIT = 60,
  OPEN_LIMIT = 64,
  IN_VAIN = 3,
  MOST_PIECES = 1000000
};
// Gauss-Legendre nodes and weights on [-1, 1], degree 9 (Abramowitz and Stegun, table 25.4)
static const double NODE[GAUSS] = {-0.90617984593866399280, -0.53846931010568309104, 0.0,
                                   0.53846931010568309104, 0.90617984593866399280};
static const double WEIGHT[GAUSS] = {0.23692688505618908751, 0.47862867049936646804,
                                     0.56888888888888888889, 0.47862867049936646804,
                                     0.23692688505618908751};

static const double ROUNDING = 100.0; // of the width of a value that is enclosed

static double value_at(carom_hybrid *it, int k, double theta) {
  assert(k >= 0 && k < it->model->followed_count);
  double g[3];
  if (it->model->followed[k].seen >= 0)
    return carom_seen_along(it, it->model->followed[k].seen, theta);
  carom_watch_value(&it->model->followed[k].function, &it->observing.follow_work[k], &it->stepper,
                    theta, g);
  return g[0];
}

// Gauss's rule over [a, b]. Whether five points have seen the function: its parts of degree 3 and 4
// over Legendre's polynomials, in `unseen` against what they may be for an error of 1e-11 or so
// (geometrically falling parts give an error like that of degree 10). *most: its largest value.
static double gauss_rule(carom_hybrid *it, int k, double a, double b, double *unseen,
                         double *most) {
  static const double degree3[GAUSS] = {0.50103117104466199, -0.41738210372666812, 0.0,
                                        0.41738210372666812, -0.50103117104466199};
  static const double degree4[GAUSS] = {0.24573545909491201, -0.34450089119367744,
                                        0.37500000000000000, -0.34450089119367744,
                                        0.24573545909491201};
  double half = 0.5 * (b - a), middle = 0.5 * (a + b), sum = 0.0, third = 0.0, fourth = 0.0;
  *most = 0.0;
  for (int j = 0; j < GAUSS; j++) {
    double value = value_at(it, k, middle + half * NODE[j]);
    sum += WEIGHT[j] * value;
    third += WEIGHT[j] * degree3[j] * value;
    fourth += WEIGHT[j] * degree4[j] * value;
    *most = fmax(*most, fabs(value));
  }
  *unseen = fmax(3.5 * fabs(third) / 5e-4, 4.5 * fabs(fourth) / 3e-5);
  return sum * half;
}

// How often halving [a, b] may show more of the function: as it turns at most, by the bound of its
// slope. Of what is nothing but the rounding of its terms halves show no more.
static int count_halvings(carom_hybrid *it, int k, double a, double b, double most) {
  const carom_watch *watch = &it->model->followed[k].function;
  carom_watch_work *work = &it->observing.follow_work[k];
  double middle = 0.5 * (a + b);
  carom_interval g[3], known = carom_watch_range(watch, work, &it->stepper, middle, middle);
  if (most <= ROUNDING * (known.hi - known.lo)) return 0;
  carom_watch_bound(watch, work, &it->stepper, a, b, g);
  int depth = HALVINGS;
  double turns = fmax(-g[1].lo, g[1].hi) * (b - a) / most;
  while (turns > 1.0 && ++depth < MOST_HALVINGS)
    turns *= 0.5;
  return depth;
}

// halves of [a, b] as long as the function has more in them than points have seen, against the
// largest value that it has had (`extreme`: a mean has no other use for it)
static double halve_until_seen(carom_hybrid *it, int k, double a, double b, int depth) {
  double unseen, most, sum = gauss_rule(it, k, a, b, &unseen, &most);
  carom_tally *tally = &it->tallies[k];
  if (!(tally->extreme > most)) tally->extreme = most;
  if (!(unseen > tally->extreme)) return sum;
  if (depth < 0) depth = count_halvings(it, k, a, b, most);
  if (depth == 0) return sum;
  double middle = 0.5 * (a + b);
  return halve_until_seen(it, k, a, middle, depth - 1) +
         halve_until_seen(it, k, middle, b, depth - 1);
}

static void integrate_mean(carom_hybrid *it, int k, double a, double b) {
  assert(k >= 0 && k < it->model->followed_count);
  carom_tally *tally = &it->tallies[k];
  tally->sum += halve_until_seen(it, k, a, b, -1) * it->stepper.h;
  tally->covered += (b - a) * it->stepper.h;
}

// a step by series of full length is as long as several others, for which the rule is made
static void integrate_parts(carom_hybrid *it, int k, double a, double b) {
  int seen = it->model->followed[k].seen;
  if (seen >= 0) {
    it->tallies[k].sum += carom_seen_integral(it, seen, a, b) * it->stepper.h;
    it->tallies[k].covered += (b - a) * it->stepper.h;
    return;
  }
  int parts = it->stepper.dense.degree == CAROM_SERIES_DEGREE ? SERIES_PARTS : 1;
  for (int j = 0; j < parts; j++)
    integrate_mean(it, k, a + (b - a) * j / parts, a + (b - a) * (j + 1) / parts);
}

// The stationary point of a function with one in [a, b]: Newton's method on its slope, kept inside
// by halving. An error d of the place changes the value by d^2 only.
static double stationary_point(carom_hybrid *it, int k, double a, double b) {
  const double near = 1e-9;
  double at[3], start[3], middle = 0.5 * (a + b), moved = INFINITY;
  const carom_watch *watch = &it->model->followed[k].function;
  carom_watch_work *work = &it->observing.follow_work[k];
  carom_watch_value(watch, work, &it->stepper, a, start);
  for (int round = 0; round < SPLIT_LIMIT && !(moved < near); round++) {
    carom_watch_value(watch, work, &it->stepper, middle, at);
    *((at[1] < 0.0) == (start[1] < 0.0) ? &a : &b) = middle;
    double next = middle - at[1] / at[2];
    if (!(next > a && next < b)) next = 0.5 * (a + b);
    moved = fabs(next - middle);
    middle = next;
  }
  return middle;
}

/// A part of a step in which the function may reach beyond the extreme.
typedef struct stretch {
  double a, b, reach;
} stretch;

// looks at one; true when its halves are to be looked at too
static bool look_at(carom_hybrid *it, int k, double sign, stretch *s) {
  carom_tally *tally = &it->tallies[k];
  const carom_watch *watch = &it->model->followed[k].function;
  carom_watch_work *work = &it->observing.follow_work[k];
  carom_interval g[3], range = carom_watch_range(watch, work, &it->stepper, s->a, s->b);
  if ((sign > 0.0 ? range.hi : -range.lo) <= sign * tally->extreme) return false;
  carom_watch_bound(watch, work, &it->stepper, s->a, s->b, g);
  s->reach = sign > 0.0 ? g[0].hi : -g[0].lo;
  if (s->reach <= sign * tally->extreme) return false;
  if (!carom_interval_has_zero(g[1])) return false; // monotone: the ends have been seen
  bool single = !carom_interval_has_zero(g[2]);
  double value =
      value_at(it, k, single ? stationary_point(it, k, s->a, s->b) : 0.5 * (s->a + s->b));
  if (sign * value > sign * tally->extreme) tally->extreme = value;
  return !single;
}

// where there is no more room the one that reaches least gives way; true: there was none
static bool keep_open(stretch *open, int *count, stretch s) {
  if (*count < OPEN_LIMIT) {
    open[(*count)++] = s;
    return false;
  }
  int least = 0;
  for (int j = 1; j < OPEN_LIMIT; j++)
    if (open[j].reach < open[least].reach) least = j;
  if (s.reach > open[least].reach) open[least] = s;
  return true;
}

// Raises sign * extreme over [a, b], level by level; most steps end at the first comparison.
// Extrema leave a few intervals open at each level, and many of them in one step those that reach
// furthest; a function that is constant (the gap of a closed contact) leaves them all, and has been
// seen at enough points once more levels find nothing.
static void search_extreme(carom_hybrid *it, int k, double sign, double a, double b) {
  assert(k >= 0 && k < it->model->followed_count);
  stretch open[2][OPEN_LIMIT] = {{{a, b, INFINITY}}};
  int count = 1, in_vain = 0;
  for (int level = 0; level < SPLIT_LIMIT && count > 0 && in_vain < IN_VAIN; level++) {
    stretch *now = open[level % 2], *next = open[(level + 1) % 2];
    double before = it->tallies[k].extreme;
    bool crowded = false;
    int left = 0;
    for (int j = 0; j < count; j++) {
      if (!look_at(it, k, sign, &now[j])) continue;
      double middle = 0.5 * (now[j].a + now[j].b);
      crowded |= keep_open(next, &left, (stretch){now[j].a, middle, now[j].reach});
      crowded |= keep_open(next, &left, (stretch){middle, now[j].b, now[j].reach});
    }
    in_vain = crowded && before == it->tallies[k].extreme ? in_vain + 1 : 0;
    count = left;
  }
}

// A closed contact has no gap and a sticking one no slip: all along the step that is nothing but
// rounding, of which bounds cannot tell that it is nothing.
static bool is_held(const carom_hybrid *it, int k) {
  int same = it->model->followed[k].watched;
  if (same < 0) return false;
  const carom_watched *watched = &it->model->watched[same];
  const carom_contact_set *set = &it->model->contacts;
  return watched->kind == CAROM_WATCH_GAP ? it->contact.held_position[set->normal[watched->index]]
                                          : it->contact.held_velocity[set->tangent[watched->index]];
}

static void find_extreme(carom_hybrid *it, int k, double sign, double a, double b) {
  carom_tally *tally = &it->tallies[k];
  int seen = it->model->followed[k].seen;
  if (seen >= 0) {
    double found = carom_seen_extreme(it, seen, sign, a, b);
    if (!tally->started || sign * found > sign * tally->extreme) tally->extreme = found;
    return;
  }
  double ends[2] = {value_at(it, k, a), value_at(it, k, b)};
  if (!tally->started) tally->extreme = ends[0];
  for (int j = 0; j < 2; j++)
    if (sign * ends[j] > sign * tally->extreme) tally->extreme = ends[j];
  if (!is_held(it, k)) search_extreme(it, k, sign, a, b);
}

// a single value, on the branches that are in force there
static double lone_value(carom_hybrid *it, int k, double theta) {
  if (it->model->followed[k].kink_count > 0) carom_pieces_begin(it, k, theta, theta);
  return value_at(it, k, theta);
}

// first and last values, and the time between them
static void span_step(carom_hybrid *it, int k, double a, double b) {
  carom_tally *tally = &it->tallies[k];
  if (!tally->started) tally->first = lone_value(it, k, a);
  tally->last = lone_value(it, k, b);
  tally->covered += (b - a) * it->stepper.h;
  tally->started = true;
}

// a part of a step without kinks
static void reduce_part(carom_hybrid *it, int k, double a, double b) {
  assert(k >= 0 && k < it->model->followed_count);
  switch (it->model->followed[k].reducer->kind) {
  case CAROM_REDUCE_MEAN: integrate_parts(it, k, a, b); break;
  case CAROM_REDUCE_MAX: find_extreme(it, k, 1.0, a, b); break;
  case CAROM_REDUCE_MIN: find_extreme(it, k, -1.0, a, b); break;
  default: break;
  }
  it->tallies[k].started = true;
}

// what could not be followed is not known
static void give_up(carom_tally *tally) {
  tally->sum = tally->extreme = (double)NAN;
  tally->started = true;
}

static void reduce_pieces(carom_hybrid *it, int k, double a, double b) {
  if (it->model->followed[k].kink_count == 0) {
    reduce_part(it, k, a, b);
    return;
  }
  carom_pieces_begin(it, k, a, b);
  for (int pieces = 0; a < b; pieces++) {
    int kink;
    double end = carom_pieces_end(it, k, a, b, &kink);
    if (isnan(end) || pieces == MOST_PIECES) {
      give_up(&it->tallies[k]);
      return;
    }
    if (end > a) reduce_part(it, k, a, end);
    if (kink >= 0) carom_pieces_cross(it, k, kink, end, b);
    a = end;
  }
}

void carom_tally_step(carom_hybrid *it, double theta_end) {
  const carom_stepper *stepper = &it->stepper;
  it->now.sampled.jumped = false;
  if (it->observing.unobserved) return;
  double a = (it->run.window_start - stepper->t) / stepper->h;
  double b = (it->run.window_end - stepper->t) / stepper->h;
  a = a < 0.0 ? 0.0 : a;
  b = b > theta_end ? theta_end : b;
  if (!(a < b)) return;
  for (int k = 0; k < it->model->followed_count; k++) {
    switch (it->model->followed[k].reducer->kind) {
    case CAROM_REDUCE_MEAN:
    case CAROM_REDUCE_MAX:
    case CAROM_REDUCE_MIN: reduce_pieces(it, k, a, b); break;
    case CAROM_REDUCE_MEAN_RATE:
    case CAROM_REDUCE_LAST: span_step(it, k, a, b); break;
    case CAROM_REDUCE_COUNT:
    case CAROM_REDUCE_AT: continue;
    }
  }
}

// the value of a followed quantity at a state with its rates
static double value_of_state(carom_hybrid *it, int k, const double *y) {
  const carom_followed *followed = &it->model->followed[k];
  if (followed->kink_count > 0) carom_pieces_at(it, k, it->now.t, y, it->rate);
  if (followed->seen < 0)
    return carom_watch_rate_value(&followed->function, &it->observing.follow_work[k], it->now.t, y,
                                  it->rate);
  return carom_seen_at(it, followed->seen, it->now.t, y, it->rate);
}

void carom_tally_event(carom_hybrid *it, const char *name) {
  if (it->now.t < it->run.window_start || it->now.t > it->run.window_end) return;
  for (int k = 0; k < it->model->followed_count; k++) {
    const carom_reducer *reducer = it->model->followed[k].reducer;
    bool counts = reducer->kind == CAROM_REDUCE_COUNT || reducer->kind == CAROM_REDUCE_AT;
    if (!counts || strcmp(reducer->target, name) != 0) continue;
    it->tallies[k].count++;
    it->tallies[k].started = true;
    if (reducer->kind == CAROM_REDUCE_AT) it->tallies[k].last = value_of_state(it, k, it->before);
  }
}

void carom_tally_start(carom_hybrid *it) {
  memset(it->tallies, 0, (size_t)it->model->followed_count * sizeof *it->tallies);
}

static bool is_unseen(const carom_hybrid *it, const carom_tally *tally) {
  bool within = it->now.t >= it->run.window_start && it->now.t <= it->run.window_end;
  return within && (it->now.sampled.jumped || !tally->started);
}

static double reduced_value(carom_hybrid *it, int k) {
  carom_reduction kind = it->model->followed[k].reducer->kind;
  carom_tally tally = it->tallies[k];
  if (carom_tally_takes(&tally, kind) && is_unseen(it, &tally) &&
      carom_hybrid_rhs(it, it->now.t, it->y, it->rate) == CAROM_OK)
    carom_tally_add(&tally, kind, value_of_state(it, k, it->y));
  return carom_tally_value(&tally, kind);
}

void carom_tally_reduce(carom_hybrid *it) {
  const carom_scenario *s = it->model->scenario;
  for (int j = 0; j < it->model->followed_count; j++) {
    const carom_reducer *reducer = it->model->followed[j].reducer;
    it->settings.values[carom_scenario_symbol_index(s, reducer->symbol)] = reduced_value(it, j);
  }
}

// an observable that is no result of the run is what it is now
static carom_status value_now(carom_hybrid *it, int output, double *value, carom_error *error) {
  carom_status status = carom_hybrid_rhs(it, it->now.t, it->y, it->rate);
  if (status == CAROM_OK) *value = carom_seen_at(it, output, it->now.t, it->y, it->rate);
  return status == CAROM_OK ? status : carom_hybrid_explain(it, status, it->now.t, it->y, error);
}

carom_status carom_tally_observable(carom_hybrid *it, int k, double *value, carom_error *error) {
  const carom_scenario *s = it->model->scenario;
  int output = it->model->seen.observable[k];
  if (output >= 0) return value_now(it, output, value, error);
  carom_tally_reduce(it);
  *value =
      carom_node_evaluate(s->graph, s->measure.observables[k].node, it->settings.values, error);
  return CAROM_OK;
}
