// SPDX-License-Identifier: MIT
/// Completion of command lines by shells, from the same tables as the help.
#ifndef CAROM_CLI_COMPLETION_H
#define CAROM_CLI_COMPLETION_H

#include "options.h"

/// The script for "bash", "zsh" or "fish"; false: no such shell is known.
bool carom_completion(const char *shell, int count, const carom_command *const *commands,
                      FILE *out);

#endif
