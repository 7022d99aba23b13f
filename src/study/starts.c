// SPDX-License-Identifier: MIT
/// Motions that depend on the start: how many starts of a grid end in a regime.
#include "base/error.h"
#include "carom/sweep.h"
#include "study/study.h"

#include <string.h>

static carom_status count_rows(carom_sweep *sweep, const char *regime, carom_study_result *result,
                               double *count, carom_error *error) {
  *count = 0.0;
  for (long k = 0; k < carom_sweep_count(sweep); k++) {
    carom_sweep_row row;
    carom_status status = carom_sweep_read(sweep, k, &row, error);
    if (status != CAROM_OK) return status;
    if (row.status < 0) return carom_fail(error, row.status, "%s", row.failure);
    result->evaluations++;
    result->passed = result->passed && row.passed;
    if (strcmp(row.regime, regime) == 0) *count += 1.0;
  }
  return CAROM_OK;
}

carom_status carom_recipe_count_starts(const carom_model *model, const carom_recipe *recipe,
                                       const carom_study_pace *pace, carom_study_result *result,
                                       double *count, carom_error *error) {
  carom_axis axes[CAROM_RECIPE_AXES];
  int parsed = 0;
  carom_status status = CAROM_OK;
  for (; status == CAROM_OK && parsed < recipe->axis_count; parsed += status == CAROM_OK)
    status = carom_axis_parse(recipe->axes[parsed], &axes[parsed], error);
  carom_sweep *sweep = NULL;
  if (status == CAROM_OK) {
    carom_sweep_options options = carom_sweep_options_default();
    options.model = model;
    options.axis_count = parsed;
    options.axes = axes;
    options.watcher = (carom_watcher){.ctx = pace->ctx, .stopped = pace->stopped};
    status = carom_sweep_run(&options, &sweep, error);
  }
  if (status == CAROM_OK) status = count_rows(sweep, recipe->name, result, count, error);
  carom_sweep_destroy(sweep);
  for (int k = 0; k < parsed; k++)
    carom_axis_destroy(&axes[k]);
  return status;
}
