// SPDX-License-Identifier: MIT
/// Grazes of contacts. A gap h that touches zero and turns back has neighbours that pass and others
/// that strike. Those with h smaller by d strike at the speed w = sqrt(2 h'' d), and what they do
/// next differs by that impact alone: their state is moved by kick w + O(d), kick being how the
/// outcome of a slow impact begins to grow with its speed (Nordmark, *J. Sound Vib.* 145, 1991).
#include "hybrid/tangent.h"

#include <math.h>
#include <string.h>

enum { LEVELS = 4 };
static const double SLOW = 1e-3; // of the fastest row: the speed of the fastest of the slow impacts

// h' along the motion
static carom_status rate_map(const carom_tangent_map *map, double t, const double *y, double *out,
                             uint64_t *branch) {
  carom_hybrid *it = map->it;
  int k = *(const int *)map->which;
  *branch = 0;
  carom_status status = carom_hybrid_rhs(it, t, y, it->rate);
  out[0] = carom_watch_rate(&it->model->watched[k].function, &it->watching.work[k], t, y, it->rate);
  return status;
}

// (R(y with the speed w) - y with the speed w)/w, of the contact alone
static carom_status slow_impact(carom_hybrid *it, int contact, double w, double *out) {
  double *from = it->clients.tangent->turns.state, *to = from + it->size;
  int normal = it->model->contacts.normal[contact];
  uint64_t branch;
  carom_status status = carom_hybrid_evaluate_rows(it, it->now.t, it->y);
  if (status != CAROM_OK) return status;
  carom_hybrid_note_residues(it);
  double speed = it->work.rows.velocity[normal];
  double gives = it->work.rows.delassus[normal * it->model->dynamics->rows + normal];
  if (!(gives > 0.0)) return CAROM_ERR_NO_CONVERGENCE;
  memcpy(from, it->y, (size_t)it->size * sizeof *from);
  carom_hybrid_add_impulse(it, normal, -(w + speed) / gives, from);
  memcpy(to, from, (size_t)it->size * sizeof *to);
  status = carom_tangent_strike_one(it, contact, it->now.t, to, &branch);
  for (int i = 0; i < it->clients.tangent->size; i++)
    out[i] = (to[i] - from[i]) / w;
  return status;
}

// Its limit as w goes to zero, by Romberg's extrapolation over halved speeds; false: there is none.
static bool find_kick(carom_hybrid *it, int contact) {
  carom_tangent *tangent = it->clients.tangent;
  int size = tangent->size;
  double *level[LEVELS], fastest = 0.0, change = 0.0, largest = 0.0;
  for (int r = 0; r < it->model->dynamics->rows; r++)
    fastest = fmax(fastest, fabs(it->work.rows.velocity[r]));
  double w = fastest > 0.0 ? SLOW * fastest : SLOW;
  for (int n = 0; n < LEVELS; n++) {
    level[n] = tangent->columns + n * size;
    if (slow_impact(it, contact, w, level[n]) != CAROM_OK) return false;
    w *= 0.5;
  }
  for (int order = 1; order < LEVELS; order++)
    for (int n = LEVELS - 1; n >= order; n--)
      for (int i = 0; i < size; i++) {
        double step = (level[n][i] - level[n - 1][i]) / ((1 << order) - 1);
        if (n == LEVELS - 1 && order == LEVELS - 1) change = fmax(change, fabs(step));
        level[n][i] += step;
        largest = fmax(largest, fabs(level[n][i]));
      }
  memcpy(tangent->graze.kick, level[LEVELS - 1], (size_t)size * sizeof(double));
  return change <= 1e-6 * largest;
}

static bool is_plain(const carom_hybrid *it) {
  return !it->model->functions && it->model->contacts.count <= CAROM_STRIKE_ONE_MOST;
}

carom_status carom_tangent_graze(carom_hybrid *it, int count, const carom_root *roots,
                                 carom_error *error) {
  carom_tangent *tangent = it->clients.tangent;
  const carom_watched *watched = it->model->watched;
  int found = -1, size = tangent->size;
  tangent->graze.known = false;
  for (int k = 0; k < count; k++) {
    if (roots[k].function >= it->model->watched_count || roots[k].kind != CAROM_ROOT_GRAZING)
      continue;
    carom_watch_kind kind = watched[roots[k].function].kind;
    if (kind != CAROM_WATCH_GAP && kind != CAROM_WATCH_EVENT) continue;
    tangent->notes.grazes++;
    found = roots[k].function;
  }
  if (found < 0 || count > 1 || watched[found].kind != CAROM_WATCH_GAP || !is_plain(it))
    return CAROM_OK;
  int contact = watched[found].index;
  if (carom_contact_is_closed(it->memory[contact].mode)) return CAROM_OK;
  carom_tangent_map map = {.it = it, .which = &found, .count = 1, .value = rate_map};
  long kinks = 0;
  carom_status status = carom_hybrid_rhs(it, it->now.t, it->y, tangent->rate);
  if (status == CAROM_OK)
    status = carom_tangent_along(&map, it->now.t, it->y, tangent->rate, 1.0, &tangent->graze.bend,
                                 &kinks);
  if (status == CAROM_OK) status = carom_hybrid_evaluate_rows(it, it->now.t, it->y);
  if (status != CAROM_OK)
    return carom_fail(error, status, "the graze at t = %.15g has no derivative", it->now.t);
  carom_tangent_watch_slope(it, found, it->y);
  memcpy(tangent->graze.slope, tangent->slope, (size_t)size * sizeof *tangent->slope);
  tangent->graze.known = kinks == 0 && tangent->graze.bend > 0.0 && find_kick(it, contact);
  carom_hybrid_list_closed(it); // as it was before the slow impacts
  return CAROM_OK;
}

static carom_tangent *at_graze(const carom_simulation *simulation) {
  const carom_hybrid *it = simulation->state;
  carom_tangent *tangent = it->clients.tangent;
  return tangent && tangent->active && tangent->inside && tangent->graze.known ? tangent : NULL;
}

const carom_graze *carom_hybrid_tangent_graze(const carom_simulation *simulation) {
  const carom_tangent *tangent = at_graze(simulation);
  return tangent ? &tangent->graze : NULL;
}

void carom_hybrid_tangent_kick(carom_simulation *simulation) {
  carom_tangent *tangent = at_graze(simulation);
  if (!tangent) return;
  size_t size = (size_t)tangent->size;
  memset(tangent->jump, 0, size * size * sizeof *tangent->jump);
  for (size_t i = 0; i < size; i++)
    tangent->jump[i * size] = tangent->graze.kick[i];
}
