// SPDX-License-Identifier: MIT
/// What the engine `field` shows of a motion at a sample: the body, its supports, the ledger.
#ifndef CAROM_FIELD_FIELD_SCENE_H
#define CAROM_FIELD_FIELD_SCENE_H

#include "engine/scene_parts.h"
#include "field/field.h"

carom_status carom_field_scene(carom_scene *scene, carom_error *error);
carom_status carom_field_show(carom_scene *scene, double t, carom_error *error);

// field_ledger.c: the names of its works; the ledger at a state with its energy integrals
void carom_field_name_works(const carom_field *it, carom_certificate *certificate);
carom_status carom_field_ledger_at(carom_field *it, double t, const double *y,
                                   carom_certificate *certificate, carom_error *error);

#endif
