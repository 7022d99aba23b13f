// SPDX-License-Identifier: MIT
/// Roots of functions known by their values alone: a polynomial through Chebyshev points stands in
/// for g on each piece of the step; where 17 points do not represent g, the piece is halved. The
/// polynomial has rigorous bounds, so the search of root.c serves it; a crossing is then polished
/// on g itself. A feature narrower than the spacing of the points can escape, unlike with bounds.
#include "ode/root_hunt.h"

#include <assert.h>
#include <float.h>

enum { FINE = 16, COARSE = 8, DEPTH = 24, PIECES = 4000 };
static const double SHORTEST =
    0x1p-20; // a piece so short is a straight line: kinks and jumps end here

// cos(pi j / 16)
static const double NODE[FINE + 1] = {1.0,
                                      0.98078528040323044913,
                                      0.92387953251128675613,
                                      0.83146961230254523708,
                                      0.70710678118654752440,
                                      0.55557023301960222474,
                                      0.38268343236508977173,
                                      0.19509032201612826785,
                                      0.0,
                                      -0.19509032201612826785,
                                      -0.38268343236508977173,
                                      -0.55557023301960222474,
                                      -0.70710678118654752440,
                                      -0.83146961230254523708,
                                      -0.92387953251128675613,
                                      -0.98078528040323044913,
                                      -1.0};
// where a fit of either degree is put to the test: between the nodes
static const double TEST_COARSE[2] = {0.19509032201612826785, -0.83146961230254523708};
static const double TEST_FINE[2] = {0.29028467725446236764, -0.63439328416364549822};

typedef struct piece {
  double a, b, middle, half;
  int degree;
  double c[FINE + 1]; // about the middle in u = (theta - middle) / half
  double size;        // sum |c_j|
} piece;

typedef struct sampler {
  const carom_root_functions *functions;
  int k;
  double scale; // the largest |g| seen on the whole step
} sampler;

static double sample_at(const sampler *s, double theta) {
  double g[3] = {NAN, NAN, NAN};
  s->functions->value(s->functions->ctx, s->k, theta, g);
  return g[0];
}

// the ends are hit exactly, so that neighbouring pieces agree on them
static double place_in_piece(const piece *p, double u) {
  return u == 1.0 ? p->b : u == -1.0 ? p->a : p->middle + p->half * u;
}

// --- the polynomial as a function with bounds ---

static void piece_value(void *ctx, int k, double theta, double g[3]) {
  (void)k;
  const piece *p = ctx;
  double u = (theta - p->middle) / p->half, y = 0.0, dy = 0.0, ddy = 0.0;
  for (int j = p->degree; j >= 0; j--) {
    ddy = ddy * u + dy;
    dy = dy * u + y;
    y = y * u + p->c[j];
  }
  g[0] = y;
  g[1] = dy / p->half;
  g[2] = 2.0 * ddy / (p->half * p->half);
}

// range of sum_j c_j s^j over |s| <= r, the even powers one-sided
static carom_interval series_range(const double *c, int degree, double r, double noise) {
  double lo = c[0], hi = c[0], power = 1.0;
  for (int j = 1; j <= degree; j++) {
    power *= r;
    double term = c[j] * power;
    if (j % 2)
      term = fabs(term), lo -= term, hi += term;
    else if (term > 0.0)
      hi += term;
    else
      lo += term;
  }
  return (carom_interval){lo - noise, hi + noise};
}

static void piece_bound(void *ctx, int k, double a, double b, carom_interval g[3]) {
  (void)k;
  const piece *p = ctx;
  double c[FINE + 1] = {0.0}, n = p->degree;
  double from = (a - p->middle) / p->half, to = (b - p->middle) / p->half, m = 0.5 * (from + to);
  double r = 0.5 * (to - from) + 4.0 * DBL_EPSILON;
  for (int j = 0; j <= p->degree; j++)
    c[j] = p->c[j];
  for (int i = 0; i < p->degree; i++)
    for (int j = p->degree - 1; j >= i; j--)
      c[j] += m * c[j + 1];
  double noise = 64.0 * DBL_EPSILON * p->size + DBL_MIN;
  g[0] = series_range(c, p->degree, r, noise);
  for (int d = 1; d <= 2; d++) {
    for (int j = 1; j <= p->degree; j++)
      c[j - 1] = j * c[j];
    c[p->degree] = 0.0;
    noise *= n;
    double scale = d == 1 ? p->half : p->half * p->half;
    g[d] = series_range(c, p->degree, r, noise);
    g[d].lo /= scale, g[d].hi /= scale;
  }
}

// --- the fit ---

// Chebyshev coefficients of the polynomial through v[j] at cos(pi j / 16). The values are folded
// about the middle first: even coefficients see the sums, odd ones the differences.
static void transform_fine(const double *restrict v, double *restrict c) {
  enum { n = FINE };
  double fold[2][FINE / 2 + 1];
  for (int j = 0; j < n / 2; j++) {
    fold[0][j] = v[j] + v[n - j];
    fold[1][j] = v[j] - v[n - j];
  }
  fold[0][n / 2] = v[n / 2];
  fold[1][n / 2] = 0.0;
  fold[0][0] *= 0.5;
  fold[1][0] *= 0.5;
  for (int m = 0; m <= n; m++) {
    double sum = 0.0;
    for (int j = 0; j <= n / 2; j++) {
      unsigned angle = (unsigned)(m * j) % (2 * FINE);
      sum += fold[m % 2][j] * NODE[angle <= FINE ? angle : 2 * FINE - angle];
    }
    c[m] = sum * ((m == 0 || m == n ? 1.0 : 2.0) / n);
  }
}

// The same for n = 8, v[0], v[2] .. v[16], written out: every step of an integration comes through.
static void transform_coarse(const double *v, double *c) {
  const double c1 = NODE[2], c2 = NODE[4], c3 = NODE[6], quarter = 0.25, eighth = 0.125;
  double s0 = 0.5 * (v[0] + v[16]), s1 = v[2] + v[14], s2 = v[4] + v[12], s3 = v[6] + v[10];
  double d0 = 0.5 * (v[0] - v[16]), d1 = v[2] - v[14], d2 = v[4] - v[12], d3 = v[6] - v[10];
  double outer = s0 + v[8], inner = s1 + s3, turn = c2 * (s1 - s3), rest = s0 - v[8];
  c[0] = eighth * (outer + s2 + inner);
  c[2] = quarter * (rest + turn);
  c[4] = quarter * (outer - s2);
  c[6] = quarter * (rest - turn);
  c[8] = eighth * (outer + s2 - inner);
  double plus = d0 + c2 * d2, minus = d0 - c2 * d2, a = c1 * d1 + c3 * d3, b = c3 * d1 - c1 * d3;
  c[1] = quarter * (plus + a);
  c[3] = quarter * (minus + b);
  c[5] = quarter * (minus - b);
  c[7] = quarter * (plus - a);
}

static double clenshaw_sum(int n, const double *c, double u) {
  double b1 = 0.0, b2 = 0.0;
  for (int j = n; j >= 1; j--) {
    double b0 = 2.0 * u * b1 - b2 + c[j];
    b2 = b1, b1 = b0;
  }
  return u * b1 - b2 + c[0];
}

// From Chebyshev polynomials to powers of u: Clenshaw's recurrence b_j = c_j + 2 u b_{j+1} -
// b_{j+2} on coefficients. b_j has degree n - j.
static void to_powers(int n, const double *c, piece *p) {
  assert(n > 0);
  double rows[2][FINE + 2] = {{0.0}};
  for (int j = n; j >= 1; j--) {
    double *b = rows[j % 2]; // holds b_{j+2}, becomes b_j
    const double *next = rows[(j + 1) % 2];
    for (int i = n - j; i >= 1; i--)
      b[i] = 2.0 * next[i - 1] - b[i];
    b[0] = c[j] - b[0];
  }
  p->degree = n;
  p->c[0] = c[0] - rows[0][0];
  p->size = fabs(p->c[0]);
  for (int i = 1; i <= n; i++) {
    p->c[i] = rows[1][i - 1] - rows[0][i];
    p->size += fabs(p->c[i]);
  }
}

typedef enum fit_result { FIT_GOOD, FIT_NO_ROOT, FIT_POOR, FIT_NONFINITE } fit_result;

// far from zero: no root even if the neglected part is many times what the last coefficients show
static bool far_from_zero(int n, const double *c) {
  double rest = 0.0;
  for (int j = 1; j <= n; j++)
    rest += fabs(c[j]);
  return fabs(c[0]) - rest > 16.0 * (fabs(c[n]) + fabs(c[n - 1]));
}

static bool series_fits(const sampler *s, const piece *p, int n, const double *c, double allowed) {
  const double *test = n == COARSE ? TEST_COARSE : TEST_FINE;
  for (int i = 0; i < 2; i++)
    if (!(fabs(sample_at(s, place_in_piece(p, test[i])) - clenshaw_sum(n, c, test[i])) <= allowed))
      return false;
  return true;
}

// A function that has not left its root is followed out of the band about zero: there a value far
// from zero against its changes may be rounding.
static fit_result fit_piece(sampler *s, piece *p, const carom_root_hunt *hunt, bool whole) {
  double v[FINE + 1], c[FINE + 1];
  for (int n = COARSE; n <= FINE; n *= 2) {
    int stride = FINE / n;
    for (int j = FINE; j >= 0; j -= stride) {
      if (n == FINE && j % 2 == 0) continue; // known from the coarse grid
      v[j] = sample_at(s, place_in_piece(p, NODE[j]));
      if (!isfinite(v[j])) return FIT_NONFINITE;
      if (whole) s->scale = fmax(s->scale, fabs(v[j]));
    }
    if (n == COARSE)
      transform_coarse(v, c);
    else
      transform_fine(v, c);
    if (!hunt->on_root && far_from_zero(n, c)) return FIT_NO_ROOT;
    // as good as rounding allows, or as the caller's idea of zero asks
    double allowed = fmax(64.0 * DBL_EPSILON * s->scale, 0.25 * hunt->watch.tolerance);
    if (!series_fits(s, p, n, c, allowed)) continue;
    to_powers(n, c, p);
    return FIT_GOOD;
  }
  return FIT_POOR;
}

static void straight_line(const sampler *s, piece *p) {
  double left = sample_at(s, p->a), right = sample_at(s, p->b);
  p->degree = 1;
  p->c[0] = 0.5 * (left + right);
  p->c[1] = 0.5 * (right - left);
  p->size = fabs(p->c[0]) + fabs(p->c[1]);
}

// The polynomial's crossing moved to the first double where g itself has the new sign.
static double polish_crossing(const sampler *s, const piece *p, int sign, double theta) {
  double lo = theta, hi = theta, reach = DBL_EPSILON / 4.0;
  bool before = sign * sample_at(s, theta) > 0.0, flipped = false;
  // reach out from the polynomial's root, each time eight times as far, until g has the other sign
  for (int i = 0; i < 12 && !flipped; i++) {
    reach *= 8.0;
    double other = before ? fmin(p->b, theta + reach) : fmax(p->a, theta - reach);
    bool other_before = sign * sample_at(s, other) > 0.0;
    *(other_before ? &lo : &hi) = other;
    flipped = other_before != before;
    if (!flipped && (other == p->a || other == p->b)) return theta;
  }
  if (!(lo < hi)) return theta;
  for (;;) {
    double middle = 0.5 * (lo + hi);
    if (middle <= lo || middle >= hi) return hi;
    if (sign * sample_at(s, middle) <= 0.0)
      hi = middle;
    else
      lo = middle;
  }
}

// --- the walk from left to right ---

static carom_root search_piece(const sampler *s, carom_root_hunt *h, piece *p, double limit) {
  carom_root_functions stand_in = {
      .ctx = p, .count = 1, .value = piece_value, .bound = piece_bound};
  h->functions = &stand_in; // cppcheck-suppress autoVariables
  h->function = 0;
  h->seen_count = 0; // another polynomial
  carom_root root = carom_root_hunt_over(h, p->a, fmin(p->b, limit));
  h->functions = NULL; // the stand-in ends here
  root.function = s->k;
  if (root.kind == CAROM_ROOT_CROSSING)
    root.theta = polish_crossing(s, p, -root.direction, root.theta);
  return root;
}

carom_root carom_root_sampled(const carom_root_functions *functions, int k,
                              const carom_root_watch *watch, double tie, double limit) {
  assert(k >= 0 && k < functions->count);
  sampler s = {functions, k, 0.0};
  carom_root_hunt h = {.watch = *watch, .work = CAROM_ROOT_WORK};
  carom_root root = {.kind = CAROM_ROOT_NONE, .function = k};
  double start = sample_at(&s, 0.0), ends[DEPTH], a = 0.0;
  if (!isfinite(start)) {
    root.kind = CAROM_ROOT_NONFINITE;
    return root;
  }
  carom_root_hunt_start(&h, start);
  int top = 0;
  ends[top++] = 1.0;
  for (int pieces = 0; top > 0 && a < limit; pieces++) {
    piece p = {.a = a, .b = ends[top - 1]};
    p.middle = 0.5 * (p.a + p.b);
    p.half = 0.5 * (p.b - p.a);
    if (pieces == PIECES) {
      root.kind = CAROM_ROOT_UNDECIDED;
      root.theta = a;
      return root;
    }
    fit_result r = fit_piece(&s, &p, &h, pieces == 0);
    bool shortest = p.b - p.a <= SHORTEST;
    if (r == FIT_NONFINITE && shortest) {
      root.kind = CAROM_ROOT_NONFINITE;
      root.theta = p.b;
      return root;
    }
    if ((r == FIT_POOR && !shortest) || r == FIT_NONFINITE) {
      ends[top++] = p.middle;
      continue;
    }
    if (r != FIT_NO_ROOT) {
      if (r == FIT_POOR) straight_line(&s, &p);
      root = search_piece(&s, &h, &p, limit);
      if (root.kind != CAROM_ROOT_NONE) return root;
    }
    a = ends[--top];
  }
  if (limit == 1.0) {
    const double near_end = 0x1p-20;
    double g = sample_at(&s, 1.0), slope = (g - sample_at(&s, 1.0 - near_end)) / near_end;
    root = carom_root_hunt_end(&h, g, slope, tie);
  }
  root.function = k;
  return root;
}
