// SPDX-License-Identifier: MIT
/// The threads of a card on this processor: the sources of the engine, compiled as they are for a
/// card, in a library of their own whose functions lie elsewhere than those of the program. A
/// machine reads the PTX of a model's programs and runs it where a card would.
#ifndef CAROM_TESTS_THREADS_HERE_H
#define CAROM_TESTS_THREADS_HERE_H

#include "device/thread_work.h"
#include "symbolic/ptx_machine.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local jmp_buf end_of_thread;

_Noreturn void carom_thread_gives_up(void) { longjmp(end_of_thread, 1); }

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

static bool codes_here(int count, carom_program_codes *found) {
  for (int k = 0; k < count && 2 * k + 1 < module.code_count; k++) {
    int run = module.codes[2 * k], evaluate = module.codes[2 * k + 1];
    if (has_address(run)) found[k].run = (uint64_t)(uintptr_t)functions[run].run;
    if (has_address(evaluate))
      found[k].evaluate = (uint64_t)(uintptr_t)functions[evaluate].evaluate;
  }
  return !module.fault[0] && module.code_count >= 2 * count;
}

// ---- motions ----

// one thread, whose motions come after each other: of one nothing may be left in the next; a card
// does not clear memory
static bool move_here(const carom_device_work *work, size_t room) {
  enum { THREADS = 1 };
  volatile long k;
  char *ground = malloc(room);
  for (k = 0; k < THREADS && ground; k++) {
    memset(ground, 0xa5, room);
    if (setjmp(end_of_thread) == 0) carom_device_thread(work, ground, room, k, THREADS);
  }
  free(ground);
  return ground != NULL;
}

#endif
