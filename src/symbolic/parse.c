// SPDX-License-Identifier: MIT
// A Pratt parser: every operator has a binding power; an operand takes all operators that bind
// tighter than the one on its left. The first error ends the parse.
#include "symbolic/parse.h"
#include "symbolic/graph_internal.h"
#include "symbolic/lexer.h"
#include "symbolic/operation.h"
#include "symbolic/rule.h"
#include "symbolic/writer.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

// a foreign call may parse its arguments anew, so brackets within it are counted more strictly
enum { MAX_ARGUMENTS = 16, MAX_NAMES = 512, MAX_CALL_DEPTH = 40 };

typedef struct parser {
  const carom_parse_scope *scope;
  carom_graph *graph;
  carom_lexer lexer;
  carom_token token; // the one looked at
  int depth;
  carom_error error; // status CAROM_OK while all is well
} parser;

static carom_node parse_expression(parser *p, int binding);

// ---- functions

// functions that are written for others, by a rule (rule.h); all others are operations
static const struct shorthand {
  const char *name, *rule, *help, *example;
} shorthands[] = {
    {"log10", "a log 10 log /", "decimal logarithm", "log10(p/p0)"},
    {"sqr", "a a *", "square", "sqr(x - x0)"},
    {"step", "a 0 >=", "0 below 0, 1 from 0 on; the jump is located", "step(t - t_on)"},
};

enum { SHORTHAND_COUNT = sizeof shorthands / sizeof *shorthands };

// a function of the language: an operation or a shorthand
typedef struct function {
  const char *name;
  carom_op op;
  const struct shorthand *shorthand;
  int least, most; // arguments
} function;

static bool is_function(int op) { return carom_operations[op].help != NULL; }

static bool find_function(const char *name, function *f) {
  carom_op op = carom_op_named(name, strlen(name));
  bool chain = op < CAROM_OP_COUNT && carom_op_has(op, CAROM_CHAIN);
  for (int k = 0; k < SHORTHAND_COUNT; k++) {
    *f = (function){name, CAROM_OP_COUNT, &shorthands[k], 1, 1};
    if (strcmp(shorthands[k].name, name) == 0) return true;
  }
  if (op == CAROM_OP_COUNT || !is_function((int)op)) return false;
  *f = (function){name, op, NULL, carom_op_arity(op), chain ? MAX_ARGUMENTS : carom_op_arity(op)};
  return true;
}

// may a quantity have this name too?
static bool is_free_name(const function *f) {
  return f->shorthand ? strcmp(f->name, "step") == 0 : carom_op_has(f->op, CAROM_FREE_NAME);
}

bool carom_parse_reserved(const char *name) {
  static const char *const words[] = {"pi", "deg", "and", "or", "not"};
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    if (strcmp(words[k], name) == 0) return true;
  function f;
  return find_function(name, &f) && !is_free_name(&f);
}

bool carom_parse_function(int k, carom_expression_function *read) {
  static const carom_expression_function constants[] = {
      {"pi", "", "3.14159265358979...", "sin(pi/6)"},
      {"deg", "", "pi/180, also behind a number or a name: degrees", "theta/deg < 5"}};
  enum { CONSTANT_COUNT = sizeof constants / sizeof *constants };
  static const char *const lists[] = {"", "(a)", "(a, b)", "(a, b, c)"};
  if (k < 0) return false;
  for (int op = CAROM_OP_ADD; op < CAROM_OP_COUNT; op++) {
    const carom_operation *o = &carom_operations[op];
    if (!o->help || k-- > 0) continue;
    const char *list = (o->traits & CAROM_CHAIN) != 0 ? "(a, b, ...)" : lists[o->arity];
    *read = (carom_expression_function){o->name, list, o->help, o->example};
    return true;
  }
  if (k < SHORTHAND_COUNT) {
    const struct shorthand *s = &shorthands[k];
    *read = (carom_expression_function){s->name, "(a)", s->help, s->example};
    return true;
  }
  k -= SHORTHAND_COUNT;
  if (k < CONSTANT_COUNT) *read = constants[k];
  return k < CONSTANT_COUNT;
}

static carom_node apply_function(carom_graph *g, const function *f, int count,
                                 const carom_node *a) {
  carom_rule rule = {.graph = g, .operand = {a[0]}};
  if (f->shorthand) return carom_rule_apply(&rule, f->shorthand->rule);
  carom_node result = carom_node_make(g, f->op, a[0], a[1], a[2]);
  for (int k = carom_op_arity(f->op); k < count; k++)
    result = carom_node_make(g, f->op, result, a[k], 0);
  return result;
}

// ---- errors and tokens

static bool parse_is_fine(const parser *p) { return p->error.status == CAROM_OK; }

static bool advance_token(parser *p) {
  return parse_is_fine(p) && carom_lexer_next(&p->lexer, &p->token, &p->error);
}

// "WHAT before 'TOKEN'" or "WHAT at the end"
static carom_node fail_expected(parser *p, const char *what) {
  if (!parse_is_fine(p)) return 0;
  if (p->token.kind == CAROM_TOKEN_END)
    carom_fail_at(&p->error, CAROM_ERR_INPUT, p->token.place, "expected %s at the end", what);
  else
    carom_fail_at(&p->error, CAROM_ERR_INPUT, p->token.place, "expected %s before '%.*s'", what,
                  (int)(p->token.length < 40 ? p->token.length : 40), p->token.text);
  return 0;
}

// a unit that is not metric, with its value; NULL: it is none
static const char *metric(const char *name, size_t length) {
  static const char *const UNITS[][2] = {
      {"in", "0.0254 m"},       {"inch", "0.0254 m"},    {"inches", "0.0254 m"},
      {"ft", "0.3048 m"},       {"lb", "0.45359237 kg"}, {"lbs", "0.45359237 kg"},
      {"oz", "28.349523125 g"}, {"lbf", "4.4482216 N"},  {"kgf", "9.80665 N"},
      {"psi", "6894.7573 Pa"},  {"mph", "0.44704 m/s"},  {"kmh", "0.27777778 m/s"},
      {"hp", "745.69987 W"},    {"atm", "101325 Pa"},    {"rps", "6.2831853 rad/s"}};
  for (size_t k = 0; k < sizeof UNITS / sizeof *UNITS; k++)
    if (strlen(UNITS[k][0]) == length && memcmp(name, UNITS[k][0], length) == 0) return UNITS[k][1];
  return NULL;
}

// two names side by side
static carom_node misplaced_name(parser *p) {
  const carom_token *token = &p->token;
  const char *si = metric(token->text, token->length);
  if (si)
    carom_fail_at(&p->error, CAROM_ERR_INPUT, token->place,
                  "units are those of the SI: write 1 %.*s as %s", (int)token->length, token->text,
                  si);
  else if (token->length == 2 && strncmp(token->text, "if", 2) == 0)
    carom_fail_at(&p->error, CAROM_ERR_INPUT, token->place,
                  "expected an operator before 'if'; a choice is written if(condition, a, b)");
  else
    carom_fail_at(&p->error, CAROM_ERR_INPUT, token->place,
                  "expected an operator before '%.*s'; a product is written with *, and a unit (m, "
                  "kg, s, N, Hz, rpm, ...) stands behind a number",
                  (int)(token->length < 40 ? token->length : 40), token->text);
  return 0;
}

// the end of what an opening bracket began
static carom_node close_expected(parser *p) {
  return parse_is_fine(p) && p->token.kind == CAROM_TOKEN_NAME ? misplaced_name(p)
                                                               : fail_expected(p, "')'");
}

static bool enter_level(parser *p) {
  if (++p->depth <= CAROM_PARSE_MAX_DEPTH) return true;
  carom_fail_at(&p->error, CAROM_ERR_LIMIT, p->token.place,
                "the expression is nested deeper than %d levels", CAROM_PARSE_MAX_DEPTH);
  return false;
}

static const char *nearest_name(const parser *p, const char *name, bool function_wanted) {
  const char *names[MAX_NAMES + CAROM_OP_COUNT + SHORTHAND_COUNT];
  int count = 0;
  carom_expression_function known;
  if (!function_wanted) names[count++] = "pi";
  if (!function_wanted && p->scope->names)
    count += p->scope->names(p->scope->ctx, names + count, MAX_NAMES);
  while (function_wanted && carom_parse_function(count, &known) && known.arguments[0])
    names[count++] = known.name;
  return carom_nearest_name(name, names, count);
}

// "sin, cos, ...": all functions, for who has used one that does not exist
static void list_functions(char *text, size_t room) {
  carom_expression_function known;
  size_t used = 0;
  text[0] = 0;
  for (int k = 0; carom_parse_function(k, &known) && known.arguments[0] && used < room; k++)
    used += (size_t)snprintf(text + used, room - used, "%s%s", k ? ", " : "", known.name);
}

// what other languages call it; NULL: it has no other name here
static const char *own_function(const char *name) {
  static const char *const NAMES[][2] = {{"ln", "log"},
                                         {"arcsin", "asin"},
                                         {"arccos", "acos"},
                                         {"arctan", "atan"},
                                         {"sgn", "sign"},
                                         {"signum", "sign"},
                                         {"fabs", "abs"},
                                         {"maximum", "max"},
                                         {"minimum", "min"},
                                         {"average", "mean"},
                                         {"heaviside", "step"},
                                         {"fmod", "mod"},
                                         {"square", "sqr"},
                                         {"power", "a^b"},
                                         {"pow", "a^b"},
                                         {"ceil", "-floor(-a)"},
                                         {"round", "floor(a + 0.5)"},
                                         {"where", "if"},
                                         {"ifelse", "if"},
                                         {"piecewise", "if"}};
  for (size_t k = 0; k < sizeof NAMES / sizeof *NAMES; k++)
    if (strcmp(name, NAMES[k][0]) == 0) return NAMES[k][1];
  return NULL;
}

// what is no function here but can be had; NULL: nothing is known of it
static const char *advice(const char *name) {
  static const char *const WORDS[][2] = {
      {"final", "what is observed without a function is the value at the end"},
      {"end", "what is observed without a function is the value at the end"},
      {"initial", "make the start a parameter, which expressions can use"},
      {"rms", "write sqrt(mean(sqr(...)))"},
      {"std", "write sqrt(mean(sqr(x)) - sqr(mean(x)))"},
      {"integral",
       "an integral is a state: states: {name: {rate: ...}}, or mean(...) times the time"},
      {"integrate", "an integral is a state: states: {name: {rate: ...}}"},
      {"diff", "the rate of x is written x'"},
      {"der", "the rate of x is written x'"},
      {"rand",
       "a run has no random numbers; random starts are made by carom basin --random, random "
       "parameters by carom ensemble --random"},
      {"random", "a run has no random numbers; random starts are made by carom basin --random, "
                 "random parameters by carom ensemble --random"}};
  for (size_t k = 0; k < sizeof WORDS / sizeof *WORDS; k++)
    if (strcmp(name, WORDS[k][0]) == 0) return WORDS[k][1];
  return NULL;
}

// dx, xdot and x_dot: the rate of a coordinate x, or NULL
static const char *rate_spelling(const parser *p, const char *name) {
  const char *names[MAX_NAMES];
  int count = p->scope->names ? p->scope->names(p->scope->ctx, names, MAX_NAMES) : 0;
  size_t length = strlen(name);
  for (int k = 0; k < count; k++) {
    size_t own = strlen(names[k]);
    if (name[0] == 'd' && strcmp(name + 1, names[k]) == 0) return names[k];
    bool begins = own < length && strncmp(name, names[k], own) == 0;
    if (begins && (strcmp(name + own, "dot") == 0 || strcmp(name + own, "_dot") == 0))
      return names[k];
  }
  return NULL;
}

// mgy, where m, g and y are known: m*g*y. False: it is no product of different names
static bool as_product(const parser *p, const char *name, char *text, size_t room) {
  const char *names[MAX_NAMES];
  int count = p->scope->names ? p->scope->names(p->scope->ctx, names, MAX_NAMES) : 0;
  size_t used = 0, length_before = 0;
  const char *before = NULL;
  bool differ = false;
  while (*name) {
    size_t longest = 0;
    for (int k = 0; k < count; k++) {
      size_t length = strlen(names[k]);
      if (length > longest && strncmp(name, names[k], length) == 0) longest = length;
    }
    if (longest == 0 || used + longest + 2 > room) return false;
    used +=
        (size_t)snprintf(text + used, room - used, "%s%.*s", used ? "*" : "", (int)longest, name);
    differ =
        differ || (before && (longest != length_before || strncmp(name, before, longest) != 0));
    before = name;
    length_before = longest;
    name += longest;
  }
  return differ;
}

static carom_node fail_unknown(parser *p, const char *name, carom_place place,
                               bool function_wanted) {
  if (!parse_is_fine(p)) return 0;
  if (!function_wanted && (strcmp(name, "nan") == 0 || strcmp(name, "inf") == 0)) {
    carom_fail_at(&p->error, CAROM_ERR_INPUT, place, "'%s' is no number that can be used", name);
    return 0;
  }
  const char *told = function_wanted ? advice(name) : NULL;
  if (told) {
    carom_fail_at(&p->error, CAROM_ERR_INPUT, place, "unknown function '%s'; %s", name, told);
    return 0;
  }
  const char *close = function_wanted ? own_function(name) : NULL;
  const char *rate = function_wanted ? NULL : rate_spelling(p, name);
  if (rate) {
    carom_fail_at(&p->error, CAROM_ERR_INPUT, place,
                  "unknown name '%s'; the rate of %s is written %s'", name, rate, rate);
    return 0;
  }
  char product[2 * CAROM_NAME_ROOM];
  if (!function_wanted && as_product(p, name, product, sizeof product)) {
    carom_fail_at(&p->error, CAROM_ERR_INPUT, place,
                  "unknown name '%s'; if a product is meant, write %s", name, product);
    return 0;
  }
  if (!close) close = nearest_name(p, name, function_wanted);
  const char *what = function_wanted ? "function" : "name";
  if (close) {
    carom_fail_at(&p->error, CAROM_ERR_INPUT, place, "unknown %s '%s'; did you mean '%s'?", what,
                  name, close);
  } else if (function_wanted) {
    char list[512];
    list_functions(list, sizeof list);
    carom_fail_at(&p->error, CAROM_ERR_INPUT, place,
                  "unknown function '%s'; there are %s, and those of scenarios (sum, table, mean, "
                  "...): 'carom keys functions' explains them",
                  name, list);
  } else {
    carom_fail_at(
        &p->error, CAROM_ERR_INPUT, place,
        "unknown name '%s'; a number gets its name in parameters, an expression in define", name);
  }
  return 0;
}

// ---- calls

// length of the argument at `text`: up to a comma or bracket of the outer call. Quotes and nested
// brackets are stepped over. Sets `*deepest` to the nesting seen.
static size_t argument_length(const char *text, int *deepest) {
  int depth = 0;
  bool quoted = false;
  size_t n = 0;
  for (; text[n]; n++) {
    char c = text[n];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (depth == 0 && (c == ',' || c == ')')) break;
    if (c == '(') depth++;
    if (c == ')') depth--;
    if (depth > *deepest) *deepest = depth;
  }
  return n;
}

typedef struct arguments {
  int count;
  const char *text[MAX_ARGUMENTS];
  carom_place place[MAX_ARGUMENTS];
} arguments;

static bool store_argument(parser *p, arguments *list, size_t length) {
  const char *start = p->lexer.at;
  carom_place place = p->lexer.place;
  while (length > 0 && strchr(" \t\r\n", start[length - 1]))
    length--;
  if (length == 0) {
    carom_fail_at(&p->error, CAROM_ERR_INPUT, place, "an argument is missing");
    return false;
  }
  char *copy = carom_arena_text(p->graph->arena, start, length);
  if (!copy) {
    carom_fail_memory(&p->error);
    return false;
  }
  assert(list->count < MAX_ARGUMENTS);
  list->text[list->count] = copy;
  list->place[list->count++] = place;
  return true;
}

// takes the arguments of a call as source text; the lexer stands behind the opening bracket
static bool take_arguments(parser *p, const char *name, carom_place place, arguments *list) {
  list->count = 0;
  carom_lexer_skip_space(&p->lexer);
  if (*p->lexer.at == ')') {
    carom_lexer_skip(&p->lexer, 1);
    return true;
  }
  for (;;) {
    int deepest = 0;
    carom_lexer_skip_space(&p->lexer);
    size_t length = argument_length(p->lexer.at, &deepest);
    if (deepest > MAX_CALL_DEPTH) {
      carom_fail_at(&p->error, CAROM_ERR_LIMIT, place,
                    "the arguments of %s are nested deeper than %d levels", name, MAX_CALL_DEPTH);
      return false;
    }
    if (list->count == MAX_ARGUMENTS) {
      carom_fail_at(&p->error, CAROM_ERR_INPUT, place, "%s has more than %d arguments", name,
                    MAX_ARGUMENTS);
      return false;
    }
    if (!store_argument(p, list, length)) return false;
    carom_lexer_skip(&p->lexer, length);
    char c = *p->lexer.at;
    if (!c) {
      carom_fail_at(&p->error, CAROM_ERR_INPUT, p->lexer.place, "expected ')' at the end");
      return false;
    }
    carom_lexer_skip(&p->lexer, 1);
    if (c == ')') return true;
  }
}

// a function that the scope may know. The token looked at is the opening bracket; 0 without an
// error means the scope does not know it, and then the lexer is back behind the bracket.
static carom_node call_scope(parser *p, const char *name, carom_place place) {
  arguments list;
  carom_lexer back = p->lexer;
  if (!p->scope->call || !take_arguments(p, name, place, &list)) return 0;
  carom_node node =
      p->scope->call(p->scope->ctx, name, list.count, list.text, list.place, place, &p->error);
  if (!parse_is_fine(p)) return 0;
  if (!node) p->lexer = back;
  return node && advance_token(p) ? node : 0;
}

static bool is_variable(const parser *p, const char *name) {
  const char *names[MAX_NAMES];
  int count = p->scope->names ? p->scope->names(p->scope->ctx, names, MAX_NAMES) : 0;
  for (int k = 0; k < count; k++)
    if (strcmp(names[k], name) == 0) return true;
  return strcmp(name, "pi") == 0;
}

static carom_node parse_foreign_call(parser *p, const char *name, carom_place place) {
  carom_node node = call_scope(p, name, place);
  if (node || !parse_is_fine(p)) return node;
  if (!is_variable(p, name)) return fail_unknown(p, name, place, true);
  carom_fail_at(&p->error, CAROM_ERR_INPUT, place,
                "'%s' is not a function; write %s*(...) to multiply", name, name);
  return 0;
}

static carom_node wrong_count(parser *p, const function *f, carom_place place, int given) {
  const char *some = f->most > f->least ? "at least " : "";
  carom_fail_at(&p->error, CAROM_ERR_INPUT, place, "%s takes %s%d argument%s, %d given", f->name,
                some, f->least, f->least == 1 ? "" : "s", given);
  return 0;
}

// arguments up to and with the closing bracket; returns how many, negative after an error
static int parse_arguments(parser *p, carom_node *nodes) {
  int count = 0;
  if (!advance_token(p) || !enter_level(p)) return -1;
  if (p->token.kind != CAROM_TOKEN_CLOSE) {
    for (;;) {
      carom_node node = parse_expression(p, CAROM_BIND_ANY);
      if (!node) return -1;
      if (count < MAX_ARGUMENTS) nodes[count] = node;
      count++;
      if (p->token.kind != CAROM_TOKEN_COMMA) break;
      if (!advance_token(p)) return -1;
    }
  }
  if (p->token.kind != CAROM_TOKEN_CLOSE) return close_expected(p), -1;
  p->depth--;
  return advance_token(p) ? count : -1;
}

// Products are folded, and the unit of a number in them would be lost.
static bool refuse_measured(parser *p, carom_place place, carom_node a, carom_node b) {
  if (carom_node_measure(p->graph, a) < 0 && carom_node_measure(p->graph, b) < 0) return true;
  carom_fail_at(&p->error, CAROM_ERR_INPUT, place,
                "a number with a unit can be compared and added, not multiplied: make it a "
                "parameter with this unit and use its name");
  return false;
}

static carom_node parse_call(parser *p, const function *f, carom_place place) {
  carom_node nodes[MAX_ARGUMENTS] = {0};
  // max(x) may be the largest value of a run: what min and max of one argument mean is the scope's
  if (f->most > f->least && p->scope->call) {
    int deepest = 0;
    size_t length = argument_length(p->lexer.at, &deepest);
    if (p->lexer.at[length] == ')') {
      carom_node node = call_scope(p, f->name, place);
      if (node || !parse_is_fine(p)) return node;
    }
  }
  int count = parse_arguments(p, nodes);
  if (count < 0) return 0;
  if (count < f->least || count > f->most) return wrong_count(p, f, place, count);
  double divisor = 1.0; // unlike 1/0, whose value tells, b*(...) is folded to 0
  if (!f->shorthand && f->op == CAROM_OP_MOD &&
      carom_node_is_constant(p->graph, nodes[1], &divisor) && divisor == 0.0) {
    carom_fail_at(&p->error, CAROM_ERR_INPUT, place, "mod by zero has no value");
    return 0;
  }
  bool sums = !f->shorthand && (f->op == CAROM_OP_MIN || f->op == CAROM_OP_MAX ||
                                f->op == CAROM_OP_IF || f->op == CAROM_OP_ABS);
  for (int k = 0; k < count && !sums; k++)
    if (!refuse_measured(p, place, nodes[k], nodes[k])) return 0;
  return apply_function(p->graph, f, count, nodes);
}

// ---- operands

static carom_node parse_name(parser *p) {
  char name[CAROM_NAME_ROOM];
  carom_place place = p->token.place;
  assert(p->token.length < sizeof name); // the lexer refuses longer ones
  memcpy(name, p->token.text, p->token.length);
  name[p->token.length] = '\0';
  if (!advance_token(p)) return 0;
  function f;
  bool known = find_function(name, &f);
  if (p->token.kind == CAROM_TOKEN_OPEN)
    return known ? parse_call(p, &f, place) : parse_foreign_call(p, name, place);
  if (strcmp(name, "pi") == 0) return carom_node_constant(p->graph, CAROM_PI);
  carom_node node = p->scope->lookup ? p->scope->lookup(p->scope->ctx, name, place, &p->error) : 0;
  if (!node && parse_is_fine(p) && known) {
    carom_fail_at(&p->error, CAROM_ERR_INPUT, place, "%s needs its argument in parentheses", name);
    return 0;
  }
  return node ? node : fail_unknown(p, name, place, false);
}

static carom_node parse_group(parser *p) {
  if (!advance_token(p) || !enter_level(p)) return 0;
  carom_node node = parse_expression(p, CAROM_BIND_ANY);
  if (!node) return 0;
  if (p->token.kind != CAROM_TOKEN_CLOSE) return close_expected(p);
  p->depth--;
  return advance_token(p) ? node : 0;
}

static carom_node parse_prefix(parser *p, carom_op op, int binding) {
  if (!advance_token(p) || !enter_level(p)) return 0;
  carom_node node = parse_expression(p, binding);
  p->depth--;
  if (!node || op == CAROM_OP_ADD) return node;
  return carom_node_make(p->graph, op, node, 0, 0);
}

static carom_node parse_not(parser *p, int binding) {
  if (binding <= CAROM_BIND_NOT) return parse_prefix(p, CAROM_OP_NOT, CAROM_BIND_NOT);
  carom_fail_at(&p->error, CAROM_ERR_INPUT, p->token.place,
                "'not' needs parentheses around it here");
  return 0;
}

// 5, or 5 mm
static carom_node parse_number(parser *p) {
  carom_token number = p->token;
  carom_node node = carom_node_constant(p->graph, number.value);
  if (!advance_token(p) || !p->scope->measured) return parse_is_fine(p) ? node : 0;
  if (p->token.kind != CAROM_TOKEN_NAME && p->token.kind != CAROM_TOKEN_DEG) return node;
  size_t length = 0;
  carom_node measured =
      p->scope->measured(p->scope->ctx, number.text, number.place, &length, &p->error);
  if (!measured) return parse_is_fine(p) ? node : 0;
  p->lexer.at = number.text;
  p->lexer.place = number.place;
  carom_lexer_skip(&p->lexer, length);
  return advance_token(p) ? measured : 0;
}

static carom_node parse_operand(parser *p, int binding) {
  carom_node node;
  switch (p->token.kind) {
  case CAROM_TOKEN_NUMBER: return parse_number(p);
  case CAROM_TOKEN_DEG:
    node = carom_node_constant(p->graph, CAROM_PI / 180.0);
    return advance_token(p) ? node : 0;
  case CAROM_TOKEN_NAME: return parse_name(p);
  case CAROM_TOKEN_OPEN: return parse_group(p);
  case CAROM_TOKEN_OPERATOR:
    if (p->token.op == CAROM_OP_SUB) return parse_prefix(p, CAROM_OP_NEG, CAROM_BIND_SIGN);
    if (p->token.op == CAROM_OP_ADD) return parse_prefix(p, CAROM_OP_ADD, CAROM_BIND_SIGN);
    if (p->token.op == CAROM_OP_NOT) return parse_not(p, binding);
    break;
  default: break;
  }
  return fail_expected(p, "a value");
}

// ---- operators

// how tightly an operator between two operands binds: its text in the table says so. 0: it is none
static int infix_binding(const carom_token *token) {
  bool infix = token->kind == CAROM_TOKEN_OPERATOR && carom_op_arity(token->op) == 2;
  return infix ? carom_operation_of(token->op)->text[0] - '0' : 0;
}

static carom_node parse_postfix(parser *p, carom_node node) {
  while (node && (p->token.kind == CAROM_TOKEN_PRIME || p->token.kind == CAROM_TOKEN_DEG)) {
    carom_place place = p->token.place;
    if (p->token.kind == CAROM_TOKEN_DEG) {
      // x pi / 180 in this order keeps 180 deg exactly pi
      node = carom_mul(p->graph, node, carom_node_constant(p->graph, CAROM_PI));
      node = carom_div(p->graph, node, carom_node_constant(p->graph, 180.0));
    } else {
      node = p->scope->prime ? p->scope->prime(p->scope->ctx, node, place, &p->error) : 0;
      if (!node && parse_is_fine(p) && p->graph->status == CAROM_OK)
        carom_fail_at(&p->error, CAROM_ERR_INPUT, place, "a time derivative is not allowed here");
    }
    if (!advance_token(p)) return 0;
  }
  return node;
}

// the right operand: ^ groups to the right and takes a sign, all others group to the left
static carom_node parse_right(parser *p, carom_op op, int binding) {
  if (op != CAROM_OP_POW) return parse_expression(p, binding + 1);
  if (!enter_level(p)) return 0;
  carom_node node = parse_expression(p, CAROM_BIND_SIGN);
  p->depth--;
  return node;
}

static bool refuse_chain(parser *p) {
  if (infix_binding(&p->token) != CAROM_BIND_COMPARISON) return true;
  carom_fail_at(&p->error, CAROM_ERR_INPUT, p->token.place,
                "comparisons cannot be chained; join two with 'and'");
  return false;
}

static bool check_measured(parser *p, carom_op op, carom_place place, carom_node a, carom_node b) {
  int binding = carom_operation_of(op)->text[0] - '0';
  int left = carom_node_measure(p->graph, a), right = carom_node_measure(p->graph, b);
  if (op != CAROM_OP_ADD && op != CAROM_OP_SUB && binding != CAROM_BIND_COMPARISON)
    return refuse_measured(p, place, a, b);
  if (left < 0 || right < 0 || left == right) return true;
  carom_fail_at(&p->error, CAROM_ERR_INPUT, place,
                "the units of both sides differ: they cannot be added or compared");
  return false;
}

static carom_node parse_expression(parser *p, int binding) {
  carom_node left = parse_postfix(p, parse_operand(p, binding));
  while (left && parse_is_fine(p)) {
    int have = infix_binding(&p->token);
    carom_op op = p->token.op;
    carom_place place = p->token.place;
    if (have == 0 || have < binding) return left;
    if (!advance_token(p)) return 0;
    carom_node right = parse_right(p, op, have);
    if (!right || !check_measured(p, op, place, left, right)) return 0;
    if (have == CAROM_BIND_COMPARISON && !refuse_chain(p)) return 0;
    left = carom_node_make(p->graph, op, left, right, 0);
  }
  return left;
}

// a comma between two digits, as in 0,5
static bool comma_of_number(const parser *p) {
  const char *comma = p->token.text;
  return isdigit((unsigned char)comma[-1]) && isdigit((unsigned char)comma[1]);
}

static carom_node parse_all(parser *p) {
  if (!advance_token(p)) return 0;
  if (p->token.kind == CAROM_TOKEN_END) {
    carom_fail_at(&p->error, CAROM_ERR_INPUT, p->token.place, "the expression is empty");
    return 0;
  }
  carom_node node = parse_expression(p, CAROM_BIND_ANY);
  if (!node || !parse_is_fine(p)) return 0;
  switch (p->token.kind) {
  case CAROM_TOKEN_END: return node;
  case CAROM_TOKEN_CLOSE:
    carom_fail_at(&p->error, CAROM_ERR_INPUT, p->token.place, "')' has no '(' before it");
    return 0;
  case CAROM_TOKEN_COMMA:
    carom_fail_at(&p->error, CAROM_ERR_INPUT, p->token.place, "',' stands outside of a function%s",
                  comma_of_number(p) ? "; decimals stand behind a point: 0.5" : "");
    return 0;
  case CAROM_TOKEN_NAME: return misplaced_name(p);
  default: return fail_expected(p, "an operator");
  }
}

carom_node carom_parse(const carom_parse_scope *scope, const char *text, carom_place place,
                       carom_error *error) {
  parser p = {.scope = scope, .graph = scope->graph, .lexer = {text, place}};
  carom_node node = parse_all(&p);
  if (node) return node;
  // a node that could not be made leaves its reason in the graph
  if (parse_is_fine(&p)) {
    carom_status status = carom_graph_status(scope->graph);
    if (status == CAROM_OK) status = CAROM_ERR_INPUT;
    carom_fail_at(&p.error, status, place, "the expression is too large: %s",
                  carom_status_text(status));
  }
  if (error) *error = p.error;
  return 0;
}
