// SPDX-License-Identifier: MIT
/// Where to measure next. A measurement with derivatives s by the inputs and error sigma adds
/// s s'/sigma^2 to the information, so that with C the covariance before and
/// v = s' C s / sigma^2 the new one is C - C s s' C / (sigma^2 (1 + v)), and its determinant is
/// smaller by 1/(1 + v) (Fedorov 1972; D-optimal without a goal, c-optimal with one).
#include "carom/design.h"
#include "base/arena.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct carom_design {
  carom_design_view view;
  carom_arena *arena;
};

typedef struct designing {
  const carom_design_options *options;
  int n, goal;
  carom_sensitivity *motion;
  const carom_sensitivity_view *course;
  double *covariance; // [n][n]
  double *along;      // C s
} designing;

carom_design_options carom_design_options_default(void) {
  return (carom_design_options){.picks = 1, .size = sizeof(carom_design_options)};
}

void carom_design_destroy(carom_design *result) {
  if (!result) return;
  carom_arena_destroy(result->arena);
  free(result);
}

const carom_design_view *carom_design_look(const carom_design *result) { return &result->view; }

// C s, and v = s' C s / sigma^2
static double weigh_variance(const designing *d, int time, int of) {
  const carom_design_options *o = d->options;
  const double *s = d->course->course_slopes + ((long)time * o->of_count + of) * d->n;
  double v = 0.0, sigma = o->of[of].value;
  for (int i = 0; i < d->n; i++) {
    d->along[i] = 0.0;
    for (int j = 0; j < d->n; j++)
      d->along[i] += d->covariance[i * d->n + j] * s[j];
    v += s[i] * d->along[i];
  }
  return v / (sigma * sigma);
}

static void add_measurement(const designing *d, int time, int of) {
  double v = weigh_variance(d, time, of), sigma = d->options->of[of].value;
  for (int i = 0; i < d->n; i++)
    for (int j = 0; j < d->n; j++)
      d->covariance[i * d->n + j] -= d->along[i] * d->along[j] / (sigma * sigma * (1.0 + v));
}

// what is left of the goal's error, or of the volume
static double left_by(const designing *d, int time, int of) {
  double v = weigh_variance(d, time, of), sigma = d->options->of[of].value;
  if (d->goal < 0) return 1.0 / sqrt(1.0 + v);
  double before = d->covariance[d->goal * d->n + d->goal], by = d->along[d->goal];
  return sqrt(fmax(1.0 - by * by / (sigma * sigma * (1.0 + v)) / before, 0.0));
}

static void tell_errors(const designing *d, double *errors) {
  for (int j = 0; j < d->n; j++)
    errors[j] = sqrt(fmax(d->covariance[j * d->n + j], 0.0));
}

// bounds, as uniform densities, and priors; then what was measured already
static void begin_information(const designing *d) {
  const carom_design_options *o = d->options;
  for (int j = 0; j < d->n; j++) {
    double width = o->free[j].high - o->free[j].low, information = 12.0 / (width * width);
    for (int p = 0; p < o->prior_count; p++)
      if (strcmp(o->priors[p].name, o->free[j].name) == 0)
        information += 1.0 / (o->priors[p].high * o->priors[p].high);
    d->covariance[j * d->n + j] = 1.0 / information;
  }
  for (int k = 0; k < o->done_count; k++)
    for (int c = 0; c < o->of_count; c++)
      add_measurement(d, o->done[k], c);
}

static void choose_time(const designing *d, carom_design_pick *pick, double *errors) {
  double least = INFINITY;
  for (int t = 0; t < d->options->time_count; t++)
    for (int c = 0; c < d->options->of_count; c++) {
      double left = left_by(d, t, c);
      if (!(left < least)) continue;
      least = left;
      *pick = (carom_design_pick){t, c, errors};
    }
  add_measurement(d, pick->time, pick->of);
  tell_errors(d, errors);
}

static carom_status check_options(const carom_design_options *o, int *goal, carom_error *error) {
  *goal = -1;
  if (o->size != sizeof *o || !o->model || o->free_count < 1 || o->of_count < 1 ||
      o->time_count < 1 || o->picks < 1)
    return carom_fail(error, CAROM_ERR_ARGUMENT,
                      "a design needs inputs, something to measure with its error, and times");
  for (int j = 0; j < o->free_count; j++) {
    if (!(o->free[j].low < o->free[j].high) || !isfinite(o->free[j].high - o->free[j].low))
      return carom_fail(error, CAROM_ERR_ARGUMENT, "the bounds of '%s' are not low < high",
                        o->free[j].name);
    if (o->goal && strcmp(o->free[j].name, o->goal) == 0) *goal = j;
  }
  if (o->goal && *goal < 0)
    return carom_fail(error, CAROM_ERR_ARGUMENT, "'%s' is to be known best, but is not free",
                      o->goal);
  for (int c = 0; c < o->of_count; c++)
    if (!(o->of[c].value > 0.0) || !isfinite(o->of[c].value))
      return carom_fail(error, CAROM_ERR_ARGUMENT, "the error of '%s' must be above 0",
                        o->of[c].name);
  for (int p = 0; p < o->prior_count; p++)
    if (!(o->priors[p].high > 0.0))
      return carom_fail(error, CAROM_ERR_ARGUMENT, "the prior of '%s' needs an error above 0",
                        o->priors[p].name);
  for (int k = 0; k < o->done_count; k++)
    if (o->done[k] < 0 || o->done[k] >= o->time_count)
      return carom_fail(error, CAROM_ERR_ARGUMENT, "there is no time number %d", o->done[k]);
  return CAROM_OK;
}

static carom_status follow_motion(designing *d, carom_arena *arena, carom_error *error) {
  const carom_design_options *o = d->options;
  carom_sensitivity_options s = carom_sensitivity_options_default();
  const char **by = carom_arena_array(arena, (size_t)o->free_count, sizeof *by);
  const char **of = carom_arena_array(arena, (size_t)o->of_count, sizeof *of);
  if (!by || !of) return carom_fail_memory(error);
  for (int j = 0; j < o->free_count; j++)
    by[j] = o->free[j].name;
  for (int c = 0; c < o->of_count; c++)
    of[c] = o->of[c].name;
  s.model = o->model;
  s.by_count = o->free_count;
  s.by = by;
  s.of_count = o->of_count;
  s.of = of;
  s.time_count = o->time_count;
  s.times = o->times;
  carom_status status = carom_sensitivity_run(&s, &d->motion, error);
  if (status != CAROM_OK) return status;
  d->course = carom_sensitivity_look(d->motion);
  for (long k = 0; k < (long)o->time_count * o->of_count * d->n; k++)
    if (!isfinite(d->course->course_slopes[k]))
      return carom_fail(error, CAROM_ERR_UNSUPPORTED, "'%s' has no derivative by '%s' at t = %.15g",
                        of[k / d->n % o->of_count], by[k % d->n], o->times[k / d->n / o->of_count]);
  return CAROM_OK;
}

static carom_status compute_design(const carom_design_options *o, designing *d, carom_design *made,
                                   carom_error *error) {
  size_t n = (size_t)o->free_count, number = sizeof(double), picks = (size_t)o->picks;
  carom_arena *arena = made->arena;
  carom_status status = follow_motion(d, arena, error);
  if (status != CAROM_OK) return status;
  double *before = carom_arena_array(arena, n, number);
  double *gain = carom_arena_array(arena, (size_t)o->time_count * (size_t)o->of_count, number);
  double *errors = carom_arena_array(arena, picks * n, number);
  carom_design_pick *list = carom_arena_array(arena, picks, sizeof *list);
  d->covariance = carom_arena_array(arena, n * n, number);
  d->along = carom_arena_array(arena, n, number);
  if (!before || !gain || !errors || !list || !d->covariance || !d->along)
    return carom_fail_memory(error);
  begin_information(d);
  tell_errors(d, before);
  for (int t = 0; t < o->time_count; t++)
    for (int c = 0; c < o->of_count; c++)
      gain[t * o->of_count + c] = left_by(d, t, c);
  for (int k = 0; k < o->picks; k++)
    choose_time(d, &list[k], errors + (size_t)k * n);
  made->view = (carom_design_view){before, gain, o->picks, list};
  return CAROM_OK;
}

carom_status carom_design_run(const carom_design_options *options, carom_design **result,
                              carom_error *error) {
  designing d = {.options = options, .n = options->free_count};
  *result = NULL;
  carom_status status = check_options(options, &d.goal, error);
  if (status != CAROM_OK) return status;
  carom_design *made = calloc(1, sizeof *made);
  if (!made || !(made->arena = carom_arena_create(NULL))) {
    free(made);
    return carom_fail_memory(error);
  }
  status = compute_design(options, &d, made, error);
  carom_sensitivity_destroy(d.motion);
  if (status == CAROM_OK)
    *result = made;
  else
    carom_design_destroy(made);
  return status;
}
