// SPDX-License-Identifier: MIT
/// What the parts of a rod-step cost, by repeating them on a state, and the least that the
/// arithmetic of a contact can take on this machine, measured in the same run.
#ifndef CAROM_BENCH_RODS_PARTS_H
#define CAROM_BENCH_RODS_PARTS_H

#include "base/elementary_kernel.h"
#include "grains/lanes.h"
#include "rods_pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STRETCHES = 5 };

static inline double seconds_of(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static inline double clock_now(void) { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }
static inline double wall_now(void) { return seconds_of(CLOCK_MONOTONIC); }

/// Nanoseconds: of integration and of a search per rod, of a contact, of a candidate that is
/// tested.
typedef struct parts_figure {
  double move, search, contact, test;
} parts_figure;

// seconds of one evaluation of forces, the best of some
static inline double time_forces(carom_bed *bed, bool test_all) {
  double best = HUGE_VAL;
  int rounds = 1 + 40000 / bed->n;
  for (int k = 0; k < STRETCHES; k++) {
    double spent = 0.0;
    for (int r = 0; r < rounds; r++) {
      for (int c = 0; test_all && c < bed->chunk_count; c++) {
        carom_touch_list *list = &bed->chunks[c].lists[0];
        for (int j = 0; j < list->count; j++)
          list->each[j].wake = list->each[j].wake > 0.0 ? 1e-30F : list->each[j].wake;
        carom_touch_list_stir(list);
      }
      double begin = clock_now();
      carom_bed_forces(bed);
      spent += clock_now() - begin;
    }
    best = fmin(best, spent / rounds);
  }
  return best;
}

static inline parts_figure take_apart(carom_bed *bed) {
  parts_figure out = {0};
  carom_error error = {0};
  int n = bed->n;
  double plain = time_forces(bed, false);
  long few = bed->counts.tests, touches = bed->counts.contacts;
  double full = time_forces(bed, true);
  long many = bed->counts.tests;
  if (touches > 0) out.contact = 1e9 * plain / (double)touches;
  if (many > few) out.test = 1e9 * (full - plain) / (double)(many - few);
  double best = HUGE_VAL, search = HUGE_VAL;
  for (int k = 0; k < STRETCHES; k++) {
    double begin = clock_now();
    if (!carom_bed_search_neighbours(bed)) exit(1);
    search = fmin(search, clock_now() - begin);
  }
  out.search = 1e9 * search / n;
  // integration is what a rod costs that touches nothing
  carom_arena *arena = carom_arena_create(NULL);
  carom_bed_settings set = *bed->settings;
  set.wall_count = 0;
  set.gravity[2] = 0.0;
  carom_bed *free_bed = arena ? carom_bed_create(arena, &set) : NULL;
  if (!free_bed) exit(1);
  for (int i = 0; i < n; i++)
    free_bed->x[0][i] = 0.05 * i;
  if (carom_bed_begin(free_bed, &error)) exit(1);
  int rounds = 1 + 200000 / n;
  for (int k = 0; k < STRETCHES; k++) {
    double begin = clock_now();
    if (carom_bed_advance(free_bed, rounds, &error)) exit(1);
    best = fmin(best, (clock_now() - begin) / rounds);
  }
  out.move = 1e9 * best / n;
  carom_arena_destroy(arena);
  return out;
}

// Eight independent chains, so that units and not latencies count; kind 0: products and sums, 1:
// quotients, 2: roots. In lanes of four, and of eight as beds use them where the machine can.
#define CHAINS(vec, width)                                                                         \
  vec x[8], a, b;                                                                                  \
  for (int l = 0; l < (width); l++)                                                                \
    a[l] = 1.0000001, b[l] = 1e-9;                                                                 \
  memcpy(x, data, sizeof x);                                                                       \
  for (long r = 0; r < rounds; r++)                                                                \
    for (int k = 0; k < 8; k++) {                                                                  \
      if (kind == 0) x[k] = x[k] * a + b;                                                          \
      if (kind == 1) x[k] = a / x[k];                                                              \
      for (int l = 0; l < (width) && kind == 2; l++)                                               \
        x[k][l] = sqrt(x[k][l]);                                                                   \
    }                                                                                              \
  memcpy(data, x, sizeof x);

CAROM_CLONES static void chains_four(int kind, long rounds, double *data) { CHAINS(carom_v4, 4) }

#if defined(__x86_64__)
typedef double eight __attribute__((vector_size(64)));
__attribute__((target("avx512f"))) static void chains_eight(int kind, long rounds, double *data) {
  CHAINS(eight, 8)
}
#else
static void chains_eight(int kind, long rounds, double *data) { chains_four(kind, rounds, data); }
#endif

// ns per operation on all lanes
static inline double time_chain(int kind, bool wide) {
  const long rounds = 200000;
  double data[64], best = HUGE_VAL;
  for (int k = 0; k < STRETCHES; k++) {
    for (int i = 0; i < 64; i++)
      data[i] = 1.0 + 0.01 * i;
    double begin = clock_now();
    (wide ? chains_eight : chains_four)(kind, rounds, data);
    best = fmin(best, clock_now() - begin);
  }
  return 1e9 * best / (8.0 * (double)rounds) / (kind == 0 ? 2.0 : 1.0);
}

static inline void print_floor(void) {
  // counted in the machine code of a block of contacts of pairs
  const double sums = 235.0, quotients = 4.0, roots = 4.0;
  bool wide = false;
#if defined(__x86_64__)
  wide = carom_machine_has_avx512();
#endif
  double sum = time_chain(0, wide), quotient = time_chain(1, wide), root = time_chain(2, wide);
  printf("%s contacts of rods take %.0f products and sums, %.0f quotients, %.0f roots: at %.2f, "
         "%.1f, %.1f ns each\nno contact can take less than %.0f ns here; the rest is moving rows "
         "between rods and lanes and waiting for results\n",
         wide ? "eight" : "four", sums, quotients, roots, sum, quotient, root,
         (sums * sum + quotients * quotient + roots * root) / (wide ? 8.0 : 4.0));
}

#endif
