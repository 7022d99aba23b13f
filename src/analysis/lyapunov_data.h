// SPDX-License-Identifier: MIT
/// Lyapunov exponents in the records of a survey.
#ifndef CAROM_ANALYSIS_LYAPUNOV_DATA_H
#define CAROM_ANALYSIS_LYAPUNOV_DATA_H

#include "carom/lyapunov.h"
#include "spread/spread.h"

/// To a record and back; a damaged record breaks.
void carom_lyapunov_put(carom_parcel *parcel, const carom_lyapunov *result);
carom_status carom_lyapunov_take(carom_unpack *record, carom_lyapunov **result, carom_error *error);

#endif
