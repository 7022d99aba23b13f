// SPDX-License-Identifier: MIT
/// The recorded bodies of a run as arrays.
#ifndef CAROM_DRAW_SCENE_DATA_H
#define CAROM_DRAW_SCENE_DATA_H

#include "carom/scene.h"
#include "record/store.h"

typedef struct carom_scene_data {
  bool space;
  long frames, size, part_count, fixed_count;
  carom_part *parts;
  char **labels, **colors; // of the parts
  double *t, *numbers, *fixed;
} carom_scene_data;

/// CAROM_ERR_INPUT when the recording holds no bodies. The caller frees it in any case.
carom_status carom_scene_data_read(const carom_store *store, carom_scene_data *scene,
                                   carom_error *error);
void carom_scene_data_free(carom_scene_data *scene);
/// The numbers of a part at a frame.
const double *carom_scene_data_at(const carom_scene_data *scene, long frame,
                                  const carom_part *part);
/// The last frame not later than t.
long carom_scene_data_frame(const carom_scene_data *scene, double t);

#endif
