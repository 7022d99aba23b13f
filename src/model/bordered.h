// SPDX-License-Identifier: MIT
/// Accelerations and forces together, from
///   M u' - (W E)^T x = h,   W_held u' = -zeta_held,
/// without M^-1: a row that a coordinate enters with the factor 1, as most gaps do, gives that
/// coordinate's acceleration by the others', and that coordinate's equation the force. What is left
/// is small, and far shorter than what M^-1 would make of it.
#ifndef CAROM_MODEL_BORDERED_H
#define CAROM_MODEL_BORDERED_H

#include "model/mode_equations.h"

/// The task of carom_mode_equations_derive. `force` is per held row here. *done is false where no
/// row has such a coordinate, or pivots might vanish for friction that is no paradox.
carom_status carom_bordered_solve(carom_arena *arena, carom_graph *graph,
                                  const carom_mechanics *mechanics, int held_count, const int *held,
                                  int sliding_count, const carom_sliding *sliding,
                                  carom_node *acceleration, carom_node *force, bool *done,
                                  carom_error *error);

#endif
