// SPDX-License-Identifier: MIT
// Any bytes as an expression: it is refused with a message, or it is parsed, differentiated,
// multiplied out, smoothed and printed, and what is printed reads back as the same node.
#include "../symbolic/expressions.h"
#include "symbolic/expand.h"
#include "symbolic/kink.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition) {
  if (!condition) abort();
}

// what is printed of a node, read again; the node itself where the text is too long for that
static carom_node print_and_read(world *w, carom_node node) {
  enum { LONGEST = 20000 };
  char *text = carom_node_text(w->arena, w->graph, node, LONGEST);
  demand(text != NULL);
  demand(carom_node_latex(w->arena, w->graph, node, 200) != NULL);
  if (strlen(text) > LONGEST) return node;
  carom_error error = {0};
  carom_node again = carom_parse(&w->scope, text, (carom_place){"printed", 1, 1}, &error);
  demand(again != 0 || error.status == CAROM_ERR_LIMIT);
  return again ? again : node;
}

// Constants whose product is beyond all numbers are left as they are written, and may be taken
// together in another order when read: then the value must be the same, or none both times.
static void check_round_trip(world *w, carom_node node, const double *values) {
  carom_node again = print_and_read(w, node);
  if (again == node) return;
  double before = carom_node_evaluate(w->graph, node, values, NULL);
  double after = carom_node_evaluate(w->graph, again, values, NULL);
  demand(before == after || (!isfinite(before) && !isfinite(after)));
}

// Multiplying out gives an expression that is printed, read and evaluated like any other. Constants
// that meet only there may be folded further when it is read.
static void check_expansion(world *w, carom_node node, const double *values) {
  carom_node expanded = carom_node_expand(w->graph, w->arena, node);
  demand(expanded != 0);
  (void)print_and_read(w, expanded);
  (void)carom_node_evaluate(w->graph, expanded, values, NULL);
}

static void follow(world *w, carom_node node) {
  carom_graph *g = w->graph;
  double values[WORLD_SYMBOLS] = {0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.1};
  (void)carom_node_evaluate(g, node, values, NULL);
  check_round_trip(w, node, values);
  carom_node slope = carom_node_derivative(g, node, w->x);
  demand(slope != 0);
  check_round_trip(w, slope, values);
  check_expansion(w, node, values);
  check_expansion(w, slope, values);
  carom_kink_list list = {0};
  carom_node smooth = carom_kink_remove(g, w->arena, node, &list);
  demand(smooth != 0);
  demand(carom_kink_remove(g, w->arena, smooth, &list) == smooth);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  world *w = world_create();
  const double x[] = {0, 1, 3}, y[] = {1, 2, 2.5};
  demand(carom_graph_add_table(w->graph, "bump", 3, x, y) == 0);
  char *text = carom_arena_text(w->arena, (const char *)data, size);
  carom_error error = {0};
  carom_node node = carom_parse(&w->scope, text, (carom_place){"input", 1, 1}, &error);
  if (node)
    follow(w, node);
  else
    demand(error.status != CAROM_OK && error.line >= 1 && error.column >= 1 && error.text[0]);
  world_destroy(w);
  return 0;
}
