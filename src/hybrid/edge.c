// SPDX-License-Identifier: MIT
/// Modes that hold at an instant, but only just: a force that is zero there and then pulls,
/// friction that begins at the edge of its cone and then leaves it. Conditions at the instant say
/// nothing: the first derivative of the margin that is not zero decides, and it shows itself along
/// the first step in these modes.
#include "hybrid/hybrid.h"

#include <math.h>

static const double EDGE = CAROM_CONTACT_TOLERANCE; // of the largest force: a margin that is zero
static const double TELLING = 1e-12; // of the same: a change of it that is no rounding

// Moments of the step, the first ones so short that no higher derivative has its say.
static const double MOMENTS[] = {1e-6, 1e-4, 1e-2, 1e-1, 1.0};
enum { MOMENT_COUNT = sizeof MOMENTS / sizeof *MOMENTS };

// the margin of the present modes at a state, in units of the largest force there
static double margin_at(carom_hybrid *it, double t, const double *y) {
  if (carom_hybrid_evaluate_rows(it, t, y) != CAROM_OK) return INFINITY; // the search will tell
  (void)carom_hybrid_forces(it, t, y, true);
  double margin = it->contact.margin.value, largest = carom_hybrid_largest_force(it);
  return largest > 0.0 ? margin / largest : 0.0;
}

bool carom_edge_falls(carom_hybrid *it) {
  const carom_stepper *s = &it->stepper;
  double *y = it->room.scratch + it->size;
  if (!it->now.standing.untried) return false;
  it->now.standing.untried = false;
  if (it->contact.closed == 0 || it->now.standing.forces != CAROM_FORCES_HOLD) return false;
  double first = margin_at(it, s->t, s->y);
  if (fabs(first) > EDGE) return false;
  for (int k = 0; k < MOMENT_COUNT; k++) {
    carom_dense_eval(s, MOMENTS[k], y, NULL, NULL);
    double margin = margin_at(it, s->t + MOMENTS[k] * s->h, y), change = margin - first;
    if (margin > TELLING && change > TELLING) return false;
    if (!(margin < -TELLING && change < -TELLING)) continue;
    if (carom_hybrid_needs_no_force_along(it)) return false;
    it->instant.glance = MOMENTS[k];
    return true;
  }
  it->now.standing.untried = true; // no force yet that could be told from none
  return false;
}

void carom_edge_leave(carom_hybrid *it) {
  it->instant.glance = 0.0;
  it->now.standing.untried = false; // modes were chosen for what comes
}
