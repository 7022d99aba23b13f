// SPDX-License-Identifier: MIT
#include "symbolic/expand.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { MAX_FACTORS = 16, MAX_TERMS = 400, MAX_POWER = 8 };

/// coefficient x product of atom^power, atoms in rising order.
typedef struct term {
  double coefficient;
  int count;
  carom_node atom[MAX_FACTORS];
  int power[MAX_FACTORS];
} term;

typedef struct polynomial {
  int count;
  term *terms; // in order, no two alike
} polynomial;

/// What a node is made of, itself included; operands come before their users.
typedef struct part_list {
  int count;
  carom_node *nodes; // ascending
} part_list;

typedef struct expansion {
  carom_graph *graph;
  carom_arena *scratch;
  part_list parts;
  polynomial **known; // per part; NULL: not yet
  bool failed;        // a limit, or no memory
} expansion;

static polynomial *make_polynomial(expansion *it, int room) {
  polynomial *p = carom_arena_take(it->scratch, sizeof *p);
  if (p) p->terms = carom_arena_array(it->scratch, (size_t)(room > 0 ? room : 1), sizeof(term));
  if (!p || !p->terms) it->failed = true;
  return it->failed ? NULL : p;
}

static int compare_terms(const term *a, const term *b) {
  for (int k = 0; k < a->count && k < b->count; k++) {
    if (a->atom[k] != b->atom[k]) return a->atom[k] < b->atom[k] ? -1 : 1;
    if (a->power[k] != b->power[k]) return a->power[k] > b->power[k] ? -1 : 1;
  }
  return a->count - b->count;
}

// a sum of two ordered polynomials, the second times `factor`
static polynomial *combine_sums(expansion *it, const polynomial *a, const polynomial *b,
                                double factor) {
  if (a->count + b->count > MAX_TERMS) it->failed = true;
  polynomial *sum = it->failed ? NULL : make_polynomial(it, a->count + b->count);
  if (!sum) return NULL;
  int i = 0, j = 0;
  while (i < a->count || j < b->count) {
    int order = i == a->count ? 1 : j == b->count ? -1 : compare_terms(&a->terms[i], &b->terms[j]);
    term t = order <= 0 ? a->terms[i] : b->terms[j];
    if (order > 0) t.coefficient *= factor;
    if (order == 0) t.coefficient += factor * b->terms[j].coefficient;
    i += order <= 0;
    j += order >= 0;
    assert(sum->count < a->count + b->count);
    if (t.coefficient != 0.0) sum->terms[sum->count++] = t;
  }
  return sum;
}

// the product of two terms; powers that vanish leave no atom
static bool multiply_terms(const term *a, const term *b, term *product) {
  int i = 0, j = 0;
  product->coefficient = a->coefficient * b->coefficient;
  product->count = 0;
  while (i < a->count || j < b->count) {
    bool left = j == b->count || (i < a->count && a->atom[i] <= b->atom[j]);
    bool right = i == a->count || (j < b->count && b->atom[j] <= a->atom[i]);
    carom_node atom = left ? a->atom[i] : b->atom[j];
    int power = (left ? a->power[i] : 0) + (right ? b->power[j] : 0);
    i += left;
    j += right;
    if (power == 0) continue;
    if (product->count == MAX_FACTORS) return false;
    product->atom[product->count] = atom;
    product->power[product->count++] = power;
  }
  return true;
}

static polynomial *multiply_polynomials(expansion *it, const polynomial *a, const polynomial *b) {
  polynomial *sum = make_polynomial(it, 0);
  for (int i = 0; sum && i < a->count; i++) {
    polynomial *row = make_polynomial(it, b->count);
    for (int j = 0; row && j < b->count; j++) {
      // products of ordered terms need not be ordered: insert
      term t = {0};
      if (!multiply_terms(&a->terms[i], &b->terms[j], &t)) it->failed = true;
      int at = row->count++;
      for (; at > 0 && compare_terms(&row->terms[at - 1], &t) > 0; at--)
        row->terms[at] = row->terms[at - 1];
      row->terms[at] = t;
    }
    sum = row && !it->failed ? combine_sums(it, sum, row, 1.0) : NULL;
  }
  return it->failed ? NULL : sum;
}

static polynomial *of_atom(expansion *it, carom_node node) {
  polynomial *p = make_polynomial(it, 1);
  if (!p) return NULL;
  p->terms[0] = (term){.coefficient = 1.0, .count = 1, .atom = {node}, .power = {1}};
  p->count = 1;
  return p;
}

static polynomial *of_constant(expansion *it, double value) {
  polynomial *p = make_polynomial(it, 1);
  if (p && value != 0.0) {
    p->terms[0] = (term){.coefficient = value};
    p->count = 1;
  }
  return p;
}

// 1 / p for a single term
static polynomial *reciprocal_of(expansion *it, const polynomial *p) {
  polynomial *r = make_polynomial(it, 1);
  if (!r) return NULL;
  assert(p->count == 1);
  r->terms[0] = p->terms[0];
  r->terms[0].coefficient = 1.0 / p->terms[0].coefficient;
  for (int k = 0; k < r->terms[0].count; k++)
    r->terms[0].power[k] = -r->terms[0].power[k];
  r->count = 1;
  return r;
}

static polynomial *power_of(expansion *it, const polynomial *base, int exponent) {
  polynomial *p = of_constant(it, 1.0);
  for (int k = 0; p && k < exponent; k++)
    p = multiply_polynomials(it, p, base);
  return p;
}

static const polynomial *known_of(const expansion *it, carom_node node) {
  int low = 0, high = it->parts.count;
  if (!node) return NULL;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (it->parts.nodes[middle] <= node)
      low = middle;
    else
      high = middle;
  }
  return it->known[low];
}

// the polynomial of a node whose operands are known
static polynomial *of_node(expansion *it, carom_node node) {
  const carom_graph *graph = it->graph;
  carom_node a = carom_node_operand(graph, node, 0), b = carom_node_operand(graph, node, 1);
  const polynomial *pa = known_of(it, a), *pb = known_of(it, b);
  double value;
  if (carom_node_is_constant(graph, node, &value)) return of_constant(it, value);
  switch (carom_node_op(graph, node)) {
  case CAROM_OP_ADD: return combine_sums(it, pa, pb, 1.0);
  case CAROM_OP_SUB: return combine_sums(it, pa, pb, -1.0);
  case CAROM_OP_NEG: return combine_sums(it, of_constant(it, 0.0), pa, -1.0);
  case CAROM_OP_MUL: return multiply_polynomials(it, pa, pb);
  case CAROM_OP_DIV:
    if (pb->count == 1) return multiply_polynomials(it, pa, reciprocal_of(it, pb));
    break;
  case CAROM_OP_POW:
    if (carom_node_is_constant(graph, b, &value) && value >= 1.0 && value <= MAX_POWER &&
        value == floor(value))
      return power_of(it, pa, (int)value);
    break;
  default: break;
  }
  return of_atom(it, node);
}

// Marks what `node` reaches, from high numbers to low, a bit each: systems of many bodies have a
// hundred thousand nodes, of which an entry of a Jacobian is made of ten.
static bool list_parts(const carom_graph *graph, carom_arena *scratch, carom_node node,
                       part_list *list) {
  size_t words = (size_t)node / 64 + 1;
  uint64_t *mark = carom_arena_array(scratch, words, sizeof *mark);
  if (!mark) return false;
  mark[(size_t)node / 64] |= UINT64_C(1) << ((size_t)node % 64);
  list->count = 0;
  for (size_t w = words; w-- > 0;)
    for (int bit = 63; bit >= 0 && mark[w]; bit--) {
      if (!(mark[w] >> bit & 1)) continue;
      list->count++;
      for (int j = 0; j < 3; j++) {
        size_t operand = (size_t)carom_node_operand(graph, (carom_node)(w * 64 + (size_t)bit), j);
        if (operand) mark[operand / 64] |= UINT64_C(1) << (operand % 64);
      }
    }
  list->nodes = carom_arena_array(scratch, (size_t)list->count, sizeof *list->nodes);
  if (!list->nodes) return false;
  int next = 0;
  for (size_t w = 0; w < words; w++)
    for (int bit = 0; bit < 64 && mark[w] >> bit; bit++)
      if (mark[w] >> bit & 1) list->nodes[next++] = (carom_node)(w * 64 + (size_t)bit);
  return true;
}

// how many operations an expression takes, shared parts counted once; -1 when out of memory
static int size_of_node(const carom_graph *graph, carom_arena *scratch, carom_node node) {
  part_list list;
  int count = 0;
  if (!node) return 0;
  if (!list_parts(graph, scratch, node, &list)) return -1;
  for (int k = 0; k < list.count; k++) {
    carom_op op = carom_node_op(graph, list.nodes[k]);
    count += op != CAROM_OP_CONST && op != CAROM_OP_SYMBOL;
  }
  return count;
}

// index of the factor that is `function` of something, squared at least; -1: none from `from` on
static int squared_factor(const carom_graph *graph, const term *t, carom_op function, int from) {
  for (int k = from; k < t->count; k++)
    if (t->power[k] >= 2 && carom_node_op(graph, t->atom[k]) == function) return k;
  return -1;
}

// t with one sin^2(u) turned into cos^2(u), or with it left out
static bool without_square(const term *t, int factor, carom_node cosine, term *turned, term *bare) {
  const term inverse = {.coefficient = 1.0, .count = 1, .atom = {t->atom[factor]}, .power = {-2}};
  const term square = {.coefficient = 1.0, .count = 1, .atom = {cosine}, .power = {2}};
  return multiply_terms(t, &inverse, bare) && multiply_terms(bare, &square, turned);
}

// the term like `wanted` with a coefficient of the sign of c; -1: none
static int partner_term(const polynomial *p, const term *wanted, double c) {
  for (int j = 0; j < p->count; j++)
    if (compare_terms(&p->terms[j], wanted) == 0) return p->terms[j].coefficient * c > 0.0 ? j : -1;
  return -1;
}

// p - c first - c second + c third, for terms of unit coefficient
static polynomial *exchange_terms(expansion *it, const polynomial *p, double c, term first,
                                  term second, term third) {
  first.coefficient = second.coefficient = third.coefficient = 1.0;
  const polynomial parts[3] = {{1, &first}, {1, &second}, {1, &third}};
  polynomial *sum = combine_sums(it, p, &parts[0], -c);
  if (sum) sum = combine_sums(it, sum, &parts[1], -c);
  return sum ? combine_sums(it, sum, &parts[2], c) : NULL;
}

// a sin^2(u) + b cos^2(u) holds the smaller of a and b twice: every exchange lowers the degree
static polynomial *collect_squares(expansion *it, polynomial *p) {
  for (int i = 0; p && i < p->count; i++) {
    const term *t = &p->terms[i];
    for (int f = squared_factor(it->graph, t, CAROM_OP_SIN, 0); f >= 0;
         f = squared_factor(it->graph, t, CAROM_OP_SIN, f + 1)) {
      carom_node angle = carom_node_operand(it->graph, t->atom[f], 0);
      carom_node cosine = carom_node_make(it->graph, CAROM_OP_COS, angle, 0, 0);
      term turned, bare;
      if (!cosine || !without_square(t, f, cosine, &turned, &bare)) continue;
      int j = partner_term(p, &turned, t->coefficient);
      if (j < 0) continue;
      double other = p->terms[j].coefficient;
      double c = fabs(other) < fabs(t->coefficient) ? other : t->coefficient;
      p = exchange_terms(it, p, c, *t, turned, bare);
      i = -1; // start again: the new term may pair with another
      break;
    }
  }
  return p;
}

static carom_node build_term(carom_graph *graph, const term *t, double coefficient) {
  carom_node above = carom_node_constant(graph, coefficient), below = 0;
  for (int k = 0; k < t->count; k++) {
    int size = t->power[k] < 0 ? -t->power[k] : t->power[k];
    carom_node exponent = carom_node_constant(graph, size);
    carom_node factor = carom_node_make(graph, CAROM_OP_POW, t->atom[k], exponent, 0);
    if (t->power[k] > 0)
      above = carom_mul(graph, above, factor);
    else
      below = below ? carom_mul(graph, below, factor) : factor;
  }
  return below ? carom_div(graph, above, below) : above;
}

static carom_node build_node(carom_graph *graph, const polynomial *p) {
  carom_node sum = carom_node_constant(graph, 0.0);
  for (int k = 0; k < p->count; k++) {
    double c = p->terms[k].coefficient;
    carom_node t = build_term(graph, &p->terms[k], fabs(c));
    sum = c < 0.0 ? carom_sub(graph, sum, t) : carom_add(graph, sum, t);
  }
  return sum;
}

carom_node carom_node_expand(carom_graph *graph, carom_arena *scratch, carom_node node) {
  if (!node) return 0;
  expansion it = {.graph = graph, .scratch = scratch};
  if (!list_parts(graph, scratch, node, &it.parts)) return node;
  it.known = carom_arena_array(scratch, (size_t)it.parts.count, sizeof *it.known);
  if (!it.known) return node;
  for (int k = 0; k < it.parts.count && !it.failed; k++)
    it.known[k] = of_node(&it, it.parts.nodes[k]);
  polynomial *p = it.failed ? NULL : collect_squares(&it, it.known[it.parts.count - 1]);
  if (!p) return node;
  carom_node expanded = build_node(graph, p);
  if (!expanded) return 0;
  return size_of_node(graph, scratch, expanded) < size_of_node(graph, scratch, node) ? expanded
                                                                                     : node;
}
