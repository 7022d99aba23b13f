// SPDX-License-Identifier: MIT
// Lists of candidates: who touches, who may touch soon, who sleeps for longer. Most steps change
// little, so what is known is kept up to date rather than found again.
#include "grains/bed.h"

#include <string.h>

bool carom_touch_list_reserve(carom_arena *arena, carom_touch_list *list, int room) {
  if (room <= list->capacity) return true;
  carom_touch_list wider = *list;
  wider.capacity = room > 2 * list->capacity ? room : 2 * list->capacity;
  size_t size = (size_t)wider.capacity, used = (size_t)list->count;
  wider.each = carom_arena_array(arena, size, sizeof *wider.each);
  wider.past = carom_arena_array(arena, size, sizeof *wider.past);
  wider.hot = carom_arena_array(arena, size + 1, sizeof *wider.hot);
  wider.soon = carom_arena_array(arena, size + 1, sizeof *wider.soon);
  if (!wider.each || !wider.past || !wider.hot || !wider.soon) return false;
  if (used > 0) {
    memcpy(wider.each, list->each, used * sizeof *wider.each);
    memcpy(wider.past, list->past, used * sizeof *wider.past);
  }
  *list = wider;
  carom_touch_list_stir(list);
  return true;
}

void carom_touch_list_stir(carom_touch_list *list) {
  list->hot_count = list->soon_count = 0;
  list->travel = list->horizon = list->next_wake = 0.0;
  list->stale = true;
}

// by how much the bodies of candidate k may still come nearer
static double slack_of(const carom_touch_list *list, const carom_bed_ways *ways, int k) {
  return list->each[k].wake - (ways->a[list->each[k].a] + ways->b[list->each[k].b]);
}

static void find_hot(carom_touch_list *list) {
  list->hot_count = 0;
  for (int k = 0; k < list->count; k++)
    if (list->each[k].wake <= 0.0) list->hot[list->hot_count++] = k;
  list->stale = false;
}

// the next smaller number of single precision is not above
static float not_above(double x) { return (float)(x * (1.0 - 1e-7)); }

static carom_touch_soon soon_of(const carom_touch_list *list, int k) {
  return (carom_touch_soon){k, list->each[k].a, list->each[k].b, not_above(list->each[k].wake)};
}

static void look_ahead(carom_touch_list *list, const carom_bed_ways *ways) {
  list->horizon = list->travel + ways->ahead;
  int count = 0;
  for (int k = 0; k < list->count; k++) {
    list->soon[count] = soon_of(list, k);
    count += list->each[k].wake > 0.0 && slack_of(list, ways, k) <= ways->ahead;
  }
  list->soon_count = count;
}

int carom_touch_list_rouse(carom_touch_list *list, const carom_bed_ways *ways, int *found) {
  if (list->stale) find_hot(list);
  list->travel += ways->step;
  if (list->travel < list->next_wake) return 0;
  if (list->travel >= list->horizon) look_ahead(list, ways);
  int count = 0;
  double least = list->horizon - list->travel;
  for (int j = 0; j < list->soon_count; j++) {
    const carom_touch_soon *it = &list->soon[j];
    double slack = (double)it->wake - (ways->a[it->a] + ways->b[it->b]);
    if (slack <= 0.0 && (slack = slack_of(list, ways, it->at)) <= 0.0) {
      // the last one takes its place: what stays is not written again
      found[count++] = it->at;
      list->soon[j--] = list->soon[--list->soon_count];
    } else {
      least = slack < least ? slack : least;
    }
  }
  list->next_wake = list->travel + least;
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

void carom_touch_list_settle(carom_touch_list *list, const carom_bed_ways *ways, int k) {
  if (list->each[k].wake > 0.0) {
    double wakes = list->travel + slack_of(list, ways, k);
    if (wakes <= list->horizon) list->soon[list->soon_count++] = soon_of(list, k);
    if (wakes < list->next_wake) list->next_wake = wakes;
    return;
  }
  int at = carom_touch_list_rank(list, k);
  size_t after = (size_t)(list->hot_count - at);
  memmove(list->hot + at + 1, list->hot + at, after * sizeof *list->hot);
  list->hot[at] = k;
  list->hot_count++;
}

void carom_touch_list_cool(carom_touch_list *list, const carom_bed_ways *ways, int k) {
  int at = carom_touch_list_rank(list, k);
  size_t after = (size_t)(--list->hot_count - at);
  memmove(list->hot + at, list->hot + at + 1, after * sizeof *list->hot);
  carom_touch_list_settle(list, ways, k);
}
