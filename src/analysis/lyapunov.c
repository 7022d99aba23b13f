// SPDX-License-Identifier: MIT
/// Lyapunov exponents by orthonormalising the tangent dynamics again and again (Benettin, Galgani,
/// Giorgilli and Strelcyn 1980): the logarithms of the lengths add up to the exponents.
#include "carom/lyapunov.h"

#include "engine/engine.h"

#include <math.h>
#include <string.h>

enum { STRETCHES = 20, DEFAULT_INTERVALS = 4000 };
static const uint32_t COOKIE = 0x17a9u;
static const double TRANSIENT_PART = 0.1, VANISHED = 1e-10;
// what is left of a unit length after one interval: less is rounding, not contraction
static const double EXTINGUISHED = 1e-9;

carom_lyapunov_options carom_lyapunov_options_default(void) {
  return (carom_lyapunov_options){.transient = -1.0, .cookie = COOKIE};
}

typedef struct averaging {
  const carom_lyapunov_options *options;
  carom_simulation *simulation;
  const carom_engine *engine;
  int size;                  // of the state
  int count;                 // directions still followed
  int least_held, most_held; // directions forbidden at least and at most
  double start, time, interval;
  double sums[STRETCHES][CAROM_MOST_EXPONENTS];
} averaging;

static int held_now(const averaging *it) {
  return it->engine->held ? it->engine->held(it->simulation) : 0;
}

static void note_held(averaging *it) {
  int held = held_now(it);
  if (held < it->least_held) it->least_held = held;
  if (held > it->most_held) it->most_held = held;
}

static bool stopped(const averaging *it) {
  const carom_watcher *watcher = &it->options->watcher;
  return watcher->stopped && watcher->stopped(watcher->ctx);
}

// to time t, looking at every event how many directions are left
static carom_status go_to(averaging *it, double t, carom_error *error) {
  carom_status status = CAROM_STOP_EVENT;
  while (status == CAROM_STOP_EVENT && carom_simulation_time(it->simulation) < t) {
    double before = carom_simulation_time(it->simulation);
    status = carom_simulation_next(it->simulation, t, error);
    note_held(it);
    // a run that was stopped by the scenario does not move any more
    if (status == CAROM_STOP_EVENT && carom_simulation_time(it->simulation) == before &&
        carom_simulation_next(it->simulation, t, error) == CAROM_STOP_EVENT &&
        carom_simulation_time(it->simulation) == before)
      return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                        "the run was stopped at t = %.15g, before its exponents were known",
                        before);
  }
  return status < 0 ? status : CAROM_OK;
}

static double column_length(int size, const double *matrix, int j) {
  double square = 0.0;
  for (int i = 0; i < size; i++)
    square += matrix[i * size + j] * matrix[i * size + j];
  return sqrt(square);
}

static void exchange_columns(int size, double *matrix, int a, int b) {
  for (int i = 0; i < size; i++) {
    double kept = matrix[i * size + a];
    matrix[i * size + a] = matrix[i * size + b];
    matrix[i * size + b] = kept;
  }
}

// takes what column j has along the k columns before it away, twice for rounding
static void orthogonalise(int size, double *matrix, int j) {
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < j; k++) {
      double dot = 0.0;
      for (int i = 0; i < size; i++)
        dot += matrix[i * size + k] * matrix[i * size + j];
      for (int i = 0; i < size; i++)
        matrix[i * size + j] -= dot * matrix[i * size + k];
    }
}

static void scale_column(int size, double *matrix, int j, double factor) {
  for (int i = 0; i < size; i++)
    matrix[i * size + j] *= factor;
}

// the first time: the longest columns first; those that vanish are forbidden directions
static void choose_directions(averaging *it, double *matrix) {
  int size = it->size;
  it->count = 0;
  for (int j = 0; j < size; j++) {
    int longest = j;
    for (int k = j + 1; k < size; k++)
      if (column_length(size, matrix, k) > column_length(size, matrix, longest)) longest = k;
    exchange_columns(size, matrix, j, longest);
    double before = column_length(size, matrix, j);
    orthogonalise(size, matrix, j);
    double length = column_length(size, matrix, j);
    if (!(length > VANISHED * before)) break;
    scale_column(size, matrix, j, 1.0 / length);
    it->count++;
  }
  for (int j = it->count; j < size; j++)
    scale_column(size, matrix, j, 0.0);
}

// logarithms of the lengths of this interval are added to its stretch
static void orthonormalise(averaging *it, double *matrix, double *sums) {
  int size = it->size, free = size - it->most_held;
  if (it->count > free) it->count = free > 0 ? free : 0;
  for (int j = 0; j < size; j++) {
    if (j < it->count) orthogonalise(size, matrix, j);
    double length = j < it->count ? column_length(size, matrix, j) : 0.0;
    // an impact that ends in stick extinguishes a direction although nothing is held afterwards
    if (j < it->count && !(length > EXTINGUISHED)) it->count = j;
    scale_column(size, matrix, j, length > 0.0 ? 1.0 / length : 0.0);
    if (j < it->count) sums[j] += log(length);
  }
}

static void tell_progress(const averaging *it, long done, long total) {
  const carom_watcher *watcher = &it->options->watcher;
  if (watcher->progress && done % 16 == 0) watcher->progress(watcher->ctx, done, total, -1.0);
}

static carom_status average(averaging *it, double *covered, carom_error *error) {
  int size = 0;
  carom_status status = carom_tangent_begin(it->simulation, error);
  if (status != CAROM_OK) return status;
  double *matrix = carom_tangent_matrix(it->simulation, &size);
  it->size = size;
  if (size > CAROM_MOST_EXPONENTS)
    return carom_fail(error, CAROM_ERR_LIMIT, "exponents of at most %d states are found",
                      (int)CAROM_MOST_EXPONENTS);
  choose_directions(it, matrix);
  long total = (long)ceil(it->time / it->interval);
  total = (total + STRETCHES - 1) / STRETCHES * STRETCHES;
  for (long k = 0; k < total; k++) {
    if (stopped(it)) return CAROM_STOP_USER;
    double t = it->start + it->time * (double)(k + 1) / (double)total;
    status = go_to(it, t, error);
    if (status != CAROM_OK) return status;
    orthonormalise(it, matrix, it->sums[k * STRETCHES / total]);
    *covered = t - it->start;
    tell_progress(it, k + 1, total);
  }
  return CAROM_OK;
}

// dimension of the attractor after Kaplan and Yorke: how many exponents add up to zero
static double kaplan_yorke(const carom_lyapunov *result, bool driven) {
  double sum = 0.0, phase = driven ? 1.0 : 0.0; // the phase of a drive is one dimension more
  for (int k = 0; k < result->count; k++) {
    if (sum + result->exponents[k] < 0.0)
      return phase + k + (sum > 0.0 ? sum / -result->exponents[k] : 0.0);
    sum += result->exponents[k];
  }
  return result->extinguished > 0 ? phase + result->count : NAN;
}

static void sort_exponents(carom_lyapunov *result) {
  for (int k = 1; k < result->count; k++)
    for (int j = k; j > 0 && result->exponents[j] > result->exponents[j - 1]; j--) {
      double value = result->exponents[j], error = result->errors[j];
      result->exponents[j] = result->exponents[j - 1];
      result->errors[j] = result->errors[j - 1];
      result->exponents[j - 1] = value;
      result->errors[j - 1] = error;
    }
}

static void conclude(const averaging *it, double covered, carom_lyapunov *result) {
  *result = (carom_lyapunov){.count = it->count, .time = covered};
  result->extinguished = it->size - it->least_held - it->count;
  double stretch = it->time / STRETCHES;
  for (int j = 0; j < it->count; j++) {
    double mean = 0.0, square = 0.0;
    for (int k = 0; k < STRETCHES; k++)
      mean += it->sums[k][j];
    mean /= covered;
    for (int k = 0; k < STRETCHES; k++)
      square += (it->sums[k][j] / stretch - mean) * (it->sums[k][j] / stretch - mean);
    result->exponents[j] = mean;
    result->errors[j] = sqrt(square / (STRETCHES * (STRETCHES - 1.0)));
    result->sum += mean;
  }
  sort_exponents(result);
  bool driven = it->engine->autonomous && !it->engine->autonomous(it->simulation);
  result->dimension = kaplan_yorke(result, driven);
  result->notes = carom_tangent_met(it->simulation);
}

static carom_status run(averaging *it, carom_lyapunov *result, carom_error *error) {
  const carom_lyapunov_options *o = it->options;
  double begin = carom_simulation_time(it->simulation);
  double whole = carom_simulation_until(it->simulation) - begin;
  double transient = o->transient >= 0.0 ? o->transient : TRANSIENT_PART * whole;
  it->start = begin + transient;
  it->time = o->time > 0.0 ? o->time : whole - transient;
  // a longer average needs no longer intervals, in which fast directions would seem extinguished
  it->interval = o->interval > 0.0 ? o->interval : fmin(it->time, whole) / DEFAULT_INTERVALS;
  if (!(it->time > 0.0) || !(it->interval <= it->time))
    return carom_fail(error, CAROM_ERR_ARGUMENT, "there is no time left to average over");
  carom_status status =
      transient > 0.0 ? carom_simulation_advance(it->simulation, it->start, error) : CAROM_OK;
  if (status < 0) return status;
  it->start = carom_simulation_time(it->simulation);
  it->least_held = it->most_held = held_now(it);
  double covered = 0.0;
  status = average(it, &covered, error);
  if (status >= 0 && covered > 0.0) conclude(it, covered, result);
  return status;
}

carom_status carom_lyapunov_run(const carom_lyapunov_options *options, carom_lyapunov *result,
                                carom_error *error) {
  *result = (carom_lyapunov){0};
  if (options->cookie != COOKIE || !options->model)
    return carom_fail(error, CAROM_ERR_ARGUMENT,
                      "options of exponents start from carom_lyapunov_options_default()");
  averaging it = {.options = options, .engine = options->model->engine};
  carom_status status = carom_simulation_create(options->model, &it.simulation, error);
  if (status == CAROM_OK) status = run(&it, result, error);
  carom_simulation_destroy(it.simulation);
  return status;
}
