// SPDX-License-Identifier: MIT
/// Texts from malloc, for the caller to free.
#ifndef CAROM_BASE_TEXT_H
#define CAROM_BASE_TEXT_H

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

#endif
