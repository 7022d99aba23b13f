// SPDX-License-Identifier: MIT
#include "symbolic/kink.h"
#include "symbolic/graph_internal.h"
#include "symbolic/kink_guard.h"
#include "symbolic/operation.h"
#include "symbolic/rule.h"

#include <assert.h>
#include <stdio.h>

// what is fixed between events: kinks of these alone never switch during the flow
static const unsigned fixed_kinds = (1u << CAROM_SYMBOL_PARAMETER) | (1u << CAROM_SYMBOL_MODE);

typedef struct removal {
  carom_graph *graph;
  carom_arena *arena;
  carom_kink_list *list;
  carom_node zero, one;
  carom_node origin; // the node at work
  unsigned spared;   // kinds of symbols: kinks that they decide stay
} removal;

static bool is_fixed(const removal *it, carom_node node) {
  return !carom_node_depends_kind(it->graph, node, ~fixed_kinds);
}

static bool is_kept(const carom_graph *graph, const carom_record *r) {
  return (carom_op)r->op == CAROM_OP_SYMBOL && graph->symbols[r->index]->kept;
}

// Is the quantity constant between events: fixed, or made of what is, of integers that are held
// and, where that is asked for, of states that events alone change? What such a quantity decides,
// with its value as it is, needs no mode: 0 < 0 is false for as long as it lasts.
static bool is_still(const removal *it, carom_node node, bool states) {
  const carom_graph *graph = it->graph;
  if (is_fixed(it, node)) return true;
  uint8_t *mark = carom_scratch_take(graph, (size_t)node + 1, 1);
  bool still = mark != NULL; // without memory a mode is always right
  if (mark) mark[node] = 1;
  for (carom_node i = node; i > 0 && still; i--) {
    if (!mark[i] || is_fixed(it, i)) continue;
    const carom_record *r = carom_record_of(graph, i);
    if ((carom_op)r->op == CAROM_OP_HELD || (states && is_kept(graph, r))) continue;
    still = r->operand[0] != 0; // not a symbol that moves
    for (int k = 0; k < 3; k++)
      mark[r->operand[k]] = 1;
  }
  carom_scratch_release(graph, mark);
  return still;
}

// the mode that follows the sign of u, or of -u when `*opposite` comes back true
static carom_node find_mode(removal *it, carom_node u, carom_node origin, bool *opposite) {
  carom_kink_list *list = it->list;
  carom_node minus = carom_neg(it->graph, u);
  *opposite = false;
  for (int k = 0; k < list->count; k++) {
    if (list->items[k].argument != u && list->items[k].argument != minus) continue;
    *opposite = list->items[k].argument == minus;
    return list->items[k].mode;
  }
  void *items = list->items;
  if (!u || !carom_arena_grow(it->arena, &items, list->count, &list->capacity, sizeof *list->items))
    return 0;
  list->items = items;
  // a name that no user can write, so it never hides one of theirs
  char name[32];
  (void)snprintf(name, sizeof name, "mode[%d]", it->graph->symbol_count);
  carom_node mode = carom_node_symbol(it->graph, name, CAROM_SYMBOL_MODE);
  if (mode) list->items[list->count++] = (carom_kink){mode, u, origin};
  return mode;
}

// what `side`, `positive`, `reached`, `level` and `truth` mean in the rules of the table
static carom_node explain_word(void *ctx, const char *word, carom_node x) {
  removal *it = ctx;
  bool opposite;
  // a quantity that varies is non-zero except at instants
  if (word[0] == 't') return is_still(it, x, true) ? x : it->one;
  if (word[0] == 'l' && !it->list->rests) return it->zero;
  carom_node mode = find_mode(it, x, it->origin, &opposite);
  if (word[0] == 'l') return carom_node_make(it->graph, CAROM_OP_EQ, mode, it->zero, 0);
  if (word[0] == 's') return opposite ? carom_neg(it->graph, mode) : mode;
  carom_op above = word[0] == 'p' ? CAROM_OP_GT : CAROM_OP_GE;
  carom_op below = word[0] == 'p' ? CAROM_OP_LT : CAROM_OP_LE;
  return carom_node_make(it->graph, opposite ? below : above, mode, it->zero, 0);
}

// a kink is there when what decides it varies during the flow: the condition of an if, all operands
// of other operations
static bool has_kink(const removal *it, carom_op op, const carom_node *x) {
  if (!carom_operation_of(op)->smooth) return false;
  int count = op == CAROM_OP_IF ? 1 : carom_op_arity(op);
  // the order of states has a mode; whether two are the same has none
  bool moves = false, states = op == CAROM_OP_EQ || op == CAROM_OP_NE || op == CAROM_OP_IF;
  for (int k = 0; k < count; k++) {
    if (it->spared && carom_node_depends_kind(it->graph, x[k], it->spared)) return false;
    moves = moves || !is_still(it, x[k], states);
  }
  return moves;
}

// is it known never to be negative, as a whole: abs(a), max(a, 0)?
static bool is_above_zero(const removal *it, carom_node node) {
  const carom_record *r = carom_record_of(it->graph, node);
  double value = -1.0;
  if (r->op == CAROM_OP_ABS) return true;
  return r->op == CAROM_OP_MAX && ((carom_node_is_constant(it->graph, r->operand[0], &value) ||
                                    carom_node_is_constant(it->graph, r->operand[1], &value)) &&
                                   value >= 0.0);
}

// the image of a root's base, in which kinks of the base that are never negative stay so
static carom_node base_of(removal *it, carom_node base, const carom_node *image) {
  carom_node result = image[base];
  uint8_t *mark = carom_graph_reach(it->graph, base);
  for (carom_node i = base; i > 0 && mark && result; i--)
    if (mark[i] && image[i] != i && is_above_zero(it, i))
      result = carom_guard_base(it->graph, result, image[i]);
  if (!mark) result = 0;
  carom_scratch_release(it->graph, mark);
  return result;
}

// The image of what asin or acos is taken of: max(-1, min(1, x)) stays between its bounds when it
// is made of ramps, max(a, b) = b + ramp(a - b), whose series are those of the branch.
static carom_node clamped_of(removal *it, carom_node base, const carom_node *image) {
  carom_graph *graph = it->graph;
  carom_node result = image[base];
  uint8_t *mark = carom_graph_reach(graph, base);
  for (carom_node i = base; i > 0 && mark && result; i--) {
    carom_op op = carom_node_op(graph, i);
    if (!mark[i] || (op != CAROM_OP_MIN && op != CAROM_OP_MAX) ||
        carom_node_op(graph, image[i]) != CAROM_OP_IF)
      continue;
    carom_node clamped = carom_guard_clamp(graph, image[i], op == CAROM_OP_MAX);
    result = clamped ? carom_node_substitute(graph, result, 1, &image[i], &clamped) : 0;
  }
  if (!mark) result = 0;
  carom_scratch_release(graph, mark);
  return result;
}

// One branch of an `if` with the order of numbers that its condition tells: of a < b, and of all
// parts of an `and`; the other branch has the opposite, of all parts of an `or`.
static carom_node guard_branch(removal *it, carom_node condition, bool holds, carom_node branch,
                               const carom_node *image) {
  const carom_record r = *carom_record_of(it->graph, condition);
  carom_node a = image[r.operand[0]], b = image[r.operand[1]];
  switch ((carom_op)r.op) {
  case CAROM_OP_AND:
  case CAROM_OP_OR:
    if (holds != (r.op == CAROM_OP_AND)) return branch;
    branch = guard_branch(it, r.operand[0], holds, branch, image);
    return branch ? guard_branch(it, r.operand[1], holds, branch, image) : 0;
  case CAROM_OP_LT:
  case CAROM_OP_LE: return carom_guard_roots(it->graph, branch, holds ? a : b, holds ? b : a);
  case CAROM_OP_GT:
  case CAROM_OP_GE: return carom_guard_roots(it->graph, branch, holds ? b : a, holds ? a : b);
  default: return branch;
  }
}

static carom_node image_of(removal *it, carom_node node, const carom_node *image) {
  carom_record r = *carom_record_of(it->graph, node);
  carom_op op = (carom_op)r.op;
  carom_rule rule = {.graph = it->graph, .node = node, .word = explain_word, .ctx = it};
  carom_node *x = rule.operand;
  bool same = true;
  for (int k = 0; k < 3; k++) {
    x[k] = image[r.operand[k]];
    if (x[k] != r.operand[k]) same = false;
  }
  it->origin = node;
  if (!same && carom_is_root(it->graph, node) && !(x[0] = base_of(it, r.operand[0], image)))
    return 0;
  bool arc = op == CAROM_OP_ASIN || op == CAROM_OP_ACOS;
  if (!same && arc && !(x[0] = clamped_of(it, r.operand[0], image))) return 0;
  bool branches = op == CAROM_OP_IF && x[0] != r.operand[0]; // decided by modes now
  for (int k = 1; k < 3 && branches; k++)
    if (!(x[k] = guard_branch(it, r.operand[0], k == 1, x[k], image))) return 0;
  if (has_kink(it, op, x)) return carom_rule_apply(&rule, carom_operation_of(op)->smooth);
  if (same) return node;
  if (r.index >= 0) return carom_node_sampled(it->graph, op, r.index, x[0]);
  return carom_node_make(it->graph, op, x[0], x[1], x[2]);
}

// forgets modes from number `first` on that only folded branches had asked for
static void drop_unused(removal *it, int first, carom_node result) {
  carom_kink_list *list = it->list;
  assert(0 <= first && first <= list->count);
  for (int k = list->count - 1; k >= first; k--) {
    carom_node mode = list->items[k].mode;
    bool used = carom_node_depends(it->graph, result, mode);
    for (int j = k + 1; j < list->count && !used; j++)
      used = carom_node_depends(it->graph, list->items[j].argument, mode);
    if (used) continue;
    for (int j = k; j + 1 < list->count; j++)
      list->items[j] = list->items[j + 1];
    list->count--;
  }
}

static carom_node remove_but(carom_graph *graph, carom_arena *arena, carom_node node,
                             carom_kink_list *list, unsigned spared) {
  if (!node) return 0;
  removal it = {.graph = graph,
                .arena = arena,
                .list = list,
                .zero = carom_node_constant(graph, 0.0),
                .one = carom_node_constant(graph, 1.0),
                .origin = node,
                .spared = spared};
  int before = list->count;
  uint8_t *mark = carom_graph_reach(graph, node);
  carom_node *image = carom_scratch_take(graph, (size_t)node + 1, sizeof *image), result = 0;
  if (mark && image) {
    bool good = true;
    for (carom_node i = 1; i <= node && good; i++) {
      if (!mark[i]) continue;
      image[i] = image_of(&it, i, image);
      good = image[i] != 0;
    }
    result = good ? image[node] : 0;
    if (result) drop_unused(&it, before, result);
  }
  // all that can be missing here is memory; the graph remembers
  if (!result && graph->status == CAROM_OK) graph->status = CAROM_ERR_MEMORY;
  carom_scratch_release(graph, image);
  carom_scratch_release(graph, mark);
  return result;
}

carom_node carom_kink_remove(carom_graph *graph, carom_arena *arena, carom_node node,
                             carom_kink_list *list) {
  return remove_but(graph, arena, node, list, 0);
}

carom_node carom_kink_remove_placed(carom_graph *graph, carom_arena *arena, carom_node node,
                                    carom_kink_list *list) {
  return remove_but(graph, arena, node, list,
                    (1u << CAROM_SYMBOL_OTHER) | (1u << CAROM_SYMBOL_RATE));
}

// the mode that follows the sign of u, where the symbol's sign is known; `zero` is the constant
static carom_node mode_on_side(carom_graph *graph, carom_node u, carom_node symbol, carom_node zero,
                               int sign) {
  double value;
  carom_node there = carom_node_substitute(graph, u, 1, &symbol, &zero);
  carom_node rise = carom_node_derivative(graph, u, symbol);
  carom_node slope = rise ? carom_node_substitute(graph, rise, 1, &symbol, &zero) : 0;
  if (!there || !slope) return 0;
  bool vanishes = carom_node_is_constant(graph, there, &value) && value == 0.0;
  bool crosses = !carom_node_is_constant(graph, slope, &value) || value != 0.0;
  if (!vanishes || !crosses) return carom_node_make(graph, CAROM_OP_SIGN, u, 0, 0);
  carom_node side = carom_node_make(graph, CAROM_OP_SIGN, slope, 0, 0);
  return sign > 0 ? side : carom_neg(graph, side);
}

carom_node carom_kink_on_side(carom_graph *graph, carom_arena *arena, carom_node node,
                              carom_node symbol, int sign) {
  carom_kink_list list = {0};
  carom_node smooth = carom_kink_remove(graph, arena, node, &list);
  if (!smooth || list.count == 0) return smooth;
  carom_node zero = carom_node_constant(graph, 0.0);
  carom_node *modes = carom_arena_array(arena, 2 * (size_t)list.count, sizeof *modes);
  if (!modes || !zero) return 0;
  carom_node *sides = modes + list.count;
  for (int k = 0; k < list.count; k++) {
    carom_node u = carom_node_substitute(graph, list.items[k].argument, k, modes, sides);
    modes[k] = list.items[k].mode;
    sides[k] = u ? mode_on_side(graph, u, symbol, zero, sign) : 0;
    if (!sides[k]) return 0;
  }
  return carom_node_substitute(graph, smooth, list.count, modes, sides);
}
