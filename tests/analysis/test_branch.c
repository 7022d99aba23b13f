// SPDX-License-Identifier: MIT
// Solving for points of a branch from derivatives nearby: no new ones are found where they serve,
// and where they do not Newton's method takes over.
#include "check.h"

#include "analysis/branch.h"

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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_chords),
                                     cmocka_unit_test(test_bad_slopes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
