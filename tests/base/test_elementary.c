// SPDX-License-Identifier: MIT
// elementary functions against MPFR, special values, and one recorded hash
#include "check.h"

#include "base/elementary.h"

#include <mpfr.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef double (*unary)(double);
typedef int (*reference)(mpfr_t, const mpfr_t, mpfr_rnd_t);

static double sincos_sine(double x) {
  double s, c;
  carom_sincos(x, &s, &c);
  return s;
}

static double sincos_cosine(double x) {
  double s, c;
  carom_sincos(x, &s, &c);
  return c;
}

// range: where random arguments of interest lie, beside all other doubles
static const struct function {
  const char *name;
  unary scalar;
  reference exact;
  double lo, hi, worst; // worst: accepted error [ulp]
} functions[] = {
    {"exp", carom_exp, mpfr_exp, -746, 710, 0.8},
    {"log", carom_log, mpfr_log, 0, 4, 0.8},
    {"sin", carom_sin, mpfr_sin, -20, 20, 0.8},
    {"cos", carom_cos, mpfr_cos, -20, 20, 0.8},
    {"sincos sine", sincos_sine, mpfr_sin, -20, 20, 0.8},
    {"sincos cosine", sincos_cosine, mpfr_cos, -20, 20, 0.8},
    {"tan", carom_tan, mpfr_tan, -20, 20, 0.9},
    {"asin", carom_asin, mpfr_asin, -1, 1, 0.8},
    {"acos", carom_acos, mpfr_acos, -1, 1, 0.8},
    {"atan", carom_atan, mpfr_atan, -5, 5, 0.8},
    {"sinh", carom_sinh, mpfr_sinh, -3, 3, 0.9},
    {"cosh", carom_cosh, mpfr_cosh, -3, 3, 0.8},
    {"tanh", carom_tanh, mpfr_tanh, -2, 2, 0.8},
    {"cbrt", carom_cbrt, mpfr_cbrt, -10, 10, 0.8},
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

// a small random generator (xorshift64*, Vigna 2016) with the state in the caller's hand
static uint64_t random_bits(uint64_t *state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * UINT64_C(0x2545f4914f6cdd1d);
}

static double random_between(uint64_t *state, double lo, double hi) {
  return lo + (hi - lo) * ((double)(random_bits(state) >> 11) * 0x1p-53);
}

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static double from_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// |value - exact| in units of the last place of the exact value, subnormal numbers included
static double error_in_ulp(double value, const mpfr_t exact) {
  double rounded = mpfr_get_d(exact, MPFR_RNDN);
  if (value == rounded && (isinf(value) || value == 0.0)) return 0.0;
  if (isnan(value) || isnan(rounded)) return isnan(value) && isnan(rounded) ? 0.0 : INFINITY;
  if (isinf(value)) return INFINITY;
  long exponent = mpfr_zero_p(exact) ? -1074 : (long)mpfr_get_exp(exact) - 53;
  if (exponent < -1074) exponent = -1074;
  mpfr_t difference;
  mpfr_init2(difference, 300);
  mpfr_sub_d(difference, exact, value, MPFR_RNDN);
  mpfr_mul_2si(difference, difference, -exponent, MPFR_RNDN);
  double ulps = fabs(mpfr_get_d(difference, MPFR_RNDN));
  mpfr_clear(difference);
  return ulps;
}

// a number of random size: at most 2^(sign * 0 ... sign * (exponents - 1)), drawn in a fixed order,
// which arguments of one call would not be
static double random_scale(uint64_t *state, int sign, unsigned exponents) {
  double fraction = random_between(state, -1, 1);
  int exponent = (int)(random_bits(state) % exponents);
  return ldexp(fraction, sign * exponent);
}

// the i-th argument of a mixture: range of interest, all doubles, around multiples of pi/2, around
// 0, 1
static double argument(const struct function *f, int i, uint64_t *state) {
  switch (i % 8) {
  case 0: return from_bits(random_bits(state));
  case 1: return (double)(int64_t)(random_bits(state) >> 40) * 0x1.921fb54442d18p0;
  case 2: return 1.0 + random_scale(state, -1, 50);
  case 3: return random_scale(state, -1, 60);
  case 4: return random_scale(state, 1, 12);
  default: return random_between(state, f->lo, f->hi);
  }
}

static double unary_error(const struct function *f, double x) {
  mpfr_t exact;
  mpfr_init2(exact, 120);
  mpfr_t at;
  mpfr_init2(at, 53);
  mpfr_set_d(at, x, MPFR_RNDN);
  f->exact(exact, at, MPFR_RNDN);
  double ulps = error_in_ulp(f->scalar(x), exact);
  mpfr_clear(at);
  mpfr_clear(exact);
  return ulps;
}

static void check_worst(const char *name, double worst, double accepted, double x, double y) {
  print_message("%-14s worst error %.3f ulp at %.17g %.17g\n", name, worst, x, y);
  if (!(worst <= accepted)) fail_msg("%s: %.3f ulp, accepted %.3f", name, worst, accepted);
}

// CAROM_ELEMENTARY_SAMPLES asks for a longer search
static int sample_count(int usual) {
  const char *wanted = getenv("CAROM_ELEMENTARY_SAMPLES");
  return wanted ? (int)strtol(wanted, NULL, 10) : usual;
}

static void test_unary_accuracy(void **unused) {
  (void)unused;
  int samples = sample_count(12000);
  for (int k = 0; k < FUNCTIONS; k++) {
    const struct function *f = &functions[k];
    uint64_t state = 12345 + (uint64_t)k;
    double worst = 0, where = 0;
    for (int i = 0; i < samples; i++) {
      double x = argument(f, i, &state), ulps = unary_error(f, x);
      if (ulps > worst) {
        worst = ulps;
        where = x;
      }
    }
    check_worst(f->name, worst, f->worst, where, 0);
  }
}

static void test_hard_angles(void **unused) {
  (void)unused;
  // 6381956970095103 2^797 is the double nearest to a multiple of pi/2 (Muller et al. 2010);
  // the others lie at the ends of the reductions
  const double hard[] = {ldexp(6381956970095103.0, 797),
                         0x1.fffffffffffffp1023,
                         0x1p20,
                         0x1.0000000000001p20,
                         0x1.fffffffffffffp19,
                         1e22,
                         1e300,
                         0x1p52,
                         0x1p53,
                         0x1.921fb54442d18p0,
                         0x1.921fb54442d18p1,
                         0x1.6ac5b262ca1ffp849,
                         0x1p-1074,
                         0x1p-1022,
                         105414357.85319,
                         0x1.921fb54442d18p-1,
                         0x1.921fb54442d19p-1,
                         1048576.5,
                         2097152.25,
                         4194305.125};
  for (int k = 2; k <= 6; k++)
    for (size_t i = 0; i < sizeof hard / sizeof hard[0]; i++) {
      CHECK(unary_error(&functions[k], hard[i]) <= functions[k].worst);
      CHECK(unary_error(&functions[k], -hard[i]) <= functions[k].worst);
    }
}

static double binary_error(double (*f)(double, double),
                           int (*exact)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t), double a,
                           double b) {
  mpfr_t result, x, y;
  mpfr_init2(result, 120);
  mpfr_init2(x, 53);
  mpfr_init2(y, 53);
  mpfr_set_d(x, a, MPFR_RNDN);
  mpfr_set_d(y, b, MPFR_RNDN);
  exact(result, x, y, MPFR_RNDN);
  double ulps = error_in_ulp(f(a, b), result);
  mpfr_clear(result);
  mpfr_clear(x);
  mpfr_clear(y);
  return ulps;
}

static void draw_for_pow(int i, uint64_t *state, double *x, double *y) {
  *x = i % 3 ? random_between(state, 0, 5) : from_bits(random_bits(state) & ~(UINT64_C(1) << 63));
  *y = i % 4 ? random_between(state, -20, 20) : random_between(state, -1100, 1100);
  if (i % 5 == 0) *x = 1.0 + random_between(state, -1e-3, 1e-3);
  if (i % 5 == 0) *y = ldexp(*y, (int)(random_bits(state) % 20));
  if (i % 7 == 0) *y = (double)((int)(random_bits(state) % 41) - 20) * 0.5;
  if (i % 11 == 0) *x = -*x;
}

static void draw_for_atan2(int i, uint64_t *state, double *y, double *x) {
  *y = i % 3 ? random_between(state, -3, 3) : from_bits(random_bits(state));
  *x = i % 4 ? random_between(state, -3, 3) : from_bits(random_bits(state));
  if (i % 6 == 0) *x = *y * random_between(state, -4, 4);
  if (i % 7 == 0) *y = ldexp(*x, (int)(random_bits(state) % 140) - 70);
}

static void test_binary_accuracy(void **unused) {
  (void)unused;
  uint64_t state = 777;
  double worst[3] = {0}, at[3][2] = {{0}};
  int samples = sample_count(50000);
  for (int i = 0; i < samples; i++) {
    double a, b;
    draw_for_pow(i, &state, &a, &b);
    double ulps = binary_error(carom_pow, mpfr_pow, a, b);
    if (ulps > worst[0]) worst[0] = ulps, at[0][0] = a, at[0][1] = b;
    draw_for_atan2(i, &state, &a, &b);
    ulps = binary_error(carom_atan2, mpfr_atan2, a, b);
    if (ulps > worst[1]) worst[1] = ulps, at[1][0] = a, at[1][1] = b;
    ulps = binary_error(carom_hypot, mpfr_hypot, a, b);
    if (ulps > worst[2]) worst[2] = ulps, at[2][0] = a, at[2][1] = b;
  }
  check_worst("pow", worst[0], 0.8, at[0][0], at[0][1]);
  check_worst("atan2", worst[1], 0.8, at[1][0], at[1][1]);
  check_worst("hypot", worst[2], 0.6, at[2][0], at[2][1]);
}

// equal bits, signs of zero included; any NaN equals any NaN
static void check_bits(double got, double expected, const char *what) {
  if (bits_of(got) == bits_of(expected) || (isnan(got) && isnan(expected))) return;
  fail_msg("%s is %a, expected %a", what, got, expected);
}
#define CHECK_BITS(got, expected) check_bits((got), (expected), #got)

static void test_special_values(void **unused) {
  (void)unused;
  const double inf = INFINITY;
  CHECK_BITS(carom_exp(0.0), 1.0);
  CHECK_BITS(carom_exp(-0.0), 1.0);
  CHECK_BITS(carom_exp(inf), inf);
  CHECK_BITS(carom_exp(-inf), 0.0);
  CHECK_BITS(carom_exp(1000.0), inf);
  CHECK_BITS(carom_exp(-1000.0), 0.0);
  CHECK_BITS(carom_log(1.0), 0.0);
  CHECK_BITS(carom_log(0.0), -inf);
  CHECK_BITS(carom_log(-0.0), -inf);
  CHECK_BITS(carom_log(-1.0), NAN);
  CHECK_BITS(carom_log(-inf), NAN);
  CHECK_BITS(carom_log(inf), inf);
  CHECK_BITS(carom_acos(1.0), 0.0);
  CHECK_BITS(carom_acos(1.5), NAN);
  CHECK_BITS(carom_asin(-1.5), NAN);
  CHECK_BITS(carom_asin(1.0), 0x1.921fb54442d18p0);
  CHECK_BITS(carom_acos(-1.0), 0x1.921fb54442d18p1);
  CHECK_BITS(carom_cosh(0.0), 1.0);
  CHECK_BITS(carom_cosh(-inf), inf);
  CHECK_BITS(carom_cos(0.0), 1.0);
  CHECK_BITS(carom_cbrt(27.0), 3.0);
  const unary odd[] = {carom_sin,  carom_tan,  carom_asin, carom_atan,
                       carom_sinh, carom_tanh, carom_cbrt};
  for (int i = 0; i < 7; i++) {
    CHECK_BITS(odd[i](0.0), 0.0);
    CHECK_BITS(odd[i](-0.0), -0.0);
    CHECK_BITS(odd[i](-0x1p-1074), -0x1p-1074 * (i == 6 ? 0x1p716 : 1.0));
  }
  CHECK_BITS(carom_sin(inf), NAN);
  CHECK_BITS(carom_cos(-inf), NAN);
  CHECK_BITS(carom_tan(inf), NAN);
  CHECK_BITS(carom_sinh(-inf), -inf);
  CHECK_BITS(carom_cbrt(-inf), -inf);
  CHECK_BITS(carom_tanh(inf), 1.0);
  CHECK_BITS(carom_tanh(-30.0), -1.0);
  CHECK_BITS(carom_atan(-inf), -0x1.921fb54442d18p0);
  for (int k = 0; k < FUNCTIONS; k++)
    CHECK_BITS(functions[k].scalar(NAN), NAN);
}

// C17 F.10.4.4 and F.10.1.4: the C library is the reference for these exact cases
static void test_special_pairs(void **unused) {
  (void)unused;
  const double v[] = {0.0,   -0.0,   1.0,    -1.0,    0.5,      -0.5,      2.0, -2.0,   3.0,   -3.0,
                      1e300, -1e300, 1e-320, -1e-320, INFINITY, -INFINITY, NAN, 0x1p53, 0x1p60};
  int n = (int)(sizeof v / sizeof v[0]);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double expected = pow(v[i], v[j]);
      if (expected == 0.0 || isinf(expected) || isnan(expected) || fabs(expected) == 1.0)
        check_bits(carom_pow(v[i], v[j]), expected, "pow");
      bool is_exact = v[i] == 0.0 || v[j] == 0.0 || !isfinite(v[i]) || !isfinite(v[j]);
      if (is_exact) check_bits(carom_atan2(v[i], v[j]), atan2(v[i], v[j]), "atan2");
      bool plain = !isfinite(v[i]) || !isfinite(v[j]) || v[i] == 0.0 || v[j] == 0.0;
      if (plain) check_bits(carom_hypot(v[i], v[j]), hypot(v[i], v[j]), "hypot");
    }
}

// one number for many results: it must be the same for every compiler and optimisation
static void test_recorded_hash(void **unused) {
  (void)unused;
  uint64_t hash = UINT64_C(0xcbf29ce484222325), state = 5;
  for (int i = 0; i < 20000; i++)
    for (int k = 0; k < FUNCTIONS; k++) {
      double value = functions[k].scalar(argument(&functions[k], i, &state));
      hash = (hash ^ bits_of(value)) * UINT64_C(0x100000001b3);
    }
  for (int i = 0; i < 20000; i++) {
    double a, b;
    draw_for_pow(i, &state, &a, &b);
    hash = (hash ^ bits_of(carom_pow(a, b))) * UINT64_C(0x100000001b3);
    draw_for_atan2(i, &state, &a, &b);
    hash = (hash ^ bits_of(carom_atan2(a, b))) * UINT64_C(0x100000001b3);
  }
  const uint64_t recorded = UINT64_C(0x4b948d51a57d1cc0);
  if (hash != recorded)
    fail_msg("hash 0x%llx, recorded 0x%llx", (unsigned long long)hash,
             (unsigned long long)recorded);
}

int main(void) {
  mpfr_set_default_prec(120);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_unary_accuracy),  cmocka_unit_test(test_hard_angles),
      cmocka_unit_test(test_binary_accuracy), cmocka_unit_test(test_special_values),
      cmocka_unit_test(test_special_pairs),   cmocka_unit_test(test_recorded_hash),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
