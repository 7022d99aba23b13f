// SPDX-License-Identifier: MIT
#include "contact/space.h"

#include "base/elementary.h"

#include <math.h>

// are the forces inside the round cones?
static bool is_inside(const carom_contact_problem *p, const double *lambda) {
  bool inside = true;
  for (int j = 0; j < p->contacts; j++) {
    double T = p->tangent[j] >= 0 ? lambda[p->tangent[j]] : 0.0, N = lambda[p->normal[j]];
    if (p->cross && p->cross[j] >= 0) T = carom_hypot(T, lambda[p->cross[j]]);
    inside = inside && N > 0.0 && fabs(T) < p->stick[j] * N;
  }
  return inside;
}

bool carom_space_hold(const carom_contact_problem *problem, carom_contact_workspace *work,
                      carom_contact_mode *modes, double *lambda, double *direction) {
  bool unique, held = true;
  for (int j = 0; j < problem->contacts; j++)
    modes[j] = problem->tangent[j] >= 0 ? CAROM_CONTACT_STICK : CAROM_CONTACT_CLOSED;
  if (carom_contact_forces(problem, modes, work, lambda, NULL, NULL) && is_inside(problem, lambda))
    return true;
  if (!carom_space_can_solve(problem) ||
      !carom_space_solve(problem, work, lambda, modes, direction, &unique))
    return false;
  for (int j = 0; j < problem->contacts; j++)
    held = held && (modes[j] == CAROM_CONTACT_STICK || modes[j] == CAROM_CONTACT_CLOSED);
  return held;
}
