// SPDX-License-Identifier: MIT
/// One leg: the flow of its modes, forwards or backwards, and what happens at its end.
///
/// The end is reached at a given time, so the function h whose zero ends the leg need not vanish
/// there, and what follows must have a meaning beside h = 0 as well: positions are brought onto the
/// contacts that land or are closed first. On the solution, where h = 0, that changes nothing, and
/// impacts are seen only from states in which what touches does touch.
#include "hybrid/leg.h"

#include "hybrid/tangent.h"
#include "ode/variation.h"

#include <math.h>
#include <string.h>

static const double FINER = 1e-2, LEAST_RTOL = 1e-13;

// --- the flow

static carom_status leg_rhs(void *ctx, double s, const double *y, double *dyds) {
  carom_hybrid *it = ctx;
  int sign = it->clients.leg ? it->clients.leg->sign : 1;
  carom_status status = carom_hybrid_rhs(it, sign * s, y, dyds);
  for (int i = 0; i < it->size && sign < 0; i++)
    dyds[i] = -dyds[i];
  return status;
}

static carom_status leg_slopes(void *ctx, double s, const double *y, double *A) {
  carom_hybrid *it = ctx;
  int size = it->model->dynamics->size, sign = it->clients.leg->sign;
  carom_status status = carom_tangent_slopes(it, sign * s, y, A);
  for (int k = 0; k < size * size && sign < 0; k++)
    A[k] = -A[k];
  return status;
}

carom_status carom_leg_stepper(carom_hybrid *it, carom_leg_work *work, carom_error *error) {
  carom_stepper_options options = carom_stepper_options_default();
  work->sign = 1;
  return carom_stepper_init(&work->stepper, it->simulation->arena, it->size, leg_rhs, it, &options,
                            error);
}

void carom_leg_take(carom_hybrid *it, const carom_leg *leg) {
  bool changed = false;
  for (int k = 0; k < it->model->contacts.count; k++)
    it->memory[k].mode = carom_leg_mode(leg, k);
  for (int k = 0; k < it->model->dynamics->modes; k++) {
    double branch = leg->branches >> k & 1u ? 1.0 : -1.0;
    changed = changed || it->modes[k] != branch;
    carom_state_mode(it, k, branch);
  }
  if (changed) carom_hybrid_configure(it);
  carom_hybrid_list_closed(it);
}

static carom_status one_step(carom_hybrid *it, double s_end, double *matrix, carom_leg_look look,
                             void *ctx, carom_error *error) {
  carom_leg_work *work = it->clients.leg;
  carom_stepper *stepper = &work->stepper;
  int size = it->model->dynamics->size;
  const carom_variation_task task = {
      .slopes = leg_slopes, .ctx = it, .sizes = work->sizes, .noise = carom_tangent_noise(it)};
  carom_status status = carom_stepper_try(stepper, s_end, error);
  if (status == CAROM_OK && work->sign > 0) // bounds are those of time that goes forwards
    status = carom_narrow_limit(&it->model->narrow, &it->watching.narrow, stepper, error);
  if (status == CAROM_OK && look) status = carom_stepper_dense(stepper, error);
  if (status == CAROM_OK && look) status = look(ctx, it, stepper->t1 >= s_end);
  if (status == CAROM_OK && carom_hybrid_forbids(it)) {
    status = carom_hybrid_assemble(it, work->sign * stepper->t1, stepper->y1, error);
    if (status == CAROM_OK) status = leg_rhs(it, stepper->t1, stepper->y1, stepper->f1);
  }
  if (status == CAROM_OK && matrix)
    status = carom_variation_step(stepper, size, size, &task, matrix, work->room);
  if (status == CAROM_OK) carom_stepper_commit(stepper);
  return status;
}

carom_status carom_leg_flow(carom_hybrid *it, double t0, double t1, double *y, double *matrix,
                            carom_leg_look look, void *ctx, carom_error *error) {
  carom_leg_work *work = it->clients.leg;
  carom_stepper *stepper = &work->stepper;
  work->sign = t1 < t0 ? -1 : 1;
  // what is looked at between the ends of steps is less exact than these: steps are made shorter
  double finer = look ? FINER : 1.0;
  stepper->options.rtol = fmax(finer * it->run.rtol, fmin(it->run.rtol, LEAST_RTOL));
  stepper->options.atol = finer * it->run.atol;
  stepper->options.h_max = it->run.h_max;
  stepper->options.controlled = it->model->dynamics->size;
  if (matrix) (void)carom_tangent_modes_choose(it, t0, y);
  memset(work->sizes, 0, (size_t)it->model->dynamics->size * sizeof *work->sizes);
  carom_status status = carom_stepper_start(stepper, work->sign * t0, y, 0.0, error);
  while (status == CAROM_OK && stepper->t < work->sign * t1)
    status = one_step(it, work->sign * t1, matrix, look, ctx, error);
  memcpy(y, stepper->y, (size_t)it->size * sizeof *y);
  return status;
}

// --- the function that ends a leg

// how far the contact forces are from the law they are about to break
static carom_status force_value(const carom_tangent_map *map, double t, const double *y,
                                double *out, uint64_t *branch) {
  carom_hybrid *it = map->it;
  const carom_leg *leg = map->which;
  int k = leg->function, tangent = it->model->contacts.tangent[k];
  *branch = 0;
  carom_status status = carom_hybrid_evaluate_rows(it, t, y);
  if (status != CAROM_OK) return status;
  (void)carom_hybrid_forces(it, t, y, false);
  double normal = it->contact.lambda[it->model->contacts.normal[k]];
  double friction = tangent >= 0 ? it->contact.lambda[tangent] : 0.0;
  double limit = it->contact.now[k].stick * normal;
  out[0] = leg->condition == CAROM_CONDITION_NORMAL      ? normal
           : leg->condition == CAROM_CONDITION_CONE_PLUS ? limit - friction
                                                         : limit + friction;
  return CAROM_OK;
}

static carom_status look_at_event(carom_hybrid *it, const carom_leg *leg, double t, const double *y,
                                  carom_leg_run *out) {
  size_t size = (size_t)it->model->dynamics->size;
  uint64_t branch;
  long kinks = 0;
  out->value = out->time = 0.0;
  memset(out->slope, 0, size * sizeof *out->slope);
  if (leg->event == CAROM_LEG_END) return CAROM_OK;
  if (leg->event == CAROM_LEG_FORCE) {
    carom_tangent_map map = {.it = it, .which = leg, .count = 1, .value = force_value};
    carom_status status = force_value(&map, t, y, &out->value, &branch);
    if (status != CAROM_OK || !out->derivatives) return status;
    return carom_tangent_difference(&map, t, y, out->slope, &out->time, &kinks);
  }
  out->value = carom_watch_at(&it->model->watched[leg->function].function,
                              &it->watching.work[leg->function], t, y);
  if (!out->derivatives) return CAROM_OK;
  carom_tangent_watch_slope(it, leg->function, y);
  memcpy(out->slope, it->clients.tangent->slope, size * sizeof *out->slope);
  out->time = it->clients.tangent->slope_time;
  return CAROM_OK;
}

// --- what happens at the end of a leg

/// From one leg to the next.
typedef struct passage {
  const carom_leg *leg, *next;
} passage;

static bool contact_strikes(const carom_leg *leg, int k) { return leg->struck >> k & 1u; }

// contacts that land strike, from where they touch
static carom_status strike_landing(carom_hybrid *it, const carom_leg *leg, double t, double *y,
                                   uint64_t *branch) {
  const carom_contact_set *set = &it->model->contacts;
  for (int k = 0; k < set->count; k++) {
    it->instant.landed[k] = contact_strikes(leg, k);
    if (contact_strikes(leg, k)) it->contact.held_position[set->normal[k]] = true;
  }
  carom_status status = carom_hybrid_reach(it, t, y);
  if (status == CAROM_OK)
    status = carom_hybrid_strike_fixed(it, leg, t, y, branch, &it->clients.leg->comes_out);
  return status;
}

// the bounces of contacts that struck and are closed from now on are over
static carom_status take_rebounds(carom_hybrid *it, const passage *way, double t, double *y) {
  for (int k = 0; k < it->model->contacts.count; k++) {
    carom_contact_mode next = carom_leg_mode(way->next, k);
    carom_contact_mode *mode = &it->memory[k].mode;
    if (!carom_contact_is_closed(next))
      *mode = CAROM_CONTACT_OPEN;
    else if (contact_strikes(way->leg, k)) // what sticks from now on has stuck in the impact
      *mode = next == CAROM_CONTACT_STICK ? CAROM_CONTACT_STICK : CAROM_CONTACT_CLOSED;
  }
  return carom_hybrid_rebounds_seen(it, t, y);
}

// velocities that the modes in force forbid, relative to the fastest
static double misfit_of(carom_hybrid *it, double t, const double *y) {
  double most = 0.0,
         fastest = it->clients.leg->speed; // where slip ends, all may be at rest for an instant
  if (!carom_hybrid_forbids(it) || carom_hybrid_evaluate_rows(it, t, y) != CAROM_OK) return 0.0;
  for (int i = 0; i < it->model->dynamics->n; i++)
    fastest = fmax(fastest, fabs(y[it->model->dynamics->nq + i]));
  for (int r = 0; r < it->model->dynamics->rows; r++) {
    fastest = fmax(fastest, fabs(it->work.rows.velocity[r]));
    if (it->contact.held_velocity[r]) most = fmax(most, fabs(it->work.rows.velocity[r]));
  }
  return fastest > 0.0 ? most / fastest : 0.0;
}

static carom_status pass_event(const carom_tangent_map *map, double t, const double *y, double *out,
                               uint64_t *branch) {
  carom_hybrid *it = map->it;
  const passage *way = map->which;
  size_t size = (size_t)it->model->dynamics->size;
  carom_status status = CAROM_OK;
  *branch = 0;
  it->clients.leg->comes_out = (carom_leg_margin){.value = INFINITY};
  memcpy(out, y, size * sizeof *out);
  carom_leg_take(it, way->leg);
  if (way->leg->struck) status = strike_landing(it, way->leg, t, out, branch);
  if (status == CAROM_OK && way->leg->rebounds) status = take_rebounds(it, way, t, out);
  memset(it->instant.landed, 0, (size_t)it->model->contacts.count * sizeof(bool));
  if (status == CAROM_OK && way->leg->event == CAROM_LEG_RULE)
    status = carom_hybrid_rule_seen(it, &it->model->watched[way->leg->function], t, y, out);
  carom_leg_take(it, way->next);
  if (status != CAROM_OK) return status;
  it->clients.leg->misfit = misfit_of(it, t, out);
  return carom_hybrid_assemble(it, t, out, NULL);
}

// does the next leg hold nothing that this one does not hold already?
static bool leg_frees(carom_hybrid *it, const passage *way) {
  bool position[128], velocity[128];
  int rows = it->model->dynamics->rows;
  if (way->leg->struck || way->leg->event == CAROM_LEG_RULE || rows > 128) return false;
  carom_leg_take(it, way->leg);
  memcpy(position, it->contact.held_position, (size_t)rows * sizeof *position);
  memcpy(velocity, it->contact.held_velocity, (size_t)rows * sizeof *velocity);
  carom_leg_take(it, way->next);
  for (int r = 0; r < rows; r++)
    if ((it->contact.held_position[r] && !position[r]) ||
        (it->contact.held_velocity[r] && !velocity[r]))
      return false;
  return true;
}

static void make_unit(int size, double *matrix) {
  memset(matrix, 0, (size_t)(size * size) * sizeof *matrix);
  for (int i = 0; i < size; i++)
    matrix[i * size + i] = 1.0;
}

static bool is_open(const carom_leg *leg, int k) {
  return !carom_contact_is_closed(carom_leg_mode(leg, k));
}

// forces in the modes in force, at a state
static carom_status find_forces(carom_hybrid *it, double t, const double *y) {
  carom_status status = carom_hybrid_evaluate_rows(it, t, y);
  if (status == CAROM_OK) (void)carom_hybrid_forces(it, t, y, false);
  return status;
}

// A contact that opens though it was pressed, at the end of its stick: where friction at its limit
// would press it no more than fly off (Painleve's coefficient A = G_NN -/+ mu G_NT is negative, for
// its acceleration is -A lambda_N). Measured by G_NN lambda_N.
static carom_status look_at_opening(carom_hybrid *it, const passage *way, double t,
                                    const double *before, carom_leg_run *out) {
  int k = way->leg->function, rows = it->model->dynamics->rows;
  bool opens = way->leg->event == CAROM_LEG_FORCE &&
               way->leg->condition != CAROM_CONDITION_NORMAL && is_open(way->next, k);
  if (!opens) return CAROM_OK;
  int normal = it->model->contacts.normal[k];
  carom_leg_take(it, way->leg);
  carom_status status = find_forces(it, t, before);
  double pressed = it->contact.lambda[normal] * it->work.rows.delassus[normal * rows + normal];
  carom_leg_take(it, way->next);
  if (status == CAROM_OK) status = find_forces(it, t, out->after);
  if (status != CAROM_OK) return status;
  carom_contact_problem problem = carom_hybrid_contact_problem(it);
  double rate = problem.b[normal];
  for (int r = 0; r < rows; r++)
    rate += it->work.rows.delassus[normal * rows + r] * it->contact.lambda[r];
  out->at_event = (carom_leg_margin){
      .kind = CAROM_FAULT_OPENING, .which = k, .value = rate / fabs(pressed), .amount = rate};
  return CAROM_OK;
}

static int slip_in(const carom_leg *leg, int k) {
  return carom_contact_slip_sign(carom_leg_mode(leg, k));
}

// the rate of a contact's slip for given rates of the state
static double slip_rate(carom_hybrid *it, int k, double t, const double *y, const double *rate) {
  for (int j = 0; j < it->model->watched_count; j++)
    if (it->model->watched[j].kind == CAROM_WATCH_SLIP && it->model->watched[j].index == k)
      return carom_watch_rate(&it->model->watched[j].function, &it->watching.work[j], t, y, rate);
  return 0.0;
}

// Slip that turns round at once: what slows it down must drive it on the other way, else friction
// holds it. Measured by the rate it comes with. Slip the wrong way is less than that to the second
// order, and told much later.
static carom_status look_at_reversal(carom_hybrid *it, const passage *way, double t,
                                     const double *before, carom_leg_run *out) {
  carom_leg_work *work = it->clients.leg;
  double *state = work->point, *rate = work->end;
  for (int k = 0; k < it->model->contacts.count; k++) {
    int from = slip_in(way->leg, k), to = slip_in(way->next, k);
    if (from == 0 || to != -from || it->model->contacts.user_law[k] || way->leg->struck) continue;
    memset(state, 0, (size_t)it->size * sizeof *state);
    memcpy(state, out->after, (size_t)it->model->dynamics->size * sizeof *state);
    carom_leg_take(it, way->next);
    carom_status status = carom_hybrid_rhs(it, t, state, rate);
    if (status != CAROM_OK) return status;
    double comes = slip_rate(it, k, t, before, out->last);
    double goes = to * slip_rate(it, k, t, state, rate), value = goes / fabs(comes);
    if (value < out->at_event.value)
      out->at_event = (carom_leg_margin){
          .kind = CAROM_FAULT_REVERSAL, .which = k, .value = value, .amount = goes};
  }
  return CAROM_OK;
}

static carom_status go_over(carom_hybrid *it, const passage *way, double t, const double *before,
                            carom_leg_run *out) {
  int size = it->model->dynamics->size;
  long kinks = 0;
  carom_tangent_map map = {.it = it, .which = way, .count = size, .value = pass_event};
  carom_status status = pass_event(&map, t, before, out->after, &out->outcome);
  out->misfit = it->clients.leg->misfit;
  out->at_event = it->clients.leg->comes_out;
  if (status != CAROM_OK || !out->derivatives) return status;
  status = look_at_opening(it, way, t, before, out);
  if (status == CAROM_OK) status = look_at_reversal(it, way, t, before, out);
  if (status != CAROM_OK) return status;
  if (leg_frees(it, way)) {
    make_unit(size, out->jump);
    memset(out->moving, 0, (size_t)size * sizeof *out->moving);
    return CAROM_OK;
  }
  return carom_tangent_difference(&map, t, before, out->jump, out->moving, &kinks);
}

// --- for analyses

// room for derivatives, of which none are carried along by the running loop
static carom_status prepare_leg(carom_simulation *simulation, carom_error *error) {
  carom_hybrid *it = simulation->state;
  carom_status status = carom_leg_room(it, error);
  if (status == CAROM_OK && !it->clients.tangent)
    status = carom_hybrid_tangent_begin(simulation, error);
  carom_hybrid_tangent_end(simulation);
  return status;
}

static carom_status enter_map(const carom_tangent_map *map, double t, const double *y, double *out,
                              uint64_t *branch) {
  *branch = 0;
  memcpy(out, y, (size_t)map->count * sizeof *out);
  return carom_hybrid_assemble(map->it, t, out, NULL);
}

carom_status carom_leg_enter(carom_simulation *simulation, const carom_leg *leg, double t,
                             double *y, double *matrix, int *held, carom_error *error) {
  carom_hybrid *it = simulation->state;
  carom_status status = prepare_leg(simulation, error);
  if (status != CAROM_OK) return status;
  int size = it->model->dynamics->size;
  double *whole = it->clients.leg->start;
  memset(whole, 0, (size_t)it->size * sizeof *whole);
  memcpy(whole, y, (size_t)size * sizeof *y);
  carom_state_clock(it, t, it->now.h);
  carom_leg_take(it, leg);
  *held = carom_hybrid_held_at(it, t, whole);
  if (matrix) make_unit(size, matrix);
  if (!carom_hybrid_forbids(it)) return CAROM_OK;
  long kinks = 0;
  carom_tangent_map map = {.it = it, .count = size, .value = enter_map};
  if (matrix) status = carom_tangent_difference(&map, t, whole, matrix, NULL, &kinks);
  if (status == CAROM_OK) status = carom_hybrid_assemble(it, t, whole, error);
  memcpy(y, whole, (size_t)size * sizeof *y);
  return status;
}

carom_status carom_leg_go(carom_simulation *simulation, const carom_leg *leg, const carom_leg *next,
                          double t0, double t1, const double *y, carom_leg_run *out,
                          carom_error *error) {
  carom_hybrid *it = simulation->state;
  carom_status status = prepare_leg(simulation, error);
  if (status != CAROM_OK) return status;
  int size = it->model->dynamics->size;
  size_t bytes = (size_t)size * sizeof *y;
  double *whole = it->clients.leg->start;
  memset(whole, 0, (size_t)it->size * sizeof *whole);
  memcpy(whole, y, bytes);
  carom_leg_take(it, leg);
  if (out->derivatives) make_unit(size, out->flow);
  status = carom_hybrid_rhs(it, t0, whole, it->clients.leg->end);
  memcpy(out->first, it->clients.leg->end, bytes);
  if (status == CAROM_OK)
    status =
        carom_leg_flow(it, t0, t1, whole, out->derivatives ? out->flow : NULL, NULL, NULL, error);
  if (status == CAROM_OK) status = carom_hybrid_rhs(it, t1, whole, it->clients.leg->end);
  if (status != CAROM_OK) return status;
  memcpy(out->last, it->clients.leg->end, bytes);
  memcpy(out->before, whole, bytes);
  carom_state_clock(it, t1, fmax(it->clients.leg->stepper.h_next, 1e-300));
  status = look_at_event(it, leg, t1, whole, out);
  if (status != CAROM_OK || !next) return status;
  const passage way = {leg, next};
  it->clients.leg->speed = out->speed;
  return go_over(it, &way, t1, whole, out);
}
