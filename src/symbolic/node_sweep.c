// SPDX-License-Identifier: MIT
// What is computed by one pass over the nodes below a node. Index order is topological order, so a
// loop does what recursion would, at any depth.
#include "symbolic/graph_internal.h"
#include "symbolic/operation.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { SHORT_WALK = 60 }; // nodes of an expression that is walked node by node

void *carom_scratch_take(const carom_graph *graph, size_t count, size_t size) {
  const carom_allocator *allocator = carom_arena_allocator(graph->arena);
  if (size && count > (SIZE_MAX / 2) / size) return NULL;
  size_t bytes = count > 0 && size > 0 ? count * size : 1;
  void *scratch = allocator->resize(allocator->ctx, NULL, bytes);
  return scratch ? memset(scratch, 0, bytes) : NULL;
}

void carom_scratch_release(const carom_graph *graph, void *scratch) {
  const carom_allocator *allocator = carom_arena_allocator(graph->arena);
  if (scratch) allocator->release(allocator->ctx, scratch);
}

uint8_t *carom_graph_reach(const carom_graph *graph, carom_node node) {
  uint8_t *mark = carom_scratch_take(graph, (size_t)node + 1, 1);
  if (!mark) return NULL;
  mark[node] = 1;
  for (carom_node i = node; i > 0; i--) {
    if (!mark[i]) continue;
    const carom_record *r = carom_record_of(graph, i);
    for (int k = 0; k < 3; k++)
      mark[r->operand[k]] = 1;
  }
  mark[0] = 0;
  return mark;
}

bool carom_node_depends_kind(const carom_graph *graph, carom_node node, unsigned kinds) {
  return node && (carom_record_of(graph, node)->kinds & kinds) != 0;
}

// Most expressions are small beside the graph they live in: these are walked from the top, and only
// where that becomes long every node of the graph below is looked at. `steps` counts down.
static bool is_below(const carom_graph *graph, carom_node node, carom_node symbol, int *steps) {
  if (node == symbol) return true;
  const carom_record *r = carom_record_of(graph, node);
  if (node < symbol || !(r->symbols & carom_record_of(graph, symbol)->symbols)) return false;
  if (--*steps < 0) return false;
  for (int k = 0; k < 3; k++)
    if (r->operand[k] && is_below(graph, r->operand[k], symbol, steps)) return true;
  return false;
}

bool carom_node_depends(const carom_graph *graph, carom_node node, carom_node symbol) {
  if (!node || !symbol) return false;
  // the bits of symbols are exact for "no", and for "yes" while there are at most 64 symbols
  const carom_record *r = carom_record_of(graph, node);
  if (!(r->symbols & carom_record_of(graph, symbol)->symbols) || symbol > node) return false;
  if (graph->symbol_count <= 64 || node == symbol) return true;
  int steps = SHORT_WALK;
  bool below = is_below(graph, node, symbol, &steps);
  if (below || steps >= 0) return below;
  uint8_t *mark = carom_graph_reach(graph, node);
  bool found = !mark || mark[symbol]; // without memory the safe answer is yes
  carom_scratch_release(graph, mark);
  return found;
}

// the image of node i once those of its operands are known
static carom_node rebuild_node(carom_graph *graph, carom_node i, const carom_node *image) {
  carom_record r = *carom_record_of(graph, i);
  carom_node to[3];
  bool same = true;
  for (int k = 0; k < 3; k++) {
    to[k] = image[r.operand[k]];
    if (to[k] != r.operand[k]) same = false;
  }
  if (same) return i;
  if (r.index >= 0) return carom_node_sampled(graph, (carom_op)r.op, r.index, to[0]);
  return carom_node_make(graph, (carom_op)r.op, to[0], to[1], to[2]);
}

carom_node carom_node_substitute(carom_graph *graph, carom_node node, int count,
                                 const carom_node *from, const carom_node *to) {
  uint64_t replaced = 0;
  for (int k = 0; k < count; k++)
    if (from[k]) replaced |= carom_record_of(graph, from[k])->symbols;
  if (!node || !(carom_record_of(graph, node)->symbols & replaced)) return node;

  uint8_t *mark = carom_graph_reach(graph, node);
  carom_node *image = carom_scratch_take(graph, (size_t)node + 1, sizeof *image);
  carom_node result = 0;
  if (mark && image) {
    bool given = true; // an occurring symbol replaced by no node gives no node
    for (int k = 0; k < count; k++) {
      if (!from[k] || from[k] > node) continue;
      image[from[k]] = to[k];
      if (mark[from[k]] && !to[k]) given = false;
    }
    for (carom_node i = 1; i <= node && given; i++)
      if (mark[i] && !image[i]) image[i] = rebuild_node(graph, i, image);
    result = given ? image[node] : 0;
  } else if (graph->status == CAROM_OK) {
    graph->status = CAROM_ERR_MEMORY;
  }
  carom_scratch_release(graph, image);
  carom_scratch_release(graph, mark);
  return result;
}

static double value_of(const carom_graph *graph, const carom_record *r, const double *symbol_values,
                       const double of[3]) {
  const carom_table *table = carom_op_is_sampled((carom_op)r->op) ? &graph->tables[r->index] : NULL;
  if (r->op == CAROM_OP_CONST) return r->value;
  if (r->op == CAROM_OP_SYMBOL) return symbol_values[r->index];
  return carom_operation_value((carom_op)r->op, table, of[0], of[1], of[2]);
}

// the same operations as below, for what is small; *steps < 0: it was not
static double walk_value(const carom_graph *graph, carom_node node, const double *symbol_values,
                         int *steps) {
  if (!node || --*steps < 0) return 0.0;
  const carom_record *r = carom_record_of(graph, node);
  double of[3];
  for (int k = 0; k < 3; k++)
    of[k] = walk_value(graph, r->operand[k], symbol_values, steps);
  return value_of(graph, r, symbol_values, of);
}

double carom_node_evaluate(const carom_graph *graph, carom_node node, const double *symbol_values,
                           carom_error *error) {
  if (!node) {
    carom_fail(error, CAROM_ERR_ARGUMENT, "there is no expression to evaluate");
    return (double)NAN;
  }
  int steps = SHORT_WALK;
  double result = walk_value(graph, node, symbol_values, &steps);
  if (steps >= 0) return result;
  uint8_t *mark = carom_graph_reach(graph, node);
  double *value = carom_scratch_take(graph, (size_t)node + 1, sizeof *value);
  result = (double)NAN;
  if (mark && value) {
    for (carom_node i = 1; i <= node; i++) {
      if (!mark[i]) continue;
      const carom_record *r = carom_record_of(graph, i);
      const double of[3] = {value[r->operand[0]], value[r->operand[1]], value[r->operand[2]]};
      value[i] = value_of(graph, r, symbol_values, of);
    }
    result = value[node];
  } else {
    carom_fail_memory(error);
  }
  carom_scratch_release(graph, value);
  carom_scratch_release(graph, mark);
  return result;
}
