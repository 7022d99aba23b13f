// SPDX-License-Identifier: MIT
// Amplitudes against sums written out.
#include "check.h"
#include "draw/fourier.h"

static const double TURN = 6.283185307179586477;

// a sine on a frequency of the grid gives its amplitude there, half of it beside (Hann)
static void test_sine(void **state) {
  (void)state;
  enum { N = 256 };
  double values[N], work[2 * N], amplitudes[N / 2 + 1];
  for (int k = 0; k < N; k++)
    values[k] = 7.0 + 3.0 * sin(TURN * 20.0 * k / N + 0.4);
  carom_amplitudes(N, values, work, amplitudes);
  CHECK_NEAR(amplitudes[20], 3.0, 1e-12);
  CHECK_NEAR(amplitudes[19], 1.5, 1e-12);
  CHECK_NEAR(amplitudes[21], 1.5, 1e-12);
  for (int k = 0; k <= N / 2; k++)
    if (k < 19 || k > 21) CHECK_NEAR(amplitudes[k], 0.0, 1e-12);
}

// the definition, term by term, on numbers without any pattern
static void test_definition(void **state) {
  (void)state;
  enum { N = 64 };
  double values[N], work[2 * N], amplitudes[N / 2 + 1], mean = 0.0;
  for (int k = 0; k < N; k++)
    values[k] = fmod(1.0 + 997.0 * k * k, 31.0);
  for (int k = 0; k < N; k++)
    mean += values[k] / N;
  carom_amplitudes(N, values, work, amplitudes);
  for (int f = 0; f <= N / 2; f++) {
    double re = 0.0, im = 0.0;
    for (int k = 0; k < N; k++) {
      double x = (1.0 - cos(TURN * k / N)) * (values[k] - mean);
      re += x * cos(TURN * f * k / N);
      im -= x * sin(TURN * f * k / N);
    }
    CHECK_NEAR(amplitudes[f], hypot(re, im) * 2.0 / N, 1e-10);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sine),
                                     cmocka_unit_test(test_definition)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
