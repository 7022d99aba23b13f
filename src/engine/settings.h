// SPDX-License-Identifier: MIT
/// What was set by name, and the numbers that follow: fixed during a run. Every engine keeps them
/// so.
#ifndef CAROM_ENGINE_SETTINGS_H
#define CAROM_ENGINE_SETTINGS_H

#include "base/arena.h"
#include "engine/engine.h"

typedef struct carom_settings {
  double *given;       // parameters set by name; NaN: not given
  double *start_given; // start values set by name, of the state and whatever else a start needs;
                       // NaN: not given
  double *values;      // of every symbol of the graph, at the start
  double *parameters;
} carom_settings;

/// Room, with nothing given. False: out of memory.
bool carom_settings_room(carom_settings *it, carom_arena *arena, int parameters, int starts,
                         int symbols);

/// Values and parameters, from the scenario and what was given.
carom_status carom_settings_read(carom_settings *it, const carom_scenario *scenario,
                                 carom_error *error);

/// Writes down the value of a parameter, or of the start of one of the state's components.
carom_status carom_settings_give(carom_settings *it, const carom_simulation *simulation,
                                 int components, const char *const *columns, const char *name,
                                 double value, carom_error *error);

/// The column of this name among the first ones, or -1.
int carom_column_named(int count, const char *const *columns, const char *name);

#endif
