// SPDX-License-Identifier: MIT
#include "base/arena.h"

#include "base/platform.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, FIRST_BLOCK = 4096, LARGEST_BLOCK = 2 << 20 };

typedef struct block {
  struct block *next;
  size_t size, used; // bytes of payload, behind this header
} block;

typedef struct farewell {
  struct farewell *next;
  void (*release)(void *ctx);
  void *ctx;
} farewell;

struct carom_arena {
  carom_allocator allocator;
  block *blocks;       // newest first
  farewell *farewells; // newest first, in the blocks
  long failures;
  struct fence *fences;
};

// One step past the end of a piece of memory is noticed: the address sanitizer is told of the room
// between pieces; a build with CAROM_ARENA_FENCES, for tests without it, has something there that
// reads as no number and must be unchanged in the end.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TELLS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define TELLS_SANITIZER
#endif
enum { BETWEEN = 32, FENCE = 0xff };

typedef struct fence {
  unsigned char pattern[BETWEEN];
  struct fence *next;
  const unsigned char *from; // where the piece of memory ends, up to 7 bytes before the pattern
} fence;

#if defined(TELLS_SANITIZER)
#include <sanitizer/asan_interface.h>
enum { ROOM_AFTER = BETWEEN };
static void close_off(void *start, size_t size) { __asan_poison_memory_region(start, size); }
static void open_up(void *start, size_t size) { __asan_unpoison_memory_region(start, size); }
static void put_fence(const carom_arena *arena, const unsigned char *end) {
  (void)arena, (void)end;
}
static void check_fences(const carom_arena *arena) { (void)arena; }
#else
static void close_off(void *start, size_t size) { (void)start, (void)size; }
static void open_up(void *start, size_t size) { (void)start, (void)size; }
#if defined(CAROM_ARENA_FENCES)
enum { ROOM_AFTER = sizeof(fence) + _Alignof(fence) };
static void put_fence(carom_arena *arena, unsigned char *end) {
  uintptr_t start = ((uintptr_t)end + _Alignof(fence) - 1) & ~(uintptr_t)(_Alignof(fence) - 1);
  fence *made = (fence *)start;
  memset(end, FENCE, (size_t)(start - (uintptr_t)end));
  memset(made->pattern, FENCE, sizeof made->pattern);
  made->from = end;
  made->next = arena->fences;
  arena->fences = made;
}
static void check_fences(const carom_arena *arena) {
  for (const fence *f = arena->fences; f; f = f->next)
    for (const unsigned char *at = f->from; at < f->pattern + BETWEEN; at++)
      if (*at != FENCE) abort();
}
#else
enum { ROOM_AFTER = 0 };
static void put_fence(const carom_arena *arena, const unsigned char *end) {
  (void)arena, (void)end;
}
static void check_fences(const carom_arena *arena) { (void)arena; }
#endif
#endif

static void *default_resize(void *ctx, void *pointer, size_t size) {
  (void)ctx;
  return !pointer && size >= CAROM_LARGE_PAGE ? carom_large_memory(size) : realloc(pointer, size);
}

static void default_release(void *ctx, void *pointer) {
  (void)ctx;
  free(pointer);
}

carom_arena *carom_arena_create(const carom_allocator *allocator) {
  carom_allocator use = {default_resize, default_release, NULL};
  if (allocator) use = *allocator;
  carom_arena *arena = use.resize(use.ctx, NULL, sizeof *arena);
  if (arena) *arena = (carom_arena){.allocator = use};
  return arena;
}

void carom_arena_destroy(carom_arena *arena) {
  if (!arena) return;
  carom_allocator use = arena->allocator;
  for (farewell *f = arena->farewells; f; f = f->next)
    f->release(f->ctx);
  check_fences(arena);
  for (block *b = arena->blocks; b;) {
    block *next = b->next;
    open_up(b + 1, b->size);
    use.release(use.ctx, b);
    b = next;
  }
  use.release(use.ctx, arena);
}

bool carom_arena_on_destroy(carom_arena *arena, void (*release)(void *ctx), void *ctx) {
  farewell *f = carom_arena_take(arena, sizeof *f);
  if (!f) return false;
  *f = (farewell){arena->farewells, release, ctx};
  arena->farewells = f;
  return true;
}

const carom_allocator *carom_arena_allocator(const carom_arena *arena) { return &arena->allocator; }

// the next free, aligned byte of a block, or NULL when `size` does not fit
static void *take_from(block *b, size_t size) {
  if (!b) return NULL;
  uintptr_t base = (uintptr_t)(b + 1);
  uintptr_t start = (base + b->used + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1);
  if (start - base > b->size || b->size - (start - base) < size + ROOM_AFTER) return NULL;
  b->used = start - base + size + ROOM_AFTER;
  return (void *)start;
}

// Blocks double up to a large page. A large request gets one of its own behind the newest, whose
// rest stays in use.
static block *add_block(carom_arena *arena, size_t size) {
  bool large = size > LARGEST_BLOCK / 4;
  size_t room = arena->blocks ? 2 * arena->blocks->size : FIRST_BLOCK;
  if (room > LARGEST_BLOCK - sizeof(block)) room = LARGEST_BLOCK - sizeof(block);
  if (large || room < size + ALIGNMENT + ROOM_AFTER) room = size + ALIGNMENT + ROOM_AFTER;
  block *b = arena->allocator.resize(arena->allocator.ctx, NULL, sizeof *b + room);
  if (!b) return NULL;
  block **before = large && arena->blocks ? &arena->blocks->next : &arena->blocks;
  *b = (block){.next = *before, .size = room};
  *before = b;
  close_off(b + 1, room);
  return b;
}

long carom_arena_failures(const carom_arena *arena) { return arena->failures; }

void *carom_arena_take(carom_arena *arena, size_t size) {
  bool possible = size <= SIZE_MAX / 4;
  void *taken = possible ? take_from(arena->blocks, size) : NULL;
  if (!taken && possible) taken = take_from(add_block(arena, size), size);
  if (!taken) {
    arena->failures++;
    return NULL;
  }
  open_up(taken, size);
  put_fence(arena, (unsigned char *)taken + size);
  return memset(taken, 0, size);
}

void *carom_arena_array(carom_arena *arena, size_t count, size_t size) {
  return carom_arena_take(arena, size && count > SIZE_MAX / size ? SIZE_MAX : count * size);
}

char *carom_arena_text(carom_arena *arena, const char *text, size_t length) {
  char *copy = carom_arena_take(arena, length + 1);
  if (copy && length) memcpy(copy, text, length);
  return copy;
}

bool carom_arena_grow(carom_arena *arena, void **array, int count, int *capacity, size_t size) {
  if (count < *capacity) return true;
  int wider = *capacity ? 2 * *capacity : 8;
  void *moved = carom_arena_array(arena, (size_t)wider, size);
  if (!moved) return false;
  if (count) memcpy(moved, *array, (size_t)count * size);
  *array = moved;
  *capacity = wider;
  return true;
}
