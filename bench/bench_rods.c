// SPDX-License-Identifier: MIT
// Rods in a box, settled and shaken: rod-steps per second and what they are made of, beside LAMMPS
// on the same pack when it is installed.
//   bench_rods            the table (N = 40 and 1000)
//   bench_rods N STEPS    one pack, at rest and shaken
#define _POSIX_C_SOURCE 200809L
#include "rods_pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double clock_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/// One measurement.
typedef struct figure {
  double rate;            // rod-steps per CPU second
  double pairs, walls;    // contacts per rod
  double tests, searches; // candidates looked at per rod and step; searches per thousand steps
  double height;          // mean height of rods [m]
} figure;

static figure measure(int n, double gamma, long settle, long steps) {
  double w = 6.283185307179586 / PACK_PERIOD, amplitude = gamma * 9.81 / (w * w);
  figure out = {0};
  carom_error error = {0};
  carom_arena *arena = carom_arena_create(NULL);
  carom_bed_settings set = pack_settings(n, &amplitude);
  carom_bed *bed = arena ? carom_bed_create(arena, &set) : NULL;
  if (!bed) exit(1);
  pack_place(bed);
  if (carom_bed_begin(bed, &error) || carom_bed_advance(bed, settle, &error)) {
    fprintf(stderr, "bench_rods: %s\n", error.text);
    exit(1);
  }
  enum { PARTS = 5 };
  double best = 1e300, tests = 0.0;
  long searches = bed->searches;
  for (int part = 0; part < PARTS; part++) {
    double begin = clock_now();
    for (long k = 0; k < steps / PARTS; k++) {
      if (carom_bed_advance(bed, 1, &error)) exit(1);
      tests += (double)bed->tests;
    }
    double took = clock_now() - begin;
    best = took < best ? took : best;
    out.pairs += (double)carom_bed_count_pairs(bed) / n / PARTS;
    out.walls += (double)carom_bed_count_walls(bed) / n / PARTS;
    out.height += pack_height(bed) / PARTS;
  }
  long done = steps / PARTS * PARTS;
  out.rate = (double)n * (double)(steps / PARTS) / best;
  out.tests = tests / (double)done / n;
  out.searches = 1e3 * (double)(bed->searches - searches) / (double)done;
  carom_arena_destroy(arena);
  return out;
}

static void print_figure(int n, double gamma, const figure *f) {
  printf("%6d %-7s %10.3g %8.1f %7.2f %7.2f %7.2f %9.1f %9.3f\n", n, gamma > 0 ? "shaken" : "rest",
         f->rate, 1e9 / f->rate, f->pairs, f->walls, f->tests, f->searches, 1e3 * f->height);
}

int main(int argc, char **argv) {
  printf("%6s %-7s %10s %8s %7s %7s %7s %9s %9s\n", "rods", "", "rod-st./s", "ns", "pairs", "walls",
         "tests", "searches", "height");
  printf("%6s %-7s %10s %8s %7s %7s %7s %9s %9s\n", "", "", "", "", "/rod", "/rod", "/rod", "/1000",
         "mm");
  if (argc == 3) {
    int n = atoi(argv[1]);
    long steps = atol(argv[2]);
    for (int shaken = 0; shaken < 2; shaken++) {
      figure f = measure(n, 3.0 * shaken, 5000, steps);
      print_figure(n, shaken, &f);
    }
    return 0;
  }
  for (int big = 0; big < 2; big++)
    for (int shaken = 0; shaken < 2; shaken++) {
      figure f = measure(big ? 1000 : 40, 3.0 * shaken, big ? 5000 : 25000, big ? 5000 : 50000);
      print_figure(big ? 1000 : 40, shaken, &f);
    }
  return 0;
}
