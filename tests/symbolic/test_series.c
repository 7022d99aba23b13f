// SPDX-License-Identifier: MIT
// Taylor series of motions: put into their own differential equation they leave nothing but terms
// of the order behind the last.
#include "expressions.h"

#include "check.h"
#include "symbolic/program_internal.h"
#include "symbolic/series.h"

enum { STATES = 5, INPUTS = WORLD_SYMBOLS, ORDER = CAROM_SERIES_ORDER, ROOM = 20000, MOST = 15000 };

typedef struct series {
  carom_program *program;
  int degree;
  carom_node rates[STATES];
  double values[INPUTS];          // m, t, the states, l
  double c[(ORDER + 1) * STATES]; // coefficients, row 0 the states
} series;

static void expand(world *w, series *s, int most) {
  carom_node inputs[] = {w->m, w->t, w->x, w->y, w->dx, w->dy, w->theta, w->l};
  carom_series_task task = {.graph = w->graph,
                            .input_count = INPUTS,
                            .inputs = inputs,
                            .state_count = STATES,
                            .count = STATES,
                            .states = inputs + 2,
                            .rates = s->rates,
                            .most_nodes = most};
  carom_error error = {0};
  assert_int_equal(carom_series_compile(w->arena, &task, &s->program, &s->degree, &error),
                   CAROM_OK);
}

// the coefficients at s->values; false where they are not finite
static bool evaluate(series *s) {
  static double work[ROOM], plain[ROOM];
  CHECK(s->program && s->program->register_count < ROOM);
  memcpy(work, s->values, sizeof s->values);
  memcpy(plain, s->values, sizeof s->values);
  carom_program_setup(s->program, work);
  memcpy(s->c, s->values + 2, STATES * sizeof(double));
  memset(s->c + STATES, 0, ORDER * STATES * sizeof(double));
  bool finite = carom_program_evaluate(s->program, work, s->values + 2, s->c + STATES);

  // machine code, if there is any, against the interpreter
  carom_program without = *s->program;
  without.native = (carom_native){0};
  double c[ORDER * STATES];
  carom_program_setup(&without, plain);
  CHECK(carom_program_evaluate(&without, plain, s->values + 2, c) == finite);
  for (int k = 0; k < s->degree * STATES; k++)
    if (memcmp(&c[k], &s->c[STATES + k], sizeof c[k]) != 0 && !isnan(c[k]))
      fail_msg("coefficient %d of %d instructions: %a interpreted, %a native", k,
               s->program->body.count, c[k], s->c[STATES + k]);
  return finite;
}

static double rate_at(const world *w, const series *s, int i, double t, const double *y) {
  double by_symbol[INPUTS];
  const carom_node order[] = {w->m, w->t, w->x, w->y, w->dx, w->dy, w->theta, w->l};
  for (int k = 0; k < INPUTS; k++) {
    const carom_symbol *symbol = carom_node_as_symbol(w->graph, order[k]);
    double value = k == 1 ? t : k > 1 && k < 7 ? y[k - 2] : s->values[k];
    for (int j = 0; j < carom_graph_symbol_count(w->graph); j++)
      if (carom_graph_symbol(w->graph, j) == symbol) by_symbol[j] = value;
  }
  carom_error error = {0};
  return carom_node_evaluate(w->graph, s->rates[i], by_symbol, &error);
}

// |p' - f(p)| at a time h ahead, relative to the size of f, largest of all components
static double defect(const world *w, const series *s, double h) {
  double y[STATES], slope[STATES], worst = 0.0;
  for (int i = 0; i < STATES; i++) {
    y[i] = slope[i] = 0.0;
    for (int k = ORDER; k >= 0; k--) {
      slope[i] = slope[i] * h + y[i];
      y[i] = y[i] * h + s->c[k * STATES + i];
    }
  }
  for (int i = 0; i < STATES; i++) {
    double f = rate_at(w, s, i, s->values[1] + h, y);
    worst = fmax(worst, fabs(slope[i] - f) / (1.0 + fabs(f)));
  }
  return worst;
}

static void check_motion(world *w, series *s, const char *name) {
  const double values[INPUTS] = {0.7, 0.3, 0.6, 0.5, 0.4, 0.8, 0.45, 0.35};
  memcpy(s->values, values, sizeof values);
  expand(w, s, MOST);
  if (!s->program) fail_msg("%s: no series", name);
  if (!evaluate(s)) fail_msg("%s: not finite", name);
  // h^16 is 1e-24 and 6e-16: what is larger is a coefficient gone wrong
  double near = defect(w, s, 1e-3), far = defect(w, s, 0.03);
  if (!(near < 1e-14 && far < 1e-12)) fail_msg("%s leaves %.3g and %.3g", name, near, far);
}

static void every_operation(void **state) {
  (void)state;
  static const char *const rates[] = {"x + y - t",     "-x*y",
                                      "x^2 - t*y",     "(x + y)/(1 + x*y)",
                                      "1/x",           "sqrt(x*y)",
                                      "cbrt(x + 2*y)", "x^1.5 + y^(-2)",
                                      "(x + y)^m",     "x^9",
                                      "exp(-x)*y",     "log(x + y)",
                                      "sin(x*t)",      "cos(x) + sin(x)",
                                      "tan(x/2)",      "sinh(x) - cosh(y)",
                                      "tanh(2*x)",     "atan(x*y)",
                                      "m*Gamma",       "min(m, Gamma)*x"};
  for (size_t k = 0; k < sizeof rates / sizeof *rates; k++) {
    world *w = world_create();
    series s = {0};
    s.rates[0] = world_parse(w, rates[k]);
    if (!s.rates[0]) fail_msg("%s: no expression", rates[k]);
    s.rates[1] = world_parse(w, "x - y^2/2");
    for (int i = 2; i < STATES; i++)
      s.rates[i] = world_parse(w, "x*y"); // integrals along the motion
    check_motion(w, &s, rates[k]);
    world_destroy(w);
  }
}

// x' = x: the coefficients are x/k!
static void exponential(void **state) {
  (void)state;
  world *w = world_create();
  series s = {.rates = {w->x, w->x, w->x, w->x, w->x}};
  check_motion(w, &s, "x");
  double c = s.values[2];
  for (int k = 1; k <= ORDER; k++) {
    c /= k;
    CHECK_RELATIVE(s.c[k * STATES], c, 1e-14);
    CHECK_RELATIVE(s.c[k * STATES + 1], c, 1e-14);
  }
  world_destroy(w);
}

// a thrown body: two powers of time and no more
static void polynomial_ends(void **state) {
  (void)state;
  world *w = world_create();
  carom_node g = world_parse(w, "-m"), rest = carom_node_constant(w->graph, 0.0);
  series s = {.rates = {w->dx, w->dy, rest, g, rest}};
  check_motion(w, &s, "throw");
  assert_int_equal(s.degree, 2);
  CHECK_SAME(s.c[2 * STATES + 1], -0.5 * s.values[0]);
  world_destroy(w);
}

// tables, kinks and what has no recurrence here; and what would be too long
static void refusals(void **state) {
  (void)state;
  static const char *const rates[] = {"abs(x)",    "min(x, y)", "asin(x)", "atan2(x, y)",
                                      "x*(x < y)", "x^y",       "sign(x)"};
  for (size_t k = 0; k < sizeof rates / sizeof *rates; k++) {
    world *w = world_create();
    series s = {.rates = {world_parse(w, rates[k]), w->x, w->x, w->x, w->x}};
    CHECK(s.rates[0] != 0);
    expand(w, &s, MOST);
    if (s.program) fail_msg("%s: a series was made", rates[k]);
    world_destroy(w);
  }
  world *w = world_create();
  series s = {.rates = {world_parse(w, "x*y"), w->x, w->x, w->x, w->x}};
  expand(w, &s, 100);
  assert_null(s.program);
  world_destroy(w);
}

// at the branch point of a root there is no series, and it says so
static void no_series_at_a_branch_point(void **state) {
  (void)state;
  world *w = world_create();
  series s = {.rates = {world_parse(w, "sqrt(x) + m"), w->x, w->x, w->x, w->x}};
  expand(w, &s, MOST);
  for (int k = 0; k < INPUTS; k++)
    s.values[k] = k == 2 ? 0.0 : 0.5;
  CHECK(!evaluate(&s));
  s.values[2] = 0.25;
  CHECK(evaluate(&s));
  world_destroy(w);
}

// Functions along the motion: their series put beside the function of the series. What has none is
// told, and does not spoil the rest.
static void functions_along_a_motion(void **state) {
  (void)state;
  enum { FUNCTIONS = 4 };
  world *w = world_create();
  carom_node inputs[] = {w->m, w->t, w->x, w->y, w->dx, w->dy, w->theta, w->l};
  series s = {.rates = {world_parse(w, "-y"), w->x, w->x, w->x, w->x}};
  carom_node functions[FUNCTIONS] = {world_parse(w, "sin(x*t) + m"), world_parse(w, "abs(x)*y"),
                                     world_parse(w, "x/(2 + y)"), world_parse(w, "3*m")};
  bool has_series[FUNCTIONS];
  carom_series_task task = {.graph = w->graph,
                            .input_count = INPUTS,
                            .inputs = inputs,
                            .state_count = STATES,
                            .count = STATES,
                            .states = inputs + 2,
                            .rates = s.rates,
                            .function_count = FUNCTIONS,
                            .functions = functions,
                            .has_series = has_series,
                            .most_nodes = MOST};
  carom_error error = {0};
  assert_int_equal(carom_series_compile(w->arena, &task, &s.program, &s.degree, &error), CAROM_OK);
  assert_int_equal(s.degree, ORDER);
  CHECK(has_series[0] && !has_series[1] && has_series[2] && has_series[3]);
  static double work[ROOM];
  const double values[INPUTS] = {0.7, 0.3, 0.6, 0.5, 0.4, 0.8, 0.45, 0.35};
  double c[ORDER * (STATES + FUNCTIONS)], h = 0.1, t = values[1] + h;
  memcpy(work, values, sizeof values);
  carom_program_setup(s.program, work);
  CHECK(carom_program_evaluate(s.program, work, values + 2, c));
  double at[FUNCTIONS] = {0.0};
  for (int j = 0; j < FUNCTIONS; j++)
    for (int k = ORDER - 1; k >= 0; k--)
      at[j] = at[j] * h + c[ORDER * (STATES + j) + k];
  // a turn by h
  double x = values[2] * cos(h) - values[3] * sin(h), y = values[2] * sin(h) + values[3] * cos(h);
  CHECK_NEAR(at[0], sin(x * t) + values[0], 1e-15);
  CHECK_SAME(at[1], 0.0);
  CHECK_NEAR(at[2], x / (2.0 + y), 1e-15);
  CHECK_NEAR(at[3], 3.0 * values[0], 1e-15);
  world_destroy(w);
}

// a body at rest under a force that swings: the function alone has powers of time
static void functions_set_the_degree(void **state) {
  (void)state;
  world *w = world_create();
  carom_node inputs[] = {w->m, w->t, w->x, w->y, w->dx, w->dy, w->theta, w->l};
  carom_node rest = carom_node_constant(w->graph, 0.0);
  const carom_node rates[STATES] = {rest, rest, rest, rest, rest};
  carom_node swing = world_parse(w, "t^4");
  bool has_series;
  carom_series_task task = {.graph = w->graph,
                            .input_count = INPUTS,
                            .inputs = inputs,
                            .state_count = STATES,
                            .count = STATES,
                            .states = inputs + 2,
                            .rates = rates,
                            .least_degree = 3,
                            .most_nodes = MOST};
  carom_error error = {0};
  series s = {0};
  assert_int_equal(carom_series_compile(w->arena, &task, &s.program, &s.degree, &error), CAROM_OK);
  assert_int_equal(s.degree, 3);
  task.function_count = 1;
  task.functions = &swing;
  task.has_series = &has_series;
  assert_int_equal(carom_series_compile(w->arena, &task, &s.program, &s.degree, &error), CAROM_OK);
  assert_int_equal(s.degree, 5);
  CHECK(has_series);
  world_destroy(w);
}

static void random_motions(void **state) {
  (void)state;
  int made = 0;
  for (int round = 0; round < 40; round++) {
    world *w = world_create();
    w->seed = (uint64_t)(round + 1) * 977;
    series s = {0};
    for (int i = 0; i < STATES; i++)
      s.rates[i] = world_expression(w, 3, false);
    const double values[INPUTS] = {0.7, 0.3, 0.6, 0.5, 0.4, 0.8, 0.45, 0.35};
    memcpy(s.values, values, sizeof values);
    expand(w, &s, MOST);
    if (s.program && evaluate(&s)) {
      made++;
      double left = defect(w, &s, 1e-3);
      if (!(left < 1e-13)) fail_msg("round %d leaves %.3g", round, left);
    }
    world_destroy(w);
  }
  print_message("%d of 40 random motions have a series\n", made);
  CHECK(made >= 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_operation),
      cmocka_unit_test(exponential),
      cmocka_unit_test(polynomial_ends),
      cmocka_unit_test(refusals),
      cmocka_unit_test(no_series_at_a_branch_point),
      cmocka_unit_test(functions_along_a_motion),
      cmocka_unit_test(functions_set_the_degree),
      cmocka_unit_test(random_motions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
