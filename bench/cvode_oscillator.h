// SPDX-License-Identifier: MIT
/// The frictional impact oscillator (scenarios/frictional_impact_oscillator.yaml, mu = 0.5, e = 0)
/// as a person would write it around CVODE: one right-hand side per mode of the contact, root
/// functions for what ends the mode, the plastic impact with friction in closed form.
#ifndef CAROM_BENCH_CVODE_OSCILLATOR_H
#define CAROM_BENCH_CVODE_OSCILLATOR_H

#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdbool.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

typedef enum wiper_mode { WIPER_FLIGHT, WIPER_SLIP, WIPER_STICK } wiper_mode;

typedef struct wiper {
  wiper_mode mode;
  double side; // sign of the slip
} wiper;

enum { WIPER_ROOTS = 3 };
static const double WIPER_M1 = 0.1, WIPER_M2 = 1.0, WIPER_KY = 100.0, WIPER_KPHI = 100.0;
static const double WIPER_CY = 10.0, WIPER_PHI0 = 0.39269908169872414, WIPER_Y0 = 1.0;
static const double WIPER_G = 10.0, WIPER_V = -1.0, WIPER_MU = 0.5;

// accelerations and contact forces (normal, tangential) of the mode at y = (y, phi, y', phi'), l =
// 1:
//   M q'' = f + W_N n + W_T t,  W_N = (1, sin phi), W_T = (0, cos phi)
static void wiper_solve(const wiper *w, const double *y, double *a, double *n, double *t) {
  double s = sin(y[1]), c = cos(y[1]), u = y[2], r = y[3];
  double m = WIPER_M1 + WIPER_M2, m1 = WIPER_M1, det = m * m1 - m1 * s * m1 * s;
  double f0 = -m1 * c * r * r - m * WIPER_G - WIPER_KY * (y[0] - WIPER_Y0) - WIPER_CY * u;
  double f1 = -m1 * WIPER_G * s - WIPER_KPHI * (y[1] - WIPER_PHI0);
  *n = *t = 0.0;
  if (w->mode == WIPER_SLIP) {
    // the gap stays closed: a0 + s a1 + c r^2 = 0 with t = -side mu n
    double k = -w->side * WIPER_MU, g0 = 1.0, g1 = s + k * c;
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

static int wiper_rates(realtype time, N_Vector y, N_Vector rate, void *ctx) {
  double *a = N_VGetArrayPointer(y), *f = N_VGetArrayPointer(rate), n, t;
  (void)time;
  f[0] = a[2];
  f[1] = a[3];
  wiper_solve(ctx, a, f + 2, &n, &t);
  return 0;
}

// what may end the mode, and the section phi' = 0
static int wiper_events(realtype time, N_Vector y, realtype *g, void *ctx) {
  const wiper *w = ctx;
  double *q = N_VGetArrayPointer(y), a[2], n, t;
  (void)time;
  wiper_solve(w, q, a, &n, &t);
  g[0] = w->mode == WIPER_FLIGHT ? q[0] - cos(q[1]) : n;
  g[1] = w->mode == WIPER_SLIP    ? w->side * (cos(q[1]) * q[3] - WIPER_V)
         : w->mode == WIPER_STICK ? WIPER_MU * n - fabs(t)
                                  : 1.0;
  g[2] = -q[3];
  return 0;
}

// plastic impact: both relative velocities vanish, or the tip slides on inside the cone's edge
static void wiper_impact(wiper *w, double *q) {
  double s = sin(q[1]), c = cos(q[1]), m = WIPER_M1 + WIPER_M2, m1 = WIPER_M1;
  double det = m * m1 - m1 * s * m1 * s, vn = q[2] + s * q[3], vt = c * q[3] - WIPER_V;
  // M^-1 W_N and M^-1 W_T
  double n0 = (m1 - m1 * s * s) / det, n1 = (m * s - m1 * s) / det;
  double t0 = -m1 * s * c / det, t1 = m * c / det;
  double gnn = n0 + s * n1, gnt = t0 + s * t1, gtn = c * n1, gtt = c * t1;
  double d = gnn * gtt - gnt * gtn, pn = (-vn * gtt + vt * gnt) / d,
         pt = (-vt * gnn + vn * gtn) / d;
  w->mode = WIPER_STICK;
  if (fabs(pt) > WIPER_MU * pn) {
    w->side = vt > 0.0 ? 1.0 : -1.0;
    pn = -vn / (gnn - w->side * WIPER_MU * gnt);
    pt = -w->side * WIPER_MU * pn;
    w->mode = WIPER_SLIP;
  }
  q[2] += n0 * pn + t0 * pt;
  q[3] += n1 * pn + t1 * pt;
}

// a mode that its own forces do not allow is not begun
static void wiper_settle(wiper *w, const double *q) {
  double a[2], n, t;
  if (w->mode == WIPER_FLIGHT) return;
  wiper_solve(w, q, a, &n, &t);
  if (w->mode == WIPER_STICK && fabs(t) > WIPER_MU * n) {
    w->side = t > 0.0 ? -1.0 : 1.0; // friction held against the side it goes to
    w->mode = WIPER_SLIP;
    wiper_solve(w, q, a, &n, &t);
  }
  if (n < 0.0) w->mode = WIPER_FLIGHT;
}

static void wiper_switch(wiper *w, double *q, const int *found) {
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

typedef struct wiper_outcome {
  long turns, impacts;
  double t; // of the last turn
} wiper_outcome;

// `wanted` passages of the section by BDF or Adams at a tolerance
static wiper_outcome wiper_run(SUNContext context, int method, double tolerance, long wanted) {
  wiper w = {WIPER_FLIGHT, 1.0};
  wiper_outcome o = {0};
  N_Vector y = N_VNew_Serial(4, context);
  double *q = N_VGetArrayPointer(y), t = 0.0;
  q[0] = 0.95, q[1] = 0.5, q[2] = q[3] = 0.0;
  SUNMatrix matrix = SUNDenseMatrix(4, 4, context);
  SUNLinearSolver solver = SUNLinSol_Dense(y, matrix, context);
  void *cvode = CVodeCreate(method, context);
  (void)CVodeInit(cvode, wiper_rates, 0.0, y);
  (void)CVodeSStolerances(cvode, tolerance, tolerance);
  (void)CVodeSetUserData(cvode, &w);
  (void)CVodeSetLinearSolver(cvode, solver, matrix);
  (void)CVodeRootInit(cvode, WIPER_ROOTS, wiper_events);
  (void)CVodeSetMaxNumSteps(cvode, 1000000);
  int directions[WIPER_ROOTS] = {-1, -1, -1};
  (void)CVodeSetRootDirection(cvode, directions);
  (void)CVodeSetNoInactiveRootWarn(cvode);
  while (o.turns < wanted && t < 1e5) {
    int found[WIPER_ROOTS];
    if (CVode(cvode, 1e6, y, &t, CV_NORMAL) != CV_ROOT_RETURN) break;
    (void)CVodeGetRootInfo(cvode, found);
    if (found[2]) o.turns++, o.t = t;
    if (!found[0] && !found[1]) continue;
    o.impacts += found[0] && w.mode == WIPER_FLIGHT;
    wiper_switch(&w, q, found);
    (void)CVodeReInit(cvode, t, y);
  }
  CVodeFree(&cvode);
  (void)SUNLinSolFree(solver);
  SUNMatDestroy(matrix);
  N_VDestroy(y);
  return o;
}

#endif
