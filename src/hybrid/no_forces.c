// SPDX-License-Identifier: MIT
/// Closed contacts that need no force, as balls that hang beside each other: what is computed as
/// one is no more than the tolerance of the state, and says nothing about pushing or pulling.
#include "hybrid/hybrid.h"

#include <float.h>
#include <math.h>

// Left to themselves, by the rows last looked at, the contacts would not part within the step by
// what can be told from zero: most steps are done with here, without looking at anything again.
static bool hardly_moves(const carom_hybrid *it, double h) {
  const carom_contact_state *state = &it->contact;
  for (int j = 0; j < state->closed; j++) {
    int k = state->which[j];
    double rate = it->work.rows.free_rate[it->model->contacts.normal[k]];
    if (!(fabs(rate) * h * h <= it->gap_tolerance[k])) return false;
  }
  return true;
}

// rows in the box of states that cannot be told from y: as for gaps and speeds, a tolerance apart
static bool bound_rows(carom_hybrid *it, double t, const double *y) {
  const carom_run_numbers *run = &it->run;
  double late = DBL_EPSILON * fabs(t);
  for (int i = 0; i < it->model->dynamics->size; i++) {
    double apart = run->event_tolerance * (run->atol + run->rtol * fabs(y[i]));
    it->box[i] = (carom_interval){y[i] - apart, y[i] + apart};
  }
  return carom_dynamics_bound_rows(it->model->dynamics, &it->work,
                                   (carom_interval){t - late, t + late}, it->box);
}

bool carom_hybrid_needs_no_force(carom_hybrid *it, double t, const double *y, double h) {
  const carom_contact_set *set = &it->model->contacts;
  if (!hardly_moves(it, h) || !bound_rows(it, t, y)) return false;
  for (int j = 0; j < it->contact.closed; j++) {
    int normal = set->normal[it->contact.which[j]], tangent = set->tangent[it->contact.which[j]];
    if (!carom_dynamics_may_stay(it->model->dynamics, &it->work, normal)) return false;
    if (tangent >= 0 && !carom_dynamics_may_stay(it->model->dynamics, &it->work, tangent))
      return false;
  }
  return true;
}
