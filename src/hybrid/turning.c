// SPDX-License-Identifier: MIT
/// Functions that a branch turns back at zero, as abs(x) does: they touch it, and nothing is
/// crossed.
#include "hybrid/hybrid.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static carom_root *root_of(int count, carom_root *roots, int function) {
  for (int k = 0; k < count; k++)
    if (roots[k].function == function) return &roots[k];
  return NULL;
}

// value and slope of function k in the present branches
static carom_bend bend_of(carom_hybrid *it, int k) {
  assert(k >= 0 && k < it->model->watched_count);
  carom_bend b;
  carom_watch_both(&it->model->watched[k].function, &it->watching.work[k], it->now.t, it->y,
                   it->instant.rules.rate, &b.value, &b.slope);
  return b;
}

// does the function of a root go back the way it came, now that branches have changed?
static bool turns_back(const carom_hybrid *it, const carom_root *root, carom_bend to) {
  carom_bend from = it->instant.rules.bends[root->function];
  if (from.value == to.value && from.slope == to.slope) return false;
  // roots of one instant lie a little apart
  double zero = fmax(it->watching.watch[root->function].tolerance,
                     carom_hybrid_apart(it) * fmax(fabs(from.slope), fabs(to.slope)));
  bool jumps = fabs(to.value - from.value) > zero && fabs(to.value) > zero;
  return (jumps ? to.value : to.slope) * (double)root->direction < 0.0;
}

static bool find_rates(carom_hybrid *it) {
  return carom_hybrid_rhs(it, it->now.t, it->y, it->instant.rules.rate) == CAROM_OK;
}

static bool try_branch(carom_hybrid *it, const carom_root *root) {
  carom_hybrid_take_branch(it, root->function, root->direction == CAROM_RISING ? 1.0 : -1.0);
  return find_rates(it);
}

// branches stand before what depends on them; those that something moves by are judged elsewhere
static void judge_branches(carom_hybrid *it, int count, carom_root *roots) {
  int modes = it->model->dynamics->modes;
  for (int k = 0; k < it->model->watched_count; k++) {
    carom_root *root = root_of(count, roots, k);
    if (!root || root->kind != CAROM_ROOT_CROSSING) continue;
    bool moves = k < modes && !carom_met_beside(it, k);
    if (!moves && turns_back(it, root, bend_of(it, k))) {
      root->kind = CAROM_ROOT_GRAZING;
      carom_sides_return(it, root);
    } else if (k < modes && !try_branch(it, root)) {
      return;
    }
  }
}

void carom_turning_tell(carom_hybrid *it, int count, carom_root *roots) {
  int modes = it->model->dynamics->modes;
  bool flips = false;
  for (int j = 0; j < count; j++)
    flips = flips || roots[j].function < modes;
  if (!flips || count < 2 || !it->model->has_rules || it->model->compliant.count > 0) return;
  if (!find_rates(it)) return;
  for (int j = 0; j < count; j++)
    if (roots[j].function < it->model->watched_count)
      it->instant.rules.bends[roots[j].function] = bend_of(it, roots[j].function);
  memcpy(it->instant.rules.after, it->modes, (size_t)modes * sizeof *it->modes);
  judge_branches(it, count, roots);
  for (int k = 0; k < modes; k++)
    if (it->modes[k] != it->instant.rules.after[k])
      carom_hybrid_take_branch(it, k, it->instant.rules.after[k]);
}
