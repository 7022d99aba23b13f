// SPDX-License-Identifier: MIT
/// The dense output: values, slopes and rigorous ranges of the step's polynomials
///   y_i(t + (1/2 + s) h) = sum_j centre[j][i] s^j,  |s| <= 1/2.
#include "ode/stepper.h"

#include <assert.h>
#include <float.h>

enum { DEGREE = CAROM_DENSE_DEGREE };

static void eval_value(const carom_stepper *p, double s, double *restrict y) {
  const double *c = p->centre[0];
  size_t m = p->stride;
  for (int i = 0; i < p->n; i++) {
    const double *a = c + i;
    y[i] = a[0] +
           s * (a[m] + s * (a[2 * m] +
                            s * (a[3 * m] +
                                 s * (a[4 * m] + s * (a[5 * m] + s * (a[6 * m] + s * a[7 * m]))))));
  }
}

static void eval_slope(const carom_stepper *p, double s, double *restrict dy) {
  const double *c = p->centre[0];
  size_t m = p->stride;
  double per_h = 1.0 / p->h;
  for (int i = 0; i < p->n; i++) {
    const double *a = c + i;
    dy[i] = (a[m] +
             s * (2.0 * a[2 * m] +
                  s * (3.0 * a[3 * m] +
                       s * (4.0 * a[4 * m] +
                            s * (5.0 * a[5 * m] + s * (6.0 * a[6 * m] + s * 7.0 * a[7 * m])))))) *
            per_h;
  }
}

static void eval_curvature(const carom_stepper *p, double s, double *restrict ddy) {
  const double *c = p->centre[0];
  size_t m = p->stride;
  double per_h2 = 1.0 / (p->h * p->h);
  for (int i = 0; i < p->n; i++) {
    const double *a = c + i;
    ddy[i] = (2.0 * a[2 * m] +
              s * (6.0 * a[3 * m] +
                   s * (12.0 * a[4 * m] +
                        s * (20.0 * a[5 * m] + s * (30.0 * a[6 * m] + s * 42.0 * a[7 * m]))))) *
             per_h2;
  }
}

void carom_dense_eval(const carom_stepper *stepper, double theta, double *y, double *dy,
                      double *ddy) {
  assert(stepper->has_dense);
  double s = theta - 0.5;
  if (y) eval_value(stepper, s, y);
  if (dy) eval_slope(stepper, s, dy);
  if (ddy) eval_curvature(stepper, s, ddy);
}

void carom_dense_component(const carom_stepper *stepper, int i, double theta, double y[3]) {
  assert(stepper->has_dense && 0 <= i && i < stepper->n);
  double s = theta - 0.5, value = 0.0, slope = 0.0, curvature = 0.0;
  for (int j = DEGREE; j >= 0; j--) {
    curvature = curvature * s + slope;
    slope = slope * s + value;
    value = value * s + stepper->centre[j][i];
  }
  y[0] = value;
  y[1] = slope / stepper->h;
  y[2] = 2.0 * curvature / (stepper->h * stepper->h);
}

// moves the centre of a polynomial: c(s + m) as coefficients in s (repeated synthetic division)
static void shift(double c[DEGREE + 1], double m) {
  if (m == 0.0) return;
  for (int k = 0; k < DEGREE; k++)
    for (int j = DEGREE - 1; j >= k; j--)
      c[j] += m * c[j + 1];
}

// Range of sum_j c_j s^j over |s| <= r: the part up to s^2 exactly, of every higher power its own
// range. `noise` is what rounding may have added to the value.
static carom_interval range(const double *c, int degree, double r, double noise) {
  double even = c[2] * r * r, odd = fabs(c[1]) * r;
  double lo = even - odd, hi = even + odd;
  if (odd < 2.0 * fabs(even)) { // the vertex -c1^2 / (4 c2) lies inside
    double vertex = -0.25 * c[1] * (c[1] / c[2]);
    if (even > 0.0)
      lo = vertex;
    else
      hi = vertex;
  }
  double power = r * r;
  for (int j = 3; j <= degree; j++) {
    power *= r;
    double term = c[j] * power;
    if (j % 2)
      term = fabs(term), lo -= term, hi += term;
    else if (term > 0.0)
      hi += term;
    else
      lo += term;
  }
  return (carom_interval){c[0] + lo - noise, c[0] + hi + noise};
}

void carom_dense_bound(const carom_stepper *stepper, int i, double a, double b, carom_interval *y,
                       carom_interval *dy, carom_interval *ddy) {
  assert(stepper->has_dense && 0 <= i && i < stepper->n && 0.0 <= a && a <= b && b <= 1.0);
  double c[DEGREE + 1];
  for (int j = 0; j <= DEGREE; j++)
    c[j] = stepper->centre[j][i];

  // all roundings below are of terms bounded by sum |c_j| 2^-j (for derivatives times j, j^2)
  double size = 0.0, power = 1.0;
  for (int j = 0; j <= DEGREE; j++) {
    size += fabs(c[j]) * power;
    power *= 0.5;
  }
  double slack = 32.0 * DBL_EPSILON, noise0 = slack * size + DBL_MIN;
  double bulge = size - fabs(c[0]), per_h = 1.0 / stepper->h;
  double noise1 = 14.0 * slack * bulge + DBL_MIN, noise2 = 168.0 * slack * bulge + DBL_MIN;

  // the middle of the interval becomes the centre; its half-width is rounded up
  double middle = 0.5 * (a + b);
  double right = b - middle, left = middle - a;
  double r = (right > left ? right : left) * (1.0 + 2.0 * DBL_EPSILON);
  shift(c, middle - 0.5);
  if (y) *y = range(c, DEGREE, r, noise0);
  if (!dy && !ddy) return;
  for (int j = 1; j <= DEGREE; j++)
    c[j - 1] = j * c[j];
  if (dy) {
    *dy = range(c, DEGREE - 1, r, noise1);
    dy->lo *= per_h, dy->hi *= per_h;
  }
  if (!ddy) return;
  for (int j = 1; j < DEGREE; j++)
    c[j - 1] = j * c[j];
  *ddy = range(c, DEGREE - 2, r, noise2);
  ddy->lo *= per_h * per_h, ddy->hi *= per_h * per_h;
}

void carom_dense_bound_all(const carom_stepper *stepper, double a, double b, carom_interval *y,
                           carom_interval *dy, carom_interval *ddy) {
  for (int i = 0; i < stepper->n; i++)
    carom_dense_bound(stepper, i, a, b, y ? y + i : NULL, dy ? dy + i : NULL, ddy ? ddy + i : NULL);
}
