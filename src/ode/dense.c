// SPDX-License-Identifier: MIT
/// The dense output: values, slopes and rigorous ranges of the step's polynomials
///   y_i(t + (origin + s) h) = sum_j centre[j][i] s^j,
/// about the middle of a step of Runge-Kutta, and about the start of a series.
#include "ode/stepper_parts.h"

#include <assert.h>
#include <float.h>

enum { DEGREE = CAROM_DENSE_DEGREE, MOST = CAROM_SERIES_DEGREE, ROUGH = 8 };
static const double WIDE = 0.04; // of the step: intervals for which powers up to ROUGH will do

// j and j (j - 1)
static const double FIRST[MOST + 1] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
static const double SECOND[MOST + 1] = {0,  0,  2,   6,   12,  20,  30,  42, 56,
                                        72, 90, 110, 132, 156, 182, 210, 240};

static double edge_value(const carom_stepper *p, int which, int i) {
  return p->expansion.edge[(size_t)which * p->stride + (size_t)i];
}

// derivative `order` (0, 1, 2) of a series, `count` components, four at a time
CAROM_INLINE void form_series(const carom_stepper *p, int count, double s, int order,
                              double *restrict out) {
  const double *factor = order == 1 ? FIRST : SECOND;
  double per_h = order == 0 ? 1.0 : order == 1 ? 1.0 / p->h : 1.0 / (p->h * p->h);
  for (int at = 0; at < count; at += CAROM_LANES) {
    const double *c = p->expansion.coefficients + at;
    carom_v4 sum = {0.0};
    for (int j = p->dense.degree; j >= order; j--) {
      carom_v4 term = p->expansion.power[j] * v4_load(c + j * p->n);
      sum = sum * s + (order == 0 ? term : factor[j] * term);
    }
    sum *= per_h;
    for (int i = at; i < count && i < at + CAROM_LANES; i++)
      out[i] = sum[i - at];
  }
}

#define SERIES(name, target)                                                                       \
  target static void series_##name(const carom_stepper *p, int count, double s, double *y,         \
                                   double *dy, double *ddy) {                                      \
    if (y) form_series(p, count, s, 0, y);                                                         \
    if (dy) form_series(p, count, s, 1, dy);                                                       \
    if (ddy) form_series(p, count, s, 2, ddy);                                                     \
  }
SERIES(plain, )
SERIES(wide, CAROM_WITH_AVX2)

static void eval_value(const carom_stepper *p, double s, double *restrict y) {
  const double *c = p->dense.centre[0];
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
  const double *c = p->dense.centre[0];
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
  const double *c = p->dense.centre[0];
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
  assert(stepper->dense.known);
  double s = theta - stepper->dense.origin;
  if (stepper->dense.origin == 0.0) {
    (stepper->wide ? series_wide : series_plain)(stepper, stepper->n, s, y, dy, ddy);
    return;
  }
  if (y) eval_value(stepper, s, y);
  if (dy) eval_slope(stepper, s, dy);
  if (ddy) eval_curvature(stepper, s, ddy);
}

void carom_dense_states(const carom_stepper *stepper, double theta, double *y, double *dy) {
  assert(stepper->dense.known);
  if (stepper->dense.origin == 0.0)
    (stepper->wide ? series_wide : series_plain)(stepper, stepper->options.controlled, theta, y, dy,
                                                 NULL);
  else
    carom_dense_eval(stepper, theta, y, dy, NULL);
}

void carom_dense_component(const carom_stepper *stepper, int i, double theta, double y[3]) {
  assert(stepper->dense.known && 0 <= i && i < stepper->options.controlled);
  double s = theta - stepper->dense.origin, value = 0.0, slope = 0.0, curvature = 0.0;
  if (s == 1.0) { // the end of a series
    value = edge_value(stepper, CAROM_EDGE_VALUE, i);
    slope = edge_value(stepper, CAROM_EDGE_SLOPE, i);
    curvature = edge_value(stepper, CAROM_EDGE_CURVATURE, i);
  }
  for (int j = s == 1.0 ? -1 : s == 0.0 ? 2 : stepper->dense.degree; j >= 0; j--) {
    curvature = curvature * s + slope;
    slope = slope * s + value;
    value = value * s + stepper->dense.centre[j][i];
  }
  y[0] = value;
  y[1] = slope / stepper->h;
  y[2] = 2.0 * curvature / (stepper->h * stepper->h);
}

// four samples at a time: the same sums as above
CAROM_INLINE bool form_within(const carom_stepper *p, int i, int count, double tolerance) {
  carom_m4 good = {-1, -1, -1, -1};
  for (int first = 0; first < count; first += CAROM_LANES) {
    carom_v4 s = {0.0}, value = {0.0};
    for (int lane = 0; lane < CAROM_LANES; lane++)
      s[lane] = (double)(first + lane) / count - p->dense.origin;
    for (int j = p->dense.degree; j >= 0; j--)
      value = value * s + p->dense.centre[j][i];
    good &= v4_abs(value) <= tolerance;
  }
  return good[0] && good[1] && good[2] && good[3];
}
static bool within_plain(const carom_stepper *p, int i, int count, double tolerance) {
  return form_within(p, i, count, tolerance);
}
CAROM_WITH_AVX2 static bool within_wide(const carom_stepper *p, int i, int count,
                                        double tolerance) {
  return form_within(p, i, count, tolerance);
}

bool carom_dense_within(const carom_stepper *stepper, int i, int count, double tolerance) {
  assert(stepper->dense.known && 0 <= i && i < stepper->options.controlled);
  assert(count % CAROM_LANES == 0);
  return (stepper->wide ? within_wide : within_plain)(stepper, i, count, tolerance);
}

// moves the centre of a polynomial: c(s + m) as coefficients in s (repeated synthetic division)
static inline void shift_by(double *c, int degree, double m) {
  for (int k = 0; k < degree; k++)
    for (int j = degree - 1; j >= k; j--)
      c[j] += m * c[j + 1];
}

// with a degree that the compiler knows it is straight code
static void shift_origin(double *c, int degree, double m) {
  if (m == 0.0) return;
  switch (degree) {
  case DEGREE: shift_by(c, DEGREE, m); break;
  case ROUGH: shift_by(c, ROUGH, m); break;
  case MOST - 1: shift_by(c, MOST - 1, m); break;
  case MOST: shift_by(c, MOST, m); break;
  default: shift_by(c, degree, m); break;
  }
}

// c1 s + c2 s^2 over |s| <= r, exactly
static inline carom_interval range_quadratic(double c1, double c2, double r) {
  double even = c2 * (r * r), odd = fabs(c1) * r;
  carom_interval range = {even - odd, even + odd};
  if (odd < 2.0 * fabs(even)) { // the vertex -c1^2 / (4 c2) lies inside
    double vertex = -0.25 * c1 * (c1 / c2);
    *(even > 0.0 ? &range.lo : &range.hi) = vertex;
  }
  return range;
}

static inline void add_even(carom_interval *range, double term) {
  range->lo += term < 0.0 ? term : 0.0;
  range->hi += term < 0.0 ? 0.0 : term;
}

static inline carom_interval sum_up(double c0, carom_interval range, double odd, double noise) {
  double spread = odd + noise;
  return (carom_interval){c0 + (range.lo - spread), c0 + (range.hi + spread)};
}

// Ranges of sum_j c_j s^j over |s| <= r and of its first two derivatives: the part up to s^2
// exactly, of every higher power its own range. `noise` is what may have to be added.
static inline void range_all(const double *c, int degree, double r, const double noise[3],
                             carom_interval *y, carom_interval *dy, carom_interval *ddy) {
  carom_interval value = range_quadratic(c[1], c[2], r);
  carom_interval slope = range_quadratic(2.0 * c[2], 3.0 * c[3], r);
  carom_interval bend = range_quadratic(6.0 * c[3], 12.0 * c[4], r);
  double r2 = r * r, p = r2 * r; // p = r^j, on its way
  double odd = fabs(c[3]) * p, odd_slope = 4.0 * fabs(c[4]) * p, odd_bend = 0.0;
  add_even(&value, c[4] * (r2 * r2));
  for (int j = 5; j <= degree; j += 2) {
    double before = p * r, even = before * r; // r^(j - 1), r^j
    double size = fabs(c[j]);
    odd += size * even;
    add_even(&slope, FIRST[j] * c[j] * before);
    odd_bend += SECOND[j] * size * p;
    p = even;
    if (j == degree) break;
    add_even(&value, c[j + 1] * (even * r));
    odd_slope += FIRST[j + 1] * fabs(c[j + 1]) * even;
    add_even(&bend, SECOND[j + 1] * c[j + 1] * before);
  }
  *y = sum_up(c[0], value, odd, noise[0]);
  *dy = sum_up(c[1], slope, odd_slope, noise[1]);
  *ddy = sum_up(2.0 * c[2], bend, odd_bend, noise[2]);
}

// the value alone
static carom_interval range_value(const double *c, int degree, double r, double noise) {
  carom_interval value = range_quadratic(c[1], c[2], r);
  double power = r * r, odd = 0.0;
  for (int j = 3; j <= degree; j++) {
    power *= r;
    if (j % 2)
      odd += fabs(c[j]) * power;
    else
      add_even(&value, c[j] * power);
  }
  return sum_up(c[0], value, odd, noise);
}

static double rounding_slack(int degree) { return 4.0 * (degree + 1) * DBL_EPSILON; }

// Range over 0 <= s <= 1, likewise; the powers from the third on add between low and high.
static carom_interval range_whole(double c0, double c1, double c2, double low, double high,
                                  double noise) {
  double end = c1 + c2, lo = end < 0.0 ? end : 0.0, hi = end < 0.0 ? 0.0 : end;
  if (c1 * (c1 + 2.0 * c2) < 0.0) { // the slope changes its sign
    double vertex = -0.25 * c1 * (c1 / c2);
    if (c2 > 0.0)
      lo = vertex;
    else
      hi = vertex;
  }
  return (carom_interval){c0 + (lo + low) - noise, c0 + (hi + high) + noise};
}

// the same of a series over its whole step
static carom_interval series_range(const carom_stepper *p, int i) {
  double noise = rounding_slack(p->dense.degree) * edge_value(p, CAROM_EDGE_SIZE, i) + DBL_MIN;
  return range_whole(p->dense.centre[0][i], p->dense.centre[1][i], p->dense.centre[2][i],
                     edge_value(p, CAROM_EDGE_LOW, i), edge_value(p, CAROM_EDGE_HIGH, i), noise);
}

carom_interval carom_polynomial_range(int degree, const double *c, double noise) {
  assert(2 <= degree && degree <= MOST);
  double low = 0.0, high = 0.0, size = fabs(c[0]) + fabs(c[1]) + fabs(c[2]);
  for (int j = 3; j <= degree; j++)
    low += c[j] < 0.0 ? c[j] : 0.0, high += c[j] < 0.0 ? 0.0 : c[j];
  size += high - low;
  return range_whole(c[0], c[1], c[2], low, high, noise + rounding_slack(degree) * size + DBL_MIN);
}

// Over all but short intervals the high powers of a series are small beside what the enclosure
// leaves open anyway: their moduli are enough. `rest` is what those above `degree` can add to the
// value and its derivatives for 0 <= s <= b.
static void sum_moduli(const double *c, int degree, int last, double b, double rest[3]) {
  double value = 0.0, slope = 0.0, curvature = 0.0, power = 1.0;
  for (int j = last; j > degree; j--) {
    double size = fabs(c[j]);
    value = value * b + size;
    slope = slope * b + FIRST[j] * size;
    curvature = curvature * b + SECOND[j] * size;
  }
  for (int j = 1; j < degree; j++)
    power *= b;
  rest[0] = value * power * b * b;
  rest[1] = slope * power * b;
  rest[2] = curvature * power;
}

// Ranges over [a, b] of a polynomial about `origin`, whose coefficients are overwritten, and of its
// derivatives (both or none). `size` is the sum of |c_j| r^j, r the reach from the origin, and
// `noise` what the ranges may be wrong by already.
static void bound_polynomial(double *c, int degree, double origin, double a, double b, double size,
                             const double noise[3], carom_interval *y, carom_interval *dy,
                             carom_interval *ddy) {
  // all roundings below are of terms bounded by `size` (for derivatives times j, j^2 and powers of
  // two)
  double unit = rounding_slack(degree), bulge = size - fabs(c[0]);
  double wrong[3] = {noise[0] + unit * size + DBL_MIN,
                     noise[1] + 2.0 * degree * unit * bulge + DBL_MIN,
                     noise[2] + 4.0 * degree * (degree - 1) * unit * bulge + DBL_MIN};
  if (origin == 0.0 && degree > ROUGH && b - a >= WIDE) {
    double rest[3];
    sum_moduli(c, ROUGH, degree, b, rest);
    for (int k = 0; k < 3; k++)
      wrong[k] += rest[k];
    degree = ROUGH;
  }

  // the middle of the interval becomes the centre; half its width is rounded as well
  double middle = 0.5 * (a + b);
  double right = b - middle, left = middle - a;
  double r = right > left ? right : left;
  shift_origin(c, degree, middle - origin);
  if (!dy || !ddy)
    *y = range_value(c, degree, r, wrong[0]);
  else if (degree == ROUGH) // straight code
    range_all(c, ROUGH, r, wrong, y, dy, ddy);
  else
    range_all(c, degree, r, wrong, y, dy, ddy);
}

// sum of |c_j| r^j
static double size_of(const double *c, int degree, double r) {
  double size = 0.0;
  for (int j = degree; j >= 0; j--)
    size = size * r + fabs(c[j]);
  return size;
}

// kept out of the function that most steps end with, whose way in would be longer than its work
#if defined(__GNUC__)
#define APART __attribute__((noinline))
#else
#define APART
#endif
APART static void bound_part(const carom_stepper *stepper, int i, double a, double b,
                             carom_interval *y, carom_interval *dy, carom_interval *ddy) {
  const double exact[3] = {0.0, 0.0, 0.0};
  double c[MOST + 1] = {0.0}, per_h = 1.0 / stepper->h;
  for (int j = 0; j <= stepper->dense.degree; j++)
    c[j] = stepper->dense.centre[j][i];
  bool series = stepper->dense.origin == 0.0;
  double size =
      series ? edge_value(stepper, CAROM_EDGE_SIZE, i) : size_of(c, stepper->dense.degree, 0.5);
  carom_interval whole[3];
  bool slopes = dy || ddy;
  bound_polynomial(c, stepper->dense.degree, stepper->dense.origin, a, b, size, exact, whole,
                   slopes ? whole + 1 : NULL, slopes ? whole + 2 : NULL);
  if (y) *y = whole[0];
  if (dy) *dy = (carom_interval){whole[1].lo * per_h, whole[1].hi * per_h};
  if (ddy) *ddy = (carom_interval){whole[2].lo * (per_h * per_h), whole[2].hi * (per_h * per_h)};
}

void carom_polynomial_bound(int degree, const double *c, double a, double b, const double noise[3],
                            carom_interval g[3]) {
  assert(4 <= degree && degree <= MOST && 0.0 <= a && a <= b && b <= 1.0);
  double copy[MOST + 1];
  copy[0] = c[0];
  for (int j = 1; j <= degree; j++)
    copy[j] = c[j];
  bound_polynomial(copy, degree, 0.0, a, b, size_of(c, degree, 1.0), noise, g, g + 1, g + 2);
}

static inline void form_value(int degree, const double *c, double theta, double g[3]) {
  double value = 0.0, slope = 0.0, curvature = 0.0;
  for (int j = degree; j >= 0; j--) {
    curvature = curvature * theta + slope;
    slope = slope * theta + value;
    value = value * theta + c[j];
  }
  g[0] = value;
  g[1] = slope;
  g[2] = 2.0 * curvature;
}

void carom_polynomial_value(int degree, const double *c, double theta, double g[3]) {
  if (degree == MOST - 1) // of a watched function; straight code
    form_value(MOST - 1, c, theta, g);
  else
    form_value(degree, c, theta, g);
}

carom_interval carom_dense_range(const carom_stepper *stepper, int i) {
  assert(stepper->dense.known && 0 <= i && i < stepper->options.controlled);
  if (stepper->dense.origin == 0.0) return series_range(stepper, i);
  carom_interval range;
  bound_part(stepper, i, 0.0, 1.0, &range, NULL, NULL);
  return range;
}

void carom_dense_bound(const carom_stepper *stepper, int i, double a, double b, carom_interval *y,
                       carom_interval *dy, carom_interval *ddy) {
  assert(stepper->dense.known && 0 <= i && i < stepper->options.controlled);
  assert(0.0 <= a && a <= b && b <= 1.0);
  if (y && !dy && !ddy && a == 0.0 && b == 1.0)
    *y = carom_dense_range(stepper, i);
  else
    bound_part(stepper, i, a, b, y, dy, ddy);
}
