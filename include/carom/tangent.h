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
  long grazes;    // instants without a derivative: a function touched zero without crossing it
  double slowest; // smallest approach of an impact, relative to the largest speed of the state
} carom_tangent_notes;

/// Can the engine of this model carry derivatives along?
CAROM_API bool carom_tangent_supported(const carom_model *model);

/// From now on the derivative of the state (q, q', z) with respect to its present value is carried
/// along. Directions that constraints and closed contacts forbid have derivative 0.
/// CAROM_ERR_UNSUPPORTED, with the reason, where the engine has no tangent dynamics.
CAROM_API carom_status carom_tangent_begin(carom_simulation *simulation, carom_error *error);
/// No longer.
CAROM_API void carom_tangent_end(carom_simulation *simulation);

/// The matrix, size x size, row-major: entry [i][j] is d state_i / d start_j. It may be written
/// to: what follows acts on what is there. NULL when none is carried along.
CAROM_API double *carom_tangent_matrix(carom_simulation *simulation, int *size);
/// Since the begin; zeros when nothing is carried along.
CAROM_API carom_tangent_notes carom_tangent_met(const carom_simulation *simulation);

#ifdef __cplusplus
}
#endif
#endif
