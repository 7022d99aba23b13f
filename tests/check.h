// SPDX-License-Identifier: MIT
/// cmocka with checks that explain themselves: both values, the difference and the tolerance.
#ifndef CAROM_TESTS_CHECK_H
#define CAROM_TESTS_CHECK_H

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <math.h>
#include <stdio.h>

/// |a - b| <= tolerance, absolutely.
#define CHECK_NEAR(a, b, tolerance) check_near((a), (b), (tolerance), #a, __FILE__, __LINE__)
/// |a - b| <= tolerance |b|.
#define CHECK_RELATIVE(a, b, tolerance)                                                            \
  check_near((a), (b), (tolerance)*fabs(b), #a, __FILE__, __LINE__)
/// Equal bits (a NaN equals a NaN, +0 differs from -0 only in sign and counts as equal).
#define CHECK_SAME(a, b) check_near((a), (b), 0.0, #a, __FILE__, __LINE__)
/// A condition.
#define CHECK(condition) _assert_true((condition) ? 1u : 0u, #condition, __FILE__, __LINE__)

static inline void check_near(double a, double b, double tolerance, const char *what,
                              const char *file, int line) {
  if (fabs(a - b) <= tolerance || a == b || (isnan(a) && isnan(b))) return;
  print_error("%s:%d: %s is %.17g, expected %.17g, difference %.3g, tolerance %.3g\n", file, line,
              what, a, b, a - b, tolerance);
  _fail(file, line);
}

#endif
