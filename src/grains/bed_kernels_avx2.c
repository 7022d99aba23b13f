// SPDX-License-Identifier: MIT
// The inner loops for machines with AVX2. Headers of the system come before the choice of machine.
#include "grains/bed_kernels.h"

#if defined(__x86_64__)
#include <math.h>
#include <string.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif
#define CAROM_TABLE carom_bed_avx2
#include "grains/kernels_lanes.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
