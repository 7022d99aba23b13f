// SPDX-License-Identifier: MIT
#include "hybrid/hybrid.h"

#include "symbolic/operation.h"
#include "symbolic/series.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { LONGEST = 12000 }; // nodes: what a machine's nearer memory holds as code

enum { MOST_LOOKS = 20000 }; // at nodes of one function

// Is the function what its series says wherever that converges? The series of sqrt(u^2), where u
// goes through zero, follows u to the other side: of roots and of inverse functions the series is
// of one of many values. `left` limits the search.
static bool is_its_series(const carom_graph *graph, carom_node node, int *left) {
  const unsigned fixed = 1u << CAROM_SYMBOL_PARAMETER | 1u << CAROM_SYMBOL_MODE;
  if (!carom_node_depends_kind(graph, node, ~fixed)) return true;
  carom_op op = carom_node_op(graph, node);
  if (carom_op_has(op, CAROM_ONE_OF_MANY) || --*left < 0) return false;
  double power = 0.0;
  if (op == CAROM_OP_POW &&
      !(carom_node_is_constant(graph, carom_node_operand(graph, node, 1), &power) &&
        power == floor(power)))
    return false;
  for (int k = 0; k < 3; k++) {
    carom_node operand = carom_node_operand(graph, node, k);
    if (operand && !is_its_series(graph, operand, left)) return false;
  }
  return true;
}

// A component of the state is its own series; gaps are watched while open, slips while sliding.
static bool is_watched(const carom_graph *graph, const carom_watched *watched,
                       const carom_phase_task *task) {
  int left = MOST_LOOKS;
  if (watched->function.component >= 0 || watched->slot > 0) return false;
  if (!is_its_series(graph, watched->function.node, &left)) return false;
  bool closed = watched->index == task->contact;
  if (watched->kind == CAROM_WATCH_GAP) return !closed;
  if (watched->kind == CAROM_WATCH_SLIP) return closed && carom_contact_slip_sign(task->mode) != 0;
  return true;
}

// functions of the phase: its own, then the watched ones; `of` tells which those are
static int list_functions(const carom_hybrid_model *model, const carom_phase_task *task,
                          carom_node *functions, int *of) {
  int count = task->own_count;
  for (int j = 0; j < count; j++)
    functions[j] = task->own[j];
  for (int k = 0; k < model->watched_count; k++) {
    if (!is_watched(model->dynamics->graph, &model->watched[k], task)) continue;
    of[count] = k;
    functions[count++] = model->watched[k].function.node;
  }
  return count;
}

carom_status carom_phase_series_compile(carom_phase_series *series, carom_arena *arena,
                                        const carom_hybrid_model *model,
                                        const carom_phase_task *task, carom_error *error) {
  const carom_dynamics *d = model->dynamics;
  size_t most = (size_t)(task->own_count + model->watched_count);
  long failures = carom_arena_failures(arena);
  carom_node *functions = carom_arena_array(arena, most, sizeof *functions);
  int *of = carom_arena_array(arena, most, sizeof *of);
  bool *has_series = carom_arena_array(arena, most, sizeof *has_series);
  series->slot = carom_arena_array(arena, (size_t)model->watched_count, sizeof *series->slot);
  if (carom_arena_failures(arena) != failures) return carom_fail_memory(error);
  int count = list_functions(model, task, functions, of);
  carom_series_task work = {.graph = d->graph,
                            .input_count = d->input_count,
                            .inputs = d->inputs,
                            .state_count = d->size,
                            .count = d->flow_count,
                            .states = d->inputs + 1,
                            .rates = task->rates,
                            .function_count = count,
                            .functions = functions,
                            .has_series = has_series,
                            .least_degree = CAROM_SERIES_LEAST,
                            .most_nodes = LONGEST};
  carom_status status =
      carom_series_compile(arena, &work, &series->program, &series->degree, error);
  if (status == CAROM_OK && !series->program && count > 0) { // the motion alone may be shorter
    work.function_count = 0;
    status = carom_series_compile(arena, &work, &series->program, &series->degree, error);
  }
  series->functions = work.function_count;
  series->own = series->functions > 0;
  for (int j = 0; j < task->own_count; j++)
    series->own = series->own && has_series[j];
  for (int k = 0; k < model->watched_count; k++)
    series->slot[k] = -1;
  for (int j = task->own_count; j < series->functions; j++)
    if (has_series[j]) series->slot[of[j]] = j;
  return status;
}

// ---- on first use ----

typedef struct made {
  carom_arena *arena; // in which it lies itself
  carom_phase_series series;
} made;

struct carom_phase_later {
  carom_arena *arena; // of the model
  const carom_hybrid_model *model;
  carom_phase_task task;
  _Atomic(made *) made;
};

static void release_later(void *ctx) {
  carom_phase_later *later = ctx;
  made *it = atomic_load(&later->made);
  if (it) carom_arena_destroy(it->arena);
}

static carom_node *copy_nodes(carom_arena *arena, const carom_node *nodes, int count) {
  carom_node *copy = carom_arena_array(arena, (size_t)count, sizeof *copy);
  if (copy && count > 0) memcpy(copy, nodes, (size_t)count * sizeof *copy);
  return copy;
}

carom_status carom_phase_series_plan(carom_phase_later **later, carom_arena *arena,
                                     const carom_hybrid_model *model, const carom_phase_task *task,
                                     carom_error *error) {
  carom_phase_later *it = carom_arena_take(arena, sizeof *it);
  if (!it) return carom_fail_memory(error);
  it->arena = arena;
  it->model = model;
  it->task = *task;
  it->task.rates = copy_nodes(arena, task->rates, model->dynamics->flow_count);
  it->task.own = copy_nodes(arena, task->own, task->own_count);
  atomic_init(&it->made, NULL);
  if (!it->task.rates || !it->task.own || !carom_arena_on_destroy(arena, release_later, it))
    return carom_fail_memory(error);
  *later = it;
  return CAROM_OK;
}

static made *make_series(const carom_phase_later *later, carom_error *error) {
  carom_arena *arena = carom_arena_create(carom_arena_allocator(later->arena));
  made *it = arena ? carom_arena_take(arena, sizeof *it) : NULL;
  carom_status status = it ? CAROM_OK : carom_fail_memory(error);
  if (status == CAROM_OK)
    status = carom_phase_series_compile(&it->series, arena, later->model, &later->task, error);
  if (status != CAROM_OK) {
    carom_arena_destroy(arena);
    return NULL;
  }
  it->arena = arena;
  return it;
}

const carom_phase_series *carom_phase_series_make(carom_phase_later *later, carom_error *error) {
  made *found = atomic_load_explicit(&later->made, memory_order_acquire);
  if (found) return &found->series;
  made *mine = make_series(later, error);
  if (!mine) return NULL;
  if (atomic_compare_exchange_strong_explicit(&later->made, &found, mine, memory_order_acq_rel,
                                              memory_order_acquire))
    return &mine->series;
  carom_arena_destroy(mine->arena); // another thread was quicker
  return &found->series;
}

// ---- evaluation ----

carom_status carom_phase_work_init(carom_phase_work *work, carom_arena *arena,
                                   const carom_phase_series *series, carom_error *error) {
  size_t count = series->program ? (size_t)carom_program_registers(series->program) : 0;
  work->registers = carom_arena_array(arena, count + 1, sizeof *work->registers);
  work->configured = -1;
  return work->registers ? CAROM_OK : carom_fail_memory(error);
}

void carom_phase_series_configure(const carom_phase_series *series, carom_phase_work *work,
                                  const carom_hybrid *it) {
  if (work->configured == it->configuration) return;
  carom_hybrid_set_up(it, series->program, work->registers);
  work->configured = it->configuration;
}

carom_status carom_phase_series_evaluate(const carom_phase_series *series, carom_phase_work *work,
                                         const carom_hybrid *it, double t, const double *y,
                                         double *c) {
  carom_phase_series_configure(series, work, it);
  work->registers[0] = t;
  return carom_program_evaluate(series->program, work->registers, y, c) ? CAROM_OK
                                                                        : CAROM_ERR_NONFINITE;
}

int carom_phase_series_room(const carom_hybrid_model *model) {
  int own = model->lone.count > 0 ? CAROM_LONE_MARGINS : 0;
  return (own + model->watched_count) * CAROM_SERIES_ORDER;
}

carom_status carom_phase_series_prepare(carom_hybrid *it, carom_error *error) {
  return it->contact.closed > 0 ? carom_lone_prepare(it, error) : CAROM_OK;
}

const carom_phase_series *carom_phase_series_now(const carom_hybrid *it) {
  if (it->phases.surfaces.count > 0) return NULL;
  if (it->contact.closed > 0) return carom_lone_phase_series(it);
  return it->model->free_series.program ? &it->model->free_series : NULL;
}

carom_phase_work *carom_phase_work_now(carom_hybrid *it) {
  return it->contact.closed > 0 ? carom_lone_phase_work(it) : &it->phases.free;
}

bool carom_phase_series_safe(carom_hybrid *it) {
  return it->contact.closed == 0 || carom_lone_safe(it, it->stepper.t, it->stepper.y);
}

const double *carom_phase_series_functions(const carom_hybrid *it) {
  const carom_stepper *s = &it->stepper;
  return s->expansion.coefficients + (s->expansion.degree + 1) * s->n;
}
