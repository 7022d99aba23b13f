// SPDX-License-Identifier: MIT
// intervals hold the true values, computed by MPFR at points inside, and are not wider than they
// must be
#include "check.h"

#include "base/interval_functions.h"

#include <float.h>
#include <mpfr.h>
#include <stdlib.h>

typedef carom_interval box;
typedef int (*reference)(mpfr_t, const mpfr_t, mpfr_rnd_t);
typedef int (*reference2)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

// a small random generator (xorshift64*, Vigna 2016)
static uint64_t random_bits(uint64_t *state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * UINT64_C(0x2545f4914f6cdd1d);
}

static double random_between(uint64_t *state, double lo, double hi) {
  return lo + (hi - lo) * ((double)(random_bits(state) >> 11) * 0x1p-53);
}

// wide, narrow and point intervals, some with an end at zero
static box random_box(uint64_t *state, double lo, double hi) {
  double a = random_between(state, lo, hi), b = random_between(state, lo, hi);
  uint64_t kind = random_bits(state) % 8;
  if (kind == 0) b = a;
  if (kind == 1) b = a + fabs(a) * 0x1p-50;
  if (kind == 2) b = a + 1e-3;
  if (kind == 3 && lo <= 0.0) a = 0.0;
  if (b > hi) b = hi;
  return a < b ? (box){a, b} : (box){b, a};
}

// the ends and points between
static double point_inside(box a, int i, uint64_t *state) {
  if (i == 0) return a.lo;
  if (i == 1) return a.hi;
  double x = random_between(state, a.lo, a.hi);
  return x < a.lo ? a.lo : (x > a.hi ? a.hi : x);
}

static void check_holds(box range, const mpfr_t exact, const char *name, double x, double y) {
  CHECK(!isnan(range.lo) && !isnan(range.hi) && range.lo <= range.hi);
  if (mpfr_nan_p(exact)) return;
  if (mpfr_cmp_d(exact, range.lo) >= 0 && mpfr_cmp_d(exact, range.hi) <= 0) return;
  fail_msg("%s(%a, %a) = %.20g is not in [%a, %a]", name, x, y, mpfr_get_d(exact, MPFR_RNDN),
           range.lo, range.hi);
}

// ---- functions of one argument -----------------------------------------------------------------

static const struct function {
  const char *name;
  box (*bound)(box);
  reference exact;
  double lo, hi;
} functions[] = {
    {"sqrt", carom_interval_sqrt, mpfr_sqrt, -1, 10},
    {"square", carom_interval_square, mpfr_sqr, -5, 5},
    {"cbrt", carom_interval_cbrt, mpfr_cbrt, -10, 10},
    {"exp", carom_interval_exp, mpfr_exp, -20, 20},
    {"exp far", carom_interval_exp, mpfr_exp, -800, 800},
    {"log", carom_interval_log, mpfr_log, -1, 10},
    {"sin", carom_interval_sin, mpfr_sin, -10, 10},
    {"sin near", carom_interval_sin, mpfr_sin, 1, 2.2},
    {"cos", carom_interval_cos, mpfr_cos, -10, 10},
    {"cos far", carom_interval_cos, mpfr_cos, 1e6, 1e6 + 4},
    {"tan", carom_interval_tan, mpfr_tan, -2, 2},
    {"asin", carom_interval_asin, mpfr_asin, -1.1, 1.1},
    {"acos", carom_interval_acos, mpfr_acos, -1.1, 1.1},
    {"atan", carom_interval_atan, mpfr_atan, -10, 10},
    {"sinh", carom_interval_sinh, mpfr_sinh, -5, 5},
    {"cosh", carom_interval_cosh, mpfr_cosh, -5, 5},
    {"tanh", carom_interval_tanh, mpfr_tanh, -25, 25},
    {"abs", carom_interval_abs, mpfr_abs, -5, 5},
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static void test_functions_hold_their_values(void **unused) {
  (void)unused;
  uint64_t state = 4711;
  mpfr_t x, exact;
  mpfr_inits2(200, x, exact, (mpfr_ptr)0);
  for (int k = 0; k < FUNCTIONS; k++)
    for (int round = 0; round < 600; round++) {
      box a = random_box(&state, functions[k].lo, functions[k].hi);
      box range = functions[k].bound(a);
      for (int i = 0; i < 8; i++) {
        double at = point_inside(a, i, &state);
        mpfr_set_d(x, at, MPFR_RNDN);
        functions[k].exact(exact, x, MPFR_RNDN);
        check_holds(range, exact, functions[k].name, at, 0.0);
      }
    }
  mpfr_clears(x, exact, (mpfr_ptr)0);
}

// at a point the bounds are a few steps apart: (hi - lo) <= 5 ulp of either end
static void test_points_stay_narrow(void **unused) {
  (void)unused;
  uint64_t state = 99;
  for (int k = 0; k < FUNCTIONS; k++)
    for (int round = 0; round < 300; round++) {
      double x = random_between(&state, functions[k].lo, functions[k].hi);
      box range = functions[k].bound(carom_interval_point(x));
      if (isinf(range.lo) || isinf(range.hi)) continue; // outside the domain, or overflow
      double size = fmax(fabs(range.lo), fabs(range.hi));
      CHECK(range.hi - range.lo <= 5 * DBL_EPSILON * size + 5 * DBL_TRUE_MIN);
    }
}

// ---- functions of two arguments ----------------------------------------------------------------

static const struct function2 {
  const char *name;
  box (*bound)(box, box);
  reference2 exact;
  double lo, hi, lo2, hi2;
} functions2[] = {
    {"add", carom_interval_add, mpfr_add, -5, 5, -5, 5},
    {"sub", carom_interval_sub, mpfr_sub, -5, 5, -5, 5},
    {"mul", carom_interval_mul, mpfr_mul, -5, 5, -5, 5},
    {"mul tiny", carom_interval_mul, mpfr_mul, -1e-170, 1e-170, -1e-160, 1e-160},
    {"mul huge", carom_interval_mul, mpfr_mul, -1e200, 1e200, -1e200, 1e200},
    {"div", carom_interval_div, mpfr_div, -5, 5, -5, 5},
    {"div tiny", carom_interval_div, mpfr_div, -1e-200, 1e-200, -1e160, 1e160},
    {"pow", carom_interval_pow, mpfr_pow, 0, 5, -6, 6},
    {"pow near zero", carom_interval_pow, mpfr_pow, 0, 1e-3, -120, 120},
    {"atan2", carom_interval_atan2, mpfr_atan2, -2, 2, -2, 2},
    {"min", carom_interval_min, mpfr_min, -2, 2, -2, 2},
    {"max", carom_interval_max, mpfr_max, -2, 2, -2, 2},
};
enum { FUNCTIONS2 = sizeof functions2 / sizeof functions2[0] };

static bool is_finite(const mpfr_t x) { return mpfr_number_p(x) != 0; }

static void test_pairs_hold_their_values(void **unused) {
  (void)unused;
  uint64_t state = 1234;
  mpfr_t x, y, exact;
  mpfr_inits2(200, x, y, exact, (mpfr_ptr)0);
  for (int k = 0; k < FUNCTIONS2; k++)
    for (int round = 0; round < 1000; round++) {
      const struct function2 *f = &functions2[k];
      box a = random_box(&state, f->lo, f->hi), b = random_box(&state, f->lo2, f->hi2);
      box range = f->bound(a, b);
      for (int i = 0; i < 16; i++) {
        double u = point_inside(a, i / 4, &state), v = point_inside(b, i % 4, &state);
        mpfr_set_d(x, u + 0.0, MPFR_RNDN);
        mpfr_set_d(y, v + 0.0, MPFR_RNDN);
        f->exact(exact, x, y, MPFR_RNDN);
        if (is_finite(exact)) check_holds(range, exact, f->name, u, v);
      }
    }
  mpfr_clears(x, y, exact, (mpfr_ptr)0);
}

static void test_integer_powers(void **unused) {
  (void)unused;
  uint64_t state = 77;
  mpfr_t x, exact;
  mpfr_inits2(400, x, exact, (mpfr_ptr)0);
  for (int round = 0; round < 4000; round++) {
    box a = random_box(&state, -3, 3);
    int n = (int)(random_bits(&state) % 15) - 7;
    box range = carom_interval_pow(a, carom_interval_point(n));
    for (int i = 0; i < 6; i++) {
      double at = point_inside(a, i, &state) + 0.0;
      mpfr_set_d(x, at, MPFR_RNDN);
      mpfr_pow_si(exact, x, n, MPFR_RNDN);
      if (is_finite(exact)) check_holds(range, exact, "integer pow", at, n);
    }
    if (n % 2 == 0) CHECK(range.lo >= 0.0);
  }
  mpfr_clears(x, exact, (mpfr_ptr)0);
}

// ---- definite cases ----------------------------------------------------------------------------

static void check_box(box got, double lo, double hi, double slack) {
  CHECK_NEAR(got.lo, lo, slack);
  CHECK_NEAR(got.hi, hi, slack);
  if (isfinite(lo)) CHECK(got.lo <= lo);
  if (isfinite(hi)) CHECK(got.hi >= hi);
}

static void test_division_by_zero(void **unused) {
  (void)unused;
  check_box(carom_interval_div((box){1, 2}, (box){0, 4}), 0.25, INFINITY, 1e-15);
  check_box(carom_interval_div((box){1, 2}, (box){-4, 0}), -INFINITY, -0.25, 1e-15);
  check_box(carom_interval_div((box){-2, -1}, (box){0, 4}), -INFINITY, -0.25, 1e-15);
  check_box(carom_interval_div((box){-2, -1}, (box){-4, 0}), 0.25, INFINITY, 1e-15);
  check_box(carom_interval_div((box){-1, 1}, (box){0, 4}), -INFINITY, INFINITY, 0);
  check_box(carom_interval_div((box){1, 2}, (box){-1, 1}), -INFINITY, INFINITY, 0);
  check_box(carom_interval_div((box){1, 2}, (box){0, 0}), -INFINITY, INFINITY, 0);
  check_box(carom_interval_pow((box){0, 2}, (box){-1, -1}), 0.5, INFINITY, 1e-15);
  check_box(carom_interval_pow((box){-2, -0.0}, (box){-3, -3}), -INFINITY, -0.125, 1e-15);
  check_box(carom_interval_pow((box){-2, 1}, (box){-2, -2}), 0.25, INFINITY, 1e-15);
  check_box(carom_interval_pow((box){-2, 1}, (box){-1, -1}), -INFINITY, INFINITY, 0);
}

static void test_waves_turn(void **unused) {
  (void)unused;
  check_box(carom_interval_sin((box){1, 2}), sin(1), 1, 1e-15);
  check_box(carom_interval_sin((box){4, 5}), -1, sin(4), 1e-15);
  check_box(carom_interval_sin((box){2, 4}), sin(4), sin(2), 1e-15);
  check_box(carom_interval_cos((box){-1, 0.5}), cos(1), 1, 1e-15);
  check_box(carom_interval_cos((box){3, 3.5}), -1, cos(3.5), 1e-15);
  check_box(carom_interval_cos((box){0, 100}), -1, 1, 0);
  check_box(carom_interval_sin((box){-INFINITY, INFINITY}), -1, 1, 0);
  check_box(carom_interval_tan((box){1, 2}), -INFINITY, INFINITY, 0);
  check_box(carom_interval_tan((box){2, 4}), tan(2), tan(4), 1e-14);
}

static void test_domains(void **unused) {
  (void)unused;
  check_box(carom_interval_sqrt((box){-1, 4}), 0, 2, 1e-15);
  check_box(carom_interval_sqrt((box){-2, -1}), -INFINITY, INFINITY, 0);
  check_box(carom_interval_log((box){-1, 1}), -INFINITY, 0, 1e-15);
  check_box(carom_interval_pow((box){-1, 4}, (box){1.5, 1.5}), 0, 8, 1e-14);
  check_box(carom_interval_atan2((box){-1, 1}, (box){-2, -1}), -3.1415926535897932,
            3.1415926535897932, 1e-15);
  check_box(carom_interval_sign((box){-2, 0}), -1, 0, 0);
  check_box(carom_interval_hull((box){1, 2}, (box){4, 5}), 1, 5, 0);
}

// every function at every mixture of special ends answers without NaN
static void test_never_nan(void **unused) {
  (void)unused;
  const double v[] = {-INFINITY,    -DBL_MAX, -1.0, -DBL_TRUE_MIN, -0.0,     0.0,
                      DBL_TRUE_MIN, 1.0,      2.5,  DBL_MAX,       INFINITY, NAN};
  const int n = (int)(sizeof v / sizeof v[0]);
  for (int i = 0; i < n * n; i++) {
    box a = {v[i / n], v[i % n]};
    for (int k = 0; k < FUNCTIONS; k++) {
      box r = functions[k].bound(a);
      CHECK(r.lo <= r.hi);
    }
    for (int j = 0; j < n * n; j++)
      for (int k = 0; k < FUNCTIONS2; k++) {
        box r = functions2[k].bound(a, (box){v[j / n], v[j % n]});
        CHECK(r.lo <= r.hi);
      }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_functions_hold_their_values),
      cmocka_unit_test(test_points_stay_narrow),
      cmocka_unit_test(test_pairs_hold_their_values),
      cmocka_unit_test(test_integer_powers),
      cmocka_unit_test(test_division_by_zero),
      cmocka_unit_test(test_waves_turn),
      cmocka_unit_test(test_domains),
      cmocka_unit_test(test_never_nan),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
