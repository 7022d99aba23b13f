// SPDX-License-Identifier: MIT
/// A fingerprint of bytes (Fowler, Noll and Vo's FNV-1a): tells what changed, keeps nobody out.
#ifndef CAROM_BASE_HASH_H
#define CAROM_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/// Goes on from the hash of what came before; 0: nothing did.
static inline uint64_t carom_hash(uint64_t so_far, const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  uint64_t hash = so_far ? so_far : 14695981039346656037u;
  for (size_t k = 0; k < size; k++)
    hash = (hash ^ at[k]) * 1099511628211u;
  return hash;
}

#endif
