// SPDX-License-Identifier: MIT
// Rods in a box, settled and shaken: rod-steps per CPU second and what they are made of, beside
// LAMMPS (rigid clumps of 18 spheres) on the same pack in the same run, when `lmp` is installed.
//   bench_rods                  the table (N = 40 and 1000), parts of a step, threads
//   bench_rods N STEPS          one pack, at rest and shaken, without LAMMPS
//   bench_rods --scale [MOST]   cost of a rod-step from 1e3 rods to MOST (1e5 unless given), beside
//                               what memory and, up to 1e4, LAMMPS take
//   bench_rods --threads [N]    one thread and two
//   bench_rods --heights STARTS PROCESSES [MOST [SPHERES...]]   mean heights of packs of up to MOST
//                               rods from many starts, beside LAMMPS with so many spheres a rod
// Rates are those of the best of five stretches, for both programs, because other work on the
// machine can only slow a stretch down.
#define _DEFAULT_SOURCE
#include "rods_heights.h"
#include "rods_parts.h"

/// One measurement.
typedef struct figure {
  double rate;            // rod-steps per CPU second
  double pairs, walls;    // contacts per rod
  double tests, searches; // candidates looked at per rod and step; searches per thousand steps
  height_figure height;   // of rods
  parts_figure parts;
  size_t bytes; // per rod
  lammps_figure peer;
} figure;

static void stop(const carom_error *error) {
  fprintf(stderr, "bench_rods: %s\n", error->text);
  exit(1);
}

static carom_bed *new_pack(carom_arena *arena, carom_bed_settings *set) {
  carom_bed *bed = arena ? carom_bed_create(arena, set) : NULL;
  if (!bed) exit(1);
  pack_place(bed, 1);
  return bed;
}

static figure measure(int n, double gamma, long settle, long steps, bool compare, bool parts) {
  double amplitude = amplitude_of(gamma), best = HUGE_VAL;
  figure out = {0};
  carom_error error = {0};
  carom_arena *arena = carom_arena_create(NULL);
  carom_bed_settings set = pack_settings(n, &amplitude);
  carom_bed *bed = new_pack(arena, &set);
  if (compare) out.peer = lammps_measure(bed, &(lammps_run){amplitude, settle, steps, CLUMP});
  if (carom_bed_begin(bed, &error) || carom_bed_advance(bed, settle, &error)) stop(&error);
  long searches = bed->counts.searches, tests = bed->counts.all_tests, part = steps / STRETCHES;
  height_series series = height_start(steps);
  for (int p = 0; p < STRETCHES; p++) {
    double spent = 0.0;
    for (long left = part; left > 0; left -= HEIGHT_EVERY) {
      double begin = clock_now();
      if (carom_bed_advance(bed, left < HEIGHT_EVERY ? left : HEIGHT_EVERY, &error)) stop(&error);
      spent += clock_now() - begin;
      height_add(&series, pack_height(bed));
    }
    best = fmin(best, spent);
    out.pairs += (double)carom_bed_count_pairs(bed) / n / STRETCHES;
    out.walls += (double)carom_bed_count_walls(bed) / n / STRETCHES;
  }
  double done = (double)(part * STRETCHES);
  out.height = height_end(&series);
  out.rate = (double)n * (double)part / best;
  out.tests = (double)(bed->counts.all_tests - tests) / done / n;
  out.searches = 1e3 * (double)(bed->counts.searches - searches) / done;
  out.bytes = carom_bed_rod_bytes(bed);
  if (parts) out.parts = take_apart(bed);
  carom_arena_destroy(arena);
  return out;
}

static void print_head(void) {
  printf("%6s %-7s %10s %5s | %6s %6s %6s %6s | %6s %6s %6s %6s | %9s %6s %9s\n", "rods", "",
         "rod-st./s", "ns", "move", "touch", "test", "search", "pairs", "walls", "tests", "bytes",
         "LAMMPS", "ratio", "heights");
}

static void print_figure(int n, bool shaken, const figure *f) {
  const parts_figure *p = &f->parts;
  printf("%6d %-7s %10.3g %5.0f | %6.1f %6.1f %6.1f %6.1f | %6.2f %6.2f %6.2f %6zu | ", n,
         shaken ? "shaken" : "rest", f->rate, 1e9 / f->rate, p->move, p->contact, p->test,
         1e-3 * p->search * f->searches, f->pairs, f->walls, f->tests, f->bytes);
  if (f->peer.known)
    printf("%9.3g %6.1f %.3f/%.3f mm\n", f->peer.rate, f->rate / f->peer.rate, 1e3 * f->height.mean,
           1e3 * f->peer.height.mean);
  else
    printf("%9s %6s %.3f mm\n", "-", "-", 1e3 * f->height.mean);
  (void)fflush(stdout);
}

static void print_table(int count, const int *sizes, long settle_all, long steps_all) {
  print_head();
  for (int k = 0; k < count; k++)
    for (int shaken = 0; shaken < 2; shaken++) {
      bool big = sizes[k] > 100;
      long settle = settle_all ? settle_all : big ? 5000 : 25000;
      long steps = steps_all ? steps_all : big ? 2000 : 20000;
      figure f = measure(sizes[k], 3.0 * shaken, settle, steps, !steps_all, true);
      print_figure(sizes[k], shaken, &f);
    }
  printf("  move: ns per rod-step of integration; touch, test: ns per contact and per candidate "
         "tested;\n  search: ns per rod-step; pairs, walls: contacts per rod; heights of the pack, "
         "means over\n  the time measured: here/LAMMPS.\n");
}

// The same steps by one thread and by two, in wall time: the best of many short stretches in turn,
// since other work on the machine can only slow them down.
static void print_threads(int n, int rounds) {
  enum { SETTLE = 2500, STEPS = 20 };
  double amplitude = 0.0, best[2] = {HUGE_VAL, HUGE_VAL};
  carom_error error = {0};
  carom_bed *beds[2];
  carom_bed_settings sets[2];
  carom_arena *arenas[2];
  for (int k = 0; k < 2; k++) {
    arenas[k] = carom_arena_create(NULL);
    sets[k] = pack_settings(n, &amplitude);
    sets[k].threads = 1 + k;
    beds[k] = new_pack(arenas[k], &sets[k]);
    if (carom_bed_begin(beds[k], &error) || carom_bed_advance(beds[k], SETTLE, &error))
      stop(&error);
  }
  for (int round = 0; round < rounds; round++)
    for (int k = 0; k < 2; k++) {
      double begin = wall_now();
      if (carom_bed_advance(beds[k], STEPS, &error)) stop(&error);
      best[k] = fmin(best[k], wall_now() - begin);
    }
  bool same = true;
  for (int i = 0; i < n; i++)
    for (int c = 0; c < 3; c++)
      same = same && beds[0]->x[c][i] == beds[1]->x[c][i] && beds[0]->w[c][i] == beds[1]->w[c][i];
  printf("%d rods at rest, %.2f contacts each, two threads: %.2f times as fast as one, efficiency "
         "%.2f; bits %s\n",
         n, (double)beds[0]->counts.contacts / n, best[0] / best[1], 0.5 * best[0] / best[1],
         same ? "equal" : "DIFFER");
  for (int k = 0; k < 2; k++)
    carom_arena_destroy(arenas[k]);
}

// What no step can do without: to read and to write once the motion of a rod, what forces see of
// it and its way. Nanoseconds a rod, the best of some rounds, in memory as beds have it.
static double time_stream(int n) {
  enum { EACH = 12 + 12 + 1, ROUNDS = 12 };
  carom_arena *arena = carom_arena_create(NULL);
  size_t count = (size_t)n * EACH;
  double *all = arena ? carom_arena_array(arena, count, sizeof *all) : NULL, best = HUGE_VAL;
  if (!all) exit(1);
  for (int r = 0; r < ROUNDS; r++) {
    double begin = clock_now();
    for (size_t k = 0; k < count; k++)
      all[k] += 1.0;
    best = fmin(best, clock_now() - begin);
  }
  if (all[count - 1] < ROUNDS) exit(1);
  carom_arena_destroy(arena);
  return 1e9 * best / n;
}

// The same moments of every pack, shortly after it has begun to move, the best of rounds in turn;
// LAMMPS with the smaller ones. Packs are made of equal ones, so that only their size differs.
static void print_scale(double most) {
  enum { SIZES = 7, ROUNDS = 3 };
  static const int tiles[SIZES] = {1, 2, 3, 6, 10, 18, 32};
  figure best[SIZES] = {{0}};
  double stream[SIZES];
  int count = 0;
  while (count < SIZES && 1e3 * tiles[count] * tiles[count] <= 1.05 * most)
    stream[count++] = HUGE_VAL;
  for (int round = 0; round < ROUNDS; round++)
    for (int k = 0; k < count; k++) {
      int n = 1000 * tiles[k] * tiles[k];
      figure f = measure(n, 3.0, 300, 50, round == 0 && n < 10000, false);
      if (round > 0) f.peer = best[k].peer;
      if (f.rate < best[k].rate) f.rate = best[k].rate;
      best[k] = f;
      stream[k] = fmin(stream[k], time_stream(n));
    }
  printf("%8s %-7s %10s %8s %8s %8s %8s %8s %8s\n", "rods", "", "rod-st./s", "ns", "pairs", "bytes",
         "stream", "LAMMPS", "tests");
  for (int k = 0; k < count; k++) {
    const figure *f = &best[k];
    printf("%8d shaken  %10.3g %8.1f %8.3f %8zu %8.1f ", 1000 * tiles[k] * tiles[k], f->rate,
           1e9 / f->rate, f->pairs, f->bytes, stream[k]);
    if (f->peer.rate > 0.0)
      printf("%8.0f %8.3f\n", 1e9 / f->peer.rate, f->tests);
    else
      printf("%8s %8.3f\n", "-", f->tests);
  }
  printf("# stream: ns to read and write once what a step cannot do without, 200 bytes a rod, on "
         "this core;\n# LAMMPS: ns a rod-step of its clumps on the same pack\n");
}

// starts, processes, most rods, spheres a rod
static void compare_heights(int count, char **given) {
  int numbers[8] = {16, 2, 1000, CLUMP}, known = 4;
  for (int k = 0; k < count && k < 8; k++)
    numbers[k] = atoi(given[k]), known = k < 4 ? 4 : k + 1;
  print_heights(numbers[0], numbers[1], numbers[2], numbers + 3, known - 3);
}

int main(int argc, char **argv) {
  static const int sizes[] = {40, 1000};
  if (argc > 1 && strcmp(argv[1], "--scale") == 0) {
    print_scale(argc > 2 ? atof(argv[2]) : 1e5);
  } else if (argc > 1 && strcmp(argv[1], "--heights") == 0) {
    compare_heights(argc - 2, argv + 2);
  } else if (argc > 1 && strcmp(argv[1], "--threads") == 0) {
    print_threads(argc > 2 ? atoi(argv[2]) : 8000, 100);
  } else if (argc == 3) {
    int n = atoi(argv[1]);
    print_table(1, &n, 2000, atol(argv[2]));
  } else {
    print_table(2, sizes, 0, 0);
    print_floor();
    print_threads(8000, 50);
  }
  return 0;
}
