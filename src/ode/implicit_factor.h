// SPDX-License-Identifier: MIT
/// LU factors of small dense matrices, real and complex, with row exchanges. Complex matrices are
/// two real ones.
#ifndef CAROM_ODE_IMPLICIT_FACTOR_H
#define CAROM_ODE_IMPLICIT_FACTOR_H

#include <stdbool.h>

/// In place; false when the matrix is singular or not finite.
bool carom_factor_real(int n, double *M, int *pivot);
void carom_solve_real(int n, const double *M, const int *pivot, double *b);
bool carom_factor_complex(int n, double *re, double *im, int *pivot);
void carom_solve_complex(int n, const double *re, const double *im, const int *pivot, double *b_re,
                         double *b_im);

#endif
