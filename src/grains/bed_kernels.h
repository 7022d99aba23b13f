// SPDX-License-Identifier: MIT
/// The inner loops of a bed. They are compiled for several machines and chosen when a bed is made;
/// all give the same bits.
#ifndef CAROM_GRAINS_BED_KERNELS_H
#define CAROM_GRAINS_BED_KERNELS_H

#include "grains/bed.h"

typedef struct carom_bed_kernels {
  /// Gravity, the first of all forces on the rods of a chunk.
  void (*pull)(const carom_bed *bed, const carom_bed_chunk *chunk);
  /// v and w over half a step, x and u over a whole one; then v and w over the other half.
  void (*first_half)(carom_bed *bed, carom_bed_chunk *chunk);
  void (*second_half)(carom_bed *bed, const carom_bed_chunk *chunk);
  /// The second half and the first half of the next step in one.
  void (*turn)(carom_bed *bed, carom_bed_chunk *chunk);
  /// Puts the places among those of a list that may touch soon of who sleeps no longer into `found`
  /// and returns their number; the others sleep over at least `least`, which is made smaller.
  int (*sift_soon)(const carom_touch_list *list, const carom_bed_ways *ways, int *found,
                   double *least);
  /// New wakes of pairs that did not touch in the last step.
  void (*test_pairs)(const carom_bed *bed, carom_touch_list *list, const int *awake, int count);
  /// Forces of all hot pairs of a chunk. Puts those that have opened into `opened` and returns
  /// their number.
  int (*press_pairs)(carom_bed *bed, carom_bed_chunk *chunk, int *opened);
  /// The same for the hot ones of a wall.
  int (*press_wall)(carom_bed *bed, carom_bed_chunk *chunk, int which, int *opened);
} carom_bed_kernels;

/// Two lanes of what every machine has, four with AVX2, eight with AVX-512.
extern const carom_bed_kernels carom_bed_plain, carom_bed_avx2, carom_bed_avx512;

/// The fastest of this machine.
const carom_bed_kernels *carom_bed_choose_kernels(void);

#endif
