// SPDX-License-Identifier: MIT
/// A fingerprint of bytes (Fowler, Noll and Vo's FNV-1a): tells what changed, keeps nobody out.
#ifndef CAROM_BASE_HASH_H
#define CAROM_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// Goes on from the hash of what came before; 0: nothing did.
static inline uint64_t carom_hash(uint64_t so_far, const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  uint64_t hash = so_far ? so_far : 14695981039346656037u;
  for (size_t k = 0; k < size; k++)
    hash = (hash ^ at[k]) * 1099511628211u;
  return hash;
}

/// The same of a text with its end; NULL is as "".
static inline uint64_t carom_hash_text(uint64_t so_far, const char *text) {
  return carom_hash(so_far, text ? text : "", text ? strlen(text) + 1 : 1);
}

#endif
