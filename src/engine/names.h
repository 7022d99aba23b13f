// SPDX-License-Identifier: MIT
/// Names that nobody knows, told with those that are known.
#ifndef CAROM_ENGINE_NAMES_H
#define CAROM_ENGINE_NAMES_H

#include "carom/simulation.h"

/// CAROM_ERR_ARGUMENT: the simulation has no observable, column or parameter of this name.
carom_status carom_unknown_name(const carom_simulation *simulation, const char *name,
                                carom_error *error);

/// `status` with "there is no WHAT 'name'" and the items of these kinds that there are.
carom_status carom_unknown_item(const carom_model *model, const char *what, const char *name,
                                int count, const carom_item *items, carom_status status,
                                carom_error *error);

#endif
