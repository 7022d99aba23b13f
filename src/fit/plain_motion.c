// SPDX-License-Identifier: MIT
/// Costs without derivatives: one simulation for each file, since what a file sets stays set.
#include "base/platform.h"
#include "base/pool.h"
#include "fit/fitting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// The motions of one thread, without derivatives.
typedef struct plain_motion {
  const carom_fitting *fitting;
  carom_simulation **simulations; // of every file
  double *fitted, *residual, *weight;
  // clicks of the motion that is running
  const carom_fit_file *file;
  double *clicks, offset;
  int found;
} plain_motion;

static int note_click(void *ctx, const carom_event *event) {
  plain_motion *it = ctx;
  bool kind = event->kind == CAROM_EVENT_IMPACT || event->kind == CAROM_EVENT_USER ||
              event->kind == CAROM_EVENT_SECTION;
  if (!kind || !it->file->clicks || strcmp(event->name, it->file->names[0]) != 0) return 0;
  it->clicks[it->found++] = event->t + it->offset;
  return it->found == it->file->row_count;
}

static void destroy_motion(plain_motion *it) {
  if (!it) return;
  for (int f = 0; it->simulations && f < it->fitting->options->file_count; f++)
    carom_simulation_destroy(it->simulations[f]);
  free(it->simulations);
  free(it->fitted);
  free(it->residual);
  free(it->weight);
  free(it);
}

static carom_status create_motion(const carom_fitting *fitting, plain_motion **made,
                                  carom_error *error) {
  size_t m = (size_t)fitting->m + 1, files = (size_t)fitting->options->file_count;
  plain_motion *it = calloc(1, sizeof *it);
  *made = NULL;
  if (!it) return carom_fail_memory(error);
  it->fitting = fitting;
  it->simulations = calloc(files, sizeof(carom_simulation *));
  it->fitted = calloc(m, sizeof(double));
  it->residual = calloc(m, sizeof(double));
  it->weight = calloc(m, sizeof(double));
  carom_status status = CAROM_OK;
  if (!it->simulations || !it->fitted || !it->residual || !it->weight)
    status = carom_fail_memory(error);
  for (size_t f = 0; f < files && status == CAROM_OK; f++) {
    const carom_observer observer = {.ctx = it, .event = note_click};
    status = carom_simulation_create(fitting->model, &it->simulations[f], error);
    if (status == CAROM_OK) carom_simulation_observe(it->simulations[f], &observer);
  }
  if (status == CAROM_OK)
    *made = it;
  else
    destroy_motion(it);
  return status;
}

// one file; false: there is no such motion
static bool move_plain(plain_motion *it, int f, const double *x, double *fitted) {
  const carom_fit_file *file = &it->fitting->files[f];
  carom_simulation *simulation = it->simulations[f];
  carom_value values[CAROM_FIT_INPUTS + CAROM_FIT_SETTINGS];
  int count = carom_fitting_values(it->fitting, f, x, values);
  double last, begins = it->fitting->begins;
  it->file = file;
  it->offset = carom_fitting_offset(it->fitting, f, x);
  it->clicks = fitted;
  it->found = 0;
  if (carom_simulation_set_all(simulation, count, values, NULL) != CAROM_OK) return false;
  last = file->times[file->row_count - 1] - it->offset;
  if (file->clicks) {
    double horizon = last + fmax(last - begins, 0.0);
    if (horizon > begins && it->found < file->row_count)
      (void)carom_simulation_advance(simulation, horizon, NULL);
    return it->found == file->row_count;
  }
  for (int r = 0; r < file->row_count; r++) {
    double t = file->times[r] - it->offset;
    if (t < begins) return false;
    if (t > carom_simulation_time(simulation) &&
        carom_simulation_advance(simulation, t, NULL) != CAROM_OK)
      return false;
    for (int c = 0; c < file->column_count; c++)
      if (carom_simulation_get(simulation, file->names[c], &fitted[r * file->column_count + c],
                               NULL) != CAROM_OK)
        return false;
  }
  return true;
}

static double cost_of_motion(plain_motion *it, const double *x) {
  const carom_fitting *fitting = it->fitting;
  long at = 0;
  for (int j = 0; j < fitting->n; j++)
    if (!(x[j] >= fitting->range[j].low && x[j] <= fitting->range[j].high)) return INFINITY;
  for (int f = 0; f < fitting->options->file_count; f++) {
    if (!move_plain(it, f, x, it->fitted + at)) return INFINITY;
    at += (long)fitting->files[f].row_count * fitting->files[f].column_count;
  }
  return carom_fitting_cost(fitting, x, it->fitted, it->residual, it->weight);
}

// ---- many places by threads

struct carom_many_costs {
  carom_pool *pool;
  int n, threads;
  plain_motion **motions; // of every thread
  const double *x;
  double *costs;
};

void carom_many_costs_end(carom_many_costs *it) {
  if (!it) return;
  carom_pool_end(it->pool);
  for (int k = 0; it->motions && k < it->threads; k++)
    destroy_motion(it->motions[k]);
  free(it->motions);
  free(it);
}

carom_status carom_many_costs_begin(const carom_fitting *fitting, carom_many_costs **made,
                                    carom_error *error) {
  carom_many_costs *it = calloc(1, sizeof *it);
  *made = NULL;
  if (!it) return carom_fail_memory(error);
  it->n = fitting->n;
  it->threads = fitting->options->threads;
  if (it->threads < 1) it->threads = carom_processors();
  it->motions = calloc((size_t)it->threads, sizeof(plain_motion *));
  carom_status status = it->motions ? CAROM_OK : carom_fail_memory(error);
  for (int k = 0; k < it->threads && status == CAROM_OK; k++)
    status = create_motion(fitting, &it->motions[k], error);
  if (status != CAROM_OK) {
    carom_many_costs_end(it);
    return status;
  }
  it->pool = it->threads > 1 ? carom_pool_begin(it->threads - 1) : NULL;
  *made = it;
  return CAROM_OK;
}

static void find_one(void *ctx, int worker, int piece) {
  carom_many_costs *it = ctx;
  it->costs[piece] = cost_of_motion(it->motions[worker], it->x + (size_t)piece * (size_t)it->n);
}

void carom_many_costs_find(carom_many_costs *it, int count, const double *x, double *costs) {
  it->x = x;
  it->costs = costs;
  carom_pool_share(it->pool, count, find_one, it);
}
