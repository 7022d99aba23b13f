// SPDX-License-Identifier: MIT
/// The Taylor series of a motion y' = f(t, y), made from the expressions of f: every coefficient is
/// an expression of t, y and parameters, and all of them together are one register program.
#ifndef CAROM_SYMBOLIC_SERIES_H
#define CAROM_SYMBOLIC_SERIES_H

#include "symbolic/program.h"

enum { CAROM_SERIES_ORDER = 16 }; // the highest power of time

/// What a series is made of. `rates` are nodes of `graph`; rates[i] belongs to states[i] for
/// i < state_count, the others are integrals along the motion.
typedef struct carom_series_task {
  carom_graph *graph; // gets more nodes: derivatives of operations without a recurrence
  int input_count;
  const carom_node *inputs; // SYMBOLs: time, states, parameters, as for carom_program_compile
  int state_count, count;
  const carom_node *states, *rates;
  int function_count;
  const carom_node *functions; // of time and states: what else is wanted as a series
  bool *has_series;            // per function, told: false where it has none and its outputs are 0
  int least_degree;            // with vanishing coefficients where there are no others
  int most_nodes;              // a series that needs more is not made
} carom_series_task;

/// Compiles a program over the same inputs with degree * (count + function_count) outputs: output
/// (k - 1) * count + i is the coefficient of (time since now)^k in component i, output
/// degree * (count + j) + k the one in function j, from the power 0 on. The degree is
/// CAROM_SERIES_ORDER, or less where all higher coefficients vanish (those of functions from that
/// power on). *program is NULL, with CAROM_OK, where there is no series of the motion: an operation
/// without one (tables, kinks: see the table of operations), or one that would be too long.
carom_status carom_series_compile(carom_arena *arena, const carom_series_task *task,
                                  carom_program **program, int *degree, carom_error *error);

#endif
