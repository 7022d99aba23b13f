// SPDX-License-Identifier: MIT
/// Solutions of F(x, p) = 0 that depend on a parameter: Newton's method at a fixed parameter or
/// along a branch, where the parameter is one more unknown.
#ifndef CAROM_ANALYSIS_BRANCH_H
#define CAROM_ANALYSIS_BRANCH_H

#include "analysis/ring.h"
#include "base/error.h"

#include <stdbool.h>

enum {
  CAROM_BRANCH_MOST = 2048, // unknowns, of a ring of equations
  CAROM_DENSE_MOST = 67     // of others, and the parameter
};

/// Derivatives of F by the unknowns and by the parameter, and where; not of a ring.
typedef struct carom_branch_slopes {
  bool known;
  double x[CAROM_DENSE_MOST], p;
  double J[CAROM_DENSE_MOST * CAROM_DENSE_MOST], by_p[CAROM_DENSE_MOST];
} carom_branch_slopes;

/// As many equations as unknowns. J may be NULL (not wanted) and is row-major, or a ring's matrix.
typedef struct carom_branch_problem {
  int count;
  bool is_ring;
  carom_ring ring;
  void *ctx;
  carom_status (*residual)(void *ctx, const double *x, double p, double *F, double *J,
                           carom_error *error);
  const double *scale; // sizes of the unknowns, > 0: lengths are measured in them
  double scale_p;
  double low, high;     // Newton's method looks at no parameter beyond; both 0: at any
  const double *weight; // makes each equation a number of order 1
  const double *slope; // dF/dp taken as known, near a kink that differences would straddle; or NULL
  double *slope_seen;  // the last dF/dp found is written here; or NULL
  carom_branch_slopes
      *seen; // the same, with those by the unknowns, where it was not taken as known
  const carom_branch_slopes *near; // of a place nearby: tried before new ones are found; or NULL
  bool near_by; // points to correct are close to solutions: Newton's steps are taken as they are,
                // and looked at where they lead; tangents are left to the caller
  double drop;  // pivots below this part of the largest are zero; 0: rounding alone
} carom_branch_problem;

/// A point on a branch: the unknowns, the parameter, the unit tangent (in scaled unknowns).
typedef struct carom_branch_point {
  double x[CAROM_BRANCH_MOST], p;
  double tangent[CAROM_BRANCH_MOST], tangent_p;
} carom_branch_point;

typedef struct carom_branch_effort {
  int rounds;      // of Newton's method
  double residual; // what is left, weighted
  double first;    // length of the first step
} carom_branch_effort;

/// A step s along the tangent of `from`; the tangent stays.
void carom_branch_go(const carom_branch_problem *problem, const carom_branch_point *from, double s,
                     carom_branch_point *to);
/// A part of the way from a to b, at the parameter p.
void carom_branch_between(const carom_branch_problem *problem, const carom_branch_point *a,
                          const carom_branch_point *b, double part, double p,
                          carom_branch_point *to);
/// Moves one unknown, or the parameter (which = count), by an amount of its scale.
void carom_branch_shift(const carom_branch_problem *problem, carom_branch_point *point, int which,
                        double amount);
/// Unknowns that the problem does not have become zero.
void carom_branch_clip(const carom_branch_problem *problem, carom_branch_point *point);
/// The tangent gets length 1, unless it is zero; is turned round (sign -1); becomes that of another
/// point; is known to lead to one side of the parameter alone.
void carom_branch_make_unit(const carom_branch_problem *problem, carom_branch_point *point);
void carom_branch_face(const carom_branch_problem *problem, carom_branch_point *point, double sign);
void carom_branch_aim(carom_branch_point *point, const carom_branch_point *along);
void carom_branch_head(carom_branch_point *point, double sign);

/// Solves A x = b (n x n, both destroyed, x in b) with full pivoting; unknowns whose pivot is below
/// `drop` of the largest stay 0, and `left` (may be NULL) is the largest right-hand side of the
/// equations that go unsolved with them. Returns the rank.
int carom_branch_solve(int n, double *A, double *b, double drop, double *left);

/// Newton's method from `point`, in the hyperplane through it across `direction` (count numbers and
/// one for the parameter, scaled); NULL: at a fixed parameter. With derivatives of a place nearby
/// Broyden's method is tried first, which needs none of its own. CAROM_ERR_NO_CONVERGENCE.
carom_status carom_branch_correct(const carom_branch_problem *problem, carom_branch_point *point,
                                  const double *direction, double tolerance, int most,
                                  carom_branch_effort *effort, carom_error *error);

/// Sets the unit tangent of the branch at a point on it, in the direction of the old one.
carom_status carom_branch_tangent(const carom_branch_problem *problem, carom_branch_point *point,
                                  carom_error *error);

#endif
