// SPDX-License-Identifier: MIT
/// Interpolation at Chebyshev points: integrals of the Lagrange polynomials in two variables, and
/// first zeros of functions known at the points.
#include "base/wide.h"
#include "impact/energetic_internal.h"

#include <assert.h>
#include <math.h>

static const double PI = 3.14159265358979323846;

static const double ROUNDING = 1e-16; // of values about a zero
static const double CLOSE = 1e-15;    // of a step: two guesses of a zero

enum { GAUSS = 12 }; // points: exact for degree 23, beyond what is integrated here

// Gauss-Legendre points and weights on [0, 1] by Newton's iteration on P_n
static void gauss_points(double *point, double *weight) {
  for (int i = 0; i < GAUSS; i++) {
    double z = carom_cos(PI * (i + 0.75) / (GAUSS + 0.5)), slope = 1.0;
    for (int round = 0; round < 60; round++) {
      double p1 = 1.0, p2 = 0.0;
      for (int j = 1; j <= GAUSS; j++) {
        double p3 = p2;
        p2 = p1;
        p1 = ((2 * j - 1) * z * p2 - (j - 1) * p3) / j;
      }
      slope = GAUSS * (z * p1 - p2) / (z * z - 1.0);
      double step = p1 / slope;
      z -= step;
      if (fabs(step) < 1e-15) break;
    }
    point[i] = (1.0 - z) / 2.0;
    weight[i] = 1.0 / ((1.0 - z * z) * slope * slope);
  }
}

// the k-th Lagrange polynomial
static double lagrange_value(const energetic_table *t, int k, double u) {
  double product = 1.0;
  for (int j = 0; j < t->nodes; j++)
    if (j != k) product *= (u - t->u[j]) / (t->u[k] - t->u[j]);
  return product;
}

// twice: the repeated integral is that of (u_j^2 - u^2) f over u^2 (Cauchy)
static void fill_integrals(energetic_table *t, const double *point, const double *weight) {
  for (int k = 0; k < t->nodes; k++)
    for (int j = 0; j < t->nodes; j++) {
      double end = t->u[j], once = 0.0, twice = 0.0;
      for (int g = 0; g < GAUSS; g++) {
        double u = end * point[g];
        double part = weight[g] * end * (2.0 * u) * lagrange_value(t, k, u);
        once += part;
        twice += part * (end * end - u * u);
      }
      t->once[k][j] = once;
      t->twice[k][j] = twice;
    }
}

void energetic_table_fill(energetic_table *t, int nodes) {
  assert(nodes % 4 == 0 && nodes <= ENERGETIC_NODES && 2 * GAUSS > nodes + 3);
  int m = nodes - 1;
  double point[GAUSS], weight[GAUSS];
  gauss_points(point, weight);
  *t = (energetic_table){.nodes = nodes};
  for (int j = 0; j <= m; j++) {
    double half = carom_sin(PI * j / (2.0 * m));
    t->u[j] = half * half;
    t->weight[j] = (j % 2 ? -1.0 : 1.0) * (j == 0 || j == m ? 0.5 : 1.0);
    t->last[0][j] = t->weight[j] / m;
    t->last[1][j] = (j == 0 || j == m ? 1.0 : 2.0) * carom_cos(PI * j * (m - 1) / m) / m;
  }
  t->u[m] = 1.0;
  for (int j = 0; j <= m; j++)
    t->phi[j] = t->u[j] * t->u[j];
  fill_integrals(t, point, weight);
}

// nodes come in fours
double energetic_interpolate(const energetic_table *t, const double *values, double u) {
  carom_v4 above = {0.0}, below = {0.0};
  for (int j = 0; j < t->nodes; j += 4) {
    carom_v4 d = u - v4_load(t->u + j), q = v4_load(t->weight + j) / d;
    above += q * v4_load(values + j);
    below += q;
  }
  double sum = (below[0] + below[1]) + (below[2] + below[3]);
  if (isfinite(sum)) return ((above[0] + above[1]) + (above[2] + above[3])) / sum;
  int node = 0; // at one of them
  while (node + 1 < t->nodes && u != t->u[node])
    node++;
  return values[node];
}

// a zero between a (value >= 0) and b (value < 0): secants, kept inside by bisection (Illinois)
static double zero_between(const energetic_table *t, const double *values, double a, double fa,
                           double b, double fb) {
  int side = 0;
  double last = -1.0, small = ROUNDING * (fa - fb);
  for (int round = 0; round < 80; round++) {
    double c = fa == fb ? 0.5 * (a + b) : (fb * a - fa * b) / (fb - fa);
    if (!(c > a && c < b)) c = 0.5 * (a + b);
    if (!(c > a && c < b) || b - a < 1e-15) break;
    double fc = energetic_interpolate(t, values, c);
    // convergence is faster than linear: what is left is less than this step by far
    if (fabs(fc) <= small || fabs(c - last) < CLOSE) return c;
    last = c;
    if (fc > 0.0) {
      a = c;
      fa = fc;
      if (side == 1) fb *= 0.5;
      side = 1;
    } else {
      b = c;
      fb = fc;
      if (side == -1) fa *= 0.5;
      side = -1;
    }
  }
  return fabs(fa) < fabs(fb) ? a : b;
}

// where the parabola through three values is lowest, and how low; NAN: it has no lowest point
static double lowest_of_parabola(const double *u, const double *f, double *value) {
  double d1 = u[1] - u[0], d2 = u[2] - u[1];
  double s1 = (f[1] - f[0]) / d1, s2 = (f[2] - f[1]) / d2, curve = (s2 - s1) / (d1 + d2);
  if (!(curve > 0.0)) return NAN;
  double middle = (s1 * d2 + s2 * d1) / (d1 + d2);
  *value = f[1] - 0.25 * middle * middle / curve;
  return u[1] - 0.5 * middle / curve;
}

// Does the polynomial dip below zero between positive neighbours of node j? The parabola through
// three nodes shows where to look, those through closer points where exactly: what only just
// touches zero is not to be missed.
static double find_dip(const energetic_table *t, const double *f, int j, double tolerance) {
  bool falls = f[j] <= f[j - 1] || j == 1, rises = f[j] <= f[j + 1] || j + 2 == t->nodes;
  if (!falls || !rises) return 2.0;
  double from = t->u[j - 1], to = t->u[j + 1], least, reach = to - from;
  double at = lowest_of_parabola(t->u + j - 1, f + j - 1, &least);
  if (!(at >= from && at <= to) || least > 0.2 * fmax(f[j - 1], f[j + 1])) return 2.0;
  double value = energetic_interpolate(t, f, at);
  for (int round = 0; round < 3 && !(value < -tolerance); round++) {
    reach *= 0.1;
    double u[3] = {at - reach, at, at + reach}, near[3] = {0.0, value, 0.0};
    near[0] = energetic_interpolate(t, f, u[0]);
    near[2] = energetic_interpolate(t, f, u[2]);
    double next = lowest_of_parabola(u, near, &least);
    if (!(next >= from && next <= to)) break;
    at = next;
    value = energetic_interpolate(t, f, at);
  }
  if (!(value < -tolerance)) return 2.0;
  double a = at > t->u[j] ? t->u[j] : t->u[j - 1];
  return zero_between(t, f, a, energetic_interpolate(t, f, a), at, value);
}

double energetic_first_fall(const energetic_table *t, const double *f, double tolerance) {
  for (int j = 1; j < t->nodes; j++) {
    if (f[j] < -tolerance) {
      if (f[j - 1] > 0.0) return zero_between(t, f, t->u[j - 1], f[j - 1], t->u[j], f[j]);
      return t->u[j - 1];
    }
    if (j + 1 < t->nodes && f[j] > 0.0 && f[j - 1] > 0.0 && f[j + 1] > 0.0) {
      double u = find_dip(t, f, j, tolerance);
      if (u <= 1.0) return u;
    }
  }
  return 2.0;
}

double energetic_integral(const energetic_table *t, const double *values, double u) {
  energetic_nodes sums = {0.0};
  int first = u >= 1.0 ? t->nodes - 1 : 0;
  for (int j = first; j < t->nodes; j++) {
    sums[j] = 0.0;
    for (int k = 0; k < t->nodes; k++)
      sums[j] += t->once[k][j] * values[k];
  }
  return u >= 1.0 ? sums[t->nodes - 1] : energetic_interpolate(t, sums, u);
}
