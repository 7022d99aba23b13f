// SPDX-License-Identifier: MIT
/// Status codes, error reports and the allocator: what every fallible call of Carom returns and
/// uses.
#ifndef CAROM_STATUS_H
#define CAROM_STATUS_H

#include <stddef.h>

#if defined(__GNUC__)
#define CAROM_API __attribute__((visibility("default")))
#define CAROM_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#else
#define CAROM_API
#define CAROM_PRINTF(fmt, first)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// 0 is success, < 0 an error, > 0 an early but valid stop.
#define CAROM_STATUS_LIST(X)                                                                       \
  X(CAROM_STOP_ACCUMULATION, 3, "stopped at an accumulation of events")                            \
  X(CAROM_STOP_USER, 2, "stopped by the caller")                                                   \
  X(CAROM_STOP_EVENT, 1, "stopped at a requested event")                                           \
  X(CAROM_OK, 0, "success")                                                                        \
  X(CAROM_ERR_ARGUMENT, -1, "argument out of range")                                               \
  X(CAROM_ERR_MEMORY, -2, "out of memory")                                                         \
  X(CAROM_ERR_INPUT, -3, "the input is wrong")                                                     \
  X(CAROM_ERR_NONFINITE, -4, "an expression gave NaN or infinity")                                 \
  X(CAROM_ERR_NO_CONVERGENCE, -5, "an iteration did not converge")                                 \
  X(CAROM_ERR_STEP, -6, "the step became too small, or a given one is too large")                  \
  X(CAROM_ERR_SINGULAR, -7, "a matrix is singular")                                                \
  X(CAROM_ERR_IO, -8, "a file could not be read or written")                                       \
  X(CAROM_ERR_LIMIT, -9, "a stated limit was exceeded")                                            \
  X(CAROM_ERR_UNSUPPORTED, -10, "the engine cannot do this")

typedef enum carom_status {
#define X(name, value, text) name = value,
  CAROM_STATUS_LIST(X)
#undef X
} carom_status;

/// The text of a status code; never NULL, static storage.
CAROM_API const char *carom_status_text(carom_status status);

enum {
  CAROM_ERROR_FILE = 256,
  CAROM_ERROR_TEXT = 1024,
  CAROM_ERROR_EXPRESSION = 256,
  CAROM_ERROR_STATE = 16
};

/// What went wrong and where. Caller-owned plain data; `line` is 0 when there is no place in a
/// file, `moving` when no motion was under way. Every function that takes a `carom_error *` accepts
/// NULL.
typedef struct carom_error {
  carom_status status;
  int line, column; // 1-based, 0 when unknown
  char file[CAROM_ERROR_FILE];
  char text[CAROM_ERROR_TEXT];
  // where in the motion, when `moving`
  int moving;
  double t;
  int state_count; // the first components, in the order of the columns
  double state[CAROM_ERROR_STATE];
  char expression[CAROM_ERROR_EXPRESSION]; // the one without a finite value; "" when none is
} carom_error;

/// Writes "file:line:column: text" (or just the text) to `buffer`; returns `buffer`.
CAROM_API const char *carom_error_format(const carom_error *error, char *buffer, size_t size);

/// A replaceable allocator. `resize(ctx, NULL, n)` allocates, `resize(ctx, p, n)` grows,
/// `release(ctx, p)` frees; all memory of an object made with it goes through it.
/// Threads that share a model call it at the same time.
typedef struct carom_allocator {
  void *(*resize)(void *ctx, void *pointer, size_t size);
  void (*release)(void *ctx, void *pointer);
  void *ctx;
} carom_allocator;

#ifdef __cplusplus
}
#endif
#endif
