// SPDX-License-Identifier: MIT
/// The end of a compression for e = 0, the limit of small e. With a small e a contact expands in no
/// time, x'' = -v_N'/e^2 with everything else at rest, until x = 0 or v_N is zero again, where
///
///   integral of v_N' dx = R (E(x) - E(left)) + others (x - left) = 0:
///
/// others that push harder than when the compression began keep a rest of it. R and what others do
/// hold as long as friction keeps its modes: stick may break on the way, as the force falls.
#include "impact/energetic_internal.h"

#include <math.h>

static const double JUST_BELOW = 1.0 - 1e-6; // of a force at which stick breaks

// energy stored by contact i at compression x
static double stored_at(const carom_energetic_workspace *w, int i, double x) {
  return energetic_force(w, i, x) * x / (w->a[i] + 1.0);
}

// The force of contact i, less than `from`, at which a stick breaks while those of others (in
// trial) stay; 0: none does.
static double next_break(const carom_energetic_workspace *w, int i, double from) {
  int size = 2 * w->n;
  double next = 0.0;
  for (int c = 0; c < w->classes && !w->shared; c++) {
    if (!w->list[c].sticks) continue;
    const double *limit = w->limit + c * size, *reaction = w->B + w->list[c].unknown * size;
    for (int sign = -1; sign <= 1; sign += 2) {
      double rest = 0.0, slope = limit[i] + sign * reaction[i];
      for (int j = 0; j < w->channels; j++)
        if (j != i) rest += (limit[j] + sign * reaction[j]) * w->trial[j];
      if (!(slope > 0.0) || !(rest < 0.0)) continue;
      double force = -rest / slope;
      if (force < from * JUST_BELOW) next = fmax(next, force);
    }
  }
  return next;
}

// Where half the square of v_N/e, `gained` at compression x, is zero again. It is concave and
// negative at `low`: Newton's iterates rise to the root.
static double root_above(const carom_energetic_workspace *w, int i, double low, double x,
                         double gained, double own, double others) {
  double left = low;
  for (int round = 0; round < 60; round++) {
    double value =
        gained + own * (stored_at(w, i, x) - stored_at(w, i, left)) + others * (x - left);
    double slope = -own * energetic_force(w, i, left) - others, next = left - value / slope;
    if (!(slope > 0.0) || !(next > left) || next >= x) break;
    left = next;
  }
  return left;
}

double energetic_left(carom_energetic_workspace *w, int i) {
  double x = w->x[i], gained = 0.0;
  energetic_channels_after(w, 0.0, w->trial);
  for (int piece = 0; piece <= 2 * w->n; piece++) {
    w->trial[i] = 0.0;
    double own = w->R[2 * i * 2 * w->n + i], others = energetic_row(w, 2 * i, w->trial, NULL);
    double force = next_break(w, i, energetic_force(w, i, x));
    double low = energetic_compression(w, i, force);
    double at_low = gained + own * (stored_at(w, i, x) - stored_at(w, i, low)) + others * (x - low);
    if (own > 0.0 && at_low < 0.0) return root_above(w, i, low, x, gained, own, others);
    if (!(low > 0.0)) return 0.0;
    x = low;
    gained = fmax(0.0, at_low);
    w->trial[i] = force * JUST_BELOW;
    energetic_friction_settle(w, w->trial);
  }
  return 0.0;
}
