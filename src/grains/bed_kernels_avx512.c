// SPDX-License-Identifier: MIT
// The inner loops for machines with AVX-512: eight lanes. Headers of the system come before the
// choice of machine.
#include "grains/bed_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <math.h>
#include <string.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,avx512f,avx512dq,avx512bw,avx512vl"))),   \
                             apply_to = function)
#else
#pragma GCC target("avx2,avx512f,avx512dq,avx512bw,avx512vl")
#endif
#define CAROM_WIDTH 8
#define CAROM_TABLE carom_bed_avx512
#include "grains/kernels_lanes.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
