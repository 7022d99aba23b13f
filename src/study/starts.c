// SPDX-License-Identifier: MIT
/// Motions that depend on the start: how many starts of a grid end in a regime.
#include "base/error.h"
#include "carom/sweep.h"
#include "study/study.h"

#include <assert.h>
#include <string.h>

/// Counts the starts that end in a regime.
typedef struct counting {
  const char *regime;
  double count;
} counting;

static void count_row(void *ctx, const carom_sweep_row *row) {
  counting *it = ctx;
  if (strcmp(row->regime, it->regime) == 0) it->count += 1.0;
}

static carom_status visit_rows(carom_sweep *sweep, carom_study_result *result,
                               void (*visit)(void *ctx, const carom_sweep_row *row), void *ctx,
                               carom_error *error) {
  for (long k = 0; k < carom_sweep_count(sweep); k++) {
    carom_sweep_row row;
    carom_status status = carom_sweep_read(sweep, k, &row, error);
    if (status != CAROM_OK) return status;
    if (row.status < 0) return carom_fail(error, row.status, "%s", row.failure);
    result->evaluations++;
    result->passed = result->passed && row.passed;
    visit(ctx, &row);
  }
  return CAROM_OK;
}

carom_status carom_recipe_visit(const carom_model *model, int axis_count, const char *const *texts,
                                const char *observable, const carom_study_pace *pace,
                                carom_study_result *result,
                                void (*visit)(void *ctx, const carom_sweep_row *row), void *ctx,
                                carom_error *error) {
  carom_axis axes[CAROM_RECIPE_AXES];
  int parsed = 0;
  carom_status status = CAROM_OK;
  assert(axis_count <= CAROM_RECIPE_AXES);
  for (; status == CAROM_OK && parsed < axis_count; parsed += status == CAROM_OK)
    status = carom_axis_parse(texts[parsed], &axes[parsed], error);
  carom_sweep *sweep = NULL;
  if (status == CAROM_OK) {
    carom_sweep_options options = carom_sweep_options_default();
    options.model = model;
    options.axis_count = parsed;
    options.axes = axes;
    options.observable_count = observable ? 1 : 0;
    options.observables = &observable;
    options.watcher = (carom_watcher){.ctx = pace->ctx, .stopped = pace->stopped};
    status = carom_sweep_run(&options, &sweep, error);
  }
  if (status == CAROM_OK) status = visit_rows(sweep, result, visit, ctx, error);
  carom_sweep_destroy(sweep);
  for (int k = 0; k < parsed; k++)
    carom_axis_destroy(&axes[k]);
  return status;
}

carom_status carom_recipe_count_starts(const carom_model *model, const carom_recipe *recipe,
                                       const carom_study_pace *pace, carom_study_result *result,
                                       double *count, carom_error *error) {
  counting it = {.regime = recipe->name};
  carom_status status = carom_recipe_visit(model, recipe->axis_count, recipe->axes, NULL, pace,
                                           result, count_row, &it, error);
  *count = it.count;
  return status;
}
