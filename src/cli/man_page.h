// SPDX-License-Identifier: MIT
/// The manual page, from the same tables as the help.
#ifndef CAROM_CLI_MAN_PAGE_H
#define CAROM_CLI_MAN_PAGE_H

#include "options.h"

/// carom(1) in the man macros of troff, every command with its options and examples.
void carom_man_page(int count, const carom_command *const *commands, FILE *out);

#endif
