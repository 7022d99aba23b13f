// SPDX-License-Identifier: MIT
/// Mean heights of packs beside LAMMPS, decided: many short runs from independent starts, the same
/// ones for both programs, so that the scatter of the runs says how far the means can be trusted.
/// Runs are shared out to processes.
#ifndef CAROM_BENCH_RODS_HEIGHTS_H
#define CAROM_BENCH_RODS_HEIGHTS_H

#include "lammps_rods.h"

#include <sys/mman.h>
#include <sys/wait.h>

/// A case: how many rods, how hard the floor shakes, steps before and while heights are taken, and
/// starts for each that are asked for.
typedef struct heights_case {
  int n;
  double gamma;
  long settle, steps;
  int starts;
} heights_case;

static const heights_case HEIGHTS_CASES[] = {
    {1000, 3.0, 25000, 40000, 1},
    {1000, 0.0, 25000, 1000, 1},
    {40, 3.0, 25000, 125000, 4},
    {40, 0.0, 25000, 1000, 8},
};
enum { HEIGHTS_COUNT = 4, HEIGHTS_MOST = 4096 };

static inline double amplitude_of(double gamma) {
  double w = 6.283185307179586 / PACK_PERIOD;
  return gamma * 9.81 / (w * w);
}

// the mean height of one run, by LAMMPS where `clump` spheres a rod are given; 0: it failed
static inline double heights_run(const heights_case *it, uint64_t seed, int clump) {
  double amplitude = amplitude_of(it->gamma), mean = 0.0;
  carom_error error = {0};
  carom_arena *arena = carom_arena_create(NULL);
  carom_bed_settings set = pack_settings(it->n, &amplitude);
  carom_bed *bed = arena ? carom_bed_create(arena, &set) : NULL;
  if (bed) pack_place(bed, seed);
  if (bed && clump > 0) {
    lammps_run run = {amplitude, it->settle, it->steps, clump};
    mean = lammps_measure(bed, &run).height.mean;
  } else if (bed && !carom_bed_begin(bed, &error) && !carom_bed_advance(bed, it->settle, &error)) {
    long looks = it->steps / HEIGHT_EVERY, done = 0;
    for (; done < looks && !carom_bed_advance(bed, HEIGHT_EVERY, &error); done++)
      mean += pack_height(bed) / (double)looks;
    if (done < looks) mean = 0.0;
  }
  carom_arena_destroy(arena);
  return mean;
}

/// Runs still to do, the long ones first: means[k] gets what run k finds.
typedef struct heights_plan {
  int count;
  struct {
    int which, clump;
    uint64_t seed;
  } runs[HEIGHTS_MOST];
  double *means; // shared by all processes
} heights_plan;

static inline void heights_do(const heights_plan *plan, int processes) {
  int busy = 0;
  for (int k = 0; k < plan->count || busy > 0;) {
    if (k < plan->count && busy < processes) {
      pid_t child = fork();
      if (child == 0) {
        plan->means[k] = heights_run(&HEIGHTS_CASES[plan->runs[k].which], plan->runs[k].seed,
                                     plan->runs[k].clump);
        _exit(0);
      }
      if (child > 0) k++, busy++;
      if (child > 0 || busy > 0) continue;
      return;
    }
    if (wait(NULL) < 0) return;
    busy--;
  }
}

// mean over the runs of a case by one program, with its standard error
static inline height_figure heights_mean(const heights_plan *plan, int which, int clump,
                                         int *count) {
  double sum = 0.0, square = 0.0;
  *count = 0;
  for (int k = 0; k < plan->count; k++) {
    double mean = plan->means[k];
    if (plan->runs[k].which != which || plan->runs[k].clump != clump || !(mean > 0.0)) continue;
    sum += mean, square += mean * mean, ++*count;
  }
  double n = *count, middle = sum / n;
  return (height_figure){middle, sqrt(fmax(0.0, square / n - middle * middle) / (n - 1.0))};
}

static inline void heights_print(const heights_plan *plan, const int *clumps, int clump_count) {
  printf("%6s %-7s %7s %6s %20s %20s %18s\n", "rods", "", "spheres", "starts", "here, mm",
         "LAMMPS, mm", "difference");
  for (int which = HEIGHTS_COUNT - 1; which >= 0; which--)
    for (int c = 0; c < clump_count; c++) {
      int here = 0, there = 0;
      height_figure a = heights_mean(plan, which, 0, &here);
      height_figure b = heights_mean(plan, which, clumps[c], &there);
      if (here < 2 || there < 2) continue;
      printf("%6d %-7s %7d %6d %10.4f +- %.4f %10.4f +- %.4f %+8.2f +- %.2f %%\n",
             HEIGHTS_CASES[which].n, HEIGHTS_CASES[which].gamma > 0.0 ? "shaken" : "rest",
             clumps[c], there, 1e3 * a.mean, 1e3 * a.error, 1e3 * b.mean, 1e3 * b.error,
             100.0 * (a.mean / b.mean - 1.0), 100.0 * hypot(a.error, b.error) / b.mean);
    }
}

/// `starts` runs of the largest pack and more of the smaller, LAMMPS with each number of spheres a
/// rod; cases above `most` rods are left out.
static inline void print_heights(int starts, int processes, int most, const int *clumps,
                                 int clump_count) {
  static heights_plan plan;
  plan.means = mmap(NULL, HEIGHTS_MOST * sizeof *plan.means, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (plan.means == MAP_FAILED) return;
  for (int which = 0; which < HEIGHTS_COUNT; which++)
    for (int c = -1; c < clump_count && HEIGHTS_CASES[which].n <= most; c++)
      for (int s = 0; s < starts * HEIGHTS_CASES[which].starts && plan.count < HEIGHTS_MOST; s++) {
        plan.runs[plan.count].which = which;
        plan.runs[plan.count].clump = c < 0 ? 0 : clumps[c];
        plan.runs[plan.count++].seed = 1 + (uint64_t)s;
      }
  heights_do(&plan, processes);
  heights_print(&plan, clumps, clump_count);
  (void)munmap(plan.means, HEIGHTS_MOST * sizeof *plan.means);
}

#endif
