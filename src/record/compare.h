// SPDX-License-Identifier: MIT
/// Compares two recorded files, entry by entry; provenance is left out.
#ifndef CAROM_RECORD_COMPARE_H
#define CAROM_RECORD_COMPARE_H

#include "record/store.h"

/// What was found at one path that both or one of the files have.
typedef struct carom_difference {
  const char *path;
  bool in_first, in_second;
  bool text;                    // texts; else numbers
  long rows_first, rows_second; // the shorter length was compared
  long different;               // entries that differ (NaN equals NaN)
  long where;                   // the first of them; -1: none
  double largest, relative;     // largest |difference|, and that over the largest |value|
} carom_difference;

/// Are the entries the same: same length, and numbers within `tolerance` of the largest value?
bool carom_difference_none(const carom_difference *difference, double tolerance);

/// Calls `tell` for every entry, in the order of the first file, then those only the second has.
carom_status carom_compare(const carom_store *first, const carom_store *second, void *ctx,
                           void (*tell)(void *ctx, const carom_difference *difference),
                           carom_error *error);

#endif
