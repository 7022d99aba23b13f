// SPDX-License-Identifier: MIT
// Sine, cosine and tangent: reduction by multiples of pi/2, then polynomials with a correction for
// the tail of the reduced argument.
#include "base/elementary.h"
#include "base/elementary_kernel.h"

#define TWO_OVER_PI 0x1.45f306dc9c883p-1

// x = quadrant pi/2 + r.hi + r.lo, |r| <= pi/4 and a little; the low two bits of quadrant count
typedef struct angle {
  pair r;
  uint64_t quadrant;
} angle;

// ---- reduction of moderate arguments -----------------------------------------------------------

// Cody and Waite (1980): the multiple k < 2^20 times each of the first three parts is exact
#define MODERATE_LIMIT 0x1.9p20
#define PIO2_1 0x1.921fb54400000p+0
#define PIO2_2 0x1.0b4611a600000p-34
#define PIO2_3 0x1.3198a2e000000p-69
#define PIO2_4 0x1.b839a252049c1p-104

CAROM_KERNEL bool is_moderate(double x) { return magnitude(x) <= MODERATE_LIMIT; }

CAROM_KERNEL angle reduce_moderate(double x) {
  double shifted = x * TWO_OVER_PI + CAROM_ROUNDER;
  double k = shifted - CAROM_ROUNDER;
  pair a = sum_exact(x - k * PIO2_1, -(k * PIO2_2));
  pair b = sum_ordered(a.hi, -(k * PIO2_3)); // where |a| is smaller, the sum is exact
  double low = (a.lo + b.lo) - k * PIO2_4;
  return (angle){sum_ordered(b.hi, low), bits_of(shifted)};
}

// ---- reduction of huge arguments ---------------------------------------------------------------

// 2/pi to 1280 bits after 64 zeros, for windows that begin before the point
static const uint64_t TWO_OVER_PI_BITS[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
    0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
    0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
    0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
    0xf0cfbc209af4361d};

// 192 bits, most significant word first
typedef struct wide {
  uint64_t w[3];
} wide;

// the bits of 2/pi from position `first` (0 is the first of the zeros)
static wide window_of_bits(int first) {
  wide window;
  int word = first / 64, shift = first % 64;
  for (int i = 0; i < 3; i++) {
    uint64_t high = TWO_OVER_PI_BITS[word + i] << shift;
    uint64_t low = shift ? TWO_OVER_PI_BITS[word + i + 1] >> (64 - shift) : 0;
    window.w[i] = high | low;
  }
  return window;
}

// the upper half of a 128-bit product, from products of 32-bit halves
static uint64_t multiply_high(uint64_t a, uint64_t b) {
  uint64_t ah = a >> 32, al = a & 0xffffffffu, bh = b >> 32, bl = b & 0xffffffffu;
  uint64_t low = al * bl, cross = ah * bl, other = al * bh;
  uint64_t middle = (low >> 32) + (cross & 0xffffffffu) + (other & 0xffffffffu);
  return ah * bh + (cross >> 32) + (other >> 32) + (middle >> 32);
}

// a m modulo 2^192
static wide multiply_wide(wide a, uint64_t m) {
  wide p;
  p.w[2] = a.w[2] * m;
  uint64_t carry = multiply_high(a.w[2], m);
  p.w[1] = a.w[1] * m + carry;
  carry = multiply_high(a.w[1], m) + (p.w[1] < carry);
  p.w[0] = a.w[0] * m + carry;
  return p;
}

static wide shift_left(wide a, int shift) {
  if (shift >= 64) return shift_left((wide){{a.w[1], a.w[2], 0}}, shift - 64);
  if (shift == 0) return a;
  int back = 64 - shift;
  return (wide){
      {a.w[0] << shift | a.w[1] >> back, a.w[1] << shift | a.w[2] >> back, a.w[2] << shift}};
}

static wide negate_wide(wide a) {
  wide n = {{~a.w[0], ~a.w[1], ~a.w[2] + 1}};
  n.w[1] += n.w[2] == 0;
  n.w[0] += n.w[2] == 0 && n.w[1] == 0;
  return n;
}

// the value of 0.b1 b2 b3 ... as a pair
static pair pair_of_fraction(wide f) {
  double scale = 1.0;
  while (f.w[0] == 0 && scale > 0x1p-128) {
    f = shift_left(f, 64);
    scale *= 0x1p-64;
  }
  while (!(f.w[0] & CAROM_SIGN_BIT) && scale > 0x1p-192) {
    f = shift_left(f, 1);
    scale *= 0.5;
  }
  double high = (double)(f.w[0] >> 11) * 0x1p-53;
  double low = (double)((f.w[0] & 0x7ff) << 42 | f.w[1] >> 22) * 0x1p-106;
  return (pair){high * scale, low * scale};
}

// Payne and Hanek (1983): only the bits of 2/pi that matter modulo four quadrants are multiplied;
// 190 bits of the fraction are computed, of which at most 62 cancel
static angle reduce_huge(double x) {
  const pair pio2 = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
  if (!(fabs(x) < INFINITY)) return (angle){{x - x, 0.0}, 0};
  uint64_t bits = bits_of(x);
  uint64_t mantissa = (bits & 0x000fffffffffffffu) | 0x0010000000000000u;
  int exponent = (int)(bits >> 52 & 0x7ff) - 1075;

  // |x| 2/pi: two bits of quadrant, then the fraction
  wide product = multiply_wide(window_of_bits(exponent + 62), mantissa);
  uint64_t quadrant = product.w[0] >> 62;
  wide fraction = shift_left(product, 2);

  // to the nearest multiple of pi/2
  bool is_upper = (fraction.w[0] & CAROM_SIGN_BIT) != 0;
  if (is_upper) {
    quadrant++;
    fraction = negate_wide(fraction);
  }
  pair r = product_pair(pair_of_fraction(fraction), pio2);
  if (is_upper != (x < 0.0)) r = (pair){-r.hi, -r.lo};
  return (angle){r, x < 0.0 ? (uint64_t)0 - quadrant : quadrant};
}

// ---- kernels -----------------------------------------------------------------------------------

// (sin(r) - r + r^3/6) / r^5, z = r^2, to 2^-64 after multiplication by z^2
CAROM_KERNEL double sine_tail(double z) {
  double z2 = z * z;
  double a = 0x1.1111111111111p-7 - z * 0x1.a01a01a019ed3p-13;
  double b = 0x1.71de3a550bf1ap-19 - z * 0x1.ae645532257fep-26;
  double c = 0x1.612259280a9d4p-33 - z * 0x1.ab927d42cd640p-41;
  return a + z2 * (b + z2 * c);
}

// (cos(r) - 1 + r^2/2) / r^4, z = r^2, to 2^-60 after multiplication by z^2
CAROM_KERNEL double cosine_tail(double z) {
  double z2 = z * z;
  double a = 0x1.5555555555555p-5 - z * 0x1.6c16c16c16c16p-10;
  double b = 0x1.a01a01a019d02p-16 - z * 0x1.27e4fb7711e1dp-22;
  double c = 0x1.1eed8de9ef73ep-29 - z * 0x1.9394b76d1f265p-37;
  return a + z2 * (b + z2 * (c + z2 * 0x1.ab76cf6e9b365p-45));
}

// r^3/6 as an exact leading part and a tail: h has the leading 13 bits of r, the first part of 1/6
// as many, so their product is exact; r^3 - h^3 = (r - h) (r^2 + h (r + h))
CAROM_KERNEL pair cube_sixth(double r, double z) {
  const double sixth = 0x1.5555555555555p-3;
  const double sixth_hi = 0x1.555p-3, sixth_lo = 0x1.5555555555555p-17;
  double h = double_of(bits_of(r) & ~(uint64_t)0xffffffffff);
  double cube = h * h * h;
  double more = (r - h) * (z + h * (r + h));
  return (pair){cube * sixth_hi, cube * sixth_lo + more * sixth};
}

// sines and cosines as an exact leading part and a small rest
CAROM_KERNEL pair sine_pair(pair r) {
  double z = r.hi * r.hi;
  pair cubic = cube_sixth(r.hi, z);
  pair main = sum_ordered(r.hi, -cubic.hi);
  double rest = (r.hi * (z * z) * sine_tail(z) - cubic.lo) + (r.lo - 0.5 * z * r.lo);
  return (pair){main.hi, main.lo + rest};
}

CAROM_KERNEL pair cosine_pair(pair r) {
  double z = r.hi * r.hi;
  pair half = half_square(r.hi);
  pair main = sum_ordered(1.0, -half.hi);
  return (pair){main.hi, main.lo + ((z * z * cosine_tail(z) - half.lo) - r.hi * r.lo)};
}

// a where the lowest bit of `choice` is set, else b
CAROM_KERNEL double choose(uint64_t choice, double a, double b) {
  uint64_t mask = (uint64_t)0 - (choice & 1u);
  return double_of((bits_of(a) & mask) | (bits_of(b) & ~mask));
}

// negative in the third and fourth quadrants
CAROM_KERNEL double sign_by_quadrant(double x, uint64_t quadrant) {
  return double_of(bits_of(x) ^ (quadrant & 2u) << 62);
}

// small arguments are their own sine and tangent; this keeps -0 and numbers whose squares underflow
CAROM_KERNEL double keep_small(double x, double value) {
  return magnitude(x) < 0x1p-27 ? x : value;
}

CAROM_KERNEL double sum_of(pair a) { return a.hi + a.lo; }

// tan = sin/cos, or -cos/sin in odd quadrants, as a quotient of pairs
CAROM_KERNEL double tangent_at(double x, angle a) {
  pair s = sine_pair(a.r), c = cosine_pair(a.r);
  pair top = {choose(a.quadrant, c.hi, s.hi), choose(a.quadrant, c.lo, s.lo)};
  pair bottom = {choose(a.quadrant, s.hi, c.hi), choose(a.quadrant, s.lo, c.lo)};
  double value = sum_of(quotient_pair(top, sum_ordered(bottom.hi, bottom.lo)));
  return settle(keep_small(x, double_of(bits_of(value) ^ a.quadrant << 63)));
}

// ---- functions ---------------------------------------------------------------------------------

// one angle needs one of the two kernels only
static inline double sine_of_one(double x, angle a) {
  pair value = a.quadrant & 1u ? cosine_pair(a.r) : sine_pair(a.r);
  return settle(keep_small(x, sign_by_quadrant(sum_of(value), a.quadrant)));
}

static inline double cosine_of_one(double x, angle a) {
  (void)x;
  pair value = a.quadrant & 1u ? sine_pair(a.r) : cosine_pair(a.r);
  return settle(sign_by_quadrant(sum_of(value), a.quadrant + 1u));
}

#define FUNCTION_OF_ANGLE(name, at)                                                                \
  double name(double x) {                                                                          \
    return is_moderate(x) ? at(x, reduce_moderate(x)) : at(x, reduce_huge(x));                     \
  }

FUNCTION_OF_ANGLE(carom_sin, sine_of_one)
FUNCTION_OF_ANGLE(carom_cos, cosine_of_one)
FUNCTION_OF_ANGLE(carom_tan, tangent_at)

// An angle within an eighth of a turn is its own reduced argument, without a tail: what the kernels
// above add for the tail is zero, and is left out.
#define REDUCED_LIMIT 0x1.9p-1

static inline void sincos_of_reduced(double x, double *sine, double *cosine) {
  double z = x * x;
  pair cubic = cube_sixth(x, z), half = half_square(x);
  pair s = sum_ordered(x, -cubic.hi), c = sum_ordered(1.0, -half.hi);
  double value = s.hi + (s.lo + (x * (z * z) * sine_tail(z) - cubic.lo));
  *sine = keep_small(x, value);
  *cosine = c.hi + (c.lo + (z * z * cosine_tail(z) - half.lo));
}

CAROM_CLONES void carom_sincos(double x, double *sine, double *cosine) {
  if (magnitude(x) < REDUCED_LIMIT) {
    sincos_of_reduced(x, sine, cosine);
    return;
  }
  angle a = is_moderate(x) ? reduce_moderate(x) : reduce_huge(x);
  double s = sum_of(sine_pair(a.r)), c = sum_of(cosine_pair(a.r));
  bool odd = a.quadrant & 1u;
  *sine = settle(sign_by_quadrant(odd ? c : s, a.quadrant));
  *cosine = settle(sign_by_quadrant(odd ? s : c, a.quadrant + 1u));
}
