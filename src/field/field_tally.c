// SPDX-License-Identifier: MIT
// Reducers of observables along the dense output of every step.
#include "field/field.h"

#include "base/golden.h"

#include <math.h>
#include <string.h>

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

static void integrate(const course *c, int k, double a, double b, carom_field_tally *tally) {
  carom_gauss rule = carom_gauss_rule(6);
  double sum = 0.0;
  for (int j = 0; j < rule.count; j++)
    sum += rule.weight[j] * value_at(c, k, a + rule.node[j] * (b - a));
  tally->sum += sum * (b - a) * c->h;
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

// the largest of sign * value between a and b, known to have one maximum there
static double refine(const course *c, int k, double sign, double a, double b) {
  sought what = {c, k, sign};
  return sign * carom_golden_top(sought_at, &what, a, b, 40);
}

static void keep_best(double sign, double value, carom_field_tally *tally) {
  if (sign * value > sign * tally->extreme) tally->extreme = value;
}

// a top between an end of the step and the sample next to it shows by the slope at the end
static void look_at_end(const course *c, int k, double sign, double end, double next, double value,
                        carom_field_tally *tally) {
  double inside = value_at(c, k, end + 1e-3 * (next - end));
  if (sign * inside > sign * value)
    keep_best(sign, refine(c, k, sign, fmin(end, next), fmax(end, next)), tally);
}

static void extreme(const course *c, int k, double sign, double a, double b,
                    carom_field_tally *tally) {
  enum { POINTS = 9 };
  double value[POINTS];
  for (int j = 0; j < POINTS; j++) {
    value[j] = value_at(c, k, a + (b - a) * j / (POINTS - 1));
    if (!tally->started && j == 0) tally->extreme = value[0];
    keep_best(sign, value[j], tally);
  }
  double step = (b - a) / (POINTS - 1), reach = fabs(value[1] - value[0]);
  if (sign * value[0] + reach >= sign * tally->extreme)
    look_at_end(c, k, sign, a, a + step, value[0], tally);
  reach = fabs(value[POINTS - 1] - value[POINTS - 2]);
  if (sign * value[POINTS - 1] + reach >= sign * tally->extreme)
    look_at_end(c, k, sign, b, b - step, value[POINTS - 1], tally);
  for (int j = 1; j + 1 < POINTS; j++) {
    double margin = fabs(value[j + 1] - value[j]) + fabs(value[j] - value[j - 1]);
    bool top = sign * value[j] >= sign * value[j - 1] && sign * value[j] >= sign * value[j + 1];
    if (!top || sign * value[j] + margin < sign * tally->extreme) continue;
    keep_best(sign, refine(c, k, sign, a + (j - 1) * step, a + (j + 1) * step), tally);
  }
}

static void span(const course *c, int k, double a, double b, carom_field_tally *tally) {
  if (!tally->started) tally->first = value_at(c, k, a);
  tally->last = value_at(c, k, b);
  tally->covered += (b - a) * c->h;
}

void carom_field_tally_step(carom_field *it, double t, double h, carom_field_dense dense) {
  course c = {it, t, h, dense};
  double a = fmax(0.0, (it->numbers.window_start - t) / h);
  double b = fmin(1.0, (it->numbers.window_end - t) / h);
  if (!(a < b)) return;
  const carom_scenario *s = it->model->scenario;
  for (int k = 0; k < s->measure.reducer_count; k++) {
    carom_field_tally *tally = &it->tallies[k];
    switch (s->measure.reducers[k].kind) {
    case CAROM_REDUCE_MEAN: integrate(&c, k, a, b, tally); break;
    case CAROM_REDUCE_MAX: extreme(&c, k, 1.0, a, b, tally); break;
    case CAROM_REDUCE_MIN: extreme(&c, k, -1.0, a, b, tally); break;
    case CAROM_REDUCE_MEAN_RATE:
    case CAROM_REDUCE_LAST: span(&c, k, a, b, tally); break;
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

static double reduced(const carom_field_tally *tally, carom_reduction kind) {
  if (kind == CAROM_REDUCE_COUNT) return (double)tally->count;
  if (!tally->started) return NAN;
  switch (kind) {
  case CAROM_REDUCE_MEAN: return tally->sum / tally->covered;
  case CAROM_REDUCE_MAX:
  case CAROM_REDUCE_MIN: return tally->extreme;
  case CAROM_REDUCE_MEAN_RATE: return (tally->last - tally->first) / tally->covered;
  default: return tally->last;
  }
}

// a followed course is what it is now; results are those of the window so far
static void fill_values(carom_field *it) {
  const carom_scenario *s = it->model->scenario;
  for (int j = 0; j < s->measure.reducer_count; j++)
    it->values[carom_scenario_symbol_index(s, s->measure.reducers[j].symbol)] =
        reduced(&it->tallies[j], s->measure.reducers[j].kind);
  memset(it->rate, 0, (size_t)it->size * sizeof *it->rate);
  (void)carom_field_rhs(it, it->now.t, it->y, it->rate);
  for (int i = 0; i < it->model->n; i++) {
    const carom_coordinate *q = &s->coordinates[i];
    it->values[carom_scenario_symbol_index(s, q->symbol)] = it->y[i];
    it->values[carom_scenario_symbol_index(s, q->rate)] = it->y[it->model->n + i];
    it->values[carom_scenario_symbol_index(s, q->acceleration)] = it->rate[it->model->n + i];
  }
  for (int i = 0; i < it->model->m; i++)
    it->values[carom_scenario_symbol_index(s, s->states[i].symbol)] = it->y[2 * it->model->n + i];
  for (int i = 0; i < 3; i++)
    it->values[carom_scenario_symbol_index(s, it->model->field->centre[i])] = it->body.centre[i];
  it->values[carom_scenario_symbol_index(s, s->time)] = it->now.t;
}

carom_status carom_field_observable(carom_field *it, int k, double *value, carom_error *error) {
  const carom_scenario *s = it->model->scenario;
  fill_values(it);
  *value = carom_node_evaluate(s->graph, s->measure.observables[k].node, it->values, error);
  return CAROM_OK;
}

carom_status carom_field_regime(carom_field *it, const char **name, carom_error *error) {
  const carom_scenario *s = it->model->scenario;
  *name = NULL;
  fill_values(it);
  for (int k = 0; k < s->measure.regime_count && !*name; k++) {
    const carom_regime *regime = &s->measure.regimes[k];
    if (regime->word || !regime->condition) continue; // bodies that never touch have no words
    double holds = carom_node_evaluate(s->graph, regime->condition, it->values, error);
    if (holds != 0.0 && !isnan(holds)) *name = regime->name;
  }
  return CAROM_OK;
}
