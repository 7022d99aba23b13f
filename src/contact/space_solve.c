// SPDX-License-Identifier: MIT
/// Several contacts in space at once by the solver of cones (carom/friction.h): contacts at rest
/// may stick, slip in any direction or open, those that slip are contacts without friction whose
/// force has the direction of sliding. Constraints are eliminated.
#include "contact/space.h"

#include "base/elementary.h"
#include "base/linear.h"
#include "contact/contact_internal.h"
#include "friction/friction.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { DIMENSION = 3, ROUNDS = 6 };

typedef struct space_room {
  double *W, *q, *mu, *floor;
  double *answer; // [constraints][size + 1] of constraint forces to unit forces, and alone
  double *square, *column;
  int *order;
  carom_friction_workspace *solver;
} space_room;

/// The problem as the solver wants it.
typedef struct posed {
  const carom_contact_problem *p;
  int size; // components
  space_room *room;
} posed;

bool carom_space_make_room(carom_contact_workspace *work, carom_arena *arena, int max_constraints) {
  int contacts = work->max_contacts;
  size_t n = (size_t)contacts, size = DIMENSION * n, held = (size_t)max_constraints;
  size_t number = sizeof(double);
  long failures = carom_arena_failures(arena);
  space_room *room = work->together = carom_arena_take(arena, sizeof *room);
  if (!room) return false;
  *room = (space_room){
      .W = carom_arena_array(arena, size * size, number),
      .q = carom_arena_array(arena, size, number),
      .mu = carom_arena_array(arena, n, number),
      .floor = carom_arena_array(arena, n, number),
      .answer = carom_arena_array(arena, held * (size + 1), number),
      .square = carom_arena_array(arena, held * held, number),
      .column = carom_arena_array(arena, held, number),
      .order = carom_arena_array(arena, held, sizeof *room->order),
      .solver = carom_friction_workspace_create(arena, DIMENSION, contacts, contacts * contacts)};
  return carom_arena_failures(arena) == failures;
}

void carom_space_share_room(carom_contact_workspace *work, const carom_contact_workspace *owner) {
  work->together = owner->together;
}

static bool at_rest(const carom_contact_problem *p, int i) {
  return p->tangent[i] >= 0 && p->sliding[i] == 0 && (p->stick[i] > 0.0 || p->slide[i] > 0.0);
}

bool carom_space_can_solve(const carom_contact_problem *p) {
  for (int i = 0; i < p->contacts; i++)
    if (at_rest(p, i) && p->cross[i] < 0) return false; // a line, not a plane
  return p->contacts > 1;
}

// the row of component a of contact i; -1: it has none
static int row_of(const carom_contact_problem *p, int i, int a) {
  assert(a >= 0 && a < 3 && i >= 0 && i < p->contacts);
  if (a == 0) return p->normal[i];
  if (!at_rest(p, i)) return -1;
  return a == 1 ? p->tangent[i] : p->cross[i];
}

// rate of row r by a unit force of component a of contact i; a sliding one rubs
static double rate_response(const carom_contact_problem *p, int r, int i, int a) {
  assert(r >= 0 && r < p->rows);
  const double *G = p->G + (size_t)r * (size_t)p->rows;
  int row = row_of(p, i, a);
  if (row < 0) return 0.0;
  bool slides = a == 0 && p->tangent[i] >= 0 && !at_rest(p, i);
  return slides ? G[row] - p->sliding[i] * p->slide[i] * G[p->tangent[i]] : G[row];
}

static void eliminate_constraints(posed *s) {
  const carom_contact_problem *p = s->p;
  int held = p->constraints;
  for (int k = 0; k <= s->size; k++) {
    for (int c = 0; c < held; c++) {
      s->room->column[c] =
          k < s->size ? -rate_response(p, c, k / DIMENSION, k % DIMENSION) : -p->b[c];
      memcpy(s->room->square + c * held, p->G + (size_t)c * (size_t)p->rows,
             (size_t)held * sizeof(double));
    }
    carom_solve_semidefinite(held, s->room->square, s->room->column, CAROM_CONTACT_RANK,
                             s->room->order);
    for (int c = 0; c < held; c++)
      s->room->answer[c * (s->size + 1) + k] = s->room->column[c];
  }
}

static void pose_problem(posed *s) {
  const carom_contact_problem *p = s->p;
  eliminate_constraints(s);
  for (int k = 0; k < s->size; k++) {
    int row = row_of(p, k / DIMENSION, k % DIMENSION);
    s->room->q[k] = row >= 0 ? p->b[row] : 0.0;
    for (int c = 0; c < p->constraints && row >= 0; c++)
      s->room->q[k] += p->G[row * p->rows + c] * s->room->answer[c * (s->size + 1) + s->size];
    for (int j = 0; j < s->size; j++) {
      double entry = row >= 0 ? rate_response(p, row, j / DIMENSION, j % DIMENSION) : 0.0;
      for (int c = 0; c < p->constraints && row >= 0; c++)
        entry += p->G[row * p->rows + c] * s->room->answer[c * (s->size + 1) + j];
      s->room->W[k * s->size + j] = entry;
    }
  }
  for (int i = 0; i < p->contacts; i++) {
    s->room->mu[i] = at_rest(p, i) ? p->stick[i] : 0.0;
    s->room->floor[i] = p->floor ? p->floor[i] : 0.0;
  }
}

// mu_s holds, mu brakes: contacts that slip by mu_s are judged by mu; true: that changes something
static bool use_sliding_friction(posed *s, const carom_friction_view *view) {
  bool changed = false;
  for (int i = 0; i < s->p->contacts; i++) {
    const double *v = view->velocities + (size_t)(DIMENSION * i);
    bool slips = view->modes[i] == CAROM_FRICTION_SLIP ||
                 (view->modes[i] == CAROM_FRICTION_LIFTED && carom_hypot(v[1], v[2]) > 0.0);
    if (!at_rest(s->p, i) || !slips || s->room->mu[i] == s->p->slide[i]) continue;
    s->room->mu[i] = s->p->slide[i];
    changed = true;
  }
  return changed;
}

static carom_contact_mode mode_of(const posed *s, int i, const carom_friction_view *view) {
  bool sticks = view->modes[i] == CAROM_FRICTION_STICK, rests = at_rest(s->p, i);
  const double *v = view->velocities + (size_t)(DIMENSION * i);
  bool moves = carom_hypot(v[1], v[2]) > 0.0;
  switch (view->modes[i]) {
  case CAROM_FRICTION_OPEN: return CAROM_CONTACT_OPEN;
  case CAROM_FRICTION_LIFTED:
    if (s->p->tangent[i] < 0) return CAROM_CONTACT_PUSHED;
    return moves ? CAROM_CONTACT_PUSHED_PLUS : CAROM_CONTACT_PUSHED_STICK;
  default: break;
  }
  if (rests) return sticks ? CAROM_CONTACT_STICK : CAROM_CONTACT_SLIP_PLUS;
  if (s->p->tangent[i] < 0 || s->p->sliding[i] == 0) return CAROM_CONTACT_CLOSED;
  return s->p->sliding[i] > 0 ? CAROM_CONTACT_SLIP_PLUS : CAROM_CONTACT_SLIP_MINUS;
}

static void write_contact(const posed *s, int i, const carom_friction_view *view, double *lambda,
                          carom_contact_mode *modes, double *direction) {
  const carom_contact_problem *p = s->p;
  const double *r = view->forces + (size_t)(DIMENSION * i),
               *v = view->velocities + (r - view->forces);
  double speed = carom_hypot(v[1], v[2]);
  modes[i] = mode_of(s, i, view);
  lambda[p->normal[i]] = r[0];
  direction[2 * i] = direction[2 * i + 1] = 0.0;
  if (!at_rest(p, i)) {
    if (p->tangent[i] >= 0) lambda[p->tangent[i]] = -p->sliding[i] * p->slide[i] * r[0];
    return;
  }
  lambda[p->tangent[i]] = r[1];
  lambda[p->cross[i]] = r[2];
  if (carom_contact_slip_sign(modes[i]) == 0) return;
  direction[2 * i] = v[1] / speed;
  direction[2 * i + 1] = v[2] / speed;
}

static void write_down(const posed *s, const carom_friction_view *view, double *lambda,
                       carom_contact_mode *modes, double *direction) {
  const carom_contact_problem *p = s->p;
  memset(lambda, 0, (size_t)p->rows * sizeof *lambda);
  for (int i = 0; i < p->contacts; i++)
    write_contact(s, i, view, lambda, modes, direction);
  for (int c = 0; c < p->constraints; c++) {
    lambda[c] = s->room->answer[c * (s->size + 1) + s->size];
    for (int k = 0; k < s->size; k++)
      lambda[c] += s->room->answer[c * (s->size + 1) + k] * view->forces[k];
  }
}

bool carom_space_solve(const carom_contact_problem *problem, carom_contact_workspace *work,
                       double *lambda, carom_contact_mode *modes, double *direction, bool *unique) {
  posed s = {.p = problem, .size = DIMENSION * problem->contacts, .room = work->together};
  const carom_friction_view *view = NULL;
  if (!s.room) return false;
  pose_problem(&s);
  carom_friction_options options = carom_friction_options_default();
  options.dimension = DIMENSION;
  options.contacts = problem->contacts;
  options.W = s.room->W;
  options.q = s.room->q;
  options.mu = s.room->mu;
  options.prove = false;
  options.floor = problem->floor ? s.room->floor : NULL;
  for (int round = 0; round < ROUNDS; round++) {
    if (carom_friction_find(&options, s.room->solver, &view, NULL) != CAROM_OK || !view->found)
      return false;
    if (!use_sliding_friction(&s, view)) break;
  }
  *unique = view->verdict != CAROM_FRICTION_SEVERAL;
  write_down(&s, view, lambda, modes, direction);
  return true;
}
