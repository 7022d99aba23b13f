// SPDX-License-Identifier: MIT
/// Small helpers of the field tests: a simulation from a text or a scenario with settings.
#ifndef CAROM_TESTS_FIELD_MOTION_HELP_H
#define CAROM_TESTS_FIELD_MOTION_HELP_H

#include "check.h"

#include "carom/simulation.h"

typedef struct motion {
  carom_model *model;
  carom_simulation *simulation;
} motion;

static inline motion motion_make(const char *path, const char *text, int count,
                                 const carom_setting *settings) {
  motion it = {NULL, NULL};
  carom_error error = {0};
  carom_status status = text ? carom_model_parse(text, "test", count, settings, &it.model, &error)
                             : carom_model_load(path, count, settings, &it.model, &error);
  if (!status) status = carom_simulation_create(it.model, &it.simulation, &error);
  if (status) print_error("line %d: %s\n", error.line, error.text);
  CHECK(status == CAROM_OK);
  return it;
}

static inline motion motion_text(const char *text) { return motion_make(NULL, text, 0, NULL); }

static inline void motion_end(motion *it) {
  carom_simulation_destroy(it->simulation);
  carom_model_destroy(it->model);
}

static inline double motion_get(motion *it, const char *name) {
  carom_error error = {0};
  double value = NAN;
  if (carom_simulation_get(it->simulation, name, &value, &error)) print_error("%s\n", error.text);
  return value;
}

static inline void motion_set(motion *it, const char *name, double value) {
  carom_error error = {0};
  carom_status status = carom_simulation_set(it->simulation, name, value, &error);
  if (status) print_error("%s\n", error.text);
  CHECK(status == CAROM_OK);
}

static inline void motion_run(motion *it, double until) {
  carom_error error = {0};
  carom_status status = carom_simulation_advance(it->simulation, until, &error);
  if (status < 0) print_error("%s\n", error.text);
  CHECK(status >= 0);
}

static inline carom_certificate motion_certificate(motion *it) {
  carom_certificate c = {0};
  carom_error error = {0};
  CHECK(!carom_simulation_certificate(it->simulation, &c, &error));
  return c;
}

/// d(output)/d(input) by a central difference of order 6; the simulation is left at the start.
static inline double motion_slope(motion *it, const char *input, double at, double step,
                                  const char *output) {
  const double weight[3] = {45.0, -9.0, 1.0};
  double sum = 0.0;
  for (int k = 1; k <= 3; k++) {
    motion_set(it, input, at + k * step);
    double ahead = motion_get(it, output);
    motion_set(it, input, at - k * step);
    sum += weight[k - 1] * (ahead - motion_get(it, output));
  }
  motion_set(it, input, at);
  return sum / (60.0 * step);
}

#endif
