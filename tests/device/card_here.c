// SPDX-License-Identifier: MIT
/// A card that is this processor: the sources of the threads, compiled as they are for a card, in a
/// library of their own whose functions lie elsewhere than those of the program.
#include "device/card.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

__attribute__((visibility("default"))) bool carom_card_here(carom_card *card);

static _Thread_local jmp_buf end_of_thread;

_Noreturn void carom_thread_gives_up(void) { longjmp(end_of_thread, 1); }

static void *take(void *ctx, size_t size) { return (void)ctx, calloc(1, size + 1); }
static void give(void *ctx, void *memory) { (void)ctx, free(memory); }
static bool put(void *ctx, void *to, const void *from, size_t size) {
  return (void)ctx, memcpy(to, from, size), true;
}
static void *queue(void *ctx) { return (void)ctx, calloc(1, 1); }
static const char *fault(void *ctx) { return (void)ctx, "it is none"; }
static void close_card(void *ctx) { (void)ctx; }

static bool settle(void *ctx, void *model, size_t *room) {
  enum { ROOM = 64 << 20 };
  char *slab = malloc(ROOM);
  (void)ctx;
  if (slab) *room = carom_device_settle(model, slab, ROOM);
  free(slab);
  return slab != NULL;
}

// few threads, so that each has several motions one after the other
static bool run(void *ctx, const carom_batch *batch) {
  enum { THREADS = 3 };
  volatile long k;
  carom_device_work work = batch->there;
  char *slab = malloc(batch->room);
  (void)ctx;
  if (!slab) return false;
  memcpy((void *)work.from, batch->from, (size_t)work.count * work.size);
  memcpy((void *)work.until, batch->until, (size_t)work.count * sizeof *work.until);
  for (k = 0; k < THREADS; k++) {
    memset(slab, 0xa5, batch->room); // a card does not clear its memory
    if (setjmp(end_of_thread) == 0) carom_device_thread(&work, slab, batch->room, k, THREADS);
  }
  memcpy(batch->to, work.to, (size_t)work.count * work.size);
  memcpy(batch->statuses, work.statuses, (size_t)work.count * sizeof *work.statuses);
  free(slab);
  return true;
}

bool carom_card_here(carom_card *card) {
  *card = (carom_card){.name = "this processor",
                       .take = take,
                       .give = give,
                       .take_here = take,
                       .give_here = give,
                       .put = put,
                       .settle = settle,
                       .queue = queue,
                       .end_queue = give,
                       .run = run,
                       .fault = fault,
                       .close = close_card};
  return true;
}
