// SPDX-License-Identifier: MIT
/// Events of models given by C functions: no expressions to differentiate, so differences along the
/// motion tell how fast an event function moves and how exactly it is known.
#include "hybrid/hybrid.h"

#include "model/dynamics_functions.h"

#include <math.h>
#include <string.h>

static const double AHEAD = 1e-7; // of a step: how far a difference along the motion looks

static int event_count(const carom_hybrid *it) { return it->model->functions->events.count; }

void carom_function_event_values(carom_hybrid *it, double t, const double *y, double *values) {
  const carom_functions *f = it->model->functions;
  carom_point at = carom_functions_point(it->model->dynamics, &it->work, t, y);
  if (f->event(f->ctx, &at, values) == CAROM_OK) return;
  for (int k = 0; k < event_count(it); k++)
    values[k] = (double)NAN;
}

// values now and their change after dt along the slope f, in scratch
static void value_differences(carom_hybrid *it, double t, const double *y, const double *f,
                              double dt, double **now, double **change) {
  double *ahead = it->room.scratch;
  *now = it->room.scratch + it->size;
  *change = *now + event_count(it);
  for (int i = 0; i < it->size; i++)
    ahead[i] = y[i] + dt * f[i];
  carom_function_event_values(it, t, y, *now);
  carom_function_event_values(it, t + dt, ahead, *change);
  for (int k = 0; k < event_count(it); k++)
    (*change)[k] -= (*now)[k];
}

double carom_function_event_shift(carom_hybrid *it, int k) {
  const carom_stepper *s = &it->stepper;
  double *now, *change, dt = AHEAD * s->h;
  value_differences(it, s->t1, s->y1, s->f1, dt, &now, &change);
  return -now[k] / change[k] * dt;
}

// how far each function moves when each component of the state moves by the integrator's error
static void feel_tolerances(carom_hybrid *it) {
  double *ahead = it->room.scratch, *now = it->room.scratch + it->size,
         *moved = now + event_count(it);
  memcpy(ahead, it->y, (size_t)it->size * sizeof *ahead);
  carom_function_event_values(it, it->now.t, it->y, now);
  for (int k = 0; k < event_count(it); k++)
    it->watching.memory[k].rounding = 0.0;
  for (int i = 0; i < it->model->dynamics->size; i++) {
    // a difference that rounding cannot spoil, scaled down to the error
    double error = it->run.atol + it->run.rtol * fabs(it->y[i]), far = 1e-5 + 1e-5 * fabs(it->y[i]);
    ahead[i] = it->y[i] + far;
    carom_function_event_values(it, it->now.t, ahead, moved);
    ahead[i] = it->y[i];
    for (int k = 0; k < event_count(it); k++) {
      double spread = it->run.event_tolerance * fabs(moved[k] - now[k]) * (error / far);
      if (isfinite(spread)) it->watching.memory[k].rounding += spread;
    }
  }
}

void carom_function_events_settle(carom_hybrid *it) {
  feel_tolerances(it);
  double *now, *change, dt = AHEAD * it->stepper.h_next;
  value_differences(it, it->now.t, it->y, it->stepper.f, dt, &now, &change);
  for (int k = 0; k < event_count(it); k++) {
    carom_root_watch *watch = &it->watching.watch[k];
    watch->tolerance = fmax(watch->tolerance, it->watching.memory[k].rounding);
    // What an event made of the function is known exactly. Otherwise the side is asked for only
    // where the value is too near zero to tell it.
    if (it->instant.rules.known[k]) continue;
    if (watch->served && change[k] != 0.0) watch->side = change[k] > 0.0 ? 1 : -1;
  }
}
