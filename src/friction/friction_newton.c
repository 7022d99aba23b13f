// SPDX-License-Identifier: MIT
/// Newton's method on the projections of Alart and Curnier (1991), with s = r_N - rho v_N:
///
///   F_N = r_N - max(floor, s),    F_T = r_T - projection of (r_T - rho v_T) on |.| <= mu
///   max(floor, s)
///
/// A zero of F is a solution for every rho > 0. Each contact has linear equations
/// A dv + B dr = -F by the branch it is on; dv = (W + alpha 1) dr with a small alpha, so that
/// contacts that depend on each other leave a regular system: a proximal step. Contacts that
/// are open have no unknowns.
#include "friction/friction_internal.h"

#include <math.h>
#include <string.h>

enum { HALVINGS = 12, MOST_INNER = 20, MOST_STALLED = 3 };

/// Of the proximal term, relative to the diagonal of W^.
#define FIRST_WEIGHT 1e-2
#define LEAST_WEIGHT 1e-9

static double vector_length(int d, const double *x) {
  double sum = 0.0;
  for (int a = 0; a < d; a++)
    sum += x[a] * x[a];
  return sqrt(sum);
}

typedef struct branch {
  bool closed;   // s > floor
  bool slipping; // r_T - rho v_T lies outside
  double radius;
  double out[2], size; // r_T - rho v_T and its length
} branch;

static branch find_branch(int d, const double *r, const double *v, double mu, double floor,
                          double rho) {
  branch b = {0};
  double s = r[0] - rho * v[0];
  b.closed = s > floor;
  b.radius = mu * (b.closed ? s : floor);
  for (int a = 1; a < d; a++)
    b.out[a - 1] = r[a] - rho * v[a];
  b.size = vector_length(d - 1, b.out);
  b.slipping = b.size > b.radius;
  return b;
}

static void evaluate_branch(int d, const double *r, const double *v, const branch *b, double floor,
                            double rho, double *F) {
  F[0] = b->closed ? rho * v[0] : r[0] - floor;
  for (int a = 1; a < d; a++)
    F[a] = b->slipping ? r[a] - b->out[a - 1] * (b->radius / b->size) : rho * v[a];
}

// half the square of F over all contacts
static double merit_of(const friction_problem *p, const double *r, const double *v,
                       double steepness) {
  double sum = 0.0;
  int d = p->d;
  for (int i = 0; i < p->n; i++) {
    double F[FRICTION_MOST], rho = p->step[i] * steepness;
    branch b = find_branch(d, r + i * d, v + i * d, p->mu[i], p->floor[i], rho);
    evaluate_branch(d, r + i * d, v + i * d, &b, p->floor[i], rho, F);
    for (int a = 0; a < d; a++)
      sum += F[a] * F[a];
  }
  return sum;
}

// the equations A dv + B dr = right of one contact
static void set_equations(int d, const double *r, const double *v, double mu, double floor,
                          double rho, double *A, double *B, double *right) {
  branch b = find_branch(d, r, v, mu, floor, rho);
  double F[FRICTION_MOST];
  evaluate_branch(d, r, v, &b, floor, rho, F);
  for (int k = 0; k < d * d; k++)
    A[k] = B[k] = 0.0;
  // normal: v_N + dv_N = 0, or r_N + dr_N = floor
  if (b.closed) {
    A[0] = 1.0;
    right[0] = -v[0];
  } else {
    B[0] = 1.0;
    right[0] = floor - r[0];
  }
  for (int a = 1; a < d; a++) {
    if (!b.slipping) {
      A[a * d + a] = 1.0;
      right[a] = -v[a];
      continue;
    }
    // F_T = r_T - radius t; t turns with r_T - rho v_T, radius grows with s while closed, where
    // dv_N = -v_N
    double t[2] = {b.out[0] / b.size, d == 3 ? b.out[1] / b.size : 0.0};
    double part = b.radius / b.size;
    right[a] = -F[a];
    B[a * d + a] = 1.0;
    for (int c = 1; c < d; c++) {
      double across = (a == c) - t[a - 1] * t[c - 1];
      if (d == 2) across = 0.0;
      B[a * d + c] -= part * across;
      A[a * d + c] += part * rho * across;
    }
    if (b.closed) {
      B[a * d] = -mu * t[a - 1];
      right[a] += mu * t[a - 1] * rho * v[0];
    }
  }
}

typedef struct rows {
  const carom_friction_workspace *work;
  double regular;
} rows;

// the row of contact i: A (W + alpha 1) + B
static inline void fill_blocks(const rows *s, int d, int i, const int *place, double *row) {
  const friction_problem *p = &s->work->problem;
  int size = d * d;
  const double *A = s->work->newton.velocity_part + (size_t)(i * size),
               *B = s->work->newton.force_part + (size_t)(i * size);
  for (int k = p->start[i]; k < p->start[i + 1]; k++) {
    int at = place[p->column[k]];
    if (at < 0) continue;
    const double *W = p->block + (size_t)k * (size_t)size;
    double *to = row + (size_t)(at * size);
    for (int a = 0; a < d; a++)
      for (int b = 0; b < d; b++) {
        double sum = 0.0;
        for (int c = 0; c < d; c++)
          sum += A[a * d + c] * W[c * d + b];
        to[a * d + b] = sum;
      }
  }
  double *own = row + (size_t)(place[i] * size);
  for (int e = 0; e < size; e++)
    own[e] += s->regular * A[e] + B[e];
}

static void fill_row(void *ctx, int i, const int *place, double *row) {
  const rows *s = ctx;
  if (s->work->problem.d == 2)
    fill_blocks(s, 2, i, place, row);
  else
    fill_blocks(s, 3, i, place, row);
}

// velocities as the proximal problem has them: v + alpha (r - centre)
static void lean_to_centre(const friction_problem *p, const double *r, const double *v,
                           double weight, const double *centre, double *leaning) {
  for (int k = 0; k < p->d * p->n; k++)
    leaning[k] = centre ? v[k] + weight * (r[k] - centre[k]) : v[k];
}

// Contacts without unknowns (open ones) move to r = 0 at once; what that changes at the others goes
// to their right-hand sides.
static bool set_system(carom_friction_workspace *w, const friction_newton_options *o) {
  const friction_problem *p = &w->problem;
  int d = p->d, size = d * d;
  bool changed = false;
  lean_to_centre(p, w->now.r, w->now.v, o->regular, o->centre, w->newton.try_v);
  for (int i = 0; i < p->n; i++) {
    double *A = w->newton.velocity_part + (size_t)(i * size),
           *B = w->newton.force_part + (size_t)(i * size);
    const double *r = w->now.r + i * d, *v = w->newton.try_v + i * d;
    set_equations(d, r, v, p->mu[i], p->floor[i], p->step[i] * o->steepness, A, B,
                  w->newton.right + i * d);
    bool active = A[0] != 0.0 || p->floor[i] > 0.0;
    changed = changed || active != w->active[i];
    w->active[i] = active;
    for (int a = 0; a < d; a++)
      w->newton.change[i * d + a] = active ? 0.0 : -r[a];
  }
  friction_velocities(p, w->newton.change, false, w->newton.moved);
  for (int i = 0; i < p->n; i++) {
    if (!w->active[i]) continue;
    const double *A = w->newton.velocity_part + (size_t)(i * size);
    for (int a = 0; a < d; a++)
      for (int c = 0; c < d; c++)
        w->newton.right[i * d + a] -= A[a * d + c] * w->newton.moved[i * d + c];
  }
  return changed;
}

// dr in `change`, dv in `moved`; false: the system is singular
static bool solve_system(carom_friction_workspace *w, double regular, bool reorder) {
  const friction_problem *p = &w->problem;
  int d = p->d;
  if (reorder) block_factor_order(&w->factor, p->n, p->start, p->column, w->active);
  rows s = {w, regular};
  if (!block_factor_decompose(&w->factor, fill_row, &s)) return false;
  block_factor_solve(&w->factor, w->newton.right, w->newton.try_r);
  for (int i = 0; i < p->n; i++)
    for (int a = 0; a < d && w->active[i]; a++)
      w->newton.change[i * d + a] = w->newton.right[i * d + a];
  for (int k = 0; k < d * p->n; k++)
    if (!isfinite(w->newton.change[k])) return false;
  friction_velocities(p, w->newton.change, false, w->newton.moved);
  return true;
}

// The step that lowers the merit: whole, or halved until it does. Returns the merit left.
static bool take_step(carom_friction_workspace *w, const friction_newton_options *o, double *left) {
  const friction_problem *p = &w->problem;
  int count = p->d * p->n;
  double part = 1.0;
  lean_to_centre(p, w->now.r, w->now.v, o->regular, o->centre, w->newton.try_v);
  double before = merit_of(p, w->now.r, w->newton.try_v, o->steepness);
  for (int k = 0; k < HALVINGS; k++) {
    for (int e = 0; e < count; e++) {
      w->newton.try_r[e] = w->now.r[e] + part * w->newton.change[e];
      w->newton.moving[e] = w->now.v[e] + part * w->newton.moved[e];
    }
    lean_to_centre(p, w->newton.try_r, w->newton.moving, o->regular, o->centre, w->newton.try_v);
    *left = merit_of(p, w->newton.try_r, w->newton.try_v, o->steepness);
    if (o->always_whole || *left <= (1.0 - 1e-4 * part) * before) {
      memcpy(w->now.r, w->newton.try_r, (size_t)count * sizeof(double));
      return true;
    }
    part *= 0.5;
  }
  *left = before;
  return false;
}

int friction_newton(carom_friction_workspace *w, const friction_newton_options *o) {
  const friction_problem *p = &w->problem;
  for (int k = 0; k < o->most; k++) {
    double left;
    bool changed = set_system(w, o);
    if (!solve_system(w, o->regular, changed || k == 0)) return k + 1;
    bool went = take_step(w, o, &left);
    friction_rate(p, &w->now);
    if (w->now.residual < w->best.residual) friction_copy_iterate(p, &w->now, &w->best);
    if (!went || w->best.residual <= o->goal) return k + 1;
  }
  return o->most;
}

// One proximal problem by Newton's method; true: solved as far as is worth it
static bool solve_proximal(carom_friction_workspace *w, const friction_newton_options *o,
                           int *systems) {
  const friction_problem *p = &w->problem;
  double begin = merit_of(p, w->now.r, w->now.v, o->steepness), left = begin;
  for (int k = 0; k < o->most; k++) {
    bool changed = set_system(w, o);
    ++*systems;
    if (!solve_system(w, o->regular, changed || k == 0) || !take_step(w, o, &left)) return false;
    friction_rate(p, &w->now);
    if (w->now.residual < w->best.residual) friction_copy_iterate(p, &w->now, &w->best);
    if (w->best.residual <= o->goal || left <= 1e-6 * begin) return true;
  }
  return left <= 0.25 * begin;
}

int friction_proximal(carom_friction_workspace *w, double goal, double steepness, int rounds) {
  const friction_problem *p = &w->problem;
  friction_newton_options o = {.most = MOST_INNER,
                               .goal = goal,
                               .regular = FIRST_WEIGHT,
                               .steepness = steepness,
                               .centre = w->centre};
  int systems = 0, stalled = 0;
  double faster = 0.1;
  for (int k = 0; k < rounds && w->best.residual > goal; k++) {
    double before = w->best.residual;
    memcpy(w->centre, w->now.r, (size_t)(p->d * p->n) * sizeof(double));
    bool solved = solve_proximal(w, &o, &systems);
    // as good as rounding allows
    bool stuck = w->best.residual <= FRICTION_ENOUGH && w->best.residual > 0.5 * before;
    stalled = stuck ? stalled + 1 : 0;
    if (stalled == MOST_STALLED) break;
    if (solved) {
      o.regular = fmax(LEAST_WEIGHT, faster * o.regular);
    } else {
      o.regular = fmin(1.0, 10.0 * o.regular);
      faster = sqrt(faster);
    }
  }
  return systems;
}
