// SPDX-License-Identifier: MIT
#include "symbolic/kink_guard.h"
#include "symbolic/graph_internal.h"

#include <math.h>

static carom_node ramp_of(carom_graph *graph, carom_node node) {
  return carom_node_make(graph, CAROM_OP_RAMP, node, 0, 0);
}

bool carom_is_root(const carom_graph *graph, carom_node node) {
  double power = 0.5;
  carom_op op = carom_node_op(graph, node);
  if (op != CAROM_OP_SQRT && op != CAROM_OP_POW) return false;
  carom_node exponent = carom_node_operand(graph, node, 1);
  bool known = op == CAROM_OP_SQRT || carom_node_is_constant(graph, exponent, &power);
  return !known || power != floor(power);
}

carom_node carom_guard_base(carom_graph *graph, carom_node base, carom_node held) {
  carom_node above = ramp_of(graph, held);
  return above ? carom_node_substitute(graph, base, 1, &held, &above) : 0;
}

// b + ramp(a - b), where a is taken: never below b; b - ramp(b - a): never above
static carom_node limit_beyond(carom_graph *graph, carom_node a, carom_node b, bool above) {
  carom_node rise = carom_node_make(graph, CAROM_OP_SUB, above ? a : b, above ? b : a, 0);
  carom_node more = rise ? ramp_of(graph, rise) : 0;
  return more ? carom_node_make(graph, above ? CAROM_OP_ADD : CAROM_OP_SUB, b, more, 0) : 0;
}

carom_node carom_guard_clamp(carom_graph *graph, carom_node choice, bool above) {
  carom_node a = carom_node_operand(graph, choice, 1), b = carom_node_operand(graph, choice, 2);
  carom_node first = limit_beyond(graph, a, b, above), second = limit_beyond(graph, b, a, above);
  if (!first || !second) return 0;
  return carom_node_make(graph, CAROM_OP_IF, carom_node_operand(graph, choice, 0), first, second);
}

// the image of a root in a branch where low <= high
static carom_node guard_root(carom_graph *graph, carom_node root, carom_node low, carom_node high) {
  carom_node rise = carom_node_make(graph, CAROM_OP_SUB, high, low, 0);
  carom_node fall = carom_node_make(graph, CAROM_OP_SUB, low, high, 0);
  carom_node above = rise ? ramp_of(graph, rise) : 0, below = above ? carom_neg(graph, above) : 0;
  if (!fall || !below) return 0;
  const carom_node from[2] = {rise, fall}, to[2] = {above, below};
  carom_node base = carom_node_substitute(graph, carom_node_operand(graph, root, 0), 2, from, to);
  return carom_node_make(graph, carom_node_op(graph, root), base,
                         carom_node_operand(graph, root, 1), 0);
}

carom_node carom_guard_roots(carom_graph *graph, carom_node branch, carom_node low,
                             carom_node high) {
  uint8_t *mark = carom_graph_reach(graph, branch);
  carom_node result = mark ? branch : 0;
  // the outermost first: what stands in them goes with them
  for (carom_node i = branch; i > 0 && result; i--) {
    if (!mark[i] || !carom_is_root(graph, i)) continue;
    carom_node guarded = guard_root(graph, i, low, high);
    result = guarded ? carom_node_substitute(graph, result, 1, &i, &guarded) : 0;
  }
  carom_scratch_release(graph, mark);
  return result;
}
