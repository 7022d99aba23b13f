// SPDX-License-Identifier: MIT
// Nodes as LaTeX mathematics, for reports and documentation: fractions, dots for rates, Greek
// letters, subscripts from trailing digits.
#include "symbolic/number.h"
#include "symbolic/operation.h"
#include "symbolic/parse.h"
#include "symbolic/writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TEXT(t) carom_piece_text(t)
#define NODE(n, need) carom_piece_node(n, need)

// ---- names

static bool is_greek(const char *name, size_t length) {
  static const char *const greek[] = {
      "alpha", "beta",    "gamma",  "delta", "epsilon", "zeta",  "eta",   "theta",
      "iota",  "kappa",   "lambda", "mu",    "nu",      "xi",    "rho",   "sigma",
      "tau",   "upsilon", "phi",    "chi",   "psi",     "omega", "Gamma", "Delta",
      "Theta", "Lambda",  "Xi",     "Sigma", "Upsilon", "Phi",   "Psi",   "Omega"};
  for (size_t k = 0; k < sizeof greek / sizeof *greek; k++)
    if (strlen(greek[k]) == length && strncmp(greek[k], name, length) == 0) return true;
  return false;
}

static bool all_digits(const char *text, size_t length) {
  for (size_t k = 0; k < length; k++)
    if (text[k] < '0' || text[k] > '9') return false;
  return length > 0;
}

// a word: a single letter or number stays, a Greek one becomes the letter, a longer one upright
static const char *write_word(carom_writer *w, const char *text, size_t length) {
  int n = (int)length;
  bool single = length == 1 || (length == 2 && ((unsigned char)text[0] & 0x80u));
  if (is_greek(text, length)) return carom_writer_format(w, "\\%.*s", n, text);
  if (single || all_digits(text, length)) return carom_writer_format(w, "%.*s", n, text);
  // a further underscore would be a second subscript
  char plain[64];
  size_t used = 0;
  for (size_t k = 0; k < length && used + 2 < sizeof plain; k++) {
    if (text[k] == '_') plain[used++] = '\\';
    plain[used++] = text[k];
  }
  return carom_writer_format(w, "\\mathrm{%.*s}", (int)used, plain);
}

// theta2'' is \ddot{\theta}_{2}; x_max is x with an upright subscript
static void write_name(carom_writer *w, const char *name) {
  static const char *const dots[] = {"", "\\dot{", "\\ddot{", "\\dddot{"};
  size_t length = strcspn(name, "'"), primes = strlen(name) - length, stem = length;
  const char *mark = memchr(name, '_', length);
  if (primes > 3) primes = 3;
  if (mark && mark > name && mark + 1 < name + length)
    stem = (size_t)(mark - name);
  else
    while (stem > 1 && name[stem - 1] >= '0' && name[stem - 1] <= '9')
      stem--;
  size_t behind = stem < length && name[stem] == '_' ? stem + 1 : stem;
  bool sub = behind < length;
  CAROM_EMIT(w, TEXT(dots[primes]), TEXT(write_word(w, name, stem)), TEXT(primes ? "}" : ""),
             TEXT(sub ? "_{" : ""), TEXT(sub ? write_word(w, name + behind, length - behind) : ""),
             TEXT(sub ? "}" : ""));
}

// ---- numbers

static void write_number(carom_writer *w, double value) {
  char buffer[CAROM_NUMBER_ROOM];
  if (!isfinite(value)) {
    CAROM_EMIT(w, TEXT(isnan(value) ? "\\mathrm{NaN}" : value > 0.0 ? "\\infty" : "-\\infty"));
    return;
  }
  carom_number_write(value, buffer);
  char *e = strchr(buffer, 'e');
  if (!e) {
    CAROM_EMIT(w, TEXT(carom_writer_format(w, "%s", buffer)));
    return;
  }
  *e = '\0';
  const char *minus = value < 0.0 ? "-" : "", *digits = buffer + strlen(minus);
  bool one = strcmp(digits, "1") == 0;
  CAROM_EMIT(w, TEXT(carom_writer_format(w, "%s%s%s10^{%s}", minus, one ? "" : digits,
                                         one ? "" : " \\cdot ", e + 1)));
}

// ---- operations

static carom_node operand_of(const carom_writer *w, carom_node node, int k) {
  return carom_node_operand(w->graph, node, k);
}

static int binding_of(const carom_writer *w, carom_node node) {
  carom_node base;
  int n;
  double value;
  carom_op op = carom_node_op(w->graph, node);
  if (carom_node_is_constant(w->graph, node, &value))
    return value < 0.0 ? CAROM_BIND_PRODUCT : CAROM_BIND_ATOM;
  if (op == CAROM_OP_MUL && carom_node_is_power(w->graph, node, &base, &n)) return CAROM_BIND_POWER;
  const char *template = carom_operation_of(op)->latex;
  return template && template[0] != '\\' ? template[0] - '0' : CAROM_BIND_ATOM;
}

// the command of a function written as \name(argument); NULL for other operations
static const char *command_of(carom_op op) {
  const char *latex = carom_operation_of(op)->latex;
  return latex && latex[0] == '\\' ? latex : NULL;
}

// \sin x of a name, \sin\left(...\right) of anything else, with an exponent where one is given
static void write_function(carom_writer *w, carom_node node, const char *exponent) {
  const char *name = command_of(carom_node_op(w->graph, node));
  carom_node a = operand_of(w, node, 0), b = operand_of(w, node, 1);
  if (!b && carom_node_as_symbol(w->graph, a))
    CAROM_EMIT(w, TEXT(name), TEXT(exponent), TEXT(" "), NODE(a, CAROM_BIND_ANY));
  else
    CAROM_EMIT(w, TEXT(name), TEXT(exponent), TEXT("\\left("), NODE(a, CAROM_BIND_ANY),
               TEXT(b ? ", " : ""), NODE(b, CAROM_BIND_ANY), TEXT("\\right)"));
}

static void write_add(carom_writer *w, carom_node node) {
  carom_node a, b;
  double c;
  carom_writing_order(w->graph, node, &a, &b);
  if (!carom_node_is_constant(w->graph, b, &c) || c >= 0.0 || !isfinite(c)) {
    CAROM_EMIT(w, NODE(a, CAROM_BIND_SUM), TEXT(" + "), NODE(b, CAROM_BIND_PRODUCT));
    return;
  }
  write_number(w, -c);
  CAROM_EMIT(w, NODE(a, CAROM_BIND_SUM), TEXT(" - "));
}

static void write_mul(carom_writer *w, carom_node node) {
  carom_node a, b;
  int n;
  if (carom_node_is_power(w->graph, node, &a, &n)) {
    const char *exponent = carom_writer_format(w, "^{%d}", n);
    if (command_of(carom_node_op(w->graph, a)))
      write_function(w, a, exponent);
    else
      CAROM_EMIT(w, NODE(a, CAROM_BIND_ATOM), TEXT(exponent));
    return;
  }
  carom_writing_order(w->graph, node, &a, &b);
  CAROM_EMIT(w, NODE(a, CAROM_BIND_PRODUCT), TEXT(" "), NODE(b, CAROM_BIND_PRODUCT));
}

static void write_operation(carom_writer *w, carom_node node, carom_op op) {
  int table = carom_node_table_index(w->graph, node);
  const char *name = table >= 0 ? carom_graph_table(w->graph, table)->name : "";
  if (command_of(op))
    write_function(w, node, "");
  else
    carom_writer_fill(w, carom_operation_of(op)->latex + 1, node, operand_of(w, node, 0),
                      operand_of(w, node, 1), write_word(w, name, strlen(name)));
}

static void write_node(carom_writer *w, carom_node node) {
  carom_op op = carom_node_op(w->graph, node);
  double value;
  switch (op) {
  case CAROM_OP_CONST:
    (void)carom_node_is_constant(w->graph, node, &value);
    write_number(w, value);
    return;
  case CAROM_OP_SYMBOL: write_name(w, carom_node_as_symbol(w->graph, node)->name); return;
  case CAROM_OP_ADD: write_add(w, node); return;
  case CAROM_OP_MUL: write_mul(w, node); return;
  default: write_operation(w, node, op); return;
  }
}

static void expand_node(carom_writer *w, carom_node node, int need) {
  if (binding_of(w, node) < need)
    CAROM_EMIT(w, TEXT("\\left("), NODE(node, CAROM_BIND_ANY), TEXT("\\right)"));
  else
    write_node(w, node);
}

char *carom_node_latex(carom_arena *arena, const carom_graph *graph, carom_node node,
                       size_t limit) {
  if (!node) return carom_arena_text(arena, "", 0);
  carom_writer writer = {.arena = arena, .graph = graph, .expand = expand_node};
  return carom_writer_run(&writer, node, limit);
}
