// SPDX-License-Identifier: MIT
// The contact law over a block of lanes; see law.h for its equations.
#include "grains/lanes.h"

#include <math.h>

// F_n along n; lost: what damping takes
CAROM_INLINE void normal_part(const carom_grain_law *law, carom_touch_block *k, double *fn,
                              double *root) {
  double speed[CAROM_LANES], damp[CAROM_LANES];
  CAROM_EACH_LANE {
    double depth = k->depth[l] > 0.0 ? k->depth[l] : 0.0;
    root[l] = sqrt(depth);
    speed[l] = carom_lane_dot(k->v, k->n, l);
    damp[l] = law->gn * k->mass[l] * (law->hertz ? root[l] : 1.0);
  }
  if (law->damping == CAROM_DAMPING_RATIO)
    CAROM_EACH_LANE damp[l] = law->gn * sqrt(k->mass[l] * law->kn * (law->hertz ? root[l] : 1.0));
  CAROM_EACH_LANE {
    double depth = root[l] * root[l];
    double spring = law->kn * depth * (law->hertz ? root[l] : 1.0);
    double force = spring - damp[l] * speed[l];
    force = law->clip && force < 0.0 ? 0.0 : force;
    fn[l] = force;
    k->lost[l] = (spring - force) * speed[l];
  }
  for (int c = 0; c < 3; c++)
    CAROM_EACH_LANE k->force[c][l] = fn[l] * k->n[c][l];
}

// The spring s of the last step, turned into the tangent plane. A contact that is pressed harder is
// stiffer: a spring that kept its length would hold energy that nobody paid for, so it keeps its
// force (Elata and Berryman 1996); where the contact gets softer, it keeps its length.
CAROM_INLINE void carry_spring(const carom_grain_law *law, carom_touch_block *k,
                               const double *root) {
  double along[CAROM_LANES], keep[CAROM_LANES];
  bool shrink = law->hertz && !law->plain;
  CAROM_EACH_LANE {
    along[l] = carom_lane_dot(k->s, k->n, l);
    keep[l] = shrink && root[l] > k->root[l] ? k->root[l] / root[l] : 1.0;
  }
  for (int c = 0; c < 3; c++)
    CAROM_EACH_LANE k->s[c][l] = (k->s[c][l] - along[l] * k->n[c][l]) * keep[l];
}

// The spring is cut back to what Coulomb's limit bears, as in the return map of plasticity, and the
// damper gets what room is left below the limit: the spring is paid for in full, so no contact can
// give energy. `in` and `out` share the step between the spring before and after the force.
CAROM_INLINE void tangential_part(const carom_grain_law *law, double in, double out,
                                  carom_touch_block *k, const double *fn, const double *root) {
  double vt[3][CAROM_LANES], stiff[CAROM_LANES], damp[CAROM_LANES], pull2[CAROM_LANES],
      speed2[CAROM_LANES], keep[CAROM_LANES];
  CAROM_EACH_LANE {
    double speed = carom_lane_dot(k->v, k->n, l), stiffen = law->hertz ? root[l] : 1.0;
    stiff[l] = law->kt * stiffen;
    damp[l] = law->gt * k->mass[l] * stiffen;
    double sum = 0.0, sum_v = 0.0;
    for (int c = 0; c < 3; c++) {
      double v = k->v[c][l] - speed * k->n[c][l], s = k->s[c][l] + v * in;
      vt[c][l] = v;
      k->s[c][l] = s;
      sum += s * s;
      sum_v += v * v;
    }
    pull2[l] = stiff[l] * stiff[l] * sum;
    speed2[l] = sum_v;
  }
  if (law->damping == CAROM_DAMPING_RATIO)
    CAROM_EACH_LANE damp[l] = law->gt * sqrt(k->mass[l] * law->kn * (law->hertz ? root[l] : 1.0));
  CAROM_EACH_LANE {
    double normal = fabs(fn[l]), bears = (k->slides[l] > 0.0 ? law->slip : law->stick) * normal;
    double limit = law->slip * normal, pull = sqrt(pull2[l]);
    bool over = pull > bears;
    keep[l] = over ? limit / pull : 1.0;
    double room = over ? 0.0 : bears - pull, drag = damp[l] * sqrt(speed2[l]);
    damp[l] = drag > room ? damp[l] * (room / drag) : damp[l];
    k->slides[l] = over ? 1.0 : 0.0;
  }
  CAROM_EACH_LANE {
    double power = 0.0;
    for (int c = 0; c < 3; c++) {
      double s = k->s[c][l] * keep[l], t = stiff[l] * s + damp[l] * vt[c][l];
      k->force[c][l] -= t;
      k->s[c][l] = s + vt[c][l] * out;
      power += t * vt[c][l];
    }
    k->taken[l] = power;
  }
}

CAROM_CLONES void carom_law_lanes(const carom_grain_law *law, double in, double out,
                                  carom_touch_block *block) {
  double fn[CAROM_LANES], root[CAROM_LANES];
  normal_part(law, block, fn, root);
  CAROM_EACH_LANE block->taken[l] = 0.0;
  if (law->stick > 0.0) {
    carry_spring(law, block, root);
    tangential_part(law, in, out, block, fn, root);
  }
  CAROM_EACH_LANE block->root[l] = root[l];
}
