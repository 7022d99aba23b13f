// SPDX-License-Identifier: MIT
/// Contacts in the plane whose modes of friction change at one instant. The state goes on as it is,
/// and neighbours meet the changes one after the other, each at a time of its own. Where the change
/// of the rates by all of them is the sum of those by each alone, f- - f+ = sum of d_k, the order
/// does not matter and
///
///   Phi+ = Phi- + sum of d_k tau_k
///
/// is the derivative on all sides. Otherwise the times of one of them are taken for all, and that
/// is counted as piecewise.
#include "hybrid/tangent.h"

#include <math.h>
#include <string.h>

static const double LIMIT = 1e-6;    // of the greatest friction: a force that is there
static const double SUM = 1e-8;      // of the rates: a sum that is right
static const double SAME = 1e-9;     // of times: they are one
static const double STILL = 1e-7;    // of the size of a state: it has not jumped
static const double NOTHING = 1e-12; // of what a function could change by: it does not

static int slip_function(const carom_hybrid *it, int count, const carom_root *roots, int contact) {
  for (int r = 0; r < count; r++) {
    int k = roots[r].function;
    if (k < it->model->watched_count && it->model->watched[k].kind == CAROM_WATCH_SLIP &&
        it->model->watched[k].index == contact)
      return k;
  }
  return -1;
}

// nothing but the ends of sticking and slipping
static bool only_friction(const carom_hybrid *it, int count, const carom_root *roots) {
  for (int r = 0; r < count; r++) {
    carom_leg_event event = carom_tangent_decides(it, &roots[r]);
    if (event != CAROM_LEG_END && event != CAROM_LEG_FORCE && event != CAROM_LEG_SLIP) return false;
    if (roots[r].function >= it->model->watched_count + CAROM_ROOT_OF_SURFACE) return false;
  }
  return it->model->contacts.spatial == 0 && !it->model->functions;
}

// how far the force of the contact is from its limit
static double force_left(const carom_hybrid *it, int contact, double *limit) {
  const carom_contact_set *set = &it->model->contacts;
  *limit = it->contact.now[contact].stick * it->contact.lambda[set->normal[contact]];
  return *limit - fabs(it->contact.lambda[set->tangent[contact]]);
}

static carom_status left_map(const carom_tangent_map *map, double t, const double *y, double *out,
                             uint64_t *branch) {
  carom_hybrid *it = map->it;
  carom_status status = carom_hybrid_evaluate_rows(it, t, y);
  if (status != CAROM_OK) return status;
  double limit;
  (void)carom_hybrid_forces(it, t, y, false);
  out[0] = force_left(it, *(const int *)map->which, &limit);
  *branch = 0;
  return CAROM_OK;
}

// by how much later neighbours meet the end of this contact's mode; false: it does not end
static bool late_at(carom_hybrid *it, int contact, int slip, double *late) {
  carom_tangent *tangent = it->clients.tangent;
  int size = tangent->size;
  long sided = 0;
  if (slip >= 0) {
    carom_tangent_watch_slope(it, slip, it->y);
  } else {
    carom_tangent_map map = {.it = it, .which = &contact, .count = 1, .value = left_map};
    if (carom_tangent_difference(&map, it->now.t, it->y, tangent->slope, &tangent->slope_time,
                                 &sided) != CAROM_OK)
      return false;
  }
  double approach = tangent->slope_time, possible = fabs(approach);
  for (int i = 0; i < size; i++) {
    approach += tangent->slope[i] * tangent->rate[i];
    possible += fabs(tangent->slope[i] * tangent->rate[i]);
  }
  if (!(fabs(approach) > NOTHING * possible)) return false;
  for (int j = 0; j < size; j++) {
    double sum = 0.0;
    for (int i = 0; i < size; i++)
      sum += tangent->slope[i] * tangent->matrix[i * size + j];
    late[j] = -sum / approach;
  }
  return true;
}

static bool may_change(carom_hybrid *it, int contact, int slip) {
  double limit;
  carom_contact_mode mode = it->memory[contact].mode;
  if (it->model->contacts.tangent[contact] < 0 || !carom_contact_is_closed(mode)) return false;
  if (mode != CAROM_CONTACT_STICK) return slip >= 0;
  double left = force_left(it, contact, &limit);
  return limit > 0.0 && fabs(left) <= LIMIT * limit;
}

void carom_tangent_part(carom_hybrid *it, int count, const carom_root *roots) {
  carom_tangent *tangent = it->clients.tangent;
  carom_tangent_parting *p = &tangent->parting;
  p->count = 0;
  if (!tangent->has_event || tangent->ending.halts || !only_friction(it, count, roots)) return;
  if (carom_hybrid_evaluate_rows(it, it->now.t, it->y) != CAROM_OK) return;
  (void)carom_hybrid_forces(it, it->now.t, it->y, false);
  int most = it->model->contacts.count, found = 0, which[CAROM_MEETING_MOST];
  for (int k = 0; k < most; k++) {
    if (!may_change(it, k, slip_function(it, count, roots, k))) continue;
    if (found == CAROM_MEETING_MOST) return;
    which[found++] = k;
  }
  if (found < 2) return;
  for (int n = 0; n < found; n++) {
    p->contact[n] = which[n];
    p->before[n] = it->memory[which[n]].mode;
    double *late = p->late + (size_t)n * (size_t)tangent->size;
    if (!late_at(it, which[n], slip_function(it, count, roots, which[n]), late)) return;
  }
  p->count = found;
}

void carom_tangent_tell(carom_hybrid *it, const char *name) {
  if (it->clients.tangent) it->clients.tangent->parting.told = name;
}

const double *carom_tangent_late_of(const carom_hybrid *it, const char *name) {
  const carom_tangent *tangent = it->clients.tangent;
  const carom_tangent_parting *p = &tangent->parting;
  for (int n = 0; n < p->count; n++)
    if (strcmp(it->model->contacts.contacts[p->contact[n]].name, name) == 0)
      return p->late + (size_t)n * (size_t)tangent->size;
  return tangent->late;
}

// does a column move all of these times alike?
static bool moves_alike(const carom_tangent *tangent, int j) {
  const carom_tangent_parting *p = &tangent->parting;
  for (int n = 0; n < p->count; n++) {
    double late = p->late[n * tangent->size + j], one = tangent->late[j];
    if (fabs(late - one) > SAME * (fabs(late) + fabs(one))) return false;
  }
  return true;
}

// Phi + f- tau - f+ tau where all times are one: symmetric neighbours stay so to the last digit
static void come_together(const carom_hybrid *it, int j) {
  carom_tangent *tangent = it->clients.tangent;
  const carom_tangent_parting *p = &tangent->parting;
  int size = tangent->size;
  bool alike = moves_alike(tangent, j);
  for (int i = 0; i < size; i++) {
    double *entry = &tangent->matrix[i * size + j];
    if (alike) *entry = tangent->jump[i * size + j] - it->stepper.f[i] * tangent->late[j];
    for (int n = 0; n < p->count && !alike; n++)
      *entry += p->parts[n * size + i] * p->late[n * size + j];
  }
}

// what the rates change by where this contact alone is in its new mode
static carom_status rates_of(carom_hybrid *it, int only, const carom_contact_mode *after,
                             double *out) {
  const carom_tangent_parting *p = &it->clients.tangent->parting;
  for (int n = 0; n < p->count; n++)
    carom_hybrid_take_mode(it, p->contact[n], n == only ? after[n] : p->before[n]);
  carom_hybrid_list_closed(it);
  carom_status status = carom_hybrid_rhs(it, it->now.t, it->y, out);
  for (int i = 0; i < it->clients.tangent->size && status == CAROM_OK; i++)
    out[i] = it->clients.tangent->rate[i] - out[i];
  return status;
}

static bool adds_up(const carom_hybrid *it, const double *parts) {
  const carom_tangent *tangent = it->clients.tangent;
  for (int i = 0; i < tangent->size; i++) {
    double whole = tangent->rate[i] - it->stepper.f[i], sum = 0.0, size = fabs(whole);
    for (int n = 0; n < tangent->parting.count; n++) {
      sum += parts[n * tangent->size + i];
      size += fabs(parts[n * tangent->size + i]);
    }
    if (!(fabs(sum - whole) <= SUM * fmax(size, 1.0))) return false;
  }
  return true;
}

// Has nothing struck? A slip that ends is brought to zero from the tolerance of its root.
static bool goes_on(const carom_hybrid *it) {
  const double *sizes = it->clients.tangent->sizes;
  for (int i = 0; i < it->clients.tangent->size; i++)
    if (!(fabs(it->y[i] - it->before[i]) <= STILL * fmax(sizes[i], fabs(it->y[i])))) return false;
  return true;
}

bool carom_tangent_put_together(carom_hybrid *it) {
  carom_tangent *tangent = it->clients.tangent;
  carom_tangent_parting *p = &tangent->parting;
  carom_contact_mode after[CAROM_MEETING_MOST];
  int size = tangent->size;
  if (p->count < 2) return false;
  bool good = goes_on(it);
  for (int n = 0; n < p->count; n++)
    after[n] = it->memory[p->contact[n]].mode;
  for (int n = 0; n < p->count && good; n++)
    good = carom_contact_is_closed(after[n]) &&
           rates_of(it, n, after, p->parts + (size_t)n * (size_t)size) == CAROM_OK;
  for (int n = 0; n < p->count; n++)
    carom_hybrid_take_mode(it, p->contact[n], after[n]);
  carom_hybrid_list_closed(it);
  good = carom_hybrid_rhs(it, it->now.t, it->y, tangent->scratch) == CAROM_OK && good &&
         adds_up(it, p->parts);
  if (!good) {
    if (!tangent->turns.noted) tangent->notes.piecewise++;
    return false;
  }
  for (int j = 0; j < size; j++)
    come_together(it, j);
  tangent->notes.piecewise = p->piecewise;
  return true;
}
