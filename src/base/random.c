// SPDX-License-Identifier: MIT
#include "base/random.h"

#include "base/elementary.h"

#include <math.h>

static uint64_t mix_bits(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

uint64_t carom_random_bits(uint64_t seed, uint64_t stream, uint64_t k) {
  const uint64_t golden = 0x9e3779b97f4a7c15u; // 2^64 over the golden ratio
  uint64_t key = mix_bits(seed + golden) ^ mix_bits(~stream * golden);
  return mix_bits(key + (k + 1) * golden);
}

double carom_random_uniform(uint64_t seed, uint64_t stream, uint64_t k) {
  return (double)(carom_random_bits(seed, stream, k) >> 11) * 0x1p-53;
}

double carom_random_normal(uint64_t seed, uint64_t stream, uint64_t k) {
  double a = carom_random_uniform(seed, stream, 2 * k);
  double b = carom_random_uniform(seed, stream, 2 * k + 1);
  // 1 - a lies in (0, 1]
  return sqrt(-2.0 * carom_log(1.0 - a)) * carom_cos(6.283185307179586 * b);
}
