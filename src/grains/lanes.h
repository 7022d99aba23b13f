// SPDX-License-Identifier: MIT
/// Contacts are computed in blocks of lanes: plain loops over small arrays that the compiler turns
/// into vector code. Lanes do not mix, so a lane has the bits it would have alone.
#ifndef CAROM_GRAINS_LANES_H
#define CAROM_GRAINS_LANES_H

#include "base/elementary_kernel.h"
#include "grains/bed.h"
#include "grains/segment.h"

enum { CAROM_LANES = 8 };
#define CAROM_EACH_LANE for (int l = 0; l < CAROM_LANES; l++)

// loops over rods: arrays of different components never overlap
#if defined(__clang__)
#define CAROM_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define CAROM_INDEPENDENT _Pragma("GCC ivdep")
#else
#define CAROM_INDEPENDENT
#endif

/// Contacts on their way from geometry to forces. The first body is a, the second b; n points from
/// b to a, v is the velocity of a at the contact relative to b.
typedef struct carom_touch_block {
  int count; // lanes in use; the others repeat the last one
  int at[CAROM_LANES], a[CAROM_LANES], b[CAROM_LANES];
  double depth[CAROM_LANES], mass[CAROM_LANES];
  double n[3][CAROM_LANES], v[3][CAROM_LANES];
  double arm_a[3][CAROM_LANES], arm_b[3][CAROM_LANES];
  double s[3][CAROM_LANES], root[CAROM_LANES], slides[CAROM_LANES];
  double force[3][CAROM_LANES]; // on a
  double torque_a[3][CAROM_LANES], torque_b[3][CAROM_LANES];
  double lost[CAROM_LANES];  // power of normal damping
  double taken[CAROM_LANES]; // power that goes into the tangential part
} carom_touch_block;

CAROM_INLINE double carom_lane_dot(double a[3][CAROM_LANES], double b[3][CAROM_LANES], int l) {
  return a[0][l] * b[0][l] + a[1][l] * b[1][l] + a[2][l] * b[2][l];
}

/// Forces, new histories and powers from depth, n, v, mass and the old histories. The tangential
/// spring follows v for a time `in` before the force and `out` after it: half a step each is the
/// trapezoidal rule for velocities at full steps, all before is the midpoint rule for those
/// between.
void carom_law_lanes(const carom_grain_law *law, double in, double out, carom_touch_block *block);

#endif
