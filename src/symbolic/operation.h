// SPDX-License-Identifier: MIT
/// What each operation of an expression means for numbers: the one definition behind constant
/// folding, carom_node_evaluate and the register programs, so that all of them give the same bits.
/// NaN always propagates through sign, min and max; a NaN condition counts as true.
#ifndef CAROM_SYMBOLIC_OPERATION_H
#define CAROM_SYMBOLIC_OPERATION_H

#include "base/elementary.h"
#include "symbolic/graph.h"

#include <math.h>

static inline double carom_sign_of(double a) {
  return a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : a == 0.0 ? 0.0 : a;
}
static inline double carom_min_of(double a, double b) { return a < b || a != a ? a : b; }
static inline double carom_max_of(double a, double b) { return a > b || a != a ? a : b; }

/// x^y. The exponents people write are products and roots, which are faster and as exact as pow:
/// 2, 3, 4, -1, -2, 1/2, 3/2.
static inline double carom_power(double x, double y) {
  if (y == 2.0) return x * x;
  if (y == 3.0) return x * x * x;
  if (y == 4.0) return (x * x) * (x * x);
  if (y == -1.0) return 1.0 / x;
  if (y == -2.0) return 1.0 / (x * x);
  if (y == 0.5) return sqrt(x);
  if (y == 1.5) return x * sqrt(x);
  return carom_pow(x, y);
}

/// The value of `op` for operand values; unused operands are ignored. Not for CONST, SYMBOL and the
/// operations on tables (see table.h), which give NaN.
static inline double carom_operation_value(carom_op op, double a, double b, double c) {
  switch (op) {
  case CAROM_OP_ADD: return a + b;
  case CAROM_OP_SUB: return a - b;
  case CAROM_OP_MUL: return a * b;
  case CAROM_OP_DIV: return a / b;
  case CAROM_OP_NEG: return -a;
  case CAROM_OP_POW: return carom_power(a, b);
  case CAROM_OP_SQRT: return sqrt(a);
  case CAROM_OP_CBRT: return carom_cbrt(a);
  case CAROM_OP_EXP: return carom_exp(a);
  case CAROM_OP_LOG: return carom_log(a);
  case CAROM_OP_SIN: return carom_sin(a);
  case CAROM_OP_COS: return carom_cos(a);
  case CAROM_OP_TAN: return carom_tan(a);
  case CAROM_OP_ASIN: return carom_asin(a);
  case CAROM_OP_ACOS: return carom_acos(a);
  case CAROM_OP_ATAN: return carom_atan(a);
  case CAROM_OP_ATAN2: return carom_atan2(a, b);
  case CAROM_OP_SINH: return carom_sinh(a);
  case CAROM_OP_COSH: return carom_cosh(a);
  case CAROM_OP_TANH: return carom_tanh(a);
  case CAROM_OP_ABS: return fabs(a);
  case CAROM_OP_SIGN: return carom_sign_of(a);
  case CAROM_OP_MIN: return carom_min_of(a, b);
  case CAROM_OP_MAX: return carom_max_of(a, b);
  case CAROM_OP_LT: return a < b ? 1.0 : 0.0;
  case CAROM_OP_LE: return a <= b ? 1.0 : 0.0;
  case CAROM_OP_GT: return a > b ? 1.0 : 0.0;
  case CAROM_OP_GE: return a >= b ? 1.0 : 0.0;
  case CAROM_OP_EQ: return a == b ? 1.0 : 0.0;
  case CAROM_OP_NE: return a != b ? 1.0 : 0.0;
  case CAROM_OP_AND: return a != 0.0 && b != 0.0 ? 1.0 : 0.0;
  case CAROM_OP_OR: return a != 0.0 || b != 0.0 ? 1.0 : 0.0;
  case CAROM_OP_NOT: return a == 0.0 ? 1.0 : 0.0;
  case CAROM_OP_IF: return a != 0.0 ? b : c;
  default: return (double)NAN;
  }
}

#endif
