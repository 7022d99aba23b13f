// SPDX-License-Identifier: MIT
// The inner loops as every machine can run them, and the choice among them.
#define CAROM_WIDTH 2
#define CAROM_TABLE carom_bed_plain
#include "grains/kernels_lanes.h"

const carom_bed_kernels *carom_bed_choose_kernels(void) {
#if defined(__x86_64__)
  if (carom_machine_has_avx512()) return &carom_bed_avx512;
  if (carom_machine_has_avx2()) return &carom_bed_avx2;
#endif
  return &carom_bed_plain;
}
