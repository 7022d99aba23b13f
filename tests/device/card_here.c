// SPDX-License-Identifier: MIT
/// A card that is this processor, without a driver: see carom_card_open().
#include "device/card.h"
#include "threads_here.h"

__attribute__((visibility("default"))) bool carom_card_here(carom_card *card,
                                                            const carom_ptx *model);

static void *take(void *ctx, size_t size) { return (void)ctx, calloc(1, size + 1); }
static void give(void *ctx, void *memory) { (void)ctx, free(memory); }
static bool put(void *ctx, void *to, const void *from, size_t size) {
  return (void)ctx, memcpy(to, from, size), true;
}
static bool codes(void *ctx, int count, carom_program_codes *found) {
  return (void)ctx, codes_here(count, found);
}
static void *queue(void *ctx) { return (void)ctx, calloc(1, 1); }
static const char *fault(void *ctx) { return (void)ctx, module.fault; }
static void close_card(void *ctx) { (void)ctx; }

static bool settle(void *ctx, void *model, size_t *room) {
  enum { ROOM = 64 << 20 };
  char *slab = malloc(ROOM);
  (void)ctx;
  if (slab) *room = carom_device_settle(model, slab, ROOM);
  free(slab);
  return slab != NULL;
}

static bool start(void *ctx, carom_batch *batch) {
  carom_device_work work = batch->there;
  size_t noted = (size_t)work.count * carom_noted_room(&work.kind) * sizeof *work.noted;
  (void)ctx;
  memcpy((void *)work.from, batch->from, (size_t)work.count * work.size);
  memcpy((void *)work.until, batch->until, (size_t)work.count * sizeof *work.until);
  if (noted > 0) memcpy((void *)work.since, batch->since, (size_t)work.count * sizeof *work.since);
  if (!move_here(&work, batch->room)) return false;
  memcpy(batch->to, work.to, (size_t)work.count * work.size);
  if (noted > 0) memcpy(batch->noted, work.noted, noted);
  memcpy(batch->statuses, work.statuses, (size_t)work.count * sizeof *work.statuses);
  return true;
}

static bool is_back(void *ctx, const carom_batch *batch) { return (void)ctx, (void)batch, true; }
static bool finish(void *ctx, carom_batch *batch) { return (void)ctx, (void)batch, true; }

bool carom_card_here(carom_card *card, const carom_ptx *model) {
  ptx_release(&module);
  (void)ptx_read(&module, model->text); // a fault is told when functions are asked for
  *card = (carom_card){.name = "this processor",
                       .take = take,
                       .give = give,
                       .take_here = take,
                       .give_here = give,
                       .put = put,
                       .codes = codes,
                       .settle = settle,
                       .queue = queue,
                       .end_queue = give,
                       .start = start,
                       .is_back = is_back,
                       .finish = finish,
                       .fault = fault,
                       .close = close_card};
  return true;
}
