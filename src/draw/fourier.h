// SPDX-License-Identifier: MIT
/// Amplitudes of a sampled quantity over frequency.
#ifndef CAROM_DRAW_FOURIER_H
#define CAROM_DRAW_FOURIER_H

/// Amplitudes of `values` (count a power of two, evenly spaced) with Hann's window, the mean taken
/// off: amplitudes[k] belongs to k / (count dt), k = 0 .. count/2. A sine of amplitude a whose
/// frequency is one of these gives a. `work` has room for 2 count numbers.
void carom_amplitudes(long count, const double *values, double *work, double *amplitudes);

#endif
