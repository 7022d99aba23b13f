// SPDX-License-Identifier: MIT
#include "symbolic/kink.h"
#include "symbolic/graph_internal.h"

#include <stdio.h>

// what is fixed between events: kinks of these alone never switch during the flow
static const unsigned fixed_kinds = (1u << CAROM_SYMBOL_PARAMETER) | (1u << CAROM_SYMBOL_MODE);

typedef struct removal {
  carom_graph *graph;
  carom_arena *arena;
  carom_kink_list *list;
  carom_node zero, one;
} removal;

static bool is_fixed(const removal *it, carom_node node) {
  return !carom_node_depends_kind(it->graph, node, ~fixed_kinds);
}

static carom_node make(removal *it, carom_op op, carom_node a, carom_node b, carom_node c) {
  return carom_node_make(it->graph, op, a, b, c);
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

// +1 or -1, the sign of u
static carom_node sign_of(removal *it, carom_node u, carom_node origin) {
  bool opposite;
  carom_node mode = find_mode(it, u, origin, &opposite);
  return opposite ? carom_neg(it->graph, mode) : mode;
}

// 1 where u > 0, else 0
static carom_node is_positive(removal *it, carom_node u, carom_node origin) {
  bool opposite;
  carom_node mode = find_mode(it, u, origin, &opposite);
  return make(it, opposite ? CAROM_OP_LT : CAROM_OP_GT, mode, it->zero, 0);
}

static carom_node choose(removal *it, carom_node u, carom_node origin, carom_node a, carom_node b) {
  return make(it, CAROM_OP_IF, is_positive(it, u, origin), a, b);
}

// a quantity that varies is non-zero except at instants
static carom_node truth(removal *it, carom_node x) { return is_fixed(it, x) ? x : it->one; }

// the smooth image of a node with operands x, which are smooth already
static carom_node smooth(removal *it, carom_node node, carom_op op, const carom_node *x) {
  carom_graph *g = it->graph;
  switch (op) {
  case CAROM_OP_ABS: return carom_mul(g, sign_of(it, x[0], node), x[0]);
  case CAROM_OP_SIGN: return sign_of(it, x[0], node);
  case CAROM_OP_MIN: return choose(it, carom_sub(g, x[0], x[1]), node, x[1], x[0]);
  case CAROM_OP_MAX: return choose(it, carom_sub(g, x[0], x[1]), node, x[0], x[1]);
  case CAROM_OP_LT:
  case CAROM_OP_LE: return is_positive(it, carom_sub(g, x[1], x[0]), node);
  case CAROM_OP_GT:
  case CAROM_OP_GE: return is_positive(it, carom_sub(g, x[0], x[1]), node);
  // equal only at instants
  case CAROM_OP_EQ: return it->zero;
  case CAROM_OP_NE: return it->one;
  case CAROM_OP_AND:
  case CAROM_OP_OR: return make(it, op, truth(it, x[0]), truth(it, x[1]), 0);
  case CAROM_OP_NOT: return make(it, op, truth(it, x[0]), 0, 0);
  case CAROM_OP_IF: return make(it, op, truth(it, x[0]), x[1], x[2]);
  default: return make(it, op, x[0], x[1], x[2]);
  }
}

// a kink is there when what decides it varies during the flow
static bool has_kink(const removal *it, carom_op op, const carom_node *x) {
  if (op == CAROM_OP_IF || op == CAROM_OP_ABS || op == CAROM_OP_SIGN || op == CAROM_OP_NOT)
    return !is_fixed(it, x[0]);
  if (op == CAROM_OP_MIN || op == CAROM_OP_MAX || (op >= CAROM_OP_LT && op <= CAROM_OP_OR))
    return !is_fixed(it, x[0]) || !is_fixed(it, x[1]);
  return false;
}

static carom_node image_of(removal *it, carom_node node, const carom_node *image) {
  carom_record r = *carom_record_of(it->graph, node);
  carom_op op = (carom_op)r.op;
  carom_node x[3];
  bool same = true;
  for (int k = 0; k < 3; k++) {
    x[k] = image[r.operand[k]];
    if (x[k] != r.operand[k]) same = false;
  }
  if (has_kink(it, op, x)) return smooth(it, node, op, x);
  if (same) return node;
  if (r.index >= 0) return carom_node_sampled(it->graph, op, r.index, x[0]);
  return make(it, op, x[0], x[1], x[2]);
}

// forgets modes from number `first` on that only folded branches had asked for
static void drop_unused(removal *it, int first, carom_node result) {
  carom_kink_list *list = it->list;
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

carom_node carom_kink_remove(carom_graph *graph, carom_arena *arena, carom_node node,
                             carom_kink_list *list) {
  if (!node) return 0;
  removal it = {graph, arena, list, carom_node_constant(graph, 0.0),
                carom_node_constant(graph, 1.0)};
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
