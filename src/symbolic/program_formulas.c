// SPDX-License-Identifier: MIT
// The formulas of instructions: those of the table, and compositions written out as text.
#include "symbolic/program_internal.h"

#define LEAF(NAME, name)
#define PLAIN(NAME, name, arity, value, code, ...) [CAROM_OP_##NAME] = (code),
#define NONE(NAME, ...)
#define SHORT_POWER(NAME, exponent, value, code, bounds) [CAROM_CODE_##NAME] = (code),
#define FUSED(NAME, code) [CAROM_CODE_##NAME] = code,
#define A "a"
#define B "b"
#define C "c"
#define D "d"
#define E "e"
#define ADD(x, y) x y "+"
#define SUB(x, y) x y "-"
#define MUL(x, y) x y "*"
#define DIV(x, y) x y "/"
#define NEG(x) x "n"
// texts side by side are one text, which cppcheck takes for an unknown macro
// clang-format off
const char *const carom_formulas[CAROM_CODE_COUNT] = {
    [CAROM_CODE_SIN_MUL] = "ab*", // the argument; a call follows
    [CAROM_CODE_COS_MUL] = "ab*",
    CAROM_OPERATIONS(LEAF, PLAIN, NONE, NONE, NONE)
    CAROM_SHORT_POWERS(SHORT_POWER)
    // cppcheck-suppress unknownMacro
    CAROM_FUSED_LIST(FUSED)
};
// clang-format on
