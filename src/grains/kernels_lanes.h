// SPDX-License-Identifier: MIT
/// The table CAROM_TABLE of the inner loops. A file that includes this tells the compiler first for
/// which machine.
#ifndef CAROM_GRAINS_KERNELS_LANES_H
#define CAROM_GRAINS_KERNELS_LANES_H

#include "grains/bed_kernels.h"
#include "grains/pairs_lanes.h"
#include "grains/soon_lanes.h"
#include "grains/step_lanes.h"
#include "grains/walls_lanes.h"

const carom_bed_kernels CAROM_TABLE = {
    carom_lanes_pull,      carom_lanes_first_half, carom_lanes_second_half, carom_lanes_turn,
    carom_lanes_sift_soon, carom_lanes_test_pairs, carom_lanes_press_pairs, carom_lanes_press_wall};

#endif
