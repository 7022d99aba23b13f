// SPDX-License-Identifier: MIT
/// The evaluator of systems derived from expressions: register programs, compiled by dynamics.c.
#ifndef CAROM_MODEL_EVALUATOR_PROGRAMS_H
#define CAROM_MODEL_EVALUATOR_PROGRAMS_H

#include "model/dynamics.h"

/// Outputs of the program of energies; behind them its slopes by q and u.
enum { CAROM_OUTPUT_KINETIC, CAROM_OUTPUT_POTENTIAL, CAROM_OUTPUT_STORE, CAROM_OUTPUT_SLOPE };

/// Powers of drive, force and damper; that of friction is the contacts'.
enum { CAROM_OWN_POWERS = 3 };

#endif
