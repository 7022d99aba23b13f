// SPDX-License-Identifier: MIT
// Rods in a box, settled and shaken: rod-steps per CPU second and what they are made of, beside
// LAMMPS (rigid clumps of 18 spheres) on the same pack in the same run, when `lmp` is installed.
//   bench_rods            the table (N = 40 and 1000)
//   bench_rods N STEPS    one pack, at rest and shaken, without LAMMPS
#define _DEFAULT_SOURCE
#include "lammps_rods.h"

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
  double height;          // mean height of rods at the end [m]
  double ns_move, ns_force, ns_search; // per rod-step: integration, forces, searches
  size_t bytes;                        // per rod
  lammps_figure peer;
} figure;

static void stop(const carom_error *error) {
  fprintf(stderr, "bench_rods: %s\n", error->text);
  exit(1);
}

// what single parts cost, by repeating them on the final state
static void take_apart(carom_bed *bed, figure *out) {
  int rounds = 1 + 2000000 / bed->n / 20;
  double begin = clock_now();
  for (int k = 0; k < rounds; k++)
    carom_bed_forces(bed);
  out->ns_force = 1e9 * (clock_now() - begin) / rounds / bed->n;
  rounds = 1 + rounds / 50;
  begin = clock_now();
  for (int k = 0; k < rounds; k++)
    if (!carom_bed_search_neighbours(bed)) exit(1);
  out->ns_search = 1e6 * (clock_now() - begin) / rounds / bed->n * out->searches;
  out->ns_move = 1e9 / out->rate - out->ns_force - out->ns_search;
}

static figure measure(int n, double gamma, long settle, long steps, bool compare) {
  double w = 6.283185307179586 / PACK_PERIOD, amplitude = gamma * 9.81 / (w * w);
  figure out = {0};
  carom_error error = {0};
  carom_arena *arena = carom_arena_create(NULL);
  carom_bed_settings set = pack_settings(n, &amplitude);
  carom_bed *bed = arena ? carom_bed_create(arena, &set) : NULL;
  if (!bed) exit(1);
  pack_place(bed);
  if (compare) out.peer = lammps_measure(bed, amplitude, settle, steps);
  if (carom_bed_begin(bed, &error) || carom_bed_advance(bed, settle, &error)) stop(&error);
  enum { PARTS = 5 };
  double took = 0.0, tests = 0.0;
  long searches = bed->searches, part = steps / PARTS;
  for (int p = 0; p < PARTS; p++) {
    double begin = clock_now();
    for (long k = 0; k < part; k++) {
      if (carom_bed_advance(bed, 1, &error)) stop(&error);
      tests += (double)bed->tests;
    }
    took += clock_now() - begin;
    out.pairs += (double)carom_bed_count_pairs(bed) / n / PARTS;
    out.walls += (double)carom_bed_count_walls(bed) / n / PARTS;
  }
  double done = (double)(part * PARTS);
  out.height = pack_height(bed);
  out.rate = (double)n * done / took;
  out.tests = tests / done / n;
  out.searches = 1e3 * (double)(bed->searches - searches) / done;
  out.bytes = carom_bed_rod_bytes(bed);
  take_apart(bed, &out);
  carom_arena_destroy(arena);
  return out;
}

static void print_head(void) {
  printf("%6s %-7s %10s %6s | %6s %6s %6s %6s | %6s %6s %6s %6s | %10s %7s %9s\n", "rods", "",
         "rod-st./s", "ns", "move", "force", "search", "/touch", "pairs", "walls", "tests", "bytes",
         "LAMMPS", "ratio", "heights");
}

static void print_figure(int n, bool shaken, const figure *f) {
  double touches = f->pairs + f->walls;
  printf("%6d %-7s %10.3g %6.0f | %6.0f %6.0f %6.0f %6.0f | %6.2f %6.2f %6.2f %6zu | ", n,
         shaken ? "shaken" : "rest", f->rate, 1e9 / f->rate, f->ns_move, f->ns_force, f->ns_search,
         touches > 0.0 ? f->ns_force / touches : 0.0, f->pairs, f->walls, f->tests, f->bytes);
  if (f->peer.known)
    printf("%10.3g %7.1f %.3f/%.3f mm\n", f->peer.rate, f->rate / f->peer.rate, 1e3 * f->height,
           1e3 * f->peer.height);
  else
    printf("%10s %7s %.3f mm\n", "-", "-", 1e3 * f->height);
}

int main(int argc, char **argv) {
  print_head();
  bool one = argc == 3;
  for (int big = 0; big < (one ? 1 : 2); big++)
    for (int shaken = 0; shaken < 2; shaken++) {
      int n = one ? atoi(argv[1]) : big ? 1000 : 40;
      long settle = one   ? 2000
                    : big ? 5000
                          : 25000,
           steps = one   ? atol(argv[2])
                   : big ? 1500
                         : 10000;
      figure f = measure(n, 3.0 * shaken, settle, steps, !one);
      print_figure(n, shaken, &f);
      (void)fflush(stdout);
    }
  return 0;
}
