// SPDX-License-Identifier: MIT
#include "hybrid/tangent.h"

#include "model/dynamics_functions.h"
#include "ode/variation.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double NO_APPROACH = 1e-12; // of what the event's function could change by: a graze

bool carom_tangent_lets_series(carom_hybrid *it) {
  if (!it->clients.tangent || !it->clients.tangent->active) return true;
  return carom_tangent_modes_choose(it, it->stepper.t, it->stepper.y) && carom_tangent_series(it);
}

carom_variation_task carom_tangent_task(carom_hybrid *it) {
  carom_variation_task task = {.slopes = carom_tangent_slopes,
                               .ctx = it,
                               .sizes = it->clients.tangent->sizes,
                               .noise = carom_tangent_noise(it)};
  carom_tangent_entries(it, &task);
  return task;
}

static carom_status carry_step(carom_hybrid *it) {
  carom_tangent *tangent = it->clients.tangent;
  int size = tangent->size;
  const carom_variation_task task = carom_tangent_task(it);
  return it->stepper.expansion.used
             ? carom_variation_series(&it->stepper, size, size, carom_tangent_series(it),
                                      tangent->matrix, tangent->room)
             : carom_variation_step(&it->stepper, size, size, &task, tangent->matrix,
                                    tangent->room);
}

carom_status carom_tangent_step(carom_hybrid *it, carom_error *error) {
  carom_tangent *tangent = it->clients.tangent;
  if (!tangent || !tangent->active) return CAROM_OK;
  tangent->notes.steps++;
  bool found = carom_tangent_modes_choose(it, it->stepper.t, it->stepper.y);
  // where a slip in space sets off its direction is known at the end of the step at best
  if (!found && it->model->contacts.spatial > 0)
    found = carom_tangent_modes_choose(it, it->stepper.t1, it->stepper.y1);
  if (!found) tangent->notes.differenced++;
  bool kept = tangent->tape && !carom_tape_carries(tangent->tape);
  carom_status status = kept ? carom_tape_step(it, error) : carry_step(it);
  if (status == CAROM_ERR_LIMIT) return status;
  if (status == CAROM_ERR_NO_CONVERGENCE)
    return carom_fail(error, status,
                      "just after t = %.15g derivatives are not known to run.rtol = %.3g: a larger "
                      "tolerance may do",
                      it->stepper.t, it->stepper.options.rtol);
  if (status != CAROM_OK)
    return carom_fail(error, status, "the equations have no Jacobian just after t = %.15g",
                      it->stepper.t);
  return CAROM_OK;
}

// --- the function that brings an instant about

// what an instant may hold, the most decisive last
carom_leg_event carom_tangent_decides(const carom_hybrid *it, const carom_root *root) {
  // where sliding ends rates are continuous: neighbours pass as they are
  if (root->function == it->model->watched_count + CAROM_ROOT_OF_SURFACE) return CAROM_LEG_END;
  if (root->function >= it->model->watched_count) return CAROM_LEG_FORCE;
  if (root->kind != CAROM_ROOT_CROSSING) return CAROM_LEG_END;
  switch (it->model->watched[root->function].kind) {
  case CAROM_WATCH_GAP: return CAROM_LEG_LANDING;
  case CAROM_WATCH_EVENT: return CAROM_LEG_RULE;
  case CAROM_WATCH_SLIP: return CAROM_LEG_SLIP;
  case CAROM_WATCH_SWITCH: return CAROM_LEG_SWITCH;
  default: return CAROM_LEG_END;
  }
}

// a user's function that reads accelerations, or events of a model given by functions
static carom_status watched_map(const carom_tangent_map *map, double t, const double *y,
                                double *out, uint64_t *branch) {
  carom_hybrid *it = map->it;
  const carom_root *root = map->which;
  *branch = 0;
  if (it->model->functions) {
    const carom_functions *functions = it->model->functions;
    carom_point at = carom_functions_point(it->model->dynamics, &it->work, t, y);
    double *values = it->room.scratch + it->size;
    carom_status status = functions->event(functions->ctx, &at, values);
    out[0] = values[root->function];
    return status;
  }
  carom_status status = carom_hybrid_rhs(it, t, y, it->rate);
  out[0] = carom_watch_rate_value(&it->model->watched[root->function].function,
                                  &it->watching.work[root->function], t, y, it->rate);
  return status;
}

// sliding on a surface ends where the share of one side does
static carom_status share_map(const carom_tangent_map *map, double t, const double *y, double *out,
                              uint64_t *branch) {
  *branch = 0;
  return carom_surfaces_left(map->it, t, y, out);
}

static bool ends_sliding(const carom_hybrid *it, int count, const carom_root *roots) {
  return count == 1 && roots[0].function == it->model->watched_count + CAROM_ROOT_OF_SURFACE;
}

// how far the contact forces are from the end of their modes, and their determinant
static carom_status force_map(const carom_tangent_map *map, double t, const double *y, double *out,
                              uint64_t *branch) {
  carom_hybrid *it = map->it;
  carom_status status = carom_hybrid_evaluate_rows(it, t, y);
  if (status != CAROM_OK) return status;
  (void)carom_hybrid_forces(it, t, y, true);
  const carom_contact_margin *margin = &it->contact.margin;
  out[0] = margin->value;
  out[1] = margin->determinant;
  *branch = (uint64_t)(margin->contact + 1) * 16 + (uint64_t)margin->condition;
  return CAROM_OK;
}

static double slope_along(const carom_tangent *tangent, const double *slope, double slope_time) {
  double sum = slope_time;
  for (int i = 0; i < tangent->size; i++)
    sum += slope[i] * tangent->rate[i];
  return sum;
}

// Forces end their modes where their margin or their determinant vanishes: the one nearer to it
static carom_status force_slope(carom_hybrid *it) {
  carom_tangent *tangent = it->clients.tangent;
  carom_tangent_map map = {.it = it, .count = 2, .value = force_map};
  double *D = tangent->margins, time[2], value[2];
  uint64_t branch;
  carom_status status = force_map(&map, it->now.t, it->y, value, &branch);
  if (status == CAROM_OK)
    status = carom_tangent_difference(&map, it->now.t, it->y, D, time, &tangent->notes.piecewise);
  if (status != CAROM_OK) return status;
  double wait[2];
  for (int k = 0; k < 2; k++)
    wait[k] = fabs(value[k] / slope_along(tangent, D + k * tangent->size, time[k]));
  int nearer = value[1] != 0.0 && wait[1] < wait[0] ? 1 : 0;
  memcpy(tangent->slope, D + nearer * tangent->size, (size_t)tangent->size * sizeof *D);
  tangent->slope_time = time[nearer];
  return CAROM_OK;
}

// h_y and h_t of a compiled function: its rate is linear in the rates of the state
void carom_tangent_watch_slope(carom_hybrid *it, int k, const double *y) {
  assert(k >= 0 && k < it->model->watched_count);
  carom_tangent *tangent = it->clients.tangent;
  const carom_watch *watch = &it->model->watched[k].function;
  double *unit = it->room.scratch;
  memset(unit, 0, (size_t)it->size * sizeof *unit);
  tangent->slope_time = carom_watch_rate(watch, &it->watching.work[k], it->now.t, y, unit);
  memset(tangent->slope, 0, (size_t)tangent->size * sizeof *tangent->slope);
  for (int j = 0; j < watch->used_count; j++) {
    int i = watch->used[j];
    unit[i] = 1.0;
    tangent->slope[i] =
        carom_watch_rate(watch, &it->watching.work[k], it->now.t, y, unit) - tangent->slope_time;
    unit[i] = 0.0;
  }
}

// The speed of a slip in space that ends: d . s, of which s1 is the function k and s2 the next one.
static void speed_slope(carom_hybrid *it, int k) {
  assert(k >= 0 && k < it->model->watched_count);
  carom_tangent *tangent = it->clients.tangent;
  const double *d = it->memory[it->model->watched[k].index].slip.direction;
  double *along = tangent->margins, time;
  carom_tangent_watch_slope(it, k, it->y);
  memcpy(along, tangent->slope, (size_t)tangent->size * sizeof *along);
  time = tangent->slope_time;
  carom_tangent_watch_slope(it, k + 1, it->y);
  for (int i = 0; i < tangent->size; i++)
    tangent->slope[i] = d[0] * along[i] + d[1] * tangent->slope[i];
  tangent->slope_time = d[0] * time + d[1] * tangent->slope_time;
}

static bool is_slip_in_space(const carom_hybrid *it, int k) {
  const carom_watched *watched = &it->model->watched[k];
  return watched->kind == CAROM_WATCH_SLIP && it->model->contacts.cross[watched->index] >= 0;
}

static carom_status event_slope(carom_hybrid *it, const carom_root *root) {
  carom_tangent *tangent = it->clients.tangent;
  if (tangent->ending.passes) {
    carom_tangent_map map = {.it = it, .count = 1, .value = share_map};
    return carom_tangent_difference(&map, it->now.t, it->y, tangent->slope, &tangent->slope_time,
                                    &tangent->notes.piecewise);
  }
  if (root->function >= it->model->watched_count) return force_slope(it);
  if (is_slip_in_space(it, root->function)) {
    speed_slope(it, root->function);
    tangent->ending.halts = true;
    return CAROM_OK;
  }
  if (!it->model->functions && !it->model->watched[root->function].function.rough) {
    carom_tangent_watch_slope(it, root->function, it->y);
    return CAROM_OK;
  }
  carom_tangent_map map = {.it = it, .which = root, .count = 1, .value = watched_map};
  return carom_tangent_difference(&map, it->now.t, it->y, tangent->slope, &tangent->slope_time,
                                  &tangent->notes.piecewise);
}

static void note_approach(carom_hybrid *it) {
  carom_tangent *tangent = it->clients.tangent;
  double possible = fabs(tangent->slope_time);
  for (int i = 0; i < tangent->size; i++)
    possible += fabs(tangent->slope[i] * tangent->rate[i]);
  tangent->approach = slope_along(tangent, tangent->slope, tangent->slope_time);
  double relative = fabs(tangent->approach) / possible;
  if (relative > NO_APPROACH) {
    tangent->notes.slowest = fmin(tangent->notes.slowest, relative);
    return;
  }
  tangent->has_event = false;
  tangent->notes.grazes++;
}

// where and how much later every neighbour arrives
static void meet_neighbours(carom_tangent *tangent) {
  int size = tangent->size;
  for (int j = 0; j < size; j++) {
    double sum = 0.0;
    for (int k = 0; k < size; k++)
      sum += tangent->slope[k] * tangent->matrix[k * size + j];
    tangent->late[j] = -sum / tangent->approach;
    for (int i = 0; i < size; i++)
      tangent->jump[i * size + j] += tangent->rate[i] * tangent->late[j];
  }
}

carom_status carom_tangent_before(carom_hybrid *it, int count, const carom_root *roots,
                                  carom_error *error) {
  carom_tangent *tangent = it->clients.tangent;
  if (!tangent || !tangent->active) return CAROM_OK;
  int size = tangent->size, decisive = -1, several = 0, landings = 0;
  carom_status status = tangent->tape ? carom_tape_begin(it, error) : CAROM_OK;
  if (status != CAROM_OK) return status;
  memcpy(tangent->jump, tangent->matrix, (size_t)(size * size) * sizeof *tangent->jump);
  memset(tangent->late, 0, (size_t)size * sizeof *tangent->late);
  for (int k = 0; k < count; k++) {
    several += carom_tangent_decides(it, &roots[k]) != CAROM_LEG_END;
    landings += carom_tangent_decides(it, &roots[k]) == CAROM_LEG_LANDING;
    if (carom_tangent_decides(it, &roots[k]) != CAROM_LEG_END &&
        (decisive < 0 ||
         carom_tangent_decides(it, &roots[k]) > carom_tangent_decides(it, &roots[decisive])))
      decisive = k;
  }
  tangent->inside = true;
  tangent->ending.halts = false;
  tangent->ending.passes = ends_sliding(it, count, roots);
  if (tangent->ending.passes) decisive = 0;
  tangent->failed = CAROM_OK;
  tangent->has_event = decisive >= 0;
  tangent->turns.noted = several > 1;
  tangent->turns.others = several - landings;
  tangent->meeting.count = 0;
  tangent->turns.unlinked = false;
  tangent->parting.count = 0;
  tangent->parting.piecewise = tangent->notes.piecewise;
  if (tangent->turns.noted) tangent->notes.piecewise++;
  status = carom_tangent_graze(it, count, roots, error);
  if (status != CAROM_OK) return status;
  status = carom_hybrid_rhs(it, it->now.t, it->y, tangent->rate);
  if (decisive < 0) return CAROM_OK; // rates are for whoever is told of a section
  tangent->notes.instants++;
  if (status == CAROM_OK) status = event_slope(it, &roots[decisive]);
  if (status != CAROM_OK)
    return carom_fail(error, status, "the event at t = %.15g has no derivative", it->now.t);
  note_approach(it);
  if (tangent->has_event) meet_neighbours(tangent);
  carom_tangent_part(it, count, roots);
  return CAROM_OK;
}

// Phi + f- tau - f+ tau, of neighbours that all come later by tau
static void come_through(carom_hybrid *it) {
  carom_tangent *tangent = it->clients.tangent;
  int size = tangent->size;
  for (int i = 0; i < size; i++)
    for (int j = 0; j < size; j++)
      tangent->matrix[i * size + j] =
          tangent->jump[i * size + j] - it->stepper.f[i] * tangent->late[j];
}

carom_status carom_tangent_after(carom_hybrid *it, carom_error *error) {
  carom_tangent *tangent = it->clients.tangent;
  if (!tangent || !tangent->active) return CAROM_OK;
  tangent->inside = false;
  if (tangent->failed != CAROM_OK)
    return carom_fail(error, tangent->failed, "the end of chatter at t = %.15g has no derivative",
                      it->now.t);
  if (carom_tangent_put_together(it))
    tangent->ending.halts = true; // what is left of slip where times were taken for one
  else if (!tangent->ending.passes)
    come_through(it);
  // what is left of slip across the direction in which it ends is stopped by friction as well
  carom_status status =
      tangent->ending.halts ? carom_hybrid_tangent_settle(it->simulation, error) : CAROM_OK;
  carom_tape_matrix(tangent);
  return status;
}

// --- maps of the state at an instant

// the ways of all neighbours go through one more map
static carom_status go_through_map(carom_tangent_map *map, carom_error *error) {
  carom_hybrid *it = map->it;
  carom_tangent *tangent = it->clients.tangent;
  map->count = tangent->size;
  carom_status status = carom_tangent_along_all(map, it->now.t, it->y, tangent->jump, tangent->late,
                                                &tangent->notes.piecewise);
  if (status != CAROM_OK)
    return carom_fail(error, status, "what happens at t = %.15g has no derivative", it->now.t);
  return CAROM_OK;
}

static bool carries_tangent(const carom_hybrid *it) {
  return it->clients.tangent && it->clients.tangent->active && it->clients.tangent->inside;
}

// back to the state itself: rows and coefficients are read on
static carom_status return_rows(carom_hybrid *it, carom_error *error) {
  carom_status status = carom_hybrid_evaluate_rows(it, it->now.t, it->y);
  if (status != CAROM_OK) return carom_hybrid_explain(it, status, it->now.t, it->y, error);
  carom_hybrid_coefficients(it, it->now.t, it->y);
  return CAROM_OK;
}

static carom_status strike_map(const carom_tangent_map *map, double t, const double *y, double *out,
                               uint64_t *branch) {
  memcpy(out, y, (size_t)map->count * sizeof *out);
  return carom_hybrid_strike_seen(map->it, *(const int *)map->which, t, out, branch);
}

carom_status carom_tangent_strike(carom_hybrid *it, int pushing, carom_error *error) {
  if (!carries_tangent(it)) return CAROM_OK;
  bool in_turn = pushing < 0 && carom_tangent_in_turn(it);
  if (it->clients.tangent->tape && !carom_tape_takes(it)) return carom_tape_refuse(it, error);
  carom_tangent_map map = {.it = it, .which = &pushing, .shifts = true, .value = strike_map};
  carom_status status = go_through_map(&map, error);
  if (in_turn) carom_tangent_take_turns(it);
  return status == CAROM_OK ? return_rows(it, error) : status;
}

static carom_status rebounds_map(const carom_tangent_map *map, double t, const double *y,
                                 double *out, uint64_t *branch) {
  *branch = 0;
  memcpy(out, y, (size_t)map->count * sizeof *out);
  return carom_hybrid_rebounds_seen(map->it, t, out);
}

void carom_tangent_rebounds(carom_hybrid *it) {
  if (!carries_tangent(it)) return;
  carom_tangent_map map = {.it = it, .value = rebounds_map};
  it->clients.tangent->failed = go_through_map(&map, NULL);
  if (it->clients.tangent->failed == CAROM_OK) it->clients.tangent->failed = return_rows(it, NULL);
}

static carom_status join_map(const carom_tangent_map *map, double t, const double *y, double *out,
                             uint64_t *branch) {
  *branch = 0;
  memcpy(out, y, (size_t)map->count * sizeof *out);
  return carom_hybrid_join_seen(map->it, t, out);
}

carom_status carom_tangent_join(carom_hybrid *it, carom_error *error) {
  if (!carries_tangent(it)) return CAROM_OK;
  carom_tangent_map map = {.it = it, .value = join_map};
  carom_status status = go_through_map(&map, error);
  return status == CAROM_OK ? return_rows(it, error) : status;
}

static carom_status creep_map(const carom_tangent_map *map, double t, const double *y, double *out,
                              uint64_t *branch) {
  *branch = 0;
  memcpy(out, y, (size_t)map->count * sizeof *out);
  return carom_surfaces_settle(map->it, t, out);
}

carom_status carom_tangent_creep(carom_hybrid *it, carom_error *error) {
  if (!carries_tangent(it)) return CAROM_OK;
  carom_tangent_map map = {.it = it, .value = creep_map};
  it->clients.tangent->notes.piecewise++; // what the swings left out would have done is unknown
  return go_through_map(&map, error);
}

static carom_status rule_map(const carom_tangent_map *map, double t, const double *y, double *out,
                             uint64_t *branch) {
  *branch = 0;
  memcpy(out, y, (size_t)map->count * sizeof *out);
  return carom_hybrid_rule_seen(map->it, map->which, t, y, out);
}

carom_status carom_tangent_rule(carom_hybrid *it, const carom_watched *watched,
                                carom_error *error) {
  if (!carries_tangent(it)) return CAROM_OK;
  carom_tangent_map map = {.it = it, .which = watched, .value = rule_map};
  carom_status status = go_through_map(&map, error);
  if (status != CAROM_OK || !it->model->scenario) return status;
  status = carom_hybrid_rhs(it, it->now.t, it->y, it->rate);
  carom_probe_run(it, it->now.t, it->y, it->rate);
  return status;
}
