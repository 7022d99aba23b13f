// SPDX-License-Identifier: MIT
/// Finds the first root of each of several functions g_k(theta), theta in [0, 1], along a step, and
/// proves that there is none before it. A function is known by its value and first two derivatives
/// at a point and by enclosures of these over an interval:
///   no zero in g([a,b])                       -> no root there
///   no zero in g'([a,b])                      -> monotone: the ends decide
///   no zero in g''([a,b])                     -> one extremum: three values decide
///   otherwise                                 -> bisect
/// Mean-value forms sharpen the enclosures, so a few subdivisions are enough.
#ifndef CAROM_ODE_ROOT_H
#define CAROM_ODE_ROOT_H

#include "base/error.h"
#include "base/interval.h"

typedef enum carom_direction {
  CAROM_FALLING = -1,
  CAROM_ANY = 0,
  CAROM_RISING = 1
} carom_direction;

/// The functions along one step. Derivatives are with respect to theta.
typedef struct carom_root_functions {
  void *ctx;
  int count;
  /// g, g', g'' of function k at theta. Without `bound` only g[0] is asked for.
  void (*value)(void *ctx, int k, double theta, double g[3]);
  /// Enclosures of g, g', g'' of function k over [a, b]. NULL: only values are known (functions
  /// written in C without bounds); then a polynomial through Chebyshev points stands in, with its
  /// degree raised until the interpolation error is small against the distance from zero.
  void (*bound)(void *ctx, int k, double a, double b, carom_interval g[3]);
  /// Nullable. An enclosure of function k over the whole step that is cheaper than `bound`: most
  /// steps are decided by it. True where the function surely has a value at every point.
  bool (*range)(void *ctx, int k, carom_interval *g);
} carom_root_functions;

/// What is watched of one function, and where it stands at theta = 0.
typedef struct carom_root_watch {
  carom_direction direction;
  bool active;
  int side;   // the sign g has at theta = 0 by what is known, where g itself is too near zero to
              // tell (an open gap is positive); 0: unknown
  bool sided; // side is known whatever g is: where g(0) has the other sign, not on its root, it has
              // crossed where the step before ended, and does so at 0
  bool served;       // the root at theta = 0 has just been dealt with: it must be left first
  double tolerance;  // |g| accepted as zero: the width of a graze, and of a start on the root
  bool skip_grazing; // a graze is passed over instead of reported
  double resolution; // values of theta no farther apart need not be told apart; 0: all are
  bool set_aside;    // not looked for by the next search
  int clear;         // noted by whoever asks: the side on which a range shows it to stay; 0: none
} carom_root_watch;

typedef enum carom_root_kind {
  CAROM_ROOT_NONE,
  CAROM_ROOT_CROSSING,  // g changes sign in the watched direction
  CAROM_ROOT_GRAZING,   // g has an extremum with |g| <= tolerance and does not change sign
  CAROM_ROOT_FLAT,      // |g| <= tolerance over an interval: g is identically zero there
  CAROM_ROOT_NONFINITE, // g has no finite value at theta
  CAROM_ROOT_UNDECIDED  // too much work: no root up to theta, beyond it g was not searched
} carom_root_kind;

typedef struct carom_root {
  carom_root_kind kind;
  int function;
  carom_direction direction; // of a crossing; of a graze the way towards zero
  double theta;              // for a crossing the right end: the first double with the new sign, or
                             // one that cannot be told from it by resolution
} carom_root;

/// The side of zero on which the range of a function over the whole step (functions->range) shows
/// it to stay, so that a search finds nothing; 0: it does not show that.
int carom_root_clear_side(const carom_root_functions *functions, int k,
                          const carom_root_watch *watch);

/// Finds the earliest root of the active functions in (0, 1] and all others that coincide with it
/// (within `tie` of theta). A function that starts on its root (|g(0)| <= tolerance, or up to a
/// thousand times that where it was `served`) does not report that root again: it must leave first.
/// A function that ends the step within its tolerance of zero, and by its slope would be there
/// within `tie`, reports a root at 1. Writes at most `room` roots in order of (theta,
/// function); returns how many; 0: proven that there is none. Never loops for ever: below a width
/// of 4 ulp an undecided interval counts as a graze if |g| is within the tolerance there, otherwise
/// as no root.
int carom_root_first(const carom_root_functions *functions, const carom_root_watch *watch,
                     double tie, int room, carom_root *roots);

/// Narrows enclosures of g, g', g'' over an interval of width w by the value and the slope of g at
/// its two ends.
void carom_root_sharpen(const double left[2], const double right[2], double w, carom_interval g[3]);

/// The first root in (0, 1] of a polynomial sum c_j theta^j, j <= degree <= CAROM_ROOT_DEGREE.
enum { CAROM_ROOT_DEGREE = 16 };
carom_root carom_root_polynomial(int degree, const double *c, const carom_root_watch *watch);

#endif
