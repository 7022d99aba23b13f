// SPDX-License-Identifier: MIT
/// Slip in space: how it sets off, how it is followed, how it ends.
///
/// The slip velocity s obeys s' = f(d) with d = s / |s|, so that in polar coordinates (r, d) its
/// direction turns at the rate f_across / r: near r = 0 time runs in units of r. Generically d has
/// a limit where r falls to zero, linearly in time, and d approaches it like a power of r; or slip
/// passes by at a small distance and turns by up to half a turn while it does. Steps that are at
/// most a part of r / |s'| follow both: they are steps of equal length in log r, in which the
/// motion near r = 0 looks the same at every scale. Slip that leaves zero needs no such care: its
/// direction changes smoothly with time; while it is slow it is that of its onset.
///
/// Where r is what can be told from zero, it ends after r / -r'.
#include "hybrid/tangent.h"

#include "base/elementary.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

static const double PART = 0.5;   // of the time in which the slip may come to zero, or turn
static const double STABLE = 0.2; // of that time over the one in which neighbours turn with a slip
static const double RESIDUAL = 1e3; // of what is told from zero: a slip that ends, as in touch.c
static const double LATE = 256.0 * DBL_EPSILON; // of the time: steps that are no shorter

/// A slip and its rate, along and across itself.
typedef struct sliding {
  double speed, along, across;
} sliding;

static bool contact_slips(const carom_hybrid *it, int k) {
  return it->model->contacts.cross[k] >= 0 && it->memory[k].mode == CAROM_CONTACT_SLIP_PLUS;
}

static bool any_slips(const carom_hybrid *it) {
  for (int j = 0; j < it->contact.closed; j++)
    if (contact_slips(it, it->contact.which[j])) return true;
  return false;
}

// the rate of a row's velocity under the forces last evaluated
static double rate_of(const carom_hybrid *it, int row) {
  assert(row >= 0 && row < it->model->dynamics->rows);
  const carom_rows *rows = &it->work.rows;
  int count = it->model->dynamics->rows;
  double rate = rows->free_rate[row];
  for (int r = 0; r < count; r++)
    rate += rows->delassus[row * count + r] * it->contact.lambda[r];
  return rate;
}

static carom_status evaluate_spatial(carom_hybrid *it, double t, const double *y) {
  carom_status status = carom_hybrid_evaluate_rows(it, t, y);
  if (status == CAROM_OK) (void)carom_hybrid_forces(it, t, y, false);
  return status;
}

// rows and forces are those of the state
static sliding sliding_now(const carom_hybrid *it, int j) {
  assert(j >= 0 && j < it->contact.closed);
  const carom_contact_set *set = &it->model->contacts;
  int k = it->contact.which[j];
  const double *d = it->contact.direction + 2 * (size_t)j;
  double rate[2] = {rate_of(it, set->tangent[k]), rate_of(it, set->cross[k])};
  return (sliding){.speed = carom_contact_speed(set, &it->work.rows, k),
                   .along = d[0] * rate[0] + d[1] * rate[1],
                   .across = d[0] * rate[1] - d[1] * rate[0]};
}

// the slower of the two: what is left where steps become as short as time can tell
static double least_speed(const carom_hybrid *it, int k, double t, double along) {
  return fmax(it->tolerance.slip[k], LATE * fabs(t * along));
}

double carom_spatial_tolerance(const carom_hybrid *it, const carom_watched *watched) {
  double most = 0.0;
  for (int k = 0; k < it->model->watched_count; k++) {
    const carom_watched *other = &it->model->watched[k];
    if (other->kind == CAROM_WATCH_SLIP && other->index == watched->index)
      most = fmax(most, it->watching.watch[k].tolerance);
  }
  return most;
}

// Slip that sets off with kappa = 0 relaxes to its direction at the rate mu N / r, which no step
// can follow while r is small; as long as it is slower than this it has the direction of its onset,
// found anew for each state. With r = c t^2 that direction is ahead of the slip's by a part of
// omega t, which adds up to velocities of r omega t ~ r^(3/2): r is such that this is the
// tolerance.
static double unclear_speed(const carom_hybrid *it, int k) {
  return it->tolerance.slip[k] / carom_cbrt(it->run.event_tolerance * it->run.rtol);
}

void carom_spatial_set_off(carom_hybrid *it, int k, const double *direction) {
  assert(k >= 0 && k < it->model->contacts.count);
  carom_contact_memory *memory = &it->memory[k];
  bool sets_off = direction[0] != 0.0 || direction[1] != 0.0;
  memcpy(memory->slip.direction, direction, sizeof memory->slip.direction);
  memory->slip.ends = false;
  memory->slip.unclear = sets_off ? unclear_speed(it, k) : 0.0;
}

static bool carries_tangent(const carom_hybrid *it) {
  return it->clients.tangent && it->clients.tangent->active;
}

// what friction would do to the slip of the closed contact j across it, were it turned that way
static double friction_rate(const carom_hybrid *it, int j) {
  const carom_contact_evaluation *contact = &it->contact;
  int k = contact->which[j], row = contact->cross[j];
  return contact->slide[j] * contact->lambda[it->model->contacts.normal[k]] *
         contact->turned[(size_t)row * ((size_t)it->model->dynamics->rows + 1)];
}

carom_status carom_spatial_limit_step(carom_hybrid *it, carom_error *error) {
  carom_stepper *stepper = &it->stepper;
  if (!any_slips(it)) return CAROM_OK;
  carom_status status = evaluate_spatial(it, stepper->t, stepper->y);
  if (status != CAROM_OK) return carom_hybrid_explain(it, status, stepper->t, stepper->y, error);
  for (int j = 0; j < it->contact.closed; j++) {
    int k = it->contact.which[j];
    if (!contact_slips(it, k)) continue;
    sliding now = sliding_now(it, j);
    // the onset is over: slip that slows down again ends in a direction of its own
    if (now.speed > it->memory[k].slip.unclear) it->memory[k].slip.unclear = 0.0;
    double rate = fmax(fabs(now.across), -now.along);
    // neighbours, too, relax to the direction of the slip: well within what steps follow
    if (carries_tangent(it)) rate = fmax(rate, STABLE * friction_rate(it, j));
    if (!(now.speed > it->memory[k].slip.unclear) || !(rate > 0.0)) continue;
    double h = PART * now.speed / rate;
    if (h < stepper->h_next) (void)carom_stepper_cut(stepper, h);
  }
  return CAROM_OK;
}

// the watched function that stands for the slip of contact k
static int function_of(const carom_hybrid *it, int k) {
  int w = 0;
  while (it->model->watched[w].kind != CAROM_WATCH_SLIP || it->model->watched[w].index != k)
    w++;
  return w;
}

// Has a slip that has just set off come to nothing? Its onset leads backwards, and it has not gone
// on.
static bool sets_off_in_vain(const carom_hybrid *it, int j) {
  assert(j >= 0 && j < it->contact.closed);
  const carom_contact_set *set = &it->model->contacts;
  int k = it->contact.which[j];
  const double *v = it->work.rows.velocity, *d = it->contact.direction + 2 * (size_t)j;
  const carom_contact_memory *memory = &it->memory[k];
  double gone = d[0] * v[set->tangent[k]] + d[1] * v[set->cross[k]];
  return !memory->slip.ends && gone <= it->tolerance.slip[k] &&
         carom_contact_speed(set, &it->work.rows, k) <= memory->slip.unclear;
}

static bool is_found(const carom_hybrid *it, int count, int function) {
  for (int i = 0; i < count; i++)
    if (it->watching.roots[i].function == function) return true;
  return false;
}

static int add_halt(carom_hybrid *it, int count, int function) {
  assert(count <= it->model->watched_count + 2);
  it->watching.roots[count] = (carom_root){CAROM_ROOT_CROSSING, function, CAROM_FALLING, 1.0};
  return count + 1;
}

// Slips that are nothing when the first one ends, `left` from now, end with it: a body that slides
// flat on several points stops on all of them at once. What is left of such a slip has no
// direction.
static int add_companions(carom_hybrid *it, int count, double left) {
  for (int j = 0; j < it->contact.closed; j++) {
    int k = it->contact.which[j];
    if (!contact_slips(it, k) || is_found(it, count, function_of(it, k))) continue;
    sliding now = sliding_now(it, j);
    double then = carom_hypot(now.speed + left * now.along, left * now.across);
    if (now.along < 0.0 && then <= RESIDUAL * least_speed(it, k, it->stepper.t1, now.along))
      count = add_halt(it, count, function_of(it, k));
  }
  return count;
}

int carom_spatial_halts(carom_hybrid *it, int count) {
  const carom_stepper *s = &it->stepper;
  double left = INFINITY;
  if (count > 0 || !any_slips(it) || evaluate_spatial(it, s->t1, s->y1) != CAROM_OK) return count;
  for (int j = 0; j < it->contact.closed; j++) {
    int k = it->contact.which[j];
    if (!contact_slips(it, k)) continue;
    sliding now = sliding_now(it, j);
    bool slow = now.speed <= least_speed(it, k, s->t1, now.along), vain = sets_off_in_vain(it, j);
    if (!(now.along < 0.0) || !(slow || vain)) continue;
    // the first of them moves the end of the step: see carom_spatial_time_left()
    if (count == 0) left = vain ? 0.0 : now.speed / -now.along;
    count = add_halt(it, count, function_of(it, k));
  }
  return count > 0 ? add_companions(it, count, left) : 0;
}

double carom_spatial_time_left(carom_hybrid *it, int k, const carom_stepper *stepper) {
  assert(k >= 0 && k < it->model->contacts.count);
  carom_contact_memory *memory = &it->memory[k];
  if (evaluate_spatial(it, stepper->t1, stepper->y1) != CAROM_OK) return 0.0;
  int j = 0;
  while (it->contact.which[j] != k)
    j++;
  sliding now = sliding_now(it, j);
  if (sets_off_in_vain(it, j)) return 0.0;
  memcpy(memory->slip.direction, it->contact.direction + 2 * (size_t)j,
         sizeof memory->slip.direction);
  memory->slip.unclear = 2.0 * now.speed;
  memory->slip.ends = true;
  return now.along < 0.0 ? now.speed / -now.along : 0.0;
}

bool carom_spatial_hold_directions(carom_hybrid *it, double t, const double *y, double *kept) {
  bool any = false;
  for (int k = 0; k < it->model->contacts.count; k++)
    any = any || (contact_slips(it, k) && it->memory[k].slip.unclear > 0.0);
  if (!any || carom_hybrid_evaluate_rows(it, t, y) != CAROM_OK) return false;
  any = false;
  for (int k = 0; k < it->model->contacts.count; k++) {
    carom_contact_memory *memory = &it->memory[k];
    bool slow = contact_slips(it, k) && carom_contact_speed(&it->model->contacts, &it->work.rows,
                                                            k) <= memory->slip.unclear;
    kept[k] = memory->slip.unclear;
    if (slow) memory->slip.unclear = INFINITY;
    any = any || slow;
  }
  return any;
}

void carom_spatial_let_directions(carom_hybrid *it, const double *kept) {
  for (int k = 0; k < it->model->contacts.count; k++)
    it->memory[k].slip.unclear = kept[k];
}

uint64_t carom_spatial_backwards(const carom_hybrid *it) {
  const carom_contact_set *set = &it->model->contacts;
  const double *v = it->work.rows.velocity;
  uint64_t back = 0;
  for (int k = 0; k < set->count && k < 64 && set->spatial > 0; k++) {
    const carom_contact_memory *memory = &it->memory[k];
    if (!contact_slips(it, k) || !isinf(memory->slip.unclear)) continue;
    double along = memory->slip.direction[0] * v[set->tangent[k]] +
                   memory->slip.direction[1] * v[set->cross[k]];
    if (along < -it->tolerance.slip[k]) back |= (uint64_t)1 << k;
  }
  return back;
}
