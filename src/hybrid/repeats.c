// SPDX-License-Identifier: MIT
/// Does the drive come back after the period it is said to have? Where all of it grows out of
/// angles, their frequencies tell. What comes back sooner than they do (a square, a modulus), and
/// what is no function of angles, is compared at times and states drawn at random: what differs
/// anywhere has not come back.
#include "base/random.h"
#include "hybrid/hybrid.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 4, TIMES = 48, COEFFICIENTS = CAROM_CONTACT_NUMBER_COUNT };
static const double SAME = 1e-8; // of how far a number swings: a period is given to eight digits
static const double ROUNDING = 64.0 * DBL_EPSILON; // of a number, and of a phase, in radians

/// Every number by which time moves the system: now, a period later, and within which bounds.
typedef struct comparison {
  carom_hybrid *it; // a copy that may be moved
  int count;
  double *now, *later, *low, *high, *apart, *y;
} comparison;

static int number_count(const carom_hybrid_model *model) {
  const carom_dynamics *d = model->dynamics;
  return d->n + d->m + d->rows * (3 + d->n) + model->contacts.count * COEFFICIENTS +
         model->watched_count + model->probe.count - model->probe.conditions;
}

// Of a constraint its rate is enough: an angle that is carried round evenly comes back.
static double *look_at_rows(const carom_hybrid *it, double *out) {
  const carom_rows *rows = &it->work.rows;
  const carom_dynamics *d = it->model->dynamics;
  for (int r = 0; r < d->rows; r++) {
    *out++ = r < it->model->constraints || isnan(rows->position[r]) ? 0.0 : rows->position[r];
    *out++ = rows->velocity[r];
    *out++ = rows->free_rate[r];
  }
  memcpy(out, rows->response, (size_t)(d->rows * d->n) * sizeof *out);
  return out + d->rows * d->n;
}

// Events: what they wait for, whether they act, and what they assign. What waits for a crossing of
// either direction waits for the same with the other sign.
static void look_at_rules(carom_hybrid *it, double t, const double *y, double *out) {
  const carom_hybrid_model *model = it->model;
  bool known = carom_hybrid_rhs(it, t, y, it->rate) == CAROM_OK;
  for (int k = 0; k < model->watched_count; k++) {
    const carom_watched *watched = &model->watched[k];
    double value = watched->kind == CAROM_WATCH_EVENT
                       ? carom_watch_at(&watched->function, &it->watching.work[k], t, y)
                       : 0.0;
    *out++ = watched->direction == CAROM_ANY ? fabs(value) : value;
  }
  if (known) carom_probe_run(it, t, y, it->rate);
  for (int k = model->probe.conditions; k < model->probe.count; k++)
    *out++ = known ? carom_probe_output(it, k) : (double)NAN;
}

static bool look_at(comparison *c, double t, double *out) {
  carom_hybrid *it = c->it;
  const carom_dynamics *d = it->model->dynamics;
  if (!carom_hybrid_stand_at(it, t, c->y)) return false;
  carom_rates rates = {.acceleration = out, .equation = out + d->n};
  if (carom_dynamics_rows(d, &it->work, t, c->y, &rates) != CAROM_OK) return false;
  out = look_at_rows(it, out + d->n + d->m);
  if (it->model->contacts.count > 0) carom_hybrid_coefficients(it, t, c->y);
  for (int k = 0; k < it->model->contacts.count; k++, out += COEFFICIENTS)
    memcpy(out, &it->contact.now[k], COEFFICIENTS * sizeof *out);
  look_at_rules(it, t, c->y, out);
  return true;
}

static void compare_drives(comparison *c) {
  for (int i = 0; i < c->count; i++) {
    if (!isfinite(c->now[i]) || !isfinite(c->later[i])) continue;
    c->low[i] = fmin(c->low[i], fmin(c->now[i], c->later[i]));
    c->high[i] = fmax(c->high[i], fmax(c->now[i], c->later[i]));
    c->apart[i] = fmax(c->apart[i], fabs(c->later[i] - c->now[i]));
  }
}

// in one state, over a period that begins at t
static bool comes_back(comparison *c, double t, double period, uint64_t state) {
  double same = SAME + ROUNDING * (fabs(t) + 2.0 * period) / period;
  for (int i = 0; i < c->count; i++) {
    c->low[i] = INFINITY;
    c->high[i] = -INFINITY;
    c->apart[i] = 0.0;
  }
  for (uint64_t k = 0; k < TIMES; k++) {
    double at = t + period * carom_random_uniform(13, state, k);
    if (look_at(c, at, c->now) && look_at(c, at + period, c->later)) compare_drives(c);
  }
  for (int i = 0; i < c->count; i++) {
    double size = fmax(fabs(c->low[i]), fabs(c->high[i]));
    if (c->apart[i] > 0.0 && c->apart[i] > same * (c->high[i] - c->low[i]) + ROUNDING * size)
      return false;
  }
  return true;
}

// in the present state and in others about it, in which more of the drive may have a part
static bool comes_back_everywhere(comparison *c, const carom_hybrid *present) {
  for (uint64_t state = 0; state < STATES; state++) {
    for (int i = 0; i < present->model->dynamics->size; i++) {
      double aside = carom_random_uniform(12, state, (uint64_t)i) - 0.5;
      c->y[i] = present->y[i] + (state > 0) * aside * (1.0 + fabs(present->y[i]));
    }
    if (!comes_back(c, present->now.t, present->run.period, state)) return false;
  }
  return true;
}

static carom_status try_times(const carom_simulation *simulation, bool *back, carom_error *error) {
  const carom_hybrid *present = simulation->state;
  carom_simulation *copy = NULL;
  size_t count = (size_t)number_count(present->model);
  double *room = calloc(5 * count + (size_t)present->model->dynamics->size, sizeof *room);
  if (!room) return carom_fail_memory(error);
  carom_status status = carom_simulation_clone(simulation, &copy, error);
  if (status == CAROM_OK) {
    comparison c = {copy->state,      (int)count,       room,
                    room + count,     room + 2 * count, room + 3 * count,
                    room + 4 * count, room + 5 * count};
    *back = comes_back_everywhere(&c, present);
  }
  free(room);
  carom_simulation_destroy(copy);
  return status;
}

// a whole number of the periods that the frequencies have in common
static bool is_multiple(double period, double known) {
  double turns = period / known;
  return known > 0.0 && round(turns) >= 1.0 && fabs(turns - round(turns)) <= SAME * turns;
}

carom_status carom_hybrid_repeats(const carom_simulation *simulation, carom_error *error) {
  const carom_hybrid *it = simulation->state;
  double period = it->run.period;
  bool back = true;
  if (!it->model->scenario || !it->model->mechanics || !it->model->scenario->run.period)
    return CAROM_OK; // what was found is no claim
  double known = carom_drive_period(it, NULL);
  if (is_multiple(period, known)) return CAROM_OK;
  carom_status status = try_times(simulation, &back, error);
  if (status != CAROM_OK || back) return status;
  if (known > 0.0)
    return carom_fail(error, CAROM_ERR_INPUT,
                      "the drive does not repeat itself after %.15g (run.period): it does after "
                      "%.15g and its multiples",
                      period, known);
  return carom_fail(error, CAROM_ERR_INPUT,
                    "the drive does not repeat itself after %.15g (run.period)", period);
}
