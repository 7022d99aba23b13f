// SPDX-License-Identifier: MIT
/// A fit from its beginning to what is told of it.
#include "base/random.h"
#include "fit/fitting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 5 };
static const double POOR = 5.0;   // deviations of a sum of squares
static const double MISSES = 4.0; // squares of residuals over errors, in the mean

carom_fit_options carom_fit_options_default(void) {
  return (carom_fit_options){
      .starts = 1, .seed = 1, .threads = 1, .size = sizeof(carom_fit_options)};
}

void carom_fit_destroy(carom_fit *result) {
  if (!result) return;
  carom_arena_destroy(result->arena);
  free(result);
}

const carom_fit_view *carom_fit_look(const carom_fit *result) { return &result->view; }

// ---- where to start

// a random place within the bounds
static void draw_place(const carom_fitting *it, int start, double *x) {
  for (int j = 0; j < it->n; j++) {
    double share = carom_random_uniform(it->options->seed, (uint64_t)start, (uint64_t)j);
    x[j] = it->range[j].low + share * (it->range[j].high - it->range[j].low);
  }
}

/// Places to start from, [starts][n]: the scenario's values, then the best of a sweep over random
/// places, or random ones.
static carom_status choose_starts(carom_fitting *it, const double *given, double *starts,
                                  carom_error *error) {
  const carom_fit_options *o = it->options;
  int n = it->n, looked = o->sweep > o->starts ? o->sweep : o->starts;
  size_t number = sizeof(double);
  double *x = carom_arena_array(it->arena, (size_t)looked * (size_t)n, number);
  double *costs = carom_arena_array(it->arena, (size_t)looked, number);
  carom_many_costs *many = NULL;
  carom_status status = x && costs ? CAROM_OK : carom_fail_memory(error);
  for (int k = 1; k < looked && status == CAROM_OK; k++)
    draw_place(it, k, x + k * n);
  for (int j = 0; j < n && status == CAROM_OK; j++)
    starts[j] = fmin(fmax(given[j], it->range[j].low), it->range[j].high);
  if (status == CAROM_OK && o->sweep > 0) status = carom_many_costs_begin(it, &many, error);
  if (status == CAROM_OK && many) carom_many_costs_find(many, looked - 1, x + n, costs + 1);
  carom_many_costs_end(many);
  for (int s = 1; s < o->starts && status == CAROM_OK; s++) {
    int best = s;
    for (int k = 1; k < looked && o->sweep > 0; k++)
      if (costs[k] < costs[best] || isnan(costs[best])) best = k;
    memcpy(starts + s * n, x + best * n, (size_t)n * number);
    costs[best] = (double)NAN; // taken
  }
  return status;
}

// ---- what is told

static carom_status tell_data(const carom_fitting *it, carom_fit *made, carom_error *error) {
  double *times = carom_arena_array(made->arena, (size_t)it->m + 1, sizeof *times);
  double *measured = carom_arena_array(made->arena, (size_t)it->m + 1, sizeof *measured);
  int *file = carom_arena_array(made->arena, (size_t)it->m + 1, sizeof *file);
  const char **column = carom_arena_array(made->arena, (size_t)it->m + 1, sizeof *column);
  long at = 0;
  if (!times || !measured || !file || !column) return carom_fail_memory(error);
  for (int f = 0; f < it->options->file_count; f++)
    for (int r = 0; r < it->files[f].row_count; r++)
      for (int c = 0; c < it->files[f].column_count; c++, at++) {
        times[at] = it->files[f].times[r];
        measured[at] = it->files[f].values[r * it->files[f].column_count + c];
        column[at] = it->files[f].names[c];
        file[at] = f;
      }
  made->view.data_count = it->data;
  made->view.times = times;
  made->view.measured = measured;
  made->view.file = file;
  made->view.column = column;
  made->view.fitted = it->fitted;
  made->view.residuals = it->residual;
  return CAROM_OK;
}

// What is left against a sum of squares of that many normal numbers, which has the deviation
// sqrt(2 n). Outliers that Huber's function expects leave more.
static void tell_misfit(const carom_fitting *it, long freedom, carom_fit_view *view) {
  double n = (double)freedom, left = 2.0 * view->cost;
  bool told = freedom > 0 && !view->scaled && !(it->options->huber > 0.0);
  view->misfit = freedom > 0 ? sqrt(left / n) : 0.0;
  view->poor = told && left > n + POOR * sqrt(2.0 * n);
}

static carom_status tell_fit(carom_fitting *it, carom_fit_place *best, double *spread,
                             carom_fit *made, carom_error *error) {
  int n = it->n, unknown = 0, known = 0;
  carom_fit_view *view = &made->view;
  size_t inputs = (size_t)n, number = sizeof(double);
  double *values = carom_arena_array(made->arena, inputs, number);
  double *errors = carom_arena_array(made->arena, inputs, number);
  double *covariance = carom_arena_array(made->arena, inputs * inputs, number);
  double *unknowns = carom_arena_array(made->arena, inputs * inputs, number);
  if (!values || !errors || !covariance || !unknowns) return carom_fail_memory(error);
  best->cost = carom_fitting_evaluate(it, best->x); // arrays are those of the best place again
  carom_fit_inform(it, best, false);
  double most = carom_fit_largest(it, best);
  for (int k = 0; k < n; k++)
    known += best->value[k] > CAROM_FIT_NOTHING * most;
  long freedom = it->m - known;
  *spread = view->scaled ? 2.0 * best->cost / (double)(freedom > 0 ? freedom : 1) : 1.0;
  for (int i = 0; i < n; i++) {
    values[i] = best->x[i];
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        if (best->value[k] > CAROM_FIT_NOTHING * most)
          covariance[i * n + j] += best->scale[i] * best->scale[j] * best->vector[k][i] *
                                   best->vector[k][j] / best->value[k] * *spread;
    errors[i] = sqrt(covariance[i * n + i]);
  }
  for (int k = 0; k < n; k++) {
    if (best->value[k] > CAROM_FIT_NOTHING * most) continue;
    memcpy(unknowns + unknown * n, best->vector[k], inputs * number);
    unknown++;
    for (int i = 0; i < n; i++)
      if (fabs(best->vector[k][i]) > 1e-6) errors[i] = INFINITY;
  }
  for (int i = 0; i < n * n; i++)
    if (!isfinite(errors[i / n]) || !isfinite(errors[i % n])) covariance[i] = (double)NAN;
  view->free_count = n;
  view->values = values;
  view->errors = errors;
  view->covariance = covariance;
  view->unknown_count = unknown;
  view->unknown = unknowns;
  view->cost = best->cost;
  view->iterations = best->iterations;
  view->names = it->names;
  tell_misfit(it, freedom, view);
  return tell_data(it, made, error);
}

// Is what is left more than errors explain?
static bool misses_data(const carom_fitting *it, const carom_fit_place *at, bool scaled) {
  return !scaled && 2.0 * at->cost > MISSES * (double)it->m;
}

// One start: with all data at once, and by parts where that is asked for, comes to no end or leaves
// more than errors explain.
static bool descend_from(carom_fitting *it, const double *start, bool scaled, carom_fit_place *at,
                         carom_error *trouble) {
  size_t size = (size_t)it->n * sizeof *start;
  int parts = it->options->parts;
  carom_fit_place by_parts = {.cost = INFINITY};
  *at = (carom_fit_place){.cost = INFINITY};
  memcpy(at->x, start, size);
  bool came = parts == 0 && carom_fit_descend(it, at);
  *trouble = it->trouble;
  if (came && !misses_data(it, at, scaled)) return true;
  memcpy(by_parts.x, start, size);
  if (!carom_fit_descend_by_parts(it, &by_parts, parts > 0 ? parts : PARTS)) return came;
  if (!came || by_parts.cost < at->cost) *at = by_parts;
  return true;
}

static carom_status search_place(carom_fitting *it, carom_fit *made, const double *given,
                                 carom_fit_place *best, carom_error *error) {
  carom_fit_place at;
  carom_error first = {0}, trouble;
  int count = it->options->starts;
  double *starts = carom_arena_array(it->arena, (size_t)count * (size_t)it->n, sizeof *starts);
  if (!starts) return carom_fail_memory(error);
  carom_status status = choose_starts(it, given, starts, error);
  if (status != CAROM_OK) return status;
  for (int s = 0; s < count; s++) {
    if (!descend_from(it, starts + s * it->n, made->view.scaled, &at, &trouble)) {
      if (s == 0) first = trouble;
      continue;
    }
    made->view.converged++;
    double slack = 1e-6 * best->cost + 1e-20;
    if (at.cost < best->cost - slack)
      made->view.best = 1;
    else if (at.cost <= best->cost + slack)
      made->view.best++;
    if (at.cost < best->cost) *best = at;
  }
  if (made->view.converged > 0) return CAROM_OK;
  if (first.status != CAROM_OK) {
    if (error) *error = first;
    return first.status;
  }
  return carom_fail(error, CAROM_ERR_NO_CONVERGENCE, "no start came to a least sum of squares");
}

// ---- the whole

static carom_status check_ranges(int count, const carom_fit_range *ranges, carom_error *error) {
  for (int k = 0; k < count; k++)
    if (!(ranges[k].low < ranges[k].high) || !isfinite(ranges[k].high - ranges[k].low))
      return carom_fail(error, CAROM_ERR_ARGUMENT, "the bounds of '%s' are not low < high",
                        ranges[k].name);
  return CAROM_OK;
}

static carom_status check_options(const carom_fit_options *o, carom_error *error) {
  if (o->size != sizeof *o || !o->model)
    return carom_fail(error, CAROM_ERR_ARGUMENT, "start from carom_fit_options_default()");
  long inputs = o->free_count + (long)o->each_count * o->file_count;
  if (inputs < 1 || inputs > CAROM_FIT_INPUTS || o->file_count < 1 || o->starts < 1 ||
      o->parts < 0 || o->parts > 30)
    return carom_fail(
        error, CAROM_ERR_ARGUMENT,
        "a fit needs data, 1 to %d free inputs, at least one start and 0 to 30 halvings "
        "of its data",
        CAROM_FIT_INPUTS);
  carom_status status = check_ranges(o->free_count, o->free, error);
  if (status == CAROM_OK) status = check_ranges(o->each_count, o->each, error);
  if (status != CAROM_OK) return status;
  for (int k = 0; k < o->each_count; k++)
    for (int j = 0; j < o->free_count; j++)
      if (strcmp(o->free[j].name, o->each[k].name) == 0)
        return carom_fail(error, CAROM_ERR_ARGUMENT,
                          "'%s' is to be the same for all files and of each its own",
                          o->each[k].name);
  for (int k = 0; k < o->prior_count; k++) {
    bool known = false;
    for (int j = 0; j < o->free_count; j++)
      known = known || strcmp(o->free[j].name, o->priors[k].name) == 0;
    if (!known || !(o->priors[k].high > 0.0))
      return carom_fail(error, CAROM_ERR_ARGUMENT,
                        "the prior of '%s' needs a free input and an error above 0",
                        o->priors[k].name);
  }
  for (int k = 0; k < o->error_count; k++)
    if (!(o->errors[k].value > 0.0) || !isfinite(o->errors[k].value))
      return carom_fail(error, CAROM_ERR_ARGUMENT, "the error of '%s' must be above 0",
                        o->errors[k].name);
  return CAROM_OK;
}

static carom_status run_search(const carom_fit_options *options, carom_fit *made,
                               carom_error *error) {
  double given[CAROM_FIT_INPUTS], spread = 1.0;
  carom_fitting it = {.options = options, .arena = made->arena};
  carom_fit_place best = {.cost = INFINITY};
  carom_status status = carom_fitting_begin(&it, given, &made->view.scaled, error);
  if (status == CAROM_OK) status = search_place(&it, made, given, &best, error);
  if (status == CAROM_OK) status = tell_fit(&it, &best, &spread, made, error);
  if (status == CAROM_OK && options->samples > 0)
    status = carom_fit_sample(&it, &best, spread, made, error);
  // profiles come last: they leave other numbers in the arrays of the place evaluated last
  if (status == CAROM_OK && options->profiles) {
    status = carom_fit_profile(&it, &best, spread, made, error);
    (void)carom_fitting_evaluate(&it, best.x);
  }
  carom_fitting_end(&it);
  return status;
}

carom_status carom_fit_run(const carom_fit_options *options, carom_fit **result,
                           carom_error *error) {
  *result = NULL;
  carom_status status = check_options(options, error);
  if (status != CAROM_OK) return status;
  carom_fit *made = calloc(1, sizeof *made);
  if (!made || !(made->arena = carom_arena_create(NULL))) {
    free(made);
    return carom_fail_memory(error);
  }
  status = run_search(options, made, error);
  if (status == CAROM_OK)
    *result = made;
  else
    carom_fit_destroy(made);
  return status;
}
