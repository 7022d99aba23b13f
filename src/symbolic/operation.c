// SPDX-License-Identifier: MIT
// The rows of the table as data, and rules in postfix notation at work.
#include "symbolic/operation.h"
#include "symbolic/graph_internal.h"
#include "symbolic/number.h"
#include "symbolic/rule.h"

#include <assert.h>
#include <string.h>

// the columns that all rows end with
#define ROW(name, arity, text, latex, derivative, smooth, series, traits, help, example)           \
  {name, arity, text, latex, derivative, smooth, CAROM_SERIES_##series, traits, help, example},
#define LEAF(NAME, name) ROW(name, 0, NULL, NULL, NULL, NULL, NO_SERIES, 0, NULL, NULL)
#define PLAIN(NAME, name, arity, value, code, bounds, ...) ROW(name, arity, __VA_ARGS__)
#define CALL(NAME, stem, ...) ROW(#stem, 1, __VA_ARGS__)
#define PAIR(NAME, name, stem, bounds, ...) ROW(name, 2, __VA_ARGS__)
#define SAMPLED(NAME, name, stem, ...) ROW(name, 1, __VA_ARGS__)

// in the rows traits go by their short names
enum {
#define X(name) name = CAROM_##name,
  CAROM_TRAIT_LIST(X)
#undef X
};

const carom_operation carom_operations[CAROM_OP_COUNT] = {
    CAROM_OPERATIONS(LEAF, PLAIN, CALL, PAIR, SAMPLED)};

const char *carom_op_name(carom_op op) { return carom_operations[op].name; }
int carom_op_arity(carom_op op) { return carom_operations[op].arity; }

carom_op carom_op_named(const char *name, size_t length) {
  for (int op = CAROM_OP_ADD; op < CAROM_OP_COUNT; op++) {
    const char *have = carom_operations[op].name;
    if (have[0] == name[0] && strncmp(have, name, length) == 0 && !have[length])
      return (carom_op)op;
  }
  return CAROM_OP_COUNT;
}

// ---- rules -------------------------------------------------------------------------------------

enum { DEEPEST = 6 };

// the operand or number that a word stands for; 0 where it is an operation
static carom_node operand_of(const carom_rule *it, const char *word, size_t length) {
  bool primed = length == 2 && word[1] == '\'';
  int k = word[0] - 'a';
  if ((length == 1 || primed) && k >= 0 && k < 3) return primed ? it->slope[k] : it->operand[k];
  if (length == 1 && word[0] == 'f') return it->node;
  if (word[0] >= '0' && word[0] <= '9')
    return carom_node_constant(it->graph, carom_number_read(word, length));
  if (length == 2 && strncmp(word, "pi", 2) == 0) return carom_node_constant(it->graph, CAROM_PI);
  return 0;
}

// replaces the operands on top of the stack by the operation's node; returns the new depth
static int operate_on_stack(const carom_rule *it, const char *word, size_t length,
                            carom_node *stack, int depth) {
  carom_op op = carom_op_named(word, length);
  if (op == CAROM_OP_COUNT) {
    assert(it->word && depth > 0);
    stack[depth - 1] = it->word(it->ctx, word, stack[depth - 1]);
    return depth;
  }
  int arity = carom_op_arity(op);
  assert(depth >= arity && arity > 0);
  carom_node x[3] = {0};
  memcpy(x, stack + depth - arity, (size_t)arity * sizeof *x);
  stack[depth - arity] = carom_op_is_sampled(op)
                             ? carom_node_sampled(it->graph, op, it->table, x[0])
                             : carom_node_make(it->graph, op, x[0], x[1], x[2]);
  return depth - arity + 1;
}

carom_node carom_rule_apply(const carom_rule *it, const char *rule) {
  carom_node stack[DEEPEST] = {0};
  int depth = 0;
  for (const char *at = rule; *at;) {
    size_t length = strcspn(at, " ");
    carom_node operand = operand_of(it, at, length);
    assert(depth < DEEPEST);
    if (operand)
      stack[depth++] = operand;
    else
      depth = operate_on_stack(it, at, length, stack, depth);
    if (!stack[depth - 1]) return 0; // out of memory; the graph remembers
    at += length;
    if (*at) at++;
  }
  assert(depth == 1);
  return stack[0];
}
