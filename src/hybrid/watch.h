// SPDX-License-Identifier: MIT
/// A watched function g(t, y): its value and first two time derivatives along the dense output of a
/// step, at a point and as enclosures over an interval.
///
///   g' = dg/dt + sum dg/dy_i y_i',   g'' = the same again, with y_i' and y_i'' of the dense
///   polynomial.
#ifndef CAROM_HYBRID_WATCH_H
#define CAROM_HYBRID_WATCH_H

#include "model/dynamics.h"
#include "ode/stepper.h"

/// Symbols for y, y' and y'' of every component of the state vector.
typedef struct carom_path_symbols {
  int size;
  carom_node *y, *rate, *curvature;
  const carom_node *acceleration; // the symbols written q'', n of them
} carom_path_symbols;

carom_status carom_path_symbols_create(carom_path_symbols *symbols, carom_arena *arena,
                                       carom_graph *graph, const carom_mechanics *mechanics,
                                       const carom_node *acceleration, carom_error *error);

/// The compiled function (constant).
typedef struct carom_watch {
  carom_node node; // g
  carom_program
      *program; // outputs g, g', g''; inputs t, (y, y', y'') per component, modes, parameters
  carom_program *slope_program; // outputs dg/dy_i of the used components; the same inputs
  carom_program *value_program; // output g alone; the same inputs
  int used_count, *used;        // components of y that g depends on
  bool timed;                   // g depends on the time itself
  bool rough;                   // g uses accelerations: no enclosure of g''
  int component;                // g is this component of y itself, or -1
  bool steep;                   // g has exponentials: no series of it
  bool total;                   // g has a value wherever its bounds are finite
  bool still;                   // g changes by jumps of branches alone
  int branch_at;                // input of the first branch of its own, behind all others
} carom_watch;

/// `branches` are the MODE symbols of g that are none of the dynamics' own: see carom_watch_branch.
carom_status carom_watch_compile(carom_watch *watch, carom_arena *arena,
                                 const carom_dynamics *dynamics, const carom_path_symbols *symbols,
                                 int branch_count, const carom_kink *branches, carom_node function,
                                 carom_error *error);

/// Its registers in one simulation, and the value that was asked for last.
typedef struct carom_watch_work {
  double *registers, *slope_registers;
  carom_interval *bounds, *value_bounds;
  double seen_theta, seen[3];
  long seen_at;  // evaluations of the stepper then: no two steps have the same; -1: nothing seen
  double lowest; // a lower bound of g over a whole step
  long lowest_at;
  // on a step by series: g as a polynomial of theta
  int degree; // 0: there is none
  double c[CAROM_SERIES_DEGREE];
  double tail; // what is left out at the end of the step, by the last terms there are
  double fine; // what the value may be wrong by
  bool tested; // compared with g at the end of the step
  double rounding;
} carom_watch_work;

carom_status carom_watch_work_init(carom_watch_work *work, carom_arena *arena,
                                   const carom_watch *watch, carom_error *error);
void carom_watch_configure(const carom_watch *watch, carom_watch_work *work,
                           const carom_dynamics *dynamics, const double *parameters,
                           const double *modes);

/// Sets branch k of its own, +1 or -1.
void carom_watch_branch(const carom_watch *watch, carom_watch_work *work, int k, double value);

/// The Taylor coefficients of g on the tried step, work->degree + 1 of them: from now on bounds are
/// those of this polynomial, and so are values where they are not wrong by more than a small part
/// of `tolerance`.
void carom_watch_follow(carom_watch_work *work, const carom_stepper *stepper,
                        const double *coefficients, double tolerance);

/// g alone at (t, y).
double carom_watch_at(const carom_watch *watch, carom_watch_work *work, double t, const double *y);
/// dg/dt at (t, y) for given rates y'.
double carom_watch_rate(const carom_watch *watch, carom_watch_work *work, double t, const double *y,
                        const double *rate);
/// g at (t, y) for given rates y' (a function may use accelerations).
double carom_watch_rate_value(const carom_watch *watch, carom_watch_work *work, double t,
                              const double *y, const double *rate);
/// g and dg/dt at once, for given rates y'.
void carom_watch_both(const carom_watch *watch, carom_watch_work *work, double t, const double *y,
                      const double *rate, double *value, double *slope);
/// sum |dg/dy_i| weight_i: how far g moves when each component moves by its weight.
double carom_watch_spread(const carom_watch *watch, carom_watch_work *work, double t,
                          const double *y, const double *weight);
/// Moves y onto g = 0, the shortest way; returns the size of the rate of g at `rate`: the sum of
/// |dg/dy_i| |rate_i|.
double carom_watch_bring(const carom_watch *watch, carom_watch_work *work, double t, double *y,
                         const double *rate);
/// g, g', g'' with respect to theta on the tried step of `stepper`, at theta.
void carom_watch_value(const carom_watch *watch, carom_watch_work *work,
                       const carom_stepper *stepper, double theta, double g[3]);
/// Enclosures of the same over [a, b].
void carom_watch_bound(const carom_watch *watch, carom_watch_work *work,
                       const carom_stepper *stepper, double a, double b, carom_interval g[3]);

/// An enclosure of g alone over [a, b]: cheaper, and mostly enough.
carom_interval carom_watch_range(const carom_watch *watch, carom_watch_work *work,
                                 const carom_stepper *stepper, double a, double b);

#endif
