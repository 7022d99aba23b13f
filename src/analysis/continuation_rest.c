// SPDX-License-Identifier: MIT
/// Branches of equilibria: where they begin, in which sizes they are measured, and how they go on
/// in another mode where a contact opens, closes or begins to slip.
#include "analysis/follower.h"
#include "base/elementary.h"

#include "carom/equilibrium.h"

#include <math.h>
#include <string.h>

// an equilibrium lets the integrator take any step: the time is so short that one is exact
static const double QUIET = 0.2;
static const double UNMOVED = 1e-8; // of an equilibrium: rounding
// of the way of the parameter: an equilibrium that is farther away is another one
static const double REACH = 100.0;

// `paradox`: the first one that Painleve's paradox alone makes inadmissible
static const carom_equilibrium *choose_mode(const carom_equilibria *list, const char *mode,
                                            const carom_equilibrium **paradox) {
  *paradox = NULL;
  for (int k = 0; k < carom_equilibria_count(list); k++) {
    const carom_equilibrium *e = carom_equilibria_at(list, k);
    if (mode ? strcmp(e->mode, mode) == 0 : e->admissible) return e;
    if (e->paradox && !*paradox) *paradox = e;
  }
  return NULL;
}

carom_status carom_follower_choose_time(carom_follower *it, carom_station *place) {
  carom_orbit_map *map = it->map;
  for (int round = 0; round < 40; round++) {
    carom_status status = carom_orbit_map_turn(map, place->at.x, place->at.p, true, it->error);
    if (status == CAROM_OK) status = carom_orbit_multipliers(map, &place->orbit, it->error);
    if (status != CAROM_OK) return status;
    double fastest = 0.0;
    for (int k = 0; k < place->orbit.is.floquet.count; k++) {
      double modulus = carom_hypot(place->orbit.re[k], place->orbit.im[k]);
      double angle = fabs(carom_atan2(place->orbit.im[k], place->orbit.re[k]));
      fastest = fmax(fastest, modulus > 0.0 ? carom_hypot(carom_log(modulus), angle) : 20.0);
    }
    if (fastest < QUIET) break;
    map->found.period *= 0.5;
  }
  return CAROM_OK;
}

// Forces of rest that a run need not choose: with friction beyond Painleve's paradox a contact that
// slides can as well lift off, and does.
static carom_status fail_beyond_paradox(carom_follower *it, const char *mode, double p) {
  return carom_fail(it->error, CAROM_ERR_NO_CONVERGENCE,
                    "contacts of the equilibrium in mode %s at %s = %g do not stay closed: it lies "
                    "beyond Painleve's paradox",
                    mode, it->options->parameter, p);
}

static carom_status stay_closed(carom_follower *it, const carom_station *place, const char *mode) {
  carom_orbit_map *map = it->map;
  carom_status status = carom_orbit_begin(map, place->at.x, place->at.p, it->error);
  bool closed = map->maker.engine->turns.closed(map->maker.simulation) == map->begin.closed;
  return status == CAROM_OK && !closed ? fail_beyond_paradox(it, mode, place->at.p) : status;
}

static carom_status fail_without_rest(carom_follower *it, const carom_equilibrium *paradox) {
  const carom_continuation_options *options = it->options;
  if (paradox && !options->mode) return fail_beyond_paradox(it, paradox->mode, options->from);
  return carom_fail(it->error, CAROM_ERR_NO_CONVERGENCE, "there is no equilibrium%s%s at %s = %g",
                    options->mode ? " in mode " : "", options->mode ? options->mode : "",
                    options->parameter, options->from);
}

// turns begin at that equilibrium, on its contacts
static void take_rest(carom_orbit_map *map, const carom_equilibrium *e, double *x) {
  memcpy(map->begin.base, e->state, (size_t)map->size * sizeof *map->begin.base);
  map->begin.closed = 0;
  for (int k = 0; k < e->contacts && k < 64; k++)
    if (e->normal[k] != 0.0) map->begin.closed |= (uint64_t)1 << k;
  for (int k = 0; k < map->count; k++)
    x[k] = map->begin.base[map->which[k]];
}

carom_status carom_follower_begin_rest(carom_follower *it, carom_station *place) {
  carom_equilibria *list = NULL;
  carom_orbit_map *map = it->map;
  if (!map->kind.autonomous)
    return carom_fail(it->error, CAROM_ERR_UNSUPPORTED,
                      "the system depends on time: it has no equilibria");
  carom_status status = carom_equilibria_find(map->maker.simulation, &list, it->error);
  if (status != CAROM_OK) return status;
  const carom_equilibrium *paradox, *e = choose_mode(list, it->options->mode, &paradox);
  if (!e) {
    status = fail_without_rest(it, paradox);
    carom_equilibria_destroy(list);
    return status;
  }
  map->kind.rest = true;
  take_rest(map, e, place->at.x);
  for (int k = 0; k < map->count; k++)
    map->units.scale[k] = map->units.weight[k] = 1.0;
  map->found.period = 1e-2 * (carom_simulation_until(map->maker.simulation) -
                              carom_simulation_time(map->maker.simulation));
  if (e->admissible) status = stay_closed(it, place, e->mode);
  carom_equilibria_destroy(list);
  return status == CAROM_OK ? carom_follower_choose_time(it, place) : status;
}

// An equilibrium has no size of its own. What counts is how far the parameter moves it over its
// range; where that is nothing, the units of the scenario.
void carom_follower_measure_rest(carom_follower *it) {
  carom_orbit_map *map = it->map;
  const carom_branch_point *at = &it->here.at;
  double size[CAROM_ORBIT_STATES], largest = 0.0, place = 1.0;
  for (int k = 0; k < map->count; k++) {
    size[k] = fabs(at->tangent[k] * map->units.scale[k] / at->tangent_p);
    largest = fmax(largest, size[k]);
    place = fmax(place, fabs(at->x[k]));
  }
  if (!isfinite(largest) || !(largest > UNMOVED * place)) return;
  for (int k = 0; k < map->count; k++) {
    map->units.scale[k] = fmax(size[k], 0.1 * largest);
    map->units.weight[k] = 1.0 / map->units.scale[k];
  }
}

// how far an equilibrium is from a place
static double measure_distance(const carom_follower *it, const carom_equilibrium *e,
                               const carom_station *place) {
  const carom_orbit_map *map = it->map;
  double most = 0.0;
  for (int k = 0; k < map->count; k++)
    most = fmax(most, fabs(e->state[map->which[k]] - place->at.x[k]) / map->units.scale[k]);
  return most;
}

// The admissible equilibrium in another mode that is nearest to `end`, no farther than `most`, at
// the parameter of `next`, which becomes it.
static carom_status look_for_rest(carom_follower *it, const carom_station *end, double most,
                                  carom_station *next, bool *found) {
  carom_equilibria *list = NULL;
  const carom_equilibrium *nearest = NULL;
  carom_orbit_map *map = it->map;
  carom_status status = carom_orbit_begin(map, end->at.x, next->at.p, NULL);
  if (status == CAROM_OK) status = carom_equilibria_find(map->maker.simulation, &list, NULL);
  for (int k = 0; status == CAROM_OK && k < carom_equilibria_count(list); k++) {
    const carom_equilibrium *e = carom_equilibria_at(list, k);
    if (!e->admissible || strcmp(e->mode, it->here.orbit.word) == 0) continue;
    double away = measure_distance(it, e, end);
    if (away > most) continue;
    most = away;
    nearest = e;
  }
  if (nearest) {
    take_rest(map, nearest, next->at.x);
    status = carom_follower_settle(it, next, true);
  }
  *found = nearest && status == CAROM_OK;
  carom_equilibria_destroy(list);
  return status == CAROM_STOP_USER || status == CAROM_ERR_MEMORY ? status : CAROM_OK;
}

// Where a contact opens, closes or begins to slip, an equilibrium in the other mode meets it, at
// the far side of the end, or at the near side if both vanish there.
carom_status carom_follower_rest_beyond(carom_follower *it, const carom_station *end,
                                        carom_station *next, bool *passed) {
  static const double steps[] = {1e-6, 1e-5, 1e-4, 1e-3};
  carom_orbit_map *map = it->map, kept = *map;
  double ahead = end->at.tangent_p >= 0.0 ? 1.0 : -1.0, p = end->at.p;
  *passed = false;
  for (int k = 0; k < 8 && !*passed; k++) {
    double way = k % 2 ? -ahead * steps[k / 2] : ahead * steps[k / 2];
    *next = carom_station_at(end, p + way * it->problem.scale_p);
    carom_status status = look_for_rest(it, end, REACH * steps[k / 2], next, passed);
    if (status != CAROM_OK) return status;
    if (*passed && next->at.tangent_p * way < 0.0) carom_follower_face(it, next, -1.0);
    if (!*passed) *map = kept;
  }
  return CAROM_OK;
}
