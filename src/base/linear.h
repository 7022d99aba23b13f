// SPDX-License-Identifier: MIT
/// Small dense linear algebra, row-major, in place, without allocation, in a fixed order of
/// operations so that results repeat bit for bit.
#ifndef CAROM_BASE_LINEAR_H
#define CAROM_BASE_LINEAR_H

#include <stdbool.h>

/// Solves A x = b for symmetric positive semidefinite A (n x n, destroyed) by a Cholesky
/// decomposition with diagonal pivoting. Rows whose pivot falls below `drop` times the largest
/// diagonal element depend on the others: their unknowns are 0. `b` becomes x; `order` is room for
/// n integers. Returns the rank.
int carom_solve_semidefinite(int n, double *A, double *b, double drop, int *order);

/// LU decomposition with partial pivoting of A (n x n, destroyed) and solution for one right-hand
/// side, b becomes x. Returns false when a pivot is zero or not finite.
bool carom_solve_general(int n, double *A, double *b, int *pivot);

/// Eliminates a symmetric A (n x n, destroyed but for its diagonal) as far as it is positive
/// definite: returns the first row whose pivot is not above `least` times its diagonal element, and
/// that pivot; n: there is none.
int carom_find_not_positive(int n, double *A, double least, double *pivot);

double carom_dot(int n, const double *a, const double *b);
/// Takes away from v its parts along `count` orthonormal vectors, one behind the other in `basis`;
/// returns the length of what is left.
double carom_orthogonalise(int n, double *v, int count, const double *basis);
double carom_norm_max(int n, const double *a); // NaN when an element is NaN

#endif
