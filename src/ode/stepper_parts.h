// SPDX-License-Identifier: MIT
/// What the steps by Runge-Kutta and those by Taylor series share. Private to this room.
#ifndef CAROM_ODE_STEPPER_PARTS_H
#define CAROM_ODE_STEPPER_PARTS_H

#include "base/wide.h"
#include "ode/stepper.h"

#include <math.h>

// how much a step by series may be longer than the one before
#define CAROM_SERIES_GROWTH 2.0

static inline carom_status carom_stepper_evaluate(carom_stepper *s, double t, const double *y,
                                                  double *dydt) {
  s->counts.evaluations++;
  return s->rhs(s->ctx, t, y, dydt);
}

// the size that an error in state i is measured by
static inline double carom_stepper_weight(const carom_stepper *s, int i, double size) {
  double atol = s->options.scale ? s->options.atol * s->options.scale[i] : s->options.atol;
  return atol + s->options.rtol * size;
}

static inline bool carom_all_finite(int n, const double *x) {
  // x - x is 0 for a finite x and NaN for all others, and a sum keeps a NaN
  double sum = 0.0;
  for (int i = 0; i < n; i++)
    sum += x[i] - x[i];
  return sum == 0.0;
}

// root mean square of x in units of the tolerance at the state y
static inline double carom_stepper_norm(const carom_stepper *s, const double *x, const double *y) {
  double sum = 0.0;
  for (int i = 0; i < s->options.controlled; i++) {
    double q = x[i] / carom_stepper_weight(s, i, fabs(y[i]));
    sum += q * q;
  }
  return sqrt(sum / s->options.controlled);
}

// Where a step of length h ends: at t_end when it comes within a hundredth of it.
static inline double carom_step_end(const carom_stepper *s, double h, double t_end) {
  return s->t + 1.01 * h >= t_end ? t_end : s->t + h;
}

// Is a step too short to be tried? One that was refused is tried again shorter; a length of few
// roundings of time may round to the same again, and that for ever.
static inline bool carom_step_too_short(const carom_stepper *s, double h, double refused) {
  return !(h > 0.0) || !(h < refused) || (isfinite(refused) && s->t + 0.1 * h == s->t);
}

// rows of `edge`: the dense output at the end of the step, and over all of it what the powers from
// the third on can add, downwards and upwards, and the sum of all moduli
enum { CAROM_EDGE_VALUE, CAROM_EDGE_SLOPE, CAROM_EDGE_CURVATURE };
enum { CAROM_EDGE_LOW = 3, CAROM_EDGE_HIGH, CAROM_EDGE_SIZE, CAROM_EDGE_ROWS };

struct carom_variation_part;
// variation.c
/// carom_variation_pull() for parts by Runge-Kutta.
void carom_variation_pull_stages(const struct carom_variation_part *over, int size, double *row,
                                 double *room);

// taylor.c
/// A step by the series; false: there is none here, and `status` is left alone.
bool carom_taylor_try(carom_stepper *s, double t_end, carom_status *status, carom_error *error);
/// The polynomial after h: y1.
void carom_taylor_end(carom_stepper *s, double h);
/// The coefficients in units of the step.
void carom_taylor_dense(carom_stepper *s);

#endif
