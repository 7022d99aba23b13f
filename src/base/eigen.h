// SPDX-License-Identifier: MIT
/// Eigenvalues of small real matrices without symmetry.
#ifndef CAROM_BASE_EIGEN_H
#define CAROM_BASE_EIGEN_H

#include <stdbool.h>

/// Doubles of work space needed for an n x n matrix.
int carom_eigen_workspace(int n);

/// Eigenvalues of A (n x n, row-major, kept) as real and imaginary parts, largest real part first,
/// then largest imaginary part. Reduction to Hessenberg form, then the QR iteration with Wilkinson
/// shifts in complex arithmetic (Golub and Van Loan, Matrix Computations, 4th ed., 7.4-7.5).
/// Returns false when it does not converge or A is not finite.
bool carom_eigenvalues(int n, const double *A, double *work, double *re, double *im);

#endif
