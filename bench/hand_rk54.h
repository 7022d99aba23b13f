// SPDX-License-Identifier: MIT
/// A yardstick: what a person writes by hand for one system in an afternoon. Explicit Runge-Kutta
/// 5(4) (Dormand and Prince 1980) for two states, step control, the usual fourth-order interpolant
/// (Hairer, Norsett, Wanner I, II.6), one event function watched at step ends and located on the
/// interpolant. No guard against events missed inside a step.
#ifndef CAROM_BENCH_HAND_RK54_H
#define CAROM_BENCH_HAND_RK54_H

#include <math.h>
#include <string.h>

enum { HAND_N = 2 };

typedef struct hand_rk54 {
  void (*rhs)(double t, const double *y, double *f);
  double (*event)(double t, const double *y);
  double tolerance, t, h, g;
  double y[HAND_N], f[7][HAND_N], y1[HAND_N], dense[5][HAND_N];
  long steps, evaluations;
} hand_rk54;

static inline void hand_start(hand_rk54 *s, double t, const double *y, double h) {
  s->t = t;
  s->h = h;
  memcpy(s->y, y, sizeof s->y);
  s->rhs(t, s->y, s->f[0]);
  s->evaluations++;
  s->g = s->event(t, s->y);
}

// the seven stages; the last one is the slope at the end
static inline void hand_stages(hand_rk54 *s, double h) {
  static const double c[7] = {0.0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1.0, 1.0};
  static const double a[7][6] = {
      {0.0},
      {1. / 5},
      {3. / 40, 9. / 40},
      {44. / 45, -56. / 15, 32. / 9},
      {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
      {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
      {35. / 384, 0.0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}};
  for (int j = 1; j < 7; j++) {
    for (int i = 0; i < HAND_N; i++) {
      double sum = 0.0;
      for (int k = 0; k < j; k++)
        sum += a[j][k] * s->f[k][i];
      s->y1[i] = s->y[i] + h * sum;
    }
    s->rhs(s->t + c[j] * h, s->y1, s->f[j]);
  }
  s->evaluations += 6;
}

static inline double hand_error(const hand_rk54 *s, double h) {
  static const double e[7] = {71. / 57600,      0.0,        -71. / 16695, 71. / 1920,
                              -17253. / 339200, 22. / 525., -1. / 40};
  double sum = 0.0;
  for (int i = 0; i < HAND_N; i++) {
    double error = 0.0;
    for (int k = 0; k < 7; k++)
      error += e[k] * s->f[k][i];
    double q = h * error / (s->tolerance * (1.0 + fmax(fabs(s->y[i]), fabs(s->y1[i]))));
    sum += q * q;
  }
  return sqrt(sum / HAND_N);
}

static inline void hand_make_dense(hand_rk54 *s, double h) {
  static const double d[7] = {-12715105075. / 11282082432,  0.0,
                              87487479700. / 32700410799,   -10690763975. / 1880347072,
                              701980252875. / 199316789632, -1453857185. / 822651844,
                              69997945. / 29380423};
  for (int i = 0; i < HAND_N; i++) {
    double rise = s->y1[i] - s->y[i], bend = h * s->f[0][i] - rise, sum = 0.0;
    for (int k = 0; k < 7; k++)
      sum += d[k] * s->f[k][i];
    s->dense[0][i] = s->y[i];
    s->dense[1][i] = rise;
    s->dense[2][i] = bend;
    s->dense[3][i] = rise - h * s->f[6][i] - bend;
    s->dense[4][i] = h * sum;
  }
}

static inline void hand_at(const hand_rk54 *s, double theta, double *y) {
  double rest = 1.0 - theta;
  for (int i = 0; i < HAND_N; i++)
    y[i] = s->dense[0][i] +
           theta * (s->dense[1][i] +
                    rest * (s->dense[2][i] + theta * (s->dense[3][i] + rest * s->dense[4][i])));
}

// the zero of the event on the interpolant, by the Illinois variant of false position
static inline double hand_locate(const hand_rk54 *s, double h, double g_end, double *y) {
  double lo = 0.0, hi = 1.0, g_lo = s->g, g_hi = g_end;
  int last = 0;
  for (int round = 0; round < 60 && hi - lo > 1e-15; round++) {
    double theta = (lo * g_hi - hi * g_lo) / (g_hi - g_lo);
    if (!(theta > lo && theta < hi)) theta = 0.5 * (lo + hi);
    hand_at(s, theta, y);
    double g = s->event(s->t + theta * h, y);
    if (fabs(g) < 1e-15) {
      hi = theta;
      break;
    }
    if (g < 0.0) {
      hi = theta, g_hi = g;
      if (last < 0) g_lo *= 0.5;
      last = -1;
    } else {
      lo = theta, g_lo = g;
      if (last > 0) g_hi *= 0.5;
      last = 1;
    }
  }
  hand_at(s, hi, y);
  return hi;
}

/// Runs until the event function falls through zero; writes time and state there.
static inline double hand_next_event(hand_rk54 *s, double *y) {
  for (;;) {
    hand_stages(s, s->h);
    double error = hand_error(s, s->h), h = s->h;
    double factor = 0.9 * pow(fmax(error, 1e-10), -0.2);
    s->h = h * fmin(5.0, fmax(0.2, factor));
    if (error > 1.0) continue;
    s->steps++;
    double g = s->event(s->t + h, s->y1);
    if (s->g > 0.0 && g <= 0.0) {
      hand_make_dense(s, h);
      return s->t + hand_locate(s, h, g, y) * h;
    }
    s->t += h;
    s->g = g;
    memcpy(s->y, s->y1, sizeof s->y);
    memcpy(s->f[0], s->f[6], sizeof s->f[0]);
  }
}

#endif
