// SPDX-License-Identifier: MIT
/// What a scenario of the engine `grains` describes: rods, walls, contacts, a start. All numbers
/// are expressions of parameters (nodes; 0: not given) unless said otherwise; words are NULL when
/// not given.
#ifndef CAROM_SCENARIO_GRAINS_DESCRIPTION_H
#define CAROM_SCENARIO_GRAINS_DESCRIPTION_H

#include "base/error.h"
#include "symbolic/graph.h"

#include <stdbool.h>

enum { CAROM_GRAINS_MAX_SPECIES = 16, CAROM_GRAINS_MAX_WALLS = 16 };

typedef struct carom_grains_species {
  carom_node count, diameter, length, density, mass, inertia, spin_inertia;
  carom_place place;
} carom_grains_species;

/// A contact; what a wall does not say is as between rods.
typedef struct carom_grains_contact {
  carom_node stiffness, tangential_stiffness, damping, tangential_damping, restitution, speed;
  carom_node stick, slip;
  const char *law, *form, *at, *spring, *pull;
  carom_place place;
} carom_grains_contact;

typedef struct carom_grains_wall {
  const char *name, *side;
  carom_node normal[3], at, cylinder, centre[2];
  bool driven;
  carom_grains_contact contact;
  carom_place place;
} carom_grains_wall;

typedef struct carom_grains_start {
  const char *as; // "row", "ring", "layers", "poured"
  carom_node tilt, gap, spread, seed, size[2];
  carom_place place;
} carom_grains_start;

/// What can be seen of a bed, by name; each is a state of the scenario.
#define CAROM_GRAINS_SEEN_LIST(X)                                                                  \
  X(X, "x")                                                                                        \
  X(Y, "y")                                                                                        \
  X(Z, "z")                                                                                        \
  X(VX, "vx")                                                                                      \
  X(VY, "vy")                                                                                      \
  X(VZ, "vz")                                                                                      \
  X(SWIRL, "swirl")                                                                                \
  X(TILT, "mean_tilt")                                                                             \
  X(LEAN, "mean_lean")                                                                             \
  X(ROTATION, "rotation_energy")                                                                   \
  X(PAIRS, "rod_contacts")                                                                         \
  X(WALLS, "wall_contacts")                                                                        \
  X(PLATE, "plate")                                                                                \
  X(STRIKES, "strikes")                                                                            \
  X(STRIKE_PLATE, "strike_plate")                                                                  \
  X(BEFORE_VX, "strike_vx_before")                                                                 \
  X(BEFORE_VZ, "strike_vz_before")                                                                 \
  X(BEFORE_TURN, "strike_turn_before")                                                             \
  X(AFTER_VX, "strike_vx_after")                                                                   \
  X(AFTER_VZ, "strike_vz_after")                                                                   \
  X(AFTER_TURN, "strike_turn_after")                                                               \
  X(FLIGHT, "strike_flight")

typedef enum carom_grains_seen {
#define X(id, name) CAROM_SEEN_##id,
  CAROM_GRAINS_SEEN_LIST(X)
#undef X
      CAROM_SEEN_COUNT
} carom_grains_seen;

typedef struct carom_grains_description {
  int species_count, wall_count;
  carom_grains_species species[CAROM_GRAINS_MAX_SPECIES];
  carom_grains_wall walls[CAROM_GRAINS_MAX_WALLS];
  carom_grains_contact contact;
  carom_grains_start start;
  carom_node gravity[3], periodic[3];
  carom_node drive, drive_rate, period; // drive: of parameters and time
  carom_node step, skin, threads;
  const char *integrator, *freedoms;
  carom_place place, run_place;
} carom_grains_description;

#endif
