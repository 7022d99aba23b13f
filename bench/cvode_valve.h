// SPDX-License-Identifier: MIT
/// The relief valve (scenarios/relief_valve.yaml) for cvode_loop.h: three states, the impact at the
/// seat and the section where the plug is highest.
#ifndef CAROM_BENCH_CVODE_VALVE_H
#define CAROM_BENCH_CVODE_VALVE_H

#include "cvode_loop.h"

#include <math.h>

static inline int valve_rates(realtype t, N_Vector y, N_Vector rate, void *ctx) {
  double q = *(const double *)ctx, *a = N_VGetArrayPointer(y), *f = N_VGetArrayPointer(rate);
  (void)t;
  f[0] = a[1];
  f[1] = -1.25 * a[1] - (a[0] + 10.0) + a[2];
  f[2] = 20.0 * (q - a[0] * sqrt(fmax(a[2], 0.0)));
  return 0;
}

static inline int valve_events(realtype t, N_Vector y, realtype *g, void *ctx) {
  (void)t;
  (void)ctx;
  g[0] = N_VGetArrayPointer(y)[0];
  g[1] = N_VGetArrayPointer(y)[1];
  return 0;
}

static inline bool valve_strikes(void *ctx, double *y, const int *found) {
  (void)ctx;
  if (!found[0]) return false;
  y[0] = 0.0;
  y[1] = -0.8 * y[1];
  return true;
}

static inline cvode_system valve_system(double *q) {
  return (cvode_system){.states = 3,
                        .roots = 2,
                        .section = 1,
                        .start = {0.2, 0.0, 0.0},
                        .rates = valve_rates,
                        .events = valve_events,
                        .change = valve_strikes,
                        .ctx = q};
}

#endif
