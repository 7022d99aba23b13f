// SPDX-License-Identifier: MIT
#include "check.h"
#include "expressions.h"

#include "symbolic/expand.h"

static char *expanded_text(world *w, const char *text) {
  carom_error error = {0};
  carom_node node = carom_parse(&w->scope, text, (carom_place){"test", 1, 1}, &error);
  if (!node) fail_msg("%s", error.text);
  node = carom_node_expand(w->graph, w->arena, node);
  return carom_node_text(w->arena, w->graph, node, 0);
}

static void what_cancels_is_gone(void **unused) {
  (void)unused;
  world *w = world_create();
  const struct {
    const char *written, *short_form;
  } cases[] = {
      {"(x + y)*(x - y) - x*x + y*y", "0"},
      {"m*Gamma^2*(sin(theta)^2*x' + cos(theta)^2*x')", "m*Gamma^2*x'"},
      {"x*(x*sin(theta)*cos(theta)) - x*(x*cos(theta)*sin(theta)) + y", "y"},
      {"(x + 1)^3 - x^3 - 3*x^2 - 3*x", "1"},
      {"2*x/(2*m) - x/m + Gamma", "Gamma"},
      {"m*sin(theta)^4 + 2*m*sin(theta)^2*cos(theta)^2 + m*cos(theta)^4", "m"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    carom_error error = {0};
    carom_node wanted =
        carom_parse(&w->scope, cases[k].short_form, (carom_place){"t", 1, 1}, &error);
    assert_string_equal(expanded_text(w, cases[k].written),
                        carom_node_text(w->arena, w->graph, wanted, 0));
  }
  world_destroy(w);
}

static void what_would_grow_stays(void **unused) {
  (void)unused;
  world *w = world_create();
  assert_string_equal(expanded_text(w, "(x + y)^8"), "(x + y)^8");
  assert_string_equal(expanded_text(w, "x/(x + y)"), "x/(x + y)");
  assert_string_equal(expanded_text(w, "sin(x*(y + m))"), "sin(x*(y + m))");
  world_destroy(w);
}

// random expressions keep their value
static void values_stay(void **unused) {
  (void)unused;
  world *w = world_create();
  const double values[WORLD_SYMBOLS] = {0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.1};
  int changed = 0;
  for (int round = 0; round < 3000; round++) {
    // differentiation writes down much that cancels
    carom_node node = carom_node_derivative(w->graph, world_expression(w, 6, false), w->x);
    carom_node expanded = carom_node_expand(w->graph, w->arena, node);
    double before = carom_node_evaluate(w->graph, node, values, NULL);
    double after = carom_node_evaluate(w->graph, expanded, values, NULL);
    changed += expanded != node;
    if (isfinite(before)) CHECK_NEAR(after, before, 1e-9 * (1.0 + fabs(before)));
  }
  CHECK(changed > 30);
  world_destroy(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_cancels_is_gone),
                                     cmocka_unit_test(what_would_grow_stays),
                                     cmocka_unit_test(values_stay)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
