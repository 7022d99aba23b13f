// SPDX-License-Identifier: MIT
/// Random numbers without a state: the k-th number of a stream is a function of seed, stream and k
/// alone, so results do not depend on the order in which numbers are drawn.
#ifndef CAROM_BASE_RANDOM_H
#define CAROM_BASE_RANDOM_H

#include <stdint.h>

/// 64 random bits: a strong mix of the three numbers (finaliser of Stafford 2011, variant 13,
/// applied to a Weyl sequence as in Steele, Lea and Flood 2014).
uint64_t carom_random_bits(uint64_t seed, uint64_t stream, uint64_t k);

/// Uniform in [0, 1), 53 bits.
double carom_random_uniform(uint64_t seed, uint64_t stream, uint64_t k);

/// Normal with mean 0 and variance 1 (Box and Muller 1958); uses numbers 2k and 2k + 1.
double carom_random_normal(uint64_t seed, uint64_t stream, uint64_t k);

#endif
