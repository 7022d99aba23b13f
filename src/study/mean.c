// SPDX-License-Identifier: MIT
/// Numbers that depend on chance: the mean of an observable over several runs, and its error.
#include "study/study.h"

#include <math.h>

typedef struct sums {
  double count, sum, squares;
} sums;

static void add_row(void *ctx, const carom_sweep_row *row) {
  sums *to = ctx;
  to->count += 1.0;
  to->sum += row->values[0];
  to->squares += row->values[0] * row->values[0];
}

carom_status carom_recipe_mean(const carom_model *model, const carom_recipe *recipe,
                               const carom_study_pace *pace, carom_study_result *result,
                               double *mean, carom_error *error) {
  sums total = {0};
  const char *axis = recipe->axes[pace->full];
  carom_status status =
      carom_recipe_visit(model, 1, &axis, recipe->name, pace, result, add_row, &total, error);
  if (status != CAROM_OK) return status;
  *mean = total.sum / total.count;
  double variance = (total.squares - total.sum * *mean) / (total.count - 1.0);
  if (total.count > 1.0) result->spread = sqrt(fmax(variance, 0.0) / total.count);
  return CAROM_OK;
}
