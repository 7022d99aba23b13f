// SPDX-License-Identifier: MIT
#include "check.h"
#include "expressions.h"
#include "symbolic/kink.h"

// a condition that still depends on what moves would be a kink left behind
static bool is_smooth(const carom_graph *g, carom_node node) {
  const unsigned fixed = (1u << CAROM_SYMBOL_PARAMETER) | (1u << CAROM_SYMBOL_MODE);
  for (carom_node i = 1; i <= node; i++) {
    carom_op op = carom_node_op(g, i);
    bool first =
        op == CAROM_OP_ABS || op == CAROM_OP_SIGN || op == CAROM_OP_NOT || op == CAROM_OP_IF;
    bool both =
        op == CAROM_OP_MIN || op == CAROM_OP_MAX || (op >= CAROM_OP_LT && op <= CAROM_OP_OR);
    if (!first && !both) continue;
    bool moves = carom_node_depends_kind(g, carom_node_operand(g, i, 0), ~fixed) ||
                 (both && carom_node_depends_kind(g, carom_node_operand(g, i, 1), ~fixed));
    if (!moves) continue;
    // is it below the node at all? a fresh symbol put in its place would show; compare by reach
    carom_node stack[4096];
    int depth = 0;
    stack[depth++] = node;
    while (depth > 0) {
      carom_node at = stack[--depth];
      if (at == i) return false;
      for (int k = 0; k < 3 && at > i; k++)
        if (carom_node_operand(g, at, k) >= i && depth < 4096)
          stack[depth++] = carom_node_operand(g, at, k);
    }
  }
  return true;
}

// sets each mode to the sign of its argument, in order: arguments know earlier modes only
static void set_modes(world *w, const carom_kink_list *list, double *values) {
  for (int k = 0; k < list->count; k++) {
    double u = carom_node_evaluate(w->graph, list->items[k].argument, values, NULL);
    for (int j = 0; j < carom_graph_symbol_count(w->graph); j++)
      if (carom_graph_symbol(w->graph, j)->node == list->items[k].mode) values[j] = u > 0 ? 1 : -1;
  }
}

typedef struct example {
  const char *text;
  int modes;
} example;

static void test_examples(void **state) {
  (void)state;
  static const example examples[] = {
      {"x + y", 0},
      {"abs(x)", 1},
      {"abs(x) + sign(-x)*y + (x > 0)*t", 1},
      {"abs(x - y) + max(x, y) + if(y < x, 1, 2)", 1},
      {"abs(abs(x) - 0.5)", 2},
      {"min(x, y, t)", 2},
      {"abs(m)*x + if(m > Gamma, x, y)", 0},
      {"if(x > 0 and y > 0, x, y)", 2},
      {"if(not (x > 0.5 or y > 0.5), x, y)", 2},
      {"if(x == y, 1, 2)", 0},
      {"if(x != y, abs(x), abs(y))", 1},
      {"if(x, y, t)", 0},
      {"(x > 0.4)*m*x", 1},
      {"sign(x)*m + abs(sign(x)*m)", 1},
  };
  for (size_t k = 0; k < sizeof examples / sizeof *examples; k++) {
    world *w = world_create();
    carom_node node = world_parse(w, examples[k].text);
    carom_kink_list list = {0};
    carom_node smooth = carom_kink_remove(w->graph, w->arena, node, &list);
    if (list.count != examples[k].modes)
      print_error("%s has %d modes, expected %d\n", examples[k].text, list.count,
                  examples[k].modes);
    CHECK(smooth != 0 && list.count == examples[k].modes);
    CHECK(is_smooth(w->graph, smooth));
    for (int trial = 0; trial < 50; trial++) {
      double v[64] = {0};
      world_values(w, v);
      v[0] = 2.0 * v[0] - 1.1;
      v[1] = 2.0 * v[1] - 1.1;
      double expected = carom_node_evaluate(w->graph, node, v, NULL);
      set_modes(w, &list, v);
      CHECK_NEAR(carom_node_evaluate(w->graph, smooth, v, NULL), expected, 1e-15);
    }
    world_destroy(w);
  }
}

static void test_random(void **state) {
  (void)state;
  world *w = world_create();
  for (int trial = 0; trial < 400; trial++) {
    carom_kink_list list = {0};
    carom_node node = world_expression(w, 4, true);
    carom_node smooth = carom_kink_remove(w->graph, w->arena, node, &list);
    CHECK(smooth != 0);
    for (int k = 0; k < list.count; k++)
      CHECK(is_smooth(w->graph, list.items[k].argument));
    CHECK(is_smooth(w->graph, smooth));
    // once smooth, nothing more is found
    int count = list.count;
    CHECK(carom_kink_remove(w->graph, w->arena, smooth, &list) == smooth);
    CHECK(list.count == count);
    double v[4096] = {0};
    CHECK(carom_graph_symbol_count(w->graph) < 4096);
    world_values(w, v);
    double expected = carom_node_evaluate(w->graph, node, v, NULL);
    set_modes(w, &list, v);
    // a switching function that is exactly zero is on neither side
    bool edge = false;
    for (int k = 0; k < list.count; k++)
      edge |= carom_node_evaluate(w->graph, list.items[k].argument, v, NULL) == 0.0;
    if (!edge)
      CHECK_NEAR(carom_node_evaluate(w->graph, smooth, v, NULL), expected,
                 1e-12 * (1.0 + fabs(expected)));
  }
  world_destroy(w);
}

static void test_shapes(void **state) {
  (void)state;
  world *w = world_create();
  carom_graph *g = w->graph;
  carom_kink_list list = {0};
  carom_node smooth = carom_kink_remove(g, w->arena, world_parse(w, "abs(x)"), &list);
  CHECK(list.count == 1);
  CHECK(list.items[0].argument == w->x);
  CHECK(list.items[0].origin == world_parse(w, "abs(x)"));
  CHECK(smooth == carom_mul(g, list.items[0].mode, w->x));
  CHECK(carom_node_as_symbol(g, list.items[0].mode)->kind == CAROM_SYMBOL_MODE);
  // the derivative follows the branch
  CHECK(carom_node_derivative(g, smooth, w->x) == list.items[0].mode);
  // a second expression with the same switch shares the mode
  carom_node other = carom_kink_remove(g, w->arena, world_parse(w, "if(x < 0, y, t)"), &list);
  CHECK(list.count == 1);
  CHECK(carom_node_derivative(g, other, w->x) == carom_node_constant(g, 0.0));
  CHECK(carom_node_depends(g, other, list.items[0].mode));
  // the inner kink comes first, and the outer argument uses its mode
  list.count = 0;
  CHECK(carom_kink_remove(g, w->arena, world_parse(w, "abs(abs(y) - t)"), &list) != 0);
  CHECK(list.count == 2);
  CHECK(list.items[0].argument == w->y);
  CHECK(carom_node_depends(g, list.items[1].argument, list.items[0].mode));
  world_destroy(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_examples),
      cmocka_unit_test(test_random),
      cmocka_unit_test(test_shapes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
