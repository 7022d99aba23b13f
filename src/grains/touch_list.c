// SPDX-License-Identifier: MIT
// Lists of candidates: who touches, who may touch soon, who sleeps for longer. Most steps change
// little, so what is known is kept up to date rather than found again.
#include "grains/bed.h"
#include "grains/lanes.h"

#include <math.h>
#include <string.h>

bool carom_touch_list_reserve(carom_arena *arena, carom_touch_list *list, int room) {
  if (room <= list->capacity) return true;
  carom_touch_list wider = *list;
  wider.capacity = room > 2 * list->capacity ? room : 2 * list->capacity;
  size_t size = (size_t)wider.capacity, used = (size_t)list->count;
  wider.a = carom_arena_array(arena, size, sizeof *wider.a);
  wider.b = carom_arena_array(arena, size, sizeof *wider.b);
  wider.wake = carom_arena_array(arena, size, sizeof *wider.wake);
  wider.past = carom_arena_array(arena, size, sizeof *wider.past);
  wider.hot = carom_arena_array(arena, size + 1, sizeof *wider.hot);
  wider.soon = carom_arena_array(arena, size + 1, sizeof *wider.soon);
  if (!wider.a || !wider.b || !wider.wake || !wider.past || !wider.hot || !wider.soon) return false;
  if (used > 0) {
    memcpy(wider.a, list->a, used * sizeof *wider.a);
    memcpy(wider.b, list->b, used * sizeof *wider.b);
    memcpy(wider.wake, list->wake, used * sizeof *wider.wake);
    memcpy(wider.past, list->past, used * sizeof *wider.past);
  }
  *list = wider;
  carom_touch_list_stir(list);
  return true;
}

void carom_touch_list_stir(carom_touch_list *list) {
  list->hot_count = list->soon_count = 0;
  list->horizon = list->next_wake = 0.0;
  list->stale = true;
}

// Puts into `found` the candidates with low < wake <= high, in their order, and returns their
// number; next_wake: the least wake above. Few are found: eight are compared at a time, and passed
// over if none is.
CAROM_CLONES static int scan(const carom_touch_list *list, double low, double high, int *found,
                             double *next_wake) {
  const double *wake = list->wake;
  const carom_v4 above = v4_all(low), below = v4_all(high);
  carom_v4 next = v4_all(HUGE_VAL);
  int count = 0, k = 0;
  for (; k + 2 * CAROM_LANES <= list->count; k += 2 * CAROM_LANES) {
    carom_v4 a = v4_load(wake + k), b = v4_load(wake + k + CAROM_LANES);
    carom_m4 in_a = (carom_m4)(a > above) & (carom_m4)(a <= below);
    carom_m4 in_b = (carom_m4)(b > above) & (carom_m4)(b <= below);
    next = v4_min(v4_if((carom_m4)(a > below), a, next), next);
    next = v4_min(v4_if((carom_m4)(b > below), b, next), next);
    if (!carom_any4(in_a | in_b)) continue;
    for (int l = 0; l < 2 * CAROM_LANES; l++)
      if (wake[k + l] > low && wake[k + l] <= high) found[count++] = k + l;
  }
  for (int l = 1; l < CAROM_LANES; l++)
    next[0] = next[l] < next[0] ? next[l] : next[0];
  for (; k < list->count; k++) {
    if (wake[k] > low && wake[k] <= high) found[count++] = k;
    if (wake[k] > high && wake[k] < next[0]) next[0] = wake[k];
  }
  *next_wake = next[0];
  return count;
}

void carom_touch_list_heat(carom_touch_list *list, double highest) {
  if (!list->stale && highest < list->next_wake) return;
  list->hot_count = scan(list, -HUGE_VAL, highest, list->hot, &list->next_wake);
  list->stale = false;
}

int carom_touch_list_rouse(carom_touch_list *list, double travel, double ahead, int *found) {
  if (travel < list->next_wake) return 0;
  double next = 0.0;
  if (travel >= list->horizon) {
    list->horizon = travel + ahead;
    list->soon_count = scan(list, 0.0, list->horizon, list->soon, &next);
  }
  int count = 0, kept = 0;
  next = list->horizon;
  for (int j = 0; j < list->soon_count; j++) {
    int k = list->soon[j];
    double wake = list->wake[k];
    if (wake <= travel) {
      found[count++] = k;
    } else {
      list->soon[kept++] = k;
      next = wake < next ? wake : next;
    }
  }
  list->soon_count = kept;
  list->next_wake = next;
  return count;
}

int carom_touch_list_rank(const carom_touch_list *list, int k) {
  int low = 0, high = list->hot_count;
  while (low < high) {
    int middle = (low + high) / 2;
    if (list->hot[middle] < k)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void carom_touch_list_settle(carom_touch_list *list, int k) {
  double wake = list->wake[k];
  if (wake > 0.0) {
    if (wake <= list->horizon) list->soon[list->soon_count++] = k;
    if (wake < list->next_wake) list->next_wake = wake;
    return;
  }
  int at = carom_touch_list_rank(list, k);
  size_t after = (size_t)(list->hot_count - at);
  memmove(list->hot + at + 1, list->hot + at, after * sizeof *list->hot);
  list->hot[at] = k;
  list->hot_count++;
}

void carom_touch_list_cool(carom_touch_list *list, int k) {
  int at = carom_touch_list_rank(list, k);
  size_t after = (size_t)(--list->hot_count - at);
  memmove(list->hot + at, list->hot + at + 1, after * sizeof *list->hot);
  carom_touch_list_settle(list, k);
}
