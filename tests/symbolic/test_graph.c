// SPDX-License-Identifier: MIT
#include "check.h"
#include "expressions.h"

#include <stdlib.h>

// two expressions that must be one node; the left one goes through identities of the right kind
typedef struct pair {
  const char *left, *right;
} pair;

static const pair same[] = {
    {"x + 0", "x"},
    {"0 + x", "x"},
    {"x - 0", "x"},
    {"0 - x", "-x"},
    {"x*1", "x"},
    {"1*x", "x"},
    {"x*0", "0"},
    {"x/1", "x"},
    {"0/x", "0"},
    {"x - x", "0"},
    {"x/x", "1"},
    {"x^0", "1"},
    {"x^1", "x"},
    {"x^2", "x*x"},
    {"x^3", "x*x*x"},
    {"x^4", "(x*x)*(x*x)"},
    {"x^-1", "1/x"},
    {"x^-2", "1/(x*x)"},
    {"x^0.5", "sqrt(x)"},
    {"(-x)*y", "-(x*y)"},
    {"x*(-y)", "-(x*y)"},
    {"(-x)*(-y)", "x*y"},
    {"x + (-y)", "x - y"},
    {"-(-x)", "x"},
    {"-(x - y)", "y - x"},
    {"-x - y", "-(x + y)"},
    {"y + x", "x + y"},
    {"y*x", "x*y"},
    {"2*(3*x)", "6*x"},
    {"(2*x)*(3*y)", "6*(x*y)"},
    {"(x/2)*4", "2*x"},
    {"x/4", "0.25*x"},
    {"1 + (2 + x)", "3 + x"},
    {"x + x", "2*x"},
    {"2*x + 3*x - 5*x", "0"},
    {"x + y - x", "y"},
    {"(x + y) - (y + x)", "0"},
    {"m*x + m*y - x*m", "m*y"},
    {"if(1, x, y)", "x"},
    {"if(1 > 2, x, y)", "y"},
    {"if(x > 0, y, y)", "y"},
    {"cos(-x)", "cos(x)"},
    {"cos(-2*x)", "cos(2*x)"},
    {"sin(-x)", "-sin(x)"},
    {"tanh(-3*x)", "-tanh(3*x)"},
    {"abs(-x)", "abs(x)"},
    {"abs(x^2)", "x^2"},
    {"sqrt(x)^2", "x"},
    {"sqrt(x^2)", "abs(x)"},
    {"min(x, x)", "x"},
    {"max(x, y)", "max(y, x)"},
    {"not (x < y)", "x >= y"},
    {"x < x", "0"},
    {"x == x", "1"},
    {"x > 0 and 1", "x > 0"},
    {"x > 0 or 1", "1"},
    {"sin(x)^2 + cos(x)^2", "1"},
    {"m*sin(x)^2 + y + m*cos(x)^2", "m + y"},
    {"(m*sin(x))^2 + (m*cos(x))^2", "m^2"},
    {"2*m*Gamma^2*cos(theta)^2 + x*y + 2*m*(Gamma*sin(theta))^2", "2*m*Gamma^2 + x*y"},
    {"m*(Gamma*sin(x))^2/2 + m*(Gamma*cos(x))^2/2", "m*Gamma^2/2"},
    {"(x/y)*y", "x"},
    {"x*y/x", "y"},
    {"x/(x*y)", "1/y"},
    {"x*(1/y)", "x/y"},
};

static void test_identities(void **state) {
  (void)state;
  world *w = world_create();
  for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
    carom_node left = world_parse(w, same[k].left), right = world_parse(w, same[k].right);
    if (left == right && left) continue;
    print_error("%s became %s, expected %s\n", same[k].left,
                carom_node_text(w->arena, w->graph, left, 0),
                carom_node_text(w->arena, w->graph, right, 0));
    fail();
  }
  world_destroy(w);
}

static void test_what_must_stay(void **state) {
  (void)state;
  world *w = world_create();
  // different things stay different, and what has no finite value is not folded
  CHECK(world_parse(w, "x - y") != world_parse(w, "y - x"));
  CHECK(world_parse(w, "x/y") != world_parse(w, "y/x"));
  CHECK(world_parse(w, "sin(x)^2 + cos(y)^2") != world_parse(w, "1"));
  CHECK(world_parse(w, "2*sin(x)^2 + cos(x)^2") != world_parse(w, "1"));
  CHECK(!carom_node_is_constant(w->graph, world_parse(w, "1/0"), NULL));
  CHECK(!carom_node_is_constant(w->graph, world_parse(w, "log(-1)"), NULL));
  // collecting constants must neither overflow nor vanish
  CHECK(world_parse(w, "1e200*(1e200*x)") != world_parse(w, "x"));
  double values[WORLD_SYMBOLS] = {1e-150};
  carom_node tiny = world_parse(w, "1e300*(1e300*x)");
  CHECK(carom_node_evaluate(w->graph, tiny, values, NULL) > 1e300);
  values[0] = 1e300;
  carom_node small = world_parse(w, "1e-200*(1e-200*x)");
  CHECK_RELATIVE(carom_node_evaluate(w->graph, small, values, NULL), 1e-100, 1e-14);
  world_destroy(w);
}

// rebuilding any node from its own operands gives the node itself
static void test_nodes_are_fixed_points(void **state) {
  (void)state;
  world *w = world_create();
  carom_graph *g = w->graph;
  for (int k = 0; k < 3000; k++)
    CHECK(world_expression(w, 6, true) != 0);
  int count = carom_graph_count(g), bad = 0;
  for (carom_node i = 1; i <= (carom_node)count; i++) {
    carom_op op = carom_node_op(g, i);
    if (op == CAROM_OP_CONST || op == CAROM_OP_SYMBOL) continue;
    carom_node again = carom_node_make(g, op, carom_node_operand(g, i, 0),
                                       carom_node_operand(g, i, 1), carom_node_operand(g, i, 2));
    if (again != i && bad++ < 5)
      print_error("%s became %s\n", carom_node_text(w->arena, g, i, 500),
                  carom_node_text(w->arena, g, again, 500));
  }
  CHECK(bad == 0);
  CHECK(carom_graph_count(g) == count);
  world_destroy(w);
}

// the value of a graph built with simplification equals plain arithmetic on numbers
static double plain_value(const char *unused, const double *v) {
  (void)unused;
  double x = v[0], y = v[1], m = v[5], l = v[6], th = v[7];
  double a = l * sin(th), b = l * cos(th);
  return m / 2 * (2 * a * a + 2 * b * b) + (x - y) * (x + y) - x * x + 3 * x / 7 - (y - 2 * x) / 7;
}

static void test_values_survive(void **state) {
  (void)state;
  world *w = world_create();
  carom_node node = world_parse(w, "m/2*(2*(Gamma*sin(theta))^2 + 2*(Gamma*cos(theta))^2) + "
                                   "(x - y)*(x + y) - x^2 + 3*x/7 - (y - 2*x)/7");
  for (int k = 0; k < 100; k++) {
    double v[WORLD_SYMBOLS];
    world_values(w, v);
    CHECK_NEAR(carom_node_evaluate(w->graph, node, v, NULL), plain_value("", v), 1e-14);
  }
  world_destroy(w);
}

static void test_symbols_and_dependence(void **state) {
  (void)state;
  world *w = world_create();
  carom_graph *g = w->graph;
  carom_node node = world_parse(w, "x*sin(t) + m");
  CHECK(carom_node_depends(g, node, w->x));
  CHECK(!carom_node_depends(g, node, w->y));
  CHECK(carom_node_depends_kind(g, node, 1u << CAROM_SYMBOL_TIME));
  CHECK(!carom_node_depends_kind(g, node, 1u << CAROM_SYMBOL_RATE));
  CHECK(carom_node_as_symbol(g, w->dy)->index == 1);
  CHECK(carom_node_as_symbol(g, node) == NULL);

  // more than 64 symbols share bits; the answer must stay exact
  carom_node many[100];
  char name[16];
  for (int k = 0; k < 100; k++) {
    (void)snprintf(name, sizeof name, "p%d", k);
    many[k] = carom_node_symbol(g, name, CAROM_SYMBOL_PARAMETER);
  }
  node = carom_add(g, many[0], carom_mul(g, many[70], many[99]));
  CHECK(carom_node_depends(g, node, many[70]));
  CHECK(!carom_node_depends(g, node, many[64]));
  CHECK(!carom_node_depends(g, node, many[35]));
  CHECK(carom_node_derivative(g, node, many[64]) == carom_node_constant(g, 0.0));
  CHECK(carom_node_derivative(g, node, many[70]) == many[99]);
  world_destroy(w);
}

static void test_substitution(void **state) {
  (void)state;
  world *w = world_create();
  carom_graph *g = w->graph;
  // all at once: a swap is possible
  carom_node from[2] = {w->x, w->y}, to[2] = {w->y, w->x};
  carom_node node = carom_node_substitute(g, world_parse(w, "x^2 - sin(y)"), 2, from, to);
  CHECK(node == world_parse(w, "y^2 - sin(x)"));
  to[0] = world_parse(w, "0");
  CHECK(carom_node_substitute(g, world_parse(w, "x*y + t"), 1, from, to) == w->t);
  CHECK(carom_node_substitute(g, w->t, 2, from, to) == w->t);
  world_destroy(w);
}

static void test_depth_is_no_danger(void **state) {
  (void)state;
  world *w = world_create();
  carom_graph *g = w->graph;
  carom_node node = w->x;
  for (int k = 0; k < 200000; k++)
    node = carom_node_make(g, CAROM_OP_ATAN, node, 0, 0);
  CHECK(node != 0);
  CHECK(carom_node_derivative(g, node, w->x) != 0);
  double v[WORLD_SYMBOLS] = {0.5};
  CHECK(carom_node_evaluate(g, node, v, NULL) > 0.0);
  CHECK(carom_node_substitute(g, node, 1, &w->x, &w->y) != 0);
  CHECK(strlen(carom_node_text(w->arena, g, node, 100)) == 103);
  world_destroy(w);
}

static void test_size_limit(void **state) {
  (void)state;
  world *w = world_create();
  carom_node node = w->x;
  for (int k = 0; k <= CAROM_GRAPH_MAX_NODES && node; k++)
    node = carom_node_constant(w->graph, 1.5 + k);
  CHECK(node == 0);
  CHECK(carom_graph_status(w->graph) == CAROM_ERR_LIMIT);
  CHECK(carom_graph_count(w->graph) == CAROM_GRAPH_MAX_NODES);
  CHECK(carom_add(w->graph, w->x, w->y) == 0);
  world_destroy(w);
}

// an allocator that fails after a number of calls
typedef struct miser {
  int left;
} miser;

static void *miser_resize(void *ctx, void *pointer, size_t size) {
  miser *it = ctx;
  return it->left-- > 0 ? realloc(pointer, size) : NULL;
}

static void miser_release(void *ctx, void *pointer) {
  (void)ctx;
  free(pointer);
}

static void test_out_of_memory(void **state) {
  (void)state;
  for (int calls = 1; calls < 40; calls++) {
    miser it = {calls};
    carom_allocator allocator = {miser_resize, miser_release, &it};
    carom_arena *arena = carom_arena_create(&allocator);
    carom_graph *g = arena ? carom_graph_create(arena) : NULL;
    carom_node node = g ? carom_node_symbol(g, "x", CAROM_SYMBOL_COORDINATE) : 0, x = node;
    for (int k = 0; k < 5000 && node; k++)
      node =
          carom_mul(g, carom_node_make(g, CAROM_OP_SIN, node, 0, 0), carom_node_constant(g, k + 2));
    if (node) node = carom_node_derivative(g, node, x);
    if (g && !node) CHECK(carom_graph_status(g) == CAROM_ERR_MEMORY);
    carom_arena_destroy(arena);
  }
}

static void test_tables(void **state) {
  (void)state;
  world *w = world_create();
  carom_graph *g = w->graph;
  const double x[] = {0, 1, 2, 4, 5}, y[] = {0, 1, 1, 3, 8};
  CHECK(carom_graph_add_table(g, "bad", 1, x, y) == -1);
  CHECK(carom_graph_add_table(g, "bad", 2, (double[]){1, 1}, y) == -1);
  CHECK(carom_graph_add_table(g, "bad", 2, (double[]){1, (double)NAN}, y) == -1);
  int number = carom_graph_add_table(g, "bump", 5, x, y);
  CHECK(number == 0);
  const carom_table *table = carom_graph_table(g, number);
  // flat between equal points, never steeper than three secants on either side
  CHECK_SAME(table->slope[1], 0.0);
  CHECK_SAME(table->slope[2], 0.0);
  CHECK(table->slope[3] > 0.0 && table->slope[3] <= 3.0);
  // monotone data give a monotone function, through the points
  carom_node node = carom_node_table(g, number, w->x);
  double before = 0.0;
  for (int k = 0; k <= 1200; k++) {
    double v[WORLD_SYMBOLS] = {k / 200.0 - 0.5};
    double value = carom_node_evaluate(g, node, v, NULL);
    CHECK(value >= before - 1e-15);
    before = value;
  }
  for (int k = 0; k < 5; k++)
    CHECK_SAME(carom_node_evaluate(g, node, (double[8]){x[k]}, NULL), y[k]);
  // straight data give the straight line
  const double straight[] = {1, 3, 5, 9, 11};
  carom_node line = carom_node_table(g, carom_graph_add_table(g, "line", 5, x, straight), w->x);
  CHECK_NEAR(carom_node_evaluate(g, line, (double[8]){3.3}, NULL), 7.6, 1e-14);
  world_destroy(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_identities),
      cmocka_unit_test(test_what_must_stay),
      cmocka_unit_test(test_nodes_are_fixed_points),
      cmocka_unit_test(test_values_survive),
      cmocka_unit_test(test_symbols_and_dependence),
      cmocka_unit_test(test_substitution),
      cmocka_unit_test(test_depth_is_no_danger),
      cmocka_unit_test(test_size_limit),
      cmocka_unit_test(test_out_of_memory),
      cmocka_unit_test(test_tables),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
