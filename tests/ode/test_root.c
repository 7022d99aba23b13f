// SPDX-License-Identifier: MIT
// Root isolation against functions with known roots, with bounds and by samples alone.
#include "check.h"

#include "base/arena.h"
#include "ode/root.h"
#include "ode/stepper.h"

#include <float.h>
#include <string.h>

// --- test functions: polynomials and sums of cosines with honest bounds ---

enum { TERMS = 12, FUNCTIONS = 4 };

typedef struct curve {
  int degree;
  double c[TERMS]; // powers of theta
  int waves;
  double amplitude[TERMS], frequency[TERMS], phase[TERMS];
  double nan_from; // no value from there on; 0: values everywhere
} curve;

typedef struct bundle {
  curve curves[FUNCTIONS];
  long evaluations, bounds;
} bundle;

static double power_term(int j, int d) { // j (j-1) .. of the d-th derivative
  return d == 0 ? 1.0 : d == 1 ? j : (double)j * (j - 1);
}

static void curve_value(void *ctx, int k, double theta, double g[3]) {
  bundle *b = ctx;
  const curve *f = &b->curves[k];
  b->evaluations++;
  for (int d = 0; d < 3; d++) {
    g[d] = 0.0;
    for (int j = f->degree; j >= d; j--)
      g[d] = g[d] * theta + power_term(j, d) * f->c[j];
    for (int w = 0; w < f->waves; w++) {
      double x = f->frequency[w] * theta + f->phase[w], a = f->amplitude[w];
      g[d] += d == 0   ? a * cos(x)
              : d == 1 ? -a * f->frequency[w] * sin(x)
                       : -a * f->frequency[w] * f->frequency[w] * cos(x);
    }
  }
  if (f->nan_from > 0.0 && theta >= f->nan_from) g[0] = g[1] = g[2] = NAN;
}

// range of cos(x + quarter turns) over [lo, hi]
static carom_interval cos_range(double lo, double hi) {
  carom_interval r = {fmin(cos(lo), cos(hi)) - 1e-15, fmax(cos(lo), cos(hi)) + 1e-15};
  const double pi = 3.14159265358979323846;
  if (floor(hi / (2 * pi)) > floor((lo - 1e-15) / (2 * pi)) || hi - lo >= 2 * pi) r.hi = 1.0;
  if (floor((hi - pi) / (2 * pi)) > floor((lo - pi - 1e-15) / (2 * pi))) r.lo = -1.0;
  if (hi - lo >= 2 * pi) r.lo = -1.0;
  return r;
}

static void curve_bound(void *ctx, int k, double a, double b, carom_interval g[3]) {
  bundle *all = ctx;
  const curve *f = &all->curves[k];
  all->bounds++;
  for (int d = 0; d < 3; d++) {
    carom_interval sum = {0.0, 0.0};
    for (int j = d; j <= f->degree; j++) {
      double c = power_term(j, d) * f->c[j], p = c * pow(a, j - d), q = c * pow(b, j - d);
      sum.lo += fmin(p, q) - 1e-16 * fabs(c);
      sum.hi += fmax(p, q) + 1e-16 * fabs(c);
    }
    for (int w = 0; w < f->waves; w++) {
      double turn = d * 1.57079632679489661923, scale = f->amplitude[w];
      for (int i = 0; i < d; i++)
        scale *= f->frequency[w];
      carom_interval r = cos_range(f->frequency[w] * a + f->phase[w] + turn,
                                   f->frequency[w] * b + f->phase[w] + turn);
      sum.lo += fmin(scale * r.lo, scale * r.hi) - 1e-15 * fabs(scale);
      sum.hi += fmax(scale * r.lo, scale * r.hi) + 1e-15 * fabs(scale);
    }
    g[d] = sum;
  }
  if (f->nan_from > 0.0 && b >= f->nan_from)
    g[0] = g[1] = g[2] = (carom_interval){-INFINITY, INFINITY};
}

static int first(bundle *b, int count, const carom_root_watch *watch, bool bounded,
                 carom_root *roots) {
  carom_root_functions functions = {b, count, curve_value, bounded ? curve_bound : NULL, NULL};
  b->evaluations = b->bounds = 0;
  return carom_root_first(&functions, watch, 1e-12, FUNCTIONS, roots);
}

static carom_root only(curve c, carom_direction direction, double tolerance, bool bounded) {
  bundle b = {.curves = {c}};
  carom_root_watch watch = {
      .direction = direction, .active = true, .tolerance = tolerance, .skip_grazing = false};
  carom_root roots[FUNCTIONS] = {{.kind = CAROM_ROOT_NONE}};
  int n = first(&b, 1, &watch, bounded, roots);
  assert_in_range(n, 0, 1);
  CHECK(b.bounds < 21000 && b.evaluations < 200000);
  return n ? roots[0] : (carom_root){.kind = CAROM_ROOT_NONE};
}

// (theta - r1)(theta - r2) ... times scale
static curve from_roots(int count, const double *r, double scale) {
  curve f = {.degree = count, .c = {scale}};
  for (int i = 0; i < count; i++)
    for (int j = i + 1; j >= 0; j--)
      f.c[j] = (j ? f.c[j - 1] : 0.0) - r[i] * f.c[j];
  return f;
}

static const double TOL = 1e-12;

static void test_plain_crossing(void **state) {
  (void)state;
  for (int bounded = 0; bounded < 2; bounded++) {
    curve f = {.degree = 1, .c = {-0.3, 1.0}};
    carom_root r = only(f, CAROM_ANY, TOL, bounded);
    assert_int_equal(r.kind, CAROM_ROOT_CROSSING);
    assert_int_equal(r.direction, CAROM_RISING);
    CHECK_NEAR(r.theta, 0.3, 2e-16);
    // the right end: the new sign there (or zero), the old one just before
    CHECK(r.theta - 0.3 >= 0.0 && nextafter(r.theta, 0.0) - 0.3 < 0.0);
    assert_int_equal(only(f, CAROM_FALLING, TOL, bounded).kind, CAROM_ROOT_NONE);
    assert_int_equal(only(f, CAROM_RISING, TOL, bounded).kind, CAROM_ROOT_CROSSING);
    curve none = {.degree = 2, .c = {1.0, -1.0, 1.0}};
    assert_int_equal(only(none, CAROM_ANY, TOL, bounded).kind, CAROM_ROOT_NONE);
  }
}

static void test_two_roots_in_one_step(void **state) {
  (void)state;
  const double r[2] = {0.4, 0.4001};
  for (int bounded = 0; bounded < 2; bounded++) {
    curve f = from_roots(2, r, 3.0);
    carom_root down = only(f, CAROM_FALLING, TOL, bounded),
               up = only(f, CAROM_RISING, TOL, bounded);
    assert_int_equal(down.kind, CAROM_ROOT_CROSSING);
    assert_int_equal(up.kind, CAROM_ROOT_CROSSING);
    CHECK_NEAR(down.theta, 0.4, 1e-11);
    CHECK_NEAR(up.theta, 0.4001, 1e-11);
  }
}

// a dip of depth d at 0.4371: above zero nothing, at zero a graze, below two crossings
static void test_dips(void **state) {
  (void)state;
  for (int bounded = 0; bounded < 2; bounded++)
    for (int i = 0; i < 5; i++) {
      const double depth[5] = {-1e-9, 0.0, 1e-9, 5e-13, -5e-13};
      double at = 0.4371;
      curve f = {.degree = 2, .c = {at * at - depth[i], -2.0 * at, 1.0}};
      carom_root r = only(f, CAROM_ANY, TOL, bounded), up = only(f, CAROM_RISING, TOL, bounded);
      if (i == 0)
        assert_int_equal(r.kind, CAROM_ROOT_NONE);
      else if (i == 2) {
        assert_int_equal(r.kind, CAROM_ROOT_CROSSING);
        assert_int_equal(r.direction, CAROM_FALLING);
        CHECK_NEAR(r.theta, at - sqrt(1e-9), 1e-10);
        assert_int_equal(up.kind, CAROM_ROOT_CROSSING);
        CHECK_NEAR(up.theta, at + sqrt(1e-9), 1e-10);
      } else {
        assert_int_equal(r.kind, CAROM_ROOT_GRAZING);
        assert_int_equal(r.direction, CAROM_FALLING);
        CHECK_NEAR(r.theta, at, 1e-6);
        assert_int_equal(up.kind, CAROM_ROOT_NONE);
      }
    }
}

// a graze that is not asked for hides nothing behind it
static void test_skip_grazing(void **state) {
  (void)state;
  const double r[3] = {0.25, 0.25, 0.75};
  for (int bounded = 0; bounded < 2; bounded++) {
    bundle b = {.curves = {from_roots(3, r, -1.0)}};
    carom_root_watch watch = {
        .direction = CAROM_ANY, .active = true, .tolerance = TOL, .skip_grazing = true};
    carom_root roots[FUNCTIONS];
    assert_int_equal(first(&b, 1, &watch, bounded, roots), 1);
    assert_int_equal(roots[0].kind, CAROM_ROOT_CROSSING);
    CHECK_NEAR(roots[0].theta, 0.75, 1e-14);
  }
}

static void test_simultaneous_roots_are_one_set(void **state) {
  (void)state;
  for (int bounded = 0; bounded < 2; bounded++) {
    bundle b = {.curves = {{.degree = 1, .c = {-0.6, 1.0}},
                           {.degree = 1, .c = {0.3, -0.5}},
                           {.degree = 1, .c = {-0.7, 1.0}},
                           {.degree = 3, .c = {-0.216, 0.0, 0.0, 1.0}}}};
    carom_root_watch watch[FUNCTIONS];
    for (int k = 0; k < FUNCTIONS; k++)
      watch[k] = (carom_root_watch){
          .direction = CAROM_ANY, .active = true, .tolerance = TOL, .skip_grazing = false};
    carom_root roots[FUNCTIONS];
    assert_int_equal(first(&b, FUNCTIONS, watch, bounded, roots), 3);
    const int expected[3] = {0, 1, 3};
    bool seen[FUNCTIONS] = {false};
    for (int i = 0; i < 3; i++) {
      CHECK_NEAR(roots[i].theta, 0.6, 1e-15);
      seen[roots[i].function] = true;
      if (i) CHECK(roots[i - 1].theta <= roots[i].theta);
    }
    for (int i = 0; i < 3; i++)
      CHECK(seen[expected[i]]);
    // with the early ones inactive the late one is found
    watch[0].active = watch[1].active = watch[3].active = false;
    assert_int_equal(first(&b, FUNCTIONS, watch, bounded, roots), 1);
    assert_int_equal(roots[0].function, 2);
    CHECK_NEAR(roots[0].theta, 0.7, 1e-15);
  }
}

static void test_identically_zero(void **state) {
  (void)state;
  for (int bounded = 0; bounded < 2; bounded++)
    for (int i = 0; i < 2; i++) {
      curve zero = {.degree = 0, .c = {0.0}};
      // it starts on its root and never leaves
      assert_int_equal(only(zero, CAROM_ANY, i ? TOL : 0.0, bounded).kind, CAROM_ROOT_NONE);
    }
  // (theta - 1/2)^9: for a good part of the step indistinguishable from zero, then across
  const double r[9] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
  carom_root root = only(from_roots(9, r, 1.0), CAROM_ANY, 1e-9, true);
  assert_int_equal(root.kind, CAROM_ROOT_FLAT);
  CHECK(root.theta > 0.3 && root.theta < 0.5);
  // a cubic inflection with a fine tolerance is a crossing all the same
  root = only(from_roots(3, r, 1.0), CAROM_ANY, 1e-14, true);
  assert_int_equal(root.kind, CAROM_ROOT_CROSSING);
  CHECK_NEAR(root.theta, 0.5, 1e-4);
}

static void test_no_value(void **state) {
  (void)state;
  for (int bounded = 0; bounded < 2; bounded++) {
    curve f = {.degree = 1, .c = {-0.3, 1.0}, .nan_from = 0.7};
    carom_root r = only(f, CAROM_ANY, TOL, bounded);
    assert_int_equal(r.kind, CAROM_ROOT_CROSSING); // before the trouble
    CHECK_NEAR(r.theta, 0.3, 1e-15);
    f.nan_from = 0.2;
    r = only(f, CAROM_ANY, TOL, bounded);
    assert_int_equal(r.kind, CAROM_ROOT_NONFINITE);
    CHECK_NEAR(r.theta, 0.2, 1e-5);
    f.nan_from = DBL_MIN;
    r = only(f, CAROM_ANY, TOL, bounded);
    assert_int_equal(r.kind, CAROM_ROOT_NONFINITE);
    f.c[0] = NAN;
    r = only(f, CAROM_ANY, TOL, bounded);
    assert_int_equal(r.kind, CAROM_ROOT_NONFINITE);
    CHECK_SAME(r.theta, 0.0);
  }
}

static void test_start_on_the_root(void **state) {
  (void)state;
  const double parabola[2] = {0.0, 0.8}, cubic[3] = {0.0, 0.5, 0.9};
  for (int bounded = 0; bounded < 2; bounded++)
    for (int i = 0; i < 3; i++) {
      const double error[3] = {0.0, 1e-14, -1e-14};
      // thrown up from the ground: only the return counts
      curve f = from_roots(2, parabola, -1.0);
      f.c[0] += error[i];
      carom_root r = only(f, CAROM_FALLING, TOL, bounded);
      assert_int_equal(r.kind, CAROM_ROOT_CROSSING);
      CHECK_NEAR(r.theta, 0.8, 1e-13);
      // leaving for good: nothing
      curve line = {.degree = 1, .c = {error[i], 1.0}};
      assert_int_equal(only(line, CAROM_ANY, TOL, bounded).kind, CAROM_ROOT_NONE);
      line.c[1] = -1.0;
      assert_int_equal(only(line, CAROM_ANY, TOL, bounded).kind, CAROM_ROOT_NONE);
      // with zero slope too
      curve square = {.degree = 2, .c = {error[i], 0.0, 1.0}};
      assert_int_equal(only(square, CAROM_ANY, TOL, bounded).kind, CAROM_ROOT_NONE);
      f = from_roots(3, cubic, 1.0);
      f.c[0] += error[i];
      CHECK_NEAR(only(f, CAROM_ANY, TOL, bounded).theta, 0.5, 1e-12);
      CHECK_NEAR(only(f, CAROM_RISING, TOL, bounded).theta, 0.9, 1e-12);
    }
}

// A contact opens where its force vanishes: the gap leaves with its first three terms zero. That
// takes a few enclosures, and no return to zero is passed over, however soon it comes.
static void test_lift_off(void **state) {
  (void)state;
  const double tolerance = 1e-9, returns[] = {1e-3, 0.02, 0.3, 0.9};
  for (int i = 0; i < 4; i++) {
    const double hop[4] = {0.0, 0.0, 0.0, returns[i]};
    curve f = from_roots(4, hop, -1e3);
    carom_root r = only(f, CAROM_FALLING, i == 0 ? 1e-12 : tolerance, true);
    assert_int_equal(r.kind, CAROM_ROOT_CROSSING);
    CHECK_NEAR(r.theta, returns[i], 1e-12);
    // the other way up
    f = from_roots(4, hop, 1e3);
    CHECK_NEAR(only(f, CAROM_RISING, i == 0 ? 1e-12 : tolerance, true).theta, returns[i], 1e-12);
  }
  bundle b = {.curves = {{.degree = 4, .c = {0.0, 0.0, 1e-18, 1.0, 0.2}}}};
  carom_root_watch watch = {.active = true, .tolerance = tolerance, .side = 1};
  carom_root roots[FUNCTIONS];
  assert_int_equal(first(&b, 1, &watch, true, roots), 0);
  CHECK(b.bounds <= 8);
}

static void test_root_at_the_end(void **state) {
  (void)state;
  for (int bounded = 0; bounded < 2; bounded++)
    for (int i = 0; i < 3; i++) {
      const double miss[3] = {0.0, 1e-13, -1e-13};
      curve f = {.degree = 1, .c = {1.0 + miss[i], -1.0}};
      carom_root r = only(f, CAROM_ANY, TOL, bounded);
      assert_int_equal(r.kind, CAROM_ROOT_CROSSING);
      assert_int_equal(r.direction, CAROM_FALLING);
      CHECK_NEAR(r.theta, 1.0, 2e-13);
      assert_int_equal(only(f, CAROM_RISING, TOL, bounded).kind, CAROM_ROOT_NONE);
    }
}

static unsigned long long seed = 20240611;
static double uniform(void) {
  seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(seed >> 11) * 0x1p-53;
}

// Sums of waves with up to thousands of roots: every sign change seen by dense sampling must be
// found, in order, each root by restarting behind the one before (the remaining stretch becomes
// [0,1]).
typedef struct window {
  bundle *b;
  double from, to;
} window;
static void window_value(void *ctx, int k, double theta, double g[3]) {
  window *w = ctx;
  double span = w->to - w->from;
  curve_value(w->b, k, w->from + span * theta, g);
  g[1] *= span, g[2] *= span * span;
}
static void window_bound(void *ctx, int k, double a, double b, carom_interval g[3]) {
  window *w = ctx;
  double span = w->to - w->from, scale = 1.0;
  curve_bound(w->b, k, w->from + span * a - 1e-15, w->from + span * b + 1e-15, g);
  for (int d = 0; d < 3; d++) {
    g[d].lo *= scale, g[d].hi *= scale;
    scale *= span;
  }
}

static int check_all_roots(double highest, int waves, bool bounded) {
  static bundle b;
  memset(&b, 0, sizeof b);
  curve *f = &b.curves[0];
  f->degree = 0;
  f->c[0] = 0.3 * (uniform() - 0.5);
  f->waves = waves;
  for (int i = 0; i < waves; i++) {
    f->amplitude[i] = 0.2 + uniform();
    f->frequency[i] = highest * (0.1 + 0.9 * uniform());
    f->phase[i] = 6.28 * uniform();
  }
  const double tolerance = 1e-11;
  double at = 0.0, g[3];
  int samples = (int)(highest * 40.0) + 1000, missed = 0, found = 0;
  // the reference: sign changes on a fine grid
  int next = 1;
  curve_value(&b, 0, 0.0, g);
  double before = g[0];
  while (at < 1.0) {
    window w = {&b, at, fmin(1.0, at + 200.0 / highest)};
    carom_root_functions functions = {&w, 1, window_value, bounded ? window_bound : NULL, NULL};
    carom_root_watch watch = {
        .direction = CAROM_ANY, .active = true, .tolerance = tolerance, .skip_grazing = true};
    carom_root roots[2];
    int n = carom_root_first(&functions, &watch, 0.0, 2, roots);
    double here = n ? w.from + (w.to - w.from) * roots[0].theta : w.to;
    if (n) assert_int_equal(roots[0].kind, CAROM_ROOT_CROSSING);
    // the grid must show no sign change before it
    for (; next <= samples && (double)next / samples < here - 1e-12; next++) {
      curve_value(&b, 0, (double)next / samples, g);
      if (g[0] * before < 0.0) missed++;
      before = g[0];
    }
    if (n) {
      curve_value(&b, 0, here, g);
      CHECK(fabs(g[0]) < 1e-9 * fmax(1.0, highest));
      before = -before;
      found++;
    }
    at = here;
  }
  if (missed)
    fail_msg("%d sign changes missed, %d roots found (highest %g)", missed, found, highest);
  return found;
}

static void test_every_root_of_many(void **state) {
  (void)state;
  int found[2] = {0, 0};
  for (int i = 0; i < 20; i++)
    for (int bounded = 0; bounded < 2; bounded++)
      found[bounded] += check_all_roots(30.0, 5, bounded);
  CHECK(found[0] > 60 && found[1] > 60);
  for (int bounded = 0; bounded < 2; bounded++)
    CHECK(check_all_roots(9000.0, 6, bounded) > 1000);
}

// one call over a whole wild step still finds the first root, with bounded work
static void test_first_of_thousands(void **state) {
  (void)state;
  for (int bounded = 0; bounded < 2; bounded++) {
    curve f = {.waves = 1, .amplitude = {1.0}, .frequency = {5e4}, .phase = {0.0}};
    carom_root r = only(f, CAROM_RISING, TOL, bounded);
    assert_int_equal(r.kind, CAROM_ROOT_CROSSING);
    CHECK_NEAR(r.theta, 1.5 * 3.14159265358979323846 / 5e4, 1e-15);
  }
}

// noise that no search can resolve ends with an honest answer
static void rough_value(void *ctx, int k, double theta, double g[3]) {
  (void)ctx, (void)k;
  g[0] = 1.0 + 0.5 * sin(1e9 * theta), g[1] = g[2] = 0.0;
}
static void blind_bound(void *ctx, int k, double a, double b, carom_interval g[3]) {
  (void)ctx, (void)k, (void)a, (void)b;
  g[0] = (carom_interval){-2.0, 2.0}, g[1] = g[2] = (carom_interval){-INFINITY, INFINITY};
}
static void test_bounded_work(void **state) {
  (void)state;
  carom_root_watch watch = {
      .direction = CAROM_ANY, .active = true, .tolerance = TOL, .skip_grazing = false};
  carom_root root;
  carom_root_functions blind = {NULL, 1, rough_value, blind_bound, NULL};
  assert_int_equal(carom_root_first(&blind, &watch, 0.0, 1, &root), 1);
  assert_int_equal(root.kind, CAROM_ROOT_UNDECIDED);
}

// --- the real thing: components of the dense output, with the dense output's bounds ---

static carom_status oscillator(void *ctx, double t, const double *y, double *f) {
  (void)ctx, (void)t;
  f[0] = y[1];
  f[1] = -y[0];
  return CAROM_OK;
}

static const double LEVELS[2] = {0.999, -0.3};
static long dense_bounds;

static void level_value(void *ctx, int k, double theta, double g[3]) {
  const carom_stepper *s = ctx;
  carom_dense_component(s, 0, theta, g);
  g[0] -= LEVELS[k];
  g[1] *= s->h;
  g[2] *= s->h * s->h;
}
static void level_bound(void *ctx, int k, double a, double b, carom_interval g[3]) {
  const carom_stepper *s = ctx;
  dense_bounds++;
  carom_dense_bound(s, 0, a, b, &g[0], &g[1], &g[2]);
  g[0].lo -= LEVELS[k], g[0].hi -= LEVELS[k];
  g[1].lo *= s->h, g[1].hi *= s->h;
  g[2].lo *= s->h * s->h, g[2].hi *= s->h * s->h;
}

static void test_along_an_integration(void **state) {
  (void)state;
  carom_arena *arena = carom_arena_create(NULL);
  carom_stepper_options options = carom_stepper_options_default();
  carom_stepper s;
  double y[2] = {0.0, -1.0}; // y0 = -sin t
  assert_int_equal(carom_stepper_init(&s, arena, 2, oscillator, NULL, &options, NULL), CAROM_OK);
  assert_int_equal(carom_stepper_start(&s, 0.0, y, 0.0, NULL), CAROM_OK);
  carom_root_functions functions = {&s, 2, level_value, level_bound, NULL};
  carom_root_watch watch[2];
  for (int k = 0; k < 2; k++)
    watch[k] = (carom_root_watch){.active = true, .tolerance = 1e-12};
  // -sin t = -0.3 twice, = 0.999 twice in each turn; three turns
  const double pi = 3.14159265358979323846, low = asin(0.3), high = asin(0.999);
  const double expected[4] = {low, pi - low, pi + high, 2.0 * pi - high};
  int found = 0;
  dense_bounds = 0;
  while (s.t < 6.0 * pi) {
    assert_int_equal(carom_stepper_try(&s, 6.0 * pi, NULL), CAROM_OK);
    assert_int_equal(carom_stepper_dense(&s, NULL), CAROM_OK);
    carom_root roots[2];
    int n = carom_root_first(&functions, watch, 1e-13, 2, roots);
    if (n) {
      assert_int_equal(roots[0].kind, CAROM_ROOT_CROSSING);
      assert_int_equal(roots[0].function, found % 4 < 2 ? 1 : 0);
      CHECK_NEAR(s.t + roots[0].theta * s.h, expected[found % 4] + 2.0 * pi * (found / 4), 1e-8);
      found++;
      assert_int_equal(carom_stepper_shorten(&s, roots[0].theta * s.h, NULL), CAROM_OK);
      watch[roots[0].function].tolerance = 1e-9; // the true step ends near the root
    } else
      watch[0].tolerance = watch[1].tolerance = 1e-12;
    carom_stepper_commit(&s);
  }
  assert_int_equal(found, 12);
  // about one enclosure per function and step
  CHECK(dense_bounds < 4 * s.counts.steps);
  carom_arena_destroy(arena);
}

// a polynomial by its roots: the first that is crossed in the watched direction
static void first_root_of_a_polynomial(void **state) {
  (void)state;
  const double zeros[] = {0.3, 0.55, 0.8};
  double c[CAROM_ROOT_DEGREE + 1] = {1.0};
  int degree = 0;
  for (int k = 0; k < 3; k++, degree++)
    for (int j = degree + 1; j >= 0; j--)
      c[j] = (j > 0 ? c[j - 1] : 0.0) - zeros[k] * (j <= degree ? c[j] : 0.0);
  // (t - 0.3)(t - 0.55)(t - 0.8) rises, falls, rises
  const struct {
    carom_direction direction;
    double theta;
  } cases[] = {{CAROM_ANY, 0.3}, {CAROM_RISING, 0.3}, {CAROM_FALLING, 0.55}};
  for (int k = 0; k < 3; k++) {
    carom_root_watch watch = {.direction = cases[k].direction, .active = true};
    carom_root root = carom_root_polynomial(degree, c, &watch);
    assert_int_equal(root.kind, CAROM_ROOT_CROSSING);
    CHECK_NEAR(root.theta, cases[k].theta, 1e-14);
  }
  c[0] -= 1.0; // far below zero
  carom_root_watch watch = {.active = true};
  assert_int_equal(carom_root_polynomial(degree, c, &watch).kind, CAROM_ROOT_NONE);
}

// Values alone: nine of them, and two between, tell a polynomial of degree 8; eight more and two
// higher ones. Beside them only the two ends are looked at.
static void test_values_needed(void **state) {
  (void)state;
  carom_root_watch watch = {.direction = CAROM_ANY, .active = true, .tolerance = 0.0};
  for (int degree = 1; degree <= 11; degree++) {
    // at most 1/4 away from the shift, which is too near to zero to need no further look
    curve f = {.degree = degree, .c = {0.26}};
    for (int j = 1; j <= degree; j++)
      f.c[j] = (j % 3 ? 0.25 : -0.25) / degree;
    bundle b = {.curves = {f}};
    carom_root roots[FUNCTIONS];
    assert_int_equal(first(&b, 1, &watch, false, roots), 0);
    if (b.evaluations > (degree <= 8 ? 14 : 24)) print_error("degree %d\n", degree);
    CHECK(b.evaluations <= (degree <= 8 ? 14 : 24));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_root_of_a_polynomial),
      cmocka_unit_test(test_plain_crossing),
      cmocka_unit_test(test_two_roots_in_one_step),
      cmocka_unit_test(test_dips),
      cmocka_unit_test(test_skip_grazing),
      cmocka_unit_test(test_simultaneous_roots_are_one_set),
      cmocka_unit_test(test_identically_zero),
      cmocka_unit_test(test_no_value),
      cmocka_unit_test(test_start_on_the_root),
      cmocka_unit_test(test_lift_off),
      cmocka_unit_test(test_root_at_the_end),
      cmocka_unit_test(test_every_root_of_many),
      cmocka_unit_test(test_first_of_thousands),
      cmocka_unit_test(test_bounded_work),
      cmocka_unit_test(test_values_needed),
      cmocka_unit_test(test_along_an_integration),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
