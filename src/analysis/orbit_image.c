// SPDX-License-Identifier: MIT
/// The mirror image of a periodic motion: its start reflected, and one turn from there. A
/// reflection done twice is none, so that a motion is its own image either at once or half a turn
/// later; a motion of several periods of its drive after any number of them.
#include "analysis/orbit_map.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double SAME = 1e-6; // of the size of the motion

static uint64_t image_closed(const carom_mirror *mirror, uint64_t closed) {
  uint64_t image = 0;
  assert(mirror->contacts <= 64);
  for (int k = 0; k < mirror->contacts; k++)
    if (closed >> k & 1u) {
      assert(mirror->contact[k] >= 0 && mirror->contact[k] < mirror->contacts);
      image |= (uint64_t)1 << mirror->contact[k];
    }
  return image;
}

// are y and z the same but for what may drift?
static bool same_place(const carom_orbit_map *map, const double *y, const double *z) {
  double apart[CAROM_ORBIT_STATES];
  for (int i = 0; i < map->size; i++)
    apart[i] = y[i] - z[i];
  carom_shifts_reduce(&map->shifts, apart);
  for (int k = 0; k < map->count; k++) {
    int i = map->which[k];
    double way = apart[i] - carom_shifts_whole(&map->shifts, i, apart[i]);
    if (!(fabs(way) <= SAME * map->units.scale[k])) return false;
  }
  return true;
}

// does the motion pass `image` at a time at which its own image may be it?
static carom_status passes_image(carom_orbit_map *map, const carom_orbit_data *orbit,
                                 const carom_mirror *mirror, const double *image, bool *own,
                                 carom_error *error) {
  int parts = map->kind.autonomous ? 2 : map->begin.turns, size;
  double part = orbit->is.period / parts, later = mirror->later ? 0.5 * part : 0.0;
  carom_status status = map->maker.engine->turns.place(map->maker.simulation, orbit->is.start,
                                                       orbit->state, map->begin.closed, error);
  for (int k = 0; k < parts && status >= 0 && !*own; k++) {
    double t = orbit->is.start + later + k * part;
    if (t > orbit->is.start)
      status = map->maker.engine->advance(map->maker.simulation, t, false, error);
    *own = same_place(map, carom_simulation_state(map->maker.simulation, &size), image);
  }
  return status < 0 ? status : CAROM_OK;
}

// one turn from the reflected start; it must come back there
static carom_status turn_image(carom_orbit_map *map, const carom_mirror *mirror,
                               carom_orbit_data *orbit, bool *back, carom_error *error) {
  int size;
  uint64_t closed = image_closed(mirror, map->begin.closed);
  orbit->is.mirrored.start = orbit->is.start;
  if (mirror->later) orbit->is.mirrored.start += 0.5 * orbit->is.period / map->begin.turns;
  carom_status status = map->maker.engine->turns.place(
      map->maker.simulation, orbit->is.mirrored.start, orbit->image_state, closed, error);
  if (status == CAROM_OK)
    status = map->maker.engine->advance(map->maker.simulation,
                                        orbit->is.mirrored.start + orbit->is.period, false, error);
  if (status != CAROM_OK) return status;
  *back = same_place(map, carom_simulation_state(map->maker.simulation, &size), orbit->image_state);
  status = map->maker.engine->turns.word(map->maker.simulation, orbit->image_word,
                                         sizeof orbit->image_word, error);
  carom_orbit_word_shorten(orbit->image_word);
  return status;
}

static carom_status look_into(carom_orbit_map *map, const carom_mirror *mirror,
                              carom_orbit_data *orbit, carom_error *error) {
  bool own = false, back = false;
  for (int i = 0; i < map->size; i++)
    orbit->image_state[i] = mirror->sign[i] * orbit->state[mirror->from[i]];
  carom_status status = passes_image(map, orbit, mirror, orbit->image_state, &own, error);
  if (status == CAROM_OK) status = turn_image(map, mirror, orbit, &back, error);
  // an unstable motion may be left within the turn: then nothing is said of it
  if (status != CAROM_OK || !back) return status;
  orbit->is.mirrored.image = own ? CAROM_IMAGE_SELF : CAROM_IMAGE_OTHER;
  (void)snprintf(orbit->mirror, sizeof orbit->mirror, "%s", mirror->text);
  return CAROM_OK;
}

carom_status carom_orbit_reflect(carom_orbit_map *map, carom_orbit_data *orbit,
                                 carom_error *error) {
  carom_mirrors *mirrors = NULL;
  carom_status status = carom_mirrors_find(map->maker.simulation, &mirrors, error);
  int count = status == CAROM_OK ? carom_mirrors_count(mirrors) : 0;
  orbit->is.mirrored.image = CAROM_IMAGE_NONE;
  for (int k = 0; k < count && status == CAROM_OK && orbit->is.mirrored.image != CAROM_IMAGE_OTHER;
       k++) {
    carom_orbit_data kept = *orbit;
    status = look_into(map, carom_mirrors_at(mirrors, k), orbit, error);
    if (status == CAROM_OK && kept.is.mirrored.image != CAROM_IMAGE_NONE &&
        orbit->is.mirrored.image != CAROM_IMAGE_OTHER)
      *orbit = kept;
  }
  carom_mirrors_destroy(mirrors);
  return status;
}
