// SPDX-License-Identifier: MIT
#include "hybrid/watch.h"

#include "symbolic/operation.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VALUE, RATE, CURVATURE, PER_COMPONENT }; // the order of inputs and outputs
enum { TAIL = 3, LEAST_DEGREE = 4 };            // TAIL terms tell what is left out
static const double LONGEST_TAIL = 1e-3;        // of all terms, of a polynomial that is of use
static const double FINE = 1e-2;                // of a tolerance: what a value may be wrong by

carom_status carom_path_symbols_create(carom_path_symbols *symbols, carom_arena *arena,
                                       carom_graph *graph, const carom_mechanics *mechanics,
                                       const carom_node *acceleration, carom_error *error) {
  symbols->acceleration = acceleration;
  int nq = mechanics->nq, n = mechanics->n, size = nq + n + mechanics->m;
  symbols->size = size;
  symbols->y = carom_arena_array(arena, (size_t)size, sizeof(carom_node));
  symbols->rate = carom_arena_array(arena, (size_t)size, sizeof(carom_node));
  symbols->curvature = carom_arena_array(arena, (size_t)size, sizeof(carom_node));
  if (!symbols->y || !symbols->rate || !symbols->curvature) return carom_fail_memory(error);
  for (int i = 0; i < size; i++) {
    symbols->y[i] = i < nq       ? mechanics->q[i]
                    : i < nq + n ? mechanics->u[i - nq]
                                 : mechanics->z[i - nq - n];
    char name[32];
    (void)snprintf(name, sizeof name, "path%d.rate", i);
    symbols->rate[i] = carom_node_symbol(graph, name, CAROM_SYMBOL_OTHER);
    (void)snprintf(name, sizeof name, "path%d.curvature", i);
    symbols->curvature[i] = carom_node_symbol(graph, name, CAROM_SYMBOL_OTHER);
  }
  return carom_graph_status(graph) == CAROM_OK ? CAROM_OK : carom_fail_memory(error);
}

// Is there a length in it? Its slopes by two coordinates have no limit where it is zero.
static bool has_length(const carom_graph *graph, carom_node node, int *left) {
  if (!node || --*left < 0) return false;
  if (carom_node_op(graph, node) == CAROM_OP_HYPOT) return true;
  for (int k = 0; k < 3; k++)
    if (has_length(graph, carom_node_operand(graph, node, k), left)) return true;
  return false;
}

// d/dt along the path, of a node in which the watch's components are all that moves: coordinate by
// coordinate, or at once. Of many components the sum would repeat for each of them most of the
// node. And rates that cancel (the slip of what sticks) it would multiply one by one with the slope
// of a length, whose bounds, -1 to 1, forget that they do.
static carom_node along_path(carom_graph *graph, carom_node time, const carom_path_symbols *path,
                             const carom_watch *watch, carom_node *both, carom_node node) {
  const int many = 14; // a body in space has 13
  int limit = 1000, count = 0;
  carom_node *symbols = both, *rates = both + 2 * path->size + 1;
  symbols[count] = time, rates[count++] = carom_node_constant(graph, 1.0);
  for (int k = 0; k < watch->used_count; k++) {
    int i = watch->used[k];
    symbols[count] = path->y[i], rates[count++] = path->rate[i];
    symbols[count] = path->rate[i], rates[count++] = path->curvature[i];
  }
  if (watch->used_count >= many || has_length(graph, node, &limit))
    return carom_node_rate(graph, node, count, symbols, rates);
  carom_node sum = carom_node_derivative(graph, node, time);
  for (int k = 1; k < count; k++) {
    carom_node slope = carom_node_derivative(graph, node, symbols[k]);
    sum = carom_add(graph, sum, carom_mul(graph, slope, rates[k]));
  }
  return sum;
}

// Does the expression have a finite value at every point of a box where its bounds are finite? By
// what it is made of: no roots, logarithms or divisions by anything that moves. `left` limits the
// search.
static bool has_values(const carom_graph *graph, carom_node node, int *left) {
  const unsigned fixed = 1u << CAROM_SYMBOL_PARAMETER | 1u << CAROM_SYMBOL_MODE;
  if (!carom_node_depends_kind(graph, node, ~fixed)) return true;
  if (--*left < 0) return false;
  carom_node a = carom_node_operand(graph, node, 0), b = carom_node_operand(graph, node, 1);
  double power = 0.0;
  carom_op op = carom_node_op(graph, node);
  switch (op) {
  case CAROM_OP_SYMBOL: return true;
  case CAROM_OP_DIV:
    return has_values(graph, a, left) && !carom_node_depends_kind(graph, b, ~fixed);
  case CAROM_OP_POW:
    return carom_node_is_constant(graph, b, &power) && (power == 2.0 || power == 3.0) &&
           has_values(graph, a, left);
  default:
    return carom_op_has(op, CAROM_TOTAL) && has_values(graph, a, left) &&
           (!b || has_values(graph, b, left));
  }
}

// Does it have parts that are flat in one place and steep in another: exponentials, and what is
// made of them? Series made in the one say nothing of the other, and their terms may be too small
// to be numbers.
static bool is_steep(const carom_graph *graph, carom_node node, int *left) {
  const unsigned fixed = 1u << CAROM_SYMBOL_PARAMETER | 1u << CAROM_SYMBOL_MODE;
  if (!node || !carom_node_depends_kind(graph, node, ~fixed)) return false;
  if (--*left < 0) return true;
  switch (carom_node_op(graph, node)) {
  case CAROM_OP_SYMBOL: return false;
  case CAROM_OP_EXP:
  case CAROM_OP_SINH:
  case CAROM_OP_COSH:
  case CAROM_OP_TANH: return true;
  case CAROM_OP_POW:
    if (carom_node_depends_kind(graph, carom_node_operand(graph, node, 1), ~fixed)) return true;
    return is_steep(graph, carom_node_operand(graph, node, 0), left);
  default:
    for (int k = 0; k < 3; k++)
      if (is_steep(graph, carom_node_operand(graph, node, k), left)) return true;
    return false;
  }
}

// t, then y, y', y'' of each used component, modes and parameters, branches of its own
static carom_node *list_inputs(carom_arena *arena, const carom_dynamics *dynamics,
                               const carom_path_symbols *symbols, carom_watch *watch,
                               int branch_count, const carom_kink *branches, int *count) {
  int rest = dynamics->modes + dynamics->parameters;
  watch->branch_at = 1 + PER_COMPONENT * watch->used_count + rest;
  *count = watch->branch_at + branch_count;
  carom_node *inputs = carom_arena_array(arena, (size_t)*count, sizeof *inputs), *at = inputs;
  if (!inputs) return NULL;
  *at++ = dynamics->inputs[0];
  for (int k = 0; k < watch->used_count; k++) {
    *at++ = symbols->y[watch->used[k]];
    *at++ = symbols->rate[watch->used[k]];
    *at++ = symbols->curvature[watch->used[k]];
  }
  memcpy(at, dynamics->inputs + 1 + dynamics->size, (size_t)rest * sizeof *at);
  for (int k = 0; k < branch_count; k++)
    inputs[watch->branch_at + k] = branches[k].mode;
  return inputs;
}

carom_status carom_watch_compile(carom_watch *watch, carom_arena *arena,
                                 const carom_dynamics *dynamics, const carom_path_symbols *symbols,
                                 int branch_count, const carom_kink *branches, carom_node function,
                                 carom_error *error) {
  carom_graph *graph = dynamics->graph;
  // along the path an acceleration is the rate of a rate
  function = carom_node_substitute(graph, function, dynamics->n, symbols->acceleration,
                                   symbols->rate + dynamics->nq);
  watch->used = carom_arena_array(arena, (size_t)symbols->size, sizeof *watch->used);
  carom_node *slopes = carom_arena_array(arena, (size_t)symbols->size, sizeof *slopes);
  carom_node *moving = carom_arena_array(arena, 4 * (size_t)symbols->size + 2, sizeof *moving);
  if (!watch->used || !slopes || !moving) return carom_fail_memory(error);
  watch->node = function;
  watch->used_count = 0;
  watch->component = -1;
  int limit = 1000;
  watch->total = has_values(graph, function, &limit);
  limit = 1000;
  watch->steep = is_steep(graph, function, &limit);
  watch->timed = carom_node_depends(graph, function, dynamics->inputs[0]);
  for (int i = 0; i < symbols->size; i++) {
    if (function == symbols->y[i]) watch->component = i;
    bool by_rate = carom_node_depends(graph, function, symbols->rate[i]);
    watch->rough |= by_rate;
    if (!by_rate && !carom_node_depends(graph, function, symbols->y[i])) continue;
    slopes[watch->used_count] = carom_node_derivative(graph, function, symbols->y[i]);
    watch->used[watch->used_count++] = i;
  }
  assert(watch->used_count <= symbols->size);
  int count;
  carom_node *inputs = list_inputs(arena, dynamics, symbols, watch, branch_count, branches, &count);
  if (!inputs) return carom_fail_memory(error);
  carom_node rate = along_path(graph, dynamics->inputs[0], symbols, watch, moving, function);
  double slope = 1.0;
  watch->still = carom_node_is_constant(graph, rate, &slope) && slope == 0.0;
  carom_node outputs[PER_COMPONENT] = {
      function, rate, along_path(graph, dynamics->inputs[0], symbols, watch, moving, rate)};
  carom_status status = carom_program_compile(arena, graph, count, inputs, PER_COMPONENT, outputs,
                                              &watch->program, error);
  if (status == CAROM_OK)
    status = carom_program_compile(arena, graph, count, inputs, 1, outputs, &watch->value_program,
                                   error);
  if (status != CAROM_OK) return status;
  return carom_program_compile(arena, graph, count, inputs, watch->used_count, slopes,
                               &watch->slope_program, error);
}

carom_status carom_watch_work_init(carom_watch_work *work, carom_arena *arena,
                                   const carom_watch *watch, carom_error *error) {
  long failures = carom_arena_failures(arena);
  size_t count = (size_t)carom_program_registers(watch->program);
  work->registers = carom_arena_array(arena, count, sizeof(double));
  work->bounds = carom_arena_array(arena, count, sizeof(carom_interval));
  count = (size_t)carom_program_registers(watch->slope_program);
  work->slope_registers = carom_arena_array(arena, count, sizeof(double));
  count = (size_t)carom_program_registers(watch->value_program);
  work->value_bounds = carom_arena_array(arena, count, sizeof(carom_interval));
  if (carom_arena_failures(arena) != failures) return carom_fail_memory(error);
  work->seen_at = work->lowest_at = -1;
  return CAROM_OK;
}

static void set_up(const carom_watch *watch, carom_watch_work *work) {
  carom_program_setup(watch->program, work->registers);
  carom_program_setup(watch->slope_program, work->slope_registers);
  carom_program_setup_bounds(watch->program, work->bounds);
  carom_program_setup_bounds(watch->value_program, work->value_bounds);
}

void carom_watch_configure(const carom_watch *watch, carom_watch_work *work,
                           const carom_dynamics *dynamics, const double *parameters,
                           const double *modes) {
  int first = 1 + PER_COMPONENT * watch->used_count;
  work->seen_at = work->lowest_at = -1;
  for (int k = 0; k < dynamics->modes + dynamics->parameters; k++) {
    double value = k < dynamics->modes ? modes[k] : parameters[k - dynamics->modes];
    work->registers[first + k] = work->slope_registers[first + k] = value;
    work->bounds[first + k] = work->value_bounds[first + k] = carom_interval_point(value);
  }
  set_up(watch, work);
}

void carom_watch_branch(const carom_watch *watch, carom_watch_work *work, int k, double value) {
  int at = watch->branch_at + k;
  if (work->registers[at] == value) return;
  work->registers[at] = work->slope_registers[at] = value;
  work->bounds[at] = work->value_bounds[at] = carom_interval_point(value);
  work->seen_at = work->lowest_at = -1;
  set_up(watch, work);
}

void carom_watch_follow(carom_watch_work *work, const carom_stepper *stepper,
                        const double *coefficients, double tolerance) {
  double power = 1.0, size = 0.0;
  for (int j = 0; j <= work->degree; j++) {
    work->c[j] = coefficients[j] * power;
    size += fabs(work->c[j]);
    power *= stepper->h;
  }
  work->tail = 0.0;
  if (work->degree == CAROM_SERIES_DEGREE - 1) // otherwise it is a polynomial of that degree
    for (int j = work->degree - TAIL + 1; j <= work->degree; j++)
      work->tail += fabs(work->c[j]);
  for (; work->degree < LEAST_DEGREE; work->degree++)
    work->c[work->degree + 1] = 0.0;
  work->fine = FINE * tolerance;
  work->tested = false;
  // of no use: too many terms are missing, or it is nothing but rounding
  if (!(work->tail <= LONGEST_TAIL * size && size > tolerance)) work->degree = 0;
}

// how much of the tail has come up by theta: its lowest power
static double tail_at(const carom_watch_work *work, double theta) {
  double p2 = theta * theta, p4 = p2 * p2, p8 = p4 * p4;
  return work->tail * (p8 * p4 * theta);
}

static double watch_output(const carom_watch *watch, const carom_watch_work *work, int k) {
  return work->registers[carom_program_output(watch->program, k)];
}

// runs the program at a state; y' may be NULL (0)
static void run_at(const carom_watch *watch, carom_watch_work *work, double t, const double *y,
                   const double *rate) {
  double *at = work->registers;
  *at++ = t;
  for (int k = 0; k < watch->used_count; k++) {
    *at++ = y[watch->used[k]];
    *at++ = rate ? rate[watch->used[k]] : 0.0;
    *at++ = 0.0;
  }
  carom_program_run(watch->program, work->registers);
}

double carom_watch_at(const carom_watch *watch, carom_watch_work *work, double t, const double *y) {
  run_at(watch, work, t, y, NULL);
  return watch_output(watch, work, VALUE);
}

double carom_watch_rate_value(const carom_watch *watch, carom_watch_work *work, double t,
                              const double *y, const double *rate) {
  run_at(watch, work, t, y, rate);
  return watch_output(watch, work, VALUE);
}

double carom_watch_rate(const carom_watch *watch, carom_watch_work *work, double t, const double *y,
                        const double *rate) {
  run_at(watch, work, t, y, rate);
  return watch_output(watch, work, RATE);
}

void carom_watch_both(const carom_watch *watch, carom_watch_work *work, double t, const double *y,
                      const double *rate, double *value, double *slope) {
  run_at(watch, work, t, y, rate);
  *value = watch_output(watch, work, VALUE);
  *slope = watch_output(watch, work, RATE);
}

double carom_watch_spread(const carom_watch *watch, carom_watch_work *work, double t,
                          const double *y, const double *weight) {
  double *at = work->slope_registers, spread = 0.0;
  *at++ = t;
  for (int k = 0; k < watch->used_count; k++, at += PER_COMPONENT)
    *at = y[watch->used[k]];
  carom_program_run(watch->slope_program, work->slope_registers);
  for (int k = 0; k < watch->used_count; k++) {
    double slope = work->slope_registers[carom_program_output(watch->slope_program, k)];
    spread += (slope < 0.0 ? -slope : slope) * weight[watch->used[k]];
  }
  return spread;
}

double carom_watch_bring(const carom_watch *watch, carom_watch_work *work, double t, double *y,
                         const double *rate) {
  double size = 0.0;
  for (int round = 0; round < 2; round++) { // of Newton's method
    double value = carom_watch_at(watch, work, t, y), square = 0.0;
    (void)carom_watch_spread(watch, work, t, y, rate); // slopes at y
    size = 0.0;
    for (int k = 0; k < watch->used_count; k++) {
      double slope = work->slope_registers[carom_program_output(watch->slope_program, k)];
      square += slope * slope;
      size += fabs(slope * rate[watch->used[k]]);
    }
    for (int k = 0; k < watch->used_count && square > 0.0; k++) {
      double slope = work->slope_registers[carom_program_output(watch->slope_program, k)];
      y[watch->used[k]] -= value * slope / square;
    }
  }
  return size;
}

// g, g', g'' with respect to time
static void value_in_time(const carom_watch *watch, carom_watch_work *work,
                          const carom_stepper *stepper, double theta, double g[3]) {
  if (watch->component >= 0) {
    carom_dense_component(stepper, watch->component, theta, g);
    return;
  }
  double *at = work->registers;
  *at++ = stepper->t + theta * stepper->h;
  for (int k = 0; k < watch->used_count; k++, at += PER_COMPONENT)
    carom_dense_component(stepper, watch->used[k], theta, at);
  carom_program_run(watch->program, work->registers);
  (void)carom_program_read(watch->program, work->registers, 0, PER_COMPONENT, g);
}

// the same value is often asked for by the search, for the side the function is on and for
// observables
static void exact_value(const carom_watch *watch, carom_watch_work *work,
                        const carom_stepper *stepper, double theta, double g[3]) {
  if (work->seen_at != stepper->counts.evaluations || work->seen_theta != theta) {
    double *seen = work->seen;
    value_in_time(watch, work, stepper, theta, seen);
    seen[1] *= stepper->h;
    seen[2] = seen[2] * stepper->h * stepper->h;
    work->seen_theta = theta;
    work->seen_at = stepper->counts.evaluations;
  }
  memcpy(g, work->seen, sizeof work->seen);
}

void carom_watch_value(const carom_watch *watch, carom_watch_work *work,
                       const carom_stepper *stepper, double theta, double g[3]) {
  if (work->degree > 0 && tail_at(work, theta) <= work->fine) {
    carom_polynomial_value(work->degree, work->c, theta, g);
    return;
  }
  exact_value(watch, work, stepper, theta, g);
}
carom_interval carom_watch_range(const carom_watch *watch, carom_watch_work *work,
                                 const carom_stepper *stepper, double a, double b) {
  if (work->degree > 0 && a == 0.0 && b == 1.0)
    return carom_polynomial_range(work->degree, work->c, work->tail);
  if (watch->component >= 0 && a == 0.0 && b == 1.0)
    return carom_dense_range(stepper, watch->component);
  carom_interval *at = work->value_bounds;
  if (watch->component >= 0) {
    carom_dense_bound(stepper, watch->component, a, b, at, NULL, NULL);
    return *at;
  }
  *at++ = (carom_interval){stepper->t + a * stepper->h, stepper->t + b * stepper->h};
  for (int k = 0; k < watch->used_count; k++, at += PER_COMPONENT)
    carom_dense_bound(stepper, watch->used[k], a, b, at, watch->rough ? at + 1 : NULL, NULL);
  carom_program_run_bounds(watch->value_program, work->value_bounds);
  return work->value_bounds[carom_program_output(watch->value_program, 0)];
}

// Is the polynomial at the end of the step as near to g as its last terms say? Asked once.
static bool keeps_word(const carom_watch *watch, carom_watch_work *work,
                       const carom_stepper *stepper) {
  if (work->tested) return true;
  double at[3], g[3];
  carom_polynomial_value(work->degree, work->c, 1.0, at);
  exact_value(watch, work, stepper, 1.0, g);
  double difference = fabs(at[0] - g[0]);
  work->rounding = difference < work->fine ? difference : work->fine;
  work->tested = difference <= work->tail + work->fine;
  if (!work->tested) work->degree = 0;
  return work->tested;
}

void carom_watch_bound(const carom_watch *watch, carom_watch_work *work,
                       const carom_stepper *stepper, double a, double b, carom_interval g[3]) {
  double h = stepper->h;
  if (work->degree > 0 && keeps_word(watch, work, stepper)) {
    // derivatives bring powers down: by at most the highest
    double tail = tail_at(work, b), per_b = CAROM_SERIES_DEGREE / b;
    const double noise[3] = {tail + work->rounding, tail * per_b, tail * per_b * per_b};
    carom_polynomial_bound(work->degree, work->c, a, b, noise, g);
    return;
  }
  if (watch->component >= 0) {
    carom_dense_bound(stepper, watch->component, a, b, g, g + 1, g + 2);
    g[RATE] = (carom_interval){g[RATE].lo * h, g[RATE].hi * h};
    g[CURVATURE] = (carom_interval){g[CURVATURE].lo * (h * h), g[CURVATURE].hi * (h * h)};
    return;
  }
  carom_interval *at = work->bounds;
  *at++ = (carom_interval){stepper->t + a * h, stepper->t + b * h};
  for (int k = 0; k < watch->used_count; k++, at += PER_COMPONENT)
    carom_dense_bound(stepper, watch->used[k], a, b, at, at + 1, at + 2);
  carom_program_run_bounds(watch->program, work->bounds);
  for (int k = 0; k < PER_COMPONENT; k++) {
    carom_interval range = work->bounds[carom_program_output(watch->program, k)];
    double scale = k == VALUE ? 1.0 : k == RATE ? h : h * h;
    g[k] = (carom_interval){range.lo * scale, range.hi * scale};
  }
  // the third derivative of the path is not followed
  if (watch->rough) g[CURVATURE] = (carom_interval){-INFINITY, INFINITY};
}
