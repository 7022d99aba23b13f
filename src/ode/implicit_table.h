// SPDX-License-Identifier: MIT
/// Radau IIA methods as tables.
#ifndef CAROM_ODE_IMPLICIT_TABLE_H
#define CAROM_ODE_IMPLICIT_TABLE_H

enum { CAROM_RADAU_MOST = 5, CAROM_RADAU_PAIRS = (CAROM_RADAU_MOST - 1) / 2 };

/// Collocation at `stages` (3 or 5) nodes, of order 2 stages - 1. With the stages mixed by
/// A^-1 = mix diag(gamma, (alpha, beta; -beta, alpha), ...) unmix the Newton system falls apart
/// into a real one and one complex one for every pair (Hairer and Wanner II, IV.8).
typedef struct carom_radau {
  int stages;
  double node[CAROM_RADAU_MOST];
  double a[CAROM_RADAU_MOST][CAROM_RADAU_MOST], inverse[CAROM_RADAU_MOST][CAROM_RADAU_MOST];
  double mix[CAROM_RADAU_MOST][CAROM_RADAU_MOST], unmix[CAROM_RADAU_MOST][CAROM_RADAU_MOST];
  double gamma, alpha[CAROM_RADAU_PAIRS], beta[CAROM_RADAU_PAIRS];
  /// (gamma/h - J) err = f(y) + sum_i error[i] z_i / h: what the slope at the start of the step is
  /// beside that of the polynomial through 0 and the stages z_i, of order stages
  double error[CAROM_RADAU_MOST];
} carom_radau;

const carom_radau *carom_radau_table(int stages);

/// The Lagrange polynomials of the stages (0 at the start of the step) at theta, and their slopes
/// (nullable).
void carom_radau_basis(const carom_radau *table, double theta, double *value, double *slope);

#endif
