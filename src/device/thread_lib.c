// SPDX-License-Identifier: MIT
/// The few functions of the C library that a thread of a card needs: there is none.
#include <math.h>
#include <stdint.h>
#include <string.h>

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static double of_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static const uint64_t SIGN = 0x8000000000000000u, EXPONENT = 0x7ff0000000000000u;
enum { MANTISSA = 52, BIAS = 1023, SUBNORMAL = 54 };

double frexp(double x, int *exponent) {
  *exponent = 0;
  if (x == 0.0 || !isfinite(x)) return x;
  int shift = 0;
  if (fabs(x) < 0x1p-1022) x *= 0x1p54, shift = SUBNORMAL;
  uint64_t bits = bits_of(x);
  *exponent = (int)((bits & EXPONENT) >> MANTISSA) - (BIAS - 1) - shift;
  return of_bits((bits & ~EXPONENT) | (uint64_t)(BIAS - 1) << MANTISSA);
}

// x 2^exponent, rounded once: steps down by 2^969 leave 53 bits above the least normal number
double ldexp(double x, int exponent) {
  enum { MOST = BIAS, LEAST = 1 - BIAS, DOWN = 969 };
  for (int k = 0; k < 2 && exponent > MOST; k++)
    x *= 0x1p1023, exponent -= MOST;
  for (int k = 0; k < 2 && exponent < LEAST; k++)
    x *= 0x1p-969, exponent += DOWN;
  if (exponent > MOST) exponent = MOST;
  if (exponent < LEAST) exponent = LEAST;
  return x * of_bits((uint64_t)(exponent + BIAS) << MANTISSA);
}

double nextafter(double x, double to) {
  if (isnan(x) || isnan(to)) return x + to;
  if (x == to) return to;
  if (x == 0.0) return copysign(0x1p-1074, to);
  uint64_t bits = bits_of(x);
  return of_bits((x < to) == (x > 0.0) ? bits + 1 : bits - 1);
}

size_t strlen(const char *text) {
  size_t length = 0;
  while (text[length])
    length++;
  return length;
}

int strncmp(const char *a, const char *b, size_t most) {
  for (size_t k = 0; k < most; k++) {
    if (a[k] != b[k]) return (unsigned char)a[k] < (unsigned char)b[k] ? -1 : 1;
    if (!a[k]) return 0;
  }
  return 0;
}

int strcmp(const char *a, const char *b) { return strncmp(a, b, SIZE_MAX); }

int memcmp(const void *a, const void *b, size_t size) {
  const unsigned char *p = a, *q = b;
  for (size_t k = 0; k < size; k++)
    if (p[k] != q[k]) return p[k] < q[k] ? -1 : 1;
  return 0;
}

// Nearly everything begins at a multiple of a word and is as long. Several words at a time wait
// for memory together.
void carom_thread_copy(void *to, const void *from, size_t size);
void carom_thread_copy(void *to, const void *from, size_t size) {
  enum { WORD = sizeof(uint64_t), TOGETHER = 4 };
  size_t words = ((uintptr_t)to | (uintptr_t)from) % WORD ? 0 : size / WORD, k = 0;
  uint64_t *into = to;
  const uint64_t *out_of = from;
  for (; k + TOGETHER <= words; k += TOGETHER) {
    uint64_t a = out_of[k], b = out_of[k + 1], c = out_of[k + 2], d = out_of[k + 3];
    into[k] = a, into[k + 1] = b, into[k + 2] = c, into[k + 3] = d;
  }
  for (; k < words; k++)
    into[k] = out_of[k];
  for (size_t at = words * WORD; at < size; at++)
    ((char *)to)[at] = ((const char *)from)[at];
}

void carom_thread_fill(void *to, unsigned char value, size_t size);
void carom_thread_fill(void *to, unsigned char value, size_t size) {
  enum { WORD = sizeof(uint64_t) };
  size_t words = (uintptr_t)to % WORD ? 0 : size / WORD;
  uint64_t word = value * UINT64_C(0x0101010101010101);
  for (size_t k = 0; k < words; k++)
    ((uint64_t *)to)[k] = word;
  for (size_t at = words * WORD; at < size; at++)
    ((unsigned char *)to)[at] = value;
}

void *memcpy(void *to, const void *from, size_t size) {
  for (size_t k = 0; k < size; k++)
    ((char *)to)[k] = ((const char *)from)[k];
  return to;
}

double fabs(double x) { return of_bits(bits_of(x) & ~SIGN); }

double copysign(double x, double sign) {
  return of_bits((bits_of(x) & ~SIGN) | (bits_of(sign) & SIGN));
}
