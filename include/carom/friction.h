// SPDX-License-Identifier: MIT
/// Coulomb friction at many contacts at once, for a matrix of one's own (docs/theory-friction.md).
///
/// Contact i has a force r_i = (r_N, r_T) and a velocity v_i = (v_N, v_T), one normal and one (in
/// the plane) or two (in space) tangential components each, in this order. Wanted are forces r with
///
///   v = W r + q,    0 <= r_N  complementary to  v_N >= 0,    |r_T| <= mu r_N,
///   v_T = 0   or   r_T = -mu r_N v_T / |v_T|,
///
/// for given W (any matrix: neither symmetric nor regular), q and mu >= 0. They may be forces and
/// accelerations, or impulses and velocities: the words are those of the second.
///
/// What may be said of solutions is said with its reason, and no more: `carom_friction_verdict`.
#ifndef CAROM_FRICTION_H
#define CAROM_FRICTION_H

#include "carom/status.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What is known of the number of solutions. "Several" are proved by two that were found.
typedef enum carom_friction_verdict {
  CAROM_FRICTION_NONE_FOUND, // the search ended without one; that there is none is not proved
  CAROM_FRICTION_ONE_FOUND,  // one; that there is no other is not proved
  CAROM_FRICTION_NONE,       // proved: there is none
  CAROM_FRICTION_ONE,        // proved: this one and no other
  CAROM_FRICTION_SEVERAL     // two were found
} carom_friction_verdict;

/// What a contact does. With a floor, LIFTED: v_N > 0 though it carries its floor, with friction.
typedef enum carom_friction_mode {
  CAROM_FRICTION_OPEN,  // r = 0, v_N >= 0
  CAROM_FRICTION_STICK, // v = 0
  CAROM_FRICTION_SLIP,  // v_N = 0, r_T = -mu r_N v_T / |v_T|
  CAROM_FRICTION_LIFTED
} carom_friction_mode;

/// Start from carom_friction_options_default(). All arrays are borrowed during the call.
typedef struct carom_friction_options {
  int dimension; // components of a contact: 2 in the plane, 3 in space
  int contacts;
  // the matrix: either dense, or its blocks that are not zero, row by row of contacts
  const double *W;         // [dimension contacts][dimension contacts], or NULL
  const int *block_start;  // [contacts + 1] the blocks of row i are block_start[i] and following
  const int *block_column; // [blocks] the other contact, each once a row
  const double *block;     // [blocks][dimension][dimension]
  const double *q;         // [dimension contacts]
  const double *mu;        // [contacts]
  // [contacts] least r_N >= 0, NULL: all 0. Then 0 <= r_N - floor complementary to v_N >= 0, and
  // friction acts with r_N: the expansion of an impact
  const double *floor;
  const double *start; // [dimension contacts] forces to start from, NULL: none. Near the solution
                       // they save time; where there are several they may choose
  double tolerance;    // the residual that is aimed at; what was reached is told
  bool prove;          // ask how many solutions there are, where that can be answered
  int sweeps;          // the most work: turns of the fallback over all contacts
  size_t size;         // set by the default function; proves that it was used
} carom_friction_options;
CAROM_API carom_friction_options carom_friction_options_default(void);

typedef struct carom_friction_solution carom_friction_solution;

/// What was found. Arrays belong to the solution; without one (`found` false) they hold the best
/// that was met.
typedef struct carom_friction_view {
  // the residual is at most `tolerance`, or 1e-10 where rounding allows no less. Forces that would
  // cause velocities beyond 1e8 times q are no solution: q would be lost in their rounding
  bool found;
  carom_friction_verdict verdict;
  // the velocities are those of every solution (proved), though forces may be several
  bool velocities_unique;
  const char *reason; // of the verdict, in words
  int dimension, contacts;
  const double *forces, *velocities; // [dimension contacts]
  const carom_friction_mode *modes;  // [contacts]
  // where there are several: another
  const double *other_forces, *other_velocities; // or NULL
  // The largest violation of cone, velocity and Coulomb's law. With R the largest |r_i| or floor
  // and V the largest |v_i| or |q_i| (Euclidean lengths, of contacts), a contact violates the law
  // by the least of
  //   max(|r|/R, -v_N/V)                                      as an open contact,
  //   max(|v|/V, -r_N/R, (|r_T| - mu r_N)/R)                  as a sticking one,
  //   max(|v_N|/V, -r_N/R, |r_T + mu r_N v_T/|v_T||/R)        as a slipping one
  // (with a floor: r_N - floor in place of r_N in -r_N/R; and as a lifted one, max(-v_N/V,
  // |r_N - floor|/R and the tangential terms of sticking or slipping)), v = W r + q computed anew.
  double residual;
  int worst;      // the contact of the residual
  int newton;     // linear systems that were solved
  int sweeps;     // turns over all contacts
  int pivots;     // of the complementarity problem
  long long sets; // sets and part-sets of modes that were looked at for the proof
} carom_friction_view;

/// Solves the problem. CAROM_OK whenever it was well posed: whether a solution was found is said by
/// the view. CAROM_ERR_ARGUMENT: sizes, coefficients or blocks out of range; CAROM_ERR_NONFINITE: a
/// number is NaN or infinite. The caller destroys the solution; NULL on an error. Threads may solve
/// at the same time. The same problem gives the same bits on every machine.
CAROM_API carom_status carom_friction_solve(const carom_friction_options *options,
                                            carom_friction_solution **solution, carom_error *error);
CAROM_API void carom_friction_solution_destroy(carom_friction_solution *solution); // NULL is legal
CAROM_API const carom_friction_view *
carom_friction_solution_look(const carom_friction_solution *solution);

#ifdef __cplusplus
}
#endif
#endif
