// SPDX-License-Identifier: MIT
/// Branches of compliant contacts during a motion: touching, pressing, holding or sliding.
#include "hybrid/hybrid.h"

#include <math.h>
#include <string.h>

static const double FORCE_RESOLUTION = 1e-13; // relative, of forces that count as zero

static bool spring_touches(const carom_hybrid *it, const carom_compliant_contact *contact) {
  return it->modes[contact->touch] * contact->touch_sign > 0.0;
}

static bool spring_presses(const carom_hybrid *it, const carom_compliant_contact *contact) {
  return spring_touches(it, contact) && it->modes[contact->press] * contact->press_sign > 0.0;
}

// forces of bristle and slider at the present state and modes
static void read_limits(carom_hybrid *it, int k, double limits[CAROM_LIMITS]) {
  const carom_dynamics *d = it->model->dynamics;
  const carom_program *program = it->model->compliant.limits;
  double *at = it->room.limit_registers;
  *at++ = it->now.t;
  memcpy(at, it->y, (size_t)d->size * sizeof *at);
  at += d->size;
  memcpy(at, it->modes, (size_t)d->modes * sizeof *at);
  at += d->modes;
  memcpy(at, it->settings.parameters, (size_t)d->parameters * sizeof *at);
  carom_program_setup(program, it->room.limit_registers);
  carom_program_run(program, it->room.limit_registers);
  for (int j = 0; j < CAROM_LIMITS; j++)
    limits[j] = it->room.limit_registers[carom_program_output(program, k * CAROM_LIMITS + j)];
}

// what e is the ratio of, by the contact's impact law
static carom_stop_rule rule_of(const carom_contact *contact) {
  if (contact->law == CAROM_LAW_NEWTON) return CAROM_STOP_BY_VELOCITY;
  return contact->law == CAROM_LAW_POISSON ? CAROM_STOP_BY_IMPULSE : contact->march.stop_rule;
}

static carom_touch touch_of(const carom_hybrid *it, int k, const double *limits) {
  double mu = limits[CAROM_LIMIT_MU_SLIDE];
  return (carom_touch){.e = limits[CAROM_LIMIT_RESTITUTION],
                       .rule = rule_of(&it->model->scenario->contacts[k]),
                       .approach = limits[CAROM_LIMIT_GAP_RATE],
                       .slip = limits[CAROM_LIMIT_SLIP],
                       .normal = limits[CAROM_LIMIT_NORMAL],
                       .coupling = limits[CAROM_LIMIT_COUPLING],
                       .tangent = limits[CAROM_LIMIT_TANGENT],
                       .mu_stick = fmax(limits[CAROM_LIMIT_MU_STICK], mu),
                       .mu_slide = mu};
}

static double number_of(const carom_hybrid *it, int k, carom_compliant_number which) {
  return it->modes[it->model->compliant.contacts[k].number[which]];
}

static void set_number(carom_hybrid *it, int k, carom_compliant_number which, double value) {
  carom_state_mode(it, it->model->compliant.contacts[k].number[which], value);
}

static double stored_in(carom_hybrid *it, int k) {
  double limits[CAROM_LIMITS];
  read_limits(it, k, limits);
  return limits[CAROM_LIMIT_STORED];
}

// Springs keep their force where their stiffness changes; the energy that makes or takes is booked.
static void book_change(carom_hybrid *it, int k, double stored_before) {
  double lost = stored_before - stored_in(it, k);
  carom_hybrid_book_impact(it, lost, 0.0, -lost);
}

// branches of a coefficient that was not in use
static void choose_coefficient(carom_hybrid *it, int k) {
  const carom_compliant_contact *contact = &it->model->compliant.contacts[k];
  for (int j = contact->first_own; j < contact->first_own + contact->own; j++) {
    double value =
        carom_watch_at(&it->model->watched[j].function, &it->watching.work[j], it->now.t, it->y);
    if (fabs(value) > it->watching.watch[j].tolerance)
      carom_state_mode(it, j, value > 0.0 ? 1.0 : -1.0);
  }
}

// forces that an event has changed at once do not cross zero
static void settle_press(carom_hybrid *it, int k) {
  const carom_compliant_contact *contact = &it->model->compliant.contacts[k];
  double limits[CAROM_LIMITS];
  read_limits(it, k, limits);
  carom_state_mode(it, contact->press,
                   limits[CAROM_LIMIT_PUSH] < 0.0 ? -contact->press_sign : contact->press_sign);
}

// Damping by the restitution, friction as it is at the beginning. With e = 0 springs hold what they
// held, and a dashpot alone stops the approach: nothing is left to push back.
static void begin_impact(carom_hybrid *it, int k, double until) {
  const carom_compliant_contact *contact = &it->model->compliant.contacts[k];
  double limits[CAROM_LIMITS];
  choose_coefficient(it, k);
  read_limits(it, k, limits);
  carom_touch touch = touch_of(it, k, limits);
  set_number(it, k, CAROM_NUMBER_DAMPING, carom_touch_damping(&touch));
  set_number(it, k, CAROM_NUMBER_UNTIL, until);
  if (!(touch.e > CAROM_LEAST_RESTITUTION)) {
    set_number(it, k, CAROM_NUMBER_GIVE, 0.0);
    set_number(it, k, CAROM_NUMBER_PUSH, fmax(0.0, limits[CAROM_LIMIT_SPRING]));
  }
  carom_state_mode(it, contact->impact, 1.0);
  book_change(it, k, limits[CAROM_LIMIT_STORED]);
  settle_press(it, k);
  if (contact->number[CAROM_NUMBER_MU_SLIDE] < 0) return;
  set_number(it, k, CAROM_NUMBER_MU_SLIDE, touch.mu_slide);
  set_number(it, k, CAROM_NUMBER_MU_STICK, touch.mu_stick);
}

// What goes on without opening is lasting contact. A spring that had let go takes over the force
// where it is.
static void end_impact(carom_hybrid *it, int k) {
  const carom_compliant_contact *contact = &it->model->compliant.contacts[k];
  double limits[CAROM_LIMITS];
  if (it->modes[contact->impact] < 0.0) return;
  read_limits(it, k, limits);
  if (number_of(it, k, CAROM_NUMBER_GIVE) == 0.0) {
    double K = limits[CAROM_LIMIT_STIFFNESS], gap = limits[CAROM_LIMIT_GAP];
    double damper = 2.0 * CAROM_LASTING_DAMPING * sqrt(K / limits[CAROM_LIMIT_NORMAL]);
    double force = fmax(0.0, limits[CAROM_LIMIT_PUSH]) + damper * limits[CAROM_LIMIT_GAP_RATE];
    double push = force + K * gap;
    set_number(it, k, CAROM_NUMBER_PUSH, push);
    set_number(it, k, CAROM_NUMBER_LIFT, fmax(0.0, push) / K);
    set_number(it, k, CAROM_NUMBER_GIVE, 1.0);
  }
  set_number(it, k, CAROM_NUMBER_DAMPING, CAROM_LASTING_DAMPING);
  carom_state_mode(it, contact->impact, -1.0);
  book_change(it, k, limits[CAROM_LIMIT_STORED]);
  settle_press(it, k);
}

// A touch that begins is an impact at all contacts that press.
static void begin_touch(carom_hybrid *it, int k) {
  double limits[CAROM_LIMITS];
  choose_coefficient(it, k);
  read_limits(it, k, limits);
  carom_touch touch = touch_of(it, k, limits);
  double frequency = sqrt(limits[CAROM_LIMIT_STIFFNESS] * touch.normal);
  double until = it->now.t + carom_touch_length(&touch) / frequency;
  for (int j = 0; j < it->model->compliant.count; j++) {
    const carom_compliant_contact *contact = &it->model->compliant.contacts[j];
    if (j != k && !spring_presses(it, contact)) continue;
    if (j == k || it->modes[contact->impact] < 0.0) begin_impact(it, j, until);
    set_number(it, j, CAROM_NUMBER_UNTIL, fmax(until, number_of(it, j, CAROM_NUMBER_UNTIL)));
  }
}

static void note_side(carom_hybrid *it, const carom_compliant_contact *contact, double trial) {
  if (contact->side < 0) return; // in space: a direction, no side
  carom_state_mode(it, contact->side, trial > 0.0 ? contact->side_sign : -contact->side_sign);
}

static double way_of(const double limits[CAROM_LIMITS]) {
  return limits[CAROM_LIMIT_TRIAL] > 0.0 ? 1.0 : -1.0;
}

// A slider that holds goes on holding up to the limit of stick, one that slides goes on sliding
// down to that of slip.
static void choose_friction(carom_hybrid *it, int k) {
  const carom_compliant_contact *contact = &it->model->compliant.contacts[k];
  if (contact->friction < 0) return;
  double mode = it->modes[contact->friction], limits[CAROM_LIMITS];
  read_limits(it, k, limits);
  note_side(it, contact, limits[CAROM_LIMIT_TRIAL]);
  bool holds =
      !spring_presses(it, contact) || fabs(limits[CAROM_LIMIT_TRIAL]) <= limits[CAROM_LIMIT_STICK];
  if (mode != 0.0 && spring_presses(it, contact) &&
      mode * limits[CAROM_LIMIT_TRIAL] >= limits[CAROM_LIMIT_SLIDE])
    return;
  carom_state_mode(it, contact->friction, holds ? 0.0 : way_of(limits));
}

// a spring as it is without contact
static void relax_spring(carom_hybrid *it, int k) {
  set_number(it, k, CAROM_NUMBER_DAMPING, CAROM_LASTING_DAMPING);
  set_number(it, k, CAROM_NUMBER_UNTIL, it->now.t);
  set_number(it, k, CAROM_NUMBER_GIVE, 1.0);
  set_number(it, k, CAROM_NUMBER_PUSH, 0.0);
  set_number(it, k, CAROM_NUMBER_LIFT, 0.0);
}

void carom_compliant_start(carom_hybrid *it) {
  for (int k = 0; k < it->model->compliant.count; k++) {
    const carom_compliant_contact *contact = &it->model->compliant.contacts[k];
    carom_state_mode(it, contact->impact, -1.0);
    relax_spring(it, k);
  }
  if (it->model->compliant.count > 0) carom_hybrid_configure(it);
}

// A gap that is zero but for rounding touches unless it opens.
void carom_compliant_settle(carom_hybrid *it) {
  double limits[CAROM_LIMITS];
  for (int k = 0; k < it->model->compliant.count; k++) {
    const carom_compliant_contact *contact = &it->model->compliant.contacts[k];
    read_limits(it, k, limits);
    if (fabs(limits[CAROM_LIMIT_GAP]) > it->watching.watch[contact->touch].tolerance) continue;
    bool opens = limits[CAROM_LIMIT_GAP_RATE] > 0.0;
    carom_state_mode(it, contact->touch, opens ? -contact->touch_sign : contact->touch_sign);
    carom_state_mode(it, contact->press, contact->press_sign);
    if (limits[CAROM_LIMIT_GAP_RATE] < 0.0) begin_touch(it, k);
  }
  carom_compliant_choose(it);
}

void carom_compliant_choose(carom_hybrid *it) {
  if (it->model->compliant.count == 0) return;
  for (int k = 0; k < it->model->compliant.count; k++)
    choose_friction(it, k);
  carom_hybrid_configure(it);
}

// a contact that opens lets its springs go: what was stored in them is lost
static void let_go(carom_hybrid *it, int k) {
  const carom_compliant_contact *contact = &it->model->compliant.contacts[k];
  double stored = stored_in(it, k);
  carom_state_mode(it, contact->touch, -contact->touch_sign);
  carom_state_mode(it, contact->impact, -1.0);
  relax_spring(it, k);
  if (contact->friction >= 0) carom_state_put(it, contact->bristle, 0.0);
  if (contact->friction >= 0 && contact->side < 0) carom_state_put(it, contact->bristle + 1, 0.0);
  book_change(it, k, stored);
}

static void flip_touch(carom_hybrid *it, int k, int direction) {
  const carom_compliant_contact *contact = &it->model->compliant.contacts[k];
  if ((double)direction * contact->touch_sign < 0.0) {
    let_go(it, k);
    return;
  }
  carom_state_mode(it, contact->touch, direction);
  begin_touch(it, k);
}

// The dense output of a stiff step can miss the true state: where that has not come to the limit,
// nothing changes yet.
static void flip_friction(carom_hybrid *it, int k) {
  const carom_compliant_contact *contact = &it->model->compliant.contacts[k];
  double mode = it->modes[contact->friction], limits[CAROM_LIMITS];
  double near = it->watching.watch[contact->friction].tolerance;
  read_limits(it, k, limits);
  note_side(it, contact, limits[CAROM_LIMIT_TRIAL]);
  if (limits[CAROM_LIMIT_PUSH] < 0.0) { // push and friction vanish almost together
    carom_state_mode(it, contact->press, -contact->press_sign);
    carom_state_mode(it, contact->friction, 0.0);
  } else if (mode == 0.0 && fabs(limits[CAROM_LIMIT_TRIAL]) >= limits[CAROM_LIMIT_STICK] - near) {
    carom_state_mode(it, contact->friction, way_of(limits));
  } else if (mode != 0.0 && mode * limits[CAROM_LIMIT_TRIAL] <= limits[CAROM_LIMIT_SLIDE] + near) {
    carom_state_mode(it, contact->friction, 0.0);
  }
}

// A dented surface is met below the gap's zero: that too is an impact.
static void press_again(carom_hybrid *it, int k) {
  const carom_compliant_contact *contact = &it->model->compliant.contacts[k];
  bool dented = number_of(it, k, CAROM_NUMBER_PUSH) < 0.0;
  if (dented && spring_presses(it, contact) && it->modes[contact->impact] < 0.0) begin_touch(it, k);
}

bool carom_compliant_flip(carom_hybrid *it, const carom_root *root) {
  int k;
  carom_compliant_role role = carom_compliant_role_of(&it->model->compliant, root->function, &k);
  if (role == CAROM_ROLE_NONE || role == CAROM_ROLE_COEFFICIENT) return false;
  if (role == CAROM_ROLE_TOUCH) flip_touch(it, k, root->direction);
  if (role == CAROM_ROLE_PRESS || role == CAROM_ROLE_SIDE)
    carom_state_mode(it, root->function, (double)root->direction);
  if (role == CAROM_ROLE_IMPACT) end_impact(it, k);
  if (role == CAROM_ROLE_PRESS) press_again(it, k);
  if (role == CAROM_ROLE_FRICTION) flip_friction(it, k);
  bool normal = role == CAROM_ROLE_TOUCH || role == CAROM_ROLE_PRESS || role == CAROM_ROLE_IMPACT;
  for (int j = 0; j < it->model->compliant.count && normal; j++)
    choose_friction(it, j);
  choose_coefficient(it, k);
  carom_hybrid_configure(it);
  return true;
}

carom_event_kind carom_compliant_event(const carom_hybrid *it, const carom_root *root) {
  int k;
  carom_compliant_role role = carom_compliant_role_of(&it->model->compliant, root->function, &k);
  if (role == CAROM_ROLE_NONE) return CAROM_EVENT_SWITCH;
  const carom_compliant_contact *contact = &it->model->compliant.contacts[k];
  if (role == CAROM_ROLE_TOUCH) {
    bool arrives = (double)root->direction * contact->touch_sign > 0.0;
    return arrives ? CAROM_EVENT_IMPACT : CAROM_EVENT_OPEN;
  }
  if (role == CAROM_ROLE_FRICTION)
    return it->modes[contact->friction] == 0.0 ? CAROM_EVENT_SLIP : CAROM_EVENT_STICK;
  return CAROM_EVENT_SWITCH;
}

// What is looked for: contacts that arrive or leave at all times, the others' ends while they last.
void carom_compliant_arm(carom_hybrid *it, int mode, carom_root_watch *watch) {
  int k;
  carom_compliant_role role = carom_compliant_role_of(&it->model->compliant, mode, &k);
  if (role == CAROM_ROLE_NONE) return;
  const carom_compliant_contact *contact = &it->model->compliant.contacts[k];
  watch->active = role != CAROM_ROLE_NUMBER;
  if (role == CAROM_ROLE_IMPACT) {
    watch->active = it->modes[contact->impact] > 0.0;
    watch->direction = CAROM_FALLING;
    watch->side = 1;
    return;
  }
  if (role == CAROM_ROLE_COEFFICIENT) { // of use while the contact slides
    watch->active = spring_presses(it, contact) && it->modes[contact->friction] != 0.0;
    return;
  }
  // forces of stiff springs are known far better than the positions' tolerance says, and a wide
  // band would take their slow passage through zero for a rest there
  if (role != CAROM_ROLE_TOUCH)
    watch->tolerance *= fmin(1.0, FORCE_RESOLUTION / (it->run.event_tolerance * it->run.rtol));
  if (role == CAROM_ROLE_PRESS) watch->active = spring_touches(it, contact);
  if (role == CAROM_ROLE_SIDE)
    watch->active = spring_presses(it, contact) && it->modes[contact->friction] == 0.0;
  if (role != CAROM_ROLE_FRICTION) return;
  watch->active = spring_presses(it, contact);
  watch->direction = CAROM_FALLING;
  watch->side = 1;
}
