// SPDX-License-Identifier: MIT
/// Preloaded, it lets the n-th allocation of a process fail, and with FAIL_ON all that follow.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

static long left = -1;

static int fails(void) {
  if (left < 0) {
    const char *text = getenv("FAIL_AT");
    left = text ? strtol(text, NULL, 10) : 0;
  }
  if (left == 0) return 0;
  if (left > 1) {
    left--;
    return 0;
  }
  if (!getenv("FAIL_ON")) left = 0;
  return 1;
}

void *malloc(size_t size) {
  static void *(*real)(size_t);
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "malloc");
  return fails() ? NULL : real(size);
}

void *realloc(void *block, size_t size) {
  static void *(*real)(void *, size_t);
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "realloc");
  return fails() ? NULL : real(block, size);
}

extern void *__libc_calloc(size_t count, size_t size);
void *calloc(size_t count, size_t size) { return fails() ? NULL : __libc_calloc(count, size); }
