// SPDX-License-Identifier: MIT
/// What the elementary functions share: bits of doubles, pairs of doubles, the exponential.
/// Every kernel is free of branches and of calls, so that a loop over it becomes vector code, and
/// consists of IEEE operations in a fixed order, so that vector and scalar code give equal bits.
#ifndef CAROM_BASE_ELEMENTARY_KERNEL_H
#define CAROM_BASE_ELEMENTARY_KERNEL_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define CAROM_KERNEL static inline __attribute__((always_inline))

// gcc compiles lane loops twice, for plain x86-64 and for AVX2, and the better one is chosen when
// the program is loaded; AVX2 brings no fused multiply-add, so the bits stay the same. Sanitizers
// do not like the late choice, and clang 14 gives the chosen function a name that other files do
// not find.
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__OPTIMIZE__) &&                      \
    !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CAROM_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define CAROM_CLONES
#endif

// ---- bits --------------------------------------------------------------------------------------

CAROM_KERNEL uint64_t bits_of(double x) {
  uint64_t bits = 0;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

CAROM_KERNEL double double_of(uint64_t bits) {
  double x = 0.0;
  memcpy(&x, &bits, sizeof x);
  return x;
}

#define CAROM_SIGN_BIT 0x8000000000000000u

CAROM_KERNEL double magnitude(double x) { return double_of(bits_of(x) & ~CAROM_SIGN_BIT); }

// x with its sign changed where s is negative
CAROM_KERNEL double flip_sign(double x, double s) {
  return double_of(bits_of(x) ^ (bits_of(s) & CAROM_SIGN_BIT));
}

// adding this rounds to an integer and leaves it in the low bits, for |x| < 2^51
#define CAROM_ROUNDER 0x1.8p52

// 2^n, -1022 <= n <= 1023, n an integer in a double
CAROM_KERNEL double two_to(double n) {
  return double_of((bits_of(n + CAROM_ROUNDER) + 1023u) << 52);
}

// the leading 26 bits of x: products of two such numbers are exact
CAROM_KERNEL double leading_bits(double x) { return double_of(bits_of(x) & ~(uint64_t)0x7ffffff); }

// ---- pairs of doubles: an unevaluated sum hi + lo ----------------------------------------------

typedef struct pair {
  double hi, lo;
} pair;

// a + b exactly, |a| >= |b| (Dekker 1971)
CAROM_KERNEL pair sum_ordered(double a, double b) {
  double s = a + b;
  return (pair){s, b - (s - a)};
}

// a + b exactly (Knuth 1969)
CAROM_KERNEL pair sum_exact(double a, double b) {
  double s = a + b;
  double b_seen = s - a;
  return (pair){s, (a - (s - b_seen)) + (b - b_seen)};
}

// a b exactly (Veltkamp 1968, Dekker 1971), |a|, |b| < 2^990
CAROM_KERNEL pair product_exact(double a, double b) {
  double p = a * b;
  double ca = 134217729.0 * a, cb = 134217729.0 * b;
  double ah = ca - (ca - a), bh = cb - (cb - b);
  double al = a - ah, bl = b - bh;
  return (pair){p, ((ah * bh - p) + (ah * bl + al * bh)) + al * bl};
}

// a b to about 2^-102
CAROM_KERNEL pair product_pair(pair a, pair b) {
  pair p = product_exact(a.hi, b.hi);
  return sum_ordered(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

// a / b to about 2^-100: the quotient of the leading parts and what the remainder adds
CAROM_KERNEL pair quotient_pair(pair a, pair b) {
  double q = a.hi / b.hi;
  pair p = product_exact(q, b.hi);
  double rest = ((a.hi - p.hi) - p.lo) + (a.lo - q * b.lo);
  return (pair){q, rest / b.hi};
}

// a^2 / 2 as an exact leading part and a tail
CAROM_KERNEL pair half_square(double a) {
  double h = leading_bits(a);
  return (pair){0.5 * (h * h), 0.5 * ((a - h) * (a + h))};
}

// ---- the exponential ---------------------------------------------------------------------------

// log 2: 42 bits, so that products with exponents are exact, and the rest
#define CAROM_LN2_HI 0x1.62e42fefa3800p-1
#define CAROM_LN2_LO 0x1.ef35793c76730p-45
#define CAROM_INVERSE_LN2 0x1.71547652b82fep+0

// exp(x) = 2^n (1 + rest), |rest| <= 0.42
typedef struct exponential {
  double n;
  pair rest;
} exponential;

// (exp(r) - 1 - r - r^2/2) / r^3 on |r| <= log(2)/2 to 2^-60 (interpolated at Chebyshev nodes)
CAROM_KERNEL double exp_tail(double r) {
  double r2 = r * r, r4 = r2 * r2;
  double a = 0x1.5555555555556p-3 + r * 0x1.5555555555555p-5;
  double b = 0x1.11111111109a6p-7 + r * 0x1.6c16c16c167dap-10;
  double c = 0x1.a01a01a7cebcdp-13 + r * 0x1.a01a01a48116fp-16;
  double d = 0x1.71de0d85293b8p-19 + r * 0x1.27e4e1dcf773bp-22;
  double e = 0x1.af390ba7e6f47p-26 + r * 0x1.1f6717774d5e0p-29;
  return (a + r2 * b) + r4 * ((c + r2 * d) + r4 * e);
}

// for |hi| < 2^20 and lo below an ulp of hi; the rest is good to about 2^-59 of itself
CAROM_KERNEL exponential exp_kernel(double hi, double lo) {
  double n = (hi * CAROM_INVERSE_LN2 + CAROM_ROUNDER) - CAROM_ROUNDER;

  // the leading difference is exact, the other one small
  pair r = sum_ordered(hi - n * CAROM_LN2_HI, lo - n * CAROM_LN2_LO);
  pair half = half_square(r.hi);
  double cubic = r.hi * (r.hi * r.hi) * exp_tail(r.hi);
  pair rest = sum_ordered(r.hi, half.hi);
  rest.lo += (half.lo + cubic) + (r.lo + r.lo * rest.hi);
  return (exponential){n, rest};
}

// y 2^n for |n| < 2000, rounded once: half of the exponent at a time stays in range
CAROM_KERNEL double scale_by_power(double y, double n) {
  double half = (0.5 * n + CAROM_ROUNDER) - CAROM_ROUNDER;
  return (y * two_to(half)) * two_to(n - half);
}

CAROM_KERNEL double exp_value(exponential e) {
  pair y = sum_ordered(1.0, e.rest.hi);
  return scale_by_power(y.hi + (y.lo + e.rest.lo), e.n);
}

// ---- results -----------------------------------------------------------------------------------

// every NaN is the same one: which of several NaNs an operation hands on, and its sign, depends on
// the order of operands, which compilers may exchange
CAROM_KERNEL double settle(double value) { return value == value ? value : (double)NAN; }

/// Defines a function that is a kernel of one argument.
#define CAROM_FUNCTION_OF_KERNEL(name, kernel)                                                     \
  double name(double x) { return settle(kernel(x)); }

#endif
