// SPDX-License-Identifier: MIT
#include "check.h"

#include "base/eigen.h"
#include "base/linear.h"

#include <string.h>

enum { N = 6 };

// a small reproducible sequence in [-1, 1]
static double noise(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / 8388608.0 - 1.0;
}

static void test_general_system(void **unused) {
  (void)unused;
  unsigned state = 7;
  for (int round = 0; round < 50; round++) {
    double A[N * N], copy[N * N], x[N], b[N];
    int pivot[N];
    for (int k = 0; k < N * N; k++)
      copy[k] = A[k] = noise(&state);
    for (int i = 0; i < N; i++)
      x[i] = noise(&state);
    for (int i = 0; i < N; i++)
      b[i] = carom_dot(N, A + i * N, x);
    CHECK(carom_solve_general(N, copy, b, pivot));
    for (int i = 0; i < N; i++)
      CHECK_NEAR(b[i], x[i], 1e-11);
  }
  double singular[4] = {1, 2, 2, 4}, right[2] = {1, 2};
  int pivot[2];
  CHECK(!carom_solve_general(2, singular, right, pivot));
}

// W W^T with dependent rows: the solution of a consistent system satisfies it, dependent unknowns
// are 0
static void test_semidefinite_system(void **unused) {
  (void)unused;
  unsigned state = 3;
  double W[4][3], A[16], b[4], kept[16], right[4];
  for (int j = 0; j < 3; j++) {
    W[0][j] = noise(&state);
    W[1][j] = noise(&state);
    W[2][j] = W[0][j] + 2.0 * W[1][j];
    W[3][j] = noise(&state);
  }
  double force[4] = {0.3, -1.2, 0.0, 0.7};
  for (int i = 0; i < 4; i++) {
    b[i] = 0.0;
    for (int j = 0; j < 4; j++) {
      A[i * 4 + j] = carom_dot(3, W[i], W[j]);
      b[i] += A[i * 4 + j] * force[j];
    }
  }
  memcpy(kept, A, sizeof A);
  memcpy(right, b, sizeof b);
  int order[4];
  assert_int_equal(carom_solve_semidefinite(4, A, b, 1e-11, order), 3);
  for (int i = 0; i < 4; i++)
    CHECK_NEAR(carom_dot(4, kept + i * 4, b), right[i], 1e-13);
  CHECK_SAME(b[order[3]], 0.0);
}

static void test_companion_roots(void **unused) {
  (void)unused;
  // (x - 4)(x - 3)(x - 2)(x - 1), then (x^2 + 2x + 5)(x - 1)
  const double real[16] = {0, 0, 0, -24, 1, 0, 0, 50, 0, 1, 0, -35, 0, 0, 1, 10};
  double work[100], re[4], im[4];
  CHECK(carom_eigen_workspace(4) <= 100);
  CHECK(carom_eigenvalues(4, real, work, re, im));
  for (int k = 0; k < 4; k++) {
    CHECK_NEAR(re[k], 4.0 - k, 1e-12);
    CHECK_SAME(im[k], 0.0);
  }
  const double pair[9] = {0, 0, 5, 1, 0, -3, 0, 1, -1};
  CHECK(carom_eigenvalues(3, pair, work, re, im));
  const double want_re[3] = {1, -1, -1}, want_im[3] = {0, 2, -2};
  for (int k = 0; k < 3; k++) {
    CHECK_NEAR(re[k], want_re[k], 1e-13);
    CHECK_NEAR(im[k], want_im[k], 1e-13);
  }
}

// trace and sum of squares are those of the matrix, for many matrices
static void test_eigenvalue_invariants(void **unused) {
  (void)unused;
  unsigned state = 11;
  for (int round = 0; round < 200; round++) {
    double A[N * N], work[2 * N * N + 6 * N], re[N], im[N], trace = 0.0, square = 0.0;
    for (int k = 0; k < N * N; k++)
      A[k] = noise(&state);
    for (int i = 0; i < N; i++) {
      trace += A[i * N + i];
      for (int j = 0; j < N; j++)
        square += A[i * N + j] * A[j * N + i];
    }
    CHECK(carom_eigenvalues(N, A, work, re, im));
    double sum = 0.0, sum_square = 0.0;
    for (int i = 0; i < N; i++) {
      sum += re[i];
      sum_square += re[i] * re[i] - im[i] * im[i];
      if (i) CHECK(re[i] <= re[i - 1]);
    }
    CHECK_NEAR(sum, trace, 1e-12);
    CHECK_NEAR(sum_square, square, 1e-11);
  }
  double broken[4] = {1, NAN, 0, 1}, work[24], re[2], im[2];
  CHECK(!carom_eigenvalues(2, broken, work, re, im));
}

// [2 1 0; 1 2 a; 0 a 1]: the last pivot is 1 - 2 a^2 / 3
static void test_not_positive(void **state) {
  (void)state;
  double pivot = 0.0, good[9] = {2, 1, 0, 1, 2, 1, 0, 1, 1}, bad[9] = {2, 1, 0, 1, 2, 2, 0, 2, 1};
  assert_int_equal(carom_find_not_positive(3, good, 0.0, &pivot), 3);
  CHECK_NEAR(pivot, 1.0 / 3.0, 1e-15);
  assert_int_equal(carom_find_not_positive(3, bad, 0.0, &pivot), 2);
  CHECK_NEAR(pivot, -5.0 / 3.0, 1e-15);
  CHECK_SAME(bad[8], 1.0);
  double slim[4] = {1, 1, 1, 1 + 1e-13}, negative[1] = {-1}, nothing[1] = {0}, broken[1] = {NAN};
  assert_int_equal(carom_find_not_positive(2, slim, 1e-12, &pivot), 1);
  assert_int_equal(carom_find_not_positive(1, negative, 0.0, &pivot), 0);
  assert_int_equal(carom_find_not_positive(1, nothing, 0.0, &pivot), 0);
  assert_int_equal(carom_find_not_positive(1, broken, 0.0, &pivot), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_general_system), cmocka_unit_test(test_semidefinite_system),
      cmocka_unit_test(test_companion_roots), cmocka_unit_test(test_eigenvalue_invariants),
      cmocka_unit_test(test_not_positive)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
