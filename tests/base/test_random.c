// SPDX-License-Identifier: MIT
// Moments, correlations between neighbours of every kind, and fixed values.
#include "base/random.h"
#include "check.h"

enum { MANY = 200000 };

static void test_uniform_moments(void **state) {
  (void)state;
  double sum = 0, square = 0, lag = 0, other = 0, seeds = 0;
  for (uint64_t k = 0; k < MANY; k++) {
    double u = carom_random_uniform(5, 3, k) - 0.5;
    CHECK(u >= -0.5 && u < 0.5);
    sum += u, square += u * u;
    lag += u * (carom_random_uniform(5, 3, k + 1) - 0.5);
    other += u * (carom_random_uniform(5, 4, k) - 0.5);
    seeds += u * (carom_random_uniform(6, 3, k) - 0.5);
  }
  // five standard deviations of each
  double sigma = 5 / sqrt((double)MANY);
  CHECK_NEAR(sum / MANY, 0, sigma * sqrt(1 / 12.0));
  CHECK_NEAR(square / MANY, 1 / 12.0, sigma * sqrt(1 / 180.0));
  CHECK_NEAR(lag / MANY, 0, sigma / 12);
  CHECK_NEAR(other / MANY, 0, sigma / 12);
  CHECK_NEAR(seeds / MANY, 0, sigma / 12);
}

static void test_normal_moments(void **state) {
  (void)state;
  double sum = 0, square = 0, fourth = 0;
  for (uint64_t k = 0; k < MANY; k++) {
    double g = carom_random_normal(1, 1, k);
    CHECK(isfinite(g));
    sum += g, square += g * g, fourth += g * g * g * g;
  }
  double sigma = 5 / sqrt((double)MANY);
  CHECK_NEAR(sum / MANY, 0, sigma);
  CHECK_NEAR(square / MANY, 1, sigma * sqrt(2.0));
  CHECK_NEAR(fourth / MANY, 3, sigma * sqrt(96.0));
}

static void test_bits_are_balanced(void **state) {
  (void)state;
  int ones[64] = {0}, n = 20000;
  for (uint64_t k = 0; k < (uint64_t)n; k++)
    for (int b = 0; b < 64; b++)
      ones[b] += (int)(carom_random_bits(0, 0, k) >> b & 1);
  for (int b = 0; b < 64; b++)
    CHECK_NEAR(ones[b], n / 2.0, 5 * sqrt(n / 4.0));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_uniform_moments),
      cmocka_unit_test(test_normal_moments),
      cmocka_unit_test(test_bits_are_balanced),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
