// SPDX-License-Identifier: MIT
/// carom info of files that hold tables: sweeps, maps, basins, diagrams, branches.
#ifndef CAROM_CLI_INFO_TABLES_H
#define CAROM_CLI_INFO_TABLES_H

#include "options.h"
#include "record/store.h"

/// Prints kind, title and every table with its columns, as JSON where that was asked for.
void carom_info_tables(const carom_call *call, const carom_store *store);

#endif
