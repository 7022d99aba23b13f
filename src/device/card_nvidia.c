// SPDX-License-Identifier: MIT
/// NVIDIA's cards, through their driver alone: it compiles the PTX for the card it finds, and keeps
/// what it made by program, card and driver. Names and numbers are those of the CUDA driver API,
/// whose interface does not change (its functions with other arguments get other names).
#include "device/card.h"

#include "base/error.h"
#include "base/platform.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char LIBRARY[] = "libcuda.so.1";
enum { OLDEST_DRIVER = 11000 }; // CUDA 11.0: PTX 7.0
enum { LEAST_MAJOR = 7 };       // compute capability 7.0: threads of a group may part

enum { GROUP = 64 };                               // threads that start together
enum { STACK = 64 << 10 };                         // bytes of a thread beside its ground
enum { SLAB_FOR_SETTLING = 256 << 20 };            // the largest simulation
enum { LIMIT_STACK_SIZE = 0 };                     // CU_LIMIT_STACK_SIZE
enum { MAJOR = 75 };                               // CU_DEVICE_ATTRIBUTE_...
enum { JIT_ERROR_BUFFER = 5, JIT_ERROR_SIZE = 6 }; // CU_JIT_...
enum { NON_BLOCKING = 1 };                         // CU_STREAM_NON_BLOCKING
enum { PTX = 1 };                                  // CU_JIT_INPUT_PTX

typedef uint64_t address;

// The functions of the driver; 0 is success.

typedef struct driver_cards {
  int (*init)(unsigned flags);
  int (*version)(int *version);
  int (*count)(int *count);
  int (*get)(int *device, int k);
  int (*name)(char *name, int room, int device);
  int (*memory)(size_t *bytes, int device);
  int (*attribute)(int *value, int which, int device);
  int (*retain)(void **context, int device);
  int (*release)(int device);
  int (*use)(void *context);
  int (*limit)(int which, size_t value);
  int (*text)(int status, const char **text);
} driver_cards;

typedef struct driver_programs {
  int (*link)(unsigned count, int *options, void **values, void **linker);
  int (*add)(void *linker, int type, const void *data, size_t size, const char *name,
             unsigned count, int *options, void **values);
  int (*complete)(void *linker, void **program, size_t *size);
  int (*end_link)(void *linker);
  int (*load)(void **module, const void *program);
  int (*unload)(void *module);
  int (*function)(void **function, void *module, const char *name);
} driver_programs;

typedef struct driver_memory {
  int (*take)(address *memory, size_t size);
  int (*give)(address memory);
  int (*take_here)(void **memory, size_t size);
  int (*give_here)(void *memory);
  int (*put)(address to, const void *from, size_t size);
  int (*get_back)(void *to, address from, size_t size);
  int (*put_later)(address to, const void *from, size_t size, void *stream);
  int (*get_back_later)(void *to, address from, size_t size, void *stream);
} driver_memory;

typedef struct driver_work {
  int (*stream)(void **stream, unsigned flags);
  int (*end_stream)(void *stream);
  int (*wait)(void *stream);
  int (*launch)(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                unsigned bz, unsigned shared, void *stream, void **arguments, void **extra);
} driver_work;

typedef struct driver {
  driver_cards cards;
  driver_programs programs;
  driver_memory memory;
  driver_work work;
} driver;

/// Entries by the ground they have: see thread_entries.c.
static const struct {
  const char *name;
  size_t ground;
} ENTRIES[] = {{"carom_entry_small", 32 << 10},
               {"carom_entry_middle", 96 << 10},
               {"carom_entry_large", 224 << 10},
               {"carom_entry_slab", SIZE_MAX}};
enum { ENTRY_COUNT = sizeof ENTRIES / sizeof *ENTRIES, SLAB = ENTRY_COUNT - 1 };

typedef struct nvidia {
  driver call;
  int device;
  void *context, *module, *settle, *entries[ENTRY_COUNT];
  char fault[CAROM_ERROR_TEXT / 2];
} nvidia;

static bool load_driver(driver *it) {
  const struct {
    const char *name;
    void *entry;
  } all[] = {{"cuInit", &it->cards.init},
             {"cuDriverGetVersion", &it->cards.version},
             {"cuDeviceGetCount", &it->cards.count},
             {"cuDeviceGet", &it->cards.get},
             {"cuDeviceGetName", &it->cards.name},
             {"cuDeviceTotalMem_v2", &it->cards.memory},
             {"cuDeviceGetAttribute", &it->cards.attribute},
             {"cuDevicePrimaryCtxRetain", &it->cards.retain},
             {"cuDevicePrimaryCtxRelease_v2", &it->cards.release},
             {"cuCtxSetCurrent", &it->cards.use},
             {"cuCtxSetLimit", &it->cards.limit},
             {"cuLinkCreate_v2", &it->programs.link},
             {"cuLinkAddData_v2", &it->programs.add},
             {"cuLinkComplete", &it->programs.complete},
             {"cuLinkDestroy", &it->programs.end_link},
             {"cuModuleLoadData", &it->programs.load},
             {"cuModuleUnload", &it->programs.unload},
             {"cuModuleGetFunction", &it->programs.function},
             {"cuMemAlloc_v2", &it->memory.take},
             {"cuMemFree_v2", &it->memory.give},
             {"cuMemAllocHost_v2", &it->memory.take_here},
             {"cuMemFreeHost", &it->memory.give_here},
             {"cuMemcpyHtoD_v2", &it->memory.put},
             {"cuMemcpyDtoH_v2", &it->memory.get_back},
             {"cuMemcpyHtoDAsync_v2", &it->memory.put_later},
             {"cuMemcpyDtoHAsync_v2", &it->memory.get_back_later},
             {"cuStreamCreate", &it->work.stream},
             {"cuStreamDestroy_v2", &it->work.end_stream},
             {"cuStreamSynchronize", &it->work.wait},
             {"cuLaunchKernel", &it->work.launch},
             {"cuGetErrorString", &it->cards.text}};
  void *library = carom_library_open(LIBRARY);
  for (size_t k = 0; library && k < sizeof all / sizeof *all; k++) {
    void *found = carom_library_find(library, all[k].name);
    if (!found) return false;
    memcpy(all[k].entry, &found, sizeof found);
  }
  return library != NULL;
}

// false, and what failed is noted
static bool went_well(nvidia *it, const char *what, int status) {
  const char *text = NULL;
  if (status == 0) return true;
  if (it->call.cards.text(status, &text) != 0 || !text) text = "unknown";
  (void)snprintf(it->fault, sizeof it->fault, "%s: %s (CUDA error %d)", what, text, status);
  return false;
}

// ---- memory ----

static void *as_pointer(address memory) { return (void *)(uintptr_t)memory; }
static address as_address(const void *memory) { return (address)(uintptr_t)memory; }

static void *take_memory(void *ctx, size_t size) {
  nvidia *it = ctx;
  address memory = 0;
  if (it->call.cards.use(it->context) != 0) return NULL;
  return it->call.memory.take(&memory, size > 0 ? size : 1) == 0 ? as_pointer(memory) : NULL;
}

static void give_memory(void *ctx, void *memory) {
  nvidia *it = ctx;
  if (memory && it->call.cards.use(it->context) == 0)
    (void)it->call.memory.give(as_address(memory));
}

static void *take_here(void *ctx, size_t size) {
  nvidia *it = ctx;
  void *memory = NULL;
  if (it->call.cards.use(it->context) != 0) return NULL;
  return it->call.memory.take_here(&memory, size > 0 ? size : 1) == 0 ? memory : NULL;
}

static void give_here(void *ctx, void *memory) {
  nvidia *it = ctx;
  if (memory && it->call.cards.use(it->context) == 0) (void)it->call.memory.give_here(memory);
}

static bool put_memory(void *ctx, void *to, const void *from, size_t size) {
  nvidia *it = ctx;
  return went_well(it, "using the card", it->call.cards.use(it->context)) &&
         went_well(it, "writing to the card", it->call.memory.put(as_address(to), from, size));
}

// ---- work ----

static void *begin_queue(void *ctx) {
  nvidia *it = ctx;
  void *stream = NULL;
  if (!went_well(it, "using the card", it->call.cards.use(it->context))) return NULL;
  return went_well(it, "beginning a queue", it->call.work.stream(&stream, NON_BLOCKING)) ? stream
                                                                                         : NULL;
}

static void end_queue(void *ctx, void *stream) {
  nvidia *it = ctx;
  if (stream && it->call.cards.use(it->context) == 0) (void)it->call.work.end_stream(stream);
}

static bool launch_threads(nvidia *it, void *function, long threads, void *stream,
                           void **arguments) {
  unsigned groups = (unsigned)((threads + GROUP - 1) / GROUP);
  unsigned group = threads < GROUP ? (unsigned)threads : GROUP;
  return went_well(it, "starting threads",
                   it->call.work.launch(function, groups, 1, 1, group, 1, 1, 0, stream, arguments,
                                        NULL)) &&
         went_well(it, "running threads", it->call.work.wait(stream));
}

static int entry_for(size_t room) {
  int k = 0;
  while (ENTRIES[k].ground < room)
    k++;
  return k;
}

// the ground of an entry lies on its stack
static bool make_stacks(nvidia *it, size_t room) {
  int entry = entry_for(carom_card_room(room));
  size_t ground = entry == SLAB ? 0 : ENTRIES[entry].ground;
  return went_well(it, "making stacks", it->call.cards.limit(LIMIT_STACK_SIZE, ground + STACK));
}

static bool settle_model(void *ctx, void *model, size_t *room) {
  nvidia *it = ctx;
  size_t size = SLAB_FOR_SETTLING;
  void *slab = take_memory(it, size), *used = take_memory(it, sizeof *room),
       *stream = begin_queue(it);
  void *arguments[] = {&model, &slab, &size, &used};
  bool done = slab && used && stream && launch_threads(it, it->settle, 1, stream, arguments) &&
              went_well(it, "reading from the card",
                        it->call.memory.get_back(room, as_address(used), sizeof *room));
  end_queue(it, stream);
  give_memory(it, slab);
  give_memory(it, used);
  return done && (*room == 0 || make_stacks(it, *room));
}

// as many threads as motions; with grounds from a slab, as many as it has
static bool run_threads(nvidia *it, const carom_batch *batch) {
  enum { MOST_IN_SLAB = 4096 };
  int entry = entry_for(batch->room);
  const carom_device_work *place = batch->place;
  long threads = (batch->there.count + GROUP - 1) / GROUP * GROUP;
  if (entry != SLAB) {
    void *arguments[] = {&place};
    return launch_threads(it, it->entries[entry], threads, batch->queue, arguments);
  }
  if (threads > MOST_IN_SLAB) threads = MOST_IN_SLAB;
  size_t room = batch->room;
  void *slab = take_memory(it, room * (size_t)threads);
  void *arguments[] = {&place, &slab, &room};
  bool done = slab && launch_threads(it, it->entries[SLAB], threads, batch->queue, arguments);
  if (!slab) (void)snprintf(it->fault, sizeof it->fault, "the card has too little memory");
  give_memory(it, slab);
  return done;
}

static bool run_batch(void *ctx, const carom_batch *batch) {
  nvidia *it = ctx;
  const carom_device_work *there = &batch->there;
  void *stream = batch->queue;
  size_t count = (size_t)there->count, bytes = count * there->size;
  return went_well(it, "using the card", it->call.cards.use(it->context)) &&
         went_well(
             it, "writing to the card",
             it->call.memory.put_later(as_address(there->from), batch->from, bytes, stream)) &&
         went_well(it, "writing to the card",
                   it->call.memory.put_later(as_address(there->until), batch->until,
                                             count * sizeof *batch->until, stream)) &&
         went_well(
             it, "writing to the card",
             it->call.memory.put_later(as_address(batch->place), there, sizeof *there, stream)) &&
         run_threads(it, batch) &&
         went_well(
             it, "reading from the card",
             it->call.memory.get_back_later(batch->to, as_address(there->to), bytes, stream)) &&
         went_well(it, "reading from the card",
                   it->call.memory.get_back_later(batch->statuses, as_address(there->statuses),
                                                  count * sizeof *batch->statuses, stream)) &&
         went_well(it, "reading from the card", it->call.work.wait(stream));
}

static const char *last_fault(void *ctx) { return ((const nvidia *)ctx)->fault; }

static void close_card(void *ctx) {
  nvidia *it = ctx;
  if (it->context && it->call.cards.use(it->context) == 0) {
    if (it->module) (void)it->call.programs.unload(it->module);
    (void)it->call.cards.release(it->device);
  }
  free(it);
}

// ---- opening ----

static void describe_card(const driver *call, int device, int version, char *text, size_t room) {
  char name[96] = "";
  size_t bytes = 0;
  (void)call->cards.name(name, sizeof name, device);
  (void)call->cards.memory(&bytes, device);
  (void)snprintf(text, room, "%s, %.0f GB, CUDA %d.%d", name, (double)bytes * 1e-9, version / 1000,
                 version % 1000 / 10);
}

// the driver and its first card; NULL, or why there is none
static const char *find_driver(driver *call, int *version, int *count) {
  if (!load_driver(call))
    return "the driver of NVIDIA's cards (libcuda.so.1) is not installed, or too old";
  if (call->cards.init(0) != 0 || call->cards.version(version) != 0 ||
      call->cards.count(count) != 0 || *count < 1)
    return "the driver of NVIDIA's cards finds no card";
  if (*version < OLDEST_DRIVER)
    return "the driver of NVIDIA's cards is too old: 450 or newer is needed";
  return NULL;
}

// Compiled as a part to be linked, which takes seconds; as a whole program it would be looked
// through as one, which takes many minutes.
static bool compile_program(nvidia *it, const char *ptx, size_t size) {
  char log[512] = "";
  int options[] = {JIT_ERROR_BUFFER, JIT_ERROR_SIZE};
  void *values[] = {log, as_pointer(sizeof log)}, *linker = NULL, *program = NULL;
  size_t length = 0;
  if (!went_well(it, "beginning to compile", it->call.programs.link(2, options, values, &linker)))
    return false;
  bool made = went_well(it, "compiling",
                        it->call.programs.add(linker, PTX, ptx, size, "carom", 0, NULL, NULL)) &&
              went_well(it, "linking", it->call.programs.complete(linker, &program, &length)) &&
              went_well(it, "loading", it->call.programs.load(&it->module, program));
  if (!made)
    (void)snprintf(it->fault + strlen(it->fault), sizeof it->fault - strlen(it->fault), "; %s",
                   log);
  (void)it->call.programs.end_link(linker);
  return made;
}

static bool load_program(nvidia *it, const char *program, size_t size) {
  bool compiled = size > 4 && memcmp(program, "\177ELF", 4) == 0;
  if (!(compiled ? went_well(it, "loading", it->call.programs.load(&it->module, program))
                 : compile_program(it, program, size + 1))) // with the zero at its end
    return false;
  bool found = went_well(it, "carom_entry_settle",
                         it->call.programs.function(&it->settle, it->module, "carom_entry_settle"));
  for (int k = 0; k < ENTRY_COUNT && found; k++)
    found = went_well(it, ENTRIES[k].name,
                      it->call.programs.function(&it->entries[k], it->module, ENTRIES[k].name));
  return found;
}

static bool open_device(nvidia *it, const char *program, size_t size) {
  int major = 0;
  if (!went_well(it, "finding the card", it->call.cards.get(&it->device, 0)) ||
      !went_well(it, "asking the card", it->call.cards.attribute(&major, MAJOR, it->device)))
    return false;
  if (major < LEAST_MAJOR) {
    (void)snprintf(it->fault, sizeof it->fault, "compute capability 7.0 or higher is needed");
    return false;
  }
  return went_well(it, "opening the card", it->call.cards.retain(&it->context, it->device)) &&
         went_well(it, "using the card", it->call.cards.use(it->context)) &&
         went_well(it, "setting the stack", it->call.cards.limit(LIMIT_STACK_SIZE, STACK)) &&
         load_program(it, program, size);
}

carom_status carom_card_open_nvidia(const char *program, size_t size, carom_card *card,
                                    carom_error *error) {
  int version = 0, count = 0;
  nvidia *it = calloc(1, sizeof *it);
  if (!it) return carom_fail_memory(error);
  const char *missing = find_driver(&it->call, &version, &count);
  if (missing) {
    free(it);
    return carom_fail(error, CAROM_ERR_UNSUPPORTED, "no card: %s", missing);
  }
  *card = (carom_card){.ctx = it,
                       .take = take_memory,
                       .give = give_memory,
                       .take_here = take_here,
                       .give_here = give_here,
                       .put = put_memory,
                       .settle = settle_model,
                       .queue = begin_queue,
                       .end_queue = end_queue,
                       .run = run_batch,
                       .fault = last_fault,
                       .close = close_card};
  bool ready = open_device(it, program, size);
  describe_card(&it->call, it->device, version, card->name, sizeof card->name);
  if (ready) return CAROM_OK;
  carom_status status = carom_fail(error, CAROM_ERR_UNSUPPORTED, "the card (%s) cannot be used: %s",
                                   card->name, it->fault);
  close_card(it);
  return status;
}
