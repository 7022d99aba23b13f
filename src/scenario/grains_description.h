// SPDX-License-Identifier: MIT
/// What a scenario of the engine `grains` describes: rods, walls, contacts, a start. All numbers
/// are expressions of parameters (nodes; 0: not given) unless said otherwise; words are NULL when
/// not given.
#ifndef CAROM_SCENARIO_GRAINS_DESCRIPTION_H
#define CAROM_SCENARIO_GRAINS_DESCRIPTION_H

#include "base/error.h"
#include "symbolic/graph.h"

#include <stdbool.h>

enum { CAROM_GRAINS_MAX_SPECIES = 16, CAROM_GRAINS_MAX_WALLS = 16, CAROM_GRAINS_MAX_PAIRS = 64 };

/// Where a number is written, by the field below that holds it.
typedef struct carom_grains_written {
  const carom_node *field;
  carom_place place;
  const struct carom_grains_written *next;
} carom_grains_written;

typedef struct carom_grains_species {
  const char *name;
  carom_node count, diameter, length, density, mass, inertia, spin_inertia;
  int in_table; // how many of them start.table has
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

/// Contacts that differ: of two kinds of rods, or of a kind and a wall (b = -1 - wall).
typedef struct carom_grains_pair {
  int a, b;
  carom_grains_contact contact;
} carom_grains_pair;

/// A rod of start.table: centre, axis, velocity, angular velocity.
enum { CAROM_GRAINS_ROD_NUMBERS = 12 };
typedef struct carom_grains_rod {
  double numbers[CAROM_GRAINS_ROD_NUMBERS];
  int kind, line;
} carom_grains_rod;

typedef struct carom_grains_start {
  const char *as; // "row", "ring", "layers", "poured", "table"
  carom_node tilt, gap, spread, seed, size[2], velocity[3], turn[3];
  const char *table; // the path of the file, or NULL
  const carom_grains_rod *rods;
  int rod_count, names_line;
  bool axes; // it has columns for them
  carom_place place;
} carom_grains_start;

/// What can be seen of a bed, by name; each is a state of the scenario. Distributions are parts of
/// one: of strikes over the phase of the drive (phase_1 is the first twelfth of the period), of
/// flights over their length (flights_1: up to half a period; the last one also longer ones), of
/// rods over the tilt (tilt_1: up to 10 degrees). ring_k is the mean tilt in the k-th twelfth of
/// the way round.
enum { CAROM_SEEN_PHASES = 12, CAROM_SEEN_FLIGHTS = 8, CAROM_SEEN_TILTS = 9, CAROM_SEEN_RING = 12 };
#define CAROM_GRAINS_SEEN_MEANS(X)                                                                 \
  X(X, "x")                                                                                        \
  X(Y, "y")                                                                                        \
  X(Z, "z")                                                                                        \
  X(VX, "vx")                                                                                      \
  X(VY, "vy")                                                                                      \
  X(VZ, "vz")                                                                                      \
  X(SWIRL, "swirl")                                                                                \
  X(TILT, "mean_tilt")                                                                             \
  X(LEAN, "mean_lean")
#define CAROM_GRAINS_SEEN_LIST(X)                                                                  \
  CAROM_GRAINS_SEEN_MEANS(X)                                                                       \
  X(ROTATION, "rotation_energy")                                                                   \
  X(SPIN, "spin_energy")                                                                           \
  X(KINETIC_X, "kinetic_x")                                                                        \
  X(KINETIC_Y, "kinetic_y")                                                                        \
  X(KINETIC_Z, "kinetic_z")                                                                        \
  X(SPRINGS, "spring_energy")                                                                      \
  X(SHEAR, "shear_energy")                                                                         \
  X(PAIRS, "rod_contacts")                                                                         \
  X(WALLS, "wall_contacts")                                                                        \
  X(PLATE, "plate")                                                                                \
  X(TIP_X, "tip_x")                                                                                \
  X(TIP_Z, "tip_z")                                                                                \
  X(STRIKES, "strikes")                                                                            \
  X(STRIKE_PLATE, "strike_plate")                                                                  \
  X(BEFORE_VX, "strike_vx_before")                                                                 \
  X(BEFORE_VZ, "strike_vz_before")                                                                 \
  X(BEFORE_TURN, "strike_turn_before")                                                             \
  X(AFTER_VX, "strike_vx_after")                                                                   \
  X(AFTER_VZ, "strike_vz_after")                                                                   \
  X(AFTER_TURN, "strike_turn_after")                                                               \
  X(FLIGHT, "strike_flight")                                                                       \
  X(PHASE_1, "phase_1")                                                                            \
  X(PHASE_2, "phase_2")                                                                            \
  X(PHASE_3, "phase_3")                                                                            \
  X(PHASE_4, "phase_4")                                                                            \
  X(PHASE_5, "phase_5")                                                                            \
  X(PHASE_6, "phase_6")                                                                            \
  X(PHASE_7, "phase_7")                                                                            \
  X(PHASE_8, "phase_8")                                                                            \
  X(PHASE_9, "phase_9")                                                                            \
  X(PHASE_10, "phase_10")                                                                          \
  X(PHASE_11, "phase_11")                                                                          \
  X(PHASE_12, "phase_12")                                                                          \
  X(FLIGHTS_1, "flights_1")                                                                        \
  X(FLIGHTS_2, "flights_2")                                                                        \
  X(FLIGHTS_3, "flights_3")                                                                        \
  X(FLIGHTS_4, "flights_4")                                                                        \
  X(FLIGHTS_5, "flights_5")                                                                        \
  X(FLIGHTS_6, "flights_6")                                                                        \
  X(FLIGHTS_7, "flights_7")                                                                        \
  X(FLIGHTS_8, "flights_8")                                                                        \
  X(TILT_1, "tilt_1")                                                                              \
  X(TILT_2, "tilt_2")                                                                              \
  X(TILT_3, "tilt_3")                                                                              \
  X(TILT_4, "tilt_4")                                                                              \
  X(TILT_5, "tilt_5")                                                                              \
  X(TILT_6, "tilt_6")                                                                              \
  X(TILT_7, "tilt_7")                                                                              \
  X(TILT_8, "tilt_8")                                                                              \
  X(TILT_9, "tilt_9")                                                                              \
  X(RING_1, "ring_1")                                                                              \
  X(RING_2, "ring_2")                                                                              \
  X(RING_3, "ring_3")                                                                              \
  X(RING_4, "ring_4")                                                                              \
  X(RING_5, "ring_5")                                                                              \
  X(RING_6, "ring_6")                                                                              \
  X(RING_7, "ring_7")                                                                              \
  X(RING_8, "ring_8")                                                                              \
  X(RING_9, "ring_9")                                                                              \
  X(RING_10, "ring_10")                                                                            \
  X(RING_11, "ring_11")                                                                            \
  X(RING_12, "ring_12")

typedef enum carom_grains_seen {
#define X(id, name) CAROM_SEEN_##id,
  CAROM_GRAINS_SEEN_LIST(X)
#undef X
      CAROM_SEEN_COUNT
} carom_grains_seen;

/// Of each kind in a list of several, after all those above: z_balls and so on. Means come in the
/// order of those over all rods; energies are sums.
#define CAROM_GRAINS_SEEN_OF_KIND_LIST(X)                                                          \
  CAROM_GRAINS_SEEN_MEANS(X)                                                                       \
  X(KINETIC, "kinetic")                                                                            \
  X(ROTATION, "rotation_energy")

typedef enum carom_grains_seen_of_kind {
#define X(id, name) CAROM_SEEN_OF_KIND_##id,
  CAROM_GRAINS_SEEN_OF_KIND_LIST(X)
#undef X
      CAROM_SEEN_OF_KIND_COUNT
} carom_grains_seen_of_kind;

typedef struct carom_grains_description {
  int species_count, wall_count;
  carom_grains_species species[CAROM_GRAINS_MAX_SPECIES];
  carom_grains_wall walls[CAROM_GRAINS_MAX_WALLS];
  carom_grains_contact contact;
  int pair_count;
  carom_grains_pair pairs[CAROM_GRAINS_MAX_PAIRS];
  carom_grains_start start;
  carom_node gravity[3], periodic[3];
  carom_node drive, drive_rate, period; // drive: of parameters and time
  carom_node step, skin, threads;
  const char *integrator, *freedoms;
  carom_place place, run_place;
  const carom_grains_written *written;
} carom_grains_description;

#endif
