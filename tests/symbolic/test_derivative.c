// SPDX-License-Identifier: MIT
#include "check.h"
#include "expressions.h"

// every symbol of the world as a value; x is number 0, y number 1
static double value_at(world *w, carom_node node, const double *values, int k, double shift) {
  double moved[WORLD_SYMBOLS];
  memcpy(moved, values, sizeof moved);
  moved[k] += shift;
  return carom_node_evaluate(w->graph, node, moved, NULL);
}

static double central(world *w, carom_node node, const double *values, int k, double h) {
  return (value_at(w, node, values, k, h) - value_at(w, node, values, k, -h)) / (2.0 * h);
}

// central differences extrapolated twice, error O(h^6); `*error` is the last change
static double richardson(world *w, carom_node node, const double *values, int k, double *error) {
  double d1 = central(w, node, values, k, 4e-3), d2 = central(w, node, values, k, 2e-3);
  double d3 = central(w, node, values, k, 1e-3);
  double e1 = (4.0 * d2 - d1) / 3.0, e2 = (4.0 * d3 - d2) / 3.0, result = (16.0 * e2 - e1) / 15.0;
  *error = fabs(result - e2);
  return result;
}

typedef struct closed_form {
  const char *function, *derivative;
} closed_form;

static const closed_form forms[] = {
    {"x^2", "2*x"},
    {"x^3", "3*x^2"},
    {"x^2.5", "2.5*x^1.5"},
    {"x^9", "9*x^8"},
    {"x^-3", "-3/x^4"},
    {"x^y", "y*x^(y - 1)"},
    {"y^x", "y^x*log(y)"},
    {"x^x", "x^x*(log(x) + 1)"},
    {"sqrt(x)", "1/(2*sqrt(x))"},
    {"cbrt(x)", "1/(3*cbrt(x)^2)"},
    {"exp(2*x)", "2*exp(2*x)"},
    {"log(3*x)", "1/x"},
    {"log10(x)", "1/(x*log(10))"},
    {"sin(x)", "cos(x)"},
    {"cos(y*x)", "-y*sin(y*x)"},
    {"tan(x)", "1/cos(x)^2"},
    {"asin(x)", "1/sqrt(1 - x^2)"},
    {"acos(x)", "-1/sqrt(1 - x^2)"},
    {"atan(x)", "1/(1 + x^2)"},
    {"atan2(x, y)", "y/(x^2 + y^2)"},
    {"atan2(y, x)", "-y/(x^2 + y^2)"},
    {"sinh(x)", "cosh(x)"},
    {"cosh(x)", "sinh(x)"},
    {"tanh(x)", "1/cosh(x)^2"},
    {"hypot(x, y)", "x/sqrt(x^2 + y^2)"},
    {"x/y", "1/y"},
    {"y/x", "-y/x^2"},
    {"(x + y)/(x - y)", "-2*y/(x - y)^2"},
    {"abs(x - 0.5)", "if(x > 0.5, 1, -1)"},
    {"sign(x)", "0"},
    {"x < y", "0"},
    {"min(x, y)", "if(x < y, 1, 0)"},
    {"max(x^2, y)", "if(x^2 > y, 2*x, 0)"},
    {"if(x > y, sin(x), x^2)", "if(x > y, cos(x), 2*x)"},
    {"m*t", "0"},
    {"exp(-x^2/2)", "-x*exp(-x^2/2)"},
    {"sin(cos(x))", "-sin(x)*cos(cos(x))"},
};

static void test_closed_forms(void **state) {
  (void)state;
  world *w = world_create();
  for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
    carom_node node = carom_node_derivative(w->graph, world_parse(w, forms[k].function), w->x);
    carom_node expected = world_parse(w, forms[k].derivative);
    CHECK(node && expected);
    for (int trial = 0; trial < 20; trial++) {
      double v[WORLD_SYMBOLS];
      world_values(w, v);
      double have = carom_node_evaluate(w->graph, node, v, NULL);
      double want = carom_node_evaluate(w->graph, expected, v, NULL);
      if (!(fabs(have - want) <= 1e-12 * (1.0 + fabs(want))))
        print_error("derivative of %s:\n", forms[k].function);
      CHECK_NEAR(have, want, 1e-12 * (1.0 + fabs(want)));
    }
  }
  world_destroy(w);
}

static void test_random_expressions(void **state) {
  (void)state;
  world *w = world_create();
  int checked = 0;
  for (int trial = 0; trial < 1500; trial++) {
    carom_node node = world_expression(w, 2 + trial % 5, false);
    int k = world_random(w, WORLD_SYMBOLS);
    carom_node exact = carom_node_derivative(w->graph, node, carom_graph_symbol(w->graph, k)->node);
    double v[WORLD_SYMBOLS], error;
    world_values(w, v);
    double near = richardson(w, node, v, k, &error);
    double have = carom_node_evaluate(w->graph, exact, v, NULL);
    double size = fabs(carom_node_evaluate(w->graph, node, v, NULL));
    // steep expressions are no test of the derivative but of the difference
    if (!isfinite(near) || error > 1e-5 * (1.0 + fabs(near))) continue;
    CHECK_NEAR(have, near, 1e-8 * (1.0 + fabs(near) + size) + 10.0 * error);
    checked++;
  }
  CHECK(checked > 1200);
  world_destroy(w);
}

// mixed partial derivatives agree whatever the order
static void test_mixed(void **state) {
  (void)state;
  world *w = world_create();
  carom_graph *g = w->graph;
  for (int trial = 0; trial < 300; trial++) {
    carom_node node = world_expression(w, 3, false);
    carom_node xy = carom_node_derivative(g, carom_node_derivative(g, node, w->x), w->y);
    carom_node yx = carom_node_derivative(g, carom_node_derivative(g, node, w->y), w->x);
    double v[WORLD_SYMBOLS];
    world_values(w, v);
    double a = carom_node_evaluate(g, xy, v, NULL), b = carom_node_evaluate(g, yx, v, NULL);
    CHECK_NEAR(a, b, 1e-9 * (1.0 + fabs(b)));
  }
  world_destroy(w);
}

static void test_table_derivatives(void **state) {
  (void)state;
  world *w = world_create();
  carom_graph *g = w->graph;
  const double x[] = {0, 1, 2, 3.5, 5}, y[] = {0, 1, 0.5, 2, 2.2};
  int table = carom_graph_add_table(g, "bump", 5, x, y);
  carom_node node = carom_node_table(g, table, world_parse(w, "x^2"));
  carom_node first = carom_node_derivative(g, node, w->x);
  carom_node second = carom_node_derivative(g, first, w->x);
  for (int trial = 0; trial < 200; trial++) {
    double v[WORLD_SYMBOLS], error;
    world_values(w, v);
    v[0] = 0.1 + 2.3 * v[0];
    // stay within a piece: the curve jumps at the points
    bool near_point = false;
    for (int k = 0; k < 5; k++)
      near_point |= fabs(v[0] * v[0] - x[k]) < 0.03;
    if (near_point) continue;
    CHECK_NEAR(carom_node_evaluate(g, first, v, NULL), richardson(w, node, v, 0, &error), 1e-8);
    CHECK_NEAR(carom_node_evaluate(g, second, v, NULL), richardson(w, first, v, 0, &error), 1e-7);
  }
  world_destroy(w);
}

// the pendulum on a cart: its mass matrix in the smallest form, straight from the energy
static void test_mass_matrix(void **state) {
  (void)state;
  world *w = world_create();
  carom_graph *g = w->graph;
  carom_node rate = carom_node_symbol(g, "theta'", CAROM_SYMBOL_RATE);
  carom_node px = world_parse(w, "x + Gamma*sin(theta)"), py = world_parse(w, "-Gamma*cos(theta)");
  carom_node vx = carom_add(g, w->dx, carom_mul(g, carom_node_derivative(g, px, w->theta), rate));
  carom_node vy = carom_mul(g, carom_node_derivative(g, py, w->theta), rate);
  carom_node speed = carom_add(g, carom_mul(g, vx, vx), carom_mul(g, vy, vy));
  carom_node kinetic = carom_mul(g, world_parse(w, "m/2"), speed);
  carom_node momentum = carom_node_derivative(g, kinetic, rate);
  CHECK(carom_node_derivative(g, momentum, rate) == world_parse(w, "m*Gamma^2"));
  CHECK(carom_node_derivative(g, momentum, w->dx) == world_parse(w, "m*(Gamma*cos(theta))"));
  world_destroy(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_closed_forms), cmocka_unit_test(test_random_expressions),
      cmocka_unit_test(test_mixed),        cmocka_unit_test(test_table_derivatives),
      cmocka_unit_test(test_mass_matrix),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
