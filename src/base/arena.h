// SPDX-License-Identifier: MIT
/// An arena owns everything an object is made of: allocate freely while building, release all at
/// once. Nothing is allocated inside a running loop.
#ifndef CAROM_BASE_ARENA_H
#define CAROM_BASE_ARENA_H

#include "carom/status.h"

#include <stdbool.h>

typedef struct carom_arena carom_arena;

/// A new, empty arena over `allocator` (NULL: malloc). NULL when out of memory.
carom_arena *carom_arena_create(const carom_allocator *allocator);

/// Releases the arena and all that was taken from it. NULL is legal.
void carom_arena_destroy(carom_arena *arena);

/// Calls `release(ctx)` when the arena is destroyed, for what an object holds beside memory; the
/// last registered goes first. False when out of memory (nothing registered).
bool carom_arena_on_destroy(carom_arena *arena, void (*release)(void *ctx), void *ctx);

/// The allocator the arena was made with.
const carom_allocator *carom_arena_allocator(const carom_arena *arena);

/// `size` zeroed bytes aligned to 64, or NULL when out of memory. A size of 0 gives a valid
/// pointer.
void *carom_arena_take(carom_arena *arena, size_t size);

/// How often the arena had no memory to give. Who takes many things one after the other compares
/// this before and after, instead of every pointer: what was not given is noticed whoever forgot
/// it.
long carom_arena_failures(const carom_arena *arena);

/// A zeroed array of `count` elements; NULL on overflow or when out of memory.
void *carom_arena_array(carom_arena *arena, size_t count, size_t size);

/// A copy of the first `length` bytes of `text`, terminated; NULL when out of memory.
char *carom_arena_text(carom_arena *arena, const char *text, size_t length);

/// Makes room for one more element in a growing array of an arena: when `count` has reached
/// `*capacity`, moves the array to twice the room. Returns false when out of memory (array kept).
bool carom_arena_grow(carom_arena *arena, void **array, int count, int *capacity, size_t size);

#endif
