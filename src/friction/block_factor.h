// SPDX-License-Identifier: MIT
/// Sparse LU decomposition of a matrix of small dense blocks (2x2 or 3x3) with a symmetric pattern,
/// in an order of least degree. Rows are exchanged within a block only: what is solved here is
/// made regular before. The order of all sums is fixed.
#ifndef CAROM_FRICTION_BLOCK_FACTOR_H
#define CAROM_FRICTION_BLOCK_FACTOR_H

#include "base/arena.h"

#include <stdint.h>

typedef struct block_factor {
  int d, most;
  int n;                    // rows in use
  int *order;               // [n] contact of each place
  int *place;               // [contacts] place of each contact, -1: not in use
  uint64_t *graph, *places; // [most][words] neighbours while ordering; the pattern by places
  int words;
  int *degree;
  // row k: columns row_start[k] .. row_start[k + 1] - 1, ascending, of which those from diagonal[k]
  // on belong to U
  int *row_start, *columns, *diagonal;
  double *values;  // [entries][d d]
  double *row;     // [most][d d] the row being eliminated
  double *inverse; // [most][d d] of the diagonal blocks of U
} block_factor;

/// Takes its memory; who calls asks the arena whether all was given.
void block_factor_init(block_factor *f, carom_arena *arena, int d, int most);

/// Orders the contacts for which `active` holds, for a pattern given row by row (each pattern entry
/// counts for both directions), and finds where entries of the factors will be.
void block_factor_order(block_factor *f, int contacts, const int *start, const int *column,
                        const bool *active);

/// Decomposes: `fill(ctx, contact, row)` must set the blocks of the contact's row at
/// row[place][d d] (which is zero before). Returns false where a diagonal block is singular.
bool block_factor_decompose(block_factor *f,
                            void (*fill)(void *ctx, int contact, const int *place, double *row),
                            void *ctx);

/// Solves for `b` [contacts d], of which the parts of active contacts become the solution.
void block_factor_solve(const block_factor *f, double *b, double *room);

#endif
