// SPDX-License-Identifier: MIT
/// Writes a graph as text with a stack of its own: pieces still to be written wait there, so depth
/// costs no recursion and a length limit can stop at any point.
#ifndef CAROM_SYMBOLIC_WRITER_H
#define CAROM_SYMBOLIC_WRITER_H

#include "symbolic/graph.h"

#include <string.h>

/// How tightly the outermost operation of a piece of text binds, loosest first.
enum {
  CAROM_BIND_ANY,
  CAROM_BIND_OR,
  CAROM_BIND_AND,
  CAROM_BIND_NOT,
  CAROM_BIND_COMPARISON,
  CAROM_BIND_SUM,
  CAROM_BIND_PRODUCT,
  CAROM_BIND_SIGN,
  CAROM_BIND_POWER,
  CAROM_BIND_ATOM
};

/// `length` characters of text, or a node that must bind at least as tightly as `need`.
typedef struct carom_piece {
  const char *text; // NULL for a node
  size_t length;
  carom_node node;
  int need;
} carom_piece;

typedef struct carom_writer {
  carom_arena *arena;
  const carom_graph *graph;
  void (*expand)(struct carom_writer *writer, carom_node node, int need); // emits a node's pieces
  char *text;
  int count, capacity;
  carom_piece *stack;
  int depth, stack_capacity;
  bool failed;
} carom_writer;

/// Writes `node`; NULL when out of memory. See carom_node_text for `limit`.
char *carom_writer_run(carom_writer *writer, carom_node node, size_t limit);

/// Puts pieces next in line, first to last; those without text and node are skipped.
void carom_writer_emit(carom_writer *writer, int count, const carom_piece *pieces);

/// Puts the pieces of a template of the table of operations next in line, without its first digit;
/// `a`, `b` stand for the first operands, `table` for the name of a sampled function.
void carom_writer_fill(carom_writer *writer, const char *template, carom_node node, carom_node a,
                       carom_node b, const char *table);

static inline carom_piece carom_piece_text(const char *text) {
  return (carom_piece){.text = text, .length = strlen(text)};
}
static inline carom_piece carom_piece_node(carom_node node, int need) {
  return (carom_piece){NULL, 0, node, need};
}

#define CAROM_EMIT(writer, ...)                                                                    \
  carom_writer_emit((writer), (int)(sizeof((carom_piece[]){__VA_ARGS__}) / sizeof(carom_piece)),   \
                    (carom_piece[]){__VA_ARGS__})

/// A copy of formatted text that lives in the arena; never NULL (sets `failed`).
const char *carom_writer_format(carom_writer *writer, const char *format, ...) CAROM_PRINTF(2, 3);

/// Is the product `node` a power base^n, n = 2 .. 8, in the form that POW makes of it?
bool carom_node_is_power(const carom_graph *graph, carom_node node, carom_node *base, int *n);

/// Operands of a commutative operation in writing order: one of the same family first.
void carom_writing_order(const carom_graph *graph, carom_node node, carom_node *a, carom_node *b);

#endif
