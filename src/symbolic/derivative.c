// SPDX-License-Identifier: MIT
// Exact differentiation. Derivatives are remembered per (node, symbol), and the nodes still to do
// wait on a stack of our own, so neither repeated subexpressions nor deep graphs cost extra.
#include "symbolic/graph_internal.h"
#include "symbolic/kink_guard.h"
#include "symbolic/operation.h"
#include "symbolic/rule.h"

#include <assert.h>
#include <string.h>

enum { FIRST_MEMOS = 256 };

static carom_node constant_of(carom_graph *g, double value) {
  return carom_node_constant(g, value);
}

// A root of what may stand still at zero in one of its branches, as sqrt(max(x, 0)) does: there its
// slope is no quotient 0/0.
static bool is_root_of_branch(const carom_graph *g, carom_node node) {
  bool root = carom_node_op(g, node) == CAROM_OP_CBRT || carom_is_root(g, node);
  carom_node base = root ? carom_node_operand(g, node, 0) : 0;
  return root && carom_node_depends_kind(g, base, 1u << CAROM_SYMBOL_MODE);
}

// the derivative of a node from those of its operands
static carom_node differentiate_node(carom_graph *g, carom_node node, const carom_node *dx) {
  const carom_record *r = carom_record_of(g, node);
  carom_rule rule = {.graph = g, .node = node, .table = r->index};
  memcpy(rule.operand, r->operand, sizeof rule.operand);
  memcpy(rule.slope, dx, sizeof rule.slope);
  carom_op op = (carom_op)r->op;
  carom_node slope = carom_rule_apply(&rule, carom_operation_of(op)->derivative);
  if (!is_root_of_branch(g, node)) return slope;
  return carom_node_make(g, CAROM_OP_IF, dx[0], slope, constant_of(g, 0.0));
}

// ---- memory of derivatives

static uint64_t memo_key(carom_node node, carom_node symbol) {
  return ((uint64_t)node << 32) | symbol;
}

static carom_memo *find_memo(const carom_graph *g, uint64_t key) {
  uint64_t h = key * UINT64_C(0x9e3779b97f4a7c15);
  uint32_t mask = g->memo_slots - 1, at = (uint32_t)(h >> 32) & mask;
  assert((g->memo_slots & mask) == 0 && g->memo_count < g->memo_slots);
  while (g->memos[at].key && g->memos[at].key != key)
    at = (at + 1) & mask;
  return &g->memos[at];
}

static bool widen_memos(carom_graph *g) {
  if (g->memo_slots && g->memo_count < g->memo_slots / 2) return true;
  const carom_memo *old = g->memos;
  uint32_t old_slots = g->memo_slots, slots = old_slots ? 2 * old_slots : FIRST_MEMOS;
  carom_memo *wider = carom_arena_array(g->arena, slots, sizeof *wider);
  if (!wider) return false;
  g->memos = wider;
  g->memo_slots = slots;
  for (uint32_t k = 0; k < old_slots; k++)
    if (old[k].key) *find_memo(g, old[k].key) = old[k];
  return true;
}

static bool remember_derivative(carom_graph *g, carom_node node, carom_node symbol,
                                carom_node derivative) {
  if (!derivative) return false;
  if (!widen_memos(g)) {
    if (g->status == CAROM_OK) g->status = CAROM_ERR_MEMORY;
    return false;
  }
  *find_memo(g, memo_key(node, symbol)) = (carom_memo){memo_key(node, symbol), derivative};
  g->memo_count++;
  return true;
}

// the derivative when it is known without work: 0, 1 or remembered; else no node
static carom_node known_derivative(carom_graph *g, carom_node node, carom_node symbol) {
  if (node == symbol) return constant_of(g, 1.0);
  const carom_record *r = carom_record_of(g, node);
  bool below = (r->symbols & carom_record_of(g, symbol)->symbols) != 0;
  if (!below || r->op == CAROM_OP_SYMBOL) return constant_of(g, 0.0);
  if (!g->memo_slots) return 0;
  return find_memo(g, memo_key(node, symbol))->derivative;
}

// ---- the walk: a stack of nodes, each waiting for its operands

typedef struct stack {
  carom_node *items;
  int count, capacity;
} stack;

static bool push_node(carom_graph *g, stack *s, carom_node node) {
  if (s->count == s->capacity) {
    int wider = s->capacity ? 2 * s->capacity : 64;
    carom_node *moved = carom_scratch_take(g, (size_t)wider, sizeof *moved);
    if (!moved) {
      g->status = CAROM_ERR_MEMORY;
      return false;
    }
    if (s->count) memcpy(moved, s->items, (size_t)s->count * sizeof *moved);
    carom_scratch_release(g, s->items);
    s->items = moved;
    s->capacity = wider;
  }
  s->items[s->count++] = node;
  return true;
}

// differentiates the node on top, or puts an operand that must come first on top of it
static bool advance_top(carom_graph *g, stack *s, carom_node symbol) {
  assert(s->count > 0);
  carom_node node = s->items[s->count - 1], dx[3] = {0};
  for (int k = 0; k < 3; k++) {
    carom_node below = carom_record_of(g, node)->operand[k];
    if (!below) break;
    dx[k] = known_derivative(g, below, symbol);
    if (!dx[k]) return g->status == CAROM_OK && push_node(g, s, below);
  }
  s->count--;
  return remember_derivative(g, node, symbol, differentiate_node(g, node, dx));
}

carom_node carom_node_derivative(carom_graph *graph, carom_node node, carom_node symbol) {
  if (!node || !symbol || graph->status != CAROM_OK) return 0;
  carom_node result = known_derivative(graph, node, symbol);
  if (result || graph->status != CAROM_OK) return result;
  stack s = {0};
  bool going = push_node(graph, &s, node);
  while (going && s.count > 0)
    going = advance_top(graph, &s, symbol);
  carom_scratch_release(graph, s.items);
  return going ? known_derivative(graph, node, symbol) : 0;
}

// ---- along a path

// the rates of what node `i` is made of are known: its own
static carom_node rate_of(carom_graph *g, carom_node i, const carom_node *rate) {
  const carom_record *r = carom_record_of(g, i);
  if (r->op == CAROM_OP_SYMBOL || r->op == CAROM_OP_CONST) return constant_of(g, 0.0);
  const carom_node dx[3] = {rate[r->operand[0]], rate[r->operand[1]], rate[r->operand[2]]};
  return differentiate_node(g, i, dx);
}

carom_node carom_node_rate(carom_graph *graph, carom_node node, int count,
                           const carom_node *symbols, const carom_node *rates) {
  if (!node || graph->status != CAROM_OK) return 0;
  uint8_t *mark = carom_graph_reach(graph, node);
  carom_node *rate = carom_scratch_take(graph, (size_t)node + 1, sizeof *rate), result = 0;
  if (mark && rate) {
    for (int k = 0; k < count; k++)
      if (symbols[k] <= node) rate[symbols[k]] = rates[k];
    for (carom_node i = 1; i <= node && graph->status == CAROM_OK; i++)
      if (mark[i] && !rate[i]) rate[i] = rate_of(graph, i, rate);
    result = graph->status == CAROM_OK ? rate[node] : 0;
  } else {
    graph->status = CAROM_ERR_MEMORY;
  }
  carom_scratch_release(graph, rate);
  carom_scratch_release(graph, mark);
  return result;
}
