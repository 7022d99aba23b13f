// SPDX-License-Identifier: MIT
/// The friction solver as other rooms call it: memory from an arena, taken once, nothing allocated
/// in a solve. The problem and what is told are those of carom/friction.h.
#ifndef CAROM_FRICTION_FRICTION_H
#define CAROM_FRICTION_FRICTION_H

#include "base/arena.h"
#include "carom/friction.h"

typedef struct carom_friction_workspace carom_friction_workspace;

/// A workspace for problems of `dimension` 2 or 3 with up to this many contacts, and blocks of the
/// matrix that are not zero (contacts^2: any); NULL when out of memory. One workspace serves one
/// thread.
carom_friction_workspace *carom_friction_workspace_create(carom_arena *arena, int dimension,
                                                          int contacts, int blocks);

/// As carom_friction_solve, without allocation: `*view` and its arrays live in the workspace until
/// its next use.
carom_status carom_friction_find(const carom_friction_options *options,
                                 carom_friction_workspace *work, const carom_friction_view **view,
                                 carom_error *error);

/// The residual of carom_friction_view of forces r [dimension contacts]; `velocities` (the same
/// size) become W r + q, `modes` [contacts] (nullable) those that fit best, `*worst` (nullable) the
/// contact.
double carom_friction_residual(const carom_friction_options *options, const double *forces,
                               double *velocities, carom_friction_mode *modes, int *worst);

#endif
