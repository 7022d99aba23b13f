// SPDX-License-Identifier: MIT
// What a good scenario means; the wrong ones are in test_load_errors.c.
#define _XOPEN_SOURCE 700
#include "check.h"
#include "scenario/scenario.h"
#include "scenario/schema.h"
#include "symbolic/parse.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CORPUS CAROM_SOURCE_DIR "/tests/fuzz/scenario/"

static carom_scenario *load(const char *path, const char *text, int count,
                            const carom_setting *settings) {
  carom_error error = {0};
  carom_scenario *s = NULL;
  if (carom_scenario_read(path, text, count, settings, NULL, &s, &error)) {
    char message[1500];
    fail_msg("%s", carom_error_format(&error, message, sizeof message));
  }
  return s;
}

static double *start_values(const carom_scenario *s, const double *given) {
  double *values = calloc((size_t)carom_graph_symbol_count(s->graph), sizeof *values);
  carom_error error = {0};
  assert_int_equal(carom_scenario_values(s, given, values, &error), CAROM_OK);
  return values;
}

static double value(const carom_scenario *s, carom_node node, const double *values) {
  return carom_node_evaluate(s->graph, node, values, NULL);
}

static void set(const carom_scenario *s, double *values, carom_node symbol, double x) {
  int k = carom_scenario_symbol_index(s, symbol);
  assert_in_range(k, 0, carom_graph_symbol_count(s->graph) - 1);
  values[k] = x;
}

static void test_dimer(void **state) {
  (void)state;
  carom_scenario *s = load(CORPUS "good_dimer.yaml", NULL, 0, NULL);
  assert_string_equal(s->title, "Bouncing dimer in drift mode");
  assert_string_equal(s->engine, "hybrid");
  assert_int_equal(s->parameter_count, 9);
  assert_int_equal(s->coordinate_count, 3);
  assert_int_equal(s->contact_count, 2);
  assert_int_equal(s->drawing.count, 3);
  assert_int_equal(s->measure.observable_count, 5);
  assert_int_equal(s->measure.reducer_count, 4);
  assert_int_equal(s->rules.section_count, 2);
  assert_int_equal(s->measure.regime_count, 3);

  // numbers worked out here, from the formulas of the text
  double pi = 3.14159265358979323846, r = 4.75e-3, l = 2 * 2.9 * r, g = 9.81, f = 25, mb = 0.002;
  double A = 0.9 * g / (2 * pi * f * 2 * pi * f), th = 5 * pi / 180;
  double *v = start_values(s, NULL);
  CHECK_RELATIVE(value(s, s->parameters[6].symbol, v), A, 1e-14);
  CHECK_RELATIVE(value(s, s->coordinates[1].symbol, v), r + 0.25e-3, 1e-15);
  CHECK_RELATIVE(value(s, s->coordinates[2].symbol, v), th, 1e-15);

  double xr = 0.3, yr = -0.2, thr = 7;
  set(s, v, s->coordinates[0].rate, xr);
  set(s, v, s->coordinates[1].rate, yr);
  set(s, v, s->coordinates[2].rate, thr);
  set(s, v, s->time, 0.013);
  double x2r = xr - l * sin(th) * thr, y2r = yr + l * cos(th) * thr;
  double T = mb / 2 * (xr * xr + yr * yr + x2r * x2r + y2r * y2r) + mb / 5 * r * r * thr * thr;
  CHECK_RELATIVE(value(s, s->energies.kinetic.node, v), T, 1e-13);
  double plate = -A * sin(2 * pi * f * 0.013);
  const carom_contact *left = &s->contacts[0], *right = &s->contacts[1];
  CHECK_RELATIVE(value(s, left->gap.node, v), 0.25e-3 - plate, 1e-11);
  CHECK_RELATIVE(value(s, right->slip.node, v), x2r + r * thr, 1e-13);
  CHECK_SAME(value(s, left->stick, v), 0.24);
  CHECK_SAME(value(s, left->slide, v), 0.12);
  CHECK_SAME(value(s, left->impact_stick, v), 0.08);
  CHECK_SAME(value(s, left->impact_slide, v), 0.08);
  assert_int_equal(left->law, CAROM_LAW_ENERGETIC);
  CHECK_SAME(value(s, left->restitution, v), 0.65);
  CHECK_SAME(value(s, left->exponent, v), 1.5);

  // a law of the sliding speed: stick is its value at rest
  assert_int_equal(right->law, CAROM_LAW_NEWTON);
  CHECK_SAME(value(s, right->restitution, v), 0.5);
  set(s, v, right->slip_speed, -0.05);
  CHECK_RELATIVE(value(s, right->slide, v), 0.12 + 0.12 * exp(-0.5), 1e-14);
  CHECK_RELATIVE(value(s, right->stick, v), 0.24, 1e-15);
  assert_int_equal(right->impact_slide, right->slide);

  CHECK_RELATIVE(value(s, s->run.until, v), 16.0, 1e-15);
  assert_string_equal(s->run.chatter, "speed");
  CHECK_SAME(value(s, s->run.chatter_value, v), 1e-6);
  assert_int_equal(s->drawing.shapes[1].kind, CAROM_SHAPE_SEGMENT);
  assert_string_equal(s->drawing.shapes[1].label, "rod");
  CHECK_RELATIVE(value(s, s->drawing.shapes[1].points[1][0], v), l * cos(th), 1e-14);
  free(v);
  carom_scenario_free(s);
}

static void test_dimer_rules(void **state) {
  (void)state;
  carom_scenario *s = load(CORPUS "good_dimer.yaml", NULL, 0, NULL);
  double *v = start_values(s, NULL);
  // observables are in the order written, though drift uses tip below it
  assert_string_equal(s->measure.observables[0].name, "drift");
  const carom_reducer *drift = &s->measure.reducers[0];
  for (int k = 1; k < s->measure.reducer_count; k++)
    if (s->measure.reducers[k].kind == CAROM_REDUCE_MEAN_RATE) drift = &s->measure.reducers[k];
  assert_int_equal(drift->kind, CAROM_REDUCE_MEAN_RATE);
  assert_int_equal(drift->value, s->measure.observables[1].node);
  assert_int_equal(s->measure.observables[0].node, drift->symbol);
  assert_int_equal(drift->place.line, 43);
  assert_int_equal(drift->place.column, 10);

  assert_string_equal(s->rules.sections[0].name, "strobe");
  assert_int_equal(s->rules.sections[0].trigger.direction, 0);
  // theta' = 0 where theta'' < 0
  assert_int_equal(s->rules.sections[1].trigger.when.node, s->coordinates[2].rate);
  set(s, v, s->coordinates[2].acceleration, -1.0);
  CHECK_SAME(value(s, s->rules.sections[1].condition, v), 1.0);
  // x > 1 becomes x - 1 rising
  assert_int_equal(s->rules.stops[0].trigger.direction, 1);
  set(s, v, s->coordinates[0].symbol, 3.0);
  CHECK_SAME(value(s, s->rules.stops[0].trigger.when.node, v), 2.0);

  assert_int_equal(s->rules.events[0].assignment_count, 2);
  assert_int_equal(s->rules.events[0].assignments[0].symbol, s->coordinates[0].rate);
  set(s, v, s->coordinates[0].rate, 0.5);
  CHECK_SAME(value(s, s->rules.events[0].assignments[0].value, v), 0.6);
  assert_int_equal(s->rules.events[0].assignments[1].symbol, s->coordinates[2].symbol);

  assert_string_equal(s->measure.regimes[0].name, "drift+");
  assert_null(s->measure.regimes[0].word);
  assert_string_equal(s->measure.regimes[1].word, "F I");
  set(s, v, drift->symbol, -2e-4);
  CHECK_SAME(value(s, s->measure.regimes[0].condition, v), 0.0);
  CHECK_SAME(value(s, s->measure.regimes[1].condition, v), 1.0);
  CHECK_SAME(value(s, s->measure.regimes[2].condition, v), 0.0);
  free(v);
  carom_scenario_free(s);
}

// primes of definitions of states become the equations; so does z' itself
static void test_states(void **state) {
  (void)state;
  carom_scenario *s = load(CORPUS "good_states.yaml", NULL, 0, NULL);
  double *v = start_values(s, NULL);
  double x = 0.7, u = -1.3, mu = 1.5, acceleration = mu * (1 - x * x) * u - x;
  set(s, v, s->states[0].symbol, x);
  set(s, v, s->states[1].symbol, u);
  CHECK_RELATIVE(value(s, s->states[1].equation, v), acceleration, 1e-14);
  assert_string_equal(s->definitions.items[1].name, "power");
  CHECK_RELATIVE(value(s, s->definitions.items[1].node, v), x * u + u * acceleration, 1e-13);
  for (int k = 0; k < s->measure.reducer_count; k++) {
    unsigned rate = 1u << CAROM_SYMBOL_STATE_RATE;
    CHECK(!carom_node_depends_kind(s->graph, s->measure.reducers[k].value, rate));
  }
  assert_int_equal(s->rules.sections[0].trigger.direction, 1);
  free(v);
  carom_scenario_free(s);
}

static void test_constraints(void **state) {
  (void)state;
  carom_scenario *s = load(CORPUS "good_linkage.yaml", NULL, 0, NULL);
  double *v = start_values(s, NULL);
  CHECK(!s->constraints[0].velocity_level && s->constraints[2].velocity_level);
  CHECK_SAME(value(s, s->constraints[0].value.node, v), 0.0);
  set(s, v, s->coordinates[2].symbol, 0.25);
  CHECK_SAME(value(s, s->constraints[1].value.node, v), 0.25);
  set(s, v, s->coordinates[2].rate, -2.0);
  CHECK_SAME(value(s, s->coordinates[2].force, v), 0.5);
  assert_int_equal(s->coordinates[0].force, 0);
  assert_string_equal(s->run.hold, "none");
  assert_string_equal(s->run.detect, "step ends");
  assert_string_equal(s->rules.stops[0].name, "stop");
  assert_int_equal(s->rules.stops[0].trigger.direction, 1); // y < -1 is -1 - y rising
  set(s, v, s->coordinates[1].symbol, 3.0);
  CHECK_SAME(value(s, s->rules.stops[0].trigger.when.node, v), -4.0);
  free(v);
  carom_scenario_free(s);
}

// a given value reaches the parameters and starts that depend on it
static void test_values_given(void **state) {
  (void)state;
  carom_scenario *s = load(NULL,
                           "parameters: {a: 2, b: 3*a, c: b^2}\ncoordinates: {x: c}\n"
                           "energy: {kinetic: x'^2}\nrun: {until: a, start: -1}\n",
                           0, NULL);
  double given[3] = {NAN, 5, NAN};
  double *v = start_values(s, given);
  CHECK_SAME(value(s, s->parameters[0].symbol, v), 2.0);
  CHECK_SAME(value(s, s->parameters[1].symbol, v), 5.0);
  CHECK_SAME(value(s, s->coordinates[0].symbol, v), 25.0);
  CHECK_SAME(value(s, s->time, v), -1.0);
  free(v);
  assert_int_equal(carom_scenario_symbol_index(s, s->energies.kinetic.node), -1);
  carom_scenario_free(s);
}

static void test_settings(void **state) {
  (void)state;
  const carom_setting settings[] = {
      {"Gamma", "1.2"},
      {"contacts.right.friction.impact",
       "0.05"}, // friction: MU opens up to {slip: MU, impact: ...}
      {"contacts.right.impact.law", "poisson"},
      {"contacts.left.friction.slip", "0.1*Gamma"},
      {"theta.rate", "3"},
      {"x", "0.5"},
      {"x'", "-2"}, // the same as x.rate
      {"run.until", "500/f"},
      {"observe.extra", "mean(y)"},
      {"shapes.0.radius", "2*r"},
      {"title", "Changed"},
  };
  carom_scenario *s = load(CORPUS "good_dimer.yaml", NULL, 11, settings);
  double *v = start_values(s, NULL);
  CHECK_SAME(value(s, s->parameters[4].symbol, v), 1.2);
  const carom_contact *right = &s->contacts[1];
  assert_int_equal(right->law, CAROM_LAW_POISSON);
  CHECK_SAME(value(s, right->restitution, v), 0.5);
  CHECK_SAME(value(s, right->impact_slide, v), 0.05);
  CHECK_RELATIVE(value(s, right->slide, v), 0.24, 1e-15);
  CHECK_RELATIVE(value(s, s->contacts[0].slide, v), 0.12, 1e-15);
  CHECK_SAME(value(s, s->coordinates[2].start_rate, v), 3.0);
  CHECK_RELATIVE(value(s, s->coordinates[2].start, v), 5 * 3.14159265358979323846 / 180, 1e-15);
  CHECK_SAME(value(s, s->coordinates[0].start, v), 0.5);
  CHECK_SAME(value(s, s->coordinates[0].start_rate, v), -2.0);
  CHECK_SAME(value(s, s->run.until, v), 20.0);
  assert_string_equal(s->title, "Changed");
  assert_int_equal(s->measure.observable_count, 6);

  // the resolved text is a scenario of its own and means the same
  char *text = carom_document_text(s->arena, s->document);
  carom_scenario *again = load("again.yaml", text, 0, NULL);
  double *w = start_values(again, NULL);
  CHECK_SAME(value(again, again->contacts[0].slide, w), value(s, s->contacts[0].slide, v));
  assert_string_equal(carom_document_text(again->arena, again->document), text);
  free(v);
  free(w);
  carom_scenario_free(again);
  carom_scenario_free(s);
}

static void test_bad_settings(void **state) {
  (void)state;
  const struct {
    carom_setting setting;
    const char *phrase;
  } cases[] = {
      {{"Gama", "1"}, "did you mean 'Gamma'"},
      {{"contacts.lft.friction.slip", "1"}, "did you mean 'left'"},
      {{"contacts.left.frction.slip", "1"}, "did you mean 'friction'"},
      {{"contacts.left.friction.slip", "muu"}, "unknown name 'muu'"},
      {{"run.until", "-1"}, "must be after the start"},
      {{"run", "5"}, "a map of keys expected"},
      {{"title.x", "5"}, "single value"},
      {{"", "5"}, "no parameter"},
      {{"run.", "5"}, "path of names"},
      {{"engine", "cloth"}, "no engine 'cloth'"},
      {{"shapes.9.radius", "1"}, "numbered from 0"},
      {{"x", "{start: 1"}, "closing bracket is missing"},
      {{"friction", "0.2"}, "did you mean 'contacts.left.friction'?"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    carom_error error = {0};
    carom_scenario *s = NULL;
    CHECK(carom_scenario_read(CORPUS "good_dimer.yaml", NULL, 1, &cases[k].setting, NULL, &s,
                              &error) < 0);
    assert_null(s);
    if (!strstr(error.text, cases[k].phrase))
      fail_msg("--set %s: '%s', expected '%s'", cases[k].setting.path, error.text, cases[k].phrase);
  }
}

static void write_file(const char *folder, const char *name, const char *text) {
  char path[256];
  (void)snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  (void)fputs(text, file);
  (void)fclose(file);
}

#define DRIVEN(table)                                                                              \
  "coordinates: {x: 0}\nenergy: {kinetic: x'^2/2}\nforces:\n  x: " table "\nrun: {until: 1}\n"

static void test_tables(void **state) {
  (void)state;
  char folder[] = "/tmp/carom_load_XXXXXX", path[128];
  assert_non_null(mkdtemp(folder));
  (void)snprintf(path, sizeof path, "%s/main.yaml", folder);
  write_file(folder, "good.csv", "# drive\ntime, force\n-1, 0\n0,1.5e0\n1; 2 # end\n 3\t-4\n\n");
  carom_scenario *s =
      load(path, DRIVEN("table(\"good.csv\", t) + table(\"good.csv\", 2*t)"), 0, NULL);
  assert_int_equal(carom_graph_table_count(s->graph), 1);
  assert_int_equal(carom_graph_table(s->graph, 0)->count, 4);
  double *v = start_values(s, NULL);
  CHECK_SAME(value(s, s->coordinates[0].force, v), 3.0);
  set(s, v, s->time, 3.0);
  CHECK_SAME(value(s, s->coordinates[0].force, v), -8.0);
  free(v);
  carom_scenario_free(s);

  const struct {
    const char *content;
    int line, column;
    const char *phrase;
  } cases[] = {
      {"0, 1\n1, x\n", 2, 4, "second number"},     {"0, 1\n0, 2\n", 2, 1, "must increase"},
      {"0, 1\n1, 2, 3\n", 2, 5, "two columns"},    {"a, b\nc, d\n", 2, 1, "a number expected"},
      {"# nothing\n", 1, 1, "at least two lines"}, {"0, 1\n", 1, 1, "at least two lines"},
      {"0, 1\n1, 1e999\n", 2, 1, "too large"},     {"0x, 1\n", 1, 2, "comma"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    carom_error error = {0};
    write_file(folder, "bad.csv", cases[k].content);
    CHECK(carom_scenario_read(path, DRIVEN("1 + table(\"bad.csv\", t)"), 0, NULL, NULL, &s,
                              &error) < 0);
    CHECK(strstr(error.file, "bad.csv"));
    if (error.line != cases[k].line || error.column != cases[k].column ||
        !strstr(error.text, cases[k].phrase))
      fail_msg("%s: %d:%d %s", cases[k].content, error.line, error.column, error.text);
  }
  carom_error error = {0};
  CHECK(carom_scenario_read(path, DRIVEN("table(\"../x.csv\", t)"), 0, NULL, NULL, &s, &error) < 0);
  CHECK(strstr(error.text, "leads out"));
  assert_int_equal(error.line, 4);
  assert_int_equal(error.column, 12);
  char command[64];
  (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
  assert_int_equal(system(command), 0);
}

// a thousand definitions, each using the next, and a prime through all of them
static void test_long_chain(void **state) {
  (void)state;
  size_t room = 200000, used = 0;
  char *text = malloc(room);
  assert_non_null(text);
  used += (size_t)snprintf(text, room,
                           "coordinates: {x: 1}\nenergy: {kinetic: x'^2/2}\nrun: {until: 1}\n"
                           "observe: {rate: d0'}\ndefine:\n");
  for (int k = 0; k < 1000; k++)
    used += (size_t)snprintf(text + used, room - used, "  d%d: d%d + 1\n", k, k + 1);
  (void)snprintf(text + used, room - used, "  d1000: x\n");
  carom_scenario *s = load(NULL, text, 0, NULL);
  assert_int_equal(s->measure.observables[0].node, s->coordinates[0].rate);
  double *v = start_values(s, NULL);
  CHECK_SAME(value(s, s->definitions.items[0].node, v), 1001.0);
  free(v);
  carom_scenario_free(s);
  free(text);
}

// quadratic, though the quotient hides it: what cannot be proven is tried with numbers
static void test_quadratic_by_numbers(void **state) {
  (void)state;
  carom_scenario *s = load(NULL,
                           "coordinates: {x: {rate: 1}, y: {rate: 2}}\nrun: {until: 1}\nenergy:\n"
                           "  kinetic: (x'^4 - y'^4)/(x'^2 + y'^2)/2 + y'^2\n",
                           0, NULL);
  carom_scenario_free(s);
}

static void test_schema_is_complete(void **state) {
  (void)state;
  int keys = 0;
  for (int t = 0; carom_schema_table(t); t++) {
    const carom_schema *table = carom_schema_table(t);
    for (int k = 0; k < table->count; k++, keys++) {
      const carom_schema_key *key = &table->keys[k];
      size_t length = strlen(key->meaning);
      // a sentence, and a default for whatever may be left out
      CHECK(length > 10 && key->meaning[length - 1] == '.');
      CHECK(key->unit && key->fallback && key->types);
      CHECK(!(key->types & CAROM_SCHEMA_CHOICE) == !key->choices);
      CHECK(carom_schema_find(table->engine ? table->engine : "hybrid", key->path) == key);
      // the map around every key is described too
      const char *dot = strrchr(key->path, '.');
      if (!dot) continue;
      char parent[128];
      (void)snprintf(parent, sizeof parent, "%.*s", (int)(dot - key->path), key->path);
      CHECK(carom_schema_find(table->engine ? table->engine : "hybrid", parent));
    }
  }
  CHECK(keys > 70);
  assert_null(carom_schema_find("hybrid", "contacts.left.gip"));
  assert_non_null(carom_schema_find("hybrid", "shapes.3.circle"));
}

// every allocation may fail: an error, no crash, no leak
typedef struct failing {
  int left;
} failing;

static void *failing_resize(void *ctx, void *pointer, size_t size) {
  failing *f = ctx;
  return f->left-- > 0 ? realloc(pointer, size) : NULL;
}

static void failing_release(void *ctx, void *pointer) {
  (void)ctx;
  free(pointer);
}

static void test_out_of_memory(void **state) {
  (void)state;
  bool done = false;
  int tried = 0;
  for (int left = 0; !done; left += 1 + left / 20, tried++) {
    failing f = {left};
    carom_allocator allocator = {failing_resize, failing_release, &f};
    carom_error error = {0};
    carom_scenario *s = NULL;
    carom_status status =
        carom_scenario_read(CORPUS "good_dimer.yaml", NULL, 0, NULL, &allocator, &s, &error);
    done = status == CAROM_OK;
    if (!done && status != CAROM_ERR_MEMORY) fail_msg("%d: %s", left, error.text);
    carom_scenario_free(s);
  }
  CHECK(tried > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dimer),
      cmocka_unit_test(test_dimer_rules),
      cmocka_unit_test(test_states),
      cmocka_unit_test(test_constraints),
      cmocka_unit_test(test_values_given),
      cmocka_unit_test(test_settings),
      cmocka_unit_test(test_bad_settings),
      cmocka_unit_test(test_tables),
      cmocka_unit_test(test_long_chain),
      cmocka_unit_test(test_quadratic_by_numbers),
      cmocka_unit_test(test_schema_is_complete),
      cmocka_unit_test(test_out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
