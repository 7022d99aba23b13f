// SPDX-License-Identifier: MIT
/// Contacts and constraints that exist while a condition holds (`when`). While they do not, their
/// rows ask for nothing: the gap of an absent contact is CAROM_ABSENT_GAP, the row of an absent
/// constraint is zero. What appears must fit the positions, or they are brought there (`appear:
/// push`); a constraint that appears stops what it forbids by an impulse, to which closed contacts
/// answer without rebound. A contact that appears in touch and closing strikes as any other.
#include "hybrid/hybrid.h"

#include "base/linear.h"
#include "hybrid/tangent.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double FITS = 1e-9; // of the state: a constraint that holds, as in fit.c

// does contact k not exist, by the rows last evaluated?
static bool is_absent(const carom_hybrid *it, int k) {
  assert(k >= 0 && k < it->model->contacts.count);
  const carom_contact_set *set = &it->model->contacts;
  return set->contacts[k].presence.when &&
         it->work.rows.position[set->normal[k]] == CAROM_ABSENT_GAP;
}

static const carom_constraint *constraint_at(const carom_hybrid *it, int r) {
  return &it->model->scenario->constraints[r];
}

static double allowed_error(const carom_hybrid *it) {
  return FITS * (1.0 + carom_norm_max(it->model->dynamics->size, it->y));
}

// ---- positions

static bool pushes_constraint(const carom_hybrid *it, int r, const double *position) {
  return constraint_at(it, r)->presence.push && fabs(position[r]) > allowed_error(it);
}

static bool pushes_contact(const carom_hybrid *it, int k, const double *position) {
  assert(k >= 0 && k < it->model->contacts.count);
  const carom_contact_set *set = &it->model->contacts;
  return set->contacts[k].presence.push && !carom_contact_is_closed(it->memory[k].mode) &&
         position[set->normal[k]] < -it->tolerance.gap[k];
}

// Rows that positions are brought to: constraints and what is closed hold as before. True: some of
// them are off.
static bool list_pushed(carom_hybrid *it) {
  const carom_contact_set *set = &it->model->contacts;
  const double *position = it->work.rows.position;
  bool any = false;
  carom_hybrid_list_closed(it);
  for (int r = 0; r < it->model->constraints; r++)
    any = any || pushes_constraint(it, r, position);
  for (int k = 0; k < set->count; k++) {
    bool *held = &it->contact.held_position[set->normal[k]];
    if (is_absent(it, k)) *held = false;
    if (pushes_contact(it, k, position)) any = *held = true;
  }
  return any;
}

// what was off, and by how much
static void tell_pushes(carom_hybrid *it, const double *was) {
  const carom_contact_set *set = &it->model->contacts;
  for (int r = 0; r < it->model->constraints; r++)
    if (pushes_constraint(it, r, was))
      carom_hybrid_ask(it, carom_hybrid_announce(it, CAROM_EVENT_PUSH,
                                                 constraint_at(it, r)->value.name, 0, was[r]));
  for (int k = 0; k < set->count; k++)
    if (pushes_contact(it, k, was))
      carom_hybrid_ask(it, carom_hybrid_announce(it, CAROM_EVENT_PUSH, set->contacts[k].name, 0,
                                                 was[set->normal[k]]));
}

// moves positions there; what that does to the energy is work of events
static carom_status push_out(carom_hybrid *it, carom_error *error) {
  const carom_dynamics *dynamics = it->model->dynamics;
  carom_energy before = {0}, after = {0};
  if (it->clients.tangent && it->clients.tangent->active)
    return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                      "at t = %.15g positions are pushed to where a contact or constraint appears: "
                      "that has no derivative here",
                      it->now.t);
  double *was = it->instant.striking.approach;
  memcpy(was, it->work.rows.position, (size_t)dynamics->rows * sizeof *was);
  memcpy(it->before, it->y, (size_t)it->size * sizeof *it->y);
  carom_status status = carom_dynamics_energy(dynamics, &it->work, it->now.t, it->y, &before);
  if (status == CAROM_OK) status = carom_hybrid_reach(it, it->now.t, it->y);
  if (status == CAROM_OK)
    status = carom_dynamics_energy(dynamics, &it->work, it->now.t, it->y, &after);
  if (status != CAROM_OK) return carom_hybrid_explain(it, status, it->now.t, it->y, error);
  double change = after.kinetic + after.potential - before.kinetic - before.potential;
  carom_hybrid_book_event(it, change, after.drive_store - before.drive_store);
  tell_pushes(it, was);
  return CAROM_OK;
}

// ---- velocities

// the first constraint of this kind that does not hold at velocity level, or -1
static int first_moving(const carom_hybrid *it) {
  for (int r = 0; r < it->model->constraints; r++)
    if (constraint_at(it, r)->presence.when && fabs(it->work.rows.velocity[r]) > allowed_error(it))
      return r;
  return -1;
}

// constraints and closed contacts, none of which rebounds; rows and coefficients are those of a
// state
static carom_status solve_joint(carom_hybrid *it, carom_impact_result *result) {
  const carom_contact_set *set = &it->model->contacts;
  carom_contact_evaluation *contact = &it->contact;
  double *before = it->instant.striking.approach;
  memcpy(before, it->work.rows.velocity, (size_t)it->model->dynamics->rows * sizeof *before);
  contact->closed = 0;
  for (int k = 0; k < set->count; k++) {
    if (!carom_contact_is_closed(it->memory[k].mode) || is_absent(it, k) ||
        carom_contact_is_loaded(set, k))
      continue;
    int j = contact->closed++;
    contact->normal[j] = set->normal[k];
    contact->tangent[j] = set->tangent[k];
    contact->slide[j] = contact->now[k].impact_slide;
    contact->stick[j] = fmax(contact->now[k].impact_stick, contact->now[k].impact_slide);
    it->instant.striking.restitution[j] = it->instant.striking.give_back[j] = 0.0;
    before[set->normal[k]] = 0.0;
    if (it->memory[k].mode == CAROM_CONTACT_STICK) before[set->tangent[k]] = 0.0;
  }
  carom_impact_problem problem = {.rows = it->model->dynamics->rows,
                                  .constraints = it->model->constraints,
                                  .contacts = contact->closed,
                                  .normal = contact->normal,
                                  .tangent = contact->tangent,
                                  .G = it->work.rows.delassus,
                                  .before = before,
                                  .e = it->instant.striking.restitution,
                                  .et = it->instant.striking.give_back,
                                  .stick = contact->stick,
                                  .slide = contact->slide,
                                  .pushing = -1};
  carom_status status = carom_impact_solve(&problem, it->instant.striking.impact_work, result);
  carom_hybrid_list_closed(it);
  return status;
}

static void apply_impulses(const carom_hybrid *it, const carom_impact_result *result, double *y) {
  for (int r = 0; r < it->model->dynamics->rows; r++)
    if (result->impulse[r] != 0.0) carom_hybrid_add_impulse(it, r, result->impulse[r], y);
}

carom_status carom_hybrid_join_seen(carom_hybrid *it, double t, double *y) {
  carom_impact_result result;
  carom_status status = carom_hybrid_evaluate_rows(it, t, y);
  if (status != CAROM_OK) return status;
  carom_hybrid_coefficients(it, t, y);
  status = solve_joint(it, &result);
  if (status == CAROM_OK) apply_impulses(it, &result, y);
  return status;
}

// the energy that joining takes, relative to what moves by itself, and the work of that
static void book_energy(carom_hybrid *it, const carom_impact_result *result, double change) {
  double surfaces = 0.0;
  for (int r = 0; r < it->model->dynamics->rows; r++)
    surfaces -= result->impulse[r] * it->work.rows.offset[r];
  carom_hybrid_book_impact(it, -result->energy, surfaces, change);
}

// A constraint that appears is told as an impact, with its impulse.
static carom_status tell_joining(carom_hybrid *it, int first, carom_error *error) {
  const carom_dynamics *dynamics = it->model->dynamics;
  carom_impact_result result;
  carom_energy before = {0}, after = {0};
  carom_status status = carom_tangent_join(it, error);
  if (status != CAROM_OK) return status;
  carom_hybrid_coefficients(it, it->now.t, it->y);
  status = solve_joint(it, &result);
  if (status != CAROM_OK)
    return carom_fail_at(error, status, constraint_at(it, first)->value.place,
                         "at t = %.15g no impulse makes constraint %s hold", it->now.t,
                         constraint_at(it, first)->value.name);
  memcpy(it->before, it->y, (size_t)it->size * sizeof *it->y);
  status = carom_dynamics_energy(dynamics, &it->work, it->now.t, it->y, &before);
  apply_impulses(it, &result, it->y);
  carom_hybrid_follow_jump(it);
  if (status == CAROM_OK)
    status = carom_dynamics_energy(dynamics, &it->work, it->now.t, it->y, &after);
  if (status != CAROM_OK) return carom_hybrid_explain(it, status, it->now.t, it->y, error);
  book_energy(it, &result, after.kinetic - before.kinetic);
  for (int r = first; r < it->model->constraints; r++)
    if (constraint_at(it, r)->presence.when && result.impulse[r] != 0.0)
      carom_hybrid_ask(it, carom_hybrid_announce_impact(it, constraint_at(it, r)->value.name,
                                                        result.impulse[r], 0.0, 0.0));
  return CAROM_OK;
}

static carom_status rows_now(carom_hybrid *it, carom_error *error) {
  carom_status status = carom_hybrid_evaluate_rows(it, it->now.t, it->y);
  return status == CAROM_OK ? status : carom_hybrid_explain(it, status, it->now.t, it->y, error);
}

// a constraint that does not fit, and is not to be pushed
static carom_status refuse_misfit(const carom_hybrid *it, carom_error *error) {
  for (int r = 0; r < it->model->constraints; r++) {
    double off = it->work.rows.position[r];
    if (constraint_at(it, r)->presence.when && fabs(off) > allowed_error(it))
      return carom_fail_at(error, CAROM_ERR_INPUT, constraint_at(it, r)->value.place,
                           "at t = %.15g constraint %s appears where it is off by %.6g; let it "
                           "appear where it fits, or add appear: push",
                           it->now.t, constraint_at(it, r)->value.name, off);
  }
  return CAROM_OK;
}

carom_status carom_hybrid_appear(carom_hybrid *it, carom_error *error) {
  if (!it->model->comes_and_goes) return CAROM_OK;
  carom_status status = rows_now(it, error);
  bool moved = false;
  if (status == CAROM_OK) carom_patch_appear(it, &moved);
  if (moved) status = rows_now(it, error);
  if (status == CAROM_OK && list_pushed(it)) {
    status = push_out(it, error);
    if (status == CAROM_OK) status = rows_now(it, error);
  }
  carom_hybrid_list_closed(it);
  if (status == CAROM_OK) status = refuse_misfit(it, error);
  int moving = status == CAROM_OK ? first_moving(it) : -1;
  return moving >= 0 ? tell_joining(it, moving, error) : status;
}
