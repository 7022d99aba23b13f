// SPDX-License-Identifier: MIT
/// Basins along a parameter: one sweep over parameter and starts, its runs sorted into attractors
/// value by value. Attractors of two values that are like each other are the same one where their
/// basins have starts in common: those first that have most in common of all they have.
#include "analysis/basin_parts.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LIKE =
    0.5; // observables of one attractor may change by, of their size, in a step

/// One value of the parameter.
typedef struct stage {
  carom_basin *basin;
  carom_basin_measures measures;
  int *name; // of each attractor, the number under which it is followed
} stage;

struct carom_basin_course {
  carom_sweep *sweep;
  int count, names;
  double *values;
  stage *stages;
  carom_tip *tips;
  int tip_count;
};

carom_basin_course_options carom_basin_course_options_default(void) {
  return (carom_basin_course_options){.basin = carom_basin_options_default(),
                                      .size = sizeof(carom_basin_course_options)};
}

// ---- attractors from value to value

/// How many starts lead to attractor a here and to b there, [a][b].
typedef struct overlap {
  const carom_basin *from, *to;
  long *shared;
} overlap;

static carom_status count_shared(overlap *it, carom_error *error) {
  size_t cells = (size_t)(it->from->attractor_count * it->to->attractor_count) + 1;
  it->shared = calloc(cells, sizeof *it->shared);
  if (!it->shared) return carom_fail_memory(error);
  for (long k = 0; k < it->from->count; k++) {
    int a = it->from->kind[k], b = it->to->kind[k];
    if (a >= 0 && b >= 0) it->shared[a * it->to->attractor_count + b]++;
  }
  return CAROM_OK;
}

// where most starts of a lead there, or come to b from; -1: nowhere
static int most_of(const overlap *it, int a, int b) {
  int best = -1, others = b < 0 ? it->to->attractor_count : it->from->attractor_count;
  long most = 0;
  for (int k = 0; k < others; k++) {
    long shared = b < 0 ? it->shared[a * it->to->attractor_count + k]
                        : it->shared[k * it->to->attractor_count + b];
    if (shared > most) {
      most = shared;
      best = k;
    }
  }
  return best;
}

static bool is_like(const overlap *it, int a, int b) {
  const carom_attractor *one = &it->from->attractors[a], *other = &it->to->attractors[b];
  if (strcmp(one->regime, other->regime) != 0) return false;
  for (int k = 0; k < it->from->observables; k++) {
    double x = one->values[k], y = other->values[k];
    double size = fmax(it->from->largest[k], it->to->largest[k]);
    if (isnan(x) != isnan(y) || fabs(x - y) > LIKE * size) return false;
  }
  return true;
}

// what two basins have in common, of all that either has; 0: they are of different attractors
static double in_common(const overlap *it, int a, int b) {
  long shared = it->shared[a * it->to->attractor_count + b];
  long either = it->from->attractors[a].count + it->to->attractors[b].count - shared;
  return shared > 0 && is_like(it, a, b) ? (double)shared / (double)either : 0.0;
}

// The pair that has most in common of those not paired yet; false: none has anything.
static bool next_pair(const overlap *it, const int *before, const bool *taken, int *a, int *b) {
  double most = 0.0;
  for (int i = 0; i < it->from->attractor_count; i++)
    for (int j = 0; j < it->to->attractor_count; j++) {
      if (taken[i] || before[j] >= 0) continue;
      double common = in_common(it, i, j);
      if (!(common > most)) continue;
      most = common;
      *a = i;
      *b = j;
    }
  return most > 0.0;
}

static carom_status add_tip(carom_basin_course *it, carom_tip tip, carom_error *error) {
  carom_tip *grown = realloc(it->tips, (size_t)(it->tip_count + 1) * sizeof *grown);
  if (!grown) return carom_fail_memory(error);
  it->tips = grown;
  it->tips[it->tip_count++] = tip;
  return CAROM_OK;
}

static carom_status name_first(carom_basin_course *it, carom_error *error) {
  for (int k = 0; k < it->count; k++) {
    size_t count = (size_t)it->stages[k].basin->attractor_count + 1;
    it->stages[k].name = calloc(count, sizeof(int));
    if (!it->stages[k].name) return carom_fail_memory(error);
  }
  for (int a = 0; a < it->stages[0].basin->attractor_count; a++)
    it->stages[0].name[a] = it->names++;
  return CAROM_OK;
}

// before[b]: the attractor here that goes on as b there, or -1
static carom_status pair_up(const overlap *it, int *before, bool **taken, carom_error *error) {
  int a = 0, b = 0;
  *taken = calloc((size_t)it->from->attractor_count + 1, sizeof **taken);
  if (!*taken) return carom_fail_memory(error);
  for (int j = 0; j < it->to->attractor_count; j++)
    before[j] = -1;
  while (next_pair(it, before, *taken, &a, &b)) {
    before[b] = a;
    (*taken)[a] = true;
  }
  return CAROM_OK;
}

// names of the attractors of value k + 1; those that end or begin before it
static carom_status pass_on(carom_basin_course *it, int k, carom_error *error) {
  stage *here = &it->stages[k], *next = here + 1;
  overlap o = {.from = here->basin, .to = next->basin};
  carom_tip tip = {.from = it->values[k], .to = it->values[k + 1]};
  bool *taken = NULL;
  carom_status status = count_shared(&o, error);
  if (status == CAROM_OK) status = pair_up(&o, next->name, &taken, error);
  for (int b = 0; b < o.to->attractor_count && status == CAROM_OK; b++) {
    int a = most_of(&o, -1, b), before = next->name[b];
    next->name[b] = before >= 0 ? here->name[before] : it->names++;
    if (before >= 0) continue;
    tip.attractor = next->name[b];
    tip.begins = true;
    tip.other = a >= 0 ? here->name[a] : -1;
    status = add_tip(it, tip, error);
  }
  for (int a = 0; a < o.from->attractor_count && status == CAROM_OK; a++) {
    if (taken[a]) continue;
    int b = most_of(&o, a, -1);
    tip.attractor = here->name[a];
    tip.begins = false;
    tip.other = b >= 0 ? next->name[b] : -1;
    status = add_tip(it, tip, error);
  }
  free(taken);
  free(o.shared);
  return status;
}

// ---- the whole

static carom_status sort_all(carom_basin_course *it, const carom_basin_course_options *o,
                             carom_error *error) {
  const carom_sweep_options *starts = &o->basin.sweep;
  long each = carom_sweep_count(it->sweep) / it->count;
  const carom_axis *second = starts->axis_count == 2 ? &starts->axes[1] : NULL;
  for (int k = 0; k < it->count; k++) {
    stage *at = &it->stages[k];
    carom_status status = carom_basin_of_part(it->sweep, k * each, each, &starts->axes[0], second,
                                              o->basin.same, &at->basin, error);
    if (status == CAROM_OK) status = carom_basin_measure(at->basin, &at->measures, error);
    if (status != CAROM_OK) return status;
  }
  carom_status status = name_first(it, error);
  for (int k = 0; k + 1 < it->count && status == CAROM_OK; k++)
    status = pass_on(it, k, error);
  return status;
}

static carom_status run_all(carom_basin_course *it, const carom_basin_course_options *o,
                            carom_error *error) {
  carom_sweep_options sweep = o->basin.sweep;
  carom_axis *axes = calloc((size_t)sweep.axis_count + 1, sizeof *axes);
  it->values = calloc((size_t)it->count + 1, sizeof *it->values);
  it->stages = calloc((size_t)it->count + 1, sizeof *it->stages);
  if (!axes || !it->values || !it->stages) {
    free(axes);
    return carom_fail_memory(error);
  }
  memcpy(it->values, o->along.values, (size_t)it->count * sizeof *it->values);
  axes[0] = o->along;
  memcpy(axes + 1, sweep.axes, (size_t)sweep.axis_count * sizeof *axes);
  sweep.axes = axes;
  sweep.axis_count++;
  carom_status status = carom_sweep_run(&sweep, &it->sweep, error);
  free(axes);
  return status;
}

carom_status carom_basin_course_run(const carom_basin_course_options *options,
                                    carom_basin_course **course, carom_error *error) {
  *course = NULL;
  carom_status status =
      carom_check_options(options->size, sizeof *options, "carom_basin_course_options", error);
  if (status != CAROM_OK) return status;
  const carom_basin_options *o = &options->basin;
  if (options->along.count < 2 || o->refine > 0 || o->sweep.random > 0 || o->sweep.parts > 1 ||
      o->sweep.point_count > 0 || o->sweep.ranks)
    return carom_fail(error, CAROM_ERR_ARGUMENT,
                      "basins along a parameter need two values or more, and a grid of starts that "
                      "is neither refined nor random nor in parts");
  carom_basin_course *it = calloc(1, sizeof *it);
  if (!it) return carom_fail_memory(error);
  it->count = options->along.count;
  status = run_all(it, options, error);
  if (status == CAROM_OK) status = sort_all(it, options, error);
  if (status == CAROM_OK)
    *course = it;
  else
    carom_basin_course_destroy(it);
  return status;
}

void carom_basin_course_destroy(carom_basin_course *it) {
  if (!it) return;
  for (int k = 0; k < it->count && it->stages; k++) {
    carom_basin_destroy(it->stages[k].basin);
    free(it->stages[k].name);
  }
  carom_sweep_destroy(it->sweep);
  free(it->stages);
  free(it->values);
  free(it->tips);
  free(it);
}

int carom_basin_course_count(const carom_basin_course *it) { return it->count; }
int carom_basin_course_names(const carom_basin_course *it) { return it->names; }
int carom_basin_course_tips(const carom_basin_course *it) { return it->tip_count; }
carom_sweep *carom_basin_course_sweep(const carom_basin_course *it) { return it->sweep; }

double carom_basin_course_value(const carom_basin_course *it, int k) {
  return k >= 0 && k < it->count ? it->values[k] : NAN;
}

const carom_basin *carom_basin_course_basin(const carom_basin_course *it, int k) {
  return k >= 0 && k < it->count ? it->stages[k].basin : NULL;
}

int carom_basin_course_name(const carom_basin_course *it, int k, int attractor) {
  bool known =
      k >= 0 && k < it->count && attractor >= 0 && attractor < it->stages[k].basin->attractor_count;
  return known ? it->stages[k].name[attractor] : -1;
}

carom_basin_measures carom_basin_course_measures(const carom_basin_course *it, int k) {
  const carom_basin_measures unknown = {NAN, NAN, NAN, NAN};
  return k >= 0 && k < it->count ? it->stages[k].measures : unknown;
}

const carom_tip *carom_basin_course_tip(const carom_basin_course *it, int k) {
  return k >= 0 && k < it->tip_count ? &it->tips[k] : NULL;
}
