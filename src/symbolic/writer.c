// SPDX-License-Identifier: MIT
#include "symbolic/writer.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// shared subexpressions are written out each time: without any limit a small graph could fill
// memory
enum { LONGEST_TEXT = 1 << 26, LARGEST_POWER = 8 };

static void append_text(carom_writer *w, const char *text, size_t length) {
  for (size_t k = 0; k < length && !w->failed; k++) {
    void *moved = w->text;
    w->failed = !carom_arena_grow(w->arena, &moved, w->count, &w->capacity, 1);
    w->text = moved;
    if (!w->failed) w->text[w->count++] = text[k];
  }
}

static void push_piece(carom_writer *w, carom_piece piece) {
  void *moved = w->stack;
  if (!carom_arena_grow(w->arena, &moved, w->depth, &w->stack_capacity, sizeof piece))
    w->failed = true;
  w->stack = moved;
  if (!w->failed) w->stack[w->depth++] = piece;
}

void carom_writer_emit(carom_writer *writer, int count, const carom_piece *pieces) {
  for (int k = count - 1; k >= 0; k--)
    if (pieces[k].text || pieces[k].node) push_piece(writer, pieces[k]);
}

void carom_writer_fill(carom_writer *writer, const char *template, carom_node node, carom_node a,
                       carom_node b, const char *table) {
  enum { MOST = 8 };
  const carom_node operands[] = {a, b, carom_node_operand(writer->graph, node, 2)};
  carom_piece pieces[MOST];
  int count = 0;
  for (const char *at = template; *at; count++) {
    assert(count < MOST);
    if (*at != '#') {
      pieces[count] = (carom_piece){.text = at, .length = strcspn(at, "#")};
      at += pieces[count].length;
    } else if (at[1] == 't') {
      pieces[count] = carom_piece_text(table);
      at += 2;
    } else {
      assert(at[1] >= 'a' && at[1] <= 'c');
      bool bound = at[2] >= '0' && at[2] <= '9';
      pieces[count] = carom_piece_node(operands[at[1] - 'a'], bound ? at[2] - '0' : CAROM_BIND_ANY);
      at += bound ? 3 : 2;
    }
  }
  carom_writer_emit(writer, count, pieces);
}

const char *carom_writer_format(carom_writer *writer, const char *format, ...) {
  char buffer[256];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  const char *copy = carom_arena_text(writer->arena, buffer, strlen(buffer));
  if (!copy) writer->failed = true;
  return copy ? copy : "";
}

// shortens to the limit, at the start of a character
static void cut_text(carom_writer *w, size_t limit) {
  w->count = (int)limit;
  while (w->count > 0 && ((unsigned char)w->text[w->count] & 0xC0u) == 0x80u)
    w->count--;
  append_text(w, "...", 3);
}

char *carom_writer_run(carom_writer *writer, carom_node node, size_t limit) {
  if (limit == 0 || limit > LONGEST_TEXT) limit = LONGEST_TEXT;
  push_piece(writer, carom_piece_node(node, CAROM_BIND_ANY));
  while (writer->depth > 0 && !writer->failed && (size_t)writer->count <= limit) {
    carom_piece next = writer->stack[--writer->depth];
    if (next.text)
      append_text(writer, next.text, next.length);
    else
      writer->expand(writer, next.node, next.need);
  }
  if ((size_t)writer->count > limit) cut_text(writer, limit);
  append_text(writer, "", 1);
  return writer->failed ? NULL : writer->text;
}

// exponent of `base` in the chain that power_chain of simplify.c makes; 0 when it is none
static int chain_exponent(const carom_graph *g, carom_node node, carom_node base, int steps) {
  if (node == base) return 1;
  if (steps == 0 || carom_node_op(g, node) != CAROM_OP_MUL) return 0;
  carom_node a = carom_node_operand(g, node, 0), b = carom_node_operand(g, node, 1);
  if (a == b) {
    int half = chain_exponent(g, a, base, steps - 1);
    return 2 * half <= LARGEST_POWER ? 2 * half : 0;
  }
  // an odd power is the even one below it times the base
  carom_node rest = a == base ? b : b == base ? a : 0;
  int even = rest ? chain_exponent(g, rest, base, steps - 1) : 0;
  return even > 0 && even % 2 == 0 && even < LARGEST_POWER ? even + 1 : 0;
}

bool carom_node_is_power(const carom_graph *graph, carom_node node, carom_node *base, int *n) {
  // walk down the chain; the deepest base that explains the whole product is the best
  carom_node at = node;
  *n = 0;
  for (int step = 0; step < 4 && carom_node_op(graph, at) == CAROM_OP_MUL; step++) {
    carom_node a = carom_node_operand(graph, at, 0), b = carom_node_operand(graph, at, 1);
    // the base is the smaller factor: both are equal, or one is a power of the other
    carom_node candidates[2] = {a, b};
    for (int k = 0; k < 2; k++) {
      int exponent = chain_exponent(graph, node, candidates[k], LARGEST_POWER);
      if (exponent <= *n) continue;
      *n = exponent;
      *base = candidates[k];
    }
    at = a < b ? a : b;
  }
  return *n > 1;
}

static bool same_family(const carom_graph *g, carom_node node, carom_op op) {
  carom_op have = carom_node_op(g, node);
  if (op == CAROM_OP_ADD) return have == CAROM_OP_ADD || have == CAROM_OP_SUB;
  if (op == CAROM_OP_MUL) return have == CAROM_OP_MUL || have == CAROM_OP_DIV;
  return have == op;
}

void carom_writing_order(const carom_graph *graph, carom_node node, carom_node *a, carom_node *b) {
  carom_op op = carom_node_op(graph, node);
  *a = carom_node_operand(graph, node, 0);
  *b = carom_node_operand(graph, node, 1);
  bool constant_sum = op == CAROM_OP_ADD && carom_node_is_constant(graph, *a, NULL);
  bool constant_factor = op == CAROM_OP_MUL && carom_node_is_constant(graph, *a, NULL);
  carom_node base;
  int n;
  bool chain = same_family(graph, *b, op) && !carom_node_is_power(graph, *b, &base, &n);
  if (constant_factor || (!constant_sum && !(chain && !same_family(graph, *a, op)))) return;
  carom_node first = *b;
  *b = *a;
  *a = first;
}
