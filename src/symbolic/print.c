// SPDX-License-Identifier: MIT
// Nodes in the language of the parser. Reading the text back in the same graph gives the same node:
// where brackets are left out, the simplifier is known to find the way back.
#include "symbolic/number.h"
#include "symbolic/operation.h"
#include "symbolic/parse.h"
#include "symbolic/writer.h"

#include <math.h>

#define TEXT(t) carom_piece_text(t)
#define NODE(n, need) carom_piece_node(n, need)

static carom_node operand_of(const carom_writer *w, carom_node node, int k) {
  return carom_node_operand(w->graph, node, k);
}

static bool is_constant(const carom_writer *w, carom_node node) {
  return carom_node_is_constant(w->graph, node, NULL);
}

// how tightly the text of a node binds
static int binding_of(const carom_writer *w, carom_node node) {
  carom_node base;
  int n;
  double value;
  carom_op op = carom_node_op(w->graph, node);
  if (carom_node_is_constant(w->graph, node, &value))
    return value < 0.0 ? CAROM_BIND_SIGN : isfinite(value) ? CAROM_BIND_ATOM : CAROM_BIND_PRODUCT;
  if (op == CAROM_OP_MUL && carom_node_is_power(w->graph, node, &base, &n)) return CAROM_BIND_POWER;
  const char *template = carom_operation_of(op)->text;
  return template ? template[0] - '0' : CAROM_BIND_ATOM;
}

static void write_constant(carom_writer *w, double value) {
  char buffer[CAROM_NUMBER_ROOM];
  if (isnan(value))
    CAROM_EMIT(w, TEXT("0/0"));
  else if (isinf(value))
    CAROM_EMIT(w, TEXT(value > 0.0 ? "1/0" : "-1/0"));
  else
    CAROM_EMIT(w, TEXT(carom_writer_format(w, "%s", carom_number_write(value, buffer))));
}

// c + x is written x + c, and x - |c| when c is negative
static void write_add(carom_writer *w, carom_node node) {
  carom_node a, b;
  double c;
  char buffer[CAROM_NUMBER_ROOM];
  carom_writing_order(w->graph, node, &a, &b);
  if (carom_node_is_constant(w->graph, b, &c) && c < 0.0 && isfinite(c)) {
    const char *number = carom_writer_format(w, "%s", carom_number_write(-c, buffer));
    CAROM_EMIT(w, NODE(a, CAROM_BIND_SUM), TEXT(" - "), TEXT(number));
    return;
  }
  CAROM_EMIT(w, NODE(a, CAROM_BIND_SUM), TEXT(" + "), NODE(b, CAROM_BIND_PRODUCT));
}

// would a factor before the text of a product be drawn into a division or a constant at its start?
static bool takes_factor(const carom_writer *w, carom_node node) {
  while (binding_of(w, node) == CAROM_BIND_PRODUCT) {
    carom_node a, b;
    if (carom_node_op(w->graph, node) != CAROM_OP_MUL) return true;
    carom_writing_order(w->graph, node, &a, &b);
    node = a;
  }
  return is_constant(w, node);
}

// would a sign before the text of a product be lost? It moves into a sum in brackets, and -0 is 0
static bool takes_sign(const carom_writer *w, carom_node node) {
  while (!is_constant(w, node) && binding_of(w, node) == CAROM_BIND_PRODUCT) {
    carom_node a, b;
    carom_writing_order(w->graph, node, &a, &b);
    node = carom_node_op(w->graph, node) == CAROM_OP_MUL ? a : operand_of(w, node, 0);
  }
  return binding_of(w, node) == CAROM_BIND_SUM || is_constant(w, node);
}

static void write_neg(carom_writer *w, carom_node node) {
  carom_node a = operand_of(w, node, 0);
  CAROM_EMIT(w, TEXT("-"), NODE(a, takes_sign(w, a) ? CAROM_BIND_SIGN : CAROM_BIND_PRODUCT));
}

static void write_mul(carom_writer *w, carom_node node) {
  carom_node a, b;
  int n;
  if (carom_node_is_power(w->graph, node, &a, &n)) {
    CAROM_EMIT(w, NODE(a, CAROM_BIND_ATOM), TEXT(carom_writer_format(w, "^%d", n)));
    return;
  }
  carom_writing_order(w->graph, node, &a, &b);
  // 2*x*y needs no brackets: constants move to the front anyway
  bool open = is_constant(w, a) && !takes_factor(w, b);
  CAROM_EMIT(w, NODE(a, CAROM_BIND_PRODUCT), TEXT("*"),
             NODE(b, open ? CAROM_BIND_PRODUCT : CAROM_BIND_SIGN));
}

static void write_call(carom_writer *w, carom_node node, carom_op op) {
  carom_node b = operand_of(w, node, 1), c = operand_of(w, node, 2);
  CAROM_EMIT(w, TEXT(carom_op_name(op)), TEXT("("), NODE(operand_of(w, node, 0), CAROM_BIND_ANY),
             TEXT(b ? ", " : ""), NODE(b, CAROM_BIND_ANY), TEXT(c ? ", " : ""),
             NODE(c, CAROM_BIND_ANY), TEXT(")"));
}

static void write_operation(carom_writer *w, carom_node node, carom_op op) {
  const char *template = carom_operation_of(op)->text;
  int table = carom_node_table_index(w->graph, node);
  carom_node a = operand_of(w, node, 0), b = operand_of(w, node, 1);
  if (op == CAROM_OP_AND || op == CAROM_OP_OR) carom_writing_order(w->graph, node, &a, &b);
  if (template)
    carom_writer_fill(w, template + 1, node, a, b,
                      table >= 0 ? carom_graph_table(w->graph, table)->name : "");
  else
    write_call(w, node, op);
}

static void write_node(carom_writer *w, carom_node node) {
  carom_op op = carom_node_op(w->graph, node);
  double value;
  switch (op) {
  case CAROM_OP_CONST:
    (void)carom_node_is_constant(w->graph, node, &value);
    write_constant(w, value);
    return;
  case CAROM_OP_SYMBOL: CAROM_EMIT(w, TEXT(carom_node_as_symbol(w->graph, node)->name)); return;
  case CAROM_OP_ADD: write_add(w, node); return;
  case CAROM_OP_MUL: write_mul(w, node); return;
  case CAROM_OP_NEG: write_neg(w, node); return;
  default: write_operation(w, node, op); return;
  }
}

static void expand_node(carom_writer *w, carom_node node, int need) {
  if (binding_of(w, node) < need)
    CAROM_EMIT(w, TEXT("("), NODE(node, CAROM_BIND_ANY), TEXT(")"));
  else
    write_node(w, node);
}

char *carom_node_text(carom_arena *arena, const carom_graph *graph, carom_node node, size_t limit) {
  if (!node) return carom_arena_text(arena, "", 0);
  carom_writer writer = {.arena = arena, .graph = graph, .expand = expand_node};
  return carom_writer_run(&writer, node, limit);
}
