// SPDX-License-Identifier: MIT
/// Evaluation of models given by C functions; the contracts are those of dynamics.h.
#ifndef CAROM_MODEL_DYNAMICS_FUNCTIONS_H
#define CAROM_MODEL_DYNAMICS_FUNCTIONS_H

#include "model/dynamics.h"

carom_status carom_functions_free(const carom_dynamics *dynamics, carom_dynamics_work *work,
                                  double t, const double *y, carom_rates *rates);
carom_status carom_functions_rows(const carom_dynamics *dynamics, carom_dynamics_work *work,
                                  double t, const double *y, carom_rates *rates);
carom_status carom_functions_energy(const carom_dynamics *dynamics, carom_dynamics_work *work,
                                    double t, const double *y, carom_energy *energy);
carom_point carom_functions_point(const carom_dynamics *dynamics, const carom_dynamics_work *work,
                                  double t, const double *y);

#endif
