// SPDX-License-Identifier: MIT
// Lists of candidates: who touches, who may touch soon, who sleeps for longer. Most steps change
// little, so what is known is kept up to date rather than found again; what a step looks at lies
// together, so that a large bed streams through the caches.
#include "grains/bed_kernels.h"

#include <string.h>

// columns of `soon` end later than the list by the widest lanes
enum { BEYOND = 8 };

static bool widen_soon(carom_bed *bed, carom_touch_soon *soon, int room) {
  int *numbers = carom_bed_array(bed, 3 * (room + BEYOND), sizeof *numbers);
  soon->wake = carom_bed_array(bed, room + BEYOND, sizeof *soon->wake);
  if (!numbers || !soon->wake) return false;
  soon->at = numbers;
  soon->a = numbers + (room + BEYOND);
  soon->b = numbers + 2 * (room + BEYOND);
  return true;
}

bool carom_touch_list_reserve(carom_bed *bed, carom_touch_list *list, int room) {
  if (room <= list->capacity) return true;
  carom_touch_list wider = *list;
  wider.capacity = room + room / 4 + 8;
  wider.each = carom_bed_array(bed, wider.capacity, sizeof *wider.each);
  if (!wider.each || !widen_soon(bed, &wider.soon, wider.capacity)) return false;
  if (list->count > 0) memcpy(wider.each, list->each, (size_t)list->count * sizeof *wider.each);
  *list = wider;
  carom_touch_list_stir(list);
  return true;
}

bool carom_touch_list_reserve_hot(carom_bed *bed, carom_touch_list *list, int room) {
  if (room <= list->hot_room) return true;
  // what was outgrown is not given back: begin with a quarter of the candidates, then double
  int wider = list->hot_room > 0 ? 2 * list->hot_room : list->capacity / 4 + 8;
  room = room > wider ? room : wider;
  carom_touch_hot *hot = carom_bed_array(bed, room, sizeof *hot);
  if (!hot) return false;
  if (list->hot_count > 0) memcpy(hot, list->hot, (size_t)list->hot_count * sizeof *hot);
  list->hot = hot, list->hot_room = room;
  return true;
}

void carom_touch_list_clear(carom_touch_list *list) {
  list->count = list->hot_count = 0;
  carom_touch_list_stir(list);
}

static carom_touch_hot hot_of(const carom_touch_list *list, int k) {
  return (carom_touch_hot){.a = list->each[k].a, .b = list->each[k].b, .at = k};
}

void carom_touch_list_append(carom_touch_list *list, int a, int b, double wake,
                             const double *past) {
  int k = list->count++;
  list->each[k] = (carom_touch){.wake = past ? 0.0F : carom_touch_wake(wake), .a = a, .b = b};
  if (list->each[k].wake > 0.0F) return;
  carom_touch_hot *hot = &list->hot[list->hot_count++];
  *hot = hot_of(list, k);
  if (past) memcpy(hot->past, past, sizeof hot->past);
}

void carom_touch_list_stir(carom_touch_list *list) {
  list->soon_count = 0;
  list->travel = list->horizon = list->next_wake = 0.0;
}

// by how much the bodies of candidate k may still come nearer
static double slack_of(const carom_touch_list *list, const carom_bed_ways *ways, int k) {
  const carom_touch *it = &list->each[k];
  return (double)it->wake - (ways->a[it->a] + ways->b[it->b]);
}

static void put_soon(carom_touch_list *list, int j, int k) {
  const carom_touch_soon *soon = &list->soon;
  const carom_touch *it = &list->each[k];
  soon->at[j] = k, soon->a[j] = it->a, soon->b[j] = it->b, soon->wake[j] = it->wake;
}

static void look_ahead(carom_touch_list *list, const carom_bed_ways *ways) {
  list->horizon = list->travel + ways->ahead;
  int count = 0;
  for (int k = 0; k < list->count; k++) {
    put_soon(list, count, k);
    count += list->each[k].wake > 0.0F && slack_of(list, ways, k) <= ways->ahead;
  }
  list->soon_count = count;
}

// the last one takes the place of j
static void drop_soon(carom_touch_list *list, int j) {
  const carom_touch_soon *soon = &list->soon;
  int last = --list->soon_count;
  soon->at[j] = soon->at[last], soon->a[j] = soon->a[last], soon->b[j] = soon->b[last];
  soon->wake[j] = soon->wake[last];
}

// Lanes behind the last one look at whom the first looks at: those who were there before may be in
// chunks that move already.
static void pad_soon(const carom_touch_soon *soon, int count) {
  for (int j = count; j < count + BEYOND; j++)
    soon->a[j] = soon->a[0], soon->b[j] = soon->b[0];
}

int carom_touch_list_rouse(const carom_bed *bed, carom_touch_list *list, const carom_bed_ways *ways,
                           int *found) {
  list->travel += ways->step;
  if (list->travel < list->next_wake) return 0;
  if (list->travel >= list->horizon) look_ahead(list, ways);
  if (list->soon_count > 0) pad_soon(&list->soon, list->soon_count);
  double least = list->horizon - list->travel;
  const bool pairs = ways->b == bed->reach.way;
  int count = bed->kernels->sift_soon(list, ways, found, &least);
  list->next_wake = list->travel + least;
  for (int k = count - 1; k >= 0; k--) {
    int j = found[k];
    found[k] = list->soon.at[j];
    __builtin_prefetch(&list->each[found[k]]);
    carom_bed_fetch(bed, list->soon.a[j]);
    if (pairs) carom_bed_fetch(bed, list->soon.b[j]);
    drop_soon(list, j);
  }
  return count;
}

int carom_touch_list_rank(const carom_touch_list *list, int k) {
  int low = 0, high = list->hot_count;
  while (low < high) {
    int middle = (low + high) / 2;
    if (list->hot[middle].at < k)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void carom_touch_list_settle(carom_touch_list *list, const carom_bed_ways *ways, int k) {
  if (list->each[k].wake > 0.0F) {
    double wakes = list->travel + slack_of(list, ways, k);
    if (wakes <= list->horizon) put_soon(list, list->soon_count++, k);
    if (wakes < list->next_wake) list->next_wake = wakes;
    return;
  }
  int at = carom_touch_list_rank(list, k);
  size_t after = (size_t)(list->hot_count - at);
  memmove(list->hot + at + 1, list->hot + at, after * sizeof *list->hot);
  list->hot[at] = hot_of(list, k);
  list->hot_count++;
}

void carom_touch_list_cool(carom_touch_list *list, const carom_bed_ways *ways, int k) {
  int at = carom_touch_list_rank(list, k);
  size_t after = (size_t)(--list->hot_count - at);
  memmove(list->hot + at, list->hot + at + 1, after * sizeof *list->hot);
  carom_touch_list_settle(list, ways, k);
}
