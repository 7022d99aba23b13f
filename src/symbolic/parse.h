// SPDX-License-Identifier: MIT
/// Written expressions to graph nodes. Grammar, loosest first:
///   or, and, not, comparison (one, not chained), + -, * /, unary -, ^ (right), postfix ' and deg.
/// Literals: 1, 1.5e-3, 5 deg, pi; and where the scope knows units 2 s, 3 mm/s, which can be
/// compared and added. `x'` is the time derivative of a coordinate, state or definition. `deg`
/// alone is pi/180, so theta/deg is in degrees. Names are letters (Latin or Greek), digits, _, with
/// dots between parts: left.gap. min and max take two or more arguments; with one they are the
/// scope's to explain (the largest value of a run). No expression has a side effect; it can only do
/// arithmetic.
#ifndef CAROM_SYMBOLIC_PARSE_H
#define CAROM_SYMBOLIC_PARSE_H

#include "carom/keys.h"
#include "symbolic/graph.h"

/// What names and derivatives mean is the caller's affair.
typedef struct carom_parse_scope {
  carom_graph *graph;
  void *ctx;
  /// The node of a name, or 0 when it is unknown; may set `error` itself (a cyclic definition),
  /// otherwise the parser reports an unknown name with a suggestion from `names`.
  carom_node (*lookup)(void *ctx, const char *name, carom_place place, carom_error *error);
  /// The time derivative written with ' of any expression; 0 with `error` set when not allowed
  /// here.
  carom_node (*prime)(void *ctx, carom_node node, carom_place place, carom_error *error);
  /// A call of a function that is not elementary: table("file.csv", x), mean(x), at(section, x).
  /// Arguments come as source text; returns 0 without setting `error` when the name is unknown.
  /// The callee parses arguments itself with carom_parse at the places given. Nullable.
  carom_node (*call)(void *ctx, const char *name, int count, const char *const *arguments,
                     const carom_place *argument_places, carom_place place, carom_error *error);
  /// Known names for suggestions; returns how many were written (at most `room`). Nullable.
  int (*names)(void *ctx, const char **names, int room);
  /// The number with a unit that `text` begins with (carom_node_measured) and its `length`; 0
  /// without setting `error` when no unit stands behind the number. Nullable.
  carom_node (*measured)(void *ctx, const char *text, carom_place place, size_t *length,
                         carom_error *error);
} carom_parse_scope;

/// Parses the whole of `text`, whose first character stands at `place`. Returns 0 and fills `error`
/// (place of the offending character, what was expected, the nearest known name) when it is wrong.
carom_node carom_parse(const carom_parse_scope *scope, const char *text, carom_place place,
                       carom_error *error);

/// Is `name` an elementary function or reserved word (pi, deg, and, or, not, if) that no quantity
/// may be called? floor, mod and step may: only floor(...) is the function.
bool carom_parse_reserved(const char *name);

/// Function or constant number k of the language, functions first; false beyond the last.
bool carom_parse_function(int k, carom_expression_function *read);

/// The node in the same grammar, readable and exact: read back in the same graph it is the same
/// node. Tables are written table("name", x), slope("name", x), curve("name", x). Or as LaTeX. The
/// text belongs to `arena`; NULL when out of memory. Printing stops with "..." beyond `limit`
/// characters (0: none).
char *carom_node_text(carom_arena *arena, const carom_graph *graph, carom_node node, size_t limit);
char *carom_node_latex(carom_arena *arena, const carom_graph *graph, carom_node node, size_t limit);

#endif
