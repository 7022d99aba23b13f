// SPDX-License-Identifier: MIT
/// Are the laws of contact kept where a step ends? Looked at with the values at hand: open gaps,
/// and the forces of the last evaluation, or those of a contact by itself. Open gaps are looked at
/// somewhere inside the step, too, unless the search has proved that they stay open. What slides on
/// a jump lies between its two sides.
#include "hybrid/hybrid.h"

#include "base/elementary.h"

#include <assert.h>
#include <math.h>

static const double ROUNDING = 1e-12; // of the largest force: a violation that rounding explains
static const double GOLDEN = 0.6180339887498949; // multiples of it spread evenly modulo 1

// the deepest gap of the open contacts, absolutely and in units of what can be told from zero
static void inspect_gaps(carom_hybrid *it, double t, const double *y) {
  for (int k = 0; k < it->model->contacts.count; k++) {
    int w = it->model->contacts.gap[k];
    const carom_watched *watched = &it->model->watched[w];
    if (carom_contact_is_closed(it->memory[k].mode)) continue;
    if (carom_contact_is_loaded(&it->model->contacts, k)) continue;
    double depth = -carom_watch_at(&watched->function, &it->watching.work[w], t, y);
    double tolerance = it->tolerance.gap[k];
    it->now.certificate.worst.penetration =
        carom_larger(it->now.certificate.worst.penetration, depth);
    if (depth <= tolerance) continue;
    // late in a long run a fast gap is known only as well as the time
    double rate = carom_watch_rate(&watched->function, &it->watching.work[w], t, y, it->stepper.f);
    tolerance += CAROM_TIME_ROUNDING * fabs(rate * t);
    it->now.standing.deepest = carom_larger(it->now.standing.deepest, depth / tolerance);
  }
}

// has the search for landings proved that the gap stays open over the tried step?
static bool stays_open(const carom_hybrid *it, int w) {
  const carom_watch_work *work = &it->watching.work[w];
  return work->lowest_at == it->stepper.counts.evaluations && work->lowest > 0.0;
}

void carom_hybrid_inspect_within(carom_hybrid *it, double theta_end) {
  bool doubtful = false;
  for (int k = 0; k < it->model->contacts.count && !doubtful; k++)
    doubtful =
        !stays_open(it, it->model->contacts.gap[k]) && !carom_contact_is_closed(it->memory[k].mode);
  if (!doubtful) return;
  // one look a step, each elsewhere
  double turn = GOLDEN * (double)(it->now.certificate.counts.steps + 1);
  double theta = theta_end * (turn - floor(turn));
  carom_dense_states(&it->stepper, theta, it->room.scratch, NULL);
  inspect_gaps(it, it->stepper.t + theta * it->stepper.h, it->room.scratch);
}

// the size of forces here: the largest one, or what it takes to hold a row against the free motion
double carom_hybrid_largest_force(const carom_hybrid *it) {
  double largest = 0.0;
  const carom_rows *rows = &it->work.rows;
  int count = it->model->dynamics->rows;
  for (int r = 0; r < count; r++) {
    double inertia = rows->delassus[r * (count + 1)];
    largest = carom_larger(largest, fabs(it->contact.lambda[r]));
    if (inertia > 0.0) largest = carom_larger(largest, fabs(rows->free_rate[r]) / inertia);
  }
  return largest;
}

// Power of the friction of contact k at (t, y). The rows may be those of an earlier state: a
// contact by itself does without them.
static double friction_power(carom_hybrid *it, int k, double t, const double *y) {
  assert(k >= 0 && k < it->model->contacts.count);
  const carom_contact_set *set = &it->model->contacts;
  const double *lambda = it->contact.lambda, *velocity = it->work.rows.velocity;
  int tangent = set->tangent[k], cross = set->cross[k], w = 0;
  if (cross >= 0) return lambda[tangent] * velocity[tangent] + lambda[cross] * velocity[cross];
  while (it->model->watched[w].kind != CAROM_WATCH_SLIP || it->model->watched[w].index != k)
    w++;
  return lambda[tangent] *
         carom_watch_at(&it->model->watched[w].function, &it->watching.work[w], t, y);
}

// normal forces push, friction stays in its cone
static void inspect_forces(carom_hybrid *it, double t, const double *y) {
  const carom_contact_set *set = &it->model->contacts;
  const carom_contact_evaluation *contact = &it->contact;
  carom_certificate *c = &it->now.certificate;
  double largest = carom_hybrid_largest_force(it), worst = 0.0;
  if (!(largest > 0.0)) return;
  for (int j = 0; j < contact->closed; j++) {
    int k = contact->which[j], tangent = set->tangent[k];
    double normal = contact->lambda[set->normal[k]], pull = carom_larger(0.0, -normal) / largest;
    c->worst.complementarity = carom_larger(c->worst.complementarity, pull);
    worst = carom_larger(worst, pull);
    if (tangent < 0 || set->user_law[k]) continue;
    bool sticks = it->memory[k].mode == CAROM_CONTACT_STICK;
    double mu = sticks ? contact->now[k].stick : contact->now[k].slide;
    int cross = set->cross[k];
    double rub = fabs(contact->lambda[tangent]);
    if (cross >= 0) rub = carom_hypot(rub, contact->lambda[cross]);
    double excess = carom_larger(0.0, rub - mu * normal) / largest;
    // friction that drives the slip is as wrong as friction outside its cone
    if (!sticks && friction_power(it, k, t, y) > rub * it->tolerance.slip[k])
      excess = rub / largest;
    c->worst.cone_violation = carom_larger(c->worst.cone_violation, excess);
    worst = carom_larger(worst, excess);
  }
  if (worst > ROUNDING && it->now.standing.forces == CAROM_FORCES_HOLD)
    it->now.standing.forces = CAROM_FORCES_BROKEN;
}

static void inspect_contacts(carom_hybrid *it, double t, const double *y) {
  if (it->model->contacts.count == 0) return;
  inspect_gaps(it, t, y);
  if (it->now.standing.forces == CAROM_FORCES_BROKEN) it->now.standing.forces = CAROM_FORCES_HOLD;
  if (it->contact.closed == 0) return;
  carom_lone_forces(it, t, y);
  if (!carom_hybrid_forces_are_rounding(it)) inspect_forces(it, t, y);
}

// What slides on a jump has a share of each side, as friction that holds has a part of its cone.
static void inspect_sliding(carom_hybrid *it, double t, const double *y) {
  double left;
  if (it->phases.surfaces.count == 0 || carom_surfaces_left(it, t, y, &left) != CAROM_OK) return;
  it->now.certificate.worst.cone_violation = fmax(it->now.certificate.worst.cone_violation, -left);
}

void carom_hybrid_inspect(carom_hybrid *it, double t, const double *y) {
  inspect_contacts(it, t, y);
  inspect_sliding(it, t, y);
}
