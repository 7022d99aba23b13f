// SPDX-License-Identifier: MIT
#include "hybrid/hybrid.h"

#include "model/mode_equations.h"

#include <math.h>
#include <string.h>

enum { MODES = 4, MOST_CONTACTS = 4 };                // every program costs time to compile
enum { NORMAL, TANGENTIAL, FRICTION, CLEAR, FORCES }; // what follows the rates among the outputs
static const double SAFE = 1e-5; // of the row's own response: the least pivot to divide by

// ---- preparation ----

typedef struct derivation {
  carom_arena *arena;
  const carom_hybrid_model *model;
  carom_graph *graph;
  const carom_mechanics *mechanics;
  const carom_dynamics *dynamics;
  const carom_contact *contact;
  int index; // of the contact
  carom_contact_mode mode;
  int normal, tangent;
} derivation;

static carom_node delassus_entry(const derivation *it, int i, int j) {
  return it->mechanics->delassus[i * it->mechanics->row_count + j];
}

// the coefficient of the mode; a law may depend on the slip
static carom_node friction_of(const derivation *it, carom_node none) {
  if (it->tangent < 0 || it->mode == CAROM_CONTACT_CLOSED) return none;
  carom_node mu = carom_contact_friction(&it->model->contacts, it->index,
                                         it->mode == CAROM_CONTACT_STICK ? CAROM_FRICTION_STICK
                                                                         : CAROM_FRICTION_SLIDE);
  if (!mu) return none;
  return carom_node_substitute(it->graph, mu, 1, &it->contact->slip_speed,
                               &it->mechanics->rows[it->tangent].velocity);
}

// the last pivot of the elimination over the response of that row to itself
static carom_node last_pivot(const derivation *it, const carom_sliding *slides) {
  carom_graph *graph = it->graph;
  int n = it->normal, t = it->tangent;
  carom_node own = delassus_entry(it, n, n);
  if (slides) {
    carom_node pivot =
        carom_add(graph, own, carom_mul(graph, slides->factor, delassus_entry(it, n, t)));
    return carom_div(graph, pivot, own);
  }
  if (it->mode == CAROM_CONTACT_CLOSED) return carom_node_constant(graph, 1.0);
  carom_node factor = carom_div(graph, delassus_entry(it, t, n), own);
  carom_node pivot = carom_sub(graph, delassus_entry(it, t, t),
                               carom_mul(graph, factor, delassus_entry(it, n, t)));
  return carom_div(graph, pivot, delassus_entry(it, t, t));
}

// powers with the forces: moving surfaces do work, friction takes it
static carom_node *append_powers(const derivation *it, const carom_mode_equations *equations,
                                 carom_node none, carom_node *at) {
  const carom_mechanics *m = it->mechanics;
  carom_graph *graph = it->graph;
  carom_node drive = m->power.drive, friction = none;
  for (int r = 0; r < m->row_count; r++)
    drive = carom_sub(graph, drive, carom_mul(graph, equations->force[r], m->rows[r].offset));
  if (carom_contact_slip_sign(it->mode) != 0)
    friction = carom_neg(
        graph, carom_mul(graph, equations->force[it->tangent], m->rows[it->tangent].velocity));
  const carom_node powers[] = {drive, m->power.force, m->power.damper, friction};
  for (int k = 0; k < 4; k++)
    if (it->dynamics->has_power[k]) *at++ = powers[k];
  return at;
}

// a response that is zero whatever the state leaves nothing to divide by
static bool has_response(const derivation *it, int row) {
  double value;
  return !carom_node_is_constant(it->graph, delassus_entry(it, row, row), &value) || value > 0.0;
}

// the margins as expressions: what carom_lone_margin() finds at a state
static int list_margins(const derivation *it, const carom_node *forces, carom_node *margins) {
  margins[0] = forces[NORMAL];
  if (it->mode != CAROM_CONTACT_STICK) return 1;
  carom_node limit = carom_mul(it->graph, forces[FRICTION], forces[NORMAL]);
  margins[0] = carom_sub(it->graph, limit, forces[TANGENTIAL]);
  margins[1] = carom_add(it->graph, limit, forces[TANGENTIAL]);
  return 2;
}

static carom_status plan_series(const derivation *it, const carom_node *outputs,
                                carom_lone_phase *phase, carom_error *error) {
  carom_node margins[CAROM_LONE_MARGINS];
  phase->margins = list_margins(it, outputs + it->dynamics->flow_count, margins);
  carom_phase_task task = {.rates = outputs,
                           .own_count = phase->margins,
                           .own = margins,
                           .contact = it->index,
                           .mode = it->mode};
  return carom_phase_series_plan(&phase->later, it->arena, it->model, &task, error);
}

static carom_status compile_phase(const derivation *it, carom_lone_phase *phase,
                                  carom_error *error) {
  const carom_mechanics *m = it->mechanics;
  const carom_dynamics *d = it->dynamics;
  bool sticks = it->mode == CAROM_CONTACT_STICK;
  int held[] = {it->normal, it->tangent}, sign = carom_contact_slip_sign(it->mode);
  if (!has_response(it, it->normal) || (sticks && !has_response(it, it->tangent))) return CAROM_OK;
  carom_node none = carom_node_constant(it->graph, 0.0), mu = friction_of(it, none);
  carom_sliding slides = {it->normal, it->tangent, sign > 0 ? carom_neg(it->graph, mu) : mu};
  carom_mode_equations equations;
  carom_status status = carom_mode_equations_derive(it->arena, it->graph, m, sticks ? 2 : 1, held,
                                                    sign != 0, &slides, &equations, error);
  if (status != CAROM_OK) return status;
  carom_node *outputs =
                 carom_arena_array(it->arena, (size_t)(d->size + 4 + FORCES), sizeof *outputs),
             *at = outputs;
  if (!outputs) return carom_fail_memory(error);
  for (int i = 0; i < m->nq; i++)
    *at++ = m->u[i];
  for (int i = 0; i < m->n; i++)
    *at++ = equations.acceleration[i];
  for (int k = 0; k < m->m; k++)
    *at++ = m->equation[k];
  at = append_powers(it, &equations, none, at);
  at[NORMAL] = equations.force[it->normal];
  at[TANGENTIAL] = it->tangent >= 0 ? equations.force[it->tangent] : none;
  at[FRICTION] = mu;
  at[CLEAR] = last_pivot(it, sign != 0 ? &slides : NULL);
  status = carom_program_compile(it->arena, it->graph, d->input_count, d->inputs,
                                 d->flow_count + FORCES, outputs, &phase->program, error);
  return status == CAROM_OK ? plan_series(it, outputs, phase, error) : status;
}

carom_status carom_lone_compile(carom_hybrid_model *model, carom_arena *arena, carom_error *error) {
  carom_lone_set *lone = &model->lone;
  const carom_contact_set *set = &model->contacts;
  if (set->count > MOST_CONTACTS) return CAROM_OK;
  lone->count = MODES * set->count;
  lone->phases = carom_arena_array(arena, (size_t)lone->count, sizeof *lone->phases);
  if (!lone->phases) return carom_fail_memory(error);
  carom_status status = CAROM_OK;
  for (int k = 0; k < lone->count && status == CAROM_OK; k++) {
    int contact = k / MODES, tangent = set->tangent[contact];
    carom_contact_mode mode = (carom_contact_mode)(CAROM_CONTACT_STICK + k % MODES);
    bool fits = (mode == CAROM_CONTACT_CLOSED) == (tangent < 0) && !set->user_law[contact] &&
                set->cross[contact] < 0; // in space forces are found for each state
    derivation it = {.arena = arena,
                     .model = model,
                     .graph = model->dynamics->graph,
                     .mechanics = model->mechanics,
                     .dynamics = model->dynamics,
                     .contact = &set->contacts[contact],
                     .index = contact,
                     .mode = mode,
                     .normal = set->normal[contact],
                     .tangent = tangent};
    if (fits) status = compile_phase(&it, &lone->phases[k], error);
  }
  return status;
}

carom_status carom_lone_work_init(carom_lone_work *work, carom_arena *arena,
                                  const carom_lone_set *lone, int values, carom_error *error) {
  size_t count = (size_t)lone->count;
  long failures = carom_arena_failures(arena);
  work->registers = carom_arena_array(arena, count, sizeof *work->registers);
  work->series = carom_arena_array(arena, count, sizeof *work->series);
  work->work = carom_arena_array(arena, count, sizeof *work->work);
  work->configured = carom_arena_array(arena, count, sizeof *work->configured);
  work->values = carom_arena_array(arena, (size_t)(values + FORCES), sizeof *work->values);
  work->at.y = carom_arena_array(arena, (size_t)values, sizeof *work->at.y);
  work->at.phase = -1;
  bool whole = carom_arena_failures(arena) == failures;
  for (int k = 0; k < lone->count && whole; k++) {
    const carom_lone_phase *phase = &lone->phases[k];
    if (!phase->program) continue;
    size_t registers = (size_t)carom_program_registers(phase->program);
    work->registers[k] = carom_arena_array(arena, registers, sizeof(double));
    whole = work->registers[k] != NULL;
  }
  return whole ? CAROM_OK : carom_fail_memory(error);
}

// ---- evaluation ----

static carom_contact_mode mode_now(const carom_hybrid *it) {
  return it->memory[it->contact.which[0]].mode;
}

// the program of the present phase, or -1
static int find_program(const carom_hybrid *it) {
  const carom_hybrid_model *model = it->model;
  if (it->contact.closed != 1 || model->constraints > 0 || model->lone.count == 0) return -1;
  int k = MODES * it->contact.which[0] + (int)mode_now(it) - CAROM_CONTACT_STICK;
  return model->lone.phases[k].program ? k : -1;
}

// do lone.values belong to this state already?
static bool is_known(const carom_hybrid *it, int k, double t, const double *y) {
  size_t bytes = (size_t)it->model->dynamics->size * sizeof *y;
  return it->phases.lone.at.phase == k && it->phases.lone.at.configuration == it->configuration &&
         it->phases.lone.at.t == t && memcmp(it->phases.lone.at.y, y, bytes) == 0;
}

// lone.values at (t, y); true where they can be trusted
static bool fill_values(carom_hybrid *it, int k, double t, const double *y) {
  const carom_program *program = it->model->lone.phases[k].program;
  if (it->phases.lone.configured[k] != it->configuration) {
    carom_hybrid_set_up(it, program, it->phases.lone.registers[k]);
    it->phases.lone.configured[k] = it->configuration;
  }
  it->phases.lone.registers[k][0] = t;
  bool finite =
      carom_program_evaluate(program, it->phases.lone.registers[k], y, it->phases.lone.values);
  const double *force = it->phases.lone.values + it->size;
  if (!finite || !(fabs(force[CLEAR]) > SAFE)) return false;
  // without any friction a contact cannot stick
  return mode_now(it) != CAROM_CONTACT_STICK || force[FRICTION] > 0.0;
}

// the forces at (t, y) behind the rates in lone.values, or NULL: not safe, or no program
static const double *evaluate_lone(carom_hybrid *it, double t, const double *y) {
  int k = find_program(it);
  if (k < 0) return NULL;
  if (!is_known(it, k, t, y)) {
    it->phases.lone.at.safe = fill_values(it, k, t, y);
    it->phases.lone.at.phase = k;
    it->phases.lone.at.configuration = it->configuration;
    it->phases.lone.at.t = t;
    memcpy(it->phases.lone.at.y, y, (size_t)it->model->dynamics->size * sizeof *y);
  }
  return it->phases.lone.at.safe ? it->phases.lone.values + it->size : NULL;
}

bool carom_lone_rates(carom_hybrid *it, double t, const double *y, double *dydt) {
  const double *force = evaluate_lone(it, t, y), *values = it->phases.lone.values;
  if (!force) return false;
  int size = it->size;
  for (int i = 0; i < size; i++)
    dydt[i] = values[i];
  return true;
}

carom_status carom_lone_prepare(carom_hybrid *it, carom_error *error) {
  int k = find_program(it);
  if (k < 0 || it->phases.lone.series[k]) return CAROM_OK;
  const carom_phase_series *series =
      carom_phase_series_make(it->model->lone.phases[k].later, error);
  if (!series) return CAROM_ERR_MEMORY;
  carom_status status =
      carom_phase_work_init(&it->phases.lone.work[k], it->simulation->arena, series, error);
  if (status == CAROM_OK) it->phases.lone.series[k] = series;
  return status;
}

const carom_phase_series *carom_lone_phase_series(const carom_hybrid *it) {
  int k = find_program(it);
  const carom_phase_series *series = k >= 0 ? it->phases.lone.series[k] : NULL;
  return series && series->program ? series : NULL;
}

carom_phase_work *carom_lone_phase_work(carom_hybrid *it) {
  return &it->phases.lone.work[find_program(it)];
}

bool carom_lone_safe(carom_hybrid *it, double t, const double *y) {
  return evaluate_lone(it, t, y) != NULL;
}

carom_status carom_lone_series(carom_hybrid *it, double t, const double *y, double *c) {
  int k = find_program(it);
  if (k < 0 || !carom_lone_safe(it, t, y)) return CAROM_ERR_NONFINITE;
  return carom_phase_series_evaluate(it->phases.lone.series[k], &it->phases.lone.work[k], it, t, y,
                                     c);
}

void carom_lone_forces(carom_hybrid *it, double t, const double *y) {
  const double *force = evaluate_lone(it, t, y);
  if (!force) return;
  carom_contact_evaluation *contact = &it->contact;
  int k = contact->which[0], tangent = it->model->contacts.tangent[k];
  memset(contact->lambda, 0, (size_t)it->model->dynamics->rows * sizeof *contact->lambda);
  contact->lambda[it->model->contacts.normal[k]] = force[NORMAL];
  if (tangent < 0) return;
  contact->lambda[tangent] = force[TANGENTIAL];
  carom_coefficients *now = &contact->now[k];
  *(mode_now(it) == CAROM_CONTACT_STICK ? &now->stick : &now->slide) = force[FRICTION];
}

int carom_lone_margin_count(const carom_hybrid *it) {
  if (find_program(it) < 0) return 0;
  return mode_now(it) == CAROM_CONTACT_STICK ? 2 : 1;
}

static void compute_margins(carom_hybrid *it, double theta, double margin[CAROM_LONE_MARGINS]) {
  double *y = it->room.scratch + it->size;
  if (theta == 1.0)
    y = it->stepper.y1;
  else
    carom_dense_eval(&it->stepper, theta, y, NULL, NULL);
  double t = theta == 1.0 ? it->stepper.t1 : it->stepper.t + theta * it->stepper.h;
  const double *force = evaluate_lone(it, t, y);
  margin[0] = margin[1] = NAN;
  it->phases.lone.unsafe = it->phases.lone.unsafe || !force;
  if (!force) return;
  margin[0] = force[NORMAL];
  if (mode_now(it) != CAROM_CONTACT_STICK) return;
  double limit = force[FRICTION] * force[NORMAL];
  margin[0] = limit - force[TANGENTIAL];
  margin[1] = limit + force[TANGENTIAL];
}

// both margins are searched at the same points one after the other: what was seen is kept, and
// found again in the same order
double carom_lone_margin(carom_hybrid *it, int k, double theta) {
  carom_lone_work *work = &it->phases.lone;
  for (int j = 0; j < work->seen_count; j++) {
    int at = (work->seen_next + j) % work->seen_count;
    if (work->seen[at].theta != theta) continue;
    work->seen_next = at + 1;
    return work->seen[at].margin[k];
  }
  int at = work->seen_count < CAROM_LONE_SEEN ? work->seen_count++ : CAROM_LONE_SEEN - 1;
  work->seen[at].theta = theta;
  compute_margins(it, theta, work->seen[at].margin);
  return work->seen[at].margin[k];
}

// ---- the end of a phase by the series of its margins ----

static const double SERIES_ERROR = 1e-7; // of a margin's terms: what a series may be wrong by
static const double SERIES_START = 1e-9; // of the same: a margin less than that may be none
static const double DOUBT = 16.0;        // times the error found at the end of the step

// Coefficients of margin k in units of a part of the step; returns how far they are from the margin
// at its end.
static double scale_margin(carom_hybrid *it, int degree, int k, double part, double *c) {
  const double *from = carom_phase_series_functions(it) + degree * k;
  double power = 1.0, sum = 0.0, length = part * it->stepper.h;
  for (int j = 0; j < degree; j++) {
    c[j] = from[j] * power;
    power *= length;
  }
  for (int j = degree - 1; j >= 0; j--)
    sum += c[j];
  return fabs(sum - carom_lone_margin(it, k, part));
}

static double sum_moduli(int count, const double *c) {
  double sum = 0.0;
  for (int j = 0; j < count; j++)
    sum += fabs(c[j]);
  return sum;
}

// The margin itself at a root of its series, and Newton's step from there.
static double correct_end(carom_hybrid *it, int k, int degree, double part, const double *c,
                          double theta) {
  double g[3];
  carom_polynomial_value(degree, c, theta, g);
  double better = theta - carom_lone_margin(it, k, part * theta) / g[1];
  bool near = fabs(better - theta) < SERIES_ERROR && better > 0.0 && better <= 1.0;
  return part * (near ? better : theta);
}

// the end of the phase as far as its margins show it within a part of the step
static carom_lone_end end_within(carom_hybrid *it, int margins, int degree, double part,
                                 double *theta) {
  const carom_root_watch falling = {
      .direction = CAROM_FALLING, .active = true, .skip_grazing = true};
  carom_lone_end end = CAROM_LONE_LASTS;
  for (int m = 0; m < margins; m++) {
    double c[CAROM_SERIES_DEGREE + 1];
    double error = DOUBT * scale_margin(it, degree + 1, m, part, c);
    double size = sum_moduli(degree + 1, c), start = c[0];
    if (!(error <= SERIES_ERROR * size && start > SERIES_START * size)) return CAROM_LONE_UNKNOWN;
    // a margin that stays above its error does not end
    c[0] = start - error;
    if (carom_polynomial_range(degree, c, 0.0).lo > 0.0) continue;
    c[0] = start;
    carom_root root = carom_root_polynomial(degree, c, &falling);
    if (root.kind != CAROM_ROOT_CROSSING) {
      c[0] = start - error;
      bool stays = c[0] > 0.0 && carom_root_polynomial(degree, c, &falling).kind == CAROM_ROOT_NONE;
      if (stays) continue;
      return CAROM_LONE_UNKNOWN;
    }
    double at = correct_end(it, m, degree, part, c, root.theta);
    if (end == CAROM_LONE_ENDS && at >= *theta) continue;
    *theta = at;
    end = CAROM_LONE_ENDS;
  }
  return end;
}

carom_lone_end carom_lone_series_end(carom_hybrid *it, double *theta) {
  int k = find_program(it);
  const carom_phase_series *series =
      k >= 0 && it->stepper.expansion.used ? it->phases.lone.series[k] : NULL;
  if (!series || !series->own) return CAROM_LONE_UNKNOWN;
  int margins = it->model->lone.phases[k].margins, degree = series->degree - 1;
  carom_lone_end end = end_within(it, margins, degree, 1.0, theta);
  if (end != CAROM_LONE_UNKNOWN) return end;
  // forces are less smooth than the motion: what their series tells of half the step may be enough
  end = end_within(it, margins, degree, 0.5, theta);
  return end == CAROM_LONE_ENDS ? end : CAROM_LONE_UNKNOWN;
}
