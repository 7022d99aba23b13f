// SPDX-License-Identifier: MIT
/// Where the program for NVIDIA's cards is, and where machine code made of it is kept.
#ifndef CAROM_CLI_CARD_PLACE_H
#define CAROM_CLI_CARD_PLACE_H

#include "carom/sweep.h"
#include "options.h"

typedef struct carom_card_files {
  char *program; // NULL: --gpu was not given
  char *cache;   // NULL: nothing is kept
} carom_card_files;

/// For --gpu: the program named by CAROM_CARD, as developers do, or that of this build. Machine
/// code is kept in the user's folder for such things, $XDG_CACHE_HOME/carom or ~/.cache/carom, or
/// in CAROM_CARD_CACHE. False: there is no program.
bool carom_card_find(const carom_call *call, carom_card_files *files, carom_error *error);
void carom_card_forget(carom_card_files *files);

/// Tells which card took part, and in how much, unless --quiet; and that it failed.
void carom_card_tell(const carom_call *call, const carom_card_report *report, long motions);

#endif
