// SPDX-License-Identifier: MIT
/// Pictures of tables that a command has just made: drawn from the recorded file as carom plot
/// does.
#ifndef CAROM_CLI_TABLE_PICTURE_H
#define CAROM_CLI_TABLE_PICTURE_H

#include "options.h"

enum { CAROM_TABLE_FILE = 1100 };

/// Where the tables go: --out, or a file beside --picture that carom_table_picture() takes away
/// again; NULL where neither is wanted. `room` may hold the name.
const char *carom_table_file(const carom_call *call, char room[CAROM_TABLE_FILE]);

/// Draws --picture, where it is given, from the tables written; `of` (nullable) says which columns.
carom_status carom_table_picture(const carom_call *call, const char *of, carom_error *error);

#endif
