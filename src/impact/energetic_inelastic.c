// SPDX-License-Identifier: MIT
/// The end of a compression for e = 0, the limit of small e. With a small e a contact expands in no
/// time, x'' = -v_N'/e^2 with everything else at rest, until x = 0 or v_N is zero again, where
///
///   integral of v_N' dx = R (E(x) - E(left)) + others (x - left) = 0:
///
/// others that push harder than when the compression began keep a rest of it. R and what others do
/// hold as long as friction keeps its modes: stick may break on the way, as the force falls.
///
/// Contacts that come to the end of compression together (copies of one contact, mirror images)
/// expand together, in a time w = v_N/e of their own:
///
///   dx_i = -w_i while w_i > 0, else none,      dw_i = v_N' of all forces, those of others
///   constant,
///
/// until each has x = 0, or w <= 0 and is not driven apart. That is integrated.
#include "impact/energetic_internal.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double REST = 1e-14;            // of what could be: no compression, speed or drive
static const double JUST_BELOW = 1.0 - 1e-6; // of a force at which stick breaks

// The force of contact i, less than `from`, at which a stick breaks while those of others (in
// trial) stay; 0: none does.
static double next_break(const carom_energetic_workspace *w, int i, double from) {
  int size = 2 * w->n;
  double next = 0.0;
  for (int c = 0; c < w->friction.classes && !w->response.shared; c++) {
    if (!w->friction.list[c].sticks) continue;
    const double *limit = w->response.limit + c * size,
                 *reaction = w->response.B + w->friction.list[c].unknown * size;
    for (int sign = -1; sign <= 1; sign += 2) {
      double rest = 0.0, slope = limit[i] + sign * reaction[i];
      for (int j = 0; j < w->response.channels; j++)
        if (j != i) rest += (limit[j] + sign * reaction[j]) * w->step.trial[j];
      if (!(slope > 0.0) || !(rest < 0.0)) continue;
      double force = -rest / slope;
      if (force < from * JUST_BELOW) next = fmax(next, force);
    }
  }
  return next;
}

// Where half the square of v_N/e, `gained` at compression x, is zero again. It is concave and
// negative at `low`: Newton's iterates rise to the root.
static double root_above(const carom_energetic_workspace *w, int i, double low, double x,
                         double gained, double own, double others) {
  double left = low;
  for (int round = 0; round < 60; round++) {
    double value = gained + own * (energetic_stored_at(w, i, x) - energetic_stored_at(w, i, left)) +
                   others * (x - left);
    double slope = -own * energetic_force(w, i, left) - others, next = left - value / slope;
    if (!(slope > 0.0) || !(next > left) || next >= x) break;
    left = next;
  }
  return left;
}

// one contact alone
static double left_of(carom_energetic_workspace *w, int i) {
  double x = w->state.x[i], gained = 0.0;
  // friction may hold it as it is
  double terms, rate = energetic_row(w, 2 * i, w->step.trial, &terms);
  if (!(rate > REST * terms)) return x;
  for (int piece = 0; piece <= 2 * w->n; piece++) {
    w->step.trial[i] = 0.0;
    double own = w->response.R[2 * i * 2 * w->n + i],
           others = energetic_row(w, 2 * i, w->step.trial, NULL);
    double force = next_break(w, i, energetic_force(w, i, x));
    double low = energetic_compression(w, i, force);
    double at_low = gained + own * (energetic_stored_at(w, i, x) - energetic_stored_at(w, i, low)) +
                    others * (x - low);
    if (own > 0.0 && at_low < 0.0) return root_above(w, i, low, x, gained, own, others);
    if (!(low > 0.0)) return 0.0;
    x = low;
    gained = fmax(0.0, at_low);
    w->step.trial[i] = force * JUST_BELOW;
    energetic_friction_settle(w, w->step.trial);
  }
  return 0.0;
}

// ---- contacts that expand together

enum { FAST_STEPS = 2000, HALVINGS = 60 }; // steps: far more than any that was seen needs

// forces of the contacts that expand, at compressions y, beside those of others in trial
static void set_fast_forces(carom_energetic_workspace *w, const double *y) {
  for (int k = 0; k < w->collapse.count; k++)
    w->step.trial[w->collapse.contact[k]] = energetic_force(w, w->collapse.contact[k], y[k]);
}

static carom_status fast_slopes(void *ctx, double t, const double *y, double *dydt) {
  carom_energetic_workspace *w = ctx;
  const energetic_collapse *f = &w->collapse;
  (void)t;
  set_fast_forces(w, y);
  for (int k = 0; k < f->count; k++) {
    dydt[k] = f->moves[k] ? -y[f->count + k] : 0.0;
    dydt[f->count + k] = energetic_row(w, 2 * f->contact[k], w->step.trial, NULL);
  }
  return CAROM_OK;
}

bool energetic_collapse_create(carom_energetic_workspace *w, carom_arena *arena) {
  energetic_collapse *f = &w->collapse;
  size_t n = (size_t)w->max_contacts;
  f->contact = carom_arena_array(arena, n, sizeof *f->contact);
  f->waits = carom_arena_array(arena, n, sizeof *f->waits);
  f->moves = carom_arena_array(arena, n, sizeof *f->moves);
  f->y = carom_arena_array(arena, 2 * n, sizeof *f->y);
  f->scale = carom_arena_array(arena, 2 * n, sizeof *f->scale);
  if (!f->contact || !f->waits || !f->moves || !f->y || !f->scale) return false;
  carom_stepper_options options = carom_stepper_options_default();
  return carom_stepper_init(&f->stepper, arena, 2 * w->max_contacts, fast_slopes, w, &options,
                            NULL) == CAROM_OK;
}

// Does nothing happen up to this state: no contact ends, stops or starts, and no stick breaks?
static bool fast_holds(carom_energetic_workspace *w, const double *y) {
  const energetic_collapse *f = &w->collapse;
  for (int k = 0; k < f->count; k++) {
    double speed = y[f->count + k];
    if (f->moves[k] ? y[k] < 0.0 || speed < 0.0 : y[k] > 0.0 && speed > 0.0) return false;
  }
  set_fast_forces(w, y);
  return !f->friction_holds || energetic_friction_holds(w, w->step.trial);
}

// A stick that has broken is left for good a moment later; where no choice holds, none is asked for
// again.
static void settle_fast_friction(carom_energetic_workspace *w, const double *y) {
  energetic_collapse *f = &w->collapse;
  set_fast_forces(w, y);
  f->friction_holds = energetic_friction_holds(w, w->step.trial);
  if (f->friction_holds) return;
  for (int k = 0; k < f->count; k++)
    if (f->moves[k]) w->step.trial[f->contact[k]] *= JUST_BELOW;
  energetic_friction_settle(w, w->step.trial);
  set_fast_forces(w, y);
  f->friction_holds = energetic_friction_holds(w, w->step.trial);
}

// who moves from here on; returns whether somebody does, or soon will
static bool set_fast_moves(carom_energetic_workspace *w, double *y) {
  energetic_collapse *f = &w->collapse;
  bool any = false;
  for (int k = 0; k < f->count; k++)
    if (y[k] <= REST * f->scale[k]) y[k] = 0.0;
  settle_fast_friction(w, y);
  for (int k = 0; k < f->count; k++) {
    double *speed = &y[f->count + k], terms;
    double rate = energetic_row(w, 2 * f->contact[k], w->step.trial, &terms);
    if (fabs(*speed) <= REST * f->scale[f->count + k]) *speed = 0.0;
    bool driven = rate > REST * terms;
    f->moves[k] = y[k] > 0.0 && (*speed > 0.0 || (*speed == 0.0 && driven));
    any = any || f->moves[k] || (y[k] > 0.0 && driven);
  }
  return any;
}

// ends the tried step where something happens first
static bool cut_fast_step(carom_energetic_workspace *w) {
  energetic_collapse *f = &w->collapse;
  carom_stepper *s = &f->stepper;
  assert(s->n == 2 * f->count);
  if (fast_holds(w, s->y1)) return true;
  if (carom_stepper_dense(s, NULL) != CAROM_OK) return false;
  double low = 0.0, high = 1.0;
  for (int half = 0; half < HALVINGS; half++) {
    double middle = 0.5 * (low + high);
    carom_dense_eval(s, middle, f->y, NULL, NULL);
    *(fast_holds(w, f->y) ? &low : &high) = middle;
  }
  return carom_stepper_interpolate(s, high, NULL) == CAROM_OK;
}

// what is left of the compressions of contacts that expand together, in y
static void expand_together(carom_energetic_workspace *w) {
  energetic_collapse *f = &w->collapse;
  carom_stepper *s = &f->stepper;
  int count = f->count;
  double stored = 0.0, time = INFINITY;
  for (int k = 0; k < count; k++)
    stored += energetic_stored(w, f->contact[k]);
  for (int k = 0; k < count; k++) {
    int i = f->contact[k];
    f->y[k] = f->scale[k] = w->state.x[i];
    f->y[count + k] = 0.0;
    f->moves[k] = true;
    f->scale[count + k] = sqrt(2.0 * stored) * w->problem.root[2 * i];
    time = fmin(time, f->scale[k] / f->scale[count + k]);
  }
  carom_stepper_resize(s, 2 * count);
  s->options.rtol = 0.0;
  s->options.atol = 0.1 * w->problem.tolerance;
  s->options.scale = f->scale;
  s->options.controlled = 2 * count;
  for (int step = 0; step < FAST_STEPS && set_fast_moves(w, f->y); step++) {
    if (carom_stepper_start(s, 0.0, f->y, 0.1 * time, NULL) != CAROM_OK) break;
    do {
      if (carom_stepper_try(s, s->t + 1e3 * time, NULL) != CAROM_OK || !cut_fast_step(w)) return;
      carom_stepper_commit(s);
      memcpy(f->y, s->y, 2 * (size_t)count * sizeof(double));
    } while (fast_holds(w, s->y) && ++step < FAST_STEPS);
  }
}

void energetic_collapse_now(carom_energetic_workspace *w) {
  energetic_collapse *f = &w->collapse;
  int count = f->count = 0;
  for (int i = 0; i < w->n; i++)
    if (f->waits[i]) f->contact[f->count++] = i;
  assert(f->count <= w->n);
  count = f->count;
  if (count == 0) return;
  // slip may have stopped in the same moment
  energetic_channels_after(w, 0.0, w->step.trial);
  energetic_friction_settle(w, w->step.trial);
  if (count == 1)
    f->y[0] = left_of(w, f->contact[0]);
  else
    expand_together(w);
}
