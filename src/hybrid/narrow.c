// SPDX-License-Identifier: MIT
#include "hybrid/narrow.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 8, QUESTIONS = 120, TRIES = 60 };
static const double JUMP = 0.9;       // of all its change: what no term does between two samples
static const double SMALL = 0.01;     // of a tolerance: what need not be followed
static const double DEFECT = 40.0;    // tolerances over a step: more than error control lets pass
static const double SHORTEST = 0.125; // of a step: what is tried at once

// --- which terms ---

/// What a node may be: sampled functions have corners, which are no jumps.
typedef enum shape { SMOOTH, SAMPLED, NARROW } shape;

/// Where terms are collected from and into.
typedef struct collection {
  const carom_dynamics *dynamics;
  carom_arena *arena;
  const carom_path_symbols *path;
  carom_narrow_set *set;
  const shape *shapes; // per node of the graph
  carom_node *parts;   // per node: what is narrow of it; 0: not known yet
  carom_error *error;
} collection;

static shape shape_of(const carom_graph *graph, carom_node node) {
  carom_scale scale = carom_scale_of(graph, node);
  return scale == CAROM_SCALE_NONE ? SMOOTH : scale == CAROM_SCALE_SAMPLED ? SAMPLED : NARROW;
}

// index order is topological order
static shape *find_shapes(carom_arena *arena, const carom_graph *graph) {
  int count = carom_graph_count(graph);
  shape *shapes = carom_arena_array(arena, (size_t)count + 1, sizeof *shapes);
  for (int i = 1; shapes && i <= count; i++) {
    carom_node node = (carom_node)i;
    if (!carom_gentle_moves(graph, node)) continue;
    shapes[i] = shape_of(graph, node);
    for (int k = 0; k < 3; k++) {
      shape below = shapes[carom_node_operand(graph, node, k)];
      if (below > shapes[i]) shapes[i] = below;
    }
  }
  return shapes;
}

static carom_node part_of(const collection *it, carom_node node);

// of a node that has such terms
static carom_node find_part(const collection *it, carom_node node) {
  carom_graph *graph = it->dynamics->graph;
  carom_node a = carom_node_operand(graph, node, 0), b = carom_node_operand(graph, node, 1);
  bool in_a = it->shapes[a] != SMOOTH, in_b = it->shapes[b] != SMOOTH;
  switch (carom_node_op(graph, node)) {
  case CAROM_OP_NEG: return carom_neg(graph, part_of(it, a));
  case CAROM_OP_ADD:
    if (!in_a || !in_b) return part_of(it, in_a ? a : b);
    return carom_add(graph, part_of(it, a), part_of(it, b));
  case CAROM_OP_SUB:
    if (!in_b) return part_of(it, a);
    if (!in_a) return carom_neg(graph, part_of(it, b));
    return carom_sub(graph, part_of(it, a), part_of(it, b));
  case CAROM_OP_MUL:
    if (in_a == in_b) return node;
    return carom_mul(graph, part_of(it, in_a ? a : b), in_a ? b : a);
  case CAROM_OP_DIV:
    if (!in_a || carom_gentle_moves(graph, b)) return node;
    return carom_div(graph, part_of(it, a), b);
  default: return node;
  }
}

// The terms of a sum that may be narrow, and nothing of the others: these would make bounds wider.
static carom_node part_of(const collection *it, carom_node node) {
  if (!it->parts[node]) it->parts[node] = find_part(it, node);
  return it->parts[node];
}

static carom_status add_term(const collection *it, int component, carom_node node,
                             carom_node mass) {
  carom_graph *graph = it->dynamics->graph;
  if (it->shapes[node] == SMOOTH) return CAROM_OK;
  carom_node part = part_of(it, node);
  if (mass) part = carom_div(graph, part, mass);
  if (!part) return carom_fail_memory(it->error);
  carom_narrow_term *to = &it->set->terms[it->set->count++];
  to->moves = component;
  to->leaps = it->shapes[node] == NARROW;
  return carom_watch_compile(&to->function, it->arena, it->dynamics, it->path, 0, NULL, part,
                             it->error);
}

// Forces are told by the mass that they move at least; what they do to other coordinates is of the
// same shape.
static carom_status collect_terms(const collection *it, const carom_mechanics *m) {
  carom_status status = CAROM_OK;
  for (int i = 0; i < m->n && status == CAROM_OK; i++)
    status = add_term(it, m->nq + i, m->bias[i], m->mass[i * m->n + i]);
  for (int k = 0; k < m->m && status == CAROM_OK; k++)
    status = add_term(it, m->nq + m->n + k, m->equation[k], 0);
  return status;
}

static carom_status compile_terms(collection *it, carom_arena *scratch, int frictions,
                                  const carom_node *friction) {
  const carom_mechanics *m = it->dynamics->mechanics;
  size_t nodes = (size_t)carom_graph_count(it->dynamics->graph) + 1;
  it->shapes = find_shapes(scratch, it->dynamics->graph);
  it->parts = carom_arena_array(scratch, nodes, sizeof *it->parts);
  if (!it->shapes || !it->parts) return carom_fail_memory(it->error);
  size_t count = 0;
  for (int i = 0; i < m->n; i++)
    count += it->shapes[m->bias[i]] != SMOOTH;
  for (int k = 0; k < m->m; k++)
    count += it->shapes[m->equation[k]] != SMOOTH;
  for (int k = 0; k < frictions; k++)
    count += it->shapes[friction[k]] != SMOOTH;
  if (count == 0) return CAROM_OK;
  it->set->terms = carom_arena_array(it->arena, count, sizeof *it->set->terms);
  if (!it->set->terms) return carom_fail_memory(it->error);
  carom_status status = carom_gentle_compile(&it->set->gentle, it->arena, it->dynamics, frictions,
                                             friction, it->error);
  if (status == CAROM_OK) status = collect_terms(it, m);
  for (int k = 0; k < frictions && status == CAROM_OK; k++)
    status = add_term(it, -1, friction[k], 0);
  return status;
}

carom_status carom_narrow_compile(carom_narrow_set *set, carom_arena *arena,
                                  const carom_dynamics *dynamics, const carom_path_symbols *path,
                                  int count, const carom_node *frictions, carom_error *error) {
  carom_arena *scratch = carom_arena_create(carom_arena_allocator(arena));
  collection it = {.dynamics = dynamics, .arena = arena, .path = path, .set = set, .error = error};
  *set = (carom_narrow_set){.first_rate = dynamics->nq, .rates = dynamics->n};
  if (!scratch) return carom_fail_memory(error);
  carom_status status = compile_terms(&it, scratch, count, frictions);
  carom_arena_destroy(scratch);
  return status;
}

carom_status carom_narrow_work_init(carom_narrow_work *work, carom_arena *arena,
                                    const carom_narrow_set *set, carom_error *error) {
  carom_status status = CAROM_OK;
  work->terms = carom_arena_array(arena, (size_t)set->count, sizeof *work->terms);
  work->gentle = carom_gentle_room(&set->gentle, arena);
  if (!work->terms || !work->gentle) return carom_fail_memory(error);
  for (int k = 0; k < set->count && status == CAROM_OK; k++)
    status = carom_watch_work_init(&work->terms[k], arena, &set->terms[k].function, error);
  return status;
}

void carom_narrow_configure(const carom_narrow_set *set, carom_narrow_work *work,
                            const carom_dynamics *dynamics, const double *parameters,
                            const double *modes) {
  carom_gentle_configure(&set->gentle, work->gentle, dynamics, parameters, modes);
  for (int k = 0; k < set->count; k++)
    carom_watch_configure(&set->terms[k].function, &work->terms[k], dynamics, parameters, modes);
}

// --- along a step ---

/// A term on the tried step.
typedef struct course {
  const carom_watch *watch;
  carom_watch_work *work;
  const carom_stepper *stepper;
  bool leaps;
  double slack;            // what it may be off by all along the step
  double leeway;           // what it may do between two samples
  int questions;           // how many parts are looked at
  double farthest, change; // theta of the sample that differs most from the first, and by how much
} course;

static double value_at(const course *it, double theta) {
  double g[3];
  carom_watch_value(it->watch, it->work, it->stepper, theta, g);
  return g[0];
}

static bool is_within(carom_interval range, double lo, double hi) {
  return range.lo >= lo && range.hi <= hi;
}

static double size_of(carom_interval range) { return fmax(fabs(range.lo), fabs(range.hi)); }

// Does it stay between lo and hi? By bounds as they come, else by those of its derivatives: where
// terms cancel the former are too wide by the length of the part, the latter by its square or cube.
static bool stays_between(const course *it, double a, double b, const double middle[3], double lo,
                          double hi) {
  if (is_within(carom_watch_range(it->watch, it->work, it->stepper, a, b), lo, hi)) return true;
  double half = 0.5 * (b - a);
  carom_interval g[3];
  carom_watch_bound(it->watch, it->work, it->stepper, a, b, g);
  if (!isfinite(size_of(g[0])) || !isfinite(g[2].lo) || !isfinite(g[2].hi)) return false;
  double reach = half * fmin(size_of(g[1]), fabs(middle[1]) + 0.5 * half * size_of(g[2]));
  return middle[0] - reach >= lo && middle[0] + reach <= hi;
}

// Does the term stay where the values at the ends of the part say? Else theta where it does no
// longer; 1 where it does. Where bounds have no answer, for terms that cancel or overflow, it is
// known by its values alone.
static double leaves_band(course *it, double a, double b, double at_a, double at_b) {
  double leeway = it->leeway + it->slack / (b - a);
  double lo = fmin(at_a, at_b) - leeway, hi = fmax(at_a, at_b) + leeway;
  double middle = 0.5 * (a + b), g[3];
  carom_watch_value(it->watch, it->work, it->stepper, middle, g);
  if (!(g[0] >= lo && g[0] <= hi)) return a;
  if (it->questions-- <= 0 || stays_between(it, a, b, g, lo, hi)) return 1.0;
  double first = leaves_band(it, a, middle, at_a, g[0]);
  return first < 1.0 ? first : leaves_band(it, middle, b, g[0], at_b);
}

// theta up to which samples tell what the term does
static double told_up_to(course *it) {
  double value[SAMPLES + 1], least = INFINITY, largest = -INFINITY;
  carom_interval range = carom_watch_range(it->watch, it->work, it->stepper, 0.0, 1.0);
  if (range.hi - range.lo <= it->slack) return 1.0;
  for (int k = 0; k <= SAMPLES; k++) {
    value[k] = value_at(it, (double)k / SAMPLES);
    least = fmin(least, value[k]);
    largest = fmax(largest, value[k]);
    if (fabs(value[k] - value[0]) <= it->change) continue;
    it->change = fabs(value[k] - value[0]);
    it->farthest = (double)k / SAMPLES;
  }
  it->leeway = largest - least;
  for (int k = 0; k < SAMPLES; k++) {
    double a = (double)k / SAMPLES, b = (double)(k + 1) / SAMPLES;
    if (it->leaps && fabs(value[k + 1] - value[k]) > JUMP * it->leeway + SAMPLES * it->slack)
      return a;
    it->questions = QUESTIONS;
    double end = leaves_band(it, a, b, value[k], value[k + 1]);
    if (end < 1.0) return end;
  }
  return 1.0;
}

// what a term may be off by, all along the step, before error control would see it
static double slack_of(const carom_stepper *s, int i) {
  const carom_stepper_options *o = &s->options;
  double size = fmax(fabs(s->y[i]), fabs(s->y1[i]));
  double tolerance = o->atol * (o->scale ? o->scale[i] : 1.0) + o->rtol * size;
  return SMALL * tolerance / s->h;
}

// A series knows the force where it begins, and nothing of an exponential that is no number there.
// Such a step may end amid that force or, where samples tell of it, beyond it: its slope is not the
// rate at the end, or where the term has changed most.
static bool keeps_rate(const course *it, carom_stepper *s, int i) {
  double y[3], defect = 0.0, allowed = DEFECT / SMALL * it->slack;
  if (!s->expansion.used) return true;
  carom_dense_component(s, i, 1.0, y);
  if (!(fabs(y[1] - s->f1[i]) <= allowed)) return false;
  if (!it->watch->steep || it->change <= allowed) return true;
  return carom_stepper_defect(s, it->farthest, i, &defect) == CAROM_OK && defect <= allowed;
}

// What a coefficient may be off by: the part of it that a velocity may be off by.
static double slack_of_share(const course *it) {
  carom_interval range = carom_watch_range(it->watch, it->work, it->stepper, 0.0, 1.0);
  double size = size_of(range);
  return isfinite(size) ? SMALL * it->stepper->options.rtol * size : 0.0;
}

// the same for all velocities that a coefficient of friction has changed
static bool keeps_rates(const carom_narrow_set *set, const course *it, carom_stepper *s) {
  bool keeps = true;
  for (int i = set->first_rate; i < set->first_rate + set->rates && keeps; i++) {
    course along = *it;
    along.slack = slack_of(s, i);
    along.change = it->change > it->slack ? INFINITY : 0.0;
    keeps = keeps_rate(&along, s, i);
  }
  return keeps;
}

static double all_told_up_to(const carom_narrow_set *set, carom_narrow_work *work,
                             carom_stepper *stepper) {
  double theta = 1.0;
  for (int k = 0; k < set->count; k++) {
    const carom_narrow_term *term = &set->terms[k];
    course it = {.watch = &term->function,
                 .work = &work->terms[k],
                 .stepper = stepper,
                 .leaps = term->leaps};
    bool moves = term->moves >= 0;
    it.slack = moves ? slack_of(stepper, term->moves) : slack_of_share(&it);
    theta = fmin(theta, told_up_to(&it));
    if (!(moves ? keeps_rate(&it, stepper, term->moves) : keeps_rates(set, &it, stepper)))
      theta = fmin(theta, 0.5);
  }
  return theta;
}

// Under error control again: a shorter step may be the first one that meets the force.
static carom_status try_shorter(carom_stepper *s, double h, carom_error *error) {
  s->counts.steps--;
  s->counts.rejected++;
  s->h_next = fmin(s->h_next, h);
  carom_status status = carom_stepper_try(s, s->t + h, error);
  s->h_next = fmin(s->h_next, h);
  return status;
}

carom_status carom_narrow_limit(const carom_narrow_set *set, carom_narrow_work *work,
                                carom_stepper *stepper, carom_error *error) {
  for (int tries = 0; set->count > 0 && tries < TRIES; tries++) {
    if (carom_gentle_step(&set->gentle, work->gentle, stepper)) break;
    carom_status status = carom_stepper_dense(stepper, error);
    if (status != CAROM_OK) return status;
    if (carom_gentle_parts(&set->gentle, work->gentle, stepper)) break;
    double theta = all_told_up_to(set, work, stepper);
    double h = fmax(theta, SHORTEST) * stepper->h;
    if (theta == 1.0 || stepper->t + h == stepper->t) break;
    status = try_shorter(stepper, h, error);
    if (status != CAROM_OK) return status;
  }
  return CAROM_OK;
}
