// SPDX-License-Identifier: MIT
/// Contacts that strike at one instant. A neighbouring motion meets them one after the other, so
/// the derivative holds on one side only: that of the neighbours which meet them in a given order.
/// Where the contacts are not linked (the impact of one leaves the velocities of the others as they
/// are) both orders come to the same state, the motion is continuous there, and with S_k the
/// saltation of the impact of k alone at the state that those before it have left,
///   S = S_last ... S_second S_first
/// is the one-sided derivative of each order. Linked contacts have outcomes that depend on the
/// order: there the motion jumps between neighbours and has no derivative.
#include "hybrid/tangent.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { MOST_AT_ONCE = 8 };
static const double UNTOUCHED = 1e-10; // of the fastest row: a velocity that stays as it is

/// The contacts of one instant in the order in which they are met.
typedef struct meeting {
  carom_hybrid *it;
  int count, contact[MOST_AT_ONCE];
} meeting;

// the order-th arrangement: of those left the (order / (left - 1)!)-th comes next
static void arrange(meeting *m, long order) {
  long ways = 1;
  for (int k = 2; k < m->count; k++)
    ways *= k; // (count - 1)!
  for (int k = 0; k + 1 < m->count; k++) {
    int left = m->count - k, next = k + (int)(order / ways % left), taken = m->contact[next];
    memmove(m->contact + k + 1, m->contact + k, (size_t)(next - k) * sizeof *m->contact);
    m->contact[k] = taken;
    ways /= left - 1;
  }
}

static bool gather(carom_hybrid *it, meeting *m) {
  const carom_contact_set *set = &it->model->contacts;
  *m = (meeting){.it = it};
  for (int k = 0; k < set->count; k++) {
    if (!it->instant.landed[k] || carom_contact_is_closed(it->memory[k].mode)) continue;
    if (!(it->work.rows.velocity[set->normal[k]] < 0.0)) continue;
    if (m->count == MOST_AT_ONCE) return false;
    m->contact[m->count++] = k;
  }
  arrange(m, it->clients.tangent->order);
  assert(m->count <= MOST_AT_ONCE);
  return m->count > 1;
}

// contact k strikes alone
static carom_status strike_one(carom_hybrid *it, int k, double t, double *y, uint64_t *branch) {
  bool kept[64];
  size_t size = (size_t)it->model->contacts.count * sizeof *kept;
  memcpy(kept, it->instant.landed, size);
  memset(it->instant.landed, 0, size);
  it->instant.landed[k] = true;
  carom_status status = carom_hybrid_strike_seen(it, -1, t, y, branch);
  memcpy(it->instant.landed, kept, size);
  return status;
}

static carom_status strike_map(const carom_tangent_map *map, double t, const double *y, double *out,
                               uint64_t *branch) {
  memcpy(out, y, (size_t)map->count * sizeof *out);
  return strike_one(map->it, *(const int *)map->which, t, out, branch);
}

// rates with the contacts closed that were closed before the instant
static carom_status rates_at(carom_hybrid *it, const double *y, double *rate) {
  carom_hybrid_list_closed(it);
  return carom_hybrid_rhs(it, it->now.t, y, rate);
}

// Does the impact of each leave the velocities of all others as they are, and rebound itself?
static bool unlinked(const meeting *m) {
  carom_hybrid *it = m->it;
  const carom_contact_set *set = &it->model->contacts;
  int rows = it->model->dynamics->rows;
  double before[128], *y = it->clients.tangent->other;
  uint64_t branch;
  if (rows > 128 || carom_hybrid_evaluate_rows(it, it->now.t, it->y) != CAROM_OK) return false;
  double fastest = 0.0;
  memcpy(before, it->work.rows.velocity, (size_t)rows * sizeof *before);
  for (int r = 0; r < rows; r++)
    fastest = fmax(fastest, fabs(before[r]));
  for (int a = 0; a < m->count; a++) {
    memcpy(y, it->y, (size_t)it->size * sizeof *y);
    if (strike_one(it, m->contact[a], it->now.t, y, &branch) != CAROM_OK ||
        carom_hybrid_evaluate_rows(it, it->now.t, y) != CAROM_OK)
      return false;
    const double *after = it->work.rows.velocity;
    if (!(after[set->normal[m->contact[a]]] > UNTOUCHED * fastest)) return false;
    for (int b = 0; b < m->count; b++) {
      int normal = set->normal[m->contact[b]], tangent = set->tangent[m->contact[b]];
      if (a == b) continue;
      if (fabs(after[normal] - before[normal]) > UNTOUCHED * fastest) return false;
      if (tangent >= 0 && fabs(after[tangent] - before[tangent]) > UNTOUCHED * fastest)
        return false;
    }
  }
  return true;
}

static int gap_function(const carom_hybrid *it, int contact) {
  for (int k = 0; k < it->model->watched_count; k++)
    if (it->model->watched[k].kind == CAROM_WATCH_GAP && it->model->watched[k].index == contact)
      return k;
  return -1;
}

// the saltation of one impact, from the state y with its rates to the state and rates behind it;
// behind the matrix is room for the times that neighbours are late by
static carom_status meet(carom_hybrid *it, int contact, double *y, double *rate, double *matrix) {
  carom_tangent *tangent = it->clients.tangent;
  int size = tangent->size;
  double *way = tangent->scratch, *made = way + it->size, *late = matrix + size * size;
  carom_tangent_map map = {.it = it, .which = &contact, .count = size, .value = strike_map};
  uint64_t branch;
  carom_tangent_watch_slope(it, gap_function(it, contact), y);
  double approach = tangent->slope_time;
  for (int i = 0; i < size; i++)
    approach += tangent->slope[i] * rate[i];
  if (!(approach < 0.0)) return CAROM_ERR_NO_CONVERGENCE;
  for (int j = 0; j < size; j++) {
    double sum = 0.0;
    for (int i = 0; i < size; i++)
      sum += tangent->slope[i] * matrix[i * size + j];
    late[j] = -sum / approach;
    for (int i = 0; i < size; i++)
      way[i] = matrix[i * size + j] + rate[i] * late[j];
    carom_status status =
        carom_tangent_along(&map, it->now.t, y, way, late[j], made, &tangent->notes.piecewise);
    if (status != CAROM_OK) return status;
    for (int i = 0; i < size; i++)
      matrix[i * size + j] = made[i];
  }
  carom_status status = strike_one(it, contact, it->now.t, y, &branch);
  if (status == CAROM_OK) status = rates_at(it, y, rate);
  for (int i = 0; i < size && status == CAROM_OK; i++)
    for (int j = 0; j < size; j++)
      matrix[i * size + j] -= rate[i] * late[j];
  return status;
}

bool carom_tangent_in_turn(carom_hybrid *it) {
  carom_tangent *tangent = it->clients.tangent;
  size_t size = (size_t)tangent->size;
  meeting m;
  // a rule of the same instant, or models given by functions
  bool moved = memcmp(it->y, it->before, (size_t)it->size * sizeof *it->y) != 0;
  if (it->model->functions || it->model->contacts.count > 64 || !gather(it, &m)) return false;
  if (!tangent->noted) tangent->notes.piecewise++;
  tangent->noted = true;
  if (moved || tangent->others > 0 || !unlinked(&m)) return false;
  double *y = tangent->other, *rate = tangent->other + it->size;
  memcpy(y, it->y, (size_t)it->size * sizeof *y);
  memcpy(tangent->in_turn, tangent->matrix, size * size * sizeof *y);
  carom_status status = rates_at(it, y, rate);
  for (int k = 0; k < m.count && status == CAROM_OK; k++)
    status = meet(it, m.contact[k], y, rate, tangent->in_turn);
  if (status != CAROM_OK) return false;
  memcpy(tangent->jump, tangent->in_turn, size * size * sizeof *y);
  memset(tangent->late, 0, size * sizeof *tangent->late); // all of it is in the matrix
  tangent->has_event = false;                             // each has a time of its own
  tangent->notes.sided++;
  if (m.count > tangent->notes.together) tangent->notes.together = m.count;
  return true;
}
