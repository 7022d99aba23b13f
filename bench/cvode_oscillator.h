// SPDX-License-Identifier: MIT
/// The frictional impact oscillator (scenarios/frictional_impact_oscillator.yaml, e = 0) for
/// cvode_loop.h: one right-hand side per mode of the contact, root functions for what ends the
/// mode, the plastic impact with friction in closed form.
#ifndef CAROM_BENCH_CVODE_OSCILLATOR_H
#define CAROM_BENCH_CVODE_OSCILLATOR_H

#include "cvode_loop.h"

#include <math.h>

typedef enum wiper_mode { WIPER_FLIGHT, WIPER_SLIP, WIPER_STICK } wiper_mode;

typedef struct wiper {
  wiper_mode mode;
  double side; // sign of the slip
  double mu;
} wiper;

static const double WIPER_M1 = 0.1, WIPER_M2 = 1.0, WIPER_KY = 100.0, WIPER_KPHI = 100.0;
static const double WIPER_CY = 10.0, WIPER_PHI0 = 0.39269908169872414, WIPER_Y0 = 1.0;
static const double WIPER_G = 10.0, WIPER_V = -1.0;

// accelerations and contact forces (normal, tangential) of the mode at y = (y, phi, y', phi'), l =
// 1:
//   M q'' = f + W_N n + W_T t,  W_N = (1, sin phi), W_T = (0, cos phi)
static inline void wiper_solve(const wiper *w, const double *y, double *a, double *n, double *t) {
  double s = sin(y[1]), c = cos(y[1]), u = y[2], r = y[3];
  double m = WIPER_M1 + WIPER_M2, m1 = WIPER_M1, det = m * m1 - m1 * s * m1 * s;
  double f0 = -m1 * c * r * r - m * WIPER_G - WIPER_KY * (y[0] - WIPER_Y0) - WIPER_CY * u;
  double f1 = -m1 * WIPER_G * s - WIPER_KPHI * (y[1] - WIPER_PHI0);
  *n = *t = 0.0;
  if (w->mode == WIPER_SLIP) {
    // the gap stays closed: a0 + s a1 + c r^2 = 0 with t = -side mu n
    double k = -w->side * w->mu, g0 = 1.0, g1 = s + k * c;
    double b0 = (m1 * f0 - m1 * s * f1) / det, b1 = (m * f1 - m1 * s * f0) / det;
    double h0 = (m1 * g0 - m1 * s * g1) / det, h1 = (m * g1 - m1 * s * g0) / det;
    *n = -(b0 + s * b1 + c * r * r) / (h0 + s * h1);
    *t = k * *n;
  } else if (w->mode == WIPER_STICK) {
    a[1] = s * r * r / c;
    a[0] = -s * a[1] - c * r * r;
    *n = m * a[0] + m1 * s * a[1] - f0;
    *t = (m1 * s * a[0] + m1 * a[1] - f1 - s * *n) / c;
    return;
  }
  f0 += *n;
  f1 += s * *n + c * *t;
  a[0] = (m1 * f0 - m1 * s * f1) / det;
  a[1] = (m * f1 - m1 * s * f0) / det;
}

static inline int wiper_rates(realtype time, N_Vector y, N_Vector rate, void *ctx) {
  double *a = N_VGetArrayPointer(y), *f = N_VGetArrayPointer(rate), n, t;
  (void)time;
  f[0] = a[2];
  f[1] = a[3];
  wiper_solve(ctx, a, f + 2, &n, &t);
  return 0;
}

// what may end the mode, and the section phi' = 0
static inline int wiper_events(realtype time, N_Vector y, realtype *g, void *ctx) {
  const wiper *w = ctx;
  double *q = N_VGetArrayPointer(y), a[2], n, t;
  (void)time;
  wiper_solve(w, q, a, &n, &t);
  g[0] = w->mode == WIPER_FLIGHT ? q[0] - cos(q[1]) : n;
  g[1] = w->mode == WIPER_SLIP    ? w->side * (cos(q[1]) * q[3] - WIPER_V)
         : w->mode == WIPER_STICK ? w->mu * n - fabs(t)
                                  : 1.0;
  g[2] = -q[3];
  return 0;
}

// plastic impact: both relative velocities vanish, or the tip slides on inside the cone's edge
static inline void wiper_impact(wiper *w, double *q) {
  double s = sin(q[1]), c = cos(q[1]), m = WIPER_M1 + WIPER_M2, m1 = WIPER_M1;
  double det = m * m1 - m1 * s * m1 * s, vn = q[2] + s * q[3], vt = c * q[3] - WIPER_V;
  // M^-1 W_N and M^-1 W_T
  double n0 = (m1 - m1 * s * s) / det, n1 = (m * s - m1 * s) / det;
  double t0 = -m1 * s * c / det, t1 = m * c / det;
  double gnn = n0 + s * n1, gnt = t0 + s * t1, gtn = c * n1, gtt = c * t1;
  double d = gnn * gtt - gnt * gtn, pn = (-vn * gtt + vt * gnt) / d,
         pt = (-vt * gnn + vn * gtn) / d;
  w->mode = WIPER_STICK;
  if (fabs(pt) > w->mu * pn) {
    w->side = vt > 0.0 ? 1.0 : -1.0;
    pn = -vn / (gnn - w->side * w->mu * gnt);
    pt = -w->side * w->mu * pn;
    w->mode = WIPER_SLIP;
  }
  q[2] += n0 * pn + t0 * pt;
  q[3] += n1 * pn + t1 * pt;
}

// a mode that its own forces do not allow is not begun
static inline void wiper_settle(wiper *w, const double *q) {
  double a[2], n, t;
  if (w->mode == WIPER_FLIGHT) return;
  wiper_solve(w, q, a, &n, &t);
  if (w->mode == WIPER_STICK && fabs(t) > w->mu * n) {
    w->side = t > 0.0 ? -1.0 : 1.0; // friction held against the side it goes to
    w->mode = WIPER_SLIP;
    wiper_solve(w, q, a, &n, &t);
  }
  if (n < 0.0) w->mode = WIPER_FLIGHT;
}

static inline void wiper_switch(wiper *w, double *q, const int *found) {
  double a[2], n, t;
  if (found[0] && w->mode == WIPER_FLIGHT) {
    q[0] = cos(q[1]);
    wiper_impact(w, q);
  } else if (found[0]) {
    w->mode = WIPER_FLIGHT;
  } else if (found[1] && w->mode == WIPER_STICK) {
    wiper_solve(w, q, a, &n, &t);
    w->side = t > 0.0 ? -1.0 : 1.0;
    w->mode = WIPER_SLIP;
  } else if (found[1]) {
    q[3] = WIPER_V / cos(q[1]);
    w->mode = WIPER_STICK;
  }
  wiper_settle(w, q);
}

static inline bool wiper_change(void *ctx, double *q, const int *found) {
  if (!found[0] && !found[1]) return false;
  wiper_switch(ctx, q, found);
  return true;
}

static inline cvode_system wiper_system(wiper *w, double mu) {
  *w = (wiper){WIPER_FLIGHT, 1.0, mu};
  return (cvode_system){.states = 4,
                        .roots = 3,
                        .section = 2,
                        .start = {0.95, 0.5, 0.0, 0.0},
                        .rates = wiper_rates,
                        .events = wiper_events,
                        .change = wiper_change,
                        .ctx = w};
}

#endif
