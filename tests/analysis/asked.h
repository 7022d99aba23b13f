// SPDX-License-Identifier: MIT
// Sensitivities asked of a motion, for the tests of them.
#ifndef CAROM_TESTS_ASKED_H
#define CAROM_TESTS_ASKED_H

#include "hybrid/motion.h"

#include "carom/sensitivity.h"

/// A run and its inputs and outputs.
typedef struct asked {
  motion m;
  carom_sensitivity *result;
  const carom_sensitivity_view *view;
} asked;

// `kind`: what more is asked than derivatives of `of` by `by`
static inline asked ask_of(motion m, carom_sensitivity_options kind, int by_count,
                           const char *const *by, int of_count, const char *const *of) {
  asked it = {.m = m};
  carom_error error = {0};
  kind.model = m.model;
  kind.by_count = by_count;
  kind.by = by;
  kind.of_count = of_count;
  kind.of = of;
  MUST(carom_sensitivity_run(&kind, &it.result, &error), error);
  it.view = carom_sensitivity_look(it.result);
  return it;
}

static inline void done(asked *it) {
  carom_sensitivity_destroy(it->result);
  motion_end(&it->m);
}

#endif
