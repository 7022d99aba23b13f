// SPDX-License-Identifier: MIT
#include "hybrid/gentle.h"

#include <math.h>

enum { PER_FUNCTION = 2, PARTS = 8 };
static const double WIDEST = 2.0; // what an exponent may change by, in units of the scale
static const double RATIO = 4.0;  // what a divisor may change by
static const double DETOUR = 8.0 / 27.0;

bool carom_gentle_moves(const carom_graph *graph, carom_node node) {
  const unsigned fixed = 1u << CAROM_SYMBOL_PARAMETER | 1u << CAROM_SYMBOL_MODE;
  return carom_node_depends_kind(graph, node, ~fixed);
}

carom_scale carom_scale_of(const carom_graph *graph, carom_node node) {
  carom_node b = carom_node_operand(graph, node, 1);
  double power = 0.0;
  switch (carom_node_op(graph, node)) {
  case CAROM_OP_EXP:
  case CAROM_OP_SINH:
  case CAROM_OP_COSH:
  case CAROM_OP_TANH:
  case CAROM_OP_ATAN: return CAROM_SCALE_ONE;
  case CAROM_OP_ATAN2:
  case CAROM_OP_HYPOT_SLOPE: return CAROM_SCALE_DIRECTION;
  case CAROM_OP_TABLE:
  case CAROM_OP_SLOPE:
  case CAROM_OP_CURVE: return CAROM_SCALE_SAMPLED;
  case CAROM_OP_DIV: return carom_gentle_moves(graph, b) ? CAROM_SCALE_DIVISOR : CAROM_SCALE_NONE;
  case CAROM_OP_POW:
    if (!carom_node_is_constant(graph, b, &power)) return CAROM_SCALE_UNKNOWN;
    return power < 0.0 ? CAROM_SCALE_OWN : CAROM_SCALE_NONE;
  default: return CAROM_SCALE_NONE;
  }
}

// --- which functions ---

// What the equations are made of, and moves. Index order is topological order.
static bool *find_reached(carom_arena *scratch, const carom_dynamics *dynamics, int more_count,
                          const carom_node *more) {
  const carom_mechanics *m = dynamics->mechanics;
  const carom_graph *graph = dynamics->graph;
  int count = carom_graph_count(graph);
  bool *reached = carom_arena_array(scratch, (size_t)count + 1, sizeof *reached);
  if (!reached) return NULL;
  for (int i = 0; i < m->n; i++)
    reached[m->bias[i]] = true;
  for (int k = 0; k < m->m; k++)
    reached[m->equation[k]] = true;
  for (int k = 0; k < more_count; k++)
    reached[more[k]] = true;
  for (int i = count; i > 0; i--) {
    if (!reached[i]) continue;
    reached[i] = carom_gentle_moves(graph, (carom_node)i);
    for (int k = 0; k < 3 && reached[i]; k++)
      reached[carom_node_operand(graph, (carom_node)i, k)] = true;
  }
  reached[0] = false;
  return reached;
}

// the least distance of the points that a function is given by
static double spacing_of(const carom_graph *graph, carom_node node) {
  const carom_table *table = carom_graph_table(graph, carom_node_table_index(graph, node));
  double least = INFINITY;
  for (int k = 0; k + 1 < table->count; k++)
    least = fmin(least, table->x[k + 1] - table->x[k]);
  return least;
}

static void list_function(carom_gentle_set *set, const carom_graph *graph, carom_node node,
                          carom_node *outputs) {
  carom_scale scale = carom_scale_of(graph, node);
  carom_node a = carom_node_operand(graph, node, 0), b = carom_node_operand(graph, node, 1);
  carom_node *to = &outputs[PER_FUNCTION * set->count];
  to[0] = to[1] = scale == CAROM_SCALE_OWN ? node : scale == CAROM_SCALE_DIVISOR ? b : a;
  if (scale == CAROM_SCALE_DIRECTION) to[1] = b;
  set->spacing[set->count] = scale == CAROM_SCALE_SAMPLED ? spacing_of(graph, node) : 1.0;
  set->scale[set->count++] = scale;
}

static void list_used(carom_gentle_set *set, const carom_dynamics *dynamics,
                      const carom_node *outputs) {
  for (int i = 0; i < dynamics->size; i++) {
    bool used = false;
    for (int k = 0; k < PER_FUNCTION * set->count && !used; k++)
      used = carom_node_depends(dynamics->graph, outputs[k], dynamics->inputs[1 + i]);
    if (used) set->used[set->used_count++] = i;
  }
}

static carom_status compile_set(carom_gentle_set *set, carom_arena *arena, carom_arena *scratch,
                                const carom_dynamics *dynamics, int more_count,
                                const carom_node *more, carom_error *error) {
  carom_graph *graph = dynamics->graph;
  int nodes = carom_graph_count(graph);
  size_t count = 0;
  bool *reached = find_reached(scratch, dynamics, more_count, more);
  if (!reached) return carom_fail_memory(error);
  for (int i = 1; i <= nodes; i++) {
    carom_scale scale = reached[i] ? carom_scale_of(graph, (carom_node)i) : CAROM_SCALE_NONE;
    set->never = set->never || scale == CAROM_SCALE_UNKNOWN;
    count += scale != CAROM_SCALE_NONE;
  }
  if (count == 0 || set->never) return CAROM_OK;
  carom_node *outputs = carom_arena_array(scratch, PER_FUNCTION * count, sizeof *outputs);
  set->scale = carom_arena_array(arena, count, sizeof *set->scale);
  set->spacing = carom_arena_array(arena, count, sizeof *set->spacing);
  set->used = carom_arena_array(arena, (size_t)dynamics->size, sizeof *set->used);
  if (!outputs || !set->scale || !set->spacing || !set->used) return carom_fail_memory(error);
  for (int i = 1; i <= nodes; i++)
    if (reached[i] && carom_scale_of(graph, (carom_node)i) != CAROM_SCALE_NONE)
      list_function(set, graph, (carom_node)i, outputs);
  list_used(set, dynamics, outputs);
  return carom_program_compile(arena, graph, dynamics->input_count, dynamics->inputs,
                               PER_FUNCTION * set->count, outputs, &set->program, error);
}

carom_status carom_gentle_compile(carom_gentle_set *set, carom_arena *arena,
                                  const carom_dynamics *dynamics, int count, const carom_node *more,
                                  carom_error *error) {
  carom_arena *scratch = carom_arena_create(carom_arena_allocator(arena));
  *set = (carom_gentle_set){0};
  if (!scratch) return carom_fail_memory(error);
  carom_status status = compile_set(set, arena, scratch, dynamics, count, more, error);
  carom_arena_destroy(scratch);
  return status;
}

// --- along a step ---

carom_interval *carom_gentle_room(const carom_gentle_set *set, carom_arena *arena) {
  size_t count = set->program ? (size_t)carom_program_registers(set->program) : 0;
  return carom_arena_array(arena, count + PER_FUNCTION * (size_t)set->count,
                           sizeof(carom_interval));
}

void carom_gentle_configure(const carom_gentle_set *set, carom_interval *registers,
                            const carom_dynamics *dynamics, const double *parameters,
                            const double *modes) {
  if (!set->program) return;
  carom_interval *to = registers + 1 + dynamics->size;
  for (int k = 0; k < dynamics->modes; k++)
    *to++ = carom_interval_point(modes[k]);
  for (int k = 0; k < dynamics->parameters; k++)
    *to++ = carom_interval_point(parameters[k]);
  carom_program_setup_bounds(set->program, registers);
}

// Where a component is along the step: by both ends and the slopes there, with twice the way that
// the cubic through them goes beyond its ends at most, h theta (1 - theta)^2 <= 4/27 h for a unit
// of slope. No dense output is needed for that.
static carom_interval way_of(const carom_stepper *s, int i) {
  double rise = s->y1[i] - s->y[i];
  double beyond = DETOUR * (fabs(s->h * s->f[i] - rise) + fabs(s->h * s->f1[i] - rise));
  return (carom_interval){fmin(s->y[i], s->y1[i]) - beyond, fmax(s->y[i], s->y1[i]) + beyond};
}

// the least modulus
static double least_modulus(carom_interval x) {
  return x.lo > 0.0 ? x.lo : x.hi < 0.0 ? -x.hi : x.lo <= x.hi ? 0.0 : NAN;
}

static double interval_width(carom_interval x) { return x.hi - x.lo; }

static bool is_gentle(carom_scale scale, double spacing, carom_interval a, carom_interval b) {
  double far = fmax(fabs(a.lo), fabs(a.hi));
  switch (scale) {
  case CAROM_SCALE_ONE:
  case CAROM_SCALE_SAMPLED: return interval_width(a) <= WIDEST * spacing;
  case CAROM_SCALE_DIVISOR:
  case CAROM_SCALE_OWN: return least_modulus(a) > 0.0 && far <= RATIO * least_modulus(a);
  case CAROM_SCALE_DIRECTION:
    return interval_width(a) + interval_width(b) <=
           WIDEST * fmax(least_modulus(a), least_modulus(b));
  default: return false;
  }
}

static carom_interval join_intervals(carom_interval a, carom_interval b) {
  bool known = a.lo <= a.hi && b.lo <= b.hi;
  return known ? (carom_interval){fmin(a.lo, b.lo), fmax(a.hi, b.hi)} : (carom_interval){NAN, NAN};
}

// Runs the program over the box that is set. Does all stay gentle, with what was seen before?
static bool goes_on(const carom_gentle_set *set, carom_interval *registers, bool first) {
  carom_interval *seen = registers + carom_program_registers(set->program);
  carom_program_run_bounds(set->program, registers);
  for (int k = 0; k < PER_FUNCTION * set->count; k++) {
    carom_interval here = registers[carom_program_output(set->program, k)];
    seen[k] = first ? here : join_intervals(seen[k], here);
  }
  for (int k = 0; k < set->count; k++, seen += PER_FUNCTION)
    if (!is_gentle(set->scale[k], set->spacing[k], seen[0], seen[1])) return false;
  return true;
}

bool carom_gentle_step(const carom_gentle_set *set, carom_interval *registers,
                       const carom_stepper *stepper) {
  if (set->never) return false;
  registers[0] = (carom_interval){stepper->t, stepper->t + stepper->h};
  for (int k = 0; k < set->used_count; k++)
    registers[1 + set->used[k]] = way_of(stepper, set->used[k]);
  return goes_on(set, registers, true);
}

bool carom_gentle_parts(const carom_gentle_set *set, carom_interval *registers,
                        const carom_stepper *stepper) {
  bool gentle = !set->never;
  for (int part = 0; part < PARTS && gentle; part++) {
    double a = (double)part / PARTS, b = (double)(part + 1) / PARTS;
    registers[0] = (carom_interval){stepper->t + a * stepper->h, stepper->t + b * stepper->h};
    for (int k = 0; k < set->used_count; k++)
      carom_dense_bound(stepper, set->used[k], a, b, &registers[1 + set->used[k]], NULL, NULL);
    gentle = goes_on(set, registers, part == 0);
  }
  return gentle;
}
