// SPDX-License-Identifier: MIT
/// carom continue --also: curves in two parameters.
#ifndef CAROM_CLI_CONTINUE_ATLAS_H
#define CAROM_CLI_CONTINUE_ATLAS_H

#include "carom/atlas.h"
#include "options.h"

/// Tables and what is told of an atlas; returns the exit code.
int carom_atlas_hand_over(const carom_call *call, const carom_model *model,
                          const carom_atlas_options *options, const carom_atlas *atlas,
                          carom_error *error);

#endif
