// SPDX-License-Identifier: MIT
#include "check.h"
#include "expressions.h"
#include "symbolic/number.h"

#include <stdlib.h>

typedef struct sample {
  const char *source, *text;
} sample;

static void check_texts(const sample *samples, size_t count, bool latex) {
  world *w = world_create();
  const double points[] = {0, 1, 2};
  CHECK(carom_graph_add_table(w->graph, "bump", 3, points, points) == 0);
  for (size_t k = 0; k < count; k++) {
    carom_node node = world_parse(w, samples[k].source);
    const char *text = latex ? carom_node_latex(w->arena, w->graph, node, 0)
                             : carom_node_text(w->arena, w->graph, node, 0);
    if (strcmp(text, samples[k].text) == 0) continue;
    print_error("%s is written %s, expected %s\n", samples[k].source, text, samples[k].text);
    fail();
  }
  world_destroy(w);
}

static void test_texts(void **state) {
  (void)state;
  static const sample samples[] = {
      {"x+y", "x + y"},
      {"x - (y - t)", "x - (y - t)"},
      {"x - y - t", "x - y - t"},
      {"x*y*t*m", "x*y*t*m"},
      {"m*x*x", "m*x^2"},
      {"x/y/t", "x/y/t"},
      {"x/(y*t)", "x/(y*t)"},
      {"x*(y/t)", "y/t*x"},
      {"2*(x*y)", "2*x*y"},
      {"2*(x/y)", "2*(x/y)"},
      {"-x^2", "-x^2"},
      {"-(x*y)", "-x*y"},
      {"(-x)^1.5", "(-x)^1.5"},
      {"x^y^t", "x^y^t"},
      {"(x^y)^t", "(x^y)^t"},
      {"x^-1.5", "x^-1.5"},
      {"x^7", "x^7"},
      {"x^9", "x^9"},
      {"(x*y)^2", "(x*y)^2"},
      {"(x + y)^3", "(x + y)^3"},
      {"sin(x)^2", "sin(x)^2"},
      {"x^2*y^2", "x^2*y^2"},
      {"0.1 + x", "x + 0.1"},
      {"x - 0.1", "x - 0.1"},
      {"3 - x", "3 - x"},
      {"1/3*x", "0.3333333333333333*x"},
      {"x < y and t > 1 or m == 2", "x < y and t > 1 or 2 == m"},
      {"not (x > 0 and y > 0)", "not (x > 0 and y > 0)"},
      {"(x > 0)*y", "y*(x > 0)"},
      {"if(x > 0, x, -x)", "if(x > 0, x, -x)"},
      {"min(x, y, t)", "min(t, min(x, y))"},
      {"x'^2 + y'", "y' + x'^2"},
      {"table(\"bump\", 2*x)", "table(\"bump\", 2*x)"},
      {"1e-12*x", "1e-12*x"},
  };
  check_texts(samples, sizeof samples / sizeof *samples, false);
}

// what is written reads back as the very same node
static void test_round_trip(void **state) {
  (void)state;
  world *w = world_create();
  int bad = 0;
  for (int k = 0; k < 6000; k++) {
    carom_node node = world_expression(w, 1 + k % 7, true);
    if (k % 3 == 0) node = carom_node_derivative(w->graph, node, w->x);
    char *text = carom_node_text(w->arena, w->graph, node, 0);
    if (strlen(text) > 5000) continue;
    carom_error error = {0};
    carom_node again = carom_parse(&w->scope, text, (carom_place){"test", 1, 1}, &error);
    if (again == node || error.status == CAROM_ERR_LIMIT) continue;
    if (bad++ < 5)
      print_error("%s\n  read back as %s %s\n", text, carom_node_text(w->arena, w->graph, again, 0),
                  error.text);
  }
  CHECK(bad == 0);
  world_destroy(w);
}

static void test_limit(void **state) {
  (void)state;
  world *w = world_create();
  carom_node node = world_parse(w, "x + y + t");
  assert_string_equal(carom_node_text(w->arena, w->graph, node, 5), "x + y...");
  assert_string_equal(carom_node_text(w->arena, w->graph, node, 9), "x + y + t");
  // a small graph with an enormous text
  for (int k = 0; k < 200; k++)
    node = carom_node_make(w->graph, CAROM_OP_ATAN2, node, node, 0);
  CHECK(strlen(carom_node_text(w->arena, w->graph, node, 1000)) == 1003);
  world_destroy(w);
}

static void test_numbers(void **state) {
  (void)state;
  static const struct {
    double value;
    const char *text;
  } cases[] = {
      {0.0, "0"},         {-1.0, "-1"},
      {0.1, "0.1"},       {1.0 / 3.0, "0.3333333333333333"},
      {1e-4, "0.0001"},   {1.5e-6, "1.5e-6"},
      {120.5, "120.5"},   {1e22, "1e22"},
      {5e-324, "5e-324"}, {123456789, "123456789"},
      {1e5, "100000"},    {1e7, "1e7"},
  };
  char buffer[CAROM_NUMBER_ROOM];
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    assert_string_equal(carom_number_write(cases[k].value, buffer), cases[k].text);
  // any bit pattern comes back, and the C library reads the same
  world *w = world_create();
  for (int k = 0; k < 20000; k++) {
    (void)world_random(w, 2);
    double value, back;
    memcpy(&value, &w->seed, sizeof value);
    if (!isfinite(value)) continue;
    const char *text = carom_number_write(value, buffer);
    size_t minus = text[0] == '-' ? 1 : 0, length = carom_number_length(text + minus);
    CHECK(length + minus == strlen(text));
    back = carom_number_read(text + minus, length);
    CHECK((minus ? -back : back) == value);
    CHECK(strtod(text, NULL) == value);
  }
  CHECK(carom_number_length(".") == 0 && carom_number_length("e5") == 0);
  CHECK(carom_number_length("2e") == 1 && carom_number_length("3.") == 2);
  CHECK(carom_number_length(".5e+3x") == 5);
  CHECK(carom_number_read("1e999", 5) > 1.7e308);
  CHECK_SAME(carom_number_read("1e-99999999999", 14), 0.0);
  CHECK_SAME(carom_number_read("0.000123e4", 10), 1.23);
  world_destroy(w);
}

static void test_latex(void **state) {
  (void)state;
  static const sample samples[] = {
      {"x/y", "\\frac{x}{y}"},
      {"theta^2", "\\theta^{2}"},
      {"sin(theta)^2", "\\sin^{2} \\theta"},
      {"sin(x + y)", "\\sin\\left(x + y\\right)"},
      {"m*(x + y)", "m \\left(x + y\\right)"},
      {"x'^2", "\\dot{x}^{2}"},
      {"m/2*x'^2", "0.5 m \\dot{x}^{2}"},
      {"sqrt(x)", "\\sqrt{x}"},
      {"exp(-x)", "e^{-x}"},
      {"abs(x)", "\\left|x\\right|"},
      {"1e-12*x", "10^{-12} x"},
      {"2.5e-12*x", "2.5 \\cdot 10^{-12} x"},
      {"x - (y - t)", "x - \\left(y - t\\right)"},
      {"if(x > 0, x, y)",
       "\\begin{cases} x & \\text{if } x > 0 \\\\ y & \\text{otherwise} \\end{cases}"},
      {"x <= y and t != 1", "x \\le y \\land 1 \\ne t"},
  };
  check_texts(samples, sizeof samples / sizeof *samples, true);
  static const sample names[] = {
      {"m1", "m_{1}"},
      {"theta2''", "\\ddot{\\theta}_{2}"},
      {"Gamma", "\\Gamma"},
      {"gap", "\\mathrm{gap}"},
      {"x_max", "x_{\\mathrm{max}}"},
      {"Ar", "\\mathrm{Ar}"},
      {"omega_0", "\\omega_{0}"},
      {"Alpha", "\\mathrm{Alpha}"},
      {"left.gap", "\\mathrm{left.gap}"},
  };
  world *w = world_create();
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    carom_node node = carom_node_symbol(w->graph, names[k].source, CAROM_SYMBOL_OTHER);
    assert_string_equal(carom_node_latex(w->arena, w->graph, node, 0), names[k].text);
  }
  world_destroy(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_texts), cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_limit), cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_latex),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
