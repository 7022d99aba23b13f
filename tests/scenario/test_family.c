// SPDX-License-Identifier: MIT
// Families against the same scenario written out by hand: the same nodes in the same order, and
// mistakes found at the character that the user wrote.
#include "check.h"
#include "scenario/scenario.h"
#include "symbolic/parse.h"

#include <stdlib.h>
#include <string.h>

static carom_scenario *read_with(const char *text, int count, const carom_setting *settings) {
  carom_scenario *s = NULL;
  carom_error error = {0};
  carom_status status = carom_scenario_read(NULL, text, count, settings, NULL, &s, &error);
  if (status) fail_msg("%d:%d %s", error.line, error.column, error.text);
  return s;
}

static carom_scenario *read(const char *text) { return read_with(text, 0, NULL); }

static void expect_error(const char *text, int line, int column, const char *phrase) {
  carom_scenario *s = NULL;
  carom_error error = {0};
  carom_status status = carom_scenario_read(NULL, text, 0, NULL, NULL, &s, &error);
  carom_scenario_free(s);
  if (status && error.line == line && error.column == column && strstr(error.text, phrase)) return;
  fail_msg("found %d:%d '%s', expected %d:%d '%s'", error.line, error.column, error.text, line,
           column, phrase);
}

static void same_node(const carom_scenario *a, carom_node x, const carom_scenario *b,
                      carom_node y) {
  assert_int_equal(x, y); // numbers of nodes are those of the order in which they were made
  if (!x) return;
  char *left = carom_node_text(a->arena, a->graph, x, 0);
  char *right = carom_node_text(b->arena, b->graph, y, 0);
  assert_string_equal(left, right);
}

static void same_scenario(const char *family, const char *written) {
  carom_scenario *a = read(family), *b = read(written);
  assert_int_equal(a->coordinate_count, b->coordinate_count);
  assert_int_equal(a->contact_count, b->contact_count);
  assert_int_equal(a->constraint_count, b->constraint_count);
  assert_int_equal(a->drawing.count, b->drawing.count);
  assert_int_equal(a->measure.observable_count, b->measure.observable_count);
  for (int k = 0; k < a->coordinate_count; k++) {
    assert_string_equal(a->coordinates[k].name, b->coordinates[k].name);
    same_node(a, a->coordinates[k].start, b, b->coordinates[k].start);
    same_node(a, a->coordinates[k].start_rate, b, b->coordinates[k].start_rate);
    same_node(a, a->coordinates[k].force, b, b->coordinates[k].force);
  }
  for (int k = 0; k < a->contact_count; k++) {
    assert_string_equal(a->contacts[k].name, b->contacts[k].name);
    same_node(a, a->contacts[k].gap.node, b, b->contacts[k].gap.node);
    same_node(a, a->contacts[k].restitution, b, b->contacts[k].restitution);
  }
  for (int k = 0; k < a->constraint_count; k++)
    same_node(a, a->constraints[k].value.node, b, b->constraints[k].value.node);
  for (int k = 0; k < a->drawing.count; k++)
    same_node(a, a->drawing.shapes[k].points[0][0], b, b->drawing.shapes[k].points[0][0]);
  for (int k = 0; k < a->measure.observable_count; k++)
    same_node(a, a->measure.observables[k].node, b, b->measure.observables[k].node);
  same_node(a, a->energies.kinetic.node, b, b->energies.kinetic.node);
  same_node(a, a->energies.potential.node, b, b->energies.potential.node);
  assert_int_equal(carom_graph_count(a->graph), carom_graph_count(b->graph));
  carom_scenario_free(a);
  carom_scenario_free(b);
}

#define HEAD "title: Row [3]\nparameters: {n: 3, e: 0.5, m: 2}\n"
#define RUN "run: {until: 1}\n"
#define ENERGY "energy: {kinetic: \"sum(i=1..n, x[i]'^2)\"}\n"

static void test_chain(void **state) {
  (void)state;
  same_scenario(HEAD "coordinates:\n"
                     "  x[i=1..n]: {start: 2*i, rate: 0.1}\n"
                     "  x[2]: {rate: -1}\n"
                     "energy:\n"
                     "  kinetic: m/2*sum(i=1..n, x[i]'^2)\n"
                     "  potential: sum(i=2..n, (x[i] - x[i-1])^2)\n"
                     "forces:\n"
                     "  x[i=1..n]: if(i == n, 0, x[i+1] - i)\n"
                     "contacts:\n"
                     "  hit[i=1..n-1]: {gap: \"x[i+1] - x[i] - 1\", impact: e/i}\n"
                     "shapes:\n"
                     "  - {for: i=1..n, circle: [\"x[i]\", 0], radius: 1}\n"
                     "observe:\n"
                     "  far[i=1..n]: max(x[i])\n"
                     "  struck: sum(i=1..n-1, count(hit[i]))\n"
                     "  force: last(hit[1].normal)\n" RUN,
                HEAD "coordinates:\n"
                     "  x1: {start: 2*1, rate: 0.1}\n"
                     "  x2: {start: 2*2, rate: -1}\n"
                     "  x3: {start: 2*3, rate: 0.1}\n"
                     "energy:\n"
                     "  kinetic: m/2*(x1'^2 + x2'^2 + x3'^2)\n"
                     "  potential: (x2 - x1)^2 + (x3 - x2)^2\n"
                     "forces: {x1: x2 - 1, x2: x3 - 2, x3: 0}\n"
                     "contacts:\n"
                     "  hit1: {gap: x2 - x1 - 1, impact: e/1}\n"
                     "  hit2: {gap: x3 - x2 - 1, impact: e/2}\n"
                     "shapes:\n"
                     "  - {circle: [x1, 0], radius: 1}\n"
                     "  - {circle: [x2, 0], radius: 1}\n"
                     "  - {circle: [x3, 0], radius: 1}\n"
                     "observe:\n"
                     "  far1: max(x1)\n"
                     "  far2: max(x2)\n"
                     "  far3: max(x3)\n"
                     "  struck: count(hit1) + count(hit2)\n"
                     "  force: last(hit1.normal)\n" RUN);
}

// two indices, a range that depends on the other index, names that end in a digit, an empty range
static void test_nested(void **state) {
  (void)state;
  same_scenario(HEAD "coordinates:\n"
                     "  w1[i=1..2, j=i..2]: i - j\n"
                     "energy: {kinetic: \"sum(i=1..2, j=i..2, m*w1[i, j]'^2/2)\"}\n"
                     "constraints:\n"
                     "  tie[i=1..n-2]: w1[1, i] = w1[1, 2]\n"
                     "  none[i=4..n]: w1[7, i]\n"
                     "run: {until: 1, assemble: yes}\n",
                HEAD "coordinates: {w1_1_1: 1 - 1, w1_1_2: 1 - 2, w1_2_2: 2 - 2}\n"
                     "energy: {kinetic: m*w1_1_1'^2/2 + m*w1_1_2'^2/2 + m*w1_2_2'^2/2}\n"
                     "constraints: {tie1: w1_1_1 = w1_1_2}\n"
                     "run: {until: 1, assemble: yes}\n");
}

static void test_settings(void **state) {
  (void)state;
  const char text[] = HEAD "coordinates:\n  x[i=1..n]: {start: i, rate: 1}\n" ENERGY RUN;
  const carom_setting settings[] = {{"x[4]", "0.5"}, {"n", "4"}, {"x2'", "7"}};
  carom_scenario *s = read_with(text, 3, settings);
  assert_int_equal(s->coordinate_count, 4);
  double value = 0.0;
  CHECK(carom_node_is_constant(s->graph, s->coordinates[3].start, &value) && value == 0.5);
  CHECK(carom_node_is_constant(s->graph, s->coordinates[3].start_rate, &value) && value == 1.0);
  CHECK(carom_node_is_constant(s->graph, s->coordinates[1].start_rate, &value) && value == 7.0);
  CHECK(carom_scenario_counts_by(s, "n") && !carom_scenario_counts_by(s, "m"));
  carom_scenario_free(s);
}

// what is read back from the resolved text is the same scenario
static void test_resolved(void **state) {
  (void)state;
  carom_scenario *s = read(HEAD "coordinates:\n  x[i=1..n]: i\n" ENERGY RUN);
  char *text = carom_document_text(s->arena, s->document);
  CHECK(strstr(text, "x3: 3") && !strstr(text, "[i"));
  carom_scenario *again = read(text);
  assert_int_equal(carom_graph_count(s->graph), carom_graph_count(again->graph));
  carom_scenario_free(again);
  carom_scenario_free(s);
}

#define ROW(key, value) HEAD "coordinates:\n  " key ": " value "\n" ENERGY RUN

static void test_places(void **state) {
  (void)state;
  expect_error(ROW("x[i=1..n]", "2*i + x[i+1]"), 4, 20, "(with i = 1)");
  expect_error(ROW("x[i=1..n]", "2*i + (i"), 4, 22, "expected ')'");
  expect_error(ROW("x[i=1..n-1]", "0"), 5, 32, "unknown name 'x3'");
  expect_error(ROW("x[i=1..k]", "0"), 4, 3, "unknown name 'k'");
  expect_error(ROW("x[i=1..e]", "0"), 4, 3, "an index is a whole number, but e is 0.5");
  expect_error(ROW("x[i=5..1]", "0"), 4, 3, "runs backwards");
  expect_error(ROW("x[i=1..10001]", "0"), 4, 3, "at most 10000");
  expect_error(ROW("x[i=1..2000]", "0"), 4, 3, "at most 1000");
  expect_error(ROW("x[i=-1..3]", "0"), 4, 3, "x[-1]");
  expect_error(ROW("x[n=1..3]", "0"), 4, 3, "stands in parameters");
  expect_error(ROW("x[t=1..3]", "0"), 4, 3, "meaning of its own");
  expect_error(ROW("x[i=1]", "0"), 4, 3, "a range is written i=1..10");
  expect_error(ROW("x[i=1..n]]", "0"), 4, 3, "the key of a family");
  expect_error(ROW("x[i=1..n]a", "0"), 4, 3, "the key of a family is written");
  expect_error(ROW("x[i=1..n]", "0\n  x[k=1..2]: 0"), 5, 3, "member of the family in line 4");
  expect_error(ROW("x[i=1..n]", "0\n  x1: 0\n  x[1]: 0"), 6, 3, "given twice");
  expect_error(ROW("x[i=1..n]", "sum(j=1..2, i"), 4, 27, "expected ')'");
  expect_error(ROW("x[i=1..n]", "sum(i=1..2, i)"), 4, 14, "in use here already");
  expect_error(ROW("x[i=1..n]", "sum(i, 3)"), 4, 14, "a sum is written");
  expect_error(ROW("x[i=1..n]", "sum(j=1..2)"), 4, 14, "needs what is to be added");
  expect_error(ROW("x[i=1..n]", "sum(j=1..9999, k=1..9, 1)"), 4, 14, "more than 10000 terms");
  expect_error(ROW("x[i=1..n]", "m[i"), 4, 15, "not closed");
  expect_error("parameters: {n: 2*n}\n" RUN "coordinates:\n  x[i=1..n]: 0\n", 4, 3,
               "made of itself");
  expect_error(HEAD "coordinates: {x[i=1..n]: 0}\n" RUN, 3, 16, "in quotes");
  expect_error(HEAD "coordinates: {x: 0}\nshapes:\n  - {for: 3, circle: [0, 0], radius: 1}\n" RUN,
               5, 11, "for expects a range");
}

// text that would grow without end is refused soon
static void test_limits(void **state) {
  (void)state;
  expect_error(HEAD
               "coordinates: {x: 0}\ndefine:\n"
               "  a: sum(i=1..10000, sum(j=1..10000, x + 1000000000000000000000000*i*j))\n" RUN,
               5, 6, "bytes of text");
  expect_error(HEAD "coordinates: {x: 0}\ncontacts:\n"
                    "  c[i=1..99, j=1..99]: {gap: x, impact: 0}\n" RUN,
               5, 3, "more than 5000 keys");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_chain),    cmocka_unit_test(test_nested),
      cmocka_unit_test(test_settings), cmocka_unit_test(test_resolved),
      cmocka_unit_test(test_places),   cmocka_unit_test(test_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
