// SPDX-License-Identifier: MIT
/// Branches of compliant contacts during a motion: touching, pressing, holding or sliding.
#include "hybrid/hybrid.h"

#include <math.h>
#include <string.h>

static const double FORCE_RESOLUTION = 1e-13; // relative, of forces that count as zero

static bool touching(const carom_hybrid *it, const carom_compliant_contact *contact) {
  return it->modes[contact->touch] * contact->touch_sign > 0.0;
}

static bool pressing(const carom_hybrid *it, const carom_compliant_contact *contact) {
  return touching(it, contact) && it->modes[contact->press] * contact->press_sign > 0.0;
}

// forces of bristle and slider at the present state and modes
static void read_limits(carom_hybrid *it, int k, double limits[CAROM_LIMITS]) {
  const carom_dynamics *d = it->model->dynamics;
  const carom_program *program = it->model->compliant.limits;
  double *at = it->limit_registers;
  *at++ = it->now.t;
  memcpy(at, it->y, (size_t)d->size * sizeof *at);
  at += d->size;
  memcpy(at, it->modes, (size_t)d->modes * sizeof *at);
  at += d->modes;
  memcpy(at, it->parameters, (size_t)d->parameters * sizeof *at);
  carom_program_setup(program, it->limit_registers);
  carom_program_run(program, it->limit_registers);
  for (int j = 0; j < CAROM_LIMITS; j++)
    limits[j] = it->limit_registers[carom_program_output(program, k * CAROM_LIMITS + j)];
}

// the dashpot of a touch that begins
static void set_damping(carom_hybrid *it, int k) {
  double limits[CAROM_LIMITS];
  read_limits(it, k, limits);
  carom_touch touch = {.e = limits[CAROM_LIMIT_RESTITUTION],
                       .newton = it->model->scenario->contacts[k].law == CAROM_LAW_NEWTON,
                       .approach = limits[CAROM_LIMIT_GAP_RATE],
                       .slip = limits[CAROM_LIMIT_SLIP],
                       .normal = limits[CAROM_LIMIT_NORMAL],
                       .coupling = limits[CAROM_LIMIT_COUPLING],
                       .tangent = limits[CAROM_LIMIT_TANGENT],
                       .mu_stick = limits[CAROM_LIMIT_MU_STICK],
                       .mu_slide = limits[CAROM_LIMIT_MU_SLIDE]};
  it->modes[it->model->compliant.contacts[k].damping] = carom_touch_damping(&touch);
}

static void note_side(carom_hybrid *it, const carom_compliant_contact *contact, double trial) {
  it->modes[contact->side] = trial > 0.0 ? contact->side_sign : -contact->side_sign;
}

// A slider that holds goes on holding up to the limit of stick, one that slides goes on sliding
// down to that of slip.
static void choose_friction(carom_hybrid *it, int k) {
  const carom_compliant_contact *contact = &it->model->compliant.contacts[k];
  if (contact->friction < 0) return;
  double *mode = &it->modes[contact->friction], limits[CAROM_LIMITS];
  read_limits(it, k, limits);
  note_side(it, contact, limits[CAROM_LIMIT_TRIAL]);
  bool holds =
      !pressing(it, contact) || fabs(limits[CAROM_LIMIT_TRIAL]) <= limits[CAROM_LIMIT_STICK];
  if (*mode != 0.0 && pressing(it, contact) &&
      *mode * limits[CAROM_LIMIT_TRIAL] >= limits[CAROM_LIMIT_SLIDE])
    return;
  *mode = holds ? 0.0 : limits[CAROM_LIMIT_TRIAL] > 0.0 ? 1.0 : -1.0;
}

void carom_compliant_start(carom_hybrid *it) {
  for (int k = 0; k < it->model->compliant.count; k++)
    set_damping(it, k);
  if (it->model->compliant.count > 0) carom_hybrid_configure(it);
}

void carom_compliant_choose(carom_hybrid *it) {
  if (it->model->compliant.count == 0) return;
  for (int k = 0; k < it->model->compliant.count; k++)
    choose_friction(it, k);
  carom_hybrid_configure(it);
}

// a contact that opens lets its bristle go: what was stored in it is lost
static void let_go(carom_hybrid *it, int k) {
  const carom_compliant_contact *contact = &it->model->compliant.contacts[k];
  double limits[CAROM_LIMITS];
  if (contact->friction < 0) return;
  read_limits(it, k, limits);
  it->now.certificate.lost_impacts += limits[CAROM_LIMIT_STORED];
  it->now.energy_reference -= limits[CAROM_LIMIT_STORED];
  it->y[contact->bristle] = 0.0;
}

static void flip_touch(carom_hybrid *it, int k, int direction) {
  const carom_compliant_contact *contact = &it->model->compliant.contacts[k];
  it->modes[contact->touch] = direction;
  if (touching(it, contact)) set_damping(it, k);
  if (touching(it, contact))
    it->modes[contact->press] = contact->press_sign; // it arrived, so it pushes
  else
    let_go(it, k);
}

// The dense output of a stiff step can miss the true state: where that has not come to the limit,
// nothing changes yet.
static void flip_friction(carom_hybrid *it, int k) {
  const carom_compliant_contact *contact = &it->model->compliant.contacts[k];
  double *mode = &it->modes[contact->friction], limits[CAROM_LIMITS];
  double near = it->root_watch[contact->friction].tolerance;
  read_limits(it, k, limits);
  note_side(it, contact, limits[CAROM_LIMIT_TRIAL]);
  if (limits[CAROM_LIMIT_PUSH] < 0.0) { // push and friction vanish almost together
    it->modes[contact->press] = -contact->press_sign;
    *mode = 0.0;
  } else if (*mode == 0.0 && fabs(limits[CAROM_LIMIT_TRIAL]) >= limits[CAROM_LIMIT_STICK] - near) {
    *mode = limits[CAROM_LIMIT_TRIAL] > 0.0 ? 1.0 : -1.0;
  } else if (*mode != 0.0 &&
             *mode * limits[CAROM_LIMIT_TRIAL] <= limits[CAROM_LIMIT_SLIDE] + near) {
    *mode = 0.0;
  }
}

bool carom_compliant_flip(carom_hybrid *it, const carom_root *root) {
  int k;
  carom_compliant_role role = carom_compliant_role_of(&it->model->compliant, root->function, &k);
  if (role == CAROM_ROLE_NONE) return false;
  if (role == CAROM_ROLE_TOUCH) flip_touch(it, k, root->direction);
  if (role == CAROM_ROLE_PRESS || role == CAROM_ROLE_SIDE)
    it->modes[root->function] = (double)root->direction;
  if (role == CAROM_ROLE_FRICTION)
    flip_friction(it, k);
  else if (role != CAROM_ROLE_SIDE)
    choose_friction(it, k);
  carom_hybrid_configure(it);
  return true;
}

carom_event_kind carom_compliant_event(carom_hybrid *it, const carom_root *root) {
  int k;
  carom_compliant_role role = carom_compliant_role_of(&it->model->compliant, root->function, &k);
  if (role == CAROM_ROLE_NONE) return CAROM_EVENT_SWITCH;
  const carom_compliant_contact *contact = &it->model->compliant.contacts[k];
  if (role == CAROM_ROLE_TOUCH) {
    bool arrives = (double)root->direction * contact->touch_sign > 0.0;
    *(arrives ? &it->now.certificate.impacts : &it->now.certificate.openings) += 1;
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
  watch->active = role != CAROM_ROLE_DAMPING;
  // forces of stiff springs are known far better than the positions' tolerance says, and a wide
  // band would take their slow passage through zero for a rest there
  if (role != CAROM_ROLE_TOUCH)
    watch->tolerance *= fmin(1.0, FORCE_RESOLUTION / (it->run.event_tolerance * it->run.rtol));
  if (role == CAROM_ROLE_PRESS) watch->active = touching(it, contact);
  if (role == CAROM_ROLE_SIDE)
    watch->active = pressing(it, contact) && it->modes[contact->friction] == 0.0;
  if (role != CAROM_ROLE_FRICTION) return;
  watch->active = pressing(it, contact);
  watch->direction = CAROM_FALLING;
  watch->side = 1;
}
