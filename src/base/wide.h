// SPDX-License-Identifier: MIT
/// Numbers side by side. Functions that profit are compiled twice, for what every machine can do
/// and for AVX2, and chosen when the program runs: the same operations, nothing contracted, so both
/// give the same bits. The vectors are those that gcc and clang both know; on machines without wide
/// registers the compiler splits them.
#ifndef CAROM_BASE_WIDE_H
#define CAROM_BASE_WIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define CAROM_INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__) && !defined(CAROM_DEVICE)
#define CAROM_WITH_AVX2 __attribute__((target("avx2")))
static inline bool carom_machine_has_avx2(void) { return __builtin_cpu_supports("avx2") != 0; }
static inline bool carom_machine_has_avx512(void) {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0;
}
#else
#define CAROM_WITH_AVX2 // the same once more, never chosen
static inline bool carom_machine_has_avx2(void) { return false; }
#endif

enum { CAROM_LANES = 4 };

typedef double carom_v4 __attribute__((vector_size(32)));
typedef int64_t carom_m4 __attribute__((vector_size(32))); // all bits of a lane set: true

CAROM_INLINE carom_v4 v4_load(const double *from) {
  carom_v4 out;
  memcpy(&out, from, sizeof out);
  return out;
}
CAROM_INLINE void v4_store(double *to, carom_v4 v) { memcpy(to, &v, sizeof v); }
CAROM_INLINE carom_v4 v4_abs(carom_v4 x) {
  carom_m4 sign = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
  return (carom_v4)((carom_m4)x & ~sign);
}

#endif
