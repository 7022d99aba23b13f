// SPDX-License-Identifier: MIT
/// The seal of a recorded file: its first 512 bytes, which HDF5 leaves to the user, hold the size
/// and the hash of the rest. A file is checked before HDF5 looks at it, since HDF5 trusts what it
/// reads; a damaged file is an error, never a crash or a wrong number.
#ifndef CAROM_RECORD_SEAL_H
#define CAROM_RECORD_SEAL_H

#include "carom/status.h"

#include <stdbool.h>

enum { CAROM_SEAL_SIZE = 512 };

/// Writes the seal of a file: that of one in the making, or of one that is whole. False with errno.
bool carom_seal_begin(const char *file);
bool carom_seal_end(const char *file);

/// Checks the seal. CAROM_OK where the file is as it was written, or unfinished (its run was
/// killed), or of a version that did not seal its files. CAROM_ERR_IO where it cannot be read,
/// CAROM_ERR_INPUT where it is no recorded file, damaged or was changed.
carom_status carom_seal_check(const char *path, carom_error *error);

#endif
