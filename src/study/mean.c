// SPDX-License-Identifier: MIT
/// Numbers that depend on chance: the mean of an observable over several runs, and its error.
#include "base/error.h"
#include "carom/sweep.h"
#include "study/study.h"

#include <math.h>

typedef struct sums {
  double count, sum, squares;
} sums;

static carom_status add_rows(carom_sweep *sweep, carom_study_result *result, sums *to,
                             carom_error *error) {
  for (long k = 0; k < carom_sweep_count(sweep); k++) {
    carom_sweep_row row;
    carom_status status = carom_sweep_read(sweep, k, &row, error);
    if (status != CAROM_OK) return status;
    if (row.status < 0) return carom_fail(error, row.status, "%s", row.failure);
    result->evaluations++;
    result->passed = result->passed && row.passed;
    to->count += 1.0;
    to->sum += row.values[0];
    to->squares += row.values[0] * row.values[0];
  }
  return CAROM_OK;
}

carom_status carom_recipe_mean(const carom_model *model, const carom_recipe *recipe,
                               const carom_study_pace *pace, carom_study_result *result,
                               double *mean, carom_error *error) {
  carom_axis axis;
  carom_sweep *sweep = NULL;
  sums total = {0};
  carom_status status = carom_axis_parse(recipe->axes[pace->full], &axis, error);
  if (status != CAROM_OK) return status;
  carom_sweep_options options = carom_sweep_options_default();
  options.model = model;
  options.axis_count = 1;
  options.axes = &axis;
  options.observable_count = 1;
  options.observables = &recipe->name;
  options.watcher = (carom_watcher){.ctx = pace->ctx, .stopped = pace->stopped};
  status = carom_sweep_run(&options, &sweep, error);
  if (status == CAROM_OK) status = add_rows(sweep, result, &total, error);
  carom_sweep_destroy(sweep);
  carom_axis_destroy(&axis);
  if (status != CAROM_OK) return status;
  *mean = total.sum / total.count;
  double variance = (total.squares - total.sum * *mean) / (total.count - 1.0);
  if (total.count > 1.0) result->spread = sqrt(fmax(variance, 0.0) / total.count);
  return CAROM_OK;
}
