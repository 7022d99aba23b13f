// SPDX-License-Identifier: MIT
/// A driver of NVIDIA's cards that has none, as libcuda.so.1: what src/device/card_nvidia.c asks of
/// the driver is answered here, and motions are moved by this processor. What goes wrong with
/// drivers and cards is asked for by the environment:
///   DRIVER_HERE_INIT=N       the driver does not start, for that reason
///   DRIVER_HERE_VERSION=N    of CUDA, 1000 times the major one and 10 times the minor one
///   DRIVER_HERE_CARDS=M,...  the compute capabilities (major) of the cards; 0: there are none
///   DRIVER_HERE_FAILS=N      the N-th launch of motions fails, and all that is asked for after it
///   DRIVER_HERE_SLOW=N       so many times it says that motions are still on their way
///   DRIVER_HERE_MEMORY=N     bytes of the card and as many beside it
///   DRIVER_HERE_TOLD=FILE    a line for each card that is opened and each program that is made
#include "threads_here.h"

#include <stdatomic.h>
#include <stdio.h>

#undef snprintf // a driver writes texts

#define DRIVER __attribute__((visibility("default")))

enum { OUT_OF_MEMORY = 2, NO_DEVICE = 100, INVALID_IMAGE = 200, INVALID_PTX = 218 };
enum { NOT_FOUND = 500, NOT_READY = 600, ILLEGAL_ADDRESS = 700, MOST_CARDS = 8 };
static const char MACHINE_CODE[] = "machine code of driver_here\n";

static int majors[MOST_CARDS], cards, version;
static long fails_at, slow;
static atomic_long launches, left;
static atomic_bool broken;

static long asked(const char *name, long otherwise) {
  const char *text = getenv(name);
  return text ? strtol(text, NULL, 10) : otherwise;
}

static void tell(const char *what, long number) {
  const char *path = getenv("DRIVER_HERE_TOLD");
  FILE *file = path ? fopen(path, "a") : NULL;
  if (!file) return;
  (void)fprintf(file, "%s %ld\n", what, number);
  (void)fclose(file);
}

static int state(void) { return atomic_load(&broken) ? ILLEGAL_ADDRESS : 0; }

// ---- cards ----

DRIVER int cuInit(unsigned flags) {
  const char *at = getenv("DRIVER_HERE_CARDS");
  (void)flags;
  cards = 0;
  for (at = at ? at : "9"; at && *at != '0' && cards < MOST_CARDS; at = strchr(at, ',')) {
    at += *at == ',';
    majors[cards++] = atoi(at);
  }
  version = (int)asked("DRIVER_HERE_VERSION", 12040);
  slow = asked("DRIVER_HERE_SLOW", 2);
  fails_at = asked("DRIVER_HERE_FAILS", -1);
  atomic_store(&left, asked("DRIVER_HERE_MEMORY", 1L << 40));
  return cards == 0 ? NO_DEVICE : (int)asked("DRIVER_HERE_INIT", 0);
}
DRIVER int cuDriverGetVersion(int *found) { return *found = version, 0; }
DRIVER int cuDeviceGetCount(int *count) { return *count = cards, 0; }
DRIVER int cuDeviceGet(int *device, int k) { return *device = k, k < cards ? 0 : NO_DEVICE; }
DRIVER int cuDeviceGetName(char *name, int room, int device) {
  return (void)snprintf(name, (size_t)room, "card %d of driver_here", device), 0;
}
DRIVER int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  return (void)device, *bytes = 80000000000u, 0;
}
DRIVER int cuDeviceGetAttribute(int *value, int which, int device) {
  enum { MAJOR = 75 };
  return *value = which == MAJOR ? majors[device] : 0, 0;
}
DRIVER int cuDevicePrimaryCtxRetain(void **context, int device) {
  tell("card", device);
  return *context = &majors[device], 0;
}
DRIVER int cuDevicePrimaryCtxRelease_v2(int device) { return (void)device, 0; }
DRIVER int cuCtxSetCurrent(void *context) { return context ? state() : INVALID_IMAGE; }
DRIVER int cuCtxSetLimit(int which, size_t value) { return (void)which, (void)value, state(); }
DRIVER int cuGetErrorString(int status, const char **text) {
  *text = status == ILLEGAL_ADDRESS ? "an illegal memory access was encountered"
          : status == INVALID_PTX   ? "a PTX JIT compilation failed"
                                    : "something else";
  return 0;
}

// ---- programs ----

/// What is linked: the text of the model's functions is all that is used.
typedef struct linking {
  char *log;
  size_t log_room;
  char *made;
  size_t size;
} linking;

DRIVER int cuLinkCreate_v2(unsigned count, int *options, void **values, void **linker) {
  enum { ERROR_BUFFER = 5, ERROR_SIZE = 6 };
  linking *it = calloc(1, sizeof *it);
  for (unsigned k = 0; it && k < count; k++) {
    if (options[k] == ERROR_BUFFER) it->log = values[k];
    if (options[k] == ERROR_SIZE) it->log_room = (size_t)(uintptr_t)values[k];
  }
  return *linker = it, it ? 0 : OUT_OF_MEMORY;
}
DRIVER int cuLinkAddData_v2(void *linker, int type, const void *data, size_t size, const char *name,
                            unsigned count, int *options, void **values) {
  enum { PTX = 1 };
  linking *it = linker;
  (void)count, (void)options, (void)values;
  if (type == PTX && (strlen(data) + 1 != size || !strstr(data, ".version"))) {
    if (it->log) (void)snprintf(it->log, it->log_room, "ptxas fatal: no version in %s", name);
    return INVALID_PTX;
  }
  if (strcmp(name, "model") != 0) return 0;
  it->size = sizeof MACHINE_CODE - 1 + size;
  it->made = malloc(it->size);
  if (!it->made) return OUT_OF_MEMORY;
  memcpy(it->made, MACHINE_CODE, sizeof MACHINE_CODE - 1);
  memcpy(it->made + sizeof MACHINE_CODE - 1, data, size);
  return 0;
}
DRIVER int cuLinkComplete(void *linker, void **program, size_t *size) {
  const linking *it = linker;
  tell("compiled", (long)it->size);
  return *program = it->made, *size = it->size, 0;
}
DRIVER int cuLinkDestroy(void *linker) {
  free(((linking *)linker)->made);
  return free(linker), 0;
}
DRIVER int cuModuleLoadData(void **loaded, const void *program) {
  if (strncmp(program, MACHINE_CODE, sizeof MACHINE_CODE - 1) != 0) return INVALID_IMAGE;
  ptx_release(&module);
  (void)ptx_read(&module, (const char *)program + sizeof MACHINE_CODE - 1);
  return *loaded = &module, state();
}
DRIVER int cuModuleUnload(void *loaded) { return (void)loaded, 0; }

/// Entries by the ground they have: see src/device/thread_entries.c.
static struct entry {
  const char *name;
  size_t ground;
} entries[] = {{"carom_entry_settle", 0},
               {"carom_entry_small", 32 << 10},
               {"carom_entry_middle", 96 << 10},
               {"carom_entry_large", 224 << 10},
               {"carom_entry_slab", 0}};
enum { SETTLE = 0, SLAB = 4, ENTRIES_HERE };

DRIVER int cuModuleGetFunction(void **function, void *loaded, const char *name) {
  (void)loaded;
  for (int k = 0; k < ENTRIES_HERE; k++)
    if (strcmp(entries[k].name, name) == 0) return *function = &entries[k], 0;
  return NOT_FOUND;
}
DRIVER int cuModuleGetGlobal_v2(uint64_t *at, size_t *size, void *loaded, const char *name) {
  static carom_program_codes table[MOST_FUNCTIONS];
  int count = module.code_count / 2;
  (void)loaded, (void)name;
  memset(table, 0, sizeof table);
  if (count > MOST_FUNCTIONS || !codes_here(count, table)) return NOT_FOUND;
  return *at = (uint64_t)(uintptr_t)table, *size = (size_t)count * sizeof *table, 0;
}

// ---- memory: that of the card is not clean, and knows its size ----

enum { BEFORE = 64 };

static void *take(size_t size) {
  if (atomic_fetch_sub(&left, (long)size) < (long)size) {
    atomic_fetch_add(&left, (long)size);
    return NULL;
  }
  char *taken = malloc(size + BEFORE);
  if (!taken) return NULL;
  memcpy(taken, &size, sizeof size);
  return memset(taken + BEFORE, 0xa5, size);
}
static int give(void *memory) {
  size_t size;
  memcpy(&size, (char *)memory - BEFORE, sizeof size);
  atomic_fetch_add(&left, (long)size);
  return free((char *)memory - BEFORE), 0;
}
static void *place_of(uint64_t address) { return (void *)(uintptr_t)address; }

DRIVER int cuMemAlloc_v2(uint64_t *memory, size_t size) {
  void *taken = take(size);
  return *memory = (uint64_t)(uintptr_t)taken, taken ? state() : OUT_OF_MEMORY;
}
DRIVER int cuMemFree_v2(uint64_t memory) { return give(place_of(memory)); }
DRIVER int cuMemAllocHost_v2(void **memory, size_t size) {
  return *memory = take(size), *memory ? state() : OUT_OF_MEMORY;
}
DRIVER int cuMemFreeHost(void *memory) { return give(memory); }
DRIVER int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t size) {
  return memcpy(place_of(to), from, size), state();
}
DRIVER int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size) {
  return memcpy(to, place_of(from), size), state();
}
DRIVER int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t size, void *stream) {
  return (void)stream, memcpy(place_of(to), from, size), state();
}
// what comes back of a card that failed is of no use
DRIVER int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t size, void *stream) {
  (void)stream;
  if (state() != 0) return memset(to, 0xa5, size), state();
  return memcpy(to, place_of(from), size), 0;
}

// ---- work ----

/// Asked for the first times after a launch, it is not ready.
typedef struct stream {
  int asked;
} stream;

DRIVER int cuStreamCreate(void **made, unsigned flags) {
  return (void)flags, *made = calloc(1, sizeof(stream)), *made ? state() : OUT_OF_MEMORY;
}
DRIVER int cuStreamDestroy_v2(void *it) { return free(it), 0; }
DRIVER int cuStreamSynchronize(void *it) { return (void)it, state(); }
DRIVER int cuStreamQuery(void *it) { return ((stream *)it)->asked++ < slow ? NOT_READY : state(); }

DRIVER int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                          unsigned by, unsigned bz, unsigned shared, void *it, void **arguments,
                          void **extra) {
  const struct entry *entry = function;
  void *first = *(void **)arguments[0];
  (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared, (void)extra;
  ((stream *)it)->asked = 0;
  if (entry == &entries[SETTLE]) {
    size_t *used = *(void **)arguments[3];
    *used = carom_device_settle(first, *(void **)arguments[1], *(size_t *)arguments[2]);
    return state();
  }
  long number = atomic_fetch_add(&launches, 1) + 1;
  if (fails_at > 0 && number >= fails_at) atomic_store(&broken, true);
  if (state() != 0) return 0; // told when it is waited for
  size_t ground = entry == &entries[SLAB] ? *(size_t *)arguments[2] : entry->ground;
  return move_here(first, ground) ? 0 : OUT_OF_MEMORY;
}
