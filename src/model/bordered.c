// SPDX-License-Identifier: MIT
#include "model/bordered.h"

#include <assert.h>
#include <math.h>

/// Unknowns and equations: n accelerations and mass rows, then forces and held rows.
typedef struct bordered {
  carom_graph *graph;
  int n, size;
  carom_node *A, *b, *x, zero;
  bool *row_used, *column_used;
  int *row, *column, count; // pivots, in order
} bordered;

static carom_node *entry_at(const bordered *it, int i, int j) { return &it->A[i * it->size + j]; }

static bool is_one(const bordered *it, carom_node node) {
  double value;
  return carom_node_is_constant(it->graph, node, &value) && fabs(value) == 1.0;
}

static void set_up(bordered *it, const carom_mechanics *m, const int *held, int sliding_count,
                   const carom_sliding *sliding) {
  int n = it->n;
  for (int k = 0; k < it->size * it->size; k++)
    it->A[k] = it->zero;
  for (int i = 0; i < n; i++) {
    it->b[i] = m->bias[i];
    for (int j = 0; j < n; j++)
      *entry_at(it, i, j) = m->mass[i * n + j];
  }
  for (int r = 0; r < it->size - n; r++) {
    const carom_row *row = &m->rows[held[r]];
    it->b[n + r] = carom_neg(it->graph, row->drift);
    for (int i = 0; i < n; i++) {
      carom_node along = row->jacobian[i];
      for (int k = 0; k < sliding_count; k++)
        if (sliding[k].normal == held[r])
          along = carom_add(
              it->graph, along,
              carom_mul(it->graph, sliding[k].factor, m->rows[sliding[k].tangent].jacobian[i]));
      *entry_at(it, n + r, i) = row->jacobian[i];
      *entry_at(it, i, n + r) = carom_neg(it->graph, along);
    }
  }
}

static void eliminate_row(bordered *it, int row, int column) {
  carom_graph *graph = it->graph;
  it->row[it->count] = row;
  it->column[it->count++] = column;
  it->row_used[row] = it->column_used[column] = true;
  for (int i = 0; i < it->size; i++) {
    if (it->row_used[i] || *entry_at(it, i, column) == it->zero) continue;
    carom_node factor = carom_div(graph, *entry_at(it, i, column), *entry_at(it, row, column));
    for (int j = 0; j < it->size; j++)
      if (!it->column_used[j])
        *entry_at(it, i, j) =
            carom_sub(graph, *entry_at(it, i, j), carom_mul(graph, factor, *entry_at(it, row, j)));
    it->b[i] = carom_sub(graph, it->b[i], carom_mul(graph, factor, it->b[row]));
  }
}

// held rows that a coordinate enters with the factor 1, and whose force enters its equation so
static void use_coordinates(bordered *it) {
  for (int r = it->n; r < it->size; r++)
    for (int i = 0; i < it->n && !it->row_used[r]; i++) {
      if (it->column_used[i] || it->row_used[i] || *entry_at(it, r, r) != it->zero) continue;
      if (!is_one(it, *entry_at(it, r, i)) || !is_one(it, *entry_at(it, i, r))) continue;
      eliminate_row(it, r, i);
      eliminate_row(it, i, r);
    }
}

static int list_left(const bordered *it, int from, int to, int *list) {
  int count = 0;
  for (int i = from; i < to; i++)
    if (!it->row_used[i]) list[count++] = i;
  return count;
}

// What is left. Without friction masses are positive definite still; with it one pivot is allowed
// to depend on it, the last one, which vanishes in Painleve's paradox only.
static bool finish_elimination(bordered *it, const carom_mechanics *m, bool friction, int *left) {
  int count = list_left(it, 0, it->n, left);
  if (friction && (count > 2 || (count == 2 && *entry_at(it, left[0], left[0]) !=
                                                   m->mass[left[0] * (it->n + 1)])))
    return false;
  int rows = list_left(it, it->n, it->size, left + count);
  if (friction && rows > 0) return false;
  if (count == 1 && rows == 1) { // all is held
    eliminate_row(it, left[1], left[0]);
    eliminate_row(it, left[0], left[1]);
    return true;
  }
  for (int k = 0; k < count + rows; k++)
    eliminate_row(it, left[k], left[k]);
  return true;
}

static void substitute_back(bordered *it) {
  carom_graph *graph = it->graph;
  for (int k = it->count - 1; k >= 0; k--) {
    int row = it->row[k];
    carom_node sum = it->b[row];
    for (int l = k + 1; l < it->count; l++)
      sum = carom_sub(graph, sum,
                      carom_mul(graph, *entry_at(it, row, it->column[l]), it->x[it->column[l]]));
    it->x[it->column[k]] = carom_div(graph, sum, *entry_at(it, row, it->column[k]));
  }
}

carom_status carom_bordered_solve(carom_arena *arena, carom_graph *graph,
                                  const carom_mechanics *mechanics, int held_count, const int *held,
                                  int sliding_count, const carom_sliding *sliding,
                                  carom_node *acceleration, carom_node *force, bool *done,
                                  carom_error *error) {
  int n = mechanics->n, size = n + held_count;
  size_t room = (size_t)size;
  bordered it = {.graph = graph,
                 .n = n,
                 .size = size,
                 .A = carom_arena_array(arena, room * room, sizeof(carom_node)),
                 .b = carom_arena_array(arena, room, sizeof(carom_node)),
                 .x = carom_arena_array(arena, room, sizeof(carom_node)),
                 .zero = carom_node_constant(graph, 0.0),
                 .row_used = carom_arena_array(arena, room, sizeof(bool)),
                 .column_used = carom_arena_array(arena, room, sizeof(bool)),
                 .row = carom_arena_array(arena, room, sizeof(int)),
                 .column = carom_arena_array(arena, room, sizeof(int))};
  int *left = carom_arena_array(arena, room, sizeof *left);
  *done = false;
  if (!it.A || !it.b || !it.x || !it.row_used || !it.column_used || !it.row || !it.column || !left)
    return carom_fail_memory(error);
  set_up(&it, mechanics, held, sliding_count, sliding);
  use_coordinates(&it);
  if (it.count == 0 || !finish_elimination(&it, mechanics, sliding_count > 0, left))
    return CAROM_OK;
  substitute_back(&it);
  for (int i = 0; i < n; i++)
    acceleration[i] = it.x[i];
  for (int r = 0; r < held_count; r++)
    force[r] = it.x[n + r];
  *done = true;
  return CAROM_OK;
}
