// SPDX-License-Identifier: MIT
/// All that the library asks of the operating system: threads, clocks, files, large memory, other
/// libraries. Another system (a browser, which has none of most of them) replaces one file,
/// platform_posix.c; every function may say that it cannot, and the callers go on without.
#ifndef CAROM_BASE_PLATFORM_H
#define CAROM_BASE_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- threads ----

typedef struct carom_thread carom_thread;

/// NULL where the system gives no (further) thread. The caller joins it.
carom_thread *carom_thread_start(void (*work)(void *ctx), void *ctx);
void carom_thread_join(carom_thread *thread);
/// Lets others go first.
void carom_thread_yield(void);
/// How many processors there are: at least 1, at most CAROM_MOST_THREADS.
int carom_processors(void);
enum { CAROM_MOST_THREADS = 1024 };

/// A lock, and the wait of its owner for news.
typedef struct carom_monitor carom_monitor;

carom_monitor *carom_monitor_create(void); // NULL: out of memory
void carom_monitor_destroy(carom_monitor *monitor);
void carom_monitor_lock(carom_monitor *monitor);
void carom_monitor_unlock(carom_monitor *monitor);
/// By the owner of the lock: gives it up until someone tells news or, where `seconds` is not
/// negative, this time has passed. It may return early for no reason.
void carom_monitor_wait(carom_monitor *monitor, double seconds);
/// Wakes all who wait.
void carom_monitor_tell(carom_monitor *monitor);

// ---- clocks ----

/// Seconds of a clock that only goes forward. May be called by a signal handler.
double carom_clock(void);
/// The time of day in UTC, written as strftime does; false, and "" in `text`: unknown.
bool carom_date(char *text, size_t room, const char *format);

// ---- files; after a failure errno tells why ----

typedef struct carom_file carom_file;

/// A file for reading and writing, made where there is none. A link is not followed, and what is no
/// file is refused at once. NULL: failed.
carom_file *carom_file_open(const char *path);
carom_file *carom_file_read_only(const char *path);
/// A file without a name that vanishes when it is closed.
carom_file *carom_file_nameless(void);
void carom_file_close(carom_file *file); // NULL is legal
/// Bytes at a place, all of them or false (with errno 0 where the file ends too early). Several
/// threads may do so at a time.
bool carom_file_get(const carom_file *file, void *bytes, size_t size, int64_t offset);
bool carom_file_put(const carom_file *file, const void *bytes, size_t size, int64_t offset);
int64_t carom_file_size(const carom_file *file); // -1: unknown
bool carom_file_cut(const carom_file *file, int64_t size);
/// Waits until what was written would survive a power cut.
bool carom_file_sync(const carom_file *file);

bool carom_path_readable(const char *path);
bool carom_path_remove(const char *path);
bool carom_path_rename(const char *from, const char *to);
typedef enum carom_path_kind {
  CAROM_PATH_NOTHING,
  CAROM_PATH_FILE,
  CAROM_PATH_FOLDER,
  CAROM_PATH_OTHER
} carom_path_kind;
carom_path_kind carom_path_look(const char *path);
/// Does the path lie below the folder once all links are followed?
bool carom_path_inside(const char *folder, const char *path);
/// Calls `visit` with the name of each entry of a folder, in no order, until it says false.
void carom_folder_visit(const char *folder, bool (*visit)(void *ctx, const char *name), void *ctx);

// ---- memory and libraries ----

enum { CAROM_LARGE_PAGE = 2 << 20 };
/// Memory to be released by free(), in large pages where the system has them: it is walked through
/// in many streams at once. Only pages that are used whole, so it takes no more memory.
void *carom_large_memory(size_t size);

/// Does something of the program or of its libraries lie there, a function or a constant?
bool carom_address_of_program(const void *address);

/// A shared library whose names are seen by all others; NULL: it is not there.
void *carom_library_open(const char *name);
void *carom_library_find(void *library, const char *name);

#endif
