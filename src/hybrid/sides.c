// SPDX-License-Identifier: MIT
/// Which side of zero every watched function is on: where a motion starts, after an instant, and
/// whether a change of the state has carried it to the other side.
#include "hybrid/hybrid.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

static const double ROUNDING = 64.0 * 2.2e-16; // of what a value is made of: it may be zero
// A root is located but for a residual. What an event makes of it, up to so many times as much, is
// still nothing.
static const double RESIDUAL = 16.0;
static const double ON_INTEGER = 2.0 * DBL_MIN; // more than the parity of an integer: a touch
static const double OF_VALUE = 0.125;           // that an event gave: the tolerance is no wider

static bool is_comparison(const carom_watched *watched) {
  return watched->rule && watched->rule->trigger.comparison;
}

// values of all rules' functions in the present state and modes
static void find_values(carom_hybrid *it, double *values) {
  const carom_hybrid_model *model = it->model;
  if (model->functions) {
    carom_function_event_values(it, it->now.t, it->y, values);
    return;
  }
  bool known = !model->rough_rules ||
               carom_hybrid_rhs(it, it->now.t, it->y, it->instant.rules.rate) == CAROM_OK;
  for (int k = 0; k < model->watched_count; k++) {
    const carom_watch *watch = &model->watched[k].function;
    if (!carom_watched_is_rule(&model->watched[k])) continue;
    values[k] = !watch->rough ? carom_watch_at(watch, &it->watching.work[k], it->now.t, it->y)
                : known ? carom_watch_rate_value(watch, &it->watching.work[k], it->now.t, it->y,
                                                 it->instant.rules.rate)
                        : (double)NAN;
  }
}

void carom_sides_enter(carom_hybrid *it) {
  if (!it->model->has_rules) return;
  memset(it->instant.rules.known, 0,
         (size_t)it->model->watched_count * sizeof *it->instant.rules.known);
  find_values(it, it->instant.rules.value);
}

// how far rounding alone may carry function k from zero
static double rounding_of(carom_hybrid *it, int k, double before, double after) {
  assert(k >= 0 && k < it->model->watched_count);
  if (it->model->functions) return ROUNDING * (fabs(before) + fabs(after));
  const carom_watch *watch = &it->model->watched[k].function;
  for (int i = 0; i < it->model->dynamics->size; i++)
    it->room.weight[i] = ROUNDING * fmax(fabs(it->y[i]), fabs(it->instant.entered[i]));
  double spread =
      carom_watch_spread(watch, &it->watching.work[k], it->now.t, it->y, it->room.weight);
  if (watch->timed)
    spread += ROUNDING * fabs(it->now.t * carom_watch_rate(watch, &it->watching.work[k], it->now.t,
                                                           it->y, NULL));
  return spread;
}

double carom_sides_gap_rounding(carom_hybrid *it, int k) {
  assert(k >= 0 && k < it->model->contacts.count);
  double *weight = it->room.scratch;
  for (int i = 0; i < it->model->dynamics->size; i++)
    weight[i] = ROUNDING * fabs(it->y[i]);
  for (int j = 0; j < it->model->watched_count; j++) {
    const carom_watched *watched = &it->model->watched[j];
    if (watched->kind == CAROM_WATCH_GAP && watched->index == k)
      return carom_watch_spread(&watched->function, &it->watching.work[j], it->now.t, it->y,
                                weight);
  }
  return INFINITY;
}

// What counts as zero of function k after an event has changed the state: values that events give
// are exact, but for the residual of the root that brought the event about.
static double exact_width(carom_hybrid *it, int k, double before, double after) {
  assert(k >= 0 && k < it->model->watched_count);
  const carom_root_watch *watch = &it->watching.watch[k];
  bool residual = watch->served && fabs(before) <= CAROM_SERVED_WIDTH * watch->tolerance;
  return fmax(rounding_of(it, k, before, after), residual ? RESIDUAL * fabs(before) : 0.0);
}

// where function k goes from zero in the present state; 0: it stays, as far as the next step tells
static int way_from_zero(carom_hybrid *it, int k, const double *rate) {
  assert(k >= 0 && k < it->model->watched_count);
  if (it->model->functions || !rate) return 0;
  double slope = carom_watch_rate(&it->model->watched[k].function, &it->watching.work[k], it->now.t,
                                  it->y, rate);
  if (!(fabs(slope) * it->now.h > it->watching.watch[k].tolerance)) return 0;
  return slope > 0.0 ? 1 : -1;
}

// The side of a function that was carried onto zero: that where it goes from there. One that stays
// has reached what it came for, unless a comparison says that zero is not enough.
static int side_at_zero(carom_hybrid *it, int k) {
  assert(k >= 0 && k < it->model->watched_count);
  const carom_watched *watched = &it->model->watched[k];
  bool known = carom_hybrid_rhs(it, it->now.t, it->y, it->instant.rules.rate) == CAROM_OK;
  int way = way_from_zero(it, k, known ? it->instant.rules.rate : NULL);
  if (way != 0) return way;
  if (is_comparison(watched)) return watched->rule->trigger.strict ? -1 : 1;
  return -it->watching.watch[k].side;
}

int carom_sides_crossed(carom_hybrid *it, bool exact, carom_root *roots) {
  const carom_hybrid_model *model = it->model;
  int count = 0;
  if (!model->has_rules) return 0;
  find_values(it, it->instant.rules.after);
  for (int k = 0; k < model->watched_count; k++) {
    const carom_watched *watched = &model->watched[k];
    carom_root_watch *watch = &it->watching.watch[k];
    if (!carom_watched_is_rule(watched) || carom_hybrid_ignores(it, k)) continue;
    double before = it->instant.rules.value[k], after = it->instant.rules.after[k];
    double width = exact ? exact_width(it, k, before, after) : watch->tolerance;
    it->instant.rules.value[k] = after;
    if (!(fabs(after - before) > width)) continue;
    it->instant.rules.known[k] = true;
    int side = fabs(after) > width ? (after > 0.0 ? 1 : -1) : side_at_zero(it, k);
    int from = watch->side;
    watch->side = side;
    bool asked = watched->direction == CAROM_ANY || (int)watched->direction == side;
    // what an event does, with others of its round, does not set it off again
    if (exact && it->instant.acted[k]) continue;
    if (from != 0 && side == -from && asked)
      roots[count++] = (carom_root){CAROM_ROOT_CROSSING, k, (carom_direction)side, 1.0};
  }
  return count;
}

// An event that asks for a comparison which starts on zero and is about to become true (`way`)
// happens now; a stop that is true, or is about to be, ends the run.
static bool holds_at_start(const carom_hybrid *it, int k, int way) {
  assert(k >= 0 && k < it->model->watched_count);
  const carom_watched *watched = &it->model->watched[k];
  carom_watch_kind kind = watched->kind;
  if (!is_comparison(watched) || watched->direction != CAROM_RISING) return false;
  if (kind == CAROM_WATCH_STOP && it->watching.watch[k].side > 0) return true;
  return kind == CAROM_WATCH_EVENT && way > 0;
}

int carom_sides_start(carom_hybrid *it, const double *rate, int met, carom_root *roots) {
  const carom_hybrid_model *model = it->model;
  int count = 0;
  if (!model->has_rules || model->functions) return met;
  find_values(it, it->instant.rules.value);
  memset(it->instant.rules.holds, 0,
         (size_t)model->watched_count * sizeof *it->instant.rules.holds);
  for (int j = 0; j < met; j++)
    it->instant.rules.holds[roots[j].function] = true;
  for (int k = 0; k < model->watched_count; k++) {
    const carom_watched *watched = &model->watched[k];
    carom_root_watch *watch = &it->watching.watch[k];
    if (!carom_watched_is_rule(watched)) continue;
    double value = it->instant.rules.value[k];
    bool zero = fabs(value) <= watch->tolerance;
    int way = zero ? way_from_zero(it, k, rate) : 0;
    watch->side = zero ? 0 : value > 0.0 ? 1 : -1;
    if (zero && is_comparison(watched))
      watch->side = way != 0 ? way : watched->rule->trigger.strict ? -1 : 1;
    if (it->instant.rules.holds[k] || holds_at_start(it, k, way))
      roots[count++] =
          (carom_root){CAROM_ROOT_CROSSING, k, watch->side < 0 ? CAROM_FALLING : CAROM_RISING, 1.0};
  }
  assert(count <= model->watched_count);
  return count;
}

// The side of zero a rule's function is on: what its value says or, too near to tell, what is known
// of it: a rule just served goes where its rate leads. Where an event gave it its value, that says
// all.
static void take_side(carom_hybrid *it, int k, double value, const double *rate) {
  assert(k >= 0 && k < it->model->watched_count);
  carom_root_watch *watch = &it->watching.watch[k];
  if (it->instant.rules.known[k]) {
    bool zero = fabs(value) <= rounding_of(it, k, value, value);
    int way = zero ? way_from_zero(it, k, rate) : 0;
    if (way != 0) watch->side = way;
    if (zero) return;
    // nor is it zero before it has come back from there
    watch->served = false;
    watch->tolerance = fmin(watch->tolerance, OF_VALUE * fabs(value));
    return;
  }
  double slope = carom_watch_rate(&it->model->watched[k].function, &it->watching.work[k], it->now.t,
                                  it->y, rate);
  // events of one instant may lie a little apart: a root just served is wider, as in its search
  double width = watch->served ? CAROM_SERVED_WIDTH : 1.0;
  bool on_root = fabs(value) <= width * watch->tolerance;
  double decides = !on_root ? value : watch->served ? slope : 0.0;
  if (decides != 0.0) watch->side = decides > 0.0 ? 1 : -1;
}

// an open gap and a slip have the sign of their mode
static void take_side_of(carom_hybrid *it, int k, const double *rate) {
  assert(k >= 0 && k < it->model->watched_count);
  const carom_watched *watched = &it->model->watched[k];
  carom_root_watch *watch = &it->watching.watch[k];
  if (watched->kind == CAROM_WATCH_GAP) {
    watch->side = 1;
  } else if (watched->kind == CAROM_WATCH_SLIP) {
    watch->side = carom_contact_slip_sign(it->memory[watched->index].mode);
  } else if (watched->kind == CAROM_WATCH_SWITCH) {
    watch->side = watch->direction == CAROM_FALLING ? 1 : -1;
  } else if (!it->model->functions) {
    double value =
        carom_watch_rate_value(&watched->function, &it->watching.work[k], it->now.t, it->y, rate);
    take_side(it, k, value, rate);
  }
}

void carom_hybrid_take_sides(carom_hybrid *it, const double *rate) {
  for (int k = 0; k < it->model->watched_count; k++)
    take_side_of(it, k, rate);
}

// how far a gap's rate moves when each rate of the coordinates moves by its weight
static double speed_spread(carom_hybrid *it, const carom_watched *watched, carom_watch_work *work) {
  const carom_dynamics *d = it->model->dynamics;
  const double *weight = it->room.weight + d->nq, *G = it->room.turning;
  double *spread = it->room.scratch, *turned = spread + d->nq + d->n;
  memset(spread, 0, (size_t)d->size * sizeof *spread);
  memcpy(spread, weight, (size_t)d->nq * sizeof *spread);
  if (d->turned > 0)
    (void)carom_dynamics_turning(d, &it->work, it->now.t, it->y, it->room.turning, NULL);
  for (int k = 0; k < d->turned * d->n; k++)
    turned[k / d->n] += fabs(G[k]) * weight[k % d->n];
  return carom_watch_spread(&watched->function, work, it->now.t, it->y, it->room.scratch);
}

// gaps are watched while open, slips while sliding
static void arm_contact(carom_hybrid *it, const carom_watched *watched, carom_root_watch *watch,
                        carom_watch_work *work) {
  carom_contact_mode mode = it->memory[watched->index].mode;
  if (watched->kind == CAROM_WATCH_GAP) {
    it->tolerance.gap[watched->index] = watch->tolerance;
    it->tolerance.speed[watched->index] = it->run.event_tolerance * speed_spread(it, watched, work);
    watch->active = mode == CAROM_CONTACT_OPEN;
  } else {
    int sign = carom_contact_slip_sign(mode);
    it->tolerance.slip[watched->index] = watch->tolerance;
    if (it->model->contacts.cross[watched->index] >= 0) { // of two: see spatial.c
      watch->active = watch->served = false;
      it->tolerance.slip[watched->index] = carom_spatial_tolerance(it, watched);
      return;
    }
    watch->active = sign != 0 && !it->model->contacts.user_law[watched->index];
    watch->direction = sign > 0 ? CAROM_FALLING : CAROM_RISING;
    // a slip that came to zero may have been set off again by an impact of the same instant
    if (watch->served)
      watch->served =
          fabs(carom_watch_at(&watched->function, work, it->now.t, it->y)) <= watch->tolerance;
  }
}

const double *carom_sides_weigh(carom_hybrid *it, const double *y) {
  for (int i = 0; i < it->model->dynamics->size; i++)
    it->room.weight[i] = it->run.atol + it->run.rtol * fabs(y[i]);
  return it->room.weight;
}

static void arm_function(carom_hybrid *it, int k) {
  assert(k >= 0 && k < it->model->watched_count);
  const carom_watched *watched = &it->model->watched[k];
  carom_root_watch *watch = &it->watching.watch[k];
  watch->direction = watched->direction;
  if (watched->kind == CAROM_WATCH_SWITCH)
    watch->direction = it->modes[watched->index] > 0.0 ? CAROM_FALLING : CAROM_RISING;
  if (it->model->functions) {
    watch->tolerance = it->run.event_tolerance * it->run.atol;
    watch->active = true;
    return;
  }
  if (carom_solids_sleeps(it, watched->slot)) {
    watch->tolerance = 0.0;
    watch->active = false;
    if (watched->kind == CAROM_WATCH_GAP)
      it->tolerance.gap[watched->index] = it->tolerance.speed[watched->index] = 0.0;
    if (watched->kind == CAROM_WATCH_SLIP) it->tolerance.slip[watched->index] = 0.0;
    return;
  }
  double spread = carom_watch_spread(&watched->function, &it->watching.work[k], it->now.t, it->y,
                                     it->room.weight);
  // a function of time alone is known as well as time is
  if (watched->function.timed)
    spread +=
        fabs(carom_watch_rate(&watched->function, &it->watching.work[k], it->now.t, it->y, NULL) *
             it->now.t) *
        CAROM_TIME_ROUNDING;
  watch->tolerance = it->run.event_tolerance * spread;
  if (watched->kind == CAROM_WATCH_SWITCH && watched->role == CAROM_ROLE_NONE &&
      it->modes[watched->index] == 0.0) {
    watch->active = false; // it is slid on
    return;
  }
  if (watched->kind == CAROM_WATCH_GAP || watched->kind == CAROM_WATCH_SLIP) {
    arm_contact(it, watched, watch, &it->watching.work[k]);
    return;
  }
  if (watched->role != CAROM_ROLE_NONE) {
    carom_compliant_arm(it, k, watch);
    return;
  }
  if (watched->kind == CAROM_WATCH_SWITCH) watch->tolerance += ON_INTEGER;
  // a function that was flat is watched again once it has left zero
  if (!watch->active)
    watch->active = fabs(carom_watch_at(&watched->function, &it->watching.work[k], it->now.t,
                                        it->y)) > watch->tolerance;
}

void carom_sides_leave(carom_hybrid *it, bool by_step) {
  for (int k = 0; k < it->model->watched_count; k++)
    if (!by_step || !carom_met_beside(it, k)) it->watching.watch[k].served = false;
}

// what is told to be flat is not looked for until it is armed anew
void carom_sides_meet(carom_hybrid *it, const carom_root *root, bool served) {
  const carom_watched *watched = &it->model->watched[root->function];
  carom_root_watch *watch = &it->watching.watch[root->function];
  bool flat = root->kind == CAROM_ROOT_FLAT, grazes = root->kind == CAROM_ROOT_GRAZING;
  watch->served = served;
  if (flat && watched->kind != CAROM_WATCH_GAP) watch->active = false;
  if (!flat && !grazes && carom_watched_is_rule(watched)) watch->side = (int)root->direction;
}

void carom_sides_resume(carom_hybrid *it, int k) {
  it->watching.watch[k].active = it->watching.watch[k].served = true;
}

void carom_sides_arm(carom_hybrid *it, int k) {
  (void)carom_sides_weigh(it, it->y);
  it->watching.watch[k].served = false;
  arm_function(it, k);
  take_side_of(it, k, it->stepper.f);
}

void carom_hybrid_arm(carom_hybrid *it) {
  (void)carom_sides_weigh(it, it->y);
  for (int k = 0; k < it->model->watched_count; k++)
    arm_function(it, k);
}

void carom_sides_beside(carom_hybrid *it, int k, const double *rate) {
  it->instant.rules.known[k] = false; // what an earlier instant made of it is past
  (void)carom_sides_weigh(it, it->y);
  arm_function(it, k);
  take_side_of(it, k, rate);
}

void carom_sides_return(carom_hybrid *it, const carom_root *root) {
  it->watching.watch[root->function].side = -(int)root->direction;
}
