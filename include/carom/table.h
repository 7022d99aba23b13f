// SPDX-License-Identifier: MIT
/// Tables of results, written row by row to an HDF5 file, to CSV, or to both. These functions live
/// in the library carom_record.
#ifndef CAROM_TABLE_H
#define CAROM_TABLE_H

#include "carom/status.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct carom_tables carom_tables; // a file with some tables
typedef struct carom_table carom_table;   // one of them

/// Where the tables go and what they are about. Texts are borrowed during the call. Start from
/// carom_tables_options_default().
typedef struct carom_tables_options {
  const char *file;     // HDF5; NULL: none
  const char *csv;      // of the first table; others get their name before the ".csv"; NULL: none
  const char *kind;     // "sweep", "bifurcation": what made them
  const char *title;    // of the scenario
  const char *scenario; // its text; NULL: none
  bool provenance;      // false: equal results give equal bytes
  size_t size;          // set by the default function; proves that it was used
} carom_tables_options;
CAROM_API carom_tables_options carom_tables_options_default(void);

typedef enum carom_column_kind {
  CAROM_COLUMN_NUMBER,
  CAROM_COLUMN_COUNT,
  CAROM_COLUMN_TEXT
} carom_column_kind;

typedef struct carom_column {
  const char *name;
  carom_column_kind kind;
} carom_column;

/// The entry of a row in a column; the member of the column's kind counts.
typedef struct carom_cell {
  double number;
  long count;
  const char *text; // NULL stands for ""
} carom_cell;

/// Everything is written under temporary names (NAME.tmp-XXXXXX) until the tables are closed.
CAROM_API carom_status carom_tables_open(const carom_tables_options *options, carom_tables **tables,
                                         carom_error *error);
/// Adds a table; it belongs to the file and ends with it. In HDF5 it is a group with one dataset
/// per column.
CAROM_API carom_status carom_tables_add(carom_tables *tables, const char *name, int count,
                                        const carom_column *columns, carom_table **table,
                                        carom_error *error);
/// Appends a row of as many cells as there are columns.
CAROM_API carom_status carom_table_row(carom_table *table, const carom_cell *cells,
                                       carom_error *error);
/// Writes the rest, gives the files their names and frees everything, also after an error.
CAROM_API carom_status carom_tables_close(carom_tables *tables, const char *outcome,
                                          carom_error *error);
/// Frees everything and removes the temporary files. NULL is legal.
CAROM_API void carom_tables_discard(carom_tables *tables);

#ifdef __cplusplus
}
#endif
#endif
