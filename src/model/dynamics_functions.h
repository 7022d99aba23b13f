// SPDX-License-Identifier: MIT
/// Models given by C functions; the contracts of their evaluator are those of dynamics.h.
#ifndef CAROM_MODEL_DYNAMICS_FUNCTIONS_H
#define CAROM_MODEL_DYNAMICS_FUNCTIONS_H

#include "model/dynamics.h"

carom_point carom_functions_point(const carom_dynamics *dynamics, const carom_dynamics_work *work,
                                  double t, const double *y);

#endif
