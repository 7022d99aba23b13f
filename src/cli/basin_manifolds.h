// SPDX-License-Identifier: MIT
/// carom basin --manifolds: saddles in the plane of the starts, and their branches.
#ifndef CAROM_CLI_BASIN_MANIFOLDS_H
#define CAROM_CLI_BASIN_MANIFOLDS_H

#include "carom/manifold.h"
#include "many_runs.h"

/// Computes them where they are asked for; else *manifold is NULL.
carom_status carom_manifolds_compute(const carom_many_runs *it, carom_manifold **manifold,
                                     carom_error *error);
/// Tables `saddles` and `manifolds`.
carom_status carom_manifolds_write(carom_tables *tables, const carom_many_runs *it,
                                   const carom_manifold *manifold, carom_error *error);
void carom_manifolds_json(carom_json *json, const carom_many_runs *it,
                          const carom_manifold *manifold);
void carom_manifolds_text(const carom_many_runs *it, const carom_manifold *manifold);

#endif
