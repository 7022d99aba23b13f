// SPDX-License-Identifier: MIT
/// Beds for tests, and the two readings of the paper's units (lengths in d, masses in one end
/// sphere, g = 1).
#ifndef CAROM_TESTS_GRAINS_BED_SETUP_H
#define CAROM_TESTS_GRAINS_BED_SETUP_H

#include "base/random.h"
#include "check.h"
#include "grains/bed.h"
#include "study/rod_theory.h"

static inline double uniform(uint64_t seed, uint64_t k, double lo, double hi) {
  return lo + (hi - lo) * carom_random_uniform(seed, 77, k);
}

/// Reading 0: true mass, forces at the centres of spheres. Reading 1: unit mass, forces at the
/// contact point, damping five times as large.
static inline carom_bed_settings paper_settings(int reading, int count, double length, double mu) {
  carom_bed_settings set = carom_bed_settings_default();
  double h0 = length - 1.0, mass = reading == 0 ? carom_rod_mass(h0) : 1.0;
  double across = reading == 0 ? carom_rod_inertia(h0) : carom_rod_inertia(h0) / carom_rod_mass(h0);
  set.species_count = 1;
  set.species[0] = (carom_bed_species){count, 1.0, length, mass, across, 0.125 * mass};
  set.law = (carom_grain_law){.hertz = true,
                              .kn = 5e6,
                              .kt = 95 * 5e6,
                              .gn = reading == 0 ? 400 : 2000,
                              .gt = reading == 0 ? 400 : 2000,
                              .stick = mu,
                              .slip = mu,
                              .centres = reading == 0};
  set.gravity[2] = -1.0;
  set.no_spin = true;
  set.leapfrog = true;
  set.step = 2e-5;
  set.wall_count = 1;
  set.walls[0] = (carom_bed_wall){.name = "plate", .normal = {0, 0, 1}, .law = set.law};
  return set;
}

static inline carom_bed *new_bed(carom_arena **arena, const carom_bed_settings *set) {
  *arena = carom_arena_create(NULL);
  assert_non_null(*arena);
  carom_bed *bed = carom_bed_create(*arena, set);
  assert_non_null(bed);
  return bed;
}

static inline void begin(carom_bed *bed) {
  carom_error error = {0};
  if (carom_bed_begin(bed, &error)) print_error("%s\n", error.text);
  assert_int_equal(error.status, CAROM_OK);
}

static inline void advance(carom_bed *bed, long steps) {
  carom_error error = {0};
  if (carom_bed_advance(bed, steps, &error)) print_error("%s\n", error.text);
  assert_int_equal(error.status, CAROM_OK);
}

static inline double total_energy(const carom_bed *bed) {
  carom_bed_energy e = carom_bed_energies(bed);
  return e.translation + e.rotation + e.gravity + e.normal + e.tangent;
}

/// One rod strikes a plate at rest without gravity: place by tilt, give c_x, c_z, omega, run until
/// it has left. Returns the energy gained.
static inline double strike(carom_bed_settings *set, double phi, double cx, double cz, double omega,
                            carom_rod_motion *after) {
  carom_arena *arena;
  set->gravity[2] = 0.0;
  carom_bed *bed = new_bed(&arena, set);
  double half = carom_bed_kind_of(bed, 0)->half, radius = carom_bed_kind_of(bed, 0)->radius;
  bed->u[0][0] = sin(phi), bed->u[2][0] = cos(phi);
  bed->x[2][0] = half * cos(phi) + radius * (1 + 1e-6);
  bed->v[0][0] = cx, bed->v[2][0] = cz;
  bed->w[1][0] = omega;
  begin(bed);
  double before = total_energy(bed);
  bool touched = false;
  for (int k = 0; k < 200000; k++) {
    advance(bed, 1);
    bool touches = carom_bed_count_walls(bed) > 0;
    touched |= touches;
    if (touched && !touches) break;
  }
  assert_true(touched);
  *after = (carom_rod_motion){bed->v[0][0], bed->v[2][0], bed->w[1][0]};
  double gain = total_energy(bed) - before;
  carom_arena_destroy(arena);
  return gain;
}

#endif
