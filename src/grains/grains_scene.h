// SPDX-License-Identifier: MIT
/// What the engine `grains` shows of a bed at a sample: rods, walls, the ledger.
#ifndef CAROM_GRAINS_GRAINS_SCENE_H
#define CAROM_GRAINS_GRAINS_SCENE_H

#include "engine/scene_parts.h"
#include "grains/grains.h"

carom_status carom_grains_scene(carom_scene *scene, carom_error *error);
carom_status carom_grains_show(carom_scene *scene, double t, carom_error *error);

#endif
