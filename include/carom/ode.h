// SPDX-License-Identifier: MIT
/// Ordinary differential equations y' = f(t, y) written in C, with events: an explicit Runge-Kutta
/// method of order 8 with error control, and roots of g(t, y) found inside the steps.
///
///   static carom_status fall(void *ctx, double t, const double *y, double *dydt) {
///     dydt[0] = y[1], dydt[1] = -9.81;
///     return CAROM_OK;
///   }
///   static void ground(void *ctx, double t, const double *y, double *g) { g[0] = y[0]; }
///
///   carom_ode *ode;
///   double y[2] = {1.0, 0.0};
///   int falling = -1;
///   carom_ode_create(&ode, 2, fall, NULL, NULL, &error);
///   carom_ode_watch(ode, 1, ground, &falling, &error);
///   carom_ode_set(ode, 0.0, y, &error);
///   while (carom_ode_advance(ode, 10.0, &error) == CAROM_STOP_EVENT) {
///     y[0] = 0.0, y[1] = -0.8 * carom_ode_state(ode)[1];
///     carom_ode_reset(ode, y, &error);
///   }
///   carom_ode_destroy(ode);
///
/// Two threads may use two objects at the same time. Results repeat bit for bit.
#ifndef CAROM_ODE_H
#define CAROM_ODE_H

#include "carom/status.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Writes dy/dt at (t, y). Returns CAROM_OK; CAROM_ERR_NONFINITE where there is no finite value
/// (the step is then tried again shorter); any other error ends the integration with that status.
typedef carom_status (*carom_ode_rhs)(void *ctx, double t, const double *y, double *dydt);

/// Writes all event functions at (t, y). NaN or infinity stands for "no value" and is an error.
typedef void (*carom_ode_event_functions)(void *ctx, double t, const double *y, double *g);

/// Options of an integration. Start from carom_ode_options_default().
typedef struct carom_ode_options {
  double rtol;            // relative local error per step; default 1e-10
  double atol;            // absolute local error per step, in the units of the state; default 1e-12
  const double *scale;    // multiplies atol per state (n values, copied); NULL: all 1
  double h_max;           // longest step; 0: no bound
  double h_start;         // first step; 0: chosen from f
  double event_tolerance; // |g| taken as zero; 0: a few rounding errors of the values of g
  bool stop_at_grazing;   // also stop where g touches zero without changing sign; default false
  long max_steps;         // accepted steps per call of advance before CAROM_ERR_LIMIT; default 10^8
  const carom_allocator *allocator; // NULL: malloc
  size_t size;                      // set by the default function; proves that it was used
} carom_ode_options;
CAROM_API carom_ode_options carom_ode_options_default(void);

typedef enum carom_ode_event_kind {
  CAROM_ODE_CROSSING, // g changed sign
  CAROM_ODE_GRAZING,  // g touched zero and went back
  CAROM_ODE_FLAT      // g became zero for good
} carom_ode_event_kind;

typedef struct carom_ode_event {
  int function;  // which event function
  int direction; // +1 rising, -1 falling, 0 flat
  carom_ode_event_kind kind;
} carom_ode_event;

typedef struct carom_ode_statistics {
  long steps, rejected, evaluations, event_evaluations, events;
} carom_ode_statistics;

typedef struct carom_ode carom_ode;

/// Advances y (n values, overwritten) from t to t_end in one call. `options` may be NULL.
CAROM_API carom_status carom_ode_solve(int n, carom_ode_rhs rhs, void *ctx, double t, double *y,
                                       double t_end, const carom_ode_options *options,
                                       carom_error *error);

/// A new integration of n states; *ode is NULL on failure. The caller destroys it. `ctx` is
/// borrowed and handed to `rhs` and to the event functions. `options` may be NULL.
CAROM_API carom_status carom_ode_create(carom_ode **ode, int n, carom_ode_rhs rhs, void *ctx,
                                        const carom_ode_options *options, carom_error *error);
CAROM_API void carom_ode_destroy(carom_ode *ode); // NULL is legal

/// Watches `count` event functions from now on; directions (copied): +1 only rising, -1 only
/// falling, 0 both; NULL: all both. Once per object.
CAROM_API carom_status carom_ode_watch(carom_ode *ode, int count, carom_ode_event_functions events,
                                       const int *directions, carom_error *error);

/// Sets time and state; the next step size is chosen anew. An event function that is zero here must
/// leave zero before it counts.
CAROM_API carom_status carom_ode_set(carom_ode *ode, double t, const double *y, carom_error *error);

/// Replaces the state at the present time (an impact) and keeps the step size.
CAROM_API carom_status carom_ode_reset(carom_ode *ode, const double *y, carom_error *error);

/// Advances to t_end >= the present time or to the next event. CAROM_OK: at t_end exactly;
/// CAROM_STOP_EVENT: at an event, with g zero to rounding; < 0: an error, the state is the last
/// good one. Events not listed by carom_ode_events() lie ahead.
CAROM_API carom_status carom_ode_advance(carom_ode *ode, double t_end, carom_error *error);

CAROM_API double carom_ode_time(const carom_ode *ode);
CAROM_API const double *
carom_ode_state(const carom_ode *ode); // n values, valid until the next call

/// The events of the last stop: all functions with a root at that time. Valid until the next call.
CAROM_API const carom_ode_event *carom_ode_events(const carom_ode *ode, int *count);

CAROM_API carom_ode_statistics carom_ode_statistics_read(const carom_ode *ode);

#ifdef __cplusplus
}
#endif
#endif
