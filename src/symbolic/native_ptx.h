// SPDX-License-Identifier: MIT
/// Programs as PTX, the assembly text of NVIDIA's cards: the rounded operations of the interpreter
/// in its order, so that a card computes its bits. Elementary functions are called by the names
/// CAROM_PTX_FUNCTION("sin") ..., which the engine's own PTX defines (src/device/thread_codes.c).
#ifndef CAROM_SYMBOLIC_NATIVE_PTX_H
#define CAROM_SYMBOLIC_NATIVE_PTX_H

#include "symbolic/program.h"

#define CAROM_PTX_FUNCTION(stem) "carom_called_" stem

/// A text that grows in an arena. Start from {.arena = ...}.
typedef struct carom_ptx {
  carom_arena *arena;
  char *text;
  size_t size, room;
  bool broken; // out of memory on the way
} carom_ptx;

void carom_ptx_put(carom_ptx *ptx, const char *format, ...) CAROM_PRINTF(2, 3);

/// The beginning of a module: version and target, and what its functions may call.
void carom_ptx_begin(carom_ptx *ptx);
/// The functions there are of a program: see carom_native.
typedef struct carom_ptx_functions {
  bool run, evaluate;
} carom_ptx_functions;
/// Adds the functions NAME_run and NAME_evaluate. Neither where the interpreter has to do: the
/// program looks into tables, or is so long that compiling it would take long; of long ones, which
/// are series, the second alone.
carom_ptx_functions carom_program_ptx(const carom_program *program, const char *name,
                                      carom_ptx *ptx);

/// The work of a program is done by these functions from now on, wherever they lie: for a program
/// that was brought to a card. 0: by the interpreter.
typedef struct carom_program_codes {
  uint64_t run, evaluate;
} carom_program_codes;
void carom_program_adopt(carom_program *program, const carom_program_codes *codes);

#endif
