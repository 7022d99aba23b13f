// SPDX-License-Identifier: MIT
/// What tests of many runs share: models of scenarios, axes.
#ifndef CAROM_TESTS_ANALYSIS_AXIS_HELP_H
#define CAROM_TESTS_ANALYSIS_AXIS_HELP_H

#include "check.h"

#include "carom/sweep.h"

/// The model of a scenario of the folder scenarios/, with settings.
static inline carom_model *load(const char *name, int count, const carom_setting *settings) {
  char path[400];
  (void)snprintf(path, sizeof path, "%s/scenarios/%s.yaml", CAROM_SOURCE_DIR, name);
  carom_model *model = NULL;
  carom_error error = {0};
  if (carom_model_load(path, count, settings, &model, &error) != CAROM_OK)
    print_error("%s\n", error.text);
  assert_non_null(model);
  return model;
}

static inline carom_axis axis_of(const char *text) {
  carom_axis axis;
  assert_int_equal(carom_axis_parse(text, &axis, NULL), CAROM_OK);
  return axis;
}

#endif
