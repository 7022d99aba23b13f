// SPDX-License-Identifier: MIT
/// The pack of rods_pack.h in LAMMPS: every rod a rigid clump of spheres, the same places,
/// velocities, contact law and step, measured in CPU time as LAMMPS itself reports it (time of the
/// loop times use of the CPU).
#ifndef CAROM_BENCH_LAMMPS_RODS_H
#define CAROM_BENCH_LAMMPS_RODS_H

#include "rods_height.h"
#include "rods_pack.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CLUMP = 18, LAMMPS_STRETCHES = 5 };

/// One run: the floor's amplitude, steps before and while it is looked at, spheres a rod.
typedef struct lammps_run {
  double amplitude;
  long settle, steps;
  int clump;
} lammps_run;

typedef struct lammps_figure {
  bool known;
  double rate;          // rod-steps per CPU second
  height_figure height; // of spheres
} lammps_figure;

static inline void lammps_data(FILE *out, const carom_bed *bed, int clump) {
  double s = pack_side(bed->n), half = 0.5 * (PACK_L - PACK_D);
  double sphere = PACK_D * PACK_D * PACK_D * 0.5235987755982988;
  double density = bed->settings->species[0].mass / clump / sphere;
  fprintf(out, "rods as clumps\n\n%d atoms\n1 atom types\n\n%g %g xlo xhi\n%g %g ylo yhi\n",
          clump * bed->n, -s / 2 - 1e-3, s / 2 + 1e-3, -s / 2 - 1e-3, s / 2 + 1e-3);
  fprintf(out, "-0.002 0.2 zlo zhi\n\nAtoms # hybrid\n\n");
  for (int i = 0, id = 1; i < bed->n; i++)
    for (int k = 0; k < clump; k++, id++) {
      double along = half * (2.0 * k / (clump - 1) - 1.0);
      fprintf(out, "%d 1 %.12g %.12g %.12g %g %g %d\n", id, bed->x[0][i] + along * bed->u[0][i],
              bed->x[1][i] + along * bed->u[1][i], bed->x[2][i] + along * bed->u[2][i], PACK_D,
              density, i + 1);
    }
  fprintf(out, "\nVelocities # hybrid\n\n");
  for (int i = 0, id = 1; i < bed->n; i++)
    for (int k = 0; k < clump; k++, id++)
      fprintf(out, "%d %.12g %.12g %.12g 0 0 0\n", id, bed->v[0][i], bed->v[1][i], bed->v[2][i]);
}

static inline void lammps_input(FILE *out, int n, const lammps_run *run) {
  const char *law = "7.3e7 9.06e7 4e7 NULL 0.5 1";
  double half = 0.5 * pack_side(n);
  fprintf(out, "units si\natom_style hybrid sphere molecular\natom_modify map array\n"
               "boundary f f f\nnewton off\ncomm_modify vel yes cutoff 0.02\n"
               "neighbor 0.0004 bin\nneigh_modify delay 0 every 1 check yes\nread_data data\n"
               "neigh_modify exclude molecule/intra all\n");
  fprintf(out, "pair_style gran/hertz/history %s\npair_coeff * *\ntimestep %g\n", law, PACK_STEP);
  fprintf(out, "fix g all gravity 9.81 vector 0 0 -1\nfix r all rigid/small molecule\n");
  fprintf(out, "fix zw all wall/gran hertz/history %s zplane 0.0 NULL wiggle z %.12g %g\n", law,
          run->amplitude, PACK_PERIOD);
  fprintf(out, "fix xw all wall/gran hertz/history %s xplane %g %g\n", law, -half, half);
  fprintf(out, "fix yw all wall/gran hertz/history %s yplane %g %g\n", law, -half, half);
  fprintf(out,
          "compute z all reduce ave z\n"
          "thermo_style custom step c_z\nthermo_modify format float %%.9g\nthermo %ld\n"
          "run %ld\nthermo %d\n",
          run->settle, run->settle, HEIGHT_EVERY);
  for (int k = 0; k < LAMMPS_STRETCHES; k++)
    fprintf(out, "run %ld\n", run->steps / LAMMPS_STRETCHES);
}

static inline bool lammps_write(const char *folder, const carom_bed *bed, const lammps_run *run) {
  char path[512];
  (void)snprintf(path, sizeof path, "%s/data", folder);
  FILE *data = fopen(path, "w");
  if (!data) return false;
  lammps_data(data, bed, run->clump);
  (void)snprintf(path, sizeof path, "%s/in", folder);
  FILE *input = fopen(path, "w");
  if (input) lammps_input(input, bed->n, run);
  bool good = input && fclose(input) == 0;
  return fclose(data) == 0 && good;
}

// the best stretch after settling, and the heights in what LAMMPS prints
static inline lammps_figure lammps_read(FILE *from, int n, const lammps_run *run) {
  lammps_figure out = {0};
  char line[1024];
  double loop = 0.0, use = 0.0, height = 0.0;
  int runs = 0;
  long step = 0, last = run->settle, part = run->steps / LAMMPS_STRETCHES;
  height_series series = height_start(run->steps);
  while (fgets(line, sizeof line, from)) {
    if (strstr(line, "Loop time of")) (void)sscanf(line, "Loop time of %lf", &loop);
    if (strstr(line, "% CPU use") && sscanf(line, "%lf", &use) == 1 && runs++ > 0)
      out.rate = fmax(out.rate, (double)n * (double)part / (loop * 0.01 * use));
    // every run begins with the line that ended the one before
    if (sscanf(line, "%ld %lf", &step, &height) == 2 && step > last) {
      last = step;
      height_add(&series, height);
    }
  }
  out.height = height_end(&series);
  out.known = out.rate > 0.0 && out.height.mean > 0.0;
  return out;
}

// runs LAMMPS where it is installed; rods as they are placed in `bed` before it begins
static inline lammps_figure lammps_measure(const carom_bed *bed, const lammps_run *run) {
  char folder[] = "/tmp/carom_lammps_XXXXXX", command[512];
  lammps_figure out = {0};
  if (system("command -v lmp >/dev/null 2>&1") != 0 || !mkdtemp(folder)) return out;
  if (lammps_write(folder, bed, run)) {
    (void)snprintf(command, sizeof command,
                   "cd %s && OMP_NUM_THREADS=1 lmp -in in -log none 2>/dev/null", folder);
    FILE *from = popen(command, "r");
    if (from) {
      out = lammps_read(from, bed->n, run);
      (void)pclose(from);
    }
  }
  (void)snprintf(command, sizeof command, "rm -r %s", folder);
  if (system(command) != 0) fprintf(stderr, "bench_rods: %s is left\n", folder);
  return out;
}

#endif
