// SPDX-License-Identifier: MIT
/// HDF5 may crash where memory runs out or a file of an older version is damaged, and nothing can
/// be done about it from outside but to keep it in a process of its own. Commands that read or
/// write HDF5 therefore work in a child, whose death by a signal is an error like any other.
#ifndef CAROM_CLI_SHIELD_H
#define CAROM_CLI_SHIELD_H

#include "options.h"

/// Runs the command, in a child where it has to do with HDF5. Returns the exit code.
int carom_shield_run(const carom_call *call);

#endif
