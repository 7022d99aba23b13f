// SPDX-License-Identifier: MIT
/// What tests of branches share.
#ifndef CAROM_TESTS_ANALYSIS_BRANCH_HELP_H
#define CAROM_TESTS_ANALYSIS_BRANCH_HELP_H

#include "hybrid/motion.h"

#include "carom/continuation.h"

/// Follows a branch of a loaded scenario, which is ended.
static inline carom_continuation *branches_of(motion m, carom_continuation_options options,
                                              const char *parameter, double from, double to) {
  carom_continuation *result = NULL;
  carom_error error = {0};
  options.model = m.model;
  options.parameter = parameter;
  options.from = from;
  options.to = to;
  MUST(carom_continuation_run(&options, &result, &error), error);
  motion_end(&m);
  return result;
}

/// The n-th point with this label on a branch (-1: on any), which must be there.
static inline const carom_continuation_point *
labelled(const carom_continuation *result, carom_branch_label label, int branch, int n) {
  for (long k = 0; k < carom_continuation_points(result); k++) {
    const carom_continuation_point *p = carom_continuation_point_at(result, k);
    if (p->label == label && (branch < 0 || p->branch == branch) && n-- == 0) return p;
  }
  print_error("no point labelled %s on branch %d\n", carom_branch_label_text(label), branch);
  _fail(__FILE__, __LINE__);
  return NULL;
}

#endif
