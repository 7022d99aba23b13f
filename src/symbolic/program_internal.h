// SPDX-License-Identifier: MIT
/// The inside of a register program, shared by its compiler and the four ways of running it.
#ifndef CAROM_SYMBOLIC_PROGRAM_INTERNAL_H
#define CAROM_SYMBOLIC_PROGRAM_INTERNAL_H

#include "symbolic/operation.h"
#include "symbolic/program.h"

/// Codes of instructions: the operations of the graph, then those only programs know.
enum {
  CAROM_CODE_FIRST_ = CAROM_OP_COUNT - 1,
#define X(name, ...) CAROM_CODE_##name,
  CAROM_FUSED_LIST(X) CAROM_CODE_FUSED_END,
  CAROM_CODE_BEFORE_POWERS_ = CAROM_CODE_FUSED_END - 1,
  CAROM_SHORT_POWERS(X)
#undef X
      CAROM_CODE_SINCOS, // to = sin a, d = register of cos a
  CAROM_CODE_SIN_MUL,    // sin(a b)
  CAROM_CODE_COS_MUL,
  CAROM_CODE_POW_GENERAL, // exponent is a constant without a short cut
  CAROM_CODE_COUNT
};

/// What instructions compute, in postfix notation; NULL: they call a function. a to e push an
/// operand, 0 and 1 a number; + - * / are the operations; s is sqrt, n changes the sign, m takes
/// the modulus; < [ = ! compare (less, less or equal, equal, not equal) and leave a mask; & | join
/// masks, B makes 1.0 or 0.0 of one; ? chooses by mask.
extern const char *const carom_formulas[CAROM_CODE_COUNT];

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
