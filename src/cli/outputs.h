// SPDX-License-Identifier: MIT
/// What a command is about to write must not be what it reads, under whatever name: a mistyped
/// --out would destroy the scenario.
#ifndef CAROM_CLI_OUTPUTS_H
#define CAROM_CLI_OUTPUTS_H

#include "options.h"

/// Compares every file that the options make the command write with its arguments, with the files
/// it reads by options and, where `model` is given, with the files the scenario includes.
/// CAROM_ERR_INPUT with a message where two are the same, also by way of links.
carom_status carom_outputs_check(const carom_call *call, const carom_model *model,
                                 carom_error *error);

/// Is there a folder for every file that the options make the command write? Where a file cannot be
/// written though there is, the machine is to blame, not the input.
bool carom_outputs_have_folders(const carom_call *call);

#endif
