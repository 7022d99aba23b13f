// SPDX-License-Identifier: MIT
#include "run_tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool grow_tally(carom_run_tally *tally) {
  int room = tally->room ? 2 * tally->room : 64;
  carom_tally_entry *entries = realloc(tally->entries, (size_t)room * sizeof *entries);
  if (!entries) return false;
  tally->entries = entries;
  tally->room = room;
  return true;
}

void carom_run_tally_add(carom_run_tally *tally, const carom_event *event) {
  tally->total++;
  char name[CAROM_TALLY_NAME];
  (void)snprintf(name, sizeof name, "%s", event->name ? event->name : "");
  for (int k = 0; k < tally->count; k++) {
    carom_tally_entry *entry = &tally->entries[k];
    if (entry->kind != event->kind || strcmp(entry->name, name) != 0) continue;
    entry->count++;
    return;
  }
  if (tally->count == tally->room && !grow_tally(tally)) return;
  carom_tally_entry *fresh = &tally->entries[tally->count++];
  *fresh = (carom_tally_entry){.kind = event->kind, .count = 1};
  memcpy(fresh->name, name, sizeof name);
}

bool carom_run_tally_first(const carom_run_tally *tally, int k) {
  for (int j = 0; j < k; j++)
    if (tally->entries[j].kind == tally->entries[k].kind) return false;
  return true;
}

long carom_run_tally_kind(const carom_run_tally *tally, carom_event_kind kind) {
  long count = 0;
  for (int k = 0; k < tally->count; k++)
    if (tally->entries[k].kind == kind) count += tally->entries[k].count;
  return count;
}

void carom_run_tally_clear(carom_run_tally *tally) {
  free(tally->entries);
  *tally = (carom_run_tally){0};
}
