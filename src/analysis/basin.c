// SPDX-License-Identifier: MIT
/// Basins: a sweep over starts, its motions sorted into attractors, boundaries looked at again on
/// grids that are twice as fine.
#include "analysis/basin_parts.h"

#include "base/error.h"
#include "base/platform.h"
#include "base/text.h"
#include "carom/mirror.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LEVELS = 10, MOST_ATTRACTORS = 4096, MOST_AXES = 64 };
static const double NORMAL_95 = 1.959963984540054; // quantile 0.975 of the normal distribution

carom_basin_options carom_basin_options_default(void) {
  return (carom_basin_options){
      .sweep = carom_sweep_options_default(), .same = 0.01, .size = sizeof(carom_basin_options)};
}

// ---- attractors ----

// A value that is zero but for rounding has no size of its own: what is less than a millionth of
// the largest is compared on that scale.
static bool same_values(const carom_basin *it, const double *a, const double *b, double same) {
  for (int k = 0; k < it->observables; k++) {
    if (isnan(a[k]) && isnan(b[k])) continue;
    double size = fmax(fmax(fabs(a[k]), fabs(b[k])), 1e-6 * it->largest[k]);
    if (!(fabs(a[k] - b[k]) <= same * size)) return false;
  }
  return true;
}

static carom_status find_largest(carom_basin *it, carom_error *error) {
  it->largest = calloc((size_t)it->observables + 1, sizeof *it->largest);
  if (!it->largest) return carom_fail_memory(error);
  for (long k = 0; k < it->count; k++) {
    carom_sweep_row row;
    carom_status status = carom_sweep_read(it->sweep, it->first + k, &row, error);
    if (status != CAROM_OK) return status;
    for (int j = 0; row.present && j < it->observables; j++)
      if (isfinite(row.values[j])) it->largest[j] = fmax(it->largest[j], fabs(row.values[j]));
  }
  return CAROM_OK;
}

static carom_status add_attractor(carom_basin *it, const carom_sweep_row *row, int *number,
                                  carom_error *error) {
  if (it->attractor_count == MOST_ATTRACTORS)
    return carom_fail(error, CAROM_ERR_LIMIT,
                      "more than %d attractors: observe less, or allow larger differences",
                      MOST_ATTRACTORS);
  size_t size = (size_t)(it->attractor_count + 1) * sizeof *it->attractors;
  carom_attractor *grown = realloc(it->attractors, size);
  if (!grown) return carom_fail_memory(error);
  it->attractors = grown;
  carom_attractor *fresh = &it->attractors[it->attractor_count];
  int axes = carom_sweep_axes(it->sweep);
  double *values = calloc((size_t)(it->observables + 1), sizeof *values);
  double *at = calloc((size_t)axes + 1, sizeof *at);
  *fresh = (carom_attractor){.word = carom_text_copy(row->word),
                             .regime = carom_text_copy(row->regime),
                             .values = values,
                             .at = at,
                             .mirror = -1};
  *number = it->attractor_count++;
  if (!fresh->word || !fresh->regime || !values || !at) return carom_fail_memory(error);
  memcpy(values, row->values, (size_t)it->observables * sizeof *values);
  memcpy(at, row->at, (size_t)axes * sizeof *at);
  return CAROM_OK;
}

static bool row_failed(const carom_sweep_row *row) { return !row->present || row->status < 0; }

// the attractor that a run is like; -1: none
static int find_attractor(const carom_basin *it, const carom_sweep_row *row, double same) {
  for (int k = 0; k < it->attractor_count && !row_failed(row); k++) {
    const carom_attractor *known = &it->attractors[k];
    if (strcmp(known->word, row->word) == 0 && strcmp(known->regime, row->regime) == 0 &&
        same_values(it, known->values, row->values, same))
      return k;
  }
  return -1;
}

// the attractor a run led to; a new one where it is like none before
static carom_status sort_run(carom_basin *it, const carom_sweep_row *row, double same, int *number,
                             carom_error *error) {
  *number = find_attractor(it, row, same);
  if (*number >= 0 || row_failed(row)) return CAROM_OK;
  return add_attractor(it, row, number, error);
}

// ---- the first grid ----

static carom_status first_grid(carom_basin *it, double same, carom_error *error) {
  it->runs = it->count;
  it->observables = carom_sweep_observables(it->sweep);
  it->kind = calloc((size_t)it->count + 1, sizeof *it->kind);
  it->ran = calloc((size_t)it->count + 1, sizeof *it->ran);
  if (!it->kind || !it->ran) return carom_fail_memory(error);
  carom_status status = find_largest(it, error);
  for (long k = 0; k < it->count && status == CAROM_OK; k++) {
    carom_sweep_row row;
    status = carom_sweep_read(it->sweep, it->first + k, &row, error);
    if (status == CAROM_OK) status = sort_run(it, &row, same, &it->kind[k], error);
    it->ran[k] = true;
  }
  return status;
}

static carom_status take_axes(carom_basin *it, const carom_axis *a, const carom_axis *b,
                              carom_error *error) {
  it->columns = a->count;
  it->rows = b->count;
  for (int k = 0; k < 2; k++) {
    const carom_axis *axis = k == 0 ? a : b;
    size_t size = (size_t)axis->count * sizeof(double);
    it->axis[k] = malloc(size);
    if (!it->axis[k]) return carom_fail_memory(error);
    memcpy(it->axis[k], axis->values, size);
  }
  return CAROM_OK;
}

// ---- finer grids ----

/// A grid twice as fine, half filled.
typedef struct finer {
  int columns, rows;
  double *axis[2];
  int *kind;
  bool *ran;
  long *wanted; // points to run
  double *points;
  long wanted_count;
} finer;

static void finer_free(finer *it) {
  free(it->axis[0]);
  free(it->axis[1]);
  free(it->kind);
  free(it->ran);
  free(it->wanted);
  free(it->points);
}

static bool finer_room(finer *it, const carom_basin *old) {
  it->columns = 2 * old->columns - 1;
  it->rows = 2 * old->rows - 1;
  size_t count = (size_t)it->columns * (size_t)it->rows;
  it->axis[0] = calloc((size_t)it->columns, sizeof(double));
  it->axis[1] = calloc((size_t)it->rows, sizeof(double));
  it->kind = calloc(count, sizeof *it->kind);
  it->ran = calloc(count, sizeof *it->ran);
  it->wanted = calloc(count, sizeof *it->wanted);
  it->points = calloc(2 * count, sizeof *it->points);
  return it->axis[0] && it->axis[1] && it->kind && it->ran && it->wanted && it->points;
}

static void halve_spacing(const double *old, int count, double *fine) {
  assert(count > 0);
  for (int k = 0; k < count; k++)
    fine[2 * k] = old[k];
  for (int k = 0; k + 1 < count; k++)
    fine[2 * k + 1] = 0.5 * (old[k] + old[k + 1]);
}

// the coarse points around fine point (i, j) agree on an attractor: the point lies inside its
// region
static bool lies_inside_region(const carom_basin *old, int i, int j, int *kind) {
  assert(i >= 0 && j >= 0 && i <= 2 * (old->columns - 1) && j <= 2 * (old->rows - 1));
  int i0 = i / 2, j0 = j / 2, i1 = (i + 1) / 2, j1 = (j + 1) / 2;
  // one ring further, so that thin tongues are not stepped over
  i0 = i0 > 0 ? i0 - 1 : 0;
  j0 = j0 > 0 ? j0 - 1 : 0;
  i1 = i1 < old->columns - 1 ? i1 + 1 : old->columns - 1;
  j1 = j1 < old->rows - 1 ? j1 + 1 : old->rows - 1;
  *kind = old->kind[(long)i0 * old->rows + j0];
  for (int a = i0; a <= i1; a++)
    for (int b = j0; b <= j1; b++)
      if (old->kind[(long)a * old->rows + b] != *kind) return false;
  return true;
}

static void fill_finer(finer *it, const carom_basin *old) {
  halve_spacing(old->axis[0], old->columns, it->axis[0]);
  halve_spacing(old->axis[1], old->rows, it->axis[1]);
  for (int i = 0; i < it->columns; i++)
    for (int j = 0; j < it->rows; j++) {
      long at = (long)i * it->rows + j, from = (long)(i / 2) * old->rows + j / 2;
      if (i % 2 == 0 && j % 2 == 0) {
        it->kind[at] = old->kind[from];
        it->ran[at] = old->ran[from];
      } else if (!lies_inside_region(old, i, j, &it->kind[at])) {
        it->points[2 * it->wanted_count] = it->axis[0][i];
        it->points[2 * it->wanted_count + 1] = it->axis[1][j];
        it->wanted[it->wanted_count++] = at;
      }
    }
}

// Every level has a journal of its own, FILE.level-K: a basin that was stopped in one goes on
// there.
static char *level_journal(const char *journal, int level) {
  size_t room = journal ? strlen(journal) + 32 : 0;
  char *name = journal ? malloc(room) : NULL;
  if (name) (void)snprintf(name, room, "%s.level-%d", journal, level);
  return name;
}

static void forget_levels(const carom_basin_options *o) {
  for (int level = 1; level <= o->refine; level++) {
    char *name = level_journal(o->sweep.journal, level);
    if (name) (void)carom_path_remove(name);
    free(name);
  }
}

static carom_status run_finer(carom_basin *basin, finer *it, const carom_basin_options *o,
                              int level, carom_error *error) {
  if (it->wanted_count == 0) return CAROM_OK;
  carom_sweep_options options = o->sweep;
  carom_sweep *sweep = NULL;
  char *journal = level_journal(o->sweep.journal, level);
  if (o->sweep.journal && !journal) return carom_fail_memory(error);
  options.points = it->points;
  options.point_count = it->wanted_count;
  options.journal = journal;
  carom_status status = carom_sweep_run_among(basin->ranks, true, &options, &sweep, error);
  free(journal);
  for (long k = 0; k < it->wanted_count && status == CAROM_OK; k++) {
    carom_sweep_row row;
    status = carom_sweep_read(sweep, k, &row, error);
    if (status == CAROM_OK)
      status = sort_run(basin, &row, o->same, &it->kind[it->wanted[k]], error);
    it->ran[it->wanted[k]] = true;
  }
  carom_sweep_destroy(sweep);
  return status;
}

static carom_status refine_basin(carom_basin *basin, const carom_basin_options *o, int level,
                                 carom_error *error) {
  finer it = {0};
  carom_status status = finer_room(&it, basin) ? CAROM_OK : carom_fail_memory(error);
  if (status == CAROM_OK) {
    fill_finer(&it, basin);
    status = run_finer(basin, &it, o, level, error);
  }
  if (status == CAROM_OK) {
    // the finer grid takes the place of the old one, which goes with the rest
    finer old = {.kind = basin->kind, .ran = basin->ran};
    for (int k = 0; k < 2; k++) {
      old.axis[k] = basin->axis[k];
      basin->axis[k] = it.axis[k];
      it.axis[k] = old.axis[k];
    }
    basin->kind = it.kind;
    basin->ran = it.ran;
    it.kind = old.kind;
    it.ran = old.ran;
    basin->columns = it.columns;
    basin->rows = it.rows;
    basin->count = (long)it.columns * it.rows;
    basin->runs += it.wanted_count;
  }
  finer_free(&it);
  return status;
}

// ---- mirror images ----

/// Runs from the mirror image of the start that met each attractor, as a sweep of its own: over the
/// old axes that are parameters and over every component of the start.
typedef struct reflection {
  carom_simulation *simulation;
  carom_axis axes[MOST_AXES];
  int kept[MOST_AXES]; // old axes that are no components
  int kept_count, axis_count, size;
  double none;    // the one value of every axis: points are listed
  double *points; // one per attractor that has an image
  int *of;        // which
  long count;
} reflection;

static bool is_component(const reflection *it, const char *name) {
  for (int i = 0; i < it->size; i++)
    if (strcmp(carom_simulation_column(it->simulation, i), name) == 0) return true;
  return false;
}

static void list_axes(reflection *it, const carom_sweep_options *o) {
  const carom_axis listed = {.count = 1, .values = &it->none};
  (void)carom_simulation_state(it->simulation, &it->size);
  if (o->axis_count + it->size > MOST_AXES) it->size = 0;
  for (int k = 0; k < o->axis_count && it->size > 0; k++) {
    if (is_component(it, o->axes[k].name)) continue;
    it->kept[it->kept_count++] = k;
    it->axes[it->axis_count] = listed;
    it->axes[it->axis_count++].name = o->axes[k].name;
  }
  for (int i = 0; i < it->size; i++) {
    it->axes[it->axis_count] = listed;
    it->axes[it->axis_count++].name = (char *)carom_simulation_column(it->simulation, i);
  }
}

// the image of the start that met the attractor, if the system is the same in a mirror there
static carom_status reflect_start(reflection *it, const carom_sweep_options *o, int number,
                                  const double *at, carom_error *error) {
  carom_mirrors *mirrors = NULL;
  int which = 0, size;
  carom_value values[MOST_AXES];
  for (int k = 0; k < o->axis_count; k++)
    values[k] = (carom_value){o->axes[k].name, at[k]};
  if (carom_simulation_set_all(it->simulation, o->axis_count, values, NULL) < 0) return CAROM_OK;
  carom_status status = carom_mirrors_find(it->simulation, &mirrors, error);
  if (status != CAROM_OK) return status;
  const carom_mirror *mirror = carom_mirrors_at(mirrors, 0);
  while (mirror && mirror->later)
    mirror = carom_mirrors_at(mirrors, ++which);
  if (mirror) {
    const double *y = carom_simulation_state(it->simulation, &size);
    assert(it->kept_count + it->size == it->axis_count);
    double *point = it->points + it->count * it->axis_count;
    for (int k = 0; k < it->kept_count; k++)
      *point++ = at[it->kept[k]];
    for (int i = 0; i < it->size; i++)
      *point++ = mirror->sign[i] * y[mirror->from[i]];
    it->of[it->count++] = number;
  }
  carom_mirrors_destroy(mirrors);
  return CAROM_OK;
}

static carom_status run_images(carom_basin *basin, const reflection *it,
                               const carom_basin_options *o, carom_error *error) {
  carom_sweep_options options = o->sweep;
  carom_sweep *sweep = NULL;
  options.axes = it->axes;
  options.axis_count = it->axis_count;
  options.points = it->points;
  options.point_count = it->count;
  options.random = 0;
  options.ranks = false; // every process has all attractors, and they are few
  options.journal = NULL;
  options.resume = false;
  options.card = NULL;
  carom_status status = carom_sweep_run(&options, &sweep, error);
  for (long k = 0; k < it->count && status == CAROM_OK; k++) {
    carom_sweep_row row;
    status = carom_sweep_read(sweep, k, &row, error);
    if (status == CAROM_OK)
      basin->attractors[it->of[k]].mirror = find_attractor(basin, &row, o->same);
  }
  carom_sweep_destroy(sweep);
  return status;
}

static carom_status find_images(carom_basin *basin, const carom_basin_options *o,
                                carom_error *error) {
  reflection it = {0};
  carom_status status = carom_simulation_create(o->sweep.model, &it.simulation, error);
  if (status != CAROM_OK) return status;
  list_axes(&it, &o->sweep);
  size_t count = (size_t)basin->attractor_count + 1;
  it.points = calloc(count * (size_t)(it.axis_count + 1), sizeof *it.points);
  it.of = calloc(count, sizeof *it.of);
  if (!it.points || !it.of) status = carom_fail_memory(error);
  for (int k = 0; k < basin->attractor_count && it.size > 0 && status == CAROM_OK; k++)
    status = reflect_start(&it, &o->sweep, k, basin->attractors[k].at, error);
  if (status == CAROM_OK && it.count > 0) status = run_images(basin, &it, o, error);
  carom_simulation_destroy(it.simulation);
  free(it.points);
  free(it.of);
  return status;
}

// ---- shares ----

// share p of n: (p + z^2/2n -+ z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n)   (Wilson 1927)
static void set_share(carom_attractor *attractor, long n) {
  double p = (double)attractor->count / (double)n, z = NORMAL_95, scale = 1.0 + z * z / (double)n;
  double middle = p + z * z / (2.0 * (double)n);
  double half = z * sqrt(p * (1.0 - p) / (double)n + z * z / (4.0 * (double)n * (double)n));
  attractor->fraction = p;
  attractor->low = fmax(0.0, (middle - half) / scale);
  attractor->high = fmin(1.0, (middle + half) / scale);
}

static void count_shares(carom_basin *it) {
  for (long k = 0; k < it->count; k++)
    if (it->kind[k] >= 0) it->attractors[it->kind[k]].count++;
  for (int k = 0; k < it->attractor_count; k++)
    set_share(&it->attractors[k], it->count);
}

carom_status carom_basin_run(const carom_basin_options *options, carom_basin **basin,
                             carom_error *error) {
  *basin = NULL;
  carom_status status =
      carom_check_options(options->size, sizeof *options, "carom_basin_options", error);
  if (status != CAROM_OK) return status;
  if (!(options->same >= 0.0) || options->refine < 0 || options->refine > MOST_LEVELS ||
      options->sweep.parts > 1)
    return carom_fail(
        error, CAROM_ERR_ARGUMENT,
        "a basin has a width of what is the same and one part, and is halved 0 to %d times",
        MOST_LEVELS);
  carom_basin *made = calloc(1, sizeof *made);
  if (!made) return carom_fail_memory(error);
  status = options->sweep.ranks ? carom_ranks_join(&made->ranks, error) : CAROM_OK;
  // attractors are sorted by every process alike, from all runs
  if (status == CAROM_OK)
    status = carom_sweep_run_among(made->ranks, true, &options->sweep, &made->sweep, error);
  const carom_sweep_options *o = &options->sweep;
  bool grid = o->axis_count == 2 && o->random <= 0 && o->point_count <= 0;
  if (status == CAROM_OK && grid) status = take_axes(made, &o->axes[0], &o->axes[1], error);
  if (status == CAROM_OK) made->count = carom_sweep_count(made->sweep);
  if (status == CAROM_OK) status = first_grid(made, options->same, error);
  if (status == CAROM_OK && options->refine > 0 && made->columns == 0)
    status = carom_fail(error, CAROM_ERR_INPUT, "only a grid of two axes can be refined");
  for (int level = 1; level <= options->refine && status == CAROM_OK; level++)
    status = refine_basin(made, options, level, error);
  carom_ranks_leave(made->ranks);
  made->ranks = NULL;
  if (status == CAROM_OK) status = find_images(made, options, error);
  if (status != CAROM_OK) {
    carom_basin_destroy(made);
    return status;
  }
  forget_levels(options);
  count_shares(made);
  *basin = made;
  return CAROM_OK;
}

carom_status carom_basin_of_part(carom_sweep *sweep, long first, long count, const carom_axis *a,
                                 const carom_axis *b, double same, carom_basin **made,
                                 carom_error *error) {
  carom_basin *it = *made = calloc(1, sizeof *it);
  if (!it) return carom_fail_memory(error);
  it->sweep = sweep;
  it->borrowed = true;
  it->first = first;
  it->count = count;
  carom_status status = b ? take_axes(it, a, b, error) : CAROM_OK;
  if (status == CAROM_OK) status = first_grid(it, same, error);
  if (status == CAROM_OK) count_shares(it);
  return status;
}

void carom_basin_destroy(carom_basin *basin) {
  if (!basin) return;
  if (!basin->borrowed) carom_sweep_destroy(basin->sweep);
  for (int k = 0; k < basin->attractor_count; k++) {
    free((void *)basin->attractors[k].word);
    free((void *)basin->attractors[k].regime);
    free((void *)basin->attractors[k].values);
    free((void *)basin->attractors[k].at);
  }
  free(basin->attractors);
  free(basin->largest);
  free(basin->axis[0]);
  free(basin->axis[1]);
  free(basin->kind);
  free(basin->ran);
  free(basin);
}

int carom_basin_attractors(const carom_basin *basin) { return basin->attractor_count; }
long carom_basin_count(const carom_basin *basin) { return basin->count; }
long carom_basin_runs(const carom_basin *basin) { return basin->runs; }
int carom_basin_columns(const carom_basin *basin) { return basin->columns; }
int carom_basin_rows(const carom_basin *basin) { return basin->rows; }
carom_sweep *carom_basin_sweep(const carom_basin *basin) { return basin->sweep; }

const carom_attractor *carom_basin_attractor(const carom_basin *basin, int k) {
  return k >= 0 && k < basin->attractor_count ? &basin->attractors[k] : NULL;
}

const double *carom_basin_axis(const carom_basin *basin, int k) {
  return k == 0 || k == 1 ? basin->axis[k] : NULL;
}

int carom_basin_at(const carom_basin *basin, long index) {
  return index >= 0 && index < basin->count ? basin->kind[index] : -1;
}

bool carom_basin_was_run(const carom_basin *basin, long index) {
  return index >= 0 && index < basin->count && basin->ran[index];
}
