// SPDX-License-Identifier: MIT
/// What can be proved of the number of solutions where modes are too many to be enumerated.
#ifndef CAROM_FRICTION_FRICTION_PROOF_H
#define CAROM_FRICTION_FRICTION_PROOF_H

#include "friction/friction_internal.h"

enum { FRICTION_PROVED = 100 }; // contacts at most, by matrices and inequalities

struct friction_proof *friction_proof_create(carom_arena *arena, int dimension, int most);

/// Fills verdict, velocities_unique and reason of the view. `found`: `best` is a solution.
void friction_prove(carom_friction_workspace *work, bool found);

#endif
