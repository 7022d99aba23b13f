// SPDX-License-Identifier: MIT
/// The pack of rods that the peers were measured with: crossed layers of spherocylinders (diameter
/// 2 mm, total length 19 mm, density 2700) in a square box, Hertz contacts with history, friction
/// 0.5, a floor at rest or shaken.
#ifndef CAROM_BENCH_RODS_PACK_H
#define CAROM_BENCH_RODS_PACK_H

#include "base/elementary.h"
#include "base/random.h"
#include "grains/bed.h"

#include <math.h>

static const double PACK_D = 2e-3, PACK_L = 19e-3, PACK_STEP = 4e-6, PACK_PERIOD = 0.02;

// A large pack is the one of 1000 rods side by side with itself, so that a rod has as many
// neighbours in any: k^2 times 1000 rods fill k times k floors of 4 rod lengths.
static inline int pack_tiles(int n) { return n > 1000 ? (int)lround(sqrt(n / 1000.0)) : 1; }
static inline double pack_tile(int n) { return (n <= 100 ? 1.5 : 4.0) * PACK_L; }
static inline double pack_side(int n) { return pack_tiles(n) * pack_tile(n); }

// the floor begins at rest at its lowest place, as LAMMPS' wiggling walls do
static inline void pack_drive(void *ctx, double t, double *z, double *rate) {
  const double *amplitude = ctx;
  double w = 6.283185307179586 / PACK_PERIOD, s = 0.0, c = 0.0;
  carom_sincos(w * t, &s, &c);
  *z = *amplitude * (1.0 - c);
  *rate = *amplitude * w * s;
}

// kn d^(3/2) sqrt(R) as in LAMMPS' gran/hertz/history: the law's stiffness holds the root of R
static inline carom_grain_law pack_law(double effective_radius) {
  double root = sqrt(effective_radius);
  return (carom_grain_law){.hertz = true,
                           .kn = 7.3e7 * root,
                           .kt = 9.06e7 * root,
                           .gn = 4e7 * root,
                           .gt = 2e7 * root,
                           .stick = 0.5,
                           .slip = 0.5};
}

static inline carom_bed_settings pack_settings(int n, double *amplitude) {
  carom_bed_settings set = carom_bed_settings_default();
  double half = 0.5 * pack_side(n);
  set.species_count = 1;
  set.species[0] = carom_bed_species_uniform(n, PACK_D, PACK_L, 2700.0);
  set.law = pack_law(0.25 * PACK_D);
  set.step = PACK_STEP;
  set.drive = pack_drive;
  set.drive_ctx = amplitude;
  static const struct {
    const char *name;
    double normal[3];
  } walls[] = {{"floor", {0, 0, 1}},
               {"left", {1, 0, 0}},
               {"right", {-1, 0, 0}},
               {"front", {0, 1, 0}},
               {"back", {0, -1, 0}}};
  set.wall_count = 5;
  for (int k = 0; k < 5; k++) {
    set.walls[k] = (carom_bed_wall){.name = walls[k].name, .law = pack_law(0.5 * PACK_D)};
    for (int c = 0; c < 3; c++)
      set.walls[k].normal[c] = walls[k].normal[c];
    set.walls[k].at = k == 0 ? 0.0 : -half;
    set.walls[k].driven = k == 0;
  }
  return set;
}

// crossed layers, slightly shifted along the rods; small random velocities
static inline void pack_place(carom_bed *bed, uint64_t seed) {
  int n = bed->n, placed = 0;
  double side = pack_side(n), pitch = 1.04 * PACK_D;
  int tiles = pack_tiles(n), across = tiles * (int)(pack_tile(n) / pitch);
  int along = tiles * (int)(pack_tile(n) / (1.02 * PACK_L));
  for (int layer = 0; placed < n; layer++)
    for (int i = 0; i < across; i++)
      for (int j = 0; j < along && placed < n; j++, placed++) {
        uint64_t k = (uint64_t)placed;
        double a = -side / 2 + (i + 0.5) * side / across, b = -side / 2 + (j + 0.5) * side / along;
        b += (2.0 * carom_random_uniform(seed, 0, k) - 1.0) * 0.01 * PACK_L;
        int c = layer % 2;
        bed->x[c][placed] = b;
        bed->x[1 - c][placed] = a;
        bed->x[2][placed] = PACK_D / 2 + 1e-5 + layer * pitch;
        bed->u[2][placed] = 0.0;
        bed->u[c][placed] = 1.0;
        for (int d = 0; d < 3; d++)
          bed->v[d][placed] = 0.03 * carom_random_normal(seed, 1 + (uint64_t)d, k);
      }
}

static inline double pack_height(const carom_bed *bed) {
  double sum = 0.0;
  for (int i = 0; i < bed->n; i++)
    sum += bed->x[2][i];
  return sum / bed->n;
}

#endif
