// SPDX-License-Identifier: MIT
/// What is observed at points of the motion, contact forces among it. Forces follow from the state
/// and the modes by a problem of their own, so along a step they are known at points only: means
/// are taken by quadrature that is refined until it stays the same, extremes by a search between
/// points.
#include "hybrid/hybrid.h"

#include "base/elementary.h"
#include "base/golden.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// ---- the program

static int input_count(const carom_hybrid_model *model) {
  return model->dynamics->input_count + model->dynamics->n + 2 * model->contacts.count +
         model->contacts.spatial;
}

static carom_node *list_inputs(const carom_hybrid_model *model, carom_arena *arena) {
  const carom_scenario *s = model->scenario;
  const carom_dynamics *d = model->dynamics;
  carom_node *inputs = carom_arena_array(arena, (size_t)input_count(model), sizeof *inputs);
  if (!inputs) return NULL;
  memcpy(inputs, d->inputs, (size_t)d->input_count * sizeof *inputs);
  carom_node *at = inputs + d->input_count;
  for (int i = 0; i < d->n; i++)
    *at++ = s->coordinates[i].acceleration;
  for (int k = 0; k < model->contacts.count; k++) {
    *at++ = s->contacts[k].normal_force;
    *at++ = s->contacts[k].tangential_force;
    if (s->contacts[k].space.force) *at++ = s->contacts[k].space.force;
  }
  return inputs;
}

carom_status carom_seen_compile(carom_hybrid_model *model, carom_arena *arena, carom_error *error) {
  const carom_scenario *s = model->scenario;
  carom_seen *seen = &model->seen;
  size_t room = (size_t)(s->measure.observable_count + model->followed_count);
  carom_node *outputs = carom_arena_array(arena, room, sizeof *outputs);
  carom_node *inputs = list_inputs(model, arena);
  seen->observable = carom_arena_array(arena, (size_t)s->measure.observable_count, sizeof(int));
  if (!outputs || !inputs || !seen->observable) return carom_fail_memory(error);
  int count = 0;
  for (int k = 0; k < s->measure.observable_count; k++) {
    carom_node node = s->measure.observables[k].node;
    bool result = carom_node_depends_kind(s->graph, node, 1u << CAROM_SYMBOL_REDUCER);
    seen->observable[k] = result ? -1 : count;
    if (!result) outputs[count++] = node;
  }
  for (int k = 0; k < model->followed_count; k++) {
    carom_followed *followed = &model->followed[k];
    if (followed->seen < 0) continue;
    followed->seen = count;
    outputs[count++] = followed->reducer->value;
  }
  if (count == 0) return CAROM_OK;
  for (int k = 0; k < count; k++) {
    outputs[k] = carom_compliant_observed(&model->compliant, s->graph, s, outputs[k]);
    seen->forces |= carom_node_depends_kind(s->graph, outputs[k], 1u << CAROM_SYMBOL_OTHER);
  }
  return carom_program_compile(arena, s->graph, input_count(model), inputs, count, outputs,
                               &seen->program, error);
}

carom_status carom_seen_init(carom_hybrid *it, carom_arena *arena, carom_error *error) {
  const carom_program *program = it->model->seen.program;
  if (!program) return CAROM_OK;
  size_t count = (size_t)carom_program_registers(program);
  it->observing.seen_registers =
      carom_arena_array(arena, count, sizeof *it->observing.seen_registers);
  if (!it->observing.seen_registers) return carom_fail_memory(error);
  return carom_looking_init(&it->observing.looking, arena, it, error);
}

// ---- at points

double carom_seen_at(carom_hybrid *it, int output, double t, const double *y, const double *rate) {
  const carom_hybrid_model *model = it->model;
  const carom_dynamics *d = model->dynamics;
  double *at = it->observing.seen_registers;
  *at++ = t;
  memcpy(at, y, (size_t)d->size * sizeof *y);
  at = it->observing.seen_registers + d->input_count;
  memcpy(at, rate + d->nq, (size_t)d->n * sizeof *rate);
  at += d->n;
  bool good = !model->seen.forces || carom_looking_at(&it->observing.looking, it, t, y);
  for (int k = 0; k < model->contacts.count && model->seen.forces; k++) {
    *at++ = good ? carom_normal_seen(&it->observing.looking, it, k) : NAN;
    *at++ = good ? carom_tangential_seen(&it->observing.looking, it, k) : NAN;
    if (model->contacts.cross[k] >= 0)
      *at++ = good ? carom_cross_seen(&it->observing.looking, it, k) : NAN;
  }
  carom_program_run(model->seen.program, it->observing.seen_registers);
  return it->observing.seen_registers[carom_program_output(model->seen.program, output)];
}

double carom_seen_along(carom_hybrid *it, int output, double theta) {
  const carom_stepper *stepper = &it->stepper;
  double *y = it->observing.looking.state, *rate = it->room.scratch;
  carom_dense_eval(stepper, theta, y, rate, NULL);
  // at the ends of a step the state itself, as in samples
  if (theta == 0.0) memcpy(y, stepper->y, (size_t)it->size * sizeof *y);
  if (theta == 1.0) memcpy(y, stepper->y1, (size_t)it->size * sizeof *y);
  return carom_seen_at(it, output, stepper->t + theta * stepper->h, y, rate);
}

// ---- over steps

enum { LOBATTO = 7, HALVINGS = 40, POINTS = 17, NARROWINGS = 40 };
// of what the function is in size: how well a refined quadrature agrees with the one before
static const double AGREED = 1e-11;

// Gauss and Lobatto's rule of degree 11 over [a, b], and the same of the absolute value. It sees
// the ends: a kink next to one would be overlooked else.
static double lobatto_rule(carom_hybrid *it, int output, double a, double b, double *size) {
  static const double node[LOBATTO] = {-1.0, -0.83022389627856692987, -0.46884879347071421380,
                                       0.0,  0.46884879347071421380,  0.83022389627856692987,
                                       1.0};
  static const double weight[LOBATTO] = {0.04761904761904761905, 0.27682604736156594801,
                                         0.43174538120986262342, 0.48761904761904761905,
                                         0.43174538120986262342, 0.27682604736156594801,
                                         0.04761904761904761905};
  double half = 0.5 * (b - a), middle = 0.5 * (a + b), sum = 0.0;
  *size = 0.0;
  for (int j = 0; j < LOBATTO; j++) {
    double theta = j == 0 ? a : j == LOBATTO - 1 ? b : middle + half * node[j];
    double value = weight[j] * carom_seen_along(it, output, theta);
    sum += value;
    *size += fabs(value);
  }
  *size *= half;
  return sum * half;
}

// Halves the interval as long as that changes the integral: kinks are closed in upon.
double carom_seen_integral(carom_hybrid *it, int output, double a, double b) {
  struct {
    double a, b, whole;
    int depth;
  } left[HALVINGS + 2];
  double size, sum = 0.0;
  int count = 0;
  left[count].whole = lobatto_rule(it, output, a, b, &size);
  left[count].a = a, left[count].b = b, left[count++].depth = 0;
  while (count > 0) {
    double from = left[--count].a, to = left[count].b, middle = 0.5 * (from + to), one, two;
    double whole = left[count].whole, first = lobatto_rule(it, output, from, middle, &one);
    double second = lobatto_rule(it, output, middle, to, &two);
    int depth = left[count].depth + 1;
    size = fmax(size, one + two);
    if (!(fabs(first + second - whole) > AGREED * size) || depth == HALVINGS) {
      sum += first + second;
      continue;
    }
    assert(count + 2 <= HALVINGS + 2);
    left[count].a = middle, left[count].b = to, left[count].whole = second;
    left[count++].depth = depth;
    left[count].a = from, left[count].b = middle, left[count].whole = first;
    left[count++].depth = depth;
  }
  return sum;
}

/// An output, or its negative.
typedef struct sought {
  carom_hybrid *it;
  int output;
  double sign;
} sought;

static double sought_at(void *ctx, double theta) {
  const sought *what = ctx;
  return what->sign * carom_seen_along(what->it, what->output, theta);
}

double carom_seen_extreme(carom_hybrid *it, int output, double sign, double a, double b) {
  sought what = {it, output, sign};
  double theta[POINTS], value[POINTS], best = -INFINITY;
  for (int j = 0; j < POINTS; j++) { // Chebyshev's points, dense near the ends
    double s = carom_sin(0.5 * 3.14159265358979323846 * j / (POINTS - 1));
    theta[j] = j == 0 ? a : j == POINTS - 1 ? b : a + (b - a) * s * s;
    value[j] = sought_at(&what, theta[j]);
    best = fmax(best, value[j]);
  }
  for (int j = 0; j < POINTS; j++) {
    int before = j > 0 ? j - 1 : 0, after = j < POINTS - 1 ? j + 1 : j;
    double rise = fmax(value[j] - value[before], value[j] - value[after]);
    // a top next to a point that is higher than its neighbours, and near the highest
    if (value[j] < value[before] || value[j] < value[after] || !(rise > 0.0)) continue;
    if (value[j] + rise > best)
      best = fmax(
          best, carom_golden_top(sought_at, &what, theta[before], theta[after], NARROWINGS).value);
  }
  return sign * best;
}
