// SPDX-License-Identifier: MIT
/// The engine `grains`: a bed of rods made from a scenario, looked at as it moves.
#ifndef CAROM_GRAINS_GRAINS_H
#define CAROM_GRAINS_GRAINS_H

#include "engine/engine.h"
#include "engine/look_tally.h"
#include "engine/settings.h"
#include "grains/bed.h"
#include "symbolic/program.h"

/// A scenario prepared for running; constant.
typedef struct carom_grains_model {
  const carom_scenario *scenario;
  const carom_grains_description *grains;
  carom_program *drive; // displacement and velocity over time and parameters; NULL: at rest
  int column_count;
  const char **columns; // what is seen, then kinetic and potential
} carom_grains_model;

/// What changes beside the bed.
typedef struct carom_grains_now {
  long next_sample;
  bool measuring;
  double kinetic_start, potential_start;
} carom_grains_now;

/// Numbers of the run.
typedef struct carom_grains_numbers {
  double start, until, sample, window_start, window_end, seed, spread, gap, tilt, size[2];
  double velocity[3], turn[3]; // that all rods start with
  double speed;                // at which restitution is asked for and told
  double look_apart; // steps between two looks at the bed, which happen at the nearest whole ones
} carom_grains_numbers;

typedef struct carom_grains {
  const carom_grains_model *model;
  carom_simulation *simulation;
  carom_arena *arena; // of the bed: a new one for every start
  carom_bed *bed;
  carom_bed_settings bed_settings;
  carom_grain_law *pair_laws, *wall_laws; // by kinds, where the scenario tells them apart
  carom_settings settings;
  double *drive_registers, *columns;
  carom_look_tally *tallies;
  carom_grains_now now;
  carom_grains_numbers numbers;
} carom_grains;

carom_status carom_grains_prepare(carom_model *model, carom_error *error);
/// Evaluates every number of the description into settings and run numbers.
carom_status carom_grains_configure(carom_grains *it, carom_error *error);
/// Places the rods as `start` says.
carom_status carom_grains_place(carom_grains *it, carom_error *error);
/// Where in the user's text a rod comes from: its line of the table, or the start.
carom_place carom_grains_rod_place(const carom_grains *it, int id);
/// Fills the columns from the bed.
void carom_grains_look(carom_grains *it);
void carom_grains_tally_look(carom_grains *it);
carom_status carom_grains_observable(carom_grains *it, int k, double *value, carom_error *error);
carom_status carom_grains_regime(carom_simulation *simulation, const char **name,
                                 carom_error *error);
carom_status carom_grains_certificate(carom_simulation *simulation, carom_certificate *certificate,
                                      carom_error *error);

/// The whole state of a bed in `buffer`, or with NULL its size in bytes.
size_t carom_bed_save(const carom_bed *bed, char *buffer);
/// The state of `size` bytes saved from a bed of the same settings; false: it is not one, or out of
/// memory, and what is in the bed is of no use.
bool carom_bed_restore(carom_bed *bed, const char *buffer, size_t size);

#endif
