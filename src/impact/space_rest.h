// SPDX-License-Identifier: MIT
/// Friction of contacts at rest under given normal forces: with W the response of their tangents
/// and w their rates without it, the forces of least
///
///   T W T / 2 + w T,   |T_i| <= b_i.
///
/// At the least u = W T + w is zero where |T_i| < b_i, and T_i = -b_i u_i / |u_i| elsewhere: what
/// sticks, sticks, and what sets off does so against its friction. u is unique, T as far as W is
/// regular (De Saxce and Feng's friction of Tresca).
#ifndef CAROM_IMPACT_SPACE_REST_H
#define CAROM_IMPACT_SPACE_REST_H

#include "base/arena.h"

#include <stdbool.h>

typedef struct carom_space_rest {
  int contacts;      // m, at most as many as there is room for
  double *W, *w, *b; // [2m][2m], [2m], [m] the problem
  double *T, *u;     // [2m] in: a guess; out
  bool *slips;       // [m] u_i is not zero
  double *pull;      // [m] u_i = -pull_i T_i
  double *matrix, *right;
  int *pivot;
} carom_space_rest;

/// Room for so many contacts; false: out of memory.
bool carom_space_rest_create(carom_space_rest *rest, carom_arena *arena, int contacts);

void carom_space_rest_solve(carom_space_rest *rest);

#endif
