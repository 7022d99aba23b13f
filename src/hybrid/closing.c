// SPDX-License-Identifier: MIT
/// Contacts that close after an impact: which of those that rebound slowly do, and the impulses
/// that take their rebounds away.
///
/// The bounces left out would have pressed less than a lasting contact by the momentum of the
/// rebounds, so friction is reduced with it: the closing is exact to first order in the rebound. A
/// contact whose slip the impact has stopped goes on sticking, as it would at every bounce left
/// out.
///
/// Impulses -P with v + G (-P) = 0 along normals and sticking tangents are forces P of the contact
/// problem with b = -v. With more contacts than rows that are independent P is the one of least
/// norm, as everywhere, which does not depend on the order of contacts.
#include "hybrid/hybrid.h"

#include "base/elementary.h"

#include "hybrid/leg.h"
#include "hybrid/tangent.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double PARADOX = 1e3; // of what a row alone would need: impulses near a paradox

static bool contact_rubs(const carom_hybrid *it, int k) {
  assert(k >= 0 && k < it->model->contacts.count);
  const carom_coefficients *now = &it->contact.now[k];
  return it->model->contacts.tangent[k] >= 0 && !it->model->contacts.user_law[k] &&
         (now->stick > 0.0 || now->slide > 0.0 || now->impact_stick > 0.0);
}

static double slip_of(const carom_hybrid *it, int k) {
  assert(k >= 0 && k < it->model->contacts.count);
  double slip = it->work.rows.velocity[it->model->contacts.tangent[k]];
  if (it->model->contacts.cross[k] >= 0)
    slip = carom_contact_speed(&it->model->contacts, &it->work.rows, k);
  return fabs(slip) <= it->tolerance.slip[k] ? 0.0 : slip;
}

// What is closed, or is to close, as the problem of stopping it. A slip that has come to zero in a
// contact that does not stick has no friction; nor have others where it is not asked for.
static carom_contact_problem stopping_problem(carom_hybrid *it, bool friction) {
  const carom_contact_set *set = &it->model->contacts;
  carom_contact_evaluation *contact = &it->contact;
  int rows = it->model->dynamics->rows;
  carom_hybrid_list_closed(it);
  for (int r = 0; r < rows; r++)
    contact->shifted[r] = -it->work.rows.velocity[r];
  for (int j = 0; j < contact->closed; j++) {
    int k = contact->which[j];
    const carom_coefficients *now = &contact->now[k];
    bool sticks = it->memory[k].mode == CAROM_CONTACT_STICK;
    double slip = contact_rubs(it, k) && friction && !sticks ? slip_of(it, k) : 0.0;
    contact->normal[j] = set->normal[k];
    contact->tangent[j] = sticks || slip != 0.0 ? set->tangent[k] : -1;
    contact->cross[j] = contact->tangent[j] >= 0 ? set->cross[k] : -1;
    contact->sliding[j] = (slip > 0.0) - (slip < 0.0);
    contact->slide[j] = now->slide;
    contact->stick[j] = fmax(now->stick, now->impact_stick);
    contact->modes[j] = sticks       ? CAROM_CONTACT_STICK
                        : slip > 0.0 ? CAROM_CONTACT_SLIP_PLUS
                        : slip < 0.0 ? CAROM_CONTACT_SLIP_MINUS
                                     : CAROM_CONTACT_CLOSED;
  }
  if (set->spatial > 0) carom_contact_turn_along(set, contact, it->memory, &it->work.rows, rows);
  return (carom_contact_problem){.rows = rows,
                                 .constraints = it->model->constraints,
                                 .contacts = contact->closed,
                                 .normal = contact->normal,
                                 .tangent = contact->tangent,
                                 .cross = set->spatial > 0 ? contact->cross : NULL,
                                 .G = set->spatial > 0 ? contact->turned : it->work.rows.delassus,
                                 .b = contact->shifted,
                                 .stick = contact->stick,
                                 .slide = contact->slide,
                                 .sliding = contact->sliding};
}

// Impulses along all rows that stop what is closed, into contact.lambda. Returns whether they push
// nowhere (they take away) and stay within the cones.
static bool stop_rows(carom_hybrid *it, bool friction) {
  carom_contact_problem problem = stopping_problem(it, friction);
  double *impulse = it->contact.lambda;
  bool admissible =
      carom_contact_forces(&problem, it->contact.modes, it->contact.work, impulse, NULL, NULL);
  if (problem.cross)
    admissible = carom_contact_turn_back(&it->model->contacts, &it->contact, false) && admissible;
  for (int r = 0; r < problem.rows; r++)
    impulse[r] = impulse[r] != 0.0 ? -impulse[r] : 0.0;
  return admissible;
}

static double velocity_change(const carom_hybrid *it, int row) {
  int count = it->model->dynamics->rows;
  double change = 0.0;
  for (int s = 0; s < count; s++)
    change += it->work.rows.delassus[row * count + s] * it->contact.lambda[s];
  return change;
}

// Friction counts as long as slips are fast compared with what it changes, and far from a paradox,
// where impulses grow without bound.
static bool slips_go_on(const carom_hybrid *it) {
  const carom_contact_evaluation *contact = &it->contact;
  const carom_rows *at = &it->work.rows;
  int stride = it->model->dynamics->rows + 1;
  double fastest = 0.0;
  for (int j = 0; j < contact->closed; j++)
    fastest = fmax(fastest, fabs(at->velocity[contact->normal[j]]));
  for (int j = 0; j < contact->closed; j++) {
    int normal = contact->normal[j], tangent = contact->tangent[j];
    if (!(fabs(contact->lambda[normal]) * at->delassus[normal * stride] <= PARADOX * fastest))
      return false;
    int cross = it->model->contacts.cross[contact->which[j]];
    double change = contact->sliding[j] != 0 ? fabs(velocity_change(it, tangent)) : 0.0;
    double slip = contact->sliding[j] != 0 ? fabs(at->velocity[tangent]) : 0.0;
    if (contact->sliding[j] != 0 && cross >= 0) {
      change = carom_hypot(change, velocity_change(it, cross));
      slip = carom_contact_speed(&it->model->contacts, at, contact->which[j]);
    }
    if (!(change <= 0.5 * slip)) return false;
  }
  return true;
}

// the impulses that take away the rebounds of contacts that are to close, along all rows
static const double *rebound_impulses(carom_hybrid *it) {
  (void)stop_rows(it, true);
  if (!slips_go_on(it)) (void)stop_rows(it, false);
  return it->contact.lambda;
}

carom_status carom_hybrid_rebounds_seen(carom_hybrid *it, double t, double *y) {
  carom_status status = carom_hybrid_evaluate_rows(it, t, y);
  if (status != CAROM_OK) return status;
  carom_hybrid_coefficients(it, t, y);
  const double *impulse = rebound_impulses(it);
  for (int r = 0; r < it->model->dynamics->rows; r++)
    if (impulse[r] != 0.0) carom_hybrid_add_impulse(it, r, impulse[r], y);
  return CAROM_OK;
}

// takes away the rebounds of contacts that are to close, all at once
static void take_rebounds(carom_hybrid *it) {
  const carom_rows *at = &it->work.rows;
  carom_leg_rebounds(it);
  carom_tangent_rebounds(it);
  const double *impulse = rebound_impulses(it);
  double relative = 0.0, surfaces = 0.0;
  for (int r = 0; r < it->model->dynamics->rows; r++) {
    if (impulse[r] == 0.0) continue;
    relative += impulse[r] * (at->velocity[r] + 0.5 * velocity_change(it, r));
    surfaces -= impulse[r] * at->offset[r];
    carom_hybrid_add_impulse(it, r, impulse[r], it->y);
  }
  carom_hybrid_book_impact(it, -relative, surfaces, relative + surfaces);
}

// --- who closes

static bool rebounds_slowly(const carom_hybrid *it, int k) {
  assert(k >= 0 && k < it->model->contacts.count);
  const carom_contact_memory *memory = &it->memory[k];
  double rebound = it->work.rows.velocity[it->model->contacts.normal[k]];
  return !carom_contact_is_closed(memory->mode) && rebound >= 0.0 &&
         carom_chatter_closes(it, memory, rebound);
}

static carom_contact_mode mode_by_slip(const carom_hybrid *it, int k) {
  assert(k >= 0 && k < it->model->contacts.count);
  if (it->model->contacts.tangent[k] < 0) return CAROM_CONTACT_CLOSED;
  double slip = slip_of(it, k);
  if (slip == 0.0) return CAROM_CONTACT_STICK;
  return slip > 0.0 ? CAROM_CONTACT_SLIP_PLUS : CAROM_CONTACT_SLIP_MINUS;
}

// accelerations of all rows with the contacts closed that are, or NULL where no modes hold
static const double *row_accelerations(carom_hybrid *it) {
  carom_contact_evaluation *contact = &it->contact;
  carom_hybrid_list_closed(it);
  carom_contact_problem problem = carom_hybrid_contact_problem(it);
  carom_contact_query query = carom_contact_query_default(contact->modes);
  carom_contact_choice choice;
  if (problem.cross)
    carom_space_choose(&problem, &query, contact->work, &choice, contact->direction);
  else
    carom_contact_choose(&problem, &query, contact->work, &choice);
  return choice.outcome == CAROM_CONTACT_INCONSISTENT ? NULL : choice.rate;
}

// velocity of a normal row once the rebounds of the contacts closed so far have been taken away
static double left_over(carom_hybrid *it, int row) {
  (void)stop_rows(it, false);
  return it->work.rows.velocity[row] + velocity_change(it, row);
}

// the slowest of the contacts in question, or -1
static int slowest_contact(const carom_hybrid *it, const bool *slow) {
  const int *normal = it->model->contacts.normal;
  const double *v = it->work.rows.velocity;
  int least = -1;
  for (int k = 0; k < it->model->contacts.count; k++)
    if (slow[k] && (least < 0 || v[normal[k]] < v[normal[least]])) least = k;
  return least;
}

// A speed alone does not tell that a contact is about to rest: the far edge of a thin body that
// topples over the near one moves slowly too, and would stop the body. So by the rule of speed the
// slowest contact closes if it falls back; each further one if, with those before it closed, it
// would be back no later than the rule's speed means for it alone: v/a against limit/a alone.
// Leaves the modes of slow contacts CLOSED or OPEN.
static void close_in_turn(carom_hybrid *it) {
  const carom_contact_set *set = &it->model->contacts;
  bool *slow = it->instant.landed; // its task is done
  for (int k = 0; k < set->count; k++)
    if (slow[k]) it->memory[k].mode = CAROM_CONTACT_OPEN;
  const double *a = row_accelerations(it);
  for (int k = 0; k < set->count; k++)
    it->instant.closing.fall[k] = a ? a[set->normal[k]] : -1.0;
  for (int k = slowest_contact(it, slow), first = k; k >= 0; k = slowest_contact(it, slow)) {
    double v = k == first ? it->work.rows.velocity[set->normal[k]] : left_over(it, set->normal[k]);
    a = k == first ? NULL : row_accelerations(it);
    double fall = a ? a[set->normal[k]] : it->instant.closing.fall[k];
    bool back = fall < 0.0 && -v * it->instant.closing.fall[k] <= -it->run.chatter_value * fall;
    slow[k] = false;
    if (back) it->memory[k].mode = mode_by_slip(it, k);
    it->instant.closing.chosen[k] = back;
  }
  for (int k = 0; k < set->count; k++) {
    slow[k] = it->instant.closing.chosen[k];
    if (slow[k]) it->memory[k].mode = CAROM_CONTACT_CLOSED;
    it->instant.closing.chosen[k] = false;
  }
}

// of the closing contacts that are to stick: the one that is furthest beyond its cone, or -1
static int beyond_cone(const carom_hybrid *it, const bool *slow) {
  const carom_contact_evaluation *contact = &it->contact;
  double most = 0.0;
  int worst = -1;
  for (int j = 0; j < contact->closed; j++) {
    int k = contact->which[j];
    if (!slow[k] || it->memory[k].mode != CAROM_CONTACT_STICK) continue;
    double rub = fabs(contact->lambda[contact->tangent[j]]);
    if (contact->cross[j] >= 0) rub = carom_hypot(rub, contact->lambda[contact->cross[j]]);
    double beyond =
        rub + contact->stick[j] * contact->lambda[contact->normal[j]]; // which is taken away
    if (!(beyond > most)) continue;
    most = beyond;
    worst = k;
  }
  return worst;
}

// Contacts whose slip has come to rest stick from here on, unless that would take more than their
// friction.
static void let_stick(carom_hybrid *it, const bool *slow) {
  bool any = false;
  for (int k = 0; k < it->model->contacts.count; k++)
    if (slow[k] && contact_rubs(it, k) && slip_of(it, k) == 0.0) {
      it->memory[k].mode = CAROM_CONTACT_STICK;
      any = true;
    }
  while (any && !stop_rows(it, true)) {
    int beyond = beyond_cone(it, slow);
    any = beyond >= 0;
    if (any) it->memory[beyond].mode = CAROM_CONTACT_CLOSED;
  }
}

carom_status carom_hybrid_close_slow(carom_hybrid *it, double rest, carom_error *error) {
  const carom_contact_set *set = &it->model->contacts;
  carom_contact_evaluation *contact = &it->contact;
  bool rebounds = false, any = false, *slow = it->instant.landed;
  memset(slow, 0, (size_t)set->count * sizeof *slow);
  for (int j = 0; j < contact->closed; j++) {
    int k = contact->which[j];
    slow[k] = !it->instant.touching[k] && rebounds_slowly(it, k);
  }
  for (int k = 0; k < set->count; k++) // those of a collapse that has ended close together
    slow[k] = slow[k] || carom_chatter_collapses(it, k);
  for (int k = 0; k < set->count; k++) {
    any = any || slow[k];
    if (slow[k]) it->memory[k].mode = CAROM_CONTACT_CLOSED; // its friction mode is chosen next
  }
  if (!any) return CAROM_OK;
  carom_hybrid_coefficients(it, it->now.t, it->y);
  if (it->run.chatter == CAROM_CHATTER_SPEED) close_in_turn(it);
  for (int k = 0; k < set->count; k++) {
    if (!slow[k]) continue;
    rebounds = rebounds || fabs(it->work.rows.velocity[set->normal[k]]) > rest;
    carom_chatter_close(it, &it->memory[k]);
  }
  if (!rebounds) return CAROM_OK;
  let_stick(it, slow);
  take_rebounds(it);
  carom_status status = carom_hybrid_evaluate_rows(it, it->now.t, it->y);
  return status == CAROM_OK ? status : carom_hybrid_explain(it, status, it->now.t, it->y, error);
}

void carom_hybrid_take_mode(carom_hybrid *it, int k, carom_contact_mode mode) {
  it->memory[k].mode = mode;
}
