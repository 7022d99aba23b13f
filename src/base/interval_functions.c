// SPDX-License-Identifier: MIT
// Interval arithmetic by widening: results are computed to nearest and moved outwards, one step for
// the correctly rounded operations, two for the elementary functions, whose error is below 1 ulp.
// A zero that is exact stays zero, so that squares, sums of squares and their roots stay in domain.
#include "base/interval_functions.h"
#include "base/elementary.h"

#include <float.h>
#include <stdint.h>
#include <string.h>

typedef carom_interval box;

static const box WHOLE = {-INFINITY, INFINITY};
static const double TWO_OVER_PI = 0x1.45f306dc9c883p-1;
static const double PI_ABOVE = 0x1.921fb54442d19p+1;

// ---- widening ----------------------------------------------------------------------------------

// the double `steps` further from zero (or nearer, when negative) of a finite nonzero x
static double step_away(double x, int64_t steps) {
  int64_t bits = 0;
  memcpy(&bits, &x, sizeof bits);
  bits += steps;
  memcpy(&x, &bits, sizeof bits);
  return x;
}

// the next double above x; zero and NaN are pushed too, so the answer always bounds
static double next_up(double x) {
  if (isnan(x) || x == INFINITY) return INFINITY;
  if (x == 0.0) return DBL_TRUE_MIN;
  return step_away(x, x > 0.0 ? 1 : -1);
}

static double next_down(double x) { return -next_up(-x); }

// for results whose zero is exact
static double up(double x) { return x == 0.0 ? 0.0 : next_up(x); }
static double down(double x) { return x == 0.0 ? 0.0 : next_down(x); }

// for the elementary functions
static double up2(double x) { return up(up(x)); }
static double down2(double x) { return down(down(x)); }

static double smaller(double a, double b) { return a < b ? a : b; }
static double larger(double a, double b) { return a > b ? a : b; }

// NaN ends or ends in the wrong order bound nothing
static bool is_broken(box a) { return !(a.lo <= a.hi); }

static box clamp(box a, double lo, double hi) {
  return (box){smaller(larger(a.lo, lo), hi), larger(smaller(a.hi, hi), lo)};
}

// ---- arithmetic --------------------------------------------------------------------------------

// a sum of doubles is zero only when it is exactly zero; inf - inf is NaN and widens to infinity
carom_interval carom_interval_add(carom_interval a, carom_interval b) {
  if (is_broken(a) || is_broken(b)) return WHOLE;
  return (box){down(a.lo + b.lo), up(a.hi + b.hi)};
}

carom_interval carom_interval_sub(carom_interval a, carom_interval b) {
  return carom_interval_add(a, carom_interval_neg(b));
}

carom_interval carom_interval_neg(carom_interval a) {
  if (is_broken(a)) return WHOLE;
  return (box){-a.hi, -a.lo};
}

// infinite ends stand for arbitrarily large numbers, so zero times one of them is zero
static double end_times(double a, double b) { return a == 0.0 || b == 0.0 ? 0.0 : a * b; }

// and a number divided by one of them tends to zero
static double end_over(double a, double b) { return isinf(b) ? 0.0 : a / b; }

// bounds of products or quotients from those of the ends; a zero there may be an underflow, and
// then the signs of the factors say on which side the true value lies
static box bound_corners(double p, double q, double r, double s, box a, box b) {
  double lo = smaller(smaller(p, q), smaller(r, s));
  double hi = larger(larger(p, q), larger(r, s));
  bool can_be_negative = (a.lo < 0.0 && b.hi > 0.0) || (a.hi > 0.0 && b.lo < 0.0);
  bool can_be_positive = (a.lo < 0.0 && b.lo < 0.0) || (a.hi > 0.0 && b.hi > 0.0);
  return (box){lo != 0.0 || can_be_negative ? next_down(lo) : 0.0,
               hi != 0.0 || can_be_positive ? next_up(hi) : 0.0};
}

// The same for the plain case, finite factors and no zero at the outer corners: the answer has the
// bits of bound_corners. False: the case is not plain.
static inline bool bound_plain(box a, box b, box *out) {
  double p = a.lo * b.lo, q = a.lo * b.hi, r = a.hi * b.lo, s = a.hi * b.hi;
  double lo = smaller(smaller(p, q), smaller(r, s)), hi = larger(larger(p, q), larger(r, s));
  bool finite = 0.0 * p + 0.0 * q + (0.0 * r + 0.0 * s) == 0.0;
  if (!finite || lo == 0.0 || hi == 0.0 || is_broken(a) || is_broken(b)) return false;
  *out = (box){step_away(lo, lo > 0.0 ? -1 : 1), step_away(hi, hi > 0.0 ? 1 : -1)};
  return true;
}

carom_interval carom_interval_mul(carom_interval a, carom_interval b) {
  box plain;
  if (bound_plain(a, b, &plain)) return plain;
  if (is_broken(a) || is_broken(b)) return WHOLE;
  return bound_corners(end_times(a.lo, b.lo), end_times(a.lo, b.hi), end_times(a.hi, b.lo),
                       end_times(a.hi, b.hi), a, b);
}

// a / [0, top]: a half-line when the sign of a is known
static box divide_by_touching_zero(box a, double top) {
  if (a.lo >= 0.0) return (box){larger(0.0, next_down(end_over(a.lo, top))), INFINITY};
  if (a.hi <= 0.0) return (box){-INFINITY, smaller(0.0, next_up(end_over(a.hi, top)))};
  return WHOLE;
}

carom_interval carom_interval_div(carom_interval a, carom_interval b) {
  if (is_broken(a) || is_broken(b)) return WHOLE;
  if (b.lo > 0.0 || b.hi < 0.0)
    return bound_corners(end_over(a.lo, b.lo), end_over(a.lo, b.hi), end_over(a.hi, b.lo),
                         end_over(a.hi, b.hi), a, b);
  if (b.lo == 0.0 && b.hi > 0.0) return divide_by_touching_zero(a, b.hi);
  if (b.hi == 0.0 && b.lo < 0.0) return divide_by_touching_zero(carom_interval_neg(a), -b.lo);
  return WHOLE;
}

carom_interval carom_interval_square(carom_interval a) {
  if (is_broken(a)) return WHOLE;
  box m = carom_interval_abs(a);
  return (box){larger(0.0, next_down(m.lo * m.lo)), m.hi == 0.0 ? 0.0 : next_up(m.hi * m.hi)};
}

carom_interval carom_interval_abs(carom_interval a) {
  if (is_broken(a)) return WHOLE;
  if (a.lo > 0.0) return a;
  if (a.hi < 0.0) return (box){-a.hi, -a.lo};
  return (box){0.0, larger(-a.lo, a.hi) + 0.0}; // no negative zeros: powers would see their sign
}

static double sign_of(double x) { return (double)((x > 0.0) - (x < 0.0)); }

carom_interval carom_interval_sign(carom_interval a) {
  if (is_broken(a)) return (box){-1.0, 1.0};
  return (box){sign_of(a.lo), sign_of(a.hi)};
}

carom_interval carom_interval_min(carom_interval a, carom_interval b) {
  if (is_broken(a) || is_broken(b)) return WHOLE;
  return (box){smaller(a.lo, b.lo), smaller(a.hi, b.hi)};
}

carom_interval carom_interval_max(carom_interval a, carom_interval b) {
  if (is_broken(a) || is_broken(b)) return WHOLE;
  return (box){larger(a.lo, b.lo), larger(a.hi, b.hi)};
}

carom_interval carom_interval_hull(carom_interval a, carom_interval b) {
  if (is_broken(a) || is_broken(b)) return WHOLE;
  return (box){smaller(a.lo, b.lo), larger(a.hi, b.hi)};
}

// ---- monotone functions ------------------------------------------------------------------------

// an increasing function that vanishes only where it does so exactly
static box increasing_image(double (*f)(double), box a) {
  if (is_broken(a)) return WHOLE;
  return (box){down2(f(a.lo)), up2(f(a.hi))};
}

carom_interval carom_interval_sqrt(carom_interval a) {
  if (is_broken(a) || a.hi < 0.0) return WHOLE;
  return (box){a.lo <= 0.0 ? 0.0 : down(sqrt(a.lo)), up(sqrt(a.hi))};
}

carom_interval carom_interval_cbrt(carom_interval a) { return increasing_image(carom_cbrt, a); }
carom_interval carom_interval_atan(carom_interval a) { return increasing_image(carom_atan, a); }
carom_interval carom_interval_sinh(carom_interval a) { return increasing_image(carom_sinh, a); }

carom_interval carom_interval_tanh(carom_interval a) {
  if (is_broken(a)) return (box){-1.0, 1.0};
  return clamp(increasing_image(carom_tanh, a), -1.0, 1.0);
}

// exp is positive: what underflows to zero from above is bounded by the smallest double
carom_interval carom_interval_exp(carom_interval a) {
  if (is_broken(a)) return WHOLE;
  return (box){down2(carom_exp(a.lo)), next_up(next_up(carom_exp(a.hi)))};
}

// log takes the positive part of its argument; without any there is nothing to say
carom_interval carom_interval_log(carom_interval a) {
  if (is_broken(a) || a.hi <= 0.0) return WHOLE;
  return (box){a.lo <= 0.0 ? -INFINITY : down2(carom_log(a.lo)), up2(carom_log(a.hi))};
}

carom_interval carom_interval_asin(carom_interval a) {
  if (is_broken(a) || a.hi < -1.0 || a.lo > 1.0) return WHOLE;
  return increasing_image(carom_asin, clamp(a, -1.0, 1.0));
}

carom_interval carom_interval_acos(carom_interval a) {
  if (is_broken(a) || a.hi < -1.0 || a.lo > 1.0) return WHOLE;
  box x = clamp(a, -1.0, 1.0);
  return (box){down2(carom_acos(x.hi)), up2(carom_acos(x.lo))};
}

carom_interval carom_interval_cosh(carom_interval a) {
  if (is_broken(a)) return WHOLE;
  box m = carom_interval_abs(a);
  return (box){larger(1.0, down2(carom_cosh(m.lo))), up2(carom_cosh(m.hi))};
}

// ---- periodic functions ------------------------------------------------------------------------

// the multiples of pi/2 inside an interval: first <= k <= last, with a margin for rounding
typedef struct quarter_turns {
  int64_t first, last;
} quarter_turns;

// beyond this the margin is no longer small, and intervals are taken to hold every angle
static const double LARGEST_ANGLE = 0x1p30;

static bool is_countable(box a) { return a.lo >= -LARGEST_ANGLE && a.hi <= LARGEST_ANGLE; }

// x 2/pi is off by less than 2 ulp: half of them each from the constant and the product
static quarter_turns count_quarter_turns(box a) {
  double first = a.lo * TWO_OVER_PI, last = a.hi * TWO_OVER_PI;
  first -= fabs(first) * 0x1p-51;
  last += fabs(last) * 0x1p-51;
  return (quarter_turns){(int64_t)ceil(first), (int64_t)floor(last)};
}

// does the count hold some k with k = remainder modulo `period` (a power of two)?
static bool holds_turn(quarter_turns q, int64_t remainder, int64_t period) {
  int64_t wait = (remainder - q.first) & (period - 1);
  return wait <= q.last - q.first;
}

// sin or cos, with the remainders modulo 4 of the quarter turns of its greatest and least values
static box wave_image(double (*f)(double), box a, int64_t crest, int64_t trough) {
  if (is_broken(a)) return (box){-1.0, 1.0};
  if (!is_countable(a) && !(a.lo == a.hi && isfinite(a.lo))) return (box){-1.0, 1.0};
  double at_lo = f(a.lo), at_hi = a.lo == a.hi ? at_lo : f(a.hi);
  box range = {down2(smaller(at_lo, at_hi)), up2(larger(at_lo, at_hi))};

  // between the ends the wave may turn
  if (a.lo < a.hi) {
    quarter_turns q = count_quarter_turns(a);
    if (holds_turn(q, crest, 4)) range.hi = 1.0;
    if (holds_turn(q, trough, 4)) range.lo = -1.0;
  }
  return clamp(range, -1.0, 1.0);
}

carom_interval carom_interval_sin(carom_interval a) { return wave_image(carom_sin, a, 1, 3); }
carom_interval carom_interval_cos(carom_interval a) { return wave_image(carom_cos, a, 0, 2); }

// no double is a pole, so a point has a tangent; an interval must lie between two poles
carom_interval carom_interval_tan(carom_interval a) {
  if (is_broken(a)) return WHOLE;
  if (a.lo == a.hi && isfinite(a.lo)) return increasing_image(carom_tan, a);
  if (!is_countable(a) || holds_turn(count_quarter_turns(a), 1, 2)) return WHOLE;
  return increasing_image(carom_tan, a);
}

// ---- two arguments -----------------------------------------------------------------------------

// the angle of a rectangle is bounded by its corners unless it crosses the cut along x < 0;
// adding zero removes the signs of zeros, which would choose sides of the cut
carom_interval carom_interval_atan2(carom_interval y, carom_interval x) {
  const box turn = {-PI_ABOVE, PI_ABOVE};
  if (is_broken(x) || is_broken(y)) return turn;
  if (x.lo < 0.0 && y.lo < 0.0 && y.hi >= 0.0) return turn;
  double top = y.hi + 0.0, bottom = y.lo + 0.0, left = x.lo + 0.0, right = x.hi + 0.0;
  double p = carom_atan2(bottom, left), q = carom_atan2(bottom, right);
  double r = carom_atan2(top, left), s = carom_atan2(top, right);
  double lo = smaller(smaller(p, q), smaller(r, s)), hi = larger(larger(p, q), larger(r, s));

  // an angle that underflows to zero has the sign of y
  box range = {y.lo < 0.0 ? next_down(next_down(lo)) : larger(0.0, down2(lo)),
               y.hi > 0.0 ? next_up(next_up(hi)) : up2(hi)};
  return clamp(range, -PI_ABOVE, PI_ABOVE);
}

// bounds of x^y from its values at the corners, x >= 0: it is monotone in x and in y
static box power_corners(box a, box b) {
  double p = carom_pow(a.lo, b.lo), q = carom_pow(a.lo, b.hi);
  double r = carom_pow(a.hi, b.lo), s = carom_pow(a.hi, b.hi);
  double lo = smaller(smaller(p, q), smaller(r, s)), hi = larger(larger(p, q), larger(r, s));
  return (box){down2(lo), a.hi == 0.0 ? up2(hi) : next_up(next_up(hi))};
}

static bool is_odd(double n) { return fabs(n) < 0x1p53 && ((int64_t)n & 1) != 0; }

// x^n: even powers see |x|; odd ones keep the sign of x, and zero among x divides the line
static box integer_power(box a, double n) {
  if (n == 0.0) return carom_interval_point(1.0);
  if (n == 1.0) return a;
  box exponent = carom_interval_point(n);
  if (!is_odd(n)) return power_corners(carom_interval_abs(a), exponent);
  if (a.lo >= 0.0) return power_corners(carom_interval_abs(a), exponent);
  if (a.hi <= 0.0) return carom_interval_neg(power_corners(carom_interval_abs(a), exponent));
  if (n < 0.0) return WHOLE;
  box positive = power_corners((box){0.0, a.hi}, exponent);
  box negative = power_corners((box){0.0, -a.lo}, exponent);
  return (box){-negative.hi, positive.hi};
}

carom_interval carom_interval_pow(carom_interval a, carom_interval b) {
  if (is_broken(a) || is_broken(b)) return WHOLE;
  bool is_point = b.lo == b.hi && isfinite(b.lo);
  if (is_point && b.lo == floor(b.lo)) return integer_power(a, b.lo);

  // fractional powers take the part of the base that is not negative
  if (is_point && a.hi < 0.0) return WHOLE;
  if (is_point || a.lo >= 0.0) return power_corners(clamp(a, 0.0, INFINITY), b);

  // among varying exponents there may be integers of either parity
  box magnitude = power_corners(carom_interval_abs(a), b);
  return (box){-magnitude.hi, magnitude.hi};
}

// grows with both distances from zero
carom_interval carom_interval_hypot(carom_interval a, carom_interval b) {
  if (is_broken(a) || is_broken(b)) return WHOLE;
  box x = carom_interval_abs(a), y = carom_interval_abs(b);
  return (box){down2(carom_hypot(x.lo, y.lo)), up2(carom_hypot(x.hi, y.hi))};
}

// grows with a; the farther b is from zero, the nearer to zero is the value
carom_interval carom_interval_hypot_slope(carom_interval a, carom_interval b) {
  const box unit = {-1.0, 1.0};
  if (is_broken(a) || is_broken(b) || isinf(a.lo) || isinf(a.hi)) return unit;
  box y = carom_interval_abs(b);
  double lo = carom_hypot_slope(a.lo, a.lo > 0.0 ? y.hi : y.lo);
  double hi = carom_hypot_slope(a.hi, a.hi > 0.0 ? y.lo : y.hi);
  return clamp((box){down2(down2(lo)), up2(up2(hi))}, -1.0, 1.0);
}

// ---- jumps at integers -------------------------------------------------------------------------

carom_interval carom_interval_floor(carom_interval a) {
  if (is_broken(a)) return WHOLE;
  return (box){floor(a.lo), floor(a.hi)};
}

carom_interval carom_interval_mod(carom_interval a, carom_interval b) {
  if (is_broken(a) || is_broken(b)) return WHOLE;
  box all = {smaller(b.lo, 0.0), larger(b.hi, 0.0)};
  box turns = carom_interval_floor(carom_interval_div(a, b));
  if (!(turns.lo == turns.hi) || isinf(turns.lo)) return all;
  box rest = carom_interval_sub(a, carom_interval_mul(turns, b));
  return clamp(rest, all.lo, all.hi);
}

// does [lo, hi] reach one of the numbers 2 k + `at`?
static bool reaches_quarter(box a, double at) {
  return floor(0.5 * next_up(a.hi - at)) >= ceil(0.5 * next_down(a.lo - at));
}

carom_interval carom_interval_parity(carom_interval a) {
  if (is_broken(a) || !(a.hi - a.lo < 2.0)) return (box){-1.0, 1.0};
  double at_lo = carom_parity(a.lo), at_hi = carom_parity(a.hi);
  box range = {down2(smaller(at_lo, at_hi)), up2(larger(at_lo, at_hi))};
  if (reaches_quarter(a, 0.5)) range.hi = 1.0;
  if (reaches_quarter(a, 1.5)) range.lo = -1.0;
  // next to integers values may be smaller than at them
  if (floor(a.hi) >= ceil(a.lo))
    range = carom_interval_hull(range, (box){-2.0 * DBL_MIN, 2.0 * DBL_MIN});
  return clamp(range, -1.0, 1.0);
}

// grows with a; the side is +1 or -1, or unknown
carom_interval carom_interval_held(carom_interval a, carom_interval side) {
  if (is_broken(a) || is_broken(side)) return WHOLE;
  box even = {carom_held(a.lo, 1.0), carom_held(a.hi, 1.0)};
  box odd = {carom_held(a.lo, -1.0), carom_held(a.hi, -1.0)};
  if (side.lo > 0.0) return even;
  return side.hi <= 0.0 ? odd : carom_interval_hull(even, odd);
}

carom_interval carom_interval_fraction(carom_interval a, carom_interval side) {
  box held = carom_interval_held(a, side);
  if (held.lo == held.hi) return carom_interval_sub(a, held);
  return (box){-1.0, 2.0}; // half beyond both ends of [0, 1], and rounding
}
