// SPDX-License-Identifier: MIT
/// Branches of abs, sign, min, max and if after velocities or forces have jumped.
#include "hybrid/hybrid.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Accelerations are those of the modes in force. By what reads them nothing moves: where they are
// not known the branch stays.
double carom_branch_value(carom_hybrid *it, int k) {
  assert(k >= 0 && k < it->model->watched_count);
  const carom_watch *watch = &it->model->watched[k].function;
  carom_watch_work *work = &it->watching.work[k];
  double *rate = it->instant.rules.rate, value = (double)NAN;
  if (!watch->rough) return carom_watch_at(watch, work, it->now.t, it->y);
  if (carom_hybrid_rhs(it, it->now.t, it->y, rate) == CAROM_OK)
    value = carom_watch_rate_value(watch, work, it->now.t, it->y, rate);
  return !isnan(value) ? value : it->modes[k] < 0.0 ? -1.0 : 1.0;
}

// A branch is taken whose switching function has been carried past zero without a crossing. What
// counts as zero: where the last step could not tell it from zero.
static void follow_branch(carom_hybrid *it, int k) {
  double value = carom_branch_value(it, k);
  if (!(fabs(value) > it->watching.watch[k].tolerance && value * it->modes[k] <= 0.0)) return;
  it->now.certificate.counts.switches++;
  carom_hybrid_take_branch(it, k, value > 0.0 ? 1.0 : -1.0);
}

// Compliant contacts have no impacts, and choose their branches themselves.
static bool may_jump(const carom_hybrid *it, int k) {
  return !carom_hybrid_ignores(it, k) && it->model->watched[k].role == CAROM_ROLE_NONE;
}

// In order: arguments know only the modes before them.
void carom_hybrid_follow_jump(carom_hybrid *it) {
  for (int k = 0; k < it->model->dynamics->modes; k++)
    if (may_jump(it, k) && !it->model->watched[k].function.rough) follow_branch(it, k);
}

// A crossing is located along the step, whose accelerations are those of the equations but for its
// error: where nothing has moved since, it has the last word.
void carom_hybrid_follow_forces(carom_hybrid *it) {
  bool moved =
      memcmp(it->y, it->instant.entered, (size_t)it->model->dynamics->size * sizeof *it->y) != 0;
  for (int k = 0; k < it->model->dynamics->modes; k++)
    if (may_jump(it, k) && it->model->watched[k].function.rough &&
        (moved || !it->watching.watch[k].served))
      follow_branch(it, k);
}

// Forces cannot be made of accelerations: what reads them is looked at only.
bool carom_branch_is_aside(const carom_hybrid *it, int k) {
  return carom_met_beside(it, k) || it->model->watched[k].function.rough;
}

void carom_branch_flip_aside(carom_hybrid *it, const carom_root *root) {
  it->now.certificate.counts.switches++;
  carom_hybrid_take_branch(it, root->function, root->direction == CAROM_RISING ? 1.0 : -1.0);
}
