// SPDX-License-Identifier: MIT
/// Inequalities g = c + A x >= 0 in x >= 0, as a table of exchanges: do they have a solution, and
/// how far does a linear form go on it? Pivots by size at first, by least index when there are many
/// (Terlaky's criss-cross 1985, Bland 1977), so that it ends.
#ifndef CAROM_FRICTION_LINEAR_PROGRAM_H
#define CAROM_FRICTION_LINEAR_PROGRAM_H

#include "base/arena.h"

typedef struct linear_program {
  int rows, columns; // inequalities and unknowns; the caller fills them and the table
  double *table;     // [rows][columns + 1] row by row: coefficients, then the constant
  double *form;      // [columns + 1] of the linear form
  int *row_name;     // [rows] what is on the left: unknown k, or columns + inequality k
  int *column_name;  // [columns]
} linear_program;

void linear_program_init(linear_program *g, carom_arena *arena, int most_rows, int most_columns);

typedef enum linear_outcome {
  LINEAR_POSSIBLE,
  LINEAR_IMPOSSIBLE, // a combination of the inequalities is below zero for every x >= 0
  LINEAR_DOUBTFUL    // too near to tell, or too many pivots
} linear_outcome;

/// Finds a point, or a proof that there is none. Violations up to `slack` are none.
linear_outcome linear_program_find(linear_program *g, double slack);

/// After LINEAR_POSSIBLE: raises factor.x as far as it goes and writes the point to x; where it has
/// no bound, a unit along the way that has none. False: too many pivots.
bool linear_program_raise(linear_program *g, const double *factor, double *x);

/// The unknowns of the point where the table stands.
void linear_program_point(const linear_program *g, double *x);

#endif
