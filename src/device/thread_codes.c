// SPDX-License-Identifier: MIT
/// What the programs of a model call on a card: the functions of the table of operations, under the
/// names that native_ptx.c gives them.
#include "symbolic/operation.h"

#define LEAF(NAME, name)
#define NONE(NAME, ...)
#define CALL(NAME, stem, ...)                                                                      \
  double carom_called_##stem(double a);                                                            \
  double carom_called_##stem(double a) { return carom_##stem(a); }
#define PAIR(NAME, name, stem, ...)                                                                \
  double carom_called_##stem(double a, double b);                                                  \
  double carom_called_##stem(double a, double b) { return carom_##stem(a, b); }
CAROM_OPERATIONS(LEAF, NONE, CALL, PAIR, NONE)

double carom_called_pow(double a, double b);
double carom_called_pow(double a, double b) { return carom_pow(a, b); }

void carom_called_sincos(double a, double *sine, double *cosine);
void carom_called_sincos(double a, double *sine, double *cosine) { carom_sincos(a, sine, cosine); }
