// SPDX-License-Identifier: MIT
/// The formulas of CAROM_FUSED_LIST for doubles a to e.
#ifndef CAROM_SYMBOLIC_FUSED_NUMBERS_H
#define CAROM_SYMBOLIC_FUSED_NUMBERS_H

#define A a
#define B b
#define C c
#define D d
#define E e
#define ADD(x, y) ((x) + (y))
#define SUB(x, y) ((x) - (y))
#define MUL(x, y) ((x) * (y))
#define DIV(x, y) ((x) / (y))
#define NEG(x) (-(x))

#endif
