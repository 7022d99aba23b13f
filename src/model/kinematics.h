// SPDX-License-Identifier: MIT
/// Speeds in the kinetic energy. A speed u_r stands for the linear form of velocities that it is,
/// u_r = theta_r(x'), and d/dt dT/dx' of it leaves, beside d/dt dT/du_k, the terms of Boltzmann and
/// Hamel
///
///   - sum_rs dT/du_r u_s c^r_sk,   [G_s, G_k] = sum_r c^r_sk G_r,
///
/// with the commutators of the columns of G. That needs commutators in the span of the columns:
/// true for every way to write rotations, where c^r_sk is 0 or +-1; false where rolling or a blade
/// takes velocities away, so that energy in speeds alone does not say what the motion is.
#ifndef CAROM_MODEL_KINEMATICS_H
#define CAROM_MODEL_KINEMATICS_H

#include "model/mechanics.h"

/// term[k] = sum_rs momentum[r] u_s c^r_sk with momentum[r] = dT/du_r of the speeds r >= nq (others
/// are not read). CAROM_ERR_INPUT at `place` where the commutators do not close.
carom_status carom_kinematics_terms(carom_arena *arena, carom_graph *graph,
                                    const carom_mechanics *mechanics, const carom_node *momentum,
                                    carom_place place, carom_node *term, carom_error *error);

#endif
