// SPDX-License-Identifier: MIT
/// A file on its way: it is written under a name that nobody can foresee and gets its own when it
/// is whole, so that a file with the right name is never half of one. Links that others have put
/// into the folder are not followed; pipes and devices are written into, never replaced.
#ifndef CAROM_RECORD_OUT_FILE_H
#define CAROM_RECORD_OUT_FILE_H

#include "carom/status.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct carom_out_file {
  char *path;
  char *temporary; // FILE.tmp-XXXXXX; NULL: a pipe, a terminal or a device is written straight
  FILE *stream;    // NULL: not open, or written by name
} carom_out_file;

/// Opens a stream for what is to become `path`. CAROM_ERR_IO with the reason when it cannot be
/// made, CAROM_ERR_INPUT when `path` is a folder or a disk. After an error nothing is to be closed.
carom_status carom_out_open(carom_out_file *it, const char *path, carom_error *error);

/// The same for a program or library that opens the file by its name: an empty file `temporary` is
/// made. Pipes and devices are refused.
carom_status carom_out_reserve(carom_out_file *it, const char *path, carom_error *error);

/// Closes the stream and gives the file its name; CAROM_ERR_IO where something was not written, and
/// then the temporary file is gone.
carom_status carom_out_close(carom_out_file *it, carom_error *error);

/// Closes the stream and removes the temporary file; legal for one that is not open.
void carom_out_discard(carom_out_file *it);

#endif
