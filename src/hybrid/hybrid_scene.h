// SPDX-License-Identifier: MIT
/// What the event-driven engine shows of a motion at a sample: contacts and the ledger.
#ifndef CAROM_HYBRID_HYBRID_SCENE_H
#define CAROM_HYBRID_HYBRID_SCENE_H

#include "engine/scene_parts.h"
#include "hybrid/hybrid.h"

carom_status carom_hybrid_scene(carom_scene *scene, carom_error *error);
carom_status carom_hybrid_look(carom_scene *scene, double t, carom_error *error);

// ledger.c
/// Energies, works and residual at a point of the motion, into `c`, which has the sums of events.
carom_status carom_hybrid_ledger_at(carom_hybrid *it, double t, const double *y,
                                    carom_certificate *c, carom_error *error);

#endif
