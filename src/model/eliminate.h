// SPDX-License-Identifier: MIT
/// Symmetric systems of expressions, eliminated without pivoting: A = L D L^T.
#ifndef CAROM_MODEL_ELIMINATE_H
#define CAROM_MODEL_ELIMINATE_H

#include "symbolic/graph.h"

/// D (n) and the strict lower triangle of L (n x n), column by column.
void carom_eliminate(carom_graph *graph, int n, const carom_node *A, carom_node *pivot,
                     carom_node *lower);

/// x = A^-1 b by forward substitution, division, backward substitution.
void carom_eliminated_solve(carom_graph *graph, int n, const carom_node *pivot,
                            const carom_node *lower, const carom_node *b, carom_node *x);

#endif
