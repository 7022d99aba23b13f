// SPDX-License-Identifier: MIT
/// Closed intervals [lo, hi]; every operation rounds outwards by at least one ulp, so the true
/// range is always inside. An operation outside its domain (sqrt of a partly negative interval,
/// division by an interval with 0) gives the widest honest answer, up to [-inf, inf]; never NaN.
#ifndef CAROM_BASE_INTERVAL_H
#define CAROM_BASE_INTERVAL_H

#include <math.h>
#include <stdbool.h>

typedef struct carom_interval {
  double lo, hi;
} carom_interval;

static inline carom_interval carom_interval_point(double x) { return (carom_interval){x, x}; }
static inline bool carom_interval_has(carom_interval x, double v) { return x.lo <= v && v <= x.hi; }
static inline bool carom_interval_has_zero(carom_interval x) { return x.lo <= 0.0 && x.hi >= 0.0; }
static inline double carom_interval_width(carom_interval x) { return x.hi - x.lo; }

#endif
