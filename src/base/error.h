// SPDX-License-Identifier: MIT
/// How a function reports failure: fill the caller's carom_error and return its status.
#ifndef CAROM_BASE_ERROR_H
#define CAROM_BASE_ERROR_H

#include "carom/status.h"

/// A position in a text the user wrote. `file` is borrowed; line and column are 1-based.
typedef struct carom_place {
  const char *file;
  int line, column;
} carom_place;

/// Records a formatted message in `error` (nullable) and returns `status`.
carom_status carom_fail(carom_error *error, carom_status status, const char *format, ...)
    CAROM_PRINTF(3, 4);

/// The same, with the place in the user's text.
carom_status carom_fail_at(carom_error *error, carom_status status, carom_place place,
                           const char *format, ...) CAROM_PRINTF(4, 5);

/// Adds to a failure where in the motion it happened and the expression at fault ("" for none).
/// `error` may be NULL.
void carom_fail_moving(carom_error *error, double t, int count, const double *state,
                       const char *expression);

/// Options of the type `name` carry their size, which only their default function knows: other
/// sizes are those of another version, or of options that were not made by it.
carom_status carom_check_options(size_t size, size_t expected, const char *name,
                                 carom_error *error);

/// Out of memory: records it and returns CAROM_ERR_MEMORY.
carom_status carom_fail_memory(carom_error *error);

/// A bound as messages tell it by %g: a number of six digits that is not below x, or not above it,
/// so that who takes it up keeps the bound.
double carom_told_least(double x);
double carom_told_most(double x);

/// The name in `names` nearest to `word` by edit distance, or NULL when none is close enough to
/// suggest (at most a third of the letters wrong, a swap of neighbours counts one).
const char *carom_nearest_name(const char *word, const char *const *names, int count);

/// What to add to the news that `word` is unknown: "; did you mean 'x'?", or "; there are x, y, z"
/// where nothing is near, cut at `room` bytes; "" where there are none.
void carom_name_hint(char *text, size_t room, const char *word, const char *const *names,
                     int count);

#endif
