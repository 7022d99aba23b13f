// SPDX-License-Identifier: MIT
/// Periodic motions by shooting: one turn of the motion, closed by Newton's method.
#include "carom/orbit.h"

#include "analysis/orbit_family.h"
#include "analysis/orbit_map.h"
#include "analysis/orbit_rank.h"
#include "analysis/watch_over.h"
#include "base/elementary.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_MOST = 30 };
static const double OPEN = 1e-6;   // of the motion's size: no periodic motion
static const double PARTING = 1e6; // multiplier: a run leaves the motion before its turn is over
static const double SMALL = 1e-8;  // multipliers that may be exactly 0

carom_orbit_options carom_orbit_options_default(void) {
  return (carom_orbit_options){
      .after = -1.0, .tolerance = 1e-10, .most = DEFAULT_MOST, .size = sizeof(carom_orbit_options)};
}

// of a family the member that has the energy the search began with
static carom_status correct_member(carom_orbit_map *map, const carom_orbit_options *options,
                                   carom_branch_point *point, carom_branch_effort *effort,
                                   carom_error *error) {
  carom_branch_point kept = *point;
  if (map->kind.family) {
    carom_status status = carom_orbit_family_correct(
        map, map->kind.energy, point, options->tolerance, options->most, effort, error);
    if (status == CAROM_OK || status == CAROM_STOP_USER) return status;
    *point = kept;
  }
  carom_branch_problem problem = carom_orbit_problem(map);
  return carom_branch_correct(&problem, point, NULL, options->tolerance, options->most, effort,
                              error);
}

static carom_status solve_orbit(carom_orbit_map *map, const carom_orbit_options *options,
                                carom_branch_point *point, carom_orbit_data *orbit,
                                carom_error *error) {
  carom_branch_effort effort;
  carom_status status = correct_member(map, options, point, &effort, error);
  if (status == CAROM_OK) status = carom_orbit_map_turn(map, point->x, 0.0, true, error);
  if (status != CAROM_OK) return status;
  orbit->is.rounds = effort.rounds;
  orbit->is.residual = map->found.residual;
  carom_orbit_describe(map, point->x, orbit);
  status = carom_orbit_multipliers(map, orbit, error);
  if (status == CAROM_OK && map->kind.family && orbit->is.kind != CAROM_ORBIT_MARGINAL)
    orbit->is.kind = carom_orbit_judge(orbit, carom_orbit_family_doubt(map, point->x));
  // where neighbours part too fast for the digits there are, the steps of Newton's method say
  // nothing
  if (status == CAROM_OK && !(orbit->is.residual <= OPEN))
    return carom_fail(error, CAROM_ERR_NO_CONVERGENCE,
                      "the turn does not close: its end is %.2g of its size away from its start, "
                      "and neighbours part by a factor of %.3g",
                      orbit->is.residual,
                      orbit->is.floquet.count > 0 ? carom_hypot(orbit->re[0], orbit->im[0]) : 0.0);
  return status;
}

// Which inequality of its word the motion breaks. One that breaks none must be what the motion
// itself does, as far as a run can follow it, which also tells what derivatives meet on the way.
static carom_status judge_word(carom_orbit_map *map, const double *x, carom_orbit_data *orbit,
                               carom_error *error) {
  carom_status status = carom_orbit_legs_check(map, x, 0.0, &orbit->is.fixed_word.margin, error);
  if (status != CAROM_OK) return status;
  orbit->is.fixed_word.virtual_motion = carom_orbit_broken(&orbit->is.fixed_word.margin);
  if (orbit->is.fixed_word.virtual_motion) {
    map->maker.engine->turns.fixed_word->tell(
        map->maker.simulation, &map->fixed_word.legs[orbit->is.fixed_word.margin.leg],
        &orbit->is.fixed_word.margin, orbit->fault, sizeof orbit->fault);
    return CAROM_OK;
  }
  if (orbit->is.floquet.count > 0 && carom_hypot(orbit->re[0], orbit->im[0]) > PARTING)
    return CAROM_OK;
  map->fixed_word.held = false;
  status = carom_orbit_map_turn(map, x, 0.0, true, error);
  map->fixed_word.held = true;
  orbit->is.notes = map->found.notes;
  if (status != CAROM_OK || strcmp(map->derived.word, orbit->word) == 0) return status;
  orbit->is.fixed_word.virtual_motion = true;
  (void)snprintf(orbit->fault, sizeof orbit->fault, "the motion itself has the word %.150s",
                 map->derived.word);
  return CAROM_OK;
}

// with the word held fixed; *done: false where that cannot be or leads nowhere
static carom_status close_fixed(carom_orbit_map *map, const carom_orbit_options *options,
                                carom_branch_point *point, carom_orbit_data *orbit, bool *done,
                                carom_error *error) {
  carom_error why = {0};
  carom_branch_point kept = *point;
  carom_status status = carom_orbit_fix_word(map, point->x, 0.0, &why);
  if (status == CAROM_OK) status = solve_orbit(map, options, point, orbit, &why);
  if (status == CAROM_OK) status = judge_word(map, point->x, orbit, &why);
  *done = status == CAROM_OK;
  if (*done || status == CAROM_STOP_USER) return status;
  if (options->from) {
    *error = why;
    return status;
  }
  (void)snprintf(orbit->unfixed, sizeof orbit->unfixed, "%.190s", why.text);
  *point = kept;
  map->fixed_word.held = false;
  return CAROM_OK;
}

static carom_status close_turn(carom_orbit_map *map, const carom_orbit_options *options,
                               carom_branch_point *point, carom_orbit_data *orbit,
                               carom_error *error) {
  char first[CAROM_ORBIT_WORD];
  bool done = false;
  carom_status status = CAROM_OK;
  map->kind.family = carom_orbit_family(map, point->x, &map->kind.energy);
  if (!options->free_word) status = close_fixed(map, options, point, orbit, &done, error);
  if (status != CAROM_OK || done) return status;
  status = carom_orbit_map_turn(map, point->x, 0.0, false, error);
  memcpy(first, map->found.word, sizeof first);
  if (status == CAROM_OK) status = solve_orbit(map, options, point, orbit, error);
  orbit->is.word_changed = strcmp(first, map->derived.word) != 0;
  return status;
}

// the turn of a motion that was found before, with its word
static carom_status adopt_turn(carom_orbit_map *map, const carom_orbit_view *from, double *x,
                               carom_error *error) {
  if (!from->fixed_word.held || from->size != map->size ||
      from->fixed_word.events >= CAROM_MOST_LEGS || !map->maker.engine->turns.fixed_word)
    return carom_fail(error, CAROM_ERR_ARGUMENT,
                      "a search begins from a motion of the same model whose word was held fixed");
  map->begin.turns = from->turns > 0 ? from->turns : 1;
  map->begin.phase = map->kind.autonomous ? 0.0 : from->start * map->begin.turns / from->period;
  map->begin.time = from->start;
  map->found.period = from->period;
  map->begin.closed = from->closed_at_start;
  map->fixed_word.held = true;
  map->fixed_word.events = from->fixed_word.events;
  memcpy(map->fixed_word.legs, from->fixed_word.legs,
         ((size_t)from->fixed_word.events + 1) * sizeof *map->fixed_word.legs);
  memcpy(map->begin.base, from->state, (size_t)from->size * sizeof *map->begin.base);
  (void)snprintf(map->found.word, sizeof map->found.word, "%s", from->word);
  for (int k = 0; k < map->count; k++) {
    x[k] = from->state[map->which[k]];
    map->units.scale[k] = from->sizes[map->which[k]];
    map->units.weight[k] = 1.0 / map->units.scale[k];
  }
  if (map->kind.autonomous) {
    x[map->count] = map->units.scale[map->count] = from->period;
    map->units.weight[map->count] = 1.0;
  }
  carom_ring ring = carom_orbit_ring(map);
  assert(carom_ring_count(&ring) <= CAROM_BRANCH_MOST);
  for (int k = 0; k < map->fixed_word.events; k++) {
    double *own = x + carom_ring_time(&ring, k);
    own[0] = from->fixed_word.time[k];
    for (int i = 0; i < map->count; i++)
      own[1 + i] = from->fixed_word.state[k * map->size + map->which[i]];
  }
  carom_status status = carom_orbit_weigh_events(map, x, 0.0, error);
  if (status == CAROM_OK) carom_orbit_anchor(map, x);
  return status;
}

// largest difference of two derivatives, entries in units of the motion's size
static double largest_difference(const carom_orbit_map *map, const double *a, const double *b) {
  double most = 0.0;
  for (int i = 0; i < map->count; i++)
    for (int j = 0; j < map->count; j++)
      most = fmax(most, fabs(a[i * map->count + j] - b[i * map->count + j]) * map->units.scale[j] *
                            map->units.weight[i]);
  return most;
}

static double largest_of(const carom_orbit_data *orbit) {
  return carom_hypot(orbit->re[0], orbit->im[0]); // 0 where there are none
}

static bool has_small(const carom_orbit_data *orbit) {
  int last = orbit->is.floquet.count - 1;
  return last >= 0 && carom_hypot(orbit->re[last], orbit->im[last]) < SMALL;
}

// how many orders n contacts have
static long orders_of(int n) {
  long count = 1;
  for (int k = 2; k <= n; k++)
    count *= k;
  return count;
}

// the derivative of neighbours that meet contacts of one instant in order number `order`
static carom_status look_at_order(carom_orbit_map *map, const double *x, long order,
                                  const double *first, carom_orbit_data *orbit,
                                  carom_orbit_data *other, carom_error *error) {
  carom_status status = carom_tangent_order(map->maker.simulation, order, error);
  if (status == CAROM_OK) status = carom_orbit_map_turn(map, x, 0.0, true, error);
  if (status == CAROM_OK) status = carom_orbit_multipliers(map, other, error);
  if (status != CAROM_OK) return status;
  double largest = largest_of(other);
  bool worst = true;
  for (int k = 1; k < orbit->is.sides.orders; k++)
    worst = worst && largest > orbit->order_modulus[k];
  assert(orbit->is.sides.orders > 0 && orbit->is.sides.orders < CAROM_ORBIT_ORDERS);
  orbit->order_modulus[orbit->is.sides.orders++] = largest;
  orbit->is.sides.apart =
      fmax(orbit->is.sides.apart, largest_difference(map, map->found.matrix, first));
  if (!worst) return CAROM_OK;
  orbit->is.sides.multipliers = other->is.floquet.count;
  memcpy(orbit->other_re, other->re, sizeof orbit->other_re);
  memcpy(orbit->other_im, other->im, sizeof orbit->other_im);
  orbit->is.sides.kind = other->is.kind;
  return CAROM_OK;
}

// Contacts that are not linked strike at one instant: the other one-sided derivatives. Of too many
// contacts the first orders and the reverse one.
static carom_status find_other_sides(carom_orbit_map *map, const double *x, carom_orbit_data *orbit,
                                     carom_error *error) {
  if (orbit->is.notes.sided == 0 || !map->maker.engine->tangent.order) return CAROM_OK;
  long orders = orders_of(orbit->is.notes.together);
  int looks = orders < CAROM_ORBIT_ORDERS ? (int)orders : CAROM_ORBIT_ORDERS;
  size_t size = (size_t)(map->count * map->count) * sizeof(double);
  double *first = malloc(size);
  carom_orbit_data *other = malloc(sizeof *other);
  carom_status status = first && other ? CAROM_OK : carom_fail_memory(error);
  if (status == CAROM_OK) {
    memcpy(first, map->found.matrix, size);
    *other = *orbit;
    orbit->is.sides.differ = true;
    orbit->is.sides.orders = 1;
    orbit->order_modulus[0] = largest_of(orbit);
  }
  for (int k = 1; k < looks && status == CAROM_OK; k++)
    status = look_at_order(map, x, k + 1 < looks ? k : orders - 1, first, orbit, other, error);
  free(first);
  free(other);
  return status;
}

// What was found may go round several times: then once. A number of turns or a period that was
// asked for is kept.
static carom_status take_least(carom_orbit_map *map, const carom_orbit_options *options,
                               carom_branch_point *point, carom_orbit_data *orbit,
                               carom_error *error) {
  int parts = 1;
  bool asked = options->from || options->turns > 0 || options->period > 0.0;
  if (asked || orbit->is.fixed_word.virtual_motion) return CAROM_OK;
  carom_status status = carom_orbit_parts(map, point->x, 0.0, &parts, NULL);
  if (status == CAROM_STOP_USER || parts == 1) return status == CAROM_STOP_USER ? status : CAROM_OK;
  carom_orbit_data *whole = malloc(sizeof *whole);
  if (!whole) return carom_fail_memory(error);
  *whole = *orbit;
  *orbit = (carom_orbit_data){0};
  carom_orbit_shorten(map, point->x, parts);
  status = close_turn(map, options, point, orbit, NULL);
  if (status != CAROM_OK && status != CAROM_STOP_USER) {
    *orbit = *whole;
    status = CAROM_OK;
  }
  free(whole);
  return status;
}

static carom_status search_orbit(const carom_orbit_options *options, carom_orbit_data *orbit,
                                 carom_error *error) {
  carom_orbit_map *map = malloc(sizeof *map);
  carom_branch_point *point = calloc(1, sizeof *point);
  carom_simulation *simulation = NULL;
  carom_status status = map && point ? CAROM_OK : carom_fail_memory(error);
  if (status == CAROM_OK) status = carom_simulation_create(options->model, &simulation, error);
  if (status == CAROM_OK)
    status = carom_simulation_set_all(simulation, options->value_count, options->values, error);
  if (status == CAROM_OK) status = carom_orbit_map_init(map, simulation, error);
  if (status == CAROM_OK) map->maker.watcher = options->watcher;
  if (status == CAROM_OK)
    status = options->from ? adopt_turn(map, carom_orbit_look(options->from), point->x, error)
                           : carom_orbit_start(map, options, point->x, error);
  if (status == CAROM_OK) status = close_turn(map, options, point, orbit, error);
  if (status == CAROM_OK) status = take_least(map, options, point, orbit, error);
  if (map) map->fixed_word.held = false; // what follows are turns of the motion itself
  if (status == CAROM_OK && !orbit->is.fixed_word.virtual_motion && has_small(orbit))
    carom_orbit_tell_extinguished(map, point->x, orbit);
  if (status == CAROM_OK && !orbit->is.fixed_word.virtual_motion)
    status = find_other_sides(map, point->x, orbit, error);
  if (status == CAROM_OK && !orbit->is.fixed_word.virtual_motion)
    status = carom_orbit_reflect(map, orbit, error);
  carom_simulation_destroy(simulation);
  free(point);
  free(map);
  return status;
}

carom_status carom_orbit_find(const carom_orbit_options *options, carom_orbit **orbit,
                              carom_error *error) {
  *orbit = NULL;
  carom_status status =
      carom_check_options(options->size, sizeof *options, "carom_orbit_options", error);
  if (status != CAROM_OK) return status;
  if (!options->model || options->most < 1 || !(options->tolerance > 0.0))
    return carom_fail(error, CAROM_ERR_ARGUMENT,
                      "a periodic motion needs a model, a tolerance and rounds");
  carom_orbit_data *data = calloc(1, sizeof *data);
  if (!data) return carom_fail_memory(error);
  status = search_orbit(options, data, error);
  carom_orbit_view view = carom_orbit_data_view(data);
  if (status == CAROM_OK) status = carom_orbit_keep(&view, orbit, error);
  free(data);
  return status;
}

static carom_status trace_real(carom_orbit_map *map, const carom_orbit_view *orbit, int count,
                               double *times, double *states, carom_error *error) {
  carom_status status = map->maker.engine->turns.place(map->maker.simulation, orbit->start,
                                                       orbit->state, orbit->closed_at_start, error);
  for (int k = 0; k < count && status >= 0; k++) {
    int size;
    times[k] = orbit->start + orbit->period * k / (count > 1 ? count - 1 : 1);
    if (k > 0) status = map->maker.engine->advance(map->maker.simulation, times[k], false, error);
    memcpy(states + (size_t)k * (size_t)orbit->size,
           carom_simulation_state(map->maker.simulation, &size),
           (size_t)orbit->size * sizeof *states);
  }
  return status < 0 ? status : CAROM_OK;
}

carom_status carom_orbit_trace(const carom_orbit_options *options, const carom_orbit *found,
                               int count, double *times, double *states, carom_error *error) {
  const carom_orbit_view *orbit = carom_orbit_look(found);
  carom_orbit_map *map = malloc(sizeof *map);
  carom_simulation *simulation = NULL;
  double x[CAROM_BRANCH_MOST];
  carom_status status = map ? CAROM_OK : carom_fail_memory(error);
  if (status == CAROM_OK) status = carom_simulation_create(options->model, &simulation, error);
  if (status == CAROM_OK)
    status = carom_simulation_set_all(simulation, options->value_count, options->values, error);
  if (status == CAROM_OK) status = carom_orbit_map_init(map, simulation, error);
  if (status == CAROM_OK && orbit->fixed_word.held) status = adopt_turn(map, orbit, x, error);
  if (status == CAROM_OK)
    status = orbit->fixed_word.held
                 ? carom_orbit_legs_trace(map, x, 0.0, count, times, states, error)
                 : trace_real(map, orbit, count, times, states, error);
  carom_simulation_destroy(simulation);
  free(map);
  return status;
}
