// SPDX-License-Identifier: MIT
#include "ode/stepper.h"

#include "ode/dop853_kernel.h"
#include "ode/stepper_parts.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SLOPES = 16, FIRST = 1, LAST = 13 };
enum { MOST_CRAWLED = 100 }; // a step that grows at all has left rounding behind in ten

// Step control aims well below the tolerance: at order 8 that costs few steps and saves refused
// ones. A step may grow fast only until the error is first seen: later a very small estimate is
// more likely one of its sign changes than the truth.
static const double SAFETY = 0.75, GROW_FIRST = 6.0, GROW = 1.5, SHRINK = 1.0 / 3.0;
static const double TIME_ROUNDING = 1e-15; // a few roundings of 1
static const double SHRINK_NONFINITE = 0.2;

carom_stepper_options carom_stepper_options_default(void) {
  return (carom_stepper_options){.rtol = 1e-10, .atol = 1e-12};
}

static double *slope_at(const carom_stepper *s, int j) {
  return s->slopes + (size_t)(j - 1) * s->stride;
}

static carom_status check_options(int n, const carom_stepper_options *o, carom_error *error) {
  if (n < 1) return carom_fail(error, CAROM_ERR_ARGUMENT, "a system needs at least one state");
  if (!(o->rtol >= 0.0) || !(o->atol > 0.0) || !isfinite(o->rtol) || !isfinite(o->atol))
    return carom_fail(error, CAROM_ERR_ARGUMENT,
                      "tolerances must be finite, rtol >= 0 and atol > 0 (got %g and %g)", o->rtol,
                      o->atol);
  if (o->controlled < 0 || o->controlled > n)
    return carom_fail(error, CAROM_ERR_ARGUMENT, "%d of %d states cannot be controlled",
                      o->controlled, n);
  if (!(o->h_max >= 0.0) || !(o->h_start >= 0.0))
    return carom_fail(error, CAROM_ERR_ARGUMENT, "h_max and h_start must not be negative");
  for (int i = 0; o->scale && i < n; i++)
    if (!(o->scale[i] > 0.0) || !isfinite(o->scale[i]))
      return carom_fail(error, CAROM_ERR_ARGUMENT, "scale[%d] must be positive and finite", i);
  return CAROM_OK;
}

// states start on cache lines; a stride of whole pages would put all slopes into the same cache
// sets
static size_t choose_stride(int n) {
  size_t stride = ((size_t)n + 7) / 8 * 8;
  return stride % 256 == 0 ? stride + 8 : stride;
}

void carom_stepper_resize(carom_stepper *s, int n) {
  assert(n >= 0);
  size_t stride = choose_stride(n);
  double *room = s->slopes + SLOPES * stride;
  s->n = n;
  s->stride = stride;
  for (int j = 0; j <= CAROM_DENSE_DEGREE; j++, room += stride)
    s->dense.centre[j] = room;
  s->y = room;
  s->y1 = room + stride;
  s->work = room + 2 * stride;
  s->scratch = room + 3 * stride;
  s->f = slope_at(s, FIRST);
  s->f1 = slope_at(s, LAST);
}

carom_status carom_stepper_init(carom_stepper *s, carom_arena *arena, int n, carom_rhs rhs,
                                void *ctx, const carom_stepper_options *options,
                                carom_error *error) {
  assert(s && arena && rhs && options);
  carom_status status = check_options(n, options, error);
  if (status) return status;
  size_t stride = choose_stride(n);
  enum { ROWS = SLOPES + CAROM_DENSE_DEGREE + 1 + 2 + 2 };
  double *room = carom_arena_array(arena, ROWS * stride, sizeof *room);
  double *scale = options->scale ? carom_arena_array(arena, (size_t)n, sizeof *scale) : NULL;
  if (!room || (options->scale && !scale)) return carom_fail_memory(error);

  *s = (carom_stepper){
      .n = n, .rhs = rhs, .ctx = ctx, .options = *options, .stride = stride, .grow = GROW_FIRST};
  if (scale) s->options.scale = memcpy(scale, options->scale, (size_t)n * sizeof *scale);
  if (!s->options.controlled) s->options.controlled = n;
  s->slopes = room;
  s->dense.origin = 0.5;
  s->dense.degree = CAROM_DENSE_DEGREE;
  carom_stepper_resize(s, n);
  s->wide = carom_machine_has_avx2();
  return CAROM_OK;
}

// x^(1/8): square roots are exact to the last bit everywhere
static double eighth_root(double x) { return sqrt(sqrt(sqrt(x))); }

// A first step from the sizes of y, y' and y'' (Hairer, Norsett, Wanner I, II.4).
static carom_status choose_first_step(carom_stepper *s, carom_error *error) {
  int n = s->n;
  double d0 = carom_stepper_norm(s, s->y, s->y), d1 = carom_stepper_norm(s, s->f, s->y);
  double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
  if (s->options.h_max > 0.0) h0 = fmin(h0, s->options.h_max);
  if (!(h0 > 0.0)) h0 = DBL_MIN;

  // one explicit Euler step shows y''; where f has no value there, a shorter one
  double *ahead = s->work, *slope_ahead = slope_at(s, 2);
  for (int attempt = 0;; attempt++) {
    for (int i = 0; i < n; i++)
      ahead[i] = s->y[i] + h0 * s->f[i];
    carom_status status = carom_stepper_evaluate(s, s->t + h0, ahead, slope_ahead);
    bool finite = !status && carom_all_finite(n, slope_ahead);
    if (finite) break;
    if (status && status != CAROM_ERR_NONFINITE)
      return carom_fail(error, status, "the right-hand side failed at t = %.17g", s->t + h0);
    if (attempt == 20)
      return carom_fail(error, CAROM_ERR_NONFINITE,
                        "the right-hand side has no finite value just after t = %.17g", s->t);
    h0 *= 0.01;
  }
  for (int i = 0; i < n; i++)
    slope_ahead[i] -= s->f[i];
  double d2 = carom_stepper_norm(s, slope_ahead, s->y) / h0;

  double largest = fmax(d1, d2);
  double h1 = largest <= 1e-15 ? fmax(1e-6, h0 * 1e-3) : eighth_root(0.01 / largest);
  s->h_next = fmin(100.0 * h0, h1);
  return CAROM_OK;
}

carom_status carom_stepper_start(carom_stepper *s, double t, const double *y, double h,
                                 carom_error *error) {
  if (!isfinite(t) || !carom_all_finite(s->n, y))
    return carom_fail(error, CAROM_ERR_NONFINITE, "the state at t = %.17g is not finite", t);
  s->t = s->t1 = t;
  s->h = 0.0;
  s->crawled = 0;
  s->dense.known = false;
  if (y != s->y) memmove(s->y, y, (size_t)s->n * sizeof *y);
  carom_status status = carom_stepper_evaluate(s, t, s->y, s->f);
  if (!status && !carom_all_finite(s->n, s->f)) status = CAROM_ERR_NONFINITE;
  if (status)
    return carom_fail(error, status, "the right-hand side at t = %.17g: %s", t,
                      carom_status_text(status));
  if (h > 0.0) {
    s->h_next = h;
    return CAROM_OK;
  }
  s->grow = GROW_FIRST;
  s->expansion.used = false;
  if (!(s->options.h_start > 0.0)) return choose_first_step(s, error);
  s->h_next = s->options.h_start;
  return CAROM_OK;
}

double carom_stepper_cut(carom_stepper *s, double h) {
  s->h_next = s->expansion.used ? h / CAROM_SERIES_GROWTH : h;
  s->grow = GROW_FIRST;
  return s->h_next;
}

// ---- sums over the slopes ----
// Rows are padded to their stride and nobody reads the rest, so short states can be summed whole:
// with a width that the compiler knows, every sum is straight vector code. Where the machine has
// AVX2 it is compiled once more for that; only plain sums and products are used and none is
// contracted, so all forms give the same bits.

enum { NARROW = 4, WIDE = 8, DOUBLE = 16 };

static bool is_narrow(const carom_stepper *s) { return s->stride == WIDE && s->n <= NARROW; }

// Stages 2 to 12 over h and the end y1. The slope at the start is there already.
CAROM_INLINE carom_status stages(carom_stepper *s, double h, int n, size_t m) {
  double *k = s->slopes, *w = s->work;
  const double *y = s->y, *c = CAROM_DOP853_NODE;
  carom_status status;
#define STAGE(j)                                                                                   \
  form_##j(n, m, h, y, k, w);                                                                      \
  if ((status = carom_stepper_evaluate(s, s->t + c[j] * h, w, slope_at(s, j)))) return status
  STAGE(2);
  STAGE(3);
  STAGE(4);
  STAGE(5);
  STAGE(6);
  STAGE(7);
  STAGE(8);
  STAGE(9);
  STAGE(10);
  STAGE(11);
  STAGE(12);
#undef STAGE
  form_end(n, m, h, y, k, s->y1);
  return CAROM_OK;
}

// The three further slopes and the coefficients of the dense output.
CAROM_INLINE carom_status dense_stages(carom_stepper *s, int n, size_t m) {
  double h = s->h, *k = s->slopes, *w = s->work;
  carom_status status;
#define STAGE(j)                                                                                   \
  form_##j(n, m, h, s->y, k, w);                                                                   \
  if ((status = carom_stepper_evaluate(s, s->t + CAROM_DOP853_NODE[j] * h, w, slope_at(s, j))))    \
  return status
  STAGE(14);
  STAGE(15);
  STAGE(16);
#undef STAGE
  form_dense(n, m, h, s->y, s->y1, k, s->dense.centre[0]);
  return CAROM_OK;
}

#define FORMS(name, target)                                                                        \
  target static carom_status make_##name(carom_stepper *s, double h) {                             \
    if (is_narrow(s)) return stages(s, h, NARROW, WIDE);                                           \
    if (s->stride == WIDE) return stages(s, h, WIDE, WIDE);                                        \
    if (s->stride == DOUBLE) return stages(s, h, DOUBLE, DOUBLE);                                  \
    return stages(s, h, s->n, s->stride);                                                          \
  }                                                                                                \
  target static carom_status dense_##name(carom_stepper *s) {                                      \
    if (is_narrow(s)) return dense_stages(s, NARROW, WIDE);                                        \
    if (s->stride == WIDE) return dense_stages(s, WIDE, WIDE);                                     \
    if (s->stride == DOUBLE) return dense_stages(s, DOUBLE, DOUBLE);                               \
    return dense_stages(s, s->n, s->stride);                                                       \
  }                                                                                                \
  target static void errors_##name(const carom_stepper *s, int n, double *error5,                  \
                                   double *error3) {                                               \
    if (is_narrow(s))                                                                              \
      form_errors(NARROW, WIDE, s->slopes, error5, error3);                                        \
    else if (s->stride == WIDE)                                                                    \
      form_errors(WIDE, WIDE, s->slopes, error5, error3);                                          \
    else                                                                                           \
      form_errors(n, s->stride, s->slopes, error5, error3);                                        \
  }
FORMS(plain, )
FORMS(wide, CAROM_WITH_AVX2)
#undef FORMS
#define FORM(name, s) ((s)->wide ? name##_wide : name##_plain)

// The error of the step in units of the tolerance: the estimate of order 5, corrected by the one of
// order 3 so that the result behaves like h^8 (Hairer, Norsett, Wanner I, (10.17)). NaN when
// something is not finite.
static double step_error(carom_stepper *s, double h) {
  int n = s->options.controlled;
  double *error5 = s->work, *error3 = s->scratch;
  FORM(errors, s)(s, n, error5, error3);
  const double *y = s->y, *y1 = s->y1, *scale = s->options.scale;
  double atol = s->options.atol, rtol = s->options.rtol;
  for (int i = 0; i < n; i++) {
    double a = fabs(y[i]), b = fabs(y1[i]);
    double q = 1.0 / ((scale ? atol * scale[i] : atol) + rtol * (a > b ? a : b));
    error5[i] = error5[i] * q;
    error3[i] = error3[i] * q;
  }
  double sum5 = 0.0, sum3 = 0.0;
  for (int i = 0; i < n; i++) {
    sum5 += error5[i] * error5[i];
    sum3 += error3[i] * error3[i];
  }
  if (!carom_all_finite(s->n, s->y1)) return NAN;
  double both = sum5 + 0.01 * sum3;
  if (both < 1e-290) return 0.0; // at rest but for underflow, whose reciprocal is infinite
  return both > 0.0 ? h * sum5 * sqrt(1.0 / (both * n)) : both;
}

// How much longer the next step may be after one with this error.
static double step_growth(double error, double limit) {
  double root = eighth_root(error);
  return root * limit < SAFETY ? limit : fmax(SHRINK, SAFETY / root);
}

// Is the error nothing but the rounding of time? Late in a run that hides how small the error of a
// short step is: the slopes of its stages belong to times that are wrong by a rounding.
static bool is_rounding(const carom_stepper *s, double e) {
  for (int i = 0; i < s->options.controlled; i++)
    s->work[i] = s->f1[i] - s->f[i];
  return e <= TIME_ROUNDING * fabs(s->t1) * carom_stepper_norm(s, s->work, s->y1);
}

static carom_status fail_step(const carom_stepper *s, carom_status cause, double h,
                              carom_error *error) {
  if (cause == CAROM_ERR_NONFINITE)
    return carom_fail(error, cause,
                      "the right-hand side has no finite value just after t = %.17g (steps down to "
                      "%.3g were tried)",
                      s->t, h);
  return carom_fail(error, CAROM_ERR_STEP,
                    "at t = %.17g the tolerance asks for a step of %.3g, too small to move on",
                    s->t, h);
}

// Steps of Runge-Kutta are shorter, but never so short that time would not move: after a flight of
// a few roundings of time a contact may just have closed.
static void leave_series(carom_stepper *s) {
  double resolution = nextafter(fabs(s->t), INFINITY) - fabs(s->t);
  s->h_next = fmax(s->h_next / CAROM_SERIES_REACH, 16.0 * resolution);
  s->expansion.used = false;
}

// One step of a few roundings of time may be right: it ends at an event, or begins after one and
// grows. Many of them in a row mean that the motion has come to a place it cannot pass, such as a
// pole, and would go on for ever.
static carom_status count_crawling(carom_stepper *s, double t_end, carom_error *error) {
  bool short_step = s->t + 0.1 * s->h == s->t && s->t1 < t_end;
  s->crawled = short_step ? s->crawled + 1 : 0;
  return s->crawled > MOST_CRAWLED ? fail_step(s, CAROM_ERR_STEP, s->h, error) : CAROM_OK;
}

static carom_status find_step(carom_stepper *s, double t_end, carom_error *error) {
  s->dense.known = false;
  carom_status by_series;
  if (s->expansion.series && !s->expansion.off && carom_taylor_try(s, t_end, &by_series, error))
    return by_series;
  if (s->expansion.used) leave_series(s);
  double wanted = s->h_next;
  if (s->options.h_max > 0.0) wanted = fmin(wanted, s->options.h_max);
  carom_status cause = CAROM_ERR_STEP;
  for (double refused = INFINITY;;) {
    // the end is rounded first, so that h is the true distance between the two times
    s->t1 = carom_step_end(s, wanted, t_end);
    double h = s->t1 - s->t;
    if (carom_step_too_short(s, h, refused)) return fail_step(s, cause, h, error);

    carom_status status = FORM(make, s)(s, h);
    double e = status ? NAN : step_error(s, h);
    if (e <= 1.0) {
      status = carom_stepper_evaluate(s, s->t1, s->y1, s->f1);
      if (!status && !carom_all_finite(s->n, s->f1)) status = CAROM_ERR_NONFINITE;
    }
    if (status && status != CAROM_ERR_NONFINITE)
      return carom_fail(error, status, "the right-hand side failed just after t = %.17g", s->t);

    // accepted: a step cut short by t_end says little about the next one
    if (!status && e <= 1.0) {
      double factor = step_growth(e, s->grow);
      if (factor < s->grow && is_rounding(s, e))
        factor = fmax(factor, 0.5 * s->grow);
      else if (factor < s->grow)
        s->grow = GROW;
      double proposal = h * factor;
      bool cut = h < wanted;
      s->h_next = cut ? fmax(wanted, proposal) : isinf(refused) ? proposal : fmin(proposal, h);
      s->h = h;
      s->counts.steps++;
      return CAROM_OK;
    }

    // refused: smaller, and smaller still where there was no value at all
    bool finite = !status && isfinite(e);
    cause = finite ? CAROM_ERR_STEP : CAROM_ERR_NONFINITE;
    wanted = h * (finite ? fmin(0.95, step_growth(e, 1.0)) : SHRINK_NONFINITE);
    refused = h;
    s->counts.rejected++;
  }
}

carom_status carom_stepper_try(carom_stepper *s, double t_end, carom_error *error) {
  if (!(t_end > s->t) || !isfinite(t_end))
    return carom_fail(error, CAROM_ERR_ARGUMENT, "cannot step from t = %.17g to %.17g", s->t,
                      t_end);
  carom_status status = find_step(s, t_end, error);
  return status == CAROM_OK ? count_crawling(s, t_end, error) : status;
}

carom_status carom_stepper_shorten(carom_stepper *s, double h, carom_error *error) {
  assert(h > 0.0 && h <= s->h);
  s->dense.known = false;
  if (h < s->h) s->t1 = s->t + h;
  s->h = h;
  carom_status status = CAROM_OK;
  if (s->expansion.used)
    carom_taylor_end(s, h);
  else
    status = FORM(make, s)(s, h);
  if (!status) status = carom_stepper_evaluate(s, s->t1, s->y1, s->f1);
  if (!status && !(carom_all_finite(s->n, s->y1) && carom_all_finite(s->n, s->f1)))
    status = CAROM_ERR_NONFINITE;
  if (status)
    return carom_fail(error, status, "a shorter step from t = %.17g over %.17g: %s", s->t, h,
                      carom_status_text(status));
  return CAROM_OK;
}

carom_status carom_stepper_interpolate(carom_stepper *s, double theta, carom_error *error) {
  assert(theta > 0.0 && theta <= 1.0);
  carom_status status = carom_stepper_dense(s, error);
  if (status) return status;
  if (theta < 1.0) {
    carom_dense_eval(s, theta, s->y1, NULL, NULL);
    s->t1 = s->t + theta * s->h;
    s->h *= theta;
  }
  s->dense.known = false;
  status = carom_stepper_evaluate(s, s->t1, s->y1, s->f1);
  if (!status && !carom_all_finite(s->n, s->f1)) status = CAROM_ERR_NONFINITE;
  if (status)
    return carom_fail(error, status, "the right-hand side at t = %.17g: %s", s->t1,
                      carom_status_text(status));
  return CAROM_OK;
}

carom_status carom_stepper_defect(carom_stepper *s, double theta, int i, double *defect) {
  assert(s->dense.known);
  double slope[3];
  carom_dense_eval(s, theta, s->work, NULL, NULL);
  carom_dense_component(s, i, theta, slope);
  carom_status status = carom_stepper_evaluate(s, s->t + theta * s->h, s->work, s->scratch);
  *defect = fabs(slope[1] - s->scratch[i]);
  return status;
}

carom_status carom_stepper_nudge(carom_stepper *s, double dt, carom_error *error) {
  s->dense.known = false;
  double *ahead = s->work, *slope_ahead = s->scratch;
  for (int i = 0; i < s->n; i++)
    ahead[i] = s->y1[i] + dt * s->f1[i];
  s->t1 += dt;
  s->h += dt;
  carom_status status = carom_stepper_evaluate(s, s->t1, ahead, slope_ahead);
  if (!status && !carom_all_finite(s->n, slope_ahead)) status = CAROM_ERR_NONFINITE;
  if (status)
    return carom_fail(error, status, "the right-hand side at t = %.17g: %s", s->t1,
                      carom_status_text(status));
  // the trapezoidal rule; the slope there differs from the one found by terms of dt^2
  for (int i = 0; i < s->n; i++) {
    s->y1[i] += 0.5 * dt * (s->f1[i] + slope_ahead[i]);
    s->f1[i] = slope_ahead[i];
  }
  return CAROM_OK;
}

void carom_stepper_stand_beside(carom_stepper *beside, const carom_stepper *s) {
  size_t size = (size_t)s->n * sizeof *s->y;
  memcpy(beside->y, s->y, size);
  memcpy(beside->f, s->f, size);
  memcpy(beside->y1, s->y1, size);
  memcpy(beside->f1, s->f1, size);
  beside->t = s->t, beside->h = s->h, beside->t1 = s->t1;
  beside->h_next = s->h_next;
  beside->options = s->options;
  beside->dense.known = false;
  beside->expansion.used = s->expansion.used;
  beside->expansion.degree = s->expansion.degree;
  if (s->expansion.used)
    memcpy(beside->expansion.coefficients, s->expansion.coefficients,
           (size_t)(s->expansion.degree + 1) * size);
}

void carom_stepper_commit(carom_stepper *s) {
  size_t size = (size_t)s->n * sizeof *s->y;
  memcpy(s->y, s->y1, size);
  memcpy(s->f, s->f1, size);
  s->t = s->t1;
  s->dense.known = false;
}

int carom_stepper_remember(const carom_stepper *s, double *numbers) {
  enum { LENGTHS = 3 };
  if (!numbers) return LENGTHS + s->n;
  numbers[0] = s->h, numbers[1] = s->h_next, numbers[2] = s->grow;
  memcpy(numbers + LENGTHS, s->f, (size_t)s->n * sizeof *s->f);
  return LENGTHS + s->n;
}

void carom_stepper_recall(carom_stepper *s, double t, const double *y, const double *numbers) {
  s->t = s->t1 = t;
  s->h = numbers[0], s->h_next = numbers[1], s->grow = numbers[2];
  s->dense.known = s->expansion.used = false;
  if (y != s->y) memmove(s->y, y, (size_t)s->n * sizeof *y);
  memcpy(s->f, numbers + 3, (size_t)s->n * sizeof *s->f);
}

carom_status carom_stepper_dense(carom_stepper *s, carom_error *error) {
  if (s->dense.known) return CAROM_OK;
  if (s->expansion.used) {
    carom_taylor_dense(s);
    return CAROM_OK;
  }
  s->dense.origin = 0.5;
  s->dense.degree = CAROM_DENSE_DEGREE;
  carom_status status = FORM(dense, s)(s);
  if (status)
    return carom_fail(error, status, "the right-hand side inside the step from t = %.17g: %s", s->t,
                      carom_status_text(status));
  s->dense.known = true;
  return CAROM_OK;
}
