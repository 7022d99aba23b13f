// SPDX-License-Identifier: MIT
// Storage of a graph: the node list, the hash table that makes equal nodes one, symbols, and the
// functions that look at them.
#include "symbolic/graph_internal.h"
#include "symbolic/operation.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { FIRST_NODES = 256, FIRST_SLOTS = 1024 };

carom_graph *carom_graph_create(carom_arena *arena) {
  carom_graph *graph = carom_arena_take(arena, sizeof *graph);
  if (!graph) return NULL;
  *graph = (carom_graph){.arena = arena, .capacity = FIRST_NODES, .slot_count = FIRST_SLOTS};
  graph->nodes = carom_arena_array(arena, FIRST_NODES, sizeof *graph->nodes);
  graph->slots = carom_arena_array(arena, FIRST_SLOTS, sizeof *graph->slots);
  return graph->nodes && graph->slots ? graph : NULL;
}

carom_status carom_graph_status(const carom_graph *graph) { return graph->status; }
int carom_graph_count(const carom_graph *graph) { return graph->count; }

static carom_node give_up(carom_graph *graph, carom_status status) {
  if (graph->status == CAROM_OK) graph->status = status;
  return 0;
}

// spreads all bits of x over the result (multiply and fold, twice)
static uint64_t mix_bits(uint64_t x) {
  x ^= x >> 32;
  x *= UINT64_C(0x9e3779b97f4a7c15);
  x ^= x >> 29;
  x *= UINT64_C(0xd1342543de82ef95);
  return x ^ (x >> 32);
}

static uint64_t value_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static uint64_t record_hash(const carom_record *r) {
  uint64_t h = mix_bits(((uint64_t)r->op << 32) | (uint32_t)r->index);
  h = mix_bits(h ^ (((uint64_t)r->operand[0] << 32) | r->operand[1]));
  h = mix_bits(h ^ r->operand[2]);
  return mix_bits(h ^ value_bits(r->value));
}

static bool same_record(const carom_record *a, const carom_record *b) {
  return a->op == b->op && a->index == b->index && a->operand[0] == b->operand[0] &&
         a->operand[1] == b->operand[1] && a->operand[2] == b->operand[2] &&
         value_bits(a->value) == value_bits(b->value);
}

// the slot that holds an equal node, or the free slot where it belongs
static uint32_t find_slot(const carom_graph *graph, const carom_record *record) {
  uint32_t mask = graph->slot_count - 1;
  assert((graph->slot_count & mask) == 0 && (uint32_t)graph->count < graph->slot_count);
  uint32_t at = (uint32_t)record_hash(record) & mask;
  while (graph->slots[at] && !same_record(&graph->nodes[graph->slots[at]], record))
    at = (at + 1) & mask;
  return at;
}

// doubles the hash table when it is half full
static bool widen_slots(carom_graph *graph) {
  if ((uint32_t)graph->count < graph->slot_count / 2) return true;
  carom_node *wider = carom_arena_array(graph->arena, 2 * (size_t)graph->slot_count, sizeof *wider);
  if (!wider) return false;
  graph->slots = wider;
  graph->slot_count *= 2;
  for (int i = 1; i <= graph->count; i++)
    wider[find_slot(graph, &graph->nodes[i])] = (carom_node)i;
  return true;
}

// what lies below a node is what lies below its operands
static void inherit_below(const carom_graph *graph, carom_record *record) {
  for (int k = 0; k < 3; k++) {
    const carom_record *below = &graph->nodes[record->operand[k]];
    assert((int)record->operand[k] <= graph->count);
    if (!record->operand[k]) break;
    record->kinds |= below->kinds;
    record->symbols |= below->symbols;
  }
}

carom_node carom_graph_intern(carom_graph *graph, carom_record record) {
  if (graph->status != CAROM_OK) return 0;
  uint32_t slot = find_slot(graph, &record);
  if (graph->slots[slot]) return graph->slots[slot];

  // a new node: make room, then append
  if (graph->count >= CAROM_GRAPH_MAX_NODES) return give_up(graph, CAROM_ERR_LIMIT);
  void *nodes = graph->nodes;
  if (!widen_slots(graph) || !carom_arena_grow(graph->arena, &nodes, graph->count + 1,
                                               &graph->capacity, sizeof *graph->nodes))
    return give_up(graph, CAROM_ERR_MEMORY);
  graph->nodes = nodes;
  inherit_below(graph, &record);
  carom_node node = (carom_node)++graph->count;
  graph->nodes[node] = record;
  graph->slots[find_slot(graph, &record)] = node;
  return node;
}

carom_node carom_node_constant(carom_graph *graph, double value) {
  // one zero, one NaN: otherwise equal constants could differ in bits
  if (value == 0.0) value = 0.0;
  if (isnan(value)) value = (double)NAN;
  return carom_graph_intern(graph, (carom_record){CAROM_OP_CONST, .index = -1, .value = value});
}

// the number of a unit stands where symbols have theirs, below -1: equal values with and without
// one are different nodes
carom_node carom_node_measured(carom_graph *graph, double value, int unit) {
  assert(unit >= 0);
  return carom_graph_intern(
      graph, (carom_record){CAROM_OP_CONST, .index = -2 - unit, .value = value + 0.0});
}

int carom_node_measure(const carom_graph *graph, carom_node node) {
  const carom_record *r = carom_record_of(graph, node);
  return node && r->op == CAROM_OP_CONST && r->index < -1 ? -2 - r->index : -1;
}

carom_node carom_node_symbol(carom_graph *graph, const char *name, carom_symbol_kind kind) {
  void *list = graph->symbols;
  carom_symbol *symbol = carom_arena_take(graph->arena, sizeof *symbol);
  char *copy = carom_arena_text(graph->arena, name, strlen(name));
  if (!symbol || !copy ||
      !carom_arena_grow(graph->arena, &list, graph->symbol_count, &graph->symbol_capacity,
                        sizeof *graph->symbols))
    return give_up(graph, CAROM_ERR_MEMORY);
  graph->symbols = list;

  carom_record record = {CAROM_OP_SYMBOL, .kinds = (uint16_t)(1u << (unsigned)kind),
                         .index = graph->symbol_count,
                         .symbols = UINT64_C(1) << (graph->symbol_count % 64)};
  carom_node node = carom_graph_intern(graph, record);
  if (!node) return 0;
  *symbol = (carom_symbol){copy, kind, graph->of_kind[kind]++, node, false};
  graph->symbols[graph->symbol_count++] = symbol;
  return node;
}

void carom_symbol_keep(carom_graph *graph, carom_node symbol) {
  assert(carom_node_op(graph, symbol) == CAROM_OP_SYMBOL);
  graph->symbols[carom_record_of(graph, symbol)->index]->kept = true;
}

carom_op carom_node_op(const carom_graph *graph, carom_node node) {
  return (carom_op)carom_record_of(graph, node)->op;
}

carom_node carom_node_operand(const carom_graph *graph, carom_node node, int k) {
  assert(0 <= k && k < 3);
  return carom_record_of(graph, node)->operand[k];
}

bool carom_node_is_constant(const carom_graph *graph, carom_node node, double *value) {
  const carom_record *r = carom_record_of(graph, node);
  if (!node || r->op != CAROM_OP_CONST) return false;
  if (value) *value = r->value;
  return true;
}

const carom_symbol *carom_node_as_symbol(const carom_graph *graph, carom_node node) {
  const carom_record *r = carom_record_of(graph, node);
  return node && r->op == CAROM_OP_SYMBOL ? graph->symbols[r->index] : NULL;
}

int carom_node_symbol_index(const carom_graph *graph, carom_node node) {
  const carom_record *r = carom_record_of(graph, node);
  return node && r->op == CAROM_OP_SYMBOL ? r->index : -1;
}

int carom_graph_symbol_count(const carom_graph *graph) { return graph->symbol_count; }
const carom_symbol *carom_graph_symbol(const carom_graph *graph, int k) {
  assert(0 <= k && k < graph->symbol_count);
  return graph->symbols[k];
}
int carom_graph_table_count(const carom_graph *graph) { return graph->table_count; }
const carom_table *carom_graph_table(const carom_graph *graph, int k) {
  assert(0 <= k && k < graph->table_count);
  return &graph->tables[k];
}

int carom_node_table_index(const carom_graph *graph, carom_node node) {
  const carom_record *r = carom_record_of(graph, node);
  return carom_op_is_sampled((carom_op)r->op) ? r->index : -1;
}
