// SPDX-License-Identifier: MIT
// Exact differentiation. Derivatives are remembered per (node, symbol), and the nodes still to do
// wait on a stack of our own, so neither repeated subexpressions nor deep graphs cost extra.
#include "symbolic/graph_internal.h"

#include <string.h>

enum { FIRST_MEMOS = 256 };

static carom_node make(carom_graph *g, carom_op op, carom_node a, carom_node b) {
  return carom_node_make(g, op, a, b, 0);
}

static carom_node number(carom_graph *g, double value) { return carom_node_constant(g, value); }

static carom_node square(carom_graph *g, carom_node a) { return carom_mul(g, a, a); }

// d(a^b) = b a^(b-1) a'  +  a^b log(a) b'
static carom_node power_rule(carom_graph *g, carom_node node, const carom_node *x,
                             const carom_node *dx) {
  carom_node zero = number(g, 0.0), sum = zero;
  if (dx[0] != zero) {
    carom_node less = carom_sub(g, x[1], number(g, 1.0));
    sum = carom_mul(g, carom_mul(g, x[1], make(g, CAROM_OP_POW, x[0], less)), dx[0]);
  }
  if (dx[1] != zero) {
    carom_node grown = carom_mul(g, node, make(g, CAROM_OP_LOG, x[0], 0));
    sum = carom_add(g, sum, carom_mul(g, grown, dx[1]));
  }
  return sum;
}

// d(a/b) = a'/b - (a/b) b'/b; the quotient itself is shared
static carom_node quotient_rule(carom_graph *g, carom_node node, const carom_node *x,
                                const carom_node *dx) {
  carom_node first = carom_div(g, dx[0], x[1]);
  if (dx[1] == number(g, 0.0)) return first;
  return carom_sub(g, first, carom_div(g, carom_mul(g, node, dx[1]), x[1]));
}

// d atan2(y, x) = (x y' - y x')/(x^2 + y^2)
static carom_node angle_rule(carom_graph *g, const carom_node *x, const carom_node *dx) {
  carom_node turn = carom_sub(g, carom_mul(g, x[1], dx[0]), carom_mul(g, x[0], dx[1]));
  return carom_div(g, turn, carom_add(g, square(g, x[1]), square(g, x[0])));
}

static carom_node pick(carom_graph *g, carom_op comparison, const carom_node *x,
                       const carom_node *dx) {
  return carom_node_make(g, CAROM_OP_IF, make(g, comparison, x[0], x[1]), dx[0], dx[1]);
}

// f'(a) of a function of one argument as a factor of a', or, where `*over` is set, as its divisor
static carom_node outer(carom_graph *g, carom_op op, carom_node f, carom_node a, bool *over) {
  carom_node one = number(g, 1.0);
  *over = false;
  switch (op) {
  case CAROM_OP_EXP: return f;
  case CAROM_OP_SIN: return make(g, CAROM_OP_COS, a, 0);
  case CAROM_OP_COS: return carom_neg(g, make(g, CAROM_OP_SIN, a, 0));
  case CAROM_OP_TAN: return carom_add(g, one, square(g, f));
  case CAROM_OP_SINH: return make(g, CAROM_OP_COSH, a, 0);
  case CAROM_OP_COSH: return make(g, CAROM_OP_SINH, a, 0);
  case CAROM_OP_TANH: return carom_sub(g, one, square(g, f));
  case CAROM_OP_ABS: return make(g, CAROM_OP_SIGN, a, 0);
  default: *over = true;
  }
  switch (op) {
  case CAROM_OP_SQRT: return carom_mul(g, number(g, 2.0), f);
  case CAROM_OP_CBRT: return carom_mul(g, number(g, 3.0), square(g, f));
  case CAROM_OP_LOG: return a;
  case CAROM_OP_ASIN: return make(g, CAROM_OP_SQRT, carom_sub(g, one, square(g, a)), 0);
  case CAROM_OP_ACOS:
    return carom_neg(g, make(g, CAROM_OP_SQRT, carom_sub(g, one, square(g, a)), 0));
  case CAROM_OP_ATAN: return carom_add(g, one, square(g, a));
  default: return 0;
  }
}

static carom_node chain_rule(carom_graph *g, carom_op op, carom_node f, carom_node a,
                             carom_node da) {
  bool over;
  carom_node factor = outer(g, op, f, a, &over);
  return over ? carom_div(g, da, factor) : carom_mul(g, factor, da);
}

// the derivative of a node from those of its operands
static carom_node differentiate(carom_graph *g, carom_node node, const carom_node *dx) {
  carom_record r = *carom_record_of(g, node);
  const carom_node *x = r.operand;
  carom_op op = (carom_op)r.op;
  switch (op) {
  case CAROM_OP_ADD: return carom_add(g, dx[0], dx[1]);
  case CAROM_OP_SUB: return carom_sub(g, dx[0], dx[1]);
  case CAROM_OP_NEG: return carom_neg(g, dx[0]);
  case CAROM_OP_MUL: return carom_add(g, carom_mul(g, dx[0], x[1]), carom_mul(g, x[0], dx[1]));
  case CAROM_OP_DIV: return quotient_rule(g, node, x, dx);
  case CAROM_OP_POW: return power_rule(g, node, x, dx);
  case CAROM_OP_ATAN2: return angle_rule(g, x, dx);
  case CAROM_OP_MIN: return pick(g, CAROM_OP_LT, x, dx);
  case CAROM_OP_MAX: return pick(g, CAROM_OP_GT, x, dx);
  case CAROM_OP_IF: return carom_node_make(g, CAROM_OP_IF, x[0], dx[1], dx[2]);
  case CAROM_OP_TABLE:
    return carom_mul(g, carom_node_sampled(g, CAROM_OP_SLOPE, r.index, x[0]), dx[0]);
  case CAROM_OP_SLOPE:
    return carom_mul(g, carom_node_sampled(g, CAROM_OP_CURVE, r.index, x[0]), dx[0]);
  // constant on each side of the switch; the third derivative of a table is not offered
  case CAROM_OP_CURVE:
  case CAROM_OP_SIGN:
  case CAROM_OP_LT:
  case CAROM_OP_LE:
  case CAROM_OP_GT:
  case CAROM_OP_GE:
  case CAROM_OP_EQ:
  case CAROM_OP_NE:
  case CAROM_OP_AND:
  case CAROM_OP_OR:
  case CAROM_OP_NOT: return number(g, 0.0);
  default: return chain_rule(g, op, node, x[0], dx[0]);
  }
}

// ---- memory of derivatives

static uint64_t memo_key(carom_node node, carom_node symbol) {
  return ((uint64_t)node << 32) | symbol;
}

static carom_memo *find_memo(const carom_graph *g, uint64_t key) {
  uint64_t h = key * UINT64_C(0x9e3779b97f4a7c15);
  uint32_t mask = g->memo_slots - 1, at = (uint32_t)(h >> 32) & mask;
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

static bool remember(carom_graph *g, carom_node node, carom_node symbol, carom_node derivative) {
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
static carom_node known(carom_graph *g, carom_node node, carom_node symbol) {
  if (node == symbol) return number(g, 1.0);
  const carom_record *r = carom_record_of(g, node);
  bool below = (r->symbols & carom_record_of(g, symbol)->symbols) != 0;
  if (!below || r->op == CAROM_OP_SYMBOL) return number(g, 0.0);
  if (!g->memo_slots) return 0;
  return find_memo(g, memo_key(node, symbol))->derivative;
}

// ---- the walk: a stack of nodes, each waiting for its operands

typedef struct stack {
  carom_node *items;
  int count, capacity;
} stack;

static bool push(carom_graph *g, stack *s, carom_node node) {
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
static bool advance(carom_graph *g, stack *s, carom_node symbol) {
  carom_node node = s->items[s->count - 1], dx[3] = {0};
  for (int k = 0; k < 3; k++) {
    carom_node below = carom_record_of(g, node)->operand[k];
    if (!below) break;
    dx[k] = known(g, below, symbol);
    if (!dx[k]) return g->status == CAROM_OK && push(g, s, below);
  }
  s->count--;
  return remember(g, node, symbol, differentiate(g, node, dx));
}

carom_node carom_node_derivative(carom_graph *graph, carom_node node, carom_node symbol) {
  if (!node || !symbol || graph->status != CAROM_OK) return 0;
  carom_node result = known(graph, node, symbol);
  if (result || graph->status != CAROM_OK) return result;
  stack s = {0};
  bool going = push(graph, &s, node);
  while (going && s.count > 0)
    going = advance(graph, &s, symbol);
  carom_scratch_release(graph, s.items);
  return going ? known(graph, node, symbol) : 0;
}
