// SPDX-License-Identifier: MIT
/// Inside the friction room: the problem in scaled form, the iterate, and the methods that move it.
#ifndef CAROM_FRICTION_FRICTION_INTERNAL_H
#define CAROM_FRICTION_FRICTION_INTERNAL_H

#include "friction/block_factor.h"
#include "friction/friction.h"

#include <stdint.h>

enum { FRICTION_MOST = 3 }; // components of a contact

/// A residual that counts as solved where rounding allows no less.
#define FRICTION_ENOUGH 1e-10

/// The problem with contact i measured in units of its own: r = r^ scale unit, v = v^ unit / scale,
/// both powers of two, so that diagonal blocks of W^ and the largest q^ are near 1. Coulomb's law
/// does not see it, since a contact has one scale.
typedef struct friction_problem {
  int d, n;      // components, contacts
  int *start;    // [n + 1]
  int *column;   // [blocks], ascending in each row, the diagonal always among them
  int *diagonal; // [n] the block of contact i with itself
  double *block; // [blocks][d][d]
  double *q;     // [n d]
  double *mu;    // [n]
  double *floor; // [n]
  double *scale; // [n]
  double *back;  // [n] 1 / scale
  double *turn;  // [n d] +1 or -1: tangents are turned so that q^_T >= 0, mirrored problems are one
  double *step;  // [n] 1 / size of the diagonal block: what a velocity asks of a force
  double unit;   // of q
  double fastest; // largest |q_i| of the caller
  bool frictionless;
} friction_problem;

/// Forces, velocities W^ r^ + q^, and how good they are.
typedef struct friction_iterate {
  double *r, *v; // [n d]
  double residual;
  int worst;
} friction_iterate;

/// Newton's method: A dv + B dr = right of each contact.
typedef struct friction_newton_arrays {
  double *velocity_part, *force_part; // [n][d][d]
  double *right, *change, *moved;     // [n d]
  double *try_r, *try_v, *moving;     // [n d]
} friction_newton_arrays;

struct carom_friction_workspace {
  int d, most;
  friction_problem problem;
  block_factor factor;
  friction_iterate now, best, kept, spare;
  friction_newton_arrays newton;
  double *centre; // [n d]
  bool *active;   // [n] has unknowns of its own
  int *slot;      // [n] of a row being sorted
  // pivoting (in the plane) and enumeration
  struct friction_tableau *tableau;
  struct friction_enumeration *enumeration;
  struct friction_proof *proof;
  bool has_other; // `kept` is another solution
  // for the caller
  carom_friction_view view;
  carom_friction_mode *modes;
  double *forces, *velocities, *other_forces, *other_velocities;
};

// ---- friction_problem.c

/// Refuses what is no problem, with words.
carom_status friction_check(const carom_friction_options *options, carom_error *error);
/// Fills the scaled problem.
void friction_scale(const carom_friction_options *options, carom_friction_workspace *work);
/// The largest entry of W^, for what counts as rounding.
double friction_largest(const friction_problem *p);
/// v = W^ r + q^ (`with_q` false: without).
void friction_velocities(const friction_problem *p, const double *r, bool with_q, double *v);
/// Computes v, residual and worst of an iterate from its r.
void friction_rate(const friction_problem *p, friction_iterate *it);
/// The same where v is known.
void friction_judge(const friction_problem *p, friction_iterate *it);
void friction_copy_forces(const friction_problem *p, const friction_iterate *from,
                          friction_iterate *to);
void friction_copy_iterate(const friction_problem *p, const friction_iterate *from,
                           friction_iterate *to);

// ---- friction_local.c

/// One contact alone, v = D r + b: writes r; where there is no solution the nearest thing to it.
void friction_local(int d, const double *D, const double *b, double mu, double floor, double *r);

enum { FRICTION_ALONE = 10 };

/// All solutions of one contact in space without a floor, those within 1e-7 as one; returns their
/// number, -1 where it cannot be told (a block that is nearly singular, a direction left open).
int friction_all_alone(const double *D, const double *b, double mu, double (*r)[FRICTION_MOST]);

// ---- friction_sweep.c

/// Turns over all contacts, each solved with the others held (block Gauss-Seidel), `count` times.
void friction_sweep(const friction_problem *p, int count, double *r);

// ---- friction_newton.c

typedef struct friction_newton_options {
  int most;             // linear systems at most
  double goal;          // residual
  double regular;       // added to the diagonal of W^, in each step relative to where it starts
  double steepness;     // factor on the steps of the projection
  bool always_whole;    // no line search
  const double *centre; // of a proximal problem: v + regular (r - centre) in place of v; or NULL
} friction_newton_options;

/// Newton's method on the projections of Alart and Curnier (1991), from and to `now`; `best` keeps
/// the best. Returns the number of systems solved.
int friction_newton(carom_friction_workspace *work, const friction_newton_options *options);

/// Proximal problems one after the other, each around the solution of the last, with a weight that
/// falls while they are solved (Rockafellar 1976). From and to `now`, as
/// above.
int friction_proximal(carom_friction_workspace *work, double goal, double steepness, int rounds);

#endif
