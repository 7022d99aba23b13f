// SPDX-License-Identifier: MIT
/// A second program for impacts, that shares nothing with the library but the statement of the
/// laws: for tests only, short and slow.
///
/// The energetic law is marched in generalised velocities by the embedded method of Dormand and
/// Prince in small steps; after each step it is asked whether some inequality of the modes in force
/// is broken, and the step is halved down to where that begins. Newton's and Poisson's laws are
/// found by trying all sets of modes. Friction forces of contacts that stick are of least norm
/// within their cones, by trying all sets of contacts at the edge of theirs.
#ifndef CAROM_TESTS_SECOND_SOLVER_H
#define CAROM_TESTS_SECOND_SOLVER_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { SECOND_CONTACTS = 8, SECOND_FREEDOM = 12, SECOND_STATE = 3 * SECOND_CONTACTS + 12 };

typedef struct second_problem {
  int n, f;
  double wn[SECOND_CONTACTS][SECOND_FREEDOM], wt[SECOND_CONTACTS][SECOND_FREEDOM];
  double mass[SECOND_FREEDOM], u[SECOND_FREEDOM];
  double k[SECOND_CONTACTS], a[SECOND_CONTACTS], e[SECOND_CONTACTS];
  double stick[SECOND_CONTACTS], slide[SECOND_CONTACTS];
  bool rough;
} second_problem;

typedef struct second_outcome {
  double u[SECOND_FREEDOM], normal[SECOND_CONTACTS], tangential[SECOND_CONTACTS];
  bool doubtful; // more than one choice of modes held somewhere, or something was only just so
  long steps;
} second_outcome;

// A x = b by elimination with complete pivoting; returns the rank, dependent unknowns are 0
static inline int second_solve(int n, const double *A, const double *b, double *x) {
  double M[2 * SECOND_CONTACTS][2 * SECOND_CONTACTS + 1], largest = 0.0;
  int column[2 * SECOND_CONTACTS], rank = 0;
  for (int i = 0; i < n; i++) {
    column[i] = i;
    for (int j = 0; j < n; j++) {
      M[i][j] = A[i * n + j];
      largest = fmax(largest, fabs(M[i][j]));
    }
    M[i][n] = b[i];
    x[i] = 0.0;
  }
  for (; rank < n; rank++) {
    int r = rank, c = rank;
    for (int i = rank; i < n; i++)
      for (int j = rank; j < n; j++)
        if (fabs(M[i][column[j]]) > fabs(M[r][column[c]])) r = i, c = j;
    if (!(fabs(M[r][column[c]]) > 1e-13 * largest)) break;
    for (int j = 0; j <= n; j++) {
      double swap = M[r][j];
      M[r][j] = M[rank][j];
      M[rank][j] = swap;
    }
    int swap = column[c];
    column[c] = column[rank];
    column[rank] = swap;
    for (int i = rank + 1; i < n; i++) {
      double factor = M[i][column[rank]] / M[rank][column[rank]];
      for (int j = 0; j <= n; j++)
        M[i][j] -= factor * M[rank][j];
    }
  }
  for (int q = rank - 1; q >= 0; q--) {
    double sum = M[q][n];
    for (int s = q + 1; s < rank; s++)
      sum -= M[q][column[s]] * x[column[s]];
    x[column[q]] = sum / M[q][column[q]];
  }
  return rank;
}

// T of least norm with A T = b, A symmetric and semidefinite: T = A z with A A z = b
static inline int second_least(int m, const double *A, const double *b, double *T) {
  double square[SECOND_CONTACTS * SECOND_CONTACTS], z[SECOND_CONTACTS], direct[SECOND_CONTACTS];
  int rank = second_solve(m, A, b, direct);
  memcpy(T, direct, (size_t)m * sizeof *T);
  if (rank == m) return rank;
  // project on the range of A: T = A z, with A z found from A A z = A direct, refined once
  memset(T, 0, (size_t)m * sizeof *T);
  for (int pass = 0; pass < 3; pass++) {
    double right[SECOND_CONTACTS];
    for (int i = 0; i < m; i++) {
      right[i] = b[i];
      for (int j = 0; j < m; j++) {
        right[i] -= A[i * m + j] * T[j];
        square[i * m + j] = 0.0;
        for (int k = 0; k < m; k++)
          square[i * m + j] += A[i * m + k] * A[k * m + j];
      }
    }
    second_solve(m, square, right, z);
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++)
        T[i] += A[i * m + j] * z[j];
  }
  return rank;
}

// the same with |T| <= bound. Returns how far that is from possible, relative: <= 0: it is
static inline double second_stick(int m, const double *A, const double *b, const double *bound,
                                  double *T) {
  double best[SECOND_CONTACTS], least = INFINITY, excess = -INFINITY, most = 0.0;
  for (int i = 0; i < m; i++)
    most = fmax(most, bound[i]);
  int rank = second_least(m, A, b, T);
  for (int i = 0; i < m; i++)
    excess = fmax(excess, (fabs(T[i]) - bound[i]) / most);
  if (excess <= 0.0 || rank == m) return excess;
  // all sets of contacts at their bounds: of those that hold, the one of least norm
  long sets = 1;
  for (int i = 0; i < m; i++)
    sets *= 3;
  double closest = INFINITY, nearest[SECOND_CONTACTS] = {0};
  for (long set = 1; set < sets; set++) {
    int free[SECOND_CONTACTS], count = 0;
    double fixed[SECOND_CONTACTS] = {0}, right[SECOND_CONTACTS],
           part[SECOND_CONTACTS * SECOND_CONTACTS], x[SECOND_CONTACTS], now[SECOND_CONTACTS],
           norm = 0.0, worst = -INFINITY, misfit = 0.0;
    long left = set;
    for (int i = 0; i < m; i++, left /= 3) {
      if (left % 3 == 0) free[count++] = i;
      fixed[i] = left % 3 == 1 ? bound[i] : left % 3 == 2 ? -bound[i] : 0.0;
    }
    // least squares over the free ones, of least norm: normal equations B^T B x = B^T right
    for (int i = 0; i < m; i++) {
      right[i] = b[i];
      for (int j = 0; j < m; j++)
        right[i] -= A[i * m + j] * fixed[j];
    }
    double normal[SECOND_CONTACTS];
    for (int p = 0; p < count; p++) {
      normal[p] = 0.0;
      for (int i = 0; i < m; i++)
        normal[p] += A[i * m + free[p]] * right[i];
      for (int q = 0; q < count; q++) {
        part[p * count + q] = 0.0;
        for (int i = 0; i < m; i++)
          part[p * count + q] += A[i * m + free[p]] * A[i * m + free[q]];
      }
    }
    if (count > 0) second_least(count, part, normal, x);
    memcpy(now, fixed, sizeof now);
    for (int p = 0; p < count; p++)
      now[free[p]] = x[p];
    for (int i = 0; i < m; i++) {
      double rate = -b[i];
      for (int j = 0; j < m; j++)
        rate += A[i * m + j] * now[j];
      misfit = fmax(misfit, fabs(rate) / (A[i * m + i] * most));
      worst = fmax(worst, (fabs(now[i]) - bound[i]) / most);
      norm += now[i] * now[i];
    }
    double beyond = misfit > 1e-11 ? INFINITY : worst;
    if (beyond < closest) {
      closest = beyond;
      memcpy(nearest, now, sizeof nearest);
    }
    if (beyond > 1e-13 || !(norm < least)) continue;
    least = norm;
    memcpy(best, now, sizeof best);
  }
  // beyond the end of stick: as near to it as can be, so that forces have no jump there
  if (isinf(least)) {
    if (!isinf(closest)) memcpy(T, nearest, (size_t)m * sizeof *T);
    return fmax(closest, 1e-12);
  }
  memcpy(T, best, (size_t)m * sizeof *T);
  return 0.0;
}

// ---- the energetic law

enum { SECOND_APART, SECOND_COMPRESSED, SECOND_EXPANDING };

typedef struct second_run {
  const second_problem *p;
  int status[SECOND_CONTACTS], slip[SECOND_CONTACTS]; // slip 0: sticks
  double y[SECOND_STATE];                             // x, u, normal and tangential impulses
  double speed, tiny, excess;                         // excess: of the last look at stick
  second_outcome *out;
} second_run;

static inline double second_row(const second_problem *p, const double *w, const double *u) {
  double sum = 0.0;
  for (int k = 0; k < p->f; k++)
    sum += w[k] * u[k];
  return sum;
}

static inline double second_answer(const second_problem *p, const double *w, const double *force) {
  double sum = 0.0;
  for (int k = 0; k < p->f; k++)
    sum += w[k] * force[k] / p->mass[k];
  return sum;
}

static inline double second_force(const second_problem *p, int i, double x) {
  return x > 0.0 ? p->k[i] * pow(x, p->a[i]) : 0.0;
}

static inline bool second_sticks(const second_run *r, int i) {
  return r->p->rough && r->status[i] != SECOND_APART && r->slip[i] == 0 && r->p->stick[i] > 0.0;
}

// friction in the modes in force for normal forces F; returns the generalised force
static inline void second_friction(second_run *r, const double *F, double *T, double *force) {
  const second_problem *p = r->p;
  int list[SECOND_CONTACTS], m = 0;
  memset(force, 0, (size_t)p->f * sizeof *force);
  for (int i = 0; i < p->n; i++) {
    T[i] = p->rough && r->status[i] != SECOND_APART ? -r->slip[i] * p->slide[i] * F[i] : 0.0;
    for (int k = 0; k < p->f; k++)
      force[k] += p->wn[i][k] * F[i] + p->wt[i][k] * T[i];
    if (second_sticks(r, i)) list[m++] = i;
  }
  r->excess = -1.0;
  if (m == 0) return;
  double A[SECOND_CONTACTS * SECOND_CONTACTS] = {0}, b[SECOND_CONTACTS] = {0},
                             bound[SECOND_CONTACTS], t[SECOND_CONTACTS];
  for (int i = 0; i < m; i++) {
    b[i] = -second_answer(p, p->wt[list[i]], force);
    bound[i] = p->stick[list[i]] * F[list[i]];
    for (int j = 0; j < m; j++)
      A[i * m + j] = second_answer(p, p->wt[list[i]], p->wt[list[j]]);
  }
  r->excess = second_stick(m, A, b, bound, t);
  for (int i = 0; i < m; i++) {
    T[list[i]] = t[i];
    for (int k = 0; k < p->f; k++)
      force[k] += p->wt[list[i]][k] * t[i];
  }
}

static inline void second_slopes(second_run *r, const double *y, double *d) {
  const second_problem *p = r->p;
  const double *u = y + p->n;
  double F[SECOND_CONTACTS], T[SECOND_CONTACTS], force[SECOND_FREEDOM];
  for (int i = 0; i < p->n; i++)
    F[i] = r->status[i] == SECOND_APART ? 0.0 : second_force(p, i, y[i]);
  second_friction(r, F, T, force);
  for (int i = 0; i < p->n; i++) {
    double v = second_row(p, p->wn[i], u),
           eta = r->status[i] == SECOND_EXPANDING ? p->e[i] * p->e[i] : 1.0;
    d[i] = r->status[i] == SECOND_APART ? 0.0 : -v / eta;
    d[p->n + p->f + i] = F[i];
    d[2 * p->n + p->f + i] = T[i];
  }
  for (int k = 0; k < p->f; k++)
    d[p->n + k] = force[k] / p->mass[k];
}

// one step of Dormand and Prince; returns the error against `tolerance`
static inline double second_step(second_run *r, double h, double tolerance, double *out) {
  static const double c[7][6] = {
      {0},
      {1.0 / 5},
      {3.0 / 40, 9.0 / 40},
      {44.0 / 45, -56.0 / 15, 32.0 / 9},
      {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
      {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
      {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
  static const double d[7] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                              -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
  const second_problem *p = r->p;
  int size = 3 * p->n + p->f;
  double k[7][SECOND_STATE], error = 0.0;
  for (int s = 0; s < 7; s++) {
    for (int i = 0; i < size; i++) {
      out[i] = r->y[i];
      for (int q = 0; q < s; q++)
        out[i] += h * c[s][q] * k[q][i];
    }
    second_slopes(r, out, k[s]);
  }
  for (int i = 0; i < size; i++) {
    double sum = 0.0, scale = r->speed;
    for (int s = 0; s < 7; s++)
      sum += h * d[s] * k[s][i];
    if (i < p->n)
      scale = pow(0.5 * (p->a[i] + 1.0) * r->speed * r->speed / p->k[i], 1.0 / (p->a[i] + 1.0));
    error = fmax(error, fabs(sum) / (scale * tolerance));
  }
  return error;
}

// is an inequality of the modes in force broken at y?
static inline bool second_broken(second_run *r, const double *y) {
  const second_problem *p = r->p;
  double slopes[SECOND_STATE];
  for (int i = 0; i < p->n; i++) {
    double v = second_row(p, p->wn[i], y + p->n);
    if (r->status[i] == SECOND_APART && v < -r->tiny) return true;
    if (r->status[i] == SECOND_COMPRESSED && v > r->tiny) return true;
    if (r->status[i] == SECOND_EXPANDING && (y[i] <= 0.0 || v < -r->tiny)) return true;
    if (p->rough && r->status[i] != SECOND_APART && r->slip[i] != 0 &&
        r->slip[i] * second_row(p, p->wt[i], y + p->n) < -r->tiny)
      return true;
  }
  second_slopes(r, y, slopes);
  return r->excess > 1e-12;
}

// modes of friction of contacts at rest, for forces a moment ahead: most stick
static inline void second_choose(second_run *r, double ahead) {
  const second_problem *p = r->p;
  int list[SECOND_CONTACTS], m = 0, best = -1, kept[SECOND_CONTACTS] = {0};
  double F[SECOND_CONTACTS], T[SECOND_CONTACTS], force[SECOND_FREEDOM], largest = 0.0;
  for (int i = 0; i < p->n; i++) {
    double v = second_row(p, p->wn[i], r->y + p->n),
           eta = r->status[i] == SECOND_EXPANDING ? p->e[i] * p->e[i] : 1.0;
    if (fabs(v) <= 2.0 * r->tiny) v = 0.0;
    F[i] = r->status[i] == SECOND_APART ? 0.0 : second_force(p, i, r->y[i] - v * ahead / eta);
    largest = fmax(largest, F[i]);
  }
  for (int i = 0; i < p->n; i++) {
    double slip = second_row(p, p->wt[i], r->y + p->n);
    r->slip[i] = slip > 0.0 ? 1 : -1;
    if (r->status[i] == SECOND_APART || fabs(slip) > 8.0 * r->tiny) continue;
    r->slip[i] = 0;
    if (!(F[i] > 1e-14 * largest)) continue; // carries nothing yet
    list[m++] = i;
  }
  long sets = 1;
  for (int i = 0; i < m; i++)
    sets *= 3;
  double held[SECOND_FREEDOM];
  for (long set = 0; set < sets; set++) {
    long left = set;
    int sticks = 0;
    for (int i = 0; i < m; i++, left /= 3) {
      r->slip[list[i]] = left % 3 == 0 ? 0 : left % 3 == 1 ? 1 : -1;
      sticks += left % 3 == 0;
    }
    if (sticks < best) continue;
    second_friction(r, F, T, force);
    bool holds = r->excess <= 1e-12;
    for (int i = 0; i < m && holds; i++)
      if (r->slip[list[i]] != 0)
        holds = r->slip[list[i]] * second_answer(p, p->wt[list[i]], force) > 0.0;
    if (!holds) continue;
    if (sticks == best)
      for (int k = 0; k < p->f; k++)
        if (fabs(held[k] - force[k]) > 1e-6 * largest) r->out->doubtful = true;
    if (sticks == best) continue;
    best = sticks;
    memcpy(held, force, sizeof held);
    for (int i = 0; i < m; i++)
      kept[i] = r->slip[list[i]];
  }
  if (m > 0 && best < 0) r->out->doubtful = true;
  for (int i = 0; i < m; i++)
    r->slip[list[i]] = kept[i];
  // those that carry nothing yet go where they are driven; what others hold is held
  second_friction(r, F, T, force);
  double small = 0.0;
  for (int k = 0; k < p->f; k++)
    small = fmax(small, 1e-9 * fabs(force[k]) / p->mass[k]);
  for (int i = 0; i < p->n; i++) {
    if (r->status[i] == SECOND_APART || F[i] > 1e-14 * largest) continue;
    double slip = second_row(p, p->wt[i], r->y + p->n), rate = second_answer(p, p->wt[i], force);
    if (fabs(slip) <= 8.0 * r->tiny) r->slip[i] = rate > small ? 1 : rate < -small ? -1 : 0;
  }
}

static inline void second_switch(second_run *r, double ahead) {
  const second_problem *p = r->p;
  for (int i = 0; i < p->n; i++) {
    double v = second_row(p, p->wn[i], r->y + p->n);
    if (r->status[i] == SECOND_EXPANDING && r->y[i] <= 0.0) {
      r->status[i] = SECOND_APART;
      r->y[i] = 0.0;
    }
    if (r->status[i] == SECOND_COMPRESSED && v > r->tiny) {
      r->status[i] = r->y[i] > 0.0 ? SECOND_EXPANDING : SECOND_APART;
      r->y[i] = fmax(0.0, r->y[i]);
    } else if (r->status[i] != SECOND_COMPRESSED && v < -r->tiny) {
      r->status[i] = SECOND_COMPRESSED;
    }
  }
  second_choose(r, ahead);
}

static inline bool second_busy(const second_run *r) {
  for (int i = 0; i < r->p->n; i++)
    if (r->status[i] != SECOND_APART &&
        (r->y[i] > 0.0 || second_row(r->p, r->p->wn[i], r->y + r->p->n) < -2.0 * r->tiny))
      return true;
  return false;
}

/// False: it has not ended after `most` steps.
static inline bool second_energetic(const second_problem *p, double tolerance, long most,
                                    second_outcome *out) {
  second_run r = {.p = p, .out = out};
  *out = (second_outcome){0};
  int size = 3 * p->n + p->f;
  double shortest = INFINITY;
  memcpy(r.y + p->n, p->u, (size_t)p->f * sizeof *p->u);
  for (int k = 0; k < p->f; k++)
    r.speed = fmax(r.speed, fabs(p->u[k]));
  r.tiny = 1e-13 * r.speed;
  for (int i = 0; i < p->n; i++) {
    double own = second_answer(p, p->wn[i], p->wn[i]);
    double reach =
        pow(0.5 * (p->a[i] + 1.0) * r.speed * r.speed / (own * p->k[i]), 1.0 / (p->a[i] + 1.0));
    shortest = fmin(shortest, reach / r.speed);
    r.status[i] = second_row(p, p->wn[i], p->u) <= r.tiny ? SECOND_COMPRESSED : SECOND_APART;
  }
  double h = 1e-5 * shortest, ahead = 1e-9 * shortest;
  second_choose(&r, ahead);
  while (second_busy(&r)) {
    if (out->steps++ == most) return false;
    double next[SECOND_STATE];
    double error = second_step(&r, h, tolerance, next);
    if (error > 1.0 && h > 1e-10 * shortest) {
      h *= fmax(0.2, 0.9 * pow(error, -0.2));
      continue;
    }
    if (second_broken(&r, next)) {
      double low = 0.0, high = h;
      while (high - low > 1e-15 * shortest + 1e-14 * h) {
        double middle = 0.5 * (low + high);
        second_step(&r, middle, tolerance, next);
        *(second_broken(&r, next) ? &high : &low) = middle;
        if (middle == low && middle == high) break;
      }
      second_step(&r, high, tolerance, next);
      memcpy(r.y, next, (size_t)size * sizeof *next);
      second_switch(&r, ahead);
      h = 1e-3 * shortest;
      continue;
    }
    memcpy(r.y, next, (size_t)size * sizeof *next);
    h = fmin(0.05 * shortest, h * fmin(4.0, 0.9 * pow(fmax(error, 1e-6), -0.2)));
  }
  memcpy(out->u, r.y + p->n, (size_t)p->f * sizeof *p->u);
  memcpy(out->normal, r.y + p->n + p->f, (size_t)p->n * sizeof *p->u);
  memcpy(out->tangential, r.y + 2 * p->n + p->f, (size_t)p->n * sizeof *p->u);
  return true;
}

// ---- Newton's and Poisson's laws

enum { SECOND_OUTCOMES = 64 };

/// All outcomes with different velocities.
typedef struct second_list {
  int count;
  bool singular; // some set of modes left its impulses open
  double u[SECOND_OUTCOMES][SECOND_FREEDOM], normal[SECOND_OUTCOMES][SECOND_CONTACTS];
} second_list;

static inline void second_keep(second_list *list, int f, int n, const double *u,
                               const double *normal) {
  for (int k = 0; k < list->count; k++) {
    double off = 0.0;
    for (int i = 0; i < f; i++)
      off = fmax(off, fabs(list->u[k][i] - u[i]));
    if (off < 1e-9) return;
  }
  if (list->count == SECOND_OUTCOMES) return;
  memcpy(list->u[list->count], u, (size_t)f * sizeof *u);
  memcpy(list->normal[list->count++], normal, (size_t)n * sizeof *normal);
}

// Of each contact: 0 leaves, with P_N = floor; 1 stays at v_N = bound. Friction: 0 none, 1 stick, 2
// slip plus, 3 slip minus.
typedef struct second_set {
  int stays[SECOND_CONTACTS], friction[SECOND_CONTACTS];
} second_set;

// the outcome of one set, kept if it obeys all inequalities
static inline void second_try(const second_problem *p, const second_set *set, const double *u,
                              const double *bound, const double *floor, second_list *list) {
  enum { MOST = 2 * SECOND_CONTACTS };
  const double *row[MOST], *with[MOST];
  double share[MOST], want[MOST], A[MOST * MOST], x[MOST], after[SECOND_FREEDOM],
      PN[SECOND_CONTACTS], PT[SECOND_CONTACTS];
  int m = 0, place[SECOND_CONTACTS][2];
  memcpy(after, u, sizeof after);
  for (int i = 0; i < p->n; i++) {
    int way = set->friction[i] == 2 ? 1 : set->friction[i] == 3 ? -1 : 0;
    PN[i] = set->stays[i] ? 0.0 : floor[i];
    PT[i] = -way * p->slide[i] * PN[i];
    for (int k = 0; k < p->f; k++)
      after[k] += (p->wn[i][k] * PN[i] + p->wt[i][k] * PT[i]) / p->mass[k];
  }
  for (int i = 0; i < p->n; i++) {
    int way = set->friction[i] == 2 ? 1 : set->friction[i] == 3 ? -1 : 0;
    place[i][0] = place[i][1] = -1;
    if (set->stays[i]) {
      place[i][0] = m;
      row[m] = p->wn[i];
      with[m] = p->wt[i];
      share[m] = -way * p->slide[i];
      want[m++] = bound[i] - second_row(p, p->wn[i], after);
    }
    if (set->friction[i] == 1) {
      place[i][1] = m;
      row[m] = with[m] = p->wt[i];
      share[m] = 0.0;
      want[m++] = -second_row(p, p->wt[i], after);
    }
  }
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++)
      A[i * m + j] =
          second_answer(p, row[i], row[j]) + share[j] * second_answer(p, row[i], with[j]);
  if (m > 0 && second_solve(m, A, want, x) < m) {
    list->singular = true;
    return;
  }
  for (int i = 0; i < p->n; i++) {
    int way = set->friction[i] == 2 ? 1 : set->friction[i] == 3 ? -1 : 0;
    double more = place[i][0] >= 0 ? x[place[i][0]] : 0.0;
    double rub = place[i][1] >= 0 ? x[place[i][1]] : -way * p->slide[i] * more;
    PN[i] += more;
    PT[i] += rub;
    for (int k = 0; k < p->f; k++)
      after[k] += (p->wn[i][k] * more + p->wt[i][k] * rub) / p->mass[k];
  }
  const double small = 1e-11;
  for (int i = 0; i < p->n; i++) {
    double vn = second_row(p, p->wn[i], after), vt = second_row(p, p->wt[i], after),
           before = second_row(p, p->wt[i], u), against = before > 0.0 ? -1.0 : 1.0;
    int way = set->friction[i] == 2 ? 1 : set->friction[i] == 3 ? -1 : 0;
    if (PN[i] < floor[i] - small || vn < bound[i] - small) return;
    if (way != 0 && way * vt < -small) return;
    // slip is stopped by mu, held by mu_s
    double most = p->stick[i];
    if (fabs(before) > small && PT[i] * against > 0.0) most = p->slide[i];
    if (set->friction[i] == 1 && fabs(PT[i]) > most * PN[i] + small) return;
  }
  second_keep(list, p->f, p->n, after, PN);
}

// one complementarity problem: all sets of modes
static inline void second_phase(const second_problem *p, const double *u, const double *bound,
                                const double *floor, second_list *list) {
  long sets = 1;
  for (int i = 0; i < p->n; i++)
    sets *= p->rough ? 7 : 2;
  for (long number = 0; number < sets; number++) {
    second_set set;
    long left = number;
    bool possible = true;
    for (int i = 0; i < p->n; i++, left /= p->rough ? 7 : 2) {
      int choice = (int)(left % (p->rough ? 7 : 2)); // leaves; stays 1..3; leaves pushed 4..6
      set.stays[i] = choice >= 1 && choice <= 3;
      set.friction[i] = !p->rough || choice == 0 ? 0 : choice <= 3 ? choice : choice - 3;
      // what leaves has friction where it is pushed, and only there
      possible = possible && (set.stays[i] || !p->rough || (choice == 0) == (floor[i] <= 0.0));
    }
    if (possible) second_try(p, &set, u, bound, floor, list);
  }
}

static inline void second_newton(const second_problem *p, second_list *list) {
  double bound[SECOND_CONTACTS], none[SECOND_CONTACTS] = {0};
  for (int i = 0; i < p->n; i++)
    bound[i] = fmax(0.0, -p->e[i] * second_row(p, p->wn[i], p->u));
  *list = (second_list){0};
  second_phase(p, p->u, bound, none, list);
}

static inline void second_poisson(const second_problem *p, second_list *list) {
  static second_list compressed;
  double none[SECOND_CONTACTS] = {0}, floor[SECOND_CONTACTS];
  compressed = (second_list){0};
  *list = (second_list){0};
  second_phase(p, p->u, none, none, &compressed);
  for (int k = 0; k < compressed.count; k++) {
    bool any = false;
    for (int i = 0; i < p->n; i++) {
      floor[i] = p->e[i] * compressed.normal[k][i];
      any = any || floor[i] > 1e-14;
    }
    if (any)
      second_phase(p, compressed.u[k], none, floor, list);
    else
      second_keep(list, p->f, p->n, compressed.u[k], compressed.normal[k]);
  }
  list->singular = list->singular || compressed.singular;
}

#endif
