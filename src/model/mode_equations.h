// SPDX-License-Identifier: MIT
/// The equations of motion in one set of contact modes, as expressions: forces eliminated
/// symbolically, so that they can be differentiated exactly (equilibria, tangent dynamics).
///
/// Held rows have rate 0; a sliding contact ties its tangential force to its normal one. With
/// x the forces along held rows and lambda = E x,
///   (G E)_held x = -b_held,   u' = a + (M^-1 W^T) E x.
#ifndef CAROM_MODEL_MODE_EQUATIONS_H
#define CAROM_MODEL_MODE_EQUATIONS_H

#include "model/mechanics.h"

/// A sliding contact: tangential force = factor x normal force (factor = -sign mu). One in space
/// has two of these, one for each tangent.
typedef struct carom_sliding {
  int normal, tangent; // rows
  carom_node factor;
} carom_sliding;

typedef struct carom_mode_equations {
  carom_node *acceleration; // n
  carom_node *force;        // per row of the mechanics; zero where none acts
} carom_mode_equations;

/// Derives the equations; `held` lists the rows with rate 0 (independent ones: elimination is
/// without pivoting, in the order given). Memory from `arena`.
carom_status carom_mode_equations_derive(carom_arena *arena, carom_graph *graph,
                                         const carom_mechanics *mechanics, int held_count,
                                         const int *held, int sliding_count,
                                         const carom_sliding *sliding,
                                         carom_mode_equations *equations, carom_error *error);

#endif
