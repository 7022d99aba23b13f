// SPDX-License-Identifier: MIT
#include "model/mechanics.h"

#include "model/eliminate.h"
#include "model/kinematics.h"
#include "symbolic/expand.h"

#include <assert.h>

typedef struct derivation {
  carom_arena *arena;
  carom_graph *graph;
  carom_mechanics *result;
  carom_node zero;
  carom_node *pivot, *lower; // M = L D L^T: D, and the strict lower triangle of L
  carom_node written;        // the kinetic energy, with the rates of coordinates as written
} derivation;

// multiplied out where that is shorter: most of what differentiation writes down cancels
static carom_node tidy_node(derivation *it, carom_node node) {
  if (carom_node_is_constant(it->graph, node, NULL)) return node;
  carom_arena *scratch = carom_arena_create(carom_arena_allocator(it->arena));
  if (!scratch) return node;
  node = carom_node_expand(it->graph, scratch, node);
  carom_arena_destroy(scratch);
  return node;
}

static carom_node differentiate_node(derivation *it, carom_node node, carom_node symbol) {
  return carom_node_derivative(it->graph, node, symbol);
}

// the node with kinks replaced by modes and z' by its equation; 0 (not given) becomes zero
static carom_node prepare_node(derivation *it, const carom_mechanics_input *input,
                               carom_node node) {
  if (!node) return it->zero;
  node = carom_node_substitute(it->graph, node, input->m, input->z_rate, input->equation);
  return carom_kink_remove(it->graph, it->arena, node, &it->result->kinks);
}

// x' = G u in place of the rates of coordinates
static carom_node at_speeds(derivation *it, carom_node node) {
  const carom_mechanics *r = it->result;
  return carom_node_substitute(it->graph, node, r->turned, r->z_rate, r->equation);
}

// as written for derivatives by rates, and with x' = G u
static void prepare_kinetic(derivation *it, const carom_mechanics_input *input) {
  carom_mechanics *r = it->result;
  int given = r->turned;
  carom_node node = input->kinetic ? input->kinetic : it->zero;
  node = carom_node_substitute(it->graph, node, r->m - given, r->z_rate + given,
                               input->equation + given);
  it->written = carom_kink_remove(it->graph, it->arena, node, &r->kinks);
  for (int k = 0; k < r->kinks.count && given > 0; k++)
    r->kinks.items[k].argument = at_speeds(it, r->kinks.items[k].argument);
  r->kinetic = given > 0 ? at_speeds(it, it->written) : it->written;
}

// d/dt of a node that depends on t, q, u, z: with u for q', `rate_of_u[i]` for u' and z' as
// derived; `rate_of_u` may be NULL for a node that does not depend on u
static carom_node rate_of_node(carom_graph *graph, const carom_mechanics *mechanics,
                               carom_node node, const carom_node *rate_of_u) {
  carom_node sum = carom_node_derivative(graph, node, mechanics->time);
  for (int i = 0; i < mechanics->n; i++) {
    carom_node slope = 0;
    if (i < mechanics->nq) {
      slope = carom_node_derivative(graph, node, mechanics->q[i]);
      sum = carom_add(graph, sum, carom_mul(graph, slope, mechanics->u[i]));
    }
    if (!rate_of_u) continue;
    slope = carom_node_derivative(graph, node, mechanics->u[i]);
    sum = carom_add(graph, sum, carom_mul(graph, slope, rate_of_u[i]));
  }
  for (int k = 0; k < mechanics->m; k++) {
    carom_node slope = carom_node_derivative(graph, node, mechanics->z[k]);
    sum = carom_add(graph, sum, carom_mul(graph, slope, mechanics->equation[k]));
  }
  return sum;
}

// -(d/dt dT/dz' - dT/dz + dV/dz - Q) of coordinate z_i, but for its part in u'
static carom_node turned_force(derivation *it, const carom_mechanics_input *input, int i) {
  carom_graph *graph = it->graph;
  const carom_mechanics *r = it->result;
  assert(i >= 0 && i < r->turned);
  carom_node momentum = at_speeds(it, differentiate_node(it, it->written, r->z_rate[i]));
  carom_node force = at_speeds(it, differentiate_node(it, it->written, r->z[i]));
  force = carom_sub(graph, force, differentiate_node(it, r->potential, r->z[i]));
  force = carom_add(graph, force, prepare_node(it, input, input->z_force ? input->z_force[i] : 0));
  return carom_sub(graph, force, rate_of_node(graph, r, momentum, NULL));
}

// Where rates of coordinates are given: the same along the columns of G, with what speeds in the
// kinetic energy bring (kinematics.h).
static carom_status derive_along(derivation *it, const carom_mechanics_input *input,
                                 carom_node dissipation, carom_error *error) {
  carom_graph *graph = it->graph;
  carom_mechanics *r = it->result;
  carom_node *momentum = carom_arena_array(it->arena, (size_t)r->n, sizeof *momentum);
  carom_node *term = carom_arena_array(it->arena, (size_t)r->n, sizeof *term);
  carom_node *force = carom_arena_array(it->arena, (size_t)r->turned, sizeof *force);
  if (!momentum || !term || !force) return carom_fail_memory(error);
  for (int k = 0; k < r->n; k++)
    momentum[k] = at_speeds(it, differentiate_node(it, it->written, r->u[k]));
  for (int i = 0; i < r->turned; i++)
    force[i] = turned_force(it, input, i);
  carom_status status =
      carom_kinematics_terms(it->arena, graph, r, momentum, input->kinetic_place, term, error);
  for (int k = 0; k < r->n && status == CAROM_OK; k++) {
    for (int j = 0; j < r->n; j++)
      r->mass[k * r->n + j] = tidy_node(
          it, differentiate_node(it, differentiate_node(it, r->kinetic, r->u[k]), r->u[j]));
    carom_node h = carom_sub(graph, term[k], rate_of_node(graph, r, momentum[k], NULL));
    if (k < r->nq) {
      h = carom_add(graph, h, at_speeds(it, differentiate_node(it, it->written, r->q[k])));
      h = carom_sub(graph, h, differentiate_node(it, r->potential, r->q[k]));
    }
    for (int i = 0; i < r->turned; i++)
      h = carom_add(graph, h,
                    carom_mul(graph, differentiate_node(it, r->equation[i], r->u[k]), force[i]));
    h = carom_sub(graph, h, differentiate_node(it, dissipation, r->u[k]));
    h = carom_add(graph, h, prepare_node(it, input, input->force ? input->force[k] : 0));
    r->bias[k] = tidy_node(it, h);
  }
  return status;
}

// M_ij = d2T/du_i du_j;  h_i = dT/dq_i - dV/dq_i - dD/du_i + Q_i - d/dt(dT/du_i) at u' = 0
static void derive_motion(derivation *it, const carom_mechanics_input *input,
                          carom_node dissipation) {
  carom_graph *graph = it->graph;
  carom_mechanics *r = it->result;
  for (int i = 0; i < r->n; i++) {
    carom_node momentum = differentiate_node(it, r->kinetic, r->u[i]);
    for (int j = 0; j < r->n; j++)
      r->mass[i * r->n + j] = tidy_node(it, differentiate_node(it, momentum, r->u[j]));
    carom_node h = carom_sub(graph, differentiate_node(it, r->kinetic, r->q[i]),
                             differentiate_node(it, r->potential, r->q[i]));
    h = carom_sub(graph, h, differentiate_node(it, dissipation, r->u[i]));
    h = carom_add(graph, h, prepare_node(it, input, input->force ? input->force[i] : 0));
    r->bias[i] = tidy_node(it, carom_sub(graph, h, rate_of_node(graph, r, momentum, NULL)));
  }
}

// T = T2 + T1 + T0 by degree in u; d(T + V)/dt = d(T1 + 2 T0)/dt - dL/dt + (Q - dD/du) u
static void derive_energy(derivation *it, const carom_mechanics_input *input,
                          carom_node dissipation) {
  carom_graph *graph = it->graph;
  carom_mechanics *r = it->result;
  carom_node two = carom_node_constant(graph, 2.0);
  carom_node twice_kinetic = carom_mul(graph, two, r->kinetic), euler = it->zero;
  r->power.force = r->power.damper = it->zero;
  for (int i = 0; i < r->n; i++) {
    euler = carom_add(graph, euler,
                      carom_mul(graph, r->u[i], differentiate_node(it, r->kinetic, r->u[i])));
    carom_node force = prepare_node(it, input, input->force ? input->force[i] : 0);
    r->power.force = carom_add(graph, r->power.force, carom_mul(graph, force, r->u[i]));
    carom_node damper = carom_mul(graph, differentiate_node(it, dissipation, r->u[i]), r->u[i]);
    r->power.damper = carom_add(graph, r->power.damper, damper);
  }
  for (int i = 0; i < r->turned; i++) {
    carom_node force = prepare_node(it, input, input->z_force ? input->z_force[i] : 0);
    carom_node power = carom_mul(graph, force, r->equation[i]);
    r->power.force = carom_add(graph, r->power.force, power);
  }
  // 2 T - u dT/du = T1 + 2 T0; where T is purely quadratic that is exactly zero
  bool pure = true;
  carom_node *still = carom_arena_array(it->arena, (size_t)r->n + 1, sizeof *still);
  if (!still) return;
  for (int i = 0; i < r->n; i++)
    still[i] = it->zero;
  for (int i = 0; i < r->n; i++) {
    carom_node at_rest = carom_node_substitute(graph, differentiate_node(it, r->kinetic, r->u[i]),
                                               r->n, r->u, still);
    if (at_rest != it->zero) pure = false;
  }
  if (carom_node_substitute(graph, r->kinetic, r->n, r->u, still) != it->zero) pure = false;
  r->drive_store = pure ? it->zero : carom_sub(graph, twice_kinetic, euler);

  carom_node lagrangian = carom_sub(graph, r->kinetic, r->potential);
  carom_node power = differentiate_node(it, lagrangian, r->time);
  for (int k = r->turned; k < r->m; k++)
    power =
        carom_add(graph, power,
                  carom_mul(graph, differentiate_node(it, lagrangian, r->z[k]), r->equation[k]));
  r->power.drive = carom_neg(graph, power);
}

static carom_node product_sum(derivation *it, const carom_node *a, const carom_node *b) {
  carom_node sum = it->zero;
  for (int i = 0; i < it->result->n; i++)
    if (a[i] != it->zero && b[i] != it->zero)
      sum = carom_add(it->graph, sum, carom_mul(it->graph, a[i], b[i]));
  return sum;
}

static bool derive_row(derivation *it, const carom_mechanics_input *input, int k) {
  carom_graph *graph = it->graph;
  carom_mechanics *r = it->result;
  carom_row *row = &r->rows[k];
  assert(k >= 0 && k < r->row_count);
  row->jacobian = carom_arena_array(it->arena, (size_t)r->n, sizeof(carom_node));
  row->response = carom_arena_array(it->arena, (size_t)r->n, sizeof(carom_node));
  if (!row->jacobian || !row->response) return false;

  carom_node value = prepare_node(it, input, input->rows[k].value);
  if (input->rows[k].load) row->load = prepare_node(it, input, input->rows[k].load);
  if (input->rows[k].when) row->when = prepare_node(it, input, input->rows[k].when);
  if (input->rows[k].velocity_level) {
    row->velocity = value;
  } else {
    row->position = value;
    row->velocity = rate_of_node(graph, r, value, NULL);
  }
  for (int i = 0; i < r->n; i++)
    row->jacobian[i] = tidy_node(it, differentiate_node(it, row->velocity, r->u[i]));
  row->offset =
      tidy_node(it, carom_sub(graph, row->velocity, product_sum(it, row->jacobian, r->u)));
  row->drift = tidy_node(it, rate_of_node(graph, r, row->velocity, NULL));
  carom_eliminated_solve(graph, r->n, it->pivot, it->lower, row->jacobian, row->response);
  row->free_rate = carom_add(graph, product_sum(it, row->jacobian, r->acceleration), row->drift);
  return true;
}

// A row that is zero has no force: with G_ii = 1 that follows as everything else does.
static void keep_regular(derivation *it) {
  carom_mechanics *r = it->result;
  carom_node one = carom_node_constant(it->graph, 1.0);
  for (int k = 0; k < r->row_count; k++) {
    carom_node *own = &r->delassus[k * (r->row_count + 1)];
    if (r->rows[k].when) *own = carom_node_make(it->graph, CAROM_OP_IF, r->rows[k].when, *own, one);
  }
}

// what is left of the load of row k without the forces along other rows, which it is linear in
static carom_node part_forces(derivation *it, const carom_mechanics_input *input, int k,
                              carom_node own) {
  carom_mechanics *r = it->result;
  carom_node load = r->rows[k].load;
  for (int j = 0; j < r->row_count; j++) {
    carom_node force = input->rows[j].force;
    if (!force || !carom_node_depends(it->graph, load, force)) continue;
    carom_node factor = carom_mul(it->graph, differentiate_node(it, load, force), own);
    r->delassus[k * r->row_count + j] = carom_neg(it->graph, factor);
    load = carom_node_substitute(it->graph, load, 1, &force, &it->zero);
  }
  return load;
}

// the rows of given forces, once the others are known
static void derive_loads(derivation *it, const carom_mechanics_input *input) {
  carom_mechanics *r = it->result;
  for (int k = 0; k + 1 < r->row_count; k++) {
    carom_row *row = &r->rows[k];
    if (!row->load) continue;
    carom_node own = r->delassus[(k + 1) * (r->row_count + 1)];
    r->delassus[k * (r->row_count + 1)] = own;
    carom_node load = part_forces(it, input, k, own);
    row->drift = row->free_rate = carom_neg(it->graph, carom_mul(it->graph, load, own));
  }
}

// a coordinate is cyclic when nothing that moves the system depends on it
static void find_cyclic(derivation *it) {
  carom_mechanics *r = it->result;
  for (int i = 0; i < r->nq; i++) {
    bool found = false;
    for (int j = 0; j < r->n * r->n && !found; j++)
      found = carom_node_depends(it->graph, r->mass[j], r->q[i]);
    for (int j = 0; j < r->n && !found; j++)
      found = carom_node_depends(it->graph, r->bias[j], r->q[i]);
    for (int j = 0; j < r->m && !found; j++)
      found = carom_node_depends(it->graph, r->equation[j], r->q[i]);
    for (int j = 0; j < r->row_count && !found; j++)
      found =
          (r->rows[j].position && carom_node_depends(it->graph, r->rows[j].position, r->q[i])) ||
          (r->rows[j].load && carom_node_depends(it->graph, r->rows[j].load, r->q[i])) ||
          carom_node_depends(it->graph, r->rows[j].velocity, r->q[i]);
    for (int j = 0; j < r->kinks.count && !found; j++)
      found = carom_node_depends(it->graph, r->kinks.items[j].argument, r->q[i]);
    r->cyclic[i] = !found;
  }
}

static bool make_room(derivation *it) {
  carom_mechanics *r = it->result;
  carom_arena *arena = it->arena;
  size_t n = (size_t)r->n, m = (size_t)r->m, rows = (size_t)r->row_count, node = sizeof(carom_node);
  long failures = carom_arena_failures(arena);
  r->mass = carom_arena_array(arena, n * n, node);
  r->bias = carom_arena_array(arena, n, node);
  r->acceleration = carom_arena_array(arena, n, node);
  r->equation = carom_arena_array(arena, m, node);
  r->rows = carom_arena_array(arena, rows, sizeof *r->rows);
  r->delassus = carom_arena_array(arena, rows * rows, node);
  r->cyclic = carom_arena_array(arena, n, sizeof *r->cyclic);
  it->pivot = carom_arena_array(arena, n, node);
  it->lower = carom_arena_array(arena, n * n, node);
  return carom_arena_failures(arena) == failures;
}

carom_status carom_mechanics_derive(carom_arena *arena, carom_graph *graph,
                                    const carom_mechanics_input *input, carom_mechanics **mechanics,
                                    carom_error *error) {
  carom_mechanics *r = carom_arena_take(arena, sizeof *r);
  if (!r) return carom_fail_memory(error);
  *r = (carom_mechanics){.n = input->n,
                         .nq = input->nq,
                         .m = input->m,
                         .turned = input->turned,
                         .invariants = input->invariants,
                         .row_count = input->row_count,
                         .time = input->time,
                         .q = input->q,
                         .u = input->u,
                         .z = input->z,
                         .z_rate = input->z_rate,
                         .friction = input->friction};
  derivation it = {.arena = arena, .graph = graph, .result = r};
  it.zero = carom_node_constant(graph, 0.0);
  if (!make_room(&it)) return carom_fail_memory(error);

  for (int k = 0; k < r->m; k++)
    r->equation[k] = prepare_node(&it, input, input->equation[k]);
  prepare_kinetic(&it, input);
  r->potential = prepare_node(&it, input, input->potential);
  carom_node dissipation = prepare_node(&it, input, input->dissipation);
  carom_status status = CAROM_OK;
  if (r->n == r->nq && r->turned == 0)
    derive_motion(&it, input, dissipation);
  else
    status = derive_along(&it, input, dissipation, error);
  if (status != CAROM_OK) return status;
  derive_energy(&it, input, dissipation);
  carom_eliminate(graph, r->n, r->mass, it.pivot, it.lower);
  carom_eliminated_solve(graph, r->n, it.pivot, it.lower, r->bias, r->acceleration);
  for (int k = 0; k < r->row_count; k++)
    if (!derive_row(&it, input, k)) return carom_fail_memory(error);
  for (int k = 0; k < r->row_count; k++)
    for (int j = 0; j <= k; j++) {
      carom_node entry = product_sum(&it, r->rows[k].jacobian, r->rows[j].response);
      r->delassus[k * r->row_count + j] = r->delassus[j * r->row_count + k] = entry;
    }
  keep_regular(&it);
  derive_loads(&it, input);
  find_cyclic(&it);

  status = carom_graph_status(graph);
  if (status != CAROM_OK)
    return carom_fail(error, status, "the derived equations are too large (%d expressions)",
                      carom_graph_count(graph));
  *mechanics = r;
  return CAROM_OK;
}
