// SPDX-License-Identifier: MIT
/// One contact in space that strikes by the energetic law: over its normal impulse P slip turns,
/// stops, sticks or sets off again.
///
/// With the response of the contact to its own impulses, G_nn, w = G_tn (2) and W = G_tt (2 x 2),
///
///   slip    ds = (w - mu W d) dP,        dv = (G_nn - mu w d) dP,       d = s / |s|
///   stick   ds = 0,                      dv = (G_nn - w W^-1 w) dP,     |W^-1 w| <= mu_s
///
/// (Keller 1986; Bhatt and Koechling 1995; Batlle 1996). In t with dP = |s| dt the first line is
/// smooth, and its direction obeys an equation of its own: near s = 0 it looks the same at every
/// scale. Slip stops where the direction has come to a limit; when it sets off again it does so
/// along d with w - mu W d = kappa d, kappa > 0, and keeps that direction to the end. So does slip
/// of which the direction does not turn from the start: a ball, or a motion in the plane. All that
/// is piecewise linear, as in the plane, and in closed form; the rest is integrated by
/// extrapolation to rounding.
///
/// Compression ends where v = 0; expansion where it has given back e^2 of the work that compression
/// has taken (or e of its impulse, or e of the approach: carom_energetic_stop). An impact without
/// collision (Painleve) starts at v = 0 where sliding pulls the contact in: G_nn - mu w d < 0. Slip
/// that turns may come to pull it in while it expands: then it is compressed again, and what all
/// compressions have taken counts together.
#ifndef CAROM_IMPACT_SPACE_ENERGETIC_H
#define CAROM_IMPACT_SPACE_ENERGETIC_H

#include "impact/energetic.h"

typedef struct carom_space_impact {
  double G[3][3]; // response of (n, t1, t2)
  double v[3];    // velocities before; v[0] < 0 approaches
  double stick, slide, e;
  carom_energetic_stop stop;
} carom_space_impact;

typedef struct carom_space_outcome {
  double P[3], v[3];      // impulses, velocities after
  double taken, returned; // work of the normal impulse in compression and expansion
  double compression[3];  // impulses until v = 0, for the last time
  bool sticks;            // at the end
  bool unique;            // slip that set off again had one direction to go
} carom_space_outcome;

/// Solves the impact; false: it never ends (numbers that are not finite, a response that is not
/// positive definite). A contact that does not approach and is not pulled in gets no impulse.
bool carom_space_impact_solve(const carom_space_impact *impact, carom_space_outcome *outcome);

#endif
