// SPDX-License-Identifier: MIT
#include "model/mode_equations.h"

#include "model/bordered.h"

typedef struct elimination {
  carom_graph *graph;
  const carom_mechanics *mechanics;
  int count;
  const int *held;
  carom_node *A, *x;
} elimination;

// what one unit of force along a row, with its friction, does to the rate of row i
static carom_node row_influence(const elimination *it, int i, int row, int sliding_count,
                                const carom_sliding *sliding) {
  const carom_node *G = it->mechanics->delassus + i * it->mechanics->row_count;
  carom_node sum = G[row];
  for (int k = 0; k < sliding_count; k++)
    if (sliding[k].normal == row)
      sum =
          carom_add(it->graph, sum, carom_mul(it->graph, sliding[k].factor, G[sliding[k].tangent]));
  return sum;
}

// Gauss without pivoting: for friction below Painleve's limit every pivot is positive
static void solve_rows(elimination *it) {
  carom_graph *graph = it->graph;
  int n = it->count;
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      carom_node factor = carom_div(graph, it->A[i * n + k], it->A[k * n + k]);
      for (int j = k + 1; j < n; j++)
        it->A[i * n + j] =
            carom_sub(graph, it->A[i * n + j], carom_mul(graph, factor, it->A[k * n + j]));
      it->x[i] = carom_sub(graph, it->x[i], carom_mul(graph, factor, it->x[k]));
    }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++)
      it->x[k] = carom_sub(graph, it->x[k], carom_mul(graph, it->A[k * n + j], it->x[j]));
    it->x[k] = carom_div(graph, it->x[k], it->A[k * n + k]);
  }
}

// the forces by G = W M^-1 W^T
static void solve_forces(elimination *it, int sliding_count, const carom_sliding *sliding) {
  for (int i = 0; i < it->count; i++) {
    it->x[i] = carom_neg(it->graph, it->mechanics->rows[it->held[i]].free_rate);
    for (int j = 0; j < it->count; j++)
      it->A[i * it->count + j] =
          row_influence(it, it->held[i], it->held[j], sliding_count, sliding);
  }
  solve_rows(it);
}

carom_status carom_mode_equations_derive(carom_arena *arena, carom_graph *graph,
                                         const carom_mechanics *mechanics, int held_count,
                                         const int *held, int sliding_count,
                                         const carom_sliding *sliding,
                                         carom_mode_equations *equations, carom_error *error) {
  size_t count = (size_t)held_count, node = sizeof(carom_node);
  int n = mechanics->n, rows = mechanics->row_count;
  elimination it = {.graph = graph,
                    .mechanics = mechanics,
                    .count = held_count,
                    .held = held,
                    .A = carom_arena_array(arena, count * count, node),
                    .x = carom_arena_array(arena, count, node)};
  equations->acceleration = carom_arena_array(arena, (size_t)n, node);
  equations->force = carom_arena_array(arena, (size_t)rows, node);
  if (!it.A || !it.x || !equations->acceleration || !equations->force)
    return carom_fail_memory(error);

  bool done = false, special = false;
  for (int k = 0; k < held_count; k++)
    special = special || mechanics->rows[held[k]].load || mechanics->rows[held[k]].when;
  // a given force is no force that holds a coordinate, nor is that of a row that may be zero
  carom_status status =
      special ? CAROM_OK
              : carom_bordered_solve(arena, graph, mechanics, held_count, held, sliding_count,
                                     sliding, equations->acceleration, it.x, &done, error);
  if (status != CAROM_OK) return status;
  if (!done) solve_forces(&it, sliding_count, sliding);

  carom_node zero = carom_node_constant(graph, 0.0);
  for (int r = 0; r < rows; r++)
    equations->force[r] = zero;
  for (int j = 0; j < held_count; j++) {
    equations->force[held[j]] = it.x[j];
    for (int k = 0; k < sliding_count; k++)
      if (sliding[k].normal == held[j])
        equations->force[sliding[k].tangent] = carom_mul(graph, sliding[k].factor, it.x[j]);
  }
  for (int i = 0; i < n && !done; i++) {
    carom_node sum = mechanics->acceleration[i];
    for (int r = 0; r < rows; r++)
      sum = carom_add(graph, sum,
                      carom_mul(graph, mechanics->rows[r].response[i], equations->force[r]));
    equations->acceleration[i] = sum;
  }
  status = carom_graph_status(graph);
  if (status != CAROM_OK)
    return carom_fail(error, status, "the equations of the contact modes are too large");
  return CAROM_OK;
}
