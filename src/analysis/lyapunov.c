// SPDX-License-Identifier: MIT
/// Lyapunov exponents by orthonormalising the tangent dynamics again and again (Benettin, Galgani,
/// Giorgilli and Strelcyn 1980): the logarithms of the lengths add up to the exponents. Where the
/// engine has none, motions that begin a little beside the state are run and differenced.
#include "carom/lyapunov.h"

#include "analysis/lyapunov_data.h"
#include "analysis/watch_over.h"
#include "base/elementary.h"
#include "base/platform.h"
#include "base/random.h"
#include "carom/version.h"
#include "engine/engine.h"
#include "spread/spread.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STRETCHES = 20, DEFAULT_INTERVALS = 4000 };
static const double TRANSIENT_PART = 0.1, VANISHED = 1e-10;
// what is left of a unit length after one interval: less is rounding, not contraction
static const double EXTINGUISHED = 1e-9;
// how far lengths may shrink until forbidden directions are taken away: what rounding has of them
// grows by the inverse
static const double SETTLE = 1e-3;
// how far beside the state neighbours are run, as a part of its size
static const double BESIDE = 1e-6;

carom_lyapunov_options carom_lyapunov_options_default(void) {
  return (carom_lyapunov_options){.transient = -1.0, .size = sizeof(carom_lyapunov_options)};
}

typedef struct averaging {
  const carom_lyapunov_options *options;
  carom_simulation *simulation;
  const carom_engine *engine;
  int size;                  // of the state
  int count;                 // directions still followed
  int least_held, most_held; // directions forbidden at least and at most
  double start, time, interval;
  int stretches;   // finished
  double covered;  // of the time
  double shrunk;   // lengths, since directions were last those that are allowed
  double *numbers; // the memory of those that follow
  double *sums;    // of logarithms of lengths: for every stretch, `size` of them
  double *own;     // size x size: the matrix where the engine has none
  double *kept;    // the same: the matrix of a journal
  double *row;     // 4 x size
  void *state;     // the motion while neighbours are run
  size_t state_size;
  carom_journal *journal;     // of finished stretches; NULL: none
  carom_tangent_notes before; // what was met before it was taken up again
} averaging;

static carom_tangent_notes notes_so_far(const averaging *it) {
  carom_tangent_notes notes = carom_tangent_met(it->simulation);
  if (it->before.steps == 0) return notes;
  notes.steps += it->before.steps;
  notes.instants += it->before.instants;
  notes.differenced += it->before.differenced;
  notes.piecewise += it->before.piecewise;
  notes.sided += it->before.sided;
  if (it->before.together > notes.together) notes.together = it->before.together;
  notes.grazes += it->before.grazes;
  notes.slowest = fmin(notes.slowest, it->before.slowest);
  return notes;
}

static double *stretch_sums(const averaging *it, int stretch) {
  assert(stretch >= 0 && stretch < STRETCHES);
  return it->sums + (size_t)stretch * (size_t)it->size;
}

static carom_status make_room(averaging *it, carom_error *error) {
  (void)carom_simulation_state(it->simulation, &it->size);
  size_t n = (size_t)it->size;
  it->numbers = calloc(n * (STRETCHES + 2 * n + 4) + 1, sizeof *it->numbers);
  if (!it->numbers) return carom_fail_memory(error);
  it->sums = it->numbers;
  it->own = it->sums + n * STRETCHES;
  it->kept = it->own + n * n;
  it->row = it->kept + n * n;
  return CAROM_OK;
}

static int held_now(const averaging *it) {
  return it->engine->turns.held ? it->engine->turns.held(it->simulation) : 0;
}

static void note_held(averaging *it) {
  int held = held_now(it);
  if (held < it->least_held) it->least_held = held;
  if (held > it->most_held) it->most_held = held;
}

static bool was_stopped(const averaging *it) {
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
    // several events may come at one instant; a run that has stopped stays wherever it is sent
    if (status == CAROM_STOP_EVENT && carom_simulation_time(it->simulation) == before &&
        carom_simulation_advance(it->simulation, before, error) == CAROM_STOP_EVENT)
      return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                        "the run was stopped at t = %.15g, before its exponents were known",
                        before);
  }
  return status < 0 ? status : CAROM_OK;
}

// ---- neighbours where there is no tangent dynamics ----

static carom_status run_beside(averaging *it, const double *y, int column, double step, double t0,
                               double t, double *end, carom_error *error) {
  assert(column >= 0 && column < it->size);
  double *moved = it->row;
  int size;
  for (int i = 0; i < it->size; i++)
    moved[i] = y[i] + step * it->own[i * it->size + column];
  carom_status status = it->engine->turns.place(it->simulation, t0, moved, 0, error);
  if (status == CAROM_OK) status = it->engine->advance(it->simulation, t, false, error);
  if (status >= 0)
    memcpy(end, carom_simulation_state(it->simulation, &size), (size_t)it->size * sizeof *end);
  return status;
}

// every direction to time t by central differences; the motion itself is left where it was
static carom_status carry_beside(averaging *it, double t, carom_error *error) {
  double *y = it->row + it->size, *low = y + it->size, *high = low + it->size, square = 0.0;
  double t0 = carom_simulation_time(it->simulation);
  int size;
  memcpy(y, carom_simulation_state(it->simulation, &size), (size_t)it->size * sizeof *y);
  for (int i = 0; i < it->size; i++)
    square += y[i] * y[i];
  double step = BESIDE * sqrt(square > 0.0 ? square : 1.0);
  carom_status status = carom_simulation_save(it->simulation, it->state, &it->state_size, error);
  for (int j = 0; j < it->count && status >= 0; j++) {
    status = run_beside(it, y, j, -step, t0, t, low, error);
    if (status >= 0) status = run_beside(it, y, j, step, t0, t, high, error);
    for (int i = 0; i < it->size && status >= 0; i++)
      it->own[i * it->size + j] = (high[i] - low[i]) / (2.0 * step);
  }
  if (status < 0) return status;
  return carom_simulation_restore(it->simulation, it->state, it->state_size, error);
}

// can neighbours be followed at all?
static carom_status check_engine(const averaging *it, carom_error *error) {
  if (carom_tangent_supported(it->options->model) || it->engine->turns.place) return CAROM_OK;
  return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                    "the engine '%s' has no tangent dynamics and cannot start a motion at a given "
                    "state, so that neighbours cannot be followed",
                    it->engine->name);
}

// what neighbours need: room for the motion, and the directions of the coordinates
static carom_status begin_beside(averaging *it, carom_error *error) {
  carom_status status = carom_simulation_save(it->simulation, NULL, &it->state_size, error);
  if (status != CAROM_OK) return status;
  it->state = malloc(it->state_size);
  if (!it->state) return carom_fail_memory(error);
  for (int i = 0; i < it->size; i++)
    it->own[i * it->size + i] = 1.0;
  return CAROM_OK;
}

// the matrix that is carried along from now on
static carom_status begin_directions(averaging *it, double **matrix, carom_error *error) {
  *matrix = it->own;
  if (!carom_tangent_supported(it->options->model)) return begin_beside(it, error);
  carom_status status = carom_tangent_begin(it->simulation, error);
  if (status == CAROM_OK) *matrix = carom_tangent_matrix(it->simulation, &it->size);
  return status;
}

static double column_length(int size, const double *matrix, int j) {
  assert(j >= 0 && j < size);
  double square = 0.0;
  for (int i = 0; i < size; i++)
    square += matrix[i * size + j] * matrix[i * size + j];
  return sqrt(square);
}

static void exchange_columns(int size, double *matrix, int a, int b) {
  assert(a >= 0 && b >= 0 && a < size && b < size);
  for (int i = 0; i < size; i++) {
    double kept = matrix[i * size + a];
    matrix[i * size + a] = matrix[i * size + b];
    matrix[i * size + b] = kept;
  }
}

// takes what column j has along the k columns before it away, twice for rounding
static void orthogonalise_columns(int size, double *matrix, int j) {
  assert(j >= 0 && j < size);
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
  assert(j >= 0 && j < size);
  for (int i = 0; i < size; i++)
    matrix[i * size + j] *= factor;
}

// Directions in general position: coordinate axes may span spaces that the motion never leaves, and
// what is found in them comes in the wrong order until rounding has led out of them
static void mix_columns(int size, double *matrix, double *row) {
  for (int i = 0; i < size; i++) {
    memcpy(row, matrix + i * size, (size_t)size * sizeof *row);
    for (int j = 0; j < size; j++) {
      matrix[i * size + j] = 0.0;
      for (int k = 0; k < size; k++)
        matrix[i * size + j] += row[k] * carom_random_normal(1, (uint64_t)j, (uint64_t)k);
    }
  }
}

// the first time: the longest columns first; those that vanish are forbidden directions
static void choose_directions(averaging *it, double *matrix) {
  int size = it->size;
  mix_columns(size, matrix, it->row);
  it->count = 0;
  for (int j = 0; j < size; j++) {
    int longest = j;
    for (int k = j + 1; k < size; k++)
      if (column_length(size, matrix, k) > column_length(size, matrix, longest)) longest = k;
    exchange_columns(size, matrix, j, longest);
    double before = column_length(size, matrix, j);
    orthogonalise_columns(size, matrix, j);
    double length = column_length(size, matrix, j);
    if (!(length > VANISHED * before)) break;
    scale_column(size, matrix, j, 1.0 / length);
    it->count++;
  }
  for (int j = it->count; j < size; j++)
    scale_column(size, matrix, j, 0.0);
}

// Directions that contacts forbid neither grow nor shrink in the variational equations: what
// rounding has of them would be all that is left where the others shrink. It is taken away before.
static carom_status stay_allowed(averaging *it, const double *matrix, carom_error *error) {
  if (matrix == it->own || !it->engine->tangent.settle || it->shrunk > SETTLE) return CAROM_OK;
  it->shrunk = 1.0;
  return it->engine->tangent.settle(it->simulation, error);
}

// logarithms of the lengths of this interval are added to its stretch
static void orthonormalise_columns(averaging *it, double *matrix, double *sums) {
  int size = it->size, free = size - it->most_held;
  double least = 1.0;
  if (it->count > free) it->count = free > 0 ? free : 0;
  for (int j = 0; j < size; j++) {
    if (j < it->count) orthogonalise_columns(size, matrix, j);
    double length = j < it->count ? column_length(size, matrix, j) : 0.0;
    // an impact that ends in stick extinguishes a direction although nothing is held afterwards
    if (j < it->count && !(length > EXTINGUISHED)) it->count = j;
    scale_column(size, matrix, j, length > 0.0 ? 1.0 / length : 0.0);
    if (j < it->count) sums[j] += carom_log(length);
    if (j < it->count) least = fmin(least, length);
  }
  it->shrunk *= least;
}

// ---- finished stretches are kept ----

// everything the next stretch goes on from
static carom_status keep_stretch(averaging *it, const double *matrix, int stretch,
                                 carom_error *error) {
  assert(stretch >= 0 && stretch <= STRETCHES);
  size_t size = 0;
  if (!it->journal) return CAROM_OK;
  carom_status status = carom_simulation_save(it->simulation, NULL, &size, error);
  void *state = status == CAROM_OK ? malloc(size) : NULL;
  if (status == CAROM_OK && !state) status = carom_fail_memory(error);
  if (status == CAROM_OK) status = carom_simulation_save(it->simulation, state, &size, error);
  carom_parcel record = {0};
  carom_tangent_notes notes = notes_so_far(it);
  carom_parcel_count(&record, it->count);
  carom_parcel_count(&record, it->least_held);
  carom_parcel_count(&record, it->most_held);
  carom_parcel_number(&record, it->start);
  carom_parcel_number(&record, it->shrunk);
  carom_parcel_put(&record, &notes, sizeof notes);
  carom_parcel_put(&record, stretch_sums(it, stretch), (size_t)it->size * sizeof *it->sums);
  carom_parcel_put(&record, matrix, (size_t)(it->size * it->size) * sizeof *matrix);
  if (status == CAROM_OK) carom_parcel_put(&record, state, size);
  if (status == CAROM_OK && record.broken) status = carom_fail_memory(error);
  if (status == CAROM_OK)
    status = carom_journal_append(it->journal, stretch, record.bytes, record.size, error);
  free(record.bytes);
  free(state);
  return status;
}

static carom_status take_up(averaging *it, const void *bytes, long length, double *matrix,
                            int stretch, carom_error *error) {
  assert(length >= 0);
  carom_unpack record = {.at = bytes, .end = (const char *)bytes + length};
  it->count = (int)carom_unpack_count(&record);
  it->least_held = (int)carom_unpack_count(&record);
  it->most_held = (int)carom_unpack_count(&record);
  it->start = carom_unpack_number(&record);
  it->shrunk = carom_unpack_number(&record);
  carom_unpack_bytes(&record, &it->before, sizeof it->before);
  carom_unpack_bytes(&record, stretch_sums(it, stretch), (size_t)it->size * sizeof *it->sums);
  carom_unpack_bytes(&record, matrix, (size_t)(it->size * it->size) * sizeof *matrix);
  if (record.broken) return carom_fail(error, CAROM_ERR_INPUT, "the journal is damaged");
  return carom_simulation_restore(it->simulation, record.at, (size_t)(record.end - record.at),
                                  error);
}

// *done: how many stretches the journal has; the simulation is at the end of the last of them, and
// `matrix` is what was carried along there
static carom_status take_up_all(averaging *it, double *matrix, int *done, carom_error *error) {
  void *bytes = NULL;
  size_t room = 0;
  long length = 0;
  carom_status status = CAROM_OK;
  for (*done = 0; *done < STRETCHES && status == CAROM_OK; ++*done) {
    status = carom_journal_fetch(it->journal, *done, &bytes, &room, &length, error);
    if (status != CAROM_OK || length < 0) break;
    status = take_up(it, bytes, length, matrix, *done, error);
  }
  free(bytes);
  return status;
}

static carom_status open_journal(averaging *it, carom_error *error) {
  const carom_lyapunov_options *o = it->options;
  if (!o->journal) return CAROM_OK;
  char *scenario = carom_model_scenario_text(o->model);
  carom_build build = carom_build_info();
  const double numbers[] = {o->transient, it->time, it->interval};
  uint64_t hash = carom_hash(0, numbers, sizeof numbers);
  if (scenario) hash = carom_hash(hash, scenario, strlen(scenario));
  hash = carom_hash(hash, build.version, strlen(build.version));
  hash = carom_hash(hash, build.revision, strlen(build.revision));
  for (int k = 0; k < o->value_count; k++) {
    hash = carom_hash(hash, o->values[k].name, strlen(o->values[k].name) + 1);
    hash = carom_hash(hash, &o->values[k].value, sizeof(double));
  }
  carom_text_destroy(scenario);
  carom_journal_task task = {.identity = hash, .count = STRETCHES};
  return carom_journal_open(o->journal, &task, o->resume, &it->journal, error);
}

// ---- the average ----

// one stretch of it, of `intervals` orthonormalisations
static carom_status average_stretch(averaging *it, double *matrix, int stretch, long intervals,
                                    double began, int first, carom_error *error) {
  long total = intervals * STRETCHES;
  for (long j = 0; j < intervals; j++) {
    long k = stretch * intervals + j;
    if (was_stopped(it)) return CAROM_STOP_USER;
    double t = it->start + it->time * (double)(k + 1) / (double)total;
    carom_status status = matrix == it->own ? carry_beside(it, t, error) : CAROM_OK;
    if (status == CAROM_OK) status = go_to(it, t, error);
    if (status == CAROM_OK) status = stay_allowed(it, matrix, error);
    if (status != CAROM_OK) return status;
    orthonormalise_columns(it, matrix, stretch_sums(it, stretch));
    it->covered = t - it->start;
    if ((k + 1) % 16 == 0)
      carom_watch_tell(&it->options->watcher, began, first * intervals, k + 1, total);
  }
  it->stretches = stretch + 1;
  return keep_stretch(it, matrix, stretch, error);
}

// what the journal has, then the motion until it has settled
static carom_status find_beginning(averaging *it, double transient, carom_error *error) {
  carom_status status = it->journal ? take_up_all(it, it->kept, &it->stretches, error) : CAROM_OK;
  if (status != CAROM_OK || it->stretches > 0) return status;
  if (transient > 0.0)
    status = carom_watch_advance(&it->options->watcher, it->simulation, it->start, error);
  if (status < 0 || status == CAROM_STOP_USER) return status;
  it->start = carom_simulation_time(it->simulation);
  it->least_held = it->most_held = held_now(it);
  return CAROM_OK;
}

static carom_status average_growth(averaging *it, double transient, carom_error *error) {
  carom_status status = check_engine(it, error);
  if (status == CAROM_OK) status = make_room(it, error);
  if (status != CAROM_OK) return status;
  const carom_engine *engine = it->simulation->model->engine;
  if (engine->turns.unobserved) engine->turns.unobserved(it->simulation);
  status = find_beginning(it, transient, error);
  if (status != CAROM_OK) return status;
  double *matrix = NULL;
  status = begin_directions(it, &matrix, error);
  if (status != CAROM_OK) return status;
  int first = it->stretches;
  if (first > 0)
    memcpy(matrix, it->kept, (size_t)(it->size * it->size) * sizeof *matrix);
  else
    choose_directions(it, matrix);
  it->covered = it->time * first / STRETCHES;
  long intervals = ((long)ceil(it->time / it->interval) + STRETCHES - 1) / STRETCHES;
  double began = carom_clock();
  for (int stretch = first; stretch < STRETCHES && status == CAROM_OK; stretch++)
    status = average_stretch(it, matrix, stretch, intervals, began, first, error);
  return status;
}

// ---- what is told ----

struct carom_lyapunov {
  carom_lyapunov_view view;
  double numbers[]; // exponents, errors, and the course of every stretch
};

static size_t numbers_of(int count) { return (size_t)count * (2 + STRETCHES); }

static carom_lyapunov *new_result(const carom_lyapunov_view *view) {
  size_t count = (size_t)view->count;
  carom_lyapunov *made = calloc(1, sizeof *made + numbers_of(view->count) * sizeof(double));
  if (!made) return NULL;
  made->view = *view;
  made->view.exponents = made->numbers;
  made->view.errors = made->numbers + count;
  made->view.course = made->numbers + 2 * count;
  return made;
}

void carom_lyapunov_destroy(carom_lyapunov *result) { free(result); }

const carom_lyapunov_view *carom_lyapunov_look(const carom_lyapunov *result) {
  return &result->view;
}

void carom_lyapunov_put(carom_parcel *parcel, const carom_lyapunov *result) {
  carom_parcel_put(parcel, &result->view, sizeof result->view);
  carom_parcel_put(parcel, result->numbers, numbers_of(result->view.count) * sizeof(double));
}

carom_status carom_lyapunov_take(carom_unpack *record, carom_lyapunov **result,
                                 carom_error *error) {
  carom_lyapunov_view view = {0};
  *result = NULL;
  carom_unpack_bytes(record, &view, sizeof view);
  size_t left = (size_t)(record->end - record->at);
  record->broken = record->broken || view.count < 0 || (size_t)view.count > left;
  if (record->broken) return CAROM_OK;
  *result = new_result(&view);
  if (!*result) return carom_fail_memory(error);
  carom_unpack_bytes(record, (*result)->numbers, numbers_of(view.count) * sizeof(double));
  return CAROM_OK;
}

// dimension of the attractor after Kaplan and Yorke: how many exponents add up to zero
static double kaplan_yorke(const carom_lyapunov_view *result, bool driven) {
  double sum = 0.0, phase = driven ? 1.0 : 0.0; // the phase of a drive is one dimension more
  for (int k = 0; k < result->count; k++) {
    if (sum + result->exponents[k] < 0.0)
      return phase + k + (sum > 0.0 ? sum / -result->exponents[k] : 0.0);
    sum += result->exponents[k];
  }
  return result->extinguished > 0 ? phase + result->count : NAN;
}

// an exponent, its error and its course change places: all numbers are rows of `count`
static void exchange_exponents(carom_lyapunov *result, int a, int b) {
  int count = result->view.count;
  assert(a >= 0 && b >= 0 && a < count && b < count);
  for (int row = 0; row < 2 + STRETCHES; row++) {
    double *at = result->numbers + (size_t)row * (size_t)count, kept = at[a];
    at[a] = at[b];
    at[b] = kept;
  }
}

static void sort_exponents(carom_lyapunov *result) {
  for (int k = 1; k < result->view.count; k++)
    for (int j = k; j > 0 && result->numbers[j] > result->numbers[j - 1]; j--)
      exchange_exponents(result, j, j - 1);
}

// mean and standard error of exponent j; of an interrupted average, from whole stretches
static void average_exponent(const averaging *it, int j, carom_lyapunov *result) {
  assert(j >= 0 && j < result->view.count && result->view.count <= it->size);
  double sum = 0.0, square = 0.0, stretch = it->time / STRETCHES;
  int whole = it->stretches, count = result->view.count;
  double *exponents = result->numbers, *errors = exponents + count, *course = errors + count;
  for (int k = 0; k < STRETCHES; k++) {
    sum += stretch_sums(it, k)[j];
    course[k * count + j] = k < whole ? sum / (stretch * (k + 1)) : (double)NAN;
  }
  double mean = sum / it->covered;
  for (int k = 0; k < whole; k++) {
    double off = stretch_sums(it, k)[j] / stretch - mean;
    square += off * off;
  }
  exponents[j] = mean;
  errors[j] = whole > 1 ? sqrt(square / (whole * (whole - 1.0))) : (double)NAN;
  result->view.sum += mean;
}

static carom_status conclude_result(const averaging *it, carom_lyapunov **result,
                                    carom_error *error) {
  bool begun = it->covered > 0.0;
  const carom_lyapunov_view known = {.count = begun ? it->count : 0,
                                     .stretches = STRETCHES,
                                     .time = it->covered,
                                     .extinguished =
                                         begun ? it->size - it->least_held - it->count : 0};
  carom_lyapunov *made = *result = new_result(&known);
  if (!made || !begun) return made ? CAROM_OK : carom_fail_memory(error);
  for (int j = 0; j < it->count; j++)
    average_exponent(it, j, made);
  sort_exponents(made);
  bool driven = it->engine->turns.autonomous && !it->engine->turns.autonomous(it->simulation);
  made->view.dimension = kaplan_yorke(&made->view, driven);
  made->view.notes = notes_so_far(it);
  return CAROM_OK;
}

static carom_status run_average(averaging *it, carom_lyapunov **result, carom_error *error) {
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
  carom_status status = open_journal(it, error);
  if (status == CAROM_OK) status = average_growth(it, transient, error);
  carom_status told = status >= 0 ? conclude_result(it, result, error) : status;
  if (told < 0) status = told;
  (void)carom_journal_close(it->journal, NULL);
  free(it->state);
  return status;
}

carom_status carom_lyapunov_run(const carom_lyapunov_options *options, carom_lyapunov **result,
                                carom_error *error) {
  *result = NULL;
  carom_status status =
      carom_check_options(options->size, sizeof *options, "carom_lyapunov_options", error);
  if (status != CAROM_OK) return status;
  if (!options->model) return carom_fail(error, CAROM_ERR_ARGUMENT, "exponents need a model");
  averaging *it = calloc(1, sizeof *it);
  if (!it) return carom_fail_memory(error);
  it->options = options;
  it->shrunk = 1.0;
  it->engine = options->model->engine;
  status = carom_simulation_create(options->model, &it->simulation, error);
  if (status == CAROM_OK)
    status = carom_simulation_set_all(it->simulation, options->value_count, options->values, error);
  if (status == CAROM_OK) status = run_average(it, result, error);
  carom_simulation_destroy(it->simulation);
  free(it->numbers);
  free(it);
  return status;
}
