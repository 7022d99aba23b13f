// SPDX-License-Identifier: MIT
/// Tangent dynamics: the derivative of a motion with respect to its start, carried along through
/// smooth phases (variational equations) and instants (saltation matrices).
#ifndef CAROM_TANGENT_H
#define CAROM_TANGENT_H

#include "carom/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What was met on the way.
typedef struct carom_tangent_notes {
  long steps, instants;
  long differenced; // steps whose Jacobian came from differences, not from the equations
  long piecewise; // instants with several contacts or rules: the derivative holds on one side only
  long sided;     // those among them at which contacts strike whose order does not matter to where
              // the motion leads: the derivative is exactly that of neighbours which meet them in
              // the order in force
  int together;   // how many contacts did so at one instant, at most
  long grazes;    // instants without a derivative: a function touched zero without crossing it
  double slowest; // smallest approach of an impact, relative to the largest speed of the state
} carom_tangent_notes;

/// Can the engine of this model carry derivatives along?
CAROM_API bool carom_tangent_supported(const carom_model *model);

/// From now on the derivative of the state (q, q', z) with respect to its present value is carried
/// along. Directions that constraints and closed contacts forbid have derivative 0.
/// CAROM_ERR_UNSUPPORTED, with the reason, where the engine has no tangent dynamics.
CAROM_API carom_status carom_tangent_begin(carom_simulation *simulation, carom_error *error);
/// Contacts that strike at one instant are met by neighbouring motions one after the other: where
/// the order does not matter to where these lead, each has its one-sided derivative. From now on,
/// also after new beginnings, it is that of order number `order` (0: that of the scenario), from 0
/// to n! - 1 for n contacts, as words in a dictionary are ordered; the last one is the reverse.
CAROM_API carom_status carom_tangent_order(carom_simulation *simulation, long order,
                                           carom_error *error);
/// No longer.
CAROM_API void carom_tangent_end(carom_simulation *simulation);

/// The matrix, size x size, row-major: entry [i][j] is d state_i / d start_j. It may be written
/// to: what follows acts on what is there. NULL when none is carried along.
CAROM_API double *carom_tangent_matrix(carom_simulation *simulation, int *size);
/// While an observer is told of an event: the derivative of its time, entry [j] by start_j, for as
/// many as the matrix has rows. NULL elsewhere, and where that time has none (a graze, contacts met
/// at one instant, sections).
CAROM_API const double *carom_tangent_late(const carom_simulation *simulation);
/// Since the begin; zeros when nothing is carried along.
CAROM_API carom_tangent_notes carom_tangent_met(const carom_simulation *simulation);

#ifdef __cplusplus
}
#endif
#endif
