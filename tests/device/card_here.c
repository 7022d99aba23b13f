// SPDX-License-Identifier: MIT
/// A card that is this processor: the sources of the threads, compiled as they are for a card, in a
/// library of their own whose functions lie elsewhere than those of the program. A machine reads
/// the PTX of a model's programs and runs it where a card would.
#include "device/card.h"
#include "symbolic/ptx_machine.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

__attribute__((visibility("default"))) bool carom_card_here(carom_card *card,
                                                            const carom_ptx *model);

static _Thread_local jmp_buf end_of_thread;

_Noreturn void carom_thread_gives_up(void) { longjmp(end_of_thread, 1); }

static void *take(void *ctx, size_t size) { return (void)ctx, calloc(1, size + 1); }
static void give(void *ctx, void *memory) { (void)ctx, free(memory); }
static bool put(void *ctx, void *to, const void *from, size_t size) {
  return (void)ctx, memcpy(to, from, size), true;
}
// ---- functions of PTX ----

// Of the model that was brought last, with an address for each function: what is called there knows
// its number.
enum { MOST_FUNCTIONS = 512, MOST_NUMBERS = 65536 };
static ptx_module module;

static double run_function(int number, double *work, const double *states, double *values) {
  static _Thread_local double numbers[MOST_NUMBERS];
  static _Thread_local bool masks[MOST_NUMBERS];
  return ptx_run(&module.functions[number], numbers, masks, work, states, values);
}

// clang-format off
#define FUNCTION(k)                                                                                \
  static void run_##k(double *work) { (void)run_function(k, work, NULL, NULL); }                   \
  static double evaluate_##k(double *work, const double *states, double *values) {                 \
    return run_function(k, work, states, values);                                                  \
  }
#define ENTRIES(k) {run_##k, evaluate_##k},
// numbers of three octal digits
#define EIGHT(DO, k) DO(k##0) DO(k##1) DO(k##2) DO(k##3) DO(k##4) DO(k##5) DO(k##6) DO(k##7)
#define SIXTYFOUR(DO, k)                                                                           \
  EIGHT(DO, k##0) EIGHT(DO, k##1) EIGHT(DO, k##2) EIGHT(DO, k##3)                                  \
  EIGHT(DO, k##4) EIGHT(DO, k##5) EIGHT(DO, k##6) EIGHT(DO, k##7)
#define ALL(DO)                                                                                    \
  SIXTYFOUR(DO, 00) SIXTYFOUR(DO, 01) SIXTYFOUR(DO, 02) SIXTYFOUR(DO, 03)                          \
  SIXTYFOUR(DO, 04) SIXTYFOUR(DO, 05) SIXTYFOUR(DO, 06) SIXTYFOUR(DO, 07)
// clang-format on
ALL(FUNCTION)
static const struct {
  void (*run)(double *);
  double (*evaluate)(double *, const double *, double *);
} functions[MOST_FUNCTIONS] = {ALL(ENTRIES)};

static bool has_address(int k) {
  return k >= 0 && k < MOST_FUNCTIONS && module.functions[k].numbers <= MOST_NUMBERS &&
         module.functions[k].masks <= MOST_NUMBERS;
}

static bool codes(void *ctx, int count, carom_program_codes *found) {
  (void)ctx;
  for (int k = 0; k < count && 2 * k + 1 < module.code_count; k++) {
    int run = module.codes[2 * k], evaluate = module.codes[2 * k + 1];
    if (has_address(run)) found[k].run = (uint64_t)(uintptr_t)functions[run].run;
    if (has_address(evaluate))
      found[k].evaluate = (uint64_t)(uintptr_t)functions[evaluate].evaluate;
  }
  return !module.fault[0] && module.code_count >= 2 * count;
}

// ---- the card ----

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

// few threads, so that each has several motions one after the other
static bool start(void *ctx, carom_batch *batch) {
  enum { THREADS = 3 };
  volatile long k;
  carom_device_work work = batch->there;
  char *slab = malloc(batch->room);
  (void)ctx;
  if (!slab) return false;
  memcpy((void *)work.from, batch->from, (size_t)work.count * work.size);
  memcpy((void *)work.until, batch->until, (size_t)work.count * sizeof *work.until);
  size_t noted = (size_t)work.count * carom_noted_room(&work.kind) * sizeof *work.noted;
  if (noted > 0) memcpy((void *)work.since, batch->since, (size_t)work.count * sizeof *work.since);
  for (k = 0; k < THREADS; k++) {
    memset(slab, 0xa5, batch->room); // a card does not clear its memory
    if (setjmp(end_of_thread) == 0) carom_device_thread(&work, slab, batch->room, k, THREADS);
  }
  memcpy(batch->to, work.to, (size_t)work.count * work.size);
  if (noted > 0) memcpy(batch->noted, work.noted, noted);
  memcpy(batch->statuses, work.statuses, (size_t)work.count * sizeof *work.statuses);
  free(slab);
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
