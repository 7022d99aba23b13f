// SPDX-License-Identifier: MIT
/// Nearest points of the axes of rods. Free of branches, so that loops over many pairs become
/// vector code, and safe where rods are parallel or have no length.
#ifndef CAROM_GRAINS_SEGMENT_H
#define CAROM_GRAINS_SEGMENT_H

#include "base/wide.h"

/// Below this squared sine of the angle between two axes they count as parallel: there the distance
/// along them is flat to rounding.
#define CAROM_PARALLEL 1e-14

CAROM_INLINE double carom_clamp(double x, double lo, double hi) {
  double y = x < lo ? lo : x;
  return y > hi ? hi : y;
}

/// The nearest points x + s u and y + t w of two segments |s| <= a, |t| <= b, where r = x - y and
/// u, w are unit vectors. Parallel segments take the middle of the part where they lie side by
/// side. s and t minimise |r + s u - t w|: the free minimum is clamped, then each in turn is made
/// the best answer to the other, which is exact for two intervals (Ericson 2005, section 5.1.9).
CAROM_INLINE void carom_segment_nearest(double rx, double ry, double rz, double ux, double uy,
                                        double uz, double a, double wx, double wy, double wz,
                                        double b, double *s_out, double *t_out) {
  double uw = ux * wx + uy * wy + uz * wz;
  double ru = rx * ux + ry * uy + rz * uz;
  double rw = rx * wx + ry * wy + rz * wz;
  double cx = uy * wz - uz * wy, cy = uz * wx - ux * wz, cz = ux * wy - uy * wx;
  double sine2 = cx * cx + cy * cy + cz * cz;

  // side by side: from the later begin to the earlier end
  double begin = -ru - b, end = -ru + b;
  begin = begin < -a ? -a : begin;
  end = end > a ? a : end;
  double middle = 0.5 * (begin + end);

  double crossing = (uw * rw - ru) / (sine2 > CAROM_PARALLEL ? sine2 : 1.0);
  double s = carom_clamp(sine2 > CAROM_PARALLEL ? crossing : middle, -a, a);
  double t = carom_clamp(rw + s * uw, -b, b);
  *s_out = carom_clamp(t * uw - ru, -a, a);
  *t_out = t;
}

/// The point x + s u, |s| <= a, nearest to the z axis, where (x, y) is the segment's centre seen
/// from the axis. A vertical segment takes its centre.
CAROM_INLINE double carom_segment_axis(double x, double y, double ux, double uy, double a) {
  double flat = ux * ux + uy * uy;
  double s = -(x * ux + y * uy) / (flat > CAROM_PARALLEL ? flat : 1.0);
  return carom_clamp(flat > CAROM_PARALLEL ? s : 0.0, -a, a);
}

#endif
