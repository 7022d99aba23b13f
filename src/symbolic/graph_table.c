// SPDX-License-Identifier: MIT
// Sampled functions enter a graph: the slopes of their cubic pieces are the monotone ones of
// F. N. Fritsch and R. E. Carlson, SIAM J. Numer. Anal. 17 (1980) 238-246.
#include "symbolic/graph_internal.h"
#include "symbolic/operation.h"

#include <math.h>
#include <string.h>

// three-point estimate where the neighbours agree in direction, 0 at an extremum
static double first_slope(int k, int count, const double *x, const double *y) {
  if (k == 0) return (y[1] - y[0]) / (x[1] - x[0]);
  if (k == count - 1) return (y[k] - y[k - 1]) / (x[k] - x[k - 1]);
  double left = x[k] - x[k - 1], right = x[k + 1] - x[k];
  double before = (y[k] - y[k - 1]) / left, after = (y[k + 1] - y[k]) / right;
  if (!(before * after > 0.0)) return 0.0;
  return (right * before + left * after) / (left + right);
}

// pulls the two slopes of a piece into the circle of radius 3 secants, where the cubic is monotone
static void limit_slopes(double secant, double *left, double *right) {
  if (secant == 0.0) {
    *left = *right = 0.0;
    return;
  }
  double a = *left / secant, b = *right / secant, square = a * a + b * b;
  if (square <= 9.0) return;
  double shrink = 3.0 / sqrt(square);
  *left = shrink * a * secant;
  *right = shrink * b * secant;
}

static void monotone_slopes(int count, const double *x, const double *y, double *slope) {
  for (int k = 0; k < count; k++)
    slope[k] = first_slope(k, count, x, y);
  for (int k = 0; k + 1 < count; k++)
    limit_slopes((y[k + 1] - y[k]) / (x[k + 1] - x[k]), &slope[k], &slope[k + 1]);
}

static bool table_is_usable(int count, const double *x, const double *y) {
  if (count < 2) return false;
  for (int k = 0; k < count; k++) {
    if (!isfinite(x[k]) || !isfinite(y[k])) return false;
    if (k > 0 && !(x[k] > x[k - 1])) return false;
  }
  return true;
}

int carom_graph_add_table(carom_graph *graph, const char *name, int count, const double *x,
                          const double *y) {
  if (!table_is_usable(count, x, y)) return -1;
  carom_arena *arena = graph->arena;
  size_t n = (size_t)count;
  char *copy = carom_arena_text(arena, name, strlen(name));
  double *data = carom_arena_array(arena, 3 * n, sizeof *data);
  void *tables = graph->tables;
  if (!copy || !data ||
      !carom_arena_grow(arena, &tables, graph->table_count, &graph->table_capacity,
                        sizeof *graph->tables))
    return -1;
  graph->tables = tables;
  memcpy(data, x, n * sizeof *data);
  memcpy(data + n, y, n * sizeof *data);
  monotone_slopes(count, x, y, data + 2 * n);
  graph->tables[graph->table_count] = (carom_table){copy, count, data, data + n, data + 2 * n};
  return graph->table_count++;
}

carom_node carom_node_sampled(carom_graph *graph, carom_op op, int table, carom_node x) {
  double value;
  if (!x || table < 0 || table >= graph->table_count) return 0;
  if (carom_node_is_constant(graph, x, &value))
    return carom_node_constant(graph,
                               carom_operation_value(op, &graph->tables[table], value, 0.0, 0.0));
  carom_record record = {(uint16_t)op, .index = table, .operand = {x}};
  return carom_graph_intern(graph, record);
}

carom_node carom_node_table(carom_graph *graph, int table, carom_node x) {
  return carom_node_sampled(graph, CAROM_OP_TABLE, table, x);
}
