// SPDX-License-Identifier: MIT
// Walks the table of operations, so that a new row is tested without a test of its own: every back
// end gives the bits of the scalar form, intervals enclose, derivatives are those of differences,
// series those of derivatives, branches agree with the whole, and text reads back.
#include "expressions.h"

#include "check.h"
#include "symbolic/kink.h"
#include "symbolic/operation.h"
#include "symbolic/program_internal.h"
#include "symbolic/series.h"

enum { ROOM = 20000, INPUTS = 3, MANY = 60, POINTS = 400 };

// operands x, y, theta; a table for sampled functions
typedef struct bench {
  world *w;
  carom_node inputs[INPUTS];
  const carom_table *table;
} bench;

static bench bench_create(void) {
  static const double x[] = {-2.0, -1.0, 0.0, 0.5, 2.0}, y[] = {0.0, 1.0, 3.0, -1.0, 2.0};
  world *w = world_create();
  bench it = {w, {w->x, w->y, w->theta}, NULL};
  assert_int_equal(carom_graph_add_table(w->graph, "bump", 5, x, y), 0);
  it.table = carom_graph_table(w->graph, 0);
  return it;
}

static carom_node apply(const bench *it, carom_op op, carom_node a, carom_node b, carom_node c) {
  carom_graph *g = it->w->graph;
  if (!carom_op_is_sampled(op)) return carom_node_make(g, op, a, b, c);
  carom_node table = carom_node_table(g, 0, a);
  for (carom_op at = CAROM_OP_TABLE; at < op; at++)
    table = carom_node_derivative(g, table, a);
  return table;
}

static carom_node node_of(const bench *it, carom_op op) {
  return apply(it, op, it->inputs[0], it->inputs[1], it->inputs[2]);
}

static double evaluate(const bench *it, carom_node node, const double v[INPUTS]) {
  double values[64] = {0};
  for (int k = 0; k < carom_graph_symbol_count(it->w->graph); k++)
    for (int j = 0; j < INPUTS; j++)
      if (carom_graph_symbol(it->w->graph, k)->node == it->inputs[j]) values[k] = v[j];
  carom_error error = {0};
  return carom_node_evaluate(it->w->graph, node, values, &error);
}

static double uniform(world *w) { return world_random(w, 1000000) / 1e6; }

// mostly ordinary numbers, of both signs and within the unit interval, sometimes integers
static double ordinary(world *w) {
  double size = world_random(w, 2) ? 1.0 : 3.0, x = size * (2.0 * uniform(w) - 1.0);
  return world_random(w, 8) ? x : round(x);
}

static double awkward(world *w) {
  static const double numbers[] = {0.0,  -0.0,     1.0,       -1.0,   0.5, 1e300,
                                   -2.5, INFINITY, -INFINITY, 5e-324, NAN, 1e-200};
  return world_random(w, 2) ? numbers[world_random(w, 12)] : ordinary(w);
}

static bool same_bits(double a, double b) {
  return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static carom_program *compile(const bench *it, int count, const carom_node *outputs) {
  carom_program *program = NULL;
  carom_error error = {0};
  assert_int_equal(carom_program_compile(it->w->arena, it->w->graph, INPUTS, it->inputs, count,
                                         outputs, &program, &error),
                   CAROM_OK);
  CHECK(4 * (carom_program_registers(program) + count + 1) < ROOM);
  return program;
}

static void expect_bits(carom_op op, const char *how, double got, double wanted) {
  if (!same_bits(got, wanted))
    fail_msg("%s %s: %a, expected %a", carom_op_name(op), how, got, wanted);
}

// one program with the operation alone, through every back end
static void check_back_ends(const bench *it, carom_op op) {
  static double plain[ROOM], native[ROOM];
  carom_node node = node_of(it, op);
  carom_program *program = compile(it, 1, &node);
  for (int turn = 0; turn < POINTS; turn++) {
    double v[4][INPUTS];
    for (int lane = 0; lane < 4; lane++)
      for (int j = 0; j < INPUTS; j++)
        v[lane][j] = turn % 2 ? awkward(it->w) : ordinary(it->w);
    for (int lane = 0; lane < 4; lane++) {
      double wanted = carom_operation_value(op, it->table, v[lane][0], v[lane][1], v[lane][2]);
      memcpy(plain, v[lane], sizeof v[lane]);
      memcpy(native, v[lane], sizeof v[lane]);
      carom_program_setup(program, plain);
      carom_program_setup(program, native);
      carom_code_run(program, &program->body, 0, program->body.count, plain);
      carom_program_run(program, native);
      int at = carom_program_output(program, 0);
      expect_bits(op, "by its node", evaluate(it, node, v[lane]), wanted);
      expect_bits(op, "interpreted", plain[at], wanted);
      expect_bits(op, "as machine code", native[at], wanted);
    }
  }
}

// many of them, so that there is machine code for four states at once
static void check_four(const bench *it, carom_op op) {
  static double work[ROOM], states[4 * INPUTS], values[ROOM], alone[ROOM];
  carom_graph *g = it->w->graph;
  carom_node outputs[MANY];
  for (int k = 0; k < MANY; k++)
    outputs[k] = apply(it, op, carom_add(g, it->inputs[0], carom_node_constant(g, 0.1 * k)),
                       it->inputs[1], it->inputs[2]);
  carom_program *program = compile(it, MANY, outputs);
  carom_program_lanes_code *code = carom_program_native_lanes(it->w->arena, program);
  if (!code) return;
  for (int j = 0; j < 4 * INPUTS; j++)
    states[j] = ordinary(it->w);
  for (int lane = 0; lane < 4; lane++) {
    for (int j = 0; j < INPUTS; j++)
      alone[j] = states[4 * j + lane];
    carom_program_setup(program, alone);
    for (int k = 0; k < carom_program_registers(program); k++)
      work[4 * k + lane] = alone[k];
  }
  code(work, states, values);
  for (int lane = 0; lane < 4; lane++) {
    for (int j = 0; j < INPUTS; j++)
      alone[j] = states[4 * j + lane];
    carom_program_setup(program, alone);
    carom_code_run(program, &program->body, 0, program->body.count, alone);
    for (int k = 0; k < MANY; k++)
      expect_bits(op, "of four as machine code", values[4 * k + lane],
                  alone[carom_program_output(program, k)]);
  }
}

static void test_back_ends(void **state) {
  (void)state;
  bench it = bench_create();
  for (int op = CAROM_OP_ADD; op < CAROM_OP_COUNT; op++) {
    check_back_ends(&it, (carom_op)op);
    check_four(&it, (carom_op)op);
  }
  world_destroy(it.w);
}

static void test_bounds(void **state) {
  (void)state;
  static carom_interval work[ROOM];
  bench it = bench_create();
  for (int op = CAROM_OP_ADD; op < CAROM_OP_COUNT; op++) {
    carom_node node = node_of(&it, (carom_op)op);
    carom_program *program = compile(&it, 1, &node);
    int inside = 0;
    for (int turn = 0; turn < 40 * POINTS; turn++) {
      double lo[INPUTS], v[INPUTS], width = world_random(it.w, 3) ? 0.1 : 1.5;
      for (int j = 0; j < INPUTS; j++) {
        double size = world_random(it.w, 4) ? width * uniform(it.w) : 0.0;
        lo[j] = ordinary(it.w);
        work[j] = (carom_interval){lo[j], lo[j] + size};
        v[j] = world_random(it.w, 4) ? lo[j] + uniform(it.w) * size : round(lo[j] + size / 2.0);
        if (!carom_interval_has(work[j], v[j])) v[j] = lo[j];
      }
      carom_program_setup_bounds(program, work);
      carom_program_run_bounds(program, work);
      carom_interval box = work[carom_program_output(program, 0)];
      double value = carom_operation_value((carom_op)op, it.table, v[0], v[1], v[2]);
      if (!isfinite(value)) continue;
      inside++;
      if (!carom_interval_has(box, value))
        fail_msg("%s(%a, %a, %a) = %a is outside of [%a, %a]", carom_op_name((carom_op)op), v[0],
                 v[1], v[2], value, box.lo, box.hi);
    }
    CHECK(inside > POINTS);
  }
  world_destroy(it.w);
}

// differences of steps h and h/2: how much they differ tells how exact they are
static bool difference(const bench *it, carom_node node, const double *v, int j, double *slope,
                       double *error) {
  double by_step[2];
  for (int half = 0; half < 2; half++) {
    double h = half ? 5e-6 : 1e-5, up[INPUTS], down[INPUTS];
    memcpy(up, v, sizeof up);
    memcpy(down, v, sizeof down);
    up[j] += h;
    down[j] -= h;
    by_step[half] = (evaluate(it, node, up) - evaluate(it, node, down)) / (up[j] - down[j]);
  }
  *slope = by_step[1];
  *error = fabs(by_step[1] - by_step[0]);
  return isfinite(*error) && *error < 1e-3 * (1.0 + fabs(*slope));
}

static void test_derivatives(void **state) {
  (void)state;
  bench it = bench_create();
  for (int op = CAROM_OP_ADD; op < CAROM_OP_COUNT; op++) {
    if (op == CAROM_OP_CURVE) continue; // the third derivative of a table is not offered
    carom_node node = node_of(&it, (carom_op)op);
    int used = 0;
    for (int turn = 0; turn < POINTS; turn++) {
      double v[INPUTS], slope, error;
      for (int j = 0; j < INPUTS; j++)
        v[j] = 3.0 * (2.0 * uniform(it.w) - 1.0) * (world_random(it.w, 2) ? 1.0 : 0.3);
      int j = world_random(it.w, carom_op_arity((carom_op)op));
      carom_node d = carom_node_derivative(it.w->graph, node, it.inputs[j]);
      // outside of the domain, and next to kinks and jumps, there is nothing to compare with
      if (!difference(&it, node, v, j, &slope, &error)) continue;
      if (op == CAROM_OP_RAMP && v[0] < 0.0) continue; // there it keeps the slope of its branch
      double got = evaluate(&it, d, v);
      if (!(fabs(got - slope) <= 4.0 * error + 1e-8 * (1.0 + fabs(slope))))
        fail_msg("d%s(%g, %g, %g)/d%d is %.12g, by differences %.12g within %.3g",
                 carom_op_name((carom_op)op), v[0], v[1], v[2], j, got, slope, error);
      used++;
    }
    if (used < POINTS / 8) fail_msg("%s: %d points", carom_op_name((carom_op)op), used);
  }
  world_destroy(it.w);
}

// x' = y, y' = 1 - x, theta' = 1/2
static void set_rates(const bench *it, carom_node rates[INPUTS]) {
  carom_graph *g = it->w->graph;
  rates[0] = it->inputs[1];
  rates[1] = carom_sub(g, carom_node_constant(g, 1.0), it->inputs[0]);
  rates[2] = carom_node_constant(g, 0.5);
}

// d/dt along this motion
static carom_node along(const bench *it, carom_node node) {
  carom_graph *g = it->w->graph;
  carom_node rates[INPUTS];
  set_rates(it, rates);
  carom_node sum = carom_node_constant(g, 0.0);
  for (int j = 0; j < INPUTS; j++)
    sum = carom_add(g, sum, carom_mul(g, carom_node_derivative(g, node, it->inputs[j]), rates[j]));
  return sum;
}

static bool compile_series(const bench *it, carom_node function, carom_program **program,
                           int *degree) {
  carom_node rates[INPUTS];
  set_rates(it, rates);
  bool has_series = false;
  carom_series_task task = {.graph = it->w->graph,
                            .input_count = INPUTS,
                            .inputs = it->inputs,
                            .state_count = INPUTS,
                            .count = INPUTS,
                            .states = it->inputs,
                            .rates = rates,
                            .function_count = 1,
                            .functions = &function,
                            .has_series = &has_series,
                            .most_nodes = 15000};
  carom_error error = {0};
  assert_int_equal(carom_series_compile(it->w->arena, &task, program, degree, &error), CAROM_OK);
  CHECK(*program && *degree > 4 && carom_program_registers(*program) < ROOM);
  return has_series;
}

static void test_series(void **state) {
  (void)state;
  enum { HIGHEST = 4 };
  static double work[ROOM];
  for (int op = CAROM_OP_ADD; op < CAROM_OP_COUNT; op++) {
    bench it = bench_create();
    carom_series_rule rule = carom_operation_of((carom_op)op)->series;
    carom_node node = node_of(&it, (carom_op)op), derivatives[HIGHEST + 1] = {node};
    // exponents that vary have no series
    if (op == CAROM_OP_POW)
      node = derivatives[0] = carom_node_make(it.w->graph, CAROM_OP_POW, it.inputs[0],
                                              carom_node_constant(it.w->graph, 2.7), 0);
    carom_program *program;
    int degree, compared = 0;
    if (compile_series(&it, node, &program, &degree) != (rule != CAROM_SERIES_NO_SERIES))
      fail_msg("%s: a series, or none, against the table", carom_op_name((carom_op)op));
    for (int k = 1; k <= HIGHEST; k++)
      derivatives[k] = along(&it, derivatives[k - 1]);
    for (int turn = 0; turn < 50 && rule != CAROM_SERIES_NO_SERIES; turn++) {
      double v[INPUTS], factorial = 1.0;
      for (int j = 0; j < INPUTS; j++)
        v[j] = work[j] = 3.0 * (2.0 * uniform(it.w) - 1.0);
      carom_program_setup(program, work);
      carom_program_run(program, work);
      for (int k = 0; k <= HIGHEST; k++) {
        if (k > 0) factorial *= k;
        double wanted = evaluate(&it, derivatives[k], v) / factorial;
        double got = work[carom_program_output(program, degree * INPUTS + k)];
        if (!isfinite(wanted) || fabs(wanted) > 1e6) continue;
        compared++;
        if (!(fabs(got - wanted) <= 1e-9 * (1.0 + fabs(wanted))))
          fail_msg("%s at %g, %g: coefficient %d is %.17g, by derivatives %.17g",
                   carom_op_name((carom_op)op), v[0], v[1], k, got, wanted);
      }
    }
    CHECK(compared > 50 || rule == CAROM_SERIES_NO_SERIES);
    world_destroy(it.w);
  }
}

// the branch that the signs of the switching functions choose is the operation itself
static void test_branches(void **state) {
  (void)state;
  for (int op = CAROM_OP_ADD; op < CAROM_OP_COUNT; op++) {
    bench it = bench_create();
    carom_kink_list list = {0};
    carom_node node = node_of(&it, (carom_op)op);
    carom_node smooth = carom_kink_remove(it.w->graph, it.w->arena, node, &list);
    CHECK(smooth && list.count <= 1);
    if (!carom_operation_of((carom_op)op)->smooth) CHECK(smooth == node && list.count == 0);
    for (int turn = 0; turn < POINTS; turn++) {
      double v[INPUTS];
      carom_node branch = smooth;
      for (int j = 0; j < INPUTS; j++)
        v[j] = ordinary(it.w);
      if (list.count > 0) {
        double u = evaluate(&it, list.items[0].argument, v);
        if (u == 0.0 || isnan(u)) continue; // on the kink
        carom_node sign = carom_node_constant(it.w->graph, u > 0.0 ? 1.0 : -1.0);
        branch = carom_node_substitute(it.w->graph, smooth, 1, &list.items[0].mode, &sign);
      }
      // a == b of varying quantities is false: it holds at instants only
      double wanted = evaluate(&it, node, v), got = evaluate(&it, branch, v);
      if ((op == CAROM_OP_EQ || op == CAROM_OP_NE) && v[0] == v[1]) continue;
      if (v[0] == 0.0 || v[1] == 0.0) continue; // numbers as conditions count as true
      if (!(fabs(got - wanted) <= 1e-13) && !(isnan(got) && isnan(wanted)))
        fail_msg("%s(%.17g, %.17g): %.17g by branches, %.17g as a whole",
                 carom_op_name((carom_op)op), v[0], v[1], got, wanted);
    }
    world_destroy(it.w);
  }
}

// operations that take the place of others between events: nobody writes them
static bool is_inner(int op) {
  return op == CAROM_OP_PARITY || op == CAROM_OP_HELD || op == CAROM_OP_FRACTION ||
         op == CAROM_OP_RAMP;
}

static void test_writing(void **state) {
  (void)state;
  bench it = bench_create();
  for (int op = CAROM_OP_ADD; op < CAROM_OP_COUNT; op++) {
    carom_node node = node_of(&it, (carom_op)op);
    const char *text = carom_node_text(it.w->arena, it.w->graph, node, 0);
    const char *latex = carom_node_latex(it.w->arena, it.w->graph, node, 0);
    if (!is_inner(op) && world_parse(it.w, text) != node) fail_msg("'%s' reads differently", text);
    int depth = 0;
    for (const char *c = latex; *c; c++) {
      depth += (*c == '{') - (*c == '}');
      CHECK(depth >= 0 && *c != '#');
    }
    CHECK(strlen(latex) > 1 && depth == 0 && strlen(text) > 1 && !strchr(text, '#'));
  }
  world_destroy(it.w);
}

// any name is a symbol
static carom_node any_name(void *ctx, const char *name, carom_place place, carom_error *error) {
  world *w = ctx;
  carom_node known = world_lookup(w, name, place, error);
  return known ? known : carom_node_symbol(w->graph, name, CAROM_SYMBOL_PARAMETER);
}

static void test_help(void **state) {
  (void)state;
  world *w = world_create();
  carom_expression_function f;
  int count = 0;
  w->scope.lookup = any_name;
  for (; carom_parse_function(count, &f); count++) {
    CHECK(strlen(f.help) > 3 && strstr(f.example, f.name));
    if (!world_parse(w, f.example))
      fail_msg("the example of %s, '%s', is wrong", f.name, f.example);
  }
  CHECK(count > 25 && !carom_parse_function(-1, &f));
  world_destroy(w);
}

static double value_of(const char *text) {
  world *w = world_create();
  double value = (double)NAN;
  carom_node node = world_parse(w, text);
  CHECK(node && carom_node_is_constant(w->graph, node, &value));
  world_destroy(w);
  return value;
}

static void test_values(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double value;
  } known[] = {{"floor(2.7)", 2},
               {"floor(-2.7)", -3},
               {"floor(-3)", -3},
               {"mod(7, 3)", 1},
               {"mod(-7, 3)", 2},
               {"mod(7, -3)", -2},
               {"mod(-7, -3)", -1},
               {"mod(6, 3)", 0},
               {"mod(5.25, 0.5)", 0.25},
               {"hypot(3, -4)", 5},
               {"hypot(3e200, 4e200)", 5e200},
               {"hypot_slope(3, 4)", 0.6},
               {"hypot_slope(0, 0)", 0},
               {"step(-1)", 0},
               {"step(0)", 1},
               {"step(2)", 1},
               {"mod(-1e-30, 1)", 1}};
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    CHECK_RELATIVE(value_of(known[k].text), known[k].value, 2e-16);
}

// a contact may be called floor: only with a bracket behind it is it the function
static void test_free_names(void **state) {
  (void)state;
  world *w = world_create();
  carom_node floor = carom_node_symbol(w->graph, "floor", CAROM_SYMBOL_PARAMETER);
  CHECK(!carom_parse_reserved("floor") && !carom_parse_reserved("mod"));
  CHECK(!carom_parse_reserved("step") && carom_parse_reserved("hypot"));
  CHECK(world_parse(w, "floor + floor(2.5)") ==
        carom_add(w->graph, floor, carom_node_constant(w->graph, 2.0)));
  CHECK(world_parse(w, "mod + 1") == 0); // neither a quantity nor called
  carom_error error = {0};
  CHECK(carom_parse(&w->scope, "zzz(x)", (carom_place){"test", 1, 1}, &error) == 0);
  CHECK(strstr(error.text, "carom keys functions"));
  CHECK(carom_parse(&w->scope, "flor(x)", (carom_place){"test", 1, 1}, &error) == 0);
  CHECK(strstr(error.text, "did you mean 'floor'"));
  world_destroy(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_back_ends),   cmocka_unit_test(test_bounds),
      cmocka_unit_test(test_derivatives), cmocka_unit_test(test_series),
      cmocka_unit_test(test_branches),    cmocka_unit_test(test_writing),
      cmocka_unit_test(test_help),        cmocka_unit_test(test_values),
      cmocka_unit_test(test_free_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
