// SPDX-License-Identifier: MIT
/// Two small optimisation problems with a handful of unknowns: the largest minimum of affine
/// functions, and the least-norm point of a polyhedron.
#ifndef CAROM_CONTACT_SMALL_PROGRAM_H
#define CAROM_CONTACT_SMALL_PROGRAM_H

#include "base/arena.h"

/// Functions f_i(z) = r_i + C_i . z, i < m, of z in R^k. The caller fills m, k, C, r.
typedef struct small_program {
  int m, k;
  double *C;      // [m][k]
  double *r;      // [m]
  double *z;      // [k] the answer
  double *weight; // [m] of the answer of the largest minimum: how much f_i holds it down
  // inner
  double *table, *column, *u, *trial, *w, *fold;
  int *row_variable, *column_variable;
  bool *passive;
} small_program;

/// Takes its memory; who calls asks the arena whether all was given (carom_arena_failures).
void small_program_init(small_program *program, carom_arena *arena, int max_m, int max_k);

/// Maximises min(cap, min_i f_i(z)); stops early when it has reached `enough`. Returns the maximum,
/// with z and the dual weights.
double small_program_max_min(small_program *g, double cap, double enough);

/// The z of least norm with all f_i(z) >= 0 (Lawson and Hanson 1974, chapter 23). Returns false
/// when none was found.
bool small_program_least(small_program *g);

#endif
