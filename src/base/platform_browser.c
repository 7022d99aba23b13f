// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
/// What a browser has of an operating system: a clock, and files in memory. There are no threads
/// (work is done by the caller; the page starts several instances of the program instead), no
/// folders, no libraries.
#include "base/platform.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---- threads ----

carom_thread *carom_thread_start(void (*work)(void *ctx), void *ctx) {
  (void)work, (void)ctx;
  return NULL;
}
void carom_thread_join(carom_thread *thread) { (void)thread; }
void carom_thread_yield(void) {}
int carom_processors(void) { return 1; }

struct carom_monitor {
  char nothing;
};

carom_monitor *carom_monitor_create(void) { return calloc(1, sizeof(carom_monitor)); }
void carom_monitor_destroy(carom_monitor *monitor) { free(monitor); }
void carom_monitor_lock(carom_monitor *monitor) { (void)monitor; }
void carom_monitor_unlock(carom_monitor *monitor) { (void)monitor; }
void carom_monitor_tell(carom_monitor *monitor) { (void)monitor; }
void carom_monitor_wait(carom_monitor *monitor, double seconds) { (void)monitor, (void)seconds; }

// ---- clocks ----

double carom_clock(void) {
  struct timespec now = {0};
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool carom_date(char *text, size_t room, const char *format) {
  time_t now = time(NULL);
  struct tm utc;
  bool known = now != (time_t)-1 && gmtime_r(&now, &utc) && strftime(text, room, format, &utc) > 0;
  if (!known) text[0] = '\0';
  return known;
}

// ---- files: journals of computations lie in memory ----

struct carom_file {
  char *bytes;
  int64_t size, room;
};

// what is written by name vanishes like the rest
carom_file *carom_file_open(const char *path) {
  (void)path;
  return carom_file_nameless();
}
carom_file *carom_file_read_only(const char *path) {
  (void)path;
  errno = ENOTSUP;
  return NULL;
}
carom_file *carom_file_nameless(void) { return calloc(1, sizeof(carom_file)); }

void carom_file_close(carom_file *file) {
  if (file) free(file->bytes);
  free(file);
}

bool carom_file_get(const carom_file *file, void *bytes, size_t size, int64_t offset) {
  errno = 0;
  if (offset < 0 || offset > file->size || (int64_t)size > file->size - offset) return false;
  if (size > 0) memcpy(bytes, file->bytes + offset, size);
  return true;
}

static bool make_room(carom_file *file, int64_t size) {
  int64_t room = file->room < 4096 ? 4096 : file->room;
  while (room < size)
    room *= 2;
  if (room == file->room) return true;
  char *larger = realloc(file->bytes, (size_t)room);
  if (!larger) return errno = ENOSPC, false;
  file->bytes = larger;
  file->room = room;
  return true;
}

bool carom_file_cut(const carom_file *file, int64_t size) {
  // the contents may change, the handle does not: as with a descriptor
  carom_file *it = (carom_file *)file;
  if (size < 0 || !make_room(it, size)) return false;
  if (size > it->size) memset(it->bytes + it->size, 0, (size_t)(size - it->size));
  it->size = size;
  return true;
}

bool carom_file_put(const carom_file *file, const void *bytes, size_t size, int64_t offset) {
  if (offset < 0) return errno = EINVAL, false;
  int64_t end = offset + (int64_t)size;
  if (end > file->size && !carom_file_cut(file, end)) return false;
  if (size > 0) memcpy(file->bytes + offset, bytes, size);
  return true;
}

int64_t carom_file_size(const carom_file *file) { return file->size; }
bool carom_file_sync(const carom_file *file) { return file != NULL; }

static bool file_is_readable(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file) (void)fclose(file);
  return file != NULL;
}

bool carom_path_readable(const char *path) { return file_is_readable(path); }
bool carom_path_remove(const char *path) { return (void)path, true; }
bool carom_path_rename(const char *from, const char *to) { return (void)from, (void)to, false; }
carom_path_kind carom_path_look(const char *path) {
  return file_is_readable(path) ? CAROM_PATH_FILE : CAROM_PATH_NOTHING;
}
// there is one folder, and no links: a path without ".." stays in it
bool carom_path_inside(const char *folder, const char *path) {
  return (void)folder, !strstr(path, "..");
}
void carom_folder_visit(const char *folder, bool (*visit)(void *ctx, const char *name), void *ctx) {
  (void)folder, (void)visit, (void)ctx;
}

// ---- memory and libraries ----

void *carom_large_memory(size_t size) { return malloc(size); }
bool carom_address_of_program(const void *address) { return (void)address, false; }
void *carom_library_open(const char *name) { return (void)name, NULL; }
void *carom_library_find(void *library, const char *name) {
  return (void)library, (void)name, NULL;
}
