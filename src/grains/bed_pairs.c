// SPDX-License-Identifier: MIT
// Contacts between the rods of a chunk and other rods.
//
// A candidate whose bodies are a gap apart sleeps until the travel of the bodies around could have
// closed the gap, so most steps look at little more than the contacts themselves.
#include "grains/bed_kernels.h"

#include <math.h>

// there is no memory: nothing is sent, and the step is refused
static void give_up(carom_bed_chunk *chunk) {
  chunk->sums.no_memory = true;
  for (int k = 0; k < chunk->leg_count; k++)
    chunk->legs[k].mail = chunk->legs[k].mail_end = 0;
}

static bool make_mail_room(carom_bed *bed, carom_bed_chunk *chunk, int room) {
  if (room <= chunk->mail.room) return true;
  chunk->mail.room = 2 * room + 16;
  chunk->mail.push = carom_bed_array(bed, chunk->mail.room, sizeof *chunk->mail.push);
  chunk->mail.to = carom_bed_array(bed, chunk->mail.room, sizeof *chunk->mail.to);
  if (chunk->mail.push && chunk->mail.to) return true;
  chunk->mail.room = 0;
  return false;
}

// which part of the mail is whose
static void divide_mail(carom_bed_chunk *chunk) {
  const carom_touch_list *list = &chunk->lists[0];
  carom_bed_leg *legs = chunk->legs;
  const int count = chunk->leg_count;
  chunk->mail.own = count > 0 ? carom_touch_list_rank(list, legs[0].from) : list->hot_count;
  for (int k = 0; k < count; k++) {
    int next = k + 1 < count ? legs[k + 1].from : list->count;
    legs[k].mail = k > 0 ? legs[k - 1].mail_end : 0;
    legs[k].mail_end = carom_touch_list_rank(list, next) - chunk->mail.own;
  }
}

// Of the radius of the thinnest rod. Less, and whole lists are looked through more often; more, and
// there is more at hand to look through.
static const double AHEAD = 0.025;
static const double SAFE = 1.0 + 1e-9;

static carom_bed_ways find_ways_of_pairs(const carom_bed *bed, const carom_bed_chunk *chunk) {
  double fastest = chunk->fastest;
  for (int k = 0; k < chunk->leg_count; k++)
    fastest = fmax(fastest, bed->chunks[chunk->legs[k].to].fastest);
  double step = SAFE * 2.0 * fastest * bed->settings->step;
  return (carom_bed_ways){bed->reach.way, bed->reach.way, step, AHEAD * chunk->thin};
}

carom_bed_ways carom_bed_ways_of_walls(const carom_bed *bed, const carom_bed_chunk *chunk) {
  double step = SAFE * (chunk->fastest * bed->settings->step + bed->wall.step);
  return (carom_bed_ways){bed->reach.way, bed->wall.way, step, AHEAD * chunk->thin};
}

// what contacts of the last step will look at in other chunks, which are not in the cache yet
static void fetch_others(const carom_bed *bed, const carom_bed_chunk *chunk) {
  const carom_touch_list *list = &chunk->lists[0];
  for (int k = chunk->mail.own; k < list->hot_count; k++)
    carom_bed_fetch(bed, list->hot[k].b);
}

void carom_bed_touch_pairs(carom_bed *bed, carom_bed_chunk *chunk) {
  carom_touch_list *list = &chunk->lists[0];
  carom_bed_ways ways = find_ways_of_pairs(bed, chunk);
  int *some = chunk->awake;
  fetch_others(bed, chunk);
  int tests = carom_touch_list_rouse(bed, list, &ways, some);
  if (!carom_touch_list_reserve_hot(bed, list, list->hot_count + tests)) {
    give_up(chunk);
    return;
  }
  bed->kernels->test_pairs(bed, list, some, tests);
  for (int k = 0; k < tests; k++)
    carom_touch_list_settle(list, &ways, some[k]);
  divide_mail(chunk);
  if (!make_mail_room(bed, chunk, list->hot_count - chunk->mail.own)) {
    give_up(chunk);
    return;
  }
  chunk->sums.tests += tests + list->hot_count;
  int open = bed->kernels->press_pairs(bed, chunk, some);
  for (int k = 0; k < open; k++)
    carom_touch_list_cool(list, &ways, some[k]);
}
