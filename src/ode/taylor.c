// SPDX-License-Identifier: MIT
// Steps by Taylor series. The length of a step follows from the last two coefficients (Jorba and
// Zou 2005); then the polynomial is put into the differential equation at its end, and the step is
// shorter where it does not fulfil it; what is left there within the tolerance corrects the end.
#include "ode/stepper_parts.h"

#include "base/elementary.h"

#include <assert.h>
#include <float.h>
#include <stdint.h>
#include <string.h>

enum { MOST = CAROM_SERIES_DEGREE, LEAST = CAROM_SERIES_LEAST, PADDING = 8 };
static const double REACH = 1.15;  // of the length at which the last terms are of the tolerance
static const double BESIDE = 10.0; // relative tolerances allowed to what is integrated beside
static const double AGAIN = 0.95, SHRINK_DEFECT = 0.5, SHRINK_NONFINITE = 0.2;

carom_status carom_stepper_series(carom_stepper *s, carom_arena *arena, int degree, int more,
                                  carom_series series, carom_error *error) {
  assert(0 <= degree && degree <= MOST && more >= 0);
  // rows are read by whole vectors, the last one too
  size_t rows = MOST + 1, n = (size_t)s->n;
  s->expansion.coefficients = carom_arena_array(arena, rows * n + (size_t)more + PADDING,
                                                sizeof *s->expansion.coefficients);
  s->expansion.edge =
      carom_arena_array(arena, CAROM_EDGE_ROWS * s->stride, sizeof *s->expansion.edge);
  double *room = carom_arena_array(arena, (rows - CAROM_DENSE_DEGREE) * s->stride, sizeof *room);
  if (!s->expansion.coefficients || !s->expansion.edge || !room) return carom_fail_memory(error);
  for (int j = CAROM_DENSE_DEGREE + 1; j <= MOST; j++, room += s->stride)
    s->dense.centre[j] = room;
  s->expansion.series = series;
  s->expansion.degree = degree < LEAST ? LEAST : degree;
  return CAROM_OK;
}

static const double *coefficient_row(const carom_stepper *s, int j) {
  return s->expansion.coefficients + (size_t)j * (size_t)s->n;
}

// ---- the polynomial, four components at a time ----
// Arrays are padded, and nobody reads what lies beyond the last component.

// j and j (j - 1) / 2
static const double FIRST[MOST + 1] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
static const double SECOND[MOST + 1] = {0,  0,  1,  3,  6,  10, 15,  21, 28,
                                        36, 45, 55, 66, 78, 91, 105, 120};

// `blocks` vectors side by side share their factors.
enum { MOST_BLOCKS = 2 };

// The value after h alone, by the same sums as below.
CAROM_INLINE void form_value(int degree, size_t n, double h, const double *c, double *y) {
  carom_v4 even = {0.0}, odd = {0.0};
  double h2 = h * h;
  int j = degree;
  if (degree % 2 == 0) even = v4_load(c + (size_t)j-- * n);
  for (; j > 1; j -= 2) {
    odd = odd * h2 + v4_load(c + (size_t)j * n);
    even = even * h2 + v4_load(c + (size_t)(j - 1) * n);
  }
  odd = odd * h2 + v4_load(c + n);
  v4_store(y, v4_load(c) + (h * odd + h2 * even));
}

// Value and slope after h. Even and odd powers are sums that run side by side; row c_0 joins last,
// so that it is rounded once.
CAROM_INLINE void form_end(int blocks, int degree, size_t n, double h, const double *c, double *y,
                           double *f) {
  carom_v4 even[MOST_BLOCKS] = {{0.0}}, even_slope[MOST_BLOCKS] = {{0.0}};
  carom_v4 odd[MOST_BLOCKS] = {{0.0}}, odd_slope[MOST_BLOCKS] = {{0.0}};
  double h2 = h * h;
  int j = degree;
  for (int b = 0; b < blocks && degree % 2 == 0; b++) {
    even[b] = v4_load(c + (size_t)j * n + (size_t)(b * CAROM_LANES));
    even_slope[b] = FIRST[j] * even[b];
  }
  for (j -= degree % 2 == 0; j > 1; j -= 2)
    for (int b = 0; b < blocks; b++) {
      const double *row = c + (size_t)j * n + (size_t)(b * CAROM_LANES);
      carom_v4 upper = v4_load(row), lower = v4_load(row - n);
      odd[b] = odd[b] * h2 + upper;
      odd_slope[b] = odd_slope[b] * h2 + FIRST[j] * upper;
      even[b] = even[b] * h2 + lower;
      even_slope[b] = even_slope[b] * h2 + FIRST[j - 1] * lower;
    }
  for (int b = 0; b < blocks; b++) {
    size_t at = (size_t)(b * CAROM_LANES);
    carom_v4 first = v4_load(c + n + at);
    odd[b] = odd[b] * h2 + first;
    odd_slope[b] = odd_slope[b] * h2 + first;
    v4_store(y + at, v4_load(c + at) + (h * odd[b] + h2 * even[b]));
    v4_store(f + at, odd_slope[b] + h * even_slope[b]);
  }
}

// what adds up over the powers: values, moduli, first derivatives, halves of the second
typedef struct sums {
  carom_v4 value, size, slope, bend;
} sums;

CAROM_INLINE void add_row(int blocks, int j, double power, const double *c, double *out,
                          sums *sum) {
  for (int b = 0; b < blocks; b++) {
    carom_v4 term = power * v4_load(c + b * CAROM_LANES);
    v4_store(out + b * CAROM_LANES, term);
    sum[b].value += term;
    sum[b].size += v4_abs(term);
    sum[b].slope += FIRST[j] * term;
    sum[b].bend += SECOND[j] * term;
  }
}

// The coefficients in units of the step, and what the stepper keeps of them in `edge`.
CAROM_INLINE void form_scaled(int blocks, int degree, size_t n, const double *power,
                              const double *c, double *const *centre, size_t at, double *edge,
                              size_t stride) {
  sums sum[MOST_BLOCKS] = {{{0.0}, {0.0}, {0.0}, {0.0}}};
  carom_v4 tail[MOST_BLOCKS] = {{0.0}}, tail_size[MOST_BLOCKS] = {{0.0}};
  for (int j = degree; j >= LEAST; j--)
    add_row(blocks, j, power[j], c + (size_t)j * n, centre[j] + at, sum);
  for (int b = 0; b < blocks; b++)
    tail[b] = sum[b].value, tail_size[b] = sum[b].size;
  for (int j = LEAST - 1; j >= 0; j--)
    add_row(blocks, j, power[j], c + (size_t)j * n, centre[j] + at, sum);
  for (int b = 0; b < blocks; b++) {
    double *to = edge + (size_t)(b * CAROM_LANES);
    v4_store(to + CAROM_EDGE_VALUE * stride, sum[b].value);
    v4_store(to + CAROM_EDGE_SLOPE * stride, sum[b].slope);
    v4_store(to + CAROM_EDGE_CURVATURE * stride, sum[b].bend);
    v4_store(to + CAROM_EDGE_LOW * stride, 0.5 * (tail[b] - tail_size[b]));
    v4_store(to + CAROM_EDGE_HIGH * stride, 0.5 * (tail[b] + tail_size[b]));
    v4_store(to + CAROM_EDGE_SIZE * stride, sum[b].size);
  }
}

// Slopes and dense output are wanted of the states under error control; what is integrated beside
// them only adds up.
#define FORMS(name, target)                                                                        \
  target static void end_##name(const carom_stepper *s, double h, double *y, double *f) {          \
    size_t n = (size_t)s->n, led = (size_t)s->options.controlled, at = 0;                          \
    int degree = s->expansion.degree;                                                              \
    for (; at + CAROM_LANES < led; at += MOST_BLOCKS * CAROM_LANES)                                \
      form_end(MOST_BLOCKS, degree, n, h, s->expansion.coefficients + at, y + at, f + at);         \
    if (at < led) {                                                                                \
      form_end(1, degree, n, h, s->expansion.coefficients + at, y + at, f + at);                   \
      at += CAROM_LANES;                                                                           \
    }                                                                                              \
    for (; at < n; at += CAROM_LANES)                                                              \
      form_value(degree, n, h, s->expansion.coefficients + at, y + at);                            \
  }                                                                                                \
  target static void scaled_##name(const carom_stepper *s) {                                       \
    size_t n = (size_t)s->n, led = (size_t)s->options.controlled, m = s->stride, at = 0;           \
    int degree = s->expansion.degree;                                                              \
    const double *c = s->expansion.coefficients, *power = s->expansion.power;                      \
    double *edge = s->expansion.edge;                                                              \
    for (; at + CAROM_LANES < led; at += MOST_BLOCKS * CAROM_LANES)                                \
      form_scaled(MOST_BLOCKS, degree, n, power, c + at, s->dense.centre, at, edge + at, m);       \
    if (at < led) form_scaled(1, degree, n, power, c + at, s->dense.centre, at, edge + at, m);     \
  }
FORMS(plain, )
FORMS(wide, CAROM_WITH_AVX2)
#define FORM(name, s) ((s)->wide ? name##_wide : name##_plain)

void carom_taylor_end(carom_stepper *s, double h) { FORM(end, s)(s, h, s->y1, s->work); }

CAROM_INLINE void fill_powers(int degree, double h, double *power) {
  power[0] = 1.0;
  power[1] = h;
  for (int j = 2; j <= degree; j++)
    power[j] = power[j / 2] * power[j - j / 2];
}

void carom_taylor_dense(carom_stepper *s) {
  s->dense.origin = 0.0;
  s->dense.degree = s->expansion.degree;
  if (s->dense.degree == MOST) // straight code, since the compiler knows the degree
    fill_powers(MOST, s->h, s->expansion.power);
  else
    fill_powers(s->dense.degree, s->h, s->expansion.power);
  FORM(scaled, s)(s);
  s->dense.known = true;
}

// ---- the length of a step ----

// x^(1/k) to two per cent for a normal x > 0: the bits of a number, read as an integer, are its
// logarithm with straight lines between the powers of two
static double rough_root(double x, int k) {
  const int64_t one = INT64_C(0x3ff) << 52;
  int64_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits = one + (bits - one) / k;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// What is integrated beside the states (works, whose series fall more slowly than those of the
// states, being products) is to be right to the relative tolerance of the largest of them.
static double weight_beside(const carom_stepper *s) {
  double size = 0.0;
  for (int i = s->options.controlled; i < s->n; i++)
    size = carom_larger(size, fabs(s->y[i]) + s->h_next * fabs(coefficient_row(s, 1)[i]));
  return BESIDE * s->options.rtol * size;
}

// how far the series reaches; infinite for a polynomial, NaN where a coefficient is not finite
static double series_reach(const carom_stepper *s) {
  if (s->expansion.degree < MOST - 1) return INFINITY;
  const double *end = coefficient_row(s, s->expansion.degree),
               *before = coefficient_row(s, MOST - 1);
  double last = 0.0, other = 0.0; // the largest coefficients in units of the tolerance
  double beside = weight_beside(s);
  for (int i = s->options.controlled; i < s->n && beside > 0.0; i++) {
    last = carom_larger(last, fabs(end[i]) / beside);
    other = carom_larger(other, fabs(before[i]) / beside);
  }
  for (int i = 0; i < s->options.controlled; i++) {
    double per_weight = 1.0 / carom_stepper_weight(s, i, fabs(s->y[i]));
    double a = fabs(end[i]) * per_weight, b = fabs(before[i]) * per_weight;
    if (!(a <= last)) last = a; // keeps NaN
    if (!(b <= other)) other = b;
  }
  if (!isfinite(last) || !isfinite(other)) return NAN;
  bool whole = s->expansion.degree == MOST; // a number that the compiler knows is divided by faster
  double a = last > DBL_MIN ? rough_root(last, whole ? MOST : MOST - 1) : 0.0;
  double b = other > DBL_MIN ? rough_root(other, MOST - 1) : 0.0;
  return REACH / (a > b ? a : b);
}

// What is left when the polynomial is put into y' = f, at the end of the step, as the error that
// the first missing term makes, in units of the tolerance.
static double defect_error(const carom_stepper *s, double h, const double *slope) {
  double sum = 0.0;
  for (int i = 0; i < s->options.controlled; i++) {
    double a = fabs(s->y[i]), b = fabs(s->y1[i]);
    double q = (slope[i] - s->f1[i]) / carom_stepper_weight(s, i, a > b ? a : b);
    sum += q * q;
  }
  return h / (MOST + 1) * sqrt(sum / s->options.controlled);
}

// The defect tells the first missing term: with it the end of the step is of one order more. A
// polynomial misses none.
static void correct_end(carom_stepper *s, double h, const double *slope) {
  if (s->expansion.degree < MOST) return;
  for (int i = 0; i < s->options.controlled; i++)
    s->y1[i] += h / (MOST + 1) * (s->f1[i] - slope[i]);
}

// how much shorter a step must be, the defect growing with the power MOST + 1 of its length
static double step_shrink(double e) {
  double by = AGAIN / rough_root(e, MOST + 1);
  return by > SHRINK_DEFECT ? by : SHRINK_DEFECT;
}

// a step cut short by the end of the run says nothing about the next one
static bool accept_step(carom_stepper *s, double h, double wanted) {
  double before = s->expansion.used ? s->h_next : s->h_next * CAROM_SERIES_REACH;
  s->h_next = h < wanted ? carom_larger(h, before) : wanted;
  s->h = h;
  s->expansion.used = true;
  s->counts.steps++;
  return true;
}

bool carom_taylor_try(carom_stepper *s, double t_end, carom_status *status, carom_error *error) {
  memcpy(s->expansion.coefficients, s->y, (size_t)s->n * sizeof *s->y);
  if (!s->expansion.ready && s->expansion.series(s->ctx, s->t, s->y, s->expansion.coefficients))
    return false;
  s->expansion.ready = false;
  double wanted = series_reach(s);
  if (!(wanted > 0.0)) return false;
  double limit = CAROM_SERIES_GROWTH * s->h_next * (s->expansion.used ? 1.0 : CAROM_SERIES_REACH);
  if (s->options.h_max > 0.0 && s->options.h_max < limit) limit = s->options.h_max;
  if (limit < wanted) wanted = limit;
  for (double refused = INFINITY;;) {
    s->t1 = carom_step_end(s, wanted, t_end);
    double h = s->t1 - s->t;
    if (carom_step_too_short(s, h, refused)) return false;
    carom_taylor_end(s, h);
    carom_status found = carom_stepper_evaluate(s, s->t1, s->y1, s->f1);
    if (!found && !(carom_all_finite(s->n, s->y1) && carom_all_finite(s->n, s->f1)))
      found = CAROM_ERR_NONFINITE;
    if (found && found != CAROM_ERR_NONFINITE) {
      *status = carom_fail(error, found, "the right-hand side failed just after t = %.17g", s->t);
      return true;
    }
    double e = found ? NAN : defect_error(s, h, s->work);
    *status = CAROM_OK;
    if (e <= 1.0) {
      correct_end(s, h, s->work);
      return accept_step(s, h, wanted);
    }
    wanted = h * (isfinite(e) ? step_shrink(e) : SHRINK_NONFINITE);
    refused = h;
    s->counts.rejected++;
  }
}
