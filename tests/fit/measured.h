// SPDX-License-Identifier: MIT
/// Measurements made up for tests: a motion at known values with known noise, as a file.
#ifndef CAROM_TESTS_FIT_MEASURED_H
#define CAROM_TESTS_FIT_MEASURED_H

#include "base/random.h"
#include "carom/fit.h"
#include "hybrid/motion.h"

#include <math.h>
#include <stdio.h>

/// `count` samples of one column, `step` apart from `step` on.
static inline void measure_samples(const motion *m, const char *path, const char *column, int count,
                                   double step, double noise, uint64_t seed) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  (void)fprintf(file, "t,%s\n", column);
  for (int k = 1; k <= count; k++) {
    motion_advance(m, k * step);
    double value = value_of(m, column) + noise * carom_random_normal(seed, 0, (uint64_t)k);
    (void)fprintf(file, "%.17g,%.17g\n", k * step, value);
  }
  (void)fclose(file);
}

/// Times of a ball's first impacts, in closed form: sqrt(2 h/g) (1 + 2 e + ... + 2 e^(n-1)).
static inline void measure_clicks(const char *path, double e, double h, double g, int count,
                                  double noise, uint64_t seed) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  (void)fprintf(file, "floor\n");
  double sum = 1.0, part = 2.0;
  for (int k = 0; k < count; k++) {
    (void)fprintf(file, "%.17g\n",
                  sqrt(2.0 * h / g) * sum + noise * carom_random_normal(seed, 0, (uint64_t)k));
    part *= e;
    sum += part;
  }
  (void)fclose(file);
}

static inline carom_fit *fit_file(const motion *m, const char *path, int count,
                                  const carom_fit_range *free, const carom_value *error_of,
                                  int starts) {
  carom_fit_options options = carom_fit_options_default();
  carom_fit *fit = NULL;
  carom_error error = {0};
  options.model = m->model;
  options.file_count = 1;
  options.files = &path;
  options.free_count = count;
  options.free = free;
  options.error_count = error_of ? 1 : 0;
  options.errors = error_of;
  options.starts = starts;
  MUST(carom_fit_run(&options, &fit, &error), error);
  return fit;
}

#endif
