// SPDX-License-Identifier: MIT
/// A small world for tests of expressions: a graph, some symbols, a scope that knows them, and
/// random expressions.
#ifndef CAROM_TESTS_EXPRESSIONS_H
#define CAROM_TESTS_EXPRESSIONS_H

#include "symbolic/parse.h"

#include <stdint.h>
#include <string.h>

enum { WORLD_SYMBOLS = 8 };

typedef struct world {
  carom_arena *arena;
  carom_graph *graph;
  carom_node x, y, dx, dy, t, m, l, theta;
  carom_parse_scope scope;
  uint64_t seed;
} world;

static inline carom_node world_lookup(void *ctx, const char *name, carom_place place,
                                      carom_error *error) {
  world *w = ctx;
  if (strcmp(name, "cyclic") == 0) {
    carom_fail_at(error, CAROM_ERR_INPUT, place, "cyclic is defined by itself");
    return 0;
  }
  for (int k = 0; k < carom_graph_symbol_count(w->graph); k++)
    if (strcmp(carom_graph_symbol(w->graph, k)->name, name) == 0)
      return carom_graph_symbol(w->graph, k)->node;
  return 0;
}

// d/dt with x' = dx, y' = dy, t' = 1; rates have no derivative here
static inline carom_node world_prime(void *ctx, carom_node node, carom_place place,
                                     carom_error *error) {
  world *w = ctx;
  carom_graph *g = w->graph;
  if (carom_node_depends(g, node, w->dx) || carom_node_depends(g, node, w->dy)) {
    carom_fail_at(error, CAROM_ERR_INPUT, place, "accelerations are not allowed here");
    return 0;
  }
  carom_node rate = carom_node_derivative(g, node, w->t);
  rate = carom_add(g, rate, carom_mul(g, carom_node_derivative(g, node, w->x), w->dx));
  return carom_add(g, rate, carom_mul(g, carom_node_derivative(g, node, w->y), w->dy));
}

static inline int world_names(void *ctx, const char **names, int room) {
  world *w = ctx;
  int count = carom_graph_symbol_count(w->graph);
  if (count > room) count = room;
  for (int k = 0; k < count; k++)
    names[k] = carom_graph_symbol(w->graph, k)->name;
  return count;
}

// table("bump", x) and its derivatives, mean(x) as x itself, max(x) of one argument as x + 1
static inline carom_node world_call(void *ctx, const char *name, int count,
                                    const char *const *arguments, const carom_place *places,
                                    carom_place place, carom_error *error) {
  world *w = ctx;
  carom_graph *g = w->graph;
  (void)place;
  if (strcmp(name, "mean") == 0 && count == 1)
    return carom_parse(&w->scope, arguments[0], places[0], error);
  if (strcmp(name, "max") == 0 && count == 1)
    return carom_add(g, carom_parse(&w->scope, arguments[0], places[0], error),
                     carom_node_constant(g, 1.0));
  if (count != 2 || strcmp(arguments[0], "\"bump\"") != 0) return 0;
  carom_node x = carom_parse(&w->scope, arguments[1], places[1], error);
  if (strcmp(name, "table") == 0) return carom_node_table(g, 0, x);
  if (!x || (strcmp(name, "slope") != 0 && strcmp(name, "curve") != 0)) return 0;
  carom_node slope = carom_node_derivative(g, carom_node_table(g, 0, x), x);
  return strcmp(name, "slope") == 0 ? slope : carom_node_derivative(g, slope, x);
}

static inline world *world_create(void) {
  carom_arena *arena = carom_arena_create(NULL);
  world *w = carom_arena_take(arena, sizeof *w);
  carom_graph *g = carom_graph_create(arena);
  *w = (world){.arena = arena, .graph = g, .seed = 12345};
  w->x = carom_node_symbol(g, "x", CAROM_SYMBOL_COORDINATE);
  w->y = carom_node_symbol(g, "y", CAROM_SYMBOL_COORDINATE);
  w->dx = carom_node_symbol(g, "x'", CAROM_SYMBOL_RATE);
  w->dy = carom_node_symbol(g, "y'", CAROM_SYMBOL_RATE);
  w->t = carom_node_symbol(g, "t", CAROM_SYMBOL_TIME);
  w->m = carom_node_symbol(g, "m", CAROM_SYMBOL_PARAMETER);
  w->l = carom_node_symbol(g, "Gamma", CAROM_SYMBOL_PARAMETER);
  w->theta = carom_node_symbol(g, "theta", CAROM_SYMBOL_COORDINATE);
  w->scope = (carom_parse_scope){g, w, world_lookup, world_prime, world_call, world_names, NULL};
  return w;
}

static inline void world_destroy(world *w) { carom_arena_destroy(w->arena); }

static inline carom_node world_parse(world *w, const char *text) {
  carom_error error = {0};
  return carom_parse(&w->scope, text, (carom_place){"test", 1, 1}, &error);
}

/// The next number of a linear congruential sequence (Knuth's MMIX constants), 0 .. below - 1.
static inline int world_random(world *w, int below) {
  w->seed = w->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (int)((w->seed >> 33) % (uint64_t)below);
}

/// A random expression: smooth everywhere for symbols in (0.2, 0.9) unless `kinks`.
static inline carom_node world_expression(world *w, int depth, bool kinks) {
  carom_graph *g = w->graph;
  carom_node leaves[] = {w->x, w->y, w->dx, w->dy, w->t, w->m, w->l, w->theta};
  static const double numbers[] = {0.0, 1.0, -1.0, 2.0, 0.5, -3.0, 0.1, 7.25, -0.3, 1e-3};
  if (depth == 0) {
    if (world_random(w, 3) == 0) return carom_node_constant(g, numbers[world_random(w, 10)]);
    return leaves[world_random(w, 8)];
  }
  carom_node a = world_expression(w, depth - 1 - world_random(w, depth), kinks);
  carom_node b = world_expression(w, depth - 1 - world_random(w, depth), kinks);
  carom_node one = carom_node_constant(g, 1.0);
  // an argument that is always positive, for roots and logarithms
  carom_node positive = carom_add(g, one, carom_mul(g, a, a));
  static const carom_op plain[] = {CAROM_OP_SIN, CAROM_OP_COS, CAROM_OP_ATAN, CAROM_OP_TANH};
  static const carom_op compare[] = {CAROM_OP_LT, CAROM_OP_LE, CAROM_OP_GT,
                                     CAROM_OP_GE, CAROM_OP_EQ, CAROM_OP_NE};
  switch (world_random(w, kinks ? 19 : 14)) {
  case 0:
  case 1: return carom_add(g, a, b);
  case 2:
  case 3: return carom_sub(g, a, b);
  case 4:
  case 5: return carom_mul(g, a, b);
  case 6: return carom_div(g, b, positive);
  case 7: return carom_neg(g, a);
  case 8: return carom_node_make(g, plain[world_random(w, 4)], a, 0, 0);
  case 9: return carom_node_make(g, CAROM_OP_SQRT, positive, 0, 0);
  case 10: return carom_node_make(g, CAROM_OP_LOG, positive, 0, 0);
  case 11:
    return carom_node_make(g, CAROM_OP_POW, a, carom_node_constant(g, world_random(w, 5)), 0);
  case 12: {
    carom_node exponent = carom_node_constant(g, 0.5 * (world_random(w, 7) - 3));
    return carom_node_make(g, CAROM_OP_POW, positive, exponent, 0);
  }
  case 13: return carom_node_make(g, CAROM_OP_ATAN2, positive, b, 0);
  case 14: return carom_node_make(g, CAROM_OP_ABS, a, 0, 0);
  case 15: return carom_node_make(g, world_random(w, 2) ? CAROM_OP_MIN : CAROM_OP_MAX, a, b, 0);
  case 16: return carom_node_make(g, CAROM_OP_SIGN, a, 0, 0);
  case 17: return carom_node_make(g, compare[world_random(w, 6)], a, b, 0);
  default: {
    carom_node c = carom_node_make(g, compare[world_random(w, 6)], a, b, 0);
    carom_node d = carom_node_make(g, compare[world_random(w, 6)], b, one, 0);
    carom_node both = carom_node_make(g, world_random(w, 2) ? CAROM_OP_AND : CAROM_OP_OR, c, d, 0);
    if (world_random(w, 2)) both = carom_node_make(g, CAROM_OP_NOT, both, 0, 0);
    return carom_node_make(g, CAROM_OP_IF, both, a, b);
  }
  }
}

/// Random values of the symbols in (0.2, 0.9).
static inline void world_values(world *w, double values[WORLD_SYMBOLS]) {
  for (int k = 0; k < WORLD_SYMBOLS; k++)
    values[k] = 0.2 + 0.7 * world_random(w, 100000) / 1e5;
}

#endif
