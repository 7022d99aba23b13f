// SPDX-License-Identifier: MIT
// Rods and walls.
#include "grains/bed_kernels.h"
#include "grains/walls_lanes.h"

void carom_bed_touch_wall(carom_bed *bed, carom_bed_chunk *chunk, int which) {
  carom_touch_list *list = &chunk->lists[1 + which];
  carom_bed_ways ways = carom_bed_ways_of_walls(bed, chunk);
  int *some = chunk->awake, count = carom_touch_list_rouse(bed, list, &ways, some);
  if (!carom_touch_list_reserve_hot(bed, list, list->hot_count + count)) {
    chunk->sums.no_memory = true;
    return;
  }
  for (int k = 0; k < count; k++) {
    list->each[some[k]].wake = 0.0F;
    carom_touch_list_settle(list, &ways, some[k]);
  }
  if (list->hot_count == 0) return;
  chunk->sums.tests += list->hot_count;
  count = bed->kernels->press_wall(bed, chunk, which, some);
  for (int k = 0; k < count; k++)
    carom_touch_list_cool(list, &ways, some[k]);
}

double carom_bed_wall_gap(const carom_bed *bed, int i, const carom_bed_wall *wall, int end) {
  carom_block block = {.count = 1, .a = {i, i, i, i}, .b = {end, end, end, end}};
  carom_space x = {v_all(bed->x[0][i]), v_all(bed->x[1][i]), v_all(bed->x[2][i])};
  carom_space u = {v_all(bed->u[0][i]), v_all(bed->u[1][i]), v_all(bed->u[2][i])};
  return -look_at_wall(bed, wall, &block, x, u).depth[0];
}
