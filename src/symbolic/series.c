// SPDX-License-Identifier: MIT
// Taylor coefficients of expressions by the classical recurrences (Moore 1966; Griewank and Walther
// 2008, ch. 13; Jorba and Zou 2005). The coefficients live in a graph of their own, where nodes are
// taken as they come: collecting terms would take apart what the recurrences share.
#include "symbolic/series.h"

#include "symbolic/graph_internal.h"
#include "symbolic/operation.h"
#include "symbolic/rule.h"

#include <assert.h>
#include <string.h>

enum { ORDER = CAROM_SERIES_ORDER };

/// The coefficients of one node of the old graph. Some functions come in pairs: sin and cos, tan
/// and its square, atan and 1 + x^2.
typedef struct row {
  carom_node c[ORDER + 1], partner[ORDER + 1];
  bool varies, missing; // missing: no series is known
  // the row is `factor`, which does not vary, times the row of `base`: a product of such rows is
  // one of their bases, which others may have made already, or a square
  const struct row *base;
  carom_node factor;
} row;

typedef struct expansion {
  const carom_series_task *task;
  carom_graph *to;
  row **rows;       // per node of the old graph; NULL where it is not needed
  carom_node *list; // the nodes needed, operands first
  int count;
  carom_node nodes; // the old graph's, and 1
  carom_node zero, one;
} expansion;

// ---- nodes as they come, but for zeros and ones ----

static carom_node make_node(const expansion *x, carom_op op, carom_node a, carom_node b) {
  carom_record record = {(uint16_t)op, .index = -1, .operand = {a, b, 0}};
  return carom_graph_intern(x->to, record);
}

static carom_node number_node(const expansion *x, double value) {
  return carom_node_constant(x->to, value);
}

static carom_node add_nodes(const expansion *x, carom_node a, carom_node b) {
  if (a == x->zero) return b;
  return b == x->zero ? a : make_node(x, CAROM_OP_ADD, a, b);
}

static carom_node negate_node(const expansion *x, carom_node a) {
  return a == x->zero ? a : make_node(x, CAROM_OP_NEG, a, 0);
}

static carom_node subtract_nodes(const expansion *x, carom_node a, carom_node b) {
  if (b == x->zero) return a;
  return a == x->zero ? negate_node(x, b) : make_node(x, CAROM_OP_SUB, a, b);
}

static carom_node multiply_nodes(const expansion *x, carom_node a, carom_node b) {
  if (a == x->zero || b == x->zero) return x->zero;
  if (a == x->one) return b;
  return b == x->one ? a : make_node(x, CAROM_OP_MUL, a, b);
}

static carom_node scale_node(const expansion *x, double factor, carom_node a) {
  return multiply_nodes(x, number_node(x, factor), a);
}

static carom_node inverse_of(const expansion *x, carom_node a) {
  return a == x->one ? a : make_node(x, CAROM_OP_DIV, x->one, a);
}

// ---- sums of products ----

// sum of a_i b_(k-i) for i = from .. to, from the middle outwards: what was computed last comes
// last, so that a machine can work ahead
static carom_node convolve(const expansion *x, const carom_node *a, const carom_node *b, int k,
                           int from, int to) {
  assert(0 <= k && k <= ORDER && 0 <= from && to <= ORDER);
  carom_node sum = x->zero;
  for (int far = k % 2; far <= k; far += 2) {
    int low = (k - far) / 2, high = (k + far) / 2;
    if (from <= low && low <= to) sum = add_nodes(x, sum, multiply_nodes(x, a[low], b[k - low]));
    if (low < high && from <= high && high <= to)
      sum = add_nodes(x, sum, multiply_nodes(x, a[high], b[k - high]));
  }
  return sum;
}

// sum of a_i a_(k-i) for i = from .. k - from, each product once
static carom_node convolve_square(const expansion *x, const carom_node *a, int k, int from) {
  carom_node sum = x->zero;
  for (int i = (k - 1) / 2; i >= from && k > 0; i--)
    sum = add_nodes(x, sum, multiply_nodes(x, a[i], a[k - i]));
  sum = scale_node(x, 2.0, sum);
  return k % 2 == 0 && k / 2 >= from ? add_nodes(x, multiply_nodes(x, a[k / 2], a[k / 2]), sum)
                                     : sum;
}

// sum of i a_i b_(k-i) / k for i = from .. to: what the chain rule makes of a' b
static carom_node convolve_slope(const expansion *x, const carom_node *a, const carom_node *b,
                                 int k, int to) {
  carom_node slope[ORDER + 1] = {x->zero};
  for (int i = 1; i <= to; i++)
    slope[i] = scale_node(x, i, a[i]);
  return scale_node(x, 1.0 / k, convolve(x, slope, b, k, 1, to));
}

// ---- one coefficient of one node ----

static carom_node product_coefficient(const expansion *x, const row *a, const row *b, int k) {
  carom_node factor = multiply_nodes(x, a->factor, b->factor);
  a = a->base;
  b = b->base;
  if (a == b) return multiply_nodes(x, factor, convolve_square(x, a->c, k, 0));
  // the same whichever comes first
  return multiply_nodes(
      x, factor, a < b ? convolve(x, a->c, b->c, k, 0, k) : convolve(x, b->c, a->c, k, 0, k));
}

static void find_base(const expansion *x, carom_op op, const row *const on[3], row *r) {
  const row *a = on[0], *b = on[1];
  r->base = r;
  r->factor = x->one;
  if (op == CAROM_OP_MUL && a->varies != b->varies) {
    const row *moving = a->varies ? a : b, *fixed = a->varies ? b : a;
    r->base = moving->base;
    r->factor = multiply_nodes(x, fixed->c[0], moving->factor);
  } else if (op == CAROM_OP_DIV && a->varies && !b->varies) {
    r->base = a->base;
    r->factor = make_node(x, CAROM_OP_DIV, a->factor, b->c[0]);
  } else if (op == CAROM_OP_NEG && a->varies) {
    r->base = a->base;
    r->factor = negate_node(x, a->factor);
  }
}

static carom_node quotient_coefficient(const expansion *x, const row *a, const row *b, const row *r,
                                       int k) {
  carom_node rest = subtract_nodes(x, a->c[k], convolve(x, b->c, r->c, k, 1, k));
  return multiply_nodes(x, rest, inverse_of(x, b->c[0]));
}

static carom_node root_coefficient(const expansion *x, const row *a, const row *r, int k) {
  carom_node rest = subtract_nodes(x, a->c[k], convolve_square(x, r->c, k, 1));
  return multiply_nodes(x, rest, make_node(x, CAROM_OP_DIV, number_node(x, 0.5), r->c[0]));
}

// r = a^p with a fixed p: a r' = p a' r
static carom_node power_coefficient(const expansion *x, const row *a, carom_node exponent,
                                    const row *r, int k) {
  carom_node sum = x->zero;
  for (int i = 1; i <= k; i++) {
    carom_node weight = subtract_nodes(x, scale_node(x, (double)i / k, exponent),
                                       number_node(x, (double)(k - i) / k));
    sum = add_nodes(x, sum, multiply_nodes(x, multiply_nodes(x, weight, a->c[i]), r->c[k - i]));
  }
  return multiply_nodes(x, sum, inverse_of(x, a->c[0]));
}

// r' b = a', where only b_0 and what came before is known: log and atan
static carom_node quotient_of_slope(const expansion *x, const row *a, const carom_node *b,
                                    const row *r, int k) {
  carom_node rest = subtract_nodes(x, a->c[k], convolve_slope(x, r->c, b, k, k - 1));
  return multiply_nodes(x, rest, inverse_of(x, b[0]));
}

// how node `at` of the old graph changes with its operand j, as a node there
static carom_node slope_of(const expansion *x, carom_node at, int j) {
  carom_graph *graph = x->task->graph;
  carom_node zero = carom_node_constant(graph, 0.0);
  carom_rule rule = {.graph = graph, .node = at, .slope = {zero, zero, zero}};
  for (int k = 0; k < 3; k++)
    rule.operand[k] = carom_node_operand(graph, at, k);
  rule.slope[j] = carom_node_constant(graph, 1.0);
  return carom_rule_apply(&rule, carom_operation_of(carom_node_op(graph, at))->derivative);
}

// f' = sum of slope_j a_j'
static bool by_slope(const expansion *x, carom_node at, const row *const on[3], row *r, int k) {
  carom_node sum = x->zero;
  for (int j = 0; j < 3 && on[j]; j++) {
    if (!on[j]->varies) continue;
    carom_node node = slope_of(x, at, j);
    const row *slope = node < x->nodes ? x->rows[node] : NULL;
    if (!slope || slope->missing) return false;
    sum = add_nodes(x, sum, convolve_slope(x, on[j]->c, slope->c, k, k));
  }
  r->c[k] = sum;
  return true;
}

// The coefficient k > 0 of a node that varies, and that of its partner; false: no series is known.
static bool later_coefficient(const expansion *x, carom_node at, const row *const on[3], row *r,
                              int k) {
  carom_op op = carom_node_op(x->task->graph, at);
  const row *a = on[0], *b = on[1];
  carom_node *c = &r->c[k], *partner = &r->partner[k];
  switch (op) {
  case CAROM_OP_ADD: *c = add_nodes(x, a->c[k], b->c[k]); return true;
  case CAROM_OP_SUB: *c = subtract_nodes(x, a->c[k], b->c[k]); return true;
  case CAROM_OP_NEG: *c = negate_node(x, a->c[k]); return true;
  case CAROM_OP_RAMP: *c = a->c[k]; return true;
  case CAROM_OP_MUL:
    *c =
        a->varies && b->varies ? product_coefficient(x, a, b, k) : convolve(x, a->c, b->c, k, 0, k);
    return true;
  case CAROM_OP_DIV: *c = quotient_coefficient(x, a, b, r, k); return true;
  case CAROM_OP_SQRT: *c = root_coefficient(x, a, r, k); return true;
  case CAROM_OP_CBRT: *c = power_coefficient(x, a, number_node(x, 1.0 / 3.0), r, k); return true;
  case CAROM_OP_POW:
    if (b->varies) return false;
    *c = power_coefficient(x, a, b->c[0], r, k);
    return true;
  case CAROM_OP_EXP: *c = convolve_slope(x, a->c, r->c, k, k); return true;
  case CAROM_OP_LOG: *c = quotient_of_slope(x, a, a->c, r, k); return true;
  case CAROM_OP_SIN:
  case CAROM_OP_COS:
  case CAROM_OP_SINH:
  case CAROM_OP_COSH:
    *c = convolve_slope(x, a->c, r->partner, k, k);
    *partner = convolve_slope(x, a->c, r->c, k, k);
    if (op == CAROM_OP_SIN) *partner = negate_node(x, *partner);
    if (op == CAROM_OP_COS) *c = negate_node(x, *c);
    return true;
  case CAROM_OP_TAN:
  case CAROM_OP_TANH: {
    carom_node bend = convolve_slope(x, a->c, r->partner, k, k);
    *c = op == CAROM_OP_TAN ? add_nodes(x, a->c[k], bend) : subtract_nodes(x, a->c[k], bend);
    *partner = convolve_square(x, r->c, k, 0);
    return true;
  }
  case CAROM_OP_ATAN:
    *partner = convolve_square(x, a->c, k, 0);
    *c = quotient_of_slope(x, a, r->partner, r, k);
    return true;
  case CAROM_OP_PARITY:
    *c = scale_node(x, CAROM_PI, convolve_slope(x, a->c, r->partner, k, k));
    *partner = scale_node(x, -CAROM_PI, convolve_slope(x, a->c, r->c, k, k));
    return true;
  default: break;
  }
  carom_series_rule rule = carom_operation_of(op)->series;
  return rule == CAROM_SERIES_BY_SLOPE ? by_slope(x, at, on, r, k) : rule == CAROM_SERIES_FLAT;
}

// the values themselves
static void first_coefficient(const expansion *x, carom_op op, const row *const on[3], row *r) {
  carom_record record = {(uint16_t)op, .index = -1};
  for (int k = 0; k < 3; k++)
    record.operand[k] = on[k] ? on[k]->c[0] : 0;
  r->c[0] = carom_graph_intern(x->to, record);
  carom_node a = record.operand[0];
  switch (op) {
  case CAROM_OP_SIN: r->partner[0] = make_node(x, CAROM_OP_COS, a, 0); break;
  case CAROM_OP_COS: r->partner[0] = make_node(x, CAROM_OP_SIN, a, 0); break;
  case CAROM_OP_SINH: r->partner[0] = make_node(x, CAROM_OP_COSH, a, 0); break;
  case CAROM_OP_COSH: r->partner[0] = make_node(x, CAROM_OP_SINH, a, 0); break;
  case CAROM_OP_TAN:
  case CAROM_OP_TANH: r->partner[0] = multiply_nodes(x, r->c[0], r->c[0]); break;
  case CAROM_OP_ATAN: r->partner[0] = add_nodes(x, x->one, multiply_nodes(x, a, a)); break;
  case CAROM_OP_PARITY:
    r->partner[0] = make_node(x, CAROM_OP_PARITY, add_nodes(x, a, number_node(x, 0.5)), 0);
    break;
  default: break;
  }
}

// ---- all of them ----

// coefficient k of the node `at` of the old graph; symbols have theirs already
static void expand_node(const expansion *x, carom_node at, int k) {
  const carom_graph *graph = x->task->graph;
  carom_op op = carom_node_op(graph, at);
  row *r = x->rows[at];
  double value;
  assert(r && k <= ORDER);
  if (op == CAROM_OP_SYMBOL || carom_op_is_sampled(op)) {
    r->missing = r->c[0] == 0;
    return;
  }
  if (carom_node_is_constant(graph, at, &value)) {
    r->c[k] = k == 0 ? number_node(x, value) : x->zero;
    return;
  }
  const row *on[3] = {NULL, NULL, NULL};
  for (int j = 0; j < carom_op_arity(op); j++) {
    on[j] = x->rows[carom_node_operand(graph, at, j)];
    assert(on[j]);
    r->varies = r->varies || on[j]->varies;
    r->missing = r->missing || on[j]->missing;
  }
  if (r->missing) return;
  if (k == 0) {
    first_coefficient(x, op, on, r);
    find_base(x, op, on, r);
    return;
  }
  r->c[k] = x->zero;
  r->missing = r->varies && !later_coefficient(x, at, on, r, k);
}

// the inputs of the new graph, one for one, and their rows
static void declare_inputs(expansion *x, carom_node *inputs) {
  const carom_series_task *task = x->task;
  for (int k = 0; k < task->input_count; k++) {
    const carom_symbol *symbol = carom_node_as_symbol(task->graph, task->inputs[k]);
    inputs[k] = carom_node_symbol(x->to, symbol->name, symbol->kind);
    row *r = x->rows[task->inputs[k]];
    if (!r) continue;
    bool time = symbol->kind == CAROM_SYMBOL_TIME;
    for (int j = 1; j <= ORDER; j++)
      r->c[j] = time && j == 1 ? x->one : x->zero;
    r->c[0] = inputs[k];
    r->varies = time;
    r->base = r;
    r->factor = x->one;
  }
  for (int i = 0; i < task->state_count; i++)
    if (x->rows[task->states[i]]) x->rows[task->states[i]]->varies = true;
}

// Marks what the marked nodes need: their operands, and the slopes that their series come from.
// True where another sweep is due: a slope may be marked after those that it needs itself.
static bool mark_needed(const expansion *x, bool *needed) {
  const carom_graph *graph = x->task->graph;
  bool again = false;
  for (carom_node at = x->nodes - 1; at > 0; at--) {
    if (!needed[at]) continue;
    carom_op op = carom_node_op(graph, at);
    bool slopes = carom_operation_of(op)->series == CAROM_SERIES_BY_SLOPE;
    for (int j = 0; j < carom_op_arity(op); j++) {
      needed[carom_node_operand(graph, at, j)] = true;
      carom_node slope = slopes ? slope_of(x, at, j) : 0;
      if (!slope || slope >= x->nodes || needed[slope]) continue;
      needed[slope] = again = true;
    }
  }
  return again;
}

static bool mark_all(expansion *x, carom_arena *scratch, bool **needed) {
  const carom_series_task *task = x->task;
  x->nodes = (carom_node)carom_graph_count(task->graph) + 1;
  *needed = carom_arena_array(scratch, x->nodes, sizeof **needed);
  if (!*needed) return false;
  for (int i = 0; i < task->count; i++)
    (*needed)[task->rates[i]] = true;
  for (int j = 0; j < task->function_count; j++)
    (*needed)[task->functions[j]] = true;
  while (mark_needed(x, *needed))
    continue;
  return true;
}

// Lists what the rates are made of. Slopes made on the way need others: after a few rounds they are
// those that are there, or there is no series.
static bool find_needed(expansion *x, carom_arena *scratch) {
  enum { ROUNDS = 6 };
  bool *needed;
  for (int round = 0; round < ROUNDS; round++) {
    if (!mark_all(x, scratch, &needed)) return false;
    if (x->nodes == (carom_node)carom_graph_count(x->task->graph) + 1) break;
  }
  x->rows = carom_arena_array(scratch, x->nodes, sizeof *x->rows);
  x->list = carom_arena_array(scratch, x->nodes, sizeof *x->list);
  if (!x->rows || !x->list) return false;
  for (carom_node at = 1; at < x->nodes; at++)
    if (needed[at]) x->list[x->count++] = at;
  return true;
}

static bool make_rows(const expansion *x, carom_arena *scratch) {
  row *rows = carom_arena_array(scratch, (size_t)x->count, sizeof *rows);
  for (int j = 0; rows && j < x->count; j++)
    x->rows[x->list[j]] = &rows[j];
  return rows != NULL;
}

// All coefficients, order by order; false where there is no series.
static bool expand_all(const expansion *x, carom_node *outputs) {
  const carom_series_task *task = x->task;
  for (int k = 0; k < ORDER; k++) {
    for (int j = 0; j < x->count; j++)
      expand_node(x, x->list[j], k);
    for (int i = 0; i < task->count; i++) {
      if (x->rows[task->rates[i]]->missing) return false;
      carom_node next = scale_node(x, 1.0 / (k + 1), x->rows[task->rates[i]]->c[k]);
      outputs[k * task->count + i] = next;
      row *state = i < task->state_count ? x->rows[task->states[i]] : NULL;
      if (state) state->c[k + 1] = next;
    }
    if (carom_graph_count(x->to) > task->most_nodes) return false;
  }
  return true;
}

// the highest power that any component has, and one more than that of any function
static int find_degree(const expansion *x, const carom_node *outputs) {
  const carom_series_task *task = x->task;
  int count = task->count, last = count * ORDER;
  while (last > 0 && outputs[last - 1] == x->zero)
    last--;
  int degree = (last + count - 1) / count;
  if (degree < task->least_degree) degree = task->least_degree;
  for (int j = 0; j < task->function_count; j++) {
    const row *r = x->rows[task->functions[j]];
    for (int k = degree; k < ORDER && !r->missing; k++)
      if (r->c[k] != x->zero) degree = k + 1;
  }
  return degree;
}

static void append_functions(const expansion *x, int degree, carom_node *at) {
  for (int j = 0; j < x->task->function_count; j++) {
    const row *r = x->rows[x->task->functions[j]];
    x->task->has_series[j] = !r->missing;
    for (int k = 0; k < degree; k++)
      *at++ = r->missing ? x->zero : r->c[k];
  }
}

static carom_status compile_series(carom_arena *arena, carom_arena *scratch, expansion *x,
                                   carom_program **program, int *degree, carom_error *error) {
  const carom_series_task *task = x->task;
  x->to = carom_graph_create(scratch);
  carom_node *inputs = carom_arena_array(scratch, (size_t)task->input_count, sizeof *inputs);
  int components = task->count + task->function_count;
  carom_node *outputs = carom_arena_array(scratch, (size_t)components * ORDER, sizeof *outputs);
  if (!x->to || !inputs || !outputs || !find_needed(x, scratch)) return carom_fail_memory(error);
  if (x->count > task->most_nodes) return CAROM_OK;
  if (!make_rows(x, scratch)) return carom_fail_memory(error);
  x->zero = number_node(x, 0.0);
  x->one = number_node(x, 1.0);
  declare_inputs(x, inputs);
  if (!expand_all(x, outputs)) return CAROM_OK;
  *degree = find_degree(x, outputs);
  append_functions(x, *degree, outputs + *degree * task->count);
  return carom_program_compile(arena, x->to, task->input_count, inputs, components * *degree,
                               outputs, program, error);
}

carom_status carom_series_compile(carom_arena *arena, const carom_series_task *task,
                                  carom_program **program, int *degree, carom_error *error) {
  *program = NULL;
  *degree = 0;
  expansion x = {.task = task};
  carom_arena *scratch = carom_arena_create(carom_arena_allocator(arena));
  if (!scratch) return carom_fail_memory(error);
  carom_status status = compile_series(arena, scratch, &x, program, degree, error);
  carom_arena_destroy(scratch);
  return status;
}
