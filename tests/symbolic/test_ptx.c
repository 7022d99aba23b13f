// SPDX-License-Identifier: MIT
// Programs as PTX: a machine that reads the text (ptx_machine.h) gives the interpreter's bits for
// every operation of the table. What whole models make of it is compared in
// tests/device/test_crew.c.
#include "expressions.h"

#include "check.h"
#include "ptx_machine.h"
#include "symbolic/program_internal.h"

enum { INPUTS = 3, TURNS = 300, ROOM = 4096, OUTPUTS = 4 };

static double draw(world *w) {
  static const double numbers[] = {0.0,  -0.0,     1.0,       -1.0,   0.5, 1e300,
                                   -2.5, INFINITY, -INFINITY, 5e-324, NAN, 1e-200};
  double x = 6.0 * ((double)world_random(w, 1000000) / 1e6) - 3.0;
  return world_random(w, 3) ? x : numbers[world_random(w, 12)];
}

static bool same_bits(double a, double b) {
  return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

// one program through the interpreter and as PTX, both ways
static void compare(world *w, const carom_program *program, const char *what) {
  static double work[ROOM], plain[ROOM], d[ROOM], values[ROOM], states[INPUTS];
  static bool p[ROOM];
  carom_ptx text = {.arena = w->arena};
  ptx_module m;
  carom_ptx_begin(&text);
  carom_ptx_functions made = carom_program_ptx(program, "it", &text);
  CHECK(made.run && made.evaluate && !text.broken);
  if (!ptx_read(&m, text.text)) fail_msg("%s: %s", what, m.fault);
  assert_int_equal(m.count, 2);
  CHECK(m.functions[0].numbers <= ROOM && m.functions[1].numbers <= ROOM &&
        program->register_count < ROOM);
  for (int turn = 0; turn < TURNS; turn++) {
    for (int j = 0; j < INPUTS; j++)
      plain[j] = work[j] = states[j] = draw(w);
    carom_program_setup(program, plain);
    memcpy(work, plain, sizeof work);
    carom_code_run(program, &program->body, 0, program->body.count, plain);
    (void)ptx_run(&m.functions[0], d, p, work, NULL, NULL);
    bool finite = true;
    for (int k = 0; k < program->output_count; k++) {
      double wanted = plain[program->outputs[k]], got = work[program->outputs[k]];
      finite = finite && isfinite(wanted);
      if (!same_bits(got, wanted)) fail_msg("%s run: %a, expected %a", what, got, wanted);
    }
    double sum = ptx_run(&m.functions[1], d, p, work,
                         states + (program->state_count ? program->state_first : 0), values);
    CHECK((sum == 0.0) == finite);
    for (int k = 0; k < program->output_count; k++)
      if (!same_bits(values[k], plain[program->outputs[k]]))
        fail_msg("%s evaluate: %a, expected %a", what, values[k], plain[program->outputs[k]]);
  }
  ptx_release(&m);
}

static carom_program *compile(world *w, const carom_node *inputs, int count,
                              const carom_node *outputs) {
  carom_program *program = NULL;
  carom_error error = {0};
  assert_int_equal(
      carom_program_compile(w->arena, w->graph, INPUTS, inputs, count, outputs, &program, &error),
      CAROM_OK);
  return program;
}

// alone, and inside sums and products that become fused instructions
static void test_operations(void **state) {
  (void)state;
  world *w = world_create();
  const carom_node inputs[INPUTS] = {w->x, w->y, w->theta};
  carom_graph *g = w->graph;
  for (int op = CAROM_OP_ADD; op < CAROM_OP_COUNT; op++) {
    if (carom_op_is_sampled((carom_op)op)) continue;
    carom_node it = carom_node_make(g, (carom_op)op, inputs[0], inputs[1], inputs[2]);
    carom_node sum = carom_add(g, it, carom_mul(g, inputs[1], inputs[2]));
    const carom_node outputs[OUTPUTS] = {
        it, sum, carom_mul(g, sum, inputs[0]),
        carom_node_make(g, CAROM_OP_SIN, carom_mul(g, it, inputs[2]), 0, 0)};
    compare(w, compile(w, inputs, OUTPUTS, outputs), carom_op_name((carom_op)op));
  }
  world_destroy(w);
}

// sine and cosine of one argument, powers with short cuts and without
static void test_combinations(void **state) {
  (void)state;
  static const double exponents[] = {-2.0, -1.0, 0.5, 1.5, 2.0, 3.0, 4.0, 2.5, 7.0};
  world *w = world_create();
  carom_graph *g = w->graph;
  const carom_node inputs[INPUTS] = {w->x, w->y, w->theta};
  carom_node outputs[2 + sizeof exponents / sizeof *exponents];
  int count = 0;
  outputs[count++] = carom_node_make(g, CAROM_OP_SIN, carom_add(g, inputs[0], inputs[1]), 0, 0);
  outputs[count++] = carom_node_make(g, CAROM_OP_COS, carom_add(g, inputs[0], inputs[1]), 0, 0);
  for (size_t k = 0; k < sizeof exponents / sizeof *exponents; k++)
    outputs[count++] =
        carom_node_make(g, CAROM_OP_POW, inputs[2], carom_node_constant(g, exponents[k]), 0);
  compare(w, compile(w, inputs, count, outputs), "combinations");
  world_destroy(w);
}

// the machine itself: what it does not know it says
static void test_machine(void **state) {
  (void)state;
  static const char *const wrong[] = {
      ".func it_run (.param .b64 in_work)\n{\n.reg .f64 %d<2>;\nfma.rn.f64 %d0, %d1, %d1, "
      "%d1;\nret;\n}\n",
      ".func it_run (.param .b64 in_work)\n{\n.reg .f64 %d<2>;\nneg.f64 %d0, %d1;\nret;\n}\n",
      ".func it_run (.param .b64 in_work)\n{\n.reg .f64 %d<2>;\nld.f64 %d7, [%work+8];\nret;\n}\n",
      ".func it_run (.param .b64 in_work)\n{\n.reg .f64 %d<2>;\ncall (r), carom_called_none, "
      "(a);\nret;\n}\n"};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    ptx_module m;
    CHECK(!ptx_read(&m, wrong[k]));
    ptx_release(&m);
  }
}

// a program that looks into tables, and one without an instruction, stay with the interpreter
static void test_left_out(void **state) {
  (void)state;
  static const double x[] = {0.0, 1.0, 2.0}, y[] = {0.0, 1.0, 3.0};
  world *w = world_create();
  const carom_node inputs[INPUTS] = {w->x, w->y, w->theta};
  carom_ptx text = {.arena = w->arena};
  assert_int_equal(carom_graph_add_table(w->graph, "bump", 3, x, y), 0);
  const carom_node outputs[2] = {carom_node_table(w->graph, 0, w->x), w->y};
  CHECK(!carom_program_ptx(compile(w, inputs, 1, outputs), "it", &text).evaluate);
  CHECK(!carom_program_ptx(compile(w, inputs, 1, outputs + 1), "it", &text).evaluate);
  CHECK(text.size == 0);
  world_destroy(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_operations), cmocka_unit_test(test_combinations),
      cmocka_unit_test(test_machine), cmocka_unit_test(test_left_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
