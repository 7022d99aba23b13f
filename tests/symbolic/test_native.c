// SPDX-License-Identifier: MIT
// Machine code against the interpreter, bit by bit, on random expressions and awkward numbers.
#include "expressions.h"

#include "base/wide.h"
#include "check.h"
#include "symbolic/program_internal.h"

#include <math.h>

enum { OUTPUTS = 4, MAX_REGISTERS = 4000 };

static bool same_bits(double a, double b) {
  if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
  return memcmp(&a, &b, sizeof a) == 0;
}

// what a state may hold when a motion goes astray
static double awkward(world *w) {
  static const double numbers[] = {0.0,  -0.0,     1.0,       -1.0,   0.5, 1e300,
                                   -2.5, INFINITY, -INFINITY, 5e-324, NAN, 1e-200};
  return world_random(w, 2) ? numbers[world_random(w, 12)] : world_random(w, 2000) / 500.0 - 2.0;
}

static carom_program *compile(world *w, const carom_node *outputs, int count) {
  carom_node inputs[] = {w->m, w->t, w->x, w->y, w->dx, w->dy, w->theta, w->l};
  carom_program *program = NULL;
  carom_error error = {0};
  carom_status status = carom_program_compile(w->arena, w->graph, WORLD_SYMBOLS, inputs, count,
                                              outputs, &program, &error);
  assert_int_equal(status, CAROM_OK);
  CHECK(carom_program_registers(program) < MAX_REGISTERS);
  return program;
}

// one state through the interpreter, through machine code, and with arrays of its own
static void compare(const carom_program *program, const double *values) {
  static double plain[MAX_REGISTERS], native[MAX_REGISTERS], apart[MAX_REGISTERS];
  double outputs[OUTPUTS], by_hand[OUTPUTS];
  for (int k = 0; k < WORLD_SYMBOLS; k++)
    plain[k] = native[k] = apart[k] = values[k];
  carom_program_setup(program, plain);
  carom_program_setup(program, native);
  carom_code_run(program, &program->body, 0, program->body.count, plain);
  carom_program_run(program, native);
  for (int k = 0; k < program->register_count; k++)
    if (!same_bits(plain[k], native[k]))
      fail_msg("register %d: %a interpreted, %a native", k, plain[k], native[k]);

  // the states in `apart` are wrong on purpose: they have to come from the array
  carom_program_setup(program, apart);
  for (int k = 2; k < 7; k++)
    apart[k] = 1e9;
  bool finite = carom_program_evaluate(program, apart, values + 2, outputs);
  bool expected = carom_program_read(program, plain, 0, program->output_count, by_hand);
  CHECK(finite == expected);
  for (int k = 0; k < program->output_count; k++)
    if (!same_bits(outputs[k], by_hand[k]))
      fail_msg("output %d: %a interpreted, %a native", k, by_hand[k], outputs[k]);
}

static void test_random(void **state) {
  (void)state;
  world *w = world_create();
  for (int round = 0; round < 400; round++) {
    carom_node outputs[OUTPUTS];
    for (int k = 0; k < OUTPUTS; k++)
      outputs[k] = world_expression(w, 1 + round % 9, true);
    const carom_program *program = compile(w, outputs, OUTPUTS);
    for (int k = 0; k < 8; k++) {
      double values[WORLD_SYMBOLS];
      world_values(w, values);
      if (k >= 4)
        for (int j = 0; j < WORLD_SYMBOLS; j++)
          values[j] = awkward(w);
      compare(program, values);
    }
  }
  world_destroy(w);
}

// every operation of the language by itself, so that none is left to chance
static void test_each_operation(void **state) {
  (void)state;
  static const char *const texts[] = {"x+y",
                                      "x-y",
                                      "x*y",
                                      "x/y",
                                      "-x",
                                      "x^y",
                                      "x^2",
                                      "x^3",
                                      "x^4",
                                      "x^-1",
                                      "x^-2",
                                      "x^0.5",
                                      "x^1.5",
                                      "x^2.7",
                                      "sqrt(x)",
                                      "cbrt(x)",
                                      "exp(x)",
                                      "log(x)",
                                      "sin(x)",
                                      "cos(x)",
                                      "sin(x*y)",
                                      "cos(x*y)",
                                      "sin(x)+cos(x)",
                                      "tan(x)",
                                      "asin(x)",
                                      "acos(x)",
                                      "atan(x)",
                                      "atan2(x, y)",
                                      "sinh(x)",
                                      "cosh(x)",
                                      "tanh(x)",
                                      "abs(x)",
                                      "sign(x)",
                                      "min(x, y)",
                                      "max(x, y)",
                                      "if(x < y, t, m)",
                                      "if(x <= y, t, m)",
                                      "if(x > y, t, m)",
                                      "if(x >= y, t, m)",
                                      "if(x == y, t, m)",
                                      "if(x != y, t, m)",
                                      "if(x < y and y < t, x, t)",
                                      "if(x < y or y < t, x, t)",
                                      "if(not (x < y), x, t)",
                                      "x*y + t",
                                      "x*y - t",
                                      "t - x*y",
                                      "x*y + t*m",
                                      "x*y - t*theta",
                                      "theta + x*y + t*x",
                                      "(x + y)*t + theta",
                                      "(x - y)*t - theta",
                                      "(x*y + t)*theta",
                                      "(x*y + t) + theta",
                                      "(theta - x*y) + t",
                                      "(theta - x*y)*t",
                                      "theta - (x*y + t)",
                                      "(x*y - theta) + t",
                                      "(x + y)*t",
                                      "(x - y)*t",
                                      "(x + y) + t",
                                      "t - (x + y)",
                                      "t - (x - y)",
                                      "x*y*t",
                                      "x*y/t",
                                      "t/(x*y)",
                                      "-(x*y)",
                                      "table(\"bump\", x)",
                                      "slope(\"bump\", x)*y",
                                      "curve(\"bump\", x) + y"};
  static const double x[] = {-1.0, 0.0, 0.7, 2.0}, y[] = {0.3, -1.0, 2.0, 0.5};
  world *w = world_create();
  assert_int_equal(carom_graph_add_table(w->graph, "bump", 4, x, y), 0);
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    carom_node node = world_parse(w, texts[k]);
    if (!node) fail_msg("'%s' was not understood", texts[k]);
    const carom_program *program = compile(w, &node, 1);
    for (int round = 0; round < 200; round++) {
      double values[WORLD_SYMBOLS];
      for (int j = 0; j < WORLD_SYMBOLS; j++)
        values[j] = awkward(w);
      compare(program, values);
    }
  }
  world_destroy(w);
}

// a long program: sums, products and choices of what came shortly before, and calls among them
static const carom_program *long_program(world *w, bool calls) {
  enum { NODES = 160, NEAR = 24 };
  carom_graph *g = w->graph;
  carom_node made[NODES] = {w->x, w->y, w->dx, w->dy, w->t, w->m, w->l, w->theta};
  for (int k = WORLD_SYMBOLS; k < NODES; k++) {
    int near = k < NEAR ? k : NEAR;
    carom_node a = made[k - 1 - world_random(w, near)], b = made[k - 1 - world_random(w, near)];
    carom_node c = made[k - 1 - world_random(w, near)];
    carom_node less = carom_node_make(g, CAROM_OP_LT, a, b, 0);
    const carom_node choices[] = {carom_add(g, a, b),
                                  carom_sub(g, a, b),
                                  carom_mul(g, a, b),
                                  carom_add(g, carom_mul(g, a, b), c),
                                  carom_sub(g, c, carom_mul(g, a, b)),
                                  carom_div(g, a, b),
                                  carom_neg(g, a),
                                  carom_node_make(g, CAROM_OP_SQRT, carom_mul(g, a, a), 0, 0),
                                  carom_node_make(g, CAROM_OP_ABS, a, 0, 0),
                                  carom_node_make(g, CAROM_OP_IF, less, b, c),
                                  carom_node_make(g, CAROM_OP_SIN, a, 0, 0),
                                  carom_add(g, carom_node_make(g, CAROM_OP_COS, b, 0, 0),
                                            carom_node_make(g, CAROM_OP_SIN, b, 0, 0)),
                                  carom_node_make(g, CAROM_OP_SIN, carom_mul(g, a, b), 0, 0),
                                  carom_node_make(g, CAROM_OP_TANH, c, 0, 0),
                                  carom_node_make(g, CAROM_OP_SIGN, a, 0, 0)};
    int count = (int)(sizeof choices / sizeof *choices);
    made[k] = choices[world_random(w, calls ? count : count - 5)];
  }
  const carom_node outputs[OUTPUTS] = {made[NODES - 1], made[NODES - 9], made[NODES - 30],
                                       made[NODES / 2]};
  return compile(w, outputs, OUTPUTS);
}

// four states side by side against each of them alone
static bool compare_lanes(world *w, const carom_program *program,
                          double values[CAROM_LANES][WORLD_SYMBOLS]) {
  static double wide[MAX_REGISTERS * CAROM_LANES], alone[MAX_REGISTERS];
  double states[5 * CAROM_LANES], outputs[(OUTPUTS + 1) * CAROM_LANES], expected[OUTPUTS];
  carom_program_lanes_code *code = carom_program_native_lanes(w->arena, program);
  CHECK(!code == !carom_program_has_lanes(program));
  if (!code) return false;
  for (int lane = 0; lane < CAROM_LANES; lane++) {
    memcpy(alone, values[lane], WORLD_SYMBOLS * sizeof *alone);
    carom_program_setup(program, alone);
    for (int k = 0; k < program->register_count; k++)
      wide[k * CAROM_LANES + lane] = alone[k];
    for (int k = 0; k < 5; k++)
      states[k * CAROM_LANES + lane] = values[lane][2 + k];
  }
  code(wide, states, outputs);
  for (int lane = 0; lane < CAROM_LANES; lane++) {
    memcpy(alone, values[lane], WORLD_SYMBOLS * sizeof *alone);
    carom_program_setup(program, alone);
    bool finite = carom_program_evaluate(program, alone, values[lane] + 2, expected);
    CHECK((outputs[OUTPUTS * CAROM_LANES + lane] == 0.0) == finite);
    for (int k = 0; k < OUTPUTS; k++)
      if (!same_bits(outputs[k * CAROM_LANES + lane], expected[k]))
        fail_msg("output %d of lane %d: %a, alone %a", k, lane, outputs[k * CAROM_LANES + lane],
                 expected[k]);
  }
  return true;
}

static void test_lanes(void **state) {
  (void)state;
  int compared = 0;
  world *w = world_create();
  for (int round = 0; round < 400; round++) {
    const carom_program *program = long_program(w, round >= 200);
    double values[CAROM_LANES][WORLD_SYMBOLS];
    for (int lane = 0; lane < CAROM_LANES; lane++)
      for (int j = 0; j < WORLD_SYMBOLS; j++)
        values[lane][j] = round % 2 ? awkward(w) : world_random(w, 2000) / 500.0 - 2.0;
    compared += compare_lanes(w, program, values);
  }
  world_destroy(w);
  w = world_create();
  const carom_program *any = long_program(w, false);
  CHECK(!any->native.run || !any->wide || compared > 300);
  world_destroy(w);
}

// without machine code the same call gives the same numbers
static void test_fallback(void **state) {
  (void)state;
  world *w = world_create();
  carom_node outputs[OUTPUTS];
  for (int k = 0; k < OUTPUTS; k++)
    outputs[k] = world_expression(w, 7, true);
  const carom_program *program = compile(w, outputs, OUTPUTS);
  carom_program without = *program;
  without.native = (carom_native){0};
  double values[WORLD_SYMBOLS];
  world_values(w, values);
  compare(program, values);
  compare(&without, values);
  world_destroy(w);
}

// on the machines it is written for, there is machine code: or nothing above was tested
static void test_present(void **state) {
  (void)state;
  world *w = world_create();
  carom_node node = world_parse(w, "x*y + sin(t)");
  const carom_program *program = compile(w, &node, 1);
#if defined(__x86_64__) && defined(__linux__)
  if (!program->native.run) print_message("no executable pages here: interpreter only\n");
#else
  assert_null(program->native.run);
#endif
  CHECK(!program->native.run == !program->native.evaluate);
  world_destroy(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random),  cmocka_unit_test(test_each_operation),
      cmocka_unit_test(test_lanes),   cmocka_unit_test(test_fallback),
      cmocka_unit_test(test_present),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
