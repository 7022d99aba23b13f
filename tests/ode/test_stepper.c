// SPDX-License-Identifier: MIT
// The coefficients are proved by the order conditions of all rooted trees; the stepper and its
// dense output by closed-form solutions and measured orders.
#include "check.h"

#include "base/arena.h"
#include "ode/dop853_table.h"
#include "ode/stepper.h"

#include <string.h>

// --- rooted trees: Phi_i(tree) per stage, gamma(tree); order conditions sum_i b_i Phi_i = 1/gamma
// ---

enum { STAGES = 16, ORDER = 8, TREES = 256 };

typedef struct tree {
  int order;
  double gamma;
  double phi[STAGES + 1];
} tree;

typedef struct forest {
  int count, start[ORDER + 2]; // trees of order q are start[q] .. start[q + 1] - 1
  tree trees[TREES];
} forest;

// all trees of order q whose root carries `branch` and those chosen before it
static void graft(forest *f, int q, int left, int last, tree partial) {
  if (left == 0) {
    partial.order = q;
    partial.gamma *= q;
    assert_true(f->count < TREES);
    f->trees[f->count++] = partial;
    return;
  }
  for (int b = 0; b <= last; b++) {
    const tree *branch = &f->trees[b];
    if (branch->order > left) continue;
    tree next = partial;
    next.gamma *= branch->gamma;
    for (int i = 1; i <= STAGES; i++) {
      double sum = 0.0;
      for (int j = 1; j < i; j++) {
        double a = i == 13 ? (j < 13 ? CAROM_DOP853_WEIGHT[j] : 0.0) : CAROM_DOP853_STAGE[i][j];
        sum += a * branch->phi[j];
      }
      next.phi[i] *= sum;
    }
    graft(f, q, left - branch->order, b, next);
  }
}

static forest *grow_forest(void) {
  static forest f;
  f.count = 0;
  for (int q = 1; q <= ORDER; q++) {
    f.start[q] = f.count;
    tree bare = {.gamma = 1.0};
    for (int i = 1; i <= STAGES; i++)
      bare.phi[i] = 1.0;
    graft(&f, q, q - 1, f.count - 1, bare);
  }
  f.start[ORDER + 1] = f.count;
  return &f;
}

static double weigh(const double *b, int count, const tree *t, double *size) {
  double sum = 0.0;
  *size = 0.0;
  for (int i = 1; i <= count; i++) {
    sum += b[i] * t->phi[i];
    *size += fabs(b[i] * t->phi[i]);
  }
  return sum;
}

static void test_row_sums(void **state) {
  (void)state;
  for (int i = 2; i <= STAGES; i++) {
    if (i == 13) continue;
    double sum = 0.0, size = 0.0;
    for (int j = 1; j < i; j++) {
      sum += CAROM_DOP853_STAGE[i][j];
      size += fabs(CAROM_DOP853_STAGE[i][j]);
    }
    CHECK_NEAR(sum, CAROM_DOP853_NODE[i], 4e-16 * size);
  }
}

static void test_order_eight(void **state) {
  (void)state;
  forest *f = grow_forest();
  // 1, 1, 2, 4, 9, 20, 48, 115 rooted trees of order 1 to 8 (Cayley 1857)
  const int cayley[ORDER + 1] = {0, 1, 1, 2, 4, 9, 20, 48, 115};
  for (int q = 1; q <= ORDER; q++)
    assert_int_equal(f->start[q + 1] - f->start[q], cayley[q]);
  for (int i = 0; i < f->count; i++) {
    double size, sum = weigh(CAROM_DOP853_WEIGHT, 12, &f->trees[i], &size);
    CHECK_NEAR(sum, 1.0 / f->trees[i].gamma, 1e-14 * (1.0 + size));
  }
}

static void test_estimators(void **state) {
  (void)state;
  forest *f = grow_forest();
  double worst6 = 0.0, worst4 = 0.0;
  for (int i = 0; i < f->count; i++) {
    const tree *t = &f->trees[i];
    double size, five = weigh(CAROM_DOP853_ERROR5, 12, t, &size);
    if (t->order <= 5) CHECK_NEAR(five, 0.0, 1e-14 * (1.0 + size));
    if (t->order == 6) worst6 = fmax(worst6, fabs(five));
    double three = weigh(CAROM_DOP853_ORDER3, 12, t, &size) - 1.0 / t->gamma;
    if (t->order <= 3) CHECK_NEAR(three, 0.0, 1e-14 * (1.0 + size));
    if (t->order == 4) worst4 = fmax(worst4, fabs(three));
  }
  // the estimators must see something at the next order
  CHECK(worst6 > 1e-6);
  CHECK(worst4 > 1e-6);
}

// the weights b_i(theta) of the dense output
static void dense_weights(double theta, double b[STAGES + 1]) {
  double q = theta * (1.0 - theta);
  for (int i = 1; i <= STAGES; i++) {
    double r1 = i <= 12 ? CAROM_DOP853_WEIGHT[i] : 0.0;
    double r2 = (i == 1 ? 1.0 : 0.0) - r1;
    double r3 = r1 - (i == 13 ? 1.0 : 0.0) - r2;
    const double(*d)[17] = CAROM_DOP853_DENSE;
    b[i] = theta * r1 + q * (r2 + theta * r3) + q * q * (d[0][i] + theta * d[1][i]) +
           q * q * q * (d[2][i] + theta * d[3][i]);
  }
}

static void test_dense_order_seven(void **state) {
  (void)state;
  forest *f = grow_forest();
  for (int p = 1; p <= 20; p++) {
    double theta = p / 20.0, b[STAGES + 1];
    dense_weights(theta, b);
    for (int i = 0; i < f->start[ORDER]; i++) {
      const tree *t = &f->trees[i];
      double size, sum = weigh(b, STAGES, t, &size);
      CHECK_NEAR(sum, pow(theta, t->order) / t->gamma, 4e-14 * (1.0 + size));
    }
  }
}

// --- problems with known solutions ---

typedef struct problem {
  int n;
  carom_rhs rhs;
  void (*solution)(double t, double *y);
} problem;

static carom_status oscillator(void *ctx, double t, const double *y, double *f) {
  (void)ctx, (void)t;
  f[0] = y[1];
  f[1] = -y[0];
  return CAROM_OK;
}
static void oscillator_solution(double t, double *y) {
  y[0] = cos(t);
  y[1] = -sin(t);
}

// y' = -y + t^2 cos t, from y(0) = 1: forced, with an explicit solution
static carom_status forced(void *ctx, double t, const double *y, double *f) {
  (void)ctx;
  f[0] = -y[0] + t * t * cos(t);
  return CAROM_OK;
}
static void forced_solution(double t, double *y) {
  // particular: (t^2 (cos + sin) - 2 t sin + (sin - cos)) / 2, with value -1/2 at 0
  y[0] = 0.5 * (t * t * (cos(t) + sin(t)) - 2.0 * t * sin(t) + sin(t) - cos(t)) + 1.5 * exp(-t);
}

enum { ECCENTRIC = 5 };
static carom_status kepler(void *ctx, double t, const double *y, double *f) {
  (void)ctx, (void)t;
  double r2 = y[0] * y[0] + y[1] * y[1], r3 = r2 * sqrt(r2);
  f[0] = y[2], f[1] = y[3], f[2] = -y[0] / r3, f[3] = -y[1] / r3;
  return CAROM_OK;
}
// the orbit of eccentricity 0.5 by Kepler's equation u - e sin u = t
static void kepler_solution(double t, double *y) {
  double e = 0.1 * ECCENTRIC, u = t;
  for (int i = 0; i < 60; i++)
    u -= (u - e * sin(u) - t) / (1.0 - e * cos(u));
  double du = 1.0 / (1.0 - e * cos(u)), w = sqrt(1.0 - e * e);
  y[0] = cos(u) - e, y[1] = w * sin(u), y[2] = -sin(u) * du, y[3] = w * cos(u) * du;
}

static const problem PROBLEMS[] = {{2, oscillator, oscillator_solution},
                                   {1, forced, forced_solution},
                                   {4, kepler, kepler_solution}};
enum { PROBLEM_COUNT = sizeof PROBLEMS / sizeof *PROBLEMS };

static carom_stepper make(carom_arena *arena, const problem *p, carom_stepper_options options) {
  carom_stepper s;
  carom_error error;
  assert_int_equal(carom_stepper_init(&s, arena, p->n, p->rhs, NULL, &options, &error), CAROM_OK);
  double y[8];
  p->solution(0.0, y);
  assert_int_equal(carom_stepper_start(&s, 0.0, y, options.h_start, &error), CAROM_OK);
  return s;
}

static double distance(int n, const double *a, const double *b) {
  double d = 0.0;
  for (int i = 0; i < n; i++)
    d = fmax(d, fabs(a[i] - b[i]));
  return d;
}

// largest errors of `steps` equal steps to time T: at the end, and of the dense output anywhere
static void fixed_steps(const problem *p, double T, int steps, double *end, double *dense) {
  carom_arena *arena = carom_arena_create(NULL);
  carom_stepper_options o = carom_stepper_options_default();
  o.atol = 1e3, o.h_start = o.h_max = T / steps;
  carom_stepper s = make(arena, p, o);
  double exact[8], y[8];
  *dense = 0.0;
  while (s.t < T) {
    assert_int_equal(carom_stepper_try(&s, T, NULL), CAROM_OK);
    assert_int_equal(carom_stepper_dense(&s, NULL), CAROM_OK);
    for (int i = 0; i <= 8; i++) {
      carom_dense_eval(&s, i / 8.0, y, NULL, NULL);
      p->solution(s.t + i / 8.0 * s.h, exact);
      *dense = fmax(*dense, distance(p->n, y, exact));
    }
    carom_stepper_commit(&s);
  }
  p->solution(T, exact);
  *end = distance(p->n, s.y, exact);
  carom_arena_destroy(arena);
}

static void test_measured_order(void **state) {
  (void)state;
  const int coarse[PROBLEM_COUNT] = {10, 12, 80};
  for (int k = 0; k < PROBLEM_COUNT; k++) {
    double end[2], dense[2], local[2], ignored;
    for (int j = 0; j < 2; j++)
      fixed_steps(&PROBLEMS[k], 4.0, coarse[k] << j, &end[j], &dense[j]);
    double order = log2(end[0] / end[1]);
    if (order < 7.5 || order > 9.6)
      fail_msg("problem %d: measured order %.2f (errors %g, %g)", k, order, end[0], end[1]);
    // one step alone: the dense output is of order 7, its local error like h^8
    for (int j = 0; j < 2; j++)
      fixed_steps(&PROBLEMS[k], (k == 2 ? 0.1 : 0.8) / (1 << j), 1, &ignored, &local[j]);
    order = log2(local[0] / local[1]);
    if (order < 7.5 || order > 9.6)
      fail_msg("problem %d: local order of the dense output %.2f (%g, %g)", k, order, local[0],
               local[1]);
  }
}

static void test_error_control(void **state) {
  (void)state;
  const double T = 20.0;
  for (int k = 0; k < PROBLEM_COUNT; k++) {
    double before = 1.0;
    for (int digits = 6; digits <= 12; digits += 3) {
      carom_arena *arena = carom_arena_create(NULL);
      carom_stepper_options o = carom_stepper_options_default();
      o.rtol = o.atol = pow(10.0, -digits);
      carom_stepper s = make(arena, &PROBLEMS[k], o);
      while (s.t < T) {
        assert_int_equal(carom_stepper_try(&s, T, NULL), CAROM_OK);
        carom_stepper_commit(&s);
      }
      CHECK_SAME(s.t, T);
      double exact[8];
      PROBLEMS[k].solution(T, exact);
      double e = distance(PROBLEMS[k].n, s.y, exact);
      CHECK_NEAR(e, 0.0, 1e4 * o.rtol);
      CHECK(e < before);
      CHECK(s.counts.steps < 600);
      before = e;
      carom_arena_destroy(arena);
    }
  }
}

static void test_dense_accuracy_and_bounds(void **state) {
  (void)state;
  for (int k = 0; k < PROBLEM_COUNT; k++) {
    carom_arena *arena = carom_arena_create(NULL);
    const problem *p = &PROBLEMS[k];
    carom_stepper s = make(arena, p, carom_stepper_options_default());
    unsigned long seed = 12345;
    while (s.t < 8.0) {
      assert_int_equal(carom_stepper_try(&s, 8.0, NULL), CAROM_OK);
      assert_int_equal(carom_stepper_dense(&s, NULL), CAROM_OK);
      double y[8], dy[8], ddy[8], exact[8], slope[8];
      // both ends with value and slope, to round-off
      carom_dense_eval(&s, 0.0, y, dy, NULL);
      CHECK_NEAR(distance(p->n, y, s.y), 0.0, 1e-14);
      CHECK_NEAR(distance(p->n, dy, s.f), 0.0, 1e-13 / s.h);
      carom_dense_eval(&s, 1.0, y, dy, NULL);
      CHECK_NEAR(distance(p->n, y, s.y1), 0.0, 1e-14);
      CHECK_NEAR(distance(p->n, dy, s.f1), 0.0, 1e-13 / s.h);
      for (int trial = 0; trial < 40; trial++) {
        seed = seed * 6364136223846793005UL + 1442695040888963407UL;
        double a = (double)(seed >> 40) / 16777216.0;
        seed = seed * 6364136223846793005UL + 1442695040888963407UL;
        double b = (double)(seed >> 40) / 16777216.0;
        if (trial == 0) a = 0.0, b = 1.0;
        if (a > b) continue;
        carom_interval ys[8], dys[8], ddys[8];
        for (int i = 0; i < p->n; i++)
          carom_dense_bound(&s, i, a, b, &ys[i], &dys[i], &ddys[i]);
        double seen_lo[8] = {0.0}, seen_hi[8] = {0.0};
        for (int j = 0; j <= 32; j++) {
          double theta = j == 32 ? b : a + (b - a) * j / 32.0;
          carom_dense_eval(&s, theta, y, dy, ddy);
          for (int i = 0; i < p->n; i++) {
            CHECK(carom_interval_has(ys[i], y[i]));
            CHECK(carom_interval_has(dys[i], dy[i]));
            CHECK(carom_interval_has(ddys[i], ddy[i]));
            seen_lo[i] = j ? fmin(seen_lo[i], y[i]) : y[i];
            seen_hi[i] = j ? fmax(seen_hi[i], y[i]) : y[i];
          }
        }
        // not only true but sharp: at most half as wide again as what was seen
        for (int i = 0; i < p->n; i++)
          CHECK(carom_interval_width(ys[i]) <= 1.5 * (seen_hi[i] - seen_lo[i]) + 1e-3 * s.h);
      }
      // accuracy inside the step is that of the ends
      carom_dense_eval(&s, 0.37, y, dy, NULL);
      p->solution(s.t + 0.37 * s.h, exact);
      CHECK_NEAR(distance(p->n, y, exact), 0.0, 1e-7);
      p->rhs(NULL, s.t + 0.37 * s.h, exact, slope);
      CHECK_NEAR(distance(p->n, dy, slope), 0.0, 1e-6);
      carom_stepper_commit(&s);
    }
    carom_arena_destroy(arena);
  }
}

static void test_shorten_is_a_true_step(void **state) {
  (void)state;
  carom_arena *arena = carom_arena_create(NULL);
  carom_stepper s = make(arena, &PROBLEMS[0], carom_stepper_options_default());
  assert_int_equal(carom_stepper_try(&s, 10.0, NULL), CAROM_OK);
  carom_stepper_commit(&s);
  assert_int_equal(carom_stepper_try(&s, 10.0, NULL), CAROM_OK);
  double h = 0.3 * s.h, proposal = s.h_next, exact[2];
  long before = s.counts.evaluations;
  assert_int_equal(carom_stepper_shorten(&s, h, NULL), CAROM_OK);
  assert_int_equal(s.counts.evaluations - before, 12);
  CHECK_SAME(s.h_next, proposal);
  CHECK(!s.dense.known);
  oscillator_solution(s.t + h, exact);
  CHECK_NEAR(distance(2, s.y1, exact), 0.0, 1e-12);
  CHECK_NEAR(s.f1[0], s.y1[1], 0.0);

  // a nudge moves the end along the flow
  assert_int_equal(carom_stepper_nudge(&s, 1e-7, NULL), CAROM_OK);
  oscillator_solution(s.t1, exact);
  CHECK_NEAR(distance(2, s.y1, exact), 0.0, 1e-12);
  double t1 = s.t1;
  carom_stepper_commit(&s);
  CHECK_SAME(s.t, t1);
  CHECK_NEAR(distance(2, s.y, exact), 0.0, 1e-12);
  carom_arena_destroy(arena);
}

// --- the limits: no value, no progress, uncontrolled states, wrong arguments ---

static carom_status wall(void *ctx, double t, const double *y, double *f) {
  (void)t;
  f[0] = 1.0;
  if (y[0] >= 1.0) {
    if (!*(int *)ctx) return CAROM_ERR_NONFINITE;
    f[0] = NAN;
  }
  return CAROM_OK;
}
static carom_status blow_up(void *ctx, double t, const double *y, double *f) {
  (void)ctx, (void)t;
  f[0] = y[0] * y[0];
  return CAROM_OK;
}
static carom_status broken(void *ctx, double t, const double *y, double *f) {
  (void)ctx, (void)y;
  f[0] = 0.0;
  return t > 0.5 ? CAROM_ERR_SINGULAR : CAROM_OK;
}

static carom_status broken_at_once(void *ctx, double t, const double *y, double *f) {
  (void)ctx;
  f[0] = y[0];
  return t > 0.0 ? CAROM_ERR_SINGULAR : CAROM_OK;
}

static carom_status run_to(carom_rhs rhs, void *ctx, double y0, double T, double *t,
                           carom_error *error) {
  carom_arena *arena = carom_arena_create(NULL);
  carom_stepper_options o = carom_stepper_options_default();
  carom_stepper s;
  assert_int_equal(carom_stepper_init(&s, arena, 1, rhs, ctx, &o, error), CAROM_OK);
  carom_status status = carom_stepper_start(&s, 0.0, &y0, 0.0, error);
  while (!status && s.t < T) {
    status = carom_stepper_try(&s, T, error);
    if (!status) carom_stepper_commit(&s);
  }
  *t = s.t;
  carom_arena_destroy(arena);
  return status;
}

static void test_failures_end_with_the_time(void **state) {
  (void)state;
  carom_error error;
  double t;
  // a right-hand side that ends at y = 1: the steps creep up to it, then an error with the time
  for (int silent = 0; silent < 2; silent++) {
    assert_int_equal(run_to(wall, &silent, 0.0, 2.0, &t, &error), CAROM_ERR_NONFINITE);
    CHECK_NEAR(t, 1.0, 1e-12);
    CHECK(strstr(error.text, "t = 0.99999") || strstr(error.text, "t = 1"));
  }
  // a pole at t = 1
  assert_int_equal(run_to(blow_up, NULL, 1.0, 2.0, &t, &error) < 0, 1);
  CHECK_NEAR(t, 1.0, 1e-6);
  // another error of the right-hand side is final
  assert_int_equal(run_to(broken, NULL, 1.0, 2.0, &t, &error), CAROM_ERR_SINGULAR);
  // also where the first step is being chosen
  assert_int_equal(run_to(broken_at_once, NULL, 1.0, 2.0, &t, &error), CAROM_ERR_SINGULAR);
  CHECK_SAME(t, 0.0);
  CHECK(strstr(error.text, "the right-hand side failed at t = 0.01"));
  // a start that is not a number
  assert_int_equal(run_to(blow_up, NULL, NAN, 2.0, &t, &error), CAROM_ERR_NONFINITE);
}

static carom_status stiff_passenger(void *ctx, double t, const double *y, double *f) {
  (void)ctx, (void)t;
  f[0] = y[1], f[1] = -y[0], f[2] = 1e3 * cos(300.0 * t);
  return CAROM_OK;
}

static void test_controlled_and_h_max(void **state) {
  (void)state;
  long steps[2];
  for (int all = 0; all < 2; all++) {
    carom_arena *arena = carom_arena_create(NULL);
    carom_stepper_options o = carom_stepper_options_default();
    o.controlled = all ? 0 : 2;
    o.h_max = 0.5;
    carom_stepper s;
    double y[3] = {1, 0, 0};
    assert_int_equal(carom_stepper_init(&s, arena, 3, stiff_passenger, NULL, &o, NULL), CAROM_OK);
    assert_int_equal(carom_stepper_start(&s, 0.0, y, 0.0, NULL), CAROM_OK);
    while (s.t < 3.0) {
      assert_int_equal(carom_stepper_try(&s, 3.0, NULL), CAROM_OK);
      CHECK(s.h <= 0.5 * 1.0101);
      carom_stepper_commit(&s);
    }
    CHECK_NEAR(s.y[0], cos(3.0), 1e-8);
    steps[all] = s.counts.steps;
    carom_arena_destroy(arena);
  }
  CHECK(steps[1] > 10 * steps[0]);
}

static void test_arguments(void **state) {
  (void)state;
  carom_arena *arena = carom_arena_create(NULL);
  carom_stepper s;
  carom_error error;
  const double zero[1] = {0.0};
  carom_stepper_options good = carom_stepper_options_default(), bad[5];
  for (int i = 0; i < 5; i++)
    bad[i] = good;
  bad[0].rtol = -1.0, bad[1].atol = 0.0, bad[2].controlled = 2, bad[3].h_max = NAN;
  bad[4].scale = zero;
  for (int i = 0; i < 5; i++)
    assert_int_equal(carom_stepper_init(&s, arena, 1, blow_up, NULL, &bad[i], &error),
                     CAROM_ERR_ARGUMENT);
  assert_int_equal(carom_stepper_init(&s, arena, 0, blow_up, NULL, &good, &error),
                   CAROM_ERR_ARGUMENT);
  assert_int_equal(carom_stepper_init(&s, arena, 1, blow_up, NULL, &good, &error), CAROM_OK);
  double y = 1.0;
  assert_int_equal(carom_stepper_start(&s, 1.0, &y, 0.0, &error), CAROM_OK);
  assert_int_equal(carom_stepper_try(&s, 1.0, &error), CAROM_ERR_ARGUMENT);
  // the smallest step there is
  double t_end = nextafter(1.0, 2.0);
  assert_int_equal(carom_stepper_try(&s, t_end, &error), CAROM_OK);
  carom_stepper_commit(&s);
  CHECK_SAME(s.t, t_end);
  carom_arena_destroy(arena);
}

// y'' = -30^2 A sin(30 t): how many steps it takes from a short one to the usual length
static carom_status shaken(void *ctx, double t, const double *y, double *f) {
  (void)ctx;
  f[0] = y[1];
  f[1] = -0.9 * sin(30.0 * t);
  return CAROM_OK;
}

static int steps_to_grow(double t0) {
  carom_arena *arena = carom_arena_create(NULL);
  carom_stepper s;
  carom_error error = {0};
  carom_stepper_options options = carom_stepper_options_default();
  assert_int_equal(carom_stepper_init(&s, arena, 2, shaken, NULL, &options, &error), CAROM_OK);
  const double y[] = {1e-3, 0.0};
  assert_int_equal(carom_stepper_start(&s, t0, y, 1e-6, &error), CAROM_OK);
  int steps = 0;
  for (; s.h_next < 5e-3 && steps < 100; steps++) {
    assert_int_equal(carom_stepper_try(&s, t0 + 10.0, &error), CAROM_OK);
    carom_stepper_commit(&s);
  }
  carom_arena_destroy(arena);
  return steps;
}

// late in a run steps grow again, by a factor of 3 at least, though the rounding of time hides how
// small their errors are; without that it takes 18
static void grows_late_as_early(void **state) {
  (void)state;
  const double late[] = {1e2, 1e3, 1e4};
  int early = steps_to_grow(0.3);
  for (int k = 0; k < 3; k++) {
    int steps = steps_to_grow(late[k]);
    print_message("t = %g: %d steps, early %d\n", late[k], steps, early);
    CHECK(steps <= early + 3);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(grows_late_as_early),
      cmocka_unit_test(test_row_sums),
      cmocka_unit_test(test_order_eight),
      cmocka_unit_test(test_estimators),
      cmocka_unit_test(test_dense_order_seven),
      cmocka_unit_test(test_measured_order),
      cmocka_unit_test(test_error_control),
      cmocka_unit_test(test_dense_accuracy_and_bounds),
      cmocka_unit_test(test_shorten_is_a_true_step),
      cmocka_unit_test(test_failures_end_with_the_time),
      cmocka_unit_test(test_controlled_and_h_max),
      cmocka_unit_test(test_arguments),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
