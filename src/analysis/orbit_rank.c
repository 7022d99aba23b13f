// SPDX-License-Identifier: MIT
#include "analysis/orbit_rank.h"

#include "base/elementary.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { MOST = CAROM_ORBIT_STATES, PIECES = 1000, TURNS = 3 };
static const double LOST = 1e-9;   // of a unit length, within a piece: what an instant extinguishes
static const double SETTLE = -7.0; // of logarithms
static const double ROUNDING = 1e-12; // of the matrix: multipliers below are not read off it

/// Directions on their way.
typedef struct bundle {
  carom_orbit_map *map;
  double *matrix; // of the engine, size x size; its columns are the directions
  int size, count;
  double logs[MOST];    // of what they have shrunk by, this turn
  double settled[MOST]; // and had when they were last brought back to what contacts allow
} bundle;

static double column_product(const bundle *it, int a, int b) {
  double sum = 0.0;
  for (int i = 0; i < it->size; i++)
    sum += it->matrix[i * it->size + a] * it->matrix[i * it->size + b];
  return sum;
}

static void add_column(const bundle *it, int to, int from, double factor) {
  assert(to != from);
  for (int i = 0; i < it->size; i++)
    it->matrix[i * it->size + to] += factor * it->matrix[i * it->size + from];
}

static void scale_column(const bundle *it, int column, double factor) {
  for (int i = 0; i < it->size; i++)
    it->matrix[i * it->size + column] *= factor;
}

// column j goes to the end of those that are followed, which become one less
static void drop_column(bundle *it, int j) {
  assert(j >= 0);
  it->count--;
  for (int k = j; k < it->count; k++) {
    it->logs[k] = it->logs[k + 1];
    for (int i = 0; i < it->size; i++)
      it->matrix[i * it->size + k] = it->matrix[i * it->size + k + 1];
  }
  scale_column(it, it->count, 0.0);
}

// lengths are measured in the sizes of the states
static void measure_in_sizes(const bundle *it, bool back) {
  const carom_orbit_map *map = it->map;
  for (int k = 0; k < map->count; k++) {
    double *row = it->matrix + map->which[k] * it->size;
    for (int j = 0; j < it->size; j++)
      row[j] *= back ? map->units.scale[k] : 1.0 / map->units.scale[k];
  }
}

// what may drift is no direction of the map: it neither grows nor shrinks
static void take_shifts_away(const bundle *it) {
  const carom_shifts *shifts = &it->map->shifts;
  int size = it->size;
  for (int j = 0; j < size && shifts->count > 0; j++) {
    double column[MOST];
    for (int i = 0; i < size; i++)
      column[i] = it->matrix[i * size + j];
    carom_shifts_reduce(shifts, column);
    for (int i = 0; i < size; i++)
      it->matrix[i * size + j] = carom_shifts_free(shifts, i) ? 0.0 : column[i];
  }
}

static void orthonormalise_columns(bundle *it) {
  take_shifts_away(it);
  measure_in_sizes(it, false);
  for (int j = 0; j < it->count;) {
    double before = sqrt(column_product(it, j, j));
    for (int pass = 0; pass < 2; pass++)
      for (int k = 0; k < j; k++)
        add_column(it, j, k, -column_product(it, k, j));
    double length = sqrt(column_product(it, j, j));
    if (!(length > LOST * fmin(1.0, before)) || !(length > LOST)) {
      drop_column(it, j);
      continue;
    }
    it->logs[j] += carom_log(length);
    scale_column(it, j++, 1.0 / length);
  }
  measure_in_sizes(it, true);
}

// rounding leads out of what contacts allow, and does not shrink with the others
static void stay_allowed(bundle *it) {
  double least = 0.0;
  for (int j = 0; j < it->count; j++)
    least = fmin(least, it->logs[j] - it->settled[j]);
  if (least > SETTLE || !it->map->maker.engine->tangent.settle) return;
  (void)it->map->maker.engine->tangent.settle(it->map->maker.simulation, NULL);
  memcpy(it->settled, it->logs, sizeof it->settled);
}

static void begin_bundle(bundle *it) {
  it->count = it->size;
  orthonormalise_columns(it);
  memset(it->logs, 0, sizeof it->logs);
}

static carom_status place_map(const carom_orbit_map *map, const double *x) {
  double y[MOST];
  memcpy(y, map->begin.base, (size_t)map->size * sizeof *y);
  for (int k = 0; k < map->count; k++)
    y[map->which[k]] = x[k];
  return map->maker.engine->turns.place(map->maker.simulation, map->begin.time, y,
                                        map->begin.closed, NULL);
}

// one turn from x; the directions are those of the matrix now
static bool go_round(bundle *it, const double *x) {
  const carom_orbit_map *map = it->map;
  double kept[MOST * MOST];
  size_t bytes = (size_t)(it->size * it->size) * sizeof *kept;
  memcpy(kept, it->matrix, bytes);
  if (place_map(map, x) != CAROM_OK || carom_tangent_begin(map->maker.simulation, NULL) != CAROM_OK)
    return false;
  memcpy(it->matrix, kept, bytes);
  memset(it->logs, 0, sizeof it->logs);
  memset(it->settled, 0, sizeof it->settled);
  for (int k = 1; k <= PIECES; k++) {
    double end = map->begin.time + map->found.period * k / PIECES;
    while (carom_simulation_time(map->maker.simulation) < end) {
      carom_status status = map->maker.engine->advance(map->maker.simulation, end, true, NULL);
      if (status < 0 || status == CAROM_STOP_USER) return false;
      orthonormalise_columns(it);
      stay_allowed(it);
      if (status == CAROM_OK) break;
    }
  }
  return true;
}

// the trivial direction is among those that are followed, not among the multipliers
static void write_down(const bundle *it, carom_orbit_data *orbit) {
  int trivial = carom_orbit_has_period(it->map), left = it->count - trivial;
  double size = carom_orbit_largest_entry(it->map);
  orbit->is.floquet.extinguished = 0;
  for (int k = 0; k < orbit->is.floquet.count; k++) {
    double modulus = sqrt(orbit->re[k] * orbit->re[k] + orbit->im[k] * orbit->im[k]);
    if (k >= left) {
      orbit->re[k] = orbit->im[k] = 0.0;
      orbit->is.floquet.extinguished++;
    } else if (modulus <= ROUNDING * size) {
      orbit->re[k] = carom_exp(it->logs[k + trivial]);
      orbit->im[k] = 0.0;
    }
  }
}

void carom_orbit_tell_extinguished(carom_orbit_map *map, const double *x, carom_orbit_data *orbit) {
  bundle it = {.map = map};
  if (!map->maker.engine->tangent.begin || map->kind.rest || place_map(map, x) != CAROM_OK) return;
  if (carom_tangent_begin(map->maker.simulation, NULL) != CAROM_OK) return;
  it.matrix = carom_tangent_matrix(map->maker.simulation, &it.size);
  begin_bundle(&it);
  bool whole = true; // turns before the last lead directions to where they belong
  for (int k = 0; k < TURNS && whole; k++)
    whole = go_round(&it, x);
  carom_tangent_end(map->maker.simulation);
  if (whole) write_down(&it, orbit);
}
