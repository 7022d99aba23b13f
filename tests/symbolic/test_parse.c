// SPDX-License-Identifier: MIT
#include "check.h"
#include "expressions.h"

#include <stdlib.h>

static const double pi = 3.14159265358979323846;

// values for x = 0.5, y = 2, x' = 3, y' = 5, t = 7, m = 11, Gamma = 13, theta = 17
static const double values[WORLD_SYMBOLS] = {0.5, 2, 3, 5, 7, 11, 13, 17};

static void test_values(void **state) {
  (void)state;
  const struct {
    const char *text;
    double value;
  } cases[] = {
      {"1", 1},
      {".5", 0.5},
      {"3.", 3},
      {"1.5e-3", 1.5e-3},
      {"2E+2", 200},
      {"pi", pi},
      {"180 deg", pi},
      {"90 deg", pi / 2},
      {"theta/deg", 17 * 180 / pi},
      {"-5 deg", -5 * pi / 180},
      {"1 + 2*3", 7},
      {"(1 + 2)*3", 9},
      {"10 - 4 - 3", 3},
      {"24/4/2", 3},
      {"2^3^2", 512},
      {"-2^2", -4},
      {"2^-2", 0.25},
      {"2*-3", -6},
      {"--3", 3},
      {"+3", 3},
      {"-x^2", -0.25},
      {"x'", 3},
      {"x'^2", 9},
      {"-x'", -3},
      {"(x*y)'", 3 * 2 + 0.5 * 5},
      {"sin(t)'", 0.75390225434330460},
      {"x < y", 1},
      {"x > y", 0},
      {"x + 1 <= y", 1},
      {"x == 0.5", 1},
      {"x != 0.5", 0},
      {"x < y and y < t", 1},
      {"x > y or y < t", 1},
      {"not x > y", 1},
      {"not x > y and x > y", 0},
      {"1 or 0 and 0", 1},
      {"if(x < y, 10, 20)", 10},
      {"min(3, 1, 2)", 1},
      {"max(3, y, 2)", 3},
      {"max(x)", 1.5},
      {"atan2(1, 1)", pi / 4},
      {"log10(1000)", 3},
      {"hypot(3, 4)", 5},
      {"sqr(x + 1)", 2.25},
      {"abs(-3) + sign(-2)", 2},
      {"mean(x*(1 + y))", 1.5},
      {"mean( min(x, (y)) )", 0.5},
      {"Gamma*m", 143},
      {"  x\n  + y\t", 2.5},
  };
  world *w = world_create();
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    carom_error error = {0};
    carom_node node = carom_parse(&w->scope, cases[k].text, (carom_place){"f", 1, 1}, &error);
    if (!node) print_error("%s: %s\n", cases[k].text, error.text);
    double have = carom_node_evaluate(w->graph, node, values, NULL), want = cases[k].value;
    if (!(fabs(have - want) <= 1e-14 * (1.0 + fabs(want)))) print_error("%s:\n", cases[k].text);
    CHECK_NEAR(have, want, 1e-14 * (1.0 + fabs(want)));
  }
  world_destroy(w);
}

typedef struct mistake {
  const char *text;
  int line, column;
  const char *message;
} mistake;

static const mistake mistakes[] = {
    {"", 4, 10, "the expression is empty"},
    {"  \n ", 5, 2, "the expression is empty"},
    {"x +", 4, 13, "expected a value at the end"},
    {"x + * y", 4, 14, "expected a value before '*'"},
    {"2 + mod(x, 1 - 1)", 4, 14, "mod by zero has no value"},
    {"(x + y", 4, 16, "expected ')' at the end"},
    {"sin(x y)", 4, 16,
     "expected an operator before 'y'; a product is written with *, and a unit (m, kg, s, N, Hz, "
     "rpm, ...) stands behind a number"},
    {"(x y + 1)", 4, 13,
     "expected an operator before 'y'; a product is written with *, and a unit (m, kg, s, N, Hz, "
     "rpm, ...) stands behind a number"},
    {"x + y)", 4, 15, "')' has no '(' before it"},
    {"x, y", 4, 11, "',' stands outside of a function"},
    {"x + 0,5", 4, 15, "',' stands outside of a function; decimals stand behind a point: 0.5"},
    {"2 x", 4, 12,
     "expected an operator before 'x'; a product is written with *, and a unit (m, kg, s, N, Hz, "
     "rpm, ...) stands behind a number"},
    {"0x10", 4, 11,
     "expected an operator before 'x10'; a product is written with *, and a unit (m, kg, s, N, Hz, "
     "rpm, ...) stands behind a number"},
    {"Gama + 1", 4, 10, "unknown name 'Gama'; did you mean 'Gamma'?"},
    {"x +\n  thta", 5, 3, "unknown name 'thta'; did you mean 'theta'?"},
    {"qqqqqq", 4, 10,
     "unknown name 'qqqqqq'; a number gets its name in parameters, an expression in define"},
    {"sni(x)", 4, 10, "unknown function 'sni'; did you mean 'sin'?"},
    {"x(y + 1)", 4, 10, "'x' is not a function; write x*(...) to multiply"},
    {"1 + sin x", 4, 14, "sin needs its argument in parentheses"},
    {"sin(x, y)", 4, 10, "sin takes 1 argument, 2 given"},
    {"2*atan2(x)", 4, 12, "atan2 takes 2 arguments, 1 given"},
    {"if(x > 0, y)", 4, 10, "if takes 3 arguments, 2 given"},
    {"min()", 4, 10, "min takes at least 2 arguments, 0 given"},
    {"sin()", 4, 10, "sin takes 1 argument, 0 given"},
    {"sin(x,)", 4, 16, "expected a value before ')'"},
    {"x < y < t", 4, 16, "comparisons cannot be chained; join two with 'and'"},
    {"x = y", 4, 12, "write '==' instead of '='"},
    {"x ** 2", 4, 12, "write '^' instead of '**'"},
    {"x && y", 4, 12, "write 'and' instead of '&&'"},
    {"!x", 4, 10, "write 'not' instead of '!'"},
    {"1 + not x", 4, 14, "'not' needs parentheses around it here"},
    {"x % 2", 4, 12,
     "unexpected character '%'; hundredths are written percent, a remainder mod(a, b)"},
    {"x\xc2\xb2", 4, 11, "write '^2' instead of '\xc2\xb2'"},
    {"x\xe2\x80\x99", 4, 11, "write ' instead of \xe2\x80\x99"},
    {"x \xe2\x88\x92 1", 4, 12, "write '-' instead of '\xe2\x88\x92'"},
    {"\xce\xb8 + #", 4, 14, "unexpected character '#'"},
    {"1e999", 4, 10, "the number is too large"},
    {"x''", 4, 12, "accelerations are not allowed here"},
    {"2*cyclic", 4, 12, "cyclic is defined by itself"},
    {"mean(x", 4, 16, "expected ')' at the end"},
    {"mean(x + zz)", 4, 19,
     "unknown name 'zz'; a number gets its name in parameters, an expression in define"},
    {"mean(x,,y)", 4, 17, "an argument is missing"},
    {"\x01", 4, 10, "unexpected character number 1"},
};

static void test_mistakes(void **state) {
  (void)state;
  world *w = world_create();
  // the Greek letter is a name of its own
  CHECK(carom_node_symbol(w->graph, "\xce\xb8", CAROM_SYMBOL_OTHER) != 0);
  for (size_t k = 0; k < sizeof mistakes / sizeof *mistakes; k++) {
    const mistake *it = &mistakes[k];
    carom_error error = {0};
    carom_node node = carom_parse(&w->scope, it->text, (carom_place){"file.yaml", 4, 10}, &error);
    bool good = node == 0 && error.line == it->line && error.column == it->column &&
                strcmp(error.text, it->message) == 0 && strcmp(error.file, "file.yaml") == 0;
    if (!good)
      print_error("%s: %d:%d %s, expected %d:%d %s\n", it->text, error.line, error.column,
                  error.text, it->line, it->column, it->message);
    CHECK(good);
    // no one has to ask for the reason
    CHECK(carom_parse(&w->scope, it->text, (carom_place){"file.yaml", 4, 10}, NULL) == 0);
  }
  world_destroy(w);
}

static char *repeated(world *w, const char *before, int count, const char *middle,
                      const char *after) {
  size_t a = strlen(before), m = strlen(middle), b = strlen(after), n = (size_t)count;
  char *text = carom_arena_take(w->arena, n * (a + b) + m + 1), *at = text;
  for (size_t k = 0; k < n; k++, at += a)
    memcpy(at, before, a);
  memcpy(at, middle, m);
  at += m;
  for (size_t k = 0; k < n; k++, at += b)
    memcpy(at, after, b);
  return text;
}

static void test_depth(void **state) {
  (void)state;
  world *w = world_create();
  carom_error error = {0};
  carom_place place = {"f", 1, 1};
  CHECK(carom_parse(&w->scope, repeated(w, "(", 200, "x", ")"), place, &error) == w->x);
  static const char *const deep[][2] = {{"(", ")"},   {"sin(", ")"},  {"-", ""},   {"2^", ""},
                                        {"1+(", ")"}, {"mean(", ")"}, {"not ", ""}};
  for (size_t k = 0; k < sizeof deep / sizeof *deep; k++) {
    char *text = repeated(w, deep[k][0], 100000, "x", deep[k][1]);
    CHECK(carom_parse(&w->scope, text, place, &error) == 0);
    CHECK(error.status == CAROM_ERR_LIMIT);
  }
  // long is not deep
  char *sum = repeated(w, "t*x + ", 20000, "x", "");
  CHECK(carom_parse(&w->scope, sum, place, &error) != 0);
  world_destroy(w);
}

static void test_reserved(void **state) {
  (void)state;
  static const char *const taken[] = {"pi", "deg", "and", "or", "not", "if", "sin", "log10", "max"};
  for (size_t k = 0; k < sizeof taken / sizeof *taken; k++)
    CHECK(carom_parse_reserved(taken[k]));
  CHECK(!carom_parse_reserved("x"));
  CHECK(!carom_parse_reserved("slope"));
  CHECK(!carom_parse_reserved(""));
}

// a scope that knows nothing still gives messages, not crashes
static void test_bare_scope(void **state) {
  (void)state;
  world *w = world_create();
  carom_parse_scope bare = {.graph = w->graph};
  carom_error error = {0};
  carom_place place = {"f", 1, 1};
  CHECK(carom_parse(&bare, "1 + sin(2)", place, &error) != 0);
  CHECK(carom_parse(&bare, "x", place, &error) == 0);
  CHECK(carom_parse(&bare, "mean(1)", place, &error) == 0);
  CHECK(carom_parse(&bare, "2'", place, &error) == 0);
  assert_string_equal(error.text, "a time derivative is not allowed here");
  world_destroy(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values),     cmocka_unit_test(test_mistakes),
      cmocka_unit_test(test_depth),      cmocka_unit_test(test_reserved),
      cmocka_unit_test(test_bare_scope),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
