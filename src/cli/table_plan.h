// SPDX-License-Identifier: MIT
/// The columns of a table that is to be written, with names made on the way, and cells for a row.
#ifndef CAROM_CLI_TABLE_PLAN_H
#define CAROM_CLI_TABLE_PLAN_H

#include "carom/table.h"

enum { CAROM_COLUMN_NAME = 160 };

typedef struct carom_table_plan {
  int count, room;
  carom_column *columns;
  char (*names)[CAROM_COLUMN_NAME];
  carom_cell *cells; // one a column, once the table is there
  bool broken;       // memory ended on the way
} carom_table_plan;

/// One more column; the name as printf makes it.
void carom_table_plan_add(carom_table_plan *plan, carom_column_kind kind, const char *format, ...)
    CAROM_PRINTF(3, 4);
/// Adds several columns whose names stay.
void carom_table_plan_all(carom_table_plan *plan, int count, const carom_column *columns);
/// Adds the table that was planned.
carom_status carom_table_plan_open(carom_table_plan *plan, carom_tables *tables, const char *name,
                                   carom_table **table, carom_error *error);
void carom_table_plan_free(carom_table_plan *plan);

#endif
