// SPDX-License-Identifier: MIT
// The normal law alone: closed forms of head-on collisions and the fit of restitution.
#include "check.h"
#include "grains/law.h"

static const double PI = 3.14159265358979323846;

// linear spring and dashpot: e = exp(-pi zeta/sqrt(1 - zeta^2)) when the contact may pull
static void test_linear_closed_form(void **state) {
  (void)state;
  for (double zeta = 0.05; zeta < 0.9; zeta += 0.2) {
    double m = 0.7, k = 900, w = sqrt(k / m);
    carom_grain_law law = {.kn = k, .gn = 2 * zeta * w, .damping = CAROM_DAMPING_MASS};
    carom_grain_impact hit = carom_grain_law_impact(&law, m, 1.3);
    CHECK_RELATIVE(hit.restitution, exp(-PI * zeta / sqrt(1 - zeta * zeta)), 1e-5);
    CHECK_RELATIVE(hit.duration, PI / (w * sqrt(1 - zeta * zeta)), 1e-4);
  }
}

static void test_undamped_hertz(void **state) {
  (void)state;
  carom_grain_law law = {.hertz = true, .kn = 5e6};
  double m = 2, v = 0.7;
  carom_grain_impact hit = carom_grain_law_impact(&law, m, v);
  CHECK_NEAR(hit.restitution, 1, 1e-6);
  CHECK_RELATIVE(hit.depth, pow(1.25 * m * v * v / 5e6, 0.4), 1e-6);
  // Landau and Lifshitz 1986, section 9: 2.94 times depth over speed
  CHECK_RELATIVE(hit.duration, 2.9432 * hit.depth / v, 1e-4);
}

// damping by ratio: e does not depend on the speed, and for Hertz contacts that may pull it is the
// closed form of Antypov and Elliott (2011), gamma = sqrt(5) ln(1/e)/sqrt(ln(e)^2 + pi^2)
static void test_ratio_is_independent_of_speed(void **state) {
  (void)state;
  for (double e = 0.2; e < 1; e += 0.2) {
    double b = log(1 / e) / sqrt(log(e) * log(e) + PI * PI);
    carom_grain_law law = {
        .hertz = true, .kn = 1e7, .damping = CAROM_DAMPING_RATIO, .gn = sqrt(5.0) * b};
    for (double v = 0.01; v < 20; v *= 10)
      CHECK_RELATIVE(carom_grain_law_impact(&law, 0.01, v).restitution, e, 2e-4);
  }
}

static void test_fit(void **state) {
  (void)state;
  for (int kind = 0; kind < 8; kind++)
    for (double e = 0.1; e < 1.05; e += 0.15) {
      carom_grain_law law = {.hertz = kind & 1,
                             .damping = kind & 2 ? CAROM_DAMPING_MASS : CAROM_DAMPING_RATIO,
                             .clip = kind & 4,
                             .kn = 5e6,
                             .gn = 2,
                             .gt = 1};
      double want = fmin(e, 1);
      assert_int_equal(carom_grain_law_fit(&law, 0.3, 0.5, want, NULL), CAROM_OK);
      CHECK_NEAR(carom_grain_law_impact(&law, 0.3, 0.5).restitution, want, 1e-6);
      CHECK_NEAR(law.gt, 0.5 * law.gn, 1e-12 * law.gn);
    }
  carom_grain_law law = {.kn = 1};
  carom_error error;
  assert_int_equal(carom_grain_law_fit(&law, 1, 1, 0, &error), CAROM_ERR_INPUT);
  assert_int_equal(carom_grain_law_fit(&law, 1, 1, 1.1, &error), CAROM_ERR_INPUT);
}

// damping by mass with the square root of the overlap: a rod that falls straight on a
// plate with the paper's numbers has the largest restitution of all tilts, 0.81
static void test_paper_values(void **state) {
  (void)state;
  carom_grain_law law = {.hertz = true, .kn = 5e6, .gn = 400};
  CHECK_NEAR(carom_grain_law_impact(&law, 13.75, 1.0).restitution, 0.81, 0.005);
}

static void test_bad_laws(void **state) {
  (void)state;
  carom_error error;
  carom_grain_law good = carom_grain_law_default(), bad = good;
  assert_int_equal(carom_grain_law_check(&good, &error), CAROM_OK);
  bad.kn = 0;
  assert_int_equal(carom_grain_law_check(&bad, &error), CAROM_ERR_INPUT);
  bad = good, bad.slip = -1;
  assert_int_equal(carom_grain_law_check(&bad, &error), CAROM_ERR_INPUT);
  bad = good, bad.stick = 0.1;
  assert_int_equal(carom_grain_law_check(&bad, &error), CAROM_ERR_INPUT);
  bad = good, bad.gn = NAN;
  assert_int_equal(carom_grain_law_check(&bad, &error), CAROM_ERR_INPUT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_linear_closed_form),
      cmocka_unit_test(test_undamped_hertz),
      cmocka_unit_test(test_ratio_is_independent_of_speed),
      cmocka_unit_test(test_fit),
      cmocka_unit_test(test_paper_values),
      cmocka_unit_test(test_bad_laws),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
