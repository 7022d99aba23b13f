// SPDX-License-Identifier: MIT
/// The table of operations: what every operation of expressions is, for all that works with them.
/// Constant folding, register programs (interpreter, intervals, machine code), derivatives,
/// kinks, series, text and LaTeX are made from it: a new operation is one row. CONTRIBUTING.md
/// walks through one.
///
/// A row begins with what the operation is for numbers:
///   PLAIN(NAME, name, arity, value, code, bounds, ...)  a few machine instructions: `value` of the
///       numbers a, b, c; `code` is the same in postfix notation (native.c); `bounds` the same of
///       intervals, where `same` says that a and b are one register
///   CALL(NAME, stem, ...)  a function of one number: carom_STEM,
///       carom_interval_STEM
///   PAIR(NAME, name, stem, bounds, ...)  a function of two numbers: carom_STEM
///   SAMPLED(NAME, name, stem, ...)  a sampled function: carom_table_STEM, carom_table_STEM_bounds
/// and goes on with
///   text, latex   how it is written; NULL: as a function. The first digit tells how tightly it
///                 binds (CAROM_BIND_ of writer.h); #a is an operand and #a5 one that must bind as
///                 tightly as 5, else it gets brackets; #t is the name of a table. LaTeX without a
///                 digit is the command of a function.
///   derivative    a rule in postfix notation (rule.h): a, b, c are the operands, f is the node
///                 itself, a', b', c' the derivatives of the operands
///   smooth        a rule for the branch that is followed between events (kink.h), where there are
///                 several: `side` takes u and gives the sign of u as a mode, `positive` gives 1
///                 where u > 0 and 0 elsewhere, `reached` 1 where u >= 0, `level` 1 where u
///                 stays at 0, `truth` replaces a varying condition by 1
///   series        how its Taylor coefficients come (series.c): BY_RECURRENCE of its own, BY_SLOPE
///                 from its derivative, FLAT where it is constant between events, NO_SERIES
///   traits        of CAROM_TRAIT_LIST
///   help, example one line each for users; NULL where it is no function that they write
#ifndef CAROM_SYMBOLIC_OPERATIONS_H
#define CAROM_SYMBOLIC_OPERATIONS_H

// clang-format off

/// What the simplifier, the parser and those who watch functions may rely on.
#define CAROM_TRAIT_LIST(X)                                                                        \
  X(COMMUTES)     /* f(a, b) = f(b, a) */                                                          \
  X(ODD)          /* f(-a) = -f(a) */                                                              \
  X(EVEN)         /* f(-a) = f(a) */                                                               \
  X(NOT_NEGATIVE) /* f >= 0 */                                                                     \
  X(COMPARES)     /* 1 or 0 by the order of two numbers */                                         \
  X(TRUTH)        /* 1 or 0 */                                                                     \
  X(TOTAL)        /* has a finite value wherever its operands have */                              \
  X(CHAIN)        /* of three and more arguments by pairs; of one the scope's affair */            \
  X(FREE_NAME)    /* its name may also be that of a quantity: floor */                             \
  X(ONE_OF_MANY)  /* one of several values that a series may lead to: sqrt(a^2), atan(tan(a)) */

#define CAROM_OPERATIONS(LEAF, PLAIN, CALL, PAIR, SAMPLED)                                           \
  LEAF(CONST, "")                                                                                  \
  LEAF(SYMBOL, "")                                                                                 \
  PLAIN(ADD, "+", 2, a + b, "ab+", carom_interval_add(a, b),                                       \
        "5#a5 + #b6", "5#a5 + #b6", "a' b' +", NULL, BY_RECURRENCE, COMMUTES | TOTAL, NULL, NULL)  \
  PLAIN(SUB, "-", 2, a - b, "ab-", carom_interval_sub(a, b),                                       \
        "5#a5 - #b6", "5#a5 - #b6", "a' b' -", NULL, BY_RECURRENCE, TOTAL, NULL, NULL)             \
  PLAIN(MUL, "*", 2, (a * b), "ab*", same ? carom_interval_square(a) : carom_interval_mul(a, b),   \
        "6#a6*#b7", "6#a6 #b6", "a' b * a b' * +", NULL, BY_RECURRENCE, COMMUTES | TOTAL,          \
        NULL, NULL)                                                                                \
  PLAIN(DIV, "/", 2, a / b, "ab/", carom_interval_div(a, b),                                       \
        "6#a6/#b7", "7\\frac{#a}{#b}", "a' b / f b' * b / -", NULL, BY_RECURRENCE, 0, NULL, NULL)  \
  PLAIN(NEG, "neg", 1, -a, "an", carom_interval_neg(a),                                            \
        "6-#a6", "6-#a6", "a' neg", NULL, BY_RECURRENCE, TOTAL, NULL, NULL)                        \
  PAIR(POW, "^", power, carom_interval_pow(a, b),                                                                            \
        "8#a9^#b7", "8#a9^{#b}", "b a b 1 - ^ * a' * f a log * b' * +", NULL, BY_RECURRENCE, 0,    \
        NULL, NULL)                                                                                \
  PLAIN(SQRT, "sqrt", 1, sqrt(a), "as", carom_interval_sqrt(a),                                    \
        NULL, "9\\sqrt{#a}", "a' 2 f * /", NULL, BY_RECURRENCE,                                    \
        NOT_NEGATIVE | ONE_OF_MANY, "square root", "sqrt(2*g*h)")                                                              \
  CALL(CBRT, cbrt, NULL, "9\\sqrt[3]{#a}", "a' 3 f f * * /",                                \
       "a a side * ramp cbrt a side *", BY_RECURRENCE,                                             \
        ODD | ONE_OF_MANY, "cube root, also of negative numbers", "cbrt(-8)")                                         \
  CALL(EXP, exp, NULL, "8e^{#a}", "f a' *", NULL, BY_RECURRENCE, NOT_NEGATIVE,                     \
        "exponential function", "exp(-t/tau)")                                                     \
  CALL(LOG, log, NULL, "\\ln", "a' a /", NULL, BY_RECURRENCE, 0,                                   \
        "natural logarithm", "log(1 + x)")                                                         \
  CALL(SIN, sin, NULL, "\\sin", "a cos a' *", NULL, BY_RECURRENCE, ODD | TOTAL,                    \
        "sine of an angle in radians", "sin(30 deg)")                                              \
  CALL(COS, cos, NULL, "\\cos", "a sin neg a' *", NULL, BY_RECURRENCE, EVEN | TOTAL,               \
        "cosine", "A*cos(omega*t)")                                                                \
  CALL(TAN, tan, NULL, "\\tan", "1 f f * + a' *", NULL, BY_RECURRENCE, ODD,                        \
        "tangent", "tan(phi)")                                                                     \
  CALL(ASIN, asin, NULL, "\\arcsin", "a' 1 a a * - sqrt /", NULL, NO_SERIES, ODD,                  \
        "inverse sine, -pi/2 to pi/2", "asin(h/L)")                                                \
  CALL(ACOS, acos, NULL, "\\arccos", "a' 1 a a * - sqrt neg /", NULL, NO_SERIES, 0,                \
        "inverse cosine, 0 to pi", "acos(h/L)")                                                    \
  CALL(ATAN, atan, NULL, "\\arctan", "a' 1 a a * + /", NULL, BY_RECURRENCE,                        \
        ODD | ONE_OF_MANY, "inverse tangent, -pi/2 to pi/2", "atan(slope)")                                           \
  PAIR(ATAN2, "atan2", atan2, angle(a, b),                                                                      \
        NULL, "\\operatorname{atan2}", "b a' * a b' * - b b * a a * + /", NULL, NO_SERIES, 0,      \
        "angle of the point (x, y) = (second, first argument), -pi to pi", "atan2(y, x)")          \
  CALL(SINH, sinh, NULL, "\\sinh", "a cosh a' *", NULL, BY_RECURRENCE, ODD,                        \
        "hyperbolic sine", "sinh(x)")                                                              \
  CALL(COSH, cosh, NULL, "\\cosh", "a sinh a' *", NULL, BY_RECURRENCE, EVEN | NOT_NEGATIVE,        \
        "hyperbolic cosine", "cosh(x)")                                                            \
  CALL(TANH, tanh, NULL, "\\tanh", "1 f f * - a' *", NULL, BY_RECURRENCE, ODD,                     \
        "hyperbolic tangent: a smooth sign", "tanh(v/v0)")                                         \
  PLAIN(ABS, "abs", 1, fabs(a), "am", carom_interval_abs(a),                                       \
        NULL, "9\\left|#a\\right|", "a sign a' *", "a side a *", NO_SERIES,                        \
        EVEN | NOT_NEGATIVE | TOTAL, "absolute value", "abs(x - x0)")                              \
  CALL(SIGN, sign, NULL, "\\operatorname{sgn}", "0", "a side", NO_SERIES, ODD,                     \
        "-1, 0 or 1", "sign(v)")                                                                   \
  PLAIN(MIN, "min", 2, carom_min_of(a, b), "ab<aa!|ab?", carom_interval_min(a, b), NULL, "\\min", \
         "a b < a' b' if", "a b - positive b a if", NO_SERIES,       \
        COMMUTES | CHAIN, "the smallest of two or more numbers", "min(a, b, c)")                   \
  PLAIN(MAX, "max", 2, carom_max_of(a, b), "ba<aa!|ab?", carom_interval_max(a, b), NULL, "\\max", \
         "a b > a' b' if", "a b - positive a b if", NO_SERIES,       \
        COMMUTES | CHAIN, "the largest of two or more numbers", "max(0, x)")                       \
  PLAIN(LT, "<", 2, a < b ? 1.0 : 0.0, "ab<B", less(a, b, same),                                   \
        "4#a5 < #b5", "4#a5 < #b5", "0", "b a - positive", NO_SERIES, COMPARES | TRUTH, NULL, NULL) \
  PLAIN(LE, "<=", 2, a <= b ? 1.0 : 0.0, "ab[B", less_equal(a, b, same),                           \
        "4#a5 <= #b5", "4#a5 \\le #b5", "0", "b a - reached", NO_SERIES, COMPARES | TRUTH,         \
        NULL, NULL)                                                                                \
  PLAIN(GT, ">", 2, a > b ? 1.0 : 0.0, "ba<B", less(b, a, same),                                   \
        "4#a5 > #b5", "4#a5 > #b5", "0", "a b - positive", NO_SERIES, COMPARES | TRUTH, NULL, NULL) \
  PLAIN(GE, ">=", 2, a >= b ? 1.0 : 0.0, "ba[B", less_equal(b, a, same),                           \
        "4#a5 >= #b5", "4#a5 \\ge #b5", "0", "a b - reached", NO_SERIES, COMPARES | TRUTH,         \
        NULL, NULL)                                                                                \
  PLAIN(EQ, "==", 2, a == b ? 1.0 : 0.0, "ab=B", equal(a, b, same),                                \
        "4#a5 == #b5", "4#a5 = #b5", "0", "a b - level", NO_SERIES,                                \
        COMMUTES | COMPARES | TRUTH, NULL, NULL)                                                   \
  PLAIN(NE, "!=", 2, a != b ? 1.0 : 0.0, "ab!B", not_equal(a, b, same),                            \
        "4#a5 != #b5", "4#a5 \\ne #b5", "0", "a b - level not", NO_SERIES,                         \
        COMMUTES | COMPARES | TRUTH, NULL, NULL)                                                   \
  PLAIN(AND, "and", 2, ((a != 0.0) & (b != 0.0)) ? 1.0 : 0.0, "a0!b0!&B", both(a, b),              \
        "2#a2 and #b3", "2#a2 \\land #b2", "0", "a truth b truth and", NO_SERIES,                  \
        COMMUTES | TRUTH, NULL, NULL)                                                              \
  PLAIN(OR, "or", 2, ((a != 0.0) | (b != 0.0)) ? 1.0 : 0.0, "a0!b0!|B", either(a, b),              \
        "1#a1 or #b2", "1#a1 \\lor #b1", "0", "a truth b truth or", NO_SERIES,                     \
        COMMUTES | TRUTH, NULL, NULL)                                                              \
  PLAIN(NOT, "not", 1, a == 0.0 ? 1.0 : 0.0, "a0=B", neither(a),                                   \
        "3not #a3", "3\\lnot #a9", "0", "a truth not", NO_SERIES, TRUTH, NULL, NULL)               \
  PLAIN(IF, "if", 3, a != 0.0 ? b : c, "a0!bc?", choose(a, b, c), NULL,                            \
        "4\\begin{cases} #b & \\text{if } #a \\\\ #c & \\text{otherwise} \\end{cases}",            \
        "a b' c' if", "a truth b c if", NO_SERIES, 0,                                              \
        "the second argument where the first holds, else the third", "if(x < 0, -k*x, 0)")         \
  SAMPLED(TABLE, "table", value, "9table(\"#t\", #a)", "9#t\\left(#a\\right)", "a slope a' *",       \
        NULL, NO_SERIES, 0, NULL, NULL)                                                            \
  SAMPLED(SLOPE, "slope", slope, "9slope(\"#t\", #a)", "9#t'\\left(#a\\right)", "a curve a' *",      \
        NULL, NO_SERIES, 0, NULL, NULL)                                                            \
  SAMPLED(CURVE, "curve", curve, "9curve(\"#t\", #a)", "9#t''\\left(#a\\right)",                     \
        "0", /* its jumps are not followed */                                                      \
        NULL, NO_SERIES, 0, NULL, NULL)\
  PAIR(HYPOT, "hypot", hypot, carom_interval_hypot(a, b), NULL,                                    \
        "9\\sqrt{#a9^{2} + #b9^{2}}", "a b hypot_slope a' * b a hypot_slope b' * +", NULL,         \
        BY_SLOPE, COMMUTES | NOT_NEGATIVE | TOTAL | ONE_OF_MANY,                                   \
        "length of the vector (a, b), without overflow", "hypot(x, y)")                            \
  PAIR(HYPOT_SLOPE, "hypot_slope", hypot_slope, carom_interval_hypot_slope(a, b), NULL,            \
        "9\\frac{#a}{\\sqrt{#a9^{2} + #b9^{2}}}",                                                  \
        "b a hypot_slope b a hypot_slope a' * f b' * - * a b hypot /", NULL, BY_SLOPE,             \
        TOTAL | ONE_OF_MANY, "a/hypot(a, b), the cosine of a direction; 0 where both are 0", "hypot_slope(vx, vy)")     \
  CALL(FLOOR, floor, NULL, "9\\left\\lfloor #a \\right\\rfloor", "0", "a a parity side held",      \
        NO_SERIES, TOTAL | FREE_NAME,                                                              \
        "largest integer not above a; its jumps are located", "floor(t/T)")                        \
  PAIR(MOD, "mod", mod, carom_interval_mod(a, b), NULL, "\\operatorname{mod}",                     \
        "a' a b / floor b' * -", "b a b / a b / parity side fraction *", NO_SERIES, FREE_NAME,     \
        "remainder of a/b with the sign of b, from 0 to b; its jumps are located", "mod(t, T)")    \
  CALL(PARITY, parity, "9sin(pi*#a7)", "9\\sin\\left(\\pi #a7\\right)",                            \
        "pi a 0.5 + parity * a' *", NULL, BY_RECURRENCE, TOTAL, NULL, NULL)                        \
  PAIR(HELD, "held", held, carom_interval_held(a, b), "9floor[#a, #b]",                            \
        "9\\left\\lfloor #a \\right\\rfloor", "0", NULL, FLAT, TOTAL, NULL, NULL)                    \
  PAIR(FRACTION, "fraction", fraction, carom_interval_fraction(a, b), "9mod[#a, 1, #b]",           \
        "9\\operatorname{mod}\\left(#a, 1\\right)", "a'", NULL, BY_SLOPE, TOTAL, NULL, NULL)        \
  PLAIN(RAMP, "ramp", 1, a <= 0.0 ? 0.0 : a, "a0[0a?",                                             \
        carom_interval_max(a, carom_interval_point(0.0)), "9max[#a, 0]",                           \
        "9\\max\\left(#a, 0\\right)", "a'", NULL, BY_RECURRENCE, NOT_NEGATIVE | TOTAL, NULL, NULL)

/// The powers that people write are products and roots, which are faster and as exact as pow:
/// X(NAME, exponent, value, code, bounds) in the base a. Squares and square roots are MUL and SQRT.
#define CAROM_SHORT_POWERS(X)                                                                      \
  X(CUBE, 3.0, (a * a) * a, "aa*a*", carom_interval_pow(a, carom_interval_point(3.0)))             \
  X(FOURTH, 4.0, (a * a) * (a * a), "aa*aa**", carom_interval_square(carom_interval_square(a)))    \
  X(INVERSE, -1.0, 1.0 / a, "1a/", carom_interval_div(carom_interval_point(1.0), a))               \
  X(INVERSE_SQUARE, -2.0, 1.0 / (a * a), "1aa*/",                                                  \
    carom_interval_div(carom_interval_point(1.0), carom_interval_square(a)))                       \
  X(THREE_HALVES, 1.5, (a * sqrt(a)), "aas*", carom_interval_mul(a, carom_interval_sqrt(a)))

/// Fused instructions of programs, as compositions of rows above: each does exactly the rounded
/// operations of the nodes it replaces, in the same order; what it saves is dispatch and the trips
/// of intermediate values through memory. The first that fits is taken: long ones come first. Who
/// uses the list says what ADD ... and A ... E are; every operand stands once.
#define CAROM_FUSED_LIST(X)                                                                        \
  X(ADDMUL_ADDMUL, ADD(ADD(E, MUL(A, B)), MUL(C, D)))                                              \
  X(SUBMUL_ADDMUL, ADD(SUB(E, MUL(A, B)), MUL(C, D)))                                              \
  X(ADDMUL_SUBMUL, SUB(ADD(E, MUL(A, B)), MUL(C, D)))                                              \
  X(SUBMUL_SUBMUL, SUB(SUB(E, MUL(A, B)), MUL(C, D)))                                              \
  X(MULMULADD, ADD(MUL(A, B), MUL(C, D)))                                                          \
  X(MULMULSUB, SUB(MUL(A, B), MUL(C, D)))                                                          \
  X(ADDMULADD, ADD(MUL(ADD(A, B), C), D))                                                          \
  X(SUBMULADD, ADD(MUL(SUB(A, B), C), D))                                                          \
  X(ADDMULSUB, SUB(MUL(ADD(A, B), C), D))                                                          \
  X(SUBMULSUB, SUB(MUL(SUB(A, B), C), D))                                                          \
  X(MULADDMUL, MUL(ADD(MUL(A, B), C), D))                                                          \
  X(MULADDADD, ADD(ADD(MUL(A, B), C), D))                                                          \
  X(SUBFROM_MUL_ADD, ADD(SUB(C, MUL(A, B)), D))                                                    \
  X(SUBFROM_MUL_MUL, MUL(SUB(C, MUL(A, B)), D))                                                    \
  X(MULSUBADD, ADD(SUB(MUL(A, B), C), D))                                                          \
  X(SUBFROM_MULADD, SUB(C, ADD(MUL(A, B), D)))                                                     \
  X(MULADD, ADD(MUL(A, B), C))                                                                     \
  X(MULSUB, SUB(MUL(A, B), C))                                                                     \
  X(SUBFROM_MUL, SUB(C, MUL(A, B)))                                                                \
  X(ADDMUL, MUL(ADD(A, B), C))                                                                     \
  X(SUBMUL, MUL(SUB(A, B), C))                                                                     \
  X(ADDADD, ADD(ADD(A, B), C))                                                                     \
  X(SUBADD, ADD(SUB(A, B), C))                                                                     \
  X(ADDSUB, SUB(ADD(A, B), C))                                                                     \
  X(SUBSUB, SUB(SUB(A, B), C))                                                                     \
  X(SUBFROM_ADD, SUB(C, ADD(A, B)))                                                                \
  X(SUBFROM_SUB, SUB(C, SUB(A, B)))                                                                \
  X(MULMUL, MUL(MUL(A, B), C))                                                                     \
  X(MULDIV, DIV(MUL(A, B), C))                                                                     \
  X(DIVMUL, DIV(C, MUL(A, B)))                                                                     \
  X(MULNEG, NEG(MUL(A, B)))

// clang-format on

#endif
