// SPDX-License-Identifier: MIT
#include "draw/scene_data.h"

#include "draw/script.h"

#include <stdlib.h>
#include <string.h>

static carom_part_kind kind_named(const char *name) {
  for (int k = 0; k < CAROM_PARTS; k++)
    if (strcmp(carom_part_kind_text((carom_part_kind)k), name) == 0) return (carom_part_kind)k;
  return CAROM_PARTS;
}

// how many numbers a part of a kind must have at least, of each kind
static bool is_sound(const carom_scene_data *scene, const carom_part *part) {
  static const int NUMBERS[CAROM_PARTS] = {3, 4, 6, 1, 6, 12, 6, 0, 4, 4, 5, 1, 1};
  static const int FIXED[CAROM_PARTS] = {0, 0, 0, 0, 2, 1, 0, 3, 0, 0, 0, 1, 2};
  if (part->kind >= CAROM_PARTS || part->first < 0 || part->fixed_first < 0 ||
      part->count < NUMBERS[part->kind] || part->fixed_length < FIXED[part->kind] ||
      part->first > scene->size - part->count ||
      part->fixed_first > scene->fixed_count - part->fixed_length)
    return false;
  if (part->kind != CAROM_PART_BODY) return true;
  // corners of triangles must exist
  const double *own = scene->fixed + part->fixed_first;
  double corners = own[0];
  if (!(corners >= 1.0) || 1.0 + 3.0 * corners > part->fixed_length) return false;
  for (int k = 1 + 3 * (int)corners; k + 3 < part->fixed_length; k += 4)
    for (int j = 0; j < 3; j++)
      if (!(own[k + j] >= 0.0) || own[k + j] >= corners) return false;
  return true;
}

// "" where a file has none
static const char *text_of(char **texts, long count, long k) {
  return texts && k < count ? texts[k] : "";
}

static bool read_parts(const carom_store *store, carom_scene_data *scene) {
  static const char *const PATHS[4] = {"/scene/first", "/scene/count", "/scene/fixed_first",
                                       "/scene/fixed_count"};
  double *counts[4];
  long rows[4], kinds, labels, colors, fill_count;
  char **kind = carom_store_texts(store, "/scene/kind", &kinds);
  char **fills = carom_store_texts(store, "/scene/fill", &fill_count);
  scene->labels = carom_store_texts(store, "/scene/label", &labels);
  scene->colors = carom_store_texts(store, "/scene/color", &colors);
  bool good = kind != NULL;
  for (int j = 0; j < 4; j++) {
    counts[j] = carom_store_array(store, PATHS[j], &rows[j], NULL);
    good = good && counts[j] && rows[j] == kinds;
  }
  scene->parts = good ? calloc((size_t)kinds + 1, sizeof *scene->parts) : NULL;
  for (long k = 0; k < kinds && scene->parts; k++) {
    carom_part part = {.kind = kind_named(kind[k]),
                       .label = text_of(scene->labels, labels, k),
                       .first = (int)counts[0][k],
                       .count = (int)counts[1][k],
                       .fixed_first = (int)counts[2][k],
                       .fixed_length = (int)counts[3][k],
                       .color = text_of(scene->colors, colors, k)};
    part.hollow = strcmp(text_of(fills, fill_count, k), "none") == 0;
    if (is_sound(scene, &part)) scene->parts[scene->part_count++] = part;
  }
  for (int j = 0; j < 4; j++)
    free(counts[j]);
  free(kind);
  free(fills);
  return scene->part_count > 0;
}

carom_status carom_scene_data_read(const carom_store *store, carom_scene_data *scene,
                                   carom_error *error) {
  *scene = (carom_scene_data){0};
  long rows;
  scene->t = carom_store_array(store, "/scene/t", &scene->frames, NULL);
  scene->numbers = carom_store_array(store, "/scene/numbers", &rows, &scene->size);
  scene->fixed = carom_store_array(store, "/scene/fixed", &scene->fixed_count, NULL);
  scene->space = carom_store_attribute(store, "/scene", "space", 0) != 0;
  if (scene->t && scene->numbers && scene->fixed && rows == scene->frames && scene->frames > 0 &&
      read_parts(store, scene))
    return CAROM_OK;
  return carom_draw_fail(error, CAROM_ERR_INPUT,
                         "the recording holds no bodies: give the scenario `shapes` and run again");
}

void carom_scene_data_free(carom_scene_data *scene) {
  free(scene->parts);
  free(scene->labels);
  free(scene->colors);
  free(scene->t);
  free(scene->numbers);
  free(scene->fixed);
}

const double *carom_scene_data_at(const carom_scene_data *scene, long frame,
                                  const carom_part *part) {
  return scene->numbers + frame * scene->size + part->first;
}

long carom_scene_data_frame(const carom_scene_data *scene, double t) {
  long low = 0, high = scene->frames - 1;
  while (low < high) {
    long middle = (low + high + 1) / 2;
    if (scene->t[middle] <= t)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}
