// SPDX-License-Identifier: MIT
#include "bodies/text_algebra.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool text_is(const char *text, const char *number) { return strcmp(text, number) == 0; }

const char *carom_say(carom_texts *texts, const char *format, ...) {
  va_list again, arguments;
  va_start(arguments, format);
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  char *made = length >= 0 ? carom_arena_take(texts->arena, (size_t)length + 1) : NULL;
  if (made) (void)vsnprintf(made, (size_t)length + 1, format, again);
  va_end(again);
  texts->failed = texts->failed || !made;
  return made ? made : "0";
}

const char *carom_sum(carom_texts *texts, const char *a, const char *b) {
  if (text_is(a, "0")) return b;
  if (text_is(b, "0")) return a;
  return carom_say(texts, "(%s + %s)", a, b);
}

const char *carom_difference(carom_texts *texts, const char *a, const char *b) {
  if (text_is(b, "0")) return a;
  if (text_is(a, "0")) return text_is(b, "1") ? "(-1)" : carom_say(texts, "(-%s)", b);
  return carom_say(texts, "(%s - %s)", a, b);
}

const char *carom_product(carom_texts *texts, const char *a, const char *b) {
  if (text_is(a, "0") || text_is(b, "0")) return "0";
  if (text_is(a, "1")) return b;
  if (text_is(b, "1")) return a;
  return carom_say(texts, "%s*%s", a, b);
}

const char *carom_quotient(carom_texts *texts, const char *a, const char *b) {
  if (text_is(a, "0")) return "0";
  return text_is(b, "1") ? a : carom_say(texts, "%s/(%s)", a, b);
}

const char *carom_square(carom_texts *texts, const char *a) {
  if (text_is(a, "0") || text_is(a, "1")) return a;
  return carom_say(texts, "(%s)^2", a);
}

const char *carom_root(carom_texts *texts, const char *a) {
  return carom_say(texts, "sqrt(%s)", a);
}

carom_text_vector carom_vector(const char *x, const char *y, const char *z) {
  return (carom_text_vector){{x, y, z}};
}

carom_text_vector carom_vector_with(carom_text_vector a, int k, const char *component) {
  a.c[k] = component;
  return a;
}

carom_text_vector carom_vector_sum(carom_texts *texts, carom_text_vector a, carom_text_vector b) {
  for (int k = 0; k < 3; k++)
    a.c[k] = carom_sum(texts, a.c[k], b.c[k]);
  return a;
}

carom_text_vector carom_vector_difference(carom_texts *texts, carom_text_vector a,
                                          carom_text_vector b) {
  for (int k = 0; k < 3; k++)
    a.c[k] = carom_difference(texts, a.c[k], b.c[k]);
  return a;
}

carom_text_vector carom_vector_times(carom_texts *texts, const char *factor, carom_text_vector a) {
  for (int k = 0; k < 3; k++)
    a.c[k] = carom_product(texts, factor, a.c[k]);
  return a;
}

carom_text_vector carom_vector_over(carom_texts *texts, carom_text_vector a, const char *divisor) {
  for (int k = 0; k < 3; k++)
    a.c[k] = carom_quotient(texts, a.c[k], divisor);
  return a;
}

carom_text_vector carom_vector_cross(carom_texts *texts, carom_text_vector a, carom_text_vector b) {
  carom_text_vector product;
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    product.c[k] = carom_difference(texts, carom_product(texts, a.c[i], b.c[j]),
                                    carom_product(texts, a.c[j], b.c[i]));
  }
  return product;
}

const char *carom_vector_dot(carom_texts *texts, carom_text_vector a, carom_text_vector b) {
  const char *dot = "0";
  for (int k = 0; k < 3; k++)
    dot = carom_sum(texts, dot, carom_product(texts, a.c[k], b.c[k]));
  return dot;
}

const char *carom_vector_length(carom_texts *texts, carom_text_vector a) {
  const char *square = "0";
  for (int k = 0; k < 3; k++)
    square = carom_sum(texts, square, carom_square(texts, a.c[k]));
  return carom_root(texts, square);
}

carom_text_vector carom_turn_out(carom_texts *texts, const carom_text_turn *turn,
                                 carom_text_vector a) {
  carom_text_vector out = carom_vector("0", "0", "0");
  for (int k = 0; k < 3; k++)
    out = carom_vector_sum(texts, out, carom_vector_times(texts, a.c[k], turn->axis[k]));
  return out;
}

carom_text_vector carom_turn_in(carom_texts *texts, const carom_text_turn *turn,
                                carom_text_vector a) {
  carom_text_vector in;
  for (int k = 0; k < 3; k++)
    in.c[k] = carom_vector_dot(texts, turn->axis[k], a);
  return in;
}
