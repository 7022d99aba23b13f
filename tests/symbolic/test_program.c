// SPDX-License-Identifier: MIT
#include "check.h"
#include "symbolic/program_internal.h"

#include <stdlib.h>
#include <string.h>

enum { INPUTS = 8, PARAMETERS = 3, MAX_NODES = 4000, MAX_OUTPUTS = 40 };

// ---- a random world ----------------------------------------------------------------------------

static uint64_t next_random(uint64_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return *seed;
}
static int pick(uint64_t *seed, int count) { return (int)(next_random(seed) >> 33) % count; }
static double uniform(uint64_t *seed, double lo, double hi) {
  return lo + (hi - lo) * (double)(next_random(seed) >> 11) * 0x1p-53;
}

// Three parameters and five variables, a table, and expressions grown from them at random.
typedef struct world {
  carom_arena *arena;
  carom_graph *graph;
  carom_node inputs[INPUTS];
  carom_node nodes[MAX_NODES];
  int count;
  carom_node outputs[MAX_OUTPUTS];
  int output_count;
  int table;
  carom_program *program;
} world;

static void make_world(world *w) {
  static const char *names[INPUTS] = {"p", "k", "m", "t", "x", "y", "x'", "s"};
  static const carom_symbol_kind kinds[INPUTS] = {
      CAROM_SYMBOL_PARAMETER,  CAROM_SYMBOL_PARAMETER,  CAROM_SYMBOL_PARAMETER, CAROM_SYMBOL_TIME,
      CAROM_SYMBOL_COORDINATE, CAROM_SYMBOL_COORDINATE, CAROM_SYMBOL_RATE,      CAROM_SYMBOL_MODE};
  static const double tx[5] = {-2.0, -0.5, 0.25, 1.0, 3.0}, ty[5] = {1.0, 1.5, 1.25, 0.0, -1.0};
  memset(w, 0, sizeof *w);
  w->arena = carom_arena_create(NULL);
  w->graph = carom_graph_create(w->arena);
  for (int k = 0; k < INPUTS; k++)
    w->nodes[w->count++] = w->inputs[k] = carom_node_symbol(w->graph, names[k], kinds[k]);
  w->table = carom_graph_add_table(w->graph, "curve", 5, tx, ty);
  CHECK(w->table >= 0);
}

static void destroy_world(world *w) { carom_arena_destroy(w->arena); }

static carom_node random_operand(world *w, uint64_t *seed) {
  if (pick(seed, 6) == 0) return carom_node_constant(w->graph, uniform(seed, -2.0, 2.0));
  // mostly recent nodes, so that expressions become deep; sometimes any, so that values live long
  int reach = pick(seed, 4) ? 12 : w->count;
  if (reach > w->count) reach = w->count;
  return w->nodes[w->count - 1 - pick(seed, reach)];
}

static carom_node random_power(world *w, uint64_t *seed, carom_node a) {
  static const double exponents[] = {2, 3, 4, -1, -2, 0.5, 1.5, 5, 0.3, -3};
  carom_node exponent = carom_node_constant(w->graph, exponents[pick(seed, 10)]);
  if (pick(seed, 6) == 0) exponent = w->inputs[pick(seed, PARAMETERS)];
  return carom_node_make(w->graph, CAROM_OP_POW, a, exponent, 0);
}

// a node of any operation; sums and products are as frequent as in equations of motion
static carom_node random_node(world *w, uint64_t *seed) {
  static const carom_op common[4] = {CAROM_OP_ADD, CAROM_OP_SUB, CAROM_OP_MUL, CAROM_OP_MUL};
  carom_op op = pick(seed, 2) ? common[pick(seed, 4)] : (carom_op)(CAROM_OP_ADD + pick(seed, 37));
  carom_node a = random_operand(w, seed), b = random_operand(w, seed), c = random_operand(w, seed);
  if (op == CAROM_OP_POW) return random_power(w, seed, a);
  if (op >= CAROM_OP_TABLE) {
    carom_node value = carom_node_table(w->graph, w->table, a);
    return pick(seed, 2) ? value : carom_node_derivative(w->graph, value, w->inputs[4]);
  }
  // tame what grows, so that values stay finite in most programs
  if (op == CAROM_OP_EXP || op == CAROM_OP_SINH || op == CAROM_OP_COSH)
    a = carom_node_make(w->graph, CAROM_OP_TANH, a, 0, 0);
  int arity = carom_op_arity(op);
  return carom_node_make(w->graph, op, a, arity > 1 ? b : 0, arity > 2 ? c : 0);
}

static void grow_world(world *w, uint64_t *seed, int size, int output_count) {
  for (int k = 0; k < size && w->count < MAX_NODES; k++) {
    carom_node node = random_node(w, seed);
    if (node && pick(seed, 8) == 0) node = carom_node_make(w->graph, CAROM_OP_SIN, node, 0, 0);
    if (node) w->nodes[w->count++] = node;
  }
  w->output_count = output_count;
  for (int k = 0; k < output_count; k++)
    w->outputs[k] = k < 4 ? w->nodes[w->count - 1 - k] : w->nodes[pick(seed, w->count)];
  carom_error error;
  carom_status status = carom_program_compile(w->arena, w->graph, INPUTS, w->inputs,
                                              w->output_count, w->outputs, &w->program, &error);
  if (status) print_error("%s\n", error.text);
  assert_int_equal(status, CAROM_OK);
}

static void random_inputs(uint64_t *seed, double *values) {
  for (int k = 0; k < INPUTS; k++)
    values[k] = uniform(seed, -2.5, 2.5);
  values[INPUTS - 1] = pick(seed, 2) ? 1.0 : -1.0;
}

static bool same_bits(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}
#define CHECK_BITS(a, b)                                                                           \
  do {                                                                                             \
    double a_ = (a), b_ = (b);                                                                     \
    if (same_bits(a_, b_)) break;                                                                  \
    print_error("%s:%d: %a is not %a\n", __FILE__, __LINE__, a_, b_);                              \
    fail();                                                                                        \
  } while (0)

static double *new_work(const world *w, int width) {
  size_t count = (size_t)carom_program_registers(w->program) * (size_t)width;
  double *work = malloc((count + 1) * sizeof(double));
  assert_non_null(work);
  // what the program does not write itself must not matter
  for (size_t k = 0; k < count; k++)
    work[k] = NAN;
  return work;
}

static void run_once(const world *w, const double *values, double *work) {
  memcpy(work, values, INPUTS * sizeof(double));
  carom_program_setup(w->program, work);
  carom_program_run(w->program, work);
}

// ---- one state ---------------------------------------------------------------------------------

// every program gives the bits of the plain evaluation of the graph, whatever is fused or reused
static void test_same_as_graph(void **state) {
  (void)state;
  uint64_t seed = 88172645463325252u;
  int finite = 0, total = 0;
  for (int round = 0; round < 400; round++) {
    world w;
    make_world(&w);
    grow_world(&w, &seed, 5 + pick(&seed, 120), 1 + pick(&seed, 12));
    double *work = new_work(&w, 1), values[INPUTS];
    for (int trial = 0; trial < 4; trial++) {
      random_inputs(&seed, values);
      run_once(&w, values, work);
      for (int k = 0; k < w.output_count; k++) {
        double expected = carom_node_evaluate(w.graph, w.outputs[k], values, NULL);
        CHECK_BITS(work[carom_program_output(w.program, k)], expected);
        finite += isfinite(expected) != 0;
        total++;
      }
    }
    free(work);
    destroy_world(&w);
  }
  CHECK(2 * finite > total); // otherwise NaN would hide mistakes
}

// large programs with many values alive: no register is given away too early
static void test_large_programs(void **state) {
  (void)state;
  uint64_t seed = 1234567u;
  for (int round = 0; round < 12; round++) {
    world w;
    make_world(&w);
    grow_world(&w, &seed, 3500, MAX_OUTPUTS);
    double *work = new_work(&w, 1), values[INPUTS];
    random_inputs(&seed, values);
    run_once(&w, values, work);
    for (int k = 0; k < w.output_count; k++)
      CHECK_BITS(work[carom_program_output(w.program, k)],
                 carom_node_evaluate(w.graph, w.outputs[k], values, NULL));
    free(work);
    destroy_world(&w);
  }
}

// a long chain of dependent sums needs a handful of registers, not one per node
static void test_registers_are_reused(void **state) {
  (void)state;
  world w;
  make_world(&w);
  carom_node sum = w.inputs[4];
  for (int k = 0; k < 1000; k++) {
    carom_node factor = carom_node_make(w.graph, CAROM_OP_SIN, sum, 0, 0);
    sum = carom_add(w.graph, carom_mul(w.graph, factor, w.inputs[5]), w.inputs[6]);
  }
  assert_int_equal(
      carom_program_compile(w.arena, w.graph, INPUTS, w.inputs, 1, &sum, &w.program, NULL),
      CAROM_OK);
  CHECK(carom_program_registers(w.program) <= INPUTS + 4);
  assert_int_equal(carom_program_length(w.program), 2000); // sin, multiply-add
  destroy_world(&w);
}

// the double pendulum against the formulas in C: an independent reference for the arithmetic
static void test_against_c(void **state) {
  (void)state;
  world w;
  make_world(&w);
  carom_graph *g = w.graph;
  carom_node x = w.inputs[4], y = w.inputs[5], v = w.inputs[6], p = w.inputs[0];
  carom_node two = carom_node_constant(g, 2.0), gap = carom_sub(g, x, y);
  carom_node top =
      carom_sub(g, carom_mul(g, p, carom_node_make(g, CAROM_OP_SIN, y, 0, 0)),
                carom_mul(g, carom_mul(g, v, v), carom_node_make(g, CAROM_OP_SIN, gap, 0, 0)));
  carom_node bottom = carom_sub(g, two,
                                carom_mul(g, carom_node_make(g, CAROM_OP_COS, gap, 0, 0),
                                          carom_node_make(g, CAROM_OP_COS, gap, 0, 0)));
  w.outputs[0] = carom_div(g, top, bottom);
  w.output_count = 1;
  assert_int_equal(
      carom_program_compile(w.arena, g, INPUTS, w.inputs, 1, w.outputs, &w.program, NULL),
      CAROM_OK);
  double *work = new_work(&w, 1), values[INPUTS] = {9.81, 0, 0, 0, 0.7, -0.4, 1.3, 1};
  run_once(&w, values, work);
  double expected =
      (9.81 * sin(-0.4) - 1.3 * 1.3 * sin(0.7 + 0.4)) / (2.0 - cos(0.7 + 0.4) * cos(0.7 + 0.4));
  CHECK_RELATIVE(work[carom_program_output(w.program, 0)], expected, 1e-14);
  free(work);
  destroy_world(&w);
}

// ---- setup and body ----------------------------------------------------------------------------

static void test_setup_split(void **state) {
  (void)state;
  uint64_t seed = 99991u;
  for (int round = 0; round < 100; round++) {
    world w;
    make_world(&w);
    grow_world(&w, &seed, 80, 8);
    double *used = new_work(&w, 1), *fresh = new_work(&w, 1), first[INPUTS], second[INPUTS];
    random_inputs(&seed, first);
    random_inputs(&seed, second);
    run_once(&w, first, used);
    run_once(&w, second, fresh);

    // new parameters and state in a used work array; then the body alone, twice
    run_once(&w, second, used);
    for (int k = 0; k < w.output_count; k++)
      CHECK_BITS(used[carom_program_output(w.program, k)],
                 fresh[carom_program_output(w.program, k)]);
    memcpy(used + PARAMETERS, first + PARAMETERS, (INPUTS - PARAMETERS) * sizeof(double));
    carom_program_run(w.program, used);
    memcpy(used + PARAMETERS, second + PARAMETERS, (INPUTS - PARAMETERS) * sizeof(double));
    carom_program_run(w.program, used);
    for (int k = 0; k < w.output_count; k++)
      CHECK_BITS(used[carom_program_output(w.program, k)],
                 fresh[carom_program_output(w.program, k)]);
    free(used);
    free(fresh);
    destroy_world(&w);
  }
}

// what depends on parameters alone is no part of the body
static void test_setup_takes_parameters(void **state) {
  (void)state;
  world w;
  make_world(&w);
  carom_graph *g = w.graph;
  carom_node fixed = carom_div(g, carom_node_make(g, CAROM_OP_EXP, w.inputs[0], 0, 0), w.inputs[1]);
  carom_node outputs[2] = {carom_mul(g, fixed, w.inputs[4]), fixed};
  assert_int_equal(
      carom_program_compile(w.arena, g, INPUTS, w.inputs, 2, outputs, &w.program, NULL), CAROM_OK);
  assert_int_equal(carom_program_setup_length(w.program), 2);
  assert_int_equal(carom_program_length(w.program), 1);
  destroy_world(&w);
}

// ---- bounds ------------------------------------------------------------------------------------

// does the expression contain a part without a value, such as the root of a negative number?
static bool is_undefined(const world *w, carom_node node, const double *values) {
  if (!node) return false;
  double value = carom_node_evaluate(w->graph, node, values, NULL);
  if (isnan(value)) return true;
  for (int k = 0; k < 3; k++)
    if (is_undefined(w, carom_node_operand(w->graph, node, k), values)) return true;
  return false;
}

static void check_enclosed(const world *w, const carom_interval *box, uint64_t *seed,
                           const carom_interval *bounds, int *narrow) {
  double values[INPUTS];
  for (int k = 0; k < INPUTS; k++)
    values[k] = fmin(fmax(uniform(seed, box[k].lo, box[k].hi), box[k].lo), box[k].hi);
  for (int k = 0; k < w->output_count; k++) {
    double value = carom_node_evaluate(w->graph, w->outputs[k], values, NULL);
    carom_interval got = bounds[carom_program_output(w->program, k)];
    CHECK(!isnan(got.lo) && !isnan(got.hi));
    if (isnan(value)) continue;
    if (!carom_interval_has(got, value) && !is_undefined(w, w->outputs[k], values)) {
      print_error("%.17g is outside [%.17g, %.17g]\n", value, got.lo, got.hi);
      fail();
    }
    *narrow += carom_interval_width(got) < 10.0;
  }
}

// the value at any point of the box lies within the bounds
static void test_bounds_enclose(void **state) {
  (void)state;
  uint64_t seed = 777u;
  int narrow = 0, total = 0;
  for (int round = 0; round < 300; round++) {
    world w;
    make_world(&w);
    grow_world(&w, &seed, 5 + pick(&seed, 25), 6);
    size_t count = (size_t)carom_program_registers(w.program);
    carom_interval *work = malloc(count * sizeof(carom_interval)), box[INPUTS];
    assert_non_null(work);
    double radius = pick(&seed, 2) ? 1e-3 : 0.3;
    for (int k = 0; k < INPUTS; k++) {
      double middle = uniform(&seed, -2.0, 2.0);
      box[k] = (carom_interval){middle - radius, middle + radius};
    }
    box[INPUTS - 1] = carom_interval_point(pick(&seed, 2) ? 1.0 : -1.0);
    memcpy(work, box, sizeof box);
    carom_program_setup_bounds(w.program, work);
    carom_program_run_bounds(w.program, work);
    for (int trial = 0; trial < 30; trial++, total += w.output_count)
      check_enclosed(&w, box, &seed, work, &narrow);
    free(work);
    destroy_world(&w);
  }
  CHECK(2 * narrow > total); // bounds that say nothing would enclose everything
}

// a mode decides its branch exactly; an undecided condition gives the hull of both
static void test_bounds_of_if(void **state) {
  (void)state;
  world w;
  make_world(&w);
  carom_graph *g = w.graph;
  carom_node zero = carom_node_constant(g, 0.0);
  carom_node by_mode = carom_node_make(g, CAROM_OP_GT, w.inputs[7], zero, 0);
  carom_node by_state = carom_node_make(g, CAROM_OP_GT, w.inputs[4], zero, 0);
  carom_node yes = carom_node_constant(g, 3.0), no = carom_node_constant(g, -5.0);
  carom_node outputs[2] = {carom_node_make(g, CAROM_OP_IF, by_mode, yes, no),
                           carom_node_make(g, CAROM_OP_IF, by_state, yes, no)};
  assert_int_equal(
      carom_program_compile(w.arena, g, INPUTS, w.inputs, 2, outputs, &w.program, NULL), CAROM_OK);
  carom_interval work[32];
  CHECK(carom_program_registers(w.program) <= 32);
  for (int mode = -1; mode <= 1; mode += 2) {
    for (int k = 0; k < INPUTS; k++)
      work[k] = (carom_interval){-1.0, 1.0};
    work[7] = carom_interval_point(mode);
    carom_program_setup_bounds(w.program, work);
    carom_program_run_bounds(w.program, work);
    carom_interval decided = work[carom_program_output(w.program, 0)];
    carom_interval open = work[carom_program_output(w.program, 1)];
    CHECK_SAME(decided.lo, mode > 0 ? 3.0 : -5.0);
    CHECK_SAME(decided.hi, mode > 0 ? 3.0 : -5.0);
    CHECK(open.lo <= -5.0 && open.hi >= 3.0 && open.lo > -5.1 && open.hi < 3.1);
  }
  destroy_world(&w);
}

// ---- blame and errors --------------------------------------------------------------------------

static void test_blame(void **state) {
  (void)state;
  world w;
  make_world(&w);
  carom_graph *g = w.graph;
  carom_node x = w.inputs[4], y = w.inputs[5], zero = carom_node_constant(g, 0.0);
  carom_node root = carom_node_make(g, CAROM_OP_SQRT, x, 0, 0);
  carom_node positive = carom_node_make(g, CAROM_OP_GT, x, zero, 0);
  carom_node guarded = carom_node_make(g, CAROM_OP_IF, positive, root, zero); // harmless NaN
  carom_node logarithm = carom_node_make(g, CAROM_OP_LOG, y, 0, 0);
  carom_node wave = carom_node_make(g, CAROM_OP_SIN, logarithm, 0, 0);
  w.outputs[0] = carom_add(g, guarded, carom_mul(g, wave, x));
  w.output_count = 1;
  assert_int_equal(
      carom_program_compile(w.arena, g, INPUTS, w.inputs, 1, w.outputs, &w.program, NULL),
      CAROM_OK);
  double *work = new_work(&w, 1), values[INPUTS] = {1, 1, 1, 1, -2.0, 3.0, 1, 1};
  run_once(&w, values, work);
  assert_int_equal(carom_program_blame(w.program, work), 0);

  // log(-3) is at fault, not the root in the branch that is not taken
  values[5] = -3.0;
  run_once(&w, values, work);
  assert_int_equal(carom_program_blame(w.program, work), logarithm);
  CHECK_SAME(work[carom_program_output(w.program, 0)], (double)NAN);

  // an input that is itself not finite
  values[5] = NAN;
  run_once(&w, values, work);
  assert_int_equal(carom_program_blame(w.program, work), y);
  free(work);
  destroy_world(&w);
}

static void test_missing_input(void **state) {
  (void)state;
  world w;
  make_world(&w);
  carom_node sum = carom_add(w.graph, w.inputs[4], w.inputs[5]);
  carom_node inputs[2] = {w.inputs[4], w.inputs[0]}, doubled[2] = {w.inputs[4], w.inputs[4]};
  carom_error error = {0};
  assert_int_equal(carom_program_compile(w.arena, w.graph, 2, inputs, 1, &sum, &w.program, &error),
                   CAROM_ERR_ARGUMENT);
  assert_null(w.program);
  assert_non_null(strstr(error.text, "'y'"));
  assert_int_equal(
      carom_program_compile(w.arena, w.graph, 2, inputs, 1, &(carom_node){0}, &w.program, &error),
      CAROM_ERR_ARGUMENT);
  assert_int_equal(carom_program_compile(w.arena, w.graph, 1, &sum, 1, &sum, &w.program, &error),
                   CAROM_ERR_ARGUMENT);
  assert_int_equal(
      carom_program_compile(w.arena, w.graph, 2, doubled, 1, inputs, &w.program, &error),
      CAROM_ERR_ARGUMENT);
  destroy_world(&w);
}

// ---- memory ------------------------------------------------------------------------------------

static void *rationed_resize(void *ctx, void *pointer, size_t size) {
  int *left = ctx;
  return (*left)-- > 0 ? realloc(pointer, size) : NULL;
}
static void rationed_release(void *ctx, void *pointer) {
  (void)ctx;
  free(pointer);
}

// whichever allocation fails, compiling says so and leaves nothing behind
static void test_out_of_memory(void **state) {
  (void)state;
  uint64_t seed = 31415u;
  world w;
  make_world(&w);
  grow_world(&w, &seed, 2000, 20);
  carom_status status = CAROM_ERR_MEMORY;
  for (int ration = 0; status && ration < 200; ration++) {
    int left = ration;
    carom_allocator rationed = {rationed_resize, rationed_release, &left};
    carom_arena *arena = carom_arena_create(&rationed);
    if (!arena) continue;
    carom_program *program;
    status = carom_program_compile(arena, w.graph, INPUTS, w.inputs, w.output_count, w.outputs,
                                   &program, NULL);
    assert_int_equal(status, status ? CAROM_ERR_MEMORY : CAROM_OK);
    CHECK((program == NULL) == (status != CAROM_OK));
    carom_arena_destroy(arena);
  }
  assert_int_equal(status, CAROM_OK);
  destroy_world(&w);
}

// outputs that are inputs or constants, an output asked for twice, and no output at all
static void test_trivial_outputs(void **state) {
  (void)state;
  world w;
  make_world(&w);
  carom_node five = carom_node_constant(w.graph, 5.0);
  carom_node outputs[4] = {w.inputs[4], five, w.inputs[0], five};
  assert_int_equal(
      carom_program_compile(w.arena, w.graph, INPUTS, w.inputs, 4, outputs, &w.program, NULL),
      CAROM_OK);
  double *work = new_work(&w, 1), values[INPUTS] = {7, 0, 0, 0, 0.5, 0, 0, 1};
  run_once(&w, values, work);
  static const double expected[4] = {0.5, 5.0, 7.0, 5.0};
  for (int k = 0; k < 4; k++)
    CHECK_SAME(work[carom_program_output(w.program, k)], expected[k]);
  assert_int_equal(carom_program_length(w.program), 0);
  assert_int_equal(carom_program_compile(w.arena, w.graph, 0, NULL, 0, NULL, &w.program, NULL),
                   CAROM_OK);
  carom_program_setup(w.program, work);
  carom_program_run(w.program, work);
  free(work);
  destroy_world(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_as_graph),
      cmocka_unit_test(test_large_programs),
      cmocka_unit_test(test_registers_are_reused),
      cmocka_unit_test(test_against_c),
      cmocka_unit_test(test_setup_split),
      cmocka_unit_test(test_setup_takes_parameters),
      cmocka_unit_test(test_bounds_enclose),
      cmocka_unit_test(test_bounds_of_if),
      cmocka_unit_test(test_blame),
      cmocka_unit_test(test_missing_input),
      cmocka_unit_test(test_out_of_memory),
      cmocka_unit_test(test_trivial_outputs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
