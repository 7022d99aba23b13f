// SPDX-License-Identifier: MIT
/// Texts and growing arrays from malloc, for the caller to free.
#ifndef CAROM_BASE_TEXT_H
#define CAROM_BASE_TEXT_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/// NULL without memory, and of NULL.
static inline char *carom_text_copy(const char *text) {
  size_t size = text ? strlen(text) + 1 : 0;
  char *copy = text ? malloc(size) : NULL;
  return copy ? memcpy(copy, text, size) : NULL;
}

/// Both, one behind the other. NULL without memory.
static inline char *carom_text_join(const char *first, const char *second) {
  size_t a = strlen(first), b = strlen(second) + 1;
  char *joined = malloc(a + b);
  if (!joined) return NULL;
  memcpy(joined, first, a);
  memcpy(joined + a, second, b);
  return joined;
}

/// Room for one more entry behind `count` of them; false: out of memory, and nothing has changed.
static inline bool carom_grow(void **array, long count, long *room, size_t size) {
  if (count < *room) return true;
  long wanted = 2 * *room + 64;
  void *grown = realloc(*array, (size_t)wanted * size);
  if (!grown) return false;
  *array = grown;
  *room = wanted;
  return true;
}

#endif
