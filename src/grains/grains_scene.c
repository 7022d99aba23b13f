// SPDX-License-Identifier: MIT
// Rods in the order of their ids, then the walls.
#include "grains/grains_scene.h"

carom_status carom_grains_scene(carom_scene *scene, carom_error *error) {
  const carom_grains *it = scene->simulation->state;
  const carom_bed *bed = it->bed;
  const carom_bed_settings *set = bed->settings;
  carom_status status = CAROM_OK;
  scene->space = true;
  for (int id = 0; id < bed->n && status == CAROM_OK; id++) {
    int i = bed->order.place[id];
    const carom_bed_kind *rod = carom_bed_kind_of(bed, i);
    double fixed[2] = {rod->half, rod->radius};
    status = carom_scene_add(scene, CAROM_PART_ROD, "", 6, 2, fixed, error);
  }
  for (int k = 0; k < set->wall_count && status == CAROM_OK; k++) {
    const carom_bed_wall *wall = &set->walls[k];
    double fixed[3] = {wall->centre[0], wall->centre[1], wall->at};
    bool plane = wall->kind == CAROM_WALL_PLANE;
    status = carom_scene_add(scene, plane ? CAROM_PART_PLANE : CAROM_PART_TUBE, wall->name,
                             plane ? 6 : 0, plane ? 0 : 3, fixed, error);
  }
  return status;
}

carom_status carom_grains_show(carom_scene *scene, double t, carom_error *error) {
  (void)t;
  const carom_grains *it = scene->simulation->state;
  const carom_bed *bed = it->bed;
  const carom_bed_settings *set = bed->settings;
  double *at = scene->numbers + scene->shape_numbers;
  for (int id = 0; id < bed->n; id++, at += 6)
    for (int c = 0; c < 3; c++) {
      int i = bed->order.place[id];
      at[c] = bed->x[c][i];
      at[3 + c] = bed->u[c][i];
    }
  for (int k = 0; k < set->wall_count; k++) {
    const carom_bed_wall *wall = &set->walls[k];
    if (wall->kind != CAROM_WALL_PLANE) continue;
    for (int c = 0; c < 3; c++) {
      at[c] = wall->normal[c] * wall->at;
      at[3 + c] = wall->normal[c];
    }
    if (wall->driven) at[2] += bed->wall.z;
    at += 6;
  }
  return carom_grains_certificate((carom_simulation *)scene->simulation, &scene->ledger, error);
}
