// SPDX-License-Identifier: MIT
/// Modes for many contacts from the friction solver (src/friction): constraints are eliminated,
/// what remains is (W, q, mu) of the contacts, and the modes are read off its solution. A proposal
/// is no answer: who asks looks whether it holds by the law as stated.
#include "contact/contact_internal.h"

#include "friction/friction.h"

#include <assert.h>
#include <math.h>

/// Of the largest force or velocity: what counts as zero when modes are read off.
#define AS_ZERO 1e-13
#define PERHAPS 1e-9 // for slips: up to here the force decides
/// Friction that is used up but for this part is not.
#define FULL 1e-10

enum { MOST_SWEEPS = 4000 };

void contact_proposal_init(contact_proposal *g, carom_arena *arena, int max_rows,
                           int max_contacts) {
  if (max_contacts < CONTACT_SEVERAL) return;
  size_t rows = (size_t)max_rows, n = (size_t)max_contacts;
  g->reduced = carom_arena_array(arena, rows * rows, sizeof(double));
  g->right = carom_arena_array(arena, rows, sizeof(double));
  g->W = carom_arena_array(arena, 4 * n * n, sizeof(double));
  g->q = carom_arena_array(arena, 2 * n, sizeof(double));
  g->mu = carom_arena_array(arena, n, sizeof(double));
  g->gone = carom_arena_array(arena, rows, sizeof(bool));
  g->pivots = carom_arena_array(arena, rows, sizeof(int));
  g->solver = carom_friction_workspace_create(arena, 2, max_contacts, max_contacts * max_contacts);
}

// Gauss on the constraint rows, largest pivot first; those that depend on others stay behind
static void eliminate_constraints(const scaled_problem *p, contact_proposal *g) {
  int n = p->rows;
  for (int k = 0; k < n * n; k++)
    g->reduced[k] = p->G[k];
  for (int k = 0; k < n; k++) {
    g->right[k] = p->b[k];
    g->gone[k] = false;
  }
  g->pivot_count = 0;
  for (int step = 0; step < p->constraints; step++) {
    int top = -1;
    for (int k = 0; k < p->constraints; k++)
      if (!g->gone[k] && (top < 0 || g->reduced[k * n + k] > g->reduced[top * n + top])) top = k;
    double pivot = g->reduced[top * n + top];
    g->gone[top] = true;
    if (!(pivot > CAROM_CONTACT_RANK)) continue;
    g->pivots[g->pivot_count++] = top;
    for (int i = 0; i < n; i++) {
      if (i == top || (i < p->constraints && g->gone[i])) continue;
      double factor = g->reduced[i * n + top] / pivot;
      if (factor == 0.0) continue;
      for (int j = 0; j < n; j++)
        g->reduced[i * n + j] -= factor * g->reduced[top * n + j];
      g->right[i] -= factor * g->right[top];
    }
  }
}

// a contact that slips its way already: friction goes with the normal force, the slip is no
// question
static double tied_friction(const scaled_problem *p, int i) {
  return p->tangent[i] >= 0 && p->sliding[i] ? -p->sliding[i] * p->slide[i] : 0.0;
}

static bool rubs_freely(const scaled_problem *p, int i) {
  return p->tangent[i] >= 0 && p->sliding[i] == 0;
}

static void set_friction_problem(const scaled_problem *p, contact_proposal *g) {
  int n = p->rows, m = 2 * p->contacts;
  for (int i = 0; i < p->contacts; i++)
    for (int a = 0; a < 2; a++) {
      int row = a ? p->tangent[i] : p->normal[i];
      bool used = a == 0 || rubs_freely(p, i);
      g->q[2 * i + a] = used ? g->right[row] : 0.0;
      for (int j = 0; j < p->contacts; j++) {
        double *to = g->W + (size_t)(2 * i + a) * (size_t)m + (size_t)(2 * j);
        to[0] = used ? g->reduced[row * n + p->normal[j]] : 0.0;
        to[1] = used && rubs_freely(p, j) ? g->reduced[row * n + p->tangent[j]] : 0.0;
        if (used && tied_friction(p, j) != 0.0)
          to[0] += tied_friction(p, j) * g->reduced[row * n + p->tangent[j]];
      }
    }
}

// The mode of contact i: what carries no more than its floor lifts off (or stays, where it was
// closed and does not move), what friction does not hold to the full sticks.
static int read_mode(const scaled_problem *p, const carom_friction_view *view, double mu, int i,
                     int current, double most_force, double most_velocity) {
  const double *r = view->forces + 2 * (size_t)i, *v = view->velocities + 2 * (size_t)i;
  double still = AS_ZERO * most_velocity;
  bool pushed = p->floor[i] > 0.0, idle = r[0] - p->floor[i] <= AS_ZERO * most_force;
  bool stays =
      fabs(v[0]) <= still && current >= 0 && carom_contact_is_closed((carom_contact_mode)current);
  bool lifts = idle && !stays;
  if (p->tangent[i] < 0)
    return !lifts ? CAROM_CONTACT_CLOSED : pushed ? CAROM_CONTACT_PUSHED : CAROM_CONTACT_OPEN;
  if (lifts && !pushed) return CAROM_CONTACT_OPEN;
  bool held = fabs(v[1]) <= PERHAPS * most_velocity && fabs(r[1]) < mu * r[0] * (1.0 - FULL);
  int slip = p->sliding[i] ? p->sliding[i] : held ? 0 : (v[1] > still) - (v[1] < -still);
  if (lifts)
    return slip > 0   ? CAROM_CONTACT_PUSHED_PLUS
           : slip < 0 ? CAROM_CONTACT_PUSHED_MINUS
                      : CAROM_CONTACT_PUSHED_STICK;
  return slip > 0   ? CAROM_CONTACT_SLIP_PLUS
         : slip < 0 ? CAROM_CONTACT_SLIP_MINUS
                    : CAROM_CONTACT_STICK;
}

static void read_modes(const scaled_problem *p, const carom_friction_view *view, const double *mu,
                       const int *current, int *modes) {
  double force = 0.0, velocity = p->size;
  for (int k = 0; k < 2 * p->contacts; k++) {
    force = fmax(force, fabs(view->forces[k]));
    velocity = fmax(velocity, fabs(view->velocities[k]));
  }
  for (int i = 0; i < p->contacts; i++)
    modes[i] = read_mode(p, view, mu[i], i, current[i], force, velocity);
}

// what a contact is held by in attempt k: mu, then mu_s where the last attempt stuck, then mu_s
static double holding_coefficient(const scaled_problem *p, const int *modes, int i, int attempt) {
  if (!rubs_freely(p, i)) return 0.0;
  bool stuck = modes[i] == CAROM_CONTACT_STICK || modes[i] == CAROM_CONTACT_PUSHED_STICK;
  return attempt == 2 || (attempt == 1 && stuck) ? p->stick[i] : p->slide[i];
}

// by the coefficients in g->mu; NULL: none was found
static const carom_friction_view *find_solution(const scaled_problem *p, contact_proposal *g) {
  carom_friction_options o = carom_friction_options_default();
  const carom_friction_view *view = NULL;
  o.dimension = 2;
  o.contacts = p->contacts;
  o.W = g->W;
  o.q = g->q;
  o.mu = g->mu;
  o.floor = p->floor;
  o.prove = false;
  o.sweeps = MOST_SWEEPS;
  if (carom_friction_find(&o, g->solver, &view, NULL) || !view->found) return NULL;
  return view;
}

bool contact_propose(const scaled_problem *p, contact_proposal *g, const int *current, int attempt,
                     int *modes) {
  assert(p->contacts >= 0 && attempt >= 0);
  bool other = attempt == 0;
  if (!g->solver) return false;
  if (attempt == 0) {
    eliminate_constraints(p, g);
    set_friction_problem(p, g);
  }
  for (int i = 0; i < p->contacts; i++) {
    double mu = holding_coefficient(p, modes, i, attempt);
    other = other || mu != g->mu[i];
    g->mu[i] = mu;
  }
  if (!other) return false;
  const carom_friction_view *view = find_solution(p, g);
  if (!view) return false;
  read_modes(p, view, g->mu, current, modes);
  return true;
}

// the forces of constraints that belong to those of contacts: the rows of Gauss, last one first
static void add_constraint_forces(const scaled_problem *p, const contact_proposal *g,
                                  double *lambda) {
  int n = p->rows;
  for (int step = g->pivot_count - 1; step >= 0; step--) {
    int top = g->pivots[step];
    double sum = g->right[top];
    for (int j = 0; j < n; j++)
      if (j != top) sum += g->reduced[top * n + j] * lambda[j];
    lambda[top] = -sum / g->reduced[top * n + top];
  }
}

bool contact_proposed_forces(const scaled_problem *p, contact_proposal *g, int *modes,
                             const int *current, double *lambda) {
  if (!g->solver) return false;
  for (int i = 0; i < p->contacts; i++)
    g->mu[i] = holding_coefficient(p, modes, i, 0);
  const carom_friction_view *view = find_solution(p, g);
  if (!view) return false;
  read_modes(p, view, g->mu, current, modes);
  for (int k = 0; k < p->rows; k++)
    lambda[k] = 0.0;
  for (int i = 0; i < p->contacts; i++) {
    double N = view->forces[2 * i];
    lambda[p->normal[i]] = N;
    if (p->tangent[i] < 0) continue;
    lambda[p->tangent[i]] = rubs_freely(p, i) ? view->forces[2 * i + 1] : tied_friction(p, i) * N;
  }
  add_constraint_forces(p, g, lambda);
  return true;
}
