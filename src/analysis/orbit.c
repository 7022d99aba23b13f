// SPDX-License-Identifier: MIT
/// Periodic motions by shooting: one turn of the motion, closed by Newton's method.
#include "carom/orbit.h"

#include "analysis/orbit_map.h"
#include "analysis/watch_over.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_MOST = 30 };
static const double OPEN = 1e-6; // of the motion's size: no periodic motion
static const uint32_t COOKIE = 0x0b17u;

carom_orbit_options carom_orbit_options_default(void) {
  return (carom_orbit_options){
      .after = -1.0, .tolerance = 1e-10, .most = DEFAULT_MOST, .cookie = COOKIE};
}

static carom_status close_turn(carom_orbit_map *map, const carom_orbit_options *options,
                               carom_branch_point *point, carom_orbit *orbit, carom_error *error) {
  char first[CAROM_ORBIT_WORD];
  carom_branch_problem problem = carom_orbit_problem(map);
  carom_branch_effort effort;
  carom_status status = carom_orbit_map_turn(map, point->x, 0.0, false, error);
  if (status != CAROM_OK) return status;
  memcpy(first, map->word, sizeof first);
  status = carom_branch_correct(&problem, point, NULL, options->tolerance, options->most, &effort,
                                error);
  if (status == CAROM_OK) status = carom_orbit_map_turn(map, point->x, 0.0, true, error);
  if (status != CAROM_OK) return status;
  orbit->rounds = effort.rounds;
  orbit->residual = 0.0;
  for (int k = 0; k < map->count; k++) {
    double part = map->weight[k] * (map->end[map->which[k]] - point->x[k]);
    if (part < 0.0) part = -part;
    if (!(part <= orbit->residual)) orbit->residual = part;
  }
  carom_orbit_describe(map, point->x, orbit);
  orbit->word_changed = strcmp(first, map->seen_word) != 0;
  status = carom_orbit_multipliers(map, orbit, error);
  // where neighbours part too fast for the digits there are, the steps of Newton's method say
  // nothing
  if (status == CAROM_OK && !(orbit->residual <= OPEN))
    return carom_fail(error, CAROM_ERR_NO_CONVERGENCE,
                      "the turn does not close: its end is %.2g of its size away from its start, "
                      "and neighbours part by a factor of %.3g",
                      orbit->residual,
                      orbit->multipliers > 0 ? hypot(orbit->re[0], orbit->im[0]) : 0.0);
  return status;
}

// largest difference of two derivatives, entries in units of the motion's size
static double apart(const carom_orbit_map *map, const double *a, const double *b) {
  double most = 0.0;
  for (int i = 0; i < map->count; i++)
    for (int j = 0; j < map->count; j++)
      most = fmax(most, fabs(a[i * map->count + j] - b[i * map->count + j]) * map->scale[j] *
                            map->weight[i]);
  return most;
}

// the derivative of neighbours that meet contacts of one instant in the reverse order
static carom_status find_other_side(carom_orbit_map *map, const double *x, carom_orbit *orbit,
                                    carom_error *error) {
  if (orbit->notes.sided == 0 || !map->engine->tangent_reverse) return CAROM_OK;
  size_t size = (size_t)(map->count * map->count) * sizeof(double);
  double *kept = malloc(size);
  carom_orbit *other = malloc(sizeof *other);
  carom_status status = kept && other ? CAROM_OK : carom_fail_memory(error);
  if (status == CAROM_OK) {
    memcpy(kept, map->matrix, size);
    *other = *orbit;
    status = carom_tangent_reverse(map->simulation, true, error);
  }
  if (status == CAROM_OK) status = carom_orbit_map_turn(map, x, 0.0, true, error);
  if (status == CAROM_OK) status = carom_orbit_multipliers(map, other, error);
  if (status == CAROM_OK) {
    orbit->sided = true;
    orbit->sides_apart = apart(map, map->matrix, kept);
    orbit->other_multipliers = other->multipliers;
    memcpy(orbit->other_re, other->re, sizeof orbit->other_re);
    memcpy(orbit->other_im, other->im, sizeof orbit->other_im);
    orbit->other_kind = other->kind;
  }
  free(kept);
  free(other);
  return status;
}

carom_status carom_orbit_find(const carom_orbit_options *options, carom_orbit *orbit,
                              carom_error *error) {
  *orbit = (carom_orbit){0};
  if (options->cookie != COOKIE || !options->model || options->most < 1 ||
      !(options->tolerance > 0.0))
    return carom_fail(error, CAROM_ERR_ARGUMENT,
                      "options of orbits start from carom_orbit_options_default()");
  carom_orbit_map *map = malloc(sizeof *map);
  carom_branch_point *point = calloc(1, sizeof *point);
  carom_simulation *simulation = NULL;
  carom_status status = map && point ? CAROM_OK : carom_fail_memory(error);
  if (status == CAROM_OK) status = carom_simulation_create(options->model, &simulation, error);
  if (status == CAROM_OK)
    status = carom_values_set(simulation, options->value_count, options->values, error);
  if (status == CAROM_OK) status = carom_orbit_map_init(map, simulation, error);
  if (status == CAROM_OK) map->watcher = options->watcher;
  if (status == CAROM_OK) status = carom_orbit_start(map, options, point->x, error);
  if (status == CAROM_OK) status = close_turn(map, options, point, orbit, error);
  if (status == CAROM_OK) status = find_other_side(map, point->x, orbit, error);
  if (status == CAROM_OK) status = carom_orbit_reflect(map, orbit, error);
  carom_simulation_destroy(simulation);
  free(point);
  free(map);
  return status;
}

carom_status carom_orbit_trace(const carom_orbit_options *options, const carom_orbit *orbit,
                               int count, double *times, double *states, carom_error *error) {
  carom_orbit_map *map = malloc(sizeof *map);
  carom_simulation *simulation = NULL;
  carom_status status = map ? CAROM_OK : carom_fail_memory(error);
  if (status == CAROM_OK) status = carom_simulation_create(options->model, &simulation, error);
  if (status == CAROM_OK)
    status = carom_values_set(simulation, options->value_count, options->values, error);
  if (status == CAROM_OK) status = carom_orbit_map_init(map, simulation, error);
  if (status == CAROM_OK)
    status =
        map->engine->place(simulation, orbit->start, orbit->state, orbit->closed_at_start, error);
  for (int k = 0; k < count && status >= 0; k++) {
    int size;
    times[k] = orbit->start + orbit->period * k / (count > 1 ? count - 1 : 1);
    if (k > 0) status = map->engine->advance(simulation, times[k], false, error);
    memcpy(states + (size_t)k * (size_t)orbit->size, carom_simulation_state(simulation, &size),
           (size_t)orbit->size * sizeof *states);
  }
  carom_simulation_destroy(simulation);
  free(map);
  return status < 0 ? status : CAROM_OK;
}
