// SPDX-License-Identifier: MIT
/// The fast transform of Cooley and Tukey (1965), in place, by powers of two.
#include "draw/fourier.h"

#include <math.h>

static const double TURN = 6.283185307179586477;

static void reorder_bits(long count, double *z) {
  for (long i = 1, j = 0; i < count; i++) {
    long bit = count >> 1;
    for (; j & bit; bit >>= 1)
      j ^= bit;
    j |= bit;
    if (i >= j) continue;
    double re = z[2 * i], im = z[2 * i + 1];
    z[2 * i] = z[2 * j], z[2 * i + 1] = z[2 * j + 1];
    z[2 * j] = re, z[2 * j + 1] = im;
  }
}

static void transform_in_place(long count, double *z) {
  reorder_bits(count, z);
  for (long length = 2; length <= count; length *= 2)
    for (long k = 0; k < length / 2; k++) {
      double angle = -TURN * (double)k / (double)length, c = cos(angle), s = sin(angle);
      for (long i = k; i < count; i += length) {
        double *a = z + 2 * i, *b = a + length;
        double re = b[0] * c - b[1] * s, im = b[0] * s + b[1] * c;
        b[0] = a[0] - re, b[1] = a[1] - im;
        a[0] += re, a[1] += im;
      }
    }
}

void carom_amplitudes(long count, const double *values, double *work, double *amplitudes) {
  double mean = 0.0;
  for (long k = 0; k < count; k++)
    mean += values[k] / (double)count;
  for (long k = 0; k < count; k++) {
    // the mean of the window is one half
    double window = 0.5 - 0.5 * cos(TURN * (double)k / (double)count);
    work[2 * k] = 2.0 * window * (values[k] - mean);
    work[2 * k + 1] = 0.0;
  }
  transform_in_place(count, work);
  for (long k = 0; k <= count / 2; k++)
    amplitudes[k] = hypot(work[2 * k], work[2 * k + 1]) * 2.0 / (double)count;
}
