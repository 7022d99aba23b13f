// SPDX-License-Identifier: MIT
// Solving for points of a branch: the linear equations with a border, what may be dropped of them,
// and derivatives nearby: no new ones are found where they serve, and where they do not Newton's
// method takes over.
#include "check.h"

#include "analysis/branch.h"
#include "base/random.h"

#include <string.h>

static const double ONES[] = {1.0, 1.0};
enum { NONE = 0 };

// x0^3 + x1 = 1 + p, x1^2 + x0 = 1 + p; counts how often derivatives are asked for
static carom_status curve(void *ctx, const double *x, double p, double *F, double *J,
                          carom_error *error) {
  (void)error;
  F[0] = x[0] * x[0] * x[0] + x[1] - 1.0 - p;
  F[1] = x[1] * x[1] + x[0] - 1.0 - p;
  if (!J) return CAROM_OK;
  ++*(int *)ctx;
  J[0] = 3.0 * x[0] * x[0], J[1] = 1.0;
  J[2] = 1.0, J[3] = 2.0 * x[1];
  return CAROM_OK;
}

static carom_branch_problem problem_of(int *asked, carom_branch_slopes *seen) {
  return (carom_branch_problem){.count = 2,
                                .ctx = asked,
                                .residual = curve,
                                .scale = ONES,
                                .scale_p = 1.0,
                                .weight = ONES,
                                .seen = seen};
}

// the solution at p = 1, x0 = x1 = 1, and its tangent
static carom_branch_point start_of(carom_branch_problem *problem) {
  carom_branch_point point = {.x = {1.2, 0.9}, .p = 1.0};
  carom_branch_effort effort;
  assert_int_equal(carom_branch_correct(problem, &point, NULL, 1e-13, 20, &effort, NULL), CAROM_OK);
  assert_int_equal(carom_branch_tangent(problem, &point, NULL), CAROM_OK);
  return point;
}

// a step of s along the tangent
static carom_branch_point step_of(const carom_branch_problem *problem,
                                  const carom_branch_point *from, double s) {
  carom_branch_point to = *from;
  const double direction[] = {from->tangent[0], from->tangent[1], from->tangent_p};
  carom_branch_effort effort;
  for (int k = 0; k < 2; k++)
    to.x[k] += s * direction[k];
  to.p += s * direction[2];
  assert_int_equal(carom_branch_correct(problem, &to, direction, 1e-11, 20, &effort, NULL),
                   CAROM_OK);
  double F[2], along = 0.0;
  assert_int_equal(curve(NULL, to.x, to.p, F, NULL, NULL), CAROM_OK);
  CHECK_NEAR(F[0], 0.0, 1e-11);
  CHECK_NEAR(F[1], 0.0, 1e-11);
  for (int k = 0; k < 2; k++)
    along += direction[k] * (to.x[k] - from->x[k]);
  CHECK_NEAR(along + direction[2] * (to.p - from->p), s, 1e-11); // across the tangent
  return to;
}

static void test_chords(void **unused) {
  (void)unused;
  int asked = 0;
  static carom_branch_slopes seen, near;
  carom_branch_problem problem = problem_of(&asked, &seen);
  carom_branch_point here = start_of(&problem);
  assert_true(seen.known && seen.p == here.p && seen.x[0] == here.x[0] && seen.x[1] == here.x[1]);
  near = seen;
  problem.near = &near;
  asked = NONE;
  (void)step_of(&problem, &here, 0.05);
  assert_int_equal(asked, NONE);
}

// derivatives of another place altogether
static void test_bad_slopes(void **unused) {
  (void)unused;
  int asked = 0;
  static carom_branch_slopes seen, near;
  carom_branch_problem problem = problem_of(&asked, &seen);
  carom_branch_point here = start_of(&problem);
  near = seen;
  for (int k = 0; k < 4; k++)
    near.J[k] = -near.J[k];
  problem.near = &near;
  asked = NONE;
  carom_branch_point there = step_of(&problem, &here, 0.05);
  assert_true(asked > NONE);
  problem.near = NULL;
  carom_branch_point same = step_of(&problem, &here, 0.05);
  CHECK_SAME(there.x[0], same.x[0]); // nothing is left of the attempt
  CHECK_SAME(there.p, same.p);
}

// --- linear equations with a border

static double draw(uint64_t stream, uint64_t k) {
  return 2.0 * carom_random_uniform(77, stream, k) - 1.0;
}

// [A b; c 0.3] with A = Q D, Q a product of reflections and D a diagonal that begins with `least`
static void make_bordered(uint64_t stream, int n, double least, double *B) {
  int m = n + 1;
  double v[CAROM_DENSE_MOST];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      B[i * m + j] = i == j ? (i == 0 ? least : 1.0 + i) : 0.0;
  for (int round = 0; round < 2; round++) {
    double square = 0.0;
    for (int i = 0; i < n; i++) {
      v[i] = draw(stream, (uint64_t)(round * n + i));
      square += v[i] * v[i];
    }
    for (int j = 0; j < n; j++) {
      double along = 0.0;
      for (int i = 0; i < n; i++)
        along += v[i] * B[i * m + j];
      for (int i = 0; i < n; i++)
        B[i * m + j] -= 2.0 * along / square * v[i];
    }
  }
  for (int k = 0; k < n; k++) {
    B[k * m + n] = draw(stream, (uint64_t)(1000 + k));
    B[n * m + k] = k == 0 ? 1.0 : draw(stream, (uint64_t)(2000 + k));
  }
  B[n * m + n] = 0.3;
}

// the bordered matrix is regular though the inner one is singular, or nearly so
static void test_bordered(void **unused) {
  (void)unused;
  static const double leasts[] = {1.0, 1e-6, 1e-14, 0.0};
  for (int n = 1; n <= 20; n++)
    for (int l = 0; l < 4; l++) {
      int m = n + 1;
      double B[21 * 21], copy[21 * 21], x[21], b[21], left = NAN;
      make_bordered((uint64_t)(4 * n + l), n, leasts[l], B);
      for (int i = 0; i < m; i++) {
        b[i] = 0.0;
        x[i] = draw(5, (uint64_t)(100 * n + i));
      }
      for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
          b[i] += B[i * m + j] * x[j];
      memcpy(copy, B, sizeof copy);
      assert_int_equal(carom_branch_solve(m, copy, b, 1e-13, &left), m);
      CHECK_SAME(left, 0.0);
      for (int i = 0; i < m; i++)
        CHECK_NEAR(b[i], x[i], 1e-10);
    }
}

// two equations with the same left-hand side: solved where the right-hand sides agree
static void test_left(void **unused) {
  (void)unused;
  for (int k = 0; k < 2; k++) {
    double A[] = {1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 0.0, 1.0, -1.0}, b[] = {1.0, 2.0 + 0.01 * k, 0.5};
    double left = NAN;
    assert_int_equal(carom_branch_solve(3, A, b, 1e-13, &left), 2);
    CHECK_NEAR(left, 0.005 * k, 1e-15); // seen from the larger of the two equations
    if (k == 0) CHECK_NEAR(b[0] + 2.0 * b[1] + 3.0 * b[2], 1.0, 1e-14);
  }
}

// x0 = p, and an equation that nothing changes: `ctx` is what is left of it
static carom_status flat(void *ctx, const double *x, double p, double *F, double *J,
                         carom_error *error) {
  (void)error;
  F[0] = x[0] - p;
  F[1] = *(double *)ctx;
  if (J) J[0] = 1.0, J[1] = J[2] = J[3] = 0.0;
  return CAROM_OK;
}

// a step that cannot be made smaller is a solution only where nothing is left, with and without
// derivatives nearby
static void test_unsolved(void **unused) {
  (void)unused;
  static carom_branch_slopes near = {.known = true, .J = {1.0}, .by_p = {-1.0}};
  for (int k = 0; k < 4; k++) {
    double left = k % 2 ? 1e-6 : 1e-12;
    carom_branch_problem problem = problem_of(NULL, NULL);
    carom_branch_point point = {.x = {0.9, 0.0}, .p = 1.0};
    const double direction[] = {0.6, 0.0, 0.8};
    carom_branch_effort effort;
    problem.residual = flat;
    problem.ctx = &left;
    problem.drop = 1e-6;
    problem.near = k < 2 ? NULL : &near;
    carom_status status =
        carom_branch_correct(&problem, &point, direction, 1e-10, 20, &effort, NULL);
    assert_int_equal(status, k % 2 ? CAROM_ERR_NO_CONVERGENCE : CAROM_OK);
    if (status == CAROM_OK) CHECK_NEAR(point.x[0], point.p, 1e-12);
  }
}

// x^2 = p: at the fold the inner matrix is singular, and the tangent has no part along p
static carom_status parabola(void *ctx, const double *x, double p, double *F, double *J,
                             carom_error *error) {
  (void)ctx, (void)error;
  F[0] = x[0] * x[0] - p;
  if (J) J[0] = 2.0 * x[0];
  return CAROM_OK;
}

static void test_fold(void **unused) {
  (void)unused;
  carom_branch_problem problem = problem_of(NULL, NULL);
  problem.count = 1;
  problem.residual = parabola;
  // the tangent (1, 2 x)/sqrt(1 + 4 x^2) keeps its side through the fold
  carom_branch_point point = {.x = {-1.0}, .p = 1.0, .tangent = {0.5}, .tangent_p = -1.0};
  for (int k = -10; k <= 10; k++) {
    point.x[0] = 0.1 * k;
    point.p = point.x[0] * point.x[0];
    assert_int_equal(carom_branch_tangent(&problem, &point, NULL), CAROM_OK);
    double length = hypot(1.0, 2.0 * point.x[0]);
    CHECK_NEAR(point.tangent[0], 1.0 / length, 1e-9);
    CHECK_NEAR(point.tangent_p, 2.0 * point.x[0] / length, 1e-9);
  }
}

// atan(10 p) = 0, whatever x is; remembers the lowest parameter it was asked about
static carom_status steep(void *ctx, const double *x, double p, double *F, double *J,
                          carom_error *error) {
  (void)x, (void)error;
  *(double *)ctx = fmin(*(double *)ctx, p);
  F[0] = atan(10.0 * p);
  if (J) J[0] = 0.0;
  return CAROM_OK;
}

// From 0.3 Newton's method would look at 0.3 - atan(3) = -0.95 first
static void test_bounds_of_the_parameter(void **state) {
  (void)state;
  const double direction[] = {1.0, 0.0};
  for (int bounded = 0; bounded < 2; bounded++) {
    double lowest = INFINITY;
    carom_branch_problem problem = {.count = 1,
                                    .ctx = &lowest,
                                    .residual = steep,
                                    .scale = ONES,
                                    .scale_p = 1.0,
                                    .low = bounded ? -0.5 : 0.0,
                                    .high = bounded ? 0.5 : 0.0,
                                    .weight = ONES};
    carom_branch_point point = {.x = {2.0}, .p = 0.3};
    carom_branch_effort effort;
    assert_int_equal(carom_branch_correct(&problem, &point, direction, 1e-12, 30, &effort, NULL),
                     CAROM_OK);
    CHECK_NEAR(point.p, 0.0, 1e-12);
    if (bounded)
      assert_true(lowest >= -0.5);
    else
      CHECK_NEAR(lowest, 0.3 - atan(3.0), 1e-4);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_chords),
                                     cmocka_unit_test(test_bad_slopes),
                                     cmocka_unit_test(test_bordered),
                                     cmocka_unit_test(test_left),
                                     cmocka_unit_test(test_bounds_of_the_parameter),
                                     cmocka_unit_test(test_unsolved),
                                     cmocka_unit_test(test_fold)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
