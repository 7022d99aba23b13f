// SPDX-License-Identifier: MIT
/// NVIDIA's cards, through their driver alone: it compiles the PTX for the card it finds, and keeps
/// what it made by program, card and driver. Names and numbers are those of the CUDA driver API,
/// whose interface does not change (its functions with other arguments get other names).
#include "device/card.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/platform.h"
#include "carom/sweep.h"
#include "device/image.h"

#include <stdatomic.h>
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
enum { MAJOR = 75, MINOR = 76 };                   // CU_DEVICE_ATTRIBUTE_...
enum { JIT_ERROR_BUFFER = 5, JIT_ERROR_SIZE = 6 }; // CU_JIT_...
enum { NON_BLOCKING = 1 };                         // CU_STREAM_NON_BLOCKING
enum { MACHINE_CODE = 0, PTX = 1 };                // CU_JIT_INPUT_...
enum { JIT_REGISTERS = 0 };                        // CU_JIT_MAX_REGISTERS
enum { REGISTERS = 64 };                           // of a thread

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
  int (*variable)(address *at, size_t *size, void *module, const char *name);
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
  int (*query)(void *stream);
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
  int device, major, minor; // compute capability
  void *context, *module, *settle, *entries[ENTRY_COUNT];
  char fault[CAROM_ERROR_TEXT / 2];
  atomic_int faults; // 0: none; 1: it is being written; 2: it can be read, and stays
} nvidia;

enum { MISSING = 240 }; // letters of what is missing

// false: `missing` tells why
static bool load_driver(driver *it, char missing[MISSING]) {
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
             {"cuModuleGetGlobal_v2", &it->programs.variable},
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
             {"cuStreamQuery", &it->work.query},
             {"cuLaunchKernel", &it->work.launch},
             {"cuGetErrorString", &it->cards.text}};
  void *library = carom_library_open(LIBRARY);
  (void)snprintf(missing, MISSING,
                 "the driver of NVIDIA's cards (%s) is not installed: version 450 or newer is "
                 "needed (Debian: nvidia-driver, libcuda1)",
                 LIBRARY);
  for (size_t k = 0; library && k < sizeof all / sizeof *all; k++) {
    void *found = carom_library_find(library, all[k].name);
    (void)snprintf(missing, MISSING,
                   "the driver of NVIDIA's cards (%s) is too old, it has no %s: version 450 or "
                   "newer is needed",
                   LIBRARY, all[k].name);
    if (!found) return false;
    memcpy(all[k].entry, &found, sizeof found);
  }
  return library != NULL;
}

static const char *text_of(const driver *call, int status) {
  const char *text = NULL;
  return call->cards.text(status, &text) == 0 && text ? text : "unknown";
}

static const char TOO_LITTLE[] = "it has too little memory left";

// the first fault is kept: those that follow from it say less
static void note_fault(nvidia *it, const char *fault) {
  int none = 0;
  if (!atomic_compare_exchange_strong(&it->faults, &none, 1)) return;
  (void)snprintf(it->fault, sizeof it->fault, "%s", fault);
  atomic_store(&it->faults, 2);
}

// false, and what failed is noted
static bool went_well(nvidia *it, const char *what, int status) {
  char fault[sizeof it->fault];
  if (status == 0) return true;
  (void)snprintf(fault, sizeof fault, "%s: %s (CUDA error %d)", what, text_of(&it->call, status),
                 status);
  note_fault(it, fault);
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
  return went_well(
      it, "starting threads",
      it->call.work.launch(function, groups, 1, 1, group, 1, 1, 0, stream, arguments, NULL));
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
  if (!slab || !used) note_fault(it, TOO_LITTLE);
  bool done = slab && used && stream && launch_threads(it, it->settle, 1, stream, arguments) &&
              went_well(it, "running threads", it->call.work.wait(stream)) &&
              went_well(it, "reading from the card",
                        it->call.memory.get_back(room, as_address(used), sizeof *room));
  end_queue(it, stream);
  give_memory(it, slab);
  give_memory(it, used);
  return done && (*room == 0 || make_stacks(it, *room));
}

// as many threads as motions; with grounds from a slab, as many as it has
static bool run_threads(nvidia *it, carom_batch *batch) {
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
  batch->slab = take_memory(it, room * (size_t)threads);
  void *arguments[] = {&place, &batch->slab, &room};
  if (!batch->slab) note_fault(it, TOO_LITTLE);
  return batch->slab && launch_threads(it, it->entries[SLAB], threads, batch->queue, arguments);
}

static bool use_card(nvidia *it) {
  return went_well(it, "using the card", it->call.cards.use(it->context));
}

static bool start_batch(void *ctx, carom_batch *batch) {
  nvidia *it = ctx;
  const carom_device_work *there = &batch->there;
  const driver_memory *memory = &it->call.memory;
  void *stream = batch->queue;
  size_t count = (size_t)there->count, bytes = count * there->size;
  size_t noted = count * carom_noted_room(&there->kind) * sizeof *there->noted;
  const char *writing = "writing to the card", *reading = "reading from the card";
  return use_card(it) &&
         went_well(it, writing,
                   memory->put_later(as_address(there->from), batch->from, bytes, stream)) &&
         went_well(it, writing,
                   memory->put_later(as_address(there->until), batch->until,
                                     count * sizeof *batch->until, stream)) &&
         (noted == 0 || went_well(it, writing,
                                  memory->put_later(as_address(there->since), batch->since,
                                                    count * sizeof *batch->since, stream))) &&
         went_well(it, writing,
                   memory->put_later(as_address(batch->place), there, sizeof *there, stream)) &&
         run_threads(it, batch) &&
         went_well(it, reading,
                   memory->get_back_later(batch->to, as_address(there->to), bytes, stream)) &&
         (noted == 0 || went_well(it, reading,
                                  memory->get_back_later(batch->noted, as_address(there->noted),
                                                         noted, stream))) &&
         went_well(it, reading,
                   memory->get_back_later(batch->statuses, as_address(there->statuses),
                                          count * sizeof *batch->statuses, stream));
}

// a fault is told by finish
static bool is_back(void *ctx, const carom_batch *batch) {
  enum { NOT_READY = 600 };
  nvidia *it = ctx;
  return it->call.cards.use(it->context) != 0 || it->call.work.query(batch->queue) != NOT_READY;
}

static bool finish_batch(void *ctx, carom_batch *batch) {
  nvidia *it = ctx;
  bool done = use_card(it) && went_well(it, "running threads", it->call.work.wait(batch->queue));
  give_memory(it, batch->slab);
  batch->slab = NULL;
  return done;
}

static const char *first_fault(void *ctx) {
  nvidia *it = ctx;
  return atomic_load(&it->faults) == 2 ? it->fault : "it does not say why";
}

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

// the driver and how many cards it has; false: `missing` tells why there is none
static bool find_driver(driver *call, int *version, int *count, char missing[MISSING]) {
  enum { NO_DEVICE = 100 }; // CUDA_ERROR_NO_DEVICE
  if (!load_driver(call, missing)) return false;
  int status = call->cards.init(0);
  if (status == 0) status = call->cards.version(version);
  if (status == 0 && *version < OLDEST_DRIVER) {
    (void)snprintf(missing, MISSING,
                   "the driver of NVIDIA's cards is too old, it is of CUDA %d.%d: version 450 or "
                   "newer is needed",
                   *version / 1000, *version % 1000 / 10);
    return false;
  }
  if (status == 0) status = call->cards.count(count);
  if (status == 0 && *count > 0) return true;
  if (status == 0 || status == NO_DEVICE)
    (void)snprintf(missing, MISSING, "the driver of NVIDIA's cards finds no card");
  else
    (void)snprintf(missing, MISSING,
                   "the driver of NVIDIA's cards does not start: %s (CUDA error %d)",
                   text_of(call, status), status);
  return false;
}

/// What makes machine code: the engine, as PTX or compiled, and the programs of a model.
typedef struct parts {
  const char *program; // with a zero behind it
  size_t size;
  const carom_ptx *model;
  const char *cache;
} parts;

enum { ELF_HEAD = 18, ELF_KIND = 16, ELF_WHOLE = 2 };

static bool is_compiled(const parts *given) {
  return given->size > ELF_HEAD && memcmp(given->program, "\177ELF", 4) == 0;
}

// Parts to be linked are compiled in seconds; as a whole program they would be looked through as
// one, which takes many minutes.
static bool link_parts(nvidia *it, void *linker, const parts *given) {
  int kind = is_compiled(given) ? MACHINE_CODE : PTX;
  size_t size = given->size + (kind == PTX); // with the zero at its end
  return went_well(
             it, "compiling",
             it->call.programs.add(linker, kind, given->program, size, "carom", 0, NULL, NULL)) &&
         went_well(it, "compiling the model's programs",
                   it->call.programs.add(linker, PTX, given->model->text, given->model->size + 1,
                                         "model", 0, NULL, NULL));
}

static bool compile_program(nvidia *it, const parts *given, uint64_t key) {
  char log[512] = "";
  int options[] = {JIT_ERROR_BUFFER, JIT_ERROR_SIZE, JIT_REGISTERS};
  void *values[] = {log, as_pointer(sizeof log), as_pointer(REGISTERS)};
  void *linker = NULL, *made = NULL;
  size_t size = 0;
  if (!went_well(it, "beginning to compile", it->call.programs.link(3, options, values, &linker)))
    return false;
  bool done = link_parts(it, linker, given) &&
              went_well(it, "linking", it->call.programs.complete(linker, &made, &size)) &&
              went_well(it, "loading", it->call.programs.load(&it->module, made));
  if (done)
    carom_cache_keep(given->cache, key, made, size);
  else if (log[0])
    (void)snprintf(it->fault + strlen(it->fault), sizeof it->fault - strlen(it->fault), "; %s",
                   log);
  (void)it->call.programs.end_link(linker);
  return done;
}

// what machine code depends on
static uint64_t key_of(const nvidia *it, const parts *given, int version) {
  const int numbers[] = {version, it->major, it->minor, REGISTERS};
  char name[CAROM_CARD_NAME] = "";
  (void)it->call.cards.name(name, sizeof name, it->device);
  uint64_t key = carom_hash(0, given->program, given->size);
  key = carom_hash(key, given->model->text, given->model->size);
  return carom_hash_text(carom_hash(key, numbers, sizeof numbers), name);
}

static bool load_kept(nvidia *it, const parts *given, uint64_t key) {
  size_t size;
  char *kept = carom_cache_fetch(given->cache, key, &size);
  bool done = kept && it->call.programs.load(&it->module, kept) == 0;
  free(kept);
  return done;
}

static bool load_program(nvidia *it, const parts *given, int version) {
  uint64_t key = key_of(it, given, version);
  bool whole = is_compiled(given) && given->program[ELF_KIND] == ELF_WHOLE;
  if (whole && !went_well(it, "loading", it->call.programs.load(&it->module, given->program)))
    return false;
  if (!whole && !load_kept(it, given, key) && !compile_program(it, given, key)) return false;
  bool found = went_well(it, "carom_entry_settle",
                         it->call.programs.function(&it->settle, it->module, "carom_entry_settle"));
  for (int k = 0; k < ENTRY_COUNT && found; k++)
    found = went_well(it, ENTRIES[k].name,
                      it->call.programs.function(&it->entries[k], it->module, ENTRIES[k].name));
  return found;
}

// a program that was linked without that of a model has none: expressions are interpreted then
static bool find_codes(void *ctx, int count, carom_program_codes *codes) {
  nvidia *it = ctx;
  address at = 0;
  size_t size = 0, wanted = (size_t)count * sizeof *codes;
  if (!went_well(it, "using the card", it->call.cards.use(it->context))) return false;
  if (it->call.programs.variable(&at, &size, it->module, CAROM_IMAGE_CODES) != 0 || size < wanted)
    return true;
  return went_well(it, "reading from the card", it->call.memory.get_back(codes, at, wanted));
}

static bool look_at_device(nvidia *it, int k) {
  return went_well(it, "finding the card", it->call.cards.get(&it->device, k)) &&
         went_well(it, "asking the card",
                   it->call.cards.attribute(&it->major, MAJOR, it->device)) &&
         went_well(it, "asking the card", it->call.cards.attribute(&it->minor, MINOR, it->device));
}

// of the cards that are new enough the one whose turn it is
static bool choose_device(nvidia *it, int count, int turn) {
  int able = 0;
  for (int k = 0; k < count; k++) {
    if (!look_at_device(it, k)) return false;
    able += it->major >= LEAST_MAJOR;
  }
  int left = able > 0 ? turn % able : 0;
  for (int k = 0; k < count && able > 0; k++) {
    if (!look_at_device(it, k)) return false;
    if (it->major >= LEAST_MAJOR && left-- == 0) return true;
  }
  char fault[MISSING];
  (void)snprintf(fault, sizeof fault,
                 "its compute capability is %d.%d, 7.0 (Volta, 2017) or higher is needed",
                 it->major, it->minor);
  note_fault(it, fault);
  return false;
}

static bool open_device(nvidia *it, const parts *given, int version) {
  return went_well(it, "opening the card", it->call.cards.retain(&it->context, it->device)) &&
         went_well(it, "using the card", it->call.cards.use(it->context)) &&
         went_well(it, "setting the stack", it->call.cards.limit(LIMIT_STACK_SIZE, STACK)) &&
         load_program(it, given, version);
}

carom_status carom_card_open_nvidia(const char *program, size_t size, const carom_card_place *place,
                                    const carom_ptx *model, carom_card *card, carom_error *error) {
  const parts given = {program, size, model, place->cache};
  char missing[MISSING];
  int version = 0, count = 0;
  nvidia *it = calloc(1, sizeof *it);
  if (!it) return carom_fail_memory(error);
  if (!find_driver(&it->call, &version, &count, missing)) {
    free(it);
    return carom_fail(error, CAROM_ERR_UNSUPPORTED, "no card: %s", missing);
  }
  *card = (carom_card){.ctx = it,
                       .take = take_memory,
                       .give = give_memory,
                       .take_here = take_here,
                       .give_here = give_here,
                       .put = put_memory,
                       .codes = find_codes,
                       .settle = settle_model,
                       .queue = begin_queue,
                       .end_queue = end_queue,
                       .start = start_batch,
                       .is_back = is_back,
                       .finish = finish_batch,
                       .fault = first_fault,
                       .close = close_card};
  bool ready = choose_device(it, count, place->turn) && open_device(it, &given, version);
  describe_card(&it->call, it->device, version, card->name, sizeof card->name);
  if (ready) return CAROM_OK;
  carom_status status = carom_fail(error, CAROM_ERR_UNSUPPORTED, "the card (%s) cannot be used: %s",
                                   card->name, it->fault);
  close_card(it);
  *card = (carom_card){0};
  return status;
}

// ---- for people ----

void carom_cards_describe(char *text, size_t room) {
  driver call;
  char missing[MISSING];
  int version = 0, count = 0;
  size_t used = 0;
  if (!find_driver(&call, &version, &count, missing)) {
    (void)snprintf(text, room, "none (%s)", missing);
    return;
  }
  if (room > 0) text[0] = '\0';
  for (int k = 0; k < count && used < room; k++) {
    int device = 0;
    char name[CAROM_CARD_NAME];
    if (call.cards.get(&device, k) != 0) continue;
    describe_card(&call, device, version, name, sizeof name);
    int length = snprintf(text + used, room - used, "%s%s", used ? "; " : "", name);
    used += length > 0 ? (size_t)length : 0;
  }
}
