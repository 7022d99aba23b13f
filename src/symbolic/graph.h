// SPDX-License-Identifier: MIT
/// Expressions as a hash-consed graph: equal expressions are one node, so comparison is `==`,
/// sharing is free, and differentiation never repeats itself. Nodes are made by the carom_node_*
/// functions, which fold constants and apply exact identities (x+0, x*1, x*0, --x, x-x, x^1 ...).
#ifndef CAROM_SYMBOLIC_GRAPH_H
#define CAROM_SYMBOLIC_GRAPH_H

#include "base/arena.h"
#include "base/error.h"
#include "symbolic/operations.h"

#include <stdint.h>

/// Index of a node in its graph. 0 is "no node": every function given it returns it, and so does
/// every function that fails (out of memory, size limit); carom_graph_status tells which.
typedef uint32_t carom_node;

/// The operations of the table. The order of operands is as written: IF a ? b : c, ATAN2 y x, POW
/// base exponent. Comparisons and logic give 1 or 0; a condition holds when it is non-zero. TABLE
/// is a sampled function, SLOPE its first derivative, CURVE its second.
typedef enum carom_op {
#define X(NAME, ...) CAROM_OP_##NAME,
  CAROM_OPERATIONS(X, X, X, X, X)
#undef X
      CAROM_OP_COUNT
} carom_op;

/// What a symbol stands for. PARAMETER values stay fixed during a run: what depends on them alone
/// is computed once. MODE symbols are the branch signs that replace kinks (see kink.h).
typedef enum carom_symbol_kind {
  CAROM_SYMBOL_PARAMETER,
  CAROM_SYMBOL_TIME,
  CAROM_SYMBOL_COORDINATE,   // q_i
  CAROM_SYMBOL_RATE,         // q_i'
  CAROM_SYMBOL_ACCELERATION, // q_i'', only in derived quantities
  CAROM_SYMBOL_STATE,        // z_i, first order
  CAROM_SYMBOL_STATE_RATE,   // z_i'
  CAROM_SYMBOL_MODE,         // +1 or -1, fixed between events
  CAROM_SYMBOL_REDUCER,      // value known after the run: mean(...), max(...)
  CAROM_SYMBOL_OTHER         // normal force, slip speed, an event's own values ...
} carom_symbol_kind;

typedef struct carom_symbol {
  const char *name; // as printed: "theta", "theta'", "Gamma"
  carom_symbol_kind kind;
  int index;       // number within its kind, in order of declaration
  carom_node node; // its own node
  bool kept;       // constant but for events: a counter, a gear
} carom_symbol;

/// A sampled function: monotone cubic through the points, constant slope 0 outside (clamped).
typedef struct carom_table {
  const char *name;
  int count;
  const double *x, *y, *slope; // x strictly increasing
} carom_table;

typedef struct carom_graph carom_graph;

enum {
  CAROM_GRAPH_MAX_NODES = 2000000, // a graph larger than this is refused
  CAROM_PARSE_MAX_DEPTH = 200      // nesting of a written expression
};

/// A new graph whose memory comes from `arena`. NULL when out of memory.
carom_graph *carom_graph_create(carom_arena *arena);

/// CAROM_OK, or why the first node could not be made (CAROM_ERR_MEMORY, CAROM_ERR_LIMIT).
carom_status carom_graph_status(const carom_graph *graph);
int carom_graph_count(const carom_graph *graph); // nodes are 1 .. count

carom_node carom_node_constant(carom_graph *graph, double value);
/// A constant that was written with a unit, whose number (not negative) is the caller's affair.
carom_node carom_node_measured(carom_graph *graph, double value, int unit);
/// The unit of such a constant; negative: there is none. Only sums of it with others and its
/// negative keep it: in products it is not known any more.
int carom_node_measure(const carom_graph *graph, carom_node node);
/// Declares a symbol (name copied). A name is declared once; the caller checks for duplicates.
carom_node carom_node_symbol(carom_graph *graph, const char *name, carom_symbol_kind kind);
/// Says of a symbol that nothing but events changes it.
void carom_symbol_keep(carom_graph *graph, carom_node symbol);
/// A node of the given operation; unused operands are 0. Folds and simplifies. Not for CONST,
/// SYMBOL, TABLE, SLOPE, CURVE. Never folds to infinity or NaN: 1/0 stays as written.
carom_node carom_node_make(carom_graph *graph, carom_op op, carom_node a, carom_node b,
                           carom_node c);
carom_node carom_node_table(carom_graph *graph, int table, carom_node x);
/// Registers a table (data copied, slopes computed); returns its number or -1.
int carom_graph_add_table(carom_graph *graph, const char *name, int count, const double *x,
                          const double *y);

// short forms
carom_node carom_add(carom_graph *graph, carom_node a, carom_node b);
carom_node carom_sub(carom_graph *graph, carom_node a, carom_node b);
carom_node carom_mul(carom_graph *graph, carom_node a, carom_node b);
carom_node carom_div(carom_graph *graph, carom_node a, carom_node b);
carom_node carom_neg(carom_graph *graph, carom_node a);

/// Looking at nodes. Operand k of a node is 0 when the operation has fewer.
carom_op carom_node_op(const carom_graph *graph, carom_node node);
carom_node carom_node_operand(const carom_graph *graph, carom_node node, int k);
bool carom_node_is_constant(const carom_graph *graph, carom_node node, double *value);
const carom_symbol *carom_node_as_symbol(const carom_graph *graph, carom_node node); // or NULL
int carom_node_symbol_index(const carom_graph *graph, carom_node node); // among all; or -1
int carom_graph_symbol_count(const carom_graph *graph);
const carom_symbol *carom_graph_symbol(const carom_graph *graph, int k);
int carom_graph_table_count(const carom_graph *graph);
const carom_table *carom_graph_table(const carom_graph *graph, int k);
int carom_node_table_index(const carom_graph *graph,
                           carom_node node); // of TABLE, SLOPE, CURVE; or -1

/// Name and number of operands; operation.h has the rest of the table.
const char *carom_op_name(carom_op op);
int carom_op_arity(carom_op op);

/// Does `node` depend on symbol node `symbol`? On any symbol of a kind (bit mask 1u << kind)?
bool carom_node_depends(const carom_graph *graph, carom_node node, carom_node symbol);
bool carom_node_depends_kind(const carom_graph *graph, carom_node node, unsigned kinds);

/// Exact partial derivative with respect to a symbol node; shared and memoised.
/// abs, min, max, if differentiate piecewise; sign and comparisons have derivative 0.
carom_node carom_node_derivative(carom_graph *graph, carom_node node, carom_node symbol);

/// The rate of `node` where `symbols` change at `rates` and all others stand still: the chain rule
/// from inside outwards, in a few nodes for each that `node` is made of, however many symbols there
/// are.
carom_node carom_node_rate(carom_graph *graph, carom_node node, int count,
                           const carom_node *symbols, const carom_node *rates);

/// Replaces symbol nodes `from[k]` by `to[k]` (any nodes) everywhere in `node`, at once.
carom_node carom_node_substitute(carom_graph *graph, carom_node node, int count,
                                 const carom_node *from, const carom_node *to);

/// Value for a given value of each symbol (indexed as carom_graph_symbol); for few evaluations:
/// the register program is for many. Uses the same elementary functions: same bits.
double carom_node_evaluate(const carom_graph *graph, carom_node node, const double *symbol_values,
                           carom_error *error);

#endif
