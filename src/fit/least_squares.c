// SPDX-License-Identifier: MIT
/// Least squares on exact derivatives. With r the residuals over their errors and J their
/// derivatives by the inputs, relative to the inputs' sizes, a step of Levenberg and Marquardt
/// solves (J'WJ + lambda |J'WJ|) p = -J'Wr in the eigenvectors of J'WJ; W are Huber's weights
/// (1964). Eigenvectors without eigenvalue are what the data cannot tell: no step goes along them.
#include "base/random.h"
#include "carom/fit.h"
#include "fit/fit_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FREE = 32, MOST_ITERATIONS = 200, MOST_SWEEPS = 60 };
/// Of the largest eigenvalue: below it is rounding of the sums that J'WJ is made of.
static const double NOTHING = 1e-13;
static const double FIRST_DAMPING = 1e-3, MOST_DAMPING = 1e12; // tuned: any will do
static const double SMALL_STEP = 1e-9; // of the inputs: what their derivatives are good for

/// What a fit works on. Residuals: data of all files in order, then priors.
typedef struct fitting {
  const carom_fit_options *options;
  carom_arena *arena;
  carom_fit_file *files;
  const char **names; // of the free inputs
  carom_value *values;
  double begins; // the run
  int n;
  long m, data;
  double *sigma;           // [m]
  double *fitted, *slopes; // [m], [m][n]: of the place evaluated last
  double *residual, *weight;
  carom_error trouble; // why the place evaluated last is none
} fitting;

/// A place in the space of inputs, and what the information matrix is there.
typedef struct place {
  double x[MOST_FREE], scale[MOST_FREE];
  double cost;
  double value[MOST_FREE], vector[MOST_FREE][MOST_FREE]; // eigenvalues, [which][component]
  double gradient[MOST_FREE];
  int iterations;
} place;

struct carom_fit {
  carom_fit_view view;
  carom_arena *arena;
};

carom_fit_options carom_fit_options_default(void) {
  return (carom_fit_options){.starts = 1, .seed = 1, .size = sizeof(carom_fit_options)};
}

void carom_fit_destroy(carom_fit *result) {
  if (!result) return;
  carom_arena_destroy(result->arena);
  free(result);
}

const carom_fit_view *carom_fit_look(const carom_fit *result) { return &result->view; }

// ---- the motion at a place

static bool is_click(const carom_sensitivity_event *event, const char *name) {
  bool kind = event->kind == CAROM_EVENT_IMPACT || event->kind == CAROM_EVENT_USER;
  return kind && strcmp(event->name, name) == 0;
}

static carom_status take_clicks(const fitting *it, const carom_fit_file *file,
                                const carom_sensitivity_view *v, double *fitted, double *slopes,
                                carom_error *error) {
  int found = 0;
  for (long k = 0; k < v->event_count && found < file->row_count; k++) {
    if (!is_click(&v->events[k], file->names[0])) continue;
    fitted[found] = v->events[k].t;
    memcpy(slopes + found * it->n, v->events[k].slopes, (size_t)it->n * sizeof *slopes);
    found++;
  }
  if (found < file->row_count)
    return carom_fail(
        error, CAROM_ERR_NO_CONVERGENCE,
        "%s has %d times of '%s', the motion only %d such events up to twice the last "
        "of them",
        file->path, file->row_count, file->names[0], found);
  return CAROM_OK;
}

static carom_status move(fitting *it, const carom_fit_file *file, double *fitted, double *slopes,
                         carom_error *error) {
  carom_sensitivity_options o = carom_sensitivity_options_default();
  double last = file->times[file->row_count - 1], horizon = last + fmax(last - it->begins, 0.0);
  carom_sensitivity *result;
  o.model = it->options->model;
  o.by_count = o.value_count = it->n;
  o.by = it->names;
  o.values = it->values;
  o.of_count = file->clicks ? 0 : file->column_count;
  o.of = file->names;
  o.time_count = file->clicks ? 1 : file->row_count;
  o.times = file->clicks ? &horizon : file->times;
  carom_status status = carom_sensitivity_run(&o, &result, error);
  if (status != CAROM_OK) return status;
  const carom_sensitivity_view *v = carom_sensitivity_look(result);
  size_t count = (size_t)file->row_count * (size_t)file->column_count;
  if (file->clicks) {
    status = take_clicks(it, file, v, fitted, slopes, error);
  } else {
    memcpy(fitted, v->course, count * sizeof *fitted);
    memcpy(slopes, v->course_slopes, count * (size_t)it->n * sizeof *slopes);
  }
  carom_sensitivity_destroy(result);
  return status;
}

static double huber(const fitting *it, double r, double *weight) {
  double k = it->options->huber, size = fabs(r);
  *weight = k > 0.0 && size > k ? k / size : 1.0;
  return k > 0.0 && size > k ? k * (size - 0.5 * k) : 0.5 * r * r;
}

// residuals, their derivatives and the cost; infinite where there is no motion to compare with
static double evaluate(fitting *it, const double *x) {
  const carom_fit_options *o = it->options;
  long at = 0;
  double cost = 0.0;
  for (int j = 0; j < it->n; j++)
    it->values[j] = (carom_value){it->names[j], x[j]};
  for (int f = 0; f < o->file_count; f++) {
    const carom_fit_file *file = &it->files[f];
    long count = (long)file->row_count * file->column_count;
    it->trouble = (carom_error){0};
    if (move(it, file, it->fitted + at, it->slopes + at * it->n, &it->trouble) != CAROM_OK)
      return INFINITY;
    for (long k = 0; k < count; k++)
      it->residual[at + k] = (it->fitted[at + k] - file->values[k]) / it->sigma[at + k];
    at += count;
  }
  for (int p = 0; p < o->prior_count; p++, at++)
    for (int j = 0; j < it->n; j++) {
      bool mine = strcmp(o->priors[p].name, it->names[j]) == 0;
      it->slopes[at * it->n + j] = mine ? 1.0 : 0.0;
      if (mine) it->residual[at] = (x[j] - o->priors[p].low) / it->sigma[at];
    }
  for (long k = 0; k < it->m; k++) {
    cost += huber(it, it->residual[k], &it->weight[k]);
    for (int j = 0; j < it->n; j++)
      if (!isfinite(it->slopes[k * it->n + j])) {
        (void)carom_fail(&it->trouble, CAROM_ERR_UNSUPPORTED,
                         "datum %ld has no derivative by '%s': contacts meet there, or it is an "
                         "observable with reducers",
                         k + 1, it->names[j]);
        return INFINITY;
      }
  }
  return isfinite(cost) ? cost : (double)INFINITY;
}

// ---- the information matrix

// Jacobi's rotations: A becomes diagonal, rows of V its eigenvectors
static void diagonalise(int n, double A[MOST_FREE][MOST_FREE], double V[MOST_FREE][MOST_FREE]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      V[i][j] = i == j ? 1.0 : 0.0;
  for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    double off = 0.0;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        if (A[p][q] == 0.0) continue;
        off += fabs(A[p][q]);
        double theta = (A[q][q] - A[p][p]) / (2.0 * A[p][q]);
        double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
        double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
        for (int k = 0; k < n; k++) {
          double a = A[k][p], b = A[k][q];
          A[k][p] = c * a - s * b;
          A[k][q] = s * a + c * b;
        }
        for (int k = 0; k < n; k++) {
          double a = A[p][k], b = A[q][k];
          A[p][k] = c * a - s * b;
          A[q][k] = s * a + c * b;
          a = V[p][k];
          b = V[q][k];
          V[p][k] = c * a - s * b;
          V[q][k] = s * a + c * b;
        }
        A[p][q] = A[q][p] = 0.0;
      }
    if (off == 0.0) return;
  }
}

static bool held(const fitting *it, const place *at, int j) {
  const carom_fit_range *range = &it->options->free[j];
  return (at->x[j] <= range->low && at->gradient[j] > 0.0) ||
         (at->x[j] >= range->high && at->gradient[j] < 0.0);
}

// of the place evaluated last; inputs at a bound that they want to pass are left out for a step
static void inform(const fitting *it, place *at, bool step) {
  double A[MOST_FREE][MOST_FREE] = {{0.0}};
  int n = it->n;
  for (int j = 0; j < n; j++) {
    double half = 0.5 * (it->options->free[j].high - it->options->free[j].low);
    at->scale[j] = at->x[j] != 0.0 ? fabs(at->x[j]) : half;
    at->gradient[j] = 0.0;
  }
  for (long k = 0; k < it->m; k++) {
    const double *row = it->slopes + k * n;
    double weight = it->weight[k] / it->sigma[k];
    for (int i = 0; i < n; i++) {
      at->gradient[i] += weight * row[i] * at->scale[i] * it->residual[k];
      for (int j = 0; j <= i; j++)
        A[i][j] += weight * row[i] * row[j] * at->scale[i] * at->scale[j] / it->sigma[k];
    }
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      A[j][i] = A[i][j];
  for (int j = 0; j < n && step; j++)
    for (int i = 0; i < n && held(it, at, j); i++)
      A[i][j] = A[j][i] = 0.0;
  diagonalise(n, A, at->vector);
  for (int k = 0; k < n; k++)
    at->value[k] = A[k][k];
}

static double largest(const fitting *it, const place *at) {
  double most = 0.0;
  for (int k = 0; k < it->n; k++)
    most = fmax(most, at->value[k]);
  return most;
}

// ---- steps

// how far the inputs move, relative to their sizes
static double propose(const fitting *it, const place *at, double damping, double *x) {
  double most = largest(it, at), step[MOST_FREE] = {0.0}, size = 0.0;
  for (int k = 0; k < it->n; k++) {
    double along = 0.0;
    if (!(at->value[k] > NOTHING * most)) continue;
    for (int j = 0; j < it->n; j++)
      along += held(it, at, j) ? 0.0 : at->vector[k][j] * at->gradient[j];
    for (int j = 0; j < it->n; j++)
      step[j] -= at->vector[k][j] * along / (at->value[k] + damping * most);
  }
  for (int j = 0; j < it->n; j++) {
    const carom_fit_range *range = &it->options->free[j];
    x[j] = fmin(fmax(at->x[j] + step[j] * at->scale[j], range->low), range->high);
    size = fmax(size, fabs(x[j] - at->x[j]) / at->scale[j]);
  }
  return size;
}

// from at->x to the nearest least cost; false: none was come to
static bool descend(fitting *it, place *at) {
  double damping = FIRST_DAMPING;
  at->cost = evaluate(it, at->x);
  if (!isfinite(at->cost)) return false;
  inform(it, at, true);
  for (at->iterations = 0; at->iterations < MOST_ITERATIONS; at->iterations++) {
    double x[MOST_FREE], size = propose(it, at, damping, x);
    if (size == 0.0) return true;
    double cost = evaluate(it, x);
    if (cost <= at->cost) {
      memcpy(at->x, x, sizeof x);
      at->cost = cost;
      inform(it, at, true);
      if (size < SMALL_STEP && damping <= 1.0) return true;
      damping *= 0.1;
    } else {
      // steps that rounding alone makes worse are none
      if (isfinite(cost) && size < SMALL_STEP) return true;
      damping *= 4.0;
      if (damping > MOST_DAMPING) return false;
    }
  }
  return false;
}

static void begin_at(const fitting *it, int start, const double *given, place *at) {
  *at = (place){.cost = INFINITY};
  for (int j = 0; j < it->n; j++) {
    const carom_fit_range *range = &it->options->free[j];
    double share = carom_random_uniform(it->options->seed, (uint64_t)start, (uint64_t)j);
    double x = start == 0 ? given[j] : range->low + share * (range->high - range->low);
    at->x[j] = fmin(fmax(x, range->low), range->high);
  }
}

// ---- what is told

static carom_status tell(fitting *it, place *best, carom_fit *made, carom_error *error) {
  int n = it->n, unknown = 0, known = 0;
  carom_fit_view *view = &made->view;
  size_t inputs = (size_t)n, number = sizeof(double);
  double *values = carom_arena_array(made->arena, inputs, number);
  double *errors = carom_arena_array(made->arena, inputs, number);
  double *covariance = carom_arena_array(made->arena, inputs * inputs, number);
  double *unknowns = carom_arena_array(made->arena, inputs * inputs, number);
  if (!values || !errors || !covariance || !unknowns) return carom_fail_memory(error);
  best->cost = evaluate(it, best->x); // arrays are those of the best place again
  inform(it, best, false);
  double most = largest(it, best);
  for (int k = 0; k < n; k++)
    known += best->value[k] > NOTHING * most;
  long freedom = it->m - known;
  double spread = view->scaled ? 2.0 * best->cost / (double)(freedom > 0 ? freedom : 1) : 1.0;
  for (int i = 0; i < n; i++) {
    values[i] = best->x[i];
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        if (best->value[k] > NOTHING * most)
          covariance[i * n + j] += best->scale[i] * best->scale[j] * best->vector[k][i] *
                                   best->vector[k][j] / best->value[k] * spread;
    errors[i] = sqrt(covariance[i * n + i]);
  }
  for (int k = 0; k < n; k++) {
    if (best->value[k] > NOTHING * most) continue;
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
  view->data_count = it->data;
  view->iterations = best->iterations;
  view->fitted = it->fitted;
  view->residuals = it->residual;
  return CAROM_OK;
}

static carom_status search(fitting *it, carom_fit *made, const double *given, carom_error *error) {
  place best = {.cost = INFINITY}, at;
  carom_error first = {0};
  for (int s = 0; s < it->options->starts; s++) {
    begin_at(it, s, given, &at);
    if (!descend(it, &at)) {
      if (s == 0) first = it->trouble;
      continue;
    }
    made->view.converged++;
    double slack = 1e-6 * best.cost + 1e-20;
    if (at.cost < best.cost - slack)
      made->view.best = 1;
    else if (at.cost <= best.cost + slack)
      made->view.best++;
    if (at.cost < best.cost) best = at;
  }
  if (made->view.converged > 0) return tell(it, &best, made, error);
  if (first.status != CAROM_OK) {
    if (error) *error = first;
    return first.status;
  }
  return carom_fail(error, CAROM_ERR_NO_CONVERGENCE,
                    "no start came to a least sum of squares in %d steps", MOST_ITERATIONS);
}

// ---- the beginning

static double error_of(const carom_fit_options *o, const char *name) {
  for (int k = 0; k < o->error_count; k++)
    if (strcmp(o->errors[k].name, name) == 0) return o->errors[k].value;
  return (double)NAN;
}

static carom_status read_files(fitting *it, carom_fit *made, carom_error *error) {
  const carom_fit_options *o = it->options;
  it->files = carom_arena_array(it->arena, (size_t)o->file_count, sizeof *it->files);
  if (!it->files) return carom_fail_memory(error);
  for (int f = 0; f < o->file_count; f++) {
    carom_status status = carom_fit_read(it->arena, o->files[f], &it->files[f], error);
    if (status != CAROM_OK) return status;
    if (it->files[f].times[0] < it->begins)
      return carom_fail(error, CAROM_ERR_INPUT, "%s begins at t = %.15g, the run at %.15g",
                        it->files[f].path, it->files[f].times[0], it->begins);
    it->data += (long)it->files[f].row_count * it->files[f].column_count;
    for (int c = 0; c < it->files[f].column_count; c++)
      made->view.scaled = made->view.scaled || isnan(error_of(o, it->files[f].names[c]));
  }
  it->m = it->data + o->prior_count;
  return CAROM_OK;
}

static carom_status make_room(fitting *it, carom_fit *made, carom_error *error) {
  const carom_fit_options *o = it->options;
  size_t m = (size_t)it->m + 1, number = sizeof(double);
  long failures = carom_arena_failures(it->arena), at = 0;
  it->sigma = carom_arena_array(it->arena, m, number);
  it->fitted = carom_arena_array(it->arena, m, number);
  it->residual = carom_arena_array(it->arena, m, number);
  it->weight = carom_arena_array(it->arena, m, number);
  it->slopes = carom_arena_array(it->arena, m * (size_t)it->n, number);
  double *times = carom_arena_array(it->arena, m, number);
  double *measured = carom_arena_array(it->arena, m, number);
  if (carom_arena_failures(it->arena) != failures) return carom_fail_memory(error);
  for (int f = 0; f < o->file_count; f++) {
    const carom_fit_file *file = &it->files[f];
    for (int r = 0; r < file->row_count; r++)
      for (int c = 0; c < file->column_count; c++, at++) {
        double given = error_of(o, file->names[c]);
        it->sigma[at] = isnan(given) ? 1.0 : given;
        times[at] = file->times[r];
        measured[at] = file->values[r * file->column_count + c];
      }
  }
  for (int p = 0; p < o->prior_count; p++)
    it->sigma[at + p] = o->priors[p].high;
  made->view.times = times;
  made->view.measured = measured;
  return CAROM_OK;
}

static carom_status check(const carom_fit_options *o, carom_error *error) {
  if (o->size != sizeof *o || !o->model)
    return carom_fail(error, CAROM_ERR_ARGUMENT, "start from carom_fit_options_default()");
  if (o->free_count < 1 || o->free_count > MOST_FREE || o->file_count < 1 || o->starts < 1)
    return carom_fail(error, CAROM_ERR_ARGUMENT,
                      "a fit needs data, 1 to %d free inputs and at least one start", MOST_FREE);
  for (int k = 0; k < o->free_count; k++)
    if (!(o->free[k].low < o->free[k].high) || !isfinite(o->free[k].high - o->free[k].low))
      return carom_fail(error, CAROM_ERR_ARGUMENT, "the bounds of '%s' are not low < high",
                        o->free[k].name);
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

static carom_status prepare(fitting *it, double *given, carom_error *error) {
  carom_simulation *simulation;
  it->n = it->options->free_count;
  it->names = carom_arena_array(it->arena, (size_t)it->n, sizeof *it->names);
  it->values = carom_arena_array(it->arena, (size_t)it->n, sizeof *it->values);
  if (!it->names || !it->values) return carom_fail_memory(error);
  carom_status status = carom_simulation_create(it->options->model, &simulation, error);
  if (status != CAROM_OK) return status;
  it->begins = carom_simulation_time(simulation);
  for (int j = 0; j < it->n && status == CAROM_OK; j++) {
    it->names[j] = it->options->free[j].name;
    status = carom_simulation_get(simulation, it->names[j], &given[j], error);
  }
  carom_simulation_destroy(simulation);
  return status;
}

carom_status carom_fit_run(const carom_fit_options *options, carom_fit **result,
                           carom_error *error) {
  *result = NULL;
  carom_status status = check(options, error);
  if (status != CAROM_OK) return status;
  double given[MOST_FREE];
  carom_fit *made = calloc(1, sizeof *made);
  if (!made || !(made->arena = carom_arena_create(NULL))) {
    free(made);
    return carom_fail_memory(error);
  }
  fitting it = {.options = options, .arena = made->arena};
  status = prepare(&it, given, error);
  if (status == CAROM_OK) status = read_files(&it, made, error);
  if (status == CAROM_OK) status = make_room(&it, made, error);
  if (status == CAROM_OK) status = search(&it, made, given, error);
  if (status == CAROM_OK)
    *result = made;
  else
    carom_fit_destroy(made);
  return status;
}
