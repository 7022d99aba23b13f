// SPDX-License-Identifier: MIT
// A bed as bytes: everything that the next step depends on, the order of rods and candidates
// included, so that a restored bed goes on bit for bit.
#include "grains/grains.h"

#include <string.h>

/// A place in the buffer; `write` false: bytes go from the buffer to the bed, as long as there are
/// `room` of them. A NULL place counts.
typedef struct tape {
  char *at;
  size_t size, room;
  bool write;
} tape;

static bool tape_has(const tape *t, size_t size) {
  return t->write || (t->size <= t->room && size <= t->room - t->size);
}

static void pass_data(tape *t, void *data, size_t size) {
  if (t->at && size > 0 && tape_has(t, size)) {
    if (t->write)
      memcpy(t->at, data, size);
    else
      memcpy(data, t->at, size);
    t->at += size;
  }
  t->size += size;
}

// room for a list of which only the numbers are known; false also where they cannot be true
static bool open_list(carom_bed *bed, const tape *t, carom_touch_list *list, const int counts[2]) {
  carom_touch_list_clear(list);
  bool good = counts[1] >= 0 && counts[1] <= counts[0] &&
              tape_has(t, (size_t)counts[0] * sizeof *list->each) &&
              carom_touch_list_reserve(bed, list, counts[0]) &&
              carom_touch_list_reserve_hot(bed, list, counts[1]);
  if (good) list->count = counts[0], list->hot_count = counts[1];
  return good;
}

// a candidate as a search could have found it: a rod of the chunk with a later one, or with a wall
static bool can_be(const carom_bed *bed, const carom_bed_chunk *chunk, bool pair,
                   const carom_touch *it) {
  bool rod = it->a >= chunk->first && it->a < chunk->end && it->wake >= 0.0F;
  return rod && (pair ? it->b > it->a && it->b < bed->n
                      : it->b >= CAROM_END_UPPER && it->b <= CAROM_END_NEAREST);
}

// pairs stand in the order of the chunks of their second rods; hot are those who do not sleep
static bool is_sound(const carom_bed *bed, const carom_bed_chunk *chunk,
                     const carom_touch_list *list) {
  const bool pairs = list == chunk->lists;
  int hot = 0;
  for (int k = 0, last = 0; k < list->count; k++) {
    const carom_touch *it = &list->each[k];
    if (!can_be(bed, chunk, pairs, it)) return false;
    int to = pairs ? it->b / CAROM_BED_CHUNK : 0;
    if (to < last) return false;
    last = to;
    if (it->wake > 0.0F) continue;
    if (hot == list->hot_count || list->hot[hot].at != k) return false;
    list->hot[hot].a = it->a, list->hot[hot++].b = it->b;
  }
  return hot == list->hot_count;
}

static bool pass_list(carom_bed *bed, tape *t, const carom_bed_chunk *chunk, int which) {
  carom_touch_list *list = &chunk->lists[which];
  int counts[] = {list->count, list->hot_count};
  pass_data(t, counts, sizeof counts);
  if (!t->write && !open_list(bed, t, list, counts)) return false;
  pass_data(t, list->each, (size_t)list->count * sizeof *list->each);
  for (int k = 0; k < list->hot_count; k++) {
    pass_data(t, list->hot[k].past, sizeof list->hot[k].past);
    pass_data(t, &list->hot[k].at, sizeof list->hot[k].at);
  }
  return t->write || is_sound(bed, chunk, list);
}

static bool pass_chunk(carom_bed *bed, tape *t, carom_bed_chunk *chunk) {
  for (int k = 0; k <= bed->settings->wall_count; k++)
    if (!pass_list(bed, t, chunk, k)) return false;
  return t->write || carom_bed_make_awake_room(bed, chunk);
}

// each rod has a place of its own, is of a kind there is and moves as rods can
static bool are_rods(const carom_bed *bed) {
  for (int i = 0; i < bed->n; i++) {
    if (bed->kind[i] >= bed->settings->species_count) return false;
    if (bed->order.id[i] < 0 || bed->order.id[i] >= bed->n ||
        bed->order.place[bed->order.id[i]] != i)
      return false;
    if (!carom_bed_is_finite(bed, i)) return false;
  }
  return true;
}

static void pass_rods(carom_bed *bed, tape *t) {
  size_t n = (size_t)bed->n, bytes = n * sizeof(double);
  double **triples[] = {bed->x, bed->u, bed->v, bed->w};
  for (size_t k = 0; k < sizeof triples / sizeof *triples; k++)
    for (int c = 0; c < 3; c++)
      pass_data(t, triples[k][c], bytes);
  pass_data(t, bed->push, n * sizeof *bed->push);
  pass_data(t, bed->reach.way, bytes);
  pass_data(t, bed->kind, n);
  for (int c = 0; c < 3; c++)
    pass_data(t, bed->order.image[c], n * sizeof(int));
  pass_data(t, bed->order.id, n * sizeof(int));
  pass_data(t, bed->order.place, n * sizeof(int));
  if (bed->striking.touching) {
    pass_data(t, bed->striking.touching, n);
    pass_data(t, bed->striking.released, n * sizeof *bed->striking.released);
  }
}

static bool pass_bed(carom_bed *bed, tape *t) {
  pass_rods(bed, t);
  double numbers[] = {bed->wall.step,
                      bed->wall.way[0],
                      bed->reach.fastest,
                      bed->wall.z,
                      bed->wall.rate,
                      bed->ledger.lost_normal,
                      bed->ledger.taken_tangent,
                      bed->ledger.work_drive,
                      bed->ledger.deepest};
  pass_data(t, numbers, sizeof numbers);
  long counts[] = {bed->counts.steps, bed->counts.searches, bed->condition.begun, bed->counts.tests,
                   bed->counts.contacts};
  pass_data(t, counts, sizeof counts);
  pass_data(t, &bed->striking.strikes, sizeof bed->striking.strikes);
  pass_data(t, &bed->condition.trouble, sizeof bed->condition.trouble);
  if (!t->write) {
    bed->wall.step = numbers[0], bed->reach.fastest = numbers[2];
    bed->wall.way[0] = bed->wall.way[1] = bed->wall.way[2] = numbers[1];
    bed->wall.z = numbers[3], bed->wall.rate = numbers[4], bed->ledger.lost_normal = numbers[5];
    bed->ledger.taken_tangent = numbers[6], bed->ledger.work_drive = numbers[7];
    bed->ledger.deepest = numbers[8];
    bed->counts.steps = counts[0], bed->counts.searches = counts[1],
    bed->condition.begun = counts[2] != 0;
    bed->counts.tests = counts[3], bed->counts.contacts = counts[4];
  }
  bool good = t->write || are_rods(bed);
  for (int k = 0; good && k < bed->chunk_count; k++)
    good = pass_chunk(bed, t, &bed->chunks[k]);
  return good && (t->write || carom_bed_link_chunks(bed));
}

size_t
carom_bed_save(const carom_bed *bed,
               char *buffer) { // NOLINT(readability-non-const-parameter): written through the tape
  tape t = {.at = buffer, .write = true};
  // writing leaves the bed as it is
  (void)pass_bed((carom_bed *)(uintptr_t)bed, &t);
  return t.size;
}

bool carom_bed_restore(carom_bed *bed, const char *buffer, size_t size) {
  tape t = {.at = (char *)(uintptr_t)buffer, .room = size, .write = false};
  bool good = pass_bed(bed, &t) && t.size == size;
  bed->condition.begun = bed->condition.begun && good;
  return good;
}
