// SPDX-License-Identifier: MIT
/// The inside of a graph, for the files of this room that build and sweep it.
#ifndef CAROM_SYMBOLIC_GRAPH_INTERNAL_H
#define CAROM_SYMBOLIC_GRAPH_INTERNAL_H

#include "symbolic/graph.h"

#include <assert.h>

/// Nodes are only ever appended, operands before users: index order is a topological order.
typedef struct carom_record {
  uint16_t op;
  uint16_t kinds;        // bit mask of the symbol kinds below
  int32_t index;         // number of the symbol or table, else -1
  carom_node operand[3]; // 0 where unused
  double value;          // of CONST
  uint64_t symbols;      // bit (number mod 64) of every symbol below
} carom_record;

/// A remembered derivative; key 0 is a free slot.
typedef struct carom_memo {
  uint64_t key; // node << 32 | symbol
  carom_node derivative;
} carom_memo;

struct carom_graph {
  carom_arena *arena;
  carom_status status;
  carom_record *nodes; // [capacity], entry 0 unused
  int count, capacity;
  carom_node *slots; // open addressing over nodes, 0 is free
  uint32_t slot_count;
  carom_symbol **symbols;
  int symbol_count, symbol_capacity, of_kind[CAROM_SYMBOL_OTHER + 1];
  carom_table *tables;
  int table_count, table_capacity;
  carom_memo *memos; // open addressing
  uint32_t memo_count, memo_slots;
};

/// The node with exactly these contents, made when new: no folding. 0 on failure.
carom_node carom_graph_intern(carom_graph *graph, carom_record record);

/// The node TABLE, SLOPE or CURVE of table number `table`; folds a constant argument.
carom_node carom_node_sampled(carom_graph *graph, carom_op op, int table, carom_node x);

/// Collects like terms and a sin(u)^2 + a cos(u)^2 in left + sign*right. Returns 0 when nothing
/// combines: the sum then stays as it was written.
carom_node carom_sum_collect(carom_graph *graph, carom_node left, double sign, carom_node right);

/// Scratch memory outside the arena, released with carom_scratch_release. Zeroed; NULL when out.
void *carom_scratch_take(const carom_graph *graph, size_t count, size_t size);
void carom_scratch_release(const carom_graph *graph, void *scratch);

/// Marks 1 for every node that `node` is made of, itself included: array of node + 1 bytes in
/// scratch memory, NULL when out.
uint8_t *carom_graph_reach(const carom_graph *graph, carom_node node);

static inline const carom_record *carom_record_of(const carom_graph *graph, carom_node node) {
  assert((int)node <= graph->count);
  return &graph->nodes[node];
}

#endif
