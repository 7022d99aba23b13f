// SPDX-License-Identifier: MIT
/// Branches of abs, sign, min, max and if after velocities have jumped.
#include "hybrid/hybrid.h"

#include <assert.h>
#include <math.h>

// what counts as zero of a switching function: where the last step could not tell it from zero
static bool wrong_side(carom_hybrid *it, int k) {
  assert(k >= 0 && k < it->model->watched_count);
  double value =
      carom_watch_at(&it->model->watched[k].function, &it->watching.work[k], it->now.t, it->y);
  return fabs(value) > it->watching.watch[k].tolerance && value * it->modes[k] <= 0.0;
}

// An impact carries switching functions past zero without a crossing. In order: arguments know only
// the modes before them. Compliant contacts have no impacts, and choose theirs themselves.
void carom_hybrid_follow_jump(carom_hybrid *it) {
  for (int k = 0; k < it->model->dynamics->modes; k++) {
    if (carom_hybrid_ignores(it, k) || it->model->watched[k].role != CAROM_ROLE_NONE ||
        !wrong_side(it, k))
      continue;
    double value =
        carom_watch_at(&it->model->watched[k].function, &it->watching.work[k], it->now.t, it->y);
    it->now.certificate.counts.switches++;
    carom_hybrid_take_branch(it, k, value > 0.0 ? 1.0 : -1.0);
  }
}
