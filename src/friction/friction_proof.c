// SPDX-License-Identifier: MIT
/// Proofs (docs/theory-friction.md):
///
/// - no solution: the inequalities r in its cone (in space the octagonal cone around it), r_N >=
///   floor, v_N >= 0 have none.
/// - at most one: two solutions differ by dr with dr.W dr <= sum mu |dr_N| |dv_T|, and
///   mu |dr_N| |dv_T| <= mu (dr_N^2 + |dv_T|^2)/2; hence one at most where the symmetric part of
///   W - diag_N(mu)/2 - W_T^T diag(mu) W_T / 2 is positive definite (in the scaled form).
/// - one contact in space: all roots of its quartic.
#include "friction/friction_proof.h"

#include "base/linear.h"
#include "friction/friction_enumerate.h"
#include "friction/linear_program.h"

#include <assert.h>
#include <math.h>

enum { SIDES = 8 };
static const double COSINE = 0.92387953251128674; // of half the angle between them: pi/8
/// Pivots of a positive definite matrix that are to be believed, relative to the diagonal.
#define LEAST_PIVOT 1e-9
#define SLACK 1e-12

struct friction_proof {
  linear_program program;
  double *matrix; // [n d][n d]
};

struct friction_proof *friction_proof_create(carom_arena *arena, int dimension, int most) {
  struct friction_proof *f = carom_arena_take(arena, sizeof *f);
  if (!f) return NULL;
  int n = most < FRICTION_PROVED ? most : FRICTION_PROVED;
  size_t rows = (size_t)(n * dimension);
  f->matrix = carom_arena_array(arena, rows * rows, sizeof(double));
  linear_program_init(&f->program, arena, 2 * n, (dimension == 2 ? 2 : SIDES) * n);
  return f;
}

// ---- none

// generator k of the cone: r = (1, mu direction)
static void cone_generator(const friction_problem *p, int i, int k, double *r) {
  assert(i >= 0 && i < p->n);
  static const double half = 0.70710678118654757;
  static const double circle[SIDES][2] = {{1, 0},  {half, half},   {0, 1},  {-half, half},
                                          {-1, 0}, {-half, -half}, {0, -1}, {half, -half}};
  r[0] = 1.0;
  if (p->d == 2) {
    r[1] = k ? -p->mu[i] : p->mu[i];
    return;
  }
  r[1] = p->mu[i] / COSINE * circle[k][0];
  r[2] = p->mu[i] / COSINE * circle[k][1];
}

static bool none_possible(const friction_problem *p, struct friction_proof *f) {
  linear_program *g = &f->program;
  int sides = p->d == 2 ? 2 : SIDES, d = p->d;
  g->columns = sides * p->n;
  g->rows = p->n;
  for (int i = 0; i < p->n; i++) {
    double *row = g->table + (size_t)i * (size_t)(g->columns + 1);
    for (int c = 0; c < g->columns; c++)
      row[c] = 0.0;
    row[g->columns] = p->q[i * d];
    for (int k = p->start[i]; k < p->start[i + 1]; k++)
      for (int side = 0; side < sides; side++) {
        double r[FRICTION_MOST], sum = 0.0;
        cone_generator(p, p->column[k], side, r);
        for (int a = 0; a < d; a++)
          sum += p->block[(size_t)k * (size_t)(d * d) + (size_t)a] * r[a];
        row[p->column[k] * sides + side] = sum;
      }
  }
  for (int i = 0; i < p->n; i++) {
    if (!(p->floor[i] > 0.0)) continue;
    double *row = g->table + (size_t)g->rows++ * (size_t)(g->columns + 1);
    for (int c = 0; c < g->columns; c++)
      row[c] = c / sides == i;
    row[g->columns] = -p->floor[i];
  }
  return linear_program_find(g, SLACK * fmax(1.0, friction_largest(p))) == LINEAR_IMPOSSIBLE;
}

// ---- one at most

static double *matrix_element(const struct friction_proof *f, int rows, int i, int j) {
  return &f->matrix[(size_t)i * (size_t)rows + (size_t)j];
}

// W - diag_N(mu)/2, dense
static void set_matrix(const friction_problem *p, struct friction_proof *f) {
  int d = p->d, rows = d * p->n;
  for (size_t k = 0; k < (size_t)rows * (size_t)rows; k++)
    f->matrix[k] = 0.0;
  for (int i = 0; i < p->n; i++) {
    for (int k = p->start[i]; k < p->start[i + 1]; k++)
      for (int a = 0; a < d * d; a++) {
        double value = 0.5 * p->block[(size_t)k * (size_t)(d * d) + (size_t)a];
        int row = i * d + a / d, column = p->column[k] * d + a % d;
        *matrix_element(f, rows, row, column) += value;
        *matrix_element(f, rows, column, row) += value;
      }
    *matrix_element(f, rows, i * d, i * d) -= 0.5 * p->mu[i];
  }
}

// - W_T^T diag(mu) W_T / 2
static void take_friction(const friction_problem *p, struct friction_proof *f) {
  int d = p->d, rows = d * p->n;
  for (int i = 0; i < p->n; i++)
    for (int k = p->start[i]; k < p->start[i + 1]; k++)
      for (int l = p->start[i]; l < p->start[i + 1]; l++) {
        const double *A = p->block + (size_t)k * (size_t)(d * d),
                     *B = p->block + (size_t)l * (size_t)(d * d);
        for (int a = 0; a < d; a++)
          for (int b = 0; b < d; b++) {
            double sum = 0.0;
            for (int t = 1; t < d; t++)
              sum += A[t * d + a] * B[t * d + b];
            *matrix_element(f, rows, p->column[k] * d + a, p->column[l] * d + b) -=
                0.5 * p->mu[i] * sum;
          }
      }
}

static bool one_at_most(const friction_problem *p, struct friction_proof *f) {
  double pivot;
  int rows = p->d * p->n;
  set_matrix(p, f);
  take_friction(p, f);
  return carom_find_not_positive(rows, f->matrix, LEAST_PIVOT, &pivot) == rows;
}

// ---- what is said

static void say_verdict(carom_friction_workspace *w, carom_friction_verdict verdict,
                        bool velocities, const char *reason) {
  w->view.verdict = verdict;
  w->view.velocities_unique = velocities;
  w->view.reason = reason;
}

static void prove_by_modes(carom_friction_workspace *w, bool found) {
  friction_count count = friction_enumerate(w, found);
  bool several = count.solutions > 1;
  if (several) {
    w->has_other = true;
    say_verdict(w, CAROM_FRICTION_SEVERAL, count.same_velocity && !count.doubtful,
                count.same_velocity ? "two sets of forces were found, with the same velocities"
                                    : "two solutions were found");
  } else if (count.doubtful) {
    say_verdict(w, count.solutions ? CAROM_FRICTION_ONE_FOUND : CAROM_FRICTION_NONE_FOUND, false,
                "some set of modes could be neither confirmed nor excluded");
  } else {
    say_verdict(w, count.solutions ? CAROM_FRICTION_ONE : CAROM_FRICTION_NONE, count.solutions > 0,
                "all sets of modes were looked at");
  }
}

static void prove_one_in_space(carom_friction_workspace *w, bool found) {
  const friction_problem *p = &w->problem;
  double all[FRICTION_ALONE][FRICTION_MOST];
  int count = friction_all_alone(p->block, p->q, p->mu[0], all);
  if (count < 0) return;
  if (count > 1) {
    // `best` is one of them: the other is the one further away
    double apart[2] = {0.0, 0.0};
    for (int k = 0; k < 2; k++)
      for (int a = 0; a < 3; a++)
        apart[k] = fmax(apart[k], fabs(all[k][a] - w->best.r[a]));
    for (int a = 0; a < 3; a++) {
      w->kept.r[a] = all[apart[1] > apart[0]][a];
      if (!found) w->best.r[a] = all[apart[1] <= apart[0]][a];
    }
    friction_rate(p, &w->kept);
    friction_rate(p, &w->best);
    w->has_other = true;
    say_verdict(w, CAROM_FRICTION_SEVERAL, false, "two solutions were found");
  } else if (count == 1 && found) {
    say_verdict(w, CAROM_FRICTION_ONE, true,
                "one contact: all its modes and directions were looked at");
  } else if (count == 0 && !found) {
    say_verdict(w, CAROM_FRICTION_NONE, false,
                "one contact: all its modes and directions were looked at");
  }
}

void friction_prove(carom_friction_workspace *w, bool found) {
  const friction_problem *p = &w->problem;
  if (p->d == 2 && p->n <= FRICTION_ENUMERATED) {
    prove_by_modes(w, found);
    return;
  }
  if (p->d == 3 && p->n == 1 && !(p->floor[0] > 0.0)) {
    prove_one_in_space(w, found);
    return;
  }
  if (p->n > FRICTION_PROVED) return;
  if (found && one_at_most(p, w->proof))
    say_verdict(w, CAROM_FRICTION_ONE, true,
                "the matrix less what friction can do is positive definite");
  if (!found && none_possible(p, w->proof))
    say_verdict(w, CAROM_FRICTION_NONE, false,
                "no forces in the cones keep all contacts from penetrating");
}
