// SPDX-License-Identifier: MIT
/// The operating system: POSIX (2008), and what Linux has beyond it.
#define _GNU_SOURCE // dladdr
#include "base/platform.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// ---- threads ----

struct carom_thread {
  pthread_t id;
  void (*work)(void *ctx);
  void *ctx;
};

static void *run_thread(void *argument) {
  const carom_thread *it = argument;
  it->work(it->ctx);
  return NULL;
}

carom_thread *carom_thread_start(void (*work)(void *ctx), void *ctx) {
  carom_thread *it = malloc(sizeof *it);
  if (!it) return NULL;
  it->work = work;
  it->ctx = ctx;
  if (pthread_create(&it->id, NULL, run_thread, it) == 0) return it;
  free(it);
  return NULL;
}

void carom_thread_join(carom_thread *thread) {
  (void)pthread_join(thread->id, NULL);
  free(thread);
}

void carom_thread_yield(void) { (void)sched_yield(); }

int carom_processors(void) {
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : count > CAROM_MOST_THREADS ? CAROM_MOST_THREADS : (int)count;
}

struct carom_monitor {
  pthread_mutex_t lock;
  pthread_cond_t news;
};

carom_monitor *carom_monitor_create(void) {
  carom_monitor *it = malloc(sizeof *it);
  if (!it) return NULL;
  // waits are measured on a clock that nobody sets
  pthread_condattr_t forward;
  (void)pthread_condattr_init(&forward);
  (void)pthread_condattr_setclock(&forward, CLOCK_MONOTONIC);
  (void)pthread_mutex_init(&it->lock, NULL);
  (void)pthread_cond_init(&it->news, &forward);
  (void)pthread_condattr_destroy(&forward);
  return it;
}

void carom_monitor_destroy(carom_monitor *monitor) {
  if (!monitor) return;
  (void)pthread_cond_destroy(&monitor->news);
  (void)pthread_mutex_destroy(&monitor->lock);
  free(monitor);
}

void carom_monitor_lock(carom_monitor *monitor) { (void)pthread_mutex_lock(&monitor->lock); }
void carom_monitor_unlock(carom_monitor *monitor) { (void)pthread_mutex_unlock(&monitor->lock); }
void carom_monitor_tell(carom_monitor *monitor) { (void)pthread_cond_broadcast(&monitor->news); }

void carom_monitor_wait(carom_monitor *monitor, double seconds) {
  if (seconds < 0.0) {
    (void)pthread_cond_wait(&monitor->news, &monitor->lock);
    return;
  }
  double until = carom_clock() + seconds;
  struct timespec when = {.tv_sec = (time_t)until};
  when.tv_nsec = (long)(1e9 * (until - (double)when.tv_sec));
  (void)pthread_cond_timedwait(&monitor->news, &monitor->lock, &when);
}

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

// ---- files ----

struct carom_file {
  int descriptor;
};

// takes over the descriptor, also where it fails
static carom_file *file_of(int descriptor) {
  carom_file *it = descriptor >= 0 ? malloc(sizeof *it) : NULL;
  if (it) {
    it->descriptor = descriptor;
  } else if (descriptor >= 0) {
    (void)close(descriptor);
    errno = ENOMEM;
  }
  return it;
}

// a link that somebody has put there is not followed, and a pipe is not waited for
carom_file *carom_file_open(const char *path) {
  int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  struct stat about;
  if (file < 0 || (fstat(file, &about) == 0 && S_ISREG(about.st_mode))) return file_of(file);
  (void)close(file);
  errno = EINVAL;
  return NULL;
}

carom_file *carom_file_read_only(const char *path) {
  return file_of(open(path, O_RDONLY | O_CLOEXEC));
}

carom_file *carom_file_nameless(void) {
  const char *folder = getenv("TMPDIR");
  char name[512];
  (void)snprintf(name, sizeof name, "%s/carom-XXXXXX", folder && folder[0] ? folder : "/tmp");
  int file = mkstemp(name);
  if (file >= 0) (void)unlink(name);
  return file_of(file);
}

void carom_file_close(carom_file *file) {
  if (file) (void)close(file->descriptor);
  free(file);
}

bool carom_file_get(const carom_file *file, void *bytes, size_t size, int64_t offset) {
  char *at = bytes;
  errno = 0;
  while (size > 0) {
    ssize_t got = pread(file->descriptor, at, size, (off_t)offset);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    offset += got;
    size -= (size_t)got;
  }
  return true;
}

bool carom_file_put(const carom_file *file, const void *bytes, size_t size, int64_t offset) {
  const char *at = bytes;
  while (size > 0) {
    ssize_t put = pwrite(file->descriptor, at, size, (off_t)offset);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    at += put;
    offset += put;
    size -= (size_t)put;
  }
  return true;
}

int64_t carom_file_size(const carom_file *file) {
  struct stat about;
  return fstat(file->descriptor, &about) == 0 ? (int64_t)about.st_size : -1;
}

bool carom_file_cut(const carom_file *file, int64_t size) {
  return ftruncate(file->descriptor, (off_t)size) == 0;
}

bool carom_file_sync(const carom_file *file) { return fdatasync(file->descriptor) == 0; }

bool carom_path_readable(const char *path) { return access(path, R_OK) == 0; }
bool carom_path_remove(const char *path) { return unlink(path) == 0; }
bool carom_path_rename(const char *from, const char *to) { return rename(from, to) == 0; }

carom_path_kind carom_path_look(const char *path) {
  struct stat about;
  if (stat(path, &about) != 0) return CAROM_PATH_NOTHING;
  if (S_ISREG(about.st_mode)) return CAROM_PATH_FILE;
  return S_ISDIR(about.st_mode) ? CAROM_PATH_FOLDER : CAROM_PATH_OTHER;
}

bool carom_path_inside(const char *folder, const char *path) {
  char *real_folder = realpath(folder, NULL), *real_path = realpath(path, NULL);
  size_t length = real_folder ? strlen(real_folder) : 0;
  if (length && real_folder[length - 1] == '/') length--;
  bool inside = real_folder && real_path && strncmp(real_folder, real_path, length) == 0 &&
                real_path[length] == '/';
  free(real_folder);
  free(real_path);
  return inside;
}

void carom_folder_visit(const char *folder, bool (*visit)(void *ctx, const char *name), void *ctx) {
  DIR *open = opendir(folder);
  const struct dirent *entry = NULL;
  while (open && (entry = readdir(open)) && visit(ctx, entry->d_name)) {
  }
  if (open) (void)closedir(open);
}

// ---- memory and libraries ----

void *carom_large_memory(size_t size) {
  void *memory = NULL;
  if (posix_memalign(&memory, CAROM_LARGE_PAGE, size) != 0) return NULL;
#ifdef MADV_HUGEPAGE
  (void)madvise(memory, size / CAROM_LARGE_PAGE * CAROM_LARGE_PAGE, MADV_HUGEPAGE);
#endif
  return memory;
}

bool carom_address_of_program(const void *address) {
  Dl_info about;
  return dladdr(address, &about) != 0;
}

void *carom_library_open(const char *name) { return dlopen(name, RTLD_NOW | RTLD_GLOBAL); }
void *carom_library_find(void *library, const char *name) { return dlsym(library, name); }
