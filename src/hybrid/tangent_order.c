// SPDX-License-Identifier: MIT
/// Contacts that strike at one instant. A neighbouring motion meets them one after the other, so
/// the derivative holds on one side only: that of the neighbours which meet them in a given order.
/// Where the contacts are not linked (the impact of one leaves the velocities of the others as they
/// are) both orders come to the same state, the motion is continuous there, and with S_k the
/// saltation of the impact of k alone at the state that those before it have left,
///   S = S_last ... S_second S_first
/// is the one-sided derivative of each order. Two linked contacts strike in turn until both move
/// apart; where either of them may begin, and both strike at once, with the same end, the same
/// holds. Otherwise the outcome depends on the order: there the motion jumps between neighbours and
/// has no derivative, but along inputs that change the times of all these contacts alike. Where
/// bounces of all of them pile up (a box that comes to rest on two corners) the jump is one of the
/// last swings, as the end of chatter has them: the derivative along the instant is taken.
#include "hybrid/tangent.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { MOST_AT_ONCE = CAROM_MEETING_MOST, MOST_STRIKES = 64 };
static const double UNTOUCHED = 1e-10; // of the fastest row: a velocity that stays as it is
static const double CANCELLED = 1e-12; // of its parts: a sum that is rounding
static const double ALIKE = 1e-9;      // times that are the same
static const double PILED = 1e-3;      // of the longest flight: a last swing, as chatter has it

/// The contacts of one instant in the order in which they are met.
typedef struct meeting {
  carom_hybrid *it;
  int count, contact[MOST_AT_ONCE];
} meeting;

// the order-th arrangement: of those left the (order / (left - 1)!)-th comes next
static void arrange_order(meeting *m, long order) {
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

static bool gather_meeting(carom_hybrid *it, meeting *m) {
  const carom_contact_set *set = &it->model->contacts;
  *m = (meeting){.it = it};
  for (int k = 0; k < set->count; k++) {
    if (!it->instant.landed[k] || carom_contact_is_closed(it->memory[k].mode)) continue;
    if (!(it->work.rows.velocity[set->normal[k]] < 0.0)) continue;
    if (m->count == MOST_AT_ONCE) return false;
    m->contact[m->count++] = k;
  }
  arrange_order(m, it->clients.tangent->turns.order);
  assert(m->count <= MOST_AT_ONCE);
  return m->count > 1;
}

carom_status carom_tangent_strike_one(carom_hybrid *it, int k, double t, double *y,
                                      uint64_t *branch) {
  bool kept[CAROM_STRIKE_ONE_MOST];
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
  return carom_tangent_strike_one(map->it, *(const int *)map->which, t, out, branch);
}

// rates with the contacts closed that were closed before the instant
static carom_status rates_at(carom_hybrid *it, const double *y, double *rate) {
  carom_hybrid_list_closed(it);
  return carom_hybrid_rhs(it, it->now.t, y, rate);
}

// Does the impact of each leave the velocities of all others as they are, and rebound itself?
static bool impacts_unlinked(const meeting *m) {
  carom_hybrid *it = m->it;
  const carom_contact_set *set = &it->model->contacts;
  int rows = it->model->dynamics->rows;
  double before[128], *y = it->clients.tangent->turns.state;
  uint64_t branch;
  if (rows > 128 || carom_hybrid_evaluate_rows(it, it->now.t, it->y) != CAROM_OK) return false;
  double fastest = 0.0;
  memcpy(before, it->work.rows.velocity, (size_t)rows * sizeof *before);
  for (int r = 0; r < rows; r++)
    fastest = fmax(fastest, fabs(before[r]));
  for (int a = 0; a < m->count; a++) {
    memcpy(y, it->y, (size_t)it->size * sizeof *y);
    if (carom_tangent_strike_one(it, m->contact[a], it->now.t, y, &branch) != CAROM_OK ||
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

// --- two linked contacts

// Beginning with `first`, they strike in turn until both move apart: how often. 0: they do not.
static int strike_in_turn(const meeting *m, int first, double *y) {
  carom_hybrid *it = m->it;
  const int *normal = it->model->contacts.normal;
  const double *velocity = it->work.rows.velocity;
  uint64_t branch;
  for (int n = 0, next = first; n < MOST_STRIKES; n++, next = 1 - next) {
    if (carom_tangent_strike_one(it, m->contact[next], it->now.t, y, &branch) != CAROM_OK ||
        carom_hybrid_evaluate_rows(it, it->now.t, y) != CAROM_OK)
      return 0;
    double struck = velocity[normal[m->contact[next]]];
    double other = velocity[normal[m->contact[1 - next]]];
    if (!(struck > 0.0) || other == 0.0) return 0;
    if (other > 0.0) return n + 1;
  }
  return 0;
}

// How often they strike in the order in force, where the order does not matter; 0: it does.
static int same_either_way(const meeting *m) {
  carom_hybrid *it = m->it;
  double *y = it->clients.tangent->turns.state, *both = y + it->size, *at_once = both + it->size;
  uint64_t branch;
  size_t size = (size_t)it->size * sizeof *y;
  if (m->count != 2) return 0;
  memcpy(y, it->y, size);
  memcpy(both, it->y, size);
  memcpy(at_once, it->y, size);
  int strikes = strike_in_turn(m, 0, y), other_way = strike_in_turn(m, 1, both);
  if (strikes == 0 || other_way == 0) return 0;
  if (carom_hybrid_strike_seen(it, -1, it->now.t, at_once, &branch) != CAROM_OK) return 0;
  double fastest = 0.0, apart = 0.0;
  for (int i = 0; i < it->size; i++) {
    fastest = fmax(fastest, fabs(at_once[i] - it->y[i]));
    apart = fmax(apart, fmax(fabs(y[i] - both[i]), fabs(y[i] - at_once[i])));
  }
  return apart <= UNTOUCHED * fastest ? strikes : 0;
}

// --- the instant

static int gap_function(const carom_hybrid *it, int contact) {
  for (int k = 0; k < it->model->watched_count; k++)
    if (it->model->watched[k].kind == CAROM_WATCH_GAP && it->model->watched[k].index == contact)
      return k;
  return -1;
}

// the saltation of one impact, from the state y with its rates to the state and rates behind it;
// behind the matrix is room for the times that neighbours are late by
static carom_status meet_impact(carom_hybrid *it, int contact, double *y, double *rate,
                                double *matrix) {
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
  carom_status status = carom_tangent_strike_one(it, contact, it->now.t, y, &branch);
  if (status == CAROM_OK) status = rates_at(it, y, rate);
  for (int i = 0; i < size && status == CAROM_OK; i++)
    for (int j = 0; j < size; j++)
      matrix[i * size + j] -= rate[i] * late[j];
  return status;
}

// by how much later neighbours meet contact k, before anything strikes
static void late_at(carom_hybrid *it, int gap, double *late) {
  carom_tangent *tangent = it->clients.tangent;
  int size = tangent->size;
  carom_tangent_watch_slope(it, gap, it->y);
  double approach = tangent->slope_time;
  for (int i = 0; i < size; i++)
    approach += tangent->slope[i] * tangent->rate[i];
  for (int j = 0; j < size; j++) {
    double sum = 0.0, possible = 0.0;
    for (int i = 0; i < size; i++) {
      double part = tangent->slope[i] * tangent->matrix[i * size + j];
      sum += part;
      possible += fabs(part);
    }
    late[j] = fabs(sum) > CANCELLED * possible ? -sum / approach : 0.0;
  }
}

static void note_meeting(const meeting *m) {
  carom_hybrid *it = m->it;
  carom_tangent *tangent = it->clients.tangent;
  carom_meeting *noted = &tangent->meeting;
  int size = noted->size = tangent->size;
  noted->count = m->count;
  noted->in_turn = false;
  for (int k = 0; k < m->count; k++) {
    int gap = gap_function(it, m->contact[k]);
    noted->name[k] = it->model->watched[gap].name;
    late_at(it, gap, noted->late + k * size);
  }
}

// does a column change the times of all of them alike?
static bool meets_alike(const carom_meeting *m, int j) {
  double first = m->late[j];
  for (int k = 1; k < m->count; k++)
    if (!(fabs(m->late[k * m->size + j] - first) <= ALIKE * fabs(first))) return false;
  return true;
}

void carom_tangent_take_turns(carom_hybrid *it) {
  carom_tangent *tangent = it->clients.tangent;
  int size = tangent->size;
  for (int j = 0; j < size; j++) {
    if (meets_alike(&tangent->meeting, j)) continue;
    for (int i = 0; i < size; i++)
      tangent->jump[i * size + j] = tangent->turns.matrix[i * size + j];
    tangent->late[j] = 0.0; // all of it is in the matrix
  }
  tangent->has_event = false; // each contact has a time of its own
}

// Are flights of all of them that short against those their series began with?
static bool bounces_pile_up(const meeting *m) {
  for (int k = 0; k < m->count; k++) {
    const carom_contact_memory *memory = &m->it->memory[m->contact[k]];
    if (!(m->it->now.t - memory->last_impact <= PILED * memory->longest)) return false;
  }
  return true;
}

bool carom_tangent_in_turn(carom_hybrid *it) {
  carom_tangent *tangent = it->clients.tangent;
  size_t size = (size_t)tangent->size;
  meeting m;
  // a rule of the same instant, or models given by functions
  bool moved = memcmp(it->y, it->before, (size_t)it->size * sizeof *it->y) != 0;
  if (it->model->functions || it->model->contacts.count > CAROM_STRIKE_ONE_MOST ||
      !gather_meeting(it, &m))
    return false;
  if (!tangent->turns.noted) tangent->notes.piecewise++;
  tangent->turns.noted = true;
  if (bounces_pile_up(&m)) return false;
  note_meeting(&m);
  if (moved || tangent->turns.others > 0) return false;
  tangent->turns.unlinked = impacts_unlinked(&m);
  int strikes = tangent->turns.unlinked ? m.count : same_either_way(&m);
  if (strikes == 0) return false;
  double *y = tangent->turns.state, *rate = tangent->turns.state + it->size;
  memcpy(y, it->y, (size_t)it->size * sizeof *y);
  memcpy(tangent->turns.matrix, tangent->matrix, size * size * sizeof *y);
  carom_status status = rates_at(it, y, rate);
  for (int k = 0; k < strikes && status == CAROM_OK; k++)
    status = meet_impact(it, m.contact[k % m.count], y, rate, tangent->turns.matrix);
  if (status != CAROM_OK) return false;
  tangent->meeting.in_turn = true;
  tangent->notes.sided++;
  if (m.count > tangent->notes.together) tangent->notes.together = m.count;
  return true;
}

const carom_meeting *carom_hybrid_tangent_meeting(const carom_simulation *simulation) {
  const carom_hybrid *it = simulation->state;
  const carom_tangent *tangent = it->clients.tangent;
  bool known = tangent && tangent->active && tangent->inside && tangent->meeting.count > 1;
  return known ? &tangent->meeting : NULL;
}
