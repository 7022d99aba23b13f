// SPDX-License-Identifier: MIT
/// Candidates that may touch soon, several at a time: which of them sleep no longer.
#ifndef CAROM_GRAINS_SOON_LANES_H
#define CAROM_GRAINS_SOON_LANES_H

#include "grains/bed.h"
#include "grains/lanes.h"

static inline int carom_lanes_sift_soon(const carom_touch_list *list, const carom_bed_ways *ways,
                                        int *found, double *least) {
  const carom_touch_soon *soon = &list->soon;
  const carom_vec zero = v_all(0.0), far = v_all(*least);
  carom_vec next = far;
  int count = 0;
  for (int first = 0; first < list->soon_count; first += CAROM_WIDTH) {
    int left = list->soon_count - first;
    carom_vec gone = v_gather(ways->a, soon->a + first) + v_gather(ways->b, soon->b + first);
    carom_vec slack = v_widen(soon->wake + first) - gone;
    slack = v_if(m_first(left < CAROM_WIDTH ? left : CAROM_WIDTH), slack, far);
    carom_mask awake = v_most(slack, zero);
    next = v_min(next, v_if(awake, far, slack));
    // who is awake cannot be foretold: no branches
    for (int l = 0; l < CAROM_WIDTH; l++) {
      found[count] = first + l;
      count += m_lane(awake, l);
    }
  }
  for (int l = 0; l < CAROM_WIDTH; l++)
    *least = next[l] < *least ? next[l] : *least;
  return count;
}

#endif
