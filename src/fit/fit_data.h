// SPDX-License-Identifier: MIT
/// Measurements as they are read: every mistake is told with file, line and column.
#ifndef CAROM_FIT_DATA_H
#define CAROM_FIT_DATA_H

#include "base/arena.h"
#include "base/error.h"
#include "carom/simulation.h"

enum { CAROM_FIT_SETTINGS = 16 }; // of the motion of one file

/// One file: samples (the first column is the time), or clicks (one column of times).
typedef struct carom_fit_file {
  const char *path;
  bool clicks;
  int column_count, row_count; // columns without the time
  const char **names;
  int names_line, *names_column; // where names are written
  int data_line, last_line;      // the first and the last row
  double *times;                 // [row_count]
  double *values;                // [row_count][column_count]; of clicks the times
  double *shifted;               // [row_count], work
  int setting_count;
  carom_value settings[CAROM_FIT_SETTINGS];
  int settings_line[CAROM_FIT_SETTINGS]; // where they are written
} carom_fit_file;

carom_status carom_fit_read(carom_arena *arena, const char *path, carom_fit_file *file,
                            carom_error *error);

#endif
