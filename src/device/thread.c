// SPDX-License-Identifier: MIT
/// What one thread of a card does: it makes a simulation on its own ground, and takes one motion
/// after the other to where it is wanted. The arena is its ground from one end to the other.
#include "device/thread_work.h"

#include "base/arena.h"
#include "engine/engine.h"
#include "hybrid/hybrid.h"
#include "symbolic/parse.h"
#include "symbolic/series.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// ---- memory ----

enum { ALIGNMENT = 16 };

struct carom_arena {
  char *next, *end;
  long failures;
};

void *carom_arena_take(carom_arena *arena, size_t size) {
  char *taken = arena->next;
  size_t room = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
  if (room < size || room > (size_t)(arena->end - taken)) {
    arena->failures++;
    return NULL;
  }
  arena->next += room;
  return memset(taken, 0, size);
}

void *carom_arena_array(carom_arena *arena, size_t count, size_t size) {
  return carom_arena_take(arena, size && count > SIZE_MAX / size ? SIZE_MAX : count * size);
}

long carom_arena_failures(const carom_arena *arena) { return arena->failures; }

// ---- motions ----

static carom_simulation *make_simulation(const carom_model *model, carom_arena *arena) {
  carom_simulation *made = carom_arena_take(arena, sizeof *made);
  if (!made) return NULL;
  made->arena = arena;
  made->model = model;
  return carom_hybrid_make(made, NULL) == CAROM_OK ? made : NULL;
}

/// One motion as it is noted.
typedef struct noting {
  const carom_noted_kind *kind;
  double since, *to;
} noting;

static bool is_noted(const carom_event *event, const char *name) {
  bool counts = event->kind == CAROM_EVENT_SECTION || event->kind == CAROM_EVENT_USER ||
                event->kind == CAROM_EVENT_IMPACT;
  return counts && event->name && strcmp(event->name, name) == 0;
}

static int note_event(void *ctx, const carom_event *event) {
  const noting *it = ctx;
  const carom_noted_kind *kind = it->kind;
  if (!is_noted(event, kind->name) || event->t < it->since) return 0;
  long total = (long)it->to[0], slot = total % kind->keep;
  double *state = it->to + CAROM_NOTED_HEAD + slot * kind->size;
  for (int i = 0; i < kind->size; i++)
    state[i] = event->after[i];
  it->to[0] = (double)(total + 1);
  it->to[2] = it->to[1];
  it->to[1] = event->t;
  return kind->skip >= 0 && total + 1 >= kind->skip + kind->keep;
}

static void begin_noting(carom_simulation *simulation, const carom_device_work *work, long k,
                         noting *it) {
  if (!work->kind.name[0]) return;
  *it = (noting){&work->kind, work->since[k],
                 work->noted + (size_t)k * carom_noted_room(&work->kind)};
  it->to[0] = it->to[1] = it->to[2] = 0.0;
  simulation->observer = (carom_observer){.ctx = it, .event = note_event};
}

static carom_status move_simulation(carom_simulation *simulation, const carom_device_work *work,
                                    long k) {
  carom_error error = {0}; // some ask it what went wrong
  size_t size = work->size, at = (size_t)k * size;
  carom_status status = carom_hybrid_take(simulation, work->from + at, size, NULL);
  if (status != CAROM_OK) return status;
  carom_hybrid *it = simulation->state;
  double until = work->until[k];
  noting notes;
  if (!isfinite(until) || until < it->now.t) return CAROM_ERR_ARGUMENT;
  begin_noting(simulation, work, k, &notes);
  carom_status moved = carom_hybrid_advance(it, until, false, &error);
  if (moved < 0) return moved;
  status = carom_hybrid_lend(simulation, work->to + at, &size, NULL);
  return status == CAROM_OK ? moved : status;
}

void carom_device_thread(const carom_device_work *work, char *room, size_t size, long first,
                         long stride) {
  carom_arena arena = {room, room + size, 0};
  for (long k = first; k < work->count; k += stride)
    work->statuses[k] = CAROM_ERR_UNSUPPORTED; // if it gives up
  carom_simulation *simulation = make_simulation(work->model, &arena);
  for (long k = first; k < work->count && simulation; k += stride)
    work->statuses[k] = move_simulation(simulation, work, k);
}

size_t carom_device_settle(carom_model *model, char *room, size_t size) {
  carom_hybrid_model *prepared = model->prepared;
  carom_dynamics *dynamics = prepared->dynamics;
  dynamics->evaluator = &carom_program_evaluator;
  if (dynamics->programs.flow)
    dynamics->programs.flow_code = carom_program_native(dynamics->programs.flow);
  carom_arena arena = {room, room + size, 0};
  return make_simulation(model, &arena) ? (size_t)(arena.next - room) : 0;
}

// ---- what a thread does not do: the processor does, and tells ----

carom_status carom_thread_fails(carom_error *error, carom_status status) {
  if (error) error->status = status;
  return status;
}

carom_status carom_fail_memory(carom_error *error) {
  return carom_thread_fails(error, CAROM_ERR_MEMORY);
}

void carom_fail_moving(carom_error *error, double t, int count, const double *state,
                       const char *expression) {
  (void)error, (void)t, (void)count, (void)state, (void)expression;
}

int carom_thread_untold(char *text, size_t room) {
  if (room > 0) text[0] = '\0';
  return 0;
}

char *carom_node_text(carom_arena *arena, const carom_graph *graph, carom_node node, size_t limit) {
  (void)arena, (void)graph, (void)node, (void)limit;
  return NULL; // of an error
}

// ---- what it cannot do: its motion ends there, and is computed by the processor ----

carom_status carom_series_compile(carom_arena *arena, const carom_series_task *task,
                                  carom_program **program, int *degree, carom_error *error) {
  (void)arena, (void)task, (void)program, (void)degree, (void)error;
  carom_thread_gives_up();
}

carom_arena *carom_arena_create(const carom_allocator *allocator) {
  (void)allocator;
  carom_thread_gives_up();
}

const carom_allocator *carom_arena_allocator(const carom_arena *arena) {
  (void)arena;
  carom_thread_gives_up();
}

void carom_arena_destroy(carom_arena *arena) {
  (void)arena;
  carom_thread_gives_up();
}

double carom_node_evaluate(const carom_graph *graph, carom_node node, const double *symbol_values,
                           carom_error *error) {
  (void)graph, (void)node, (void)symbol_values, (void)error;
  carom_thread_gives_up();
}

bool carom_node_depends(const carom_graph *graph, carom_node node, carom_node symbol) {
  (void)graph, (void)node, (void)symbol;
  carom_thread_gives_up();
}

bool carom_node_depends_kind(const carom_graph *graph, carom_node node, unsigned kinds) {
  (void)graph, (void)node, (void)kinds;
  carom_thread_gives_up();
}

carom_status carom_check_options(size_t size, size_t expected, const char *name,
                                 carom_error *error) {
  (void)name;
  return size == expected ? CAROM_OK : carom_thread_fails(error, CAROM_ERR_ARGUMENT);
}

#if defined(__NVPTX__)
// what clang makes of the atomic pointers of phase_series.c: nothing changes there on a card
uint64_t carom_thread_look(const volatile void *at, int order) __asm__("__atomic_load_8");
uint64_t carom_thread_look(const volatile void *at, int order) {
  return (void)order, *(const volatile uint64_t *)at;
}
#endif
