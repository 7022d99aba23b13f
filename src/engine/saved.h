// SPDX-License-Identifier: MIT
/// What engines share behind their entries: a state saved as blocks of memory behind each other.
#ifndef CAROM_ENGINE_SAVED_H
#define CAROM_ENGINE_SAVED_H

#include "base/error.h"
#include "scenario/scenario.h"

#include <stddef.h>

/// A block of a saved state; `size` may be 0.
typedef struct carom_saved_part {
  void *data;
  size_t size;
} carom_saved_part;

/// Writes the parts to `buffer` (NULL: only says how much room is needed) with a mark in front.
/// `*size` is the room, then what was needed.
carom_status carom_saved_write(int count, const carom_saved_part *parts, void *buffer, size_t *size,
                               carom_error *error);

/// Is this a state of the same parts? CAROM_ERR_ARGUMENT where not.
carom_status carom_saved_check(int count, const carom_saved_part *parts, const void *buffer,
                               size_t size, carom_error *error);

/// Reads parts first .. last - 1 back from a buffer that was checked.
void carom_saved_read(const carom_saved_part *parts, const void *buffer, int first, int last);

/// The parameter of this name, or -1.
int carom_scenario_parameter(const carom_scenario *scenario, const char *name);

#endif
