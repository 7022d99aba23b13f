// SPDX-License-Identifier: MIT
/// The engine `stepping`: bodies of a scenario moved by steps, and looked at as they move.
#ifndef CAROM_STEPPING_STEPPING_H
#define CAROM_STEPPING_STEPPING_H

#include "engine/engine.h"
#include "engine/look_tally.h"
#include "engine/settings.h"
#include "stepping/world.h"
#include "symbolic/program.h"

/// A scenario prepared for running; constant.
typedef struct carom_stepping_model {
  const carom_scenario *scenario;
  const carom_stepping_description *bodies;
  carom_program *placed; // over t and parameters: 18 numbers of each body that forces do not move
  carom_program *pushed; // over t, q, q', z and parameters: forces on bodies; NULL: there are none
  carom_program *seen;   // over t, q, q', z and parameters: definitions, then what reducers take
  int state_size, column_count, driven; // driven: some of the placed ones depend on time
  int *placed_at, *pushed_at;           // of each body: its first output, or -1
  bool by_velocity;                     // forces depend on velocities
  int *symbols;                         // of t, q, q', z, parameters: their indices in the graph
  const char **columns;
} carom_stepping_model;

typedef struct carom_stepping_numbers {
  double start, until, sample, window_start, window_end;
} carom_stepping_numbers;

/// What changes beside the world.
typedef struct carom_stepping_now {
  long next_sample;
  double kinetic_start, potential_start;
} carom_stepping_now;

typedef struct carom_stepping {
  const carom_stepping_model *model;
  carom_simulation *simulation;
  carom_arena *arena; // of the world: a new one for every start
  carom_world *world;
  carom_settings settings;
  double *placed_registers, *pushed_registers, *seen_registers, *columns;
  double *packed; // the world as it is saved
  carom_look_tally *tallies;
  carom_stepping_numbers numbers;
  carom_stepping_now now;
} carom_stepping;

// stepping_model.c
carom_status carom_stepping_prepare(carom_model *model, carom_error *error);

// stepping_start.c
/// A new world at the start.
carom_status carom_stepping_start(carom_stepping *it, carom_error *error);

// stepping_push.c
/// Forces on all bodies, for carom_world_outside.
void carom_stepping_push(void *ctx, double (*forces)[6]);

// stepping_look.c
/// Fills the columns and the values of symbols from the world.
void carom_stepping_look(carom_stepping *it);
void carom_stepping_reduce(carom_stepping *it);
carom_status carom_stepping_observable(carom_stepping *it, int k, double *value,
                                       carom_error *error);
carom_status carom_stepping_regime(carom_simulation *simulation, const char **name,
                                   carom_error *error);
carom_status carom_stepping_certificate(carom_simulation *simulation,
                                        carom_certificate *certificate, carom_error *error);
void carom_stepping_describe(const carom_simulation *simulation, char *text, size_t room);
/// The certificate and the contacts of a picture.
struct carom_scene;
carom_status carom_stepping_scene(struct carom_scene *scene, carom_error *error);
carom_status carom_stepping_show(struct carom_scene *scene, double t, carom_error *error);

#endif
