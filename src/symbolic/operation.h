// SPDX-License-Identifier: MIT
/// The table of operations (operations.h) as data, and what each operation means for numbers: the
/// one definition behind constant folding, carom_node_evaluate and the register programs, so that
/// all of them give the same bits. NaN always propagates through sign, min and max; a NaN condition
/// counts as true.
#ifndef CAROM_SYMBOLIC_OPERATION_H
#define CAROM_SYMBOLIC_OPERATION_H

#include "base/elementary.h"
#include "symbolic/graph.h"
#include "symbolic/table.h"

#include <math.h>

/// How the Taylor coefficients of an operation come.
typedef enum carom_series_rule {
  CAROM_SERIES_NO_SERIES,
  CAROM_SERIES_BY_RECURRENCE, // its own, in series.c
  CAROM_SERIES_BY_SLOPE,      // from the derivative
  CAROM_SERIES_FLAT           // constant while the modes stay
} carom_series_rule;

/// CAROM_COMMUTES ...: bits of carom_operation.traits
enum {
#define X(name) CAROM_BIT_##name,
  CAROM_TRAIT_LIST(X)
#undef X
#define X(name) CAROM_##name = 1 << CAROM_BIT_##name,
      CAROM_TRAIT_LIST(X)
#undef X
};

/// A row of the table; operations.h says what the fields mean.
typedef struct carom_operation {
  const char *name;
  int arity;
  const char *text, *latex, *derivative, *smooth;
  carom_series_rule series;
  unsigned traits;
  const char *help, *example;
} carom_operation;

extern const carom_operation carom_operations[CAROM_OP_COUNT];

static inline const carom_operation *carom_operation_of(carom_op op) {
  return &carom_operations[op];
}
static inline bool carom_op_has(carom_op op, unsigned trait) {
  return (carom_operations[op].traits & trait) != 0;
}
static inline bool carom_op_is_sampled(carom_op op) {
  return op == CAROM_OP_TABLE || op == CAROM_OP_SLOPE || op == CAROM_OP_CURVE;
}

/// The operation that is written so; CAROM_OP_COUNT when there is none.
carom_op carom_op_named(const char *name, size_t length);

static inline double carom_sign(double a) {
  return a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : a == 0.0 ? 0.0 : a;
}
static inline double carom_min_of(double a, double b) { return a < b || a != a ? a : b; }
static inline double carom_max_of(double a, double b) { return a > b || a != a ? a : b; }

/// a^y, with the short cuts of CAROM_SHORT_POWERS.
static inline double carom_power(double a, double y) {
  if (y == 2.0) return a * a;
#define X(name, exponent, value, code, bounds)                                                     \
  if (y == (exponent)) return value;
  CAROM_SHORT_POWERS(X)
#undef X
  if (y == 0.5) return sqrt(a);
  return carom_pow(a, y);
}

// rows of the table as cases of a switch over their values
#define CAROM_VALUE_LEAF(NAME, name)
#define CAROM_VALUE_PLAIN(NAME, name, arity, value, ...) CAROM_VALUE(NAME, value)
#define CAROM_VALUE_CALL(NAME, stem, ...) CAROM_VALUE(NAME, carom_##stem(a))
#define CAROM_VALUE_PAIR(NAME, name, stem, ...) CAROM_VALUE(NAME, carom_##stem(a, b))
#define CAROM_VALUE_SAMPLED(NAME, name, stem, ...) CAROM_VALUE(NAME, carom_table_##stem(table, a))
#define CAROM_VALUE(NAME, value)                                                                   \
  case CAROM_OP_##NAME: return value;

/// The value of `op` for operand values; unused operands are ignored, `table` is that of a sampled
/// function. NaN for CONST and SYMBOL.
static inline double carom_operation_value(carom_op op, const carom_table *table, double a,
                                           double b, double c) {
  switch (op) {
    CAROM_OPERATIONS(CAROM_VALUE_LEAF, CAROM_VALUE_PLAIN, CAROM_VALUE_CALL, CAROM_VALUE_PAIR,
                     CAROM_VALUE_SAMPLED)
  default: return (double)NAN;
  }
}

#endif
