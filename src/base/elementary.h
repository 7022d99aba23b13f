// SPDX-License-Identifier: MIT
/// Elementary functions within 1 ulp, with the same bits in scalar and lane code, for every
/// compiler flag used here and on every x86-64 machine: glibc's change bits with the CPU's
/// features, ours use only IEEE add, subtract, multiply, divide, square root and integer
/// operations. Special values follow C17 Annex F (carom_log(-1) is NaN, carom_exp(1000) is inf
/// ...).
#ifndef CAROM_BASE_ELEMENTARY_H
#define CAROM_BASE_ELEMENTARY_H

double carom_exp(double x);
double carom_log(double x);
double carom_sin(double x);
double carom_cos(double x);
void carom_sincos(double x, double *sine, double *cosine);
double carom_tan(double x);
double carom_asin(double x);
double carom_acos(double x);
double carom_atan(double x);
double carom_atan2(double y, double x);
double carom_sinh(double x);
double carom_cosh(double x);
double carom_tanh(double x);
double carom_cbrt(double x);
double carom_pow(double x, double y);
double carom_hypot(double x, double y);
/// x/hypot(x, y), the slope of hypot along x; 0 where both are 0.
double carom_hypot_slope(double x, double y);

/// The largest integer that is not above x.
double carom_floor(double x);
/// What is left of x when whole multiples of y are taken away, with the sign of y (as in Python; 0
/// has the sign of y too): from 0 up to y. NaN for y = 0.
double carom_mod(double x, double y);
/// sin(pi x), whose sign tells whether floor(x) is even (+) or odd (-): at an integer, where the
/// sine vanishes, it is the smallest normal number with the sign that it has to the right.
double carom_parity(double x);
/// floor(x) continued beyond its jumps: the even integer (side > 0) or odd one (side <= 0) that
/// floor has within half of x, constant while x stays within half of its own piece. And x less it.
double carom_held(double x, double side);
double carom_fraction(double x, double side);

/// fmax and fmin (a number goes before NaN) without a call, for what every step asks for.
static inline double carom_larger(double a, double b) { return a > b || b != b ? a : b; }
static inline double carom_smaller(double a, double b) { return a < b || b != b ? a : b; }

#endif
