// SPDX-License-Identifier: MIT
/// Equilibria: in each set of open and closed contacts the mode's own equations, with u = 0, are
/// solved by Newton's method with exact derivatives; eigenvalues are those of the motion that keeps
/// the closed contacts closed.
#include "carom/equilibrium.h"

#include "base/eigen.h"
#include "base/elementary.h"
#include "base/linear.h"
#include "hybrid/hybrid.h"
#include "model/mode_equations.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { MOST_CONTACTS = 10, NEWTON_LIMIT = 100, HALVINGS = 30 };

struct carom_equilibria {
  int count;
  carom_equilibrium *items;
  carom_arena *memory;
};

/// The first output of each group behind the residuals of a mode's program.
typedef struct output_groups {
  int slopes, motion, rows, forces, gaps, limits, across, responses;
} output_groups;

typedef struct search {
  const carom_hybrid *from; // parameters, modes and the guess
  carom_arena *arena;       // of the result
  carom_arena *scratch;     // of one mode
  carom_scenario *scenario; // a private copy: deriving adds to its graph
  carom_mechanics *mechanics;
  carom_dynamics *dynamics;
  carom_contact_set contacts;
  carom_error *error;
  carom_dynamics_work *rest; // rows of the guess, at rest
  // of the mode being tried
  unsigned closed;
  bool stuck, redundant; // some tangents hold what others do
  int held_count, *held, sliding_count;
  carom_sliding *sliding;
  carom_letter word;
  carom_mode_equations equations;
  carom_program *program;
  double *registers;
  double *weight; // per residual: makes it a distance in the unknowns
  int residuals, unknowns;
  output_groups first;
} search;

static double read_output(const search *it, int k) {
  return it->registers[carom_program_output(it->program, k)];
}

// evaluates the mode's program at a state (q, 0, z)
static void run_at(search *it, const double *y) {
  it->registers[0] = it->from->now.t;
  memcpy(it->registers + 1, y, (size_t)it->dynamics->size * sizeof *y);
  carom_program_run(it->program, it->registers);
}

// the friction of a contact whose surface moves: -mu along each tangent's share of the slip
static void add_sliding(search *it, int k, bool plus) {
  carom_graph *graph = it->scenario->graph;
  const carom_contact *c = &it->scenario->contacts[k];
  int rows[2] = {it->contacts.tangent[k], it->contacts.cross[k]};
  carom_node slip = it->mechanics->rows[rows[0]].velocity, speed = slip;
  if (rows[1] >= 0)
    speed = carom_node_make(graph, CAROM_OP_HYPOT, slip, it->mechanics->rows[rows[1]].velocity, 0);
  carom_node mu = carom_node_substitute(graph, c->slide, 1, &c->slip_speed, &speed);
  if (rows[1] < 0) {
    it->sliding[it->sliding_count++] =
        (carom_sliding){it->contacts.normal[k], rows[0], plus ? carom_neg(graph, mu) : mu};
    return;
  }
  for (int j = 0; j < 2; j++) {
    carom_node part = carom_div(graph, it->mechanics->rows[rows[j]].velocity, speed);
    it->sliding[it->sliding_count++] = (carom_sliding){
        it->contacts.normal[k], rows[j], carom_neg(graph, carom_mul(graph, mu, part))};
  }
}

// a contact that is closed at rest slides when its surface moves, and sticks when it does not
static carom_status choose_modes(search *it, const double *velocity) {
  const carom_scenario *s = it->scenario;
  it->held_count = it->sliding_count = 0;
  it->stuck = false;
  it->word = 0;
  for (int k = 0; k < s->constraint_count; k++)
    it->held[it->held_count++] = k;
  for (int k = 0; k < it->contacts.count; k++) {
    if (!(it->closed >> k & 1u)) continue;
    const carom_contact *c = &s->contacts[k];
    int normal = it->contacts.normal[k], tangent = it->contacts.tangent[k];
    int cross = it->contacts.cross[k];
    carom_phase phase = CAROM_PHASE_CLOSED;
    it->held[it->held_count++] = normal;
    if (it->contacts.user_law[k])
      return carom_fail_at(
          it->error, CAROM_ERR_UNSUPPORTED, c->place,
          "equilibria of contacts with a tangential law of your own are not found");
    bool moves = tangent >= 0 && velocity[tangent] != 0.0;
    if (moves || (cross >= 0 && velocity[cross] != 0.0)) {
      bool plus = cross >= 0 || velocity[tangent] > 0.0;
      add_sliding(it, k, plus);
      phase = cross >= 0 ? CAROM_PHASE_SLIP : plus ? CAROM_PHASE_PLUS : CAROM_PHASE_MINUS;
    } else if (tangent >= 0) {
      it->held[it->held_count++] = tangent;
      if (cross >= 0) it->held[it->held_count++] = cross;
      it->stuck = true;
      phase = CAROM_PHASE_STICK;
    }
    it->word |= (carom_letter)phase << (3 * k);
  }
  assert(it->held_count <= s->constraint_count + 3 * it->contacts.count &&
         it->sliding_count <= 2 * it->contacts.count);
  return CAROM_OK;
}

// unknown j: a coordinate or a state
static carom_node unknown_symbol(const search *it, int j) {
  return j < it->mechanics->nq ? it->mechanics->q[j] : it->mechanics->z[j - it->mechanics->nq];
}
static int unknown_place(const search *it, int j) {
  return j < it->mechanics->nq ? j : j + it->mechanics->n;
}

// the equations of rest and their slopes; as those below, returns the place behind them
static carom_node *list_residuals(search *it, carom_node *outputs) {
  const carom_mechanics *m = it->mechanics;
  carom_node *at = outputs;
  for (int k = 0; k < it->held_count; k++)
    if (m->rows[it->held[k]].position) *at++ = m->rows[it->held[k]].position;
  for (int i = 0; i < m->n; i++)
    *at++ = it->equations.acceleration[i];
  for (int k = 0; k < m->m; k++)
    *at++ = m->equation[k];
  for (int k = 0; k < m->invariants.count; k++)
    *at++ = m->invariants.nodes[k];
  it->residuals = it->first.slopes = (int)(at - outputs);
  for (int i = 0; i < it->residuals; i++)
    for (int j = 0; j < it->unknowns; j++)
      *at++ = carom_node_derivative(it->scenario->graph, outputs[i], unknown_symbol(it, j));
  return at;
}

// Near rest a motion is known by the way that each speed has gone, by the speeds, and by the states
// that are no coordinates.
static int motion_size(const search *it) {
  return 2 * it->mechanics->n + it->mechanics->m - it->mechanics->turned;
}

// the derivative by the way that speed j goes
static carom_node slope_along(const search *it, carom_node node, int j) {
  assert(j >= 0 && j < it->mechanics->n);
  const carom_mechanics *m = it->mechanics;
  carom_graph *graph = it->scenario->graph;
  carom_node sum =
      j < m->nq ? carom_node_derivative(graph, node, m->q[j]) : carom_node_constant(graph, 0.0);
  for (int i = 0; i < m->turned; i++) {
    carom_node way = carom_node_derivative(graph, m->equation[i], m->u[j]);
    sum = carom_add(graph, sum, carom_mul(graph, carom_node_derivative(graph, node, m->z[i]), way));
  }
  return sum;
}

// the Jacobian of the motion: rows u', z' over columns ways, u, z
static carom_node *list_motion(const search *it, carom_node *at) {
  const carom_mechanics *m = it->mechanics;
  carom_graph *graph = it->scenario->graph;
  int n = m->n, size = motion_size(it);
  for (int i = 0; i < size - n; i++) {
    carom_node rate = i < n ? it->equations.acceleration[i] : m->equation[m->turned + i - n];
    for (int j = 0; j < size; j++)
      *at++ = j < n ? slope_along(it, rate, j)
                    : carom_node_derivative(graph, rate,
                                            j < 2 * n ? m->u[j - n] : m->z[m->turned + j - 2 * n]);
  }
  return at;
}

// the friction that each contact can bear at rest, and the axes of its ellipse
static carom_node *list_limits(const search *it, carom_node *at) {
  carom_graph *graph = it->scenario->graph;
  carom_node zero = carom_node_constant(graph, 0.0), still = zero;
  for (int k = 0; k < it->contacts.count; k++) {
    const carom_contact *c = &it->scenario->contacts[k];
    at[it->contacts.count] = c->across ? c->across : carom_node_constant(graph, 1.0);
    *at++ = c->stick ? carom_node_substitute(graph, c->stick, 1, &c->slip_speed, &still) : zero;
  }
  return at + it->contacts.count;
}

// what forces along held rows, with the friction they bring, do to the rates of these rows
static carom_node *list_responses(const search *it, carom_node *at) {
  const carom_mechanics *m = it->mechanics;
  carom_graph *graph = it->scenario->graph;
  for (int i = 0; i < it->held_count; i++)
    for (int j = 0; j < it->held_count; j++) {
      const carom_node *row = m->delassus + it->held[i] * m->row_count;
      carom_node response = row[it->held[j]];
      for (int k = 0; k < it->sliding_count; k++)
        if (it->sliding[k].normal == it->held[j])
          response =
              carom_add(graph, response,
                        carom_mul(graph, it->sliding[k].factor, row[it->sliding[k].tangent]));
      *at++ = response;
    }
  return at;
}

// what is positive while contact k is open
static carom_node open_margin(const search *it, int k) {
  const carom_row *row = &it->mechanics->rows[it->contacts.normal[k]];
  if (carom_contact_is_carried(&it->contacts, k))
    return carom_node_constant(it->scenario->graph, CAROM_ABSENT_GAP);
  return row->load ? carom_neg(it->scenario->graph, row->load) : row->position;
}

static carom_status compile_mode(search *it) {
  const carom_mechanics *m = it->mechanics;
  int n = m->n, size = it->dynamics->size, contacts = it->contacts.count;
  it->unknowns = m->nq + m->m;
  int residuals = it->held_count + n + m->m + m->invariants.count, motion = motion_size(it);
  size_t room = (size_t)(residuals * (1 + it->unknowns) + motion * motion +
                         it->held_count * (n + it->held_count) + m->row_count + 3 * contacts);
  carom_node *outputs = carom_arena_array(it->scratch, room, sizeof *outputs);
  if (!outputs) return carom_fail_memory(it->error);
  carom_node *at = list_residuals(it, outputs);
  it->first.motion = (int)(at - outputs);
  at = list_motion(it, at);
  it->first.rows = (int)(at - outputs);
  for (int k = 0; k < it->held_count; k++)
    for (int i = 0; i < n; i++)
      *at++ = m->rows[it->held[k]].jacobian[i];
  it->first.forces = (int)(at - outputs);
  for (int r = 0; r < m->row_count; r++)
    *at++ = it->equations.force[r];
  it->first.gaps = (int)(at - outputs);
  for (int k = 0; k < contacts; k++)
    *at++ = open_margin(it, k);
  it->first.limits = (int)(at - outputs);
  at = list_limits(it, at);
  it->first.across = it->first.limits + contacts;
  it->first.responses = (int)(at - outputs);
  at = list_responses(it, at);
  carom_status status = carom_program_compile(
      it->scratch, it->scenario->graph, it->dynamics->input_count, it->dynamics->inputs,
      (int)(at - outputs), outputs, &it->program, it->error);
  if (status != CAROM_OK) return status;
  it->registers =
      carom_arena_array(it->scratch, (size_t)carom_program_registers(it->program), sizeof(double));
  if (!it->registers) return carom_fail_memory(it->error);
  double *inputs = it->registers + 1 + size;
  memcpy(inputs, it->from->modes, (size_t)it->dynamics->modes * sizeof *inputs);
  memcpy(inputs + it->dynamics->modes, it->from->settings.parameters,
         (size_t)it->dynamics->parameters * sizeof *inputs);
  carom_program_setup(it->program, it->registers);
  return CAROM_OK;
}

// A gap in metres and accelerations of a stiff system differ by orders of magnitude. Divided by the
// length of its own gradient each residual is a distance, and none drowns the others; a gradient
// that is nothing but rounding, as of accelerations that are held, is no measure.
static void weigh_residuals(search *it) {
  const double rounding = 1e-13;
  double largest = 0.0;
  for (int r = 0; r < it->residuals; r++) {
    double square = 0.0;
    for (int j = 0; j < it->unknowns; j++) {
      double slope = read_output(it, it->first.slopes + r * it->unknowns + j);
      square += slope * slope;
    }
    it->weight[r] = sqrt(square);
    largest = fmax(largest, it->weight[r]);
  }
  for (int r = 0; r < it->residuals; r++) {
    double length = it->weight[r] > rounding * largest ? it->weight[r] : largest;
    it->weight[r] = length > 0.0 ? 1.0 / length : 1.0;
  }
}

static double residual_norm(const search *it) {
  double norm = 0.0;
  for (int i = 0; i < it->residuals; i++) {
    double part = it->weight[i] * read_output(it, i);
    norm += part * part;
  }
  return sqrt(norm);
}

// the Gauss-Newton step of the weighted residuals just evaluated: J^T J d = -J^T r
static void newton_step(const search *it, double *normal, double *d, int *order) {
  int n = it->unknowns;
  memset(d, 0, (size_t)n * sizeof *d);
  memset(normal, 0, (size_t)(n * n) * sizeof *normal);
  for (int r = 0; r < it->residuals; r++) {
    int row = it->first.slopes + r * n;
    double square = it->weight[r] * it->weight[r];
    for (int i = 0; i < n; i++) {
      double slope = square * read_output(it, row + i);
      d[i] -= slope * read_output(it, r);
      for (int j = 0; j < n; j++)
        normal[i * n + j] += slope * read_output(it, row + j);
    }
  }
  carom_solve_semidefinite(n, normal, d, 1e-13, order);
}

// Newton with halved steps; y holds the guess and becomes the equilibrium
static bool newton_halved(search *it, double *y) {
  int n = it->unknowns;
  size_t room = (size_t)(n * n + n + it->dynamics->size);
  double *normal = carom_arena_array(it->scratch, room, sizeof *normal);
  int *order = carom_arena_array(it->scratch, (size_t)n, sizeof *order);
  it->weight = carom_arena_array(it->scratch, (size_t)it->residuals, sizeof *it->weight);
  if (!normal || !order || !it->weight) return false;
  double *d = normal + n * n, *trial = d + n;
  run_at(it, y);
  weigh_residuals(it);
  double norm = residual_norm(it), size = 1.0 + norm;
  for (int round = 0; round < NEWTON_LIMIT && isfinite(norm); round++) {
    weigh_residuals(it);
    norm = residual_norm(it);
    newton_step(it, normal, d, order);
    double next = INFINITY;
    for (int k = 0; k < HALVINGS && !(next < norm); k++) {
      double factor = ldexp(1.0, -k);
      memcpy(trial, y, (size_t)it->dynamics->size * sizeof *y);
      for (int j = 0; j < n; j++)
        trial[unknown_place(it, j)] += factor * d[j];
      run_at(it, trial);
      next = residual_norm(it);
    }
    if (!(next < norm)) break; // no progress: at rounding, or stuck
    memcpy(y, trial, (size_t)it->dynamics->size * sizeof *y);
  }
  run_at(it, y);
  return residual_norm(it) <= 1e-10 * size;
}

// Orthonormal vectors: first those that span the held rows (at position or velocity level), then
// the directions that keep them. A contact that sticks stays where it is: other places of it belong
// to other equilibria. Returns how many of the first kind there are; all are n.
static int split_directions(const search *it, bool velocities, double *basis) {
  int n = it->mechanics->n, count = 0, normals = 0;
  for (int k = 0; k < it->held_count + n; k++) {
    double *v = basis + count * n;
    if (count == n) break;
    if (k < it->held_count) {
      bool sticks = it->held[k] >= it->scenario->constraint_count; // a tangent, or a normal
      if (!velocities && !sticks && !it->mechanics->rows[it->held[k]].position) continue;
      for (int i = 0; i < n; i++)
        v[i] = read_output(it, it->first.rows + k * n + i);
    } else {
      for (int i = 0; i < n; i++)
        v[i] = i == k - it->held_count ? 1.0 : 0.0;
    }
    double before = sqrt(carom_dot(n, v, v)), length = carom_orthogonalise(n, v, count, basis);
    if (!(length > 1e-9 * before)) continue;
    for (int i = 0; i < n; i++)
      v[i] /= length;
    count++;
    if (k < it->held_count) normals++;
  }
  return normals;
}

// columns of B: the directions in which positions, then u may move, and all of z; returns their
// number
static int free_directions(const search *it, double *basis, double *B) {
  int n = it->mechanics->n, size = motion_size(it), count = 0;
  for (int part = 0; part < 2; part++) {
    double *directions = basis + part * n * n;
    for (int k = split_directions(it, part == 1, directions); k < n; k++, count++)
      for (int i = 0; i < n; i++)
        B[(part * n + i) * size + count] = directions[k * n + i];
  }
  for (int k = 0; k < size - 2 * n; k++, count++)
    B[(2 * n + k) * size + count] = 1.0;
  return count;
}

// B^T J B, with J the Jacobian of the motion
static void reduce_J(const search *it, int count, const double *B, double *J, double *reduced) {
  int n = it->mechanics->n, size = motion_size(it);
  for (int i = 0; i < n; i++)
    J[i * size + n + i] = 1.0;
  for (int i = 0; i < size - n; i++)
    for (int j = 0; j < size; j++)
      J[(n + i) * size + j] = read_output(it, it->first.motion + i * size + j);
  assert(count <= size);
  for (int a = 0; a < count; a++)
    for (int b = 0; b < count; b++) {
      double sum = 0.0;
      for (int i = 0; i < size; i++) {
        if (B[i * size + a] == 0.0) continue;
        for (int j = 0; j < size; j++)
          sum += B[i * size + a] * J[i * size + j] * B[j * size + b];
      }
      reduced[a * count + b] = sum;
    }
}

// the motion's Jacobian (positions, u, z) restricted to the directions that keep the held rows
static carom_status find_eigenvalues(search *it, carom_equilibrium *e) {
  int n = it->mechanics->n, size = motion_size(it);
  size_t square = (size_t)(size * size), number = sizeof(double);
  double *basis = carom_arena_array(it->scratch, 2 * (size_t)(n * n), number);
  double *B = carom_arena_array(it->scratch, square, number);
  double *J = carom_arena_array(it->scratch, square, number);
  double *reduced = carom_arena_array(it->scratch, square, number);
  double *work = carom_arena_array(it->scratch, (size_t)carom_eigen_workspace(size), number);
  e->re = carom_arena_array(it->arena, (size_t)size, number);
  e->im = carom_arena_array(it->arena, (size_t)size, number);
  if (!basis || !B || !J || !reduced || !work || !e->re || !e->im)
    return carom_fail_memory(it->error);
  int count = e->eigenvalues = free_directions(it, basis, B);
  reduce_J(it, count, B, J, reduced);
  if (!carom_eigenvalues(count, reduced, work, e->re, e->im))
    return carom_fail(it->error, CAROM_ERR_NO_CONVERGENCE, "the eigenvalues did not converge");
  double largest = 0.0;
  for (int k = 0; k < count; k++)
    largest = fmax(largest, fabs(e->re[k]) + fabs(e->im[k]));
  e->kind = count == 0 || e->re[0] < -1e-9 * largest ? CAROM_EQUILIBRIUM_STABLE
            : e->re[0] > 1e-9 * largest              ? CAROM_EQUILIBRIUM_UNSTABLE
                                                     : CAROM_EQUILIBRIUM_MARGINAL;
  return CAROM_OK;
}

// The determinant of those responses, in units of the largest of each row. Where friction turns it
// negative the place is beyond Painleve's paradox: more force would draw the contact together.
static double turned_determinant(const search *it, double *A, double *b, int *pivot) {
  int n = it->held_count;
  double product = 1.0;
  for (int k = 0; k < n * n; k++)
    A[k] = read_output(it, it->first.responses + k);
  for (int k = 0; k < n; k++) {
    double largest = carom_norm_max(n, A + k * n);
    for (int j = 0; j < n && largest > 0.0; j++)
      A[k * n + j] /= largest;
    b[k] = 0.0;
  }
  if (!carom_solve_general(n, A, b, pivot)) return 0.0;
  for (int k = 0; k < n; k++)
    product *= pivot[k] == k ? A[k * n + k] : -A[k * n + k];
  return product;
}

// the closed contacts at a state, all of which stick
static carom_contact_problem problem_at_rest(search *it, const double *state, int *list,
                                             double *mu) {
  const carom_contact_set *set = &it->contacts;
  int room = set->count, count = 0, *sliding = list + 3 * room;
  carom_rates rates = {.acceleration = mu + room, .equation = mu + room + it->mechanics->n};
  (void)carom_dynamics_rows(it->dynamics, it->rest, it->from->now.t, state, &rates);
  for (int k = 0; k < room; k++) {
    if (!(it->closed >> k & 1u)) continue;
    list[count] = set->normal[k];
    list[room + count] = set->tangent[k];
    list[2 * room + count] = set->cross[k];
    mu[count++] = read_output(it, it->first.limits + k);
  }
  return (carom_contact_problem){.rows = it->mechanics->row_count,
                                 .constraints = it->scenario->constraint_count,
                                 .contacts = count,
                                 .normal = list,
                                 .tangent = list + room,
                                 .cross = list + 2 * room,
                                 .G = it->rest->rows.delassus,
                                 .b = it->rest->rows.free_rate,
                                 .stick = mu,
                                 .slide = mu,
                                 .sliding = sliding};
}

// Redundant contacts: forces of least norm in place of those that leave some tangents without any,
// or others that are inside all cones, if there are such.
static carom_status share_forces(search *it, const double *state, double *force) {
  int room = it->contacts.count, rows = it->mechanics->row_count;
  size_t rates = (size_t)(it->mechanics->n + it->mechanics->m);
  int *list = carom_arena_array(it->scratch, 4 * (size_t)room, sizeof *list);
  double *mu = carom_arena_array(it->scratch, (size_t)room + rates, sizeof *mu);
  double *lambda = carom_arena_array(it->scratch, (size_t)(rows + 2 * room), sizeof *lambda);
  carom_contact_mode *modes = carom_arena_array(it->scratch, (size_t)room, sizeof *modes);
  carom_contact_workspace *work = carom_contact_workspace_create(it->scratch, rows, room);
  if (!list || !mu || !lambda || !modes || !work ||
      !carom_space_make_room(work, it->scratch, it->scenario->constraint_count))
    return carom_fail_memory(it->error);
  carom_contact_problem problem = problem_at_rest(it, state, list, mu);
  for (int j = 0; j < problem.contacts; j++)
    mu[j] *= 1.0 - 1e-6; // forces on the cones are not to be told from slip
  if (it->sliding_count == 0 && carom_space_hold(&problem, work, modes, lambda, lambda + rows))
    memcpy(force, lambda, (size_t)rows * sizeof *force);
  return CAROM_OK;
}

// forces, and the smallest of what must be positive
static carom_status find_margin(search *it, carom_equilibrium *e) {
  int contacts = it->contacts.count;
  e->contacts = contacts;
  long failures = carom_arena_failures(it->arena);
  e->normal = carom_arena_array(it->arena, (size_t)contacts, sizeof(double));
  e->tangential = carom_arena_array(it->arena, (size_t)contacts, sizeof(double));
  int rows = it->mechanics->row_count;
  double *force = carom_arena_array(it->scratch, (size_t)rows, sizeof *force);
  if (carom_arena_failures(it->arena) != failures || !force) return carom_fail_memory(it->error);
  for (int r = 0; r < rows; r++)
    force[r] = read_output(it, it->first.forces + r);
  carom_status status =
      it->redundant && it->contacts.spatial > 0 ? share_forces(it, e->state, force) : CAROM_OK;
  if (status != CAROM_OK) return status;
  e->margin = INFINITY;
  for (int k = 0; k < contacts; k++) {
    int tangent = it->contacts.tangent[k], cross = it->contacts.cross[k];
    if (!(it->closed >> k & 1u)) {
      e->margin = fmin(e->margin, read_output(it, it->first.gaps + k));
      continue;
    }
    double T = tangent >= 0 ? force[tangent] : 0.0, rub = fabs(T);
    e->normal[k] = force[it->contacts.normal[k]];
    e->tangential[k] = T;
    if (cross >= 0) {
      rub = carom_hypot(T, force[cross]);
      e->tangential[k] = carom_hypot(T, read_output(it, it->first.across + k) * force[cross]);
    }
    e->margin = fmin(e->margin, e->normal[k]);
    if ((it->word >> (3 * k) & 7u) == CAROM_PHASE_STICK)
      e->margin = fmin(e->margin, read_output(it, it->first.limits + k) * e->normal[k] - rub);
  }
  if (it->sliding_count > 0) {
    const double rounding = 1e-12;
    size_t square = (size_t)it->held_count * (size_t)it->held_count;
    double *A = carom_arena_array(it->scratch, square + (size_t)it->held_count, sizeof *A);
    int *pivot = carom_arena_array(it->scratch, (size_t)it->held_count, sizeof *pivot);
    if (!A || !pivot) return carom_fail_memory(it->error);
    double determinant = turned_determinant(it, A, A + square, pivot);
    e->paradox = e->margin > 0.0 && determinant < -rounding;
    if (e->paradox) e->margin = determinant;
  }
  e->admissible = e->margin > 0.0;
  return CAROM_OK;
}

static carom_status name_mode(search *it, carom_equilibrium *e) {
  const char *names[MOST_CONTACTS];
  for (int k = 0; k < it->contacts.count; k++)
    names[k] = it->scenario->contacts[k].name;
  int length = carom_word_text(1, &it->word, it->contacts.count, names, NULL, 0);
  e->mode = carom_arena_take(it->arena, (size_t)length + 1);
  if (!e->mode) return carom_fail_memory(it->error);
  (void)carom_word_text(1, &it->word, it->contacts.count, names, e->mode, (size_t)length + 1);
  return CAROM_OK;
}

// a place at which the equations and all their slopes are numbers
static bool is_finite(const search *it) {
  for (int k = 0; k < it->first.rows; k++)
    if (!isfinite(read_output(it, k))) return false;
  return true;
}

static double largest_residual(const search *it) {
  double most = 0.0;
  for (int k = 0; k < it->residuals; k++)
    most = fmax(most, fabs(read_output(it, k)));
  return most;
}

// Where slopes have no bounds every place is next to a solution: what is left must be little itself
static bool find_rest(search *it, double *state) {
  run_at(it, state);
  double first = largest_residual(it);
  return newton_halved(it, state) && is_finite(it) &&
         largest_residual(it) <= 1e-6 * (1.0 + (isfinite(first) ? first : 0.0));
}

// Newton from the present state, or from beside it: slopes may have no bounds right there, as that
// of a root at zero. Where that leads nowhere, from the equilibria of other modes.
static bool solve_from(search *it, const carom_equilibria *list, double *state) {
  static const double beside[] = {0.0, 1e-3, -1e-3, 0.1, -0.1, 1.0, -1.0, 10.0};
  size_t bytes = (size_t)it->dynamics->size * sizeof *state;
  bool found = false;
  for (size_t k = 0; k < sizeof beside / sizeof *beside && !found; k++) {
    memcpy(state, it->from->y, bytes);
    memset(state + it->mechanics->nq, 0, (size_t)it->mechanics->n * sizeof *state);
    for (int j = 0; j < it->unknowns; j++) {
      double *y = &state[unknown_place(it, j)];
      *y += beside[k] * fmax(fabs(*y), 1.0);
    }
    found = find_rest(it, state);
    if (k == 0 && !found) {
      memcpy(state, it->from->y, bytes);
      memset(state + it->mechanics->nq, 0, (size_t)it->mechanics->n * sizeof *state);
      run_at(it, state);
      if (is_finite(it)) break; // it is not for that
    }
  }
  for (int k = 0; k < list->count && !found; k++) {
    memcpy(state, list->items[k].state, bytes);
    found = find_rest(it, state);
  }
  return found;
}

// a given load holds no direction
static int directions_held(const search *it) {
  int count = 0;
  for (int k = 0; k < it->held_count; k++)
    count += it->mechanics->rows[it->held[k]].load == 0;
  return count;
}

static bool is_tangent(const search *it, int row) {
  for (int c = 0; c < it->contacts.count; c++)
    if (row == it->contacts.tangent[c] || row == it->contacts.cross[c]) return true;
  return false;
}

static void leave_out(search *it, int k) {
  memmove(it->held + k, it->held + k + 1, (size_t)(--it->held_count - k) * sizeof *it->held);
  it->redundant = true;
}

// In space: those that hold what the rows before them, normals first, hold already where the search
// begins.
static carom_status leave_out_dependent(search *it) {
  const double dependent = 1e-9;
  int n = it->mechanics->n, count = 0;
  double *basis =
      carom_arena_array(it->scratch, (size_t)(it->held_count + 1) * (size_t)n, sizeof *basis);
  if (!basis) return carom_fail_memory(it->error);
  for (int tangents = 0; tangents < 2; tangents++)
    for (int k = 0; k < it->held_count; k++) {
      double *v = basis + (size_t)count * (size_t)n;
      if (is_tangent(it, it->held[k]) != (tangents == 1)) continue;
      memcpy(v, it->rest->rows.response + (size_t)it->held[k] * (size_t)n, (size_t)n * sizeof *v);
      double before = sqrt(carom_dot(n, v, v)), length = carom_orthogonalise(n, v, count, basis);
      if (length > dependent * before) {
        for (int i = 0; i < n; i++)
          v[i] /= length;
        count++;
      } else if (tangents == 1) {
        leave_out(it, k--);
      }
    }
  return CAROM_OK;
}

// More contacts stick than there are directions to hold, as the corners of a block on its base: the
// last tangents hold what others hold already, and carry nothing here.
static void leave_out_tangents(search *it) {
  for (int k = it->held_count - 1; k >= 0 && directions_held(it) > it->mechanics->n; k--)
    if (is_tangent(it, it->held[k])) leave_out(it, k);
}

// one set of open and closed contacts; appends to the list when it has an equilibrium
static carom_status try_mode(search *it, unsigned closed, const double *velocity,
                             carom_equilibria *list) {
  int size = it->dynamics->size;
  it->closed = closed;
  it->redundant = false;
  carom_status status = choose_modes(it, velocity);
  if (status == CAROM_OK && it->contacts.spatial > 0) status = leave_out_dependent(it);
  if (status == CAROM_OK) leave_out_tangents(it);
  if (status == CAROM_OK && directions_held(it) > it->mechanics->n) return CAROM_OK;
  if (status == CAROM_OK)
    status = carom_mode_equations_derive(it->scratch, it->scenario->graph, it->mechanics,
                                         it->held_count, it->held, it->sliding_count, it->sliding,
                                         &it->equations, it->error);
  if (status == CAROM_OK) status = compile_mode(it);
  carom_equilibrium *e = &list->items[list->count];
  *e = (carom_equilibrium){.size = size, .kind = CAROM_EQUILIBRIUM_STUCK};
  e->state = carom_arena_array(it->arena, (size_t)size, sizeof(double));
  if (status != CAROM_OK || !e->state) return status ? status : carom_fail_memory(it->error);
  if (!solve_from(it, list, e->state)) return CAROM_OK;
  status = find_eigenvalues(it, e);
  if (status == CAROM_OK && it->stuck && e->eigenvalues == 0) e->kind = CAROM_EQUILIBRIUM_STUCK;
  if (status == CAROM_OK) status = find_margin(it, e);
  if (status == CAROM_OK) status = name_mode(it, e);
  if (status == CAROM_OK) list->count++;
  return status;
}

// contacts that others press are closed while one of those is
static bool fits_loads(const search *it, unsigned closed) {
  const carom_contact_set *set = &it->contacts;
  for (int k = 0; k < set->count && set->presses; k++) {
    bool borne = false;
    for (int j = 0; j < set->count; j++)
      borne = borne || (set->presses[j * set->count + k] && (closed >> j & 1u));
    if (carom_contact_is_carried(set, k) && borne != ((closed >> k & 1u) != 0)) return false;
  }
  return true;
}

static bool depends_on_time(const search *it) {
  const carom_mechanics *m = it->mechanics;
  for (int i = 0; i < m->n; i++)
    if (carom_node_depends(it->scenario->graph, m->acceleration[i], m->time)) return true;
  for (int k = 0; k < m->m; k++)
    if (carom_node_depends(it->scenario->graph, m->equation[k], m->time)) return true;
  for (int r = 0; r < m->row_count; r++)
    if (carom_node_depends(it->scenario->graph, m->rows[r].free_rate, m->time)) return true;
  return false;
}

// a private copy of the scenario and its equations
static carom_status copy_model(search *it) {
  const carom_scenario *original = it->from->model->scenario;
  char *text = carom_document_text(it->scratch, original->document);
  if (!text) return carom_fail_memory(it->error);
  carom_status status = carom_scenario_read(original->document->root->place.file, text, 0, NULL,
                                            NULL, &it->scenario, it->error);
  if (status != CAROM_OK) return status;
  status = carom_hybrid_derive_mechanics(it->scratch, it->scenario, &it->mechanics, it->error);
  int count = it->scenario->parameter_count, contacts = it->scenario->contact_count;
  long failures = carom_arena_failures(it->scratch);
  carom_node *parameters = carom_arena_array(it->scratch, (size_t)count, sizeof *parameters);
  int rows = it->scenario->constraint_count + 3 * contacts;
  it->held = carom_arena_array(it->scratch, (size_t)rows, sizeof *it->held);
  it->sliding = carom_arena_array(it->scratch, 2 * (size_t)contacts, sizeof *it->sliding);
  if (carom_arena_failures(it->scratch) != failures) return carom_fail_memory(it->error);
  for (int k = 0; k < count; k++)
    parameters[k] = it->scenario->parameters[k].symbol;
  if (status == CAROM_OK)
    status = carom_dynamics_compile(it->scratch, it->scenario->graph, it->mechanics, count,
                                    parameters, &it->dynamics, it->error);
  if (status == CAROM_OK && contacts > 0)
    status = carom_contact_set_compile(&it->contacts, it->scratch, it->scenario, it->dynamics,
                                       it->error);
  return status;
}

static carom_status search_all(search *it, carom_equilibria *list) {
  carom_status status = copy_model(it);
  if (status != CAROM_OK || !it->mechanics || !it->dynamics) return status;
  if (depends_on_time(it))
    return carom_fail(it->error, CAROM_ERR_UNSUPPORTED,
                      "the system depends on time: it has no equilibria");
  int contacts = it->contacts.count;
  if (contacts > MOST_CONTACTS)
    return carom_fail(it->error, CAROM_ERR_LIMIT,
                      "equilibria are looked for with at most %d contacts", MOST_CONTACTS);
  // velocities of the rows at rest: what moves are the surfaces
  carom_dynamics_work *work = carom_arena_take(it->scratch, sizeof *work);
  if (!work) return carom_fail_memory(it->error);
  int nq = it->mechanics->nq, n = it->mechanics->n, size = it->dynamics->size;
  double *rest = carom_arena_array(it->scratch, 3 * (size_t)size, sizeof *rest);
  status = carom_dynamics_work_init(work, it->scratch, it->dynamics, it->error);
  list->items = carom_arena_array(it->arena, (size_t)1 << contacts, sizeof *list->items);
  if (status != CAROM_OK || !rest || !list->items) return carom_fail_memory(it->error);
  memcpy(rest, it->from->y, (size_t)size * sizeof *rest);
  memset(rest + nq, 0, (size_t)n * sizeof *rest);
  carom_dynamics_configure(it->dynamics, work, it->from->settings.parameters, it->from->modes);
  carom_rates rates = {.acceleration = rest + size, .equation = rest + 2 * size};
  it->rest = work;
  for (unsigned closed = 0; status == CAROM_OK && closed < 1u << contacts; closed++) {
    if (!fits_loads(it, closed)) continue;
    if (contacts > 0) (void)carom_dynamics_rows(it->dynamics, work, it->from->now.t, rest, &rates);
    status = try_mode(it, closed, work->rows.velocity, list);
  }
  return status;
}

carom_status carom_equilibria_find(carom_simulation *simulation, carom_equilibria **equilibria,
                                   carom_error *error) {
  *equilibria = NULL;
  if (simulation->model->engine != &carom_hybrid_engine || !simulation->model->scenario)
    return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                      "equilibria are found for scenarios of the hybrid engine");
  search it = {.from = simulation->state,
               .arena = carom_arena_create(NULL),
               .scratch = carom_arena_create(NULL),
               .error = error};
  carom_equilibria *list = it.arena ? carom_arena_take(it.arena, sizeof *list) : NULL;
  carom_status status = list && it.scratch ? search_all(&it, list) : carom_fail_memory(error);
  carom_scenario_free(it.scenario);
  carom_arena_destroy(it.scratch);
  if (status != CAROM_OK) {
    carom_arena_destroy(it.arena);
    return status;
  }
  list->memory = it.arena;
  *equilibria = list;
  return CAROM_OK;
}

void carom_equilibria_destroy(carom_equilibria *equilibria) {
  if (equilibria) carom_arena_destroy(equilibria->memory);
}

int carom_equilibria_count(const carom_equilibria *equilibria) { return equilibria->count; }

const carom_equilibrium *carom_equilibria_at(const carom_equilibria *equilibria, int k) {
  return k >= 0 && k < equilibria->count ? &equilibria->items[k] : NULL;
}
