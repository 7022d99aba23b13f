// SPDX-License-Identifier: MIT
/// Jacobians of the phases: the equations of each set of contact modes that a motion meets are
/// derived once, with the contact forces eliminated, and differentiated exactly. Where that is not
/// possible (laws of the user's own, rows that depend on each other, models given by functions)
/// the right-hand side is differenced.
#include "hybrid/tangent.h"

#include "engine/lifted.h"
#include "model/mode_equations.h"
#include "symbolic/series.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
  NONE = -1,
  MOST_MODES = 256,
  LONGEST = 30000
};                                       // nodes of a series: longer ones cost more than they save
static const double DIFFERENCED = 1e-10; // what a Jacobian by differences is off by, of its size
static const double TWICE = 1e-6;        // of rates that are differences themselves
static const double AGREEMENT = 1e-7; // of the derived equations with the engine's right-hand side

// The Taylor series of the entries of A that are not zero.
typedef struct jacobian_series {
  carom_program *program; // NULL: there is none
  double *registers, *values;
  int first; // output of the first entry
  carom_slope_series slopes;
} jacobian_series;

/// Entries of A that are not zero, row by row.
typedef struct entries {
  int count, *row, *column, *output; // of the program, then its register; NONE: the entry is 1
  carom_node *node;
  bool *has_series;
} entries;

// the equations of one set of modes
typedef struct mode {
  carom_letter key;
  carom_program *program; // NULL: by differences
  bool agreed;            // they say what the engine says
  double *registers;
  double *configured; // modes and parameters the registers were set up with
  entries entries;
  jacobian_series series;
} mode;

struct carom_tangent_modes {
  carom_arena *arena;
  carom_scenario *scenario; // a private copy: deriving adds to its graph
  carom_mechanics *mechanics;
  carom_dynamics *dynamics;
  carom_contact_set contacts;
  carom_compliant compliant;
  int count;
  mode list[MOST_MODES];
  const mode *now;
  double *unclear; // per contact in space: see carom_spatial_hold_directions()
};

static carom_status copy_model(carom_tangent_modes *it, const carom_scenario *original,
                               carom_error *error) {
  char *text = carom_document_text(it->arena, original->document);
  if (!text) return carom_fail_memory(error);
  carom_status status = carom_scenario_read(original->document->root->place.file, text, 0, NULL,
                                            NULL, &it->scenario, error);
  if (status == CAROM_OK) status = carom_scenario_lift_as(it->scenario, original, error);
  if (status != CAROM_OK) return status;
  status = carom_hybrid_derive_mechanics(it->arena, it->scenario, &it->mechanics, error);
  if (status == CAROM_OK && it->scenario->run.compliant && it->scenario->contact_count > 0)
    status = carom_compliant_apply(&it->compliant, it->arena, it->scenario->graph, it->scenario,
                                   it->mechanics, error);
  int count = it->scenario->parameter_count;
  carom_node *parameters = carom_arena_array(it->arena, (size_t)count, sizeof *parameters);
  if (!parameters) return carom_fail_memory(error);
  for (int k = 0; k < count; k++)
    parameters[k] = it->scenario->parameters[k].symbol;
  if (status == CAROM_OK)
    status = carom_dynamics_compile(it->arena, it->scenario->graph, it->mechanics, count,
                                    parameters, &it->dynamics, error);
  return status;
}

carom_status carom_tangent_modes_create(carom_hybrid *it, carom_tangent_modes **modes,
                                        carom_error *error) {
  carom_arena *arena = carom_arena_create(NULL);
  carom_tangent_modes *made = arena ? carom_arena_take(arena, sizeof *made) : NULL;
  *modes = made;
  if (!made) {
    carom_arena_destroy(arena);
    return carom_fail_memory(error);
  }
  made->arena = arena;
  made->contacts = it->model->contacts; // rows and names; its program is not used
  made->unclear = carom_arena_array(arena, (size_t)made->contacts.count, sizeof(double));
  if (!made->unclear) return carom_fail_memory(error);
  return it->model->scenario ? copy_model(made, it->model->scenario, error) : CAROM_OK;
}

void carom_tangent_modes_destroy(carom_tangent_modes *modes) {
  if (!modes) return;
  carom_scenario_free(modes->scenario);
  carom_arena_destroy(modes->arena);
}

// the modes in force as a key; three bits per contact
static bool key_of(const carom_hybrid *it, carom_letter *key) {
  *key = 0;
  if (it->model->contacts.count > CAROM_WORD_CONTACTS) return false;
  for (int k = 0; k < it->model->contacts.count; k++) {
    carom_contact_mode now = it->memory[k].mode;
    if (carom_contact_is_closed(now) && it->model->contacts.user_law[k]) return false;
    *key |= (carom_letter)(carom_contact_is_closed(now) ? now : CAROM_CONTACT_OPEN) << (3 * k);
  }
  return true;
}

static int slip_of(carom_letter key, int k) {
  return carom_contact_slip_sign((carom_contact_mode)(key >> (3 * k) & 7u));
}

// The coefficient of a contact that slides, by its slip. Where slip begins and ends its speed is
// zero, and the law has the slope of this side.
static carom_node friction_of(const carom_tangent_modes *it, const carom_contact *c, int side,
                              carom_node speed) {
  carom_graph *graph = it->scenario->graph;
  carom_node mu = carom_kink_on_side(graph, it->arena, c->slide, c->slip_speed, side);
  return mu ? carom_node_substitute(graph, mu, 1, &c->slip_speed, &speed) : 0;
}

// the friction of contact k, which slides; how many rows it has
static int slide_along(const carom_tangent_modes *it, int k, int side, carom_sliding *sliding) {
  carom_graph *graph = it->scenario->graph;
  const carom_contact_set *set = &it->contacts;
  const carom_contact *c = &it->scenario->contacts[k];
  carom_node slip = it->mechanics->rows[set->tangent[k]].velocity;
  if (set->cross[k] < 0) {
    carom_node mu = friction_of(it, c, side, slip);
    sliding[0] = (carom_sliding){set->normal[k], set->tangent[k],
                                 mu && side > 0 ? carom_neg(graph, mu) : mu};
    return 1;
  }
  // -mu s / |s|
  carom_node cross = it->mechanics->rows[set->cross[k]].velocity;
  carom_node speed = carom_node_make(graph, CAROM_OP_HYPOT, slip, cross, 0);
  carom_node mu = friction_of(it, c, 1, speed), part = mu ? carom_div(graph, mu, speed) : 0;
  sliding[0] = (carom_sliding){set->normal[k], set->tangent[k],
                               part ? carom_neg(graph, carom_mul(graph, part, slip)) : 0};
  sliding[1] = (carom_sliding){set->normal[k], set->cross[k],
                               part ? carom_neg(graph, carom_mul(graph, part, cross)) : 0};
  return 2;
}

// rows held at rate 0 and contacts that slide
static carom_status derive_rows(carom_tangent_modes *it, carom_letter key,
                                carom_mode_equations *equations, carom_error *error) {
  const carom_scenario *s = it->scenario;
  int contacts = s->contact_count, held_count = 0, sliding_count = 0;
  int *held =
      carom_arena_array(it->arena, (size_t)(s->constraint_count + 3 * contacts) + 1, sizeof *held);
  carom_sliding *sliding = carom_arena_array(it->arena, 2 * (size_t)contacts + 1, sizeof *sliding);
  if (!held || !sliding) return carom_fail_memory(error);
  for (int k = 0; k < s->constraint_count; k++)
    held[held_count++] = k;
  for (int k = 0; k < contacts; k++) {
    carom_contact_mode now = (carom_contact_mode)(key >> (3 * k) & 7u);
    if (now == CAROM_CONTACT_OPEN) continue;
    int slip = slip_of(key, k), from = sliding_count;
    held[held_count++] = it->contacts.normal[k];
    if (now == CAROM_CONTACT_STICK) held[held_count++] = it->contacts.tangent[k];
    if (now == CAROM_CONTACT_STICK && it->contacts.cross[k] >= 0)
      held[held_count++] = it->contacts.cross[k];
    if (slip != 0) sliding_count += slide_along(it, k, slip, sliding + sliding_count);
    for (int j = from; j < sliding_count; j++)
      if (!sliding[j].factor) return carom_fail_memory(error);
  }
  assert(held_count <= s->constraint_count + 3 * contacts && sliding_count <= 2 * contacts);
  return carom_mode_equations_derive(it->arena, s->graph, it->mechanics, held_count, held,
                                     sliding_count, sliding, equations, error);
}

static carom_node state_symbol(const carom_mechanics *m, int j) {
  int rates = m->nq + m->n;
  assert(j >= 0 && j < rates + m->m);
  return j < m->nq ? m->q[j] : j < rates ? m->u[j - m->nq] : m->z[j - rates];
}

static carom_status entry_coefficients(void *ctx, double t, const double *y, double *c) {
  const jacobian_series *it = ctx;
  it->registers[0] = t;
  bool finite = carom_program_evaluate(it->program, it->registers, y, it->values);
  memcpy(c, it->values + it->first, (size_t)(it->slopes.count * it->slopes.degree) * sizeof *c);
  return finite ? CAROM_OK : CAROM_ERR_NONFINITE;
}

static carom_status room_for_entries(carom_arena *arena, size_t most, entries *list,
                                     carom_error *error) {
  long failures = carom_arena_failures(arena);
  list->row = carom_arena_array(arena, most, sizeof *list->row);
  list->column = carom_arena_array(arena, most, sizeof *list->column);
  list->output = carom_arena_array(arena, most, sizeof *list->output);
  list->node = carom_arena_array(arena, most, sizeof *list->node);
  list->has_series = carom_arena_array(arena, most, sizeof *list->has_series);
  return carom_arena_failures(arena) == failures ? CAROM_OK : carom_fail_memory(error);
}

static void add_entry(entries *list, const carom_graph *graph, int row, int column, int output,
                      carom_node node) {
  assert(row >= 0 && column >= 0);
  double value;
  if (carom_node_is_constant(graph, node, &value) && value == 0.0) return;
  list->row[list->count] = row;
  list->column[list->count] = column;
  list->output[list->count] = output;
  list->node[list->count++] = node;
}

// q' = u, then the derivatives behind the rates in `outputs`
static void list_entries(const carom_tangent_modes *it, const carom_node *outputs, entries *list) {
  carom_graph *graph = it->scenario->graph;
  int nq = it->mechanics->nq, size = it->dynamics->size;
  for (int i = 0; i < nq; i++)
    add_entry(list, graph, i, nq + i, NONE, carom_node_constant(graph, 1.0));
  for (int i = nq; i < size; i++)
    for (int j = 0; j < size; j++) {
      int output = (size - nq) + (i - nq) * size + j;
      add_entry(list, graph, i, j, output, outputs[output]);
    }
}

// the program of the series, with room for its numbers
static carom_status keep_series(carom_arena *arena, int size, const entries *list, int degree,
                                carom_program *program, jacobian_series *series,
                                carom_error *error) {
  size_t registers = (size_t)carom_program_registers(program);
  series->registers = carom_arena_array(arena, registers, sizeof(double));
  series->values =
      carom_arena_array(arena, (size_t)(degree * (size + list->count)), sizeof(double));
  if (!series->registers || !series->values) return carom_fail_memory(error);
  series->program = program;
  series->first = degree * size;
  series->slopes = (carom_slope_series){.count = list->count,
                                        .row = list->row,
                                        .column = list->column,
                                        .degree = degree,
                                        .ctx = series,
                                        .coefficients = entry_coefficients};
  return CAROM_OK;
}

static carom_status compile_series(carom_tangent_modes *it, const carom_node *outputs,
                                   const entries *list, jacobian_series *series,
                                   carom_error *error) {
  const carom_dynamics *d = it->dynamics;
  int nq = it->mechanics->nq, size = d->size;
  carom_node *rates = carom_arena_array(it->arena, (size_t)size, sizeof *rates);
  if (!rates) return carom_fail_memory(error);
  for (int i = 0; i < size; i++)
    rates[i] = i < nq ? it->mechanics->u[i] : outputs[i - nq];
  carom_series_task task = {.graph = it->scenario->graph,
                            .input_count = d->input_count,
                            .inputs = d->inputs,
                            .state_count = size,
                            .count = size,
                            .states = d->inputs + 1,
                            .rates = rates,
                            .function_count = list->count,
                            .functions = list->node,
                            .has_series = list->has_series,
                            .least_degree = CAROM_SERIES_LEAST,
                            .most_nodes = LONGEST};
  carom_program *program;
  int degree;
  carom_status status = carom_series_compile(it->arena, &task, &program, &degree, error);
  bool all = status == CAROM_OK && program;
  for (int k = 0; k < list->count && all; k++)
    all = list->has_series[k];
  return all ? keep_series(it->arena, size, list, degree, program, series, error) : status;
}

// outputs: u', z', then their derivatives by q, u, z
static carom_status compile_mode(carom_tangent_modes *it, mode *made, carom_error *error) {
  const carom_mechanics *m = it->mechanics;
  const carom_dynamics *d = it->dynamics;
  int rates = m->n + m->m, size = d->size;
  carom_mode_equations equations;
  carom_status status = derive_rows(it, made->key, &equations, error);
  if (status != CAROM_OK) return status;
  carom_node *outputs =
      carom_arena_array(it->arena, (size_t)(rates * (size + 1)) + 1, sizeof *outputs);
  if (!outputs) return carom_fail_memory(error);
  for (int i = 0; i < rates; i++)
    outputs[i] = i < m->n ? equations.acceleration[i] : m->equation[i - m->n];
  for (int i = 0; i < rates; i++)
    for (int j = 0; j < size; j++)
      outputs[rates + i * size + j] =
          carom_node_derivative(it->scenario->graph, outputs[i], state_symbol(m, j));
  status = carom_program_compile(it->arena, it->scenario->graph, d->input_count, d->inputs,
                                 rates * (size + 1), outputs, &made->program, error);
  if (status != CAROM_OK) return status;
  size_t registers = (size_t)carom_program_registers(made->program);
  size_t settings = (size_t)(d->modes + d->parameters);
  made->registers = carom_arena_array(it->arena, registers, sizeof(double));
  made->configured = carom_arena_array(it->arena, settings + 1, sizeof(double));
  if (!made->registers || !made->configured) return carom_fail_memory(error);
  made->configured[0] = NAN;
  status = room_for_entries(it->arena, (size_t)(size * size), &made->entries, error);
  if (status != CAROM_OK) return status;
  list_entries(it, outputs, &made->entries);
  for (int e = 0; e < made->entries.count; e++)
    if (made->entries.output[e] != NONE)
      made->entries.output[e] = carom_program_output(made->program, made->entries.output[e]);
  return compile_series(it, outputs, &made->entries, &made->series, error);
}

// The copy has the modes of the mechanics alone; those of rules come behind them in the model.
static void configure_modes(const carom_hybrid *it, mode *now) {
  const carom_dynamics *d = it->clients.tangent->modes->dynamics;
  size_t modes = (size_t)d->modes * sizeof(double), parameters = (size_t)d->parameters;
  double *at = now->registers + 1 + d->size;
  parameters *= sizeof(double);
  if (!isnan(now->configured[0]) && memcmp(now->configured + 1, it->modes, modes) == 0 &&
      memcmp(now->configured + 1 + d->modes, it->settings.parameters, parameters) == 0)
    return;
  memcpy(at, it->modes, modes);
  memcpy(at + d->modes, it->settings.parameters, parameters);
  memcpy(now->configured + 1, at, modes + parameters);
  now->configured[0] = 0.0;
  carom_program_setup(now->program, now->registers);
  if (!now->series.program) return;
  memcpy(now->series.registers + 1 + d->size, at, modes + parameters);
  carom_program_setup(now->series.program, now->series.registers);
}

static void run_at(const carom_hybrid *it, const mode *now, double t, const double *y) {
  now->registers[0] = t;
  memcpy(now->registers + 1, y, (size_t)it->model->dynamics->size * sizeof *y);
  carom_program_run(now->program, now->registers);
}

// Do the derived equations say the same as the engine? Rows that depend on each other are
// eliminated without pivoting and do not.
static bool mode_agrees(carom_hybrid *it, const mode *now, double t, const double *y) {
  int nq = it->model->dynamics->nq, size = it->model->dynamics->size;
  double *rate = it->clients.tangent->columns;
  if (carom_hybrid_rhs(it, t, y, rate) != CAROM_OK) return false;
  run_at(it, now, t, y);
  double largest = 0.0, worst = 0.0;
  for (int i = nq; i < size; i++) {
    double derived = now->registers[carom_program_output(now->program, i - nq)];
    largest = fmax(largest, fabs(rate[i]));
    worst = fmax(worst, fabs(derived - rate[i]));
    if (isnan(derived)) return false;
  }
  return worst <= AGREEMENT * (largest + 1e-300);
}

// the equations for the key, derived now if they are new
static mode *find_mode(carom_hybrid *it, carom_letter key) {
  carom_tangent_modes *modes = it->clients.tangent->modes;
  for (int k = 0; k < modes->count; k++)
    if (modes->list[k].key == key) return &modes->list[k];
  if (modes->count == MOST_MODES) return NULL;
  mode *made = &modes->list[modes->count++];
  *made = (mode){.key = key};
  if (compile_mode(modes, made, NULL) != CAROM_OK) made->program = NULL;
  return made;
}

// Where they do not agree they may do so elsewhere: of a virtual motion the slip may have another
// sign than its mode.
bool carom_tangent_modes_choose(carom_hybrid *it, double t, const double *y) {
  carom_tangent_modes *modes = it->clients.tangent->modes;
  carom_letter key;
  modes->now = NULL;
  if (!modes->scenario || it->phases.surfaces.count > 0 || !key_of(it, &key)) return false;
  mode *found = find_mode(it, key);
  if (!found || !found->program) return false;
  configure_modes(it, found);
  if (!found->agreed) found->agreed = mode_agrees(it, found, t, y);
  if (found->agreed) modes->now = found;
  return found->agreed;
}

const carom_slope_series *carom_tangent_series(const carom_hybrid *it) {
  const mode *now = it->clients.tangent->modes->now;
  return now && now->series.program ? &now->series.slopes : NULL;
}

double carom_tangent_noise(const carom_hybrid *it) {
  if (it->phases.surfaces.second) return TWICE;
  bool slow = it->model->contacts.spatial > 0; // next to a slip that is slow there are differences
  return it->clients.tangent->modes->now && !slow ? 0.0 : DIFFERENCED;
}

// u' and z' of the right-hand side, for differences
static carom_status rates_map(const carom_tangent_map *map, double t, const double *y, double *out,
                              uint64_t *branch) {
  carom_hybrid *it = map->it;
  double *rate = it->clients.tangent->scratch;
  carom_status status = carom_hybrid_rhs(it, t, y, rate);
  *branch = status == CAROM_OK ? carom_spatial_backwards(it) : 0;
  memcpy(out, rate, (size_t)it->model->dynamics->size * sizeof *out);
  return status;
}

carom_status carom_tangent_slopes(void *ctx, double t, const double *y, double *A) {
  carom_hybrid *it = ctx;
  const carom_dynamics *d = it->model->dynamics;
  const mode *now = it->clients.tangent->modes->now;
  int nq = d->nq, rates = d->n + d->m, size = d->size;
  bool slow = carom_spatial_hold_directions(it, t, y, it->clients.tangent->modes->unclear);
  if (!now || slow) {
    carom_tangent_map map = {.it = it, .count = size, .value = rates_map};
    long kinks = 0;
    carom_status status = carom_tangent_difference(&map, t, y, A, NULL, &kinks);
    if (slow) carom_spatial_let_directions(it, it->clients.tangent->modes->unclear);
    return status;
  }
  run_at(it, now, t, y);
  memset(A, 0, (size_t)(nq * size) * sizeof *A);
  for (int i = 0; i < nq; i++)
    A[i * size + nq + i] = 1.0;
  bool finite =
      carom_program_read(now->program, now->registers, rates, rates * size, A + nq * size);
  return finite ? CAROM_OK : CAROM_ERR_NONFINITE;
}

static carom_status find_entries(void *ctx, double t, const double *y, double *values) {
  carom_hybrid *it = ctx;
  const mode *now = it->clients.tangent->modes->now;
  const int *from = now->entries.output;
  double sum = 0.0;
  run_at(it, now, t, y);
  for (int e = 0; e < now->entries.count; e++) {
    values[e] = from[e] == NONE ? 1.0 : now->registers[from[e]];
    sum += values[e] - values[e]; // NaN where one is not finite
  }
  return sum == 0.0 ? CAROM_OK : CAROM_ERR_NONFINITE;
}

void carom_tangent_entries(const carom_hybrid *it, carom_variation_task *task) {
  const mode *now = it->clients.tangent->modes->now;
  if (!now || it->model->contacts.spatial > 0) return; // a slow slip in space asks for differences
  task->count = now->entries.count;
  task->row = now->entries.row;
  task->column = now->entries.column;
  task->entries = find_entries;
}
