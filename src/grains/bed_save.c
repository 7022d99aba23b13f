// SPDX-License-Identifier: MIT
// A bed as bytes: everything that the next step depends on, the order of rods and candidates
// included, so that a restored bed goes on bit for bit.
#include "grains/grains.h"

#include <string.h>

/// A place in the buffer; `write` false: bytes go from the buffer to the bed. A NULL place counts.
typedef struct tape {
  char *at;
  size_t size;
  bool write;
} tape;

static void pass(tape *t, void *data, size_t size) {
  if (t->at && size > 0) {
    if (t->write)
      memcpy(t->at, data, size);
    else
      memcpy(data, t->at, size);
    t->at += size;
  }
  t->size += size;
}

static bool pass_list(carom_bed *bed, tape *t, carom_touch_list *list) {
  int count = list->count;
  pass(t, &count, sizeof count);
  if (!t->write) {
    list->count = 0;
    if (!carom_touch_list_reserve(bed->arena, list, count)) return false;
    list->count = count;
    carom_touch_list_stir(list);
  }
  size_t n = (size_t)count;
  pass(t, list->each, n * sizeof *list->each);
  pass(t, list->past, n * sizeof *list->past);
  return true;
}

static bool pass_chunk(carom_bed *bed, tape *t, carom_bed_chunk *chunk) {
  for (int k = 0; k <= bed->settings->wall_count; k++)
    if (!pass_list(bed, t, &chunk->lists[k])) return false;
  int most = 0;
  for (int k = 0; k <= bed->settings->wall_count; k++)
    most = chunk->lists[k].count > most ? chunk->lists[k].count : most;
  if (t->write || most + 1 <= chunk->awake_room) return true;
  chunk->awake_room = most + 1;
  chunk->awake = carom_arena_array(bed->arena, (size_t)most + 1, sizeof *chunk->awake);
  return chunk->awake != NULL;
}

static void pass_rods(carom_bed *bed, tape *t) {
  size_t n = (size_t)bed->n, bytes = n * sizeof(double);
  double **triples[] = {bed->x, bed->u, bed->v, bed->w};
  for (size_t k = 0; k < sizeof triples / sizeof *triples; k++)
    for (int c = 0; c < 3; c++)
      pass(t, triples[k][c], bytes);
  pass(t, bed->push, n * sizeof *bed->push);
  pass(t, bed->way, bytes);
  pass(t, bed->kind, n);
  for (int c = 0; c < 3; c++)
    pass(t, bed->image[c], n * sizeof(int));
  pass(t, bed->id, n * sizeof(int));
  pass(t, bed->place, n * sizeof(int));
  if (bed->touching) {
    pass(t, bed->touching, n);
    pass(t, bed->released, n * sizeof *bed->released);
  }
}

static bool pass_bed(carom_bed *bed, tape *t) {
  pass_rods(bed, t);
  double numbers[] = {bed->wall_step,     bed->wall_way[0], bed->fastest,
                      bed->wall_z,        bed->wall_rate,   bed->lost_normal,
                      bed->taken_tangent, bed->work_drive,  bed->deepest};
  pass(t, numbers, sizeof numbers);
  long counts[] = {bed->steps, bed->searches, bed->begun, bed->tests, bed->contacts};
  pass(t, counts, sizeof counts);
  pass(t, &bed->strikes, sizeof bed->strikes);
  pass(t, &bed->trouble, sizeof bed->trouble);
  if (!t->write) {
    bed->wall_step = numbers[0], bed->fastest = numbers[2];
    bed->wall_way[0] = bed->wall_way[1] = bed->wall_way[2] = numbers[1];
    bed->wall_z = numbers[3], bed->wall_rate = numbers[4], bed->lost_normal = numbers[5];
    bed->taken_tangent = numbers[6], bed->work_drive = numbers[7];
    bed->deepest = numbers[8];
    bed->steps = counts[0], bed->searches = counts[1], bed->begun = counts[2] != 0;
    bed->tests = counts[3], bed->contacts = counts[4];
  }
  bool good = true;
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

bool carom_bed_restore(carom_bed *bed, const char *buffer) {
  tape t = {.at = (char *)(uintptr_t)buffer, .write = false};
  return pass_bed(bed, &t);
}
