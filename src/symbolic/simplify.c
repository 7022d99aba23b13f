// SPDX-License-Identifier: MIT
// Making nodes: constants are folded, and identities that hold for all finite values are applied
// where a node is born. A node that exists is therefore a fixed point: making it again from its own
// operands gives itself. Normal forms: constants stand first in sums and products, signs move
// outwards, powers up to 8 are chains of products.
#include "symbolic/graph_internal.h"
#include "symbolic/operation.h"

#include <math.h>

enum { LARGEST_CHAIN = 8 };

static carom_node make_node(carom_graph *g, carom_op op, carom_node a, carom_node b) {
  return carom_node_make(g, op, a, b, 0);
}

static carom_node number_node(carom_graph *g, double value) {
  return carom_node_constant(g, value);
}

// -c, with the unit of c
static carom_node minus_constant(carom_graph *g, carom_node node) {
  int unit = carom_node_measure(g, node);
  double value = -carom_record_of(g, node)->value;
  return unit < 0 ? number_node(g, value) : carom_node_measured(g, value, unit);
}

static bool is_operation(const carom_graph *g, carom_node node, carom_op op) {
  return node && carom_record_of(g, node)->op == op;
}

static carom_node operand_of(const carom_graph *g, carom_node node, int k) {
  return carom_record_of(g, node)->operand[k];
}

static bool is_number(const carom_graph *g, carom_node node, double value) {
  double have;
  return carom_node_is_constant(g, node, &have) && have == value;
}

// c * x with a constant c, which stands first by normal form
static bool is_scaled(const carom_graph *g, carom_node node, double *c, carom_node *x) {
  if (!is_operation(g, node, CAROM_OP_MUL) || !carom_node_is_constant(g, operand_of(g, node, 0), c))
    return false;
  *x = operand_of(g, node, 1);
  return true;
}

// a constant may be collected when that neither overflows nor loses digits
static bool is_collectable(double c) { return isnormal(c); }

// -x, -2 x, -3, -2/x: nodes that carry a sign which can move outwards
static bool is_negative(const carom_graph *g, carom_node node) {
  double c;
  carom_node x;
  if (is_operation(g, node, CAROM_OP_NEG)) return true;
  if (carom_node_is_constant(g, node, &c)) return c < 0.0;
  if (is_scaled(g, node, &c, &x)) return c < 0.0;
  if (is_operation(g, node, CAROM_OP_DIV) && carom_node_is_constant(g, operand_of(g, node, 0), &c))
    return c < 0.0;
  return false;
}

static carom_node negate_node(carom_graph *g, carom_node node) { return carom_neg(g, node); }

static void swap_nodes(carom_node *a, carom_node *b) {
  carom_node t = *a;
  *a = *b;
  *b = t;
}

// constants first, then by age
static void order_operands(const carom_graph *g, carom_node *a, carom_node *b) {
  bool ca = is_operation(g, *a, CAROM_OP_CONST), cb = is_operation(g, *b, CAROM_OP_CONST);
  if (ca != cb ? cb : *a > *b) swap_nodes(a, b);
}

// ---- sums: each rule returns 0 when it does not apply

static carom_node simplify_add(carom_graph *g, carom_node a, carom_node b) {
  if (is_number(g, a, 0.0)) return b;
  // c1 + (c2 + x)
  if (is_operation(g, a, CAROM_OP_CONST) && is_operation(g, b, CAROM_OP_ADD) &&
      is_operation(g, operand_of(g, b, 0), CAROM_OP_CONST)) {
    carom_node sum = make_node(g, CAROM_OP_ADD, a, operand_of(g, b, 0));
    if (is_operation(g, sum, CAROM_OP_CONST))
      return make_node(g, CAROM_OP_ADD, sum, operand_of(g, b, 1));
  }
  if (is_negative(g, b)) return make_node(g, CAROM_OP_SUB, a, negate_node(g, b));
  if (is_negative(g, a) && !is_operation(g, a, CAROM_OP_CONST))
    return make_node(g, CAROM_OP_SUB, b, negate_node(g, a));
  return carom_sum_collect(g, a, 1.0, b);
}

static carom_node simplify_sub(carom_graph *g, carom_node a, carom_node b) {
  if (a == b) return number_node(g, 0.0);
  if (is_number(g, b, 0.0)) return a;
  if (is_number(g, a, 0.0)) return negate_node(g, b);
  if (is_operation(g, b, CAROM_OP_CONST))
    return make_node(g, CAROM_OP_ADD, minus_constant(g, b), a);
  if (is_negative(g, b)) return make_node(g, CAROM_OP_ADD, a, negate_node(g, b));
  // -x - y = -(x + y)
  if (is_negative(g, a)) return negate_node(g, make_node(g, CAROM_OP_ADD, negate_node(g, a), b));
  return carom_sum_collect(g, a, -1.0, b);
}

static carom_node simplify_neg(carom_graph *g, carom_node a) {
  double c;
  carom_node x;
  if (is_operation(g, a, CAROM_OP_NEG)) return operand_of(g, a, 0);
  if (is_operation(g, a, CAROM_OP_SUB))
    return make_node(g, CAROM_OP_SUB, operand_of(g, a, 1), operand_of(g, a, 0));
  if (is_scaled(g, a, &c, &x)) return make_node(g, CAROM_OP_MUL, number_node(g, -c), x);
  // -(c + x) with c < 0 is (-c) - x
  if (is_operation(g, a, CAROM_OP_ADD) && carom_node_is_constant(g, operand_of(g, a, 0), &c) &&
      c < 0.0)
    return make_node(g, CAROM_OP_SUB, number_node(g, -c), operand_of(g, a, 1));
  if (is_operation(g, a, CAROM_OP_DIV) && carom_node_is_constant(g, operand_of(g, a, 0), &c))
    return make_node(g, CAROM_OP_DIV, number_node(g, -c), operand_of(g, a, 1));
  return 0;
}

// ---- products

// a constant times something
static carom_node simplify_scale(carom_graph *g, double c, carom_node b) {
  double d;
  carom_node x;
  if (c == 0.0) return number_node(g, 0.0);
  if (c == 1.0) return b;
  if (c == -1.0) return negate_node(g, b);
  if (is_operation(g, b, CAROM_OP_NEG))
    return make_node(g, CAROM_OP_MUL, number_node(g, -c), operand_of(g, b, 0));
  if (is_scaled(g, b, &d, &x) && is_collectable(c * d))
    return make_node(g, CAROM_OP_MUL, number_node(g, c * d), x);
  if (!is_operation(g, b, CAROM_OP_DIV)) return 0;
  // c (d/x) and c (x/d)
  carom_node above = operand_of(g, b, 0), below = operand_of(g, b, 1);
  if (carom_node_is_constant(g, above, &d) && is_collectable(c * d))
    return make_node(g, CAROM_OP_DIV, number_node(g, c * d), below);
  if (carom_node_is_constant(g, below, &d) && is_collectable(c / d))
    return make_node(g, CAROM_OP_MUL, number_node(g, c / d), above);
  return 0;
}

// x * x where the square is simpler than its root
static carom_node simplify_square(carom_graph *g, carom_node a) {
  if (is_operation(g, a, CAROM_OP_SQRT)) return operand_of(g, a, 0);
  if (is_operation(g, a, CAROM_OP_ABS)) {
    carom_node x = operand_of(g, a, 0);
    return make_node(g, CAROM_OP_MUL, x, x);
  }
  return 0;
}

// what stays of product `node` when the factor is taken out once; 0 when it is no factor
static carom_node without_factor(const carom_graph *g, carom_node node, carom_node factor) {
  if (!is_operation(g, node, CAROM_OP_MUL)) return 0;
  if (operand_of(g, node, 0) == factor) return operand_of(g, node, 1);
  return operand_of(g, node, 1) == factor ? operand_of(g, node, 0) : 0;
}

static carom_node simplify_mul(carom_graph *g, carom_node a, carom_node b) {
  double c;
  carom_node x;
  if (carom_node_is_constant(g, a, &c)) return simplify_scale(g, c, b);
  if (a == b && (x = simplify_square(g, a)) != 0) return x;
  // signs and constants move outwards
  if (is_operation(g, a, CAROM_OP_NEG))
    return negate_node(g, make_node(g, CAROM_OP_MUL, operand_of(g, a, 0), b));
  if (is_operation(g, b, CAROM_OP_NEG))
    return negate_node(g, make_node(g, CAROM_OP_MUL, a, operand_of(g, b, 0)));
  if (is_scaled(g, a, &c, &x))
    return make_node(g, CAROM_OP_MUL, number_node(g, c), make_node(g, CAROM_OP_MUL, x, b));
  if (is_scaled(g, b, &c, &x))
    return make_node(g, CAROM_OP_MUL, number_node(g, c), make_node(g, CAROM_OP_MUL, a, x));
  // x (x y) = x^2 y: squares are shared, and those of parameters are computed once
  for (int turn = 0; turn < 2; turn++, swap_nodes(&a, &b)) {
    carom_node rest = without_factor(g, b, a);
    if (rest && rest != a)
      return make_node(g, CAROM_OP_MUL, rest, make_node(g, CAROM_OP_MUL, a, a));
  }
  // (x/y) y = x;  (c/y) x = (c x)/y
  for (int turn = 0; turn < 2; turn++, swap_nodes(&a, &b)) {
    if (!is_operation(g, a, CAROM_OP_DIV)) continue;
    carom_node above = operand_of(g, a, 0), below = operand_of(g, a, 1);
    if (below == b) return above;
    if (is_operation(g, above, CAROM_OP_CONST))
      return make_node(g, CAROM_OP_DIV, make_node(g, CAROM_OP_MUL, above, b), below);
  }
  return 0;
}

// is 1/c exact, so that division and multiplication give the same bits?
static bool power_of_two(double c) {
  int exponent;
  return isnormal(c) && fabs(frexp(c, &exponent)) == 0.5 && isnormal(1.0 / c);
}

static carom_node simplify_over_constant(carom_graph *g, carom_node a, double c) {
  double d;
  carom_node x;
  if (c == 1.0) return a;
  if (c < 0.0) return negate_node(g, make_node(g, CAROM_OP_DIV, a, number_node(g, -c)));
  if (power_of_two(c)) return make_node(g, CAROM_OP_MUL, number_node(g, 1.0 / c), a);
  if (is_scaled(g, a, &d, &x) && is_collectable(d / c))
    return make_node(g, CAROM_OP_MUL, number_node(g, d / c), x);
  if (is_operation(g, a, CAROM_OP_DIV) && carom_node_is_constant(g, operand_of(g, a, 1), &d) &&
      is_collectable(c * d))
    return make_node(g, CAROM_OP_DIV, operand_of(g, a, 0), number_node(g, c * d));
  return 0;
}

static carom_node simplify_div(carom_graph *g, carom_node a, carom_node b) {
  double c, d;
  carom_node x;
  if (is_negative(g, a) && !is_operation(g, a, CAROM_OP_CONST))
    return negate_node(g, make_node(g, CAROM_OP_DIV, negate_node(g, a), b));
  if (is_number(g, b, 0.0)) return 0;
  if (is_number(g, a, 0.0) || a == b) return number_node(g, a == b ? 1.0 : 0.0);
  if (carom_node_is_constant(g, b, &c)) return simplify_over_constant(g, a, c);
  if (is_negative(g, b)) return negate_node(g, make_node(g, CAROM_OP_DIV, a, negate_node(g, b)));
  // c/(d x) = (c/d)/x
  if (carom_node_is_constant(g, a, &c) && is_scaled(g, b, &d, &x) && is_collectable(c / d))
    return make_node(g, CAROM_OP_DIV, number_node(g, c / d), x);
  // common factors
  if ((x = without_factor(g, a, b)) != 0) return x;
  if ((x = without_factor(g, b, a)) != 0) return make_node(g, CAROM_OP_DIV, number_node(g, 1.0), x);
  return 0;
}

// x^n by repeated squaring, n >= 1
static carom_node power_chain(carom_graph *g, carom_node x, int n) {
  if (n == 1) return x;
  carom_node half = power_chain(g, x, n % 2 ? n - 1 : n / 2);
  return make_node(g, CAROM_OP_MUL, half, n % 2 ? x : half);
}

static carom_node simplify_pow(carom_graph *g, carom_node a, carom_node b) {
  double n;
  if (is_number(g, a, 1.0)) return a;
  if (!carom_node_is_constant(g, b, &n)) return 0;
  if (n == 0.0) return number_node(g, 1.0);
  if (n == 0.5) return make_node(g, CAROM_OP_SQRT, a, 0);
  if (fabs(n) > LARGEST_CHAIN || n != floor(n)) return 0;
  carom_node chain = power_chain(g, a, (int)fabs(n));
  return n > 0.0 ? chain : make_node(g, CAROM_OP_DIV, number_node(g, 1.0), chain);
}

// ---- functions

static bool is_square(const carom_graph *g, carom_node node) {
  return is_operation(g, node, CAROM_OP_MUL) && operand_of(g, node, 0) == operand_of(g, node, 1);
}

static bool never_negative(const carom_graph *g, carom_node a) {
  return carom_op_has((carom_op)carom_record_of(g, a)->op, CAROM_NOT_NEGATIVE) || is_square(g, a);
}

static carom_node simplify_function(carom_graph *g, carom_op op, carom_node a) {
  if (op == CAROM_OP_ABS && never_negative(g, a)) return a;
  if (op == CAROM_OP_SQRT && is_square(g, a))
    return make_node(g, CAROM_OP_ABS, operand_of(g, a, 0), 0);
  if (op == CAROM_OP_LOG && is_operation(g, a, CAROM_OP_EXP)) return operand_of(g, a, 0);
  if (!is_negative(g, a) || !carom_op_has(op, CAROM_ODD | CAROM_EVEN)) return 0;
  carom_node mirrored = make_node(g, op, negate_node(g, a), 0);
  return carom_op_has(op, CAROM_ODD) ? negate_node(g, mirrored) : mirrored;
}

// the length of a vector where collecting its squares makes it simple
static carom_node simplify_hypot(carom_graph *g, carom_node a, carom_node b) {
  carom_node first = make_node(g, CAROM_OP_MUL, a, a), second = make_node(g, CAROM_OP_MUL, b, b);
  carom_node squares = make_node(g, CAROM_OP_ADD, first, second);
  carom_node length = make_node(g, CAROM_OP_SQRT, squares, 0);
  return is_operation(g, length, CAROM_OP_SQRT) ? 0 : length;
}

// ---- conditions

static bool is_comparison(carom_op op) { return carom_op_has(op, CAROM_COMPARES); }

// does the node give 0 or 1 only?
static bool is_truth(const carom_graph *g, carom_node node) {
  return carom_op_has((carom_op)carom_record_of(g, node)->op, CAROM_TRUTH);
}

static carom_node truth_of(carom_graph *g, carom_node a) {
  return is_truth(g, a) ? a : make_node(g, CAROM_OP_NE, a, number_node(g, 0.0));
}

static carom_node simplify_logic(carom_graph *g, carom_op op, carom_node a, carom_node b) {
  double c;
  if (a == b) return truth_of(g, a);
  if (!carom_node_is_constant(g, a, &c)) return 0;
  if (op == CAROM_OP_AND) return c != 0.0 ? truth_of(g, b) : number_node(g, 0.0);
  return c != 0.0 ? number_node(g, 1.0) : truth_of(g, b);
}

// the opposite comparison, for finite operands
static carom_op opposite_comparison(carom_op op) {
  switch (op) {
  case CAROM_OP_LT: return CAROM_OP_GE;
  case CAROM_OP_LE: return CAROM_OP_GT;
  case CAROM_OP_GT: return CAROM_OP_LE;
  case CAROM_OP_GE: return CAROM_OP_LT;
  case CAROM_OP_EQ: return CAROM_OP_NE;
  default: return CAROM_OP_EQ;
  }
}

static carom_node simplify_not(carom_graph *g, carom_node a) {
  carom_op op = (carom_op)carom_record_of(g, a)->op;
  if (is_comparison(op))
    return make_node(g, opposite_comparison(op), operand_of(g, a, 0), operand_of(g, a, 1));
  if (op == CAROM_OP_NOT) return truth_of(g, operand_of(g, a, 0));
  return 0;
}

static carom_node simplify_comparison(carom_graph *g, carom_op op, carom_node a, carom_node b) {
  if (a != b) return 0;
  return number_node(g, op == CAROM_OP_LE || op == CAROM_OP_GE || op == CAROM_OP_EQ ? 1.0 : 0.0);
}

static carom_node simplify_if(carom_graph *g, carom_node when, carom_node a, carom_node b) {
  double c;
  if (a == b) return a;
  if (carom_node_is_constant(g, when, &c)) return c != 0.0 ? a : b;
  // the same question is not asked twice
  if (is_operation(g, a, CAROM_OP_IF) && operand_of(g, a, 0) == when)
    return carom_node_make(g, CAROM_OP_IF, when, operand_of(g, a, 1), b);
  if (is_operation(g, b, CAROM_OP_IF) && operand_of(g, b, 0) == when)
    return carom_node_make(g, CAROM_OP_IF, when, a, operand_of(g, b, 2));
  return 0;
}

// ---- the maker

// the unit of a sum of constants is that of the one that has one (the parser refuses two different
// ones); -1: none
static int unit_of_result(const carom_graph *g, carom_op op, const carom_node *operands) {
  bool sum = op == CAROM_OP_ADD || op == CAROM_OP_SUB || op == CAROM_OP_MIN || op == CAROM_OP_MAX;
  if (!sum && op != CAROM_OP_NEG && op != CAROM_OP_ABS) return -1;
  int a = carom_node_measure(g, operands[0]), b = sum ? carom_node_measure(g, operands[1]) : -1;
  return a >= 0 ? a : b;
}

// 1 folded, 0 not all operands constant, -1 constant but the value is not finite: left as written
static int fold_constants(carom_graph *g, carom_op op, const carom_node *operands,
                          carom_node *result) {
  double v[3] = {0};
  for (int k = 0; k < 3 && k < carom_op_arity(op); k++)
    if (!carom_node_is_constant(g, operands[k], &v[k])) return 0;
  double value = carom_operation_value(op, NULL, v[0], v[1], v[2]);
  int unit = unit_of_result(g, op, operands);
  if (!isfinite(value)) return -1;
  *result = unit < 0 ? number_node(g, value) : carom_node_measured(g, value, unit);
  return 1;
}

static carom_node simplify_node(carom_graph *g, carom_op op, carom_node a, carom_node b,
                                carom_node c) {
  switch (op) {
  case CAROM_OP_ADD: return simplify_add(g, a, b);
  case CAROM_OP_SUB: return simplify_sub(g, a, b);
  case CAROM_OP_NEG: return simplify_neg(g, a);
  case CAROM_OP_MUL: return simplify_mul(g, a, b);
  case CAROM_OP_DIV: return simplify_div(g, a, b);
  case CAROM_OP_POW: return simplify_pow(g, a, b);
  case CAROM_OP_MIN:
  case CAROM_OP_MAX: return a == b ? a : 0;
  case CAROM_OP_AND:
  case CAROM_OP_OR: return simplify_logic(g, op, a, b);
  case CAROM_OP_NOT: return simplify_not(g, a);
  case CAROM_OP_IF: return simplify_if(g, a, b, c);
  case CAROM_OP_HYPOT: return simplify_hypot(g, a, b);
  default:
    return is_comparison(op) ? simplify_comparison(g, op, a, b) : simplify_function(g, op, a);
  }
}

static bool is_makeable(carom_op op) {
  return op > CAROM_OP_SYMBOL && op < CAROM_OP_COUNT && !carom_op_is_sampled(op);
}

carom_node carom_node_make(carom_graph *graph, carom_op op, carom_node a, carom_node b,
                           carom_node c) {
  if (!is_makeable(op) || graph->status != CAROM_OK) return 0;
  carom_node operands[3] = {a, b, c}, result = 0;
  for (int k = 0; k < 3; k++) {
    if (k >= carom_op_arity(op))
      operands[k] = 0;
    else if (!operands[k])
      return 0;
  }
  int folded = fold_constants(graph, op, operands, &result);
  if (folded > 0) return result;
  if (carom_op_has(op, CAROM_COMMUTES)) order_operands(graph, &operands[0], &operands[1]);
  if (folded == 0) result = simplify_node(graph, op, operands[0], operands[1], operands[2]);
  if (result || graph->status != CAROM_OK) return result;
  carom_record record = {(uint16_t)op, .index = -1,
                         .operand = {operands[0], operands[1], operands[2]}};
  return carom_graph_intern(graph, record);
}

carom_node carom_add(carom_graph *graph, carom_node a, carom_node b) {
  return make_node(graph, CAROM_OP_ADD, a, b);
}
carom_node carom_sub(carom_graph *graph, carom_node a, carom_node b) {
  return make_node(graph, CAROM_OP_SUB, a, b);
}
carom_node carom_mul(carom_graph *graph, carom_node a, carom_node b) {
  return make_node(graph, CAROM_OP_MUL, a, b);
}
carom_node carom_div(carom_graph *graph, carom_node a, carom_node b) {
  return make_node(graph, CAROM_OP_DIV, a, b);
}
carom_node carom_neg(carom_graph *graph, carom_node a) {
  return make_node(graph, CAROM_OP_NEG, a, 0);
}
