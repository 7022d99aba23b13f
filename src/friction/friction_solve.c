// SPDX-License-Identifier: MIT
/// The solver: from where it starts by Newton's method, else sweeps over the contacts, Newton's
/// method, proximal problems and pivoting in turn.
#include "friction/friction_internal.h"

#include "base/error.h"
#include "friction/friction_enumerate.h"
#include "friction/friction_lemke.h"
#include "friction/friction_proof.h"

#include <math.h>
#include <string.h>

#define REGULAR 1e-8 // of the diagonal: see friction_newton.c

enum { MOST_TURNS = 1024, MOST_ROUNDS = 20, FEW_ROUNDS = 12, FEW = 40 };
enum { MOST_PIVOTED = 400 }; // contacts: beyond, the table of pivoting would be too large

carom_friction_options carom_friction_options_default(void) {
  return (carom_friction_options){.dimension = 3,
                                  .tolerance = 1e-12,
                                  .prove = true,
                                  .sweeps = 20000,
                                  .size = sizeof(carom_friction_options)};
}

static void take_iterate(carom_arena *arena, size_t rows, friction_iterate *it) {
  it->r = carom_arena_array(arena, rows, sizeof(double));
  it->v = carom_arena_array(arena, rows, sizeof(double));
}

static void take_problem(carom_arena *arena, size_t d, size_t n, size_t blocks,
                         friction_problem *p) {
  p->start = carom_arena_array(arena, n + 1, sizeof(int));
  p->column = carom_arena_array(arena, blocks, sizeof(int));
  p->diagonal = carom_arena_array(arena, n, sizeof(int));
  p->block = carom_arena_array(arena, blocks, d * d * sizeof(double));
  p->q = carom_arena_array(arena, n, d * sizeof(double));
  p->mu = carom_arena_array(arena, n, sizeof(double));
  p->floor = carom_arena_array(arena, n, sizeof(double));
  p->scale = carom_arena_array(arena, n, sizeof(double));
  p->back = carom_arena_array(arena, n, sizeof(double));
  p->step = carom_arena_array(arena, n, sizeof(double));
  p->turn = carom_arena_array(arena, n, d * sizeof(double));
}

carom_friction_workspace *carom_friction_workspace_create(carom_arena *arena, int dimension,
                                                          int contacts, int blocks) {
  size_t d = (size_t)dimension, n = (size_t)contacts, rows = d * n;
  long failures = carom_arena_failures(arena);
  carom_friction_workspace *w = carom_arena_take(arena, sizeof *w);
  if (!w) return NULL;
  w->d = dimension;
  w->most = contacts;
  take_problem(arena, d, n, (size_t)blocks + n, &w->problem);
  block_factor_init(&w->factor, arena, dimension, contacts);
  take_iterate(arena, rows, &w->now);
  take_iterate(arena, rows, &w->best);
  take_iterate(arena, rows, &w->kept);
  take_iterate(arena, rows, &w->spare);
  double **arrays[] = {&w->newton.right, &w->newton.change, &w->newton.moved,    &w->newton.try_r,
                       &w->newton.try_v, &w->forces,        &w->velocities,      &w->newton.moving,
                       &w->centre,       &w->other_forces,  &w->other_velocities};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
    *arrays[k] = carom_arena_array(arena, rows, sizeof(double));
  w->newton.velocity_part = carom_arena_array(arena, rows, d * sizeof(double));
  w->newton.force_part = carom_arena_array(arena, rows, d * sizeof(double));
  w->active = carom_arena_array(arena, n, sizeof(bool));
  w->slot = carom_arena_array(arena, n, sizeof(int));
  w->modes = carom_arena_array(arena, n, sizeof *w->modes);
  if (dimension == 2) {
    w->tableau = friction_tableau_create(arena, contacts < MOST_PIVOTED ? contacts : MOST_PIVOTED);
    w->enumeration = friction_enumeration_create(arena, contacts);
  }
  w->proof = friction_proof_create(arena, dimension, contacts);
  return carom_arena_failures(arena) == failures ? w : NULL;
}

// ---- the search

// Without forces to start from what approaches is known to be wrong, how much so is no question.
static void begin_from(const double *start, carom_friction_workspace *w) {
  friction_problem *p = &w->problem;
  bool approaches = false;
  for (int i = 0; i < p->n; i++) {
    double unit = p->scale[i] * p->unit;
    for (int k = i * p->d; k < (i + 1) * p->d; k++)
      w->now.r[k] = start ? start[k] * p->turn[k] / unit : 0.0;
    approaches = approaches || p->q[i * p->d] < 0.0 || p->floor[i] > 0.0;
  }
  w->now.residual = w->best.residual = INFINITY;
  w->now.worst = w->best.worst = -1;
  if (start || !approaches) friction_rate(p, &w->now);
  friction_copy_iterate(p, &w->now, &w->best);
}

static void try_newton(const carom_friction_options *o, carom_friction_workspace *w, double regular,
                       double steepness, int most) {
  friction_newton_options n = {
      .most = most, .goal = o->tolerance, .regular = regular, .steepness = steepness};
  w->view.newton += friction_newton(w, &n);
}

static void keep_better(carom_friction_workspace *w) {
  friction_rate(&w->problem, &w->now);
  if (w->now.residual < w->best.residual) friction_copy_iterate(&w->problem, &w->now, &w->best);
}

static void try_pivoting(const carom_friction_options *o, carom_friction_workspace *w) {
  if (!friction_lemke(w)) return;
  keep_better(w);
  if (w->best.residual > o->tolerance) try_newton(o, w, REGULAR, 1.0, 8);
}

// One step more where rounding was not reached: as good as the numbers allow.
static void polish_solution(const carom_friction_options *o, carom_friction_workspace *w) {
  friction_newton_options n = {
      .most = 1, .goal = 0.0, .regular = REGULAR, .steepness = 1.0, .always_whole = true};
  if (w->best.residual <= 1e-15 || w->best.residual > fmax(o->tolerance, FRICTION_ENOUGH)) return;
  friction_copy_iterate(&w->problem, &w->best, &w->now);
  w->view.newton += friction_newton(w, &n);
}

static void sweep_contacts(const carom_friction_options *o, carom_friction_workspace *w,
                           int turns) {
  int left = o->sweeps - w->view.sweeps, count = turns < left ? turns : left;
  friction_copy_forces(&w->problem, &w->best, &w->now);
  friction_sweep(&w->problem, count, w->now.r);
  w->view.sweeps += count;
  keep_better(w);
}

// Sweeps and, in turn, Newton's method on the problem itself and on proximal problems, with other
// weights of force and velocity in the projections where it failed before. In the plane pivoting
// follows, at once where contacts are few; where they are many it costs more than further rounds.
static void search_solution(const carom_friction_options *o, carom_friction_workspace *w) {
  // Alone, a contact asks as much of its force as its own block says; among others that hold it,
  // more: tuned on the problems of tests/friction and bench_friction
  static const double steepness[] = {1.0, 10.0, 0.1}, regular[] = {1.0, 1.0, 1e4};
  static const double proximal[] = {30.0, 300.0, 3.0};
  double goal = o->tolerance;
  int turns = 8, stalled = 0, late = w->problem.n <= FEW ? 1 : 5;
  if (w->best.residual <= goal) return;
  if (o->start) {
    try_newton(o, w, REGULAR, 1.0, 6);
    if (w->best.residual <= goal) return;
    friction_copy_iterate(&w->problem, &w->best, &w->now);
    w->view.newton += friction_proximal(w, goal, proximal[0], FEW_ROUNDS);
    if (w->best.residual <= FRICTION_ENOUGH) return;
    begin_from(NULL, w);
  }
  // contacts that have nothing to do with each other are done with one turn
  sweep_contacts(o, w, 1);
  for (int round = 0; w->best.residual > goal && w->view.sweeps < o->sweeps; round++) {
    double before = w->best.residual;
    sweep_contacts(o, w, turns);
    if (w->best.residual > goal && round % 2 == 1)
      w->view.newton += friction_proximal(w, goal, proximal[round / 2 % 3], MOST_ROUNDS);
    else if (w->best.residual > goal)
      try_newton(o, w, REGULAR * regular[round / 2 % 3], steepness[round / 2 % 3], 12);
    if (w->best.residual > goal && round == late) try_pivoting(o, w);
    turns = turns < MOST_TURNS ? 2 * turns : turns;
    // good enough, and no better to be had
    stalled =
        w->best.residual <= FRICTION_ENOUGH && w->best.residual > 0.5 * before ? stalled + 1 : 0;
    if (stalled == 2) return;
  }
}

// ---- what is told

static void unscale_forces(const friction_problem *p, const double *r, double *forces) {
  for (int i = 0; i < p->n; i++) {
    double unit = p->scale[i] * p->unit;
    for (int k = i * p->d; k < (i + 1) * p->d; k++)
      forces[k] = r[k] * p->turn[k] * unit;
  }
}

static void tell_residual(const carom_friction_options *o, carom_friction_workspace *w) {
  friction_problem *p = &w->problem;
  carom_friction_view *view = &w->view;
  unscale_forces(p, w->best.r, w->forces);
  view->residual = carom_friction_residual(o, w->forces, w->velocities, w->modes, &view->worst);
  view->found = view->residual <= fmax(o->tolerance, FRICTION_ENOUGH);
  view->dimension = p->d;
  view->contacts = p->n;
  view->forces = w->forces;
  view->velocities = w->velocities;
  view->modes = w->modes;
  if (!w->has_other) return;
  unscale_forces(p, w->kept.r, w->other_forces);
  (void)carom_friction_residual(o, w->other_forces, w->other_velocities, NULL, NULL);
  view->other_forces = w->other_forces;
  view->other_velocities = w->other_velocities;
}

static void judge_number(const carom_friction_options *o, carom_friction_workspace *w) {
  bool found = w->best.residual <= fmax(o->tolerance, FRICTION_ENOUGH);
  w->has_other = false;
  w->view.verdict = found ? CAROM_FRICTION_ONE_FOUND : CAROM_FRICTION_NONE_FOUND;
  w->view.reason = o->prove ? "no sufficient condition for more holds" : "no proof was asked for";
  if (o->prove) friction_prove(w, found);
}

carom_status carom_friction_find(const carom_friction_options *options,
                                 carom_friction_workspace *work, const carom_friction_view **view,
                                 carom_error *error) {
  *view = NULL;
  carom_status status = friction_check(options, error);
  if (status) return status;
  if (options->dimension != work->d || options->contacts > work->most)
    return carom_fail(error, CAROM_ERR_ARGUMENT,
                      "friction: the workspace was made for %d contacts of %d components",
                      work->most, work->d);
  friction_scale(options, work);
  work->view = (carom_friction_view){.worst = -1};
  begin_from(options->start, work);
  search_solution(options, work);
  polish_solution(options, work);
  judge_number(options, work);
  tell_residual(options, work);
  *view = &work->view;
  return CAROM_OK;
}

struct carom_friction_solution {
  carom_arena *arena;
  const carom_friction_view *view;
};

carom_status carom_friction_solve(const carom_friction_options *options,
                                  carom_friction_solution **solution, carom_error *error) {
  *solution = NULL;
  carom_status status = friction_check(options, error);
  if (status) return status;
  carom_arena *arena = carom_arena_create(NULL);
  carom_friction_solution *made = arena ? carom_arena_take(arena, sizeof *made) : NULL;
  int n = options->contacts, blocks = n == 0 ? 0 : options->W ? n * n : options->block_start[n];
  carom_friction_workspace *work =
      made ? carom_friction_workspace_create(arena, options->dimension, n, blocks) : NULL;
  status = work ? carom_friction_find(options, work, &made->view, error) : carom_fail_memory(error);
  if (status) {
    carom_arena_destroy(arena);
    return status;
  }
  made->arena = arena;
  *solution = made;
  return CAROM_OK;
}

void carom_friction_solution_destroy(carom_friction_solution *solution) {
  if (solution) carom_arena_destroy(solution->arena);
}

const carom_friction_view *carom_friction_solution_look(const carom_friction_solution *solution) {
  return solution ? solution->view : NULL;
}
