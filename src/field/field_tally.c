// SPDX-License-Identifier: MIT
// Reducers of observables along the dense output of every step.
#include "field/field.h"

#include "base/golden.h"

#include <math.h>
#include <string.h>

enum { HALVINGS = 4 };

typedef struct course {
  carom_field *it;
  double t, h;
  carom_field_dense dense;
} course;

static double value_at(const course *c, int k, double theta) {
  carom_field *it = c->it;
  double t = c->t + theta * c->h;
  c->dense(it, theta, it->scratch, it->rate);
  carom_field_true_rates(it, t, it->scratch, it->rate);
  carom_field_look(it, t, it->scratch, it->rate);
  return carom_field_output(it, it->model->followed + k);
}

// Gauss's rule of six points over [a, b]; *unseen: its parts of degree 4 and 5 over Legendre's
// polynomials, against what they may be for an error of 1e-11 or so; *most: the largest value.
static double gauss_six(const course *c, int k, double a, double b, double *unseen, double *most) {
  carom_gauss rule = carom_gauss_rule(6);
  double sum = 0.0, fourth = 0.0, fifth = 0.0;
  *most = 0.0;
  for (int j = 0; j < rule.count; j++) {
    double value = value_at(c, k, a + rule.node[j] * (b - a));
    double x = 2.0 * rule.node[j] - 1.0, square = x * x;
    sum += rule.weight[j] * value;
    fourth += rule.weight[j] * value * ((35.0 * square - 30.0) * square + 3.0) / 8.0;
    fifth += rule.weight[j] * value * ((63.0 * square - 70.0) * square + 15.0) * x / 8.0;
    *most = fmax(*most, fabs(value));
  }
  *unseen = fmax(9.0 * fabs(fourth) / 2e-4, 11.0 * fabs(fifth) / 3e-5);
  return sum * (b - a);
}

// halves of [a, b] as long as there is more in them than points have seen, against the largest
// value so far (`extreme`: a mean has no other use for it)
static double halve_until_seen(const course *c, int k, double a, double b, int depth,
                               carom_tally *tally) {
  double unseen, most, sum = gauss_six(c, k, a, b, &unseen, &most);
  if (!(tally->extreme > most)) tally->extreme = most;
  if (!(unseen > tally->extreme) || depth == HALVINGS) return sum;
  double middle = 0.5 * (a + b);
  return halve_until_seen(c, k, a, middle, depth + 1, tally) +
         halve_until_seen(c, k, middle, b, depth + 1, tally);
}

static void integrate_mean(const course *c, int k, double a, double b, carom_tally *tally) {
  tally->sum += halve_until_seen(c, k, a, b, 0, tally) * c->h;
  tally->covered += (b - a) * c->h;
}

/// An observable, or its negative.
typedef struct sought {
  const course *c;
  int k;
  double sign;
} sought;

static double sought_at(void *ctx, double theta) {
  const sought *what = ctx;
  return what->sign * value_at(what->c, what->k, theta);
}

// the largest of what is sought between a and b, known to have one maximum there
static carom_top refine_top(sought *what, double a, double b) {
  return carom_golden_top(sought_at, what, a, b, 40);
}

// the top of the step between two places, as dense output has it: below `least` none is looked for
static carom_top top_of_step(sought *what, double a, double b, double least) {
  enum { POINTS = 9 };
  double value[POINTS], step = (b - a) / (POINTS - 1);
  carom_top top = {a, -HUGE_VAL};
  for (int j = 0; j < POINTS; j++) {
    double at = j + 1 < POINTS ? a + j * step : b;
    value[j] = sought_at(what, at);
    top = carom_higher(top, (carom_top){at, value[j]});
  }
  least = fmax(least, top.value);
  // one between an end of the step and the place next to it shows by the slope at the end
  for (int end = 0; end < 2; end++) {
    double from = end ? b : a, next = end ? b - step : a + step;
    double here = value[end ? POINTS - 1 : 0], there = value[end ? POINTS - 2 : 1];
    if (here + fabs(there - here) < least) continue;
    if (sought_at(what, from + 1e-3 * (next - from)) > here)
      top = carom_higher(top, refine_top(what, fmin(from, next), fmax(from, next)));
  }
  for (int j = 1; j + 1 < POINTS; j++) {
    double margin = fabs(value[j + 1] - value[j]) + fabs(value[j] - value[j - 1]);
    bool between = value[j] >= value[j - 1] && value[j] >= value[j + 1];
    if (!between || value[j] + margin < least) continue;
    top = carom_higher(top, refine_top(what, a + (j - 1) * step, a + (j + 1) * step));
  }
  return top;
}

// Dense output is poorer than the ends of steps. What a top inside a step is worth is therefore
// asked of the state there, to which steppers of their own go.
static double true_value(const sought *what, carom_top top) {
  carom_field *it = what->c->it;
  double t = what->c->t + top.at * what->c->h, det_error = 0.0;
  const double *y;
  carom_error unable;
  if (top.at <= 0.0 || top.at >= 1.0 || carom_field_go_to(it, t, &y, &unable) != CAROM_OK)
    return what->sign * top.value;
  memcpy(it->scratch, y, (size_t)it->size * sizeof *y);
  (void)carom_field_project(it, it->scratch, &det_error);
  if (carom_field_rhs(it, t, it->scratch, it->rate) != CAROM_OK) return what->sign * top.value;
  carom_field_look(it, t, it->scratch, it->rate);
  return carom_field_output(it, it->model->followed + what->k);
}

static void find_extreme(const course *c, int k, double sign, double a, double b,
                         carom_tally *tally) {
  sought what = {c, k, sign};
  if (!tally->started) tally->extreme = value_at(c, k, a);
  double least = sign * tally->extreme;
  carom_top top = top_of_step(&what, a, b, least);
  if (!(top.value > least)) return;
  double value = true_value(&what, top);
  if (sign * value > least) tally->extreme = value;
}

static void span_step(const course *c, int k, double a, double b, carom_tally *tally) {
  if (!tally->started) tally->first = value_at(c, k, a);
  tally->last = value_at(c, k, b);
  tally->covered += (b - a) * c->h;
}

void carom_field_tally_step(carom_field *it, double t, double h, carom_field_dense dense) {
  course c = {it, t, h, dense};
  it->now.jumped = false;
  double a = fmax(0.0, (it->numbers.window_start - t) / h);
  double b = fmin(1.0, (it->numbers.window_end - t) / h);
  if (!(a < b)) return;
  const carom_scenario *s = it->model->scenario;
  for (int k = 0; k < s->measure.reducer_count; k++) {
    carom_tally *tally = &it->tallies[k];
    switch (s->measure.reducers[k].kind) {
    case CAROM_REDUCE_MEAN: integrate_mean(&c, k, a, b, tally); break;
    case CAROM_REDUCE_MAX: find_extreme(&c, k, 1.0, a, b, tally); break;
    case CAROM_REDUCE_MIN: find_extreme(&c, k, -1.0, a, b, tally); break;
    case CAROM_REDUCE_MEAN_RATE:
    case CAROM_REDUCE_LAST: span_step(&c, k, a, b, tally); break;
    case CAROM_REDUCE_COUNT:
    case CAROM_REDUCE_AT: continue;
    }
    tally->started = true;
  }
}

void carom_field_tally_event(carom_field *it, const char *name) {
  const carom_scenario *s = it->model->scenario;
  if (it->now.t < it->numbers.window_start || it->now.t > it->numbers.window_end) return;
  for (int k = 0; k < s->measure.reducer_count; k++) {
    const carom_reducer *reducer = &s->measure.reducers[k];
    bool counts = reducer->kind == CAROM_REDUCE_COUNT || reducer->kind == CAROM_REDUCE_AT;
    if (!counts || strcmp(reducer->target, name) != 0) continue;
    it->tallies[k].count++;
    it->tallies[k].started = true;
    if (reducer->kind == CAROM_REDUCE_AT)
      it->tallies[k].last = carom_field_output(it, it->model->followed + k);
  }
}

static bool is_unseen(const carom_field *it, const carom_tally *tally) {
  bool within = it->now.t >= it->numbers.window_start && it->now.t <= it->numbers.window_end;
  return within && (it->now.jumped || !tally->started);
}

static double reduced_value(carom_field *it, int k) {
  carom_reduction kind = it->model->scenario->measure.reducers[k].kind;
  carom_tally tally = it->tallies[k];
  if (carom_tally_takes(&tally, kind) && is_unseen(it, &tally)) {
    carom_field_look(it, it->now.t, it->y, it->rate);
    carom_tally_add(&tally, kind, carom_field_output(it, it->model->followed + k));
  }
  return carom_tally_value(&tally, kind);
}

// a followed course is what it is now; results are those of the window so far
static void fill_values(carom_field *it) {
  const carom_scenario *s = it->model->scenario;
  memset(it->rate, 0, (size_t)it->size * sizeof *it->rate);
  (void)carom_field_rhs(it, it->now.t, it->y, it->rate);
  for (int j = 0; j < s->measure.reducer_count; j++)
    it->settings.values[carom_scenario_symbol_index(s, s->measure.reducers[j].symbol)] =
        reduced_value(it, j);
  for (int i = 0; i < it->model->n; i++) {
    const carom_coordinate *q = &s->coordinates[i];
    it->settings.values[carom_scenario_symbol_index(s, q->symbol)] = it->y[i];
    it->settings.values[carom_scenario_symbol_index(s, q->rate)] = it->y[it->model->n + i];
    it->settings.values[carom_scenario_symbol_index(s, q->acceleration)] =
        it->rate[it->model->n + i];
  }
  for (int i = 0; i < it->model->m; i++)
    it->settings.values[carom_scenario_symbol_index(s, s->states[i].symbol)] =
        it->y[2 * it->model->n + i];
  for (int i = 0; i < 3; i++)
    it->settings.values[carom_scenario_symbol_index(s, it->model->field->centre[i])] =
        it->body.centre[i];
  it->settings.values[carom_scenario_symbol_index(s, s->time)] = it->now.t;
}

carom_status carom_field_observable(carom_field *it, int k, double *value, carom_error *error) {
  const carom_scenario *s = it->model->scenario;
  fill_values(it);
  *value =
      carom_node_evaluate(s->graph, s->measure.observables[k].node, it->settings.values, error);
  return CAROM_OK;
}

carom_status carom_field_regime(carom_field *it, const char **name, carom_error *error) {
  const carom_scenario *s = it->model->scenario;
  *name = NULL;
  fill_values(it);
  for (int k = 0; k < s->measure.regime_count && !*name; k++) {
    const carom_regime *regime = &s->measure.regimes[k];
    if (regime->word || !regime->condition) continue; // bodies that never touch have no words
    double holds = carom_node_evaluate(s->graph, regime->condition, it->settings.values, error);
    if (holds != 0.0 && !isnan(holds)) *name = regime->name;
  }
  return CAROM_OK;
}
