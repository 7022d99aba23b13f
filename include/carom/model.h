// SPDX-License-Identifier: MIT
/// A model: a system read from a scenario file, or given by C functions, with its equations derived
/// and compiled. A model is constant: one model serves any number of simulations in any threads.
#ifndef CAROM_MODEL_H
#define CAROM_MODEL_H

#include "carom/functions.h"
#include "carom/status.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct carom_model carom_model;

/// One override: path "Gamma", "contacts.left.friction.slip", "run.until"; value as it would be
/// written in the file. A bare name that is a parameter, coordinate or state means its value or
/// start value, "x'" the rate of coordinate x at the start.
/// With the value NULL the number that is written there is made a parameter (carom_model_open).
typedef struct carom_setting {
  const char *path, *value;
} carom_setting;

/// Reads a scenario file, applies the settings, checks it and derives its equations. On an error
/// (CAROM_ERR_INPUT: the file is wrong, at error->file, line, column) *model is NULL.
/// The caller destroys the model, after all its simulations.
CAROM_API carom_status carom_model_load(const char *path, int setting_count,
                                        const carom_setting *settings, carom_model **model,
                                        carom_error *error);

/// The same from text in memory; `name` stands for the file in messages.
CAROM_API carom_status carom_model_parse(const char *text, const char *name, int setting_count,
                                         const carom_setting *settings, carom_model **model,
                                         carom_error *error);

/// A model from C functions. `functions` and what it points to must outlive the model.
CAROM_API carom_status carom_model_from_functions(const carom_functions *functions,
                                                  carom_model **model, carom_error *error);

/// Memory of models made by the calling functions above comes from malloc; this variant takes an
/// allocator.
CAROM_API carom_status carom_model_load_with(const carom_allocator *allocator, const char *path,
                                             const char *text, int setting_count,
                                             const carom_setting *settings, carom_model **model,
                                             carom_error *error);

/// NULL is legal.
CAROM_API void carom_model_destroy(carom_model *model);

/// A model of the same motions in which the numbers that `names` mean, as settings do
/// ("contacts.floor.impact.e", "ball.vx", "run.until"), are parameters, so that simulations can be
/// set to other ones and there are derivatives by them. Where all names are parameters and start
/// values anyway *opened is NULL. The caller destroys it.
/// CAROM_ERR_ARGUMENT: a name that is none of these.
CAROM_API carom_status carom_model_open(const carom_model *model, int count,
                                        const char *const *names, carom_model **opened,
                                        carom_error *error);
/// The parameter that an opened model has for the name; other names are what they are.
CAROM_API const char *carom_model_input(const carom_model *model, const char *name);

/// Coordinates are those whose rates are velocities of their own; those whose rates are given
/// (`rates`) come first among the states. A state vector is coordinates, their rates, speeds,
/// states.
typedef enum carom_item {
  CAROM_PARAMETERS,
  CAROM_COORDINATES,
  CAROM_STATES,
  CAROM_DEFINITIONS,
  CAROM_CONSTRAINTS,
  CAROM_CONTACTS,
  CAROM_EVENTS,
  CAROM_SECTIONS,
  CAROM_STOPS,
  CAROM_OBSERVABLES,
  CAROM_REGIMES,
  CAROM_SHAPES,
  CAROM_SPEEDS // velocities that are the rate of no coordinate
} carom_item;

CAROM_API const char *carom_model_title(const carom_model *model);
CAROM_API const char *carom_model_engine(const carom_model *model);
CAROM_API int carom_model_count(const carom_model *model, carom_item item);
/// The name of an item, or NULL when `k` is out of range.
CAROM_API const char *carom_model_name(const carom_model *model, carom_item item, int k);
/// The unit of a parameter, coordinate, state, definition or observable, in SI: "m/s". False and ""
/// where it has none, or where the scenario writes too few units to know it.
CAROM_API bool carom_model_unit(const carom_model *model, carom_item item, int k, char *text,
                                size_t room);
/// Is component k of the state a velocity: the rate of a coordinate, or a speed?
CAROM_API bool carom_model_is_rate(const carom_model *model, int k);
/// Does nothing that moves the system depend on coordinate k? False when `k` is out of range.
CAROM_API bool carom_model_cyclic(const carom_model *model, int k);
/// Directions in which all bodies may be shifted together without any difference: one for every
/// cyclic coordinate, then those in which several coordinates move in fixed proportions because
/// only their differences count. `weights` has room for `most` rows of as many numbers as there are
/// coordinates; one coordinate of each row has weight 1 there and 0 in all other rows. Returns how
/// many were found. Takes a while for large systems.
CAROM_API int carom_model_shifts(const carom_model *model, int most, double *weights);
/// Is coordinate k an angle: does everything depend on it, and is everything the same when it has
/// grown by 2 pi? Takes a while for large systems.
CAROM_API bool carom_model_angle(const carom_model *model, int k);
/// Is the mechanical energy constant on every smooth motion?
CAROM_API bool carom_model_conservative(const carom_model *model);
/// How many simulations of the model carom_simulations_advance() moves at once; 1: one by one.
CAROM_API int carom_model_lanes(const carom_model *model);
/// The k-th of the files that the scenario was read from (itself, what it includes, its tables), as
/// a path; NULL past the last. Valid as long as the model.
CAROM_API const char *carom_model_file(const carom_model *model, int k);

/// Text made by the library; the caller frees it with carom_text_destroy.
CAROM_API void carom_text_destroy(char *text);
/// The scenario as resolved (includes merged, settings applied), as YAML. NULL for function models.
CAROM_API char *carom_model_scenario_text(const carom_model *model);

typedef enum carom_contact_item {
  CAROM_CONTACT_GAP,
  CAROM_CONTACT_SLIP,
  CAROM_CONTACT_FRICTION, // coefficients, or the law that replaces them
  CAROM_CONTACT_IMPACT    // law, restitution and what else it takes
} carom_contact_item;
/// What was understood of contact k, in words; NULL where it has none (a smooth contact has no slip
/// and no friction) and for function models.
CAROM_API char *carom_model_contact_text(const carom_model *model, int k, carom_contact_item item);

typedef enum carom_notation { CAROM_PLAIN, CAROM_LATEX } carom_notation;
/// Mass matrix, bias forces, Jacobians and energies, derived, one equation per line.
CAROM_API carom_status carom_model_derive(const carom_model *model, carom_notation notation,
                                          char **text, carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
