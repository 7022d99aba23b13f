// SPDX-License-Identifier: MIT
/// Four numbers side by side, for short sums. Functions that use them are compiled twice, for what
/// the machine can do; nothing is contracted, so both give the same bits.
#ifndef CAROM_IMPACT_ENERGETIC_FOUR_H
#define CAROM_IMPACT_ENERGETIC_FOUR_H

#include <string.h>

#if defined(__x86_64__)
#define WITH_AVX2 __attribute__((target("avx2")))
#endif
#define INLINED static inline __attribute__((always_inline))

typedef double four __attribute__((vector_size(32)));

INLINED four load(const double *from) {
  four x;
  memcpy(&x, from, sizeof x);
  return x;
}

INLINED void store(double *to, four x) { memcpy(to, &x, sizeof x); }

#endif
