// SPDX-License-Identifier: MIT
// Collecting terms of a sum. A sum is looked at as terms, a term as a coefficient times factors to
// integer powers; equal factors merge, and a sin(u)^2 + a cos(u)^2 becomes a. Mass matrices shrink
// a lot by this. Where nothing merges the sum stays as it was written.
#include "symbolic/graph_internal.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// beyond these sizes a subexpression is taken as one opaque term or factor
enum { MAX_TERMS = 32, MAX_FACTORS = 12, MAX_DEPTH = 24 };

typedef struct factor {
  carom_node node;
  int power; // not 0
} factor;

typedef struct product {
  carom_node node; // the term as it stands in the sum, or 0 when it was merged
  double sign;     // of that node
  double coefficient;
  int count;
  factor factors[MAX_FACTORS]; // by node
} product;

typedef struct sum {
  int count;
  product terms[MAX_TERMS];
} sum;

// multiplies by node^power, keeping the order; false when there is no room
static bool multiply_by_power(product *p, carom_node node, int power) {
  assert(p->count <= MAX_FACTORS);
  int k = 0;
  while (k < p->count && p->factors[k].node < node)
    k++;
  factor *at = &p->factors[k];
  size_t behind = (size_t)(p->count - k) * sizeof *at;
  if (k < p->count && at->node == node) {
    at->power += power;
    if (at->power) return true;
    memmove(at, at + 1, behind - sizeof *at);
    p->count--;
    return true;
  }
  if (p->count == MAX_FACTORS) return false;
  memmove(at + 1, at, behind);
  *at = (factor){node, power};
  p->count++;
  return true;
}

// multiplies by node or its reciprocal, taken apart into factors
static bool gather_factors(const carom_graph *g, product *p, carom_node node, int power,
                           int depth) {
  const carom_record *r = carom_record_of(g, node);
  if (depth == 0) return multiply_by_power(p, node, power);
  switch (r->op) {
  case CAROM_OP_CONST:
    p->coefficient = power > 0 ? p->coefficient * r->value : p->coefficient / r->value;
    return isnormal(p->coefficient);
  case CAROM_OP_NEG:
    p->coefficient = -p->coefficient;
    return gather_factors(g, p, r->operand[0], power, depth - 1);
  case CAROM_OP_MUL:
  case CAROM_OP_DIV:
    return gather_factors(g, p, r->operand[0], power, depth - 1) &&
           gather_factors(g, p, r->operand[1], r->op == CAROM_OP_MUL ? power : -power, depth - 1);
  default: return multiply_by_power(p, node, power);
  }
}

static product product_of(const carom_graph *g, carom_node node, double sign) {
  product p = {.node = node, .sign = sign, .coefficient = sign};
  if (!gather_factors(g, &p, node, 1, MAX_DEPTH))
    p = (product){node, sign, .coefficient = sign, .count = 1, .factors = {{node, 1}}};
  return p;
}

// the terms of node; the last free place takes what is left as one term
static void gather_terms(const carom_graph *g, sum *s, carom_node node, double sign, int room,
                         int depth) {
  const carom_record *r = carom_record_of(g, node);
  bool splits = r->op == CAROM_OP_ADD || r->op == CAROM_OP_SUB;
  if (r->op == CAROM_OP_NEG && depth > 0) {
    gather_terms(g, s, r->operand[0], -sign, room, depth - 1);
  } else if (splits && room > 1 && depth > 0) {
    int before = s->count;
    gather_terms(g, s, r->operand[0], sign, room - 1, depth - 1);
    gather_terms(g, s, r->operand[1], r->op == CAROM_OP_ADD ? sign : -sign,
                 room - (s->count - before), depth - 1);
  } else {
    s->terms[s->count++] = product_of(g, node, sign);
  }
}

static bool same_factors(const product *a, const product *b) {
  if (a->count != b->count) return false;
  for (int k = 0; k < a->count; k++)
    if (a->factors[k].node != b->factors[k].node || a->factors[k].power != b->factors[k].power)
      return false;
  return true;
}

// c sin(u)^2 R + c cos(u)^2 R = c R, with `a` the one that has the sine
static bool merge_circle(const carom_graph *g, const product *a, const product *b,
                         product *merged) {
  if (a->coefficient != b->coefficient) return false;
  for (int i = 0; i < a->count; i++) {
    const carom_record *sine = carom_record_of(g, a->factors[i].node);
    if (sine->op != CAROM_OP_SIN || a->factors[i].power < 2) continue;
    for (int j = 0; j < b->count; j++) {
      const carom_record *cosine = carom_record_of(g, b->factors[j].node);
      if (cosine->op != CAROM_OP_COS || b->factors[j].power < 2) continue;
      if (sine->operand[0] != cosine->operand[0]) continue;
      product left = *a, right = *b;
      multiply_by_power(&left, a->factors[i].node, -2);
      multiply_by_power(&right, b->factors[j].node, -2);
      if (!same_factors(&left, &right)) continue;
      left.node = 0;
      *merged = left;
      return true;
    }
  }
  return false;
}

static bool merge_products(const carom_graph *g, const product *a, const product *b,
                           product *merged) {
  double coefficient = a->coefficient + b->coefficient;
  if (same_factors(a, b) && (coefficient == 0.0 || isnormal(coefficient))) {
    *merged = *a;
    merged->node = 0;
    merged->coefficient = coefficient;
    return true;
  }
  return merge_circle(g, a, b, merged) || merge_circle(g, b, a, merged);
}

// adds a term, merging it with those present as long as that succeeds; says whether it did
static bool add_term(const carom_graph *g, sum *s, product term) {
  bool any = false;
  for (int k = 0; k < s->count; k++) {
    product merged;
    if (!merge_products(g, &s->terms[k], &term, &merged)) continue;
    memmove(&s->terms[k], &s->terms[k + 1], (size_t)(s->count - k - 1) * sizeof term);
    s->count--;
    any = true;
    if (merged.coefficient == 0.0) return true;
    term = merged;
    k = -1;
  }
  assert(s->count < MAX_TERMS);
  s->terms[s->count++] = term;
  return any;
}

// the node of |coefficient| times the factors: powers above over powers below
static carom_node build_product(carom_graph *g, const product *p) {
  carom_node above = 0, below = 0;
  for (int k = 0; k < p->count; k++) {
    int power = p->factors[k].power;
    carom_node exponent = carom_node_constant(g, power > 0 ? power : -power);
    carom_node node = carom_node_make(g, CAROM_OP_POW, p->factors[k].node, exponent, 0);
    carom_node *side = power > 0 ? &above : &below;
    *side = *side ? carom_mul(g, *side, node) : node;
  }
  carom_node scale = carom_node_constant(g, fabs(p->coefficient));
  above = above ? carom_mul(g, scale, above) : scale;
  return below ? carom_div(g, above, below) : above;
}

static carom_node build_sum(carom_graph *g, const sum *s) {
  carom_node total = carom_node_constant(g, 0.0);
  for (int k = 0; k < s->count; k++) {
    const product *p = &s->terms[k];
    carom_node term = p->node ? p->node : build_product(g, p);
    bool plus = (p->node ? p->sign : p->coefficient) > 0.0;
    total = plus ? carom_add(g, total, term) : carom_sub(g, total, term);
  }
  return total;
}

carom_node carom_sum_collect(carom_graph *graph, carom_node left, double sign, carom_node right) {
  sum s, more;
  s.count = more.count = 0;
  gather_terms(graph, &s, left, 1.0, MAX_TERMS / 2, MAX_DEPTH);
  gather_terms(graph, &more, right, sign, MAX_TERMS / 2, MAX_DEPTH);
  bool merged = false;
  for (int k = 0; k < more.count; k++)
    merged |= add_term(graph, &s, more.terms[k]);
  return merged ? build_sum(graph, &s) : 0;
}
