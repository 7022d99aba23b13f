// SPDX-License-Identifier: MIT
/// Directions of the coordinates along which nothing that moves the system changes: a coordinate
/// that does not occur, or several that occur through their differences alone. With e any of the
/// expressions of the equations, contacts and rules, c is such a direction when
///   sum over k of c_k de/dq_k = 0
/// at every state and for all parameters. The gradients at states and parameters drawn at random
/// give candidates, as their null space with small fractions for components; each must then leave
/// every expression as it is over long ways. What holds at several random points is an identity.
/// An angle leaves every expression as it is when it has gone round once.
#include "base/random.h"
#include "hybrid/hybrid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 32, DRAWS = 3, TRIES = 12, LARGEST_DIVISOR = 12 };
static const double TURN = 2.0 * 3.14159265358979323846;
static const double STEP = 1e-5, VANISHED = 1e-12, NEAR_FRACTION = 1e-4, SAME = 1e-10;

typedef struct search {
  const carom_hybrid_model *model;
  const carom_graph *graph;
  int count; // coordinates that are not cyclic by themselves
  int which[MOST], symbol[MOST];
  int node_count, node_room;
  carom_node *nodes; // expressions that depend on coordinates
  double *values;    // of all symbols of the graph
  double square[MOST * MOST];
  bool broken; // out of memory, or an expression that has no value anywhere
} search;

// --- expressions

static void add_node(search *it, carom_node node) {
  if (!node || it->broken ||
      !carom_node_depends_kind(it->graph, node, 1u << CAROM_SYMBOL_COORDINATE))
    return;
  if (it->node_count == it->node_room) {
    int room = 2 * it->node_room + 64;
    carom_node *larger = realloc(it->nodes, (size_t)room * sizeof *larger);
    it->broken = !larger;
    if (!larger) return;
    it->nodes = larger;
    it->node_room = room;
  }
  it->nodes[it->node_count++] = node;
}

static void add_contact(search *it, const carom_contact *c) {
#define NUMBER(name) add_node(it, c->name);
  CAROM_CONTACT_NUMBERS(NUMBER)
#undef NUMBER
  add_node(it, c->tangential.node);
}

// a rule that sets a coordinate says where it is: the coordinate itself counts as an expression
static void add_rule(search *it, const carom_event_rule *rule) {
  add_node(it, rule->trigger.when.node);
  add_node(it, rule->condition);
  for (int k = 0; k < rule->assignment_count; k++) {
    add_node(it, rule->assignments[k].symbol);
    add_node(it, rule->assignments[k].value);
  }
}

static void add_mechanics(search *it, const carom_mechanics *m) {
  for (int k = 0; k < m->n * m->n; k++)
    add_node(it, m->mass[k]);
  for (int k = 0; k < m->n; k++)
    add_node(it, m->bias[k]);
  for (int k = 0; k < m->m; k++)
    add_node(it, m->equation[k]);
  for (int k = 0; k < m->row_count; k++) {
    add_node(it, m->rows[k].position);
    add_node(it, m->rows[k].velocity);
    add_node(it, m->rows[k].load);
  }
  for (int k = 0; k < m->kinks.count; k++)
    add_node(it, m->kinks.items[k].argument);
}

// --- values at random points

static int index_of_symbol(const carom_graph *graph, carom_node node) {
  const carom_symbol *symbol = carom_node_as_symbol(graph, node);
  for (int k = 0; k < carom_graph_symbol_count(graph); k++)
    if (carom_graph_symbol(graph, k) == symbol) return k;
  return -1;
}

static void draw_values(search *it, int number) {
  for (int k = 0; k < carom_graph_symbol_count(it->graph); k++)
    it->values[k] = 0.2 + carom_random_uniform(3, (uint64_t)number, (uint64_t)k);
}

static double value_of(const search *it, carom_node node) {
  return carom_node_evaluate(it->graph, node, it->values, NULL);
}

static void add_gradient(search *it, carom_node node, bool *seen) {
  double slope[MOST], size = 0.0;
  for (int k = 0; k < it->count; k++) {
    double *at = &it->values[it->symbol[k]], kept = *at;
    *at = kept + STEP;
    slope[k] = value_of(it, node);
    *at = kept - STEP;
    slope[k] = (slope[k] - value_of(it, node)) / (2.0 * STEP);
    *at = kept;
    size = fmax(size, fabs(slope[k]));
  }
  if (!isfinite(size)) return;
  *seen = true;
  if (!(size > 0.0)) return;
  for (int a = 0; a < it->count; a++)
    for (int b = 0; b < it->count; b++)
      it->square[a * it->count + b] += slope[a] / size * slope[b] / size;
}

static void gather_gradients(search *it) {
  for (int k = 0; k < it->node_count && !it->broken; k++) {
    int draws = 0;
    for (int number = 0; number < TRIES && draws < DRAWS; number++) {
      bool seen = false;
      draw_values(it, number);
      add_gradient(it, it->nodes[k], &seen);
      draws += seen;
    }
    it->broken = draws == 0;
  }
}

// --- the null space

// Pivoted elimination of the positive semidefinite square; order: pivots first. Returns the rank.
static int eliminate_square(search *it, int *order) {
  int n = it->count;
  double *A = it->square, first = 0.0;
  for (int k = 0; k < n; k++)
    order[k] = k;
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int j = k + 1; j < n; j++)
      if (A[order[j] * n + order[j]] > A[order[best] * n + order[best]]) best = j;
    int kept = order[k];
    order[k] = order[best];
    order[best] = kept;
    double pivot = A[order[k] * n + order[k]];
    if (k == 0) first = pivot;
    if (!(pivot > VANISHED * first)) return k;
    // Gauss and Jordan: each pivot's row is cleared of the other pivots at once
    for (int j = 0; j < n; j++)
      if (j != order[k]) A[order[k] * n + j] /= pivot;
    A[order[k] * n + order[k]] = 1.0;
    for (int i = 0; i < n; i++) {
      double factor = A[i * n + order[k]];
      if (i == order[k] || factor == 0.0) continue;
      for (int j = 0; j < n; j++)
        if (j != order[k]) A[i * n + j] -= factor * A[order[k] * n + j];
      A[i * n + order[k]] = 0.0;
    }
  }
  return n;
}

static bool to_fraction(double *value) {
  for (int divisor = 1; divisor <= LARGEST_DIVISOR; divisor++) {
    double whole = round(*value * divisor);
    if (fabs(*value * divisor - whole) > NEAR_FRACTION) continue;
    *value = whole / divisor;
    return true;
  }
  return false;
}

// does every expression stay as it is along the direction, this far and that far?
static bool all_stay(search *it, const double *direction, const double ways[3]) {
  for (int k = 0; k < it->node_count; k++) {
    int seen = 0;
    for (int number = 0; number < TRIES && seen < DRAWS; number++) {
      draw_values(it, TRIES + number);
      double before = value_of(it, it->nodes[k]);
      for (int j = 0; j < it->count; j++)
        it->values[it->symbol[j]] += ways[number % 3] * direction[j];
      double after = value_of(it, it->nodes[k]);
      if (!isfinite(before) && !isfinite(after)) continue;
      if (!(fabs(after - before) <= SAME * (1.0 + fabs(before)))) return false;
      seen++;
    }
    if (seen == 0) return false;
  }
  return true;
}

static int take_common(search *it, int n, int most, double *weights) {
  static const double ways[] = {0.37, -0.11, 2.3};
  int order[MOST], found = 0, rank = eliminate_square(it, order);
  for (int f = rank; f < it->count && found < most; f++) {
    double direction[MOST] = {0};
    bool good = true;
    direction[order[f]] = 1.0;
    for (int k = 0; k < rank && good; k++) {
      double part = -it->square[order[k] * it->count + order[f]];
      good = to_fraction(&part);
      direction[order[k]] = part;
    }
    if (!good || !all_stay(it, direction, ways)) continue;
    for (int k = 0; k < it->count; k++)
      weights[found * n + it->which[k]] = direction[k];
    found++;
  }
  return found;
}

// contacts and rules: what the mechanics does not know of
static void add_laws(search *it) {
  const carom_scenario *scenario = it->model->scenario;
  for (int k = 0; k < scenario->contact_count; k++)
    add_contact(it, &scenario->contacts[k]);
  for (int k = 0; k < scenario->rules.event_count; k++)
    add_rule(it, &scenario->rules.events[k]);
}

void carom_hybrid_keep_cyclic(carom_hybrid_model *model) {
  carom_mechanics *m = model->mechanics;
  search it = {.model = model, .graph = model->scenario->graph};
  add_laws(&it);
  for (int i = 0; i < m->nq; i++)
    for (int k = 0; k < it.node_count && m->cyclic[i]; k++)
      m->cyclic[i] = !carom_node_depends(it.graph, it.nodes[k], m->q[i]);
  for (int i = 0; i < m->nq && it.broken; i++)
    m->cyclic[i] = false;
  free(it.nodes);
}

// every expression that depends on coordinates
static void gather_expressions(search *it) {
  add_mechanics(it, it->model->mechanics);
  add_laws(it);
  it->values = calloc((size_t)carom_graph_symbol_count(it->graph) + 1, sizeof *it->values);
  it->broken = it->broken || !it->values;
}

static void forget_search(search *it) {
  free(it->values);
  free(it->nodes);
}

static int find_common(const carom_hybrid_model *model, int most, double *weights) {
  const carom_mechanics *m = model->mechanics;
  search it = {.model = model, .graph = model->scenario->graph};
  for (int i = 0; i < m->nq; i++) {
    if (m->cyclic[i]) continue;
    if (it.count == MOST) return 0;
    it.which[it.count] = i;
    it.symbol[it.count++] = index_of_symbol(it.graph, m->q[i]);
  }
  if (it.count < 2) return 0;
  gather_expressions(&it);
  gather_gradients(&it);
  int found = it.broken ? 0 : take_common(&it, m->nq, most, weights);
  forget_search(&it);
  return found;
}

bool carom_hybrid_angle(const carom_model *model, int k) {
  static const double round[] = {TURN, -TURN, 2.0 * TURN};
  const carom_hybrid_model *prepared = model->prepared;
  const carom_mechanics *m = prepared->mechanics;
  if (!m || k < 0 || k >= m->nq || m->cyclic[k]) return false;
  search it = {.model = prepared, .graph = prepared->scenario->graph, .count = 1, .which = {k}};
  it.symbol[0] = index_of_symbol(it.graph, m->q[k]);
  gather_expressions(&it);
  bool angle = !it.broken && all_stay(&it, (double[]){1.0}, round);
  forget_search(&it);
  return angle;
}

int carom_hybrid_shifts(const carom_model *model, int most, double *weights) {
  const carom_hybrid_model *prepared = model->prepared;
  const carom_mechanics *m = prepared->mechanics;
  int found = 0;
  if (!m) return 0;
  if (most > 0 && m->nq > 0) memset(weights, 0, (size_t)(most * m->nq) * sizeof *weights);
  for (int i = 0; i < m->nq && found < most; i++)
    if (m->cyclic[i]) weights[found++ * m->nq + i] = 1.0;
  return found + find_common(prepared, most - found, weights + found * m->nq);
}
