// SPDX-License-Identifier: MIT
/// What commands that look at inputs of a motion share: lists of names with numbers.
#ifndef CAROM_CLI_FIT_WORDS_H
#define CAROM_CLI_FIT_WORDS_H

#include "carom/fit.h"
#include "options.h"

enum { CAROM_FIT_ENTRIES = 64, CAROM_FIT_NAME = 100 };

/// Entries of an option, with room for their names.
typedef struct carom_fit_entries {
  int count;
  carom_fit_range list[CAROM_FIT_ENTRIES];
  char names[CAROM_FIT_ENTRIES][CAROM_FIT_NAME];
} carom_fit_entries;

/// NAME=A:B (two) or NAME=A, entry after entry, separated by commas; none where it is not given.
carom_status carom_fit_entries_read(const carom_call *call, const char *option, bool two,
                                    carom_fit_entries *entries, carom_error *error);
/// A number of at least `least`; *value stays where the option is not given.
carom_status carom_fit_number_read(const carom_call *call, const char *option, double least,
                                   double *value, carom_error *error);

#endif
