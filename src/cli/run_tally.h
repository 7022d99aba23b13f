// SPDX-License-Identifier: MIT
/// Counts the events of a run by kind and by name.
#ifndef CAROM_CLI_RUN_TALLY_H
#define CAROM_CLI_RUN_TALLY_H

#include "carom/simulation.h"

enum { CAROM_TALLY_NAME = 64 };

/// Events of one kind and name. Short of memory they are in the total only.
typedef struct carom_tally_entry {
  carom_event_kind kind;
  char name[CAROM_TALLY_NAME];
  long count;
} carom_tally_entry;

typedef struct carom_run_tally {
  long total;
  int count, room;
  carom_tally_entry *entries;
} carom_run_tally;

void carom_run_tally_add(carom_run_tally *tally, const carom_event *event);
/// The first entry of its kind? Then the kind has carom_run_tally_kind(...) events.
bool carom_run_tally_first(const carom_run_tally *tally, int k);
long carom_run_tally_kind(const carom_run_tally *tally, carom_event_kind kind);
void carom_run_tally_clear(carom_run_tally *tally);

#endif
