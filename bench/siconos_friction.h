// SPDX-License-Identifier: MIT
/// A friction problem by the solvers of Siconos, where it is installed.
#ifndef CAROM_BENCH_SICONOS_FRICTION_H
#define CAROM_BENCH_SICONOS_FRICTION_H

#include <stdbool.h>

/// How many solves of so many seconds to measure together: reading the clock takes 0.4 us, as long
/// as a small problem.
static inline int calls_in_a_row(double seconds) {
  const double enough = 5e-5;
  return seconds > enough ? 1 : seconds > 0.01 * enough ? (int)(enough / seconds) : 100;
}

#ifdef CAROM_BENCH_SICONOS
static const bool siconos_friction_is_here = true;

/// W [d n][d n], q [d n], mu [n] in the order normal, tangents of each contact. Gauss-Seidel (NSGS)
/// and Newton's method (NSN_AC) in space, Gauss-Seidel and Lemke's method in the plane, each with
/// the matrix as it likes it best: returns the CPU time in seconds of the quickest that reaches
/// `tolerance` by its own measure, its name to `*solver` and its forces [d n]; < 0: none does.
double siconos_friction(int d, int n, const double *W, const double *q, const double *mu,
                        double tolerance, double *forces, const char **solver);
#else
static const bool siconos_friction_is_here = false;

static inline double siconos_friction(int d, int n, const double *W, const double *q,
                                      const double *mu, double tolerance, double *forces,
                                      const char **solver) {
  (void)d, (void)n, (void)W, (void)q, (void)mu, (void)tolerance, (void)forces, (void)solver;
  return -1.0;
}
#endif

#endif
