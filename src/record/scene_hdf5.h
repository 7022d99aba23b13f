// SPDX-License-Identifier: MIT
/// The groups /contacts, /energy and /scene of a recording.
#ifndef CAROM_RECORD_SCENE_HDF5_H
#define CAROM_RECORD_SCENE_HDF5_H

#include "carom/scene.h"
#include "record/h5_values.h"
#include "record/trouble.h"

typedef struct carom_scene_sheet carom_scene_sheet;

/// Makes the groups; `names` are the names of the contacts; scenes of very many bodies are kept at
/// so many instants that they have `most_numbers` together. The caller closes the sheet.
carom_status carom_scene_sheet_open(hid_t h5, const carom_scene *scene, const char *const *names,
                                    long most_numbers, carom_scene_sheet **sheet,
                                    carom_error *error);
/// Takes what the scene shows at time t; false: the disk is full.
bool carom_scene_sheet_take(carom_scene_sheet *sheet, double t);
/// Writes what is held; false: the disk is full.
bool carom_scene_sheet_flush(carom_scene_sheet *sheet);
void carom_scene_sheet_close(carom_scene_sheet *sheet); // NULL is legal

/// The entries of the energy ledger over time; returns how many. The names are known from the
/// start.
typedef struct carom_ledger_entry {
  const char *name;
  double value;
} carom_ledger_entry;
enum { CAROM_LEDGER_MOST = 10 + CAROM_WORKS_MOST };
int carom_ledger_entries(const carom_certificate *ledger,
                         carom_ledger_entry entries[CAROM_LEDGER_MOST]);

/// The numbers of a contact at a sample, in the order of their names.
enum { CAROM_CONTACT_NUMBERS = 8 };
extern const char *const CAROM_CONTACT_NAMES[CAROM_CONTACT_NUMBERS];
void carom_contact_numbers(const carom_contact_view *view, double numbers[CAROM_CONTACT_NUMBERS]);

#endif
