// SPDX-License-Identifier: MIT
/// Expressions as texts: sums, products and vectors of them, without terms that are zero. A text is
/// an operand of a product as it stands: a name, a number, a product, or in brackets.
#ifndef CAROM_BODIES_TEXT_ALGEBRA_H
#define CAROM_BODIES_TEXT_ALGEBRA_H

#include "base/arena.h"

#include <stdbool.h>

/// Where texts are made. Out of memory is noticed once, at the end: texts are then "0".
typedef struct carom_texts {
  carom_arena *arena;
  bool failed;
} carom_texts;

/// A vector in space; in the plane the third component is "0".
typedef struct carom_text_vector {
  const char *c[3];
} carom_text_vector;

/// A turn: columns are the axes of the body in space.
typedef struct carom_text_turn {
  carom_text_vector axis[3];
} carom_text_turn;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
const char *
carom_say(carom_texts *texts, const char *format, ...);

const char *carom_sum(carom_texts *texts, const char *a, const char *b);
const char *carom_difference(carom_texts *texts, const char *a, const char *b);
const char *carom_product(carom_texts *texts, const char *a, const char *b);
const char *carom_quotient(carom_texts *texts, const char *a, const char *b);
const char *carom_square(carom_texts *texts, const char *a);
const char *carom_root(carom_texts *texts, const char *a);

carom_text_vector carom_vector(const char *x, const char *y, const char *z);
/// a with another component k.
carom_text_vector carom_vector_with(carom_text_vector a, int k, const char *component);
carom_text_vector carom_vector_sum(carom_texts *texts, carom_text_vector a, carom_text_vector b);
carom_text_vector carom_vector_difference(carom_texts *texts, carom_text_vector a,
                                          carom_text_vector b);
carom_text_vector carom_vector_times(carom_texts *texts, const char *factor, carom_text_vector a);
carom_text_vector carom_vector_over(carom_texts *texts, carom_text_vector a, const char *divisor);
carom_text_vector carom_vector_cross(carom_texts *texts, carom_text_vector a, carom_text_vector b);
const char *carom_vector_dot(carom_texts *texts, carom_text_vector a, carom_text_vector b);
const char *carom_vector_length(carom_texts *texts, carom_text_vector a);

/// A vector of the body in space, and one of space in the body.
carom_text_vector carom_turn_out(carom_texts *texts, const carom_text_turn *turn,
                                 carom_text_vector a);
carom_text_vector carom_turn_in(carom_texts *texts, const carom_text_turn *turn,
                                carom_text_vector a);

#endif
