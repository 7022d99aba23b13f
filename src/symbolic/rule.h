// SPDX-License-Identifier: MIT
/// Rules of the table of operations: an expression in postfix notation, words between blanks, made
/// into nodes from left to right. Words: a, b, c the operands, a', b', c' their derivatives, f the
/// node itself, numbers, pi, names of operations (neg changes the sign), and words of one operand
/// that the caller explains.
#ifndef CAROM_SYMBOLIC_RULE_H
#define CAROM_SYMBOLIC_RULE_H

#include "symbolic/graph.h"

#define CAROM_PI 3.14159265358979323846

typedef struct carom_rule {
  carom_graph *graph;
  carom_node node, operand[3], slope[3];
  int table; // of sampled functions
  /// What else a word means for its operand; `word` goes on behind it. Nullable.
  carom_node (*word)(void *ctx, const char *word, carom_node operand);
  void *ctx;
} carom_rule;

/// The node of the rule; 0 when the graph is full.
carom_node carom_rule_apply(const carom_rule *it, const char *rule);

#endif
