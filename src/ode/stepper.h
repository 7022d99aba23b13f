// SPDX-License-Identifier: MIT
/// Explicit Runge-Kutta of order 8 with error control and a dense output of order 7 (the 8(5,3)
/// pair of Dormand and Prince; Hairer, Norsett, Wanner, Solving ODEs I, 2nd ed., II.5 and II.6).
///
/// A step is taken in two moves, so that an event inside it costs no accuracy: `try` computes and
/// accepts a step from (t, y) to (t + h, y1) and keeps both ends; the caller looks for events on
/// the dense output; then either `commit` makes y1 the state, or `shorten` repeats the step with a
/// smaller h that ends exactly at the event (a true step, not an interpolated one) before `commit`.
///
/// Where the owner knows the Taylor series of the motion (carom_stepper_series), a step is that
/// polynomial instead: it is as exact at every point as at its end, so that it is its own dense
/// output, and ends at an event without being computed again.
#ifndef CAROM_ODE_STEPPER_H
#define CAROM_ODE_STEPPER_H

#include "base/arena.h"
#include "base/error.h"
#include "base/interval.h"

enum { CAROM_DENSE_DEGREE = 7, CAROM_SERIES_DEGREE = 16 };

/// A step by series is about so much longer than one by Runge-Kutta.
#define CAROM_SERIES_REACH 4.0

/// dydt = f(t, y). Returns CAROM_OK, or CAROM_ERR_NONFINITE where f has no finite value (the step
/// is then tried again smaller; an error only when that does not help), or another error, which is
/// final.
typedef carom_status (*carom_rhs)(void *ctx, double t, const double *y, double *dydt);

/// Taylor coefficients of the motion through (t, y): coefficient k = 1 .. degree of component i
/// goes to c[k * n + i]. Same status as a right-hand side; CAROM_ERR_NONFINITE: there
/// is no series here, and the step is made without.
typedef carom_status (*carom_series)(void *ctx, double t, const double *y, double *c);

typedef struct carom_stepper_options {
  double rtol;         // relative local error per step
  double atol;         // absolute local error per step, in the units of the state
  const double *scale; // per-state multiplier of atol; NULL: all 1; 0 < scale
  int controlled;      // how many leading states the error control looks at; 0: all
  double h_max;        // longest step; 0: no bound
  double h_start;      // first step; 0: chosen from f and its slope
} carom_stepper_options;
carom_stepper_options carom_stepper_options_default(void); // rtol 1e-10, atol 1e-12

/// The dense output of a step, filled on demand:
/// y(t + (origin + s) h) = sum_j centre[j][i] s^j, j <= degree.
typedef struct carom_dense_output {
  double *centre[CAROM_SERIES_DEGREE + 1];
  double origin; // 1/2, the middle of the step; 0 of a series
  int degree;
  bool known; // of the present step
} carom_dense_output;

/// Steps by the Taylor series of the motion, where its owner knows it.
typedef struct carom_expansion {
  carom_series series;  // NULL: there is none
  int degree;           // below CAROM_SERIES_DEGREE where the motion is a polynomial
  double *coefficients; // rows of n
  double *edge;         // of its dense output: values, slopes, curvatures at the end, ranges
  double power[CAROM_SERIES_DEGREE + 1]; // of h: what its dense output is scaled by
  bool off;   // set by the owner while the series is not that of the right-hand side
  bool ready; // set by the owner: the coefficients at (t, y) are there already
  bool used;  // the last step tried was one; h_next is of that length
} carom_expansion;

/// Since creation.
typedef struct carom_stepper_counts {
  long steps, rejected, evaluations;
} carom_stepper_counts;

typedef struct carom_stepper {
  // the last accepted or the current step: from (t, y, f) over h to (t + h, y1, f1)
  int n;
  double t, h;
  double t1;       // the end of the tried step: t + h, or exactly the t_end asked for
  double *y, *f;   // at t
  double *y1, *f1; // at t1, valid after `try`
  double h_next;   // what error control proposes for the next step
  carom_dense_output dense;
  carom_stepper_counts counts;
  // private
  carom_rhs rhs;
  void *ctx;
  carom_stepper_options options;
  double *slopes; // k_1 .. k_16, each `stride` apart; f and f1 lie among them
  size_t stride;
  double *work, *scratch; // one state each
  double grow;            // how much the next step may be longer
  int crawled;            // steps in a row that hardly moved time
  bool wide;              // the machine has AVX2
  carom_expansion expansion;
} carom_stepper;

/// Fills `stepper` (caller's struct) with room for n states from `arena`.
carom_status carom_stepper_init(carom_stepper *stepper, carom_arena *arena, int n, carom_rhs rhs,
                                void *ctx, const carom_stepper_options *options,
                                carom_error *error);

/// Makes steps by Taylor series from now on, where there is one. A degree below CAROM_SERIES_DEGREE
/// promises that all higher coefficients vanish. The owner may change the degree between steps,
/// if it writes the coefficients of CAROM_SERIES_LEAST powers at least; `more` numbers behind the
/// last coefficient are its own. Room from `arena`.
enum { CAROM_SERIES_LEAST = 3 };
carom_status carom_stepper_series(carom_stepper *stepper, carom_arena *arena, int degree, int more,
                                  carom_series series, carom_error *error);

/// Another number of states, at most as many as the stepper was made for; its state is lost. To be
/// followed by carom_stepper_start(). `options.controlled` and `options.scale` are the caller's.
void carom_stepper_resize(carom_stepper *stepper, int n);

/// Sets the state and evaluates f. `h` > 0 keeps a known step size (after a reset), 0 chooses one.
carom_status carom_stepper_start(carom_stepper *stepper, double t, const double *y, double h,
                                 carom_error *error);

/// A next step of length h at most, shorter than error control would allow: it may grow fast again.
/// Returns what to start the stepper with.
double carom_stepper_cut(carom_stepper *stepper, double h);

/// Finds an accepted step not beyond `t_end` (when the step would end within rounding of t_end it
/// ends exactly there). CAROM_ERR_STEP when h underflows, CAROM_ERR_NONFINITE with the time when f
/// stays non-finite.
carom_status carom_stepper_try(carom_stepper *stepper, double t_end, carom_error *error);

/// Repeats the tried step with length h < stepper->h. The dense output is dropped.
carom_status carom_stepper_shorten(carom_stepper *stepper, double h, carom_error *error);

/// Ends the tried step at t + theta h, 0 < theta <= 1, with the values of its dense output and one
/// evaluation of f: cheaper than `shorten`, and less accurate by the error of the dense output. The
/// dense output is dropped.
carom_status carom_stepper_interpolate(carom_stepper *stepper, double theta, carom_error *error);

/// Moves the end of the tried or shortened step by a small dt (of either sign) along the flow, with
/// one evaluation of f. The error is of the size dt^3: meant for the last bits of an event's time,
/// where dt is of the size of the local error. The dense output is dropped.
carom_status carom_stepper_nudge(carom_stepper *stepper, double dt, carom_error *error);

/// Makes `beside`, of as many states, stand where `stepper` has tried its step from, with that step
/// tried and nothing known of it but its end: it can be shortened and nudged there, and `stepper`
/// keeps its own.
void carom_stepper_stand_beside(carom_stepper *beside, const carom_stepper *stepper);

/// Makes y1 the state. The dense output is dropped; y and f keep their addresses.
void carom_stepper_commit(carom_stepper *stepper);

/// What a stepper by Runge-Kutta alone remembers between two steps beside its time and state, as
/// numbers: a stepper that is given them back goes on with the same bits. Returns how many;
/// numbers NULL: says so only.
int carom_stepper_remember(const carom_stepper *stepper, double *numbers);
/// To (t, y), in the midst of a motion that was remembered there.
void carom_stepper_recall(carom_stepper *stepper, double t, const double *y, const double *numbers);

/// Computes the dense coefficients of the tried step if not yet there (3 evaluations of f).
carom_status carom_stepper_dense(carom_stepper *stepper, carom_error *error);

/// y, dy/dt and d2y/dt2 (nullable) of the dense output at time t + theta h, 0 <= theta <= 1.
void carom_dense_eval(const carom_stepper *stepper, double theta, double *y, double *dy,
                      double *ddy);
/// Value and slope of the states under error control; others may be left as they are.
void carom_dense_states(const carom_stepper *stepper, double theta, double *y, double *dy);

/// The same three of component i alone, one of those under error control.
void carom_dense_component(const carom_stepper *stepper, int i, double theta, double y[3]);

/// |dy_i/dt - f_i(t, y)| at time t + theta h of the dense output, which is there: one evaluation of
/// f.
carom_status carom_stepper_defect(carom_stepper *stepper, double theta, int i, double *defect);

/// Is |y_i| within a tolerance at theta = k / count, k = 0 .. count - 1? `count` is a multiple
/// of 4.
bool carom_dense_within(const carom_stepper *stepper, int i, int count, double tolerance);

/// A range of component i (under error control) over the whole step.
carom_interval carom_dense_range(const carom_stepper *stepper, int i);
/// Enclosures of the same over theta in [a, b], component i alone, likewise (ranges nullable).
void carom_dense_bound(const carom_stepper *stepper, int i, double a, double b, carom_interval *y,
                       carom_interval *dy, carom_interval *ddy);

/// Value and first two derivatives of sum_j c_j theta^j, j <= degree <= CAROM_SERIES_DEGREE.
void carom_polynomial_value(int degree, const double *c, double theta, double g[3]);
/// Enclosures of the same over [a, b] within [0, 1]; `noise` is what they may be wrong by.
void carom_polynomial_bound(int degree, const double *c, double a, double b, const double noise[3],
                            carom_interval g[3]);
/// Of the value alone over [0, 1].
carom_interval carom_polynomial_range(int degree, const double *c, double noise);

#endif
