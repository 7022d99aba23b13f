// SPDX-License-Identifier: MIT
/// Machine code for the body of a register program, for one state. Each instruction becomes the
/// SSE2 instructions of its rounded operations, in the interpreter's order and on the same work
/// array, and calls the same elementary functions: the bits are those of the interpreter.
#ifndef CAROM_SYMBOLIC_NATIVE_H
#define CAROM_SYMBOLIC_NATIVE_H

#include "symbolic/program_internal.h"

/// Writes the code of program->body and lets the arena release it. Empty where there is none: on
/// other machines, without memory, or where the system refuses executable pages; the interpreter
/// then does the work. Pages are writable first and executable afterwards, never both.
carom_native carom_native_compile(carom_arena *arena, const carom_program *program);

#endif
