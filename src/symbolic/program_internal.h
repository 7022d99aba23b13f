// SPDX-License-Identifier: MIT
/// The inside of a register program, shared by its compiler and the four ways of running it.
#ifndef CAROM_SYMBOLIC_PROGRAM_INTERNAL_H
#define CAROM_SYMBOLIC_PROGRAM_INTERNAL_H

#include "symbolic/operation.h"
#include "symbolic/program.h"
#include "symbolic/table.h"

/// Fused instructions. Each does exactly the rounded operations of the nodes it replaces, in the
/// same order; what it saves is dispatch and the trips of intermediate values through memory.
#define CAROM_FUSED_LIST(X)                                                                        \
  X(MULADD, (a * b) + c)                                                                           \
  X(MULSUB, (a * b) - c)                                                                           \
  X(SUBFROM_MUL, c - a * b)                                                                        \
  X(MULMULADD, (a * b) + (c * d))                                                                  \
  X(MULMULSUB, (a * b) - (c * d))                                                                  \
  X(ADDMUL_ADDMUL, (e + a * b) + c * d)                                                            \
  X(SUBMUL_ADDMUL, (e - a * b) + c * d)                                                            \
  X(ADDMUL_SUBMUL, (e + a * b) - c * d)                                                            \
  X(SUBMUL_SUBMUL, (e - a * b) - c * d)                                                            \
  X(ADDMULADD, (a + b) * c + d)                                                                    \
  X(SUBMULADD, (a - b) * c + d)                                                                    \
  X(ADDMULSUB, (a + b) * c - d)                                                                    \
  X(SUBMULSUB, (a - b) * c - d)                                                                    \
  X(MULADDMUL, (a * b + c) * d)                                                                    \
  X(MULADDADD, (a * b + c) + d)                                                                    \
  X(SUBFROM_MUL_ADD, (c - a * b) + d)                                                              \
  X(SUBFROM_MUL_MUL, (c - a * b) * d)                                                              \
  X(MULSUBADD, (a * b - c) + d)                                                                    \
  X(SUBFROM_MULADD, c - (a * b + d))                                                               \
  X(ADDMUL, (a + b) * c)                                                                           \
  X(SUBMUL, (a - b) * c)                                                                           \
  X(ADDADD, (a + b) + c)                                                                           \
  X(SUBADD, (a - b) + c)                                                                           \
  X(ADDSUB, (a + b) - c)                                                                           \
  X(SUBSUB, (a - b) - c)                                                                           \
  X(SUBFROM_ADD, c - (a + b))                                                                      \
  X(SUBFROM_SUB, c - (a - b))                                                                      \
  X(MULMUL, (a * b) * c)                                                                           \
  X(MULDIV, (a * b) / c)                                                                           \
  X(DIVMUL, c / (a * b))                                                                           \
  X(MULNEG, -(a * b))                                                                              \
  X(CUBE, (a * a) * a)                                                                             \
  X(FOURTH, (a * a) * (a * a))                                                                     \
  X(INVERSE, 1.0 / a)                                                                              \
  X(INVERSE_SQUARE, 1.0 / (a * a))                                                                 \
  X(THREE_HALVES, (a * sqrt(a)))

/// Plain operations that are a few machine instructions, in the operand values a, b, c.
/// The meaning is that of carom_operation_value, written out for the vectoriser.
#define CAROM_PLAIN_LIST(X)                                                                        \
  X(ADD, a + b)                                                                                    \
  X(SUB, a - b)                                                                                    \
  X(MUL, (a * b))                                                                                  \
  X(DIV, a / b)                                                                                    \
  X(NEG, -a)                                                                                       \
  X(SQRT, sqrt(a))                                                                                 \
  X(ABS, fabs(a))                                                                                  \
  X(SIGN, carom_sign_of(a))                                                                        \
  X(MIN, carom_min_of(a, b))                                                                       \
  X(MAX, carom_max_of(a, b))                                                                       \
  X(LT, a < b ? 1.0 : 0.0)                                                                         \
  X(LE, a <= b ? 1.0 : 0.0)                                                                        \
  X(GT, a > b ? 1.0 : 0.0)                                                                         \
  X(GE, a >= b ? 1.0 : 0.0)                                                                        \
  X(EQ, a == b ? 1.0 : 0.0)                                                                        \
  X(NE, a != b ? 1.0 : 0.0)                                                                        \
  X(AND, ((a != 0.0) & (b != 0.0)) ? 1.0 : 0.0)                                                    \
  X(OR, ((a != 0.0) | (b != 0.0)) ? 1.0 : 0.0)                                                     \
  X(NOT, a == 0.0 ? 1.0 : 0.0)                                                                     \
  X(IF, a != 0.0 ? b : c)

/// Operations of one operand that are calls: carom_NAME, carom_NAME_lanes, carom_interval_NAME.
#define CAROM_CALL_LIST(X)                                                                         \
  X(CBRT, cbrt)                                                                                    \
  X(EXP, exp)                                                                                      \
  X(LOG, log)                                                                                      \
  X(SIN, sin)                                                                                      \
  X(COS, cos)                                                                                      \
  X(TAN, tan)                                                                                      \
  X(ASIN, asin)                                                                                    \
  X(ACOS, acos)                                                                                    \
  X(ATAN, atan)                                                                                    \
  X(SINH, sinh)                                                                                    \
  X(COSH, cosh)                                                                                    \
  X(TANH, tanh)

/// Codes of instructions: the operations of the graph, then those only programs know.
enum {
#define X(name, value) CAROM_CODE_##name,
  CAROM_CODE_FIRST_ = CAROM_OP_COUNT - 1,
  CAROM_FUSED_LIST(X)
#undef X
      CAROM_CODE_SINCOS, // to = sin a, d = register of cos a
  CAROM_CODE_SIN_MUL,    // sin(a b)
  CAROM_CODE_COS_MUL,
  CAROM_CODE_POW_GENERAL, // exponent is a constant without a short cut
  CAROM_CODE_COUNT
};

/// Registers are 16-bit: a program that needs more is refused.
enum { CAROM_PROGRAM_MAX_REGISTERS = 65535 };

/// One instruction: `to` never is one of the operands a to e; those it does not have repeat a.
typedef struct carom_instruction {
  uint16_t code, to, a, b, c, d, e;
  uint16_t table; // of TABLE, SLOPE, CURVE
} carom_instruction;

/// A run of instructions and, in parallel, the node each one computes.
typedef struct carom_code {
  carom_instruction *items;
  carom_node *nodes;
  int count;
} carom_code;

/// Machine code of a body, see native.h: through the work array; and with arrays for states and
/// outputs, which returns 0 when all outputs are finite, else NaN.
typedef struct carom_native {
  void (*run)(double *work);
  carom_program_code *evaluate;
} carom_native;

struct carom_program {
  carom_code setup, body;
  carom_table *tables;
  int input_count, constant_count, output_count, register_count;
  int state_first, state_count; // the inputs that are coordinates, rates and states
  carom_node *input_nodes, *constant_nodes;
  double *constants; // live in registers input_count ...
  uint16_t *outputs;
  bool wide; // the machine has AVX2
  carom_native native;
};

/// Runs instructions [first, last) of `code` for one state.
void carom_code_run(const carom_program *program, const carom_code *code, int first, int last,
                    double *work);

#endif
