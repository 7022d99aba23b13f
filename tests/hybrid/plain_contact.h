// SPDX-License-Identifier: MIT
/// Contact with friction solved by trying everything, as a second opinion: every combination of
/// closed and free, stick and slip of a few contacts is solved and judged. Nothing of Carom is
/// used.
///
/// Row velocities (or accelerations) answer to impulses (or forces) as r = b + G P; row 2i is the
/// normal of contact i, row 2i + 1 its tangent.
///   normal     0 <= P_N - floor  complementary to  r_N >= 0
///   tangent    sticks: r_T = 0 with |P_T| <= stick P_N; or slips: P_T = -s slide P_N
#ifndef CAROM_TESTS_HYBRID_PLAIN_CONTACT_H
#define CAROM_TESTS_HYBRID_PLAIN_CONTACT_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { PLAIN_CONTACTS = 4, PLAIN_ROWS = 2 * PLAIN_CONTACTS, PLAIN_MODES = 6 };

/// A mode: closed (r_N = 0) or at its floor, in the tangent 0 stick, +1 and -1 slip.
typedef struct plain_mode {
  bool closed;
  int slip;
} plain_mode;

typedef struct plain_problem {
  int contacts;
  double G[PLAIN_ROWS][PLAIN_ROWS], b[PLAIN_ROWS];
  double floor[PLAIN_CONTACTS], stick[PLAIN_CONTACTS], slide[PLAIN_CONTACTS];
  int moving[PLAIN_CONTACTS]; // the sign of a slip that is given; 0: decided by r_T
} plain_problem;

typedef struct plain_solution {
  plain_mode mode[PLAIN_CONTACTS];
  double P[PLAIN_ROWS], rate[PLAIN_ROWS];
  double slack; // the least margin of an inequality; negative: it does not hold
  bool shared;  // normal forces are not determined: contacts could share them otherwise
} plain_solution;

/// How the trial of everything ended.
typedef enum plain_verdict { PLAIN_ONE, PLAIN_NONE, PLAIN_SEVERAL } plain_verdict;

static const double PLAIN_RANK = 1e-9; // of a pivot, against the largest entry

/// The equations of a combination of modes: unknowns are the normal forces of closed contacts and
/// the tangential ones of sticking contacts.
typedef struct plain_equations {
  int count;
  int row[PLAIN_ROWS];                   // the equation says that the rate of this row is zero
  double effect[PLAIN_ROWS][PLAIN_ROWS]; // of unknown j on the force of row k: [k][j]
  double given[PLAIN_ROWS];              // forces that do not depend on unknowns
  double a[PLAIN_ROWS][PLAIN_ROWS + 1];
} plain_equations;

static inline void plain_write(const plain_problem *p, const plain_mode *mode, plain_equations *e) {
  memset(e, 0, sizeof *e);
  for (int i = 0; i < p->contacts; i++) {
    int normal = 2 * i, tangent = 2 * i + 1;
    double drag = mode[i].slip ? -mode[i].slip * p->slide[i] : 0.0;
    e->given[normal] = p->floor[i];
    e->given[tangent] = drag * p->floor[i];
    if (mode[i].closed) {
      e->effect[normal][e->count] = 1.0;
      e->effect[tangent][e->count] = drag;
      e->row[e->count++] = normal;
    }
    if (!mode[i].slip && (mode[i].closed || p->floor[i] > 0.0)) {
      e->effect[tangent][e->count] = 1.0;
      e->row[e->count++] = tangent;
    }
  }
  int rows = 2 * p->contacts;
  for (int k = 0; k < e->count; k++) {
    const double *g = p->G[e->row[k]];
    e->a[k][e->count] = -p->b[e->row[k]];
    for (int r = 0; r < rows; r++) {
      e->a[k][e->count] -= g[r] * e->given[r];
      for (int j = 0; j < e->count; j++)
        e->a[k][j] += g[r] * e->effect[r][j];
    }
  }
}

/// Gauss and Jordan with full pivoting on n rows of width n + 1. Writes a solution and the
/// directions in which it may be moved; returns how many there are, -1 where there is no solution.
static inline int plain_eliminate(int n, double a[PLAIN_ROWS][PLAIN_ROWS + 1], double *x,
                                  double way[PLAIN_ROWS][PLAIN_ROWS]) {
  int column[PLAIN_ROWS], rank = 0;
  double largest = 0.0, right = 0.0;
  for (int i = 0; i < n; i++) {
    column[i] = i;
    right = fmax(right, fabs(a[i][n]));
    for (int j = 0; j < n; j++)
      largest = fmax(largest, fabs(a[i][j]));
  }
  for (; rank < n; rank++) {
    int row = rank, at = rank;
    for (int i = rank; i < n; i++)
      for (int j = rank; j < n; j++)
        if (fabs(a[i][column[j]]) > fabs(a[row][column[at]])) row = i, at = j;
    if (!(fabs(a[row][column[at]]) > PLAIN_RANK * largest)) break;
    int other = column[rank];
    column[rank] = column[at];
    column[at] = other;
    for (int j = 0; j <= n; j++) {
      double value = a[row][j];
      a[row][j] = a[rank][j];
      a[rank][j] = value;
    }
    for (int i = 0; i < n; i++) {
      if (i == rank) continue;
      double factor = a[i][column[rank]] / a[rank][column[rank]];
      for (int j = 0; j <= n; j++)
        a[i][j] -= factor * a[rank][j];
    }
  }
  for (int i = rank; i < n; i++)
    if (fabs(a[i][n]) > 1e-8 * right) return -1;
  for (int i = 0; i < n; i++)
    x[column[i]] = i < rank ? a[i][n] / a[i][column[i]] : 0.0;
  for (int free = 0; free < n - rank; free++)
    for (int i = 0; i < n; i++)
      way[free][column[i]] =
          i < rank ? -a[i][column[rank + free]] / a[i][column[i]] : (i == rank + free ? 1.0 : 0.0);
  return n - rank;
}

static inline void plain_apply(const plain_problem *p, const plain_equations *e, const double *x,
                               plain_solution *s) {
  int rows = 2 * p->contacts;
  for (int r = 0; r < rows; r++) {
    s->P[r] = e->given[r];
    for (int j = 0; j < e->count; j++)
      s->P[r] += e->effect[r][j] * x[j];
  }
  for (int r = 0; r < rows; r++) {
    s->rate[r] = p->b[r];
    for (int j = 0; j < rows; j++)
      s->rate[r] += p->G[r][j] * s->P[j];
  }
}

/// The inequalities of forces: up to three of each contact.
static inline int plain_force_margins(const plain_problem *p, const plain_solution *s,
                                      double *margin) {
  int count = 0;
  for (int i = 0; i < p->contacts; i++) {
    const double *P = s->P + (ptrdiff_t)2 * i;
    if (s->mode[i].closed) margin[count++] = P[0] - p->floor[i];
    if (s->mode[i].slip || !(s->mode[i].closed || p->floor[i] > 0.0)) continue;
    margin[count++] = p->stick[i] * P[0] - P[1];
    margin[count++] = p->stick[i] * P[0] + P[1];
  }
  return count;
}

/// The inequalities of rates.
static inline double plain_rate_slack(const plain_problem *p, const plain_solution *s) {
  double slack = INFINITY;
  for (int i = 0; i < p->contacts; i++) {
    const double *r = s->rate + (ptrdiff_t)2 * i;
    bool carries = s->mode[i].closed || p->floor[i] > 0.0;
    if (!s->mode[i].closed) slack = fmin(slack, r[0]);
    if (carries && s->mode[i].slip && !p->moving[i]) slack = fmin(slack, s->mode[i].slip * r[1]);
  }
  return slack;
}

/// Margins of forces that can be moved: margin = at + sum of slope[k] y[k].
typedef struct plain_region {
  int margins, freedoms;
  double at[3 * PLAIN_CONTACTS], slope[3 * PLAIN_CONTACTS][PLAIN_ROWS];
} plain_region;

/// Where `active` margins are zero: writes y and returns the least of the other margins.
static inline double plain_corner(const plain_region *r, const int *active, double *y) {
  double a[PLAIN_ROWS][PLAIN_ROWS + 1] = {{0}}, way[PLAIN_ROWS][PLAIN_ROWS];
  for (int i = 0; i < r->freedoms; i++) {
    for (int k = 0; k < r->freedoms; k++)
      a[i][k] = r->slope[active[i]][k];
    a[i][r->freedoms] = -r->at[active[i]];
  }
  if (plain_eliminate(r->freedoms, a, y, way) != 0) return -INFINITY;
  double least = INFINITY;
  for (int m = 0, next = 0; m < r->margins; m++) {
    if (next < r->freedoms && active[next] == m) {
      next++;
      continue;
    }
    double margin = r->at[m];
    for (int k = 0; k < r->freedoms; k++)
      margin += r->slope[m][k] * y[k];
    least = fmin(least, margin);
  }
  return least;
}

/// The corner of the region of admissible forces that is best inside: cones are pointed, so that a
/// region has a corner wherever it is not empty.
static inline double plain_best_corner(const plain_region *r, double *best) {
  int active[PLAIN_ROWS];
  double slack = -INFINITY, y[PLAIN_ROWS];
  if (r->margins < r->freedoms) return -INFINITY;
  for (int k = 0; k < r->freedoms; k++)
    active[k] = k;
  for (;;) {
    double least = plain_corner(r, active, y);
    if (least > slack) {
      slack = least;
      memcpy(best, y, (size_t)r->freedoms * sizeof *y);
    }
    int k = r->freedoms - 1;
    while (k >= 0 && active[k] == r->margins - r->freedoms + k)
      k--;
    if (k < 0) return slack;
    active[k]++;
    for (int j = k + 1; j < r->freedoms; j++)
      active[j] = active[j - 1] + 1;
  }
}

static inline bool plain_moves_rates(const plain_problem *p, const plain_solution *a,
                                     const plain_solution *b) {
  for (int r = 0; r < 2 * p->contacts; r++)
    if (fabs(a->rate[r] - b->rate[r]) > 1e-8 * (1.0 + fabs(a->rate[r]))) return true;
  return false;
}

/// Forces that the motion does not determine: some that are admissible. False where moving them
/// would change the motion.
static inline bool plain_share(const plain_problem *p, const plain_equations *e, int freedoms,
                               double *x, double way[PLAIN_ROWS][PLAIN_ROWS], plain_solution *s,
                               double *slack) {
  plain_region region = {.freedoms = freedoms};
  region.margins = plain_force_margins(p, s, region.at);
  for (int k = 0; k < freedoms; k++) {
    plain_solution moved = *s;
    double along[PLAIN_ROWS], there[3 * PLAIN_CONTACTS];
    for (int j = 0; j < e->count; j++)
      along[j] = x[j] + way[k][j];
    plain_apply(p, e, along, &moved);
    if (plain_moves_rates(p, s, &moved)) return false;
    (void)plain_force_margins(p, &moved, there);
    for (int m = 0; m < region.margins; m++)
      region.slope[m][k] = there[m] - region.at[m];
    for (int i = 0; i < p->contacts; i++)
      if (fabs(moved.P[2 * i] - s->P[2 * i]) > 1e-9) s->shared = true;
  }
  double y[PLAIN_ROWS] = {0};
  *slack = plain_best_corner(&region, y);
  for (int k = 0; k<freedoms && * slack> - INFINITY; k++)
    for (int j = 0; j < e->count; j++)
      x[j] += y[k] * way[k][j];
  plain_apply(p, e, x, s);
  return true;
}

/// Solves one combination of modes; false when it has no solution.
static inline bool plain_solve(const plain_problem *p, plain_solution *s) {
  plain_equations e;
  plain_write(p, s->mode, &e);
  double a[PLAIN_ROWS][PLAIN_ROWS + 1], x[PLAIN_ROWS] = {0}, way[PLAIN_ROWS][PLAIN_ROWS];
  memcpy(a, e.a, sizeof a);
  int freedoms = e.count ? plain_eliminate(e.count, a, x, way) : 0;
  if (freedoms < 0) return false;
  plain_apply(p, &e, x, s);
  s->shared = false;
  double slack = INFINITY, at[3 * PLAIN_CONTACTS];
  int count = plain_force_margins(p, s, at);
  for (int k = 0; k < count; k++)
    slack = fmin(slack, at[k]);
  if (freedoms > 0 && !plain_share(p, &e, freedoms, x, way, s, &slack)) return false;
  s->slack = fmin(slack, plain_rate_slack(p, s));
  return true;
}

static inline bool plain_same_rates(const plain_problem *p, const plain_solution *a,
                                    const plain_solution *b) {
  for (int r = 0; r < 2 * p->contacts; r++)
    if (fabs(a->rate[r] - b->rate[r]) > 1e-7 * (1.0 + fabs(a->rate[r]))) return false;
  return true;
}

static inline bool plain_same_normals(const plain_problem *p, const plain_solution *a,
                                      const plain_solution *b) {
  for (int i = 0; i < p->contacts; i++)
    if (fabs(a->P[2 * i] - b->P[2 * i]) > 1e-9) return false;
  return true;
}

static inline int plain_sticks(const plain_problem *p, const plain_solution *s) {
  int count = 0;
  for (int i = 0; i < p->contacts; i++)
    count += s->mode[i].closed && !s->mode[i].slip;
  return count;
}

static inline bool plain_same_closed(const plain_problem *p, const plain_solution *a,
                                     const plain_solution *b) {
  for (int i = 0; i < p->contacts; i++)
    if (a->mode[i].closed != b->mode[i].closed) return false;
  return true;
}

static inline bool plain_same_modes(const plain_problem *p, const plain_mode *a,
                                    const plain_mode *b) {
  for (int i = 0; i < p->contacts; i++)
    if (a[i].closed != b[i].closed || a[i].slip != b[i].slip) return false;
  return true;
}

/// Tries every combination but `ended` (NULL: all). Stick is preferred to slip (mu_s > mu leaves
/// both); otherwise outcomes that differ are told as several.
static inline plain_verdict plain_choose(const plain_problem *p, const plain_mode *ended,
                                         plain_solution *best) {
  static const plain_mode modes[PLAIN_MODES] = {{true, 0},  {true, 1},  {true, -1},
                                                {false, 0}, {false, 1}, {false, -1}};
  int total = 1;
  bool found = false, several = false;
  for (int i = 0; i < p->contacts; i++)
    total *= PLAIN_MODES;
  for (int code = 0; code < total; code++) {
    plain_solution s;
    bool allowed = true;
    for (int i = 0, rest = code; i < p->contacts; i++, rest /= PLAIN_MODES) {
      s.mode[i] = modes[rest % PLAIN_MODES];
      bool carries = s.mode[i].closed || p->floor[i] > 0.0;
      if (!carries && s.mode[i].slip) allowed = false; // without a force slip does not matter
      if (carries && p->moving[i] && s.mode[i].slip != p->moving[i]) allowed = false;
    }
    if (ended && plain_same_modes(p, s.mode, ended)) continue;
    if (!allowed || !plain_solve(p, &s) || s.slack < -1e-10) continue;
    if (!found) {
      *best = s;
      found = true;
    } else if (plain_same_rates(p, best, &s)) {
      bool shared = best->shared || s.shared || !plain_same_normals(p, best, &s);
      if (s.slack > best->slack) *best = s;
      best->shared = shared;
    } else if (!plain_same_closed(p, best, &s) || plain_sticks(p, best) == plain_sticks(p, &s)) {
      several = true;
    } else if (plain_sticks(p, &s) > plain_sticks(p, best)) {
      *best = s;
    }
  }
  return !found ? PLAIN_NONE : several ? PLAIN_SEVERAL : PLAIN_ONE;
}

#endif
