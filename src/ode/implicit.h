// SPDX-License-Identifier: MIT
/// Radau IIA for small stiff systems: strong damping in a contact does not shorten its steps
/// (Hairer and Wanner, Solving ODEs II, 2nd ed., IV.5 and IV.8). Three stages, of order 5, or five,
/// of order 9, where many digits are wanted. The Jacobian is found by differences; the Newton
/// system of the stages falls apart into real and complex ones of the size of the state.
///
/// The moves are those of stepper.h: `try` computes and accepts a step and keeps both ends,
/// `shorten` repeats it over a smaller length, `commit` makes its end the state.
#ifndef CAROM_ODE_IMPLICIT_H
#define CAROM_ODE_IMPLICIT_H

#include "ode/implicit_table.h"
#include "ode/stepper.h"

/// The stages of the tried step.
typedef struct carom_implicit_stages {
  double *stage[CAROM_RADAU_MOST]; // y(t + c_i h) - y
  double *slope[CAROM_RADAU_MOST];
  double *change[CAROM_RADAU_MOST]; // Newton's last
  double *work, *trial;
  double previous_h; // of the step that they belong to before a new one is tried; 0: none
} carom_implicit_stages;

/// The Jacobian and the factors of Newton's system.
typedef struct carom_implicit_matrix {
  double *jacobian; // rows of all states, columns of the active ones
  double *real, *complex_re[CAROM_RADAU_PAIRS], *complex_im[CAROM_RADAU_PAIRS];
  int *real_pivot, *complex_pivot[CAROM_RADAU_PAIRS];
  double factored_h; // step that the factors belong to; 0: none
  bool fresh;        // the Jacobian belongs to the present state
  bool eigen_known;  // stiffness and decay belong to the Jacobian
} carom_implicit_matrix;

/// How Newton's iteration goes.
typedef struct carom_implicit_newton {
  double slack;       // what the error estimate is measured with, in tolerances
  double contraction; // of the last iteration
  double last_change; // its size, in tolerances
  double ahead;       // how much of a change is still ahead, in parts of it
  double beside_off;  // error of integrals beside by the Jacobian, for a change of one tolerance
  int calm, patience; // steps that converged well in a row; how many ask for five stages again
} carom_implicit_newton;

typedef struct carom_implicit {
  int n;
  double t, h, t1;
  double *y, *f;   // at t
  double *y1, *f1; // at t1, valid after `try`
  double h_next;
  double stiffness; // largest modulus of an eigenvalue, as carom_implicit_spectrum found it last
  double decay;     // the same among those that die within a dozen swings
  long steps, rejected, evaluations, jacobians;
  double beside; // set by the caller: error allowed per step in an integral beside; 0: any
  // private
  int active; // leading states that f depends on; the others are integrals beside
  carom_rhs rhs;
  void *ctx;
  carom_stepper_options options;
  const carom_radau *table;
  carom_implicit_stages stages;
  carom_implicit_matrix matrix;
  carom_implicit_newton newton;
  bool exact; // f is an evaluation, not what a step left
} carom_implicit;

/// Fills `it` (caller's struct) with room for n states from `arena`. options->controlled (0: all)
/// says how many leading states f depends on. Error control looks at those.
carom_status carom_implicit_init(carom_implicit *it, carom_arena *arena, int n, carom_rhs rhs,
                                 void *ctx, const carom_stepper_options *options,
                                 carom_error *error);

/// Sets the state and evaluates f. `h` > 0 is the first step to try. options.rtol decides how many
/// stages there are.
carom_status carom_implicit_start(carom_implicit *it, double t, const double *y, double h,
                                  carom_error *error);

/// After `commit`: the state is moved a little, by a correction of the size of the step's error.
/// What the stepper knows of the motion (Jacobian, guess, length) is kept.
void carom_implicit_amend(carom_implicit *it, const double *y);

/// As carom_stepper_try, _shorten and _commit.
carom_status carom_implicit_try(carom_implicit *it, double t_end, carom_error *error);
carom_status carom_implicit_shorten(carom_implicit *it, double h, carom_error *error);
void carom_implicit_commit(carom_implicit *it);

/// As carom_stepper_remember and _recall.
int carom_implicit_remember(const carom_implicit *it, double *numbers);
void carom_implicit_recall(carom_implicit *it, double t, const double *y, const double *numbers);

/// y and dy/dt (nullable) of the collocation polynomial at t + theta h; after `try`.
void carom_implicit_dense(const carom_implicit *it, double theta, double *y, double *dy);

/// Fills stiffness (NaN: not found) and decay from the last Jacobian.
void carom_implicit_spectrum(carom_implicit *it);

/// The largest modulus of an eigenvalue of df/dy at (t, y), with f given: how stiff it is there.
/// NaN when it cannot be found.
double carom_implicit_stiffness(carom_implicit *it, double t, const double *y, const double *f);

#endif
