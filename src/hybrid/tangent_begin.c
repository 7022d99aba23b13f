// SPDX-License-Identifier: MIT
/// The start of tangent dynamics: room, and the directions in which the state may move at all.
#include "hybrid/tangent.h"

#include "ode/variation.h"

#include <math.h>
#include <string.h>

enum { POINTS = 5 };
static const double AT_EDGE = 1e-14;                     // of a switching function
static const double SAME_RATE = 1e-9, LEAST_RATE = 1e-9; // relative; absolute

static carom_status make_room(carom_hybrid *it, carom_error *error) {
  carom_arena *arena = it->simulation->arena;
  carom_tangent *made = carom_arena_take(arena, sizeof *made);
  if (!made) return carom_fail_memory(error);
  long failures = carom_arena_failures(arena);
  size_t size = (size_t)it->model->dynamics->size, square = size * size, number = sizeof(double);
  made->size = (int)size;
  made->matrix = carom_arena_array(arena, square, number);
  made->jump = carom_arena_array(arena, square, number);
  made->late = carom_arena_array(arena, size, number);
  made->slope = carom_arena_array(arena, size, number);
  made->sizes = carom_arena_array(arena, size, number);
  made->rate = carom_arena_array(arena, (size_t)it->size, number);
  made->margins = carom_arena_array(arena, 2 * size, number);
  made->scratch = carom_arena_array(arena, (size_t)it->size + size, number);
  made->turns.state = carom_arena_array(arena, 3 * (size_t)it->size, number);
  made->parting.late = carom_arena_array(arena, CAROM_MEETING_MOST * (size_t)it->size, number);
  made->parting.parts = carom_arena_array(arena, CAROM_MEETING_MOST * (size_t)it->size, number);
  made->turns.matrix = carom_arena_array(arena, square + size, number);
  made->meeting.late = carom_arena_array(arena, CAROM_MEETING_MOST * size, number);
  made->graze.slope = carom_arena_array(arena, size, number);
  made->graze.kick = carom_arena_array(arena, size, number);
  size_t room = carom_variation_room(&it->stepper, made->size, made->size);
  size_t other = carom_variation_series_room(&it->stepper, made->size, made->size, (int)square);
  made->room = carom_arena_array(arena, room > other ? room : other, number);
  made->columns = carom_arena_array(arena, (size_t)it->size + POINTS * (size + 2), number);
  if (carom_arena_failures(arena) != failures) return carom_fail_memory(error);
  carom_status status = carom_tangent_modes_create(it, &made->modes, error);
  if (status != CAROM_OK) {
    carom_tangent_modes_destroy(made->modes);
    return status;
  }
  it->clients.tangent = made;
  return CAROM_OK;
}

// the state as it is brought onto constraints and closed contacts
static carom_status assemble_map(const carom_tangent_map *map, double t, const double *y,
                                 double *out, uint64_t *branch) {
  *branch = 0;
  memcpy(out, y, (size_t)map->count * sizeof *out);
  return carom_hybrid_assemble(map->it, t, out, NULL);
}

static carom_status start_matrix(carom_hybrid *it, carom_error *error) {
  carom_tangent *tangent = it->clients.tangent;
  int size = tangent->size;
  memset(tangent->matrix, 0, (size_t)(size * size) * sizeof *tangent->matrix);
  for (int i = 0; i < size; i++)
    tangent->matrix[i * size + i] = 1.0;
  if (!carom_hybrid_forbids(it)) return CAROM_OK;
  carom_tangent_map map = {.it = it, .count = size, .value = assemble_map};
  carom_status status = carom_tangent_difference(&map, it->now.t, it->y, tangent->matrix, NULL,
                                                 &tangent->notes.piecewise);
  if (status != CAROM_OK)
    return carom_fail(error, status, "the constraints have no derivative at t = %.15g", it->now.t);
  return CAROM_OK;
}

carom_status carom_hybrid_tangent_settle(carom_simulation *simulation, carom_error *error) {
  carom_hybrid *it = simulation->state;
  carom_tangent *tangent = it->clients.tangent;
  if (!tangent || !tangent->active || !carom_hybrid_forbids(it)) return CAROM_OK;
  long kinks = 0;
  carom_tangent_map map = {.it = it, .count = tangent->size, .value = assemble_map};
  memset(tangent->late, 0, (size_t)tangent->size * sizeof *tangent->late);
  carom_status status =
      carom_tangent_along_all(&map, it->now.t, it->y, tangent->matrix, tangent->late, &kinks);
  if (status == CAROM_OK) status = carom_hybrid_evaluate_rows(it, it->now.t, it->y);
  if (status != CAROM_OK)
    return carom_fail(error, status, "the constraints have no derivative at t = %.15g", it->now.t);
  return CAROM_OK;
}

carom_status carom_hybrid_tangent_begin(carom_simulation *simulation, carom_error *error) {
  carom_hybrid *it = simulation->state;
  carom_status status = CAROM_OK;
  if (!it->clients.tangent) status = make_room(it, error);
  if (status != CAROM_OK) return status;
  it->clients.tangent->notes = (carom_tangent_notes){.slowest = INFINITY};
  carom_tape_destroy(it->clients.tangent->tape);
  it->clients.tangent->tape = NULL;
  it->clients.tangent->active = true;
  for (int i = 0; i < it->clients.tangent->size; i++)
    it->clients.tangent->sizes[i] = 0.0;
  it->clients.tangent->inside = false;
  return start_matrix(it, error);
}

carom_status carom_hybrid_tangent_order(carom_simulation *simulation, long order,
                                        carom_error *error) {
  carom_hybrid *it = simulation->state;
  carom_status status = it->clients.tangent ? CAROM_OK : make_room(it, error);
  if (status == CAROM_OK) it->clients.tangent->turns.order = order;
  return status;
}

// the largest difference of the rates in two branches of function k, of their size
static carom_status edge_height(carom_hybrid *it, int k, double *height) {
  double *here = it->clients.tangent->scratch, mode = it->modes[k], largest = 0.0, apart = 0.0;
  carom_status status = carom_hybrid_rhs(it, it->now.t, it->y, here);
  carom_hybrid_take_branch(it, k, -mode);
  carom_status other = carom_hybrid_rhs(it, it->now.t, it->y, it->clients.tangent->rate);
  carom_hybrid_take_branch(it, k, mode);
  for (int i = 0; i < it->clients.tangent->size; i++) {
    apart = fmax(apart, fabs(here[i] - it->clients.tangent->rate[i]));
    largest = fmax(largest, fabs(here[i]));
  }
  *height = apart / fmax(largest, LEAST_RATE);
  return status == CAROM_OK ? other : status;
}

// does one of the directions change function k?
static bool leads_over(carom_hybrid *it, int k, int count, const double *directions) {
  carom_tangent *tangent = it->clients.tangent;
  carom_tangent_watch_slope(it, k, it->y);
  for (int j = 0; j < count; j++) {
    double sum = 0.0;
    for (int i = 0; i < tangent->size; i++)
      sum += tangent->slope[i] * directions[i * count + j];
    if (sum != 0.0) return true;
  }
  return false;
}

// the watched component of the slip of a contact in space is followed by the other one
static bool watches_slip_of(const carom_hybrid *it, int k, int contact) {
  const carom_watched *at = it->model->watched;
  if (at[k].kind == CAROM_WATCH_SLIP) return at[k].index == contact;
  return k > 0 && at[k - 1].kind == CAROM_WATCH_SLIP && at[k - 1].index == contact &&
         it->model->contacts.cross[contact] >= 0;
}

// A contact that sets off from rest has neighbours that slip the other way for a while: those whose
// slip the directions change. Where it sticks they do so, too, as good as at once.
static bool sets_off(carom_hybrid *it, int contact, int count, const double *directions) {
  const carom_contact_set *set = &it->model->contacts;
  carom_contact_mode mode = it->memory[contact].mode;
  bool slips = carom_contact_is_closed(mode) && mode != CAROM_CONTACT_STICK;
  if (set->tangent[contact] < 0 || !slips) return false;
  if (carom_contact_speed(set, &it->work.rows, contact) > it->tolerance.slip[contact]) return false;
  for (int k = 0; k < it->model->watched_count; k++)
    if (watches_slip_of(it, k, contact) && leads_over(it, k, count, directions)) return true;
  return false;
}

carom_status carom_hybrid_tangent_on_edge(carom_simulation *simulation, int count,
                                          const double *directions, bool *found,
                                          carom_error *error) {
  carom_hybrid *it = simulation->state;
  *found = false;
  carom_status evaluated = carom_hybrid_evaluate_rows(it, it->now.t, it->y);
  if (evaluated != CAROM_OK) return carom_fail(error, evaluated, "the start has no contacts");
  for (int k = 0; k < it->model->contacts.count && !*found; k++)
    *found = sets_off(it, k, count, directions);
  for (int k = 0; k < it->model->dynamics->modes && !*found; k++) {
    bool rule = it->model->watched[k].role != CAROM_ROLE_NONE || it->modes[k] == 0.0;
    if (carom_hybrid_ignores(it, k) || rule) continue;
    double height, value = carom_watch_at(&it->model->watched[k].function, &it->watching.work[k],
                                          it->now.t, it->y);
    if (!(fabs(value) <= fmax(it->watching.watch[k].tolerance, AT_EDGE))) continue;
    if (!leads_over(it, k, count, directions)) continue;
    carom_status status = edge_height(it, k, &height);
    if (status != CAROM_OK)
      return carom_fail(error, status,
                        "the start lies where a branch ends, and has no rates there");
    *found = height > SAME_RATE;
  }
  return CAROM_OK;
}

void carom_hybrid_tangent_release(carom_hybrid *it) {
  if (!it->clients.tangent) return;
  carom_tangent_modes_destroy(it->clients.tangent->modes);
  carom_tape_destroy(it->clients.tangent->tape);
}

void carom_hybrid_tangent_end(carom_simulation *simulation) {
  carom_hybrid *it = simulation->state;
  if (it->clients.tangent) it->clients.tangent->active = false;
}

double *carom_hybrid_tangent_matrix(carom_simulation *simulation, int *size) {
  carom_hybrid *it = simulation->state;
  if (!it->clients.tangent || !it->clients.tangent->active) return NULL;
  *size = it->clients.tangent->size;
  return it->clients.tangent->matrix;
}

carom_tangent_notes carom_hybrid_tangent_met(const carom_simulation *simulation) {
  const carom_hybrid *it = simulation->state;
  return it->clients.tangent ? it->clients.tangent->notes : (carom_tangent_notes){0};
}

const double *carom_hybrid_tangent_late(const carom_simulation *simulation) {
  const carom_hybrid *it = simulation->state;
  const carom_tangent *tangent = it->clients.tangent;
  bool known = tangent && tangent->active && tangent->inside && tangent->has_event;
  if (known && tangent->parting.told) return carom_tangent_late_of(it, tangent->parting.told);
  return known ? tangent->late : NULL;
}

static const carom_tangent *at_instant(const carom_simulation *simulation) {
  const carom_hybrid *it = simulation->state;
  const carom_tangent *tangent = it->clients.tangent;
  return tangent && tangent->active && tangent->inside ? tangent : NULL;
}

const double *carom_hybrid_tangent_rates_before(const carom_simulation *simulation) {
  const carom_tangent *tangent = at_instant(simulation);
  return tangent ? tangent->rate : NULL;
}

const double *carom_hybrid_tangent_after(const carom_simulation *simulation) {
  const carom_tangent *tangent = at_instant(simulation);
  return tangent ? tangent->jump : NULL;
}
